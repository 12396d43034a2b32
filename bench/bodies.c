/* bodies.c: many bodies: what a step costs against the number of contacts, in time and in memory. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <unistd.h>

#include "bench.h"
#include "many_scenes.h"

static double bench_cpu(void) /* seconds of this process: others may be at work */
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* kB that the process has now; 0 where the system does not tell. What was freed is given back first: it would be
 * taken again, and not be seen. */
static double memory(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
    long pages = 0, all;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld %ld", &all, &pages) != 2)
        pages = 0;
    if (file)
        fclose(file);
    return 1e-3 * (double)pages * (double)sysconf(_SC_PAGESIZE);
}

/* n spheres of radius 0.1 fall into a box with a floor of 2 by 2. */
static void spheres(scene *s, int n)
{
    static const double box[5][4] = {{0, 0, 1, 0}, {1, 0, 0, 1}, {-1, 0, 0, 1}, {0, 1, 0, 1}, {0, -1, 0, 1}};
    unsigned long long seed = 1;
    begin(s, "spheres", n + 1, 0.5, 5e-3);
    add_planes(s, "box", 5, box);
    for (int i = 0; i < n; i++) {
        const double at[3] = {(i % 8 - 3.5) * 0.23 + 0.01 * random_number(&seed),
                              (i / 8 % 8 - 3.5) * 0.23 + 0.01 * random_number(&seed),
                              0.12 + i / 64 * 0.23 + 0.01 * random_number(&seed)};
        add_sphere(s, 0.1, at);
    }
}

/* ---- runs ---- */
/* Milliseconds of a step, the contacts that are closed in it. */
typedef struct cost {
    double ms, contacts;
} cost;

/* The memory is that of a simulation at its end, which gives nothing back before, over the contacts that it has found
 * in a step at most; not all of them are closed. */

static cost run(scene *s, const char *scheme, int steps, int last, double tol)
{
    carom_model *model;
    carom_error error;
    carom_sim *sim;
    carom_options o = carom_options_default();
    carom_bodies_start(&s->bodies);
    if (carom_bodies_model(&model, &s->bodies, s->arena, &error) != CAROM_OK) {
        printf("%s: %s\n", s->name, error.text);
        return (cost){0};
    }
    double begun = 0, contacts = 0, most = 0, before = memory();
    carom_options_set(&o, "scheme", scheme, &error);
    o.h = s->h, o.contact_tol = tol;
    o.energy = true; /* overlaps are measured with it */
    if (carom_sim_new(&sim, model, &o, &error) != CAROM_OK) {
        printf("%s: %s\n", s->name, error.text);
        return (cost){0};
    }
    carom_status status = CAROM_OK;
    int k = 0;
    long sweeps = 0;
    for (; k < steps && status == CAROM_OK; k++) {
        if (k == steps - last)
            begun = bench_cpu(), sweeps = carom_sim_info(sim)->solver_iterations;
        status = carom_sim_step(sim);
        most = fmax(most, carom_sim_state(sim)->ncontact);
        if (k >= steps - last)
            for (int i = 0; i < carom_sim_state(sim)->ncontact; i++)
                contacts += carom_sim_state(sim)->mode[i] != CAROM_OPEN;
    }
    const carom_info *info = carom_sim_info(sim);
    cost c = {1e3 * (bench_cpu() - begun) / last, contacts / last};
    if (status != CAROM_OK)
        printf("%s: step %d: %s\n", s->name, k, carom_sim_error(sim)->text);
    else
        printf("%-8s %6d bodies %8.0f contacts %9.3f ms a step  %6.1f sweeps  residual %.1e  overlap %.1e m  "
               "%.1f kB a contact\n", s->name,
               s->bodies.nbody - 1, c.contacts, c.ms, (double)(info->solver_iterations - sweeps) / last,
               info->max_residual, info->max_penetration, (memory() - before) / most);
    fflush(stdout);
    carom_sim_free(sim);
    carom_bodies_model_end(model);
    carom_arena_free(s->arena);
    return status == CAROM_OK ? c : (cost){0};
}

static cost measure(const char *what, int n, const char *scheme, double tol)
{
    scene s;
    if (strcmp(what, "spheres") == 0) {
        spheres(&s, n);
        return run(&s, scheme, 400, 200, tol);
    }
    if (strcmp(what, "wall") == 0) {
        int rows = (int)lround(sqrt(n / 1.5)); /* 20 of 30 bricks, 82 of 122: walls of one shape */
        wall(&s, rows, (int)lround((double)n / rows), 5e-3);
        return run(&s, scheme, 20, 10, tol);
    }
    pile(&s, n);
    return run(&s, scheme, 200, 50, tol);
}

/* bodies [spheres | wall | pile N [SCHEME [TOL]]]; without arguments a few small ones and how their cost grows. */
int main(int argc, char **argv)
{
    static const struct {
        const char *what;
        int n[2];
    } standard[] = {{"spheres", {50, 100}}, {"wall", {60, 120}}, {"pile", {20, 40}}};
    if (argc > 2) {
        measure(argv[1], atoi(argv[2]), argc > 3 ? argv[3] : "moreau-jean", argc > 4 ? atof(argv[4]) : 1e-6);
        return 0;
    }
    for (size_t i = 0; i < sizeof standard / sizeof standard[0]; i++) {
        cost a = measure(standard[i].what, standard[i].n[0], "moreau-jean", 1e-6);
        cost b = measure(standard[i].what, standard[i].n[1], "moreau-jean", 1e-6);
        if (a.ms > 0 && b.ms > 0)
            printf("%-8s cost grows with the contacts to the power %.2f\n", standard[i].what,
                   log(b.ms / a.ms) / log(b.contacts / a.contacts));
    }
    return 0;
}
