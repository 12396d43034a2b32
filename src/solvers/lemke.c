/* lemke.c: complementary pivoting for contacts without friction,  w = S z + s,  0 <= w _|_ z >= 0.
 *
 *   w - S z - 1 z0 = s;  basis w                                                                     (1)
 *   z0 enters where s is least; then the complement of what has left enters, until z0 leaves         (2)
 *   the row that leaves: lexicographically least (s, B^-1)_i/d_i over d_i > 0, d the entering column (3)
 *   no d_i > 0: a ray. Its z >= 0 shows that there is no solution if S^T z <= 0 and s.z < 0           (4)
 *   the z in the basis are closed: S_PP z_P = -s_P once more, to remove the rounding of the pivots   (5)
 *
 * Rule (3) cannot cycle. S and s are scaled to a unit diagonal before. The solution is basic: contacts that are not
 * needed carry nothing. (4): u = S x + s >= 0 would give 0 <= z.u = (S^T z).x + s.z < 0; so it is for positive
 * semidefinite S. Limits: for other S a ray may prove nothing. */
#include <math.h>
#include <string.h>

#include "solvers/parts.h"

#define PIVOT_TOL 1e-10 /* of the scaled tableau */
#define TIE_TOL 1e-12

static const carom_field fields[] = {{0}};

static bool takes(const carom_problem *problem)
{
    carom_census count = carom_problem_census(problem);
    return count.line == 0 && count.plane == 0 && count.other == 0;
}

typedef struct workspace {
    carom_modes modes;
    double *T;    /* [m*(2m+2)]: s, columns of w (that is B^-1), columns of z, column of z0 */
    double *root; /* [m] 1/sqrt(S_ii) */
    double *z, *u; /* [m] */
    int *basis;   /* [m]: 1..m w, m+1..2m z, 2m+1 z0 */
    int m, width;
} workspace;

static void place(workspace *w, carom_layout *layout, int n, int nblock)
{
    carom_modes_place(&w->modes, layout, n, nblock, 0);
    CAROM_PLACE(layout, w->T, (size_t)n * (2 * (size_t)n + 2));
    w->modes.A = w->T; /* when the pivots are done */
    CAROM_PLACE(layout, w->root, n);
    CAROM_PLACE(layout, w->z, n);
    CAROM_PLACE(layout, w->u, n);
    CAROM_PLACE(layout, w->basis, n);
    w->m = n;
    w->width = 2 * n + 2;
}

static size_t work(int n, int nblock)
{
    workspace w;
    carom_layout layout = {0};
    place(&w, &layout, n, nblock);
    return layout.used;
}

static double *row_of(const workspace *w, int i)
{
    return w->T + (size_t)i * (size_t)w->width;
}

static void begin(workspace *w, const carom_problem *problem) /* (1) */
{
    int m = w->m;
    double largest = 0;
    for (int i = 0; i < m; i++) {
        double diagonal = problem->W.dense[(size_t)i * (size_t)(m + 1)];
        w->root[i] = diagonal > 0 ? 1 / sqrt(diagonal) : 1;
        largest = fmax(largest, fabs(w->root[i] * problem->b[i]));
    }
    for (int i = 0; i < m; i++) {
        double *row = row_of(w, i);
        row[0] = w->root[i] * problem->b[i] / largest;
        for (int j = 0; j < m; j++) {
            row[1 + j] = i == j;
            row[1 + m + j] = -w->root[i] * problem->W.dense[(size_t)i * (size_t)m + (size_t)j] * w->root[j];
        }
        row[1 + 2 * m] = -1;
        w->basis[i] = 1 + i;
    }
}

static void pivot(workspace *w, int r, int entering)
{
    double *top = row_of(w, r), factor = 1 / top[entering];
    for (int j = 0; j < w->width; j++)
        top[j] *= factor;
    top[entering] = 1;
    for (int i = 0; i < w->m; i++) {
        double *row = row_of(w, i), d = row[entering];
        if (i == r || d == 0)
            continue;
        for (int j = 0; j < w->width; j++)
            row[j] -= d * top[j];
        row[entering] = 0;
    }
    w->basis[r] = entering;
}

/* Is row a lexicographically less than row b, each divided by its entry d? */
static bool less(const workspace *w, int a, int b, int entering)
{
    const double *p = row_of(w, a), *q = row_of(w, b);
    double da = 1 / p[entering], db = 1 / q[entering];
    for (int j = 0; j <= w->m; j++) {
        double x = p[j] * da, y = q[j] * db;
        if (fabs(x - y) > TIE_TOL * (1 + fabs(x) + fabs(y)))
            return x < y;
    }
    return a > b;
}

