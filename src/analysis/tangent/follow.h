/* follow.h: what a tangent is made of, and what it does at the segments and events of its simulation. */
#ifndef CAROM_TANGENT_FOLLOW_H
#define CAROM_TANGENT_FOLLOW_H

#include "analysis/tangent/tangent.h"
#include "sim/sim.h"

typedef struct carom_group {    /* contacts struck at the same instant */
    int count, *order;          /* [ncontact] which, in the order of a column */
    double *when;               /* [ncontact] derivatives of their times for a column */
    double *dt;                 /* [ncontact*n] for all */
    double *x, *other, *dp;     /* [2*nv] [2*nv] [np] a column, in its order and against it */
    double *v, *v_new, *v_other; /* [nv] */
    carom_link_mode *modes, *next, *jump;     /* [ncontact] */
    double *e;                                /* [ncontact] */
} carom_group;

struct carom_tangent {
    carom_sim *sim;
    bool exact;             /* the scheme: many segments per step, with their modes; else one, whose modes it tells */
    int n;                      /* columns */
    carom_system system;        /* of its own: what it evaluates does not disturb the simulation */
    carom_info info;            /* of that system */
    carom_flow flow;
    carom_saltation saltation;
    carom_group group;          /* count > 0: the last event was one of several contacts */
    double *X, *dp, *dt;        /* [2*nv*n] [np*n] [n] */
    bool parameters;            /* dp is not 0 */
    carom_link_mode *modes;       /* [ncontact] along the segment */
    carom_link_mode *modes_after; /* [ncontact] after the event */
    carom_link_mode *modes_jump;  /* [ncontact] of the impact */
    double *e;                  /* [ncontact] of the impact */
    /* [nswitch] of the forces along the segment; [1+2*nv+np] of the function where one changes */
    double *branch, *slope;
    bool branched;              /* they are known */
    double swallowed;           /* velocity of bounces that a simulation ended, in the present event */
    double *q, *v;              /* [nq] [nv] before an event without a jump */
    double *u_after;            /* [nrow] of an impact */
    double *u, *u_start;        /* [nrow] rates of gaps now; at the start of the segment, */
    bool rates;                 /* if they are known */
    double *a, *force;          /* [nv] [nrow] */
    double step;                /* a time in which forces change little: the segments are about as long */
    int njump;                  /* of the present step, met so far */
    carom_tangent_info report;
    char note[200];
    carom_tangent_watch *watch;
    void *user;
    carom_error error;          /* CAROM_OK: all has been followed */
    carom_layout layout;        /* the block that all of this lives in */
};

void carom_tangent_modes(const carom_tangent *tangent, carom_link_mode *modes); /* [ncontact] at the present state */

/* events.c */
/* The rule of impacts that is not Newton's law even for one contact; else NULL. */
static inline const carom_impact_rule *carom_tangent_rule(const carom_tangent *tangent)
{
    const carom_impact_rule *rule = carom_impact_rule_of(tangent->sim->model);
    return rule->single ? rule : NULL;
}
carom_status carom_tangent_impact(carom_tangent *tangent, const carom_jump *jump);
/* The end of a segment without a jump: slip that ends or reverses; state before in tangent->q, v. */
carom_status carom_tangent_transition(carom_tangent *tangent, double t);
void carom_tangent_flag(carom_tangent *tangent, unsigned flag, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
double carom_tangent_scale(const carom_tangent *tangent); /* what the tolerance makes of positions */
double carom_tangent_rest(const carom_tangent *tangent, const double *v); /* a velocity that is 0 but for rounding */

/* group.c: the columns through a jump of several contacts, as sorted by events.c. */
void carom_group_layout(carom_layout *layout, carom_group *group, const carom_system *system, int n);
carom_status carom_tangent_group(carom_tangent *tangent, const carom_jump *jump);

/* forces.c: a contact opens, or begins to slip, at the end of a segment: times of the event into tangent->dt. */
carom_status carom_tangent_force_event(carom_tangent *tangent, double t, int contact, bool opens);

/* switch.c: the start of a segment on other branches of the forces. */
carom_status carom_tangent_switch(carom_tangent *tangent, const carom_segment *segment);

/* gaps.c: how close the segment came to an impact that did not happen. */
carom_status carom_tangent_gaps(carom_tangent *tangent, const carom_segment *segment);
void carom_tangent_near(carom_tangent *tangent, double radius, double t, int contact);

/* project.c: the columns onto dg = 0, du = 0 of the joints and of what the modes hold. */
carom_status carom_tangent_project(carom_tangent *tangent, double t, const double *q, const double *v,
                                   const carom_link_mode *modes);

#endif
