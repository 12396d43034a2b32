/* paper_003_control.c: section 5 of Acary's report: steps chosen by an estimate, and what they cost.
 *
 * The printed rules are written down once more, for one mass over a floor, and the scheme must take the same steps:
 *   q_1 by one step of h, q_1/2 by two of h/2;  error = |q_1/2 - q_1|/atol                                (67), (65)
 *   accepted if error <= 1;  h' = h min(5, max(1/2, error^(-1/(p+1))))                                    (66)
 *   p = 0; with the order guessed: p = 0 if g_k > 0 and g_{k+1} <= 0, else 1                               (68)-(70)
 * What the report leaves open, as in schemes/moreau/control.c: steps are at most a twentieth of the run, and what is
 * rejected four times is halved. */
#include <math.h>
#include <stdio.h>

#include "output/reproduce/paper_003.h"

/* ---- the rules by hand ---- */

typedef struct mass { /* m = 1: v' = f - c v - k q over q >= 0 with restitution e */
    double f, c, k, e;
} mass;

/* (16) with theta = gamma = 1/2 */
static void moreau(const mass *m, double h, double *q, double *v)
{
    const double A = 1 + h * m->c / 2 + h * h * m->k / 4, v0 = *v;
    double v1 = v0 + h * (m->f - m->c * v0 - m->k * (*q + h * v0 / 2)) / A;
    if (*q + h * v0 / 2 <= 0)
        v1 = fmax(v1, -m->e * v0);
    *q += h * (v0 + v1) / 2, *v = v1;
}

/* One accepted step from (t, q, v); *h: what is tried first, then what is proposed. */
static void choose(const mass *m, bool guess, double atol, double t_end, double *h, double *t, double *q, double *v)
{
    double x = fmin(*h, t_end / 20);
    for (int rejected = 0;;) {
        double q1 = *q, v1 = *v, q2 = *q, v2 = *v;
        moreau(m, x, &q1, &v1);
        moreau(m, x / 2, &q2, &v2);
        moreau(m, x / 2, &q2, &v2);
        const int p = guess && !(*q > 0 && q2 <= 0);
        const double error = fabs(q2 - q1) / atol, factor = fmin(5, fmax(0.5, pow(error, -1.0 / (p + 1))));
        if (error <= 1) {
            *t += x, *q = q2, *v = v2, *h = fmin(t_end / 20, x * factor);
            return;
        }
        x *= ++rejected >= 4 ? 0.5 : factor;
    }
}

/* steps: no more than rounding allows for, which each of them multiplies by p + 2 */
static carom_status same_steps(carom_findings *f, const char *model, const mass *m, bool guess, double atol, int steps,
                               carom_error *error)
{
    carom_run_log log = {0};
    char settings[200], what[200];
    double t = 0, q = 1, v = 0, h = 0.1, off = 0;
    snprintf(settings, sizeof settings, "scheme=moreau-jean:control=%s:guarded=false h=0.1 rtol=0 atol=%g t_end=5",
             guess ? "variable-order" : "coordinates", atol);
    carom_status status = carom_run_log_make(&log, model, NULL, settings, error);
    if (status == CAROM_OK)
        status = carom_sim_restart(log.sim, NULL, NULL, NULL);
    for (int k = 0; status == CAROM_OK && k < steps && t < 5; k++) {
        const carom_state *s = carom_sim_state(log.sim);
        choose(m, guess, atol, 5, &h, &t, &q, &v);
        if ((status = carom_sim_step(log.sim)) != CAROM_OK)
            *error = *carom_sim_error(log.sim);
        off = fmax(off, fmax(fabs(s->t - t), fmax(fabs(s->q[0] - q), fabs(s->v[0] - v))));
    }
    carom_run_log_free(&log);
    snprintf(what, sizeof what, "%s, tolerance %g: largest distance from the printed rules in %d steps", model, atol,
             steps);
    if (status == CAROM_OK)
        carom_find_check(f, what, off, 0, 1e-9);
    return status;
}

static carom_status as_printed(carom_findings *f, bool guess, carom_error *error)
{
    static const mass ball = {-2, 0, 0, 0.5}, oscillator = {0, 0.2, 10, 0.5};
    static const double atol[] = {1e-2, 1e-4, 1e-6};
    static const int steps[] = {60, 16, 16};
    for (int k = 0; k < CAROM_COUNT(atol); k++) {
        CAROM_TRY(same_steps(f, "ball", &ball, guess, atol[k], steps[k], error));
        CAROM_TRY(same_steps(f, "linear-oscillator", &oscillator, guess, atol[k], steps[k], error));
    }
    return CAROM_OK;
}

/* ---- precision and work ---- */

typedef struct curve {
    double work[16], error[16];
    size_t n;
} curve;

