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


#define PENDULUM "carom: 1\nname: a\nparameters: {m: 1.3, g: 9.81, c: 0.2, A: 0.1, e: 0.7}\n"
#define WALL "+ 0.15 + A*sin(4*t), restitution: e}\n"

/* Two angles, or four Cartesian coordinates with two joints. */
START_TEST(joints_give_the_columns_of_minimal_coordinates)
{
    carom_error error = {0};
    const double a = 1, b = 0.4, va = 0.3, vb = -0.5, T = 1.5;
    char text[2000];
    snprintf(text, sizeof text, PENDULUM "coordinates: {x: %.17g, y: %.17g, z: %.17g, w: %.17g}\nvelocities: {x: %.17g, y: %.17g, z: %.17g, w: %.17g}\n"
             "kinetic: (x'^2+y'^2)/2 + m*(z'^2+w'^2)/2\npotential: g*y + m*g*w\nforces: {x: -c*x', y: -c*y', z: -c*z', w: -c*w'}\n"
             "constraints: {one: x^2+y^2-1, two: (z-x)^2+(w-y)^2-1}\ncontacts:\n  wall: {gap: z " WALL,
             sin(a), -cos(a), sin(a) + sin(b), -cos(a) - cos(b), va * cos(a), va * sin(a), va * cos(a) + vb * cos(b), va * sin(a) + vb * sin(b));
    carom_model *m = load(text), *k = load(PENDULUM "coordinates: {a: 1, b: 0.4}\nvelocities: {a: 0.3, b: -0.5}\n"
                         "kinetic: (1+m)*a'^2/2 + m*b'^2/2 + m*a'*b'*cos(a-b)\npotential: -(1+m)*g*cos(a) - m*g*cos(b)\n"
                         "forces: {a: -c*((1+m*0)*a' + a' + b'*cos(a-b)), b: -c*(b' + a'*cos(a-b))}\ncontacts:\n  wall: {gap: sin(a)+sin(b) " WALL);
    carom_sim *sim = new_sim(m, "tolerance", T, 1e-12), *angles = new_sim(k, "tolerance", T, 1e-12);
    carom_tangent *tangent, *minimal;
    CHECK_OK(carom_tangent_new(&tangent, sim, 9, &error), error);
    CHECK_OK(carom_tangent_new(&minimal, angles, 9, &error), error);
    double Y[4 * 9] = {0}, X[8 * 9] = {0}, dp[5 * 9] = {0};
    for (int j = 0; j < 4; j++)
        Y[j * 9 + j] = 1;
    for (int j = 0; j < 5; j++)
        dp[j * 9 + 4 + j] = 1;
    for (int side = 0; side < 2; side++) { /* d(x, y, z, w) and their velocities by angles: of the start, then of the end */
        double q[4] = {a, b, va, vb}, Z[8 * 9] = {0};
        if (side) {
            CHECK_OK(carom_tangent_start(minimal, Y, dp), *carom_tangent_error(minimal));
            CHECK_OK(carom_tangent_start(tangent, X, dp), *carom_tangent_error(tangent));
            CHECK_OK(carom_sim_run(angles, T), *carom_sim_error(angles));
            CHECK_OK(carom_sim_run(sim, T), *carom_sim_error(sim));
            memcpy(q, carom_sim_state(angles)->q, 16), memcpy(q + 2, carom_sim_state(angles)->v, 16);
            memcpy(Y, carom_tangent_columns(minimal), sizeof Y);
        }
        for (int j = 0; j < 9; j++)
            for (int i = 0; i < 2; i++) {
                double c = cos(q[i]), s = sin(q[i]), d = Y[i * 9 + j], dv = Y[(2 + i) * 9 + j], v = q[2 + i];
                for (int r = i; r < 2; r++) {
                    Z[(2 * r) * 9 + j] += c * d, Z[(2 * r + 1) * 9 + j] += s * d;
                    Z[(4 + 2 * r) * 9 + j] += c * dv - s * v * d, Z[(5 + 2 * r) * 9 + j] += s * dv + c * v * d;
                }
            }
        if (!side) {
            memcpy(X, Z, sizeof X);
            continue;
        }
        double most = 0, size = 0;
        for (int i = 0; i < 8 * 9; i++)
            most = fmax(most, fabs(Z[i] - carom_tangent_columns(tangent)[i])), size = fmax(size, fabs(Z[i]));
        const carom_tangent_info *info = carom_tangent_report(tangent);
        printf("joints: relative error %.1e, ln det %.12g and %.12g, rank %d, impacts %ld\n", most / size, info->log_det,
               carom_tangent_report(minimal)->log_det, info->rank, info->impacts);
        CHECK_AT_MOST(most / size, 1e-9);
        ck_assert_int_eq(info->rank, 4);
        CHECK_AT_LEAST((double)info->impacts, 1);
    }
    carom_tangent_free(tangent), carom_tangent_free(minimal);
    carom_sim_free(sim), carom_sim_free(angles);
    carom_model_free(m), carom_model_free(k);
}
END_TEST

