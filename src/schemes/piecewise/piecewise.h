/* piecewise.h: the motion in pieces from event to event, shared by the schemes `tolerance` and `mixed`.
 *
 * A step begins at w->start in modes that hold. It is tried in these modes (runge_kutta.c, and stiff.c where the forces
 * are), shortened to where a force or a gap changes its branch (switches.c), then to its first event, located by
 * repeating the trial with other lengths (events.c): that is w->end, `probe` holds the trials in between. There the
 * positions and velocities are projected on what the modes hold, and what happens is decided (modes.c): an impact, new
 * modes, the end of an accumulation of impacts (freeze.c, settle.c).
 * tolerance.c puts it together and chooses the steps; mixed.c drives it over steps of constant length, if asked for
 * with a step of another scheme around each impact (critical.c). */
#ifndef CAROM_PIECEWISE_H
#define CAROM_PIECEWISE_H

#include "contact/given_modes.h"
#include "contact/painleve.h"
#include "contact/prestress.h"
#include "contact/rules.h"
#include "contact/scale.h"
#include "schemes/scheme.h"
#include "core/tableau.h"

enum { CAROM_STAGES = 7 };

typedef struct carom_end { /* a point of the motion in the present modes */
    double x;              /* time since the start of the step */
    double *q, *v, *a;     /* [nq] [nv] [nv] */
    double *force;         /* [nrow] */
    double *g;             /* [njoint+ncontact] */
    double *u, *udot;      /* [nrow] G v + w and G a + gamma */
    double *margin;        /* [ncontact] of contacts that are found */
} carom_end;

typedef struct carom_rk_stages { /* the equations of implicit stages */
    double *a_q, *a_v;        /* [stages*nv*nv] gradients of the acceleration */
    double *matrix, *change;  /* [stages*nv]^2, [stages*nv] */
    double *column;           /* [nv] */
    carom_kept_lu newton, estimate; /* [stages*nv] of Newton's method; [nv] of the error estimate */
    double rate;    /* in: what is left after one iteration, over its change, as in the step before; out: in this one */
} carom_rk_stages;

/* Where f is: between the bounds of its branch, at one of them, held at the border of two. */
enum { CAROM_SWITCH_INSIDE, CAROM_SWITCH_AT_LOW, CAROM_SWITCH_AT_HIGH, CAROM_SWITCH_SLIDES };
enum { CAROM_SWITCH_SAMPLES = 16 };
typedef struct carom_switches { /* branches of the forces, frozen during a step; n = 0: there are none */
    int n, crossed, side;       /* the switch that ends the step (-1: none) and where it leaves its branch */
    double x;                   /* when, since the start of the step */
    bool changed;               /* one had left its branch at the start, beside what the last step ended at */
    double *d, *state, *flips, *other, *noise, *clock; /* [n] five times, [2]: in the scheme's memory */
    double *low, *high, *start; /* [n] bounds of the branches, f at the start */
    double *sample;             /* [(samples+1)*n] */
} carom_switches;

enum { CAROM_DIP_PLACES = 16 };
typedef struct carom_dips { /* gaps along a step, events.c */
    double *g, *u;          /* [(places+2)*nlink] and their rates, at its places, and at one more */
    double x;               /* length of the step they belong to; -1: none */
} carom_dips;

/* What is remembered beside the modes: whether they have been decided, steps of no length in a row, the time of the
 * last impact, the time that the next step lets pass for bounces to end (0: it is one like others). */
enum { CAROM_TOL_DECIDED, CAROM_TOL_STALLS, CAROM_TOL_STRUCK, CAROM_TOL_SETTLES, CAROM_TOL_COUNTERS };
enum { CAROM_COLLAPSE = 300 }; /* events at one instant: impacts among them are without end */
extern const struct carom_impact_rule *const carom_piecewise_rules[]; /* that these schemes know */

