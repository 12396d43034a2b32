/* factor.c: multifrontal LU over the fronts that order.c finds, in an order in which every front follows its children:
 *
 *   F = (F11 F12; F21 F22): blocks of the matrix with a pivot of the front, plus what its children leave (1)
 *   P F11 = L11 U11,  U12 = L11^-1 P F12,  L21 = F21 U11^-1,  left for the parent: F22 - L21 U12         (2)
 *
 * Limits: rows are exchanged within F11 only. */
#include <math.h>
#include <string.h>

#include "core/clones.h"
#include "core/sparse/fronts.h"

#define PIVOT_TOL 1e-13

/* ---- the tree of fronts ---- */
static void postorder(carom_sparse *s)
{
    int done = 0;
    for (int f = 0; f < s->nfront; f++)
        s->front[f].child = s->front[f].next = -1;
    for (int f = s->nfront; f-- > 0;)
        if (s->front[f].parent >= 0) {
            s->front[f].next = s->front[s->front[f].parent].child;
            s->front[s->front[f].parent].child = f;
        }
    for (int root = 0; root < s->nfront; root++) {
        if (s->front[root].parent >= 0)
            continue;
        int f = root;
        while (f >= 0) {
            while (s->front[f].child >= 0)
                f = s->front[f].child;
            while (f >= 0) { /* f is done; its next, or its parent */
                s->post[done++] = f;
                if (f == root) {
                    f = -1;
                } else if (s->front[f].next >= 0) {
                    f = s->front[f].next;
                    break;
                } else {
                    f = s->front[f].parent;
                }
            }
        }
    }
}

/* Sizes of the factor, of the stack of what fronts leave, and of the largest front. */
static bool measure(carom_sparse *s)
{
    size_t factor = 0, stack = 0, most = 0, dense = 0, gather = 0;
    int exchange = 0;
    for (int p = 0; p < s->nfront; p++) {
        carom_front *f = &s->front[s->post[p]];
        size_t np = (size_t)f->np, nb = (size_t)f->nb;
        f->factor = factor;
        f->exchange = exchange;
        factor += np * (np + 2 * nb);
        exchange += f->np;
        dense = (np + nb) * (np + nb) > dense ? (np + nb) * (np + nb) : dense;
        gather = np + nb > gather ? np + nb : gather;
        for (int c = f->child; c >= 0; c = s->front[c].next)
            stack -= (size_t)s->front[c].nb * (size_t)s->front[c].nb;
        stack += nb * nb;
        most = stack > most ? stack : most;
    }
    s->factor_size = factor;
    return carom_sparse_room(s->arena, &s->gather, sizeof(double), &s->gather_room, gather + 1) &&
           carom_sparse_room(s->arena, &s->factor, sizeof(double), &s->factor_room, factor + 1) &&
           carom_sparse_room(s->arena, &s->stack, sizeof(double), &s->stack_room, most + 1) &&
           carom_sparse_room(s->arena, &s->dense, sizeof(double), &s->dense_room, dense + 1);
}

static void find_twin_entries(carom_sparse *s)
{
    const carom_pattern *g = &s->pattern;
    size_t *at = s->twin + g->start[g->nblock]; /* [nblock]: columns ascend, so the twins of a row come in order */
    memcpy(at, g->start, sizeof(size_t) * (size_t)g->nblock);
    for (int k = 0; k < g->nblock; k++)
        for (size_t e = g->start[k]; e < g->start[k + 1]; e++) {
            int l = g->column[e];
            while (at[l] + 1 < g->start[l + 1] && g->column[at[l]] < k)
                at[l]++;
            s->twin[e] = at[l];
        }
}

bool carom_sparse_begin(carom_sparse *s, const carom_pattern *pattern)
{
    size_t n = (size_t)pattern->nblock, entries = pattern->start[pattern->nblock];
    s->pattern = *pattern;
    s->boundary = NULL; /* the scratch of the ordering follows the pattern, too */
    s->front = CAROM_NEW(s->arena, carom_front, n + 1);
    s->post = CAROM_NEW(s->arena, int, n + 1);
    s->twin = CAROM_NEW(s->arena, size_t, entries + n + 1);
    s->position = CAROM_NEW(s->arena, int, n + 1);
    s->exchange = CAROM_NEW(s->arena, int, pattern->row[n] + 1);
    if (!s->front || !s->post || !s->twin || !s->position || !s->exchange)
        return false;
    find_twin_entries(s);
    return true;
}

