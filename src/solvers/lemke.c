/* lemke.c: complementary pivoting,  w = S z + s,  0 <= w _|_ z >= 0: contacts without friction or with it in the plane.
 *
 *   w - S z - 1 z0 = s;  basis w                                                                     (1)
 *   z0 enters where s is least; then the complement of what has left enters, until z0 leaves         (2)
 *   the row that leaves: lexicographically least (s, B^-1)_i/d_i over d_i > 0, d the entering column (3)
 *   no d_i > 0: a ray. Its z >= 0 shows that there is no solution if S^T z <= 0 and s.z < 0           (4)
 *   the z in the basis are closed: S_PP z_P = -s_P once more, to remove the rounding of the pivots   (5)
 * Planar friction (Stewart and Trinkle): x_t = p - m with p, m >= 0, and l >= 0 is the speed of slip
 *   0 <= l + u_t _|_ p,   0 <= l - u_t _|_ m,   0 <= mu x_n - p - m _|_ l                             (6)
 *
 * Rule (3) cannot cycle. S and s are scaled to a unit diagonal before. The solution is basic: contacts that are not
 * needed carry nothing. (4): u = S x + s >= 0 would give 0 <= z.u = (S^T z).x + s.z < 0; so it is for positive
 * semidefinite S. Limits: for other S, and with friction, a ray proves nothing; 400 z at most with friction. */
#include <math.h>
#include <string.h>

#include "solvers/parts.h"

#define PIVOT_TOL 1e-10 /* of the scaled tableau */
#define TIE_TOL 1e-12

enum { FRICTION = 400 }; /* z at most if some have friction */
static const carom_field fields[] = {{0}};

static bool takes(const carom_problem *problem)
{
    carom_census count = carom_problem_census(problem);
    for (int k = 0; k < problem->nblock; k++) /* friction without a normal is another law */
        if (problem->block[k].law->tangents == problem->block[k].law->rows)
            return false;
    bool few = count.frictionless + 4 * (double)count.line <= FRICTION;
    return count.plane == 0 && count.other == 0 && (count.line == 0 || few);
}

typedef struct workspace {
    carom_modes modes;
    double *T;    /* [m*(2m+2)]: s, columns of w (that is B^-1), columns of z, column of z0 */
    double *root; /* [m] 1/sqrt(S_ii) */
    double *z;     /* [m] */
    double *x, *u; /* [n] */
    int *basis;   /* [m]: 1..m w, m+1..2m z, 2m+1 z0 */
    int *row;     /* [m] of the problem, -1: the l of a contact */
    int *of;      /* [m] block */
    signed char *sign; /* [m] -1: m of (6) */
    int m, width;
    double largest;    /* s was divided by it */
} workspace;

static void place(workspace *w, carom_layout *layout, int n, int nblock, int m)
{
    carom_modes_place(&w->modes, layout, n, nblock, 0);
    CAROM_PLACE(layout, w->T, (size_t)m * (2 * (size_t)m + 2));
    w->modes.A = w->T; /* when the pivots are done */
    w->modes.most = n;
    CAROM_PLACE(layout, w->root, m);
    CAROM_PLACE(layout, w->z, m);
    CAROM_PLACE(layout, w->x, n);
    CAROM_PLACE(layout, w->u, n);
    CAROM_PLACE(layout, w->basis, m);
    CAROM_PLACE(layout, w->row, m);
    CAROM_PLACE(layout, w->of, m);
    CAROM_PLACE(layout, w->sign, m);
    w->m = m;
    w->width = 2 * m + 2;
}

static size_t work(int n, int nblock)
{
    workspace w;
    carom_layout layout = {0};
    place(&w, &layout, n, nblock, CAROM_MAX(n, CAROM_MIN(2 * n, FRICTION)));
    return layout.used;
}

/* How many z, and (w given) which: x_n, then p, m, l of (6). */
static int variables(const carom_problem *problem, workspace *w)
{
    int m = 0;
    for (int k = 0; k < problem->nblock; k++)
        for (int j = 0; j < (problem->block[k].law->tangents ? 4 : 1); j++, m++)
            if (w) {
                w->of[m] = k;
                w->row[m] = j == 3 ? -1 : problem->block[k].row + (j > 0);
                w->sign[m] = j == 2 ? -1 : 1;
            }
    return m;
}

