/* converge_output.c: the results of `carom converge` as a text table, CSV, JSON and SVG. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/converge.h"
#include "output/output.h"
#include "output/stream.h"
#include "output/svg_chart.h"

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

/* The first row of a scheme at its k-th nominal value; its runs follow, nnorm rows each. NULL: there is none. */
static const carom_converge_row *group(const carom_cli_converge *c, int scheme, int k)
{
    int size = c->request.nnorm * c->request.shifts;
    for (int i = 0, seen = 0; i < c->result.nrow; i += size)
        if (c->result.row[i].scheme == scheme && seen++ == k)
            return &c->result.row[i];
    return NULL;
}

bool carom_cli_converge_mean(const carom_cli_converge *c, int scheme, int k, int norm, double *nominal, double *mean)
{
    const carom_converge_row *row = group(c, scheme, k);
    int n = c->request.nnorm, shifts = c->request.shifts;
    if (!row)
        return false;
    *nominal = row->nominal, *mean = 0;
    for (int j = 0; j < shifts; j++)
        *mean += (norm < 0 ? carom_cli_converge_effort(c->work, &row[j * n]) : row[j * n + norm].error) / shifts;
    return true;
}

static const carom_converge_order *order_of(const carom_cli_converge *c, int scheme, int norm)
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

