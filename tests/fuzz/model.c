/* model.c: any text as a model file. */
#include "model.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    fuzz_model((const char *)bytes, n);
    return 0;
}
