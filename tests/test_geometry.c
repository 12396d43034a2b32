/* test_geometry.c: kernels of contacts: values, derivatives, lanes. */
#include "geometry_testing.h"
#include "testing.h"

static const unsigned all = CAROM_TOUCH_ALL;

/* A feature of any kind with sizes of about one. */
static void roll_features(dice *d, carom_touch *t, bool planar)
{
    double e[3], *f[2] = {t->a, t->b};
    for (int side = 0; side < 2; side++) {
        double *x = f[side], first[3], second[3];
        roll_direction(d, planar, first);
        roll_direction(d, planar, e);
        cross3(first, e, second), unit3(second);
        for (int i = 0; i < 3; i++)
            x[i] = planar && i == 2 ? 0 : roll(d, -0.5, 0.5);
        bool plane = side == 0 && (t->kernel == CAROM_PLANE_POINT || t->kernel == CAROM_PLANE_CIRCLE ||
                                   t->kernel == CAROM_PLANE_ELLIPSOID);
        if (plane)
            copy3(first, x);
        x[3] = plane ? roll(d, -0.5, 0.5) : roll(d, 0, 0.3);
        if (plane || t->kernel == CAROM_POINT_POINT || (side == 1 && strstr(carom_kernel_name(t->kernel), "_point")))
            continue;
        copy3(first, x + 3), copy3(second, x + 6);
        x[9] = roll(d, 0.4, 1), x[10] = roll(d, 0.4, 1), x[11] = roll(d, 0.4, 1);
        if (strstr(carom_kernel_name(t->kernel), "line") && !(side == 1 && t->kernel == CAROM_LINE_CIRCLE))
            x[6] = roll(d, 0, 0.3);
    }
}

static probe *roll_probe(dice *d, probe *p, const carom_kernels *kernels, double *work, bool planar, int kernel)
{
    *p = (probe){.kernels = kernels, .work = work, .planar = planar};
    p->touch = (carom_touch){.body = {0, 1}, .kernel = (carom_kernel)kernel, .sign = 1, .normal = {0, 1, 0}};
    roll_features(d, &p->touch, planar);
    for (int i = 0; i < 2; i++)
        p->pose[i] = roll_pose(d, planar);
    double away[3];
    roll_direction(d, planar, away);
    add3(p->pose[0].r, roll(d, 2, 4), away, p->pose[1].r);
    for (int i = 0; i < 12; i++)
        p->v[i] = roll(d, -1, 1), p->a[i] = roll(d, -1, 1), p->x[i % 3] = roll(d, -1, 1);
    quantities q;
    p->touch.reference[0] = 1;
    probe_eval(p, p->pose, all, &q);
    memset(p->touch.reference, 0, sizeof p->touch.reference);
    carom_touch_reference(q.place + 6, p->touch.reference);
    p->touch.z[0] = roll(d, -3, 3), p->touch.z[1] = roll(d, -3, 3);
    for (int i = 0; i < 2000; i++) { /* some root: each is a smooth function of the poses */
        double z[2] = {p->touch.z[0], p->touch.z[1]};
        carom_touch_unknowns(&p->touch, p->pose, z);
        if (z[0] != p->touch.z[0] || z[1] != p->touch.z[1]) {
            memcpy(p->touch.z, z, sizeof z);
            break;
        }
        p->touch.z[0] = roll(d, -3, 3), p->touch.z[1] = roll(d, -3, 3);
    }
    return p;
}

