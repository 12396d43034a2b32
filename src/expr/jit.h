/* jit.h: what the emitter and the loader of native code share. */
#ifndef CAROM_EXPR_JIT_H
#define CAROM_EXPR_JIT_H

#include "expr/tape.h"

/* ---- emit.c ---- */
/* C source with functions carom_native_<tape>_<lanes> for all tapes; the caller frees. NULL: no memory. */
char *carom_emit(carom_tape *const *tapes, int n, size_t *length);

#endif
