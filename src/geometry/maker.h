/* maker.h: what features.c and kernel.c share: a pair of features on its way to expressions, and their algebra. */
#ifndef CAROM_GEOMETRY_MAKER_H
#define CAROM_GEOMETRY_MAKER_H

#include "expr/expr.h"
#include "geometry/geometry.h"

enum { /* variables of the expressions, which are the rows of a tape's input */
    PLACE_A = 0, TURN_A = 3, PLACE_B = 12, TURN_B = 15, FEATURE_A = 24,
    FEATURE_B = FEATURE_A + CAROM_FEATURE_SIZE, SIGN = FEATURE_B + CAROM_FEATURE_SIZE, NORMAL, REFERENCE = NORMAL + 3,
    UNKNOWN = REFERENCE + 3, VELOCITY = UNKNOWN + CAROM_UNKNOWNS, ACCELERATION = VELOCITY + 12,
    MULTIPLIER = ACCELERATION + 12, INPUTS = MULTIPLIER + 3, STEP = INPUTS, VARIABLES
};
enum { FEATURES = 2 * CAROM_FEATURE_SIZE };

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

/* features.c: fills all but pool, planar and unknowns. */
void carom_kernel_make(maker *m, carom_kernel kernel);
int carom_kernel_unknowns(carom_kernel kernel); /* how many it has */

/* ---- algebra ---- */
static inline scalar number(maker *m, double value)
{
    return carom_expr_const(m->pool, value);
}
static inline scalar add(maker *m, scalar a, scalar b)
{
    return carom_expr_binary(m->pool, CAROM_OP_ADD, a, b);
}
static inline scalar sub(maker *m, scalar a, scalar b)
{
    return carom_expr_binary(m->pool, CAROM_OP_SUB, a, b);
}
static inline scalar mul(maker *m, scalar a, scalar b)
{
    return carom_expr_binary(m->pool, CAROM_OP_MUL, a, b);
}
static inline scalar divide(maker *m, scalar a, scalar b)
{
    return carom_expr_binary(m->pool, CAROM_OP_DIV, a, b);
}
static inline scalar neg(maker *m, scalar a)
{
    return carom_expr_unary(m->pool, CAROM_OP_NEG, a);
}
static inline vec plus(maker *m, vec a, vec b)
{
    return (vec){{add(m, a.x[0], b.x[0]), add(m, a.x[1], b.x[1]), add(m, a.x[2], b.x[2])}};
}
static inline vec minus(maker *m, vec a, vec b)
{
    return (vec){{sub(m, a.x[0], b.x[0]), sub(m, a.x[1], b.x[1]), sub(m, a.x[2], b.x[2])}};
}
static inline vec times(maker *m, scalar s, vec a)
{
    return (vec){{mul(m, s, a.x[0]), mul(m, s, a.x[1]), mul(m, s, a.x[2])}};
}
static inline scalar dot(maker *m, vec a, vec b)
{
    return add(m, add(m, mul(m, a.x[0], b.x[0]), mul(m, a.x[1], b.x[1])), mul(m, a.x[2], b.x[2]));
}
static inline vec cross(maker *m, vec a, vec b)
{
    vec c;
    for (int i = 0, j = 1, k = 2; i < 3; j = k, k = i++)
        c.x[i] = sub(m, mul(m, a.x[j], b.x[k]), mul(m, a.x[k], b.x[j]));
    return c;
}
static inline vec across(maker *m, vec a, vec unit) /* the part of a perpendicular to a unit vector */
{
    return minus(m, a, times(m, dot(m, a, unit), unit));
}
/* a/|a|, or other where a vanishes: there and only there a division would give no number. */
static inline vec unit(maker *m, vec a, vec other)
{
    scalar square = dot(m, a, a), long_enough = carom_expr_binary(m->pool, CAROM_OP_LT, number(m, 1e-200), square);
    vec n = times(m, divide(m, number(m, 1), carom_expr_unary(m->pool, CAROM_OP_SQRT, square)), a);
    for (int i = 0; i < 3; i++)
        n.x[i] = carom_expr_if(m->pool, long_enough, n.x[i], other.x[i]);
    return n;
}
/* a/b, or a where b vanishes */
static inline scalar ratio(maker *m, scalar a, scalar b)
{
    scalar none = carom_expr_binary(m->pool, CAROM_OP_EQ, b, number(m, 0));
    return divide(m, a, carom_expr_if(m->pool, none, number(m, 1), b));
}
static inline vec variables(maker *m, int first)
{
    return (vec){{m->var[first], m->var[first + 1], m->var[first + 2]}};
}
static inline vec row(maker *m, int matrix, int i)
{
    return variables(m, matrix + 3 * i);
}
static inline vec column(maker *m, int matrix, int j)
{
    return (vec){{m->var[matrix + j], m->var[matrix + 3 + j], m->var[matrix + 6 + j]}};
}
static inline vec rotate(maker *m, int matrix, vec a)
{
    return (vec){{dot(m, row(m, matrix, 0), a), dot(m, row(m, matrix, 1), a), dot(m, row(m, matrix, 2), a)}};
}
static inline vec of_a(maker *m, int offset) /* a vector of the feature of a, in space axes */
{
    return rotate(m, TURN_A, variables(m, FEATURE_A + offset));
}
static inline vec of_b(maker *m, int offset)
{
    return rotate(m, TURN_B, variables(m, FEATURE_B + offset));
}
static inline vec signed_unit(maker *m, vec a) /* sign a/|a|, or the normal that was found */
{
    return unit(m, times(m, m->var[SIGN], a), variables(m, NORMAL));
}
static inline void radii(maker *m, int offset_a, int offset_b) /* negative: the feature is sharp */
{
    m->radius_a = offset_a < 0 ? number(m, 0) : m->var[FEATURE_A + offset_a];
    m->radius_b = offset_b < 0 ? number(m, 0) : m->var[FEATURE_B + offset_b];
}

#endif
