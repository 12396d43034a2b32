/* expr.h: expressions as a shared graph, exact derivatives, and a register tape that evaluates many at once.
 *
 * A pool holds hash-consed nodes: the same expression is the same number. Variables are numbered by the caller;
 * what they mean (time, coordinate, parameter) is the caller's business. */
#ifndef CAROM_EXPR_H
#define CAROM_EXPR_H

#include "core/core.h"
#include "text/text.h"

typedef int carom_expr;                  /* a node of its pool; CAROM_EXPR_NONE: none (out of nodes) */
enum { CAROM_EXPR_NONE = -1 };

typedef struct carom_expr_pool carom_expr_pool;
/* A pool that fails softly: once max_nodes is reached every new node is CAROM_EXPR_NONE, and any operation on
 * CAROM_EXPR_NONE is CAROM_EXPR_NONE; carom_expr_exhausted tells. Sticky, so callers check once at the end. */
carom_expr_pool *carom_expr_pool_new(int max_nodes);
void carom_expr_pool_free(carom_expr_pool *pool);
bool carom_expr_exhausted(const carom_expr_pool *pool);
bool carom_expr_no_memory(const carom_expr_pool *pool); /* not by its limit: memory ran out */

typedef enum carom_op {
    CAROM_OP_CONST, CAROM_OP_VAR,
    CAROM_OP_NEG, CAROM_OP_ADD, CAROM_OP_SUB, CAROM_OP_MUL, CAROM_OP_DIV, CAROM_OP_POW,
    CAROM_OP_SIN, CAROM_OP_COS, CAROM_OP_TAN, CAROM_OP_ASIN, CAROM_OP_ACOS, CAROM_OP_ATAN, CAROM_OP_ATAN2,
    CAROM_OP_SINH, CAROM_OP_COSH, CAROM_OP_TANH, CAROM_OP_EXP, CAROM_OP_LOG, CAROM_OP_SQRT, CAROM_OP_CBRT,
    CAROM_OP_HYPOT, CAROM_OP_ABS, CAROM_OP_SIGN, CAROM_OP_MIN, CAROM_OP_MAX, CAROM_OP_FLOOR, CAROM_OP_MOD,
    CAROM_OP_LT, CAROM_OP_LE, CAROM_OP_EQ, CAROM_OP_NE, CAROM_OP_AND, CAROM_OP_OR, CAROM_OP_NOT, /* 1 or 0 */
    CAROM_OP_IF,                                  /* if(c, a, b): only the chosen branch's value matters */
    CAROM_OP_TABLE,                               /* interpolated data: table k, derivative order d, argument */
    CAROM_OPS
} carom_op;

carom_expr carom_expr_const(carom_expr_pool *pool, double value);
carom_expr carom_expr_var(carom_expr_pool *pool, int variable);
carom_expr carom_expr_unary(carom_expr_pool *pool, carom_op op, carom_expr a);
carom_expr carom_expr_binary(carom_expr_pool *pool, carom_op op, carom_expr a, carom_expr b); /* simplifies */
carom_expr carom_expr_if(carom_expr_pool *pool, carom_expr c, carom_expr a, carom_expr b);
carom_expr carom_expr_table(carom_expr_pool *pool, int table, int derivative, carom_expr x);

carom_op carom_expr_op(const carom_expr_pool *pool, carom_expr e);
bool carom_expr_is_const(const carom_expr_pool *pool, carom_expr e, double *value); /* value may be NULL */
/* i-th argument; CAROM_EXPR_NONE after the last */
int carom_expr_child(const carom_expr_pool *pool, carom_expr e, int i);
int carom_expr_variable(const carom_expr_pool *pool, carom_expr e);     /* the number of a variable, else -1 */
/* Does e depend on a variable in [first, end)? Fast for repeated questions. */
bool carom_expr_depends(carom_expr_pool *pool, carom_expr e, int first, int end);
/* present[k - first] = 1 for every variable k in [first, end) that e depends on; false: out of memory. */
bool carom_expr_variables(const carom_expr_pool *pool, carom_expr e, int first, int end, unsigned char *present);
/* The exact derivative; at a kink of abs, sign, min, max, if, floor, mod it is that of the branch the value takes
 * (abs: sign(x), so 0 at 0; min, max: the first argument's on a tie; floor, sign: 0; mod: 1 in its first argument). */
