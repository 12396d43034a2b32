/* mixed.c: contacts without friction and joints (an MLCP) where the joints cannot be eliminated alone: K_JJ is singular
 * and K_JC is not in its range, as in circuits.
 *
 *   u = K x + c;  u_J = 0, x_J free;  0 <= u_C _|_ x_C >= 0                                                        (1)
 *   principal pivot on a set P: (u_P, x_P) change places,
 *       x_P = K_PP^-1 (u_P - K_PR x_R - c_P),  u_R = K_RP x_P + K_RR x_R + c_R                                     (2)
 *   every joint comes into P. Joints may change their equations u = 0 among each other, so they come alone as long as
 *   an entry of K_JJ does not vanish, the largest first; then each with a contact s, |K_is K_si| largest           (3)
 *   a joint that finds no partner is redundant: x_i = 0                                                            (4)
 *   what is left is 0 <= w _|_ z >= 0, w = S z + s, in which some contacts have u for z and x for w                (5)
 *
 * (2) keeps what K is (positive semidefinite, P), so what solves contacts alone solves (5). Rows are scaled before, so
 * that 'vanishes' means something: each row, then each column, by its largest entry. */
#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "solvers/parts.h"

#define VANISHES 1e-11

enum { MOST = 600 }; /* rows: the tableau is dense */
static const carom_field fields[] = {{0}};

typedef struct tableau {
    const carom_problem *problem;
    int n;
    double *K, *c;        /* [n*n] [n], scaled */
    double *left, *right; /* [n] u = left u', x = right x' */
    bool *exchanged;      /* [n] */
    bool *held;           /* [n] joints, in P or redundant */
} tableau;

static bool takes(const carom_problem *problem)
{
    for (int k = 0; k < problem->nblock; k++) {
        const carom_block *block = &problem->block[k];
        if (block->pinned || !carom_law_plain(block->law) || block->law->tangents)
            return false;
    }
    return !problem->x0 && problem->n <= MOST;
}

static bool is_joint(const tableau *t, int i) /* one row a block */
{
    return t->problem->block[i].law == &carom_law_bilateral;
}

static double *at(const tableau *t, int i)
{
    return t->K + (size_t)i * (size_t)t->n;
}

/* Powers of 2, so that nothing is rounded. A contact's pair keeps its law under any positive factors. */
static void equilibrate(tableau *t)
{
    int n = t->n;
    for (int i = 0; i < n; i++)
        t->left[i] = t->right[i] = 1;
    for (int pass = 0; pass < 6; pass++) {
        bool rows = pass % 2 == 0;
        for (int i = 0; i < n; i++) {
            double most = 0;
            for (int j = 0; j < n; j++)
                most = fmax(most, fabs(rows ? at(t, i)[j] : at(t, j)[i]));
            double factor = most > 0 ? exp2(-round(log2(most) / (pass < 4 ? 2 : 1))) : 1;
            for (int j = 0; j < n; j++)
                *(rows ? &at(t, i)[j] : &at(t, j)[i]) *= factor;
            *(rows ? &t->left[i] : &t->right[i]) *= rows ? 1 / factor : factor;
        }
    }
    for (int i = 0; i < n; i++)
        t->c[i] /= t->left[i];
}

/* (2) for P = {p} */
static void exchange(tableau *t, int p)
{
    int n = t->n;
    double *top = at(t, p), pivot = top[p];
    for (int j = 0; j < n; j++)
        top[j] = j == p ? 1 / pivot : -top[j] / pivot;
    t->c[p] = -t->c[p] / pivot;
    for (int i = 0; i < n; i++) {
        double factor = at(t, i)[p];
        if (i == p || factor == 0)
            continue;
        at(t, i)[p] = 0;
        for (int j = 0; j < n; j++)
            at(t, i)[j] += factor * top[j];
        t->c[i] += factor * t->c[p];
    }
    t->exchanged[p] = !t->exchanged[p];
}

