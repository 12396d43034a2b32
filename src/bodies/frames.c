/* frames.c: where bodies are and how they move, as expressions of coordinates and velocities.
 *
 * A free body has coordinates of its own: r, and an angle or a unit quaternion e with
 *   R = 1 + 2 e_0 [p] + 2 [p]^2,   p = (e_1, e_2, e_3)                                                    (1)
 * A body b that a joint with the coordinate s leads to follows its neighbour a. With the points P_a, P_b of the joint
 * from the centres of mass, the axis n in axes of a, and R_ab the rotation from b to a at the poses of the file:
 *   hinge    R_b = R_a rot(n, s) R_ab,   w_b = R_ab^T (rot(n, s)^T w_a + n s')                            (2)
 *            r_b = r_a + R_a P_a - R_b P_b                                                                (3)
 *   slider   R_b = R_a R_ab,             w_b = R_ab^T w_a,   P_a + n s in the place of P_a                (4)
 *   ball     R_b from its own quaternion, (3);   weld: (4) with s = 0
 *   v_b = v_a + R_a (w_a x P_a + n s') - R_b (w_b x P_b)                                                  (5)
 * A moved body with the turns a_i(t) about its axes x, y, z in this order, R_i = rot(e_i, a_i):
 *   R = R_1 R_2 R_3,   w = R_3^T (R_2^T e_1 a_1' + e_2 a_2') + e_3 a_3'                                      (6)
 * In the plane angles are added, so that they count full turns. */
#include <string.h>

#include "bodies/section.h"

carom_matrix carom_turns(carom_loader *l, const carom_quantity *turn)
{
    carom_expr_pool *p = l->s->pool;
    carom_matrix R = carom_m_turn(p, 2, carom_expr_const(p, 0));
    for (int i = 0; i < 3; i++) {
        carom_expr angle = carom_quantity_expr(l, &turn[i]);
        carom_matrix part = carom_m_turn(p, i, angle);
        if (!carom_e_is(p, angle, 0))
            R = carom_m_product(p, &R, &part);
    }
    return R;
}

static carom_matrix of_quaternion(carom_loader *l, int q) /* (1) */
{
    carom_expr_pool *p = l->s->pool;
    carom_expr e[4], two = carom_expr_const(p, 2), one = carom_expr_const(p, 1);
    carom_matrix R;
    for (int i = 0; i < 4; i++)
        e[i] = carom_expr_var(p, l->s->var_q + q + i);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        carom_expr squares = carom_e_add(p, carom_e_mul(p, e[1 + j], e[1 + j]), carom_e_mul(p, e[1 + k], e[1 + k]));
        carom_expr both = carom_e_mul(p, e[1 + i], e[1 + j]), turn = carom_e_mul(p, e[0], e[1 + k]);
        R.x[4 * i] = carom_e_sub(p, one, carom_e_mul(p, two, squares));
        R.x[3 * i + j] = carom_e_mul(p, two, carom_e_sub(p, both, turn));
        R.x[3 * j + i] = carom_e_mul(p, two, carom_e_add(p, both, turn));
    }
    return R;
}

static carom_expr position(carom_loader *l, int i)
{
    return carom_expr_var(l->s->pool, l->s->var_q + i);
}

static carom_expr velocity(carom_loader *l, int i)
{
    return carom_expr_var(l->s->pool, l->s->var_v + i);
}

/* ---- at the poses of the file ---- */
static void file_pose(carom_loader *l, int k)
{
    carom_expr_pool *p = l->s->pool;
    carom_section_of_bodies *x = l->s->bodies;
    carom_frame *f = &x->frame[k];
    const carom_body *body = &x->b.body[k];
    f->R0 = f->R = carom_turns(l, body->turn);
    f->angle0 = f->angle = carom_quantity_expr(l, &body->turn[2]);
    f->centre = carom_quantities(l, body->centre);
    f->r0 = carom_v_add(p, carom_quantities(l, body->at), carom_m_apply(p, &f->R0, f->centre));
    f->r = f->r0;
    f->v = f->w = carom_v_zero(p);
}

static void moved_turn(carom_loader *l, const carom_body *body, carom_frame *f) /* (6) */
{
    carom_expr_pool *p = l->s->pool;
    f->R = carom_m_turn(p, 2, carom_expr_const(p, 0));
    for (int i = 0; i < 3; i++) {
        carom_expr angle = carom_quantity_expr(l, &body->turn[i]);
        if (body->moved[3 + i] != CAROM_EXPR_NONE)
            angle = carom_e_add(p, angle, body->moved[3 + i]);
        if (carom_e_is(p, angle, 0))
            continue;
        carom_matrix part = carom_m_turn(p, i, angle);
        f->R = carom_m_product(p, &f->R, &part);
        f->w = carom_m_back(p, &part, f->w);
        f->w.x[i] = carom_e_add(p, f->w.x[i], carom_expr_diff(p, angle, 0));
        f->angle = angle;
    }
}