typedef struct carom_piecewise { /* the work of a step */
    const carom_tableau *tableau;        /* of the trials; NULL: Dormand and Prince's pair */
    bool constant;                       /* steps of constant length, without error control; */
    double full;                         /* which */
    double critical;                     /* length of a step of Moreau and Jean around an impact; 0: none, */
    int closing;                         /* and the contact that is hit in it next; -1: none */
    double asked_rtol;                   /* the tolerances that the run was asked for; they tell its units */
    const double *asked_atol;            /* [nv] */
    bool watches;                        /* for stiffness */
    carom_rk_stages stages;                /* of an implicit one */
    carom_given_modes given;
    carom_switches switches;
    carom_painleve_work painleve;
    carom_prestress prestress;
    carom_dips dips;
    struct { double low, high; } lost;   /* shares of forces were, in this step: between; high < 0: they are not */
    bool sharp;                          /* friction at its limit slides by the least rate that is seen */
    carom_link_mode *modes_before;       /* [ncontact] while they are decided anew */
    carom_link_mode *modes_struck;       /* [ncontact] after the impact whose accumulations are ended */
    int nstruck, *struck;                /* [nlink] links of an impact */
    carom_scale *scale;                  /* [nlink] at the start, and at the end where something happens */
    carom_link_mode *modes;              /* [ncontact] at the end of the step; begin as those of the state */
    double *kv[CAROM_STAGES], *ka[CAROM_STAGES]; /* [nv] stages: velocities, accelerations, */
    double *kx[CAROM_STAGES];            /* rates of the local coordinates: kv itself if positions are vectors */
    double *xi, *xi_rate, *xi_bend;      /* [nv] local coordinates of the end of a step around its start, of kv too */
    double *size;                        /* [nv] what rtol refers to */
    double *gross;                       /* [nv] |M^-1 F| + what each contact adds, where modes were judged last */
    double *stage_force[CAROM_STAGES];   /* [nrow] forces at the stages of the accepted step */
    double *mean;                        /* [nrow] the mean force of it, if it was implicit: */
    bool averaged;
    double kept;                         /* its length, */
    double node[CAROM_STAGES];           /* where they are, */
    int watched;                         /* those at 1 .. watched-1 */
    carom_end start, end, probe;         /* start of the step; its end so far; a shorter trial */
    double *shift_q, *shift_v, *force;   /* [nq] [nv] [nrow] scratch of whoever works: nothing is kept in them */
    unsigned char *mode;                 /* [ncontact] for the blocks of src/contact */
    carom_state still;                   /* the state handed to the impact: all contacts open, so that mu holds */
} carom_piecewise;

struct carom_moreau_work; /* moreau/moreau_jean.h */

/* What an event is, and of which contact. */
typedef enum carom_cause {
    CAROM_CAUSE_NONE, CAROM_CAUSE_GAP, CAROM_CAUSE_FORCE, CAROM_CAUSE_STICK, CAROM_CAUSE_SLIP_END,
    CAROM_CAUSE_MARGIN /* a contact that was found ends: others are looked for before the next step */
} carom_cause;

#define CAROM_TOL_KAPPA 0.1 /* the part of the tolerance that one step, or one simplification, may use up */

/* The masks that the core evaluates, whichever scheme drives it. */
#define CAROM_PIECEWISE_REQUESTS                                                                             \
    CAROM_MASS | CAROM_FORCE, CAROM_MASS | CAROM_FORCE | CAROM_JACOBIAN | CAROM_GAMMA,                       \
        CAROM_MASS | CAROM_FORCE | CAROM_JACOBIAN | CAROM_GAMMA | CAROM_LAW,                                 \
        CAROM_MASS | CAROM_FORCE | CAROM_GAP | CAROM_JACOBIAN | CAROM_GAMMA,                                 \
        CAROM_MASS | CAROM_FORCE | CAROM_GAP | CAROM_JACOBIAN | CAROM_GAMMA | CAROM_LAW,                     \
        CAROM_JACOBIAN | CAROM_GAMMA | CAROM_LAW, CAROM_GAP | CAROM_JACOBIAN,                                \
        CAROM_MASS | CAROM_JACOBIAN | CAROM_LAW, CAROM_R_Q | CAROM_R_V,                                      \
        CAROM_R_Q | CAROM_R_V | CAROM_A_Q | CAROM_A_V

/* Are the contacts of a step those that were found before it? Then they may end within it (CAROM_MARGIN). */
static inline bool carom_piecewise_found(const carom_system *system)
{
    return system->model->links != NULL;
}

