/* start.c: is everything right at the start? The same checks serve structs, files and plugins. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/dense.h"
#include "model/start.h"
#include "model/structure.h"

#define JOINT_TOLERANCE 1e-9 /* times the size of what was added up */

__attribute__((format(printf, 5, 6)))
static bool found(carom_fault *f, carom_fault_kind kind, int index, carom_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(f->words, sizeof f->words, format, args);
    va_end(args);
    f->kind = kind;
    f->index = index;
    f->status = status;
    return true;
}

static bool values(const carom_probe *k, carom_fault *f)
{
    const carom_model *m = k->model;
    char b[32];
    for (int i = 0; i < m->np; i++)
        if (!isfinite(k->p[i]))
            return found(f, CAROM_FAULT_P, i, CAROM_NOT_FINITE, "parameter '%s' is %g", carom_model_p_name(m, i, b),
                         carom_unsigned_nan(k->p[i]));
    for (int i = 0; i < m->nq; i++)
        if (!isfinite(k->q[i]))
            return found(f, CAROM_FAULT_Q, i, CAROM_NOT_FINITE, "the initial value of '%s' is %g",
                         carom_model_q_name(m, i, b), carom_unsigned_nan(k->q[i]));
    for (int i = 0; i < m->nv; i++)
        if (!isfinite(k->v[i]))
            return found(f, CAROM_FAULT_V, i, CAROM_NOT_FINITE, "the initial velocity of '%s' is %g",
                         carom_model_q_name(m, i, b), carom_unsigned_nan(k->v[i]));
    return false;
}

/* M = L D L^T in place, without pivoting; the smallest pivot relative to the diagonal entry it came from. */
static double least_pivot(int n, double *A, int *where)
{
    double least = INFINITY;
    for (int k = 0; k < n; k++) {
        double pivot = A[k * n + k], size = 0;
        for (int j = 0; j < k; j++)
            pivot -= A[k * n + j] * A[k * n + j] * A[j * n + j];
        size = fabs(A[k * n + k]);
        if (!(pivot > 1e-14 * size)) { /* what is left is rounding, or negative, or NaN */
            *where = k;
            return pivot;
        }
        least = fmin(least, pivot);
        A[k * n + k] = pivot;
        for (int i = k + 1; i < n; i++) {
            double sum = A[i * n + k];
            for (int j = 0; j < k; j++)
                sum -= A[i * n + j] * A[k * n + j] * A[j * n + j];
            A[i * n + k] = sum / pivot;
        }
    }
    *where = -1;
    return least;
}

/* One block of M, or all of it: velocities from `first` on. */
static bool mass_block(const carom_probe *k, int first, int n, double *M, carom_fault *f)
{
    const carom_model *m = k->model;
    int where = -1;
    char a[32], b[32];
    for (int i = 0; i < n * n; i++)
        if (!isfinite(M[i]))
            return found(f, CAROM_FAULT_MASS, i, CAROM_NOT_FINITE, "M(%s, %s) is %g at the start",
                         carom_model_v_name(m, first + i / n, a), carom_model_v_name(m, first + i % n, b),
                         carom_unsigned_nan(M[i]));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (fabs(M[i * n + j] - M[j * n + i]) > 1e-12 * (fabs(M[i * n + j]) + fabs(M[j * n + i])))
                return found(f, CAROM_FAULT_MASS, i * n + j, CAROM_BAD_MODEL,
                             "the mass matrix is not symmetric: M(%s, %s) = %.6g but M(%s, %s) = %.6g at the start",
                             carom_model_v_name(m, first + i, a), carom_model_v_name(m, first + j, b), M[i * n + j],
                             carom_model_v_name(m, first + j, b), carom_model_v_name(m, first + i, a), M[j * n + i]);
    double pivot = least_pivot(n, M, &where);
    if (where >= 0)
        return found(f, CAROM_FAULT_MASS, where * n + where, CAROM_SINGULAR_MASS,
                     "the mass matrix is not positive definite at the start: its smallest pivot is %.3g, at '%s'",
                     pivot, carom_model_v_name(m, first + where, a));
    return false;
}

