/* laws.c: the section laws: which law belongs to which pair of shapes.
 *
 *     default: {friction: 0.5, restitution: 0.1}        every pair that no other entry names
 *     link wall: {friction: 0.3, restitution: 0.4}      all members of link against wall
 *     brick[0] floor: none                              one member alone; these do not touch
 *     bird.beak pole: {...}                             a point or a named shape of a body
 *     ball floor: {restitution: 0.8/(1 + approach)}     of the normal speed before an impact, of `slip`: gaps.c
 *     mud floor: {cohesion: 3, ...}                     a law that pulls: `law: cohesive` goes without saying
 * A side is a body, an array of bodies, a group, or one of these with .PART. The entry that is most exact wins, of two
 * that are equally so the later one. Without default the pairs that no entry names do not touch. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bodies/section.h"

enum { SIDE = 100, BY_GROUP = 1, BY_FAMILY = 2, BY_BODY = 3, BY_PART = 4 };

typedef struct side { /* one half of a key */
    char name[SIDE], part[SIDE]; /* part "": any */
} side;
typedef struct entry {
    bool any; /* default */
    side of[2];
} entry;

static bool split_side(const char *text, size_t n, side *to)
{
    if (n == 0 || n >= SIDE)
        return false;
    memcpy(to->name, text, n);
    to->name[n] = 0;
    char *dot = strchr(to->name, '.');
    to->part[0] = 0;
    if (dot) {
        strcpy(to->part, dot + 1);
        *dot = 0;
    }
    return true;
}

static bool split(const char *key, entry *to)
{
    size_t first = strcspn(key, " "), gap = strspn(key + first, " ");
    const char *second = key + first + gap;
    return gap > 0 && !strchr(second, ' ') && split_side(key, first, &to->of[0]) &&
           split_side(second, strlen(second), &to->of[1]);
}

/* How exactly a side names a shape; 0: not at all. */
static int match(const side *x, const carom_body *body, const carom_body_shape *shape)
{
    int how = strcmp(x->name, body->name) == 0     ? BY_BODY
              : strcmp(x->name, body->family) == 0 ? BY_FAMILY
              : body->group && strcmp(x->name, body->group) == 0 ? BY_GROUP : 0;
    if (!how || !x->part[0])
        return how;
    return shape->name && strcmp(x->part, shape->name) == 0 ? how + BY_PART : 0;
}

/* Does a side mean one body, whatever the parameters are? No array, and no group. */
static bool is_one(const carom_bodies *b, const char *name)
{
    bool any = false, others = false;
    for (int k = 0; k < b->nbody; k++) {
        const carom_body *body = &b->body[k];
        bool array = strcmp(body->family, name) == 0 && carom_text_get(body->node, "repeat");
        any |= strcmp(body->name, name) == 0;
        others |= array || (body->group && strcmp(body->group, name) == 0);
    }
    return any && !others;
}

static carom_status known(carom_loader *l, const carom_text_node *node, const side *x)
{
    const carom_bodies *b = &l->s->bodies->b;
    const char **names = CAROM_NEW(l->s->arena, const char *, 3 * b->nbody + 1);
    int n = 0;
    if (!names)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the laws");
    for (int k = 0; k < b->nbody; k++) {
        const carom_body *body = &b->body[k];
        for (int i = 0; i < body->shapes; i++)
            if (match(x, body, &body->shape[i]))
                return CAROM_OK;
        names[n++] = body->family;
        names[n++] = body->name;
        if (body->group)
            names[n++] = body->group;
    }
    char whole[2 * SIDE];
    snprintf(whole, sizeof whole, "%s%s%s", x->name, x->part[0] ? "." : "", x->part);
    const char *near = carom_nearest(x->name, names, n);
    if (near && strcmp(near, x->name) == 0)
        return carom_load_fail(l, node->key_place, "'%s' has no %s%s", x->name,
                               x->part[0] ? "point or named shape " : "shape that could touch", x->part);
    if (near)
        return carom_load_fail(l, node->key_place, "there is no body or group '%s'; did you mean '%s'?", whole, near);
    return carom_load_fail(l, node->key_place, "there is no body or group '%s'", whole);
}

