/* structure.c: where the matrices of a model file differ from 0, told by its expressions.
 *
 * Rows of G and M: the columns whose entry is not the constant 0. The matrix of implicit schemes, M + R_q + R_v: the
 * coordinates that r = M a - s F - G^T x has in it, and their velocities. */
#include <stdlib.h>
#include <string.h>

#include "core/band.h"
#include "model/source.h"
#include "model/structure.h"

static bool is_zero(const carom_source *s, carom_expr e)
{
    double value;
    return carom_expr_is_const(s->pool, e, &value) && value == 0;
}

/* Two column blocks with the widest gap between them, of a row that stands at `at` in full. */
static carom_span span_of(const carom_source *s, const carom_expr *row, size_t at)
{
    int first = -1, last = -1, gap = 0, left = -1, right = -1;
    for (int j = 0; j < s->nv; j++) {
        if (is_zero(s, row[j]))
            continue;
        if (first < 0)
            first = j;
        else if (j - last - 1 > gap)
            gap = j - last - 1, left = last, right = j;
        last = j;
    }
    if (first < 0)
        return (carom_span){.at = {at, at}};
    if (gap == 0)
        return (carom_span){.at = {at + (size_t)first, at}, .first = {first, 0}, .count = {last - first + 1, 0}};
    return (carom_span){.at = {at + (size_t)first, at + (size_t)right}, .first = {first, right},
                        .count = {left - first + 1, last - right + 1}};
}

static void rows(const carom_source *s, carom_structure *x)
{
    size_t n = (size_t)s->nv;
    for (int r = 0; r < s->nrow; r++)
        x->row[r] = span_of(s, s->G + (size_t)r * n, (size_t)r * n);
    x->mass_start[0] = 0;
    for (int i = 0; i < s->nv; i++) {
        x->mass[i] = span_of(s, s->M + (size_t)i * n, (size_t)i * n);
        x->mass_first[i] = x->mass[i].count[0] ? CAROM_MIN(x->mass[i].first[0], i) : i;
        x->mass_start[i + 1] = x->mass_start[i] + (size_t)(i - x->mass_first[i] + 1);
    }
}

static int bandwidth(int n, const unsigned char *near, const int *place)
{
    int most = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (near[(size_t)i * (size_t)n + (size_t)j])
                most = CAROM_MAX(most, place[i] - place[j]);
    return most;
}

/* near [n*n], depends [2*n]: entries of M + R_q + R_v and of its transpose. */
static bool entries(carom_source *s, unsigned char *near, unsigned char *depends)
{
    size_t n = (size_t)s->nv;
    for (size_t i = 0; i < n; i++) {
        memset(depends, 0, 2 * n);
        if (!carom_expr_variables(s->pool, s->r[i], s->var_q, s->var_q + 2 * s->nv, depends))
            return false;
        for (size_t j = 0; j < n; j++)
            if (depends[j] || depends[n + j] || !is_zero(s, s->M[i * n + j]))
                near[i * n + j] = near[j * n + i] = 1;
    }
    return true;
}

/* The order as it is, unless another one halves the band. */
static void order(int n, const unsigned char *near, carom_structure *x, int *work)
{
    for (int k = 0; k < n; k++)
        x->order[k] = x->place[k] = k;
    int natural = bandwidth(n, near, x->place);
    carom_band_order(n, near, x->order, work);
    for (int k = 0; k < n; k++)
        x->place[x->order[k]] = k;
    int other = bandwidth(n, near, x->place);
    for (int k = 0; other > natural / 2 && k < n; k++)
        x->order[k] = x->place[k] = k;
    x->lower = x->upper = other > natural / 2 ? natural : other;
}

carom_status carom_structure_new(carom_source *s, const carom_structure **structure, carom_error *error)
{
    size_t n = (size_t)s->nv;
    *structure = NULL;
    if (s->nv < CAROM_STRUCTURED || s->nq != s->nv || !s->r)
        return CAROM_OK;
    carom_structure *x = CAROM_NEW(s->arena, carom_structure, 1);
    unsigned char *near = calloc(n * n + 2 * n, 1);
    bool fine = x && near && (x->row = CAROM_NEW(s->arena, carom_span, s->nrow)) &&
                (x->mass = CAROM_NEW(s->arena, carom_span, n)) && (x->mass_first = CAROM_NEW(s->arena, int, n)) &&
                (x->mass_start = CAROM_NEW(s->arena, size_t, n + 1)) && (x->order = CAROM_NEW(s->arena, int, n)) &&
                (x->place = CAROM_NEW(s->arena, int, n)) && entries(s, near, near + n * n);
    int *work = fine ? CAROM_NEW(s->arena, int, n) : NULL;
    if (work) {
        rows(s, x);
        order(s->nv, near, x, work);
        *structure = x;
    }
    free(near);
    if (!work)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "out of memory for the structure of %d coordinates", s->nv);
    return CAROM_OK;
}
