/* run.c: runs that are kept, and their distance from others. */
#include "study.h"

static void die(const char *what, const carom_error *error)
{
    printf("%s: %s\n", what, error->text);
    exit(1);
}

carom_model *carom_study_load(const char *text, const char *set)
{
    carom_error error;
    carom_model *model;
    carom_load_options options = {.size = sizeof options, .assemble = true};
    if ((strchr(text, '\n') ? carom_model_parse(&model, "text", text, strlen(text), &options, &error)
                            : carom_model_load(&model, text, &options, &error)) != CAROM_OK)
        die(text, &error);
    char key[32];
    for (const char *s = set; *s; s += strcspn(s, " "), s += strspn(s, " ")) {
        double value;
        if (sscanf(s, "%31[^=]=%lf", key, &value) != 2 ||
            carom_model_set(model, &(const char *){key}, &value, 1, &error) != CAROM_OK)
            die(s, &error);
    }
    return model;
}

carom_options carom_study_options(const carom_model *model, const char *scheme, double tol, double t_end)
{
    carom_error error;
    carom_options o = carom_options_default();
    if (carom_options_from_model(&o, model, &error) != CAROM_OK ||
        carom_options_set(&o, "scheme", scheme, &error) != CAROM_OK)
        die(model->name, &error);
    o.rtol = o.atol = tol;
    if (t_end > 0)
        o.t_end = t_end;
    return o;
}

bool carom_path_follow(carom_path *path, const carom_model *model, const carom_options *options, double t_end)
{
    carom_error error = {0};
    *path = (carom_path){0};
    if (carom_sim_new(&path->sim, model, options, &error) != CAROM_OK ||
        carom_trajectory_new(&path->trajectory, path->sim, &error) != CAROM_OK) {
        fprintf(stderr, "%s: %s\n", model->name, error.text);
        return false;
    }
    carom_status status = carom_sim_run(path->sim, t_end);
    if (status == CAROM_OK || status == CAROM_STOPPED)
        return true;
    fprintf(stderr, "%s by %s: %s\n", model->name, options->scheme, carom_sim_error(path->sim)->text);
    return false;
}

void carom_path_leave(carom_path *path)
{
    carom_trajectory_free(path->trajectory);
    carom_sim_free(path->sim);
    *path = (carom_path){0};
}

double carom_path_apart(const carom_path *path, const double *q, int n, double t)
{
    double at[CAROM_STUDY_Q], v[CAROM_STUDY_Q], most = 0;
    if (carom_trajectory_at(path->trajectory, t, 1, at, v) != CAROM_OK)
        return INFINITY;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(at[i] - q[i]) / fmax(1, fabs(at[i])));
    return most;
}

void carom_path_positions(const void *user, double t, double *q)
{
    double v[CAROM_STUDY_Q];
    const carom_path *path = user;
    if (carom_trajectory_at(path->trajectory, t, 1, q, v) != CAROM_OK)
        q[0] = NAN;
}

carom_outcome carom_study_measure(const carom_model *model, const char *scheme, double tol, double t_end,
                                  carom_positions *exact, const void *user)
{
    carom_options o = carom_study_options(model, scheme, tol, t_end);
    carom_path p;
    carom_outcome r = {.error = INFINITY};
    if (carom_path_follow(&p, model, &o, t_end)) {
        const carom_segment *s;
        double q[CAROM_STUDY_Q], v[CAROM_STUDY_Q], x[CAROM_STUDY_Q] = {0};
        r.error = 0;
        for (size_t i = 0; (s = carom_trajectory_segment(p.trajectory, i)); i++) {
            carom_trajectory_at(p.trajectory, s->t1, 1, q, v);
            exact(user, s->t1, x);
            for (int k = 0; k < model->nq; k++) {
                double off = fabs(q[k] - x[k]) / fmax(1, fabs(x[k]));
                r.error = off <= r.error ? r.error : off;
            }
        }
    }
    if (p.sim) {
        const carom_info *info = carom_sim_info(p.sim);
        r.steps = info->steps, r.evaluations = info->rhs_evaluations, r.impacts = info->events[CAROM_EVENT_IMPACT];
        r.penetration = info->max_penetration;
        carom_path_leave(&p);
    }
    return r;
}

double carom_study_second(const carom_model *model, const carom_path *path, const char *scheme, double h, double t_end)
{
    enum { GRID = 200 };
    bool richardson = strcmp(scheme, "crank-nicolson") == 0;
    double step = h > 0 ? t_end / GRID / ceil(t_end / GRID / h) : t_end / GRID, most = 0;
    carom_path p[2] = {{0}};
    for (int k = 0; k < 1 + richardson && !isnan(most); k++) {
        carom_options o = carom_study_options(model, scheme, 1e-13, t_end);
        o.h = step / (1 + k);
        o.newton_tol = 1e-13;
        most = carom_path_follow(&p[k], model, &o, t_end) ? most : NAN;
    }
    for (int k = 1; k <= GRID && !isnan(most); k++) {
        double t = t_end * k / GRID, q[2][CAROM_STUDY_Q], v[CAROM_STUDY_Q];
        for (int j = 0; j < 1 + richardson; j++)
            if (carom_trajectory_at(p[j].trajectory, t, 1, q[j], v) != CAROM_OK)
                most = NAN;
        for (int i = 0; richardson && i < model->nq; i++)
            q[0][i] = (4 * q[1][i] - q[0][i]) / 3;
        most = isnan(most) ? NAN : fmax(most, carom_path_apart(path, q[0], model->nq, t));
    }
    for (int k = 0; k < 1 + richardson; k++)
        if (p[k].sim)
            carom_path_leave(&p[k]);
    return most;
}
