/* audit.h: a trajectory file is checked against its model alone.
 *
 * audit.c reads the rows one after the other and judges each by itself (rows.c), each pair of rows around a jump
 * (impacts.c), and each interval between two rows by integrating the model over it (flow.c). What the scheme says of
 * itself in the head of the file, tolerances or step, only says how accurate the rows claim to be. */
#ifndef CAROM_AUDIT_H
#define CAROM_AUDIT_H

#include "contact/given_modes.h"
#include "output/output.h"

/* Each rule: its name, and what it says. */
#define CAROM_AUDIT_RULES(X)                                                                                   \
    X(VALUES, "values", "every number is finite, times never decrease, modes are modes")                       \
    X(DERIVED, "derived", "outputs, gaps and energy are those of the model at t, q, v")                        \
    X(JOINTS, "joints", "joints hold: g = 0 and its rate")                                                     \
    X(GAPS, "gaps", "no contact penetrates; closed ones have no gap and no normal velocity")                   \
    X(COMPLEMENTARITY, "complementarity", "open contacts carry no force, impulses act on closed gaps")         \
    X(CONE, "cone", "forces and impulses are in the cone of their law")                                        \
    X(IMPACTS, "impacts", "impulses balance the momentum; contacts part as their restitution says")            \
    X(DISSIPATION, "dissipation", "impacts take energy, and motion gains none where nothing drives it")        \
    X(KINEMATICS, "kinematics", "positions follow from velocities between two rows")                           \
    X(MOMENTUM, "momentum", "velocities follow from forces between two rows")
#define CAROM_AUDIT_NUMBER(id, name, doc) CAROM_AUDIT_##id,
enum { CAROM_AUDIT_RULES(CAROM_AUDIT_NUMBER) CAROM_AUDIT_COUNT };

typedef struct carom_audit_rule {
    const char *name, *doc;
    long checked, skipped, violations;
    bool holds;
    double error, allowed, t; /* where error/allowed is largest */
    char where[80];           /* of what: a coordinate, a contact */
} carom_audit_rule;

typedef struct carom_audit {
    carom_audit_rule rules[CAROM_AUDIT_COUNT], *rule; /* [nrule] the same */
    int nrule;
    long rows, jumps;
    double from, to; /* times */
    bool holds;      /* all of them */
} carom_audit;

/* table: what carom_columns_read made of the file; options: tolerances and step that its rows claim. The model has the
 * parameters of the run. A column that is missing is CAROM_FILE. */
carom_status carom_audit_run(carom_audit *audit, const carom_columns *table, const carom_model *model,
                             const carom_options *options, carom_error *error);
/* Options as the head of the file has them; what it does not tell stays. */
void carom_audit_options(const carom_columns *table, carom_options *options);

/* ---- what the parts share ---- */
typedef struct carom_audit_row { /* one row of the file, in the order of the model */
    double t;
    int side;
    double *q, *v;          /* [nq] [nv] */
    unsigned char *mode;    /* [ncontact] */
    double *force, *impulse; /* [nrow] */
} carom_audit_row;

typedef struct carom_audit_work {
    carom_audit *out;
    const carom_columns *table;
    const carom_model *model;
    const carom_options *options;
    carom_layout layout;
    carom_system system;
    carom_info info;
    carom_error *error;
    int *column;                  /* [columns of the model] in the table; -1: not there */
    int nq_at, nv_at, outputs_at, joint_at, energy_at, *contact_at; /* in column */
    bool gaps;
    carom_audit_row now, next, other, after;
    size_t at;                    /* the row of the file that `now` is */
    carom_found *found;           /* [room] of a model that finds its contacts, see found.c; else NULL */
    int room;
    double *atol, *size, *fastest; /* [nv] of positions: atol; the largest |q| and |v| of the file */
    double speed, step;           /* the largest |v| of all; length of the steps, 0: chosen by tolerances */
    bool located;
    double least_energy;          /* so far, NAN: something drives the motion */
    double *outputs;              /* [noutput] */
    /* flow.c */
    carom_given_modes given;
    carom_link_mode *modes;
    double *xi, *q, *v, *a[4], *rate[4], *force, *end_q, *end_v, *before_q, *before_v, *column_v;
} carom_audit_work;

/* An error that was measured, and what is allowed of it. */
void carom_audit_note(carom_audit_work *w, int rule, double error, double allowed, double t, const char *where);
void carom_audit_skip(carom_audit_work *w, int rule);
/* What is allowed of a gap and of its rate at a row (the system holds G there), and of a velocity. */
double carom_audit_gap(carom_audit_work *w, const carom_link *link);
double carom_audit_rate(carom_audit_work *w, const carom_audit_row *row, const carom_link *link);
double carom_audit_speed(const carom_audit_work *w);
double carom_audit_free(carom_audit_work *w, const carom_audit_row *row); /* |M^-1 F|; M, F, G, laws, gaps evaluated */

/* Of an energy: what each of many bodies may be off by adds up. The largest entry of M's diagonal, or a fifth of their
 * sum, where that is more; M is evaluated. */
double carom_audit_inertia(const carom_audit_work *w);

carom_status carom_audit_one(carom_audit_work *w);    /* w->now */
double carom_audit_motion(carom_audit_work *w);       /* of w->now what does not ask for contacts; |M^-1 F| */
void carom_audit_impact(carom_audit_work *w);         /* w->now before it, w->next after it */
carom_status carom_audit_between(carom_audit_work *w); /* from w->now to w->next */
/* found.c: the most contacts that any row has; and w->now with its own */
int carom_audit_most_found(carom_audit_work *w);
void carom_audit_found(carom_audit_work *w);
void carom_audit_read(const carom_audit_work *w, size_t k, carom_audit_row *row); /* row k of the file */
void carom_audit_flow_layout(carom_layout *layout, carom_audit_work *w);

#endif
