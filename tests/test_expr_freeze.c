/* test_expr_freeze.c: with the branches of the place where it is, a frozen model has the values of the model, in one
 * lane and in eight; with branches held it goes on smoothly. */
#include <string.h>

#include "model/model.h"
#include "testing.h"

enum { LANES = 8, MOST = 40 };

static const char text[] =
    "carom: 1\nparameters: {k: 2, c: -1}\ncoordinates: {x: 0.3, y: 0.2}\n"
    "tables: {lin: {x: [-1, 0, 2], y: [1, 0, 4], kind: linear}, per: {x: [0, 1, 2], y: [0, 1, 0], kind: linear, "
    "periodic: true}, pch: {x: [-2, -1, 0, 1], y: [0, 1, 1, 3], kind: pchip}, "
    "spl: {x: [-2, -1, 1, 2], y: [0, 1, -1, 3], kind: spline}}\n"
    "mass: {x: \"1 + max(0, x)^2\", y: \"if(k > 1, 2, 3)\"}\n"
    "force: {x: \"abs(x - y) + sign(y) - min(x, 2*y) + max(0, -x)^1.5 + mod(3*x + t, 0.7) + if(c < 0, 1, 2)\","
    " y: \"floor(5*y)*x + if(x > y and not (x' <= 0.1) or t > 1, x^2, abs(y - abs(x))) + lin(x) + per(3*y) + pch(y) + "
    "spl(abs(x - 0.5)) + (x < 0)*y'\"}\n"
    "contacts: {floor: {gap: \"y + abs(x)\", slip: \"x'*abs(x)\", friction: \"0.1 + 0.1*max(0, x)\", restitution: "
    "0}}\n";

typedef struct both {
    const carom_model *m;
    carom_probe live, frozen;
} both;

/* Branches by their values until they agree. */
static void decide(both *b)
{
    bool changed = true;
    for (int round = 0; changed && round < 10; round++) {
        changed = false;
        carom_probe_eval(&b->frozen);
        for (int i = 0; i < b->m->nswitch; i++) {
            double low, high, d = carom_model_branch(b->m, i, b->frozen.at.f[i], &low, &high);
            ck_assert(b->frozen.at.f[i] >= low && b->frozen.at.f[i] <= high);
            changed |= d != b->frozen.d[i];
            b->frozen.d[i] = d;
        }
    }
    ck_assert(!changed);
}

static double random_number(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)*seed / 2147483648.0 - 1;
}

static void place(carom_probe *p, const double *x)
{
    p->t = x[0], p->q[0] = x[1], p->q[1] = x[2], p->v[0] = x[3], p->v[1] = x[4];
}

static void compare(const char *what, const double *a, const double *b, int n)
{
    for (int i = 0; i < n; i++)
        ck_assert_msg(fabs(a[i] - b[i]) <= 1e-13 * (1 + fabs(a[i])), "%s[%d]: %.17g, frozen %.17g", what, i, a[i],
                      b[i]);
}

static both load(carom_model **m)
{
    const unsigned want = CAROM_MASS | CAROM_FORCE | CAROM_GAP | CAROM_JACOBIAN | CAROM_GAMMA | CAROM_LAW | CAROM_R_Q;
    carom_error error = {0};
    CHECK_OK(carom_model_parse(m, "text", text, strlen(text), NULL, &error), error);
    both b = {.m = *m};
    CHECK_OK(carom_probe_new(&b.live, *m, want, &error), error);
    CHECK_OK(carom_probe_new(&b.frozen, *m, want | CAROM_SWITCH, &error), error);
    return b;
}

static void drop(both *b, carom_model *m)
{
    carom_probe_free(&b->live), carom_probe_free(&b->frozen);
    carom_model_free(m);
}

START_TEST(a_frozen_model_has_the_values_of_the_model)
{
    carom_model *m;
    both b = load(&m);
    unsigned seed = 1;
    printf("%d switches\n", m->nswitch);
    ck_assert_int_ge(m->nswitch, 12); /* those of parameters alone are not counted, equal ones once */
    for (int k = 0; k < 2000; k++) {
        double x[5];
        for (int i = 0; i < 5; i++)
            x[i] = 2 * random_number(&seed);
        place(&b.live, x), place(&b.frozen, x);
        b.live.a[0] = b.frozen.a[0] = 0.7, b.live.x[0] = b.frozen.x[0] = 0.4;
        carom_probe_eval(&b.live);
        decide(&b);
        compare("M", b.live.at.M, b.frozen.at.M, 4);
        compare("F", b.live.at.F, b.frozen.at.F, 2);
        compare("g", b.live.at.g, b.frozen.at.g, 1);
        compare("G", b.live.at.G, b.frozen.at.G, 4);
        compare("gamma", b.live.at.gamma, b.frozen.at.gamma, 2);
        compare("law", b.live.at.law, b.frozen.at.law, 4);
        compare("R_q", b.live.at.R_q, b.frozen.at.R_q, 4);
    }
    drop(&b, m);
}
END_TEST

