/* gaps.c: the contacts of pairs of shapes as expressions: gap and slip of every vertex of one against the other.
 *
 * A vertex (with a radius r where it is round) at x touches a target of the other body:
 *   face       n . x - o - r                                                                              (1)
 *   polytope   the largest of (1) over its faces, r = 0; zero exactly on the boundary                     (2)
 *   nearest    |x - c| - r - r', c the nearest point of a point, segment, polygon or box                  (3)
 *   ellipsoid  on a plane: n . x - o - h,  h^2 = sum (a_i n . axis_i)^2,                                  (4)
 *              at the point x - sum a_i^2 (n . axis_i) axis_i/h
 * The slip is the velocity of the vertex's body at the point of contact (of two balls: halfway between them, as one
 * of them may have come into the other) against that of the target's, along
 *   t = (n_y, -n_x) in the plane, two directions fixed to the target in space.                            (5)
 * Where n turns, they are the axes e_i, e_j that the shortest turn from the axis e, near n at the start, to n takes
 * along: they are two wherever n points, but for n = -e, where any will do:
 *   t = e_i - n_i/(1 + n . e) (n + e)                                                                     (5')
 * Where there are many pairs, those that are far apart at the start are only watched: the run stops when the circles
 * (spheres) around two of them meet.
 * In (2) a face that the vertex's neighbours lie behind at the start is not one it could land on: where the vertex lies
 * on its plane and touches it counts only from TIE beyond, so that corners which coincide (a brick flush with the one
 * below, stones of an arch) have one meaning. In the plane, a face that they lie behind now cannot be struck by it:
 * within NEAR it gives way to others, so that tips of wedges that meet on a floor do not slide below each other, and it
 * is NEAR farther off, so that what slides off the end of a face passes the corner there.
 * A step of given length pushes such corners into each other, and where two faces meet in a hollow (the inside of an
 * arch) a corner then lies in front of a face that it did not come through: the face counts only where the corner is
 * farther in front of it than behind the one it can land on, or BEYOND of the size behind that.              (6)
 * Two boxes in space have a file of their own: boxes.c. */
#include <math.h>
#include <string.h>

#include "bodies/section.h"

#define BEYOND 0.01
#define NEAR 5e-11 /* of the size: of two faces as far away, the one that no neighbour lies behind; above rounding */
enum {
    MOST = 64,     /* vertices, faces */
    FOLLOWED = 640 /* vertices of pairs up to which all are followed, near or far: 12 boxes, 24 discs */
};

typedef struct side { /* a shape in the frame of its body */
    int body;
    const carom_body_shape *shape;
    const char *name;
    carom_expr radius;
    carom_vector vertex[MOST], normal[MOST];
    carom_expr offset[MOST], size; /* of faces; size: of the shape */
    int vertices, faces;           /* face i of a polygon leads from vertex i to vertex i + 1 */
    bool segment;                  /* its two vertices are the ends of an axis */
} side;

/* ---- shapes ---- */
static carom_vector vec(carom_expr_pool *p, carom_expr x, carom_expr y, carom_expr z)
{
    (void)p;
    return (carom_vector){{x, y, z}};
}

static void add_face(carom_loader *l, side *to, carom_vector normal, carom_vector through)
{
    to->normal[to->faces] = normal;
    to->offset[to->faces++] = carom_v_dot(l->s->pool, normal, through);
}

static void polygon_faces(carom_loader *l, side *to)
{
    carom_expr_pool *p = l->s->pool;
    for (int i = 0; i < to->vertices; i++) {
        carom_vector e = carom_v_sub(p, to->vertex[(i + 1) % to->vertices], to->vertex[i]);
        carom_vector n = vec(p, e.x[1], carom_expr_unary(p, CAROM_OP_NEG, e.x[0]), carom_expr_const(p, 0));
        n = carom_v_scale(p, carom_e_div(p, carom_expr_const(p, 1), carom_v_length(p, e)), n);
        add_face(l, to, n, to->vertex[i]);
    }
}

static carom_status polygon(carom_loader *l, const carom_body_shape *s, side *to)
{
    carom_expr_pool *p = l->s->pool;
    carom_expr zero = carom_expr_const(p, 0), e[2 * CAROM_MOST_CORNERS];
    double at[2 * CAROM_MOST_CORNERS], area = 0;
    for (int i = 0; i < 2 * s->corners; i++)
        e[i] = carom_quantity_expr(l, &s->corner[i]);
    CAROM_TRY(carom_bodies_choices(l, e, 2 * s->corners, at));
    for (int i = 0; i < s->corners; i++) {
        int j = (i + 1) % s->corners;
        area += at[2 * i] * at[2 * j + 1] - at[2 * i + 1] * at[2 * j];
    }
    for (int i = 0; i < s->corners; i++) { /* counterclockwise */
        int k = area > 0 ? i : s->corners - 1 - i;
        to->vertex[to->vertices++] = vec(p, e[2 * k], e[2 * k + 1], zero);
    }
    return CAROM_OK;
}

