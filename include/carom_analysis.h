/* carom_analysis.h: what is done with simulations from outside: tangents, exponents, norms and convergence, diagrams,
 * gradients, fits, verification, periodic orbits, sweeps and basins.
 *
 * Everything here drives a carom_sim or watches it; the simulation knows nothing of it. */
#ifndef CAROM_ANALYSIS_H
#define CAROM_ANALYSIS_H

#include "carom.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the tangent: derivatives of the flow with respect to initial values and parameters ------------- */
enum { /* what a reader of a tangent must know */
    CAROM_TANGENT_RANK = 1 << 0,      /* directions are lost: a contact was closed, stuck or chattered to rest */
    /* simultaneous impacts: a derivative for each side; a column is that of its own */
    CAROM_TANGENT_ONE_SIDED = 1 << 1,
    CAROM_TANGENT_NONE = 1 << 2,      /* simultaneous impacts: the flow jumps, there is no derivative */
    CAROM_TANGENT_GRAZING = 1 << 3,   /* valid for perturbations far below radius only */
    CAROM_TANGENT_BEYOND = 1 << 4     /* an event whose derivative is not known was passed: see note */
};
typedef struct carom_tangent_info {
    unsigned flags;
    int rank;                   /* directions that survive, at most, of 2 nv less two for each joint */
    double log_det; /* the sum rule, ln|det| since the start: integral of the trace + sum of ln|det S|; in the space
                                 * of the joints and of the contacts closed at the start; -inf when a direction is
                                 * lost */
    double radius, radius_time; /* smallest change of a gap that changes the sequence of impacts; where */
    double slowest;             /* smallest |gdot| of an impact */
    long impacts;
    const char *note;           /* a sentence about the flags; "" nothing */
} carom_tangent_info;

typedef struct carom_tangent carom_tangent;
/* Follows sim, whose scheme must locate its events (tolerance, exact), with n columns. A column is a variation of
 * (q, v) at fixed time that belongs to a constant variation of the parameters. */
carom_status carom_tangent_new(carom_tangent **tangent, carom_sim *sim, int n, carom_error *error);
void carom_tangent_free(carom_tangent *tangent); /* not before the last step of sim */
/* Sets the columns at the present state of sim and forgets what was accumulated: X [2*nv*n], dp [np*n] (NULL: 0),
 * both row-major; after carom_sim_restart or carom_sim_load it is due. The columns are projected onto the tangent
 * space of the joints and of the contacts that are closed. */
carom_status carom_tangent_start(carom_tangent *tangent, const double *X, const double *dp);
/* Replaces the columns (after a QR) and keeps what was accumulated. */
carom_status carom_tangent_replace(carom_tangent *tangent, const double *X);
const double *carom_tangent_columns(const carom_tangent *tangent); /* X at the present time of sim */
const carom_tangent_info *carom_tangent_report(const carom_tangent *tangent);
/* Called at every event with the derivative of its time for each column [n]; NaN where it is not known. */
typedef void carom_tangent_watch(void *user, const carom_event *event, const double *dt);
void carom_tangent_observe(carom_tangent *tangent, carom_tangent_watch *watch, void *user);
/* Did following fail? A step that cannot be followed does not stop the simulation. */
const carom_error *carom_tangent_error(const carom_tangent *tangent);

