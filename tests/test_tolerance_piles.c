/* test_tolerance_piles.c: `tolerance` takes piles of rough discs to rest, where many bounces and slips end at
 * once: against time stepping with small steps, and against itself at other tolerances. */
#include "tolerance_testing.h"

enum { N = 8 };
/* x and velocity; the first four begin at y = .12, the others at .33 */
static const double calm[N][3] = {{0.107075, 0.3474, 0.2638}, {0.318041, -0.0046, -0.0505},
                                  {0.531213, 0.2887, -0.4061}, {0.736227, 0.3358, -0.0672},
                                  {0.162098, -0.4979, -0.0546}, {0.371772, -0.2712, 0.4453},
                                  {0.583211, -0.4694, -0.4746}, {0.790331, 0.4391, -0.1188}};
static const double lively[N][3] = {{0.113648, 0.4478, -0.4434}, {0.316679, 0.3355, 0.2360},
                                    {0.531358, -0.1919, 0.1059}, {0.740854, 0.0812, -0.3416},
                                    {0.159445, -0.1065, 0.2230}, {0.373959, 0.4494, 0.0442},
                                    {0.579559, -0.2318, -0.4641}, {0.786220, -0.0351, -0.1815}};

static carom_model *pile(const double at[N][3], double e)
{
    char text[2000];
    int k = snprintf(text, sizeof text, "carom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
                     "  floor: {fixed: true, shape: {plane: [0, 1]}}\n  left: {fixed: true, shape: {plane: [1, 0]}}\n"
                     "  right: {fixed: true, at: [0.92, 0], shape: {plane: [-1, 0]}}\n");
    for (int i = 0; i < N; i++)
        k += snprintf(text + k, sizeof text - (size_t)k,
                      "  d%d: {shape: {circle: 0.1}, mass: 1, at: [%g, %g], velocity: [%g, %g]}\n", i, at[i][0],
                      i < 4 ? 0.12 : 0.33, at[i][1], at[i][2]);
    snprintf(text + k, sizeof text - (size_t)k, "laws:\n  default: {friction: 0.5, restitution: %g}\n", e);
    return parse_text(text);
}

static double apart(const run *a, const run *b)
{
    double most = 0;
    for (int i = 0; i < 3 * N; i++)
        most = fmax(most, fabs(carom_sim_state(a->sim)->q[i] - carom_sim_state(b->sim)->q[i]));
    return most;
}

static run taken_to(const carom_model *model, const char *scheme, double tol, double h, double t)
{
    run r = begin(model, scheme, tol, h, t);
    ck_assert_msg(carom_sim_run(r.sim, t) == CAROM_OK, "%s, tol %g: %s", scheme, tol, carom_sim_error(r.sim)->text);
    return r;
}

/* Motions of piles are sensitive: what one tolerance is off by grows with each impact that follows. */
static void check_rest(const double at[N][3], double e, double factor)
{
    carom_model *model = pile(at, e);
    run best = taken_to(model, "tolerance", SANITIZED ? 1e-6 : 1e-8, 0, 1.6);
    for (int i = 0; i < 3 * N; i++)
        CHECK_NEAR(carom_sim_state(best.sim)->v[i], 0, 1e-7);
    for (int k = 0; k < (SANITIZED ? 1 : 2); k++) {
        double tol = k ? 1e-6 : 1e-4;
        run r = taken_to(model, "tolerance", tol, 0, 1.6);
        printf("e = %g, tol %g: off by %.2g\n", e, tol, apart(&r, &best));
        CHECK_AT_MOST(apart(&r, &best), factor * tol);
        end(&r);
    }
    end(&best);
    carom_model_free(model);
}

START_TEST(discs_that_do_not_bounce_come_to_rest_in_a_pile) { check_rest(lively, 0, 20); }
END_TEST
START_TEST(discs_that_bounce_come_to_rest_in_a_pile)
{
    if (!SANITIZED)
        check_rest(lively, 0.5, 200);
}
END_TEST

START_TEST(a_pile_is_that_of_time_stepping)
{
    carom_model *model = pile(calm, 0);
    run best = taken_to(model, "tolerance", 1e-8, 0, 0.5);
    for (double h = 1e-4; h > (SANITIZED ? 5e-5 : 2e-5); h /= 4) {
        run r = taken_to(model, "moreau-jean", 1e-8, h, 0.5);
        printf("h = %g: off by %.2g\n", h, apart(&r, &best));
        CHECK_AT_MOST(apart(&r, &best), 10 * h);
        end(&r);
    }
    end(&best);
    carom_model_free(model);
}
END_TEST

TEST_MAIN("tolerance, piles of discs", discs_that_do_not_bounce_come_to_rest_in_a_pile,
          discs_that_bounce_come_to_rest_in_a_pile, a_pile_is_that_of_time_stepping)
