/* Joints between many bodies: rows of two bodies each, against formulas, exact solutions and differences. */
#include <string.h>
#include <time.h>

#include "bodies/bodies.h"
#include "carom.h"
#include "core/core.h"
#include "model/manifold.h"
#include "model/model.h"
#include "model/structure.h"
#include "testing.h"

static const char *const schemes[] = {"moreau-jean", "moreau-jean-projected", "schatzman-paoli"};
enum { SCHEMES = 3, KINDS = 5, SETS = 5, TEXT = 4000 };

/* `formulas`: one joint has a spring of stiffness 0, which only formulas know. */
static carom_model *model_of(const char *format, bool formulas)
{
    char text[TEXT];
    carom_model *m;
    carom_error error = {0};
    int n = snprintf(text, sizeof text, format, formulas ? ", stiffness: 0" : "");
    CHECK_OK(carom_model_parse(&m, "joints", text, (size_t)n, NULL, &error), error);
    ck_assert_int_eq(m->nblock > 0, !formulas);
    return m;
}

static carom_sim *run_to(const carom_model *m, const char *scheme, double h, double t_end)
{
    carom_options options = carom_options_default();
    carom_error error = {0};
    carom_sim *sim;
    CHECK_OK(carom_options_set(&options, "scheme", scheme, &error), error);
    options.h = h;
    CHECK_OK(carom_sim_new(&sim, m, &options, &error), error);
    CHECK_OK(carom_sim_run(sim, t_end), *carom_sim_error(sim));
    return sim;
}

/* The largest difference between the same bodies by rows and by formulas, velocities against the largest of them. */
static double apart(const char *format, const char *scheme, double h, double t_end, int *impacts)
{
    double x[2][200], most = 0, fast = 1;
    for (int k = 0; k < 2; k++) {
        carom_model *m = model_of(format, k);
        carom_sim *sim = run_to(m, scheme, h, t_end);
        const carom_state *s = carom_sim_state(sim);
        ck_assert_int_le(m->nq + m->nv, 200);
        memcpy(x[k], s->q, sizeof(double) * (size_t)m->nq);
        memcpy(x[k] + m->nq, s->v, sizeof(double) * (size_t)m->nv);
        ck_assert_int_eq(carom_sim_info(sim)->rejected, 0);
        *impacts = (int)carom_sim_info(sim)->events[CAROM_EVENT_IMPACT];
        for (int i = m->nq; i < m->nq + m->nv; i++)
            fast = fmax(fast, fabs(x[k][i]));
        for (int i = 0; k && i < m->nq + m->nv; i++)
            most = fmax(most, fabs(x[1][i] - x[0][i]) / (i < m->nq ? 1 : fast));
        carom_sim_free(sim);
        carom_model_free(m);
    }
    return most;
}

#define PLANAR(shape, laws)                                                                                         \
    "carom: 1\nspace: planar\ngravity: [0, -9.81]\ncontacts: found\nlaws: {" laws "}\nbodies:\n"                     \
    "  floor: {fixed: true, shape: {plane: [0, 1]}, at: [0, -0.4]}\n"                                                \
    "  a: {shape: {" shape "}, mass: 1, at: [0.1, 0]}\n"                                                             \
    "  b: {shape: {" shape "}, mass: 2, at: [0.9, 0.05], turn: 0.2}\n"                                               \
    "  c: {shape: {" shape "}, mass: 0.5, at: [1.7, 0]}\njoints:\n  p: {hinge: [ground, a], at: [-0.1, 0]}\n"        \
    "  k: {hinge: [b, c], at: [1.3, 0.1]}\n  j: {"
#define SPATIAL(shape, laws)                                                                                        \
    "carom: 1\nspace: spatial\ngravity: [0, 0, -9.81]\ncontacts: found\nlaws: {" laws "}\nbodies:\n"                 \
    "  floor: {fixed: true, shape: {plane: [0, 0, 1]}, at: [0, 0, -0.4]}\n"                                          \
    "  a: {shape: {" shape "}, mass: 1, at: [0.1, 0, 0]}\n"                                                          \
    "  b: {shape: {" shape "}, mass: 2, at: [0.9, 0.05, 0], turn: {x: 0.1, y: 0.2, z: 0.3}}\n"                       \
    "  c: {shape: {" shape "}, mass: 0.5, at: [1.7, 0, 0]}\njoints:\n  p: {ball: [ground, a], at: [-0.1, 0, 0]}\n"   \
    "  k: {ball: [b, c], at: [1.3, 0.1, 0]}\n  j: {"
