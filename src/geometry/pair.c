/* pair.c: which features of two shapes may touch.
 *
 * Everything is computed in the body axes of the shape that carries the face, edge or vertex which is touched ("the
 * host"); vertices of the other one (the guest) are brought there. Rules: see carom_pair_find. */
#include <string.h>

#include "geometry/find.h"

static const double tie = 1e-9;         /* of the size: faces at the same distance */
static const double coincident = 1e-7;  /* of the size: touches at the same place */
static const double beyond = 0.01;      /* of the size: how far corners that overlap may lie outside */

/* ---- emitting ---- */
void carom_touch_reference(const double *normal, double *reference)
{
    if (norm3(reference) > 0.5 && fabs(dot3(normal, reference)) < 0.9)
        return;
    const int k = fabs(normal[0]) > 0.65; /* not the axis most across: rounding would choose it on level ground */
    for (int i = 0; i < 3; i++)
        reference[i] = i == k;
}

carom_touch *carom_find_emit(carom_finder *f, int host, carom_kernel kernel, uint32_t part, uint32_t guest_part,
                             const double *normal, const double *foot, double gap)
{
    carom_touch *t = f->n < f->most ? &f->list[f->n] : &f->spare;
    f->n++;
    memset(t, 0, sizeof *t);
    t->body[0] = f->at[host].body, t->body[1] = f->at[!host].body;
    t->feature[0] = part, t->feature[1] = guest_part;
    t->kernel = kernel;
    t->sign = 1;
    t->gap = gap;
    turn3(f->at[host].pose->R, normal, t->normal);
    place3(f->at[host].pose, foot, t->point);
    add3(t->point, gap / 2, t->normal, t->point);
    carom_touch_reference(t->normal, t->reference);
    return t;
}

void carom_feature_point(double *feature, const double *x, double radius)
{
    copy3(x, feature);
    feature[3] = radius;
}

void carom_feature_line(double *feature, const double *x, const double *direction, double radius)
{
    copy3(x, feature);
    copy3(direction, feature + 3);
    feature[6] = radius;
}

void carom_feature_plane(double *feature, const carom_face *face)
{
    copy3(face->normal, feature);
    feature[3] = face->offset;
}

/* ---- a point against a shape ---- */
/* Sides of a shape are its faces, curved ones included: a cylinder has its caps and its mantle, a ring its two flat
 * sides (numbers 0 and 2) and two arcs. The signed distance is positive outside and zero exactly on the side. */
int carom_shape_sides(const carom_shape *s)
{
    return s->nface + (s->kind == CAROM_SHAPE_CYLINDER);
}

double carom_side_distance(const carom_shape *s, int side, const double *x, carom_closest *c)
{
    const carom_face *face = &s->face[side];
    bool mantle = side == s->nface, arc = s->kind == CAROM_SHAPE_RING && side % 2;
    if (!mantle && !arc) {
        *c = (carom_closest){.part = CAROM_PART(CAROM_FACE, side), .distance = dot3(face->normal, x) - face->offset};
        copy3(face->normal, c->normal);
    } else { /* from the axis or the centre; the inner arc is seen from the hole */
        const double *axis = mantle ? s->edge->direction : (const double[]){0, 0, 1};
        double sign = side == 3 && arc ? -1 : 1, radius = mantle ? s->size[1] : s->size[side == 1], d[3];
        sub3(x, s->place.r, d);
        add3(d, -dot3(d, axis), axis, d);
        *c = (carom_closest){.part = mantle ? CAROM_PART(CAROM_EDGE, 0) : CAROM_PART(CAROM_ARC, side)};
        c->distance = sign * (unit3(d) - radius);
        if (norm3(d) == 0)
            across3(axis, d);
        for (int k = 0; k < 3; k++)
            c->normal[k] = sign * d[k];
    }
    add3(x, -c->distance, c->normal, c->foot);
    return c->distance;
}

/* How far the foot of x lies inside a face: the smallest distance to its borders, negative outside. */
static double face_inside(const carom_shape *s, int side, const double *x)
{
    const carom_face *face = &s->face[side];
    double least = INFINITY, d[3];
    if (s->kind == CAROM_SHAPE_PLANE)
        return INFINITY;
    if (s->kind == CAROM_SHAPE_CYLINDER) {
        sub3(x, s->place.r, d);
        add3(d, -dot3(d, face->normal), face->normal, d);
        return s->size[1] - norm3(d);
    }
    for (int k = 0; k < face->corners; k++) {
        const double *a = s->vertex + 3 * s->corner[face->first + k];
        const double *b = s->vertex + 3 * s->corner[face->first + (k + 1) % face->corners];
        double border[3], inward[3];
        sub3(b, a, border), sub3(x, a, d);
        if (s->planar)
            copy3(border, inward);
        else
            cross3(face->normal, border, inward);
        unit3(inward);
        least = CAROM_MIN(least, dot3(inward, d));
    }
    return least;
}

