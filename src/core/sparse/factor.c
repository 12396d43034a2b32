/* factor.c: multifrontal LU over the fronts that order.c finds, in an order in which every front follows its children:
 *
 *   F = (F11 F12; F21 F22): blocks of the matrix with a pivot of the front, plus what its children leave (1)
 *   P F11 = L11 U11,  U12 = L11^-1 P F12,  L21 = F21 U11^-1,  left for the parent: F22 - L21 U12         (2)
 *
 * With several threads: subtrees of at most a fraction of the work are tasks, which the threads take one after the
 * other, each with a stack of its own; then the fronts above them follow one by one, their products shared out by
 * rows                                                                                                   (3)
 * A front adds what its children leave in the order of the children, whoever made it: the bits are those of one thread.
 *
 * Limits: rows are exchanged within F11 only. */
#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "core/clones.h"
#include "core/parallel.h"
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

static size_t left_of(const carom_front *f) /* numbers for the parent */
{
    return (size_t)f->nb * (size_t)f->nb;
}

/* What is on the stack of the worker of f from its children. */
static size_t left_on_stack(const carom_sparse *s, const carom_front *f)
{
    size_t sum = 0;
    for (int c = f->child; c >= 0; c = s->front[c].next)
        sum += s->front[c].kept == SIZE_MAX ? left_of(&s->front[c]) : 0;
    return sum;
}

/* Where factors stand, and how much work subtrees are; returns the rows of the largest front. */
static size_t measure(carom_sparse *s)
{
    size_t factor = 0, gather = 0;
    int exchange = 0;
    for (int p = 0; p < s->nfront; p++) {
        carom_front *f = &s->front[s->post[p]];
        size_t np = (size_t)f->np, nb = (size_t)f->nb;
        f->factor = factor;
        f->exchange = exchange;
        f->begin = p;
        f->work = (double)np * (double)(np + nb) * (double)(np + nb);
        f->kept = SIZE_MAX;
        for (int c = f->child; c >= 0; c = s->front[c].next) {
            f->begin = s->front[c].begin < f->begin ? s->front[c].begin : f->begin;
            f->work += s->front[c].work;
        }
        factor += np * (np + 2 * nb);
        exchange += f->np;
        gather = np + nb > gather ? np + nb : gather;
    }
    s->factor_size = factor;
    return gather;
}

#define LITTLE 2e6 /* multiplications that are not worth a thread */

/* (3): the tasks; returns what they leave */
static size_t choose_tasks(carom_sparse *s)
{
    enum { TASKS = 4 }; /* about so many for each thread, if the tree is even */
    double all = 0;
    size_t kept = 0;
    s->ntask = 0;
    for (int f = 0; f < s->nfront; f++)
        all += s->front[f].parent < 0 ? s->front[f].work : 0;
    double most = all / (TASKS * s->threads);
    for (int p = 0; s->threads > 1 && all > 2 * LITTLE && p < s->nfront; p++) {
        carom_front *f = &s->front[s->post[p]];
        if (f->work > most || (f->parent >= 0 && s->front[f->parent].work <= most))
            continue;
        s->task[s->ntask++] = p;
        f->kept = kept;
        kept += left_of(f);
    }
    return kept;
}

/* The next place in post from p on that belongs to no task; *task counts those that were passed. */
static int outside_tasks(const carom_sparse *s, int p, int *task)
{
    while (*task < s->ntask && p == s->front[s->post[s->task[*task]]].begin)
        p = s->task[(*task)++] + 1;
    return p;
}

typedef struct need {
    size_t dense, stack;
} need;

/* What a worker needs for the fronts post[begin .. end - 1], or those of them that belong to no task. */
static need need_of(const carom_sparse *s, int begin, int end, bool outside)
{
    need most = {0, 0};
    size_t stack = 0;
    int task = outside ? 0 : s->ntask;
    for (int p = outside_tasks(s, begin, &task); p < end; p = outside_tasks(s, p + 1, &task)) {
        const carom_front *f = &s->front[s->post[p]];
        size_t N = (size_t)f->np + (size_t)f->nb;
        most.dense = N * N > most.dense ? N * N : most.dense;
        stack += left_of(f) - left_on_stack(s, f);
        most.stack = stack > most.stack ? stack : most.stack;
    }
    return most;
}

