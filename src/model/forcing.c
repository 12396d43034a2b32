/* forcing.c: expressions of time as polynomials and harmonics, by walking the graph from the leaves up.
 *
 * Sums, products and integer powers of such functions are such functions again, by
 *     2 cos a cos b = cos(a-b) + cos(a+b),  2 sin a sin b = cos(a-b) - cos(a+b),  2 sin a cos b = sin(a+b) + sin(a-b)
 * and sin, cos of c0 + c1 t are. Products of t and a harmonic are not, nor is anything else that depends on time. */
#include "model/forcing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/source.h"

/* ---- arithmetic; each returns false when the result is not of the form ---- */

static carom_time constant(double c)
{
    return (carom_time){.power = {c}};
}

static bool is_constant(const carom_time *f)
{
    return f->degree == 0 && f->nharmonic == 0;
}

static void trim(carom_time *f)
{
    while (f->degree > 0 && f->power[f->degree] == 0)
        f->degree--;
    int n = 0;
    for (int j = 0; j < f->nharmonic; j++)
        if (f->cosine[j] != 0 || f->sine[j] != 0) {
            f->omega[n] = f->omega[j], f->cosine[n] = f->cosine[j], f->sine[n] = f->sine[j];
            n++;
        }
    f->nharmonic = n;
}

static bool add_harmonic(carom_time *f, double omega, double cosine, double sine)
{
    if (omega < 0)
        omega = -omega, sine = -sine;
    if (omega == 0) {
        f->power[0] += cosine;
        return true;
    }
    int j = 0;
    while (j < f->nharmonic && fabs(f->omega[j] - omega) > 1e-15 * omega)
        j++;
    if (j == CAROM_TIME_HARMONICS)
        return false;
    if (j == f->nharmonic)
        f->omega[j] = omega, f->cosine[j] = f->sine[j] = 0, f->nharmonic++;
    f->cosine[j] += cosine;
    f->sine[j] += sine;
    return true;
}

static bool sum(const carom_time *a, double factor, const carom_time *b, carom_time *f) /* a + factor b */
{
    *f = *a;
    f->degree = CAROM_MAX(a->degree, b->degree);
    for (int k = 0; k <= b->degree; k++)
        f->power[k] = (k <= a->degree ? a->power[k] : 0) + factor * b->power[k];
    for (int j = 0; j < b->nharmonic; j++)
        if (!add_harmonic(f, b->omega[j], factor * b->cosine[j], factor * b->sine[j]))
            return false;
    trim(f);
    return true;
}

static bool product(const carom_time *a, const carom_time *b, carom_time *f)
{
    if ((a->degree > 0 && b->nharmonic) || (b->degree > 0 && a->nharmonic) || a->degree + b->degree > CAROM_TIME_DEGREE)
        return false;
    bool fits = true;
    *f = (carom_time){.degree = a->degree + b->degree};
    for (int k = 0; k <= a->degree; k++)
        for (int l = 0; l <= b->degree; l++)
            f->power[k + l] += a->power[k] * b->power[l];
    for (int j = 0; j < b->nharmonic; j++)
        fits &= add_harmonic(f, b->omega[j], a->power[0] * b->cosine[j], a->power[0] * b->sine[j]);
    for (int i = 0; i < a->nharmonic; i++) {
        double c = a->cosine[i], s = a->sine[i], w = a->omega[i];
        fits &= add_harmonic(f, w, b->power[0] * c, b->power[0] * s);
        for (int j = 0; j < b->nharmonic; j++) {
            double cb = b->cosine[j], sb = b->sine[j], wb = b->omega[j];
            fits &= add_harmonic(f, w - wb, 0.5 * (c * cb + s * sb), 0.5 * (s * cb - c * sb));
            fits &= add_harmonic(f, w + wb, 0.5 * (c * cb - s * sb), 0.5 * (s * cb + c * sb));
        }
    }
    trim(f);
    return fits;
}

static bool power(const carom_time *a, const carom_time *exponent, carom_time *f)
{
    double n = exponent->power[0];
    if (!is_constant(exponent) || n != floor(n) || n < 0 || n > 32)
        return false;
    *f = constant(1);
    for (int k = 0; k < (int)n; k++) {
        carom_time next;
        if (!product(f, a, &next))
            return false;
        *f = next;
    }
    return true;
}

