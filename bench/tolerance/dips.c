/* dips.c: gaps that are negative for a small part of a step only: which are found. */
#include "study.h"

static const char bump[] = /* passed at speed 1 in steps of 0.05 */
    "carom: 1\nname: bump\nparameters: {depth: 1e-3, w: 20, x0: 0.5}\ncoordinates: {x: 0, y: 0}\nvelocities: {x: 1, y: "
    "0}\n"
    "kinetic: (x'^2 + y'^2)/2\ncontacts:\n"
    "  floor: {gap: \"y + 0.01 - (0.01 + depth)*exp(-w^2*(x - x0)^2)\", restitution: 0.5}\nrun: {t_end: 1}\n";

static bool missed(carom_model *model, double depth, double w, double x0)
{
    carom_error error;
    carom_sim *sim;
    if (carom_model_set(model, (const char *const[]){"depth", "w", "x0"}, (const double[]){depth, w, x0}, 3, &error) !=
        CAROM_OK)
        exit(1);
    carom_options o = carom_study_options(model, "tolerance", 1e-6, 1);
    if (carom_sim_new(&sim, model, &o, &error) != CAROM_OK || carom_sim_run(sim, 1) != CAROM_OK)
        exit(1);
    bool none = carom_sim_info(sim)->events[CAROM_EVENT_IMPACT] == 0;
    carom_sim_free(sim);
    return none;
}

static unsigned long state = 54321;

static double uniform(double low, double high)
{
    state = (state * 1103515245ul + 12345ul) & 0x7ffffffful;
    return low + (high - low) * (double)state / 2147483648.0;
}

void carom_study_dips(void)
{
    static const double w[] = {20, 40, 100, 200, 400, 500, 600, 800, 1000}, depth[] = {1e-3, 1e-6, 1e-9};
    carom_model *model = carom_study_load(bump, "");
    printf("\n### Dips inside a step\n\nBumps 0.01 high and 2/w wide, hit by a depth of d under steps of 0.05, 100 "
           "places each: how many "
           "are missed.\n\n| w | width over step | d = 1e-3 | 1e-6 | 1e-9 |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof w / sizeof *w; i++) {
        printf("| %g | %.2f |", w[i], 2 / w[i] / 0.05);
        for (int k = 0; k < 3; k++) {
            int n = 0;
            for (int j = 0; j < 100; j++)
                n += missed(model, depth[k], w[i], 0.4 + 0.00314159 * j);
            printf(" %d |", n);
        }
        printf("\n");
    }
    int n = 0;
    for (int i = 0; i < 4000; i++)
        n += missed(model, pow(10, uniform(-9, -3)), pow(10, uniform(1.3, log10(400))), uniform(0.2, 0.8));
    printf("\nOf 4000 random ones, 1e-9 to 1e-3 deep, down to a tenth of a step wide, %d are missed.\n", n);
    carom_model_free(model);
}
