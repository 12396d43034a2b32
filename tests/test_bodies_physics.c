/* Bodies against what is known of them: rocking and falling blocks by quadrature, rolling balls on a plate that is
 * pushed, a wall hit by a ball by what is conserved, a coin that rolls on its rim. */
#include <string.h>

#include "courses.h"

static course parse(const char *text, const char *scheme, double h, double tol, bool path)
{
    course r = {0};
    carom_error error = {0};
    carom_options options = carom_options_default();
    CHECK_OK(carom_model_parse(&r.model, "text", text, strlen(text), NULL, &error), error);
    CHECK_OK(carom_options_set(&options, "scheme", scheme, &error), error);
    options.h = h, options.rtol = options.atol = tol;
    CHECK_OK(carom_sim_new(&r.sim, r.model, &options, &error), error);
    if (path)
        CHECK_OK(carom_trajectory_new(&r.path, r.sim, &error), error);
    return r;
}

static void run(course *r, double t_end)
{
    CHECK_OK(carom_sim_run(r->sim, t_end), *carom_sim_error(r->sim));
}

/* ---- a block on its corner ---- */
/* The time in which a block on a corner turns from a to b: with the angle x of its diagonal off the vertical and the
 * speed w at a,  x'^2 = w^2 + 2 p^2 (cos a - cos x),  p^2 = m g R/I.  Substitution x = a + (b - a) s^2 where w = 0. */
static double turning_time(double p2, double a, double b, double w)
{
    enum { N = 2000 };
    double sum = 0;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 2; k++) { /* two points of Gauss in each part */
            double s = (i + 0.5 + (k ? 0.5 : -0.5) / sqrt(3)) / N, x = a + (b - a) * s * s, slope = 2 * s * (b - a);
            sum += 0.5 / N * fabs(slope) / sqrt(w * w + 2 * p2 * (cos(a) - cos(x)));
        }
    return sum;
}

static const carom_event *first_event(const course *r, carom_event_type type, const char *part, double after)
{
    const carom_event *e;
    for (size_t i = 0; (e = carom_trajectory_event(r->path, i)); i++)
        if (e->type == type && e->t > after && strstr(r->model->contact[e->contact].name, part))
            return e;
    return NULL;
}

START_TEST(a_slender_block_rocks_as_housner_says)
{
    static const char text[] =
        "carom: 1\nparameters: {w: 0.2, h: 1.2, tilt: 0.1}\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
        "  floor: {fixed: true, shape: {plane: [0, 1]}}\n"
        "  block: {shape: {box: [w, h]}, mass: 1, at: [w/2*cos(tilt) - h/2*sin(tilt), touch], angle: tilt}\n"
        "laws: {default: {friction: 5, restitution: 0}}\n";
    course r = parse(text, "tolerance", 0.01, 1e-11, true);
    run(&r, 2);
    double alpha = atan2(0.2, 1.2), R = 0.5 * hypot(0.2, 1.2), I = (0.04 + 1.44) / 12 + R * R, p2 = 9.81 * R / I;
    double quarter = turning_time(p2, alpha - 0.1, alpha, 0); /* the diagonal turns away from the vertical */
    const carom_event *hit = first_event(&r, CAROM_EVENT_IMPACT, "block", 0);
    ck_assert_ptr_nonnull(hit);
    double before = -sqrt(2 * p2 * (cos(alpha - 0.1) - cos(alpha))), keeps = 1 - 1.5 * sin(alpha) * sin(alpha);
    double after = value(&r, hit->t + 1e-9, "block.angle'");
    printf("rocking: down after %.10f (%.10f), keeps %.9f of its speed (%.9f)\n", hit->t, quarter, after / before,
           keeps);
    CHECK_NEAR(hit->t, quarter, 1e-8);
    CHECK_NEAR(value(&r, hit->t - 1e-9, "block.angle'"), before, 1e-6);
    CHECK_NEAR(after / before, keeps, 1e-7);
    finish(&r);
}
END_TEST

