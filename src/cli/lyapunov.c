/* lyapunov.c: `carom lyapunov`: the spectrum of Lyapunov exponents, of one start or several; Ctrl-C prints what there
 * is. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "carom_analysis.h"
#include "cli/cli.h"
#include "model/model.h"
#include "output/output.h"
#include "output/stream.h"

typedef struct work {
    const carom_cli *cli;
    carom_model *model;
    carom_options options;
    carom_lyapunov_request request;
    carom_lyapunov_result mean, *each; /* [starts] */
    int starts;
    carom_progress progress;
    carom_stream history;
    bool writing;
    carom_status status;
    double wall_s;
    char note[200];
} work;

/* ---- options ---- */

/* --periods, or --time in whole periods. */
static int read_length(work *w)
{
    const carom_cli *cli = w->cli;
    const char *periods = carom_cli_own(cli, "--periods"), *time = carom_cli_own(cli, "--time");
    double unit = w->model->period > 0 ? w->model->period : 1, number = (double)w->request.length;
    const carom_cli_count length = {"--periods", 1, 1e15, &w->request.length};
    if (periods && time)
        return carom_cli_fail(CAROM_EXIT_USAGE, "--periods and --time cannot both be given");
    if (periods && !(w->model->period > 0))
        return carom_cli_fail(CAROM_EXIT_USAGE, "model '%s' has no period; give --time", w->model->name);
    if (!time)
        return carom_cli_own_counts(cli, &length, 1);
    int code = carom_cli_own_number(cli, "--time", 0, 1e15, &number);
    w->request.length = (long)fmax(1, ceil(number / unit - 1e-9));
    return code;
}

static int read_method(work *w)
{
    const char *method = carom_cli_own(w->cli, "--method"), *epsilon = carom_cli_own(w->cli, "--epsilon");
    static const char *const names[] = {"tangent", "perturbation", NULL};
    if (method && !strcmp(method, names[1]))
        w->request.method = CAROM_LYAPUNOV_PERTURBATION;
    else if (method && strcmp(method, names[0]) != 0)
        return carom_cli_unknown("method", method, names, "lyapunov");
    if (epsilon && w->request.method == CAROM_LYAPUNOV_TANGENT)
        return carom_cli_fail(CAROM_EXIT_USAGE, "--epsilon belongs to --method perturbation; tangents are exact");
    if (epsilon && !strcmp(epsilon, "h")) {
        w->request.epsilon = w->options.h > 0 ? w->options.h : w->model->period / 1000;
        return CAROM_EXIT_OK;
    }
    return carom_cli_own_number(w->cli, "--epsilon", DBL_MIN, DBL_MAX, &w->request.epsilon);
}

static int read_options(work *w)
{
    const carom_cli *cli = w->cli;
    long starts = 1, exponents = 0, parts = 0, steps = 0, blocks = w->request.blocks;
    const carom_cli_count counts[] = {{"--steps", 1, 1e9, &steps},
                                      {"--transient", 0, 1e15, &w->request.transient},
                                      {"--starts", 1, 1e6, &starts},
                                      {"--exponents", 1, CAROM_EXPONENTS_MAX, &exponents},
                                      {"--parts", 1, 1e6, &parts},
                                      {"--blocks", 2, 1e6, &blocks}};
    int code = carom_cli_settings(cli, w->model, &w->options);
    if (code == CAROM_EXIT_OK)
        code = carom_cli_own_counts(cli, counts, CAROM_COUNT(counts));
    if (code == CAROM_EXIT_OK && steps > 0)
        w->options.h = (w->model->period > 0 ? w->model->period : 1) / (double)steps;
    if (code == CAROM_EXIT_OK)
        code = read_length(w);
    if (code == CAROM_EXIT_OK)
        code = read_method(w);
    w->request.exponents = (int)exponents;
    w->request.parts = (int)parts;
    w->request.blocks = (int)blocks;
    w->starts = (int)starts;
    w->options.energy = false;
    return code;
}

/* ---- while it runs ---- */

static bool go_on(void *user, long done)
{
    work *w = user;
    carom_progress_step(&w->progress, (double)done);
    return !carom_cli_interrupted();
}

