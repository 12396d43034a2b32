/* split.c: one tape as two: what depends on time alone, and the rest.
 *
 * Runs that need the same instant twice, or many instants that are known beforehand, evaluate the functions of time
 * once for each, one after the other without waiting for anything. The nodes at which the graph is cut are the
 * largest ones that depend on clock groups and constants alone: in the first tape they are outputs, in the second
 * inputs. */
#include <stdlib.h>

#include "expr/tape.h"

enum { CLOCK = 1, OTHER = 2, READ = 4 }; /* what a node depends on; whether the rest reads it */

typedef struct cut {
    const carom_expr_pool *pool;
    int end;
    unsigned char *mark;   /* [end] */
    int *row;              /* [end] */
    carom_expr *node;      /* [end] of each row */
    carom_tape_slot *slot; /* [end] */
    int rows;
} cut;

static int children(const cut *x, int e, int child[3])
{
    const carom_node *n = &x->pool->node[e];
    child[0] = n->a, child[1] = n->b, child[2] = n->c;
    return carom_op_children(n->op);
}

static void find_dependence(cut *x, const carom_tape_slot *variable_slot, unsigned constant_groups,
                            unsigned clock_groups)
{
    int child[3];
    for (int i = 0; i < x->end; i++) {
        const carom_node *n = &x->pool->node[i];
        int count = children(x, i, child);
        for (int k = 0; k < count; k++)
            x->mark[i] |= x->mark[child[k]];
        if (n->op != CAROM_OP_VAR)
            continue;
        int group = variable_slot[n->a].group;
        bool constant = group < 32 && constant_groups >> group & 1, clock = group < 32 && clock_groups >> group & 1;
        x->mark[i] = constant ? 0 : clock ? CLOCK : OTHER;
    }
}

/* Rows for the largest nodes of the clock, from the outputs downwards. */
static void find_rows(cut *x, const carom_expr *outputs, int n)
{
    int child[3];
    for (int i = 0; i < n; i++)
        x->mark[outputs[i]] |= READ;
    for (int i = x->end - 1; i >= 0; i--) {
        bool timed = (x->mark[i] & (CLOCK | OTHER)) == CLOCK;
        x->row[i] = -1;
        if (!(x->mark[i] & READ))
            continue;
        if (timed && x->pool->node[i].op != CAROM_OP_VAR) {
            x->row[i] = x->rows;
            x->slot[x->rows] = (carom_tape_slot){0, x->rows};
            x->node[x->rows++] = i;
            continue;
        }
        int count = children(x, i, child);
        for (int k = 0; k < count; k++)
            x->mark[child[k]] |= READ;
    }
}

/* More than arithmetic? */
static bool worth_it(const carom_tape *clock)
{
    for (int i = 0; i < clock->ncode; i++)
        if (clock->code[i].op >= CAROM_TAPE_MIN)
            return true;
    return false;
}

carom_status carom_tape_split(carom_tape **clock, carom_tape **rest, int *rows, carom_expr_pool *pool,
                              const carom_expr *outputs, const carom_tape_slot *output_slot, int n,
                              const carom_tape_slot *variable_slot, unsigned constant_groups, unsigned clock_groups,
                              int group, carom_error *error)
{
    cut x = {.pool = pool};
    *clock = *rest = NULL;
    *rows = 0;
    for (int i = 0; i < n; i++)
        x.end = CAROM_MAX(x.end, outputs[i] + 1);
    size_t end = (size_t)x.end + 1;
    x.mark = calloc(end, 1);
    x.row = malloc(sizeof *x.row * end);
    x.node = malloc(sizeof *x.node * end);
    x.slot = malloc(sizeof *x.slot * end);
    carom_status status = CAROM_OK;
    if (!x.mark || !x.row || !x.node || !x.slot) {
        status = carom_fail(error, CAROM_NO_MEMORY, "no memory to split a tape of %d outputs", n);
    } else {
        carom_lowering first = {.pool = pool, .variable_slot = variable_slot, .constant_groups = constant_groups},
                       second = first;
        second.cut = x.row, second.cut_group = group;
        find_dependence(&x, variable_slot, constant_groups, clock_groups);
        find_rows(&x, outputs, n);
        status = carom_tape_from(clock, &first, x.node, x.slot, x.rows, error);
        if (status == CAROM_OK && worth_it(*clock))
            status = carom_tape_from(rest, &second, outputs, output_slot, n, error), *rows = x.rows;
        if (!*rest) {
            carom_tape_free(*clock);
            *clock = NULL, *rows = 0;
        }
    }
    free(x.mark);
    free(x.row);
    free(x.node);
    free(x.slot);
    return status;
}
