/* flow.c: a variation along a segment of dense output, in the modes of that segment.
 *
 *   dq' = dv + B dq,   dv' = a_q dq + a_v dv + b                 a_q, a_v, b = a_p dp: point.c                      (1)
 *     B = 0 if positions are vectors; else dq is in the directions of v at q, and B the bracket with v: manifold.h
 *   collocation at Gauss's points c_i:  A_i = a_q (dq + h c_i dv + h^2 (aa)_ij A_j) + a_v (dv + h a_ij A_j) + b     (2)
 *   constant a_q, a_v:  Taylor series of the exponential; b by Gauss's rule with 10 points                          (3)
 *   ln det = integral of tr a_v, by the same nodes                                                                  (4)
 *
 * (2) is of order 6 and of the form (3,3) of Pade's table: its error per step is 1e-5 z^7, z = h (|a_v| + sqrt|a_q|),
 * so that a segment is cut into pieces with 1e-5 z^7 <= tol/10; segments of a state under error control are
 * mostly short enough. Where that would be too many pieces the motion is stiff: Radau IIA of order 5, on 1, 2, 4, ...
 * pieces until the columns change by less than tol                                                               (5)
 *   v of a very short segment:  the cubic through v and a at its ends                                            (6)
 *   with B:  k_i = J_i (x + h a_ij k_j) + (0, b),  J = [[B, 1], [a_q, a_v]],  tr B added in (4)                (7) */
#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/tangent/tangent.h"
#include "core/eigen.h"
#include "core/tableau.h"

enum { NODES = CAROM_FLOW_NODES, PIECES = 256 };

void carom_flow_layout(carom_layout *layout, carom_flow *flow, carom_system *system, int n)
{
    size_t nv = system->nv, nrow = system->nrow, size = NODES * nv * (system->model->manifold ? 2 : 1);
    carom_linear_layout(layout, &flow->linear, system);
    carom_given_layout(layout, &flow->given, system);
    CAROM_PLACE(layout, flow->a, nv);
    CAROM_PLACE(layout, flow->force, nrow);
    CAROM_PLACE(layout, flow->q, system->nq);
    CAROM_PLACE(layout, flow->v, nv);
    CAROM_PLACE(layout, flow->a_q, NODES * nv * nv);
    CAROM_PLACE(layout, flow->a_v, NODES * nv * nv);
    CAROM_PLACE(layout, flow->b, NODES * nv * n);
    CAROM_PLACE(layout, flow->bracket, system->model->manifold ? NODES * nv * nv : 0);
    CAROM_PLACE(layout, flow->moved, system->nq);
    CAROM_PLACE(layout, flow->matrix, size * size);
    CAROM_PLACE(layout, flow->right, size);
    CAROM_PLACE(layout, flow->pivot, size);
    CAROM_PLACE(layout, flow->c, nv);
    CAROM_PLACE(layout, flow->d, nrow);
    CAROM_PLACE(layout, flow->term, 2 * nv);
    CAROM_PLACE(layout, flow->sum, 2 * nv);
    CAROM_PLACE(layout, flow->x, 2 * nv);
    CAROM_PLACE(layout, flow->along, 2 * nrow + system->nlaw);
    CAROM_PLACE(layout, flow->cubic, 4 * nv);
    CAROM_PLACE(layout, flow->from, 2 * nv * n);
    CAROM_PLACE(layout, flow->last, 2 * nv * n);
    CAROM_PLACE(layout, flow->law_q, system->nlaw * nv);
    CAROM_PLACE(layout, flow->law_v, system->nlaw * nv);
}

/* ---- a piece of the segment ---- */

static void horner(int n, int degree, const double *c, double s, double *y)
{
    for (int i = 0; i < n; i++) {
        y[i] = c[degree * n + i];
        for (int k = degree - 1; k >= 0; k--)
            y[i] = y[i] * s + c[k * n + i];
    }
}

