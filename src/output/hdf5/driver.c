/* driver.c: how HDF5 reaches the disk. The library's own driver will not do: when a write fails, for example on a
 * full disk, HDF5 can neither close nor forget the file, and crashes or prints when the program ends. This driver
 * keeps the first failure for us and takes all later writes without a word, so that everything closes in good order.
 * It sets no locks, and what it writes any other HDF5 program reads. */
#ifndef CAROM_NO_HDF5
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/hdf5/hdf5.h"
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

typedef struct disk {
    H5FD_t base; /* HDF5's part comes first */
    FILE *file;
    haddr_t allocated, end;
    carom_disk *shared;
} disk;

static void keep(const disk *d, int reason)
{
    if (d->shared->reason == 0)
        d->shared->reason = reason ? reason : EIO;
}

static H5FD_t *disk_open(const char *name, unsigned flags, hid_t access, haddr_t most)
{
    (void)most;
    carom_disk *const *info = H5Pget_driver_info(access);
    disk *d = info ? calloc(1, sizeof *d) : NULL;
    if (!d)
        return NULL;
    d->shared = *info;
    d->file = fopen(name, flags & H5F_ACC_TRUNC ? "wb+" : "rb+");
    if (!d->file || fseeko(d->file, 0, SEEK_END) != 0) {
        keep(d, errno);
        if (d->file)
            fclose(d->file);
        free(d);
        return NULL;
    }
    d->end = (haddr_t)ftello(d->file);
    d->shared->file = fileno(d->file);
    return &d->base;
}

static herr_t disk_close(H5FD_t *file)
{
    disk *d = (disk *)file;
    errno = 0;
    if (fclose(d->file) != 0)
        keep(d, errno);
    d->shared->file = -1;
    free(d);
    return 0;
}

static herr_t disk_query(const H5FD_t *file, unsigned long *flags)
{
    (void)file;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE
             | H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

static haddr_t disk_get_eoa(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return ((const disk *)file)->allocated;
}

static herr_t disk_set_eoa(H5FD_t *file, H5FD_mem_t type, haddr_t address)
{
    (void)type;
    ((disk *)file)->allocated = address;
    return 0;
}

static haddr_t disk_get_eof(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return ((const disk *)file)->end;
}

/* What was never written reads as zeros. */
static herr_t disk_read(H5FD_t *file, H5FD_mem_t type, hid_t plan, haddr_t at, size_t size, void *buffer)
{
    (void)type, (void)plan;
    char *to = buffer;
    while (size > 0) {
        ssize_t n = pread(fileno(((disk *)file)->file), to, size, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        to += n, at += (haddr_t)n, size -= (size_t)n;
    }
    memset(to, 0, size);
    return 0;
}

static herr_t disk_write(H5FD_t *file, H5FD_mem_t type, hid_t plan, haddr_t at, size_t size, const void *buffer)
{
    (void)type, (void)plan;
    disk *d = (disk *)file;
    const char *from = buffer;
    d->end = CAROM_MAX(d->end, at + size);
    errno = d->shared->reason ? 0 : carom_undo_keep(&d->shared->undo, fileno(d->file), at, size);
    if (errno)
        keep(d, errno);
    while (size > 0 && d->shared->reason == 0) {
        errno = 0;
        ssize_t n = pwrite(fileno(d->file), from, size, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            keep(d, errno);
        else
            from += n, at += (haddr_t)n, size -= (size_t)n;
    }
    return 0;
}

static herr_t disk_truncate(H5FD_t *file, hid_t plan, hbool_t closing)
{
    (void)plan, (void)closing;
    disk *d = (disk *)file;
    if (d->end == d->allocated)
        return 0;
    int reason = 0;
    if (d->shared->reason == 0 && d->allocated < d->end)
        reason = carom_undo_keep(&d->shared->undo, fileno(d->file), d->allocated, d->end - d->allocated);
    errno = 0;
    if (reason || (d->shared->reason == 0 && ftruncate(fileno(d->file), (off_t)d->allocated) != 0))
        keep(d, reason ? reason : errno);
    d->end = d->allocated;
    return 0;
}

static const H5FD_class_t disk_class = {
#if H5_VERSION_GE(1, 13, 2)
    .version = H5FD_CLASS_VERSION,
    .value = 400, /* 256 to 511 belong to nobody */
#endif
    .name = "carom",
    .maxaddr = (haddr_t)1 << 62,
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(carom_disk *),
    .open = disk_open,
    .close = disk_close,
    .query = disk_query,
    .get_eoa = disk_get_eoa,
    .set_eoa = disk_set_eoa,
    .get_eof = disk_get_eof,
    .read = disk_read,
    .write = disk_write,
    .truncate = disk_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

/* Metadata are not written between flushes: each flush leaves a complete file. */
static bool keep_metadata(hid_t plan)
{
    H5AC_cache_config_t cache = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
    if (H5Pget_mdc_config(plan, &cache) < 0)
        return false;
    cache.evictions_enabled = false;
    cache.incr_mode = H5C_incr__off;
    cache.flash_incr_mode = H5C_flash_incr__off;
    cache.decr_mode = H5C_decr__off;
    return H5Pset_mdc_config(plan, &cache) >= 0;
}

/* The driver stays registered: when a file is closed HDF5 gives up its share of it first, and reads it afterwards. */
static hid_t open_with(const char *path, carom_disk *shared, bool new)
{
    hid_t driver = H5FDregister(&disk_class), plan = H5Pcreate(H5P_FILE_ACCESS), file = -1;
    if (driver >= 0 && keep_metadata(plan) && H5Pset_driver(plan, driver, &shared) >= 0)
        file = new ? H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, plan) : H5Fopen(path, H5F_ACC_RDWR, plan);
    H5Pclose(plan);
    return file;
}

hid_t carom_hdf5_create(const char *path, carom_disk *shared)
{
    return open_with(path, shared, true);
}

hid_t carom_hdf5_continue(const char *path, carom_disk *shared)
{
    return open_with(path, shared, false);
}
#else
typedef int carom_no_hdf5; /* a translation unit is not empty */
#endif
