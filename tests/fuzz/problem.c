/* problem.c: any bytes as a contact problem: one of the text formats, or HDF5 if they begin like it. */
#include "fuzz.h"
#include "output/hdf5/fclib.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    carom_problem *problem;
    double *x = NULL;
    carom_problem_kind kind;
    carom_error error;
    carom_arena *arena = carom_arena_new((size_t)64 << 20);
    carom_problem_open(&problem, &x, &kind, arena, fuzz_file(bytes, n, ".txt"), &error);
    carom_arena_free(arena);
    return 0;
}
