/* declare.c: the names of bodies and joints, and which coordinates there are.
 *
 * The variables of expressions are numbered after the coordinates, and how many of these there are may depend on
 * parameters (repeat). So the few numbers that are needed first are computed here with a pool of their own, in which
 * parameters are constants. Positions: coordinates of the file | of joints | of bodies (x y z, angle or quaternion). */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bodies/section.h"

#define NAME "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"

typedef struct early { /* numbers of parameters, before anything else is known */
    carom_loader *l;
    carom_expr_pool *pool;
    const carom_index *index;
    int nindex, depth;
    bool naming;    /* a name is expected, not a number */
    char name[160]; /* the one that was found */
} early;

static carom_status number_of(early *x, const carom_text_node *node, double *value);

/* ---- numbers ---- */
static carom_expr early_parameter(early *x, const char *name)
{
    const carom_source *s = x->l->s;
    const carom_text_node *map = carom_text_get(s->root, "parameters");
    const carom_override *override = carom_source_override(s, "", name);
    int i = 0;
    for (const carom_text_node *c = map ? map->child : NULL; c; c = c->next, i++) {
        double value;
        if (strcmp(c->key, name) != 0)
            continue;
        s->structural[i] = true;
        if (override)
            return carom_expr_const(x->pool, override->value);
        const carom_index index = {c->index, c->number};
        early inner = {.l = x->l, .pool = x->pool, .index = &index, .nindex = c->index != NULL, .depth = x->depth + 1};
        if (inner.depth > CAROM_MAX_DEPTH || number_of(&inner, c, &value) != CAROM_OK)
            return CAROM_EXPR_NONE;
        return carom_expr_const(x->pool, value);
    }
    return CAROM_EXPR_NONE;
}

static carom_expr early_lookup(void *user, const char *name)
{
    early *x = user;
    for (int i = 0; i < x->nindex; i++)
        if (strcmp(name, x->index[i].name) == 0)
            return carom_expr_const(x->pool, x->index[i].value);
    carom_expr e = early_parameter(x, name);
    if (e != CAROM_EXPR_NONE || !x->naming || strlen(name) >= sizeof x->name)
        return e;
    strcpy(x->name, name);
    return carom_expr_const(x->pool, 0);
}

static bool early_index(void *user, carom_expr e, int *number)
{
    double value;
    if (!carom_expr_is_const(((early *)user)->pool, e, &value) || value < 0 || value > CAROM_MAX_BODIES ||
        value != floor(value))
        return false;
    *number = (int)value;
    return true;
}

static carom_status number_of(early *x, const carom_text_node *node, double *value)
{
    const carom_expr_scope scope = {early_lookup, NULL, x, early_index, NULL, NULL};
    carom_expr e;
    CAROM_TRY(carom_expr_parse(x->pool, &x->l->s->file, node, &scope, &e, x->l->error));
    if (!carom_expr_is_const(x->pool, e, value) || !isfinite(*value))
        return carom_load_fail(x->l, node->place, "a number is expected here, from parameters alone");
    return CAROM_OK;
}

/* The full name that stands in a node: link[i+1] -> link[4]. */
static carom_status name_of(early *x, const carom_text_node *node)
{
    const carom_expr_scope scope = {early_lookup, NULL, x, early_index, NULL, NULL};
    carom_expr e;
    x->naming = true;
    x->name[0] = 0;
    if (node->kind == CAROM_TEXT_SCALAR && !strchr(node->text, '[') && strlen(node->text) < sizeof x->name) {
        strcpy(x->name, node->text); /* floor, too: no function here */
        return x->name[0] ? CAROM_OK : carom_load_fail(x->l, node->place, "the name of a body is expected here");
    }
    CAROM_TRY(carom_expr_parse(x->pool, &x->l->s->file, node, &scope, &e, x->l->error));
    return x->name[0] ? CAROM_OK : carom_load_fail(x->l, node->place, "the name of a body is expected here");
}

