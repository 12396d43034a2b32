/* fclib.c: contact problems of FCLIB in HDF5, local and global.
 *
 *   /fclib_local    spacedim, W, vectors/{q, mu}            u = W r + q                                            (1)
 *                   with joints also V, R, vectors/s        u = W r + V l + q,  0 = V^T r + R l + s                (2)
 *   /fclib_global   spacedim, M, H, vectors/{f, w, mu}      M v = H r + f, u = H^T v + w
 *
 * A matrix has m, n, nz, p, i, x: nz >= 0 triplets (p columns, i rows), -1 by columns, -2 by rows. Equations of global
 * problems (G, b) are refused. Written are local problems; all contacts have the rows of space or plane there, so rows
 * that a contact does not have are 0. */
#include <math.h>
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

/* (2): the joints are blocks behind the contacts */
static carom_status add_joints(const input *in, carom_problem *p, const carom_triplets *W)
{
    carom_triplets V, R, all = {0};
    int n = p->n, nc = p->nblock, m, joints;
    double *s;
    CAROM_TRY(get_matrix(in, "V", &m, &joints, &V));
    if (m != n)
        CAROM_FAIL(in->error, CAROM_FILE, "%s: V has %d rows, expected %d", in->path, m, n);
    CAROM_TRY(get_matrix(in, "R", &m, &joints, &R));
    CAROM_TRY(get_vector(in, "vectors/s", (size_t)joints, &s));
    size_t room = W->count + 2 * V.count + R.count;
    carom_block *block = CAROM_NEW(in->arena, carom_block, nc + joints);
    double *b = CAROM_NEW(in->arena, double, n + joints);
    all = (carom_triplets){.row = CAROM_NEW(in->arena, int, room), .column = CAROM_NEW(in->arena, int, room),
                           .value = CAROM_NEW(in->arena, double, room)};
    if (!block || !b || !all.row || !all.column || !all.value)
        CAROM_FAIL(in->error, CAROM_NO_MEMORY, "%s: no memory for the problem", in->path);
    memcpy(block, p->block, sizeof *block * (size_t)nc);
    carom_copy(n, p->b, b);
    carom_copy(joints, s, b + n);
    for (int j = 0; j < joints; j++)
        block[nc + j] = (carom_block){.law = &carom_law_bilateral, .row = n + j};
    const carom_triplets *part[] = {W, &V, &V, &R};
    for (int k = 0; k < 4; k++)
        for (size_t e = 0; e < part[k]->count; e++, all.count++) {
            int row = k == 2 ? part[k]->column[e] : part[k]->row[e];
            int column = k == 2 ? part[k]->row[e] : part[k]->column[e];
            all.row[all.count] = row + (k >= 2 ? n : 0);
            all.column[all.count] = column + (k == 1 || k == 3 ? n : 0);
            all.value[all.count] = part[k]->value[e];
        }
    p->block = block, p->b = b, p->nblock = nc + joints, p->n = n + joints;
    return carom_delassus_assemble(p, in->arena, all.count, all.row, all.column, all.value, in->error);
}