#define FREE "default: none"
#define TOUCHING "default: {friction: 0.1, restitution: 0.2}"
#define OF_PLANAR(shape, laws)                                                                                      \
    {PLANAR(shape, laws) "hinge: [a, b], at: [0.5, 0]%s}\n",                                                         \
     PLANAR(shape, laws) "slider: [a, b], at: [0.5, 0], axis: [1, 0.3]%s}\n",                                        \
     PLANAR(shape, laws) "ball: [a, b], at: [0.5, 0]%s}\n", PLANAR(shape, laws) "weld: [a, b], at: [0.5, 0]%s}\n",   \
     PLANAR(shape, laws) "distance: [a, b], points: [[0.2, 0.1], [0.8, 0.1]]%s}\n"}
#define OF_SPATIAL(shape, laws)                                                                                     \
    {SPATIAL(shape, laws) "hinge: [a, b], at: [0.5, 0, 0], axis: [0.2, 1, 0.1]%s}\n",                                \
     SPATIAL(shape, laws) "slider: [a, b], at: [0.5, 0, 0], axis: [1, 0.3, 0.2]%s}\n",                               \
     SPATIAL(shape, laws) "ball: [a, b], at: [0.5, 0, 0]%s}\n",                                                      \
     SPATIAL(shape, laws) "weld: [a, b], at: [0.5, 0, 0]%s}\n",                                                      \
     SPATIAL(shape, laws) "distance: [a, b], points: [[0.2, 0.1, 0.1], [0.8, 0.1, 0]]%s}\n"}

static const char *const of_kinds[SETS][KINDS] = {
    OF_PLANAR("box: [0.3, 0.1]", FREE), OF_PLANAR("box: [0.3, 0.1]", TOUCHING),
    OF_SPATIAL("box: [0.3, 0.1, 0.2]", FREE), OF_SPATIAL("sphere: 0.15", TOUCHING),
    OF_SPATIAL("box: [0.3, 0.1, 0.2]", TOUCHING)};

START_TEST(every_kind_of_joint_moves_bodies_as_formulas_do)
{
    for (int set = 0; set < SETS; set++)
        for (int kind = 0; kind < KINDS; kind++)
            for (int s = 0; s < SCHEMES; s++) {
                int impacts;
                double off = apart(of_kinds[set][kind], schemes[s], 1e-3, 0.3, &impacts);
                printf("set %d, kind %d, %s: apart by %.1e, %d impacts\n", set, kind, schemes[s], off, impacts);
                CHECK_AT_MOST(off, set < 2 ? 1e-9 : 1e-10);
                ck_assert_int_eq(impacts > 0, set != 0 && set != 2);
            }
}
END_TEST

/* The rows of a rod turn with the end that is moved: forces of a step depend on the time at which they are taken. */
START_TEST(bodies_hang_on_one_that_is_moved_as_by_formulas)
{
    static const char text[] =
        "carom: 1\nspace: planar\ngravity: [0, -9.81]\ncontacts: found\nlaws: {default: none}\nbodies:\n"
        "  a: {shape: {box: [0.3, 0.1]}, mass: 1, at: [0.1, 0]}\n"
        "  b: {shape: {box: [0.3, 0.1]}, mass: 2, at: [0.9, 0.05], turn: 0.2}\n"
        "  shaker: {moved: [0.3*(1 - cos(9*t)), 0.5*t^2], at: [0, 1]}\njoints:\n"
        "  j: {hinge: [a, b], at: [0.5, 0]%s}\n  d: {distance: [shaker, a], points: [[0, 1], [0.1, 0]]}\n";
    for (int s = 0; s < SCHEMES; s++) {
        int impacts;
        double off = apart(text, schemes[s], 1e-3, 0.3, &impacts);
        printf("%s: apart by %.1e\n", schemes[s], off);
        CHECK_AT_LEAST(off, 0);
        CHECK_AT_MOST(off, 1e-9);
    }
}
END_TEST

