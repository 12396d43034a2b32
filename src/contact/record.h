/* record.h: what a step has to tell (segments, jumps, events, energy), kept until the step is committed or dropped. */
#ifndef CAROM_RECORD_H
#define CAROM_RECORD_H

#include "core/core.h"
#include "contact/given_modes.h"

typedef struct carom_record {
    bool observed;  /* somebody observes: record segments, jumps and events, not only their number */
    bool account; /* somebody asked for the energy balance */
    int nsegment, njump, nevent, segment_max, jump_max, event_max;
    carom_segment *segment; /* [segment_max] */
    carom_jump *jump;       /* [jump_max] */
    carom_event *event;     /* [event_max] */
    double *pool;           /* [pool_max] doubles of the staged segments and jumps */
    carom_link_mode *modes; /* [ncontact] along the step, of schemes that tell them */
    double *branches;       /* [nswitch] of forces and gaps along the step, where branched */
    bool branched;
    struct {                /* accumulations of impacts were ended in the last jump of the step, after its impact: */
        bool on;
        double *q, *v, *impulse; /* [nq] [nv] [nrow] of that impact; what is closed then moves q a little, too */
        double *force;           /* [nrow] from then on */
    } ended;
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
    bool shares; double share_time;  /* the friction of slip depends on how redundant contacts share a force; when */
    double grazing, graze_time;      /* part of its velocity by which an impact is not known; when */
    double gained, gain_time;        /* energy of an impact whose rule does not forbid it; when */
    double penetration, residual;
    double work_external, work_constraints, impact, friction, viscous, dry; /* energy of this step */
} carom_record;

/* Room for `steps` segments with jumps, of polynomial degree up to `degree`. */
void carom_record_layout(carom_layout *layout, carom_record *record, const carom_model *model, int nrow, int steps,
                         int degree);
void carom_record_forget(carom_record *record); /* what was remarkable */
/* Of the power evaluated last, over a time h. */
static inline void carom_record_work(carom_record *record, const double *energy, double h)
{
    record->work_external += h * energy[2];
    record->viscous -= h * energy[3];
    record->dry -= h * energy[4];
}
static inline void carom_record_clear(carom_record *record)
{
    record->residual = 0, record->ended.on = false;
    if (record->remarkable)
        carom_record_forget(record);
    if (!record->observed && !record->account)
        return;
    record->nsegment = record->njump = record->nevent = record->pool_used = 0;
    record->penetration = record->work_external = record->work_constraints = 0;
    record->impact = record->friction = record->viscous = record->dry = 0;
}
/* A segment from (t0, q0) to t1 of degree `degree` in xi and one less in v, its modes those at t1. Its polynomials and
 * forces are for the caller to fill; false: there is no room, or nobody looks. */
typedef struct carom_draft {
    double *xi, *v, *force; /* [degree*nv] [degree*nv] [nrow] */
    carom_segment *segment;
} carom_draft;
/* Room for the forces along a segment, [(degree+1)*nrow] powers of its time; degree is below that of the segment. NULL:
 * there is none. */
double *carom_record_forces(carom_record *record, const carom_system *system, const carom_draft *piece, int degree);
bool carom_record_draft(carom_record *record, const carom_system *system, double t0, const double *q0, double t1,
                        const unsigned char *mode, int degree, carom_draft *piece);
/* One of length h with velocities linear in time, and positions to match that end at q1. */
bool carom_record_parabola(carom_record *record, const carom_system *system, const carom_state *from, double t1,
                           double h, const double *q1, const double *v1, const unsigned char *mode,
                           carom_draft *piece);
void carom_record_jump(carom_record *record, const carom_system *system, double t, const double *q,
                       const double *v_before, const double *v_after, const double *impulse);
/* What a change of mode is called. */
carom_event_type carom_event_of(carom_mode before, carom_mode after);
/* An event of a link with what belongs to it in u_before, u_after and impulse [nrow]. */
void carom_record_contact(carom_record *record, carom_event_type type, double t, const carom_link *link,
                          const double *u_before, const double *u_after, const double *impulse);
void carom_record_event(carom_record *record, const carom_event *event);
void carom_record_zeno(carom_record *record, const carom_zeno *zeno);
void carom_record_slide(carom_record *record, double t);
void carom_record_share(carom_record *record, double t);
void carom_record_switch(carom_record *record);
void carom_record_grazing(carom_record *record, double t, double part);
void carom_record_gain(carom_record *record, double t, double energy);
void carom_record_laws(carom_record *record, double t, double difference);
/* Hands everything to an observer in the order of time. */
void carom_record_tell(const carom_record *record, const carom_observer *observer);

#endif
