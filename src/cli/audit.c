/* audit.c: `carom audit`: a trajectory file checked against its model, whatever scheme wrote it. */
#include <string.h>

#include "cli/cli.h"
#include "model/model.h"
#include "output/audit/audit.h"

typedef struct work {
    carom_cli_work run;
    carom_columns *table;
    carom_audit audit;
    const char *file, *name, *verdict;
} work;

/* The parameters of the run, but for those of the command line. */
static int take_parameters(work *w)
{
    const carom_columns *t = w->table;
    carom_model *model = w->run.model;
    carom_error error = {0};
    for (int i = 0; i < t->nparameter; i++) {
        const char *name = t->parameter[i];
        bool given = false;
        for (int k = 0; k < w->run.cli->nparameter; k++)
            given |= !strcmp(w->run.cli->parameter[k], name);
        if (!given && carom_model_set(model, &name, &t->value[i], 1, &error) != CAROM_OK)
            return carom_cli_fail(CAROM_EXIT_FAILED, "%s is not of this model: %s", w->file, error.text);
    }
    return CAROM_EXIT_OK;
}

static int open_files(work *w)
{
    const carom_cli *cli = w->run.cli;
    carom_cli one = *cli;
    carom_error error = {0};
    one.operand = cli->operand + 1, one.noperand = 1;
    CAROM_CLI_TRY(carom_cli_load(&one, &w->run.model, w->run.note));
    if (carom_columns_read(&w->table, w->file, &error) != CAROM_OK)
        return carom_cli_fail(error.status == CAROM_UNSUPPORTED || error.status == CAROM_BAD_ARGUMENT
                                  ? CAROM_EXIT_USAGE : CAROM_EXIT_FAILED, "%s", error.text);
    if (w->table->truncated)
        carom_cli_fail(0, "note: %s is not complete; what is whole is checked", w->file);
    CAROM_CLI_TRY(take_parameters(w));
    w->run.options = carom_options_default();
    carom_audit_options(w->table, &w->run.options);
    for (int i = 0; i < cli->nsetting; i++)
        if (carom_options_set(&w->run.options, cli->setting[i].name, cli->setting[i].value, &error) != CAROM_OK)
            return carom_cli_fail(CAROM_EXIT_USAGE, "%s", error.text);
    return CAROM_EXIT_OK;
}

static void print(const work *w)
{
    const carom_audit *a = &w->audit;
    printf("%s against %s: %ld rows, t = %g ... %g, %ld impacts\n", w->file, w->name, a->rows, a->from, a->to,
           a->jumps);
    for (int i = 0; i < a->nrule; i++) {
        const carom_audit_rule *r = &a->rule[i];
        printf("  %-16s %-8s", r->name, !r->checked ? "-" : r->holds ? "holds" : "VIOLATED");
        if (r->checked && r->error > 0)
            printf(" %.2g of %.2g allowed at t = %.10g%s%s", r->error, r->allowed, r->t, *r->where ? ", " : "",
                   r->where);
        if (r->violations)
            printf("; %ld of %ld", r->violations, r->checked);
        if (r->skipped)
            printf(" (%ld not to be told)", r->skipped);
        printf("\n");
    }
    if (w->run.model->links)
        printf("  note: contacts of this model are found while it moves; the file has no forces of them: what needs\n"
               "  these is not told; gaps are those of all pairs that touch at a row\n");
}

static const carom_result_field of_rule[] = {CAROM_CELL("rule", CAROM_TEXT, carom_audit_rule, name),
                                             CAROM_CELL("says", CAROM_TEXT, carom_audit_rule, doc),
                                             CAROM_CELL("holds", CAROM_BOOL, carom_audit_rule, holds),
                                             CAROM_CELL("checked", CAROM_LONG, carom_audit_rule, checked),
                                             CAROM_CELL("skipped", CAROM_LONG, carom_audit_rule, skipped),
                                             CAROM_CELL("violations", CAROM_LONG, carom_audit_rule, violations),
                                             CAROM_CELL("error", CAROM_NUMBER, carom_audit_rule, error),
                                             CAROM_CELL("allowed", CAROM_NUMBER, carom_audit_rule, allowed),
                                             CAROM_CELL("t", CAROM_NUMBER, carom_audit_rule, t),
                                             CAROM_CELL("where", CAROM_CHARS, carom_audit_rule, where),
                                             {.name = NULL}};
static const carom_result_field fields[] = {
    CAROM_CELL("file", CAROM_TEXT, work, file), CAROM_CELL("model", CAROM_TEXT, work, name),
    CAROM_CELL("scheme", CAROM_CHARS, work, run.options.scheme), CAROM_CELL("verdict", CAROM_TEXT, work, verdict),
    CAROM_CELL("rows", CAROM_LONG, work, audit.rows), CAROM_CELL("impacts", CAROM_LONG, work, audit.jumps),
    CAROM_CELL("from", CAROM_NUMBER, work, audit.from), CAROM_CELL("to", CAROM_NUMBER, work, audit.to),
    CAROM_ROWS("rules", work, audit.rule, audit.nrule, carom_audit_rule, of_rule), {.name = NULL}};

static int check(work *w)
{
    carom_error error = {0};
    CAROM_CLI_TRY(open_files(w));
    CAROM_CLI_TRY(carom_cli_done(carom_audit_run(&w->audit, w->table, w->run.model, &w->run.options, &error), &error));
    w->verdict = w->audit.holds ? "holds" : "violated";
    if (w->run.cli->json)
        CAROM_CLI_TRY(carom_cli_json(fields, w));
    else if (!w->run.cli->quiet)
        print(w);
    for (int i = 0; i < w->audit.nrule; i++) {
        const carom_audit_rule *r = &w->audit.rule[i];
        if (!r->holds)
            return carom_cli_fail(CAROM_EXIT_UNMET,
                                  "%s violates '%s' (%s): %s is off by %.3g at t = %.10g, %.2g is allowed", w->file,
                                  r->name, r->doc, *r->where ? r->where : r->name, r->error, r->t, r->allowed);
    }
    return CAROM_EXIT_OK;
}

static int audit(const carom_cli *cli)
{
    work w = {.run.cli = cli, .file = cli->operand[0], .name = cli->operand[1]};
    int code = check(&w);
    carom_columns_free(w.table);
    carom_model_free(w.run.model);
    return code;
}

const carom_cli_command carom_cli_audit_command = {
    "audit", "FILE MODEL", 2, 2, CAROM_CLI_AUDIT, audit, "check a trajectory against its model",
    "Checks a trajectory that run wrote (.csv, .json or .h5) against MODEL, whatever scheme wrote it: gaps, "
    "complementarity, cones, joints, impacts, energy, and, between two rows, positions by velocities and velocities by "
    "forces, integrated anew. The parameters are those of the file; how accurate its rows claim to be (rtol, atol, "
    "h) is read in its head, unless --rtol, --atol or --h say otherwise. Exit 4 if a rule is violated.",
    "carom run ball -o ball.csv\ncarom audit ball.csv ball\ncarom audit ball.csv ball --atol 1e-9 --json", NULL};
