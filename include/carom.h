/* carom.h: mechanical systems with impacts, contact, joints and Coulomb friction.
 *
 *   M(q) dv = F(t,q,v) dt + G^T dI,   dq = v dt,   u = G v + w      one row of G for each joint, contact
 *                                                                   normal and direction of friction
 *   joint          g = 0                                            g_dot = u
 *   contact        0 <= g  _|_  dI_N >= 0,   impact: 0 <= u_N+ + e u_N-  _|_  P_N >= 0
 *   friction       dI_T in -mu dI_N Sgn(u_T)                        planar (1 direction) or spatial (2)
 *
 * Read from top to bottom: what can go wrong, the model, the options, the simulation, the trajectory.
 * The library never prints, exits or aborts; every function that can fail returns a status and, where it
 * takes a carom_error, a sentence. Matrices are row-major. Threads may share a model, not a simulation.
 * A struct that the caller fills begins with its size (`carom_model m = {.size = sizeof m, ...}`): a program or
 * binding made for another version of this header is refused with a sentence, never misread. */
#ifndef CAROM_H
#define CAROM_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CAROM_VERSION "0.1.0"
const char *carom_version(void); /* of the library that is linked, with what it was built with */

/* ---- what can go wrong ------------------------------------------------------------------------------ */
#define CAROM_STATUS_LIST(X)                                                                           \
    X(CAROM_OK, "ok")                                                                                  \
    X(CAROM_STOPPED, "the stop condition of the model was reached")                                    \
    X(CAROM_INTERRUPTED, "interrupted")                                                                \
    X(CAROM_BAD_ARGUMENT, "bad argument")                                                              \
    X(CAROM_BAD_OPTION, "bad option")                                                                  \
    X(CAROM_BAD_MODEL, "the model is not valid")                                                       \
    X(CAROM_NOT_FINITE, "a value is not finite")                                                       \
    X(CAROM_SINGULAR_MASS, "the mass matrix is not positive definite")                                 \
    X(CAROM_NOT_CONVERGED, "the iteration did not converge")                                           \
    X(CAROM_NO_SOLUTION, "the contact problem has no solution")                                        \
    X(CAROM_TOLERANCE, "the tolerance cannot be met")                                                  \
    X(CAROM_UNSUPPORTED, "not supported by this method or this build")                                 \
    X(CAROM_FILE, "a file cannot be read or written")                                                  \
    X(CAROM_NO_MEMORY, "out of memory")
typedef enum carom_status {
#define CAROM_STATUS_NAME(name, words) name,
    CAROM_STATUS_LIST(CAROM_STATUS_NAME)
#undef CAROM_STATUS_NAME
} carom_status;
typedef struct carom_error {
    carom_status status;
    char text[1000]; /* one sentence with the numbers; for a model file also the line and a caret */
} carom_error;
const char *carom_status_text(carom_status status);

/* ---- the model: what is given ----------------------------------------------------------------------- */
/* Fill this struct yourself (examples/01-ball.c), or load a model file. Rows of G, u, w, gamma and of the
 * impulses: first one per joint, then for every contact its normal and its directions of friction. */
typedef struct carom_contact {
    const char *name;
    int directions;            /* of friction: 0 none, 1 planar, 2 spatial */
    double restitution;        /* e, normal */
    double restitution_t;      /* tangential */
    double friction;           /* mu */
    double friction_static;    /* for contacts that stick; at least mu (0 stands for mu) */
    const char *law;           /* one of carom_law_method, or a family of them; NULL: by directions */
    const double *coefficient; /* of the law, in the order of its fields; NULL: those above */
} carom_contact;

struct carom_model;
typedef struct carom_point { /* where a callback is evaluated */
    double t;
    const double *q, *v, *p; /* [nq], [nv], [np] */
    void *user;
    const struct carom_model *model; /* with the contacts of the step: ncontact, contact, contact_id */
    void *work;                      /* of the model's evaluator and of one simulation; NULL for plain callbacks */
} carom_point;
typedef void carom_callback(const carom_point *at, double *out);

typedef struct carom_found { /* a contact of a model that looks for them while it moves */
    long long id;            /* stays while it is the same contact: its mode, impulse and memory follow it */
    carom_contact contact;
    int first[2], count[2];  /* the one or two blocks of velocities that its rows depend on; count 0, 0: all */
    double depth;            /* farther in it is nearer to the other side of something thin; 0: it never is */
    int branch;              /* which of its features touch: with another one its normal may jump */
    double gap;              /* here, if it is to be looked at after a step of a scheme that locates events */
} carom_found;
/* Fills found [most] with all contacts whose gap may close while nothing moves farther than reach, in any order;
 * returns their number, which may be more than most: then it is asked again with more room. */
