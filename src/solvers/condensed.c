/* condensed.c: contacts of many bodies: Newton's method and the interior point method, condensed to their velocities.
 *
 *   W = G Y^T (delassus.h), each contact scaled by one number d_k = 1/sqrt(mean diagonal of W_kk):
 *   v = Y^T r,  u = G v + C r + b,  C: of blocks that are soft (springs), else 0                                    (1)
 *   a step of Newton's method, F, A and B as in points.c:
 *       F + A (G dv + (a + C) dr) + B dr = 0,  dv = Y^T dr                                                          (2)
 *       dr = -f - D G dv,  f = E^-1 F,  D = E^-1 A,  E = (a + C) A + B                                              (3)
 *       (1 + Y^T D G) dv = -Y^T f: blocks of two bodies that touch                                                  (4)
 *   a system of the interior point method, (1 + A S W S B) x = g:
 *       (4) with D = S B A S and the right-hand side Y^T S B g,  x = g - A S G dv; what dv = Y^T S B x and this leave
 *       is refined in both unknowns; soft blocks: A and g divided by 1 + A C B                                      (5)
 *   from the guess, or where there is none from some sweeps of Gauss-Seidel: 60 steps of Newton's method
 *   (alart_curnier.c) with s = 30, from there 60 with s = 100 and 60 with s = 10: a large s decides modes by
 *   velocities, a small one by impulses, and where one goes round another goes on                                  (6)
 *   more than 3 times as many rows as velocities, walls: before it the interior point method as long as it gets on, for
 *   forces that lie in the middle are still good in the next step; then (6) twice, with 120 steps and first c/10   (7)
 *   then the interior point method (interior.c), and from its best 200 steps of Newton's method with the first s, in
 *   walls with s = 3; forces with a bound without the interior point method; at last (6) up to three times, with 100
 *   sweeps between                                                                                                  (8)
 *
 * (4) has six rows a body where systems of W have three a contact, and bodies have fewer neighbours than contacts:
 * walls and piles cost a tenth. Contacts that are open have A = 0 and stand in no block of (4). */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/dense.h"
#include "solvers/points.h"
#include "solvers/scaled.h"

enum { SWEEPS, FACTORISATIONS, REGULAR };
static const carom_field fields[] = {
    [SWEEPS] = {"sweeps", CAROM_FIELD_INT, 30, 0, 1e6, NULL, "Gauss-Seidel sweeps before, if there is no guess"},
    [FACTORISATIONS] = {"factorisations", CAROM_FIELD_INT, 1000, 1, 1e6, NULL, "at most"},
    [REGULAR] = {"c", CAROM_FIELD_DOUBLE, 1e-2, 1e-12, 1, NULL, "regularisation over |F| at first"},
    {0},
};
static const double stiff[] = {30, 100, 10}; /* s of (6) */
enum { FIRST_STEPS = 60, WALL_STEPS = 120, LAST_STEPS = 200 }; /* of Newton's method */
enum { TURNS = 3, ASTRAY = 100 };                              /* (6) at last, and sweeps between */
enum { WIDEST = 6 }; /* velocities of a body */

typedef struct touch { /* a block of the problem and its bodies */
    int body[2];       /* -1: none */
    size_t at;         /* its rows of G and Y, those of the first body and of the second in one row */
    size_t entry[4];   /* of (4): (first, first), (first, second), (second, first), (second, second) */
} touch;

typedef struct workspace {
    carom_points points;         /* the first: it stands for all of this in the functions below */
    const carom_problem *p;
    carom_solve *s;
    carom_sparse *lu;            /* the last in the arena: */
    carom_arena_mark placed;     /* what is taken before it */
    int n, nblock, nbody, nv;
    touch *touch;                /* [nblock] */
    int *row;                    /* [nbody + 1] the first velocity of a body among those that are touched */
    int *first_touch, *touch_of; /* [nbody + 1] [2*nblock] the blocks of a body */
    int *body_of;                /* [nv of the problem + 1] body whose velocities begin there, -1: none */
    const double *G, *Y;         /* of the problem: those of block k are to be multiplied by d_k, each number */
    double *b, *d, *mu;          /* [n] [nblock] [nblock] mu: or the bound of the force */
    double *soft, *yields;       /* [nblock] C of (1), scaled; 1/(1 + A C B) of (5) */
    double s_of_p;               /* s of alart_curnier.c */
    double size;                 /* of b before it was made 1 */
    unsigned char *part, *in, *analysed; /* [nblock] scaled.h; not open; has a place in the pattern */
    size_t *start, *offset;      /* [nbody + 1] [entries + 1] pattern of (4), and where its blocks stand */
    int *column;                 /* [entries] */
    double *value;               /* of (4) */
    double *D, *f;               /* [9*nblock] [n] */
    const double *left, *right;  /* [9*nblock] A and B of (5) */
    int *first_row;              /* [nblock + 1] of a block */
    double *v, *dv, *g;          /* [nv] */
    double *x;                   /* [n] for the judge */
    double least;
    bool solved;                 /* to the tolerance, or to what is enough where that gains little */
} workspace;

