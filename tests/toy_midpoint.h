/* toy_midpoint.h: Moreau's midpoint rule with the velocity predicted, to try that a scheme plugs in with one file and
 * one line (test_schemes.c).
 *
 *   qm = q + h/2 v,  vm = v + h/2 M^-1 F(t, q, v)              half a step of Euler                      (1)
 *   A  = { i : g_i(t + h/2, qm) <= 0 }                         closed contacts                           (2)
 *   vf = v + h M(qm)^-1 F(t + h/2, qm, vm)                     free velocity                             (3)
 *   0 <= u(v') + e u(v) _|_ P >= 0 on A,  M (v' - vf) = G^T P  impact law, at qm                         (4)
 *   q' = q + h (v + v')/2                                                                                (5)
 *
 * Order 2 between impacts, 1 through them. */
#ifndef CAROM_TEST_TOY_MIDPOINT_H
#define CAROM_TEST_TOY_MIDPOINT_H

#include "core/dense.h"
#include "schemes/scheme.h"

static const unsigned midpoint_requests[] = {CAROM_MASS | CAROM_FORCE, CAROM_GAP,
                                             CAROM_MASS | CAROM_FORCE | CAROM_JACOBIAN, CAROM_LAW, 0};

typedef struct midpoint {
    double *qm, *vm, *vf; /* [nq] [nv] [nv] */
} midpoint;

static void midpoint_layout(carom_layout *layout, const carom_system *system, void *work)
{
    midpoint *w = work;
    CAROM_PLACE(layout, w->qm, system->nq);
    CAROM_PLACE(layout, w->vm, system->nv);
    CAROM_PLACE(layout, w->vf, system->nv);
}

static void midpoint_orders(const double *field, double *smooth, double *impact)
{
    (void)field;
    *smooth = 2, *impact = 1;
}

static carom_status midpoint_accepts(const carom_model *model, const double *field, carom_error *error)
{
    (void)field;
    if (model->njoint || model->manifold)
        CAROM_FAIL(error, CAROM_UNSUPPORTED, "toy-midpoint: takes neither joints nor manifolds");
    return CAROM_OK;
}

/* out = v + h M^-1 F */
static carom_status midpoint_push(carom_step *s, double t, double h, double *out)
{
    carom_system *sys = s->system;
    CAROM_TRY(carom_mass_factor(sys, t, s->error));
    carom_copy(sys->nv, sys->at.F, out);
    carom_mass_solve(sys, out);
    for (int i = 0; i < sys->nv; i++)
        out[i] = s->now->v[i] + h * out[i];
    return CAROM_OK;
}

static carom_status midpoint_step(carom_step *s)
{
    midpoint *w = s->work;
    carom_system *sys = s->system;
    const carom_state *now = s->now;
    double h = s->h, tm = now->t + h / 2;
    carom_step_advance(s, h);
    s->contacts->h = h;
    carom_system_eval(sys, CAROM_MASS | CAROM_FORCE, now->t, now->q, now->v);
    CAROM_TRY(midpoint_push(s, now->t, h / 2, w->vm));
    carom_system_drift(sys, now->q, now->v, h / 2, w->qm);                                       /* (1) */
    if (sys->nlink)
        carom_system_eval(sys, CAROM_GAP, tm, w->qm, now->v);
    bool rows = carom_contacts_activate(s->contacts, sys, sys->at.g, w->qm, now->mode);          /* (2) */
    carom_system_eval(sys, CAROM_MASS | CAROM_FORCE | (rows ? CAROM_JACOBIAN : 0), tm, w->qm, w->vm);
    CAROM_TRY(midpoint_push(s, tm, h, w->vf));                                                   /* (3) */
    carom_copy(sys->nv, w->vf, s->next->v);
    if (s->contacts->nactive) {
        carom_system_eval(sys, CAROM_LAW, now->t, now->q, now->v);
        CAROM_TRY(carom_contact_impact(s->contacts, sys, &sys->mass, NULL, now->v, w->vf, now, s->next->v,
                                       s->error));                                               /* (4) */
    }
    for (int i = 0; i < sys->nv; i++)
        w->vm[i] = (now->v[i] + s->next->v[i]) / 2;
    carom_system_drift(sys, now->q, w->vm, h, s->next->q);                                       /* (5) */
    bool hit = carom_step_status(s, w->vf);
    if (s->record->account)
        carom_contact_account(s->contacts, sys, h, tm, w->qm, w->vm, now->v, s->next->v, s->record);
    return carom_step_finish(s, hit);
}

static const carom_scheme toy_midpoint = {
    .method = {.name = "toy-midpoint", .doc = "Moreau's midpoint rule; order 2 between impacts, 1 through them",
               .ref = "Moreau (1999), CMAME 177, 329-349"},
    .orders = midpoint_orders,
    .accepts = midpoint_accepts,
    .traits = CAROM_NODAL,
    .requests = midpoint_requests,
    .segments = 1,
    .degree = 2,
    .work_bytes = sizeof(midpoint),
    .layout = midpoint_layout,
    .step = midpoint_step,
};

#endif