typedef int carom_find_links(const carom_point *at, double reach, carom_found *found, int most);

typedef struct carom_setting { /* one entry of a model file's run section */
    const char *key, *value;
    int line, column;
} carom_setting;

enum { /* what can be asked of a model */
    CAROM_MASS = 1 << 0,      /* M [nv*nv]                                                              */
    CAROM_FORCE = 1 << 1,     /* F [nv]                                                                 */
    CAROM_GAP = 1 << 2,       /* g [njoint+ncontact]                                                    */
    CAROM_JACOBIAN = 1 << 3,  /* G [nrow*nv], w [nrow]:  u = G v + w                                    */
    CAROM_GAMMA = 1 << 4,     /* gamma [nrow]:  du/dt = G a + gamma                                     */
    CAROM_LAW = 1 << 5,       /* law: of each contact the fields of its law, one contact after the other */
    CAROM_ENERGY = 1 << 6,    /* energy [5]: kinetic, potential; power: external, viscous, dry          */
    CAROM_OUTPUTS = 1 << 7,   /* outputs [noutput]                                                      */
    CAROM_STOP = 1 << 8,      /* stop [1]: not 0 ends the run                                           */
    CAROM_R_Q = 1 << 9,       /* r = M a - s F - G^T x:  R_q [nv*nv], along the velocities (by q if flat) */
    CAROM_R_V = 1 << 10,      /*                         R_v [nv*nv]                                    */
    CAROM_R_P = 1 << 11,      /*                         R_p [nv*np]                                    */
    CAROM_U_Q = 1 << 12,      /* u = G v + w:            U_q [nrow*nv]                                  */
    CAROM_U_P = 1 << 13,      /*                         U_p [nrow*np]                                  */
    CAROM_A_Q = 1 << 14,      /* G a + gamma:            A_q [nrow*nv]                                  */
    CAROM_A_V = 1 << 15,      /*                         A_v [nrow*nv]                                  */
    CAROM_A_P = 1 << 16,      /*                         A_p [nrow*np]                                  */
    CAROM_SWITCH = 1 << 17,   /* f [nswitch], where branches change at f = 0; all else with branches d  */
    CAROM_MARGIN = 1 << 18    /* margin [ncontact] of contacts found: those below 0 are none here       */
};

typedef struct carom_eval { /* one evaluation; every array is [length][lanes], lanes 1 or 8 */
    unsigned want;          /* which of the above to fill */
    int lanes;
    const double *t, *q, *v, *p; /* [1] [nq] [nv] [np] */
    const double *a, *x, *s, *d; /* [nv] [nrow] [1]: with the derivatives of r, u, G a + gamma; [nswitch] */
    double *M, *F, *g, *G, *w, *gamma, *law, *energy, *outputs, *stop;
    double *R_q, *R_v, *R_p, *U_q, *U_p, *A_q, *A_v, *A_p, *f;
    double *C, *C_q, *C_v; /* with R_q and R_v, of many bodies: see ncoupling */
    double *margin;
} carom_eval;

typedef struct carom_evaluator { /* one entry for everything; text models and plugins bring their own */
    carom_status (*prepare)(const struct carom_model *, unsigned want, carom_error *); /* thread-safe */
    size_t (*work_bytes)(const struct carom_model *, int lanes);                       /* after prepare */
    void (*begin)(const struct carom_model *, int lanes, const double *p, void *work); /* new parameters */
    void (*eval)(const struct carom_model *, const carom_eval *, void *work);
} carom_evaluator;

/* Positions that are no vectors (rotations). Around a position q others have local coordinates xi [nv]: drift leads
 * from q to where the constant velocity xi would be after a unit of time. Along a motion xi' = K(xi) v, so K(0) = 1 and
 * K(xi) xi = xi. Derivatives by q are taken along the nv directions of v. out may be q, v or rate, not xi. */
