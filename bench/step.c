/* step.c: what one moreau-jean step of the bouncing ball costs, against a hand-written loop of the same scheme that
 * records impulse and status too. All of them do the same flight, impacts and rest: 10 s of the ball in steps of 0.1
 * ms. `bench-step callbacks|tape N` makes N steps of its first flight and prints nothing: tools/instructions.sh counts
 * what they take. */
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "carom.h"

enum { STEPS = 100000 };

typedef struct hand { /* the state that carom_state has */
    double t, q, v, impulse, u;
    unsigned char mode;
    double m, g, e, h;
    long steps, impacts;
} hand;

static void hand_loop(void *user, int n)
{
    volatile hand *keep = user; /* results count: every step stores its state */
    hand s = *(hand *)user;
    s.q = 0.5, s.v = 0, s.t = 0;
    for (int i = 0; i < n; i++) {
        double g_bar = s.q + 0.5 * s.h * s.v, v = s.v + s.h * -s.g, P = 0, u = 0;
        unsigned char mode = CAROM_OPEN;
        if (g_bar <= 0) {
            double b = v + s.e * s.v;
            if (b < 0) {
                double change = v - s.v;
                P = -b * s.m;
                v += P / s.m;
                mode = (v < 0 ? -v : v) <= (change < 0 ? -change : change) ? CAROM_CLOSED : CAROM_OPEN;
                s.impacts += !(s.mode != CAROM_OPEN && mode != CAROM_OPEN) && s.v < 0;
            }
            u = v;
        }
        s.q += s.h * (0.5 * s.v + 0.5 * v);
        s.v = v, s.impulse = P, s.u = u, s.mode = mode, s.t += s.h, s.steps++;
        keep->t = s.t, keep->q = s.q, keep->v = s.v, keep->impulse = P, keep->u = u, keep->mode = mode;
    }
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

static void jacobian(const carom_point *at, double *G)
{
    (void)at;
    G[0] = 1;
}

static void zero(const carom_point *at, double *out)
{
    (void)at;
    out[0] = 0;
}

static carom_sim *simulate(const carom_model *model)
{
    carom_sim *sim;
    carom_error error;
    carom_options o = carom_options_default();
    o.h = 1e-4;
    if (carom_options_set(&o, "scheme", "moreau-jean", &error) != CAROM_OK ||
        carom_sim_new(&sim, model, &o, &error) != CAROM_OK) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    return sim;
}

int main(int argc, char **argv)
{
    const carom_contact ground = {.name = "ground", .restitution = 0.9};
    const double p[] = {1, 10}, start[] = {0.5};
    const carom_model ball = {.size = sizeof ball, .name = "ball",
                              .nq = 1,
                              .nv = 1,
                              .np = 2,
                              .ncontact = 1,
                              .contact = &ground,
                              .p = p,
                              .q = start,
                              .constant = CAROM_MASS | CAROM_JACOBIAN | CAROM_LAW | CAROM_R_Q | CAROM_R_V,
                              .mass = mass,
                              .force = force,
                              .gap = gap,
                              .jacobian = jacobian,
                              .force_q = zero,
                              .force_v = zero};
    carom_model *text, *native;
    carom_error error;
    carom_load_options jit = {.size = sizeof jit, .jit = true};
    if (carom_model_load(&text, "bouncing-ball", NULL, &error) != CAROM_OK ||
        carom_model_load(&native, "bouncing-ball", &jit, &error) != CAROM_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    if (argc == 3) {
        carom_sim *sim = simulate(strcmp(argv[1], "tape") == 0 ? text : &ball);
        sim_loop(sim, atoi(argv[2]));
        return 0;
    }
    hand by_hand = {.m = 1, .g = 10, .e = 0.9, .h = 1e-4};
    bench_loop *const loops[] = {hand_loop, sim_loop, sim_loop, sim_loop};
    void *const users[] = {&by_hand, simulate(&ball), simulate(text), simulate(native)};
    double ns[4];
    bench_compare(4, loops, users, STEPS, 30, ns);
    printf("one moreau-jean step of the bouncing ball\n");
    bench_report("hand-written loop", ns[0], ns[0], 0);
    bench_report("C callbacks", ns[1], ns[0], 6);
    bench_report("text model on the tape", ns[2], ns[0], 12);
    bench_report("text model, --jit", ns[3], ns[0], 0);
    for (int k = 1; k < 4; k++) {
        double q = carom_sim_state(users[k])->q[0];
        if (q != by_hand.q)
            printf("run %d ends at %.17g, the loop at %.17g\n", k, q, by_hand.q);
        carom_sim_free(users[k]);
    }
    carom_model_free(text);
    carom_model_free(native);
    return 0;
}
