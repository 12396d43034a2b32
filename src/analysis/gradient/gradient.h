/* gradient.h: derivatives of what a run ends with, exactly, through impacts. */
#ifndef CAROM_GRADIENT_H
#define CAROM_GRADIENT_H

#include "carom_analysis.h"
#include "model/model.h"
#include "sim/quantity.h"

/* ---- directions.c: what derivatives are taken by ---- */
typedef struct carom_direction {
    int parameter, q, v; /* the one that is meant; others -1 */
} carom_direction;
carom_status carom_directions_find(const carom_model *model, const char *const *names, int n, carom_arena *arena,
                                   carom_direction *direction, carom_error *error);
/* X [2*nv*n] (the room is [(nq+nv)*n]) and dp [np*n] of the tangent's start; follow [(nq+nv)*np] is room. */
carom_status carom_directions_start(const carom_model *model, const carom_direction *direction, int n, double *follow,
                                    double *X, double *dp, carom_error *error);
double carom_direction_value(const carom_model *model, const carom_direction *direction); /* of the model now */
/* slope [n] of a quantity at the present state of the tangent's simulation; dp [np*n] as it was started with,
 * E [1+nq+nv+np] is room. */
carom_status carom_directions_slope(const carom_quantity *quantity, const carom_sim *sim, carom_tangent *tangent, int n,
                                    const double *dp, double *E, double *slope, carom_error *error);

/* ---- gradient_sides.c: fills in side; directions X [2*nv*n], dp [np*n] as at the start and at the end ---- */
carom_status carom_gradient_start_sides(carom_gradient *gradient, const carom_model *model, const double *v,
                                        const double *X, const double *dp, carom_error *error);
/* Does a start that is displaced by h along direction k keep the contacts that touch, gaps being curved? v [nv] */
carom_status carom_gradient_keeps(const carom_model *model, const double *v, const double *X, const double *dp, int n,
                                  int k, double h, bool *keeps, carom_error *error);
/* last: the last event, with the derivatives of its time [n]; NULL: there was none. */
carom_status carom_gradient_end_sides(carom_gradient *gradient, const carom_model *model, const carom_state *state,
                                      const double *p, const double *X, const double *dp, const carom_event *last,
                                      const double *last_slope, carom_error *error);

#endif
