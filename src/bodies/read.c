/* read.c: the section bodies: shapes, points, mass, place and velocity, each number an expression of parameters. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bodies/section.h"

static carom_status no_memory(carom_loader *l)
{
    return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the bodies");
}

/* ---- quantities ---- */
carom_status carom_set_quantity(carom_loader *l, carom_expr e, carom_quantity *to)
{
    carom_section_of_bodies *x = l->s->bodies;
    carom_bodies *b = &x->b;
    double value = 0;
    if (carom_expr_is_const(l->s->pool, e, &value)) {
        *to = (carom_quantity){value, e};
        return CAROM_OK;
    }
    if (b->nquantity == x->nquantity_most) {
        int most = 2 * x->nquantity_most + 256;
        carom_quantity **list = CAROM_NEW(l->s->arena, carom_quantity *, most);
        if (!list)
            return no_memory(l);
        if (b->nquantity)
            memcpy(list, b->quantity, sizeof *list * (size_t)b->nquantity);
        b->quantity = list;
        x->nquantity_most = most;
    }
    *to = (carom_quantity){0, e};
    b->quantity[b->nquantity++] = to;
    return CAROM_OK;
}

carom_expr carom_quantity_expr(carom_loader *l, const carom_quantity *q)
{
    return q->e == CAROM_EXPR_NONE ? carom_expr_const(l->s->pool, q->value) : q->e;
}

carom_vector carom_quantities(carom_loader *l, const carom_quantity *q)
{
    return (carom_vector){{carom_quantity_expr(l, q), carom_quantity_expr(l, q + 1), carom_quantity_expr(l, q + 2)}};
}

carom_status carom_read_quantity(carom_loader *l, const carom_text_node *node, const char *what, carom_quantity *to)
{
    carom_given given;
    CAROM_TRY(carom_load_parametric(l, node, what, &given));
    return carom_set_quantity(l, given.e, to);
}

carom_status carom_read_list(carom_loader *l, const carom_text_node *node, const char *what, int n, carom_quantity *to)
{
    if (node->kind != CAROM_TEXT_LIST || node->nchild != n)
        return carom_load_fail(l, node->place, "%s must be a list of %d numbers", what, n);
    for (const carom_text_node *c = node->child; c; c = c->next)
        CAROM_TRY(carom_read_quantity(l, c, what, to++));
    return CAROM_OK;
}

static void no_numbers(carom_loader *l, carom_quantity *q, int n)
{
    for (int i = 0; i < n; i++)
        q[i] = (carom_quantity){0, carom_expr_const(l->s->pool, 0)};
}

static int dimension(const carom_loader *l)
{
    return l->s->bodies->b.planar ? 2 : 3;
}

static const char *const axes[] = {"x", "y", "z"};

/* An angle in the plane, turns about x, y, z in space. */
static carom_status turns(carom_loader *l, const carom_text_node *node, carom_quantity *to)
{
    if (l->s->bodies->b.planar && node->kind == CAROM_TEXT_SCALAR)
        return carom_read_quantity(l, node, node->key, &to[2]);
    if (node->kind != CAROM_TEXT_MAP)
        return carom_load_fail(l, node->place, l->s->bodies->b.planar
                                                   ? "%s must be an angle"
                                                   : "%s must be turns about body axes x, y, z: {x: a, y: b, z: c}",
                               node->key);
    CAROM_TRY(carom_load_keys(l, node, axes, 3, "turn"));
    for (int i = 0; i < 3; i++) {
        const carom_text_node *c = carom_text_get(node, axes[i]);
        if (c && l->s->bodies->b.planar && i < 2)
            return carom_load_fail(l, c->key_place, "a planar body turns about z only");
        if (c)
            CAROM_TRY(carom_read_quantity(l, c, "turn", &to[i]));
    }
    return CAROM_OK;
}

