/* test_structure.c: larger systems with few entries: factors of bands and skylines against dense ones, the order of
 * unknowns, and a chain of beads whose order of coordinates does not matter. */
#include <string.h>

#include "carom.h"
#include "core/band.h"
#include "core/dense.h"
#include "model/structure.h"
#include "testing.h"

enum { N = 30 };

static double noise(unsigned long *seed) /* uniform in (-1, 1) */
{
    *seed = *seed * 6364136223846793005UL + 1442695040888963407UL;
    return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

/* A band in both storages; dominance > 0: nothing is swapped. */
static void fill_band(int n, int lower, int upper, double dominance, double *dense, double *band, unsigned long *seed)
{
    size_t width = carom_band_width(lower, upper);
    memset(dense, 0, sizeof *dense * (size_t)(n * n));
    memset(band, 0, sizeof *band * (size_t)n * width);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (j - i <= upper && i - j <= lower)
                dense[i * n + j] = band[(size_t)i * width + (size_t)(lower + j - i)] =
                    noise(seed) + (i == j) * dominance;
}

START_TEST(a_band_has_the_bits_of_a_dense_factor_where_nothing_is_swapped)
{
    unsigned long seed = 3;
    for (int lower = 0; lower < 6; lower++)
        for (int upper = 0; upper < 6; upper++) {
            double A[N * N], B[N * 20], x[N], y[N];
            int pivot[N], pivot_band[N];
            bool swapped;
            fill_band(N, lower, upper, 20, A, B, &seed);
            for (int i = 0; i < N; i++)
                x[i] = y[i] = noise(&seed);
            ck_assert(carom_lu(N, A, pivot) && carom_band_lu(N, lower, upper, B, pivot_band, &swapped));
            ck_assert(!swapped);
            carom_lu_solve(N, A, pivot, x);
            carom_band_lu_solve(N, lower, upper, B, pivot_band, swapped, y);
            for (int i = 0; i < N; i++)
                ck_assert_msg(x[i] == y[i], "x[%d]: %.17g and %.17g", i, x[i], y[i]);
        }
}
END_TEST

START_TEST(a_band_with_swapped_rows_is_solved)
{
    unsigned long seed = 4;
    int swaps = 0;
    for (int lower = 0; lower < 6; lower++)
        for (int upper = 0; upper < 6; upper++) {
            double A[N * N], B[N * 20], x[N], y[N];
            int pivot[N];
            bool swapped;
            fill_band(N, lower, upper, lower ? 0.3 : 2, A, B, &seed);
            for (int i = 0; i < N; i++)
                x[i] = noise(&seed);
            carom_multiply(N, N, A, x, y);
            ck_assert(carom_band_lu(N, lower, upper, B, pivot, &swapped));
            carom_band_lu_solve(N, lower, upper, B, pivot, swapped, y);
            double residual = 0;
            for (int i = 0; i < N; i++)
                residual = fmax(residual, fabs(carom_dot(N, A + i * N, y) - carom_dot(N, A + i * N, x)));
            CHECK_AT_MOST(residual, 1e-12 * (1 + carom_norm_max(N, y)));
            swaps += swapped;
        }
    ck_assert_int_ge(swaps, 20);
}
END_TEST

START_TEST(a_singular_band_and_an_indefinite_skyline_are_refused)
{
    double B[2 * 4] = {0, 1, 2, 0, 2, 4, 0, 0}; /* 1 2; 2 4, lower and upper 1 */
    int pivot[4], first[2] = {0, 0};
    bool swapped;
    ck_assert(!carom_band_lu(2, 1, 1, B, pivot, &swapped));
    double A[3] = {1, 2, 3}; /* 1 2; 2 3 */
    size_t start[3] = {0, 1, 3};
    ck_assert(!carom_skyline_cholesky(2, first, start, A));
}
END_TEST

START_TEST(a_skyline_has_the_bits_of_a_dense_factor)
{
    unsigned long seed = 5;
    double A[N * N] = {0}, S[N * N], x[N], y[N];
    int first[N];
    size_t start[N + 1] = {0};
    for (int i = 0; i < N; i++) {
        first[i] = i - (int)(fabs(noise(&seed)) * (i + 1)) % (i + 1);
        start[i + 1] = start[i] + (size_t)(i - first[i] + 1);
        for (int j = first[i]; j <= i; j++)
            A[i * N + j] = A[j * N + i] = noise(&seed) + (i == j) * 30;
        for (int j = first[i]; j <= i; j++)
            S[start[i] + (size_t)(j - first[i])] = A[i * N + j];
        x[i] = y[i] = noise(&seed);
    }
    ck_assert(carom_cholesky(N, A) && carom_skyline_cholesky(N, first, start, S));
    carom_cholesky_solve(N, A, x);
    carom_skyline_solve(N, first, start, S, y);
    for (int i = 0; i < N; i++)
        ck_assert_msg(x[i] == y[i], "x[%d]: %.17g and %.17g", i, x[i], y[i]);
}
END_TEST

/* Widest distance of two neighbours in the order. */
static int width_of(int n, const unsigned char *near, const int *order)
{
    int most = 0;
    for (int k = 0; k < n; k++)
        for (int l = 0; l < n; l++)
            if (near[order[k] * n + order[l]] && k - l > most)
                most = k - l;
    return most;
}

START_TEST(the_order_undoes_a_shuffle_of_chains_and_rings)
{
    unsigned char chain[N * N] = {0}, ring[N * N] = {0};
    int order[N], work[N], seen[N] = {0};
    for (int i = 0; i < N; i++) {
        int a = i * 7 % N, b = (i + 1) * 7 % N;
        ring[a * N + b] = ring[b * N + a] = 1;
        if (i + 1 < N && i != 11) /* two chains */
            chain[a * N + b] = chain[b * N + a] = 1;
    }
    carom_band_order(N, chain, order, work);
    ck_assert_int_eq(width_of(N, chain, order), 1);
    for (int i = 0; i < N; i++)
        ck_assert_int_eq(seen[order[i]]++, 0);
    carom_band_order(N, ring, order, work);
    ck_assert_int_eq(width_of(N, ring, order), 2);
}
END_TEST

/* ---- a chain of beads, springs and contacts between neighbours, its coordinates in the order i*stride mod n ---- */

typedef struct text {
    char bytes[20000];
    size_t used;
} text;
#define APPEND(t, ...)                                                                             \
    ((t)->used += (size_t)snprintf((t)->bytes + (t)->used, sizeof (t)->bytes - (t)->used, __VA_ARGS__))

static carom_model *chain(int n, int stride, const char *force)
{
    static text t;
    carom_model *model;
    carom_error error;
    t.used = 0;
    APPEND(&t, "carom: 1\nname: chain\nparameters: {k: 400, c: 0.3, d: 0.02, e: 0.5}\ncoordinates: {");
    for (int i = 0; i < n; i++)
        APPEND(&t, "%sx%d: 0", i ? ", " : "", i * stride % n);
    APPEND(&t, "}\nvelocities: {");
    for (int i = 0; i < n; i++)
        APPEND(&t, "%sx%d: sin(%d)", i ? ", " : "", i, i);
    APPEND(&t, "}\nkinetic: (0");
    for (int i = 0; i < n; i++)
        APPEND(&t, " + (1 + %d/50)*x%d'^2", i, i);
    APPEND(&t, ")/2\npotential: k*(x0^2");
    for (int i = 1; i < n; i++)
        APPEND(&t, " + (x%d - x%d)^2", i, i - 1);
    APPEND(&t, ")/2\nforces: {x%d: %s}\ncontacts:\n", n - 1, force);
    for (int i = 1; i < n; i++)
        APPEND(&t, "  c%d: {gap: d + x%d - x%d, restitution: e}\n", i, i, i - 1);
    CHECK_OK(carom_model_parse(&model, "chain", t.bytes, t.used, NULL, &error), error);
    return model;
}

static void run(const carom_model *model, const char *scheme, double *q, long *impacts)
{
    carom_sim *sim;
    carom_error error;
    carom_options o = carom_options_default();
    o.h = 1e-3;
    CHECK_OK(carom_options_set(&o, "scheme", scheme, &error), error);
    CHECK_OK(carom_sim_new(&sim, model, &o, &error), error);
    CHECK_OK(carom_sim_run(sim, 0.2), *carom_sim_error(sim));
    memcpy(q, carom_sim_state(sim)->q, sizeof *q * (size_t)model->nq);
    *impacts = carom_sim_info(sim)->events[CAROM_EVENT_IMPACT];
    carom_sim_free(sim);
}

START_TEST(the_order_of_coordinates_does_not_matter)
{
    static const char *const schemes[] = {"moreau-jean", "moreau-jean-projected", "schatzman-paoli", "kern"};
    enum { BEADS = 40, STRIDE = 7 };
    static const char *const forces[] = {"sin(7*t)", "\"sin(7*t) - c*x39'*abs(x39')\""}; /* constant R_v, and not */
    for (int f = 0; f < 2; f++) {
        carom_model *straight = chain(BEADS, 1, forces[f]), *mixed = chain(BEADS, STRIDE, forces[f]);
        const carom_structure *a = carom_model_structure(straight), *b = carom_model_structure(mixed);
        ck_assert_int_eq(a->lower, 1);
        ck_assert_int_eq(b->lower, 1);
        ck_assert_int_eq(a->order[5], 5);
        ck_assert_int_eq(!!(straight->constant & CAROM_R_V), f == 0);
        ck_assert(straight->constant & CAROM_R_Q);
        for (int k = 0; k < 4; k++) {
            double q[BEADS], y[BEADS];
            long impacts, other;
            run(straight, schemes[k], q, &impacts);
            run(mixed, schemes[k], y, &other);
            ck_assert_int_gt(impacts, 20);
            ck_assert_int_eq(impacts, other);
            for (int i = 0; i < BEADS; i++)
                CHECK_NEAR(y[i], q[i * STRIDE % BEADS], 1e-11);
        }
        carom_model_free(straight);
        carom_model_free(mixed);
    }
}
END_TEST

TEST_MAIN("structure", a_band_has_the_bits_of_a_dense_factor_where_nothing_is_swapped,
          a_band_with_swapped_rows_is_solved, a_singular_band_and_an_indefinite_skyline_are_refused,
          a_skyline_has_the_bits_of_a_dense_factor, the_order_undoes_a_shuffle_of_chains_and_rings,
          the_order_of_coordinates_does_not_matter)
