/* kernel.c: the ten pairs of features as expressions of two poses, their derivatives, and the tapes that evaluate them.
 *
 * A kernel gives the normal n and the points y_a, y_b of the two features without their radii, as arms from the
 * reference points; the rest is common:
 *   c_a = y_a + radius_a n,   c_b = y_b - radius_b n,   g = n . (r_b + c_b - r_a - c_a)                           (1)
 *   t_1 = unit(e - (e . n) n),  t_2 = n x t_1          e: the touch's reference; planar: t_1 = (-n_y, n_x)      (2)
 *   w = v_b + spin_b x p_b - v_a - spin_a x p_a,   r_a + p_a = r_b + p_b
 *   u_k = t_k . w                                                                                             (3)
 *   D_x f = df/ds of f(r + s dr, R + s R [dtheta], z + s D_x z) at s = 0                                        (4)
 *   F(pose, z) = 0  ->  D_x z = - F_z^-1 D_x F (z held)                                                         (5)
 *   gamma = D_v u,   U_q = D_x u,   A_q = D_x (G a + gamma),   A_v = d gamma/dv,   R_q = D_x (G^T x)            (6)
 * In (3) both bodies are looked at in one point: bodies that move as one have no slip whatever the gap, and the force
 * on one has the moment of its opposite on the other; n . w = g' all the same. It is the point of b, which is a vertex
 * or round, and halfway between the two where a is the same kind of feature: then it does not matter which is which.
 * x runs over the small displacements of both bodies. D_x D_y f is exact since (4) is applied to expressions
 * that hold for all poses. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expr/expr.h"
#include "geometry/geometry.h"
#include "geometry/vector.h"

enum { /* variables of the expressions, which are the rows of a tape's input */
    PLACE_A = 0, TURN_A = 3, PLACE_B = 12, TURN_B = 15, FEATURE_A = 24,
    FEATURE_B = FEATURE_A + CAROM_FEATURE_SIZE, SIGN = FEATURE_B + CAROM_FEATURE_SIZE, NORMAL, REFERENCE = NORMAL + 3,
    UNKNOWN = REFERENCE + 3, VELOCITY = UNKNOWN + CAROM_UNKNOWNS, ACCELERATION = VELOCITY + 12,
    MULTIPLIER = ACCELERATION + 12, INPUTS = MULTIPLIER + 3, STEP = INPUTS, VARIABLES
};
enum { FEATURES = 2 * CAROM_FEATURE_SIZE };
enum { LANES = 8, MAX_NODES = 1 << 22, MOST_OUT = 1 + 15 + 36 + 3 + 3 * 36 + 144 + (1 + 3 + 3 + 12) * FEATURES };

typedef carom_expr scalar;
typedef struct vec {
    scalar x[3];
} vec;

typedef struct maker {
    carom_expr_pool *pool;
    bool planar, alike;    /* alike: both features are of one kind */
    scalar var[VARIABLES]; /* constants where the plane says so */
    vec d;                 /* r_b - r_a */
    vec n, y_a, y_b;       /* a kernel fills these, */
    scalar radius_a, radius_b;
    scalar F[CAROM_UNKNOWNS]; /* and these if it has unknowns */
    int unknowns;
    vec c_a, c_b, p_a, p_b, t[3];
    scalar g;
} maker;

