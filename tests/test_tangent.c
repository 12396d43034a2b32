/* The tangent against central differences of the flow map, one line of the table of events after the other. */
#include <string.h>

#include "carom_analysis.h"
#include "testing.h"

enum { NX = 16, NP = 8 };

typedef struct flow_test { /* a model, a time, and what is expected of the tangent there */
    const char *text;
    double t_end, delta; /* of the differences */
    bool exact;          /* by scheme exact, too */
} flow_test;

static carom_model *load(const char *text)
{
    carom_error error = {0};
    carom_model *model;
    CHECK_OK(carom_model_parse(&model, "test", text, strlen(text), NULL, &error), error);
    return model;
}

static carom_sim *new_sim(const carom_model *model, const char *scheme, double t_end, double rtol)
{
    carom_error error = {0};
    carom_options options = carom_options_default();
    carom_sim *sim;
    CHECK_OK(carom_options_set(&options, "scheme", scheme, &error), error);
    options.rtol = rtol, options.atol = rtol / 10, options.t_end = t_end;
    CHECK_OK(carom_sim_new(&sim, model, &options, &error), error);
    return sim;
}

/* The flow map of a perturbed start. */
static void flow(carom_sim *sim, const carom_model *m, const double *direction, double s, double t_end, double *x)
{
    double y[NX + NP];
    memcpy(y, m->q, sizeof(double) * (size_t)m->nq);
    for (int i = 0; i < m->nv; i++)
        y[m->nq + i] = m->v ? m->v[i] : 0;
    for (int i = 0; i < m->np; i++)
        y[m->nq + m->nv + i] = m->p[i];
    for (int i = 0; i < m->nq + m->nv + m->np; i++)
        y[i] += s * direction[i];
    CHECK_OK(carom_sim_restart(sim, y, y + m->nq, m->np ? y + m->nq + m->nv : NULL), *carom_sim_error(sim));
    CHECK_OK(carom_sim_run(sim, t_end), *carom_sim_error(sim));
    memcpy(x, carom_sim_state(sim)->q, sizeof(double) * (size_t)m->nq);
    memcpy(x + m->nq, carom_sim_state(sim)->v, sizeof(double) * (size_t)m->nv);
}

