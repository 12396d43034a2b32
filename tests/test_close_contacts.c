/* test_close_contacts.c: contacts that nearly coincide, or lead into each other: a cam beside a seat, a ramp that
 * begins on a floor, jaws that meet. */
#include <string.h>

#include "running.h"

#ifndef CAROM_NO_YAML
static carom_sim *begin(carom_model **model, const char *text, const char *scheme, double tol)
{
    carom_error error;
    carom_sim *sim;
    carom_options o = carom_options_default();
    CHECK_OK(carom_model_parse(model, "test", text, strlen(text), NULL, &error), error);
    CHECK_OK(carom_options_set(&o, "scheme", scheme, &error), error);
    o.rtol = o.atol = tol, o.h = tol;
    CHECK_OK(carom_sim_new(&sim, *model, &o, &error), error);
    return sim;
}

static void end(carom_sim *sim, carom_model *model)
{
    carom_sim_free(sim);
    carom_model_free(model);
}

/* The lift of a cam in mm at every ten degrees: 0, one hump of 8 (1 - cos)/2 from 110 to 250 degrees, 0; its spline
 * swings about the base circle, and so about the seat, by less and less. */
static void valve(char *text, size_t size)
{
    size_t n = (size_t)snprintf(
        text, size,
        "carom: 1\nparameters: {m: 0.12, k: 20e3, F0: 250, c: 8, w: 100*pi}\ncoordinates: {y: 0}\n"
        "kinetic: m*y'^2/2\npotential: k*y^2/2 + F0*y\nforces: {y: -c*y'}\n"
        "contacts:\n  cam: {gap: y - 0.001*lift(w*t*180/pi), restitution: 0.4}\n  seat: {gap: y, restitution: 0.3}\n"
        "tables:\n  lift:\n    periodic: true\n    points: [");
    for (int angle = 0; angle <= 360; angle += 10) {
        bool hump = angle > 110 && angle < 250;
        double lift = hump ? 4 * (1 - cos((angle - 110) * acos(-1) / 70)) : 0;
        n += (size_t)snprintf(text + n, size - n, "%s[%d, %.17g]", angle ? ", " : "", angle, lift);
    }
    snprintf(text + n, size - n, "]\n");
}

/* Position and velocity of the valve at t with moreau-jean, of order one: twice h/2 less h; and what that changes. */
static void extrapolated(const char *text, double t, double h, double out[2], double apart[2])
{
    double x[2][2];
    for (int k = 0; k < 2; k++) {
        carom_model *model;
        carom_sim *sim = begin(&model, text, "moreau-jean", k ? h / 2 : h);
        RUN(sim, t);
        x[k][0] = carom_sim_state(sim)->q[0], x[k][1] = carom_sim_state(sim)->v[0];
        end(sim, model);
    }
    for (int i = 0; i < 2; i++) {
        apart[i] = fabs(x[1][i] - x[0][i]);
        out[i] = 2 * x[1][i] - x[0][i];
    }
}

START_TEST(a_cam_that_nearly_coincides_with_a_seat_is_followed)
{
    static const double times[] = {0.0075, 0.009, 0.0125, 0.017}; /* up, up, down, seated */
    char text[3000];
    carom_model *model;
    valve(text, sizeof text);
    carom_sim *sim = begin(&model, text, "tolerance", 1e-8);
    for (int k = 0; k < 4; k++) {
        double other[2], apart[2];
        RUN(sim, times[k]);
        const carom_state *s = carom_sim_state(sim);
        extrapolated(text, times[k], 1e-6, other, apart);
        printf("t = %g: y = %.10g, y' = %.10g; moreau-jean %.10g, %.10g, apart %.1e, %.1e\n", times[k], s->q[0],
               s->v[0], other[0], other[1], apart[0], apart[1]);
        CHECK_NEAR(s->q[0], other[0], 0.1 * apart[0] + 1e-9);
        CHECK_NEAR(s->v[0], other[1], 0.1 * apart[1] + 1e-8);
    }
    RUN(sim, 0.1); /* five turns */
    const carom_info *info = carom_sim_info(sim);
    printf("five turns: %ld steps, %ld impacts\n", (long)info->steps, (long)info->events[CAROM_EVENT_IMPACT]);
    CHECK_AT_MOST(info->steps, 5000);
    CHECK_AT_MOST(info->max_penetration, 1e-12);
    end(sim, model);
}
END_TEST

