/* test_tolerance_shares.c: redundant contacts with friction: how they share a force is chosen, not found out. What does
 * not depend on that is exact, what does is the same in another order, and no force is invented that only clamps. */
#include "tolerance_testing.h"

static run of_text(const char *text, const char *scheme, double tol, double h, double t_end)
{
    carom_model *model = parse_text(text);
    run r = begin(model, scheme, tol, h, t_end);
    r.loaded = model;
    ck_assert_msg(carom_sim_run(r.sim, t_end) == CAROM_OK, "%s, tol %g: %s", scheme, tol,
                  carom_sim_error(r.sim)->text);
    return r;
}

/* A box without play between two plates, pressed on one of them by 10 and pulled along by 2 t: mu 10 holds it until t =
 * 1.5, then x = (t - 1.5)^3/3. Forces that clamp it could hold it for ever. */
static const char guide[] =
    "carom: 1\ncoordinates: {x: 0, y: 0, th: 0}\nkinetic: (x'^2 + y'^2)/2 + th'^2/12\nparameters: {side: -1}\n"
    "forces: {x: \"2*t\", y: \"10*side\"}\nlet: {c: cos(th), s: sin(th)}\ncontacts:\n"
    "  ul: {gap: 0.5 - (y - 0.5*s + 0.5*c), slip: [\"x' - (0.5*c - 0.5*s)*th'\"], friction: 0.3, restitution: 0}\n"
    "  ur: {gap: 0.5 - (y + 0.5*s + 0.5*c), slip: [\"x' - (0.5*c + 0.5*s)*th'\"], friction: 0.3, restitution: 0}\n"
    "  ll: {gap: y + 0.5 - 0.5*s - 0.5*c, slip: [\"x' + (0.5*s + 0.5*c)*th'\"], friction: 0.3, restitution: 0}\n"
    "  lr: {gap: y + 0.5 + 0.5*s - 0.5*c, slip: [\"x' - (0.5*s - 0.5*c)*th'\"], friction: 0.3, restitution: 0}\n";

START_TEST(a_box_between_two_plates_is_not_clamped_by_forces_that_nobody_applied)
{
    for (int side = -1; side <= 1; side += 2)
        for (int k = 0; k < TOLERANCES; k++) {
            carom_model *model = parse_text(guide);
            carom_error error = {0};
            CHECK_OK(carom_model_set(model, &(const char *){"side"}, &(double){side}, 1, &error), error);
            run r = begin(model, "tolerance", tolerances[k], 0, 3);
            r.loaded = model;
            CHECK_OK(carom_sim_run(r.sim, 3), *carom_sim_error(r.sim));
            CHECK_NEAR(carom_sim_state(r.sim)->q[0], 1.125, 10 * tolerances[k]);
            CHECK_NEAR(carom_sim_state(r.sim)->q[2], 0, 1e-12);
            end(&r);
        }
}
END_TEST

/* Nothing presses it on the jaws: it falls. A spring behind one of them, and it is held. */
START_TEST(what_is_between_two_jaws_falls_unless_they_press)
{
    static const char jaws[] =
        "carom: 1\nparameters: {k: 0}\ncoordinates: {x: 0, y: 0, s: 0}\nkinetic: (x'^2 + y'^2 + s'^2)/2\n"
        "forces: {y: -9.81, s: -k}\ncontacts:\n"
        "  left: {gap: x, slip: [y'], friction: 0.5, restitution: 0}\n"
        "  right: {gap: s - x, slip: [y'], friction: 0.5, restitution: 0}\n  stop: {gap: -s, restitution: 0}\n";
    for (int pressed = 0; pressed < 2; pressed++) {
        carom_model *model = parse_text(jaws);
        carom_error error = {0};
        CHECK_OK(carom_model_set(model, &(const char *){"k"}, &(double){pressed ? 10 : 0}, 1, &error), error);
        run r = begin(model, "tolerance", 1e-8, 0, 1);
        r.loaded = model;
        CHECK_OK(carom_sim_run(r.sim, 1), *carom_sim_error(r.sim));
        CHECK_NEAR(carom_sim_state(r.sim)->q[1], pressed ? 0 : -9.81 / 2, 1e-8);
        end(&r);
    }
}
END_TEST

/* A plate on n feet 0.1 below its centre, those of a grid or on a circle; foot `order[k]` is the k-th. */
typedef struct feet {
    int n;
    double at[16][2];
} feet;

