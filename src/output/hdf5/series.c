/* series.c: columns of numbers that grow together in an HDF5 file, texts beside them, and quiet errors. */
#ifndef CAROM_NO_HDF5
#include <stdlib.h>
#include <string.h>

#include "output/hdf5/hdf5.h"

carom_quiet carom_hdf5_quiet(void)
{
    carom_quiet before;
    H5Eget_auto2(H5E_DEFAULT, &before.function, &before.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return before;
}

void carom_hdf5_loud(carom_quiet before)
{
    H5Eset_auto2(H5E_DEFAULT, before.function, before.data);
}

/* Attributes hold at most 64 kB in the old format: what is longer becomes a dataset of that name. */
bool carom_hdf5_texts(hid_t where, const char *name, const char *const *texts, int n)
{
    size_t longest = 1;
    for (int i = 0; i < n; i++)
        longest = CAROM_MAX(longest, strlen(texts[i]) + 1);
    char *block = calloc((size_t)CAROM_MAX(n, 1), longest);
    if (!block)
        return false;
    for (int i = 0; i < n; i++)
        strcpy(block + (size_t)i * longest, texts[i]);
    hsize_t count = (hsize_t)n;
    hid_t type = H5Tcopy(H5T_C_S1), space = n == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, NULL);
    H5Tset_size(type, longest);
    H5Tset_cset(type, H5T_CSET_UTF8);
    bool small = longest * (size_t)n < 60000;
    hid_t id = small ? H5Acreate2(where, name, type, space, H5P_DEFAULT, H5P_DEFAULT)
                     : H5Dcreate2(where, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = id >= 0;
    if (ok && small)
        ok = (H5Awrite(id, type, block) >= 0) && H5Aclose(id) >= 0;
    else if (ok)
        ok = (H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, block) >= 0) && H5Dclose(id) >= 0;
    H5Sclose(space);
    H5Tclose(type);
    free(block);
    return ok;
}

bool carom_series_start(carom_series *s, int n, hsize_t chunk)
{
    s->columns = calloc((size_t)n, sizeof *s->columns);
    s->chunk = chunk;
    s->n = s->columns ? n : 0;
    for (int i = 0; i < s->n; i++)
        s->columns[i].set = -1;
    return s->columns != NULL;
}

/* The room of a column, and the name that HDF5 takes; NULL: no memory. */
static char *prepare(carom_series *s, carom_series_column *c, const char *name, int width)
{
    c->width = CAROM_MAX(width, 1);
    c->buffer = malloc(s->chunk * (size_t)c->width * sizeof(double));
    char *plain = c->buffer ? strdup(name) : NULL;
    for (char *slash = plain; slash && (slash = strchr(slash, '/'));)
        *slash = '|';
    return plain;
}

/* width 0: one number per row, as a vector. */
bool carom_series_add(carom_series *s, int i, hid_t group, const char *name, int width, hid_t type)
{
    carom_series_column *c = &s->columns[i];
    char *plain = prepare(s, c, name, width);
    if (!plain)
        return false;
    hsize_t rank = width > 0 ? 2 : 1;
    hsize_t size[2] = {0, (hsize_t)c->width}, most[2] = {H5S_UNLIMITED, (hsize_t)c->width};
    hsize_t chunk[2] = {s->chunk, (hsize_t)c->width};
    hid_t space = H5Screate_simple((int)rank, size, most), plan = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(plan, (int)rank, chunk);
    c->set = H5Dcreate2(group, plain, type, space, H5P_DEFAULT, plan, H5P_DEFAULT);
    H5Pclose(plan);
    H5Sclose(space);
    free(plain);
    return c->set >= 0;
}

bool carom_series_find(carom_series *s, int i, hid_t group, const char *name, int width)
{
    carom_series_column *c = &s->columns[i];
    char *plain = prepare(s, c, name, width);
    c->set = plain ? H5Dopen2(group, plain, H5P_DEFAULT) : -1;
    free(plain);
    hid_t space = c->set >= 0 ? H5Dget_space(c->set) : -1;
    hsize_t size[2] = {0, 1};
    const int rank = width > 0 ? 2 : 1;
    bool fits = space >= 0 && H5Sget_simple_extent_ndims(space) == rank &&
                H5Sget_simple_extent_dims(space, size, NULL) == rank && size[0] == s->written &&
                (rank == 1 || size[1] == (hsize_t)c->width);
    if (space >= 0)
        H5Sclose(space);
    return fits;
}

static bool append(const carom_series *s, const carom_series_column *c)
{
    hsize_t size[2] = {s->written + s->used, (hsize_t)c->width};
    hsize_t from[2] = {s->written, 0}, count[2] = {s->used, (hsize_t)c->width};
    if (H5Dset_extent(c->set, size) < 0)
        return false;
    hid_t space = H5Dget_space(c->set);
    int rank = H5Sget_simple_extent_ndims(space);
    hid_t block = H5Screate_simple(rank, count, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, count, NULL);
    bool ok = H5Dwrite(c->set, H5T_NATIVE_DOUBLE, block, space, H5P_DEFAULT, c->buffer) >= 0;
    H5Sclose(block);
    H5Sclose(space);
    return ok;
}

bool carom_series_write(carom_series *s)
{
    bool ok = true;
    for (int i = 0; i < s->n && s->used > 0; i++)
        ok = append(s, &s->columns[i]) && ok;
    s->written += s->used;
    s->used = 0;
    return ok;
}

bool carom_series_close(carom_series *s)
{
    bool ok = true;
    for (int i = 0; i < s->n; i++) {
        if (s->columns[i].set >= 0)
            ok = H5Dclose(s->columns[i].set) >= 0 && ok;
        free(s->columns[i].buffer);
    }
    free(s->columns);
    return ok;
}

void carom_series_fill(carom_series *s, const double *const *values)
{
    for (int i = 0; i < s->n; i++) {
        const carom_series_column *c = &s->columns[i];
        memcpy(c->buffer + s->used * (hsize_t)c->width, values[i], sizeof(double) * (size_t)c->width);
    }
}
#else
typedef int carom_no_hdf5; /* a translation unit is not empty */
#endif
