/* features.c: the ten pairs of features as expressions of two poses. Numbers in parentheses are those of kernel.c. */
#include "geometry/maker.h"

static void point_point(maker *m) /* a radius of a that is negative, with sign -1: b lies in a round hole of a */
{
    m->y_a = of_a(m, 0), m->y_b = of_b(m, 0);
    m->n = signed_unit(m, minus(m, plus(m, m->d, m->y_b), m->y_a));
    radii(m, 3, 3);
}

/* The foot of b on the plane: y_a = d + y_b - (n . (d + y_b) - offset) n. */
static void foot_on_plane(maker *m, vec y_b)
{
    vec x = plus(m, m->d, y_b);
    m->y_b = y_b;
    m->y_a = minus(m, x, times(m, sub(m, dot(m, m->n, x), m->var[FEATURE_A + 3]), m->n));
}

static void plane_point(maker *m)
{
    m->n = of_a(m, 0);
    foot_on_plane(m, of_b(m, 0));
    radii(m, -1, 3);
}

static void line_point(maker *m)
{
    vec p = of_a(m, 0), a = of_a(m, 3), x;
    m->y_b = of_b(m, 0);
    x = minus(m, plus(m, m->d, m->y_b), p);
    m->n = signed_unit(m, across(m, x, a));
    m->y_a = plus(m, p, times(m, dot(m, x, a), a));
    radii(m, 6, 3);
}

/* n = a x b/|a x b|; the feet follow from (x + tau b - sigma a) . (a, b) = 0, x from the point of a to that of b. */
static void line_line(maker *m)
{
    vec p = of_a(m, 0), a = of_a(m, 3), q = of_b(m, 0), b = of_b(m, 3), x = minus(m, plus(m, m->d, q), p);
    vec c = cross(m, a, b);
    scalar ab = dot(m, a, b), ax = dot(m, a, x), bx = dot(m, b, x), det = dot(m, c, c); /* 1 - (a . b)^2, exactly */
    m->n = signed_unit(m, c);
    m->y_a = plus(m, p, times(m, ratio(m, sub(m, ax, mul(m, ab, bx)), det), a));
    m->y_b = plus(m, q, times(m, ratio(m, sub(m, mul(m, ab, ax), bx), det), b));
    radii(m, 6, 6);
}

static void plane_circle(maker *m) /* the lowest point of the circle; its centre when it lies flat */
{
    m->n = of_a(m, 0);
    vec none = {{number(m, 0), number(m, 0), number(m, 0)}};
    vec down = unit(m, across(m, m->n, of_b(m, 3)), none);
    foot_on_plane(m, minus(m, of_b(m, 0), times(m, m->var[FEATURE_B + 9], down)));
    radii(m, -1, -1);
}

static void circle_point(maker *m)
{
    vec c = of_a(m, 0), x, none = {{number(m, 0), number(m, 0), number(m, 0)}};
    m->y_b = of_b(m, 0);
    x = minus(m, plus(m, m->d, m->y_b), c);
    vec radial = unit(m, across(m, x, of_a(m, 3)), none);
    m->y_a = plus(m, c, times(m, m->var[FEATURE_A + 9], radial));
    m->n = signed_unit(m, minus(m, plus(m, m->d, m->y_b), m->y_a));
    radii(m, -1, 3);
}

typedef struct axes {
    vec f[3];
    scalar squared[3]; /* semi-axes */
} axes;
static axes ellipsoid(maker *m, int turn, int feature)
{
    axes e;
    e.f[0] = rotate(m, turn, variables(m, feature + 3)), e.f[1] = rotate(m, turn, variables(m, feature + 6));
    e.f[2] = cross(m, e.f[0], e.f[1]);
    for (int i = 0; i < 3; i++)
        e.squared[i] = mul(m, m->var[feature + 9 + i], m->var[feature + 9 + i]);
    return e;
}