carom_closest carom_highest_side(const carom_shape *s, const double *x)
{
    carom_closest best, c;
    carom_side_distance(s, 0, x, &best);
    for (int i = 1; i < carom_shape_sides(s); i++)
        if (carom_side_distance(s, i, x, &c) > best.distance)
            best = c;
    return best;
}

static void closer(const carom_shape *s, carom_closest *best, uint32_t part, const double *core, double radius,
                   const double *x)
{
    double d[3];
    sub3(x, core, d);
    double distance = unit3(d) - radius;
    if (distance >= best->distance)
        return;
    if (norm3(d) == 0) { /* on the core: any normal will do */
        int edge = CAROM_KIND(part) == CAROM_EDGE;
        copy3((const double[]){0, s->planar, !s->planar}, d);
        if (edge && s->planar)
            d[0] = -s->edge->direction[1], d[1] = s->edge->direction[0];
        else if (edge)
            across3(s->edge[CAROM_NUMBER(part)].direction, d);
    }
    best->part = part, best->distance = distance;
    copy3(d, best->normal);
    add3(core, radius, d, best->foot);
}

double carom_side_inside(const carom_shape *s, int side, const double *x)
{
    double d[3];
    sub3(x, s->place.r, d);
    if (side == s->nface) /* the mantle */
        return s->edge->length / 2 - fabs(dot3(d, s->edge->direction));
    if (s->kind == CAROM_SHAPE_RING && side % 2) /* an arc: behind both flat sides */
        return -CAROM_MAX(dot3(s->face[0].normal, d), dot3(s->face[2].normal, d));
    return face_inside(s, side, x);
}

carom_closest carom_shape_closest(const carom_shape *s, const double *x)
{
    carom_closest c = {.distance = INFINITY}, side;
    if (s->kind == CAROM_SHAPE_ELLIPSOID)
        return carom_ellipsoid_closest(s, x);
    if (s->nface && (c = carom_highest_side(s, x)).distance <= 0)
        return c;
    c.distance = INFINITY;
    for (int i = 0; i < carom_shape_sides(s); i++)
        if (carom_side_distance(s, i, x, &side) > 0 && carom_side_inside(s, i, x) >= 0)
            return side;
    if (s->kind == CAROM_SHAPE_CYLINDER)
        return carom_rim_closest(s, x);
    for (int i = 0; i < s->nedge; i++) {
        const double *a = s->vertex + 3 * s->edge[i].vertex[0];
        double foot[3], along;
        sub3(x, a, foot);
        along = dot3(foot, s->edge[i].direction);
        add3(a, along, s->edge[i].direction, foot);
        if (along > 0 && along < s->edge[i].length)
            closer(s, &c, CAROM_PART(CAROM_EDGE, i), foot, s->radius, x);
    }
    for (int i = 0; i < s->nvertex; i++)
        closer(s, &c, CAROM_PART(CAROM_VERTEX, i), s->vertex + 3 * i, s->radius, x);
    return c;
}

/* ---- a vertex of the guest against the host ---- */
/* How much the neighbours of a vertex lie in front of a face, compared with the vertex: the worst of them, as a length
 * beyond what a motion of reach may change. Negative: the face is the wrong one. */
static double compatible(const carom_finder *f, int host, int vertex, const double *normal)
{
    const carom_shape *guest = f->at[!host].shape;
    const double *x = f->there[!host];
    double worst = INFINITY;
    for (int k = guest->first_neighbour[vertex]; k < guest->first_neighbour[vertex + 1]; k++) {
        double d[3], slack;
        sub3(x + 3 * guest->neighbour[k], x + 3 * vertex, d);
        if (guest->kind == CAROM_SHAPE_RING && vertex + guest->neighbour[k] == 3) { /* along the arc, not its chord */
            double length = norm3(d);
            carom_find_turn(f, !host, guest->face[vertex < 2 ? 0 : 2].normal, d);
            for (int i = 0; i < 3; i++)
                d[i] *= -length;
        }
        slack = CAROM_MIN(2 * f->reach + tie * f->size, CAROM_SLACK_ANGLE * norm3(d));
        worst = CAROM_MIN(worst, dot3(normal, d) + slack);
    }
    return worst;
}

