/* components.c: a large problem falls apart into groups of blocks that do not act on each other (boxes that lie side by
 * side on the ground): each is a problem of its own, and most are small, so that what is exact for small problems
 * serves large ones.
 *   blocks k and l act on each other if W_kl != 0; groups are the components of this graph                (1)
 *   of a group c:  u_c = W_cc x_c + b_c,  (u_c, x_c) in its laws;  W_cd = 0 for any other group d          (2) */
#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "solvers/parts.h"
#include "solvers/shares.h"

static bool acts(const carom_problem *p, int k, const carom_neighbour *l) /* (1) */
{
    for (int i = 0; i < p->block[k].law->rows; i++)
        for (int j = 0; j < p->block[l->block].law->rows; j++)
            if (l->W[i * l->stride + j] != 0)
                return true;
    return false;
}

static int root_of(int *parent, int k)
{
    while (parent[k] != k)
        k = parent[k] = parent[parent[k]];
    return k;
}

int carom_problem_components(const carom_problem *p, int *label)
{
    int n = 0;
    for (int k = 0; k < p->nblock; k++)
        label[k] = k;
    for (int k = 0; k < p->nblock; k++) {
        carom_neighbour l = {0};
        while (carom_delassus_next(p, k, &l)) {
            int a = root_of(label, k), b = root_of(label, l.block);
            if (a != b && acts(p, k, &l))
                label[a > b ? a : b] = a > b ? b : a; /* the first block is the root */
        }
    }
    for (int k = 0; k < p->nblock; k++) /* parents come before: they have their number already, as -1 - number */
        label[k] = label[k] == k ? -1 - n++ : label[label[k]];
    for (int k = 0; k < p->nblock; k++)
        label[k] = -1 - label[k];
    return n;
}

/* W of the blocks of a component: dense if it is small, otherwise by blocks. position: of a block in it, or -1. */
static bool copy_operator(const carom_problem *p, const int *member, const int *position, carom_problem *sub,
                          carom_arena *arena)
{
    size_t entries = 0, numbers = 0, n = (size_t)sub->n;
    bool small = sub->n <= CAROM_SMALL_ROWS;
    for (int i = 0; i < sub->nblock && !small; i++) {
        carom_neighbour l = {0};
        while (carom_delassus_next(p, member[i], &l))
            if (position[l.block] >= 0 && (l.block == member[i] || acts(p, member[i], &l))) {
                entries++;
                numbers += (size_t)sub->block[i].law->rows * (size_t)p->block[l.block].law->rows;
            }
    }
    sub->W = (carom_delassus){0};
    if (small)
        return (sub->W.dense = CAROM_NEW(arena, double, n * n + 1)) != NULL;
    sub->W.start = CAROM_NEW(arena, size_t, sub->nblock + 1);
    sub->W.column = CAROM_NEW(arena, int, entries + 1);
    sub->W.offset = CAROM_NEW(arena, size_t, entries + 1);
    sub->W.value = CAROM_NEW(arena, double, numbers + 1);
    return sub->W.start && sub->W.column && sub->W.offset && sub->W.value;
}

static void fill_operator(const carom_problem *p, const int *member, const int *position, carom_problem *sub)
{
    size_t e = 0;
    for (int i = 0; i < sub->nblock; i++) {
        int rows = sub->block[i].law->rows;
        carom_neighbour l = {0};
        while (carom_delassus_next(p, member[i], &l)) {
            int j = position[l.block], columns = p->block[l.block].law->rows;
            if (j < 0 || (l.block != member[i] && !acts(p, member[i], &l)))
                continue;
            size_t width = sub->W.dense ? (size_t)sub->n : (size_t)columns;
            double *to = sub->W.dense ? sub->W.dense + (size_t)sub->block[i].row * width + sub->block[j].row
                                      : sub->W.value + sub->W.offset[e];
            for (int r = 0; r < rows; r++)
                carom_copy(columns, l.W + r * l.stride, to + (size_t)r * width);
            if (sub->W.dense)
                continue;
            sub->W.column[e] = j;
            sub->W.offset[e + 1] = sub->W.offset[e] + (size_t)rows * (size_t)columns;
            sub->W.start[i + 1] = ++e;
        }
    }
}

