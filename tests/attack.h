/* attack.h: random members of classes of systems, run by every scheme that takes them and judged by what must hold of
 * any motion. Used by bench/attack.c (many) and by test_attack.c (a fixed sample).
 *
 *   finished   and nothing speaks against the result
 *   stopped    with a sentence
 *   wrong      no sentence, and yet a contact is penetrated, energy appears, values are not finite, or another family
 *              of methods finds another motion
 *
 * Every step is certified on the way (options.certify). The judges here know the model and the end of the run alone:
 *   -g <= 1e-5 + 20 h |u|                                  (h: 0 where events are located)                      (1)
 *   |balance of energy| <= 1e-4 (|E| + work)               tolerance                                            (2)
 *   |q - q_mj| <= 3 |q_mj(h) - q_mj(h/2)| + 0.02, q_mj by moreau-jean, where the motion is not sensitive:
 *   tolerances 1e-6 and 1e-8 agree to 1e-3                 tolerance, mixed, crank-nicolson                     (3)
 *   |q - q_d| <= 1e-5 + 10 |q_loose - q|, q_d: the same motion in disguise (disguise.h), in units of 2^-30 ... 2^30,
 *   or with coordinates and contacts in the opposite order, where the motion is not sensitive                   (4)
 * (1) and (2) are asked of every run. */
#ifndef CAROM_ATTACK_H
#define CAROM_ATTACK_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "carom.h"
#include "disguise.h"

typedef struct attack_class {
    const char *name;
    double t_end;
    bool compared; /* (3): all methods have the same rule for what happens in it */
    const char *text;
} attack_class;

/* a ... f: random numbers in (0, 1); bodies have their units L, T, m in the text */
#define BOX(first) "let: {w: 0.4 + a, h: 0.3 + b, J: (w^2 + h^2)/12, yl: -w/2*sin(p) - h/2*cos(p), " \
    "yr: w/2*sin(p) - h/2*cos(p)}\nkinetic: (x'^2 + y'^2)/2 + J*p'^2/2\n" first
#define FEET(mu, e) "contacts:\n  l: {gap: y + yl, slip: \"x' - yl*p'\", friction: " mu ", restitution: " e "}\n" \
    "  r: {gap: y + yr, slip: \"x' - yr*p'\", friction: " mu ", restitution: " e "}\n"

