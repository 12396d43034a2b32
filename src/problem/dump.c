/* dump.c: a one-step problem as text, to the last bit, so that a step that went wrong can be replayed.
 *
 *     carom-problem 2
 *     rows 3 blocks 2
 *     block bilateral none
 *     block coulomb-planar 0 0 0.5 0.5 slip 1 0   law, coefficients, pin (none, open, stick, slip), direction of slip
 *     W 1 0 0  0 1 0  0 0 1                    or, block-sparse:
 *     sparse 2   0 0 1   1 1 1 0 0 1           number of entries; block row, block column, values of each; or
 *     product 6   0 3 0 0 ...                  velocities; of each block its column blocks (first, count, twice), then
 *                                              its rows of G, then those of Y: W = G Y^T
 *     b -1 0 0.5
 *     x0 0 0 0                                 optional
 *     x 1 0 0                                  optional
 *     end
 *
 * Blanks and ends of line are equivalent. */
#include <ctype.h>
#include <string.h>

#include "laws/coulomb.h"
#include "problem/problem.h"

static const char *const pin_name[] = {[CAROM_OPEN] = "open", [CAROM_STICK] = "stick", [CAROM_SLIP] = "slip"};

static void put_values(FILE *file, const char *name, int rows, int columns, const double *values)
{
    char text[32];
    fputs(name, file);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            fprintf(file, "%s%s", j ? " " : rows > 1 ? "\n    " : " ",
                    carom_shortest(values[(size_t)i * (size_t)columns + (size_t)j], text));
    fputc('\n', file);
}

static void put_product(FILE *file, const carom_problem *p)
{
    const carom_product *W = &p->W.product;
    fprintf(file, "product %d\n", W->nv);
    for (int k = 0; k < p->nblock; k++) {
        const carom_span *s = &W->span[W->row[k]];
        int width = s->count[0] + s->count[1];
        fprintf(file, "    %d %d %d %d", s->first[0], s->count[0], s->first[1], s->count[1]);
        put_values(file, "", 1, p->block[k].law->rows * width, W->G + s->at[0]);
        put_values(file, "       ", 1, p->block[k].law->rows * width, W->Y + s->at[0]);
    }
}

static void put_W(FILE *file, const carom_problem *p)
{
    if (p->W.dense || p->W.product.span) {
        if (p->W.dense)
            put_values(file, "W", p->n, p->n, p->W.dense);
        else
            put_product(file, p);
        return;
    }
    fprintf(file, "sparse %zu\n", p->W.start[p->nblock]);
    for (int k = 0; k < p->nblock; k++)
        for (size_t e = p->W.start[k]; e < p->W.start[k + 1]; e++) {
            char text[32];
            fprintf(file, "    %d %d", k, p->W.column[e]);
            for (size_t i = p->W.offset[e]; i < p->W.offset[e + 1]; i++)
                fprintf(file, " %s", carom_shortest(p->W.value[i], text));
            fputc('\n', file);
        }
}

/* A product in a file is G Y^T alone: what is soft is written by blocks. */
static carom_status dump_soft(const carom_problem *problem, const double *x, FILE *file)
{
    carom_arena *arena = carom_arena_new(0);
    carom_problem sparse;
    carom_status status = arena ? carom_delassus_expand(problem, arena, &sparse, NULL) : CAROM_NO_MEMORY;
    if (status == CAROM_OK)
        status = carom_problem_dump(&sparse, x, file);
    carom_arena_free(arena);
    return status;
}

carom_status carom_problem_dump(const carom_problem *problem, const double *x, FILE *file)
{
    char text[32];
    if (problem->W.product.nsoft)
        return dump_soft(problem, x, file);
    fprintf(file, "carom-problem 2\nrows %d blocks %d\n", problem->n, problem->nblock);
    for (int k = 0; k < problem->nblock; k++) {
        const carom_block *block = &problem->block[k];
        fprintf(file, "block %s", block->law->method.name);
        for (int i = 0; i < carom_law_coefficients(block->law); i++)
            fprintf(file, " %s", carom_shortest(block->c[i], text));
        fprintf(file, " %s", block->pinned ? pin_name[block->mode] : "none");
        for (int i = 0; carom_block_is(block, CAROM_SLIP) && i < 2; i++)
            fprintf(file, " %s", carom_shortest(block->direction[i], text));
        fputc('\n', file);
    }
    put_W(file, problem);
    put_values(file, "b", 1, problem->n, problem->b);
    if (problem->x0)
        put_values(file, "x0", 1, problem->n, problem->x0);
    if (x)
        put_values(file, "x", 1, problem->n, x);
    fputs("end\n", file);
    return ferror(file) ? CAROM_FILE : CAROM_OK;
}

