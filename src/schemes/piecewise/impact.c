/* impact.c: the impact at the end of a step.
 *
 *   J = hit + closed + { open: g <= 64 eps L, u < 0 }                                                      (1)
 *   v+ from v- on J by the rule that the model asks for (contact/rules.c)                                  (2)
 *
 * Where |J| > 1 another rule is evaluated, too: by how much they differ is part of the result
 * (carom_info.law_difference). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "schemes/piecewise/piecewise.h"

const carom_impact_rule *const carom_tol_rules[] = {&carom_rule_simultaneous, &carom_rule_sequential,
                                                    &carom_rule_poisson, NULL};

/* (1) */
static int gather(carom_step *s, carom_tol *w, int hit)
{
    const carom_system *sys = s->system;
    const carom_end *e = &w->end;
    double length = 1 + carom_norm_max(sys->nq, e->q);
    int n = 0;
    for (int i = 0; i < sys->nlink; i++) {
        int k = i - sys->njoint;
        if (k >= 0 && !carom_law_can(sys->link[i].law, CAROM_OPEN))
            continue;
        if (k < 0 || k == hit || w->modes[k].mode != CAROM_OPEN ||
            (e->g[i] <= 64 * DBL_EPSILON * length && e->u[sys->link[i].row] < 0))
            w->struck[n++] = i;
    }
    return n;
}

/* The velocities by the rule that the model asks for, and how far the other of the first two is from them: what
 * several contacts do at once is a convention. */
static carom_status solve(carom_step *s, carom_tol *w, int n, double *v_new)
{
    const carom_system *sys = s->system;
    const carom_impact_rule *rule = carom_impact_rule_of(sys->model);
    const carom_impact_rule *other = rule->throws ? &carom_rule_simultaneous : &carom_rule_sequential;
    double difference = 0;
    carom_error ignored;
    carom_collision x = {.contacts = s->contacts, .system = s->system, .t = s->now->t + w->end.x, .n = n,
                         .links = w->struck, .v = w->end.v, .now = &w->still, .rest = carom_tol_rest(s, w->end.v),
                         .small = carom_tol_small(s), .v_new = w->probe.a, .error = &ignored};
    bool compared = n > sys->njoint + 1 && other->resolve(&x) == CAROM_OK;
    x.v_new = v_new, x.error = s->error;
    CAROM_TRY(rule->resolve(&x));                                                      /* (2) */
    for (int i = 0; compared && i < sys->nv; i++)
        difference = CAROM_MAX(difference, fabs(v_new[i] - w->probe.a[i]));
    if (compared)
        carom_stage_laws(s->stage, x.t, difference);
    return CAROM_OK;
}

carom_status carom_tol_impact(carom_step *s, carom_tol *w, int hit)
{
    carom_system *sys = s->system;
    carom_contacts *c = s->contacts;
    carom_end *e = &w->end;
    double t = s->now->t + e->x, rest = carom_tol_rest(s, e->v);
    int n = gather(s, w, hit);
    memset(c->P, 0, sizeof(double) * (size_t)sys->nrow);
    carom_system_eval(sys, CAROM_MASS | CAROM_JACOBIAN | CAROM_LAW, t, e->q, e->v);
    CAROM_TRY(carom_mass_factor(sys, t, s->error));
    CAROM_TRY(solve(s, w, n, w->shift_v));                                                       /* (2) */
    if (s->stage->account) {
        memset(c->hit, 1, (size_t)(sys->nlink - sys->njoint));
        carom_contact_account(c, sys, 0, t, e->q, e->v, e->v, w->shift_v, s->stage);
    }
    for (int k = sys->njoint; k < n; k++) {
        const carom_link *link = &sys->link[w->struck[k]];
        int i = link->contact;
        if (c->u_before[link->row] < -rest || (carom_impact_rule_of(sys->model)->throws && c->P[link->row] > 0)) {
            carom_stage_contact(s->stage, CAROM_EVENT_IMPACT, s->next->t, link, c->u_before, c->u_after, c->P);
            w->modes[i].impacts++;
        }
        if (c->u_after[link->row] > rest)
            w->modes[i].mode = CAROM_OPEN;
        else if (w->modes[i].mode == CAROM_OPEN)
            w->modes[i].mode = CAROM_CLOSED; /* to be decided */
    }
    carom_copy(sys->nv, w->shift_v, e->v);
    return CAROM_OK;
}
