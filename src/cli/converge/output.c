/* output.c: the results of `carom converge` as a text table, CSV and JSON. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cli/converge/converge.h"
#include "output/output.h"
#include "output/stream.h"

const char *carom_cli_work_name(carom_cli_work work)
{
    static const char *const names[] = {"right-hand sides", "linear solves", "contact problems", "CPU time in s"};
    return names[work];
}

double carom_cli_converge_effort(carom_cli_work work, const carom_converge_row *row)
{
    switch (work) {
    case CAROM_CLI_WORK_SOLVES: return (double)row->linear_solves;
    case CAROM_CLI_WORK_PROBLEMS: return (double)row->contact_problems;
    case CAROM_CLI_WORK_CPU: return row->cpu_s;
    default: return (double)row->rhs_evaluations;
    }
}

const carom_converge_row *carom_cli_converge_group(const carom_cli_converge *c, int scheme, int k)
{
    int size = c->request.nnorm * c->request.shifts;
    for (int i = 0, seen = 0; i < c->result.nrow; i += size)
        if (c->result.row[i].scheme == scheme && seen++ == k)
            return &c->result.row[i];
    return NULL;
}

bool carom_cli_converge_mean(const carom_cli_converge *c, int scheme, int k, int norm, double *nominal, double *mean)
{
    const carom_converge_row *row = carom_cli_converge_group(c, scheme, k);
    int n = c->request.nnorm, shifts = c->request.shifts;
    if (!row)
        return false;
    *nominal = row->nominal, *mean = 0;
    for (int j = 0; j < shifts; j++)
        *mean += (norm < 0 ? carom_cli_converge_effort(c->work, &row[j * n]) : row[j * n + norm].error) / shifts;
    return true;
}

const carom_converge_order *carom_cli_converge_order(const carom_cli_converge *c, int scheme, int norm)
{
    return &c->result.order[scheme * c->request.nnorm + norm];
}

/* ---- text ---- */
static double mean_of(const carom_converge_row *row, int shifts, int step, carom_cli_work work)
{
    double sum = 0;
    for (int j = 0; j < shifts; j++)
        sum += carom_cli_converge_effort(work, &row[j * step]) / shifts;
    return sum;
}

static void put_orders(const carom_cli_converge *c, int scheme, bool envelope, FILE *file)
{
    fprintf(file, "%12s", envelope ? "envelope" : "order");
    for (int i = 0; i < c->request.nnorm; i++) {
        const carom_converge_order *o = carom_cli_converge_order(c, scheme, i);
        double order = envelope ? o->envelope : o->order, spread = envelope ? NAN : o->spread;
        order = fabs(order) < 0.005 ? 0 : order; /* no -0.00 */
        if (isnan(order))
            fprintf(file, " %13s", "-");
        else if (isnan(spread))
            fprintf(file, " %6.2f       ", order);
        else
            fprintf(file, " %6.2f +-%4.2f", order, spread);
    }
    fputc('\n', file);
}

/* At one of the shifts the error is not above what is known of the reference. */
static bool at_floor(const carom_converge_row *row, int shifts, int step)
{
    bool floor = false;
    for (int j = 0; j < shifts; j++)
        floor = floor || row[j * step].floor;
    return floor;
}

