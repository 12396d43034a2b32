/* shape.c: vertices, edges and faces of a shape in body axes, and the box around it.
 *
 * All shapes but the ring, the cylinder and the ellipsoid are a convex core, a point, a segment or a polytope, with a
 * radius around it. A hull is found by brute force, plane by plane: corners are few, and it is done once. */
#include <string.h>

#include "geometry/vector.h"


static const double flatness = 1e-9; /* of the size: corners this close to a plane lie in it */

typedef struct builder {
    carom_arena *arena;
    carom_shape *shape;
    carom_error *error;
    double scale; /* the size of the shape */
    bool complete; /* no allocation failed */
} builder;

static void *get(builder *b, size_t bytes)
{
    void *p = carom_arena_alloc(b->arena, bytes);
    b->complete = b->complete && p;
    return p;
}

static carom_status no_memory(builder *b)
{
    return carom_fail(b->error, CAROM_NO_MEMORY, "shape: out of memory");
}

/* ---- faces and edges of a polytope ---- */
/* Vertices in the plane of the face, counterclockwise seen from outside; false if one is no corner. */
static bool order_corners(const carom_shape *s, carom_face *face, int *corner, int *culprit)
{
    double centre[3] = {0, 0, 0}, e[3], f[3], angle[CAROM_MOST_CORNERS];
    for (int i = 0; i < face->corners; i++)
        add3(centre, 1.0 / face->corners, s->vertex + 3 * corner[i], centre);
    across3(face->normal, e);
    cross3(face->normal, e, f);
    for (int i = 0; i < face->corners; i++) {
        double d[3], here;
        int j = i, vertex = corner[i];
        sub3(s->vertex + 3 * vertex, centre, d);
        here = atan2(dot3(d, f), dot3(d, e));
        for (; j > 0 && angle[j - 1] > here; j--)
            angle[j] = angle[j - 1], corner[j] = corner[j - 1];
        angle[j] = here, corner[j] = vertex;
    }
    for (int i = 0; i < face->corners; i++) {
        double *x = s->vertex + 3 * corner[i], *y = s->vertex + 3 * corner[(i + 1) % face->corners],
               *z = s->vertex + 3 * corner[(i + 2) % face->corners], a[3], b[3], c[3];
        sub3(y, x, a), sub3(z, y, b), cross3(a, b, c);
        *culprit = corner[(i + 1) % face->corners];
        if (!(dot3(c, face->normal) > flatness * norm3(a) * norm3(b)))
            return false;
    }
    return true;
}

static int find_edge(const carom_shape *s, int a, int b)
{
    for (int i = 0; i < s->nedge; i++)
        if (s->edge[i].vertex[0] == CAROM_MIN(a, b) && s->edge[i].vertex[1] == CAROM_MAX(a, b))
            return i;
    return -1;
}

static void add_edge(carom_shape *s, int face, int a, int b)
{
    int i = find_edge(s, a, b), side = i >= 0;
    if (i < 0) {
        carom_edge *e = &s->edge[i = s->nedge++];
        e->vertex[0] = CAROM_MIN(a, b), e->vertex[1] = CAROM_MAX(a, b), e->face[1] = -1;
        sub3(s->vertex + 3 * e->vertex[1], s->vertex + 3 * e->vertex[0], e->direction);
        e->length = unit3(e->direction);
    }
    carom_edge *e = &s->edge[i];
    const carom_face *f = &s->face[face];
    e->face[side] = face;
    cross3(f->normal, e->direction, e->inward[side]); /* to one side of the edge or the other */
    for (int k = 0; k < f->corners; k++) {
        double d[3], far;
        sub3(s->vertex + 3 * s->corner[f->first + k], s->vertex + 3 * a, d);
        far = dot3(d, e->inward[side]);
        if (fabs(far) > fabs(e->width[side]))
            e->width[side] = far;
    }
    for (int k = 0; k < 3 && e->width[side] < 0; k++)
        e->inward[side][k] = -e->inward[side][k];
    e->width[side] = fabs(e->width[side]);
}

