/* converge.c: `carom converge`: errors against step sizes or tolerances, fitted orders, work; --local: the error of
 * one step. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/converge/converge.h"

/* ---- lists ---- */

/* The items of "a,b,c". */
static int split(const carom_cli *cli, const char *option, const char *text, const char ***items, int *n)
{
    *items = carom_cli_split(cli, text, n);
    for (int i = 0; *items && i < *n; i++)
        if (!*(*items)[i])
            return carom_cli_fail(CAROM_EXIT_USAGE, "%s: an item of '%s' is empty", option, text);
    return *items ? CAROM_EXIT_OK : carom_cli_no_memory();
}

/* "0.1:0.001:5": 5 numbers in equal ratios. */
static int read_range(const carom_cli *cli, const char *option, const char *text, const double **numbers, int *n)
{
    char *copy = carom_arena_text(cli->arena, text, strlen(text)), *second = copy ? strchr(copy, ':') : NULL;
    char *third = second ? strchr(second + 1, ':') : NULL;
    double from, to, count;
    if (third)
        *second++ = 0, *third++ = 0;
    if (!third || !carom_number(copy, &from) || !carom_number(second, &to) || !carom_number(third, &count) ||
        !(from > 0) || !(to > 0) || count < 2 || count > 1000 || count != floor(count))
        return carom_cli_fail(
            CAROM_EXIT_USAGE,
            "%s takes numbers A,B,... or FROM:TO:N with positive FROM and TO and N at least 2, not '%s'", option, text);
    double *list = CAROM_NEW(cli->arena, double, (int)count);
    if (!list)
        return carom_cli_no_memory();
    for (int i = 0; i < (int)count; i++)
        list[i] = from * pow(to / from, i / (count - 1));
    *numbers = list, *n = (int)count;
    return CAROM_EXIT_OK;
}

static int read_numbers(const carom_cli *cli, const char *option, const double **numbers, int *n)
{
    const char *text = carom_cli_own(cli, option), **item;
    if (!text)
        return CAROM_EXIT_OK;
    if (strchr(text, ':'))
        return read_range(cli, option, text, numbers, n);
    CAROM_CLI_TRY(split(cli, option, text, &item, n));
    double *list = CAROM_NEW(cli->arena, double, *n);
    for (int i = 0; list && i < *n; i++)
        if (!carom_number(item[i], &list[i]))
            return carom_cli_fail(CAROM_EXIT_USAGE, "%s takes numbers A,B,... or FROM:TO:N, not '%s'", option, text);
    *numbers = list;
    return list ? CAROM_EXIT_OK : carom_cli_no_memory();
}

/* ---- options ---- */
static int read_schemes(carom_cli_converge *c)
{
    const carom_cli *cli = c->run.cli;
    const char *text = carom_cli_own(cli, "--schemes"), **items;
    for (int i = 0; !text && i < cli->nsetting; i++)
        if (!strcmp(cli->setting[i].name, "scheme"))
            text = cli->setting[i].value;
    int n;
    CAROM_CLI_TRY(split(cli, "--schemes", text ? text : "moreau-jean", &items, &n));
    for (int i = 0; i < n; i++) {
        carom_options o = carom_options_default();
        carom_error error = {0};
        if (carom_options_set(&o, "scheme", items[i], &error) != CAROM_OK)
            return carom_cli_fail(CAROM_EXIT_USAGE, "--schemes: %s (see: carom list schemes)", error.text);
    }
    c->request.schemes = c->local.schemes = items, c->request.nscheme = c->local.nscheme = n;
    return CAROM_EXIT_OK;
}

