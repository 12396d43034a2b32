/* reproduce.c: `carom reproduce`: the entries of src/output/reproduce computed, checked, and put on a page. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/reproduce/reproduce.h"
#include "cli/cli.h"
#include "output/output.h"
#include "output/page/page.h"

typedef struct work {
    const carom_cli *cli;
    carom_page *page;
    carom_json *json;
    const char *path;
    int count[3]; /* of each verdict */
    bool interrupted;
} work;

static bool go_on(void *user)
{
    return !carom_cli_stop(user);
}

/* ---- which entries ---- */

static bool chosen(const work *w, const carom_entry *entry)
{
    for (int i = 0; i < w->cli->noperand; i++)
        if (!strcmp(w->cli->operand[i], entry->id))
            return true;
    return w->cli->noperand == 0 && (entry->quick || !carom_cli_own(w->cli, "--quick"));
}

static int check_names(const carom_cli *cli)
{
    const char *names[200];
    int n = 0;
    for (const carom_paper *paper = carom_papers; paper->key; paper++)
        for (const carom_entry *entry = paper->entry; entry->id && n < 199; entry++)
            names[n++] = entry->id;
    names[n] = NULL;
    for (int i = 0; i < cli->noperand; i++)
        if (!carom_entry_find(cli->operand[i]))
            return carom_cli_unknown("entry", cli->operand[i], names, "reproduce");
    return CAROM_EXIT_OK;
}

static int list(void)
{
    for (const carom_paper *paper = carom_papers; paper->key; paper++) {
        printf("%s  %s (%s)\n", paper->key, paper->title, paper->authors);
        for (const carom_entry *entry = paper->entry; entry->id; entry++)
            printf("  %-16s %s%s\n", entry->id, entry->title, entry->quick ? "" : "  (not in --quick)");
    }
    return CAROM_EXIT_OK;
}

/* ---- the page ---- */

static void put_checks(carom_page *page, const carom_findings *f)
{
    static const char *const header[] = {"check", "measured", "expected", "verdict"};
    const char **cell = CAROM_NEW(f->arena, const char *, 4 * f->ncheck + 1);
    for (int i = 0; cell && i < f->ncheck; i++) {
        const carom_finding_check *c = &f->check[i];
        const double middle = 0.5 * (c->least + c->most), half = 0.5 * (c->most - c->least);
        const char *range = half == 0 ? carom_arena_format(f->arena, "%.10g", middle)
                            : half < 0.01 * fabs(middle)
                                ? carom_arena_format(f->arena, "%.10g ± %.2g", middle, half)
                                : carom_arena_format(f->arena, "%.6g ... %.6g", c->least, c->most);
        const bool sharp = half < 1e-3 * fabs(middle); /* then digits count */
        const char *row[] = {c->what, carom_arena_format(f->arena, sharp ? "%.10g" : "%.4g", c->measured), range,
                             c->passes ? "pass" : "fail"};
        memcpy(cell + 4 * i, row, sizeof row);
    }
    if (cell && f->ncheck)
        carom_page_table_put(page, &(carom_page_table){"Claim against measurement", header, cell, 4, f->ncheck});
}

static void put_entry(carom_page *page, const carom_findings *f)
{
    static const carom_page_status status[] = {CAROM_PAGE_PASS, CAROM_PAGE_FAIL, CAROM_PAGE_NOT_REPRODUCIBLE};
    const carom_entry *entry = f->entry;
    carom_page_section(page, entry->id, entry->title, status[carom_findings_verdict(f)]);
    carom_page_format(page, "*Claim.* %s", entry->claim);
    if (entry->remark)
        carom_page_format(page, "*Remark.* %s", entry->remark);
    if (entry->declared)
        carom_page_note(page, entry->declared);
    if (f->status != CAROM_OK)
        carom_page_note(page, f->error.text);
    put_checks(page, f);
    for (const carom_finding *x = f->first; x; x = x->next) {
        if (x->kind == CAROM_FINDING_TEXT)
            carom_page_text(page, x->title);
        else if (x->kind == CAROM_FINDING_PLOT)
            carom_page_plot(page, &x->chart);
        else
            carom_page_table_put(page,
                                 &(carom_page_table){x->title, x->cell, x->cell + x->ncolumn, x->ncolumn, x->nrow});
    }
    carom_page_command(page, entry->command, entry->model, entry->model ? carom_builtin_text(entry->model) : NULL);
    carom_page_format(page, "Computed in %.1f s.", f->wall_s);
}

static const carom_result_field of_check[] = {CAROM_CELL("what", CAROM_TEXT, carom_finding_check, what),
                                              CAROM_CELL("measured", CAROM_NUMBER, carom_finding_check, measured),
                                              CAROM_CELL("least", CAROM_NUMBER, carom_finding_check, least),
                                              CAROM_CELL("most", CAROM_NUMBER, carom_finding_check, most),
                                              CAROM_CELL("passes", CAROM_BOOL, carom_finding_check, passes),
                                              {.name = NULL}};

static void put_verdict(carom_json *json, const char *key, const void *record)
{
    const carom_findings *f = record;
    carom_json_string(json, "id", f->entry->id);
    carom_json_string(json, "title", f->entry->title);
    carom_json_string(json, key, carom_verdict_name(carom_findings_verdict(f)));
    carom_json_string(json, "command", f->entry->command);
    if (f->status != CAROM_OK)
        carom_json_string(json, "error", f->error.text);
}

static const carom_result_field of_entry[] = {
    CAROM_PUT("verdict", put_verdict),
    CAROM_ROWS("checks", carom_findings, check, ncheck, carom_finding_check, of_check),
    CAROM_CELL("wall_s", CAROM_NUMBER, carom_findings, wall_s),
    {.name = NULL}};

