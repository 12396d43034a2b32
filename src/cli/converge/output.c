/* output.c: the results of `carom converge` as a text table, CSV and JSON. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cli/converge/converge.h"

const char *carom_cli_work_name(carom_cli_effort work)
{
    static const char *const names[] = {"right-hand sides", "linear solves", "contact problems", "CPU time in s"};
    return names[work];
}

double carom_cli_converge_effort(carom_cli_effort work, const carom_converge_row *row)
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
static double mean_of(const carom_converge_row *row, int shifts, int step, carom_cli_effort work)
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
            fprintf(file, " %9.0f", mean_of(row, shifts, n, (carom_cli_effort)w));
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
    fprintf(file, "%s: the error of one step from exact data\nreference: %s\n", c->run.model->name, out->reference);
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
    fprintf(file, "%s on [0, %g]\nreference: %s\n", c->run.model->name, c->result.t_end, c->result.reference);
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
typedef struct shown { /* a row with the names that it refers to */
    const char *scheme, *norm;
    double place;
    union {
        carom_converge_row row;
        carom_local_row local;
        carom_local_order local_order;
    };
} shown;
static const carom_result_field of_row[] = {
    CAROM_CELL("scheme", CAROM_TEXT, shown, scheme),
    CAROM_CELL("h", CAROM_NUMBER, shown, row.h),
    CAROM_CELL("rtol", CAROM_NUMBER, shown, row.rtol),
    CAROM_CELL("nominal", CAROM_NUMBER, shown, row.nominal),
    CAROM_CELL("norm", CAROM_TEXT, shown, norm),
    CAROM_CELL("error", CAROM_NUMBER, shown, row.error),
    {.name = "floor", .cell = CAROM_BOOL, .offset = offsetof(shown, row.floor), .json_only = true},
    CAROM_CELL("steps", CAROM_LONG, shown, row.steps),
    CAROM_CELL("rhs_evaluations", CAROM_LONG, shown, row.rhs_evaluations),
    CAROM_CELL("linear_solves", CAROM_LONG, shown, row.linear_solves),
    CAROM_CELL("contact_problems", CAROM_LONG, shown, row.contact_problems),
    CAROM_CELL("cpu_s", CAROM_NUMBER, shown, row.cpu_s),
    {.name = NULL}};
static const carom_result_field of_order[] = {CAROM_CELL("order", CAROM_NUMBER, carom_converge_order, order),
                                              CAROM_CELL("spread", CAROM_NUMBER, carom_converge_order, spread),
                                              CAROM_CELL("envelope", CAROM_NUMBER, carom_converge_order, envelope),
                                              CAROM_CELL("constant", CAROM_NUMBER, carom_converge_order, constant),
                                              CAROM_CELL("points", CAROM_INT, carom_converge_order, points),
                                              {.name = NULL}};
/* Of --local; the first name is that of the place: "from" or "impact_at". */
static const carom_result_field of_local[] = {CAROM_CELL("h", CAROM_NUMBER, shown, local.h),
                                              CAROM_CELL("e_q", CAROM_NUMBER, shown, local.e_q),
                                              CAROM_CELL("e_v", CAROM_NUMBER, shown, local.e_v),
                                              CAROM_CELL("impulse", CAROM_NUMBER, shown, local.impulse),
                                              {.name = NULL}};
static const carom_result_field of_local_order[] = {
    CAROM_CELL("activated", CAROM_BOOL, shown, local_order.activated),
    CAROM_CELL("order_q", CAROM_NUMBER, shown, local_order.order_q),
    CAROM_CELL("order_v", CAROM_NUMBER, shown, local_order.order_v),
    {.name = NULL}};
enum { LOCAL_MOST = 8 };

/* The whole list: scheme, place, then these. */
static void local_fields(const carom_cli_converge *c, const carom_result_field *rest, carom_result_field *all)
{
    const carom_result_field first[] = {
        CAROM_CELL("scheme", CAROM_TEXT, shown, scheme),
        CAROM_CELL(c->local.from ? "from" : "impact_at", CAROM_NUMBER, shown, place)};
    memcpy(all, first, sizeof first);
    int n = 2;
    do
        all[n++] = *rest;
    while (rest++->name);
}