/* Velocities inside a very short segment carry the rounding of positions divided by its length: there (6). */
static void choose(carom_flow *f, const carom_segment *g)
{
    const carom_system *sys = f->linear.system;
    int nv = sys->nv;
    double h = g->t1 - g->t0;
    f->v_degree = g->v_degree, f->v_powers = g->v;
    if (g->v_degree < 3 || DBL_EPSILON * carom_norm_max(sys->nq, g->q0) <= 1e-6 * h * carom_norm_max(nv, g->v))
        return;
    for (int i = 0; i < nv; i++) {
        double v0 = g->v[i], v1 = 0, a0 = g->v[nv + i], a1 = 0;
        for (int k = g->v_degree; k >= 0; k--)
            v1 += g->v[k * nv + i], a1 += k * g->v[k * nv + i];
        f->cubic[i] = v0, f->cubic[nv + i] = a0;
        f->cubic[2 * nv + i] = 3 * (v1 - v0) - 2 * a0 - a1;
        f->cubic[3 * nv + i] = 2 * (v0 - v1) + a0 + a1;
    }
    f->v_degree = 3, f->v_powers = f->cubic;
}

static void place(const carom_flow *f, const carom_segment *g, double s, double *q, double *v)
{
    carom_segment_at(f->linear.system->model, g, s, q, v);
    if (f->v_powers != g->v)
        horner(f->linear.system->nv, f->v_degree, f->v_powers, s, v);
}

/* B [nv*nv] of the velocity v */
static void bracket(carom_flow *f, const double *v, double *B)
{
    const carom_system *sys = f->linear.system;
    int nv = sys->nv;
    double *d = f->x, *column = f->x + nv;
    memset(d, 0, sizeof(double) * (size_t)nv);
    for (int j = 0; j < nv; j++) {
        d[j] = 1;
        carom_model_bracket(sys->model, v, d, f->term, column);
        d[j] = 0;
        for (int i = 0; i < nv; i++)
            B[i * nv + j] = column[i];
    }
}

static carom_status nodes(carom_flow *f, const carom_segment *g, const carom_tableau *T, double s0, double ds, int n,
                          const double *dp, const double *law_p, carom_error *error)
{
    const carom_system *sys = f->linear.system;
    int nv = sys->nv;
    for (int k = 0; k < NODES; k++) {
        double s = s0 + T->c[k] * ds;
        place(f, g, s, f->q, f->v);
        CAROM_TRY(carom_flow_point(f, g->t0 + s * (g->t1 - g->t0), f->q, f->v, n, dp, law_p, f->a_q + k * nv * nv,
                                   f->a_v + k * nv * nv, f->b + k * nv * n, error));
        if (sys->model->manifold)
            bracket(f, f->v, f->bracket + k * nv * nv);
    }
    return CAROM_OK;
}

/* J of (7) at a node: entry (r, c) of 2 nv */
static double jacobian(const carom_flow *f, int node, int r, int c)
{
    int nv = f->linear.system->nv, at = node * nv * nv;
    if (r < nv)
        return c < nv ? f->bracket[at + r * nv + c] : r == c - nv;
    return c < nv ? f->a_q[at + (r - nv) * nv + c] : f->a_v[at + (r - nv) * nv + c - nv];
}

/* (7) over h with the matrices of the nodes. */
static carom_status collocate_curved(carom_flow *f, const carom_tableau *T, double h, int n, double *X, bool parameters,
                                     double t, carom_error *error)
{
    int nv = f->linear.system->nv, m = 2 * nv, size = NODES * m;
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++)
            f->matrix[i * size + j] = (i == j) - h * T->a[i / m][j / m] * jacobian(f, i / m, i % m, j % m);
    if (!carom_lu(size, f->matrix, f->pivot))
        CAROM_FAIL(error, CAROM_NOT_CONVERGED, "the tangent: the matrix of a step of %.3g is singular at t = %.10g", h,
                   t);
    for (int col = 0; col < n; col++) {
        for (int i = 0; i < size; i++) {
            int node = i / m, r = i % m;
            f->right[i] = parameters && r >= nv ? f->b[(node * nv + r - nv) * n + col] : 0;
            for (int c = 0; c < m; c++)
                f->right[i] += jacobian(f, node, r, c) * X[c * n + col];
        }
        carom_lu_solve(size, f->matrix, f->pivot, f->right);
        for (int i = 0; i < size; i++)
            X[i % m * n + col] += h * T->b[i / m] * f->right[i];
    }
    for (int i = 0; i < NODES; i++)
        for (int r = 0; r < m; r++)
            f->log_det += h * T->b[i] * jacobian(f, i, r, r);                                    /* (4) */
    return CAROM_OK;
}