static void put_scheme(const carom_cli_converge *c, int scheme, FILE *file)
{
    int n = c->request.nnorm, shifts = c->request.shifts;
    double nominal = 0, mean = 0;
    const carom_converge_row *row = carom_cli_converge_group(c, scheme, 0);
    fprintf(file, "\n%s\n%12s", c->request.schemes[scheme], row && isnan(row->h) ? "rtol" : "h");
    for (int i = 0; i < n; i++)
        fprintf(file, " %13s", c->request.norms[i]);
    fprintf(file, " %9s %9s %9s %9s\n", "rhs", "solves", "problems", "cpu s");
    for (int k = 0; (row = carom_cli_converge_group(c, scheme, k)) != NULL; k++) {
        fprintf(file, "%12.5g", row->nominal);
        for (int i = 0; i < n; i++) {
            carom_cli_converge_mean(c, scheme, k, i, &nominal, &mean);
            if (isnan(mean))
                fprintf(file, " %13s", "failed");
            else
                fprintf(file, " %12.4e%s", mean, at_floor(&row[i], shifts, n) ? "*" : " ");
        }
        for (int w = CAROM_CLI_WORK_RHS; w < CAROM_CLI_WORK_CPU; w++)
            fprintf(file, " %9.0f", mean_of(row, shifts, n, (carom_cli_work)w));
        fprintf(file, " %9.2e\n", mean_of(row, shifts, n, CAROM_CLI_WORK_CPU));
    }
    put_orders(c, scheme, false, file);
    if (shifts > 1)
        put_orders(c, scheme, true, file);
}

static void put_local(const carom_cli_converge *c, FILE *file)
{
    const carom_local_request *r = &c->local;
    const carom_local_result *out = &c->steps;
    fprintf(file, "%s: the error of one step from exact data\nreference: %s\n", c->model->name, out->reference);
    if (!r->from)
        fprintf(file, "impact at t = %.10g, where velocities jump by %.6g\n", out->t_impact, out->jump);
    for (int i = 0; i < out->norder; i++) {
        const carom_local_order *o = &out->order[i];
        fprintf(file, "\n%s, %s %g%s\n%12s %13s %13s\n", r->schemes[o->scheme], r->from ? "from t =" : "impact at",
                r->place[o->place],
                r->from        ? ""
                : o->activated ? ": seen in its step"
                               : ": not seen in its step",
                "h", "e_q", "e_v");
        for (int k = 0; k < r->nh; k++)
            fprintf(file, "%12.5g %13.4e %13.4e\n", out->row[i * r->nh + k].h, out->row[i * r->nh + k].e_q,
                    out->row[i * r->nh + k].e_v);
        fprintf(file, "%12s", "order");
        for (int k = 0; k < 2; k++) {
            double order = k ? o->order_v : o->order_q;
            if (isnan(order))
                fprintf(file, " %13s", "-");
            else
                fprintf(file, " %13.2f", fabs(order) < 0.005 ? 0 : order);
        }
        fputc('\n', file);
    }
}

void carom_cli_converge_text(const carom_cli_converge *c, FILE *file)
{
    bool floor = false;
    if (c->is_local) {
        put_local(c, file);
        return;
    }
    fprintf(file, "%s on [0, %g]\nreference: %s\n", c->model->name, c->result.t_end, c->result.reference);
    if (c->request.shifts > 1)
        fprintf(
            file,
            "errors and work: means over %d step sizes within 5 %%; order: fitted to them, +- half its range over "
            "single sequences;\n"
            "envelope: fitted to the largest of each\n",
            c->request.shifts);
    for (int i = 0; i < c->request.nscheme; i++)
        put_scheme(c, i, file);
    for (int i = 0; i < c->result.nrow; i++)
        floor = floor || c->result.row[i].floor;
    if (floor)
        fprintf(file, "\n* not above what is known of the reference, not in the fit\n");
    if (c->result.resumed)
        fprintf(file, "\n%d of the runs were taken from the journal\n", c->result.resumed);
}

