/* Bodies in space against references of their own: equations of rolling, elliptic functions, closed forms. */
#include <string.h>

#include "carom_output.h"
#include "courses.h"
#include "rotating.h"

static course start(carom_model *model, double tol)
{
    course r = {.model = model};
    carom_error error = {0};
    carom_options options = carom_options_default();
    CHECK_OK(carom_options_from_model(&options, model, &error), error);
    options.rtol = options.atol = tol;
    CHECK_OK(carom_sim_new(&r.sim, model, &options, &error), error);
    CHECK_OK(carom_trajectory_new(&r.path, r.sim, &error), error);
    return r;
}

static course parse(const char *text, double tol)
{
    carom_model *model;
    carom_error error = {0};
    CHECK_OK(carom_model_parse(&model, "text", text, strlen(text), NULL, &error), error);
    return start(model, tol);
}

static course load(const char *path, double tol)
{
    carom_model *model;
    carom_error error = {0};
    CHECK_OK(carom_model_load(&model, path, NULL, &error), error);
    return start(model, tol);
}

static void run(course *r, double t_end)
{
    CHECK_OK(carom_sim_run(r->sim, t_end), *carom_sim_error(r->sim));
}

/* ---- the rattleback: Kane's equations of rolling without slip --------------------------------------------------
 * State: quaternion, spin w in body axes, place. n: the vertical in body axes, r: from the centre of mass to the point
 * of contact, D: the squares of the semi-axes. v = r x w,  n' = n x w,  r = c - D n/sqrt(n.D n),
 *   (I - m [r]^2) w' = -w x I w + r x F_0,   F_0 = m (r' x w + w x v) + m g n,   F = F_0 + m r x w' */
enum { STATE = 10 };
static const double squares[3] = {0.04, 0.0009, 0.0004}, above = 0.01, gravity = 9.81;
static const double I[9] = {2e-4, 0.2e-4, 0, 0.2e-4, 16e-4, 0, 0, 0, 17e-4};

