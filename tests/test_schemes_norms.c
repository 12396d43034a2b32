/* test_schemes_norms.c: how the velocity converges through impacts, for every registered scheme: with order one or
 * more in the Hausdorff distance of the filled-in graphs, and not at all in the maximum norm where an impact falls on
 * different nodes. */
#include "carom_analysis.h"
#include "core/core.h"
#include "stepping.h"

enum { ROOM = 40000 };

typedef struct graph { /* a polyline in the plane of time and velocity, monotone in time; jumps are vertical pieces */
    double t[ROOM], x[ROOM];
    int n;
} graph;

static void add(graph *g, double t, double x)
{
    ck_assert_int_lt(g->n, ROOM);
    g->t[g->n] = t, g->x[g->n++] = x;
}

static double distance(const graph *a, const graph *b)
{
    const carom_graph ga = {(size_t)a->n, 1, a->t, a->x}, gb = {(size_t)b->n, 1, b->t, b->x};
    carom_hausdorff_bounds bounds;
    carom_error error = {0};
    CHECK_OK(carom_hausdorff(&ga, &gb, 1e-3, &bounds, &error), error);
    return bounds.lower;
}

/* The exact velocity of the ball: straight pieces. */
static void ball_graph(graph *g, double T)
{
    g->n = 0;
    add(g, 0, 0);
    add(g, 1, -2);
    for (double p = 1; p > 1e-6; p /= 2) {
        add(g, 3 - 2 * p, p);
        add(g, 3 - p, -p);
    }
    add(g, 3, 0);
    add(g, T, 0);
}

static void measure(const char *scheme, double h, double *hausdorff, double *maximum)
{
    static graph computed, exact;
    point_store store;
    double T = 4, q, v;
    carom_model ball = point_model(&store, 1, -2, 0, 0, 0.5, 1, 0);
    carom_sim *sim = start(&ball, scheme, h);
    const carom_state *s = carom_sim_state(sim);
    computed.n = 0;
    *maximum = 0;
    add(&computed, 0, 0);
    while (s->t < T - h) {
        STEP(sim);
        add(&computed, s->t, s->v[0]);
        exact_ball(s->t, &q, &v);
        *maximum = fmax(*maximum, fabs(s->v[0] - v));
    }
    ball_graph(&exact, s->t);
    *hausdorff = distance(&computed, &exact);
    carom_sim_free(sim);
}

START_TEST(velocities_converge_in_the_hausdorff_distance_and_not_in_the_maximum_norm)
{
    for (int i = 0; carom_scheme_method(i); i++) {
        enum { N = 5, NEAR = 5 };
        const char *scheme = carom_scheme_method(i)->name;
        double h[N], distance[N], worst = 0, smooth, impact;
        carom_options o = carom_options_default();
        carom_error error;
        CHECK_OK(carom_options_set(&o, "scheme", scheme, &error), error);
        carom_scheme_orders(&o, &smooth, &impact);
        if (impact == 0)
            continue; /* its steps are not of length h */
        for (int k = 0; k < N; k++) {
            h[k] = 0.04 / pow(2, k), distance[k] = 0;
            for (int near = 0; near < NEAR; near++) {
                double d, m;
                measure(scheme, h[k] * (0.9 + 0.0437 * near), &d, &m);
                distance[k] += d / NEAR;
                worst = k == N - 1 ? fmax(worst, m) : worst;
            }
        }
        double order = fitted_order(N, h, distance);
        printf("%-24s Hausdorff %.2e at h = %g, order %.2f; maximum norm still %.2f\n", scheme, distance[N - 1],
               h[N - 1], order, worst);
        CHECK_AT_LEAST(order, 0.7);
        if (impact == 1)
            CHECK_AT_LEAST(worst, 0.5); /* an impact at 1 is a jump by 3, seen one node late */
    }
}
END_TEST

TEST_MAIN("norms of schemes", velocities_converge_in_the_hausdorff_distance_and_not_in_the_maximum_norm)