/* ---- families ---- */
void carom_family_index(const carom_family *f, int k, carom_index *index)
{
    for (int i = f->indices - 1; i >= 0; i--) {
        index[i] = (carom_index){f->index[i], k % f->size[i]};
        k /= f->size[i];
    }
}

static carom_status repeats(early *x, carom_family *f, const char *what)
{
    carom_loader *l = x->l;
    const carom_text_node *repeat = carom_text_get(f->node, "repeat");
    f->count = 1;
    if (!repeat)
        return CAROM_OK;
    CAROM_TRY(carom_load_map(l, repeat, "repeat"));
    if (repeat->nchild < 1 || repeat->nchild > CAROM_INDICES)
        return carom_load_fail(l, repeat->place, "repeat has one to %d indices, as in {i: 5, j: 3}", CAROM_INDICES);
    for (const carom_text_node *c = repeat->child; c; c = c->next) {
        double n;
        CAROM_TRY(number_of(x, c, &n));
        if (!(n >= 0 && n <= CAROM_MAX_BODIES && n == floor(n)) || f->count * n > CAROM_MAX_BODIES)
            return carom_load_fail(l, c->place, "%s is repeated %g times; a whole number up to %d is needed", what, n,
                                   CAROM_MAX_BODIES);
        if (!isalpha((unsigned char)c->key[0]) || c->key[strspn(c->key, NAME)] || strlen(c->key) > 20 ||
            strcmp(c->key, "t") == 0 || carom_expr_reserved(l->s->pool, c->key))
            return carom_load_fail(l, c->key_place, "'%s' is no name for an index", c->key);
        const carom_text_node *map = carom_text_get(l->s->root, "parameters");
        const carom_text_node *hidden = map && map->kind == CAROM_TEXT_MAP ? carom_text_get(map, c->key) : NULL;
        if (hidden)
            return carom_load_fail(l, c->key_place, "the index '%s' has the name of a parameter in line %d", c->key,
                                   hidden->key_place.line);
        f->index[f->indices] = c->key;
        f->size[f->indices++] = (int)n;
        f->count *= (int)n;
    }
    return CAROM_OK;
}

static const char *member_name(carom_arena *arena, const carom_family *f, const char *name, int k)
{
    carom_index index[CAROM_INDICES] = {0};
    carom_family_index(f, k, index);
    if (f->indices == 0)
        return carom_arena_format(arena, "%s", name);
    if (f->indices == 1)
        return carom_arena_format(arena, "%s[%d]", name, index[0].value);
    if (f->indices == 2)
        return carom_arena_format(arena, "%s[%d,%d]", name, index[0].value, index[1].value);
    return carom_arena_format(arena, "%s[%d,%d,%d]", name, index[0].value, index[1].value, index[2].value);
}

static bool is_word(const char *name)
{
    size_t n = strspn(name, NAME);
    return name[0] && !name[n] && n <= 40 && !isdigit((unsigned char)name[0]);
}

static carom_status check_key(carom_loader *l, const carom_text_node *c, const char *what)
{
    bool joint = strcmp(what, "joints") == 0;
    if (!is_word(c->key))
        return carom_load_fail(l, c->key_place, "'%.80s' is no name for a %s: letters, digits and _ (up to 40)", c->key,
                               joint ? "joint" : "body");
    if (strcmp(c->key, "ground") == 0 || strcmp(c->key, "default") == 0 || strcmp(c->key, "point") == 0 ||
        (joint && carom_expr_reserved(l->s->pool, c->key)))
        return carom_load_fail(l, c->key_place, "the %s '%s' has a name that means something else",
                               joint ? "joint" : "body", c->key);
    return CAROM_OK;
}

