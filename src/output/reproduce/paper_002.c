/* paper_002.c: the experimental convergence analysis of the Galerkin schemes, their orders, and their linear
 * members. */
#include <math.h>
#include <stdio.h>

#include "output/reproduce/reproduce.h"

#define POWERS {0x1p-2, 0x1p-3, 0x1p-4, 0x1p-5, 0x1p-6, 0x1p-7, 0x1p-8, 0x1p-9, 0x1p-10}
static const char *const moreau[] = {"moreau-jean:theta=1"};
static const char *const galerkin[] = {"dg-minus:degree=1", "dg-plus:degree=1", "dg-minus:degree=2"};

/* ---- section 4 ---- */

/* What is zero stays zero to the last bit. */
static carom_status resolved(carom_findings *f, const char *what, const char *model, const char *parameters,
                             const char *const *norms, int nnorm, carom_error *error)
{
    static const char *const schemes[] = {"moreau-jean:theta=1", "dg-minus:degree=1", "dg-plus:degree=1"};
    for (int k = 0; k < CAROM_COUNT(schemes); k++) {
        char text[200];
        snprintf(text, sizeof text, "%s, %s", what, schemes[k]);
        const carom_exactness e = {text, model, parameters, "t_end=1 h=0.0625", schemes[k], norms, nnorm, 1e-15};
        CAROM_TRY(carom_find_exactness(f, &e, error));
    }
    return CAROM_OK;
}

static carom_status free_flight(carom_findings *f, carom_error *error)
{
    static const double h[] = POWERS, first[] = {1, 1}, higher[] = {2, 2, 2, 2, 4, NAN};
    static const char *const stairs[] = {"step-L1.q", "step-L1.v"}, *const dense[] = {"L1.q", "L1.v"},
                             *const interaction[] = {"max.i"};
    static const double known[2][9] = {{3.411458e-1, NAN, NAN, NAN, 1.343413e-2, NAN, NAN, NAN, 8.153931e-4},
                                       {1.119792, NAN, NAN, NAN, 5.310694e-2, NAN, NAN, NAN, 3.259184e-3}};
    static const double known_dense[6][9] = {{1.204427e-2, NAN, NAN, NAN, 6.624560e-5, NAN, NAN, NAN, 2.645218e-7},
                                             {7.284367e-2, NAN, NAN, NAN, 3.122924e-4, NAN, NAN, NAN, 1.226859e-6},
                                             {2.506510e-2, NAN, NAN, NAN, 6.942451e-5, NAN, NAN, NAN, 2.652979e-7},
                                             {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN},
                                             {1.627604e-4, NAN, NAN, NAN, 2.483527e-9, NAN, NAN, NAN, NAN},
                                             {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN}};
    const carom_comparison one = {.figure = "Free flight",
                                  .model = "free-flight",
                                  .parameters = "q.q=11",
                                  .settings = "t_end=1",
                                  .schemes = moreau,
                                  .norms = stairs,
                                  .h = h,
                                  .nscheme = 1,
                                  .nnorm = 2,
                                  .nh = 9,
                                  .shifts = 1,
                                  .expected = first,
                                  .slack = .2,
                                  .known = known[0],
                                  .within = 2e-6};
    CAROM_TRY(carom_find_orders(f, &one, error));
    carom_comparison two = one;
    two.schemes = galerkin, two.nscheme = 3, two.norms = dense, two.expected = higher, two.known = known_dense[0];
    CAROM_TRY(carom_find_orders(f, &two, error));
    return resolved(f, "largest interaction", "free-flight", "q.q=11", interaction, 1, error);
}

