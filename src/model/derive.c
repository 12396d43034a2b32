/* derive.c: from energies, gaps and slips to everything that carom_eval can ask for, by exact derivatives.
 *
 *   M = T_vv,   F = T_q - V_q - T_vq v - T_vt + f                    so that M a = F                      (1)
 * With T = v^T M v/2 + b v + T0 the products of velocities in (1) are collected, so that they cancel exactly:
 *   T_q - T_vq v - T_vt = sum_jk C_ijk v_j v_k + sum_j (b_j,i - b_i,j - M_ij,t) v_j - b_i,t + T0_i        (1')
 *   u = g_q v + g_t for joints and normals, as written for slip;  G = u_v,  w = u(v = 0)                  (2)
 *   gamma = u_t + u_q v                                              so that du/dt = G a + gamma          (3)
 *   r = M a - s F - G^T x                                                                                 (4)
 * Energy: T = T2 + T1 + T0 by degree in v; with kinetic T2 and potential V - T0
 *   d/dt (T2 - T0 + V) = [f(t,q,0) v + V_t - T_t] + [(f(t,q,v) - f(t,q,0)) v] + power of contacts         (5)
 * and for mass and force as written
 *   d/dt (v^T M v / 2) = [F(t,q,0) v] + [(F - F(t,q,0)) v + v^T Mdot v / 2] + power of contacts           (6)
 * Of what velocities change, dry friction is what remains however slow the motion is: sign and if with velocities in
 * them. Its power is told apart:   [f(t,q,0+ v) - f(t,q,0)] v,   0+ = 2^-200                               (7) */
#include <string.h>

#include "model/source.h"

enum { COLLECTED = 40 }; /* coordinates up to which products of velocities are collected */

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

static carom_expr v(const carom_source *s, int i)
{
    return carom_expr_var(s->pool, s->var_v + i);
}

static carom_expr d(const carom_source *s, carom_expr e, int variable)
{
    return carom_expr_diff(s->pool, e, variable);
}

carom_expr carom_source_along(const carom_source *s, carom_expr e, int j)
{
    const carom_direction *x = &s->direction[j];
    if (x->axis < 0)
        return d(s, e, s->var_q + x->q);
    /* e' = e (0, w)/2 of a quaternion: the column of w_axis */
    static const struct { int part, sign; } column[3][4] = {
        {{1, -1}, {0, 1}, {3, 1}, {2, -1}}, {{2, -1}, {3, -1}, {0, 1}, {1, 1}}, {{3, -1}, {2, 1}, {1, -1}, {0, 1}}};
    carom_expr sum = carom_expr_const(s->pool, 0);
    for (int k = 0; k < 4; k++) {
        carom_expr part = carom_expr_var(s->pool, s->var_q + x->q + column[x->axis][k].part);
        carom_expr term = mul(s, part, d(s, e, s->var_q + x->q + k));
        sum = column[x->axis][k].sign > 0 ? add(s, sum, term) : sub(s, sum, term);
    }
    return mul(s, carom_expr_const(s->pool, 0.5), sum);
}

static carom_expr along(const carom_source *s, carom_expr e, int j)
{
    return carom_source_along(s, e, j);
}

static bool on_velocity(const carom_source *s, carom_expr e)
{
    return carom_expr_depends(s->pool, e, s->var_v, s->var_v + s->nv);
}

bool carom_source_parametric(const carom_source *s, carom_expr e)
{
    return !carom_expr_depends(s->pool, e, 0, s->var_p) &&
           !carom_expr_depends(s->pool, e, s->var_x, s->var_x + CAROM_MAX(s->nrow, 1));
}

carom_expr carom_source_rate(const carom_source *s, carom_expr e)
{
    carom_expr sum = d(s, e, 0);
    for (int j = 0; j < s->nv; j++)
        sum = add(s, sum, mul(s, along(s, e, j), v(s, j)));
    return sum;
}