static void ring(carom_loader *l, const carom_body_shape *s, side *to)
{
    carom_expr_pool *p = l->s->pool;
    const int radius[4] = {0, 1, 1, 0}, angle[4] = {2, 2, 3, 3};
    for (int i = 0; i < 4; i++) {
        carom_expr r = carom_quantity_expr(l, &s->size[radius[i]]), a = carom_quantity_expr(l, &s->size[angle[i]]);
        to->vertex[to->vertices++] = vec(p, carom_e_mul(p, r, carom_expr_unary(p, CAROM_OP_COS, a)),
                                         carom_e_mul(p, r, carom_expr_unary(p, CAROM_OP_SIN, a)),
                                         carom_expr_const(p, 0));
    }
}

static void box(carom_loader *l, const carom_body_shape *s, side *to)
{
    carom_expr_pool *p = l->s->pool;
    bool planar = l->s->bodies->b.planar, endless = false;
    carom_expr half[3] = {0};
    for (int i = 0; i < 3; i++) {
        endless |= isinf(s->size[i].value);
        half[i] = carom_e_scale(p, planar && i == 2 ? 0 : 0.5, carom_quantity_expr(l, &s->size[i]));
    }
    for (int i = 0; i < (planar ? 4 : 8) && !endless; i++) {
        bool right = planar ? i == 1 || i == 2 : i & 1, up = planar ? i >= 2 : i & 2, front = i & 4;
        to->vertex[to->vertices++] =
            vec(p, right ? half[0] : carom_expr_unary(p, CAROM_OP_NEG, half[0]),
                up ? half[1] : carom_expr_unary(p, CAROM_OP_NEG, half[1]),
                planar || front ? half[2] : carom_expr_unary(p, CAROM_OP_NEG, half[2]));
    }
    const int planar_axis[4] = {1, 0, 1, 0}, planar_sign[4] = {-1, 1, 1, -1}; /* in the order of the vertices */
    for (int i = 0; i < (planar ? 4 : 6); i++) {
        int axis = planar ? planar_axis[i] : i / 2, sign = planar ? planar_sign[i] : i % 2 ? 1 : -1;
        if (isinf(s->size[axis].value))
            continue;
        carom_vector n = carom_v_zero(p);
        n.x[axis] = carom_expr_const(p, sign);
        to->normal[to->faces] = n;
        to->offset[to->faces++] = half[axis];
    }
}

static void capsule(carom_loader *l, const carom_body_shape *s, side *to)
{
    carom_expr_pool *p = l->s->pool;
    carom_expr half = carom_e_scale(p, 0.5, carom_quantity_expr(l, &s->size[0])), zero = carom_expr_const(p, 0);
    to->vertex[0] = vec(p, carom_expr_unary(p, CAROM_OP_NEG, half), zero, zero);
    to->vertex[1] = vec(p, half, zero, zero);
    to->vertices = 2;
    to->segment = true;
    to->radius = carom_quantity_expr(l, &s->size[1]);
}

/* From the axes of the shape to those of the body. */
static void to_body(carom_loader *l, const carom_body_shape *s, side *to)
{
    carom_expr_pool *p = l->s->pool;
    carom_matrix R = carom_turns(l, s->turn);
    carom_vector o = carom_quantities(l, s->offset);
    for (int i = 0; i < to->vertices; i++)
        to->vertex[i] = carom_v_add(p, o, carom_m_apply(p, &R, to->vertex[i]));
    for (int i = 0; i < to->faces; i++) {
        to->normal[i] = carom_m_apply(p, &R, to->normal[i]);
        to->offset[i] = carom_e_add(p, to->offset[i], carom_v_dot(p, to->normal[i], o));
    }
}

static carom_status side_of(carom_loader *l, int body, int number, side *to)
{
    carom_expr_pool *p = l->s->pool;
    const carom_body *b = &l->s->bodies->b.body[body];
    const carom_body_shape *s = &b->shape[number];
    *to = (side){.body = body, .shape = s, .radius = carom_expr_const(p, 0), .size = carom_expr_const(p, 0)};
    carom_vector normal = carom_quantities(l, s->size), zero = carom_v_zero(p);
    switch (s->kind) {
    case CAROM_SHAPE_PLANE:
        if (l->s->bodies->b.planar)
            normal.x[2] = zero.x[2];
        normal = carom_v_scale(p, carom_e_div(p, carom_expr_const(p, 1), carom_v_length(p, normal)), normal);
        add_face(l, to, normal, zero);
        break;
    case CAROM_SHAPE_BALL: to->radius = carom_quantity_expr(l, &s->size[0]); /* fall through */
    case CAROM_SHAPE_ELLIPSOID:
    case CAROM_SHAPE_POINT: to->vertex[to->vertices++] = zero; break;
    case CAROM_SHAPE_CAPSULE: capsule(l, s, to); break;
    case CAROM_SHAPE_BOX: box(l, s, to); break;
    case CAROM_SHAPE_POLYTOPE:
        if (l->s->bodies->b.planar)
            CAROM_TRY(polygon(l, s, to));
        else
            for (int i = 0; i < s->corners; i++)
                to->vertex[to->vertices++] = carom_quantities(l, &s->corner[3 * i]);
        break;
    case CAROM_SHAPE_RING: ring(l, s, to); break;
    default: break;
    }
    if (l->s->bodies->b.planar && (s->kind == CAROM_SHAPE_POLYTOPE || s->kind == CAROM_SHAPE_RING))
        polygon_faces(l, to);
    if (to->vertices > 1)
        to->size = carom_v_length(p, carom_v_sub(p, to->vertex[to->vertices / 2], to->vertex[0]));
    to_body(l, s, to);
    to->name = s->name ? carom_arena_format(l->s->arena, "%s.%s", b->name, s->name)
               : b->shapes > 1 && s->kind != CAROM_SHAPE_PLANE
                   ? carom_arena_format(l->s->arena, "%s.shape%d", b->name, number + 1) : b->name;
    return to->name ? CAROM_OK : carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the contacts of bodies");
}

