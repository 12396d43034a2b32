/* hdf5.c: reads the samples of a trajectory written as HDF5 and its contacts, also while it still grows. */
#include "output/columns/columns.h"

#ifndef CAROM_NO_HDF5
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "output/hdf5/hdf5.h"

/* The texts of an attribute, or of a dataset if they were too long for one: block [*n][*size]. NULL: none. */
static char *read_texts(hid_t file, const char *name, size_t *size, size_t *n)
{
    bool small = H5Aexists(file, name) > 0;
    hid_t id = small ? H5Aopen(file, name, H5P_DEFAULT) : H5Dopen2(file, name, H5P_DEFAULT);
    if (id < 0)
        return NULL;
    hid_t type = small ? H5Aget_type(id) : H5Dget_type(id), space = small ? H5Aget_space(id) : H5Dget_space(id);
    hssize_t points = H5Sget_simple_extent_npoints(space);
    bool fixed = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 && points > 0;
    *size = H5Tget_size(type);
    *n = fixed ? (size_t)points : 0;
    char *block = fixed ? calloc(*n + 1, *size) : NULL;
    herr_t got = -1;
    if (block)
        got = small ? H5Aread(id, type, block) : H5Dread(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, block);
    H5Sclose(space);
    H5Tclose(type);
    if (small)
        H5Aclose(id);
    else
        H5Dclose(id);
    if (got < 0) {
        free(block);
        return NULL;
    }
    return block;
}

typedef struct parameters {
    const carom_columns_builder *b;
    carom_error *error;
    carom_status status;
} parameters;

static herr_t read_parameter(hid_t group, const char *name, const H5A_info_t *info, void *user)
{
    parameters *to = user;
    double value;
    hid_t id = H5Aopen(group, name, H5P_DEFAULT), space = id >= 0 ? H5Aget_space(id) : -1;
    (void)info;
    if (space >= 0 && H5Sget_simple_extent_npoints(space) == 1 && H5Aread(id, H5T_NATIVE_DOUBLE, &value) >= 0)
        to->status = carom_columns_parameter(to->b, name, strlen(name), value, to->error);
    if (space >= 0)
        H5Sclose(space);
    if (id >= 0)
        H5Aclose(id);
    return to->status == CAROM_OK ? 0 : -1;
}

/* Attributes of a group; older files have none. */
static carom_status read_parameters(const carom_columns_builder *b, hid_t file, carom_error *error)
{
    parameters to = {b, error, CAROM_OK};
    hid_t group = H5Gopen2(file, "parameters", H5P_DEFAULT);
    if (group < 0)
        return CAROM_OK;
    H5Aiterate2(group, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, read_parameter, &to);
    H5Gclose(group);
    return to.status;
}

static carom_status read_names(carom_columns_builder *b, hid_t file, carom_error *error)
{
    static const char *const keys[] = {"model", "source", "scheme", "options"};
    carom_status status = CAROM_OK;
    size_t size, n;
    for (int i = 0; i < CAROM_COUNT(keys); i++) {
        char *text = read_texts(file, keys[i], &size, &n);
        if (text)
            status = carom_columns_text(b, carom_columns_key(b, keys[i]), text, strnlen(text, size), error);
        free(text);
        CAROM_TRY(status);
    }
    CAROM_TRY(read_parameters(b, file, error));
    char *names = read_texts(file, "columns", &size, &n);
    if (!names)
        CAROM_FAIL(error, CAROM_FILE, "'%s' is not a trajectory: the attribute 'columns' is missing", b->path);
    for (size_t i = 0; i < n && status == CAROM_OK; i++)
        status = carom_columns_name(b, names + i * size, strnlen(names + i * size, size), error);
    free(names);
    CAROM_TRY(status);
    return carom_columns_named(b, error);
}

static hid_t open_column(const carom_columns_builder *b, hid_t file, int i)
{
    char path[1200];
    snprintf(path, sizeof path, "/samples/%s", b->table->name[i]);
    for (char *slash = path + strlen("/samples/"); (slash = strchr(slash, '/'));)
        *slash = '|';
    return H5Dopen2(file, path, H5P_DEFAULT);
}

/* All columns are as long as the shortest: a writer that is at work extends one after the other. */
static carom_status measure(carom_columns_builder *b, hid_t file, carom_error *error)
{
    carom_columns *t = b->table;
    for (int i = 0; i < t->ncolumn; i++) {
        hid_t set = open_column(b, file, i);
        if (set < 0)
            CAROM_FAIL(error, CAROM_FILE, "'%s' is damaged: '/samples/%s' cannot be opened", b->path, t->name[i]);
        hid_t space = H5Dget_space(set);
        size_t rows = (size_t)H5Sget_simple_extent_npoints(space);
        int rank = H5Sget_simple_extent_ndims(space);
        H5Sclose(space);
        H5Dclose(set);
        if (rank != 1)
            CAROM_FAIL(error, CAROM_FILE, "'%s': '/samples/%s' has %d dimensions, not 1", b->path, t->name[i], rank);
        t->truncated = t->truncated || (i > 0 && rows != t->nrow);
        t->nrow = i == 0 ? rows : CAROM_MIN(rows, t->nrow);
    }
    return CAROM_OK;
}

static carom_status read_column(carom_columns_builder *b, hid_t file, int i, carom_error *error)
{
    hsize_t count = b->table->nrow, from = 0;
    hid_t set = open_column(b, file, i);
    hid_t space = H5Dget_space(set), memory = H5Screate_simple(1, &count, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &from, NULL, &count, NULL);
    herr_t got = count == 0 ? 0 : H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, b->table->column[i]);
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(set);
    if (got < 0)
        CAROM_FAIL(error, CAROM_FILE, "'%s' is damaged: '/samples/%s' cannot be read", b->path, b->table->name[i]);
    return CAROM_OK;
}