static bool mass(const carom_probe *k, carom_fault *f)
{
    const carom_model *m = k->model;
    double *M = k->at.M;
    if (m->nblock == 0)
        return mass_block(k, 0, m->nv, M, f);
    for (int i = 0; i < m->nblock; i++) {
        int n = m->block[i + 1] - m->block[i];
        if (mass_block(k, m->block[i], n, M, f))
            return true;
        M += n * n;
    }
    return false;
}

static bool motion(const carom_probe *k, carom_fault *f)
{
    const carom_model *m = k->model;
    char b[32];
    for (int i = 0; i < m->nv; i++)
        if (!isfinite(k->at.F[i]))
            return found(f, CAROM_FAULT_FORCE, i, CAROM_NOT_FINITE, "the force on '%s' is %g at the start",
                         carom_model_q_name(m, i, b), carom_unsigned_nan(k->at.F[i]));
    static const char *const words[] = {"kinetic energy", "potential energy", "external power", "viscous power",
                                        "power of dry friction"};
    for (int i = 0; i < CAROM_COUNT(words); i++)
        if (!isfinite(k->at.energy[i]))
            return found(f, CAROM_FAULT_ENERGY, i, CAROM_NOT_FINITE, "the %s is %g at the start", words[i],
                         carom_unsigned_nan(k->at.energy[i]));
    for (int i = 0; i < m->noutput; i++)
        if (!isfinite(k->at.outputs[i]))
            return found(f, CAROM_FAULT_OUTPUT, i, CAROM_NOT_FINITE, "output '%s' is %g at the start",
                         carom_model_output_name(m, i, b), carom_unsigned_nan(k->at.outputs[i]));
    if (!isfinite(*k->at.stop))
        return found(f, CAROM_FAULT_STOP, 0, CAROM_NOT_FINITE, "the stop condition is %g at the start",
                     carom_unsigned_nan(*k->at.stop));
    return false;
}

static bool row_finite(const carom_probe *k, int row)
{
    int n = k->model->nv;
    return isfinite(k->at.w[row]) && isfinite(k->at.gamma[row]) && carom_all_finite(n, k->at.G + row * n);
}

/* u of a row that stands where its span says, and the size of what was added up. */
static double span_u(const carom_probe *k, int row, const carom_span *s, double *scale)
{
    double u = k->at.w[row];
    *scale = fmax(1, fabs(u));
    for (int b = 0; b < 2; b++)
        for (int j = 0; j < s->count[b]; j++) {
            double term = k->at.G[s->at[b] + (size_t)j] * k->v[s->first[b] + j];
            u += term;
            *scale = fmax(*scale, fabs(term));
        }
    return u;
}

static double length_scale(const carom_probe *k)
{
    return fmax(1, carom_norm_max(k->model->nq, k->q));
}

static bool joints(const carom_probe *k, carom_fault *f)
{
    const carom_model *m = k->model;
    char b[32];
    size_t at = 0;
    for (int i = 0; i < m->njoint; i++) {
        const carom_span span = carom_model_joint_span(m, i, at);
        double scale = 1, g = k->at.g[i], u = span_u(k, i, &span, &scale);
        const char *name = carom_model_joint_name(m, i, b);
        at += (size_t)(span.count[0] + span.count[1]);
        if (!isfinite(g) || !isfinite(u) || !isfinite(k->at.gamma[i]))
            return found(f, CAROM_FAULT_JOINT, i, CAROM_NOT_FINITE,
                         "constraint '%s' or its derivatives are not finite at the start (g = %g)", name,
                         carom_unsigned_nan(g));
        if (fabs(g) > JOINT_TOLERANCE * length_scale(k))
            return found(f, CAROM_FAULT_JOINT, i, CAROM_BAD_MODEL,
                         "constraint '%s' is violated at the start: %.3g instead of 0 (carom check --assemble moves "
                         "the start onto it)",
                         name, g);
        if (fabs(u) > JOINT_TOLERANCE * scale)
            return found(f, CAROM_FAULT_JOINT, i, CAROM_BAD_MODEL,
                         "the initial velocities violate constraint '%s': its rate is %.3g instead of 0 "
                         "(carom check --assemble corrects them)", name, u);
    }
    return false;
}