/* ---- coefficients ---- */
static carom_status fields_of(carom_loader *l, const carom_text_node *node, carom_pair_law *to)
{
    const carom_field *fields = to->law->method.fields;
    const carom_expr zero = carom_expr_const(l->s->pool, 0);
    const carom_local speeds[] = {{"approach", zero, CAROM_LAW_BY_APPROACH}, {"slip", zero, CAROM_LAW_BY_SLIP}};
    const char *keys[CAROM_COEFFICIENTS_MAX + 3];
    int n = 0;
    for (; fields[n].name; n++)
        keys[n] = fields[n].name;
    for (int i = 0; i < 3; i++) { /* those that choose the law */
        const char *word = (const char *const[]){"law", "friction", "cohesion"}[i];
        bool known = false;
        for (int k = 0; k < n; k++)
            known |= strcmp(keys[k], word) == 0;
        if (!known)
            keys[n++] = word;
    }
    CAROM_TRY(carom_load_keys(l, node, keys, n, "a law"));
    for (to->ncoefficient = 0; fields[to->ncoefficient].name; to->ncoefficient++) {
        const carom_field *field = &fields[to->ncoefficient];
        const carom_text_node *given = carom_text_get(node, field->name);
        carom_quantity *c = &to->coefficient[to->ncoefficient];
        size_t stem = strlen(field->name) - (strstr(field->name, "_static") ? strlen("_static") : 0);
        *c = (carom_quantity){field->value, carom_expr_const(l->s->pool, field->value)};
        if (given) {
            l->used = 0, l->local = speeds, l->nlocal = to->directions ? 2 : 1;
            carom_status status = carom_read_quantity(l, given, field->name, c);
            l->nlocal = 0, to->speeds |= l->used;
            CAROM_TRY(status);
        }
        for (int i = 0; !given && i < to->ncoefficient && field->name[stem]; i++)
            if (strlen(fields[i].name) == stem && strncmp(fields[i].name, field->name, stem) == 0)
                CAROM_TRY(carom_set_quantity(l, carom_quantity_expr(l, &to->coefficient[i]), c));
        if (!given && isnan(c->value))
            return carom_load_fail(l, node->key_place, "the law of '%s' has no %s", node->key, field->name);
    }
    return CAROM_OK;
}

static carom_status law(carom_loader *l, const carom_text_node *node, carom_pair_law *to)
{
    to->name = node->key;
    to->node = node;
    if (node->kind == CAROM_TEXT_SCALAR && strcmp(node->text, "none") == 0)
        return CAROM_OK;
    if (node->kind != CAROM_TEXT_MAP)
        return carom_load_fail(l, node->place, "a law is `none` or a map, as in {friction: 0.3, restitution: 0.1}");
    const carom_text_node *name = carom_text_get(node, "law");
    bool pulls = !name && carom_text_get(node, "cohesion");
    to->directions = carom_text_get(node, "friction") ? l->s->bodies->b.planar ? 1 : 2 : 0;
    to->law = carom_law_find(name && name->kind == CAROM_TEXT_SCALAR ? name->text : pulls ? "cohesive" : NULL,
                             to->directions);
    if (!to->law || to->law == &carom_law_bilateral || to->law == &carom_law_anisotropic ||
        to->law->tangents == to->law->rows) /* of bodies no direction along a surface is known */
        return carom_load_fail(l, name ? name->place : node->place,
                               "between bodies there are the laws `contact` and `cohesive`, with `friction` or not");
    to->law_name = name || pulls ? to->law->method.name : NULL;
    return fields_of(l, node, to);
}

/* ---- classes ---- */
/* Shapes that no entry tells apart are a class: members of an array, unless an entry names one of them. */
static void classify(carom_section_of_bodies *x, const entry *entries, int n)
{
    x->b.nclass = 0;
    for (int f = 0; f < x->nfamily; f++) {
        bool alone = false;
        for (int e = 0; e < n; e++)
            for (int i = 0; i < 2 && !entries[e].any; i++) {
                const char *bracket = strchr(entries[e].of[i].name, '[');
                size_t stem = bracket ? (size_t)(bracket - entries[e].of[i].name) : 0;
                alone |= bracket && strlen(x->family[f].node->key) == stem &&
                         strncmp(x->family[f].node->key, entries[e].of[i].name, stem) == 0;
            }
        int first = x->b.nclass;
        for (int k = 0; k < x->family[f].count; k++) {
            carom_body *body = &x->b.body[x->family[f].first + k];
            for (int i = 0; i < body->shapes; i++)
                body->shape[i].class = alone ? x->b.nclass++ : first + i;
            if (!alone)
                x->b.nclass = CAROM_MAX(x->b.nclass, first + body->shapes);
        }
    }
}

static carom_status choose(carom_loader *l, const entry *entries, int n)
{
    carom_section_of_bodies *x = l->s->bodies;
    size_t c = (size_t)x->b.nclass;
    const carom_body **body = CAROM_NEW(l->s->arena, const carom_body *, c);
    const carom_body_shape **shape = CAROM_NEW(l->s->arena, const carom_body_shape *, c);
    x->b.law_of = CAROM_NEW(l->s->arena, int, c *c);
    if (!body || !shape || !x->b.law_of)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the laws of %d kinds of shapes", x->b.nclass);
    for (int k = 0; k < x->b.nbody; k++)
        for (int i = 0; i < x->b.body[k].shapes; i++) {
            body[x->b.body[k].shape[i].class] = &x->b.body[k];
            shape[x->b.body[k].shape[i].class] = &x->b.body[k].shape[i];
        }
    for (size_t i = 0; i < c * c; i++) {
        const carom_body *a = body[i / c], *b = body[i % c];
        int best = 0;
        x->b.law_of[i] = -1;
        for (int e = 0; e < n; e++) {
            const side *of = entries[e].of;
            int how = 1;
            for (int turn = 0; turn < 2 && !entries[e].any; turn++) {
                int one = match(&of[turn], a, shape[i / c]), two = match(&of[!turn], b, shape[i % c]);
                how = one && two ? CAROM_MAX(how, 1 + one + two) : how;
            }
            if ((entries[e].any || how > 1) && how >= best)
                best = how, x->b.law_of[i] = e;
        }
    }
    return CAROM_OK;
}

