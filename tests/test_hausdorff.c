/* test_hausdorff.c: the distance of filled-in graphs: by hand, against brute force, as a metric, and how it grows
 * with n. */
#include <string.h>

#include "carom_analysis.h"
#include "testing.h"

typedef struct line { /* a graph with room for its points */
    carom_graph g;
    double *t, *x;
} line;

static line make(size_t n, int d)
{
    line l = {.t = malloc(sizeof(double) * n), .x = malloc(sizeof(double) * n * (size_t)d)};
    ck_assert_ptr_nonnull(l.x);
    l.g = (carom_graph){n, d, l.t, l.x};
    return l;
}

static void drop(line *l)
{
    free(l->t), free(l->x);
}

static carom_hausdorff_bounds distance(const carom_graph *a, const carom_graph *b, double rtol)
{
    carom_error error = {0};
    carom_hausdorff_bounds r;
    CHECK_OK(carom_hausdorff(a, b, rtol, &r, &error), error);
    CHECK_AT_MOST(r.upper, r.lower * (1 + rtol) * (1 + 1e-12) + 1e-12);
    CHECK_AT_LEAST(r.upper, r.lower);
    return r;
}

static double noise(unsigned long *seed)
{
    *seed = *seed * 6364136223846793005UL + 1442695040888963407UL;
    return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

/* Steps of several lengths, some of them jumps. */
static line random_line(unsigned long *seed, size_t n, int d)
{
    line l = make(n, d);
    double t = 0;
    for (size_t i = 0; i < n; i++) {
        double step = noise(seed);
        t += i > 0 && step > 0 ? step : 0;
        l.t[i] = t;
        for (int k = 0; k < d; k++)
            l.x[i * (size_t)d + (size_t)k] = 1.5 * noise(seed);
    }
    return l;
}

/* ---- brute force: many points of a, ternary search on every piece of b ---- */
static double gap(const carom_graph *g, size_t i, double r, const double *p)
{
    double most = fabs(g->t[i] + r * (g->t[i + 1] - g->t[i]) - p[0]);
    for (int k = 0; k < g->d; k++) {
        double x0 = g->x[i * (size_t)g->d + (size_t)k], x1 = g->x[(i + 1) * (size_t)g->d + (size_t)k];
        most = fmax(most, fabs(x0 + r * (x1 - x0) - p[k + 1]));
    }
    return most;
}

static double brute_point(const carom_graph *b, const double *p)
{
    double best = INFINITY;
    for (size_t i = 0; i + 1 < b->n; i++) {
        double low = 0, high = 1;
        for (int k = 0; k < 80; k++) {
            double l = low + (high - low) / 3, r = high - (high - low) / 3;
            if (gap(b, i, l, p) < gap(b, i, r, p))
                high = r;
            else
                low = l;
        }
        best = fmin(best, gap(b, i, 0.5 * (low + high), p));
    }
    return best;
}

enum { CUTS = 60 };

static double brute_side(const carom_graph *a, const carom_graph *b, double *spacing)
{
    double most = 0, p[8], origin[8] = {0};
    for (size_t i = 0; i + 1 < a->n; i++) {
        for (int c = 0; c <= CUTS; c++) {
            double r = (double)c / CUTS;
            p[0] = a->t[i] + r * (a->t[i + 1] - a->t[i]);
            for (int k = 0; k < a->d; k++) {
                double x0 = a->x[i * (size_t)a->d + (size_t)k], x1 = a->x[(i + 1) * (size_t)a->d + (size_t)k];
                p[k + 1] = x0 + r * (x1 - x0);
            }
            if (c == 0)
                memcpy(origin, p, sizeof p);
            most = fmax(most, brute_point(b, p));
        }
        *spacing = fmax(*spacing, gap(a, i, 1, origin) / CUTS);
    }
    return most;
}

START_TEST(distances_are_what_they_are_by_hand)
{
    const carom_graph a = {4, 1, (const double[]){0, 1, 1, 2}, (const double[]){0, 0, 1, 1}};
    const carom_graph late = {4, 1, (const double[]){0, 1.25, 1.25, 2}, (const double[]){0, 0, 1, 1}};
    const carom_graph high = {4, 1, (const double[]){0, 1, 1, 2}, (const double[]){0, 0, 1.5, 1.5}};
    const carom_graph slanted = {4, 1, (const double[]){0, 0.9, 1.1, 2}, (const double[]){0, 0, 1, 1}};
    CHECK_NEAR(distance(&a, &late, 1e-9).lower, 0.25, 1e-9);
    CHECK_NEAR(distance(&a, &high, 1e-9).lower, 0.5, 1e-9);
    CHECK_NEAR(distance(&a, &a, 1e-9).lower, 0, 0);
    /* from the corner (1, 0) to the line x = 5 (t - 0.9): t = 1 - r, x = r gives r = 1/12 */
    CHECK_NEAR(distance(&a, &slanted, 1e-9).lower, 1.0 / 12, 1e-9);
    const carom_graph twin = {4, 2, (const double[]){0, 1, 1, 2}, (const double[]){0, 3, 0, 3, 1, 3, 1, 3}};
    const carom_graph other = {4, 2, (const double[]){0, 1.25, 1.25, 2},
                               (const double[]){0, 3.1, 0, 3.1, 1, 3.1, 1, 3.1}};
    CHECK_NEAR(distance(&twin, &other, 1e-9).lower, 0.25, 1e-9); /* late by 1/4, and 1/10 apart in another component */
}
END_TEST

START_TEST(brute_force_agrees_for_random_graphs_of_one_to_three_components)
{
    unsigned long seed = 7;
    for (int k = 0; k < 40; k++) {
        int d = 1 + k % 3;
        line a = random_line(&seed, (size_t)(3 + k % 17), d), b = random_line(&seed, (size_t)(2 + k % 13), d);
        double spacing = 0, brute = fmax(brute_side(&a.g, &b.g, &spacing), brute_side(&b.g, &a.g, &spacing));
        carom_hausdorff_bounds r = distance(&a.g, &b.g, 1e-6);
        CHECK_AT_LEAST(r.upper, brute - 1e-12);
        CHECK_AT_MOST(r.lower, brute + 0.5 * spacing);
        drop(&a), drop(&b);
    }
}
END_TEST

START_TEST(it_is_a_metric)
{
    unsigned long seed = 3;
    for (int k = 0; k < 200; k++) {
        int d = 1 + k % 2;
        line a = random_line(&seed, 12, d), b = random_line(&seed, 9, d), c = random_line(&seed, 15, d);
        const double rtol = 1e-8;
        double ab = distance(&a.g, &b.g, rtol).lower, ba = distance(&b.g, &a.g, rtol).lower;
        CHECK_NEAR(ab, ba, 2 * rtol * ab);
        double bc = distance(&b.g, &c.g, rtol).upper, ac = distance(&a.g, &c.g, rtol).lower;
        CHECK_AT_MOST(ac, (distance(&a.g, &b.g, rtol).upper + bc) * (1 + 1e-14));
        CHECK_NEAR(distance(&a.g, &a.g, rtol).lower, 0, 0);
        ck_assert(ab > 0);
        drop(&a), drop(&b), drop(&c);
    }
}
END_TEST

START_TEST(more_points_on_the_same_lines_change_nothing)
{
    unsigned long seed = 11;
    for (int k = 0; k < 50; k++) {
        enum { CUT = 7 };
        line a = random_line(&seed, 14, 2), b = random_line(&seed, 10, 2), fine = make((a.g.n - 1) * CUT + 1, 2);
        for (size_t i = 0; i < fine.g.n; i++) {
            size_t j = i / CUT, next = j + (i % CUT > 0);
            double r = (double)(i % CUT) / CUT;
            fine.t[i] = a.t[j] + r * (a.t[next] - a.t[j]);
            for (size_t c = 0; c < 2; c++)
                fine.x[2 * i + c] = a.x[2 * j + c] + r * (a.x[2 * next + c] - a.x[2 * j + c]);
        }
        CHECK_NEAR(distance(&fine.g, &b.g, 1e-9).lower, distance(&a.g, &b.g, 1e-9).lower, 1e-8);
        CHECK_NEAR(distance(&fine.g, &a.g, 1e-9).upper, 0, 1e-12);
        drop(&a), drop(&b), drop(&fine);
    }
}
END_TEST

/* A velocity with 50 impacts, in n points, late by `late` and off by `off`. */
static line bounces(size_t n, double late, double off, unsigned long *seed)
{
    line l = make(n, 1);
    for (size_t i = 0; i < n; i++) {
        double t = 0.25 + 50.0 * (double)i / (double)(n - 1), phase = fmod(t + 50 - late, 1);
        l.t[i] = t;
        l.x[i] = 4 - 8 * phase + off * noise(seed);
    }
    return l;
}

START_TEST(a_hundred_thousand_points_cost_n_log_n)
{
    unsigned long seed = 5;
    const struct {
        double late, off;
    } cases[] = {{0, 0}, {1e-4, 0}, {1e-3, 1e-3}, {0.1, 0}, {0.5, 1}, {0, 1e-12}};
    for (size_t n = 1000; n <= 100000; n *= 10)
        for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
            line a = bounces(n, 0, 0, &seed), b = bounces(n - 1, cases[k].late, cases[k].off, &seed);
            carom_hausdorff_bounds r = distance(&a.g, &b.g, 1e-3);
            double each = (double)r.operations / (double)n;
            printf("n = %6zu, late %g, off %g: distance %.3e, %.1f operations for each point\n", n, cases[k].late,
                   cases[k].off, r.lower, each);
            CHECK_AT_MOST(each, 15 * log2((double)n));
            drop(&a), drop(&b);
        }
}
END_TEST

