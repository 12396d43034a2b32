/* paper_003_local.c: section 4 of Acary's report: the error of one step of Moreau's scheme from exact data.
 *
 * The ball of Example 1: f = -2, rho = 1/2, falls from 1, so v_k = f (1 - sigma h) when the impact at t = 1 is at sigma
 * h in the step. What the formulas of the report become with their signs put right:
 *   p = 0:  e_v = -(1 + rho) (v_k + h f sigma)                                                          (31)
 *           e_q = -q_k - h (rho (1 - sigma) + 1) v_k - f h^2 (rho sigma (1 - sigma) - (1 - sigma)^2/2 + theta)
 *   p > 0:  e_v = h f (1 - sigma - rho sigma)                                                           (32)
 *           e_q = -h (1 + rho) (1 - theta - sigma) v_k + f h^2 (((1 - sigma)^2 + sigma^2)/2 - rho sigma (1 - sigma))
 *   [3 - h, 3 + h] with an impact that is seen:  e_v = rho v_k = h - 3/2^(n0+1),  1/2^n0 <= h <= 2/2^n0  (33) */
#include <math.h>
#include <stdio.h>

#include "output/reproduce/paper_003.h"

static const double force = -2, rho = 0.5;

typedef struct steps { /* what is measured */
    const char *model, *settings;
    const char *const *scheme;
    const double *h, *place;
    int nscheme, nh, nplace;
    bool from;
} steps;

static carom_status measure(const steps *s, carom_local_result *r, carom_error *error)
{
    carom_model *model = NULL;
    carom_options options;
    carom_status status = carom_run_log_model(&model, s->model, NULL, error);
    if (status == CAROM_OK)
        status = carom_run_log_options(&options, model, s->settings, error);
    const carom_local_request request = {.size = sizeof request,
                                         .model = model,
                                         .options = &options,
                                         .schemes = s->scheme,
                                         .h = s->h,
                                         .place = s->place,
                                         .nscheme = s->nscheme,
                                         .nh = s->nh,
                                         .nplace = s->nplace,
                                         .from = s->from};
    if (status == CAROM_OK)
        status = carom_local_run(&request, r, error);
    carom_model_free(model);
    return status;
}

static const char *const by_gamma[] = {"moreau-jean:theta=0.5:gamma=0", "moreau-jean:theta=0.5:gamma=0.5",
                                       "moreau-jean:theta=0.5:gamma=1"};
static const double halved[] = {0x1p-5, 0x1p-6, 0x1p-7, 0x1p-8, 0x1p-9, 0x1p-10},
                    places[] = {.1, .25, .45, .55, .75, .9};
enum { HALVED = CAROM_COUNT(halved), PLACES = CAROM_COUNT(places) };

/* ---- example 3 ---- */

static void by_formula(double theta, double h, double sigma, bool seen, double *e_q, double *e_v)
{
    const double f = force, v = f * (1 - sigma * h), q = -sigma * h * v - f * sigma * sigma * h * h / 2,
                 rest = 1 - sigma;
    *e_v = seen ? h * f * (rest - rho * sigma) : -(1 + rho) * (v + h * f * sigma);
    *e_q = seen ? -h * (1 + rho) * (1 - theta - sigma) * v +
                      f * h * h * ((rest * rest + sigma * sigma) / 2 - rho * sigma * rest)
                : -q - h * (rho * rest + 1) * v - f * h * h * (rho * sigma * rest - rest * rest / 2 + theta);
}