/* ---- gap and slip ---- */
static void tangents(carom_loader *l, carom_vector n, carom_vector *t)
{
    carom_expr_pool *p = l->s->pool;
    t[0] = vec(p, n.x[1], carom_expr_unary(p, CAROM_OP_NEG, n.x[0]), carom_expr_const(p, 0));    /* (5) */
    t[1] = carom_v_zero(p);
}

/* In space: across n; at: n at the start, for a direction that is not along it. */
static carom_status spatial_tangents(carom_loader *l, carom_vector n, const double *at, carom_vector *t)
{
    carom_expr_pool *p = l->s->pool;
    int least = 0;
    for (int i = 1; i < 3; i++)
        least = fabs(at[i]) < fabs(at[least]) ? i : least;
    carom_vector other = carom_v_zero(p);
    other.x[least] = carom_expr_const(p, 1);
    t[0] = carom_v_cross(p, other, n);
    t[0] = carom_v_scale(p, carom_e_div(p, carom_expr_const(p, 1), carom_v_length(p, t[0])), t[0]);
    t[1] = carom_v_cross(p, n, t[0]);
    return CAROM_OK;
}

/* Relative velocity of the two bodies at the contact: vertex body at `vertex` (its frame) less `back` in space. */
static carom_vector slipping(carom_loader *l, int body, carom_vector vertex, carom_vector back, int target)
{
    carom_expr_pool *p = l->s->pool;
    carom_vector v = carom_frame_velocity(l, body, vertex), spin = carom_frame_spin(l, body);
    v = carom_v_sub(p, v, carom_v_cross(p, spin, back));
    carom_vector point = carom_v_sub(p, carom_frame_point(l, body, vertex), back);
    return carom_v_sub(p, v, carom_frame_velocity_at(l, target, point));
}

void carom_piece_place(carom_loader *l, carom_piece *x, carom_vector point, carom_vector normal, const carom_vector *t)
{
    if (!l->s->bodies->places)
        return;
    x->point = point;
    x->axis[0] = normal, x->axis[1] = t[0], x->axis[2] = t[1];
}

carom_piece carom_piece_larger(carom_loader *l, const carom_piece *one, const carom_piece *two)
{
    carom_expr_pool *p = l->s->pool;
    carom_expr more = carom_expr_binary(p, CAROM_OP_LT, one->rank, two->rank);
    carom_piece out = {.rank = carom_expr_if(p, more, two->rank, one->rank),
                       .gap = carom_expr_if(p, more, two->gap, one->gap),
                       .speed = carom_expr_if(p, more, two->speed, one->speed)};
    for (int d = 0; d < 2; d++)
        out.slip[d] = carom_expr_if(p, more, two->slip[d], one->slip[d]);
    for (int i = 0; i < 3 && l->s->bodies->places; i++) {
        out.point.x[i] = carom_expr_if(p, more, two->point.x[i], one->point.x[i]);
        for (int d = 0; d < 3; d++)
            out.axis[d].x[i] = carom_expr_if(p, more, two->axis[d].x[i], one->axis[d].x[i]);
    }
    return out;
}

static carom_piece on_face(carom_loader *l, const side *v, int i, const side *face, int k) /* (1) */
{
    carom_expr_pool *p = l->s->pool;
    bool planar = l->s->bodies->b.planar;
    carom_vector n = carom_frame_direction(l, face->body, face->normal[k]), local[2], t[2];
    carom_vector x = carom_frame_point(l, v->body, v->vertex[i]);
    carom_vector o = carom_frame_point(l, face->body, carom_v_zero(p));
    carom_expr gap = carom_v_dot(p, n, carom_v_sub(p, x, o));
    carom_vector u = slipping(l, v->body, v->vertex[i], carom_v_scale(p, v->radius, n), face->body);
    carom_piece out = {.gap = carom_e_sub(p, carom_e_sub(p, gap, face->offset[k]), v->radius),
                       .speed = carom_v_dot(p, n, u)};
    tangents(l, n, t);
    if (!planar) {
        double at[3] = {0, 0, 1};
        carom_bodies_values_of(l, face->normal[k].x, 3, at);
        spatial_tangents(l, face->normal[k], at, local);
        for (int d = 0; d < 2; d++)
            t[d] = carom_frame_direction(l, face->body, local[d]);
    }
    for (int d = 0; d < 2; d++)
        out.slip[d] = carom_v_dot(p, t[d], u);
    carom_piece_place(l, &out, carom_v_sub(p, x, carom_v_scale(p, v->radius, n)), n, t);
    return out;
}

