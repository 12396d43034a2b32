/* test_rotation.c: positions that are no vectors: every scheme on a free top, tangents through a frictional impact. */
#include "analysis/converge/norms.h"
#include "model/check.h"
#include "output/output.h"
#include "rotating.h"

static carom_options choose(const char *scheme, double h, double t_end)
{
    carom_error error = {0};
    carom_options o = carom_options_default();
    CHECK_OK(carom_options_set(&o, "scheme", scheme, &error), error);
    o.h = h, o.t_end = t_end;
    return o;
}

/* ---- schemes -------------------------------------------------------------------------------------------- */

static double error_of(const carom_model *model, const carom_options *options)
{
    carom_error error = {0};
    carom_sim *sim;
    CHECK_OK(carom_sim_new(&sim, model, options, &error), error);
    CHECK_OK(carom_sim_run(sim, options->t_end), *carom_sim_error(sim));
    const carom_state *s = carom_sim_state(sim);
    double e = top_error(s->t, s->q, s->v);
    carom_sim_free(sim);
    return e;
}

/* Takes the scheme the model? If not it says why in a sentence. */
static bool takes(const carom_model *model, const carom_options *options)
{
    carom_error error = {0};
    carom_sim *sim;
    carom_status status = carom_sim_new(&sim, model, options, &error);
    if (status == CAROM_OK) {
        carom_sim_free(sim);
        return true;
    }
    ck_assert_int_eq(status, CAROM_UNSUPPORTED);
    ck_assert_msg(strstr(error.text, "top") != NULL, "%s", error.text);
    return false;
}

/* Measured against declared order; 1: the scheme was tried. */
static int try_order(const carom_model *model, const char *scheme)
{
    enum { HALVINGS = 6 };
    double declared, impact, e[HALVINGS], order = 0;
    carom_options o = choose(scheme, 1, 2);
    carom_scheme_orders(&o, &declared, &impact);
    if (!takes(model, &o) || declared == 0)
        return 0;
    double h = declared > 4 ? 0.5 : 0.1;
    int n = declared > 4 ? 3 : 5;
    for (int k = 0; k < n; k++) {
        o.h = h / (1 << k);
        e[k] = error_of(model, &o);
        if (k > 0 && e[k] > (n > 3 ? 1e-10 : 3e-12)) /* above what the iterations of many, of few steps leave */
            order = log2(e[k - 1] / e[k]);
    }
    printf("%-24s declared %g, measured %.2f, error %.1e at h = %g\n", scheme, declared, order, e[n - 1], o.h);
    ck_assert_msg(order >= declared - 0.2, "%s: order %.2f, declared %g", scheme, order, declared);
    return 1;
}

/* A scheme as it is, with every choice of its enums, and with every degree. */
static int try_all(const carom_model *model, const carom_method *method)
{
    char text[200];
    int tried = try_order(model, method->name);
    for (const carom_field *f = method->fields; f && f->name; f++) {
        int low = 0, high = -1;
        if (f->type == CAROM_FIELD_INT && strcmp(f->name, "degree") == 0)
            high = 5;
        for (const char *c = f->type == CAROM_FIELD_ENUM ? f->choices : ""; *c;) {
            int length = (int)strcspn(c, " ");
            snprintf(text, sizeof text, "%s:%s=%.*s", method->name, f->name, length, c);
            tried += try_order(model, text);
            c += length + (c[length] == ' ');
        }
        for (int k = low; k <= high; k++) {
            snprintf(text, sizeof text, "%s:%s=%d", method->name, f->name, k);
            tried += try_order(model, text);
        }
    }
    return tried;
}

START_TEST(a_free_top_has_the_declared_order_with_every_scheme_that_takes_it)
{
    carom_model model = top_model();
    int tried = 0, refused = 0;
    for (int i = 0; carom_scheme_method(i); i++) {
        carom_options o = choose(carom_scheme_method(i)->name, 0.1, 1);
        refused += !takes(&model, &o);
        tried += try_all(&model, carom_scheme_method(i));
    }
    ck_assert_int_eq(refused, 1); /* closed forms of linear motion */
    CHECK_AT_LEAST(tried, 25);
}
END_TEST