static carom_status families(early *x, const carom_text_node *map, const char *what, carom_family **list, int *n,
                             int *count)
{
    carom_loader *l = x->l;
    *n = *count = 0;
    if (!map)
        return CAROM_OK;
    CAROM_TRY(carom_load_map(l, map, what));
    *list = CAROM_NEW(l->s->arena, carom_family, map->nchild);
    if (!*list)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the %s", what);
    for (const carom_text_node *c = map->child; c; c = c->next) {
        carom_family *f = &(*list)[(*n)++];
        CAROM_TRY(check_key(l, c, what));
        CAROM_TRY(carom_load_map(l, c, what));
        f->node = c;
        CAROM_TRY(repeats(x, f, c->key));
        f->first = *count;
        *count += f->count;
        if (*count > CAROM_MAX_BODIES)
            return carom_load_fail(l, c->key_place, "there are more than %d %s", CAROM_MAX_BODIES, what);
    }
    return CAROM_OK;
}

/* ---- bodies ---- */
const char *const carom_shape_words[CAROM_SHAPE_WORDS] = {
    "point", "plane", "circle", "sphere", "capsule", "box", "polygon", "polyhedron", "ring", "cylinder",
    "ellipsoid", "slab"};

static bool has_extent(const carom_text_node *shape)
{
    if (shape && shape->kind == CAROM_TEXT_LIST) {
        for (const carom_text_node *c = shape->child; c; c = c->next)
            if (has_extent(c))
                return true;
        return false;
    }
    return shape && !carom_text_get(shape, "point") && !carom_text_get(shape, "plane");
}

static carom_status hold(carom_loader *l, const carom_text_node *node, carom_body *body)
{
    static const char *const words[] = {"x", "y", "z", "angle", "turn"};
    bool planar = l->s->bodies->b.planar;
    if (node->kind == CAROM_TEXT_LIST) {
        for (const carom_text_node *c = node->child; c; c = c->next)
            CAROM_TRY(hold(l, c, body));
        return CAROM_OK;
    }
    int i = 0;
    while (i < CAROM_COUNT(words) && (node->kind != CAROM_TEXT_SCALAR || strcmp(node->text, words[i]) != 0))
        i++;
    if (i == CAROM_COUNT(words) || (planar && (i == 2 || i == 4)) || (!planar && i == 3))
        return carom_load_fail(l, node->place, "fix takes %s, or a list of them",
                               planar ? "x, y, angle" : "x, y, z, turn");
    if (i < 3)
        body->held[i] = true;
    else
        body->held[3] = body->held[4] = body->held[5] = true;
    return CAROM_OK;
}

static carom_status declare_body(carom_loader *l, const carom_family *f, carom_body *body)
{
    const carom_text_node *fixed = carom_text_get(f->node, "fixed"), *fix = carom_text_get(f->node, "fix");
    const carom_text_node *moved = carom_text_get(f->node, "moved");
    if (fixed && (fixed->kind != CAROM_TEXT_SCALAR ||
                  (strcmp(fixed->text, "true") != 0 && strcmp(fixed->text, "false") != 0)))
        return carom_load_fail(l, fixed->place, "fixed must be true or false");
    bool still = fixed && strcmp(fixed->text, "true") == 0;
    if (still && moved)
        return carom_load_fail(l, moved->key_place, "'%s' is fixed and cannot be moved", f->node->key);
    body->motion = still ? CAROM_BODY_FIXED : moved ? CAROM_BODY_MOVED : CAROM_BODY_FREE;
    body->family = f->node->key;
    body->node = f->node;
    if (fix)
        CAROM_TRY(hold(l, fix, body));
    if (!carom_text_get(f->node, "inertia") && !has_extent(carom_text_get(f->node, "shape")))
        body->held[3] = body->held[4] = body->held[5] = true; /* a point mass does not turn */
    return CAROM_OK;
}