/* ---- shapes ---- */
static carom_status corners(carom_loader *l, const carom_text_node *node, carom_body_shape *to)
{
    int d = dimension(l), i = 0;
    if (node->kind != CAROM_TEXT_LIST || node->nchild < d + 1 || node->nchild > CAROM_MOST_CORNERS)
        return carom_load_fail(l, node->place, "a %s has %d to %d corners, each a list of %d numbers", node->key, d + 1,
                               CAROM_MOST_CORNERS, d);
    to->corners = node->nchild;
    to->corner = CAROM_NEW(l->s->arena, carom_quantity, to->corners * d);
    if (!to->corner)
        return no_memory(l);
    for (const carom_text_node *c = node->child; c; c = c->next, i++)
        CAROM_TRY(carom_read_list(l, c, "a corner", d, &to->corner[d * i]));
    return CAROM_OK;
}

static carom_status slab(carom_loader *l, const carom_text_node *node, carom_body_shape *to)
{
    int d = dimension(l);
    if (node->kind != CAROM_TEXT_LIST || node->nchild != 2 || node->child->next->kind != CAROM_TEXT_SCALAR)
        return carom_load_fail(l, node->place, "slab must be [width, up] or [width, axis]: solid between two planes");
    if (d != 2)
        return carom_load_fail(l, node->place, "a slab is planar; in space take a box or two planes");
    const carom_text_node *along = node->child->next;
    int axis = strcmp(along->text, "up") == 0 ? 1 : -1;
    for (int i = 0; i < d; i++)
        axis = strcmp(along->text, axes[i]) == 0 ? i : axis;
    if (axis < 0)
        return carom_load_fail(l, along->place, "a slab goes on along up, x or y");
    to->kind = CAROM_SHAPE_BOX;
    to->size[axis] = (carom_quantity){INFINITY, CAROM_EXPR_NONE};
    CAROM_TRY(carom_read_quantity(l, node->child, "the width of a slab", &to->size[!axis]));
    double width = 0;
    CAROM_TRY(carom_bodies_values_of(l, &to->size[!axis].e, 1, &width));
    if (width > 0 && isfinite(width))
        return CAROM_OK;
    return carom_load_fail(l, node->child->place, "the width of a slab is %g; it must be positive", width);
}

static carom_status sizes(carom_loader *l, const carom_text_node *node, carom_body_shape *to)
{
    static const struct { const char *word; carom_shape_kind kind; int planar, spatial; } table[] = {
        {"point", CAROM_SHAPE_POINT, 0, 0},     {"plane", CAROM_SHAPE_PLANE, 2, 3},
        {"circle", CAROM_SHAPE_BALL, 1, -1},    {"sphere", CAROM_SHAPE_BALL, -1, 1},
        {"capsule", CAROM_SHAPE_CAPSULE, 2, 2}, {"box", CAROM_SHAPE_BOX, 2, 3},
        {"ring", CAROM_SHAPE_RING, 4, -1},      {"cylinder", CAROM_SHAPE_CYLINDER, -1, 2},
        {"ellipsoid", CAROM_SHAPE_ELLIPSOID, -1, 3}};
    bool planar = dimension(l) == 2;
    if (strcmp(node->key, planar ? "polygon" : "polyhedron") == 0) {
        to->kind = CAROM_SHAPE_POLYTOPE;
        return corners(l, node, to);
    }
    if (strcmp(node->key, "slab") == 0)
        return slab(l, node, to);
    for (int i = 0; i < CAROM_COUNT(table); i++) {
        int n = planar ? table[i].planar : table[i].spatial;
        if (strcmp(node->key, table[i].word) != 0 || n < 0)
            continue;
        to->kind = table[i].kind;
        if (n == 0)
            return carom_read_list(l, node, "a point", dimension(l), to->offset);
        if (n == 1)
            return carom_read_quantity(l, node, node->key, to->size);
        return carom_read_list(l, node, node->key, n, to->size);
    }
    return carom_load_fail(l, node->key_place, "there is no %s in %s", node->key, planar ? "the plane" : "space");
}

/* Can laws tell it from what is around it? */
static bool is_part(const char *name)
{
    return name[0] && !name[strcspn(name, " \t.[],")];
}

static carom_status read_name(carom_loader *l, const carom_text_node *node, const char *of, const char **name)
{
    *name = node && node->kind == CAROM_TEXT_SCALAR ? node->text : NULL;
    if (!node || (*name && is_part(*name)))
        return CAROM_OK;
    return carom_load_fail(l, node->place, "the name of %s is one word without dots and brackets", of);
}

