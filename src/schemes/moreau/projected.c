/* projected.c: Moreau's time-stepping with the positions projected on the constraints.
 * Source: V. Acary, INRIA RR-7151 (2009), equations (19a)-(19f).
 *
 *   velocities: (1)-(7) of moreau_jean.c                                              (19a), (19c), (19d), (19f)
 *   q* = q + h v_th                                                                                            (1)
 *   q' = q* + M(q*)^-1 G(q')^T tau                                                    (19b)                    (2)
 *   contacts 0 <= g(t', q')  _|_  tau >= 0,   joints g(t', q') = 0                    (19e)                    (3)
 *
 * No penetration at the nodes (to rounding: 1e-15 of the coordinates, for curved gaps too), O(h) or O(h^2) between
 * them: the dense output ends at the projected node.
 * How it differs from the paper: tau goes through M^-1, so that (2) is the nearest admissible position in the metric
 * of the kinetic energy: it does not depend on the choice of coordinates or units, and moves bodies as impulses do
 * (two balls pressed apart keep their centre of mass). G is taken at q', where the constraint holds, and (2) follows
 * (1) instead of being solved together with the velocities, which see q_th of the motion without tau. Joints are in
 * the same projection. And no impact is late: if a contact that (19f) leaves out is closed at q*, the velocities are
 * solved again with it. Lifting a body out of a contact that its velocity has not felt gives it energy, m |a| h |u|
 * for an impact at velocity u under the acceleration a; the ball would bounce for ever at u = O(e h a/(1 - e)).
 * `catch` = 0 is the printed scheme, which does. Order 2 in smooth motion for theta = 1/2, else 1; 1 through impacts
 * (in L1 of v; none in the maximum norm). Energy: velocities are those of moreau-jean and so is their balance. The
 * projection adds E(q', v') - E(q*, v') = -F . (q' - q*) to first order, accounted for as work of constraints; q* is
 * left of the contact by at most (1 - e) h |u|/2 (theta = 1/2): less than the impact takes unless |u| < h a/(1 + e),
 * so a step gains m (h a)^2 at most. Elastic impacts (theta = 1/2) are not projected at all: they keep the energy to
 * rounding. A body at rest may hover, a h^2/2 for a ball: closer than it would fall in a step. */
#include "core/dense.h"
#include "schemes/moreau/moreau_jean.h"

enum { CATCH = 3 }; /* after theta, gamma and forecast */
static const carom_field fields[] = {
    {"theta", CAROM_FIELD_DOUBLE, 0.5, 0, 1, NULL, "implicitness: 0 explicit, 1/2 midpoint, 1 implicit"},
    {"gamma", CAROM_FIELD_DOUBLE, 0.5, 0, 1, NULL, "how far ahead the gap is predicted, in steps"},
    {"forecast", CAROM_FIELD_ENUM, 0, 0, 0, "linear gap",
     "what is predicted: the gap as it changes now, or the gap at the position ahead"},
    {"catch", CAROM_FIELD_BOOL, 1, 0, 1, NULL,
     "contacts that would be closed after the step take part in it: no impact is late"},
    {0},
};
static const unsigned requests[] = {
    CAROM_GAP,
    CAROM_GAP | CAROM_JACOBIAN,
    CAROM_LAW,
    CAROM_MASS | CAROM_FORCE,
    CAROM_MASS | CAROM_FORCE | CAROM_JACOBIAN,
    CAROM_JACOBIAN | CAROM_MASS,
    CAROM_JACOBIAN,
    CAROM_R_Q | CAROM_R_V,
    0,
};

typedef struct work {
    carom_moreau_work velocity;
    carom_projection projection;
} work;

static void layout(carom_layout *layout, const carom_system *system, void *work_of_step)
{
    work *w = work_of_step;
    carom_moreau_layout(layout, system, &w->velocity);
    carom_projection_layout(layout, &w->projection, system);
}

static double energy(carom_step *s, const double *q)
{
    carom_system_eval(s->system, CAROM_ENERGY, s->next->t, q, s->next->v);
    return s->system->at.energy[0] + s->system->at.energy[1];
}

static carom_status step(carom_step *s)
{
    work *w = s->work;
    bool hit, moved;
    w->velocity.catches = s->field[CATCH] != 0;
    CAROM_TRY(carom_moreau_velocity(s, &w->velocity, &hit));                                          /* (1) */
    if (s->system->nlink == 0)
        return carom_step_finish(s, hit);
    CAROM_TRY(carom_contact_project_gaps(&w->projection, s->contacts, s->system, s->next->t, s->next->q, s->next->v,
                                         &moved, s->error)); /* (2), (3) */
    if (moved && s->record->account)
        s->record->work_constraints += energy(s, s->next->q) - energy(s, w->projection.q_free);
    return carom_step_finish(s, hit);
}

const carom_scheme carom_scheme_moreau_projected = {
    .method =
        {.name = "moreau-jean-projected",
         .doc =
             "Moreau's time-stepping, positions projected on the constraints: no penetration at the nodes; order 2 "
             "between "
             "impacts (theta = 1/2), 1 through them",
         .ref = "Acary (2009), INRIA RR-7151, (19)",
         .fields = fields},
    .orders = carom_moreau_orders,
    .traits = CAROM_NODAL | CAROM_FOLLOWS_LINKS,
    .laws = CAROM_LAW_SPEEDS,
    .requests = requests,
    .segments = 1,
    .degree = 2,
    .work_bytes = sizeof(work),
    .layout = layout,
    .step = step,
};
