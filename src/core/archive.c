/* archive.c: named blocks of bytes in one file; see archive.h.
 *   header   magic, byte order, length of the file, checksum of everything else
 *   block    name, length, bytes filled up to a multiple of 8 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/archive.h"

typedef struct header {
    char magic[16];
    uint64_t order, bytes, checksum;
} header;

typedef struct block {
    char name[16];
    uint64_t length;
} block;

static const char magic[16] = "carom archive 1";
static const uint64_t ORDER = 0x0102030405060708u;

/* Word by word; every step can be undone, so two texts that differ in one word never meet. */
uint64_t carom_checksum(uint64_t h, const void *bytes, size_t n)
{
    const unsigned char *at = bytes;
    uint64_t word;
    h ^= 0x9e3779b97f4a7c15u + n;
    for (; n >= sizeof word; n -= sizeof word, at += sizeof word) {
        memcpy(&word, at, sizeof word);
        h = (h ^ word) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    word = 0;
    if (n)
        memcpy(&word, at, n);
    h = (h ^ word) * 0xc4ceb9fe1a85ec53u;
    return h ^ h >> 29;
}

/* ---- blocks ---- */

static size_t padded(size_t length)
{
    return (length + 7) / 8 * 8;
}

void carom_archive_begin(carom_archive *a)
{
    a->used = sizeof(header);
    a->failed = false;
}

void *carom_archive_add(carom_archive *a, const char *name, size_t length)
{
    size_t need = a->used + sizeof(block) + padded(length);
    if (need > a->room) {
        unsigned char *bytes = realloc(a->bytes, 2 * need);
        if (!bytes) {
            a->failed = true;
            return NULL;
        }
        a->bytes = bytes, a->room = 2 * need;
    }
    block b = {.length = length};
    for (size_t i = 0; i < sizeof b.name - 1 && name[i]; i++)
        b.name[i] = name[i];
    memcpy(a->bytes + a->used, &b, sizeof b);
    unsigned char *to = a->bytes + a->used + sizeof b;
    memset(to, 0, padded(length));
    a->used = need;
    return to;
}

void carom_archive_put(carom_archive *a, const char *name, const void *bytes, size_t length)
{
    void *to = carom_archive_add(a, name, length);
    if (to && length)
        memcpy(to, bytes, length);
}

const void *carom_archive_find(const carom_archive *a, const char *name, size_t *length)
{
    block b;
    for (size_t at = sizeof(header); at + sizeof b <= a->used; at += sizeof b + padded(b.length)) {
        memcpy(&b, a->bytes + at, sizeof b);
        if (b.length > a->used - at - sizeof b)
            return NULL;
        if (strncmp(b.name, name, sizeof b.name) != 0)
            continue;
        if (*length && *length != b.length)
            return NULL;
        *length = b.length;
        return a->bytes + at + sizeof b;
    }
    return NULL;
}

void carom_archive_free(carom_archive *a)
{
    free(a->bytes);
    *a = (carom_archive){0};
}

/* ---- files ---- */

static bool write_all(int file, const unsigned char *bytes, size_t n)
{
    while (n > 0) {
        ssize_t done = write(file, bytes, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        bytes += done, n -= (size_t)done;
    }
    return true;
}

/* The new name itself reaches the disk with its folder. Not all systems can: what is in the file is safe then, too. */
static void sync_folder(const char *path)
{
    char folder[4096] = ".";
    const char *slash = strrchr(path, '/');
    if (slash && (size_t)(slash - path) < sizeof folder - 1) {
        memcpy(folder, path, (size_t)(slash - path) + 1);
        folder[slash - path + 1] = 0;
    }
    int file = open(folder, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return;
    (void)!fsync(file);
    close(file);
}

static int write_beside(const carom_archive *a, const char *part, const char *path)
{
    int file = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0)
        return errno;
    errno = 0;
    int reason = write_all(file, a->bytes, a->used) && fsync(file) == 0 ? 0 : errno ? errno : EIO;
    if (close(file) != 0 && !reason)
        reason = errno;
    if (!reason && rename(part, path) != 0)
        reason = errno;
    if (reason)
        unlink(part);
    return reason;
}

carom_status carom_archive_write(carom_archive *a, const char *path, carom_error *error)
{
    size_t length = strlen(path);
    char *part = a->failed ? NULL : malloc(length + sizeof ".part");
    if (!part || a->room < sizeof(header)) {
        free(part);
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for writing '%s'", path);
    }
    memcpy(part, path, length);
    memcpy(part + length, ".part", sizeof ".part");
    header h = {.order = ORDER, .bytes = a->used};
    memcpy(h.magic, magic, sizeof magic);
    memcpy(a->bytes, &h, sizeof h);
    h.checksum = carom_checksum(0, a->bytes, a->used);
    memcpy(a->bytes, &h, sizeof h);
    int reason = write_beside(a, part, path);
    free(part);
    if (reason)
        CAROM_FAIL(error, CAROM_FILE, "'%s' cannot be written: %s", path, strerror(reason));
    sync_folder(path);
    return CAROM_OK;
}

static carom_status check(carom_archive *a, const char *path, carom_error *error)
{
    header h, blank;
    if (a->used >= sizeof h)
        memcpy(&h, a->bytes, sizeof h);
    if (a->used < sizeof h || memcmp(h.magic, magic, 6) != 0)
        CAROM_FAIL(error, CAROM_FILE, "'%s' is not an archive of Carom", path);
    if (memcmp(h.magic, magic, sizeof magic) != 0)
        CAROM_FAIL(error, CAROM_FILE, "'%s' is an archive of another version: '%.15s', this one reads '%s'", path,
                   h.magic, magic);
    if (h.order != ORDER)
        CAROM_FAIL(error, CAROM_FILE, "'%s' was written on a machine with another order of bytes", path);
    blank = h, blank.checksum = 0;
    memcpy(a->bytes, &blank, sizeof blank);
    if (h.bytes != a->used || h.checksum != carom_checksum(0, a->bytes, a->used))
        CAROM_FAIL(error, CAROM_FILE, "'%s' is damaged: its checksum does not fit (%zu bytes, %llu expected)", path,
                   a->used, (unsigned long long)h.bytes);
    return CAROM_OK;
}

static int read_all(carom_archive *a, int file)
{
    struct stat s;
    if (fstat(file, &s) != 0)
        return errno;
    if (!S_ISREG(s.st_mode))
        return EINVAL;
    a->room = (size_t)s.st_size + 1;
    a->bytes = malloc(a->room);
    if (!a->bytes)
        return ENOMEM;
    while (a->used < a->room) {
        ssize_t n = read(file, a->bytes + a->used, a->room - a->used);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno;
        if (n == 0)
            break;
        a->used += (size_t)n;
    }
    return 0;
}

carom_status carom_archive_read(carom_archive *a, const char *path, carom_error *error)
{
    *a = (carom_archive){0};
    int file = open(path, O_RDONLY | O_CLOEXEC);
    int reason = file < 0 ? errno : read_all(a, file);
    if (file >= 0)
        close(file);
    carom_status status = CAROM_OK;
    if (reason)
        status = carom_fail(error, reason == ENOMEM ? CAROM_NO_MEMORY : CAROM_FILE, "'%s' cannot be read: %s", path,
                            strerror(reason));
    else
        status = check(a, path, error);
    if (status != CAROM_OK)
        carom_archive_free(a);
    return status;
}