bool carom_sparse_analyse(carom_sparse *s, const unsigned char *in)
{
    s->in = in;
    s->ready = false;
    s->nfront = 0;
    s->listed = 0;
    for (int k = 0; k < s->pattern.nblock; k++)
        s->position[k] = -1;
    if (!carom_sparse_order(s))
        return false;
    postorder(s);
    return s->ready = measure(s);
}

/* ---- factor ---- */
typedef double four __attribute__((vector_size(32), aligned(8)));

/* C (m x n, rows ldc apart) -= A (m x k, lda) B (k x n, ldb), four rows and eight columns at a time */
CAROM_CLONES
static void subtract_product(int m, int n, int k, const double *A, size_t lda, const double *B, size_t ldb, double *C,
                             size_t ldc)
{
    for (int i = 0; i < m; i += 4) {
        int rows = m - i < 4 ? m - i : 4;
        const double *a[4];
        for (int r = 0; r < 4; r++)
            a[r] = A + (size_t)(i + (r < rows ? r : 0)) * lda;
        int j = 0;
        for (; j + 8 <= n; j += 8) {
            four c0 = {0}, d0 = {0}, c1 = {0}, d1 = {0}, c2 = {0}, d2 = {0}, c3 = {0}, d3 = {0};
            const double *b = B + j;
            for (int p = 0; p < k; p++, b += ldb) {
                four x = *(const four *)b, y = *(const four *)(b + 4);
                c0 += a[0][p] * x, d0 += a[0][p] * y;
                c1 += a[1][p] * x, d1 += a[1][p] * y;
                c2 += a[2][p] * x, d2 += a[2][p] * y;
                c3 += a[3][p] * x, d3 += a[3][p] * y;
            }
            four left[4] = {c0, c1, c2, c3}, right[4] = {d0, d1, d2, d3};
            for (int r = 0; r < rows; r++) {
                four *c = (four *)(C + (size_t)(i + r) * ldc + j);
                c[0] -= left[r];
                c[1] -= right[r];
            }
        }
        for (; j < n; j++)
            for (int r = 0; r < rows; r++) {
                double sum = 0;
                for (int p = 0; p < k; p++)
                    sum += a[r][p] * B[(size_t)p * ldb + (size_t)j];
                C[(size_t)(i + r) * ldc + (size_t)j] -= sum;
            }
    }
}

static void add_block(carom_sparse *s, carom_sparse_fill *fill, void *context, int k, int l, size_t e, size_t N)
{
    const int *row = s->pattern.row;
    int rows = row[k + 1] - row[k], columns = row[l + 1] - row[l];
    double block[36];
    fill(context, k, l, e, block);
    double *F = s->dense + (size_t)s->position[k] * N + s->position[l];
    for (int i = 0; i < rows; i++, F += N)
        for (int j = 0; j < columns; j++)
            F[j] += block[i * columns + j];
}

/* (1): the matrix */
static void assemble(carom_sparse *s, const carom_front *f, carom_sparse_fill *fill, void *context)
{
    const carom_pattern *g = &s->pattern;
    size_t N = (size_t)(f->np + f->nb);
    int at = 0;
    memset(s->dense, 0, N * N * sizeof(double));
    for (size_t i = 0; i < f->pivots + f->boundary; i++) {
        int k = s->list[f->first + i];
        s->position[k] = at;
        at += g->row[k + 1] - g->row[k];
    }
    for (size_t i = 0; i < f->pivots; i++) {
        int k = s->list[f->first + i];
        for (size_t e = g->start[k]; e < g->start[k + 1]; e++) {
            int l = g->column[e];
            if (s->position[l] < 0) /* eliminated before, or left out */
                continue;
            add_block(s, fill, context, k, l, e, N);
            if (s->position[l] >= f->np)
                add_block(s, fill, context, l, k, s->twin[e], N);
        }
    }
}