/* ---- reading: words with their line ---- */
enum { MOST_DENSE = 20000, MOST_ROWS = 3000000 };

typedef struct reader {
    FILE *file;
    carom_error *error;
    int line;
    double version;
    char word[64];
} reader;

static carom_status next(reader *r)
{
    int c, length = 0;
    while ((c = fgetc(r->file)) != EOF && isspace(c))
        r->line += c == '\n';
    for (; c != EOF && !isspace(c); c = fgetc(r->file)) {
        if (length == (int)sizeof r->word - 1)
            CAROM_FAIL(r->error, CAROM_FILE, "line %d: a word of more than %d letters", r->line, length);
        r->word[length++] = (char)c;
    }
    if (c != EOF)
        ungetc(c, r->file);
    r->word[length] = 0;
    if (length == 0)
        CAROM_FAIL(r->error, CAROM_FILE, "line %d: the file ends too early", r->line);
    return CAROM_OK;
}

static carom_status expect(reader *r, const char *word)
{
    CAROM_TRY(next(r));
    if (strcmp(r->word, word) != 0)
        CAROM_FAIL(r->error, CAROM_FILE, "line %d: expected '%s', found '%s'", r->line, word, r->word);
    return CAROM_OK;
}

static carom_status get_value(reader *r, double *value)
{
    CAROM_TRY(next(r));
    if (!carom_number(r->word, value))
        CAROM_FAIL(r->error, CAROM_FILE, "line %d: expected a number, found '%s'", r->line, r->word);
    return CAROM_OK;
}

static carom_status get_count(reader *r, const char *name, int most, int *count)
{
    double value;
    CAROM_TRY(expect(r, name));
    CAROM_TRY(get_value(r, &value));
    if (!(value >= 0 && value <= most) || value != (int)value)
        CAROM_FAIL(r->error, CAROM_FILE, "line %d: %s is %s, expected an integer from 0 to %d", r->line, name, r->word,
                   most);
    *count = (int)value;
    return CAROM_OK;
}

static carom_status get_values(reader *r, carom_arena *arena, size_t n, double **values)
{
    *values = CAROM_NEW(arena, double, n);
    if (!*values)
        CAROM_FAIL(r->error, CAROM_NO_MEMORY, "no memory for %zu numbers of a contact problem", n);
    for (size_t i = 0; i < n; i++)
        CAROM_TRY(get_value(r, &(*values)[i]));
    return CAROM_OK;
}

/* Version 1 knew Coulomb's coefficient alone. */
static carom_status get_coefficients(reader *r, carom_arena *arena, carom_block *block)
{
    double *c, mu;
    size_t n = (size_t)carom_law_coefficients(block->law);
    if (r->version > 1) {
        CAROM_TRY(get_values(r, arena, n, &c));
    } else {
        CAROM_TRY(get_value(r, &mu));
        if (!(c = CAROM_NEW(arena, double, n)))
            CAROM_FAIL(r->error, CAROM_NO_MEMORY, "no memory for the coefficients of a law");
        if (block->law->mu)
            c[CAROM_FRICTION] = c[CAROM_FRICTION_STATIC] = mu;
    }
    block->c = c;
    return CAROM_OK;
}

static carom_status get_block(reader *r, carom_arena *arena, carom_block *block)
{
    CAROM_TRY(expect(r, "block"));
    CAROM_TRY(next(r));
    for (int i = 0; (block->law = carom_law_list(i)) && strcmp(block->law->method.name, r->word) != 0;)
        i++;
    if (!block->law)
        CAROM_FAIL(r->error, CAROM_FILE, "line %d: there is no law '%s'", r->line, r->word);
    CAROM_TRY(get_coefficients(r, arena, block));
    CAROM_TRY(next(r));
    for (int i = 0; i < CAROM_COUNT(pin_name); i++)
        if (pin_name[i] && strcmp(pin_name[i], r->word) == 0)
            carom_block_pin(block, (carom_mode)i);
    if (!block->pinned && strcmp(r->word, "none") != 0)
        CAROM_FAIL(r->error, CAROM_FILE, "line %d: a pin is none, open, stick or slip, found '%s'", r->line, r->word);
    for (int i = 0; carom_block_is(block, CAROM_SLIP) && i < 2; i++)
        CAROM_TRY(get_value(r, &block->direction[i]));
    return CAROM_OK;
}

