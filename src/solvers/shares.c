/* shares.c: forces of least norm for the modes found (shares.h).
 *
 *   unknown z: y_n of what is closed without friction or slips, y = x + x0 in all rows of what sticks and of joints;
 *   slip along d has y = (1, slide(d)) z, what is open has none                                                    (1)
 *   the equations of the modes (u_n = 0; u = 0):  A z = r                                                          (2)
 *   least  sum of w z^2/2  under (2) and z in C: y_n >= 0, |y_t| <= mu y_n of what sticks; joints are free         (3)
 *       w = m W_nn of a normal, m the number of contacts that coincide with it: m equal shares of z together count
 *       as one contact with all of it; EPSILON of W_tt for the tangents of what sticks and for joints, which hardly
 *       weigh but make the choice unique
 *   in s = sqrt(w) z, B = A/sqrt(w), the dual of (3): the least of |P(B^T l)|^2/2 - r.l, P the projection on C     (4)
 *       by Newton's method: (B P' B^T) dl = r - B P(B^T l), steps halved until (4) falls; s = P(B^T l)             (5)
 *
 * The share turns the slip: (1)-(5) are repeated with the new directions until the law holds. (4) is convex and smooth,
 * in a plane or without friction its Hessian is piecewise constant: few steps. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "core/layout.h"
#include "solvers/shares.h"

#define EPSILON 1e-8
enum { STEPS = 60, HALVINGS = 40, TURNS = 100 };
typedef enum role { NONE, FREE, NORMAL, CONE } role;

typedef struct workspace {
    const carom_problem *p;
    int m;                     /* unknowns, and equations */
    role *role;                /* [nblock] */
    int *first;                /* [nblock] unknown of a block */
    int *row;                  /* [n] of the problem for an unknown */
    int *block;                /* [n] of an unknown */
    double *friction;          /* [2*nblock] slide(d) of what slips */
    double *kappa;             /* [nblock] aperture of C in s */
    double *A, *H;             /* [n*n] A, then B; B P' B^T */
    double *root;              /* [n] sqrt(w) */
    double *r, *l, *s, *ps, *g, *dl, *trial; /* [n] */
    double *y, *v;             /* [n] */
    double (*slope)[9];        /* [nblock] P' */
    int *pivot;                /* [n] */
} workspace;

static void place(workspace *w, carom_layout *layout, int n, int nblock)
{
    double **vectors[] = {&w->root, &w->r, &w->l, &w->s, &w->ps, &w->g, &w->dl, &w->trial, &w->y, &w->v};
    size_t square = (size_t)n * (size_t)n;
    CAROM_PLACE(layout, w->role, nblock);
    CAROM_PLACE(layout, w->first, nblock);
    CAROM_PLACE(layout, w->row, n);
    CAROM_PLACE(layout, w->block, n);
    CAROM_PLACE(layout, w->friction, 2 * (size_t)nblock);
    CAROM_PLACE(layout, w->kappa, nblock);
    CAROM_PLACE(layout, w->slope, nblock);
    CAROM_PLACE(layout, w->A, square);
    CAROM_PLACE(layout, w->H, square);
    for (int i = 0; i < CAROM_COUNT(vectors); i++)
        CAROM_PLACE(layout, *vectors[i], n);
    CAROM_PLACE(layout, w->pivot, n);
}

size_t carom_share_work(int n, int nblock)
{
    workspace w;
    carom_layout layout = {0};
    place(&w, &layout, n, nblock);
    return layout.used + 16;
}

/* (1) of a block that is not pinned. false: its slip has no equations of this kind. */
static bool read_mode(workspace *w, int k, double still, const double *u)
{
    const carom_block *block = &w->p->block[k];
    const carom_law *law = block->law;
    int normals = law->rows - law->tangents;
    const double *ut = u + block->row + normals;
    double slip = law->tangents == 2 ? hypot(ut[0], ut[1]) : law->tangents == 1 ? fabs(ut[0]) : 0;
    if (law == &carom_law_bilateral) {
        w->role[k] = FREE;
        return true;
    }
    if (normals == 0)
        return false;
    double d[2] = {law->tangents ? ut[0] / slip : 0, law->tangents > 1 ? ut[1] / slip : 0};
    w->role[k] = u[block->row] > still ? NONE : law->tangents && slip <= still ? CONE : NORMAL;
    if (w->role[k] == NORMAL && law->tangents)
        law->slide(block->c, d, 1, w->friction + 2 * (size_t)k);
    return w->role[k] != CONE || law->mu;
}

