/* hard.c: cases that make event-driven methods fail, with the errors of an earlier implementation of the same rules
 * beside. */
#include "study.h"

enum { MOST = 4 };

typedef struct hard_case {
    const char *name, *model, *set, *scheme;
    double t_end;
    carom_positions *exact; /* NULL: `exact` where it takes the model, otherwise tolerance at 1e-13 */
    const void *user;
    int n;
    double tol[MOST], there[MOST]; /* errors there; NAN: not run there */
} hard_case;

/* ---- closed forms ---- */

/* Pushed by 3 t against mu = 0.2: slips from 0.654 on. */
static void box_exact(const void *user, double t, double *q)
{
    double s = 0.2 * 9.81 / 3, d = fmax(t - s, 0);
    (void)user;
    q[0] = t > s ? 0.5 * (t * t * t - s * s * s) - 1.5 * s * s * d - 0.2 * 9.81 * d * d / 2 : 0;
    q[1] = 0.1, q[2] = 0;
}

/* The moment 4 t tips the plate over one edge at 0.75. */
static void plate_exact(const void *user, double t, double *q)
{
    double d = fmax(t - 0.75, 0), angle = 4 * d * d * d / 6 / (0.1 + 0.09);
    (void)user;
    q[0] = 0.3 * angle, q[1] = angle, q[2] = 0;
}

/* Bounces, slips, rolls: impacts change the slip by mu (1 + e) u, the floor by mu g t. */
static void disc_exact(const void *user, double t, double *q)
{
    const double *p = user, g = 9.81, r = 0.1, e = 0.6, mu = p[0], w0 = p[1], first = sqrt(2 / g);
    double u = g * first, start = first, vx = 0, w = -w0, x = 0, phi = -w0 * first, roll = r * w0 / (3 * mu * g);
    q[0] = 0, q[1] = r + 1 - g * t * t / 2, q[2] = -w0 * t;
    if (t < first)
        return;
    for (int n = 0; n < 200; n++) {
        double slip = vx + r * w, take = fmin(mu * (1 + e) * u, -slip / 3); /* it may roll already */
        vx += take, w += 2 / r * take;
        u *= e;
        double length = 2 * u / g, s = t - start;
        if (s < length) {
            q[0] = x + vx * s, q[1] = r + u * s - g * s * s / 2, q[2] = phi + w * s;
            return;
        }
        x += vx * length, phi += w * length, start += length;
    }
    double s = fmax(fmin(t, roll) - start, 0), after = t - start - s, a = mu * g, b = 2 / r * mu * g;
    q[0] = x + vx * s + a * s * s / 2 + after * (vx + a * s);
    q[1] = r;
    q[2] = phi + w * s + b * s * s / 2 + after * (w + b * s);
}

/* ---- models ---- */

static const char pushed_box[] =
    "carom: 1\nname: box pushed by 3 t\ncoordinates: {x: 0, y: 0.1, th: 0}\nkinetic: (x'^2 + y'^2)/2 + "
    "th'^2/20\npotential: 9.81*y\n"
    "forces: {x: 3*t}\nlet: {c: cos(th), s: sin(th)}\ncontacts:\n"
    "  left: {gap: y - 0.5*s - 0.1*c, slip: [\"x' + (0.1*c + 0.5*s)*th'\"], friction: 0.2, restitution: 0}\n"
    "  right: {gap: y + 0.5*s - 0.1*c, slip: [\"x' + (0.1*c - 0.5*s)*th'\"], friction: 0.2, restitution: 0}\nrun: "
    "{t_end: 1.2}\n";
#define PLATE_ON(e, start, force)                                                                                      \
    "carom: 1\nname: plate on four corners\ncoordinates: " start "\nkinetic: (z'^2 + 0.1*a'^2 + 0.1*b'^2)/2\n"         \
    "potential: 10*z\n" force "contacts:\n"                                                                            \
    "  c1: {gap: z + 0.3*a + 0.2*b, restitution: " e "}\n  c2: {gap: z + 0.3*a - 0.2*b, restitution: " e "}\n"         \
    "  c3: {gap: z - 0.3*a + 0.2*b, restitution: " e "}\n  c4: {gap: z - 0.3*a - 0.2*b, restitution: " e "}\n"         \
    "run: {t_end: 1.5}\n"
