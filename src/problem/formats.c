/* formats.c: contact problems in Siconos' text formats: words separated by blanks, indices from 0, matrices
 * column-major.
 *
 *   matrix      storage rows columns, then
 *                 0 dense    rows columns values
 *                 1 blocks   count, block rows and columns, ends of the block rows, ends of the block columns,
 *                            lengths of the two lists, the lists (CSR), then each block with its number
 *                 2 sparse   origin, a line of text, then lines as CSparse prints them
 *   LCP         n matrix q                                            w = M z + q, 0 <= w _|_ z >= 0
 *   MLCP        two flags, n, m, bounds of the blocks, kind of each (0 equation, 1 complementarity), matrix, q
 *   friction    dimension contacts matrix q mu                        u = W r + q
 *   global      dimension contacts matrix M, matrix H, f, w, mu       M v = H r + f, u = H^T v + w */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/dense.h"
#include "laws/coulomb.h"
#include "problem/formats.h"

typedef struct input {
    carom_arena *arena;
    carom_error *error;
    const char *path;
    char *at;       /* rest of the text */
    bool failed;
} input;

#define BAD(in, ...) CAROM_FAIL((in)->error, CAROM_FILE, __VA_ARGS__)

/* The next number; a failure is remembered. */
static double number(input *in)
{
    char *end;
    double value = strtod(in->at, &end);
    in->failed = in->failed || end == in->at;
    in->at = end;
    return value;
}

static int integer(input *in)
{
    double value = number(in);
    if (!(fabs(value) <= 1e9) || value != (int)value)
        in->failed = true;
    return in->failed ? 0 : (int)value;
}

static double *numbers(input *in, size_t n)
{
    double *values = CAROM_NEW(in->arena, double, n);
    for (size_t i = 0; values && i < n; i++)
        values[i] = number(in);
    in->failed = in->failed || !values;
    return values;
}

static int *integers(input *in, int n)
{
    int *values = n >= 0 ? CAROM_NEW(in->arena, int, n) : NULL;
    for (int i = 0; values && i < n; i++)
        values[i] = integer(in);
    in->failed = in->failed || !values;
    return values;
}

/* An entry is at least a digit and what separates it: no file holds more of them than bytes. */
static bool new_triplets(input *in, carom_triplets *t, size_t room)
{
    in->failed = in->failed || room > strlen(in->at);
    if (in->failed)
        return false;
    *t = (carom_triplets){.row = CAROM_NEW(in->arena, int, room), .column = CAROM_NEW(in->arena, int, room),
                          .value = CAROM_NEW(in->arena, double, room)};
    in->failed = in->failed || !t->row || !t->column || !t->value;
    return !in->failed;
}

static void add(carom_triplets *t, int row, int column, double value)
{
    if (value == 0)
        return;
    t->row[t->count] = row;
    t->column[t->count] = column;
    t->value[t->count++] = value;
}

static void get_dense(input *in, int m, int n, carom_triplets *t)
{
    in->failed = in->failed || integer(in) != m || integer(in) != n;
    if (in->failed || !new_triplets(in, t, (size_t)m * (size_t)n))
        return;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            add(t, i, j, number(in));
}

static void get_blocks(input *in, carom_triplets *t)
{
    int count = integer(in), nr = count ? integer(in) : 0, nc = count ? integer(in) : 0;
    const int *row_end = integers(in, nr), *column_end = integers(in, nc);
    int filled = count ? integer(in) : 0, entries = count ? integer(in) : 0;
    const int *start = integers(in, filled), *column = integers(in, entries);
    size_t room = 0, length = strlen(in->at);
    in->failed = in->failed || entries != count || filled > nr + 1;
    for (int pass = 0; pass < 2; pass++) {
        for (int r = 0; !in->failed && r + 1 < filled; r++)
            for (int k = start[r]; !in->failed && k < start[r + 1]; k++) {
                in->failed = k < 0 || k >= entries || column[k] < 0 || column[k] >= nc;
                if (in->failed)
                    return;
                int top = r ? row_end[r - 1] : 0, left = column[k] ? column_end[column[k] - 1] : 0;
                int rows = row_end[r] - top, columns = column_end[column[k]] - left;
                in->failed = rows < 0 || columns < 0 || (pass && integer(in) != k);
                room += pass ? 0 : (size_t)rows * (size_t)columns; /* at most 1e18 more; then it stops */
                in->failed = in->failed || room > length;
                for (int j = 0; pass && !in->failed && j < columns; j++)
                    for (int i = 0; i < rows; i++)
                        add(t, top + i, left + j, number(in));
            }
        if (!pass && (in->failed || !new_triplets(in, t, room)))
            return;
    }
}

