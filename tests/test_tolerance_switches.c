/* test_tolerance_switches.c: forces with if, abs, sign, min, max, floor, mod and tables keep the tolerance: steps end
 * where a branch changes. References are exact, piece by piece. */
#include "tolerance_testing.h"

static carom_model *parse(const char *text)
{
    carom_error error = {0};
    carom_model *model;
    CHECK_OK(carom_model_parse(&model, "text", text, strlen(text), NULL, &error), error);
    return model;
}

static carom_model *force(const char *force, const char *start)
{
    char text[4000];
    int n = snprintf(text, sizeof text, "carom: 1\n%s\nmass: {x: 1}\nforce: {x: \"%s\"}\n", start, force);
    ck_assert_int_lt(n, (int)sizeof text);
    return parse(text);
}

/* x'' = -k1 x for x > 0, -k2 x for x < 0, from (1, 0) */
typedef struct springs { double k1, k2; } springs;
static void two_springs(const void *user, double t, double *q)
{
    const springs *s = user;
    double w1 = sqrt(s->k1), w2 = sqrt(s->k2);
    t = fmod(t + M_PI / (2 * w1), M_PI / w1 + M_PI / w2);
    q[0] = t < M_PI / w1 ? sin(w1 * t) : -w1 / w2 * sin(w2 * (t - M_PI / w1));
}

/* x'' = -x + force of the piece [k P, (k+1) P): c_k + b (t - k P), from rest */
typedef struct wave { double P; double c[2], b; } wave;
static void driven(const void *user, double t, double *q)
{
    const wave *w = user;
    double x = 0, v = 0;
    for (int k = 0;; k++) {
        double c = w->c[k % 2], d = fmin(t - k * w->P, w->P), A = x - c, B = v - w->b, C = cos(d), S = sin(d);
        x = A * C + B * S + c + w->b * d;
        v = -A * S + B * C + w->b;
        if (d < w->P)
            break;
    }
    q[0] = x;
}

/* x'' = -max(-1, min(1, 4 x)), from (1, 0): three pieces of a quarter period, then by symmetry */
static void saturated(const void *user, double t, double *q)
{
    (void)user;
    double t1 = sqrt(1.5), speed = sqrt(1.5), amplitude = hypot(0.25, speed / 2), half = 0.5 * asin(0.25 / amplitude);
    double quarter = t1 + half, phase = fmod(t, 4 * quarter), sign = 1;
    if (phase > 2 * quarter)
        phase -= 2 * quarter, sign = -1;
    if (phase > quarter)
        phase = 2 * quarter - phase, sign = -sign;
    q[0] = sign * (phase < t1 ? 1 - phase * phase / 2 : amplitude * sin(2 * (quarter - phase)));
}

typedef struct problem {
    const char *name, *force, *start;
    positions *exact;
    const void *user;
    double T;
} problem;

static const springs if_springs = {1, 9}, abs_springs = {1.5, 0.5}, one_sided = {1, 50};
static const wave square = {M_PI / 3, {1, -1}, 0}, saw = {0.7, {0, 0}, 1}, stairs = {1.5, {1, -0.5}, 0};
static const problem problems[] = {
    {"if", "-if(x > 0, 1, 9)*x", "coordinates: {x: 1}", two_springs, &if_springs, 10},
    {"not, and", "-if(not (x > 0 and t > -1), 9*x, x)", "coordinates: {x: 1}", two_springs, &if_springs, 10},
    {"abs", "-x - 0.5*abs(x)", "coordinates: {x: 1}", two_springs, &abs_springs, 10},
    {"max", "-x + 49*max(0, -x)", "coordinates: {x: 1}", two_springs, &one_sided, 10},
    {"linear table", "-f(x)", "tables: {f: {x: [-1, 0, 1], y: [-9, 0, 1], kind: linear}}\ncoordinates: {x: 1}",
     two_springs,
     &if_springs, 10},
    {"sign(sin)", "-x + sign(sin(3*t))", "coordinates: {x: 0}", driven, &square, 20},
    {"mod", "-x + mod(t, 0.7)", "coordinates: {x: 0}", driven, &saw, 20},
    {"mod, if", "-x + if(mod(t, 3) < 1.5, 1, -0.5)", "coordinates: {x: 0}", driven, &stairs, 20},
    {"floor", "-x + if(mod(floor(t/1.5), 2) == 0, 1, -0.5)", "coordinates: {x: 0}", driven, &stairs, 20},
    {"min, max", "-max(-1, min(1, 4*x))", "coordinates: {x: 1}", saturated, NULL, 20},
};
enum { PROBLEMS = sizeof problems / sizeof *problems };

