/* linear.c: the linear system behind a model, read from its constants and its functions of time:
 *
 *   M a = F0(t) - K q - C v + G^T lambda,   g = G q + g0(t)                                                (1)
 *
 * K and C are the model's R_q and R_v; F0 and g0 come from its expressions, or are constants where there are none.
 * All of it is compared with the model at several points before it is used. */
#include <math.h>
#include <string.h>

#include "model/model.h"
#include "schemes/exact/exact.h"

carom_status carom_exact_accepts(const carom_model *m, const double *field, carom_error *error)
{
    enum { LINKS = 64 };
    char name[32];
    (void)field;
    CAROM_TRY(carom_manifold_refuse(m, "exact", error));
    for (int i = 0; i < m->ncontact; i++)
        if (m->contact[i].directions)
            CAROM_FAIL(error, CAROM_UNSUPPORTED,
                       "exact: contact '%s' has friction: between its changes of direction the motion is linear, at "
                       "them it "
                       "is not; take another scheme", carom_model_contact_name(m, i, name));
    if (carom_model_links(m) > LINKS)
        CAROM_FAIL(error, CAROM_UNSUPPORTED, "exact: more than %d joints and contacts", LINKS);
    const struct { unsigned bit; const char *what; } needed[] = {
        {CAROM_MASS, "the mass matrix is not constant"},
        {CAROM_R_Q, "the force is not linear in the coordinates (or a gap is not affine): R_q is not constant"},
        {CAROM_R_V, "the force is not linear in the velocities: R_v is not constant"},
    };
    for (int i = 0; i < CAROM_COUNT(needed); i++)
        if (!(m->constant & needed[i].bit))
            CAROM_FAIL(error, CAROM_UNSUPPORTED, "exact: model '%s' is not linear: %s", m->name ? m->name : "",
                       needed[i].what);
    return CAROM_OK;
}

static void layout_flights(carom_layout *layout, carom_exact *x, int n, int nlink, int nz)
{
    for (int k = 0; k < EXACT_FLIGHTS; k++) {
        carom_flight *f = &x->flight[k];
        CAROM_PLACE(layout, f->closed, nlink);
        CAROM_PLACE(layout, f->Q, n * nz * EXACT_TERMS);
        CAROM_PLACE(layout, f->E, nlink * nz * EXACT_TERMS);
        CAROM_PLACE(layout, f->B, nlink * nz * EXACT_TERMS);
        CAROM_PLACE(layout, f->B8, nlink * nz * 8);
        CAROM_PLACE(layout, f->R8, nlink * nz);
        CAROM_PLACE(layout, f->X, 2 * n * nz);
    }
}

void carom_exact_layout(carom_layout *layout, const carom_system *system, carom_exact *x)
{
    size_t n = system->nv, nlink = system->nlink, nz = 2 * n + EXACT_TIMES;
    x->n = n, x->nlink = nlink, x->njoint = system->njoint, x->ncontact = system->ncontact;
    x->system = system, x->np = system->model->np;
    layout_flights(layout, x, n, nlink, nz);
    CAROM_PLACE(layout, x->p, x->np);
    CAROM_PLACE(layout, x->G, nlink * n);
    CAROM_PLACE(layout, x->Y, nlink * n);
    CAROM_PLACE(layout, x->W, nlink);
    CAROM_PLACE(layout, x->force, n * EXACT_TIMES);
    CAROM_PLACE(layout, x->offset, nlink * EXACT_TIMES);
    CAROM_PLACE(layout, x->offset_1, nlink * EXACT_TIMES);
    CAROM_PLACE(layout, x->offset_2, nlink * EXACT_TIMES);
    CAROM_PLACE(layout, x->free, n * nz);
    CAROM_PLACE(layout, x->scale, nlink * nz);
    CAROM_PLACE(layout, x->acceleration, n * nz);
    CAROM_PLACE(layout, x->lambda, nlink * nz);
    CAROM_PLACE(layout, x->row[0], nz);
    CAROM_PLACE(layout, x->row[1], nz);
    carom_equations_layout(layout, &x->closed, system, system->nlink);
    CAROM_PLACE(layout, x->z, nz);
    CAROM_PLACE(layout, x->c, n * EXACT_TERMS);
    CAROM_PLACE(layout, x->l, nlink * EXACT_TERMS);
    CAROM_PLACE(layout, x->bar, nlink);
    CAROM_PLACE(layout, x->P, nlink);
    CAROM_PLACE(layout, x->u_before, nlink);
    CAROM_PLACE(layout, x->u_after, nlink);
    CAROM_PLACE(layout, x->tau, nlink);
    CAROM_PLACE(layout, x->lost, nlink);
    CAROM_PLACE(layout, x->v_before, n);
    CAROM_PLACE(layout, x->a, n);
    CAROM_PLACE(layout, x->q_ahead, n);
    CAROM_PLACE(layout, x->v_ahead, n);
    CAROM_PLACE(layout, x->u_ahead, nlink);
    CAROM_PLACE(layout, x->rest, nlink);
}