static carom_status get_blocks(reader *r, carom_arena *arena, carom_problem *problem)
{
    int row = 0;
    CAROM_TRY(get_count(r, "blocks", problem->n, &problem->nblock));
    problem->block = CAROM_NEW(arena, carom_block, problem->nblock);
    if (!problem->block)
        CAROM_FAIL(r->error, CAROM_NO_MEMORY, "no memory for %d blocks of a contact problem", problem->nblock);
    for (int k = 0; k < problem->nblock; k++) {
        CAROM_TRY(get_block(r, arena, &problem->block[k]));
        problem->block[k].row = row;
        row += problem->block[k].law->rows;
    }
    if (row != problem->n)
        CAROM_FAIL(r->error, CAROM_FILE, "line %d: the blocks have %d rows, the problem %d", r->line, row, problem->n);
    return CAROM_OK;
}

/* An index of a block from 0 to nblock - 1 */
static carom_status get_index(reader *r, int nblock, int *index)
{
    double value;
    CAROM_TRY(get_value(r, &value));
    if (!(value >= 0 && value < nblock) || value != (int)value)
        CAROM_FAIL(r->error, CAROM_FILE, "line %d: there is no block %s", r->line, r->word);
    *index = (int)value;
    return CAROM_OK;
}

typedef struct triplets {
    carom_arena *arena;
    size_t count, room;
    int *row, *column;
    double *value;
} triplets;

/* Room for a block more; doubles, so that a file's own count is not believed. */
static bool make_room(triplets *t)
{
    if (t->count + 9 <= t->room)
        return true;
    triplets more = {.arena = t->arena, .count = t->count, .room = 2 * t->room + 1024};
    more.row = CAROM_NEW(t->arena, int, more.room);
    more.column = CAROM_NEW(t->arena, int, more.room);
    more.value = CAROM_NEW(t->arena, double, more.room);
    if (!more.row || !more.column || !more.value)
        return false;
    if (t->count) {
        memcpy(more.row, t->row, t->count * sizeof *t->row);
        memcpy(more.column, t->column, t->count * sizeof *t->column);
        memcpy(more.value, t->value, t->count * sizeof *t->value);
    }
    *t = more;
    return true;
}

static carom_status get_sparse(reader *r, carom_arena *arena, carom_problem *p, triplets *t)
{
    double entries;
    CAROM_TRY(get_value(r, &entries));
    if (!(entries >= 0 && entries <= (double)p->nblock * p->nblock) || entries != (double)(size_t)entries)
        CAROM_FAIL(r->error, CAROM_FILE, "line %d: '%s' is no number of entries", r->line, r->word);
    for (size_t e = 0; e < (size_t)entries; e++) {
        int k, l;
        CAROM_TRY(get_index(r, p->nblock, &k));
        CAROM_TRY(get_index(r, p->nblock, &l));
        if (!make_room(t))
            CAROM_FAIL(r->error, CAROM_NO_MEMORY, "no memory for %zu numbers of a contact problem", t->room);
        for (int i = 0; i < p->block[k].law->rows; i++)
            for (int j = 0; j < p->block[l].law->rows; j++, t->count++) {
                CAROM_TRY(get_value(r, &t->value[t->count]));
                t->row[t->count] = p->block[k].row + i;
                t->column[t->count] = p->block[l].row + j;
            }
    }
    return carom_delassus_assemble(p, arena, t->count, t->row, t->column, t->value, r->error);
}

/* The column blocks of block k, the same for each of its rows, which stand in the values from `at` on. */
static carom_status get_spans(reader *r, const carom_problem *p, int k, carom_span *span, size_t at)
{
    int part[4], rows = p->block[k].law->rows;
    for (int i = 0; i < 4; i++) {
        double value;
        CAROM_TRY(get_value(r, &value));
        if (!(value >= 0 && value <= p->W.product.nv) || value != (int)value || (i % 2 && value > 6))
            CAROM_FAIL(r->error, CAROM_FILE, "line %d: '%s' is no column block of %d velocities", r->line, r->word,
                       p->W.product.nv);
        part[i] = (int)value;
    }
    if (part[0] + part[1] > p->W.product.nv || part[2] + part[3] > p->W.product.nv)
        CAROM_FAIL(r->error, CAROM_FILE, "line %d: a column block ends behind the last of %d velocities", r->line,
                   p->W.product.nv);
    for (int i = 0; i < rows; i++, at += (size_t)(part[1] + part[3]))
        span[i] = (carom_span){{at, at + (size_t)part[1]}, {part[0], part[2]}, {part[1], part[3]}};
    return CAROM_OK;
}