static const attack_class attack_classes[] = {
    {"ball", 2, true, "coordinates: {y: 0.2 + a}\nkinetic: y'^2/2\npotential: 9.81*y\n"
     "contacts: {g: {gap: y, restitution: 0.9*b}}\n"},
    {"ball on a moving table", 2, true, "coordinates: {y: 0.5 + a}\nkinetic: y'^2/2\npotential: 9.81*y\n"
     "contacts: {g: {gap: y - 0.1*b*sin((1 + 5*c)*t), restitution: 0.7*d}}\n"},
    {"table that stops", 2, true, "coordinates: {y: 0.3 + a}\nkinetic: y'^2/2\npotential: 9.81*y\n"
     "contacts: {g: {gap: \"y - 0.2*if(t < 1, t*b, b)\", restitution: 0.5*c}}\n"},
    {"flat drop", 2, false, "coordinates: {x: 0, y: 1 + d, p: 0}\n" BOX("potential: 9.81*y\n") FEET("c", "0.9*e")},
    {"tilted drop", 1, false, "coordinates: {x: 0, y: 1 + d, p: f - 0.5}\n" BOX("potential: 9.81*y\n")
     FEET("0.5*c", "0.6*e")},
    {"box that slides", 2, true, "coordinates: {x: 0, y: (0.3 + b)/2, p: 0}\nvelocities: {x: 1 + d}\n"
     BOX("potential: 9.81*y\n") FEET("0.2*c", "0")},
    {"box on a slope", 1, true, "coordinates: {x: 0, y: (0.3 + b)/2, p: 0}\n"
     BOX("potential: 9.81*(y*cos(0.5*c) - x*sin(0.5*c))\n") FEET("0.3*d", "0")},
    {"two boxes stacked", 1, true, "coordinates: {x: 0, y: 0, X: 0, Y: 0}\nvelocities: {x: a, X: 2*b}\n"
     "kinetic: (x'^2 + y'^2)/2 + (0.1 + c)*(X'^2 + Y'^2)/2\npotential: 9.81*(y + (0.1 + c)*Y)\ncontacts:\n"
     "  floor: {gap: y, slip: \"x'\", friction: 0.3*d, restitution: 0}\n"
     "  top: {gap: Y - y, slip: \"X' - x'\", friction: 0.5*e, restitution: 0}\n"},
    {"two balls", 1.5, false, "coordinates: {y: 0.2 + a, Y: 1 + a + b}\nkinetic: y'^2/2 + (0.05 + c)*Y'^2/2\n"
     "potential: 9.81*(y + (0.05 + c)*Y)\ncontacts: {floor: {gap: y, restitution: 0.7*d}, balls: {gap: Y - y - 0.2, "
     "restitution: 0.7*e}}\n"},
    {"heavy on light", 1.5, false, "coordinates: {y: 1, Y: 2}\nlet: {M: 10^(8*a)}\nkinetic: y'^2/2 + M*Y'^2/2\n"
     "potential: 9.81*(y + M*Y)\ncontacts: {floor: {gap: y, restitution: 0.6*b}, balls: {gap: Y - y, "
     "restitution: 0.6*c}}\n"},
    {"three balls", 1.5, false, "coordinates: {u: 0.3, v: 0.8 + a, w: 1.5 + a + b}\n"
     "kinetic: u'^2/2 + v'^2/2 + w'^2/2\n"
     "potential: 9.81*(u + v + w)\ncontacts: {f: {gap: u, restitution: 0.6*c}, "
     "g: {gap: v - u - 0.2, restitution: 0.6*d}, "
     "h: {gap: w - v - 0.2, restitution: 0.6*e}}\n"},
    {"cradle", 2, false, "coordinates: {u: -0.5 - a, v: 0, w: 0}\nvelocities: {u: 1 + b}\n"
     "kinetic: u'^2/2 + v'^2/2 + w'^2/2\n"
     "contacts: {g: {gap: v - u, restitution: c}, h: {gap: w - v, restitution: c}}\nimpacts: sequential\n"},
    {"wedge", 2, true, "coordinates: {x: 0.3*a - 0.15, y: 1}\nkinetic: (x'^2 + y'^2)/2\npotential: 9.81*y\n"
     "contacts:\n"
     "  l: {gap: (y + x)/sqrt(2), restitution: 0}\n  r: {gap: (y - x)/sqrt(2), restitution: 0}\n"},
    {"ramp", 1, true, "coordinates: {x: 0, y: 0}\nvelocities: {x: 1 + a}\nkinetic: (x'^2 + y'^2)/2\n"
     "potential: 9.81*y\n"
     "contacts: {g: {gap: \"y - 0.3*b*max(0, x - 0.5)^2\", restitution: 0}}\n"},
    {"dome", 0.5, true, "coordinates: {x: 0.1 + 0.3*a, y: sqrt(1 - (0.1 + 0.3*a)^2)}\n"
     "kinetic: (x'^2 + y'^2)/2\npotential: 9.81*y\n"
     "contacts: {g: {gap: sqrt(x^2 + y^2) - 1, restitution: 0}}\n"},
    {"bowl", 2, true, "coordinates: {x: 0.3 + 0.4*a, y: 0.3}\nkinetic: (x'^2 + y'^2)/2\npotential: 9.81*y\n"
     "contacts: {g: {gap: 1 - sqrt(x^2 + (y - 1)^2), restitution: 0}}\n"},
    {"belt", 5, true, "coordinates: {x: a, y: 0}\nkinetic: (x'^2 + y'^2)/2\npotential: (1 + b)*x^2/2 + 10*y\n"
     "contacts: {belt: {gap: y, slip: \"x' - 0.2*c - 0.01\", friction: 0.05*d, "
     "friction_static: 0.05*d + 0.03, restitution: 0}}\n"},
    {"guide", 2, true, "coordinates: {x: 0, y: 0}\nkinetic: (x'^2 + y'^2)/2\n"
     "forces: {x: (1 + a)*t, y: 10*b*cos((1 + 3*c)*t)}\n"
     "contacts:\n  l: {gap: y, slip: \"x'\", friction: 0.3*d, restitution: 0}\n"
     "  u: {gap: -y, slip: \"x'\", friction: 0.3*e, restitution: 0}\n"},
    {"pendulum and wall", 2, true, "coordinates: {p: 0.3 + a}\nkinetic: p'^2/2\npotential: -9.81*cos(p)\n"
     "contacts: {w: {gap: sin(p) + 0.2*b, restitution: 0.8*c}}\n"},
    {"linkage, twice", 1, true, "coordinates: {x: 1, y: 0}\nvelocities: {y: a}\nkinetic: (x'^2 + y'^2)/2\n"
     "potential: 9.81*y\n"
     "constraints: {j: \"x^2 + y^2 - 1\", k: \"sqrt(x^2 + y^2) - 1\"}\n"
     "contacts: {f: {gap: y + 0.4 + 0.4*b, restitution: 0.5*c}}\n"},
    {"stiff", 1, true, "coordinates: {x: 0, y: 0.2}\nkinetic: (x'^2 + y'^2)/2\n"
     "potential: 10^(2 + 3*a)*(x - 0.01*b)^2/2 + 9.81*y\nforces: {x: -10^(1 + a)*x'}\n"
     "contacts: {g: {gap: y, restitution: 0.5*c}}\n"},
    {"branches", 2, true, "coordinates: {x: 0.5 + a}\nkinetic: x'^2/2\n"
     "forces: {x: \"-if(x > 0.3, 4, 9)*x - 0.1*sign(x')*b\"}\n"
     "contacts: {w: {gap: x + 0.3*c, restitution: 0.6*d}}\n"},
    {"oscillator and wall", 4, true, "coordinates: {x: 0}\nkinetic: x'^2/2\npotential: x^2/2\n"
     "forces: {x: cos((1 + 2*a)*t)}\ncontacts: {w: {gap: 0.2 + 0.3*b - x, restitution: 0.7*c}}\n"},
    {"grazing", 6, false, "coordinates: {x: 0}\nvelocities: {x: 1 + 0.01*a}\nkinetic: x'^2/2\npotential: x^2/2\n"
     "contacts: {w: {gap: 1 - x, restitution: 0.9*b}}\n"},
    {"point on a plane", 2, true, "coordinates: {x: 0, y: 0, z: 0}\nvelocities: {x: a + 0.2, y: b}\n"
     "kinetic: (x'^2 + y'^2 + z'^2)/2\npotential: 9.81*z\nforces: {x: c - x, y: d*t}\n"
     "contacts: {g: {gap: z, slip: [\"x'\", \"y'\"], friction: 0.05 + 0.1*e, restitution: 0}}\n"},
    {"point that falls on a plane", 1.5, true, "coordinates: {x: 0, y: 0, z: 0.2 + a}\nvelocities: {x: b, y: c}\n"
     "kinetic: (x'^2 + y'^2 + z'^2)/2\npotential: 9.81*z\n"
     "contacts: {g: {gap: z, slip: [\"x'\", \"y'\"], friction: 0.3*d, restitution: 0.5*e}}\n"},
    {"disc that rolls", 2, true, "coordinates: {x: 0, y: 0, p: 0}\nvelocities: {x: 1 + a}\n"
     "kinetic: (x'^2 + y'^2)/2 + p'^2/4\n"
     "potential: 9.81*y\ncontacts: {g: {gap: y, slip: \"x' + p'\", friction: 0.05 + 0.2*b, restitution: 0}}\n"},
    {"redundant plate", 1.5, true, "coordinates: {y: 0}\nkinetic: y'^2/2\npotential: 20*y\n"
     "contacts: {g: {gap: y - 0.1*a*t^3, restitution: 0}, h: {gap: y, restitution: 0}}\n"},
    {"dead centre", 1, true, "coordinates: {p: 0.5, y: 0}\nvelocities: {p: 5 + 10*a}\n"
     "kinetic: (0.02 + 0.1*b)*p'^2/2 + (0.1*sin(p)*p')^2/2 + y'^2/2\npotential: 9.81*y\n"
     "contacts: {f: {gap: y, slip: \"-0.1*sin(p)*p'\", friction: 0.4*c, restitution: 0}}\n"},
    {"wheel with spin", 2, true, "coordinates: {x: 0, y: 0.3*d, p: 0}\nvelocities: {x: a - 0.5, p: 8*b - 4}\n"
     "kinetic: (x'^2 + y'^2)/2 + p'^2/4\npotential: 9.81*(y*cos(0.3*c) - x*sin(0.3*c))\n"
     "contacts: {g: {gap: y, slip: \"x' + p'\", friction: 0.1 + 0.4*e, restitution: 0.5*f}}\n"},
    {"box in space", 0.8, false, "space: spatial\ngravity: [0, 0, -9.81*L/T^2]\nbodies:\n"
     "  floor: {fixed: true, shape: {plane: [0, 0, 1]}}\n"
     "  box: {shape: {box: [(0.2 + 0.2*a)*L, 0.3*L, (0.2 + 0.2*b)*L]}, mass: m, at: [0, 0, 0.6*L], "
     "turn: {x: 0.6*c, y: 0.5*d}, velocity: [0.5*L/T, 0, 0], spin: [3*e/T, 0, 2*f/T]}\n"
     "laws: {default: {friction: 0.3, restitution: 0.4*c}}\n"},
    {"box in space that lies", 0.8, true, "space: spatial\ngravity: [0, 0, -9.81*L/T^2]\nbodies:\n"
     "  floor: {fixed: true, shape: {plane: [0, 0, 1]}}\n"
     "  box: {shape: {box: [0.4*L, (0.3 + 0.2*a)*L, 0.1*L]}, mass: m, at: [0, 0, touch], "
     "velocity: [(0.5 + b)*L/T, c*L/T, 0], spin: [0, 0, (2*d - 1)/T]}\n"
     "laws: {default: {friction: 0.1 + 0.3*e, restitution: 0}}\n"},
    {"ball that rolls in space", 2, true, "space: spatial\ngravity: [(2*a - 1)*L/T^2, 0, -9.81*L/T^2]\nbodies:\n"
     "  floor: {fixed: true, shape: {plane: [0, 0, 1]}}\n"
     "  ball: {shape: {sphere: (0.1 + 0.1*b)*L}, mass: m, at: [0, 0, touch], velocity: [c*L/T, d*L/T, 0], "
     "spin: [10*e/T, 0, 10*f/T]}\nlaws: {default: {friction: 0.1 + 0.2*a, restitution: 0}}\n"},
    {"pile of discs", 0.8, false, "space: planar\ngravity: [0, -9.81*L/T^2]\nbodies:\n"
     "  floor: {fixed: true, shape: {plane: [0, 1]}}\n"
     "  wall: {fixed: true, shape: {plane: [1, 0]}, at: [-0.5*L, 0]}\n"
     "  disc: {repeat: {i: 4}, shape: {circle: 0.1*L}, mass: m, at: [(0.05*a*i - 0.1)*L, (0.15 + 0.22*i)*L]}\n"
     "laws: {default: {friction: 0.2 + 0.4*b, restitution: 0.4*c}}\n"},
    {"e and mu of speeds", 2, true, "coordinates: {x: 0, y: 0.1 + a}\nvelocities: {x: 1 + b}\n"
     "kinetic: (x'^2 + y'^2)/2\npotential: 9.81*y\ncontacts: {g: {gap: y, slip: \"x'\", "
     "friction: 0.1*c + 0.2*exp(-slip), restitution: 0.8*d/(1 + approach)}}\n"},
    {"Zeno at two contacts", 3, true, "coordinates: {y: 0.1 + a, Y: 0.1 + b}\nkinetic: y'^2/2 + Y'^2/2\n"
     "potential: 9.81*(y + Y) + (Y - y)^2\n"
     "contacts: {l: {gap: y, restitution: 0.7*c}, r: {gap: Y, restitution: 0.7*d}}\n"},
};
enum { ATTACK_CLASSES = sizeof attack_classes / sizeof *attack_classes, ATTACK_Q = 40 };

