/* delassus.c: W of a one-step problem, dense or block-sparse. In both forms a row is summed from left to right. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/dense.h"
#include "problem/problem.h"

static int rows_of(const carom_problem *p, int k)
{
    return p->block[k].law->rows;
}

/* The entry (k, l) of the block-sparse form, by bisection; start[k + 1] if there is none. */
static size_t entry(const carom_problem *p, int k, int l)
{
    size_t low = p->W.start[k], end = p->W.start[k + 1], high = end;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (p->W.column[middle] < l)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && p->W.column[low] == l ? low : end;
}

const double *carom_delassus_block(const carom_problem *p, int k, int l, int *stride)
{
    if (p->W.dense) {
        *stride = p->n;
        return p->W.dense + (size_t)p->block[k].row * (size_t)p->n + p->block[l].row;
    }
    *stride = rows_of(p, l);
    if (p->W.product.span)
        return k == l ? p->W.product.diagonal + 9 * (size_t)k : NULL;
    size_t e = entry(p, k, l);
    return e < p->W.start[k + 1] ? p->W.value + p->W.offset[e] : NULL;
}

double carom_delassus_trace(const carom_problem *p, int k)
{
    int stride;
    const double *W = carom_delassus_block(p, k, k, &stride);
    double sum = 0;
    for (int i = 0; i < rows_of(p, k); i++)
        sum += W[i * (stride + 1)];
    return sum;
}

bool carom_delassus_next(const carom_problem *p, int k, carom_neighbour *l)
{
    if (p->W.dense) {
        l->block = (int)l->next++;
        if (l->block == p->nblock)
            return false;
        l->W = carom_delassus_block(p, k, l->block, &l->stride);
        return true;
    }
    size_t e = p->W.start[k] + l->next++;
    if (e == p->W.start[k + 1])
        return false;
    l->block = p->W.column[e];
    l->W = p->W.value + p->W.offset[e];
    l->stride = rows_of(p, l->block);
    return true;
}

/* ---- products ---- */

/* v += Y_k^T x_k; the rows of a block have the same columns, and their values stand one behind the other. */
static inline void add_velocities(const carom_product *W, int k, int rows, const double *x, double *v)
{
    const carom_span *s = &W->span[W->row[k]];
    const int m = s->count[0], n = s->count[1];
    const double *Y = W->Y + s->at[0];
    double *first = v + s->first[0], *second = v + s->first[1];
    for (int i = 0; i < rows; i++, Y += m + n) {
        for (int j = 0; j < m; j++)
            first[j] += Y[j] * x[i];
        for (int j = 0; j < n; j++)
            second[j] += Y[m + j] * x[i];
    }
}

/* The same, and of the terms the largest in each component. */
static void add_pushes(const carom_product *W, int k, int rows, const double *x, double *v, double *push)
{
    const carom_span *s = &W->span[W->row[k]];
    const double *Y = W->Y + s->at[0];
    for (int i = 0; i < rows; i++)
        for (int b = 0; b < 2; b++)
            for (int j = s->first[b]; j < s->first[b] + s->count[b]; j++) {
                double term = *Y++ * x[i];
                v[j] += term;
                if (fabs(term) > push[j])
                    push[j] = fabs(term);
            }
}

void carom_product_velocities(const carom_problem *p, const double *x, double *v, double *push)
{
    const carom_product *W = &p->W.product;
    memset(v, 0, sizeof *v * (size_t)W->nv);
    if (push)
        memset(push, 0, sizeof *push * (size_t)W->nv);
    for (int k = 0; k < p->nblock; k++)
        if (push)
            add_pushes(W, k, rows_of(p, k), x + p->block[k].row, v, push);
        else
            add_velocities(W, k, rows_of(p, k), x + p->block[k].row, v);
}

void carom_product_add(const carom_problem *p, int k, const double *v, double *u)
{
    const carom_product *W = &p->W.product;
    const carom_span *s = &W->span[W->row[k]];
    const int m = s->count[0], n = s->count[1];
    const double *G = W->G + s->at[0], *first = v + s->first[0], *second = v + s->first[1];
    for (int i = 0; i < rows_of(p, k); i++, G += m + n) {
        double sum = u[i];
        for (int j = 0; j < m; j++)
            sum += G[j] * first[j];
        for (int j = 0; j < n; j++)
            sum += G[m + j] * second[j];
        u[i] = sum;
    }
}

