/* law.h: a contact law: which relative velocities u and impulses (or forces) x go together.
 *
 *   (u, x) in the law,   u = W x + b                                                                   (1)
 *
 * Rows: the normal one first, if there is one, then the tangential ones. Nothing outside asks for the number of rows to
 * learn what a law is: it asks the law. A law's coefficients c are values of its own table of fields, in that order.
 * Friction is a convex set of tangential forces that grows with the normal force; slip along d has the force of this
 * set that dissipates most. Laws with c that are forces (cohesion, a bound) hold h times as much impulse in a step of
 * length h, and none in an impact: `forces` tells which, and `offset` is a constant part of the normal force:
 *
 *   (u, x + x0) in the law,   x0 = offset(c)                                                           (2)
 *
 * so that a law itself always begins at x = 0. A new law is one file and one line in law.c. */
#ifndef CAROM_LAW_H
#define CAROM_LAW_H

#include "core/core.h"

enum {
    CAROM_LAW_ROWS = 3,        /* of any law at most */
    CAROM_COEFFICIENTS_MAX = 8 /* of any law at most */
};
/* Pivots below this part of the largest count as dependent: redundant rows are exact copies up to rounding. */
#define CAROM_RANK_TOL 1e-11

typedef struct carom_law {
    carom_method method;       /* its fields are its coefficients; one with the default NAN must be given */
    const char *family;        /* a model may name it instead: the number of rows tells which law; NULL: alone */
    int rows, tangents;        /* rows in all; tangential ones among them, the last */
    unsigned modes;            /* bit 1 << m: it can have the carom_mode m */
    unsigned forces;           /* bit i: coefficient i is a force, see above */
    bool restitution;          /* the table begins with restitution and, with a normal and tangents, restitution_t */
    /* The admissible x nearest to y. */
    void (*project)(const double *c, const double *y, double *x);
    /* How far (u, x) is from the law, in the units of u: |x - project(x - rho u~)|/rho with u~ the velocity that is
     * normal to the cone at a solution (de Saxce's change for friction); rho > 0 makes u and x commensurable. */
    double (*residual)(const double *c, double rho, const double *u, const double *x);
    /* Solves (1) for one contact alone, exactly; W is the diagonal block inside of a matrix with rows of length
     * stride, maybe nonsymmetric and singular. The best found if there is no solution. */
    void (*solve_single)(const double *c, const double *W, int stride, const double *b, double *x);
    /* What is wrong with coefficients that lie in their ranges: which one, compared with which; NULL: nothing. */
    const char *(*wrong)(const double *c, int *which, int *than);
    /* ---- laws with tangents ---- */
    /* The friction of slip along the unit vector d: linear in the normal force x_n, constant without a normal. */
    void (*slide)(const double *c, const double *d, double x_n, double *x_t);
    /* The unit direction of the slip that has friction along x_t, not 0; also of what breaks loose against x_t. */
    void (*slip_along)(const double *c, const double *x_t, double *d);
    /* Of two tangents: how friction turns with the slip, k in |u_t| dx_t/du_t = -k p p^T for x_n = 1, p across d. */
    double (*turn)(const double *c, const double *d);
    /* The size of the friction in x, and the most it may be: they are equal while it slips. */
    double (*friction)(const double *c, const double *x, double *most);
    /* Coulomb's coefficient, where friction is opposite to the slip and mu times the normal force; otherwise NULL. */
    double (*mu)(const double *c);
    /* c of a contact that sticks (static friction); NULL: the same. */
    void (*at_rest)(const double *c, double *held);
    /* ---- */
    double (*offset)(const double *c); /* x0 of the normal in (2), NULL: 0 */
    /* The same law in scaled rows, maybe without the last ones: x_i = scale_i y_i and v_i = scale_i u_i with (v, y) in
     * the law returned, which has the coefficients d [CAROM_COEFFICIENTS_MAX]; rows it does not have carry no x.
     * NULL: the law itself. */
    const struct carom_law *(*simpler)(const double *c, double *scale, double *d);
} carom_law;

extern const carom_law carom_law_unilateral;      /* 0 <= u _|_ x >= 0 */
extern const carom_law carom_law_bilateral;       /* u = 0 */
extern const carom_law carom_law_coulomb_planar;  /* unilateral normal, x_t in -mu x_n Sgn(u_t) */
extern const carom_law carom_law_coulomb_spatial; /* the same with a disc */
extern const carom_law carom_law_anisotropic;     /* with an ellipse */
extern const carom_law carom_law_cohesive_smooth, carom_law_cohesive_planar, carom_law_cohesive_spatial; /* pull too */
extern const carom_law carom_law_bounded;         /* no normal: |x| <= c */

const carom_law *carom_law_list(int i); /* NULL after the last */
/* The law of that name, or the one of that family, with 1 + directions rows; NULL name: the family "contact". NULL if
 * there is none. */
const carom_law *carom_law_find(const char *name, int directions);
int carom_law_coefficients(const carom_law *law); /* how many */
const char *carom_law_words(const carom_law *law, int i); /* coefficient i in words */

/* What there is to know about a law beyond contact without friction, joint and Coulomb's friction, and about its
 * coefficients beyond time and place. */
enum {
    CAROM_LAW_SLANTED = 1,     /* friction is not opposite to the slip */
    CAROM_LAW_PULLS = 2,       /* it has an offset */
    CAROM_LAW_ALONG = 4,       /* it has no normal */
    CAROM_LAW_BY_APPROACH = 8, /* coefficients depend on the normal speed before an impact */
    CAROM_LAW_BY_SLIP = 16,    /* or on the slip speed, the present one; that before, in an impact or a step */
    CAROM_LAW_SPEEDS = CAROM_LAW_BY_APPROACH | CAROM_LAW_BY_SLIP
};
static inline unsigned carom_law_needs(const carom_law *law)
{
    unsigned needs = (law->offset ? CAROM_LAW_PULLS : 0u) | (law->tangents == law->rows ? CAROM_LAW_ALONG : 0u);
    return needs | (law->tangents && !law->mu && !needs ? CAROM_LAW_SLANTED : 0u);
}
static inline bool carom_law_plain(const carom_law *law)
{
    return carom_law_needs(law) == 0;
}
static inline bool carom_law_can(const carom_law *law, carom_mode mode)
{
    return law->modes >> mode & 1;
}
static inline bool carom_mode_carries(int mode) /* a force */
{
    return mode != CAROM_OPEN && mode != CAROM_PASSIVE;
}
static inline bool carom_mode_slips(int mode) /* friction is a part of the normal force, along the direction */
{
    return mode == CAROM_SLIP || mode == CAROM_SATURATED || mode == CAROM_SLIP_BACK;
}
/* The mode of a contact that is closed and does not slip. */
static inline carom_mode carom_law_held(const carom_law *law)
{
    return law->tangents ? CAROM_STICK : CAROM_CLOSED;
}
/* The coefficient of restitution of a row of the law. */
static inline double carom_law_restitution(const carom_law *law, const double *c, int row)
{
    return law->restitution ? c[row > 0] : 0;
}

#endif