/* ---- algebra ---- */
static scalar number(maker *m, double value)
{
    return carom_expr_const(m->pool, value);
}
static scalar add(maker *m, scalar a, scalar b)
{
    return carom_expr_binary(m->pool, CAROM_OP_ADD, a, b);
}
static scalar sub(maker *m, scalar a, scalar b)
{
    return carom_expr_binary(m->pool, CAROM_OP_SUB, a, b);
}
static scalar mul(maker *m, scalar a, scalar b)
{
    return carom_expr_binary(m->pool, CAROM_OP_MUL, a, b);
}
static scalar divide(maker *m, scalar a, scalar b)
{
    return carom_expr_binary(m->pool, CAROM_OP_DIV, a, b);
}
static scalar neg(maker *m, scalar a)
{
    return carom_expr_unary(m->pool, CAROM_OP_NEG, a);
}
static vec plus(maker *m, vec a, vec b)
{
    return (vec){{add(m, a.x[0], b.x[0]), add(m, a.x[1], b.x[1]), add(m, a.x[2], b.x[2])}};
}
static vec minus(maker *m, vec a, vec b)
{
    return (vec){{sub(m, a.x[0], b.x[0]), sub(m, a.x[1], b.x[1]), sub(m, a.x[2], b.x[2])}};
}
static vec times(maker *m, scalar s, vec a)
{
    return (vec){{mul(m, s, a.x[0]), mul(m, s, a.x[1]), mul(m, s, a.x[2])}};
}
static scalar dot(maker *m, vec a, vec b)
{
    return add(m, add(m, mul(m, a.x[0], b.x[0]), mul(m, a.x[1], b.x[1])), mul(m, a.x[2], b.x[2]));
}
static vec cross(maker *m, vec a, vec b)
{
    vec c;
    for (int i = 0, j = 1, k = 2; i < 3; j = k, k = i++)
        c.x[i] = sub(m, mul(m, a.x[j], b.x[k]), mul(m, a.x[k], b.x[j]));
    return c;
}
static vec across(maker *m, vec a, vec unit) /* the part of a perpendicular to a unit vector */
{
    return minus(m, a, times(m, dot(m, a, unit), unit));
}
/* a/|a|, or other where a vanishes: there and only there a division would give no number. */
static vec unit(maker *m, vec a, vec other)
{
    scalar square = dot(m, a, a), long_enough = carom_expr_binary(m->pool, CAROM_OP_LT, number(m, 1e-200), square);
    vec n = times(m, divide(m, number(m, 1), carom_expr_unary(m->pool, CAROM_OP_SQRT, square)), a);
    for (int i = 0; i < 3; i++)
        n.x[i] = carom_expr_if(m->pool, long_enough, n.x[i], other.x[i]);
    return n;
}
/* a/b, or a where b vanishes */
static scalar ratio(maker *m, scalar a, scalar b)
{
    scalar none = carom_expr_binary(m->pool, CAROM_OP_EQ, b, number(m, 0));
    return divide(m, a, carom_expr_if(m->pool, none, number(m, 1), b));
}
static vec variables(maker *m, int first)
{
    return (vec){{m->var[first], m->var[first + 1], m->var[first + 2]}};
}
static vec row(maker *m, int matrix, int i)
{
    return variables(m, matrix + 3 * i);
}
static vec column(maker *m, int matrix, int j)
{
    return (vec){{m->var[matrix + j], m->var[matrix + 3 + j], m->var[matrix + 6 + j]}};
}
static vec rotate(maker *m, int matrix, vec a)
{
    return (vec){{dot(m, row(m, matrix, 0), a), dot(m, row(m, matrix, 1), a), dot(m, row(m, matrix, 2), a)}};
}
static vec of_a(maker *m, int offset) /* a vector of the feature of a, in space axes */
{
    return rotate(m, TURN_A, variables(m, FEATURE_A + offset));
}
static vec of_b(maker *m, int offset)
{
    return rotate(m, TURN_B, variables(m, FEATURE_B + offset));
}
static vec signed_unit(maker *m, vec a) /* sign a/|a|, or the normal that was found */
{
    return unit(m, times(m, m->var[SIGN], a), variables(m, NORMAL));
}
static void radii(maker *m, int offset_a, int offset_b) /* negative: the feature is sharp */
{
    m->radius_a = offset_a < 0 ? number(m, 0) : m->var[FEATURE_A + offset_a];
    m->radius_b = offset_b < 0 ? number(m, 0) : m->var[FEATURE_B + offset_b];
}

/* ---- kernels ---- */
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

