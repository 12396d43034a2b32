/* assemble.c: projection of a start onto the joints and out of contacts, in the metric of the mass matrix (or of the
 * coordinates: M = 1).
 *
 *   min dq^T M dq   such that   G dq = -g        repeated until g = 0 (halved while |g| grows)        (1)
 *   min dv^T M dv   such that   G (v + dv) + w = 0                                                    (2)
 * A contact whose gap is negative, or became so in a step that was too long, counts like a joint in (1).
 * With M = L L^T and z = L^T dq both are minimum-norm solutions of (G L^-T) z = b, for redundant joints as well. */
#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "model/start.h"

enum { ITERATIONS = 60 };

static int contacts_of(const carom_model *m)
{
    return m->contact ? m->ncontact : 0;
}

/* The equations at the present place, beside those contacts that counted before; the largest violation. */
static double gather(carom_assembly *k)
{
    const carom_model *m = k->probe.model;
    double most = 0;
    k->rows = 0, k->worst = -1;
    for (int i = 0; i < m->njoint; i++)
        k->row[k->rows] = k->gap[k->rows] = i, k->rows++;
    for (int i = 0, row = m->njoint; i < contacts_of(m); row += 1 + m->contact[i++].directions) {
        k->met[i] |= carom_law_can(carom_model_law(m, i), CAROM_OPEN) && k->probe.at.g[m->njoint + i] < 0;
        if (k->met[i])
            k->row[k->rows] = row, k->gap[k->rows++] = m->njoint + i;
    }
    for (int r = 0; r < k->rows; r++) {
        double g = k->probe.at.g[k->gap[r]];
        double off = k->gap[r] < m->njoint ? fabs(g) : -g;
        if (!(off <= most))
            most = off, k->worst = k->gap[r];
    }
    return most;
}

carom_status carom_assembly_new(carom_assembly *k, const carom_model *m, unsigned more, carom_error *error)
{
    size_t n = (size_t)m->nv, r = (size_t)(m->njoint + contacts_of(m));
    *k = (carom_assembly){.by_mass = more & CAROM_MASS, .rank = 1e-12};
    CAROM_TRY(carom_probe_new(&k->probe, m, CAROM_GAP | CAROM_JACOBIAN | more, error));
    carom_arena *arena = k->probe.arena;
    k->A = CAROM_NEW(arena, double, n * r);
    k->b = CAROM_NEW(arena, double, r);
    k->z = CAROM_NEW(arena, double, n);
    k->room = CAROM_NEW(arena, double, r + 3 * n);
    k->trial = CAROM_NEW(arena, double, n + (size_t)m->nq);
    k->L = CAROM_NEW(arena, double, k->by_mass ? n * n : 0);
    k->order = CAROM_NEW(arena, int, n);
    k->row = CAROM_NEW(arena, int, r);
    k->gap = CAROM_NEW(arena, int, r);
    k->met = CAROM_NEW(arena, bool, r);
    if (k->A && k->b && k->z && k->room && k->trial && k->L && k->order && k->row && k->gap && k->met)
        return CAROM_OK;
    carom_assembly_free(k);
    CAROM_FAIL(error, CAROM_NO_MEMORY, "out of memory for the assembly");
}

void carom_assembly_free(carom_assembly *k)
{
    carom_probe_free(&k->probe);
}

/* Rows G L^-T, and L^-T z, by substitution in the factor of M */
static void forward(carom_assembly *k)
{
    const double *L = k->L;
    int n = k->probe.model->nv;
    for (int row = 0; row < k->rows; row++)
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < i; j++)
                k->A[row * n + i] -= L[i * n + j] * k->A[row * n + j];
            k->A[row * n + i] /= L[i * n + i];
        }
}

static void backward(carom_assembly *k)
{
    const double *L = k->L;
    int n = k->probe.model->nv;
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++)
            k->z[i] -= L[j * n + i] * k->z[j];
        k->z[i] /= L[i * n + i];
    }
}

bool carom_assembly_solve(carom_assembly *k)
{
    int n = k->probe.model->nv;
    if (k->by_mass) {
        memcpy(k->L, k->probe.at.M, sizeof *k->L * (size_t)(n * n));
        if (!carom_cholesky(n, k->L))
            return false;
    }
    for (int row = 0; row < k->rows; row++)
        carom_copy(n, k->probe.at.G + k->row[row] * n, k->A + row * n);
    if (k->by_mass)
        forward(k);
    carom_least_squares(k->rows, n, k->A, k->b, k->z, k->rank, k->room, k->order);
    if (k->by_mass)
        backward(k);
    return carom_all_finite(n, k->z);
}