static bool stop(void *user)
{
    (void)user;
    return carom_cli_interrupted();
}

static void put_history(void *user, long done, int n, const double *mean)
{
    work *w = user;
    carom_stream_number(&w->history, (double)done);
    for (int i = 0; i < n; i++) {
        carom_stream_string(&w->history, ",");
        carom_stream_number(&w->history, mean[i]);
    }
    carom_stream_string(&w->history, "\n");
    carom_stream_mark(&w->history);
}

static int open_history(work *w)
{
    const carom_cli *cli = w->cli;
    carom_error error = {0};
    if (!cli->output)
        return CAROM_EXIT_OK;
    const char *ending = strrchr(cli->output, '.');
    if (strcmp(cli->output, "-") != 0 && (!ending || strcmp(ending, ".csv") != 0))
        return carom_cli_fail(CAROM_EXIT_USAGE,
                              "-o takes a file that ends in .csv: how the exponents converge, not '%s'", cli->output);
    if (carom_stream_open(&w->history, cli->output, strcmp(cli->output, "-") ? NULL : stdout, &error) != CAROM_OK)
        return carom_cli_fail(CAROM_EXIT_FAILED, "%s", error.text);
    w->writing = true;
    w->request.history = put_history;
    carom_stream_string(&w->history, w->model->period > 0 ? "periods" : "time");
    int n = w->request.exponents ? w->request.exponents : 2 * w->model->nv - 2 * w->model->njoint;
    for (int i = 0; i < CAROM_MIN(n, CAROM_EXPONENTS_MAX); i++) {
        char name[40];
        snprintf(name, sizeof name, ",lambda%d", i + 1);
        carom_stream_string(&w->history, name);
    }
    carom_stream_string(&w->history, "\n");
    return CAROM_EXIT_OK;
}

/* ---- results ---- */

static bool starts_differ(const work *w)
{
    for (int k = 0; k < w->starts; k++)
        for (int i = 0; i < w->each[k].n && w->each[k].length; i++) {
            double off = fabs(w->each[k].exponent[i] - w->mean.exponent[i]);
            if (isfinite(w->each[k].exponent[i]) != isfinite(w->mean.exponent[i])) /* lost from some starts only */
                return true;
            if (off > 6 * w->each[k].error[i] && off > 1e-6 * (1 + fabs(w->mean.exponent[i])))
                return true;
        }
    return false;
}

static void put_exponents(carom_json *json, const carom_lyapunov_result *r)
{
    carom_json_numbers(json, "exponents", r->exponent, r->n);
    carom_json_numbers(json, "stderr", r->error, r->n);
    carom_json_number(json, "impacts_per_period", r->impacts);
    carom_json_number(json, "sum_rule_defect", r->sum_rule_defect);
    carom_json_number(json, "kaplan_yorke", r->kaplan_yorke);
    carom_json_string(json, "flag", r->flag);
    carom_json_bool(json, "regular", r->regular);
}

static carom_status print_json(const work *w, carom_error *error)
{
    carom_json *json;
    const carom_lyapunov_result *r = &w->mean;
    const bool perturbed = w->request.method == CAROM_LYAPUNOV_PERTURBATION;
    CAROM_TRY(carom_json_new(&json, "standard output", stdout, true, error));
    carom_json_object(json, NULL);
    carom_json_string(json, "model", w->model->name);
    carom_json_string(json, "scheme", w->options.scheme);
    carom_json_string(json, "method", perturbed ? "perturbation" : "tangent");
    if (perturbed)
        carom_json_number(json, "epsilon", w->request.epsilon);
    carom_json_string(json, "status", carom_status_text(w->status));
    carom_json_string(json, "per", w->model->period > 0 ? "period" : "time");
    carom_json_number(json, "unit", r->per);
    put_exponents(json, r);
    carom_json_number(json, "slowest_impact", r->slowest);
    carom_json_number(json, "validity_radius", r->radius);
    carom_json_integer(json, "grazing", r->grazing);
    carom_json_integer(json, "length", r->length);
    carom_json_integer(json, "transient", w->request.transient);
    carom_json_array(json, "starts");
    for (int i = 0; i < w->starts; i++) {
        carom_json_object(json, NULL);
        carom_json_integer(json, "length", w->each[i].length);
        if (w->each[i].length)
            put_exponents(json, &w->each[i]);
        carom_json_end(json);
    }
    carom_json_end(json);
    carom_json_bool(json, "starts_differ", starts_differ(w));
    carom_json_number(json, "wall_s", w->wall_s);
    carom_json_end(json);
    return carom_json_close(json, error);
}