/* (2) for P = {p, q} with a pivot K_pp that may vanish: the rows p and q are solved for (x_p, x_q) at once. */
static void exchange_two(tableau *t, int p, int q)
{
    int n = t->n;
    double a = at(t, p)[p], b = at(t, p)[q], c = at(t, q)[p], d = at(t, q)[q], det = a * d - b * c;
    double *P = at(t, p), *Q = at(t, q), cp = t->c[p], cq = t->c[q];
    for (int j = 0; j < n; j++) {
        double x = j == p || j == q ? 0 : P[j], y = j == p || j == q ? 0 : Q[j];
        P[j] = -(d * x - b * y) / det;
        Q[j] = -(a * y - c * x) / det;
    }
    P[p] = d / det, P[q] = -b / det, Q[p] = -c / det, Q[q] = a / det;
    t->c[p] = -(d * cp - b * cq) / det;
    t->c[q] = -(a * cq - c * cp) / det;
    for (int i = 0; i < n; i++) {
        double f = at(t, i)[p], g = at(t, i)[q];
        if (i == p || i == q || (f == 0 && g == 0))
            continue;
        at(t, i)[p] = at(t, i)[q] = 0;
        for (int j = 0; j < n; j++)
            at(t, i)[j] += f * P[j] + g * Q[j];
        t->c[i] += f * t->c[p] + g * t->c[q];
    }
    t->exchanged[p] = !t->exchanged[p];
    t->exchanged[q] = !t->exchanged[q];
}

/* The column of a joint that is in P stands for u = 0, that of a redundant one for x = 0. */
static void forget_column(tableau *t, int j)
{
    for (int i = 0; i < t->n; i++)
        at(t, i)[j] = 0;
    t->held[j] = true;
}

static void swap_equations(tableau *t, int i, int j)
{
    for (int k = 0; i != j && k <= t->n; k++) {
        double *a = k < t->n ? &at(t, i)[k] : &t->c[i], *b = k < t->n ? &at(t, j)[k] : &t->c[j], swap = *a;
        *a = *b;
        *b = swap;
    }
}

static bool is_left(const tableau *t, int i) /* a joint that is not in P yet */
{
    return is_joint(t, i) && !t->held[i];
}

/* (3): the largest entry of the joints that are left is brought to the diagonal and exchanged; false: they vanish */
static bool exchange_joint(tableau *t)
{
    int n = t->n, row = -1, column = -1;
    double most = VANISHES;
    for (int i = 0; i < n; i++)
        for (int j = 0; is_left(t, i) && j < n; j++)
            if (is_left(t, j) && fabs(at(t, i)[j]) > most) {
                most = fabs(at(t, i)[j]);
                row = i, column = j;
            }
    if (row < 0)
        return false;
    swap_equations(t, row, column);
    exchange(t, column);
    forget_column(t, column);
    return true;
}

/* (3), (4): a joint with a contact; false: none is left */
static bool exchange_pair(tableau *t)
{
    int n = t->n, row = -1, column = -1, contact = -1;
    double most = VANISHES * VANISHES;
    for (int i = 0; i < n; i++)
        for (int j = 0; is_left(t, i) && j < n; j++)
            for (int s = 0; is_left(t, j) && s < n; s++) {
                double size = is_joint(t, s) ? 0 : fabs(at(t, i)[s] * at(t, s)[j]);
                if (size > most) {
                    most = size;
                    row = i, column = j, contact = s;
                }
            }
    if (row >= 0) {
        swap_equations(t, row, column);
        exchange_two(t, column, contact);
        forget_column(t, column);
        return true;
    }
    for (int i = 0; i < n; i++)
        if (is_left(t, i))
            forget_column(t, i);                                                         /* (4) */
    return false;
}