/* Without forces a top that is s times as fast is at t/s where it would be at t. */
START_TEST(slow_and_fast_tops_turn_alike_with_every_scheme_of_given_steps)
{
    carom_model model = top_model();
    int tried = 0;
    for (int i = 0; carom_scheme_method(i); i++) {
        double declared, impact, q[3][4], v[3];
        carom_options o = choose(carom_scheme_method(i)->name, 0.1, 2);
        carom_scheme_orders(&o, &declared, &impact);
        if (declared == 0 || !takes(&model, &o))
            continue;
        for (int k = 0; k < 3; k++) {
            double s = k == 0 ? 1 : k == 1 ? 0x1p-20 : 0x1p20;
            carom_model other = model;
            carom_error error = {0};
            carom_sim *sim;
            for (int j = 0; j < 3; j++)
                v[j] = s * model.v[j];
            other.v = v;
            o.h = 0.1 / s;
            CHECK_OK(carom_sim_new(&sim, &other, &o, &error), error);
            CHECK_OK(carom_sim_run(sim, 2 / s), *carom_sim_error(sim));
            memcpy(q[k], carom_sim_state(sim)->q, sizeof q[k]);
            for (int j = 0; j < 4; j++)
                CHECK_NEAR(q[k][j], q[0][j], 1e-12);
            carom_sim_free(sim);
        }
        tried++;
    }
    ck_assert_int_ge(tried, 6);
}
END_TEST

START_TEST(a_chosen_tolerance_is_kept_against_elliptic_functions)
{
    carom_model model = top_model();
    static const char *methods[] = {"tolerance:method=dp5", "tolerance:method=radau5", "tolerance"};
    for (int k = 0; k < CAROM_COUNT(methods); k++)
        for (double tol = 1e-4; tol > 1e-11; tol /= 100) {
            carom_error error = {0};
            carom_options o = choose(methods[k], 0, 10);
            carom_sim *sim;
            carom_trajectory *trajectory;
            double most = 0, q[4], v[3];
            o.rtol = o.atol = tol;
            CHECK_OK(carom_sim_new(&sim, &model, &o, &error), error);
            CHECK_OK(carom_trajectory_new(&trajectory, sim, &error), error);
            CHECK_OK(carom_sim_run(sim, 10), *carom_sim_error(sim));
            const carom_state *s = carom_sim_state(sim);
            double end = top_error(s->t, s->q, s->v);
            for (double t = 0.05; t < 10; t += 0.05) {
                CHECK_OK(carom_trajectory_at(trajectory, t, 1, q, v), error);
                CHECK_NEAR(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1, 1e-14);
                most = fmax(most, top_error(t, q, v));
            }
            printf("%-24s %g: at the end %.1e, on the way %.1e, %ld steps\n", methods[k], tol, end, most,
                   carom_sim_info(sim)->steps);
            CHECK_AT_MOST(end, 5 * tol);
            CHECK_AT_MOST(most, 10 * tol);
            carom_trajectory_free(trajectory);
            carom_sim_free(sim);
        }
}
END_TEST

/* ---- contact ------------------------------------------------------------------------------------------- */

START_TEST(rows_and_derivatives_of_a_body_are_those_of_differences_along_its_velocities)
{
    carom_model given = ellipsoid_model();
    carom_verdict verdict[CAROM_VERDICTS];
    carom_error error = {0};
    int count = 0;
    CHECK_OK(carom_model_verify(&given, 20, 1, verdict, &count, &error), error);
    CHECK_AT_LEAST(count, 6);
    for (int i = 0; i < count; i++) /* columns of differences that vanish are judged by their noise */
        ck_assert_msg(verdict[i].ok || (verdict[i].differenced && verdict[i].error < 1e-2), "%s is off by %.1e",
                      verdict[i].name, verdict[i].error);
}
END_TEST