/* What was not said: five step sizes from a fiftieth of the run downwards, five tolerances from 1e-4. */
static int standard_steps(carom_cli_converge *c)
{
    static const double rtol[] = {1e-4, 1e-5, 1e-6, 1e-7, 1e-8};
    double *h = CAROM_NEW(c->run.cli->arena, double, 5), T = c->run.options.t_end > 0 ? c->run.options.t_end : 1;
    if (!h)
        return carom_cli_no_memory();
    for (int i = 0; i < 5; i++)
        h[i] = T / 50 / (1 << i);
    c->request.h = h, c->request.nh = 5;
    c->request.rtol = rtol, c->request.nrtol = 5;
    return CAROM_EXIT_OK;
}

static int read_local(carom_cli_converge *c)
{
    const carom_cli *cli = c->run.cli;
    static const double places[] = {0.1, 0.5, 0.9};
    long impact = 1;
    const carom_cli_count count = {"--impact", 1, 1e6, &impact};
    c->is_local = carom_cli_own(cli, "--local") != NULL;
    c->local.from = carom_cli_own(cli, "--from") != NULL;
    c->local.place = places, c->local.nplace = 3;
    if (!c->is_local && (c->local.from || carom_cli_own(cli, "--impact-at") || carom_cli_own(cli, "--impact")))
        return carom_cli_fail(CAROM_EXIT_USAGE, "--impact-at, --impact and --from belong to --local");
    if (c->local.from && carom_cli_own(cli, "--impact-at"))
        return carom_cli_fail(CAROM_EXIT_USAGE, "--impact-at and --from cannot both be given");
    CAROM_CLI_TRY(read_numbers(cli, c->local.from ? "--from" : "--impact-at", &c->local.place, &c->local.nplace));
    CAROM_CLI_TRY(carom_cli_own_counts(cli, &count, 1));
    c->local.impact = (int)impact - 1;
    return CAROM_EXIT_OK;
}

static int read_options(carom_cli_converge *c)
{
    static const char *const references[] = {"auto", "closed", "exact", "tolerance", NULL};
    static const char *const works[] = {"rhs", "solves", "problems", "cpu", NULL};
    const carom_cli *cli = c->run.cli;
    int reference = 0, work = 0;
    const char *norms = carom_cli_own(cli, "--norms"), ***items = (const char ***)&c->request.norms;
    long shifts = 5;
    const carom_cli_count count = {"--shifts", 1, 100, &shifts};
    CAROM_CLI_TRY(read_schemes(c));
    CAROM_CLI_TRY(read_numbers(cli, "--h", &c->request.h, &c->request.nh));
    CAROM_CLI_TRY(read_numbers(cli, "--rtol", &c->request.rtol, &c->request.nrtol));
    if (c->request.nh + c->request.nrtol == 0)
        CAROM_CLI_TRY(standard_steps(c));
    CAROM_CLI_TRY(split(cli, "--norms", norms ? norms : "L1.q,L1.v", items, &c->request.nnorm));
    CAROM_CLI_TRY(carom_cli_own_choice(cli, "--reference", references, &reference));
    CAROM_CLI_TRY(carom_cli_own_choice(cli, "--work", works, &work));
    CAROM_CLI_TRY(carom_cli_own_counts(cli, &count, 1));
    CAROM_CLI_TRY(read_local(c));
    c->work = (carom_cli_effort)work;
    c->request.shifts = (int)shifts, c->request.reference = c->local.reference = (carom_reference_kind)reference;
    c->request.threads = cli->threads, c->request.options = c->local.options = &c->run.options;
    c->local.h = c->request.h, c->local.nh = c->request.nh;
    return CAROM_EXIT_OK;
}