START_TEST(graphs_that_are_none_are_refused)
{
    carom_error error = {0};
    carom_hausdorff_bounds r;
    const carom_graph a = {2, 1, (const double[]){0, 1}, (const double[]){0, 1}};
    const carom_graph back = {3, 1, (const double[]){0, 1, 0.5}, (const double[]){0, 1, 1}};
    const carom_graph nan = {2, 1, (const double[]){0, 1}, (const double[]){0, NAN}};
    const carom_graph two = {2, 2, (const double[]){0, 1}, (const double[]){0, 1, 0, 1}};
    const carom_graph one = {1, 1, (const double[]){0}, (const double[]){0}};
    const carom_graph *bad[] = {&back, &nan, &two, &one};
    for (int k = 0; k < 4; k++) {
        ck_assert_int_eq(carom_hausdorff(&a, bad[k], 1e-3, &r, &error), CAROM_BAD_ARGUMENT);
        printf("%s\n", error.text);
    }
}
END_TEST

TEST_MAIN("Hausdorff distance", distances_are_what_they_are_by_hand,
          brute_force_agrees_for_random_graphs_of_one_to_three_components, it_is_a_metric,
          more_points_on_the_same_lines_change_nothing, a_hundred_thousand_points_cost_n_log_n,
          graphs_that_are_none_are_refused)