static void moved_pose(carom_loader *l, int k)
{
    carom_expr_pool *p = l->s->pool;
    carom_section_of_bodies *x = l->s->bodies;
    carom_frame *f = &x->frame[k];
    const carom_body *body = &x->b.body[k];
    carom_vector at = carom_quantities(l, body->at);
    for (int i = 0; i < 3; i++)
        if (body->moved[i] != CAROM_EXPR_NONE)
            at.x[i] = carom_e_add(p, at.x[i], body->moved[i]);
    moved_turn(l, body, f);
    f->r = carom_v_add(p, at, carom_m_apply(p, &f->R, f->centre));
    for (int i = 0; i < 3; i++)
        f->v.x[i] = carom_expr_diff(p, f->r.x[i], 0);
}

static void own_turn(carom_loader *l, int k)
{
    carom_section_of_bodies *x = l->s->bodies;
    carom_frame *f = &x->frame[k];
    const carom_place_of *at = &x->place[k];
    if (at->q[3] < 0)
        return;
    for (int i = 3; i < 6; i++)
        if (at->v[i] >= 0)
            f->w.x[i - 3] = velocity(l, at->v[i]);
    f->angle = position(l, at->q[3]);
    f->R = x->b.planar ? carom_m_turn(l->s->pool, 2, f->angle) : of_quaternion(l, at->q[3]);
}

static void own_pose(carom_loader *l, int k)
{
    carom_section_of_bodies *x = l->s->bodies;
    carom_frame *f = &x->frame[k];
    for (int i = 0; i < 3; i++)
        if (x->place[k].q[i] >= 0) {
            f->r.x[i] = position(l, x->place[k].q[i]);
            f->v.x[i] = velocity(l, x->place[k].v[i]);
        }
    own_turn(l, k);
}

/* ---- along joints ---- */
static carom_frame ground(carom_loader *l)
{
    carom_expr_pool *p = l->s->pool;
    carom_expr zero = carom_expr_const(p, 0);
    carom_matrix one = carom_m_turn(p, 2, zero);
    carom_vector none = carom_v_zero(p);
    return (carom_frame){one, one, none, none, none, none, none, zero, zero};
}

static void joint_turn(carom_loader *l, const carom_joint *joint, int end, carom_expr s, carom_expr rate,
                       const carom_frame *a, carom_frame *b) /* (2) (4) */
{
    carom_expr_pool *p = l->s->pool;
    carom_matrix back = carom_m_transposed(&a->R0), between = carom_m_product(p, &back, &b->R0);
    bool hinge = joint->kind == CAROM_JOINT_HINGE || joint->kind == CAROM_JOINT_BALL;
    carom_expr turned = carom_e_add(p, a->angle, carom_e_sub(p, b->angle0, a->angle0));
    if (l->s->bodies->b.planar) {
        b->angle = hinge ? carom_e_add(p, turned, s) : turned;
        b->R = carom_m_turn(p, 2, b->angle);
        b->w = a->w;
        b->w.x[2] = hinge ? carom_e_add(p, a->w.x[2], rate) : a->w.x[2];
        return;
    }
    carom_vector axis = carom_quantities(l, joint->axis[end]), w = a->w;
    carom_matrix turn = carom_m_about(p, axis, s), to = a->R;
    if (hinge) {
        to = carom_m_product(p, &a->R, &turn);
        w = carom_v_add(p, carom_m_back(p, &turn, a->w), carom_v_scale(p, rate, axis));
    }
    b->R = carom_m_product(p, &to, &between);
    b->w = carom_m_back(p, &between, w);
}

