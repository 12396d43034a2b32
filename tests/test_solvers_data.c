/* test_solvers_data.c: contact problems that others have published. They are not part of this project: set CAROM_DATA
 * to a folder with subfolders that hold them (fc2d, fc3d, lcp, mlcp); without it the test is skipped. */
#include <dirent.h>
#include <stdio.h>

#include "output/hdf5/fclib.h"
#include "problems.h"

static carom_judge *judge_of(carom_problem_kind kind)
{
    return kind == CAROM_KIND_FRICTION ? carom_problem_error_siconos : kind == CAROM_KIND_OWN ? NULL
                                                                                             : carom_problem_error_b;
}

static void solve_file(const char *path)
{
    carom_arena *arena = carom_arena_new(0);
    carom_error error = {.text = ""};
    carom_problem *p;
    carom_problem_kind kind;
    double *guess;
    ck_assert_msg(carom_problem_open(&p, &guess, &kind, arena, path, &error) == CAROM_OK, "%s", error.text);
    void *work = p->n <= 1500 ? malloc(carom_solver_work(NULL, p->n, p->nblock)) : NULL;
    carom_solve solve = {.tol = 1e-8, .x = CAROM_NEW(arena, double, p->n), .u = CAROM_NEW(arena, double, p->n),
                         .work = work, .arena = arena, .time_limit = 60, .judge = judge_of(kind)};
    carom_status status = carom_problem_solve(p, NULL, &solve, &error);
    printf("%-60s %5d contacts  residual %.1e  by %s\n", path, p->nblock, solve.residual, solve.by);
    ck_assert_msg(status == CAROM_OK, "%s: %s", path, error.text);
    free(work);
    carom_arena_free(arena);
}

static bool ends(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n > m && strcmp(name + n - m, end) == 0;
}

static int solve_folder(const char *data, const char *name)
{
    char folder[4096], path[8192];
    int n = 0;
    snprintf(folder, sizeof folder, "%s/%s", data, name);
    DIR *files = opendir(folder);
    if (!files)
        printf("skipped: no %s\n", folder);
    for (struct dirent *entry; files && (entry = readdir(files));) {
#ifdef CAROM_NO_HDF5
        bool known = ends(entry->d_name, ".dat");
#else
        bool known = ends(entry->d_name, ".dat") || ends(entry->d_name, ".hdf5");
#endif
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (known)
            solve_file(path);
        n += known;
    }
    if (files)
        closedir(files);
    return n;
}

START_TEST(published_contact_problems_are_solved_to_1e_8)
{
    static const char *const folders[] = {"fc3d", "fc2d", "lcp", "mlcp"};
    const char *data = getenv("CAROM_DATA");
    if (!data)
        printf("skipped: set CAROM_DATA\n");
    for (int i = 0; data && i < 4; i++)
        solve_folder(data, folders[i]);
}
END_TEST

TEST_MAIN("published contact problems", published_contact_problems_are_solved_to_1e_8)
