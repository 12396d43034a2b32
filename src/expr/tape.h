/* tape.h: the compiled form of a set of expressions, shared by its compiler, its interpreter and the C emitter.
 *
 * All operands are registers, rows of the work array: first constants, constant inputs and prologue results, which
 * carom_tape_begin fills, then the registers of an evaluation, which are reused as soon as they are dead. */
#ifndef CAROM_EXPR_TAPE_H
#define CAROM_EXPR_TAPE_H

#include "expr/pool.h"

/* Operations of the tape: X(name, C text of the value in terms of A B C D). The two roundings of fused pairs remain. */
#define CAROM_TAPE_SIMPLE(X)                                                                                           \
    X(NEG, -A)                                                                                                         \
    X(ADD, A + B)                                                                                                      \
    X(SUB, A - B)                                                                                                      \
    X(MUL, A * B)                                                                                                      \
    X(DIV, A / B)                                                                                                      \
    X(MULADD, A * B + C)                                                                                               \
    X(MULSUB, A * B - C)                                                                                               \
    X(SUBMUL, C - A * B)                                                                                               \
    X(MULNEG, -(A * B))                                                                                                \
    X(ADDADD, A + B + C)                                                                                               \
    X(SUBADD, A - B + C)                                                                                               \
    X(ADDSUB, A + B - C)                                                                                               \
    X(MULMUL, A * B * C)                                                                                               \
    X(ADDMUL, (A + B) * C)                                                                                             \
    X(SUBTIMES, (A - B) * C)                                                                                           \
    X(MULDIV, A * B / C)                                                                                               \
    X(DIVMUL, C / (A * B))                                                                                             \
    X(DOTADD, A * B + C * D)                                                                                           \
    X(DOTSUB, A * B - C * D)                                                                                           \
    X(INVERSE, 1 / A)
#define CAROM_TAPE_CHOICE(X)                                                                                           \
    X(MIN, carom_op_min(A, B))                                                                                         \
    X(MAX, carom_op_max(A, B))                                                                                         \
    X(SIGN, carom_op_sign(A))                                                                                          \
    X(MOD, carom_op_mod(A, B))                                                                                         \
    X(LT, A < B)                                                                                                       \
    X(LE, A <= B)                                                                                                      \
    X(EQ, A == B)                                                                                                      \
    X(NE, A != B)                                                                                                      \
    X(AND, (A != 0) & (B != 0))                                                                                        \
    X(OR, (A != 0) | (B != 0))                                                                                         \
    X(NOT, A == 0)                                                                                                     \
    X(IF, A != 0 ? B : C)
#define CAROM_TAPE_LIBM(X)                                                                                             \
    X(POW, pow(A, B))                                                                                                  \
    X(TAN, tan(A))                                                                                                     \
    X(ASIN, asin(A))                                                                                                   \
    X(ACOS, acos(A))                                                                                                   \
    X(ATAN, atan(A))                                                                                                   \
    X(ATAN2, atan2(A, B))                                                                                              \
    X(SINH, sinh(A))                                                                                                   \
    X(COSH, cosh(A))                                                                                                   \
    X(TANH, tanh(A))                                                                                                   \
    X(EXP, exp(A))                                                                                                     \
    X(LOG, log(A))                                                                                                     \
    X(SQRT, sqrt(A))                                                                                                   \
    X(CBRT, cbrt(A))                                                                                                   \
    X(HYPOT, hypot(A, B))                                                                                              \
    X(ABS, fabs(A))                                                                                                    \
    X(FLOOR, floor(A))
#define CAROM_TAPE_TRIG(X) /* trig.h */                                                                                \
    X(SIN, carom_op_sin(A))                                                                                            \
    X(COS, carom_op_cos(A))
#define CAROM_TAPE_ALL(X) CAROM_TAPE_SIMPLE(X) CAROM_TAPE_CHOICE(X) CAROM_TAPE_LIBM(X) CAROM_TAPE_TRIG(X)

