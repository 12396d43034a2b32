/* slide.h: block `slide`, motion along the border between branches of the forces. */
#ifndef CAROM_SLIDE_H
#define CAROM_SLIDE_H

#include "contact/system.h"

enum { CAROM_SLIDE_MAX = 32 };

typedef struct carom_slide {
    int n;                        /* switches that slide; 0: none */
    int *index;                   /* [max] which */
    double *low, *high, *bound;   /* [max] their branches, and f between them */
    double *lambda;               /* [max] out: 0 all of the lower branch, 1 all of the upper one */
    double time, distance;        /* within which f returns to the bound; of the points of differences */
    double *d;                    /* [nswitch] branches, those of system->at.d */
    double *a, *force;            /* [(max+1)*nv] [(max+1)*nrow] */
    double *rate, *bend, *f;      /* [(max+1)*max] [(max+1)*max] [max] */
    double *q, *v, *K, *b, *work; /* [nq] [nv] [max*max] [max] [4*max+1] */
    int *order;                   /* [max] */
    bool *passive;                /* [max] out: the branches make no difference, another switch holds f */
} carom_slide;

void carom_slide_layout(carom_layout *layout, carom_slide *slide, const carom_system *system);

/* The time that lets l stay inside [0, 1] while f and its rate, as they were evaluated last, return to 0. */
double carom_slide_time(const carom_slide *slide);

/* Fills system->at.energy as between the branches, with the l that were evaluated last. */
void carom_slide_energy(carom_slide *slide, carom_system *system, double t, const double *q, const double *v);

/* a and force between the branches; `one` gives those of the branches in slide->d. */
typedef carom_status carom_slide_one(void *user, double *a, double *force, bool last, carom_error *error);
carom_status carom_slide_accel(carom_slide *slide, carom_system *system, double t, const double *q, const double *v,
                               carom_slide_one *one, void *user, double *a, double *force, carom_error *error);

#endif
