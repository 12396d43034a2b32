/* vectors.c: entries that stand for several, written out before anything reads them.
 *   x: [1, 2, 3]                          x[0]: 1, x[1]: 2, x[2]: 3
 *   x: {repeat: {k: 3}, value: 1 + k}     the same: k is 0, 1, 2 in the expression
 * in all sections that map names to expressions. */
#include <string.h>

#include "model/source.h"

static const char *const sections[] = {"parameters", "coordinates", "velocities", "let",        "outputs",
                                       "mass",       "force",       "forces",     "constraints"};

static carom_status no_memory(carom_loader *l, const carom_text_node *entry)
{
    return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the parts of '%s'", entry->key);
}

/* x[i] with the value of node, behind *last. */
static carom_status append(carom_loader *l, const carom_text_node *entry, const carom_text_node *node,
                           const char *index, int i, carom_text_node ***last)
{
    carom_text_node *one = CAROM_NEW(l->s->arena, carom_text_node, 1);
    char *key = carom_arena_format(l->s->arena, "%s[%d]", entry->key, i);
    if (!one || !key)
        return no_memory(l, entry);
    *one = *node;
    one->key = key;
    one->key_place = entry->key_place;
    one->family = entry->key;
    one->index = index;
    one->number = i;
    one->next = NULL;
    **last = one;
    *last = &one->next;
    return CAROM_OK;
}

static carom_status write_out(carom_loader *l, const carom_text_node *entry, carom_text_node ***last, int *count)
{
    static const char *const keys[] = {"repeat", "value"};
    if (entry->kind == CAROM_TEXT_LIST) {
        int i = 0;
        if (entry->nchild == 0)
            return carom_load_fail(l, entry->place, "'%s' is an empty list", entry->key);
        for (const carom_text_node *c = entry->child; c; c = c->next)
            CAROM_TRY(append(l, entry, c, NULL, i++, last));
        *count = i;
        return CAROM_OK;
    }
    carom_index index;
    CAROM_TRY(carom_load_keys(l, entry, keys, CAROM_COUNT(keys), "an entry with repeat"));
    CAROM_TRY(carom_load_repeat(l, entry, CAROM_MAX_NAMES, &index, count));
    const carom_text_node *value = carom_text_get(entry, "value");
    if (!value)
        return carom_load_fail(l, entry->key_place, "'%s' has repeat, but no value", entry->key);
    for (int i = 0; i < *count; i++)
        CAROM_TRY(append(l, entry, value, index.name, i, last));
    return CAROM_OK;
}

static bool is_vector(const carom_text_node *entry)
{
    return entry->kind == CAROM_TEXT_LIST || (entry->kind == CAROM_TEXT_MAP && carom_text_get(entry, "repeat"));
}

/* A force on a body is a list, too, and no vector of these. */
static bool is_coordinate(const carom_text_node *root, const char *key)
{
    const carom_text_node *map = carom_text_get(root, "coordinates");
    for (const carom_text_node *c = map && map->kind == CAROM_TEXT_MAP ? map->child : NULL; c; c = c->next)
        if (strcmp(c->family ? c->family : c->key, key) == 0)
            return true;
    return false;
}

static carom_status section(carom_loader *l, carom_text_node *map)
{
    carom_text_node **last = &map->child;
    bool forces = strncmp(map->key, "force", 5) == 0;
    for (carom_text_node *c = map->child, *next; c; c = next) {
        int count = 1;
        next = c->next;
        if (is_vector(c) && !(forces && !is_coordinate(l->s->root, c->key))) {
            CAROM_TRY(write_out(l, c, &last, &count));
        } else {
            *last = c;
            last = &c->next;
        }
        map->nchild += count - 1;
    }
    *last = NULL;
    return CAROM_OK;
}

carom_status carom_load_vectors(carom_loader *l, carom_text_node *root)
{
    for (int i = 0; i < CAROM_COUNT(sections); i++) {
        carom_text_node *map = root->kind == CAROM_TEXT_MAP ? carom_text_get(root, sections[i]) : NULL;
        if (map && map->kind == CAROM_TEXT_MAP)
            CAROM_TRY(section(l, map));
    }
    return CAROM_OK;
}