/* ---- runge_kutta.c ---- */
void carom_rk_layout(carom_layout *layout, carom_rk_stages *stages, const carom_system *system);
/* From w->start over x in the present modes, by the pair or by w->tableau; *error_norm (may be NULL). */
carom_status carom_piecewise_trial(carom_step *s, carom_piecewise *w, double x, carom_end *end, double *error_norm);
/* The same with w->tableau; keep: the stages are watched for events. */
carom_status carom_piecewise_stages(carom_step *s, carom_piecewise *w, double x, carom_end *end, bool keep);
/* a step of s->h to w->end, events not looked for */
carom_status carom_piecewise_fixed_length(carom_step *s, carom_piecewise *w);
/* Gradients at w->start, where it was measured just before the first trial. */
carom_status carom_piecewise_gradients(carom_step *s, carom_piecewise *w);
/* Accelerations, forces, gaps and their rates at a point whose q, v and x are set. */
carom_status carom_piecewise_measure(carom_step *s, carom_piecewise *w, carom_end *end);
void carom_piecewise_size(const carom_system *system, const carom_piecewise *w, const double *q);
void carom_piecewise_copy(const carom_system *system, const carom_end *from, carom_end *to);
/* w->mean, of the implicit step over x that was tried last; */
carom_status carom_piecewise_mean_force(carom_step *s, carom_piecewise *w, double x);
/* impulse [nrow]: the forces of the step in its modes, by the weights of the method; by Simpson's where an
 * event cut the step short. */
carom_status carom_piecewise_impulse(carom_step *s, carom_piecewise *w, const double *v_end, double *impulse);

/* ---- stiff.c: which method, error of a step of Radau IIA, and what an accepted step says about stiffness ---- */
typedef enum carom_stiff_method { CAROM_STIFF_AUTO, CAROM_STIFF_DP5, CAROM_STIFF_RADAU5 } carom_stiff_method;
int carom_stiff_memory(const carom_system *system);
void carom_stiff_choose(const carom_step *s, carom_piecewise *w, carom_stiff_method method);
carom_status carom_stiff_norm(carom_step *s, carom_piecewise *w, double x, const carom_end *end, double *norm);
carom_status carom_stiff_watch(carom_step *s, carom_piecewise *w, double x, double norm);
/* the step lasted x, 0: ended at an event: nothing to extrapolate from */
void carom_stiff_ended(const carom_step *s, double x);
/* Guess of the accelerations at the stages of a step over x, from the step before; false: none. Its rate of
 * convergence. */
bool carom_stiff_guess(const carom_step *s, carom_piecewise *w, double x);
double carom_stiff_factor(const carom_step *s, const carom_piecewise *w, double x, double norm); /* of the next step */

/* ---- switches.c: branches at w->start by their values, then, with the modes known, by the motion; the first change of
 * a branch; after the step: the branches to go on with, and whether they are defined there ---- */
int carom_switch_memory(const carom_system *system);
void carom_switch_layout(carom_layout *layout, carom_switches *switches, const carom_system *system);
void carom_switch_begin(carom_step *s, carom_piecewise *w);
carom_status carom_switch_settle(carom_step *s, carom_piecewise *w);
carom_status carom_switch_first(carom_step *s, carom_piecewise *w);
void carom_switch_end(carom_step *s, carom_piecewise *w, bool impact);
/* The gap of a contact that is hit at w->end goes on in another branch: the step ends there. */
bool carom_switch_passes(carom_step *s, carom_piecewise *w, int contact);
carom_status carom_switch_finite(carom_step *s, const carom_piecewise *w);
/* Closed contacts at a bound of branches of their gaps: whether the step ends at once, by which cause and of which
 * contact. */
carom_status carom_piecewise_kink(carom_step *s, carom_piecewise *w, bool *ends, carom_cause *cause, int *contact);

/* ---- events.c: shortens w->end to the earliest event of the step, located on trials ---- */
carom_status carom_piecewise_first_event(carom_step *s, carom_piecewise *w, carom_cause *cause, int *contact);
/* What a trial has left of the gaps of closed contacts, with room to spare: less than that counts as 0. */
double carom_piecewise_left_of_gaps(const carom_step *s, const carom_piecewise *w, const carom_end *e);
/* Has a contact that was found come to lie within its features in this step, as one that takes over from another: at a
 * gap that is 0 already, with rows that are all but those of the other? */
bool carom_piecewise_takes_over(const carom_step *s, const carom_piecewise *w, const carom_end *e, int contact);

