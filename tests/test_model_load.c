/* test_model_load.c: the language of model files: names, chains, tables, settings, new values, assembly. */
#include <unistd.h>

#include "model_testing.h"

#ifdef CAROM_NO_YAML
SKIP_MAIN("built without libfyaml")
#else

static double parameter(const carom_model *m, const char *name)
{
    for (int i = 0; i < m->np; i++)
        if (strcmp(m->p_name[i], name) == 0)
            return m->p[i];
    ck_abort_msg("no parameter '%s'", name);
    return 0;
}

static const char *setting(const carom_model *m, const char *key)
{
    for (int i = 0; i < m->nrun; i++)
        if (strcmp(m->run[i].key, key) == 0)
            return m->run[i].value;
    return NULL;
}

static void set(carom_model *m, const char *name, double value)
{
    carom_error error = {0};
    CHECK_OK(carom_model_set(m, &name, &value, 1, &error), error);
}

/* Parameters in any order; k and w follow m and T. */
static const char chain[] =
    "carom: 1\n"
    "name: chain\n"
    "parameters: {k: m*w^2, w: 2*pi/T, T: 4, m: 3, tau: 2*pi}\n"
    "coordinates: {x: 2*w, y: 1}\n"
    "velocities: {y: -m}\n"
    "let: {speed: sqrt(x'^2 + y'^2), twice: 2*half, half: k/2}\n"
    "kinetic: m*(x'^2 + y'^2)/2\n"
    "potential: twice*x^2/2\n"
    "forces: {y: -half*y'}\n"
    "outputs: {v: speed, k: twice}\n"
    "period: T\n"
    "stop: y < 0 or speed > 100\n"
    "impacts: sequential\n"
    "draw: {mass: {circle: [x, y, m/10], angle: speed}, way: {line: [[0, y], [x, y]], style: thin}}\n"
    "run: {t_end: 10*T, scheme: moreau-jean, h: 1e-3, scheme.theta: 1/2, solver: nsgs, every: T/8, energy: true}\n";

START_TEST(parameters_and_let_refer_to_each_other_in_any_order)
{
    carom_model *m = model_of(chain);
    const double w = 2 * acos(-1) / 4;
    ck_assert_str_eq(m->name, "chain");
    ck_assert_int_eq(m->np, 3); /* T, m, tau: k and w follow */
    CHECK_NEAR(parameter(m, "T"), 4, 0);
    CHECK_NEAR(parameter(m, "m"), 3, 0);
    CHECK_NEAR(parameter(m, "tau"), 2 * acos(-1), 1e-15);
    CHECK_NEAR(m->q[0], 2 * w, 1e-15);
    CHECK_NEAR(m->v[0], 0, 0);
    CHECK_NEAR(m->v[1], -3, 0);
    CHECK_NEAR(m->period, 4, 0);
    ck_assert(strcmp(m->impacts, "sequential") == 0 && m->stops);
    carom_probe k = probe_of(m, BASE | CAROM_R_P);
    k.s = 1;
    carom_probe_eval(&k);
    CHECK_NEAR(k.at.F[0], -3 * w * w * 2 * w, 1e-13);
    CHECK_NEAR(k.at.F[1], 3 * w * w / 2 * 3, 1e-13);
    CHECK_NEAR(k.at.outputs[0], 3, 1e-15);
    CHECK_NEAR(k.at.outputs[1], 3 * w * w, 1e-14);
    CHECK_NEAR(*k.at.stop, 0, 0);
    /* the derivative by T goes through w and k: F_x = -m (2 pi/T)^2 x, so -dF_x/dT = F_x 2/T */
    ck_assert_str_eq(m->p_name[0], "T");
    CHECK_NEAR(k.at.R_p[0], k.at.F[0] * 2 / 4, 1e-13);
    carom_probe_free(&k);
    carom_model_free(m);
}
END_TEST