/* Where the ellipsoid is at t_end. */
static void land(const carom_options *options, double q[7], double v[6])
{
    carom_model model = ellipsoid_model();
    carom_error error = {0};
    carom_sim *sim;
    CHECK_OK(carom_sim_new(&sim, &model, options, &error), error);
    CHECK_OK(carom_sim_run(sim, options->t_end), *carom_sim_error(sim));
    ck_assert_int_eq(carom_sim_info(sim)->events[CAROM_EVENT_IMPACT], 1);
    memcpy(q, carom_sim_state(sim)->q, 7 * sizeof *q);
    memcpy(v, carom_sim_state(sim)->v, 6 * sizeof *v);
    carom_sim_free(sim);
}

START_TEST(a_frictional_impact_of_a_spinning_body_converges_with_every_scheme_that_takes_it)
{
    carom_model model = ellipsoid_model();
    carom_options fine = choose("tolerance", 0, 0.6);
    double q[7], v[6], x[7], u[6], xi[6];
    fine.rtol = fine.atol = 1e-12;
    land(&fine, q, v);
    for (int i = 0; carom_scheme_method(i); i++) {
        double smooth, order, most[2] = {0};
        carom_options o = choose(carom_scheme_method(i)->name, 0, 0.6);
        carom_scheme_orders(&o, &smooth, &order);
        if (order == 0)
            continue;
        for (int k = 0; k < 2; k++) {
            o.h = 1.0 / (k ? 4000 : 500);
            land(&o, x, u);
            place_local(model.user, q, x, xi);
            for (int j = 0; j < 6; j++)
                most[k] = fmax(most[k], fmax(fabs(xi[j]), fabs(u[j] - v[j])));
        }
        printf("%-24s declared %g through impacts, error %.1e at h = 1/500, %.1e at 1/4000\n", o.scheme, order, most[0],
               most[1]);
        CHECK_AT_MOST(most[1], fmax(1e-9, 40 * pow(o.h, fmin(order, 2))));
        CHECK_AT_MOST(most[1], fmax(1e-9, 0.5 * most[0]));
    }
}
END_TEST

/* ---- tangents ------------------------------------------------------------------------------------------- */
enum { NV = 6, NX = 2 * NV };

/* x: local coordinates and velocities at t, from the start displaced by s along direction j, around (q, v). */
static void flow(carom_sim *sim, const carom_model *m, int j, double s, double t, const double *q, double *x)
{
    double start_q[7], start_v[NV], xi[NV] = {0};
    memcpy(start_v, m->v, sizeof start_v);
    *(j < NV ? &xi[j] : &start_v[j - NV]) += s;
    place_drift(m->user, m->q, xi, start_q);
    CHECK_OK(carom_sim_restart(sim, start_q, start_v, NULL), *carom_sim_error(sim));
    CHECK_OK(carom_sim_run(sim, t), *carom_sim_error(sim));
    place_local(m->user, q, carom_sim_state(sim)->q, x);
    memcpy(x + NV, carom_sim_state(sim)->v, sizeof(double) * NV);
}