static const char *const attack_schemes[] = {"tolerance", "mixed", "crank-nicolson", "dg-minus", "moreau-jean",
                                             "moreau-jean-projected", "schatzman-paoli", "kern", "exact"};
enum { ATTACK_SCHEMES = sizeof attack_schemes / sizeof *attack_schemes };

typedef enum attack_outcome { ATTACK_REFUSED, ATTACK_FINISHED, ATTACK_STOPPED, ATTACK_WRONG } attack_outcome;

static inline double attack_random(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return ((*seed >> 8) + 0.5) / 16777216.0;
}

typedef struct attack_scale { /* of lengths, times and energies in a run */
    double L, T, E;
} attack_scale;

/* The model file of member `number` of a class; bodies in these units. */
static inline void attack_write(const attack_class *c, unsigned number, attack_scale u, char *text, size_t size)
{
    unsigned seed = number * 2654435761u + 12345u;
    double x[6];
    for (int i = 0; i < 6; i++)
        attack_random(&seed), x[i] = attack_random(&seed);
    int n = snprintf(text, size, "carom: 1\nparameters: {a: %.4f, b: %.4f, c: %.4f, d: %.4f, e: %.4f, f: %.4f", x[0],
                     x[1], x[2], x[3], x[4], x[5]);
    if (strstr(c->text, "bodies:"))
        n += snprintf(text + n, size - (size_t)n, ", L: %.17g, T: %.17g, m: %.17g", u.L, u.T,
                      u.E / (u.L * u.L) * u.T * u.T);
    snprintf(text + n, size - (size_t)n, "}\n%s", c->text);
}