/* ---- ranges ---- */
START_TEST(the_ends_of_ranges_strike_as_by_formulas)
{
    static const char *const texts[] = {
        PLANAR("box: [0.3, 0.1]", TOUCHING) "hinge: [a, b], at: [0.5, 0], range: [-0.2, 0.1], restitution: 0.3%s}\n",
        PLANAR("box: [0.3, 0.1]", FREE) "ball: [b, a], at: [0.5, 0], range: [-0.2, 0.1]%s}\n",
        PLANAR("box: [0.3, 0.1]", TOUCHING)
        "slider: [a, b], at: [0.5, 0], axis: [1, 0.3], range: [-0.05, 0.1], restitution: 0.3%s}\n",
        SPATIAL("box: [0.3, 0.1, 0.2]", FREE)
        "slider: [a, b], at: [0.5, 0, 0], axis: [1, 0.3, 0.2], range: [-0.05, 0.1], restitution: 0.3%s}\n"};
    for (int i = 0; i < CAROM_COUNT(texts); i++)
        for (int s = 0; s < SCHEMES; s++) {
            int impacts;
            double off = apart(texts[i], schemes[s], 1e-3, 0.4, &impacts);
            printf("range %d, %s: apart by %.1e, %d impacts\n", i, schemes[s], off, impacts);
            CHECK_AT_MOST(off, 1e-9);
            CHECK_AT_LEAST(impacts, 1);
        }
}
END_TEST

START_TEST(the_ends_of_ranges_are_contacts_with_names)
{
    char text[TEXT], name[100];
    int body[2], n = snprintf(text, sizeof text, of_kinds[0][0], ", range: [-0.2, 0.1]");
    carom_model *m;
    carom_error error = {0};
    CHECK_OK(carom_model_parse(&m, "joints", text, (size_t)n, NULL, &error), error);
    carom_sim *sim = run_to(m, "moreau-jean", 1e-3, 0.01);
    ck_assert_int_eq(carom_sim_state(sim)->ncontact, 2);
    ck_assert_str_eq(carom_bodies_contact_name(m, -1, body, name, sizeof name), "j below");
    ck_assert_str_eq(carom_bodies_contact_name(m, -2, body, name, sizeof name), "j above");
    carom_sim_free(sim);
    carom_model_free(m);
}
END_TEST

/* ---- loops ---- */
#define PARALLELOGRAM                                                                                               \
    "carom: 1\nspace: planar\ngravity: [0, -9.81]\ncontacts: found\n"                                                \
    "laws: {default: none, bar floor: {friction: 0.05, restitution: 0.2}}\nbodies:\n"                                \
    "  floor: {fixed: true, shape: {plane: [0, 1]}, at: [0, -1.04]}\n"                                               \
    "  crank: {repeat: {i: 3}, shape: {capsule: [1, 0.05]}, mass: 1, at: [i + 0.5*sin(0.3), -0.5*cos(0.3)],\n"       \
    "    turn: 0.3 - pi/2}\n  bar: {shape: {box: [2.4, 0.1]}, mass: 3, at: [1 + sin(0.3), -cos(0.3)]}\njoints:\n"    \
    "  top: {repeat: {i: 3}, hinge: [ground, \"crank[i]\"], at: [i, 0]%s}\n"                                         \
    "  low: {repeat: {i: 3}, hinge: [\"crank[i]\", bar], at: [i + sin(0.3), -cos(0.3)]}\n"