static carom_status declare_bodies(early *x, carom_section_of_bodies *to)
{
    carom_loader *l = x->l;
    carom_arena *arena = l->s->arena;
    carom_bodies *b = &to->b;
    CAROM_TRY(families(x, carom_text_get(l->s->root, "bodies"), "bodies", &to->family, &to->nfamily, &b->nbody));
    b->body = CAROM_NEW(arena, carom_body, b->nbody);
    to->family_of = CAROM_NEW(arena, int, b->nbody);
    to->parent = CAROM_NEW(arena, int, b->nbody);
    to->place = CAROM_NEW(arena, carom_place_of, b->nbody);
    if (!b->body || !to->family_of || !to->parent || !to->place)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for %d bodies", b->nbody);
    for (int i = 0; i < to->nfamily; i++)
        for (int k = 0; k < to->family[i].count; k++) {
            int at = to->family[i].first + k;
            CAROM_TRY(declare_body(l, &to->family[i], &b->body[at]));
            to->family_of[at] = i;
            to->parent[at] = -1;
            if (!(b->body[at].name = member_name(arena, &to->family[i], to->family[i].node->key, k)))
                return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for %d bodies", b->nbody);
        }
    return CAROM_OK;
}

int carom_bodies_find(const carom_section_of_bodies *x, const char *name)
{
    const char *bracket = strchr(name, '[');
    size_t stem = bracket ? (size_t)(bracket - name) : strlen(name);
    if (strcmp(name, "ground") == 0)
        return CAROM_GROUND;
    for (int i = 0; i < x->nfamily; i++) {
        const carom_family *f = &x->family[i];
        int at = 0, index = 0;
        if (strlen(f->node->key) != stem || strncmp(f->node->key, name, stem) != 0)
            continue;
        const char *c = bracket;
        for (; index < f->indices && c && (*c == '[' || *c == ','); index++) {
            char *end;
            long value = strtol(c + 1, &end, 10);
            if (value < 0 || value >= f->size[index])
                return -2;
            at = at * f->size[index] + (int)value;
            c = end;
        }
        return index == f->indices && (bracket ? c && strcmp(c, "]") == 0 : true) ? f->first + at : -2;
    }
    return -2;
}

/* ---- joints ---- */
const char *const carom_joint_words[CAROM_JOINT_WORDS] = {"hinge", "slider", "ball", "weld", "distance", "spring"};

static carom_status unknown_body(carom_loader *l, const carom_text_node *node, const char *name)
{
    const carom_section_of_bodies *x = l->s->bodies;
    for (int i = 0; i < x->nfamily; i++)
        if (x->family[i].indices > 0 && strcmp(name, x->family[i].node->key) == 0)
            return carom_load_fail(l, node->place, "'%s' is an array of %d bodies: it takes an index, as in %s[0%s]",
                                   name, x->family[i].count, name, x->family[i].indices > 1 ? ", 0" : "");
    const char **names = CAROM_NEW(l->s->arena, const char *, x->b.nbody + 1);
    for (int i = 0; names && i < x->b.nbody; i++)
        names[i] = x->b.body[i].name;
    if (names)
        names[x->b.nbody] = "ground";
    const char *near = names ? carom_nearest(name, names, x->b.nbody + 1) : NULL;
    if (near)
        return carom_load_fail(l, node->place, "there is no body '%s'; did you mean '%s'?", name, near);
    return carom_load_fail(l, node->place, "there is no body '%s'", name);
}

static bool stays(const carom_section_of_bodies *x, int body)
{
    const carom_body *b = body < 0 ? NULL : &x->b.body[body];
    bool held = true;
    for (int i = 0; b && i < 6; i++)
        held = held && (b->held[i] || (x->b.planar && i == 2));
    return !b || b->motion != CAROM_BODY_FREE || held;
}