typedef enum attack_variant { ATTACK_PLAIN, ATTACK_UNITS, ATTACK_ORDER, ATTACK_VARIANTS } attack_variant;

typedef struct attack_run {
    attack_outcome outcome;
    int nq;
    double q[ATTACK_Q]; /* in the units and the order of the class */
    char why[400];
} attack_run;

/* Of bodies the coordinates x, y, z and their rates are lengths; of formulas all are. */
static inline bool attack_length(const char *name)
{
    const char *part = name ? strchr(name, '.') : NULL;
    return !part || (strchr("xyz", part[1]) && (part[2] == 0 || part[2] == '\''));
}

/* (1), (2) at the end of a run. */
static inline void attack_judge(const carom_model *m, carom_sim *sim, const carom_options *o, attack_scale u,
                                bool tolerance, bool located, attack_run *r)
{
    const carom_info *info = carom_sim_info(sim);
    const carom_state *s = carom_sim_state(sim);
    double speed = u.L / u.T, work = fabs(info->energy_initial) + fabs(info->energy_final) + fabs(info->work_external) +
                                     fabs(info->work_constraints) + fabs(info->dissipated_friction) + u.E;
    for (int i = 0; i < m->nv; i++)
        speed = fmax(speed, fabs(s->v[i]) * (attack_length(m->v_name ? m->v_name[i] : NULL) ? 1 : u.L));
    for (int i = 0; i < m->nq; i++)
        if (!(fabs(s->q[i]) < 1e6 * (attack_length(m->q_name ? m->q_name[i] : NULL) ? u.L : 1)))
            r->outcome = ATTACK_WRONG, snprintf(r->why, sizeof r->why, "a coordinate is %g", s->q[i]);
    if (info->max_penetration > 1e-5 * u.L + (located ? 0 : 20 * o->h * speed))                   /* (1) */
        r->outcome = ATTACK_WRONG, snprintf(r->why, sizeof r->why, "penetration %g", info->max_penetration);
    if (tolerance && fabs(info->balance_error) > 1e-4 * work)                                     /* (2) */
        r->outcome = ATTACK_WRONG, snprintf(r->why, sizeof r->why, "energy balance %g", info->balance_error);
}

