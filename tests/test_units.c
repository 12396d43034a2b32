/* test_units.c: the same motion in other units of length, time and mass: no constant of a method is absolute. */
#include <math.h>
#include <string.h>

#include "carom.h"
#include "core/core.h"
#include "testing.h"

/* Lengths are multiples of L, times of T, masses of M; angles have no unit. */
typedef struct written {
    const char *name, *text, *angles; /* letters of the coordinates that are angles */
    double t_end, h;
} written;

#define UNITS "carom: 1\nparameters: {L: 1, T: 1, M: 1}\nlet: {a: L/T^2}\n"

static const written systems[] = {
    {"ball", UNITS "coordinates: {y: L/2}\nkinetic: M*y'^2/2\npotential: M*9.81*a*y\n"
     "contacts: {ground: {gap: y, restitution: 0.7}}\n", "", 3, 2e-3},
    {"pushed block", UNITS "coordinates: {x: 0, y: 0}\nkinetic: M*(x'^2+y'^2)/2\npotential: M*a*y\n"
     "forces: {x: M*a/10*t/T}\n"
     "contacts: {ground: {gap: y, slip: \"x'\", friction: 0.2, friction_static: 0.3, restitution: 0}}\n", "", 4, 4e-3},
    {"box", "carom: 1\nparameters: {L: 1, T: 1, M: 1}\ncoordinates: {x: 0, y: L, p: 0.3}\nvelocities: {x: L/T}\n"
     "let: {a: L/T^2, yl: -L/2*sin(p) - L/4*cos(p), yr: L/2*sin(p) - L/4*cos(p)}\n"
     "kinetic: M*(x'^2 + y'^2)/2 + M*L^2*1.25/24*p'^2\npotential: M*9.81*a*y\ncontacts:\n"
     "  left: {gap: y + yl, slip: \"x' - yl*p'\", friction: 0.4, restitution: 0.3}\n"
     "  right: {gap: y + yr, slip: \"x' - yr*p'\", friction: 0.4, restitution: 0.3}\n", "p", 2, 1e-3},
    {"stacked balls", UNITS "coordinates: {u: L, v: 2.3*L}\nkinetic: M*u'^2/2 + M*v'^2\npotential: M*a*(u + 2*v)\n"
     "contacts: {floor: {gap: u, restitution: 0.5}, balls: {gap: v - u - 1.1*L, restitution: 0.4}}\n", "", 6, 4e-3},
    {"impact oscillator", UNITS "coordinates: {x: 0}\nkinetic: M*x'^2/2\npotential: M/T^2*x^2/2\n"
     "forces: {x: M*a*cos(2*t/T)}\ncontacts: {wall: {gap: L/10 - x, restitution: 0.5}}\n", "", 9, 5e-3},
    {"pendulum against a wall", UNITS "coordinates: {p: 1}\nkinetic: M*L^2*p'^2/2\npotential: -M*9.81*a*L*cos(p)\n"
     "contacts: {wall: {gap: L*sin(p) + 0.2*L, restitution: 0.8}}\n", "p", 2, 1e-3},
    {"box in a corner", UNITS "coordinates: {x: 0, y: 0}\nkinetic: M*(x'^2 + y'^2)/2\npotential: M*a*(y + x)\n"
     "forces: {y: 3*M*a*(t/T)^2}\ncontacts:\n"
     "  floor: {gap: y, restitution: 0}\n  again: {gap: y, restitution: 0}\n  side: {gap: x, restitution: 0}\n",
     "", 2, 2e-3},
    {"mass on a belt", UNITS "coordinates: {x: L, y: 0}\nkinetic: M*(x'^2 + y'^2)/2\n"
     "potential: M/T^2*x^2/2 + M*10*a*y\n"
     "contacts: {belt: {gap: y, slip: \"x' - L/T/10\", friction: 0.03, friction_static: 0.05, restitution: 0}}\n",
     "", 15, 1e-2},
    {"point on a plane", UNITS "coordinates: {x: 0, y: 0, z: 0}\nvelocities: {x: L/T, y: L/T/2}\n"
     "kinetic: M*(x'^2 + y'^2 + z'^2)/2\npotential: M*10*a*z\nforces: {x: -M*a*x/L, y: M*a*0.5*t/T}\n"
     "contacts: {plane: {gap: z, slip: [\"x'\", \"y'\"], friction: 0.1, restitution: 0}}\n", "", 3, 2e-3},
    {"Scotch yoke", UNITS "coordinates: {p: 0.5, y: 0}\nvelocities: {p: 5/T}\n"
     "kinetic: 0.05*M*L^2*p'^2 + M*(0.1*L*sin(p)*p')^2/2 + M*y'^2/2\npotential: M*10*a*y\n"
     "contacts: {floor: {gap: y, slip: \"-0.1*L*sin(p)*p'\", friction: 0.3, restitution: 0}}\n", "p", 2, 1e-3},
    {"dips", UNITS "coordinates: {y: L/100}\nvelocities: {y: -0.5*L/T}\nkinetic: M*y'^2/2\n"
     "potential: 400*M/T^2*(y - L/50)^2\n"
     "contacts: {floor: {gap: y, restitution: 0.9}}\n", "", 2, 5e-2},
    {"bead on a ring", UNITS "coordinates: {x: L, y: 0}\nkinetic: M*(x'^2 + y'^2)/2\npotential: 9.81*M*a*y\n"
     "constraints: {ring: (x^2 + y^2)/(2*L) - L/2}\n"
     "contacts: {wall: {gap: x + L/4, slip: \"y'\", friction: 0.2, restitution: 0.6}}\n", "", 1.5, 2e-3},
    {"coupled masses", UNITS "coordinates: {x: 0, y: L, z: 2*L}\nvelocities: {x: -L/T, y: -L/T}\n"
     "kinetic: M*(x'^2 + 2*y'^2 + z'^2)/2\n"
     "potential: 4*M/T^2*(z - y - L)^2\nforces: {y: M/T*(z' - y')/2, z: M/T*(y' - z')/2}\n"
     "constraints: {rod: y - x - L}\n"
     "contacts: {left: {gap: x + L/10, restitution: 0.5}, right: {gap: 2.05*L - z, restitution: 0.3}}\n", "", 3, 4e-3},
    {"glued block", UNITS "coordinates: {x: L, y: 0}\nkinetic: M*(x'^2 + y'^2)/2\npotential: M*a*y\n"
     "forces: {x: M*a*t/T/2, y: 1.5*M*a*t/T}\n"
     "contacts: {floor: {gap: y, slip: \"x'\", friction: 0.3, cohesion: M*a, restitution: 0, law: cohesive}}\n",
     "", 2, 2e-3},
    {"wedged block", UNITS "coordinates: {x: L/2, y: 0}\nvelocities: {y: L/T}\nkinetic: M*(x'^2 + 3*y'^2)/2\n"
     "forces: {x: M*a*(1 - t/T), y: M*a*t/T/2}\ncontacts:\n"
     "  left: {gap: x - L/2, slip: \"y'\", friction: 0.3, restitution: 0}\n"
     "  right: {gap: L/2 - x, slip: \"y'\", friction: 0.2, restitution: 0}\n", "", 2, 4e-3},
    {"damped slider", UNITS "coordinates: {x: L}\nkinetic: M*x'^2/2\npotential: M/T^2*2*x^2\n"
     "contacts: {guide: {law: bounded, along: x, limit: M*a*0.3}}\n", "", 6, 5e-3},
};

