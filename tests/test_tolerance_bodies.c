/* test_tolerance_bodies.c: `tolerance` on rows, walls and heaps of bodies, where slip begins and ends at many corners
 * at a time: they go on, keep their energy, and are where time stepping with small steps is. */
#include "tolerance_testing.h"

static double apart(const run *a, const run *b)
{
    double most = 0;
    for (int i = 0; i < a->model->nq; i++)
        most = fmax(most, fabs(carom_sim_state(a->sim)->q[i] - carom_sim_state(b->sim)->q[i]));
    return most;
}

static run taken_to(const carom_model *model, const char *scheme, double tol, double h, double t)
{
    run r = begin(model, scheme, tol, h, t);
    ck_assert_msg(carom_sim_run(r.sim, t) == CAROM_OK, "%s, tol %g: %s", scheme, tol, carom_sim_error(r.sim)->text);
    return r;
}

static void check_rest(const run *r)
{
    for (int i = 0; i < r->model->nv; i++)
        CHECK_NEAR(carom_sim_state(r->sim)->v[i], 0, 1e-8);
}

/* The first of them moves the last by 1e-10 of its own acceleration: what slips there does so by less than modes are
 * judged by, and no force of sticking holds it. */
START_TEST(a_row_of_fallen_dominoes_comes_to_rest)
{
    static const char text[] =
        "carom: 1\nparameters: {n: 11, w: 0.008, h: 0.045, gap: 0.016, push: 8}\nspace: planar\ngravity: [0, -9.81]\n"
        "bodies:\n  table: {fixed: true, shape: {plane: [0, 1]}}\n"
        "  domino: {repeat: {i: n}, shape: {box: [w, h]}, density: 800, at: [i*(w + gap), h/2]}\n"
        "laws: {default: {friction: 0.4, restitution: 0}}\n"
        "start: {\"domino[0].angle'\": -push, \"domino[0].x'\": push*h/2, \"domino[0].y'\": push*w/2}\n";
    carom_model *model = parse_text(text);
    run best = taken_to(model, "tolerance", 1e-6, 0, SANITIZED ? 0.55 : 1);
    if (!SANITIZED) {
        run steps = taken_to(model, "moreau-jean", 1e-8, 1e-3, 1);
        printf("11 dominoes: off by %.2g, balance %.2g\n", apart(&steps, &best),
               carom_sim_info(best.sim)->balance_error);
        CHECK_AT_MOST(apart(&steps, &best), 0.03);
        check_rest(&best);
        end(&steps);
    }
    CHECK_NEAR(carom_sim_info(best.sim)->balance_error, 0, 1e-6);
    end(&best);
    carom_model_free(model);
}
END_TEST

TEST_MAIN("tolerance, many bodies", a_row_of_fallen_dominoes_comes_to_rest)