START_TEST(the_first_domino_hits_the_second_in_time_and_all_fall)
{
    static const char text[] =
        "carom: 1\nparameters: {n: 4, w: 0.008, h: 0.045, gap: 0.016, push: 8}\nspace: planar\ngravity: [0, -9.81]\n"
        "bodies:\n  table: {fixed: true, shape: {plane: [0, 1]}}\n"
        "  domino: {repeat: {i: n}, shape: {box: [w, h]}, density: 800, at: [i*(w + gap), h/2]}\n"
        "laws: {default: {friction: 0.4, restitution: 0}, domino table: {friction: 5, restitution: 0}}\n"
        "start: {\"domino[0].angle'\": -push, \"domino[0].x'\": push*h/2, \"domino[0].y'\": push*w/2}\n";
    double w = 0.008, h = 0.045, R = 0.5 * hypot(w, h), alpha = atan2(w, h), I = (w * w + h * h) / 12 + R * R;
    double angle = asin(0.016 / h), p2 = 9.81 * R / I, sum = 0;
    enum { N = 4000 };
    for (int i = 0; i < N; i++) { /* the diagonal starts alpha behind the vertical */
        double x = -alpha + angle * (i + 0.5) / N;
        sum += angle / N / sqrt(64 + 2 * p2 * (cos(alpha) - cos(x)));
    }
    course r = parse(text, "tolerance", 1e-3, 1e-10, true);
    run(&r, sum + 1e-3);
    const carom_event *hit = first_event(&r, CAROM_EVENT_IMPACT, "domino[1]", 1e-6);
    ck_assert_ptr_nonnull(hit);
    printf("dominoes: the second is hit at %.9f, by quadrature %.9f\n", hit->t, sum);
    CHECK_NEAR(hit->t, sum, 1e-8);
    finish(&r);
    course s = parse(text, "moreau-jean", 5e-4, 1e-6, true);
    run(&s, 0.4);
    for (int i = 0; i < 4; i++) {
        char name[40];
        snprintf(name, sizeof name, "domino[%d].angle", i);
        CHECK_AT_MOST(value(&s, 0.4, name), -0.9);
    }
    finish(&s);
}
END_TEST

/* ---- a rocker ---- */
/* A sector of a ring rocks on its outer arc, R phi' = -x' of its middle; its centre of mass is d off that. */
START_TEST(a_ring_rocks_on_its_arc_as_in_one_coordinate)
{
    static const char ring[] =
        "carom: 1\nparameters: {r: 0.4, R: 0.5, b: 1}\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
        "  floor: {fixed: true, shape: {plane: [0, 1]}}\n"
        "  arc: {shape: {ring: [r, R, -pi/2 - b, -pi/2 + b]}, mass: 2, at: [0, R], angle: 0.3}\n"
        "laws: {default: {friction: 1, restitution: 0}}\n";
    static const char angle[] =
        "carom: 1\nparameters: {r: 0.4, R: 0.5, b: 1}\ncoordinates: {phi: 0.3}\n"
        "let:\n  d: 2/3*(R^3 - r^3)/(R^2 - r^2)*sin(b)/b\n  I: (R^2 + r^2)/2 - d^2\n"
        "kinetic: phi'^2*(I + R^2 + d^2 - 2*R*d*cos(phi))\npotential: -2*9.81*d*cos(phi)\n";
    course a = parse(ring, "tolerance", 0.01, 1e-10, true), b = parse(angle, "tolerance", 0.01, 1e-11, true);
    run(&a, 3), run(&b, 3);
    double most = 0, least = 1;
    for (double t = 0.1; t < 3; t += 0.1) {
        most = fmax(most, fabs(value(&a, t, "arc.angle") - value(&b, t, "phi")));
        most = fmax(most, fabs(value(&a, t, "point(arc, [0, 0]).y") - 0.5));
        most = fmax(most, fabs(value(&a, t, "point(arc, [0, 0]).x + R*(arc.angle - 0.3)")));
        least = fmin(least, value(&b, t, "phi"));
    }
    printf("rocker: off by %.2g, down to %g\n", most, least);
    CHECK_AT_MOST(most, 1e-8);
    CHECK_AT_MOST(least, -0.29);
    finish(&a), finish(&b);
}
END_TEST