static int rows_of(const workspace *w, int k)
{
    return w->p->block[k].law->rows;
}

static int width_of(const workspace *w, int body)
{
    return body < 0 ? 0 : w->row[body + 1] - w->row[body];
}

/* ---- (1) ---- */

/* v = Y^T r */
static void push(const workspace *w, const double *r, double *v)
{
    memset(v, 0, sizeof *v * (size_t)w->nv);
    for (int k = 0; k < w->nblock; k++) {
        const touch *t = &w->touch[k];
        const double *Y = w->Y + t->at, d = w->d[k];
        for (int i = w->p->block[k].row, end = i + rows_of(w, k); i < end; i++)
            for (int b = 0; b < 2; b++) {
                double *to = v + (t->body[b] < 0 ? 0 : w->row[t->body[b]]);
                for (int j = 0, n = width_of(w, t->body[b]); j < n; j++)
                    to[j] += d * *Y++ * r[i];
            }
    }
}

/* u_k = G_k v */
static void speed(const workspace *w, int k, const double *v, double *u)
{
    const touch *t = &w->touch[k];
    const double *G = w->G + t->at, d = w->d[k];
    for (int i = 0; i < rows_of(w, k); i++) {
        double sum = 0;
        for (int b = 0; b < 2; b++) {
            const double *from = v + (t->body[b] < 0 ? 0 : w->row[t->body[b]]);
            for (int j = 0, n = width_of(w, t->body[b]); j < n; j++)
                sum += d * *G++ * from[j];
        }
        u[i] = sum;
    }
}

/* u = W r + b */
static void velocity(carom_points *points, const double *r, double *u)
{
    workspace *w = (workspace *)points;
    push(w, r, w->v);
    for (int k = 0; k < w->nblock; k++)
        speed(w, k, w->v, u + w->p->block[k].row);
    for (int k = 0; k < w->nblock; k++)
        u[w->p->block[k].row] += w->soft[k] * r[w->p->block[k].row];
    for (int i = 0; i < w->n; i++)
        u[i] += w->b[i];
}

/* Of the law of block k in scaled units: a bound is a force, others have no unit. */
static const double *coefficients(const workspace *w, int k)
{
    return w->part[k] == CAROM_PART_BOUNDED ? &w->mu[k] : w->p->block[k].c;
}

/* The natural map, Euclidean norm over all blocks. */
static double residual(carom_points *points, const double *r, const double *u)
{
    const workspace *w = (const workspace *)points;
    double sum = 0;
    for (int k = 0; k < w->nblock; k++) {
        const carom_block *block = &w->p->block[k];
        double e = 0;
        if (w->part[k] == CAROM_PART_CONTACT || w->part[k] == CAROM_PART_BOUNDED)
            e = block->law->residual(coefficients(w, k), 1, u + block->row, r + block->row);
        else if (w->part[k] == CAROM_PART_EQUATION)
            e = sqrt(carom_dot(block->law->rows, u + block->row, u + block->row));
        sum += e * e;
    }
    return sqrt(sum);
}

/* Judges r by the problem and keeps the best. */
static bool offer(carom_points *points, const double *r)
{
    workspace *w = (workspace *)points;
    const carom_problem *p = w->p;
    carom_solve *s = w->s;
    int worst;
    for (int k = 0; k < w->nblock; k++)
        for (int i = p->block[k].row; i < p->block[k].row + rows_of(w, k); i++)
            w->x[i] = w->size * w->d[k] * r[i] - (p->x0 ? p->x0[i] : 0);
    double e = carom_problem_judge(p, s, w->x, s->u, &worst), before = w->least;
    if (e < w->least) {
        w->least = e;
        carom_copy(p->n, w->x, s->x);
    }
    w->solved = w->least <= s->tol || (w->least <= s->enough && !(e < 0.5 * before));
    return w->solved;
}

