/* test_solvers_data.c: contact problems that others have published. They are not part of this project: set CAROM_DATA
 * to a folder with subfolders fc2d, fc3d and lcp that hold them in Siconos' text format; without it the test passes. */
#include <stdio.h>

#include "problems.h"

/* ---- the format: words separated by blanks; matrices column-major, dense (0) or in blocks of rows (1) ---- */
typedef struct input {
    FILE *file;
    carom_arena *arena;
} input;

static int get_int(input *in)
{
    int value;
    ck_assert_int_eq(fscanf(in->file, "%d", &value), 1);
    return value;
}

static void get_doubles(input *in, int n, double *values)
{
    for (int i = 0; i < n; i++)
        ck_assert_int_eq(fscanf(in->file, "%lf", &values[i]), 1);
}

static int *get_ints(input *in, int n)
{
    int *values = CAROM_NEW(in->arena, int, n);
    for (int i = 0; i < n; i++)
        values[i] = get_int(in);
    return values;
}

static void get_dense(input *in, int n, double *W)
{
    ck_assert(get_int(in) == n && get_int(in) == n);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            get_doubles(in, 1, &W[i * n + j]);
}

static void get_block_rows(input *in, int n, double *W)
{
    int nblocks = get_int(in), nrow = get_int(in), ncolumn = get_int(in);
    const int *row_end = get_ints(in, nrow), *column_end = get_ints(in, ncolumn);
    int filled = get_int(in), entries = get_int(in);
    const int *start = get_ints(in, filled), *column = get_ints(in, entries);
    ck_assert_int_eq(entries, nblocks);
    for (int r = 0; r + 1 < filled; r++)
        for (int k = start[r]; k < start[r + 1]; k++) {
            ck_assert_int_eq(get_int(in), k);
            int top = r ? row_end[r - 1] : 0, left = column[k] ? column_end[column[k] - 1] : 0;
            for (int j = left; j < column_end[column[k]]; j++)
                for (int i = top; i < row_end[r]; i++)
                    get_doubles(in, 1, &W[i * n + j]);
        }
}

static void get_matrix(input *in, int n, double *W)
{
    int storage = get_int(in);
    ck_assert(get_int(in) == n && get_int(in) == n);
    ck_assert_msg(storage == 0 || storage == 1, "storage type %d", storage);
    (storage ? get_block_rows : get_dense)(in, n, W);
}

static carom_problem *load(input *in, bool friction)
{
    carom_problem *p = CAROM_NEW(in->arena, carom_problem, 1);
    int rows = friction ? get_int(in) : 1, n;
    p->nblock = get_int(in);
    p->n = n = rows * p->nblock;
    p->block = CAROM_NEW(in->arena, carom_block, p->nblock);
    p->W.dense = CAROM_NEW(in->arena, double, n * n);
    p->b = CAROM_NEW(in->arena, double, n);
    get_matrix(in, n, p->W.dense);
    get_doubles(in, n, p->b);
    for (int k = 0; k < p->nblock; k++) {
        p->block[k] = (carom_block){.row = rows * k, .law = rows == 1   ? &carom_law_unilateral
                                                            : rows == 2 ? &carom_law_coulomb_planar
                                                                        : &carom_law_coulomb_spatial};
        double mu = 0, *c = CAROM_NEW(in->arena, double, CAROM_COEFFICIENTS_MAX);
        if (friction)
            get_doubles(in, 1, &mu);
        with_friction(p->block[k].law, mu, c);
        p->block[k].c = c;
    }
    return p;
}

static void solve_file(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    input in = {.file = fopen(path, "r"), .arena = carom_arena_new(0)};
    if (!in.file) {
        printf("skipped: no %s\n", path);
        carom_arena_free(in.arena);
        return;
    }
    carom_problem *p = load(&in, strncmp(name, "fc", 2) == 0);
    fclose(in.file);
    carom_error error = {.text = ""};
    carom_solve solve = {.tol = 1e-8, .x = CAROM_NEW(in.arena, double, p->n), .u = CAROM_NEW(in.arena, double, p->n),
                         .work = carom_arena_alloc(in.arena, carom_solver_work(NULL, p->n, p->nblock))};
    carom_status status = carom_problem_solve(p, NULL, &solve, &error);
    printf("%-44s %4d contacts  residual %.1e  %d iterations\n", name, p->nblock, solve.residual, solve.iterations);
    ck_assert_msg(status == CAROM_OK, "%s: %s", name, error.text);
    carom_arena_free(in.arena);
}

START_TEST(published_contact_problems_are_solved_to_1e_8)
{
    static const char *const names[] = {
        "fc3d/FrictionContact3D_1c.dat", "fc3d/FC3D_Example1.dat", "fc3d/Rover11035.dat", "fc3d/Rover4396.dat",
        "fc3d/Rover1039.dat", "fc3d/Rover1041.dat", "fc3d/Rover3865.dat", "fc3d/Rover4516.dat", "fc3d/Rover4609.dat",
        "fc3d/Rover4622.dat", "fc3d/Confeti-ex13-4contact-Fc3D-SBM.dat", "fc3d/NESpheres_10_1.dat",
        "fc2d/FC2D_SliderCrankLagrangian00000.dat", "fc2d/FrictionContactProblem00031.dat", "lcp/lcp_trivial.dat",
        "lcp/lcp_CPS_1.dat", "lcp/lcp_CPS_3.dat", "lcp/lcp_CPS_4.dat", "lcp/lcp_deudeu.dat", "lcp/lcp_exp_murty.dat",
        "lcp/lcp_mmc.dat", "lcp/lcp_ortiz.dat", "lcp/lcp_inf_sol_perturbed.dat", "lcp/lcp_Pang_isolated_sol.dat",
    };
    const char *folder = getenv("CAROM_DATA");
    if (!folder)
        printf("skipped: set CAROM_DATA\n");
    for (int i = 0; folder && i < CAROM_COUNT(names); i++)
        solve_file(folder, names[i]);
}
END_TEST

TEST_MAIN("published contact problems", published_contact_problems_are_solved_to_1e_8)
