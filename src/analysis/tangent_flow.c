/* tangent_flow.c: a variation along a segment of dense output, in the roles of that segment.
 *
 *   dq' = dv,   dv' = da = a_q dq + a_v dv + a_p dp                                                (1)
 *   M da - G^T dlambda = -(R_q dq + R_v dv + R_p dp),  held rows: G da = -(A_q dq + A_v dv + A_p dp)  (2)
 *   slip:  dlambda_t + mu s dlambda_n = -dmu s lambda_n - mu lambda_n ds,
 *          in space ds = (1 - s s^T)/|u_t| (U_q dq + G dv + U_p dp)                                (3)
 *   collocation at Gauss's points c_i:  A_i = a_q (dq + h c_i dv + h^2 (aa)_ij A_j) + a_v (dv + h a_ij A_j) + b    (4)
 *   constant a_q, a_v:  Taylor series of the exponential; b by Gauss's rule with 10 points          (5)
 *   ln det = integral of tr a_v, by the same nodes                                                 (6)
 *
 * (4) is of order 6 and of the form (3,3) of Pade's table: its error per step is 1e-5 z^7, z = h (|a_v| + sqrt|a_q|),
 * so that a segment is cut into pieces with 1e-5 z^7 <= tol/10; segments of a state under error control are
 * mostly short enough. Where that would be too many pieces the motion is stiff, and Radau IIA of order 5 with the
 * segment's own steps damps what the state's method damps. */
#include <math.h>
#include <string.h>

#include "analysis/tangent.h"

enum { NODES = CAROM_FLOW_NODES, PIECES = 256 };
#define R15 3.8729833462074168852
#define R6 2.4494897427831780982

typedef struct table {
    double c[NODES], b[NODES], a[NODES][NODES];
} table;
static const table gauss = {
    {0.5 - R15 / 10, 0.5, 0.5 + R15 / 10},
    {5.0 / 18, 4.0 / 9, 5.0 / 18},
    {{5.0 / 36, 2.0 / 9 - R15 / 15, 5.0 / 36 - R15 / 30},
     {5.0 / 36 + R15 / 24, 2.0 / 9, 5.0 / 36 - R15 / 24},
     {5.0 / 36 + R15 / 30, 2.0 / 9 + R15 / 15, 5.0 / 36}},
};
static const table radau = {
    {(4 - R6) / 10, (4 + R6) / 10, 1},
    {(16 - R6) / 36, (16 + R6) / 36, 1.0 / 9},
    {{(88 - 7 * R6) / 360, (296 - 169 * R6) / 1800, (-2 + 3 * R6) / 225},
     {(296 + 169 * R6) / 1800, (88 + 7 * R6) / 360, (-2 - 3 * R6) / 225},
     {(16 - R6) / 36, (16 + R6) / 36, 1.0 / 9}},
};

void carom_flow_layout(carom_layout *layout, carom_flow *flow, carom_system *system, int n)
{
    int nv = system->nv, nrow = system->nrow;
    carom_linear_layout(layout, &flow->linear, system);
    carom_fixed_layout(layout, &flow->fixed, system);
    CAROM_PLACE(layout, flow->a, nv);
    CAROM_PLACE(layout, flow->force, nrow);
    CAROM_PLACE(layout, flow->q, system->nq);
    CAROM_PLACE(layout, flow->v, nv);
    CAROM_PLACE(layout, flow->a_q, NODES * nv * nv);
    CAROM_PLACE(layout, flow->a_v, NODES * nv * nv);
    CAROM_PLACE(layout, flow->b, NODES * nv * n);
    CAROM_PLACE(layout, flow->matrix, NODES * nv * NODES * nv);
    CAROM_PLACE(layout, flow->right, NODES * nv);
    CAROM_PLACE(layout, flow->pivot, NODES * nv);
    CAROM_PLACE(layout, flow->c, nv);
    CAROM_PLACE(layout, flow->d, nrow);
    CAROM_PLACE(layout, flow->term, 2 * nv);
    CAROM_PLACE(layout, flow->sum, 2 * nv);
    CAROM_PLACE(layout, flow->x, 2 * nv);
    CAROM_PLACE(layout, flow->along, 2 * nrow + 4 * system->model->ncontact);
    CAROM_PLACE(layout, flow->law_q, 4 * system->model->ncontact * system->nq);
}

/* ---- the linearised accelerations at a point ---- */