static const char plate[] = PLATE_ON("0", "{z: 0, a: 0, b: 0}", "forces: {a: 4*t}\n");
static const char flat[] = PLATE_ON("0.5", "{z: 0.1, a: 0, b: 0}", "");
static const char tilted[] = PLATE_ON("0.5", "{z: 0.1, a: 1e-3, b: 0}", "");
static const char beads3[] =
    "carom: 1\nname: three balls\ncoordinates: {y1: 0.2, y2: 0.5, y3: 0.9}\nkinetic: (y1'^2 + y2'^2 + y3'^2)/2\n"
    "potential: 9.81*(y1 + y2 + y3)\ncontacts:\n  floor: {gap: y1, restitution: 0.5}\n  c2: {gap: y2 - y1, "
    "restitution: 0.5}\n"
    "  c3: {gap: y3 - y2, restitution: 0.5}\nrun: {t_end: 0.5}\n";
static const char ladder[] = /* 2 m, leans at 1 rad */
    "carom: 1\nname: ladder\nparameters: {mu: 0.2}\ncoordinates: {x: cos(1), y: sin(1), th: 1}\n"
    "kinetic: (x'^2 + y'^2)/2 + th'^2/6\npotential: 9.81*y\ncontacts:\n"
    "  floor: {gap: y - sin(th), slip: [\"x' - sin(th)*th'\"], friction: mu, restitution: 0}\n"
    "  wall: {gap: x - cos(th), slip: [\"y' + cos(th)*th'\"], friction: mu, restitution: 0}\nrun: {t_end: 0.5}\n";
static const char point[] =
    "carom: 1\nname: point\nparameters: {ms: 0.3}\ncoordinates: {x: 0, y: 0, z: 0}\nkinetic: (x'^2 + y'^2 + z'^2)/2\n"
    "potential: 10*z\nforces: {x: 4*sin(2*t), y: 2.5*sin(3.1*t + 0.7)}\ncontacts:\n"
    "  plane: {gap: z, slip: [\"x'\", \"y'\"], friction: 0.3, friction_static: ms, restitution: 0}\nrun: {t_end: 10}\n";
static const char tripod[] = /* slides and spins on three feet 0.2 below its centre */
    "carom: 1\nname: tripod\ncoordinates: {x: 0, y: 0, z: 0, a: 0, b: 0, c: 0}\nvelocities: {x: 1.5, y: 0.4, c: 4}\n"
    "kinetic: (x'^2 + y'^2 + z'^2 + 0.1*a'^2 + 0.12*b'^2 + 0.15*c'^2)/2\npotential: 9.81*z\ncontacts:\n"
    "  f1: {gap: z - 0.5*b, slip: [\"x' - 0.2*b'\", \"y' + 0.2*a' + 0.5*c'\"], friction: 0.3, restitution: 0}\n"
    "  f2: {gap: z + 0.4*a + 0.3*b, slip: [\"x' - 0.2*b' - 0.4*c'\", \"y' + 0.2*a' - 0.3*c'\"], friction: 0.3, "
    "restitution: 0}\n"
    "  f3: {gap: z - 0.4*a + 0.3*b, slip: [\"x' - 0.2*b' + 0.4*c'\", \"y' + 0.2*a' - 0.3*c'\"], friction: 0.3, "
    "restitution: 0}\n"
    "run: {t_end: 1}\n";
static const char box_wall[] = /* slides into a wall, lower edge first */
    "carom: 1\nname: box against a wall\ncoordinates: {x: 0, y: 0.1, th: 0}\nvelocities: {x: 2}\n"
    "kinetic: (x'^2 + y'^2)/2 + th'^2/20\npotential: 9.81*y\nlet: {c: cos(th), s: sin(th)}\ncontacts:\n"
    "  left: {gap: y - 0.2*s - 0.1*c, slip: [\"x' + (0.1*c + 0.2*s)*th'\"], friction: 0.2, restitution: 0.1}\n"
    "  right: {gap: y + 0.2*s - 0.1*c, slip: [\"x' + (0.1*c - 0.2*s)*th'\"], friction: 0.2, restitution: 0.1}\n"
    "  kerb: {gap: 0.6 - x - 0.2*c - 0.05*s, slip: [\"y' + (0.2*c - 0.05*s)*th'\"], friction: 0.2, restitution: 0.4}\n"
    "run: {t_end: 0.8}\n";