/* u_k += (W x)_k, with Y^T x in v */
static void add_of_block(const carom_problem *p, int k, const double *x, double *u)
{
    carom_product_add(p, k, p->W.product.v, u);
    u[0] += carom_product_soft(&p->W.product, p->nblock, k) * x[p->block[k].row];
}

void carom_product_diagonal(carom_problem *p)
{
    const carom_product *W = &p->W.product;
    for (int k = 0; k < p->nblock; k++) {
        int n = rows_of(p, k);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                const carom_span *s = &W->span[W->row[k] + i], *t = &W->span[W->row[k] + j];
                W->diagonal[9 * (size_t)k + (size_t)(i * n + j)] =
                    carom_dot(s->count[0] + s->count[1], W->G + s->at[0], W->Y + t->at[0]);
            }
        W->diagonal[9 * (size_t)k] += carom_product_soft(W, p->nblock, k);
    }
}

typedef struct members { /* of the column blocks: which rows of the problem have one that begins there */
    int *start; /* [nv + 1] */
    int *block; /* [2*nblock] */
} members;

static bool list_members(const carom_problem *p, carom_arena *arena, members *m)
{
    const carom_product *W = &p->W.product;
    m->start = CAROM_NEW(arena, int, (size_t)W->nv + 2);
    m->block = CAROM_NEW(arena, int, 2 * (size_t)p->nblock + 1);
    if (!m->start || !m->block)
        return false;
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < p->nblock; k++)
            for (int b = 0; b < 2; b++) {
                const carom_span *s = &W->span[W->row[k]];
                if (s->count[b] && pass)
                    m->block[m->start[s->first[b] + 1]++] = k;
                else if (s->count[b])
                    m->start[s->first[b] + 2]++;
            }
        for (int i = 0; !pass && i < W->nv; i++)
            m->start[i + 2] += m->start[i + 1];
    }
    return true;
}

/* G_k Y_l^T into W [rows of k x rows of l] */
static void multiply_blocks(const carom_problem *p, int k, int l, double *out)
{
    const carom_product *W = &p->W.product;
    for (int i = 0; i < rows_of(p, k); i++)
        for (int j = 0; j < rows_of(p, l); j++, out++) {
            const carom_span *s = &W->span[W->row[k] + i], *t = &W->span[W->row[l] + j];
            *out = 0;
            for (int b = 0; b < 2; b++)
                for (int c = 0; c < 2; c++)
                    for (int n = 0; s->count[b] && t->count[c] && s->first[b] == t->first[c] && n < s->count[b]; n++)
                        *out += W->G[s->at[b] + (size_t)n] * W->Y[t->at[c] + (size_t)n];
        }
}

/* The blocks that share a column block with block k, ascending, into list; returns how many. The lists of both column
 * blocks ascend, and k is in each. */
static int neighbours_of(const carom_problem *p, const members *m, int k, int *list)
{
    const carom_span *s = &p->W.product.span[p->W.product.row[k]];
    int at[2], end[2], n = 0;
    for (int b = 0; b < 2; b++) {
        at[b] = s->count[b] ? m->start[s->first[b]] : 0;
        end[b] = s->count[b] ? m->start[s->first[b] + 1] : 0;
    }
    while (at[0] < end[0] || at[1] < end[1]) {
        int b = at[0] == end[0] || (at[1] < end[1] && m->block[at[1]] < m->block[at[0]]);
        int next = m->block[at[b]++];
        if (n == 0 || list[n - 1] != next)
            list[n++] = next;
    }
    if (n == 0)
        list[n++] = k;
    return n;
}

