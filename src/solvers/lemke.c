/* lemke.c: complementary pivoting,  w = S z + s,  0 <= w _|_ z >= 0: contacts without friction or with it in the plane.
 *
 *   w - S z - 1 z0 = s;  basis B of its columns, at first those of w                                  (1)
 *   z0 enters where s is least; then the complement of what has left enters, until z0 leaves         (2)
 *   the row that leaves: lexicographically least (s, B^-1)_i/d_i over d_i > 0, d = B^-1 times the entering column
 *                                                                                                    (3)
 *   no d_i > 0: a ray. Its z >= 0 shows that there is no solution if S^T z <= 0 and s.z < 0           (4)
 *   the last basis is factored once more, B^-1 s refined: without the rounding of the pivots          (5)
 * Planar friction (Stewart and Trinkle): x_t = p - m with p, m >= 0, and l >= 0 is the speed of slip
 *   0 <= l + u_t _|_ p,   0 <= l - u_t _|_ m,   0 <= mu x_n - p - m _|_ l                             (6)
 *
 * The revised form: S is stored by its columns, B^-1 as a sparse LU and the exchanges since (core/sparse/basis.h); a
 * row of B^-1 is made where (3) has a tie. Memory and time of a pivot follow the entries of S and of the factor.
 * Joints, pins and offsets are eliminated before (reduce.c), which makes S dense.
 * Rule (3) cannot cycle. S and s are scaled to a unit diagonal before. The solution is basic: contacts that are not
 * needed carry nothing. (4): u = S x + s >= 0 would give 0 <= z.u = (S^T z).x + s.z < 0; so it is for positive
 * semidefinite S. Limits: for other S, and with friction, a ray proves nothing. */
#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "core/sparse/basis.h"
#include "solvers/parts.h"
#include "solvers/scaled.h"

#define PIVOT_TOL 1e-10 /* of the scaled columns */
#define TIE_TOL 1e-12

static const carom_field fields[] = {{0}};

static bool takes(const carom_problem *problem)
{
    carom_census count = carom_problem_census(problem);
    for (int k = 0; k < problem->nblock; k++) /* friction without a normal is another law */
        if (problem->block[k].law->tangents == problem->block[k].law->rows)
            return false;
    return count.plane == 0 && count.other == 0 && !problem->W.product.span;
}

/* Nothing is to be eliminated. */
static bool is_plain(const carom_problem *problem)
{
    for (int k = 0; k < problem->nblock; k++) {
        const carom_block *block = &problem->block[k];
        bool friction = block->law == &carom_law_coulomb_planar && carom_block_mu(block) > 0;
        if (block->pinned || !(block->law == &carom_law_unilateral || friction))
            return false;
    }
    return !problem->x0;
}

typedef struct workspace {
    const carom_problem *problem;
    int m;
    size_t *start;     /* [m + 1] columns of S, scaled: */
    int *index;
    double *value;
    double *s, *root;  /* [m] s scaled, over its largest; 1/sqrt(S_ii) */
    double *x, *d;     /* [m] basic variables; d of (3) */
    double *row, *other; /* [m] of B^-1, for ties */
    double *z;         /* [m] */
    int *in;           /* [m] basis: 1..m w, m+1..2m z, 2m+1 z0 */
    int *of, *at;      /* [m] block, row of the problem or -1: the l of a contact */
    signed char *sign; /* [m] -1: m of (6) */
    carom_basis *basis;
    double largest;    /* s was divided by it */
} workspace;

static int variables_of(const carom_problem *problem, int k)
{
    return problem->block[k].law->tangents ? 4 : 1;
}

/* Which z there are: x_n, then p, m, l of (6). */
static void list_variables(workspace *w)
{
    int i = 0;
    for (int k = 0; k < w->problem->nblock; k++)
        for (int j = 0; j < variables_of(w->problem, k); j++, i++) {
            w->of[i] = k;
            w->at[i] = j == 3 ? -1 : w->problem->block[k].row + (j > 0);
            w->sign[i] = j == 2 ? -1 : 1;
        }
}