static bool any_rows(const carom_system *sys, const double *role)
{
    bool rows = sys->njoint > 0;
    for (int c = 0; c < sys->nlink - sys->njoint; c++)
        rows |= (int)role[c] != CAROM_ROLE_OPEN;
    return rows;
}

/* mu by q where it depends on q, by differences of order 4. */
static void friction_gradient(carom_flow *f, double t, const double *q, const double *v)
{
    carom_system *sys = f->linear.system;
    int n = 4 * sys->model->ncontact, nq = sys->nq;
    bool slips = false;
    for (int i = 0; i < f->linear.m; i++)
        slips |= f->linear.normal[i] >= 0;
    memset(f->law_q, 0, sizeof(double) * (size_t)(n * nq));
    if (!slips || sys->known & CAROM_LAW)
        return;
    carom_copy(nq, q, f->term);
    for (int j = 0; j < nq; j++) {
        const double h = 0x1p-10 * CAROM_MAX(1, fabs(q[j])), weight[] = {1.0 / 12, -2.0 / 3, 0, 2.0 / 3, -1.0 / 12};
        for (int k = -2; k <= 2; k++) {
            f->term[j] = q[j] + k * h;
            carom_system_eval(sys, CAROM_LAW, t, f->term, v);
            for (int i = 0; i < n; i++)
                f->law_q[i * nq + j] += weight[k + 2] / h * sys->at.law[i];
        }
        f->term[j] = q[j];
    }
    carom_system_eval(sys, CAROM_LAW, t, q, v);
}

/* The right-hand sides of slipping rows in (3): du [nrow] (entries stride apart) and dlaw [4 ncontact] of a column. */
static double slipping(const carom_flow *f, int i, const double *du, int stride, const double *dlaw, int law_stride)
{
    const carom_linear *l = &f->linear;
    const carom_system *sys = l->system;
    int n = l->row[l->normal[i]], c = 0;
    while (sys->link[sys->njoint + c].row != n)
        c++;
    int j = l->row[i] - n - 1;
    const double *s = f->fixed.direction + 2 * c;
    double mu = sys->at.law[4 * c + 2], sum = dlaw ? -dlaw[(4 * c + 2) * law_stride] * s[j] * f->force[n] : 0;
    if (sys->link[sys->njoint + c].rows < 3 || !du)
        return sum;
    const double *G = sys->at.G + (n + 1) * sys->nv;
    double speed = hypot(carom_dot(sys->nv, G, f->v_here) + sys->at.w[n + 1],
                         carom_dot(sys->nv, G + sys->nv, f->v_here) + sys->at.w[n + 2]);
    double across = s[0] * du[(n + 2) * stride] - s[1] * du[(n + 1) * stride];
    return sum - mu * f->force[n] * (j == 0 ? -s[1] : s[0]) * across / CAROM_MAX(speed, f->fixed.slow);
}

/* One column: R, A [nrow], U [nrow] with entries `stride` apart; out with entries `to` apart. */
static void column(carom_flow *f, const double *R, const double *A, const double *U, int stride, const double *dlaw,
                   int law_stride, double *out, int to)
{
    carom_linear *l = &f->linear;
    int nv = l->system->nv;
    for (int i = 0; i < nv; i++)
        f->c[i] = -R[i * stride];
    for (int i = 0; i < l->m; i++)
        f->d[i] = l->normal[i] < 0 ? -A[l->row[i] * stride] : slipping(f, i, U, stride, dlaw, law_stride);
    carom_linear_solve(l, f->c, f->d);                                                           /* (2), (3) */
    for (int i = 0; i < nv; i++)
        out[i * to] = f->c[i];
}

/* out += A x for x with entries n apart */
static void add_product(int rows, int columns, const double *A, const double *x, int n, double *out)
{
    for (int k = 0; k < columns; k++) {
        double d = x[k * n];
        if (d != 0)
            for (int i = 0; i < rows; i++)
                out[i] += A[i * columns + k] * d;
    }
}