static bool tame(const probe *p) /* no angle or distance is so small that its inverse spoils the differences */
{
    quantities q;
    probe copy = *p;
    memset(&q, 0, sizeof q);
    probe_eval(&copy, p->pose, all, &q);
    for (int i = 0; i < 4; i++) { /* unknowns are a root, and found from around it */
        double apart[3];
        copy.touch = p->touch;
        copy.touch.z[0] += i & 1 ? 0.2 : -0.2, copy.touch.z[1] += i & 2 ? 0.2 : -0.2;
        quantities o;
        probe_eval(&copy, p->pose, all, &o);
        sub3(o.place + 3, o.place, apart);
        add3(apart, -o.g[0], o.place + 6, apart);
        if (!(fabs(o.g[0] - q.g[0]) + norm3(apart) < 1e-9))
            return false;
    }
    for (int i = 0; i < 24; i++) { /* two edges that turn past being parallel change the sign of their normal */
        double step[12] = {0};
        step[i / 2] = i & 1 ? 0.02 : -0.02;
        int half = p->planar ? 3 : 6;
        carom_pose pose[2] = {moved(&p->pose[0], p->planar, step, 1), moved(&p->pose[1], p->planar, step + half, 1)};
        quantities o;
        copy.touch = p->touch;
        probe_eval(&copy, pose, all, &o);
        double z[2] = {p->touch.z[0], p->touch.z[1]};
        carom_touch_unknowns(&p->touch, pose, z);
        if (!(dot3(o.place + 6, q.place + 6) > 0.9 && hypot(z[0] - p->touch.z[0], z[1] - p->touch.z[1]) < 0.1))
            return false;
    }
    int k = p->touch.kernel, radius = k == CAROM_POINT_POINT ? 3 : k == CAROM_LINE_POINT ? 6 : -1;
    if (q.g[0] + p->touch.b[3] + (radius < 0 ? 0 : p->touch.a[radius]) < 0.2 && (radius > 0 || k == CAROM_CIRCLE_POINT))
        return false;
    return largest(q.U_q, 36) < 5 && largest(q.A_f, 72) < 60 && largest(q.A_q, 36) < 15 && largest(q.R_q, 144) < 5;
}

START_TEST(derivatives_agree_with_differences_for_every_kernel)
{
    carom_error error;
    dice d = {1};
    for (int planar = 1; planar >= 0; planar--) {
        carom_kernels *kernels;
        unsigned which = planar ? 1 << CAROM_POINT_POINT | 1 << CAROM_PLANE_POINT | 1 << CAROM_LINE_POINT
                                : (1 << CAROM_KERNELS) - 1;
        CHECK_OK(carom_kernels_new(&kernels, planar, which, touch_wants, 2, &error), error);
        double *work = malloc(sizeof(double) * carom_kernels_work(kernels));
        for (int k = 0; k < CAROM_KERNELS; k++) {
            mismatch worst = {0};
            int tested = 0;
            for (int i = 0; i < 120 && which >> k & 1; i++) {
                probe p;
                if (!tame(roll_probe(&d, &p, kernels, work, planar, k)))
                    continue;
                mismatch m = compare(&p, 1e-3);
                for (double h = 2e-4; h < 1e-2 && worst_of(&m) > 1e-10; h *= 20) { /* rounding or steps are too large */
                    mismatch other = compare(&p, h);
                    for (int j = 0; j < MISMATCHES; j++)
                        ((double *)&m)[j] = fmin(((double *)&m)[j], ((double *)&other)[j]);
                }
                for (int j = 0; j < MISMATCHES; j++)
                    ((double *)&worst)[j] = fmax(((double *)&worst)[j], ((double *)&m)[j]);
                ck_assert_msg(worst_of(&m) <= 1e-9,
                              "%s: G %.1e gamma %.1e U_q %.1e A_q %.1e A_v %.1e R_q %.1e, by features %.1e %.1e %.1e "
                              "%.1e",
                              carom_kernel_name(k), m.G, m.gamma, m.U_q, m.A_q, m.A_v, m.R_q, m.g_f, m.U_f, m.A_f,
                              m.R_f);
                tested++;
            }
            if (which >> k & 1) {
                printf("%s %-16s %4d poses: G %.0e gamma %.0e U_q %.0e A_q %.0e A_v %.0e R_q %.0e; by features "
                       "%.0e %.0e %.0e %.0e\n",
                       planar ? "planar " : "spatial", carom_kernel_name(k), tested, worst.G, worst.gamma, worst.U_q,
                       worst.A_q, worst.A_v, worst.R_q, worst.g_f, worst.U_f, worst.A_f, worst.R_f);
                ck_assert_int_gt(tested, 60);
            }
        }
        free(work);
        carom_kernels_free(kernels);
    }
}
END_TEST

/* A motion of all space: v + w x r of both bodies, the same spin in their axes. */
static void move_as_one(dice *d, probe *p)
{
    double v[3], w[3], at[3], turn[3];
    for (int i = 0; i < 3; i++)
        v[i] = p->planar && i == 2 ? 0 : roll(d, -1, 1), w[i] = p->planar && i < 2 ? 0 : roll(d, -1, 1);
    for (int body = 0; body < 2; body++) {
        double *to = p->v + body * (p->planar ? 3 : 6);
        cross3(w, p->pose[body].r, at);
        turn_back3(p->pose[body].R, w, turn);
        for (int i = 0; i < (p->planar ? 2 : 3); i++)
            *to++ = v[i] + at[i];
        for (int i = p->planar ? 2 : 0; i < 3; i++)
            *to++ = turn[i];
    }
}

