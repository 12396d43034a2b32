/* test_geometry_pairs.c: which touches two shapes have. */
#include "geometry_distance.h"
#include "geometry_testing.h"
#include "testing.h"

enum { LOOPS = SANITIZED ? 100 : 2000, FEWER = SANITIZED ? 200 : 1000 }; /* a million of each kind: tools/geometry.sh */

typedef struct scene {
    dice d;
    carom_arena *arena;
    carom_shape shape[2];
    carom_pose pose[2];
    carom_touch touch[TOUCHES];
    int n;
} scene;

static void find(scene *s, double reach)
{
    carom_error error;
    CHECK_OK(carom_pair_find((carom_posed){&s->shape[0], &s->pose[0], 0}, (carom_posed){&s->shape[1], &s->pose[1], 1},
                             reach, s->touch, TOUCHES, &s->n, &error),
             error);
    ck_assert_int_le(s->n, TOUCHES);
}

static double least_gap(const scene *s)
{
    double g = INFINITY;
    for (int i = 0; i < s->n; i++)
        g = fmin(g, s->touch[i].gap);
    return g;
}

static real apart(const scene *s, real *toward)
{
    if (s->shape[0].kind == CAROM_SHAPE_PLANE) {
        for (int i = 0; i < 3; i++)
            toward[i] = dot3(s->pose[0].R + 3 * i, s->shape[0].face->normal);
        return height(&s->shape[0], &s->pose[0], &s->shape[1], &s->pose[1]);
    }
    return distance(&s->shape[0], &s->pose[0], &s->shape[1], &s->pose[1], toward);
}

/* Two shapes at random orientations, the second brought along a random line to the distance asked for. */
static bool roll_scene(scene *s, const pair_kind *kind, double wanted)
{
    carom_error error;
    real toward[3], d;
    double away[3];
    for (int i = 0; i < 2; i++) {
        CHECK_OK(roll_shape(&s->d, s->arena, kind->kind[i], kind->planar, kind->flat, &s->shape[i], &error), error);
        s->pose[i] = roll_pose(&s->d, kind->planar);
    }
    roll_direction(&s->d, kind->planar, away);
    if (s->shape[0].kind == CAROM_SHAPE_PLANE && dot3(away, s->shape[0].face->normal) < 0.1)
        turn3(s->pose[0].R, s->shape[0].face->normal, away);
    add3(s->pose[0].r, 6, away, s->pose[1].r);
    for (int k = 0; k < 200; k++) {
        d = apart(s, toward);
        real length = sqrtl(dotl(toward, toward)), speed = 0;
        for (int i = 0; i < 3; i++)
            speed += toward[i] / length * away[i];
        if (d <= wanted * 1.0001)
            return d >= wanted * 0.999;
        if (speed < 0.05)
            return false; /* it passes by */
        add3(s->pose[1].r, -(double)((d - wanted) / speed), away, s->pose[1].r);
    }
    return false;
}

START_TEST(the_smallest_gap_is_the_distance_when_shapes_nearly_touch)
{
    for (int k = 0; k < PAIR_KINDS; k++) {
        scene s = {.d = {(uint64_t)k + 1}, .arena = carom_arena_new(0)};
        double worst = 0, wanted = 1e-5;
        int tested = 0, corners = 0;
        for (int i = 0; i < LOOPS; i++) {
            if (!roll_scene(&s, &pair_kinds[k], wanted))
                continue;
            real toward[3];
            double d = (double)apart(&s, toward);
            find(&s, 1e-3);
            double gap = least_gap(&s);
            ck_assert_msg(gap <= d + 1e-9 && gap >= -1e-9, "%s, pose %d: %d touches, least gap %.3e, distance %.3e",
                          pair_kinds[k].name, i, s.n, gap, d);
            if (gap < d - 1e-9) /* a vertex beyond an edge or a vertex */
                corners++;
            else
                worst = fmax(worst, fabs(gap - d));
            tested++;
        }
        printf("%s %-20s %4d poses, %d at corners: %.0e\n", pair_kinds[k].planar ? "planar " : "spatial",
               pair_kinds[k].name, tested, corners, worst);
        ck_assert_int_ge(tested, LOOPS / 2);
        ck_assert_int_le(corners, tested / 20);
        carom_arena_free(s.arena);
    }
}
END_TEST

/* Somewhere between apart and overlapping a little. */
static void roll_near(scene *s, const pair_kind *kind)
{
    while (!roll_scene(s, kind, 0.01))
        ;
    double deeper[3];
    roll_direction(&s->d, kind->planar, deeper);
    add3(s->pose[1].r, roll(&s->d, 0, 0.05), deeper, s->pose[1].r);
}

/* The same touches as in the list; turned: the sign of the normal where both name the bodies in the same order. */
static void check_alike(const scene *s, const carom_touch *list, int n, double turned, const char *name, int pose,
                        const char *how)
{
    ck_assert_msg(n == s->n, "%s, pose %d: %d touches, %s %d", name, pose, s->n, how, n);
    for (int a = 0; a < n; a++) {
        double best = INFINITY;
        for (int b = 0; b < n; b++) {
            double d[3], sign = s->touch[a].body[0] == list[b].body[0] ? turned : -turned;
            sub3(s->touch[a].point, list[b].point, d);
            best = fmin(best, norm3(d) + fabs(s->touch[a].gap - list[b].gap) +
                                  fabs(1 - sign * dot3(s->touch[a].normal, list[b].normal)));
        }
        ck_assert_msg(best < 1e-9, "%s, pose %d: touch %d of %d is off by %.1e when %s", name, pose, a, n, best, how);
    }
}