/* (2) over h with the matrices of the nodes. */
static carom_status collocate(carom_flow *f, const carom_tableau *T, double h, int n, double *X, bool parameters,
                              double t, carom_error *error)
{
    int nv = f->linear.system->nv, size = NODES * nv;
    double aa[NODES][NODES], ba[NODES];
    if (f->linear.system->model->manifold)
        return collocate_curved(f, T, h, n, X, parameters, t, error);
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
        CAROM_FAIL(error, CAROM_NOT_CONVERGED, "the tangent: the matrix of a step of %.3g is singular at t = %.10g", h,
                   t);
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
            f->log_det += h * T->b[i] * f->a_v[(i * nv + r) * nv + r];                           /* (4) */
    return CAROM_OK;
}

static double speed_of(const carom_flow *f, int count)
{
    int nv = f->linear.system->nv;
    double most = 0;
    for (int k = 0; k < count; k++) {
        double rate = carom_norm_rows(nv, f->a_v + k * nv * nv) + sqrt(carom_norm_rows(nv, f->a_q + k * nv * nv));
        if (f->linear.system->model->manifold)
            rate += carom_norm_rows(nv, f->bracket + k * nv * nv);
        most = CAROM_MAX(most, rate);
    }
    return most;
}

/* ---- (3) ---- */

/* exp(h [[0, 1], [a_q, a_v]]) x for a column (dq, dv) with entries n apart, z = h |.|, cut off at `small` */
static void exponential(carom_flow *f, double h, double z, double small, double *x, int n)
{
    int nv = f->linear.system->nv, pieces = (int)CAROM_MIN(1e6, 1 + floor(z / 2));
    double step = h / pieces;
    for (int piece = 0; piece < pieces; piece++) {
        for (int i = 0; i < 2 * nv; i++)
            f->term[i] = f->sum[i] = x[i * n];
        for (int k = 1; k < 40; k++) {
            double size = 0, total = 0;
            for (int i = 0; i < nv; i++)
                f->c[i] =
                    step / k * (carom_dot(nv, f->a_q + i * nv, f->term) + carom_dot(nv, f->a_v + i * nv, f->term + nv));
            for (int i = 0; i < nv; i++) {
                f->term[i] = step / k * f->term[nv + i];
                f->term[nv + i] = f->c[i];
            }
            for (int i = 0; i < 2 * nv; i++) {
                f->sum[i] += f->term[i];
                size = CAROM_MAX(size, fabs(f->term[i])), total = CAROM_MAX(total, fabs(f->sum[i]));
            }
            if (size <= small * total)
                break;
        }
        for (int i = 0; i < 2 * nv; i++)
            x[i * n] = f->sum[i];
    }
}

static carom_status constant(carom_flow *f, const carom_segment *g, int n, double *X, const double *dp,
                             const double *law_p, double tol, carom_error *error)
{
    static const double node[] = {0.1488743389816312, 0.4333953941292472, 0.6794095682990244, 0.8650633666889845,
                                  0.9739065285171717};
    static const double weight[] = {0.2955242247147529, 0.2692667193099964, 0.2190863625159820, 0.1494513491505806,
                                    0.0666713443086881};
    const carom_system *sys = f->linear.system;
    int nv = sys->nv;
    double h = g->t1 - g->t0, *part = f->matrix; /* [2*nv] */
    /* powers 0: the start */
    CAROM_TRY(carom_flow_point(f, g->t0, g->q0, g->v, n, NULL, law_p, f->a_q, f->a_v, f->b, error));
    double rate = speed_of(f, 1), small = CAROM_MAX(1e-18, 1e-5 * tol);
    for (int j = 0; j < n; j++)
        exponential(f, h, h * rate, small, X + j, n);
    for (int i = 0; i < nv; i++)
        f->log_det += h * f->a_v[i * nv + i];
    for (int k = 0; dp && k < 10; k++) {
        double s = 0.5 * (1 + (k % 2 ? node[k / 2] : -node[k / 2])), rest = (1 - s) * h, w = 0.5 * weight[k / 2] * h;
        place(f, g, s, f->q, f->v);
        CAROM_TRY(carom_flow_point(f, g->t0 + s * h, f->q, f->v, n, dp, law_p, f->a_q, f->a_v, f->b, error));
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < nv; i++)
                part[i] = 0, part[nv + i] = w * f->b[i * n + j];
            exponential(f, rest, rest * rate, small, part, 1);
            for (int i = 0; i < 2 * nv; i++)
                X[i * n + j] += part[i];
        }
    }
    return CAROM_OK;
}

