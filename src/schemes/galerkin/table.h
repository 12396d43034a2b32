/* table.h: coefficients of the time-discontinuous Galerkin families on [0, 1]. */
#ifndef CAROM_GALERKIN_TABLE_H
#define CAROM_GALERKIN_TABLE_H

#include <stdbool.h>

enum { CAROM_GALERKIN_DEGREE = 12, CAROM_GALERKIN_STAGES = CAROM_GALERKIN_DEGREE + 1 };

typedef struct carom_galerkin_table {
    int M;         /* degree of the velocities: stages 0 .. M */
    bool plus;     /* D+, else D- */
    bool built;
    double c[CAROM_GALERKIN_STAGES];                        /* Chebyshev points */
    double beta[CAROM_GALERKIN_STAGES];                     /* Clenshaw-Curtis weights */
    double A[CAROM_GALERKIN_STAGES][CAROM_GALERKIN_STAGES];  /* positions from velocities */
    double Av[CAROM_GALERKIN_STAGES][CAROM_GALERKIN_STAGES]; /* velocities from accelerations */
    double AA[CAROM_GALERKIN_STAGES][CAROM_GALERKIN_STAGES]; /* A Av */
    double s[CAROM_GALERKIN_STAGES];                        /* shape of the impulse in the velocities; D-: 0 */
    /* Dense output: values at c_l -> coefficients of T_j(1 - 2 x) -> powers of x. */
    long double chebyshev[CAROM_GALERKIN_STAGES][CAROM_GALERKIN_STAGES]; /* [j][l] */
    double power[CAROM_GALERKIN_STAGES][CAROM_GALERKIN_STAGES];          /* T_j(1 - 2 x) = sum_i power[j][i] x^i */
} carom_galerkin_table;

void carom_galerkin_table_build(carom_galerkin_table *table, bool plus, int degree);

#endif