CASE(an_impact_without_rebound_that_leaves_at_once, "carom: 1\nname: a\nparameters: {g: 1, A: 1, w: 3}\ncoordinates: {y: 1, x: 0}\n"
     "velocities: {y: -0.2, x: 0.4}\nkinetic: y'^2/2 + (1+0.1*y)*x'^2\npotential: g*y + (x-y)^2\n"
     "contacts:\n  floor: {gap: y - A*sin(w*t), restitution: 0}\n", 1.2, 1e-4, 0, 1e-8, 3)

#define TWO "carom: 1\nname: a\nparameters: {g: 1, e: 0.6, k: 1}\n"                                     \
    "mass: [[1, %s, 0.1], [%s, 1.5, 0.2], [0.1, 0.2, 2]]\n"
CASE(an_impact_while_another_contact_stays_closed, "carom: 1\nname: a\nparameters: {g: 1, e: 0.6, k: 1}\ncoordinates: {x: 0, y: 1, z: 0.3}\n"
     "velocities: {x: 0, y: -0.3, z: 0.2}\nmass: [[1, -0.4, 0.1], [-0.4, 1.5, 0.2], [0.1, 0.2, 2+0.3*y]]\n"
     "force: {x: -3*g, y: -g - k*(y-z), z: -k*(z-y) + 0.2*sin(2*t)}\n"
     "contacts:\n  a: {gap: x, restitution: 0.5}\n  b: {gap: y - 0.1*sin(2*t), restitution: e}\n", 1.6, 1e-4, 1 + 8, 1e-8, 4)
CASE(an_impact_while_another_contact_opens, "carom: 1\nname: a\nparameters: {g: 1, e: 0.6, k: 1}\ncoordinates: {x: 0, y: 1, z: 0.3}\n"
     "velocities: {x: 0, y: -0.3, z: 0.2}\nmass: [[1, 0.4, 0.1], [0.4, 1.5, 0.2], [0.1, 0.2, 2+0.3*y]]\n"
     "force: {x: -3*g, y: -g - k*(y-z), z: -k*(z-y) + 0.2*sin(2*t)}\n"
     "contacts:\n  a: {gap: x, restitution: 0.5}\n  b: {gap: y - 0.1*sin(2*t), restitution: e}\n", 1.2, 1e-4, 1 + 8, 1e-8, 4)
CASE(closing_into_stick, "carom: 1\nname: a\nparameters: {mu: 0.9, c: 0.1}\n"
     "coordinates: {x: 0, y: 1, r: 0.2}\nvelocities: {x: 0.2, y: -1, r: 0.3}\nkinetic: (1+0.2*cos(x))*x'^2/2 + y'^2/2 + (0.5+0.1*y^2)*r'^2/2 + 0.1*x'*r'*sin(r)\n"
     "potential: 3*y + 0.3*x^2\nforces: {x: -c*x' + 0.2*cos(2*t)}\n"
     "contacts:\n  floor: {gap: y - 0.1*sin(x) - 0.1*sin(3*t), slip: [x' + 0.3*r'], restitution: 0, friction: mu}\n", 1.0, 1e-4, 0, 1e-8, 3)
CASE(static_friction_lets_go_with_a_jump_of_force, "carom: 1\nname: a\nparameters: {f: 0.4, fs: 0.6, w: 0.5, c: 0.1, a: 1}\n"
     "coordinates: {x: 1.02, y: 0}\nvelocities: {x: 0.396}\nmass: {x: 1, y: 1}\n"
     "force: {x: -c*x' - x + a*cos(w*t), y: -1}\n"
     "contacts:\n  floor: {gap: y, slip: [x'], restitution: 0, friction: f, friction_static: fs}\n", 4, 1e-4, 2 + 8, 1e-8, 1)

TEST_MAIN("tangent", free_flight_with_a_mass_matrix_that_depends_on_positions, impacts_on_a_moving_wall,
          an_impact_without_rebound_closes_and_opens, completed_chatter, an_impact_with_slip, an_impact_that_sticks,
          stick_and_slip_on_a_floor, reversal_of_slip, joints_give_the_columns_of_minimal_coordinates,
          an_impact_without_rebound_that_leaves_at_once, an_impact_while_another_contact_stays_closed,
          an_impact_while_another_contact_opens, closing_into_stick, static_friction_lets_go_with_a_jump_of_force)