START_TEST(bodies_that_move_as_one_do_not_slip_whatever_the_gap)
{
    carom_error error;
    dice d = {5};
    for (int planar = 1; planar >= 0; planar--) {
        carom_kernels *kernels;
        int rows = planar ? 2 : 3, columns = planar ? 6 : 12;
        unsigned which = planar ? 1 << CAROM_POINT_POINT | 1 << CAROM_PLANE_POINT | 1 << CAROM_LINE_POINT
                                : (1 << CAROM_KERNELS) - 1;
        CHECK_OK(carom_kernels_new(&kernels, planar, which, touch_wants, 2, &error), error);
        double *work = malloc(sizeof(double) * carom_kernels_work(kernels)), most = 0;
        for (int k = 0; k < CAROM_KERNELS; k++)
            for (int i = 0; i < 100 && which >> k & 1; i++) {
                probe p;
                quantities q;
                if (!tame(roll_probe(&d, &p, kernels, work, planar, k)))
                    continue;
                move_as_one(&d, &p);
                memset(&q, 0, sizeof q);
                probe_eval(&p, p.pose, all, &q);
                for (int r = 0; r < rows; r++) {
                    double u = 0;
                    for (int j = 0; j < columns; j++)
                        u += q.G[r * columns + j] * p.v[j];
                    ck_assert_msg(fabs(u) <= 1e-11, "%s: row %d slips by %g with a gap of %g", carom_kernel_name(k), r,
                                  u, q.g[0]);
                    most = fmax(most, fabs(u));
                }
            }
        printf("moved as one: %.0e\n", most);
        free(work);
        carom_kernels_free(kernels);
    }
}
END_TEST

START_TEST(eight_lanes_and_one_have_the_same_bits)
{
    carom_error error;
    carom_kernels *kernels;
    dice d = {9};
    CHECK_OK(carom_kernels_new(&kernels, false, (1 << CAROM_KERNELS) - 1, touch_wants, 2, &error), error);
    double *work = malloc(sizeof(double) * carom_kernels_work(kernels));
    enum { N = 101 };
    static carom_touch touch[N];
    static carom_pose pose[2 * N];
    static double v[12 * N], a[12 * N], x[3 * N], out[N * sizeof(quantities) / sizeof(double)];
    for (int i = 0; i < N; i++) {
        probe p;
        roll_probe(&d, &p, kernels, work, false, i % CAROM_KERNELS);
        touch[i] = p.touch;
        memcpy(v + 12 * i, p.v, sizeof p.v), memcpy(a + 12 * i, p.a, sizeof p.a), memcpy(x + 3 * i, p.x, sizeof p.x);
        for (int k = 0; k < 2; k++)
            touch[i].body[k] = 2 * i + k, pose[2 * i + k] = p.pose[k];
    }
    carom_touch_motion motion = {pose, v, a, x};
    double *at = out;
    carom_touch_values values;
    double **array[] = {&values.g,   &values.place, &values.G,   &values.gamma, &values.U_q, &values.A_q,
                        &values.A_v, &values.R_q,   &values.g_f, &values.U_f,   &values.A_f, &values.R_f};
    const int length[] = {1, 15, 36, 3, 36, 36, 36, 144, 24, 72, 72, 288};
    for (int k = 0; k < CAROM_TOUCH_QUANTITIES; k++)
        *array[k] = at, at += N * length[k];
    CHECK_OK(carom_kernels_eval(kernels, all, N, touch, &motion, &values, work, &error), error);
    for (int i = 0; i < N; i++) {
        probe p = {.kernels = kernels, .work = work, .touch = touch[i]};
        memcpy(p.v, v + 12 * i, sizeof p.v), memcpy(p.a, a + 12 * i, sizeof p.a), memcpy(p.x, x + 3 * i, sizeof p.x);
        p.touch.body[0] = 0, p.touch.body[1] = 1;
        probe_eval(&p, pose + 2 * i, all, &p.out);
        const double *one[] = {p.out.g,   p.out.place, p.out.G,   p.out.gamma, p.out.U_q, p.out.A_q,
                               p.out.A_v, p.out.R_q,   p.out.g_f, p.out.U_f,   p.out.A_f, p.out.R_f};
        for (int k = 0; k < CAROM_TOUCH_QUANTITIES; k++)
            ck_assert_int_eq(memcmp(one[k], *array[k] + i * length[k], sizeof(double) * (size_t)length[k]), 0);
    }
    ck_assert_int_eq(carom_kernels_eval(kernels, CAROM_TOUCH_GAP, 1, touch, &motion, &values, work, &error),
                     CAROM_BAD_ARGUMENT); /* not prepared */
    free(work);
    carom_kernels_free(kernels);
}
END_TEST

