/* test_solvers_large.c: sparse problems of hundreds of contacts whose solution is known: bodies on a grid, a contact
 * between neighbours, W = G M^-1 G^T, and b made for pairs (u, x) of the law in all regimes. */
#include "problems.h"

enum { SIDE = 14, BODIES = SIDE * SIDE, CONTACTS = 2 * SIDE * (SIDE - 1) };

typedef struct grid {
    carom_arena *arena;
    carom_problem problem;
    int body[CONTACTS][2];
    double J[CONTACTS][2][18], inverse_mass[BODIES];
    double *u, *x; /* the known pair */
} grid;

static const carom_law *const laws[] = {&carom_law_unilateral, &carom_law_coulomb_planar, &carom_law_coulomb_spatial,
                                        &carom_law_bilateral};

/* A pair in the law: open, sticking or slipping. */
static void known_pair(const carom_block *block, double mu, unsigned long *seed, double *u, double *x)
{
    int rows = block->law->rows, mode = dice(seed, 3);
    double angle = 4 * noise(seed), d[2] = {rows == 2 ? (noise(seed) > 0 ? 1 : -1) : cos(angle), sin(angle)};
    if (block->law == &carom_law_bilateral) {
        x[0] = noise(seed);
        return;
    }
    u[0] = mode == 0 ? fabs(noise(seed)) : 0;
    x[0] = mode == 0 ? 0 : 0.1 + fabs(noise(seed));
    double slip = mode == 2 ? 0 : fabs(noise(seed)), share = mode == 2 ? fabs(noise(seed)) : 1;
    for (int i = 1; i < rows; i++) {
        x[i] = -mu * x[0] * d[i - 1] * share;
        u[i] = slip * d[i - 1];
    }
}

static void make_blocks(grid *g, int mixture, unsigned long *seed)
{
    carom_problem *p = &g->problem;
    p->block = CAROM_NEW(g->arena, carom_block, CONTACTS);
    for (int k = 0; k < CONTACTS; k++) {
        const carom_law *law = laws[mixture < 3 ? mixture : dice(seed, 4)];
        double *c = CAROM_NEW(g->arena, double, CAROM_COEFFICIENTS_MAX);
        with_friction(law, 0.1 + 0.4 * fabs(noise(seed)), c);
        p->block[k] = (carom_block){.law = law, .row = p->n, .c = c};
        p->n += law->rows;
        int at = k / 2, column = k % 2 ? at % SIDE : at % (SIDE - 1), row = k % 2 ? at / SIDE : at / (SIDE - 1);
        g->body[k][0] = row * SIDE + column;
        g->body[k][1] = g->body[k][0] + (k % 2 ? SIDE : 1);
        for (int i = 0; i < 18; i++) {
            g->J[k][0][i] = noise(seed);
            g->J[k][1][i] = noise(seed);
        }
    }
    p->nblock = CONTACTS;
}

static void make(grid *g, int mixture, unsigned long *seed)
{
    enum { ROOM = 9 * 8 * CONTACTS * 4 };
    carom_error error;
    memset(g, 0, sizeof *g);
    g->arena = carom_arena_new(0);
    make_blocks(g, mixture, seed);
    carom_problem *p = &g->problem;
    for (int i = 0; i < BODIES; i++)
        g->inverse_mass[i] = pow(10, noise(seed));
    int *row = CAROM_NEW(g->arena, int, ROOM), *column = CAROM_NEW(g->arena, int, ROOM);
    double *value = CAROM_NEW(g->arena, double, ROOM);
    size_t count = 0;
    for (int k = 0; k < CONTACTS; k++)
        for (int l = 0; l < CONTACTS; l++)
            for (int side = 0; side < 4; side++) {
                int a = side / 2, b = side % 2, body = g->body[k][a];
                for (int i = 0; body == g->body[l][b] && i < p->block[k].law->rows; i++)
                    for (int j = 0; j < p->block[l].law->rows; j++, count++) {
                        ck_assert(count < ROOM);
                        row[count] = p->block[k].row + i;
                        column[count] = p->block[l].row + j;
                        value[count] = g->inverse_mass[body] * carom_dot(6, g->J[k][a] + 6 * i, g->J[l][b] + 6 * j);
                    }
            }
    CHECK_OK(carom_delassus_assemble(p, g->arena, count, row, column, value, &error), error);
    g->u = CAROM_NEW(g->arena, double, p->n);
    g->x = CAROM_NEW(g->arena, double, p->n);
    p->b = CAROM_NEW(g->arena, double, p->n);
    for (int k = 0; k < CONTACTS; k++)
        known_pair(&p->block[k], carom_block_mu(&p->block[k]), seed, g->u + p->block[k].row, g->x + p->block[k].row);
    carom_delassus_add(p, g->x, p->b);
    for (int i = 0; i < p->n; i++)
        p->b[i] = g->u[i] - p->b[i];
}

/* The same with cohesion in the contacts: the pairs are (u, x + x0). */
static void offset(grid *g, unsigned long *seed)
{
    carom_problem *p = &g->problem;
    p->x0 = CAROM_NEW(g->arena, double, p->n);
    for (int k = 0; k < p->nblock; k++)
        p->x0[p->block[k].row] = p->block[k].law == &carom_law_bilateral ? 0 : fabs(noise(seed));
    carom_delassus_add(p, p->x0, p->b);
    for (int i = 0; i < p->n; i++)
        g->x[i] -= p->x0[i];
}

static carom_status solve(grid *g, const carom_solver *solver, double *x, double *residual, carom_error *error)
{
    double *u = CAROM_NEW(g->arena, double, g->problem.n);
    carom_solve s = {.tol = 1e-10, .x = x, .u = u, .arena = g->arena};
    carom_status status = carom_problem_solve(&g->problem, solver, &s, error);
    *residual = carom_problem_residual(&g->problem, x, u, NULL) / carom_problem_scale(&g->problem, x);
    return status;
}

