/* kern.c: Kern's simple time-stepping, for n degrees of freedom.
 * Source: D. Kern, A simple time-stepping scheme for the bouncing ball example (2019).
 *
 *   q' = q + h v                                              Euler forward, (2) of the paper              (1)
 *   A  = { i : g_i(t + h, q') <= 0 }                          closed contacts, `if y(n+1) <= 0`            (2)
 *   M(q') (v' - v) = h F(t + h, q', v) + G(q')^T P            Euler backward in time, (3a), (4a)           (3)
 *   0 <= u_i(v') + e_i u_i(v)  _|_  P_i >= 0,  i in A         impact law, (4b)                             (4)
 *
 * with the friction law added to (4) and joints kept by u(v') = 0 and a projection of q' on g = 0. Where F depends
 * on v it is taken at the old velocity. The paper has one coordinate and a force of time alone: there the steps follow
 * its listing to rounding. Order 1 in smooth motion and through impacts; penetrates by O(h); explicit: stable
 * for h omega < 2 (undamped). Elastic impacts do not keep the energy: the drift is O(h). */
#include <string.h>

#include "core/dense.h"
#include "schemes/scheme.h"

static const unsigned requests[] = {CAROM_GAP, CAROM_MASS | CAROM_FORCE, CAROM_MASS | CAROM_FORCE | CAROM_JACOBIAN,
                                    CAROM_GAP | CAROM_JACOBIAN | CAROM_MASS, CAROM_LAW, 0};

typedef struct work {
    double *v_free; /* [nv] */
} work;

static void layout(carom_layout *layout, const carom_system *system, void *work_of_step)
{
    work *w = work_of_step;
    CAROM_PLACE(layout, w->v_free, system->nv);
}

static void orders(const double *field, double *smooth, double *impact)
{
    (void)field;
    *smooth = *impact = 1;
}

static carom_status step(carom_step *s)
{
    work *w = s->work;
    carom_system *sys = s->system;
    const carom_state *now = s->now;
    carom_state *next = s->next;
    int nv = sys->nv;
    double h = s->h;
    carom_step_advance(s, h);
    s->contacts->h = h;
    carom_system_drift(sys, now->q, now->v, h, next->q);                                       /* (1) */
    if (sys->njoint)
        CAROM_TRY(carom_contact_project_q(s->contacts, sys, next->t, next->q, now->v, s->error));
    if (sys->nlink)
        carom_system_eval(sys, CAROM_GAP, next->t, next->q, now->v);
    bool rows = carom_contacts_activate(s->contacts, sys, sys->at.g, next->q, now->mode);      /* (2) */
    carom_system_eval(sys, CAROM_MASS | CAROM_FORCE | (rows ? CAROM_JACOBIAN : 0), next->t, next->q, now->v);
    CAROM_TRY(carom_mass_factor(sys, next->t, s->error));
    for (int i = 0; i < nv; i++)
        w->v_free[i] = h * sys->at.F[i];
    carom_factor_solve(sys, &sys->mass, w->v_free);
    for (int i = 0; i < nv; i++)
        w->v_free[i] += now->v[i];                                                             /* (3) */
    if (s->contacts->nactive) {
        if (sys->model->ncontact)
            carom_system_eval(sys, CAROM_LAW, now->t, now->q, now->v);
        CAROM_TRY(carom_contact_impact(s->contacts, sys, &sys->mass, NULL, now->v, w->v_free, now, next->v,
                                       s->error)); /* (4) */
    } else {
        memcpy(next->v, w->v_free, sizeof(double) * (size_t)nv);
    }
    bool hit = carom_step_status(s, w->v_free);
    if (s->record->account)
        carom_contact_account(s->contacts, sys, h, next->t, next->q, now->v, now->v, next->v, s->record);
    return carom_step_finish(s, hit);
}

const carom_scheme carom_scheme_kern = {
    .method = {.name = "kern",
               .doc = "Euler forward in position, backward in velocity, impact law when the new gap is closed; order 1",
               .ref = "Kern (2019), A simple time-stepping scheme for the bouncing ball example"},
    .orders = orders,
    .traits = CAROM_NODAL | CAROM_FOLLOWS_LINKS | CAROM_COMES_IN,
    .laws = CAROM_LAW_SLANTED | CAROM_LAW_PULLS | CAROM_LAW_ALONG | CAROM_LAW_SPEEDS,
    .requests = requests,
    .segments = 1,
    .degree = 2,
    .work_bytes = sizeof(work),
    .layout = layout,
    .step = step,
};
