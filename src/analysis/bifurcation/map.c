/* map.c: the points that a run leaves in a map.
 *
 *   strobe    at t = k T
 *   section   where an expression s(t, q, v) crosses zero on the dense output: its sign is taken at nine places in a
 *             segment, and
 *             a change is followed down to rounding of the time. Jumps do not cross.       (1)
 *   impact    at impacts, with the velocities just before (or after)
 *
 * A zero of s at one of the nine places belongs to the change of sign around it; where s stays 0 (at rest on the
 * section) nothing is taken. Two crossings between neighbouring places are not seen. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/bifurcation/bifurcation.h"
#include "core/bracket.h"
#include "core/dense.h"
#include "core/polynomial.h"
#include "model/model.h"
#include "sim/quantity.h"
#include "sim/sim.h"

enum { PLACES = 8, JUMPS = 8 };

typedef struct jump { /* kept until its event comes */
    double t;
    double *q, *v; /* [nq] [nv] */
} jump;

struct carom_mapper {
    const carom_model *model;
    const carom_bifurcation_request *request;
    carom_sim *sim;
    int section;          /* an expression; -1: none */
    carom_quantity of;    /* if the request has one */
    unsigned char *mode;  /* [ncontact] along the present segment */
    int contact;          /* -1: any */
    long show, transient, limit;
    const double *p;      /* of this run */
    double *slopes;       /* [np] of the period, not used */
    double *q, *v;        /* [nq] [nv] on a segment */
    jump jumps[JUMPS];
    int njump;
    bool taking;
    double last_t, last_s; /* where the section function was not 0 last; NAN: nowhere */
    long n;
    double *t, *x;        /* [show] */
    double *memory;
};

static void take(carom_mapper *m, double t, double x)
{
    if (m->n < m->show)
        m->t[m->n] = t, m->x[m->n++] = x;
}

double carom_mapper_value(carom_mapper *m, double t, const double *q, const double *v, const unsigned char *mode,
                          const double *p)
{
    return m->request->of ? carom_quantity_value(&m->of, m->model, t, q, v, mode, p) : q[0];
}

/* ---- sections ---- */

/* The section function at s in [0, 1] of a segment; q and v there. */
static double section_at(carom_mapper *m, const carom_segment *seg, double s)
{
    carom_segment_at(m->model, seg, s, m->q, m->v);
    return carom_model_value(m->model, m->section, seg->t0 + s * (seg->t1 - seg->t0), m->q, m->v, m->p);
}

/* The root between a and b, where the function has the values fa and fb of opposite signs. */
static double root(carom_mapper *m, const carom_segment *seg, double a, double fa, double b, double fb)
{
    carom_bracket c = {a, b, fa, fb, 0, 0};
    double s = fabs(fa) < fabs(fb) ? a : b, least = fmin(fabs(fa), fabs(fb));
    while (c.k < 200 && c.high - c.low > 4 * DBL_EPSILON * fabs(c.high) && least > 0) {
        double x = carom_bracket_next(&c, NAN), f = section_at(m, seg, x);
        carom_bracket_put(&c, x, f, (f < 0) == (fb < 0));
        if (fabs(f) < least)
            s = x, least = fabs(f);
    }
    return s;
}

static void cross(carom_mapper *m, const carom_segment *seg, double a, double fa, double b, double fb)
{
    int way = fb > fa ? 1 : -1;
    if (m->request->crossing && m->request->crossing != way)
        return;
    double s = root(m, seg, a, fa, b, fb), t = seg->t0 + s * (seg->t1 - seg->t0);
    section_at(m, seg, s);
    take(m, t, carom_mapper_value(m, t, m->q, m->v, m->mode, m->p));
}

static void find_crossings(carom_mapper *m, const carom_segment *seg)
{
    double a = 0, fa = NAN;
    if (!m->taking || m->n == m->show)
        return;
    for (int k = 0; k <= PLACES; k++) {
        double b = (double)k / PLACES, fb = section_at(m, seg, b);
        if (fb == 0 && k < PLACES)
            continue;
        bool begins = isnan(fa), touched = m->last_t == seg->t0; /* the segment before ended in 0 */
        if (begins && touched && m->last_s * fb < 0)
            cross(m, seg, 0, copysign(DBL_MIN, m->last_s), b, fb);                                  /* (1) */
        else if (!begins && fa * fb < 0)
            cross(m, seg, a, fa, b, fb);
        m->last_t = NAN;
        if (fb == 0) { /* k = PLACES: what follows decides */
            m->last_t = seg->t1, m->last_s = fa;
            continue;
        }
        a = b, fa = fb;
    }
}

static void see_segment(void *user, const carom_segment *seg)
{
    carom_mapper *m = user;
    find_crossings(m, seg);
    memcpy(m->mode, seg->mode, (size_t)m->model->ncontact);
}

/* ---- impacts ---- */

static void see_jump(void *user, const carom_jump *at)
{
    carom_mapper *m = user;
    jump *j = &m->jumps[m->njump++ % JUMPS];
    if (!m->taking)
        return;
    j->t = at->t;
    carom_copy(m->model->nq, at->q, j->q);
    carom_copy(m->model->nv, m->request->after ? at->v_after : at->v_before, j->v);
}

static void see_event(void *user, const carom_event *event)
{
    carom_mapper *m = user;
    if (!m->taking || event->type != CAROM_EVENT_IMPACT || (m->contact >= 0 && event->contact != m->contact))
        return;
    if (!m->request->of) {
        take(m, event->t, m->request->after ? event->u_after[0] : event->u_before[0]);
        return;
    }
    for (int i = 0; i < JUMPS; i++)
        if (m->jumps[i].t == event->t) {
            take(m, event->t, carom_mapper_value(m, event->t, m->jumps[i].q, m->jumps[i].v, NULL, m->p));
            return;
        }
}