/* A number with as many digits as its error allows. */
static void print_exponent(int i, double exponent, double error)
{
    int digits = error > 0 ? (int)fmin(12, fmax(2, ceil(1 - log10(error)))) : 10;
    printf("  lambda%-3d", i + 1);
    if (!isfinite(exponent))
        printf("  -infinity: this direction is lost\n");
    else if (isfinite(error))
        printf("  %+.*f   +- %.1e\n", digits, exponent, error);
    else
        printf("  %+.6f   +- unknown: too short for an error bar\n", exponent);
}

static void print_text(const work *w)
{
    const carom_lyapunov_result *r = &w->mean;
    const bool periodic = w->model->period > 0;
    const char *unit = periodic ? "period" : "unit of time";
    printf("%s: Lyapunov exponents per %s", w->model->name, unit);
    if (periodic)
        printf(" (T = %.10g)", r->per);
    printf(", by %s with %s\n", w->request.method == CAROM_LYAPUNOV_PERTURBATION ? "perturbation" : "the tangent flow",
           w->options.scheme);
    for (int i = 0; i < r->n; i++)
        print_exponent(i, r->exponent[i], r->error[i]);
    printf("  Kaplan-Yorke dimension  %.6g\n", r->kaplan_yorke);
    printf("  impacts per %s  %.6g", unit, r->impacts);
    if (isfinite(r->slowest))
        printf(", the slowest at %.2g", r->slowest);
    printf("\n");
    if (isfinite(r->sum_rule_defect))
        printf("  sum rule holds to       %.1e\n", r->sum_rule_defect);
    printf("  measured over           %ld %s after a transient of %ld", r->length,
           periodic ? "periods" : "units of time", w->request.transient);
    printf(w->starts > 1 ? ", %d starts\n" : "\n", w->starts);
    if (r->regular)
        printf("  the motion is regular: weighted averages, the error is what they have not settled\n");
    if (r->flag)
        printf(
            "  note: %s\n",
            !strcmp(r->flag, "rest") ? "the motion comes to rest or sticks on a contact, and directions are lost"
            : !strcmp(r->flag, "jump")
                ? "several contacts are struck at once and the motion is not continuous there: no exponent is defined"
            : !strcmp(r->flag, "beyond") ? "an event was passed whose derivative is not known"
            : !strcmp(r->flag, "one-sided")
                ? "several contacts are struck at once: derivatives are one-sided there"
                : "most periods contain a grazing impact: the exponents hold for tiny perturbations only");
    if (starts_differ(w))
        printf(
            "  note: the starts differ by more than their errors: there may be several attractors, or the transient "
            "is too short\n");
    for (int k = 0; k < w->starts && w->starts > 1; k++) {
        printf("  start %-4d", k);
        for (int i = 0; i < w->each[k].n && w->each[k].length; i++)
            printf(isfinite(w->each[k].exponent[i]) ? "  %+.6f" : "  -infinity", w->each[k].exponent[i]);
        printf("\n");
    }
}

static int report(work *w, const carom_error *failure)
{
    carom_error error = {0};
    int code = carom_cli_exit(w->status);
    if (w->status != CAROM_OK && w->status != CAROM_INTERRUPTED)
        return carom_cli_fail_job(w->cli, w->model, code == CAROM_EXIT_OK ? CAROM_EXIT_FAILED : code, w->status,
                                  failure->text);
    if (w->mean.length == 0)
        return carom_cli_fail_job(w->cli, w->model, code, w->status, "interrupted before anything was measured");
    if (w->cli->json && print_json(w, &error) != CAROM_OK)
        return carom_cli_fail(CAROM_EXIT_FAILED, "%s", error.text);
    if (!w->cli->json && !w->cli->quiet)
        print_text(w);
    if (w->status == CAROM_INTERRUPTED)
        carom_cli_fail(code, "interrupted: %ld of %.0f %s were measured, the error bars are those of what there is",
                       w->mean.length, (double)w->request.length * w->starts,
                       w->model->period > 0 ? "periods" : "units of time");
    return code;
}

