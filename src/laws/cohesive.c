/* cohesive.c: a contact that also pulls, up to the force c; rows (n), (n, t) or (n, t1, t2).
 *
 *   0 <= u_n  _|_  x_n + c >= 0,   |x_t| <= mu (x_n + c),   x_t = -mu (x_n + c) u_t/|u_t| if u_t != 0       (1)
 *   y = x + x0,  x0 = (c, 0, 0):   (u, y) in the law without cohesion                                       (2)
 *
 * c is a force: in a step of length h it holds the impulse c h, in an impact none, so that restitution is what it is
 * without cohesion. It acts while the contact is closed: an open one has none, closing restores it. What the law is
 * asked is (2): the functions below are those of the law without cohesion, at y. */
#include <math.h>

#include "laws/coulomb.h"

#define COHESION {"cohesion", CAROM_FIELD_DOUBLE, NAN, 0, INFINITY, NULL, "c: the force that it takes to pull it off"}
enum { SMOOTH_COHESION = 1, COHESION_AT = CAROM_FRICTION_STATIC + 1 };
static const carom_field smooth_fields[] = {
    {"restitution", CAROM_FIELD_DOUBLE, NAN, 0, 1, NULL, "normal velocity after an impact over the one before"},
    COHESION,
    {0},
};
static const carom_field fields[] = {CAROM_COULOMB_FIELDS, COHESION, {0}};

#define AS(law, of) /* (2) */ \
    static void project_##of(const double *c, const double *y, double *x) { law.project(c, y, x); } \
    static double residual_##of(const double *c, double rho, const double *u, const double *y) \
    { return law.residual(c, rho, u, y); } \
    static void solve_##of(const double *c, const double *W, int stride, const double *b, double *y) \
    { law.solve_single(c, W, stride, b, y); }
#define AS_FRICTION(law, of) \
    AS(law, of) \
    static void slide_##of(const double *c, const double *d, double y_n, double *x_t) { law.slide(c, d, y_n, x_t); } \
    static void slip_##of(const double *c, const double *x_t, double *d) { law.slip_along(c, x_t, d); } \
    static double friction_##of(const double *c, const double *y, double *most) { return law.friction(c, y, most); } \
    static const carom_law *simpler_##of(const double *c, double *scale, double *d) { return law.simpler(c, scale, d); }
AS(carom_law_unilateral, smooth)
AS_FRICTION(carom_law_coulomb_planar, planar)
AS_FRICTION(carom_law_coulomb_spatial, spatial)

static double turn(const double *c, const double *d)
{
    return carom_law_coulomb_spatial.turn(c, d);
}

static const carom_law *simpler_smooth(const double *c, double *scale, double *d)
{
    scale[0] = 1, d[0] = c[0];
    return &carom_law_unilateral;
}

static double offset_smooth(const double *c)
{
    return c[SMOOTH_COHESION];
}

static double offset(const double *c)
{
    return c[COHESION_AT];
}

static void at_rest(const double *c, double *held)
{
    carom_coulomb_at_rest(c, held);
    held[COHESION_AT] = c[COHESION_AT];
}

const carom_law carom_law_cohesive_smooth = {
    .method = {.name = "cohesive-smooth", .doc = "contact without friction that pulls up to a force", .ref = "",
               .fields = smooth_fields},
    .family = "cohesive",
    .rows = 1,
    .modes = 1 << CAROM_OPEN | 1 << CAROM_CLOSED,
    .forces = 1 << SMOOTH_COHESION,
    .restitution = true,
    .project = project_smooth,
    .residual = residual_smooth,
    .solve_single = solve_smooth,
    .offset = offset_smooth,
    .simpler = simpler_smooth,
};

#define WITH_FRICTION(of) \
    .family = "cohesive", .modes = 1 << CAROM_OPEN | 1 << CAROM_STICK | 1 << CAROM_SLIP, .forces = 1 << COHESION_AT, \
    .restitution = true, .project = project_##of, .residual = residual_##of, .solve_single = solve_##of, \
    .wrong = carom_coulomb_wrong, .slide = slide_##of, .slip_along = slip_##of, .friction = friction_##of, \
    .at_rest = at_rest, .offset = offset, .simpler = simpler_##of
const carom_law carom_law_cohesive_planar = {
    .method = {.name = "cohesive-planar", .doc = "contact with dry friction in the plane that pulls up to a force",
               .ref = "", .fields = fields},
    .rows = 2, .tangents = 1, WITH_FRICTION(planar),
};
const carom_law carom_law_cohesive_spatial = {
    .method = {.name = "cohesive-spatial", .doc = "contact with dry friction in space that pulls up to a force",
               .ref = "", .fields = fields},
    .rows = 3, .tangents = 2, .turn = turn, WITH_FRICTION(spatial),
};
