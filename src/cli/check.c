/* check.c: `carom check`: what was derived from a model, and whether its derivatives are right. */
#include <stdlib.h>

#include "cli/cli.h"
#include "model/check.h"

enum { POINTS = 20 }; /* around the start */

typedef struct findings {
    carom_cli_work work;
    carom_verdict verdict[CAROM_VERDICTS], *verdicts;
    int n, wrong;
    bool ok, differenced;
    char *derived; /* what is said about it */
} findings;

static void print_text(const findings *f)
{
    fputs(f->derived, stdout);
    printf("\nderivatives against finite differences, at the start and at %d points around it\n", POINTS);
    for (int i = 0; i < f->n; i++) {
        const carom_verdict *v = &f->verdict[i];
        printf("  %-6s %-42s %s  (%.1e)%s\n", v->name, v->meaning, v->ok ? "ok   " : "WRONG", v->error,
               v->differenced ? "  by finite differences: the model does not give it" : "");
    }
    if (*f->work.note)
        printf("note: %s\n", f->work.note);
}

static void put_names(carom_json *json, const char *key, const carom_model *model, int n, carom_json_name *name)
{
    char buffer[32];
    carom_json_array(json, key);
    for (int i = 0; i < n; i++)
        carom_json_string(json, NULL, name(model, i, buffer));
    carom_json_end(json);
}

static void put_model(carom_json *json, const char *key, const void *record)
{
    const carom_model *m = ((const findings *)record)->work.model;
    carom_json_string(json, key, m->name);
    put_names(json, "coordinates", m, m->nq, carom_model_q_name);
    carom_json_named(json, "parameters", m, carom_model_p_name, m->p, m->np);
    put_names(json, "joints", m, m->njoint, carom_model_joint_name);
    put_names(json, "contacts", m, m->ncontact, carom_model_contact_name);
    put_names(json, "outputs", m, m->noutput, carom_model_output_name);
}

static const carom_result_field of_verdict[] = {CAROM_CELL("name", CAROM_TEXT, carom_verdict, name),
                                                CAROM_CELL("meaning", CAROM_TEXT, carom_verdict, meaning),
                                                CAROM_CELL("error", CAROM_NUMBER, carom_verdict, error),
                                                CAROM_CELL("ok", CAROM_BOOL, carom_verdict, ok),
                                                CAROM_CELL("differenced", CAROM_BOOL, carom_verdict, differenced),
                                                {.name = NULL}};
static const carom_result_field fields[] = {CAROM_PUT("model", put_model),
                                            CAROM_CELL("derived", CAROM_TEXT, findings, derived),
                                            CAROM_ROWS("derivatives", findings, verdicts, n, carom_verdict, of_verdict),
                                            CAROM_CELL("ok", CAROM_BOOL, findings, ok),
                                            CAROM_OPTIONAL("note", CAROM_CHARS, findings, work.note),
                                            {.name = NULL}};

static carom_status describe(findings *f, carom_error *error)
{
    size_t size;
    FILE *file = open_memstream(&f->derived, &size);
    carom_status status = file ? carom_model_describe(f->work.model, file, error) : CAROM_NO_MEMORY;
    if (!file || ((fclose(file) || !f->derived) && status == CAROM_OK))
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory to describe the model");
    return status;
}

static int inspect(findings *f)
{
    const carom_cli *cli = f->work.cli;
    carom_error error = {0};
    CAROM_CLI_TRY(carom_cli_begin(&f->work));
    carom_status status =
        carom_model_verify(f->work.model, POINTS, (unsigned long)cli->seed, f->verdict, &f->n, &error);
    if (status == CAROM_UNSUPPORTED) { /* there are none, and nothing is wrong */
        snprintf(f->work.note, sizeof f->work.note, "%.199s", error.text);
        f->n = 0, status = CAROM_OK;
    }
    CAROM_CLI_TRY(carom_cli_done(status, &error));
    CAROM_CLI_TRY(carom_cli_done(describe(f, &error), &error));
    for (int i = 0; i < f->n; i++) {
        f->wrong += !f->verdict[i].ok;
        f->differenced |= f->verdict[i].differenced;
    }
    f->ok = f->wrong == 0;
    f->verdicts = f->verdict;
    if (cli->json)
        CAROM_CLI_TRY(carom_cli_json(fields, f));
    else if (!cli->quiet)
        print_text(f);
    if (f->wrong)
        return carom_cli_fail(CAROM_EXIT_UNMET, "%d of %d derivatives do not agree with finite differences", f->wrong,
                              f->n);
    if (cli->strict && f->differenced)
        return carom_cli_fail(CAROM_EXIT_UNMET,
                              "the model leaves out derivatives, finite differences stand in (--strict)");
    return CAROM_EXIT_OK;
}

static int check(const carom_cli *cli)
{
    findings f = {.work.cli = cli};
    int code = inspect(&f);
    free(f.derived);
    carom_model_free(f.work.model);
    return code;
}

const carom_cli_command carom_cli_check_command = {
    "check", "MODEL", 1, 1, CAROM_CLI_CHECK, check,
    "show what is derived from a model and verify its derivatives",
    "Reads MODEL, prints what follows from it (mass matrix, forces, gaps and their derivatives) and compares every "
    "derivative with finite differences at the start and at points around it. Where contacts are found per step there "
    "are no derivatives of the motion, and the rest is shown.",
    "carom check pendulum.yaml\ncarom check slider-crank --assemble", NULL};
