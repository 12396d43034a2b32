/* 05-sweep.c: one simulation, many parameters; and a state saved, tried out, and restored to the last bit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <carom.h>

int main(void)
{
    carom_model *model;
    carom_sim *sim;
    carom_error error;
    carom_options options = carom_options_default();
    options.h = 1e-3;
    if (carom_model_load(&model, "bouncing-ball", NULL, &error) != CAROM_OK ||
        carom_sim_new(&sim, model, &options, &error) != CAROM_OK)
        return fprintf(stderr, "%s\n", error.text), 1;
    double p[16];
    int e = 0;
    memcpy(p, model->p, sizeof(double) * (size_t)model->np);
    while (strcmp(model->p_name[e], "e") != 0)
        e++;
    for (p[e] = 0.5; p[e] < 0.95; p[e] += 0.1) { /* restitution */
        if (carom_sim_restart(sim, NULL, NULL, p) != CAROM_OK || carom_sim_run(sim, 3) != CAROM_OK)
            return fprintf(stderr, "%s\n", carom_sim_error(sim)->text), 1;
        printf("e = %.1f: %3ld impacts in 3 s\n", p[e], carom_sim_info(sim)->events[CAROM_EVENT_IMPACT]);
    }
    size_t size = carom_sim_save(sim, NULL, 0);
    void *saved = malloc(size);
    if (!saved || carom_sim_save(sim, saved, size) != size || carom_sim_run(sim, 4) != CAROM_OK)
        return 1;
    double first = carom_sim_state(sim)->q[0];
    if (carom_sim_load(sim, saved, size) != CAROM_OK || carom_sim_run(sim, 4) != CAROM_OK)
        return 1;
    printf("the same second twice: %s\n", carom_sim_state(sim)->q[0] == first ? "the same bits" : "DIFFERENT");
    free(saved);
    carom_sim_free(sim);
    carom_model_free(model);
    return 0;
}