static carom_status load_group(const input *in, bool global, carom_problem **problem)
{
    int dimension, m, n, nv;
    carom_triplets W, H;
    double *b, *mu, *f = NULL;
    CAROM_TRY(get_int(in, "spacedim", &dimension));
    if (dimension != 2 && dimension != 3)
        CAROM_FAIL(in->error, CAROM_FILE, "%s: dimension %d, expected 2 or 3", in->path, dimension);
    if (global && has(in, "G"))
        CAROM_FAIL(in->error, CAROM_UNSUPPORTED, "%s: global problems with equations are not read", in->path);
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
    if (has(in, "V"))
        return add_joints(in, *problem, &W);
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

/* ---- writing ---- */
typedef struct output {
    const carom_problem *p;
    int dimension, contacts, joints;
    int *to;               /* [n] row of a contact's row in W, of a joint's in R */
    bool *joint;           /* [n] is it a joint's? */
    carom_triplets W, V, R;
    double *q, *s, *mu, *r, *u; /* [dimension*contacts] [joints] [contacts] */
} output;

static bool put(hid_t group, const char *name, hid_t type, size_t n, const void *values)
{
    hsize_t size = n;
    hid_t space = H5Screate_simple(1, &size, NULL);
    hid_t set = space >= 0 ? H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) : -1;
    bool good = set >= 0 && (n == 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    good = (set < 0 || H5Dclose(set) >= 0) && good;
    return (space < 0 || H5Sclose(space) >= 0) && good;
}

static hid_t folder(hid_t group, const char *name)
{
    return H5Gcreate2(group, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
}

static bool put_matrix(hid_t parent, const char *name, int m, int n, const carom_triplets *t)
{
    hid_t group = folder(parent, name);
    int count = (int)t->count;
    bool good = group >= 0 && put(group, "nzmax", H5T_NATIVE_INT, 1, &count) &&
                put(group, "m", H5T_NATIVE_INT, 1, &m) && put(group, "n", H5T_NATIVE_INT, 1, &n) &&
                put(group, "nz", H5T_NATIVE_INT, 1, &count) &&
                put(group, "p", H5T_NATIVE_INT, t->count, t->column) &&
                put(group, "i", H5T_NATIVE_INT, t->count, t->row) &&
                put(group, "x", H5T_NATIVE_DOUBLE, t->count, t->value);
    return (group < 0 || H5Gclose(group) >= 0) && good;
}

/* Where every row goes; false: laws, pins or offsets that the format does not have. */
static bool number_rows(output *o)
{
    const carom_problem *p = o->p;
    o->dimension = 2;
    for (int k = 0; k < p->nblock; k++)
        o->dimension = CAROM_MAX(o->dimension, p->block[k].law->rows);
    for (int k = 0; k < p->nblock; k++) {
        const carom_block *block = &p->block[k];
        bool joint = block->law == &carom_law_bilateral;
        if (block->pinned || p->x0 || !carom_law_plain(block->law))
            return false;
        for (int i = 0; i < block->law->rows; i++) {
            o->joint[block->row + i] = joint;
            o->to[block->row + i] = joint ? o->joints++ : o->dimension * o->contacts + i;
        }
        if (!joint)
            o->mu[o->contacts++] = carom_block_mu(block);
    }
    return o->contacts > 0;
}

static void add_entry(output *o, int row, int column, double value)
{
    bool jr = o->joint[row], jc = o->joint[column];
    carom_triplets *t = jr && jc ? &o->R : jc ? &o->V : &o->W;
    if (value == 0 || (jr && !jc)) /* V^T is not written */
        return;
    t->row[t->count] = o->to[row];
    t->column[t->count] = o->to[column];
    t->value[t->count++] = value;
}

static bool same_transposed(const carom_problem *p, int k, const carom_neighbour *l)
{
    int stride;
    const double *W = carom_delassus_block(p, l->block, k, &stride);
    for (int i = 0; i < p->block[k].law->rows; i++)
        for (int j = 0; j < p->block[l->block].law->rows; j++)
            if (fabs(l->W[i * l->stride + j] - (W ? W[j * stride + i] : 0)) > 1e-12 * fabs(l->W[i * l->stride + j]))
                return false;
    return true;
}

/* false: joints whose V is not that of (2) */
static bool fill(output *o, const double *x, const double *u)
{
    const carom_problem *p = o->p;
    for (int k = 0; k < p->nblock; k++) {
        const carom_block *block = &p->block[k];
        carom_neighbour l = {0};
        while (carom_delassus_next(p, k, &l)) {
            const carom_block *other = &p->block[l.block];
            if (o->joint[block->row] != o->joint[other->row] && !same_transposed(p, k, &l))
                return false;
            for (int i = 0; i < block->law->rows; i++)
                for (int j = 0; j < other->law->rows; j++)
                    add_entry(o, block->row + i, other->row + j, l.W[i * l.stride + j]);
        }
        for (int i = block->row; i < block->row + block->law->rows; i++) {
            *(o->joint[i] ? &o->s[o->to[i]] : &o->q[o->to[i]]) = p->b[i];
            if (!o->joint[i])
                o->r[o->to[i]] = x[i], o->u[o->to[i]] = u[i];
        }
    }
    return true;
}

static bool place(output *o, carom_arena *arena)
{
    size_t n = (size_t)o->p->n, rows = 3 * (size_t)o->p->nblock, count = 0;
    for (int k = 0; k < o->p->nblock; k++) {
        carom_neighbour l = {0};
        while (carom_delassus_next(o->p, k, &l))
            count += (size_t)o->p->block[k].law->rows * (size_t)o->p->block[l.block].law->rows;
    }
    carom_triplets *t[] = {&o->W, &o->V, &o->R};
    bool room = (o->to = CAROM_NEW(arena, int, n)) && (o->joint = CAROM_NEW(arena, bool, n));
    for (int i = 0; i < 3; i++) {
        *t[i] = (carom_triplets){.row = CAROM_NEW(arena, int, count + 1), .column = CAROM_NEW(arena, int, count + 1),
                                 .value = CAROM_NEW(arena, double, count + 1)};
        room = room && t[i]->row && t[i]->column && t[i]->value;
    }
    return room && carom_arena_arrays(arena, (carom_array[]){{&o->q, rows}, {&o->s, n}, {&o->mu, rows}, {&o->r, rows},
                                                             {&o->u, rows}}, 5);
}

static bool put_all(hid_t file, const output *o)
{
    int n = o->dimension * o->contacts, one = 1;
    hid_t local = folder(file, "fclib_local"), vectors = local >= 0 ? folder(local, "vectors") : -1;
    hid_t guesses = folder(file, "guesses"), guess = guesses >= 0 ? folder(guesses, "1") : -1;
    bool good = vectors >= 0 && guess >= 0 && put(local, "spacedim", H5T_NATIVE_INT, 1, &o->dimension) &&
                put_matrix(local, "W", n, n, &o->W) && put(vectors, "q", H5T_NATIVE_DOUBLE, (size_t)n, o->q) &&
                put(vectors, "mu", H5T_NATIVE_DOUBLE, (size_t)o->contacts, o->mu) &&
                put(guesses, "number_of_guesses", H5T_NATIVE_INT, 1, &one) &&
                put(guess, "r", H5T_NATIVE_DOUBLE, (size_t)n, o->r) &&
                put(guess, "u", H5T_NATIVE_DOUBLE, (size_t)n, o->u);
    if (good && o->joints)
        good = put_matrix(local, "V", n, o->joints, &o->V) && put_matrix(local, "R", o->joints, o->joints, &o->R) &&
               put(vectors, "s", H5T_NATIVE_DOUBLE, (size_t)o->joints, o->s);
    hid_t all[] = {guess, guesses, vectors, local};
    for (int i = 0; i < 4; i++)
        good = all[i] >= 0 && H5Gclose(all[i]) >= 0 && good;
    return good;
}

carom_status carom_fclib_save(const carom_problem *problem, const double *x, const double *u, const char *path,
                              carom_error *error)
{
    CAROM_TRY(carom_hdf5_load(error));
    carom_arena *arena = carom_arena_new(0);
    output o = {.p = problem};
    carom_problem sparse;
    carom_status status = CAROM_OK;
    if (arena && problem->W.product.span) {
        status = carom_delassus_expand(problem, arena, &sparse, error);
        o.p = &sparse;
    }
    if (!arena || (status == CAROM_OK && !place(&o, arena)))
        status = carom_fail(error, CAROM_NO_MEMORY, "%s: no memory for the problem", path);
    else if (status == CAROM_OK && (!number_rows(&o) || !fill(&o, x, u)))
        status = carom_fail(error, CAROM_UNSUPPORTED, "%s: FCLIB has no such laws, pins, offsets or joints", path);
    if (status == CAROM_OK) {
        H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* it prints otherwise */
        hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        bool good = file >= 0 && put_all(file, &o);
        good = (file < 0 || H5Fclose(file) >= 0) && good;
        status = good ? CAROM_OK : carom_fail(error, CAROM_FILE, "'%s' cannot be written", path);
    }
    carom_arena_free(arena);
    return status;
}

#else

carom_status carom_fclib_load(carom_problem **problem, carom_arena *arena, const char *path, carom_error *error)
{
    (void)problem;
    (void)arena;
    CAROM_FAIL(error, CAROM_UNSUPPORTED, "'%s': this build cannot read HDF5", path);
}

carom_status carom_fclib_save(const carom_problem *problem, const double *x, const double *u, const char *path,
                              carom_error *error)
{
    (void)problem;
    (void)x;
    (void)u;
    CAROM_FAIL(error, CAROM_UNSUPPORTED, "'%s': this build cannot write HDF5", path);
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
