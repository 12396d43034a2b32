/* emit.c: tapes as C source. The same operations in the same order as the interpreter, so the bits are the same;
 * fixed values are read from the work array that carom_tape_begin has filled. One lane is computed with doubles,
 * eight as a vector: arithmetic, sines and cosines on all lanes at once, everything else lane by lane. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expr/jit.h"
#include "expr/trig.h"

typedef struct text {
    char *bytes;
    size_t length, capacity;
    bool failed;
} text;

__attribute__((format(printf, 2, 3))) static void put(text *t, const char *format, ...)
{
    va_list args;
    while (!t->failed) {
        size_t room = t->capacity - t->length;
        va_start(args, format);
        int n = vsnprintf(t->bytes ? t->bytes + t->length : NULL, room, format, args);
        va_end(args);
        if (n >= 0 && (size_t)n < room) {
            t->length += (size_t)n;
            return;
        }
        char *bytes = n < 0 ? NULL : realloc(t->bytes, t->capacity * 2 + (size_t)n + 4096);
        t->failed = !bytes;
        if (bytes) {
            t->bytes = bytes;
            t->capacity = t->capacity * 2 + (size_t)n + 4096;
        }
    }
}

static const char preamble[] =
    "double tan(double), asin(double), acos(double), atan(double), atan2(double, double);\n"
    "double sinh(double), cosh(double), tanh(double), exp(double), log(double), sqrt(double), cbrt(double);\n"
    "double hypot(double, double), fabs(double), floor(double), pow(double, double), fmod(double, double);\n"
    "static inline double carom_op_min(double a, double b) { return b < a ? b : a; }\n"
    "static inline double carom_op_max(double a, double b) { return a < b ? b : a; }\n"
    "static inline double carom_op_sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }\n"
    "static inline double carom_op_mod(double a, double b)\n"
    "{ double r = fmod(a, b); return r != 0 && (r < 0) != (b < 0) ? r + b : r; }\n"
    "typedef double table_function(const void *, int, int, double);\n"
    "typedef double wide __attribute__((vector_size(64), aligned(8), may_alias));\n"
    "#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__gnu_linux__)\n"
    "#define CLONES __attribute__((target_clones(\"avx512f\", \"avx2\", \"default\")))\n"
    "#else\n"
    "#define CLONES\n"
    "#endif\n";
static const char *const trigonometry[] = {CAROM_TRIG_TYPES(CAROM_AS_TEXT), CAROM_TRIG_ONE(CAROM_AS_TEXT),
                                           CAROM_TRIG_EIGHT(CAROM_AS_TEXT), CAROM_TRIG_FUNCTIONS(CAROM_AS_TEXT)};

static const char *formula(uint32_t op)
{
    static const char *const table[] = {
#define TEXT(name, text) #text,
        CAROM_TAPE_ALL(TEXT)
#undef TEXT
    };
    return table[op];
}

typedef struct writer {
    text *t;
    const carom_tape *tape;
    int *held;  /* [nregister]: the register holds v<number>; -1: a fixed value f<register> */
    bool *used; /* [nregister]: fixed values that are read */
    int next;   /* number of the next v */
    int lanes;
    bool row;   /* several points, see carom_tape_eval_row */
} writer;

static const char *type(const writer *w)
{
    return w->lanes == 1 ? "double" : "wide";
}

/* What a register holds at this point; lane < 0: all lanes of it. */
static void put_register(writer *w, uint32_t reg, int lane)
{
    if (w->held[reg] < 0)
        put(w->t, "f%u", reg);
    else
        put(w->t, "v%d", w->held[reg]);
    if (lane >= 0)
        put(w->t, "[%d]", lane);
}

static bool letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
}

/* The formula with A, B, C, D as the registers of the instruction. */
static void put_formula(writer *w, const carom_instruction *i, int lane)
{
    const uint32_t operand[4] = {i->a, i->b, i->c, i->e};
    if (i->op == CAROM_TAPE_TABLE) {
        put(w->t, "table(tape, %u, %u, ", i->b, i->c);
        put_register(w, i->a, lane);
        put(w->t, ")");
        return;
    }
    const char *s = formula(i->op);
    for (size_t k = 0; s[k]; k++) {
        if (s[k] >= 'A' && s[k] <= 'D' && !letter(s[k + 1]) && (k == 0 || !letter(s[k - 1])))
            put_register(w, operand[s[k] - 'A'], lane);
        else
            put(w->t, "%c", s[k]);
    }
}

/* const TYPE v<number> = ...; the number. */
static int put_value(writer *w, const carom_instruction *i)
{
    bool together = i->op < CAROM_TAPE_MIN; /* plain arithmetic works on vectors */
    put(w->t, "const %s v%d = ", type(w), w->next);
    if (w->lanes == 1 || together)
        put_formula(w, i, -1);
    for (int lane = 0; w->lanes > 1 && !together && lane < w->lanes; lane++) {
        put(w->t, lane ? ", " : "{");
        put_formula(w, i, lane);
    }
    put(w->t, w->lanes == 1 || together ? "" : "}");
    put(w->t, ";\n");
    return w->next++;
}