/* The slider x' = 1 on a floor climbs y = f(x) = 0.2 (x - 1/2)^2, without friction and without a jump of its velocity:
 *   t = 1/2 + int_{1/2}^x sqrt((1 + f'^2)/(1 - 2 g f)) dx,     by Simpson's rule */
static double arrival(double x)
{
    enum { N = 2000 };
    double h = (x - 0.5) / N, sum = 0;
    for (int i = 0; i <= N; i++) {
        double z = i * h, slope = 0.4 * z;
        sum += (i == 0 || i == N ? 1 : i % 2 ? 4 : 2) * sqrt((1 + slope * slope) / (1 - 2 * 9.81 * 0.2 * z * z));
    }
    return 0.5 + sum * h / 3;
}

START_TEST(a_ramp_is_climbed_from_the_floor)
{
    static const char text[] = "carom: 1\ncoordinates: {x: 0, y: 0}\nvelocities: {x: 1}\nkinetic: (x'^2 + y'^2)/2\n"
                               "potential: 9.81*y\ncontacts:\n  floor: {gap: y, restitution: 0}\n"
                               "  ramp: {gap: 'y - 0.2*max(0, x - 0.5)^2', restitution: 0}\n";
    static const struct { const char *scheme; double tol, allowed; } run[] = {
        {"tolerance", 1e-6, 1e-6}, {"tolerance", 1e-9, 1e-9}, {"mixed", 1e-3, 1e-8}, {"mixed:rk=radau3", 1e-3, 1e-7},
        {"mixed:rk=gauss4", 1e-3, 1e-8}};
    for (int k = 0; k < 5; k++) {
        carom_model *model;
        carom_sim *sim = begin(&model, text, run[k].scheme, run[k].tol);
        RUN(sim, 1);
        const double *q = carom_sim_state(sim)->q, *v = carom_sim_state(sim)->v;
        printf("%s: late by %.1e\n", run[k].scheme, arrival(q[0]) - 1);
        CHECK_NEAR(arrival(q[0]), 1, 3 * run[k].allowed);
        CHECK_NEAR(q[1], 0.2 * (q[0] - 0.5) * (q[0] - 0.5), 1e-12);
        CHECK_NEAR(v[1], 0.4 * (q[0] - 0.5) * v[0], 1e-9);
        CHECK_NEAR(0.5 * (v[0] * v[0] + v[1] * v[1]) + 9.81 * q[1], 0.5, 3 * run[k].allowed);
        end(sim, model);
    }
}
END_TEST

START_TEST(jaws_that_meet_are_told_with_their_time)
{
    static const char text[] = "carom: 1\ncoordinates: {x: 0}\nkinetic: x'^2/2\ncontacts:\n"
                               "  left: {gap: x + 1 - t, restitution: 0.5}\n"
                               "  right: {gap: 1 - t - x, restitution: 0.5}\n";
    static const char *const schemes[] = {"tolerance", "mixed", "moreau-jean", "crank-nicolson", "kern", "dg-minus"};
    for (int k = 0; k < 6; k++) {
        carom_model *model;
        carom_sim *sim = begin(&model, text, schemes[k], 0.01);
        ck_assert_int_ne(carom_sim_run(sim, 2), CAROM_OK);
        const char *words = carom_sim_error(sim)->text, *told = strstr(words, "t = ");
        printf("%s: %s\n", schemes[k], words);
        ck_assert_ptr_nonnull(told);
        CHECK_NEAR(atof(told + 4), 1, 0.021);
        ck_assert_msg(strstr(words, "left") || strstr(words, "right"), "%s: %s", schemes[k], words);
        end(sim, model);
    }
}
END_TEST

TEST_MAIN("contacts that nearly coincide", a_cam_that_nearly_coincides_with_a_seat_is_followed,
          a_ramp_is_climbed_from_the_floor, jaws_that_meet_are_told_with_their_time)
#else
int main(void)
{
    return 77; /* the models are texts */
}
#endif
