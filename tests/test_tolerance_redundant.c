/* test_tolerance_redundant.c: contacts that share a force which is not unique: the motion is, and it starts when it
 * must. */
#include "tolerance_testing.h"

static run of_text(const char *text, double tol, double t_end)
{
    carom_error error = {0};
    carom_model *model;
    CHECK_OK(carom_model_parse(&model, "text", text, strlen(text), NULL, &error), error);
    run r = begin(model, "tolerance", tol, 0, t_end);
    r.loaded = model;
    ck_assert_msg(carom_sim_run(r.sim, t_end) == CAROM_OK, "tol %g: %s", tol, carom_sim_error(r.sim)->text);
    return r;
}

/* Two corners stick; by least norm the one with less weight would slip at 0.6288. */
static const char box[] =
    "carom: 1\ncoordinates: {x: 0, y: 0.1, th: 0}\nkinetic: (x'^2 + y'^2)/2 + th'^2/20\npotential: 9.81*y\n"
    "forces: {x: 3*t}\nlet: {c: cos(th), s: sin(th)}\ncontacts:\n"
    "  left: {gap: y - 0.5*s - 0.1*c, slip: [\"x' + (0.1*c + 0.5*s)*th'\"], friction: 0.2, restitution: 0}\n"
    "  right: {gap: y + 0.5*s - 0.1*c, slip: [\"x' + (0.1*c - 0.5*s)*th'\"], friction: 0.2, restitution: 0}\nrun: "
    "{t_end: 1.2}\n";

static void box_exact(const void *user, double t, double *q)
{
    double s = 0.2 * 9.81 / 3, d = fmax(t - s, 0);
    (void)user;
    q[0] = t > s ? 0.5 * (t * t * t - s * s * s) - 1.5 * s * s * d - 0.2 * 9.81 * d * d / 2 : 0;
    q[1] = 0.1, q[2] = 0;
}

START_TEST(a_pushed_box_slips_when_both_corners_together_cannot_hold_it)
{
    for (int k = 0; k < TOLERANCES; k++) {
        run r = of_text(box, tolerances[k], 1.2);
        CHECK_NEAR(event(&r, CAROM_EVENT_SLIP, 0)->t, 0.654, 1e-12);
        CHECK_AT_MOST(error_of(&r, 3, box_exact, NULL), 1e-12);
        end(&r);
    }
}
END_TEST

static const char ladder[] =
    "carom: 1\ncoordinates: {x: cos(1), y: sin(1), th: 1}\nkinetic: (x'^2 + y'^2)/2 + th'^2/6\npotential: "
    "9.81*y\ncontacts:\n"
    "  floor: {gap: y - sin(th), slip: [\"x' - sin(th)*th'\"], friction: 0.6, restitution: 0}\n"
    "  wall: {gap: x - cos(th), slip: [\"y' + cos(th)*th'\"], friction: 0.6, restitution: 0}\nrun: {t_end: 2}\n";

START_TEST(a_ladder_stays_although_its_forces_are_not_unique)
{
    for (int k = 0; k < TOLERANCES; k++) {
        run r = of_text(ladder, tolerances[k], 2);
        const carom_state *s = carom_sim_state(r.sim);
        CHECK_NEAR(s->q[0], cos(1), 1e-13);
        CHECK_NEAR(s->q[2], 1, 1e-13);
        CHECK_NEAR(s->v[2], 0, 1e-13);
        end(&r);
    }
}
END_TEST

static const char plate[] =
    "carom: 1\ncoordinates: {z: 0, a: 0, b: 0}\nkinetic: (z'^2 + 0.1*a'^2 + 0.1*b'^2)/2\npotential: 10*z\nforces: {a: "
    "4*t}\ncontacts:\n"
    "  c1: {gap: z + 0.3*a + 0.2*b, restitution: 0}\n  c2: {gap: z + 0.3*a - 0.2*b, restitution: 0}\n"
    "  c3: {gap: z - 0.3*a + 0.2*b, restitution: 0}\n  c4: {gap: z - 0.3*a - 0.2*b, restitution: 0}\nrun: {t_end: "
    "1.5}\n";