/* ---- sweeps ---- */

/* The block alone, W and q given; z is the impulse before. */
static void solve_alone(const workspace *w, int k, const double *W, const double *q, double *z)
{
    int rows = rows_of(w, k), order[3];
    double A[9], f[3], work[12];
    if (w->part[k] != CAROM_PART_EQUATION) {
        w->p->block[k].law->solve_single(coefficients(w, k), W, rows, q, z);
        return;
    }
    carom_copy(rows * rows, W, A);
    for (int i = 0; i < rows; i++)
        f[i] = -q[i];
    carom_least_squares(rows, rows, A, f, z, CAROM_RANK_TOL, work, order);
}

/* Block k in a sweep of Gauss-Seidel over r; v = Y^T r follows. */
static void sweep_block(workspace *w, int k)
{
    int rows = rows_of(w, k);
    const touch *t = &w->touch[k];
    const double *Y = w->Y + t->at;
    double *r = w->points.r + w->p->block[k].row, q[3], z[3], W[9];
    for (int j = 0; j < rows * rows; j++)
        W[j] = w->d[k] * w->d[k] * w->p->W.product.diagonal[9 * (size_t)k + (size_t)j];
    speed(w, k, w->v, q);
    for (int j = 0; j < rows; j++) {
        q[j] += w->b[w->p->block[k].row + j];
        for (int l = 0; l < rows; l++)
            q[j] -= W[j * rows + l] * r[l];
    }
    q[0] += w->soft[k] * r[0];
    carom_copy(rows, r, z);
    solve_alone(w, k, W, q, z);
    for (int j = 0; j < rows; j++) {
        double change = z[j] - r[j];
        for (int b = 0; b < 2; b++) {
            double *to = w->v + (t->body[b] < 0 ? 0 : w->row[t->body[b]]);
            for (int l = 0, width = width_of(w, t->body[b]); l < width; l++)
                to[l] += w->d[k] * *Y++ * change;
        }
        r[j] = z[j];
    }
}

/* Sweeps of Gauss-Seidel over r, to and fro. */
static void sweep(carom_points *points, int sweeps)
{
    workspace *w = (workspace *)points;
    push(w, points->r, w->v);
    for (int s = 0; s < sweeps; s++)
        for (int i = 0; i < w->nblock; i++) {
            int k = s % 2 ? w->nblock - 1 - i : i;
            if (w->part[k] != CAROM_PART_NONE)
                sweep_block(w, k);
        }
}

/* ---- Newton's method ---- */

/* F at (u, r), |F|^2/2; with D and f of (3) if derivatives are wanted. */
static double function(carom_points *points, const double *u, const double *r, double *F, bool derivatives)
{
    workspace *w = (workspace *)points;
    for (int k = 0; k < w->nblock; k++) {
        int first = w->p->block[k].row, rows = rows_of(w, k), pivot[3];
        double A[9], B[9], E[9], *D = w->D + 9 * (size_t)k, column[3];
        bool open = carom_alart_curnier(w->part[k], rows, w->mu[k], w->p->W.product.diagonal + 9 * (size_t)k,
                                        w->d[k] * w->d[k], w->s_of_p, u + first, r + first, F + first,
                                        derivatives ? A : NULL, B);
        if (!derivatives)
            continue;
        w->in[k] = !open;
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < rows; j++)
                E[i * rows + j] = (points->a + w->soft[k]) * A[3 * i + j] + B[3 * i + j];
        bool regular = carom_lu(rows, E, pivot);
        for (int j = 0; j <= rows; j++) { /* the columns of A, then F */
            for (int i = 0; i < rows; i++)
                column[i] = j < rows ? A[3 * i + j] : F[first + i];
            if (regular)
                carom_lu_solve(rows, E, pivot, column);
            for (int i = 0; i < rows; i++)
                *(j < rows ? &D[i * rows + j] : &w->f[first + i]) = regular ? column[i] : 0;
        }
    }
    return carom_dot(w->n, F, F) / 2;
}

/* The columns of body b in (4), ascending, into column; returns how many. mark [nbody] bears b + 1 where seen. */
static size_t neighbours(const workspace *w, int b, int *mark, int *column)
{
    size_t n = 0;
    column[n++] = b, mark[b] = b + 1;
    for (int i = w->first_touch[b]; i < w->first_touch[b + 1]; i++) {
        const touch *t = &w->touch[w->touch_of[i]];
        int other = t->body[0] == b ? t->body[1] : t->body[0];
        if (other < 0 || mark[other] == b + 1 || !w->analysed[w->touch_of[i]])
            continue;
        mark[other] = b + 1;
        size_t at = n++;
        for (; at > 0 && column[at - 1] > other; at--)
            column[at] = column[at - 1];
        column[at] = other;
    }
    return n;
}