typedef struct carom_manifold {
    void (*drift)(void *user, const double *q, const double *xi, double *out);         /* [nq] */
    void (*local)(void *user, const double *q, const double *to, double *xi);          /* its inverse */
    void (*rate)(void *user, const double *xi, const double *v, double *out);          /* K(xi) v */
    void (*velocity)(void *user, const double *xi, const double *rate, double *out);   /* its inverse */
    /* the derivative of K(xi) v by xi along d */
    void (*rate_change)(void *user, const double *xi, const double *v, const double *d, double *out);
    void (*size)(void *user, const double *q, double *out); /* [nv] what rtol refers to: |q| of lengths, 1 of angles */
} carom_manifold;

typedef struct carom_model {
    size_t size; /* sizeof(carom_model) */
    const char *name;
    int nq, nv, np, njoint, ncontact, noutput; /* nq = nv unless there is a manifold */
    const carom_manifold *manifold;            /* NULL: q is a vector and q' = v */
    const char *const *q_name;                 /* [nq]; NULL: q0 q1 ... */
    const char *const *v_name;                 /* [nv]; NULL: those of q, or v0 v1 ... with a manifold */
    const char *const *p_name;                 /* [np]; NULL: p0 p1 ... */
    const char *const *joint_name;             /* [njoint]; NULL: joint0 ... */
    const char *const *output_name;            /* [noutput] */
    const carom_contact *contact;              /* [ncontact] */
    carom_find_links *links; /* NULL: the contacts are always the same. Else they are found before every step:
                              * ncontact is then a first guess of their number, and contact is NULL */
    /* Of such a model: no point of a surface is faster than this with the velocities at->v; NULL: the largest |v_i| */
    double (*speed)(const carom_point *at);
    const long long *contact_id; /* [ncontact] of the contacts found; set by the library where callbacks see it */
    bool exact; /* likewise: contacts are looked for by a scheme that locates events and asks for their margins */
    /* Many bodies: with nblock > 0 an evaluator gives matrices by blocks of velocities, block[k] ... block[k+1]-1:
     * M, R_q and R_v are the diagonal blocks one after the other, a row of G the values of its one or two blocks (of
     * its first and count, if it was found), one row after the other. */
    int nblock;
    const int *block;                          /* [nblock+1]; the last is nv */
    const int *joint_block;                    /* [2*njoint] of each joint, ascending; -1: none */
    /* Forces between two of them: R_q and R_v are more than blocks by the sum of C_q[i] C_i^T C_i, C_v[i] C_i^T C_i,
     * with rows C of the blocks that coupling_block tells, as joint_block does. */
    int ncoupling;
    const int *coupling_block;                 /* [2*ncoupling] */
    const double *q, *v, *p;                   /* initial values and parameters; v NULL: 0 */
    const char *impacts;                       /* one of carom_impact_method; NULL: the first, simultaneous */
    unsigned constant; /* CAROM_MASS | CAROM_JACOBIAN ...: what depends on parameters alone; R_Q, R_V: on s too */
    double period;     /* of the forcing; 0: none */
    void *user;        /* handed to the callbacks */
    /* Plain callbacks. Needed: mass and force; gap if there are joints or contacts; slip for friction. */
    carom_callback *mass;      /* M [nv*nv] */
    carom_callback *force;     /* F [nv] */
    carom_callback *gap;       /* g [njoint+ncontact] */
    carom_callback *slip;      /* sliding velocities [sum of directions], affine in v */
    carom_callback *potential; /* [1]; without it all of F counts as external */
    carom_callback *law;       /* as CAROM_LAW; without it the constants of carom_contact hold */
    carom_callback *outputs;   /* [noutput] */
    carom_callback *stop;      /* [1] */
    /* Optional derivatives; finite differences stand in for those that are missing. */
    carom_callback *jacobian; /* G [nrow*nv] */
    carom_callback *offset;   /* w [nrow]; with jacobian and without offset w = 0 */
    carom_callback *gamma;    /* [nrow] */
    carom_callback *force_q;  /* [nv*nv] along the directions of v */
    carom_callback *force_v;  /* [nv*nv] */
    /* Optional: the same for all lanes of an evaluation at once. Fills what it can of at->want and returns these bits;
     * the callbacks above give the rest, and all of it where there is one lane. */
    unsigned (*lanes)(const struct carom_model *, const carom_eval *at);
    /* Or everything at once; then the plain callbacks are not used. */
    const carom_evaluator *evaluator;
    bool stops; /* the evaluator answers CAROM_STOP */
    int nswitch; /* and CAROM_SWITCH: branches of its functions, d = -1 where f < 0 and 1 elsewhere */
    /* Set by carom_model_load. */
    const carom_setting *run; /* [nrun] */
    int nrun;
    const struct carom_source *source; /* the file, its expressions and memory */
    double *own;                       /* set by carom_model_copy: [nq+nv+np] initial values and parameters */
} carom_model;