/* ---- mass: moments by quadrature over the surface, Gauss's theorem ---- */
enum { NODES = 40 };
static double node[NODES], weight[NODES]; /* of Gauss and Legendre on (0, 1) */
static void legendre(void)
{
    for (int i = 0; i < NODES; i++) {
        double x = cos(M_PI * (i + 0.75) / (NODES + 0.5)), p = 0, q = 0, slope = 1;
        for (int k = 0; k < 20; k++) {
            p = 1, q = 0;
            for (int j = 0; j < NODES; j++) {
                double r = q;
                q = p, p = ((2 * j + 1) * x * q - j * r) / (j + 1);
            }
            slope = NODES * (x * p - q) / (x * x - 1);
            x -= p / slope;
        }
        node[i] = (1 + x) / 2, weight[i] = 1 / ((1 - x * x) * slope * slope);
    }
}

typedef struct patch { /* a piece of the surface of a shape, x(u, v) in the body's axes */
    const carom_shape *s;
    int piece;
    double u, v;
    bool along_v;
} patch;

static void local_point(const carom_shape *s, int piece, double u, double v, double *x)
{
    const double *a = s->size, turn = 2 * M_PI * v;
    bool capsule = s->kind == CAROM_SHAPE_CAPSULE;
    double r = capsule || s->kind == CAROM_SHAPE_CYLINDER ? a[1] : a[0], h = a[0] / 2;
    if (s->planar && s->kind == CAROM_SHAPE_BALL) {
        x[0] = r * cos(2 * M_PI * u), x[1] = r * sin(2 * M_PI * u), x[2] = 0;
    } else if (s->planar && capsule) {
        double b = M_PI * (u - 0.5), end = piece < 2 ? h * (1 - 2 * u) : h + r * cos(b);
        x[0] = piece % 2 ? -end : end, x[1] = (piece % 2 ? -1 : 1) * (piece < 2 ? r : r * sin(b)), x[2] = 0;
    } else if (s->kind == CAROM_SHAPE_RING) {
        double b = piece % 2 ? a[2] + (piece == 1 ? u : 1 - u) * (a[3] - a[2]) : a[piece == 0 ? 2 : 3];
        double far = piece % 2 ? a[piece == 1] : a[0] + (piece == 0 ? u : 1 - u) * (a[1] - a[0]);
        x[0] = far * cos(b), x[1] = far * sin(b), x[2] = 0;
    } else if (s->kind == CAROM_SHAPE_CYLINDER) {
        double far = piece ? r * u : r;
        x[0] = far * cos(turn), x[1] = far * sin(turn), x[2] = piece ? (piece == 1 ? h : -h) : a[0] * (u - 0.5);
    } else if (capsule) {
        double far = piece ? r * sin(M_PI / 2 * u) : r, z = piece ? h + r * cos(M_PI / 2 * u) : a[0] * (u - 0.5);
        x[0] = piece == 2 ? -z : z, x[1] = far * cos(turn), x[2] = far * sin(turn);
    } else { /* ball, ellipsoid */
        bool ball = s->kind == CAROM_SHAPE_BALL;
        x[0] = a[0] * sin(M_PI * u) * cos(turn), x[1] = a[ball ? 0 : 1] * sin(M_PI * u) * sin(turn);
        x[2] = a[ball ? 0 : 2] * cos(M_PI * u);
    }
}