/* ---- functions of time ---- */

/* One function, as the model's expression says or as a constant. Names in errors: forces first, then joints and
 * contacts. */
static carom_status function(carom_step *s, const carom_exact *x, int k, carom_time *f)
{
    const carom_model *m = s->system->model;
    bool is_force = k < x->n;
    int i = is_force ? k : k - x->n, contact = is_force ? -1 : x->system->link[i].contact;
    char buffer[32];
    if (!carom_model_symbolic(m)) {
        *f = (carom_time){.power = {is_force ? s->system->at.F[i] : s->system->at.g[i]}};
        return CAROM_OK;
    }
    carom_error why = {0};
    carom_status status = carom_model_time(m, is_force ? CAROM_FORCE : CAROM_GAP, i, s->system->p, f, &why);
    const char *name = is_force ? carom_model_q_name(m, i, buffer)
                       : contact < 0 ? carom_model_joint_name(m, i, buffer)
                                     : carom_model_contact_name(m, contact, buffer);
    if (status != CAROM_OK)
        CAROM_FAIL(s->error, status, "exact: the %s '%s' %.300s", is_force ? "force on" : "gap of", name, why.text);
    return CAROM_OK;
}

/* Where the harmonic of this frequency stands, new or not; -1 when there are too many. */
static int harmonic(carom_exact *x, double omega)
{
    int j = 0;
    while (j < x->nharmonic && x->omega[j] != omega)
        j++;
    if (j == CAROM_TIME_HARMONICS)
        return -1;
    if (j == x->nharmonic)
        x->omega[x->nharmonic++] = omega;
    return j;
}

static double *time_row(const carom_exact *x, int k)
{
    return k < x->n ? x->force + k * EXACT_TIMES : x->offset + (k - x->n) * EXACT_TIMES;
}

/* Rows have the stride EXACT_TIMES until nt is known: powers up to the largest degree, then the harmonics. */
static carom_status functions(carom_step *s, carom_exact *x)
{
    int count = x->n + x->nlink;
    x->nharmonic = x->degree = 0;
    for (int k = 0; k < count; k++) {
        carom_time f;
        double *row = time_row(x, k), factorial = 1;
        CAROM_TRY(function(s, x, k, &f));
        memset(row, 0, sizeof *row * EXACT_TIMES);
        x->degree = CAROM_MAX(x->degree, f.degree);
        for (int i = 0; i <= f.degree; factorial *= ++i)
            row[i] = f.power[i] * factorial;
        for (int i = 0; i < f.nharmonic; i++) {
            int j = harmonic(x, f.omega[i]);
            if (j < 0)
                CAROM_FAIL(s->error, CAROM_UNSUPPORTED, "exact: more than %d frequencies in forces and gaps",
                           CAROM_TIME_HARMONICS);
            row[CAROM_TIME_DEGREE + 1 + 2 * j] = f.cosine[i];
            row[CAROM_TIME_DEGREE + 2 + 2 * j] = f.sine[i];
        }
    }
    x->nt = x->degree + 1 + 2 * x->nharmonic;
    for (int k = 0; k < count; k++) {
        double *from = time_row(x, k), *to = k < x->n ? x->force + k * x->nt : x->offset + (k - x->n) * x->nt;
        memmove(to, from, sizeof *to * (size_t)(x->degree + 1));
        memmove(to + x->degree + 1, from + CAROM_TIME_DEGREE + 1, sizeof *to * (size_t)(2 * x->nharmonic));
    }
    return CAROM_OK;
}