/* Two curved edges: n is perpendicular to both directions, and F = 0 says that the difference of the feet is, too. */
static void line_circle(maker *m)
{
    vec p = of_a(m, 0), a = of_a(m, 3), tangent;
    m->y_b = on_circle(m, TURN_B, FEATURE_B, m->var[UNKNOWN], &tangent);
    vec x = minus(m, plus(m, m->d, m->y_b), p);
    m->y_a = plus(m, p, times(m, dot(m, x, a), a));
    m->n = signed_unit(m, cross(m, a, tangent));
    m->F[0] = dot(m, across(m, x, a), tangent);
    radii(m, 6, -1);
}

static void circle_circle(maker *m)
{
    vec tangent_a, tangent_b;
    m->y_a = on_circle(m, TURN_A, FEATURE_A, m->var[UNKNOWN], &tangent_a);
    m->y_b = on_circle(m, TURN_B, FEATURE_B, m->var[UNKNOWN + 1], &tangent_b);
    vec x = minus(m, plus(m, m->d, m->y_b), m->y_a);
    m->n = signed_unit(m, cross(m, tangent_a, tangent_b));
    m->F[0] = dot(m, x, tangent_a);
    m->F[1] = dot(m, x, tangent_b);
    radii(m, -1, -1);
}

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

static int columns(bool planar)
{
    return planar ? 6 : 12;
}
static int rows(bool planar)
{
    return planar ? 2 : 3;
}

/* The column-th component of a motion as six of a vector pair: of body 0 or 1, the velocity or the spin. */
static vec component(maker *m, int first, int body, bool spin)
{
    int half = columns(m->planar) / 2, at = first + half * body;
    scalar zero = number(m, 0);
    if (!m->planar)
        return variables(m, at + (spin ? 3 : 0));
    return spin ? (vec){{zero, zero, m->var[at + 2]}} : (vec){{m->var[at], m->var[at + 1], zero}};
}

static vec relative(maker *m, int first) /* (3) of the velocities or accelerations from variable first on */
{
    vec w_a = cross(m, rotate(m, TURN_A, component(m, first, 0, true)), m->p_a);
    vec w_b = cross(m, rotate(m, TURN_B, component(m, first, 1, true)), m->p_b);
    return minus(m, plus(m, component(m, first, 1, false), w_b), plus(m, component(m, first, 0, false), w_a));
}

/* G^T f of a force f on b, and -f on a. */
static void transposed(maker *m, vec f, scalar *out)
{
    vec moment[2] = {cross(m, f, m->p_a), cross(m, m->p_b, f)};
    for (int body = 0; body < 2; body++) {
        scalar *o = out + columns(m->planar) / 2 * body;
        int turn = body ? TURN_B : TURN_A, n = 0;
        for (int i = 0; i < (m->planar ? 2 : 3); i++)
            o[n++] = body ? f.x[i] : neg(m, f.x[i]);
        for (int i = m->planar ? 2 : 0; i < 3; i++)
            o[n++] = dot(m, column(m, turn, i), moment[body]);
    }
}

/* ---- derivatives ---- */
/* moved[VARIABLES]: the variables displaced by STEP times (place, turn) of both bodies and by dz. */
static void displace(maker *m, const vec move[2][2], const scalar *dz, scalar *moved)
{
    scalar s = m->var[STEP];
    for (int i = 0; i < VARIABLES; i++)
        moved[i] = m->var[i];
    for (int body = 0; body < 2; body++) {
        int place = body ? PLACE_B : PLACE_A, turn = body ? TURN_B : TURN_A;
        for (int i = 0; i < 3; i++) {
            moved[place + i] = add(m, m->var[place + i], mul(m, s, move[body][0].x[i]));
            vec dR = cross(m, row(m, turn, i), move[body][1]); /* a row of R [theta] is row x theta */
            for (int j = 0; j < 3; j++)
                moved[turn + 3 * i + j] = add(m, m->var[turn + 3 * i + j], mul(m, s, dR.x[j]));
        }
    }
    for (int i = 0; i < m->unknowns; i++)
        moved[UNKNOWN + i] = add(m, m->var[UNKNOWN + i], mul(m, s, dz[i]));
}

