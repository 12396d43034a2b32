/* kept.c: errors of positions over tol, steps and evaluations, for many systems up to their horizons. */
#include "study.h"

enum { SAMPLES = 2000, TOLS = 9, FIRST = 3 };

typedef struct system_case {
    const char *model, *set; /* a name, or the text; "name=value name=value" */
    double t_end;            /* 0: the model's */
    const char *second;      /* method; "crank-nicolson" is extrapolated */
    double h;                /* its step */
    int places; /* where values are moved; 1: it cannot be begun anew, forces depend on time or friction sticks */
    int fine;   /* steps of mixed:rk=gauss6, the third method; 0: 2000 */
} system_case;

static const char spring[] = /* no contact: a stiff spring of Hertz that pushes only */
    "carom: 1\nname: ball on a Hertzian spring\ncoordinates: {y: 0.1}\nkinetic: y'^2/2\n"
    "potential: 9.81*y + 0.4*1e5*max(-y, 0)^2.5\nforces: {y: \"-20*max(-y, 0)*y'\"}\nrun: {t_end: 1}\n";
static const char pushed[] = "carom: 1\nname: point on a plane, static friction\ncoordinates: {x: 0, y: 0, z: "
                             "0}\nkinetic: (x'^2 + y'^2 + z'^2)/2\n"
                             "potential: 10*z\nforces: {x: 4*sin(2*t), y: 2.5*sin(3.1*t + 0.7)}\n"
                             "contacts:\n  plane: {gap: z, slip: [\"x'\", \"y'\"], friction: 0.3, friction_static: "
                             "0.4, restitution: 0}\nrun: {t_end: 10}\n";

static const system_case cases[] = {
    {"ball", "", 0, "exact", 0, 8, 0},
    {"linear-oscillator", "rho=0.5", 0, "exact", 0, 8, 0},
    {"linear-oscillator", "rho=0.9", 0, "exact", 0, 8, 0},
    {"linear-oscillator", "f=-5", 0, "exact", 0, 8, 0},
    {"take-off", "", 0, "exact", 0, 1, 0},
    {"rest-phase", "", 0, "exact", 0, 1, 0},
    {"vibrating-table", "", 0, "exact", 0, 8, 0},
    {"impact-pair", "", 0, "exact", 0, 8, 0},
    {"impact-oscillator", "w=2 e=0.5", 0, "exact", 0, 8, 0},
    {"newton-cradle", "", 0, "exact", 0, 8, 0},
    {"stacked-balls", "", 0, "exact", 0, 8, 0},
    {"bead-column", "", 0, "exact", 0, 8, 0},
    {"double-pendulum-wall", "", 0, "crank-nicolson", 4e-4, 8, 0},
    {"pendulum-wall", "", 0, "crank-nicolson", 4e-4, 8, 0},
    {"pendulum-wall-cartesian", "", 0, "crank-nicolson", 4e-4, 8, 0},
    {"dome", "", 0, "crank-nicolson", 4e-4, 8, 0},
    {"cam-follower", "", 0.2, "crank-nicolson", 4e-5, 8, 0},
    {"sliding-block", "", 0, "crank-nicolson", 4e-4, 8, 0},
    {"belt", "", 0, "crank-nicolson", 4e-4, 1, 0},
    {"disc", "", 0, "crank-nicolson", 4e-4, 8, 0},
    {"box", "", 0, "crank-nicolson", 4e-4, 8, 0},
    {"rocking-block", "", 0, "crank-nicolson", 4e-4, 8, 0},
    {"woodpecker", "", 0, "crank-nicolson", 4e-5, 8, 20000},
    {"slider-crank", "v.th1=15 v.th2=-7.5 q.th3=0.015", 0.05, "crank-nicolson", 1e-5, 8, 0}, /* strikes twice */
    {"dimer", "", 0.2, "crank-nicolson", 4e-5, 8, 0},
    {"point-on-plane", "", 0, "crank-nicolson", 4e-4, 1, 20000},
    {pushed, "", 0, "crank-nicolson", 4e-4, 1, 20000},
    {spring, "", 0, "crank-nicolson", 1e-4, 50, 20000},
    {"billiard-ball", "", 0, "crank-nicolson", 4e-4, 8, 0},
    {"billiard-ball", "v.ax=60 v.y=0", 0, "crank-nicolson", 4e-4, 8, 0},
};