static void add_neighbours(builder *b)
{
    carom_shape *s = b->shape;
    s->first_neighbour = get(b, sizeof(int) * (size_t)(s->nvertex + 1));
    s->neighbour = get(b, sizeof(int) * 2 * (size_t)(s->nedge + s->nface));
    for (int i = 0, n = 0; b->complete && i < s->nvertex; i++) {
        s->first_neighbour[i] = n;
        for (int k = 0; k < (s->planar ? s->nface : s->nedge); k++) {
            const int *ends = s->planar ? s->corner + s->face[k].first : s->edge[k].vertex;
            if (ends[0] == i || ends[1] == i)
                s->neighbour[n++] = ends[ends[0] == i];
        }
        s->first_neighbour[i + 1] = n;
    }
}

static bool has_face(const carom_shape *s, const int *corner)
{
    for (int f = 0; f < s->nface; f++) {
        int found = 0;
        for (int i = 0; i < s->face[f].corners; i++)
            for (int k = 0; k < 3; k++)
                found += s->corner[s->face[f].first + i] == corner[k];
        if (found == 3)
            return true;
    }
    return false;
}

/* The face through three vertices, if all others lie behind it. */
static carom_status try_face(builder *b, const int *three, int *used)
{
    carom_shape *s = b->shape;
    carom_face *f = &s->face[s->nface];
    const double *x = s->vertex + 3 * three[0];
    double a[3], c[3], low = 0, high = 0;
    int culprit;
    sub3(s->vertex + 3 * three[1], x, a), sub3(s->vertex + 3 * three[2], x, c);
    cross3(a, c, f->normal);
    if (norm3(f->normal) <= flatness * norm3(a) * norm3(c) || has_face(s, three))
        return CAROM_OK;
    unit3(f->normal);
    f->first = *used, f->corners = 0;
    for (int i = 0; i < s->nvertex; i++) {
        double d[3], far;
        sub3(s->vertex + 3 * i, x, d);
        far = dot3(d, f->normal);
        low = CAROM_MIN(low, far), high = CAROM_MAX(high, far);
        if (fabs(far) <= flatness * b->scale)
            s->corner[f->first + f->corners++] = i;
    }
    if (CAROM_MIN(-low, high) > flatness * b->scale)
        return CAROM_OK;
    if (CAROM_MAX(-low, high) <= flatness * b->scale)
        CAROM_FAIL(b->error, CAROM_BAD_MODEL, "polyhedron: all %d corners lie in one plane", s->nvertex);
    for (int k = 0; k < 3 && high > -low; k++)
        f->normal[k] = -f->normal[k];
    f->offset = dot3(f->normal, x);
    if (!order_corners(s, f, s->corner + f->first, &culprit))
        CAROM_FAIL(b->error, CAROM_BAD_MODEL, "polyhedron: corner %d is no corner of the convex hull", culprit + 1);
    *used += f->corners;
    s->nface++;
    return CAROM_OK;
}

static carom_status hull(builder *b)
{
    carom_shape *s = b->shape;
    int n = s->nvertex, used = 0;
    if (n < 4 || n > CAROM_MOST_CORNERS)
        CAROM_FAIL(b->error, CAROM_BAD_MODEL, "polyhedron: %d corners, but 4 to %d are possible", n,
                   CAROM_MOST_CORNERS);
    s->face = get(b, sizeof *s->face * (size_t)(2 * n)); /* Euler: at most 2 n - 4 faces, 3 n - 6 edges */
    s->corner = get(b, sizeof *s->corner * (size_t)(7 * n));
    s->edge = get(b, sizeof *s->edge * (size_t)(3 * n));
    if (!b->complete)
        return no_memory(b);
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            for (int k = j + 1; k < n; k++)
                CAROM_TRY(try_face(b, (const int[]){i, j, k}, &used));
    for (int f = 0; f < s->nface; f++)
        for (int k = 0; k < s->face[f].corners; k++)
            add_edge(s, f, s->corner[s->face[f].first + k],
                     s->corner[s->face[f].first + (k + 1) % s->face[f].corners]);
    add_neighbours(b);
    if (!b->complete)
        return no_memory(b);
    for (int i = 0; i < n; i++)
        if (s->first_neighbour[i] == s->first_neighbour[i + 1])
            CAROM_FAIL(b->error, CAROM_BAD_MODEL, "polyhedron: corner %d lies inside the convex hull", i + 1);
    return CAROM_OK;
}

