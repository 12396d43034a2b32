/* basis.c: LU of a matrix by columns, and its product form.
 *
 *   columns in the order of their entries; L^-1 of a column, then its pivot among the rows that have none yet: of those
 *   not below a tenth of the largest the one with the fewest entries in B                                           (1)
 *   B' = B E, E the unit matrix but for the column (B^-1 new) at the place of the one that leaves                   (2)
 *
 * Limits: rows are searched for nonzeros, so that a factorisation costs at least the square of the columns that are not
 * unit vectors. */
#include <math.h>
#include <string.h>

#include "core/sparse/basis.h"
#include "core/sparse/fronts.h"

typedef struct lists { /* entries one list after the other */
    size_t *start;     /* [lists + 1] */
    int *index;
    double *value;
    size_t used, index_room, value_room;
} lists;

struct carom_basis {
    carom_arena *arena;
    int m, exchanges;
    lists L, U, E;      /* L: (row, multiplier); U: (pivot before, value); E: (place, value) of the exchanges */
    double *pivot;      /* [m] */
    int *row, *place;   /* [m] of a pivot */
    int *count, *order; /* [m] entries of a row of B; places in the order of (1) */
    int *rank;          /* [m] pivot of a row, or -1 */
    int *column_row;    /* [m] a column, as is */
    double *column_value;
    double *work;       /* [m] */
    int *touched;       /* [m] rows of work that may not vanish */
    int *seen;          /* [m] */
    int ntouched;
    int *exchanged;     /* [EXCHANGES] places */
    double *divisor;    /* [EXCHANGES] */
};

static bool append(carom_basis *b, lists *l, int index, double value)
{
    if (!carom_sparse_room(b->arena, &l->index, sizeof(int), &l->index_room, l->used + 1) ||
        !carom_sparse_room(b->arena, &l->value, sizeof(double), &l->value_room, l->used + 1))
        return false;
    l->index[l->used] = index;
    l->value[l->used++] = value;
    return true;
}

enum { EXCHANGES = 100 }; /* at most, before it is to be factored again */

carom_basis *carom_basis_new(carom_arena *arena, int m)
{
    carom_basis *b = CAROM_NEW(arena, carom_basis, 1);
    size_t n = (size_t)m + 1;
    if (!b)
        return NULL;
    *b = (carom_basis){.arena = arena, .m = m};
    int **const ints[] = {&b->row, &b->place, &b->count, &b->order, &b->rank, &b->column_row,
                          &b->touched, &b->seen};
    double **const numbers[] = {&b->pivot, &b->column_value, &b->work};
    size_t **const starts[] = {&b->L.start, &b->U.start};
    bool good = true;
    for (int i = 0; i < CAROM_COUNT(ints); i++)
        good = (*ints[i] = CAROM_NEW(arena, int, n)) && good;
    for (int i = 0; i < CAROM_COUNT(numbers); i++)
        good = (*numbers[i] = CAROM_NEW(arena, double, n)) && good;
    for (int i = 0; i < CAROM_COUNT(starts); i++)
        good = (*starts[i] = CAROM_NEW(arena, size_t, n)) && good;
    b->E.start = CAROM_NEW(arena, size_t, EXCHANGES + 1);
    b->exchanged = CAROM_NEW(arena, int, EXCHANGES);
    b->divisor = CAROM_NEW(arena, double, EXCHANGES);
    return good && b->E.start && b->exchanged && b->divisor ? b : NULL;
}

/* (1): the places by the entries of their columns, fewest first; equal ones as they come */
static void sort_columns(carom_basis *b, const int *in, carom_basis_column *column, void *context)
{
    int m = b->m, *begin = b->rank; /* [m + 1]: the count of a column is at most m */
    memset(b->count, 0, sizeof(int) * (size_t)m);
    memset(begin, 0, sizeof(int) * ((size_t)m + 1));
    for (int j = 0; j < m; j++) {
        int n = column(context, in[j], b->column_row, b->column_value);
        for (int i = 0; i < n; i++)
            b->count[b->column_row[i]]++;
        b->place[j] = n;
        begin[n]++;
    }
    for (int n = 0, sum = 0; n <= m; n++) {
        int here = begin[n];
        begin[n] = sum;
        sum += here;
    }
    for (int j = 0; j < m; j++)
        b->order[begin[b->place[j]]++] = j;
    for (int i = 0; i < m; i++)
        b->rank[i] = -1;
}

static void touch(carom_basis *b, int row, double change)
{
    if (!b->seen[row]) {
        b->seen[row] = 1;
        b->touched[b->ntouched++] = row;
    }
    b->work[row] += change;
}

/* L^-1 of the column in work; its entries at pivots become a column of U. The first `units` pivots have no L. */
static bool eliminate(carom_basis *b, int k, int units)
{
    for (int i = units; i < k; i++) {
        double value = b->work[b->row[i]];
        if (value == 0)
            continue;
        for (size_t e = b->L.start[i]; e < b->L.start[i + 1]; e++)
            touch(b, b->L.index[e], -b->L.value[e] * value);
        if (!append(b, &b->U, i, value))
            return false;
    }
    for (int t = 0; t < b->ntouched; t++) {
        int row = b->touched[t];
        if (b->rank[row] >= 0 && b->rank[row] < units && b->work[row] != 0 &&
            !append(b, &b->U, b->rank[row], b->work[row]))
            return false;
    }
    return true;
}