/* The end in units of L (angles: 1), and how many evaluations it took; false: the scheme does not take it. */
static bool end_of(const written *w, const char *scheme, double L, double T, double M, double tol, double *q,
                   long *work)
{
    carom_model *model;
    carom_sim *sim;
    carom_error error = {0};
    carom_options o = carom_options_default();
    CHECK_OK(carom_model_parse(&model, w->name, w->text, strlen(w->text), NULL, &error), error);
    const char *names[] = {"L", "T", "M"};
    CHECK_OK(carom_model_set(model, names, (double[]){L, T, M}, 3, &error), error);
    CHECK_OK(carom_options_set(&o, "scheme", scheme, &error), error);
    o.rtol = tol, o.atol = tol * L * fmin(1, 1 / T), o.t_end = w->t_end * T, o.h = w->h * T;
    for (const char *angle = w->angles; *angle; angle++) {
        char key[] = {'a', 't', 'o', 'l', '.', *angle, 0}, value[32];
        snprintf(value, sizeof value, "%g", tol);
        CHECK_OK(carom_options_set(&o, key, value, &error), error);
    }
    bool takes = carom_sim_new(&sim, model, &o, &error) == CAROM_OK;
    if (takes) {
        ck_assert_msg(carom_sim_run(sim, o.t_end) == CAROM_OK, "%s, %s, L %g T %g M %g: %s", w->name, scheme, L, T, M,
                      carom_sim_error(sim)->text);
        for (int i = 0; i < model->nq; i++)
            q[i] = carom_sim_state(sim)->q[i] / (strchr(w->angles, *model->q_name[i]) ? 1 : L);
        for (int i = model->nq; i < 3; i++)
            q[i] = 0;
        *work = carom_sim_info(sim)->rhs_evaluations;
        carom_sim_free(sim);
    }
    carom_model_free(model);
    return takes;
}

