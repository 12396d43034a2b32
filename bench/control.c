/* control.c: precision-work diagrams of Moreau's time-stepping with chosen steps, as tables: error against the
 * number of evaluations of (M, F), for constant steps and every control of moreau-jean.
 * Figures 4 and 5 of Acary (2009). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../tests/reference.h"
#include "../tests/systems.h"

typedef struct errors {
    exact_solution *exact;
    double most, sum; /* of q at the nodes: maximum, L1 */
} errors;

static void measure(void *user, const carom_segment *s)
{
    errors *e = user;
    double q, v, end = s->q0[0];
    for (int k = 0; k < s->q_degree; k++)
        end += s->xi[k];
    e->exact(s->t1, &q, &v);
    e->most = fmax(e->most, fabs(end - q));
    e->sum += (s->t1 - s->t0) * fabs(end - q);
}

static void row(const carom_model *model, exact_solution *exact, const char *scheme, double h, double tol)
{
    carom_error error;
    carom_sim *sim;
    carom_options o = carom_options_default();
    errors e = {.exact = exact};
    o.t_end = 5, o.h = h, o.rtol = 0, o.atol = tol;
    if (carom_options_set(&o, "scheme", scheme, &error) != CAROM_OK ||
        carom_sim_new(&sim, model, &o, &error) != CAROM_OK) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    carom_sim_observe(sim, &(carom_observer){.size = sizeof(carom_observer), .user = &e, .segment = measure});
    carom_status status = carom_sim_run(sim, 5);
    const carom_info *i = carom_sim_info(sim);
    if (status == CAROM_OK)
        printf("  %8.1e  %8ld  %8ld  %8ld  %8.1e  %8.1e\n", tol > 0 ? tol : h, i->rhs_evaluations, i->steps,
               i->rejected, e.most, e.sum);
    else
        printf("  %8.1e  %s\n", tol, carom_sim_error(sim)->text);
    carom_sim_free(sim);
}

int main(void)
{
    point_store ball_store, oscillator_store;
    const carom_model ball = point_model(&ball_store, 1, -2, 0, 0, 0.5, 1, 0);
    const carom_model oscillator = point_model(&oscillator_store, 1, 0, 10, 0.2, 0.5, 1, 0);
    const struct { const char *name; const carom_model *model; exact_solution *exact; } cases[] = {
        {"ball", &ball, exact_ball}, {"oscillator", &oscillator, exact_oscillator}};
    const char *const schemes[] = {
        "moreau-jean:control=halving", "moreau-jean:control=coordinates", "moreau-jean:control=variable-order",
        "moreau-jean:control=variable-order:alpha=0.9", "moreau-jean:control=indicator",
        "moreau-jean:control=coordinates:guarded=false",
        "moreau-jean:control=variable-order:guarded=false"};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        printf("%s, moreau-jean with constant steps\n         h       rhs     steps  rejected   max e_q    L1 e_q\n",
               cases[c].name);
        for (double h = 5e-2; h > 4e-5; h /= 10)
            row(cases[c].model, cases[c].exact, "moreau-jean", h, 0);
        for (size_t k = 0; k < sizeof schemes / sizeof schemes[0]; k++) {
            printf("%s, %s\n       tol       rhs     steps  rejected   max e_q    L1 e_q\n", cases[c].name, schemes[k]);
            for (double tol = 1e-4; tol > 5e-12; tol /= 10)
                row(cases[c].model, cases[c].exact, schemes[k], 5e-3, tol);
        }
    }
    return 0;
}
