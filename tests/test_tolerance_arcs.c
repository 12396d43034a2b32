/* test_tolerance_arcs.c: `tolerance` on rings with round sides, whose arc takes over from its corner and the other way
 * round, against the one equation of rolling and rocking, and against disks and boxes turned about. */
#include "core/core.h"
#include "tolerance_testing.h"

/* A sector that stands on its outer arc from -half to half of the way down, and rocks over the ends of it. With the
 * turn phi, a cradle of radius R whose centre of mass is d from the centre of the arc, the point p of contact is
 *   p = (c_x, 0) with the centre c on the arc;  the corner beyond its ends                                  (1)
 *   y = R - d cos phi;   y = R cos(|phi| - half) - d cos phi                                                (2)
 *   m (k^2 + |r - p|^2) phi'^2/2 + m g y = E where it rolls; where it slides (r_x - p_x)^2 for |r - p|^2  (3) */
static const double R = 0.6, hole = 0.4, half = 0.5, g = 9.81;

typedef struct cradle {
    double d, k2; /* of the centre of mass; radius of gyration squared */
    bool rolls, beyond; /* the end of its arc */
} cradle;

static cradle cradle_of(bool rolls)
{
    double d = 2.0 / 3 * sin(half) / half * (R * R * R - hole * hole * hole) / (R * R - hole * hole);
    return (cradle){d, (R * R + hole * hole) / 2 - d * d, rolls, false};
}

static double rate(const cradle *c, double phi, double w) /* of w, from (3) */
{
    double over = c->beyond ? fabs(phi) - half : 0;
    double x = c->d * sin(phi) - copysign(R * sin(over), phi);             /* of r - p: (1) */
    double y = R * cos(over) - c->d * cos(phi);                            /* (2) */
    double slope = c->d * cos(phi) - (c->beyond ? R * cos(over) : 0); /* of x; that of y is x */
    return -x * ((slope + (c->rolls ? y : 0)) * w * w + g) / (c->k2 + x * x + (c->rolls ? y * y : 0));
}

static void step(const cradle *c, double h, double *phi, double *w) /* of Runge and Kutta's */
{
    double a[4] = {rate(c, *phi, *w)}, b[4] = {*w};
    for (int k = 1; k < 4; k++) {
        double part = k == 3 ? h : h / 2;
        b[k] = *w + part * a[k - 1];
        a[k] = rate(c, *phi + part * b[k - 1], b[k]);
    }
    *phi += h / 6 * (b[0] + 2 * b[1] + 2 * b[2] + b[3]);
    *w += h / 6 * (a[0] + 2 * a[1] + 2 * a[2] + a[3]);
}

/* phi and w at t, how often it goes over an end; steps end there. */
static int rock(cradle c, double t, double *phi, double *w)
{
    int crossings = 0;
    for (double now = 0, h; now < t; now = h < t - now ? now + h : t) {
        double low = 0, x = *phi, v = *w;
        h = fmin(1e-4, t - now);
        step(&c, h, &x, &v);
        bool crosses = (fabs(x) > half) != c.beyond;
        for (int k = 0; k < 60 && crosses; k++) {
            double middle = (low + h) / 2;
            x = *phi, v = *w;
            step(&c, middle, &x, &v);
            *((fabs(x) > half) != c.beyond ? &h : &low) = middle;
        }
        step(&c, h, phi, w);
        c.beyond ^= crosses;
        crossings += crosses;
    }
    return crossings;
}