/* Does one of the vertex's neighbours lie behind the face at the poses of the file? */
static bool behind(carom_loader *l, const side *v, int i, const side *face, int k)
{
    carom_expr_pool *p = l->s->pool;
    const carom_frame *f = l->s->bodies->frame;
    carom_vector n = carom_m_apply(p, &f[face->body].R0, face->normal[k]);
    carom_expr e[2];
    double value[2] = {0, 0};
    for (int d = 0; d < 2; d++) {
        int other = (i + (d ? 1 : v->vertices - 1)) % v->vertices;
        carom_vector edge = carom_v_sub(p, v->vertex[other], v->vertex[i]);
        edge = carom_m_apply(p, &f[v->body].R0, edge);
        e[d] = carom_e_div(p, carom_v_dot(p, n, edge), carom_v_length(p, edge));
    }
    return v->faces > 1 && carom_bodies_choices(l, e, 2, value) == CAROM_OK && (value[0] < -1e-6 || value[1] < -1e-6);
}

/* 1 while a neighbour of the vertex lies behind the face, by 1e-4 of the way there at least, 0 while both lie in front
 * of it or on its plane, as where the vertex lands on it; smooth in between. */
static carom_expr lies_behind(carom_loader *l, const side *v, int i, const side *face, int k)
{
    carom_expr_pool *p = l->s->pool;
    carom_vector n = carom_frame_direction(l, face->body, face->normal[k]);
    carom_expr one = carom_expr_const(p, 1), front = one;
    for (int d = 0; d < 2; d++) {
        int other = (i + (d ? 1 : v->vertices - 1)) % v->vertices;
        carom_vector edge = carom_v_sub(p, v->vertex[other], v->vertex[i]);
        carom_expr along = carom_v_dot(p, n, carom_frame_direction(l, v->body, edge));
        along = carom_e_div(p, along, carom_v_length(p, edge));
        along = carom_e_scale(p, 2e5, carom_e_add(p, along, carom_expr_const(p, 1e-4)));
        along = carom_e_add(p, one, carom_expr_unary(p, CAROM_OP_TANH, along));
        front = carom_e_mul(p, front, carom_e_scale(p, 0.5, along));
    }
    return carom_e_sub(p, one, front);
}

/* Does the vertex touch at the poses of the file, and lie on the plane of the face there? */
static bool flush(carom_loader *l, const side *v, int i, const side *face, int k)
{
    carom_expr_pool *p = l->s->pool;
    const carom_frame *a = &l->s->bodies->frame[v->body], *b = &l->s->bodies->frame[face->body];
    carom_vector x = carom_v_add(p, a->r0, carom_m_apply(p, &a->R0, carom_v_sub(p, v->vertex[i], a->centre)));
    carom_expr e[MOST + 1];
    double value[MOST + 1], most = -INFINITY;
    for (int j = 0; j < face->faces; j++) {
        carom_vector n = carom_m_apply(p, &b->R0, face->normal[j]);
        e[j] = carom_e_sub(p, carom_v_dot(p, n, carom_v_sub(p, x, b->r0)),
                           carom_e_sub(p, face->offset[j], carom_v_dot(p, face->normal[j], b->centre)));
    }
    e[face->faces] = face->size;
    if (carom_bodies_choices(l, e, face->faces + 1, value) != CAROM_OK)
        return false;
    for (int j = 0; j < face->faces; j++)
        most = fmax(most, value[j]);
    return fmax(fabs(value[k]), most) < 1e-3 * value[face->faces];
}

/* (6): is the vertex farther in front of a face, by s, than it is behind the one it can land on, by -land? */
static carom_expr outside(carom_expr_pool *p, carom_expr s, carom_expr land, carom_expr size)
{
    carom_expr front = carom_expr_binary(p, CAROM_OP_LT, carom_expr_const(p, 0), s);
    carom_expr more = carom_expr_binary(p, CAROM_OP_LT, carom_e_mul(p, land, land), carom_e_mul(p, s, s));
    carom_expr deep = carom_expr_binary(p, CAROM_OP_LT, land, carom_e_scale(p, -BEYOND, size));
    return carom_expr_binary(p, CAROM_OP_AND, front, carom_expr_binary(p, CAROM_OP_OR, more, deep));
}

static carom_piece on_polytope(carom_loader *l, const side *v, int i, const side *target) /* (2) */
{
    carom_expr_pool *p = l->s->pool;
    carom_piece best = {0};
    carom_expr land = CAROM_EXPR_NONE;
    bool back[MOST], any = false;
    for (int k = 0; k < target->faces; k++)
        back[k] = target->faces > 1 && behind(l, v, i, target, k);
    for (int n = 0; n < 2 * target->faces; n++) { /* those it can land on, then the others */
        int k = n % target->faces;
        if (back[k] != (n >= target->faces))
            continue;
        carom_piece next = on_face(l, v, i, target, k);
        const bool tied = back[k] && flush(l, v, i, target, k);
        if (tied)
            next.gap = carom_e_sub(p, next.gap, carom_e_scale(p, CAROM_TIE, target->size));
        next.rank = next.gap;
        if (l->s->bodies->b.planar && v->faces > 1 && target->faces > 1 && !tied) {
            carom_expr near = carom_e_mul(p, lies_behind(l, v, i, target, k), carom_e_scale(p, NEAR, target->size));
            next.rank = carom_e_sub(p, next.gap, near);
            next.gap = carom_e_add(p, next.gap, near);
        }
        if (tied && land != CAROM_EXPR_NONE && l->s->bodies->b.planar)
            next.rank = carom_expr_if(p, outside(p, next.gap, land, target->size), next.gap,
                                      carom_e_scale(p, -10, target->size));
        best = any ? carom_piece_larger(l, &best, &next) : next;
        any = true;
        if (!back[k])
            land = best.gap;
    }
    return best;
}