static carom_status shape(carom_loader *l, const carom_text_node *node, carom_body_shape *to)
{
    static const char *const more[] = {"offset", "turn", "name", "sides"};
    const carom_text_node *kind = NULL;
    CAROM_TRY(carom_load_map(l, node, "a shape"));
    no_numbers(l, to->size, 4);
    no_numbers(l, to->offset, 3);
    no_numbers(l, to->turn, 3);
    to->node = node;
    const char *keys[CAROM_SHAPE_WORDS + CAROM_COUNT(more)];
    memcpy(keys, carom_shape_words, sizeof(const char *) * CAROM_SHAPE_WORDS);
    memcpy(keys + CAROM_SHAPE_WORDS, more, sizeof more);
    for (const carom_text_node *c = node->child; c; c = c->next)
        if (strncmp(c->key, "mesh", 4) == 0 || strncmp(c->key, "height", 6) == 0)
            return carom_load_fail(l, c->key_place, "the shape '%s' is not there yet; convex pieces are: %s", c->key,
                                   "box, polyhedron, capsule, sphere");
    CAROM_TRY(carom_load_keys(l, node, keys, CAROM_COUNT(keys), "a shape"));
    for (int i = 0; i < CAROM_SHAPE_WORDS; i++) {
        const carom_text_node *c = carom_text_get(node, carom_shape_words[i]);
        if (c && kind)
            return carom_load_fail(l, c->key_place, "this shape is already a %s; several shapes are a list", kind->key);
        kind = c ? c : kind;
    }
    if (!kind)
        return carom_load_fail(l, node->place, "a shape needs a kind, as in {box: [w, h]}");
    const carom_text_node *offset = carom_text_get(node, "offset"), *turn = carom_text_get(node, "turn"),
                          *name = carom_text_get(node, "name"), *sides = carom_text_get(node, "sides");
    if (offset)
        CAROM_TRY(carom_read_list(l, offset, "offset", dimension(l), to->offset));
    if (turn)
        CAROM_TRY(turns(l, turn, to->turn));
    CAROM_TRY(read_name(l, name, "a shape", &to->name));
    if (sides && (sides->kind != CAROM_TEXT_SCALAR || strcmp(sides->text, "flat") != 0))
        return carom_load_fail(l, sides->place, "sides can only be flat: straight lines between the corners of a ring");
    to->flat = sides != NULL;
    return sizes(l, kind, to);
}

static carom_status shapes(carom_loader *l, const carom_text_node *node, carom_body *body)
{
    const carom_text_node *given = carom_text_get(node, "shape"), *points = carom_text_get(node, "points");
    bool list = given && given->kind == CAROM_TEXT_LIST;
    if (points)
        CAROM_TRY(carom_load_map(l, points, "points"));
    if (list && given->nchild == 0)
        return carom_load_fail(l, given->place, "there is no shape in this list");
    body->shape = CAROM_NEW(l->s->arena, carom_body_shape,
                            (given ? list ? given->nchild : 1 : 0) + (points ? points->nchild : 0));
    if (!body->shape)
        return no_memory(l);
    for (const carom_text_node *c = list ? given->child : given; c; c = list ? c->next : NULL)
        CAROM_TRY(shape(l, c, &body->shape[body->shapes++]));
    for (const carom_text_node *c = points ? points->child : NULL; c; c = c->next) {
        carom_body_shape *to = &body->shape[body->shapes++];
        if (!is_part(c->key))
            return carom_load_fail(l, c->key_place, "the name of a point is one word without dots and brackets");
        no_numbers(l, to->size, 4);
        no_numbers(l, to->offset, 3);
        no_numbers(l, to->turn, 3);
        *to = (carom_body_shape){.kind = CAROM_SHAPE_POINT, .name = c->key, .node = c};
        no_numbers(l, to->offset, 3);
        CAROM_TRY(carom_read_list(l, c, "a point", dimension(l), to->offset));
    }
    return CAROM_OK;
}

