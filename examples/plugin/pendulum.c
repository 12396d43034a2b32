/* pendulum.c: a model in native code for a model file: a pendulum that hits a wall with friction at its tip.
 *
 *   m l^2 th'' = -m g l sin th - c th',   gap = l sin th - wall,   slip = l sin th th' (down the wall) */
#include <math.h>

#include "carom_plugin.h"

enum { M, L, G, C, WALL, PARAMETERS };

static void mass(const carom_point *at, double *out)
{
    out[0] = at->p[M] * at->p[L] * at->p[L];
}

static void force(const carom_point *at, double *out)
{
    out[0] = -at->p[M] * at->p[G] * at->p[L] * sin(at->q[0]) - at->p[C] * at->v[0];
}

static void potential(const carom_point *at, double *out)
{
    out[0] = -at->p[M] * at->p[G] * at->p[L] * cos(at->q[0]);
}

static void gap(const carom_point *at, double *out)
{
    out[0] = at->p[L] * sin(at->q[0]) - at->p[WALL];
}

static void slip(const carom_point *at, double *out)
{
    out[0] = at->p[L] * sin(at->q[0]) * at->v[0];
}

/* Optional: exact derivatives are faster and more accurate than the finite differences that would stand in. */
static void jacobian(const carom_point *at, double *out)
{
    out[0] = at->p[L] * cos(at->q[0]);
    out[1] = at->p[L] * sin(at->q[0]);
}

static void gamma_rows(const carom_point *at, double *out)
{
    out[0] = -at->p[L] * sin(at->q[0]) * at->v[0] * at->v[0];
    out[1] = at->p[L] * cos(at->q[0]) * at->v[0] * at->v[0];
}

static void force_q(const carom_point *at, double *out)
{
    out[0] = -at->p[M] * at->p[G] * at->p[L] * cos(at->q[0]);
}

static void force_v(const carom_point *at, double *out)
{
    out[0] = -at->p[C];
}

static carom_status fill(carom_model *model, carom_error *error)
{
    static const char *const q_name[] = {"th"};
    static const char *const p_name[PARAMETERS] = {"m", "l", "g", "c", "wall"};
    static const double q[] = {1}, p[PARAMETERS] = {1, 0.5, 9.81, 0.01, -0.1};
    static const carom_contact contact[] = {{.name = "wall", .directions = 1, .restitution = 0.7, .friction = 0.1}};
    (void)error;
    *model = (carom_model){
        .size = sizeof *model, .name = "pendulum", .nq = 1, .nv = 1, .np = PARAMETERS, .ncontact = 1,
        .q_name = q_name, .p_name = p_name,
        .contact = contact, .q = q, .p = p, .constant = CAROM_MASS | CAROM_LAW,
        .mass = mass, .force = force, .potential = potential, .gap = gap, .slip = slip,
        .jacobian = jacobian, .gamma = gamma_rows, .force_q = force_q, .force_v = force_v,
    };
    return CAROM_OK;
}

const carom_plugin carom_plugin_model = {CAROM_PLUGIN_ABI, sizeof(carom_model), fill};