static double turn_of(const double *x, const double *y, const double *z) /* > 0: x, y, z turn to the left */
{
    return (y[0] - x[0]) * (z[1] - x[1]) - (y[1] - x[1]) * (z[0] - x[0]);
}

static bool sides_cross(const double *vertex, int n)
{
    for (int i = 0; i < n; i++)
        for (int k = i + 2; k < n; k++) {
            const double *a = vertex + 3 * i, *b = vertex + 3 * (i + 1), *c = vertex + 3 * k;
            const double *d = vertex + 3 * ((k + 1) % n);
            if (turn_of(a, b, c) * turn_of(a, b, d) < 0 && turn_of(c, d, a) * turn_of(c, d, b) < 0)
                return true;
        }
    return false;
}

static carom_status polygon(builder *b) /* vertices in order, either way round */
{
    carom_shape *s = b->shape;
    int n = s->nvertex;
    double turns = 0;
    if (n < 3 || n > CAROM_MOST_CORNERS)
        CAROM_FAIL(b->error, CAROM_BAD_MODEL, "polygon: %d corners, but 3 to %d are possible", n, CAROM_MOST_CORNERS);
    s->face = get(b, sizeof *s->face * (size_t)n);
    s->corner = get(b, sizeof *s->corner * 2 * (size_t)n);
    if (!b->complete)
        return no_memory(b);
    double first[2] = {s->vertex[3] - s->vertex[0], s->vertex[4] - s->vertex[1]};
    double second[2] = {s->vertex[6] - s->vertex[3], s->vertex[7] - s->vertex[4]};
    double way = first[0] * second[1] - first[1] * second[0] > 0 ? 1 : -1;
    for (int i = 0; i < n; i++) {
        int j = (i + 1) % n, k = (i + 2) % n;
        double a[3], c[3];
        sub3(s->vertex + 3 * j, s->vertex + 3 * i, a), sub3(s->vertex + 3 * k, s->vertex + 3 * j, c);
        double sine = way * (a[0] * c[1] - a[1] * c[0]);
        bool convex = sine > flatness * norm3(a) * norm3(c);
        if (!convex && sides_cross(s->vertex, n))
            CAROM_FAIL(b->error, CAROM_BAD_MODEL, "polygon: its sides cross each other");
        if (!convex && fabs(sine) <= flatness * norm3(a) * norm3(c))
            CAROM_FAIL(b->error, CAROM_BAD_MODEL, "polygon: corners %d, %d and %d lie on a line", i + 1, j + 1, k + 1);
        if (!convex)
            CAROM_FAIL(b->error, CAROM_BAD_MODEL, "polygon: it is not convex at corner %d", j + 1);
        turns += atan2(sine, dot3(a, c));
        carom_face *f = &s->face[s->nface];
        *f = (carom_face){.normal = {way * a[1], -way * a[0], 0}, .first = 2 * i, .corners = 2};
        unit3(f->normal);
        f->offset = dot3(f->normal, s->vertex + 3 * i);
        s->corner[2 * i] = way > 0 ? i : j, s->corner[2 * i + 1] = way > 0 ? j : i;
        s->nface++;
    }
    if (turns > 7)
        CAROM_FAIL(b->error, CAROM_BAD_MODEL, "polygon: its sides cross each other");
    add_neighbours(b);
    return b->complete ? CAROM_OK : no_memory(b);
}

