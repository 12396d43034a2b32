/* picture.c: the picture of bodies without a section draw: outlines of their shapes, lines from bodies that have none
 * to their joints and points, springs. In the plane, planes are lines that end far away. In
 * space the picture is the poses of the bodies, whose shapes are known, and rods. */
#include <math.h>
#include <string.h>

#include "bodies/section.h"
#include "model/draw.h"

/* Points of a half circle; of any outline at most; how long a plane is, in sizes of the scene at the start. */
enum { ROUND = 9, POINTS = 2 * CAROM_MOST_CORNERS, FAR = 50 };

typedef struct sketch {
    carom_loader *l;
    carom_mark *mark;
    int n, most;
    double size; /* of the scene */
} sketch;

static carom_vector at(carom_expr_pool *p, carom_expr x, carom_expr y)
{
    return (carom_vector){{x, y, carom_expr_const(p, 0)}};
}

static carom_status add_mark(sketch *k, carom_mark_kind kind, const char *style, const char *name, int n, int **value)
{
    carom_loader *l = k->l;
    *value = CAROM_NEW(l->s->arena, int, n);
    if (k->n == k->most || !*value)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the picture");
    k->mark[k->n++] = (carom_mark){.name = name, .kind = kind, .style = style, .contact = -1, .body = -1,
                                   .value = *value, .n = n};
    return CAROM_OK;
}

/* Points in the frame of a body as they move. */
static carom_status add_points(sketch *k, carom_mark_kind kind, const char *style, int body, const carom_vector *point,
                               int n)
{
    carom_loader *l = k->l;
    int *value;
    const char *name = body < 0 ? "ground" : l->s->bodies->b.body[body].name;
    CAROM_TRY(add_mark(k, kind, style, name, 2 * n, &value));
    k->mark[k->n - 1].body = body;
    for (int i = 0; i < n; i++) {
        carom_vector x = carom_frame_point(l, body, point[i]);
        value[2 * i] = x.x[0], value[2 * i + 1] = x.x[1];
    }
    return CAROM_OK;
}

/* An arc around c from the angle a to b. */
static void arc(carom_expr_pool *p, carom_vector c, carom_expr r, carom_expr a, carom_expr b, carom_vector *to, int *n)
{
    for (int i = 0; i < ROUND; i++) {
        carom_expr part = carom_e_scale(p, (double)i / (ROUND - 1), carom_e_sub(p, b, a));
        carom_expr angle = carom_e_add(p, a, part);
        carom_vector away = at(p, carom_expr_unary(p, CAROM_OP_COS, angle), carom_expr_unary(p, CAROM_OP_SIN, angle));
        to[(*n)++] = carom_v_add(p, c, carom_v_scale(p, r, away));
    }
}

static int outline(carom_loader *l, const carom_body_shape *s, carom_vector *to)
{
    carom_expr_pool *p = l->s->pool;
    const double half_pi = 1.57079632679489661923;
    carom_expr size[4], zero = carom_expr_const(p, 0);
    int n = 0;
    for (int i = 0; i < 4; i++)
        size[i] = carom_quantity_expr(l, &s->size[i]);
    if (s->kind == CAROM_SHAPE_BOX)
        for (int i = 0; i < 4; i++)
            to[n++] = at(p, carom_e_scale(p, i == 1 || i == 2 ? 0.5 : -0.5, size[0]),
                         carom_e_scale(p, i < 2 ? -0.5 : 0.5, size[1]));
    for (int i = 0; i < s->corners; i++)
        to[n++] = at(p, carom_quantity_expr(l, &s->corner[2 * i]), carom_quantity_expr(l, &s->corner[2 * i + 1]));
    for (int end = 0; end < 2 && s->kind == CAROM_SHAPE_CAPSULE; end++) {
        carom_vector c = at(p, carom_e_scale(p, end ? -0.5 : 0.5, size[0]), zero);
        double from = end ? half_pi : -half_pi;
        arc(p, c, size[1], carom_expr_const(p, from), carom_expr_const(p, from + 2 * half_pi), to, &n);
    }
    if (s->kind == CAROM_SHAPE_RING) {
        arc(p, at(p, zero, zero), size[1], size[2], size[3], to, &n);
        arc(p, at(p, zero, zero), size[0], size[3], size[2], to, &n);
    }
    carom_matrix R = carom_turns(l, s->turn);
    carom_vector o = carom_quantities(l, s->offset);
    for (int i = 0; i < n; i++)
        to[i] = carom_v_add(p, o, carom_m_apply(p, &R, to[i]));
    return n;
}