START_TEST(a_cradle_rocks_over_the_ends_of_its_arc)
{
    for (int rolls = 0; rolls < 2; rolls++)
        for (int k = 0; k < 3; k++) {
            const double tol[] = {1e-6, 1e-8, 1e-10}, w0 = rolls ? 7.2 : 8.8, t = 2.5;
            const cradle c = cradle_of(rolls);
            char text[600];
            snprintf(text, sizeof text,
                     "carom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
                     "  floor: {fixed: true, shape: {plane: [0, 1]}}\n"
                     "  cradle: {shape: {ring: [%g, %g, -pi/2 - %g, -pi/2 + %g]}, density: 100, at: [0, %g],\n"
                     "           spin: %g, velocity: [%.17g, 0]}\n"
                     "laws: {default: {friction: %d, restitution: 0}}\n", hole, R, half, half, R, w0,
                     rolls ? -w0 * (R - c.d) : 0, rolls ? 3 : 0);
            carom_model *m = parse_text(text);
            run r = begin(m, "tolerance", tol[k], 0, t);
            double phi = 0, w = w0;
            ck_assert_msg(carom_sim_run(r.sim, t) == CAROM_OK, "%s", carom_sim_error(r.sim)->text);
            const carom_state *s = carom_sim_state(r.sim);
            const carom_info *info = carom_sim_info(r.sim);
            int crossings = rock(c, t, &phi, &w);
            printf("%s, %g: off by %.1e, %.1e; over an end %d times, %ld closings, %ld steps\n",
                   rolls ? "rolls" : "slides", tol[k], s->q[2] - phi, s->v[2] - w, crossings,
                   info->events[CAROM_EVENT_CLOSING], info->steps);
            CHECK_NEAR(s->q[2], phi, 10 * tol[k] + 1e-9);
            CHECK_NEAR(s->v[2], w, 100 * tol[k] + 1e-8);
            ck_assert_int_eq(info->events[CAROM_EVENT_CLOSING], crossings + 1); /* and that of the start */
            end(&r);
            carom_model_free(m);
        }
}
END_TEST

#define PLANE "carom: 1\nspace: planar\ngravity: [0, -9.81]\n"

/* An arc takes over from the corner of a box, goes over the end of a face or of a capsule's side, or on another arc. */
START_TEST(arcs_on_other_shapes_converge_with_the_tolerance)
{
    static const char *const scenes[] = {
        PLANE "bodies:\n"
        "  base: {fixed: true, shape: {ring: [0.5, 0.9, 0.2, 2.9]}, at: [0, -0.2], angle: 0.29268}\n"
        "  it: {shape: {box: [0.68433, 0.41231]}, density: 1, at: [0.14426, 1.78222], angle: 1.32922,\n"
        "       velocity: [-0.24316, -0.11679], spin: 0.04374}\nlaws: {default: {friction: 0.6, restitution: 0}}\n",
        PLANE "bodies:\n"
        "  base: {fixed: true, shape: {capsule: [1, 0.25]}, at: [0, 0.2], angle: 0.06056}\n"
        "  it: {shape: {ring: [0.4671, 0.6671, -0.5, 0.99623]}, density: 1, at: [0.15426, 2.15292], angle: 2.24563,\n"
        "       velocity: [0.24134, -0.90849], spin: 1.81795}\nlaws: {default: {friction: 0.6, restitution: 0}}\n",
        PLANE "bodies:\n"
        "  base: {fixed: true, shape: {polygon: [[-1, -0.5], [1, -0.6], [0.7, 0.3], [-0.8, 0.2]]}, at: [0, 0.2],\n"
        "         angle: -0.18872}\n"
        "  it: {shape: {ring: [0.44237, 0.64237, -0.5, 0.90187]}, density: 1, at: [-0.01967, 1.79951],\n"
        "       angle: 2.38052, velocity: [0.58482, -0.14039], spin: 1.32659}\n"
        "laws: {default: {friction: 0.6, restitution: 0}}\n"};
    for (int i = 0; i < CAROM_COUNT(scenes); i++) {
        carom_model *m = parse_text(scenes[i]);
        double at[4][3];
        for (int k = 0; k < 4; k++) {
            const double tol[] = {1e-10, 1e-9, 1e-7, 1e-5};
            run r = begin(m, "tolerance", tol[k], 0, 1.2);
            ck_assert_msg(carom_sim_run(r.sim, 1.2) == CAROM_OK, "%s", carom_sim_error(r.sim)->text);
            memcpy(at[k], carom_sim_state(r.sim)->q, sizeof at[k]);
            double off = hypot(hypot(at[k][0] - at[0][0], at[k][1] - at[0][1]), at[k][2] - at[0][2]);
            printf("scene %d, %g: off by %.1e\n", i, tol[k], off);
            CHECK_AT_MOST(off, 10 * tol[k]);
            end(&r);
        }
        carom_model_free(m);
    }
}
END_TEST

TEST_MAIN("arcs in tolerance", a_cradle_rocks_over_the_ends_of_its_arc,
          arcs_on_other_shapes_converge_with_the_tolerance)