/* Has every shape a name of its own, if any, that means nothing else? */
static carom_status names_of_shapes(carom_loader *l, const carom_body *body)
{
    for (int i = 0; i < body->shapes; i++) {
        const carom_body_shape *s = &body->shape[i];
        const carom_text_node *name = carom_text_get(s->node, "name");
        const carom_text_place place = name ? name->place : s->node->key_place;
        if (s->name && dimension(l) == 3 && strcmp(s->name, "spin") == 0)
            return carom_load_fail(l, place, "the name 'spin' of a point or shape means something else");
        for (int k = 0; s->name && k < i; k++)
            if (body->shape[k].name && strcmp(s->name, body->shape[k].name) == 0)
                return carom_load_fail(l, place, "'%s' has two shapes or points '%s'", body->name, s->name);
    }
    return CAROM_OK;
}

/* ---- where it starts ---- */
/* Is the place along an axis a coordinate of the model, so that it can be looked for? */
static carom_status can_be_found(carom_loader *l, const carom_text_node *node, const carom_body *body, int axis)
{
    const carom_section_of_bodies *x = l->s->bodies;
    int parent = x->parent[body - x->b.body];
    if (body->motion == CAROM_BODY_FREE && parent < 0 && !body->held[axis])
        return CAROM_OK;
    if (parent >= 0)
        return carom_load_fail(l, node->place, "'%s' follows joint '%s': there is nothing that `%s` could find "
                               "(the section start sets the coordinate of a joint)", body->name,
                               x->b.joint[parent].name, node->text);
    return carom_load_fail(l, node->place, "'%s' is %s: there is nothing that `%s` could find", body->name,
                           body->motion == CAROM_BODY_FREE    ? "held by `fix`"
                           : body->motion == CAROM_BODY_FIXED ? "fixed"
                                                              : "moved",
                           node->text);
}

static carom_status place(carom_loader *l, const carom_text_node *node, carom_body *body)
{
    int i = 0;
    if (node->kind != CAROM_TEXT_LIST || node->nchild != dimension(l))
        return carom_load_fail(l, node->place, "at must be a list of %d numbers (one may be `touch`)", dimension(l));
    for (const carom_text_node *c = node->child; c; c = c->next, i++) {
        if (c->kind == CAROM_TEXT_SCALAR && strcmp(c->text, "touch") == 0) {
            if (body->touch)
                return carom_load_fail(l, c->place, "only one number of at can be `touch`");
            CAROM_TRY(can_be_found(l, c, body, i));
            body->touch = 1u << i;
            continue;
        }
        CAROM_TRY(carom_read_quantity(l, c, "at", &body->at[i]));
    }
    return CAROM_OK;
}

static carom_status of_time(carom_loader *l, const carom_text_node *node, carom_expr *to)
{
    carom_given given;
    CAROM_TRY(carom_load_expression(l, node, "moved", &given));
    if (carom_expr_depends(l->s->pool, given.e, l->s->var_q, l->s->var_p))
        return carom_load_fail(l, node->place, "moved may depend on time and parameters only");
    *to = given.e;
    return CAROM_OK;
}

static carom_status moving_turns(carom_loader *l, const carom_text_node *node, carom_body *body)
{
    if (node->kind != CAROM_TEXT_MAP)
        return carom_load_fail(l, node->place, "turns are functions of t about body axes x, y, z: {x: a, y: b, z: c}");
    CAROM_TRY(carom_load_keys(l, node, axes, 3, "moved"));
    for (int i = 0; i < 3; i++)
        if (carom_text_get(node, axes[i]))
            CAROM_TRY(of_time(l, carom_text_get(node, axes[i]), &body->moved[3 + i]));
    return CAROM_OK;
}

static carom_status moves(carom_loader *l, const carom_text_node *node, carom_body *body)
{
    int d = dimension(l), i = 0;
    if (node->kind != CAROM_TEXT_LIST || (node->nchild != d && node->nchild != d + 1))
        return carom_load_fail(l, node->place, "moved must be a list of %d functions of t (or %s)", d,
                               d == 2 ? "three, with the angle" : "with turns {x: a, y: b, z: c} behind them");
    for (const carom_text_node *c = node->child; c; c = c->next, i++)
        CAROM_TRY(i == 3 ? moving_turns(l, c, body) : of_time(l, c, &body->moved[i == d ? 5 : i]));
    return CAROM_OK;
}

