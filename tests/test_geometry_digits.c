/* test_geometry_digits.c: gaps, slips and their derivatives of every kernel against 50 digits (geometry_table.py). The
 * variable CAROM_GEOMETRY_TABLE of the environment names a table with more poses, of all kernels or of some. */
#include "geometry_testing.h"
#include "testing.h"

/* ---- the poses of the table: small integers, as geometry_table.py has them ---- */
static int whole(dice *d, int low, int high)
{
    d->state += 0x9e3779b97f4a7c15u;
    uint64_t z = d->state;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u, z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return low + (int)(((z ^ z >> 31) >> 11) % (uint64_t)(high - low + 1));
}

static void vector(dice *d, bool planar, int most, double *v)
{
    do
        for (int i = 0; i < 3; i++) {
            v[i] = whole(d, -most, most);
            v[i] = planar && i == 2 ? 0 : v[i];
        }
    while (!(dot3(v, v) > most * most / 4.0));
}

static carom_pose pose(dice *d, bool planar)
{
    carom_pose p;
    double e[4] = {whole(d, 1, 9), 0, 0, 0};
    for (int i = planar ? 3 : 1; i < 4; i++)
        e[i] = whole(d, -9, 9);
    double size = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
    double w = e[0] / size, x = e[1] / size, y = e[2] / size, z = e[3] / size;
    p.R[0] = 1 - 2 * (y * y + z * z), p.R[1] = 2 * (x * y - w * z), p.R[2] = 2 * (x * z + w * y);
    p.R[3] = 2 * (x * y + w * z), p.R[4] = 1 - 2 * (x * x + z * z), p.R[5] = 2 * (y * z - w * x);
    p.R[6] = 2 * (x * z - w * y), p.R[7] = 2 * (y * z + w * x), p.R[8] = 1 - 2 * (x * x + y * y);
    vector(d, planar, 16, p.r);
    for (int i = 0; i < 3; i++)
        p.r[i] /= 16;
    return p;
}

static bool is(const char *kernel, int side, const char *kind) /* is this the feature of that side? */
{
    const char *second = strchr(kernel, '_') + 1;
    return side ? strcmp(second, kind) == 0 : strncmp(kernel, kind, strlen(kind)) == 0;
}

static void feature(dice *d, bool planar, const char *kernel, int side, double *to)
{
    double first[3], e[3], second[3], place[3], radius, size[3];
    vector(d, planar, 9, first), vector(d, planar, 9, e), vector(d, planar, 8, place);
    radius = whole(d, 0, 5) / 16.0;
    for (int i = 0; i < 3; i++)
        size[i] = whole(d, 6, 16) / 16.0, place[i] /= 16;
    cross3(first, e, second);
    unit3(first), unit3(second);
    copy3(is(kernel, side, "plane") ? first : place, to);
    if (is(kernel, side, "plane") || is(kernel, side, "point")) {
        to[3] = radius;
        return;
    }
    copy3(first, to + 3), copy3(second, to + 6);
    if (is(kernel, side, "line"))
        to[6] = radius;
    if (is(kernel, side, "circle") || is(kernel, side, "ellipsoid"))
        copy3(size, to + 9);
}

typedef struct row { /* of the table */
    char kernel[32];
    int planar, number, sign;
    double z[2], g, u[3], gamma[3];
} row;

static int kernel_of(const char *name)
{
    for (int k = 0; k < CAROM_KERNELS; k++)
        if (strcmp(carom_kernel_name((carom_kernel)k), name) == 0)
            return k;
    ck_abort_msg("no kernel '%s'", name);
    return -1;
}

static void motion(dice *d, bool planar, double *v)
{
    for (int i = 0, n = 0; i < 6; i++) {
        double x = whole(d, -16, 16) / 16.0;
        if (!planar || (i != 2 && i != 3 && i != 4))
            v[n++] = x;
    }
}

static void probe_of_row(const row *r, probe *p)
{
    dice d = {(uint64_t)kernel_of(r->kernel) * 1000003 + (uint64_t)r->number * 2 + (uint64_t)r->planar};
    double away[3];
    p->planar = r->planar;
    p->touch = (carom_touch){.body = {0, 1}, .kernel = (carom_kernel)kernel_of(r->kernel), .sign = r->sign,
                             .normal = {0, 1, 0}, .z = {r->z[0], r->z[1]}};
    feature(&d, r->planar, r->kernel, 0, p->touch.a), feature(&d, r->planar, r->kernel, 1, p->touch.b);
    p->pose[0] = pose(&d, r->planar), p->pose[1] = pose(&d, r->planar);
    vector(&d, r->planar, 16, away);
    add3(p->pose[0].r, 3.0 / 16, away, p->pose[1].r);
    motion(&d, r->planar, p->v), motion(&d, r->planar, p->v + (r->planar ? 3 : 6));
}