static carom_expr rate(const carom_source *s, carom_expr e)
{
    return carom_source_rate(s, e);
}

static carom_expr at_rest(const carom_source *s, carom_expr e)
{
    carom_expr zero[CAROM_MAX_COORDINATES];
    for (int i = 0; i < s->nv; i++)
        zero[i] = carom_expr_const(s->pool, 0);
    return on_velocity(s, e) ? carom_expr_replace(s->pool, e, s->var_v, s->nv, zero) : e;
}

/* (7): what remains of f as the motion slows down, but for f at rest; 0 where no branch depends on velocities. */
static carom_expr dry_part(const carom_source *s, carom_expr f, carom_expr f_rest)
{
    enum { MOST = 64 };
    carom_switch list[MOST];
    carom_expr slow[CAROM_MAX_COORDINATES];
    int n = on_velocity(s, f) ? carom_expr_switches(s->pool, &f, 1, s->var_p, list, MOST) : 0;
    bool any = n > MOST;
    for (int i = 0; i < CAROM_MIN(n, MOST); i++)
        any |= on_velocity(s, list[i].a) || (list[i].b != CAROM_EXPR_NONE && on_velocity(s, list[i].b));
    if (!any)
        return carom_expr_const(s->pool, 0);
    for (int i = 0; i < s->nv; i++)
        slow[i] = mul(s, carom_expr_const(s->pool, 0x1p-200), v(s, i));
    return sub(s, carom_expr_replace(s->pool, f, s->var_v, s->nv, slow), f_rest);
}

static carom_expr quadratic(const carom_source *s, const carom_expr *M)
{
    carom_expr sum = carom_expr_const(s->pool, 0), half = carom_expr_const(s->pool, 0.5);
    for (int i = 0; i < s->nv; i++) {
        for (int j = 0; j < i; j++)
            sum = add(s, sum, mul(s, M[i * s->nv + j], mul(s, v(s, i), v(s, j))));
        sum = add(s, sum, mul(s, half, mul(s, M[i * s->nv + i], mul(s, v(s, i), v(s, i)))));
    }
    return sum;
}

/* (1') for models of moderate size. coefficient [pairs] of v_a v_b, a >= b, in row i of F */
static carom_expr *pair(const carom_source *s, carom_expr *coefficient, int i, int a, int b)
{
    int high = CAROM_MAX(a, b), low = CAROM_MIN(a, b), pairs = s->nv * (s->nv + 1) / 2;
    return &coefficient[i * pairs + high * (high + 1) / 2 + low];
}

static void collect(const carom_source *s, carom_expr *coefficient)
{
    int n = s->nv;
    carom_expr half = carom_expr_const(s->pool, 0.5);
    for (int j = 0; j < n; j++)
        for (int k = 0; k <= j; k++)
            for (int l = 0; l < n; l++) { /* D = dM_jk/dq_l occurs three times */
                carom_expr D = along(s, s->M[j * n + k], l);
                carom_expr *c = pair(s, coefficient, l, j, k);
                *c = add(s, *c, j == k ? mul(s, half, D) : D);
                c = pair(s, coefficient, j, k, l);
                *c = sub(s, *c, D);
                c = pair(s, coefficient, k, j, l);
                *c = j == k ? *c : sub(s, *c, D);
            }
}