static size_t entry_of(const workspace *w, int b, int c)
{
    size_t e = w->start[b];
    while (w->column[e] != c)
        e++;
    return e;
}

/* The pattern is made anew when a contact comes in that it has not, or when it has far too many. */
static bool order(workspace *w)
{
    int have = 0, need = 0, *mark = (int *)w->value; /* as long as there are no values */
    bool covered = w->start[w->nbody] > 0;
    for (int k = 0; k < w->nblock; k++) {
        have += w->analysed[k];
        need += w->in[k];
        covered = covered && w->analysed[k] >= w->in[k];
    }
    if (covered && 4 * need >= 3 * have)
        return true;
    bool keep = 4 * need >= 3 * have; /* contacts come and go */
    for (int k = 0; k < w->nblock; k++)
        w->analysed[k] = w->in[k] || (keep && w->analysed[k]);
    memset(mark, 0, sizeof *mark * (size_t)w->nbody);
    for (int b = 0; b < w->nbody; b++) {
        w->start[b + 1] = w->start[b] + neighbours(w, b, mark, w->column + w->start[b]);
        for (size_t e = w->start[b]; e < w->start[b + 1]; e++)
            w->offset[e + 1] = w->offset[e] + (size_t)width_of(w, b) * (size_t)width_of(w, w->column[e]);
    }
    for (int k = 0; k < w->nblock; k++)
        for (int i = 0; w->analysed[k] && i < 4; i++) {
            int b = w->touch[k].body[i / 2], c = w->touch[k].body[i % 2];
            w->touch[k].entry[i] = b >= 0 && c >= 0 ? entry_of(w, b, c) : SIZE_MAX;
        }
    carom_pattern pattern = {w->nbody, w->row, w->start, w->column};
    carom_arena_release(w->s->arena, w->placed);
    w->lu = carom_sparse_new(w->s->arena);
    if (w->lu)
        carom_sparse_share(w->lu, w->s->threads);
    return w->lu && carom_sparse_begin(w->lu, &pattern) && carom_sparse_analyse(w->lu, NULL);
}

/* Y_b^T D G_c of block k added to its entry of (4); DG [rows x width] are the columns of c in D G. */
static void add_entry(workspace *w, int k, int b, int c, const double *DG, int stride)
{
    const touch *t = &w->touch[k];
    int rows = rows_of(w, k), m = width_of(w, t->body[b]), n = width_of(w, t->body[c]);
    int skip = b ? width_of(w, t->body[0]) : 0;
    double *to = w->value + w->offset[t->entry[2 * b + c]];
    for (int r = 0; r < rows; r++) {
        const double *Y = w->Y + t->at + r * stride + skip;
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++)
                to[i * n + j] += w->d[k] * Y[i] * DG[r * stride + j];
    }
}

/* (4) */
static void assemble(workspace *w)
{
    memset(w->value, 0, sizeof *w->value * w->offset[w->start[w->nbody]]);
    for (int b = 0; b < w->nbody; b++)
        for (int i = 0, n = width_of(w, b); i < n; i++)
            w->value[w->offset[entry_of(w, b, b)] + (size_t)(i * (n + 1))] = 1;
    for (int k = 0; k < w->nblock; k++) {
        const touch *t = &w->touch[k];
        int rows = rows_of(w, k), first = width_of(w, t->body[0]), stride = first + width_of(w, t->body[1]);
        double DG[3 * 2 * WIDEST];
        const double *D = w->D + 9 * (size_t)k, *G = w->G + t->at;
        for (int i = 0; w->in[k] && i < rows; i++)
            for (int j = 0; j < stride; j++) {
                double sum = 0;
                for (int m = 0; m < rows; m++)
                    sum += D[i * rows + m] * (w->d[k] * G[m * stride + j]);
                DG[i * stride + j] = sum;
            }
        for (int i = 0; w->in[k] && i < 4; i++)
            if (t->body[i / 2] >= 0 && t->body[i % 2] >= 0)
                add_entry(w, k, i / 2, i % 2, DG + (i % 2 ? first : 0), stride);
    }
}