static carom_expr clamp(carom_expr_pool *p, carom_expr x, carom_expr low, carom_expr high)
{
    return carom_expr_binary(p, CAROM_OP_MIN, carom_expr_binary(p, CAROM_OP_MAX, x, low), high);
}

static carom_vector on_segment(carom_loader *l, carom_vector x, carom_vector a, carom_vector b)
{
    carom_expr_pool *p = l->s->pool;
    carom_vector e = carom_v_sub(p, b, a);
    carom_expr length = carom_v_length(p, e);
    e = carom_v_scale(p, carom_e_div(p, carom_expr_const(p, 1), length), e);
    carom_expr s = carom_v_dot(p, e, carom_v_sub(p, x, a));
    return carom_v_add(p, a, carom_v_scale(p, clamp(p, s, carom_expr_const(p, 0), length), e));
}

/* The nearest point of the target, in its frame: on the side of the face that x is farthest in front of. */
static carom_vector nearest(carom_loader *l, carom_vector x, const side *target)
{
    carom_expr_pool *p = l->s->pool;
    if (target->segment)
        return on_segment(l, x, target->vertex[0], target->vertex[1]);
    if (!l->s->bodies->b.planar && target->shape->kind == CAROM_SHAPE_BOX) {
        carom_matrix R = carom_turns(l, target->shape->turn);
        carom_vector o = carom_quantities(l, target->shape->offset), in = carom_m_back(p, &R, carom_v_sub(p, x, o));
        for (int i = 0; i < 3; i++) {
            carom_expr half = carom_e_scale(p, 0.5, carom_quantity_expr(l, &target->shape->size[i]));
            in.x[i] = clamp(p, in.x[i], carom_expr_unary(p, CAROM_OP_NEG, half), half);
        }
        return carom_v_add(p, o, carom_m_apply(p, &R, in));
    }
    carom_vector best = target->vertex[0];
    carom_expr front = CAROM_EXPR_NONE;
    for (int k = 0; k < target->faces && target->vertices > 2; k++) {
        carom_expr ahead = carom_e_sub(p, carom_v_dot(p, target->normal[k], x), target->offset[k]);
        carom_vector c = on_segment(l, x, target->vertex[k], target->vertex[(k + 1) % target->vertices]);
        carom_expr more = k ? carom_expr_binary(p, CAROM_OP_LT, front, ahead) : CAROM_EXPR_NONE;
        for (int i = 0; i < 3; i++)
            best.x[i] = k ? carom_expr_if(p, more, c.x[i], best.x[i]) : c.x[i];
        front = k ? carom_expr_if(p, more, ahead, front) : ahead;
    }
    return best;
}

/* (5'), n in the axes of the target at the poses of the file. */
static void turning_tangents(carom_loader *l, const side *v, int vertex, const side *target, carom_vector n,
                             carom_vector *t)
{
    carom_expr_pool *p = l->s->pool;
    const carom_frame *a = &l->s->bodies->frame[v->body], *b = &l->s->bodies->frame[target->body];
    carom_vector x = carom_v_add(p, a->r0, carom_m_apply(p, &a->R0, carom_v_sub(p, v->vertex[vertex], a->centre)));
    carom_vector at = carom_v_add(p, b->centre, carom_m_back(p, &b->R0, carom_v_sub(p, x, b->r0)));
    at = carom_v_sub(p, at, nearest(l, at, target));
    double start[3] = {0, 0, 1};
    carom_bodies_values_of(l, at.x, 3, start);
    int k = fabs(start[0]) > fabs(start[1]) ? 0 : 1;
    k = fabs(start[2]) >= fabs(start[k]) ? 2 : k;
    carom_vector e = carom_v_zero(p);
    e.x[k] = carom_expr_const(p, start[k] < 0 ? -1 : 1);
    carom_vector sum = carom_v_add(p, n, e);
    carom_expr below = carom_e_add(p, carom_expr_const(p, 1 + 4e-16), carom_e_mul(p, e.x[k], n.x[k])); /* never 0 */
    for (int d = 0; d < 2; d++) {
        int i = (k + 1 + d) % 3;
        carom_vector axis = carom_v_zero(p);
        axis.x[i] = carom_expr_const(p, 1);
        t[d] = carom_v_sub(p, axis, carom_v_scale(p, carom_e_div(p, n.x[i], below), sum));
        t[d] = carom_frame_direction(l, target->body, t[d]);
    }
}

static carom_piece at_distance(carom_loader *l, const side *v, int i, const side *target) /* (3) */
{
    carom_expr_pool *p = l->s->pool;
    const carom_frame *f = l->s->bodies->frame, *b = &f[target->body];
    carom_vector x = carom_frame_point(l, v->body, v->vertex[i]);
    carom_vector local = carom_v_add(p, b->centre, carom_m_back(p, &b->R, carom_v_sub(p, x, b->r)));
    carom_vector c = nearest(l, local, target), away = carom_v_sub(p, local, c), t[2];
    carom_expr distance = carom_v_length(p, away);
    carom_vector n = carom_v_scale(p, carom_e_div(p, carom_expr_const(p, 1), distance), away);
    carom_vector local_n = n;
    n = carom_frame_direction(l, target->body, n);
    carom_piece out = {.gap = carom_e_sub(p, carom_e_sub(p, distance, target->radius), v->radius)};
    carom_expr back = v->radius;
    if (v->shape->kind == CAROM_SHAPE_BALL && target->shape->kind == CAROM_SHAPE_BALL) /* whichever comes first */
        back = carom_e_add(p, back, carom_e_scale(p, 0.5, out.gap));
    carom_vector u = slipping(l, v->body, v->vertex[i], carom_v_scale(p, back, n), target->body);
    out.speed = carom_v_dot(p, n, u);
    if (l->s->bodies->b.planar)
        tangents(l, n, t);
    else
        turning_tangents(l, v, i, target, local_n, t);
    for (int d = 0; d < 2; d++)
        out.slip[d] = carom_v_dot(p, t[d], u);
    carom_piece_place(l, &out, carom_v_sub(p, x, carom_v_scale(p, v->radius, n)), n, t);
    return out;
}