static void inertial_forces(carom_source *s, carom_expr *coefficient)
{
    int n = s->nv, pairs = n * (n + 1) / 2;
    carom_expr b[CAROM_MAX_COORDINATES], T0 = at_rest(s, s->kinetic.e);
    for (int i = 0; i < n * pairs; i++)
        coefficient[i] = carom_expr_const(s->pool, 0);
    collect(s, coefficient);
    for (int i = 0; i < n; i++)
        b[i] = at_rest(s, d(s, s->kinetic.e, s->var_v + i));
    for (int i = 0; i < n; i++) {
        carom_expr sum = sub(s, along(s, T0, i), d(s, b[i], 0));
        for (int j = 0; j < n; j++) {
            carom_expr gyroscopic = sub(s, along(s, b[j], i), along(s, b[i], j));
            sum = add(s, sum, mul(s, sub(s, gyroscopic, d(s, s->M[i * n + j], 0)), v(s, j)));
            for (int k = 0; k <= j; k++)
                sum = add(s, sum, mul(s, *pair(s, coefficient, i, j, k), mul(s, v(s, j), v(s, k))));
        }
        s->F[i] = sum;
    }
}

static carom_status kinetic_terms(carom_loader *l) /* M, and the part of F that comes from T */
{
    carom_source *s = l->s;
    int n = s->nv;
    carom_expr T = s->kinetic.e, *coefficient = NULL;
    if (carom_expr_is_const(s->pool, T, NULL)) { /* there are only bodies */
        for (int i = 0; i < n * n; i++)
            s->M[i] = s->F[i / n] = carom_expr_const(s->pool, 0);
        return CAROM_OK;
    }
    for (int i = 0; i < n; i++) {
        carom_expr momentum = d(s, T, s->var_v + i);
        for (int j = 0; j <= i; j++)
            s->M[i * n + j] = s->M[j * n + i] = d(s, momentum, s->var_v + j);
        if (n > COLLECTED)
            s->F[i] = sub(s, along(s, T, i), rate(s, momentum)); /* (1) */
    }
    for (int i = 0; i < n * n; i++)
        if (on_velocity(s, s->M[i]))
            return carom_load_fail(
                l, s->kinetic.node->place,
                "kinetic must be quadratic in the velocities, but its second derivative with respect to %s and %s "
                "depends on them",
                s->rate_name[i / n], s->rate_name[i % n]);
    if (n > COLLECTED)
        return CAROM_OK;
    coefficient = CAROM_NEW(s->arena, carom_expr, n * n * (n + 1) / 2);
    if (!coefficient)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the equations of %d coordinates", n);
    inertial_forces(s, coefficient);
    return CAROM_OK;
}

static carom_status from_energy(carom_loader *l) /* (1) (5) */
{
    carom_source *s = l->s;
    carom_expr T = add(s, s->kinetic.e, carom_rigid_kinetic(s)), V = s->potential.e;
    carom_expr external = sub(s, d(s, V, 0), d(s, T, 0)), zero = carom_expr_const(s->pool, 0), viscous = zero;
    carom_expr dry = zero;
    CAROM_TRY(kinetic_terms(l));
    carom_rigid_terms(s);
    for (int i = 0; i < s->nv; i++) {
        carom_expr f = s->forces[i].e, f0 = at_rest(s, f);
        s->F[i] = add(s, sub(s, s->F[i], along(s, V, i)), f);
        external = add(s, external, mul(s, f0, v(s, i)));
        carom_expr own = dry_part(s, f, f0);
        viscous = add(s, viscous, mul(s, sub(s, sub(s, f, f0), own), v(s, i)));
        dry = add(s, dry, mul(s, own, v(s, i)));
    }
    s->energy[0] = quadratic(s, s->M);
    s->energy[1] = sub(s, V, at_rest(s, T));
    s->energy[2] = external;
    s->energy[3] = viscous;
    s->energy[4] = dry;
    return CAROM_OK;
}

