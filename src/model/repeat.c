/* repeat.c: an entry that stands for several: `repeat: {k: 8}` makes eight of it, in which k is 0 ... 7; they are
 * called name[0] ... name[7]. Those that are one expression are written out before (vectors.c). */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "model/source.h"

carom_status carom_load_repeat(carom_loader *l, const carom_text_node *node, int most, carom_index *index, int *count)
{
    const carom_text_node *repeat = node->kind == CAROM_TEXT_MAP ? carom_text_get(node, "repeat") : NULL;
    double n;
    *count = 1;
    *index = (carom_index){NULL, 0};
    if (!repeat)
        return CAROM_OK;
    CAROM_TRY(carom_load_map(l, repeat, "repeat"));
    if (repeat->nchild != 1)
        return carom_load_fail(l, repeat->place, "repeat has one index, as in {k: 8}");
    const carom_text_node *c = repeat->child;
    CAROM_TRY(carom_load_number(l, c, "the number of repetitions", &n));
    if (!(n >= 1 && n <= most && n == floor(n)))
        return carom_load_fail(l, c->place, "'%s' is repeated %g times; a whole number from 1 to %d is needed",
                               node->key, n, most);
    size_t length = strspn(c->key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    if (!isalpha((unsigned char)c->key[0]) || c->key[length] || length > 20)
        return carom_load_fail(l, c->key_place, "'%s' is no name for an index", c->key);
    for (int i = 0; i < l->s->nsymbol; i++)
        if (strcmp(l->s->symbol[i].name, c->key) == 0)
            return carom_load_fail(l, c->key_place, "the index '%s' has the name of something else in line %d", c->key,
                                   l->s->symbol[i].node->key_place.line);
    index->name = c->key;
    *count = (int)n;
    return CAROM_OK;
}

const carom_text_node *carom_load_repeated(carom_loader *l, const carom_text_node *node, carom_index *index, int k)
{
    if (!index->name)
        return node;
    carom_text_node *copy = CAROM_NEW(l->s->arena, carom_text_node, 1);
    char *key = carom_arena_format(l->s->arena, "%s[%d]", node->key, k);
    if (!copy || !key)
        return NULL;
    *copy = *node;
    copy->key = key;
    index->value = k;
    l->index = index, l->nindex = 1;
    return copy;
}