static void plate_exact(const void *user, double t, double *q)
{
    double d = fmax(t - 0.75, 0), angle = 4 * d * d * d / 6 / (0.1 + 0.09);
    (void)user;
    q[0] = 0.3 * angle, q[1] = angle, q[2] = 0;
}

START_TEST(a_plate_on_four_corners_tips_over_two_of_them)
{
    for (int k = 0; k < TOLERANCES; k++) {
        run r = of_text(plate, tolerances[k], 1.5);
        CHECK_AT_MOST(error_of(&r, 3, plate_exact, NULL), 1e-12);
        end(&r);
    }
}
END_TEST

static double uniform(unsigned long *state, double low, double high) /* the same numbers everywhere */
{
    *state = (*state * 1103515245ul + 12345ul) & 0x7ffffffful;
    return low + (high - low) * (double)*state / 2147483648.0;
}

/* Dropped with a tilt, another restitution at each corner: hundreds of impacts, corners closed in all combinations.
 * What is frozen is moved by a tenth of the tolerance at most. */
START_TEST(random_plates_on_four_corners_come_to_rest_without_falling_through)
{
    static const double restitution[] = {0, 0.5, 0.7, 0.9};
    unsigned long state = 7;
    double deepest = 0;
    for (int i = 0; i < 80; i++) {
        char text[800];
        double a = uniform(&state, 0.2, 0.8), b = uniform(&state, 0.2, 0.8), al = uniform(&state, -0.05, 0.05),
               be = uniform(&state, -0.05, 0.05), v = uniform(&state, -1, 1), tol = i % 2 ? 1e-7 : 1e-4, e[4];
        for (int k = 0; k < 4; k++)
            e[k] = restitution[(int)uniform(&state, 0, 4)];
        snprintf(text, sizeof text,
                 "carom: 1\ncoordinates: {z: %.4f, al: %.4f, be: %.4f}\nvelocities: {z: %.2f}\n"
                 "kinetic: z'^2/2 + %.4f*al'^2 + %.4f*be'^2\npotential: 9.81*z\ncontacts:\n"
                 "  a: {gap: z + %.3f*al + %.3f*be, restitution: %g}\n  b: {gap: z + %.3f*al - %.3f*be, restitution: "
                 "%g}\n"
                 "  c: {gap: z - %.3f*al + %.3f*be, restitution: %g}\n  d: {gap: z - %.3f*al - %.3f*be, restitution: "
                 "%g}\n",
                 0.05 + fabs(al) * a + fabs(be) * b, al, be, v, 0.17 * a * a, 0.17 * b * b, a, b, e[0], a, b, e[1], a,
                 b, e[2], a, b, e[3]);
        run r = of_text(text, tol, 2);
        deepest = fmax(deepest, carom_sim_info(r.sim)->max_penetration / tol);
        CHECK_AT_MOST(carom_sim_info(r.sim)->max_penetration, 0.1 * tol);
        CHECK_NEAR(carom_sim_info(r.sim)->balance_error, 0, 10 * tol);
        end(&r);
    }
    printf("plates: deepest %.2g tol\n", deepest);
}
END_TEST

/* At t = 0.42606 corner d leaves with 8e-8 from a gap of -2e-16 and would fall back before it is 0; others still
 * bounce higher. */
START_TEST(a_bounce_below_the_rounding_of_its_gap_is_over)
{
    run r = of_text("carom: 1\ncoordinates: {z: 0.0701, al: 0.0198, be: -0.0292}\nvelocities: {z: 0.63}\n"
                    "kinetic: z'^2/2 + 0.0179*al'^2 + 0.03865*be'^2\npotential: 9.81*z\ncontacts:\n"
                    "  a: {gap: z + 0.32*al + 0.47*be, restitution: 0.7}\n  b: {gap: z + 0.32*al - 0.47*be, "
                    "restitution: 0.5}\n"
                    "  c: {gap: z - 0.32*al + 0.47*be, restitution: 0.5}\n  d: {gap: z - 0.32*al - 0.47*be, "
                    "restitution: 0.5}\n",
                    1e-10, 0.6);
    CHECK_AT_MOST(carom_sim_info(r.sim)->max_penetration, 1e-11);
    for (int c = 0; c < 4; c++)
        ck_assert_int_eq(carom_sim_state(r.sim)->mode[c], CAROM_CLOSED);
    end(&r);
}
END_TEST

