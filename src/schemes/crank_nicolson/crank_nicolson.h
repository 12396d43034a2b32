/* crank_nicolson.h: what the parts of the scheme share: where a step has got to, and the trial from there. */
#ifndef CAROM_CRANK_NICOLSON_H
#define CAROM_CRANK_NICOLSON_H

#include "contact/scale.h"
#include "schemes/scheme.h"

/* What is remembered beside the modes: the time of the last impact, whether the modes of the start are decided. */
enum { CAROM_CN_STRUCK, CAROM_CN_DECIDED, CAROM_CN_MEMORY };
enum { CAROM_CN_PIECES = 96, CAROM_CN_STALL = 64 }; /* pieces of a step; events in a row that take no time */

typedef struct carom_cn {
    carom_state at;            /* where the step has got to */
    double tau;                /* at.t is t + tau */
    double dt, trial;          /* of the flow at hand; of the trial whose ends are in g0 ... u1 */
    carom_link_mode *modes, *modes1; /* [ncontact] where the step has got to; with the slip at the end of the trial */
    double *slip;              /* [nrow] directions by row, for a decision */
    double *a0, *x0;           /* [nv] [nrow] acceleration and forces at the start */
    double *q1, *v1, *x1;      /* [nq] [nv] [nrow] end of the trial, forces there */
    double *qs, *vs;           /* [nq] [nv] a point of the dense output */
    double *a1, *v_free, *v_new, *v_old; /* [nv] */
    double *g0, *g1, *g_bar;   /* [nlink] gaps at both ends */
    double *u0, *u1;           /* [nrow] their velocities */
    double *a_d, *x_d;         /* [nv] [nrow] of a decision */
    double *jump;              /* [nrow] impulses of the impact at hand */
    unsigned char *touch;      /* [ncontact] contacts of the impact at hand */
    carom_link_mode *modes_p;  /* [ncontact] for the projection of positions */
    carom_factor K;
    carom_given_modes given;
    carom_scale *scale;        /* [nlink] at an impact; speeds at the start of a trial */
    bool links;                /* a joint, or a contact that is not open */
    int stall;
} carom_cn;

/* Acceleration and forces at the start of a trial, for the modes there; rows: G, w and gamma are wanted anyway. */
carom_status carom_cn_accelerate(carom_step *step, carom_cn *w, bool rows);
/* The trial of length dt from w->at: q1, v1, x1. */
carom_status carom_cn_flow(carom_step *step, carom_cn *w, double dt);
/* The point s of the trial's parabola: qs, vs. */
void carom_cn_dense(const carom_system *system, const carom_cn *w, double s);

typedef enum carom_cn_kind { CAROM_CN_NONE, CAROM_CN_HIT, CAROM_CN_BREAK, CAROM_CN_HALT, CAROM_CN_TURN } carom_cn_kind;
typedef struct carom_cn_event { /* the first thing that ends the validity of the modes on the trial */
    carom_cn_kind kind;
    double s;
    int contact;
} carom_cn_event;
carom_status carom_cn_first(carom_step *step, carom_cn *w, carom_cn_event *event);
/* Modes by the acceleration-level problem at w->at: who breaks loose and, if asked, who opens. */
carom_status carom_cn_decide(carom_step *step, carom_cn *w, bool open);
bool carom_cn_several(const carom_system *system, const carom_cn *w); /* contacts are closed */
/* The velocity-level problem for the contacts in touch, and rest for those that bounce too little to be resolved. */
carom_status carom_cn_impact(carom_step *step, carom_cn *w);
/* A closed contact that carries nothing where others hold what it would: part of the state, in the flags of modes. */
static inline carom_mode carom_cn_mode_of(const carom_cn *w, int contact)
{
    bool passive = w->modes[contact].flags && w->at.mode[contact] != CAROM_OPEN;
    return passive ? CAROM_PASSIVE : (carom_mode)w->at.mode[contact];
}
/* Sets a mode and stages the event. */
void carom_cn_mode(carom_step *step, carom_cn *w, int contact, carom_mode mode);
/* u_T of a contact at (G, w) of the system: stick, or slip and its direction; after w->scale. */
carom_mode carom_cn_tangential(const carom_system *system, carom_cn *w, const carom_link *link, const double *v);
/* y onto the modes, w->given: equations with any factor A. */
void carom_cn_hold(const carom_system *system, carom_cn *w, carom_link_mode *modes, const carom_factor *A,
                   const double *offset, double *y, double *force);
/* Velocities onto the modes of w->at: u = 0 on the rows of what is closed or sticks. x1 holds the impulses. */
carom_status carom_cn_velocities(carom_step *step, carom_cn *w);

/* One pass (26)-(38) as printed. */
carom_status carom_cn_printed(carom_step *step, carom_cn *w);
carom_status carom_cn_printed_accepts(const carom_model *model, carom_error *error);
/* The piece of length ds from w->at to (q1, v1): positions settled, segment and energy staged, w->at moved there. */
carom_status carom_cn_move(carom_step *step, carom_cn *w, double ds);
/* Stages the jump from velocities v_before to w->at.v with the impulses w->jump. */
void carom_cn_stage_jump(carom_step *step, carom_cn *w, const double *v_before);
/* Where there is an end of the step at w->at: fills next. */
carom_status carom_cn_end(carom_step *step, carom_cn *w);

#endif