/* (2), (3) along a direction (x, dp), either may be NULL, entries n apart: da with entries `to` apart; dlambda in f->d. */
static void direction(carom_flow *f, const double *x, const double *dp, int n, const double *law_p, double *da, int to)
{
    const carom_system *sys = f->linear.system;
    const carom_eval *e = &sys->at;
    int nv = sys->nv, nq = sys->nq, np = sys->model->np, nlaw = 4 * sys->model->ncontact, nrow = f->linear.m ? sys->nrow : 0;
    double *R = f->right, *A = f->along, *U = A + sys->nrow, *law = U + sys->nrow;
    memset(R, 0, sizeof(double) * (size_t)nv);
    memset(A, 0, sizeof(double) * (size_t)(2 * sys->nrow + nlaw));
    if (x) {
        add_product(nv, nq, e->R_q, x, n, R);
        add_product(nv, nv, e->R_v, x + nq * n, n, R);
        add_product(nrow, nq, e->A_q, x, n, A);
        add_product(nrow, nv, e->A_v, x + nq * n, n, A);
        add_product(nrow, nq, e->U_q, x, n, U);
        add_product(nrow, nv, e->G, x + nq * n, n, U);
        add_product(nrow ? nlaw : 0, nq, f->law_q, x, n, law);
    }
    if (dp) {
        add_product(nv, np, e->R_p, dp, n, R);
        add_product(nrow, np, e->A_p, dp, n, A);
        add_product(nrow, np, e->U_p, dp, n, U);
        add_product(nrow ? nlaw : 0, np, law_p, dp, n, law);
    }
    column(f, R, A, U, 1, law, 1, da, to);
}

/* What dp adds: b [nv*n]. */
static void parameters(carom_flow *f, double t, const double *q, const double *v, int n, const double *dp, const double *law_p,
                       double *b)
{
    carom_system *sys = f->linear.system;
    carom_system_eval(sys, f->linear.m ? CAROM_R_P | CAROM_A_P | CAROM_U_P : CAROM_R_P, t, q, v);
    for (int j = 0; j < n; j++)
        direction(f, NULL, dp + j, n, law_p, b + j, n);
}

void carom_flow_forces(carom_flow *flow, const double *x, const double *dp, int n, const double *law_p, double *dforce)
{
    carom_flow *f = flow;
    direction(f, x, dp, n, law_p, f->sum, 1);
    memset(dforce, 0, sizeof(double) * (size_t)f->linear.system->nrow);
    for (int i = 0; i < f->linear.m; i++)
        dforce[f->linear.row[i]] = f->d[i];
}

carom_status carom_flow_point(carom_flow *flow, double t, const double *q, const double *v, int n, const double *dp,
                              const double *law_p, double *a_q, double *a_v, double *b, carom_error *error)
{
    carom_flow *f = flow;
    carom_system *sys = f->linear.system;
    int nv = sys->nv;
    bool rows = any_rows(sys, f->fixed.role);
    f->v_here = v;
    f->linear.m = 0;
    if (rows || dp || !(sys->known & CAROM_MASS))
        CAROM_TRY(carom_contact_accel_fixed(&f->fixed, sys, t, q, v, 0, f->a, f->force, error));
    else
        CAROM_TRY(carom_mass_factor(sys, t, error));
    if (rows) {
        carom_linear_rows(&f->linear, f->fixed.role, f->fixed.direction);
        carom_linear_close(&f->linear);
    }
    friction_gradient(f, t, q, v);
    sys->at.a = f->a, sys->at.x = f->force;
    unsigned more = f->linear.m ? CAROM_A_Q | CAROM_A_V | CAROM_U_Q : 0;
    carom_system_eval(sys, CAROM_R_Q | CAROM_R_V | more, t, q, v);
    const carom_eval *e = &sys->at;
    for (int j = 0; j < nv; j++) {
        column(f, e->R_q + j, more ? e->A_q + j : NULL, more ? e->U_q + j : NULL, nv, f->law_q + j, nv, a_q + j, nv);
        column(f, e->R_v + j, more ? e->A_v + j : NULL, more ? e->G + j : NULL, nv, NULL, 0, a_v + j, nv);
    }
    if (dp)
        parameters(f, t, q, v, n, dp, law_p, b);
    sys->at.a = sys->at.x = sys->zero;
    return CAROM_OK;
}

/* ---- a piece of the segment ---- */

static void place(const carom_segment *g, int nq, int nv, double s, double *q, double *v)
{
    for (int i = 0; i < nq; i++) {
        double y = g->q[g->q_degree * nq + i];
        for (int k = g->q_degree - 1; k >= 0; k--)
            y = y * s + g->q[k * nq + i];
        q[i] = y;
    }
    for (int i = 0; i < nv; i++) {
        double y = g->v[g->v_degree * nv + i];
        for (int k = g->v_degree - 1; k >= 0; k--)
            y = y * s + g->v[k * nv + i];
        v[i] = y;
    }
}