static const char legs[] = /* two masses, a stiff damper between them; the lower one bounces */
    "carom: 1\nname: legs\ncoordinates: {y1: 0.3, y2: 0.8}\nkinetic: (y1'^2 + y2'^2)/2\n"
    "potential: 9.81*(y1 + y2) + 1e5*(y2 - y1 - 0.5)^2/2\nforces: {y1: \"2e3*(y2' - y1')\", y2: \"-2e3*(y2' - y1')\"}\n"
    "contacts:\n  ground: {gap: y1, restitution: 0.5}\nrun: {t_end: 0.5}\n";

static const double light[] = {0.02, 80}, heavy[] = {0.1, 40};
#define THREE                                                                                                          \
    {                                                                                                                  \
        1e-4, 1e-7, 1e-10                                                                                              \
    }
#define NOT_RUN                                                                                                        \
    {                                                                                                                  \
        NAN, NAN, NAN, NAN                                                                                             \
    }

static const hard_case cases[] = {
    {"box pushed by 3 t, slips at 0.654", pushed_box, "", "", 1.2, box_exact, NULL, 3, THREE, {1e-16, 1e-16, 1e-16}},
    {"plate on 4 corners, tips at 0.75", plate, "", "", 1.5, plate_exact, NULL, 3, THREE, {1.9e-16, 1.9e-16, 1.9e-16}},
    {"2 balls, both contacts accumulate", "stacked-balls", "", "", 3, NULL, NULL, 3, THREE, {1.4e-15, 9e-16, 9e-16}},
    {"3 balls, before the collapse", beads3, "", "", 0.5, NULL, NULL, 3, THREE, {3.7e-6, 5.4e-9, 1.3e-11}},
    {"10 beads, gaps 0.1, e = 0.9, before the first accumulation",
     "bead-column",
     "",
     "",
     0.865,
     NULL,
     NULL,
     3,
     THREE,
     {2.8e-4, 1e-15, 7e-16}},
    {"10 beads, gaps 1e-3, e = 0.6, before the collapse",
     "bead-column",
     "d=1e-3 e=0.6",
     "",
     0.3,
     NULL,
     NULL,
     2,
     {1e-6, 1e-10},
     {5e-7, 6.6e-10}},
    {"ball hit inside its tail",
     "stacked-balls",
     "e=0.8 q.y1=0.3 q.y2=20",
     "",
     2.2,
     NULL,
     NULL,
     3,
     {1e-4, 1e-6, 1e-8},
     {4.5e-14, 2.7e-14, 2.7e-14}},
    {"disc, mu = 0.02, frozen slipping",
     "disc",
     "mu=0.02 w0=80",
     "",
     4,
     disc_exact,
     light,
     3,
     THREE,
     {1.4e-14, 7e-15, 1.1e-14}},
    {"disc, mu = 0.1, bounces, then rolls",
     "disc",
     "mu=0.1",
     "",
     4,
     disc_exact,
     heavy,
     3,
     THREE,
     {5e-15, 4e-15, 5e-15}},
    {"rocking block",
     "rocking-block",
     "",
     "",
     4,
     NULL,
     NULL,
     4,
     {1e-4, 1e-6, 1e-8, 1e-10},
     {9.8e-5, 1.5e-6, 1.7e-8, 1.7e-10}},
    {"ladder, mu = 0.2, until the wall end opens", ladder, "", "", 0, NULL, NULL, 3, THREE, {1.6e-7, 3.0e-8, 3.7e-11}},
    {"ladder, mu = 0.6, stays", ladder, "mu=0.6", "", 0.5, NULL, NULL, 3, THREE, {0, 0, 0}},
    {"point mass, oblique force",
     point,
     "",
     "",
     10,
     NULL,
     NULL,
     4,
     {1e-3, 1e-5, 1e-7, 1e-9},
     {7.4e-3, 5.5e-5, 1.7e-7, 6.9e-10}},
    {"the same, mu_s = 0.4",
     point,
     "ms=0.4",
     "",
     10,
     NULL,
     NULL,
     4,
     {1e-3, 1e-5, 1e-7, 1e-9},
     {7.0e-3, 4.8e-5, 5.6e-8, 1.9e-9}},
    {"billiard ball", "billiard-ball", "", "", 1, NULL, NULL, 3, THREE, {1e-6, 1e-10, 1e-12}},
    {"billiard ball, cross spin",
     "billiard-ball",
     "v.ax=60 v.y=0",
     "",
     1,
     NULL,
     NULL,
     3,
     THREE,
     {2.3e-8, 2.3e-10, 2.4e-14}},
    {"Cartesian pendulum, to 2", "pendulum-wall-cartesian", "", "", 2, NULL, NULL, 3, THREE, {2.8e-5, 4.2e-8, 4.6e-11}},
    {"Cartesian pendulum, to 8", "pendulum-wall-cartesian", "", "", 8, NULL, NULL, 3, THREE, {3.0e-4, 6.9e-7, 8.3e-10}},
    {"Radau with impacts", "linear-oscillator", "rho=0.9", "tolerance:method=radau5", 5, NULL, NULL, 3, THREE, NOT_RUN},
    {"Radau with an accumulation", "linear-oscillator", "f=-5", "tolerance:method=radau5", 5, NULL, NULL, 3, THREE,
     NOT_RUN},
    {"Radau with impacts and a stiff damper", legs, "", "tolerance:method=radau5", 0.5, NULL, NULL, 3, THREE, NOT_RUN},
    {"slider-crank with clearance", "slider-crank", "v.th1=15 v.th2=-7.5 q.th3=0.015", "", 0.0162, NULL, NULL, 3, THREE,
     NOT_RUN},
    {"tripod: three spatial contacts slide and spin", tripod, "", "", 1, NULL, NULL, 3, THREE, NOT_RUN},
    {"box slides against a kerb", box_wall, "", "", 0.8, NULL, NULL, 3, THREE, NOT_RUN},
};