static double error_at(const problem *p, double tol, const char *scheme, bool located, long *evaluations,
                       long *switches)
{
    carom_model *m = force(p->force, p->start);
    ck_assert_int_gt(m->nswitch, 0);
    if (!located)
        m->nswitch = 0;
    run r = begin(m, scheme, tol, 0, p->T);
    ck_assert_msg(carom_sim_run(r.sim, p->T) == CAROM_OK, "%s, tol %g: %s", p->name, tol, carom_sim_error(r.sim)->text);
    double e = error_of(&r, 1, p->exact, p->user);
    *evaluations = carom_sim_info(r.sim)->rhs_evaluations;
    *switches = carom_sim_info(r.sim)->switches;
    end(&r);
    carom_model_free(m);
    return e;
}

START_TEST(the_tolerance_is_kept_through_all_kinds_of_switches)
{
    int above = 0, all = 0;
    for (int i = 0; i < PROBLEMS; i++)
        for (int k = 0; k < TOLERANCES; k++) {
            long evaluations, switches, plain, none;
            double tol = tolerances[k], e = error_at(&problems[i], tol, "tolerance", true, &evaluations, &switches);
            double without = error_at(&problems[i], tol, "tolerance", false, &plain, &none);
            printf("%-12s tol %.0e: error %8.2g tol, %5ld evaluations, %3ld switches; not located: %8.2g tol, %7ld\n",
                   problems[i].name, tol, e / tol, evaluations, switches, without / tol, plain);
            ck_assert_int_eq(none, 0);
            ck_assert_int_ge(switches, 3);
            CHECK_AT_MOST(e, 10 * tol);
            above += e > 3 * tol;
            all++;
        }
    ck_assert_int_le(above, all / 10);
}
END_TEST

START_TEST(switches_cost_little_more_than_smooth_forces)
{
    carom_model *smooth = force("-2*x", "coordinates: {x: 1}");
    for (int k = 0; k < TOLERANCES; k++) {
        run r = begin(smooth, "tolerance", tolerances[k], 0, 10);
        ck_assert_int_eq(carom_sim_run(r.sim, 10), CAROM_OK);
        long reference = carom_sim_info(r.sim)->rhs_evaluations, evaluations, switches;
        end(&r);
        /* abs: the same mean frequency */
        error_at(&problems[2], tolerances[k], "tolerance", true, &evaluations, &switches);
        printf("tol %.0e: smooth %ld, with %ld switches %ld\n", tolerances[k], reference, switches, evaluations);
        CHECK_AT_MOST((double)evaluations, 1.3 * (double)reference + 45.0 * (double)switches);
    }
    carom_model_free(smooth);
}
END_TEST

START_TEST(without_location_the_tolerance_is_lost_or_paid_for_dearly)
{
    int lost = 0, dear = 0;
    for (int i = 0; i < PROBLEMS; i++) {
        long evaluations, switches, plain;
        error_at(&problems[i], 1e-9, "tolerance", true, &evaluations, &switches);
        double e = error_at(&problems[i], 1e-9, "tolerance", false, &plain, &switches);
        lost += e > 10e-9;
        dear += plain > 2 * evaluations;
    }
    printf("without location: %d of %d beyond 10 tol, %d at more than twice the evaluations\n", lost, PROBLEMS, dear);
    ck_assert_int_ge(lost, 2);
}
END_TEST

