/* test_problem.c: the residual sees every kind of violation, and a dump comes back to the last bit. */
#include <float.h>
#include <stdio.h>

#include "problems.h"

static double residual(bench *t)
{
    return carom_problem_residual(&t->problem, t->x, t->u, NULL);
}

START_TEST(pinned_blocks_have_their_own_residual)
{
    bench t;
    bench_begin(&t, 1);
    carom_block *block = bench_block(&t, &carom_law_coulomb_spatial, 0.5);
    for (int i = 0; i < 3; i++)
        t.W[4 * i] = 2;
    carom_block_pin(block, CAROM_OPEN); /* |x| in units of u */
    t.b[0] = -100;
    ck_assert(residual(&t) == 0);
    t.x[1] = 0.25;
    CHECK_NEAR(residual(&t), 0.5, 1e-16);
    carom_block_pin(block, CAROM_STICK); /* |u| alone, x of any sign */
    double sticking[] = {-3, 4, 1}, b[] = {6, -8, -2};
    memcpy(t.x, sticking, sizeof sticking);
    memcpy(t.b, b, sizeof b);
    ck_assert(residual(&t) == 0);
    t.b[1] += 0.125;
    CHECK_NEAR(residual(&t), 0.125, 1e-15);
    carom_block_pin(block, CAROM_SLIP); /* x_t = -mu x_n d, normal law */
    block->direction[0] = 0.6;
    block->direction[1] = -0.8;
    double slipping[] = {2, -0.6, 0.8}, c[] = {-4, 5, 5};
    memcpy(t.x, slipping, sizeof slipping);
    memcpy(t.b, c, sizeof c);
    CHECK_NEAR(residual(&t), 0, 1e-15);
    t.x[2] += 0.25;
    CHECK_NEAR(residual(&t), 0.5, 1e-15);
    t.x[2] -= 0.25;
    t.b[0] = -4.25; /* u_n = -.25 */
    CHECK_NEAR(residual(&t), 0.25, 1e-15);
}
END_TEST

START_TEST(x0_counts_in_the_law_but_not_in_u)
{
    bench t;
    bench_begin(&t, 1);
    bench_block(&t, &carom_law_unilateral, 0);
    t.W[0] = 2;
    t.b[0] = 1;
    t.x[0] = -0.2;
    CHECK_AT_LEAST(residual(&t), 0.1);
    t.problem.x0 = t.x0;
    t.x0[0] = 0.2;
    ck_assert(residual(&t) == 0);
    CHECK_NEAR(t.u[0], 0.6, 1e-16);
}
END_TEST

START_TEST(the_worst_block_is_named_and_nan_is_infinite)
{
    bench t;
    int worst = -1;
    bench_begin(&t, 1);
    for (int k = 0; k < 3; k++)
        bench_block(&t, &carom_law_unilateral, 0);
    for (int k = 0; k < 3; k++)
        t.W[4 * k] = 1;
    t.b[0] = -1;
    t.b[1] = -3;
    t.b[2] = -2;
    CHECK_NEAR(carom_problem_residual(&t.problem, t.x, t.u, &worst), 3, 0);
    ck_assert_int_eq(worst, 1);
    double bad[] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 3; k++) {
        t.b[2] = bad[k];
        ck_assert(isinf(residual(&t)));
        t.b[2] = 0;
        t.x[2] = bad[k];
        ck_assert(isinf(residual(&t)));
        t.x[2] = 0;
    }
}
END_TEST

START_TEST(the_scale_is_the_largest_term)
{
    bench t;
    bench_begin(&t, 1);
    for (int k = 0; k < 2; k++)
        bench_block(&t, &carom_law_unilateral, 0);
    CHECK_NEAR(carom_problem_scale(&t.problem, t.x), 1e-300, 0);
    double W[] = {1, -7, 2, 3};
    memcpy(t.W, W, sizeof W);
    t.b[0] = -5;
    CHECK_NEAR(carom_problem_scale(&t.problem, t.x), 5, 0);
    t.x[1] = 2;
    CHECK_NEAR(carom_problem_scale(&t.problem, t.x), 14, 0);
}
END_TEST

