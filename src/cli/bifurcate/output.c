/* output.c: a bifurcation diagram as a table, a picture, JSON, and in words. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bifurcate/bifurcate.h"
#include "model/model.h"
#include "output/stream.h"

enum { PERIOD_MOST = 16 };

static const char *way(const carom_diagram *d, int pass)
{
    return d->result->direction[pass] > 0 ? "up" : "down";
}

/* What is drawn, as a name of its column. */
static const char *drawn(const carom_diagram *d, char *buffer)
{
    if (d->request.of)
        return d->request.of;
    return d->request.map == CAROM_MAP_IMPACT ? "impact velocity" : carom_model_q_name(d->model, 0, buffer);
}

/* How many different points there are, up to rounding of the motion; PERIOD_MOST + 1: more. */
static int distinct(const double *x, long n)
{
    double low = INFINITY, high = -INFINITY, seen[PERIOD_MOST];
    int count = 0;
    for (long i = 0; i < n; i++)
        low = fmin(low, x[i]), high = fmax(high, x[i]);
    double tolerance = 1e-5 * (high - low) + 1e-6 * fmax(fabs(low), fabs(high));
    for (long i = 0; i < n; i++) {
        int k = 0;
        while (k < count && fabs(seen[k] - x[i]) > tolerance)
            k++;
        if (k < count)
            continue;
        if (count == PERIOD_MOST)
            return PERIOD_MOST + 1;
        seen[count++] = x[i];
    }
    return count;
}

/* ---- the table: one row for each point ---- */

static void quoted(carom_stream *out, const char *text)
{
    bool plain = !strpbrk(text, ",\"\n");
    if (!plain)
        carom_stream_string(out, "\"");
    for (; *text; text++) {
        carom_stream_text(out, text, 1);
        if (*text == '"')
            carom_stream_string(out, "\"");
    }
    if (!plain)
        carom_stream_string(out, "\"");
}

static carom_status write_table(const carom_diagram *d, carom_error *error)
{
    const carom_bifurcation *b = d->result;
    const bool to_stdout = !strcmp(d->table, "-");
    carom_stream out;
    char buffer[32];
    CAROM_TRY(carom_stream_open(&out, to_stdout ? "standard output" : d->table, to_stdout ? stdout : NULL, error));
    quoted(&out, d->request.name);
    carom_stream_string(&out, ",direction,point,t,");
    quoted(&out, drawn(d, buffer));
    carom_stream_string(&out, d->request.exponent ? ",exponent\n" : "\n");
    for (long slot = 0; slot < b->passes * b->n; slot++)
        for (long k = 0; k < b->count[slot]; k++) {
            const double row[] = {b->value[slot % b->n], b->direction[slot / b->n], (double)k, b->t[slot * b->show + k],
                                  b->x[slot * b->show + k], b->exponent[slot]};
            for (int i = 0; i < (d->request.exponent ? 6 : 5); i++) {
                if (i)
                    carom_stream_string(&out, ",");
                carom_stream_number(&out, row[i]);
            }
            carom_stream_string(&out, "\n");
            carom_stream_mark(&out);
        }
    return carom_stream_close(&out, error);
}

/* ---- the picture ---- */

/* Columns: the value, then points and exponent of each pass; rows: all points, then the exponents, which so become a
 * line. */
static void fill(const carom_diagram *d, carom_columns *table)
{
    const carom_bifurcation *b = d->result;
    size_t row = 0;
    for (int part = 0; part < (d->request.exponent ? 2 : 1); part++)
        for (long slot = 0; slot < b->passes * b->n; slot++) {
            int pass = (int)(slot / b->n);
            for (long k = 0; k < (part ? b->count[slot] >= 0 : b->count[slot]); k++, row++) {
                for (int c = 1; c < table->ncolumn; c++)
                    table->column[c][row] = NAN;
                table->column[0][row] = b->value[slot % b->n];
                table->column[1 + part * b->passes + pass][row] = part ? b->exponent[slot] : b->x[slot * b->show + k];
            }
        }
}

static carom_status draw_table(const carom_diagram *d, const carom_columns *table, carom_error *error)
{
    const carom_bifurcation *b = d->result;
    char buffer[32], title[400], panel[2][200];
    snprintf(title, sizeof title, "%s: %s over %s", d->model->name, drawn(d, buffer), d->request.name);
    for (int k = 0; k < 2; k++)
        snprintf(panel[k], sizeof panel[k], b->passes > 1 ? "%s,%s" : "%s",
                 table->name[CAROM_MIN(1 + k * b->passes, table->ncolumn - 1)],
                 b->passes > 1 ? table->name[CAROM_MIN(2 + k * b->passes, table->ncolumn - 1)] : "");
    const char *const panels[] = {panel[0], panel[1]};
    const carom_plot plot = {.title = title,
                             .width = 900,
                             .height = d->request.exponent ? 760 : 560,
                             .x = d->request.name,
                             .panels = panels,
                             .npanel = d->request.exponent ? 2 : 1,
                             .ndots = 1,
                             .marks = d->mark,
                             .nmark = d->nmark};
    return carom_svg_plot(d->picture, NULL, table, &plot, error);
}