/* ---- Lyapunov exponents ---------------------------------------------------------------------------- */
enum { CAROM_EXPONENTS_MAX = 64 };
typedef enum carom_lyapunov_method { CAROM_LYAPUNOV_TANGENT, CAROM_LYAPUNOV_PERTURBATION } carom_lyapunov_method;
typedef struct carom_lyapunov_request { /* times are counted in periods of the forcing; without one, in units of time */
    size_t size;         /* sizeof(carom_lyapunov_request) */
    carom_lyapunov_method method;
    int exponents;       /* so many of the largest; 0: all, at most CAROM_EXPONENTS_MAX */
    long length;         /* measured; 0: 1000 */
    long transient;      /* before that; negative: 100 */
    int parts;       /* columns are made orthonormal so often in a period; 0: once, and more often where they need it */
    int blocks;          /* of the error bars, at most, and calls of history; 0: 100 */
    double epsilon;      /* perturbation: size of a displacement; 0: 1e-6 */
    bool (*go_on)(void *user, long done);                         /* after each period, transient included; NULL: yes */
    bool (*stop)(void *user);                                         /* after each step, on any thread; NULL: no */
    /* after each part of the length: means so far; may be NULL */
    void (*history)(void *user, long done, int n, const double *mean);
    void *user;
} carom_lyapunov_request;
typedef struct carom_lyapunov_result {
    int n;                       /* exponents; 2 nv less two for each independent joint, or as many as were asked for */
    double exponent[CAROM_EXPONENTS_MAX]; /* per `per`, largest first; -INFINITY: the direction is lost (rest, stick) */
    /* standard error with the terms' memory; of a regular motion what the average has not settled */
    double error[CAROM_EXPONENTS_MAX];
    double per;                         /* the period, or 1 */
    long length;                        /* measured, in that unit: shorter after an interruption or when all is lost */
    bool regular;               /* periodic or quasi-periodic: the exponents are weighted averages, far more accurate */
    double impacts;                     /* per `per` */
    double sum_rule_defect;             /* |sum of exponents - rate of the volume|; NAN where it is not known */
    double kaplan_yorke;                /* of the stroboscopic map; without a period, of the flow */
    double slowest, radius;        /* of the impacts: least |g_dot|; smallest validity radius. Tangent only, else NAN */
    long grazing;                       /* parts in which the tangent holds for perturbations far below radius only */
    unsigned flags;                     /* CAROM_TANGENT_RANK ... */
    const char *flag;             /* the one to look at: "rest", "jump", "beyond", "one-sided", "grazing"; NULL: none */
} carom_lyapunov_result;
carom_lyapunov_request carom_lyapunov_request_default(void);
/* One start, on the calling thread. CAROM_INTERRUPTED (go_on said no, or stop yes): result holds what there is,
 * unless length is 0. */
carom_status carom_lyapunov_run(const carom_model *model, const carom_options *options,
                                const carom_lyapunov_request *request, carom_lyapunov_result *result,
                                carom_error *error);
/* n starts on so many threads (0: all cores), the same results for any number of them: the model's own start, then
 * starts with other velocities chosen by seed and index. each [n]; mean is over those that were measured. go_on and
 * history are called under a lock, history for the first start only. */
carom_status carom_lyapunov_starts(const carom_model *model, const carom_options *options,
                                   const carom_lyapunov_request *request, int n, int seed, int threads,
                                   carom_lyapunov_result *each, carom_lyapunov_result *mean, carom_error *error);

/* ---- norms, references, convergence ------------------------------------------------------------------ */
typedef struct carom_graph { /* a polyline of points (t, x): filled-in graphs, with jumps as pieces of no duration */
    size_t n;
    int d;              /* components of x */
    const double *t;    /* [n], never decreasing */
    const double *x;    /* [n*d] */
} carom_graph;
typedef struct carom_hausdorff_bounds {
    double lower, upper; /* the distance is in between; upper <= lower (1 + rtol) */
    long operations;     /* boxes and pieces looked at */
} carom_hausdorff_bounds;
/* The Hausdorff distance of two graphs in the metric max(|dt|, |dx_1|, ...). */
carom_status carom_hausdorff(const carom_graph *a, const carom_graph *b, double rtol, carom_hausdorff_bounds *bounds,
                             carom_error *error);

typedef enum carom_reference_kind {
    CAROM_REFERENCE_AUTO,
    CAROM_REFERENCE_CLOSED,
    CAROM_REFERENCE_EXACT,
    CAROM_REFERENCE_TOLERANCE
} carom_reference_kind;
typedef struct carom_reference carom_reference; /* the motion to measure against, kept as polynomials of time */
/* On [0, options->t_end]. AUTO: a closed form where one is known, the scheme `exact` where the model is linear,
 * otherwise `tolerance` at 1e-13. All but closed forms are computed a second time by another method. options NULL:
 * the model's. */