/* The largest distance from (31), (32) over all steps with or without an impulse. */
static carom_status one_impact(carom_findings *f, double theta, carom_error *error)
{
    static const char *const name[] = {"p = 0 (31)", "p > 0 (32)"};
    char scheme[2][80], what[200];
    const char *const list[] = {scheme[0], scheme[1]};
    double off_q[2] = {0}, off_v[2] = {0}, most[2] = {0};
    carom_local_result r = {0};
    for (int k = 0; k < 2; k++)
        snprintf(scheme[k], sizeof scheme[k], "moreau-jean:theta=%g:gamma=%d", theta, k);
    const steps s = {"ball", "t_end=2", list, halved, places, 2, HALVED, PLACES, false};
    CAROM_TRY(measure(&s, &r, error));
    for (int i = 0; i < r.nrow; i++) {
        const carom_local_row *row = &r.row[i];
        const bool seen = row->impulse > 0;
        double e_q, e_v;
        by_formula(theta, row->h, places[row->place], seen, &e_q, &e_v);
        off_q[seen] = fmax(off_q[seen], fabs(row->e_q - fabs(e_q)));
        off_v[seen] = fmax(off_v[seen], fabs(row->e_v - fabs(e_v)));
        most[seen] = fmax(most[seen], row->e_v);
    }
    for (int k = 0; k < 2; k++) {
        snprintf(what, sizeof what, "theta = %g, %s: largest distance of e_q from the formula", theta, name[k]);
        carom_find_check(f, what, off_q[k], 0, 1e-14);
        snprintf(what, sizeof what, "theta = %g, %s: the same of e_v", theta, name[k]);
        carom_find_check(f, what, off_v[k], 0, 1e-14);
    }
    snprintf(what, sizeof what, "theta = %g: largest e_v of an impact that is not activated, (1 + rho)|v(1-)|", theta);
    carom_find_value(f, what, most[0], 3, 1e-12);
    carom_local_free(&r);
    return CAROM_OK;
}

/* (33) */
static carom_status accumulation(carom_findings *f, carom_error *error)
{
    enum { FIRST = 3, LAST = 10 };
    static const char *const scheme[] = {"moreau-jean:gamma=1"};
    double x[LAST + 1 - FIRST], y[LAST + 1 - FIRST], off = 0;
    bool seen = true;
    carom_finding *table = carom_find_table(f, "A step from 3 - h to 3 + h", "n0|h|e_v|h - 3/2^(n0+1)");
    for (int n0 = FIRST; n0 <= LAST; n0++) {
        const double h = 1.2 * ldexp(1, -n0), step = 2 * h, begin = 3 - h, formula = h - 3 * ldexp(1, -n0 - 1);
        const steps s = {"ball", "t_end=5", scheme, &step, &begin, 1, 1, 1, true};
        carom_local_result r = {0};
        CAROM_TRY(measure(&s, &r, error));
        x[n0 - FIRST] = h, y[n0 - FIRST] = r.row[0].e_v;
        off = fmax(off, fabs(r.row[0].e_v - fabs(formula)));
        seen &= r.row[0].impulse > 0;
        carom_find_row(table, "%d|%.6g|%.6g|%.6g", n0, h, r.row[0].e_v, formula);
        carom_local_free(&r);
    }
    carom_finding *plot = carom_find_plot(f, "e_v of a step with infinitely many impacts", "h", "e_v",
                                          CAROM_FINDING_LOGLOG);
    carom_find_series(plot, "e_v", CAROM_CHART_LINE_POINTS, CAROM_COUNT(x), x, y);
    carom_find_slope(plot, 1, x[4], y[4] / 2);
    carom_find_value(f, "(33): the impacts are activated in every one of these steps", seen, 1, 0);
    carom_find_check(f, "(33): largest distance of e_v from h - 3/2^(n0+1)", off, 0, 1e-14);
    carom_find_value(f, "(33): order of e_v", log2(y[0] / y[LAST - FIRST]) / (LAST - FIRST), 1, 1e-9);
    return CAROM_OK;
}

carom_status carom_003_example_3(carom_findings *f, carom_error *error)
{
    CAROM_TRY(one_impact(f, 0.5, error));
    CAROM_TRY(one_impact(f, 1, error));
    return accumulation(f, error);
}

/* ---- lemma 1 ---- */

/* The variation of the ball's velocity on (from, to]: jumps, and |f| while it flies. */
static double variation(const carom_reference *ball, double from, double to)
{
    double sum = from < 3 ? -force * (fmin(to, 3) - from) : 0, v[2], t;
    for (int k = 0; !isnan(t = carom_reference_impact(ball, k)) && t <= to; k++)
        if (t > from) {
            carom_reference_at(ball, t, -1, NULL, &v[0], NULL);
            carom_reference_at(ball, t, 1, NULL, &v[1], NULL);
            sum += fabs(v[1] - v[0]);
        }
    return sum;
}