/* ---- project.c: positions, or velocities, of end as its modes hold them ---- */
carom_status carom_piecewise_project(carom_step *s, carom_piecewise *w, carom_end *end, bool positions);

/* ---- modes.c: what happens at w->end ---- */
carom_status carom_piecewise_decide(carom_step *s, carom_piecewise *w, double t, const double *q, const double *v);
/* A contact that was closed without a force and is pulled open or pressed at the end of the step: new modes at the
 * start. */
carom_status carom_piecewise_recheck_passive(carom_step *s, carom_piecewise *w, bool *changed);
carom_status carom_piecewise_transition(carom_step *s, carom_piecewise *w, carom_cause cause, int contact);
/* of a trial that gave up */
carom_status carom_piecewise_no_slip(carom_step *s, carom_piecewise *w, carom_status status);
double carom_piecewise_freeze_length(const carom_step *s);         /* kappa tol: bounces below it are over */
double carom_piecewise_rest(const carom_piecewise *w, int link);         /* a velocity that is 0 but for rounding */
/* w->gross: what the accelerations are made of, those of m columns Y by x added up in size. */
void carom_piecewise_gross(const carom_system *system, const carom_piecewise *w, const double *a_free, int m,
                           const double *Y, const double *x);
/* An acceleration of the link that is 0 but for rounding, where the system moves with a made of w->gross; it holds G.
 * A contact that presses on what cannot move has no a of its own. */
double carom_piecewise_no_rate(const carom_system *system, const carom_piecewise *w, int link, const double *a);
/* w->scale at (q, v); the system holds G there, w->given the free accelerations. */
void carom_piecewise_scales(const carom_step *s, carom_piecewise *w, const double *q, const double *v);
/* What happens at w->end to which links: w->struck. */
void carom_piecewise_gather(carom_step *s, carom_piecewise *w, int hit);
/* Spatial slip: the longest step that does not cross u = 0, and whether a contact is about to stick. */
double carom_piecewise_slip_limit(const carom_step *s, carom_piecewise *w, double h);
void carom_piecewise_release(const carom_step *s, carom_piecewise *w); /* no direction is held */
/* spatial slip that changes much within x */
bool carom_piecewise_turning(const carom_step *s, const carom_piecewise *w, double x);
bool carom_piecewise_about_to_stick(const carom_step *s, const carom_piecewise *w, int *contact);

/* ---- freeze.c: closes the contacts at w->end whose bounces are over but for the tolerance; what the last projection
 * took away becomes an impulse of the step ---- */
carom_status carom_piecewise_end_bounces(carom_step *s, carom_piecewise *w);
/* An accumulation of impacts of a contact that is closed from that point on. */
void carom_piecewise_report_zeno(carom_step *s, const carom_piecewise *w, const carom_end *at, int contact);
void carom_piecewise_add_projection_impulse(carom_step *s, carom_piecewise *w);
/* What a projection takes from the velocities in w->probe.v: of normals as impacts, the rest as friction, if there is
 * any. */
void carom_piecewise_account_projection(carom_step *s, carom_piecewise *w);

/* ---- settle.c: the step after an impact whose bounces end with slips or with others; velocities at its end before
 * modes are decided in w->ka[0]. passed: false where none is found, and it is one like others ---- */
carom_status carom_piecewise_settle(carom_step *s, carom_piecewise *w, bool *passed);

/* ---- critical.c: a step that found an impact ends before it instead; then a step of Moreau and Jean over s->h ---- */
carom_status carom_critical_approach(carom_step *s, carom_piecewise *w, carom_cause *cause, int contact);
carom_status carom_critical_step(carom_step *s, carom_piecewise *w, struct carom_moreau_work *moreau);

/* ---- tolerance.c: from s->now to the first event or over s->h; mixed.c drives it, too ---- */
carom_status carom_piecewise_step(carom_step *s);
void carom_piecewise_layout(carom_layout *layout, const carom_system *system, void *work);
void carom_piecewise_take_modes(carom_step *s, carom_piecewise *w);
void carom_piecewise_show(carom_step *s, carom_piecewise *w); /* w->end and its modes become the next state */
int carom_piecewise_memory(const carom_system *system);
/* Position and velocity at the part r of the step, by the quintic of dense output. */
void carom_piecewise_inside(const carom_system *system, const carom_piecewise *w, double r, const double *v_end,
                            double *q, double *v);

#endif