static bool copy(tableau *t, const carom_problem *problem, carom_arena *arena)
{
    size_t n = (size_t)problem->n;
    *t = (tableau){.problem = problem, .n = problem->n, .K = CAROM_NEW(arena, double, n * n),
                   .c = CAROM_NEW(arena, double, n), .left = CAROM_NEW(arena, double, n),
                   .right = CAROM_NEW(arena, double, n), .exchanged = CAROM_NEW(arena, bool, n),
                   .held = CAROM_NEW(arena, bool, n)};
    if (!t->K || !t->c || !t->left || !t->right || !t->exchanged || !t->held)
        return false;
    for (int k = 0; k < problem->nblock; k++) {
        carom_neighbour l = {0};
        t->c[k] = problem->b[k];
        while (carom_delassus_next(problem, k, &l))
            at(t, k)[l.block] = *l.W;
    }
    return true;
}

/* (5) by whatever solves contacts alone; z [contacts] */
static void solve_contacts(const tableau *t, carom_solve *s, double *z)
{
    int n = t->n, nc = 0;
    carom_problem *p = CAROM_NEW(s->arena, carom_problem, 1);
    carom_block *block = CAROM_NEW(s->arena, carom_block, n);
    int *row = CAROM_NEW(s->arena, int, n);
    double *S = CAROM_NEW(s->arena, double, (size_t)n * (size_t)n), *b = CAROM_NEW(s->arena, double, n);
    double *u = CAROM_NEW(s->arena, double, n);
    if (!p || !block || !row || !S || !b || !u)
        return;
    for (int i = 0; i < n; i++)
        if (!is_joint(t, i)) {
            block[nc] = (carom_block){.law = &carom_law_unilateral, .row = nc};
            b[nc] = t->c[i];
            row[nc++] = i;
        }
    for (int i = 0; i < nc; i++)
        for (int j = 0; j < nc; j++)
            S[(size_t)i * (size_t)nc + (size_t)j] = at(t, row[i])[row[j]];
    *p = (carom_problem){.n = nc, .nblock = nc, .block = block, .W.dense = S, .b = b};
    carom_solve inner = {.tol = CAROM_MIN(s->tol, 1e-12), .x = z, .u = u, .arena = s->arena,
                         .work = carom_arena_alloc(s->arena, carom_solver_work(NULL, nc, nc)),
                         .deadline = s->deadline, .cancel = s->cancel};
    if (nc > 0 && inner.work)
        carom_problem_solve(p, NULL, &inner, NULL);
    s->iterations += inner.iterations;
    s->factorisations += inner.factorisations;
}

static void solve(const carom_problem *problem, carom_solve *s)
{
    tableau t;
    double *z = CAROM_NEW(s->arena, double, problem->n);
    if (!z || !copy(&t, problem, s->arena))
        return;
    equilibrate(&t);
    while (exchange_joint(&t) || exchange_pair(&t))
        s->iterations++;
    solve_contacts(&t, s, z);
    for (int i = 0; i < t.n; i++) {
        double other = t.c[i];
        for (int j = 0, contact = 0; j < t.n; j++)
            if (!is_joint(&t, j))
                other += at(&t, i)[j] * z[contact++];
        s->u[i] = other;
    }
    for (int i = 0, contact = 0; i < t.n; i++) {
        bool joint = is_joint(&t, i);
        double own = joint ? 0 : z[contact++];
        s->x[i] = t.right[i] * (t.exchanged[i] ? (joint ? s->u[i] : fmax(0, s->u[i])) : own);
    }
}

const carom_solver carom_solver_mixed = {
    .method = {.name = "mixed", .doc = "contacts without friction and joints that cannot be eliminated alone",
               .ref = "Tsatsomeros (2000), Linear Algebra Appl. 307, 151-165", .fields = fields},
    .forms = CAROM_DENSE | CAROM_SPARSE,
    .whole = true,
    .takes = takes,
    .work = carom_no_work,
    .solve = solve,
};
