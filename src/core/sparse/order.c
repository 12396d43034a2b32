/* order.c: approximate minimum degree ordering of a graph of blocks, which also finds the fronts.
 *
 * (Amestoy, Davis and Duff, SIAM J. Matrix Anal. Appl. 17 (1996) 886-905.) Variables i are blocks, or several that have
 * the same neighbours; elements e are what has been eliminated, L_e the variables at its boundary:
 *   the variable p of least degree is eliminated:  L_p = (A_p u L_e of its elements e) \ p              (1)
 *   its elements are absorbed: the front of p takes over what theirs leave                              (2)
 *   for i in L_p:  A_i loses L_p and p, its elements those absorbed, and wins p                         (3)
 *   d_i = min(rest, d_i + |L_p \ i|, |A_i| + |L_p \ i| + sum of |L_e \ L_p| over its elements e)        (4)
 *   e with L_e inside of L_p is absorbed too; i with nothing outside of L_p is eliminated with p        (5)
 *   variables of L_p with the same A and elements become one                                            (6) */
#include <stdint.h>
#include <string.h>

#include "core/sparse/fronts.h"

bool carom_sparse_room(carom_arena *arena, void *array, size_t size, size_t *room, size_t need)
{
    void **pointer = array;
    if (need <= *room)
        return true;
    size_t wanted = need + need / 2;
    if (wanted > SIZE_MAX / size)
        return false;
    void *more = carom_arena_alloc(arena, wanted * size);
    if (!more)
        return false;
    if (*room)
        memcpy(more, *pointer, *room * size);
    *pointer = more;
    *room = wanted;
    return true;
}

typedef struct order {
    carom_arena *arena;
    const carom_pattern *g;
    int n;
    int *begin, *na, *ne; /* [n] variable i: variables A_i in adjacent[begin ..] (na), then elements (ne) */
    int *adjacent;
    int *weight;          /* [n] rows of a variable; 0: no longer one */
    int *degree;          /* [n] */
    int *member, *last;   /* [n] blocks of a variable, linked; -1 ends */
    int *head, *next, *previous; /* lists of variables by degree */
    int *hash_head, *hash_next;  /* [n] [n] */
    int *element_of;      /* [n] front of an eliminated variable, -1: not eliminated or absorbed */
    size_t *boundary;     /* [n] first of L_e in bound */
    int *bound_count, *bound_weight; /* [n] */
    int *bound;           /* L_e of all elements */
    size_t bound_used, bound_room;
    int *outside, *seen;  /* [n] |L_e \ L_p|, and for which mark */
    int *stamp;           /* [n] variables of L_p bear the present mark */
    int mark, rows_left, least;
} order;

static void unlink_variable(order *o, int i)
{
    int a = o->previous[i], b = o->next[i];
    if (b >= 0)
        o->previous[b] = a;
    if (a >= 0)
        o->next[a] = b;
    else
        o->head[o->degree[i]] = b;
}

static void link_variable(order *o, int i)
{
    int d = o->degree[i];
    o->next[i] = o->head[d];
    o->previous[i] = -1;
    if (o->head[d] >= 0)
        o->previous[o->head[d]] = i;
    o->head[d] = i;
    o->least = d < o->least ? d : o->least;
}

/* (1): collects L_p at the end of bound; absorbs (2) */
static bool collect_boundary(order *o, carom_sparse *s, int p)
{
    size_t most = (size_t)o->na[p];
    const int *A = o->adjacent + o->begin[p], *E = A + o->na[p];
    for (int e = 0; e < o->ne[p]; e++)
        most += (size_t)o->bound_count[E[e]];
    if (!carom_sparse_room(o->arena, &o->bound, sizeof(int), &o->bound_room, o->bound_used + most + 1))
        return false;
    int *L = o->bound + o->bound_used, count = 0, weight = 0;
    o->stamp[p] = ++o->mark;
    for (int e = -1; e < o->ne[p]; e++) {
        const int *from = e < 0 ? A : o->bound + o->boundary[E[e]];
        int size = e < 0 ? o->na[p] : o->bound_count[E[e]];
        for (int j = 0; j < size; j++) {
            int i = from[j];
            if (o->weight[i] == 0 || o->stamp[i] == o->mark)
                continue;
            o->stamp[i] = o->mark;
            L[count++] = i;
            weight += o->weight[i];
        }
        if (e >= 0) {
            s->front[o->element_of[E[e]]].parent = s->nfront;                            /* (2) */
            o->element_of[E[e]] = -1;
        }
    }
    o->boundary[p] = o->bound_used;
    o->bound_count[p] = count;
    o->bound_weight[p] = weight;
    o->bound_used += (size_t)count;
    return true;
}

