/* lazy.c: HDF5, loaded when it is first used. */
#ifndef CAROM_NO_HDF5
#define CAROM_HDF5_LAZY_LIST
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "output/hdf5/lazy.h"

carom_hdf5_table carom_hdf5;

typedef struct entry {
    const char *name;
    void *place; /* of the pointer in the table */
} entry;

static const entry entries[] = {
#define X(name) {#name, &carom_hdf5.name##_},
    CAROM_HDF5_FUNCTIONS(X)
    CAROM_HDF5_VARIABLES(X)
#undef X
};

/* Two threads at once write the same pointers. */
carom_status carom_hdf5_load(carom_error *error)
{
    static volatile bool loaded;
    if (loaded)
        return CAROM_OK;
    void *library = dlopen(CAROM_HDF5_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    const char *why = library ? NULL : dlerror();
    if (why && (strstr(why, "failed to map") || strstr(why, "allocate memory")))
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory to load HDF5: %s", why);
    if (!library)
        CAROM_FAIL(error, CAROM_FILE, "HDF5 cannot be loaded: %s", why ? why : "no reason is given");
    for (int i = 0; i < CAROM_COUNT(entries); i++) {
        void *found = dlsym(library, entries[i].name);
        if (!found)
            CAROM_FAIL(error, CAROM_UNSUPPORTED, "%s has no %s: it is not the version that this library was built with",
                       CAROM_HDF5_LIBRARY, entries[i].name);
        memcpy(entries[i].place, &found, sizeof found); /* a function pointer from a pointer to data */
    }
    void *volatile room = malloc((size_t)8 << 20); /* HDF5 crashes where memory ends while it starts */
    free(room);
    if (!room)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory to start HDF5");
    carom_hdf5.H5dont_atexit_(); /* what could not be closed stays so */
    if (carom_hdf5.H5open_() < 0)
        CAROM_FAIL(error, CAROM_UNSUPPORTED, "HDF5 cannot be started");
    loaded = true;
    return CAROM_OK;
}
#else
typedef int carom_no_hdf5; /* a file is not empty */
#endif
