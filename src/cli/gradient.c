/* gradient.c: `carom gradient`: derivatives of what a run ends with, beside the same by differences. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/gradient/gradient.h"
#include "cli/cli.h"
#include "output/output.h"

static const carom_cli_option options[] = {
    {"--of", NULL, "EXPR", 0, CAROM_CLI_OWN, NULL, 0,
     "what is differentiated: an expression of the state at t_end (y, y', t, parameters), or event:N, the time of the "
     "N-th event"},
    {"--with-respect-to", NULL, "NAME,...", 0, CAROM_CLI_OWN, NULL, 0,
     "parameters, and initial values as q.y or v.y; everything if not given. A parameter carries along the initial "
     "values that depend on it"},
    {"--no-check", NULL, NULL, 0, CAROM_CLI_OWN, NULL, 0,
     "do not compare with differences (eight more runs for each name)"},
    {.name = NULL},
};

const carom_cli_command carom_cli_gradient_command = {
    "gradient", "MODEL", 1, 1, CAROM_CLI_GRADIENT, carom_cli_gradient, "derivatives of a result, exact through impacts",
    "Runs MODEL until t_end and prints the derivatives of an expression of the final state, or of the time of an "
    "event, with respect to parameters and initial values. They come from the tangent flow, which is exact through "
    "impacts, contact and friction, and are checked by differences of the fourth order. The scheme must locate its "
    "events (tolerance, exact). Without --rtol and --atol the run uses 1e-11.",
    "carom gradient bouncing-ball --t-end 1 --of y --with-respect-to e,g,q.y\n"
    "carom gradient bouncing-ball --of event:3 --with-respect-to e --json",
    options};

/* The names of --with-respect-to, or all there are. */
static int names(const carom_cli *cli, const carom_model *model, const char ***list, int *n)
{
    const char *text = carom_cli_own(cli, "--with-respect-to");
    int most = model->np + model->nq + model->nv;
    char buffer[32];
    for (const char *c = text; c && *c; c++)
        most += *c == ',';
    *n = 0;
    *list = CAROM_NEW(cli->arena, const char *, most + 1);
    if (!*list)
        return carom_cli_fail(CAROM_EXIT_FAILED, "no memory");
    for (const char *c = text; c;) {
        size_t length = strcspn(c, ",");
        (*list)[(*n)++] = carom_arena_text(cli->arena, c, length);
        c = c[length] ? c + length + 1 : NULL;
    }
    for (int i = 0; !text && i < model->np; i++)
        (*list)[(*n)++] = carom_arena_format(cli->arena, "%s", carom_model_p_name(model, i, buffer));
    for (int i = 0; !text && i < model->nq + model->nv; i++)
        (*list)[(*n)++] = carom_arena_format(cli->arena, i < model->nq ? "q.%s" : "v.%s",
                                             carom_model_q_name(model, i % model->nq, buffer));
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

/* A sentence for each kind of kink that the run begins or ends at; NULL: there is none of this kind. */
static const char *side_note(const carom_cli *cli, const carom_gradient *g, const carom_model *model, unsigned kind)
{
    const char *list = NULL;
    char buffer[32];
    for (int k = 0; k < g->n; k++)
        if (g->side[k] & kind)
            list = list ? carom_arena_format(cli->arena, "%s, %s", list, g->name[k]) : g->name[k];
    if (!list)
        return NULL;
    const int contact = kind == CAROM_SIDE_END ? g->end_contact : g->start_contact;
    const char *name = kind != CAROM_SIDE_SWITCH ? carom_model_contact_name(model, contact, buffer) : "";
    return kind == CAROM_SIDE_START
               ? carom_arena_format(
                     cli->arena,
                     "the run begins with contact '%s' touched: derivatives with respect to %s hold for one side only",
                     name, list)
           : kind == CAROM_SIDE_REST
               ? carom_arena_format(
                     cli->arena,
                     "the run begins with contact '%s' closed: derivatives with respect to %s are those of motions "
                     "that "
                     "keep it closed",
                     name, list)
           : kind == CAROM_SIDE_SWITCH
               ? carom_arena_format(
                     cli->arena,
                     "the run begins where a function of the model changes its branch: derivatives with respect to %s "
                     "may hold for one side only",
                     list)
               : carom_arena_format(
                     cli->arena,
                     "the run ends at an event of contact '%s': derivatives with respect to %s hold for one side only, "
                     "and what jumps there has none",
                     name, list);
}

static int print_json(const carom_cli *cli, const carom_gradient *g, const carom_model *model, const char *of)
{
    carom_error error = {0};
    carom_json *json;
    if (carom_json_new(&json, "standard output", stdout, true, &error) != CAROM_OK)
        return carom_cli_fail(CAROM_EXIT_FAILED, "%s", error.text);
    carom_json_object(json, NULL);
    carom_json_string(json, "model", model->name);
    carom_json_string(json, "of", of);
    carom_json_number(json, "value", g->value);
    carom_json_object(json, "gradient");
    for (int i = 0; i < g->n; i++)
        carom_json_number(json, g->name[i], g->slope[i]);
    carom_json_end(json);
    if (g->check) {
        carom_json_object(json, "differences");
        for (int i = 0; i < g->n; i++)
            carom_json_number(json, g->name[i], g->difference[i]);
        carom_json_end(json);
    }
    carom_json_number(json, "radius", g->radius);
    carom_json_string(json, "warning", warning(g->flags));
    carom_json_array(json, "one_sided");
    for (int i = 0; i < g->n; i++)
        if (g->side[i])
            carom_json_string(json, NULL, g->name[i]);
    carom_json_end(json);
    carom_json_array(json, "notes");
    for (unsigned kind = CAROM_SIDE_START; kind <= CAROM_SIDE_END; kind <<= 1)
        if (side_note(cli, g, model, kind))
            carom_json_string(json, NULL, side_note(cli, g, model, kind));
    carom_json_end(json);
    carom_json_end(json);
    return carom_json_close(json, &error) == CAROM_OK ? CAROM_EXIT_OK
                                                      : carom_cli_fail(CAROM_EXIT_FAILED, "%s", error.text);
}

static void print_text(const carom_cli *cli, const carom_gradient *g, const carom_model *model, const char *of)
{
    printf("%s = %.15g\n\n  %-16s %22s", of, g->value, "d/d", "derivative");
    printf(g->check ? " %22s  difference\n" : "\n", "by differences");
    for (int i = 0; i < g->n; i++) {
        printf("  %-16s %22.14g", g->name[i], g->slope[i]);
        if (g->check && isnan(g->difference[i]))
            printf(" %22s", "do not settle");
        else if (g->check)
            printf(" %22.14g  %.1e", g->difference[i], fabs(g->difference[i] - g->slope[i]));
        putchar('\n');
    }
    if (warning(g->flags))
        printf("\nnote: %s\n", warning(g->flags));
    for (unsigned kind = CAROM_SIDE_START; kind <= CAROM_SIDE_END; kind <<= 1)
        if (side_note(cli, g, model, kind))
            printf("\nnote: %s\n", side_note(cli, g, model, kind));
}

/* What --of asks for. */
static int read_target(const carom_model *model, const char *of, carom_gradient *g)
{
    carom_error error = {0};
    double number;
    if (!strncmp(of, "event:", 6)) {
        if (!carom_number(of + 6, &number) || !(number >= 1 && number <= 1e9) || number != (double)(long)number)
            return carom_cli_fail(CAROM_EXIT_USAGE, "--of event:N takes a positive integer, not '%s'", of + 6);
        g->event = (long)number;
        return CAROM_EXIT_OK;
    }
    if (carom_model_expression_text(model, of, &g->expression, &error) != CAROM_OK)
        return carom_cli_fail(CAROM_EXIT_USAGE, "--of: %s", error.text);
    return CAROM_EXIT_OK;
}

int carom_cli_gradient(const carom_cli *cli)
{
    carom_model *model = NULL;
    carom_options run;
    carom_error error = {0};
    carom_gradient g = {.check = !carom_cli_own(cli, "--no-check")};
    char note[200];
    const char *of = carom_cli_own(cli, "--of"), **list = NULL;
    if (!of)
        return carom_cli_fail(CAROM_EXIT_USAGE, "gradient needs --of EXPR; see: carom help gradient");
    int code = carom_cli_load(cli, &model, note);
    if (code == CAROM_EXIT_OK)
        code = carom_cli_settings(cli, model, &run);
    if (code == CAROM_EXIT_OK)
        code = read_target(model, of, &g);
    if (code == CAROM_EXIT_OK)
        code = names(cli, model, &list, &g.n);
    if (code == CAROM_EXIT_OK) {
        carom_cli_sharpen(cli, &run, 1e-11);
        run.energy = false;
        g.name = list;
        g.slope = CAROM_NEW(cli->arena, double, g.n);
        g.difference = CAROM_NEW(cli->arena, double, g.n);
        g.side = CAROM_NEW(cli->arena, unsigned char, g.n);
        carom_status status =
            g.slope && g.difference && g.side ? carom_gradient_run(&g, model, &run, &error) : CAROM_NO_MEMORY;
        if (status == CAROM_STOPPED)
            code = carom_cli_fail_job(cli, model, CAROM_EXIT_FAILED, status, error.text);
        else if (status == CAROM_OK && !isfinite(g.value))
            code = carom_cli_fail_job(cli, model, CAROM_EXIT_FAILED, CAROM_NOT_FINITE,
                                      "the value at the end of the run is not finite: it has no derivatives");
        else if (status != CAROM_OK)
            code =
                carom_cli_fail_job(cli, model, status == CAROM_BAD_ARGUMENT ? CAROM_EXIT_USAGE : carom_cli_exit(status),
                                   status, *error.text ? error.text : carom_status_text(status));
        else if (cli->json)
            code = print_json(cli, &g, model, of);
        else
            print_text(cli, &g, model, of);
    }
    carom_model_free(model);
    return code;
}