carom_expr carom_expr_diff(carom_expr_pool *pool, carom_expr e, int variable);
/* e with each variable in [first, first+n) replaced by value[i]. */
carom_expr carom_expr_replace(carom_expr_pool *pool, carom_expr e, int first, int n, const carom_expr *value);
/* Value by walking the graph; variables[] as numbered. For set-up, not for stepping. */
double carom_expr_value(const carom_expr_pool *pool, carom_expr e, const double *variables); /* NAN also: no memory */
/* The values of n expressions in one walk over the graph; CAROM_EXPR_NONE, or no memory: NAN. */
void carom_expr_values(const carom_expr_pool *pool, int n, const carom_expr *e, const double *variables, double *out);
/* One in memory that is there: carom_expr_room(e) doubles. */
size_t carom_expr_room(carom_expr e);
double carom_expr_value_in(const carom_expr_pool *pool, carom_expr e, const double *variables, double *room);
/* Readable infix with few parentheses; name(user, variable) names variables. Cut with "..." beyond size. */
void carom_expr_print(const carom_expr_pool *pool, carom_expr e, const char *(*name)(void *user, int variable),
                      void *user, char *buffer, size_t size);

/* Measured functions: natural choice is a C2 cubic spline (shape-preserving "pchip" or "linear" on request),
 * periodic when asked; outside the data the end polynomial's value and slope go on linearly. */
typedef struct carom_expr_data {
    int n;
    const double *x, *y;                          /* [n], x strictly increasing */
    enum { CAROM_TABLE_SPLINE, CAROM_TABLE_PCHIP, CAROM_TABLE_LINEAR } kind;
    bool periodic;                                /* y[n-1] = y[0] */
} carom_expr_data;
/* copies; -1: no memory */
int carom_expr_add_table(carom_expr_pool *pool, const char *name, const carom_expr_data *data);

/* ---- parsing ---- */
typedef struct carom_expr_scope { /* what names mean */
    /* CAROM_EXPR_NONE: unknown. A name may end in ' (the time derivative of a coordinate). Functions, pi and
     * table names are known to the parser; everything else, t included, comes from here. */
    carom_expr (*lookup)(void *user, const char *name);
    /* All names for the "nearest valid name" hint: i-th, NULL after the last. */
    const char *(*name)(void *user, int i);
    void *user;
    /* NULL: there are no names with parts. box.x and brick[3,4].x are looked up as such, with
     * the numbers in the place of their expressions, which index gives: false if they have none yet. */
    bool (*index)(void *user, carom_expr e, int *number);
    /* function(object, [list]).part, e.g. point(box, [1, 2]).x; *known: is there a function of that name? */
    carom_expr (*part)(void *user, const char *function, const char *object, const carom_expr *list, int n,
                       const char *part, bool *known);
    /* sum(k, 8, x[k]): k means value from now on, false: it cannot; name NULL: the last one means nothing again.
     * NULL: there are no sums. */
    bool (*bind)(void *user, const char *name, int value);
} carom_expr_scope;
/* Does the language or a table own this name (sin, if, pi, and, cam ...)? A model must not declare it. */
bool carom_expr_reserved(const carom_expr_pool *pool, const char *name);
/* Parses node->text (a scalar). Errors show file, line, column and a caret at the offending character, and the
 * nearest valid name. An unbalanced parenthesis after a comma in a flow collection hints to quote the text. */
carom_status carom_expr_parse(carom_expr_pool *pool, const carom_text_file *file, const carom_text_node *node,
                              const carom_expr_scope *scope, carom_expr *result, carom_error *error);

/* The value of a text without names but those of the language, such as "2*pi/3"; false: it is none, or not finite. */
bool carom_expr_constant(const char *text, double *value);

/* ---- switches: where expressions change their branches, see freeze.c ---- */
typedef struct carom_switch { /* a branch holds as long as f stays between two bounds */
    enum { CAROM_SWITCH_SIGN, CAROM_SWITCH_FLOOR, CAROM_SWITCH_MOD, CAROM_SWITCH_TABLE } kind;
    carom_expr a, b; /* f = a, a - b or (mod) a/b */
    int table;
    int branch;    /* the number of its variable; switches with the same f share one, */
    bool opposite; /* or with -f */
} carom_switch;
/* Fills list with the different switches of n expressions that depend on variables below varying; returns how many.
 * most + 1 when there are more than most; -1: no memory. Each has a branch of its own. */