/* The lowest point is c - Q n/sqrt(n . Q n), Q = sum of a_i^2 f_i f_i^T. */
static void plane_ellipsoid(maker *m)
{
    axes e = ellipsoid(m, TURN_B, FEATURE_B);
    m->n = of_a(m, 0);
    vec Qn = {{number(m, 0), number(m, 0), number(m, 0)}};
    for (int i = 0; i < 3; i++)
        Qn = plus(m, Qn, times(m, mul(m, e.squared[i], dot(m, e.f[i], m->n)), e.f[i]));
    scalar height = carom_expr_unary(m->pool, CAROM_OP_SQRT, dot(m, m->n, Qn));
    foot_on_plane(m, minus(m, of_b(m, 0), times(m, divide(m, number(m, 1), height), Qn)));
    radii(m, -1, -1);
}

/* The foot has the coordinates a_i^2 x_i/(a_i^2 + z) along the axes, F = sum (a_i x_i/(a_i^2 + z))^2 - 1 = 0. */
static void ellipsoid_point(maker *m)
{
    axes e = ellipsoid(m, TURN_A, FEATURE_A);
    vec c = of_a(m, 0), x, outward = {{number(m, 0), number(m, 0), number(m, 0)}};
    m->y_b = of_b(m, 0), m->y_a = c;
    x = minus(m, plus(m, m->d, m->y_b), c);
    m->F[0] = number(m, -1);
    for (int i = 0; i < 3; i++) {
        scalar slope = divide(m, dot(m, e.f[i], x), add(m, e.squared[i], m->var[UNKNOWN]));
        m->F[0] = add(m, m->F[0], mul(m, e.squared[i], mul(m, slope, slope)));
        m->y_a = plus(m, m->y_a, times(m, mul(m, e.squared[i], slope), e.f[i]));
        outward = plus(m, outward, times(m, slope, e.f[i]));
    }
    m->n = signed_unit(m, outward);
    radii(m, -1, 3);
}

/* A circle's point at the angle z, and the direction of the circle there. */
static vec on_circle(maker *m, int turn, int feature, scalar z, vec *tangent)
{
    vec c = rotate(m, turn, variables(m, feature)), axis = rotate(m, turn, variables(m, feature + 3));
    vec f = rotate(m, turn, variables(m, feature + 6)), h = cross(m, axis, f);
    scalar cosine = carom_expr_unary(m->pool, CAROM_OP_COS, z), sine = carom_expr_unary(m->pool, CAROM_OP_SIN, z);
    *tangent = minus(m, times(m, cosine, h), times(m, sine, f));
    return plus(m, c, times(m, m->var[feature + 9], plus(m, times(m, cosine, f), times(m, sine, h))));
}

/* The normal of two curved edges: sign c/|c| of the product c of their directions, along which the difference x of the
 * feet lies, too. Where the directions are all but parallel c has lost its digits, and x, unless it is as small, has
 * not: x/|x|, with the sign of the other, if |x| > 100 r |c|. */
static vec between_edges(maker *m, vec c, vec x, scalar r)
{
    vec n = signed_unit(m, c), other = unit(m, x, n);
    scalar hundred = mul(m, number(m, 1e4), mul(m, mul(m, r, r), dot(m, c, c)));
    scalar parallel = carom_expr_binary(m->pool, CAROM_OP_LT, hundred, dot(m, x, x));
    scalar same = carom_expr_binary(m->pool, CAROM_OP_LT, number(m, 0), dot(m, n, x));
    scalar sign = carom_expr_if(m->pool, same, number(m, 1), number(m, -1));
    for (int i = 0; i < 3; i++)
        n.x[i] = carom_expr_if(m->pool, parallel, mul(m, sign, other.x[i]), n.x[i]);
    return n;
}

