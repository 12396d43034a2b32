/* part.c: a file that appears when it is whole; see part.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/part.h"

#ifdef __wasi__ /* neither links nor processes: nobody else writes beside us */
#define PROCESS 0L
char *carom_real_path(const char *path)
{
    return strdup(path);
}
#else
#define PROCESS ((long)getpid())
char *carom_real_path(const char *path)
{
    return realpath(path, NULL);
}
#endif

static void release(carom_part *p)
{
    free(p->path);
    free(p->part);
    *p = (carom_part){0};
}

carom_status carom_part_open(carom_part *p, const char *path, carom_error *error)
{
    struct stat about;
    const bool exists = stat(path, &about) == 0, plain = !exists || S_ISREG(about.st_mode);
    *p = (carom_part){.path = exists && plain ? carom_real_path(path) : strdup(path)};
    size_t room = p->path ? strlen(p->path) + 40 : 0;
    if (p->path && plain && (p->part = malloc(room)))
        snprintf(p->part, room, "%s.%ld.part", p->path, PROCESS);
    if (!p->path || (plain && !p->part)) {
        release(p);
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for writing '%s'", path);
    }
    errno = 0;
    if (!(exists && plain && access(path, W_OK) != 0))
        p->file = fopen(plain ? p->part : p->path, "wb");
    if (!p->file) {
        int reason = errno;
        release(p);
        CAROM_FAIL(error, reason == ENOMEM ? CAROM_NO_MEMORY : CAROM_FILE, "'%s' cannot be created: %s", path,
                   strerror(reason));
    }
    return CAROM_OK;
}

int carom_part_close(carom_part *p, bool whole)
{
    if (!p->file)
        return 0;
    errno = 0;
    int reason = fclose(p->file) != 0 ? (errno ? errno : EIO) : 0;
    if (p->part && whole && !reason && rename(p->part, p->path) != 0)
        reason = errno;
    if (p->part && (!whole || reason))
        remove(p->part);
    release(p);
    return reason;
}
