/* proximal.c: proximal point iteration around a semismooth Newton method; nothing is eliminated, W may be sparse.
 *
 *   scaled problem (scaled.h): u = W r + b; first some sweeps of Gauss-Seidel, beyond 20,000 rows accelerated ones
 *   (core/anderson.h) as long as they gain                                                                          (1)
 *   proximal point:   r' solves the law for u = W r + b + a (r - c), c the last accepted r                          (2)
 *   Newton's method on Alart and Curnier's function F (alart_curnier.c), one block of rows per contact:
 *       (A (W + a) + B) dr = -F,  A = dF/du, B = dF/dr; open contacts (F = r) are taken out of the system           (3)
 *       step t = 1, 1/2, ...: |F|^2 falls below the largest of the last 8                                           (4)
 *       until |F| <= 0.1 a R, R the natural map at c                                                                (5)
 *   accepted: c <- r', a <- a/10, a/4 or a/2 after up to 4, up to 8 or more Newton steps;
 *   failed: back to c, a <- 4 a, and held for 3 steps unless R falls 3 times                                        (6)
 *   after 60 factorisations or 2 failures: once the interior point method (interior.c), and on with a = 1e-3        (7)
 *
 * (2) is what makes redundant contacts regular; its solutions tend to those of the problem. Limits: it cannot show that
 * there is no solution. */
#include <math.h>
#include <string.h>

#include "core/anderson.h"
#include "core/dense.h"
#include "solvers/scaled.h"

enum { SWEEPS, FACTORISATIONS, REGULAR };
static const carom_field fields[] = {
    [SWEEPS] = {"sweeps", CAROM_FIELD_INT, 30, 0, 1e6, NULL, "Gauss-Seidel sweeps before"},
    [FACTORISATIONS] = {"factorisations", CAROM_FIELD_INT, 1000, 1, 1e6, NULL, "at most"},
    [REGULAR] = {"alpha", CAROM_FIELD_DOUBLE, 1e-2, 1e-12, 1e6, NULL, "first proximal parameter"},
    {0},
};
#define LEAST 1e-12 /* proximal parameter */
enum { MEMORY = 8, HALVINGS = 12, NEWTON_STEPS = 20, FEW = 60, MANY = 20000 };

typedef struct newton {
    carom_scaled *p;
    carom_solve *s;
    carom_sparse *lu;
    double a;                   /* proximal parameter */
    double *r, *c, *u;          /* [n] iterate, centre, velocity of (2) */
    double *F, *dr, *du, *rhs;  /* [n] */
    double *trial, *v;          /* [n] [n] */
    double *A, *B;              /* [9*nblock] */
    unsigned char *in, *analysed; /* [nblock] blocks of the system; of the ordering */
    int factorisations;
} newton;

/* F at (u, r); with derivatives if w->A is to be filled. Returns |F|^2/2. */
static double function(newton *w, const double *u, const double *r, double *F, bool derivatives)
{
    const carom_scaled *p = w->p;
    for (int k = 0; k < p->nblock; k++) {
        int first = p->pattern.row[k], rows = p->pattern.row[k + 1] - first;
        double *A = derivatives ? w->A + 9 * (size_t)k : NULL, *B = derivatives ? w->B + 9 * (size_t)k : NULL;
        bool open = carom_alart_curnier(p->part[k], rows, p->mu[k], p->value + p->offset[p->diagonal[k]], 1, u + first,
                                        r + first, F + first, A, B);
        if (derivatives)
            w->in[k] = !open;
    }
    return carom_dot(p->n, F, F) / 2;
}

/* A block of A (W + a) + B; blocks that the ordering has but the system has not stand for dr = rhs. */
static void fill(void *context, int k, int l, size_t e, double *out)
{
    const newton *w = context;
    const carom_scaled *p = w->p;
    int rows = p->pattern.row[k + 1] - p->pattern.row[k], columns = p->pattern.row[l + 1] - p->pattern.row[l];
    const double *W = p->value + p->offset[e], *A = w->A + 9 * (size_t)k, *B = w->B + 9 * (size_t)k;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            double sum = 0;
            for (int m = 0; w->in[k] && w->in[l] && m < rows; m++)
                sum += A[3 * i + m] * (W[m * columns + j] + (k == l && m == j ? w->a : 0));
            if (k == l)
                sum += w->in[k] ? B[3 * i + j] : i == j;
            out[i * columns + j] = sum;
        }
}

/* The ordering is made anew when a block comes in that it has not, or when it has far too many. */
static bool order(newton *w)
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
static void system_residual(newton *w, const double *x, double *out)
{
    const carom_scaled *p = w->p;
    carom_scaled_multiply(p, x, w->du);
    for (int i = 0; i < p->n; i++)
        w->du[i] += w->a * x[i];
    for (int k = 0; k < p->nblock; k++) {
        int first = p->pattern.row[k], rows = p->pattern.row[k + 1] - first;
        const double *A = w->A + 9 * (size_t)k, *B = w->B + 9 * (size_t)k;
        for (int i = 0; i < rows; i++) {
            double sum = -w->rhs[first + i] + (w->in[k] ? 0 : x[first + i]);
            for (int j = 0; w->in[k] && j < rows; j++)
                sum += A[3 * i + j] * w->du[first + j] + B[3 * i + j] * x[first + j];
            out[first + i] = sum;
        }
    }
}