/* An entry of S, by the block (i's block, j's block) of W. */
static double entry(const workspace *w, int i, int j, const carom_neighbour *l)
{
    int first = w->problem->block[w->of[i]].row;
    if (w->at[i] >= 0 && w->at[j] >= 0)
        return w->sign[i] * w->sign[j] *
               l->W[(w->at[i] - first) * l->stride + w->at[j] - w->problem->block[l->block].row];
    if (w->of[i] != w->of[j] || w->at[i] == w->at[j])
        return 0;
    if (w->at[j] < 0)
        return w->at[i] > first;                                                         /* (6) */
    return w->at[j] > first ? -1 : carom_block_mu(&w->problem->block[w->of[i]]);
}

/* Counts the entries of the columns of S (fill NULL), or writes them; first [nblock] is the first z of a block. */
static void visit(workspace *w, const int *first, size_t *fill)
{
    for (int i = 0; i < w->m; i++) {
        carom_neighbour l = {0};
        while (carom_delassus_next(w->problem, w->of[i], &l))
            for (int j = first[l.block]; j < first[l.block] + variables_of(w->problem, l.block); j++) {
                double value = entry(w, i, j, &l);
                if (value == 0)
                    continue;
                if (!fill) {
                    w->start[j + 1]++;
                    w->root[i] = i == j ? value : w->root[i];
                    continue;
                }
                w->index[fill[j]] = i;
                w->value[fill[j]++] = w->root[i] * value * w->root[j];
            }
    }
}

static double right_side(const workspace *w, int i)
{
    return w->at[i] < 0 ? 0 : w->sign[i] * w->problem->b[w->at[i]];
}

/* (1); false: no memory */
static bool begin(workspace *w, const carom_problem *problem, carom_arena *arena)
{
    size_t m = 0;
    int *first = CAROM_NEW(arena, int, problem->nblock + 1);
    for (int k = 0; first && k < problem->nblock; k++) {
        first[k] = (int)m;
        m += (size_t)variables_of(problem, k);
    }
    *w = (workspace){.problem = problem, .m = (int)m};
    double **const numbers[] = {&w->s, &w->root, &w->x, &w->d, &w->row, &w->other, &w->z};
    int **const ints[] = {&w->in, &w->of, &w->at};
    bool good = first && (w->start = CAROM_NEW(arena, size_t, m + 1)) && (w->sign = CAROM_NEW(arena, signed char, m)) &&
                (w->basis = carom_basis_new(arena, (int)m));
    for (int i = 0; i < CAROM_COUNT(numbers); i++)
        good = (*numbers[i] = CAROM_NEW(arena, double, m)) && good;
    for (int i = 0; i < CAROM_COUNT(ints); i++)
        good = (*ints[i] = CAROM_NEW(arena, int, m)) && good;
    size_t *fill = CAROM_NEW(arena, size_t, m + 1);
    if (!good || !fill)
        return false;
    list_variables(w);
    visit(w, first, NULL);
    for (size_t j = 0; j < m; j++) {
        fill[j] = w->start[j];
        w->start[j + 1] += w->start[j];
        w->root[j] = w->at[j] < 0 ? 1 / w->root[j - 1] : w->root[j] > 0 ? 1 / sqrt(w->root[j]) : 1;
        w->s[j] = w->root[j] * right_side(w, (int)j);
    }
    w->largest = carom_norm_max(w->m, w->s);
    w->index = CAROM_NEW(arena, int, w->start[m] + 1);
    w->value = CAROM_NEW(arena, double, w->start[m] + 1);
    if (!w->index || !w->value)
        return false;
    visit(w, first, fill);
    for (size_t i = 0; i < m; i++) {
        w->s[i] /= w->largest;
        w->in[i] = 1 + (int)i;
    }
    return true;
}

static int column(void *context, int c, int *row, double *value)
{
    const workspace *w = context;
    if (c <= w->m) {
        row[0] = c - 1, value[0] = 1;
        return 1;
    }
    if (c == 2 * w->m + 1) {
        for (int i = 0; i < w->m; i++)
            row[i] = i, value[i] = -1;
        return w->m;
    }
    size_t first = w->start[c - w->m - 1], end = w->start[c - w->m];
    for (size_t e = first; e < end; e++)
        row[e - first] = w->index[e], value[e - first] = -w->value[e];
    return (int)(end - first);
}