/* ---- JSON and CSV: the same columns ---- */
/* int, int, int, double, long, bool */
typedef enum column_kind { SCHEME, NORM, PLACE, NUMBER, COUNT, FLAG } column_kind;
typedef struct column {
    const char *name;
    column_kind kind;
    size_t offset;
    bool csv; /* also a column of the CSV */
} column;
#define AT(kind, field, type) kind, offsetof(carom_##type, field), true
static const column of_row[] = {{"scheme", AT(SCHEME, scheme, converge_row)},
                                {"h", AT(NUMBER, h, converge_row)},
                                {"rtol", AT(NUMBER, rtol, converge_row)},
                                {"nominal", AT(NUMBER, nominal, converge_row)},
                                {"norm", AT(NORM, norm, converge_row)},
                                {"error", AT(NUMBER, error, converge_row)},
                                {"floor", FLAG, offsetof(carom_converge_row, floor), false},
                                {"steps", AT(COUNT, steps, converge_row)},
                                {"rhs_evaluations", AT(COUNT, rhs_evaluations, converge_row)},
                                {"linear_solves", AT(COUNT, linear_solves, converge_row)},
                                {"contact_problems", AT(COUNT, contact_problems, converge_row)},
                                {"cpu_s", AT(NUMBER, cpu_s, converge_row)},
                                {.name = NULL}};
static const column of_local[] = {
    {"scheme", AT(SCHEME, scheme, local_row)}, {"", AT(PLACE, place, local_row)}, {"h", AT(NUMBER, h, local_row)},
    {"e_q", AT(NUMBER, e_q, local_row)}, {"e_v", AT(NUMBER, e_v, local_row)}, {"impulse", AT(NUMBER, impulse,
     local_row)},
    {.name = NULL}};
static const column of_local_order[] = {
    {"scheme", AT(SCHEME, scheme, local_order)}, {"", AT(PLACE, place, local_order)}, {"activated", AT(FLAG, activated,
     local_order)},
    {"order_q", AT(NUMBER, order_q, local_order)}, {"order_v", AT(NUMBER, order_v, local_order)}, {.name = NULL}};
static const column of_order[] = {
    {"order", AT(NUMBER, order, converge_order)}, {"spread", AT(NUMBER, spread, converge_order)},
    {"envelope", AT(NUMBER, envelope, converge_order)},
    {"constant", AT(NUMBER, constant, converge_order)}, {.name = NULL}};
#undef AT

static const char *name_of(const carom_cli_converge *c, const column *k)
{
    return k->kind == PLACE ? (c->local.from ? "from" : "impact_at") : k->name;
}

/* Its text; NULL: it is a number. */
static const char *value_of(const carom_cli_converge *c, const column *k, const void *row, double *number)
{
    const void *at = (const char *)row + k->offset;
    switch (k->kind) {
    case SCHEME: return c->request.schemes[*(const int *)at];
    case NORM: return c->request.norms[*(const int *)at];
    case PLACE: *number = c->local.place[*(const int *)at]; return NULL;
    case COUNT: *number = (double)*(const long *)at; return NULL;
    case FLAG: *number = *(const bool *)at; return NULL;
    default: *number = *(const double *)at; return NULL;
    }
}

static void json_columns(const carom_cli_converge *c, const column *columns, const void *row, carom_json *json)
{
    for (const column *k = columns; k->name; k++) {
        double number = 0;
        const char *text = value_of(c, k, row, &number);
        if (text)
            carom_json_string(json, name_of(c, k), text);
        else if (k->kind == FLAG)
            carom_json_bool(json, name_of(c, k), number != 0);
        else if (k->kind == COUNT)
            carom_json_integer(json, name_of(c, k), (long long)number);
        else
            carom_json_number(json, name_of(c, k), number);
    }
}

static void json_list(const carom_cli_converge *c, const char *key, const column *columns, const void *rows,
                      size_t size, int n, carom_json *json)
{
    carom_json_array(json, key);
    for (int i = 0; i < n; i++) {
        carom_json_object(json, NULL);
        json_columns(c, columns, (const char *)rows + size * (size_t)i, json);
        carom_json_end(json);
    }
    carom_json_end(json);
}

static void json_local(const carom_cli_converge *c, carom_json *json)
{
    const carom_local_result *out = &c->steps;
    carom_json_string(json, "reference", out->reference);
    if (!c->local.from) {
        carom_json_number(json, "t_impact", out->t_impact);
        carom_json_number(json, "jump", out->jump);
    }
    json_list(c, "rows", of_local, out->row, sizeof *out->row, out->nrow, json);
    json_list(c, "orders", of_local_order, out->order, sizeof *out->order, out->norder, json);
}