static int check_output(const carom_cli_converge *c)
{
    const char *o = c->run.cli->output, *svg = carom_cli_own(c->run.cli, "--svg");
    const bool known = carom_ends_with(o, ".csv") || carom_ends_with(o, ".json") || carom_ends_with(o, ".svg");
    if (o && strcmp(o, "-") && !known)
        return carom_cli_fail(CAROM_EXIT_USAGE,
                              "-o '%s': the ending says what is written: .csv, .json or .svg (- is CSV)", o);
    if (c->run.cli->json && o && !strcmp(o, "-"))
        return carom_cli_fail(CAROM_EXIT_USAGE, "--json and -o - would both write to standard output");
    if (c->is_local && (svg || carom_ends_with(o, ".svg")))
        return carom_cli_fail(CAROM_EXIT_USAGE, "--local has no picture");
    if (c->is_local && !c->request.nh)
        return carom_cli_fail(CAROM_EXIT_USAGE, "--local needs step sizes: --h");
    bool paper;
    CAROM_CLI_TRY(carom_cli_paper(c->run.cli, &paper));
    CAROM_CLI_TRY(carom_cli_check_writable(o));
    return carom_cli_check_writable(svg);
}

/* ---- running ---- */
static bool progress(void *user, int done, int runs)
{
    carom_cli_converge *c = user;
    (void)runs;
    carom_progress_step(&c->run.progress, done);
    return !carom_cli_interrupted();
}

static int compute(carom_cli_converge *c)
{
    carom_error error = {0};
    carom_status status;
    if (c->is_local) {
        status = carom_local_run(&c->local, &c->steps, &error);
    } else {
        const char *o = c->run.cli->output;
        if (o && strcmp(o, "-"))
            c->request.journal = carom_arena_format(c->run.cli->arena, "%s.journal", o);
        c->request.progress = progress, c->request.stop = carom_cli_stop, c->request.user = c;
        int most = c->request.nscheme * CAROM_MAX(c->request.nh, c->request.nrtol) * c->request.shifts;
        carom_cli_start(&c->run, 0, most, "runs");
        carom_progress_say(&c->run.progress, "computing the reference, twice ...");
        status = carom_converge_run(&c->request, &c->result, &error);
        carom_cli_finish(&c->run);
    }
    if (status == CAROM_OK)
        return CAROM_EXIT_OK;
    bool usage = status == CAROM_BAD_OPTION || status == CAROM_BAD_ARGUMENT;
    bool kept = status == CAROM_INTERRUPTED && c->request.journal;
    const char *message =
        carom_arena_format(c->run.cli->arena, "%s%s", error.text, kept ? "; the same command goes on from there" : "");
    return carom_cli_fail_job(c->run.cli, c->run.model, usage ? CAROM_EXIT_USAGE : carom_cli_exit(status), status,
                              message ? message : error.text);
}

static int show(const carom_cli_converge *c)
{
    const carom_cli *cli = c->run.cli;
    const char *o = cli->output, *svg = carom_cli_own(cli, "--svg");
    carom_error error = {0};
    carom_status status = CAROM_OK;
    bool to_stdout = o && !strcmp(o, "-");
    if (carom_ends_with(o, ".svg"))
        status = carom_cli_converge_svg(c, o, &error);
    else if (carom_ends_with(o, ".json"))
        status = carom_cli_converge_json(c, o, NULL, &error);
    else if (o)
        status = carom_cli_converge_csv(c, to_stdout ? "standard output" : o, to_stdout ? stdout : NULL, &error);
    if (status == CAROM_OK && svg)
        status = carom_cli_converge_svg(c, svg, &error);
    if (status == CAROM_OK && cli->json)
        status = carom_cli_converge_json(c, "standard output", stdout, &error);
    else if (status == CAROM_OK && !cli->quiet)
        carom_cli_converge_text(c, to_stdout ? stderr : stdout);
    if (status != CAROM_OK)
        return carom_cli_fail(CAROM_EXIT_FAILED, "%s", error.text);
    if (c->result.failed)
        return carom_cli_fail(CAROM_EXIT_UNMET, "%d of %d runs failed, the first: %s", c->result.failed,
                              c->result.nrow / c->request.nnorm, c->result.failure);
    return CAROM_EXIT_OK;
}

static int study(carom_cli_converge *c)
{
    CAROM_CLI_TRY(carom_cli_begin(&c->run));
    c->request.model = c->local.model = c->run.model;
    CAROM_CLI_TRY(read_options(c));
    CAROM_CLI_TRY(check_output(c));
    CAROM_CLI_TRY(compute(c));
    return show(c);
}

