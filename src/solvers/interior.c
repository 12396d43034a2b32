/* interior.c: interior point method for the scaled problem (scaled.h), with friction by de Saxce's change.
 *
 *   r_t = mu r'_t, w' = S u with S = diag(1, mu, mu): the cones of r' and v are Lorentz cones K, and the law is
 *       v = S W S r' + S b + (phi, 0, 0),  phi = sqrt(|v_t|^2 + e^2),  K contains v _|_ r' in K                    (1)
 *       m = r'.v/(number of contacts), the barrier parameter; e = min(0.1 sqrt(m), m); joints: u = 0, without a cone
 *   Nesterov and Todd: T^2 r' = v,  T has the eigenvectors (1, n), (1, -n) and those across, with eigenvalues
 *       sqrt(k) (z + |y|), sqrt(k)/(z + |y|), sqrt(k):  g_x = sqrt(x.J x), J = diag(1, -1, -1),  k = g_v/g_r,
 *       y = (v_t/g_v - r'_t/g_r)/(2 g), g = sqrt((1 + r'.v/(g_r g_v))/2), z = sqrt(1 + |y|^2), n = y/|y|
 *       l = T r' = T^-1 v                                                                                          (2)
 *   direction s = T dr, c - s = T^-1 dv for a right-hand side c;  R the defect of (1), E = I - (1, 0, 0) (0, t)^T,
 *       t = v_t/phi:  E dv = S W S dr + d dr + R,  d = DELTA a little regularity for redundant contacts
 *       in the unknown x = U dr, U = (T^2 + d)^(1/2), Q = T U^-1:
 *       (1 + U^-1 E^-1 S W S U^-1) x = Q c - U^-1 E^-1 R,   s = Q x,  dr = U^-1 x,  dv = T (c - s)                 (3)
 *   Mehrotra: c = -l, its step a gives f = (1 - a)^3, at least 0.1, and 1 where R has fallen less than m, each against
 *   its value at the start (R is weighed by 1, and once more from the start by 0.3 if that leads nowhere); then
 *       c = f m l^-1 - l - l\(s o (c - s))                                                                         (4)
 *   step to 0.99 of the boundary of K for l + s and l + c - s                                                      (5)
 *   where that step is below 0.3:  c = f m l^-1 - l  with f = 1/2, 1 and 2, from the same factors, until one is longer,
 *   and then the last: what lies at the edge of its cone comes away from it                                    (6)
 *   if it stays below 0.3 it is made again, and the next three as well, with half of t: phi then lags behind, and (3)
 *   is nearer to a monotone problem; not briefly (points.h), for walls come farther without                        (7)
 *
 * In the unknown x what rounding leaves is of the size of T^-1, not of its square; this is what lets m fall to 1e-15,
 * and contacts that neither press nor part (r' = v = 0, the sides of bricks in a wall) have r' and v of sqrt(m).
 * With friction the central path may fold: where the error has not halved in 10, 20 and 40 iterations, 20 steps of
 * Newton's method with sweeps (swept.c) are tried from the best; it stops after 60. Proximal points (proximal.c) or
 * Newton's method (condensed.c) go on from there. */
#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "solvers/points.h"

static const carom_field fields[] = {{"factorisations", CAROM_FIELD_INT, 1000, 1, 1e6, NULL, "at most"}, {0}};
#define DELTA 1e-10 /* d of (3) */
#define JOINT 1e-9  /* the same of joints, which have no T */
#define SHORT 0.3   /* step of (6) */
#define LOST 1e-10  /* R of which nothing is known but rounding; |b| = 1 */
#define LAG 0.5     /* t of (7) is so much of t */
enum { LAGGED = 3, STUCK = 10, CALM = 6 }; /* CALM: steps of swept.c without gain */

typedef struct spectrum { /* of T^2 of a block, (2) */
    double n[2];
    double along, against, across; /* of (1, n), (1, -n), and those across */
} spectrum;