static bool choose(workspace *w, double still, const double *u)
{
    w->m = 0;
    memset(w->friction, 0, sizeof(double) * 2 * (size_t)w->p->nblock);
    for (int k = 0; k < w->p->nblock; k++) {
        const carom_block *block = &w->p->block[k];
        const carom_law *law = block->law;
        bool known = law->tangents < law->rows;
        if (carom_block_is(block, CAROM_OPEN))
            w->role[k] = NONE, known = true;
        else if (carom_block_is(block, CAROM_STICK))
            w->role[k] = FREE, known = true;
        else if (carom_block_slips(block)) {
            w->role[k] = known ? NORMAL : NONE; /* without a normal its force is given */
            known = true;
            law->slide(block->c, block->direction, 1, w->friction + 2 * (size_t)k);
        } else
            known = read_mode(w, k, still, u);
        if (!known)
            return false;
        w->first[k] = w->m;
        int unknowns = w->role[k] == NONE ? 0 : w->role[k] == NORMAL ? 1 : law->rows;
        for (int i = 0; i < unknowns; i++, w->m++) {
            w->row[w->m] = block->row + i;
            w->block[w->m] = k;
        }
    }
    return true;
}

/* A of (2) */
static void equations(workspace *w)
{
    const carom_problem *p = w->p;
    int m = w->m;
    memset(w->A, 0, sizeof(double) * (size_t)m * (size_t)m);
    for (int i = 0; i < m; i++) {
        int k = w->block[i];
        carom_neighbour l = {0};
        while (carom_delassus_next(p, k, &l)) {
            const double *W = l.W + (w->row[i] - p->block[k].row) * l.stride;
            double *A = w->A + (size_t)i * (size_t)m + w->first[l.block];
            int rows = w->role[l.block] == NONE ? 0 : w->role[l.block] == NORMAL ? 1 : p->block[l.block].law->rows;
            for (int j = 0; j < rows; j++)
                A[j] = W[j];
            for (int t = 0; w->role[l.block] == NORMAL && t < p->block[l.block].law->tangents; t++)
                A[0] += W[1 + t] * w->friction[2 * (size_t)l.block + (size_t)t];             /* (1) */
        }
    }
}

/* Is there nothing to choose? */
static bool regular(workspace *w)
{
    int m = w->m;
    memcpy(w->H, w->A, sizeof(double) * (size_t)m * (size_t)m);
    if (!carom_lu(m, w->H, w->pivot))
        return false;
    double least = INFINITY, most = 0;
    for (int i = 0; i < m; i++) {
        double pivot = fabs(w->H[(size_t)i * (size_t)(m + 1)]);
        least = fmin(least, pivot);
        most = fmax(most, pivot);
    }
    return least > CAROM_RANK_TOL * most;
}

/* Do the contacts k and l have the same equations and the same effect? */
static bool coincide(const workspace *w, int k, int l)
{
    int rows = w->role[k] == NORMAL ? 1 : w->p->block[k].law->rows, m = w->m;
    if (w->role[k] != w->role[l] || (w->role[k] != NORMAL && w->p->block[k].law != w->p->block[l].law))
        return false;
    for (int i = 0; i < rows; i++) {
        int a = w->first[k] + i, b = w->first[l] + i;
        double size = 1e-12 * fabs(w->A[(size_t)a * (size_t)(m + 1)]);
        for (int j = 0; j < m; j++) {
            const double *column = w->A + (size_t)j * (size_t)m;
            if (fabs(column[a] - column[b]) > size ||
                fabs(w->A[(size_t)a * (size_t)m + (size_t)j] - w->A[(size_t)b * (size_t)m + (size_t)j]) > size)
                return false;
        }
    }
    return true;
}

/* sqrt(w) and the apertures in s */
static void weigh(workspace *w)
{
    const carom_problem *p = w->p;
    for (int k = 0; k < p->nblock; k++) {
        int rows = p->block[k].law->rows, stride, copies = 0;
        const double *W = carom_delassus_block(p, k, k, &stride);
        double trace = 0;
        if (w->role[k] == NONE)
            continue;
        for (int l = 0; l < p->nblock && w->role[k] != FREE; l++)
            copies += w->role[l] == w->role[k] && (l == k || coincide(w, k, l));
        for (int i = w->role[k] == FREE ? 0 : 1; i < rows; i++)
            trace += W[i * (stride + 1)];
        int counted = w->role[k] == FREE ? rows : rows - 1;
        double light = EPSILON * (trace > 0 ? trace / counted : 1) * CAROM_MAX(copies, 1);
        double heavy = (W[0] > 0 ? W[0] : 1) * CAROM_MAX(copies, 1);
        for (int i = 0; i < (w->role[k] == NORMAL ? 1 : rows); i++)
            w->root[w->first[k] + i] = sqrt(i == 0 && w->role[k] != FREE ? heavy : light);
        w->kappa[k] = w->role[k] == CONE ? carom_block_mu(&p->block[k]) * sqrt(light / heavy) : 0;
    }
}