static int converge(const carom_cli *cli)
{
    carom_cli_converge c = {.run.cli = cli, .request = {.size = sizeof c.request}, .local = {.size = sizeof c.local}};
    int code = study(&c);
    carom_converge_free(&c.result);
    carom_local_free(&c.steps);
    carom_model_free(c.run.model);
    return code;
}

static const carom_cli_option options[] = {
    CAROM_CLI_OWN_OPTION("--schemes", "A,B:FIELD=VALUE,...",
     "the schemes to compare (carom list schemes); moreau-jean if not given"),
    CAROM_CLI_OWN_OPTION("--h", "LIST",
     "step sizes: A,B,... or FROM:TO:N in equal ratios; if neither is given, five from t_end/50 downwards and "
     "tolerances from 1e-4"),
    CAROM_CLI_OWN_OPTION("--rtol", "LIST",
     "tolerances, likewise; atol follows in proportion. With --h as well, schemes that choose their step take these, "
     "the others h"),
    CAROM_CLI_OWN_OPTION("--norms", "LIST",
     "L1, L2, max, hausdorff or end, of .q, .v or .i (impulses): L1.q,hausdorff.v; grid-, dense- or step- before it, "
     "the name of a coordinate or contact behind it (grid-L2.v, L1.q.x). L1.q,L1.v if not given"),
    CAROM_CLI_OWN_OPTION("--reference", "KIND", "auto, closed, exact or tolerance: what the runs are compared with"),
    CAROM_CLI_OWN_OPTION("--shifts", "N",
        "how many step sizes within 5 % stand for each one; 5 if not given, 1: just the one"),
    CAROM_CLI_OWN_OPTION("--work", "KIND",
        "what the picture shows the error against, beside h: rhs, solves, problems or cpu"),
    CAROM_CLI_OWN_OPTION("--svg", "FILE",
        "also draw a picture: error against h and against work, with slope triangles"),
    CAROM_CLI_OWN_OPTION("--local", NULL, "the error of one step that begins on the reference, with an impact in it"),
    CAROM_CLI_OWN_OPTION("--impact-at", "LIST",
        "--local: where in the step the impact is, in (0, 1]; 0.1,0.5,0.9 if not given"),
    CAROM_CLI_OWN_OPTION("--impact", "N", "--local: which impact of the reference; the first if not given"),
    CAROM_CLI_OWN_OPTION("--from", "LIST", "--local: steps that begin at these times instead, impact or not"),
    {.name = NULL},
};

const carom_cli_command carom_cli_converge_command = {
    "converge", "MODEL", 1, 1, CAROM_CLI_CONVERGE, converge, "measure errors and orders of schemes",
    "Runs MODEL with every scheme and step size (or tolerance), compares each run with a reference in every norm, and "
    "fits the orders. Through impacts the error of one sequence of steps is erratic: each step size stands for "
    "several nearby, the order is that of their mean error, and its spread is half the range over the single "
    "sequences. The reference is a closed form where one is known, else the scheme exact, else tolerance at 1e-13, "
    "and it is checked by a second method. -o writes all rows (.csv, .json) or a picture (.svg); a study that was "
    "interrupted goes on where it stopped when the same command is given again. Ctrl-C waits for the runs under way, "
    "a second one does not.",
    "carom converge linear-oscillator --schemes moreau-jean,mixed:rk=radau5 --h 0.04:0.0025:5 --norms "
    "L1.q,hausdorff.v\n"
    "carom converge bouncing-ball --schemes tolerance --rtol 1e-4,1e-6,1e-8 --norms max.q --json\n"
    "carom converge ball --local --schemes moreau-jean:gamma=0,moreau-jean:gamma=1 --h 0.1:0.001:6 --impact-at 0.1,0.9",
    options};
