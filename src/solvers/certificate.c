/* certificate.c: a vector that proves that a problem has no solution, and can be checked without this library.
 *
 *   y = x + x0:  u = W y + c,  c = b - W x0
 *   z: at least 0 in normal rows of contacts, 0 in their other rows, of any sign in rows of joints                  (1)
 *      every u that the laws admit has u_n >= 0, and u = 0 in joints: z.u >= 0                                      (2)
 *   p = W^T z: p_n + mu |p_t| <= 0 in contacts, 0 in joints: p.y <= 0 for every y that the laws admit               (3)
 *   z.c < 0: z.u = p.y + z.c < 0 contradicts (2)                                                                    (4)
 *   found as the limit of z = D r, where r solves the rows of (1) without friction for W + D, D = a diag(W), and
 *   polished: z solves them for W + D with -D z in the place of c, which damps what W sees of z by a                (5)
 *
 * For symmetric positive semidefinite W there is such a z whenever the contacts have no solution without friction (it
 * has W z = 0: something is squeezed, or joints contradict each other), and friction does not change that. Limits:
 * where W is not semidefinite, as in Painleve's examples, a problem without solution need not have one. */
#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "solvers/scaled.h"

#define PROXIMAL 1e-5 /* a */
enum { POLISHES = 4 };

typedef struct search {
    const carom_problem *p; /* W by blocks or dense */
    carom_problem rows;     /* of (1), one block each */
    int *row;               /* [rows.n] of the problem */
    int *at;                /* [p->n] its place among them, or -1 */
    double *c, *d;          /* [p->n] [rows.n] diagonal of D */
    double *r, *u;          /* [rows.n] */
} search;

/* The rows of (1). */
static void list_rows(search *s)
{
    for (int k = 0; k < s->p->nblock; k++) {
        const carom_block *block = &s->p->block[k];
        int part = carom_part_of(block);
        int rows = part == CAROM_PART_EQUATION ? block->law->rows : part == CAROM_PART_CONTACT;
        for (int i = 0; i < block->law->rows; i++)
            s->at[block->row + i] = -1;
        for (int i = 0; i < rows; i++) {
            int n = s->rows.n++;
            s->rows.block[n] = (carom_block){
                .law = part == CAROM_PART_EQUATION ? &carom_law_bilateral : &carom_law_unilateral, .row = n};
            s->row[n] = block->row + i;
            s->at[block->row + i] = n;
        }
    }
    s->rows.nblock = s->rows.n;
}

/* Entries of W in those rows, and with values (value given) D on the diagonal. Returns how many. */
static size_t entries(search *s, int *row, int *column, double *value)
{
    size_t n = 0;
    for (int k = 0; k < s->p->nblock; k++) {
        carom_neighbour l = {0};
        while (carom_delassus_next(s->p, k, &l))
            for (int i = 0; i < s->p->block[k].law->rows; i++)
                for (int j = 0; j < s->p->block[l.block].law->rows; j++) {
                    int a = s->at[s->p->block[k].row + i], b = s->at[s->p->block[l.block].row + j];
                    if (a < 0 || b < 0)
                        continue;
                    if (value)
                        row[n] = a, column[n] = b, value[n] = l.W[i * l.stride + j] + (a == b ? s->d[a] : 0);
                    else if (a == b)
                        s->d[a] = l.W[i * l.stride + j];
                    n++;
                }
    }
    return n;
}

static bool begin(search *s, carom_arena *arena)
{
    size_t n = (size_t)s->p->n;
    double most = 0;
    s->rows.block = CAROM_NEW(arena, carom_block, n + 1), s->row = CAROM_NEW(arena, int, n + 1);
    s->at = CAROM_NEW(arena, int, n + 1), s->c = CAROM_NEW(arena, double, n + 1);
    s->d = CAROM_NEW(arena, double, n + 1), s->rows.b = CAROM_NEW(arena, double, n + 1);
    s->r = CAROM_NEW(arena, double, n + 1), s->u = CAROM_NEW(arena, double, n + 1);
    if (!s->rows.block || !s->row || !s->at || !s->c || !s->d || !s->rows.b || !s->r || !s->u)
        return false;
    list_rows(s);
    size_t count = entries(s, NULL, NULL, NULL);
    for (int i = 0; i < s->rows.n; i++)
        most = fmax(most, s->d[i]);
    for (int i = 0; i < s->rows.n; i++) /* what nothing can move has no diagonal */
        s->d[i] = PROXIMAL * (s->d[i] > 1e-8 * most ? s->d[i] : most > 0 ? most : 1);
    int *row = CAROM_NEW(arena, int, count + 1), *column = CAROM_NEW(arena, int, count + 1);
    double *value = CAROM_NEW(arena, double, count + 1);
    if (!row || !column || !value)
        return false;
    entries(s, row, column, value);
    carom_copy(s->p->n, s->p->b, s->c);
    if (s->p->x0) {
        for (size_t i = 0; i < n; i++)
            s->r[i] = -s->p->x0[i];
        carom_delassus_add(s->p, s->r, s->c);
    }
    return carom_delassus_assemble(&s->rows, arena, count, row, column, value, NULL) == CAROM_OK;
}