/* ---- kinds ---- */
static double *vertices(builder *b, int n)
{
    b->shape->nvertex = n;
    return b->shape->vertex = get(b, sizeof(double) * 3 * (size_t)n);
}

static carom_status segment(builder *b, double length) /* the core of a capsule */
{
    carom_shape *s = b->shape;
    double *v = vertices(b, 2);
    s->edge = get(b, sizeof *s->edge);
    if (!b->complete)
        return no_memory(b);
    v[0] = -length / 2, v[3] = length / 2;
    place3(&s->place, v, v), place3(&s->place, v + 3, v + 3);
    s->nedge = 1;
    *s->edge = (carom_edge){.vertex = {0, 1}, .face = {-1, -1}, .length = length};
    turn3(s->place.R, (const double[]){1, 0, 0}, s->edge->direction);
    add_neighbours(b);
    return b->complete ? CAROM_OK : no_memory(b);
}

static carom_status cylinder(builder *b) /* its axis as an edge, its caps as faces without corners */
{
    carom_shape *s = b->shape;
    double length = s->size[0], *v = vertices(b, 2), up[3];
    s->edge = get(b, sizeof *s->edge);
    s->face = get(b, 2 * sizeof *s->face);
    add_neighbours(b);
    if (!b->complete)
        return no_memory(b);
    s->nedge = 1, s->nface = 2;
    turn3(s->place.R, (const double[]){0, 0, 1}, up);
    *s->edge = (carom_edge){.vertex = {0, 1}, .face = {-1, -1}, .length = length};
    copy3(up, s->edge->direction);
    for (int i = 0; i < 2; i++) {
        double sign = i ? 1 : -1;
        add3(s->place.r, sign * length / 2, up, v + 3 * i);
        for (int k = 0; k < 3; k++)
            s->face[i].normal[k] = sign * up[k];
        s->face[i].offset = dot3(s->face[i].normal, v + 3 * i);
    }
    return CAROM_OK;
}

static carom_status polytope(builder *b, const carom_shape_spec *spec)
{
    carom_shape *s = b->shape;
    int dim = s->planar ? 2 : 3, n = spec->kind == CAROM_SHAPE_POLYTOPE ? spec->corners : s->planar ? 4 : 8;
    double *v = vertices(b, n);
    if (!b->complete)
        return no_memory(b);
    for (int i = 0; i < n; i++) {
        int corner = s->planar ? i ^ i >> 1 : i; /* of a rectangle in order */
        for (int k = 0; k < dim; k++)
            v[3 * i + k] = spec->kind == CAROM_SHAPE_POLYTOPE ? spec->corner[dim * i + k]
                                                              : spec->size[k] * ((corner >> k & 1) - 0.5);
        if (spec->kind == CAROM_SHAPE_RING) {
            double r = spec->size[i == 1 || i == 2], angle = spec->size[i < 2 ? 2 : 3];
            v[3 * i] = r * cos(angle), v[3 * i + 1] = r * sin(angle);
        }
        place3(&s->place, v + 3 * i, v + 3 * i);
    }
    for (int i = 0; i < 3 * n; i++)
        b->scale = CAROM_MAX(b->scale, fabs(v[i] - v[i % 3]));
    s->kind = spec->kind == CAROM_SHAPE_RING && !spec->flat ? CAROM_SHAPE_RING : CAROM_SHAPE_POLYTOPE;
    return s->planar ? polygon(b) : hull(b);
}

static carom_status plane(builder *b, const carom_shape_spec *spec)
{
    carom_shape *s = b->shape;
    s->face = get(b, sizeof *s->face);
    if (!b->complete)
        return no_memory(b);
    double n[3] = {spec->size[0], spec->size[1], s->planar ? 0 : spec->size[2]};
    if (!(unit3(n) > 0))
        CAROM_FAIL(b->error, CAROM_BAD_MODEL, "plane: its normal has no direction");
    turn3(s->place.R, n, s->face->normal);
    s->face->offset = dot3(s->face->normal, s->place.r);
    s->nface = 1;
    return CAROM_OK;
}