/* (3): dr and du = (W + a) dr */
static bool direction(newton *w)
{
    const carom_scaled *p = w->p;
    int n = p->n;
    if (!order(w) || !carom_sparse_factor(w->lu, fill, w))
        return false;
    w->factorisations++;
    for (int i = 0; i < n; i++)
        w->rhs[i] = -w->F[i];
    memset(w->dr, 0, sizeof(double) * (size_t)n);
    for (int k = 0; k < p->nblock; k++)
        for (int i = p->pattern.row[k]; !w->in[k] && i < p->pattern.row[k + 1]; i++)
            w->dr[i] = w->rhs[i];
    double size = sqrt(carom_dot(n, w->rhs, w->rhs));
    for (int pass = 0; pass < 3; pass++) { /* a solution and refinements of it */
        system_residual(w, w->dr, w->v);
        double left = sqrt(carom_dot(n, w->v, w->v));
        if (pass > 0 && left <= 1e-10 * size)
            return true;
        carom_sparse_solve(w->lu, w->v);
        for (int k = 0; k < p->nblock; k++)
            for (int i = p->pattern.row[k]; w->in[k] && i < p->pattern.row[k + 1]; i++)
                w->dr[i] -= w->v[i];
    }
    system_residual(w, w->dr, w->v);
    return carom_all_finite(n, w->dr);
}

/* (4); false: no step is short enough */
static bool search(newton *w, double bound, double *merit)
{
    int n = w->p->n;
    double t = 1;
    for (int k = 0; k <= HALVINGS; k++, t /= 2) {
        for (int i = 0; i < n; i++) {
            w->trial[i] = w->r[i] + t * w->dr[i];
            w->v[i] = w->u[i] + t * w->du[i];
        }
        double value = function(w, w->v, w->trial, w->rhs, false);
        if (value <= bound * (1 - 2e-4 * t)) {
            *merit = value;
            carom_copy(n, w->trial, w->r);
            carom_copy(n, w->v, w->u);
            return true;
        }
    }
    return false;
}

/* (3)-(5) from w->r */
static bool inner(newton *w, double goal)
{
    int n = w->p->n;
    double history[MEMORY], floor = 1e-14 * (1 + sqrt(carom_dot(n, w->r, w->r)));
    carom_scaled_velocity(w->p, w->r, w->u);
    for (int i = 0; i < n; i++)
        w->u[i] += w->a * (w->r[i] - w->c[i]);
    double merit = function(w, w->u, w->r, w->F, true);
    for (int k = 0; k < MEMORY; k++)
        history[k] = merit;
    for (int k = 0; k < NEWTON_STEPS; k++) {
        if (sqrt(2 * merit) <= fmax(goal, floor))
            return true;
        if (carom_scaled_expired(w->p, w->s) || !direction(w))
            return false;
        double bound = 0;
        for (int i = 0; i < MEMORY; i++)
            bound = fmax(bound, history[i]);
        if (!search(w, bound, &merit))
            return false;
        function(w, w->u, w->r, w->F, true);
        history[k % MEMORY] = merit;
    }
    return false;
}

/* (2), (6) until the problem is solved, `most` factorisations are spent or `failures` steps have failed. */
static bool proximal_points(newton *w, double alpha, int most, int failures)
{
    carom_scaled *p = w->p;
    int n = p->n, hold = 0, falls = 0, begin = w->factorisations;
    w->a = alpha;
    carom_copy(n, w->r, w->c);
    carom_scaled_velocity(p, w->c, w->u);
    double R = carom_scaled_residual(p, w->c, w->u);
    while (w->factorisations - begin < most && !carom_scaled_expired(p, w->s)) {
        int spent = w->factorisations;
        bool last = w->a <= LEAST;
        w->s->iterations++;
        bool good = inner(w, 0.1 * w->a * R);                                            /* (5) */
        int steps = w->factorisations - spent;
        if (good) {
            if (last && steps == 0) /* nothing moves any more */
                break;
            carom_scaled_velocity(p, w->r, w->u);
            double before = R;
            R = carom_scaled_residual(p, w->r, w->u);
            carom_copy(n, w->r, w->c);                                                   /* (6) */
            if (carom_scaled_offer(p, w->s, w->r))
                return true;
            falls = R < before ? falls + 1 : 0;
            hold = falls >= 3 ? 0 : hold;
            if (hold > 0)
                hold--;
            else
                w->a = fmax(w->a / (steps <= 4 ? 10 : steps <= 8 ? 4 : 2), LEAST);
            continue;
        }
        if (--failures <= 0)
            break;
        carom_copy(n, w->c, w->r);
        w->a *= 4;
        hold = 3;
        falls = 0;
        if (w->a > 1e6)
            break;
    }
    carom_copy(n, w->c, w->r);
    return false;
}