static carom_status precision(carom_findings *f, const char *model, const char *scheme, bool constant, curve *c,
                              carom_error *error)
{
    static const double tolerances[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10},
                        steps[] = {1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 5e-5};
    static const char *const norm[] = {"L1.q"};
    const size_t count = constant ? CAROM_COUNT(steps) : CAROM_COUNT(tolerances) - (f->quick ? 2 : 0);
    carom_model *m = NULL;
    carom_reference *reference = NULL;
    carom_options options;
    carom_status status = carom_run_log_model(&m, model, NULL, error);
    c->n = 0;
    if (status == CAROM_OK)
        status = carom_run_log_options(&options, m, "t_end=5", error);
    if (status == CAROM_OK)
        status = carom_options_set(&options, "scheme", scheme, error);
    if (status == CAROM_OK)
        status = carom_reference_new(&reference, m, &options, CAROM_REFERENCE_AUTO, error);
    for (size_t k = 0; status == CAROM_OK && k < count; k++) {
        carom_info info;
        options.h = constant ? steps[k] : 0.1;
        options.rtol = 0, options.atol = constant ? 1e-8 : tolerances[k];
        status = carom_reference_errors(reference, m, &options, norm, 1, &c->error[c->n], &info, NULL, error);
        c->work[c->n++] = (double)info.rhs_evaluations;
    }
    carom_reference_free(reference);
    carom_model_free(m);
    return status;
}

static const char *const examples[] = {"ball", "linear-oscillator"};

/* Constant steps, the strategy as printed, and guarded, on both examples. known: evaluations of the guarded one at
 * 1e-10; last: its evaluations at the smallest tolerance. */
static carom_status precision_work(carom_findings *f, const char *control, const double *known, double *last,
                                   carom_error *error)
{
    for (int k = 0; k < 2; k++) {
        curve constant, printed, guarded;
        char scheme[100], what[200];
        snprintf(what, sizeof what, "%s: error against work", examples[k]);
        CAROM_TRY(precision(f, examples[k], "moreau-jean", true, &constant, error));
        snprintf(scheme, sizeof scheme, "moreau-jean:control=%s:guarded=false", control);
        CAROM_TRY(precision(f, examples[k], scheme, false, &printed, error));
        snprintf(scheme, sizeof scheme, "moreau-jean:control=%s", control);
        CAROM_TRY(precision(f, examples[k], scheme, false, &guarded, error));
        carom_finding *plot =
            carom_find_plot(f, what, "L1 error of q", "evaluations of the right-hand side", CAROM_FINDING_LOGLOG);
        carom_find_series(plot, "constant steps", CAROM_CHART_LINE_POINTS, constant.n, constant.error, constant.work);
        carom_find_series(plot, "adaptive, as printed", CAROM_CHART_POINTS, printed.n, printed.error, printed.work);
        carom_find_series(plot, "adaptive, guarded", CAROM_CHART_LINE_POINTS, guarded.n, guarded.error, guarded.work);
        double best = INFINITY, stuck = INFINITY, work = 0;
        for (size_t i = 0; i < guarded.n; i++)
            if (guarded.error[i] < best)
                best = guarded.error[i], work = guarded.work[i];
        for (size_t i = 0; i < printed.n; i++)
            stuck = fmin(stuck, printed.error[i]);
        snprintf(what, sizeof what, "%s: best guarded error over that of the smallest constant step", examples[k]);
        carom_find_check(f, what, best / constant.error[constant.n - 1], 0, .1);
        snprintf(what, sizeof what, "%s: its work over that of the smallest constant step", examples[k]);
        carom_find_check(f, what, work / constant.work[constant.n - 1], 0, 1);
        last[k] = guarded.work[guarded.n - 1];
        snprintf(what, sizeof what, "%s: evaluations with tolerance 1e-10, over the known %g", examples[k], known[k]);
        if (!f->quick)
            carom_find_value(f, what, last[k] / known[k], 1, .1);
        snprintf(what, sizeof what, "%s: error as printed with tolerance 1e-8, over that with 1e-3", examples[k]);
        if (k == 0) /* it does not get better; the oscillator, whose impacts the steps happen to see apart, does */
            carom_find_check(f, what, printed.error[6] / printed.error[1], .2, 5);
        snprintf(what, sizeof what, "%s: smallest error as printed, over the smallest guarded one", examples[k]);
        carom_find_check(f, what, stuck / best, 1, k ? 1e6 : 1e12);
        carom_find_text(
            f,
            "%s: the smallest error of the strategy as printed is %.2g, of the guarded one %.2g with %.0f evaluations; "
            "constant steps reach %.2g with %.0f.",
            examples[k], stuck, best, work, constant.error[constant.n - 1], constant.work[constant.n - 1]);
    }
    return CAROM_OK;
}

carom_status carom_003_figure_4(carom_findings *f, carom_error *error)
{
    static const double known[] = {3078, 53364};
    double last[2];
    CAROM_TRY(as_printed(f, false, error));
    return precision_work(f, "coordinates", known, last, error);
}

carom_status carom_003_figure_5(carom_findings *f, carom_error *error)
{
    static const double known[] = {3078, 30012};
    double last[2], gain[2];
    CAROM_TRY(as_printed(f, true, error));
    CAROM_TRY(precision_work(f, "variable-order", known, last, error));
    for (int k = 0; k < 2; k++) {
        curve plain;
        CAROM_TRY(precision(f, examples[k], "moreau-jean:control=coordinates", false, &plain, error));
        gain[k] = plain.work[plain.n - 1] / last[k];
        carom_find_text(
            f,
            "%s: at the smallest tolerance the heuristic (67) alone takes %.2f times the evaluations of the variable "
            "order.",
            examples[k], gain[k]);
    }
    carom_find_check(f, "gain over (67) alone: the oscillator's over the ball's", gain[1] / gain[0], 1.2, 5);
    return CAROM_OK;
}