START_TEST(the_implicit_method_locates_them_too)
{
    for (int i = 0; i < PROBLEMS; i++)
        for (double tol = 1e-4; tol > 1e-9; tol *= 1e-2) {
            long evaluations, switches;
            double e = error_at(&problems[i], tol, "tolerance:method=radau5", true, &evaluations, &switches);
            CHECK_AT_MOST(e, 10 * tol);
        }
}
END_TEST

/* The observed order of steps of constant length. */
static double order_of(const problem *p, const char *scheme, double h)
{
    double e[2];
    carom_model *m = force(p->force, p->start);
    for (int k = 0; k < 2; k++) {
        run r = begin(m, scheme, 1e-6, h / (1 << k), p->T);
        ck_assert_msg(carom_sim_run(r.sim, p->T) == CAROM_OK, "%s: %s", scheme, carom_sim_error(r.sim)->text);
        e[k] = error_of(&r, 1, p->exact, p->user);
        end(&r);
    }
    carom_model_free(m);
    return log2(e[0] / e[1]);
}

START_TEST(mixed_keeps_its_order_through_switches)
{
    static const struct { const char *scheme; double h, order; } cases[] = {
        {"mixed:rk=erk3", 0.0371, 3}, {"mixed:rk=erk4", 0.0371, 4}, {"mixed:rk=erk5", 0.0771, 5}, {"mixed:rk=radau3",
         0.0371, 3},
        {"mixed:rk=radau5", 0.1171, 5}, {"mixed:rk=gauss4", 0.0571, 4}, {"mixed:rk=gauss6", 0.1971, 6}};
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++)
        for (int p = 0; p < PROBLEMS; p += 5) {
            double order = order_of(&problems[p], cases[i].scheme, cases[i].h);
            printf("%-16s %-10s order %.2f\n", cases[i].scheme, problems[p].name, order);
            CHECK_AT_LEAST(order, cases[i].order - 0.35);
        }
}
END_TEST

/* A ball on a floor that comes down and goes up again: height 0.3 |t - 1|; elastic to e = 0.8. */
static void over_a_wedge(const void *user, double t_end, double *q)
{
    (void)user;
    double t = 0, y = 1, v = 0, g = 1, e = 0.8;
    for (;;) {
        double rate = t < 1 ? -0.3 : 0.3, floor = 0.3 * fabs(t - 1), limit = t < 1 ? fmin(1, t_end) : t_end;
        double h = y - floor, u = v - rate, root = (u + sqrt(u * u + 2 * g * fmax(h, 0))) / g,
               d = fmin(root, limit - t);
        y += v * d - g * d * d / 2, v -= g * d, t += d;
        if (t >= t_end || !(t < t_end))
            break;
        if (d == root)
            y = 0.3 * fabs(t - 1), v = rate - e * (v - rate);
    }
    q[0] = y;
}

START_TEST(a_gap_with_a_kink_keeps_the_tolerance)
{
    carom_model *m = parse("carom: 1\ncoordinates: {y: 1}\nmass: {y: 1}\nforce: {y: -1}\n"
                           "contacts: {floor: {gap: \"y - 0.3*abs(t - 1)\", restitution: 0.8}}\n");
    for (int k = 0; k < TOLERANCES; k++) {
        run r = begin(m, "tolerance", tolerances[k], 0, 6);
        ck_assert_msg(carom_sim_run(r.sim, 6) == CAROM_OK, "%s", carom_sim_error(r.sim)->text);
        double e = error_of(&r, 1, over_a_wedge, NULL);
        printf("wedge tol %.0e: error %.2g tol, %ld switches, %ld impacts\n", tolerances[k], e / tolerances[k],
               carom_sim_info(r.sim)->switches, carom_sim_info(r.sim)->events[CAROM_EVENT_IMPACT]);
        ck_assert_int_eq(carom_sim_info(r.sim)->switches, 1);
        CHECK_AT_MOST(e, 3 * tolerances[k]);
        end(&r);
    }
    carom_model_free(m);
}
END_TEST

static void cosine(const void *user, double t, double *q)
{
    (void)user;
    q[0] = cos(t);
}