/* The segment in equal pieces. */
static carom_status pieces(carom_flow *f, const carom_segment *g, const carom_tableau *T, int count, int n, double *X,
                           const double *dp, const double *law_p, carom_error *error)
{
    for (int k = 0; k < count; k++) {
        CAROM_TRY(nodes(f, g, T, (double)k / count, 1.0 / count, n, dp, law_p, error));
        CAROM_TRY(collocate(f, T, (g->t1 - g->t0) / count, n, X, dp != NULL, g->t0, error));
    }
    return CAROM_OK;
}

/* (5): twice as many until it does not matter, relative to each column. */
static carom_status stiff(carom_flow *f, const carom_segment *g, int n, double *X, const double *dp,
                          const double *law_p, double tol, carom_error *error)
{
    int nx = 2 * f->linear.system->nv;
    carom_copy(nx * n, X, f->from);
    for (int count = 1; count <= 4 * PIECES; count *= 2) {
        double worst = 0;
        carom_copy(nx * n, X, f->last);
        carom_copy(nx * n, f->from, X);
        f->log_det = 0;
        CAROM_TRY(pieces(f, g, carom_tableau_list(CAROM_TABLEAU_RADAU5), count, n, X, dp, law_p, error));
        for (int j = 0; j < n; j++) {
            double change = 0, size = 0;
            for (int i = 0; i < nx; i++) {
                change = CAROM_MAX(change, fabs(X[i * n + j] - f->last[i * n + j]));
                size = CAROM_MAX(size, fabs(X[i * n + j]));
            }
            worst = CAROM_MAX(worst, change > 0 ? change / size : 0);
        }
        if (count > 1 && worst <= tol)
            return CAROM_OK;
    }
    return CAROM_OK;
}

carom_status carom_flow_segment(carom_flow *flow, const carom_segment *segment, carom_link_mode *modes, int n,
                                double *X, const double *dp, const double *law_p, double tol, carom_error *error)
{
    carom_flow *f = flow;
    const carom_system *sys = f->linear.system;
    double h = segment->t1 - segment->t0;
    f->log_det = 0;
    if (!(h > 0))
        return CAROM_OK;
    f->given.modes = modes;
    choose(f, segment);
    unsigned alone = CAROM_MASS | CAROM_R_Q | CAROM_R_V,
             together = alone | CAROM_JACOBIAN | CAROM_A_Q | CAROM_A_V | CAROM_U_Q;
    bool rows = carom_modes_any(sys, modes), fixed = f->linear_motion || (sys->known & CAROM_JACOBIAN);
    unsigned needed = rows ? together & ~(unsigned)(fixed ? CAROM_JACOBIAN : 0) : alone;
    if (!sys->model->manifold && (sys->known & needed) == needed && (!rows || fixed) && !carom_flow_turns(flow, modes))
        return constant(f, segment, n, X, dp, law_p, tol, error);
    const carom_tableau *gauss = carom_tableau_list(CAROM_TABLEAU_GAUSS6);
    CAROM_TRY(nodes(f, segment, gauss, 0, 1, n, dp, law_p, error));
    double z = h * speed_of(f, NODES), most = CAROM_MIN(0.7, pow(1e4 * tol, 1.0 / 7));
    if (!(z > most))
        return collocate(f, gauss, h, n, X, dp != NULL, segment->t0, error);
    if (z > PIECES * most)
        return stiff(f, segment, n, X, dp, law_p, tol, error);
    return pieces(f, segment, gauss, (int)ceil(z / most), n, X, dp, law_p, error);
}
