/* draw.c: reads the section draw when a model is loaded, so that a misspelt shape is found at once. Its expressions
 * come after everything that is derived and compiled: a picture does not change the bits of a run. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/draw.h"
#include "model/model.h"
#include "model/source.h"

enum { SHAPES_MOST = 500, POINTS_MOST = 500 };

static const char *const kinds[] = {"point", "line", "circle", "polygon", "spring"};
static const char *const styles[] = {"body", "ground", "thin", "dashed"};

const char *carom_mark_name(carom_mark_kind kind)
{
    return kinds[kind];
}

const carom_drawing *carom_model_drawing(const carom_model *model)
{
    return model->source ? model->source->drawing : NULL;
}

static carom_status no_memory(carom_loader *l)
{
    return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the section draw");
}

/* One of a list of words, or the nearest as a hint. */
static carom_status choose(carom_loader *l, const carom_text_node *node, const char *const *words, int n,
                           const char *what, int *index)
{
    bool single = node->kind == CAROM_TEXT_SCALAR;
    for (int i = 0; single && i < n; i++)
        if (strcmp(node->text, words[i]) == 0) {
            *index = i;
            return CAROM_OK;
        }
    const char *near = single ? carom_nearest(node->text, words, n) : NULL;
    if (near)
        return carom_load_fail(l, node->place, "there is no %s '%s'; did you mean '%s'?", what, node->text, near);
    char list[300] = "";
    for (size_t used = 0, k = 0; k < (size_t)n && used < sizeof list; k++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", k ? ", " : "", words[k]);
    return carom_load_fail(l, node->place, "%s must be one of: %s", what, n ? list : "none, the model has none");
}

static carom_status choose_contact(carom_loader *l, const carom_text_node *node, int *index)
{
    const carom_model *m = l->m;
    const char **names = CAROM_NEW(l->s->arena, const char *, m->ncontact + 1);
    if (!names)
        return no_memory(l);
    for (int i = 0; i < m->ncontact; i++) {
        char own[100]; /* of a repeated shape: the contact with the same index */
        names[i] = m->contact[i].name;
        snprintf(own, sizeof own, "%.60s[%d]", node->kind == CAROM_TEXT_SCALAR ? node->text : "",
                 l->nindex ? l->index[0].value : 0);
        if (l->nindex && strcmp(names[i], own) == 0) {
            *index = i;
            return CAROM_OK;
        }
    }
    return choose(l, node, names, m->ncontact, "contact", index);
}

/* ---- coordinates ---- */
typedef struct values {
    int *value;
    int n;
} values;

static carom_status take_value(carom_loader *l, const carom_text_node *node, values *to)
{
    carom_given given = {CAROM_EXPR_NONE, NULL};
    CAROM_TRY(carom_load_expression(l, node, "a coordinate of a drawing", &given));
    CAROM_TRY(carom_model_reserve(l->m, given.e, l->error));
    double value = carom_model_value(l->m, given.e, 0, l->m->q, l->m->v, l->m->p);
    if (!isfinite(value))
        return carom_load_fail(l, node->place, "a coordinate of a drawing is %g at the start", value);
    to->value[to->n++] = given.e;
    return CAROM_OK;
}

static carom_status take_list(carom_loader *l, const carom_text_node *list, int wanted, const char *form, values *to)
{
    if (list->kind != CAROM_TEXT_LIST)
        return carom_load_fail(l, list->place, "coordinates are a list: %s", form);
    if (list->nchild != wanted)
        return carom_load_fail(l, list->place, "%d value%s where %d belong: %s", list->nchild,
                               list->nchild == 1 ? "" : "s", wanted, form);
    for (const carom_text_node *c = list->child; c; c = c->next)
        CAROM_TRY(take_value(l, c, to));
    return CAROM_OK;
}

static carom_status take_circle(carom_loader *l, const carom_text_node *list, values *to)
{
    const carom_model *m = l->m;
    CAROM_TRY(take_list(l, list, 3, "circle: [x, y, radius]", to));
    double radius = carom_model_value(m, to->value[2], 0, m->q, m->v, m->p);
    if (radius < 0)
        return carom_load_fail(l, list->child->next->next->place,
                               "the radius is %g at the start; it must not be negative", radius);
    return CAROM_OK;
}

static carom_status take_points(carom_loader *l, const carom_text_node *list, int least, int most, const char *form,
                                values *to)
{
    if (list->kind != CAROM_TEXT_LIST)
        return carom_load_fail(l, list->place, "points are a list: %s", form);
    if (list->nchild < least || list->nchild > most)
        return carom_load_fail(l, list->place, "%d point%s where %s%d belong: %s", list->nchild,
                               list->nchild == 1 ? "" : "s", list->nchild < least && least < most ? "at least " : "",
                               list->nchild < least ? least : most, form);
    for (const carom_text_node *c = list->child; c; c = c->next)
        CAROM_TRY(take_list(l, c, 2, "[x, y]", to));
    return CAROM_OK;
}

static carom_status coordinates(carom_loader *l, const carom_text_node *node, carom_mark_kind kind, values *to)
{
    to->value = CAROM_NEW(l->s->arena, int, 2 * CAROM_MAX(node->nchild, 2) + 4);
    if (!to->value)
        return no_memory(l);
    switch (kind) {
    case CAROM_MARK_POINT: return take_list(l, node, 2, "point: [x, y]", to);
    case CAROM_MARK_CIRCLE: return take_circle(l, node, to);
    case CAROM_MARK_LINE: return take_points(l, node, 2, POINTS_MOST, "line: [[x, y], [x, y], ...]", to);
    case CAROM_MARK_POLYGON: return take_points(l, node, 3, POINTS_MOST, "polygon: [[x, y], [x, y], [x, y], ...]", to);
    case CAROM_MARK_SPRING: return take_points(l, node, 2, 2, "spring: [[x, y], [x, y]]", to);
    }
    return CAROM_OK;
}

/* ---- a shape ---- */
static carom_status find_kind(carom_loader *l, const carom_text_node *map, const carom_text_node **node,
                              carom_mark_kind *kind)
{
    *node = NULL;
    for (int k = 0; k < CAROM_COUNT(kinds); k++) {
        const carom_text_node *c = carom_text_get(map, kinds[k]);
        if (c && *node)
            return carom_load_fail(l, c->key_place, "'%s' is a %s and a %s; a shape is one thing", map->key,
                                   kinds[*kind], kinds[k]);
        if (c) {
            *node = c;
            *kind = (carom_mark_kind)k;
        }
    }
    if (!*node)
        return carom_load_fail(l, map->key_place, "'%s' has no shape: point, line, circle, polygon or spring",
                               map->key);
    return CAROM_OK;
}

static carom_status shape(carom_loader *l, const carom_text_node *map, carom_mark *to)
{
    static const char *const keys[] = {"point", "line", "circle", "polygon", "spring", "style", "contact", "angle",
                                       "repeat"};
    const carom_text_node *node, *style, *contact, *angle;
    char what[100];
    values list = {NULL, 0};
    int word = 0;
    snprintf(what, sizeof what, "the shape '%.60s'", map->key);
    CAROM_TRY(carom_load_map(l, map, what));
    CAROM_TRY(carom_load_keys(l, map, keys, CAROM_COUNT(keys), what));
    CAROM_TRY(find_kind(l, map, &node, &to->kind));
    CAROM_TRY(coordinates(l, node, to->kind, &list));
    style = carom_text_get(map, "style");
    contact = carom_text_get(map, "contact");
    angle = carom_text_get(map, "angle");
    to->contact = to->body = -1;
    if (style)
        CAROM_TRY(choose(l, style, styles, CAROM_COUNT(styles), "style", &word));
    if (contact)
        CAROM_TRY(choose_contact(l, contact, &to->contact));
    if (angle && to->kind != CAROM_MARK_CIRCLE)
        return carom_load_fail(l, angle->key_place, "only a circle has an angle; '%s' is a %s", map->key,
                               kinds[to->kind]);
    if (angle)
        CAROM_TRY(take_value(l, angle, &list));
    to->name = map->key;
    to->style = styles[word];
    to->value = list.value;
    to->n = list.n;
    return CAROM_OK;
}

carom_status carom_load_draw(carom_loader *l)
{
    const carom_text_node *map = carom_text_get(l->s->root, "draw");
    bool automatic = map && l->s->bodies && map->kind == CAROM_TEXT_SCALAR && strcmp(map->text, "auto") == 0;
    if (l->s->bodies && (!map || automatic))
        return carom_bodies_picture(l);
    if (!map)
        return CAROM_OK;
    CAROM_TRY(carom_load_map(l, map, "draw"));
    carom_index index;
    int count, all = 0;
    for (const carom_text_node *c = map->child; c; c = c->next, all += count)
        CAROM_TRY(carom_load_repeat(l, c, SHAPES_MOST, &index, &count));
    if (all > SHAPES_MOST)
        return carom_load_fail(l, map->key_place, "%d shapes; there may be at most %d", all, SHAPES_MOST);
    carom_drawing *drawing = CAROM_NEW(l->s->arena, carom_drawing, 1);
    carom_mark *list = CAROM_NEW(l->s->arena, carom_mark, all + 1);
    if (!drawing || !list)
        return no_memory(l);
    drawing->shape = list;
    for (const carom_text_node *c = map->child; c; c = c->next) {
        CAROM_TRY(carom_load_label(l, c, "a shape"));
        CAROM_TRY(carom_load_repeat(l, c, SHAPES_MOST, &index, &count));
        for (int k = 0; k < count; k++) {
            const carom_text_node *one = carom_load_repeated(l, c, &index, k);
            carom_status status = one ? shape(l, one, &list[drawing->nshape++]) : no_memory(l);
            l->nindex = 0;
            CAROM_TRY(status);
        }
    }
    l->s->drawing = drawing;
    return CAROM_OK;
}