/* Until the ladder's wall end opens. */
static double opening(const carom_model *model)
{
    carom_options o = carom_study_options(model, "tolerance", 1e-13, 2);
    carom_path p;
    double t = 0;
    const carom_event *e;
    if (carom_path_follow(&p, model, &o, 0.75))
        for (size_t i = 0; (e = carom_trajectory_event(p.trajectory, i)); i++)
            if (e->type == CAROM_EVENT_OPENING && t == 0)
                t = e->t;
    carom_path_leave(&p);
    return t > 0 ? t : 0.5;
}

static carom_outcome last_outcome;

static int put_row(const hard_case *c)
{
    carom_model *model = carom_study_load(c->model, c->set);
    double t_end = c->t_end > 0 ? c->t_end : opening(model);
    carom_options o = carom_study_options(model, "exact", 1e-13, t_end),
                  fine = carom_study_options(model, "tolerance", 1e-13, t_end);
    const char *against = "closed form";
    carom_path path = {0};
    int worse = 0;
    o.h = t_end / 500;
    if (!c->exact) {
        carom_sim *sim;
        carom_error error;
        bool linear = carom_sim_new(&sim, model, &o, &error) == CAROM_OK;
        carom_sim_free(linear ? sim : NULL);
        against = linear ? "exact" : "1e-13";
        if (!carom_path_follow(&path, model, linear ? &o : &fine, t_end))
            exit(1);
    }
    printf("| %s | %s |", c->name, against);
    for (int k = 0; k < c->n; k++) {
        last_outcome = carom_study_measure(model, *c->scheme ? c->scheme : "tolerance", c->tol[k], t_end,
                                           c->exact ? c->exact : carom_path_positions, c->exact ? c->user : &path);
        printf(" %.0e: %.1e", c->tol[k], last_outcome.error);
        if (!isnan(c->there[k])) {
            bool is_worse = last_outcome.error > fmax(2 * c->there[k], 1e-13);
            printf(" (%.1e)%s", c->there[k], is_worse ? " !" : "");
            worse += is_worse;
        }
        printf(" |");
    }
    for (int k = c->n; k < MOST; k++)
        printf(" |");
    printf("\n");
    fflush(stdout);
    if (path.sim)
        carom_path_leave(&path);
    carom_model_free(model);
    return worse;
}