/* x: its coefficients */
static bool law(const carom_probe *k, int i, const double *x, carom_fault *f)
{
    const carom_model *m = k->model;
    const carom_law *law = carom_model_law(m, i);
    char b[32], low[32], high[32];
    const char *name = carom_model_contact_name(m, i, b);
    for (int j = 0; j < carom_law_coefficients(law); j++) {
        const carom_field *field = &law->method.fields[j];
        const char *words = carom_law_words(law, j);
        f->coefficient = j;
        if (!isfinite(x[j]))
            return found(f, CAROM_FAULT_LAW, i, CAROM_NOT_FINITE, "the %s of contact '%s' is %g at the start", words,
                         name, carom_unsigned_nan(x[j]));
        if (x[j] < field->min && field->min == 0 && field->max == INFINITY)
            return found(f, CAROM_FAULT_LAW, i, CAROM_BAD_MODEL,
                         "the %s of contact '%s' is %.6g; it must not be negative", words, name, x[j]);
        if (x[j] < field->min || x[j] > field->max)
            return found(f, CAROM_FAULT_LAW, i, CAROM_BAD_MODEL,
                         "the %s of contact '%s' is %.6g; it must lie in [%s, %s]", words, name, x[j],
                         carom_shortest(field->min, low), carom_shortest(field->max, high));
    }
    int than;
    bool by_slip = carom_model_speeds(m, i) & CAROM_LAW_BY_SLIP; /* then its value at rest is no bound */
    const char *wrong = law->wrong && !by_slip ? law->wrong(x, &f->coefficient, &than) : NULL;
    if (wrong)
        return found(f, CAROM_FAULT_LAW, i, CAROM_BAD_MODEL, "the %s of contact '%s' is %.6g, %s %s %.6g",
                     carom_law_words(law, f->coefficient), name, x[f->coefficient], wrong, carom_law_words(law, than),
                     x[than]);
    return false;
}

static bool contacts(const carom_probe *k, carom_fault *f)
{
    const carom_model *m = k->model;
    char b[32];
    const double *coefficients = k->at.law;
    for (int i = 0, row = m->njoint; m->contact && i < m->ncontact; row += 1 + m->contact[i++].directions) {
        double gap = k->at.g[carom_model_link(m, i)];
        const char *name = carom_model_contact_name(m, i, b);
        if (!isfinite(gap) || !row_finite(k, row))
            return found(f, CAROM_FAULT_GAP, i, CAROM_NOT_FINITE,
                         "the gap of contact '%s' or its derivatives are not finite at the start (gap = %g)", name,
                         carom_unsigned_nan(gap));
        const carom_law *its = carom_model_law(m, i);
        if (carom_law_can(its, CAROM_OPEN) && gap < -JOINT_TOLERANCE * length_scale(k))
            return found(f, CAROM_FAULT_GAP, i, CAROM_BAD_MODEL,
                         "the gap of contact '%s' is %.6g at the start; it must not be negative (carom check "
                         "--assemble moves the start out of it)", name, gap);
        for (int d = 1; d <= m->contact[i].directions; d++)
            if (!row_finite(k, row + d))
                return found(f, CAROM_FAULT_SLIP, i, CAROM_NOT_FINITE,
                             "the slip of contact '%s' is not finite at the start", name);
        if (law(k, i, coefficients, f))
            return true;
        coefficients += carom_law_coefficients(its);
    }
    return false;
}

carom_status carom_model_start(const carom_model *model, carom_fault *fault, carom_error *error)
{
    const unsigned want = CAROM_MASS | CAROM_FORCE | CAROM_GAP | CAROM_JACOBIAN | CAROM_GAMMA | CAROM_LAW |
                          CAROM_ENERGY | CAROM_OUTPUTS | CAROM_STOP;
    carom_probe probe;
    *fault = (carom_fault){.kind = CAROM_FAULT_NONE};
    CAROM_TRY(carom_probe_new(&probe, model, want, error));
    if (!values(&probe, fault)) {
        carom_probe_eval(&probe);
        (void)(mass(&probe, fault) || motion(&probe, fault) || joints(&probe, fault) || contacts(&probe, fault));
    }
    carom_probe_free(&probe);
    return CAROM_OK;
}
