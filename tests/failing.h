/* failing.h: included before every file of a build with sanitizers (tools/leaks.sh): the allocation of number
 * FAIL_ALLOC (environment) fails, all others are the sanitizer's own, so that what is lost then is told at the end.
 * FAIL_ALLOC_COUNT=FILE: their number is written there. */
#ifndef CAROM_FAILING_H
#define CAROM_FAILING_H

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Shared by all files: the linker keeps one of each. */
__attribute__((weak)) atomic_long failing_calls;
__attribute__((weak)) long failing_at = -1; /* -1: the environment was not asked yet; 0: none */

static inline void failing_count(void)
{
    FILE *file = fopen(getenv("FAIL_ALLOC_COUNT"), "w");
    if (file) {
        fprintf(file, "%ld\n", atomic_load(&failing_calls));
        fclose(file);
    }
}

static inline int failing_now(void)
{
    long n = atomic_fetch_add(&failing_calls, 1) + 1;
    if (failing_at < 0) {
        const char *text = getenv("FAIL_ALLOC");
        failing_at = text ? atol(text) : 0;
        if (getenv("FAIL_ALLOC_COUNT"))
            atexit(failing_count);
    }
    if (n != failing_at)
        return 0;
    errno = ENOMEM;
    return 1;
}

#define malloc(size) (failing_now() ? NULL : malloc(size))
#define calloc(n, size) (failing_now() ? NULL : calloc(n, size))
#define realloc(memory, size) (failing_now() ? NULL : realloc(memory, size))
#define aligned_alloc(alignment, size) (failing_now() ? NULL : aligned_alloc(alignment, size))

#endif
