/* tableau.h: coefficients of Runge-Kutta methods. */
#ifndef CAROM_TABLEAU_H
#define CAROM_TABLEAU_H

#include <stdbool.h>

/* the most there are, and of an implicit method */
enum { CAROM_TABLEAU_STAGES = 6, CAROM_TABLEAU_IMPLICIT_STAGES = 4 };

typedef struct carom_tableau {
    const char *name;
    int stages, order;
    bool implicit;
    double c[CAROM_TABLEAU_STAGES], b[CAROM_TABLEAU_STAGES], a[CAROM_TABLEAU_STAGES][CAROM_TABLEAU_STAGES];
} carom_tableau;

/* The names of all, in order, separated by spaces. */
#define CAROM_TABLEAU_NAMES \
    "radau3 radau5 lobatto-a2 lobatto-a4 lobatto-a6 lobatto-c2 lobatto-c4 gauss2 gauss4 gauss6 erk2 erk3 erk4 erk5"
enum { CAROM_TABLEAU_RADAU5 = 1, CAROM_TABLEAU_GAUSS6 = 9, CAROM_TABLEAU_ERK5 = 13, CAROM_TABLEAU_COUNT = 14 };

const carom_tableau *carom_tableau_list(int i); /* NULL after the last */

#endif
