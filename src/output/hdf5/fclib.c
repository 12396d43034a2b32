/* fclib.c: contact problems of FCLIB in HDF5, local and global.
 *
 *   /fclib_local    spacedim, W, vectors/{q, mu}            u = W r + q
 *   /fclib_global   spacedim, M, H, vectors/{f, w, mu}      M v = H r + f, u = H^T v + w
 *
 * A matrix has m, n, nz, p, i, x: nz >= 0 triplets (p columns, i rows), -1 by columns, -2 by rows. Equations (V, R, s;
 * G, b) are refused. */
#include <string.h>

#include "output/hdf5/fclib.h"

#ifndef CAROM_NO_HDF5
#include "core/dense.h"
#include "output/hdf5/lazy.h"

typedef struct input {
    hid_t group;
    carom_arena *arena;
    carom_error *error;
    const char *path;
} input;

static bool has(const input *in, const char *name)
{
    return H5Lexists(in->group, name, H5P_DEFAULT) > 0;
}

/* All numbers of a data set, as int or double; *count of them. */
static carom_status get(const input *in, const char *name, hid_t type, size_t size, void **values, size_t *count)
{
    hid_t set = has(in, name) ? H5Dopen2(in->group, name, H5P_DEFAULT) : -1;
    hid_t space = set >= 0 ? H5Dget_space(set) : -1;
    hssize_t n = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    bool good = n >= 0 && (*values = carom_arena_alloc(in->arena, (size_t)n * size + 1)) &&
                H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *values) >= 0;
    if (space >= 0)
        H5Sclose(space);
    if (set >= 0)
        H5Dclose(set);
    if (!good)
        CAROM_FAIL(in->error, CAROM_FILE, "%s: '%s' is missing or cannot be read", in->path, name);
    *count = (size_t)n;
    return CAROM_OK;
}

static carom_status get_int(const input *in, const char *name, int *value)
{
    void *values;
    size_t count;
    CAROM_TRY(get(in, name, H5T_NATIVE_INT, sizeof(int), &values, &count));
    if (count < 1)
        CAROM_FAIL(in->error, CAROM_FILE, "%s: '%s' is empty", in->path, name);
    *value = *(int *)values;
    return CAROM_OK;
}

static carom_status get_vector(const input *in, const char *name, size_t n, double **values)
{
    size_t count;
    CAROM_TRY(get(in, name, H5T_NATIVE_DOUBLE, sizeof(double), (void **)values, &count));
    if (count != n)
        CAROM_FAIL(in->error, CAROM_FILE, "%s: '%s' has %zu numbers, expected %zu", in->path, name, count, n);
    return CAROM_OK;
}

/* Pointers p of a compressed form become indices, one for each entry. */
static carom_status expand(const input *in, const char *name, const int *p, size_t length, size_t count, int **index)
{
    *index = CAROM_NEW(in->arena, int, count);
    for (size_t j = 0; *index && j + 1 < length; j++)
        for (int e = p[j]; e < p[j + 1]; e++) {
            if (e < 0 || (size_t)e >= count)
                CAROM_FAIL(in->error, CAROM_FILE, "%s: '%s' has pointers beyond its entries", in->path, name);
            (*index)[e] = (int)j;
        }
    if (!*index)
        CAROM_FAIL(in->error, CAROM_NO_MEMORY, "%s: no memory for '%s'", in->path, name);
    return CAROM_OK;
}

static carom_status get_matrix(const input *in, const char *name, int *m, int *n, carom_triplets *t)
{
    input part = *in;
    int nz = 0, *index = NULL;
    void *p = NULL, *i = NULL, *x = NULL;
    size_t np = 0, ni = 0, nx = 0;
    part.group = has(in, name) ? H5Gopen2(in->group, name, H5P_DEFAULT) : -1;
    if (part.group < 0)
        CAROM_FAIL(in->error, CAROM_FILE, "%s: there is no matrix '%s'", in->path, name);
    carom_status status = get_int(&part, "m", m);
    status = status ? status : get_int(&part, "n", n);
    status = status ? status : get_int(&part, "nz", &nz);
    status = status ? status : get(&part, "p", H5T_NATIVE_INT, sizeof(int), &p, &np);
    status = status ? status : get(&part, "i", H5T_NATIVE_INT, sizeof(int), &i, &ni);
    status = status ? status : get(&part, "x", H5T_NATIVE_DOUBLE, sizeof(double), &x, &nx);
    H5Gclose(part.group);
    CAROM_TRY(status);
    size_t count = nz >= 0 ? (size_t)nz : np > 0 ? (size_t)((int *)p)[np - 1] : 0;
    if (count > ni || count > nx || (nz >= 0 && count > np))
        CAROM_FAIL(in->error, CAROM_FILE, "%s: matrix '%s' has fewer entries than it says", in->path, name);
    if (nz < 0)
        CAROM_TRY(expand(in, name, p, np, count, &index));
    *t = (carom_triplets){.count = count, .row = nz == -2 ? index : i, .column = nz >= 0 ? p : nz == -1 ? index : i,
                          .value = x};
    for (size_t e = 0; e < count; e++)
        if (t->row[e] < 0 || t->row[e] >= *m || t->column[e] < 0 || t->column[e] >= *n)
            CAROM_FAIL(in->error, CAROM_FILE, "%s: matrix '%s' has an entry outside of its %d x %d", in->path, name, *m,
                       *n);
    return CAROM_OK;
}