/* (1): the row of the pivot; -1: none */
static int choose_row(const carom_basis *b)
{
    double most = 0;
    int best = -1;
    for (int t = 0; t < b->ntouched; t++)
        if (b->rank[b->touched[t]] < 0)
            most = fmax(most, fabs(b->work[b->touched[t]]));
    for (int t = 0; t < b->ntouched && most > 0; t++) {
        int i = b->touched[t];
        if (b->rank[i] < 0 && fabs(b->work[i]) >= 0.1 * most && (best < 0 || b->count[i] < b->count[best]))
            best = i;
    }
    return best;
}

/* Pivot k, of the column in work, which is cleared; false: there is none, or no memory */
static bool add_pivot(carom_basis *b, int k)
{
    int r = choose_row(b);
    bool good = r >= 0;
    b->row[k] = r;
    for (int t = 0; t < b->ntouched; t++) {
        int i = b->touched[t];
        if (good && b->rank[i] < 0 && i != r && b->work[i] != 0)
            good = append(b, &b->L, i, b->work[i] / b->work[r]);
    }
    if (good) {
        b->rank[r] = k;
        b->pivot[k] = b->work[r];
    }
    for (int t = 0; t < b->ntouched; t++)
        b->work[b->touched[t]] = b->seen[b->touched[t]] = 0;
    b->ntouched = 0;
    return good;
}

bool carom_basis_factor(carom_basis *b, const int *in, carom_basis_column *column, void *context)
{
    int m = b->m, units = 0;
    b->L.used = b->U.used = b->E.used = 0;
    b->exchanges = 0;
    sort_columns(b, in, column, context);
    memset(b->work, 0, sizeof(double) * (size_t)m);
    for (int k = 0; k < m; k++) {
        int n = column(context, in[b->order[k]], b->column_row, b->column_value);
        b->place[k] = b->order[k];
        b->L.start[k] = b->L.used;
        b->U.start[k] = b->U.used;
        for (int i = 0; i < n; i++)
            touch(b, b->column_row[i], b->column_value[i]);
        units += n == 1;
        if ((n > 1 && !eliminate(b, k, units)) || !add_pivot(b, k))
            return false;
    }
    b->L.start[m] = b->L.used;
    b->U.start[m] = b->U.used;
    return true;
}

void carom_basis_solve(const carom_basis *b, double *x)
{
    int m = b->m;
    double *z = b->work;
    for (int k = 0; k < m; k++)
        for (size_t e = b->L.start[k]; e < b->L.start[k + 1]; e++)
            x[b->L.index[e]] -= b->L.value[e] * x[b->row[k]];
    for (int k = m; k-- > 0;) {
        double value = z[b->place[k]] = x[b->row[k]] / b->pivot[k];
        for (size_t e = b->U.start[k]; e < b->U.start[k + 1] && value != 0; e++)
            x[b->row[b->U.index[e]]] -= b->U.value[e] * value;
    }
    for (int k = 0; k < b->exchanges; k++) {                                             /* (2) */
        double value = z[b->exchanged[k]] /= b->divisor[k];
        for (size_t e = b->E.start[k]; e < b->E.start[k + 1] && value != 0; e++)
            z[b->E.index[e]] -= b->E.value[e] * value;
    }
    memcpy(x, z, sizeof(double) * (size_t)m);
}

void carom_basis_solve_t(const carom_basis *b, double *y)
{
    int m = b->m;
    double *z = b->work;
    for (int k = b->exchanges; k-- > 0;) {                                               /* (2) */
        double sum = y[b->exchanged[k]];
        for (size_t e = b->E.start[k]; e < b->E.start[k + 1]; e++)
            sum -= b->E.value[e] * y[b->E.index[e]];
        y[b->exchanged[k]] = sum / b->divisor[k];
    }
    for (int k = 0; k < m; k++) {
        double sum = y[b->place[k]];
        for (size_t e = b->U.start[k]; e < b->U.start[k + 1]; e++)
            sum -= b->U.value[e] * z[b->row[b->U.index[e]]];
        z[b->row[k]] = sum / b->pivot[k];
    }
    for (int k = m; k-- > 0;)
        for (size_t e = b->L.start[k]; e < b->L.start[k + 1]; e++)
            z[b->row[k]] -= b->L.value[e] * z[b->L.index[e]];
    memcpy(y, z, sizeof(double) * (size_t)m);
}

bool carom_basis_exchange(carom_basis *b, int place, const double *change)
{
    int k = b->exchanges;
    if (k == EXCHANGES)
        return false;
    b->E.start[k] = b->E.used;
    for (int i = 0; i < b->m; i++)
        if (i != place && change[i] != 0 && !append(b, &b->E, i, change[i]))
            return false;
    b->exchanged[k] = place;
    b->divisor[k] = change[place];
    b->E.start[k + 1] = b->E.used;
    b->exchanges++;
    return true;
}

int carom_basis_exchanges(const carom_basis *b)
{
    return b->exchanges;
}
