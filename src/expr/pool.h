/* pool.h: what the files of this folder know of a pool: its nodes, its tables, and the arithmetic of each operation.
 * Children have smaller numbers than their parents, so that a loop over numbers is a walk in topological order and
 * nothing here needs to recurse. */
#ifndef CAROM_EXPR_POOL_H
#define CAROM_EXPR_POOL_H

#include <limits.h>
#include <math.h>
#include <stdint.h>

#include "expr/expr.h"

typedef struct carom_node {
    double value;  /* of a constant */
    int a, b, c;   /* children, CAROM_EXPR_NONE where there is none; VAR: a = variable; TABLE: b = table, c = order */
    int low, high; /* smallest and largest variable it depends on; low > high: none */
    int op;
} carom_node;

typedef struct carom_spline { /* a piecewise cubic: coefficient[4*i + k] of (x - x[i])^k on [x[i], x[i+1]) */
    int n, references;
    bool periodic;
    bool kinks; /* pieces do not join with two derivatives */
    int degree; /* derivatives beyond it vanish */
    char *name;
    double *x;           /* [n] */
    double *coefficient; /* [4*n]; the last four continue the end value and slope */
} carom_spline;

typedef struct carom_memo_entry { /* the derivative of node by variable */
    int node, variable, result;
} carom_memo_entry;

typedef struct carom_scratch { /* memory of a walk, kept for the next */
    void *memory;
    size_t bytes;
} carom_scratch;

struct carom_expr_pool {
    carom_node *node; /* [capacity], count used */
    int count, capacity, limit;
    int *slot; /* [nslot], a power of two: open addressing into node; -1 empty */
    int nslot;
    bool exhausted;
    carom_spline **table; /* [ntable] */
    int ntable;
    carom_memo_entry *memo; /* [nmemo], a power of two; result -1: empty */
    int nmemo, memo_count;
    unsigned char *depends; /* [depends_size]: 0 unknown, 1 no, 2 yes, for the last question asked */
    int depends_size, depends_first, depends_end;
    carom_scratch stack, mark, made; /* of derivatives, of what a node is made of, of replacements */
};

/* ---- pool.c ---- */
carom_expr carom_pool_node(carom_expr_pool *pool, carom_op op, int a, int b, int c, double value);
/* The node if it exists, without making it. */
carom_expr carom_pool_find(const carom_expr_pool *pool, carom_op op, int a, int b, int c);
/* The number of children: 0 to 3. */
int carom_op_children(int op);
/* At least so many bytes, with whatever is in them; NULL: there are none. */
void *carom_pool_scratch(carom_scratch *scratch, size_t bytes);
/* Marks in mark[0..e] (zeroed by the caller) all that e is made of. */
void carom_pool_reach(const carom_expr_pool *pool, carom_expr e, unsigned char *mark);

/* ---- value.c ---- */
double carom_op_value(int op, double a, double b, double c);
/* Exponents n for which x^n is a chain of multiplications. */
enum { CAROM_POWER_MAX = 32 };
bool carom_power_small(double exponent, int *n);
double carom_power(double x, int n);

/* ---- table.c ---- */
double carom_spline_value(const carom_spline *table, int order, double x);
int carom_expr_find_table(const carom_expr_pool *pool, const char *name); /* -1: none */
void carom_spline_release(carom_spline *table);

/* Arithmetic that the graph walk, the tape and the emitted C share; a tie takes the first argument. */
static inline double carom_op_min(double a, double b)
{
    return b < a ? b : a;
}
static inline double carom_op_max(double a, double b)
{
    return a < b ? b : a;
}
static inline double carom_op_sign(double x)
{
    return x > 0 ? 1 : x < 0 ? -1 : x;
}
static inline double carom_op_mod(double a, double b) /* the sign of b, as a - b floor(a/b) */
{
    double r = fmod(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

#endif
