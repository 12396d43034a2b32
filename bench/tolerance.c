/* tolerance.c: does `tolerance` keep its tolerance? Errors of positions over tol, steps and evaluations, as a table.
 *
 * Each system runs with rtol = atol = tol. Its error is the largest difference of any position q from the reference, at the
 * ends of all steps, over tol max(1, |q|). Its horizon is the time up to which values off by d max(1, |value|) at the start
 * or at some later times move no position by more than 10 d: beyond it no method can keep a tolerance. The reference is
 * `tolerance` at 1e-13, itself compared at equally spaced times with a second method: `exact` where the model is linear,
 * otherwise Crank-Nicolson extrapolated from two steps.
 *
 * bench-tolerance [name]: one system only. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "carom.h"

enum { MAX_Q = 16, SAMPLES = 2000, TOLS = 9, FIRST = 3 };

typedef struct system_case {
    const char *model, *set; /* a name, or the text; "name=value name=value" */
    double t_end;            /* 0: the model's */
    const char *second;      /* method; "crank-nicolson" is extrapolated */
    double h;                /* its step */
    int places; /* where values are moved; 1: it cannot be begun anew, forces depend on time or friction sticks */
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
    {"ball", "", 0, "exact", 0, 8},
    {"linear-oscillator", "rho=0.5", 0, "exact", 0, 8},
    {"linear-oscillator", "rho=0.9", 0, "exact", 0, 8},
    {"linear-oscillator", "f=-5", 0, "exact", 0, 8},
    {"take-off", "", 0, "exact", 0, 1},
    {"rest-phase", "", 0, "exact", 0, 1},
    {"vibrating-table", "", 0, "exact", 0, 8},
    {"impact-pair", "", 0, "exact", 0, 8},
    {"impact-oscillator", "w=2 e=0.5", 0, "exact", 0, 8},
    {"newton-cradle", "", 0, "exact", 0, 8},
    {"stacked-balls", "", 0, "exact", 0, 8},
    {"bead-column", "", 0, "exact", 0, 8},
    {"double-pendulum-wall", "", 0, "crank-nicolson", 4e-4, 8},
    {"pendulum-wall", "", 0, "crank-nicolson", 4e-4, 8},
    {"pendulum-wall-cartesian", "", 0, "crank-nicolson", 4e-4, 8},
    {"dome", "", 0, "crank-nicolson", 4e-4, 8},
    {"cam-follower", "", 0.2, "crank-nicolson", 4e-5, 8},
    {"sliding-block", "", 0, "crank-nicolson", 4e-4, 8},
    {"belt", "", 0, "crank-nicolson", 4e-4, 1},
    {"disc", "", 0, "crank-nicolson", 4e-4, 8},
    {"box", "", 0, "crank-nicolson", 4e-4, 8},
    {"rocking-block", "", 0, "crank-nicolson", 4e-4, 8},
    {"woodpecker", "", 0, "crank-nicolson", 4e-5, 8},
    {"slider-crank", "", 0, "crank-nicolson", 1e-5, 8},
    {"dimer", "", 0.2, "crank-nicolson", 4e-5, 8},
    {"point-on-plane", "", 0, "crank-nicolson", 4e-4, 1},
    {pushed, "", 0, "crank-nicolson", 4e-4, 1},
    {spring, "", 0, "crank-nicolson", 1e-4, 50},
    {"billiard-ball", "", 0, "crank-nicolson", 4e-4, 8},
    {"billiard-ball", "v.ax=60 v.y=0", 0, "crank-nicolson", 4e-4, 8},
};

static void die(const char *what, const carom_error *error)
{
    printf("%s: %s\n", what, error->text);
    exit(1);
}

static carom_model *load(const system_case *c)
{
    carom_error error;
    carom_model *model;
    carom_load_options options = {.assemble = true};
    if ((strchr(c->model, '\n') ? carom_model_parse(&model, "text", c->model, strlen(c->model), &options, &error)
                                : carom_model_load(&model, c->model, &options, &error)) != CAROM_OK)
        die(c->model, &error);
    char key[32];
    for (const char *s = c->set; *s; s += strcspn(s, " "), s += strspn(s, " ")) {
        double value;
        if (sscanf(s, "%31[^=]=%lf", key, &value) != 2 ||
            carom_model_set(model, &(const char *){key}, &value, 1, &error) != CAROM_OK)
            die(s, &error);
    }
    return model;
}

static carom_options options_of(const carom_model *model, const char *scheme, double tol, double t_end)
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

