/* found.c: rows of a model that finds its contacts while it moves. The file holds no forces of them, and what they did
 * between two rows is not known: of each row gaps, joints, values and energy are judged, with the contacts that the
 * model finds there; complementarity, cones, impacts, kinematics and momentum cannot be told. */
#include <math.h>

#include "output/audit/audit.h"

/* All contacts that are closed at a row: what touches may have a gap that is 0 but for rounding. */
static int find(carom_audit_work *w, const carom_audit_row *row)
{
    const carom_model *m = w->model;
    const carom_system *sys = &w->system;
    const carom_point at = {row->t, row->q, row->v, sys->p, m->user, sys->model, sys->evaluator_work};
    return m->links(&at, 1e-12 * (1 + carom_norm_max(sys->nq, row->q)), w->found, w->room);
}

int carom_audit_most_found(carom_audit_work *w)
{
    int most = 0;
    w->system.evaluator->begin(w->system.model, 1, w->system.p, w->system.evaluator_work);
    for (size_t k = 0; k < w->table->nrow; k++) {
        carom_audit_read(w, k, &w->next);
        if (carom_all_finite(w->model->nq, w->next.q))
            most = CAROM_MAX(most, find(w, &w->next));
    }
    return most;
}

void carom_audit_found(carom_audit_work *w)
{
    static const int never[] = {CAROM_AUDIT_COMPLEMENTARITY, CAROM_AUDIT_CONE, CAROM_AUDIT_IMPACTS,
                                CAROM_AUDIT_KINEMATICS, CAROM_AUDIT_MOMENTUM};
    carom_system *sys = &w->system;
    const carom_audit_row *row = &w->now;
    carom_system_links(sys, w->found, CAROM_MIN(find(w, row), w->room));
    carom_system_begin(sys, row->t, row->q, row->v);
    carom_audit_motion(w);
    for (int i = sys->njoint; i < sys->nlink; i++) {
        const carom_link *link = &sys->link[i];
        carom_audit_note(w, CAROM_AUDIT_GAPS, fmax(0, -sys->at.g[i]), carom_audit_gap(w, link), row->t, link->name);
    }
    if (sys->nlink == sys->njoint)
        carom_audit_note(w, CAROM_AUDIT_GAPS, 0, 1, row->t, "");
    for (int i = 0; i < CAROM_COUNT(never); i++)
        carom_audit_skip(w, never[i]);
}
