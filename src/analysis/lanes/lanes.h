/* lanes.h: eight runs side by side; what the files of the ensemble share. Private to them.
 *
 * Arrays are [row][lane]. Rows of positions, velocities and accelerations: the state [nv], then the columns of the
 * tangent, one after the other [nv] each: n = nv (1 + columns) rows. */
#ifndef CAROM_ENSEMBLE_LANES_H
#define CAROM_ENSEMBLE_LANES_H

#include "analysis/lanes/ensemble.h"
#include "core/clones.h"
#include "model/model.h"
#include "sim/sim.h"

enum { CAROM_LANES = 8, CAROM_LANE_STAGES = 7, CAROM_STIFF_STEPS = 15 };
typedef double carom_wide __attribute__((vector_size(CAROM_LANES * sizeof(double)), may_alias));

typedef struct carom_lane_end { /* eight points of the motion */
    carom_wide *q, *v;          /* [n] */
    carom_wide *g, *u, *udot;   /* [ncontact] gaps, normal velocities and their rates */
} carom_lane_end;

typedef struct carom_lane { /* what belongs to one job */
    carom_job job;
    long k;                 /* strobes passed */
    bool hit;              /* an impact has just been computed, the tangent still waits for the acceleration after it */
    bool stiff;             /* the rest of the job is the simulation's */
    double low, high;       /* locating: the impact is between them, since the start of the step */
    double resume_at;       /* time of the event that the simulation must pass */
    int contact, tries;
    double u, e;            /* gdot before the impact, restitution */
    double e_known, log_e;  /* 2 ln e of that one */
    long impacts, serial;
    carom_averages averages;
    carom_job_result result;
} carom_lane;

typedef struct carom_lanes_exact { /* exact.c: forces in time */
    bool known[CAROM_LANES];          /* for the parameters p */
    int nharmonic;                    /* of one coordinate, at most */
    carom_wide *p, *constant, *slope; /* [np] [nv] [nv] */
    carom_wide *omega, *cosine, *sine; /* [nv*harmonics] */
    carom_wide *x, *y, *x_end, *y_end; /* [nv*harmonics] terms of the forces at the start and at the end of a trial */
    carom_wide *gap;                  /* [nc] at t = q = 0 */
    carom_wide *terms;                /* [(terms+1)*nv] of the positions along the trial */
    carom_wide *bound;                /* [nv] what P_6 and the following add to d */
    carom_wide *scratch;              /* [nv*max(nv, 3)] */
} carom_lanes_exact;

struct carom_ensemble {
    carom_lanes_exact *exact; /* closed form; NULL: Runge-Kutta */
    carom_arena *arena;
    const carom_model *model;
    const carom_evaluator *evaluator;
    void *work;             /* of the evaluator */
    carom_options options;
    const carom_ensemble_calls *calls;
    volatile sig_atomic_t interrupted;
    bool more;              /* jobs are left */
    int nv, columns, n, nc, nrow, np;
    int *row;               /* [nc] of each contact's normal */
    int *law_at;            /* [nc] where the coefficients of its law begin */
    bool *serial_only;      /* [nc] impacts of this contact are the simulation's */
    bool all_serial;        /* so is everything */
    /* what is evaluated once; at a stage; after it; at the end of a step */
    unsigned constant, stage_want, gradient_want, end_want;
    const struct carom_split *split; /* of the stages, quick.c; NULL: functions of time are not apart */
    carom_wide *clock;      /* [stages-2][rows] functions of time at the stages */
    double *clock_work, *rest_work;
    const double *in[CAROM_SPLIT_GROUP + 1];
    bool new_parameters;
    double max_step;        /* 0: a twentieth of the period or of the strobe */

    carom_lane lane[CAROM_LANES];
    unsigned active, locating; /* lanes with a job, a bit each; those on the way to an impact */
    carom_wide base, s, h;  /* time of the last strobe; since then; length of the trial */
    /* time between strobes; longest step as asked for, and so that it is taken; next step */
    carom_wide strobe, cap, longest, proposed;
    carom_wide running;     /* lanes whose trial is a step, not on the way to an impact: all bits or none */
    carom_wide last;        /* the trial ends at the strobe: the same */
    carom_wide log_det;     /* of this interval so far */
    carom_wide steps;       /* accepted */
    carom_wide stiff_sum, stiff_count; /* of accepted steps */
    carom_wide t;           /* of an evaluation */
    carom_wide times[CAROM_LANE_STAGES]; /* of the stages */
    carom_wide norm, factor, stiffness; /* of a trial: error, change of the step, (h |da|/|dy|)^2 */
    carom_wide *p;          /* [np] */
    carom_lane_end start, end;
    carom_wide *accel;      /* [stages][n] accelerations */
    carom_wide trace[CAROM_LANE_STAGES];
    bool follow_trace;      /* tr(da/dv) is not constant */
    bool linear;            /* columns are linear with constant coefficients: M, R_q, R_v are constant */
    bool at_once;     /* impacts need no evaluation: accelerations are affine in velocities; G, w, gamma are constant */
    carom_wide *before;     /* [2*nv] velocities and accelerations before impacts */
    carom_wide *middle;     /* [nv] positions in the middle of a step */
    carom_wide *defect;     /* [nc] of the quintic there, twice */
    carom_eval at;
    carom_wide one, *zero;  /* s; [max(nv, nrow)] */
    bool watch_stiffness;   /* the forces may be stiff for the steps that are taken */
    carom_wide *factored;   /* [nv*nv] L and D^-1 of M = L D L^T */

