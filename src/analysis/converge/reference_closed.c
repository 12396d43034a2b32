/* reference_closed.c: motions that are known in closed form, of one coordinate q >= floor with restitution e.
 *
 *   constant force      m q'' = f < 0: parabolas; with 0 <= e < 1 the impacts accumulate at                         (1)
 *                       t_z = t_1 + 2 u_1 m/(|f| (1 - e)), u_1 = e |U_1|, the n-th flight begins at t_z - (t_z - t_1)
 *                       e^(n-1)
 *   growing force       m q'' = b t^2: q = q0 + b t^4/(12 m) before an impact; at rest the impulse is -b t^3/3      (2)
 *   damped oscillator   m q'' = -c q' - k q, floor 0, underdamped: flights of the duration pi/w for every e         (3)
 *   take-off            m q'' = -(1 + A sin w t) m g: at rest until sin w t = -1/A, then flight                     (4)
 *
 * (1): the balls of Acary (2009), of Schindler and Acary (2013) and of Kern (2019); (2): problems 4.2 and 4.3 of the
 * second; (3): example 2 of the first; (4): figure 2 of the third. In these forms nothing cancels. Harmonic functions
 * are kept as Taylor polynomials of degree 16 on pieces with w h <= 1/4, exact to rounding. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/converge/reference.h"
#include "model/model.h"
#include "sim/sim.h"

enum { DEGREE = 16 };

typedef struct builder {
    carom_path *path;
    const carom_closed *c;
    double i; /* the impulse so far */
} builder;

typedef struct series { /* q, v, i in powers of t - t0 */
    int degree;
    double q[DEGREE + 2], v[DEGREE + 2], i[DEGREE + 2];
} series;

/* ---- building ---- */
/* Adds x on [t0, t1], cut off at the end; false: no more is wanted. */
static bool add(builder *b, double t0, double t1, const series *x)
{
    double end = fmin(t1, b->c->t_end), h = end - t0, power = 1, *c;
    if (!(h > 0))
        return t0 < b->c->t_end;
    c = carom_path_add(b->path, t0, end, x->degree);
    if (!c)
        return false;
    for (int k = 0; k <= x->degree; k++, power *= h)
        c[3 * k] = x->q[k] * power, c[3 * k + 1] = x->v[k] * power, c[3 * k + 2] = x->i[k] * power;
    c[0] += b->c->floor;
    c[2] += b->i;
    carom_piece_at(&b->path->piece[b->path->npiece - 1], 3, 1, b->path->end);
    return t1 < b->c->t_end;
}

/* At the very end of a piece there was an impact. */
static void impact(builder *b, double v_after, double impulse)
{
    b->i += impulse;
    b->path->end[1] = v_after;
    b->path->end[2] = b->i;
}

static void rest(builder *b, double t0, double force)
{
    series x = {.degree = 1};
    x.i[1] = force;
    add(b, t0, INFINITY, &x);
}

static void parabolas(builder *b)                                                                            /* (1) */
{
    const carom_closed *c = b->c;
    double a = -c->f / c->m, y = c->q0 - c->floor, u = c->v0, e = c->e;
    if (y == 0 && u <= 0) {
        rest(b, 0, -c->f);
        return;
    }
    double U = sqrt(u * u + 2 * a * y), t = u > 0 ? (u + U) / a : 2 * y / (U - u); /* the one that does not cancel */
    series x = {.degree = 2, .q = {y, u, -a / 2}, .v = {u, -a}};
    bool more = add(b, 0, t, &x);
    double left = e < 1 ? 2 * e * U / (a * (1 - e)) : INFINITY, zeno = t + left;
    for (; t < zeno && (more || t == c->t_end); U *= e) {
        impact(b, e * U, c->m * (1 + e) * U);
        left *= e;
        double next = e < 1 ? zeno - left : t + 2 * U / a;
        u = e * U;
        x = (series){.degree = 2, .q = {0, u, -a / 2}, .v = {u, -a}};
        more = more && add(b, t, next, &x);
        if (next <= t || !more)
            break;
        t = next;
    }
    if (!more)
        return;
    impact(b, 0, c->m * (1 + e) * U / (1 - e)); /* what is left of all the impacts */
    rest(b, fmax(t, b->path->piece[b->path->npiece - 1].t1), -c->f);
}