START_TEST(settings_may_be_expressions_of_parameters)
{
    carom_model *m = model_of(chain);
    ck_assert_str_eq(setting(m, "t_end"), "40");
    ck_assert_str_eq(setting(m, "scheme"), "moreau-jean");
    ck_assert_str_eq(setting(m, "h"), "1e-3");
    ck_assert_str_eq(setting(m, "scheme.theta"), "0.5");
    ck_assert_str_eq(setting(m, "every"), "0.5");
    ck_assert_str_eq(setting(m, "energy"), "true");
    ck_assert_int_eq(m->run[0].line, 15);
    ck_assert_int_eq(m->run[0].column, 14);
    set(m, "T", 2);
    ck_assert_str_eq(setting(m, "t_end"), "20");
    carom_model_free(m);
}
END_TEST

START_TEST(a_section_sets_the_solver_whatever_the_order_of_its_keys)
{
    static const char text[] = "carom: 1\ncoordinates: {x: 1}\nkinetic: x'^2/2\n"
                               "solver: {iterations: 7, method: nsgs, relaxation: 1.5}\nrun: {t_end: 3}\n";
    carom_model *m = model_of(text);
    carom_error error = {0};
    carom_options options = carom_options_default(), same = carom_options_default();
    CHECK_OK(carom_options_from_model(&options, m, &error), error);
    CHECK_OK(carom_options_set(&same, "solver", "nsgs:iterations=7:relaxation=1.5", &error), error);
    ck_assert_str_eq(options.solver, "nsgs");
    ck_assert_mem_eq(options.solver_field, same.solver_field, sizeof same.solver_field);
    CHECK_NEAR(options.t_end, 3, 0);
    carom_model_free(m);
    options = carom_options_default();
    ck_assert_int_eq(carom_options_set(&options, "solver.iterations", "7", &error), CAROM_BAD_OPTION);
    ck_assert_str_eq(error.text, "solver.iterations: choose a solver first (solver = NAME)");
}
END_TEST

START_TEST(what_depends_on_a_new_value_follows)
{
    carom_model *m = model_of(chain);
    const double w = 2 * acos(-1) / 8;
    set(m, "T", 8);
    CHECK_NEAR(m->q[0], 2 * w, 1e-15);
    CHECK_NEAR(m->period, 8, 0);
    set(m, "m", 5);
    CHECK_NEAR(m->v[1], -5, 0);
    CHECK_NEAR(m->period, 8, 0); /* earlier values stay */
    set(m, "q.x", 0.25);
    set(m, "v.x", -1.5);
    set(m, "T", 4);
    CHECK_NEAR(m->q[0], 0.25, 0); /* given values win over the file's expression */
    CHECK_NEAR(m->v[0], -1.5, 0);
    carom_probe k = probe_of(m, BASE);
    carom_probe_eval(&k);
    CHECK_NEAR(k.at.F[0], -5 * 4 * w * w * 0.25, 1e-14);
    carom_probe_free(&k);
    carom_model_free(m);
}
END_TEST

START_TEST(a_parameter_that_depended_on_others_can_be_given_a_value_of_its_own)
{
    carom_model *m = model_of(chain);
    set(m, "q.y", 7);
    set(m, "k", 11);
    ck_assert_int_eq(m->np, 4);
    CHECK_NEAR(parameter(m, "k"), 11, 0);
    CHECK_NEAR(m->q[1], 7, 0);
    set(m, "m", 6); /* k stays */
    carom_probe k = probe_of(m, BASE);
    carom_probe_eval(&k);
    CHECK_NEAR(k.at.F[0], -11 * m->q[0], 1e-13);
    CHECK_NEAR(k.at.M[0], 6, 0);
    carom_probe_free(&k);
    carom_model_free(m);
    m = model_of(chain);
    const char *const both[] = {"k", "m"};
    const double values[] = {7, 2};
    carom_error error = {0};
    CHECK_OK(carom_model_set(m, both, values, 2, &error), error);
    CHECK_NEAR(parameter(m, "k"), 7, 0);
    CHECK_NEAR(parameter(m, "m"), 2, 0);
    carom_model_free(m);
}
END_TEST