/* The weight is carried until the centre of pressure leaves the edge, although by least norm a corner would pull
 * before. */
START_TEST(a_plate_under_two_moments_tips_when_its_weight_cannot_be_carried_any_more)
{
    for (int k = 0; k < TOLERANCES; k++) {
        run r = of_text(
            "carom: 1\ncoordinates: {z: 0, al: 0, be: 0}\nkinetic: z'^2/2 + 0.02145*al'^2 + 0.0266*be'^2\npotential: "
            "9.81*z\n"
            "forces: {al: -2.06*t, be: -5.15*sin(6.72*t)}\ncontacts:\n"
            "  a: {gap: z + 0.35*al + 0.39*be, restitution: 0.7}\n  b: {gap: z + 0.35*al - 0.39*be, "
            "restitution: 0.3}\n"
            "  c: {gap: z - 0.35*al + 0.39*be, restitution: 0.5}\n  d: {gap: z - 0.35*al - 0.39*be, "
            "restitution: 0.7}\n",
            tolerances[k], 0.15);
        double tips = asin(9.81 * 0.39 / 5.15) / 6.72;
        const carom_event *b = event(&r, CAROM_EVENT_OPENING, 0), *d = event(&r, CAROM_EVENT_OPENING, 1);
        CHECK_NEAR(b->t, tips, 1e-6 + sqrt(tolerances[k]) / 10);
        CHECK_NEAR(d->t, tips, 1e-6 + sqrt(tolerances[k]) / 10);
        ck_assert_int_eq(b->contact + d->contact, 1 + 3);
        ck_assert_int_eq(carom_sim_state(r.sim)->mode[0], CAROM_CLOSED);
        ck_assert_int_eq(carom_sim_state(r.sim)->mode[2], CAROM_CLOSED);
        end(&r);
    }
}
END_TEST

/* Two corners on the floor, two at a wall, all with friction: eight forces for three coordinates. */
static const char corner[] =
    "carom: 1\ncoordinates: {x: %g, y: 0.33, th: 0}\nvelocities: {x: %g}\nkinetic: (x'^2 + y'^2)/2 + 0.076165*th'^2\n"
    "potential: 9.81*y\nforces: {x: \"%s\"}\nlet: {c: cos(th), s: sin(th)}\ncontacts:\n"
    "  ll: {gap: y - 0.59*s - 0.33*c, slip: [\"x' + (0.59*s + 0.33*c)*th'\"], friction: 0.1, friction_static: 0.2, "
    "restitution: 0}\n"
    "  lr: {gap: y + 0.59*s - 0.33*c, slip: [\"x' - (0.59*s - 0.33*c)*th'\"], friction: 0.1, restitution: 0.5}\n"
    "  wu: {gap: 0.5 - x + 0.59*(1 - c) + 0.33*s, slip: [\"y' + (0.59*c - 0.33*s)*th'\"], friction: 0.1, restitution: "
    "0.3}\n"
    "  wl: {gap: 0.5 - x + 0.59*(1 - c) - 0.33*s, slip: [\"y' + (0.59*c + 0.33*s)*th'\"], friction: 0.1, restitution: "
    "0}\n";

START_TEST(a_box_pushed_into_a_corner_stays_there)
{
    for (int k = 0; k < 2 * TOLERANCES; k++) {
        char text[1500];
        bool rests = k % 2; /* pushed from the beginning, or slides into it first */
        snprintf(text, sizeof text, corner, rests ? 0.5 : 0.0, rests ? 0.0 : 1.65,
                 rests ? "6.73*sin(5.56*t)" : "1.4*t");
        run r = of_text(text, tolerances[k / 2], rests ? 0.56 : 2);
        const carom_state *state = carom_sim_state(r.sim);
        CHECK_NEAR(state->q[0], 0.5, rests ? 1e-13 : tolerances[k / 2]);
        CHECK_NEAR(state->q[1], 0.33, rests ? 1e-13 : tolerances[k / 2]);
        CHECK_NEAR(state->q[2], 0, rests ? 1e-13 : tolerances[k / 2]);
        for (int i = 0; i < 3; i++)
            CHECK_NEAR(state->v[i], 0, 1e-12);
        CHECK_NEAR(carom_sim_info(r.sim)->balance_error, 0, 20 * tolerances[k / 2]);
        end(&r);
    }
}
END_TEST