static carom_status ends(early *x, const carom_family *f, int k, carom_joint *joint)
{
    carom_loader *l = x->l;
    const carom_text_node *pair = NULL;
    for (int i = 0; i < CAROM_JOINT_WORDS; i++) {
        const carom_text_node *c = carom_text_get(f->node, carom_joint_words[i]);
        if (c && pair)
            return carom_load_fail(l, c->key_place, "joint '%s' is already a %s", f->node->key, pair->key);
        if (c)
            pair = c, joint->kind = (carom_joint_kind)i;
    }
    if (!pair)
        CAROM_TRY(carom_joint_keys(l, f->node));
    if (!pair)
        return carom_load_fail(l, f->node->key_place,
                               "joint '%s' needs a kind: hinge, slider, ball, weld, distance or spring: [BODY, BODY]",
                               f->node->key);
    if (pair->kind != CAROM_TEXT_LIST || pair->nchild != 2)
        return carom_load_fail(l, pair->place, "%s needs the names of two bodies, as in [ground, arm]", pair->key);
    carom_index index[CAROM_INDICES] = {0};
    carom_family_index(f, k, index);
    x->index = index, x->nindex = f->indices;
    int i = 0;
    for (const carom_text_node *c = pair->child; c; c = c->next, i++) {
        CAROM_TRY(name_of(x, c));
        joint->body[i] = carom_bodies_find(l->s->bodies, x->name);
        if (joint->body[i] < CAROM_GROUND)
            return unknown_body(l, c, x->name);
    }
    x->nindex = 0;
    if (joint->body[0] == joint->body[1])
        return carom_load_fail(l, pair->place, "joint '%s' has the same body at both ends", f->node->key);
    const carom_section_of_bodies *bodies = l->s->bodies;
    const char *name[2];
    for (i = 0; i < 2; i++)
        name[i] = joint->body[i] < 0 ? "ground" : bodies->b.body[joint->body[i]].name;
    if (stays(bodies, joint->body[0]) && stays(bodies, joint->body[1]))
        return carom_load_fail(l, pair->place, "joint '%s' does nothing: neither '%s' nor '%s' is free to move",
                               joint->name, name[0], name[1]);
    return CAROM_OK;
}

static int neighbour(const carom_section_of_bodies *x, int joint, int body)
{
    const int *ends = x->b.joint[joint].body;
    return ends[ends[0] == body];
}

static bool may_follow(const carom_section_of_bodies *x, int body)
{
    return body >= 0 && x->b.body[body].motion == CAROM_BODY_FREE && !carom_text_get(x->b.body[body].node, "fix");
}

/* The body that those before this one in its chain follow; CAROM_GROUND. */
static int root_of(const carom_section_of_bodies *x, int body)
{
    while (body >= 0 && x->parent[body] >= 0)
        body = neighbour(x, x->parent[body], body);
    return body;
}

/* Those that a body follows follow it from now on: whichever joint of a chain the file has first. */
static void lead_from(carom_section_of_bodies *x, int body)
{
    int joint = x->parent[body];
    x->parent[body] = -1;
    while (joint >= 0) {
        int above = neighbour(x, joint, body), next = x->parent[above];
        x->child[joint] = above;
        x->parent[above] = joint;
        body = above, joint = next;
    }
}

/* A joint with a coordinate leads to one of its bodies, which then has no place of its own. */
static carom_status coordinate(carom_loader *l, const carom_family *f, int k, int at)
{
    carom_section_of_bodies *x = l->s->bodies;
    carom_joint *joint = &x->b.joint[at];
    const carom_text_node *node = carom_text_get(f->node, "coordinate");
    x->child[at] = x->joint_q[at] = -1;
    if (!node)
        return CAROM_OK;
    if (node->kind != CAROM_TEXT_SCALAR || !is_word(node->text))
        return carom_load_fail(l, node->place, "coordinate must be `relative` or a name: letters, digits and _");
    if (strcmp(node->text, "t") == 0 || carom_expr_reserved(l->s->pool, node->text))
        return carom_load_fail(l, node->place, "the coordinate '%s' has a name that means something else", node->text);
    if (joint->kind >= CAROM_JOINT_DISTANCE)
        return carom_load_fail(l, node->place, "a %s provides no coordinate", carom_joint_words[joint->kind]);
    const char *name = strcmp(node->text, "relative") == 0 ? f->node->key : node->text;
    joint->coordinate = member_name(l->s->arena, f, name, k);
    for (int turn = 0; turn < 4 && x->child[at] < 0; turn++) { /* at its second end, its first; in chains turned over */
        int body = joint->body[turn % 2 == 0], root = root_of(x, body);
        if (!may_follow(x, body) || !may_follow(x, root) || root_of(x, joint->body[turn % 2]) == root)
            continue;
        if (turn < 2 && body != root)
            continue;
        lead_from(x, body);
        x->child[at] = body;
    }
    if (x->child[at] < 0)
        return carom_load_fail(l, node->place,
                               "joint '%s' cannot provide a coordinate: it closes a loop, or its bodies do not move or "
                               "have a `fix`", joint->name);
    x->parent[x->child[at]] = at;
    return CAROM_OK;
}

