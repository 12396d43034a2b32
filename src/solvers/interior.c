/* interior.c: interior point method for the scaled problem (scaled.h), with friction by de Saxce's change.
 *
 *   r_t = mu r'_t, w' = S u with S = diag(1, mu, mu): the cones of r' and v are Lorentz cones K, and the law is
 *       v = S W S r' + S b + (phi, 0, 0),  phi = sqrt(|v_t|^2 + e^2),  K contains v _|_ r' in K                    (1)
 *       m = r'.v/(number of contacts), the barrier parameter; e = min(0.1 sqrt(m), m); joints: u = 0, without a cone
 *   Nesterov and Todd: Sigma r' = v, Sigma = T^2, T = b (2 h h^T - J), J = diag(1, -1, -1),
 *       z = (v/g_v + J r'/g_r)/(2 g), g = sqrt((1 + r'.v/(g_r g_v))/2), g_x = sqrt(x.J x),
 *       h = (z + (1, 0, 0))/sqrt(2 (z_0 + 1)), b = sqrt(g_v/g_r),  l = T r' = T^-1 v                               (2)
 *   direction, with E = I - (1, 0, 0) (0, t)^T, t = v_t/phi:
 *       dv + Sigma dr = c,   E dv = S W S dr + R,   R the defect of (1)
 *       (S W S + E Sigma) dr = E c - R                                                                             (3)
 *   Mehrotra: c = -v, its step a gives s = (1 - a)^3, then
 *       c = T (s m l^-1 - l - l\((T dr) o (T^-1 dv)))                                                              (4)
 *   step to 0.99 of the boundary of K for both r' and v                                                            (5)
 *
 * Stops when the error has not halved in 10 iterations: with friction the central path may fold. Proximal points
 * (proximal.c) go on from there. */
#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "solvers/points.h"

static const carom_field fields[] = {{"factorisations", CAROM_FIELD_INT, 1000, 1, 1e6, NULL, "at most"}, {0}};

typedef struct interior {
    carom_points *p;
    int contacts;
    double m, e;                         /* m and e of (1) */
    double *r, *v, *dr, *dv, *R, *c, *y; /* [n] */
    double *Sigma;                       /* [9*nblock] E Sigma */
    double *h;                           /* [3*nblock] */
    double *b;                           /* [nblock] b of (2) */
} interior;

static int rows_of(const interior *w, int k)
{
    return w->p->row[k + 1] - w->p->row[k];
}

static bool has_cone(const interior *w, int k)
{
    return w->p->part[k] == CAROM_PART_CONTACT;
}

static double stretch(const interior *w, int k, int i)
{
    return carom_points_stretch(w->p, k, i);
}

static bool takes_part(const interior *w, int k, int i)
{
    return stretch(w, k, i) > 0;
}

static double lorentz(int rows, const double *x)
{
    double t = sqrt(carom_dot(rows - 1, x + 1, x + 1));
    return sqrt(fmax((x[0] - t) * (x[0] + t), 1e-300));
}

/* The largest step t <= 1/0.99 for which x + t d stays in the cone. */
static double step_to_boundary(int rows, const double *x, const double *d)
{
    double a = d[0] * d[0], b = x[0] * d[0], c = x[0] * x[0], most = d[0] < 0 ? -x[0] / d[0] : INFINITY;
    for (int i = 1; i < rows; i++) {
        a -= d[i] * d[i];
        b -= x[i] * d[i];
        c -= x[i] * x[i];
    }
    double under = b * b - a * c; /* a t^2 + 2 b t + c = 0 */
    if (rows == 1 || (a >= 0 && b >= 0) || under < 0)
        return most;
    double q = -(b + (b >= 0 ? sqrt(under) : -sqrt(under))), t1 = q / a, t2 = c / q;
    if (t1 > 0)
        most = fmin(most, t1);
    if (t2 > 0)
        most = fmin(most, t2);
    return most;
}

/* out = T x or (inverse) T^-1 x: b (2 h h^T - J), (1/b) (2 J h h^T J - J) */
static void scale_by(const interior *w, int k, bool inverse, const double *x, double *out)
{
    const double *h = w->h + 3 * (size_t)k;
    double b = inverse ? 1 / w->b[k] : w->b[k], sum = h[0] * x[0];
    int rows = rows_of(w, k);
    for (int i = 1; i < rows; i++)
        sum += (inverse ? -h[i] : h[i]) * x[i];
    out[0] = b * (2 * h[0] * sum - x[0]);
    for (int i = 1; i < rows; i++)
        out[i] = b * (2 * (inverse ? -h[i] : h[i]) * sum + x[i]);
}

