/* verify.c: how far a run is from a more accurate one of the same model, and from runs of another family of schemes.
 *
 * A run is kept as positions at the times  stride j t_end / 2^20,  j = 1, 2, ...  The stride begins at 1 and doubles
 * whenever the room is full, every other sample being dropped: a run that ends early has as many as one that reaches
 * t_end, memory does not grow with the steps, and the times of two runs are among each other's. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/converge/norms.h"
#include "analysis/verify.h"
#include "schemes/scheme.h"
#include "sim/atol.h"

enum { ROOM = 4096 };
static const double parts = 1 << 20;

struct carom_samples {
    const carom_model *model;
    int nq, n;       /* coordinates; samples */
    double t_end, t; /* of the options; of the run so far */
    long stride;
    double *q, *v;   /* [ROOM*nq]; [nv] room */
    carom_sim *sim;
    const carom_verify *ask; /* NULL: nobody wants to know */
};

/* The time of sample i, from 1. */
static double time_of(const carom_samples *s, long i)
{
    return s->t_end * ((double)(s->stride * i) / parts);
}

static void thin_out(carom_samples *s)
{
    for (int i = 0; i < s->n / 2; i++)
        memcpy(s->q + i * s->nq, s->q + (2 * i + 1) * s->nq, sizeof(double) * (size_t)s->nq);
    s->n /= 2, s->stride *= 2;
}

static void on_segment(void *user, const carom_segment *segment)
{
    carom_samples *s = user;
    double t;
    while (segment->t1 > segment->t0 && (t = time_of(s, s->n + 1)) <= segment->t1) {
        double x = fmax((t - segment->t0) / (segment->t1 - segment->t0), 0), *q = s->q + s->n * s->nq;
        carom_segment_at(s->model, segment, x, q, s->v);
        if (++s->n == ROOM)
            thin_out(s);
    }
    s->t = segment->t1;
    if (s->ask && s->ask->go_on && !s->ask->go_on(s->ask->user, s->t))
        carom_sim_interrupt(s->sim);
}

carom_status carom_samples_new(carom_samples **samples, carom_sim *sim, const carom_model *model, carom_error *error)
{
    carom_samples *s = calloc(1, sizeof *s);
    *samples = s;
    if (s) {
        const carom_observer observer = {.size = sizeof observer, .user = s, .segment = on_segment};
        double t_end = carom_sim_options(sim)->t_end;
        *s = (carom_samples){.model = model, .nq = model->nq, .t_end = t_end, .stride = 1, .sim = sim};
        s->q = malloc(sizeof(double) * (size_t)ROOM * (size_t)s->nq);
        s->v = malloc(sizeof(double) * (size_t)model->nv);
        if (s->q && s->v && carom_sim_observe(sim, &observer) == CAROM_OK)
            return CAROM_OK;
    }
    carom_samples_free(s);
    *samples = NULL;
    CAROM_FAIL(error, CAROM_NO_MEMORY, "a run cannot be sampled");
}

void carom_samples_free(carom_samples *samples)
{
    if (samples)
        free(samples->q), free(samples->v);
    free(samples);
}

/* ---- comparing ---- */
static void compare(carom_verify *v, const carom_options *options, const double *atol, const carom_samples *a,
                            const carom_samples *b)
{
    long stride = CAROM_MAX(a->stride, b->stride), of_a = stride / a->stride, of_b = stride / b->stride;
    for (long i = 1; i <= CAROM_MIN(a->n / of_a, b->n / of_b); i++) {
        const double *x = a->q + (i * of_a - 1) * a->nq, *y = b->q + (i * of_b - 1) * b->nq;
        for (int k = 0; k < a->nq; k++) {
            v->error[k] = fmax(v->error[k], fabs(x[k] - y[k]));
            v->allowed[k] = fmax(v->allowed[k], atol[k] + options->rtol * fabs(y[k]));
        }
    }
    v->t_end = fmin(a->t, b->t);
}

/* Largest distance of two runs in each coordinate. */
static void distance(const carom_samples *a, const carom_samples *b, double *most)
{
    long stride = CAROM_MAX(a->stride, b->stride), of_a = stride / a->stride, of_b = stride / b->stride;
    memset(most, 0, sizeof(double) * (size_t)a->nq);
    for (long i = 1; i <= CAROM_MIN(a->n / of_a, b->n / of_b); i++)
        for (int k = 0; k < a->nq; k++)
            most[k] = fmax(most[k], fabs(a->q[(i * of_a - 1) * a->nq + k] - b->q[(i * of_b - 1) * b->nq + k]));
}

typedef struct run {
    carom_sim *sim;
    carom_samples *samples;
} run;

static void drop(run *r)
{
    carom_sim_free(r->sim);
    carom_samples_free(r->samples);
}

