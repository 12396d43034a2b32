/* test_solvers_known.c: thousands of problems of known solution: contacts that are open, stick and slip, redundant
 * ones, friction 0 to 10, masses over eight decades, singular W, in other orders and in other units. An answer is wrong
 * if it is called solved and is not, or if it is said that there is none. */
#include "problems.h"

typedef struct kind {
    const char *name;
    double mu;       /* at most */
    int decades;     /* of masses */
    int copies;      /* contacts that are there twice */
    int ndof;
    int trials;
} kind;

static const kind kinds[] = {
    {"plain", 0.8, 0, 0, 18, 600},         {"large friction", 10, 0, 0, 18, 400},
    {"masses", 0.8, 8, 0, 18, 400},        {"redundant", 0.8, 0, 3, 18, 400},
    {"singular", 0.8, 0, 0, 5, 400},       {"all of it", 10, 8, 2, 6, 400},
};

/* A pair of the law: open, sticking or slipping, friction maybe at its limit. */
static void known_pair(const carom_block *block, unsigned long *seed, double *u, double *x)
{
    int rows = block->law->rows, mode = dice(seed, 4);
    double mu = carom_block_mu(block), angle = 4 * noise(seed), slip = mode == 3 ? fabs(noise(seed)) : 0;
    double d[2] = {rows == 2 ? (noise(seed) > 0 ? 1 : -1) : cos(angle), sin(angle)};
    double share = mode == 3 ? 1 : mode == 2 ? 0.99 * fabs(noise(seed)) : 0;
    u[0] = mode == 0 ? fabs(noise(seed)) : 0;
    x[0] = mode == 0 ? 0 : 0.1 + fabs(noise(seed));
    for (int i = 1; i < rows; i++) {
        x[i] = -mu * x[0] * d[i - 1] * share;
        u[i] = mode == 0 ? noise(seed) : slip * d[i - 1];
    }
}

static void make(bench *t, const kind *k, const carom_law *law, int contacts, unsigned long *seed)
{
    double u[ROWS] = {0}, x[ROWS] = {0};
    bench_begin(t, k->ndof);
    for (int i = 0; i < k->ndof; i++)
        t->inverse_mass[i] = pow(10, k->decades * noise(seed) / 2);
    for (int i = 0; i < contacts; i++) {
        carom_block *block = bench_block(t, law, k->mu * (i % 3 ? fabs(noise(seed)) : i % 2 ? 1 : 0.1));
        int copy = i >= contacts - k->copies ? i - (contacts - k->copies) : i;
        for (int r = 0; r < law->rows; r++)
            for (int j = 0; j < k->ndof; j++)
                t->G[(block->row + r) * k->ndof + j] =
                    copy < i ? t->G[(t->block[copy].row + r) * k->ndof + j] : noise(seed);
        if (copy < i) { /* the same point: the same velocity, and a share of the force */
            memcpy(t->c[i], t->c[copy], sizeof t->c[i]);
            for (int r = 0; r < law->rows; r++) {
                u[block->row + r] = u[t->block[copy].row + r];
                x[block->row + r] = 0.5 * x[t->block[copy].row + r];
            }
        } else
            known_pair(block, seed, u + block->row, x + block->row);
    }
    bench_dynamics(t, (double[DOFS]){0});
    for (int i = 0; i < t->problem.n; i++) {
        t->b[i] = u[i];
        for (int j = 0; j < t->problem.n; j++)
            t->b[i] -= t->W[i * t->problem.n + j] * x[j];
    }
}

/* Other units of mass and length, and the contacts in the opposite order. */
static void change_units(bench *t, double mass, double length)
{
    for (int i = 0; i < t->problem.n * t->problem.n; i++)
        t->W[i] /= mass;
    for (int i = 0; i < t->problem.n; i++)
        t->b[i] *= length;
}