static void differentiate(const carom_exact *x, const double *row, double *out)
{
    for (int k = 0; k < x->degree; k++)
        out[k] = row[k + 1];
    out[x->degree] = 0;
    for (int j = 0; j < x->nharmonic; j++) {
        const double *from = row + x->degree + 1 + 2 * j;
        out[x->degree + 1 + 2 * j] = x->omega[j] * from[1];
        out[x->degree + 2 + 2 * j] = -x->omega[j] * from[0];
    }
}

/* ---- constants ---- */

static void contact_rows(const carom_system *sys, carom_exact *x)
{
    int n = x->n;
    for (int i = 0; i < x->nlink; i++) {
        carom_row_copy(sys, i, x->G + i * n);
        carom_mass_solve_row(sys, i, x->Y + i * n);
        x->W[i] = carom_dot(n, x->G + i * n, x->Y + i * n);
        differentiate(x, x->offset + i * x->nt, x->offset_1 + i * x->nt);
        differentiate(x, x->offset_1 + i * x->nt, x->offset_2 + i * x->nt);
    }
}

/* The rows of a = M^-1 (F0 - K q - C v) */
static void free_acceleration(const carom_system *sys, carom_exact *x)
{
    int n = x->n, nz = x->nz;
    for (int j = 0; j < nz; j++) {
        for (int i = 0; i < n; i++)
            x->a[i] = j < n       ? -sys->at.R_q[i * n + j]
                      : j < 2 * n ? -sys->at.R_v[i * n + j - n]
                                  : x->force[i * x->nt + j - 2 * n];
        carom_factor_solve(sys, &sys->mass, x->a);
        for (int i = 0; i < n; i++)
            x->free[i * nz + j] = x->a[i];
        for (int i = 0; i < x->nlink; i++) {
            double sum = j < 2 * n ? 0 : fabs(x->offset_2[i * x->nt + j - 2 * n]);
            for (int k = 0; k < n; k++)
                sum += fabs(x->G[i * n + k] * x->a[k]);
            x->scale[i * nz + j] = sum;
        }
    }
}

/* ---- comparison with the model ---- */

static carom_status differs(carom_step *s, const char *what, int i, double model, double linear, double t)
{
    const char *hint = carom_model_symbolic(s->system->model)
                           ? ""
                           : "; of native code only constants are known, and exact derivatives of the force are needed";
    CAROM_FAIL(s->error, CAROM_UNSUPPORTED,
               "exact: %s %d is %.15g in the model and %.15g in its linear form at t = %.6g%s", what, i, model, linear,
               t, hint);
}

static bool near(double a, double b, double scale)
{
    return fabs(a - b) <= 1e-13 * (scale + fabs(a));
}