static void follow(carom_loader *l, int k)
{
    carom_expr_pool *p = l->s->pool;
    carom_section_of_bodies *x = l->s->bodies;
    int number = x->parent[k], s_q = x->joint_q[number];
    const carom_joint *joint = &x->b.joint[number];
    int end = joint->body[0] == k, other = joint->body[end == 1 ? 1 : 0]; /* end: which of its ends a is */
    carom_frame a = other < 0 ? ground(l) : x->frame[other], *b = &x->frame[k];
    carom_expr s = s_q < 0 ? carom_expr_const(p, 0) : position(l, s_q);
    carom_expr rate = s_q < 0 ? s : velocity(l, s_q);
    if (end == 1) { /* from b to a: the coordinate is that of b */
        s = carom_expr_unary(p, CAROM_OP_NEG, s);
        rate = carom_expr_unary(p, CAROM_OP_NEG, rate);
    }
    if (joint->kind == CAROM_JOINT_BALL && !x->b.planar)
        own_turn(l, k);
    else
        joint_turn(l, joint, end, s, rate, &a, b);
    carom_vector P_a = carom_v_sub(p, carom_quantities(l, joint->point[end]), a.centre);
    carom_vector P_b = carom_v_sub(p, carom_quantities(l, joint->point[!end]), b->centre), sliding = carom_v_zero(p);
    if (joint->kind == CAROM_JOINT_SLIDER) {
        carom_vector axis = carom_quantities(l, joint->axis[end]);
        P_a = carom_v_add(p, P_a, carom_v_scale(p, s, axis));
        sliding = carom_v_scale(p, rate, axis);
    }
    carom_vector from_a = carom_m_apply(p, &a.R, P_a), from_b = carom_m_apply(p, &b->R, P_b);
    b->r = carom_v_sub(p, carom_v_add(p, a.r, from_a), from_b);                                  /* (3) */
    carom_vector of_a = carom_m_apply(p, &a.R, carom_v_add(p, carom_v_cross(p, a.w, P_a), sliding));
    carom_vector of_b = carom_m_apply(p, &b->R, carom_v_cross(p, b->w, P_b));
    b->v = carom_v_sub(p, carom_v_add(p, a.v, of_a), of_b);                                      /* (5) */
}

static void place(carom_loader *l, int k, bool *done)
{
    carom_section_of_bodies *x = l->s->bodies;
    const carom_body *body = &x->b.body[k];
    if (done[k])
        return;
    done[k] = true;
    if (body->motion == CAROM_BODY_MOVED)
        moved_pose(l, k);
    if (body->motion != CAROM_BODY_FREE)
        return;
    int parent = x->parent[k];
    if (parent < 0) {
        own_pose(l, k);
        return;
    }
    const carom_joint *joint = &x->b.joint[parent];
    int other = joint->body[0] == k ? joint->body[1] : joint->body[0];
    if (other >= 0)
        place(l, other, done);
    follow(l, k);
}

carom_status carom_bodies_frames(carom_loader *l)
{
    carom_section_of_bodies *x = l->s->bodies;
    bool *done = CAROM_NEW(l->s->arena, bool, x->b.nbody);
    if (!done)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the frames of %d bodies", x->b.nbody);
    for (int k = 0; k < x->b.nbody; k++)
        place(l, k, done);
    x->ready = true;
    if (carom_expr_exhausted(l->s->pool))
        return carom_load_fail(l, carom_text_get(l->s->root, "bodies")->key_place,
                               "the equations of the bodies are too large: more than %d nodes of expressions",
                               l->s->nodes);
    return CAROM_OK;
}

carom_status carom_bodies_file_poses(carom_loader *l)
{
    carom_section_of_bodies *x = l->s->bodies;
    x->frame = CAROM_NEW(l->s->arena, carom_frame, x->b.nbody);
    if (!x->frame)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the frames of %d bodies", x->b.nbody);
    for (int k = 0; k < x->b.nbody; k++)
        file_pose(l, k);
    return CAROM_OK;
}

/* ---- points ---- */
static carom_vector arm(carom_loader *l, int body, carom_vector at)
{
    return carom_v_sub(l->s->pool, at, l->s->bodies->frame[body].centre);
}

carom_vector carom_frame_point(carom_loader *l, int body, carom_vector at)
{
    if (body < 0)
        return at;
    const carom_frame *f = &l->s->bodies->frame[body];
    return carom_v_add(l->s->pool, f->r, carom_m_apply(l->s->pool, &f->R, arm(l, body, at)));
}

carom_vector carom_frame_velocity(carom_loader *l, int body, carom_vector at)
{
    if (body < 0)
        return carom_v_zero(l->s->pool);
    const carom_frame *f = &l->s->bodies->frame[body];
    carom_vector turning = carom_v_cross(l->s->pool, f->w, arm(l, body, at));
    return carom_v_add(l->s->pool, f->v, carom_m_apply(l->s->pool, &f->R, turning));
}

carom_vector carom_frame_direction(carom_loader *l, int body, carom_vector direction)
{
    return body < 0 ? direction : carom_m_apply(l->s->pool, &l->s->bodies->frame[body].R, direction);
}

carom_vector carom_frame_spin(carom_loader *l, int body)
{
    return body < 0 ? carom_v_zero(l->s->pool) : carom_frame_direction(l, body, l->s->bodies->frame[body].w);
}

carom_vector carom_frame_velocity_at(carom_loader *l, int body, carom_vector point)
{
    carom_expr_pool *p = l->s->pool;
    if (body < 0)
        return carom_v_zero(p);
    const carom_frame *f = &l->s->bodies->frame[body];
    carom_vector away = carom_v_sub(p, point, f->r);
    return carom_v_add(p, f->v, carom_v_cross(p, carom_frame_spin(l, body), away));
}
