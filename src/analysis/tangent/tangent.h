/* tangent.h: the parts of the tangent flow: the linearised equations of given modes, the one rule for events, the
 * flow. */
#ifndef CAROM_TANGENT_H
#define CAROM_TANGENT_H

#include "carom_analysis.h"
#include "contact/given_modes.h"
#include "contact/rules.h"
#include "contact/system.h"

/* ---- linear.c: M dy - G^T dx = c,  L dy + C dx = d  for the rows of given modes ------------------------- */
typedef struct carom_linear {
    carom_system *system;   /* one of its own, with room for CAROM_LINEAR_WANT */
    carom_equations e;      /* every row along which the modes allow a force; K = L M^-1 G^T + C */
    int rank;               /* equations that are independent */
    int *normal;         /* [nrow] of a tangential row that slips: the equation of its normal; -1: a row that is held */
    double *slope;          /* [nrow] of a tangential row that slips: mu s_j */
    double *L;              /* [nrow*nv] */
    double *inverse, *copy; /* [nrow*nrow] the pseudo-inverse of K */
} carom_linear;
static inline const carom_link *carom_linear_link(const carom_linear *linear, int equation)
{
    return &linear->system->link[linear->e.link[equation]];
}

enum {
    CAROM_LINEAR_WANT = CAROM_MASS | CAROM_FORCE | CAROM_GAP | CAROM_JACOBIAN | CAROM_GAMMA | CAROM_LAW | CAROM_R_Q |
                        CAROM_R_V | CAROM_R_P | CAROM_U_Q | CAROM_U_P | CAROM_A_Q | CAROM_A_V | CAROM_A_P
};

void carom_linear_layout(carom_layout *layout, carom_linear *linear, carom_system *system);
/* Tapes for everything that the tangent evaluates. Before carom_system_layout. */
carom_status carom_linear_prepare(const carom_model *model, carom_error *error);
/* The rows of the modes, where the system holds a factored M, G and the law; add to L, then close. */
void carom_linear_rows(carom_linear *linear, const carom_link_mode *modes);
void carom_linear_close(carom_linear *linear);
/* c [nv] becomes dy, d [m] becomes dx. */
void carom_linear_solve(carom_linear *linear, double *c, double *d);

/* ---- saltation.c: one rule for every event --------------------------------------------------------------------- */
typedef enum carom_surface { /* the function that vanishes at the event */
    CAROM_SURFACE_GAP,       /* of a contact */
    CAROM_SURFACE_SLIP       /* direction_before . u_t of a contact */
} carom_surface;

typedef struct carom_instant {           /* an event: arrays are the caller's */
    double t;
    const double *q, *v_before, *v_after;
    carom_surface surface;
    int contact;                         /* whose surface it is */
    const carom_link_mode *before, *after; /* [ncontact] of the motion until then, and from then on */
    const carom_link_mode *jump; /* [ncontact] which contacts are struck or held, and how; NULL: v is continuous */
    const double *e;                     /* [ncontact] u_n+ = -e u_n- of those that are in the jump; 0: closed */
    double step;                         /* a time in which forces change little (of differences in t) */
    const carom_impact_rule *rule;       /* that is not Newton's law in what is struck: saltation_rule.c; else NULL */
} carom_instant;

typedef struct carom_saltation { /* memory of the rule */
    carom_linear linear;
    carom_given_modes given;
    double *a_before, *a_after;  /* [nv] */
    double *force;               /* [nrow] */
    double *P, *dv;              /* [nrow] [nv] of the jump */
    double *u_before;            /* [nrow] */
    double *U_t, *U_t_after;     /* [nrow] partial derivatives of u by time, with v before and after */
    double *U_q, *U_p;           /* [nrow*nv] [nrow*np] with v before */
    double *R_t;                 /* [nv] */
    double *law_t, *law_q, *law_v, *law_p; /* [nlaw] [nlaw*nv] [nlaw*nv] [nlaw*np] */
    double *g_p;                 /* [nlink*np] */
    double *c, *d, *x, *turn;    /* [nv] [nrow] [nrow] [nrow] */
    carom_link_mode *modes;      /* [ncontact] */
    double *Dq, *Dv, *law;       /* [nv] [nv] [nlaw]: the direction (dt, Dq, Dv, dp) at the event */
    double *moved;               /* [nq] of differences */
    double *A;                   /* [nv*nv] dv+/dv- of spatial slip */
    int *pivot;                  /* [nv] */
    double *p, *value;           /* [np] [nlink+nlaw] of differences */
    void *spare;                 /* an evaluator's memory for other parameters */
    carom_contacts contacts;     /* saltation_rule.c: */
    carom_state still;           /* all contacts open */
    int *links;                  /* [nlink] */
    double *v_rule, *low;        /* [nv] */
    double mismatch;             /* out: |v+ as reconstructed - v_after|, relative */
    double rate;                 /* out: hd, and with f+ */
    double rate_after;
    double log_det;              /* out: ln|det S|; -INFINITY where directions are lost */
    int lost;                    /* out: directions missing after the event: dimension of its image is 2 nv - lost */
} carom_saltation;