carom_status carom_reference_new(carom_reference **reference, const carom_model *model, const carom_options *options,
                                 carom_reference_kind kind, carom_error *error);
void carom_reference_free(carom_reference *reference);
const char *carom_reference_text(const carom_reference *reference);     /* which one, how it was checked */
const char *carom_reference_name(carom_reference_kind kind);            /* "closed", "exact", "tolerance" */
carom_reference_kind carom_reference_used(const carom_reference *reference);
double carom_reference_t_end(const carom_reference *reference);
/* How far from the truth it is in a norm ("L1.q"): the distance from its second computation; closed forms: rounding. */
carom_status carom_reference_accuracy(const carom_reference *reference, const char *norm, double *accuracy,
                                      carom_error *error);
/* q, v and the primitive of the impulse measure [rows], any may be NULL; side < 0: the left limit. */
carom_status carom_reference_at(const carom_reference *reference, double t, int side, double *q, double *v, double *i);
/* time of the k-th jump of v, from 0; NAN: fewer */
double carom_reference_impact(const carom_reference *reference, int k);
/* The distance of a run with these options from the reference, in each of these norms. */
carom_status carom_reference_errors(const carom_reference *reference, const carom_model *model,
                                    const carom_options *options, const char *const *norms, int nnorm, double *errors,
                                    carom_info *info, double *cpu_s, carom_error *error);

typedef struct carom_converge_request {
    size_t size;                   /* sizeof(carom_converge_request) */
    const carom_model *model;
    const carom_options *options;  /* of every run; scheme, h and rtol are replaced. NULL: the model's */
    const char *const *schemes;    /* [nscheme] "mixed:rk=radau5" */
    const char *const *norms;      /* [nnorm] "L1.q" */
    const double *h, *rtol;      /* [nh], [nrtol]. With both, schemes that choose their steps take rtol, the others h */
    int nscheme, nnorm, nh, nrtol;
    int shifts;                    /* runs with steps near each h (tolerances near each rtol); 0: 5; 1: just h */
    carom_reference_kind reference;
    int threads;                   /* 0: all. Results do not depend on it */
    const char *journal;           /* a file for finished runs, which are not run again; NULL: none */
    bool (*progress)(void *user, int done, int runs); /* false: end with CAROM_INTERRUPTED; NULL: nobody looks */
    /* asked after each step of a run, on any thread: true ends the runs under way; NULL: no */
    bool (*stop)(void *user);
    void *user;
} carom_converge_request;
typedef struct carom_converge_row {
    int scheme, norm;
    double h, rtol;                /* of the run; the other one is NAN */
    double nominal;                /* h or rtol that was asked for */
    double error;                  /* NAN: the run failed */
    bool floor;                    /* not larger than what is known of the reference: not in the fit */
    long steps, rhs_evaluations, linear_solves, contact_problems;
    double cpu_s;
} carom_converge_row;
typedef struct carom_converge_order { /* error = constant h^order, fitted to the means over the shifts */
    int scheme, norm;
    double order, spread;          /* spread: half the range of the orders of the single sequences; NAN: no fit */
    double envelope;               /* the order of the largest errors over the shifts */
    double constant;
    int points;                    /* nominal steps in the fit */
} carom_converge_order;
typedef struct carom_converge_result {
    carom_converge_row *row;       /* [nrow] by scheme, h or rtol, norm */
    carom_converge_order *order;   /* [norder] by scheme, norm */
    double *accuracy;              /* [nnorm] of the reference */
    int nrow, norder, failed, resumed; /* runs that failed; that the journal knew */
    char reference[400], failure[400]; /* in words; why the first of the failed runs failed */
    carom_reference_kind used;
    double t_end;
} carom_converge_result;
carom_status carom_converge_run(const carom_converge_request *request, carom_converge_result *result,
                                carom_error *error);
void carom_converge_free(carom_converge_result *result); /* what it holds */