static void patch_point(const patch *p, double u, double v, double *x)
{
    const carom_shape *s = p->s;
    if (s->kind != CAROM_SHAPE_POLYTOPE) {
        local_point(s, p->piece, u, v, x);
        place3(&s->place, x, x);
        return;
    }
    int face = s->planar ? p->piece : p->piece / 16, k = s->planar ? 0 : p->piece % 16; /* a fan of triangles */
    const int *corner = s->corner + s->face[face].first;
    const double *a = s->vertex + 3 * corner[0], *b = s->vertex + 3 * corner[k + 1];
    for (int i = 0; i < 3; i++)
        x[i] = a[i] + u * (b[i] - a[i]) + (s->planar ? 0 : u * v * (s->vertex[3 * corner[k + 2] + i] - b[i]));
}

static void patch_family(void *user, double step, double *x)
{
    const patch *p = user;
    patch_point(p, p->u + (p->along_v ? 0 : step), p->v + (p->along_v ? step : 0), x);
}

/* moments: 1, x, y, z, xx, yy, zz, xy, yz, zx */
static void add_patch(patch p, double *moment)
{
    for (int i = 0; i < NODES; i++)
        for (int j = 0; j < (p.s->planar ? 1 : NODES); j++) {
            double x[3], xu[3], xv[3] = {0, 0, 1}, n[3], out[3], w = weight[i] * (p.s->planar ? 1 : weight[j]);
            p.u = node[i], p.v = node[j];
            patch_point(&p, p.u, p.v, x);
            p.along_v = false;
            difference(patch_family, &p, 3, 1e-3, xu);
            p.along_v = true;
            if (!p.s->planar)
                difference(patch_family, &p, 3, 1e-3, xv);
            cross3(xu, xv, n); /* the outward one in the plane, where pieces run counterclockwise */
            sub3(x, p.s->centre, out);
            if (!p.s->planar && dot3(n, out) < 0)
                w = -w;
            moment[0] += w * x[0] * n[0];
            for (int k = 0; k < 3; k++) {
                moment[1 + k] += w * x[k] * x[k] / 2 * n[k];
                moment[4 + k] += w * x[k] * x[k] * x[k] / 3 * n[k];
                moment[7 + k] += w * x[k] * x[k] / 2 * x[(k + 1) % 3] * n[k];
            }
        }
}

static int pieces(const carom_shape *s, int i) /* the i-th; -1: no more */
{
    if (s->kind == CAROM_SHAPE_POLYTOPE && !s->planar) {
        for (int f = 0, n = 0; f < s->nface; f++)
            for (int k = 0; k + 2 < s->face[f].corners; k++, n++)
                if (n == i)
                    return 16 * f + k;
        return -1;
    }
    int n[] = {[CAROM_SHAPE_POLYTOPE] = s->nface, [CAROM_SHAPE_RING] = 4, [CAROM_SHAPE_CYLINDER] = 3,
               [CAROM_SHAPE_CAPSULE] = s->planar ? 4 : 3, [CAROM_SHAPE_BALL] = 1, [CAROM_SHAPE_ELLIPSOID] = 1};
    return i < n[s->kind] ? i : -1;
}

START_TEST(mass_centre_and_inertia_agree_with_quadrature)
{
    static const carom_shape_kind kinds[2][6] = {
        {CAROM_SHAPE_BALL, CAROM_SHAPE_CAPSULE, CAROM_SHAPE_BOX, CAROM_SHAPE_POLYTOPE, CAROM_SHAPE_CYLINDER,
         CAROM_SHAPE_ELLIPSOID},
        {CAROM_SHAPE_BALL, CAROM_SHAPE_CAPSULE, CAROM_SHAPE_BOX, CAROM_SHAPE_POLYTOPE, CAROM_SHAPE_RING,
         CAROM_SHAPE_RING}};
    dice d = {4};
    carom_error error;
    legendre();
    for (int planar = 0; planar < 2; planar++)
        for (int k = 0; k < 6; k++)
            for (int i = 0; i < 5; i++) {
                carom_arena *arena = carom_arena_new(0);
                carom_shape s;
                double m[10] = {0}, C[6];
                CHECK_OK(roll_shape(&d, arena, kinds[planar][k], planar, false, &s, &error), error);
                for (int j = 0, piece; (piece = pieces(&s, j)) >= 0; j++)
                    add_patch((patch){.s = &s, .piece = piece}, m);
                CHECK_NEAR(s.volume, m[0], 1e-11);
                for (int j = 0; j < 3; j++) {
                    CHECK_NEAR(s.centre[j], planar && j == 2 ? 0 : m[1 + j] / m[0], 1e-11);
                    C[j] = m[4 + j] - m[1 + j] * m[1 + j] / m[0];
                    C[3 + j] = m[7 + j] - m[1 + j] * m[1 + (j + 1) % 3] / m[0];
                }
                for (int j = 0; j < 6 && !planar; j++)
                    CHECK_NEAR(s.inertia[j], j < 3 ? C[0] + C[1] + C[2] - C[j] : -C[j], 1e-11);
                if (planar)
                    CHECK_NEAR(s.inertia[2], C[0] + C[1], 1e-11);
                carom_arena_free(arena);
            }
}
END_TEST