/* Both sides of (34) for f = v, whose integral is q: left over right. */
static double quotient(const carom_reference *ball, double theta, double from, double to)
{
    double q[2], v[2], C = fmax(theta, 1 - theta), h = to - from;
    carom_reference_at(ball, from, 1, &q[0], &v[0], NULL);
    carom_reference_at(ball, to, 1, &q[1], &v[1], NULL);
    const double var = variation(ball, from, to);
    return var > 0 ? fabs(q[1] - q[0] - h * (theta * v[1] + (1 - theta) * v[0])) / (C * h * var) : 0;
}

static carom_status bound(carom_findings *f, const carom_reference *ball)
{
    static const double thetas[] = {0, .25, .5, .75, 1}, lengths[] = {.7, .31, .11, .043, .0097};
    carom_finding *table = carom_find_table(f, "(34) for the velocity of the ball", "theta|C|left over right at most");
    for (int k = 0; k < CAROM_COUNT(thetas); k++) {
        const double theta = thetas[k];
        double most = 0, near = theta < 0.5 ? quotient(ball, theta, 1 - 1e-12, 1 + 1e-4 - 1e-12)
                                            : quotient(ball, theta, 1 - 1e-4, 1);
        char what[200];
        for (int j = 0; j < CAROM_COUNT(lengths); j++)
            for (double t = 0.0037; t + lengths[j] < 4; t += 0.37 * lengths[j])
                most = fmax(most, quotient(ball, theta, t, t + lengths[j]));
        carom_find_row(table, "%g|%g|%.6f", theta, fmax(theta, 1 - theta), fmax(most, near));
        snprintf(what, sizeof what, "theta = %g: left over right of (34), at most", theta);
        carom_find_check(f, what, fmax(most, near), 0, 1);
        snprintf(what, sizeof what, "theta = %g: the same with the jump at an end of the interval (sharp)", theta);
        carom_find_check(f, what, near, .999, 1);
    }
    return CAROM_OK;
}

/* (40): e_q <= C h var(v) + theta h e_v for steps of the scheme, with impacts that are seen and that are not. */
static carom_status coordinates(carom_findings *f, const carom_reference *ball, carom_error *error)
{
    static const double thetas[] = {0.5, 0.75, 1};
    for (int k = 0; k < CAROM_COUNT(thetas); k++) {
        char scheme[2][80], what[200];
        const char *const list[] = {scheme[0], scheme[1]};
        const double theta = thetas[k];
        carom_local_result r = {0};
        double most = 0;
        for (int j = 0; j < 2; j++)
            snprintf(scheme[j], sizeof scheme[j], "moreau-jean:theta=%g:gamma=%d", theta, j);
        const steps s = {"ball", "t_end=5", list, halved, places, 2, HALVED, PLACES, false};
        CAROM_TRY(measure(&s, &r, error));
        for (int i = 0; i < r.nrow; i++) {
            const carom_local_row *row = &r.row[i];
            const double from = 1 - places[row->place] * row->h, var = variation(ball, from, from + row->h);
            most = fmax(most, row->e_q / (row->h * (fmax(theta, 1 - theta) * var + theta * row->e_v)));
        }
        carom_local_free(&r);
        snprintf(what, sizeof what, "theta = %g: e_q over C(theta) h var(v) + theta h e_v (40), at most", theta);
        carom_find_check(f, what, most, .4, 1);
    }
    return CAROM_OK;
}

carom_status carom_003_lemma_1(carom_findings *f, carom_error *error)
{
    carom_model *model = NULL;
    carom_options options;
    carom_reference *ball = NULL;
    carom_status status = carom_run_log_model(&model, "ball", NULL, error);
    if (status == CAROM_OK)
        status = carom_run_log_options(&options, model, "t_end=5", error);
    if (status == CAROM_OK)
        status = carom_reference_new(&ball, model, &options, CAROM_REFERENCE_CLOSED, error);
    if (status == CAROM_OK)
        status = bound(f, ball);
    if (status == CAROM_OK)
        status = coordinates(f, ball, error);
    carom_reference_free(ball);
    carom_model_free(model);
    return status;
}

/* ---- propositions ---- */

