/* test_tolerance_slip.c: contacts that leave sticking slip against their friction, whatever the tolerance. */
#include "tolerance_testing.h"

static void end_of(const char *name, const char *scheme, double tol, double h, double t_end, double *q)
{
    run r = simulate(name, "", scheme, tol, h, t_end);
    const carom_state *state = carom_sim_state(r.sim);
    for (int i = 0; i < r.model->nq; i++)
        q[i] = state->q[i];
    CHECK_AT_MOST(fabs(carom_sim_info(r.sim)->balance_error), h > 0 ? 1 : 100 * tol);
    end(&r);
}

/* The left ball rolls off the end of the plank, sticks to its edge first, then slips. What the trial of a step leaves
 * of the velocity of a contact that sticks must not tell the direction of its slip. */
START_TEST(a_ball_that_rolls_over_an_edge_slips_off_it)
{
    static const char seesaw[] = "models/bodies/seesaw.yaml";
    enum { N = 7 };
    double exact[MOST_Q], q[MOST_Q];
    NEEDS_MODELS;
    end_of(seesaw, "tolerance", 1e-10, 0, 1, exact);
    for (double tol = 1e-3; tol > 5e-9; tol /= 10) {
        end_of(seesaw, "tolerance", tol, 0, 1, q);
        for (int i = 0; i < N; i++)
            ck_assert_msg(fabs(q[i] - exact[i]) <= 10 * tol, "tol %g: q[%d] = %.10g, not %.10g", tol, i, q[i],
                          exact[i]);
    }
    double half[MOST_Q], apart = 0, off = 0; /* another family, within three times its own estimate */
    end_of(seesaw, "moreau-jean", 1e-10, 2e-4, 1, q);
    end_of(seesaw, "moreau-jean", 1e-10, 1e-4, 1, half);
    for (int i = 0; i < N; i++)
        apart = fmax(apart, fabs(half[i] - q[i])), off = fmax(off, fabs(half[i] - exact[i]));
    printf("moreau-jean: %.2e off, its two steps %.2e apart\n", off, apart);
    CHECK_AT_MOST(off, 3 * apart);
}
END_TEST

TEST_MAIN_MODELS("tolerance slip", a_ball_that_rolls_over_an_edge_slips_off_it)