static void turn_around(bench *t, bench *to)
{
    int n = t->problem.n, rows = t->block[0].law->rows, count = t->problem.nblock;
    *to = *t;
    to->problem.block = to->block, to->problem.W.dense = to->W, to->problem.b = to->b;
    for (int k = 0; k < count; k++) {
        memcpy(to->c[k], t->c[count - 1 - k], sizeof to->c[k]);
        to->block[k].c = to->c[k];
    }
    for (int i = 0; i < n; i++) {
        int from = (count - 1 - i / rows) * rows + i % rows;
        to->b[i] = t->b[from];
        for (int j = 0; j < n; j++)
            to->W[i * n + j] = t->W[from * n + (count - 1 - j / rows) * rows + j % rows];
    }
}

/* 1: solved, 0: it says that it has failed. Whatever is wrong ends the test. */
static int solve_known(bench *t, const carom_solver *solver, const char *name, int trial)
{
    double u[ROWS];
    memset(t->x, 0, sizeof t->x);
    carom_status status = bench_solve(t, solver, 1e-8);
    double r = carom_problem_relative(&t->problem, 1e-8, t->x, u, NULL);
    const char *who = solver ? solver->method.name : "automatic";
    ck_assert_msg(status != CAROM_NO_SOLUTION, "%s, %s, trial %d: it has a solution", name, who, trial);
    ck_assert_msg((status == CAROM_OK) == (r <= 1e-8), "%s, %s, trial %d: %s with a residual of %g", name, who, trial,
                  carom_status_text(status), r);
    return status == CAROM_OK;
}

START_TEST(problems_of_known_solution_are_solved_and_none_wrongly)
{
    const carom_law *const laws[] = {UNILATERAL, PLANAR, SPATIAL};
    unsigned long seed = 12;
    for (int i = 0; i < CAROM_COUNT(kinds); i++) {
        int solved = 0, all = 0, each[16] = {0}, asked[16] = {0};
        for (int trial = 0; trial < kinds[i].trials; trial++) {
            bench t, turned;
            const carom_law *law = laws[trial % 3];
            make(&t, &kinds[i], law, 5 + trial % 4, &seed);
            for (int s = 0; carom_solver_list(s); s++)
                if (carom_solver_list(s)->takes(&t.problem) && trial % 10 == 0) {
                    asked[s]++;
                    each[s] += solve_known(&t, carom_solver_list(s), kinds[i].name, trial);
                }
            int same = solve_known(&t, NULL, kinds[i].name, trial);
            turn_around(&t, &turned);
            int again = solve_known(&turned, NULL, kinds[i].name, trial);
            change_units(&turned, pow(10, 4 * noise(&seed)), pow(10, 4 * noise(&seed)));
            solved += same + again + solve_known(&turned, NULL, kinds[i].name, trial);
            all += 3;
        }
        printf("%-16s automatic %d of %d", kinds[i].name, solved, all);
        for (int s = 0; carom_solver_list(s); s++)
            printf(", %s %d of %d", carom_solver_list(s)->method.name, each[s], asked[s]);
        printf("\n");
        ck_assert_int_eq(solved, all);
    }
}
END_TEST

/* Two contacts that press a body from both sides, however the rest looks: z = (1, 1) has W z = 0 and b.z < 0. */
START_TEST(problems_without_a_solution_are_named)
{
    unsigned long seed = 3;
    for (int trial = 0; trial < 300; trial++) {
        bench t;
        double v[4];
        bench_begin(&t, 4);
        for (int k = 0; k < 5; k++)
            bench_block(&t, UNILATERAL, 0);
        for (int i = 0; i < 5 * 4; i++)
            t.G[i] = noise(&seed);
        for (int j = 0; j < 4; j++)
            t.G[4 + j] = -t.G[j];
        for (int j = 0; j < 4; j++)
            v[j] = noise(&seed);
        bench_dynamics(&t, v);
        t.b[0] -= 1 + fabs(t.b[0]);
        t.b[1] -= 1 + fabs(t.b[1]);
        carom_status status = bench_solve(&t, NULL, 1e-10);
        ck_assert_msg(status == CAROM_NO_SOLUTION, "trial %d: %s", trial, carom_status_text(status));
    }
}
END_TEST

TEST_MAIN("problems of known solution", problems_of_known_solution_are_solved_and_none_wrongly,
          problems_without_a_solution_are_named)