static carom_piece of_ellipsoid(carom_loader *l, const side *v, const side *plane) /* (4) */
{
    carom_expr_pool *p = l->s->pool;
    carom_matrix R = carom_turns(l, v->shape->turn);
    carom_vector n = carom_frame_direction(l, plane->body, plane->normal[0]);
    carom_vector in_body = carom_m_back(p, &l->s->bodies->frame[v->body].R, n), in = carom_m_back(p, &R, in_body), a;
    carom_expr h2 = carom_expr_const(p, 0);
    for (int i = 0; i < 3; i++) {
        carom_expr size = carom_quantity_expr(l, &v->shape->size[i]);
        a.x[i] = carom_e_mul(p, carom_e_mul(p, size, size), in.x[i]);
        h2 = carom_e_add(p, h2, carom_e_mul(p, a.x[i], in.x[i]));
    }
    carom_expr h = carom_e_sqrt(p, h2);
    carom_vector back = carom_v_scale(p, carom_e_div(p, carom_expr_const(p, 1), h), a);
    side moved = *v;
    moved.vertex[0] = carom_v_sub(p, v->vertex[0], carom_m_apply(p, &R, back)); /* the point of contact, in the body */
    carom_piece out = on_face(l, &moved, 0, plane, 0);
    return out;
}

/* ---- pairs ---- */
static bool round_shape(const side *s)
{
    return s->shape->kind == CAROM_SHAPE_BALL || s->segment;
}

static carom_status keep_place(carom_loader *l, const char *name, int body, int target, const carom_piece *x)
{
    carom_section_of_bodies *b = l->s->bodies;
    if (b->nplace == CAROM_MAX_CONTACTS)
        return CAROM_OK;
    carom_contact_place *to = &b->places[b->nplace++];
    *to = (carom_contact_place){.name = name, .body = {target, body}};
    memcpy(to->point, x->point.x, sizeof to->point);
    for (int d = 0; d < 3; d++)
        memcpy(to->axis[d], x->axis[d].x, sizeof to->axis[d]);
    return CAROM_OK;
}

static carom_status emit(carom_loader *l, const char *name, const side *v, const side *target, carom_piece x,
                         const carom_pair_law *law)
{
    if (!name)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the contacts of bodies");
    if (l->s->bodies->places)
        return keep_place(l, name, v->body, target->body, &x);
    const carom_text_node *node = v->shape->node ? v->shape->node : target->shape->node;
    CAROM_TRY(carom_add_contact(l, name, x.gap, x.slip, law->directions, law, node));
    carom_contact_given *last = &l->s->added.contact[l->s->added.ncontact - 1];
    last->has_speed = true;
    last->speed = x.speed;
    return CAROM_OK;
}

/* All vertices of v against the other shape. */
static carom_status vertices_on(carom_loader *l, const side *v, const side *target, const carom_pair_law *law)
{
    bool plane = target->faces > 0 && target->vertices == 0;
    bool sharp = v->shape->kind == CAROM_SHAPE_POINT || !round_shape(v);
    if (round_shape(target) && round_shape(v) && !target->segment && v->segment)
        return CAROM_OK; /* the ball's turn */
    if (target->shape->kind == CAROM_SHAPE_POINT || (target->faces == 0 && !round_shape(target)))
        return CAROM_OK;
    if (round_shape(target) && !target->segment && v->faces > 0)
        return CAROM_OK; /* a ball finds the corners of a polygon itself */
    for (int i = 0; i < v->vertices; i++) {
        carom_piece x = v->shape->kind == CAROM_SHAPE_ELLIPSOID ? of_ellipsoid(l, v, target)
                  : plane || (sharp && target->faces > 0) ? on_polytope(l, v, i, target)
                                                          : at_distance(l, v, i, target);
        const char *name = v->vertices == 1
                               ? carom_arena_format(l->s->arena, "%s %s", v->name, target->name)
                               : carom_arena_format(l->s->arena, "%s.%d %s", v->name, i + 1, target->name);
        CAROM_TRY(emit(l, name, v, target, x, law));
    }
    return CAROM_OK;
}

