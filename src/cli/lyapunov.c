/* lyapunov.c: `carom lyapunov`: the spectrum of Lyapunov exponents, of one start or several; Ctrl-C prints what there
 * is. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "carom_analysis.h"
#include "cli/cli.h"

typedef struct work {
    carom_cli_work run;
    carom_lyapunov_request request;
    carom_lyapunov_result mean, *each; /* [starts] */
    int starts;
    carom_stream history;
    bool writing, differ;
    double epsilon;                          /* of a perturbation, else NAN */
    const char *name, *method, *status, *per; /* for people */
} work;

/* ---- options ---- */

static bool periodic(const work *w)
{
    return w->run.model->period > 0;
}

static const char *units(const work *w)
{
    return periodic(w) ? "periods" : "units of time";
}

/* --periods, or --time in whole periods. */
static int read_length(work *w)
{
    const carom_cli *cli = w->run.cli;
    const char *periods = carom_cli_own(cli, "--periods"), *time = carom_cli_own(cli, "--time");
    double unit = periodic(w) ? w->run.model->period : 1, number = (double)w->request.length;
    const carom_cli_count length = {"--periods", 1, 1e15, &w->request.length};
    if (periods && time)
        return carom_cli_fail(CAROM_EXIT_USAGE, "--periods and --time cannot both be given");
    if (periods && !periodic(w))
        return carom_cli_fail(CAROM_EXIT_USAGE, "model '%s' has no period; give --time", w->run.model->name);
    if (!time)
        return carom_cli_own_counts(cli, &length, 1);
    CAROM_CLI_TRY(carom_cli_own_number(cli, "--time", 0, 1e15, &number));
    w->request.length = (long)fmax(1, ceil(number / unit - 1e-9));
    return CAROM_EXIT_OK;
}

static int read_method(work *w)
{
    static const char *const names[] = {"tangent", "perturbation", NULL};
    const carom_cli *cli = w->run.cli;
    const char *method = carom_cli_own(cli, "--method"), *epsilon = carom_cli_own(cli, "--epsilon");
    int choice = CAROM_LYAPUNOV_TANGENT;
    while (method && names[choice] && strcmp(method, names[choice]))
        choice++;
    if (!names[choice])
        return carom_cli_unknown("method", method, names, "lyapunov");
    w->request.method = (carom_lyapunov_method)choice;
    w->method = names[choice];
    if (epsilon && choice == CAROM_LYAPUNOV_TANGENT)
        return carom_cli_fail(CAROM_EXIT_USAGE, "--epsilon belongs to --method perturbation; tangents are exact");
    if (epsilon && !strcmp(epsilon, "h"))
        w->request.epsilon = w->run.options.h > 0 ? w->run.options.h : w->run.model->period / 1000;
    else
        CAROM_CLI_TRY(carom_cli_own_number(cli, "--epsilon", DBL_MIN, DBL_MAX, &w->request.epsilon));
    return CAROM_EXIT_OK;
}

static int read_options(work *w)
{
    long starts = 1, exponents = 0, parts = 0, steps = 0, blocks = w->request.blocks;
    const carom_cli_count counts[] = {{"--steps", 1, 1e9, &steps},
                                      {"--transient", 0, 1e15, &w->request.transient},
                                      {"--starts", 1, 1e6, &starts},
                                      {"--exponents", 1, CAROM_EXPONENTS_MAX, &exponents},
                                      {"--parts", 1, 1e6, &parts},
                                      {"--blocks", 2, 1e6, &blocks}};
    CAROM_CLI_TRY(carom_cli_own_counts(w->run.cli, counts, CAROM_COUNT(counts)));
    if (steps > 0)
        w->run.options.h = (periodic(w) ? w->run.model->period : 1) / (double)steps;
    CAROM_CLI_TRY(read_length(w));
    CAROM_CLI_TRY(read_method(w));
    w->request.exponents = (int)exponents;
    w->request.parts = (int)parts;
    w->request.blocks = (int)blocks;
    w->starts = (int)starts;
    w->run.options.energy = false;
    w->each = CAROM_NEW(w->run.cli->arena, carom_lyapunov_result, starts);
    return w->each ? CAROM_EXIT_OK : carom_cli_fail(CAROM_EXIT_FAILED, "no memory for %d starts", w->starts);
}

/* ---- while it runs ---- */

static bool go_on(void *user, long done)
{
    work *w = user;
    carom_progress_step(&w->run.progress, (double)done);
    return !carom_cli_interrupted();
}

static void put_history(void *user, long done, int n, const double *mean)
{
    work *w = user;
    carom_stream_format(&w->history, "%ld,", done);
    carom_stream_csv_numbers(&w->history, mean, n);
    carom_stream_mark(&w->history);
}