/* Names are those of one thing each: of what the file declares elsewhere, a body, a joint, a coordinate of a joint. */
static carom_status is_free(carom_loader *l, const char *what, const char *name, carom_text_place place,
                            const carom_text_node *own)
{
    static const char *const kinds[] = {"coordinate", "parameter", "let", "table"};
    const carom_source *s = l->s;
    const carom_section_of_bodies *x = s->bodies;
    const carom_text_node *other = NULL;
    const char *kind = NULL;
    for (int i = 0; i < s->nsymbol && !other; i++)
        if (strcmp(s->symbol[i].name, name) == 0)
            other = s->symbol[i].node, kind = kinds[s->symbol[i].kind];
    for (int i = 0; i < x->nfamily && !other; i++)
        if (strcmp(x->family[i].node->key, name) == 0)
            other = x->family[i].node, kind = "body";
    for (int i = 0; i < x->njoint_family && !other; i++)
        if (x->joint_family[i].node != own && strcmp(x->joint_family[i].node->key, name) == 0)
            other = x->joint_family[i].node, kind = "joint";
    return !other ? CAROM_OK : carom_load_fail(l, place, "the %s '%s' has the name of a %s in line %d", what, name,
                                               kind, other->key_place.line);
}

static carom_status names_are_free(carom_loader *l)
{
    const carom_section_of_bodies *x = l->s->bodies;
    for (int i = 0; i < x->nfamily; i++)
        for (int k = 0; k < l->s->nformula; k++) {
            const carom_text_node *body = x->family[i].node, *other = l->s->symbol[k].node; /* coordinates come first */
            if (strcmp(body->key, other->key) == 0)
                return carom_load_fail(l, body->key_place, "the body '%s' has the name of a coordinate in line %d",
                                       body->key, other->key_place.line);
        }
    for (int i = 0; i < x->njoint_family; i++) {
        const carom_text_node *node = x->joint_family[i].node, *given = carom_text_get(node, "coordinate");
        CAROM_TRY(is_free(l, "joint", node->key, node->key_place, node));
        if (given && given->kind == CAROM_TEXT_SCALAR)
            CAROM_TRY(is_free(l, "coordinate", given->text, given->place, node));
    }
    return CAROM_OK;
}

static carom_status declare_joints(early *x, carom_section_of_bodies *to)
{
    carom_loader *l = x->l;
    carom_arena *arena = l->s->arena;
    carom_bodies *b = &to->b;
    CAROM_TRY(families(x, carom_text_get(l->s->root, "joints"), "joints", &to->joint_family, &to->njoint_family,
                       &b->njoint));
    b->joint = CAROM_NEW(arena, carom_joint, b->njoint);
    to->joint_family_of = CAROM_NEW(arena, int, b->njoint);
    to->child = CAROM_NEW(arena, int, b->njoint);
    to->joint_q = CAROM_NEW(arena, int, b->njoint);
    if (!b->joint || !to->joint_family_of || !to->child || !to->joint_q)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for %d joints", b->njoint);
    for (int i = 0; i < to->njoint_family; i++)
        for (int k = 0; k < to->joint_family[i].count; k++) {
            const carom_family *f = &to->joint_family[i];
            int at = f->first + k;
            to->joint_family_of[at] = i;
            b->joint[at].node = f->node;
            if (!(b->joint[at].name = member_name(arena, f, f->node->key, k)))
                return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for %d joints", b->njoint);
            CAROM_TRY(ends(x, f, k, &b->joint[at]));
            CAROM_TRY(coordinate(l, f, k, at));
        }
    return names_are_free(l);
}