static void put_scheme(const carom_cli_converge *c, int scheme, FILE *file)
{
    int n = c->request.nnorm, shifts = c->request.shifts;
    double nominal = 0, mean = 0;
    const carom_converge_row *row = group(c, scheme, 0);
    fprintf(file, "\n%s\n%12s", c->request.schemes[scheme], row && isnan(row->h) ? "rtol" : "h");
    for (int i = 0; i < n; i++)
        fprintf(file, " %13s", c->request.norms[i]);
    fprintf(file, " %9s %9s %9s %9s\n", "rhs", "solves", "problems", "cpu s");
    for (int k = 0; (row = group(c, scheme, k)) != NULL; k++) {
        fprintf(file, "%12.5g", row->nominal);
        for (int i = 0; i < n; i++) {
            carom_cli_converge_mean(c, scheme, k, i, &nominal, &mean);
            if (isnan(mean))
                fprintf(file, " %13s", "failed");
            else
                fprintf(file, " %12.4e%s", mean, row[i].floor ? "*" : " ");
        }
        for (int w = CAROM_CLI_WORK_RHS; w < CAROM_CLI_WORK_CPU; w++)
            fprintf(file, " %9.0f", mean_of(row, shifts, n, (carom_cli_work)w));
        fprintf(file, " %9.2e\n", mean_of(row, shifts, n, CAROM_CLI_WORK_CPU));
    }
    fprintf(file, "%12s", "order");
    for (int i = 0; i < n; i++) {
        const carom_converge_order *o = order_of(c, scheme, i);
        double order = fabs(o->order) < 0.005 ? 0 : o->order; /* no -0.00 */
        if (isnan(order))
            fprintf(file, " %13s", "-");
        else if (isnan(o->spread))
            fprintf(file, " %12.2f ", order);
        else
            fprintf(file, " %6.2f +-%4.2f", order, o->spread);
    }
    fputc('\n', file);
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
        fprintf(file, "\n%s, %s %g%s\n%12s %13s %13s\n", r->schemes[o->scheme], r->from ? "from t =" : "impact at", r->place[o->place],
                r->from ? "" : o->activated ? ": seen in its step" : ": not seen in its step", "h", "e_q", "e_v");
        for (int k = 0; k < r->nh; k++)
            fprintf(file, "%12.5g %13.4e %13.4e\n", out->row[i * r->nh + k].h, out->row[i * r->nh + k].e_q, out->row[i * r->nh + k].e_v);
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
        fprintf(file, "errors and work: means over %d step sizes within 5 %%; order: fitted to them, +- half its range over single sequences\n",
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

/* ---- JSON ---- */
static void json_local(const carom_cli_converge *c, carom_json *json)
{
    const carom_local_request *r = &c->local;
    const carom_local_result *out = &c->steps;
    carom_json_string(json, "reference", out->reference);
    if (!r->from) {
        carom_json_number(json, "t_impact", out->t_impact);
        carom_json_number(json, "jump", out->jump);
    }
    carom_json_array(json, "rows");
    for (int i = 0; i < out->nrow; i++) {
        const carom_local_row *row = &out->row[i];
        carom_json_object(json, NULL);
        carom_json_string(json, "scheme", r->schemes[row->scheme]);
        carom_json_number(json, r->from ? "from" : "impact_at", r->place[row->place]);
        carom_json_number(json, "h", row->h);
        carom_json_number(json, "e_q", row->e_q);
        carom_json_number(json, "e_v", row->e_v);
        carom_json_number(json, "impulse", row->impulse);
        carom_json_end(json);
    }
    carom_json_end(json);
    carom_json_array(json, "orders");
    for (int i = 0; i < out->norder; i++) {
        const carom_local_order *o = &out->order[i];
        carom_json_object(json, NULL);
        carom_json_string(json, "scheme", r->schemes[o->scheme]);
        carom_json_number(json, r->from ? "from" : "impact_at", r->place[o->place]);
        carom_json_bool(json, "activated", o->activated);
        carom_json_number(json, "order_q", o->order_q);
        carom_json_number(json, "order_v", o->order_v);
        carom_json_end(json);
    }
    carom_json_end(json);
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

static void json_rows(const carom_cli_converge *c, carom_json *json)
{
    carom_json_array(json, "rows");
    for (int i = 0; i < c->result.nrow; i++) {
        const carom_converge_row *row = &c->result.row[i];
        carom_json_object(json, NULL);
        carom_json_string(json, "scheme", c->request.schemes[row->scheme]);
        carom_json_number(json, "h", row->h);
        carom_json_number(json, "rtol", row->rtol);
        carom_json_number(json, "nominal", row->nominal);
        carom_json_string(json, "norm", c->request.norms[row->norm]);
        carom_json_number(json, "error", row->error);
        carom_json_bool(json, "floor", row->floor);
        carom_json_integer(json, "steps", row->steps);
        carom_json_integer(json, "rhs_evaluations", row->rhs_evaluations);
        carom_json_integer(json, "linear_solves", row->linear_solves);
        carom_json_integer(json, "contact_problems", row->contact_problems);
        carom_json_number(json, "cpu_s", row->cpu_s);
        carom_json_end(json);
    }
    carom_json_end(json);
}

static void json_orders(const carom_cli_converge *c, carom_json *json)
{
    carom_json_object(json, "orders");
    for (int i = 0; i < c->request.nscheme; i++) {
        carom_json_object(json, c->request.schemes[i]);
        for (int k = 0; k < c->request.nnorm; k++) {
            const carom_converge_order *o = order_of(c, i, k);
            carom_json_object(json, c->request.norms[k]);
            carom_json_number(json, "order", o->order);
            carom_json_number(json, "spread", o->spread);
            carom_json_number(json, "constant", o->constant);
            carom_json_integer(json, "points", o->points);
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
        json_rows(c, json);
        json_orders(c, json);
    }
    carom_json_end(json);
    return carom_json_close(json, error);
}

/* ---- CSV ---- */
static void put_text(carom_stream *out, const char *text)
{
    bool quote = strpbrk(text, ",\"") != NULL;
    carom_stream_string(out, quote ? "\"" : "");
    carom_stream_string(out, text);
    carom_stream_string(out, quote ? "\"," : ",");
}

static void put_number(carom_stream *out, double value, const char *after)
{
    if (!isnan(value))
        carom_stream_number(out, value);
    carom_stream_string(out, after);
}

static void csv_row(const carom_cli_converge *c, const carom_converge_row *row, carom_stream *out)
{
    put_text(out, c->request.schemes[row->scheme]);
    put_number(out, row->h, ",");
    put_number(out, row->rtol, ",");
    put_number(out, row->nominal, ",");
    put_text(out, c->request.norms[row->norm]);
    put_number(out, row->error, ",");
    put_number(out, (double)row->steps, ",");
    put_number(out, (double)row->rhs_evaluations, ",");
    put_number(out, (double)row->linear_solves, ",");
    put_number(out, (double)row->contact_problems, ",");
    put_number(out, row->cpu_s, "\n");
}

carom_status carom_cli_converge_csv(const carom_cli_converge *c, const char *path, FILE *stream, carom_error *error)
{
    carom_stream out;
    CAROM_TRY(carom_stream_open(&out, path, stream, error));
    carom_stream_string(&out, "# model: ");
    carom_stream_string(&out, c->model->name);
    carom_stream_string(&out, "\n# reference: ");
    carom_stream_string(&out, c->is_local ? c->steps.reference : c->result.reference);
    if (!c->is_local) {
        carom_stream_string(&out, "\nscheme,h,rtol,nominal,norm,error,steps,rhs_evaluations,linear_solves,contact_problems,cpu_s\n");
        for (int i = 0; i < c->result.nrow; i++)
            csv_row(c, &c->result.row[i], &out);
        return carom_stream_close(&out, error);
    }
    carom_stream_string(&out, c->local.from ? "\nscheme,from,h,e_q,e_v,impulse\n" : "\nscheme,impact_at,h,e_q,e_v,impulse\n");
    for (int i = 0; i < c->steps.nrow; i++) {
        const carom_local_row *row = &c->steps.row[i];
        put_text(&out, c->local.schemes[row->scheme]);
        put_number(&out, c->local.place[row->place], ",");
        put_number(&out, row->h, ",");
        put_number(&out, row->e_q, ",");
        put_number(&out, row->e_v, ",");
        put_number(&out, row->impulse, "\n");
    }
    return carom_stream_close(&out, error);
}

/* ---- SVG ---- */
typedef struct picture {
    carom_chart *chart;          /* [2*nnorm]: against h (or rtol), against work */
    carom_chart_series *series;  /* [2*nnorm*nscheme] */
    double *number;              /* what they point to */
    char (*title)[64];
} picture;

/* Points of all runs and the line of the means: of one scheme in one norm, against h or work. */
static void fill(const carom_cli_converge *c, carom_chart_series *s, double **room, int scheme, int norm, bool work)
{
    int n = c->request.nnorm, shifts = c->request.shifts;
    double *x = *room, *y, *line_x, *line_y, nominal = 0, effort = 0;
    int groups = 0;
    while (group(c, scheme, groups))
        groups++;
    y = x + groups * shifts, line_x = y + groups * shifts, line_y = line_x + groups;
    *room = line_y + groups;
    for (int k = 0; k < groups; k++) {
        const carom_converge_row *row = group(c, scheme, k);
        for (int j = 0; j < shifts; j++) {
            const carom_converge_row *one = &row[j * n + norm];
            x[k * shifts + j] = work ? carom_cli_converge_effort(c->work, one) : isnan(one->h) ? one->rtol : one->h;
            y[k * shifts + j] = one->error;
        }
        carom_cli_converge_mean(c, scheme, k, norm, &nominal, &line_y[k]);
        carom_cli_converge_mean(c, scheme, k, -1, &nominal, &effort);
        line_x[k] = work ? effort : nominal;
    }
    *s = (carom_chart_series){.name = c->request.schemes[scheme], .x = x, .y = y, .n = groups * shifts, .line_x = line_x, .line_y = line_y,
                              .nline = groups};
    double order = order_of(c, scheme, norm)->order, whole = round(order);
    if (fabs(order - whole) < 0.35 && whole >= 1 && !work)
        s->slope = whole;
}

static void compose(const carom_cli_converge *c, picture *p)
{
    int n = c->request.nscheme;
    double *room = p->number;
    bool tolerances = c->request.nh == 0;
    for (int i = 0; i < 2 * c->request.nnorm; i++) {
        bool work = i % 2;
        snprintf(p->title[i], sizeof p->title[i], "error in %.40s", c->request.norms[i / 2]);
        p->chart[i] = (carom_chart){.title = p->title[i], .x_label = work ? carom_cli_work_name(c->work) : tolerances ? "rtol" : "h",
                                    .series = p->series + i * n, .nseries = n};
        for (int k = 0; k < n; k++) {
            fill(c, &p->series[i * n + k], &room, k, i / 2, work);
            const carom_converge_row *row = group(c, k, 0);
            if (!work && row && isnan(row->h) != tolerances) /* a tolerance is no step size */
                p->series[i * n + k].n = p->series[i * n + k].nline = 0;
        }
    }
}

carom_status carom_cli_converge_svg(const carom_cli_converge *c, const char *path, carom_error *error)
{
    size_t charts = 2 * (size_t)c->request.nnorm, series = charts * (size_t)c->request.nscheme;
    picture p = {calloc(charts, sizeof *p.chart), calloc(series, sizeof *p.series),
                 calloc(4 * 2 * (size_t)CAROM_MAX(c->result.nrow, 1) + 16, sizeof(double)), calloc(charts, sizeof *p.title)};
    carom_status status;
    char title[200];
    snprintf(title, sizeof title, "%.150s on [0, %g]", c->model->name, c->result.t_end);
    if (p.chart && p.series && p.number && p.title) {
        compose(c, &p);
        status = carom_svg_charts(path, NULL, title, p.chart, (int)charts, error);
    } else {
        status = carom_fail(error, CAROM_NO_MEMORY, "no memory for a picture");
    }
    free(p.chart), free(p.series), free(p.number), free(p.title);
    return status;
}