/* A run that is kept: positions from its dense output. */
typedef struct path {
    carom_sim *sim;
    carom_trajectory *trajectory;
} path;

static bool follow(path *p, const carom_model *model, const carom_options *o, double t_end)
{
    carom_error error = {0};
    *p = (path){0};
    if (carom_sim_new(&p->sim, model, o, &error) != CAROM_OK ||
        carom_trajectory_new(&p->trajectory, p->sim, &error) != CAROM_OK) {
        fprintf(stderr, "%s: %s\n", model->name, error.text);
        return false;
    }
    carom_status status = carom_sim_run(p->sim, t_end);
    if (status == CAROM_OK || status == CAROM_STOPPED)
        return true;
    fprintf(stderr, "%s by %s: %s\n", model->name, o->scheme, carom_sim_error(p->sim)->text);
    return false;
}

static void leave(path *p)
{
    carom_trajectory_free(p->trajectory);
    carom_sim_free(p->sim);
    *p = (path){0};
}

static double apart(const path *p, const double *q, int n, double t)
{
    double at[MAX_Q], v[MAX_Q], most = 0;
    if (carom_trajectory_at(p->trajectory, t, 1, at, v) != CAROM_OK)
        return INFINITY;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(at[i] - q[i]) / fmax(1, fabs(at[i])));
    return most;
}

/* ---- how far the motion can be told in advance ---- */

/* Do as many contacts touch at the start as in the model itself? A gap opened by d closes again with the velocity sqrt(d). */
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

/* The base motion at time s, with value i (positions first) moved by d max(1, |value|). */
static bool move(carom_model *model, const path *base, double s, int i, double d)
{
    char names[2 * MAX_Q][40];
    const char *name[2 * MAX_Q];
    double value[2 * MAX_Q];
    carom_error error;
    int n = model->nq;
    carom_trajectory_at(base->trajectory, s, 1, value, value + n);
    value[i] += d * fmax(1, fabs(value[i]));
    for (int k = 0; k < 2 * n; k++) {
        snprintf(names[k], sizeof names[k], "%c.%s", k < n ? 'q' : 'v', model->q_name[k % n]);
        name[k] = names[k];
    }
    return carom_model_set(model, name, value, 2 * n, &error) == CAROM_OK;
}

/* Where a motion that was moved at s is more than 10 d off, at the latest `end`; *factor: the most before. */
static double parts_at(const system_case *c, const path *base, double s, int i, double d, double end, double *factor)
{
    carom_model *model = load(c), *still = load(c);
    carom_options o = options_of(model, "tolerance", 1e-12, end - s);
    path other = {0};
    double q[MAX_Q], v[MAX_Q], t = end;
    int touching = 0;
    bool possible = move(still, base, s, i, 0) && (touches_as(still, &o, &touching), move(model, base, s, i, d)) &&
                    touches_as(model, &o, &touching) && follow(&other, model, &o, end - s);
    for (int k = 1; possible && k <= SAMPLES; k++) {
        t = s + (end - s) * k / SAMPLES;
        if (carom_trajectory_at(other.trajectory, t - s, 1, q, v) != CAROM_OK)
            break;
        double off = apart(base, q, model->nq, t) / fabs(d);
        if (off > 10) {
            t = s + (end - s) * (k - 1) / SAMPLES;
            break;
        }
        *factor = fmax(*factor, off);
    }
    if (other.sim)
        leave(&other);
    carom_model_free(model);
    carom_model_free(still);
    return t;
}

/* Moved at the start, and later where the motion can be begun anew: after whole periods, or anywhere if time is not in it. */
static double horizon_of(const system_case *c, const carom_model *model, double t_end, double *factor)
{
    carom_options o = options_of(model, "tolerance", 1e-13, t_end);
    path base;
    double horizon = t_end;
    *factor = 0;
    if (!follow(&base, model, &o, t_end))
        exit(1);
    for (int place = 0; place < c->places; place++) {
        double s = t_end * place / c->places;
        if (model->period > 0)
            s = model->period * round(s / model->period);
        for (int i = 0; i < 2 * model->nq && s < horizon; i++)
            for (int sign = -1; sign <= 1; sign += 2)
                horizon = parts_at(c, &base, s, i, sign * 1e-8, horizon, factor);
    }
    leave(&base);
    return horizon;
}

/* ---- errors ---- */

typedef struct result {
    double error; /* over tol */
    long steps, evaluations;
} result;