/* The model by a scheme; q in the units of the model. */
static inline attack_run attack_model(const carom_model *model, const char *scheme, double t_end, double h, double rtol,
                                      double atol, attack_scale u)
{
    attack_run r = {ATTACK_FINISHED, model->nq, {0}, ""};
    carom_error error = {0};
    carom_sim *sim = NULL;
    carom_options o = carom_options_default();
    carom_status status = carom_options_set(&o, "scheme", scheme, &error);
    o.rtol = rtol, o.atol = atol, o.t_end = t_end, o.h = h, o.energy = true, o.certify = true;
    if (status != CAROM_OK) {
        r.outcome = ATTACK_WRONG, snprintf(r.why, sizeof r.why, "%.300s", error.text);
    } else if (carom_sim_new(&sim, model, &o, &error) != CAROM_OK) {
        r.outcome = ATTACK_REFUSED, snprintf(r.why, sizeof r.why, "%.300s", error.text);
    } else if (carom_sim_run(sim, t_end) != CAROM_OK) {
        r.outcome = ATTACK_STOPPED, snprintf(r.why, sizeof r.why, "%.300s", carom_sim_error(sim)->text);
    } else {
        bool located = strcmp(scheme, "tolerance") == 0 || strcmp(scheme, "mixed") == 0 ||
                       strcmp(scheme, "crank-nicolson") == 0 || strcmp(scheme, "exact") == 0;
        for (int i = 0; i < model->nq && i < ATTACK_Q; i++)
            r.q[i] = carom_sim_state(sim)->q[i];
        attack_judge(model, sim, &o, u, strcmp(scheme, "tolerance") == 0, located, &r);
    }
    carom_sim_free(sim);
    return r;
}