/* How far the faces of the host hold the guest off: negative, as they overlap across the best of them. */
static double held_off(const carom_finder *f, int host)
{
    const carom_shape *s = f->at[host].shape, *guest = f->at[!host].shape;
    double most = -INFINITY;
    for (int i = 0; i < s->nface; i++) {
        double least = INFINITY;
        for (int k = 0; k < guest->nvertex; k++)
            least = CAROM_MIN(least, dot3(s->face[i].normal, f->there[!host] + 3 * k) - s->face[i].offset);
        most = CAROM_MAX(most, least);
    }
    return most;
}

/* Where flush or acute corners overlap, a vertex is nearer to a side that it cannot have come through, or beyond it:
 * the highest side that fits, if the foot lies on it and it is no deeper behind it than the two shapes overlap. */
static bool side_behind(const carom_finder *f, int host, int vertex, carom_closest *chosen)
{
    const carom_shape *s = f->at[host].shape;
    bool any = false;
    if (s->kind != CAROM_SHAPE_POLYTOPE || f->at[!host].shape->kind != CAROM_SHAPE_POLYTOPE)
        return false;
    for (int i = 0; i < s->nface; i++) {
        carom_closest c;
        carom_side_distance(s, i, f->there[!host] + 3 * vertex, &c);
        if ((any && c.distance <= chosen->distance) || compatible(f, host, vertex, c.normal) < 0)
            continue;
        any = true, *chosen = c;
    }
    return any && carom_highest_side(s, chosen->foot).distance <= coincident * f->size &&
           chosen->distance >= CAROM_MAX(held_off(f, 0), held_off(f, 1)) - tie * f->size;
}

/* The highest side, ties going to the one that fits best; false: none fits, or too far away. */
static bool side_of_vertex(const carom_finder *f, int host, int vertex, carom_closest *chosen)
{
    const carom_shape *s = f->at[host].shape;
    const double *x = f->there[!host] + 3 * vertex;
    double highest = carom_highest_side(s, x).distance, best = -INFINITY;
    for (int i = 0; i < carom_shape_sides(s) && highest <= f->reach; i++) {
        carom_closest c;
        if (carom_side_distance(s, i, x, &c) < highest - tie * f->size)
            continue;
        double fits = compatible(f, host, vertex, c.normal);
        if (fits > best)
            best = fits, *chosen = c;
    }
    return best >= 0 || (highest <= CAROM_MAX(f->reach, beyond * f->size) && side_behind(f, host, vertex, chosen));
}

static int features(const carom_shape *s)
{
    return s->nface ? 2 : s->nedge ? 1 : 0;
}

/* Two vertices that are nearest to each other are found from both sides: the host is the shape with more features. */
static bool twice(const carom_finder *f, int host, int vertex, int host_vertex)
{
    const carom_shape *s = f->at[host].shape, *guest = f->at[!host].shape;
    carom_closest back = carom_shape_closest(guest, f->there[host] + 3 * host_vertex);
    if (back.part != CAROM_PART(CAROM_VERTEX, vertex))
        return true; /* the host's vertex has something nearer, and that is found from the other side */
    return features(s) != features(guest) ? features(s) < features(guest) : host > 0;
}

