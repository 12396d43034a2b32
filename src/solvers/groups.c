/* groups.c: contacts of many bodies fall apart into groups that do not act on each other: stacks side by side, bodies
 * of a pile that still fall. Together the hardest of them would have all others iterate with it.
 *
 *   a contact of two bodies joins them; what does not move joins nobody; groups are what is joined              (1)
 *   of a group c:  u_c = G_c Y_c^T x_c + b_c,  (u_c, x_c) in its laws;  G_c Y_d^T = 0 for any other group d     (2)
 *   what is rounding beside the largest block of a group is so beside the largest of all: solutions of the
 *   groups are one of the problem, and the judge looks at it once more                                          (3)
 *
 * The product of a group has the G and Y of the problem, and velocities of its own: its bodies, numbered anew. */
#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "solvers/parts.h"
#include "solvers/scaled.h"

typedef struct groups {
    const carom_problem *p;
    carom_solve *whole;
    int n;
    int *parent, *width; /* [nv] of a body, which is known by its first velocity; how many it has, 0: none begins */
    int *number, *local; /* [nv] of a body that is a root: its group, -1: none yet; its first velocity in its group */
    int *of;             /* [nblock] the group of a block */
    int *first, *member; /* [nblock + 1] [nblock] blocks of a group: member[first[g]] ... */
    int *velocities;     /* [nblock] of a group */
} groups;

static const carom_span *span_of(const carom_problem *p, int k)
{
    return &p->W.product.span[p->W.product.row[k]];
}

