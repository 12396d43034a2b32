/* reference.c: the motion that others are measured against, and how far it can be trusted.
 *
 *   closed      a formula, where one is known (reference_closed.c)
 *   exact       the scheme `exact`, where the model is linear; computed again by `tolerance` at 1e-12
 *   tolerance   the scheme `tolerance` at 1e-13; computed again by another method with a fixed step: Gauss's of order
 *               6,
 *               or Radau's of order 5 where that does not succeed
 *
 * The accuracy of a reference in a norm is the distance of the two computations in that norm. */
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/converge/reference.h"
#include "model/model.h"

const char *carom_reference_name(carom_reference_kind kind)
{
    static const char *const names[] = {"auto", "closed", "exact", "tolerance"};
    return kind <= CAROM_REFERENCE_TOLERANCE ? names[kind] : NULL;
}

static carom_status run(const carom_reference *r, carom_path **path, const carom_options *base, const char *scheme,
                        double tol, double h, carom_error *error)
{
    carom_options o = *base;
    CAROM_TRY(carom_options_set(&o, "scheme", scheme, error));
    o.h = h, o.every = 0, o.energy = false;
    if (tol > 0)
        o.rtol = o.atol = tol;
    o.newton_tol = fmin(o.newton_tol, 1e-13), o.contact_tol = fmin(o.contact_tol, 1e-12);
    return carom_path_run(path, r->model, &o, r->stop, NULL, error);
}

