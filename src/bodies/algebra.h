/* algebra.h: vectors and rotations whose entries are expressions. */
#ifndef CAROM_BODIES_ALGEBRA_H
#define CAROM_BODIES_ALGEBRA_H

#include "expr/expr.h"

typedef struct carom_vector {
    carom_expr x[3];
} carom_vector;
typedef struct carom_matrix {
    carom_expr x[9]; /* row-major */
} carom_matrix;

static inline carom_expr carom_e_number(carom_expr_pool *p, double value)
{
    return carom_expr_const(p, value);
}

static inline carom_expr carom_e_add(carom_expr_pool *p, carom_expr a, carom_expr b)
{
    return carom_expr_binary(p, CAROM_OP_ADD, a, b);
}

static inline carom_expr carom_e_sub(carom_expr_pool *p, carom_expr a, carom_expr b)
{
    return carom_expr_binary(p, CAROM_OP_SUB, a, b);
}

static inline carom_expr carom_e_mul(carom_expr_pool *p, carom_expr a, carom_expr b)
{
    return carom_expr_binary(p, CAROM_OP_MUL, a, b);
}

static inline carom_expr carom_e_div(carom_expr_pool *p, carom_expr a, carom_expr b)
{
    return carom_expr_binary(p, CAROM_OP_DIV, a, b);
}

static inline carom_expr carom_e_scale(carom_expr_pool *p, double factor, carom_expr a)
{
    return carom_e_mul(p, carom_expr_const(p, factor), a);
}

static inline carom_expr carom_e_sqrt(carom_expr_pool *p, carom_expr a)
{
    return carom_expr_unary(p, CAROM_OP_SQRT, a);
}

static inline bool carom_e_is(const carom_expr_pool *p, carom_expr e, double number)
{
    double value;
    return carom_expr_is_const(p, e, &value) && value == number;
}

static inline carom_vector carom_v_zero(carom_expr_pool *p)
{
    carom_expr zero = carom_expr_const(p, 0);
    return (carom_vector){{zero, zero, zero}};
}

static inline carom_vector carom_v_add(carom_expr_pool *p, carom_vector a, carom_vector b)
{
    for (int i = 0; i < 3; i++)
        a.x[i] = carom_e_add(p, a.x[i], b.x[i]);
    return a;
}

static inline carom_vector carom_v_sub(carom_expr_pool *p, carom_vector a, carom_vector b)
{
    for (int i = 0; i < 3; i++)
        a.x[i] = carom_e_sub(p, a.x[i], b.x[i]);
    return a;
}

static inline carom_vector carom_v_scale(carom_expr_pool *p, carom_expr factor, carom_vector a)
{
    for (int i = 0; i < 3; i++)
        a.x[i] = carom_e_mul(p, factor, a.x[i]);
    return a;
}

static inline carom_expr carom_v_dot(carom_expr_pool *p, carom_vector a, carom_vector b)
{
    carom_expr sum = carom_e_mul(p, a.x[0], b.x[0]);
    sum = carom_e_add(p, sum, carom_e_mul(p, a.x[1], b.x[1]));
    return carom_e_add(p, sum, carom_e_mul(p, a.x[2], b.x[2]));
}

static inline carom_vector carom_v_cross(carom_expr_pool *p, carom_vector a, carom_vector b)
{
    carom_vector out;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out.x[i] = carom_e_sub(p, carom_e_mul(p, a.x[j], b.x[k]), carom_e_mul(p, a.x[k], b.x[j]));
    }
    return out;
}

static inline carom_expr carom_v_length(carom_expr_pool *p, carom_vector a)
{
    if (carom_e_is(p, a.x[2], 0))
        return carom_expr_binary(p, CAROM_OP_HYPOT, a.x[0], a.x[1]);
    return carom_e_sqrt(p, carom_v_dot(p, a, a));
}

static inline carom_vector carom_m_apply(carom_expr_pool *p, const carom_matrix *R, carom_vector a)
{
    carom_vector out;
    for (int i = 0; i < 3; i++)
        out.x[i] = carom_v_dot(p, (carom_vector){{R->x[3 * i], R->x[3 * i + 1], R->x[3 * i + 2]}}, a);
    return out;
}

/* R^T a */
static inline carom_vector carom_m_back(carom_expr_pool *p, const carom_matrix *R, carom_vector a)
{
    carom_vector out;
    for (int i = 0; i < 3; i++)
        out.x[i] = carom_v_dot(p, (carom_vector){{R->x[i], R->x[3 + i], R->x[6 + i]}}, a);
    return out;
}

static inline carom_matrix carom_m_product(carom_expr_pool *p, const carom_matrix *A, const carom_matrix *B)
{
    carom_matrix out;
    for (int j = 0; j < 3; j++) {
        carom_vector column = carom_m_apply(p, A, (carom_vector){{B->x[j], B->x[3 + j], B->x[6 + j]}});
        for (int i = 0; i < 3; i++)
            out.x[3 * i + j] = column.x[i];
    }
    return out;
}

static inline carom_matrix carom_m_transposed(const carom_matrix *A)
{
    carom_matrix out;
    for (int i = 0; i < 9; i++)
        out.x[i] = A->x[i % 3 * 3 + i / 3];
    return out;
}

/* About coordinate axis 0, 1 or 2. */
static inline carom_matrix carom_m_turn(carom_expr_pool *p, int axis, carom_expr angle)
{
    carom_expr c = carom_expr_unary(p, CAROM_OP_COS, angle), s = carom_expr_unary(p, CAROM_OP_SIN, angle);
    int j = (axis + 1) % 3, k = (axis + 2) % 3;
    carom_matrix R;
    for (int i = 0; i < 9; i++)
        R.x[i] = carom_expr_const(p, i == 4 * axis);
    R.x[4 * j] = R.x[4 * k] = c;
    R.x[3 * j + k] = carom_expr_unary(p, CAROM_OP_NEG, s);
    R.x[3 * k + j] = s;
    return R;
}

/* About a unit vector a: cos + sin [a] + (1 - cos) a a^T */
static inline carom_matrix carom_m_about(carom_expr_pool *p, carom_vector a, carom_expr angle)
{
    carom_expr c = carom_expr_unary(p, CAROM_OP_COS, angle), s = carom_expr_unary(p, CAROM_OP_SIN, angle);
    carom_expr rest = carom_e_sub(p, carom_expr_const(p, 1), c);
    carom_matrix R;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        R.x[4 * i] = carom_e_add(p, c, carom_e_mul(p, rest, carom_e_mul(p, a.x[i], a.x[i])));
        carom_expr both = carom_e_mul(p, rest, carom_e_mul(p, a.x[i], a.x[j])), part = carom_e_mul(p, s, a.x[k]);
        R.x[3 * i + j] = carom_e_sub(p, both, part);
        R.x[3 * j + i] = carom_e_add(p, both, part);
    }
    return R;
}

#endif