static const char *growing(builder *b)                                                                       /* (2) */
{
    const carom_closed *c = b->c;
    double y = c->q0 - c->floor, s = c->f / c->m;
    series x = {.degree = 4, .i = {0, 0, 0, -c->f / 3}};
    if (c->v0 != 0)
        return "with a force that grows as t^2 it is known for a start at rest";
    if (y > 0 && c->t_end > pow(-12 * y / s, 0.25))
        return "with a force that grows as t^2 it is known until the first impact";
    if (y > 0)
        x = (series){.degree = 4, .q = {y, 0, 0, 0, s / 12}, .v = {0, 0, 0, s / 3}};
    add(b, 0, INFINITY, &x);
    return NULL;
}

/* A flight with q'' = -c/m q' - k/m q from q0, v0 at t0, which lasts until t1. */
static bool swing(builder *b, double t0, double t1, double q0, double v0)
{
    const carom_closed *c = b->c;
    double a = c->c / (2 * c->m), w = sqrt(c->k / c->m - a * a), B = (v0 + a * q0) / w;
    double pieces = ceil((t1 - t0) * sqrt(c->k / c->m) * 4), length = (t1 - t0) / pieces;
    for (double j = 0; j < pieces; j++) {
        double s = j * length, decay = exp(-a * s), co = cos(w * s), si = sin(w * s);
        series x = {.degree = DEGREE};
        x.q[0] = j > 0 ? decay * (q0 * co + B * si) : q0;
        x.q[1] = j > 0 ? decay * ((w * B - a * q0) * co - (w * q0 + a * B) * si) : v0;
        for (int k = 0; k < DEGREE; k++)
            x.q[k + 2] = -(c->c * (k + 1) * x.q[k + 1] + c->k * x.q[k]) / (c->m * (k + 1) * (k + 2));
        for (int k = 0; k <= DEGREE; k++)
            x.v[k] = (k + 1) * x.q[k + 1];
        if (!add(b, t0 + s, j + 1 < pieces ? t0 + (j + 1) * length : t1, &x))
            return false;
    }
    return true;
}

static void oscillator(builder *b)                                                                           /* (3) */
{
    const carom_closed *c = b->c;
    double a = c->c / (2 * c->m), w = sqrt(c->k / c->m - a * a), B = (c->v0 + a * c->q0) / w;
    /* q = exp(-a t) sqrt(q0^2 + B^2) sin(w t + atan2(q0, B)) */
    double first = (M_PI - atan2(c->q0, B)) / w, q = c->q0, v = c->v0;
    double U = exp(-a * first) * w * hypot(q, B);
    for (long n = 0;; n++) {
        double t0 = n ? first + (double)(n - 1) * M_PI / w : 0, t1 = first + (double)n * M_PI / w;
        bool more = swing(b, t0, t1, q, v);
        if (!more && t1 != c->t_end)
            return;
        q = 0, v = c->e * U;
        impact(b, v, c->m * (1 + c->e) * U);
        U = v * exp(-a * M_PI / w);
        if (!more)
            return;
    }
}

/* Powers of t - t0 of m q'' = -(1 + A sin w t) m g: the acceleration, its first and its second integral. */
static void harmonic(const carom_closed *c, double t0, double a[DEGREE + 1])
{
    double si = sin(c->w * t0), co = cos(c->w * t0), factor = 1, g = c->f / c->m;
    for (int k = 0; k <= DEGREE; k++) {
        double derivative = k % 4 == 0 ? si : k % 4 == 1 ? co : k % 4 == 2 ? -si : -co;
        a[k] = -g * (c->amplitude * derivative * factor + (k == 0));
        factor *= c->w / (k + 1);
    }
}

