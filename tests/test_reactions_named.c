/* test_reactions_named.c: forces of joints and contacts as quantities by name, in gradients, fits, sweeps and maps.
 *
 * A sled on the ground is pressed down by m g + k x and slides towards a wall at L. With X = x + m g/k, w^2 = mu k/m:
 *     X = X0 cos w t + v0/w sin w t until the wall, then with -e times the speed  X = XL cosh w s + v1/w sinh w s
 *     until it halts for good;  N = k X,  friction -mu N, +mu N, then 0. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/gradient/gradient.h"
#include "testing.h"

static const char *const sled =
    "carom: 1\nparameters: {m: 2, g: 10, k: 30, mu: 0.3, L: 0.5, e: 0.5}\ncoordinates: {x: 0.1, y: 0}\n"
    "velocities: {x: 3}\nmass: {x: m, y: m}\nforce: {y: -m*g - k*x}\n"
    "contacts:\n  ground: {gap: y, slip: [\"x'\"], friction: mu, restitution: 0}\n"
    "  wall: {gap: L - x, restitution: e}\n";
static carom_error error;

static carom_model *load(const char *text)
{
    carom_model *model;
    CHECK_OK(carom_model_parse(&model, "test", text, strlen(text), NULL, &error), error);
    return model;
}

static carom_options until(double t_end)
{
    carom_options options = carom_options_default();
    options.rtol = options.atol = 1e-12;
    options.t_end = t_end;
    return options;
}

enum { M, G, K, MU, L, E, X, V, ALL };
static const char *const names[ALL] = {"m", "g", "k", "mu", "L", "e", "q.x", "v.x"};
static const long double values[ALL] = {2, 10, 30, 0.3L, 0.5L, 0.5L, 0.1L, 3};

/* The force on the sled, normal (row 0) or of friction (row 1). */
static long double closed(const long double *z, long double t, int row)
{
    const long double w = sqrtl(z[MU] * z[K] / z[M]), rest = z[M] * z[G] / z[K], X0 = z[X] + rest, XL = z[L] + rest;
    const long double S = z[V] / w, R = hypotl(X0, S), T = (atan2l(S, X0) - acosl(XL / R)) / w;
    if (t < T)
        return (row ? -z[MU] : 1) * z[K] * (X0 * cosl(w * t) + S * sinl(w * t));
    const long double back = -z[E] * sqrtl(R * R - XL * XL), halt = atanhl(-back / XL) / w, s = t - T; /* v1/w */
    const long double until = fminl(s, halt);
    return (!row ? 1 : s < halt ? z[MU] : 0) * z[K] * (XL * coshl(w * until) + back * sinhl(w * until));
}

static long double by(int i, long double t, int row)
{
    const long double weight[] = {3.0L / 4, -3.0L / 20, 1.0L / 60}, h = 1e-3L;
    long double z[ALL], sum = 0;
    memcpy(z, values, sizeof z);
    for (int k = 1; k <= 3; k++)
        for (int side = -1; side <= 1; side += 2) {
            z[i] = values[i] + side * k * h;
            sum += side * weight[k - 1] / h * closed(z, t, row);
        }
    return sum;
}

START_TEST(forces_of_a_contact_have_the_derivatives_of_their_closed_form)
{
    const char *const of[] = {"ground.reaction", "ground.reaction_t"};
    const double times[] = {0.1, 0.3, 0.6}; /* before the wall, after it, at rest */
    double slope[ALL], difference[ALL];
    carom_model *model = load(sled);
    for (int k = 0; k < CAROM_COUNT(times); k++)
        for (int row = 0; row < 2; row++) {
            carom_options options = until(times[k]);
            carom_gradient g = {.size = sizeof g, .of = of[row], .name = names, .n = ALL, .check = true, .slope = slope,
                                .difference = difference};
            CHECK_OK(carom_gradient_run(&g, model, &options, &error), error);
            CHECK_NEAR(g.value, (double)closed(values, times[k], row), 1e-10);
            for (int i = 0; i < ALL; i++) {
                CHECK_NEAR(slope[i], (double)by(i, times[k], row), 2e-9);
                CHECK_NEAR(difference[i], slope[i], 1e-6 * (1 + fabs(slope[i])));
            }
        }
    carom_model_free(model);
}
END_TEST