static void plate(char *text, size_t size, const feet *f, const int *order, const char *velocities)
{
    int used = snprintf(text, size,
                        "carom: 1\ncoordinates: {x: 0, y: 0, ga: 0, z: 0, al: 0, be: 0}\nvelocities: {%s}\n"
                        "kinetic: (x'^2 + y'^2 + z'^2)/2 + 0.05*ga'^2 + 0.03*al'^2 + 0.03*be'^2\n"
                        "potential: 9.81*z\nlet: {c: cos(ga), s: sin(ga)}\ncontacts:\n", velocities);
    for (int k = 0; k < f->n; k++) {
        double X = f->at[order[k]][0], Y = f->at[order[k]][1];
        used += snprintf(text + used, size - (size_t)used,
                         "  l%d: {gap: z + (%.17g)*al + (%.17g)*be, friction: 0.3, restitution: 0, slip: "
                         "[\"x' - ((%.17g)*s + (%.17g)*c)*ga' + 0.1*al'\", "
                         "\"y' + ((%.17g)*c - (%.17g)*s)*ga' + 0.1*be'\"]}\n",
                         k, X, Y, X, Y, X, Y);
    }
}

static feet grid(int nx, int ny)
{
    feet f = {.n = nx * ny};
    for (int k = 0; k < f.n; k++)
        f.at[k][0] = 0.6 * (k % nx) / (nx - 1) - 0.3, f.at[k][1] = 0.4 * (k / nx) / (ny - 1) - 0.2;
    return f;
}