/* A plane, or one side of a slab, through the shape's origin moved by `away` along its normal. */
static carom_status ground_line(sketch *k, int body, const carom_body_shape *s, carom_vector normal, carom_expr away)
{
    carom_loader *l = k->l;
    carom_expr_pool *p = l->s->pool;
    carom_matrix R = carom_turns(l, s->turn);
    carom_vector n = carom_v_scale(p, carom_e_div(p, carom_expr_const(p, 1), carom_v_length(p, normal)), normal);
    carom_vector along = at(p, carom_expr_unary(p, CAROM_OP_NEG, n.x[1]), n.x[0]), end[2];
    for (int i = 0; i < 2; i++) {
        carom_vector x = carom_v_scale(p, carom_expr_const(p, i ? FAR * k->size : -FAR * k->size), along);
        x = carom_m_apply(p, &R, carom_v_add(p, x, carom_v_scale(p, away, n)));
        end[i] = carom_v_add(p, carom_quantities(l, s->offset), x);
    }
    CAROM_TRY(add_points(k, CAROM_MARK_LINE, "ground", body, end, 2));
    k->mark[k->n - 1].endless = true;
    return CAROM_OK;
}

static carom_status circle(sketch *k, int body, const carom_body_shape *s, const char *style)
{
    carom_loader *l = k->l;
    carom_vector c = carom_frame_point(l, body, carom_quantities(l, s->offset));
    int *value;
    CAROM_TRY(add_mark(k, CAROM_MARK_CIRCLE, style, l->s->bodies->b.body[body].name, 4, &value));
    k->mark[k->n - 1].body = body;
    value[0] = c.x[0], value[1] = c.x[1];
    value[2] = carom_quantity_expr(l, &s->size[0]);
    value[3] = l->s->bodies->frame[body].angle;
    return CAROM_OK;
}

static carom_status shape_picture(sketch *k, int body, const carom_body_shape *s)
{
    carom_loader *l = k->l;
    carom_expr_pool *p = l->s->pool;
    const char *style = l->s->bodies->b.body[body].motion == CAROM_BODY_FREE ? "body" : "ground";
    carom_vector point[POINTS];
    if (s->kind == CAROM_SHAPE_PLANE)
        return ground_line(k, body, s, at(p, carom_quantity_expr(l, &s->size[0]), carom_quantity_expr(l, &s->size[1])),
                           carom_expr_const(p, 0));
    for (int i = 0; i < 2 && s->kind == CAROM_SHAPE_BOX; i++) {
        carom_vector normal = carom_v_zero(p);
        normal.x[!i] = carom_expr_const(p, 1);
        carom_expr half = carom_e_scale(p, 0.5, carom_quantity_expr(l, &s->size[!i]));
        if (!isinf(s->size[i].value))
            continue;
        CAROM_TRY(ground_line(k, body, s, normal, half));
        return ground_line(k, body, s, normal, carom_expr_unary(p, CAROM_OP_NEG, half));
    }
    if (s->kind == CAROM_SHAPE_BALL)
        return circle(k, body, s, style);
    int n = outline(l, s, point);
    return n > 2 ? add_points(k, CAROM_MARK_POLYGON, style, body, point, n) : CAROM_OK;
}

/* A body without outline: lines from its centre to its points. */
static carom_status bare_body(sketch *k, int number)
{
    carom_loader *l = k->l;
    const carom_body *b = &l->s->bodies->b.body[number];
    carom_vector line[2] = {carom_quantities(l, b->centre)};
    for (int i = 0; i < b->shapes; i++) {
        if (b->shape[i].kind != CAROM_SHAPE_POINT)
            return CAROM_OK;
        line[1] = carom_quantities(l, b->shape[i].offset);
        CAROM_TRY(add_points(k, CAROM_MARK_LINE, "body", number, line, 2));
    }
    return b->motion == CAROM_BODY_FREE ? add_points(k, CAROM_MARK_POINT, "body", number, line, 1) : CAROM_OK;
}

static carom_status joint_picture(sketch *k, const carom_joint *joint)
{
    carom_loader *l = k->l;
    bool line = joint->kind >= CAROM_JOINT_DISTANCE;
    int *value;
    for (int i = 0; i < 2; i++) {
        carom_vector end[2] = {carom_quantities(l, joint->point[i])};
        int body = joint->body[i];
        if (body < 0)
            continue;
        end[1] = carom_quantities(l, l->s->bodies->b.body[body].centre);
        if (l->s->bodies->b.body[body].shapes == 0 || l->s->bodies->b.body[body].shape[0].kind == CAROM_SHAPE_POINT)
            CAROM_TRY(add_points(k, CAROM_MARK_LINE, "thin", body, end, 2));
    }
    CAROM_TRY(add_mark(k, !line ? CAROM_MARK_POINT : joint->kind == CAROM_JOINT_SPRING ? CAROM_MARK_SPRING
                                                                                       : CAROM_MARK_LINE,
                       "thin", joint->name, line ? 4 : 2, &value));
    for (int i = 0; i < (line ? 2 : 1); i++) {
        carom_vector x = carom_frame_point(l, joint->body[i], carom_quantities(l, joint->point[i]));
        value[2 * i] = x.x[0], value[2 * i + 1] = x.x[1];
    }
    return CAROM_OK;
}

