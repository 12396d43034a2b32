/* paper_001.c: the two figures of Kern's note, computed by his scheme with the values of his listing. */
#include <math.h>

#include "output/reproduce/reproduce.h"

enum { STEPS = 1000 };

typedef struct history { /* of a run with h = 0.01 until t = 10 */
    double t[STEPS + 1], y[STEPS + 1], v[STEPS + 1], R[STEPS + 1]; /* R: impulse of the step that ends here */
} history;

static carom_status follow(carom_findings *f, const char *model, history **result, carom_error *error)
{
    carom_run_log record = {0};
    history *s = *result = CAROM_NEW(f->arena, history, 1);
    if (!s)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for %d steps", STEPS);
    carom_status status = carom_run_log_make(&record, model, NULL, "scheme=kern h=0.01 t_end=1e-9", error);
    if (status == CAROM_OK)
        status = carom_sim_restart(record.sim, NULL, NULL, NULL);
    for (int n = 0; status == CAROM_OK && n <= STEPS; n++) {
        const carom_state *state = carom_sim_state(record.sim);
        s->t[n] = state->t, s->y[n] = state->q[0], s->v[n] = state->v[0], s->R[n] = n ? state->impulse[0] : 0;
        if (n < STEPS && (status = carom_sim_step(record.sim)) != CAROM_OK)
            *error = *carom_sim_error(record.sim);
    }
    carom_run_log_free(&record);
    return status;
}

static double total(const history *s)
{
    double sum = 0;
    for (int n = 1; n <= STEPS; n++)
        sum += s->R[n];
    return sum;
}

/* Position at the left axis and impulse at the right one, as in the figures. */
static carom_finding *draw(carom_findings *f, history *s, const char *title)
{
    const double times = 20;
    carom_finding *plot =
        carom_find_plot(f, title, "t [s]", "y [m] at the left, impulse of a step [N s] at the right", 0);
    double *over = CAROM_NEW(f->arena, double, STEPS);
    carom_find_series(plot, "position y", CAROM_CHART_LINE, STEPS + 1, s->t, s->y);
    for (int n = 0; over && n < STEPS; n++)
        over[n] = s->R[n + 1] / times;
    if (over)
        carom_find_series(plot, "contact impulse", CAROM_CHART_LINE, STEPS, s->t + 1, over);
    carom_find_right(plot, times);
    return plot;
}

static carom_status figure_1(carom_findings *f, carom_error *error)
{
    history *s;
    CAROM_TRY(follow(f, "bouncing-ball", &s, error));
    const double zeno = sqrt(8 * 0.5 / 10) / (1 - 0.9) - sqrt(2 * 0.5 / 10);
    carom_find_mark(draw(f, s, "Landing: position and contact impulse"), "impacts accumulate", zeno, NAN);
    double first = 0, lowest = 0, after = 0, weight = 0, time = 0;
    int rests = 0;
    for (int n = 1; n <= STEPS; n++) {
        if (s->R[n] > 0 && first == 0)
            first = s->R[n], time = s->t[n];
        lowest = fmin(lowest, s->y[n]);
        if (s->t[n] > zeno + 1) {
            after = fmax(after, fabs(s->y[n]));
            weight += s->R[n], rests++;
        }
    }
    carom_find_text(
        f,
        "Impacts accumulate at sqrt(8 y0/g)/(1 - e) - sqrt(2 y0/g) = %.10f s. The figure is drawn with the values of "
        "the "
        "listing: m = 1, g = 10, e = 0.9, y0 = 0.5, h = 0.01, 1000 steps.",
        zeno);
    carom_find_value(f, "first impact, at the step that ends at t", time, 0.33, 1e-12);
    carom_find_value(f, "its impulse", first, 6.18, 1e-12);
    carom_find_value(f, "deepest point", lowest, -0.028, 5e-4);
    carom_find_value(f, "position at t = 10", s->y[STEPS], -1.900591579e-4, 5e-14);
    carom_find_value(f, "sum of all impulses (the weight times 10 s)", total(s), 100, 1e-10);
    carom_find_check(f, "largest |y| from a second after the accumulation point on", after, 0, 1e-3);
    carom_find_value(f, "mean impulse of a step there, over m g h", weight / rests / 0.1, 1, 1e-6);
    return CAROM_OK;
}

static carom_status figure_2(carom_findings *f, carom_error *error)
{
    history *s;
    CAROM_TRY(follow(f, "take-off", &s, error));
    draw(f, s, "Take-off: position and contact impulse");
    double last = 0, up = NAN, above = NAN, highest = 0, both = 0;
    for (int n = 1; n <= STEPS; n++) {
        if (s->R[n] > 0)
            last = s->t[n];
        if (isnan(up) && s->v[n] > 1e-12)
            up = s->t[n];
        if (isnan(above) && s->y[n] > 1e-12)
            above = s->t[n];
        highest = fmax(highest, s->y[n]);
        both = fmax(both, fmin(s->y[n], s->R[n]));
    }
    carom_find_text(
        f, "The force changes its sign at t = 5 + 10 asin(5/6)/(2 pi) = 6.567852506613 s: the exact take-off.");
    carom_find_value(f, "the last step with a reaction ends at", last, 6.56, 1e-9);
    carom_find_value(f, "the first velocity upwards", up, 6.57, 1e-9);
    carom_find_value(f, "the first position above the ground", above, 6.58, 1e-9);
    carom_find_value(f, "greatest height", highest, 3.93479260756, 1e-10);
    carom_find_value(f, "position at t = 10", s->y[STEPS], 2.66587610344, 1e-10);
    carom_find_value(f, "velocity at t = 10", s->v[STEPS], -4.71579955820, 1e-10);
    carom_find_value(f, "sum of all impulses", total(s), 95.2842004418, 1e-9);
    carom_find_check(f, "smaller one of position and impulse, at most (complementarity)", both, -1, 1e-12);
    return CAROM_OK;
}

const carom_entry carom_entries_001[] = {
    {"001-fig1", "001", "Figure 1: a dropped ball comes to rest",
     "The integrator passes the accumulation point close to t = 6 s and enters a state of rest, in which the contact "
     "force is in equilibrium with the weight.",
     "At rest the scheme stays below the ground by 1.9e-4 m: it stops penetration, it does not repair it.", NULL,
     "bouncing-ball",
     "carom run bouncing-ball --scheme kern --h 0.01 --t-end 10 -o ball.csv", true, figure_1},
    {"001-fig2", "001", "Figure 2: a ball takes off",
     "Position and contact force under an increasing force; the complementary nature of contact gap and force is "
     "evident.",
     "The velocity is corrected one step after the force has changed its sign, the position one step later.", NULL,
     "take-off",
     "carom run take-off --scheme kern --h 0.01 --t-end 10 -o take-off.csv", true, figure_2},
    {.id = NULL},
};
