/* test_geometry_pairs.c: which touches two shapes have. */
#include "geometry_distance.h"
#include "geometry_testing.h"
#include "testing.h"

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
        for (int i = 0; i < 10000; i++) {
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
        ck_assert_int_ge(tested, 5000);
        ck_assert_int_le(corners, tested / 20);
        carom_arena_free(s.arena);
    }
}
END_TEST

TEST_MAIN("geometry of pairs", the_smallest_gap_is_the_distance_when_shapes_nearly_touch)