/* One row of volts, one of microamperes: an error of 92 % of the second is none of the first's business. */
START_TEST(blocks_of_large_numbers_do_not_hide_errors_in_small_ones)
{
    bench t;
    int worst;
    bench_begin(&t, 1);
    for (int k = 0; k < 2; k++)
        bench_block(&t, &carom_law_unilateral, 0);
    fill_problem(&t, (double[]){1e3, 0, 0, 1e-6}, (double[]){-1e3, -1e-7});
    t.x[0] = 1, t.x[1] = 0.1;
    CHECK_AT_MOST(carom_problem_relative(&t.problem, 1e-12, t.x, t.u, &worst), 1e-12);
    t.x[1] = 0.008;
    CHECK_NEAR(carom_problem_relative(&t.problem, 1e-4, t.x, t.u, &worst), 0.92, 1e-3);
    ck_assert_int_eq(worst, 1);
    SOLVE_OK(&t, NULL, 1e-4);
    CHECK_NEAR(t.x[1], 0.1, 1e-5);
    t.b[1] = -1e-20, t.x[1] = 0; /* rounding beside the largest does not count */
    CHECK_AT_MOST(carom_problem_relative(&t.problem, 1e-4, t.x, t.u, &worst), 1e-4);
}
END_TEST

/* The residual does not change its meaning with the units: masses times c, impulses times c, same u. */
START_TEST(the_residual_does_not_depend_on_units_of_mass)
{
    unsigned long seed = 4;
    for (int l = 0; carom_law_list(l); l++)
        for (int k = 0; k < 50; k++) {
            bench t;
            bench_begin(&t, 1);
            bench_block(&t, carom_law_list(l), 0.4);
            int n = t.problem.n;
            for (int i = 0; i < n; i++) {
                t.W[i * (n + 1)] = 1 + fabs(noise(&seed));
                t.b[i] = noise(&seed);
                t.x[i] = noise(&seed);
            }
            double before = residual(&t);
            for (int i = 0; i < n; i++) {
                t.W[i * (n + 1)] *= 1024;
                t.x[i] /= 1024;
            }
            for (int i = 0; i < CAROM_COEFFICIENTS_MAX; i++)
                t.c[0][i] /= carom_law_list(l)->forces >> i & 1 ? 1024 : 1;
            ck_assert(residual(&t) == before);
        }
}
END_TEST

static void sample(bench *t)
{
    unsigned long seed = 9;
    bench_begin(t, 1);
    bench_block(t, &carom_law_bilateral, 0);
    carom_block_pin(bench_block(t, &carom_law_unilateral, 0), CAROM_OPEN);
    carom_block_pin(bench_block(t, &carom_law_coulomb_planar, 1.0 / 3), CAROM_STICK);
    carom_block *slip = bench_block(t, &carom_law_coulomb_spatial, 0.1);
    carom_block_pin(slip, CAROM_SLIP);
    slip->direction[0] = sqrt(0.5);
    slip->direction[1] = -sqrt(0.5);
    for (int i = 0; i < t->problem.n; i++) {
        t->b[i] = noise(&seed) * pow(10, 40 * noise(&seed));
        t->x[i] = noise(&seed) / 3;
        t->x0[i] = noise(&seed);
        for (int j = 0; j < t->problem.n; j++)
            t->W[i * t->problem.n + j] = noise(&seed);
    }
    t->b[0] = -0.0;
    t->b[1] = DBL_MIN / 8;
    t->b[2] = DBL_MAX;
    t->problem.x0 = t->x0;
}

START_TEST(a_dump_comes_back_to_the_last_bit)
{
    bench t;
    sample(&t);
    for (int with = 0; with < 4; with++) {
        carom_arena *arena = carom_arena_new(0);
        carom_problem *back;
        carom_error error;
        double *x;
        FILE *file = tmpfile();
        t.problem.x0 = with & 1 ? t.x0 : NULL;
        CHECK_OK(carom_problem_dump(&t.problem, with & 2 ? t.x : NULL, file), error);
        rewind(file);
        CHECK_OK(carom_problem_read(&back, &x, arena, file, &error), error);
        size_t n = (size_t)t.problem.n, bytes = n * sizeof(double);
        ck_assert_int_eq(back->n, t.problem.n);
        ck_assert_int_eq(back->nblock, t.problem.nblock);
        ck_assert_mem_eq(back->W.dense, t.W, n * bytes);
        ck_assert_mem_eq(back->b, t.b, bytes);
        ck_assert((back->x0 != NULL) == (with & 1) && (x != NULL) == (with >> 1));
        if (x)
            ck_assert_mem_eq(x, t.x, bytes);
        if (back->x0)
            ck_assert_mem_eq(back->x0, t.x0, bytes);
        for (int k = 0; k < back->nblock; k++) {
            ck_assert_ptr_eq(back->block[k].law, t.block[k].law);
            ck_assert(back->block[k].pinned == t.block[k].pinned && back->block[k].mode == t.block[k].mode);
            ck_assert_mem_eq(back->block[k].c, t.block[k].c,
                             sizeof(double) * (size_t)carom_law_coefficients(t.block[k].law));
            ck_assert(back->block[k].row == t.block[k].row);
            ck_assert_mem_eq(back->block[k].direction, t.block[k].direction, sizeof t.block[k].direction);
        }
        fclose(file);
        carom_arena_free(arena);
    }
}
END_TEST

