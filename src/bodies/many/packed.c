/* packed.c: the touches of a step in as little memory as they need: one behind the other, a corner on a face in some 110
 * bytes instead of 320. Features are kept up to their last number that is not 0; the reference follows from the normal;
 * gap and point are those of the moment when the touch was found, and only who finds it asks for them. */
#include <string.h>

#include "bodies/many/parts.h"

enum { FLOATS = 2 * CAROM_FEATURE_SIZE + CAROM_UNKNOWNS + 3 }; /* at most: features, unknowns, normal */

typedef struct head {
    int body[2];
    uint32_t feature[2], branch;
    uint8_t kernel, numbers[3]; /* numbers: of each feature and of z */
    bool against;               /* sign is -1 */
} head;

_Static_assert(sizeof(head) + FLOATS * sizeof(double) <= sizeof(carom_touch), "touches are packed in place");

static uint8_t numbers_of(int n, const double *x)
{
    static const double zero = 0; /* and not -0 */
    while (n > 0 && memcmp(&x[n - 1], &zero, sizeof zero) == 0)
        n--;
    return (uint8_t)n;
}

static unsigned char *put(unsigned char *to, int n, const double *x)
{
    memcpy(to, x, sizeof *x * (size_t)n);
    return to + sizeof *x * (size_t)n;
}

static const unsigned char *get(const unsigned char *from, int n, double *x)
{
    memcpy(x, from, sizeof *x * (size_t)n);
    return from + sizeof *x * (size_t)n;
}

unsigned char *carom_touch_pack(const carom_touch *touch, unsigned char *to)
{
    const head h = {.body = {touch->body[0], touch->body[1]}, .feature = {touch->feature[0], touch->feature[1]},
                    .branch = touch->branch, .kernel = (uint8_t)touch->kernel,
                    .numbers = {numbers_of(CAROM_FEATURE_SIZE, touch->a), numbers_of(CAROM_FEATURE_SIZE, touch->b),
                                numbers_of(CAROM_UNKNOWNS, touch->z)},
                    .against = touch->sign < 0};
    memcpy(to, &h, sizeof h);
    to = put(to + sizeof h, h.numbers[0], touch->a);
    to = put(to, h.numbers[1], touch->b);
    to = put(to, h.numbers[2], touch->z);
    return put(to, 3, touch->normal);
}

const unsigned char *carom_touch_unpack(const unsigned char *from, carom_touch *touch)
{
    head h;
    memcpy(&h, from, sizeof h);
    *touch = (carom_touch){.body = {h.body[0], h.body[1]}, .feature = {h.feature[0], h.feature[1]}, .branch = h.branch,
                           .kernel = (carom_kernel)h.kernel, .sign = h.against ? -1 : 1};
    from = get(from + sizeof h, h.numbers[0], touch->a);
    from = get(from, h.numbers[1], touch->b);
    from = get(from, h.numbers[2], touch->z);
    from = get(from, 3, touch->normal);
    carom_touch_reference(touch->normal, touch->reference);
    return from;
}

const carom_touch *carom_many_unpack(const carom_many_work *w, const unsigned char **at, int n)
{
    for (int i = 0; i < n; i++)
        *at = carom_touch_unpack(*at, &w->chunk[i]);
    return w->chunk;
}
