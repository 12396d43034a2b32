/* margin.c: how far a touch is from the ends of its features, as a length: beyond them another feature touches.
 *
 * carom_touch_margin is that of the branch of its gap, whatever the gap is; carom_touch_inside is that of what touches
 * where the gap is 0. Rims: round.c. */
#include "geometry/find.h"

static const double clearly = 0.1; /* radians: a side that is behind a face by less may be about to land on it */

static double edges_margin(const carom_touch *t, const carom_edge *a, const carom_edge *b, const carom_pose *pa,
                           const carom_pose *pb)
{
    double p[3], q[3], x[3], da[3], db[3];
    place3(pa, t->a, p), place3(pb, t->b, q);
    turn3(pa->R, t->a + 3, da), turn3(pb->R, t->b + 3, db);
    sub3(q, p, x);
    double ab = dot3(da, db), ax = dot3(da, x), bx = dot3(db, x), det = 1 - ab * ab;
    double at_a = (ax - ab * bx) / det, at_b = (ab * ax - bx) / det;
    return CAROM_MIN(CAROM_MIN(at_a, a->length - at_a), CAROM_MIN(at_b, b->length - at_b));
}

/* Behind the ends of the edges that leave a vertex; within the ends of an edge and beyond its faces. */
static double edge_margin(const carom_shape *a, const carom_edge *e, uint32_t branch, int i, const double *x)
{
    int number = CAROM_NUMBER(branch);
    double d[3], margin = INFINITY;
    sub3(x, a->vertex + 3 * e->vertex[0], d);
    double along = dot3(d, e->direction);
    if (CAROM_KIND(branch) == CAROM_VERTEX)
        return e->vertex[0] == number ? -along : e->vertex[1] == number ? along - e->length : INFINITY;
    if (i != number)
        return INFINITY;
    margin = CAROM_MIN(along, e->length - along);
    for (int k = 0; k < 2 && e->face[k] >= 0; k++)
        margin = CAROM_MIN(margin, -dot3(d, e->inward[k]));
    return margin;
}

/* How far the neighbours of the vertex that touches lie in front of a face of a, as a length, give or take `slack` of
 * the way there; INFINITY: it has none. Polytopes only. */
static double ahead_of(const carom_touch *t, const carom_shape *a, const carom_shape *b, const carom_pose *pa,
                       const carom_pose *pb, const double *normal, double slack)
{
    int vertex = CAROM_NUMBER(t->feature[1]);
    double least = INFINITY;
    if (CAROM_KIND(t->feature[1]) != CAROM_VERTEX || a->kind != CAROM_SHAPE_POLYTOPE || b->kind != CAROM_SHAPE_POLYTOPE)
        return least;
    for (int k = b->first_neighbour[vertex]; k < b->first_neighbour[vertex + 1]; k++) {
        double d[3];
        sub3(b->vertex + 3 * b->neighbour[k], b->vertex + 3 * vertex, d);
        turn3(pb->R, d, d), turn_back3(pa->R, d, d);
        least = CAROM_MIN(least, dot3(normal, d) + slack * norm3(d));
    }
    return least;
}

static double margin_of(const carom_touch *t, const carom_shape *a, const carom_shape *b, const carom_pose *pa,
                        const carom_pose *pb)
{
    double x[3], margin = INFINITY;
    int kind = CAROM_KIND(t->branch), number = CAROM_NUMBER(t->branch);
    if (t->kernel == CAROM_LINE_LINE)
        return edges_margin(t, &a->edge[CAROM_NUMBER(t->feature[0])], &b->edge[CAROM_NUMBER(t->feature[1])], pa, pb);
    if (CAROM_KIND(t->feature[0]) != CAROM_WHOLE || a->kind == CAROM_SHAPE_PLANE || a->kind == CAROM_SHAPE_ELLIPSOID ||
        t->kernel == CAROM_PLANE_CIRCLE)
        return INFINITY;
    place3(pb, t->b, x);
    place_back3(pa, x, x);
    bool mantle = a->kind == CAROM_SHAPE_CYLINDER && kind == CAROM_EDGE;
    if (kind == CAROM_FACE || kind == CAROM_ARC || mantle) {
        carom_closest c, other;
        int side = mantle ? a->nface : number;
        double d = carom_side_distance(a, side, x, &c);
        for (int i = 0; i < carom_shape_sides(a); i++)
            if (i != side && (carom_side_distance(a, i, x, &other) <= d ||
                              ahead_of(t, a, b, pa, pb, other.normal, CAROM_SLACK_ANGLE) >= 0))
                margin = CAROM_MIN(margin, d - other.distance);
        return d <= 0 || t->b[3] == 0 ? margin : carom_side_inside(a, side, x);
    }
    if (kind == CAROM_RIM)
        return -CAROM_MAX(carom_side_inside(a, number, x), carom_side_inside(a, a->nface, x));
    for (int i = 0; i < a->nedge; i++)
        margin = CAROM_MIN(margin, edge_margin(a, &a->edge[i], t->branch, i, x));
    for (int i = 0; i < a->nface && a->planar; i++) { /* a corner of the plane: behind the ends of its two sides */
        const int *ends = a->corner + a->face[i].first;
        double side[3], d[3];
        if ((ends[0] != number && ends[1] != number) || (a->kind == CAROM_SHAPE_RING && i % 2))
            continue;
        sub3(a->vertex + 3 * ends[ends[0] == number], a->vertex + 3 * number, side);
        sub3(x, a->vertex + 3 * number, d);
        unit3(side);
        margin = CAROM_MIN(margin, -dot3(side, d));
    }
    return margin;
}