/* out = B^-1 times a column */
static void transform(workspace *w, int c, double *out)
{
    memset(out, 0, sizeof(double) * (size_t)w->m);
    if (c == 2 * w->m + 1)
        for (int i = 0; i < w->m; i++)
            out[i] = -1;
    else if (c <= w->m)
        out[c - 1] = 1;
    else
        for (size_t e = w->start[c - w->m - 1]; e < w->start[c - w->m]; e++)
            out[w->index[e]] = -w->value[e];
    carom_basis_solve(w->basis, out);
}

/* x = B^-1 s with the basis factored anew and one step of refinement; false: it is singular */
static bool refactor(workspace *w)
{
    if (!carom_basis_factor(w->basis, w->in, column, w))
        return false;
    carom_copy(w->m, w->s, w->x);
    carom_basis_solve(w->basis, w->x);
    carom_copy(w->m, w->s, w->row);
    for (int i = 0; i < w->m; i++) {
        int c = w->in[i], j = c - w->m - 1;
        if (c <= w->m)
            w->row[c - 1] -= w->x[i];
        else if (c <= 2 * w->m)
            for (size_t e = w->start[j]; e < w->start[j + 1]; e++)
                w->row[w->index[e]] += w->value[e] * w->x[i];
        else
            for (int k = 0; k < w->m; k++)
                w->row[k] += w->x[i];
    }
    carom_basis_solve(w->basis, w->row);
    for (int i = 0; i < w->m; i++)
        w->x[i] += w->row[i];
    return true;
}

/* Of p and q: 0 if they are equal to rounding, otherwise the sign of p - q. */
static int compare(double p, double q)
{
    return fabs(p - q) <= TIE_TOL * (1 + fabs(p) + fabs(q)) ? 0 : p < q ? -1 : 1;
}

static void inverse_row(workspace *w, int i, double *row)
{
    memset(row, 0, sizeof(double) * (size_t)w->m);
    row[i] = 1;
    carom_basis_solve_t(w->basis, row);
}

/* (3): is row i lexicographically less than `best`? w->row is the row of B^-1 of best if *known. */
static bool less(workspace *w, int i, int best, bool *known)
{
    int order = compare(w->x[i] / w->d[i], w->x[best] / w->d[best]);
    if (order != 0) {
        *known = *known && order > 0;
        return order < 0;
    }
    if (!*known)
        inverse_row(w, best, w->row);
    *known = true;
    inverse_row(w, i, w->other);
    for (int j = 0; j < w->m && order == 0; j++)
        order = compare(w->other[j] / w->d[i], w->row[j] / w->d[best]);
    if (order <= 0) {
        double *keep = w->row;
        w->row = w->other, w->other = keep;
    }
    return order <= 0;
}

/* (3); z0 leaves as soon as it may. -1: a ray (4) */
static int leaving_row(workspace *w)
{
    int best = -1, artificial = -1;
    bool known = false;
    for (int i = 0; i < w->m; i++) {
        if (!(w->d[i] > PIVOT_TOL))
            continue;
        if (w->in[i] == 2 * w->m + 1)
            artificial = i;
        if (best < 0 || less(w, i, best, &known))
            best = i;
    }
    if (artificial >= 0 && compare(w->x[artificial] / w->d[artificial], w->x[best] / w->d[best]) <= 0)
        best = artificial;
    return best;
}

static int first_row(const workspace *w)
{
    int r = 0;
    for (int i = 1; i < w->m; i++)
        if (w->x[i] <= w->x[r])
            r = i;
    return r;
}

/* (4) in the scaled variables; without friction z and rows are the same */
static bool proves_none(workspace *w, int entering)
{
    int m = w->m;
    double *z = w->z, product = 0, size = 0;
    memset(z, 0, sizeof(double) * (size_t)m);
    if (entering > m && entering <= 2 * m)
        z[entering - m - 1] = 1;
    for (int i = 0; i < m; i++)
        if (w->in[i] > m && w->in[i] <= 2 * m)
            z[w->in[i] - m - 1] = fmax(0, -w->d[i]);
    for (int i = 0; i < m; i++) {
        product += z[i] * w->s[i];
        size += z[i] * fabs(w->s[i]);
    }
    for (int j = 0; j < m; j++) {
        double sum = 0, terms = 0;
        for (size_t e = w->start[j]; e < w->start[j + 1]; e++) {
            sum += w->value[e] * z[w->index[e]];
            terms += fabs(w->value[e] * z[w->index[e]]);
        }
        if (sum > 1e-10 * terms)
            return false;
    }
    return product < -1e-8 * size;
}