static void tangent_and_differences(const carom_model *m, double t, long impacts, carom_mode mode)
{
    static const double weight[] = {1.0 / 12, -8.0 / 12, 0, 8.0 / 12, -1.0 / 12};
    carom_error error = {0};
    carom_options o = choose("tolerance", 0, t);
    carom_sim *sim;
    carom_tangent *tangent;
    double X[NX * NX] = {0}, D[NX * NX] = {0}, q[7], x[NX], most = 0, off = 0, delta = 5e-4;
    o.rtol = o.atol = 1e-12;
    for (int i = 0; i < NX; i++)
        X[i * NX + i] = 1;
    CHECK_OK(carom_sim_new(&sim, m, &o, &error), error);
    CHECK_OK(carom_tangent_new(&tangent, sim, NX, &error), error);
    CHECK_OK(carom_tangent_start(tangent, X, NULL), *carom_tangent_error(tangent));
    CHECK_OK(carom_sim_run(sim, t), *carom_sim_error(sim));
    ck_assert_int_eq(carom_tangent_error(tangent)->status, CAROM_OK);
    ck_assert_int_eq(carom_sim_info(sim)->events[CAROM_EVENT_IMPACT], impacts);
    ck_assert_int_eq(carom_sim_state(sim)->mode[0], mode);
    memcpy(X, carom_tangent_columns(tangent), sizeof X);
    memcpy(q, carom_sim_state(sim)->q, sizeof q);
    carom_sim_free(sim);
    carom_tangent_free(tangent);
    CHECK_OK(carom_sim_new(&sim, m, &o, &error), error);
    for (int j = 0; j < NX; j++)
        for (int k = -2; k <= 2; k++) {
            if (k == 0)
                continue;
            flow(sim, m, j, k * delta, t, q, x);
            ck_assert_int_eq(carom_sim_info(sim)->events[CAROM_EVENT_IMPACT], impacts);
            for (int i = 0; i < NX; i++)
                D[i * NX + j] += weight[k + 2] / delta * x[i];
        }
    for (int i = 0; i < NX * NX; i++)
        most = fmax(most, fabs(D[i])), off = fmax(off, fabs(D[i] - X[i]));
    printf("t = %g, %ld impacts: largest entry %.3g, off by %.1e of it\n", t, impacts, most, off / most);
    CHECK_AT_MOST(off / most, 1e-6);
    carom_sim_free(sim);
}

START_TEST(the_tangent_of_a_body_that_lands_and_slides_is_that_of_differences)
{
    carom_model m = ellipsoid_model();
    carom_contact soft = m.contact[0];
    soft.restitution = 0, soft.friction = 0.1;
    m.contact = &soft;
    tangent_and_differences(&m, 0.5, 1, CAROM_SLIP);
}
END_TEST

START_TEST(the_tangent_of_a_free_body_is_that_of_differences)
{
    carom_model m = ellipsoid_model();
    tangent_and_differences(&m, 0.3, 0, CAROM_OPEN);
}
END_TEST

START_TEST(the_tangent_through_a_frictional_impact_of_a_spinning_body_is_that_of_differences)
{
    carom_model m = ellipsoid_model();
    double q[7];
    memcpy(q, m.q, sizeof q);
    q[2] = 20; /* one impact in 3 s */
    m.q = q;
    tangent_and_differences(&m, 3, 1, CAROM_OPEN);
}
END_TEST

/* ---- what is told of a run ------------------------------------------------------------------------------ */

START_TEST(tables_and_summaries_have_all_positions_and_all_velocities)
{
    carom_model m = ellipsoid_model();
    carom_options o = choose("tolerance", 0, 0.5);
    carom_error error = {0};
    carom_sim *sim;
    carom_sink *sink;
    char *table = NULL, *words = NULL;
    size_t size;
    FILE *stream = open_memstream(&table, &size);
    CHECK_OK(carom_sim_new(&sim, &m, &o, &error), error);
    carom_sink_info info = {.size = sizeof info};
    CHECK_OK(carom_sink_new(&sink, "-", stream, &m, NULL, &info, 0.1, &error), error);
    carom_observer observer = carom_sink_observer(sink);
    CHECK_OK(carom_sim_observe(sim, &observer), error);
    CHECK_OK(carom_sim_run(sim, 0.5), *carom_sim_error(sim));
    CHECK_OK(carom_sink_close(sink, &error), error);
    fclose(stream);
    ck_assert_msg(strstr(table, ",q0,q1,q2,q3,q4,q5,q6,v0,v1,v2,v3,v4,v5,ground") != NULL, "%s", table);
    for (int text = 0; text < 2; text++) {
        stream = open_memstream(&words, &size);
        carom_summary summary = {.size = sizeof summary, .model = &m, .options = &o, .state = carom_sim_state(sim),
                                 .info = carom_sim_info(sim)};
        CHECK_OK((text ? carom_summary_text : carom_summary_json)(&summary, "memory", stream, &error), error);
        fclose(stream);
        ck_assert_msg(strstr(words, text ? "\n  q6 = " : "\"q6\": ") != NULL, "%s", words);
        ck_assert_msg(strstr(words, text ? "\n  v5 = " : "\"v5\": ") != NULL, "%s", words);
        free(words);
    }
    free(table);
    carom_sim_free(sim);
}
END_TEST

