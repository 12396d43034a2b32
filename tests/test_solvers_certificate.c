/* test_solvers_certificate.c: a vector proves that a problem has no solution: found where there is one, checked here by
 * its own inequalities, and never found for a problem that has a solution. */
#include "problems.h"

/* (1), (3) and (4) of certificate.c, from the dense W. */
static void check(const bench *t, const double *z, int trial)
{
    int n = t->problem.n;
    double product = 0;
    for (int k = 0; k < t->problem.nblock; k++) {
        const carom_block *block = &t->block[k];
        double p[3] = {0}, size = 0;
        int rows = block->law->rows;
        bool joint = block->law == JOINT;
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < n; j++) {
                p[i] += t->W[j * n + block->row + i] * z[j];
                size += fabs(t->W[j * n + block->row + i] * z[j]);
            }
        double tangent = hypot(p[1], p[2]), mu = carom_block_mu(block);
        ck_assert_msg(joint || z[block->row] >= 0, "trial %d: z = %g in a normal row", trial, z[block->row]);
        for (int i = 1; !joint && i < rows; i++)
            ck_assert_msg(z[block->row + i] == 0, "trial %d: z along the surface", trial);
        double against = joint ? fabs(p[0]) : p[0] + mu * tangent;
        ck_assert_msg(against <= 1e-8 * size, "trial %d, block %d: %g of %g", trial, k, against, size);
        for (int i = 0; i < rows; i++)
            product += z[block->row + i] * t->b[block->row + i];
    }
    ck_assert_msg(product < -1e-6, "trial %d: z.b = %g", trial, product);
}

static bool find(bench *t, double *z)
{
    carom_arena *arena = carom_arena_new(0);
    bool found = carom_problem_certificate(&t->problem, arena, z);
    carom_arena_free(arena);
    return found;
}

/* Contacts, some with friction, and maybe a joint; the first ones press something between them: the last of them has
 * the row against which the others push. */
static void squeeze(bench *t, int trial, unsigned long *seed)
{
    const carom_law *const laws[] = {UNILATERAL, PLANAR, SPATIAL};
    int ndof = 8 + dice(seed, 8), pressed = 2 + dice(seed, 3), count = pressed + dice(seed, 4);
    double v[DOFS], share[BLOCKS], sum[DOFS] = {0}, gap = 0;
    bench_begin(t, ndof);
    for (int i = 0; i < ndof; i++)
        t->inverse_mass[i] = pow(10, trial % 3 * noise(seed)), v[i] = noise(seed);
    for (int k = 0; k < count; k++) {
        carom_block *block = bench_block(t, laws[dice(seed, 3)], fabs(noise(seed)));
        share[k] = 0.2 + fabs(noise(seed));
        for (int r = 0; r < block->law->rows; r++)
            for (int j = 0; j < ndof; j++)
                t->G[(block->row + r) * ndof + j] = noise(seed);
        for (int j = 0; j < ndof && k < pressed; j++) {
            double *g = &t->G[block->row * ndof + j];
            *g = k == pressed - 1 ? -sum[j] / share[k] : *g;
            sum[j] += share[k] * *g;
        }
    }
    if (trial % 2) {
        carom_block *joint = bench_block(t, JOINT, 0);
        for (int j = 0; j < ndof; j++)
            t->G[joint->row * ndof + j] = noise(seed);
    }
    bench_dynamics(t, v);
    for (int k = 0; k < pressed; k++)
        gap += share[k] * t->b[t->block[k].row];
    t->b[t->block[0].row] -= (gap + 0.1 + fabs(noise(seed))) / share[0]; /* now share.b < 0 */
}

START_TEST(what_is_squeezed_gets_a_certificate)
{
    unsigned long seed = 5;
    for (int trial = 0; trial < 600; trial++) {
        bench t;
        double z[ROWS];
        squeeze(&t, trial, &seed);
        ck_assert_msg(find(&t, z), "trial %d: no certificate", trial);
        check(&t, z, trial);
    }
}
END_TEST

/* Friction forces a solution: b = u - W x for a pair of the laws. */
START_TEST(what_has_a_solution_gets_none)
{
    unsigned long seed = 7;
    for (int trial = 0; trial < 600; trial++) {
        bench t;
        double z[ROWS], x[ROWS] = {0};
        squeeze(&t, trial, &seed);
        for (int k = 0; k < t.problem.nblock; k++) {
            double mu = carom_block_mu(&t.block[k]), *r = x + t.block[k].row;
            r[0] = noise(&seed) > 0 || t.block[k].law == JOINT ? fabs(noise(&seed)) : 0;
            if (t.block[k].law->rows > 1)
                r[1] = 0.9 * mu * r[0] * noise(&seed);
        }
        for (int i = 0; i < t.problem.n; i++) {
            t.b[i] = 0;
            for (int j = 0; j < t.problem.n; j++)
                t.b[i] -= t.W[i * t.problem.n + j] * x[j];
        }
        ck_assert_msg(!find(&t, z), "trial %d: a certificate of what has a solution", trial);
    }
}
END_TEST

/* Joints that ask for two things at once: z of any sign. */
START_TEST(joints_that_contradict_each_other_get_one)
{
    bench t;
    double z[ROWS];
    bench_begin(&t, 2);
    for (int k = 0; k < 2; k++) {
        bench_block(&t, JOINT, 0);
        t.G[2 * k] = 1;
    }
    bench_dynamics(&t, (double[]){1, 0});
    ck_assert(!find(&t, z));
    t.b[1] = 2;
    ck_assert(find(&t, z));
    check(&t, z, 0);
    CHECK_NEAR(z[0], -z[1], 1e-9);
}
END_TEST

TEST_MAIN("certificates", what_is_squeezed_gets_a_certificate, what_has_a_solution_gets_none,
          joints_that_contradict_each_other_get_one)