/* (1): what a child leaves */
static void extend_add(carom_sparse *s, const carom_front *child, const double *left, size_t N)
{
    const int *row = s->pattern.row, *blocks = s->list + child->first + child->pivots;
    size_t nb = (size_t)child->nb, i0 = 0;
    for (size_t a = 0; a < child->boundary; a++) {
        int k = blocks[a], rows = row[k + 1] - row[k];
        for (int i = 0; i < rows; i++, i0++) {
            double *F = s->dense + (size_t)(s->position[k] + i) * N;
            const double *from = left + i0 * nb;
            for (size_t b = 0; b < child->boundary; b++) {
                int l = blocks[b], columns = row[l + 1] - row[l];
                double *to = F + s->position[l];
                for (int j = 0; j < columns; j++)
                    to[j] += *from++;
            }
        }
    }
}

enum { PANEL = 16 }; /* pivots whose columns are eliminated one by one; the rest of the front follows at once */

/* The pivot of column k among the rows up to np, on the diagonal; false: it is not a number. */
static bool exchange_rows(double *F, int k, int np, size_t ld, double least, int *exchange)
{
    double *top = F + (size_t)k * ld;
    int best = k;
    for (int i = k + 1; i < np; i++)
        if (fabs(F[(size_t)i * ld + (size_t)k]) > fabs(F[(size_t)best * ld + (size_t)k]))
            best = i;
    exchange[k] = best;
    for (size_t j = 0; best != k && j < ld; j++) {
        double *other = F + (size_t)best * ld + j, keep = top[j];
        top[j] = *other;
        *other = keep;
    }
    if (!(fabs(top[k]) >= least)) {
        if (top[k] != top[k])
            return false;
        top[k] = top[k] < 0 ? -least : least;
    }
    return true;
}

/* Columns k + 1 ... end of the rows below pivot k, whose multipliers take the place of column k. */
CAROM_CLONES
static void eliminate_column(double *F, int k, int end, size_t ld)
{
    const double *top = F + (size_t)k * ld;
    double inverse = 1 / top[k];
    for (size_t i = (size_t)k + 1; i < ld; i++) {
        double *F_i = F + i * ld, factor = F_i[k] *= inverse;
        for (int j = k + 1; j < end; j++)
            F_i[j] -= factor * top[j];
    }
}

/* Row k of U right of the panel that begins with pivot first. */
CAROM_CLONES
static void eliminate_row(double *F, int first, int k, int end, size_t ld)
{
    double *row = F + (size_t)k * ld;
    for (int m = first; m < k; m++) {
        const double *top = F + (size_t)m * ld, factor = row[m];
        for (size_t j = (size_t)end; j < ld; j++)
            row[j] -= factor * top[j];
    }
}

/* (2) but for the last: the pivots, a panel of columns after the other. */
static bool factor_pivots(double *F, int np, int N, int *exchange)
{
    double scale = 0;
    size_t ld = (size_t)N;
    for (int i = 0; i < np; i++)
        for (int j = 0; j < np; j++) {
            double size = fabs(F[(size_t)i * ld + (size_t)j]);
            scale = size > scale ? size : scale;
        }
    scale = scale > 0 ? scale : 1;
    for (int first = 0; first < np; first += PANEL) {
        int end = np - first < PANEL ? np : first + PANEL;
        for (int k = first; k < end; k++) {
            if (!exchange_rows(F, k, np, ld, PIVOT_TOL * scale, exchange))
                return false;
            eliminate_column(F, k, end, ld);
        }
        for (int k = first + 1; k < end; k++)
            eliminate_row(F, first, k, end, ld);
        const double *L = F + (size_t)end * ld + first, *U = F + (size_t)first * ld + end;
        subtract_product(np - end, N - end, end - first, L, ld, U, ld, F + (size_t)end * ld + end, ld);
        subtract_product(N - np, np - end, end - first, L + (size_t)(np - end) * ld, ld, U, ld,
                         F + (size_t)np * ld + end, ld);
    }
    return true;
}