/* Fourth differences of F along a line through many switches: small with frozen branches, not without. */
START_TEST(held_branches_go_on_smoothly)
{
    carom_model *m;
    both b = load(&m);
    double frozen[2][5], live[2][5], x[5] = {0.1, 0.31, 0.22, 0.4, -0.3}, jump = 0;
    place(&b.frozen, x);
    decide(&b);
    for (int start = 0; start < 40; start++) {
        for (int i = 0; i < 5; i++) {
            double y[5] = {0.1, 0.31 + 0.01 * (start + i), 0.22, 0.4, -0.3};
            place(&b.live, y), place(&b.frozen, y);
            carom_probe_eval(&b.live), carom_probe_eval(&b.frozen);
            for (int k = 0; k < 2; k++)
                frozen[k][i] = b.frozen.at.F[k], live[k][i] = b.live.at.F[k];
        }
        for (int k = 0; k < 2; k++) {
            const double *f = frozen[k], *g = live[k];
            CHECK_AT_MOST(fabs(f[0] - 4 * f[1] + 6 * f[2] - 4 * f[3] + f[4]), 1e-12);
            jump = fmax(jump, fabs(g[0] - 4 * g[1] + 6 * g[2] - 4 * g[3] + g[4]));
        }
    }
    CHECK_AT_LEAST(jump, 0.1);
    drop(&b, m);
}
END_TEST

START_TEST(eight_lanes_give_the_bits_of_one)
{
    carom_model *m;
    both b = load(&m);
    carom_error error = {0};
    const carom_evaluator *e = carom_model_evaluator(m);
    CHECK_OK(e->prepare(m, CAROM_FORCE | CAROM_SWITCH, &error), error);
    void *wide = aligned_alloc(64, (e->work_bytes(m, LANES) + 63) / 64 * 64),
         *one = aligned_alloc(64, (e->work_bytes(m, 1) + 63) / 64 * 64);
    double t[LANES], q[2 * LANES], v[2 * LANES], p[2 * LANES], d[MOST * LANES], F[2 * LANES], f[MOST * LANES];
    unsigned seed = 7;
    ck_assert_int_le(m->nswitch, MOST);
    for (int l = 0; l < LANES; l++) {
        double x[5] = {random_number(&seed), random_number(&seed), random_number(&seed), random_number(&seed),
                       random_number(&seed)};
        place(&b.frozen, x);
        decide(&b);
        t[l] = x[0];
        for (int i = 0; i < 2; i++)
            q[i * LANES + l] = x[1 + i], v[i * LANES + l] = x[3 + i], p[i * LANES + l] = m->p[i];
        for (int i = 0; i < m->nswitch; i++)
            d[i * LANES + l] = b.frozen.d[i];
    }
    e->begin(m, LANES, p, wide);
    e->eval(m,
            &(carom_eval){.want = CAROM_FORCE | CAROM_SWITCH,
                          .lanes = LANES,
                          .t = t,
                          .q = q,
                          .v = v,
                          .p = p,
                          .d = d,
                          .F = F,
                          .f = f},
            wide);
    e->begin(m, 1, m->p, one);
    for (int l = 0; l < LANES; l++) {
        double q1[2] = {q[l], q[LANES + l]}, v1[2] = {v[l], v[LANES + l]}, d1[MOST], F1[2], f1[MOST];
        for (int i = 0; i < m->nswitch; i++)
            d1[i] = d[i * LANES + l];
        e->eval(m,
                &(carom_eval){.want = CAROM_FORCE | CAROM_SWITCH,
                              .lanes = 1,
                              .t = &t[l],
                              .q = q1,
                              .v = v1,
                              .p = m->p,
                              .d = d1,
                              .F = F1,
                              .f = f1},
                one);
        for (int i = 0; i < 2; i++)
            ck_assert_mem_eq(&F1[i], &F[i * LANES + l], sizeof(double));
        for (int i = 0; i < m->nswitch; i++)
            ck_assert_mem_eq(&f1[i], &f[i * LANES + l], sizeof(double));
    }
    free(wide), free(one);
    drop(&b, m);
}
END_TEST

TEST_MAIN_MODELS("frozen branches", a_frozen_model_has_the_values_of_the_model, held_branches_go_on_smoothly,
                 eight_lanes_give_the_bits_of_one)