static carom_status load_group(const input *in, bool global, carom_problem **problem)
{
    int dimension, m, n, nv;
    carom_triplets W, H;
    double *b, *mu, *f = NULL;
    CAROM_TRY(get_int(in, "spacedim", &dimension));
    if (dimension != 2 && dimension != 3)
        CAROM_FAIL(in->error, CAROM_FILE, "%s: dimension %d, expected 2 or 3", in->path, dimension);
    if (has(in, global ? "G" : "V"))
        CAROM_FAIL(in->error, CAROM_UNSUPPORTED, "%s: problems with equations are not read", in->path);
    CAROM_TRY(get_matrix(in, global ? "M" : "W", &m, &nv, &W));
    n = nv;
    if (global)
        CAROM_TRY(get_matrix(in, "H", &m, &n, &H));
    if (m != nv || n % dimension != 0)
        CAROM_FAIL(in->error, CAROM_FILE, "%s: the sizes of the matrices do not fit", in->path);
    CAROM_TRY(get_vector(in, "vectors/mu", (size_t)(n / dimension), &mu));
    CAROM_TRY(get_vector(in, global ? "vectors/w" : "vectors/q", (size_t)n, &b));
    CAROM_TRY(carom_problem_contacts(problem, in->arena, n / dimension, dimension, mu, in->error));
    if (global) {
        CAROM_TRY(get_vector(in, "vectors/f", (size_t)nv, &f));
        return carom_problem_condense(*problem, in->arena, nv, &W, &H, f, b, in->error);
    }
    carom_copy(n, b, (*problem)->b);
    return carom_delassus_assemble(*problem, in->arena, W.count, W.row, W.column, W.value, in->error);
}

carom_status carom_fclib_load(carom_problem **problem, carom_arena *arena, const char *path, carom_error *error)
{
    static const char *const names[] = {"fclib_local", "fclib_global"};
    CAROM_TRY(carom_hdf5_load(error));
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* it prints otherwise */
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0)
        CAROM_FAIL(error, CAROM_FILE, "%s: cannot be read as HDF5", path);
    carom_status status = CAROM_FILE;
    int found = 0;
    for (int i = 0; i < 2 && !found; i++) {
        if (H5Lexists(file, names[i], H5P_DEFAULT) <= 0)
            continue;
        input in = {H5Gopen2(file, names[i], H5P_DEFAULT), arena, error, path};
        status = load_group(&in, i == 1, problem);
        H5Gclose(in.group);
        found = 1;
    }
    H5Fclose(file);
    return found ? status : carom_fail(error, CAROM_FILE, "%s: holds neither fclib_local nor fclib_global", path);
}

#else

carom_status carom_fclib_load(carom_problem **problem, carom_arena *arena, const char *path, carom_error *error)
{
    (void)problem;
    (void)arena;
    CAROM_FAIL(error, CAROM_UNSUPPORTED, "'%s': this build cannot read HDF5", path);
}

#endif

carom_status carom_problem_open(carom_problem **problem, double **x, carom_problem_kind *kind, carom_arena *arena,
                                const char *path, carom_error *error)
{
    static const char mark[] = "\x89HDF";
    char head[4] = {0};
    FILE *file = fopen(path, "rb");
    size_t got = file ? fread(head, 1, sizeof head, file) : 0;
    if (file)
        fclose(file);
    if (got < sizeof head || memcmp(head, mark, sizeof head) != 0)
        return carom_problem_load(problem, x, kind, arena, path, error);
    *x = NULL;
    *kind = CAROM_KIND_FRICTION;
    return carom_fclib_load(problem, arena, path, error);
}
