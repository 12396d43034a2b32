/* rigid.c: rigid bodies in the equations of a model file, by Kane's method.
 *
 * The centre of a body moves with v_b, it spins with w_b (body axes, inertia I): both affine in the velocities v, with
 * V_bi = dv_b/dv_i, W_bi = dw_b/dv_i, and rates at a = 0: v_b^ = v_b,t + v_b,q v, w_b^ likewise.
 *   M_ij = sum_b m V_bi . V_bj + W_bi . I W_bj                                                            (1)
 *   F_i -= sum_b V_bi . m v_b^ + W_bi . (I w_b^ + w_b x I w_b)                                            (2)
 *   (M a)_i = sum_b V_bi . m (sum_j V_bj a_j) + W_bi . I (sum_j W_bj a_j)                                 (3)
 * (3) shares its inner sums between the rows: its derivatives cost n^2 of a chain of n bodies, those of (1) n^3. */
#include <math.h>

#include "model/source.h"

static bool is_zero(const carom_source *s, carom_expr e)
{
    double value;
    return carom_expr_is_const(s->pool, e, &value) && value == 0;
}

static carom_expr zero(const carom_source *s)
{
    return carom_expr_const(s->pool, 0);
}

static carom_expr add(const carom_source *s, carom_expr a, carom_expr b)
{
    return carom_expr_binary(s->pool, CAROM_OP_ADD, a, b);
}

static carom_expr sub(const carom_source *s, carom_expr a, carom_expr b)
{
    return carom_expr_binary(s->pool, CAROM_OP_SUB, a, b);
}

static carom_expr mul(const carom_source *s, carom_expr a, carom_expr b)
{
    return carom_expr_binary(s->pool, CAROM_OP_MUL, a, b);
}

static carom_expr dot(const carom_source *s, const carom_expr *a, const carom_expr *b)
{
    carom_expr sum = zero(s);
    for (int k = 0; k < 3; k++)
        if (!is_zero(s, a[k]) && !is_zero(s, b[k]))
            sum = add(s, sum, mul(s, a[k], b[k]));
    return sum;
}

static void by_velocity(const carom_source *s, const carom_expr *e, int i, carom_expr *out)
{
    for (int k = 0; k < 3; k++)
        out[k] = carom_expr_diff(s->pool, e[k], s->var_v + i);
}

/* out = I x */
static void turn(const carom_source *s, const carom_rigid *b, const carom_expr *x, carom_expr *out)
{
    const carom_expr *I = b->inertia; /* xx yy zz xy yz zx */
    const carom_expr row[3][3] = {{I[0], I[3], I[5]}, {I[3], I[1], I[4]}, {I[5], I[4], I[2]}};
    for (int k = 0; k < 3; k++)
        out[k] = dot(s, row[k], x);
}

static void scale(const carom_source *s, const carom_rigid *b, const carom_expr *x, carom_expr *out)
{
    for (int k = 0; k < 3; k++)
        out[k] = mul(s, b->mass, x[k]);
}

carom_expr carom_rigid_kinetic(carom_source *s)
{
    carom_expr sum = zero(s), half = carom_expr_const(s->pool, 0.5), part[3];
    for (int k = 0; k < s->nrigid; k++) {
        const carom_rigid *b = &s->rigid[k];
        turn(s, b, b->w, part);
        sum = add(s, sum, mul(s, half, add(s, mul(s, b->mass, dot(s, b->v, b->v)), dot(s, b->w, part))));
    }
    return sum;
}

static void add_mass(carom_source *s, const carom_rigid *b) /* (1) */
{
    int n = s->nv;
    for (int i = 0; i < n; i++) {
        carom_expr V[3], W[3], mV[3], IW[3], other[3];
        by_velocity(s, b->v, i, V);
        by_velocity(s, b->w, i, W);
        scale(s, b, V, mV);
        turn(s, b, W, IW);
        for (int j = 0; j <= i; j++) {
            by_velocity(s, b->v, j, other);
            carom_expr entry = add(s, s->M[i * n + j], dot(s, mV, other));
            by_velocity(s, b->w, j, other);
            s->M[i * n + j] = s->M[j * n + i] = add(s, entry, dot(s, IW, other));
        }
    }
}

static void add_inertial_force(carom_source *s, const carom_rigid *b) /* (2) */
{
    carom_expr rate[3], force[3], torque[3], spin[3], part[3];
    for (int k = 0; k < 3; k++)
        rate[k] = carom_source_rate(s, b->v[k]);
    scale(s, b, rate, force);
    for (int k = 0; k < 3; k++)
        rate[k] = carom_source_rate(s, b->w[k]);
    turn(s, b, rate, torque);
    turn(s, b, b->w, spin);
    for (int k = 0; k < 3; k++) {
        int l = (k + 1) % 3, m = (k + 2) % 3;
        torque[k] = add(s, torque[k], sub(s, mul(s, b->w[l], spin[m]), mul(s, b->w[m], spin[l])));
    }
    for (int i = 0; i < s->nv; i++) {
        by_velocity(s, b->v, i, part);
        carom_expr f = dot(s, part, force);
        by_velocity(s, b->w, i, part);
        s->F[i] = sub(s, s->F[i], add(s, f, dot(s, part, torque)));
    }
}

void carom_rigid_terms(carom_source *s)
{
    size_t n = (size_t)s->nv * (size_t)s->nv;
    carom_expr *formula = s->nrigid ? CAROM_NEW(s->arena, carom_expr, n) : NULL;
    for (size_t i = 0; formula && i < n; i++)
        formula[i] = s->M[i];
    s->M_formula = formula ? formula : s->M;
    for (int k = 0; k < s->nrigid; k++) {
        add_mass(s, &s->rigid[k]);
        add_inertial_force(s, &s->rigid[k]);
    }
}

carom_expr carom_rigid_inertial(carom_source *s, int i) /* (3) */
{
    carom_expr row = zero(s), V[3], W[3], mA[3], IB[3];
    for (int k = 0; k < s->nrigid; k++) {
        const carom_rigid *b = &s->rigid[k];
        carom_expr A[3] = {zero(s), zero(s), zero(s)}, B[3] = {A[0], A[0], A[0]};
        by_velocity(s, b->v, i, V);
        by_velocity(s, b->w, i, W);
        if (is_zero(s, dot(s, V, V)) && is_zero(s, dot(s, W, W)))
            continue;
        for (int j = 0; j < s->nv; j++) {
            carom_expr a = carom_expr_var(s->pool, s->var_a + j), of_v[3], of_w[3];
            by_velocity(s, b->v, j, of_v);
            by_velocity(s, b->w, j, of_w);
            for (int c = 0; c < 3; c++) {
                A[c] = is_zero(s, of_v[c]) ? A[c] : add(s, A[c], mul(s, of_v[c], a));
                B[c] = is_zero(s, of_w[c]) ? B[c] : add(s, B[c], mul(s, of_w[c], a));
            }
        }
        scale(s, b, A, mA);
        turn(s, b, B, IB);
        row = add(s, row, add(s, dot(s, V, mA), dot(s, W, IB)));
    }
    return row;
}