/* ---- coordinates ---- */
static carom_status joint_coordinates(carom_loader *l)
{
    carom_source *s = l->s;
    carom_section_of_bodies *x = s->bodies;
    for (int i = 0; i < x->b.njoint; i++) {
        const carom_joint *joint = &x->b.joint[i];
        bool one = joint->kind == CAROM_JOINT_HINGE || joint->kind == CAROM_JOINT_SLIDER ||
                   (joint->kind == CAROM_JOINT_BALL && x->b.planar);
        if (x->child[i] < 0 || !one)
            continue;
        if (s->nq >= CAROM_MAX_COORDINATES)
            return carom_load_fail(l, joint->node->key_place, "there are more than %d coordinates",
                                   CAROM_MAX_COORDINATES);
        x->joint_q[i] = s->nq;
        s->symbol[s->nsymbol++] = (carom_symbol){joint->coordinate, CAROM_SYMBOL_COORDINATE, s->nq++, joint->node};
        s->nv++;
    }
    return CAROM_OK;
}

static void body_coordinates(carom_source *s, carom_section_of_bodies *x, int k)
{
    carom_body *body = &x->b.body[k];
    carom_place_of *to = &x->place[k];
    bool free = body->motion == CAROM_BODY_FREE;
    bool ball = x->parent[k] >= 0 && x->b.joint[x->parent[k]].kind == CAROM_JOINT_BALL && !x->b.planar;
    bool turns = free && !body->held[5] && (x->parent[k] < 0 || ball);
    *to = (carom_place_of){{-1, -1, -1, -1}, {-1, -1, -1, -1, -1, -1}};
    body->first_q = free ? s->nq : -1;
    body->first_v = free ? s->nv : -1;
    for (int i = 0; i < (x->b.planar ? 2 : 3); i++)
        if (free && x->parent[k] < 0 && !body->held[i])
            to->q[i] = s->nq++, to->v[i] = s->nv++;
    if (!turns)
        return;
    to->q[3] = s->nq;
    s->nq += x->b.planar ? 1 : 4;
    for (int i = x->b.planar ? 5 : 3; i < 6; i++)
        to->v[i] = s->nv++;
}

static carom_status space_of(carom_loader *l, bool *planar)
{
    const carom_text_node *space = carom_text_get(l->s->root, "space");
    if (!space || space->kind != CAROM_TEXT_SCALAR ||
        (strcmp(space->text, "planar") != 0 && strcmp(space->text, "spatial") != 0))
        return carom_load_fail(l, space ? space->place : carom_text_get(l->s->root, "bodies")->key_place,
                               "bodies need `space: planar` (x, y, angle) or `space: spatial` (x, y, z, rotation)");
    *planar = strcmp(space->text, "planar") == 0;
    return CAROM_OK;
}

static carom_status declare_everything(early *x)
{
    carom_loader *l = x->l;
    carom_section_of_bodies *to = l->s->bodies;
    CAROM_TRY(space_of(l, &to->b.planar));
    CAROM_TRY(declare_bodies(x, to));
    CAROM_TRY(declare_joints(x, to));
    CAROM_TRY(joint_coordinates(l));
    for (int k = 0; k < to->b.nbody; k++)
        body_coordinates(l->s, to, k);
    return CAROM_OK;
}

carom_status carom_bodies_declare(carom_loader *l)
{
    early x = {.l = l, .pool = carom_expr_pool_new(CAROM_MAX_NODES)};
    l->s->bodies = CAROM_NEW(l->s->arena, carom_section_of_bodies, 1);
    carom_status status = x.pool && l->s->bodies
                              ? declare_everything(&x)
                              : carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the bodies");
    carom_expr_pool_free(x.pool);
    return status;
}
