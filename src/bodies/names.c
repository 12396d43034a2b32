/* names.c: what bodies and joints are called in expressions, and forces on them.
 *
 *     box.x box.y box.z box.angle      the centre of mass and the angle; with ' their velocities
 *     box.spin (plane), box.spin.x     in space axes; box.wx box.wy box.wz: in body axes; box.e0 ... box.e3
 *     box.tip.x                        a point that has a name; point(box, [w/2, 0]).x: any point of the body's frame
 *     elbow, elbow'                    the coordinate of a joint, whether it is one of the model's or not
 * forces: the same names for a force along them, or
 *     box: {force: [fx, fy], at: [x, y], torque: m, axes: body} */
#include <string.h>

#include "bodies/section.h"

static const char *const axes[] = {"x", "y", "z"};

static int axis_of(const carom_section_of_bodies *x, const char *part)
{
    for (int i = 0; i < (x->b.planar ? 2 : 3); i++)
        if (strcmp(part, axes[i]) == 0)
            return i;
    return -1;
}

static carom_expr component(carom_loader *l, int body, carom_vector at, const char *part, bool rate)
{
    int i = axis_of(l->s->bodies, part);
    if (i < 0)
        return CAROM_EXPR_NONE;
    return rate ? carom_frame_velocity(l, body, at).x[i] : carom_frame_point(l, body, at).x[i];
}

static carom_expr turning(carom_loader *l, int body, const char *part, bool rate)
{
    const carom_section_of_bodies *x = l->s->bodies;
    const carom_frame *f = &x->frame[body];
    if (x->b.planar && strcmp(part, "angle") == 0)
        return rate ? f->w.x[2] : f->angle;
    if (x->b.planar && strcmp(part, "spin") == 0 && !rate)
        return f->w.x[2];
    if (x->b.planar || rate)
        return CAROM_EXPR_NONE;
    for (int i = 0; i < 3; i++) {
        if (strncmp(part, "spin.", 5) == 0 && strcmp(part + 5, axes[i]) == 0)
            return carom_frame_spin(l, body).x[i];
        if (part[0] == 'w' && strcmp(part + 1, axes[i]) == 0)
            return f->w.x[i];
    }
    if (part[0] == 'e' && part[1] >= '0' && part[1] <= '3' && !part[2] && x->place[body].q[3] >= 0)
        return carom_expr_var(l->s->pool, l->s->var_q + x->place[body].q[3] + part[1] - '0');
    return CAROM_EXPR_NONE;
}

static carom_expr of_body(carom_loader *l, int body, const char *part, bool rate)
{
    const carom_section_of_bodies *x = l->s->bodies;
    const carom_body *b = &x->b.body[body];
    int i = axis_of(x, part);
    if (i >= 0)
        return rate ? x->frame[body].v.x[i] : x->frame[body].r.x[i];
    const char *dot = strchr(part, '.');
    for (int k = 0; dot && k < b->shapes; k++) {
        const carom_body_shape *s = &b->shape[k];
        if (s->name && strlen(s->name) == (size_t)(dot - part) && strncmp(s->name, part, (size_t)(dot - part)) == 0)
            return component(l, body, carom_quantities(l, s->offset), dot + 1, rate);
    }
    return turning(l, body, part, rate);
}

static int find_joint(const carom_section_of_bodies *x, const char *name)
{
    for (int i = 0; i < x->b.njoint; i++)
        if (strcmp(x->b.joint[i].name, name) == 0 ||
            (x->b.joint[i].coordinate && strcmp(x->b.joint[i].coordinate, name) == 0))
            return i;
    return -1;
}

/* The position (rate false) or velocity that a name without ' stands for. */
static carom_expr find(carom_loader *l, const char *name, bool rate)
{
    const carom_section_of_bodies *x = l->s->bodies;
    const char *dot = strchr(name, '.');
    char body[160];
    if (!dot) {
        int joint = find_joint(x, name);
        if (joint < 0 || x->b.joint[joint].kind == CAROM_JOINT_WELD ||
            (x->b.joint[joint].kind == CAROM_JOINT_BALL && !x->b.planar))
            return CAROM_EXPR_NONE;
        return rate ? carom_joint_rate(l, joint) : carom_joint_angle(l, joint);
    }
    size_t n = (size_t)(dot - name);
    if (n >= sizeof body)
        return CAROM_EXPR_NONE;
    memcpy(body, name, n);
    body[n] = 0;
    int k = carom_bodies_find(x, body);
    return k < 0 ? CAROM_EXPR_NONE : of_body(l, k, dot + 1, rate);
}