/* (2) and E Sigma of block k */
static void scaling(interior *w, int k)
{
    int first = w->p->row[k], rows = rows_of(w, k);
    const double *r = w->r + first, *v = w->v + first;
    double gr = lorentz(rows, r), gv = lorentz(rows, v), z[3] = {0}, *h = w->h + 3 * (size_t)k, phi = w->e * w->e;
    double g = sqrt((1 + carom_dot(rows, r, v) / (gr * gv)) / 2);
    for (int i = 0; i < rows; i++) {
        z[i] = (v[i] / gv + (i ? -r[i] : r[i]) / gr) / (2 * g);
        phi += i ? v[i] * v[i] : 0;
    }
    for (int i = 0; i < rows; i++)
        h[i] = (z[i] + (i == 0)) / sqrt(2 * (z[0] + 1));
    w->b[k] = sqrt(gv / gr);
    double *M = w->Sigma + 9 * (size_t)k, ratio = gv / gr;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++)
            M[3 * i + j] = ratio * (2 * z[i] * z[j] - (i == j ? (i ? -1 : 1) : 0));
    for (int j = 0; j < rows; j++)
        for (int i = 1; i < rows; i++)
            M[j] -= v[i] / sqrt(phi) * M[3 * i + j];                                     /* E */
}

/* R = S W S r + S b + (phi, 0, 0) - v; 0 in rows that do not take part. */
static void defect(interior *w)
{
    carom_points *p = w->p;
    for (int k = 0; k < p->nblock; k++)
        for (int i = 0; i < rows_of(w, k); i++)
            w->y[p->row[k] + i] = stretch(w, k, i) * w->r[p->row[k] + i];
    p->form->velocity(p, w->y, w->R);
    for (int k = 0; k < p->nblock; k++) {
        int first = p->row[k], rows = rows_of(w, k);
        double phi = w->e * w->e;
        for (int i = 0; i < rows; i++) {
            double *R = &w->R[first + i], v = w->v[first + i];
            *R = takes_part(w, k, i) ? stretch(w, k, i) * *R - (has_cone(w, k) ? v : 0) : 0;
            phi += i ? v * v : 0;
        }
        if (has_cone(w, k) && rows > 1 && w->p->mu[k] > 0)
            w->R[first] += sqrt(phi);
    }
}

/* (3) for the c of w->c: dr, dv */
static void direction(interior *w)
{
    carom_points *p = w->p;
    for (int k = 0; k < p->nblock; k++) {
        int first = p->row[k], rows = rows_of(w, k);
        const double *v = w->v + first, *c = w->c + first;
        double phi = w->e * w->e, along = 0;
        for (int i = 1; i < rows; i++) {
            phi += v[i] * v[i];
            along += v[i] * c[i];
        }
        for (int i = 0; i < rows; i++)
            w->dr[first + i] = (has_cone(w, k) && takes_part(w, k, i) ? c[i] : 0) - w->R[first + i];
        if (has_cone(w, k) && rows > 1)
            w->dr[first] -= along / sqrt(phi);
    }
    p->form->solve_factored(p, w->dr);
    for (int k = 0; k < p->nblock; k++) {
        int first = p->row[k], rows = rows_of(w, k);
        double s[3], t[3];
        if (!has_cone(w, k))
            continue;
        scale_by(w, k, false, w->dr + first, s);
        scale_by(w, k, false, s, t);
        for (int i = 0; i < rows; i++)
            w->dv[first + i] = takes_part(w, k, i) ? w->c[first + i] - t[i] : 0;
    }
}

static double longest_step(const interior *w)
{
    double t = 1 / 0.99;
    for (int k = 0; k < w->p->nblock; k++) {
        int first = w->p->row[k], rows = w->p->mu[k] > 0 ? rows_of(w, k) : 1;
        if (!has_cone(w, k))
            continue;
        t = fmin(t, step_to_boundary(rows, w->r + first, w->dr + first));
        t = fmin(t, step_to_boundary(rows, w->v + first, w->dv + first));
    }
    return 0.99 * t;                                                                     /* (5) */
}

/* (4): the right-hand side of the corrector */
static void correct(interior *w, double s)
{
    for (int k = 0; k < w->p->nblock; k++) {
        int first = w->p->row[k], rows = rows_of(w, k);
        double l[3], a[3], b[3], x[3], y[3];
        if (!has_cone(w, k))
            continue;
        scale_by(w, k, false, w->r + first, l);
        scale_by(w, k, false, w->dr + first, a);
        scale_by(w, k, true, w->dv + first, b);
        double det = l[0] * l[0], along = 0;
        x[0] = s * w->m - carom_dot(rows, a, b);
        for (int i = 1; i < rows; i++) {
            x[i] = -(a[0] * b[i] + b[0] * a[i]);
            det -= l[i] * l[i];
            along += l[i] * x[i];
        }
        y[0] = (l[0] * x[0] - along) / fmax(det, 1e-300);
        for (int i = 1; i < rows; i++)
            y[i] = (x[i] - y[0] * l[i]) / l[0];
        for (int i = 0; i < rows; i++)
            y[i] -= l[i];
        scale_by(w, k, false, y, w->c + first);
    }
}

