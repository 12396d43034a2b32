/* 03-trajectory.c: the whole trajectory in memory: any time, both sides of a jump, every event. */
#include <stdio.h>

#include <carom.h>

int main(void)
{
    carom_model *model;
    carom_sim *sim;
    carom_trajectory *trajectory;
    carom_error error;
    carom_options options = carom_options_default();
    if (carom_model_load(&model, "pendulum-wall", NULL, &error) != CAROM_OK ||
        carom_options_from_model(&options, model, &error) != CAROM_OK ||
        carom_sim_new(&sim, model, &options, &error) != CAROM_OK ||
        carom_trajectory_new(&trajectory, sim, &error) != CAROM_OK)
        return fprintf(stderr, "%s\n", error.text), 1;
    if (carom_sim_run(sim, 3) != CAROM_OK)
        return fprintf(stderr, "%s\n", carom_sim_error(sim)->text), 1;
    double q, v;
    for (double t = 0; t <= 3; t += 0.5)
        if (carom_trajectory_at(trajectory, t, +1, &q, &v) == CAROM_OK)
            printf("t = %.1f   angle %8.5f   speed %8.5f\n", t, q, v);
    const carom_jump *jump;
    for (size_t k = 0; (jump = carom_trajectory_jump(trajectory, k)) != NULL; k++)
        printf("t = %.4f: speed jumps from %8.5f to %8.5f, impulse %.5f\n", jump->t, jump->v_before[0],
               jump->v_after[0], jump->impulse[0]);
    carom_trajectory_free(trajectory);
    carom_sim_free(sim);
    carom_model_free(model);
    return 0;
}