START_TEST(a_switch_that_is_touched_or_begins_at_zero_or_coincides_with_others_is_harmless)
{
    static const char *const forces[] = {
        "-x + 5*max(0, x - 1)",                          /* touched once a period, 0 at the start */
        "-x + 5*max(0, -x - 1) + max(0, x - 1)",
        "-x + if(x > 0, 1, 0) - if(-2*x < 0, 1, 0)",     /* one switch in two forms */
        "-x + abs(x) - abs(x^3)^(1/3)",                  /* two that vanish together */
        "-x + 1e-3*(sign(t - 2) - sign(sin(t - 2)))*if(abs(t - 2) < 3, 1, 0)", /* at the same instant */
        "-abs(abs(abs(x) - 2) - 2)*sign(x)",             /* one inside another */
    };
    for (int i = 0; i < (int)(sizeof forces / sizeof *forces); i++)
        for (int k = 0; k < TOLERANCES; k++) {
            carom_model *m = force(forces[i], "coordinates: {x: 1}");
            run r = begin(m, "tolerance", tolerances[k], 0, 10);
            ck_assert_msg(carom_sim_run(r.sim, 10) == CAROM_OK, "%s: %s", forces[i], carom_sim_error(r.sim)->text);
            double e = error_of(&r, 1, cosine, NULL);
            printf("%-70s tol %.0e: error %.2g tol, %ld steps, %ld switches\n", forces[i], tolerances[k],
                   e / tolerances[k], carom_sim_info(r.sim)->steps, carom_sim_info(r.sim)->switches);
            CHECK_AT_MOST(e, 10 * tolerances[k]);
            CHECK_AT_MOST((double)carom_sim_info(r.sim)->steps, 5000);
            end(&r);
            carom_model_free(m);
        }
}
END_TEST

START_TEST(hundreds_of_switches_and_fast_ones_are_all_found)
{
    char text[8000] = "-x";
    for (int i = 0; i < 150; i++) /* |x - a| + |x + a| - |x - a| - |x + a|, in forms that do not cancel by themselves */
        snprintf(text + strlen(text), sizeof text - strlen(text), "+abs(x-%g)-max(x-%g,%g-x)", 0.01 * i, 0.01 * i,
                 0.01 * i);
    char model[9000];
    snprintf(model, sizeof model, "carom: 1\ncoordinates: {x: 1}\nmass: {x: 1}\nforce: {x: \"%s\"}\n", text);
    carom_model *m = parse(model);
    ck_assert_int_eq(m->nswitch, 150);
    run r = begin(m, "tolerance", 1e-8, 0, 6);
    ck_assert_int_eq(carom_sim_run(r.sim, 6), CAROM_OK);
    printf("%ld switches, %ld evaluations\n", carom_sim_info(r.sim)->switches, carom_sim_info(r.sim)->rhs_evaluations);
    CHECK_AT_LEAST((double)carom_sim_info(r.sim)->switches, 195);
    CHECK_AT_MOST(error_of(&r, 1, cosine, NULL), 10e-8);
    end(&r);
    carom_model_free(m);

    const wave fast = {M_PI / 300, {1, -1}, 0};
    m = force("-x + sign(sin(300*t))", "coordinates: {x: 0}");
    for (int k = 0; k < TOLERANCES; k++) {
        r = begin(m, "tolerance", tolerances[k], 0, 3);
        ck_assert_int_eq(carom_sim_run(r.sim, 3), CAROM_OK);
        ck_assert_int_eq(carom_sim_info(r.sim)->switches, (long)(3 * 300 / M_PI));
        CHECK_AT_MOST(error_of(&r, 1, driven, &fast), 3 * tolerances[k]);
        end(&r);
    }
    carom_model_free(m);
}
END_TEST

/* A frozen branch goes on beyond its end: powers and roots must not make it fail, and must not hide a force without
 * value. */