static void json_reference(const carom_cli_converge *c, carom_json *json)
{
    carom_json_object(json, "reference");
    carom_json_string(json, "used", carom_reference_name(c->result.used));
    carom_json_string(json, "text", c->result.reference);
    carom_json_object(json, "accuracy");
    for (int i = 0; i < c->request.nnorm; i++)
        carom_json_number(json, c->request.norms[i], c->result.accuracy[i]);
    carom_json_end(json);
    carom_json_end(json);
}

static void json_orders(const carom_cli_converge *c, carom_json *json)
{
    carom_json_object(json, "orders");
    for (int i = 0; i < c->request.nscheme; i++) {
        carom_json_object(json, c->request.schemes[i]);
        for (int k = 0; k < c->request.nnorm; k++) {
            carom_json_object(json, c->request.norms[k]);
            json_columns(c, of_order, carom_cli_converge_order(c, i, k), json);
            carom_json_integer(json, "points", carom_cli_converge_order(c, i, k)->points);
            carom_json_end(json);
        }
        carom_json_end(json);
    }
    carom_json_end(json);
}

carom_status carom_cli_converge_json(const carom_cli_converge *c, const char *path, FILE *stream, carom_error *error)
{
    carom_json *json;
    CAROM_TRY(carom_json_new(&json, path, stream, true, error));
    carom_json_object(json, NULL);
    carom_json_string(json, "model", c->model->name);
    if (c->is_local) {
        json_local(c, json);
    } else {
        carom_json_number(json, "t_end", c->result.t_end);
        json_reference(c, json);
        carom_json_integer(json, "shifts", c->request.shifts);
        carom_json_integer(json, "failed", c->result.failed);
        carom_json_integer(json, "resumed", c->result.resumed);
        json_list(c, "rows", of_row, c->result.row, sizeof *c->result.row, c->result.nrow, json);
        json_orders(c, json);
    }
    carom_json_end(json);
    return carom_json_close(json, error);
}

static void csv_text(const char *text, carom_stream *out)
{
    bool quote = strpbrk(text, ",\"") != NULL;
    carom_stream_string(out, quote ? "\"" : "");
    carom_stream_string(out, text);
    carom_stream_string(out, quote ? "\"" : "");
}

/* The names of the columns (row NULL), or a row. */
static void csv_line(const carom_cli_converge *c, const column *columns, const void *row, carom_stream *out)
{
    for (const column *k = columns; k->name; k++) {
        double number = NAN;
        const char *text = row ? value_of(c, k, row, &number) : name_of(c, k);
        if (!k->csv)
            continue;
        carom_stream_string(out, k == columns ? "" : ",");
        if (text)
            csv_text(text, out);
        else if (!isnan(number))
            carom_stream_number(out, number);
    }
    carom_stream_string(out, "\n");
}

carom_status carom_cli_converge_csv(const carom_cli_converge *c, const char *path, FILE *stream, carom_error *error)
{
    carom_stream out;
    const column *columns = c->is_local ? of_local : of_row;
    CAROM_TRY(carom_stream_open(&out, path, stream, error));
    carom_stream_string(&out, "# model: ");
    carom_stream_string(&out, c->model->name);
    carom_stream_string(&out, "\n# reference: ");
    carom_stream_string(&out, c->is_local ? c->steps.reference : c->result.reference);
    carom_stream_string(&out, "\n");
    csv_line(c, columns, NULL, &out);
    for (int i = 0; i < (c->is_local ? c->steps.nrow : c->result.nrow); i++)
        csv_line(c, columns, c->is_local ? (const void *)&c->steps.row[i] : (const void *)&c->result.row[i], &out);
    return carom_stream_close(&out, error);
}