static hid_t open_file(const char *path, carom_error *error)
{
    FILE *probe = fopen(path, "rb"); /* for the system's words */
    if (!probe) {
        carom_fail(error, CAROM_FILE, "'%s' cannot be read: %s", path, strerror(errno));
        return -1;
    }
    fclose(probe);
    hid_t plan = H5Pcreate(H5P_FILE_ACCESS);
#if H5_VERSION_GE(1, 10, 7) && !(H5_VERS_MAJOR == 1 && H5_VERS_MINOR == 12 && H5_VERS_RELEASE == 0)
    H5Pset_file_locking(plan, false, true);
#endif
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, plan);
    H5Pclose(plan);
    if (file < 0)
        carom_fail(error, CAROM_FILE, "'%s' is not an HDF5 file, or it is damaged or cut off", path);
    return file;
}

static carom_status read_file(carom_columns_builder *b, carom_error *error)
{
    hid_t file = open_file(b->path, error);
    if (file < 0)
        return CAROM_FILE;
    carom_status status = read_names(b, file, error);
    if (status == CAROM_OK)
        status = measure(b, file, error);
    if (status == CAROM_OK)
        status = carom_columns_reserve(b, b->table->nrow, error);
    for (int i = 0; status == CAROM_OK && i < b->table->ncolumn; i++)
        status = read_column(b, file, i, error);
    H5Fclose(file);
    return status;
}

carom_status carom_columns_hdf5(carom_columns_builder *b, carom_error *error)
{
    CAROM_TRY(carom_hdf5_load(error));
    carom_quiet before = carom_hdf5_quiet();
    carom_status status = read_file(b, error);
    carom_hdf5_loud(before);
    return status;
}

/* ---- contacts ---- */
enum { CONTACT_COLUMNS = 7 };
static const struct {
    const char *name;
    int width;
} contact_column[CONTACT_COLUMNS] = {{"t", 1}, {"first", 1}, {"second", 1}, {"mode", 1}, {"point", 3}, {"force", 3},
                                     {"impulse", 3}};

/* Values of a column of /contacts, [*rows][width]; NULL: there is none such, or no memory. */
static double *read_contacts(hid_t file, int column, size_t *rows)
{
    char path[64];
    hsize_t size[2] = {0, 1};
    snprintf(path, sizeof path, "/contacts/%s", contact_column[column].name);
    hid_t set = H5Dopen2(file, path, H5P_DEFAULT), space = set >= 0 ? H5Dget_space(set) : -1;
    int width = contact_column[column].width, rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : 0;
    bool good = rank == (width > 1 ? 2 : 1) && H5Sget_simple_extent_dims(space, size, NULL) == rank &&
                (int)size[1] == width;
    double *values = good ? malloc(sizeof *values * ((size_t)(size[0] * size[1]) + 1)) : NULL;
    if (values && size[0] && H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) {
        free(values);
        values = NULL;
    }
    *rows = CAROM_MIN(*rows, (size_t)size[0]); /* a writer that is at work extends one after the other */
    if (space >= 0)
        H5Sclose(space);
    if (set >= 0)
        H5Dclose(set);
    return values;
}

static carom_status put_contacts(hid_t file, const char *path, carom_touching_callback *put, void *user,
                                 carom_error *error)
{
    double *column[CONTACT_COLUMNS];
    size_t rows = SIZE_MAX;
    bool good = true;
    for (int i = 0; i < CONTACT_COLUMNS; i++)
        good = (column[i] = read_contacts(file, i, &rows)) && good;
    for (size_t r = 0; good && r < rows; r++) {
        carom_touching c = {.t = column[0][r], .name = "", .mode = column[3][r],
                            .body = {(int)column[1][r], (int)column[2][r]}};
        memcpy(c.point, column[4] + 3 * r, sizeof c.point);
        memcpy(c.force, column[5] + 3 * r, sizeof c.force);
        memcpy(c.impulse, column[6] + 3 * r, sizeof c.impulse);
        put(user, &c);
    }
    for (int i = 0; i < CONTACT_COLUMNS; i++)
        free(column[i]);
    if (!good)
        CAROM_FAIL(error, CAROM_FILE, "'%s' is damaged: '/contacts' cannot be read", path);
    return CAROM_OK;
}

carom_status carom_touchings_hdf5(const char *path, carom_touching_callback *put, void *user, carom_error *error)
{
    CAROM_TRY(carom_hdf5_load(error));
    carom_quiet before = carom_hdf5_quiet();
    hid_t file = open_file(path, error);
    carom_status status = file < 0 ? CAROM_FILE : CAROM_OK;
    if (file >= 0 && H5Lexists(file, "contacts", H5P_DEFAULT) > 0)
        status = put_contacts(file, path, put, user, error);
    if (file >= 0)
        H5Fclose(file);
    carom_hdf5_loud(before);
    return status;
}
#else
carom_status carom_touchings_hdf5(const char *path, carom_touching_callback *put, void *user, carom_error *error)
{
    (void)put, (void)user;
    CAROM_FAIL(error, CAROM_UNSUPPORTED, "'%s': this build cannot read HDF5; use .csv or .json", path);
}

carom_status carom_columns_hdf5(carom_columns_builder *b, carom_error *error)
{
    CAROM_FAIL(error, CAROM_UNSUPPORTED, "'%s': this build cannot read HDF5; use .csv or .json", b->path);
}
#endif