typedef struct interior {
    carom_points *p;
    int contacts;
    double m, e;                            /* m and e of (1) */
    double coupling, first_m, first_R;      /* of R and m, (4); of the start */
    bool lags;                              /* (7) */
    int lagged;                             /* iterations that are still to be made with less of t */
    double *r, *v, *dr, *dv, *R, *l, *c, *s, *y; /* [n] */
    double *left, *right;                   /* [9*nblock] U^-1 E^-1, U^-1 */
    spectrum *T;                            /* [nblock] */
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

double carom_cone_step(int rows, const double *x, const double *d)
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

/* out = f(T^2) x, f given by its values at the eigenvalues; out may be x */
static void apply(const spectrum *T, int rows, double along, double against, double across, const double *x,
                  double *out)
{
    double dot = 0, x0 = x[0];
    for (int i = 1; i < rows; i++)
        dot += T->n[i - 1] * x[i];
    double plus = along * (x0 + dot) / 2, minus = against * (x0 - dot) / 2;
    out[0] = plus + minus;
    for (int i = 1; i < rows; i++)
        out[i] = T->n[i - 1] * (plus - minus) + across * (x[i] - T->n[i - 1] * dot);
}

static void apply_T(const spectrum *T, int rows, const double *x, double *out)
{
    apply(T, rows, sqrt(T->along), sqrt(T->against), sqrt(T->across), x, out);
}

static void apply_Q(const spectrum *T, int rows, const double *x, double *out)
{
    apply(T, rows, sqrt(T->along / (T->along + DELTA)), sqrt(T->against / (T->against + DELTA)),
          sqrt(T->across / (T->across + DELTA)), x, out);
}

/* out = M x, M 3 x 3 */
static void multiply(const double *M, int rows, const double *x, double *out)
{
    for (int i = 0; i < rows; i++) {
        out[i] = 0;
        for (int j = 0; j < rows; j++)
            out[i] += M[3 * i + j] * x[j];
    }
}

/* (2) of block k */
static void scaling(interior *w, int k)
{
    int first = w->p->row[k], rows = rows_of(w, k);
    const double *r = w->r + first, *v = w->v + first;
    double gr = lorentz(rows, r), gv = lorentz(rows, v), y[2] = {0, 0};
    double g = sqrt((1 + carom_dot(rows, r, v) / (gr * gv)) / 2), ratio = gv / gr;
    for (int i = 1; i < rows; i++)
        y[i - 1] = (v[i] / gv - r[i] / gr) / (2 * g);
    double size = hypot(y[0], y[1]), sum = sqrt(1 + size * size) + size;
    w->T[k] = (spectrum){{size > 0 ? y[0] / size : 1, size > 0 ? y[1] / size : 0}, ratio * sum * sum,
                         ratio / (sum * sum), ratio};
    apply_T(&w->T[k], rows, r, w->l + first);
}

/* The matrices of (3) of block k; lagged: (7) */
static void matrices(interior *w, int k, bool lagged)
{
    int rows = rows_of(w, k);
    const spectrum *T = &w->T[k];
    double *left = w->left + 9 * (size_t)k, *right = w->right + 9 * (size_t)k, phi = w->e * w->e;
    const double *v = w->v + w->p->row[k];
    memset(left, 0, 9 * sizeof *left);
    memset(right, 0, 9 * sizeof *right);
    for (int i = 1; i < rows; i++)
        phi += v[i] * v[i];
    for (int j = 0; j < rows; j++) {
        double e[3] = {j == 0, j == 1, j == 2};
        if (!takes_part(w, k, j))
            continue;
        if (has_cone(w, k))
            apply(T, rows, 1 / sqrt(T->along + DELTA), 1 / sqrt(T->against + DELTA), 1 / sqrt(T->across + DELTA), e, e);
        for (int i = 0; i < rows; i++)
            right[3 * i + j] = left[3 * i + j] = !takes_part(w, k, i) ? 0 : has_cone(w, k) ? e[i] : e[i] / sqrt(JOINT);
    }
    for (int j = 1; has_cone(w, k) && j < rows; j++)
        for (int i = 0; takes_part(w, k, j) && i < rows; i++)
            left[3 * i + j] += (lagged ? LAG : 1) * left[3 * i] * v[j] / sqrt(phi);                          /* E^-1 */
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

/* (3) for the c of w->c: s, dr, dv */
static void direction(interior *w)
{
    carom_points *p = w->p;
    for (int k = 0; k < p->nblock; k++) {
        int first = p->row[k], rows = rows_of(w, k);
        double Rk[3], *x = w->s + first;
        multiply(w->left + 9 * (size_t)k, rows, w->R + first, Rk);
        memset(x, 0, sizeof *x * (size_t)rows);
        if (has_cone(w, k))
            apply_Q(&w->T[k], rows, w->c + first, x);
        for (int i = 0; i < rows; i++)
            x[i] = takes_part(w, k, i) ? x[i] - Rk[i] : 0;
    }
    p->form->solve_factored(p, w->s);
    for (int k = 0; k < p->nblock; k++) {
        int first = p->row[k], rows = rows_of(w, k);
        double *x = w->s + first, rest[3];
        multiply(w->right + 9 * (size_t)k, rows, x, w->dr + first);
        if (!has_cone(w, k))
            continue;
        apply_Q(&w->T[k], rows, x, x);
        for (int i = 0; i < rows; i++)
            rest[i] = w->c[first + i] - x[i];
        apply_T(&w->T[k], rows, rest, w->dv + first);
    }
}

static double longest_step(const interior *w)
{
    double t = 1 / 0.99, rest[3];
    for (int k = 0; k < w->p->nblock; k++) {
        int first = w->p->row[k], rows = w->p->mu[k] > 0 ? rows_of(w, k) : 1;
        if (!has_cone(w, k))
            continue;
        for (int i = 0; i < rows; i++)
            rest[i] = w->c[first + i] - w->s[first + i];
        t = fmin(t, carom_cone_step(rows, w->l + first, w->s + first));
        t = fmin(t, carom_cone_step(rows, w->l + first, rest));
    }
    return 0.99 * t;
}

/* (4), or without its last term (6): the right-hand side of the corrector */
static void correct(interior *w, double f, bool second_order)
{
    for (int k = 0; k < w->p->nblock; k++) {
        int first = w->p->row[k], rows = rows_of(w, k);
        const double *l = w->l + first, *a = w->s + first;
        double b[3], x[3], *c = w->c + first;
        if (!has_cone(w, k))
            continue;
        for (int i = 0; i < rows; i++)
            b[i] = second_order ? c[i] - a[i] : 0;
        double det = l[0] * l[0], along = 0;
        x[0] = f * w->m - carom_dot(rows, a, b);
        for (int i = 1; i < rows; i++) {
            x[i] = -(a[0] * b[i] + b[0] * a[i]);
            det -= l[i] * l[i];
            along += l[i] * x[i];
        }
        c[0] = (l[0] * x[0] - along) / fmax(det, 1e-300);
        for (int i = 1; i < rows; i++)
            c[i] = (x[i] - c[0] * l[i]) / l[0];
        for (int i = 0; i < rows; i++)
            c[i] -= l[i];
    }
}

static void begin(interior *w)
{
    const carom_points *p = w->p;
    double size = fmax(carom_norm_max(p->n, p->b), 1e-8);
    w->contacts = w->lagged = 0;
    w->first_R = 0;
    memset(w->r, 0, sizeof(double) * (size_t)p->n);
    memset(w->v, 0, sizeof(double) * (size_t)p->n);
    for (int k = 0; k < p->nblock; k++)
        if (has_cone(w, k)) {
            w->r[p->row[k]] = w->v[p->row[k]] = size;
            w->contacts++;
        }
}

/* (3)-(6): the step that can be made, negative: none */
static double predict_and_correct(interior *w, double R, bool lagged)
{
    static const double centre[] = {0.5, 1, 2};
    carom_points *p = w->p;
    for (int k = 0; k < p->nblock; k++)
        matrices(w, k, lagged);
    p->factorisations++;
    if (!p->form->factor(p, w->left, w->right))
        return -1;
    for (int i = 0; i < p->n; i++)
        w->c[i] = -w->l[i];
    direction(w);
    double a = fmin(1, longest_step(w)), f = fmax((1 - a) * (1 - a) * (1 - a), 0.1);
    correct(w, w->coupling * (R - LOST) / w->first_R > w->m / w->first_m ? 1 : f, true);                   /* (4) */
    direction(w);
    a = fmin(1, longest_step(w));                                                        /* (5) */
    for (int i = 0; i < CAROM_COUNT(centre) && a < SHORT; i++) {
        correct(w, centre[i], false);                                                    /* (6) */
        direction(w);
        a = fmin(1, longest_step(w));
    }
    return carom_all_finite(p->n, w->dr) && carom_all_finite(p->n, w->dv) ? a : -1;
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
    double R = sqrt(carom_dot(p->n, w->R, w->R));
    if (w->first_R == 0)
        w->first_R = R, w->first_m = w->m;
    bool lagged = w->lagged-- > 0;
    double a = predict_and_correct(w, R, lagged);
    if (w->lags && !lagged && a < SHORT && !carom_points_over(p)) {                        /* (7) */
        w->lagged = LAGGED;
        a = predict_and_correct(w, R, true);
    }
    if (a < 0)
        return false;
    for (int i = 0; i < p->n; i++) {
        w->r[i] += a * w->dr[i];
        w->v[i] += a * w->dv[i];
    }
    return a > 1e-8;
}

static void place(interior *w, carom_layout *layout, int n, int nblock)
{
    double **const arrays[] = {&w->r, &w->v, &w->dr, &w->dv, &w->R, &w->l, &w->c, &w->s, &w->y};
    for (int i = 0; i < CAROM_COUNT(arrays); i++)
        CAROM_PLACE(layout, *arrays[i], n);
    CAROM_PLACE(layout, w->left, 9 * (size_t)nblock);
    CAROM_PLACE(layout, w->right, 9 * (size_t)nblock);
    CAROM_PLACE(layout, w->T, nblock);
}

size_t carom_interior_work(int n, int nblock)
{
    interior w;
    carom_layout layout = {0};
    place(&w, &layout, n, nblock);
    return layout.used + 16;
}

/* Newton's method with sweeps from the best, which stays if it is not solved by that. */
static bool polish(carom_points *p)
{
    carom_copy(p->n, p->r, p->trial_u);
    if (carom_swept_run(p, CAROM_SWEPT_STEPS, CALM))
        return true;
    carom_copy(p->n, p->trial_u, p->r);
    return false;
}

/* From the start along the path; r of the points receives what is better than best. true: solved. */
static bool follow(interior *w, double coupling, bool briefly, double *best)
{
    enum { MOST = 200 };
    const int patience = briefly ? STUCK : 6 * STUCK;
    carom_points *p = w->p;
    double half = INFINITY;
    w->coupling = coupling;
    begin(w);
    for (int k = 0, since = 0; k < MOST && since < patience && !carom_points_over(p); k++, since++) {
        bool more = iterate(w);
        p->solve->iterations++;
        for (int b = 0; b < p->nblock; b++)
            for (int i = 0; i < rows_of(w, b); i++)
                w->y[p->row[b] + i] = stretch(w, b, i) * w->r[p->row[b] + i];
        p->form->velocity(p, w->y, w->R);
        double error = p->form->residual(p, w->y, w->R);
        if (error < *best) {
            *best = error;
            carom_copy(p->n, w->y, p->r);
        }
        if (error < 0.5 * half) {
            half = error;
            since = -1;
        }
        if (p->form->offer(p, w->y))
            return true;
        if (!briefly && (since == STUCK || since == 2 * STUCK || since == 4 * STUCK) && polish(p))
            return true;
        if (!more || !(error <= DBL_MAX))
            break;
    }
    return false;
}

bool carom_interior_run(carom_points *p, void *work, bool briefly)
{
    static const double couplings[] = {1, 0.3};
    interior w = {.p = p, .lags = !briefly};
    double best = INFINITY;
    carom_layout layout = {.base = work};
    place(&w, &layout, p->n, p->nblock);
    for (int i = 0; i < (briefly ? 1 : CAROM_COUNT(couplings)); i++)
        if (follow(&w, couplings[i], briefly, &best))
            return true;
    return false;
}

/* In the velocities of bodies: the guess may do, and Newton's method goes on from what the path has led to. */
static void run(carom_points *p, void *work)
{
    enum { STEPS = 200 };
    p->limit = (int)p->solve->field[0];
    if (!p->form->offer(p, p->r) && !carom_interior_run(p, work, false))
        carom_newton_run(p, 1e-2, STEPS);
}

static void solve(const carom_problem *problem, carom_solve *s)
{
    if (problem->W.product.span)
        carom_condensed_with(problem, s, &(carom_points_method){carom_interior_work, run});
    else
        carom_proximal_run(problem, s, (int)s->field[0], 0, 0);
}

const carom_solver carom_solver_interior = {
    .method = {.name = "interior-point",
               .doc = "interior point method with friction, then proximal points; every size, sparse",
               .ref = "Nesterov and Todd (1997); Mehrotra (1992); de Saxce and Feng (1998)",
               .fields = fields},
    .forms = CAROM_DENSE | CAROM_SPARSE | CAROM_PRODUCT,
    .whole = true,
    .takes = carom_scaled_takes,
    .work = carom_no_work,
    .solve = solve,
};
