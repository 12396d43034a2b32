/* chain.c: what one moreau-jean step of a chain costs: beads with springs and contacts between neighbours, driven at
 * its end. Every bead is a coordinate of a model text. Against one dense factorisation of the Newton matrix of 80
 * beads, which an implicit step pays where nothing is known of the matrix; and 160 beads against 80. */
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "carom.h"
#include "core/dense.h"

enum { BEADS = 80, STEPS = 1000 };

/* Grows with what is appended. */
typedef struct text {
    char bytes[60000];
    size_t used;
} text;

#define APPEND(t, ...)                                                                             \
    ((t)->used += (size_t)snprintf((t)->bytes + (t)->used, sizeof (t)->bytes - (t)->used, __VA_ARGS__))

static void write_chain(text *t, int n)
{
    APPEND(t, "carom: 1\nname: chain of %d beads\nparameters: {m: 1, k: 400, d: 0.02, e: 0.5, a: 3, w: 7}\n", n);
    APPEND(t, "coordinates: {");
    for (int i = 1; i <= n; i++)
        APPEND(t, "%sx%d: 0", i > 1 ? ", " : "", i);
    APPEND(t, "}\nvelocities: {");
    for (int i = 1; i <= n; i++)
        APPEND(t, "%sx%d: sin(%d)", i > 1 ? ", " : "", i, i);
    APPEND(t, "}\nkinetic: m*(0");
    for (int i = 1; i <= n; i++)
        APPEND(t, " + x%d'^2", i);
    APPEND(t, ")/2\npotential: k*(x1^2");
    for (int i = 2; i <= n; i++)
        APPEND(t, " + (x%d - x%d)^2", i, i - 1);
    APPEND(t, ")/2\nforces: {x%d: a*sin(w*t)}\ncontacts:\n  wall: {gap: d + x1, restitution: e}\n", n);
    for (int i = 2; i <= n; i++)
        APPEND(t, "  c%d: {gap: d + x%d - x%d, restitution: e}\n", i, i, i - 1);
}

static carom_sim *chain(int n, carom_model **model)
{
    static text t;
    carom_sim *sim;
    carom_error error;
    carom_options o = carom_options_default();
    t.used = 0;
    write_chain(&t, n);
    o.h = 1e-3;
    if (carom_options_set(&o, "scheme", "moreau-jean", &error) != CAROM_OK ||
        carom_model_parse(model, "chain", t.bytes, t.used, NULL, &error) != CAROM_OK ||
        carom_sim_new(&sim, *model, &o, &error) != CAROM_OK) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    return sim;
}

static void sim_loop(void *user, int n)
{
    carom_sim *sim = user;
    if (carom_sim_restart(sim, NULL, NULL, NULL) != CAROM_OK)
        exit(1);
    for (int i = 0; i < n; i++)
        if (carom_sim_step(sim) != CAROM_OK)
            exit(1);
}

static void dense_loop(void *user, int n)
{
    double *A = user;
    int pivot[BEADS];
    for (int k = 0; k < n / 20; k++) { /* a twentieth, for the sake of time */
        memset(A, 0, sizeof *A * BEADS * BEADS);
        for (int i = 0; i < BEADS; i++)
            for (int j = 0; j < BEADS; j++)
                A[i * BEADS + j] = i == j ? 1.0002 : i - j == 1 || j - i == 1 ? -1e-4 : 0;
        if (!carom_lu(BEADS, A, pivot))
            exit(1);
    }
}

int main(void)
{
    static double A[BEADS * BEADS];
    carom_model *one, *two;
    bench_loop *const loops[] = {dense_loop, sim_loop, sim_loop};
    void *const users[] = {A, chain(BEADS, &one), chain(2 * BEADS, &two)};
    double ns[3];
    bench_compare(3, loops, users, STEPS, 20, ns);
    printf("one moreau-jean step of a chain of %d beads\n", BEADS);
    bench_report("a dense factorisation, a 20th", ns[0], ns[0], 0);
    bench_report("a step of 80 beads", ns[1], ns[0], 1);
    bench_report("a step of 160 beads, by 80", ns[2], ns[1], 5);
    carom_sim_free(users[1]);
    carom_sim_free(users[2]);
    carom_model_free(one);
    carom_model_free(two);
    return 0;
}
