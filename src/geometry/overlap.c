/* overlap.c: how deep two shapes stand in each other, however deep that is.
 *
 * With the support h_S(n) = max n . x over the points of a convex shape, its radius left out,
 *   s(n) = - h_a(n) - h_b(-n)            how far apart the planes across n are that hold a and b             (1)
 *   depth = min over n of -s(n) + radii  the shortest way out, if s < 0 for all n: otherwise the cores are apart  (2)
 * For what has vertices the minimum is at a face of one or across an edge of each (in the plane: across the axis of a
 * capsule, or along it). For cylinders and ellipsoids it is looked for, from several directions, by steps that shrink:
 * an upper bound of the depth, within a hundredth, which is why it only counts where it is more than CAROM_SHALLOW.
 * A ring with round sides is not convex: the depth is that of the deepest of many points on the sides of one (the axis
 * of a capsule) in the other, a lower bound, which only counts where it is more than CAROM_SHALLOW, too.
 * Touches (pair.c) are exact where shapes hardly overlap or only their rounding does; they know nothing of what is
 * farther in than their features reach. */
#include "geometry/find.h"

typedef struct search {
    carom_posed at[2];
    double best, normal[3]; /* the largest s so far, and where */
} search;

static bool curved(const carom_shape *s)
{
    return s->kind == CAROM_SHAPE_CYLINDER || s->kind == CAROM_SHAPE_ELLIPSOID;
}

static double support(const carom_posed *at, const double *n)
{
    const carom_shape *s = at->shape;
    double body[3], local[3], most = -INFINITY;
    turn_back3(at->pose->R, n, body);
    if (curved(s)) {
        turn_back3(s->place.R, body, local);
        double x[3] = {s->size[0] * local[0], s->size[1] * local[1], s->size[2] * local[2]};
        most = s->kind == CAROM_SHAPE_ELLIPSOID
                   ? norm3(x) : s->size[1] * hypot(local[0], local[1]) + s->size[0] / 2 * fabs(local[2]);
        most += dot3(body, s->place.r);
    }
    for (int i = 0; i < s->nvertex && !curved(s); i++)
        most = CAROM_MAX(most, dot3(body, s->vertex + 3 * i));
    return dot3(n, at->pose->r) + most;
}

/* Tries a direction and its opposite; n is made a unit vector. */
static void try_direction(search *x, const double *direction)
{
    double n[3], back[3];
    copy3(direction, n);
    if (unit3(n) == 0)
        return;
    for (int sign = 1; sign >= -1; sign -= 2) {
        for (int k = 0; k < 3; k++)
            back[k] = -(n[k] *= sign);
        double s = -support(&x->at[0], n) - support(&x->at[1], back);                                    /* (1) */
        if (s > x->best)
            x->best = s, copy3(n, x->normal);
    }
}

static void try_faces(search *x, int k)
{
    const carom_shape *s = x->at[k].shape;
    double n[3];
    for (int i = 0; i < s->nface && !curved(s) && x->best < 0; i++) {
        turn3(x->at[k].pose->R, s->face[i].normal, n);
        try_direction(x, n);
    }
    for (int i = 0; i < s->nedge && s->planar; i++) { /* the axis of a capsule: across it and along it */
        turn3(x->at[k].pose->R, s->edge[i].direction, n);
        try_direction(x, n);
        try_direction(x, (const double[3]){-n[1], n[0], 0});
    }
}

static void try_edges(search *x)
{
    const carom_shape *A = x->at[0].shape, *B = x->at[1].shape;
    for (int i = 0; i < A->nedge && !A->planar; i++)
        for (int j = 0; j < B->nedge && x->best < 0; j++) {
            double a[3], b[3], n[3];
            turn3(x->at[0].pose->R, A->edge[i].direction, a);
            turn3(x->at[1].pose->R, B->edge[j].direction, b);
            cross3(a, b, n);
            if (norm3(n) > CAROM_PARALLEL)
                try_direction(x, n);
        }
}

/* From the best direction so far uphill. */
static void climb(search *x)
{
    for (double step = 0.5; step > 1e-5 && x->best < 0; step *= 0.7)
        for (bool better = true; better && x->best < 0;) {
            double n[3], t[2][3], before = x->best;
            copy3(x->normal, n);
            across3(n, t[0]);
            cross3(n, t[0], t[1]);
            for (int k = 0; k < 16; k++) { /* of which ridges leave some */
                double to[3], angle = k * 0.39269908169872414 + 10 * step;
                add3(n, step * cos(angle), t[0], to);
                add3(to, step * sin(angle), t[1], to);
                try_direction(x, to);
            }
            better = x->best > before * (1 - 1e-5); /* both negative */
        }
}