static carom_status nodes(carom_flow *f, const carom_segment *g, const table *T, double s0, double ds, int n, const double *dp,
                          const double *law_p, carom_error *error)
{
    const carom_system *sys = f->linear.system;
    int nv = sys->nv;
    for (int k = 0; k < NODES; k++) {
        double s = s0 + T->c[k] * ds;
        place(g, sys->nq, nv, s, f->q, f->v);
        CAROM_TRY(carom_flow_point(f, g->t0 + s * (g->t1 - g->t0), f->q, f->v, n, dp, law_p, f->a_q + k * nv * nv,
                                   f->a_v + k * nv * nv, f->b + k * nv * n, error));
    }
    return CAROM_OK;
}

/* (4) over h with the matrices of the nodes. */
static carom_status collocate(carom_flow *f, const table *T, double h, int n, double *X, bool parameters, double t, carom_error *error)
{
    int nv = f->linear.system->nv, size = NODES * nv;
    double aa[NODES][NODES], ba[NODES];
    for (int i = 0; i < NODES; i++) {
        ba[i] = 0;
        for (int j = 0; j < NODES; j++) {
            aa[i][j] = 0;
            ba[i] += T->b[j] * T->a[j][i];
            for (int k = 0; k < NODES; k++)
                aa[i][j] += T->a[i][k] * T->a[k][j];
        }
    }
    for (int i = 0; i < NODES; i++)
        for (int j = 0; j < NODES; j++)
            for (int r = 0; r < nv; r++)
                for (int c = 0; c < nv; c++)
                    f->matrix[(i * nv + r) * size + j * nv + c] = (i == j && r == c) -
                                                                  h * T->a[i][j] * f->a_v[(i * nv + r) * nv + c] -
                                                                  h * h * aa[i][j] * f->a_q[(i * nv + r) * nv + c];
    if (!carom_lu(size, f->matrix, f->pivot))
        CAROM_FAIL(error, CAROM_NOT_CONVERGED, "the tangent: the matrix of a step of %.3g is singular at t = %.10g", h, t);
    for (int col = 0; col < n; col++) {
        double *dq = X + col, *dv = X + nv * n + col;
        for (int i = 0; i < NODES; i++)
            for (int r = 0; r < nv; r++) {
                double sum = parameters ? f->b[(i * nv + r) * n + col] : 0;
                for (int c = 0; c < nv; c++)
                    sum += f->a_q[(i * nv + r) * nv + c] * (dq[c * n] + h * T->c[i] * dv[c * n]) +
                           f->a_v[(i * nv + r) * nv + c] * dv[c * n];
                f->right[i * nv + r] = sum;
            }
        carom_lu_solve(size, f->matrix, f->pivot, f->right);
        for (int r = 0; r < nv; r++) {
            double q = h * dv[r * n], v = 0;
            for (int i = 0; i < NODES; i++)
                q += h * h * ba[i] * f->right[i * nv + r], v += h * T->b[i] * f->right[i * nv + r];
            dq[r * n] += q, dv[r * n] += v;
        }
    }
    for (int i = 0; i < NODES; i++)
        for (int r = 0; r < nv; r++)
            f->log_det += h * T->b[i] * f->a_v[(i * nv + r) * nv + r];                           /* (6) */
    return CAROM_OK;
}

static double row_norm(int n, const double *A)
{
    double most = 0;
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += fabs(A[i * n + j]);
        most = CAROM_MAX(most, sum);
    }
    return most;
}

static double speed_of(const carom_flow *f, int count)
{
    int nv = f->linear.system->nv;
    double most = 0;
    for (int k = 0; k < count; k++)
        most = CAROM_MAX(most, row_norm(nv, f->a_v + k * nv * nv) + sqrt(row_norm(nv, f->a_q + k * nv * nv)));
    return most;
}

/* ---- (5) ---- */