static void say(const carom_findings *f)
{
    printf("%-16s %-4s %6.1f s  %s\n", f->entry->id, carom_verdict_name(carom_findings_verdict(f)), f->wall_s,
           f->entry->title);
    if (f->status != CAROM_OK)
        printf("    %s\n", f->error.text);
    for (int i = 0; i < f->ncheck; i++)
        if (!f->check[i].passes)
            printf("    %s: %.10g, expected %.6g ... %.6g\n", f->check[i].what, f->check[i].measured, f->check[i].least,
                   f->check[i].most);
    fflush(stdout);
}

/* ---- all of them ---- */

static int compute(work *w, const carom_entry *entry)
{
    carom_findings f = {.quick = carom_cli_own(w->cli, "--quick") != NULL, .threads = w->cli->threads, .go_on = go_on};
    carom_status status = carom_entry_run(&f, entry);
    if (status == CAROM_NO_MEMORY) {
        carom_findings_free(&f);
        return carom_cli_no_memory();
    }
    w->interrupted = status == CAROM_INTERRUPTED || carom_cli_interrupted();
    if (!w->interrupted) {
        w->count[carom_findings_verdict(&f)]++;
        put_entry(w->page, &f);
        if (w->json) {
            carom_json_object(w->json, NULL);
            carom_json_fields(w->json, of_entry, &f);
            carom_json_end(w->json);
        } else if (!w->cli->quiet)
            say(&f);
    }
    carom_findings_free(&f);
    return CAROM_EXIT_OK;
}

static int run_all(work *w)
{
    carom_progress progress;
    int total = 0, done = 0, code = CAROM_EXIT_OK;
    for (const carom_paper *paper = carom_papers; paper->key; paper++)
        for (const carom_entry *entry = paper->entry; entry->id; entry++)
            total += chosen(w, entry);
    carom_progress_begin(&progress, w->cli->quiet || !w->json ? NULL : stderr, 0, total);
    progress.unit = "entries";
    carom_cli_catch(NULL);
    for (const carom_paper *paper = carom_papers; paper->key; paper++) {
        bool headed = false;
        for (const carom_entry *entry = paper->entry; entry->id && code == CAROM_EXIT_OK && !w->interrupted; entry++) {
            if (!chosen(w, entry))
                continue;
            if (!headed) {
                char title[300];
                snprintf(title, sizeof title, "%s: %s", paper->key, paper->title);
                carom_page_group(w->page, title);
                headed = true;
            }
            code = compute(w, entry);
            carom_progress_step(&progress, ++done);
        }
    }
    carom_cli_release();
    carom_progress_end(&progress);
    return code;
}

static int finish(work *w, int code)
{
    carom_error error = {0};
    if (w->json) {
        carom_json_end(w->json);
        carom_json_string(w->json, "page", w->path);
        int closed = carom_cli_done(carom_json_close(w->json, &error), &error);
        code = closed != CAROM_EXIT_OK ? closed : code;
    }
    CAROM_CLI_TRY(carom_cli_done(carom_page_close(w->page, &error), &error));
    if (!w->json && !w->cli->quiet)
        printf("%d pass, %d fail, %d not reproducible; written: %s\n", w->count[0], w->count[1], w->count[2], w->path);
    if (w->interrupted)
        return carom_cli_fail(CAROM_EXIT_INTERRUPTED, "interrupted; %s holds what was finished", w->path);
    return code != CAROM_EXIT_OK ? code : w->count[CAROM_VERDICT_FAIL] ? CAROM_EXIT_UNMET : CAROM_EXIT_OK;
}

static int begin(work *w)
{
    const carom_cli *cli = w->cli;
    carom_error error = {0};
    CAROM_CLI_TRY(carom_cli_done(carom_page_new(&w->page, w->path, "Figures and tables, computed again", &error),
                                 &error));
    carom_page_intro(w->page, "Every entry states what a paper claims, computes it with `carom`, and checks the claim. "
                              "Each can be repeated with the command that is shown.");
    if (!cli->json)
        return CAROM_EXIT_OK;
    int code = carom_cli_done(carom_json_new(&w->json, "standard output", stdout, true, &error), &error);
    if (code != CAROM_EXIT_OK) {
        carom_page_drop(w->page);
        return code;
    }
    carom_json_object(w->json, NULL);
    carom_json_array(w->json, "entries");
    return CAROM_EXIT_OK;
}

static int reproduce(const carom_cli *cli)
{
    work w = {.cli = cli, .path = cli->output ? cli->output : "reproduce.html"};
    CAROM_CLI_TRY(check_names(cli));
    CAROM_CLI_TRY(carom_cli_check_page(cli, w.path));
    if (carom_cli_own(cli, "--list"))
        return list();
    CAROM_CLI_TRY(begin(&w));
    return finish(&w, run_all(&w));
}

static const carom_cli_option options[] = {
    CAROM_CLI_OWN_OPTION("--quick", NULL, "the short set, with shorter runs: under a minute"),
    CAROM_CLI_OWN_OPTION("--list", NULL, "only list the entries"),
    {.name = NULL},
};

const carom_cli_command carom_cli_reproduce_command = {
    "reproduce", "[ID...]", 0, 1000, CAROM_CLI_REPRODUCE, reproduce,
    "every figure and table of the literature, computed and checked",
    "Computes figures and tables of the papers that the schemes come from, compares claim and measurement, and writes "
    "one page that needs no network (-o FILE.html; reproduce.html if not given). Without ID: all of them, in a few "
    "minutes. Exit 4 if a check fails that the page does not declare as not reproducible.",
    "carom reproduce --list\ncarom reproduce 001-fig1\ncarom reproduce --quick -o quick.html", options};