/* ---- set-up ---- */

void carom_mapper_free(carom_mapper *m)
{
    if (!m)
        return;
    carom_sim_free(m->sim);
    carom_quantity_free(&m->of);
    free(m->mode);
    free(m->memory);
    free(m);
}

static carom_status find_contact(carom_mapper *m, carom_error *error)
{
    const carom_model *model = m->model;
    const char *name = m->request->contact;
    m->contact = -1;
    if (m->request->map == CAROM_MAP_IMPACT && model->ncontact == 0 && !model->links)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "model '%s' has no contacts and no impacts", model->name);
    for (int i = 0; name && i < model->ncontact; i++) {
        char buffer[32];
        if (!strcmp(name, carom_model_contact_name(model, i, buffer)))
            m->contact = i;
    }
    if (name && m->contact < 0)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "model '%s' has no contact '%s'", model->name, name);
    return CAROM_OK;
}

static carom_status prepare(carom_mapper *m, const carom_options *options, carom_error *error)
{
    const carom_bifurcation_request *r = m->request;
    const carom_model *model = m->model;
    carom_options own = *options;
    own.energy = false;
    if (carom_scheme_is(&own, CAROM_CLOSED_FORM) &&
        r->map != CAROM_MAP_SECTION) /* its flights are exact for any step: the longer, the cheaper */
        own.h = (model->period > 0 ? model->period : 1) / 4;
    m->section = -1;
    CAROM_TRY(find_contact(m, error));
    if (r->map == CAROM_MAP_SECTION && !r->section)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "a section map needs its expression");
    if (r->map == CAROM_MAP_SECTION)
        CAROM_TRY(carom_model_expression_text(model, r->section, &m->section, error));
    if (r->of)
        CAROM_TRY(carom_quantity_find(&m->of, model, r->of, error));
    if (m->of.reactions && r->map == CAROM_MAP_IMPACT)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "an impact has an impulse: '%s' is a force between impacts", r->of);
    int each = model->nq + model->nv;
    m->memory = calloc((size_t)((JUMPS + 1) * each + model->np), sizeof(double));
    m->mode = calloc((size_t)model->ncontact + 1, 1);
    if (!m->memory || !m->mode)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for a map");
    m->q = m->memory;
    m->v = m->q + model->nq;
    for (int i = 0; i < JUMPS; i++) {
        m->jumps[i].q = m->memory + (i + 1) * each;
        m->jumps[i].v = m->jumps[i].q + model->nq;
    }
    m->slopes = m->memory + (JUMPS + 1) * each;
    CAROM_TRY(carom_sim_new(&m->sim, model, &own, error));
    carom_sim_set_interrupt(m->sim, r->stop, r->user);
    if (r->map == CAROM_MAP_STROBE)
        return CAROM_OK;
    const carom_observer observer = {.size = sizeof observer, .user = m,
                                     .segment = r->map == CAROM_MAP_SECTION ? see_segment : NULL,
                                     .jump = r->map == CAROM_MAP_IMPACT && r->of ? see_jump : NULL,
                                     .event = r->map == CAROM_MAP_IMPACT ? see_event : NULL};
    return carom_sim_observe(m->sim, &observer);
}

carom_status carom_mapper_new(carom_mapper **result, const carom_model *model, const carom_options *options,
                              const carom_bifurcation_request *request, carom_error *error)
{
    carom_mapper *m = *result = calloc(1, sizeof *m);
    if (!m)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for a map");
    m->model = model;
    m->request = request;
    m->show = request->show > 0 ? request->show : 100;
    m->transient = request->transient >= 0 ? request->transient : 200;
    m->limit = request->limit > 0 ? request->limit : 20 * m->show;
    carom_status status = prepare(m, options, error);
    if (status != CAROM_OK) {
        carom_mapper_free(m);
        *result = NULL;
    }
    return status;
}

/* ---- a run ---- */

carom_status carom_mapper_run(carom_mapper *m, double *q, double *v, const double *p, long *n, double *t, double *x,
                              carom_error *error)
{
    const carom_state *s = carom_sim_state(m->sim);
    double period = carom_model_period(m->model, p, m->slopes), unit = period > 0 ? period : 1;
    m->p = p;
    m->n = 0, m->t = t, m->x = x;
    m->last_t = NAN;
    m->taking = false;
    for (int i = 0; i < JUMPS; i++)
        m->jumps[i].t = NAN;
    *n = 0;
    CAROM_TRY(carom_sim_pass(m->sim, carom_sim_restart(m->sim, q, v, p), error));
    memcpy(m->mode, s->mode, (size_t)m->model->ncontact);
    for (long k = 1; k <= m->transient; k++)
        CAROM_TRY(carom_sim_reach(m->sim, (double)k * unit, error));
    m->taking = true;
    for (long k = 1; m->n < m->show && k <= m->limit; k++) {
        CAROM_TRY(carom_sim_reach(m->sim, (double)(m->transient + k) * unit, error));
        if (m->request->map == CAROM_MAP_STROBE)
            take(m, s->t, carom_mapper_value(m, s->t, s->q, s->v, s->mode, p));
    }
    carom_copy(m->model->nq, s->q, q);
    carom_copy(m->model->nv, s->v, v);
    *n = m->n;
    return CAROM_OK;
}