typedef struct carom_load_options {
    size_t size;              /* sizeof(carom_load_options) */
    bool allow_plugins;       /* `plugin: file.so` runs foreign code */
    bool jit;                 /* compile expressions with cc; falls back to the tape, see note */
    bool assemble;            /* project initial values that violate a joint instead of failing */
    char note[200];           /* out: why the fallback was taken, what was assembled; else empty */
} carom_load_options;

/* A path, or the name of a built-in model. options may be NULL. */
carom_status carom_model_load(carom_model **model, const char *path, carom_load_options *options, carom_error *error);
carom_status carom_model_parse(carom_model **model, const char *name, const char *text, size_t length,
                               carom_load_options *options, carom_error *error);
/* A model that was filled by hand, with initial values and parameters of its own; all else it points at must stay. */
carom_status carom_model_copy(carom_model **copy, const carom_model *model, carom_error *error);
void carom_model_free(carom_model *model); /* of a loaded model or a copy */
/* Changes a parameter ("m") or an initial value ("q.y", "v.y") of a loaded model or a copy; what depends on it follows.
 * Values given so win over the file's and are applied together: the checks of the start run at the end. */
carom_status carom_model_set(carom_model *model, const char *const *names, const double *values, int n,
                             carom_error *error);
/* Outputs [n*noutput] and energies [n*2], kinetic and potential, at n states t [n], q [n*nq], v [n*nv]; either may be
 * NULL. p NULL: the model's parameters. */
carom_status carom_model_observe(const carom_model *model, const double *p, size_t n, const double *t, const double *q,
                                 const double *v, double *outputs, double *energy, carom_error *error);
/* Forces of joints and contacts at such states, not means over steps: force [n*nrow] for mode [n*ncontact]. */
carom_status carom_model_reactions(const carom_model *model, const double *p, size_t n, const double *t,
                                   const double *q, const double *v, const unsigned char *mode, double *force,
                                   carom_error *error);
const char *carom_builtin_name(int i); /* NULL after the last */
const char *carom_builtin_text(const char *name);

/* ---- options ---------------------------------------------------------------------------------------- */
enum { CAROM_FIELDS_MAX = 16 };
typedef enum carom_field_type {
    CAROM_FIELD_DOUBLE,
    CAROM_FIELD_INT,
    CAROM_FIELD_BOOL,
    CAROM_FIELD_ENUM
} carom_field_type;
typedef struct carom_field { /* a method's own option: feeds model files, command line, help and docs */
    const char *name;        /* NULL ends a table */
    carom_field_type type;
    double value, min, max; /* the default and its range */
    const char *choices; /* of an enum: "a b c"; its value is the index */
    const char *doc;
} carom_field;

typedef struct carom_options {
    size_t size; /* sizeof(carom_options), as carom_options_default sets it */
    char scheme[32], solver[32];           /* "" solver: chosen by the problem */
    double scheme_field[CAROM_FIELDS_MAX]; /* in the order of the scheme's table */
    double solver_field[CAROM_FIELDS_MAX];
    double h;      /* step; 0: t_end/1000 */
    double t_end;  /* 0: 1, or one period */
    double every;  /* sampling of output; 0: every step */
    double rtol, atol; char atol_of[240]; /* "y=1e-9 z=1e-6": of some coordinates and their velocities */
    double newton_tol;    /* implicit steps, relative to velocities */
    double contact_tol;   /* residual of a contact problem, relative to its velocities */
    double contact_accept; /* the same of what gets no better, in steps of a given length whose contacts are found */
    int newton_max;
    bool energy;   /* account for energy: work, dissipation, balance */
    bool certify;  /* check every step of any scheme; those that locate events always are */
    int threads;   /* that share the work of large contact problems; no bit depends on it. 0: one */
} carom_options;
carom_options carom_options_default(void);
carom_options *carom_options_new(void); /* the same on the heap, for bindings; NULL: no memory */
void carom_options_free(carom_options *options);
/* Keys: scheme, solver, h, t_end, every, rtol, atol, atol.COORDINATE, ..., scheme.FIELD, solver.FIELD.
 * A scheme may carry its fields: "moreau-jean:theta=1:gamma=0.5". */