bool carom_sparse_factor(carom_sparse *s, carom_sparse_fill *fill, void *context)
{
    size_t used = 0; /* of the stack */
    if (!s->ready)
        return false;
    for (int p = 0; p < s->nfront; p++) {
        const carom_front *f = &s->front[s->post[p]];
        size_t np = (size_t)f->np, nb = (size_t)f->nb, N = np + nb;
        assemble(s, f, fill, context);
        size_t left = used;
        for (int c = f->child; c >= 0; c = s->front[c].next)
            left -= (size_t)s->front[c].nb * (size_t)s->front[c].nb;
        const double *from = s->stack + left;
        for (int c = f->child; c >= 0; c = s->front[c].next) {
            extend_add(s, &s->front[c], from, N);
            from += (size_t)s->front[c].nb * (size_t)s->front[c].nb;
        }
        for (size_t i = 0; i < f->pivots + f->boundary; i++)
            s->position[s->list[f->first + i]] = -1;
        if (!factor_pivots(s->dense, f->np, (int)N, s->exchange + f->exchange))
            return false;
        subtract_product(f->nb, f->nb, f->np, s->dense + np * N, N, s->dense + np, N, s->dense + np * N + np, N);
        double *keep = s->factor + f->factor;
        memcpy(keep, s->dense, np * N * sizeof(double));
        for (size_t i = 0; i < nb; i++) {
            memcpy(keep + np * N + i * np, s->dense + (np + i) * N, np * sizeof(double));
            memcpy(s->stack + left + i * nb, s->dense + (np + i) * N + np, nb * sizeof(double));
        }
        used = left + nb * nb;
    }
    return true;
}

/* ---- solve ---- */
static void gather_rows(const carom_sparse *s, const carom_front *f, double *x, bool back)
{
    const int *row = s->pattern.row;
    double *z = s->gather;
    for (size_t i = 0; i < f->pivots + f->boundary; i++) {
        int k = s->list[f->first + i];
        for (int r = row[k]; r < row[k + 1]; r++, z++)
            *(back ? &x[r] : z) = back ? *z : x[r];
    }
}

static void forward(const carom_sparse *s, const carom_front *f)
{
    int np = f->np, nb = f->nb, N = np + nb;
    const double *U = s->factor + f->factor, *L = U + (size_t)np * (size_t)N;
    double *z = s->gather;
    for (int k = 0; k < np; k++) {
        int other = s->exchange[f->exchange + k];
        double keep = z[k];
        z[k] = z[other];
        z[other] = keep;
    }
    for (int i = 1; i < np; i++)
        for (int k = 0; k < i; k++)
            z[i] -= U[(size_t)i * (size_t)N + (size_t)k] * z[k];
    for (int i = 0; i < nb; i++)
        for (int k = 0; k < np; k++)
            z[np + i] -= L[(size_t)i * (size_t)np + (size_t)k] * z[k];
}

static void backward(const carom_sparse *s, const carom_front *f)
{
    int np = f->np, N = np + f->nb;
    double *z = s->gather;
    for (int i = np; i-- > 0;) {
        const double *U = s->factor + f->factor + (size_t)i * (size_t)N;
        double sum = z[i];
        for (int j = i + 1; j < N; j++)
            sum -= U[j] * z[j];
        z[i] = sum / U[i];
    }
}

void carom_sparse_solve(const carom_sparse *s, double *x)
{
    for (int p = 0; p < s->nfront; p++) {
        const carom_front *f = &s->front[s->post[p]];
        gather_rows(s, f, x, false);
        forward(s, f);
        gather_rows(s, f, x, true);
    }
    for (int p = s->nfront; p-- > 0;) {
        const carom_front *f = &s->front[s->post[p]];
        gather_rows(s, f, x, false);
        backward(s, f);
        gather_rows(s, f, x, true);
    }
}

carom_sparse *carom_sparse_new(carom_arena *arena)
{
    carom_sparse *s = CAROM_NEW(arena, carom_sparse, 1);
    if (s)
        s->arena = arena;
    return s;
}

size_t carom_sparse_bytes(const carom_sparse *s)
{
    return s->factor_size * sizeof(double);
}