START_TEST(the_force_of_a_joint_and_spatial_friction_have_theirs)
{
    /* A mass on a rod without weight circles: m v^2/l, pulled inwards. */
    const char *const by_rod[] = {"m", "l", "v.y"}, *const by_plane[] = {"mu", "v.x", "v.y"};
    double slope[3];
    carom_model *rod = load("carom: 1\nparameters: {m: 2, l: 0.5, v: 3}\ncoordinates: {x: l, y: 0}\n"
                            "velocities: {y: v}\nkinetic: m*(x'^2 + y'^2)/2\n"
                            "constraints: {rod: \"(x^2 + y^2 - l^2)/(2*l)\"}\n");
    carom_options options = until(0.7);
    carom_gradient g = {.size = sizeof g, .of = "rod.reaction", .name = by_rod, .n = 3, .slope = slope};
    CHECK_OK(carom_gradient_run(&g, rod, &options, &error), error);
    CHECK_NEAR(g.value, -36, 1e-9);
    CHECK_NEAR(slope[0], -18, 1e-8);
    CHECK_NEAR(slope[1], 72, 1e-7);
    CHECK_NEAR(slope[2], -24, 1e-8);
    carom_model_free(rod);
    /* A mass slides straight on: -mu m g v/|v|. */
    carom_model *plane = load("carom: 1\nparameters: {mu: 0.25}\ncoordinates: {x: 0, y: 0, z: 0}\n"
                              "velocities: {x: 3, y: 4}\nmass: {x: 2, y: 2, z: 2}\nforce: {z: -20}\n"
                              "contacts: {floor: {gap: z, slip: [\"x'\", \"y'\"], friction: mu, restitution: 0}}\n");
    g = (carom_gradient){.size = sizeof g, .of = "floor.reaction_t1", .name = by_plane, .n = 3, .slope = slope};
    CHECK_OK(carom_gradient_run(&g, plane, &options, &error), error);
    CHECK_NEAR(g.value, -0.25 * 20 * 0.6, 1e-10);
    CHECK_NEAR(slope[0], -20 * 0.6, 1e-9);
    CHECK_NEAR(slope[1], -5 * 16 / 125.0, 1e-9);
    CHECK_NEAR(slope[2], 5 * 12 / 125.0, 1e-9);
    carom_model_free(plane);
}
END_TEST

START_TEST(a_model_is_fitted_to_measured_forces)
{
    enum { SAMPLES = 60 };
    const char *const of[] = {"ground.reaction", "ground.reaction_t"}, *const wanted[] = {"k", "mu", "e", "m"};
    double t[SAMPLES], value[2 * SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        t[i] = 0.005 + 0.01 * i;
        for (int row = 0; row < 2; row++)
            value[2 * i + row] = (double)closed(values, t[i], row);
    }
    carom_model *model = load(sled);
    const double off[] = {27, 0.27, 0.55, 2.1};
    CHECK_OK(carom_model_set(model, wanted, off, 4, &error), error);
    carom_options options = until(1);
    carom_fit *fit;
    const carom_fit_request request = {.size = sizeof request, .name = wanted, .n = 4, .t = t, .of = of, .value = value,
                                       .samples = SAMPLES, .nof = 2};
    CHECK_OK(carom_fit_run(&fit, model, &options, &request, &error), error);
    const double known[] = {30, 0.3, 0.5, 2};
    for (int i = 0; i < 4; i++)
        CHECK_NEAR(fit->value[i], known[i], 1e-8 * known[i]);
    carom_fit_free(fit);
    carom_model_free(model);
}
END_TEST

static carom_status see_row(void *user, long long index, const double *x, carom_status status, const double *value,
                            const char *text)
{
    long double z[ALL];
    memcpy(z, values, sizeof z);
    z[MU] = x[0];
    ck_assert_msg(status == CAROM_OK, "%lld: %s", index, text);
    const long double w = sqrtl(z[MU] * z[K] / z[M]), rest = z[M] * z[G] / z[K], X0 = z[X] + rest, XL = z[L] + rest;
    const long double speed = sqrtl(powl(z[V], 2) + w * w * (X0 * X0 - XL * XL)), back = z[E] * speed / w;
    CHECK_NEAR(value[0], (double)(z[K] * XL), 1e-8);                                   /* at the wall */
    CHECK_NEAR(value[1], (double)(z[K] * fminl(X0, sqrtl(XL * XL - back * back))), 1e-8); /* at the start or the end */
    CHECK_NEAR(value[2], (double)closed(z, 1, 0), 1e-8);
    /* the mean of friction is what it takes of the momentum: from v0 to that at the wall, from there to rest */
    CHECK_NEAR(value[3], (double)(z[M] * (speed - z[V] + z[E] * speed)), 1e-8);
    ++*(int *)user;
    return CAROM_OK;
}