START_TEST(new_values_that_are_not_sound_are_refused_and_change_nothing)
{
    carom_model *m = NULL;
    carom_error error = {0};
    CHECK_OK(carom_model_load(&m, "bouncing-ball", NULL, &error), error);
    const char *const names[] = {"g", "m"};
    const double bad[] = {3, -1};
    ck_assert_int_eq(carom_model_set(m, names, bad, 2, &error), CAROM_SINGULAR_MASS);
    ck_assert_ptr_nonnull(strstr(error.text, "smallest pivot is -1"));
    CHECK_NEAR(parameter(m, "g"), 10, 0);
    CHECK_NEAR(parameter(m, "m"), 1, 0);
    ck_assert_int_eq(carom_model_set(m, &(const char *){"q.y"}, &(double){-1}, 1, &error), CAROM_BAD_MODEL);
    CHECK_NEAR(m->q[0], 0.5, 0);
    ck_assert_int_eq(carom_model_set(m, &(const char *){"q.z"}, &(double){1}, 1, &error), CAROM_BAD_ARGUMENT);
    ck_assert_msg(strstr(error.text, "q.y") != NULL, "%s", error.text);
    ck_assert_int_eq(carom_model_set(m, &(const char *){"g"}, &(double){NAN}, 1, &error), CAROM_BAD_ARGUMENT);
    /* together they are sound: e above 1 alone would not be, and neither is checked before both are in */
    const char *const pair[] = {"q.y", "m"};
    const double good[] = {2, 0.5};
    CHECK_OK(carom_model_set(m, pair, good, 2, &error), error);
    CHECK_NEAR(m->q[0], 2, 0);
    carom_model_free(m);
}
END_TEST

START_TEST(further_expressions_may_use_the_names_of_the_model)
{
    carom_model *m = model_of(chain);
    carom_error error = {0};
    const double q[2] = {0.5, 2}, v[2] = {3, 4};
    int e = -1;
    CHECK_OK(carom_model_expression_text(m, "speed + k*x + t", &e, &error), error);
    const double w = 2 * acos(-1) / 4;
    CHECK_NEAR(carom_model_value(m, e, 10, q, v, m->p), 5 + 3 * w * w * 0.5 + 10, 1e-13);
    ck_assert_int_eq(carom_model_expression_text(m, "2*sped", &e, &error), CAROM_BAD_MODEL);
    ck_assert_msg(strstr(error.text, "expression:1:3: unknown name 'sped'; did you mean 'speed'?") != NULL, "%s",
                  error.text);
    const carom_model by_hand = {.size = sizeof by_hand, .name = "by hand"};
    ck_assert_int_eq(carom_model_expression_text(&by_hand, "1", &e, &error), CAROM_UNSUPPORTED);
    carom_model_free(m);
}
END_TEST

START_TEST(mass_and_force_are_taken_as_written)
{
    carom_model *m = model_of("carom: 1\nparameters: {J: 2}\ncoordinates: {x: 1, y: 0}\nvelocities: {x: 3}\n"
                              "mass: {y: J + x, x: 1}\nforce: {x: -x - x', y: 4*t}\nforces: {y: 1}\n");
    carom_probe k = probe_of(m, BASE);
    k.t = 2;
    carom_probe_eval(&k);
    const double M[4] = {1, 0, 0, 3}, F[2] = {-4, 9}, energy[4] = {4.5, 0, -3, -9};
    CHECK_ARRAY(k.at.M, M, 4, 0);
    CHECK_ARRAY(k.at.F, F, 2, 0);
    CHECK_ARRAY(k.at.energy, energy, 4, 1e-15);
    carom_probe_free(&k);
    carom_model_free(m);
}
END_TEST

