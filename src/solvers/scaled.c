/* scaled.c: a whole problem, scaled block by block; formulas as in scaled.h.
 *
 *   d_k = 1/sqrt(mean diagonal of W_kk) (1)
 *   W' = D W D,  b' = D (b - W x0)/s,  s = |D (b - W x0)|,  y = s D y',  u = s D^-1 u' (2) */
#include <math.h>
#include <string.h>
#include <time.h>

#include "core/dense.h"
#include "solvers/scaled.h"

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool carom_deadline_begin(carom_solve *solve)
{
    bool begins = solve->time_limit > 0 && !(solve->deadline > 0);
    if (begins)
        solve->deadline = now() + solve->time_limit;
    return begins;
}

double carom_deadline(const carom_solve *solve)
{
    return solve->deadline > 0 ? solve->deadline : INFINITY;
}

bool carom_expired(const carom_solve *solve, double deadline)
{
    return carom_cancelled(solve) || (solve->arena && carom_arena_missing(solve->arena)) ||
           (deadline < INFINITY && now() > deadline);
}

bool carom_scaled_takes(const carom_problem *problem)
{
    for (int k = 0; k < problem->nblock; k++) {
        const carom_block *block = &problem->block[k];
        if (!carom_law_plain(block->law) || carom_block_slips(block))
            return false;
    }
    return true;
}

static bool is_zero(int rows, int columns, const double *W, int stride)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            if (W[i * stride + j] != 0)
                return false;
    return true;
}

/* Does block (k, l) or (l, k) hold anything? */
static bool linked(const carom_problem *p, int k, int l, const carom_neighbour *at)
{
    int rows = p->block[k].law->rows, columns = p->block[l].law->rows, stride;
    if (k == l || !is_zero(rows, columns, at->W, at->stride))
        return true;
    const double *other = carom_delassus_block(p, l, k, &stride);
    return other && !is_zero(columns, rows, other, stride);
}

/* Counts the neighbours of every block in a symmetric pattern, or (column given) lists them in ascending order. */
static void find_links(const carom_problem *p, size_t *start, size_t *fill, int *column)
{
    for (int k = 0; k < p->nblock; k++) {
        carom_neighbour l = {0};
        while (carom_delassus_next(p, k, &l)) {
            int stride;
            if (!linked(p, k, l.block, &l))
                continue;
            bool alone = l.block != k && !carom_delassus_block(p, l.block, k, &stride);
            if (column) {
                column[fill[k]++] = l.block;
                if (alone)
                    column[fill[l.block]++] = k;
            } else {
                start[k + 1]++;
                start[l.block + 1] += alone;
            }
        }
    }
}

static void sort_rows(int nblock, const size_t *start, int *column)
{
    for (int k = 0; k < nblock; k++)
        for (size_t i = start[k] + 1; i < start[k + 1]; i++) { /* nearly sorted already */
            int value = column[i];
            size_t j = i;
            for (; j > start[k] && column[j - 1] > value; j--)
                column[j] = column[j - 1];
            column[j] = value;
        }
}

static bool copy_pattern(carom_scaled *s, const carom_problem *p, carom_arena *arena)
{
    size_t nblock = (size_t)p->nblock;
    int *row = CAROM_NEW(arena, int, nblock + 1);
    size_t *start = CAROM_NEW(arena, size_t, nblock + 1), *fill = CAROM_NEW(arena, size_t, nblock + 1);
    if (!row || !start || !fill)
        return false;
    for (int k = 0; k < p->nblock; k++)
        row[k] = p->block[k].row;
    row[nblock] = p->n;
    find_links(p, start, NULL, NULL);
    for (size_t k = 0; k < nblock; k++)
        start[k + 1] += start[k];
    memcpy(fill, start, sizeof(size_t) * nblock);
    int *column = CAROM_NEW(arena, int, start[nblock] + 1);
    s->diagonal = CAROM_NEW(arena, size_t, nblock + 1);
    s->offset = CAROM_NEW(arena, size_t, start[nblock] + 1);
    if (!column || !s->diagonal || !s->offset)
        return false;
    find_links(p, start, fill, column);
    sort_rows(p->nblock, start, column);
    for (size_t k = 0; k < nblock; k++)
        for (size_t e = start[k]; e < start[k + 1]; e++) {
            s->diagonal[k] = column[e] == (int)k ? e : s->diagonal[k];
            s->offset[e + 1] = s->offset[e] + (size_t)p->block[k].law->rows * (size_t)p->block[column[e]].law->rows;
        }
    s->pattern = (carom_pattern){p->nblock, row, start, column};
    return true;
}

