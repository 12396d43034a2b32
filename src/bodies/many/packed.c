/* packed.c: the touches of a step in as little memory as they need: one behind the other, a corner on a face in 112
 * bytes instead of 320. Of a feature those fours of numbers are kept that are not all 0 at its end; the reference
 * follows from the normal; gap and point are those of the moment when the touch was found, and only who finds it asks
 * for them. */
#include <string.h>

#include "bodies/many/parts.h"

enum { FOUR = 4, FOURS = CAROM_FEATURE_SIZE / FOUR, BYTES = FOUR * sizeof(double) };

typedef struct head {
    int body[2];
    uint32_t feature[2], branch;
    uint8_t kernel, fours[2]; /* fours: of each feature */
    uint8_t flags;            /* AGAINST: sign is -1; UNKNOWNS: of z not all are 0 */
    double normal[3];
} head;
enum { AGAINST = 1, UNKNOWNS = 2 };

_Static_assert(sizeof(head) + 2 * FOURS * BYTES + sizeof((carom_touch *)0)->z <= sizeof(carom_touch),
               "packed touches go where full ones were");
_Static_assert(CAROM_FEATURE_SIZE % FOUR == 0, "features are fours of numbers");

static bool is_zero(const double *x, size_t bytes) /* and not -0 */
{
    static const double zero[FOUR] = {0};
    return memcmp(x, zero, bytes) == 0;
}

static uint8_t fours_of(const double *feature)
{
    int n = FOURS;
    while (n > 0 && is_zero(feature + FOUR * (n - 1), BYTES))
        n--;
    return (uint8_t)n;
}

unsigned char *carom_touch_pack(const carom_touch *touch, unsigned char *to)
{
    bool unknowns = !is_zero(touch->z, sizeof touch->z);
    const head h = {.body = {touch->body[0], touch->body[1]}, .feature = {touch->feature[0], touch->feature[1]},
                    .branch = touch->branch, .kernel = (uint8_t)touch->kernel,
                    .fours = {fours_of(touch->a), fours_of(touch->b)},
                    .flags = (uint8_t)((touch->sign < 0 ? AGAINST : 0) | (unknowns ? UNKNOWNS : 0)),
                    .normal = {touch->normal[0], touch->normal[1], touch->normal[2]}};
    memcpy(to, &h, sizeof h), to += sizeof h;
    for (int i = 0; i < h.fours[0]; i++, to += BYTES)
        memcpy(to, touch->a + FOUR * i, BYTES);
    for (int i = 0; i < h.fours[1]; i++, to += BYTES)
        memcpy(to, touch->b + FOUR * i, BYTES);
    if (unknowns)
        memcpy(to, touch->z, sizeof touch->z), to += sizeof touch->z;
    return to;
}

static inline const unsigned char *take_feature(const unsigned char *from, int fours, double *feature)
{
    for (int i = 0; i < FOURS; i++)
        if (i < fours)
            memcpy(feature + FOUR * i, from, BYTES), from += BYTES;
        else
            memset(feature + FOUR * i, 0, BYTES);
    return from;
}

static inline const unsigned char *unpack(const unsigned char *from, carom_touch *touch)
{
    head h;
    memcpy(&h, from, sizeof h), from += sizeof h;
    for (int i = 0; i < 2; i++)
        touch->body[i] = h.body[i], touch->feature[i] = h.feature[i], touch->z[i] = 0;
    touch->branch = h.branch;
    touch->kernel = (carom_kernel)h.kernel;
    touch->sign = h.flags & AGAINST ? -1 : 1;
    from = take_feature(from, h.fours[0], touch->a);
    from = take_feature(from, h.fours[1], touch->b);
    if (h.flags & UNKNOWNS)
        memcpy(touch->z, from, sizeof touch->z), from += sizeof touch->z;
    for (int i = 0; i < 3; i++)
        touch->normal[i] = h.normal[i], touch->reference[i] = 0;
    carom_touch_reference(touch->normal, touch->reference);
    return from;
}

const unsigned char *carom_touch_unpack(const unsigned char *from, carom_touch *touch)
{
    return unpack(from, touch);
}

const carom_touch *carom_many_unpack(const carom_many_work *w, const unsigned char **at, int n)
{
    for (int i = 0; i < n; i++)
        *at = unpack(*at, &w->chunk[i]);
    return w->chunk;
}
