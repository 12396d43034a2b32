/* lyapunov.h: the parts of the computation of Lyapunov exponents, and the worker that sweeps and diagrams use again
 * and again. */
#ifndef CAROM_LYAPUNOV_H
#define CAROM_LYAPUNOV_H

#include "carom_analysis.h"
#include "core/core.h"

/* ---- lyapunov.c: one simulation with its columns; follow as often as wanted, without allocation ---- */
typedef struct carom_lyapunov carom_lyapunov;
carom_status carom_lyapunov_new(carom_lyapunov **lyapunov, const carom_model *model, const carom_options *options,
                                const carom_lyapunov_request *request, carom_error *error);
void carom_lyapunov_free(carom_lyapunov *lyapunov); /* NULL is fine */
/* From q, v with parameters p (each NULL: the model's) at t = 0. */
carom_status carom_lyapunov_follow(carom_lyapunov *lyapunov, const double *q, const double *v, const double *p,
                                   carom_lyapunov_result *result, carom_error *error);

/* ---- qr.c ---- */
void carom_columns_begin(int rows, int n, double *X); /* columns in general position */
/* X [rows*n] becomes orthonormal columns, r [n] the diagonal of R: Gram-Schmidt, each column twice. */
void carom_orthonormalize(int rows, int n, double *X, double *r);

/* ---- statistics.c: averages of n sequences, with error bars ---- */
typedef struct carom_averages {
    int n, blocks;         /* sequences; room for blocks */
    long length, done;     /* expected; taken */
    double *sum;           /* [n] */
    double *weighted;      /* [4*n] of all, the first half, the second half, the half between */
    double weight[4];
    double *block;         /* [blocks*n] sums of blocks, the last may be open */
    long block_size, block_done; /* terms in a block; in the open one */
    int block_count, marks; /* complete blocks; parts of the length that are done, of `blocks` parts */
} carom_averages;
#define CAROM_AVERAGES_DOUBLES(n, blocks) ((n) * (5 + (blocks)))
size_t carom_averages_doubles(int n, int blocks);
/* memory [carom_averages_doubles(n, blocks)] */
void carom_averages_begin(carom_averages *a, int n, int blocks, long length, double *memory);
bool carom_averages_add(carom_averages *a, const double *x); /* [n]; true: another part of the length is done */
/* Means and standard errors [n], per term. True: the sequences are regular, and these are weighted averages.
 * -INFINITY stays. */
bool carom_averages_end(const carom_averages *a, double *mean, double *error);
double carom_kaplan_yorke(int n, const double *exponent); /* in descending order */

/* ---- shared by lyapunov.c and starts.c ---- */
carom_status carom_lyapunov_check(carom_lyapunov_request *request, carom_error *error); /* fills in the defaults */
/* Exponents, errors, dimension and flag from the averages, flags and count of grazing parts. */
void carom_lyapunov_conclude(const carom_averages *averages, carom_lyapunov_result *result);

/* ---- perturbation.c: displaced copies of a simulation ---- */
typedef struct carom_displaced carom_displaced;
carom_status carom_displaced_new(carom_displaced **displaced, carom_sim *sim, int n, double epsilon,
                                 carom_error *error);
void carom_displaced_free(carom_displaced *displaced);
/* Runs sim from its present state to time t, and n copies displaced by the columns of X [(nq+nv)*n]; X becomes what the
 * displacements have become, relative to the size that they had. */
carom_status carom_displaced_run(carom_displaced *displaced, double t, double *X, carom_error *error);

#endif
