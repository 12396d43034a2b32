/* test_model_limits.c: large models load, hostile ones fail quickly. */
#include "model_testing.h"

#ifdef CAROM_NO_YAML
SKIP_MAIN("built without libfyaml")
#else

static void expect_limit(const char *text, const char *words)
{
    carom_model *m = NULL;
    carom_error error = {0};
    carom_status status = carom_model_parse(&m, "large", text, strlen(text), NULL, &error);
    ck_assert_msg(status == CAROM_BAD_MODEL && strstr(error.text, words), "%s: %.200s", carom_status_text(status),
                  error.text);
}

START_TEST(what_would_double_with_every_line_as_a_tree_is_small_as_a_graph)
{
    size_t size = 1 << 20, n = 0;
    char *text = malloc(size);
    n = (size_t)snprintf(text, size, "carom: 1\ncoordinates: {x: 1}\nlet:\n  a0: x + 1.1\n");
    for (int i = 1; i < 100; i++)
        n += (size_t)snprintf(text + n, size - n, "  a%d: sin(a%d)*cos(a%d) + 0.5\n", i, i - 1, i - 1);
    snprintf(text + n, size - n, "kinetic: x'^2/2\npotential: a99\n");
    carom_model *m = model_of(text);
    double a = 2.1, slope = 1;
    for (int i = 1; i < 100; i++) {
        slope *= cos(2 * a);
        a = sin(a) * cos(a) + 0.5;
    }
    carom_probe k = probe_of(m, BASE);
    carom_probe_eval(&k);
    CHECK_NEAR(k.at.energy[1], a, 1e-14);
    CHECK_NEAR(k.at.F[0], -slope, 1e-12 * fabs(slope));
    carom_probe_free(&k);
    carom_model_free(m);
    free(text);
}
END_TEST

START_TEST(a_hostile_file_fails_quickly)
{
    size_t size = 1 << 20, n = 0;
    char *text = malloc(size);
    n = (size_t)snprintf(text, size, "carom: 1\nkinetic: 1\ncoordinates:\n");
    for (int i = 0; i < 300; i++)
        n += (size_t)snprintf(text + n, size - n, "  x%d: 0\n", i);
    expect_limit(text, "at most 200");
    n = (size_t)snprintf(text, size, "carom: 1\nkinetic: x'^2\ncoordinates: {x: l0}\nlet:\n");
    for (int i = 0; i < 1000; i++)
        n += (size_t)snprintf(text + n, size - n, "  l%d: l%d\n", i, i + 1);
    n += (size_t)snprintf(text + n, size - n, "  l1000: 1\n");
    expect_limit(text, "more than 200 deep");
    n = (size_t)snprintf(text, size, "carom: 1\ncoordinates:\n");
    for (int i = 0; i < 200; i++)
        n += (size_t)snprintf(text + n, size - n, "  x%d: 0\n", i);
    n += (size_t)snprintf(text + n, size - n, "let:\n  s: ");
    for (int i = 0; i < 200; i++)
        n += (size_t)snprintf(text + n, size - n, "%sx%d*cos(x%d)", i ? " + " : "", i, i);
    n += (size_t)snprintf(text + n, size - n, "\nkinetic: (");
    for (int i = 0; i < 200; i++)
        n += (size_t)snprintf(text + n, size - n, "%ssin(x%d + s)*x%d'", i ? " + " : "", i, i);
    snprintf(text + n, size - n, ")^2\n");
    expect_limit(text, "too large"); /* a full mass matrix that depends on 200 coordinates */
    free(text);
}
END_TEST

START_TEST(large_but_simple_models_load)
{
    size_t size = 1 << 20, n = 0;
    char *text = malloc(size);
    n = (size_t)snprintf(text, size, "carom: 1\nparameters: {m: 1, k: 2}\ncoordinates:\n");
    for (int i = 0; i < 200; i++)
        n += (size_t)snprintf(text + n, size - n, "  x%d: %d\n", i, i);
    n += (size_t)snprintf(text + n, size - n, "kinetic: m/2*(x0'^2");
    for (int i = 1; i < 200; i++)
        n += (size_t)snprintf(text + n, size - n, " + x%d'^2", i);
    n += (size_t)snprintf(text + n, size - n, ")\npotential: k/2*(x0^2");
    for (int i = 1; i < 200; i++)
        n += (size_t)snprintf(text + n, size - n, " + (x%d - x%d - 1)^2", i, i - 1);
    n += (size_t)snprintf(text + n, size - n, ")\ncontacts:\n");
    for (int i = 1; i < 200; i++)
        n += (size_t)snprintf(text + n, size - n, "  c%d: {gap: x%d - x%d - 0.5, restitution: 0.5}\n", i, i, i - 1);
    carom_model *m = model_of(text);
    carom_probe k = probe_of(m, BASE | CAROM_R_Q);
    k.s = 1;
    carom_probe_eval(&k);
    CHECK_NEAR(k.at.R_q[0], 4, 1e-15);
    CHECK_NEAR(k.at.R_q[1], -2, 1e-15);
    CHECK_NEAR(k.at.g[198], 0.5, 1e-15);
    ck_assert(m->constant & CAROM_JACOBIAN && m->constant & CAROM_MASS);
    carom_probe_free(&k);
    carom_model_free(m);
    free(text);
}
END_TEST

TEST_MAIN("model: limits", what_would_double_with_every_line_as_a_tree_is_small_as_a_graph,
          a_hostile_file_fails_quickly, large_but_simple_models_load)
#endif
