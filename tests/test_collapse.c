/* test_collapse.c: a light body between heavy ones that close is struck infinitely often in a finite time. Its gaps
 * fall below rounding long before the heavy ones are slow; what the impacts lead to is known from momentum alone. */
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
    o.rtol = o.atol = tol, o.h = 1e-3, o.energy = true;
    CHECK_OK(carom_sim_new(&sim, *model, &o, &error), error);
    return sim;
}

static void end(carom_sim *sim, carom_model *model)
{
    carom_sim_free(sim);
    carom_model_free(model);
}

/* Impacts one after the other, flights as parabolas: when they have all but ended, or the gap has gone. */
typedef struct fall {
    double t, y, v, Y, V; /* the light ball over the floor, the heavy one over it */
    int impacts;
} fall;

static fall impacts_until(double t_end, double M, double e_floor, double e_balls)
{
    const double g = 9.81;
    fall s = {0, 1, 0, 2, 0, 0};
    for (;;) {
        double down = (s.v + sqrt(s.v * s.v + 2 * g * s.y)) / g, up = s.v > s.V ? (s.Y - s.y) / (s.v - s.V) : INFINITY;
        double x = fmin(fmin(down, up), t_end - s.t);
        s.y += s.v * x - g * x * x / 2, s.v -= g * x, s.Y += s.V * x - g * x * x / 2, s.V -= g * x, s.t += x;
        if (s.t >= t_end || s.impacts == 100000)
            return s;
        if (up < down) {
            double P = (1 + e_balls) * (s.v - s.V) * M / (M + 1);
            s.v -= P, s.V += P / M;
            s.y = s.Y;
        } else {
            s.v *= -e_floor, s.y = 0;
        }
        s.impacts++;
    }
}

START_TEST(a_heavy_ball_on_a_light_one_comes_to_rest_on_it)
{
    static const char *const schemes[] = {"tolerance", "mixed", "tolerance"};
    static const double tol[] = {1e-6, 1e-6, 1e-9}, e[][2] = {{0.5, 0.5}, {0.57, 0.58}, {0.3, 0.05}, {0.03, 0.4}};
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 4; i++) {
            for (double M = 1e2; M < 2e8; M *= 100) {
                char text[500];
                carom_model *model;
                snprintf(text, sizeof text,
                         "carom: 1\ncoordinates: {y: 1, Y: 2}\nkinetic: y'^2/2 + %g*Y'^2/2\n"
                         "potential: 9.81*(y + %g*Y)\n"
                         "contacts: {floor: {gap: y, restitution: %g}, balls: {gap: Y - y, restitution: %g}}\n",
                         M, M, e[i][0], e[i][1]);
                carom_sim *sim = begin(&model, text, schemes[k], tol[k]);
                const carom_state *s = carom_sim_state(sim);
                if (i < 2) {
                    RUN(sim, 0.638); /* some impacts */
                    fall exact = impacts_until(0.638, M, e[i][0], e[i][1]);
                    ck_assert_int_ge(exact.impacts, 3);
                    CHECK_NEAR(s->q[0], exact.y, 10 * tol[k]);
                    CHECK_NEAR(s->q[1], exact.Y, 10 * tol[k]);
                }
                RUN(sim, 2);
                if (i < 2) { /* else the light ball rests when it is met, and the impact is one of both contacts */
                    CHECK_NEAR(s->q[0], 0, 1e-12);
                    CHECK_NEAR(s->q[1], 0, 1e-12);
                    CHECK_NEAR(s->v[1], 0, 1e-9);
                    double lost = carom_sim_info(sim)->dissipated_impact, all = 9.81 * (1 + 2 * M);
                    CHECK_NEAR(lost, all, 1e-5 * all);
                }
                end(sim, model);
            }
        }
    }
}
END_TEST

