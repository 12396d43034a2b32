/* gradient.c: `carom gradient`: derivatives of what a run ends with, beside the same by differences. */
#include <math.h>
#include <string.h>

#include "analysis/gradient/gradient.h"
#include "cli/cli.h"

enum { KINDS = 4 }; /* of a derivative that holds for one side only */

typedef struct work {
    carom_cli_work run;
    carom_gradient gradient;
    const char *name, *of, *warning;
    const char **one_sided, *notes[KINDS];
    int sided, nnote;
} work;

/* The names of --with-respect-to, or all there are. */
static int read_names(work *w)
{
    carom_arena *arena = w->run.cli->arena;
    const carom_model *model = w->run.model;
    const char *text = carom_cli_own(w->run.cli, "--with-respect-to"), **list;
    carom_gradient *g = &w->gradient;
    char buffer[32];
    if (text) {
        list = carom_cli_split(w->run.cli, text, &g->n);
    } else {
        list = CAROM_NEW(arena, const char *, model->np + model->nq + model->nv + 1);
        for (int i = 0; list && i < model->np; i++)
            list[g->n++] = carom_arena_format(arena, "%s", carom_model_p_name(model, i, buffer));
        for (int i = 0; list && i < model->nq + model->nv; i++)
            list[g->n++] = carom_arena_format(arena, i < model->nq ? "q.%s" : "v.%s",
                                              i < model->nq ? carom_model_q_name(model, i, buffer)
                                                            : carom_model_v_name(model, i - model->nq, buffer));
    }
    g->name = list;
    g->slope = CAROM_NEW(arena, double, g->n);
    g->difference = CAROM_NEW(arena, double, g->n);
    g->side = CAROM_NEW(arena, unsigned char, g->n);
    w->one_sided = CAROM_NEW(arena, const char *, g->n + 1);
    return list && g->slope && g->difference && g->side && w->one_sided ? CAROM_EXIT_OK : carom_cli_no_memory();
}

/* What --of asks for. */
static int read_target(work *w)
{
    const char *of = w->of;
    carom_error error = {0};
    double number;
    w->gradient.of = of;
    if (strncmp(of, "event:", 6) != 0) {
        carom_quantity quantity = {0};
        const carom_status status = carom_quantity_find(&quantity, w->run.model, of, &error);
        carom_quantity_free(&quantity);
        return status == CAROM_OK ? CAROM_EXIT_OK : carom_cli_fail(CAROM_EXIT_USAGE, "--of: %s", error.text);
    }
    if (!carom_number(of + 6, &number) || !(number >= 1 && number <= 1e9) || number != (double)(long)number)
        return carom_cli_fail(CAROM_EXIT_USAGE, "--of event:N takes a positive integer, not '%s'", of + 6);
    w->gradient.event = (long)number;
    return CAROM_EXIT_OK;
}

static const char *warning(unsigned flags)
{
    if (flags & CAROM_TANGENT_NONE)
        return "several contacts are struck at once and the result jumps there: it has no derivative";
    if (flags & CAROM_TANGENT_BEYOND)
        return "an event was passed whose derivative is not known: the derivatives are not valid";
    if (flags & CAROM_TANGENT_ONE_SIDED)
        return "several contacts are struck at once: the derivatives hold for one order of the impacts";
    if (flags & CAROM_TANGENT_GRAZING)
        return "a contact is nearly grazed: the derivatives hold for tiny changes only";
    return NULL;
}

/* A sentence for each kind of kink that the run begins or ends at. */
static void add_note(work *w, unsigned kind)
{
    const carom_gradient *g = &w->gradient;
    carom_arena *arena = w->run.cli->arena;
    const char *list = NULL;
    char buffer[32];
    for (int k = 0; k < g->n; k++)
        if (g->side[k] & kind)
            list = list ? carom_arena_format(arena, "%s, %s", list, g->name[k]) : g->name[k];
    if (!list)
        return;
    const int contact = kind == CAROM_SIDE_END ? g->end_contact : g->start_contact;
    const char *name = kind != CAROM_SIDE_SWITCH ? carom_model_contact_name(w->run.model, contact, buffer) : "";
    const char *begins = kind == CAROM_SIDE_START  ? "the run begins with contact '%s' touched"
                         : kind == CAROM_SIDE_REST ? "the run begins with contact '%s' closed"
                         : kind == CAROM_SIDE_END  ? "the run ends at an event of contact '%s'"
                         : "the run begins where a function of the model changes its branch%s";
    const char *means = kind == CAROM_SIDE_START  ? "hold for one side only"
                        : kind == CAROM_SIDE_REST ? "are those of motions that keep it closed"
                        : kind == CAROM_SIDE_END  ? "hold for one side only, and what jumps there has none"
                                                  : "may hold for one side only";
    char where[600];
    snprintf(where, sizeof where, begins, name);
    w->notes[w->nnote++] = carom_arena_format(arena, "%s: derivatives with respect to %s %s", where, list, means);
}

static void put_differences(carom_json *json, const char *key, const void *record)
{
    const carom_gradient *g = &((const work *)record)->gradient;
    carom_json_values(json, "gradient", g->name, g->slope, g->n);
    if (g->check)
        carom_json_values(json, key, g->name, g->difference, g->n);
}