static carom_status starts(carom_loader *l, const carom_text_node *node, carom_body *body)
{
    const carom_text_node *at = carom_text_get(node, "at"), *turn = carom_text_get(node, "turn"),
                          *angle = carom_text_get(node, "angle"), *velocity = carom_text_get(node, "velocity"),
                          *spin = carom_text_get(node, "spin"), *moved = carom_text_get(node, "moved");
    bool planar = dimension(l) == 2;
    if (turn && angle)
        return carom_load_fail(l, angle->key_place, "either turn or angle: not both");
    if (angle && !planar)
        return carom_load_fail(l, angle->key_place, "in space a body has a turn: {x: a, y: b, z: c}");
    for (int i = 0; i < 6; i++)
        body->moved[i] = CAROM_EXPR_NONE;
    if (at)
        CAROM_TRY(place(l, at, body));
    if (turn || angle)
        CAROM_TRY(turns(l, turn ? turn : angle, body->turn));
    body->rolling = velocity && velocity->kind == CAROM_TEXT_SCALAR && strcmp(velocity->text, "rolling") == 0;
    const carom_text_node *motion = velocity ? velocity : spin;
    if (motion && body->motion != CAROM_BODY_FREE)
        return carom_load_fail(l, motion->key_place, "'%s' is %s: %s means nothing here (`moved` moves a body as a "
                               "function of t)", body->name, moved ? "moved" : "fixed", motion->key);
    if (velocity && !body->rolling && velocity->kind != CAROM_TEXT_LIST)
        return carom_load_fail(l, velocity->place, "velocity must be a list of %d numbers, or `rolling`", dimension(l));
    for (int i = 0; body->rolling && i < dimension(l); i++)
        CAROM_TRY(can_be_found(l, velocity, body, i));
    if (velocity && !body->rolling)
        CAROM_TRY(carom_read_list(l, velocity, "velocity", dimension(l), body->velocity));
    if (spin && planar)
        CAROM_TRY(carom_read_quantity(l, spin, "spin", &body->spin[2]));
    else if (spin)
        CAROM_TRY(carom_read_list(l, spin, "spin", 3, body->spin));
    return moved ? moves(l, moved, body) : CAROM_OK;
}

/* What src/geometry says is wrong with a shape, in the words of the file: it knows balls and polytopes. */
static carom_status wrong_shape(const carom_source *s, const carom_body_shape *shape, const char *why,
                                carom_error *error)
{
    const char *word = NULL, *said = strchr(why, ':');
    for (int i = 0; i < CAROM_SHAPE_WORDS; i++)
        if (shape->node->kind == CAROM_TEXT_MAP && carom_text_get(shape->node, carom_shape_words[i]))
            word = carom_shape_words[i];
    return carom_text_fail(&s->file, shape->node->place, error, CAROM_BAD_MODEL, "%s%s", word && said ? word : "",
                           word && said ? said : why);
}

/* Is it a shape at all: positive lengths, a convex polygon? */
static carom_status check_shape(carom_loader *l, const carom_body_shape *s)
{
    int d = dimension(l), n = s->corners * d;
    double corner[3 * CAROM_MOST_CORNERS], size[4];
    carom_expr e[3 * CAROM_MOST_CORNERS], sizes[4];
    carom_shape_spec spec = {.kind = s->kind, .planar = d == 2, .flat = s->flat, .corner = corner,
                             .corners = s->corners};
    carom_shape made;
    carom_error why = {0};
    for (int i = 0; i < n; i++)
        e[i] = carom_quantity_expr(l, &s->corner[i]);
    for (int i = 0; i < 4; i++)
        sizes[i] = carom_quantity_expr(l, &s->size[i]);
    CAROM_TRY(carom_bodies_values_of(l, e, n, corner));
    CAROM_TRY(carom_bodies_values_of(l, sizes, 4, size));
    memcpy(spec.size, size, sizeof size);
    if (carom_text_get(s->node, "slab"))
        return CAROM_OK; /* it has no ends */
    carom_arena *arena = carom_arena_new(0);
    carom_status status = arena ? carom_shape_new(arena, &spec, &made, &why) : CAROM_NO_MEMORY;
    carom_arena_free(arena);
    return status == CAROM_OK ? CAROM_OK : wrong_shape(l->s, s, why.text, l->error);
}

