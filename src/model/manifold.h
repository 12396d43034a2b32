/* manifold.h: where positions are: vectors, or points with local coordinates xi around them (carom_manifold).
 *
 *   q = drift(q_0, xi),   xi' = K(xi) v,   K(0) = 1,   K(xi) xi = xi                                  (1)
 *   xi'' = K(xi) a + D(xi)[xi'] v                    D(xi)[d] v: the derivative of K(xi) v along d     (2)
 *   d xi' = dv + D(0)[d xi] v - D(0)[v] d xi         of a neighbour at d xi from q: the bracket        (3)
 *
 * Vectors have q = q_0 + xi and K = 1. (3) follows from (1) around a fixed q_0: a neighbour at d xi from q is at
 * K(xi) d xi from xi. */
#ifndef CAROM_MANIFOLD_H
#define CAROM_MANIFOLD_H

#include "core/core.h"

/* out may be q. */
static inline void carom_model_drift(const carom_model *m, const double *q, const double *xi, double *out)
{
    if (m->manifold)
        m->manifold->drift(m->user, q, xi, out);
    else
        for (int i = 0; i < m->nv; i++)
            out[i] = q[i] + xi[i];
}

static inline void carom_model_local(const carom_model *m, const double *q, const double *to, double *xi)
{
    if (m->manifold)
        m->manifold->local(m->user, q, to, xi);
    else
        for (int i = 0; i < m->nv; i++)
            xi[i] = to[i] - q[i];
}

/* out [nv] = (3) without dv, by room [2*nv]; 0 for vectors. */
void carom_model_bracket(const carom_model *model, const double *v, const double *d, double *room, double *out);

/* Do the functions of a manifold fit together at the start? */
carom_status carom_manifold_check(const carom_model *model, carom_error *error);
/* A sentence for what takes vectors only. */
carom_status carom_manifold_refuse(const carom_model *model, const char *what, carom_error *error);

#endif