carom_expr carom_bodies_lookup(carom_loader *l, const char *name)
{
    char word[200];
    size_t n = strlen(name);
    if (!l->s->bodies->ready || n == 0 || n >= sizeof word)
        return CAROM_EXPR_NONE;
    memcpy(word, name, n + 1);
    bool rate = word[n - 1] == '\'';
    word[n - rate] = 0;
    return find(l, word, rate);
}

carom_expr carom_bodies_part(carom_loader *l, const char *function, const char *object, const carom_expr *list, int n,
                             const char *part, bool *known)
{
    const carom_section_of_bodies *x = l->s->bodies;
    char word[40];
    *known = strcmp(function, "point") == 0;
    if (!*known || !object || !x->ready || n != (x->b.planar ? 2 : 3) || strlen(part) >= sizeof word || !part[0])
        return CAROM_EXPR_NONE;
    int body = carom_bodies_find(x, object);
    strcpy(word, part);
    bool rate = word[strlen(word) - 1] == '\'';
    word[strlen(word) - rate] = 0;
    carom_vector at = carom_v_zero(l->s->pool);
    memcpy(at.x, list, sizeof *list * (size_t)n);
    return body < 0 ? CAROM_EXPR_NONE : component(l, body, at, word, rate);
}

const char *carom_bodies_hint(const carom_source *s, int i)
{
    const carom_section_of_bodies *x = s->bodies;
    int q = s->nq - s->nformula;
    if (i < q)
        return s->q_name[s->nformula + i];
    return i - q < x->b.njoint ? x->b.joint[i - q].name : NULL;
}

const char *carom_bodies_near(const carom_source *s, const char *name)
{
    const carom_section_of_bodies *x = s->bodies;
    const char **names = CAROM_NEW(s->arena, const char *, x->b.nbody + x->b.njoint);
    for (int i = 0; names && i < x->b.nbody + x->b.njoint; i++)
        names[i] = i < x->b.nbody ? x->b.body[i].name : x->b.joint[i - x->b.nbody].name;
    return names ? carom_nearest(name, names, x->b.nbody + x->b.njoint) : NULL;
}

/* ---- forces ---- */
bool carom_bodies_names(const carom_loader *l, const char *key)
{
    const carom_section_of_bodies *x = l->s->bodies;
    return strchr(key, '.') || carom_bodies_find(x, key) >= 0 || find_joint(x, key) >= 0;
}

carom_status carom_add_push(carom_loader *l, carom_expr force, carom_expr speed)
{
    carom_source *s = l->s;
    for (int i = 0; i < s->nv; i++) {
        carom_expr part = carom_e_mul(s->pool, force, carom_expr_diff(s->pool, speed, s->var_v + i));
        s->forces[i].e = carom_e_add(s->pool, s->forces[i].e, part);
    }
    return CAROM_OK;
}

static carom_status vector_of(carom_loader *l, const carom_text_node *node, int n, carom_vector *to)
{
    int i = 0;
    *to = carom_v_zero(l->s->pool);
    if (node->kind != CAROM_TEXT_LIST || node->nchild != n)
        return carom_load_fail(l, node->place, "%s must be a list of %d expressions", node->key, n);
    for (const carom_text_node *c = node->child; c; c = c->next, i++) {
        carom_given given;
        CAROM_TRY(carom_load_expression(l, c, node->key, &given));
        to->x[i] = given.e;
    }
    return CAROM_OK;
}

static bool moves(const carom_source *s, carom_expr speed)
{
    return carom_expr_depends(s->pool, speed, s->var_v, s->var_v + s->nv);
}

/* *any: is there something that moves along one of the components? */
static carom_status push(carom_loader *l, const carom_vector *force, const carom_vector *speed, bool *any)
{
    for (int i = 0; i < 3; i++) {
        *any |= moves(l->s, speed->x[i]);
        CAROM_TRY(carom_add_push(l, force->x[i], speed->x[i]));
    }
    return CAROM_OK;
}

static carom_status torque_of(carom_loader *l, const carom_text_node *node, carom_vector *to)
{
    carom_given given;
    if (!l->s->bodies->b.planar)
        return vector_of(l, node, 3, to);
    *to = carom_v_zero(l->s->pool);
    CAROM_TRY(carom_load_expression(l, node, "torque", &given));
    to->x[2] = given.e;
    return CAROM_OK;
}

