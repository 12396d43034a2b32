/* joints.c: the section joints: what it says, and what it adds to the equations.
 *
 * With the points P of the two ends, d = P_b - P_a, and the axis n_a with n_a, m_a, k_a right-handed on body a, the
 * same three on b, equal at the poses of the file:
 *   hinge     d = 0;  in space also n_a . m_b = n_a . k_b = 0                                             (1)
 *   slider    m_a . d = k_a . d = 0, and no relative turn: n_a . m_b = m_a . k_b = k_a . n_b = 0          (2)
 *   ball      d = 0                                      weld   d = 0, and no relative turn               (3)
 *   distance  |d| = length, unless a range or a motion says where it may be                               (4)
 * A joint that provides a coordinate needs none of these. Coordinate: the angle from a to b about the axis, n_a . d, or
 * |d| (distance and spring). Limits are contacts, dry friction has the law `bounded`, stiffness is a potential. */
#include <math.h>
#include <string.h>

#include "bodies/section.h"

/* ---- reading ---- */
static carom_vector space_of(carom_loader *l, int body, carom_vector at) /* of a frame's point, at the file's poses */
{
    carom_expr_pool *p = l->s->pool;
    if (body < 0)
        return at;
    const carom_frame *f = &l->s->bodies->frame[body];
    return carom_v_add(p, f->r0, carom_m_apply(p, &f->R0, carom_v_sub(p, at, f->centre)));
}

static carom_vector local_of(carom_loader *l, int body, carom_vector point)
{
    carom_expr_pool *p = l->s->pool;
    if (body < 0)
        return point;
    const carom_frame *f = &l->s->bodies->frame[body];
    return carom_v_add(p, f->centre, carom_m_back(p, &f->R0, carom_v_sub(p, point, f->r0)));
}