static void put_plate(const char *name, const char *text)
{
    carom_model *model = carom_study_load(text, "");
    for (int k = 0; k < 3; k++) {
        carom_options o = carom_study_options(model, "tolerance", pow(10, -4 - 3 * k), 3);
        carom_path p;
        bool ok = carom_path_follow(&p, model, &o, 3);
        const carom_state *s = carom_sim_state(p.sim);
        const carom_info *info = carom_sim_info(p.sim);
        double v = fmax(fabs(s->v[0]), fmax(fabs(s->v[1]), fabs(s->v[2])));
        printf("| %s, tol 1e-%d | %s | %.0e | %ld |\n", name, 4 + 3 * k, ok && v < 1e-12 ? "yes" : "no",
               info->max_penetration, info->events[CAROM_EVENT_IMPACT]);
        carom_path_leave(&p);
    }
    carom_model_free(model);
}

/* Five touching balls: largest difference from the velocities of each law. */
static void put_laws(void)
{
    static const double after[][5] = {
        {-.6, .4, .4, .4, .4}, {0, 0, 0, 0, 1}, {-.52, .38, .38, .38, .38}, {.0435, .0454, .0473, .0493, .8145}};
    for (int k = 0; k < 4; k++) {
        char text[800];
        snprintf(text, sizeof text,
                 "carom: 1\nimpacts: %s\ncoordinates: {a: 0, b: 1, c: 2, d: 3, f: 4}\nvelocities: {a: 1}\n"
                 "kinetic: (a'^2 + b'^2 + c'^2 + d'^2 + f'^2)/2\ncontacts:\n  ab: {gap: b - a - 1, restitution: %g}\n"
                 "  bc: {gap: c - b - 1, restitution: %g}\n  cd: {gap: d - c - 1, restitution: %g}\n"
                 "  df: {gap: f - d - 1, restitution: %g}\nrun: {t_end: 0.1}\n",
                 k % 2 ? "sequential" : "simultaneous", k < 2 ? 1. : .9, k < 2 ? 1. : .9, k < 2 ? 1. : .9,
                 k < 2 ? 1. : .9);
        carom_model *model = carom_study_load(text, "");
        carom_options o = carom_study_options(model, "tolerance", 1e-8, 0.1);
        carom_path p;
        double off = carom_path_follow(&p, model, &o, 0.1) ? 0 : INFINITY;
        for (int i = 0; i < 5; i++)
            off = fmax(off, fabs(carom_sim_state(p.sim)->v[i] - after[k][i]));
        printf("| %s, e = %g | %.0e |\n", k % 2 ? "sequential" : "simultaneous", k < 2 ? 1. : .9, off);
        carom_path_leave(&p);
        carom_model_free(model);
    }
}

void carom_study_hard(void)
{
    int worse = 0;
    printf("\n### Hard cases\n\nErrors at each tolerance; in brackets those of an earlier implementation of the same "
           "rules, where it "
           "was run. ! marks errors above 1e-13 that are more than twice as large.\n\n"
           "| case | against | | | | |\n|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        worse += put_row(&cases[i]);
    printf("\n%d entries are worse.\n\n| plate on four corners, e = 0.5 | at rest | penetration | impacts "
           "|\n|---|---|---|---|\n",
           worse);
    put_plate("dropped flat", flat);
    put_plate("dropped tilted by 1e-3", tilted);
    printf("\n| five touching balls | velocities off by |\n|---|---|\n");
    put_laws();
}