#define FOUR_BAR                                                                                                    \
    "carom: 1\nspace: spatial\ngravity: [0, 0, -9.81]\ncontacts: found\n"                                            \
    "laws: {default: none, bar floor: {friction: 0.05, restitution: 0.2}}\nbodies:\n"                                \
    "  floor: {fixed: true, shape: {plane: [0, 0, 1]}, at: [0, 0, -1.04]}\n"                                         \
    "  crank: {repeat: {i: 2}, shape: {box: [0.1, 0.1, 1]}, mass: 1, at: [i + 0.5*sin(0.3), 0, -0.5*cos(0.3)],\n"    \
    "    turn: {y: -0.3}}\n  bar: {shape: {box: [1, 0.1, 0.1]}, mass: 3, at: [0.5 + sin(0.3), 0, -cos(0.3)]}\n"      \
    "joints:\n  top: {repeat: {i: 2}, hinge: [ground, \"crank[i]\"], at: [i, 0, 0], axis: y%s}\n"                    \
    "  low: {repeat: {i: 2}, hinge: [\"crank[i]\", bar], at: [i + sin(0.3), 0, -cos(0.3)], axis: y}\n"

START_TEST(redundant_loops_swing_and_strike_as_by_formulas)
{
    const struct { const char *text, *scheme; } cases[] = {
        {PARALLELOGRAM, "moreau-jean"}, {PARALLELOGRAM, "moreau-jean-projected"}, {PARALLELOGRAM, "schatzman-paoli"},
        {FOUR_BAR, "moreau-jean"}, {FOUR_BAR, "moreau-jean-projected"}, {FOUR_BAR, "schatzman-paoli"}};
    for (int i = 0; i < CAROM_COUNT(cases); i++)
        for (int k = 0; k < 2; k++) {
            int impacts;
            double h = k ? 5e-3 : 1e-3, off = apart(cases[i].text, cases[i].scheme, h, 400 * h, &impacts);
            printf("loop %d, %s, h = %g: apart by %.1e, %d impacts\n", i / 3, cases[i].scheme, h, off, impacts);
            CHECK_AT_MOST(off, 1e-9);
            CHECK_AT_LEAST(impacts, 1);
        }
}
END_TEST

/* ---- derivatives ---- */
static double noise(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 23) - 1;
}

/* Moves the place of a probe along its v for a time e, and evaluates. */
static void move(carom_probe *p, const double *q, double t, double e)
{
    double way[100];
    for (int i = 0; i < p->model->nv; i++)
        way[i] = e * p->v[i];
    carom_model_drift(p->model, q, way, p->q);
    p->t = t + e;
    carom_probe_eval(p);
}

static double speed_of(const carom_probe *p, int row, size_t *at)
{
    const carom_span s = carom_model_joint_span(p->model, row, *at);
    double u = p->at.w[row];
    for (int b = 0; b < 2; b++)
        for (int i = 0; i < s.count[b]; i++)
            u += p->at.G[s.at[b] + (size_t)i] * p->v[s.first[b] + i];
    *at += (size_t)(s.count[0] + s.count[1]);
    return u;
}

/* G^T x of body k alone, [n] */
static void push_on(const carom_probe *p, int k, double *out)
{
    const carom_model *m = p->model;
    int n = m->block[1];
    size_t at = 0;
    memset(out, 0, sizeof *out * (size_t)n);
    for (int row = 0; row < m->njoint; row++) {
        const carom_span s = carom_model_joint_span(m, row, at);
        for (int b = 0; b < 2; b++)
            for (int i = 0; s.count[b] && s.first[b] == k * n && i < n; i++)
                out[i] += p->at.G[s.at[b] + (size_t)i] * p->x[row];
        at += (size_t)(s.count[0] + s.count[1]);
    }
}

static void check_rates(carom_probe *p, const double *q, double t)
{
    enum { ROWS = 40 };
    const double e = 1e-6;
    double g[2][ROWS], u[3][ROWS], gamma[ROWS];
    ck_assert_int_le(p->model->njoint, ROWS);
    for (int side = 2; side >= 0; side--) {
        move(p, q, t, side == 2 ? 0 : side ? e : -e);
        size_t at = 0;
        for (int r = 0; r < p->model->njoint; r++) {
            u[side][r] = speed_of(p, r, &at);
            if (side < 2)
                g[side][r] = p->at.g[r];
            else
                gamma[r] = p->at.gamma[r];
        }
    }
    for (int r = 0; r < p->model->njoint; r++) {
        CHECK_NEAR((g[1][r] - g[0][r]) / (2 * e), u[2][r], 1e-8);
        CHECK_NEAR((u[1][r] - u[0][r]) / (2 * e), gamma[r], 1e-7);
    }
}