static carom_status check(const carom_shape_spec *spec, carom_error *error)
{
    static const struct {
        const char *name;
        int positive[2]; /* how many sizes must be, in the plane and in space; -1: no such shape */
    } kinds[] = {{"point", {0, 0}},   {"plane", {0, 0}}, {"ball", {1, 1}},      {"capsule", {2, 2}},  {"box", {2, 3}},
                 {"polytope", {0, 0}}, {"ring", {2, -1}}, {"cylinder", {-1, 2}}, {"ellipsoid", {-1, 3}}};
    const char *name = kinds[spec->kind].name;
    int positive = kinds[spec->kind].positive[!spec->planar];
    if (positive < 0)
        CAROM_FAIL(error, CAROM_BAD_MODEL, "%s: there is none in %s", name, spec->planar ? "the plane" : "space");
    for (int i = 0; i < 4; i++)
        if (!isfinite(spec->size[i]) || (i < positive && !(spec->size[i] > 0)))
            CAROM_FAIL(error, CAROM_BAD_MODEL, "%s: size %d is %g, but must be %s", name, i + 1,
                       carom_unsigned_nan(spec->size[i]),
                       i < positive && !isinf(spec->size[i]) ? "positive" : "finite");
    for (int i = 0; i < spec->corners * (spec->planar ? 2 : 3); i++)
        if (!isfinite(spec->corner[i]))
            CAROM_FAIL(error, CAROM_BAD_MODEL, "%s: corner %d is not finite", name, 1 + i / (spec->planar ? 2 : 3));
    if (spec->kind == CAROM_SHAPE_RING && !(spec->size[1] > spec->size[0]))
        CAROM_FAIL(error, CAROM_BAD_MODEL, "ring: the outer radius %g is not larger than the inner one, %g",
                   spec->size[1], spec->size[0]);
    double angle = spec->size[3] - spec->size[2];
    if (spec->kind == CAROM_SHAPE_RING && !(angle > 0 && angle < 3.14159))
        CAROM_FAIL(error, CAROM_BAD_MODEL, "ring: from %g to %g is not an angle of more than 0 and less than pi",
                   spec->size[2], spec->size[3]);
    return CAROM_OK;
}

static void set_extent(carom_shape *s)
{
    s->extent = s->kind == CAROM_SHAPE_PLANE ? INFINITY : 0;
    for (int i = 0; i < s->nvertex; i++)
        s->extent = CAROM_MAX(s->extent, norm3(s->vertex + 3 * i) + s->radius);
    double reach = s->kind == CAROM_SHAPE_RING       ? s->size[1]
                   : s->kind == CAROM_SHAPE_CYLINDER ? hypot(s->size[0] / 2, s->size[1])
                   : s->kind == CAROM_SHAPE_ELLIPSOID
                       ? CAROM_MAX(s->size[0], CAROM_MAX(s->size[1], s->size[2]))
                       : 0;
    if (reach > 0)
        s->extent = norm3(s->place.r) + reach;
}