/* The column enters at row r: basis and basic variables. */
static bool exchange(workspace *w, int r, int entering)
{
    double step = w->x[r] / w->d[r];
    for (int i = 0; i < w->m; i++)
        w->x[i] = i == r ? step : w->x[i] - step * w->d[i];
    w->in[r] = entering;
    return carom_basis_exchange(w->basis, r, w->d);
}

/* (2) until z0 has left */
static void run(workspace *w, carom_solve *s)
{
    enum { OFTEN = 64 };
    int m = w->m, entering = 2 * m + 1, most = 50 * m + 100;
    for (s->iterations = 0; s->iterations < most; s->iterations++) {
        bool stale = s->iterations == 0 || carom_basis_exchanges(w->basis) == OFTEN;
        if ((stale && !refactor(w)) || (stale && carom_expired(s, carom_deadline(s))))
            return;
        transform(w, entering, w->d);
        int r = s->iterations ? leaving_row(w) : first_row(w);
        if (r < 0) {
            s->none = m == w->problem->n && proves_none(w, entering);
            return;
        }
        int left = w->in[r];
        if (!exchange(w, r, entering) || left == 2 * m + 1)
            return;
        entering = left <= m ? left + m : left - m;
    }
}

static void pivot(const carom_problem *problem, carom_solve *s)
{
    workspace w;
    memset(s->x, 0, sizeof(double) * (size_t)problem->n);
    s->none = false;
    s->iterations = 0;
    bool open = true;
    for (int k = 0; k < problem->nblock; k++)
        open = open && problem->b[problem->block[k].row] >= 0;
    if (open || !begin(&w, problem, s->arena))
        return;
    run(&w, s);
    refactor(&w);                                                                        /* (5) */
    for (int i = 0; i < w.m; i++) {
        int k = w.in[i] - w.m - 1;
        if (k >= 0 && k < w.m && w.at[k] >= 0)
            s->x[w.at[k]] += w.sign[k] * fmax(0, w.x[i] * w.largest * w.root[k]);
    }
}

static void pivot_reduced(const carom_problem *problem, carom_solve *s)
{
    carom_reduced reduced;
    carom_layout measure = {0}, layout = {0};
    carom_reduce_place(&reduced, &measure, problem->n, problem->nblock, problem);
    double *y = CAROM_NEW(s->arena, double, problem->n);
    if (!y || !(layout.base = carom_arena_alloc(s->arena, measure.used + 16)))
        return;
    carom_reduce_place(&reduced, &layout, problem->n, problem->nblock, problem);
    carom_reduce(&reduced, problem);
    carom_solve inner = {.x = y, .arena = s->arena, .deadline = s->deadline, .cancel = s->cancel, .none = true};
    if (reduced.problem.n > 0)
        pivot(&reduced.problem, &inner);
    s->iterations = inner.iterations;
    s->none = inner.none && reduced.exact;
    carom_reduce_expand(&reduced, problem, y, s->x);
}

static void solve(const carom_problem *problem, carom_solve *s)
{
    carom_arena_mark mark = carom_arena_here(s->arena);
    if (is_plain(problem))
        pivot(problem, s);
    else
        pivot_reduced(problem, s);
    carom_arena_release(s->arena, mark);
}

const carom_solver carom_solver_lemke = {
    .method = {.name = "lemke", .doc = "complementary pivoting; contacts without friction, or with it in the plane",
               .ref = "Cottle, Pang and Stone (1992), The Linear Complementarity Problem", .fields = fields},
    .forms = CAROM_DENSE | CAROM_SPARSE,
    .whole = true,
    .takes = takes,
    .work = carom_no_work,
    .solve = solve,
};