/* outside[e] = |L_e \ L_p| for the elements around L_p; stamped with the present mark */
static void measure_outside(order *o, int p)
{
    const int *L = o->bound + o->boundary[p];
    for (int j = 0; j < o->bound_count[p]; j++) {
        int i = L[j];
        const int *E = o->adjacent + o->begin[i] + o->na[i];
        for (int k = 0; k < o->ne[i]; k++) {
            int e = E[k];
            if (o->element_of[e] < 0)
                continue;
            if (o->seen[e] != o->mark) {
                o->seen[e] = o->mark;
                o->outside[e] = o->bound_weight[e];
            }
            o->outside[e] -= o->weight[i];
        }
    }
}

/* (3), (4) for i; returns a hash of its new lists. At least one entry leaves, so there is room for p at the end. */
static unsigned renew(order *o, carom_sparse *s, int i, int p)
{
    int *A = o->adjacent + o->begin[i], *E = A + o->na[i], na = 0, ne = 0, outside = 0;
    unsigned hash = (unsigned)p;
    for (int k = 0; k < o->na[i]; k++) {
        int j = A[k];
        if (o->weight[j] == 0 || o->stamp[j] == o->mark)
            continue;
        outside += o->weight[j];
        hash += (unsigned)j;
        A[na++] = j;
    }
    for (int k = 0; k < o->ne[i]; k++) {
        int e = E[k];
        if (o->element_of[e] < 0)
            continue;
        if (o->outside[e] == 0) {                                                        /* (5) */
            s->front[o->element_of[e]].parent = s->nfront;
            o->element_of[e] = -1;
            continue;
        }
        outside += o->outside[e];
        hash += (unsigned)e;
        A[na + ne++] = e;
    }
    A[na + ne++] = p;
    o->na[i] = na;
    o->ne[i] = ne;
    int rest = o->bound_weight[p] - o->weight[i], d = o->degree[i] + rest;
    d = outside + rest < d ? outside + rest : d;
    o->degree[i] = o->rows_left - o->weight[i] < d ? o->rows_left - o->weight[i] : d;    /* (4) */
    return hash;
}

/* Blocks of j go to i. */
static void merge(order *o, int i, int j)
{
    o->weight[i] += o->weight[j];
    o->weight[j] = 0;
    o->member[o->last[i]] = j;
    o->last[i] = o->last[j];
}

static bool same_lists(const order *o, int i, int j, int *mark_of, int mark)
{
    const int *B = o->adjacent + o->begin[j];
    if (o->na[i] != o->na[j] || o->ne[i] != o->ne[j])
        return false;
    for (int k = 0; k < o->na[j] + o->ne[j]; k++)
        if (mark_of[2 * B[k] + (k >= o->na[j])] != mark)
            return false;
    return true;
}

/* (6): twins have the same hash */
static void find_twins(order *o, int p, const unsigned *hash, int *mark_of, int *mark)
{
    const int *L = o->bound + o->boundary[p];
    int count = o->bound_count[p];
    for (int j = 0; j < count; j++)
        o->hash_head[hash[j] % (unsigned)o->n] = -1;
    for (int j = 0; j < count; j++) {
        int i = L[j], *head = &o->hash_head[hash[j] % (unsigned)o->n];
        if (o->weight[i] == 0)
            continue;
        const int *A = o->adjacent + o->begin[i];
        ++*mark;
        for (int k = 0; *head >= 0 && k < o->na[i] + o->ne[i]; k++)
            mark_of[2 * A[k] + (k >= o->na[i])] = *mark;
        int twin = *head;
        while (twin >= 0 && !same_lists(o, i, twin, mark_of, *mark))
            twin = o->hash_next[twin];
        if (twin >= 0) {
            o->degree[twin] -= o->weight[i];
            merge(o, twin, i);
        } else {
            o->hash_next[i] = *head;
            *head = i;
        }
    }
}

/* The front of p: its blocks, then those of L_p. */
static bool write_front(order *o, carom_sparse *s, int p)
{
    carom_front *f = &s->front[s->nfront];
    *f = (carom_front){.first = s->listed, .parent = -1, .np = o->weight[p], .nb = 0};
    for (int j = -1; j < o->bound_count[p]; j++) {
        int i = j < 0 ? p : o->bound[o->boundary[p] + (size_t)j];
        if (o->weight[i] == 0)
            continue;
        for (int k = i; k >= 0; k = o->member[k]) {
            if (!carom_sparse_room(s->arena, &s->list, sizeof(int), &s->list_room, s->listed + 1))
                return false;
            s->list[s->listed++] = k;
        }
        if (j < 0)
            f->pivots = s->listed - f->first;
        else
            f->nb += o->weight[i];
    }
    f->boundary = s->listed - f->first - f->pivots;
    return true;
}

