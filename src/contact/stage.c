/* stage.c: what a step has to tell, kept until the step is committed or dropped. */
#include <string.h>

#include "contact/stage.h"

void carom_stage_layout(carom_layout *layout, carom_stage *stage, const carom_model *model, int nrow, int steps,
                        int degree)
{
    int per_segment = (degree + 1) * (model->nq + model->nv) + nrow + model->ncontact;
    int per_jump = model->nq + 2 * model->nv + nrow;
    stage->segment_max = steps;
    stage->jump_max = steps;
    stage->event_max = steps * (4 * model->ncontact + 1);
    stage->pool_max = steps * (per_segment + per_jump);
    CAROM_PLACE(layout, stage->segment, stage->segment_max);
    CAROM_PLACE(layout, stage->jump, stage->jump_max);
    CAROM_PLACE(layout, stage->event, stage->event_max);
    CAROM_PLACE(layout, stage->pool, stage->pool_max);
    CAROM_PLACE(layout, stage->modes, model->ncontact);
    CAROM_PLACE(layout, stage->branches, model->nswitch);
}

void carom_stage_forget(carom_stage *stage)
{
    memset(stage->count, 0, sizeof stage->count);
    stage->nevents = stage->nzeno = 0;
    stage->law_difference = stage->gained = 0;
    stage->switches = 0, stage->slides = false;
    stage->remarkable = false;
}

/* n doubles that live until the step is committed; NULL when the buffer is full. */
static double *take(carom_stage *stage, int n)
{
    if (n > stage->pool_max - stage->pool_used)
        return NULL;
    double *room = stage->pool + stage->pool_used;
    stage->pool_used += n;
    return room;
}

static const double *keep(carom_stage *stage, int n, const double *values)
{
    double *room = take(stage, n);
    if (room)
        carom_copy(n, values, room);
    return room;
}

bool carom_stage_draft(carom_stage *stage, const carom_system *system, double t0, const double *q0, double t1,
                       const unsigned char *mode, int degree, carom_draft *piece)
{
    int nc = system->model->ncontact;
    if (!stage->record || stage->nsegment == stage->segment_max)
        return false;
    const double *start = keep(stage, system->nq, q0);
    *piece = (carom_draft){take(stage, degree * system->nv), take(stage, degree * system->nv),
                           take(stage, system->nrow), &stage->segment[stage->nsegment]};
    unsigned char *modes = (unsigned char *)take(stage, (nc + 7) / 8);
    if (!modes)
        return false;
    memcpy(modes, mode, (size_t)nc);
    *piece->segment = (carom_segment){.t0 = t0, .t1 = t1, .q_degree = degree, .v_degree = degree - 1, .q0 = start,
                                      .xi = piece->xi, .v = piece->v, .force = piece->force, .mode = modes};
    stage->nsegment++;
    return true;
}

bool carom_stage_parabola(carom_stage *stage, const carom_system *system, const carom_state *from, double t1,
                          double h, const double *q1, const double *v1, const unsigned char *mode,
                          carom_draft *piece)
{
    int nv = system->nv;
    if (!carom_stage_draft(stage, system, from->t, from->q, t1, mode, 2, piece))
        return false;
    double *xi = piece->xi, *v = piece->v;
    carom_system_local(system, from->q, q1, xi);
    for (int i = 0; i < nv; i++) {
        v[i] = from->v[i], v[nv + i] = v1[i] - from->v[i];
        xi[nv + i] = 0.5 * h * v[nv + i], xi[i] -= xi[nv + i];
    }
    return true;
}

void carom_stage_jump(carom_stage *stage, const carom_system *system, double t, const double *q, const double *v_before,
                      const double *v_after, const double *impulse)
{
    if (!stage->record || stage->njump == stage->jump_max)
        return;
    carom_jump jump = {.t = t, .q = keep(stage, system->nq, q), .v_before = keep(stage, system->nv, v_before),
                       .v_after = keep(stage, system->nv, v_after), .impulse = keep(stage, system->nrow, impulse)};
    if (jump.impulse)
        stage->jump[stage->njump++] = jump;
}

carom_event_type carom_event_of(carom_mode before, carom_mode after)
{
    return before == CAROM_OPEN   ? CAROM_EVENT_CLOSING
           : after == CAROM_OPEN  ? CAROM_EVENT_OPENING
           : after == CAROM_STICK ? CAROM_EVENT_STICK
                                  : CAROM_EVENT_SLIP;
}

void carom_stage_contact(carom_stage *stage, carom_event_type type, double t, const carom_link *link,
                         const double *u_before, const double *u_after, const double *impulse)
{
    carom_event event = {.type = type, .t = t, .contact = link->contact};
    for (int j = 0, r = link->row; j < link->rows; j++, r++)
        event.u_before[j] = u_before[r], event.u_after[j] = u_after[r], event.impulse[j] = impulse[r];
    carom_stage_event(stage, &event);
}

void carom_stage_event(carom_stage *stage, const carom_event *event)
{
    stage->nevents++, stage->remarkable = true;
    stage->count[event->type]++;
    if (stage->record && stage->nevent < stage->event_max) {
        carom_event *staged = &stage->event[stage->nevent++];
        *staged = *event;
        staged->id = stage->id ? stage->id[event->contact] : event->contact;
    }
}

void carom_stage_zeno(carom_stage *stage, const carom_zeno *zeno)
{
    stage->remarkable = true;
    if (stage->nzeno < CAROM_ZENO_MAX)
        stage->zeno[stage->nzeno++] = *zeno;
}

void carom_stage_slide(carom_stage *stage, double t)
{
    stage->slides = stage->remarkable = true, stage->slide_time = t;
}

void carom_stage_switch(carom_stage *stage)
{
    stage->switches++, stage->remarkable = true;
}

void carom_stage_laws(carom_stage *stage, double t, double difference)
{
    if (difference > stage->law_difference)
        stage->law_difference = difference, stage->law_time = t, stage->remarkable = true;
}

void carom_stage_tell(const carom_stage *stage, const carom_observer *observer)
{
    int jump = 0, event = 0;
    for (int i = 0; i < stage->nsegment; i++) {
        const carom_segment *s = &stage->segment[i];
        bool last = i == stage->nsegment - 1;
        if (observer->segment)
            observer->segment(observer->user, s);
        for (; jump < stage->njump && (last || stage->jump[jump].t <= s->t1); jump++)
            if (observer->jump)
                observer->jump(observer->user, &stage->jump[jump]);
        for (; event < stage->nevent && (last || stage->event[event].t <= s->t1); event++)
            if (observer->event)
                observer->event(observer->user, &stage->event[event]);
    }
}

void carom_stage_gain(carom_stage *stage, double t, double energy)
{
    stage->gained += energy, stage->gain_time = t;
    stage->remarkable = true;
}