static scalar along(maker *m, scalar f, const scalar *moved) /* (4) */
{
    scalar zero = number(m, 0);
    f = carom_expr_diff(m->pool, carom_expr_replace(m->pool, f, 0, INPUTS, moved), STEP);
    return carom_expr_replace(m->pool, f, STEP, 1, &zero);
}

/* moved[] of a motion of both bodies and of a change of one number of the features (-1: none), unknowns included. */
static void direction(maker *m, const vec move[2][2], int feature, scalar *moved)
{
    scalar held[CAROM_UNKNOWNS], dF[CAROM_UNKNOWNS], Fz[CAROM_UNKNOWNS][CAROM_UNKNOWNS], dz[CAROM_UNKNOWNS];
    for (int i = 0; i < m->unknowns; i++)
        held[i] = number(m, 0);
    displace(m, move, held, moved);
    if (feature >= 0)
        moved[FEATURE_A + feature] = add(m, m->var[FEATURE_A + feature], m->var[STEP]);
    if (m->unknowns == 0)
        return;
    for (int i = 0; i < m->unknowns; i++) {
        dF[i] = along(m, m->F[i], moved);
        for (int j = 0; j < m->unknowns; j++)
            Fz[i][j] = carom_expr_diff(m->pool, m->F[i], UNKNOWN + j);
    }
    if (m->unknowns == 1) {
        dz[0] = neg(m, ratio(m, dF[0], Fz[0][0]));                                                    /* (5) */
    } else {
        scalar det = sub(m, mul(m, Fz[0][1], Fz[1][0]), mul(m, Fz[0][0], Fz[1][1]));
        dz[0] = ratio(m, sub(m, mul(m, Fz[1][1], dF[0]), mul(m, Fz[0][1], dF[1])), det);
        dz[1] = ratio(m, sub(m, mul(m, Fz[0][0], dF[1]), mul(m, Fz[1][0], dF[0])), det);
    }
    for (int i = 0; i < m->unknowns; i++)
        moved[UNKNOWN + i] = add(m, m->var[UNKNOWN + i], mul(m, m->var[STEP], dz[i]));
}

/* The k-th small displacement, or beyond the last of them the change of a number of the features. */
static void unit_direction(maker *m, int k, scalar *moved)
{
    scalar zero = number(m, 0), one = number(m, 1);
    vec move[2][2], none = {{zero, zero, zero}};
    int half = columns(m->planar) / 2, body = k / half, i = k % half;
    bool turn = m->planar ? i == 2 : i >= 3;
    move[0][0] = move[0][1] = move[1][0] = move[1][1] = none;
    if (body < 2)
        move[body][turn].x[turn && m->planar ? 2 : i % 3] = one;
    direction(m, (const vec(*)[2])move, body < 2 ? -1 : k - 2 * half, moved);
}

/* ---- tapes ---- */
typedef struct program {
    carom_kernel kernel;
    unsigned want;
    carom_tape *tape;
} program;

struct carom_kernels {
    bool planar;
    int n;
    program *list; /* [n] */
    size_t work;   /* doubles, of the largest tape */
};

static int length(bool planar, int quantity) /* of one touch */
{
    int r = rows(planar), c = columns(planar);
    const int all[CAROM_TOUCH_QUANTITIES] = {1,     15,    r * c,    r,            r * c,        r * c,
                                             r * c, c * c, FEATURES, r * FEATURES, r * FEATURES, c * FEATURES};
    return all[quantity];
}

typedef struct outputs {
    int n;
    scalar expr[MOST_OUT];
    carom_tape_slot slot[MOST_OUT];
} outputs;

static void put(outputs *o, unsigned quantity, int row, scalar e)
{
    int group = 0;
    while (quantity >> (group + 1))
        group++;
    o->slot[o->n] = (carom_tape_slot){group, row};
    o->expr[o->n++] = e;
}