static const char *take_off(builder *b)                                                                      /* (4) */
{
    const carom_closed *c = b->c;
    double A = c->amplitude, w = c->w, g = c->f / c->m, off = (M_PI + asin(1 / A)) / w, a[DEGREE + 1];
    for (double t0 = 0, h = 0.25 / w; t0 < c->t_end; t0 += h) {
        bool flies = t0 >= off;
        h = fmin(0.25 / w, !flies ? off - t0 : INFINITY);
        double tau = t0 - off;
        series x = {.degree = DEGREE};
        harmonic(c, t0, a);
        if (flies) {
            x.v[0] = tau > 0 ? -g * (tau + A * (cos(w * off) - cos(w * t0)) / w) : 0;
            x.q[0] =
                tau > 0 ? -g * (tau * tau / 2 + A / w * (tau * cos(w * off) - (sin(w * t0) - sin(w * off)) / w)) : 0;
            if (x.q[0] < 0)
                return "the second contact after a take-off is not known";
        } else {
            b->i = c->m * g * (t0 + A * (1 - cos(w * t0)) / w);
        }
        for (int k = 0; k < DEGREE; k++) {
            *(flies ? &x.v[k + 1] : &x.i[k + 1]) = (flies ? a[k] : -c->m * a[k]) / (k + 1);
            x.q[k + 1] = flies ? x.v[k] / (k + 1) : 0;
        }
        double end = !flies && off - t0 - h < 1e-12 ? off : t0 + h;
        if (end == off)
            h = off - t0;
        if (!add(b, t0, end, &x))
            break;
        b->i = b->path->end[2];
    }
    return NULL;
}

/* ---- recognizing ---- */
static double constant_force(const carom_closed *c, double t, double q, double v)
{
    (void)t, (void)q, (void)v;
    return c->f;
}

static double growing_force(const carom_closed *c, double t, double q, double v)
{
    (void)q, (void)v;
    return c->f * t * t;
}

static double linear_force(const carom_closed *c, double t, double q, double v)
{
    (void)t;
    return -c->c * v - c->k * q;
}

static double harmonic_force(const carom_closed *c, double t, double q, double v)
{
    (void)q, (void)v;
    return -(1 + c->amplitude * sin(c->w * t)) * c->f;
}

static double force_at(carom_sim *sim, double t, double q, double v)
{
    carom_system_eval(&sim->system, CAROM_MASS | CAROM_FORCE, t, &q, &v);
    return sim->system.at.F[0];
}

static bool close_to(double x, double y, double size)
{
    return fabs(x - y) <= 1e-13 * fmax(size, fmax(fabs(x), fabs(y)));
}

/* Mass, gap and restitution do not change, the gap is q - floor, and the force is what the form says. */
static bool agrees(carom_sim *sim, const carom_closed *c)
{
    carom_system *sys = &sim->system;
    for (int k = 0; k < 40; k++) {
        double t = c->t_end * k / 39, q = c->q0 + sin(1 + 2.3 * k) * (1 + fabs(c->q0)), v = c->v0 + 3 * cos(1.7 * k);
        double F = force_at(sim, t, q, v);
        carom_system_eval(sys, CAROM_GAP, t, &q, &v);
        carom_system_eval(sys, CAROM_LAW, t, &q, &v);
        if (!close_to(F, c->force(c, t, q, v), fabs(c->f) + fabs(c->k) + fabs(c->c)) ||
            carom_mass_entry(sys, 0, 0) != c->m || sys->at.law[0] != c->e ||
            !close_to(sys->at.g[0], q - c->floor, 1 + fabs(q)))
            return false;
    }
    return true;
}

static double parameter(const carom_model *m, const char *name)
{
    for (int i = 0; m->p_name && i < m->np; i++)
        if (!strcmp(m->p_name[i], name))
            return m->p[i];
    return NAN;
}

typedef enum form { NONE, CONSTANT, GROWING, LINEAR, HARMONIC } form;