carom_status carom_delassus_expand(const carom_problem *p, carom_arena *arena, carom_problem *out, carom_error *error)
{
    size_t nblock = (size_t)p->nblock, entries = 0, numbers = 0;
    members m;
    *out = *p;
    carom_delassus *W = &out->W;
    *W = (carom_delassus){.start = CAROM_NEW(arena, size_t, nblock + 1)};
    int *list = CAROM_NEW(arena, int, nblock + 1);
    if (!W->start || !list || !list_members(p, arena, &m))
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for a contact problem of %d rows", p->n);
    for (int k = 0; k < p->nblock; k++) {
        int n = neighbours_of(p, &m, k, list);
        for (int i = 0; i < n; i++)
            numbers += (size_t)rows_of(p, k) * (size_t)rows_of(p, list[i]);
        W->start[k + 1] = entries += (size_t)n;
    }
    W->column = CAROM_NEW(arena, int, entries + 1);
    W->offset = CAROM_NEW(arena, size_t, entries + 1);
    W->value = CAROM_NEW(arena, double, numbers + 1);
    if (!W->column || !W->offset || !W->value)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for the %zu entries of a contact problem", entries);
    for (int k = 0; k < p->nblock; k++) {
        neighbours_of(p, &m, k, W->column + W->start[k]);
        for (size_t e = W->start[k]; e < W->start[k + 1]; e++) {
            W->offset[e + 1] = W->offset[e] + (size_t)rows_of(p, k) * (size_t)rows_of(p, W->column[e]);
            multiply_blocks(p, k, W->column[e], W->value + W->offset[e]);
            if (W->column[e] == k)
                W->value[W->offset[e]] += carom_product_soft(&p->W.product, p->nblock, k);
        }
    }
    return CAROM_OK;
}

/* ---- the others ---- */

/* q += W_kl x_l over the stored blocks of row k but `without` */
static void add_row(const carom_problem *p, int k, int without, const double *x, double *q)
{
    int rows = rows_of(p, k);
    for (size_t e = p->W.start[k]; e < p->W.start[k + 1]; e++) {
        int l = p->W.column[e], columns = rows_of(p, l);
        const double *W = p->W.value + p->W.offset[e], *y = x + p->block[l].row;
        for (int i = 0; i < rows && l != without; i++, W += columns)
            for (int j = 0; j < columns; j++)
                q[i] += W[j] * y[j];
    }
}

void carom_delassus_add(const carom_problem *p, const double *x, double *u)
{
    int n = p->n;
    const double *W = p->W.dense;
    if (p->W.product.span) {
        carom_product_velocities(p, x, p->W.product.v, NULL);
        for (int k = 0; k < p->nblock; k++)
            add_of_block(p, k, x, u + p->block[k].row);
        return;
    }
    for (int i = 0; W && i < n; i++, W += n) {
        double sum = u[i];
        for (int j = 0; j < n; j++)
            sum += W[j] * x[j];
        u[i] = sum;
    }
    for (int k = 0; !p->W.dense && k < p->nblock; k++)
        add_row(p, k, -1, x, u + p->block[k].row);
}

void carom_delassus_others(const carom_problem *p, int k, const double *x, double *q)
{
    int n = p->n, rows = rows_of(p, k), first = p->block[k].row;
    for (int i = 0; i < rows; i++) {
        double sum = p->b[first + i];
        if (p->W.dense) {
            const double *W = p->W.dense + (size_t)(first + i) * (size_t)n;
            for (int j = 0; j < first; j++)
                sum += W[j] * x[j];
            for (int j = first + rows; j < n; j++)
                sum += W[j] * x[j];
        }
        q[i] = sum;
    }
    if (!p->W.dense)
        add_row(p, k, k, x, q);
}

static double largest_product(int n, const double *W, const double *x, double most)
{
    for (int j = 0; j < n; j++) {
        double size = fabs(W[j] * x[j]);
        most = size > most ? size : most;
    }
    return most;
}