/* ---- tables ---- */
static double table_value(const char *definition, const char *expression, double t)
{
    char text[1000];
    snprintf(text, sizeof text,
             "carom: 1\ncoordinates: {x: 0}\nkinetic: x'^2/2\ntables:\n  f: %s\noutputs: {value: \"%s\"}\n",
             definition, expression);
    carom_model *m = model_of(text);
    carom_probe k = probe_of(m, BASE);
    k.t = t;
    carom_probe_eval(&k);
    double value = k.at.outputs[0];
    carom_probe_free(&k);
    carom_model_free(m);
    return value;
}

START_TEST(tables_interpolate_measured_functions)
{
    CHECK_NEAR(table_value("{x: [0, 1, 3], y: [1, 3, 7]}", "f(t)", 2.2), 5.4, 1e-14); /* a line stays a line */
    CHECK_NEAR(table_value("{points: [[0, 0], [1, 2], [2, 0]], kind: linear}", "f(t)", 1.25), 1.5, 1e-15);
    CHECK_NEAR(table_value("{points: [[0, 0], [1, 2], [2, 0]], kind: linear, periodic: true}", "f(t)", 7.25), 1.5,
               1e-14);
    CHECK_NEAR(table_value("{points: [[0, 0], [1, 2], [2, 0]], kind: pchip}", "f(t)", 1), 2, 1e-15);
}
END_TEST

START_TEST(tables_come_from_files_beside_the_model)
{
    char folder[SCRATCH], path[SCRATCH + 20];
    ck_assert_ptr_nonnull(mkdtemp(scratch_name(folder, "test")));
    snprintf(path, sizeof path, "%s/data.csv", folder);
    FILE *file = fopen(path, "w");
    fputs("# measured\nangle, lift\n0, 0\n1,2\r\n2;4\n3 6\n", file);
    fclose(file);
    snprintf(path, sizeof path, "%s/model.yaml", folder);
    file = fopen(path, "w");
    fputs("carom: 1\ncoordinates: {x: 1}\nkinetic: x'^2/2\npotential: -f(x)\n"
          "tables: {f: {file: data.csv, kind: linear}}\n", file);
    fclose(file);
    carom_model *m = NULL;
    carom_error error = {0};
    carom_status status = carom_model_load(&m, path, NULL, &error);
    ck_assert_msg(status == CAROM_BAD_MODEL && strstr(error.text, "data.csv:2: two numbers"), "%s", error.text);
    snprintf(path, sizeof path, "%s/data.csv", folder);
    file = fopen(path, "w");
    fputs("angle, lift\n# measured\n0, 0\n1,2\r\n2;4\n3 6\n", file);
    fclose(file);
    snprintf(path, sizeof path, "%s/model.yaml", folder);
    CHECK_OK(carom_model_load(&m, path, NULL, &error), error);
    carom_probe k = probe_of(m, BASE);
    k.q[0] = 1.5;
    carom_probe_eval(&k);
    CHECK_NEAR(k.at.F[0], 2, 1e-14);
    carom_probe_free(&k);
    carom_model_free(m);
    remove(path);
    snprintf(path, sizeof path, "%s/data.csv", folder);
    remove(path);
    rmdir(folder);
}
END_TEST

/* ---- joints ---- */
static const char linkage[] =
    "carom: 1\n"
    "parameters: {l: 1}\n"
    "coordinates: {x: 0.7, y: -0.6, z: 0.4}\n"
    "velocities: {x: 1, y: 0.5, z: 0.2}\n"
    "kinetic: (x'^2 + 4*y'^2 + z'^2)/2\n"
    "constraints:\n"
    "  rod: x^2 + y^2 = l^2\n"
    "  slot: z - x*y - sin(t)\n"
    "  again: 2*x^2 + 2*y^2 - 2*l^2\n"; /* redundant */

