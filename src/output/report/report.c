/* report.c: the report of one or several runs: what was run, the mechanism in motion, then one section per subject.
 * What a trajectory does not hold is said where it would stand. */
#include <math.h>
#include <string.h>

#include "output/draw/draw.h"
#include "output/report/parts.h"

static const char *text_of(carom_report *r, bool known, double value)
{
    const char *text = known ? carom_arena_format(r->arena, "%.10g", value) : "-";
    r->failed = r->failed || !text;
    return text;
}

static void overview(carom_report *r)
{
    static const char *const header[] = {"run",   "model",    "scheme",  "rows",   "from t", "to t",
                                         "steps", "rejected", "impacts", "status", "seconds"};
    int columns = CAROM_COUNT(header);
    const char **cell = carom_report_memory(r, (size_t)(r->nrun * columns) * sizeof *cell);
    carom_page_section(r->page, "runs", r->nrun > 1 ? "Runs" : "The run", CAROM_PAGE_INFO);
    for (int i = 0; cell && i < r->nrun; i++) {
        const carom_report_run *run = &r->run[i];
        const carom_info none = {0}, *info = run->info ? run->info : &none;
        const double *t = carom_report_column(run, "t");
        const char **c = cell + i * columns;
        bool live = run->info != NULL;
        c[0] = run->name;
        c[1] = run->model ? run->model->name : run->table->title;
        c[2] = run->scheme ? run->scheme : "-";
        c[3] = text_of(r, true, (double)run->table->nrow);
        c[4] = text_of(r, true, t[0]);
        c[5] = text_of(r, true, t[run->table->nrow - 1]);
        c[6] = text_of(r, live, (double)info->steps);
        c[7] = text_of(r, live, (double)info->rejected);
        c[8] = text_of(r, live, (double)info->events[CAROM_EVENT_IMPACT]);
        c[9] = live                    ? carom_status_text(run->status)
               : run->table->truncated ? "file is not complete"
                                       : "read from a file";
        c[10] = live ? carom_arena_format(r->arena, "%.3g", run->wall_s) : "-";
    }
    if (!r->failed)
        carom_page_table_put(r->page, &(carom_page_table){NULL, header, cell, columns, r->nrun});
    for (int i = 0; i < r->nrun; i++) {
        const carom_report_run *run = &r->run[i];
        if (run->message && *run->message)
            carom_page_note(r->page, run->message);
        if (run->note && *run->note)
            carom_page_note(r->page, run->note);
        if (run->about && *run->about)
            carom_page_text(r->page, run->about);
        bool again = i > 0 && run->model_text && r->run[i - 1].model_text &&
                     strcmp(run->model_text, r->run[i - 1].model_text) == 0;
        carom_page_command(r->page, run->command, run->model_name, again ? NULL : run->model_text);
    }
}

/* Runs in the plane, or in space, over each other. */
static void animate(carom_report *r, const carom_animated *all, int nall, bool space)
{
    carom_animated *drawn = carom_report_memory(r, (size_t)nall * sizeof *drawn);
    int n = 0;
    for (int i = 0; drawn && i < nall; i++)
        if ((carom_model_drawing(all[i].model)->nbody > 0) == space)
            drawn[n++] = all[i];
    if (n)
        carom_page_animation(r->page,
                             &(carom_animation){n > 1 ? "All runs over each other" : drawn[0].model->name, drawn, n});
}

static void animation(carom_report *r)
{
    carom_animated *drawn = carom_report_memory(r, (size_t)r->nrun * sizeof *drawn);
    int n = 0;
    if (!drawn)
        return;
    carom_page_section(r->page, "animation", "Animation", CAROM_PAGE_INFO);
    for (int i = 0; i < r->nrun; i++) {
        const carom_report_run *run = &r->run[i];
        const carom_animated one = {run->name, run->model, run->table, run->touched, run->ntouched};
        char reason[300];
        const char *why = carom_draw_obstacle(&one, reason);
        if (!why)
            drawn[n++] = one;
        else
            carom_page_note(r->page, carom_arena_format(r->arena, "%s is not drawn: %s.", r->run[i].name, why));
    }
    if (n == 0)
        return;
    for (int i = 0; i < r->nrun; i++) {
        const char *said = r->run[i].drawn, *before = i ? r->run[i - 1].drawn : NULL;
        if (said && *said && !(before && strcmp(said, before) == 0))
            carom_page_note(r->page, said);
    }
    animate(r, drawn, n, false);
    animate(r, drawn, n, true);
    carom_page_text(r->page,
                    "Drag to move or to turn the picture (with shift: to move it), click and use the wheel to zoom. "
                    "Contacts that are closed or stick are green, those that slip orange; the frame flashes at an "
                    "impact.");
}

static carom_status check(const carom_report_run *run, carom_error *error)
{
    if (carom_columns_find(run->table, "t") < 0)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "'%s' has no column 't': it is not a trajectory that carom run wrote",
                   run->name);
    if (run->table->nrow == 0)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "'%s' has no rows", run->name);
    return CAROM_OK;
}

carom_status carom_report_write(const char *path, const char *title, const carom_report_run *run, int nrun,
                                carom_error *error)
{
    for (int i = 0; i < nrun; i++)
        CAROM_TRY(check(&run[i], error));
    carom_report r = {.run = run, .nrun = nrun, .arena = carom_arena_new(0)};
    if (!r.arena)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for the report '%s'", path);
    carom_status status = carom_page_new(&r.page, path, title, error);
    r.from = INFINITY;
    r.to = -INFINITY;
    for (int i = 0; i < nrun; i++) {
        const double *t = carom_report_column(&run[i], "t");
        r.from = fmin(r.from, t[0]);
        r.to = fmax(r.to, t[run[i].table->nrow - 1]);
    }
    if (status == CAROM_OK) {
        overview(&r);
        animation(&r);
        carom_report_motion(&r);
        carom_report_contacts(&r);
        carom_report_impacts(&r);
        carom_report_energy(&r);
        carom_report_steps(&r);
        if (r.failed) {
            carom_page_drop(r.page);
            status = carom_fail(error, CAROM_NO_MEMORY, "no memory for the report '%s'", path);
        } else {
            status = carom_page_close(r.page, error);
        }
    }
    carom_arena_free(r.arena);
    return status;
}