START_TEST(permuting_two_bodies_changes_nothing)
{
    for (int k = 0; k < PAIR_KINDS; k++) {
        scene s = {.d = {(uint64_t)k + 77}, .arena = carom_arena_new(0)};
        static carom_touch other[TOUCHES];
        int touches = 0, n;
        for (int i = 0; i < FEWER; i++) {
            carom_error error;
            roll_near(&s, &pair_kinds[k]);
            find(&s, 0.1);
            CHECK_OK(carom_pair_find((carom_posed){&s.shape[1], &s.pose[1], 0},
                                     (carom_posed){&s.shape[0], &s.pose[0], 1}, 0.1, other, TOUCHES, &n, &error),
                     error);
            check_alike(&s, other, n, -1, pair_kinds[k].name, i, "permuted");
            touches += n;
        }
        ck_assert_int_gt(touches, FEWER / 2);
        carom_arena_free(s.arena);
    }
}
END_TEST

START_TEST(a_body_upside_down_touches_alike)
{
    for (int k = 0; k < PAIR_KINDS; k++) {
        scene s = {.d = {(uint64_t)k + 901}, .arena = carom_arena_new(0)};
        static carom_touch before[TOUCHES];
        for (int i = 0; i < (SANITIZED ? 100 : 400) && !pair_kinds[k].planar; i++) {
            roll_near(&s, &pair_kinds[k]);
            int which = turns_over(&s.shape[1]);
            if (!turns_over(&s.shape[which]))
                break;
            find(&s, 0.1);
            int n = s.n;
            memcpy(before, s.touch, sizeof before);
            turn_over(&s.shape[which], &s.pose[which]);
            find(&s, 0.1);
            check_alike(&s, before, n, 1, pair_kinds[k].name, i, "upside down");
        }
        carom_arena_free(s.arena);
    }
}
END_TEST

static carom_kernels *kernels[2];
static double *work;
static const unsigned everything = CAROM_TOUCH_ALL;

static void prepare(void)
{
    carom_error error;
    CHECK_OK(carom_kernels_new(&kernels[1], true,
                               1 << CAROM_POINT_POINT | 1 << CAROM_PLANE_POINT | 1 << CAROM_LINE_POINT, touch_wants, 2,
                               &error),
             error);
    CHECK_OK(carom_kernels_new(&kernels[0], false, (1 << CAROM_KERNELS) - 1, touch_wants, 2, &error), error);
    work = malloc(sizeof(double) * carom_kernels_work(kernels[0]));
}

static void finish(void)
{
    carom_kernels_free(kernels[0]), carom_kernels_free(kernels[1]);
    free(work);
}

static probe probe_of(scene *s, int touch, bool planar)
{
    probe p = {.kernels = kernels[planar], .work = work, .touch = s->touch[touch], .planar = planar};
    for (int i = 0; i < 2; i++) { /* the probe's columns are those of a, then of b */
        p.pose[i] = s->pose[s->touch[touch].body[i]];
        p.touch.body[i] = i;
    }
    for (int i = 0; i < 12; i++)
        p.v[i] = roll(&s->d, -1, 1), p.a[i] = roll(&s->d, -1, 1), p.x[i % 3] = roll(&s->d, -1, 1);
    ck_assert_int_eq(probe_eval(&p, p.pose, everything, &p.out), CAROM_OK);
    return p;
}

START_TEST(kernels_see_the_gap_that_was_found_and_its_derivative)
{
    prepare();
    for (int k = 0; k < PAIR_KINDS; k++) {
        scene s = {.d = {(uint64_t)k + 177}, .arena = carom_arena_new(0)};
        bool planar = pair_kinds[k].planar;
        double worst = 0, slope = 0;
        for (int i = 0; i < 300; i++) {
            roll_near(&s, &pair_kinds[k]);
            find(&s, 0.1);
            for (int j = 0; j < s.n; j++) {
                probe p = probe_of(&s, j, planar);
                double d[3], middle[3], derivative[FAMILY];
                for (int c = 0; c < 3; c++)
                    middle[c] = (p.out.place[c] + p.out.place[3 + c]) / 2;
                sub3(middle, p.touch.point, d);
                worst = fmax(worst, norm3(d) + fabs(p.out.g[0] - p.touch.gap));
                sub3(p.out.place + 6, p.touch.normal, d);
                worst = fmax(worst, norm3(d));
                p.along = i % (planar ? 6 : 12);
                difference(along_family, &p, FAMILY, 2e-4, derivative);
                slope = fmax(slope, fabs(p.out.G[p.along] - derivative[0]));
                ck_assert_msg(worst < 1e-9 && slope < 1e-9, "%s, pose %d, %s: off by %.1e, slope by %.1e",
                              pair_kinds[k].name, i, carom_kernel_name(p.touch.kernel), worst, slope);
            }
        }
        printf("%s %-20s values %.0e, slope %.0e\n", planar ? "planar " : "spatial", pair_kinds[k].name, worst, slope);
        carom_arena_free(s.arena);
    }
    finish();
}
END_TEST