/* At rest under a harmonic force, until it takes off. */
static carom_status interaction_orders(carom_findings *f, carom_error *error)
{
    static const char *const schemes[] = {"dg-minus:degree=1", "dg-minus:degree=2", "dg-minus:degree=3",
                                          "dg-minus:degree=4", "dg-plus:degree=1",  "dg-plus:degree=2",
                                          "dg-plus:degree=3",  "dg-plus:degree=4"},
                             *const norm[] = {"L1.i"};
    static const double h[] = {0.5, 0.25, 0.125}, order[] = {2, 4, 4, 6, 2, 4, 4, 6};
    const carom_comparison c = {.model = "take-off",
                                .settings = "t_end=5",
                                .schemes = schemes,
                                .norms = norm,
                                .h = h,
                                .nscheme = 8,
                                .nnorm = 1,
                                .nh = 3,
                                .shifts = 1,
                                .expected = order,
                                .slack = .05,
                                .figure = "Interaction at rest under a harmonic force"};
    return carom_find_orders(f, &c, error);
}

static carom_status rest_phase(carom_findings *f, carom_error *error)
{
    static const double h[] = POWERS, first[] = {1}, second[] = {2, 2, NAN};
    static const char *const stairs[] = {"step-L1.i"}, *const dense[] = {"L1.i"}, *const state[] = {"max.q", "max.v"};
    static const double known[9] = {1.119792, NAN, NAN, NAN, 5.310694e-2, NAN, NAN, NAN, 3.259184e-3};
    double parabola[27];
    for (int i = 0; i < 27; i++)
        parabola[i] = i < 18 ? 5 * h[i % 9] * h[i % 9] / 6 : NAN; /* both families of degree one */
    const carom_comparison one = {.figure = "Rest phase",
                                  .model = "rest-phase",
                                  .settings = "t_end=1",
                                  .schemes = moreau,
                                  .norms = stairs,
                                  .h = h,
                                  .nscheme = 1,
                                  .nnorm = 1,
                                  .nh = 9,
                                  .shifts = 1,
                                  .expected = first,
                                  .slack = .2,
                                  .known = known,
                                  .within = 2e-6};
    CAROM_TRY(carom_find_orders(f, &one, error));
    carom_comparison two = one;
    two.schemes = galerkin, two.nscheme = 3, two.norms = dense, two.expected = second, two.known = parabola;
    CAROM_TRY(carom_find_orders(f, &two, error));
    CAROM_TRY(interaction_orders(f, error));
    return resolved(f, "largest position and velocity", "rest-phase", NULL, state, 2, error);
}

static carom_status combined(carom_findings *f, carom_error *error)
{
    static const double h[] = {.9 * 0x1p-4, .9 * 0x1p-5, .9 * 0x1p-6, .9 * 0x1p-7,
                               .9 * 0x1p-8, .9 * 0x1p-9, .9 * 0x1p-10},
                        first[] = {1, 1, 1}, both[] = {1, 1, 1, 1, 1, 1};
    static const char *const stairs[] = {"step-L1.q", "step-L1.v", "step-L1.i"}, *const dense[] = {"L1.q", "L1.v",
                                                                                                   "L1.i"};
    static const char *const predicted[] = {"moreau-jean:theta=1:gamma=1"};
    static const double known[] = {3.468e-3, 2.398e-2, 2.128e-2},
                        known_both[] = {7.005248e-4, 6.958993e-3, 6.958993e-3, 7.035972e-4, 9.519323e-3, 6.958993e-3},
                        least[] = {.8, .8, .8, .8, .7, .8}, most[] = {1.25, 1.2, 1.2, 1.25, 1.25, 1.2};
    carom_comparison c = {.figure = "Combined analysis",
                          .model = "ball",
                          .settings = "t_end=3.6",
                          .schemes = predicted,
                          .norms = stairs,
                          .h = h,
                          .nscheme = 1,
                          .nnorm = 3,
                          .nh = 7,
                          .shifts = f->quick ? 5 : 9,
                          .expected = first,
                          .slack = .2};
    carom_comparison one = c;
    one.h = &h[5], one.nh = one.shifts = 1, one.known = known, one.within = 2e-3;
    CAROM_TRY(carom_find_orders(f, &c, error));
    CAROM_TRY(carom_find_orders(f, &one, error));
    c.schemes = one.schemes = galerkin, c.nscheme = one.nscheme = 2, c.norms = one.norms = dense;
    c.expected = both, c.least = least, c.most = most, one.known = known_both, one.within = 2e-6;
    CAROM_TRY(carom_find_orders(f, &c, error));
    return carom_find_orders(f, &one, error);
}