/* n boxes 1 x 0.5 that lie on each other, dropped together from a height; all corners can stick. */
static char *stack(int n, double height)
{
    enum { SIZE = 20000 };
    char *text = malloc(SIZE);
    int k = snprintf(text, SIZE, "carom: 1\ncoordinates: {");
    for (int i = 1; i <= n; i++)
        k += snprintf(text + k, SIZE - (size_t)k, "x%d: 0, y%d: %.17g, p%d: 0%s", i, i, 0.5 * i - 0.25 + height, i,
                      i < n ? ", " : "}\nlet:\n");
    for (int i = 1; i <= n; i++)
        k += snprintf(text + k, SIZE - (size_t)k,
                      "  l%dx: -0.5*cos(p%d) + 0.25*sin(p%d)\n  l%dy: -0.5*sin(p%d) - 0.25*cos(p%d)\n"
                      "  r%dx: 0.5*cos(p%d) + 0.25*sin(p%d)\n  r%dy: 0.5*sin(p%d) - 0.25*cos(p%d)\n",
                      i, i, i, i, i, i, i, i, i, i, i, i);
    k += snprintf(text + k, SIZE - (size_t)k, "mass: {");
    for (int i = 1; i <= n; i++)
        k += snprintf(text + k, SIZE - (size_t)k, "x%d: 1, y%d: 1, p%d: 0.10416666666666667%s", i, i, i,
                      i < n ? ", " : "}\nforce: {");
    for (int i = 1; i <= n; i++)
        k += snprintf(text + k, SIZE - (size_t)k, "y%d: -9.81%s", i, i < n ? ", " : "}\ncontacts:\n");
    for (int i = 1; i <= n; i++)
        for (const char *side = "lr"; *side; side++) {
            char gap[300], slip[600], c = *side;
            int j = i - 1; /* the box below, or the floor */
            snprintf(gap, sizeof gap, "y1 + %c1y", c);
            snprintf(slip, sizeof slip, "x1' - %c1y*p1'", c);
            if (j > 0) {
                snprintf(gap, sizeof gap, "-sin(p%d)*(x%d+%c%dx-x%d) + cos(p%d)*(y%d+%c%dy-y%d) - 0.25", j, i, c, i, j,
                         j, i, c, i, j);
                snprintf(slip, sizeof slip,
                         "cos(p%d)*(x%d' - %c%dy*p%d' - x%d' + (y%d+%c%dy-y%d)*p%d') + "
                         "sin(p%d)*(y%d' + %c%dx*p%d' - y%d' - (x%d+%c%dx-x%d)*p%d')",
                         j, i, c, i, i, j, i, c, i, j, j, j, i, c, i, i, j, i, c, i, j, j);
            }
            k += snprintf(text + k, SIZE - (size_t)k,
                          "  %c%d: {gap: '%s', slip: \"%s\", friction: 0.5, restitution: 0.5}\n", c, i, gap, slip);
        }
    return text;
}

/* Nobody tells how the corners share the weight, and yet the motion is that of one block: x = t - mu g t^2/2 until it
 * stops at t = 1/(mu g). */
START_TEST(a_stack_that_slides_stops_as_one_block)
{
    for (int n = 2; n <= 4; n++) {
        char *text = stack(n, 0), *whole = malloc(strlen(text) + 200);
        int k = sprintf(whole, "%svelocities: {", text);
        for (int i = 1; i <= n; i++)
            k += sprintf(whole + k, "x%d: 1%s", i, i < n ? ", " : "}\n");
        run r = of_text(whole, 1e-7, 0.3);
        const carom_state *state = carom_sim_state(r.sim);
        for (int i = 0; i < n; i++) {
            CHECK_NEAR(state->q[3 * i], 1 / (2 * 0.5 * 9.81), 1e-7);
            CHECK_NEAR(state->q[3 * i + 2], 0, 1e-9);
            CHECK_NEAR(state->v[3 * i], 0, 1e-9);
        }
        end(&r);
        free(text), free(whole);
    }
}
END_TEST