static void fill(void *context, int b, int c, size_t e, double *block)
{
    const workspace *w = context;
    (void)b, (void)c;
    memcpy(block, w->value + w->offset[e], sizeof *block * (w->offset[e + 1] - w->offset[e]));
}

/* (3): dr of dv */
static void impulses(workspace *w)
{
    for (int k = 0; k < w->nblock; k++) {
        int first = w->p->block[k].row, rows = rows_of(w, k);
        double u[3] = {0, 0, 0};
        if (w->in[k])
            speed(w, k, w->dv, u);
        for (int i = 0; i < rows; i++) {
            double sum = -w->f[first + i];
            for (int j = 0; w->in[k] && j < rows; j++)
                sum -= w->D[9 * (size_t)k + (size_t)(i * rows + j)] * u[j];
            w->points.dr[first + i] = sum;
        }
    }
}

/* (4) factored for the D of w */
static bool factor(workspace *w)
{
    if (!order(w))
        return false;
    assemble(w);
    return carom_sparse_factor(w->lu, fill, w);
}

/* (3), (4) for the f of w: dv and dr */
static void solve_condensed(workspace *w)
{
    memset(w->dv, 0, sizeof *w->dv * (size_t)w->nv);
    for (int pass = 0; pass < 3; pass++) { /* a solution and refinements of it */
        impulses(w);
        push(w, w->points.dr, w->g);
        for (int i = 0; i < w->nv; i++)
            w->g[i] -= w->dv[i];
        if (pass > 0 && carom_norm_max(w->nv, w->g) <= 1e-10 * carom_norm_max(w->nv, w->dv))
            return;
        carom_sparse_solve(w->lu, w->g);
        for (int i = 0; i < w->nv; i++)
            w->dv[i] += w->g[i];
    }
    impulses(w);
}

/* dr, and du = (W + a) dr */
static bool direction(carom_points *points)
{
    workspace *w = (workspace *)points;
    if (!factor(w))
        return false;
    points->factorisations++;
    solve_condensed(w);
    push(w, points->dr, w->g);
    for (int k = 0; k < w->nblock; k++)
        speed(w, k, w->g, points->du + w->p->block[k].row);
    for (int i = 0; i < w->n; i++)
        points->du[i] += points->a * points->dr[i];
    for (int k = 0; k < w->nblock; k++)
        points->du[w->p->block[k].row] += w->soft[k] * points->dr[w->p->block[k].row];
    return carom_all_finite(w->n, points->dr);
}

/* ---- the interior point method ---- */

/* S of a block (points.h) */
static void stretch(const carom_points *points, int k, double *S)
{
    for (int i = 0; i < 3; i++)
        S[i] = carom_points_stretch(points, k, i);
}

/* (5) */
static bool factor_barrier(carom_points *points, const double *A, const double *B)
{
    workspace *w = (workspace *)points;
    w->left = A, w->right = B;
    for (int k = 0; k < w->nblock; k++, A += 9, B += 9) {
        int rows = rows_of(w, k);
        double S[3], *D = w->D + 9 * (size_t)k;
        stretch(points, k, S);
        w->yields[k] = 1 / (1 + A[0] * w->soft[k] * B[0]);
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < rows; j++) {
                double sum = 0;
                for (int m = 0; m < rows; m++)
                    sum += B[3 * i + m] * A[3 * m + j];
                D[i * rows + j] = S[i] * sum * S[j] * w->yields[k];
            }
        w->in[k] = w->part[k] != CAROM_PART_NONE;
    }
    return factor(w);
}

/* v = Y^T S B x */
static void push_barrier(workspace *w, const double *x, double *v)
{
    const carom_points *points = &w->points;
    double S[3];
    for (int k = 0; k < w->nblock; k++) {
        int first = points->row[k], rows = rows_of(w, k);
        const double *B = w->right + 9 * (size_t)k;
        stretch(points, k, S);
        for (int i = 0; i < rows; i++) {
            double sum = 0;
            for (int j = 0; j < rows; j++)
                sum += B[3 * i + j] * x[first + j];
            w->f[first + i] = S[i] * sum;
        }
    }
    push(w, w->f, v);
}

/* x <- x - A S G v */
static void pull_barrier(const workspace *w, const double *v, double *x)
{
    double S[3], u[3] = {0, 0, 0};
    for (int k = 0; k < w->nblock; k++) {
        int first = w->points.row[k], rows = rows_of(w, k);
        const double *A = w->left + 9 * (size_t)k;
        stretch(&w->points, k, S);
        speed(w, k, v, u);
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < rows; j++)
                x[first + i] -= w->yields[k] * A[3 * i + j] * S[j] * u[j];
    }
}