/* Two curved edges: n is perpendicular to both directions, and F = 0 says that the difference of the feet is, too. */
static void line_circle(maker *m)
{
    vec p = of_a(m, 0), a = of_a(m, 3), tangent;
    m->y_b = on_circle(m, TURN_B, FEATURE_B, m->var[UNKNOWN], &tangent);
    vec x = minus(m, plus(m, m->d, m->y_b), p);
    m->y_a = plus(m, p, times(m, dot(m, x, a), a));
    m->n = between_edges(m, cross(m, a, tangent), across(m, x, a), m->var[FEATURE_B + 9]);
    m->F[0] = dot(m, across(m, x, a), tangent);
    radii(m, 6, -1);
}

static void circle_circle(maker *m)
{
    vec tangent_a, tangent_b;
    m->y_a = on_circle(m, TURN_A, FEATURE_A, m->var[UNKNOWN], &tangent_a);
    m->y_b = on_circle(m, TURN_B, FEATURE_B, m->var[UNKNOWN + 1], &tangent_b);
    vec x = minus(m, plus(m, m->d, m->y_b), m->y_a);
    m->n = between_edges(m, cross(m, tangent_a, tangent_b), x, m->var[FEATURE_B + 9]);
    m->F[0] = dot(m, x, tangent_a);
    m->F[1] = dot(m, x, tangent_b);
    radii(m, -1, -1);
}
/* ---- what all kernels share ---- */
static void start(maker *m)
{
    for (int i = 0; i < VARIABLES; i++)
        m->var[i] = carom_expr_var(m->pool, i);
    if (m->planar) { /* no z anywhere, rotations about z */
        static const int vectors[] = {PLACE_A, PLACE_B, FEATURE_A, FEATURE_B, NORMAL}; /* points and planes alone */
        for (int i = 0; i < CAROM_COUNT(vectors); i++)
            m->var[vectors[i] + 2] = number(m, 0);
        for (int j = 0; j < 9; j++)
            if (j == 2 || j > 4)
                m->var[TURN_A + j] = m->var[TURN_B + j] = number(m, j == 8);
    }
    m->d = minus(m, variables(m, PLACE_B), variables(m, PLACE_A));
}

static void finish(maker *m)
{
    vec x = minus(m, plus(m, m->d, m->y_b), m->y_a), e = variables(m, REFERENCE);
    m->g = sub(m, sub(m, dot(m, m->n, x), m->radius_a), m->radius_b);                                  /* (1) */
    m->c_a = plus(m, m->y_a, times(m, m->radius_a, m->n));
    m->c_b = minus(m, m->y_b, times(m, m->radius_b, m->n));
    vec p_a = plus(m, m->d, m->c_b), middle = times(m, number(m, 0.5), plus(m, m->c_a, p_a));
    m->p_a = m->alike ? middle : p_a;                                                                  /* (3) */
    m->p_b = m->alike ? minus(m, middle, m->d) : m->c_b;
    m->t[0] = m->n;                                                                                    /* (2) */
    vec planar = {{neg(m, m->n.x[1]), m->n.x[0], number(m, 0)}};
    vec first = {{number(m, 1), number(m, 0), number(m, 0)}};
    m->t[1] = m->planar ? planar : unit(m, across(m, e, m->n), first);
    m->t[2] = cross(m, m->n, m->t[1]);
}

/* ---- all of them ---- */
static const struct {
    const char *name;
    void (*make)(maker *);
    int unknowns;
} kernel_list[] = {
#define KERNEL(NAME, function, unknowns) {#function, function, unknowns},
    CAROM_KERNEL_LIST(KERNEL)
#undef KERNEL
};

const char *carom_kernel_name(carom_kernel kernel)
{
    return kernel_list[kernel].name;
}

int carom_kernel_unknowns(carom_kernel kernel)
{
    return kernel_list[kernel].unknowns;
}

void carom_kernel_make(maker *m, carom_kernel kernel)
{
    m->alike = kernel == CAROM_POINT_POINT || kernel == CAROM_LINE_LINE || kernel == CAROM_CIRCLE_CIRCLE;
    start(m);
    kernel_list[kernel].make(m);
    finish(m);
}