typedef enum carom_tape_op {
#define CAROM_TAPE_NAME(name, text) CAROM_TAPE_##name,
    CAROM_TAPE_ALL(CAROM_TAPE_NAME)
#undef CAROM_TAPE_NAME
    CAROM_TAPE_SINCOS, /* d = sin(a), b = cos(a) */
    CAROM_TAPE_TABLE,  /* d = derivative c of table b at a */
    CAROM_TAPE_END
} carom_tape_op;

typedef struct carom_instruction {
    uint32_t op, d, a, b, c, e; /* registers; e is D of the lists above */
} carom_instruction;

typedef struct carom_transfer { /* a register and its place in the caller's arrays */
    int group, row, reg;
} carom_transfer;

typedef void carom_native(const double *const *in, double *work, double *const *out, const void *tape,
                          double (*table)(const void *tape, int table, int order, double x));

typedef void carom_native_row(const double *const *in, double *work, double *const *out, const void *tape,
                              double (*table)(const void *tape, int table, int order, double x), long n);

struct carom_tape {
    int nconstant;           /* registers 0 .. nconstant-1 */
    double *constant;        /* [nconstant] */
    int nfixed;              /* constants, constant inputs and prologue results */
    int nregister;           /* of the work array */
    carom_transfer *fixed;   /* [nfixed_load]: constant inputs, loaded by begin */
    carom_transfer *load;    /* [nload]: the other inputs */
    carom_transfer *store;   /* [nstore]: outputs */
    int nfixed_load, nload, nstore;
    carom_instruction *prologue, *code; /* [nprologue + 1], [ncode + 1]: END closes each */
    int nprologue, ncode;
    carom_spline **table; /* [ntable], shared with the pool */
    int ntable;
    carom_native *native[2]; /* 1 lane, 8 lanes; NULL: interpret */
    carom_native_row *native_row; /* eight lanes at several points, where carom_tape_in_a_row; NULL: one by one */
};

bool carom_tape_in_a_row(const carom_tape *tape); /* one varying input, all outputs in group 0 */

/* The number of values an instruction reads, and where they stand in it: operand[4]. */
int carom_instruction_reads(const carom_instruction *i, const uint32_t **operand);

/* ---- lower.c: nodes to instructions over values, not registers ---- */
enum { CAROM_CLASS_LITERAL, CAROM_CLASS_FIXED, CAROM_CLASS_VARYING };
typedef struct carom_lowering {
    const carom_expr_pool *pool;
    const carom_tape_slot *variable_slot;
    unsigned constant_groups;
    const int *cut;      /* [end] the row of a node that is an input of group cut_group; -1: it is not; NULL: none is */
    int cut_group;
    int end;              /* nodes below it are looked at */
    unsigned char *class; /* [end] of each reachable node, 0xff: not reachable */
    int *uses;            /* [end] */
    unsigned char *fused; /* [end]: computed inside its only user */
    unsigned char *done;  /* [end]: emitted */
    carom_instruction *code[3]; /* by class: FIXED is the prologue, VARYING the evaluation; operands are values */
    int ncode[3], capacity[3];
    int nvalue; /* values 0 .. end-1 are nodes, those above are steps within a power */
    bool failed;
} carom_lowering;
bool carom_lower(carom_lowering *lowering, const carom_expr *outputs, int n);
static inline bool carom_is_cut(const carom_lowering *l, int node)
{
    return l->cut && l->cut[node] >= 0;
}
void carom_lowering_free(carom_lowering *lowering);

/* ---- compile.c ---- */
/* carom_tape_new for a lowering with its pool, slots, groups and cuts. */
carom_status carom_tape_from(carom_tape **tape, carom_lowering *lowering, const carom_expr *outputs,
                             const carom_tape_slot *output_slot, int n, carom_error *error);

#endif
