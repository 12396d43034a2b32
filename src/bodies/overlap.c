/* overlap.c: bodies that overlap at the start, and the way out of each other (--assemble).
 *
 * A pair with the depth d along n: the places r of its two bodies are moved in the metric of the masses,
 *   J = dr_b/dq - dr_a/dq,   z = M^-1 J^T n,   dq = d z/(n . J z)                                          (1)
 * one pair after the other until none overlaps. Joints are closed again in between, by the caller. */
#include <stdlib.h>
#include <string.h>

#include "bodies/posing.h"
#include "core/dense.h"

#define TOLERANCE 1e-9 /* of the largest position, at least of 1 */
enum { SWEEPS = 200 };

/* All overlaps at q; the deepest, NULL: none that counts. */
static const carom_overlap *look(carom_posing *x, const double *q)
{
    const carom_overlap *deepest = NULL;
    carom_posing_at(x, q);
    double least = TOLERANCE * fmax(1, carom_norm_max(x->s->nq, q));
    x->overlaps = CAROM_MIN(carom_many_overlaps(x->many, &x->w, least, x->overlap, CAROM_MOST_OVERLAPS),
                            CAROM_MOST_OVERLAPS);
    for (int i = 0; i < x->overlaps; i++)
        if (!deepest || x->overlap[i].depth > deepest->depth)
            deepest = &x->overlap[i];
    return deepest;
}

static bool can_overlap(const carom_section_of_bodies *b)
{
    return b->many || b->where;
}

carom_status carom_bodies_overlap(carom_source *s, const carom_model *m, carom_error *error)
{
    carom_posing x;
    if (!can_overlap(s->bodies))
        return CAROM_OK;
    CAROM_TRY(carom_posing_new(&x, s, error));
    const carom_overlap *deepest = look(&x, m->q);
    carom_status status = CAROM_OK;
    if (deepest) {
        const carom_body *a = &s->bodies->b.body[deepest->body[0]], *b = &s->bodies->b.body[deepest->body[1]];
        status = carom_text_fail(&s->file, (b->motion == CAROM_BODY_FREE ? b : a)->node->key_place, error,
                                 CAROM_BAD_MODEL,
                                 "'%s' and '%s' overlap at the start by %.6g; --assemble moves them apart", a->name,
                                 b->name, deepest->depth);
    }
    carom_posing_end(&x);
    return status;
}

/* ---- the way out ---- */
/* Free bodies alone: M^-1 by bodies. */
static void push_free(const carom_posing *x, const carom_overlap *o, double *q)
{
    const carom_many *many = x->many;
    int stride = many->bodies->planar ? 3 : 7, lengths = many->bodies->planar ? 2 : 3;
    double inverse[2];
    for (int k = 0; k < 2; k++)
        inverse[k] = many->block[o->body[k]] < 0 ? 0 : 1 / many->mass[o->body[k]];
    for (int k = 0; k < 2 && inverse[0] + inverse[1] > 0; k++)
        for (int i = 0; i < lengths && inverse[k] > 0; i++)
            q[stride * many->block[o->body[k]] + i] +=
                (k ? 1 : -1) * o->depth * inverse[k] / (inverse[0] + inverse[1]) * o->normal[i];         /* (1) */
}

typedef struct moving {
    const carom_model *m;
    double *J, *M, *z, *to; /* [3*nbody*nv] [nv*nv] [nv] [nq] */
} moving;