static bool sine_of(const carom_time *a, bool cosine, carom_time *f)
{
    if (a->nharmonic || a->degree > 1)
        return false;
    double s = sin(a->power[0]), c = cos(a->power[0]), w = a->degree ? a->power[1] : 0;
    *f = constant(0);
    if (!(cosine ? add_harmonic(f, w, c, -s) : add_harmonic(f, w, s, c)))
        return false;
    trim(f);
    return true;
}

/* ---- the walk ---- */

static bool combine(carom_op op, const carom_time *a, const carom_time *b, carom_time *f)
{
    carom_time zero = constant(0), inverse;
    switch (op) {
    case CAROM_OP_NEG: return sum(&zero, -1, a, f);
    case CAROM_OP_ADD: return sum(a, 1, b, f);
    case CAROM_OP_SUB: return sum(a, -1, b, f);
    case CAROM_OP_MUL: return product(a, b, f);
    case CAROM_OP_DIV: inverse = constant(1 / b->power[0]); return is_constant(b) && product(a, &inverse, f);
    case CAROM_OP_POW: return power(a, b, f);
    case CAROM_OP_SIN: return sine_of(a, false, f);
    case CAROM_OP_COS: return sine_of(a, true, f);
    default: return false;
    }
}

/* place[k]: where the function of node k stands in f; -1 while it is not needed */
static bool walk(carom_expr_pool *pool, carom_expr e, const double *variables, int *place, carom_time *f)
{
    int count = 0;
    for (int k = 0; k < e; k++)
        place[k] = -1;
    place[e] = 0;
    for (int k = e; k >= 0; k--)
        for (int i = 0; place[k] >= 0 && carom_expr_depends(pool, k, 0, 1) && carom_expr_child(pool, k, i) >= 0; i++)
            place[carom_expr_child(pool, k, i)] = 0;
    for (int k = 0; k <= e; k++) {
        if (place[k] < 0)
            continue;
        place[k] = count++;
        carom_time *to = &f[place[k]];
        if (!carom_expr_depends(pool, k, 0, 1)) {
            *to = constant(carom_expr_value(pool, k, variables));
        } else if (carom_expr_variable(pool, k) == 0) {
            *to = (carom_time){.degree = 1, .power = {0, 1}};
        } else {
            int a = carom_expr_child(pool, k, 0), b = carom_expr_child(pool, k, 1);
            if (!combine(carom_expr_op(pool, k), &f[place[a]], b >= 0 ? &f[place[b]] : NULL, to))
                return false;
        }
    }
    f[0] = f[place[e]];
    return true;
}

bool carom_model_symbolic(const carom_model *m)
{
    return m->source && m->source->compiled;
}

/* Nodes that e is made of, at most: children have smaller numbers. */
static carom_status recognise(const carom_source *s, carom_expr e, const double *variables, carom_time *f,
                              carom_error *error)
{
    int *place = malloc(sizeof *place * ((size_t)e + 1));
    carom_time *values = malloc(sizeof *values * ((size_t)e + 1));
    carom_status status = CAROM_OK;
    if (!place || !values)
        status = carom_fail(error, CAROM_NO_MEMORY, "out of memory for an expression of %d nodes", e + 1);
    else if (!walk(s->pool, e, variables, place, values))
        status = carom_fail(error, CAROM_UNSUPPORTED,
                            "depends on time by more than a polynomial (of degree %d) and sines and cosines (of %d "
                            "frequencies)",
                            CAROM_TIME_DEGREE, CAROM_TIME_HARMONICS);
    else
        *f = values[0];
    free(place);
    free(values);
    return status;
}

carom_status carom_model_time(const carom_model *m, unsigned which, int i, const double *p, carom_time *f,
                              carom_error *error)
{
    if (!carom_model_symbolic(m))
        CAROM_FAIL(error, CAROM_UNSUPPORTED, "model '%s' is native code: its functions of time cannot be read",
                   m->name ? m->name : "");
    const carom_source *s = m->source;
    double *variables = calloc((size_t)s->nvar, sizeof *variables);
    if (!variables)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "out of memory for %d variables", s->nvar);
    for (int k = 0; k < m->np; k++)
        variables[s->var_of_p[k]] = p[k];
    carom_compiled_lock(s->compiled);
    carom_status status = recognise(s, which == CAROM_FORCE ? s->F[i] : s->g[i], variables, f, error);
    carom_compiled_unlock(s->compiled);
    free(variables);
    return status;
}