static void begin(interior *w)
{
    const carom_points *p = w->p;
    double size = fmax(carom_norm_max(p->n, p->b), 1e-8);
    w->contacts = 0;
    memset(w->r, 0, sizeof(double) * (size_t)p->n);
    memset(w->v, 0, sizeof(double) * (size_t)p->n);
    for (int k = 0; k < p->nblock; k++)
        if (has_cone(w, k)) {
            w->r[p->row[k]] = w->v[p->row[k]] = size;
            w->contacts++;
        }
}

/* One iteration; false: no further. */
static bool iterate(interior *w)
{
    carom_points *p = w->p;
    w->m = 0;
    for (int k = 0; k < p->nblock; k++)
        w->m += has_cone(w, k) ? carom_dot(rows_of(w, k), w->r + p->row[k], w->v + p->row[k]) : 0;
    w->m /= CAROM_MAX(w->contacts, 1);
    w->e = fmin(0.1 * sqrt(w->m), w->m); /* larger is easier, but its error is of its size */
    for (int k = 0; k < p->nblock; k++)
        if (has_cone(w, k))
            scaling(w, k);                                                               /* (2) */
    defect(w);
    if (!p->form->factor(p, w->Sigma))
        return false;
    for (int i = 0; i < p->n; i++)
        w->c[i] = -w->v[i];
    direction(w);
    double a = fmin(1, longest_step(w)), s = (1 - a) * (1 - a) * (1 - a);
    correct(w, fmax(s, 1e-8));                                                           /* (4) */
    direction(w);
    if (!carom_all_finite(p->n, w->dr) || !carom_all_finite(p->n, w->dv))
        return false;
    a = fmin(1, longest_step(w));
    for (int i = 0; i < p->n; i++) {
        w->r[i] += a * w->dr[i];
        w->v[i] += a * w->dv[i];
    }
    return a > 1e-8;
}

static void place(interior *w, carom_layout *layout, int n, int nblock)
{
    double **const arrays[] = {&w->r, &w->v, &w->dr, &w->dv, &w->R, &w->c, &w->y};
    for (int i = 0; i < CAROM_COUNT(arrays); i++)
        CAROM_PLACE(layout, *arrays[i], n);
    CAROM_PLACE(layout, w->Sigma, 9 * (size_t)nblock);
    CAROM_PLACE(layout, w->h, 3 * (size_t)nblock);
    CAROM_PLACE(layout, w->b, nblock);
}

size_t carom_interior_work(int n, int nblock)
{
    interior w;
    carom_layout layout = {0};
    place(&w, &layout, n, nblock);
    return layout.used + 16;
}

bool carom_interior_run(carom_points *p, void *work)
{
    enum { PATIENCE = 10, MOST = 200 };
    carom_solve *s = p->solve;
    interior w = {.p = p};
    double best = INFINITY, half = INFINITY;
    carom_layout layout = {.base = work};
    place(&w, &layout, p->n, p->nblock);
    begin(&w);
    for (int k = 0, since = 0; k < MOST && since < PATIENCE && !carom_expired(s, p->deadline); k++, since++) {
        bool more = iterate(&w);
        p->factorisations++;
        s->iterations++;
        for (int b = 0; b < p->nblock; b++)
            for (int i = 0; i < rows_of(&w, b); i++)
                w.y[p->row[b] + i] = stretch(&w, b, i) * w.r[p->row[b] + i];
        p->form->velocity(p, w.y, w.R);
        double error = p->form->residual(p, w.y, w.R);
        if (error < best) {
            best = error;
            carom_copy(p->n, w.y, p->r);
        }
        if (error < 0.5 * half) {
            half = error;
            since = -1;
        }
        if (p->form->offer(p, w.y))
            return true;
        if (!more || !(error <= DBL_MAX))
            break;
    }
    return false;
}

static void solve(const carom_problem *problem, carom_solve *s)
{
    carom_proximal_run(problem, s, (int)s->field[0], 0, 0);
}

static size_t work(int n, int nblock)
{
    (void)n;
    (void)nblock;
    return 0;
}

const carom_solver carom_solver_interior = {
    .method = {.name = "interior-point",
               .doc = "interior point method with friction, then proximal points; every size, sparse",
               .ref = "Nesterov and Todd (1997); Mehrotra (1992); de Saxce and Feng (1998)",
               .fields = fields},
    .forms = CAROM_DENSE | CAROM_SPARSE,
    .whole = true,
    .takes = carom_scaled_takes,
    .work = work,
    .solve = solve,
};