/* No floor and no weight: momentum is all that is left. */
START_TEST(two_heavy_bodies_and_a_light_one_go_on_together)
{
    static const char *const schemes[] = {"tolerance", "mixed"};
    for (int k = 0; k < 2; k++) {
        for (double M = 1e3; M < 2e9; M *= 100) {
            char text[500];
            carom_model *model;
            snprintf(text, sizeof text,
                     "carom: 1\ncoordinates: {a: -1, b: 0, c: 1}\nvelocities: {a: 1}\n"
                     "kinetic: (%g*a'^2 + b'^2 + 2*%g*c'^2)/2\n"
                     "contacts: {l: {gap: b - a, restitution: 0.5}, r: {gap: c - b, restitution: 0.4}}\n",
                     M, M);
            carom_sim *sim = begin(&model, text, schemes[k], 1e-8);
            RUN(sim, 5);
            const double *v = carom_sim_state(sim)->v, *q = carom_sim_state(sim)->q, v_exact = M / (3 * M + 1);
            printf("%s, M = %g: v = %.10g %.10g %.10g, after %ld impacts\n", schemes[k], M, v[0], v[1], v[2],
                   carom_sim_info(sim)->events[CAROM_EVENT_IMPACT]);
            for (int i = 0; i < 3; i++)
                CHECK_NEAR(v[i], v_exact, 1e-6);
            CHECK_NEAR(q[2] - q[0], 0, 1e-6);
            CHECK_NEAR(M * q[0] + q[1] + 2 * M * q[2] - M - 5 * M, 0, 1e-7 * M); /* the centre of mass */
            end(sim, model);
        }
    }
}
END_TEST

/* Two boxes on two feet each fall flat, the upper one far heavier; they stay as they land. */
#define FOOT(low, up, y, X, Y)                                                                                      \
    "  " low ": {gap: y + " y ", slip: \"x' - " y "*p'\", friction: 0.5, restitution: 0}\n"                         \
    "  " up ": {gap: \"-sin(p)*(X + " X " - x) + cos(p)*(Y + " Y " - y) - 0.25\", friction: 0.5, restitution: 0, "  \
    "slip: \"cos(p)*(X' - " Y "*P' - x' + (Y + " Y " - y)*p') + "                                                   \
    "sin(p)*(Y' + " X "*P' - y' - (X + " X " - x)*p')\"}\n"
START_TEST(a_heavy_box_and_a_light_one_land_flat)
{
    static const char *const schemes[] = {"tolerance", "mixed", "mixed:rk=radau3"};
    for (int k = 0; k < 3; k++) {
        for (double M = 1; M < (k ? 2e8 : 2e4); M *= 1e4) { /* beyond, tolerance meets rounding */
            char text[4000];
            carom_model *model;
            snprintf(text, sizeof text,
                     "carom: 1\nparameters: {M: %g}\ncoordinates: {x: 0, y: 0.3, p: 0, X: 0, Y: 0.8, P: 0}\n"
                     "let: {J: 17/48, yl: -sin(p) - 0.25*cos(p), yr: sin(p) - 0.25*cos(p), "
                     "Xl: -cos(P) + 0.25*sin(P), Yl: -sin(P) - 0.25*cos(P), "
                     "Xr: cos(P) + 0.25*sin(P), Yr: sin(P) - 0.25*cos(P)}\n"
                     "kinetic: (x'^2 + y'^2 + J*p'^2 + M*(X'^2 + Y'^2 + J*P'^2))/2\npotential: 9.81*(y + M*Y)\n"
                     "contacts:\n%s%s", M, FOOT("l", "L", "yl", "Xl", "Yl"), FOOT("r", "R", "yr", "Xr", "Yr"));
            carom_sim *sim = begin(&model, text, schemes[k], 1e-7);
            RUN(sim, 0.3);
            const double *q = carom_sim_state(sim)->q, at[] = {0, 0.25, 0, 0, 0.75, 0};
            for (int i = 0; i < 6; i++)
                CHECK_NEAR(q[i], at[i], 1e-6);
            end(sim, model);
        }
    }
}
END_TEST

TEST_MAIN("inelastic collapse", a_heavy_box_and_a_light_one_land_flat, a_heavy_ball_on_a_light_one_comes_to_rest_on_it,
          two_heavy_bodies_and_a_light_one_go_on_together)
#else
int main(void)
{
    return 77; /* the models are texts */
}
#endif