double carom_touch_margin(const carom_touch *t, const carom_shape *a, const carom_shape *b, const carom_pose *pose)
{
    return margin_of(t, a, b, &pose[t->body[0]], &pose[t->body[1]]);
}

/* How far the common normal of two edges is inside the arc of one, as a length: outward, in its axes. */
static double arc_margin(const carom_edge *e, const carom_pose *pose, double sign, const double *normal)
{
    double n[3], margin = INFINITY;
    turn_back3(pose->R, normal, n);
    for (int k = 0; k < 2 && e->face[k] >= 0; k++)
        margin = CAROM_MIN(margin, -sign * dot3(n, e->inward[k]) * e->width[k]);
    return margin;
}

bool carom_touch_is_arc(const carom_touch *t)
{
    return CAROM_KIND(t->feature[1]) == CAROM_ARC;
}

double carom_touch_allowed(const carom_touch *t)
{
    return carom_touch_is_arc(t) ? 0 : CAROM_OUTSIDE;
}

/* How far from its ends the outer arc of a ring touches, along it: it does so where it lies deepest below the part of a
 * that is nearest to its centre. */
static double sector_margin(const carom_touch *t, const carom_shape *a, const carom_shape *b, const carom_pose *pa,
                            const carom_pose *pb)
{
    double x[3], n[3];
    carom_closest c;
    place3(pb, t->b, x);
    place_back3(pa, x, x);
    if (CAROM_KIND(t->branch) == CAROM_EDGE)
        c = carom_shape_closest(a, x);
    else
        carom_side_distance(a, CAROM_NUMBER(t->branch), x, &c);
    turn3(pa->R, c.normal, n);
    turn_back3(pb->R, n, n);
    return b->size[1] * CAROM_MIN(dot3(b->face[0].normal, n), dot3(b->face[2].normal, n));
}

double carom_touch_within(const carom_touch *t, const carom_shape *a, const carom_shape *b, const carom_pose *pa,
                          const carom_pose *pb)
{
    double x[3], y[3], n[3];
    int kind = CAROM_KIND(t->branch);
    if (t->kernel == CAROM_LINE_LINE) {
        const carom_edge *e = &a->edge[CAROM_NUMBER(t->feature[0])], *f = &b->edge[CAROM_NUMBER(t->feature[1])];
        turn3(pa->R, t->a + 3, x), turn3(pb->R, t->b + 3, y);
        cross3(x, y, n);
        if (unit3(n) <= CAROM_PARALLEL) /* nowhere, and a length as others are */
            return -(a->extent + b->extent);
        double arcs = CAROM_MIN(arc_margin(e, pa, t->sign, n), arc_margin(f, pb, -t->sign, n));
        return CAROM_MIN(arcs, edges_margin(t, e, f, pa, pb));
    }
    if (t->kernel == CAROM_LINE_CIRCLE || t->kernel == CAROM_CIRCLE_CIRCLE ||
        (t->kernel == CAROM_PLANE_CIRCLE && a->kind != CAROM_SHAPE_PLANE))
        return carom_rim_inside(t, a, b, pa, pb);
    if (carom_touch_is_arc(t))
        return CAROM_MIN(margin_of(t, a, b, pa, pb), sector_margin(t, a, b, pa, pb));
    if (kind != CAROM_FACE || t->b[3] != 0 || t->kernel != CAROM_PLANE_POINT || a->kind == CAROM_SHAPE_PLANE)
        return margin_of(t, a, b, pa, pb);
    place3(pb, t->b, x);
    place_back3(pa, x, x);
    int face = CAROM_NUMBER(t->branch);
    double inside = carom_side_inside(a, face, x);
    return a->planar ? CAROM_MIN(inside, ahead_of(t, a, b, pa, pb, a->face[face].normal, clearly)) : inside;
}

double carom_touch_inside(const carom_touch *t, const carom_shape *a, const carom_shape *b, const carom_pose *pose)
{
    return carom_touch_within(t, a, b, &pose[t->body[0]], &pose[t->body[1]]) +
           carom_touch_allowed(t) * CAROM_MIN(a->extent, b->extent);
}
