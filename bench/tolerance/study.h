/* study.h: what the parts of bench-tolerance share: runs that are kept, and their errors. */
#ifndef CAROM_BENCH_TOLERANCE_H
#define CAROM_BENCH_TOLERANCE_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carom.h"

enum { CAROM_STUDY_Q = 16 };

/* run.c. A model is a name or a text; set: "name=value name=value". What cannot be loaded ends the program. */
carom_model *carom_study_load(const char *model, const char *set);
carom_options carom_study_options(const carom_model *model, const char *scheme, double tol, double t_end);

typedef struct carom_path { /* a run that is kept: positions from its dense output */
    carom_sim *sim;
    carom_trajectory *trajectory;
} carom_path;
bool carom_path_follow(carom_path *path, const carom_model *model, const carom_options *options, double t_end);
void carom_path_leave(carom_path *path);
/* Largest difference of any position at t from q, over max(1, |q|). */
double carom_path_apart(const carom_path *path, const double *q, int n, double t);

typedef void carom_positions(const void *user, double t, double *q);
carom_positions carom_path_positions; /* user: a carom_path */

typedef struct carom_outcome {
    double error; /* of positions at the ends of all steps, over max(1, |q|) */
    long steps, evaluations, impacts;
    double penetration;
} carom_outcome;
carom_outcome carom_study_measure(const carom_model *model, const char *scheme, double tol, double t_end,
                                  carom_positions *exact, const void *user);
/* How far a second method is from the path on a grid of times; "crank-nicolson" is extrapolated from h and h/2. */
double carom_study_second(const carom_model *model, const carom_path *path, const char *scheme, double h, double t_end);

/* The parts: each prints its tables. */
void carom_study_kept(const char *only);
void carom_study_hard(void);
void carom_study_work(void);
void carom_study_zeno(void);
void carom_study_dips(void);

#endif