START_TEST(assembly_moves_the_start_onto_redundant_joints_along_mass_weighted_normals)
{
    carom_model *m = NULL;
    carom_error error = {0};
    carom_load_options options = {.size = sizeof options, .assemble = true};
    ck_assert_int_eq(carom_model_parse(&m, "linkage", linkage, strlen(linkage), NULL, &error), CAROM_BAD_MODEL);
    ck_assert_msg(strstr(error.text, "linkage:7:8: constraint 'rod' is violated") && strstr(error.text, "--assemble"),
                  "%s", error.text);
    CHECK_OK(carom_model_parse(&m, "linkage", linkage, strlen(linkage), &options, &error), error);
    ck_assert_msg(strstr(options.note, "moved onto the constraints") != NULL, "'%s'", options.note);
    carom_probe k = probe_of(m, BASE);
    carom_probe_eval(&k);
    for (int i = 0; i < 3; i++) {
        double u = k.at.w[i];
        for (int j = 0; j < 3; j++)
            u += k.at.G[3 * i + j] * k.v[j];
        CHECK_NEAR(k.at.g[i], 0, 1e-14);
        CHECK_NEAR(u, 0, 1e-14);
    }
    /* M (v - v0) is a combination of the gradients of rod and slot */
    double dv[3] = {k.v[0] - 1, 4 * (k.v[1] - 0.5), k.v[2] - 0.2}, *a = k.at.G, *b = k.at.G + 3;
    double triple = dv[0] * (a[1] * b[2] - a[2] * b[1]) + dv[1] * (a[2] * b[0] - a[0] * b[2]) +
                    dv[2] * (a[0] * b[1] - a[1] * b[0]);
    CHECK_NEAR(triple, 0, 1e-13);
    set(m, "l", 1.2); /* assembled again */
    CHECK_NEAR(m->q[0] * m->q[0] + m->q[1] * m->q[1], 1.44, 1e-14);
    carom_probe_free(&k);
    carom_model_free(m);
}
END_TEST

START_TEST(assembly_says_when_there_is_nothing_to_move_to)
{
    const char *text = "carom: 1\ncoordinates: {x: 0.5}\nkinetic: x'^2/2\nconstraints: {never: x^2 + 1}\n";
    carom_model *m = NULL;
    carom_error error = {0};
    carom_load_options options = {.size = sizeof options, .assemble = true};
    ck_assert_int_eq(carom_model_parse(&m, "never", text, strlen(text), &options, &error), CAROM_NOT_CONVERGED);
    ck_assert_ptr_null(m);
}
END_TEST

/* ---- what there is ---- */
START_TEST(a_model_is_a_path_or_a_built_in_name)
{
    carom_model *m = NULL;
    carom_error error = {0};
    ck_assert_int_eq(carom_model_load(&m, "bouncing-bal", NULL, &error), CAROM_FILE);
    ck_assert_msg(strstr(error.text, "did you mean 'bouncing-ball'?") != NULL, "%s", error.text);
    ck_assert_int_eq(carom_model_load(&m, "no/such/file.yaml", NULL, &error), CAROM_FILE);
    ck_assert_int_eq(carom_model_load(&m, "", NULL, &error), CAROM_BAD_ARGUMENT);
    ck_assert_ptr_nonnull(carom_builtin_text("bouncing-ball"));
    ck_assert_ptr_null(carom_builtin_text("bouncing"));
    ck_assert_ptr_null(carom_builtin_name(-1));
    carom_model_free(NULL);
}
END_TEST

TEST_MAIN("model: loading", parameters_and_let_refer_to_each_other_in_any_order,
          settings_may_be_expressions_of_parameters, a_section_sets_the_solver_whatever_the_order_of_its_keys,
          further_expressions_may_use_the_names_of_the_model,
          what_depends_on_a_new_value_follows, a_parameter_that_depended_on_others_can_be_given_a_value_of_its_own,
          new_values_that_are_not_sound_are_refused_and_change_nothing, mass_and_force_are_taken_as_written,
          tables_interpolate_measured_functions, tables_come_from_files_beside_the_model,
          assembly_moves_the_start_onto_redundant_joints_along_mass_weighted_normals,
          assembly_says_when_there_is_nothing_to_move_to, a_model_is_a_path_or_a_built_in_name)
#endif