static int measure(work *w)
{
    carom_error error = {0};
    const double start = carom_wall_time();
    w->request.user = w;
    w->request.go_on = go_on;
    w->request.stop = stop;
    carom_progress_begin(&w->progress, w->cli->quiet ? NULL : stderr, 0,
                         (double)(w->request.length + w->request.transient) * w->starts);
    w->progress.unit = w->model->period > 0 ? "periods" : "units of time";
    carom_cli_catch(NULL);
    w->status = carom_lyapunov_starts(w->model, &w->options, &w->request, w->starts, w->cli->seed, w->cli->threads,
                                      w->each, &w->mean, &error);
    carom_cli_release();
    carom_progress_end(&w->progress);
    w->wall_s = carom_wall_time() - start;
    int code = report(w, &error);
    if (w->writing && carom_stream_close(&w->history, &error) != CAROM_OK && code == CAROM_EXIT_OK)
        code = carom_cli_fail(CAROM_EXIT_FAILED, "%s", error.text);
    return code;
}

static int run(const carom_cli *cli)
{
    work w = {.cli = cli, .request = carom_lyapunov_request_default()};
    int code = carom_cli_load(cli, &w.model, w.note);
    if (code == CAROM_EXIT_OK)
        code = read_options(&w);
    if (code == CAROM_EXIT_OK && !(w.each = calloc((size_t)w.starts, sizeof *w.each)))
        code = carom_cli_fail(CAROM_EXIT_FAILED, "no memory for %d starts", w.starts);
    if (code == CAROM_EXIT_OK)
        code = open_history(&w);
    if (code == CAROM_EXIT_OK)
        code = measure(&w);
    carom_model_free(w.model);
    free(w.each);
    return code;
}

#define OWN(name, argument, doc) {name, NULL, argument, CAROM_CLI_LYAPUNOV, CAROM_CLI_OWN, NULL, 0, doc}
static const carom_cli_option options[] = {
    OWN("--periods", "N", "length of the measurement in periods of the forcing; 1000 if not given"),
    OWN("--time", "T", "length as a time; of a forced model rounded up to whole periods"),
    OWN("--transient", "N",
        "periods (without forcing: units of time) that are run first and not counted; 100 if not given"),
    OWN("--method", "tangent|perturbation",
        "tangent: derivatives of the flow through all events, exact, with the schemes tolerance and exact (the "
        "default). perturbation: displaced copies, with any scheme"),
    OWN("--epsilon", "E",
        "size of the displacements of --method perturbation; 1e-6 if not given; h stands for the step"),
    OWN("--steps", "N", "steps in a period for schemes of fixed step, instead of --h"),
    OWN("--starts", "N",
        "measure from so many starts, in parallel: the model's, then others with velocities changed by --seed"),
    OWN("--exponents", "N", "only the N largest; all if not given"),
    OWN("--parts", "N", "orthonormalise so often in a period; once if not given, and more often where it is needed"),
    OWN("--blocks", "N",
        "the error bars are taken from at most so many blocks, and -o writes so many lines; 100 if not given"),
    {.name = NULL},
};

const carom_cli_command carom_cli_lyapunov_command = {
    "lyapunov", "MODEL", 1, 1, CAROM_CLI_LYAPUNOV, run, "Lyapunov exponents",
    "Measures how fast neighbouring motions part: the Lyapunov exponents per period of the forcing, or per unit of "
    "time. Also the Kaplan-Yorke dimension, impacts per period and how well the sum rule holds. A motion that comes "
    "to rest on a contact forgets where it came from: -infinity (null in JSON), with the flag rest. -o FILE.csv "
    "writes how the means converge. Ctrl-C prints what was measured so far.",
    "carom lyapunov impact-oscillator --periods 20000\n"
    "carom lyapunov impact-oscillator --scheme exact --periods 100000 --starts 4 --json\n"
    "carom lyapunov impact-oscillator --method perturbation --scheme schatzman-paoli --steps 2513 --epsilon h "
    "--periods 300",
    options};
