/* tape.c: the interpreter. One loop over instructions for one lane, one for eight; both use the same arithmetic and the
 * same library functions, so that the bits agree. */
#include <string.h>

#include "expr/tape.h"
#include "expr/op_trig.h"

enum { WIDE = 8 };
typedef carom_wide8 wide;

/* Jumping through a table of labels predicts better than one switch, but is an extension of C. */
#pragma GCC diagnostic ignored "-Wpedantic"

size_t carom_tape_work(const carom_tape *tape, int lanes)
{
    return (size_t)tape->nregister * (size_t)lanes + 1;
}

int carom_tape_length(const carom_tape *tape)
{
    return tape->ncode;
}

static double table_value(const void *tape, int table, int order, double x)
{
    return carom_spline_value(((const carom_tape *)tape)->table[table], order, x);
}

#define A w[i->a]
#define B w[i->b]
#define C w[i->c]
#define D w[i->e]

static void run_one(const carom_tape *tape, const carom_instruction *i, double *w)
{
    static const void *const label[] = {
#define LABEL(name, text) &&do_##name,
        CAROM_TAPE_ALL(LABEL)
#undef LABEL
        &&do_SINCOS, &&do_TABLE, &&do_END,
    };
    goto *label[i->op];
#define DO(name, text)                                                                                                 \
    do_##name:                                                                                                         \
    w[i->d] = (text);                                                                                                  \
    i++;                                                                                                               \
    goto *label[i->op];
    CAROM_TAPE_ALL(DO)
#undef DO
do_SINCOS: {
    double x = A, s, c;
    carom_op_sincos(x, &s, &c);
    w[i->d] = s;
    w[i->b] = c;
    i++;
    goto *label[i->op];
}
do_TABLE:
    w[i->d] = table_value(tape, (int)i->b, (int)i->c, A);
    i++;
    goto *label[i->op];
do_END:
    return;
}

#undef A
#undef B
#undef C
#undef D

/* Eight lanes: arithmetic on vectors, the rest lane by lane. */
#define ROW(field) (w + (size_t)i->field * WIDE)
#define VECTOR(field) (*(const wide *)ROW(field))

static void run_wide(const carom_tape *tape, const carom_instruction *i, double *w)
{
    static const void *const label[] = {
#define LABEL(name, text) &&do_##name,
        CAROM_TAPE_ALL(LABEL)
#undef LABEL
        &&do_SINCOS, &&do_TABLE, &&do_END,
    };
    goto *label[i->op];
#define A VECTOR(a)
#define B VECTOR(b)
#define C VECTOR(c)
#define D VECTOR(e)
#define DO(name, text)                                                                                                 \
    do_##name:                                                                                                         \
    *(wide *)ROW(d) = (text);                                                                                          \
    i++;                                                                                                               \
    goto *label[i->op];
    CAROM_TAPE_SIMPLE(DO)
#undef DO
#undef A
#undef B
#undef C
#undef D
#define A a_[k]
#define B b_[k]
#define C c_[k]
#define DO(name, text)                                                                                                 \
    do_##name:                                                                                                         \
    {                                                                                                                  \
        const double *a_ = ROW(a), *b_ = ROW(b), *c_ = ROW(c);                                                         \
        double *d_ = ROW(d);                                                                                           \
        (void)b_;                                                                                                      \
        (void)c_;                                                                                                      \
        for (int k = 0; k < WIDE; k++)                                                                                 \
            d_[k] = (text);                                                                                            \
        i++;                                                                                                           \
        goto *label[i->op];                                                                                            \
    }
    CAROM_TAPE_CHOICE(DO)
    CAROM_TAPE_LIBM(DO)
#undef DO
#undef A
#undef B
#undef C
do_SINCOS: {
    const double *x = ROW(a);
    carom_trig_wide(x, ROW(d), ROW(b));
    i++;
    goto *label[i->op];
}
do_SIN: {
    wide other;
    carom_trig_wide(ROW(a), ROW(d), (double *)&other);
    i++;
    goto *label[i->op];
}
do_COS: {
    wide other;
    carom_trig_wide(ROW(a), (double *)&other, ROW(d));
    i++;
    goto *label[i->op];
}
do_TABLE:
    for (int k = 0; k < WIDE; k++)
        ROW(d)[k] = table_value(tape, (int)i->b, (int)i->c, ROW(a)[k]);
    i++;
    goto *label[i->op];
do_END:
    return;
}

static void load_one(const carom_transfer *t, int n, const double *const *in, double *w)
{
    for (int i = 0; i < n; i++)
        w[t[i].reg] = in[t[i].group][t[i].row];
}

static void load_wide(const carom_transfer *t, int n, const double *const *in, double *w)
{
    for (int i = 0; i < n; i++)
        memcpy(w + (size_t)t[i].reg * WIDE, in[t[i].group] + (size_t)t[i].row * WIDE, WIDE * sizeof *w);
}

void carom_tape_begin(const carom_tape *t, int lanes, const double *const *in, double *w)
{
    for (int i = 0; i < t->nconstant; i++) {
        for (int k = 0; k < lanes; k++)
            w[i * lanes + k] = t->constant[i];
    }
    if (lanes == 1) {
        load_one(t->fixed, t->nfixed_load, in, w);
        run_one(t, t->prologue, w);
    } else {
        load_wide(t->fixed, t->nfixed_load, in, w);
        run_wide(t, t->prologue, w);
    }
}

static __attribute__((noinline)) void interpret(const carom_tape *t, int lanes, const double *const *in, double *w,
                                                double *const *out)
{
    if (lanes == 1) {
        load_one(t->load, t->nload, in, w);
        run_one(t, t->code, w);
        for (int i = 0; i < t->nstore; i++)
            out[t->store[i].group][t->store[i].row] = w[t->store[i].reg];
    } else {
        load_wide(t->load, t->nload, in, w);
        run_wide(t, t->code, w);
        for (int i = 0; i < t->nstore; i++)
            memcpy(out[t->store[i].group] + (size_t)t->store[i].row * WIDE, w + (size_t)t->store[i].reg * WIDE,
                   WIDE * sizeof *w);
    }
}

void carom_tape_eval(const carom_tape *t, int lanes, const double *const *in, double *w, double *const *out)
{
    carom_native *native = t->native[lanes != 1];
    if (native)
        native(in, w, out, t, table_value);
    else
        interpret(t, lanes, in, w, out);
}

bool carom_tape_in_a_row(const carom_tape *t)
{
    bool fits = t->nload == 1 && t->load[0].group == 0 && t->load[0].row == 0;
    for (int i = 0; i < t->nstore; i++)
        fits = fits && t->store[i].group == 0 && t->store[i].row == i;
    return fits;
}

void carom_tape_eval_row(const carom_tape *t, const double *const *in, double *w, double *const *out, int n)
{
    if (t->native_row) {
        t->native_row(in, w, out, t, table_value, n);
        return;
    }
    for (int i = 0; i < n; i++) {
        const double *const from[] = {in[0] + (size_t)i * WIDE};
        double *const to[] = {out[0] + (size_t)i * (size_t)t->nstore * WIDE};
        carom_tape_eval(t, WIDE, from, w, to);
    }
}
