/* stage.h: what a step has to tell (segments, jumps, events, energy), kept until the step is committed or dropped. */
#ifndef CAROM_STAGE_H
#define CAROM_STAGE_H

#include "core/core.h"
#include "contact/given_modes.h"

typedef struct carom_stage {
    bool record;  /* somebody observes: stage segments, jumps and events, not only their number */
    bool account; /* somebody asked for the energy balance */
    int nsegment, njump, nevent, segment_max, jump_max, event_max;
    carom_segment *segment; /* [segment_max] */
    carom_jump *jump;       /* [jump_max] */
    carom_event *event;     /* [event_max] */
    double *pool;           /* [pool_max] doubles of the staged segments and jumps */
    carom_link_mode *modes; /* [ncontact] along the step, of schemes that tell them */
    double *branches;       /* [nswitch] of the forces along the step, likewise */
    const long long *id;    /* [ncontact] of contacts that are found; NULL: their numbers */
    int pool_used, pool_max;
    bool remarkable; /* something of the next five lines happened */
    int nevents; /* staged or only counted */
    long count[CAROM_EVENT_TYPES];
    carom_zeno zeno[CAROM_ZENO_MAX];
    int nzeno;
    double law_difference, law_time; /* of the two laws of multiple impacts; when */
    long switches;                   /* changes of a branch of the forces */
    bool slides; double slide_time;  /* a branch is neither this nor that; when */
    double gained, gain_time;        /* energy of an impact whose rule does not forbid it; when */
    double penetration, residual;
    double work_external, work_constraints, impact, friction, viscous; /* energy of this step */
} carom_stage;

/* Room for `steps` segments with jumps, of polynomial degree up to `degree`. */
void carom_stage_layout(carom_layout *layout, carom_stage *stage, const carom_model *model, int nrow, int steps,
                        int degree);
void carom_stage_forget(carom_stage *stage); /* what was remarkable */
static inline void carom_stage_clear(carom_stage *stage)
{
    stage->residual = 0;
    if (stage->remarkable)
        carom_stage_forget(stage);
    if (!stage->record && !stage->account)
        return;
    stage->nsegment = stage->njump = stage->nevent = stage->pool_used = 0;
    stage->penetration = stage->work_external = stage->work_constraints = 0;
    stage->impact = stage->friction = stage->viscous = 0;
}
/* A segment from (t0, q0) to t1 of degree `degree` in xi and one less in v, its modes those at t1. Its polynomials and
 * forces are for the caller to fill; false: there is no room, or nobody looks. */
typedef struct carom_draft {
    double *xi, *v, *force; /* [degree*nv] [degree*nv] [nrow] */
    carom_segment *segment;
} carom_draft;
bool carom_stage_draft(carom_stage *stage, const carom_system *system, double t0, const double *q0, double t1,
                       const unsigned char *mode, int degree, carom_draft *piece);
/* One of length h with velocities linear in time, and positions to match that end at q1. */
bool carom_stage_parabola(carom_stage *stage, const carom_system *system, const carom_state *from, double t1,
                          double h, const double *q1, const double *v1, const unsigned char *mode,
                          carom_draft *piece);
void carom_stage_jump(carom_stage *stage, const carom_system *system, double t, const double *q, const double *v_before,
                      const double *v_after, const double *impulse);
/* What a change of mode is called. */
carom_event_type carom_event_of(carom_mode before, carom_mode after);
/* An event of a link with what belongs to it in u_before, u_after and impulse [nrow]. */
void carom_stage_contact(carom_stage *stage, carom_event_type type, double t, const carom_link *link,
                         const double *u_before, const double *u_after, const double *impulse);
void carom_stage_event(carom_stage *stage, const carom_event *event);
void carom_stage_zeno(carom_stage *stage, const carom_zeno *zeno);
void carom_stage_slide(carom_stage *stage, double t);
void carom_stage_switch(carom_stage *stage);
void carom_stage_gain(carom_stage *stage, double t, double energy);
void carom_stage_laws(carom_stage *stage, double t, double difference);
/* Hands everything to an observer in the order of time. */
void carom_stage_tell(const carom_stage *stage, const carom_observer *observer);

#endif