static carom_status read_body(carom_loader *l, int k)
{
    static const char *const keys[] = {"repeat", "fixed",    "moved",   "fix", "shape", "points", "mass",     "density",
                                       "inertia", "centre", "at", "turn", "angle", "velocity", "spin", "group"};
    carom_section_of_bodies *x = l->s->bodies;
    const carom_family *f = &x->family[x->family_of[k]];
    carom_body *body = &x->b.body[k];
    carom_index index[CAROM_INDICES] = {0};
    carom_family_index(f, k - f->first, index);
    l->index = index, l->nindex = f->indices;
    if (k == f->first)
        CAROM_TRY(carom_load_keys(l, f->node, keys, CAROM_COUNT(keys), "a body"));
    CAROM_TRY(read_name(l, carom_text_get(f->node, "group"), "a group", &body->group));
    no_numbers(l, &body->mass, 1);
    no_numbers(l, body->centre, 3);
    no_numbers(l, body->inertia, 6);
    no_numbers(l, body->at, 3);
    no_numbers(l, body->turn, 3);
    no_numbers(l, body->velocity, 3);
    no_numbers(l, body->spin, 3);
    CAROM_TRY(shapes(l, f->node, body));
    for (int i = 0; i < body->shapes && k == f->first; i++)
        CAROM_TRY(check_shape(l, &body->shape[i]));
    CAROM_TRY(names_of_shapes(l, body));
    CAROM_TRY(starts(l, f->node, body));
    CAROM_TRY(carom_bodies_masses(l, body, f->node));
    l->nindex = 0;
    return CAROM_OK;
}

/* ---- names of coordinates ---- */
static carom_status name_coordinate(carom_loader *l, int k, int i, const char *part, bool flat)
{
    carom_source *s = l->s;
    const carom_section_of_bodies *x = s->bodies;
    int q = x->place[k].q[CAROM_MIN(i, 3)], v = x->place[k].v[i];
    const char *name = carom_arena_format(s->arena, "%s.%s", x->b.body[k].name, part);
    const char *rate = flat ? carom_arena_format(s->arena, "%s'", name) : name;
    if (!name || !rate)
        return no_memory(l);
    if (flat)
        s->q_name[q] = name;
    s->v_name[v] = name;
    s->rate_name[v] = rate;
    s->direction[v] = (carom_direction){q, flat ? -1 : i - 3};
    return CAROM_OK;
}

static carom_status name_coordinates(carom_loader *l, int k)
{
    static const char *const parts[] = {"x", "y", "z", "wx", "wy", "wz"};
    carom_source *s = l->s;
    const carom_section_of_bodies *x = s->bodies;
    const carom_place_of *at = &x->place[k];
    for (int i = 0; i < 6; i++)
        if (at->v[i] >= 0)
            CAROM_TRY(name_coordinate(l, k, i, x->b.planar && i == 5 ? "angle" : parts[i], i < 3 || x->b.planar));
    for (int i = 0; !x->b.planar && at->q[3] >= 0 && i < 4; i++)
        if (!(s->q_name[at->q[3] + i] = carom_arena_format(s->arena, "%s.e%d", x->b.body[k].name, i)))
            return no_memory(l);
    return CAROM_OK;
}

/* ---- values ---- */
static double *parameter_values(const carom_source *s)
{
    double *variables = calloc((size_t)s->nvar + 1, sizeof *variables);
    for (int i = 0; variables && i < s->nparameter; i++) {
        const carom_override *override = carom_source_override(s, "", s->parameter[i].name);
        variables[s->var_p + i] = override ? override->value : s->parameter[i].value;
    }
    return variables;
}

carom_status carom_bodies_values_of(carom_loader *l, const carom_expr *e, int n, double *out)
{
    double *variables = parameter_values(l->s);
    if (!variables)
        return no_memory(l);
    for (int i = 0; i < n; i++)
        out[i] = carom_expr_value(l->s->pool, e[i], variables);
    free(variables);
    return CAROM_OK;
}

