/* emit.c: tapes as C source. The same operations in the same order as the interpreter, so the bits are the same; fixed
 * values are read from the work array that carom_tape_begin has filled. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expr/jit.h"

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
    "double sin(double), cos(double), tan(double), asin(double), acos(double), atan(double), atan2(double, double);\n"
    "double sinh(double), cosh(double), tanh(double), exp(double), log(double), sqrt(double), cbrt(double);\n"
    "double hypot(double, double), fabs(double), floor(double), pow(double, double), fmod(double, double);\n"
    "static inline double carom_op_min(double a, double b) { return b < a ? b : a; }\n"
    "static inline double carom_op_max(double a, double b) { return a < b ? b : a; }\n"
    "static inline double carom_op_sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }\n"
    "static inline double carom_op_mod(double a, double b)\n"
    "{ double r = fmod(a, b); return r != 0 && (r < 0) != (b < 0) ? r + b : r; }\n"
    "typedef double table_function(const void *, int, int, double);\n"
    "#define W(i) w[(i) * L + k]\n";

static const char *formula(uint32_t op)
{
    static const char *const table[] = {
#define TEXT(name, text) #text,
        CAROM_TAPE_ALL(TEXT)
#undef TEXT
    };
    return table[op];
}

/* The name of what a register holds at this point: v<number>, or a row of the work array. */
static void put_register(text *t, const int *held, uint32_t reg)
{
    if (held[reg] < 0)
        put(t, "W(%u)", reg);
    else
        put(t, "v%d", held[reg]);
}

static bool letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
}

/* The formula with A, B, C, D as the registers of the instruction. */
static void put_formula(text *t, const int *held, const carom_instruction *i)
{
    const uint32_t operand[4] = {i->a, i->b, i->c, i->e};
    const char *s = formula(i->op);
    for (size_t k = 0; s[k]; k++) {
        if (s[k] >= 'A' && s[k] <= 'D' && !letter(s[k + 1]) && (k == 0 || !letter(s[k - 1])))
            put_register(t, held, operand[s[k] - 'A']);
        else
            put(t, "%c", s[k]);
    }
}

static void put_instruction(text *t, int *held, int *next, const carom_instruction *i)
{
    int id = *next;
    if (i->op == CAROM_TAPE_SINCOS) {
        put(t, "const double v%d = sin(", id);
        put_register(t, held, i->a);
        put(t, "), v%d = cos(", id + 1);
        put_register(t, held, i->a);
        put(t, ");\n");
        held[i->b] = id + 1;
        ++*next;
    } else if (i->op == CAROM_TAPE_TABLE) {
        put(t, "const double v%d = table(tape, %u, %u, ", id, i->b, i->c);
        put_register(t, held, i->a);
        put(t, ");\n");
    } else {
        put(t, "const double v%d = ", id);
        put_formula(t, held, i);
        put(t, ";\n");
    }
    held[i->d] = id;
    ++*next;
}

static bool put_tape(text *t, const carom_tape *tape, int number)
{
    int next = 0, *held = malloc(sizeof *held * ((size_t)tape->nregister + 1));
    if (!held)
        return false;
    memset(held, 0xff, sizeof *held * ((size_t)tape->nregister + 1));
    put(t, "static inline __attribute__((always_inline)) void body_%d(const int L, const double *const *in,\n"
           "    const double *w, double *const *out, const void *tape, table_function *table)\n"
           "{\nfor (int k = 0; k < L; k++) {\n", number);
    for (int i = 0; i < tape->nload; i++) {
        put(t, "const double v%d = in[%d][%d * L + k];\n", next, tape->load[i].group, tape->load[i].row);
        held[tape->load[i].reg] = next++;
    }
    for (int i = 0; i < tape->ncode; i++)
        put_instruction(t, held, &next, &tape->code[i]);
    for (int i = 0; i < tape->nstore; i++) {
        put(t, "out[%d][%d * L + k] = ", tape->store[i].group, tape->store[i].row);
        put_register(t, held, (uint32_t)tape->store[i].reg);
        put(t, ";\n");
    }
    put(t, "}\n(void)in, (void)w, (void)out, (void)tape, (void)table;\n}\n");
    for (int lanes = 1; lanes <= 8; lanes += 7)
        put(t, "void carom_native_%d_%d(const double *const *in, double *w, double *const *out, const void *tape,\n"
               "    table_function *table)\n{\nbody_%d(%d, in, w, out, tape, table);\n}\n",
            number, lanes, number, lanes);
    free(held);
    return true;
}

char *carom_emit(carom_tape *const *tapes, int n, size_t *length)
{
    text t = {0};
    put(&t, "%s", preamble);
    for (int i = 0; i < n && !t.failed; i++)
        t.failed = !put_tape(&t, tapes[i], i) || t.failed;
    if (t.failed) {
        free(t.bytes);
        return NULL;
    }
    *length = t.length;
    return t.bytes;
}
