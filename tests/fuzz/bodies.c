/* bodies.c: any text as what follows the head of a model of bodies (bodies, joints, laws, start ...): in the plane, or
 * in space if its first byte is an s. */
#include "model.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    char text[5000];
    if (n == 0 || n > 4000)
        return 0;
    int head = snprintf(text, sizeof text, "carom: 1\nspace: %s\nbodies:\n", bytes[0] == 's' ? "spatial" : "planar");
    memcpy(text + head, bytes + 1, n - 1);
    fuzz_model(text, (size_t)head + n - 1);
    return 0;
}
