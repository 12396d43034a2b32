/* interface.h: what the build keeps of the public headers (tools/interface.sh). */
#ifndef CAROM_INTERFACE_H
#define CAROM_INTERFACE_H

#include <stddef.h>

typedef struct carom_interface_size {
    const char *name; /* NULL ends them */
    size_t size;
} carom_interface_size;
extern const char carom_interface_text[];
extern const carom_interface_size carom_interface_sizes[];

#endif
