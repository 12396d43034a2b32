/* converge.h: the parts of a study of convergence. */
#ifndef CAROM_CONVERGE_H
#define CAROM_CONVERGE_H

#include "analysis/converge/reference.h"

typedef struct carom_converge_task { /* one run */
    int scheme;
    bool by_rtol;
    double nominal, value;     /* asked for; taken: h or rtol */
    bool done;
    carom_status status;
    double cpu_s;
    long steps, rhs_evaluations, linear_solves, contact_problems;
    double *error;             /* [nnorm] */
} carom_converge_task;

/* Least-squares fit of the means over the shifts: task[shift + shifts*k], k < n, norm. floor: errors not above it are
 * left out. */
void carom_converge_fit(const carom_converge_task *task, int n, int shifts, int norm, double floor,
                        carom_converge_order *order);
/* Slope of log y against log x; NAN for fewer than two points. */
double carom_converge_slope(int n, const double *x, const double *y, double *constant);
/* The k-th of `shifts` factors near 1, spread over 10 %. */
double carom_converge_shift(int k, int shifts);

/* The journal: a line of settings, then one for each finished run. Open reads what is there: finished tasks are
 * marked done. */
typedef struct carom_journal carom_journal;
carom_status carom_journal_open(carom_journal **journal, const char *path, const char *settings,
                                carom_converge_task *task, int n, int nnorm, int *known, carom_error *error);
carom_status carom_journal_add(carom_journal *journal, int index, const carom_converge_task *task, int nnorm,
                               carom_error *error);
void carom_journal_close(carom_journal *journal, bool complete); /* complete: the file is removed; NULL is fine */

#endif