static int open_history(work *w)
{
    const carom_cli *cli = w->run.cli;
    const char *path = cli->output;
    carom_error error = {0};
    if (!path)
        return CAROM_EXIT_OK;
    if (strcmp(path, "-") != 0 && !carom_ends_with(path, ".csv"))
        return carom_cli_fail(CAROM_EXIT_USAGE,
                              "-o takes a file that ends in .csv: how the exponents converge, not '%s'", path);
    FILE *stream = carom_cli_stream(&path);
    CAROM_CLI_TRY(carom_cli_done(carom_stream_open(&w->history, path, stream, &error), &error));
    w->writing = true;
    w->request.history = put_history;
    carom_stream_string(&w->history, periodic(w) ? "periods" : "time");
    int n = w->request.exponents ? w->request.exponents : 2 * w->run.model->nv - 2 * w->run.model->njoint;
    for (int i = 0; i < CAROM_MIN(n, CAROM_EXPONENTS_MAX); i++)
        carom_stream_format(&w->history, ",lambda%d", i + 1);
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

static const carom_result_field measured[] = {
    CAROM_COUNTED("exponents", CAROM_ARRAY, carom_lyapunov_result, exponent, n, double),
    CAROM_COUNTED("stderr", CAROM_ARRAY, carom_lyapunov_result, error, n, double),
    CAROM_CELL("impacts_per_period", CAROM_NUMBER, carom_lyapunov_result, impacts),
    CAROM_CELL("sum_rule_defect", CAROM_NUMBER, carom_lyapunov_result, sum_rule_defect),
    CAROM_CELL("kaplan_yorke", CAROM_NUMBER, carom_lyapunov_result, kaplan_yorke),
    CAROM_CELL("flag", CAROM_TEXT, carom_lyapunov_result, flag),
    CAROM_CELL("regular", CAROM_BOOL, carom_lyapunov_result, regular),
    {.name = NULL}};

/* A start that was not reached has measured nothing. */
static void put_start(carom_json *json, const char *key, const void *record)
{
    const carom_lyapunov_result *r = record;
    carom_json_integer(json, key, r->length);
    if (r->length)
        carom_json_fields(json, measured, r);
}

static const carom_result_field of_start[] = {CAROM_PUT("length", put_start), {.name = NULL}};
static const carom_result_field fields[] = {
    CAROM_CELL("model", CAROM_TEXT, work, name),
    CAROM_CELL("scheme", CAROM_CHARS, work, run.options.scheme),
    CAROM_CELL("method", CAROM_TEXT, work, method),
    CAROM_OPTIONAL("epsilon", CAROM_NUMBER, work, epsilon),
    CAROM_CELL("status", CAROM_TEXT, work, status),
    CAROM_CELL("per", CAROM_TEXT, work, per),
    CAROM_CELL("unit", CAROM_NUMBER, work, mean.per),
    {.name = "", .cell = CAROM_FIELDS, .offset = offsetof(work, mean), .fields = measured},
    CAROM_CELL("slowest_impact", CAROM_NUMBER, work, mean.slowest),
    CAROM_CELL("validity_radius", CAROM_NUMBER, work, mean.radius),
    CAROM_CELL("grazing", CAROM_LONG, work, mean.grazing),
    CAROM_CELL("length", CAROM_LONG, work, mean.length),
    CAROM_CELL("transient", CAROM_LONG, work, request.transient),
    CAROM_ROWS("starts", work, each, starts, carom_lyapunov_result, of_start),
    CAROM_CELL("starts_differ", CAROM_BOOL, work, differ),
    CAROM_CELL("wall_s", CAROM_NUMBER, work, run.wall_s),
    {.name = NULL}};

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
    const char *unit = periodic(w) ? "period" : "unit of time";
    printf("%s: Lyapunov exponents per %s", w->name, unit);
    if (periodic(w))
        printf(" (T = %.10g)", r->per);
    printf(", by %s with %s\n", w->request.method == CAROM_LYAPUNOV_PERTURBATION ? "perturbation" : "the tangent flow",
           w->run.options.scheme);
    for (int i = 0; i < r->n; i++)
        print_exponent(i, r->exponent[i], r->error[i]);
    printf("  Kaplan-Yorke dimension  %.6g\n", r->kaplan_yorke);
    printf("  impacts per %s  %.6g", unit, r->impacts);
    if (isfinite(r->slowest))
        printf(", the slowest at %.2g", r->slowest);
    printf("\n");
    if (isfinite(r->sum_rule_defect))
        printf("  sum rule holds to       %.1e\n", r->sum_rule_defect);
    printf("  measured over           %ld %s after a transient of %ld", r->length, units(w),
           w->request.transient);
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
    if (w->differ)
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

static int report(work *w, carom_status status, const carom_error *failure)
{
    const carom_cli *cli = w->run.cli;
    int code = carom_cli_exit(status);
    if (status != CAROM_OK && status != CAROM_INTERRUPTED)
        return carom_cli_fail_job(cli, w->run.model, code == CAROM_EXIT_OK ? CAROM_EXIT_FAILED : code, status,
                                  failure->text);
    if (w->mean.length == 0)
        return carom_cli_fail_job(cli, w->run.model, code, status, "interrupted before anything was measured");
    w->name = w->run.model->name;
    w->epsilon = w->request.method == CAROM_LYAPUNOV_PERTURBATION ? w->request.epsilon : NAN;
    w->status = carom_status_text(status);
    w->per = periodic(w) ? "period" : "time";
    w->differ = starts_differ(w);
    if (cli->json)
        CAROM_CLI_TRY(carom_cli_json(fields, w));
    else if (!cli->quiet)
        print_text(w);
    if (status == CAROM_INTERRUPTED)
        carom_cli_fail(code, "interrupted: %ld of %.0f %s were measured, the error bars are those of what there is",
                       w->mean.length, (double)w->request.length * w->starts, units(w));
    return code;
}

static int measure(work *w)
{
    const carom_cli *cli = w->run.cli;
    carom_error error = {0};
    w->request.user = w;
    w->request.go_on = go_on;
    w->request.stop = carom_cli_stop;
    carom_cli_start(&w->run, 0, (double)(w->request.length + w->request.transient) * w->starts, units(w));
    carom_status status = carom_lyapunov_starts(w->run.model, &w->run.options, &w->request, w->starts, cli->seed,
                                                cli->threads, w->each, &w->mean, &error);
    carom_cli_finish(&w->run);
    int code = report(w, status, &error);
    int written = CAROM_EXIT_OK;
    if (w->writing && (status == CAROM_OK || status == CAROM_INTERRUPTED))
        written = carom_cli_done(carom_stream_close(&w->history, &error), &error);
    else if (w->writing)
        carom_stream_drop(&w->history);
    return code == CAROM_EXIT_OK ? written : code;
}

static int prepare(work *w)
{
    CAROM_CLI_TRY(carom_cli_begin(&w->run));
    CAROM_CLI_TRY(read_options(w));
    return open_history(w);
}

static int lyapunov(const carom_cli *cli)
{
    work w = {.run.cli = cli, .request = carom_lyapunov_request_default()};
    int code = prepare(&w);
    if (code == CAROM_EXIT_OK)
        code = measure(&w);
    carom_model_free(w.run.model);
    return code;
}

static const carom_cli_option options[] = {
    CAROM_CLI_OWN_OPTION("--periods", "N", "length of the measurement in periods of the forcing; 1000 if not given"),
    CAROM_CLI_OWN_OPTION("--time", "T", "length as a time; of a forced model rounded up to whole periods"),
    CAROM_CLI_OWN_OPTION("--transient", "N",
        "periods (without forcing: units of time) that are run first and not counted; 100 if not given"),
    CAROM_CLI_OWN_OPTION("--method", "tangent|perturbation",
        "tangent: derivatives of the flow through all events, exact, with the schemes tolerance and exact (the "
        "default). perturbation: displaced copies, with any scheme"),
    CAROM_CLI_OWN_OPTION("--epsilon", "E",
        "size of the displacements of --method perturbation; 1e-6 if not given; h stands for the step"),
    CAROM_CLI_OWN_OPTION("--steps", "N", "steps in a period for schemes of fixed step, instead of --h"),
    CAROM_CLI_OWN_OPTION("--starts", "N",
        "measure from so many starts, in parallel: the model's, then others with velocities changed by --seed"),
    CAROM_CLI_OWN_OPTION("--exponents", "N", "only the N largest; all if not given"),
    CAROM_CLI_OWN_OPTION("--parts", "N",
        "orthonormalise so often in a period; once if not given, and more often where it is needed"),
    CAROM_CLI_OWN_OPTION("--blocks", "N",
        "the error bars are taken from at most so many blocks, and -o writes so many lines; 100 if not given"),
    {.name = NULL},
};

const carom_cli_command carom_cli_lyapunov_command = {
    "lyapunov", "MODEL", 1, 1, CAROM_CLI_LYAPUNOV, lyapunov, "Lyapunov exponents",
    "Measures how fast neighbouring motions part: the Lyapunov exponents per period of the forcing, or per unit of "
    "time. Also the Kaplan-Yorke dimension, impacts per period and how well the sum rule holds. A motion that comes "
    "to rest on a contact forgets where it came from: -infinity (null in JSON), with the flag rest. -o FILE.csv "
    "writes how the means converge. Ctrl-C prints what was measured so far.",
    "carom lyapunov impact-oscillator --periods 20000\n"
    "carom lyapunov impact-oscillator --scheme exact --periods 100000 --starts 4 --json\n"
    "carom lyapunov impact-oscillator --method perturbation --scheme schatzman-paoli --steps 2513 --epsilon h "
    "--periods 300",
    options};
