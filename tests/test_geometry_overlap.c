/* test_geometry_overlap.c: shapes inside each other are seen, and their depth is the way out. The judge is the distance
 * by support functions alone. */
#include "geometry_distance.h"
#include "geometry_testing.h"
#include "testing.h"

enum { LOOPS = SANITIZED ? 50 : 500 };

typedef struct scene {
    dice d;
    carom_arena *arena;
    carom_shape shape[2];
    carom_pose pose[2];
} scene;

static carom_posed at(const scene *s, int k)
{
    return (carom_posed){&s->shape[k], &s->pose[k], k};
}

static double distance_of(const scene *s)
{
    if (s->shape[0].kind == CAROM_SHAPE_PLANE)
        return (double)height(&s->shape[0], &s->pose[0], &s->shape[1], &s->pose[1]);
    return (double)distance(&s->shape[0], &s->pose[0], &s->shape[1], &s->pose[1], NULL);
}

/* As negative as the two overlap; normal: 0 where touches say so. */
static double signed_gap(const scene *s, double *normal)
{
    static carom_touch touch[TOUCHES];
    carom_error error;
    int n;
    double gap = INFINITY, depth = carom_pair_depth(at(s, 0), at(s, 1), normal);
    CHECK_OK(carom_pair_find(at(s, 0), at(s, 1), 0, touch, TOUCHES, &n, &error), error);
    for (int i = 0; i < n; i++)
        gap = fmin(gap, touch[i].gap);
    return depth > 0 ? -depth : gap;
}

/* How far apart the planes across n are that hold the two shapes. */
static double separation(const scene *s, const double *n)
{
    real along[3] = {n[0], n[1], n[2]}, back[3] = {-n[0], -n[1], -n[2]}, a[3], b[3];
    double radii = 0;
    for (int k = 0; k < 2; k++)
        if (s->shape[k].kind == CAROM_SHAPE_BALL || s->shape[k].kind == CAROM_SHAPE_CAPSULE)
            radii += s->shape[k].radius;
    support(&s->shape[0], &s->pose[0], along, a), support(&s->shape[1], &s->pose[1], back, b);
    return (double)(dotl(along, b) - dotl(along, a)) - radii;
}

/* Along the normal they are apart after the depth, and there is no shorter way. */
static void check_way_out(scene *s, const pair_kind *kind, double depth, const double *normal)
{
    CHECK_NEAR(separation(s, normal), -depth, 1e-12);
    for (int i = 0; i < 300; i++) {
        double n[3];
        roll_direction(&s->d, kind->planar, n);
        if (i % 2) /* near the normal */
            add3(normal, 0.02, n, n), unit3(n);
        CHECK_AT_MOST(separation(s, n), -depth + (kind->kind[0] == CAROM_SHAPE_CYLINDER ? 0.01 * depth : 1e-12));
    }
}

/* Does any direction keep them apart? The judge above errs now and then where a face meets an edge. */
static bool kept_apart(scene *s, bool planar)
{
    double best = -INFINITY, at_best[3] = {0, 0, 0};
    for (int i = 0; i < 4000 && best <= 0; i++) {
        double n[3];
        roll_direction(&s->d, planar, n);
        if (i > 1000)
            add3(at_best, pow(0.995, i - 1000), n, n), unit3(n);
        double d = separation(s, n);
        if (d > best)
            best = d, copy3(n, at_best);
    }
    return best > 0;
}

START_TEST(shapes_inside_each_other_are_seen_and_their_depth_is_the_way_out)
{
    for (int k = 0; k < PAIR_KINDS; k++) {
        const pair_kind *kind = &pair_kinds[k];
        scene s = {.d = {(uint64_t)k + 7}, .arena = carom_arena_new(0)};
        int inside = 0, deep = 0, blind = 0, false_alarm = 0;
        for (int i = 0; i < LOOPS; i++) {
            carom_error error;
            for (int j = 0; j < 2; j++) {
                CHECK_OK(roll_shape(&s.d, s.arena, kind->kind[j], kind->planar, kind->flat, &s.shape[j], &error),
                         error);
                s.pose[j] = roll_pose(&s.d, kind->planar);
            }
            double normal[3] = {0, 0, 0}, gap = signed_gap(&s, normal), d = distance_of(&s);
            false_alarm += d > 1e-9 && gap < 0;
            if (d > 1e-12)
                continue;
            inside++;
            blind += !(gap < 0) && !kept_apart(&s, kind->planar);
            if (norm3(normal) == 0)
                continue;
            deep++;
            check_way_out(&s, kind, -gap, normal);
        }
        printf("%s %-20s %3d of %d inside each other, %d deep, %d not seen, %d seen wrongly\n",
               kind->planar ? "planar " : "spatial", kind->name, inside, LOOPS, deep, blind, false_alarm);
        ck_assert_int_eq(blind + false_alarm, 0);
        carom_arena_free(s.arena);
    }
}
END_TEST

