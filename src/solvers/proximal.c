/* proximal.c: proximal points, described in points.c, with W by blocks; nothing is eliminated.
 *
 *   scaled problem (scaled.h): u = W r + b; first some sweeps of Gauss-Seidel, beyond 20,000 rows accelerated ones
 *   (core/anderson.h) as long as they gain                                                                          (1)
 *   a step of Newton's method, F, A and B as in points.c:
 *       (A (W + a) + B) dr = -F; open contacts (F = r) are taken out of the system                                  (2)
 *   after 60 factorisations or 2 failures: once the interior point method (interior.c), and on with a = 1e-3        (3)
 *
 * Limits: those of points.c. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/anderson.h"
#include "core/dense.h"
#include "solvers/points.h"
#include "solvers/scaled.h"

enum { SWEEPS, FACTORISATIONS, REGULAR };
static const carom_field fields[] = {
    [SWEEPS] = {"sweeps", CAROM_FIELD_INT, 30, 0, 1e6, NULL, "Gauss-Seidel sweeps before"},
    [FACTORISATIONS] = {"factorisations", CAROM_FIELD_INT, 4000, 1, 1e6, NULL, "at most"},
    [REGULAR] = {"alpha", CAROM_FIELD_DOUBLE, 1e-2, 1e-12, 1e6, NULL, "first proximal parameter"},
    {0},
};
enum { FEW = 60, MANY = 20000 };

typedef struct workspace {
    carom_points points;        /* the first: it stands for all of this in the functions below */
    carom_scaled *p;
    carom_solve *s;
    carom_sparse *lu;
    double *rhs, *v;            /* [n] */
    double *A, *B;              /* [9*nblock] */
    const double *left, *right; /* [9*nblock] A and B of the interior point method */
    unsigned char *in, *analysed; /* [nblock] blocks of the system; of the ordering */
} workspace;

static void velocity(carom_points *points, const double *r, double *u)
{
    carom_scaled_velocity(((workspace *)points)->p, r, u);
}

static double residual(carom_points *points, const double *r, const double *u)
{
    return carom_scaled_residual(((workspace *)points)->p, r, u);
}

static bool offer(carom_points *points, const double *r)
{
    return carom_scaled_offer(((workspace *)points)->p, points->solve, r);
}

static void sweep(carom_points *points, int sweeps)
{
    for (int k = 0; k < sweeps; k++)
        carom_scaled_sweep(((workspace *)points)->p, points->r, k % 2);
}

static double function(carom_points *points, const double *u, const double *r, double *F, bool derivatives)
{
    workspace *w = (workspace *)points;
    const carom_scaled *p = w->p;
    for (int k = 0; k < p->nblock; k++) {
        int first = p->pattern.row[k], rows = p->pattern.row[k + 1] - first;
        double *A = derivatives ? w->A + 9 * (size_t)k : NULL, *B = derivatives ? w->B + 9 * (size_t)k : NULL;
        bool open = carom_alart_curnier(p->part[k], rows, p->mu[k], p->value + p->offset[p->diagonal[k]], 1,
                                        CAROM_ALART_CURNIER, u + first, r + first, F + first, A, B);
        if (derivatives)
            w->in[k] = !open;
    }
    return carom_dot(p->n, F, F) / 2;
}

/* A block of A (W + a) + B; blocks that the ordering has but the system has not stand for dr = rhs. */
static void fill(void *context, int k, int l, size_t e, double *out)
{
    const workspace *w = context;
    const carom_scaled *p = w->p;
    int rows = p->pattern.row[k + 1] - p->pattern.row[k], columns = p->pattern.row[l + 1] - p->pattern.row[l];
    const double *W = p->value + p->offset[e], *A = w->A + 9 * (size_t)k, *B = w->B + 9 * (size_t)k;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            double sum = 0;
            for (int m = 0; w->in[k] && w->in[l] && m < rows; m++)
                sum += A[3 * i + m] * (W[m * columns + j] + (k == l && m == j ? w->points.a : 0));
            if (k == l)
                sum += w->in[k] ? B[3 * i + j] : i == j;
            out[i * columns + j] = sum;
        }
}

/* The ordering is made anew when a block comes in that it has not, or when it has far too many. */
static bool order(workspace *w)
{
    const carom_scaled *p = w->p;
    int have = 0, need = 0;
    bool covered = true;
    for (int k = 0; k < p->nblock; k++) {
        have += w->analysed[k];
        need += w->in[k];
        covered = covered && w->analysed[k] >= w->in[k];
    }
    if (covered && 4 * need >= 3 * have)
        return true;
    memcpy(w->analysed, w->in, (size_t)p->nblock);
    return carom_sparse_analyse(w->lu, w->analysed);
}

