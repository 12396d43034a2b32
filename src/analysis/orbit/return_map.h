/* return_map.h: the flow over a given time as a map with its derivative, and what happens on the way.
 * x = (q, v) has N = nq + nv entries. */
#ifndef CAROM_RETURN_MAP_H
#define CAROM_RETURN_MAP_H

#include "carom_analysis.h"
#include "model/model.h"

enum { CAROM_PASSAGE_IMPACTS = 32 };

typedef struct carom_passage { /* what one application of the map saw */
    long events, impacts;
    unsigned long sequence; /* the same for two passages with the same kinds of events in the same order */
    struct {
        int contact;
        double t, speed; /* normal velocity before the impact */
    } impact[CAROM_PASSAGE_IMPACTS]; /* the first ones */
    double slowest;         /* least |speed| of an impact; infinity without one */
    /* least gap that a contact reaches without touching, between impacts; infinity if none turns back */
    double nearest;
    int slowest_contact, nearest_contact;
    double slowest_time, nearest_time;
} carom_passage;

typedef struct carom_return_map {
    const carom_model *model;
    int N, nb;             /* entries of x; directions that the joints leave free */
    int np;                /* parameters with a column */
    const int *which;      /* [np] their numbers */
    carom_sim *sim;
    carom_tangent *tangent;
    carom_probe probe;
    carom_passage passage; /* of the last application */
    double *p;             /* [model->np]: change them freely */
    double *B;             /* [N*nb] orthonormal: directions along the joints at the last x */
    double *end;           /* [N] the map's value */
    double *D;             /* [N*(nb+np)] its derivative with respect to coordinates along B, then the parameters */
    double *flow, *departure; /* [N] velocity of the flow, (v, a), at the end and at the start */
    double *start_columns, *start_p, *scratch;
    carom_arena *arena;
} carom_return_map;

carom_status carom_return_map_new(carom_return_map *map, const carom_model *model, const carom_options *options,
                                  const int *which, int np, carom_error *error);
void carom_return_map_free(carom_return_map *map);
/* Applies the map: from x at t = 0 over the time T. */
carom_status carom_return_map_apply(carom_return_map *map, const double *x, double T, carom_error *error);
/* Moves x onto the joints: positions, then velocities. */
carom_status carom_return_map_assemble(carom_return_map *map, double *x, carom_error *error);

#endif