/* The point of a body that a text names: body.point, or a body alone for its frame's origin. */
static carom_status named_spot(carom_loader *l, const carom_text_node *node, carom_vector *space)
{
    const carom_section_of_bodies *x = l->s->bodies;
    char name[160];
    CAROM_TRY(carom_load_name(l, node, name, sizeof name));
    char *dot = strrchr(name, '.');
    if (dot)
        *dot = 0;
    int body = carom_bodies_find(x, name);
    if (body < 0)
        return carom_load_fail(l, node->place, "there is no body '%s' with points", name);
    if (!dot) {
        *space = space_of(l, body, carom_v_zero(l->s->pool));
        return CAROM_OK;
    }
    const carom_body *b = &x->b.body[body];
    const char *names[64];
    int count = 0;
    for (int i = 0; i < b->shapes; i++) {
        if (!b->shape[i].name)
            continue;
        if (strcmp(b->shape[i].name, dot + 1) == 0) {
            *space = space_of(l, body, carom_quantities(l, b->shape[i].offset));
            return CAROM_OK;
        }
        if (count < CAROM_COUNT(names))
            names[count++] = b->shape[i].name;
    }
    const char *near = carom_nearest(dot + 1, names, count);
    return carom_load_fail(l, node->place, "'%s' has no point '%s'%s%s%s", b->name, dot + 1,
                           near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static carom_status spot(carom_loader *l, const carom_text_node *node, carom_vector *space)
{
    int n = l->s->bodies->b.planar ? 2 : 3, i = 0;
    if (node->kind == CAROM_TEXT_SCALAR)
        return named_spot(l, node, space);
    if (node->kind != CAROM_TEXT_LIST || node->nchild != n)
        return carom_load_fail(l, node->place, "a point is a list of %d numbers or BODY.POINT", n);
    *space = carom_v_zero(l->s->pool);
    for (const carom_text_node *c = node->child; c; c = c->next, i++) {
        carom_given given;
        CAROM_TRY(carom_load_parametric(l, c, "a point", &given));
        space->x[i] = given.e;
    }
    return CAROM_OK;
}

static carom_status set_vector(carom_loader *l, carom_vector v, carom_quantity *to)
{
    for (int i = 0; i < 3; i++)
        CAROM_TRY(carom_set_quantity(l, v.x[i], &to[i]));
    return CAROM_OK;
}

static carom_status points(carom_loader *l, const carom_text_node *node, carom_joint *joint)
{
    const carom_text_node *at = carom_text_get(node, "at"), *two = carom_text_get(node, "points");
    bool line = joint->kind >= CAROM_JOINT_DISTANCE;
    carom_vector space[2];
    if (line ? !two || at : !at || two)
        return carom_load_fail(l, node->key_place, line ? "'%s' needs points: [A, B], one on each body"
                                                        : "'%s' needs at: the point that both bodies share",
                               joint->name);
    if (line && (two->kind != CAROM_TEXT_LIST || two->nchild != 2))
        return carom_load_fail(l, two->place, "points must be two points: [A, B]");
    for (int i = 0; i < 2; i++) {
        CAROM_TRY(spot(l, !line ? at : i ? two->child->next : two->child, &space[i]));
        CAROM_TRY(set_vector(l, local_of(l, joint->body[i], space[i]), joint->point[i]));
    }
    carom_expr_pool *p = l->s->pool;
    return carom_set_quantity(l, carom_v_length(p, carom_v_sub(p, space[1], space[0])), &joint->length);
}

static carom_status axis_of(carom_loader *l, const carom_text_node *node, carom_vector *axis, double *value)
{
    static const char *const words[] = {"x", "y", "z"};
    carom_expr_pool *p = l->s->pool;
    int n = l->s->bodies->b.planar ? 2 : 3;
    *axis = carom_v_zero(p);
    for (int i = 0; i < n && node->kind == CAROM_TEXT_SCALAR; i++)
        if (strcmp(node->text, words[i]) == 0)
            axis->x[i] = carom_expr_const(p, 1);
    if (node->kind != CAROM_TEXT_SCALAR && (node->kind != CAROM_TEXT_LIST || node->nchild != n))
        return carom_load_fail(l, node->place, "axis must be x, y%s or a list of %d numbers", n == 2 ? "" : ", z", n);
    if (node->kind != CAROM_TEXT_SCALAR)
        CAROM_TRY(spot(l, node, axis));
    CAROM_TRY(carom_bodies_choices(l, axis->x, 3, value));
    double size = sqrt(value[0] * value[0] + value[1] * value[1] + value[2] * value[2]);
    if (node->kind == CAROM_TEXT_SCALAR && size == 0)
        return carom_load_fail(l, node->place, "axis must be x, y%s or a list of %d numbers", n == 2 ? "" : ", z", n);
    if (!(size > 0 && isfinite(size)))
        return carom_load_fail(l, node->place, size == 0 ? "the axis has length 0" : "the axis is not finite");
    if (node->kind != CAROM_TEXT_SCALAR)
        *axis = carom_v_scale(p, carom_e_div(p, carom_expr_const(p, 1), carom_v_length(p, *axis)), *axis);
    return CAROM_OK;
}

/* The axis and two directions across it, in space at the file's poses, then in both bodies. */
static carom_status triple(carom_loader *l, const carom_text_node *node, carom_joint *joint)
{
    carom_expr_pool *p = l->s->pool;
    const carom_text_node *given = carom_text_get(node, "axis");
    bool needs = joint->kind == CAROM_JOINT_SLIDER || (joint->kind == CAROM_JOINT_HINGE && !l->s->bodies->b.planar);
    carom_vector axis = carom_v_zero(p), other = carom_v_zero(p);
    double value[3] = {0, 0, 1};
    axis.x[2] = carom_expr_const(p, 1);
    if (needs != (given != NULL))
        return carom_load_fail(l, given ? given->key_place : node->key_place,
                               given ? "'%s' has no axis" : "'%s' needs an axis: x, y%s or a list of numbers",
                               joint->name, given ? "" : l->s->bodies->b.planar ? "" : ", z");
    if (given)
        CAROM_TRY(axis_of(l, given, &axis, value));
    int least = l->s->bodies->b.planar && joint->kind == CAROM_JOINT_SLIDER ? 2 : 0;
    for (int i = 0; i < 3 && least != 2; i++)
        least = fabs(value[i]) < fabs(value[least]) ? i : least;
    other.x[least] = carom_expr_const(p, 1);
    carom_vector m = carom_v_cross(p, other, axis);
    m = carom_v_scale(p, carom_e_div(p, carom_expr_const(p, 1), carom_v_length(p, m)), m);
    carom_vector k = carom_v_cross(p, axis, m);
    for (int i = 0; i < 2; i++) {
        int body = joint->body[i];
        const carom_matrix *R0 = body < 0 ? NULL : &l->s->bodies->frame[body].R0;
        CAROM_TRY(set_vector(l, R0 ? carom_m_back(p, R0, axis) : axis, joint->axis[i]));
        CAROM_TRY(set_vector(l, R0 ? carom_m_back(p, R0, m) : m, joint->across[i][0]));
        CAROM_TRY(set_vector(l, R0 ? carom_m_back(p, R0, k) : k, joint->across[i][1]));
    }
    return CAROM_OK;
}

/* Is there something to move for what acts on the coordinate? */
static carom_status moves(carom_loader *l, const carom_text_node *node, const carom_joint *joint)
{
    static const char *const acts[] = {"range", "restitution", "stiffness", "rest", "damping", "friction_torque",
                                       "friction_force", "motion", "torque", "force"};
    bool weld = joint->kind == CAROM_JOINT_WELD;
    if (!weld && (joint->kind != CAROM_JOINT_DISTANCE || joint->loose))
        return CAROM_OK;
    for (int i = 0; i < CAROM_COUNT(acts); i++) {
        const carom_text_node *c = carom_text_get(node, acts[i]);
        if (c)
            return carom_load_fail(l, c->key_place, weld ? "'%s' is a weld: nothing moves that %s could act on"
                                                         : "'%s' holds its distance: nothing moves that %s could act "
                                                           "on (a range or a motion lets it; a spring has no distance "
                                                           "to hold)", joint->name, acts[i]);
    }
    return CAROM_OK;
}

/* Does every act have what it acts with? */
static carom_status belongs(carom_loader *l, const carom_text_node *node, const carom_joint *joint)
{
    static const char *const needs[][2] = {{"restitution", "range"}, {"rest", "stiffness"}};
    static const char *const pulls[] = {"stiffness", "damping", "force", "torque", "friction_force", "friction_torque",
                                        "range", "motion"};
    static const char *const same[][2] = {{"torque", "force"}, {"friction_torque", "friction_force"}};
    bool idle = joint->kind == CAROM_JOINT_SPRING;
    for (int i = 0; i < CAROM_COUNT(needs); i++) {
        const carom_text_node *c = carom_text_get(node, needs[i][0]);
        if (c && !carom_text_get(node, needs[i][1]))
            return carom_load_fail(l, c->key_place, "'%s' has no %s: %s means nothing without one", joint->name,
                                   needs[i][1], needs[i][0]);
    }
    for (int i = 0; i < CAROM_COUNT(same); i++) {
        const carom_text_node *c = carom_text_get(node, same[i][1]);
        if (c && carom_text_get(node, same[i][0]))
            return carom_load_fail(l, c->key_place, "'%s' has either %s or %s: they are the same, of what turns and of "
                                   "what slides", joint->name, same[i][0], same[i][1]);
    }
    for (int i = 0; i < CAROM_COUNT(pulls); i++)
        idle = idle && !carom_text_get(node, pulls[i]);
    return !idle ? CAROM_OK : carom_load_fail(l, node->key_place,
                                              "the spring '%s' needs a stiffness, damping or force", joint->name);
}

static const struct { const char *key; size_t at; } numbers[] = {
    {"restitution", offsetof(carom_joint, restitution)}, {"stiffness", offsetof(carom_joint, stiffness)},
    {"rest", offsetof(carom_joint, rest)},               {"damping", offsetof(carom_joint, damping)},
    {"friction_torque", offsetof(carom_joint, friction)}, {"friction_force", offsetof(carom_joint, friction)},
    {"length", offsetof(carom_joint, length)}};

static carom_status effects(carom_loader *l, const carom_text_node *node, carom_joint *joint)
{
    bool length = false;
    for (int i = 0; i < CAROM_COUNT(numbers); i++) {
        const carom_text_node *c = carom_text_get(node, numbers[i].key);
        carom_quantity *to = (carom_quantity *)((char *)joint + numbers[i].at);
        length |= c && strcmp(numbers[i].key, "length") == 0;
        if (c)
            CAROM_TRY(carom_read_quantity(l, c, numbers[i].key, to));
    }
    if (length && joint->kind < CAROM_JOINT_DISTANCE)
        return carom_load_fail(l, carom_text_get(node, "length")->key_place, "'%s' has no length", joint->name);
    const carom_text_node *range = carom_text_get(node, "range");
    joint->has_range = range != NULL;
    joint->loose = joint->kind == CAROM_JOINT_DISTANCE && (range || carom_text_get(node, "motion"));
    if (range)
        CAROM_TRY(carom_read_list(l, range, "range", 2, joint->range));
    CAROM_TRY(moves(l, node, joint));
    return belongs(l, node, joint);
}

carom_status carom_joint_keys(carom_loader *l, const carom_text_node *node)
{
    static const char *const keys[] = {
        "hinge", "slider", "ball", "weld", "distance", "spring", "repeat", "at", "points", "axis", "coordinate",
        "range", "restitution", "stiffness", "rest", "damping", "friction_torque", "friction_force", "motion",
        "torque", "force", "length"};
    return carom_load_keys(l, node, keys, CAROM_COUNT(keys), "a joint");
}

static carom_status read_joint(carom_loader *l, int number)
{
    carom_section_of_bodies *x = l->s->bodies;
    carom_joint *joint = &x->b.joint[number];
    const carom_family *f = &x->joint_family[x->joint_family_of[number]];
    carom_quantity none = {0, carom_expr_const(l->s->pool, 0)};
    carom_index index[CAROM_INDICES] = {0};
    carom_family_index(f, number - f->first, index);
    l->index = index, l->nindex = f->indices;
    CAROM_TRY(carom_joint_keys(l, f->node));
    joint->range[0] = joint->range[1] = joint->restitution = joint->stiffness = joint->rest = joint->damping = none;
    joint->friction = joint->start = joint->start_rate = joint->length = none;
    joint->motion = joint->drive = CAROM_EXPR_NONE;
    CAROM_TRY(points(l, f->node, joint));
    CAROM_TRY(triple(l, f->node, joint));
    CAROM_TRY(effects(l, f->node, joint));
    l->nindex = 0;
    return CAROM_OK;
}

carom_status carom_read_joints(carom_loader *l)
{
    for (int i = 0; i < l->s->bodies->b.njoint; i++)
        CAROM_TRY(read_joint(l, i));
    return CAROM_OK;
}

/* ---- what it adds ---- */
static carom_vector direction(carom_loader *l, const carom_joint *joint, int end, const carom_quantity *in)
{
    return carom_frame_direction(l, joint->body[end], carom_quantities(l, in));
}

static carom_vector span(carom_loader *l, const carom_joint *joint) /* d */
{
    carom_vector at[2];
    for (int i = 0; i < 2; i++)
        at[i] = carom_frame_point(l, joint->body[i], carom_quantities(l, joint->point[i]));
    return carom_v_sub(l->s->pool, at[1], at[0]);
}

static carom_expr angle_of(carom_loader *l, int body, bool file)
{
    const carom_frame *f = body < 0 ? NULL : &l->s->bodies->frame[body];
    return !f ? carom_expr_const(l->s->pool, 0) : file ? f->angle0 : f->angle;
}

static carom_expr turned(carom_loader *l, const carom_joint *joint) /* the planar angle from a to b */
{
    carom_expr_pool *p = l->s->pool;
    carom_expr now = carom_e_sub(p, angle_of(l, joint->body[1], false), angle_of(l, joint->body[0], false));
    return carom_e_sub(p, now, carom_e_sub(p, angle_of(l, joint->body[1], true), angle_of(l, joint->body[0], true)));
}

static carom_expr cosine(carom_loader *l, const carom_joint *joint, const carom_quantity *a, const carom_quantity *b)
{
    return carom_v_dot(l->s->pool, direction(l, joint, 0, a), direction(l, joint, 1, b));
}

/* The angle in space, less a given one: it goes round with what is given. */
static carom_expr turned_in_space(carom_loader *l, const carom_joint *joint, carom_expr given)
{
    carom_expr_pool *p = l->s->pool;
    carom_expr along = cosine(l, joint, joint->across[0][0], joint->across[1][0]);
    carom_expr across = cosine(l, joint, joint->across[0][1], joint->across[1][0]);
    if (given == CAROM_EXPR_NONE)
        return carom_expr_binary(p, CAROM_OP_ATAN2, across, along);
    carom_expr c = carom_expr_unary(p, CAROM_OP_COS, given), s = carom_expr_unary(p, CAROM_OP_SIN, given);
    return carom_expr_binary(p, CAROM_OP_ATAN2, carom_e_sub(p, carom_e_mul(p, c, across), carom_e_mul(p, s, along)),
                             carom_e_add(p, carom_e_mul(p, c, along), carom_e_mul(p, s, across)));
}

static bool turns_in_space(const carom_section_of_bodies *x, int number) /* and has no coordinate of its own */
{
    carom_joint_kind kind = x->b.joint[number].kind;
    return !x->b.planar && x->joint_q[number] < 0 && (kind == CAROM_JOINT_HINGE || kind == CAROM_JOINT_BALL);
}

carom_expr carom_joint_angle(carom_loader *l, int number)
{
    carom_expr_pool *p = l->s->pool;
    const carom_section_of_bodies *x = l->s->bodies;
    const carom_joint *joint = &x->b.joint[number];
    if (x->joint_q[number] >= 0)
        return carom_expr_var(p, l->s->var_q + x->joint_q[number]);
    if (joint->kind >= CAROM_JOINT_DISTANCE)
        return carom_v_length(p, span(l, joint));
    if (joint->kind == CAROM_JOINT_SLIDER)
        return carom_v_dot(p, direction(l, joint, 0, joint->axis[0]), span(l, joint));
    if (x->b.planar)
        return turned(l, joint);
    carom_expr given = CAROM_EXPR_NONE;
    if (carom_joint_motion(l, number, &given) != CAROM_OK || given == CAROM_EXPR_NONE) /* prescribed() says why not */
        return turned_in_space(l, joint, CAROM_EXPR_NONE);
    return carom_e_add(p, given, turned_in_space(l, joint, given));
}

carom_expr carom_joint_rate(carom_loader *l, int number)
{
    const carom_section_of_bodies *x = l->s->bodies;
    if (x->joint_q[number] >= 0)
        return carom_expr_var(l->s->pool, l->s->var_v + x->joint_q[number]);
    return carom_source_rate(l->s, carom_joint_angle(l, number));
}

static carom_status fast_row(carom_loader *l, const carom_joint *joint, const char *part, carom_expr g,
                             carom_expr speed)
{
    const char *name = carom_arena_format(l->s->arena, "%s%s%s", joint->name, part[0] ? "." : "", part);
    return name ? carom_add_joint(l, name, g, speed, joint->node)
                : carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for joint '%s'", joint->name);
}

static carom_status row(carom_loader *l, const carom_joint *joint, const char *part, carom_expr g)
{
    return fast_row(l, joint, part, g, CAROM_EXPR_NONE);
}

static carom_status same_point(carom_loader *l, const carom_joint *joint)
{
    static const char *const parts[] = {"x", "y", "z"};
    carom_vector d = span(l, joint), v[2];
    for (int i = 0; i < 2; i++)
        v[i] = carom_frame_velocity(l, joint->body[i], carom_quantities(l, joint->point[i]));
    for (int i = 0; i < (l->s->bodies->b.planar ? 2 : 3); i++)
        CAROM_TRY(fast_row(l, joint, parts[i], d.x[i], carom_e_sub(l->s->pool, v[1].x[i], v[0].x[i])));
    return CAROM_OK;
}

static carom_status same_turn(carom_loader *l, const carom_joint *joint)
{
    if (l->s->bodies->b.planar)
        return row(l, joint, "angle", turned(l, joint));
    CAROM_TRY(row(l, joint, "turn1", cosine(l, joint, joint->axis[0], joint->across[1][0])));
    CAROM_TRY(row(l, joint, "turn2", cosine(l, joint, joint->across[0][0], joint->across[1][1])));
    return row(l, joint, "turn3", cosine(l, joint, joint->across[0][1], joint->axis[1]));
}

static carom_status constraints(carom_loader *l, int number)
{
    carom_expr_pool *p = l->s->pool;
    const carom_section_of_bodies *x = l->s->bodies;
    const carom_joint *joint = &x->b.joint[number];
    if (x->child[number] >= 0 || joint->kind == CAROM_JOINT_SPRING || joint->loose)
        return CAROM_OK;
    switch (joint->kind) {
    case CAROM_JOINT_HINGE: /* (1) */
        CAROM_TRY(same_point(l, joint));
        if (x->b.planar)
            return CAROM_OK;
        CAROM_TRY(row(l, joint, "tilt1", cosine(l, joint, joint->axis[0], joint->across[1][0])));
        return row(l, joint, "tilt2", cosine(l, joint, joint->axis[0], joint->across[1][1]));
    case CAROM_JOINT_SLIDER: /* (2) */
        for (int i = 0; i < 2; i++)
            if (!x->b.planar || i == 0)
                CAROM_TRY(row(l, joint, i ? "side2" : "side1",
                              carom_v_dot(p, direction(l, joint, 0, joint->across[0][i]), span(l, joint))));
        return same_turn(l, joint);
    case CAROM_JOINT_WELD: /* (3) */
        CAROM_TRY(same_point(l, joint));
        return same_turn(l, joint);
    case CAROM_JOINT_BALL: return same_point(l, joint);
    default: /* (4) */
        return row(l, joint, "", carom_e_sub(p, carom_v_length(p, span(l, joint)),
                                             carom_quantity_expr(l, &joint->length)));
    }
}

static bool present(const carom_loader *l, const carom_quantity *q)
{
    return !carom_e_is(l->s->pool, q->e, 0);
}

static carom_status limits(carom_loader *l, int number)
{
    carom_expr_pool *p = l->s->pool;
    const carom_joint *joint = &l->s->bodies->b.joint[number];
    carom_pair_law law = {.law = &carom_law_unilateral, .ncoefficient = carom_law_coefficients(&carom_law_unilateral)};
    for (int i = 0; i < law.ncoefficient; i++)
        law.coefficient[i].e = carom_expr_const(p, carom_law_unilateral.method.fields[i].value);
    law.coefficient[0] = joint->restitution;
    for (int i = 0; i < 2 && joint->has_range; i++) {
        carom_expr s = carom_joint_angle(l, number), end = carom_quantity_expr(l, &joint->range[i]);
        const char *name = carom_arena_format(l->s->arena, "%s %s", joint->name, i ? "above" : "below");
        if (!name)
            return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for joint '%s'", joint->name);
        CAROM_TRY(carom_add_contact(l, name, i ? carom_e_sub(p, end, s) : carom_e_sub(p, s, end), NULL, 0, &law,
                                    carom_text_get(joint->node, "range")));
    }
    if (!present(l, &joint->friction))
        return CAROM_OK;
    carom_pair_law dry = {.law = &carom_law_bounded, .law_name = carom_law_bounded.method.name, .ncoefficient = 1};
    dry.coefficient[0] = joint->friction;
    const char *name = carom_arena_format(l->s->arena, "%s friction", joint->name);
    return carom_add_contact(l, name, carom_joint_angle(l, number), NULL, 0, &dry, joint->node);
}

static carom_status expression_of(carom_loader *l, int number, const carom_text_node *node, carom_expr *e)
{
    const carom_section_of_bodies *x = l->s->bodies;
    const carom_family *f = &x->joint_family[x->joint_family_of[number]];
    carom_index index[CAROM_INDICES] = {0};
    const carom_index *outer = l->index; /* another expression may ask for the coordinate */
    int nouter = l->nindex;
    carom_given given = {.e = CAROM_EXPR_NONE};
    carom_status status = CAROM_OK;
    if (node) {
        carom_family_index(f, number - f->first, index);
        l->index = index, l->nindex = f->indices;
        status = carom_load_expression(l, node, node->key, &given);
        l->index = outer, l->nindex = nouter;
    }
    *e = given.e;
    return status;
}

carom_status carom_joint_motion(carom_loader *l, int number, carom_expr *e)
{
    const carom_text_node *motion = carom_text_get(l->s->bodies->b.joint[number].node, "motion");
    CAROM_TRY(expression_of(l, number, motion, e));
    if (motion && carom_expr_depends(l->s->pool, *e, l->s->var_q, l->s->var_p))
        return carom_load_fail(l, motion->place, "motion may depend on time and parameters only");
    return CAROM_OK;
}

static carom_status prescribed(carom_loader *l, int number)
{
    const carom_section_of_bodies *x = l->s->bodies;
    const carom_joint *joint = &x->b.joint[number];
    carom_expr e;
    CAROM_TRY(carom_joint_motion(l, number, &e));
    if (e == CAROM_EXPR_NONE)
        return CAROM_OK;
    return row(l, joint, "motion", turns_in_space(x, number)
                                       ? turned_in_space(l, joint, e)
                                       : carom_e_sub(l->s->pool, carom_joint_angle(l, number), e));
}

carom_status carom_bodies_joints(carom_loader *l)
{
    for (int i = 0; i < l->s->bodies->b.njoint; i++) {
        CAROM_TRY(constraints(l, i));
        CAROM_TRY(prescribed(l, i));
        CAROM_TRY(limits(l, i));
    }
    return CAROM_OK;
}

/* Are all numbers of a joint finite? */
static carom_status check_numbers(carom_loader *l, const carom_joint *joint)
{
    const carom_section_of_bodies *x = l->s->bodies;
    const carom_text_node *points = carom_text_get(joint->node, "points");
    for (int i = 0; i < CAROM_COUNT(numbers); i++)
        CAROM_TRY(carom_check_finite(l->s, joint->node, numbers[i].key,
                                     (const carom_quantity *)((const char *)joint + numbers[i].at), 1, l->error));
    CAROM_TRY(carom_check_finite(l->s, joint->node, "range", joint->range, 2, l->error));
    for (int end = 0; end < 2; end++)
        for (int i = 0; i < (x->b.planar ? 2 : 3); i++)
            if (!isfinite(joint->point[end][i].value))
                return carom_load_fail(l, points ? points->place : carom_text_get(joint->node, "at")->place,
                                       "the place of '%s' is not finite", joint->name);
    return CAROM_OK;
}

/* Do the numbers of joints make sense? Without a coordinate the angle in space is known between -pi and pi; with a
 * motion, wherever that leads. */
carom_status carom_joint_values(carom_loader *l)
{
    const carom_section_of_bodies *x = l->s->bodies;
    for (int i = 0; i < x->b.njoint; i++) {
        const carom_joint *joint = &x->b.joint[i];
        const carom_text_node *range = carom_text_get(joint->node, "range");
        double a = joint->range[0].value, b = joint->range[1].value;
        CAROM_TRY(check_numbers(l, joint));
        if (joint->kind == CAROM_JOINT_SPRING && joint->length.value < 0)
            return carom_load_fail(l, carom_text_get(joint->node, "length")->place,
                                   "the length of '%s' is %g; it must not be negative", joint->name,
                                   joint->length.value);
        if (joint->kind == CAROM_JOINT_DISTANCE && !joint->loose && !(joint->length.value > 0))
            return carom_load_fail(l, joint->node->key_place, "the length of '%s' is %g; it must be positive (points "
                                   "that coincide are held by a %s)", joint->name, joint->length.value,
                                   x->b.planar ? "hinge" : "ball");
        if (range && !(a <= b))
            return carom_load_fail(l, range->place, "the range of '%s' ends at %g, before it begins at %g", joint->name,
                                   b, a);
        if (range && turns_in_space(x, i) && !carom_text_get(joint->node, "motion") && !(a > -M_PI && b < M_PI))
            return carom_load_fail(l, range->place, "the angle of '%s' is known between -pi and pi, and its range goes "
                                   "from %g to %g (with `coordinate: relative` there is no such limit)", joint->name,
                                   a, b);
    }
    return CAROM_OK;
}

/* A spring that is wound up by half a turn would let go: the run stops before. */
void carom_joint_watch(carom_loader *l)
{
    const double least = -0.995; /* of the cosine: 0.1 before half a turn */
    carom_source *s = l->s;
    for (int i = 0; i < s->bodies->b.njoint; i++) {
        const carom_joint *joint = &s->bodies->b.joint[i];
        if (!turns_in_space(s->bodies, i) || !present(l, &joint->stiffness) || carom_text_get(joint->node, "motion"))
            continue;
        carom_expr along = cosine(l, joint, joint->across[0][0], joint->across[1][0]);
        carom_expr ends = carom_expr_binary(s->pool, CAROM_OP_LT, along, carom_expr_const(s->pool, least));
        s->watch = s->watched + s->wound++ ? carom_expr_binary(s->pool, CAROM_OP_OR, s->watch, ends) : ends;
    }
}

/* ---- forces ---- */
carom_status carom_joint_drive(carom_loader *l, int number, carom_expr *e)
{
    const carom_text_node *joint = l->s->bodies->b.joint[number].node, *node = carom_text_get(joint, "torque");
    return expression_of(l, number, node ? node : carom_text_get(joint, "force"), e);
}

static carom_status drive(carom_loader *l, int number)
{
    carom_expr e;
    CAROM_TRY(carom_joint_drive(l, number, &e));
    return e == CAROM_EXPR_NONE ? CAROM_OK : carom_add_push(l, e, carom_joint_rate(l, number));
}

carom_status carom_joint_forces(carom_loader *l)
{
    carom_source *s = l->s;
    carom_expr_pool *p = s->pool;
    for (int i = 0; i < s->bodies->b.njoint; i++) {
        const carom_joint *joint = &s->bodies->b.joint[i];
        bool spring = joint->kind == CAROM_JOINT_SPRING;
        if (present(l, &joint->stiffness)) {
            carom_expr from = carom_quantity_expr(l, spring ? &joint->length : &joint->rest);
            carom_expr away = carom_e_sub(p, carom_joint_angle(l, i), from);
            carom_expr energy = carom_e_mul(p, carom_quantity_expr(l, &joint->stiffness), carom_e_mul(p, away, away));
            s->potential.e = carom_e_add(p, s->potential.e, carom_e_scale(p, 0.5, energy));
        }
        if (present(l, &joint->damping)) {
            carom_expr rate = carom_joint_rate(l, i), c = carom_quantity_expr(l, &joint->damping);
            CAROM_TRY(carom_add_push(l, carom_expr_unary(p, CAROM_OP_NEG, carom_e_mul(p, c, rate)), rate));
        }
        CAROM_TRY(drive(l, i));
    }
    return CAROM_OK;
}
