/* watch.c: which value of the model is no finite number, at which time and state. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "contact/watch.h"
#include "model/model.h"

/* "x = 1.5, y = 2, x' = 0, y' = -1", as far as there is room */
static void write_state(const carom_model *m, const double *q, const double *v, char *text, size_t room)
{
    char name[32];
    size_t used = 0;
    *text = 0;
    for (int i = 0; i < m->nq + m->nv && used < room; i++) {
        bool rate = i >= m->nq;
        int k = rate ? i - m->nq : i;
        const char *word = rate ? carom_model_v_name(m, k, name) : carom_model_q_name(m, k, name);
        used += (size_t)snprintf(text + used, room - used, "%s%s%s = %.10g", i ? ", " : "", word,
                                 rate && !m->v_name && !m->manifold ? "'" : "", rate ? v[k] : q[k]);
    }
    if (used >= room)
        snprintf(text + room - 4, 4, "...");
}

static bool finite_or_told(carom_watch *w, const carom_eval *at, double value, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static bool finite_or_told(carom_watch *w, const carom_eval *at, double value, const char *format, ...)
{
    if (isfinite(value))
        return true;
    char what[160], state[sizeof w->law];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    write_state(w->system->model, at->q, at->v, state, sizeof state);
    snprintf(w->text, sizeof w->text, "%s is %g at t = %.10g, %s", what, carom_unsigned_nan(value), *at->t, state);
    w->found = true;
    w->t = *at->t;
    return false;
}

/* "what of contact 'name'": only what is told needs the name. */
static bool link_finite(carom_watch *w, const carom_eval *at, double value, const char *what, const carom_link *link)
{
    return isfinite(value) || finite_or_told(w, at, value, "%s '%s'", what, CAROM_LINK_NAME(w->system, link));
}

static bool links(carom_watch *w, const carom_eval *at, unsigned want)
{
    static const char *const words[2][3] = {
        {"constraint", "the rate of constraint", "the second derivative of constraint"},
        {"the gap of contact", "the rate of the gap of contact", "the second derivative of the gap of contact"}};
    const carom_system *sys = w->system;
    for (int i = 0; i < sys->nlink; i++) {
        const carom_link *link = &sys->link[i];
        const char *const *what = words[link->contact >= 0];
        if (want & CAROM_GAP && carom_link_normals(link) > 0 && !link_finite(w, at, at->g[i], what[0], link))
            return false;
        for (int r = link->row; r < link->row + link->rows; r++) {
            if (want & CAROM_JACOBIAN && !link_finite(w, at, carom_row_speed(sys, r, at->v), what[1], link))
                return false;
            if (want & CAROM_GAMMA && !link_finite(w, at, at->gamma[r], what[2], link))
                return false;
        }
    }
    return true;
}

static bool dynamics(carom_watch *w, const carom_eval *at, unsigned want)
{
    const carom_system *sys = w->system;
    char a[32], b[32];
    for (int i = 0; i < sys->nv; i++) {
        const char *name = carom_model_v_name(sys->model, i, a);
        if (want & CAROM_FORCE && !finite_or_told(w, at, at->F[i], "the force on '%s'", name))
            return false;
        for (int j = 0; want & CAROM_MASS && j < sys->nv; j++)
            if (!finite_or_told(w, at, carom_mass_entry(sys, i, j), "M(%s, %s)", name,
                                carom_model_v_name(sys->model, j, b)))
                return false;
    }
    return true;
}

/* What has a derivative that is not finite is often none itself; the step that reads what is evaluated here is lost. */
static bool derivatives(carom_watch *w, const carom_eval *at, unsigned want)
{
    const unsigned values[] = {CAROM_GAP, CAROM_MASS | CAROM_FORCE | CAROM_JACOBIAN}; /* known to every simulation */
    const int n = (int)w->system->square;
    double by_q = want & CAROM_R_Q ? carom_norm_max(n, at->R_q) : 0; /* infinite for NaN, too */
    double by_v = want & CAROM_R_V ? carom_norm_max(n, at->R_v) : 0;
    if (isfinite(by_q) && isfinite(by_v))
        return true;
    for (int k = 0; k < CAROM_COUNT(values); k++) {
        carom_eval again = *at;
        again.want = values[k] & ~w->system->known;
        if (again.want)
            w->evaluator->eval(w->system->model, &again, w->work);
        if (!links(w, &again, again.want) || !dynamics(w, &again, again.want))
            return false;
    }
    return finite_or_told(w, at, by_q, "a derivative of the forces by positions") &&
           finite_or_told(w, at, by_v, "a derivative of the forces by velocities");
}

static bool coefficients(carom_watch *w, const carom_eval *at)
{
    const carom_system *sys = w->system;
    write_state(sys->model, at->q, at->v, w->law, sizeof w->law);
    for (int i = sys->njoint; i < sys->nlink && !w->found; i++) {
        const carom_link *link = &sys->link[i];
        const double *value = carom_link_law(sys, link);
        for (const carom_field *field = link->law->method.fields; field->name; field++, value++)
            if (!isfinite(*value))
                return finite_or_told(w, at, *value, "%s of contact '%s'", field->name, CAROM_LINK_NAME(sys, link));
    }
    return true;
}

static void begin(const carom_model *model, int lanes, const double *p, void *work)
{
    carom_watch *w = work;
    w->evaluator->begin(model, lanes, p, w->work);
}

static void eval(const carom_model *model, const carom_eval *at, void *work)
{
    carom_watch *w = work;
    const unsigned want = at->want;
    w->evaluator->eval(model, at, w->work);
    if (!carom_all_finite(w->system->nq, at->q) || !carom_all_finite(w->system->nv, at->v))
        return;
    bool earlier = !w->found || w->coefficient || *at->t < w->t;
    if (earlier && !(links(w, at, want) && dynamics(w, at, want) && derivatives(w, at, want)))
        w->coefficient = false;
    else if (want & CAROM_LAW && !coefficients(w, at))
        w->coefficient = true;
}

void carom_watch_begin(carom_watch *watch, carom_system *system)
{
    static const carom_evaluator watching = {.begin = begin, .eval = eval};
    *watch = (carom_watch){.system = system, .evaluator = system->evaluator, .work = system->evaluator_work};
    system->evaluator = &watching, system->handed = watch;
}

carom_status carom_watch_end(carom_watch *watch, carom_status status, carom_error *error)
{
    carom_error reason = *error;
    watch->system->evaluator = watch->evaluator, watch->system->handed = watch->system->evaluator_work;
    if (watch->found && !(watch->coefficient && status == CAROM_BAD_MODEL))
        CAROM_FAIL(error, watch->coefficient ? CAROM_BAD_MODEL : CAROM_NOT_FINITE, "%s (%.350s)", watch->text,
                   reason.text);
    if (status == CAROM_BAD_MODEL && *watch->law)
        CAROM_FAIL(error, status, "%.550s: %s", reason.text, watch->law);
    return status;
}