/* The component of these members as a problem (2); position is left as it was. */
static bool extract(const carom_problem *p, int count, const int *member, int *position, carom_problem *sub,
                    carom_arena *arena)
{
    *sub = (carom_problem){.nblock = count, .block = CAROM_NEW(arena, carom_block, count)};
    if (!sub->block)
        return false;
    for (int i = 0; i < count; i++) {
        sub->block[i] = p->block[member[i]];
        sub->block[i].row = sub->n;
        sub->n += sub->block[i].law->rows;
        position[member[i]] = i;
    }
    sub->b = CAROM_NEW(arena, double, sub->n);
    sub->x0 = p->x0 ? CAROM_NEW(arena, double, sub->n) : NULL;
    bool room = sub->b && (sub->x0 || !p->x0) && copy_operator(p, member, position, sub, arena);
    if (room)
        fill_operator(p, member, position, sub);
    for (int i = 0; room && i < count; i++)
        for (int r = 0; r < sub->block[i].law->rows; r++) {
            sub->b[sub->block[i].row + r] = p->b[p->block[member[i]].row + r];
            if (p->x0)
                sub->x0[sub->block[i].row + r] = p->x0[p->block[member[i]].row + r];
        }
    for (int i = 0; i < count; i++)
        position[member[i]] = -1;
    return room;
}

/* One component; a small one starts from nothing. */
static carom_status solve_one(const carom_problem *p, int count, const int *member, int *position, carom_solve *whole,
                              carom_error *error)
{
    carom_arena *arena = whole->arena;
    carom_arena_mark mark = carom_arena_here(arena);
    carom_problem sub;
    carom_status status = CAROM_NO_MEMORY;
    if (extract(p, count, member, position, &sub, arena)) {
        bool small = sub.n <= CAROM_SMALL_ROWS;
        double tol = small && whole->better > 0 ? fmin(whole->tol, 1e-13) : whole->tol; /* whoever asks will judge */
        carom_solve s = {.tol = tol, .better = whole->better, .deadline = whole->deadline, .threads = whole->threads,
                         .cancel = whole->cancel, .arena = arena, .x = CAROM_NEW(arena, double, sub.n),
                         .u = CAROM_NEW(arena, double, sub.n),
                         .work = small ? carom_arena_alloc(arena, carom_solver_work(NULL, sub.n, count)) : NULL};
        for (int i = 0; s.x && !small && i < count; i++)
            carom_copy(sub.block[i].law->rows, whole->x + p->block[member[i]].row, s.x + sub.block[i].row);
        if (s.x && s.u && (s.work || !small))
            status = carom_problem_solve(&sub, NULL, &s, error);
        void *share = small && status == CAROM_OK && whole->better > 0
                          ? carom_arena_alloc(arena, carom_share_work(sub.n, count)) : NULL;
        if (share) /* where forces are not unique steps that follow each other are to choose alike */
            carom_problem_share(&sub, 1e-9, CAROM_RANK_TOL, tol, s.x, s.u, share);
        for (int i = 0; s.x && i < count; i++)
            carom_copy(sub.block[i].law->rows, s.x + sub.block[i].row, whole->x + p->block[member[i]].row);
        whole->by = s.iterations >= whole->iterations && s.by ? s.by : whole->by;
        whole->iterations = CAROM_MAX(whole->iterations, s.iterations);
        whole->factorisations += s.factorisations;
    }
    carom_arena_release(arena, mark);
    return status;
}

carom_status carom_components_solve(const carom_problem *p, carom_solve *solve, bool *apart, carom_error *error)
{
    size_t nblock = (size_t)p->nblock;
    carom_arena *arena = solve->arena;
    carom_arena_mark mark = carom_arena_here(arena);
    int *label = CAROM_NEW(arena, int, nblock), *first = CAROM_NEW(arena, int, nblock + 1);
    int *member = CAROM_NEW(arena, int, nblock), *position = CAROM_NEW(arena, int, nblock);
    carom_status status = CAROM_OK;
    int n = label && first && member && position ? carom_problem_components(p, label) : 0;
    *apart = n > 1;
    solve->iterations = solve->factorisations = 0;
    for (int k = 0; *apart && k < p->nblock; k++) {
        first[label[k] + 1]++;
        position[k] = -1;
    }
    for (int i = 0; i < n; i++)
        first[i + 1] += first[i];
    for (int k = 0; *apart && k < p->nblock; k++)
        member[first[label[k]]++] = k;
    for (int i = 0, begin = 0; *apart && i < n; i++) { /* first has moved on to the ends */
        carom_status one = solve_one(p, first[i] - begin, member + begin, position, solve, error);
        status = status == CAROM_OK || one == CAROM_NO_SOLUTION ? (one == CAROM_OK ? status : one) : status;
        begin = first[i];
    }
    carom_arena_release(arena, mark);
    return status;
}
