/* problem.c: any bytes as a contact problem in one of the text formats. */
#include "fuzz.h"
#include "problem/formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    carom_problem *problem;
    double *x = NULL;
    carom_problem_kind kind;
    carom_error error;
    carom_arena *arena = carom_arena_new((size_t)64 << 20);
    carom_problem_load(&problem, &x, &kind, arena, fuzz_file(bytes, n, ".txt"), &error);
    carom_arena_free(arena);
    return 0;
}