static void skip_line(input *in)
{
    in->at += strcspn(in->at, "\n");
    in->at += *in->at == '\n';
}

/* "col 3 : locations 10 to 12" and "  5 : 1.25", or "  4 5 : 1.25" */
static void get_printed(input *in, carom_triplets *t)
{
    int origin = integer(in);
    skip_line(in);
    if (strncmp(in->at, "CSparse", 7) == 0)
        skip_line(in);
    const char *count = strstr(in->at, "nnz: ");
    size_t total = count ? (size_t)strtoul(count + 5, NULL, 10) : 0, seen = 0;
    in->failed = in->failed || !count;
    if (in->failed || !new_triplets(in, t, total))
        return;
    int line = -1;
    skip_line(in);
    while (seen < total && !in->failed) {
        in->at += strspn(in->at, " \t\r\n");
        if (*in->at >= 'a' && *in->at <= 'z') { /* col 3 : ..., row 3 : ... */
            in->at += strcspn(in->at, " ");
            line = integer(in);
            skip_line(in);
            continue;
        }
        int first = integer(in), second = origin == 1 ? integer(in) : line;
        in->at += strspn(in->at, " :");
        double value = number(in);
        seen++;
        add(t, origin == 3 ? second : first, origin == 3 ? first : second, value);
    }
}

static void get_matrix(input *in, int *m, int *n, carom_triplets *t)
{
    int storage = integer(in);
    *m = integer(in);
    *n = integer(in);
    if (in->failed || *m < 0 || *n < 0 || storage < 0 || storage > 2)
        in->failed = true;
    else if (storage == 0)
        get_dense(in, *m, *n, t);
    else if (storage == 1)
        get_blocks(in, t);
    else
        get_printed(in, t);
    for (size_t e = 0; !in->failed && e < t->count; e++)
        in->failed = t->row[e] < 0 || t->row[e] >= *m || t->column[e] < 0 || t->column[e] >= *n;
}

carom_status carom_problem_contacts(carom_problem **problem, carom_arena *arena, int nblock, int rows, const double *mu,
                                    carom_error *error)
{
    carom_problem *p = *problem = CAROM_NEW(arena, carom_problem, 1);
    const carom_law *law = rows == 1   ? &carom_law_unilateral
                           : rows == 2 ? &carom_law_coulomb_planar
                                       : &carom_law_coulomb_spatial;
    if (p) {
        *p = (carom_problem){.n = nblock * rows, .nblock = nblock, .block = CAROM_NEW(arena, carom_block, nblock)};
        p->b = CAROM_NEW(arena, double, p->n);
    }
    int nc = carom_law_coefficients(law);
    double *c = CAROM_NEW(arena, double, (size_t)nblock * (size_t)nc);
    if (!p || !p->block || !p->b || !c)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for a problem of %d contacts", nblock);
    for (int k = 0; k < nblock; k++, c += nc) {
        p->block[k] = (carom_block){.law = law, .row = rows * k, .c = c};
        if (law->mu)
            c[CAROM_FRICTION] = c[CAROM_FRICTION_STATIC] = mu[k];
    }
    return CAROM_OK;
}

static carom_status damaged(const input *in)
{
    BAD(in, "%s: the file is damaged, or in a format that is not known", in->path);
}