static carom_status follow(run *r, const carom_model *model, const carom_options *options, const carom_verify *ask,
                           carom_error *error)
{
    CAROM_TRY(carom_sim_new(&r->sim, model, options, error));
    CAROM_TRY(carom_samples_new(&r->samples, r->sim, model, error));
    r->samples->ask = ask;
    carom_status status = carom_sim_run(r->sim, r->samples->t_end);
    if (status == CAROM_INTERRUPTED)
        CAROM_FAIL(error, status, "interrupted at t = %.6g", r->samples->t);
    if (status != CAROM_OK && status != CAROM_STOPPED)
        CAROM_FAIL(error, status, "%s", carom_sim_error(r->sim)->text);
    return CAROM_OK;
}

/* The options of the second run. */
static carom_options refine(carom_verify *verify, const carom_options *options)
{
    carom_options finer = *options;
    verify->by_tolerance = carom_scheme_is(options, CAROM_KEEPS_TOLERANCE);
    finer.rtol /= 100;
    carom_atol_scale(&finer, 0.01);
    verify->fixed = !carom_scheme_is(options, CAROM_CHOOSES_STEPS);
    if (verify->fixed)
        finer.h /= 16;
    verify->rtol = finer.rtol, verify->atol = finer.atol, verify->h = finer.h;
    return finer;
}

/* Another family: time-stepping at velocity level, for schemes that are of it at the level of positions. At most 1e5
 * steps. */
static carom_options other_family(const carom_options *options)
{
    static const char *const family[] = {"moreau-jean", "schatzman-paoli"};
    carom_options other = *options;
    carom_error ignored;
    bool same = carom_scheme_is(options, CAROM_NODAL) && !carom_scheme_is(options, CAROM_BY_POSITIONS);
    carom_options_set(&other, "scheme", family[same], &ignored);
    other.h = fmax(options->h, options->t_end / 1e5);
    other.certify = false;
    return other;
}

static bool near(const carom_verify *v, int nq)
{
    for (int k = 0; k < nq; k++)
        if (!(v->apart[k] <= 3 * v->estimate[k] + (v->by_tolerance ? 10 * v->allowed[k] : 2 * v->error[k])))
            return false; /* what the run itself is known to */
    return true;
}

/* The run against two of another family, with h and h/2; in doubt again with halves: the errors of one pair may be
 * alike by chance, what is wrong stays away however short the steps are. What these cannot do is noted, and no
 * failure. */
static carom_status compare_family(carom_verify *v, const carom_model *model, const carom_options *options,
                                   const carom_samples *first, carom_error *error)
{
    enum { PAIRS = 3 };
    run rough = {0}, fine = {0};
    carom_options other = other_family(options);
    carom_error why = {0};
    carom_status status = follow(&rough, model, &other, v, &why);
    v->agrees = false, v->family = carom_scheme_find(other.scheme)->method.name, v->family_note[0] = '\0';
    for (int k = 0; status == CAROM_OK && k < PAIRS && !v->agrees; k++) {
        v->family_h = other.h /= 2;
        status = follow(&fine, model, &other, v, &why);
        if (status != CAROM_OK)
            break;
        distance(first, fine.samples, v->apart);
        distance(rough.samples, fine.samples, v->estimate);
        v->agrees = near(v, model->nq);
        drop(&rough);
        rough = fine, fine = (run){0};
    }
    drop(&rough);
    drop(&fine);
    if (status == CAROM_INTERRUPTED || status == CAROM_NO_MEMORY)
        CAROM_FAIL(error, status, "%s", why.text);
    if (status != CAROM_OK) {
        snprintf(v->family_note, sizeof v->family_note, "%s: %.150s", v->family, why.text);
        v->family = NULL, v->agrees = true;
    }
    return CAROM_OK;
}

carom_status carom_verify_against(carom_verify *verify, const carom_model *model, const carom_options *options,
                                  const carom_samples *first, carom_error *error)
{
    CAROM_SIZED(verify, carom_verify, error);
    CAROM_NEED(verify->error, error);
    CAROM_NEED(verify->allowed, error);
    const carom_options finer = refine(verify, options);
    run second = {0};
    memset(verify->error, 0, sizeof(double) * (size_t)model->nq);
    memset(verify->allowed, 0, sizeof(double) * (size_t)model->nq);
    double *atol = calloc((size_t)model->nq, sizeof *atol);
    for (int i = 0; atol && i < model->nq; i++)
        atol[i] = options->atol;
    carom_status status = atol ? carom_atol_values(options, model, atol, error)
                               : carom_fail(error, CAROM_NO_MEMORY, "no memory to verify");
    if (status == CAROM_OK)
        status = follow(&second, model, &finer, verify, error);
    if (status == CAROM_OK)
        compare(verify, options, atol, first, second.samples);
    if (status == CAROM_OK && verify->apart && verify->estimate)
        status = compare_family(verify, model, options, first, error);
    drop(&second);
    free(atol);
    return status;
}

carom_status carom_verify_run(carom_verify *verify, const carom_model *model, const carom_options *options,
                              carom_error *error)
{
    run first = {0};
    CAROM_SIZED(verify, carom_verify, error);
    carom_status status = follow(&first, model, options, NULL, error);
    if (status == CAROM_OK)
        status = carom_verify_against(verify, model, carom_sim_options(first.sim), first.samples, error);
    drop(&first);
    return status;
}