static void from_mass(carom_source *s) /* (6) */
{
    int n = s->nv;
    carom_expr external = carom_expr_const(s->pool, 0), dry = external;
    for (int i = 0; i < n * n; i++)
        s->M[i] = s->mass[i].e;
    carom_expr T = quadratic(s, s->M), viscous = rate(s, T);
    for (int i = 0; i < n; i++) {
        s->F[i] = add(s, s->force[i].e, s->forces[i].e);
        carom_expr rest = at_rest(s, s->F[i]);
        external = add(s, external, mul(s, rest, v(s, i)));
        carom_expr own = dry_part(s, s->F[i], rest);
        viscous = add(s, viscous, mul(s, sub(s, sub(s, s->F[i], rest), own), v(s, i)));
        dry = add(s, dry, mul(s, own, v(s, i)));
    }
    s->energy[0] = T;
    s->energy[1] = carom_expr_const(s->pool, 0);
    s->energy[2] = external;
    s->energy[3] = viscous;
    s->energy[4] = dry;
}

static void normal_row(carom_source *s, int row, carom_expr g) /* (2) */
{
    for (int j = 0; j < s->nv; j++)
        s->G[row * s->nv + j] = along(s, g, j);
    s->w[row] = d(s, g, 0);
    s->u[row] = rate(s, g);
}

static void slip_row(carom_source *s, int row, carom_expr u) /* (2) */
{
    for (int j = 0; j < s->nv; j++)
        s->G[row * s->nv + j] = d(s, u, s->var_v + j);
    s->w[row] = at_rest(s, u);
    s->u[row] = u;
}

static void rows(carom_source *s, const carom_model *m)
{
    int row = 0, law = 0;
    for (int i = 0; i < s->njoint; i++) {
        int added = i - (s->njoint - s->added.njoint);
        carom_expr speed = added >= 0 ? s->added.joint_speed[added] : CAROM_EXPR_NONE;
        s->g[i] = s->joint[i].e;
        if (speed != CAROM_EXPR_NONE)
            slip_row(s, row++, speed);
        else
            normal_row(s, row++, s->g[i]);
    }
    for (int i = 0; i < s->ncontact; i++) {
        const carom_contact_given *c = &s->contact[i];
        s->g[carom_source_link(s, i)] = c->gap.e;
        if (c->has_speed)
            slip_row(s, row++, c->speed);
        else
            normal_row(s, row++, c->gap.e);
        for (int k = 0; k < m->contact[i].directions; k++)
            slip_row(s, row++, c->slip[k].e);
        for (int k = 0; k < c->ncoefficient; k++)
            s->law[law++] = c->law[k].e;
    }
    for (int r = 0; r < s->nrow; r++) {
        s->gamma[r] = rate(s, s->u[r]); /* (3) */
        s->acceleration[r] = s->gamma[r];
        for (int j = 0; j < s->nv; j++)
            s->acceleration[r] =
                add(s, s->acceleration[r], mul(s, s->G[r * s->nv + j], carom_expr_var(s->pool, s->var_a + j)));
    }
}

static void residual(carom_source *s) /* (4) */
{
    int n = s->nv;
    carom_expr scale = carom_expr_var(s->pool, s->var_s);
    for (int i = 0; i < n; i++) {
        carom_expr r = carom_expr_const(s->pool, 0);
        for (int j = 0; j < n; j++)
            r = add(s, r, mul(s, s->M_formula[i * n + j], carom_expr_var(s->pool, s->var_a + j)));
        r = add(s, r, carom_rigid_inertial(s, i));
        r = sub(s, r, mul(s, scale, s->F[i]));
        for (int k = 0; k < s->nrow; k++)
            r = sub(s, r, mul(s, s->G[k * n + i], carom_expr_var(s->pool, s->var_x + k)));
        s->r[i] = r;
    }
}

static const carom_expr *rows_of(const carom_source *s, unsigned which)
{
    return which <= CAROM_R_P ? s->r : which <= CAROM_U_P ? s->u : s->acceleration;
}

carom_expr carom_source_entry(const carom_source *s, unsigned which, int row, int column)
{
    bool by_p = which & (CAROM_R_P | CAROM_U_P | CAROM_A_P), by_v = which & (CAROM_R_V | CAROM_A_V);
    carom_expr e = rows_of(s, which)[row];
    return by_p ? d(s, e, s->var_of_p[column]) : by_v ? d(s, e, s->var_v + column) : along(s, e, column);
}