static void note(carom_reference *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void note(carom_reference *r, const char *format, ...)
{
    va_list list;
    size_t used = strlen(r->text);
    va_start(list, format);
    vsnprintf(r->text + used, sizeof r->text - used, format, list);
    va_end(list);
}

/* The distance of the two computations in q and v. */
static carom_status note_check(carom_reference *r, const char *by, carom_error *error)
{
    const carom_norm q = {CAROM_NORM_MAX, CAROM_NORM_DENSE, 0, r->path->nq};
    const carom_norm v = {CAROM_NORM_L1, CAROM_NORM_DENSE, r->path->nq, r->path->nv};
    double e_q, e_v;
    CAROM_TRY(carom_norm_distance(&q, r->check, r->path, 1e-6, &e_q, error));
    CAROM_TRY(carom_norm_distance(&v, r->check, r->path, 1e-6, &e_v, error));
    note(r, "; %s agrees to %.1e in max.q, %.1e in L1.v", by, e_q, e_v);
    return CAROM_OK;
}

static carom_status exact(carom_reference *r, const carom_options *o, carom_error *error)
{
    carom_error ignored = {0};
    CAROM_TRY(run(r, &r->path, o, "exact", 0, o->t_end, error));
    note(r, "scheme exact");
    carom_status status = run(r, &r->check, o, "tolerance", 1e-12, 0, &ignored);
    if (status == CAROM_OK)
        return note_check(r, "tolerance at 1e-12", error);
    if (status == CAROM_INTERRUPTED)
        CAROM_FAIL(error, status, "%s", ignored.text);
    note(r, "; not checked by a second method: %.150s", ignored.text);
    return CAROM_OK;
}

static carom_status tight(carom_reference *r, const carom_options *o, carom_error *error)
{
    static const struct {
        const char *scheme;
        double steps;
    } second[] = {{"mixed:rk=gauss6", 8000}, {"mixed:rk=radau5", 8000}, {"mixed:rk=erk5", 20000}};
    carom_error why = {0};
    carom_status status;
    double tol = 1e-13;
    while ((status = run(r, &r->path, o, "tolerance", tol, 0, error)) != CAROM_OK) {
        if (tol >= 1e-11 || status == CAROM_INTERRUPTED)
            return status;
        tol *= 10;
    }
    note(r, "scheme tolerance at %.0e", tol);
    for (int k = 0; k < CAROM_COUNT(second); k++) {
        double h = o->t_end / second[k].steps;
        char by[80];
        status = run(r, &r->check, o, second[k].scheme, 0, h, &why);
        if (status == CAROM_INTERRUPTED)
            CAROM_FAIL(error, status, "%s", why.text);
        if (status != CAROM_OK)
            continue;
        snprintf(by, sizeof by, "%s with h = %.3g", second[k].scheme, h);
        return note_check(r, by, error);
    }
    note(r, "; not checked by a second method: %.150s", why.text);
    return CAROM_OK;
}

static carom_status closed(carom_reference *r, const carom_options *o, const char **why, carom_error *error)
{
    CAROM_TRY(carom_reference_closed(&r->path, r->model, o->t_end, r->text, sizeof r->text, why, error));
    return CAROM_OK;
}

static carom_status choose(carom_reference *r, const carom_options *o, carom_reference_kind kind, carom_error *error)
{
    const char *why = NULL;
    carom_error refused = {0};
    if (kind == CAROM_REFERENCE_AUTO || kind == CAROM_REFERENCE_CLOSED)
        CAROM_TRY(closed(r, o, &why, error));
    r->used = CAROM_REFERENCE_CLOSED;
    if (r->path)
        return CAROM_OK;
    if (kind == CAROM_REFERENCE_CLOSED)
        CAROM_FAIL(error, CAROM_UNSUPPORTED, "model '%s' has no closed form: %s", r->model->name ? r->model->name : "",
                   why);
    r->used = CAROM_REFERENCE_EXACT;
    if (kind == CAROM_REFERENCE_EXACT)
        return exact(r, o, error);
    carom_status status = kind == CAROM_REFERENCE_AUTO ? exact(r, o, &refused) : CAROM_UNSUPPORTED;
    if (status == CAROM_INTERRUPTED)
        CAROM_FAIL(error, status, "%s", refused.text);
    if (status == CAROM_OK)
        return CAROM_OK;
    carom_path_free(r->path), carom_path_free(r->check);
    r->path = r->check = NULL, r->text[0] = 0;
    r->used = CAROM_REFERENCE_TOLERANCE;
    return tight(r, o, error);
}

carom_status carom_reference_compute(carom_reference **reference, const carom_model *model,
                                     const carom_options *options, carom_reference_kind kind, const carom_stop *stop,
                                     carom_error *error)
{
    CAROM_NEED(reference, error);
    *reference = NULL;
    CAROM_SIZED(model, carom_model, error);
    carom_options o = carom_options_default();
    if (options)
        o = *options;
    else
        CAROM_TRY(carom_options_from_model(&o, model, error));
    if (o.t_end == 0)
        o.t_end = model->period > 0 ? model->period : 1;
    carom_reference *r = calloc(1, sizeof *r);
    if (!r)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for a reference");
    r->model = model, r->stop = stop;
    carom_status status = choose(r, &o, kind, error);
    r->stop = NULL;
    if (status == CAROM_OK) {
        r->size = carom_path_size(r->path, r->path->nq, r->path->nv);
        *reference = r;
    } else {
        carom_reference_free(r);
    }
    return status;
}

carom_status carom_reference_new(carom_reference **reference, const carom_model *model, const carom_options *options,
                                 carom_reference_kind kind, carom_error *error)
{
    return carom_reference_compute(reference, model, options, kind, NULL, error);
}

void carom_reference_free(carom_reference *reference)
{
    if (!reference)
        return;
    carom_path_free(reference->path);
    carom_path_free(reference->check);
    free(reference);
}

const char *carom_reference_text(const carom_reference *reference)
{
    return reference->text;
}

carom_reference_kind carom_reference_used(const carom_reference *reference)
{
    return reference->used;
}

double carom_reference_t_end(const carom_reference *reference)
{
    return carom_path_end(reference->path);
}

carom_status carom_reference_accuracy(const carom_reference *reference, const char *norm, double *accuracy,
                                      carom_error *error)
{
    carom_norm n;
    CAROM_NEED(reference, error);
    CAROM_NEED(norm, error);
    CAROM_NEED(accuracy, error);
    CAROM_TRY(carom_norm_parse(&n, norm, reference->model, error));
    double rounding =
        4 * DBL_EPSILON * fmax(1, carom_path_end(reference->path)) * carom_path_size(reference->path, n.first, n.count);
    *accuracy = rounding;
    const carom_path *check = reference->check ? reference->check : reference->path;
    n.over = CAROM_NORM_DENSE; /* neither has a grid that others share */
    if (n.kind == CAROM_NORM_HAUSDORFF) {
        carom_hausdorff_bounds bounds; /* of a path from itself: what chords resolve */
        CAROM_TRY(carom_path_hausdorff(check, reference->path, n.first, n.count, 1e-4, &bounds, error));
        *accuracy = bounds.upper;
    } else if (reference->check) {
        CAROM_TRY(carom_norm_distance(&n, check, reference->path, 1e-3, accuracy, error));
    }
    *accuracy = fmax(*accuracy, rounding);
    return CAROM_OK;
}

carom_status carom_reference_at(const carom_reference *reference, double t, int side, double *q, double *v, double *i)
{
    CAROM_NEED(reference, NULL);
    const carom_path *p = reference->path;
    double stack[64], *x = p->n <= CAROM_COUNT(stack) ? stack : malloc(sizeof(double) * (size_t)p->n);
    size_t near = p->npiece;
    if (!x)
        return CAROM_NO_MEMORY;
    bool inside = t >= p->piece[0].t0 && t <= carom_path_end(p);
    if (inside) {
        carom_path_at(p, t, side, &near, x);
        if (q)
            memcpy(q, x, sizeof(double) * (size_t)p->nq);
        if (v)
            memcpy(v, x + p->nq, sizeof(double) * (size_t)p->nv);
        if (i)
            memcpy(i, x + p->nq + p->nv, sizeof(double) * (size_t)p->ni);
    }
    if (x != stack)
        free(x);
    return inside ? CAROM_OK : CAROM_BAD_ARGUMENT;
}

/* Whether v jumps between pieces k - 1 and k. */
static bool jumps(const carom_path *p, size_t k, double size)
{
    const carom_piece *a = &p->piece[k - 1], *b = &p->piece[k];
    for (int i = p->nq; i < p->nq + p->nv; i++) {
        double left = 0;
        for (int m = a->degree; m >= 0; m--)
            left += a->c[m * p->n + i];
        if (fabs(left - b->c[i]) > 1e-9 * size)
            return true;
    }
    return false;
}

double carom_reference_impact(const carom_reference *reference, int k)
{
    const carom_path *p = reference->path;
    for (size_t j = 1; j < p->npiece; j++)
        if (jumps(p, j, reference->size) && k-- == 0)
            return p->piece[j].t0;
    return NAN;
}

static double cpu_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

carom_status carom_reference_measure(const carom_reference *reference, const carom_model *model,
                                     const carom_options *options, const char *const *norms, int nnorm,
                                     const carom_stop *stop, double *errors, carom_info *info, double *cpu_s,
                                     carom_error *error)
{
    CAROM_NEED(reference, error);
    if (nnorm < 0 || (nnorm && (!norms || !errors)))
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "%d norms, with names or room for errors that are NULL", nnorm);
    carom_path *path;
    carom_norm norm;
    double begin = cpu_time();
    carom_status status = CAROM_OK;
    CAROM_TRY(carom_path_run(&path, model, options, stop, info, error));
    if (cpu_s)
        *cpu_s = cpu_time() - begin;
    for (int k = 0; k < nnorm && status == CAROM_OK; k++) {
        status = carom_norm_parse(&norm, norms[k], model, error);
        norm.over = norm.over == CAROM_NORM_OWN ? carom_norm_own(options) : norm.over;
        if (status == CAROM_OK)
            status = carom_norm_distance(&norm, path, reference->path, 1e-7, &errors[k], error);
    }
    carom_path_free(path);
    return status;
}

carom_status carom_reference_errors(const carom_reference *reference, const carom_model *model,
                                    const carom_options *options, const char *const *norms, int nnorm, double *errors,
                                    carom_info *info, double *cpu_s, carom_error *error)
{
    return carom_reference_measure(reference, model, options, norms, nnorm, NULL, errors, info, cpu_s, error);
}