/* (5), in the unknowns x and dv, which are both refined: x of a dv alone would lose the digits that D is large by */
static void solve_barrier(carom_points *points, double *x)
{
    workspace *w = (workspace *)points;
    double *left = points->F, *sum = points->dr, *dv = w->v, before = INFINITY;
    for (int k = 0; k < w->nblock; k++)
        x[points->row[k]] *= w->yields[k];
    carom_copy(w->n, x, left);
    memset(sum, 0, sizeof *sum * (size_t)w->n);
    memset(w->dv, 0, sizeof *w->dv * (size_t)w->nv);
    memset(w->g, 0, sizeof *w->g * (size_t)w->nv);
    for (int pass = 0; pass < 5; pass++) {
        push_barrier(w, left, dv);
        for (int i = 0; i < w->nv; i++)
            dv[i] += w->g[i];
        carom_sparse_solve(w->lu, dv);
        pull_barrier(w, dv, left);
        for (int i = 0; i < w->n; i++)
            sum[i] += left[i];
        for (int i = 0; i < w->nv; i++)
            w->dv[i] += dv[i];
        push_barrier(w, sum, w->g);
        for (int i = 0; i < w->nv; i++)
            w->g[i] -= w->dv[i];
        for (int i = 0; i < w->n; i++)
            left[i] = x[i] - sum[i];
        pull_barrier(w, w->dv, left);
        double e = fmax(carom_norm_max(w->n, left), carom_norm_max(w->nv, w->g));
        if (!(e < 0.5 * before) || e <= 1e-9 * carom_norm_max(w->n, x))
            break;
        before = e;
    }
    carom_copy(w->n, sum, x);
}

static const carom_points_form form = {
    velocity, residual, offer, function, direction, sweep, .least = 1e-9, /* D is as large as 1/a */
    factor_barrier, solve_barrier,
};

/* ---- the scaled problem ---- */

/* Numbers the bodies that are touched, in the order of their velocities; row tells where those begin. */
static void number_bodies(workspace *w)
{
    const carom_product *W = &w->p->W.product;
    memset(w->body_of, 0, sizeof *w->body_of * (size_t)(W->nv + 1)); /* widths first */
    for (int k = 0; k < w->nblock; k++)
        for (int b = 0; b < 2; b++) {
            const carom_span *s = &W->span[W->row[k]];
            if (s->count[b])
                w->body_of[s->first[b]] = s->count[b];
        }
    for (int i = 0; i < W->nv; i++)
        if (w->body_of[i]) {
            w->row[w->nbody + 1] = w->row[w->nbody] + w->body_of[i];
            w->body_of[i] = w->nbody++;
        }
    w->nv = w->row[w->nbody];
}

static void list_touches(workspace *w)
{
    const carom_product *W = &w->p->W.product;
    for (int k = 0; k < w->nblock; k++) {
        const carom_span *s = &W->span[W->row[k]];
        w->touch[k].at = s->at[0];
        for (int b = 0; b < 2; b++) {
            int body = w->touch[k].body[b] = s->count[b] ? w->body_of[s->first[b]] : -1;
            if (body >= 0)
                w->first_touch[body + 1]++;
        }
    }
    for (int b = 0; b < w->nbody; b++)
        w->first_touch[b + 1] += w->first_touch[b];
    for (int k = w->nblock; k-- > 0;) /* from the back: first_touch[b + 1] walks down to the start of body b */
        for (int b = 2; b-- > 0;)
            if (w->touch[k].body[b] >= 0)
                w->touch_of[--w->first_touch[w->touch[k].body[b] + 1]] = k;
    int total = 0;
    for (int k = 0; k < w->nblock; k++)
        total += (w->touch[k].body[0] >= 0) + (w->touch[k].body[1] >= 0);
    for (int b = 0; b < w->nbody; b++)
        w->first_touch[b] = w->first_touch[b + 1];
    w->first_touch[w->nbody] = total;
}