/* Two boxes in space: vertices of both, then edges: "lid.x+ crate.z-". */
static carom_status boxes(carom_loader *l, const side *a, const side *b, const carom_pair_law *law)
{
    const side *const of[2] = {a, b};
    for (int host = 0; host < 2; host++) {
        const side *on = of[host], *v = of[!host];
        const int body[2] = {on->body, v->body};
        const carom_body_shape *const shape[2] = {on->shape, v->shape};
        for (int i = 0; i < 8; i++) {
            const char *name = carom_arena_format(l->s->arena, "%s.%d %s", v->name, i + 1, on->name);
            CAROM_TRY(emit(l, name, v, on, carom_boxes_vertex(l, body, shape, i), law));
        }
    }
    const int body[2] = {a->body, b->body};
    const carom_body_shape *const shape[2] = {a->shape, b->shape};
    for (int i = 0; i < 36; i++) {
        const int axis[2] = {i / 12, i / 4 % 3}, sign[2] = {i & 1 ? -1 : 1, i & 2 ? -1 : 1};
        const char *name = carom_arena_format(l->s->arena, "%s.%c%c %s.%c%c", b->name, "xyz"[axis[1]],
                                              sign[1] < 0 ? '-' : '+', a->name, "xyz"[axis[0]],
                                              sign[0] < 0 ? '-' : '+');
        CAROM_TRY(emit(l, name, b, a, carom_boxes_edges(l, body, shape, axis, sign), law));
    }
    return CAROM_OK;
}

static carom_status shape_pair(carom_loader *l, int a, int i, int b, int j, const carom_pair_law *law)
{
    side *one = CAROM_NEW(l->s->arena, side, 2), *two = one ? one + 1 : NULL;
    if (!one)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the contacts of bodies");
    CAROM_TRY(side_of(l, a, i, one));
    CAROM_TRY(side_of(l, b, j, two));
    if (!l->s->bodies->b.planar && one->faces == 6 && two->faces == 6)
        return boxes(l, one, two, law);
    int before = l->s->added.ncontact + l->s->bodies->nplace;
    CAROM_TRY(vertices_on(l, two, one, law));
    bool balls = round_shape(one) && round_shape(two) && !one->segment && !two->segment;
    if (!balls || l->s->added.ncontact + l->s->bodies->nplace == before) /* two balls touch once */
        CAROM_TRY(vertices_on(l, one, two, law));
    return CAROM_OK;
}

/* ---- pairs far apart ---- */
/* The radius around the centre of mass that holds all shapes of a body (INFINITY: a plane or a slab), and how many
 * vertices they have. */
static carom_status reach_of(carom_loader *l, int body, double *reach, int *vertices)
{
    carom_expr_pool *p = l->s->pool;
    const carom_body *b = &l->s->bodies->b.body[body];
    side *s = CAROM_NEW(l->s->arena, side, 1);
    *reach = *vertices = 0;
    if (!s)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the contacts of bodies");
    for (int k = 0; k < b->shapes; k++) {
        CAROM_TRY(side_of(l, body, k, s));
        *vertices += s->vertices;
        if (s->vertices == 0 || s->shape->kind == CAROM_SHAPE_ELLIPSOID)
            *reach = INFINITY;
        for (int i = 0; i < s->vertices; i++) {
            carom_vector away = carom_v_sub(p, s->vertex[i], l->s->bodies->frame[body].centre);
            carom_expr e = carom_e_add(p, carom_v_length(p, away), s->radius);
            double value;
            CAROM_TRY(carom_bodies_values_of(l, &e, 1, &value));
            *reach = fmax(*reach, value);
        }
    }
    return CAROM_OK;
}

/* Are they so far apart at the poses of the file that nothing but watching is needed? Then watches. */
static carom_status watch(carom_loader *l, int i, int j, const double *reach, bool *far)
{
    carom_source *s = l->s;
    carom_expr_pool *p = s->pool;
    const carom_frame *a = &s->bodies->frame[i], *b = &s->bodies->frame[j];
    double both = reach[i] + reach[j], value;
    carom_vector d0 = carom_v_sub(p, b->r0, a->r0), d = carom_v_sub(p, b->r, a->r);
    carom_expr square = carom_v_dot(p, d0, d0);
    *far = false;
    if (isinf(both))
        return CAROM_OK;
    CAROM_TRY(carom_bodies_values_of(l, &square, 1, &value));
    if (value < 1.2 * both * both)
        return CAROM_OK;
    *far = true;
    if (s->bodies->places)
        return CAROM_OK;
    s->start_is_found = true;
    carom_expr meet = carom_expr_binary(p, CAROM_OP_LT, carom_v_dot(p, d, d), carom_expr_const(p, both * both));
    s->watch = s->wound + s->watched++ ? carom_expr_binary(p, CAROM_OP_OR, s->watch, meet) : meet;
    return CAROM_OK;
}

static bool may_touch(const carom_bodies *b, int i, int j)
{
    for (int m = 0; m < b->body[i].shapes; m++)
        for (int n = 0; n < b->body[j].shapes; n++)
            if (carom_bodies_law_between(b, i, m, j, n))
                return true;
    return false;
}

