/* 01-ball.c: a model as plain C callbacks: a ball bounces infinitely often in finite time, then rests. */
#include <stdio.h>

#include <carom.h>

static void mass(const carom_point *at, double *M)
{
    M[0] = at->p[0];
}

static void force(const carom_point *at, double *F)
{
    F[0] = -at->p[0] * at->p[1];
}

static void gap(const carom_point *at, double *g)
{
    g[0] = at->q[0];
}

int main(void)
{
    const carom_contact ground = {.name = "ground", .restitution = 0.9};
    const double p[] = {1, 10}, start[] = {0.5}; /* mass, gravity; height */
    carom_model ball = {.size = sizeof ball, .name = "ball", .nq = 1, .nv = 1, .np = 2,
                        .ncontact = 1, .contact = &ground, .p = p, .q = start,
                        .mass = mass, .force = force, .gap = gap};
    carom_options options = carom_options_default();
    carom_error error;
    carom_sim *sim;
    options.h = 0.001;
    if (carom_sim_new(&sim, &ball, &options, &error) != CAROM_OK)
        return fprintf(stderr, "%s\n", error.text), 1;
    for (int second = 1; second <= 10; second++) {
        if (carom_sim_run(sim, second) != CAROM_OK)
            return fprintf(stderr, "%s\n", carom_sim_error(sim)->text), 1;
        const carom_state *s = carom_sim_state(sim);
        printf("t = %2.0f   y = %9.6f   v = %9.6f   impacts so far: %ld\n", s->t, s->q[0], s->v[0],
               carom_sim_info(sim)->events[CAROM_EVENT_IMPACT]);
    }
    carom_sim_free(sim);
    return 0;
}