static carom_status load_lcp(input *in, carom_problem **problem)
{
    carom_triplets M = {0};
    int n = integer(in), rows, columns;
    get_matrix(in, &rows, &columns, &M);
    if (in->failed || rows != n || columns != n)
        return damaged(in);
    CAROM_TRY(carom_problem_contacts(problem, in->arena, n, 1, NULL, in->error));
    for (int i = 0; i < n; i++)
        (*problem)->b[i] = number(in);
    if (in->failed)
        return damaged(in);
    return carom_delassus_assemble(*problem, in->arena, M.count, M.row, M.column, M.value, in->error);
}

/* Does a matrix of this size follow? */
static bool matrix_follows(const input *in, int m, int n)
{
    input copy = *in;
    int storage = integer(&copy), rows = integer(&copy), columns = integer(&copy);
    return !copy.failed && storage >= 0 && storage <= 2 && rows == m && columns == n;
}

static carom_status load_friction(input *in, carom_problem **problem)
{
    carom_triplets W = {0}, H = {0};
    int dimension = integer(in), nblock = integer(in), rows, columns, nv, n = dimension * nblock;
    get_matrix(in, &rows, &columns, &W);
    if (in->failed || rows != columns)
        return damaged(in);
    nv = rows;
    bool global = rows != n || matrix_follows(in, nv, n);
    if (global)
        get_matrix(in, &rows, &columns, &H);
    const double *f = global ? numbers(in, (size_t)nv) : NULL, *b = numbers(in, (size_t)n);
    const double *mu = numbers(in, (size_t)nblock);
    if (in->failed || columns != n || rows != nv)
        return damaged(in);
    CAROM_TRY(carom_problem_contacts(problem, in->arena, nblock, dimension, mu, in->error));
    if (global)
        return carom_problem_condense(*problem, in->arena, nv, &W, &H, f, b, in->error);
    carom_copy(n, b, (*problem)->b);
    return carom_delassus_assemble(*problem, in->arena, W.count, W.row, W.column, W.value, in->error);
}

/* A, B, C, D row by row, a, b:  0 = A u + C v + a,  0 <= D u + B v + b _|_ v >= 0 */
static void get_parts(input *in, int n, int m, carom_triplets *M, double *q)
{
    const int top[] = {0, n, 0, n}, left[] = {0, n, n, 0}, rows[] = {n, m, n, m}, columns[] = {n, m, m, n};
    if (!new_triplets(in, M, (size_t)(n + m) * (size_t)(n + m)))
        return;
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < rows[k]; i++)
            for (int j = 0; j < columns[k]; j++)
                add(M, top[k] + i, left[k] + j, number(in));
    for (int i = 0; i < n + m; i++)
        q[i] = number(in);
}

/* The first form is taken if its matrix is square, the second otherwise. */
static carom_status load_mlcp(input *in, carom_problem **problem)
{
    carom_triplets M = {0};
    int first = integer(in), second = integer(in), n = integer(in), m = integer(in), rows, columns, nbound = 0;
    if (in->failed || !first || n < 0 || m < 0)
        return damaged(in);
    int *bound = CAROM_NEW(in->arena, int, n + m + 2), total = 0;
    const char *begin = in->at;
    for (int value = -1; bound && !in->failed && nbound < n + m + 2; nbound++) {
        int next = integer(in);
        if (next <= value)
            break;
        bound[nbound] = value = next;
        total = next;
        if (next >= n + m) {
            nbound++;
            break;
        }
    }
    if (!bound || nbound < 2 || begin == in->at)
        return damaged(in);
    int *kind = integers(in, nbound - 1);
    get_matrix(in, &rows, &columns, &M);
    bool square = rows == columns;
    if (in->failed || total != n + m || (square ? rows != n + m : !second))
        return damaged(in);
    CAROM_TRY(carom_problem_contacts(problem, in->arena, n + m, 1, NULL, in->error));
    for (int k = 0; k + 1 < nbound; k++)
        for (int i = bound[k]; i < bound[k + 1]; i++)
            (*problem)->block[i].law =
                (square ? kind[k] != 0 : i >= n) ? &carom_law_unilateral : &carom_law_bilateral;
    for (int i = 0; i < n + m; i++)
        (*problem)->b[i] = number(in);
    if (!square)
        get_parts(in, n, m, &M, (*problem)->b);
    if (in->failed)
        return damaged(in);
    return carom_delassus_assemble(*problem, in->arena, M.count, M.row, M.column, M.value, in->error);
}

