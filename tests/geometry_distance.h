/* geometry_distance.h: the distance of two convex shapes by the algorithm of Gilbert, Johnson and Keerthi in long
 * double, from support functions alone: it knows nothing of features, faces or kernels. */
#ifndef CAROM_GEOMETRY_DISTANCE_H
#define CAROM_GEOMETRY_DISTANCE_H

#include <math.h>

#include "geometry/geometry.h"

typedef long double real;

static inline real dotl(const real *a, const real *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The point of a posed shape, radius of balls and capsules left out, that is farthest along n. */
static inline void support(const carom_shape *s, const carom_pose *pose, const real *n, real *x)
{
    real body[3], local[3], best[3] = {0, 0, 0}, most = -INFINITY;
    for (int i = 0; i < 3; i++)
        body[i] = n[0] * pose->R[i] + n[1] * pose->R[3 + i] + n[2] * pose->R[6 + i];
    for (int i = 0; i < 3; i++)
        local[i] = body[0] * s->place.R[i] + body[1] * s->place.R[3 + i] + body[2] * s->place.R[6 + i];
    if (s->kind == CAROM_SHAPE_CYLINDER || s->kind == CAROM_SHAPE_ELLIPSOID) {
        real p[3], r = sqrtl(local[0] * local[0] + local[1] * local[1]), h = 0;
        for (int i = 0; i < 3; i++)
            h += local[i] * local[i] * s->size[i] * s->size[i];
        h = sqrtl(h);
        for (int i = 0; i < 3; i++)
            p[i] = s->kind == CAROM_SHAPE_ELLIPSOID ? (h > 0 ? s->size[i] * s->size[i] * local[i] / h : 0)
                   : i < 2                          ? (r > 0 ? s->size[1] * local[i] / r : 0)
                                                    : copysignl(s->size[0] / 2, local[2]);
        for (int i = 0; i < 3; i++)
            best[i] = s->place.r[i] + s->place.R[3 * i] * p[0] + s->place.R[3 * i + 1] * p[1] +
                      s->place.R[3 * i + 2] * p[2];
    } else {
        for (int k = 0; k < s->nvertex; k++) {
            real v[3] = {s->vertex[3 * k], s->vertex[3 * k + 1], s->vertex[3 * k + 2]}, far = dotl(v, body);
            if (far > most)
                most = far, best[0] = v[0], best[1] = v[1], best[2] = v[2];
        }
    }
    for (int i = 0; i < 3; i++)
        x[i] = pose->r[i] + pose->R[3 * i] * best[0] + pose->R[3 * i + 1] * best[1] + pose->R[3 * i + 2] * best[2];
}

/* The point of least norm in the hull of the points of the subset; false if it is not in the inside of the hull. */
static inline bool least(real w[4][3], int subset, real *v)
{
    real A[3][4], lambda[4] = {1, 0, 0, 0};
    int id[4], n = 0;
    for (int i = 0; i < 4; i++)
        if (subset >> i & 1)
            id[n++] = i;
    for (int i = 1; i < n; i++) { /* (w_i - w_0) . (w_0 + sum lambda_j (w_j - w_0)) = 0 */
        real e[3] = {w[id[i]][0] - w[id[0]][0], w[id[i]][1] - w[id[0]][1], w[id[i]][2] - w[id[0]][2]};
        for (int j = 1; j < n; j++) {
            real d[3] = {w[id[j]][0] - w[id[0]][0], w[id[j]][1] - w[id[0]][1], w[id[j]][2] - w[id[0]][2]};
            A[i - 1][j - 1] = dotl(e, d);
        }
        A[i - 1][n - 1] = -dotl(e, w[id[0]]);
    }
    for (int k = 0; k < n - 1; k++) { /* elimination with pivots */
        int p = k;
        for (int i = k + 1; i < n - 1; i++)
            p = fabsl(A[i][k]) > fabsl(A[p][k]) ? i : p;
        if (A[p][k] == 0)
            return false;
        for (int j = 0; j < n; j++) {
            real t = A[k][j];
            A[k][j] = A[p][j], A[p][j] = t;
        }
        for (int i = 0; i < n - 1; i++)
            if (i != k) {
                real factor = A[i][k] / A[k][k];
                for (int j = k; j < n; j++)
                    A[i][j] -= factor * A[k][j];
            }
    }
    for (int i = 1; i < n; i++) {
        lambda[i] = A[i - 1][n - 1] / A[i - 1][i - 1];
        lambda[0] -= lambda[i];
    }
    for (int k = 0; k < 3; k++)
        v[k] = 0;
    for (int i = 0; i < n; i++) {
        if (!(lambda[i] > 0))
            return false;
        for (int k = 0; k < 3; k++)
            v[k] += lambda[i] * w[id[i]][k];
    }
    return true;
}

/* 0: they overlap. toward [3] (may be NULL): from a to b, of the length of the distance of the cores. */
static inline real distance(const carom_shape *a, const carom_pose *A, const carom_shape *b, const carom_pose *B,
                            real *toward)
{
    real w[4][3], v[3], pa[3], pb[3], n[3], best = INFINITY, radius = 0;
    int used = 0;
    const carom_shape *shape[2] = {a, b};
    for (int i = 0; i < 2; i++)
        if (shape[i]->kind == CAROM_SHAPE_BALL || shape[i]->kind == CAROM_SHAPE_CAPSULE)
            radius += shape[i]->radius;
    for (int k = 0; k < 3; k++)
        v[k] = B->r[k] - A->r[k] + (k == 0);
    for (int iteration = 0; iteration < 3000; iteration++) {
        for (int k = 0; k < 3; k++)
            n[k] = -v[k];
        support(b, B, n, pb);
        support(a, A, v, pa);
        for (int k = 0; k < 3; k++)
            w[used][k] = pb[k] - pa[k];
        if (iteration && dotl(v, v) - dotl(v, w[used]) <= 1e-17L * dotl(v, v))
            break;
        int subset = 0;
        real candidate[3], square = INFINITY;
        for (int s = 1; s < 1 << (used + 1); s++)
            if (s >> used & 1 && least(w, s, candidate) && dotl(candidate, candidate) < square) {
                square = dotl(candidate, candidate), subset = s;
                for (int k = 0; k < 3; k++)
                    v[k] = candidate[k];
            }
        if (subset == 0 || square >= best)
            break; /* no progress beyond rounding */
        best = square;
        if (subset == 15)
            return 0;
        used = 0;
        for (int i = 0; i < 4; i++)
            if (subset >> i & 1) {
                for (int k = 0; k < 3; k++)
                    w[used][k] = w[i][k];
                used++;
            }
    }
    for (int k = 0; k < 3 && toward; k++)
        toward[k] = v[k];
    real d = sqrtl(dotl(v, v)) - radius;
    return d > 0 ? d : 0;
}

/* The same for a plane a. */
static inline real height(const carom_shape *a, const carom_pose *A, const carom_shape *b, const carom_pose *B)
{
    real n[3], down[3], x[3], d = -a->face->offset;
    for (int i = 0; i < 3; i++) {
        n[i] = A->R[3 * i] * (real)a->face->normal[0] + A->R[3 * i + 1] * (real)a->face->normal[1] +
               A->R[3 * i + 2] * (real)a->face->normal[2];
        down[i] = -n[i];
    }
    support(b, B, down, x);
    for (int i = 0; i < 3; i++)
        d += n[i] * (x[i] - A->r[i]);
    return d - (b->kind == CAROM_SHAPE_BALL || b->kind == CAROM_SHAPE_CAPSULE ? b->radius : 0);
}

#endif