static void copy_values(carom_scaled *s)
{
    const carom_problem *p = s->problem;
    for (int k = 0; k < p->nblock; k++)
        for (size_t e = s->pattern.start[k]; e < s->pattern.start[k + 1]; e++) {
            int l = s->pattern.column[e], stride, rows = p->block[k].law->rows, columns = p->block[l].law->rows;
            const double *W = carom_delassus_block(p, k, l, &stride);
            double *to = s->value + s->offset[e], scale = s->d[k] * s->d[l];
            for (int i = 0; W && i < rows; i++)
                for (int j = 0; j < columns; j++)
                    to[i * columns + j] = scale * W[i * stride + j];                         /* (2) */
        }
}

/* (1), (2) */
static void scale(carom_scaled *s)
{
    const carom_problem *p = s->problem;
    double sum = 0;
    for (int i = 0; i < s->n; i++)
        s->x[i] = p->x0 ? -p->x0[i] : 0;
    carom_copy(s->n, p->b, s->b);
    if (p->x0)
        carom_delassus_add(p, s->x, s->b);
    for (int k = 0; k < p->nblock; k++) {
        const carom_block *block = &p->block[k];
        double trace = carom_delassus_trace(p, k);
        s->d[k] = trace > 0 ? sqrt(block->law->rows / trace) : 1;                            /* (1) */
        s->part[k] = carom_part_of(block);
        s->mu[k] = carom_block_mu(block);
        for (int i = block->row; i < block->row + block->law->rows; i++) {
            s->b[i] *= s->d[k];
            sum += s->b[i] * s->b[i];
        }
    }
    s->size = sum > 0 ? sqrt(sum) : 1;
    for (int i = 0; i < s->n; i++)
        s->b[i] /= s->size;
    copy_values(s);
}

bool carom_scaled_begin(carom_scaled *s, const carom_problem *problem, carom_solve *solve)
{
    carom_arena *arena = solve->arena;
    size_t n = (size_t)problem->n, nblock = (size_t)problem->nblock;
    *s = (carom_scaled){.problem = problem, .n = problem->n, .nblock = problem->nblock, .least = INFINITY};
    s->deadline = carom_deadline(solve);
    if (!copy_pattern(s, problem, arena))
        return false;
    s->value = CAROM_NEW(arena, double, s->offset[s->pattern.start[nblock]]);
    s->b = CAROM_NEW(arena, double, n);
    s->x = CAROM_NEW(arena, double, n);
    s->u = CAROM_NEW(arena, double, n);
    s->best = CAROM_NEW(arena, double, n);
    s->d = CAROM_NEW(arena, double, nblock);
    s->mu = CAROM_NEW(arena, double, nblock);
    s->part = CAROM_NEW(arena, unsigned char, nblock);
    if (!s->value || !s->b || !s->x || !s->u || !s->best || !s->d || !s->mu || !s->part)
        return false;
    scale(s);
    return true;
}

void carom_scaled_guess(const carom_scaled *s, const double *x, double *y)
{
    const carom_problem *p = s->problem;
    for (int k = 0; k < s->nblock; k++)
        for (int i = s->pattern.row[k]; i < s->pattern.row[k + 1]; i++)
            y[i] = s->part[k] == CAROM_PART_NONE ? 0 : (x[i] + (p->x0 ? p->x0[i] : 0)) / (s->size * s->d[k]);
}

