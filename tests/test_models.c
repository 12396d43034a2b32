/* test_models.c: every built-in model loads, starts consistently, runs and keeps its energy balance. */
#include "model_runs.h"

#ifdef CAROM_NO_YAML
SKIP_MAIN("built without libfyaml")
#else

START_TEST(the_models_that_scripts_rely_on_are_there)
{
    const char *names[] = {"bouncing-ball", "take-off",        "ball",           "free-flight",       "rest-phase",
                           "pendulum-wall", "sliding-block",   "belt",           "linear-oscillator", "stacked-balls",
                           "box",           "slider-crank",    "woodpecker",     "impact-oscillator", "newton-cradle",
                           "dome",          "rocking-block",   "point-on-plane", "vibrating-table",   "disc",
                           "pendulum-wall-cartesian", "double-pendulum-wall"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        ck_assert_msg(carom_builtin_text(names[i]), "no built-in model '%s'", names[i]);
}
END_TEST

START_TEST(every_model_says_where_it_comes_from_and_what_happens)
{
    for (int i = 0; carom_builtin_name(i); i++) {
        const char *text = carom_builtin_text(carom_builtin_name(i));
        const char *second = strchr(text, '\n');
        ck_assert_msg(strncmp(text, "# Source: ", 10) == 0, "%s: line 1 gives no source", carom_builtin_name(i));
        ck_assert_msg(strncmp(second, "\n# ", 3) == 0, "%s: line 2 says nothing", carom_builtin_name(i));
    }
}
END_TEST

START_TEST(every_model_starts_with_joints_kept_and_gaps_not_negative)
{
    for (int i = 0; carom_builtin_name(i); i++) {
        run r = begin(carom_builtin_name(i), 0, NULL);
        ck_assert_msg(carom_sim_info(r.sim)->max_penetration <= 1e-15, "%s: penetration %g at the start",
                      carom_builtin_name(i), carom_sim_info(r.sim)->max_penetration);
        end(&r);
    }
}
END_TEST

/* The largest speed at which a contact was hit. */
static double approach(const run *r)
{
    double fastest = 0;
    const carom_event *e;
    for (size_t i = 0; (e = carom_trajectory_event(r->path, i)); i++)
        fastest = fmax(fastest, -e->u_before[0]);
    return fastest;
}

/* With constant mass and stiffness the balance closes to rounding, otherwise to O(h^2). */
START_TEST(every_model_runs_and_its_energy_balance_closes)
{
    for (int i = 0; carom_builtin_name(i); i++) {
        const char *name = carom_builtin_name(i);
        run r = begin(name, 0, NULL);
        carom_status status = carom_sim_run(r.sim, carom_sim_options(r.sim)->t_end);
        const carom_info *k = carom_sim_info(r.sim);
        bool linear = (r.model->constant & CAROM_MASS) && (r.model->constant & CAROM_R_Q);
        double lost = k->dissipated_impact + k->dissipated_friction, h = carom_sim_options(r.sim)->h;
        double scale = fabs(k->energy_initial) + fabs(k->energy_final) + fabs(lost) + fabs(k->dissipated_viscous) +
                       fabs(k->work_external) + fabs(k->work_constraints);
        ck_assert_msg(status == CAROM_OK || status == CAROM_STOPPED, "%s: %s", name, carom_sim_error(r.sim)->text);
        ck_assert_msg(fabs(k->balance_error) <= (linear ? 1e-11 : 5e-4) * scale, "%s: balance error %g of %g",
                      name, k->balance_error, scale);
        ck_assert_msg(lost >= -1e-11 * scale, "%s: contacts bring the energy %g", name, -lost);
        ck_assert_msg(k->max_penetration <= h * approach(&r) + 1e-6, "%s: penetration %g, hit at %g m/s", name,
                      k->max_penetration, approach(&r));
        ck_assert_msg(k->max_residual <= 1e-9, "%s: residual %g", name, k->max_residual);
        end(&r);
    }
}
END_TEST

static bool rough(const carom_model *model)
{
    for (int c = 0; c < model->ncontact; c++)
        if (model->contact[c].directions > 0)
            return true;
    return false;
}

START_TEST(models_without_friction_lose_nothing_to_friction)
{
    int smooth = 0;
    for (int i = 0; carom_builtin_name(i); i++) {
        carom_error error;
        carom_model *model;
        carom_sim *sim;
        carom_options o = carom_options_default();
        CHECK_OK(carom_model_load(&model, carom_builtin_name(i), NULL, &error), error);
        CHECK_OK(carom_options_from_model(&o, model, &error), error);
        CHECK_OK(carom_options_set(&o, "scheme", "tolerance", &error), error);
        o.energy = true;
        if (!rough(model)) {
            CHECK_OK(carom_sim_new(&sim, model, &o, &error), error);
            carom_sim_run(sim, fmin(o.t_end, 3));
            double lost = carom_sim_info(sim)->dissipated_friction;
            ck_assert_msg(lost == 0, "%s: friction takes %g", carom_builtin_name(i), lost);
            smooth++;
            carom_sim_free(sim);
        }
        carom_model_free(model);
    }
    ck_assert_int_ge(smooth, 15);
}
END_TEST

TEST_MAIN("models", the_models_that_scripts_rely_on_are_there, every_model_says_where_it_comes_from_and_what_happens,
          every_model_starts_with_joints_kept_and_gaps_not_negative, every_model_runs_and_its_energy_balance_closes,
          models_without_friction_lose_nothing_to_friction)
#endif