static carom_status on_body(carom_loader *l, const carom_text_node *node, int body)
{
    static const char *const keys[] = {"force", "at", "torque", "axes"};
    const carom_section_of_bodies *x = l->s->bodies;
    const carom_text_node *force = carom_text_get(node, "force"), *at = carom_text_get(node, "at"),
                          *torque = carom_text_get(node, "torque"), *frame = carom_text_get(node, "axes");
    int n = x->b.planar ? 2 : 3;
    bool any = false;
    carom_vector f, where = x->frame[body].centre;
    CAROM_TRY(carom_load_map(l, node, "a force on a body"));
    CAROM_TRY(carom_load_keys(l, node, keys, CAROM_COUNT(keys), "a force on a body"));
    if (frame && (frame->kind != CAROM_TEXT_SCALAR ||
                  (strcmp(frame->text, "body") != 0 && strcmp(frame->text, "space") != 0)))
        return carom_load_fail(l, frame->place, "axes are those of space or body");
    bool in_body = frame && strcmp(frame->text, "body") == 0;
    if (!force && !torque)
        return carom_load_fail(l, node->key_place, "what acts on '%s' needs a force or a torque", node->key);
    if (at)
        CAROM_TRY(vector_of(l, at, n, &where));
    if (force) {
        CAROM_TRY(vector_of(l, force, n, &f));
        f = in_body ? carom_frame_direction(l, body, f) : f;
        carom_vector v = carom_frame_velocity(l, body, where);
        CAROM_TRY(push(l, &f, &v, &any));
    }
    if (torque) {
        CAROM_TRY(torque_of(l, torque, &f));
        carom_vector w = in_body ? x->frame[body].w : carom_frame_spin(l, body);
        CAROM_TRY(push(l, &f, &w, &any));
    }
    return any ? CAROM_OK : carom_load_fail(l, node->key_place, "'%s' does not move so: this does nothing", node->key);
}

/* The velocity along which a force called by its direction acts: of box.x it is box.x', box.spin and box.wx are one. */
static carom_status direction_of(carom_loader *l, const carom_text_node *node, carom_expr *speed)
{
    carom_text_node rate = {.kind = CAROM_TEXT_SCALAR, .place = node->key_place};
    carom_given given = {CAROM_EXPR_NONE, NULL};
    *speed = find(l, node->key, true);
    if (*speed == CAROM_EXPR_NONE)
        *speed = find(l, node->key, false);
    if (*speed != CAROM_EXPR_NONE || strncmp(node->key, "point(", 6) != 0)
        return CAROM_OK;
    if (!(rate.text = carom_arena_format(l->s->arena, "%s'", node->key)))
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for a force");
    CAROM_TRY(carom_load_expression(l, &rate, "the direction of a force", &given));
    *speed = given.e;
    return CAROM_OK;
}

carom_status carom_bodies_force(carom_loader *l, const carom_text_node *node)
{
    int body = carom_bodies_find(l->s->bodies, node->key);
    carom_given given;
    carom_expr speed;
    if (body >= 0)
        return on_body(l, node, body);
    CAROM_TRY(direction_of(l, node, &speed));
    if (speed == CAROM_EXPR_NONE) {
        const char *near = carom_nearest(node->key, l->s->q_name, l->s->nq);
        return carom_load_fail(l, node->key_place, "no force can act along '%s'%s%s%s", node->key,
                               near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    if (!moves(l->s, speed))
        return carom_load_fail(l, node->key_place, "nothing moves along '%s': this force does nothing", node->key);
    CAROM_TRY(carom_load_expression(l, node, "a force", &given));
    return carom_add_push(l, given.e, speed);
}

carom_status carom_bodies_dynamics(carom_loader *l)
{
    carom_source *s = l->s;
    const carom_section_of_bodies *x = s->bodies;
    carom_vector g = carom_quantities(l, x->b.gravity);
    s->rigid = CAROM_NEW(s->arena, carom_rigid, x->b.nbody);
    if (!s->rigid)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for %d bodies", x->b.nbody);
    for (int k = 0; k < x->b.nbody; k++) {
        const carom_body *body = &x->b.body[k];
        const carom_frame *f = &x->frame[k];
        carom_rigid *to = &s->rigid[s->nrigid];
        if (body->motion != CAROM_BODY_FREE)
            continue;
        s->nrigid++;
        to->mass = carom_quantity_expr(l, &body->mass);
        memcpy(to->v, f->v.x, sizeof to->v);
        memcpy(to->w, f->w.x, sizeof to->w);
        for (int i = 0; i < 6; i++)
            to->inertia[i] = carom_quantity_expr(l, &body->inertia[i]);
        carom_expr weight = carom_e_mul(s->pool, to->mass, carom_v_dot(s->pool, g, f->r));
        s->potential.e = carom_e_sub(s->pool, s->potential.e, weight);
    }
    return carom_joint_forces(l);
}