/* Which of the forms fits, with its constants in *c. */
static form recognize(carom_sim *sim, carom_closed *c)
{
    double F0 = force_at(sim, 0, c->q0, c->v0), period = parameter(c->model, "T");
    c->force = constant_force, c->f = F0;
    if (c->f < 0 && c->e <= 1 && agrees(sim, c))
        return CONSTANT;
    c->force = growing_force, c->f = force_at(sim, 1, c->q0, c->v0);
    if (c->f < 0 && agrees(sim, c))
        return GROWING;
    c->force = linear_force, c->f = 0;
    c->k = -force_at(sim, 0, 1, 0), c->c = -force_at(sim, 0, 0, 1);
    if (c->floor == 0 && c->q0 > 0 && c->c >= 0 && c->k > 0 && c->c * c->c < 4 * c->k * c->m && agrees(sim, c))
        return LINEAR;
    c->force = harmonic_force, c->k = c->c = 0, c->f = -force_at(sim, 0, c->q0, c->v0), c->w = 2 * M_PI / period;
    c->amplitude = -force_at(sim, period / 4, c->q0, c->v0) / c->f - 1;
    if (period > 0 && c->f > 0 && c->amplitude > 1 && c->q0 == c->floor && c->v0 == 0 && agrees(sim, c))
        return HARMONIC;
    return NONE;
}

static const char *build(builder *b, form f, char *text, size_t size)
{
    static const char *const words[] = {"", "parabolas", "the integral of a force that grows as t^2",
                                        "damped oscillations", "rest, then flight under a harmonic force"};
    const char *why = NULL;
    switch (f) {
    case NONE: return "there is none for this model";
    case CONSTANT: parabolas(b); break;
    case GROWING: why = growing(b); break;
    case LINEAR: oscillator(b); break;
    case HARMONIC: why = take_off(b); break;
    }
    snprintf(text, size, "closed form (%s), exact to rounding", words[f]);
    return why;
}

static carom_status probe(carom_sim *sim, carom_path **path, carom_closed *c, char *text, size_t size, const char **why,
                          carom_error *error)
{
    carom_system *sys = &sim->system;
    carom_system_eval(sys, CAROM_GAP, 0, &c->q0, &c->v0);
    carom_system_eval(sys, CAROM_LAW, 0, &c->q0, &c->v0);
    carom_system_eval(sys, CAROM_MASS | CAROM_FORCE, 0, &c->q0, &c->v0);
    c->m = carom_mass_entry(sys, 0, 0), c->floor = c->q0 - sys->at.g[0], c->e = sys->at.law[0];
    if (c->q0 < c->floor)
        return CAROM_OK;
    form f = recognize(sim, c);
    CAROM_TRY(carom_path_new(path, 1, 1, 1, error));
    builder b = {.path = *path, .c = c};
    *why = build(&b, f, text, size);
    bool full = b.path->full;
    if (*why || full) {
        carom_path_free(*path);
        *path = NULL;
    }
    return full ? carom_fail(error, CAROM_NO_MEMORY, "no memory for a closed form") : CAROM_OK;
}

carom_status carom_reference_closed(carom_path **path, const carom_model *model, double t_end, char *text, size_t size,
                                    const char **why, carom_error *error)
{
    carom_options options = carom_options_default();
    carom_sim *sim;
    *path = NULL;
    *why = "closed forms are for one coordinate and one contact without friction";
    if (model->nq != 1 || model->njoint != 0 || model->ncontact != 1 ||
        carom_model_law(model, 0) != carom_law_find(NULL, 0) || model->stop || model->stops)
        return CAROM_OK;
    *why = "there is none for this model";
    CAROM_TRY(carom_options_set(&options, "scheme", "kern", error));
    options.t_end = t_end;
    CAROM_TRY(carom_sim_new(&sim, model, &options, error));
    carom_closed c = {.model = model, .t_end = t_end, .q0 = model->q[0], .v0 = model->v ? model->v[0] : 0};
    carom_status status = probe(sim, path, &c, text, size, why, error);
    carom_sim_free(sim);
    return status;
}