carom_status carom_bodies_choices(carom_loader *l, const carom_expr *e, int n, double *out)
{
    double constant;
    for (int i = 0; i < n; i++)
        if (!carom_expr_is_const(l->s->pool, e[i], &constant))
            l->s->start_is_found = true;
    return carom_bodies_values_of(l, e, n, out);
}

static carom_status wrong(const carom_source *s, const carom_text_node *node, const char *key, carom_error *error,
                          const char *words, const char *name, double value)
{
    const carom_text_node *given = carom_text_get(node, key);
    return carom_text_fail(&s->file, given ? given->place : node->key_place, error, CAROM_BAD_MODEL,
                           "%s of '%s' is %.6g; it must be positive", words, name, value);
}

/* Principal moments a, b, c of a real body: each positive and at most the sum of the others. The trace bounds are
 * those of the symmetric matrix tr(I)/2 - I, the second moments of mass, which must not be negative. */
static bool possible(const double *I)
{
    double half = 0.5 * (I[0] + I[1] + I[2]);
    double a = half - I[0], b = half - I[1], c = half - I[2], d = -I[3], e = -I[4], f = -I[5];
    double least = -1e-12 * half, area = least * half;
    double det = a * (b * c - e * e) - d * (d * c - e * f) + f * (d * e - b * f);
    return I[0] > 0 && I[1] > 0 && I[2] > 0 && a >= least && b >= least && c >= least && a * b - d * d >= area &&
           b * c - e * e >= area && c * a - f * f >= area && det >= area * half;
}

static carom_status check_body(const carom_source *s, const carom_body *x, bool planar, carom_error *error)
{
    double I[6];
    if (x->motion != CAROM_BODY_FREE)
        return CAROM_OK;
    if (!(x->mass.value > 0 && isfinite(x->mass.value)))
        return wrong(s, x->node, carom_text_get(x->node, "mass") ? "mass" : "density", error, "the mass", x->name,
                     x->mass.value);
    if (x->held[5])
        return CAROM_OK;
    for (int i = 0; i < 6; i++)
        I[i] = x->inertia[i].value;
    if (planar && !(I[2] > 0 && isfinite(I[2])))
        return wrong(s, x->node, "inertia", error, "the inertia", x->name, I[2]);
    const carom_text_node *node = carom_text_get(x->node, "inertia");
    if (!planar && !possible(I))
        return carom_text_fail(&s->file, node ? node->place : x->node->key_place, error, CAROM_BAD_MODEL,
                               "the inertia of '%s' is impossible: principal moments must be positive, and none may "
                               "exceed the sum of the two others", x->name);
    return CAROM_OK;
}

/* Shapes of an array differ where they depend on an index. */
static bool same_sizes(const carom_body_shape *a, const carom_body_shape *b, int dimension)
{
    for (int i = 0; i < 4; i++)
        if (a->size[i].value != b->size[i].value)
            return false;
    for (int i = 0; i < a->corners * dimension; i++)
        if (a->corner[i].value != b->corner[i].value)
            return false;
    return true;
}

static carom_status check_shapes(const carom_source *s, const carom_body *x, const carom_body *before,
                                 carom_error *error)
{
    const carom_bodies *b = &s->bodies->b;
    double corner[3 * CAROM_MOST_CORNERS];
    for (int i = 0; i < x->shapes; i++) {
        const carom_body_shape *shape = &x->shape[i];
        carom_shape_spec spec;
        carom_shape made;
        carom_error why = {0};
        if ((before && same_sizes(shape, &before->shape[i], b->planar ? 2 : 3)) || carom_text_get(shape->node, "slab"))
            continue;
        carom_bodies_shape(b, x, shape, corner, &spec);
        carom_arena *arena = carom_arena_new(0);
        carom_status status = arena ? carom_shape_new(arena, &spec, &made, &why) : CAROM_NO_MEMORY;
        carom_arena_free(arena);
        if (status != CAROM_OK)
            return wrong_shape(s, shape, why.text, error);
    }
    return CAROM_OK;
}