void carom_saltation_layout(carom_layout *layout, carom_saltation *saltation, carom_system *system);
/* Derivatives of gaps and laws by the parameters into g_p and law_p, at (t, q): laws that depend on parameters alone
 * need it once, others and gaps at every event. */
void carom_saltation_parameters(carom_saltation *saltation, double t, const double *q, const double *v);
/* saltation_partial.c: law_t, law_q and law_v where laws depend on more than parameters; R_t = M_t (v+ - v-) - G_t^T P
 * of the jump dv, P, which spoils U_q and gamma of the system. */
void carom_saltation_laws(carom_saltation *saltation, const carom_instant *at);
/* Where laws depend on approach and slip they have kinks at 0: a step of differences, at most h, that stays on this
 * side of them, along which velocities of rows change by du[r*n+j]; NULL: by G_rj. The system holds G and w. */
double carom_law_step(const carom_system *system, const double *v, const double *du, int n, int j, double h);
/* Laws by the velocity j, at (t, q, v): out [nlaw], entries nv apart. `moved` [nv]; the system holds G and w. */
void carom_law_by_velocity(carom_system *system, double t, const double *q, const double *v, int j, double *moved,
                           double *out);
void carom_saltation_residual(carom_saltation *saltation, const carom_instant *at);
/* saltation_rule.c: the velocities after an impact by at->rule, and Dv of a column through it: (dt, Dq, Dv, dp). */
carom_status carom_saltation_rule_velocity(carom_saltation *saltation, const carom_instant *at, double *v_after,
                                           carom_error *error);
carom_status carom_saltation_rule_column(carom_saltation *saltation, const carom_instant *at, double dt,
                                         const double *dp, int n, carom_error *error);
/* The velocities after the jump of an event, from those before it. */
carom_status carom_saltation_velocity(carom_saltation *saltation, const carom_instant *at, double *v_after,
                                      carom_error *error);
/* X [2*nv*n] before becomes X after; dp [np*n] or NULL; dt [n] the derivative of the event's time. A rate hd of 0 is
 * CAROM_NOT_FINITE: the event has no derivative. */
carom_status carom_saltation_apply(carom_saltation *saltation, const carom_instant *at, int n, double *X,
                                   const double *dp, double *dt, carom_error *error);

/* ---- flow.c: along a segment ---------------------------------------------------------------------------- */
enum { CAROM_FLOW_NODES = 3 };
typedef struct carom_flow {
    carom_linear linear;
    carom_given_modes given;
    double *a, *force;           /* [nv] [nrow] */
    double *q, *v;               /* [nq] [nv] at a node */
    double *a_q, *a_v;           /* [nodes*nv*nv] */
    double *b;                   /* [nodes*nv*n] what dp adds to the accelerations */
    double *matrix, *right;      /* [(nodes*nv)^2] [nodes*nv]; twice as many rows if positions are no vectors */
    int *pivot;
    double *c, *d;               /* [nv] [nrow] */
    double *term, *sum, *x;      /* [2*nv] */
    double *law_q, *law_v;       /* [nlaw*nv] */
    double *moved;               /* [nq] of its differences */
    double *bracket;             /* [nodes*nv*nv] if positions are no vectors: d xi' = dv + bracket d xi */
    double *along;               /* [2*nrow+nlaw] */
    int v_degree;                /* of the velocities along the segment, */
    const double *v_powers;      /* [(v_degree+1)*nv] those of the segment, or cubic [4*nv] */
    double *cubic;
    double *from, *last;         /* [2*nv*n] columns at the start of the segment; at its end, by fewer pieces */
    const double *v_here;        /* [nv] of the point */
    carom_saltation *laws;       /* whose law_p is handed over: asked anew where laws depend on more than parameters */
    bool linear_motion;          /* the scheme vouches that G does not change along a segment */
    double log_det;              /* out: integral of the trace of a_v */
} carom_flow;
void carom_flow_layout(carom_layout *layout, carom_flow *flow, carom_system *system, int n);
/* X over the segment in these modes; law_p [nlaw*np] of parameters; tol: relative accuracy wanted. */
carom_status carom_flow_segment(carom_flow *flow, const carom_segment *segment, carom_link_mode *modes, int n,
                                double *X, const double *dp, const double *law_p, double tol,
                                carom_error *error);
/* The linearised accelerations at a point: a_q, a_v [nv*nv] and b [nv*n]; fixed, a and force hold the motion there. */
carom_status carom_flow_point(carom_flow *flow, double t, const double *q, const double *v, int n, const double *dp,
                              const double *law_p, double *a_q, double *a_v, double *b, carom_error *error);
/* does friction change with q or v in these modes? */
bool carom_flow_turns(const carom_flow *flow, const carom_link_mode *modes);
/* At the point of the last call of it: the change of the forces [nrow] along a column (x, dp), entries n apart. */
void carom_flow_forces(carom_flow *flow, const double *x, const double *dp, int n, const double *law_p, double *dforce);

/* ---- forces.c: slope [n] of the force along a row at the present state, with what the contacts do there ---- */
carom_status carom_tangent_reaction(carom_tangent *tangent, int row, double *slope, carom_error *error);

#endif
