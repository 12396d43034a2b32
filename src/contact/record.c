/* record.c: what a step has to tell, kept until the step is committed or dropped. */
#include <string.h>

#include "contact/record.h"

void carom_record_layout(carom_layout *layout, carom_record *record, const carom_model *model, int nrow, int steps,
                         int degree)
{
    int per_segment = (degree + 1) * (model->nq + model->nv + nrow) + model->ncontact;
    int per_jump = model->nq + 2 * model->nv + nrow;
    record->segment_max = steps;
    record->jump_max = steps;
    record->event_max = steps * (4 * model->ncontact + 1);
    record->pool_max = steps * (per_segment + per_jump);
    CAROM_PLACE(layout, record->segment, record->segment_max);
    CAROM_PLACE(layout, record->jump, record->jump_max);
    CAROM_PLACE(layout, record->event, record->event_max);
    CAROM_PLACE(layout, record->pool, record->pool_max);
    CAROM_PLACE(layout, record->modes, model->ncontact);
    CAROM_PLACE(layout, record->branches, model->nswitch);
    CAROM_PLACE(layout, record->ended.q, model->nq);
    CAROM_PLACE(layout, record->ended.v, model->nv);
    CAROM_PLACE(layout, record->ended.impulse, nrow);
    CAROM_PLACE(layout, record->ended.force, nrow);
}

void carom_record_forget(carom_record *record)
{
    memset(record->count, 0, sizeof record->count);
    record->nevents = record->nzeno = 0;
    record->law_difference = record->gained = record->grazing = 0;
    record->switches = 0, record->slides = record->shares = record->branched = false;
    record->remarkable = false;
}

/* n doubles that live until the step is committed; NULL when the buffer is full. */
static double *take(carom_record *record, int n)
{
    if (n > record->pool_max - record->pool_used)
        return NULL;
    double *room = record->pool + record->pool_used;
    record->pool_used += n;
    return room;
}

static const double *keep(carom_record *record, int n, const double *values)
{
    double *room = take(record, n);
    if (room)
        carom_copy(n, values, room);
    return room;
}

bool carom_record_draft(carom_record *record, const carom_system *system, double t0, const double *q0, double t1,
                        const unsigned char *mode, int degree, carom_draft *piece)
{
    int nc = system->model->ncontact;
    if (!record->observed || record->nsegment == record->segment_max)
        return false;
    const double *start = keep(record, system->nq, q0);
    *piece = (carom_draft){take(record, degree * system->nv), take(record, degree * system->nv),
                           take(record, system->nrow), &record->segment[record->nsegment]};
    unsigned char *modes = (unsigned char *)take(record, (nc + 7) / 8);
    if (!modes)
        return false;
    memcpy(modes, mode, (size_t)nc);
    *piece->segment = (carom_segment){.t0 = t0, .t1 = t1, .q_degree = degree, .v_degree = degree - 1, .q0 = start,
                                      .xi = piece->xi, .v = piece->v, .force = piece->force, .mode = modes};
    record->nsegment++;
    return true;
}

double *carom_record_forces(carom_record *record, const carom_system *system, const carom_draft *piece, int degree)
{
    double *forces = take(record, (degree + 1) * system->nrow);
    piece->segment->force_at = forces, piece->segment->force_degree = forces ? degree : 0;
    return forces;
}

bool carom_record_parabola(carom_record *record, const carom_system *system, const carom_state *from, double t1,
                           double h, const double *q1, const double *v1, const unsigned char *mode,
                           carom_draft *piece)
{
    int nv = system->nv;
    if (!carom_record_draft(record, system, from->t, from->q, t1, mode, 2, piece))
        return false;
    double *xi = piece->xi, *v = piece->v;
    carom_system_local(system, from->q, q1, xi);
    for (int i = 0; i < nv; i++) {
        v[i] = from->v[i], v[nv + i] = v1[i] - from->v[i];
        xi[nv + i] = 0.5 * h * v[nv + i], xi[i] -= xi[nv + i];
    }
    return true;
}

void carom_record_jump(carom_record *record, const carom_system *system, double t, const double *q,
                       const double *v_before, const double *v_after, const double *impulse)
{
    if (!record->observed || record->njump == record->jump_max)
        return;
    carom_jump jump = {.t = t, .q = keep(record, system->nq, q), .v_before = keep(record, system->nv, v_before),
                       .v_after = keep(record, system->nv, v_after), .impulse = keep(record, system->nrow, impulse)};
    if (jump.impulse)
        record->jump[record->njump++] = jump;
}

carom_event_type carom_event_of(carom_mode before, carom_mode after)
{
    return before == CAROM_OPEN   ? CAROM_EVENT_CLOSING
           : after == CAROM_OPEN  ? CAROM_EVENT_OPENING
           : after == CAROM_STICK ? CAROM_EVENT_STICK
                                  : CAROM_EVENT_SLIP;
}

void carom_record_contact(carom_record *record, carom_event_type type, double t, const carom_link *link,
                          const double *u_before, const double *u_after, const double *impulse)
{
    carom_event event = {.type = type, .t = t, .contact = link->contact};
    for (int j = 0, r = link->row; j < link->rows; j++, r++)
        event.u_before[j] = u_before[r], event.u_after[j] = u_after[r], event.impulse[j] = impulse[r];
    carom_record_event(record, &event);
}

void carom_record_event(carom_record *record, const carom_event *event)
{
    record->nevents++, record->remarkable = true;
    record->count[event->type]++;
    if (record->observed && record->nevent < record->event_max) {
        carom_event *staged = &record->event[record->nevent++];
        *staged = *event;
        if (event->contact >= 0)
            staged->id = record->id ? record->id[event->contact] : event->contact;
    }
}

void carom_record_zeno(carom_record *record, const carom_zeno *zeno)
{
    record->remarkable = true;
    if (record->nzeno < CAROM_ZENO_MAX)
        record->zeno[record->nzeno] = *zeno;
    record->nzeno++;
}

void carom_record_slide(carom_record *record, double t)
{
    record->slides = record->remarkable = true, record->slide_time = t;
}

void carom_record_share(carom_record *record, double t)
{
    record->shares = record->remarkable = true, record->share_time = t;
}

void carom_record_switch(carom_record *record)
{
    record->switches++, record->remarkable = true;
}

void carom_record_laws(carom_record *record, double t, double difference)
{
    if (difference > record->law_difference)
        record->law_difference = difference, record->law_time = t, record->remarkable = true;
}

void carom_record_tell(const carom_record *record, const carom_observer *observer)
{
    int jump = 0, event = 0;
    for (int i = 0; i < record->nsegment; i++) {
        const carom_segment *s = &record->segment[i];
        bool last = i == record->nsegment - 1;
        if (observer->segment)
            observer->segment(observer->user, s);
        for (; jump < record->njump && (last || record->jump[jump].t <= s->t1); jump++)
            if (observer->jump)
                observer->jump(observer->user, &record->jump[jump]);
        for (; event < record->nevent && (last || record->event[event].t <= s->t1); event++)
            if (observer->event)
                observer->event(observer->user, &record->event[event]);
    }
}

void carom_record_grazing(carom_record *record, double t, double part)
{
    record->grazing = CAROM_MAX(record->grazing, part), record->graze_time = t;
    record->remarkable = true;
}

void carom_record_gain(carom_record *record, double t, double energy)
{
    record->gained += energy, record->gain_time = t;
    record->remarkable = true;
}
