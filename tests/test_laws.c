/* test_laws.c: every law of the list: its projection is a projection, its residual is 0 exactly at its solutions. */
#include "problems.h"
#include "toy_ratchet.h"

#define CAROM_MORE_LAWS &toy_ratchet, /* a law is one file and one line */
#include "laws/law.c"

static double distance(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

/* Membership written down independently of the projection. */
static bool in_cone(const carom_law *law, const double *c, const double *x)
{
    if (carom_law_can(law, CAROM_OPEN) && !(x[0] >= 0))
        return false;
    double most = 0;
    return !law->tangents || law->friction(c, x, &most) <= most * (1 + 1e-14) + 1e-300;
}

static void random_point(unsigned long *seed, double *y)
{
    for (int i = 0; i < 3; i++)
        y[i] = noise(seed);
}

START_TEST(projections_land_in_the_cone_and_nothing_there_is_nearer)
{
    unsigned long seed = 5;
    const double mus[] = {0, 0.1, 0.5, 1, 3};
    for (int l = 0; carom_law_list(l); l++)
        for (int k = 0; k < 2000; k++) {
            const carom_law *law = carom_law_list(l);
            double y[3], p[3], again[3], other[3], in[3], c[CAROM_COEFFICIENTS_MAX];
            with_friction(law, mus[k % 5], c);
            random_point(&seed, y);
            random_point(&seed, other);
            for (int i = law->rows - law->tangents; i < 3 && k % 7 == 0; i++) /* forces without friction at all */
                y[i] = 0;
            law->project(c, y, p);
            ck_assert_msg(in_cone(law, c, p), "%s: (%g %g %g)", law->method.name, p[0], p[1], p[2]);
            law->project(c, p, again);
            CHECK_NEAR(distance(law->rows, p, again), 0, 1e-15);
            law->project(c, other, in); /* some point of the cone: (y - p).(in - p) <= 0 */
            double product = 0;
            for (int i = 0; i < law->rows; i++)
                product += (y[i] - p[i]) * (in[i] - p[i]);
            CHECK_AT_MOST(product, 1e-15);
            if (in_cone(law, c, y))
                CHECK_NEAR(distance(law->rows, p, y), 0, 1e-15);
        }
}
END_TEST

/* Solutions of the law by its words: open, stick, slip with friction against it. */
static void solution(const carom_law *law, const double *c, int mode, unsigned long *seed, double *u, double *x)
{
    double angle = 4 * noise(seed), d[2] = {law->tangents > 1 ? cos(angle) : angle > 0 ? 1 : -1, sin(angle)};
    double slip = mode == 2 ? 0.1 + fabs(noise(seed)) : 0, share = mode == 2 ? 1 : fabs(noise(seed));
    int normals = law->rows - law->tangents;
    for (int i = 0; i < 3; i++)
        u[i] = x[i] = 0;
    if (mode == 0 && carom_law_can(law, CAROM_OPEN)) {
        random_point(seed, u);
        u[0] = fabs(u[0]);
        return;
    }
    if (normals)
        x[0] = carom_law_can(law, CAROM_OPEN) ? 0.1 + fabs(noise(seed)) : noise(seed);
    if (law->tangents)
        law->slide(c, d, x[0], x + normals);
    for (int i = normals; i < law->rows; i++) {
        x[i] *= share;
        u[i] = slip * d[i - normals];
    }
}

START_TEST(the_residual_vanishes_at_solutions_for_every_rho)
{
    unsigned long seed = 6;
    for (int l = 0; carom_law_list(l); l++)
        for (int k = 0; k < 3000; k++) {
            const carom_law *law = carom_law_list(l);
            double u[3], x[3], c[CAROM_COEFFICIENTS_MAX], rho = pow(10, 3 * noise(&seed));
            with_friction(law, 0.1 + fabs(noise(&seed)), c);
            solution(law, c, k % 3, &seed, u, x);
            CHECK_NEAR(law->residual(c, rho, u, x), 0, 1e-15 * (10 + 10 / rho));
        }
}
END_TEST

static double spoiled(const carom_law *law, const double *u, const double *x)
{
    double c[CAROM_COEFFICIENTS_MAX];
    with_friction(law, 0.5, c);
    return law->residual(c, 1, u, x);
}

START_TEST(the_residual_sees_every_kind_of_violation)
{
    double push[] = {1, 0, 0}, pull[] = {-1, 0, 0}, rest[] = {0, 0, 0}, apart[] = {1, 0, 0}, into[] = {-1, 0, 0};
    const carom_law *contacts[] = {&carom_law_unilateral, &carom_law_coulomb_planar, &carom_law_coulomb_spatial};
    for (int l = 0; l < 3; l++) {
        CHECK_AT_LEAST(spoiled(contacts[l], rest, pull), 0.5);  /* pulls */
        CHECK_AT_LEAST(spoiled(contacts[l], into, rest), 0.5);  /* penetrates */
        CHECK_AT_LEAST(spoiled(contacts[l], into, push), 0.5);
        CHECK_AT_LEAST(spoiled(contacts[l], apart, push), 0.5); /* pushes while it opens */
    }
    for (int l = 1; l < 3; l++) {
        double outside[] = {1, 0.75, 0}, inside[] = {1, 0.25, 0}, on[] = {1, 0.5, 0}, against[] = {0, -1, 0},
               along[] = {0, 1, 0};
        ck_assert(spoiled(contacts[l], against, on) == 0);
        CHECK_AT_LEAST(spoiled(contacts[l], rest, outside), 0.2);   /* outside of the cone */
        CHECK_AT_LEAST(spoiled(contacts[l], against, inside), 0.2); /* slips inside of the cone */
        CHECK_AT_LEAST(spoiled(contacts[l], along, on), 0.5);       /* friction drives the slip */
    }
    double on[] = {1, 0.5, 0}, askew[] = {0, -1, 0.5}; /* friction not opposite to the slip */
    CHECK_AT_LEAST(spoiled(&carom_law_coulomb_spatial, askew, on), 0.1);
    CHECK_NEAR(spoiled(&carom_law_bilateral, apart, rest), 1, 0);
}
END_TEST

START_TEST(nan_never_passes)
{
    for (int l = 0; carom_law_list(l); l++)
        for (int i = 0; i < carom_law_list(l)->rows; i++) {
            double u[3] = {0, 0, 0}, x[3] = {0, 0, 0};
            u[i] = NAN;
            ck_assert(!(spoiled(carom_law_list(l), u, x) <= 1e300));
            u[i] = 0;
            x[i] = NAN;
            ck_assert(!(spoiled(carom_law_list(l), u, x) <= 1e300));
        }
}
END_TEST

START_TEST(without_friction_laws_with_friction_are_the_unilateral_law)
{
    unsigned long seed = 17;
    for (int l = 0; carom_law_list(l); l++)
        for (int k = 0; k < 100; k++) {
            const carom_law *law = carom_law_list(l);
            double W[9] = {0}, b[3], x[3] = {9, 9, 9}, c[CAROM_COEFFICIENTS_MAX];
            if (!law->tangents || law->rows == law->tangents)
                break;
            with_friction(law, 0, c);
            for (int i = 0; i < law->rows; i++) {
                for (int j = 0; j < law->rows; j++)
                    W[i * law->rows + j] = (i == j ? 3 : 0) + noise(&seed);
                b[i] = noise(&seed);
            }
            law->solve_single(c, W, law->rows, b, x);
            CHECK_NEAR(x[0], b[0] >= 0 ? 0 : -b[0] / W[0], 1e-15);
            for (int i = 1; i < law->rows; i++)
                CHECK_NEAR(x[i], 0, 0);
        }
}
END_TEST

START_TEST(the_spatial_law_in_a_plane_is_the_planar_law)
{
    unsigned long seed = 7;
    for (int k = 0; k < 1000; k++) {
        double u[3], x[3];
        random_point(&seed, u);
        random_point(&seed, x);
        u[2] = x[2] = 0;
        const double c[] = {0, 0, 0.4, 0.4};
        double planar = carom_law_coulomb_planar.residual(c, 0.7, u, x);
        CHECK_NEAR(carom_law_coulomb_spatial.residual(c, 0.7, u, x), planar, 1e-15);
    }
}
END_TEST

/* W = A A^T + a little, so that there is a solution but for strong coupling of friction and normal. */
START_TEST(the_solution_for_a_single_contact_fulfils_the_law)
{
    unsigned long seed = 8;
    for (int l = 0; carom_law_list(l); l++)
        for (int k = 0; k < 2000; k++) {
            const carom_law *law = carom_law_list(l);
            int n = law->rows, stride = n + k % 3;
            double A[9], W[25] = {0}, b[3], u[3], x[3] = {0, 0, 0}, c[CAROM_COEFFICIENTS_MAX];
            with_friction(law, 0.05 + 0.2 * fabs(noise(&seed)), c);
            for (int i = 0; i < 9; i++)
                A[i] = noise(&seed);
            for (int i = 0; i < n; i++) {
                b[i] = noise(&seed);
                for (int j = 0; j < n; j++) {
                    W[i * stride + j] = i == j ? 3 : 0;
                    for (int m = 0; m < 3; m++)
                        W[i * stride + j] += A[3 * i + m] * A[3 * j + m];
                }
            }
            law->solve_single(c, W, stride, b, x);
            for (int i = 0; i < n; i++) {
                u[i] = b[i];
                for (int j = 0; j < n; j++)
                    u[i] += W[i * stride + j] * x[j];
            }
            double r = law->residual(c, 1.0 / 3, u, x);
            ck_assert_msg(r <= 1e-14, "%s: residual %g", law->method.name, r);
        }
}
END_TEST

/* W = J J^T of rank 1 or 2 and b = J v: there is a solution, as friction opposes a motion that is there. Where J is a
 * row short W^-1 and the branch of slip are none, and directions have to be searched. */
START_TEST(the_solution_for_a_contact_with_fewer_freedoms_than_rows_fulfils_the_law)
{
    unsigned long seed = 18;
    int slipping = 0;
    for (int k = 0; k < 4000; k++) {
        const carom_law *law = &carom_law_coulomb_spatial;
        int freedoms = 1 + k % 2;
        double J[6], W[9], b[3], u[3], x[3], v[2] = {noise(&seed), noise(&seed)}, c[CAROM_COEFFICIENTS_MAX];
        with_friction(law, 0.05 + 0.5 * fabs(noise(&seed)), c);
        for (int i = 0; i < 6; i++)
            J[i] = noise(&seed);
        for (int i = 0; i < 3; i++) {
            b[i] = u[i] = carom_dot(freedoms, J + 2 * i, v);
            for (int j = 0; j < 3; j++)
                W[3 * i + j] = carom_dot(freedoms, J + 2 * i, J + 2 * j);
        }
        law->solve_single(c, W, 3, b, x);
        for (int i = 0; i < 3; i++)
            u[i] += carom_dot(3, W + 3 * i, x);
        double r = law->residual(c, 1, u, x);
        ck_assert_msg(r <= 1e-13, "%d: residual %g", k, r);
        slipping += x[0] > 0 && hypot(u[1], u[2]) > 1e-3;
    }
    ck_assert_int_ge(slipping, 400);
}
END_TEST

/* Rows of a few whole numbers: equal entries, zeros and exchanges that noise never meets. */
START_TEST(a_single_contact_of_small_numbers_fulfils_the_law)
{
    int solved = 0;
    for (int l = 0; carom_law_list(l); l++)
        for (int k = 0; k < 3 * 3 * 3 * 5 * 5; k++) {
            const carom_law *law = carom_law_list(l);
            int n = law->rows;
            double f = k % 3 - 1, g = k / 3 % 3 - 1, h = k / 9 % 3 - 1, x[3] = {0}, u[3], c[CAROM_COEFFICIENTS_MAX];
            double full[] = {4, f, g, f, 2, 2 * h, g, 2 * h, 4}, W[9], b[] = {-1, k / 27 % 5 - 2, k / 135 - 2};
            for (int i = 0; i < n * n; i++)
                W[i] = full[3 * (i / n) + i % n];
            with_friction(law, 0.5, c);
            law->solve_single(c, W, n, b, x);
            for (int i = 0; i < n; i++)
                u[i] = b[i] + carom_dot(n, W + n * i, x);
            double r = law->residual(c, 0.25, u, x);
            ck_assert_msg(r <= 1e-14, "%s, %d: residual %g", law->method.name, k, r);
            solved++;
        }
    ck_assert_int_ge(solved, 600);
}
END_TEST

/* A point on a curve has one freedom: normal and slip depend on each other (W = J J^T, b = J v), and every force on the
 * line x.J = -v is a solution. Friction is to brake, not to push. In these numbers nothing is rounded. */
START_TEST(a_contact_with_one_freedom_is_braked)
{
    for (int side = -1; side <= 1; side += 2)
        for (double mu = 0.25; mu <= 2; mu *= 2) {
            double J[] = {3, side / mu}, x[2], c[CAROM_COEFFICIENTS_MAX];
            double W[] = {J[0] * J[0], J[0] * J[1], J[1] * J[0], J[1] * J[1]}, b[] = {-J[0], -J[1]};
            with_friction(PLANAR, mu, c);
            carom_law_coulomb_planar.solve_single(c, W, 2, b, x);
            ck_assert_msg(x[0] == 0.25 && x[1] == side * 0.25 * mu, "friction %g: x = %g, %g", mu, x[0], x[1]);
        }
}
END_TEST

/* The friction of a slip is on the side of the cone, belongs to that slip, and no other admissible one dissipates
 * more. */
START_TEST(slip_has_the_friction_that_dissipates_most)
{
    unsigned long seed = 9;
    for (int l = 0; carom_law_list(l); l++)
        for (int k = 0; k < 500 && carom_law_list(l)->tangents; k++) {
            const carom_law *law = carom_law_list(l);
            int m = law->tangents, normals = law->rows - m;
            double c[CAROM_COEFFICIENTS_MAX], angle = 4 * noise(&seed), back[2] = {0, 0}, y[3], other[3], most;
            double d[2] = {m > 1 ? cos(angle) : angle > 0 ? 1 : -1, sin(angle)};
            if (m > 1 && k < 4) /* along the axes */
                d[0] = k < 2 ? 1 - 2 * k : 0, d[1] = k < 2 ? 0 : 5 - 2 * k;
            double x[3] = {0.1 + fabs(noise(&seed)), 0, 0};
            with_friction(law, 0.4, c);
            law->slide(c, d, x[0], x + normals);
            CHECK_NEAR(law->friction(c, x, &most), most, 1e-15 * (1 + most));
            law->slip_along(c, x + normals, back);
            CHECK_NEAR(distance(m, d, back), 0, 1e-14);
            for (int i = 0; i < 3; i++)
                y[i] = 3 * noise(&seed);
            law->project(c, y, other);
            double scale = normals && other[0] > 0 ? x[0] / other[0] : normals ? 0 : 1, own = 0, its = 0;
            for (int i = 0; i < m; i++)
                own -= d[i] * x[normals + i], its -= d[i] * scale * other[normals + i];
            CHECK_AT_MOST(its, own + 1e-14);
        }
}
END_TEST

START_TEST(friction_turns_with_the_slip_as_the_law_says)
{
    unsigned long seed = 10;
    const double h = 1e-6;
    for (int l = 0; carom_law_list(l); l++)
        for (int k = 0; k < 100 && carom_law_list(l)->tangents > 1; k++) {
            const carom_law *law = carom_law_list(l);
            double c[CAROM_COEFFICIENTS_MAX], angle = 4 * noise(&seed), f[2][2];
            const double d[2] = {cos(angle), sin(angle)};
            with_friction(law, 0.4, c);
            for (int w = 0; w < 2; w++) /* to both sides of d */
                law->slide(c, (double[2]){cos(angle + (w ? h : -h)), sin(angle + (w ? h : -h))}, 1, f[w]);
            double rate = ((f[1][0] - f[0][0]) * -d[1] + (f[1][1] - f[0][1]) * d[0]) / (2 * h);
            CHECK_NEAR(-rate, law->turn(c, d), 1e-8);
        }
}
END_TEST

START_TEST(the_registry_describes_every_law)
{
    int n = 0;
    for (; carom_law_method(n); n++) {
        ck_assert_ptr_eq(carom_law_method(n), &carom_law_list(n)->method);
        ck_assert_ptr_nonnull(carom_law_method(n)->doc);
        for (int k = 0; k < n; k++)
            ck_assert_str_ne(carom_law_method(n)->name, carom_law_method(k)->name);
    }
    ck_assert_int_eq(n, CAROM_COUNT(laws));
    ck_assert_ptr_null(carom_law_list(n));
    ck_assert_ptr_null(carom_law_method(-1));
}
END_TEST

TEST_MAIN("laws", without_friction_laws_with_friction_are_the_unilateral_law,
          projections_land_in_the_cone_and_nothing_there_is_nearer,
          the_residual_vanishes_at_solutions_for_every_rho, the_residual_sees_every_kind_of_violation, nan_never_passes,
          the_spatial_law_in_a_plane_is_the_planar_law, the_solution_for_a_single_contact_fulfils_the_law,
          the_solution_for_a_contact_with_fewer_freedoms_than_rows_fulfils_the_law,
          a_single_contact_of_small_numbers_fulfils_the_law, a_contact_with_one_freedom_is_braked,
          slip_has_the_friction_that_dissipates_most, friction_turns_with_the_slip_as_the_law_says,
          the_registry_describes_every_law)