/* Bodies in other units: the file is written in them. */
static inline attack_run attack_bodies(const attack_class *c, unsigned number, const char *scheme, double h, double tol,
                                       attack_scale u)
{
    char text[3000];
    carom_error error = {0};
    carom_model *model = NULL;
    attack_write(c, number, u, text, sizeof text);
    if (carom_model_parse(&model, "attack", text, strlen(text), NULL, &error) != CAROM_OK) {
        attack_run bad = {ATTACK_WRONG, 0, {0}, ""};
        snprintf(bad.why, sizeof bad.why, "%.300s", error.text);
        return bad;
    }
    attack_run r = attack_model(model, scheme, u.T * c->t_end, u.T * h, tol, tol * fmin(u.L, u.L / u.T), u);
    for (int i = 0; i < model->nq && i < ATTACK_Q; i++)
        r.q[i] /= attack_length(model->q_name[i]) ? u.L : 1;
    carom_model_free(model);
    return r;
}

/* In other units or in the opposite order, chosen by the member's number; REFUSED: this cannot be told of the model. */
static inline attack_run attack_disguised(const carom_model *model, const attack_class *c, attack_variant variant,
                                          unsigned number, const char *scheme, double h, double tol)
{
    static const double size[] = {0x1p-30, 0x1p-20, 0x1p-10, 1, 0x1p10, 0x1p20, 0x1p30};
    static disguise d;
    bool units = variant == ATTACK_UNITS;
    double L = units ? size[number % 7] : 1, T = units ? size[number / 7 % 7] : 1;
    double m = units ? size[number / 49 % 7] : 1;
    if (units && strstr(c->text, "bodies:")) { /* 2^-10 ... 2^10: lengths and angles have one atol */
        L = cbrt(L), T = cbrt(T);
        return attack_bodies(c, number, scheme, h, tol, (attack_scale){L, T, m * L * L / (T * T)});
    }
    const attack_scale u = {L, T, m * L * L / (T * T)};
    if (!disguise_make(&d, model, L, T, m, !units))
        return (attack_run){ATTACK_REFUSED, 0, {0}, "no disguise for it"};
    attack_run r = attack_model(&d.model, scheme, T * c->t_end, T * h, tol, tol * fmin(L, L / T), u), back = r;
    for (int i = 0; i < model->nq && i < ATTACK_Q; i++)
        back.q[d.q_of[i]] = r.q[i] / L;
    return back;
}