START_TEST(branches_with_roots_are_followed_and_missing_values_are_still_an_error)
{
    carom_model *m = force("-1 + if(x < 0, 1000*(-x)^1.5, 0)", "coordinates: {x: 1}"),
                *n = force("-1 + 1000*max(0, -x)^1.5", "coordinates: {x: 1}");
    run a = begin(m, "tolerance", 1e-9, 0, 4), b = begin(n, "tolerance", 1e-9, 0, 4);
    ck_assert_int_eq(carom_sim_run(a.sim, 4), CAROM_OK);
    ck_assert_int_eq(carom_sim_run(b.sim, 4), CAROM_OK);
    CHECK_AT_LEAST((double)carom_sim_info(a.sim)->switches, 2);
    CHECK_NEAR(carom_sim_state(a.sim)->q[0], carom_sim_state(b.sim)->q[0], 1e-7);
    double x = carom_sim_state(a.sim)->q[0], v = carom_sim_state(a.sim)->v[0]; /* energy v^2/2 + x + 400 (-x)^2.5 = 1 */
    CHECK_NEAR(v * v / 2 + x + 400 * pow(fmax(0, -x), 2.5), 1, 3e-8);
    end(&a), end(&b);
    carom_model_free(m), carom_model_free(n);

    m = force("if(x > -10, sqrt(1 - t), 0)", "coordinates: {x: 1}");
    a = begin(m, "tolerance", 1e-6, 0, 2);
    ck_assert_int_eq(carom_sim_run(a.sim, 2), CAROM_NOT_FINITE);
    CHECK_AT_MOST(carom_sim_state(a.sim)->t, 1 + 1e-9);
    end(&a);
    carom_model_free(m);
}
END_TEST

START_TEST(native_code_and_a_restart_give_the_same_bits)
{
    const problem *p = &problems[0];
    char text[500];
    carom_error error = {0};
    carom_load_options jit = {.size = sizeof jit, .jit = true};
    carom_model *native, *m = force(p->force, p->start);
    snprintf(text, sizeof text, "carom: 1\n%s\nmass: {x: 1}\nforce: {x: \"%s\"}\n", p->start, p->force);
    CHECK_OK(carom_model_parse(&native, "text", text, strlen(text), &jit, &error), error);
    run a = begin(m, "tolerance", 1e-7, 0, 10), b = begin(native, "tolerance", 1e-7, 0, 10),
        c = begin(m, "tolerance", 1e-7, 0, 10);
    ck_assert_int_eq(carom_sim_run(a.sim, 10), CAROM_OK);
    ck_assert_int_eq(carom_sim_run(b.sim, 10), CAROM_OK);
    ck_assert_mem_eq(carom_sim_state(a.sim)->q, carom_sim_state(b.sim)->q, sizeof(double));
    while (carom_sim_info(c.sim)->switches < 3)
        ck_assert_int_eq(carom_sim_step(c.sim), CAROM_OK);
    size_t bytes = carom_sim_save(c.sim, NULL, 0);
    void *saved = malloc(bytes);
    ck_assert_uint_eq(carom_sim_save(c.sim, saved, bytes), bytes);
    run d = begin(m, "tolerance", 1e-7, 0, 10);
    ck_assert_int_eq(carom_sim_load(d.sim, saved, bytes), CAROM_OK);
    ck_assert_int_eq(carom_sim_run(d.sim, 10), CAROM_OK);
    ck_assert_mem_eq(carom_sim_state(a.sim)->q, carom_sim_state(d.sim)->q, sizeof(double));
    ck_assert_mem_eq(carom_sim_state(a.sim)->v, carom_sim_state(d.sim)->v, sizeof(double));
    free(saved);
    end(&a), end(&b), end(&c), end(&d);
    carom_model_free(m), carom_model_free(native);
}
END_TEST

TEST_MAIN_MODELS("switches", the_tolerance_is_kept_through_all_kinds_of_switches,
                 switches_cost_little_more_than_smooth_forces,
                 without_location_the_tolerance_is_lost_or_paid_for_dearly, the_implicit_method_locates_them_too,
                 mixed_keeps_its_order_through_switches, a_gap_with_a_kink_keeps_the_tolerance,
                 a_switch_that_is_touched_or_begins_at_zero_or_coincides_with_others_is_harmless,
                 hundreds_of_switches_and_fast_ones_are_all_found,
                 branches_with_roots_are_followed_and_missing_values_are_still_an_error,
                 native_code_and_a_restart_give_the_same_bits)