/* exp(h [[0, 1], [a_q, a_v]]) x for a column (dq, dv) with entries n apart, z = h |.| */
static void exponential(carom_flow *f, double h, double z, double *x, int n)
{
    int nv = f->linear.system->nv, pieces = (int)CAROM_MIN(1e6, 1 + floor(z));
    double step = h / pieces;
    for (int piece = 0; piece < pieces; piece++) {
        for (int i = 0; i < 2 * nv; i++)
            f->term[i] = f->sum[i] = x[i * n];
        for (int k = 1; k < 30; k++) {
            double size = 0, total = 0;
            for (int i = 0; i < nv; i++)
                f->c[i] = step / k * (carom_dot(nv, f->a_q + i * nv, f->term) + carom_dot(nv, f->a_v + i * nv, f->term + nv));
            for (int i = 0; i < nv; i++) {
                f->term[i] = step / k * f->term[nv + i];
                f->term[nv + i] = f->c[i];
            }
            for (int i = 0; i < 2 * nv; i++) {
                f->sum[i] += f->term[i];
                size = CAROM_MAX(size, fabs(f->term[i])), total = CAROM_MAX(total, fabs(f->sum[i]));
            }
            if (size <= 1e-18 * total)
                break;
        }
        for (int i = 0; i < 2 * nv; i++)
            x[i * n] = f->sum[i];
    }
}

static carom_status constant(carom_flow *f, const carom_segment *g, int n, double *X, const double *dp, const double *law_p,
                             carom_error *error)
{
    static const double node[] = {0.1488743389816312, 0.4333953941292472, 0.6794095682990244, 0.8650633666889845,
                                  0.9739065285171717};
    static const double weight[] = {0.2955242247147529, 0.2692667193099964, 0.2190863625159820, 0.1494513491505806,
                                    0.0666713443086881};
    const carom_system *sys = f->linear.system;
    int nv = sys->nv;
    double h = g->t1 - g->t0, *part = f->matrix; /* [2*nv] */
    place(g, sys->nq, nv, 0, f->q, f->v);
    CAROM_TRY(carom_flow_point(f, g->t0, f->q, f->v, n, NULL, law_p, f->a_q, f->a_v, f->b, error));
    double rate = speed_of(f, 1);
    for (int j = 0; j < n; j++)
        exponential(f, h, h * rate, X + j, n);
    for (int i = 0; i < nv; i++)
        f->log_det += h * f->a_v[i * nv + i];
    for (int k = 0; dp && k < 10; k++) {
        double s = 0.5 * (1 + (k % 2 ? node[k / 2] : -node[k / 2])), rest = (1 - s) * h, w = 0.5 * weight[k / 2] * h;
        place(g, sys->nq, nv, s, f->q, f->v);
        CAROM_TRY(carom_flow_point(f, g->t0 + s * h, f->q, f->v, n, dp, law_p, f->a_q, f->a_v, f->b, error));
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < nv; i++)
                part[i] = 0, part[nv + i] = w * f->b[i * n + j];
            exponential(f, rest, rest * rate, part, 1);
            for (int i = 0; i < 2 * nv; i++)
                X[i * n + j] += part[i];
        }
    }
    return CAROM_OK;
}

carom_status carom_flow_segment(carom_flow *flow, const carom_segment *segment, const double *role, double *direction, int n,
                                double *X, const double *dp, const double *law_p, double tol, carom_error *error)
{
    carom_flow *f = flow;
    const carom_system *sys = f->linear.system;
    double h = segment->t1 - segment->t0;
    f->log_det = 0;
    if (!(h > 0))
        return CAROM_OK;
    f->fixed.role = (double *)role, f->fixed.direction = direction;
    unsigned alone = CAROM_MASS | CAROM_R_Q | CAROM_R_V, together = alone | CAROM_JACOBIAN | CAROM_A_Q | CAROM_A_V | CAROM_U_Q;
    bool rows = any_rows(sys, role), fixed = f->linear_motion || (sys->known & CAROM_JACOBIAN);
    unsigned needed = rows ? together & ~(unsigned)(fixed ? CAROM_JACOBIAN : 0) : alone;
    if ((sys->known & needed) == needed && (!rows || fixed))
        return constant(f, segment, n, X, dp, law_p, error);
    CAROM_TRY(nodes(f, segment, &gauss, 0, 1, n, dp, law_p, error));
    double z = h * speed_of(f, NODES), most = CAROM_MIN(0.7, pow(1e4 * tol, 1.0 / 7));
    if (!(z > most))
        return collocate(f, &gauss, h, n, X, dp != NULL, segment->t0, error);
    bool stiff = z > PIECES * most;
    const table *T = stiff ? &radau : &gauss;
    int pieces = stiff ? 4 : (int)ceil(z / most);
    for (int k = 0; k < pieces; k++) {
        CAROM_TRY(nodes(f, segment, T, (double)k / pieces, 1.0 / pieces, n, dp, law_p, error));
        CAROM_TRY(collocate(f, T, h / pieces, n, X, dp != NULL, segment->t0, error));
    }
    return CAROM_OK;
}
