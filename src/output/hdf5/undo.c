/* undo.c: a file that is written all over becomes again what it was; see undo.h.
 *   journal   header, then pages; the last page may be cut short: then it was not written over yet */
#ifndef CAROM_NO_HDF5
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "output/hdf5/undo.h"

enum { PAGE = 4096 };

typedef struct header {
    char magic[16];
    uint64_t serial, length, checksum;
} header;

typedef struct page {
    uint64_t number, checksum;
    unsigned char bytes[PAGE];
} page;

static const char magic[16] = "carom undo 1";

static uint64_t checksum_of(const page *p, uint64_t serial)
{
    const uint64_t what[2] = {p->number, serial};
    return carom_checksum(carom_checksum(0, what, sizeof what), p->bytes, PAGE);
}

static bool write_all(int file, const void *bytes, size_t n, off_t at)
{
    for (const char *from = bytes; n > 0;) {
        ssize_t done = pwrite(file, from, n, at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        from += done, at += done, n -= (size_t)done;
    }
    return true;
}

/* As many bytes as there are, up to n. */
static size_t read_some(int file, void *bytes, size_t n, off_t at)
{
    size_t got = 0;
    while (got < n) {
        ssize_t done = pread(file, (char *)bytes + got, n - got, at + (off_t)got);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            break;
        got += (size_t)done;
    }
    return got;
}

static int open_journal(const char *path, uint64_t serial, int flags)
{
    size_t length = strlen(path) + sizeof ".undo0";
    char *name = malloc(length);
    if (!name) {
        errno = ENOMEM;
        return -1;
    }
    snprintf(name, length, "%s.undo%d", path, (int)(serial & 1));
    int file = open(name, flags | O_RDWR | O_CLOEXEC, 0666);
    free(name);
    return file;
}

void carom_undo_free(carom_undo *u)
{
    if (u->journal > 0)
        close(u->journal);
    free(u->seen);
    *u = (carom_undo){.serial = u->serial};
}

void carom_undo_remove(const char *path)
{
    size_t length = strlen(path) + sizeof ".undo0";
    char *name = malloc(length);
    for (int i = 0; name && i < 2; i++) {
        snprintf(name, length, "%s.undo%d", path, i);
        unlink(name);
    }
    free(name);
}

static uint64_t first_serial(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    return ((uint64_t)now.tv_sec << 30 ^ (uint64_t)now.tv_nsec) << 8; /* of no other run */
}

int carom_undo_begin(carom_undo *u, const char *path, int file)
{
    struct stat s;
    uint64_t serial = u->serial ? u->serial + 1 : first_serial();
    if (fsync(file) != 0 || fstat(file, &s) != 0)
        return errno ? errno : EIO;
    carom_undo_free(u);
    header h = {.serial = serial, .length = (uint64_t)s.st_size};
    memcpy(h.magic, magic, sizeof magic);
    h.checksum = carom_checksum(0, &h, sizeof h);
    u->seen = calloc((size_t)(h.length / PAGE) + 1, 1);
    if (!u->seen)
        return ENOMEM;
    u->serial = serial, u->length = h.length;
    u->journal = open_journal(path, serial, O_CREAT | O_TRUNC);
    if (u->journal < 0 || !write_all(u->journal, &h, sizeof h, 0) || fsync(u->journal) != 0) {
        int reason = errno ? errno : EIO;
        carom_undo_free(u);
        return reason;
    }
    return 0;
}

int carom_undo_keep(carom_undo *u, int file, uint64_t at, uint64_t size)
{
    page p;
    bool more = false;
    if (u->journal <= 0 || size == 0)
        return 0;
    const uint64_t end = at + size < u->length ? at + size : u->length;
    for (p.number = at / PAGE; p.number * PAGE < end; p.number++) {
        if (u->seen[p.number])
            continue;
        size_t n = read_some(file, p.bytes, PAGE, (off_t)(p.number * PAGE));
        memset(p.bytes + n, 0, PAGE - n);
        p.checksum = checksum_of(&p, u->serial);
        off_t to = lseek(u->journal, 0, SEEK_END);
        errno = 0;
        if (to < 0 || !write_all(u->journal, &p, sizeof p, to))
            return errno ? errno : EIO;
        u->seen[p.number] = 1;
        more = true;
    }
    return more && fdatasync(u->journal) != 0 ? errno : 0;
}

int carom_undo_apply(carom_undo *u, const char *path, int file, uint64_t serial, uint64_t length)
{
    header h, blank;
    page p;
    off_t at = sizeof h;
    *u = (carom_undo){.serial = serial, .length = length};
    u->journal = open_journal(path, serial, 0);
    if (u->journal < 0)
        return errno;
    u->seen = calloc((size_t)(length / PAGE) + 1, 1);
    bool fits = read_some(u->journal, &h, sizeof h, 0) == sizeof h && h.serial == serial && h.length == length;
    blank = h, blank.checksum = 0;
    if (!u->seen || !fits || h.checksum != carom_checksum(0, &blank, sizeof blank)) {
        int reason = u->seen ? ESTALE : ENOMEM;
        carom_undo_free(u);
        return reason;
    }
    errno = 0;
    bool fine = true;
    for (; fine && read_some(u->journal, &p, sizeof p, at) == sizeof p && p.checksum == checksum_of(&p, serial) &&
           p.number * PAGE < length; at += sizeof p) {
        uint64_t rest = length - p.number * PAGE;
        fine = write_all(file, p.bytes, rest < PAGE ? (size_t)rest : PAGE, (off_t)(p.number * PAGE));
        u->seen[p.number] = 1;
    }
    if (fine && ftruncate(u->journal, at) == 0 && ftruncate(file, (off_t)length) == 0 && fsync(file) == 0)
        return 0;
    int reason = errno ? errno : EIO;
    carom_undo_free(u);
    return reason;
}
#else
typedef int carom_no_hdf5; /* a translation unit is not empty */
#endif
