/* Joints between many bodies: rows of two bodies each, against formulas, exact solutions and differences. */
#include "many_joints_testing.h"
#include "model/manifold.h"
#include "model/structure.h"

START_TEST(every_kind_of_joint_moves_bodies_as_formulas_do)
{
    for (int set = 0; set < SETS; set++)
        for (int kind = 0; kind < KINDS; kind++)
            for (int s = 0; s < SCHEMES; s++) {
                int impacts;
                if (SANITIZED && (set + kind + s) % 5)
                    continue;
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
    for (int i = 0; i < 2 * KINDS; i++) /* a hinge and a slider in space move as prescribed */
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
        bool moves = i == KINDS || i == KINDS + 1;
        carom_model *m = model_with(text, moves ? ", motion: 0.3*t^2" : "", false);
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

/* Between a body's own displacement and the force on it, with what couples it: springs that pull. */
START_TEST(couplings_are_the_derivatives_of_springs)
{
    static const char *const texts[] = {
        SPATIAL("box: [0.3, 0.1, 0.2]", FREE) "hinge: [a, b], at: [0.5, 0, 0], axis: [0.2, 1, 0.1], stiffness: 3%s}\n",
        SPATIAL("box: [0.3, 0.1, 0.2]", FREE) "slider: [a, b], at: [0.5, 0, 0], axis: [1, 0.3, 0.2], stiffness: 3%s}\n",
        SPATIAL("box: [0.3, 0.1, 0.2]", FREE)
        "spring: [a, b], points: [[0.2, 0.1, 0.1], [0.8, 0.1, 0]], length: 0.1, stiffness: 3%s}\n",
        PLANAR("box: [0.3, 0.1]", FREE)
        "spring: [a, b], points: [[0.2, 0.1], [0.8, 0.1]], length: 0.1, stiffness: 3%s}\n"};
    for (int k = 0; k < CAROM_COUNT(texts); k++) {
        carom_model *m = model_of(texts[k], false);
        const double e = 1e-6;
        double q[100], way[100] = {0}, F[2][100], R[6][6] = {{0}};
        int n = m->block[1];
        unsigned seed = 5;
        carom_probe p;
        carom_error error = {0};
        CHECK_OK(carom_probe_new(&p, m, CAROM_FORCE | CAROM_R_Q | CAROM_R_V, &error), error);
        for (int i = 0; i < 2 * n; i++)
            way[i] = 0.1 * noise(&seed);
        carom_model_drift(m, m->q, way, q);
        memcpy(p.q, q, sizeof *q * (size_t)m->nq);
        carom_probe_eval(&p);
        for (int body = 0; body < 2; body++) {
            ck_assert_int_eq(m->coupling_block[0], 0);
            ck_assert_int_eq(m->coupling_block[1], 1);
            for (int i = 0; i < n * n; i++) {
                R[i / n][i % n] = p.at.R_q[body * n * n + i];
                for (int c = 0; c < m->ncoupling; c++) {
                    const double *C = p.at.C + (2 * c + body) * n;
                    R[i / n][i % n] += p.at.C_q[c] * C[i / n] * C[i % n];
                }
            }
            carom_probe at;
            CHECK_OK(carom_probe_new(&at, m, CAROM_FORCE, &error), error);
            for (int i = 0; i < n; i++) {
                for (int side = 0; side < 2; side++) {
                    memset(way, 0, sizeof way);
                    way[body * n + i] = side ? e : -e;
                    carom_model_drift(m, q, way, at.q);
                    carom_probe_eval(&at);
                    memcpy(F[side], at.at.F, sizeof(double) * (size_t)m->nv);
                }
                for (int j = 0; j < n; j++)
                    CHECK_NEAR(R[j][i], -(F[1][body * n + j] - F[0][body * n + j]) / (2 * e), 1e-8);
            }
            carom_probe_free(&at);
        }
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

static const char *const hanging =
    CHAIN("[0, -l*", "-1000", "], turn: -pi/2") "  pin: {hinge: [ground, \"link[0]\"], at: [0, 0]}\n"
    "  knee: {repeat: {i: n - 1}, hinge: [\"link[i]\", \"link[i+1]\"], at: [0, -(i + 1)*l]}\n";
static const char *const lying =
    CHAIN("[l*", "-0.02", ", 0]")
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

/* Square plates hinged along all their edges: it may fold along the lines of one direction. */
#define NET(slope, height, pins)                                                                                     \
    "carom: 1\nparameters: {l: 0.1, n: %d}\nspace: spatial\ngravity: [0, 0, -9.81]\ncontacts: found\n"              \
    "laws: {default: none, plate floor: {friction: 0.3, restitution: 0.1}}\nbodies:\n"                              \
    "  floor: {fixed: true, shape: {plane: [" slope ", 1]}, at: [0, 0, " height "]}\n"                               \
    "  plate: {repeat: {i: n, j: n}, shape: {box: [0.8*l, 0.8*l, 0.02]}, mass: 0.1, at: [i*l, j*l, 0.03]}\n"         \
    "joints:\n" pins                                                                                                \
    "  along: {repeat: {i: n - 1, j: n}, hinge: [\"plate[i,j]\", \"plate[i+1,j]\"],\n"                              \
    "    at: [(i + 0.5)*l, j*l, 0.03], axis: y}\n"                                                                  \
    "  across: {repeat: {i: n, j: n - 1}, hinge: [\"plate[i,j]\", \"plate[i,j+1]\"],\n"                             \
    "    at: [i*l, (j + 0.5)*l, 0.03], axis: x}\n"

START_TEST(a_net_of_plates_that_hangs_on_its_edge_folds_as_a_chain_in_the_plane)
{
    static const char net[] =
        NET("0, 0", "-10",
            "  pin: {repeat: {j: n}, hinge: [ground, \"plate[0,j]\"], at: [-0.5*l, j*l, 0.03], axis: y}\n");
    static const char rows[] =
        "carom: 1\nparameters: {l: 0.1, n: %d}\nspace: planar\ngravity: [0, -9.81]\ncontacts: found\n"
        "laws: {default: none}\nbodies:\n"
        "  plate: {repeat: {i: n}, shape: {box: [0.8*l, 0.02]}, mass: 0.1, at: [i*l, 0.03]}\njoints:\n"
        "  pin: {hinge: [ground, \"plate[0]\"], at: [-0.5*l, 0.03]}\n"
        "  along: {repeat: {i: n - 1}, hinge: [\"plate[i]\", \"plate[i+1]\"], at: [(i + 0.5)*l, 0.03]}\n";
    const int n = SANITIZED ? 4 : 6;
    for (int s = 0; s < SCHEMES; s++) {
        carom_model *m[2] = {chain(net, n), chain(rows, n)};
        carom_sim *sim[2] = {run_to(m[0], schemes[s], 2e-3, 0.2), run_to(m[1], schemes[s], 2e-3, 0.2)};
        const double *q = carom_sim_state(sim[0])->q, *chain_q = carom_sim_state(sim[1])->q;
        CHECK_AT_MOST(chain_q[3 * n - 2], -0.1); /* far from flat */
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                for (int k = 0; k < 3; k++)
                    CHECK_NEAR(q[7 * (i * n + j) + k], k == 1 ? 0.1 * j : chain_q[3 * i + k / 2], 1e-8);
        for (int k = 0; k < 2; k++)
            carom_sim_free(sim[k]), carom_model_free(m[k]);
    }
}
END_TEST

START_TEST(a_net_that_is_to_fold_along_both_directions_is_told_to_be_stuck)
{
    carom_model *m = chain(NET("0.05, 0.02", "0", ""), 5);
    for (int s = 0; s < 2; s++) {
        carom_options options = carom_options_default();
        carom_error error = {0};
        carom_sim *sim;
        CHECK_OK(carom_options_set(&options, "scheme", schemes[s], &error), error);
        options.h = 2e-3;
        CHECK_OK(carom_sim_new(&sim, m, &options, &error), error);
        ck_assert_int_eq(carom_sim_run(sim, 0.3), CAROM_NOT_CONVERGED);
        printf("%s\n", carom_sim_error(sim)->text);
        ck_assert_ptr_nonnull(strstr(carom_sim_error(sim)->text, "let bodies begin to move"));
        ck_assert_ptr_nonnull(strstr(carom_sim_error(sim)->text, "contradicts others"));
        CHECK_NEAR(carom_sim_state(sim)->t, 0.06, 2e-3); /* where the first plate strikes */
        carom_sim_free(sim);
    }
    carom_model_free(m);
}
END_TEST

/* A door on two hinges e out of line cannot turn: it stands, or the run says that it cannot go on; where e is next to
 * nothing it may turn, as long as the hinges stay closed to the tolerance asked for. */
START_TEST(a_door_on_hinges_that_are_out_of_line_does_not_turn)
{
    static const char door[] =
        "carom: 1\nspace: spatial\ngravity: [0, 2, -9.81]\ncontacts: found\nlaws: {default: none}\nbodies:\n"
        "  door: {shape: {box: [0.8, 0.05, 2]}, mass: 10, at: [0.4, 0, 1]}\njoints:\n"
        "  low: {hinge: [ground, door], at: [0, 0, 0.2], axis: [0.3, 0, 1]}\n"
        "  high: {hinge: [ground, door], at: [0.48, %s, 1.8], axis: [0.3, 0, 1]}\n";
    static const char *const off[] = {"0", "1e-2", "1e-4", "1e-6", "1e-7", "1e-8", "1e-9", "1e-12"};
    for (int s = 0; s < SCHEMES; s++)
        for (int i = 0; i < CAROM_COUNT(off); i++) {
            carom_model *m = model_with(door, off[i], false);
            carom_options options = carom_options_default();
            carom_error error = {0};
            carom_sim *sim;
            CHECK_OK(carom_options_set(&options, "scheme", schemes[s], &error), error);
            options.h = 2e-3;
            CHECK_OK(carom_sim_new(&sim, m, &options, &error), error);
            carom_status status = carom_sim_run(sim, 0.3);
            carom_state still = *carom_sim_state(sim);
            double v[6] = {0};
            still.v = v;
            printf("%s, %s: y = %.1e, joints open by %.1e %.90s\n", schemes[s], off[i], still.q[1],
                   worst_joint(m, &still), status == CAROM_OK ? "" : carom_sim_error(sim)->text);
            CHECK_AT_MOST(worst_joint(m, &still), 3e-9);
            if (i == 0 || i == CAROM_COUNT(off) - 1) /* aligned */
                CHECK_AT_LEAST(still.q[1], 0.01);
            else if (i < 4)
                CHECK_AT_MOST(fabs(still.q[1]), 1e-4);
            if (i < 2)
                ck_assert_int_eq(status, CAROM_OK);
            carom_sim_free(sim);
            carom_model_free(m);
        }
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

/* Contacts of the start are looked for with the poses of formulas, too. */
START_TEST(a_box_that_starts_on_one_that_is_moved_stays_on_it)
{
    static const char *const texts[] = {
        "carom: 1\nspace: planar\ngravity: [0, -9.81]\ncontacts: found\n"
        "laws: {default: {friction: 0.5, restitution: 0}}\nbodies:\n"
        "  belt: {moved: [0.7*t, 0], shape: {box: [2, 0.2]}, at: [0, 0.3]}\n"
        "  box: {shape: {box: [0.31, 0.31]}, mass: 1, at: [0, 0.3 + 0.1 + 0.31/2]}%s\n",
        "carom: 1\nspace: spatial\ngravity: [0, 0, -9.81]\ncontacts: found\n"
        "laws: {default: {friction: 0.5, restitution: 0}}\nbodies:\n"
        "  belt: {moved: [0.7*t, 0, 0], shape: {box: [2, 2, 0.2]}, at: [0, 0, 0.3]}\n"
        "  box: {shape: {box: [0.31, 0.31, 0.31]}, mass: 1, at: [0, 0, 0.3 + 0.1 + 0.31/2]}%s\n"};
    for (int i = 0; i < 2; i++)
        for (int formulas = 0; formulas < 2; formulas++)
            for (int s = 0; s < SCHEMES; s++) {
                carom_model *m = model_of(texts[i], formulas);
                carom_sim *sim = run_to(m, schemes[s], 2e-3, 2e-3);
                for (int step = 0; step < 5; step++) {
                    CHECK_NEAR(carom_sim_state(sim)->q[1 + i], 0.555, 1e-12);
                    CHECK_OK(carom_sim_step(sim), *carom_sim_error(sim));
                }
                carom_sim_free(sim);
                carom_model_free(m);
            }
}
END_TEST

TEST_MAIN("many_joints", every_kind_of_joint_moves_bodies_as_formulas_do,
          bodies_hang_on_one_that_is_moved_as_by_formulas,
          the_ends_of_ranges_strike_as_by_formulas, the_ends_of_ranges_are_contacts_with_names,
          redundant_loops_swing_and_strike_as_by_formulas, rows_rates_and_gradients_are_those_of_the_gaps,
          couplings_are_the_derivatives_of_springs,
          a_thousand_links_hang_with_the_weight_of_those_below_in_every_joint,
          a_chain_that_falls_on_a_plane_stays_in_one_piece,
          a_wall_of_hinged_boxes_falls_as_one_though_its_hinges_are_redundant,
          a_net_of_plates_that_falls_on_a_slope_stays_in_one_piece,
          a_net_of_plates_that_hangs_on_its_edge_folds_as_a_chain_in_the_plane,
          a_net_that_is_to_fold_along_both_directions_is_told_to_be_stuck,
          a_door_on_hinges_that_are_out_of_line_does_not_turn,
          a_joint_that_is_open_at_the_start_is_shown_where_the_file_has_it,
          a_box_that_starts_on_one_that_is_moved_stays_on_it)