static void put_place(maker *m, outputs *o)
{
    vec place[5] = {plus(m, variables(m, PLACE_A), m->c_a), plus(m, variables(m, PLACE_B), m->c_b), m->t[0], m->t[1],
                    m->t[2]};
    for (int i = 0; i < 15; i++)
        put(o, CAROM_TOUCH_PLACE, i, place[i / 3].x[i % 3]);
}

static void put_derivatives(maker *m, unsigned want, outputs *o)
{
    int r = rows(m->planar), c = columns(m->planar);
    scalar moved[VARIABLES], u[3], gamma[3], accelerate[3], force[12];
    vec w = relative(m, VELOCITY), aw = relative(m, ACCELERATION), f = {{number(m, 0), number(m, 0), number(m, 0)}};
    vec motion[2][2] = {{component(m, VELOCITY, 0, false), component(m, VELOCITY, 0, true)},
                        {component(m, VELOCITY, 1, false), component(m, VELOCITY, 1, true)}};
    direction(m, (const vec(*)[2])motion, -1, moved);
    for (int i = 0; i < r; i++) {
        u[i] = dot(m, m->t[i], w);
        gamma[i] = along(m, u[i], moved);
        accelerate[i] = add(m, dot(m, m->t[i], aw), gamma[i]);
        f = plus(m, f, times(m, m->var[MULTIPLIER + i], m->t[i]));
        if (want & CAROM_TOUCH_GAMMA)
            put(o, CAROM_TOUCH_GAMMA, i, gamma[i]);
        for (int j = 0; j < c && want & CAROM_TOUCH_A_V; j++)
            put(o, CAROM_TOUCH_A_V, i * c + j, carom_expr_diff(m->pool, gamma[i], VELOCITY + j));
    }
    transposed(m, f, force);
    if (want & (CAROM_TOUCH_U_Q | CAROM_TOUCH_A_Q | CAROM_TOUCH_R_Q))
        for (int j = 0; j < c; j++) {                                                                  /* (6) */
            unit_direction(m, j, moved);
            for (int i = 0; i < r; i++) {
                if (want & CAROM_TOUCH_U_Q)
                    put(o, CAROM_TOUCH_U_Q, i * c + j, along(m, u[i], moved));
                if (want & CAROM_TOUCH_A_Q)
                    put(o, CAROM_TOUCH_A_Q, i * c + j, along(m, accelerate[i], moved));
            }
            for (int i = 0; i < c && want & CAROM_TOUCH_R_Q; i++)
                put(o, CAROM_TOUCH_R_Q, i * c + j, along(m, force[i], moved));
        }
    for (int j = 0; j < FEATURES && want >= CAROM_TOUCH_G_F; j++) {
        unit_direction(m, c + j, moved);
        if (want & CAROM_TOUCH_G_F)
            put(o, CAROM_TOUCH_G_F, j, along(m, m->g, moved));
        for (int i = 0; i < r; i++) {
            if (want & CAROM_TOUCH_U_F)
                put(o, CAROM_TOUCH_U_F, i * FEATURES + j, along(m, u[i], moved));
            if (want & CAROM_TOUCH_A_F)
                put(o, CAROM_TOUCH_A_F, i * FEATURES + j, along(m, accelerate[i], moved));
        }
        for (int i = 0; i < c && want & CAROM_TOUCH_R_F; i++)
            put(o, CAROM_TOUCH_R_F, i * FEATURES + j, along(m, force[i], moved));
    }
}