carom_status carom_check_finite(const carom_source *s, const carom_text_node *map, const char *key,
                                const carom_quantity *q, int n, carom_error *error)
{
    const carom_text_node *given = carom_text_get(map, key);
    const carom_text_node *c = given && given->kind == CAROM_TEXT_LIST ? given->child : NULL;
    for (int i = 0; given && i < n; i++, c = c ? c->next : NULL)
        if (!isfinite(q[i].value))
            return carom_text_fail(&s->file, c ? c->place : given->place, error, CAROM_BAD_MODEL,
                                   "%s must be finite, but it is %g", key, carom_unsigned_nan(q[i].value));
    return CAROM_OK;
}

/* Are places, turns and velocities finite, those of shapes too? */
static carom_status check_numbers(const carom_source *s, const carom_body *x, bool planar, carom_error *error)
{
    const carom_text_node *points = carom_text_get(x->node, "points");
    int n = planar ? 2 : 3, first = planar ? 2 : 0;
    CAROM_TRY(carom_check_finite(s, x->node, "at", x->at, n, error));
    CAROM_TRY(carom_check_finite(s, x->node, "centre", x->centre, n, error));
    CAROM_TRY(carom_check_finite(s, x->node, "velocity", x->velocity, n, error));
    CAROM_TRY(carom_check_finite(s, x->node, "spin", x->spin + first, 3 - first, error));
    CAROM_TRY(carom_check_finite(s, x->node, "turn", x->turn + first, 3 - first, error));
    CAROM_TRY(carom_check_finite(s, x->node, "angle", x->turn + 2, 1, error));
    for (int i = 0; i < x->shapes; i++) {
        const carom_body_shape *shape = &x->shape[i];
        CAROM_TRY(carom_check_finite(s, shape->node, "offset", shape->offset, n, error));
        CAROM_TRY(carom_check_finite(s, shape->node, "point", shape->offset, n, error));
        CAROM_TRY(carom_check_finite(s, shape->node, "turn", shape->turn + first, 3 - first, error));
        if (points && shape->name && carom_text_get(points, shape->name) == shape->node)
            CAROM_TRY(carom_check_finite(s, points, shape->name, shape->offset, n, error));
    }
    return CAROM_OK;
}

carom_status carom_bodies_values(carom_source *s, carom_error *error)
{
    carom_bodies *b = &s->bodies->b;
    double *variables = parameter_values(s);
    if (!variables)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "out of memory for the bodies");
    carom_bodies_evaluate(b, s->pool, variables);
    free(variables);
    CAROM_TRY(carom_check_finite(s, s->root, "gravity", b->gravity, b->planar ? 2 : 3, error));
    for (int k = 0; k < b->nbody; k++) {
        const carom_body *x = &b->body[k];
        CAROM_TRY(check_numbers(s, x, b->planar, error));
        CAROM_TRY(check_shapes(s, x, k > 0 && x[-1].node == x->node ? x - 1 : NULL, error));
        CAROM_TRY(check_body(s, x, b->planar, error));
    }
    return CAROM_OK;
}

carom_status carom_bodies_read(carom_loader *l)
{
    carom_source *s = l->s;
    carom_section_of_bodies *x = s->bodies;
    const carom_text_node *gravity = carom_text_get(s->root, "gravity");
    no_numbers(l, x->b.gravity, 3);
    if (gravity)
        CAROM_TRY(carom_read_list(l, gravity, "gravity", dimension(l), x->b.gravity));
    for (int k = 0; k < x->b.nbody; k++) {
        CAROM_TRY(read_body(l, k));
        CAROM_TRY(name_coordinates(l, k));
    }
    CAROM_TRY(carom_read_laws(l));
    CAROM_TRY(carom_bodies_file_poses(l));
    CAROM_TRY(carom_read_joints(l));
    CAROM_TRY(carom_bodies_values(s, l->error));
    CAROM_TRY(carom_joint_values(l));
    carom_bodies_start(&x->b);
    CAROM_TRY(carom_bodies_frames(l));
    carom_joint_watch(l);
    return carom_bodies_initial(l);
}
