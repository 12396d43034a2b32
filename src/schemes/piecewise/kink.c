/* kink.c: what happens to closed contacts where their gap changes its branch (abs, min, max, if, tables of kind
 * linear).
 *
 * At the bound of two branches the normal turns at once, and the gap itself may jump. With g and u = G v + w of the
 * new branch:
 *   u < 0            it runs into what lies ahead: an impact by the law of the contact, on the new normal        (1)
 *   u > 0 or g > 0   what carried it falls away: it opens                                                        (2)
 *   g < 0            no motion leads on: the run ends, and says so                                               (3)
 *   both branches lead back to the bound: the corner of a notch holds it. A gap has one normal, a corner two: the run
 *   ends
 *   there, and names the contact, which can be written as two                                                    (4)
 * (1) and (2) are steps of no length. */
#include <math.h>

#include "schemes/piecewise/piecewise.h"

static bool at_a_bound(const carom_switches *w)
{
    for (int i = 0; i < w->n; i++)
        if (w->state[i] == CAROM_SWITCH_AT_LOW || w->state[i] == CAROM_SWITCH_AT_HIGH)
            return true;
    return false;
}

carom_status carom_tol_kink(carom_step *s, carom_tol *w, bool *ends, carom_cause *cause, int *contact)
{
    const carom_system *sys = s->system;
    const carom_end *e = &w->start;
    double small_g = 1e-10 * (1 + carom_norm_max(sys->nq, e->q)), small_u = 1e-9 * (1 + carom_norm_max(sys->nv, e->v));
    *ends = false, *cause = CAROM_CAUSE_NONE;
    if (!at_a_bound(&w->switches) || sys->nlink == sys->njoint)
        return CAROM_OK;
    CAROM_TRY(carom_tol_measure(s, w, &w->start));
    for (int c = 0; c < sys->nlink - sys->njoint; c++) {
        int i = sys->njoint + c;
        double g = e->g[i], u = e->u[sys->link[i].row];
        if (g < -small_g)
            CAROM_FAIL(s->error, CAROM_NO_SOLUTION,
                       "tolerance: the gap of contact '%s' changes its branch at t = %.10g and is %.3g there: it "
                       "jumps below 0",
                       sys->link[i].name, s->now->t, g);                                         /* (3) */
        if (w->modes[c].mode == CAROM_OPEN || (g <= small_g && fabs(u) <= small_u))
            continue;
        w->modes[c].mode = CAROM_OPEN;                                                            /* (2) */
        *ends = true;
        if (g <= small_g && u < 0)
            *cause = CAROM_CAUSE_GAP, *contact = c;                                              /* (1) */
    }
    if (!*ends)
        return CAROM_OK;
    if (*cause == CAROM_CAUSE_NONE)
        CAROM_TRY(carom_tol_decide(s, w, s->now->t, e->q, e->v));
    carom_tol_copy(sys, e, &w->end);
    s->h_next = s->h;
    return carom_tol_measure(s, w, &w->end);
}

carom_status carom_tol_held(carom_step *s, carom_tol *w, int i)
{
    carom_system *sys = s->system;
    const carom_end *e = &w->start;
    int nv = sys->nv;
    double *d = &w->switches.d[i], low = *d, most = 0;
    carom_system_eval(sys, CAROM_JACOBIAN, s->now->t, e->q, e->v);
    for (int k = sys->njoint; k < sys->nlink; k++) /* the normals of the lower branch, at the places of gaps */
        carom_row_copy(sys, sys->link[k].row, w->given.equations.Y + k * nv);
    *d = w->switches.other[i];
    carom_system_eval(sys, CAROM_JACOBIAN, s->now->t, e->q, e->v);
    *d = low;
    for (int k = sys->njoint; k < sys->nlink; k++) {
        const double *before = w->given.equations.Y + k * nv;
        double *G = w->shift_v;
        carom_row_copy(sys, sys->link[k].row, G);
        for (int j = 0; j < nv; j++)
            most = CAROM_MAX(most, fabs(G[j] - before[j]));
        if (w->modes[k - sys->njoint].mode != CAROM_OPEN && most > 1e-9 * (1 + carom_norm_max(nv, G)))
            CAROM_FAIL(s->error, CAROM_UNSUPPORTED,
                       "tolerance: contact '%s' is held at a kink of its gap at t = %.10g: a corner with two normals; "
                       "write it as two "
                       "contacts", sys->link[k].name, s->now->t);                                /* (4) */
        most = 0;
    }
    return CAROM_OK;
}
