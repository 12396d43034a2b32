/* jit.h: what the emitter and the loader of native code share. */
#ifndef CAROM_EXPR_JIT_H
#define CAROM_EXPR_JIT_H

#include "expr/tape.h"

/* ---- emit.c ---- */
/* C source with functions carom_native_<tape>_<lanes> for all tapes; the caller frees. NULL: no memory. */
char *carom_emit(carom_tape *const *tapes, int n, size_t *length);

/* ---- process.c ---- */
enum { CAROM_COMPILER_WORDS = 16 };
typedef struct carom_compiler { /* $CC cut at blanks, else cc */
    char text[1024];
    char *word[CAROM_COMPILER_WORDS + 1];
    int n;
    char version[512]; /* what it says of itself */
} carom_compiler;
carom_status carom_compiler_find(carom_compiler *compiler, carom_error *error);
/* Compiles the C file source to a shared object. */
carom_status carom_compiler_run(const carom_compiler *compiler, const char *source, const char *object,
                                carom_error *error);

#endif