/* The touch of a point of the guest with the part of the host that is nearest; x and radius: in the guest's axes. */
void carom_find_point(carom_finder *f, int host, const carom_closest *c, uint32_t part, const double *x, double radius)
{
    static const carom_kernel kernels[] = {
        [CAROM_WHOLE] = CAROM_ELLIPSOID_POINT, [CAROM_VERTEX] = CAROM_POINT_POINT, [CAROM_EDGE] = CAROM_LINE_POINT,
        [CAROM_FACE] = CAROM_PLANE_POINT,      [CAROM_RIM] = CAROM_CIRCLE_POINT,   [CAROM_ARC] = CAROM_POINT_POINT};
    const carom_shape *s = f->at[host].shape;
    int kind = CAROM_KIND(c->part), number = CAROM_NUMBER(c->part);
    carom_touch *t = carom_find_emit(f, host, kernels[kind], CAROM_PART(CAROM_WHOLE, 0), part, c->normal, c->foot,
                                     c->distance - radius);
    t->branch = c->part;
    carom_feature_point(t->b, x, radius);
    switch (kind) {
    case CAROM_FACE:
        carom_feature_plane(t->a, &s->face[number]);
        break;
    case CAROM_EDGE:
        carom_feature_line(t->a, s->vertex + 3 * s->edge[number].vertex[0], s->edge[number].direction, s->radius);
        break;
    case CAROM_VERTEX:
        carom_feature_point(t->a, s->vertex + 3 * number, s->radius);
        break;
    case CAROM_ARC: /* outer, or inner: a hole */
        carom_feature_point(t->a, s->place.r, number == 1 ? s->size[1] : -s->size[0]);
        t->sign = number == 1 ? 1 : -1;
        break;
    case CAROM_RIM:
        carom_feature_rim(t->a, s, number);
        break;
    default:
        carom_feature_ellipsoid(t->a, s);
        break;
    }
}

void carom_find_vertices(carom_finder *f, int host)
{
    const carom_shape *s = f->at[host].shape, *guest = f->at[!host].shape;
    bool sharp = s->kind == CAROM_SHAPE_PLANE || (s->nface && guest->radius == 0);
    if (s->nface == 0 && s->kind != CAROM_SHAPE_ELLIPSOID && s->radius + guest->radius == 0)
        return; /* two points, or a point and a segment: nothing there to touch */
    for (int i = 0; i < guest->nvertex; i++) {
        carom_closest c;
        if (s->kind == CAROM_SHAPE_PLANE)
            carom_side_distance(s, 0, f->there[!host] + 3 * i, &c);
        else if (!sharp)
            c = carom_shape_closest(s, f->there[!host] + 3 * i);
        else if (!side_of_vertex(f, host, i, &c))
            continue;
        if (c.distance - guest->radius <= f->reach &&
            !(CAROM_KIND(c.part) == CAROM_VERTEX && twice(f, host, i, CAROM_NUMBER(c.part))))
            carom_find_point(f, host, &c, CAROM_PART(CAROM_VERTEX, i), guest->vertex + 3 * i, guest->radius);
    }
}

/* ---- two edges ---- */
/* Can an edge touch with this gap and outward normal? The normal must lie within its Gauss arc, give or take what a
 * motion of reach may change; and deeper than half of its faces are wide, it is not this edge that touches. */
bool carom_edge_fits(const carom_finder *f, const carom_edge *e, const double *normal, double gap)
{
    for (int k = 0; k < 2 && e->face[k] >= 0; k++)
        if (dot3(normal, e->inward[k]) > CAROM_MIN(2 * f->reach / e->width[k] + tie, CAROM_SLACK_ANGLE) ||
            -gap > e->width[k] / 2)
            return false;
    return true;
}

static bool acute(const carom_edge *e)
{
    return e->face[0] >= 0 && dot3(e->inward[0], e->inward[1]) > tie;
}

static bool in_arc(const carom_edge *e, const double *normal) /* now, whatever may move */
{
    return e->face[0] < 0 || (dot3(normal, e->inward[0]) <= tie && dot3(normal, e->inward[1]) <= tie);
}

/* A negative gap is one only if the foot on the other shape lies inside: two edges of shapes that another direction
 * separates may well pass each other. x: in the axes of shape k, e: its edge. Below an acute edge the way back along a
 * normal of its arc may lead out through one of its faces: there overlap() alone decides. */
bool carom_foot_fits(const carom_finder *f, int k, const carom_edge *e, const double *x, double gap)
{
    const carom_shape *s = f->at[k].shape;
    return gap >= 0 || s->nface == 0 || acute(e) ||
           carom_highest_side(s, x).distance <=
               tie * f->size - gap * CAROM_MIN(2 * f->reach / f->size, CAROM_SLACK_ANGLE);
}

double carom_edge_outward(const carom_edge *e, const double *normal) /* positive: outward; 0: it has no faces */
{
    return e->face[0] < 0 ? 0 : -dot3(e->inward[0], normal) - dot3(e->inward[1], normal);
}

typedef struct crossing { /* of an edge of each shape, in the axes of the first */
    double x[3], direction[3], n[3], back[3]; /* from edge to edge; the second's; n: outward of the first; -n there */
    double sign, sine, gap;
} crossing;