static carom_status compile(bool planar, program *p, carom_error *error)
{
    outputs o = {.n = 0};
    maker m = {.pool = carom_expr_pool_new(MAX_NODES), .planar = planar, .unknowns = kernel_list[p->kernel].unknowns};
    m.alike = p->kernel == CAROM_POINT_POINT || p->kernel == CAROM_LINE_LINE || p->kernel == CAROM_CIRCLE_CIRCLE;
    carom_tape_slot slot[VARIABLES];
    if (!m.pool)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "kernel %s: out of memory", carom_kernel_name(p->kernel));
    for (int i = 0; i < VARIABLES; i++)
        slot[i] = (carom_tape_slot){0, i};
    start(&m);
    kernel_list[p->kernel].make(&m);
    finish(&m);
    if (p->want & CAROM_TOUCH_GAP)
        put(&o, CAROM_TOUCH_GAP, 0, m.g);
    if (p->want & CAROM_TOUCH_PLACE)
        put_place(&m, &o);
    for (int i = 0; i < rows(planar) && p->want & CAROM_TOUCH_JACOBIAN; i++) {
        scalar G[12];
        transposed(&m, m.t[i], G);
        for (int j = 0; j < columns(planar); j++)
            put(&o, CAROM_TOUCH_JACOBIAN, i * columns(planar) + j, G[j]);
    }
    put_derivatives(&m, p->want, &o);
    const char *name = carom_kernel_name(p->kernel);
    carom_status status = carom_expr_exhausted(m.pool)
                              ? carom_fail(error, CAROM_NO_MEMORY, "kernel %s: out of nodes", name)
                              : carom_tape_new(&p->tape, m.pool, o.expr, o.slot, o.n, slot, 0, error);
    carom_expr_pool_free(m.pool);
    return status;
}

carom_status carom_kernels_new(carom_kernels **kernels, bool planar, unsigned which, const unsigned *want, int nwant,
                               carom_error *error)
{
    carom_kernels *k = *kernels = calloc(1, sizeof *k);
    if (k)
        k->list = calloc((size_t)nwant * CAROM_KERNELS, sizeof *k->list);
    if (!k || !k->list) {
        carom_kernels_free(k);
        *kernels = NULL;
        CAROM_FAIL(error, CAROM_NO_MEMORY, "kernels of contacts: out of memory");
    }
    k->planar = planar;
    for (int i = 0; i < nwant; i++)
        for (int kernel = 0; kernel < CAROM_KERNELS; kernel++) {
            if (!(which >> kernel & 1))
                continue;
            program *p = &k->list[k->n++];
            *p = (program){.kernel = (carom_kernel)kernel, .want = want[i]};
            carom_status status = compile(planar, p, error);
            if (status != CAROM_OK) {
                carom_kernels_free(k);
                *kernels = NULL;
                return status;
            }
            k->work = CAROM_MAX(k->work, carom_tape_work(p->tape, LANES));
        }
    return CAROM_OK;
}

void carom_kernels_free(carom_kernels *kernels)
{
    if (!kernels)
        return;
    for (int i = 0; i < kernels->n; i++)
        carom_tape_free(kernels->list[i].tape);
    free(kernels->list);
    free(kernels);
}

static const program *find(const carom_kernels *k, carom_kernel kernel, unsigned want)
{
    for (int i = 0; i < k->n; i++)
        if (k->list[i].kernel == kernel && k->list[i].want == want)
            return &k->list[i];
    return NULL;
}

int carom_kernels_length(const carom_kernels *kernels, carom_kernel kernel, unsigned want)
{
    const program *p = find(kernels, kernel, want);
    return p ? carom_tape_length(p->tape) : 0;
}

size_t carom_kernels_work(const carom_kernels *kernels)
{
    return kernels->work + (size_t)LANES * (INPUTS + MOST_OUT);
}