typedef struct carom_local_request { /* one step from exact data */
    size_t size;                   /* sizeof(carom_local_request) */
    const carom_model *model;
    const carom_options *options;
    const char *const *schemes;
    const double *h;
    const double *place;  /* [nplace] where in the step the impact is, in (0, 1]; or, with from, when the step begins */
    int nscheme, nh, nplace;
    bool from;
    int impact;                    /* which one, from 0 */
    carom_reference_kind reference;
} carom_local_request;
typedef struct carom_local_row {
    int scheme, place;
    double h, e_q, e_v;            /* largest components of the errors at the end of the step */
    double impulse;                /* in the step: 0 when the impact was not seen */
} carom_local_row;
typedef struct carom_local_order {
    int scheme, place;
    double order_q, order_v;       /* NAN: errors of rounding only */
    bool activated;                /* in the smallest step */
} carom_local_order;
typedef struct carom_local_result {
    carom_local_row *row;          /* [nrow] by scheme, place, h */
    carom_local_order *order;      /* [norder] by scheme, place */
    int nrow, norder;
    double t_impact, jump;         /* the impact and the largest component of v+ - v- there */
    char reference[400];
} carom_local_result;
carom_status carom_local_run(const carom_local_request *request, carom_local_result *result, carom_error *error);
void carom_local_free(carom_local_result *result);

/* ---- bifurcation diagrams --------------------------------------------------------------------------- */
typedef enum carom_map { CAROM_MAP_STROBE, CAROM_MAP_SECTION, CAROM_MAP_IMPACT } carom_map;
typedef struct carom_bifurcation_request { /* times in periods of the forcing; without one, in units of time */
    size_t size;             /* sizeof(carom_bifurcation_request) */
    const char *name;        /* of a parameter, or of an initial value (q.y, v.y): n values between from and to */
    double from, to;
    long n;
    int direction;           /* +1: from -> to, -1: to -> from, 0: both; each begins at the model's start */
    bool fresh;              /* every value begins at the model's start; otherwise where the one before has ended */
    carom_map map;           /* when a point is taken: once in a period, when section = 0, at impacts */
    const char *section;     /* an expression of the model */
    int crossing;            /* +1: it becomes positive, -1: negative, 0: either */
    const char *contact;     /* of the impacts; NULL: any */
    bool after;              /* at an impact: velocities after it, not before */
    const char *of;          /* the expression or force that is taken; NULL: q[0], at impacts the gap's velocity */
    long transient, show;    /* periods before (negative: 200), points after that (0: 100) */
    long limit;              /* give up waiting for points after so many periods; 0: 20 for each point */
    long exponent;           /* measure the largest Lyapunov exponent over so many periods more; 0: no */
    int threads;             /* 0: all cores; no result depends on it */
    bool (*go_on)(void *user, long done, long all); /* after each value; NULL: yes */
    bool (*stop)(void *user);                       /* after each step, on any thread; NULL: no */
    void *user;
} carom_bifurcation_request;
typedef struct carom_bifurcation {
    int passes, direction[2]; /* +1 and -1, in this order, as far as they were asked for */
    long n, show, failed;
    double *value;            /* [n] */
    long *count;              /* [passes*n] points; -1: not computed, -2: failed */
    double *t, *x;            /* [passes*n*show] */
    double *exponent;         /* [passes*n] per period; NAN: not computed */
    char failure[300];        /* the first one, with its value */
} carom_bifurcation;
/* Changes the values of the model, and leaves the last one. CAROM_INTERRUPTED: the result holds what there is. */
carom_status carom_bifurcation_run(carom_bifurcation **result, carom_model *model, const carom_options *options,
                                   const carom_bifurcation_request *request, carom_error *error);
void carom_bifurcation_free(carom_bifurcation *result); /* NULL is fine */

/* ---- gradients: derivatives of what a run ends with, exactly, through impacts ----------------------- */
enum { /* a derivative that holds for one side only, because ... */
    CAROM_SIDE_START = 1 << 0,  /* a contact is struck or left at the start */
    CAROM_SIDE_REST = 1 << 1,  /* a contact is closed at the start: the derivative is that of motions that stay on it */
    CAROM_SIDE_SWITCH = 1 << 2, /* a function of the model changes its branch at the start: may be */
    CAROM_SIDE_END = 1 << 3     /* an event is at the end */
};