static carom_status get_product(reader *r, carom_arena *arena, carom_problem *p)
{
    carom_product *W = &p->W.product;
    double nv;
    CAROM_TRY(get_value(r, &nv));
    if (!(nv >= 0 && nv <= 2 * MOST_ROWS) || nv != (int)nv)
        CAROM_FAIL(r->error, CAROM_FILE, "line %d: '%s' is no number of velocities", r->line, r->word);
    W->nv = (int)nv;
    carom_span *span = CAROM_NEW(arena, carom_span, p->n + 1);
    int *row = CAROM_NEW(arena, int, p->nblock + 1);
    double *G = CAROM_NEW(arena, double, 12 * (size_t)p->n + 1), *Y = CAROM_NEW(arena, double, 12 * (size_t)p->n + 1);
    W->diagonal = CAROM_NEW(arena, double, 9 * (size_t)p->nblock + 1);
    W->v = CAROM_NEW(arena, double, W->nv + 1), W->push = CAROM_NEW(arena, double, W->nv + 1);
    if (!span || !row || !G || !Y || !W->diagonal || !W->v || !W->push)
        CAROM_FAIL(r->error, CAROM_NO_MEMORY, "no memory for a contact problem of %d rows", p->n);
    size_t at = 0;
    for (int k = 0; k < p->nblock; k++) {
        row[k] = p->block[k].row;
        CAROM_TRY(get_spans(r, p, k, span + row[k], at));
        size_t numbers = (size_t)p->block[k].law->rows * (size_t)(span[row[k]].count[0] + span[row[k]].count[1]);
        for (size_t i = 0; i < 2 * numbers; i++)
            CAROM_TRY(get_value(r, i < numbers ? &G[at + i] : &Y[at + i - numbers]));
        at += numbers;
    }
    W->span = span, W->row = row, W->G = G, W->Y = Y;
    carom_product_diagonal(p);
    return CAROM_OK;
}

static carom_status get_W(reader *r, carom_arena *arena, carom_problem *p)
{
    CAROM_TRY(next(r));
    if (strcmp(r->word, "W") == 0) {
        if (p->n > MOST_DENSE)
            CAROM_FAIL(r->error, CAROM_FILE, "line %d: a dense W of %d rows, at most %d", r->line, p->n, MOST_DENSE);
        return get_values(r, arena, (size_t)p->n * (size_t)p->n, &p->W.dense);
    }
    if (strcmp(r->word, "product") == 0)
        return get_product(r, arena, p);
    if (strcmp(r->word, "sparse") != 0)
        CAROM_FAIL(r->error, CAROM_FILE, "line %d: expected 'W', 'sparse' or 'product', found '%s'", r->line, r->word);
    triplets t = {.arena = carom_arena_new(0)};
    if (!t.arena)
        CAROM_FAIL(r->error, CAROM_NO_MEMORY, "no memory for a contact problem");
    carom_status status = get_sparse(r, arena, p, &t);
    carom_arena_free(t.arena);
    return status;
}

carom_status carom_problem_read(carom_problem **problem, double **x, carom_arena *arena, FILE *file, carom_error *error)
{
    reader r = {.file = file, .error = error, .line = 1};
    carom_problem *p = *problem = CAROM_NEW(arena, carom_problem, 1);
    *x = NULL;
    if (!p)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for a contact problem");
    CAROM_TRY(expect(&r, "carom-problem"));
    CAROM_TRY(get_value(&r, &r.version));
    if (r.version != 1 && r.version != 2)
        CAROM_FAIL(error, CAROM_FILE, "line %d: version %s of the format, this library reads 1 and 2", r.line, r.word);
    CAROM_TRY(get_count(&r, "rows", MOST_ROWS, &p->n));
    CAROM_TRY(get_blocks(&r, arena, p));
    size_t n = (size_t)p->n;
    CAROM_TRY(get_W(&r, arena, p));
    CAROM_TRY(expect(&r, "b"));
    CAROM_TRY(get_values(&r, arena, n, &p->b));
    CAROM_TRY(next(&r));
    if (strcmp(r.word, "x0") == 0) {
        CAROM_TRY(get_values(&r, arena, n, &p->x0));
        CAROM_TRY(next(&r));
    }
    if (strcmp(r.word, "x") == 0) {
        CAROM_TRY(get_values(&r, arena, n, x));
        CAROM_TRY(next(&r));
    }
    if (strcmp(r.word, "end") != 0)
        CAROM_FAIL(error, CAROM_FILE, "line %d: expected 'end', found '%s'", r.line, r.word);
    return CAROM_OK;
}