/* ---- balls on a plate ---- */
/* A plate of mass M on the ground (mu) is pushed by F; n balls of mass m on it roll:  a_ball = 2/7 a,
 *   M a = F - mu (M + n m) g - n m 2/7 a */
START_TEST(balls_roll_on_a_plate_that_is_pushed)
{
    static const char text[] =
        "carom: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  ground: {fixed: true, shape: {plane: [0, 0, 1]}}\n"
        "  plate: {shape: {box: [6, 6, 0.4]}, mass: 10, at: [0, 0, 0.2]}\n"
        "  ball: {repeat: {i: 5, j: 5}, shape: {sphere: 0.3}, mass: 1, at: [i - 2, j - 2, 0.7]}\n"
        "laws: {plate floor: {friction: 0.4, restitution: 0}, ball plate: {friction: 0.8, restitution: 0}}\n"
        "forces: {plate: {force: [150, 0, 0], at: [0, 0, -0.2]}}\ncontacts: found\n";
    char fixed[sizeof text];
    strcpy(fixed, text);
    memcpy(strstr(fixed, "  ground:"), "  floor: ", 9);
    const double a = (150 - 0.4 * 35 * 9.81) / (10 + 25 * 2.0 / 7);
    for (int i = 0; i < 2; i++) {
        course r = parse(fixed, i ? "tolerance" : "moreau-jean", 0.01, 1e-9, true);
        run(&r, 1);
        double plate = value(&r, 1, "plate.x'"), ball = value(&r, 1, "ball[3,1].x'");
        double spin = value(&r, 1, "ball[3,1].spin.y");
        printf("plate: %.10g (%.10g), ball %.10g (%.10g)\n", plate, a, ball, a * 2 / 7);
        CHECK_NEAR(plate, a, 1e-8);
        CHECK_NEAR(ball, a * 2 / 7, 1e-8);
        CHECK_NEAR(spin * 0.3, -a * 5 / 7, 1e-8); /* it rolls back on the plate */
        CHECK_NEAR(value(&r, 1, "plate.x"), a / 2, 1e-8);
        finish(&r);
    }
}
END_TEST

/* ---- a wall and a ball ---- */
START_TEST(a_wall_hit_by_a_ball_keeps_its_momentum_and_gains_no_energy)
{
    static const char text[] =
        "carom: 1\nspace: planar\nbodies:\n"
        "  brick: {repeat: {j: 6, i: 6}, shape: {box: [0.1, 0.2]}, density: 1800, "
        "at: [(j + 0.5)*0.1, (i + 0.5*mod(j, 2))*0.2]}\n"
        "  ball: {shape: {circle: 0.15}, density: 3000, at: [-0.2, 0.55], velocity: [6, 0.5], spin: 3}\n"
        "laws: {default: {friction: 0.5, restitution: 0.3}}\n";
    course r = parse(text, "moreau-jean", 1e-3, 1e-9, false);
    const carom_state *s = carom_sim_state(r.sim);
    double m[2] = {0.02 * 1800, M_PI * 0.15 * 0.15 * 3000}, inertia[2] = {m[0] * 0.05 / 12, m[1] * 0.0225 / 2};
    double energy = 0.5 * m[1] * (36 + 0.25) + 0.5 * inertia[1] * 9, least = 1;
    for (int k = 0; k < 60; k++) {
        run(&r, 2e-3 * (k + 1));
        double p[2] = {0, 0}, now = 0;
        for (int i = 0; i < 37; i++) {
            const double *v = s->v + 3 * i, mass = m[i == 36];
            p[0] += mass * v[0], p[1] += mass * v[1];
            now += 0.5 * mass * (v[0] * v[0] + v[1] * v[1]) + 0.5 * inertia[i == 36] * v[2] * v[2];
        }
        CHECK_NEAR(p[0], 6 * m[1], 1e-9 * m[1]);
        CHECK_NEAR(p[1], 0.5 * m[1], 1e-9 * m[1]);
        CHECK_AT_MOST(now, energy * (1 + 1e-9));
        least = fmin(least, now / energy), energy = now;
    }
    printf("wall: %.3g of the energy is left, the last brick of the row moves at %.3g\n", least, s->v[3 * 32]);
    CHECK_AT_LEAST(s->v[3 * 32], 0.1); /* what was hit goes through to the last column */
    finish(&r);
}
END_TEST