/* (5) for the b of the rows: r; false: it cannot be had */
static bool solve_rows(search *s, carom_arena *arena)
{
    int n = s->rows.n;
    carom_arena_mark mark = carom_arena_here(arena);
    void *work = n <= CAROM_SMALL_ROWS ? carom_arena_alloc(arena, carom_solver_work(NULL, n, n)) : NULL;
    carom_solve solve = {.tol = 1e-12, .x = s->r, .u = s->u, .arena = arena, .work = work};
    memset(s->r, 0, sizeof *s->r * (size_t)n);
    carom_status status = carom_problem_solve(&s->rows, NULL, &solve, NULL);
    carom_arena_release(arena, mark);
    return status == CAROM_OK || (status == CAROM_NOT_CONVERGED && solve.residual <= 1e-8);
}

/* (3) and (4); p [n] is scratch, as is terms [n] */
static bool proves(const search *s, const double *z, double *p, double *terms)
{
    const carom_problem *problem = s->p;
    double product = 0, size = 0;
    memset(p, 0, sizeof *p * (size_t)problem->n);
    memset(terms, 0, sizeof *terms * (size_t)problem->n);
    for (int k = 0; k < problem->nblock; k++) {
        carom_neighbour l = {0};
        while (carom_delassus_next(problem, k, &l))
            for (int i = 0; i < problem->block[k].law->rows; i++)
                for (int j = 0; j < problem->block[l.block].law->rows; j++) {
                    double term = l.W[i * l.stride + j] * z[problem->block[k].row + i];
                    p[problem->block[l.block].row + j] += term;
                    terms[problem->block[l.block].row + j] += fabs(term);
                }
    }
    for (int k = 0; k < problem->nblock; k++) {
        const carom_block *block = &problem->block[k];
        const double *q = p + block->row, allowed = 1e-9 * carom_norm_max(block->law->rows, terms + block->row);
        double tangent = block->law->rows > 1 ? sqrt(carom_dot(block->law->rows - 1, q + 1, q + 1)) : 0;
        int part = carom_part_of(block);
        if (part == CAROM_PART_CONTACT && q[0] + carom_block_mu(block) * tangent > allowed)
            return false;
        if (part == CAROM_PART_EQUATION && carom_norm_max(block->law->rows, q) > allowed)
            return false;
    }
    for (int i = 0; i < problem->n; i++) {
        product += z[i] * s->c[i];
        size += fabs(z[i] * s->c[i]);
    }
    return product < -1e-8 * size;
}

bool carom_problem_certificate(const carom_problem *problem, carom_arena *arena, double *z)
{
    carom_problem sparse;
    search s = {.p = problem};
    carom_arena_mark mark = carom_arena_here(arena);
    int n = problem->n;
    bool good = carom_scaled_takes(problem) && carom_delassus_finite(problem) && carom_all_finite(n, problem->b);
    if (good && problem->W.product.span) {
        good = carom_delassus_expand(problem, arena, &sparse, NULL) == CAROM_OK;
        s.p = &sparse;
    }
    double *p = CAROM_NEW(arena, double, n + 1), *terms = CAROM_NEW(arena, double, n + 1);
    good = good && p && terms && begin(&s, arena);
    memset(z, 0, sizeof *z * (size_t)n);
    for (int k = 0; good && k <= POLISHES; k++) {                                                    /* (5) */
        for (int i = 0; i < s.rows.n; i++)
            s.rows.b[i] = k ? -s.d[i] * z[s.row[i]] : s.c[s.row[i]];
        good = solve_rows(&s, arena);
        double most = 0;
        for (int i = 0; i < s.rows.n; i++) {
            double value = k ? s.r[i] : s.d[i] * s.r[i];
            z[s.row[i]] = s.rows.block[i].law == &carom_law_unilateral ? fmax(0, value) : value;     /* (1) */
            most = fmax(most, fabs(value));
        }
        good = good && most > 0;
        for (int i = 0; good && i < n; i++)
            z[i] = fabs(z[i]) > 1e-14 * most ? z[i] / most : 0;
    }
    good = good && proves(&s, z, p, terms);
    carom_arena_release(arena, mark);
    return good;
}
