/* test_model_plugin.c: the example plugin is compiled, loaded, checked and set; others are refused.
 * Skipped when there is no compiler. Runs in the source folder. */
#include <stdarg.h>
#include <unistd.h>

#include "model/check.h"
#include "model_testing.h"

#ifdef CAROM_NO_YAML
SKIP_MAIN("built without libfyaml")
#else

static char folder[SCRATCH], library[SCRATCH + 20], path[SCRATCH + 20];

static bool run(const char *format, ...)
{
    char command[1000];
    va_list args;
    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    return system(command) == 0;
}

/* Copies the example to a folder of its own and compiles it there; false: no compiler. */
static bool compile(const char *flags)
{
    if (!run("command -v cc >/dev/null 2>&1"))
        return false;
    ck_assert_ptr_nonnull(mkdtemp(scratch_name(folder, "test")));
    snprintf(library, sizeof library, "%s/pendulum.so", folder);
    snprintf(path, sizeof path, "%s/pendulum.yaml", folder);
    ck_assert(run("cp examples/plugin/pendulum.yaml '%s'", path));
    ck_assert(run("cc -O1 -shared -fPIC -Iinclude %s examples/plugin/pendulum.c -o '%s' -lm", flags, library));
    return true;
}

static void clean(void)
{
    run("rm -r '%s'", folder);
}

START_TEST(the_example_loads_and_its_derivatives_are_right)
{
    carom_model *m = NULL;
    carom_error error = {0};
    carom_load_options options = {.size = sizeof options, .allow_plugins = true};
    if (!compile(""))
        return;
    CHECK_OK(carom_model_load(&m, path, &options, &error), error);
    ck_assert_str_eq(m->name, "pendulum in C");
    CHECK_NEAR(m->p[0], 1, 0);
    CHECK_NEAR(m->p[1], 0.4, 0); /* the file's */
    CHECK_NEAR(m->q[0], 1, 0);
    CHECK_NEAR(m->v[0], 0.5, 0);
    ck_assert_int_eq(m->nrun, 2);
    carom_verdict verdict[CAROM_VERDICTS];
    int n = 0;
    CHECK_OK(carom_model_verify(m, 4, 1, verdict, &n, &error), error);
    for (int i = 0; i < n; i++)
        ck_assert_msg(verdict[i].ok, "%s is off by %.2g", verdict[i].name, verdict[i].error);
    const char *const names[] = {"m", "q.th"};
    const double values[] = {2, 0.3};
    CHECK_OK(carom_model_set(m, names, values, 2, &error), error);
    carom_probe k = probe_of(m, CAROM_MASS | CAROM_GAP);
    carom_probe_eval(&k);
    CHECK_NEAR(k.at.M[0], 2 * 0.16, 1e-15);
    CHECK_NEAR(k.at.g[0], 0.4 * sin(0.3) + 0.1, 1e-15);
    ck_assert_int_eq(carom_model_set(m, &(const char *){"q.th"}, &(double){-1}, 1, &error), CAROM_BAD_MODEL);
    CHECK_NEAR(m->q[0], 0.3, 0);
    carom_probe_free(&k);
    carom_model_free(m);
    clean();
}
END_TEST

static void expect(carom_load_options options, const char *words)
{
    carom_model *m = NULL;
    carom_error error = {0};
    carom_status status = carom_model_load(&m, path, &options, &error);
    ck_assert_msg(status == CAROM_BAD_MODEL && strstr(error.text, words), "%s", error.text);
}

START_TEST(a_plugin_is_refused_unless_allowed_and_made_for_this_library)
{
    const carom_load_options allowed = {.size = sizeof allowed, .allow_plugins = true};
    const carom_load_options standard = {.size = sizeof standard};
    if (!compile(""))
        return;
    expect(standard, "--allow-plugins");
    ck_assert(run("rm '%s'", library));
    expect(allowed, "cannot be loaded");
    clean();
    ck_assert(
        compile("-DCAROM_PLUGIN_H -include carom.h '-DCAROM_PLUGIN_ABI=99' "
                "'-Dcarom_plugin=struct {int abi; size_t bytes; carom_status (*f)(carom_model *, carom_error *);}'"));
    expect(allowed, "ABI 99, here 2");
    clean();
    ck_assert(compile("-Dcarom_plugin_model=another_name"));
    expect(allowed, "no symbol carom_plugin_model");
    clean();
    ck_assert(compile("")); /* as it is, but with a start below the wall */
    ck_assert(run("sed -i 's/^velocities.*/coordinates: {th: -1}/' '%s'", path));
    expect(allowed, "gap of contact 'wall'");
    clean();
}
END_TEST

TEST_MAIN("model: plugins", the_example_loads_and_its_derivatives_are_right,
          a_plugin_is_refused_unless_allowed_and_made_for_this_library)
#endif