/* ---- scenes ---- */
static void put(scene *s, int i, carom_shape_spec spec, double x, double y, double z, double angle)
{
    carom_error error;
    CHECK_OK(carom_shape_new(s->arena, &spec, &s->shape[i], &error), error);
    s->pose[i] = (carom_pose){.r = {x, y, z}, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    turn_by(s->pose[i].R, (const double[]){0, 0, angle});
}

static int count(scene *s, double reach, double x, double y, double z) /* with gap 0 and this normal, or minus it */
{
    int n = 0;
    find(s, reach);
    for (int i = 0; i < s->n; i++) {
        double along = fabs(dot3(s->touch[i].normal, (const double[]){x, y, z}));
        n += fabs(s->touch[i].gap) < 1e-12 && along > 1 - 1e-12;
    }
    return n;
}

#define BOX(...) ((carom_shape_spec){.kind = CAROM_SHAPE_BOX, .size = {__VA_ARGS__}})
#define CHECK_SCENE(s, expected, reach, ...)                                                                           \
    do {                                                                                                               \
        int good_ = count(&(s), reach, __VA_ARGS__);                                                                   \
        for (int i_ = 0; i_ < (s).n && good_ != expected; i_++)                                                        \
            printf("%s gap %g normal %g %g %g point %g %g %g\n", carom_kernel_name((s).touch[i_].kernel),            \
                   (s).touch[i_].gap, (s).touch[i_].normal[0], (s).touch[i_].normal[1], (s).touch[i_].normal[2],       \
                   (s).touch[i_].point[0], (s).touch[i_].point[1], (s).touch[i_].point[2]);                            \
        ck_assert_int_eq(good_, expected);                                                                             \
        ck_assert_int_eq((s).n, expected);                                                                             \
    } while (0)

START_TEST(a_face_on_a_face_touches_at_the_corners_of_what_they_share)
{
    scene s = {.arena = carom_arena_new(0)};
    for (double reach = 1e-12; reach < 0.02; reach *= 1000) {
        put(&s, 0, BOX(0.2, 0.1, 0.1), 0, 0, 0.05, 0);
        put(&s, 1, BOX(0.2, 0.1, 0.1), 0, 0, 0.15, 0);
        CHECK_SCENE(s, 4, reach, 0, 0, 1); /* aligned: corners coincide, and are counted once */
        s.pose[1].r[0] = 1e-5, s.pose[1].r[1] = -1e-5;
        CHECK_SCENE(s, 4, reach, 0, 0, 1); /* nearly so: a corner that hangs over does not touch the side below */
        s.pose[1].r[1] = 0;
        s.pose[1].r[0] = 0.1;
        CHECK_SCENE(s, 4, reach, 0, 0, 1); /* running bond: flush in depth */
        s.pose[1].r[0] = 0.1, s.pose[1].r[1] = 0.03;
        CHECK_SCENE(s, 4, reach, 0, 0, 1);
        s.pose[1].r[0] = 0.2, s.pose[1].r[1] = 0, s.pose[1].r[2] = 0.05;
        CHECK_SCENE(s, 4, reach, 1, 0, 0); /* neighbours in a course */
        put(&s, 1, BOX(0.2, 0.1, 0.1), 0, 0, 0.15, 1.5707963267948966);
        CHECK_SCENE(s, 4, reach, 0, 0, 1); /* crossed: four pairs of edges */
        put(&s, 0, BOX(0.2, 0.2, 0.1), 0, 0, 0.05, 0);
        put(&s, 1, BOX(0.2, 0.2, 0.1), 0, 0, 0.15, 0.7853981633974483);
        CHECK_SCENE(s, 8, reach, 0, 0, 1); /* an octagon */
        put(&s, 1, BOX(0.1, 0.1, 0.1), 0.02, 0.03, 0.15, 0.3);
        CHECK_SCENE(s, 4, reach, 0, 0, 1); /* a small one inside */
        put(&s, 0, (carom_shape_spec){.kind = CAROM_SHAPE_PLANE, .size = {0, 0, 1}}, 0, 0, 0.1, 0);
        CHECK_SCENE(s, 4, reach, 0, 0, 1);
    }
    carom_arena_free(s.arena);
}
END_TEST

START_TEST(the_origin_of_a_body_may_lie_far_from_its_shape)
{
    scene s = {.arena = carom_arena_new(0)};
    for (int octant = 0; octant < 8; octant++)
        for (int host = 0; host < 2; host++) { /* two bricks across each other: four pairs of edges */
            carom_shape_spec brick[2] = {BOX(0.2, 0.1, 0.1), BOX(0.2, 0.1, 0.1)};
            double shift[3];
            for (int k = 0; k < 3; k++)
                brick[host].place.r[k] = octant >> k & 1 ? 3 : -3;
            put(&s, 0, brick[0], 0, 0, 0.05, 0), put(&s, 1, brick[1], 0, 0, 0.15, 1.5707963267948966);
            turn3(s.pose[host].R, brick[host].place.r, shift);
            add3(s.pose[host].r, -1, shift, s.pose[host].r);
            CHECK_SCENE(s, 4, 1e-6, 0, 0, 1);
        }
    carom_arena_free(s.arena);
}
END_TEST

START_TEST(edges_that_have_become_parallel_do_not_touch)
{
    scene s = {.arena = carom_arena_new(0)};
    int edges = 0;
    put(&s, 0, BOX(0.2, 0.1, 0.1), 0, 0, 0.05, 0), put(&s, 1, BOX(0.2, 0.1, 0.1), 0, 0, 0.15, 0.7);
    find(&s, 0.01);
    for (int i = 0; i < s.n; i++) {
        const carom_touch *t = &s.touch[i];
        const carom_shape *a = &s.shape[t->body[0]], *b = &s.shape[t->body[1]];
        if (t->kernel != CAROM_LINE_LINE)
            continue;
        carom_pose pose[2] = {s.pose[0], s.pose[1]}, turned = s.pose[0];
        CHECK_AT_LEAST(carom_touch_inside(t, a, b, pose), 0);
        memcpy(pose[1].R, turned.R, sizeof turned.R);
        double parallel = carom_touch_inside(t, a, b, pose);
        turn_by(pose[1].R, (const double[]){0, 0, 1.5707963267948966});
        double across = carom_touch_inside(t, a, b, pose);
        ck_assert(isfinite(parallel) && isfinite(across) && (parallel < 0 || across < 0));
        edges++;
    }
    CHECK_AT_LEAST(edges, 4);
    carom_arena_free(s.arena);
}
END_TEST

START_TEST(a_tilted_brick_keeps_its_four_corners)
{
    scene s = {.arena = carom_arena_new(0)};
    for (double tilt = 1e-15; tilt < 0.04; tilt *= 10) {
        put(&s, 0, BOX(1, 1, 0.1), 0, 0, -0.05, 0);
        put(&s, 1, BOX(0.2, 0.1, 0.1), 0, 0, 0.05, 0.2);
        turn_by(s.pose[1].R, (const double[]){0, tilt, 0}); /* about the lower edge */
        s.pose[1].r[2] = 0.05 * cos(tilt) + 0.1 * sin(tilt);
        find(&s, 0.01);
        ck_assert_int_eq(s.n, 4);
        for (int i = 0; i < 4; i++) {
            double g = s.touch[i].gap;
            ck_assert_msg(fabs(g) < 1e-15 || fabs(g - 0.2 * sin(tilt)) < 1e-15, "tilt %g: gap %g", tilt, g);
        }
    }
    carom_arena_free(s.arena);
}
END_TEST

START_TEST(cylinders_and_capsules_rest_on_two_or_three_points)
{
    scene s = {.arena = carom_arena_new(0)};
    carom_shape_spec plane = {.kind = CAROM_SHAPE_PLANE, .size = {0, 0, 1}};
    carom_shape_spec cylinder = {.kind = CAROM_SHAPE_CYLINDER, .size = {0.4, 0.1}};
    carom_shape_spec capsule = {.kind = CAROM_SHAPE_CAPSULE, .size = {0.4, 0.1}};
    put(&s, 0, plane, 0, 0, 0, 0);
    put(&s, 1, cylinder, 0, 0, 0.2, 0);
    CHECK_SCENE(s, 3, 1e-3, 0, 0, 1);
    put(&s, 0, BOX(1, 1, 0.1), 0, 0, -0.05, 0.3);
    CHECK_SCENE(s, 3, 1e-3, 0, 0, 1);
    put(&s, 0, cylinder, 0, 0, -0.2, 0);
    CHECK_SCENE(s, 3, 1e-3, 0, 0, 1);
    for (double tilt = 1e-12; tilt < 1e-3; tilt *= 10) { /* three as long as the others are within reach */
        put(&s, 0, plane, 0, 0, 0, 0);
        put(&s, 1, cylinder, 0, 0, 0, 0.7);
        turn_by(s.pose[1].R, (const double[]){tilt, 0, 0});
        s.pose[1].r[2] = 0.2 * cos(tilt) + 0.1 * sin(tilt);
        find(&s, 1e-3);
        ck_assert_int_eq(s.n, 3);
        CHECK_NEAR(least_gap(&s), 0, 1e-10 * 1.0001);
    }
    carom_shape_spec lying[2] = {cylinder, capsule};
    for (int i = 0; i < 2; i++) {
        lying[0].place.R[0] = 1, lying[0].place.R[5] = -1, lying[0].place.R[7] = 1; /* along y */
        put(&s, 1, lying[i], 0, 0, 0.1, 0.4);
        put(&s, 0, plane, 0, 0, 0, 0);
        CHECK_SCENE(s, 2, 1e-3, 0, 0, 1);
        put(&s, 0, BOX(1, 1, 0.1), 0, 0, -0.05, 0); /* on a large box: its own ends */
        CHECK_SCENE(s, 2, 1e-3, 0, 0, 1);
        put(&s, 0, BOX(0.2, 0.2, 0.1), 0, 0, -0.05, 0); /* on a small one: the edges of the box */
        CHECK_SCENE(s, 2, 1e-3, 0, 0, 1);
        put(&s, 0, lying[i], 0, 0, -0.1, 0.4); /* on its like, side by side: both ends */
        CHECK_SCENE(s, 2, 1e-3, 0, 0, 1);
        put(&s, 0, lying[i], 0, 0, -0.1, 1.2); /* crossed */
        CHECK_SCENE(s, 1, 1e-3, 0, 0, 1);
    }
    carom_arena_free(s.arena);
}
END_TEST

/* A ball whose centre lies on another's centre or on the axis of a capsule: any normal across will do. */
START_TEST(a_centre_upon_a_core_is_as_deep_as_both_radii)
{
    for (int planar = 0; planar < 2; planar++)
        for (int capsule = 0; capsule < 2; capsule++) {
            scene s = {.arena = carom_arena_new(0)};
            carom_shape_spec host = {.kind = CAROM_SHAPE_BALL, .planar = planar, .size = {0.25}};
            const carom_shape_spec ball = {.kind = CAROM_SHAPE_BALL, .planar = planar, .size = {0.5}};
            if (capsule)
                host = (carom_shape_spec){.kind = CAROM_SHAPE_CAPSULE, .planar = planar, .size = {1, 0.25}};
            put(&s, 0, host, 0, 0, 0, 0), put(&s, 1, ball, capsule ? 0.25 : 0, 0, 0, 0);
            find(&s, 1e-3);
            ck_assert_int_ge(s.n, 1);
            const carom_touch *t = &s.touch[0];
            for (int i = 1; i < s.n; i++)
                t = s.touch[i].gap < t->gap ? &s.touch[i] : t;
            CHECK_NEAR(t->gap, -0.75, 1e-15);
            CHECK_NEAR(norm3(t->normal), 1, 1e-15);
            ck_assert(!capsule || t->normal[0] == 0);
            ck_assert(!planar || t->normal[2] == 0);
            carom_arena_free(s.arena);
        }
}
END_TEST

START_TEST(voussoirs_touch_along_their_joints)
{
    scene s = {.arena = carom_arena_new(0)};
    double beta = 3.14159265358979323846 / 17;
    for (int flat = 0; flat < 2; flat++)
        for (int i = 0; i < 16; i++) {
            carom_shape_spec ring = {.kind = CAROM_SHAPE_RING, .planar = true, .flat = flat,
                                     .size = {4.625, 5.375, i * beta, (i + 1) * beta}};
            put(&s, 0, ring, 0, 0, 0, 0);
            ring.size[2] += beta, ring.size[3] += beta;
            put(&s, 1, ring, 0, 0, 0, 0);
            find(&s, 1e-3);
            ck_assert_int_eq(s.n, 2);
            for (int k = 0; k < 2; k++) {
                CHECK_NEAR(s.touch[k].gap, 0, 1e-14);
                double joint[3] = {cos((i + 1) * beta), sin((i + 1) * beta), 0};
                CHECK_NEAR(dot3(s.touch[k].normal, joint), 0, 1e-13);
            }
        }
    carom_arena_free(s.arena);
}
END_TEST

/* So many touches, this deep, all with the normal along an axis. */
static void check_overlap(scene *s, int expected, int axis, double depth)
{
    find(s, 1e-6);
    ck_assert_msg(s->n == expected, "axis %d, shift %g %g, depth %g: %d touches, not %d", axis, s->pose[1].r[0],
                  s->pose[1].r[1], depth, s->n, expected);
    for (int i = 0; i < s->n; i++) {
        CHECK_NEAR(s->touch[i].gap, -depth, 1e-14);
        CHECK_NEAR(fabs(s->touch[i].normal[axis]), 1, 1e-12);
    }
}

/* Corners that coincide but for a depth are nearer to sides they cannot have come through, or beyond them. */
START_TEST(flush_faces_that_overlap_keep_their_corners)
{
    scene s = {.arena = carom_arena_new(0)};
    double beta = 3.14159265358979323846 / 17;
    for (double depth = 1e-12; depth < 0.02; depth *= 10)
        for (int k = -1; k < 2; k++) {
            double shift = 1e-3 * k;
            const carom_shape_spec brick = {.kind = CAROM_SHAPE_BOX, .planar = true, .size = {0.2, 0.1}};
            put(&s, 0, brick, 0, 0, 0, 0), put(&s, 1, brick, shift, 0.1 - depth, 0, 0);
            check_overlap(&s, 2, 1, depth);
            put(&s, 1, brick, 0.2 - depth, shift, 0, 0);
            check_overlap(&s, 2, 0, depth);
            carom_shape_spec stone = {.kind = CAROM_SHAPE_RING, .planar = true, .flat = true,
                                      .size = {4.625, 5.375, -beta, 0}};
            put(&s, 0, stone, 0, 0, 0, 0);
            stone.size[2] = 0, stone.size[3] = beta;
            put(&s, 1, stone, shift, -depth, 0, 0);
            check_overlap(&s, 2, 1, depth);
        }
    carom_arena_free(s.arena);
}
END_TEST

/* ---- rings: not convex, so the reference is a search along the border of the other shape ---- */
static double to_ring(const scene *s, const double *x) /* the distance of a point of space from shape 0 */
{
    const double *a = s->shape[0].size;
    double p[3], best = INFINITY;
    place_back3(&s->pose[0], x, p), place_back3(&s->shape[0].place, p, p);
    double far = hypot(p[0], p[1]), turned = remainder(atan2(p[1], p[0]) - (a[2] + a[3]) / 2, 2 * M_PI);
    if (fabs(turned) <= (a[3] - a[2]) / 2)
        return fmax(0, fmax(far - a[1], a[0] - far));
    for (int i = 2; i < 4; i++) { /* the two flat sides */
        double e[2] = {cos(a[i]), sin(a[i])}, along = fmin(a[1], fmax(a[0], p[0] * e[0] + p[1] * e[1]));
        best = fmin(best, hypot(p[0] - along * e[0], p[1] - along * e[1]));
    }
    return best;
}

static void on_border(const carom_shape *s, int piece, double u, double *x) /* body axes */
{
    double p[3] = {0, 0, 0};
    const double *a = s->size;
    if (s->kind == CAROM_SHAPE_RING) {
        double angle = piece % 2 ? a[2] + u * (a[3] - a[2]) : a[piece ? 3 : 2];
        double far = piece % 2 ? a[piece == 1] : a[0] + u * (a[1] - a[0]);
        p[0] = far * cos(angle), p[1] = far * sin(angle);
        place3(&s->place, p, x);
    } else {
        const int *ends = s->nface ? s->corner + s->face[piece].first : (const int[]){0, s->nvertex - 1};
        for (int k = 0; k < 3; k++)
            x[k] = (1 - u) * s->vertex[3 * ends[0] + k] + u * s->vertex[3 * ends[1] + k];
    }
}

static double ring_distance(const scene *s)
{
    const carom_shape *b = &s->shape[1];
    int pieces = b->nface ? b->nface : 1;
    enum { STEPS = 50 };
    double best = INFINITY, f[STEPS + 1], x[3];
    for (int piece = 0; piece < pieces; piece++) {
        for (int i = 0; i <= STEPS; i++) {
            on_border(b, piece, (double)i / STEPS, x);
            place3(&s->pose[1], x, x);
            best = fmin(best, f[i] = to_ring(s, x));
        }
        for (int i = 0; i <= STEPS; i++) {
            if (f[i] - b->radius > 0.2 || (i > 0 && f[i - 1] < f[i]) || (i < STEPS && f[i + 1] < f[i]))
                continue;
            double low = fmax(0, (i - 1.0) / STEPS), high = fmin(1, (i + 1.0) / STEPS), golden = 0.6180339887498949;
            for (int k = 0; k < 45; k++) {
                double u[2] = {high - golden * (high - low), low + golden * (high - low)}, value[2];
                for (int j = 0; j < 2; j++) {
                    on_border(b, piece, u[j], x);
                    place3(&s->pose[1], x, x);
                    best = fmin(best, value[j] = to_ring(s, x));
                }
                if (value[0] < value[1])
                    high = u[1];
                else
                    low = u[0];
            }
        }
    }
    return fmax(0, best - b->radius);
}

/* Two blocks of one width, the upper a hair to the right and tilted about its left corner: as long as the right corners
 * are apart, either of them may be the one that is outside when they meet. A scheme that locates events has both. */
START_TEST(corners_that_have_yet_to_meet_are_two_for_schemes_that_locate_events)
{
    const double angle[] = {1e-3, 1e-8};
    for (int k = 0; k < 2; k++) {
        scene s = {.arena = carom_arena_new(0)};
        carom_error error;
        const carom_shape_spec box = {.kind = CAROM_SHAPE_BOX, .planar = true, .size = {1, 1}};
        const double c = cos(angle[k]), t = sin(angle[k]), aside = 3e-8;
        for (int i = 0; i < 2; i++)
            CHECK_OK(carom_shape_new(s.arena, &box, &s.shape[i], &error), error);
        s.pose[0] = (carom_pose){.r = {0, -0.5, 0}, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        s.pose[1] = (carom_pose){.r = {aside - 0.5 + 0.5 * (c - t), 0.5 * (c + t), 0},
                                 .R = {c, -t, 0, t, c, 0, 0, 0, 1}};
        int n = 0;
        CHECK_OK(carom_pair_find_exact((carom_posed){&s.shape[0], &s.pose[0], 0},
                                       (carom_posed){&s.shape[1], &s.pose[1], 1}, 0.01, s.touch, TOUCHES, &n, &error),
                 error);
        int right = 0;
        for (int i = 0; i < n; i++)
            right += s.touch[i].point[0] > 0;
        ck_assert_int_eq(right, k == 0 ? 2 : 1);
        ck_assert_int_eq(n - right, 1); /* those that touch are one */
        carom_arena_free(s.arena);
    }
}
END_TEST

START_TEST(rings_touch_with_sides_corners_and_both_arcs)
{
    static const carom_shape_kind kinds[] = {CAROM_SHAPE_POINT, CAROM_SHAPE_BALL, CAROM_SHAPE_CAPSULE,
                                             CAROM_SHAPE_BOX,   CAROM_SHAPE_POLYTOPE, CAROM_SHAPE_RING};
    carom_error error;
    prepare();
    for (int k = 0; k < CAROM_COUNT(kinds); k++) {
        scene s = {.d = {(uint64_t)k + 31}};
        int tested = 0, corners = 0, arcs[4] = {0};
        double worst = 0;
        for (int i = 0; i < 150; i++) {
            bool hole = i % 2 && k < 4; /* from the hole, a small shape, or from far away */
            double away[3], low = 0, high;
            s.arena = carom_arena_new(0);
            CHECK_OK(roll_shape(&s.d, s.arena, CAROM_SHAPE_RING, true, false, &s.shape[0], &error), error);
            CHECK_OK(roll_shape(&s.d, s.arena, kinds[k], true, false, &s.shape[1], &error), error);
            if (hole) {
                carom_shape_spec small = {.kind = kinds[k], .planar = true, .size = {0.1, 0.07}};
                CHECK_OK(carom_shape_new(s.arena, &small, &s.shape[1], &error), error);
            }
            s.pose[0] = roll_pose(&s.d, true), s.pose[1] = roll_pose(&s.d, true);
            double centre[3], turned = roll(&s.d, s.shape[0].size[2], s.shape[0].size[3]);
            place3(&s.pose[0], s.shape[0].place.r, centre);
            roll_direction(&s.d, true, away);
            if (hole) {
                double local[3] = {cos(turned), sin(turned), 0};
                turn3(s.shape[0].place.R, local, local), turn3(s.pose[0].R, local, away);
            }
            for (high = hole ? 0 : 6;; high += hole ? 0.05 : -0.1) { /* until they overlap, then back by halves */
                add3(centre, high, away, s.pose[1].r);
                if (ring_distance(&s) < 1e-5 || high < 0 || high > 7)
                    break;
                low = high;
            }
            for (int j = 0; j < 45 && high > 0 && high < 7; j++) {
                double middle = (low + high) / 2;
                add3(centre, middle, away, s.pose[1].r);
                if (ring_distance(&s) < 1e-5)
                    high = middle;
                else
                    low = middle;
            }
            add3(centre, low, away, s.pose[1].r);
            double d = ring_distance(&s);
            if (d < 2e-5) {
                find(&s, 1e-3);
                double gap = least_gap(&s);
                ck_assert_msg(gap <= d + 1e-9 && gap >= -1e-9, "ring %d, pose %d: %d touches, gap %.3e, distance %.3e",
                              k, i, s.n, gap, d);
                tested++;
                if (gap < d - 1e-9)
                    corners++;
                else
                    worst = fmax(worst, fabs(gap - d));
                for (int j = 0; j < s.n; j++) {
                    probe p = probe_of(&s, j, true);
                    CHECK_NEAR(p.out.g[0], s.touch[j].gap, 1e-12);
                    arcs[s.touch[j].branch >> 24 == CAROM_ARC ? s.touch[j].branch & 3 : 0]++;
                }
            }
            carom_arena_free(s.arena);
        }
        printf("ring and kind %d: %d poses, %d at corners, outer arc %d, inner %d: %.0e\n", kinds[k], tested, corners,
               arcs[1], arcs[3], worst);
        ck_assert_int_ge(tested, 75);
        ck_assert_int_le(corners, 10);
        ck_assert_int_ge(arcs[1], 5);
        ck_assert(k > 3 || arcs[3] > 10);
    }
    finish();
}
END_TEST

/* The branch of a touch is right where its margin is positive: elsewhere another one is found. */
START_TEST(a_branch_changes_where_its_margin_does)
{
    for (int k = 0; k < PAIR_KINDS; k++) {
        scene s = {.d = {(uint64_t)k + 501}, .arena = carom_arena_new(0)};
        int changes = 0, kept = 0;
        for (int i = 0; i < FEWER; i++) {
            static carom_touch before[TOUCHES];
            roll_near(&s, &pair_kinds[k]);
            find(&s, 0.1);
            int n = s.n;
            memcpy(before, s.touch, sizeof before);
            double shift[3];
            roll_direction(&s.d, pair_kinds[k].planar, shift);
            add3(s.pose[1].r, roll(&s.d, 0, 0.05), shift, s.pose[1].r);
            find(&s, 0.2);
            for (int a = 0; a < n; a++) {
                const carom_touch *t = &before[a];
                double margin = carom_touch_margin(t, &s.shape[t->body[0]], &s.shape[t->body[1]], s.pose);
                for (int b = 0; b < s.n; b++) {
                    const carom_touch *u = &s.touch[b];
                    if (memcmp(t->body, u->body, sizeof t->body) || memcmp(t->feature, u->feature, sizeof t->feature) ||
                        t->kernel == CAROM_PLANE_CIRCLE || fabs(margin) < 1e-9)
                        continue;
                    ck_assert_msg((margin > 0) == (t->branch == u->branch), "%s, pose %d: margin %g, branch %x -> %x",
                                  pair_kinds[k].name, i, margin, t->branch, u->branch);
                    changes += margin < 0, kept += margin > 0;
                }
            }
        }
        printf("%-20s branch kept %d times, changed %d times\n", pair_kinds[k].name, kept, changes);
        carom_arena_free(s.arena);
    }
}
END_TEST

/* ---- degenerate poses ---- */
static void check_finite(scene *s, bool planar)
{
    find(s, 0.05);
    for (int i = 0; i < s->n; i++) {
        probe p = probe_of(s, i, planar);
        const double *x = (const double *)&p.out;
        for (size_t k = 0; k < sizeof p.out / sizeof *x; k++)
            ck_assert_msg(isfinite(x[k]), "%s: number %zu is not finite", carom_kernel_name(p.touch.kernel), k);
        CHECK_NEAR(norm3(p.out.place + 6), 1, 1e-12);
        CHECK_NEAR(dot3(p.out.place + 6, p.out.place + 9), 0, 1e-12);
    }
}

START_TEST(degenerate_poses_have_numbers_and_a_normal)
{
    prepare();
    for (int k = 0; k < PAIR_KINDS; k++) {
        const pair_kind *kind = &pair_kinds[k];
        scene s = {.d = {(uint64_t)k + 3}, .arena = carom_arena_new(0)};
        carom_error error;
        for (int i = 0; i < 40; i++) {
            carom_shape_spec spec[2] = {0};
            for (int j = 0; j < 2; j++) {
                spec[j] = (carom_shape_spec){.kind = kind->kind[j], .planar = kind->planar, .size = {0.5, 0.5, 0.5}};
                if (kind->kind[j] == CAROM_SHAPE_POLYTOPE)
                    spec[j].kind = CAROM_SHAPE_BOX; /* parallel edges wherever possible */
                CHECK_OK(carom_shape_new(s.arena, &spec[j], &s.shape[j], &error), error);
                s.pose[j] = (carom_pose){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
            }
            /* centres, faces, edges and corners upon each other; right angles */
            for (int c = 0; c < (kind->planar ? 2 : 3); c++)
                s.pose[1].r[c] = 0.25 * floor(roll(&s.d, -4, 5));
            double turn[3] = {0, 0, 0};
            turn[kind->planar ? 2 : i % 3] = 1.5707963267948966 * (i % 4);
            turn_by(s.pose[1].R, turn);
            if (i == 0)
                memset(s.pose[1].r, 0, sizeof s.pose[1].r);
            check_finite(&s, kind->planar);
        }
        carom_arena_free(s.arena);
    }
    finish();
}
END_TEST

/* What has no place in the list may be what others are dropped for: a short list is whole, or known to be too short. */
START_TEST(a_list_that_is_too_short_says_so)
{
    int too_short = 0;
    for (int k = 0; k < PAIR_KINDS; k++) {
        scene s = {.d = {(uint64_t)k + 31}, .arena = carom_arena_new(0)};
        for (int i = 0; i < 10; i++) {
            roll_near(&s, &pair_kinds[k]);
            const carom_posed a = {&s.shape[0], &s.pose[0], 0}, b = {&s.shape[1], &s.pose[1], 1};
            for (int exact = 0; exact < 2; exact++) {
                static carom_touch some[TOUCHES];
                carom_status (*const look)(carom_posed, carom_posed, double, carom_touch *, int, int *, carom_error *) =
                    exact ? carom_pair_find_exact : carom_pair_find;
                carom_error error;
                int n;
                CHECK_OK(look(a, b, 0.1, s.touch, TOUCHES, &s.n, &error), error);
                for (int most = 0; most <= s.n; most++) {
                    CHECK_OK(look(a, b, 0.1, some, most, &n, &error), error);
                    too_short += n > most;
                    ck_assert_msg(n > most || (n == s.n && memcmp(some, s.touch, sizeof *some * (size_t)n) == 0),
                                  "%s, pose %d: %d touches, with room for %d there were %d", pair_kinds[k].name, i,
                                  s.n, most, n);
                }
            }
        }
        carom_arena_free(s.arena);
    }
    ck_assert_int_ge(too_short, 1000);
}
END_TEST

TEST_MAIN("geometry of pairs", the_smallest_gap_is_the_distance_when_shapes_nearly_touch,
          permuting_two_bodies_changes_nothing, a_body_upside_down_touches_alike,
          kernels_see_the_gap_that_was_found_and_its_derivative,
          a_face_on_a_face_touches_at_the_corners_of_what_they_share, the_origin_of_a_body_may_lie_far_from_its_shape,
          edges_that_have_become_parallel_do_not_touch, a_tilted_brick_keeps_its_four_corners,
          cylinders_and_capsules_rest_on_two_or_three_points,
          a_centre_upon_a_core_is_as_deep_as_both_radii, voussoirs_touch_along_their_joints,
          flush_faces_that_overlap_keep_their_corners,
          corners_that_have_yet_to_meet_are_two_for_schemes_that_locate_events,
          rings_touch_with_sides_corners_and_both_arcs, a_branch_changes_where_its_margin_does,
          degenerate_poses_have_numbers_and_a_normal, a_list_that_is_too_short_says_so)