    double *q, *v, *p_one;  /* [nv] [nv] [2*np] of one lane */
    double *X;              /* [3*nv*columns+2*nv] of one lane */
    double *square, *log_r; /* [columns] r_ii^2 and ln r_ii of a strobe */
    double *memory[CAROM_LANES]; /* [room] of averages */
    size_t room[CAROM_LANES];
    double *sum, *product;  /* [lanes*columns] of ln r_ii since the transient; of r_ii^2 that are not in the sum yet */
    carom_wide *impulse_response; /* [nc*nv] M^-1 G^T/(G M^-1 G^T), where that is constant */
    carom_sim *sim;         /* that takes over */
    carom_tangent *tangent;
};

/* For every lane l of a set. */
#define CAROM_EACH_LANE(l, set)                                                                                        \
    for (unsigned rest_ = (set), l; rest_ && (l = (unsigned)__builtin_ctz(rest_), true); rest_ &= rest_ - 1)

static inline double *carom_lane_at(carom_wide *rows, int row, int lane)
{
    return (double *)(rows + row) + lane;
}

/* ---- trial.c ---- */
void carom_lanes_constants(carom_ensemble *e);     /* after new parameters */
void carom_lanes_trial(carom_ensemble *e);         /* one step of length h in every lane, from start to end */
void carom_lanes_middle(carom_ensemble *e, const carom_wide *q); /* gaps in the middle of the trial */
/* accelerations at the start of these; finishes their impacts */
void carom_lanes_begin(carom_ensemble *e, unsigned lanes);

void carom_lanes_origin(carom_ensemble *e);        /* e->at: forces and gaps at t = q = v = 0 */
void carom_lanes_solve(const carom_ensemble *e, carom_wide *x); /* M^-1 x */

/* ---- quick.c ---- */
carom_status carom_lanes_quick_new(carom_ensemble *e, carom_error *error);
void carom_lanes_quick_begin(carom_ensemble *e);   /* with new parameters */
void carom_lanes_quick(carom_ensemble *e);         /* carom_lanes_trial where M is constant */

/* ---- exact.c ---- */
carom_status carom_exact_lanes_new(carom_ensemble *e, carom_error *error);
void carom_exact_lanes_constants(carom_ensemble *e);
void carom_exact_lanes_begin(carom_ensemble *e, unsigned lanes); /* functions of time where flights of these begin */
void carom_exact_lanes_trial(carom_ensemble *e);   /* positions and velocities at the end, forces and gaps there */
void carom_exact_lane_take(carom_ensemble *e, int lane); /* functions of time: the end becomes the start */
/* The root of a gap along the trial, near s, in parts of it; -1: none */
double carom_exact_lane_root(const carom_ensemble *e, int lane, int contact, double s);

/* ---- judge.c ---- */
typedef struct carom_verdict { /* a bit per lane */
    unsigned attention;            /* not just one more step; */
    unsigned rejected, near;   /* the error is too large; a gap may close within the step. Neither: it has been taken */
} carom_verdict;
carom_verdict carom_lanes_judge(carom_ensemble *e); /* takes the steps that are beyond doubt */
void carom_lanes_take(carom_ensemble *e, unsigned lanes); /* the end becomes the start of these */
void carom_lanes_lengths(carom_ensemble *e);       /* of the next trials of running lanes */
void carom_lane_run(carom_ensemble *e, int lane, bool running);

double carom_lane_trace(const carom_ensemble *e, int lane); /* integral of tr(da/dv) over the trial */

/* ---- events.c ---- */
typedef enum carom_sight { CAROM_SIGHT_FREE, CAROM_SIGHT_IMPACT, CAROM_SIGHT_UNCLEAR } carom_sight;
double carom_lane_rest(const carom_ensemble *e, carom_wide *v, int lane); /* a velocity that is 0 but for rounding */
/* after an accepted step: an impact within it? sets the bracket */
carom_sight carom_lane_look(carom_ensemble *e, int lane);
carom_sight carom_lane_locate(carom_ensemble *e, int lane); /* after a trial to an impact: FREE: try s.h again */

/* ---- strike.c ---- */
void carom_lanes_pushes(carom_ensemble *e);          /* with new parameters */
/* at the end of the trial: the start of the next flight; hit: not all of it */
void carom_lane_strike(carom_ensemble *e, int lane);
/* columns, with the accelerations after it */
void carom_lane_saltation(carom_ensemble *e, int lane, const carom_wide *a);

/* ---- serial.c ---- */
void carom_lane_gather(carom_ensemble *e, int lane); /* state and columns of a lane out of its rows, into q, v, X */
carom_status carom_lane_serial(carom_ensemble *e, int lane); /* not CAROM_OK: the job is over */

/* ---- ensemble.c ---- */
bool carom_lane_strobe(carom_ensemble *e, int lane); /* a strobe is reached: false: the job is over */
static inline double carom_lane_time(const carom_ensemble *e, int lane)
{
    return e->base[lane] + e->s[lane];
}

#endif
