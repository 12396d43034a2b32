/* test_geometry_broad.c: pairs of boxes. */
#include "geometry_testing.h"
#include "testing.h"

enum { MOST = 10000 };
static double box[6 * MOST];

static void roll_boxes(dice *d, int n, double spread, double size, int planes)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            double x = spread * roll(d, -1, 1), w = size * roll(d, 0, 1);
            box[6 * i + k] = i < planes ? -INFINITY : x - w, box[6 * i + 3 + k] = i < planes ? INFINITY : x + w;
        }
}

static bool overlap(const double *a, const double *b)
{
    for (int k = 0; k < 3; k++)
        if (!(a[k] <= b[3 + k] && b[k] <= a[3 + k]))
            return false;
    return true;
}

static int check(carom_broad *broad, int n) /* against all pairs, one by one, in order */
{
    const carom_pair *pair;
    int npairs, found = 0;
    carom_error error;
    CHECK_OK(carom_broad_find(broad, n, box, &pair, &npairs, &error), error);
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            if (overlap(box + 6 * i, box + 6 * j)) {
                ck_assert_msg(found < npairs && pair[found].first == i && pair[found].second == j,
                              "%d boxes: pair %d should be %d %d", n, found, i, j);
                found++;
            }
    ck_assert_int_eq(found, npairs);
    return found;
}

START_TEST(the_pairs_are_those_of_all_against_all_in_order)
{
    carom_broad *broad = carom_broad_new();
    dice d = {5};
    for (int n = 0; n < 70; n++)
        for (int k = 0; k < 20; k++) {
            roll_boxes(&d, n, 3, roll(&d, 0, 2), n > 5 ? k % 4 : 0);
            check(broad, n);
        }
    roll_boxes(&d, 3000, 10, 0.5, 2);
    printf("3000 boxes: %d pairs\n", check(broad, 3000));
    memset(box, 0, sizeof box); /* all at the same place */
    ck_assert_int_eq(check(broad, 300), 300 * 299 / 2);
    for (int i = 0; i < 300; i++) /* in a row, each touching the next exactly */
        box[6 * i] = i, box[6 * i + 3] = i + 1;
    ck_assert_int_eq(check(broad, 300), 299);
    box[0] = box[3] = -1e300; /* one far away */
    ck_assert_int_eq(check(broad, 300), 298);
    box[6] = NAN;
    ck_assert_int_eq(check(broad, 300), 297);
    carom_broad_free(broad);
}
END_TEST

START_TEST(the_cost_of_a_wall_grows_with_its_size)
{
    carom_broad *broad = carom_broad_new();
    carom_error error;
    for (int n = 100; n <= MOST; n *= 10) {
        int columns = (int)sqrt(n), npairs;
        const carom_pair *pair;
        for (int i = 0; i < n; i++) {
            double low[3] = {i % columns + 0.5 * (i / columns % 2), 0, i / columns};
            for (int k = 0; k < 3; k++)
                box[6 * i + k] = low[k] - 0.01, box[6 * i + 3 + k] = low[k] + 1.01;
        }
        CHECK_OK(carom_broad_find(broad, n, box, &pair, &npairs, &error), error);
        ck_assert_int_le(npairs, 3 * n); /* left, right, two above, two below, each counted once */
        ck_assert_int_ge(npairs, 3 * n - 4 * columns - columns);
    }
    carom_broad_free(broad);
}
END_TEST

/* A point of the surface in the frame of the shape: unit is a direction. */
static void surface(const carom_shape_spec *spec, const double *unit, double side, double *x)
{
    const double *a = spec->size;
    double across = hypot(unit[0], unit[1]);
    for (int k = 0; k < 3; k++)
        x[k] = spec->kind == CAROM_SHAPE_ELLIPSOID ? a[k] * unit[k] : a[0] * unit[k]; /* or a ball */
    if (spec->kind == CAROM_SHAPE_BOX)
        for (int k = 0; k < 3; k++)
            x[k] = copysign(a[k] / 2, unit[k]);
    if (spec->kind == CAROM_SHAPE_CAPSULE)
        for (int k = 0; k < 3; k++)
            x[k] = a[1] * unit[k] + (k == 0 ? side * a[0] / 2 : 0);
    if (spec->kind == CAROM_SHAPE_CYLINDER)
        x[0] = a[1] * unit[0] / across, x[1] = a[1] * unit[1] / across, x[2] = side * a[0] / 2;
}

START_TEST(boxes_hold_their_shapes_and_are_no_larger)
{
    static const carom_shape_spec specs[] = {
        {.kind = CAROM_SHAPE_BALL, .size = {0.3}},
        {.kind = CAROM_SHAPE_BOX, .size = {0.3, 0.7, 0.2}},
        {.kind = CAROM_SHAPE_CAPSULE, .size = {0.8, 0.1}},
        {.kind = CAROM_SHAPE_CYLINDER, .size = {0.8, 0.3}},
        {.kind = CAROM_SHAPE_ELLIPSOID, .size = {0.8, 0.3, 0.5}},
    };
    dice d = {7};
    for (int i = 0; i < CAROM_COUNT(specs); i++)
        for (int trial = 0; trial < 10; trial++) {
            carom_arena *arena = carom_arena_new(0);
            carom_shape shape;
            carom_error error = {0};
            carom_shape_spec spec = specs[i];
            carom_pose pose = roll_pose(&d, false);
            double low[3], high[3], least[3], most[3];
            spec.place = roll_pose(&d, false);
            CHECK_OK(carom_shape_new(arena, &spec, &shape, &error), error);
            carom_shape_bounds(&shape, &pose, 0.25, low, high);
            for (int k = 0; k < 3; k++)
                least[k] = INFINITY, most[k] = -INFINITY;
            for (int n = 0; n < 4000; n++) {
                double unit[3], own[3], body[3], x[3];
                roll_direction(&d, false, unit);
                surface(&spec, unit, n % 2 ? 1 : -1, own);
                place3(&spec.place, own, body);
                place3(&pose, body, x);
                for (int k = 0; k < 3; k++)
                    least[k] = fmin(least[k], x[k]), most[k] = fmax(most[k], x[k]);
            }
            for (int k = 0; k < 3; k++) {
                ck_assert_msg(low[k] + 0.25 <= least[k] + 1e-14 && high[k] - 0.25 >= most[k] - 1e-14, "shape %d", i);
                ck_assert_msg(low[k] + 0.25 >= least[k] - 0.01 && high[k] - 0.25 <= most[k] + 0.01, "shape %d", i);
            }
            carom_arena_free(arena);
        }
}
END_TEST

TEST_MAIN("broad phase", boxes_hold_their_shapes_and_are_no_larger,
          the_pairs_are_those_of_all_against_all_in_order, the_cost_of_a_wall_grows_with_its_size)