START_TEST(a_stack_that_has_come_to_rest_keeps_its_energy_account)
{
    char *text = stack(5, 0.1);
    run r = of_text(text, 1e-7, 1);
    for (int i = 0; i < 5; i++)
        CHECK_NEAR(carom_sim_state(r.sim)->q[3 * i + 1], 0.5 * i + 0.25, 1e-9);
    CHECK_NEAR(carom_sim_info(r.sim)->balance_error, 0, 1e-9); /* 1e20 when rounding was divided by short steps */
    end(&r);
    free(text);
}
END_TEST

/* Two contacts are closed and one of them begins to move, with accelerations that begin at 0 (t^3), with a jump of the
 * acceleration or between two nodes of a table: it lifts the mass, or the table on three legs, off the other ones. */
#define LIFTED(lift)                                                                                                   \
    "carom: 1\ntables:\n  L: {x: [0, 1, 2, 3, 4, 5], y: [0, 0, 0.4, 1, 1, 1], kind: pchip}\ncoordinates: {y: 0}\n"     \
    "kinetic: y'^2/2\npotential: 100*y\ncontacts:\n"                                                                  \
    "  plate: {gap: 'y - (" lift ")', restitution: 0}\n  floor: {gap: y, restitution: 0}\n"

static void cubic(const void *user, double t, double *q)
{
    (void)user;
    q[0] = 0.1 * t * t * t;
}

static void late_square(const void *user, double t, double *q)
{
    (void)user;
    q[0] = t > 1 ? (t - 1) * (t - 1) : 0;
}

static void jack(const void *user, double t, double *q)
{
    (void)user;
    q[0] = 0.05 * (1 - cos(t)) * (1 - cos(t)), q[1] = 0;
}

START_TEST(a_surface_that_begins_to_move_lifts_what_lies_on_it_and_on_others)
{
    static const char table[] = "carom: 1\ncoordinates: {y: 0, phi: 0}\nkinetic: 5*y'^2 + phi'^2/2\npotential: 98.1*y\n"
                                "contacts:\n  a: {gap: y - sin(phi), restitution: 0}\n"
                                "  b: {gap: y - 0.05*(1-cos(t))^2, restitution: 0}\n"
                                "  c: {gap: y + sin(phi), restitution: 0}\n";
    for (int k = 0; k < TOLERANCES; k++) {
        double tol = tolerances[k];
        run r = of_text(LIFTED("0.1*t^3"), tol, 2);
        CHECK_AT_MOST(error_of(&r, 1, cubic, NULL), 3 * tol);
        end(&r);
        r = of_text(LIFTED("if(t > 1, (t - 1)^2, 0)"), tol, 2);
        CHECK_AT_MOST(error_of(&r, 1, late_square, NULL), 3 * tol);
        end(&r);
        r = of_text(LIFTED("L(t)"), tol, 4.5);
        CHECK_NEAR(carom_sim_state(r.sim)->q[0], 1, 3 * tol);
        end(&r);
        r = of_text(table, tol, 3);
        CHECK_AT_MOST(error_of(&r, 2, jack, NULL), 3 * tol);
        end(&r);
    }
}
END_TEST

TEST_MAIN_MODELS("tolerance, redundant contacts", a_pushed_box_slips_when_both_corners_together_cannot_hold_it,
                 a_ladder_stays_although_its_forces_are_not_unique, a_plate_on_four_corners_tips_over_two_of_them,
                 random_plates_on_four_corners_come_to_rest_without_falling_through,
                 a_bounce_below_the_rounding_of_its_gap_is_over,
                 a_plate_under_two_moments_tips_when_its_weight_cannot_be_carried_any_more,
                 a_box_pushed_into_a_corner_stays_there, a_stack_that_has_come_to_rest_keeps_its_energy_account,
                 a_stack_that_slides_stops_as_one_block,
                 a_surface_that_begins_to_move_lifts_what_lies_on_it_and_on_others)