/* Where joints are put right in positions the iterations end at the rounding of lengths of 1: constants in a gap may be
 * larger than all coordinates. */
static bool length_matters(const written *w, const char *scheme)
{
    return strstr(w->text, "constraints") && (strcmp(scheme, "schatzman-paoli") == 0 ||
                                              strcmp(scheme, "moreau-jean-projected") == 0);
}

static double difference(const double *a, const double *b)
{
    return fmax(fabs(a[0] - b[0]), fmax(fabs(a[1] - b[1]), fabs(a[2] - b[2])));
}

START_TEST(no_motion_depends_on_its_units)
{
    const double tol = 1e-7, factors[] = {1e-9, 1e-4, 1e9};
    /* tolerance: atol is one for positions and velocities, so that another unit of time means other steps; mixed ends
     * accumulations at the height h^(p+1); dg: Newton's method ends by the largest entry, whatever its unit */
    const struct {
        const char *name;
        double most;
    } schemes[] = {{"tolerance", 20 * tol}, {"mixed", 1e-6}, {"crank-nicolson", 1e-9}, {"dg-minus", 1e-6},
                   {"dg-plus", 1e-6}, {"moreau-jean", 1e-9}, {"kern", 1e-9}, {"schatzman-paoli", 1e-9},
                   {"exact", 1e-9}};
    for (int i = 0; i < CAROM_COUNT(systems); i++)
        for (int k = 0; k < CAROM_COUNT(schemes); k++) {
            double plain[3], q[3];
            long work;
            if (!end_of(&systems[i], schemes[k].name, 1, 1, 1, tol, plain, &work))
                continue;
            for (int f = 0; f < CAROM_COUNT(factors) * 3; f++) {
                if (f % 3 == 0 && length_matters(&systems[i], schemes[k].name))
                    continue;
                double s = factors[f / 3], L = f % 3 == 0 ? s : 1, T = f % 3 == 1 ? s : 1, M = f % 3 == 2 ? s : 1;
                end_of(&systems[i], schemes[k].name, L, T, M, tol, q, &work);
                double off = difference(q, plain);
                double most = schemes[k].most * (k == 0 && T == 1 ? 1e-3 : 1);
                ck_assert_msg(off <= most, "%s, %s, L %g T %g M %g: off by %.2g", systems[i].name,
                              schemes[k].name, L, T, M, off);
            }
        }
}
END_TEST

/* A power of two changes no digit: nor may it change a decision, or where one is looked for. Lengths beside angles are
 * another matter where one bound is for both, `mixed` ends accumulations at a height that its steps give, and atol of
 * `tolerance` is one for positions and velocities. */
