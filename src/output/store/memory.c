/* memory.c: rows in memory, for small sweeps and for unions that become a table or a picture. */
#include <stdlib.h>
#include <string.h>

#include "output/store/store.h"

typedef struct memory {
    carom_store_row *row; /* [n], room for `room` */
    long long n, room;
    carom_arena *arena;   /* of values and texts */
    bool sorted;
} memory;

void *carom_store_memory_new(void)
{
    memory *m = calloc(1, sizeof *m);
    if (m)
        m->arena = carom_arena_new(0);
    if (m && !m->arena) {
        free(m);
        return NULL;
    }
    return m;
}

static carom_status put(void *keep, const carom_store_row *row, int ncolumn, carom_error *error)
{
    memory *m = keep;
    if (m->n == m->room) {
        long long room = 2 * m->room + 1000;
        carom_store_row *bigger = realloc(m->row, (size_t)room * sizeof *bigger);
        if (!bigger)
            CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for %lld rows: write them to a .sqlite file", room);
        m->row = bigger, m->room = room;
    }
    double *value = (double *)(void *)carom_arena_alloc(m->arena, sizeof(double) * (size_t)(ncolumn + 1));
    const char *status = carom_arena_text(m->arena, row->status, strlen(row->status));
    const char *text = *row->text ? carom_arena_text(m->arena, row->text, strlen(row->text)) : "";
    if (!value || !status || !text)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory after %lld rows: write them to a .sqlite file", m->n);
    memcpy(value, row->value, sizeof(double) * (size_t)ncolumn);
    m->row[m->n++] = (carom_store_row){row->index, status, text, value};
    m->sorted = false;
    return CAROM_OK;
}

static int by_index(const void *a, const void *b)
{
    long long x = ((const carom_store_row *)a)->index, y = ((const carom_store_row *)b)->index;
    return (x > y) - (x < y);
}

/* In order, each once. */
static carom_status settle(memory *m, int ncolumn, carom_error *error)
{
    long long n = 0;
    if (m->sorted || m->n == 0)
        return CAROM_OK;
    qsort(m->row, (size_t)m->n, sizeof *m->row, by_index);
    for (long long i = 0; i < m->n; i++) {
        if (n > 0 && m->row[n - 1].index == m->row[i].index) {
            if (!carom_store_same(&m->row[n - 1], &m->row[i], ncolumn))
                return carom_store_conflict(&m->row[n - 1], &m->row[i], ncolumn, error);
            continue;
        }
        m->row[n++] = m->row[i];
    }
    m->n = n;
    m->sorted = true;
    return CAROM_OK;
}

static carom_status commit(void *keep, carom_error *error)
{
    (void)keep, (void)error;
    return CAROM_OK;
}

static carom_status scan(void *keep, int ncolumn, carom_store_visit *visit, void *user, carom_error *error)
{
    memory *m = keep;
    CAROM_TRY(settle(m, ncolumn, error));
    for (long long i = 0; i < m->n; i++)
        CAROM_TRY(visit(user, &m->row[i], error));
    return CAROM_OK;
}

static carom_status close_memory(void *keep, carom_error *error)
{
    memory *m = keep;
    (void)error;
    carom_arena_free(m->arena);
    free(m->row);
    free(m);
    return CAROM_OK;
}

const carom_store_keeper carom_store_memory = {put, commit, scan, close_memory, NULL};
