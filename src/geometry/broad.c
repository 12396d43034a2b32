/* broad.c: which boxes overlap, in n log n, from nothing but the boxes.
 *
 *   1. sort the boxes along a space-filling curve: the bits of their centres interleaved (Morton), by radix
 *   2. a binary tree over this order: node k of level l holds the boxes k 2^l ... (k+1) 2^l - 1
 *   3. pairs of nodes that overlap, level by level down to pairs of boxes; these are sorted at the end
 * The tree is built anew each time rather than kept and repaired: it costs less than the descent, and the result
 * does not depend on what was asked before, so that a run that is saved and resumed sees the same pairs. Boxes without
 * end (planes) are compared with all others. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/geometry.h"

enum { LEVELS = 32, DIGIT = 11, DIGITS = 6 }; /* 63 bits in six digits */

typedef struct entry {
    uint64_t key;
    int box;
} entry;
typedef struct bounds {
    double low[3], high[3];
} bounds;

struct carom_broad {
    int capacity;        /* boxes */
    entry *order, *swap; /* [capacity] */
    bounds *node;        /* [2*capacity + LEVELS] */
    int *endless, *start; /* [capacity], [capacity + 1] */
    carom_pair *pair, *sorted; /* [room] */
    int npair, room;
};

carom_broad *carom_broad_new(void)
{
    return calloc(1, sizeof(carom_broad));
}

void carom_broad_free(carom_broad *b)
{
    if (!b)
        return;
    free(b->order), free(b->swap), free(b->node), free(b->endless), free(b->start), free(b->pair), free(b->sorted);
    free(b);
}

static bool grow(void **array, size_t count, size_t size)
{
    void *larger = realloc(*array, count * size);
    if (larger)
        *array = larger;
    return larger != NULL;
}

static bool reserve(carom_broad *b, int n)
{
    if (n < b->capacity)
        return true;
    size_t m = (size_t)n + (size_t)n / 4 + 1;
    if (!grow((void **)&b->order, m, sizeof *b->order) || !grow((void **)&b->swap, m, sizeof *b->swap) ||
        !grow((void **)&b->node, 2 * m + LEVELS, sizeof *b->node) ||
        !grow((void **)&b->endless, m, sizeof *b->endless) || !grow((void **)&b->start, m + 1, sizeof *b->start))
        return false;
    b->capacity = (int)m;
    return true;
}

static bool add_pair(carom_broad *b, int i, int j)
{
    if (b->npair == b->room) {
        size_t more = b->room ? 2 * (size_t)b->room : 1024;
        if (more > INT32_MAX || !grow((void **)&b->pair, more, sizeof *b->pair) ||
            !grow((void **)&b->sorted, more, sizeof *b->sorted))
            return false;
        b->room = (int)more;
    }
    b->pair[b->npair++] = (carom_pair){CAROM_MIN(i, j), CAROM_MAX(i, j)};
    return true;
}

static inline bool overlap(const bounds *a, const bounds *b)
{
    return (a->low[0] <= b->high[0]) & (b->low[0] <= a->high[0]) & (a->low[1] <= b->high[1]) &
           (b->low[1] <= a->high[1]) & (a->low[2] <= b->high[2]) & (b->low[2] <= a->high[2]);
}

/* ---- 1: the order ---- */
static uint64_t spread(uint64_t x) /* 21 bits, two zeros between any two */
{
    x = (x | x << 32) & 0x1f00000000ffff, x = (x | x << 16) & 0x1f0000ff0000ff, x = (x | x << 8) & 0x100f00f00f00f00f;
    x = (x | x << 4) & 0x10c30c30c30c30c3, x = (x | x << 2) & 0x1249249249249249;
    return x;
}

