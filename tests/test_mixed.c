/* test_mixed.c: the scheme `mixed`: Runge-Kutta steps of constant length that keep their order through events. */
#include <string.h>

#include "schemes/tableau.h"
#include "stepping.h"

/* ---- order conditions: Phi(tree) = 1/gamma(tree) for all rooted trees --------------------------------------- */
enum { NODES = 6 };

/* Trees as sequences of levels (T. Beyer, S. M. Hedetniemi, SIAM J. Comput. 9 (1980) 706-712): the next one, or false. */
static bool next_tree(int n, int *level)
{
    int p = n - 1, q;
    while (p > 0 && level[p] == 1)
        p--;
    if (p <= 0)
        return false;
    for (q = p - 1; level[q] != level[p] - 1; q--)
        ;
    for (int i = p; i < n; i++)
        level[i] = level[i - (p - q)];
    return true;
}

/* product over the children of node of sum_j a_ij Phi_j(child), and gamma; the size of the subtree. */
static int weights(const carom_tableau *T, int n, const int *level, int node, double *phi, double *gamma)
{
    int size = 1;
    for (int i = 0; i < T->stages; i++)
        phi[i] = 1;
    *gamma = 1;
    for (int k = node + 1; k < n && level[k] > level[node]; k++) {
        double below[CAROM_TABLEAU_STAGES], g;
        if (level[k] != level[node] + 1)
            continue;
        size += weights(T, n, level, k, below, &g);
        *gamma *= g;
        for (int i = 0; i < T->stages; i++)
            phi[i] *= carom_dot(T->stages, T->a[i], below);
    }
    *gamma *= size;
    return size;
}

/* The largest violation of a condition of this order; *trees: how many there are. */
static double violation(const carom_tableau *T, int order, int *trees)
{
    int level[NODES];
    double most = 0;
    *trees = 0;
    for (int i = 0; i < order; i++)
        level[i] = i;
    do {
        double phi[CAROM_TABLEAU_STAGES], gamma;
        ck_assert_int_eq(weights(T, order, level, 0, phi, &gamma), order);
        most = fmax(most, fabs(carom_dot(T->stages, T->b, phi) - 1 / gamma));
        ++*trees;
    } while (next_tree(order, level));
    return most;
}

START_TEST(every_tableau_meets_the_conditions_of_its_order_and_not_of_the_next)
{
    static const int known[] = {0, 1, 1, 2, 4, 9, 20};
    char names[200] = "";
    for (int i = 0; carom_tableau_list(i); i++) {
        const carom_tableau *T = carom_tableau_list(i);
        int trees;
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? " " : "", T->name);
        for (int p = 1; p <= NODES; p++) {
            double most = violation(T, p, &trees);
            ck_assert_int_eq(trees, known[p]);
            ck_assert_msg(p > T->order || most < 1e-15, "%s: order %d violated by %g", T->name, p, most);
            ck_assert_msg(p != T->order + 1 || most > 1e-5, "%s: also of order %d", T->name, p);
        }
        for (int k = 0; k < T->stages; k++) {
            double sum = 0;
            for (int j = 0; j < T->stages; j++) {
                sum += T->a[k][j];
                ck_assert(T->implicit || j < k || T->a[k][j] == 0);
            }
            CHECK_NEAR(sum, T->c[k], 4e-16);
        }
    }
    ck_assert_str_eq(names, CAROM_TABLEAU_NAMES);
}
END_TEST

/* ---- through impacts ---------------------------------------------------------------------------------------- */
static void exact_elastic(double t, double *q, double *v) /* the oscillator of reference.h with e = 0.9 */
{
    const double a = 0.1, w = sqrt(10 - 0.01), first = (M_PI - atan(w / a)) / w;
    exact_oscillator(t, q, v);
    for (double at = first; t >= at; at += M_PI / w)
        *q *= 1.8, *v *= 1.8;
}