carom_status carom_003_propositions(carom_findings *f, carom_error *error)
{
    carom_local_result r = {0};
    const steps s = {"ball", "t_end=2", by_gamma, halved, places, 3, HALVED, PLACES, false};
    CAROM_TRY(measure(&s, &r, error));
    carom_finding *table = carom_find_table(f, "One step from exact data, the impact at sigma h",
                                            "scheme|sigma|order of e_q|order of e_v|e_v at the smallest h|activated");
    for (int i = 0; i < r.norder; i++) {
        const carom_local_order *o = &r.order[i];
        const double gamma = 0.5 * o->scheme, sigma = places[o->place],
                     last = r.row[(o->scheme * PLACES + o->place) * HALVED + HALVED - 1].e_v;
        carom_find_row(table, "gamma = %g|%g|%.2f|%.2f|%.3g|%s", gamma, sigma, o->order_q, o->order_v, last,
                       o->activated ? "yes" : "no");
        char what[200];
        snprintf(what, sizeof what, "gamma = %g, sigma = %g: order of e_q (Proposition 1)", gamma, sigma);
        carom_find_value(f, what, o->order_q, 1, .03);
        snprintf(what, sizeof what, "gamma = %g, sigma = %g: activated in its step if sigma < gamma", gamma, sigma);
        carom_find_value(f, what, o->activated, sigma < gamma, 0);
        snprintf(what, sizeof what,
                 o->activated ? "gamma = %g, sigma = %g: order of e_v (Proposition 3)"
                              : "gamma = %g, sigma = %g: e_v, the whole jump (1+rho)|U-|",
                 gamma, sigma);
        if (o->activated)
            carom_find_value(f, what, o->order_v, 1, .03);
        else
            carom_find_value(f, what, last, r.jump, .003);
    }
    carom_local_free(&r);
    return CAROM_OK;
}

typedef struct smooth {
    const char *scheme, *what;
    double order_q, order_v;
} smooth;

/* One step from t = from, while a contact stays closed. */
static carom_status slide(carom_findings *f, const char *model, double from, const smooth *list, int n,
                          carom_error *error)
{
    static const double h[] = {.02, .01, .005, .0025, .00125};
    const char *scheme[8];
    char what[200];
    double e[CAROM_COUNT(h)];
    carom_local_result r = {0};
    for (int k = 0; k < n; k++)
        scheme[k] = list[k].scheme;
    const steps s = {model, "", scheme, h, &from, n, CAROM_COUNT(h), 1, true};
    CAROM_TRY(measure(&s, &r, error));
    snprintf(what, sizeof what, "%s: velocity after one step", model);
    carom_finding *plot = carom_find_plot(f, what, "h", "e_v", CAROM_FINDING_LOGLOG);
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < CAROM_COUNT(h); i++)
            e[i] = r.row[k * CAROM_COUNT(h) + i].e_v;
        carom_find_series(plot, list[k].what, CAROM_CHART_LINE_POINTS, CAROM_COUNT(h), h, e);
        if (k == 0)
            carom_find_slope(plot, list[0].order_v, h[2], e[2] / 2);
        snprintf(what, sizeof what, "%s, %s: order of e_q", model, list[k].what);
        carom_find_value(f, what, r.order[k].order_q, list[k].order_q, .05);
        snprintf(what, sizeof what, "%s, %s: order of e_v", model, list[k].what);
        carom_find_value(f, what, r.order[k].order_v, list[k].order_v, .1);
    }
    carom_local_free(&r);
    return CAROM_OK;
}

carom_status carom_003_proposition_2(carom_findings *f, carom_error *error)
{
    static const smooth dome[] = {
        {"moreau-jean:theta=1:gamma=0", "theta = 1, gamma = 0", 2, 2},
        {"moreau-jean:theta=1:gamma=0.5", "theta = 1, gamma = 1/2", 2, 2},
        {"moreau-jean:theta=1:gamma=1", "theta = 1, gamma = 1", 2, 2},
        {"moreau-jean:theta=0.5:gamma=0.5", "theta = 1/2 (not O(h^2): see the remark)", 2, 1},
        {"moreau-jean:theta=1:gamma=0.5:forecast=gap", "theta = 1, the gap ahead instead of (16e)", 2, 1}},
                        plane[] = {{"moreau-jean:theta=1", "theta = 1", 2, 2},
                                   {"moreau-jean:theta=0.5", "theta = 1/2", 3, 3}};
    carom_find_text(f, "A point slides over a dome, then a block at the end of a spring over a plane (a belt).");
    CAROM_TRY(slide(f, "dome", 0.3, dome, CAROM_COUNT(dome), error));
    return slide(f, "belt", 4, plane, CAROM_COUNT(plane), error);
}
