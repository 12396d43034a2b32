/* runs.c: the operands of report and animate: trajectories that were written, with their models, or models that are run
 * now. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/runs.h"
#include "model/model.h"
#include "output/output.h"

enum { SAMPLES = 2000 };

typedef carom_cli_job_run job;
typedef carom_cli_runs work;

/* ---- files ---- */
/* The first bytes of a file, as text. */
static void peek(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "rb");
    size_t n = file ? fread(text, 1, size - 1, file) : 0;
    text[n] = '\0';
    if (file)
        fclose(file);
}

/* A model may be JSON, too: a trajectory says what its columns are. */
static bool is_trajectory(const char *path)
{
    char text[1 << 16];
    if (!carom_ends_with(path, ".json"))
        return carom_ends_with(path, ".csv") || carom_ends_with(path, ".h5") || carom_ends_with(path, ".hdf5");
    peek(path, text, sizeof text);
    return strstr(text, "\"columns\":") != NULL;
}

/* Something that can be read to its end. */
static bool is_file(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) && access(path, R_OK) == 0;
}

/* The name of the built-in model with this title; NULL: there is none. */
static const char *built_in(const char *title)
{
    size_t length = strlen(title);
    for (int i = 0; carom_builtin_name(i); i++) {
        const char *name = strstr(carom_builtin_text(carom_builtin_name(i)), "\nname: ");
        if (name && strncmp(name + 7, title, length) == 0 && name[7 + length] == '\n')
            return carom_builtin_name(i);
    }
    return NULL;
}

/* Gives the model the parameters that the file tells, but for those of the command line; how many there were. */
static int adopt(const carom_cli *cli, job *j, carom_error *error)
{
    const carom_columns *t = j->table;
    const char **names = CAROM_NEW(cli->arena, const char *, t->nparameter + 1);
    double *values = CAROM_NEW(cli->arena, double, t->nparameter + 1);
    int n = 0;
    for (int i = 0; names && values && i < t->nparameter; i++) {
        char buffer[32];
        bool known = false, given = false;
        for (int k = 0; k < j->work.model->np && !known; k++)
            known = strcmp(carom_model_p_name(j->work.model, k, buffer), t->parameter[i]) == 0;
        for (int k = 0; k < cli->nparameter && !given; k++)
            given = strcmp(cli->parameter[k], t->parameter[i]) == 0;
        if (known && !given && isfinite(t->value[i]))
            names[n] = t->parameter[i], values[n++] = t->value[i];
    }
    return names && values && carom_model_set(j->work.model, names, values, n, error) == CAROM_OK ? n : -1;
}

/* A path that a file names, as seen from the folder of that file, else from here; NULL: there is no such file. */
static const char *beside(const carom_cli *cli, const char *path, const char *named)
{
    const char *slash = strrchr(path, '/');
    const char *there = slash && *named != '/' ? carom_arena_format(cli->arena, "%.*s/%s", (int)(slash - path), path,
                                                                    named) : NULL;
    return there && is_file(there) ? there : is_file(named) ? named : NULL;
}

/* The model of a file: what the command line says, or what the file says it was, or the built-in one with its title. */
static int find_model(const work *w, job *j, const char *path)
{
    const carom_cli *cli = w->cli;
    const carom_columns *t = j->table;
    const char *given = carom_cli_own(cli, "--model"), *found = given;
    carom_cli one = *cli;
    carom_error error = {0};
    if (!found && t->source && carom_builtin_text(t->source))
        found = t->source;
    if (!found && t->source)
        found = beside(cli, path, t->source);
    if (!found)
        found = built_in(t->title);
    if (!found)
        return CAROM_EXIT_OK;
    one.operand = &found;
    int code = carom_cli_load(&one, &j->work.model, j->work.note);
    if (code == CAROM_EXIT_MODEL && !given)
        return carom_cli_fail(CAROM_EXIT_OK, "note: %s is shown without its model (--model says which it is)",
                              j->run.name);
    if (code != CAROM_EXIT_OK)
        return code;
    int known = adopt(cli, j, &error);
    if (known < 0 && (error.status == CAROM_OK || error.status == CAROM_NO_MEMORY))
        return carom_cli_no_memory();
    if (known < 0) {
        carom_model_free(j->work.model);
        j->work.model = NULL;
        return carom_cli_fail(given ? CAROM_EXIT_MODEL : CAROM_EXIT_OK,
                              "%s is shown without its model: its parameters do not suit '%s': %s", j->run.name, found,
                              error.text);
    }
    if (t->nparameter || !j->work.model->np)
        j->run.drawn = carom_arena_format(cli->arena, "Drawn with the model `%s`%s.", found,
                                          known ? " and the parameters that the file tells" : "");
    else
        j->run.drawn =
            carom_arena_format(cli->arena, "Drawn with the model `%s` and %s: the file does not tell those of its run.",
                               found,
                               cli->nparameter ? "the parameters given" : "its own parameters (`-p` changes them)");
    return CAROM_EXIT_OK;
}