static inline double attack_distance(const attack_run *a, const attack_run *b)
{
    double most = 0;
    for (int i = 0; i < ATTACK_Q; i++)
        most = fmax(most, fabs(a->q[i] - b->q[i]));
    return most;
}

/* (3) */
static inline void attack_compare(const carom_model *model, const attack_class *c, const attack_run *loose,
                                  attack_run *out)
{
    double h = c->t_end / 2000;
    attack_run coarse = attack_model(model, "moreau-jean", c->t_end, 2 * h, 1e-6, 1e-6, (attack_scale){1, 1, 1});
    if (coarse.outcome != ATTACK_FINISHED || out[4].outcome != ATTACK_FINISHED ||
        attack_distance(loose, &out[0]) > 1e-3)
        return;
    double most = 3 * attack_distance(&coarse, &out[4]) + 0.02;
    for (int k = 0; k < ATTACK_SCHEMES; k++)
        if (k != 4 && out[k].outcome == ATTACK_FINISHED && attack_distance(&out[k], &out[4]) > most) {
            out[k].outcome = ATTACK_WRONG;
            snprintf(out[k].why, sizeof out[k].why, "%g from moreau-jean, %g is allowed",
                     attack_distance(&out[k], &out[4]), most);
        }
}

/* (4) of one scheme: the outcome of the disguised run. */
static inline attack_run attack_again(const carom_model *model, const attack_class *c, attack_variant variant,
                                      unsigned number, int scheme, const attack_run *plain, const attack_run *loose)
{
    attack_run r = attack_disguised(model, c, variant, number, attack_schemes[scheme], c->t_end / 2000, 1e-8);
    double off = attack_distance(&r, plain), most = 1e-5 + 10 * attack_distance(loose, plain);
    if (r.outcome == ATTACK_FINISHED && plain->outcome == ATTACK_FINISHED && c->compared && most < 1e-2 && off > most) {
        r.outcome = ATTACK_WRONG;
        snprintf(r.why, sizeof r.why, "%g from the plain motion, %g is allowed", off, most);
    }
    return r;
}

/* One member of a class by every scheme; outcomes [ATTACK_SCHEMES]. */
static inline void attack(const attack_class *c, unsigned number, attack_variant variant, attack_run *out)
{
    char text[3000];
    carom_error error = {0};
    carom_model *model = NULL;
    const attack_scale one = {1, 1, 1};
    double h = c->t_end / 2000;
    attack_write(c, number, one, text, sizeof text);
    if (carom_model_parse(&model, "attack", text, strlen(text), NULL, &error) != CAROM_OK) {
        for (int k = 0; k < ATTACK_SCHEMES; k++)
            out[k].outcome = ATTACK_WRONG, snprintf(out[k].why, sizeof out[k].why, "%.300s", error.text);
        return;
    }
    attack_run plain[ATTACK_SCHEMES], loose = {.outcome = ATTACK_REFUSED};
    for (int k = 0; k < ATTACK_SCHEMES; k++)
        plain[k] = attack_model(model, attack_schemes[k], c->t_end, h, 1e-8, 1e-8, one);
    if (c->compared && plain[0].outcome == ATTACK_FINISHED)
        loose = attack_model(model, "tolerance", c->t_end, h, 1e-6, 1e-6, one);
    if (variant == ATTACK_PLAIN && loose.outcome == ATTACK_FINISHED)
        attack_compare(model, c, &loose, plain);
    for (int k = 0; k < ATTACK_SCHEMES; k++)
        if (variant == ATTACK_PLAIN || plain[k].outcome == ATTACK_REFUSED)
            out[k] = plain[k];
        else if (c->compared && loose.outcome != ATTACK_FINISHED)
            out[k] = (attack_run){ATTACK_REFUSED, 0, {0}, "nothing to compare with"};
        else
            out[k] = attack_again(model, c, variant, number, k, &plain[k], &loose);
    carom_model_free(model);
}

#endif