static double scene_size(const carom_bodies *b)
{
    double most = 0;
    for (int k = 0; k < b->nbody; k++) {
        const carom_body *x = &b->body[k];
        if (x->motion == CAROM_BODY_FREE)
            most = fmax(most, hypot(x->at[0].value, x->at[1].value));
        for (int i = 0; i < x->shapes; i++)
            for (int j = 0; j < 2 && x->shape[i].kind != CAROM_SHAPE_PLANE; j++)
                most = isfinite(x->shape[i].size[j].value) ? fmax(most, x->shape[i].size[j].value) : most;
    }
    return most > 0 ? 2 * most : 1;
}

/* ---- space ---- */
static void add_rod(int *rod, int *n, carom_vector from, carom_vector to)
{
    for (int i = 0; i < 3; i++) {
        rod[6 * *n + i] = from.x[i];
        rod[6 * *n + 3 + i] = to.x[i];
    }
    ++*n;
}

/* Rods from the centre of a body without a solid shape to its joints, and along what joins two points. */
static int joint_rods(carom_loader *l, const carom_joint *joint, int *rod)
{
    const carom_bodies *b = &l->s->bodies->b;
    carom_vector end[2];
    int n = 0;
    for (int i = 0; i < 2; i++) {
        int body = joint->body[i];
        end[i] = carom_frame_point(l, body, carom_quantities(l, joint->point[i]));
        if (body >= 0 && (b->body[body].shapes == 0 || b->body[body].shape[0].kind == CAROM_SHAPE_POINT))
            add_rod(rod, &n, end[i], carom_frame_point(l, body, carom_quantities(l, b->body[body].centre)));
    }
    if (joint->kind >= CAROM_JOINT_DISTANCE)
        add_rod(rod, &n, end[0], end[1]);
    return n;
}

static carom_status spatial_picture(carom_loader *l, carom_drawing *to)
{
    const carom_bodies *b = &l->s->bodies->b;
    int *pose = CAROM_NEW(l->s->arena, int, 12 * b->nbody + 1), *rod = CAROM_NEW(l->s->arena, int, 18 * b->njoint + 1);
    if (!pose || !rod)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the picture");
    for (int k = 0; k < b->nbody; k++) {
        const carom_frame *frame = &l->s->bodies->frame[k];
        for (int i = 0; i < 12; i++)
            pose[12 * k + i] = i < 3 ? frame->r.x[i] : frame->R.x[i - 3];
    }
    for (int i = 0; i < b->njoint; i++)
        to->nrod += joint_rods(l, &b->joint[i], rod + 6 * to->nrod);
    to->bodies = b;
    to->pose = pose;
    to->nbody = b->nbody;
    to->rod = rod;
    return CAROM_OK;
}

static carom_status planar_picture(carom_loader *l, carom_drawing *to)
{
    const carom_bodies *b = &l->s->bodies->b;
    int most = 3 * b->njoint;
    for (int k = 0; k < b->nbody; k++)
        most += 2 * b->body[k].shapes + 1;
    sketch k = {.l = l, .mark = CAROM_NEW(l->s->arena, carom_mark, most), .most = most, .size = scene_size(b)};
    if (!k.mark)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the picture");
    for (int i = 0; i < b->nbody; i++) {
        for (int j = 0; j < b->body[i].shapes; j++)
            CAROM_TRY(shape_picture(&k, i, &b->body[i].shape[j]));
        CAROM_TRY(bare_body(&k, i));
    }
    for (int i = 0; i < b->njoint; i++)
        CAROM_TRY(joint_picture(&k, &b->joint[i]));
    to->shape = k.mark;
    to->nshape = k.n;
    return CAROM_OK;
}

carom_status carom_bodies_picture(carom_loader *l)
{
    carom_drawing *drawing = CAROM_NEW(l->s->arena, carom_drawing, 1);
    if (!drawing)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the picture");
    if (l->s->bodies->b.planar)
        CAROM_TRY(planar_picture(l, drawing));
    else
        CAROM_TRY(spatial_picture(l, drawing));
    l->s->drawing = drawing->nshape || drawing->nbody ? drawing : NULL;
    return CAROM_OK;
}