static bool make_room(carom_sparse *s)
{
    need tasks = {0, 0}, top = need_of(s, 0, s->nfront, true);
    for (int t = 0; t < s->ntask; t++) {
        need one = need_of(s, s->front[s->post[s->task[t]]].begin, s->task[t] + 1, false);
        tasks.dense = one.dense > tasks.dense ? one.dense : tasks.dense;
        tasks.stack = one.stack > tasks.stack ? one.stack : tasks.stack;
    }
    for (int i = 0; i < (s->ntask ? s->threads : 1); i++) {
        carom_front_worker *w = &s->worker[i];
        size_t dense = i == 0 && top.dense > tasks.dense ? top.dense : tasks.dense;
        size_t stack = i == 0 && top.stack > tasks.stack ? top.stack : tasks.stack;
        if (!carom_sparse_room(s->arena, &w->dense, sizeof(double), &w->dense_room, dense + 1) ||
            !carom_sparse_room(s->arena, &w->stack, sizeof(double), &w->stack_room, stack + 1))
            return false;
    }
    return true;
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
    s->exchange = CAROM_NEW(s->arena, int, pattern->row[n] + 1);
    s->task = CAROM_NEW(s->arena, int, n + 1);
    for (int i = 0; i < s->threads; i++) {
        int *position = s->worker[i].position = CAROM_NEW(s->arena, int, n + 1);
        if (!position)
            return false;
        for (size_t k = 0; k < n; k++)
            position[k] = -1;
    }
    if (!s->front || !s->post || !s->twin || !s->exchange || !s->task)
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
    if (!carom_sparse_order(s))
        return false;
    postorder(s);
    size_t rows = measure(s), kept = choose_tasks(s);
    return s->ready = carom_sparse_room(s->arena, &s->gather, sizeof(double), &s->gather_room, rows + 1) &&
                      carom_sparse_room(s->arena, &s->factor, sizeof(double), &s->factor_room, s->factor_size + 1) &&
                      carom_sparse_room(s->arena, &s->kept, sizeof(double), &s->kept_room, kept + 1) && make_room(s);
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

typedef struct product { /* C -= A B, by threads that take rows */
    int m, n, k, part;
    const double *A, *B;
    double *C;
    size_t lda, ldb, ldc;
    atomic_int next;
} product;

static void take_rows(void *user)
{
    product *p = user;
    for (int i; (i = atomic_fetch_add(&p->next, p->part)) < p->m;)
        subtract_product(p->m - i < p->part ? p->m - i : p->part, p->n, p->k, p->A + (size_t)i * p->lda, p->lda, p->B,
                         p->ldb, p->C + (size_t)i * p->ldc, p->ldc);
}

/* The same on several threads, if it is enough for them. */
static void share_product(int threads, int m, int n, int k, const double *A, size_t lda, const double *B, size_t ldb,
                          double *C, size_t ldc)
{
    product p = {m, n, k, (m / threads + 4) / 4 * 4, A, B, C, lda, ldb, ldc, 0};
    if (threads == 1 || (double)m * n * k < LITTLE)
        subtract_product(m, n, k, A, lda, B, ldb, C, ldc);
    else
        carom_parallel(threads, take_rows, &p);
}

static void add_block(carom_sparse *s, carom_front_worker *w, carom_sparse_fill *fill, void *context, int k, int l,
                      size_t e, size_t N)
{
    const int *row = s->pattern.row;
    int rows = row[k + 1] - row[k], columns = row[l + 1] - row[l];
    double block[36];
    fill(context, k, l, e, block);
    double *F = w->dense + (size_t)w->position[k] * N + w->position[l];
    for (int i = 0; i < rows; i++, F += N)
        for (int j = 0; j < columns; j++)
            F[j] += block[i * columns + j];
}

/* (1): the matrix */
static void assemble(carom_sparse *s, carom_front_worker *w, const carom_front *f, carom_sparse_fill *fill,
                     void *context)
{
    const carom_pattern *g = &s->pattern;
    size_t N = (size_t)(f->np + f->nb);
    int at = 0;
    memset(w->dense, 0, N * N * sizeof(double));
    for (size_t i = 0; i < f->pivots + f->boundary; i++) {
        int k = s->list[f->first + i];
        w->position[k] = at;
        at += g->row[k + 1] - g->row[k];
    }
    for (size_t i = 0; i < f->pivots; i++) {
        int k = s->list[f->first + i];
        for (size_t e = g->start[k]; e < g->start[k + 1]; e++) {
            int l = g->column[e];
            if (w->position[l] < 0) /* eliminated before, or left out */
                continue;
            add_block(s, w, fill, context, k, l, e, N);
            if (w->position[l] >= f->np)
                add_block(s, w, fill, context, l, k, s->twin[e], N);
        }
    }
}

/* (1): what a child leaves */
static void extend_add(const carom_sparse *s, carom_front_worker *w, const carom_front *child, const double *left,
                       size_t N)
{
    const int *row = s->pattern.row, *blocks = s->list + child->first + child->pivots;
    size_t nb = (size_t)child->nb, i0 = 0;
    for (size_t a = 0; a < child->boundary; a++) {
        int k = blocks[a], rows = row[k + 1] - row[k];
        for (int i = 0; i < rows; i++, i0++) {
            double *F = w->dense + (size_t)(w->position[k] + i) * N;
            const double *from = left + i0 * nb;
            for (size_t b = 0; b < child->boundary; b++) {
                int l = blocks[b], columns = row[l + 1] - row[l];
                double *to = F + w->position[l];
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
static bool factor_pivots(double *F, int np, int N, int *exchange, int threads)
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
        share_product(threads, np - end, N - end, end - first, L, ld, U, ld, F + (size_t)end * ld + end, ld);
        share_product(threads, N - np, np - end, end - first, L + (size_t)(np - end) * ld, ld, U, ld,
                      F + (size_t)np * ld + end, ld);
    }
    return true;
}

/* (1), (2) of one front */
static bool factor_front(carom_sparse *s, carom_front_worker *w, const carom_front *f, carom_sparse_fill *fill,
                         void *context, int threads)
{
    size_t np = (size_t)f->np, nb = (size_t)f->nb, N = np + nb;
    assemble(s, w, f, fill, context);
    w->used -= left_on_stack(s, f);
    const double *from = w->stack + w->used;
    for (int c = f->child; c >= 0; c = s->front[c].next) {
        bool kept = s->front[c].kept != SIZE_MAX;
        extend_add(s, w, &s->front[c], kept ? s->kept + s->front[c].kept : from, N);
        from += kept ? 0 : left_of(&s->front[c]);
    }
    for (size_t i = 0; i < f->pivots + f->boundary; i++)
        w->position[s->list[f->first + i]] = -1;
    if (!factor_pivots(w->dense, f->np, (int)N, s->exchange + f->exchange, threads))
        return false;
    share_product(threads, f->nb, f->nb, f->np, w->dense + np * N, N, w->dense + np, N, w->dense + np * N + np, N);
    double *keep = s->factor + f->factor, *left = f->kept == SIZE_MAX ? w->stack + w->used : s->kept + f->kept;
    memcpy(keep, w->dense, np * N * sizeof(double));
    for (size_t i = 0; i < nb; i++) {
        memcpy(keep + np * N + i * np, w->dense + (np + i) * N, np * sizeof(double));
        memcpy(left + i * nb, w->dense + (np + i) * N + np, nb * sizeof(double));
    }
    w->used += f->kept == SIZE_MAX ? nb * nb : 0;
    return true;
}

typedef struct job { /* what the threads share */
    carom_sparse *s;
    carom_sparse_fill *fill;
    void *context;
    atomic_int next, workers;
    atomic_bool failed;
} job;

/* (3): a thread takes tasks */
static void take_tasks(void *user)
{
    job *j = user;
    carom_sparse *s = j->s;
    carom_front_worker *w = &s->worker[atomic_fetch_add(&j->workers, 1)];
    for (int t; (t = atomic_fetch_add(&j->next, 1)) < s->ntask && !j->failed;) {
        w->used = 0;
        for (int p = s->front[s->post[s->task[t]]].begin; p <= s->task[t] && !j->failed; p++)
            if (!factor_front(s, w, &s->front[s->post[p]], j->fill, j->context, 1))
                j->failed = true;
    }
}

bool carom_sparse_factor(carom_sparse *s, carom_sparse_fill *fill, void *context)
{
    job j = {.s = s, .fill = fill, .context = context};
    int task = 0;
    if (!s->ready)
        return false;
    if (s->ntask > 0)
        carom_parallel(s->threads, take_tasks, &j);
    s->worker[0].used = 0;
    for (int p = outside_tasks(s, 0, &task); p < s->nfront && !j.failed; p = outside_tasks(s, p + 1, &task))
        if (!factor_front(s, &s->worker[0], &s->front[s->post[p]], fill, context, s->threads))
            return false;
    return !j.failed;
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
        *s = (carom_sparse){.arena = arena, .threads = 1};
    return s;
}

void carom_sparse_share(carom_sparse *s, int threads)
{
    s->threads = threads < 1 ? 1 : threads < CAROM_SPARSE_THREADS ? threads : CAROM_SPARSE_THREADS;
}

size_t carom_sparse_bytes(const carom_sparse *s)
{
    return s->factor_size * sizeof(double);
}