static result measure(const carom_model *model, const path *reference, double tol, double t_end, double t_run)
{
    carom_options o = options_of(model, "tolerance", tol, t_run);
    path p;
    result r = {0};
    double q[MAX_Q], v[MAX_Q];
    if (!follow(&p, model, &o, t_end)) {
        r.error = INFINITY;
    } else {
        const carom_segment *s;
        for (size_t i = 0; (s = carom_trajectory_segment(p.trajectory, i)); i++) {
            carom_trajectory_at(p.trajectory, s->t1, 1, q, v);
            r.error = fmax(r.error, apart(reference, q, model->nq, s->t1) / tol);
        }
        const carom_info *info = carom_sim_info(p.sim);
        r.steps = info->steps, r.evaluations = info->rhs_evaluations;
    }
    if (p.sim)
        leave(&p);
    return r;
}

/* Largest difference of the reference from the second method on a grid of times. */
static double cross_check(const system_case *c, const carom_model *model, const path *reference, double t_end)
{
    enum { GRID = 200 };
    bool richardson = strcmp(c->second, "crank-nicolson") == 0;
    double h = richardson ? t_end / GRID / ceil(t_end / GRID / c->h) : t_end / GRID, most = 0;
    path p[2] = {{0}};
    for (int k = 0; k < 1 + richardson; k++) {
        carom_options o = options_of(model, c->second, 1e-13, t_end);
        o.h = h / (1 + k);
        o.newton_tol = 1e-13;
        if (!follow(&p[k], model, &o, t_end))
            return NAN;
    }
    for (int k = 1; k <= GRID; k++) {
        double t = t_end * k / GRID, q[2][MAX_Q], v[MAX_Q];
        for (int j = 0; j < 1 + richardson; j++)
            if (carom_trajectory_at(p[j].trajectory, t, 1, q[j], v) != CAROM_OK)
                return NAN;
        for (int i = 0; richardson && i < model->nq; i++)
            q[0][i] = (4 * q[1][i] - q[0][i]) / 3;
        most = fmax(most, apart(reference, q[0], model->nq, t));
    }
    for (int k = 0; k < 1 + richardson; k++)
        leave(&p[k]);
    return most;
}

typedef struct row {
    double horizon, factor, off;
    result at[TOLS];
} row;

static row study(const system_case *c, carom_model *model)
{
    row r;
    double t_end = c->t_end > 0 ? c->t_end : options_of(model, "tolerance", 1e-6, 0).t_end;
    r.horizon = horizon_of(c, model, t_end, &r.factor);
    carom_options o = options_of(model, "tolerance", 1e-13, r.horizon);
    path reference;
    if (!follow(&reference, model, &o, r.horizon))
        exit(1);
    r.off = cross_check(c, model, &reference, r.horizon);
    for (int k = 0; k < TOLS; k++)
        r.at[k] = measure(model, &reference, pow(10, -FIRST - k), r.horizon, r.horizon);
    leave(&reference);
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

int main(int argc, char **argv)
{
    enum { N = sizeof cases / sizeof *cases };
    static row rows[N];
    static char name[N][80];
    int good = 0, kept = 0, all = 0;
    heading("| system | horizon | factor | reference off by |", 1);
    for (int i = 0; i < N; i++) {
        const system_case *c = &cases[i];
        if (argc > 1 && strcmp(argv[1], c->model) != 0)
            continue;
        carom_model *model = load(c);
        snprintf(name[i], sizeof name[i], "%s%s%s", strchr(c->model, '\n') ? model->name : c->model,
                 *c->set ? ", " : "", c->set);
        rows[i] = study(c, model);
        printf("| %s | %.4g | %.1f | %.0e (%s) |", name[i], rows[i].horizon, rows[i].factor, rows[i].off, c->second);
        for (int k = 0; k < TOLS; k++) {
            double e = rows[i].at[k].error;
            printf(e < 0.005 ? " 0 |" : " %.2g |", e);
            all++, good += e <= 3, kept += e <= 10;
        }
        printf("\n");
        fflush(stdout);
        carom_model_free(model);
    }
    printf("\n%d of %d runs are within 3 tol, %d within 10 tol.\n\n", good, all, kept);
    heading("| system: steps, evaluations |", 2);
    for (int i = 0; i < N; i++) {
        if (!*name[i])
            continue;
        printf("| %s |", name[i]);
        for (int k = 0; k < TOLS; k += 2)
            printf(" %ld, %ld |", rows[i].at[k].steps, rows[i].at[k].evaluations);
        printf("\n");
    }
    return 0;
}