START_TEST(large_sparse_problems_of_known_solution_are_solved)
{
    unsigned long seed = 5;
    static grid g;
    for (int trial = 0; trial < 20; trial++) {
        carom_error error = {.text = ""};
        double residual;
        make(&g, trial % 4, &seed);
        if (trial >= 12)
            offset(&g, &seed);
        double *x = CAROM_NEW(g.arena, double, g.problem.n);
        ck_assert(carom_problem_residual(&g.problem, g.x, x, NULL) <= 1e-12 * carom_problem_scale(&g.problem, g.x));
        memset(x, 0, sizeof(double) * (size_t)g.problem.n);
        carom_status status = solve(&g, NULL, x, &residual, &error);
        ck_assert_msg(status == CAROM_OK && residual <= 1e-10, "trial %d: %s, residual %g", trial, error.text,
                      residual);
        carom_arena_free(g.arena);
    }
}
END_TEST

/* Units of mass and time, and the order of the contacts, are nobody's business. */
START_TEST(units_do_not_matter)
{
    static grid g;
    for (int power = -8; power <= 8; power += 4) {
        unsigned long seed = 6;
        carom_error error = {.text = ""};
        double residual, scale = pow(10, power);
        make(&g, 2, &seed);
        carom_problem *p = &g.problem;
        for (size_t e = 0; e < p->W.offset[p->W.start[p->nblock]]; e++)
            p->W.value[e] *= scale;
        for (int i = 0; i < p->n; i++)
            p->b[i] *= pow(10, power / 2);
        double *x = CAROM_NEW(g.arena, double, p->n);
        carom_status status = solve(&g, NULL, x, &residual, &error);
        ck_assert_msg(status == CAROM_OK, "masses by 1e%d: %s", power, error.text);
        carom_arena_free(g.arena);
    }
}
END_TEST

/* More contacts are closed by (5) of nsgs.c than there is room to polish. */
START_TEST(gauss_seidel_stays_within_its_memory)
{
    static grid g;
    unsigned long seed = 9;
    for (int trial = 0; trial < 4; trial++) {
        carom_error error = {.text = ""};
        make(&g, trial, &seed);
        carom_problem *p = &g.problem;
        double field[CAROM_FIELDS_MAX];
        carom_fields_standard(carom_solver_nsgs.method.fields, field);
        field[0] = 70;
        void *work = malloc(carom_solver_work(&carom_solver_nsgs, p->n, p->nblock));
        carom_solve s = {.tol = 1e-10, .x = CAROM_NEW(g.arena, double, p->n), .u = CAROM_NEW(g.arena, double, p->n),
                         .work = work, .field = field};
        carom_problem_solve(p, &carom_solver_nsgs, &s, &error);
        ck_assert(s.residual <= 1);
        free(work);
        carom_arena_free(g.arena);
    }
}
END_TEST

/* Groups of four contacts side by side, in any order of blocks: each gets the bits it gets alone. */
START_TEST(groups_that_do_not_act_on_each_other_are_solved_alone)
{
    enum { GROUPS = 30, SIZE = 4, N = GROUPS * SIZE };
    unsigned long seed = 5;
    bench *group = calloc(GROUPS, sizeof *group);
    carom_arena *arena = carom_arena_new(0);
    carom_problem p = {.nblock = N, .n = 3 * N, .block = CAROM_NEW(arena, carom_block, N),
                       .b = CAROM_NEW(arena, double, 3 * N)};
    double *W = CAROM_NEW(arena, double, 9 * N * N), *x = CAROM_NEW(arena, double, 3 * N);
    p.W.dense = W;
    for (int g = 0; g < GROUPS; g++) {
        bench *t = &group[g];
        double v[6];
        bench_begin(t, 6);
        for (int k = 0; k < SIZE; k++)
            bench_block(t, SPATIAL, 0.3);
        for (int i = 0; i < t->problem.n * 6; i++)
            t->G[i] = noise(&seed);
        for (int i = 0; i < 6; i++)
            v[i] = noise(&seed);
        bench_dynamics(t, v);
        SOLVE_OK(t, NULL, 1e-12);
        for (int k = 0; k < SIZE; k++) { /* block k of group g is block k*GROUPS + g */
            int at = k * GROUPS + g;
            p.block[at] = (carom_block){.law = SPATIAL, .row = 3 * at, .c = t->c[k]};
            for (int i = 0; i < 3; i++) {
                p.b[3 * at + i] = t->b[3 * k + i];
                for (int l = 0; l < SIZE; l++)
                    for (int j = 0; j < 3; j++)
                        W[(size_t)(3 * at + i) * 3 * N + (size_t)(3 * (l * GROUPS + g) + j)] =
                            t->W[(3 * k + i) * 3 * SIZE + 3 * l + j];
            }
        }
    }
    carom_error error;
    carom_solve s = {.tol = 1e-12, .x = x, .u = CAROM_NEW(arena, double, 3 * N), .arena = arena};
    CHECK_OK(carom_problem_solve(&p, NULL, &s, &error), error);
    for (int g = 0; g < GROUPS; g++)
        for (int k = 0; k < SIZE; k++)
            ck_assert_mem_eq(x + 3 * (k * GROUPS + g), group[g].x + 3 * k, 3 * sizeof *x);
    carom_arena_free(arena);
    free(group);
}
END_TEST

TEST_MAIN("large contact problems", groups_that_do_not_act_on_each_other_are_solved_alone,
          large_sparse_problems_of_known_solution_are_solved, units_do_not_matter,
          gauss_seidel_stays_within_its_memory)