static bool cross_edges(const carom_finder *f, int i, int j, crossing *c)
{
    const carom_shape *A = f->at[0].shape, *B = f->at[1].shape;
    const carom_edge *a = &A->edge[i], *b = &B->edge[j];
    carom_find_turn(f, 1, b->direction, c->direction);
    cross3(a->direction, c->direction, c->n);
    c->sine = unit3(c->n);
    if (c->sine <= CAROM_PARALLEL)
        return false;
    sub3(f->there[1] + 3 * b->vertex[0], A->vertex + 3 * a->vertex[0], c->x);
    return true;
}

static void orient(const carom_finder *f, int i, int j, crossing *c)
{
    const carom_shape *A = f->at[0].shape, *B = f->at[1].shape;
    const carom_edge *a = &A->edge[i], *b = &B->edge[j];
    carom_find_turn(f, 0, c->n, c->back);
    double out = carom_edge_outward(a, c->n) - carom_edge_outward(b, c->back);
    c->sign = out < 0 || (out == 0 && dot3(c->n, c->x) < 0) ? -1 : 1;
    for (int k = 0; k < 3; k++)
        c->n[k] *= c->sign, c->back[k] *= -c->sign;
    c->gap = dot3(c->n, c->x) - A->radius - B->radius;
}

static void edge_edge(carom_finder *f, int i, int j)
{
    const carom_shape *A = f->at[0].shape, *B = f->at[1].shape;
    const carom_edge *a = &A->edge[i], *b = &B->edge[j];
    const double *p = A->vertex + 3 * a->vertex[0];
    double foot[3], feet[2][3];
    crossing c;
    if (!cross_edges(f, i, j, &c))
        return;
    double ab = dot3(a->direction, c.direction), ax = dot3(a->direction, c.x), bx = dot3(c.direction, c.x);
    double at_a = (ax - ab * bx) / (c.sine * c.sine), at_b = (ab * ax - bx) / (c.sine * c.sine);
    double slack = f->exact ? 2 * f->reach / c.sine : 0;
    if (!(at_a > -slack && at_a < a->length + slack && at_b > -slack && at_b < b->length + slack))
        return;
    orient(f, i, j, &c);
    if (c.gap > f->reach || !carom_edge_fits(f, a, c.n, c.gap) || !carom_edge_fits(f, b, c.back, c.gap))
        return;
    add3(p, at_a, a->direction, foot), add3(foot, A->radius, c.n, foot);
    add3(foot, c.gap, c.n, feet[1]);
    carom_find_there(f, 0, foot, feet[0]);
    if (!carom_foot_fits(f, 0, a, feet[1], c.gap) || !carom_foot_fits(f, 1, b, feet[0], c.gap))
        return;
    carom_touch *t = carom_find_emit(f, 0, CAROM_LINE_LINE, CAROM_PART(CAROM_EDGE, i), CAROM_PART(CAROM_EDGE, j), c.n,
                                     foot, c.gap);
    t->sign = c.sign;
    carom_feature_line(t->a, p, a->direction, A->radius);
    carom_feature_line(t->b, B->vertex + 3 * b->vertex[0], b->direction, B->radius);
}

/* The largest gap of two edges that bound both shapes across their normal, wherever they cross. */
static double edges_apart(const carom_finder *f)
{
    double most = -INFINITY;
    crossing c;
    for (int i = 0; i < f->at[0].shape->nedge; i++)
        for (int j = 0; j < f->at[1].shape->nedge; j++) {
            if (!cross_edges(f, i, j, &c))
                continue;
            orient(f, i, j, &c);
            if (c.gap > most && in_arc(&f->at[0].shape->edge[i], c.n) && in_arc(&f->at[1].shape->edge[j], c.back))
                most = c.gap;
        }
    return most;
}

/* Marks the edges of one shape that come near the other's box, in the other's axes. */
static void near_edges(const carom_finder *f, int of, bool *near)
{
    const carom_shape *s = f->at[of].shape, *other = f->at[!of].shape;
    double low[3], high[3], margin = f->reach + s->radius + other->radius;
    for (int k = 0; k < 3; k++) {
        low[k] = INFINITY, high[k] = -INFINITY;
        for (int i = 0; i < other->nvertex; i++) {
            double x = other->vertex[3 * i + k];
            low[k] = CAROM_MIN(low[k], x), high[k] = CAROM_MAX(high[k], x);
        }
    }
    for (int i = 0; i < s->nedge; i++) {
        const double *x = f->there[of] + 3 * s->edge[i].vertex[0], *y = f->there[of] + 3 * s->edge[i].vertex[1];
        near[i] = true;
        for (int k = 0; k < 3; k++)
            near[i] = near[i] && CAROM_MIN(x[k], y[k]) <= high[k] + margin && CAROM_MAX(x[k], y[k]) >= low[k] - margin;
    }
}