/* ---- how far the motion can be told in advance ---- */

/* Do as many contacts touch at the start as in the model itself? A gap opened by d closes again with the velocity
 * sqrt(d). */
static bool touches_as(const carom_model *model, const carom_options *o, int *touching)
{
    carom_error error;
    carom_sim *sim;
    int n = 0;
    if (carom_sim_new(&sim, model, o, &error) != CAROM_OK)
        return false;
    for (int c = 0; c < model->ncontact; c++)
        n += carom_sim_state(sim)->mode[c] != CAROM_OPEN;
    carom_sim_free(sim);
    bool same = n == *touching;
    *touching = n;
    return same;
}

/* The base motion at time s, with value i (positions first) moved by d max(1, |value|). Values that violate a joint or
 * overlap are assembled; where this moves one by more than d, it is no motion that was moved by d. */
static bool move(carom_model *model, const carom_path *base, double s, int i, double d)
{
    char names[2 * CAROM_STUDY_Q][40];
    const char *name[2 * CAROM_STUDY_Q];
    double value[2 * CAROM_STUDY_Q];
    carom_error error;
    int n = model->nq;
    carom_trajectory_at(base->trajectory, s, 1, value, value + n);
    value[i] += d * fmax(1, fabs(value[i]));
    for (int k = 0; k < 2 * n; k++) {
        snprintf(names[k], sizeof names[k], "%c.%s", k < n ? 'q' : 'v', model->q_name[k % n]);
        name[k] = names[k];
    }
    if (carom_model_set(model, name, value, 2 * n, &error) != CAROM_OK)
        return false;
    double most = fmax(fabs(d), 1e-12);
    for (int k = 0; k < n; k++)
        if (fabs(model->q[k] - value[k]) > most * fmax(1, fabs(value[k])))
            return false;
    return true;
}

/* Where a motion that was moved at s is more than 10 d off, at the latest `end`; *factor: the most before. */
static double parts_at(const system_case *c, const carom_path *base, double s, int i, double d, double end,
                       double *factor)
{
    carom_model *model = carom_study_load(c->model, c->set), *still = carom_study_load(c->model, c->set);
    carom_options o = carom_study_options(model, "tolerance", 1e-12, end - s);
    carom_path other = {0};
    double q[CAROM_STUDY_Q], v[CAROM_STUDY_Q], t = end;
    int touching = 0;
    bool possible = move(still, base, s, i, 0) && (touches_as(still, &o, &touching), move(model, base, s, i, d)) &&
                    touches_as(model, &o, &touching) && carom_path_follow(&other, model, &o, end - s);
    for (int k = 1; possible && k <= SAMPLES; k++) {
        t = s + (end - s) * k / SAMPLES;
        if (carom_trajectory_at(other.trajectory, t - s, 1, q, v) != CAROM_OK)
            break;
        double off = carom_path_apart(base, q, model->nq, t) / fabs(d);
        if (off > 10) {
            t = s + (end - s) * (k - 1) / SAMPLES;
            break;
        }
        *factor = fmax(*factor, off);
    }
    if (other.sim)
        carom_path_leave(&other);
    carom_model_free(model);
    carom_model_free(still);
    return t;
}

/* Moved at the start, and later where the motion can be begun anew: after whole periods, or anywhere if time is not
 * in it. */
static double horizon_of(const system_case *c, const carom_model *model, double t_end, double *factor)
{
    carom_options o = carom_study_options(model, "tolerance", 1e-13, t_end);
    carom_path base;
    double horizon = t_end;
    *factor = 0;
    if (!carom_path_follow(&base, model, &o, t_end))
        exit(1);
    for (int place = 0; place < c->places; place++) {
        double s = t_end * place / c->places;
        if (model->period > 0)
            s = model->period * round(s / model->period);
        for (int i = 0; i < 2 * model->nq && s < horizon; i++)
            for (int sign = -1; sign <= 1; sign += 2)
                horizon = parts_at(c, &base, s, i, sign * 1e-8, horizon, factor);
    }
    carom_path_leave(&base);
    return horizon;
}