int carom_expr_switches(const carom_expr_pool *pool, const carom_expr *e, int n, int varying, carom_switch *list,
                        int most);
carom_expr carom_switch_function(carom_expr_pool *pool, const carom_switch *s);
/* The branch d of a value of f, which holds on [low, high). s NULL: -1 below 0, 1 above. */
double carom_switch_branch(const carom_expr_pool *pool, const carom_switch *s, double f, double *low, double *high);
/* Replaces ne expressions by those whose switches take the branches in the variables from first on. *extended: some
 * functions now have values where they had none. false: no memory. */
bool carom_expr_freeze(carom_expr_pool *pool, const carom_switch *list, int n, int first, carom_expr *e, int ne,
                       bool *extended);

/* ---- the tape ---- */
/* Compiles n expressions into a straight list of register operations. Inputs and outputs live in groups of arrays
 * (time, coordinates, parameters, ...; M, F, ...): a slot says which array and which row of it. Variables of the
 * groups in constant_groups (a bit mask; the parameters) are fixed between calls of carom_tape_begin: work that
 * depends on them alone is done there. if() evaluates both branches and selects. */
typedef struct carom_tape carom_tape;
typedef struct carom_tape_slot {
    int group, row;
} carom_tape_slot;
carom_status carom_tape_new(carom_tape **tape, carom_expr_pool *pool, const carom_expr *outputs,
                            const carom_tape_slot *output_slot, int n,
                            const carom_tape_slot *variable_slot /* [number of variables] */, unsigned constant_groups,
                            carom_error *error);
/* The same outputs by two tapes: clock computes what depends on variables of the groups in clock_groups alone (and on
 * constant ones), into rows of output group 0; rest reads them from input group `group`. Both together have the bits
 * of one tape. *rows = 0 and no tapes: there is nothing worth it, only arithmetic. */
carom_status carom_tape_split(carom_tape **clock, carom_tape **rest, int *rows, carom_expr_pool *pool,
                              const carom_expr *outputs, const carom_tape_slot *output_slot, int n,
                              const carom_tape_slot *variable_slot, unsigned constant_groups, unsigned clock_groups,
                              int group, carom_error *error);
void carom_tape_free(carom_tape *tape);
size_t carom_tape_work(const carom_tape *tape, int lanes);  /* doubles of scratch, kept from begin to eval */
int carom_tape_length(const carom_tape *tape);              /* operations per evaluation */
/* in[group] points at [row][lane], out[group] likewise; lanes is 1 or 8; the bits do not depend on it. Constant
 * outputs and those of parameters alone are stored too. Neither function allocates. begin reads constant groups
 * only. */
void carom_tape_begin(const carom_tape *tape, int lanes, const double *const *in, double *work);
void carom_tape_eval(const carom_tape *tape, int lanes, const double *const *in, double *work, double *const *out);
/* Eight lanes at n points, for a tape with one varying input (in[0], one row) and outputs in group 0 alone, such as
 * the clock of carom_tape_split: the rows of in[0] and the blocks of outputs of the points follow each other. */
void carom_tape_eval_row(const carom_tape *tape, const double *const *in, double *work, double *const *out, int n);

/* Native code for tapes: writes one C file for all of them, compiles with cc -O2 -ffp-contract=off, loads it and
 * hooks it into the tapes (carom_tape_eval with lanes = 1 or 8 then runs it; same bits). The object is cached under
 * $XDG_CACHE_HOME/carom (or ~/.cache/carom) by the hash of the source and compiler; written atomically.
 * CAROM_UNSUPPORTED with a reason when there is no compiler or it fails: the tapes then still work. Returns a handle
 * to free last. */
typedef struct carom_jit carom_jit;
carom_status carom_jit_new(carom_jit **jit, carom_tape *const *tapes, int n, carom_error *error);
void carom_jit_free(carom_jit *jit);

#endif
