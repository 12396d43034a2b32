/* names.c: the words of the public header: the version, the types of events. */
#include "core/core.h"

#ifdef CAROM_NO_YAML
#define YAML "without YAML"
#else
#define YAML "with YAML"
#endif
#ifdef CAROM_NO_HDF5
#define HDF5 "without HDF5"
#else
#define HDF5 "with HDF5"
#endif
#ifdef CAROM_NO_SQLITE
#define SQLITE "without SQLite"
#else
#define SQLITE "with SQLite"
#endif
#ifdef CAROM_NO_THREADS
#define THREADS "without threads"
#else
#define THREADS "with threads"
#endif

const char *carom_version(void)
{
    return CAROM_VERSION " (" YAML ", " HDF5 ", " SQLITE ", " THREADS ")";
}

const char *carom_event_name(carom_event_type type)
{
    static const char *const names[CAROM_EVENT_TYPES] = {"impact", "closing", "opening", "stick", "slip"};
    return (unsigned)type < CAROM_EVENT_TYPES ? names[type] : "unknown";
}