/* An entry of S. */
static double entry(const workspace *w, const carom_problem *problem, int i, int j)
{
    bool same = w->of[i] == w->of[j];
    int first = problem->block[w->of[i]].row;
    if (w->row[i] >= 0 && w->row[j] >= 0)
        return w->sign[i] * w->sign[j] * problem->W.dense[(size_t)w->row[i] * (size_t)problem->n + (size_t)w->row[j]];
    if (!same || w->row[i] == w->row[j])
        return 0;
    if (w->row[j] < 0)
        return w->row[i] > first;                                                        /* (6) */
    return w->row[j] > first ? -1 : carom_block_mu(&problem->block[w->of[i]]);
}

static double *row_of(const workspace *w, int i)
{
    return w->T + (size_t)i * (size_t)w->width;
}

static double right_side(const workspace *w, const carom_problem *problem, int i)
{
    return w->row[i] < 0 ? 0 : w->sign[i] * problem->b[w->row[i]];
}

static void begin(workspace *w, const carom_problem *problem) /* (1) */
{
    int m = w->m;
    w->largest = 0;
    for (int i = 0; i < m; i++) {
        double diagonal = entry(w, problem, i, i);
        w->root[i] = w->row[i] < 0 ? 1 / w->root[i - 1] : diagonal > 0 ? 1 / sqrt(diagonal) : 1;
        w->largest = fmax(w->largest, fabs(w->root[i] * right_side(w, problem, i)));
    }
    for (int i = 0; i < m; i++) {
        double *row = row_of(w, i);
        row[0] = w->root[i] * right_side(w, problem, i) / w->largest;
        for (int j = 0; j < m; j++) {
            row[1 + j] = i == j;
            row[1 + m + j] = -w->root[i] * entry(w, problem, i, j) * w->root[j];
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
            s->none = m == problem->n && proves_none(w, entering, problem);
            return;
        }
        int left = w->basis[r];
        pivot(w, r, entering);
        if (left == 2 * m + 1)
            return;
        entering = left <= m ? left + m : left - m;
    }
}

/* x and the modes of the basis: closed where x_n is in it, slipping where l is. */
static void read_basis(workspace *w, const carom_problem *problem, double *x)
{
    int m = w->m;
    memset(w->modes.mode, CAROM_OPEN, (size_t)problem->nblock);
    for (int i = 0; i < m; i++) {
        int k = w->basis[i] - m - 1;
        if (k < 0 || k >= m)
            continue;
        if (w->row[k] >= 0)
            x[w->row[k]] += w->sign[k] * fmax(0, row_of(w, i)[0] * w->largest * w->root[k]);
        if (w->row[k] == problem->block[w->of[k]].row)
            w->modes.mode[w->of[k]] = carom_law_held(problem->block[w->of[k]].law);
    }
    for (int i = 0; i < m; i++) {
        int k = w->basis[i] - m - 1, block = k >= 0 && k < m ? w->of[k] : -1;
        if (block >= 0 && w->row[k] < 0 && w->modes.mode[block] != CAROM_OPEN)
            w->modes.mode[block] = x[problem->block[block].row + 1] < 0 ? CAROM_SLIP : CAROM_SLIP_BACK;
    }
}

static void solve(const carom_problem *problem, carom_solve *s)
{
    workspace w;
    carom_layout layout = {.base = s->work};
    int n = problem->n;
    place(&w, &layout, n, problem->nblock, variables(problem, NULL));
    variables(problem, &w);
    memset(s->x, 0, sizeof(double) * (size_t)n);
    s->none = false;
    s->iterations = 0;
    bool open = true;
    for (int k = 0; k < problem->nblock; k++)
        open = open && problem->b[problem->block[k].row] >= 0;
    if (open)
        return;
    begin(&w, problem);
    run(&w, problem, s);
    read_basis(&w, problem, s->x);
    memcpy(w.x, s->x, sizeof(double) * (size_t)n);
    if (carom_modes_solve(&w.modes, problem, w.x) &&                                     /* (5) */
        carom_problem_residual(problem, w.x, w.u, NULL) <= carom_problem_residual(problem, s->x, w.u, NULL))
        memcpy(s->x, w.x, sizeof(double) * (size_t)n);
}

const carom_solver carom_solver_lemke = {
    .method = {.name = "lemke", .doc = "complementary pivoting; contacts without friction, or with it in the plane",
               .ref = "Cottle, Pang and Stone (1992), The Linear Complementarity Problem", .fields = fields},
    .forms = CAROM_DENSE,
    .takes = takes,
    .work = work,
    .solve = solve,
};