static double small(const scene *s)
{
    return fmin(s->shape[0].extent, s->shape[1].extent);
}

/* What may move by more than the shapes are apart in a step lets edges near each other be touches, but none that are
 * deeper than the shapes overlap: those would hold what is free. */
START_TEST(no_two_edges_are_much_deeper_than_the_shapes)
{
    for (int k = 0; k < PAIR_KINDS; k++) {
        const pair_kind *kind = &pair_kinds[k];
        scene s = {.d = {(uint64_t)k + 77}, .arena = carom_arena_new(0)};
        double worst = 0, rim = kind->kind[0] == CAROM_SHAPE_CYLINDER ? 2e-3 : 0;
        int edges = 0;
        for (int i = 0; i < 10 * LOOPS && !kind->planar; i++) {
            static carom_touch touch[TOUCHES];
            carom_error error;
            int n;
            for (int j = 0; j < 2; j++) {
                CHECK_OK(roll_shape(&s.d, s.arena, kind->kind[j], false, kind->flat, &s.shape[j], &error), error);
                s.pose[j] = roll_pose(&s.d, false);
            }
            double normal[3], depth = carom_pair_depth(at(&s, 0), at(&s, 1), normal), left = roll(&s.d, 0, 0.03);
            if (!(depth > left))
                continue;
            add3(s.pose[1].r, depth - left, normal, s.pose[1].r); /* they overlap by what is left, or less */
            CHECK_OK(carom_pair_find(at(&s, 0), at(&s, 1), roll(&s.d, 0, 0.5), touch, TOUCHES, &n, &error), error);
            for (int j = 0; j < n; j++)
                if (touch[j].gap < -1e-7 && (touch[j].kernel == CAROM_LINE_LINE ||
                    touch[j].kernel == CAROM_LINE_CIRCLE || touch[j].kernel == CAROM_CIRCLE_CIRCLE))
                    edges++, worst = fmax(worst, -touch[j].gap / (left + rim * small(&s)));
        }
        if (edges)
            printf("%-20s %d edges in each other, at most %.2f times as deep as the shapes\n", kind->name, edges,
                   worst);
        CHECK_AT_MOST(worst, 2.1);
        carom_arena_free(s.arena);
    }
}
END_TEST

/* Polyhedra have edges of any angle: below an acute one the shortest way out does not lead back into its own body. */
START_TEST(what_overlaps_a_little_has_a_touch_that_deep)
{
    for (int k = 0; k < PAIR_KINDS; k++) {
        const pair_kind *kind = &pair_kinds[k];
        scene s = {.d = {(uint64_t)k + 707}, .arena = carom_arena_new(0)};
        int pairs = 0, lost = 0;
        bool sharp = kind->kind[1] == CAROM_SHAPE_POLYTOPE &&
                     (kind->kind[0] == CAROM_SHAPE_BOX || kind->kind[0] == CAROM_SHAPE_POLYTOPE);
        for (int i = 0; i < 3 * LOOPS && sharp && !kind->planar; i++) {
            static carom_touch touch[TOUCHES];
            carom_error error;
            int n;
            for (int j = 0; j < 2; j++) {
                CHECK_OK(roll_shape(&s.d, s.arena, kind->kind[j], false, kind->flat, &s.shape[j], &error), error);
                s.pose[j] = roll_pose(&s.d, false);
            }
            double normal[3], depth = carom_pair_depth(at(&s, 0), at(&s, 1), normal), left = 1e-3 * small(&s);
            if (!(depth > left))
                continue;
            add3(s.pose[1].r, depth - left, normal, s.pose[1].r);
            depth = carom_pair_depth(at(&s, 0), at(&s, 1), normal);
            if (!(depth > left / 2))
                continue;
            bool seen = false;
            CHECK_OK(carom_pair_find(at(&s, 0), at(&s, 1), left, touch, TOUCHES, &n, &error), error);
            for (int j = 0; j < n; j++)
                seen |= fabs(touch[j].gap + depth) < 1e-9;
            pairs++, lost += !seen;
        }
        if (pairs)
            printf("%-20s %d of %d without the touch of their depth\n", kind->name, lost, pairs);
        ck_assert_int_eq(lost, 0);
        carom_arena_free(s.arena);
    }
}
END_TEST