typedef struct carom_gradient {
    size_t size;            /* sizeof(carom_gradient) */
    /* given */
    const char *of;         /* of the state at t_end: an expression, "y + g*y'", or a force, "ground.reaction" */
    long event;             /* or the time of the n-th event; 0: the expression */
    const char *const *name; /* [n] with respect to: parameters ("m"), initial values ("q.y", "v.y") */
    int n;
    bool check;             /* by differences, too */
    /* found; the arrays are the caller's */
    double value;
    double *slope;          /* [n] */
    double *difference;     /* [n] by differences of the fourth order; NAN: they do not settle */
    unsigned char *side;    /* [n] CAROM_SIDE_...; NULL: not asked for */
    int start_contact, end_contact; /* of these sides */
    unsigned flags;         /* CAROM_TANGENT_... */
    double radius;
    carom_event at;         /* the event */
} carom_gradient;

/* Runs the model with these options until options->t_end. A parameter carries along the initial values that depend on
 * it. */
carom_status carom_gradient_run(carom_gradient *gradient, const carom_model *model, const carom_options *options,
                                carom_error *error);

/* ---- fits: parameters and initial values from measured motion --------------------------------------- */
typedef struct carom_fit_request {
    size_t size;              /* sizeof(carom_fit_request) */
    const char *const *name;  /* [n] what is estimated: parameters ("m"), initial values ("q.y", "v.y") */
    const double *low, *high; /* [n] bounds; NULL: none */
    int n;
    const double *t;          /* [samples], from 0 on, not decreasing */
    const char *const *of;    /* [nof] expressions of the state, or forces, that were measured there */
    const double *value;      /* [samples*nof]; NAN: not measured */
    size_t samples;
    int nof;
    const double *sigma;      /* [nof] standard deviations of the measurements; NULL: found from what is left */
    int starts, seed;         /* the model's values, then others around them or within the bounds; 0: 1 */
    int iterations;           /* of a start, at most; 0: 100 */
    bool sequence;            /* take the data in from their beginning on: for starts with other impacts */
    bool (*go_on)(void *user, int start, int iteration, double cost); /* NULL: yes */
    bool (*stop)(void *user); /* after each step; NULL: no */
    void *user;
} carom_fit_request;
typedef struct carom_fit {
    int n, nof, starts;
    size_t samples, used;     /* numbers that were measured */
    double *first;            /* [n] the model's values, where the first start begins */
    double *value, *error;    /* [n] estimates and standard errors; NAN: at a bound, or not determined */
    double *low, *high;       /* [n] confidence interval of 95 % */
    double *covariance;       /* [n*n] */
    double *residual;         /* [samples*nof] measured less computed */
    double *deviation;        /* [nof] their standard deviations */
    double *start_cost, *start_value; /* [starts], [starts*n] where each start has ended; INFINITY: nowhere */
    double cost;              /* half the sum of the squares, in units of the standard deviations */
    int best, iterations, runs, rank; /* the best start; its iterations; runs of the model; directions determined */
    bool converged;
    unsigned flags;           /* CAROM_TANGENT_... at the estimate */
    char failure[300];        /* of the first run that failed on the way */
} carom_fit;
/* Levenberg and Marquardt's method on derivatives that are exact through impacts. The model is left at the estimate.
 * CAROM_INTERRUPTED: no result. */
carom_status carom_fit_run(carom_fit **fit, carom_model *model, const carom_options *options,
                           const carom_fit_request *request, carom_error *error);
void carom_fit_free(carom_fit *fit); /* NULL is fine */