/* (3); z0 leaves as soon as it may. -1: a ray (4) */
static int leaving_row(const workspace *w, int entering)
{
    int best = -1, artificial = -1;
    for (int i = 0; i < w->m; i++) {
        if (!(row_of(w, i)[entering] > PIVOT_TOL))
            continue;
        if (w->basis[i] == 2 * w->m + 1)
            artificial = i;
        if (best < 0 || less(w, i, best, entering))
            best = i;
    }
    if (artificial >= 0 && artificial != best) {
        const double *p = row_of(w, artificial), *q = row_of(w, best);
        double x = p[0] / p[entering], y = q[0] / q[entering];
        if (x - y <= TIE_TOL * (1 + fabs(x)))
            best = artificial;
    }
    return best;
}

static int first_row(const workspace *w)
{
    int r = 0;
    for (int i = 1; i < w->m; i++)
        if (row_of(w, i)[0] <= row_of(w, r)[0])
            r = i;
    return r;
}

/* (4) in the scaled variables */
static bool proves_none(const workspace *w, int entering, const carom_problem *problem)
{
    int m = w->m;
    double *z = w->z, product = 0, size = 0;
    memset(z, 0, sizeof(double) * (size_t)m);
    if (entering > m && entering <= 2 * m)
        z[entering - m - 1] = 1;
    for (int i = 0; i < m; i++)
        if (w->basis[i] > m && w->basis[i] <= 2 * m)
            z[w->basis[i] - m - 1] = fmax(0, -row_of(w, i)[entering]);
    for (int i = 0; i < m; i++) {
        product += z[i] * w->root[i] * problem->b[i];
        size += z[i] * w->root[i] * fabs(problem->b[i]);
    }
    for (int j = 0; j < m; j++) {
        double sum = 0, terms = 0;
        for (int i = 0; i < m; i++) {
            double term = problem->W.dense[(size_t)i * (size_t)m + (size_t)j] * w->root[i] * z[i];
            sum += term;
            terms += fabs(term);
        }
        if (sum > 1e-10 * terms)
            return false;
    }
    return product < -1e-8 * size;
}

/* (2) until z0 has left */
static void run(workspace *w, const carom_problem *problem, carom_solve *s)
{
    int m = w->m, entering = 2 * m + 1, most = 50 * m + 100;
    for (s->iterations = 0; s->iterations < most; s->iterations++) {
        int r = s->iterations ? leaving_row(w, entering) : first_row(w);
        if (r < 0) {
            s->none = proves_none(w, entering, problem);
            return;
        }
        int left = w->basis[r];
        pivot(w, r, entering);
        if (left == 2 * m + 1)
            return;
        entering = left <= m ? left + m : left - m;
    }
}

static void solve(const carom_problem *problem, carom_solve *s)
{
    workspace w;
    carom_layout layout = {.base = s->work};
    int m = problem->n;
    place(&w, &layout, m, problem->nblock);
    memset(s->x, 0, sizeof(double) * (size_t)m);
    s->none = false;
    s->iterations = 0;
    bool open = true;
    for (int i = 0; i < m; i++)
        open = open && problem->b[i] >= 0;
    if (open)
        return;
    begin(&w, problem);
    double largest = 0;
    for (int i = 0; i < m; i++)
        largest = fmax(largest, fabs(w.root[i] * problem->b[i]));
    run(&w, problem, s);
    memset(w.modes.mode, CAROM_FIX_OPEN, (size_t)problem->nblock);
    for (int i = 0; i < m; i++) {
        int k = w.basis[i] - m - 1;
        if (k < 0 || k >= m)
            continue;
        s->x[k] = fmax(0, row_of(&w, i)[0] * largest * w.root[k]);
        w.modes.mode[k] = CAROM_FIX_STICK;
    }
    memcpy(w.z, s->x, sizeof(double) * (size_t)m);
    if (carom_modes_solve(&w.modes, problem, w.z) &&                                     /* (5) */
        carom_problem_residual(problem, w.z, w.u, NULL) <= carom_problem_residual(problem, s->x, w.u, NULL))
        memcpy(s->x, w.z, sizeof(double) * (size_t)m);
}

const carom_solver carom_solver_lemke = {
    .method = {.name = "lemke", .doc = "complementary pivoting; contacts without friction",
               .ref = "Cottle, Pang and Stone (1992), The Linear Complementarity Problem", .fields = fields},
    .forms = CAROM_DENSE,
    .takes = takes,
    .work = work,
    .solve = solve,
};
