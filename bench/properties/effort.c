/* effort.c: how long a step may be, and what it costs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "properties/properties.h"
#include "systems.h"

/* ---- stability: q'' = -q ---- */
enum { STEPS = 10000 };
typedef enum verdict { STABLE, UNSTABLE, OWN, FAILED } verdict; /* OWN: steps are not of the length asked for */
typedef struct energies {
    double growth; /* the most in the second half of the steps over the most in the first */
    double rise;   /* the most of all over that of the start */
    bool faded;    /* a step failed when the motion had died away below 1e-200 */
} energies;

static verdict bounded(const carom_subject *subject, double h, energies *e, char *cell)
{
    point_store store;
    const double q = 1, v = 0.7;
    carom_model model = point_model(&store, 1, 0, 1, 0, 0, q, v);
    model.name = "undamped oscillator";
    model.ncontact = 0;
    carom_sim *sim = carom_subject_start(subject, &model, h, 1e-6, cell);
    if (!sim)
        return FAILED;
    const carom_state *s = carom_sim_state(sim);
    double most[2] = {0}, E = q * q + v * v, E0 = E;
    verdict result = STABLE;
    e->faded = false;
    for (int i = 0; i < STEPS && result == STABLE && !e->faded; i++) {
        double before = s->t;
        if (!carom_subject_step(subject, sim, &model, cell)) {
            e->faded = E < 1e-200;
            result = e->faded ? STABLE : FAILED;
            continue;
        }
        E = s->q[0] * s->q[0] + s->v[0] * s->v[0];
        most[2 * i / STEPS] = fmax(most[2 * i / STEPS], E);
        if (!(E < 1e60))
            result = UNSTABLE;
        else if (s->t - before < 0.99 * h)
            result = OWN;
    }
    carom_sim_free(sim);
    e->growth = most[1] / most[0];
    e->rise = fmax(most[0], most[1]) / E0;
    return result == STABLE && e->growth > 1.5 ? UNSTABLE : result;
}

static double bisect(const carom_subject *subject, double low, double high, char *cell)
{
    energies e;
    while (high - low > 1e-3 * high) {
        double middle = 0.5 * (low + high);
        *(bounded(subject, middle, &e, cell) == STABLE ? &low : &high) = middle;
    }
    return low;
}

void carom_effort_stability(const carom_subject *subject, char *cell)
{
    double low = 0, high = 0.01, rise = 0;
    bool faded = false;
    energies e;
    verdict result = STABLE;
    for (; high < 1000 && (result = bounded(subject, high, &e, cell)) == STABLE; high *= 1.3)
        low = high, rise = e.rise, faded = faded || e.faded;
    if (result == OWN)
        snprintf(cell, CAROM_CELL, "chooses its steps");
    else if (result == STABLE && rise > 100)
        snprintf(cell, CAROM_CELL, "none, but starts with E = %.0e", rise);
    else if (result == STABLE)
        snprintf(cell, CAROM_CELL, "none%s", faded ? ", but fails near 0" : "");
    else if (result == UNSTABLE && low == 0)
        snprintf(cell, CAROM_CELL, "0");
    else if (result == UNSTABLE) {
        low = bisect(subject, low, high, cell);
        bounded(subject, 0.8 * low, &e, cell);
        snprintf(cell, CAROM_CELL, "%.2f%s", low, e.growth > 1.001 ? ", grows slowly below" : "");
    }
}

/* ---- cost, on the built-in model: its derivatives are exact, as those of every model file ---- */
static carom_model *wall(void)
{
    carom_model *model = NULL;
    carom_error error;
    if (carom_model_load(&model, "double-pendulum-wall", NULL, &error) != CAROM_OK)
        return NULL;
    model->name = "double pendulum with a wall";
    return model;
}

typedef struct count {
    double evaluations, step; /* per step, mean length */
} count;

static bool counted(const carom_subject *subject, count *c, char *cell)
{
    carom_model *model = wall();
    snprintf(cell, CAROM_CELL, "-"); /* a build without model files */
    carom_sim *sim = model ? carom_subject_start(subject, model, 0.001, 1e-6, cell) : NULL;
    bool fine = sim;
    for (int i = 0; i < 2000 && fine; i++)
        fine = carom_subject_step(subject, sim, model, cell);
    if (fine) {
        const carom_info *info = carom_sim_info(sim);
        double steps = (double)info->steps;
        *c = (count){(double)info->rhs_evaluations / steps, carom_sim_state(sim)->t / steps};
    }
    carom_sim_free(sim);
    carom_model_free(model);
    return fine;
}

void carom_effort_evaluations(const carom_subject *subject, char *cell)
{
    count c;
    if (counted(subject, &c, cell))
        snprintf(cell, CAROM_CELL, "%.1f", c.evaluations);
}

void carom_effort_length(const carom_subject *subject, char *cell)
{
    count c;
    if (counted(subject, &c, cell))
        snprintf(cell, CAROM_CELL, "%.1g", c.step);
}

static void loop(void *user, int n)
{
    carom_sim *sim = user;
    if (!sim || carom_sim_restart(sim, NULL, NULL, NULL) != CAROM_OK)
        return;
    for (int i = 0; i < n; i++)
        if (carom_sim_step(sim) != CAROM_OK)
            return;
}

void carom_effort_measure(int n, carom_subject *subjects)
{
    char cell[CAROM_CELL];
    carom_model *model = wall();
    bench_loop **loops = calloc((size_t)n, sizeof *loops);
    void **sims = calloc((size_t)n, sizeof *sims);
    double *ns = calloc((size_t)n, sizeof *ns);
    if (model && loops && sims && ns) {
        for (int i = 0; i < n; i++)
            loops[i] = loop, sims[i] = carom_subject_start(&subjects[i], model, 0.001, 1e-6, cell);
        bench_compare(n, loops, sims, 300, 250, ns);
        double unit = ns[0];
        for (int i = 0; i < n; i++)
            if (strcmp(subjects[i].spec, "moreau-jean") == 0)
                unit = ns[i];
        for (int i = 0; i < n; i++) {
            subjects[i].cost = sims[i] ? ns[i] / unit : 0;
            carom_sim_free(sims[i]);
        }
    }
    free(loops), free(sims), free(ns);
    carom_model_free(model);
}

void carom_effort_time(const carom_subject *subject, char *cell)
{
    if (subject->cost == 0)
        snprintf(cell, CAROM_CELL, "-");
    else { /* one digit, but 10 and not 1e+01 */
        char digit[16];
        snprintf(digit, sizeof digit, "%.0e", subject->cost);
        snprintf(cell, CAROM_CELL, "%g", strtod(digit, NULL));
    }
}