static void scale(workspace *w)
{
    const carom_problem *p = w->p;
    const carom_product *W = &p->W.product;
    carom_copy(w->n, p->b, w->b);
    if (p->x0) {
        for (int i = 0; i < w->n; i++)
            w->x[i] = -p->x0[i];
        carom_delassus_add(p, w->x, w->b);
    }
    for (int k = 0; k < w->nblock; k++) {
        const carom_block *block = &p->block[k];
        double trace = carom_delassus_trace(p, k);
        w->d[k] = trace > 0 ? sqrt(block->law->rows / trace) : 1;
        w->soft[k] = w->d[k] * w->d[k] * carom_product_soft(W, w->nblock, k);
        w->part[k] = carom_part_of(block);
        w->mu[k] = carom_block_mu(block);
        for (int i = block->row; i < block->row + block->law->rows; i++)
            w->b[i] *= w->d[k];
    }
    w->size = sqrt(carom_dot(w->n, w->b, w->b));
    w->size = w->size > 0 ? w->size : 1;
    for (int i = 0; i < w->n; i++)
        w->b[i] /= w->size;
    for (int k = 0; k < w->nblock; k++)
        if (w->part[k] == CAROM_PART_BOUNDED)
            w->mu[k] = p->block[k].c[0] / (w->size * w->d[k]);
}

static bool place(workspace *w, carom_arena *arena)
{
    size_t n = (size_t)w->n, nblock = (size_t)w->nblock, nv = (size_t)w->p->W.product.nv;
    double **const arrays[] = {&w->b, &w->f, &w->x};
    bool room = carom_points_place(&w->points, arena);
    for (int i = 0; i < CAROM_COUNT(arrays); i++)
        room = (*arrays[i] = CAROM_NEW(arena, double, n)) && room;
    size_t bodies = nv < 2 * nblock ? nv : 2 * nblock; /* at most */
    w->touch = CAROM_NEW(arena, touch, nblock);
    w->row = CAROM_NEW(arena, int, bodies + 1), w->first_touch = CAROM_NEW(arena, int, bodies + 1);
    w->touch_of = CAROM_NEW(arena, int, 2 * nblock), w->body_of = CAROM_NEW(arena, int, nv + 1);
    w->G = w->p->W.product.G, w->Y = w->p->W.product.Y;
    w->d = CAROM_NEW(arena, double, nblock), w->mu = CAROM_NEW(arena, double, nblock);
    w->soft = CAROM_NEW(arena, double, nblock), w->yields = CAROM_NEW(arena, double, nblock);
    w->D = CAROM_NEW(arena, double, 9 * nblock), w->first_row = CAROM_NEW(arena, int, nblock + 1);
    w->part = CAROM_NEW(arena, unsigned char, nblock), w->in = CAROM_NEW(arena, unsigned char, nblock);
    w->analysed = CAROM_NEW(arena, unsigned char, nblock);
    w->start = CAROM_NEW(arena, size_t, bodies + 1);
    w->v = CAROM_NEW(arena, double, nv), w->dv = CAROM_NEW(arena, double, nv), w->g = CAROM_NEW(arena, double, nv);
    return room && w->touch && w->row && w->first_touch && w->touch_of && w->body_of && w->d && w->mu &&
           w->soft && w->yields && w->D && w->first_row && w->part && w->in && w->analysed && w->start &&
           w->v && w->dv && w->g;
}

/* Room for (4) when everything that touches stands in it: a block for a pair of bodies, however many points they touch
 * in. */
static bool place_pattern(workspace *w, carom_arena *arena)
{
    size_t entries = 0, values = 0;
    int *mark = w->body_of; /* which nobody needs any more */
    memset(mark, 0, sizeof *mark * (size_t)w->nbody);
    for (int b = 0; b < w->nbody; b++) {
        mark[b] = b + 1;
        entries++, values += (size_t)width_of(w, b) * (size_t)width_of(w, b);
        for (int i = w->first_touch[b]; i < w->first_touch[b + 1]; i++) {
            const touch *t = &w->touch[w->touch_of[i]];
            int other = t->body[0] == b ? t->body[1] : t->body[0];
            if (other < 0 || mark[other] == b + 1)
                continue;
            mark[other] = b + 1;
            entries++, values += (size_t)width_of(w, b) * (size_t)width_of(w, other);
        }
    }
    w->column = CAROM_NEW(arena, int, entries);
    w->offset = CAROM_NEW(arena, size_t, entries + 1);
    w->value = CAROM_NEW(arena, double, values);
    return w->column && w->offset && w->value;
}

/* The interior point method; its memory comes before the factor's. */
static bool interior(workspace *w, bool briefly)
{
    carom_arena_release(w->s->arena, w->placed);
    void *work = carom_arena_alloc(w->s->arena, carom_interior_work(w->n, w->nblock));
    w->placed = carom_arena_here(w->s->arena);
    w->start[w->nbody] = 0; /* to be analysed anew */
    return work && carom_interior_run(&w->points, work, briefly);
}