carom_status carom_bodies_pairs(carom_loader *l)
{
    const carom_bodies *b = &l->s->bodies->b;
    double *reach = CAROM_NEW(l->s->arena, double, b->nbody);
    int *vertices = CAROM_NEW(l->s->arena, int, b->nbody), to_follow = 0;
    if (!reach || !vertices)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the contacts of bodies");
    for (int i = 0; i < b->nbody; i++) {
        CAROM_TRY(reach_of(l, i, &reach[i], &vertices[i]));
        for (int j = 0; j < i; j++)
            to_follow += may_touch(b, j, i) ? vertices[i] + vertices[j] : 0;
    }
    for (int i = 0; i < b->nbody; i++)
        for (int j = i + 1; j < b->nbody; j++) {
            bool far = false;
            if (may_touch(b, i, j) && to_follow > FOLLOWED)
                CAROM_TRY(watch(l, i, j, reach, &far));
            for (int m = 0; m < b->body[i].shapes && !far; m++)
                for (int n = 0; n < b->body[j].shapes; n++) {
                    const carom_pair_law *law = carom_bodies_law_between(b, i, m, j, n);
                    if (law)
                        CAROM_TRY(shape_pair(l, i, m, j, n, law));
                }
        }
    return CAROM_OK;
}

carom_status carom_bodies_places(const carom_model *m, const carom_contact_place **places, int *n, carom_error *error)
{
    carom_source *s = (carom_source *)(size_t)m->source;
    carom_section_of_bodies *b = s ? s->bodies : NULL;
    *n = 0;
    if (!b || b->found || b->mixes || !s->compiled)
        return CAROM_OK;
    carom_loader loader = {.s = s, .m = (carom_model *)(size_t)m, .file = &s->file, .error = error};
    carom_status status = CAROM_OK;
    carom_compiled_lock(s->compiled);
    if (!b->places) {
        b->places = CAROM_NEW(s->arena, carom_contact_place, CAROM_MAX_CONTACTS);
        status = b->places ? carom_bodies_pairs(&loader)
                           : carom_fail(error, CAROM_NO_MEMORY, "out of memory for the places of contacts");
    }
    carom_compiled_unlock(s->compiled);
    *places = b->places;
    *n = status == CAROM_OK ? b->nplace : 0;
    return status;
}

/* ---- lists ---- */
/* Constraints and contacts of the file have names of their own. */
static carom_status is_new(carom_loader *l, const char *section, const char *what, const char *name)
{
    const carom_text_node *map = carom_text_get(l->s->root, section);
    const carom_text_node *own = map && map->kind == CAROM_TEXT_MAP && name ? carom_text_get(map, name) : NULL;
    return !own ? CAROM_OK : carom_load_fail(l, own->key_place, "the %s '%s' has the name of one that follows from the "
                                             "bodies", what, name);
}

carom_status carom_add_joint(carom_loader *l, const char *name, carom_expr g, carom_expr speed,
                             const carom_text_node *node)
{
    carom_added *to = &l->s->added;
    if (to->njoint == CAROM_MAX_CONTACTS)
        return carom_load_fail(l, node->key_place, "the joints are more than %d constraints", CAROM_MAX_CONTACTS);
    CAROM_TRY(is_new(l, "constraints", "constraint", name));
    to->joint_name[to->njoint] = name;
    to->joint_speed[to->njoint] = speed;
    to->joint[to->njoint++] = (carom_given){g, node};
    return CAROM_OK;
}

carom_status carom_add_contact(carom_loader *l, const char *name, carom_expr gap, const carom_expr *slip,
                               int directions, const carom_pair_law *law, const carom_text_node *node)
{
    carom_added *to = &l->s->added;
    if (to->ncontact == CAROM_MAX_CONTACTS)
        return carom_load_fail(l, node->place, "the bodies have more than %d contacts", CAROM_MAX_CONTACTS);
    carom_contact_given *given = &to->contact[to->ncontact];
    double *start = CAROM_NEW(l->s->arena, double, law->ncoefficient + 1);
    if (!name || !start)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the contacts of bodies");
    CAROM_TRY(is_new(l, "contacts", "contact", name));
    given->gap = (carom_given){gap, node};
    for (int d = 0; d < directions; d++)
        given->slip[d] = (carom_given){slip[d], node};
    given->ncoefficient = law->ncoefficient;
    for (int k = 0; k < law->ncoefficient; k++)
        given->law[k] = (carom_given){carom_quantity_expr(l, &law->coefficient[k]), law->node ? law->node : node};
    if (law->speeds) /* those of this pair */
        CAROM_TRY(carom_load_coefficients(l, law->node, law->law, given));
    to->contact_out[to->ncontact++] =
        (carom_contact){.name = name, .law = law->law_name, .directions = directions, .coefficient = start};
    return CAROM_OK;
}

carom_status carom_bodies_contacts(carom_loader *l)
{
    carom_added *to = &l->s->added;
    carom_arena *arena = l->s->arena;
    to->joint_name = CAROM_NEW(arena, const char *, CAROM_MAX_CONTACTS);
    to->joint = CAROM_NEW(arena, carom_given, CAROM_MAX_CONTACTS);
    to->joint_speed = CAROM_NEW(arena, carom_expr, CAROM_MAX_CONTACTS);
    to->contact = CAROM_NEW(arena, carom_contact_given, CAROM_MAX_CONTACTS);
    to->contact_out = CAROM_NEW(arena, carom_contact, CAROM_MAX_CONTACTS);
    if (!to->joint_name || !to->joint || !to->joint_speed || !to->contact || !to->contact_out)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the contacts of bodies");
    CAROM_TRY(carom_bodies_joints(l));
    if (l->s->bodies->mixes) /* the rest is found: mixed.c */
        return carom_bodies_where(l);
    CAROM_TRY(carom_bodies_pairs(l));
    if (to->ncontact > 0)
        CAROM_TRY(carom_bodies_where(l));
    return carom_bodies_find_start(l);
}