START_TEST(shapes_that_cannot_be_are_refused_with_a_reason)
{
    static const double bow[] = {0, 0, 1, 0, 0, 1, 1, 1}, dent[] = {0, 0, 1, 0, 0.1, 0.1, 0, 1};
    static const double star[] = {1, 0, -0.8, 0.6, 0.3, -0.95, 0.3, 0.95, -0.8, -0.6};
    static const double inside[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0.1, 0.1, 0.1};
    static const double flat[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    static const double edge[] = {0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0};
    static const double hole[] = {0, 0, 1, 0, 1, NAN, 0, 1}, pit[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, INFINITY};
#define HULL(flag, n, list) {.kind = CAROM_SHAPE_POLYTOPE, .planar = flag, .corner = list, .corners = n}
    static const struct {
        carom_shape_spec spec;
        const char *reason;
    } bad[] = {
        {{.kind = CAROM_SHAPE_BALL, .size = {-1}}, "ball: size 1 is -1, but must be positive"},
        {{.kind = CAROM_SHAPE_BOX, .planar = true, .size = {1, 0}}, "box: size 2 is 0, but must be positive"},
        {{.kind = CAROM_SHAPE_BOX, .size = {1, NAN, 1}}, "box: size 2 is nan, but must be positive"},
        {{.kind = CAROM_SHAPE_PLANE}, "plane: its normal has no direction"},
        {{.kind = CAROM_SHAPE_CYLINDER, .planar = true, .size = {1, 1}}, "cylinder: there is none in the plane"},
        {{.kind = CAROM_SHAPE_RING, .size = {1, 2, 0, 1}}, "ring: there is none in space"},
        {{.kind = CAROM_SHAPE_RING, .planar = true, .size = {2, 1, 0, 1}}, "ring: the outer radius 1 is not larger"},
        {{.kind = CAROM_SHAPE_RING, .planar = true, .size = {1, 2, 0, 4}}, "ring: from 0 to 4 is not an angle"},
        {HULL(true, 2, bow), "polygon: 2 corners"},
        {HULL(true, 4, bow), "polygon: its sides cross each other"},
        {HULL(true, 4, dent), "polygon: it is not convex at corner 3"},
        {HULL(true, 5, star), "polygon: its sides cross each other"},
        {HULL(false, 5, inside), "polyhedron: corner 5 lies inside the convex hull"},
        {HULL(false, 5, edge), "polyhedron: corner 5 is no corner of the convex hull"},
        {HULL(true, 4, hole), "polytope: corner 3 is not finite"},
        {HULL(false, 4, pit), "polytope: corner 4 is not finite"},
        {HULL(false, 4, flat), "polyhedron: all 4 corners lie in one plane"},
    };
    for (int i = 0; i < CAROM_COUNT(bad); i++) {
        carom_arena *arena = carom_arena_new(0);
        carom_shape s;
        carom_error error = {0};
        ck_assert_int_eq(carom_shape_new(arena, &bad[i].spec, &s, &error), CAROM_BAD_MODEL);
        ck_assert_msg(strncmp(error.text, bad[i].reason, strlen(bad[i].reason)) == 0, "%s", error.text);
        carom_arena_free(arena);
    }
}
END_TEST

TEST_MAIN("geometry", derivatives_agree_with_differences_for_every_kernel,
          bodies_that_move_as_one_do_not_slip_whatever_the_gap, eight_lanes_and_one_have_the_same_bits,
          mass_centre_and_inertia_agree_with_quadrature, shapes_that_cannot_be_are_refused_with_a_reason)