static carom_status read_text(const char *text, size_t length, carom_error *error)
{
    carom_arena *arena = carom_arena_new(0);
    carom_problem *problem;
    double *x;
    FILE *file = tmpfile();
    fwrite(text, 1, length, file);
    rewind(file);
    error->text[0] = 0;
    carom_status status = carom_problem_read(&problem, &x, arena, file, error);
    fclose(file);
    carom_arena_free(arena);
    return status;
}

START_TEST(damaged_files_are_refused_with_their_line)
{
    static const struct {
        const char *text, *complaint;
    } bad[] = {
        {"", "line 1: the file ends too early"},
        {"hello", "line 1: expected 'carom-problem', found 'hello'"},
        {"carom-problem 3", "line 1: version 3"},
        {"carom-problem 2\nrows -1", "line 2: rows is -1"},
        {"carom-problem 2\nrows 1e9", "line 2: rows is 1e9"},
        {"carom-problem 2\nrows 1.5", "line 2: rows is 1.5"},
        {"carom-problem 2\nrows 1 blocks 2", "line 2: blocks is 2"},
        {"carom-problem 2\nrows 2 blocks 1\nblock unilateral 0 none\n", "the blocks have 1 rows, the problem 2"},
        {"carom-problem 2\nrows 1 blocks 1\nblock sticky 0 none\n", "line 3: there is no law 'sticky'"},
        {"carom-problem 2\nrows 1 blocks 1\nblock unilateral 0 nailed\n", "line 3: a pin is"},
        {"carom-problem 2\nrows 1 blocks 1\nblock unilateral 0 none\nW 1\nb\nx 1", "line 6: expected a number"},
        {"carom-problem 2\nrows 1 blocks 1\nblock unilateral 0 none\nW 1\nb 1\ny 1", "line 6: expected 'end'"},
        {"carom-problem 2\nrows 1 blocks 1\nblock unilateral 0 none\nW 1\nb 1,5\nend", "line 5: expected a number"},
        {"carom-problem 2\nrows 1 blocks 1\nblock unilateral 0 none\nV 1",
         "line 4: expected 'W', 'sparse' or 'product'"},
        {"carom-problem 2\nrows 1 blocks 1\nblock unilateral 0 none\nsparse 2", "line 4: '2' is no number of entries"},
        {"carom-problem 2\nrows 1 blocks 1\nblock unilateral 0 none\nsparse 1 0 1 3", "line 4: there is no block 1"},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "line 1: a word of more"},
    };
    for (int i = 0; i < CAROM_COUNT(bad); i++) {
        carom_error error;
        ck_assert_int_eq(read_text(bad[i].text, strlen(bad[i].text), &error), CAROM_FILE);
        ck_assert_msg(strstr(error.text, bad[i].complaint) != NULL, "%d: '%s' lacks '%s'", i, error.text,
                      bad[i].complaint);
    }
}
END_TEST

START_TEST(an_empty_problem_comes_back)
{
    const char *text = "carom-problem 2 rows 0 blocks 0 W b end";
    carom_error error;
    CHECK_OK(read_text(text, strlen(text), &error), error);
}
END_TEST

/* A random problem whose W has holes, in both forms. */
static void two_forms(bench *t, carom_problem *sparse, carom_arena *arena)
{
    unsigned long seed = 21;
    int row[ROWS * ROWS], column[ROWS * ROWS], n;
    double value[ROWS * ROWS];
    size_t count = 0;
    carom_error error;
    sample(t);
    for (int k = 0; k < 6; k++)
        bench_block(t, carom_law_list(k % 4), 0.3);
    n = t->problem.n;
    for (int i = 0; i < n; i++) {
        t->b[i] = noise(&seed);
        t->x[i] = noise(&seed);
        t->x0[i] = noise(&seed);
    }
    for (int k = 0; k < t->problem.nblock; k++)
        for (int l = 0; l < t->problem.nblock; l++)
            for (int i = t->block[k].row; i < t->block[k].row + t->block[k].law->rows; i++)
                for (int j = t->block[l].row; j < t->block[l].row + t->block[l].law->rows; j++)
                    t->W[i * n + j] = (k * l) % 3 && k != l ? 0 : noise(&seed) + (i == j);
    for (int e = n * n; e-- > 0;)
        if (t->W[e] != 0) { /* in no good order, in two parts */
            for (int half = 0; half < 2; half++, count++) {
                row[count] = e / n;
                column[count] = e % n;
                value[count] = t->W[e] / 2;
            }
            ck_assert(count <= ROWS * ROWS);
        }
    *sparse = t->problem;
    CHECK_OK(carom_delassus_assemble(sparse, arena, count, row, column, value, &error), error);
}

