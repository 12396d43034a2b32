/* test_geometry.c: kernels of contacts: values, derivatives, lanes. */
#include "geometry_testing.h"
#include "testing.h"

enum { POSES = 10000 };

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
    carom_touch_unknowns(&p->touch, p->pose, p->touch.z); /* some root: each is a smooth function of the poses */
    return p;
}

static bool tame(const probe *p) /* no angle or distance is so small that its inverse spoils the differences */
{
    quantities q;
    probe copy = *p;
    probe_eval(&copy, p->pose, all, &q);
    for (int i = 0; i < 4; i++) { /* unknowns are a root, and found from around it */
        double apart[3];
        copy.touch = p->touch;
        copy.touch.z[0] += i & 1 ? 0.4 : -0.4, copy.touch.z[1] += i & 2 ? 0.4 : -0.4;
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
        if (!(dot3(o.place + 6, q.place + 6) > 0.9))
            return false;
    }
    int k = p->touch.kernel, radius = k == CAROM_POINT_POINT ? 3 : k == CAROM_LINE_POINT ? 6 : -1;
    if (q.g[0] + p->touch.b[3] + (radius < 0 ? 0 : p->touch.a[radius]) < 0.2 && (radius > 0 || k == CAROM_CIRCLE_POINT))
        return false;
    return largest(q.U_q, 36) < 5 && largest(q.A_q, 36) < 15 && largest(q.R_q, 144) < 5;
}

START_TEST(derivatives_agree_with_differences_for_every_kernel)
{
    carom_error error;
    dice d = {1};
    for (int planar = 1; planar >= 0; planar--) {
        carom_kernels *kernels;
        unsigned which = planar ? 1 << CAROM_POINT_POINT | 1 << CAROM_PLANE_POINT | 1 << CAROM_LINE_POINT
                                : (1 << CAROM_KERNELS) - 1;
        CHECK_OK(carom_kernels_new(&kernels, planar, which, &all, 1, &error), error);
        double *work = malloc(sizeof(double) * carom_kernels_work(kernels));
        for (int k = 0; k < CAROM_KERNELS; k++) {
            mismatch worst = {0};
            int tested = 0;
            for (int i = 0; i < 120 && which >> k & 1; i++) {
                probe p;
                if (!tame(roll_probe(&d, &p, kernels, work, planar, k)))
                    continue;
                mismatch m = compare(&p, 1e-3);
                for (int j = 0; j < 6; j++)
                    ((double *)&worst)[j] = fmax(((double *)&worst)[j], ((double *)&m)[j]);
                ck_assert_msg(worst_of(&m) <= 1e-9, "%s: G %.1e gamma %.1e U_q %.1e A_q %.1e A_v %.1e R_q %.1e",
                              carom_kernel_name(k), m.G, m.gamma, m.U_q, m.A_q, m.A_v, m.R_q);
                tested++;
            }
            if (which >> k & 1) {
                printf("%s %-16s %4d poses: G %.0e gamma %.0e U_q %.0e A_q %.0e A_v %.0e R_q %.0e\n",
                       planar ? "planar " : "spatial", carom_kernel_name(k), tested, worst.G, worst.gamma, worst.U_q,
                       worst.A_q, worst.A_v, worst.R_q);
                ck_assert_int_gt(tested, 60);
            }
        }
        free(work);
        carom_kernels_free(kernels);
    }
}
END_TEST

TEST_MAIN("geometry", derivatives_agree_with_differences_for_every_kernel)