double carom_delassus_term(const carom_problem *p, int k, const double *x)
{
    double most = 0;
    if (p->W.product.span) { /* no entry of a row is larger than those of the diagonal, give or take the geometry */
        int rows = rows_of(p, k);
        for (int i = 0; i < rows; i++)
            most = largest_product(rows, p->W.product.diagonal + 9 * (size_t)k + i * rows, x + p->block[k].row, most);
        return most;
    }
    const double *dense = p->W.dense ? p->W.dense + (size_t)p->block[k].row * (size_t)p->n : NULL;
    for (int i = 0; dense && i < rows_of(p, k); i++)
        most = largest_product(p->n, dense + (size_t)i * (size_t)p->n, x, most);
    for (size_t e = dense ? 0 : p->W.start[k]; !dense && e < p->W.start[k + 1]; e++) {
        int columns = rows_of(p, p->W.column[e]);
        for (int i = 0; i < rows_of(p, k); i++)
            most = largest_product(columns, p->W.value + p->W.offset[e] + i * columns,
                                   x + p->block[p->W.column[e]].row, most);
    }
    return most;
}

/* sum + W.x from left to right, and the largest product */
static double add_products(int n, const double *W, const double *x, double sum, double *most)
{
    double largest = *most;
    for (int j = 0; j < n; j++) {
        double product = W[j] * x[j], size = fabs(product);
        sum += product;
        largest = size > largest ? size : largest;
    }
    *most = largest;
    return sum;
}

/* What stands for the largest |W_ij x_j| in the rows of block k: the largest part of it in one component of v. */
static double largest_push(const carom_problem *p, int k)
{
    const carom_product *W = &p->W.product;
    double most = 0;
    for (int i = 0; i < rows_of(p, k); i++) {
        const carom_span *s = &W->span[W->row[k] + i];
        for (int b = 0; b < 2; b++)
            for (int j = 0; j < s->count[b]; j++)
                most = fmax(most, fabs(W->G[s->at[b] + (size_t)j]) * W->push[s->first[b] + j]);
    }
    return most;
}

double carom_delassus_add_block(const carom_problem *p, int k, const double *x, double *u)
{
    double most = 0;
    int rows = rows_of(p, k);
    if (p->W.product.span) {
        add_of_block(p, k, x, u);
        return largest_push(p, k);
    }
    const double *dense = p->W.dense ? p->W.dense + (size_t)p->block[k].row * (size_t)p->n : NULL;
    for (int i = 0; dense && i < rows; i++)
        u[i] = add_products(p->n, dense + (size_t)i * (size_t)p->n, x, u[i], &most);
    for (size_t e = dense ? 0 : p->W.start[k]; !dense && e < p->W.start[k + 1]; e++) {
        int columns = rows_of(p, p->W.column[e]);
        for (int i = 0; i < rows; i++)
            u[i] = add_products(columns, p->W.value + p->W.offset[e] + i * columns,
                                x + p->block[p->W.column[e]].row, u[i], &most);
    }
    return most;
}

bool carom_delassus_finite(const carom_problem *p)
{
    for (int k = 0; p->W.product.span && k < p->nblock; k++)
        if (!carom_all_finite(rows_of(p, k) * rows_of(p, k), p->W.product.diagonal + 9 * (size_t)k))
            return false;
    if (p->W.product.span)
        return true;
    for (int k = 0; k < p->nblock; k++) {
        carom_neighbour l = {0};
        while (carom_delassus_next(p, k, &l))
            for (int i = 0; i < rows_of(p, k); i++)
                if (!carom_all_finite(rows_of(p, l.block), l.W + (size_t)i * (size_t)l.stride))
                    return false;
    }
    return true;
}

/* ---- block-sparse W from single values ---- */
typedef struct sorter {
    const carom_problem *p;
    size_t *first;  /* [nblock + 1] the triplets of a block row: order[first[k]] .. */
    size_t *order;  /* [count] */
    int *block_of;  /* [n] */
    size_t *at;     /* [nblock] entry of a block column in the present row + 1, 0: none yet */
} sorter;

