/* 04-events.c: watching a run: a box falls on two corners with friction; every event as it happens. */
#include <stdio.h>

#include <carom.h>

static void tell(void *user, const carom_event *e)
{
    const carom_model *model = user;
    printf("t = %.4f  %-8s %-12s normal %8.4f -> %8.4f   sliding %8.4f -> %8.4f\n", e->t, carom_event_name(e->type),
           model->contact[e->contact].name, e->u_before[0], e->u_after[0], e->u_before[1], e->u_after[1]);
}

int main(void)
{
    carom_model *model;
    carom_sim *sim;
    carom_error error;
    carom_options options = carom_options_default();
    if (carom_model_load(&model, "box", NULL, &error) != CAROM_OK ||
        carom_options_set(&options, "scheme", "moreau-jean:theta=0.75", &error) != CAROM_OK ||
        carom_options_set(&options, "h", "0.001", &error) != CAROM_OK ||
        carom_sim_new(&sim, model, &options, &error) != CAROM_OK)
        return fprintf(stderr, "%s\n", error.text), 1;
    carom_sim_observe(sim, &(carom_observer){.size = sizeof(carom_observer), .user = model, .event = tell});
    if (carom_sim_run(sim, 3) != CAROM_OK)
        return fprintf(stderr, "%s\n", carom_sim_error(sim)->text), 1;
    const carom_state *s = carom_sim_state(sim);
    printf("at rest: x = %.4f, y = %.4f\n", s->q[0], s->q[1]);
    carom_sim_free(sim);
    carom_model_free(model);
    return 0;
}