static const int as_it_is[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/* Whatever the share, the friction of what does not turn is mu times the weight: x = t - mu g t^2/2 until it stops. */
START_TEST(a_plate_on_many_feet_slides_and_stops)
{
    char text[8000];
    const double stop = 1 / (0.3 * 9.81);
    feet cases[] = {grid(2, 2), grid(3, 2), grid(3, 3)};
    for (int k = 0; k < 3; k++) {
        plate(text, sizeof text, &cases[k], as_it_is, "x: 1");
        run r = of_text(text, "tolerance", 1e-8, 0, 0.25);
        CHECK_NEAR(carom_sim_state(r.sim)->q[0], 0.25 - 0.3 * 9.81 * 0.25 * 0.25 / 2, 1e-8);
        ck_assert_msg(strstr(carom_sim_note(r.sim), "least norm") != NULL, "'%s'", carom_sim_note(r.sim));
        CHECK_OK(carom_sim_run(r.sim, 0.5), *carom_sim_error(r.sim));
        CHECK_NEAR(carom_sim_state(r.sim)->q[0], stop / 2, 1e-8);
        for (int i = 1; i < 6; i++)
            CHECK_NEAR(carom_sim_state(r.sim)->q[i], 0, 1e-9);
        end(&r);
    }
}
END_TEST

static void ends_at(const char *text, const char *scheme, double tol, double h, double t_end, double *q)
{
    run r = of_text(text, scheme, tol, h, t_end);
    memcpy(q, carom_sim_state(r.sim)->q, 6 * sizeof(double));
    end(&r);
}

/* It slides and spins: the share decides. It does not know in which order the feet are written down, and two feet at
 * the same place are one. */
START_TEST(the_order_of_the_feet_and_feet_in_the_same_place_do_not_matter)
{
    static const int orders[][16] = {{3, 1, 0, 2, 4, 5}, {5, 4, 3, 2, 1, 0}, {2, 5, 0, 4, 1, 3}};
    char text[8000];
    double first[6], q[6];
    feet six = grid(3, 2);
    plate(text, sizeof text, &six, as_it_is, "x: 0.6, y: 0.3, ga: 2");
    ends_at(text, "tolerance", 1e-9, 0, 0.5, first);
    for (int k = 0; k < 3; k++) {
        plate(text, sizeof text, &six, orders[k], "x: 0.6, y: 0.3, ga: 2");
        ends_at(text, "tolerance", 1e-9, 0, 0.5, q);
        for (int i = 0; i < 6; i++)
            CHECK_NEAR(q[i], first[i], 1e-8);
    }
    six.n = 8;
    for (int k = 6; k < 8; k++)
        memcpy(six.at[k], six.at[3 * k - 18], sizeof six.at[k]);
    plate(text, sizeof text, &six, as_it_is, "x: 0.6, y: 0.3, ga: 2");
    ends_at(text, "tolerance", 1e-9, 0, 0.5, q);
    for (int i = 0; i < 6; i++)
        CHECK_NEAR(q[i], first[i], 1e-8);
}
END_TEST

/* The same motion by hand: r_i are the weight and the moments that N_i = 1 and its friction carry, and N_i = l . r_i
 * /W_ii has the least sum of W_ii N_i^2 of all that carry what there is. Rates of (x, y, ga, x', y', ga'). */
static void rates(const feet *f, const double *s, double *rate)
{
    double A[9] = {0}, b[3] = {9.81, 0, 0}, d[16][2], row[16][3], T[3] = {0, 0, 0}, c = cos(s[2]), sn = sin(s[2]);
    for (int k = 0; k < f->n; k++) {
        double X = f->at[k][0], Y = f->at[k][1], W = 1 + (X * X + Y * Y) / 0.06;
        d[k][0] = s[3] - (X * sn + Y * c) * s[5], d[k][1] = s[4] + (X * c - Y * sn) * s[5];
        double size = hypot(d[k][0], d[k][1]);
        d[k][0] /= size, d[k][1] /= size;
        row[k][0] = 1, row[k][1] = X - 0.1 * 0.3 * d[k][0], row[k][2] = Y - 0.1 * 0.3 * d[k][1];
        for (int i = 0; i < 9; i++)
            A[i] += row[k][i / 3] * row[k][i % 3] / W;
    }
    for (int p = 0; p < 3; p++) /* elimination */
        for (int i = 0; i < 3; i++) {
            double part = i == p ? 0 : A[3 * i + p] / A[4 * p];
            for (int j = 0; j < 3; j++)
                A[3 * i + j] -= part * A[3 * p + j];
            b[i] -= part * b[p];
        }
    for (int k = 0; k < f->n; k++) {
        double X = f->at[k][0], Y = f->at[k][1], W = 1 + (X * X + Y * Y) / 0.06;
        double N = (b[0] / A[0] * row[k][0] + b[1] / A[4] * row[k][1] + b[2] / A[8] * row[k][2]) / W;
        ck_assert(N > 0);
        T[0] -= 0.3 * N * d[k][0], T[1] -= 0.3 * N * d[k][1];
        T[2] += 0.3 * N * (d[k][0] * (X * sn + Y * c) - d[k][1] * (X * c - Y * sn));
    }
    for (int i = 0; i < 3; i++)
        rate[i] = s[3 + i], rate[3 + i] = i < 2 ? T[i] : T[2] / 0.1;
}

static void by_hand(const feet *f, double t_end, int steps, double *s)
{
    double h = t_end / steps, k[4][6] = {{0}}, at[6];
    for (int n = 0; n < steps; n++) {
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < 6; j++)
                at[j] = s[j] + (i == 0 ? 0 : i == 3 ? h : h / 2) * k[i ? i - 1 : 0][j] * (i > 0);
            rates(f, at, k[i]);
        }
        for (int j = 0; j < 6; j++)
            s[j] += h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
    }
}

START_TEST(normal_forces_have_least_norm_in_the_metric_of_the_effect_on_their_own_gap)
{
    char text[8000];
    double q[6];
    feet cases[] = {grid(2, 2), grid(3, 2), grid(3, 3)};
    for (int k = 0; k < 3; k++) {
        double s[6] = {0, 0, 0, 0.6, 0.3, 2};
        plate(text, sizeof text, &cases[k], as_it_is, "x: 0.6, y: 0.3, ga: 2");
        ends_at(text, "tolerance", 1e-9, 0, 0.2, q);
        by_hand(&cases[k], 0.2, 2000, s);
        for (int i = 0; i < 3; i++)
            CHECK_NEAR(q[i], s[i], 1e-8);
    }
}
END_TEST

TEST_MAIN_MODELS("tolerance, shares", a_box_between_two_plates_is_not_clamped_by_forces_that_nobody_applied,
                 what_is_between_two_jaws_falls_unless_they_press, a_plate_on_many_feet_slides_and_stops,
                 the_order_of_the_feet_and_feet_in_the_same_place_do_not_matter,
                 normal_forces_have_least_norm_in_the_metric_of_the_effect_on_their_own_gap)
