/* condense.c: a global problem condensed to its contacts, with the sparse LU of M.
 *
 *   M v = H r + f,  u = H^T v + w   ->   u = W r + b,  W = H^T M^-1 H,  b = H^T M^-1 f + w      (1)
 *
 * One solve with M for each column of H; what falls below 1e-16 of the diagonal is dropped. */
#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "core/sparse/sparse.h"
#include "problem/formats.h"

typedef struct columns { /* of a matrix */
    size_t *start;
    int *row;
    double *value;
} columns;

static bool by_columns(carom_arena *arena, const carom_triplets *t, int n, bool transposed, columns *c)
{
    *c = (columns){CAROM_NEW(arena, size_t, n + 2), CAROM_NEW(arena, int, t->count),
                   CAROM_NEW(arena, double, t->count)};
    if (!c->start || !c->row || !c->value)
        return false;
    const int *column = transposed ? t->row : t->column, *row = transposed ? t->column : t->row;
    for (size_t e = 0; e < t->count; e++)
        c->start[column[e] + 2]++;
    for (int j = 0; j <= n; j++)
        c->start[j + 1] += c->start[j];
    for (size_t e = 0; e < t->count; e++) {
        size_t at = c->start[column[e] + 1]++;
        c->row[at] = row[e];
        c->value[at] = t->value[e];
    }
    return true;
}

typedef struct mass {
    carom_problem problem; /* its W is M, one row a block: gives pattern and values */
    carom_arena *room;     /* of the factor */
    carom_sparse *lu;
} mass;

static void fill(void *context, int k, int l, size_t e, double *block)
{
    (void)k;
    (void)l;
    *block = ((const mass *)context)->problem.W.value[e];
}

/* M as a problem of nv blocks, made symmetric in its pattern by entries of 0. */
static carom_status factor(mass *m, carom_arena *arena, int nv, const carom_triplets *M, carom_error *error)
{
    carom_problem *p;
    CAROM_TRY(carom_problem_contacts(&p, arena, nv, 1, NULL, error));
    carom_triplets both = {.count = 2 * M->count, .row = CAROM_NEW(arena, int, 2 * M->count),
                           .column = CAROM_NEW(arena, int, 2 * M->count),
                           .value = CAROM_NEW(arena, double, 2 * M->count)};
    if (!both.row || !both.column || !both.value)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for a mass matrix of %d rows", nv);
    for (size_t e = 0; e < M->count; e++) {
        both.row[e] = both.column[M->count + e] = M->row[e];
        both.column[e] = both.row[M->count + e] = M->column[e];
        both.value[e] = M->value[e];
    }
    CAROM_TRY(carom_delassus_assemble(p, arena, both.count, both.row, both.column, both.value, error));
    m->problem = *p;
    int *row = CAROM_NEW(arena, int, nv + 1);
    for (int i = 0; row && i <= nv; i++)
        row[i] = i;
    carom_pattern *pattern = CAROM_NEW(arena, carom_pattern, 1);
    m->lu = m->room ? carom_sparse_new(m->room) : NULL;
    if (!row || !pattern || !m->lu)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for a mass matrix of %d rows", nv);
    *pattern = (carom_pattern){nv, row, p->W.start, p->W.column};
    if (!carom_sparse_begin(m->lu, pattern) || !carom_sparse_analyse(m->lu, NULL) ||
        !carom_sparse_factor(m->lu, fill, m))
        CAROM_FAIL(error, CAROM_NOT_FINITE, "the mass matrix of %d rows cannot be factored", nv);
    return CAROM_OK;
}

static carom_status multiply(carom_problem *p, const mass *m, carom_arena *arena, int nv, const columns *H,
                             const columns *Ht, carom_error *error)
{
    double *v = CAROM_NEW(arena, double, nv), *column = CAROM_NEW(arena, double, p->n);
    size_t room = 0, count = 0;
    carom_triplets W = {0};
    carom_arena *scratch = NULL;
    carom_status status = CAROM_OK;
    for (int j = 0; v && column && status == CAROM_OK && j < p->n; j++) {
        memset(v, 0, sizeof(double) * (size_t)nv);
        memset(column, 0, sizeof(double) * (size_t)p->n);
        for (size_t e = H->start[j]; e < H->start[j + 1]; e++)
            v[H->row[e]] += H->value[e];
        carom_sparse_solve(m->lu, v);
        for (int i = 0; i < nv; i++)
            for (size_t e = Ht->start[i]; v[i] != 0 && e < Ht->start[i + 1]; e++)
                column[Ht->row[e]] += Ht->value[e] * v[i];                               /* (1) */
        if (count + (size_t)p->n > room) {
            carom_arena *larger = carom_arena_new(0);
            carom_triplets more = {.count = count};
            room = 2 * room + (size_t)p->n;
            if (larger) {
                more.row = CAROM_NEW(larger, int, room);
                more.column = CAROM_NEW(larger, int, room);
                more.value = CAROM_NEW(larger, double, room);
            }
            if (!more.row || !more.column || !more.value) {
                carom_arena_free(larger);
                status = carom_fail(error, CAROM_NO_MEMORY, "no memory for a contact problem of %d rows", p->n);
                break;
            }
            if (count) {
                memcpy(more.row, W.row, count * sizeof(int));
                memcpy(more.column, W.column, count * sizeof(int));
                memcpy(more.value, W.value, count * sizeof(double));
            }
            carom_arena_free(scratch);
            scratch = larger;
            W = more;
        }
        double least = 1e-16 * fabs(column[j]);
        for (int i = 0; i < p->n; i++)
            if (fabs(column[i]) > least) {
                W.row[count] = i;
                W.column[count] = j;
                W.value[count++] = column[i];
            }
    }
    if (status == CAROM_OK)
        status = carom_delassus_assemble(p, arena, count, W.row, W.column, W.value, error);
    carom_arena_free(scratch);
    return status;
}

carom_status carom_problem_condense(carom_problem *p, carom_arena *arena, int nv, const carom_triplets *M,
                                    const carom_triplets *H, const double *f, const double *w, carom_error *error)
{
    mass m = {.room = carom_arena_new(0)};
    columns by_contact, by_velocity;
    carom_status status = factor(&m, arena, nv, M, error);
    double *v = CAROM_NEW(arena, double, nv);
    if (status == CAROM_OK && (!v || !by_columns(arena, H, p->n, false, &by_contact) ||
                               !by_columns(arena, H, nv, true, &by_velocity)))
        status = carom_fail(error, CAROM_NO_MEMORY, "no memory for a contact problem of %d rows", p->n);
    if (status == CAROM_OK) {
        carom_copy(nv, f, v);
        carom_sparse_solve(m.lu, v);
        for (int j = 0; j < p->n; j++) {
            p->b[j] = w[j];
            for (size_t e = by_contact.start[j]; e < by_contact.start[j + 1]; e++)
                p->b[j] += by_contact.value[e] * v[by_contact.row[e]];                   /* (1) */
        }
        status = multiply(p, &m, arena, nv, &by_contact, &by_velocity, error);
    }
    carom_arena_free(m.room);
    return status;
}