static void check_gradients(carom_probe *p, const double *q, double t)
{
    const carom_model *m = p->model;
    const double e = 1e-6;
    int n = m->block[1];
    double R[100 * 6], G[2][6], way[100];
    memcpy(p->q, q, sizeof *q * (size_t)m->nq);
    p->t = t;
    carom_probe_eval(p);
    memcpy(R, p->at.R_q, sizeof *R * (size_t)(m->nv * n));
    for (int i = 0; i < m->nv; i++) {
        for (int side = 0; side < 2; side++) {
            memset(way, 0, sizeof way);
            way[i] = side ? e : -e;
            carom_model_drift(m, q, way, p->q);
            carom_probe_eval(p);
            push_on(p, i / n, G[side]);
        }
        for (int j = 0; j < n; j++)
            CHECK_NEAR(R[(i / n * n + j) * n + i % n], -(G[1][j] - G[0][j]) / (2 * e), 1e-7);
    }
}

START_TEST(rows_rates_and_gradients_are_those_of_the_gaps)
{
    const char *texts[2 * KINDS + 1];
    for (int i = 0; i < 2 * KINDS; i++)
        texts[i] = of_kinds[i < KINDS ? 0 : 2][i % KINDS];
    texts[2 * KINDS] = SPATIAL("box: [0.3, 0.1, 0.2]", FREE)
        "hinge: [a, b], at: [0.5, 0, 0], axis: y%s}\n  m: {slider: [shaker, c], at: [2, 0, 0], axis: [0, 1, 1]}\n"
        "  n: {distance: [shaker, b], points: [[2, 0.1, 0], [0.8, 0, 0]]}\n";
    for (int i = 0; i <= 2 * KINDS; i++) {
        char text[TEXT];
        unsigned seed = 7 + (unsigned)i;
        carom_probe p;
        carom_error error = {0};
        snprintf(text, sizeof text, "%.*s%s%s", (int)(strstr(texts[i], "joints:") - texts[i]), texts[i],
                 i == 2 * KINDS ? "  shaker: {moved: [1 - cos(3*t), t^2, 0], at: [2, 0, 0]}\n" : "",
                 strstr(texts[i], "joints:"));
        carom_model *m = model_of(text, false);
        CHECK_OK(carom_probe_new(&p, m, CAROM_GAP | CAROM_JACOBIAN | CAROM_GAMMA | CAROM_MASS | CAROM_FORCE, &error),
                 error);
        double q[100], way[100], t = 0.4;
        for (int k = 0; k < m->nv; k++)
            way[k] = 0.3 * noise(&seed), p.v[k] = noise(&seed);
        carom_model_drift(m, m->q, way, q);
        check_rates(&p, q, t);
        carom_probe_free(&p);
        CHECK_OK(carom_probe_new(&p, m, CAROM_JACOBIAN | CAROM_R_Q, &error), error);
        for (int r = 0; r < m->njoint; r++)
            p.x[r] = noise(&seed);
        check_gradients(&p, q, t);
        carom_probe_free(&p);
        carom_model_free(m);
    }
}
END_TEST

/* ---- a thousand links ---- */
#define CHAIN(at, floor, turn)                                                                                      \
    "carom: 1\nparameters: {n: %d, l: 0.1, m: 0.05}\nspace: planar\ngravity: [0, -9.81]\ncontacts: found\n"          \
    "laws: {default: none, link floor: {friction: 0.3, restitution: 0.1}}\nbodies:\n"                                \
    "  floor: {fixed: true, shape: {plane: [0, 1]}, at: [0, " floor "]}\n"                                           \
    "  link: {repeat: {i: n}, shape: {capsule: [l, 0.01]}, mass: m, at: " at "(i + 0.5)" turn "}\njoints:\n"

static carom_model *chain(const char *format, int links)
{
    char text[TEXT];
    carom_model *m;
    carom_error error = {0};
    int n = snprintf(text, sizeof text, format, links);
    CHECK_OK(carom_model_parse(&m, "chain", text, (size_t)n, NULL, &error), error);
    ck_assert_int_gt(m->nblock, 0);
    return m;
}