void carom_find_edges(carom_finder *f)
{
    bool near[2][3 * CAROM_MOST_CORNERS];
    near_edges(f, 0, near[0]), near_edges(f, 1, near[1]);
    for (int i = 0; i < f->at[0].shape->nedge; i++)
        for (int j = 0; j < f->at[1].shape->nedge && near[0][i]; j++)
            if (near[1][j])
                edge_edge(f, i, j);
}

/* ---- pairs ---- */
void carom_find_turn(const carom_finder *f, int from, const double *x, double *y)
{
    turn3(f->at[from].pose->R, x, y);
    turn_back3(f->at[!from].pose->R, y, y);
}

void carom_find_there(const carom_finder *f, int from, const double *x, double *y)
{
    place3(f->at[from].pose, x, y);
    place_back3(f->at[!from].pose, y, y);
}

/* How far a touch is inside its features. */
static double inside_of(const carom_finder *f, const carom_touch *t)
{
    bool swapped = t->body[0] != f->at[0].body;
    return carom_touch_within(t, f->at[swapped].shape, f->at[!swapped].shape, f->at[swapped].pose,
                              f->at[!swapped].pose);
}

/* An arc, or the side of a capsule: where it ends its corner or its end goes on, with the same gap and normal. */
static bool goes_on(const carom_finder *f, const carom_touch *t)
{
    bool swapped = t->body[0] != f->at[0].body, lines = t->kernel == CAROM_LINE_LINE;
    return carom_touch_is_arc(t) || ((lines || t->kernel == CAROM_LINE_CIRCLE) &&
                         f->at[swapped].shape->kind == CAROM_SHAPE_CAPSULE) ||
           (lines && f->at[!swapped].shape->kind == CAROM_SHAPE_CAPSULE);
}

/* Touches at the same place with the same normal are one: the first stays, unless it is outside its features, as one of
 * two corners that meet. Where margins count, corners that have yet to meet are two: either may come by the end of its
 * side before it touches, and then it is the other one that does; and so are an arc and its corner where the one is to
 * take over from the other. */
static void merge(carom_finder *f)
{
    int stored = CAROM_MIN(f->n, f->most), kept = 0;
    for (int i = 0; i < stored; i++) {
        bool same = false, apart = f->exact && f->list[i].gap > coincident * f->size;
        for (int j = 0; j < kept && !same && !apart; j++) {
            double d[3], along = dot3(f->list[i].normal, f->list[j].normal);
            sub3(f->list[i].point, f->list[j].point, d);
            same = norm3(d) <= coincident * f->size &&
                   !(f->exact && goes_on(f, &f->list[i]) != goes_on(f, &f->list[j])) &&
                   (f->list[i].body[0] == f->list[j].body[0] ? along : -along) > 1 - 1e-6;
            if (same && f->exact && inside_of(f, &f->list[j]) < -CAROM_OUTSIDE * f->size)
                f->list[j] = f->list[i];
        }
        if (!same && kept++ < i)
            f->list[kept - 1] = f->list[i];
    }
    f->n -= stored - kept;
}

static bool apart(const carom_finder *f, int host) /* a face of the host separates the two by more than reach */
{
    const carom_shape *s = f->at[host].shape, *guest = f->at[!host].shape;
    if (guest->nvertex == 0 || guest->kind == CAROM_SHAPE_RING) /* whose arc is farther out than its corners */
        return false;
    for (int i = 0; i < s->nface && s->kind == CAROM_SHAPE_POLYTOPE; i++) {
        double least = INFINITY;
        for (int k = 0; k < guest->nvertex; k++)
            least = CAROM_MIN(least, dot3(s->face[i].normal, f->there[!host] + 3 * k) - s->face[i].offset);
        if (least - guest->radius > f->reach)
            return true;
    }
    return false;
}

static bool made_of_vertices(const carom_shape *s)
{
    return s->kind != CAROM_SHAPE_CYLINDER && s->kind != CAROM_SHAPE_ELLIPSOID && s->kind != CAROM_SHAPE_RING;
}