/* ---- Theorem 4.1 ---- */

static carom_status theorem(carom_findings *f, carom_error *error)
{
    static const char *const names[2][8] = {
        {"dg-minus:degree=1", "dg-minus:degree=2", "dg-minus:degree=3", "dg-minus:degree=4", "dg-minus:degree=5",
         "dg-minus:degree=6", "dg-minus:degree=7",
         "dg-minus:degree=8"},
        {"dg-plus:degree=1", "dg-plus:degree=2", "dg-plus:degree=3", "dg-plus:degree=4", "dg-plus:degree=5",
         "dg-plus:degree=6", "dg-plus:degree=7",
         "dg-plus:degree=8"}};
    static const double order[8] = {2, 4, 4, 6, 6, 8, 8, 10};
    static const double h[8][5] = {{.04, .03, .02, .015, .01}, {.2, .15, .12, .1, .08}, {.2, .15, .12, .1, .08},
                                   {.5, .4, .3, .25, .2},      {.5, .4, .3, .25, .2},   {1, .75, .6, .5, .4},
                                   {1, .75, .6, .5, .4},       {1.2, 1, .75, .6, .5}};
    static const char *const norms[] = {"grid-max.q"};
    for (int family = 0; family < 2; family++)
        for (int degree = 1; degree <= 8; degree++) {
            const carom_comparison c = {.model = "linear-oscillator",
                                        .parameters = "q.q=100 f=1000 k=4",
                                        .settings = "t_end=6",
                                        .schemes = &names[family][degree - 1],
                                        .norms = norms,
                                        .h = h[degree - 1],
                                        .nscheme = 1,
                                        .nnorm = 1,
                                        .nh = 5,
                                        .shifts = 3,
                                        .expected = &order[degree - 1],
                                        .slack = degree > 5 ? .8 : .3};
            CAROM_TRY(carom_find_orders(f, &c, error));
            if (f->go_on && !f->go_on(f->user))
                return CAROM_INTERRUPTED;
        }
    return CAROM_OK;
}

/* ---- Algorithms 3.3 and 3.4 by hand, on x'' = -10 x - 0.2 x' ---- */

static double acceleration(double q, double v)
{
    return -10 * q - 0.2 * v;
}

static void step_minus(double h, double *q, double *v) /* Algorithm 3.4 */
{
    const double a = acceleration(*q, *v), stage = *v + h * a;
    *q += h / 2 * (*v + stage);
    *v += h / 2 * (a + acceleration(*q, stage));
}

static void step_plus(double h, double *q, double *v) /* Algorithm 3.3, its equations solved by repetition */
{
    double first = *v, second = *v, end = *q;
    for (int k = 0; k < 60; k++) {
        end = *q + h / 2 * (first + second);
        const double a = acceleration(*q, first), b = acceleration(end, second);
        first = *v + h / 2 * (a - b);
        second = *v + h / 2 * (a + b);
    }
    *q = end, *v = second;
}

static carom_status algorithms(carom_findings *f, carom_error *error)
{
    enum { STEPS = 20 };
    static const char *const settings[] = {"scheme=dg-minus:degree=1 h=0.02 t_end=1e-9 newton_tol=1e-15",
                                           "scheme=dg-plus:degree=1 h=0.02 t_end=1e-9 newton_tol=1e-15"};
    for (int k = 0; k < 2; k++) {
        carom_run_log record = {0};
        double q = 1, v = 0, off = 0;
        carom_status status = carom_run_log_make(&record, "linear-oscillator", NULL, settings[k], error);
        if (status == CAROM_OK)
            status = carom_sim_restart(record.sim, NULL, NULL, NULL);
        for (int n = 0; status == CAROM_OK && n < STEPS; n++) {
            (k ? step_plus : step_minus)(0.02, &q, &v);
            status = carom_sim_step(record.sim);
            off = fmax(off,
                       fmax(fabs(carom_sim_state(record.sim)->q[0] - q), fabs(carom_sim_state(record.sim)->v[0] - v)));
        }
        if (status != CAROM_OK && record.sim)
            *error = *carom_sim_error(record.sim);
        carom_run_log_free(&record);
        CAROM_TRY(status);
        carom_find_check(f, k ? "D+ of degree 1 and Algorithm 3.3: largest difference in 20 steps" :
                         "D- of degree 1 and Algorithm 3.4: largest difference in 20 steps", off, 0, 1e-12);
    }
    return CAROM_OK;
}