static double error_in(double value, double exact)
{
    return fabs(value - exact) / fmax(1, fabs(exact));
}

/* A normal is the direction between two points: rounding of their places is divided by their distance, once in u and
 * twice in gamma. */
static double steepness(const carom_touch *t, double g)
{
    double radius = t->kernel == CAROM_LINE_POINT ? t->a[6] : t->kernel == CAROM_POINT_POINT ? t->a[3] : 0;
    bool round = t->kernel == CAROM_LINE_POINT || t->kernel == CAROM_POINT_POINT || t->kernel == CAROM_CIRCLE_POINT;
    return round ? fmax(1, 0.1 / (g + radius + t->b[3])) : 1;
}

/* The largest error of g, u and gamma of a row of the table. */
static double error_of(const row *r, probe *p)
{
    quantities q;
    int rows = r->planar ? 2 : 3, columns = r->planar ? 6 : 12;
    probe_of_row(r, p);
    memset(&q, 0, sizeof q);
    p->touch.reference[0] = 1;
    probe_eval(p, p->pose, CAROM_TOUCH_ALL, &q);
    memset(p->touch.reference, 0, sizeof p->touch.reference);
    int least = 0;
    for (int i = 1; i < 3; i++) /* the first of equal ones */
        least = fabs(q.place[6 + i]) < fabs(q.place[6 + least]) - 1e-9 ? i : least;
    p->touch.reference[least] = 1;
    probe_eval(p, p->pose, CAROM_TOUCH_ALL, &q);
    double worst = error_in(q.g[0], r->g), steep = steepness(&p->touch, r->g);
    for (int i = 0; i < rows; i++) {
        double u = 0;
        for (int j = 0; j < columns; j++)
            u += q.G[i * columns + j] * p->v[j];
        worst = fmax(worst, fmax(error_in(u, r->u[i]) / steep, error_in(q.gamma[i], r->gamma[i]) / (steep * steep)));
    }
    return worst;
}

START_TEST(kernels_agree_with_fifty_digits)
{
    static const unsigned wants[] = {CAROM_TOUCH_ALL};
    carom_kernels *kernels[2];
    double *work[2], worst[2][CAROM_KERNELS] = {{0}};
    int count[2][CAROM_KERNELS] = {{0}}, wrong = 0;
    carom_error error;
    row r;
    const char *given = getenv("CAROM_GEOMETRY_TABLE"), *path = given ? given : "tests/geometry_table.txt";
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "no file '%s'", path);
    for (int i = 0; i < 2; i++) {
        unsigned which = i ? 1 << CAROM_POINT_POINT | 1 << CAROM_PLANE_POINT | 1 << CAROM_LINE_POINT
                           : (1 << CAROM_KERNELS) - 1;
        CHECK_OK(carom_kernels_new(&kernels[i], i, which, wants, 1, &error), error);
        work[i] = malloc(sizeof(double) * carom_kernels_work(kernels[i]));
    }
    while (fscanf(file, "%31s %d %d %d %lf %lf %lf %lf %lf %lf %lf %lf %lf", r.kernel, &r.planar, &r.number, &r.sign,
                  &r.z[0], &r.z[1], &r.g, &r.u[0], &r.u[1], &r.u[2], &r.gamma[0], &r.gamma[1], &r.gamma[2]) == 13) {
        probe p = {.kernels = kernels[r.planar], .work = work[r.planar]};
        int k = kernel_of(r.kernel);
        double e = error_of(&r, &p);
        if (!(e <= 1e-9) && ++wrong)
            printf("%s %s %d: off by %g\n", r.planar ? "planar " : "spatial", r.kernel, r.number, e);
        worst[r.planar][k] = fmax(worst[r.planar][k], e);
        count[r.planar][k]++;
    }
    fclose(file);
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < CAROM_KERNELS; k++) {
            if (!given && (i == 0 || k <= CAROM_LINE_POINT))
                ck_assert_int_ge(count[i][k], 50);
            if (count[i][k])
                printf("%s %-16s %5d poses, off by %.0e\n", i ? "planar " : "spatial",
                       carom_kernel_name((carom_kernel)k), count[i][k], worst[i][k]);
        }
        carom_kernels_free(kernels[i]);
        free(work[i]);
    }
    ck_assert_msg(wrong == 0, "%d poses are off by more than 1e-9", wrong);
}
END_TEST

TEST_MAIN("geometry to 50 digits", kernels_agree_with_fifty_digits)