/* m = 1, c = .2, k = 10, a constant force -5 from 1, e = 1/2: impacts accumulate near 1.7367, then it rests. */
static void exact_resting(double t, double *q, double *v)
{
    const double a = 0.1, w = sqrt(10 - 0.01), c = -0.5;
    double x0 = 1 - c, v0 = 0, from = 0;
    for (int impacts = 0; impacts < 60; impacts++) {
        double B = (v0 + a * x0) / w, low = impacts ? 0 : 0.1, high;
        /* the velocity vanishes once, then the mass falls to 0: bracket behind the apex */
        double apex = impacts ? atan2(v0, (a * v0 + 10 * x0) / w) / w : 0.1;
        low = apex, high = apex + 0.75 * M_PI / w;
        for (int k = 0; k < 200; k++) {
            double s = 0.5 * (low + high);
            *(c + exp(-a * s) * (x0 * cos(w * s) + B * sin(w * s)) > 0 ? &low : &high) = s;
        }
        double s = t - from < low ? t - from : low, E = exp(-a * s);
        *q = c + E * (x0 * cos(w * s) + B * sin(w * s));
        *v = E * ((w * B - a * x0) * cos(w * s) - (w * x0 + a * B) * sin(w * s));
        if (t - from < low)
            return;
        from += low;
        x0 = -c, v0 = -0.5 * *v;
    }
    *q = *v = 0;
}

static double largest_error(const carom_model *m, const char *rk, exact_solution *exact, int N, double T)
{
    char spec[40];
    snprintf(spec, sizeof spec, "mixed:rk=%s", rk);
    carom_sim *sim = start(m, spec, T / N);
    double most = 0, q, v;
    for (int k = 0; k < N; k++) {
        STEP(sim);
        const carom_state *s = carom_sim_state(sim);
        exact(s->t, &q, &v);
        most = fmax(most, fabs(s->q[0] - q));
    }
    carom_sim_free(sim);
    return most;
}

START_TEST(errors_are_those_of_the_table)
{
    static const struct { const char *rk; double e[4]; } table[] = {
        {"lobatto-a2", {1.70e-6, 3.86e-4, 1.13e-3, 4.09e-4}}, {"radau3", {2.57e-8, 2.14e-6, 8.45e-6, 3.87e-6}},
        {"lobatto-a4", {3.89e-10, 1.50e-8, 4.45e-8, 1.68e-8}}, {"radau5", {5.87e-12, 4.73e-11, 1.97e-10, 8.02e-11}},
        {"lobatto-a6", {8.9e-14, 3.6e-13, 1.17e-12, 4.1e-13}}, {"lobatto-c2", {1.70e-6, 7.61e-4, 2.22e-3, 8.36e-4}},
        {"lobatto-c4", {3.89e-10, 2.11e-8, 6.14e-8, 2.42e-8}}, {"gauss2", {1.70e-6, 3.86e-4, 1.13e-3, 4.09e-4}},
        {"gauss4", {3.89e-10, 1.50e-8, 4.45e-8, 1.68e-8}}, {"gauss6", {8.9e-14, 3.6e-13, 1.17e-12, 4.1e-13}},
        {"erk2", {1.70e-6, 7.67e-4, 2.23e-3, 7.86e-4}}, {"erk3", {2.57e-8, 6.53e-6, 2.54e-5, 1.20e-5}},
        {"erk4", {3.89e-10, 8.78e-8, 2.57e-7, 9.52e-8}}, {"erk5", {5.87e-12, 9.71e-11, 3.87e-10, 1.76e-10}},
    };
    point_store store[4];
    const carom_model models[] = {point_model(&store[0], 1, -2, 0, 0, 0.5, 1, 0), point_model(&store[1], 1, 0, 10, 0.2, 0.5, 1, 0),
                                  point_model(&store[2], 1, 0, 10, 0.2, 0.9, 1, 0),
                                  point_model(&store[3], 1, -5, 10, 0.2, 0.5, 1, 0)};
    exact_solution *const exact[] = {exact_ball, exact_oscillator, exact_elastic, exact_resting};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        for (int m = 0; m < 4; m++) {
            double e = largest_error(&models[m], table[i].rk, exact[m], 331, 5);
            printf("%-10s %d: %.2e, table %.2e\n", table[i].rk, m, e, table[i].e[m]);
            ck_assert_msg(e <= 2 * table[i].e[m] + 2e-15, "%s on system %d: %g, the table has %g", table[i].rk, m, e, table[i].e[m]);
        }
}
END_TEST

TEST_MAIN("mixed", every_tableau_meets_the_conditions_of_its_order_and_not_of_the_next, errors_are_those_of_the_table)