carom_status carom_options_set(carom_options *options, const char *key, const char *value, carom_error *error);
carom_status carom_options_from_model(carom_options *options, const carom_model *model, carom_error *error);

/* ---- the simulation --------------------------------------------------------------------------------- */
typedef enum carom_mode { /* what a contact does */
    CAROM_OPEN, CAROM_CLOSED, CAROM_STICK, CAROM_SLIP, /* these four in a state; closed: without friction */
    CAROM_PASSIVE,   /* closed and redundant: others hold it, it carries no force */
    CAROM_SATURATED, /* held by others that stick, its friction at the limit */
    CAROM_SLIP_BACK  /* against the direction of slip; of modes that are tried, never in a state */
} carom_mode;
typedef struct carom_state {
    double t;
    int ncontact;        /* of models that find their contacts; else the model's */
    const long long *id; /* [ncontact] their ids; NULL: they are numbered as in the model */
    double *q, *v;       /* [nq] [nv] */
    double *impulse;     /* [nrow] of the last step */
    double *u;           /* [nrow] G v + w after the last step, as the scheme saw it */
    unsigned char *mode; /* [ncontact] carom_mode */
} carom_state;

typedef enum carom_event_type {
    CAROM_EVENT_IMPACT, CAROM_EVENT_CLOSING, CAROM_EVENT_OPENING, CAROM_EVENT_STICK, CAROM_EVENT_SLIP, CAROM_EVENT_TYPES
} carom_event_type;
const char *carom_event_name(carom_event_type type);
typedef struct carom_event {
    carom_event_type type;
    double t;
    int contact; /* -1: of one that was found and has ended */
    double u_before[3], u_after[3], impulse[3]; /* normal, tangential */
    long long id; /* of the contact, where contacts are found; else its number */
} carom_event;
typedef struct carom_jump { /* velocities before and after an instant, and the impulses */
    double t;
    const double *q, *v_before, *v_after, *impulse; /* [nq] [nv] [nv] [nrow] */
} carom_jump;
typedef struct carom_segment { /* dense output on [t0, t1]: powers of s = (t - t0)/(t1 - t0) */
    double t0, t1;
    int q_degree, v_degree;
    const double *q0; /* [nq] at t0 */
    const double *xi; /* [q_degree*nv] local coordinates from there: coefficients of s, s^2, ... */
    const double *v;  /* [(v_degree+1)*nv] coefficients of 1, s, ... */
    const double *force;       /* [nrow] mean contact force on the segment, without the jumps' impulses */
    const unsigned char *mode; /* [ncontact] at its end */
    double penetration, residual, energy; /* energy: kinetic + potential at t1, if accounted for */
    const double *force_at; /* [(force_degree+1)*nrow] the force along it: coefficients of 1, s, ...; NULL: its mean */
    int force_degree;
} carom_segment;
/* q [nq] and v [nv] at s in [0, 1] of a segment; either may be NULL, v not if there is a manifold. */
void carom_segment_at(const carom_model *model, const carom_segment *segment, double s, double *q, double *v);
typedef struct carom_observer { /* called for every committed step, in the order of time; any may be NULL */
    size_t size; /* sizeof(carom_observer) */
    void *user;
    void (*segment)(void *user, const carom_segment *);
    void (*jump)(void *user, const carom_jump *);
    void (*event)(void *user, const carom_event *);
} carom_observer;

typedef struct carom_zeno { /* infinitely many impacts in finite time, passed */
    int contact;
    long long id;            /* of a contact that was found: as in carom_event */
    double t;                /* where they accumulate */
    long impacts, skipped;   /* computed one by one; not, of those that would exceed rounding */
} carom_zeno;
enum { CAROM_ZENO_MAX = 16 };
/* of friction, Painleve's */
typedef enum carom_paradox { CAROM_NO_PARADOX, CAROM_INCONSISTENT, CAROM_NOT_UNIQUE } carom_paradox;
typedef struct carom_info {
    long steps, rejected, switches, rhs_evaluations, newton_iterations, linear_solves, contact_problems,
        solver_iterations;
    long events[CAROM_EVENT_TYPES];
    double max_penetration, max_residual;
    double energy_initial, energy_final, work_external, work_constraints;
    double dissipated_impact, dissipated_friction, dissipated_viscous, balance_error;
    double dissipated_dry;            /* by forces that switch as the velocity changes its sign */
    /* of velocities, the most between the two laws of multiple impacts; first when above tol */
    double law_difference, law_time;
    double impact_gain, gain_time;    /* energy that impacts have gained where their rule allows it; first when */
    long loose; double loose_time;    /* steps with contact problems above contact_tol, within contact_accept; first */
    double grazing, graze_time;       /* part of its velocity by which an impact is not known; first when above 0.01 */
    int nzeno;                        /* accumulations found; the first ones follow */
    carom_zeno zeno[CAROM_ZENO_MAX];
    carom_paradox paradox; int paradox_contact; long long paradox_id; double paradox_time; /* that ended the run */
} carom_info;

