/* law.c: the list of laws. A new law is one file and one line here. */
#include "laws/law.h"

static const carom_law *const laws[] = {
    &carom_law_unilateral,
    &carom_law_bilateral,
    &carom_law_coulomb_planar,
    &carom_law_coulomb_spatial,
};

const carom_law *carom_law_list(int i)
{
    return i >= 0 && i < CAROM_COUNT(laws) ? laws[i] : NULL;
}

const carom_method *carom_law_method(int i)
{
    const carom_law *law = carom_law_list(i);
    return law ? &law->method : NULL;
}