/* Sine and cosine at once; what nobody reads, the compiler removes. */
static void put_trigonometry(writer *w, const carom_instruction *i)
{
    int first = w->next, second = w->next + 1;
    w->next += 2;
    put(w->t, w->lanes == 1 ? "double v%d, v%d; carom_op_sincos(" : "wide v%d, v%d; carom_wide_sincos(&", first,
        second);
    put_register(w, i->a, -1);
    put(w->t, ", &v%d, &v%d);\n", first, second);
    w->held[i->d] = i->op == CAROM_TAPE_COS ? second : first;
    if (i->op == CAROM_TAPE_SINCOS)
        w->held[i->b] = second;
}

static void put_instruction(writer *w, const carom_instruction *i)
{
    if (i->op == CAROM_TAPE_SINCOS || i->op == CAROM_TAPE_SIN || i->op == CAROM_TAPE_COS) {
        put_trigonometry(w, i);
    } else {
        w->held[i->d] = put_value(w, i);
    }
}

/* Which fixed values are read: loaded once, before anything is stored. */
static void find_used(writer *w)
{
    const carom_tape *tape = w->tape;
    const uint32_t *operand[4];
    for (int i = 0; i < tape->ncode; i++) {
        int count = carom_instruction_reads(&tape->code[i], operand);
        for (int k = 0; k < count; k++)
            w->used[*operand[k]] = true;
    }
    for (int i = 0; i < tape->nstore; i++)
        w->used[tape->store[i].reg] = true;
}

/* Array of each group into a pointer of its own: compilers walk long lists of stores badly otherwise. */
static void put_pointers(writer *w)
{
    const carom_tape *tape = w->tape;
    uint64_t in = 0, out = 0;
    for (int i = 0; i < tape->nload + tape->nstore; i++) {
        bool load = i < tape->nload;
        int group = load ? tape->load[i].group : tape->store[i - tape->nload].group;
        uint64_t *seen = load ? &in : &out, bit = group < 64 ? (uint64_t)1 << group : 0;
        if (bit & ~*seen)
            put(w->t, load ? "const double *const in%d = in[%d];\n" : "double *const out%d = out[%d];\n", group, group);
        *seen |= bit;
    }
}

static void put_place(writer *w, const char *array, const carom_transfer *at)
{
    bool named = at->group < 64;
    put(w->t, "(%s%s%d%s + %d * %d)", array, named ? "" : "[", at->group, named ? "" : "]", at->row, w->lanes);
}

static void put_body(writer *w, int number)
{
    const carom_tape *tape = w->tape;
    text *t = w->t;
    put(t, "%svoid carom_native_%d_%s(const double *const *in, double *w, double *const *out, const void *tape,\n"
           "    table_function *table%s)\n{\n",
        w->lanes == 1 ? "" : "CLONES ", number, w->row ? "row" : w->lanes == 1 ? "1" : "8", w->row ? ", long n" : "");
    if (!w->row)
        put_pointers(w);
    for (int i = 0; i < tape->nfixed; i++) {
        if (w->used[i])
            put(t, "const %s f%d = *(const %s *)(w + %d * %d);\n", type(w), i, type(w), i, w->lanes);
    }
    if (w->row)
        put(t,
            "for (long i = 0; i < n; i++) {\nconst double *const in0 = in[0] + 8 * i;\ndouble *const out0 = out[0] + "
            "%d * i;\n",
            8 * tape->nstore);
    for (int i = 0; i < tape->nload; i++) {
        put(t, "const %s v%d = *(const %s *)", type(w), w->next, type(w));
        put_place(w, "in", &tape->load[i]);
        put(t, ";\n");
        w->held[tape->load[i].reg] = w->next++;
    }
    for (int i = 0; i < tape->ncode; i++)
        put_instruction(w, &tape->code[i]);
    for (int i = 0; i < tape->nstore; i++) {
        put(t, "*(%s *)", type(w));
        put_place(w, "out", &tape->store[i]);
        put(t, " = ");
        put_register(w, (uint32_t)tape->store[i].reg, -1);
        put(t, ";\n");
    }
    put(t, w->row ? "}\n}\n" : "}\n");
}

static bool put_tape(text *t, const carom_tape *tape, int number)
{
    size_t n = (size_t)tape->nregister + 1;
    writer w = {.t = t, .tape = tape, .held = malloc(sizeof *w.held * n), .used = calloc(n, sizeof *w.used)};
    bool fine = w.held && w.used;
    if (fine)
        find_used(&w);
    for (int kind = 0; fine && kind < (carom_tape_in_a_row(tape) ? 3 : 2); kind++) {
        w.lanes = kind == 0 ? 1 : 8, w.row = kind == 2;
        memset(w.held, 0xff, sizeof *w.held * n);
        w.next = 0;
        put_body(&w, number);
    }
    free(w.held);
    free(w.used);
    return fine;
}

char *carom_emit(carom_tape *const *tapes, int n, size_t *length)
{
    text t = {0};
    put(&t, "%s", preamble);
    for (int i = 0; i < CAROM_COUNT(trigonometry); i++)
        put(&t, "%s\n", trigonometry[i]);
    for (int i = 0; i < n && !t.failed; i++)
        t.failed = !put_tape(&t, tapes[i], i) || t.failed;
    if (t.failed) {
        free(t.bytes);
        return NULL;
    }
    *length = t.length;
    return t.bytes;
}