static void try_curved(search *x)
{
    double most = x->best, normal[3], from[3], between[3];
    copy3(x->normal, normal);
    place3(x->at[0].pose, x->at[0].shape->place.r, from);
    place3(x->at[1].pose, x->at[1].shape->place.r, between);
    sub3(between, from, between);
    for (int k = -1; k < 13 && most < 0; k++) { /* between the centres; to a cube's corners, edges, faces */
        double n[3] = {(k + 14) / 9 - 1, (k + 14) / 3 % 3 - 1, (k + 14) % 3 - 1};
        x->best = -INFINITY;
        try_direction(x, k < 0 ? between : n);
        climb(x);
        if (x->best > most)
            most = x->best, copy3(x->normal, normal);
    }
    x->best = most;
    copy3(normal, x->normal);
}

/* ---- rings with round sides ---- */
static int lines(const carom_shape *s) /* sides; of a capsule its axis */
{
    return s->nface > 0 ? s->nface : s->nedge;
}

static void on_line(const carom_shape *s, int line, double part, double *x)
{
    const int *end = s->nface > 0 ? s->corner + s->face[line].first : s->edge[line].vertex;
    for (int i = 0; i < 3; i++)
        x[i] = s->vertex[3 * end[0] + i] + part * (s->vertex[3 * end[1] + i] - s->vertex[3 * end[0] + i]);
    if (s->kind != CAROM_SHAPE_RING || line % 2 == 0)
        return;
    sub3(x, s->place.r, x); /* from a chord out to its arc */
    double longer = s->size[line == 1] / norm3(x);
    for (int i = 0; i < 3; i++)
        x[i] = s->place.r[i] + longer * x[i];
}

/* The point on the lines of one that is deepest in the other, the host. */
static void try_points(search *x, int host)
{
    enum { PARTS = 64 };
    const carom_shape *s = x->at[host].shape, *guest = x->at[!host].shape;
    for (int i = 0; i < lines(guest) * PARTS && s->nface > 0; i++) {
        double p[3], n[3];
        on_line(guest, i / PARTS, (double)(i % PARTS) / (PARTS - 1), p);
        place3(x->at[!host].pose, p, p);
        place_back3(x->at[host].pose, p, p);
        carom_closest c = carom_highest_side(s, p);
        if (c.distance >= 0 || c.distance - guest->radius >= x->best)
            continue;
        turn3(x->at[host].pose->R, c.normal, n);
        for (int k = 0; k < 3; k++)
            x->normal[k] = host ? -n[k] : n[k];
        x->best = c.distance - guest->radius;
    }
}

static double depth_of_ring(search *x, double size, double *normal)
{
    double least = x->best = -CAROM_SHALLOW * size;
    for (int host = 0; host < 2; host++)
        try_points(x, host);
    if (x->best == least)
        return 0;
    copy3(x->normal, normal);
    return -x->best;
}

double carom_pair_depth(carom_posed first, carom_posed second, double *normal)
{
    search x = {.at = {first, second}, .best = -INFINITY};
    const carom_shape *a = first.shape, *b = second.shape;
    double size = CAROM_MIN(a->extent, b->extent);
    if (a->kind == CAROM_SHAPE_PLANE || b->kind == CAROM_SHAPE_PLANE)
        return 0; /* touches know all of these, */
    if (a->kind == CAROM_SHAPE_RING || b->kind == CAROM_SHAPE_RING)
        return depth_of_ring(&x, size, normal);
    if (!a->planar && a->nface + b->nface == 0 && !curved(a) && !curved(b))
        return 0; /* and balls and capsules in space */
    try_faces(&x, 0), try_faces(&x, 1);
    try_edges(&x);
    if (curved(a) || curved(b))
        try_curved(&x);
    if (x.best >= 0 || isinf(x.best) || ((curved(a) || curved(b)) && -x.best < CAROM_SHALLOW * size))
        return 0;
    copy3(x.normal, normal);
    return -x.best + (curved(a) ? 0 : a->radius) + (curved(b) ? 0 : b->radius);                          /* (2) */
}
