/* test_sparse.c: the sparse LU against dense elimination. */
#include <stdlib.h>
#include <string.h>

#include "core/dense.h"
#include "core/sparse/basis.h"
#include "core/sparse/sparse.h"
#include "testing.h"

static double noise(unsigned long *seed) /* uniform in (-1, 1) */
{
    *seed = *seed * 6364136223846793005UL + 1442695040888963407UL;
    return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

enum { BLOCKS = 60, ROWS = 3 * BLOCKS };

typedef struct matrix {
    carom_pattern pattern;
    int row[BLOCKS + 1], column[BLOCKS * BLOCKS];
    size_t start[BLOCKS + 1];
    double A[ROWS * ROWS];
    int n;
} matrix;

/* A random graph with about `degree` neighbours a block; kind 1: a chain, 2: an arrow, 3: everything. */
static void make(matrix *m, int nblock, int kind, double degree, unsigned long *seed)
{
    static unsigned char linked[BLOCKS][BLOCKS];
    memset(linked, 0, sizeof linked);
    for (int k = 0; k < nblock; k++)
        for (int l = 0; l <= k; l++)
            linked[k][l] = linked[l][k] = k == l || kind == 3 || (kind == 1 && k - l == 1) || (kind == 2 && l == 0) ||
                                          (kind == 0 && noise(seed) + 1 < 2 * degree / nblock);
    m->row[0] = 0;
    for (int k = 0; k < nblock; k++)
        m->row[k + 1] = m->row[k] + (kind ? 3 : 1 + (int)((noise(seed) + 1) * 1.5) % 3);
    m->n = m->row[nblock];
    memset(m->A, 0, sizeof m->A);
    size_t e = 0;
    for (int k = 0; k < nblock; k++) {
        m->start[k] = e;
        for (int l = 0; l < nblock; l++) {
            if (!linked[k][l])
                continue;
            m->column[e++] = l;
            for (int i = m->row[k]; i < m->row[k + 1]; i++)
                for (int j = m->row[l]; j < m->row[l + 1]; j++)
                    m->A[i * m->n + j] = noise(seed) + (i == j ? 8 : 0);
        }
    }
    m->start[nblock] = e;
    m->pattern = (carom_pattern){nblock, m->row, m->start, m->column};
}

static void fill(void *context, int k, int l, size_t e, double *block)
{
    const matrix *m = context;
    ck_assert_int_eq(m->column[e], l);
    ck_assert(m->start[k] <= e && e < m->start[k + 1]);
    for (int i = m->row[k]; i < m->row[k + 1]; i++)
        for (int j = m->row[l]; j < m->row[l + 1]; j++)
            *block++ = m->A[i * m->n + j];
}

/* Solves for the blocks that are in and compares A x with the right-hand side. */
static void check(carom_sparse *s, matrix *m, const unsigned char *in, unsigned long *seed)
{
    double x[ROWS], b[ROWS];
    bool used[ROWS];
    for (int k = 0; k < m->pattern.nblock; k++)
        for (int i = m->row[k]; i < m->row[k + 1]; i++) {
            used[i] = !in || in[k];
            x[i] = b[i] = noise(seed);
        }
    ck_assert(carom_sparse_begin(s, &m->pattern) && carom_sparse_analyse(s, in));
    ck_assert(carom_sparse_factor(s, fill, m));
    carom_sparse_solve(s, x);
    for (int i = 0; i < m->n; i++) {
        double sum = 0;
        for (int j = 0; j < m->n; j++)
            sum += used[j] ? m->A[i * m->n + j] * x[j] : 0;
        if (used[i])
            CHECK_NEAR(sum, b[i], 1e-12);
        else
            ck_assert(x[i] == b[i]);
    }
}

START_TEST(every_pattern_is_solved)
{
    static matrix m;
    unsigned long seed = 3;
    carom_arena *arena = carom_arena_new(0);
    carom_sparse *s = carom_sparse_new(arena);
    for (int trial = 0; trial < 600; trial++) {
        int nblock = 1 + (int)((noise(&seed) + 1) / 2 * (BLOCKS - 1));
        make(&m, nblock, trial % 5 > 3 ? 0 : trial % 5, 1 + 4 * (noise(&seed) + 1), &seed);
        check(s, &m, NULL, &seed);
        unsigned char in[BLOCKS];
        for (int k = 0; k < nblock; k++)
            in[k] = noise(&seed) > -0.3;
        check(s, &m, in, &seed);
    }
    carom_arena_free(arena);
}
END_TEST

/* A chain has no fill: its factor is a matter of its length. */
START_TEST(a_chain_is_factored_without_fill)
{
    static matrix m;
    unsigned long seed = 5;
    carom_arena *arena = carom_arena_new(0);
    carom_sparse *s = carom_sparse_new(arena);
    size_t bytes[2];
    for (int i = 0; i < 2; i++) {
        make(&m, i ? BLOCKS : BLOCKS / 2, 1, 0, &seed);
        check(s, &m, NULL, &seed);
        bytes[i] = carom_sparse_bytes(s) / (size_t)m.pattern.nblock;
    }
    CHECK_AT_MOST((double)bytes[1], 1.2 * (double)bytes[0]);
    CHECK_AT_MOST((double)bytes[1], 8 * 27.0);
    make(&m, BLOCKS, 2, 0, &seed); /* the hub of an arrow comes last */
    check(s, &m, NULL, &seed);
    CHECK_AT_MOST((double)carom_sparse_bytes(s), 8 * 27.0 * BLOCKS);
    carom_arena_free(arena);
}
END_TEST

START_TEST(what_is_not_finite_is_refused)
{
    static matrix m;
    unsigned long seed = 7;
    carom_arena *arena = carom_arena_new(0);
    carom_sparse *s = carom_sparse_new(arena);
    make(&m, 10, 0, 3, &seed);
    m.A[0] = NAN;
    ck_assert(carom_sparse_begin(s, &m.pattern) && carom_sparse_analyse(s, NULL));
    ck_assert(!carom_sparse_factor(s, fill, &m));
    carom_arena_free(arena);
}
END_TEST

enum { SIDE = 9, CELLS = SIDE * SIDE * SIDE };

/* A cube of cells with three rows each, linked with their neighbours; values that depend on where they stand. */
static void fill_cell(void *context, int k, int l, size_t e, double *block)
{
    const double *size = context;
    (void)e;
    for (int i = 0; i < 9; i++) {
        unsigned long seed = (unsigned long)(k * CELLS + l) * 9 + (unsigned long)i;
        noise(&seed);
        block[i] = *size * noise(&seed) + (k == l && i % 4 == 0 ? 12 : 0);
    }
}

static void make_cube(carom_pattern *g, int *row, size_t *start, int *column)
{
    size_t e = 0;
    for (int k = 0; k < CELLS; k++) {
        int at[3] = {k % SIDE, k / SIDE % SIDE, k / SIDE / SIDE};
        start[k] = e;
        row[k] = 3 * k;
        for (int step = -3; step <= 3; step++) { /* z down, y down, x down, itself, x up, ... */
            int d = abs(step) - 1, stride[3] = {1, SIDE, SIDE * SIDE}, to = step ? at[d] + (step < 0 ? -1 : 1) : 0;
            if (to >= 0 && to < SIDE)
                column[e++] = step ? k + (step < 0 ? -stride[d] : stride[d]) : k;
        }
    }
    start[CELLS] = e;
    row[CELLS] = 3 * CELLS;
    *g = (carom_pattern){CELLS, row, start, column};
}

START_TEST(any_number_of_threads_has_the_bits_of_one)
{
    static double alone[3 * CELLS], x[3 * CELLS];
    static int row[CELLS + 1], column[7 * CELLS];
    static size_t start[CELLS + 1];
    carom_pattern g;
    make_cube(&g, row, start, column);
    for (int threads = 1; threads <= 9; threads += threads < 4 ? 1 : 5) { /* more than there are workers, at last */
        carom_arena *arena = carom_arena_new(0);
        carom_sparse *s = carom_sparse_new(arena);
        carom_sparse_share(s, threads);
        ck_assert(carom_sparse_begin(s, &g) && carom_sparse_analyse(s, NULL));
        for (int again = 0; again < 2; again++) { /* the second time over what the first has left */
            double size = 1 + again;
            for (int i = 0; i < 3 * CELLS; i++)
                x[i] = i % 17 - 8;
            ck_assert(carom_sparse_factor(s, fill_cell, &size));
            carom_sparse_solve(s, x);
        }
        if (threads == 1)
            memcpy(alone, x, sizeof x);
        ck_assert_msg(memcmp(alone, x, sizeof x) == 0, "%d threads", threads);
        double bad = NAN;
        ck_assert(!carom_sparse_factor(s, fill_cell, &bad));
        carom_arena_free(arena);
    }
}
END_TEST

enum { BASIS = 30 };

typedef struct pool { /* columns to choose from: unit vectors, then sparse ones */
    double A[2 * BASIS][BASIS];
} pool;

static int pool_column(void *context, int column, int *row, double *value)
{
    const pool *p = context;
    int n = 0;
    for (int i = 0; i < BASIS; i++)
        if (p->A[column][i] != 0) {
            row[n] = i;
            value[n++] = p->A[column][i];
        }
    return n;
}

/* x of B^-1 f and y of B^-T f against products with B */
static void check_basis(const carom_basis *basis, const pool *p, const int *in, unsigned long *seed)
{
    double f[BASIS], x[BASIS], y[BASIS];
    for (int i = 0; i < BASIS; i++)
        f[i] = x[i] = y[i] = noise(seed);
    carom_basis_solve(basis, x);
    carom_basis_solve_t(basis, y);
    for (int i = 0; i < BASIS; i++) {
        double row = 0, column = 0;
        for (int j = 0; j < BASIS; j++) {
            row += p->A[in[j]][i] * x[j];
            column += p->A[in[i]][j] * y[j];
        }
        CHECK_NEAR(row, f[i], 1e-8);
        CHECK_NEAR(column, f[i], 1e-8);
    }
}

START_TEST(a_basis_solves_with_its_matrix_after_every_exchange)
{
    unsigned long seed = 5;
    static pool p;
    carom_arena *arena = carom_arena_new(0);
    carom_basis *basis = carom_basis_new(arena, BASIS);
    int in[BASIS], exchanges = 0, factors = 0;
    ck_assert_ptr_nonnull(basis);
    for (int c = 0; c < 2 * BASIS; c++)
        for (int i = 0; i < BASIS; i++)
            p.A[c][i] = c < BASIS ? i == c : noise(&seed) > 0.7 ? noise(&seed) : 0;
    for (int i = 0; i < BASIS; i++)
        in[i] = i;
    for (int k = 0; k < 2000; k++) {
        if (k == 0 || carom_basis_exchanges(basis) == 40) {
            ck_assert(carom_basis_factor(basis, in, pool_column, &p));
            factors++;
        }
        double change[BASIS];
        int place = (int)((noise(&seed) + 1) / 2 * BASIS), enters = (int)((noise(&seed) + 1) * BASIS);
        memcpy(change, p.A[enters], sizeof change);
        carom_basis_solve(basis, change);
        if (fabs(change[place]) < 0.05)
            continue;
        ck_assert(carom_basis_exchange(basis, place, change));
        in[place] = enters;
        exchanges++;
        check_basis(basis, &p, in, &seed);
    }
    ck_assert_int_ge(exchanges, 500);
    ck_assert_int_ge(factors, 10);
    in[1] = in[0]; /* twice the same column */
    ck_assert(!carom_basis_factor(basis, in, pool_column, &p));
    carom_arena_free(arena);
}
END_TEST

TEST_MAIN("sparse", every_pattern_is_solved, a_chain_is_factored_without_fill, what_is_not_finite_is_refused,
          any_number_of_threads_has_the_bits_of_one, a_basis_solves_with_its_matrix_after_every_exchange)