static const char *name_of(carom_assembly *k)
{
    const carom_model *m = k->probe.model;
    return k->worst < m->njoint ? carom_model_joint_name(m, CAROM_MAX(k->worst, 0), k->name)
                                : carom_model_contact_name(m, k->worst - m->njoint, k->name);
}

carom_status carom_assembly_positions(carom_assembly *k, carom_error *error) /* (1) */
{
    carom_probe *probe = &k->probe;
    const carom_model *m = probe->model;
    int n = m->nv;
    carom_probe_eval(probe);
    memset(k->met, 0, sizeof *k->met * (size_t)contacts_of(m));
    double size = gather(k), first = size;
    for (int i = 0; i < ITERATIONS && size > 0; i++) {
        int rows = k->rows;
        for (int r = 0; r < k->rows; r++)
            k->b[r] = -probe->at.g[k->gap[r]];
        if (!carom_assembly_solve(k))
            CAROM_FAIL(error, CAROM_SINGULAR_MASS,
                       "assembly: the mass matrix is not positive definite or something is not finite");
        memcpy(k->trial, probe->q, sizeof *k->trial * (size_t)m->nq);
        double step = 1, next = INFINITY;
        for (; step > 1e-3 && !(next < size); step /= 2) {
            for (int j = 0; j < n; j++)
                k->trial[m->nq + j] = step * k->z[j];
            carom_model_drift(m, k->trial, k->trial + m->nq, probe->q);
            carom_probe_eval(probe);
            next = gather(k);
        }
        if (next < size) { /* those that are open again count no more */
            memset(k->met, 0, sizeof *k->met * (size_t)contacts_of(m));
            next = gather(k);
        }
        if (!(next < size)) { /* as small as it gets */
            memcpy(probe->q, k->trial, sizeof *k->trial * (size_t)m->nq);
            carom_probe_eval(probe);
            size = gather(k);
            if (k->rows > rows) /* contacts were met on the way: once more, with them */
                continue;
            break;
        }
        size = next;
    }
    if (!(size <= 1e-9 * fmax(1, carom_norm_max(m->nq, probe->q))))
        CAROM_FAIL(error, CAROM_NOT_CONVERGED,
                   "assembly: the constraints are still violated by %.3g (at first by %.3g) after %d iterations, most "
                   "of all '%s'",
                   size, first, ITERATIONS, name_of(k));
    k->rows = m->njoint; /* which come first: velocities */
    return CAROM_OK;
}

carom_status carom_assembly_velocities(carom_assembly *k, carom_error *error) /* (2) */
{
    carom_probe *probe = &k->probe;
    const carom_model *m = probe->model;
    for (int pass = 0; pass < 2; pass++) { /* the second one removes rounding */
        carom_multiply(m->njoint, m->nv, probe->at.G, probe->v, k->b);
        for (int r = 0; r < m->njoint; r++)
            k->b[r] = -k->b[r] - probe->at.w[r];
        if (!carom_assembly_solve(k))
            CAROM_FAIL(error, CAROM_SINGULAR_MASS,
                       "assembly: the mass matrix is not positive definite or something is not finite");
        for (int j = 0; j < m->nv; j++)
            probe->v[j] += k->z[j];
    }
    return CAROM_OK;
}

carom_status carom_model_assemble(const carom_model *m, double *q, double *v, double *moved, int *worst,
                                  carom_error *error)
{
    carom_assembly k;
    *worst = -1;
    CAROM_TRY(carom_assembly_new(&k, m, CAROM_MASS, error));
    carom_status status = carom_assembly_positions(&k, error);
    *worst = k.worst;
    if (status == CAROM_OK)
        status = carom_assembly_velocities(&k, error);
    *moved = 0;
    for (int j = 0; status == CAROM_OK && j < m->nq; j++) {
        *moved = fmax(*moved, fabs(k.probe.q[j] - q[j]));
        q[j] = k.probe.q[j];
    }
    for (int j = 0; status == CAROM_OK && j < m->nv; j++) {
        *moved = fmax(*moved, fabs(k.probe.v[j] - v[j]));
        v[j] = k.probe.v[j];
    }
    carom_assembly_free(&k);
    return status;
}
