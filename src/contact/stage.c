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

double *carom_stage_take(carom_stage *stage, int n)
{
    if (n > stage->pool_max - stage->pool_used)
        return NULL;
    double *room = stage->pool + stage->pool_used;
    stage->pool_used += n;
    return room;
}

void carom_stage_segment(carom_stage *stage, const carom_segment *segment)
{
    if (stage->record && stage->nsegment < stage->segment_max)
        stage->segment[stage->nsegment++] = *segment;
}

void carom_stage_jump(carom_stage *stage, const carom_jump *jump)
{
    if (stage->record && stage->njump < stage->jump_max)
        stage->jump[stage->njump++] = *jump;
}

void carom_stage_event(carom_stage *stage, const carom_event *event)
{
    stage->nevents++, stage->remarkable = true;
    stage->count[event->type]++;
    if (stage->record && stage->nevent < stage->event_max)
        stage->event[stage->nevent++] = *event;
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