/* out = (A (W + a) + B) x - rhs in the rows that are in, x - rhs elsewhere; du = (W + a) x */
static void system_residual(workspace *w, const double *x, double *out)
{
    const carom_scaled *p = w->p;
    double *du = w->points.du;
    carom_scaled_multiply(p, x, du);
    for (int i = 0; i < p->n; i++)
        du[i] += w->points.a * x[i];
    for (int k = 0; k < p->nblock; k++) {
        int first = p->pattern.row[k], rows = p->pattern.row[k + 1] - first;
        const double *A = w->A + 9 * (size_t)k, *B = w->B + 9 * (size_t)k;
        for (int i = 0; i < rows; i++) {
            double sum = -w->rhs[first + i] + (w->in[k] ? 0 : x[first + i]);
            for (int j = 0; w->in[k] && j < rows; j++)
                sum += A[3 * i + j] * du[first + j] + B[3 * i + j] * x[first + j];
            out[first + i] = sum;
        }
    }
}

/* (2): dr and du = (W + a) dr */
static bool direction(carom_points *points)
{
    workspace *w = (workspace *)points;
    const carom_scaled *p = w->p;
    int n = p->n;
    double *dr = points->dr;
    if (!order(w) || !carom_sparse_factor(w->lu, fill, w))
        return false;
    points->factorisations++;
    for (int i = 0; i < n; i++)
        w->rhs[i] = -points->F[i];
    memset(dr, 0, sizeof(double) * (size_t)n);
    for (int k = 0; k < p->nblock; k++)
        for (int i = p->pattern.row[k]; !w->in[k] && i < p->pattern.row[k + 1]; i++)
            dr[i] = w->rhs[i];
    double size = sqrt(carom_dot(n, w->rhs, w->rhs));
    for (int pass = 0; pass < 3; pass++) { /* a solution and refinements of it */
        system_residual(w, dr, w->v);
        double left = sqrt(carom_dot(n, w->v, w->v));
        if (pass > 0 && left <= 1e-10 * size)
            return true;
        carom_sparse_solve(w->lu, w->v);
        for (int k = 0; k < p->nblock; k++)
            for (int i = p->pattern.row[k]; w->in[k] && i < p->pattern.row[k + 1]; i++)
                dr[i] -= w->v[i];
    }
    system_residual(w, dr, w->v);
    return carom_all_finite(n, dr);
}

/* A block of 1 + A S W S B. */
static void fill_barrier(void *context, int k, int l, size_t e, double *out)
{
    const workspace *w = context;
    const carom_points *p = &w->points;
    int rows = p->row[k + 1] - p->row[k], columns = p->row[l + 1] - p->row[l];
    const double *W = w->p->value + w->p->offset[e], *A = w->left + 9 * (size_t)k, *B = w->right + 9 * (size_t)l;
    double WB[9];
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            double sum = 0;
            for (int m = 0; m < columns; m++)
                sum += W[i * columns + m] * carom_points_stretch(p, l, m) * B[3 * m + j];
            WB[i * columns + j] = carom_points_stretch(p, k, i) * sum;
        }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            double sum = k == l && i == j;
            for (int m = 0; m < rows; m++)
                sum += A[3 * i + m] * WB[m * columns + j];
            out[i * columns + j] = sum;
        }
}

static bool factor_barrier(carom_points *points, const double *A, const double *B)
{
    workspace *w = (workspace *)points;
    int have = 0;
    w->left = A, w->right = B;
    for (int k = 0; k < points->nblock; k++)
        have += w->analysed[k];
    memset(w->analysed, 1, (size_t)points->nblock);
    if (have < points->nblock && !carom_sparse_analyse(w->lu, NULL))
        return false;
    return carom_sparse_factor(w->lu, fill_barrier, w);
}

static void solve_barrier(carom_points *points, double *x)
{
    carom_sparse_solve(((workspace *)points)->lu, x);
}

static const carom_points_form form = {
    velocity, residual, offer, function, direction, sweep, .least = 1e-12, factor_barrier, solve_barrier,
};

static bool sweeps(workspace *w, int most)
{
    for (int k = 1; k <= most; k++) {
        carom_scaled_sweep(w->p, w->points.r, false);
        w->s->iterations++;
        if ((k % 5 == 0 || k == most) && carom_scaled_offer(w->p, w->s, w->points.r))
            return true;
        if (k % 5 == 0 && carom_scaled_expired(w->p, w->s))
            return false;
    }
    return false;
}

