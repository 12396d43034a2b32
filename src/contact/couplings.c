/* couplings.c: springs and dampers between two bodies in the Newton matrix of many.
 *
 *   A = A_0 + sum_i K_i c_i^T c_i,   A_0 by blocks of a body, c_i a row of one or two blocks, K_i > 0               (1)
 *   A x = y  by a sparse LU of blocks                                                                             (2)
 * With A from (1) W = G A^-1 G^T is no product of sparse rows. A v' = A v_free + G^T P says as much as
 *   A_0 (v' - v_free) = G^T P + c^T z,   c (v' - v_free) + z/K = 0                                                (3)
 * so that a contact problem gets one more equation for each i, soft by 1/K (delassus.h), and stays sparse: active.c.
 * K <= 0 is left out of (1): Newton's method then takes more iterations and finds the same. */
#include "contact/couplings.h"

#include <string.h>

#include "model/model.h"

static int width(const carom_pattern *p, int k)
{
    return p->row[k + 1] - p->row[k];
}

static size_t entry_of(const carom_pattern *p, int k, int l)
{
    size_t e = p->start[k];
    while (p->column[e] != l)
        e++;
    return e;
}

/* Puts l among the columns of block k, which ascend; end: behind the last of them. */
static size_t insert(int *column, size_t first, size_t end, int l)
{
    size_t at = end;
    while (at > first && column[at - 1] > l)
        at--;
    if (at > first && column[at - 1] == l)
        return end;
    memmove(column + at + 1, column + at, sizeof *column * (end - at));
    column[at] = l;
    return end + 1;
}

/* Each block alone, and those that are coupled; lists [nblock+1] and [2*ncoupling] of couplings by block. */
static void fill_pattern(const carom_model *m, const int *first, const int *of, size_t *start, int *column)
{
    for (int k = 0; k < m->nblock; k++) {
        size_t end = insert(column, start[k], start[k], k);
        for (int i = first[k]; i < first[k + 1]; i++)
            for (int b = 0; b < 2; b++)
                if (m->coupling_block[2 * of[i] + b] >= 0)
                    end = insert(column, start[k], end, m->coupling_block[2 * of[i] + b]);
        start[k + 1] = end;
    }
}

static void list_by_block(const carom_model *m, int *first, int *of)
{
    for (int pass = 0; pass < 2; pass++) { /* counts, then fills: first[k + 1] walks to the end of block k */
        for (int i = 0; i < 2 * m->ncoupling; i++) {
            int k = m->coupling_block[i];
            if (k >= 0 && pass)
                of[first[k + 1]++] = i / 2;
            else if (k >= 0)
                first[k + 2]++;
        }
        for (int k = 0; !pass && k < m->nblock; k++)
            first[k + 2] += first[k + 1];
    }
}

static carom_couplings *make(const carom_model *m, carom_arena *arena)
{
    size_t n = (size_t)m->ncoupling, nblock = (size_t)m->nblock, values = 0;
    carom_couplings *c = CAROM_NEW(arena, carom_couplings, 1);
    int *first = CAROM_NEW(arena, int, nblock + 2), *of = CAROM_NEW(arena, int, 2 * n);
    size_t *start = CAROM_NEW(arena, size_t, nblock + 1);
    int *column = CAROM_NEW(arena, int, nblock + 4 * n);
    carom_span *span = CAROM_NEW(arena, carom_span, n);
    if (!c || !first || !of || !start || !column || !span)
        return NULL;
    for (int i = 0; i < m->ncoupling; i++) {
        span[i] = carom_model_block_span(m, m->coupling_block + 2 * i, values);
        values += (size_t)(span[i].count[0] + span[i].count[1]);
    }
    list_by_block(m, first, of);
    fill_pattern(m, first, of, start, column);
    c->arena = arena, c->span = span;
    c->pattern = (carom_pattern){m->nblock, m->block, start, column};
    c->offset = CAROM_NEW(arena, size_t, start[nblock] + 1);
    c->which = CAROM_NEW(arena, int, n);
    c->soft = CAROM_NEW(arena, double, n), c->C = CAROM_NEW(arena, double, values);
    for (int k = 0; c->offset && k < m->nblock; k++)
        for (size_t e = start[k]; e < start[k + 1]; e++)
            c->offset[e + 1] = c->offset[e] + (size_t)width(&c->pattern, k) * (size_t)width(&c->pattern, column[e]);
    c->value = c->offset ? CAROM_NEW(arena, double, c->offset[start[nblock]]) : NULL;
    c->lu = carom_sparse_new(arena);
    bool good = c->which && c->soft && c->C && c->value && c->lu && carom_sparse_begin(c->lu, &c->pattern) &&
                carom_sparse_analyse(c->lu, NULL);
    return good ? c : NULL;
}

carom_couplings *carom_couplings_new(const carom_model *model)
{
    carom_arena *arena = carom_arena_new(0);
    carom_couplings *made = arena ? make(model, arena) : NULL;
    if (!made)
        carom_arena_free(arena);
    return made;
}

void carom_couplings_free(carom_couplings *couplings)
{
    if (couplings)
        carom_arena_free(couplings->arena);
}

/* value += K c_a^T c_b in the entry of blocks a and b of coupling i */
static void add(carom_couplings *c, int i, double K, const int block[2], int a, int b)
{
    const carom_span *s = &c->span[i];
    double *to = c->value + c->offset[entry_of(&c->pattern, block[a], block[b])];
    for (int j = 0; j < s->count[a]; j++)
        for (int l = 0; l < s->count[b]; l++)
            *to++ += K * c->C[s->at[a] + (size_t)j] * c->C[s->at[b] + (size_t)l];
}

static void fill(void *context, int k, int l, size_t e, double *block)
{
    const carom_couplings *c = context;
    (void)k, (void)l;
    memcpy(block, c->value + c->offset[e], sizeof *block * (c->offset[e + 1] - c->offset[e]));
}

bool carom_couplings_factor(carom_couplings *c, const carom_model *m, const double *A0, const double *K,
                            const double *C)
{
    const carom_pattern *p = &c->pattern;
    const carom_span *last = &c->span[m->ncoupling - 1];
    c->n = 0;
    memcpy(c->C, C, sizeof *C * (last->at[0] + (size_t)(last->count[0] + last->count[1])));
    memset(c->value, 0, sizeof *c->value * c->offset[p->start[p->nblock]]);
    for (int k = 0; k < p->nblock; k++) {
        size_t size = (size_t)width(p, k) * (size_t)width(p, k);
        memcpy(c->value + c->offset[entry_of(p, k, k)], A0, sizeof *A0 * size);
        A0 += size;
    }
    for (int i = 0; i < m->ncoupling; i++) {
        const int *block = m->coupling_block + 2 * i;
        if (!(K[i] > 0))
            continue;
        c->which[c->n] = i, c->soft[c->n++] = 1 / K[i];
        for (int j = 0; j < 4; j++)
            if (block[j / 2] >= 0 && block[j % 2] >= 0)
                add(c, i, K[i], block, j / 2, j % 2);                                                    /* (1) */
    }
    return carom_sparse_factor(c->lu, fill, c);
}

void carom_couplings_solve(const carom_couplings *c, double *x)
{
    carom_sparse_solve(c->lu, x);                                                                        /* (2) */
}