/* How deep the shapes are in each other at most, as far as is known; bodies with rims know it roughly. */
static double overlap(const carom_finder *f)
{
    double radii = 0, normal[3], depth;
    for (int k = 0; k < 2; k++)
        radii += f->at[k].shape->kind == CAROM_SHAPE_CYLINDER ? 0 : f->at[k].shape->radius;
    if (!made_of_vertices(f->at[0].shape) || !made_of_vertices(f->at[1].shape))
        return CAROM_MAX(carom_pair_depth(f->at[0], f->at[1], normal), CAROM_MAX(CAROM_SHALLOW * f->size, radii));
    depth = CAROM_MIN(radii - held_off(f, 0), radii - held_off(f, 1));
    return CAROM_MAX(CAROM_MIN(depth, -edges_apart(f)), 0);
}

static bool between_edges(const carom_touch *t)
{
    return t->kernel == CAROM_LINE_LINE || t->kernel == CAROM_LINE_CIRCLE || t->kernel == CAROM_CIRCLE_CIRCLE;
}

/* Two edges that are twice as deep in each other as the shapes do not touch, though their arcs hold the normal give or
 * take what may move: another direction leads out, and they would hold what is free. */
static void drop_deep_edges(carom_finder *f)
{
    double least = 0;
    int stored = CAROM_MIN(f->n, f->most), kept = 0;
    for (int i = 0; i < stored; i++)
        least = between_edges(&f->list[i]) ? CAROM_MIN(least, f->list[i].gap) : least;
    if (least >= -coincident * f->size)
        return;
    double limit = -2 * overlap(f) - coincident * f->size;
    for (int i = 0; i < stored && least < limit; i++)
        if ((!between_edges(&f->list[i]) || f->list[i].gap >= limit) && kept++ < i)
            f->list[kept - 1] = f->list[i];
    f->n -= least < limit ? stored - kept : 0;
}

/* Those that are at the other shape already and touch beyond an end of their features. But what takes over there has a
 * gap of 0 before: well beyond its end it stays, as far away as that. */
static void drop_outside(carom_finder *f)
{
    int stored = CAROM_MIN(f->n, f->most), kept = 0;
    for (int i = 0; i < stored; i++) {
        carom_touch *t = &f->list[i];
        double in = t->gap <= coincident * f->size ? inside_of(f, t) : 0;
        bool ahead = goes_on(f, t) && in < -coincident * f->size;
        if (ahead)
            t->gap = -in;
        if ((ahead || in >= -carom_touch_allowed(t) * f->size) && kept++ < i)
            f->list[kept - 1] = *t;
    }
    f->n -= stored - kept;
}

static carom_status find(carom_posed first, carom_posed second, double reach, bool exact, carom_touch *list, int most,
                         int *found, carom_error *error)
{
    carom_finder f = {.at = {first, second}, .reach = reach, .exact = exact, .list = list, .most = most};
    f.size = CAROM_MIN(first.shape->extent, second.shape->extent);
    *found = 0;
    if (!isfinite(f.size))
        return CAROM_OK; /* two planes */
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < f.at[k].shape->nvertex; i++) {
            double x[3];
            place3(f.at[k].pose, f.at[k].shape->vertex + 3 * i, x);
            place_back3(f.at[!k].pose, x, f.there[k] + 3 * i);
        }
    if (apart(&f, 0) || apart(&f, 1))
        return CAROM_OK;
    if (made_of_vertices(first.shape) && made_of_vertices(second.shape)) {
        for (int host = 0; host < 2; host++)
            carom_find_vertices(&f, host);
        if (!first.shape->planar)
            carom_find_edges(&f);
    } else {
        CAROM_TRY(carom_find_round(&f, error));
    }
    *found = f.n;
    if (f.n > most) /* some are not in the list: whoever asks makes room for that many */
        return CAROM_OK;
    drop_deep_edges(&f);
    if (exact)
        drop_outside(&f);
    merge(&f);
    *found = f.n;
    return CAROM_OK;
}

carom_status carom_pair_find(carom_posed first, carom_posed second, double reach, carom_touch *list, int most,
                             int *found, carom_error *error)
{
    return find(first, second, reach, false, list, most, found, error);
}

carom_status carom_pair_find_exact(carom_posed first, carom_posed second, double reach, carom_touch *list, int most,
                                   int *found, carom_error *error)
{
    return find(first, second, reach, true, list, most, found, error);
}