/* How the run came to be, as far as the file tells. */
static const char *about_file(const carom_cli *cli, const job *j)
{
    enum { SHOWN = 50 };
    const carom_columns *t = j->table;
    char number[32];
    const char *line = t->options;
    for (int i = 0; i < CAROM_MIN(t->nparameter, SHOWN) && (line || i == 0); i++)
        line = carom_arena_format(cli->arena, "%s%s%.100s=%s", line ? line : "", line ? " " : "", t->parameter[i],
                                  carom_shortest(t->value[i], number));
    return line ? carom_arena_format(cli->arena, "%s: `%s%s`", j->run.name, line, t->nparameter > SHOWN ? " ..." : "")
                : NULL;
}

static int read_file(work *w, const char *path)
{
    carom_error error = {0};
    job *j = &w->job[w->n++];
    const char *slash = strrchr(path, '/');
    if (carom_columns_read(&j->table, path, &error) != CAROM_OK)
        return carom_cli_fail(error.status == CAROM_UNSUPPORTED ? CAROM_EXIT_USAGE : CAROM_EXIT_FAILED, "%s",
                              error.text);
    if (j->table->truncated)
        carom_cli_fail(0, "note: %s is not complete; what is whole is shown", path);
    j->run = (carom_report_run){.name = slash ? slash + 1 : path, .table = j->table};
    j->run.command = carom_arena_format(w->cli->arena, "carom report %s", path);
    j->run.scheme = j->table->scheme, j->run.about = about_file(w->cli, j);
    CAROM_CLI_TRY(find_model(w, j, path));
    j->run.model = j->work.model;
    if (!j->work.model || !j->work.model->links)
        return CAROM_EXIT_OK;
    if (carom_recorder_read(&j->recorder, path, j->work.model, &error) != CAROM_OK)
        return carom_cli_fail(CAROM_EXIT_FAILED, "%s", error.text);
    carom_recorder_contacts(j->recorder, &j->run);
    return CAROM_EXIT_OK;
}

/* ---- runs ---- */
/* The command that repeats this run. */
static const char *describe(const work *w, const char *model, const char *scheme)
{
    const carom_cli *cli = w->cli;
    char number[32];
    const char *line = carom_arena_format(cli->arena, "carom run %s", model);
    for (int i = 0; line && i < cli->nsetting; i++)
        line = carom_arena_format(cli->arena, "%s --set %s=%s", line, cli->setting[i].name, cli->setting[i].value);
    for (int i = 0; line && i < cli->nparameter; i++)
        line = carom_arena_format(cli->arena, "%s -p %s=%s", line, cli->parameter[i],
                                  carom_shortest(cli->value[i], number));
    if (line && scheme)
        line = carom_arena_format(cli->arena, "%s --scheme %s", line, scheme);
    return line;
}