START_TEST(a_sparse_operator_is_the_dense_one)
{
    bench t;
    carom_problem sparse;
    carom_arena *arena = carom_arena_new(0);
    two_forms(&t, &sparse, arena);
    const carom_problem *dense = &t.problem;
    ck_assert(sparse.W.start[sparse.nblock] < (size_t)(sparse.nblock * sparse.nblock));
    double u[ROWS], q[3], p[3];
    int worst, other, stride, wide;
    ck_assert(carom_problem_residual(dense, t.x, t.u, &worst) == carom_problem_residual(&sparse, t.x, u, &other));
    ck_assert(worst == other);
    ck_assert(carom_problem_scale(dense, t.x) == carom_problem_scale(&sparse, t.x));
    for (int i = 0; i < dense->n; i++)
        ck_assert(t.u[i] == u[i]);
    for (int k = 0; k < dense->nblock; k++) {
        int rows = t.block[k].law->rows, found = 0;
        carom_delassus_others(dense, k, t.x, q);
        carom_delassus_others(&sparse, k, t.x, p);
        ck_assert_mem_eq(q, p, sizeof(double) * (size_t)rows);
        ck_assert(carom_delassus_trace(dense, k) == carom_delassus_trace(&sparse, k));
        carom_neighbour l = {0};
        for (; carom_delassus_next(&sparse, k, &l); found++)
            ck_assert(l.W == carom_delassus_block(&sparse, k, l.block, &stride) && stride == l.stride);
        for (int m = 0; m < dense->nblock; m++) {
            const double *A = carom_delassus_block(dense, k, m, &wide);
            const double *B = carom_delassus_block(&sparse, k, m, &stride);
            found -= B != NULL;
            for (int i = 0; i < rows; i++)
                for (int j = 0; j < t.block[m].law->rows; j++)
                    ck_assert(A[i * wide + j] == (B ? B[i * stride + j] : 0));
        }
        ck_assert_int_eq(found, 0);
    }
    carom_arena_free(arena);
}
END_TEST

START_TEST(a_dump_of_a_sparse_problem_comes_back_sparse)
{
    bench t;
    carom_problem sparse, *back;
    carom_arena *arena = carom_arena_new(0);
    carom_error error;
    double *x, u[ROWS];
    two_forms(&t, &sparse, arena);
    FILE *file = tmpfile();
    CHECK_OK(carom_problem_dump(&sparse, t.x, file), error);
    rewind(file);
    CHECK_OK(carom_problem_read(&back, &x, arena, file, &error), error);
    ck_assert(!back->W.dense);
    ck_assert(back->W.start[back->nblock] == sparse.W.start[sparse.nblock]);
    ck_assert(carom_problem_residual(&t.problem, t.x, t.u, NULL) == carom_problem_residual(back, x, u, NULL));
    ck_assert_mem_eq(u, t.u, sizeof(double) * (size_t)back->n);
    fclose(file);
    carom_arena_free(arena);
}
END_TEST

START_TEST(every_truncated_dump_is_refused)
{
    bench t;
    char *text;
    size_t length;
    sample(&t);
    FILE *file = open_memstream(&text, &length);
    ck_assert_int_eq(carom_problem_dump(&t.problem, t.x, file), CAROM_OK);
    fclose(file);
    carom_error error;
    CHECK_OK(read_text(text, length, &error), error);
    for (size_t cut = 0; cut + 1 < length; cut++)
        ck_assert_msg(read_text(text, cut, &error) == CAROM_FILE, "accepted when cut after %zu of %zu", cut, length);
    free(text);
}
END_TEST

TEST_MAIN("problem", pinned_blocks_have_their_own_residual, x0_counts_in_the_law_but_not_in_u,
          the_worst_block_is_named_and_nan_is_infinite, the_scale_is_the_largest_term,
          blocks_of_large_numbers_do_not_hide_errors_in_small_ones,
          the_residual_does_not_depend_on_units_of_mass, a_dump_comes_back_to_the_last_bit,
          damaged_files_are_refused_with_their_line, an_empty_problem_comes_back,
          every_truncated_dump_is_refused, a_sparse_operator_is_the_dense_one,
          a_dump_of_a_sparse_problem_comes_back_sparse)