carom_status carom_shape_new(carom_arena *arena, const carom_shape_spec *spec, carom_shape *shape, carom_error *error)
{
    builder b = {.arena = arena, .shape = shape, .error = error, .complete = true};
    CAROM_TRY(check(spec, error));
    *shape = (carom_shape){.kind = spec->kind, .planar = spec->planar, .place = spec->place};
    memcpy(shape->size, spec->size, sizeof shape->size);
    if (norm3(shape->place.R) == 0)
        shape->place.R[0] = shape->place.R[4] = shape->place.R[8] = 1;
    switch (spec->kind) {
    case CAROM_SHAPE_PLANE:
        CAROM_TRY(plane(&b, spec));
        break;
    case CAROM_SHAPE_CAPSULE:
        shape->radius = spec->size[1];
        CAROM_TRY(segment(&b, spec->size[0]));
        break;
    case CAROM_SHAPE_POINT:
    case CAROM_SHAPE_BALL:
        shape->radius = spec->kind == CAROM_SHAPE_BALL ? spec->size[0] : 0;
        if (!vertices(&b, 1))
            return no_memory(&b);
        copy3(shape->place.r, shape->vertex);
        add_neighbours(&b);
        break;
    case CAROM_SHAPE_BOX:
    case CAROM_SHAPE_POLYTOPE:
    case CAROM_SHAPE_RING:
        CAROM_TRY(polytope(&b, spec));
        break;
    case CAROM_SHAPE_CYLINDER:
        shape->radius = spec->size[1];
        CAROM_TRY(cylinder(&b));
        break;
    default: /* an ellipsoid: place and size say all */
        break;
    }
    set_extent(shape);
    carom_shape_mass(shape, spec);
    return b.complete ? CAROM_OK : no_memory(&b);
}

double carom_shape_thickness(const carom_shape *s)
{
    double least = INFINITY;
    switch (s->kind) {
    case CAROM_SHAPE_PLANE: return INFINITY;
    case CAROM_SHAPE_RING: return s->size[1] - s->size[0];
    case CAROM_SHAPE_CYLINDER: return CAROM_MIN(s->size[0], 2 * s->size[1]);
    case CAROM_SHAPE_ELLIPSOID: return 2 * CAROM_MIN(s->size[0], CAROM_MIN(s->size[1], s->size[2]));
    case CAROM_SHAPE_BOX:
    case CAROM_SHAPE_POLYTOPE: break;
    default: return 2 * s->radius;
    }
    for (int i = 0; i < s->nface; i++) { /* from the face to the vertex farthest behind it */
        double width = 0;
        for (int k = 0; k < s->nvertex; k++)
            width = CAROM_MAX(width, s->face[i].offset - dot3(s->face[i].normal, s->vertex + 3 * k));
        least = CAROM_MIN(least, width);
    }
    return least;
}

void carom_shape_bounds(const carom_shape *s, const carom_pose *pose, double reach, double *low, double *high)
{
    double centre[3], R[9];
    for (int k = 0; k < 3; k++)
        low[k] = INFINITY, high[k] = -INFINITY;
    for (int i = 0; i < s->nvertex; i++) {
        double x[3];
        place3(pose, s->vertex + 3 * i, x);
        for (int k = 0; k < 3; k++)
            low[k] = CAROM_MIN(low[k], x[k] - s->radius), high[k] = CAROM_MAX(high[k], x[k] + s->radius);
    }
    place3(pose, s->place.r, centre);
    for (int i = 0; i < 9; i++)
        R[i] = pose->R[i / 3 * 3] * s->place.R[i % 3] + pose->R[i / 3 * 3 + 1] * s->place.R[3 + i % 3] +
               pose->R[i / 3 * 3 + 2] * s->place.R[6 + i % 3];
    for (int k = 0; k < 3; k++) {
        double half = -1, *row = R + 3 * k;
        if (s->kind == CAROM_SHAPE_CYLINDER) /* the axis, and the disc across it */
            half = s->size[0] / 2 * fabs(row[2]) + s->size[1] * hypot(row[0], row[1]);
        else if (s->kind == CAROM_SHAPE_ELLIPSOID)
            half = sqrt(pow(s->size[0] * row[0], 2) + pow(s->size[1] * row[1], 2) + pow(s->size[2] * row[2], 2));
        else if (s->kind == CAROM_SHAPE_RING) /* the whole disc */
            half = k < 2 ? s->size[1] : 0;
        else if (s->kind == CAROM_SHAPE_PLANE)
            half = INFINITY;
        if (half >= 0)
            low[k] = centre[k] - half, high[k] = centre[k] + half;
        low[k] -= reach, high[k] += reach;
    }
}
