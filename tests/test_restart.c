/* test_restart.c: a simulation that is begun anew, with other parameters or the old ones, is as one that was just made:
 * nothing that a scheme has kept from its last run shows. And what every scheme costs. */
#include <string.h>

#include "core/core.h"
#include "running.h"

/* Forces of unlike functions of time, of which some vanish with a parameter. */
static const char driven[] = "carom: 1\nparameters: {a: 1, b: 0.5, c: 0.25, k: 4, e: 0.5}\n"
                             "coordinates: {x: 0.5, y: 1}\nkinetic: (x'^2 + y'^2)/2\npotential: k*(y - x - 0.5)^2/2\n"
                             "forces: {x: a*t + b*cos(3*t) - 1, y: t^2/4 + c*sin(5*t) + 0.1*cos(5*t) - 1}\n"
                             "contacts: {floor: {gap: x + a*0.1*cos(3*t) - 0.1*a, restitution: e}, "
                             "top: {gap: 2.5 - y, restitution: e}}\n";

typedef struct image { /* of a simulation, to the last bit */
    size_t size;
    void *bytes;
} image;

static image image_of(const carom_sim *sim)
{
    image i = {.size = carom_sim_save(sim, NULL, 0)};
    i.bytes = malloc(i.size);
    ck_assert_uint_eq(carom_sim_save(sim, i.bytes, i.size), i.size);
    return i;
}

static bool same(image a, image b)
{
    bool yes = a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0;
    free(a.bytes), free(b.bytes);
    return yes;
}

static void check(const carom_model *model, const char *name, const char *scheme, const double *p, double t_end)
{
    carom_sim *used, *fresh;
    carom_error error = {0};
    carom_options o = carom_options_default();
    CHECK_OK(carom_options_set(&o, "scheme", scheme, &error), error);
    o.h = t_end / 300, o.t_end = t_end, o.energy = true, o.rtol = o.atol = 1e-6;
    if (carom_sim_new(&used, model, &o, &error) != CAROM_OK) /* the scheme does not take it */
        return;
    carom_status first = carom_sim_run(used, t_end), again = carom_sim_restart(used, NULL, NULL, p);
    image begin = image_of(used);
    again = again == CAROM_OK ? carom_sim_run(used, t_end) : again;
    CHECK_OK(carom_sim_new(&fresh, model, &o, &error), error);
    carom_status other = carom_sim_restart(fresh, NULL, NULL, p);
    ck_assert_msg(same(begin, image_of(fresh)), "%s, %s: begins otherwise", name, scheme);
    other = other == CAROM_OK ? carom_sim_run(fresh, t_end) : other;
    ck_assert_msg(again == other && same(image_of(used), image_of(fresh)),
                  "%s, %s, other parameters: differs from a new run: %s; %s", name, scheme, carom_sim_error(used)->text,
                  carom_sim_error(fresh)->text);
    carom_sim_free(fresh);
    CHECK_OK(carom_sim_new(&fresh, model, &o, &error), error);
    ck_assert_int_eq(carom_sim_run(fresh, t_end), first);
    again = carom_sim_restart(used, NULL, NULL, NULL);
    again = again == CAROM_OK ? carom_sim_run(used, t_end) : again;
    ck_assert_msg(again == first && same(image_of(used), image_of(fresh)),
                  "%s, %s, the old parameters: differs from the first run", name, scheme);
    carom_sim_free(used), carom_sim_free(fresh);
}

START_TEST(a_simulation_that_is_begun_anew_is_as_new)
{
    for (int i = -1; i < 0 || carom_builtin_name(i); i++) {
        const char *name = i < 0 ? "driven" : carom_builtin_name(i), *text = i < 0 ? driven : carom_builtin_text(name);
        carom_model *model;
        carom_error error = {0};
        CHECK_OK(carom_model_parse(&model, name, text, strlen(text), NULL, &error), error);
        double p[64], t_end = i < 0 ? 4 : 1;
        ck_assert_int_le(model->np, 64);
        for (int k = 0; k < model->np; k++)
            p[k] = i < 0 && k < 3 ? 0 : 0.97 * model->p[k];
        for (int s = 0; carom_scheme_method(s); s++)
            check(model, name, carom_scheme_method(s)->name, p, t_end);
        carom_model_free(model);
    }
}
END_TEST

/* Newton's method of a scheme with a wrong derivative still ends at its solution, only later; so does a bad guess.
 * The bounds are a twentieth above what half a second of each of these needs. */
START_TEST(schemes_need_no_more_work_than_they_are_known_to)
{
    static const char *const models[] = {"box", "woodpecker", "slider-crank", "disc", "billiard-ball", "point-on-plane",
                                         "stribeck", "pendulum-wall-cartesian", "double-pendulum-wall", "dimer"};
    static const struct budget {
        const char *scheme;
        long evaluations, newton, solver;
    } budgets[] = {
        {"tolerance", 47910, 0, 47717},
        {"moreau-jean", 4991, 4991, 2080},
        {"moreau-jean-projected", 5273, 5273, 2315},
        {"schatzman-paoli", 16644, 5545, 2850},
        {"mixed", 106704, 0, 91250},
        {"mixed:rk=gauss4", 81371, 0, 91240},
        {"crank-nicolson", 10972, 4844, 2697},
        {"dg-minus", 12296, 0, 5938},
        {"dg-plus", 30568, 0, 12753},
        {"dg-plus:degree=3", 40866, 0, 16351},
    };
    for (int s = 0; s < CAROM_COUNT(budgets) && !SANITIZED; s++) {
        long evaluations = 0, newton = 0, solver = 0;
        for (int i = 0; i < CAROM_COUNT(models); i++) {
            carom_model *model;
            carom_error error = {0};
            CHECK_OK(carom_model_load(&model, models[i], NULL, &error), error);
            carom_sim *sim;
            carom_options o = carom_options_default();
            CHECK_OK(carom_options_set(&o, "scheme", budgets[s].scheme, &error), error);
            o.h = 2e-3, o.rtol = o.atol = 1e-7;
            if (carom_sim_new(&sim, model, &o, &error) == CAROM_OK) {
                carom_sim_run(sim, 0.5); /* or as far as it comes */
                const carom_info *info = carom_sim_info(sim);
                evaluations += info->rhs_evaluations, newton += info->newton_iterations;
                solver += info->solver_iterations;
                carom_sim_free(sim);
            }
            carom_model_free(model);
        }
        const struct budget *most = &budgets[s];
        ck_assert_msg(evaluations <= most->evaluations && newton <= most->newton && solver <= most->solver,
                      "%s: %ld evaluations, %ld iterations of Newton's, %ld of solvers", most->scheme, evaluations,
                      newton, solver);
    }
}
END_TEST

TEST_MAIN_MODELS("restart", a_simulation_that_is_begun_anew_is_as_new,
                 schemes_need_no_more_work_than_they_are_known_to)