static int root_of(int *parent, int i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

static bool place(groups *g, carom_arena *arena)
{
    size_t nv = (size_t)g->p->W.product.nv + 1, nblock = (size_t)g->p->nblock + 1;
    int **const by_velocity[] = {&g->parent, &g->width, &g->number, &g->local};
    int **const by_block[] = {&g->of, &g->first, &g->member, &g->velocities};
    bool room = true;
    for (int i = 0; i < CAROM_COUNT(by_velocity); i++)
        room = (*by_velocity[i] = CAROM_NEW(arena, int, nv)) && room;
    for (int i = 0; i < CAROM_COUNT(by_block); i++)
        room = (*by_block[i] = CAROM_NEW(arena, int, nblock)) && room;
    return room;
}

/* (1): groups are numbered by their first blocks; a block of nothing that moves goes with the first. */
static void find_groups(groups *g)
{
    const carom_problem *p = g->p;
    for (int i = 0; i < p->W.product.nv; i++)
        g->parent[i] = i, g->number[i] = -1;
    for (int k = 0; k < p->nblock; k++) {
        const carom_span *s = span_of(p, k);
        for (int b = 0; b < 2; b++)
            if (s->count[b])
                g->width[s->first[b]] = s->count[b];
        if (s->count[0] && s->count[1])
            g->parent[root_of(g->parent, s->first[1])] = root_of(g->parent, s->first[0]);
    }
    for (int k = 0; k < p->nblock; k++) {
        const carom_span *s = span_of(p, k);
        int b = s->count[0] ? 0 : 1, root = s->count[b] ? root_of(g->parent, s->first[b]) : -1;
        if (root >= 0 && g->number[root] < 0)
            g->number[root] = g->n++;
        g->of[k] = root >= 0 ? g->number[root] : 0;
    }
}

/* The blocks of each group, and where the velocities of bodies are in theirs, in the order that they had. */
static void list_groups(groups *g)
{
    const carom_problem *p = g->p;
    for (int i = 0; i < p->W.product.nv; i++)
        if (g->width[i]) {
            int *velocities = &g->velocities[g->number[root_of(g->parent, i)]];
            g->local[i] = *velocities;
            *velocities += g->width[i];
        }
    for (int k = 0; k < p->nblock; k++)
        g->first[g->of[k] + 1]++;
    for (int i = 0; i < g->n; i++)
        g->first[i + 1] += g->first[i];
    for (int k = p->nblock; k-- > 0;) /* from the back: first[i + 1] walks down to the start of group i */
        g->member[--g->first[g->of[k] + 1]] = k;
    for (int i = 0; i < g->n; i++)
        g->first[i] = g->first[i + 1];
    g->first[g->n] = p->nblock;
}

/* Block k of the problem as block i of a group. */
static void copy_block(const groups *g, int k, carom_problem *sub, int i)
{
    const carom_problem *p = g->p;
    const carom_product *from = &p->W.product;
    carom_product *to = &sub->W.product;
    int rows = p->block[k].law->rows, first = p->block[k].row;
    sub->block[i] = p->block[k];
    sub->block[i].row = ((int *)(size_t)to->row)[i] = sub->n;
    for (int r = 0; r < rows; r++, sub->n++) {
        carom_span s = from->span[from->row[k] + r];
        for (int b = 0; b < 2; b++)
            s.first[b] = s.count[b] ? g->local[s.first[b]] : 0;
        ((carom_span *)(size_t)to->span)[sub->n] = s;
        sub->b[sub->n] = p->b[first + r];
        if (sub->x0)
            sub->x0[sub->n] = p->x0[first + r];
    }
    carom_copy(9, from->diagonal + 9 * (size_t)k, to->diagonal + 9 * (size_t)i);
}

/* (2) */
static bool extract(const groups *g, int group, carom_problem *sub, carom_arena *arena)
{
    const carom_product *W = &g->p->W.product;
    const int *member = g->member + g->first[group], count = g->first[group + 1] - g->first[group];
    size_t rows = 0;
    for (int i = 0; i < count; i++)
        rows += (size_t)g->p->block[member[i]].law->rows;
    *sub = (carom_problem){.nblock = count, .block = CAROM_NEW(arena, carom_block, count),
                           .b = CAROM_NEW(arena, double, rows),
                           .x0 = g->p->x0 ? CAROM_NEW(arena, double, rows) : NULL};
    sub->W.product = (carom_product){.span = CAROM_NEW(arena, carom_span, rows), .row = CAROM_NEW(arena, int, count),
                                     .G = W->G, .Y = W->Y, .diagonal = CAROM_NEW(arena, double, 9 * (size_t)count),
                                     .v = W->v, .push = W->push, .nv = g->velocities[group]};
    if (!sub->block || !sub->b || (g->p->x0 && !sub->x0) || !sub->W.product.span || !sub->W.product.row ||
        !sub->W.product.diagonal)
        return false;
    for (int i = 0; i < count; i++)
        copy_block(g, member[i], sub, i);
    return true;
}

/* Iterations and factorisations are those of the group that has most. */
static carom_status solve_group(const groups *g, int group, carom_error *error)
{
    const carom_problem *p = g->p;
    const int *member = g->member + g->first[group];
    carom_solve *whole = g->whole, s = *whole;
    carom_arena_mark mark = carom_arena_here(whole->arena);
    carom_problem sub;
    carom_status status = CAROM_NO_MEMORY;
    s.iterations = s.factorisations = 0;
    if (extract(g, group, &sub, whole->arena) && (s.x = CAROM_NEW(whole->arena, double, sub.n)) &&
        (s.u = CAROM_NEW(whole->arena, double, sub.n))) {
        for (int i = 0; i < sub.nblock; i++)
            carom_copy(sub.block[i].law->rows, whole->x + p->block[member[i]].row, s.x + sub.block[i].row);
        status = carom_problem_solve(&sub, NULL, &s, error);
        for (int i = 0; i < sub.nblock; i++)
            carom_copy(sub.block[i].law->rows, s.x + sub.block[i].row, whole->x + p->block[member[i]].row);
        whole->by = s.iterations >= whole->iterations ? s.by : whole->by;
        whole->iterations = CAROM_MAX(whole->iterations, s.iterations);
        whole->factorisations = CAROM_MAX(whole->factorisations, s.factorisations);
    }
    carom_arena_release(whole->arena, mark);
    return status;
}

/* All of them; of several failures what is no solution for certain, else the first. */
static carom_status solve_all(const groups *g, carom_error *error)
{
    carom_status status = CAROM_OK;
    for (int i = 0; i < g->n; i++) {
        carom_error reason = {0};
        carom_status one = solve_group(g, i, &reason);
        bool tells = one != CAROM_OK && (status == CAROM_OK || one == CAROM_NO_SOLUTION);
        if (tells)
            status = one;
        if (tells && error)
            *error = reason;
        if (one == CAROM_NO_MEMORY || one == CAROM_INTERRUPTED)
            return one;
    }
    return status;
}

carom_status carom_groups_solve(const carom_problem *problem, carom_solve *solve, bool *apart, carom_error *error)
{
    groups g = {.p = problem, .whole = solve};
    carom_arena_mark mark = carom_arena_here(solve->arena);
    carom_status status = CAROM_NO_MEMORY;
    *apart = false;
    if (place(&g, solve->arena)) {
        find_groups(&g);
        *apart = g.n > 1;
    }
    if (*apart) {
        bool begins = carom_deadline_begin(solve);
        list_groups(&g);
        solve->iterations = solve->factorisations = 0;
        status = solve_all(&g, error);
        if (begins)
            solve->deadline = 0;
        solve->residual = carom_problem_judge(problem, solve, solve->x, solve->u, &solve->worst); /* (3) */
        solve->none = status == CAROM_NO_SOLUTION;
    }
    carom_arena_release(solve->arena, mark);
    return status;
}