/* ---- errors ---- */

typedef struct row {
    double horizon, factor, off, off6;
    long impacts;
    carom_outcome at[TOLS];
} row;

static row study(const system_case *c, carom_model *model)
{
    row r;
    double t_end = c->t_end > 0 ? c->t_end : carom_study_options(model, "tolerance", 1e-6, 0).t_end;
    r.horizon = horizon_of(c, model, t_end, &r.factor);
    if (!(r.horizon > 0)) { /* nothing would be measured, and nothing is always kept */
        fprintf(stderr, "%s: values that are moved at the start part at once\n", model->name);
        exit(1);
    }
    carom_options o = carom_study_options(model, "tolerance", 1e-13, r.horizon);
    carom_path reference;
    if (!carom_path_follow(&reference, model, &o, r.horizon))
        exit(1);
    r.impacts = carom_sim_info(reference.sim)->events[CAROM_EVENT_IMPACT];
    r.off = carom_study_second(model, &reference, c->second, c->h, r.horizon);
    r.off6 =
        carom_study_second(model, &reference, "mixed:rk=gauss6", r.horizon / (c->fine ? c->fine : 2000), r.horizon);
    for (int k = 0; k < TOLS; k++)
        r.at[k] =
            carom_study_measure(model, "tolerance", pow(10, -FIRST - k), r.horizon, carom_path_positions, &reference);
    carom_path_leave(&reference);
    return r;
}

static void heading(const char *first, int step)
{
    printf("%s", first);
    for (int k = 0; k < TOLS; k += step)
        printf(" 1e-%d |", FIRST + k);
    printf("\n|");
    for (const char *s = first + 1; *s; s++)
        if (*s == '|')
            printf("---|");
    for (int k = 0; k < TOLS; k += step)
        printf("---|");
    printf("\n");
}

void carom_study_kept(const char *only)
{
    enum { N = sizeof cases / sizeof *cases };
    static row rows[N];
    static char name[N][80];
    int good = 0, kept = 0, all = 0, sure = 0;
    heading("| system | horizon | factor | impacts | reference, second method | gauss6 |", 1);
    for (int i = 0; i < N; i++) {
        const system_case *c = &cases[i];
        carom_model *model = carom_study_load(c->model, c->set);
        if (only && strcmp(only, c->model) != 0 && strcmp(only, model->name) != 0) {
            carom_model_free(model);
            continue;
        }
        snprintf(name[i], sizeof name[i], "%s%s%s", strchr(c->model, '\n') ? model->name : c->model,
                 *c->set ? ", " : "", c->set);
        rows[i] = study(c, model);
        printf("| %s | %.4g | %.1f | %ld | %.0e (%s) | %.0e |", name[i], rows[i].horizon, rows[i].factor,
               rows[i].impacts, rows[i].off, c->second, rows[i].off6);
        for (int k = 0; k < TOLS; k++) {
            double tol = pow(10, -FIRST - k), e = rows[i].at[k].error / tol;
            printf(e < 0.005 ? " 0 |" : " %.2g |", e);
            all++, good += e <= 3, kept += e <= 10;
            sure += fmin(rows[i].off, rows[i].off6) <= tol;
        }
        printf("\n");
        fflush(stdout);
        carom_model_free(model);
    }
    printf("\n%d of %d runs are within 3 tol, %d within 10 tol; in %d the reference is confirmed to below tol.\n\n",
           good, all, kept, sure);
    heading("| system: steps, evaluations |", 2);
    for (int i = 0; i < N; i++) {
        if (!*name[i])
            continue;
        printf("| %s |", name[i]);
        for (int k = 0; k < TOLS; k += 2)
            printf(" %ld, %ld |", rows[i].at[k].steps, rows[i].at[k].evaluations);
        printf("\n");
    }
}