static double dot3(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void times(const double *A, const double *x, double *y)
{
    for (int i = 0; i < 3; i++)
        y[i] = dot3(A + 3 * i, x);
}

static void arm(const double *s, double *n, double *r)
{
    const double up[3] = {0, 0, 1};
    carom_rotation_to_body(s, up, n);
    double size = sqrt(squares[0] * n[0] * n[0] + squares[1] * n[1] * n[1] + squares[2] * n[2] * n[2]);
    for (int i = 0; i < 3; i++)
        r[i] = (i == 2 ? above : 0) - squares[i] * n[i] / size;
}

static void solve3(double *A, double *b)
{
    for (int k = 0; k < 3; k++)
        for (int i = k + 1; i < 3; i++) {
            double f = A[3 * i + k] / A[3 * k + k];
            for (int j = k; j < 3; j++)
                A[3 * i + j] -= f * A[3 * k + j];
            b[i] -= f * b[k];
        }
    for (int i = 2; i >= 0; i--) {
        for (int j = i + 1; j < 3; j++)
            b[i] -= A[3 * i + j] * b[j];
        b[i] /= A[4 * i];
    }
}

/* ratio: of the friction to the normal force */
static void rolling(const double *s, double *rate, double *ratio)
{
    const double *w = s + 4;
    double n[3], r[3], n_dot[3], r_dot[3], v[3], F[3], a[3], b[3], c[3], A[9];
    arm(s, n, r);
    carom_cross(n, w, n_dot);
    double size2 = 0, along = 0;
    for (int i = 0; i < 3; i++)
        size2 += squares[i] * n[i] * n[i], along += squares[i] * n[i] * n_dot[i];
    double size = sqrt(size2);
    for (int i = 0; i < 3; i++)
        r_dot[i] = -squares[i] * n_dot[i] / size + squares[i] * n[i] * along / (size * size2);
    carom_cross(r, w, v);
    carom_cross(r_dot, w, a);
    carom_cross(w, v, b);
    for (int i = 0; i < 3; i++)
        F[i] = a[i] + b[i] + gravity * n[i];
    times(I, w, a);
    carom_cross(w, a, b);
    carom_cross(r, F, c);
    for (int i = 0; i < 3; i++) {
        a[i] = c[i] - b[i];
        for (int j = 0; j < 3; j++) /* -[r]^2 = r.r 1 - r r^T */
            A[3 * i + j] = I[3 * i + j] + (i == j ? dot3(r, r) : 0) - r[i] * r[j];
    }
    solve3(A, a);
    carom_cross(r, a, b);
    for (int i = 0; i < 3; i++)
        F[i] += b[i];
    double N = dot3(F, n);
    *ratio = sqrt(fmax(0, dot3(F, F) - N * N)) / N;
    rate[0] = -0.5 * dot3(s + 1, w);
    carom_cross(s + 1, w, c);
    for (int i = 0; i < 3; i++) {
        rate[1 + i] = 0.5 * (s[0] * w[i] + c[i]);
        rate[4 + i] = a[i];
    }
    carom_rotation_to_space(s, v, rate + 7);
}

static void runge_kutta(double *s, double h, double *ratio)
{
    double k[4][STATE], at[STATE];
    const double part[4] = {0, 0.5, 0.5, 1};
    double unused;
    for (int j = 0; j < 4; j++) {
        for (int i = 0; i < STATE; i++)
            at[i] = s[i] + (j ? part[j] * h * k[j - 1][i] : 0);
        rolling(at, k[j], j ? &unused : ratio);
    }
    for (int i = 0; i < STATE; i++)
        s[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
}

START_TEST(the_rattleback_reverses_as_kanes_equations_say)
{
    NEEDS_MODELS;
    course r = load("models/bodies/rattleback.yaml", 1e-11);
    const carom_model *m = r.model;
    double s[STATE], most = 0, ratio = 0, h = 5e-5, q[7], v[6];
    memcpy(s, m->q + 3, 4 * sizeof *s);
    memcpy(s + 4, m->v + 3, 3 * sizeof *s);
    memcpy(s + 7, m->q, 3 * sizeof *s);
    double n[3], c[3], down[3];
    arm(s, n, c);
    carom_rotation_to_space(s, c, down);
    CHECK_NEAR(s[9], -down[2], 1e-15); /* found by touch */
    double v0[3], turned[3];
    carom_cross(c, s + 4, v0);
    carom_rotation_to_space(s, v0, turned);
    for (int i = 0; i < 3; i++)
        CHECK_NEAR(m->v[i], turned[i], 1e-14); /* rolling */
    const double half = 0.25 * M_PI / 180, turn[4] = {cos(half) * cos(half), sin(half) * cos(half),
                                                      -sin(half) * cos(half), -sin(half) * sin(half)};
    for (int i = 0; i < 4; i++) /* 0.5 degrees about x, then -0.5 about y */
        CHECK_NEAR(m->q[3 + i], turn[i], 1e-15);
    run(&r, 5);
    double spin0 = value(&r, 0, "celt.spin.z"), spin1 = value(&r, 5, "celt.spin.z");
    CHECK_NEAR(spin0, 5, 1e-14);
    CHECK_NEAR(hypot(value(&r, 0, "celt.spin.x"), value(&r, 0, "celt.spin.y")), 0, 1e-14);
    for (int k = 1; k <= 100000; k++) {
        double here;
        runge_kutta(s, h, &here);
        ratio = fmax(ratio, here);
        if (k % 1000)
            continue;
        CHECK_OK(carom_trajectory_at(r.path, k * h, -1, q, v), *carom_sim_error(r.sim));
        for (int i = 0; i < 3; i++)
            most = fmax(most, fmax(fabs(q[i] - s[7 + i]), fabs(v[3 + i] - s[4 + i])));
        for (int i = 0; i < 4; i++)
            most = fmax(most, fabs(q[3 + i] - s[i]));
    }
    printf("rattleback: off by %.2g, friction at most %.3g of the normal force, spin %g -> %g\n", most, ratio, spin0,
           spin1);
    ck_assert(spin0 * spin1 < 0);
    CHECK_AT_MOST(ratio, 0.8); /* the model's */
    CHECK_AT_MOST(most, 1e-6);
    finish(&r);
}
END_TEST

/* ---- free rotation ------------------------------------------------------------------------------------------- */
static const char free_top[] = "carom: 1\nspace: spatial\nbodies:\n"
                               "  top: {mass: 1, inertia: [1, 1.7, 2.5], fix: [x, y, z]}\n";

START_TEST(a_free_body_moves_by_elliptic_functions)
{
    NEEDS_MODELS;
    static const char *const q_name[] = {"q.top.e0", "q.top.e1", "q.top.e2", "q.top.e3"};
    static const char *const v_name[] = {"v.top.wx", "v.top.wy", "v.top.wz"};
    const carom_model exact = top_model();
    course r = parse(free_top, 1e-12);
    carom_error error = {0};
    CHECK_OK(carom_model_set(r.model, q_name, exact.q, 4, &error), error);
    CHECK_OK(carom_model_set(r.model, v_name, exact.v, 3, &error), error);
    CHECK_OK(carom_sim_restart(r.sim, NULL, NULL, NULL), *carom_sim_error(r.sim));
    run(&r, 20);
    double q[4], v[3], most = 0;
    for (double t = 1; t <= 20; t++) {
        CHECK_OK(carom_trajectory_at(r.path, t, -1, q, v), error);
        most = fmax(most, top_error(t, q, v));
    }
    printf("top: off by %.2g\n", most);
    CHECK_AT_MOST(most, 1e-9);
    finish(&r);
}
END_TEST

/* Spin about the middle axis flips: w_2 passes 0 every 2 K(k)/rate. */
START_TEST(spin_about_the_middle_axis_flips_in_time)
{
    NEEDS_MODELS;
    course r = parse(free_top, 1e-12);
    const double *J = inertia, w1 = 0.02, w3 = 1.5;
    /* starts where w_2 = 0; L^2 just above 2 T J_2 makes it the unstable turn */
    double w1_edge = sqrt(J[2] * (J[2] - J[1]) / (J[0] * (J[1] - J[0]))) * w3, a = w1_edge * (1 - w1);
    static const char *const v_name[] = {"v.top.wx", "v.top.wy", "v.top.wz"};
    const double v[3] = {a, 0, w3};
    carom_error error = {0};
    CHECK_OK(carom_model_set(r.model, v_name, v, 3, &error), error);
    CHECK_OK(carom_sim_restart(r.sim, NULL, NULL, NULL), *carom_sim_error(r.sim));
    double T2 = J[0] * a * a + J[2] * w3 * w3, L2 = J[0] * J[0] * a * a + J[2] * J[2] * w3 * w3;
    double fast = T2 * J[2] - L2, slow = L2 - T2 * J[0];
    double rate = sqrt((J[2] - J[1]) * slow / (J[0] * J[1] * J[2]));
    double k = sqrt((J[1] - J[0]) * fast / ((J[2] - J[1]) * slow)), x = 1, y = sqrt(1 - k * k);
    for (int i = 0; i < 20; i++) {
        double mean = (x + y) / 2;
        y = sqrt(x * y), x = mean;
    }
    double flip = 3.14159265358979323846 / x / rate; /* 2 K(k)/rate, K = pi/(2 agm(1, k')) */
    printf("flips every %g, k = %.6f\n", flip, k);
    ck_assert(L2 > T2 * J[1] && k > 0.95);
    run(&r, 5.5 * flip);
    for (int n = 1; n <= 5; n++) {
        double before = value(&r, (n - 0.25) * flip, "top.wy"), after = value(&r, (n + 0.25) * flip, "top.wy");
        ck_assert(before * after < 0);
        CHECK_NEAR(value(&r, n * flip, "top.wy"), 0, 1e-8);
    }
    finish(&r);
}
END_TEST

/* ---- spheres on a plane -------------------------------------------------------------------------------------- */
static const char ball_on_plane[] = "carom: 1\nparameters: {r: 0.2, mu: 0.1, g: 9.81}\n"
                                    "space: spatial\ngravity: [0, 0, -g]\n"
                                    "bodies:\n  floor: {fixed: true, shape: {plane: [0, 0, 1]}}\n"
                                    "  ball: {shape: {sphere: r}, density: 1000, at: [0, 0, r], velocity: [3, 1, 0],\n"
                                    "         spin: [4, 0, 7]}\n"
                                    "laws: {default: {friction: mu, restitution: 0}}\n";

START_TEST(a_bowling_ball_slides_on_a_parabola_then_rolls)
{
    NEEDS_MODELS;
    course r = parse(ball_on_plane, 1e-11);
    /* u = v + w x (-r e_z); friction -mu g u/|u| keeps its direction; |u| falls by 7/2 mu g */
    const double v[2] = {3, 1}, u[2] = {3 - 0 * 0.2, 1 + 4 * 0.2}, mg = 0.1 * 9.81;
    double size = hypot(u[0], u[1]), until = 2 * size / (7 * mg);
    run(&r, 2 * until);
    double half = 0.5 * until, end[2];
    for (int i = 0; i < 2; i++) {
        end[i] = v[i] * until - 0.5 * mg * until * until * u[i] / size;
        const char *x = i ? "ball.y" : "ball.x", *x_dot = i ? "ball.y'" : "ball.x'";
        CHECK_NEAR(value(&r, half, x), v[i] * half - 0.5 * mg * half * half * u[i] / size, 1e-9);
        CHECK_NEAR(value(&r, 1.5 * until, x_dot), v[i] - 2.0 / 7 * u[i], 1e-9);
        CHECK_NEAR(value(&r, 2 * until, x), end[i] + until * (v[i] - 2.0 / 7 * u[i]), 1e-9);
    }
    CHECK_NEAR(value(&r, 2 * until, "ball.spin.z"), 7, 1e-9);
    CHECK_NEAR(value(&r, 2 * until, "ball.z"), 0.2, 1e-13);
    CHECK_NEAR(value(&r, 2 * until, "point(ball, [0, 0, 0]).x"), value(&r, 2 * until, "ball.x"), 0);
    const carom_event *e = carom_trajectory_event(r.path, 0);
    ck_assert(e && e->type == CAROM_EVENT_STICK);
    CHECK_NEAR(e->t, until, 1e-9);
    finish(&r);
}
END_TEST

START_TEST(a_sphere_that_slides_rolls_with_five_sevenths)
{
    NEEDS_MODELS;
    course r = parse(ball_on_plane, 1e-11);
    static const char *const names[] = {"v.ball.x", "v.ball.y", "v.ball.wx", "v.ball.wz"};
    const double still[] = {7, 0, 0, 0};
    carom_error error = {0};
    CHECK_OK(carom_model_set(r.model, names, still, 4, &error), error);
    CHECK_OK(carom_sim_restart(r.sim, NULL, NULL, NULL), *carom_sim_error(r.sim));
    double until = 2 * 7 / (7 * 0.981);
    run(&r, until + 1);
    CHECK_NEAR(value(&r, until + 1, "ball.x'"), 5, 1e-9);
    CHECK_NEAR(value(&r, until, "ball.x"), 12 * 49 / (49 * 0.981), 1e-8);
    CHECK_NEAR(value(&r, until + 1, "ball.spin.y"), 5 / 0.2, 1e-8);
    finish(&r);
}
END_TEST

/* ---- an ellipsoid, against the same by hand ------------------------------------------------------------------ */
static const char tumbling[] =
    "carom: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
    "bodies:\n  floor: {fixed: true, shape: {plane: [0, 0, 1]}}\n"
    "  egg: {shape: {ellipsoid: [0.5, 0.35, 0.25]}, mass: 5, inertia: [0.4, 0.6, 0.7], at: [0, 0, 1],\n"
    "        velocity: [0.4, -0.3, 0]}\n"
    "laws: {default: {friction: 0.3, restitution: 0.6}}\n";

START_TEST(an_ellipsoid_tumbles_as_the_one_by_hand)
{
    NEEDS_MODELS;
    carom_model by_hand = ellipsoid_model();
    course a = start(&by_hand, 1e-10), b = parse(tumbling, 1e-10);
    static const char *const q_name[] = {"q.egg.x",  "q.egg.y",  "q.egg.z", "q.egg.e0",
                                         "q.egg.e1", "q.egg.e2", "q.egg.e3"};
    static const char *const v_name[] = {"v.egg.x", "v.egg.y", "v.egg.z", "v.egg.wx", "v.egg.wy", "v.egg.wz"};
    carom_error error = {0};
    CHECK_OK(carom_model_set(b.model, q_name, by_hand.q, 7, &error), error);
    CHECK_OK(carom_model_set(b.model, v_name, by_hand.v, 6, &error), error);
    CHECK_OK(carom_sim_restart(b.sim, NULL, NULL, NULL), *carom_sim_error(b.sim));
    run(&a, 1.5);
    run(&b, 1.5);
    double q[7], v[6], p[7], w[6], most = 0;
    for (double t = 0.1; t < 1.5; t += 0.1) {
        CHECK_OK(carom_trajectory_at(a.path, t, -1, q, v), error);
        CHECK_OK(carom_trajectory_at(b.path, t, -1, p, w), error);
        for (int i = 0; i < 7; i++)
            most = fmax(most, fabs(p[i] - q[i]));
    }
    size_t events = 0;
    for (; carom_trajectory_event(a.path, events) && carom_trajectory_event(b.path, events); events++)
        ck_assert(carom_trajectory_event(a.path, events)->type == carom_trajectory_event(b.path, events)->type);
    printf("ellipsoid: off by %.2g, %zu events\n", most, events);
    ck_assert(!carom_trajectory_event(a.path, events) && !carom_trajectory_event(b.path, events) && events > 2);
    CHECK_AT_MOST(most, 1e-7); /* the other's derivatives are differences */
    finish(&a);
    finish(&b);
}
END_TEST

/* ---- joints -------------------------------------------------------------------------------------------------- */
static const char minimal_furuta[] =
    "carom: 1\n"
    "parameters: {L: 0.2, l: 0.3, m: 0.1, J: 1e-3, torque: 0.02, w: 6, r: 0.005}\n"
    "coordinates: {phi: 0, theta: 3}\n"
    "let:\n  a: l/2\n  Vb: pi*r^2*l\n  Ve: 4/3*pi*r^3\n"
    "  Ia: m*r^2*(Vb/2 + 0.4*Ve)/(Vb + Ve)\n"
    "  It: m*(Vb*(l^2/12 + r^2/4) + Ve*(0.4*r^2 + l^2/4 + 0.375*l*r))/(Vb + Ve)\n"
    "kinetic: >-\n"
    "  (J + 0.1*(L/2)^2)*phi'^2/2 + m/2*((phi'*a*sin(theta))^2 + (phi'*L + a*cos(theta)*theta')^2\n"
    "  + (a*sin(theta)*theta')^2) + (Ia*(phi'*cos(theta))^2 + It*(theta'^2 + (phi'*sin(theta))^2))/2\n"
    "potential: -m*9.81*a*cos(theta)\n"
    "forces: {phi: torque*sin(w*t)}\n"
    "contacts:\n"
    "  below: {gap: phi + 2, restitution: 0.4}\n  above: {gap: 2 - phi, restitution: 0.4}\n"
    "  dry: {law: bounded, along: theta, limit: 0.001}\n";

START_TEST(the_furuta_pendulum_moves_as_in_minimal_coordinates)
{
    NEEDS_MODELS;
    course a = parse(minimal_furuta, 1e-12), b = load("models/bodies/furuta.yaml", 1e-12);
    run(&a, 2);
    run(&b, 2);
    double most = 0;
    for (int k = 1; k <= 100; k++) {
        most = fmax(most, fabs(value(&a, 0.02 * k, "phi") - value(&b, 0.02 * k, "phi")));
        most = fmax(most, fabs(value(&a, 0.02 * k, "theta") - value(&b, 0.02 * k, "theta")));
        most = fmax(most, fabs(value(&a, 0.02 * k, "theta'") - value(&b, 0.02 * k, "rod.wz*0 + theta'")));
    }
    printf("Furuta: off by %.2g\n", most);
    CHECK_AT_MOST(most, 1e-9);
    finish(&a);
    finish(&b);
}
END_TEST

/* The same with every joint a constraint: quaternions, ten rows. */
static const char constrained_furuta[] =
    "carom: 1\nparameters: {L: 0.2, l: 0.3, m: 0.1, J: 1e-3}\nspace: spatial\ngravity: [0, 0, -9.81]\n"
    "bodies:\n  arm: {shape: {capsule: [L, 0.005]}, mass: 0.1, inertia: [J, J, J], at: [L/2, 0, 0]}\n"
    "  rod: {shape: {capsule: [l, 0.005]}, mass: m, at: [L, 0, -l/2], turn: {y: pi/2}}\n"
    "joints:\n  shaft: {hinge: [ground, arm], at: [0, 0, 0], axis: z%s}\n"
    "  elbow: {hinge: [arm, rod], at: [L, 0, 0], axis: x%s, stiffness: 0.05, damping: 1e-4}\n"
    "forces: {shaft: 0.02*cos(3*t), rod: {force: [0, 0.05, 0], at: [l/2, 0, 0], axes: space}}\n"
    "outputs: {phi: shaft, theta: elbow, z: rod.z}\n";

START_TEST(a_joint_is_the_same_as_constraint_and_as_coordinate)
{
    NEEDS_MODELS;
    char text[2][2000];
    snprintf(text[0], sizeof text[0], constrained_furuta, ", coordinate: relative", ", coordinate: relative");
    snprintf(text[1], sizeof text[1], constrained_furuta, "", "");
    course a = parse(text[0], 1e-11), b = parse(text[1], 1e-11);
    ck_assert_int_eq(a.model->nv, 2);
    ck_assert_int_eq(b.model->nv, 12);
    ck_assert_int_eq(b.model->njoint, 10);
    run(&a, 1);
    run(&b, 1);
    double most = 0;
    for (int k = 1; k <= 20; k++) {
        most = fmax(most, fabs(value(&a, 0.05 * k, "shaft") - value(&b, 0.05 * k, "shaft")));
        most = fmax(most, fabs(value(&a, 0.05 * k, "elbow") - value(&b, 0.05 * k, "elbow")));
        most = fmax(most, fabs(value(&a, 0.05 * k, "rod.z") - value(&b, 0.05 * k, "rod.z")));
    }
    printf("joints: off by %.2g; elbow at %g\n", most, value(&a, 1, "elbow"));
    CHECK_AT_MOST(most, 1e-8);
    finish(&a);
    finish(&b);
}
END_TEST

/* ---- rest ---------------------------------------------------------------------------------------------------- */
/* On a plane and on a box, whose contacts are formulas or found, by every scheme that takes both. */
START_TEST(a_box_at_rest_on_four_corners_stays)
{
    NEEDS_MODELS;
    static const char *const schemes[] = {"tolerance", "moreau-jean", "moreau-jean-projected", "schatzman-paoli"};
    static const char *const floors[] = {"{plane: [0, 0, 1]}", "{box: [1, 1, 1], offset: [0, 0, -0.5]}"};
    static const char *const names[] = {"box.x", "box.y", "box.z - 0.05", "box.e1", "box.e2", "box.e3"};
    double most = 0;
    for (int k = 0; k < 16; k++) {
        char text[500];
        snprintf(text, sizeof text,
                 "carom: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n  floor: {fixed: true, shape: %s}\n"
                 "  box: {shape: {box: [0.3, 0.2, 0.1]}, density: 700, at: [0, 0, touch]}\n"
                 "laws: {default: {friction: 0.4, restitution: 0.2}}\n%s",
                 floors[k & 1], k & 2 ? "contacts: found\n" : "");
        course r = run_by(text, schemes[k / 4], 0.05, 1e-8, 60);
        for (int i = 0; i < CAROM_COUNT(names); i++)
            for (int j = 1; j <= 4; j++) {
                double off = fabs(value(&r, 15 * j, names[i]));
                ck_assert_msg(off <= 1e-12, "%s on %s: %s is off by %g", schemes[k / 4], floors[k & 1], names[i], off);
                most = fmax(most, off);
            }
        finish(&r);
    }
    printf("box at rest for 60 s: off by %.1g\n", most);
}
END_TEST

/* ---- contacts that formulas do not know ---------------------------------------------------------------------- */
/* A bar with an edge below falls across a bar with an edge above: only the two edges meet. */
START_TEST(edges_that_cross_hold_each_other)
{
    NEEDS_MODELS;
    static const char text[] = "carom: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
                               "bodies:\n  below: {fixed: true, shape: {box: [2, 0.2, 0.2]}, turn: {x: pi/4}}\n"
                               "  bar: {shape: {box: [0.2, 2, 0.2]}, density: 1, at: [0, 0, 0.3], turn: {y: pi/4}}\n"
                               "laws: {default: {friction: 0.5, restitution: 0}}\ncontacts: found\n"
                               "run: {scheme: moreau-jean, h: 1e-3}\n";
    for (int i = 0; i < 2; i++) {
        carom_model *model;
        carom_sim *sim;
        carom_error error = {0};
        carom_options options = carom_options_default();
        CHECK_OK(carom_model_parse(&model, "text", text, strlen(text), NULL, &error), error);
        CHECK_OK(carom_options_from_model(&options, model, &error), error);
        CHECK_OK(i ? carom_options_set(&options, "solver", "nsgs", &error) : CAROM_OK, error);
        CHECK_OK(carom_sim_new(&sim, model, &options, &error), error);
        CHECK_OK(carom_sim_run(sim, 0.3), *carom_sim_error(sim));
        CHECK_NEAR(carom_sim_state(sim)->q[2], 0.2 * sqrt(2), 1e-3);
        carom_sim_free(sim);
        carom_model_free(model);
    }
}
END_TEST

/* Contacts come and go: a trajectory file has columns for what lasts, and a state that was saved knows what was closed
 * even where it hovers: going on from it is going on. */
START_TEST(contacts_that_come_and_go_survive_files_and_restarts)
{
    NEEDS_MODELS;
    static const char text[] = "carom: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
                               "bodies:\n  floor: {fixed: true, shape: {plane: [0, 0, 1]}}\n"
                               "  low: {shape: {box: [1, 1, 1]}, density: 1, at: [0, 0, 0.5]}\n"
                               "  top: {shape: {box: [0.5, 0.5, 0.5]}, density: 1, at: [0.1, 0.05, 1.35],\n"
                               "        turn: {x: 0.1, y: 0.2, z: 0.3}}\n"
                               "laws: {default: {friction: 0.4, restitution: 0.1}}\ncontacts: found\n"
                               "run: {scheme: moreau-jean, h: 2e-3}\n";
    carom_model *model;
    carom_sim *whole, *part;
    carom_sink *sink;
    carom_error error = {0};
    carom_options options = carom_options_default();
    FILE *stream = tmpfile();
    char saved[1 << 16], line[4096] = "";
    CHECK_OK(carom_model_parse(&model, "text", text, strlen(text), NULL, &error), error);
    CHECK_OK(carom_options_from_model(&options, model, &error), error);
    CHECK_OK(carom_sim_new(&whole, model, &options, &error), error);
    CHECK_OK(carom_sink_new(&sink, "text.csv", stream, model, NULL, NULL, 0.1, &error), error);
    carom_observer observer = carom_sink_observer(sink);
    CHECK_OK(carom_sim_observe(whole, &observer), error);
    CHECK_OK(carom_sim_new(&part, model, &options, &error), error);
    CHECK_OK(carom_sim_run(whole, 0.6), *carom_sim_error(whole));
    size_t bytes = carom_sim_save(whole, saved, sizeof saved);
    ck_assert_uint_le(bytes, sizeof saved);
    CHECK_OK(carom_sim_load(part, saved, bytes), *carom_sim_error(part));
    CHECK_OK(carom_sim_run(whole, 1), *carom_sim_error(whole));
    CHECK_OK(carom_sim_run(part, 1), *carom_sim_error(part));
    const carom_state *a = carom_sim_state(whole), *b = carom_sim_state(part);
    ck_assert_mem_eq(a->q, b->q, sizeof(double) * (size_t)model->nq);
    ck_assert_mem_eq(a->v, b->v, sizeof(double) * (size_t)model->nv);
    CHECK_OK(carom_sink_close(sink, &error), error);
    rewind(stream);
    while (fgets(line, sizeof line, stream) && line[0] == '#')
        ;
    ck_assert_int_eq(strncmp(line, "t,side,low.x,low.y,low.z,low.e0,", 32), 0);
    fclose(stream);
    carom_sim_free(part);
    carom_sim_free(whole);
    carom_model_free(model);
}
END_TEST

/* Off the middle of a wide plate, and below it: wherever it touches there are two directions to slip along. */
START_TEST(a_ball_slides_on_a_plate_until_it_rolls)
{
    NEEDS_MODELS;
    for (int side = -1; side <= 1; side += 2) {
        char text[600];
        snprintf(text, sizeof text, "carom: 1\nspace: spatial\ngravity: [0, 0, %d]\nbodies:\n"
                 "  plate: {fixed: true, shape: {box: [4, 4, 0.2]}}\n"
                 "  ball: {shape: {sphere: 0.1}, mass: 2, at: [0.9, 0.4, %g], velocity: [0.7, -0.7, 0]}\n"
                 "laws: {default: {friction: 0.2, restitution: 0}}\n", -10 * side, 0.2 * side);
        course r = parse(text, 1e-9);
        run(&r, 0.5);
        CHECK_NEAR(value(&r, 0.5, "ball.x'"), 0.5, 1e-9); /* 5/7 of it, from 2/7 |v|/(mu g) on */
        CHECK_NEAR(value(&r, 0.5, "ball.y'"), -0.5, 1e-9);
        CHECK_NEAR(value(&r, 0.5, "ball.z"), 0.2 * side, 1e-12);
        finish(&r);
    }
}
END_TEST

TEST_MAIN_MODELS("bodies in space", the_rattleback_reverses_as_kanes_equations_say,
                 a_free_body_moves_by_elliptic_functions, spin_about_the_middle_axis_flips_in_time,
                 a_bowling_ball_slides_on_a_parabola_then_rolls, a_sphere_that_slides_rolls_with_five_sevenths,
                 an_ellipsoid_tumbles_as_the_one_by_hand, the_furuta_pendulum_moves_as_in_minimal_coordinates,
                 a_joint_is_the_same_as_constraint_and_as_coordinate, a_box_at_rest_on_four_corners_stays,
                 edges_that_cross_hold_each_other, contacts_that_come_and_go_survive_files_and_restarts,
                 a_ball_slides_on_a_plate_until_it_rolls)