const carom_entry carom_entries_002[] = {
    {"002-alg", "002", "Algorithms 3.3 and 3.4: the linear members",
     "For linear velocities the families D+ and D- reduce to two trapezoidal rules, Algorithms 3.3 and 3.4.", NULL,
     NULL, "linear-oscillator", "carom run linear-oscillator --scheme dg-minus:degree=1 --h 0.02 --t-end 0.4", true,
     algorithms},
    {"002-fig5", "002", "Figure 5: free flight",
     "The state is of order two for Algorithm 3.4 and of order one for Algorithm 1.4 with theta = 1. The interaction "
     "is zero and resolved exactly.",
     "Errors are those of the functions that the schemes mean: velocities of Moreau-Jean are constant in a step. The "
     "motion starts at q = 11 instead of 1, so that the coarsest steps of Moreau-Jean do not reach the ground.",
     NULL, "free-flight",
     "carom converge free-flight -p q.q=11 --t-end 1 --schemes dg-minus:degree=1,dg-plus:degree=1,dg-minus:degree=2 "
     "--h 0.25,0.125,0.0625,0.03125 --norms L1.q,L1.v",
     true, free_flight},
    {"002-fig6", "002", "Figure 6: rest phase",
     "The interaction is of order two for Algorithm 3.4 and of order one for Algorithm 1.4 with theta = 1. The state "
     "is zero and resolved exactly.",
     "The interaction is a polynomial of degree M + 1 in each step, piecewise quadratic for Algorithm 3.4: its error "
     "is 5 h^2/6. Under a harmonic force its order is that of the nodes, 2 4 4 6 for M = 1 ... 4.",
     NULL, "rest-phase",
     "carom converge rest-phase --t-end 1 --schemes dg-minus:degree=1,dg-plus:degree=1 --h 0.25,0.125,0.0625,0.03125 "
     "--norms L1.i",
     true, rest_phase},
    {"002-fig7", "002", "Figure 7: combined analysis",
     "The global error of state and interaction is of order one for both Algorithm 3.4 and Algorithm 1.4 with theta = "
     "1.",
     "With h = 2^-k every impact of this ball falls on a node and D- looks better than it is. Steps h = 0.9 2^-k and "
     "others near them, until t = 3.6, show order one. (85) leaves out the reaction at rest: after t = 3 it is 2, and "
     "the interaction is 6 + 2 (t - 3). Algorithm 1.4 does not say when a contact is active for theta > 0: here, when "
     "the gap predicted to the end of the step is not positive (gamma = 1).",
     NULL, "ball",
     "carom converge ball --t-end 3.6 --schemes dg-minus:degree=1 --h 0.05625,0.028125,0.0140625,0.00703125 --norms "
     "L1.q,L1.v,L1.i",
     true, combined},
    {"002-thm4.1", "002", "Theorem 4.1: orders of the degrees 1 to 8",
     "With Clenshaw-Curtis quadrature the order of the local error is M + 1.",
     "Even degrees gain one order by symmetry: at the nodes the global orders for M = 1 ... 8 are 2 4 4 6 6 8 8 10. "
     "The highest ones come close to rounding after few steps.",
     NULL, "linear-oscillator",
     "carom converge linear-oscillator -p q.q=100 -p f=1000 -p k=4 --t-end 6 --schemes dg-minus:degree=2,"
     "dg-minus:degree=6 "
     "--h 0.5,0.4,0.3,0.25 --norms grid-max.q",
     true, theorem},
    {.id = NULL},
};