static void sort_by_block_row(sorter *s, size_t count, const int *row)
{
    for (int k = 0; k < s->p->nblock; k++)
        for (int i = 0; i < rows_of(s->p, k); i++)
            s->block_of[s->p->block[k].row + i] = k;
    for (size_t e = 0; e < count; e++)
        s->first[s->block_of[row[e]] + 1]++;
    for (int k = 0; k < s->p->nblock; k++)
        s->first[k + 1] += s->first[k];
    for (size_t e = count; e-- > 0;) { /* from the back, so that first[k + 1] walks down to the start of row k */
        int k = s->block_of[row[e]];
        s->order[--s->first[k + 1]] = e;
    }
    for (int k = 0; k < s->p->nblock; k++) /* and is put right again: first[k + 1] now is the start of row k */
        s->first[k] = s->first[k + 1];
    s->first[s->p->nblock] = count;
}

static int by_number(const void *a, const void *b)
{
    return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

/* The columns of block row k, ascending, into list (may be NULL); returns how many. */
static size_t columns_of(sorter *s, int k, const int *column, int *list)
{
    size_t n = 1;
    s->at[k] = 1;
    if (list)
        list[0] = k;
    for (size_t e = s->first[k]; e < s->first[k + 1]; e++) {
        int l = s->block_of[column[s->order[e]]];
        if (!s->at[l] && list)
            list[n] = l;
        n += !s->at[l];
        s->at[l] = 1;
    }
    s->at[k] = 0;
    for (size_t e = s->first[k]; e < s->first[k + 1]; e++)
        s->at[s->block_of[column[s->order[e]]]] = 0;
    if (list)
        qsort(list, n, sizeof *list, by_number);
    return n;
}

static void fill_row(sorter *s, carom_delassus *W, int k, const int *row, const int *column, const double *value)
{
    for (size_t e = W->start[k]; e < W->start[k + 1]; e++) {
        W->offset[e + 1] = W->offset[e] + (size_t)rows_of(s->p, k) * (size_t)rows_of(s->p, W->column[e]);
        s->at[W->column[e]] = e;
    }
    for (size_t t = s->first[k]; t < s->first[k + 1]; t++) {
        size_t e = s->order[t];
        int l = s->block_of[column[e]], i = row[e] - s->p->block[k].row, j = column[e] - s->p->block[l].row;
        W->value[W->offset[s->at[l]] + (size_t)i * (size_t)rows_of(s->p, l) + (size_t)j] += value[e];
    }
    for (size_t e = W->start[k]; e < W->start[k + 1]; e++)
        s->at[W->column[e]] = 0;
}

carom_status carom_delassus_assemble(carom_problem *p, carom_arena *arena, size_t count, const int *row,
                                     const int *column, const double *value, carom_error *error)
{
    size_t nblock = (size_t)p->nblock, numbers = 0;
    carom_arena *scratch = carom_arena_new(0);
    if (!scratch)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for a contact problem of %d rows", p->n);
    sorter s = {p, CAROM_NEW(scratch, size_t, nblock + 1), CAROM_NEW(scratch, size_t, count),
                CAROM_NEW(scratch, int, p->n), CAROM_NEW(scratch, size_t, nblock)};
    p->W = (carom_delassus){.start = CAROM_NEW(arena, size_t, nblock + 1)};
    bool room = s.first && s.order && s.block_of && s.at && p->W.start;
    if (room)
        sort_by_block_row(&s, count, row);
    for (int k = 0; room && k < p->nblock; k++)
        p->W.start[k + 1] = p->W.start[k] + columns_of(&s, k, column, NULL);
    size_t entries = room ? p->W.start[nblock] : 0;
    p->W.column = CAROM_NEW(arena, int, entries + 1);
    p->W.offset = CAROM_NEW(arena, size_t, entries + 1);
    room = room && p->W.column && p->W.offset;
    for (int k = 0; room && k < p->nblock; k++) {
        columns_of(&s, k, column, p->W.column + p->W.start[k]);
        for (size_t e = p->W.start[k]; e < p->W.start[k + 1]; e++)
            numbers += (size_t)rows_of(p, k) * (size_t)rows_of(p, p->W.column[e]);
    }
    p->W.value = CAROM_NEW(arena, double, numbers + 1);
    room = room && p->W.value;
    for (int k = 0; room && k < p->nblock; k++)
        fill_row(&s, &p->W, k, row, column, value);
    carom_arena_free(scratch);
    if (!room)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for a contact problem of %d rows", p->n);
    return CAROM_OK;
}