static void differences(carom_sim *sim, const carom_model *m, const double *direction, double delta, double t_end, double *dx)
{
    double x[4][NX];
    const double s[4] = {-2, -1, 1, 2}, w[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    for (int k = 0; k < 4; k++)
        flow(sim, m, direction, s[k] * delta, t_end, x[k]);
    for (int i = 0; i < m->nq + m->nv; i++) {
        dx[i] = 0;
        for (int k = 0; k < 4; k++)
            dx[i] += w[k] * x[k][i] / delta;
    }
}

/* Largest difference of all columns (initial values, then parameters), relative to the largest entry. */
static double compare(const char *name, const char *text, const char *scheme, double t_end, double delta, unsigned skip,
                      carom_tangent_info *info)
{
    carom_error error = {0};
    carom_model *m = load(text);
    int nx = m->nq + m->nv, n = nx + m->np;
    carom_sim *plain = new_sim(m, "tolerance", t_end, 1e-12), *sim = new_sim(m, scheme, t_end, 1e-12);
    carom_tangent *tangent;
    double X[NX * (NX + NP)] = {0}, dp[NP * (NX + NP)] = {0}, most = 0, size = 0;
    CHECK_OK(carom_tangent_new(&tangent, sim, n, &error), error);
    for (int j = 0; j < n; j++)
        *(j < nx ? &X[j * n + j] : &dp[(j - nx) * n + j]) = 1;
    CHECK_OK(carom_tangent_start(tangent, X, dp), *carom_tangent_error(tangent));
    CHECK_OK(carom_sim_run(sim, t_end), *carom_sim_error(sim));
    ck_assert_msg(carom_tangent_error(tangent)->status == CAROM_OK, "%s: %s", name, carom_tangent_error(tangent)->text);
    for (int j = 0; j < n; j++) {
        if (skip & 1u << j)
            continue;
        double direction[NX + NP] = {0}, dx[NX];
        direction[j] = 1;
        differences(plain, m, direction, delta, t_end, dx);
        for (int i = 0; i < nx; i++) {
            double off = fabs(dx[i] - carom_tangent_columns(tangent)[i * n + j]);
            if (getenv("SHOW"))
                printf("  %d %d: %.10g %.10g\n", i, j, dx[i], carom_tangent_columns(tangent)[i * n + j]);
            most = fmax(most, off), size = fmax(size, fabs(dx[i]));
        }
    }
    *info = *carom_tangent_report(tangent);
    printf("%s, %s: relative error %.1e, rank %d, ln det %.10g, radius %.3g, impacts %ld, flags %x %s\n", name, scheme, most / size,
           info->rank, info->log_det, info->radius, info->impacts, info->flags, info->note);
    info->note = "";
    carom_tangent_free(tangent);
    carom_sim_free(sim);
    carom_sim_free(plain);
    carom_model_free(m);
    return most / size;
}

START_TEST(free_flight_with_a_mass_matrix_that_depends_on_positions)
{
    carom_tangent_info info;
    CHECK_AT_MOST(compare("double pendulum", "carom: 1\nname: a\nparameters: {m: 1.3, g: 9.81, c: 0.2}\ncoordinates: {a: 1, b: 0.4}\n"
                          "velocities: {a: 0.3, b: -0.5}\nkinetic: (1+m)*a'^2/2 + m*b'^2/2 + m*a'*b'*cos(a-b)\n"
                          "potential: -(1+m)*g*cos(a) - m*g*cos(b)\nforces: {a: -c*a' + sin(3*t), b: -c*b'}\n",
                          "tolerance", 2, 1e-3, 0, &info), 1e-8);
    ck_assert_int_eq(info.rank, 4);
}
END_TEST

START_TEST(impacts_on_a_moving_wall)
{
    carom_tangent_info info;
    const char *text = "carom: 1\nname: a\nparameters: {m: 1.3, g: 1, e: 0.7, A: 0.1, w: 3}\ncoordinates: {y: 1}\n"
                       "velocities: {y: 0.1}\nkinetic: m*y'^2/2\npotential: m*g*y\n"
                       "contacts:\n  floor: {gap: y - A*sin(w*t), restitution: e}\n";
    CHECK_AT_MOST(compare("moving floor", text, "tolerance", 5, 1e-4, 0, &info), 1e-8);
    CHECK_NEAR(info.log_det, 2 * (double)info.impacts * log(0.7), 1e-12);
    CHECK_AT_MOST(compare("moving floor", text, "exact", 5, 1e-4, 0, &info), 1e-8);
    CHECK_NEAR(info.log_det, 2 * (double)info.impacts * log(0.7), 1e-12);
}
END_TEST


#define CASE(test, text_, t_end, delta, skip, bound, rank_)                                                 \
    START_TEST(test)                                                                                   \
    {                                                                                                  \
        carom_tangent_info info;                                                                       \
        CHECK_AT_MOST(compare(#test, text_, "tolerance", t_end, delta, skip, &info), bound);                 \
        ck_assert_int_eq(info.rank, rank_);                                                            \
    }                                                                                                  \
    END_TEST

CASE(an_impact_without_rebound_closes_and_opens, "carom: 1\nname: a\nparameters: {b: 0.1, a: 1, w: 0.8, d: 0.2, e: 0}\n"
     "coordinates: {x: -0.525, y: -0.781}\nvelocities: {x: 1.351, y: 1.817}\nmass: {x: 1, y: 1}\n"
     "force: {x: -2*x+y+b*(-2*x'+y')+a*cos(w*t), y: x-y+b*(x'-y')}\n"
     "contacts:\n  wall: {gap: d - y, restitution: 0}\n", 4, 1e-4, 0, 1e-8, 2)

CASE(completed_chatter, "carom: 1\nname: a\nparameters: {b: 0.1, a: 1, w: 0.5, d: 0.3, e: 0.3}\n"
     "coordinates: {x: 1.246, y: 0.29}\nvelocities: {x: -0.0747, y: -0.0568}\nmass: {x: 1, y: 1}\n"
     "force: {x: -2*x+y+b*(-2*x'+y')+a*cos(w*t), y: x-y+b*(x'-y')}\n"
     "contacts:\n  wall: {gap: d - y, restitution: e}\n", 2, 1e-4, 0, 1e-8, 2)

CASE(an_impact_with_slip, "carom: 1\nname: a\nparameters: {e: 0.7, mu: 0.1, c: 0.1}\n"
     "coordinates: {x: 0, y: 1, r: 0.2}\nvelocities: {x: 2, y: -1, r: 0.3}\nkinetic: (1+0.2*cos(x))*x'^2/2 + y'^2/2 + (0.5+0.1*y^2)*r'^2/2 + 0.1*x'*r'*sin(r)\n"
     "potential: y + 0.3*x^2\nforces: {x: -c*x' + 0.2*cos(2*t)}\n"
     "contacts:\n  floor: {gap: y - 0.1*sin(x) - 0.1*sin(3*t) + 0.05*x*cos(t), slip: [x' + 0.3*r' - 0.1*t*y'], restitution: e, friction: mu}\n", 1.5, 1e-4, 0, 1e-8, 6)

CASE(an_impact_that_sticks, "carom: 1\nname: a\nparameters: {e: 0.7, mu: 0.9, c: 0.1}\n"
     "coordinates: {x: 0, y: 1, r: 0.2}\nvelocities: {x: 0.2, y: -1, r: 0.3}\nkinetic: (1+0.2*cos(x))*x'^2/2 + y'^2/2 + (0.5+0.1*y^2)*r'^2/2 + 0.1*x'*r'*sin(r)\n"
     "potential: y + 0.3*x^2\nforces: {x: -c*x' + 0.2*cos(2*t)}\n"
     "contacts:\n  floor: {gap: y - 0.1*sin(x) - 0.1*sin(3*t) + 0.05*x*cos(t), slip: [x' + 0.3*r' - 0.1*t*y'], restitution: e, friction: mu}\n", 1.5, 1e-4, 0, 1e-8, 5)

CASE(stick_and_slip_on_a_floor, "carom: 1\nname: a\nparameters: {f: 0.6, w: 0.5, c: 0.1, a: 1}\n"
     "coordinates: {x: 1.02, y: 0}\nvelocities: {x: 0.396}\nmass: {x: 1, y: 1}\n"
     "force: {x: -c*x' - x + a*cos(w*t), y: -1}\n"
     "contacts:\n  floor: {gap: y, slip: [x'], restitution: 0, friction: f}\n", 4, 1e-4, 2 + 8, 1e-8, 1)

CASE(reversal_of_slip, "carom: 1\nname: a\nparameters: {f: 0.2, w: 0.7, a: 1}\n"
     "coordinates: {x: 1, y: 0}\nvelocities: {x: 0.4}\nmass: {x: 1, y: 1}\n"
     "force: {x: -x + a*cos(w*t), y: -1}\n"
     "contacts:\n  floor: {gap: y, slip: [x'], restitution: 0, friction: f}\n", 4, 1e-4, 2 + 8, 1e-8, 2)

TEST_MAIN("tangent", free_flight_with_a_mass_matrix_that_depends_on_positions, impacts_on_a_moving_wall,
          an_impact_without_rebound_closes_and_opens, completed_chatter, an_impact_with_slip, an_impact_that_sticks,
          stick_and_slip_on_a_floor, reversal_of_slip)