START_TEST(a_path_for_norms_follows_positions_that_are_no_vectors)
{
    carom_model m = top_model();
    carom_options o = choose("tolerance", 0, 5);
    carom_error error = {0};
    carom_path *path;
    double most = 0;
    o.rtol = o.atol = 1e-8;
    CHECK_OK(carom_path_run(&path, &m, &o, NULL, NULL, &error), error);
    for (size_t k = 0; k < path->npiece; k++)
        for (double s = 0; s <= 1; s += 0.25) {
            const carom_piece *piece = &path->piece[k];
            double x[7] = {0};
            for (int i = 0; i < 7; i++)
                for (int d = piece->degree; d >= 0; d--)
                    x[i] = x[i] * s + piece->c[d * path->n + i];
            most = fmax(most, top_error(piece->t0 + s * (piece->t1 - piece->t0), x, x + 4));
        }
    CHECK_AT_MOST(most, 1e-7);
    carom_path_free(path);
}
END_TEST

/* ---- what is refused ---------------------------------------------------------------------------------------- */

static void wrong_rate(void *user, const double *xi, const double *v, double *out)
{
    double back[3];
    (void)user;
    for (int i = 0; i < 3; i++)
        back[i] = -xi[i];
    carom_rotation_rate(back, v, out);
}

START_TEST(functions_of_a_manifold_that_do_not_fit_together_are_found_out)
{
    carom_model model = top_model();
    carom_manifold wrong = place;
    carom_options o = choose("tolerance", 0, 1);
    carom_error error = {0};
    carom_sim *sim;
    model.manifold = &wrong;
    wrong.rate = wrong_rate;
    ck_assert_int_eq(carom_sim_new(&sim, &model, &o, &error), CAROM_BAD_MODEL);
    ck_assert_msg(strstr(error.text, "the manifold: ") != NULL, "%s", error.text);
    wrong = place;
    wrong.local = NULL;
    ck_assert_int_eq(carom_sim_new(&sim, &model, &o, &error), CAROM_BAD_MODEL);
    model.manifold = NULL;
    ck_assert_int_eq(carom_sim_new(&sim, &model, &o, &error), CAROM_BAD_MODEL);
    ck_assert_msg(strstr(error.text, "must be equal") != NULL, "%s", error.text);
}
END_TEST

TEST_MAIN("rotation", a_free_top_has_the_declared_order_with_every_scheme_that_takes_it,
          slow_and_fast_tops_turn_alike_with_every_scheme_of_given_steps,
          a_chosen_tolerance_is_kept_against_elliptic_functions,
          rows_and_derivatives_of_a_body_are_those_of_differences_along_its_velocities,
          a_frictional_impact_of_a_spinning_body_converges_with_every_scheme_that_takes_it,
          the_tangent_of_a_free_body_is_that_of_differences,
          the_tangent_through_a_frictional_impact_of_a_spinning_body_is_that_of_differences,
          the_tangent_of_a_body_that_lands_and_slides_is_that_of_differences,
          tables_and_summaries_have_all_positions_and_all_velocities,
          a_path_for_norms_follows_positions_that_are_no_vectors,
          functions_of_a_manifold_that_do_not_fit_together_are_found_out)