START_TEST(sweeps_measure_forces)
{
    const char *const measure[] = {"max:ground.reaction", "min:ground.reaction", "final:ground.reaction",
                                   "mean:ground.reaction_t"};
    const carom_setting settings[] = {{"t_end", "1", 0, 0}, {"rtol", "1e-12", 0, 0}, {"atol", "1e-12", 0, 0}};
    char path[SCRATCH];
    int rows = 0, file = mkstemp(scratch_name(path, "sled"));
    ck_assert_int_eq(write(file, sled, strlen(sled)), (long)strlen(sled));
    close(file);
    const carom_sweep_axis axis = {"mu", 0.2, 0.3, 3};
    const carom_sweep_request request = {.size = sizeof request, .path = path, .setting = settings, .nsetting = 3,
                                         .axis = &axis, .naxis = 1, .measure = measure, .nmeasure = 4, .threads = 1,
                                         .row = see_row, .user = &rows};
    CHECK_OK(carom_sweep_compute(&request, &error), error);
    ck_assert_int_eq(rows, 3);
    remove(path);
}
END_TEST

START_TEST(maps_draw_forces_between_impacts)
{
    /* on a shaken table at rest: m (g - A w^2 sin(w t)) with t = 0.3 beyond a period, w = 2 pi */
    const char *const table = "carom: 1\nparameters: {A: 0.1, w: 2*pi}\ncoordinates: {y: 0}\nvelocities: {y: A*w}\n"
                              "mass: {y: 2}\nforce: {y: -20}\nperiod: 1\n"
                              "contacts: {table: {gap: \"y - A*sin(w*t)\", restitution: 0}}\n";
    const double amplitude[] = {0.1, 0.15};
    const double w = 2 * acos(-1);
    carom_model *model = load(table);
    carom_options options = until(1);
    carom_bifurcation *result;
    carom_bifurcation_request request = {.size = sizeof request, .name = "A", .from = amplitude[0],
                                         .to = amplitude[1], .n = 2, .direction = 1, .map = CAROM_MAP_SECTION,
                                         .section = "sin(w*t) - 0.5", .crossing = 1, .of = "table.reaction",
                                         .transient = 1, .show = 3, .threads = 1};
    CHECK_OK(carom_bifurcation_run(&result, model, &options, &request, &error), error);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(result->x[i * result->show + k], 2 * (10 - amplitude[i] * w * w / 2), 1e-7);
    carom_bifurcation_free(result);
    request.map = CAROM_MAP_IMPACT;
    ck_assert_int_eq(carom_bifurcation_run(&result, model, &options, &request, &error), CAROM_BAD_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "table.reaction"));
    carom_model_free(model);
}
END_TEST

START_TEST(names_that_are_no_forces_are_refused_and_outputs_come_first)
{
    const char *const name[] = {"F"};
    double slope[1];
    carom_options options = until(0.1);
    carom_gradient g = {.size = sizeof g, .of = "ground.reaction_t", .name = name, .n = 1, .slope = slope};
    carom_model *model = load("carom: 1\nparameters: {F: 7}\ncoordinates: {y: 0}\nmass: {y: 1}\nforce: {y: -F}\n"
                              "contacts: {ground: {gap: y, restitution: 0}}\noutputs: {\"ground.reaction\": 2*F}\n");
    ck_assert_int_ne(carom_gradient_run(&g, model, &options, &error), CAROM_OK); /* no friction, no tangent */
    ck_assert_msg(strstr(error.text, "no reaction 'ground.reaction_t'; did you mean 'ground.reaction'?") != NULL, "%s",
                  error.text);
    g.of = "ground.reaction";
    CHECK_OK(carom_gradient_run(&g, model, &options, &error), error);
    CHECK_NEAR(g.value, 14, 0);
    CHECK_NEAR(slope[0], 2, 0);
    carom_model_free(model);
    model = load("carom: 1\nparameters: {F: 7}\ncoordinates: {y: 0}\nmass: {y: 1}\nforce: {y: -F}\n"
                 "contacts:\n  left: {gap: y, restitution: 0}\n  right: {gap: y, restitution: 0}\n");
    g.of = "left.reaction";
    ck_assert_int_eq(carom_gradient_run(&g, model, &options, &error), CAROM_UNSUPPORTED);
    ck_assert_msg(strstr(error.text, "share their forces") != NULL, "%s", error.text);
    carom_model_free(model);
}
END_TEST

TEST_MAIN_MODELS("reactions_named", forces_of_a_contact_have_the_derivatives_of_their_closed_form,
          the_force_of_a_joint_and_spatial_friction_have_theirs, a_model_is_fitted_to_measured_forces,
          sweeps_measure_forces, maps_draw_forces_between_impacts,
          names_that_are_no_forces_are_refused_and_outputs_come_first)