static const char *const hanging =
    CHAIN("[0, -l*", "-1000", "], turn: -pi/2") "  pin: {hinge: [ground, \"link[0]\"], at: [0, 0]}\n"
    "  knee: {repeat: {i: n - 1}, hinge: [\"link[i]\", \"link[i+1]\"], at: [0, -(i + 1)*l]}\n";
static const char *const lying =
    CHAIN("[l*", "-0.02", ", 0]")
    "  knee: {repeat: {i: n - 1}, hinge: [\"link[i]\", \"link[i+1]\"], at: [(i + 1)*l, 0]}\n";
static const char *const swinging =
    CHAIN("[l*", "-1000", ", 0]") "  pin: {hinge: [ground, \"link[0]\"], at: [0, 0]}\n"
    "  knee: {repeat: {i: n - 1}, hinge: [\"link[i]\", \"link[i+1]\"], at: [(i + 1)*l, 0]}\n";

/* The largest gap and speed of joints. */
static double worst_joint(const carom_model *m, const carom_state *s)
{
    carom_probe p;
    carom_error error = {0};
    carom_model alone = *m;
    double most = 0;
    size_t at = 0;
    alone.ncontact = 0;
    CHECK_OK(carom_probe_new(&p, &alone, CAROM_GAP | CAROM_JACOBIAN, &error), error);
    memcpy(p.q, s->q, sizeof(double) * (size_t)m->nq);
    memcpy(p.v, s->v, sizeof(double) * (size_t)m->nv);
    p.t = s->t;
    carom_probe_eval(&p);
    for (int r = 0; r < m->njoint; r++)
        most = fmax(most, fmax(fabs(p.at.g[r]), fabs(speed_of(&p, r, &at))));
    carom_probe_free(&p);
    return most;
}

START_TEST(a_thousand_links_hang_with_the_weight_of_those_below_in_every_joint)
{
    const int n = SANITIZED ? 200 : 1000;
    const double h = 1e-3, g = 9.81, m_link = 0.05;
    for (int s = 0; s < SCHEMES; s++) {
        carom_model *m = chain(hanging, n);
        carom_sim *sim = run_to(m, schemes[s], h, 20 * h);
        const carom_state *state = carom_sim_state(sim);
        double moved = 0;
        for (int i = 0; i < m->nq; i++)
            moved = fmax(moved, fabs(state->q[i] - m->q[i]));
        CHECK_AT_MOST(moved, 1e-11);
        ck_assert_int_eq(m->njoint, 2 * n);
        ck_assert_str_eq(m->joint_name[1], "pin.y");
        ck_assert_str_eq(m->joint_name[5], "knee[1].y");
        for (int i = 0; i < n; i++) { /* what it carries: force, or impulse of a step */
            double weight = (n - i) * m_link * g, P = fabs(state->impulse[2 * i + 1]);
            P /= P > 0.5 * weight ? 1 : h;
            CHECK_NEAR(P, weight, 1e-9 * n * m_link * g);
        }
        CHECK_AT_MOST(worst_joint(m, state), 1e-11);
        carom_sim_free(sim);
        carom_model_free(m);
    }
}
END_TEST

START_TEST(a_chain_that_falls_on_a_plane_stays_in_one_piece)
{
    const int n = SANITIZED ? 60 : 1000;
    for (int s = 0; s < SCHEMES; s++) {
        carom_model *m = chain(lying, n);
        carom_sim *sim = run_to(m, schemes[s], 2e-3, 0.12);
        const carom_state *state = carom_sim_state(sim);
        const carom_info *info = carom_sim_info(sim);
        printf("%s: joints off by %.1e, residual %.1e, %ld impacts\n", schemes[s], worst_joint(m, state),
               info->max_residual, info->events[CAROM_EVENT_IMPACT]);
        CHECK_AT_MOST(info->max_residual, 1e-10);
        CHECK_AT_LEAST((double)info->events[CAROM_EVENT_IMPACT], n);
        for (int i = 0; i < n; i++) { /* all alike: it falls as one */
            CHECK_NEAR(state->q[3 * i + 1], state->q[1], 1e-8);
            CHECK_NEAR(state->q[3 * i] - state->q[0], 0.1 * i, 1e-8);
        }
        CHECK_AT_MOST(worst_joint(m, state), 1e-10);
        carom_sim_free(sim);
        carom_model_free(m);
    }
}
END_TEST