static carom_status write_picture(const carom_diagram *d, carom_error *error)
{
    static const char *const names[2][2] = {{"up", "down"}, {"largest exponent (up)", "largest exponent (down)"}};
    const carom_bifurcation *b = d->result;
    const int columns = 1 + b->passes * (d->request.exponent ? 2 : 1);
    char *name[5] = {(char *)(size_t)d->request.name};
    double *column[5];
    size_t rows = 0;
    for (long slot = 0; slot < b->passes * b->n; slot++)
        rows += (size_t)CAROM_MAX(b->count[slot], 0) + (d->request.exponent && b->count[slot] >= 0);
    double *memory = calloc(rows * (size_t)columns + 1, sizeof *memory);
    if (!memory)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for a picture of %zu points", rows);
    for (int c = 0; c < columns; c++) {
        column[c] = memory + (size_t)c * rows;
        if (c)
            name[c] = (char *)(size_t)names[(c - 1) / b->passes][b->direction[(c - 1) % b->passes] < 0];
    }
    carom_columns table = {.title = (char *)(size_t)d->model->name,
                         .ncolumn = columns,
                         .nrow = rows,
                         .name = name,
                         .column = column};
    fill(d, &table);
    carom_status status = draw_table(d, &table, error);
    free(memory);
    return status;
}

/* ---- on standard output ---- */

static carom_status print_json(const carom_diagram *d, carom_error *error)
{
    static const char *const maps[] = {"strobe", "section", "impact"};
    const carom_bifurcation *b = d->result;
    carom_json *json;
    char buffer[32];
    CAROM_TRY(carom_json_new(&json, "standard output", stdout, true, error));
    carom_json_object(json, NULL);
    carom_json_string(json, "model", d->model->name);
    carom_json_string(json, "scheme", d->options.scheme);
    carom_json_string(json, "parameter", d->request.name);
    carom_json_string(json, "map", maps[d->request.map]);
    carom_json_string(json, "of", drawn(d, buffer));
    carom_json_integer(json, "failed", b->failed);
    carom_json_array(json, "rows");
    for (long slot = 0; slot < b->passes * b->n; slot++) {
        long count = b->count[slot];
        if (count < 0)
            continue;
        const double *x = b->x + slot * b->show;
        int period = distinct(x, count);
        carom_json_object(json, NULL);
        carom_json_number(json, "value", b->value[slot % b->n]);
        carom_json_string(json, "direction", way(d, (int)(slot / b->n)));
        carom_json_number(json, "distinct", period <= PERIOD_MOST ? period : NAN);
        if (d->request.exponent)
            carom_json_number(json, "exponent", b->exponent[slot]);
        carom_json_numbers(json, "points", x, (int)count);
        carom_json_end(json);
    }
    carom_json_end(json);
    carom_json_number(json, "wall_s", d->wall_s);
    carom_json_end(json);
    return carom_json_close(json, error);
}

/* "from ... to: 2 points": neighbours with as many points in one line. */
static void print_text(const carom_diagram *d)
{
    enum { LINES = 40 };
    const carom_bifurcation *b = d->result;
    char buffer[32];
    printf("%s: %s over %s, %ld values\n", d->model->name, drawn(d, buffer), d->request.name, b->n);
    for (int pass = 0; pass < b->passes; pass++) {
        int lines = 0;
        for (long i = 0, next; i < b->n; i = next) {
            long slot = pass * b->n + i;
            int points = b->count[slot] < 0 ? -1 : distinct(b->x + slot * b->show, b->count[slot]);
            for (next = i + 1; next < b->n; next++) {
                long at = pass * b->n + next;
                if ((b->count[at] < 0 ? -1 : distinct(b->x + at * b->show, b->count[at])) != points)
                    break;
            }
            if (++lines > LINES)
                continue;
            printf("  %-5s%12.8g ... %-12.8g  ", way(d, pass), b->value[i], b->value[next - 1]);
            if (points < 0)
                printf("not computed\n");
            else
                printf("%s%d point%s\n", points > PERIOD_MOST ? "more than " : "", CAROM_MIN(points, PERIOD_MOST),
                       points == 1 ? "" : "s");
        }
        if (lines > LINES)
            printf("  and %d more changes\n", lines - LINES);
    }
    printf("  %.2g s\n", d->wall_s);
}

carom_status carom_diagram_write(const carom_diagram *d, carom_error *error)
{
    long points = 0;
    for (long slot = 0; slot < d->result->passes * d->result->n; slot++)
        points += CAROM_MAX(d->result->count[slot], 0);
    if (d->table)
        CAROM_TRY(write_table(d, error));
    if (d->picture && points == 0)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "there are no points to draw in '%s'", d->picture);
    if (d->picture)
        CAROM_TRY(write_picture(d, error));
    if (d->cli->json)
        return print_json(d, error);
    if (!d->cli->quiet && !(d->table && !strcmp(d->table, "-")))
        print_text(d);
    return CAROM_OK;
}