typedef struct carom_sim carom_sim;
carom_status carom_sim_new(carom_sim **sim, const carom_model *model, const carom_options *options, carom_error *error);
void carom_sim_free(carom_sim *sim);
carom_status carom_sim_observe(carom_sim *sim, const carom_observer *observer); /* at most 8; before stepping */
carom_status carom_sim_step(carom_sim *sim);                /* one step; on failure the state is as before */
carom_status carom_sim_run(carom_sim *sim, double t_end);   /* CAROM_OK at t_end, CAROM_STOPPED earlier */
void carom_sim_interrupt(carom_sim *sim);                   /* from a signal handler: run ends, or drops a step */
const carom_state *carom_sim_state(const carom_sim *sim);
const carom_info *carom_sim_info(carom_sim *sim);
const carom_error *carom_sim_error(const carom_sim *sim);
const carom_options *carom_sim_options(const carom_sim *sim); /* with the defaults filled in */
const char *carom_sim_note(const carom_sim *sim); /* what a reader of the results must know; "" nothing */
/* the contact problem that made a step fail, to replay it */
carom_status carom_sim_dump(carom_sim *sim, const char *path);
size_t carom_sim_save(const carom_sim *sim, void *buffer, size_t size); /* bytes needed; writes if they fit */
carom_status carom_sim_load(carom_sim *sim, const void *buffer, size_t size);
/* NULL: the model's */
carom_status carom_sim_restart(carom_sim *sim, const double *q, const double *v, const double *p);

/* ---- the trajectory --------------------------------------------------------------------------------- */
typedef struct carom_trajectory carom_trajectory;
carom_status carom_trajectory_new(carom_trajectory **trajectory, carom_sim *sim, carom_error *error); /* observes sim */
void carom_trajectory_free(carom_trajectory *trajectory);
/* q and v at t from dense output; side < 0: the left limit. Outside the recorded time: CAROM_BAD_ARGUMENT. */
carom_status carom_trajectory_at(const carom_trajectory *trajectory, double t, int side, double *q, double *v);
/* The same at n times that do not decrease, in one walk: q [n*nq], v [n*nv]; either may be NULL. */
carom_status carom_trajectory_sample(const carom_trajectory *trajectory, size_t n, const double *t, int side, double *q,
                                     double *v);
/* And what the contacts do there: force [n*nrow] mean on the step that holds t, mode [n*ncontact] at t. */
carom_status carom_trajectory_contacts(const carom_trajectory *trajectory, size_t n, const double *t, int side,
                                       double *force, unsigned char *mode);
/* The lists lie each in one piece: segment(0), jump(0) and event(0) are arrays of so many. Any may be NULL. */
void carom_trajectory_counts(const carom_trajectory *trajectory, size_t *segments, size_t *jumps, size_t *events);
const carom_segment *carom_trajectory_segment(const carom_trajectory *trajectory, size_t i); /* NULL after the last */
const carom_jump *carom_trajectory_jump(const carom_trajectory *trajectory, size_t i);
const carom_event *carom_trajectory_event(const carom_trajectory *trajectory, size_t i);

/* ---- what there is ---------------------------------------------------------------------------------- */
typedef struct carom_method { /* a scheme, a solver or a law */
    const char *name, *doc, *ref;
    const carom_field *fields;
} carom_method;
const carom_method *carom_scheme_method(int i); /* NULL after the last */
const carom_method *carom_solver_method(int i);
const carom_method *carom_law_method(int i);
const carom_method *carom_impact_method(int i); /* rules for the impacts of an instant */
/* The declared orders of a scheme with these options: in smooth motion and through impacts; 0: none. */
void carom_scheme_orders(const carom_options *options, double *smooth, double *impact);

#ifdef __cplusplus
}
#endif
#endif