static double seconds_of(const char *text, int links, const char *scheme, int steps)
{
    double least = INFINITY;
    for (int k = 0; k < 3; k++) {
        carom_model *m = chain(text, links);
        carom_options options = carom_options_default();
        carom_error error = {0};
        carom_sim *sim;
        CHECK_OK(carom_options_set(&options, "scheme", scheme, &error), error);
        options.h = 2e-3;
        CHECK_OK(carom_sim_new(&sim, m, &options, &error), error);
        clock_t begin = clock();
        for (int i = 0; i < steps; i++)
            CHECK_OK(carom_sim_step(sim), *carom_sim_error(sim));
        least = fmin(least, (double)(clock() - begin) / CLOCKS_PER_SEC);
        carom_sim_free(sim);
        carom_model_free(m);
    }
    return least;
}

START_TEST(steps_cost_as_much_as_there_are_links)
{
    const char *const texts[] = {swinging, lying};
    for (int i = 0; i < 2 && !SANITIZED; i++)
        for (int s = 0; s < 2; s++) {
            double few = seconds_of(texts[i], 50, schemes[s], 40), many = seconds_of(texts[i], 1000, schemes[s], 40);
            double exponent = log(many / few) / log(20);
            printf("%s: %.2g s for 50 links, %.2g s for 1000: exponent %.2f\n", schemes[s], few, many, exponent);
            CHECK_AT_MOST(exponent, 1.5); /* 1.0 to 1.12 on a quiet machine; what is dense has 2 or more */
        }
}
END_TEST

/* ---- walls, and what stays with formulas ---- */
START_TEST(a_wall_of_hinged_boxes_falls_as_one_though_its_hinges_are_redundant)
{
    static const char wall[] =
        "carom: 1\nparameters: {l: 0.1}\nspace: planar\ngravity: [0, -9.81]\ncontacts: found\n"
        "laws: {default: none, box floor: {friction: 0.3, restitution: 0}}\nbodies:\n"
        "  floor: {fixed: true, shape: {plane: [0, 1]}, at: [0, -0.1]}\n"
        "  box: {repeat: {i: 8, j: 8}, shape: {box: [0.8*l, 0.8*l]}, mass: 0.1, at: [i*l, j*l]}\njoints:\n"
        "  along: {repeat: {i: 7, j: 8}, hinge: [\"box[i,j]\", \"box[i+1,j]\"], at: [(i + 0.5)*l, j*l]%s}\n"
        "  across: {repeat: {i: 8, j: 7}, hinge: [\"box[i,j]\", \"box[i,j+1]\"], at: [i*l, (j + 0.5)*l]}\n";
    for (int s = 0; s < 2; s++) {
        carom_model *m = model_of(wall, false);
        ck_assert_int_gt(m->njoint, m->nv);
        carom_sim *sim = run_to(m, schemes[s], 2e-3, 0.3);
        const carom_state *state = carom_sim_state(sim);
        CHECK_AT_MOST(worst_joint(m, state), 1e-9);
        for (int i = 0; i < m->nq; i++) /* it stands, s h^2 deep or high */
            CHECK_NEAR(state->q[i], m->q[i] - (i % 3 == 1 ? 0.06 : 0), 1e-3);
        carom_sim_free(sim);
        carom_model_free(m);
    }
}
END_TEST