static void add_blocks(const carom_scaled *s, int k, int without, const double *y, double *u)
{
    const carom_pattern *g = &s->pattern;
    int rows = g->row[k + 1] - g->row[k];
    for (size_t e = g->start[k]; e < g->start[k + 1]; e++) {
        int l = g->column[e], columns = g->row[l + 1] - g->row[l];
        const double *W = s->value + s->offset[e], *z = y + g->row[l];
        if (l == without)
            continue;
        if (rows == 3 && columns == 3) {
            for (int i = 0; i < 3; i++)
                u[i] += W[3 * i] * z[0] + W[3 * i + 1] * z[1] + W[3 * i + 2] * z[2];
            continue;
        }
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < columns; j++)
                u[i] += W[i * columns + j] * z[j];
    }
}

void carom_scaled_multiply(const carom_scaled *s, const double *y, double *out)
{
    memset(out, 0, sizeof(double) * (size_t)s->n);
    for (int k = 0; k < s->nblock; k++)
        add_blocks(s, k, -1, y, out + s->pattern.row[k]);
}

void carom_scaled_velocity(const carom_scaled *s, const double *y, double *u)
{
    carom_copy(s->n, s->b, u);
    for (int k = 0; k < s->nblock; k++)
        add_blocks(s, k, -1, y, u + s->pattern.row[k]);
}

double carom_scaled_residual(const carom_scaled *s, const double *y, const double *u)
{
    double sum = 0;
    for (int k = 0; k < s->nblock; k++) {
        int first = s->pattern.row[k], rows = s->pattern.row[k + 1] - first;
        const carom_block *block = &s->problem->block[k];
        double r = 0;
        if (s->part[k] == CAROM_PART_CONTACT)
            r = block->law->residual(block->c, 1, u + first, y + first);
        else if (s->part[k] == CAROM_PART_EQUATION)
            r = sqrt(carom_dot(rows, u + first, u + first));
        sum += r * r;
    }
    return sqrt(sum);
}

bool carom_scaled_offer(carom_scaled *s, carom_solve *solve, const double *y)
{
    const carom_problem *p = s->problem;
    int worst;
    for (int k = 0; k < s->nblock; k++)
        for (int i = s->pattern.row[k]; i < s->pattern.row[k + 1]; i++)
            s->x[i] = s->size * s->d[k] * y[i] - (p->x0 ? p->x0[i] : 0);
    double r = carom_problem_judge(p, solve, s->x, s->u, &worst);
    if (r <= solve->tol) { /* not because forces that grow without end make every residual small */
        carom_scaled_velocity(s, y, s->u);
        bool sound = carom_norm_max(s->n, y) <= 1e9 && carom_scaled_residual(s, y, s->u) <= 0.01; /* |b'| = 1 */
        r = sound ? r : INFINITY;
    }
    double before = s->least;
    if (r < s->least) {
        s->least = r;
        carom_copy(s->n, s->x, solve->x);
    }
    return s->least <= solve->tol && (r <= solve->better || solve->better == 0 || r > 0.1 * before);
}

static void solve_equation(const double *W, int rows, const double *q, double *z)
{
    double A[9], f[3], work[12];
    int order[3];
    for (int i = 0; i < rows * rows; i++)
        A[i] = W[i];
    for (int i = 0; i < rows; i++)
        f[i] = -q[i];
    carom_least_squares(rows, rows, A, f, z, CAROM_RANK_TOL, work, order);
}

void carom_scaled_sweep(const carom_scaled *s, double *y, bool backwards)
{
    for (int i = 0; i < s->nblock; i++) {
        int k = backwards ? s->nblock - 1 - i : i;
        int first = s->pattern.row[k], rows = s->pattern.row[k + 1] - first;
        double q[3] = {0, 0, 0};
        const double *W = s->value + s->offset[s->diagonal[k]];
        if (s->part[k] == CAROM_PART_NONE)
            continue;
        carom_copy(rows, s->b + first, q);
        add_blocks(s, k, k, y, q);
        if (s->part[k] == CAROM_PART_EQUATION)
            solve_equation(W, rows, q, y + first);
        else
            s->problem->block[k].law->solve_single(s->problem->block[k].c, W, rows, q, y + first);
    }
}