static bool all_parametric(const carom_source *s, const carom_expr *e, int n)
{
    for (int i = 0; i < n; i++)
        if (!carom_source_parametric(s, e[i]))
            return false;
    return true;
}

/* s may occur: it is a factor of F, so what remains is linear in it. Only what a row depends on is looked at, and not
 * beyond the first entry that is not constant. */
static bool entries_parametric(const carom_source *s, unsigned which, int nrow)
{
    const carom_expr *f = rows_of(s, which);
    int first = which & (CAROM_R_V | CAROM_A_V) ? s->var_v : s->var_q;
    for (int i = 0; i < nrow; i++) {
        unsigned char depends[CAROM_MAX_COORDINATES] = {0};
        if (s->nq != s->nv)
            memset(depends, 1, sizeof depends);
        else if (!carom_expr_variables(s->pool, f[i], first, first + s->nv, depends))
            return false;
        for (int j = 0; j < s->nv; j++) {
            carom_expr e = depends[j] ? carom_source_entry(s, which, i, j) : CAROM_EXPR_NONE;
            if (carom_expr_depends(s->pool, e, 0, s->var_s) || carom_expr_depends(s->pool, e, s->var_x, s->nvar))
                return false;
        }
    }
    return true;
}

/* What depends on parameters alone (and on s). */
static unsigned constants(const carom_source *s)
{
    const int n = s->nv;
    unsigned mask = 0;
    mask |= all_parametric(s, s->M, n * n) ? CAROM_MASS : 0;
    mask |= all_parametric(s, s->F, n) ? CAROM_FORCE : 0;
    mask |= all_parametric(s, s->G, s->nrow * n) && all_parametric(s, s->w, s->nrow) ? CAROM_JACOBIAN : 0;
    mask |= all_parametric(s, s->gamma, s->nrow) ? CAROM_GAMMA : 0;
    mask |= all_parametric(s, s->law, s->nlaw) ? CAROM_LAW : 0;
    mask |= entries_parametric(s, CAROM_R_Q, n) ? CAROM_R_Q : 0;
    mask |= entries_parametric(s, CAROM_R_V, n) ? CAROM_R_V : 0;
    mask |= entries_parametric(s, CAROM_U_Q, s->nrow) ? CAROM_U_Q : 0;
    mask |= entries_parametric(s, CAROM_A_Q, s->nrow) ? CAROM_A_Q : 0;
    mask |= entries_parametric(s, CAROM_A_V, s->nrow) ? CAROM_A_V : 0;
    return mask;
}

carom_status carom_source_derive(carom_loader *l)
{
    carom_source *s = l->s;
    int n = s->nv, ngap = carom_source_links(s);
    struct {
        carom_expr **array;
        int length;
    } arrays[] = {{&s->M, n * n},
                  {&s->F, n},
                  {&s->g, ngap},
                  {&s->u, s->nrow},
                  {&s->G, s->nrow * n},
                  {&s->w, s->nrow},
                  {&s->gamma, s->nrow},
                  {&s->law, s->nlaw},
                  {&s->energy, 5},
                  {&s->r, n},
                  {&s->acceleration, s->nrow}};
    for (int i = 0; i < CAROM_COUNT(arrays); i++)
        if (!(*arrays[i].array = CAROM_NEW(s->arena, carom_expr, arrays[i].length)))
            return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the equations of %d coordinates", n);
    s->M_formula = s->M;
    if (s->from_energy)
        CAROM_TRY(from_energy(l));
    else
        from_mass(s);
    rows(s, l->m);
    residual(s);
    l->m->constant = constants(s);
    if (carom_expr_exhausted(s->pool))
        return carom_load_fail(l, s->root->place,
                               "the equations of the model are too large: more than %d nodes of expressions",
                               s->nodes);
    return CAROM_OK;
}
