/* builtin.c: models that come with the library. */
#include <string.h>

#include "core/core.h"
#include "model/builtin.h"

const char *carom_builtin_name(int i)
{
    for (int k = 0; k <= i; k++)
        if (!carom_builtins[k].name)
            return NULL;
    return i < 0 ? NULL : carom_builtins[i].name;
}

const char *carom_builtin_text(const char *name)
{
    for (int i = 0; name && carom_builtins[i].name; i++)
        if (strcmp(carom_builtins[i].name, name) == 0)
            return carom_builtins[i].text;
    return NULL;
}