static bool sweeps(newton *w, int most)
{
    for (int k = 1; k <= most; k++) {
        carom_scaled_sweep(w->p, w->r, false);
        w->s->iterations++;
        if ((k % 5 == 0 || k == most) && carom_scaled_offer(w->p, w->s, w->r))
            return true;
        if (k % 5 == 0 && carom_scaled_expired(w->p, w->s))
            return false;
    }
    return false;
}

/* Sweeps to and fro, accelerated, as long as the residual falls to half in PATIENCE of them; w->r is the best found. */
static bool accelerated_sweeps(newton *w, int most)
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
    carom_copy(n, w->r, w->c);
    for (int k = 1; k <= most && since < (best < 1e-5 ? LITTLE : PATIENCE); k++, since++) {
        carom_copy(n, w->c, w->trial);
        carom_scaled_sweep(w->p, w->trial, false);
        carom_scaled_sweep(w->p, w->trial, true);
        w->s->iterations++;
        if (k % LOOK == 0) {
            carom_scaled_velocity(w->p, w->trial, w->u);
            double R = carom_scaled_residual(w->p, w->trial, w->u);
            if (R < best) {
                best = R;
                carom_copy(n, w->trial, w->r);
            }
            if (carom_scaled_offer(w->p, w->s, w->trial))
                return true;
            since = best < half / 2 ? 0 : since;
            half = best < half / 2 ? best : half;
            if (carom_scaled_expired(w->p, w->s))
                return false;
        }
        if (!(carom_anderson_next(&anderson, w->c, w->trial) <= DBL_MAX))
            return false;
    }
    return false;
}

static bool place(newton *w, carom_arena *arena, size_t n, size_t nblock)
{
    double **arrays[] = {&w->r, &w->c, &w->u, &w->F, &w->dr, &w->du, &w->rhs, &w->trial, &w->v};
    bool room = true;
    for (int i = 0; i < CAROM_COUNT(arrays); i++)
        room = (*arrays[i] = CAROM_NEW(arena, double, n)) && room;
    w->A = CAROM_NEW(arena, double, 9 * nblock);
    w->B = CAROM_NEW(arena, double, 9 * nblock);
    w->in = CAROM_NEW(arena, unsigned char, nblock);
    w->analysed = CAROM_NEW(arena, unsigned char, nblock);
    return room && w->A && w->B && w->in && w->analysed && w->lu && carom_sparse_begin(w->lu, &w->p->pattern);
}

/* (7) */
static bool restart(newton *w, int most)
{
    if (carom_scaled_expired(w->p, w->s) || w->factorisations >= most)
        return false;
    if (carom_interior_run(w->p, w->s, w->lu, w->r, &w->factorisations))
        return true;
    memset(w->analysed, 1, (size_t)w->p->nblock);
    return proximal_points(w, 1e-3, most - w->factorisations, 1000);
}

void carom_proximal_run(const carom_problem *problem, carom_solve *s, int most, int most_sweeps, double alpha)
{
    carom_scaled p;
    newton w = {.p = &p, .s = s};
    s->iterations = 0;
    if (!carom_scaled_begin(&p, problem, s))
        return;
    w.lu = carom_sparse_new(s->arena);
    if (place(&w, s->arena, (size_t)p.n, (size_t)p.nblock)) {
        carom_scaled_guess(&p, s->x, w.r);
        bool cold = carom_norm_max(p.n, s->x) == 0; /* a warm guess is swept at least once */
        bool done = ((cold || most_sweeps == 0) && carom_scaled_offer(&p, s, w.r)) ||
                    (p.n > MANY && most_sweeps ? accelerated_sweeps(&w, 2000) : sweeps(&w, most_sweeps)); /* (1) */
        done = done || (alpha > 0 && proximal_points(&w, alpha, CAROM_MIN(FEW, most), 2));
        if (!done)
            restart(&w, most);
    }
    s->factorisations = w.factorisations;
}

static void solve(const carom_problem *problem, carom_solve *s)
{
    carom_proximal_run(problem, s, (int)s->field[FACTORISATIONS], (int)s->field[SWEEPS], s->field[REGULAR]);
}

static size_t work(int n, int nblock)
{
    (void)n;
    (void)nblock;
    return 0;
}

const carom_solver carom_solver_proximal = {
    .method = {.name = "proximal", .doc = "proximal points around a semismooth Newton method; every size, sparse",
               .ref = "Alart and Curnier (1991), Comput. Methods Appl. Mech. Engrg. 92, 353-375", .fields = fields},
    .forms = CAROM_DENSE | CAROM_SPARSE,
    .whole = true,
    .takes = carom_scaled_takes,
    .work = work,
    .solve = solve,
};