static shown show_row(const carom_cli_converge *c, int i)
{
    const carom_converge_row *row = &c->result.row[i];
    return (shown){.scheme = c->request.schemes[row->scheme], .norm = c->request.norms[row->norm], .row = *row};
}

static shown show_local(const carom_cli_converge *c, int i)
{
    const carom_local_row *row = &c->steps.row[i];
    return (shown){.scheme = c->local.schemes[row->scheme], .place = c->local.place[row->place], .local = *row};
}

static shown show_local_order(const carom_cli_converge *c, int i)
{
    const carom_local_order *order = &c->steps.order[i];
    return (shown){.scheme = c->local.schemes[order->scheme], .place = c->local.place[order->place],
                   .local_order = *order};
}

static void json_list(const carom_cli_converge *c, const char *key, const carom_result_field *fields,
                      shown (*show)(const carom_cli_converge *, int), int n, carom_json *json)
{
    carom_json_array(json, key);
    for (int i = 0; i < n; i++) {
        const shown row = show(c, i);
        carom_json_object(json, NULL);
        carom_json_fields(json, fields, &row);
        carom_json_end(json);
    }
    carom_json_end(json);
}

static void json_local(const carom_cli_converge *c, carom_json *json)
{
    const carom_local_result *out = &c->steps;
    carom_result_field fields[LOCAL_MOST];
    carom_json_string(json, "reference", out->reference);
    if (!c->local.from) {
        carom_json_number(json, "t_impact", out->t_impact);
        carom_json_number(json, "jump", out->jump);
    }
    local_fields(c, of_local, fields);
    json_list(c, "rows", fields, show_local, out->nrow, json);
    local_fields(c, of_local_order, fields);
    json_list(c, "orders", fields, show_local_order, out->norder, json);
}

static void json_orders(const carom_cli_converge *c, carom_json *json)
{
    carom_json_object(json, "orders");
    for (int i = 0; i < c->request.nscheme; i++) {
        carom_json_object(json, c->request.schemes[i]);
        for (int k = 0; k < c->request.nnorm; k++) {
            carom_json_object(json, c->request.norms[k]);
            carom_json_fields(json, of_order, carom_cli_converge_order(c, i, k));
            carom_json_end(json);
        }
        carom_json_end(json);
    }
    carom_json_end(json);
}

static void json_runs(const carom_cli_converge *c, carom_json *json)
{
    carom_json_number(json, "t_end", c->result.t_end);
    carom_json_object(json, "reference");
    carom_json_string(json, "used", carom_reference_name(c->result.used));
    carom_json_string(json, "text", c->result.reference);
    carom_json_values(json, "accuracy", c->request.norms, c->result.accuracy, c->request.nnorm);
    carom_json_end(json);
    carom_json_integer(json, "shifts", c->request.shifts);
    carom_json_integer(json, "failed", c->result.failed);
    carom_json_integer(json, "resumed", c->result.resumed);
    json_list(c, "rows", of_row, show_row, c->result.nrow, json);
    json_orders(c, json);
}

carom_status carom_cli_converge_json(const carom_cli_converge *c, const char *path, FILE *stream, carom_error *error)
{
    carom_json *json;
    CAROM_TRY(carom_json_new(&json, path, stream, true, error));
    carom_json_object(json, NULL);
    carom_json_string(json, "model", c->run.model->name);
    (c->is_local ? json_local : json_runs)(c, json);
    return carom_json_close(json, error);
}

carom_status carom_cli_converge_csv(const carom_cli_converge *c, const char *path, FILE *stream, carom_error *error)
{
    carom_stream out;
    carom_result_field local[LOCAL_MOST];
    const carom_result_field *fields = c->is_local ? local : of_row;
    local_fields(c, of_local, local);
    CAROM_TRY(carom_stream_open(&out, path, stream, error));
    carom_stream_format(&out, "# model: %s\n# reference: %s\n", c->run.model->name,
                        c->is_local ? c->steps.reference : c->result.reference);
    carom_csv_fields(&out, fields, NULL);
    for (int i = 0; i < (c->is_local ? c->steps.nrow : c->result.nrow); i++) {
        const shown row = c->is_local ? show_local(c, i) : show_row(c, i);
        carom_csv_fields(&out, fields, &row);
    }
    return carom_stream_close(&out, error);
}