/* Eliminates p, (1)-(6). */
static bool eliminate(order *o, carom_sparse *s, int p, unsigned *hash, int *mark_of, int *mark)
{
    unlink_variable(o, p);
    if (!collect_boundary(o, s, p))
        return false;
    int *L = o->bound + o->boundary[p], count = 0;
    for (int j = 0; j < o->bound_count[p]; j++)
        unlink_variable(o, L[j]);
    o->rows_left -= o->weight[p];
    measure_outside(o, p);
    for (int j = 0; j < o->bound_count[p]; j++) {
        int i = L[j];
        unsigned h = renew(o, s, i, p);
        if (o->na[i] == 0 && o->ne[i] == 1) {                                            /* (5) */
            o->rows_left -= o->weight[i];
            merge(o, p, i);
            continue;
        }
        hash[count] = h;
        L[count++] = i;
    }
    o->bound_count[p] = count;
    o->bound_weight[p] = 0;
    find_twins(o, p, hash, mark_of, mark);
    for (int j = 0; j < count; j++)
        o->bound_weight[p] += o->weight[L[j]];
    if (!write_front(o, s, p))
        return false;
    o->weight[p] = 0;
    o->element_of[p] = s->nfront++;
    for (int j = 0; j < count; j++)
        if (o->weight[L[j]] > 0)
            link_variable(o, L[j]);
    return true;
}

/* The graph without what is left out and without loops. */
static void begin_order(order *o, carom_sparse *s, int *degree_room)
{
    const carom_pattern *g = o->g;
    int used = 0;
    for (int k = 0; k < o->n; k++) {
        bool in = !s->in || s->in[k];
        o->begin[k] = used;
        o->weight[k] = in ? g->row[k + 1] - g->row[k] : 0;
        o->member[k] = o->element_of[k] = -1;
        o->last[k] = k;
        int degree = 0;
        for (size_t e = g->start[k]; in && e < g->start[k + 1]; e++) {
            int l = g->column[e];
            if (l == k || (s->in && !s->in[l]))
                continue;
            o->adjacent[used++] = l;
            degree += g->row[l + 1] - g->row[l];
        }
        o->na[k] = used - o->begin[k];
        o->degree[k] = degree;
        o->rows_left += o->weight[k];
    }
    *degree_room = o->rows_left + 1;
}

/* Places the arrays of the ordering in one block; returns its size in ints. */
static size_t place_order(order *o, int *base, int n, size_t entries, int rows)
{
    int **arrays[] = {&o->begin, &o->na, &o->ne, &o->weight, &o->degree, &o->member, &o->last, &o->next, &o->previous,
                      &o->hash_head, &o->hash_next, &o->element_of, &o->bound_count, &o->bound_weight, &o->outside,
                      &o->seen, &o->stamp};
    size_t used = 0, count = sizeof arrays / sizeof arrays[0];
    for (size_t i = 0; i < count; i++, used += (size_t)n)
        *arrays[i] = base ? base + used : NULL;
    o->adjacent = base ? base + used : NULL;
    used += entries;
    o->head = base ? base + used : NULL;
    return used + (size_t)rows + 1;
}

static bool run_order(order *o, carom_sparse *s, unsigned *hash, int *mark_of)
{
    int mark = 0, room;
    begin_order(o, s, &room);
    for (int d = 0; d < room; d++)
        o->head[d] = -1;
    o->least = room;
    for (int k = o->n; k-- > 0;)
        if (o->weight[k] > 0)
            link_variable(o, k);
    while (o->rows_left > 0) {
        while (o->head[o->least] < 0)
            o->least++;
        if (!eliminate(o, s, o->head[o->least], hash, mark_of, &mark))
            return false;
    }
    return true;
}

/* Scratch of the ordering, taken once: as it was at first, all 0. */
static bool begin_scratch(carom_sparse *s, size_t n, size_t ints)
{
    if (!s->boundary) {
        s->ordering = CAROM_NEW(s->arena, int, ints);
        s->hash = CAROM_NEW(s->arena, unsigned, n + 1);
        s->mark_of = CAROM_NEW(s->arena, int, 2 * n + 1);
        s->boundary = CAROM_NEW(s->arena, size_t, n + 1);
        return s->ordering && s->hash && s->mark_of && s->boundary;
    }
    memset(s->ordering, 0, sizeof(int) * ints);
    memset(s->hash, 0, sizeof(unsigned) * (n + 1));
    memset(s->mark_of, 0, sizeof(int) * (2 * n + 1));
    memset(s->boundary, 0, sizeof(size_t) * (n + 1));
    return true;
}

bool carom_sparse_order(carom_sparse *s)
{
    const carom_pattern *g = &s->pattern;
    int n = g->nblock, rows = g->row[n];
    order o = {.g = g, .n = n, .arena = s->arena};
    if (!begin_scratch(s, (size_t)n, place_order(&o, NULL, n, g->start[n], rows) + 1))
        return false;
    place_order(&o, s->ordering, n, g->start[n], rows);
    o.boundary = s->boundary;
    o.bound = s->bound, o.bound_room = s->bound_room;
    bool good = run_order(&o, s, s->hash, s->mark_of);
    s->bound = o.bound, s->bound_room = o.bound_room;
    return good;
}