START_TEST(units_of_other_powers_of_two_give_the_same_bits_for_the_same_work)
{
    const double small = 0x1p-20, large = 0x1p20, tol = 0x1p-23;
    const double unit[][3] = {{1, 1, small}, {1, 1, large}, {small, 1, 1}, {large, 1, large}, {1, small, 1},
                             {1, large, 1}};
    for (int i = 0; i < CAROM_COUNT(systems); i++)
        for (int k = 0; carom_scheme_method(k); k++) {
            const char *scheme = carom_scheme_method(k)->name;
            double plain[3], q[3];
            long work, other;
            bool lengths = !*systems[i].angles && strcmp(scheme, "mixed") && !length_matters(&systems[i], scheme);
            bool times = lengths && strcmp(scheme, "tolerance");
            if (!end_of(&systems[i], scheme, 1, 1, 1, tol, plain, &work))
                continue;
            for (int f = 0; f < (times ? 6 : lengths ? 4 : 2); f++) {
                end_of(&systems[i], scheme, unit[f][0], unit[f][1], unit[f][2], tol, q, &other);
                ck_assert_msg(!memcmp(q, plain, sizeof q) && other == work,
                              "%s, %s, L %g T %g M %g: off by %.2g, %ld evaluations, not %ld", systems[i].name,
                              scheme, unit[f][0], unit[f][1], unit[f][2], difference(q, plain), other, work);
            }
        }
}
END_TEST

/* Three stones that fall on each other, contacts found: gaps are rounded at the lengths of the scene. */
START_TEST(stones_of_micrometres_come_to_rest_as_those_of_metres)
{
    static const char text[] =
        "carom: 1\nparameters: {L: 1, w: sqrt(9.81/L), u: sqrt(9.81*L)}\nspace: planar\n"
        "gravity: [0, -9.81]\ncontacts: found\n"
        "laws: {default: {friction: 0.3, restitution: 0.3}}\nbodies:\n"
        "  floor: {fixed: true, shape: {plane: [0, 1]}}\n"
        "  a: {shape: {polygon: [[0.771*L, 0.6369*L], [-0.8518*L, 0.5239*L], [0.0214*L, -0.9998*L]]}, density: 1e3,\n"
        "      at: [0.0794*L, 1.2*L], angle: -1.3645, velocity: [-0.4012*u, 0], spin: -0.0507*w}\n"
        "  b: {shape: {polygon: [[-0.3113*L, 0.9503*L], [-0.9874*L, -0.1584*L], [0.7901*L, -0.613*L]]}, density: 1e3,\n"
        "      at: [0.2578*L, 3.3*L], angle: -1.3824, velocity: [0.3457*u, 0], spin: -0.8205*w}\n"
        "  c: {shape: {polygon: [[0.864*L, 0.5035*L], [-0.7048*L, 0.7095*L], [-0.9718*L, -0.2359*L],\n"
        "      [-0.2069*L, -0.9784*L]]}, density: 1e3, at: [0.5683*L, 5.4*L], angle: 2.0958,\n"
        "      velocity: [0.7981*u, 0], spin: 0.3972*w}\n";
    const double lengths[2] = {1, 1e-6};
    double q[2][9];
    for (int k = 0; k < 2; k++) {
        const double L = lengths[k];
        const char *name = "L";
        carom_model *model;
        carom_sim *sim;
        carom_error error = {0};
        carom_options o = carom_options_default();
        CHECK_OK(carom_model_parse(&model, "stones", text, strlen(text), NULL, &error), error);
        CHECK_OK(carom_model_set(model, &name, &L, 1, &error), error);
        o.rtol = 1e-9, o.atol = 1e-9 * L, o.energy = true;
        CHECK_OK(carom_sim_new(&sim, model, &o, &error), error);
        CHECK_OK(carom_sim_run(sim, 8 * sqrt(L / 9.81)), *carom_sim_error(sim));
        for (int i = 0; i < 9; i++)
            q[k][i] = carom_sim_state(sim)->q[i] / (i % 3 == 2 ? 1 : L);
        carom_sim_free(sim);
        carom_model_free(model);
    }
    for (int i = 0; i < 9; i++)
        CHECK_NEAR(q[1][i], q[0][i], 1e-6);
}
END_TEST

TEST_MAIN_MODELS("units", stones_of_micrometres_come_to_rest_as_those_of_metres,
                 no_motion_depends_on_its_units,
                 units_of_other_powers_of_two_give_the_same_bits_for_the_same_work)