/* ---- evaluation ---- */
static void gather(const carom_kernels *k, unsigned want, const carom_touch *t, int index, const carom_touch_motion *at,
                   double *in, int lanes)
{
    int half = columns(k->planar) / 2;
    for (int body = 0; body < 2; body++) {
        const carom_pose *pose = &at->pose[t->body[body]];
        int place = body ? PLACE_B : PLACE_A, turn = body ? TURN_B : TURN_A, first = body ? FEATURE_B : FEATURE_A;
        const double *feature = body ? t->b : t->a;
        for (int i = 0; i < 3; i++)
            in[(place + i) * lanes] = pose->r[i];
        for (int i = 0; i < 9; i++)
            in[(turn + i) * lanes] = pose->R[i];
        for (int i = 0; i < CAROM_FEATURE_SIZE; i++)
            in[(first + i) * lanes] = feature[i];
        for (int i = 0; i < half && want >= CAROM_TOUCH_GAMMA; i++)
            in[(VELOCITY + half * body + i) * lanes] = at->v[half * t->body[body] + i];
        for (int i = 0; i < half && want & (CAROM_TOUCH_A_Q | CAROM_TOUCH_A_F); i++)
            in[(ACCELERATION + half * body + i) * lanes] = at->a[half * t->body[body] + i];
    }
    in[SIGN * lanes] = t->sign;
    for (int i = 0; i < 3; i++)
        in[(NORMAL + i) * lanes] = t->normal[i], in[(REFERENCE + i) * lanes] = t->reference[i];
    for (int i = 0; i < rows(k->planar) && want & (CAROM_TOUCH_R_Q | CAROM_TOUCH_R_F); i++)
        in[(MULTIPLIER + i) * lanes] = at->x[rows(k->planar) * index + i];
    if (kernel_list[t->kernel].unknowns) {
        double z[CAROM_UNKNOWNS] = {t->z[0], t->z[1]};
        carom_touch_unknowns(t, at->pose, z);
        for (int i = 0; i < CAROM_UNKNOWNS; i++)
            in[(UNKNOWN + i) * lanes] = z[i];
    }
}

/* Evaluates the touches index[0..n), n <= 8, all of one kernel. */
static void batch(const carom_kernels *k, const program *p, int n, const int *index, const carom_touch *touch,
                  const carom_touch_motion *motion, double *const *value, double *work,
                  int *begun)
{
    int lanes = n == 1 ? 1 : LANES;
    double *in = work + k->work, *out = in + (size_t)LANES * INPUTS, *group[CAROM_TOUCH_QUANTITIES] = {0};
    for (int lane = 0; lane < lanes; lane++) { /* idle lanes repeat the last one */
        int i = index[CAROM_MIN(lane, n - 1)];
        gather(k, p->want, &touch[i], i, motion, in + lane, lanes);
    }
    for (int i = 0; i < CAROM_TOUCH_QUANTITIES; i++)
        if (p->want >> i & 1) {
            group[i] = out;
            out += (size_t)lanes * (size_t)length(k->planar, i);
        }
    if (*begun != lanes)
        carom_tape_begin(p->tape, lanes, (const double *const[]){in}, work);
    *begun = lanes;
    carom_tape_eval(p->tape, lanes, (const double *const[]){in}, work, group);
    for (int i = 0; i < CAROM_TOUCH_QUANTITIES; i++) {
        int size = length(k->planar, i);
        for (int lane = 0; lane < n && group[i]; lane++)
            for (int j = 0; j < size; j++)
                value[i][(size_t)index[lane] * (size_t)size + (size_t)j] = group[i][j * lanes + lane];
    }
}

carom_status carom_kernels_eval(const carom_kernels *kernels, unsigned want, int n, const carom_touch *touch,
                                const carom_touch_motion *motion, const carom_touch_values *values, double *work,
                                carom_error *error)
{
    double *const value[CAROM_TOUCH_QUANTITIES] = {values->g,   values->place, values->G,   values->gamma,
                                                   values->U_q, values->A_q,   values->A_v, values->R_q,
                                                   values->g_f, values->U_f,   values->A_f, values->R_f};
    for (int kernel = 0; kernel < CAROM_KERNELS; kernel++) {
        const program *p = find(kernels, (carom_kernel)kernel, want);
        int index[LANES], waiting = 0, begun = 0; /* the lanes for which work holds the tape's constants */
        for (int i = 0; i < n; i++) {
            if ((int)touch[i].kernel != kernel)
                continue;
            if (!p)
                CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "kernel %s was not prepared for these quantities (%#x)",
                           carom_kernel_name((carom_kernel)kernel), want);
            index[waiting++] = i;
            if (waiting == LANES) {
                batch(kernels, p, waiting, index, touch, motion, value, work, &begun);
                waiting = 0;
            }
        }
        if (waiting > 0)
            batch(kernels, p, waiting, index, touch, motion, value, work, &begun);
    }
    return CAROM_OK;
}