static bool is_redundant(const workspace *w)
{
    return w->n > 3 * w->nv;
}

/* (6), (7) */
static void try_newton(workspace *w)
{
    const bool redundant = is_redundant(w);
    const double regular = w->s->field[REGULAR];
    for (int i = 0; i < CAROM_COUNT(stiff) && !w->solved && !carom_points_over(&w->points); i++) {
        w->s_of_p = stiff[i];
        carom_newton_run(&w->points, redundant && i == 0 ? 0.1 * regular : regular,
                         redundant ? WALL_STEPS : FIRST_STEPS);
    }
    w->s_of_p = redundant ? CAROM_ALART_CURNIER : stiff[0];
}

/* (6)-(8) */
static void decide(carom_points *points, void *none)
{
    workspace *w = (workspace *)points;
    (void)none;
    points->limit = (int)w->s->field[FACTORISATIONS];
    if (carom_norm_max(w->n, points->r) == 0)
        sweep(points, (int)w->s->field[SWEEPS]);
    const bool smooth = carom_scaled_takes(w->p);
    if (is_redundant(w) && smooth && interior(w, true))
        return;
    for (int pass = 0; pass < (is_redundant(w) ? 2 : 1) && !w->solved; pass++)
        try_newton(w);
    if (!w->solved && !carom_points_over(points) && !(smooth && interior(w, false)))
        carom_newton_run(points, w->s->field[REGULAR], LAST_STEPS);
    for (int turn = 0; turn < TURNS && !w->solved && !carom_points_over(points); turn++) {
        sweep(points, turn > 0 ? ASTRAY : 0);
        try_newton(w);
    }
}

void carom_condensed_with(const carom_problem *problem, carom_solve *s, const carom_points_method *method)
{
    workspace w = {.p = problem, .s = s, .n = problem->n, .nblock = problem->nblock, .least = INFINITY,
                   .s_of_p = CAROM_ALART_CURNIER,
                   .points = {.form = &form, .solve = s, .deadline = carom_deadline(s), .n = problem->n}};
    s->iterations = 0;
    void *work = carom_arena_alloc(s->arena, method->work(problem->n, problem->nblock));
    bool room = work && place(&w, s->arena);
    if (room) {
        number_bodies(&w);
        list_touches(&w);
        room = place_pattern(&w, s->arena);
        w.placed = carom_arena_here(s->arena);
    }
    if (room) {
        scale(&w);
        w.points.nblock = w.nblock, w.points.block = problem->block, w.points.row = w.first_row;
        w.points.part = w.part, w.points.mu = w.mu, w.points.b = w.b;
        for (int k = 0; k <= w.nblock; k++)
            w.first_row[k] = k < w.nblock ? problem->block[k].row : w.n;
        for (int k = 0; k < w.nblock; k++)
            for (int i = problem->block[k].row; i < problem->block[k].row + rows_of(&w, k); i++)
                w.points.r[i] = w.part[k] == CAROM_PART_NONE
                                    ? 0 : (s->x[i] + (problem->x0 ? problem->x0[i] : 0)) / (w.size * w.d[k]);
        method->run(&w.points, work);
    }
    s->factorisations = w.points.factorisations;
}

static void solve(const carom_problem *problem, carom_solve *s)
{
    carom_condensed_with(problem, s, &(carom_points_method){carom_no_work, decide});
}

static bool takes(const carom_problem *problem)
{
    const carom_product *W = &problem->W.product;
    if (!W->span && problem->n > 0)
        return false;
    for (int k = 0; k < problem->nblock; k++) {
        const carom_block *block = &problem->block[k];
        bool knows = (carom_law_plain(block->law) || block->law == &carom_law_bounded) && !carom_block_slips(block);
        if (!knows || W->span[W->row[k]].count[0] > WIDEST || W->span[W->row[k]].count[1] > WIDEST)
            return false;
    }
    return true;
}

const carom_solver carom_solver_condensed = {
    .method = {.name = "condensed", .doc = "Newton and interior point methods in the velocities of bodies",
               .ref = "Alart and Curnier (1991), Comput. Methods Appl. Mech. Engrg. 92, 353-375", .fields = fields},
    .forms = CAROM_PRODUCT,
    .whole = true,
    .takes = takes,
    .work = carom_no_work,
    .solve = solve,
};