static char *read_all(carom_arena *arena, FILE *file)
{
    size_t length = 0, room = 1 << 16;
    char *text = malloc(room), *copy = NULL;
    for (size_t got; text && (got = fread(text + length, 1, room - length - 1, file)) > 0;) {
        length += got;
        if (length + 1 < room)
            continue;
        char *more = realloc(text, room *= 2);
        if (!more)
            free(text);
        text = more;
    }
    if (text)
        copy = carom_arena_text(arena, text, length);
    free(text);
    return copy;
}

/* Which format it is, by its first five numbers. */
static carom_status load_text(input *in, carom_problem **problem, carom_problem_kind *kind)
{
    char *begin = in->at;
    int t[5];
    for (int i = 0; i < 5; i++)
        t[i] = integer(in);
    in->at = begin;
    in->failed = false;
    bool lcp = t[1] >= 0 && t[1] <= 2 && t[2] == t[0] && t[3] == t[0] && t[0] > 0;
    bool friction = (t[0] == 2 || t[0] == 3) && t[2] >= 0 && t[2] <= 2 && t[3] == t[4] && t[3] >= t[0];
    if (friction && (!lcp || t[3] == t[0] * t[1])) {
        *kind = CAROM_KIND_FRICTION;
        return load_friction(in, problem);
    }
    *kind = CAROM_KIND_LCP;
    if (lcp && load_lcp(in, problem) == CAROM_OK && (t[0] > 1 || in->at[strspn(in->at, " \t\r\n")] == 0))
        return CAROM_OK;
    in->at = begin; /* an MLCP of 1 + 1 rows begins like an LCP of one, but has more to say */
    in->failed = false;
    *kind = CAROM_KIND_MLCP;
    return load_mlcp(in, problem);
}

carom_status carom_problem_load(carom_problem **problem, double **x, carom_problem_kind *kind, carom_arena *arena,
                                const char *path, carom_error *error)
{
    static const char own[] = "carom-problem";
    char head[sizeof own] = {0};
    FILE *file = fopen(path, "rb");
    if (!file)
        CAROM_FAIL(error, CAROM_FILE, "%s: cannot be opened", path);
    head[fread(head, 1, sizeof head - 1, file)] = 0;
    rewind(file);
    *x = NULL;
    carom_status status;
    if (strcmp(head, own) == 0) {
        *kind = CAROM_KIND_OWN;
        status = carom_problem_read(problem, x, arena, file, error);
    } else {
        input in = {.arena = arena, .error = error, .path = path, .at = read_all(arena, file)};
        status = in.at ? load_text(&in, problem, kind)
                       : carom_fail(error, CAROM_NO_MEMORY, "%s: no memory for the file", path);
    }
    fclose(file);
    return status;
}

/* ---- errors ---- */
double carom_problem_error(const carom_problem *p, const double *x, double *u, bool by_b)
{
    double sum = 0, bb = carom_dot(p->n, p->b, p->b), xx = carom_dot(p->n, x, x);
    carom_copy(p->n, p->b, u);
    carom_delassus_add(p, x, u);
    double uu = carom_dot(p->n, u, u);
    for (int k = 0; k < p->nblock; k++) {
        const carom_block *block = &p->block[k];
        double r = block->law->residual(block->c, 1, u + block->row, x + block->row);
        sum += r * r;
    }
    double scale = by_b ? bb : fmax(bb, fmax(xx, uu)), error = sqrt(sum / (scale > 0 ? scale : 1));
    return error == error ? error : INFINITY;
}

double carom_problem_error_siconos(const carom_problem *problem, const double *x, double *u, int *worst)
{
    *worst = 0;
    return carom_problem_error(problem, x, u, false);
}

double carom_problem_error_b(const carom_problem *problem, const double *x, double *u, int *worst)
{
    *worst = 0;
    return carom_problem_error(problem, x, u, true);
}