static int sort_boxes(carom_broad *b, int n, const bounds *box, int *nendless)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, scale[3];
    int m = 0;
    *nendless = 0;
    for (int i = 0; i < n; i++) {
        bool finite = true;
        for (int k = 0; k < 3; k++)
            finite = finite && isfinite(box[i].low[k]) && isfinite(box[i].high[k]);
        if (!finite) {
            b->endless[(*nendless)++] = i;
            continue;
        }
        b->order[m++].box = i;
        for (int k = 0; k < 3; k++) {
            double centre = (box[i].low[k] + box[i].high[k]) / 2;
            low[k] = CAROM_MIN(low[k], centre), high[k] = CAROM_MAX(high[k], centre);
        }
    }
    double widest = CAROM_MAX(high[0] - low[0], CAROM_MAX(high[1] - low[1], high[2] - low[2]));
    for (int k = 0; k < 3; k++) /* one scale, so that cells are cubes */
        scale[k] = widest > 0 ? 2097151 / widest : 0;
    for (int i = 0; i < m; i++) {
        const bounds *at = &box[b->order[i].box];
        b->order[i].key = 0;
        for (int k = 0; k < 3; k++) {
            double x = ((at->low[k] + at->high[k]) / 2 - low[k]) * scale[k];
            b->order[i].key |= spread((uint64_t)CAROM_MAX(0, CAROM_MIN(2097151, x))) << k;
        }
    }
    for (int digit = 0; digit < DIGITS; digit++) { /* stable: equal keys keep the order of their numbers */
        int count[(1 << DIGIT) + 1] = {0};
        for (int i = 0; i < m; i++)
            count[(b->order[i].key >> DIGIT * digit & ((1 << DIGIT) - 1)) + 1]++;
        for (int i = 0; i < 1 << DIGIT; i++)
            count[i + 1] += count[i];
        for (int i = 0; i < m; i++)
            b->swap[count[b->order[i].key >> DIGIT * digit & ((1 << DIGIT) - 1)]++] = b->order[i];
        entry *other = b->order;
        b->order = b->swap, b->swap = other;
    }
    return m;
}

/* ---- 2 and 3: the tree ---- */
static int build(carom_broad *b, int m, const bounds *box, int *first)
{
    int levels = 1, used = m;
    first[0] = 0;
    for (int i = 0; i < m; i++)
        b->node[i] = box[b->order[i].box];
    for (int below = m; below > 1; levels++) {
        int count = (below + 1) / 2;
        first[levels] = used;
        for (int k = 0; k < count; k++) {
            const bounds *child = &b->node[first[levels - 1] + 2 * k], *last = child + (2 * k + 1 < below);
            bounds *node = &b->node[used + k];
            for (int i = 0; i < 3; i++) {
                node->low[i] = CAROM_MIN(child->low[i], last->low[i]);
                node->high[i] = CAROM_MAX(child->high[i], last->high[i]);
            }
        }
        used += count;
        below = count;
    }
    return levels;
}

/* Pairs of nodes of one level that overlap, a = b included, give the pairs of their children, down to the boxes. */
static bool descend(carom_broad *b, int m, int levels, const int *first)
{
    struct {
        int level, i, j; /* i <= j */
    } stack[4 * LEVELS] = {{levels - 1, 0, 0}};
    for (int depth = 1; depth > 0;) {
        depth--;
        int level = stack[depth].level - 1, i = 2 * stack[depth].i, j = 2 * stack[depth].j;
        if (level < 0)
            continue; /* a box with itself */
        const bounds *node = b->node + first[level];
        int count = level == 0 ? m : first[level + 1] - first[level];
        for (int c = 3; c >= 0; c--) {
            int x = i + (c >> 1), y = j + (c & 1);
            if (x > y || x >= count || y >= count || (x != y && !overlap(&node[x], &node[y])))
                continue;
            if (level > 0)
                stack[depth].level = level, stack[depth].i = x, stack[depth++].j = y;
            else if (x != y && !add_pair(b, b->order[x].box, b->order[y].box))
                return false;
        }
    }
    return true;
}

/* Stable, by one of the two numbers of a pair. */
static void sort_by(carom_broad *b, int n, const carom_pair *from, carom_pair *to, bool second)
{
    memset(b->start, 0, sizeof *b->start * ((size_t)n + 1));
    for (int i = 0; i < b->npair; i++)
        b->start[(second ? from[i].second : from[i].first) + 1]++;
    for (int i = 0; i < n; i++)
        b->start[i + 1] += b->start[i];
    for (int i = 0; i < b->npair; i++)
        to[b->start[second ? from[i].second : from[i].first]++] = from[i];
}

carom_status carom_broad_find(carom_broad *b, int n, const double *boxes, const carom_pair **pairs, int *npairs,
                              carom_error *error)
{
    const bounds *box = (const bounds *)boxes;
    int first[LEVELS + 1], nendless = 0;
    bool enough = reserve(b, n);
    b->npair = 0;
    if (enough) {
        int m = sort_boxes(b, n, box, &nendless);
        int levels = m > 0 ? build(b, m, box, first) : 0;
        enough = m == 0 || descend(b, m, levels, first);
        for (int i = 0; i < nendless; i++)
            for (int j = 0; j < m + i && enough; j++) {
                int k = b->endless[i], other = j < m ? b->order[j].box : b->endless[j - m];
                if (overlap(&box[k], &box[other]))
                    enough = add_pair(b, k, other);
            }
    }
    if (!enough)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "pairs of %d boxes: out of memory", n);
    sort_by(b, n, b->pair, b->sorted, true);
    sort_by(b, n, b->sorted, b->pair, false);
    *pairs = b->pair, *npairs = b->npair;
    return CAROM_OK;
}