/* ps = P(s); slope (may be NULL): P' */
static void project(const workspace *w, const double *s, double *ps, double (*slope)[9])
{
    const carom_problem *p = w->p;
    for (int k = 0; k < p->nblock; k++) {
        int f = w->first[k], rows = p->block[k].law->rows;
        double K = w->kappa[k], t = 0, e[3] = {0, 0, 0}, D[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        if (w->role[k] == NONE)
            continue;
        rows = w->role[k] == NORMAL ? 1 : rows;
        for (int i = 1; i < rows; i++)
            t += s[f + i] * s[f + i];
        t = sqrt(t);
        carom_copy(rows, s + f, ps + f);
        if (w->role[k] == NORMAL || (w->role[k] == CONE && K * t <= -s[f])) {
            bool off = s[f] < 0 || w->role[k] == CONE;
            memset(ps + f, 0, off ? sizeof(double) * (size_t)rows : 0);
            memset(D, 0, off ? sizeof D : 0);
        } else if (w->role[k] == CONE && t > K * s[f]) {
            double a = (s[f] + K * t) / (1 + K * K);
            ps[f] = a;
            for (int i = 1; i < rows; i++) {
                e[i] = s[f + i] / t;
                ps[f + i] = K * a * e[i];
            }
            for (int i = 0; i < rows; i++)
                for (int j = 0; j < rows; j++)
                    D[3 * i + j] = (i ? K * e[i] : 1) * (j ? K * e[j] : 1) / (1 + K * K) +
                                   (i && j ? K * a / t * ((i == j) - e[i] * e[j]) : 0);
        }
        if (slope)
            memcpy(slope[k], D, sizeof D);
    }
}

/* H = B P' B^T + a little of the diagonal */
static void hessian(workspace *w)
{
    const carom_problem *p = w->p;
    int m = w->m;
    double most = 0;
    memset(w->H, 0, sizeof(double) * (size_t)m * (size_t)m);
    for (int k = 0; k < p->nblock; k++) {
        int f = w->first[k], rows = w->role[k] == NONE ? 0 : w->role[k] == NORMAL ? 1 : p->block[k].law->rows;
        for (int a = 0; a < m; a++) {
            const double *Ba = w->A + (size_t)a * (size_t)m + f;
            double left[3] = {0, 0, 0};
            bool any = false;
            for (int j = 0; j < rows; j++) {
                for (int i = 0; i < rows; i++)
                    left[j] += Ba[i] * w->slope[k][3 * i + j];
                any = any || left[j] != 0;
            }
            for (int b = 0; any && b <= a; b++)
                for (int j = 0; j < rows; j++)
                    w->H[(size_t)a * (size_t)m + (size_t)b] += left[j] * w->A[(size_t)b * (size_t)m + (size_t)(f + j)];
        }
    }
    for (int i = 0; i < m; i++)
        most = fmax(most, w->H[(size_t)i * (size_t)(m + 1)]);
    for (int i = 0; i < m; i++)
        w->H[(size_t)i * (size_t)(m + 1)] += 1e-13 * (most > 0 ? most : 1);
}

/* (4) at l; s, ps, and g = B P(B^T l) - r */
static double dual(workspace *w, const double *l)
{
    int m = w->m;
    carom_multiply_t(m, m, w->A, l, w->s);
    project(w, w->s, w->ps, NULL);
    carom_multiply(m, m, w->A, w->ps, w->g);
    double value = 0;
    for (int i = 0; i < m; i++) {
        w->g[i] -= w->r[i];
        value += w->ps[i] * w->ps[i] / 2 - w->r[i] * l[i];
    }
    return value;
}

/* (5); false: no convergence */
static bool minimise(workspace *w)
{
    int m = w->m;
    double size = carom_norm_max(m, w->r), goal = 1e-13 * size;
    memset(w->l, 0, sizeof(double) * (size_t)m);
    for (int k = 0; k < w->p->nblock; k++) /* first as if all were free */
        memcpy(w->slope[k], (double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1}, sizeof w->slope[k]);
    double value = dual(w, w->l);
    for (int step = 0; step < STEPS; step++) {
        double before = carom_norm_max(m, w->g);
        if (before <= goal)
            return true;
        hessian(w);
        if (!carom_cholesky(m, w->H))
            return false;
        for (int i = 0; i < m; i++)
            w->dl[i] = -w->g[i];
        carom_cholesky_solve(m, w->H, w->dl);
        double slope_along = carom_dot(m, w->g, w->dl), t = 1, next = value;
        for (int h = 0; h < HALVINGS; h++, t /= 2) {
            for (int i = 0; i < m; i++)
                w->trial[i] = w->l[i] + t * w->dl[i];
            next = dual(w, w->trial);
            if (next <= value + 1e-4 * t * slope_along || carom_norm_max(m, w->g) <= 0.5 * before)
                break;
        }
        if (!(carom_norm_max(m, w->g) < before) && !(next < value)) /* rounding is all that is left */
            return before <= 1e-10 * size;
        carom_copy(m, w->trial, w->l);
        value = next;
        project(w, w->s, w->ps, w->slope);
    }
    return carom_norm_max(m, w->g) <= 1e-11 * size;
}

/* r of (2): what moves the rows without z */
static void right_side(workspace *w, const double *x)
{
    const carom_problem *p = w->p;
    for (int k = 0; k < p->nblock; k++) {
        const carom_block *block = &p->block[k];
        bool given = carom_block_slips(block) && block->law->tangents == block->law->rows;
        for (int i = block->row; i < block->row + block->law->rows; i++)
            w->y[i] = given ? x[i] : p->x0 ? -p->x0[i] : 0;
    }
    carom_copy(p->n, p->b, w->v);
    carom_delassus_add(p, w->y, w->v);
    for (int i = 0; i < w->m; i++)
        w->r[i] = -w->v[w->row[i]];
}

static void spread(const workspace *w, const double *x, double *out)
{
    const carom_problem *p = w->p;
    carom_copy(p->n, x, out);
    for (int k = 0; k < p->nblock; k++) {
        int row = p->block[k].row, f = w->first[k], normals = p->block[k].law->rows - p->block[k].law->tangents;
        for (int i = 0; i < p->block[k].law->rows && normals; i++) {
            double y = w->role[k] == NONE                 ? 0
                       : w->role[k] == NORMAL && i > 0    ? w->friction[2 * (size_t)k + (size_t)i - 1] * w->ps[f]
                                                          : w->ps[f + i];
            out[row + i] = y - (p->x0 ? p->x0[row + i] : 0);
        }
    }
}

/* (2)-(5) for the present directions: y and v = W y + b. false: not found. */
static bool turn(workspace *w, const double *x)
{
    int m = w->m;
    right_side(w, x);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            w->A[(size_t)i * (size_t)m + (size_t)j] /= w->root[j];
    if (!minimise(w))
        return false;
    for (int i = 0; i < m; i++)
        w->ps[i] /= w->root[i];
    spread(w, x, w->y);
    return true;
}

/* The directions of the slip v of what is not pinned; false: it has come to rest. */
static bool follow(workspace *w, double still)
{
    for (int k = 0; k < w->p->nblock; k++) {
        const carom_block *block = &w->p->block[k];
        if (w->role[k] != NORMAL || block->law->tangents == 0 || carom_block_is(block, CAROM_SLIP))
            continue;
        const double *ut = w->v + block->row + 1;
        double slip = block->law->tangents == 2 ? hypot(ut[0], ut[1]) : fabs(ut[0]);
        if (!(slip > still))
            return false;
        block->law->slide(block->c, (double[2]){ut[0] / slip, block->law->tangents == 2 ? ut[1] / slip : 0}, 1,
                          w->friction + 2 * (size_t)k);
    }
    return true;
}

carom_shared carom_problem_share(const carom_problem *problem, double still, double tol, double *x, double *u,
                                 void *work)
{
    workspace w = {.p = problem};
    carom_layout layout = {.base = work};
    place(&w, &layout, problem->n, problem->nblock);
    double before = carom_problem_residual(problem, x, u, NULL), scale = carom_problem_scale(problem, x);
    if (!choose(&w, still * scale, u))
        return CAROM_SHARED_KEPT;
    equations(&w);
    if (w.m == 0 || regular(&w))
        return CAROM_SHARED_UNIQUE;
    weigh(&w);
    for (int k = 0; k < TURNS && turn(&w, x); k++) {
        double after = carom_problem_residual(problem, w.y, w.v, NULL);
        if (after <= fmax(before, tol * carom_problem_scale(problem, w.y))) {
            carom_copy(problem->n, w.y, x);
            carom_copy(problem->n, w.v, u);
            return CAROM_SHARED;
        }
        if (!follow(&w, still * scale))
            break;
        equations(&w);
    }
    return CAROM_SHARED_KEPT;
}