static int prepare(const work *w, job *j, const char *name, const char *scheme)
{
    carom_options *options = &j->work.options;
    carom_error error = {0};
    carom_cli one = *w->cli;
    one.operand = &name;
    j->work.cli = &one;
    CAROM_CLI_TRY(carom_cli_begin(&j->work));
    j->work.cli = w->cli;
    if (scheme && carom_options_set(options, "scheme", scheme, &error) != CAROM_OK)
        return carom_cli_fail(CAROM_EXIT_USAGE, "%s (see: carom list schemes)", error.text);
    CAROM_CLI_TRY(carom_cli_done(carom_sim_new(&j->sim, j->work.model, options, &error), &error));
    const carom_options *filled = carom_sim_options(j->sim);
    double every = filled->every > 0 ? filled->every : filled->t_end / SAMPLES;
    CAROM_CLI_TRY(carom_cli_done(carom_recorder_new(&j->recorder, j->work.model, every, &error), &error));
    CAROM_CLI_TRY(carom_cli_done(carom_recorder_watch(j->recorder, j->sim, &error), &error));
    const carom_observer recorder = carom_recorder_observer(j->recorder);
    if (carom_sim_observe(j->sim, &recorder) != CAROM_OK)
        return carom_cli_fail(CAROM_EXIT_FAILED, "the run cannot be observed");
    return carom_cli_follow(&j->work, j->sim);
}

static int simulate(work *w, const char *name, const char *scheme)
{
    const carom_cli *cli = w->cli;
    carom_error error = {0};
    job *j = &w->job[w->n++];
    CAROM_CLI_TRY(prepare(w, j, name, scheme));
    const double t_end = carom_sim_options(j->sim)->t_end;
    carom_cli_start(&j->work, 0, t_end, NULL);
    carom_cli_catch(j->sim);
    carom_status status = carom_sim_run(j->sim, t_end);
    carom_cli_finish(&j->work);
    const carom_text_file *file = carom_model_file(j->work.model);
    j->run = (carom_report_run){.name = !scheme             ? name
                                        : cli->noperand > 1 ? carom_arena_format(cli->arena, "%s, %s", name, scheme)
                                                            : scheme,
                                .model = j->work.model,
                                .command = describe(w, name, scheme),
                                .model_name = name,
                                .model_text = file ? file->bytes : NULL,
                                .options = carom_sim_options(j->sim),
                                .scheme = carom_sim_options(j->sim)->scheme,
                                .info = carom_sim_info(j->sim),
                                .status = status,
                                .message = status > CAROM_INTERRUPTED ? carom_sim_error(j->sim)->text : NULL,
                                .wall_s = j->work.wall_s};
    const char *said = carom_sim_note(j->sim);
    j->run.note = !*said           ? j->work.note
                  : !*j->work.note ? said
                                   : carom_arena_format(cli->arena, "%s; %s", j->work.note, said);
    CAROM_CLI_TRY(carom_cli_done(carom_recorder_end(j->recorder, &j->run, &error), &error));
    if (status > CAROM_INTERRUPTED)
        carom_cli_fail(0, "%s: %s", name, j->run.message);
    return j->run.table->nrow ? CAROM_EXIT_OK : carom_cli_exit(status);
}

int carom_cli_runs_gather(carom_cli_runs *w)
{
    const carom_cli *cli = w->cli;
    int code = CAROM_EXIT_OK;
    for (int i = 0; i < cli->noperand && code == CAROM_EXIT_OK; i++) {
        const char *operand = cli->operand[i];
        bool file = is_trajectory(operand);
        int times = file ? 1 : CAROM_MAX(w->nscheme, 1);
        if (w->n + times > CAROM_CLI_RUNS_MOST)
            return carom_cli_fail(CAROM_EXIT_USAGE, "at most %d runs are shown", CAROM_CLI_RUNS_MOST);
        for (int k = 0; k < times && code == CAROM_EXIT_OK; k++)
            code = file ? read_file(w, operand) : simulate(w, operand, w->nscheme ? w->scheme[k] : NULL);
        if (carom_cli_interrupted())
            return carom_cli_fail(CAROM_EXIT_INTERRUPTED, "interrupted; nothing was written");
    }
    return code;
}

void carom_cli_runs_free(carom_cli_runs *w)
{
    for (int i = 0; i < w->n; i++) {
        carom_recorder_free(w->job[i].recorder);
        carom_columns_free(w->job[i].table);
        carom_sim_free(w->job[i].sim);
        carom_model_free(w->job[i].work.model);
    }
}