static void put_notes(carom_json *json, const char *key, const void *record)
{
    const work *w = record;
    carom_json_texts(json, key, w->notes, w->nnote);
}

static const carom_result_field fields[] = {
    CAROM_CELL("model", CAROM_TEXT, work, name),
    CAROM_CELL("of", CAROM_TEXT, work, of),
    CAROM_CELL("value", CAROM_NUMBER, work, gradient.value),
    CAROM_PUT("differences", put_differences),
    CAROM_CELL("radius", CAROM_NUMBER, work, gradient.radius),
    CAROM_CELL("warning", CAROM_TEXT, work, warning),
    CAROM_COUNTED("one_sided", CAROM_TEXTS, work, one_sided, sided, char *),
    CAROM_PUT("notes", put_notes),
    {.name = NULL}};

static void print_text(const work *w)
{
    const carom_gradient *g = &w->gradient;
    printf("%s = %.15g\n\n  %-16s %22s", w->of, g->value, "d/d", "derivative");
    printf(g->check ? " %22s  difference\n" : "\n", "by differences");
    for (int i = 0; i < g->n; i++) {
        printf("  %-16s %22.14g", g->name[i], g->slope[i]);
        if (g->check && isnan(g->difference[i]))
            printf(" %22s", "do not settle");
        else if (g->check)
            printf(" %22.14g  %.1e", g->difference[i], fabs(g->difference[i] - g->slope[i]));
        putchar('\n');
    }
    if (w->warning)
        printf("\nnote: %s\n", w->warning);
    for (int i = 0; i < w->nnote; i++)
        printf("\nnote: %s\n", w->notes[i]);
}

static int compute(work *w)
{
    const carom_cli *cli = w->run.cli;
    carom_gradient *g = &w->gradient;
    carom_error error = {0};
    if (!w->of)
        return carom_cli_fail(CAROM_EXIT_USAGE, "gradient needs --of EXPR; see: carom help gradient");
    CAROM_CLI_TRY(carom_cli_begin(&w->run));
    CAROM_CLI_TRY(read_target(w));
    CAROM_CLI_TRY(read_names(w));
    carom_cli_sharpen(cli, &w->run.options, 1e-11);
    w->run.options.energy = false;
    carom_status status = carom_gradient_run(g, w->run.model, &w->run.options, &error);
    if (status == CAROM_OK && !isfinite(g->value))
        status = carom_fail(&error, CAROM_NOT_FINITE,
                            "the value at the end of the run is not finite: it has no derivatives");
    if (status != CAROM_OK)
        return carom_cli_fail_job(cli, w->run.model,
                                  status == CAROM_BAD_ARGUMENT ? CAROM_EXIT_USAGE
                                  : status == CAROM_STOPPED    ? CAROM_EXIT_FAILED
                                                               : carom_cli_exit(status),
                                  status, *error.text ? error.text : carom_status_text(status));
    w->name = w->run.model->name;
    w->warning = warning(g->flags);
    for (int i = 0; i < g->n; i++)
        if (g->side[i])
            w->one_sided[w->sided++] = g->name[i];
    for (unsigned kind = CAROM_SIDE_START; kind <= CAROM_SIDE_END; kind <<= 1)
        add_note(w, kind);
    if (cli->json)
        return carom_cli_json(fields, w);
    print_text(w);
    return CAROM_EXIT_OK;
}

static int gradient(const carom_cli *cli)
{
    work w = {.run.cli = cli, .of = carom_cli_own(cli, "--of"),
              .gradient = {.size = sizeof w.gradient, .check = !carom_cli_own(cli, "--no-check")}};
    int code = compute(&w);
    carom_model_free(w.run.model);
    return code;
}

static const carom_cli_option options[] = {
    CAROM_CLI_OWN_OPTION("--of", "EXPR",
     "what is differentiated: an expression of the state at t_end (y, y', t, parameters); a force there "
     "(ground.reaction, ground.reaction_t, rod.reaction of a joint); or event:N, the time of the N-th event"),
    CAROM_CLI_OWN_OPTION("--with-respect-to", "NAME,...",
     "parameters, and initial values as q.y or v.y; everything if not given. A parameter carries along the initial "
     "values that depend on it"),
    CAROM_CLI_OWN_OPTION("--no-check", NULL, "do not compare with differences (eight more runs for each name)"),
    {.name = NULL},
};

const carom_cli_command carom_cli_gradient_command = {
    "gradient", "MODEL", 1, 1, CAROM_CLI_GRADIENT, gradient, "derivatives of a result, exact through impacts",
    "Runs MODEL until t_end and prints the derivatives of an expression of the final state, or of the time of an "
    "event, with respect to parameters and initial values. They come from the tangent flow, which is exact through "
    "impacts, contact and friction, and are checked by differences of the fourth order. The scheme must locate its "
    "events (tolerance, exact). Without --rtol and --atol the run uses 1e-11.",
    "carom gradient bouncing-ball --t-end 1 --of y --with-respect-to e,g,q.y\n"
    "carom gradient bouncing-ball --of event:3 --with-respect-to e --json",
    options};