START_TEST(a_net_of_plates_that_falls_on_a_slope_stays_in_one_piece)
{
    /* flat it has more redundant rows than a moment later: their least pivots are those of rounding */
    static const char net[] =
        "carom: 1\nparameters: {l: 0.1}\nspace: spatial\ngravity: [0, 0, -9.81]\ncontacts: found\n"
        "laws: {default: none, plate floor: {friction: 0.3, restitution: 0.1}}\nbodies:\n"
        "  floor: {fixed: true, shape: {plane: [0.05, 0.02, 1]}, at: [0, 0, 0]}\n"
        "  plate: {repeat: {i: 3, j: 3}, shape: {box: [0.8*l, 0.8*l, 0.02]}, mass: 0.1,\n"
        "    at: [i*l, j*l, 0.03]}\njoints:\n"
        "  along: {repeat: {i: 2, j: 3}, ball: [\"plate[i,j]\", \"plate[i+1,j]\"],\n"
        "    at: [(i + 0.5)*l, (j + 0.5)*l, 0.03]%s}\n"
        "  across: {repeat: {i: 3, j: 2}, ball: [\"plate[i,j]\", \"plate[i,j+1]\"],\n"
        "    at: [(i + 0.5)*l, (j + 0.5)*l, 0.03]}\n";
    carom_model *m = model_of(net, false);
    carom_sim *sim = run_to(m, "moreau-jean", 2e-3, 0.08);
    CHECK_AT_MOST(carom_sim_info(sim)->max_residual, 1e-10);
    CHECK_AT_LEAST((double)carom_sim_info(sim)->events[CAROM_EVENT_IMPACT], 3);
    carom_state still = *carom_sim_state(sim); /* its speeds are those before the projection of the step's end */
    double v[54] = {0};
    ck_assert_int_eq(m->nv, 54);
    still.v = v;
    CHECK_AT_MOST(worst_joint(m, &still), 1e-11);
    carom_sim_free(sim);
    carom_model_free(m);
}
END_TEST

START_TEST(a_joint_that_is_open_at_the_start_is_shown_where_the_file_has_it)
{
    carom_model *m;
    carom_error error = {0};
    static const char text[] =
        "carom: 1\nspace: planar\ncontacts: found\nbodies:\n  a: {shape: {box: [1, 1]}, mass: 1, at: [0, 0]}\n"
        "joints:\n  rod: {distance: [ground, a], points: [[0, 0], [0.5, 0]], length: 0.6}\n";
    ck_assert_int_ne(carom_model_parse(&m, "open", text, strlen(text), NULL, &error), CAROM_OK);
    ck_assert_ptr_nonnull(strstr(error.text, "open:7:"));
    ck_assert_ptr_nonnull(strstr(error.text, "'rod' is violated at the start: -0.1"));
}
END_TEST

START_TEST(what_acts_on_the_coordinate_of_a_joint_stays_with_formulas)
{
    const char *const more[] = {", range: [-1, 1], torque: 1", ", stiffness: 2", ", damping: 0.1",
                                ", friction_torque: 0.01", ", torque: sin(t)", ", motion: t^2",
                                ", coordinate: relative"};
    for (int i = 0; i < CAROM_COUNT(more); i++) {
        char text[TEXT];
        carom_model *m;
        carom_error error = {0};
        int n = snprintf(text, sizeof text, of_kinds[0][0], more[i]);
        CHECK_OK(carom_model_parse(&m, "joints", text, (size_t)n, NULL, &error), error);
        ck_assert_int_eq(m->nblock, 0);
        carom_sim_free(run_to(m, "moreau-jean", 1e-3, 0.02));
        carom_model_free(m);
    }
}
END_TEST

TEST_MAIN("many_joints", every_kind_of_joint_moves_bodies_as_formulas_do,
          bodies_hang_on_one_that_is_moved_as_by_formulas,
          the_ends_of_ranges_strike_as_by_formulas, the_ends_of_ranges_are_contacts_with_names,
          redundant_loops_swing_and_strike_as_by_formulas, rows_rates_and_gradients_are_those_of_the_gaps,
          a_thousand_links_hang_with_the_weight_of_those_below_in_every_joint,
          a_chain_that_falls_on_a_plane_stays_in_one_piece, steps_cost_as_much_as_there_are_links,
          a_wall_of_hinged_boxes_falls_as_one_though_its_hinges_are_redundant,
          a_net_of_plates_that_falls_on_a_slope_stays_in_one_piece,
          a_joint_that_is_open_at_the_start_is_shown_where_the_file_has_it,
          what_acts_on_the_coordinate_of_a_joint_stays_with_formulas)