/* Ellipsoids have a nearest point of planes, balls and points alone: a pair that could meet otherwise is an error. */
static carom_status ellipsoids(carom_loader *l)
{
    const carom_bodies *b = &l->s->bodies->b;
    for (int i = 0; i < b->nbody; i++)
        for (int m = 0; m < b->body[i].shapes; m++) {
            const carom_body *one = &b->body[i];
            for (int j = 0; j < b->nbody && one->shape[m].kind == CAROM_SHAPE_ELLIPSOID; j++)
                for (int n = 0; n < b->body[j].shapes && j != i; n++) {
                    const carom_body *two = &b->body[j];
                    carom_shape_kind kind = two->shape[n].kind;
                    if (kind == CAROM_SHAPE_PLANE || kind == CAROM_SHAPE_BALL || kind == CAROM_SHAPE_POINT ||
                        !carom_bodies_law_between(b, i, m, j, n))
                        continue;
                    return carom_load_fail(l, one->shape[m].node->place,
                                           "an ellipsoid touches planes, spheres and points only, but '%s' could meet "
                                           "'%s'; `%s %s: none` among the laws lets them pass each other", one->name,
                                           two->name, one->family, two->family);
                }
        }
    return CAROM_OK;
}

carom_status carom_laws_of_found(carom_loader *l)
{
    const carom_bodies *b = &l->s->bodies->b;
    for (int i = 0; i < b->nlaw; i++)
        if (b->law[i].speeds)
            return carom_load_fail(l, b->law[i].node->place,
                                   "coefficients of contacts that are found per step are constant, and the law of "
                                   "'%s' depends on %s: that takes few bodies, without `contacts: found`",
                                   b->law[i].name, b->law[i].speeds & CAROM_LAW_BY_APPROACH ? "approach" : "slip");
    return CAROM_OK;
}

/* The shapes of bodies that joints lead may be there for their masses alone. */
bool carom_bodies_lack_laws(const carom_source *s)
{
    const carom_bodies *b = s->bodies ? &s->bodies->b : NULL;
    int shaped = 0, standing = 0;
    for (int k = 0; b && k < b->nbody; k++)
        for (int i = 0; i < b->body[k].shapes; i++)
            if (b->body[k].shape[i].kind != CAROM_SHAPE_POINT) {
                shaped++;
                standing += b->body[k].motion != CAROM_BODY_FREE;
                break;
            }
    return shaped > 1 && (standing > 0 || b->njoint == 0) && !carom_text_get(s->root, "laws");
}

carom_status carom_read_laws(carom_loader *l)
{
    carom_section_of_bodies *x = l->s->bodies;
    const carom_text_node *map = carom_text_get(l->s->root, "laws");
    const char *const fallback = "default";
    int n = 0;
    if (map)
        CAROM_TRY(carom_load_map(l, map, "laws"));
    entry *entries = CAROM_NEW(l->s->arena, entry, map ? map->nchild : 0);
    x->b.law = CAROM_NEW(l->s->arena, carom_pair_law, map ? map->nchild : 0);
    if (!entries || !x->b.law)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the laws");
    for (const carom_text_node *c = map ? map->child : NULL; c; c = c->next, n++) {
        entry *to = &entries[n];
        to->any = strcmp(c->key, "default") == 0;
        if (!to->any && !split(c->key, to))
            return carom_load_fail(l, c->key_place,
                                   "a law belongs to a pair: two names of bodies or groups, or default%s",
                                   carom_nearest(c->key, &fallback, 1) ? "; did you mean 'default'?" : "");
        for (int i = 0; i < 2 && !to->any; i++)
            CAROM_TRY(known(l, c, &to->of[i]));
        if (!to->any && strcmp(to->of[0].name, to->of[1].name) == 0 && is_one(&x->b, to->of[0].name))
            return carom_load_fail(l, c->key_place, "a law belongs to two bodies, and '%s' is one", to->of[0].name);
        CAROM_TRY(law(l, c, &x->b.law[n]));
    }
    x->b.nlaw = n;
    classify(x, entries, n);
    CAROM_TRY(choose(l, entries, n));
    return ellipsoids(l);
}
