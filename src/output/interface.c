/* interface.c: what bindings to other languages need to know of this library. */
#include <string.h>

#include "carom_output.h"
#include "output/interface.h"

const char *carom_interface(void)
{
    return carom_interface_text;
}

size_t carom_struct_size(const char *name)
{
    const carom_interface_size *s = carom_interface_sizes;
    while (s->name && (!name || strcmp(s->name, name) != 0))
        s++;
    return s->size;
}

bool carom_flag_raised(void *flag)
{
    return *(const volatile int *)flag != 0;
}
