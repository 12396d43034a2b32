/* zeno.c: infinitely many impacts in finite time: when they end, and that nothing falls through or never ends. */
#include "study.h"

static const char ball[] =
    "carom: 1\nname: ball\nparameters: {e: 0.5}\ncoordinates: {q: 1}\nkinetic: q'^2/2\npotential: 2*q\n"
    "contacts:\n  floor: {gap: q, restitution: e}\nrun: {t_end: 5}\n";
static const char any[] =
    "carom: 1\nname: oscillator\nparameters: {m: 1, k: 0, c: 0, f: -2, e: 0.5}\ncoordinates: {q: 1}\n"
    "kinetic: m*q'^2/2\nforces: {q: \"f - k*q - c*q'\"}\ncontacts:\n  floor: {gap: q, restitution: e}\nrun: {t_end: "
    "5}\n";

/* Falls for 1, then flights of 2 e^n: they accumulate at 1 + 2 e/(1 - e). */
static void put_times(void)
{
    static const double e[] = {0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95, 0.99, 0.999};
    double worst = 0;
    printf("| restitution | accumulates at | 1e-3 | 1e-5 | 1e-7 | 1e-9 | 1e-11 |\n|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof e / sizeof *e; i++) {
        carom_model *model = carom_study_load(ball, "");
        carom_error error;
        double T = 1 + 2 * e[i] / (1 - e[i]);
        carom_model_set(model, &(const char *){"e"}, &e[i], 1, &error);
        printf("| %g | %.6g |", e[i], T);
        for (int k = 3; k <= 11; k += 2) {
            double tol = pow(10, -k), bound = tol * fmax(1, T) / (1 - e[i]);
            carom_options o = carom_study_options(model, "tolerance", tol, 1.2 * T);
            carom_path p;
            if (!carom_path_follow(&p, model, &o, 1.2 * T))
                exit(1);
            const carom_info *info = carom_sim_info(p.sim);
            const carom_event *event = carom_trajectory_event(p.trajectory, 0);
            double t = info->nzeno ? info->zeno[0].t : e[i] == 0 ? event->t : NAN; /* one impact is no accumulation */
            double off = fabs(t - T) / bound;
            bool resting = carom_sim_state(p.sim)->mode[0] == CAROM_CLOSED;
            printf(" %.1g (%ld)%s |", off, info->events[CAROM_EVENT_IMPACT], resting ? "" : ", not at rest");
            worst = off <= worst ? worst : off;
            carom_path_leave(&p);
        }
        printf("\n");
        carom_model_free(model);
    }
    printf("\nOff by at most %.1g tol max(1, T)/(1 - e); the aim is 10. In brackets: impacts computed.\n\n", worst);
}

static unsigned long state = 12345;

static double uniform(double low, double high) /* the same numbers everywhere */
{
    state = (state * 1103515245ul + 12345ul) & 0x7ffffffful;
    return low + (high - low) * (double)state / 2147483648.0;
}

static void put_random(void)
{
    enum { N = 1000 };
    int failed = 0, through = 0, dear = 0;
    long most = 0;
    double deepest = 0;
    carom_model *model = carom_study_load(any, "");
    for (int i = 0; i < N; i++) {
        bool is_ball = i % 2 == 0;
        double m = pow(10, uniform(-1, 1)), k = is_ball ? 0 : pow(10, uniform(-1, 3)),
               c = is_ball ? 0 : uniform(0, 1) * sqrt(k * m) / 5,
               f = is_ball ? -pow(10, uniform(-1, 2)) : uniform(-20, 20),
               e = uniform(0, 1) < 0.1 ? uniform(0.95, 0.999) : uniform(0, 0.95), q = pow(10, uniform(-2, 1)),
               v = uniform(-5, 5), tol = pow(10, -floor(uniform(3, 10)));
        carom_error error;
        carom_sim *sim;
        if (carom_model_set(model, (const char *const[]){"m", "k", "c", "f", "e", "q.q", "v.q"},
                            (const double[]){m, k, c, f, e, q, v}, 7, &error) != CAROM_OK) {
            fprintf(stderr, "%s\n", error.text);
            exit(1);
        }
        carom_options o = carom_study_options(model, "tolerance", tol, 20);
        if (carom_sim_new(&sim, model, &o, &error) != CAROM_OK) {
            failed++;
            continue;
        }
        carom_status status = carom_sim_run(sim, 20);
        const carom_info *info = carom_sim_info(sim);
        if (status != CAROM_OK)
            fprintf(stderr, "m=%g k=%g c=%g f=%g e=%g q=%g v=%g tol=%g: %s\n", m, k, c, f, e, q, v, tol,
                    carom_sim_error(sim)->text);
        failed += status != CAROM_OK;
        deepest = fmax(deepest, info->max_penetration / fmax(1, q));
        through += info->max_penetration > 1e-9;
        dear += info->rhs_evaluations > 1000000;
        most = info->rhs_evaluations > most ? info->rhs_evaluations : most;
        carom_sim_free(sim);
    }
    carom_model_free(model);
    printf("%d random balls and oscillators to t = 20: %d fail, %d fall through (deepest %.0e), %d take more than 1e6 "
           "evaluations (most "
           "%ld).\n",
           N, failed, through, deepest, dear, most);
}

void carom_study_zeno(void)
{
    printf("\n### Accumulations\n\nThe accumulation time of a bouncing ball, extrapolated from the impacts computed: "
           "its error over tol "
           "max(1, T)/(1 - e).\n\n");
    put_times();
    put_random();
}
