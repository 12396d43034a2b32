/* 02-model-text.c: a model as text, a parameter changed, the run section used, the energy balance printed. */
#include <stdio.h>
#include <string.h>

#include <carom.h>

static const char text[] = "carom: 1\n"
                           "parameters: {m: 1, k: 10, c: 0.2, rho: 0.5}\n"
                           "coordinates: {q: 1}\n"
                           "kinetic: m*q'^2/2\n"
                           "potential: k*q^2/2\n"
                           "forces: {q: -c*q'}\n"
                           "contacts: {stop: {gap: q, restitution: rho}}\n"
                           "run: {t_end: 5, h: 0.001}\n";

int main(void)
{
    carom_model *model;
    carom_sim *sim;
    carom_error error;
    carom_options options = carom_options_default();
    options.energy = true;
    const char *name = "rho";
    const double value = 0.9;
    if (carom_model_parse(&model, "oscillator", text, strlen(text), NULL, &error) != CAROM_OK ||
        carom_model_set(model, &name, &value, 1, &error) != CAROM_OK ||
        carom_options_from_model(&options, model, &error) != CAROM_OK ||
        carom_sim_new(&sim, model, &options, &error) != CAROM_OK)
        return fprintf(stderr, "%s\n", error.text), 1;
    if (carom_sim_run(sim, options.t_end) != CAROM_OK)
        return fprintf(stderr, "%s\n", carom_sim_error(sim)->text), 1;
    const carom_info *i = carom_sim_info(sim);
    printf("%ld impacts; energy %.6f -> %.6f: impacts took %.6f, damping %.6f, unexplained %.1e\n",
           i->events[CAROM_EVENT_IMPACT], i->energy_initial, i->energy_final, i->dissipated_impact,
           i->dissipated_viscous, i->balance_error);
    carom_sim_free(sim);
    carom_model_free(model);
    return 0;
}