/* How deep a point of space is in a shape; negative: outside of it. */
static double inside(const scene *s, int k, const double *x)
{
    const carom_shape *shape = &s->shape[k];
    double p[3], d[3], depth = INFINITY;
    place_back3(&s->pose[k], x, p);
    if (shape->kind == CAROM_SHAPE_CAPSULE) {
        const double *end = shape->vertex, *axis = shape->edge->direction;
        sub3(p, end, d);
        add3(d, -fmax(0, fmin(shape->edge->length, dot3(d, axis))), axis, d);
        return shape->radius - norm3(d);
    }
    for (int i = 0; i < shape->nface; i++)
        if (shape->kind != CAROM_SHAPE_RING || i % 2 == 0)
            depth = fmin(depth, shape->face[i].offset - dot3(shape->face[i].normal, p));
    sub3(p, shape->place.r, d);
    if (shape->kind == CAROM_SHAPE_RING)
        depth = fmin(depth, fmin(shape->size[1] - norm3(d), norm3(d) - shape->size[0]));
    return depth;
}

/* The depth of the point that is deepest in both, of many; a shape is at most 3 m wide. */
static double shared(scene *s)
{
    double most = -INFINITY, x[3] = {0, 0, 0};
    for (int i = 0; i < 20000; i++) {
        for (int k = 0; k < 2; k++)
            x[k] = s->pose[0].r[k] + roll(&s->d, -1, 1) * s->shape[0].extent;
        most = fmax(most, fmin(inside(s, 0, x), inside(s, 1, x)));
    }
    return most;
}

START_TEST(rings_with_round_sides_inside_other_shapes_are_seen)
{
    static const carom_shape_kind kinds[] = {CAROM_SHAPE_BOX, CAROM_SHAPE_POLYTOPE, CAROM_SHAPE_CAPSULE,
                                             CAROM_SHAPE_RING};
    for (int k = 0; k < 8; k++) {
        scene s = {.d = {(uint64_t)k + 31}, .arena = carom_arena_new(0)};
        int seen = 0, blind = 0, false_alarm = 0;
        for (int i = 0; i < LOOPS / 5; i++) {
            carom_error error;
            for (int j = 0; j < 2; j++) {
                carom_shape_kind kind = j == k % 2 ? CAROM_SHAPE_RING : kinds[k / 2];
                CHECK_OK(roll_shape(&s.d, s.arena, kind, true, false, &s.shape[j], &error), error);
                s.pose[j] = roll_pose(&s.d, true);
            }
            double normal[3] = {0, 0, 0}, gap = signed_gap(&s, normal), deep = shared(&s);
            seen += gap < 0;
            blind += deep > 0.01 && !(gap < 0);
            false_alarm += deep < -0.02 && gap < 0;
        }
        printf("ring and shape %d: %d of %d inside each other, %d not seen, %d seen wrongly\n", kinds[k / 2], seen,
               LOOPS / 5, blind, false_alarm);
        ck_assert_int_eq(blind + false_alarm, 0);
        carom_arena_free(s.arena);
    }
}
END_TEST

TEST_MAIN("overlaps of shapes", rings_with_round_sides_inside_other_shapes_are_seen,
          shapes_inside_each_other_are_seen_and_their_depth_is_the_way_out,
          no_two_edges_are_much_deeper_than_the_shapes, what_overlaps_a_little_has_a_touch_that_deep)