/* J of all bodies by differences, and the factor of M. */
static bool derive(carom_posing *x, moving *k, carom_probe *probe, const double *q)
{
    int nv = k->m->nv, nbody = x->s->bodies->b.nbody;
    const double h = 1e-6;
    for (int j = 0; j < nv; j++)
        for (int side = 1; side >= -1; side -= 2) {
            memset(k->z, 0, sizeof *k->z * (size_t)nv);
            k->z[j] = side * h;
            carom_model_drift(k->m, q, k->z, k->to);
            carom_posing_at(x, k->to);
            for (int i = 0; i < 3 * nbody; i++) {
                double *to = &k->J[(size_t)i * (size_t)nv + (size_t)j];
                *to = side * x->w.pose[i / 3].r[i % 3] / (2 * h) + (side < 0 ? *to : 0);
            }
        }
    memcpy(probe->q, q, sizeof *q * (size_t)k->m->nq);
    carom_probe_eval(probe);
    memcpy(k->M, probe->at.M, sizeof *k->M * (size_t)nv * (size_t)nv);
    return carom_cholesky(nv, k->M);
}

static void push(const moving *k, const carom_overlap *o, double *q)
{
    int nv = k->m->nv;
    double along = 0, *row = k->to;
    for (int j = 0; j < nv; j++) {
        row[j] = 0;
        for (int i = 0; i < 3; i++)
            row[j] += o->normal[i] * (k->J[(size_t)(3 * o->body[1] + i) * (size_t)nv + (size_t)j] -
                                      k->J[(size_t)(3 * o->body[0] + i) * (size_t)nv + (size_t)j]);
        k->z[j] = row[j];
    }
    carom_cholesky_solve(nv, k->M, k->z);
    for (int j = 0; j < nv; j++)
        along += row[j] * k->z[j];
    if (!(along > 0))
        return;
    for (int j = 0; j < nv; j++)
        k->z[j] *= o->depth / along;                                                                     /* (1) */
    carom_model_drift(k->m, q, k->z, k->to);
    memcpy(q, k->to, sizeof *q * (size_t)k->m->nq);
}

static carom_status push_all(carom_posing *x, const carom_model *m, double *q, carom_error *error)
{
    int nv = m->nv, most = CAROM_MAX(m->nq, nv);
    moving k = {.m = m};
    carom_probe probe;
    CAROM_TRY(carom_probe_new(&probe, m, CAROM_MASS, error));
    k.J = CAROM_NEW(x->arena, double, 3 * (size_t)x->s->bodies->b.nbody * (size_t)nv + 1);
    k.M = CAROM_NEW(x->arena, double, (size_t)nv * (size_t)nv + 1);
    k.z = CAROM_NEW(x->arena, double, most + 1);
    k.to = CAROM_NEW(x->arena, double, most + 1);
    bool enough = k.J && k.M && k.z && k.to;
    for (int sweep = 0; enough && sweep < SWEEPS && look(x, q) && derive(x, &k, &probe, q); sweep++)
        for (int i = 0; i < x->overlaps; i++)
            push(&k, &x->overlap[i], q);
    carom_probe_free(&probe);
    return enough ? CAROM_OK : carom_fail(error, CAROM_NO_MEMORY, "out of memory for the assembly");
}

carom_status carom_bodies_separate(carom_source *s, const carom_model *m, double *q, double *moved, carom_error *error)
{
    carom_posing x;
    *moved = 0;
    if (!can_overlap(s->bodies))
        return CAROM_OK;
    CAROM_TRY(carom_posing_new(&x, s, error));
    double *before = CAROM_NEW(x.arena, double, m->nq + 1);
    carom_status status = before ? CAROM_OK : carom_fail(error, CAROM_NO_MEMORY, "out of memory for the assembly");
    if (before)
        memcpy(before, q, sizeof *q * (size_t)m->nq);
    if (status == CAROM_OK && s->bodies->found)
        for (int sweep = 0; sweep < SWEEPS && look(&x, q); sweep++)
            for (int i = 0; i < x.overlaps; i++)
                push_free(&x, &x.overlap[i], q);
    else if (status == CAROM_OK && look(&x, q))
        status = push_all(&x, m, q, error);
    for (int i = 0; status == CAROM_OK && i < m->nq; i++)
        *moved = fmax(*moved, fabs(q[i] - before[i]));
    carom_posing_end(&x);
    return status;
}