static carom_status compare(carom_step *s, carom_exact *x, double t, const double *q, const double *v)
{
    carom_system *sys = s->system;
    int n = x->n;
    carom_exact_clock(x, t);
    carom_system_eval(sys, CAROM_FORCE, t, q, v);
    for (int i = 0; i < n; i++) {
        double sum = carom_exact_time(x, x->force + i * x->nt), scale = fabs(sum);
        for (int j = 0; j < x->nt; j++)
            scale += fabs(x->force[i * x->nt + j] * x->z[2 * n + j]);
        for (int j = 0; j < n; j++) {
            double k = sys->at.R_q[i * n + j] * q[j], c = sys->at.R_v[i * n + j] * v[j];
            sum -= k + c, scale += fabs(k) + fabs(c);
        }
        if (!near(sys->at.F[i], sum, scale))
            return differs(s, "force", i, sys->at.F[i], sum, t);
    }
    if (x->nlink == 0)
        return CAROM_OK;
    carom_system_eval(sys, CAROM_GAP, t, q, v);
    carom_system_eval(sys, CAROM_JACOBIAN, t, q, v);
    for (int i = 0; i < x->nlink; i++) {
        double gap = carom_exact_time(x, x->offset + i * x->nt) + carom_dot(n, x->G + i * n, q), size = 1;
        double speed = carom_exact_time(x, x->offset_1 + i * x->nt);
        for (int j = 0; j < n; j++) {
            size += fabs(x->G[i * n + j] * q[j]);
            double entry = carom_row_entry(sys, i, j);
            if (!near(entry, x->G[i * n + j], 0))
                return differs(s, "an entry of the gradient of gap", i, entry, x->G[i * n + j], t);
        }
        if (!near(sys->at.g[i], gap, size))
            return differs(s, "gap", i, sys->at.g[i], gap, t);
        if (!near(sys->at.w[i], speed, 1 + fabs(speed)))
            return differs(s, "the rate of gap", i, sys->at.w[i], speed, t);
    }
    return CAROM_OK;
}

/* Eight points around the start, later and later. */
static carom_status verify(carom_step *s, carom_exact *x)
{
    unsigned seed = 12345;
    double length = 1 + carom_norm_max(x->n, s->now->q), speed = 1 + carom_norm_max(x->n, s->now->v);
    double ahead = s->options->h;
    for (int k = 0; k < 8; k++, ahead *= 3.7) {
        for (int i = 0; i < 2 * x->n; i++) {
            seed = seed * 1664525u + 1013904223u;
            double random = 2 * (seed / 4294967296.0) - 1;
            (i < x->n ? x->a : x->v_before)[i % x->n] = k == 0 ? 0 : random * (i < x->n ? length : speed);
        }
        CAROM_TRY(compare(s, x, s->now->t + ahead, x->a, x->v_before));
    }
    return CAROM_OK;
}

static bool same_parameters(const carom_exact *x, const double *p)
{
    for (int i = 0; i < x->np; i++)
        if (x->p[i] != p[i])
            return false;
    return x->ready;
}

carom_status carom_exact_prepare(carom_step *s, carom_exact *x)
{
    carom_system *sys = s->system;
    double t = s->now->t;
    if (same_parameters(x, sys->p))
        return CAROM_OK;
    x->ready = false;
    x->t = NAN;
    carom_copy(x->np, sys->p, x->p);
    for (int i = 0; i < x->n; i++)
        x->a[i] = 0;
    carom_system_eval(sys, CAROM_FORCE, t, x->a, x->a);
    if (x->nlink) {
        carom_system_eval(sys, CAROM_GAP, t, x->a, x->a);
        carom_system_eval(sys, CAROM_JACOBIAN, t, x->a, x->a);
    }
    CAROM_TRY(carom_mass_factor(sys, t, s->error));
    CAROM_TRY(functions(s, x));
    x->nz = 2 * x->n + x->nt;
    contact_rows(sys, x);
    free_acceleration(sys, x);
    for (int i = 0; i < x->nlink; i++)
        if (!(x->W[i] > 0))
            CAROM_FAIL(s->error, CAROM_UNSUPPORTED, "exact: the gap of '%s' does not depend on the coordinates",
                       sys->link[i].name);
    carom_exact_size(x, sys, s->options->h);
    CAROM_TRY(verify(s, x));
    for (int k = 0; k < EXACT_FLIGHTS; k++)
        x->flight[k].ready = false;
    x->ready = true;
    return CAROM_OK;
}