/* ---- a coin ---- */
/* Euler's disc: its centre rests while it rolls about on its rim, with Omega^2 = 4 g/(r sin a) for the inclination a of
 * a thin one. The part of its energy that is lost in 0.2 s with the step h, or with the tolerance 1e-7. */
static double coin(const char *scheme, double h, double a)
{
    const double r = 0.04, omega = sqrt(4 * 9.81 / (r * sin(a)));
    const bool exact = strcmp(scheme, "tolerance") == 0;
    const double thick = exact ? 1e-4 : 1e-6; /* steps of a tolerance are not longer than what is thin */
    char text[900];
    snprintf(text, sizeof text,
             "carom: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
             "  floor: {fixed: true, shape: {plane: [0, 0, 1]}}\n"
             "  coin: {shape: {cylinder: [%.17g, %.17g]}, mass: 0.1, at: [0, 0, %.17g], turn: {y: %.17g}, "
             "spin: [%.17g, 0, %.17g], velocity: rolling}\n"
             "laws: {default: {friction: 2, restitution: 0}}\n",
             thick, r, r * sin(a) + thick / 2 * cos(a), a, -omega * sin(a) * cos(a), omega * sin(a) * sin(a));
    course c = parse(text, scheme, h, exact ? 1e-7 : 1e-9, true);
    run(&c, 0.2);
    double vertical = value(&c, 0.2, "1 - 2*(coin.e1^2 + coin.e2^2)"), q[14], v[12], energy[4], t[2] = {0, 0.2};
    carom_error error = {0};
    CHECK_OK(carom_trajectory_sample(c.path, 2, t, 1, q, v), error);
    CHECK_OK(carom_model_observe(c.model, NULL, 2, t, q, v, NULL, energy, &error), error);
    double centre = hypot(q[7] - q[0], q[8] - q[1]), lost = 1 - (energy[2] + energy[3]) / (energy[0] + energy[1]);
    printf("coin: inclination %.6g (%.6g), centre off by %.2g, %.3g of its energy lost\n", acos(vertical), a, centre,
           lost);
    CHECK_NEAR(acos(vertical), a, exact ? 5e-3 : 50 * h); /* it is not quite thin */
    CHECK_AT_MOST(centre, exact ? 1e-4 : 5 * h);
    finish(&c);
    return lost;
}

START_TEST(a_coin_rolls_on_its_rim_and_loses_no_energy_but_for_the_step)
{
    double coarse = coin("moreau-jean", 4e-5, 0.5), fine = coin("moreau-jean", 2e-5, 0.5);
    CHECK_AT_MOST(fabs(fine), 0.6 * fabs(coarse));
    CHECK_AT_MOST(fabs(fine), 3e-3);
}
END_TEST

START_TEST(a_coin_that_all_but_lies_rolls_on_and_keeps_its_energy)
{
    for (int i = 0; i < 3; i++)
        CHECK_AT_MOST(fabs(coin("tolerance", 1e-3, (const double[]){0.5, 0.2, 0.1}[i])), 1e-7);
}
END_TEST

TEST_MAIN_MODELS("physics of bodies", a_ring_rocks_on_its_arc_as_in_one_coordinate,
                 a_slender_block_rocks_as_housner_says,
                 the_first_domino_hits_the_second_in_time_and_all_fall, balls_roll_on_a_plate_that_is_pushed,
                 a_wall_hit_by_a_ball_keeps_its_momentum_and_gains_no_energy,
                 a_coin_rolls_on_its_rim_and_loses_no_energy_but_for_the_step,
                 a_coin_that_all_but_lies_rolls_on_and_keeps_its_energy)