/* Sweeps to and fro, accelerated, as long as the residual falls to half in PATIENCE of them; r is the best found. */
static bool accelerated_sweeps(workspace *w, int most)
{
    enum { LOOK = 8, PATIENCE = 120, LITTLE = 48 }; /* of the last part little is to be expected */
    carom_anderson anderson;
    carom_layout measure = {0}, layout = {0};
    int n = w->p->n, since = 0;
    double best = INFINITY, half = INFINITY;
    carom_anderson_place(&anderson, &measure, n);
    if (!(layout.base = carom_arena_alloc(w->s->arena, measure.used + 16)))
        return false;
    carom_anderson_place(&anderson, &layout, n);
    carom_anderson_begin(&anderson, NULL);
    carom_copy(n, w->points.r, w->points.c);
    for (int k = 1; k <= most && since < (best < 1e-5 ? LITTLE : PATIENCE); k++, since++) {
        carom_copy(n, w->points.c, w->points.trial);
        carom_scaled_sweep(w->p, w->points.trial, false);
        carom_scaled_sweep(w->p, w->points.trial, true);
        w->s->iterations++;
        if (k % LOOK == 0) {
            carom_scaled_velocity(w->p, w->points.trial, w->points.u);
            double R = carom_scaled_residual(w->p, w->points.trial, w->points.u);
            if (R < best) {
                best = R;
                carom_copy(n, w->points.trial, w->points.r);
            }
            if (carom_scaled_offer(w->p, w->s, w->points.trial))
                return true;
            since = best < half / 2 ? 0 : since;
            half = best < half / 2 ? best : half;
            if (carom_scaled_expired(w->p, w->s))
                return false;
        }
        if (!(carom_anderson_next(&anderson, w->points.c, w->points.trial) <= DBL_MAX))
            return false;
    }
    return false;
}

static bool place(workspace *w, carom_arena *arena, size_t n, size_t nblock)
{
    bool room = carom_points_place(&w->points, arena);
    w->rhs = CAROM_NEW(arena, double, n), w->v = CAROM_NEW(arena, double, n);
    w->A = CAROM_NEW(arena, double, 9 * nblock);
    w->B = CAROM_NEW(arena, double, 9 * nblock);
    w->in = CAROM_NEW(arena, unsigned char, nblock);
    w->analysed = CAROM_NEW(arena, unsigned char, nblock);
    return room && w->rhs && w->v && w->A && w->B && w->in && w->analysed && w->lu &&
           carom_sparse_begin(w->lu, &w->p->pattern);
}

/* (3) */
static bool restart(workspace *w)
{
    if (carom_points_over(&w->points))
        return false;
    void *work = carom_arena_alloc(w->s->arena, carom_interior_work(w->p->n, w->p->nblock));
    if (!work || carom_interior_run(&w->points, work, false))
        return work != NULL;
    return carom_points_run(&w->points, 1e-3, INT_MAX, INT_MAX);
}

/* The scaled problem and its guess; false: no memory. */
static bool begin(workspace *w, const carom_problem *problem)
{
    carom_scaled *p = w->p;
    carom_solve *s = w->s;
    s->iterations = 0;
    if (!carom_scaled_begin(p, problem, s))
        return false;
    w->points = (carom_points){.form = &form, .solve = s, .deadline = p->deadline, .n = p->n, .nblock = p->nblock,
                               .block = problem->block,
                               .row = p->pattern.row, .part = p->part, .mu = p->mu, .b = p->b};
    w->lu = carom_sparse_new(s->arena);
    if (w->lu)
        carom_sparse_share(w->lu, s->threads);
    if (!place(w, s->arena, (size_t)p->n, (size_t)p->nblock))
        return false;
    carom_scaled_guess(p, s->x, w->points.r);
    return true;
}

void carom_blocks_with(const carom_problem *problem, carom_solve *s, const carom_points_method *method)
{
    carom_scaled p;
    workspace w = {.p = &p, .s = s};
    void *work = carom_arena_alloc(s->arena, method->work(problem->n, problem->nblock));
    if (work && begin(&w, problem))
        method->run(&w.points, work);
    s->factorisations = w.points.factorisations;
}

void carom_proximal_run(const carom_problem *problem, carom_solve *s, int most, int most_sweeps, double alpha)
{
    carom_scaled p;
    workspace w = {.p = &p, .s = s};
    if (begin(&w, problem)) {
        w.points.limit = most;
        bool cold = carom_norm_max(p.n, s->x) == 0; /* a warm guess is swept at least once */
        bool done = ((cold || most_sweeps == 0) && carom_scaled_offer(&p, s, w.points.r)) ||
                    (p.n > MANY && most_sweeps ? accelerated_sweeps(&w, 2000) : sweeps(&w, most_sweeps)); /* (1) */
        done = done || (alpha > 0 && carom_points_run(&w.points, alpha, FEW, 2));
        if (!done)
            restart(&w);
    }
    s->factorisations = w.points.factorisations;
}

static void solve(const carom_problem *problem, carom_solve *s)
{
    carom_proximal_run(problem, s, (int)s->field[FACTORISATIONS], (int)s->field[SWEEPS], s->field[REGULAR]);
}

const carom_solver carom_solver_proximal = {
    .method = {.name = "proximal", .doc = "proximal points around a semismooth Newton method; every size, sparse",
               .ref = "Alart and Curnier (1991), Comput. Methods Appl. Mech. Engrg. 92, 353-375", .fields = fields},
    .forms = CAROM_DENSE | CAROM_SPARSE,
    .whole = true,
    .takes = carom_scaled_takes,
    .work = carom_no_work,
    .solve = solve,
};