/* ---- verification: how far a run is from a more accurate one ---------------------------------------- */
typedef struct carom_verify {
    size_t size;           /* sizeof(carom_verify) */
    double t_end;          /* compared on [0, t_end] */
    double rtol, atol, h;  /* of the second run: hundredths of the tolerances; h/16 for a scheme of fixed step */
    bool fixed;            /* the scheme takes h as it is */
    bool by_tolerance;     /* the scheme promises its tolerance */
    double *error;         /* [nq] largest difference of the positions */
    double *allowed;       /* [nq] atol + rtol max|q|; for a scheme that promises it */
    /* after each step of the second run, which ends when it is false; NULL: it goes on */
    bool (*go_on)(void *user, double t);
    void *user;
    /* And with time-stepping of another family, which shares no code of events: two runs, with h and h/2. apart NULL:
     * not asked for. */
    double *apart;         /* [nq] largest distance from the run with h/2 */
    double *estimate;      /* [nq] of that run's own error, for order one: its largest distance from the one with h */
    const char *family;    /* the scheme; NULL: none could follow, */
    char family_note[200]; /* because of this */
    double family_h;       /* h/2 */
    bool agrees;           /* apart <= 3 estimate, but for the error of the run itself */
} carom_verify;
/* Runs the model twice, with these options and with more accurate ones, and compares; error and allowed are the
 * caller's. Both runs must reach t_end, or the stop condition of the model. CAROM_INTERRUPTED: go_on said no. */
carom_status carom_verify_run(carom_verify *verify, const carom_model *model, const carom_options *options,
                              carom_error *error);

/* ---- periodic orbits and their branches ------------------------------------------------------------- */
typedef enum carom_branch_event {
    CAROM_BRANCH_PERIOD_DOUBLING,
    CAROM_BRANCH_SADDLE_NODE,
    CAROM_BRANCH_GRAZING,
    CAROM_BRANCH_EVENTS
} carom_branch_event;
const char *carom_branch_event_name(carom_branch_event event);
typedef struct carom_orbit_point {
    int kind;                   /* -1: an orbit; else a carom_branch_event, located on the way */
    double parameter;           /* of the branch, here; of a grazing extrapolated to it */
    double period;
    const double *x;            /* [nq+nv] at t = 0 */
    const double *x_p;          /* [(nq+nv)*np] derivatives by the parameters of the request */
    const double *multiplier;   /* [2*nmultiplier] Floquet's: real and imaginary parts, largest first */
    int nmultiplier, iterations;
    bool stable;
    double residual;            /* |x(period) - x| */
    long impacts;
    double slowest, nearest;    /* of the impacts; least gap that is not closed */
    unsigned flags;             /* CAROM_TANGENT_... */
    const double *shift;        /* [nrelative] by which these coordinates move in a period */
} carom_orbit_point;
typedef struct carom_orbit_request {
    size_t size;                /* sizeof(carom_orbit_request) */
    int multiple;               /* the orbit closes after so many periods of the forcing; 0: 1 */
    double transient;           /* periods that are run before the search; without forcing, runs of t_end */
    double period;              /* of a model without forcing, about; 0: from the run */
    const char *const *parameter; /* [np] whose derivatives are wanted; a branch follows the first */
    int np;
    const char *const *relative; /* [nrelative] coordinates that the motion repeats up to: those that it does not
                                 * depend on, and, with a step (an angle: 2 pi, or less), up to multiples of it */
    const double *relative_step; /* [nrelative]; 0: the motion does not depend on it; NULL: all 0 */
    int nrelative;
    double to, step;            /* the branch: until this value, in steps of about that; step 0: none */
    long points;                /* of it, at most; 0: 2000 */
    bool (*point)(void *user, const carom_orbit_point *point); /* the orbit, then the branch in order; false: enough */
    bool (*stop)(void *user);   /* after each step; NULL: no */
    void *user;
} carom_orbit_request;
/* Finds the periodic orbit that the model's motion tends to, and follows it. ended [200]: why the branch ended; may be
 * NULL. */
carom_status carom_orbit_run(const carom_model *model, const carom_options *options, const carom_orbit_request *request,
                             char *ended, carom_error *error);

/* ---- sweeps: many runs of one model, one row of numbers for each; and the basins of its attractors --- */
enum { CAROM_SWEEP_AXES = 10, CAROM_SWEEP_COLUMNS = 128 }; /* at most */

typedef enum carom_sweep_design {
    CAROM_DESIGN_GRID,
    CAROM_DESIGN_RANDOM,
    CAROM_DESIGN_SOBOL,
    CAROM_DESIGNS
} carom_sweep_design;
const char *carom_sweep_design_name(int design); /* NULL after the last */

typedef struct carom_sweep_axis {
    const char *name; /* "w", "q.y", "v.y" */
    double from, to;
    long n; /* of a grid; 0: random and Sobol points */
} carom_sweep_axis;

/* How long a point is followed, and how much of that is not looked at. */
typedef struct carom_sweep_span {
    enum { CAROM_SPAN_RUN, CAROM_SPAN_PERIODS, CAROM_SPAN_TIME } unit; /* run: until t_end of the model's options */
    double length;    /* after the transient, in this unit */
    double transient; /* in periods with CAROM_SPAN_PERIODS, else a time */
} carom_sweep_span;

typedef struct carom_sweep_request {
    size_t size;                  /* sizeof(carom_sweep_request) */
    const char *path;             /* of the model, or the name of a built-in one: every thread loads its own */
    const carom_model *model;     /* NULL, or instead of path: filled by hand; every thread copies it */
    carom_load_options load;      /* its size need not be set */
    const char *const *fixed;     /* [nfixed] parameters and initial values that stay ... */
    const double *fixed_value;    /* ... at these */
    const carom_setting *setting; /* [nsetting] key and value of options that win over the model's */
    int nfixed, nsetting;
    carom_sweep_design design;
    const carom_sweep_axis *axis; /* [naxis] at most CAROM_SWEEP_AXES */
    int naxis;
    long long points;             /* of random and Sobol points; a grid has those of its axes */
    int seed;                     /* of random points, and a shift of Sobol points; 0: none */
    long shard, nshard;           /* this one takes the points with index mod nshard = shard; nshard 0: all */
    carom_sweep_span span;
    const char *const *measure;   /* [nmeasure] "lyapunov", "max:y", "max:ground.reaction", ... */
    int nmeasure, threads;        /* 0: one thread for each core; no row depends on it */
    /* A point that is done, in no order, by one thread at a time: x [naxis], value [nmeasure]; NAN where it failed, and
     * text says why. A failure that it returns ends the sweep. */
    carom_status (*row)(void *user, long long index, const double *x, carom_status status, const double *value,
                        const char *text);
    bool (*stop)(void *user);     /* asked by all threads; NULL: no */
    void *user;
} carom_sweep_request;
carom_status carom_sweep_compute(const carom_sweep_request *request, carom_error *error);
const char *carom_measure_name(int kind, const char **doc); /* NULL after the last */

typedef struct carom_basin { /* which attractor a motion ends on, seen once in a period */
    size_t size;     /* sizeof(carom_basin) */
    double strobe;   /* time between two strobes; 0: the model's period */
    long transient;  /* strobes that are not looked at */
    long most;       /* strobes in all: a motion that has not come back by then is not periodic */
    int max_period;  /* up to CAROM_BASIN_PERIOD */
    double tol;      /* coming back, relative to the size of the motion */
} carom_basin;
enum { CAROM_BASIN_PERIOD = 64 };
typedef struct carom_attractor {
    int period;
    bool rest;
    long long first, count; /* the first point that ends there; how many do */
    double *orbit;          /* [period*(nq+nv)], in the order of time */
} carom_attractor;
typedef struct carom_basins {
    int n;
    carom_attractor *attractor; /* [n] */
    int *owner;         /* [points] number of the attractor; n: not periodic; n + 1: stopped; -1: failed or not there */
    long long not_periodic, stopped, failed, missing;
} carom_basins;
/* The basins on the grid or points of the request, whose measures and row are not used; all of it is kept in memory. */
carom_status carom_basin_compute(carom_basins *basins, const carom_sweep_request *request, const carom_basin *basin,
                                 double same, carom_error *error);
void carom_basins_free(carom_basins *basins); /* what it holds */

#ifdef __cplusplus
}
#endif
#endif
