/* checkpoint.c: a run that is written down on its way. The archive holds the command line, the text of the model, the
 * state with all that the scheme remembers, and where the files of the run stand; it replaces the one before when it is
 * whole and on the disk. Going on from it gives the bits of a run that was never stopped.
 *
 *   carom    version of the program       words   the command line after `run`, each ended by 0
 *   folder   where the run was started    model   the text of the model; name: of its file
 *   files    checksum of tables, plugins  state   carom_sim_save
 *   spent    seconds of wall time         complete the run has ended; and the blocks of carom_sink_save */
#include <string.h>
#include <unistd.h>

#include "cli/checkpoint.h"
#include "model/model.h"
#include "sim/sim.h"
#include "text/text.h"

const carom_cli_option carom_checkpoint_options[] = {
    CAROM_CLI_OWN_OPTION("--checkpoint", "FILE",
                         "keep in FILE what `carom resume FILE` needs to go on after a kill or a power cut; it is "
                         "replaced as a whole, every minute if nothing else is said"),
    CAROM_CLI_OWN_OPTION("--every-steps", "N", "write the checkpoint every N steps"),
    CAROM_CLI_OWN_OPTION("--every-seconds", "S", "write the checkpoint when S seconds have passed"),
    {.name = NULL},
};

int carom_checkpoint_plan(carom_checkpoint *c, const carom_cli *cli)
{
    *c = (carom_checkpoint){.path = carom_cli_own(cli, "--checkpoint"), .cli = cli};
    const carom_cli_count counts[] = {{"--every-steps", 1, 1e15, &c->every_steps}};
    CAROM_CLI_TRY(carom_cli_own_counts(cli, counts, CAROM_COUNT(counts)));
    CAROM_CLI_TRY(carom_cli_own_number(cli, "--every-seconds", 0, 1e9, &c->every_seconds));
    const bool timed = carom_cli_own(cli, "--every-seconds") != NULL;
    if (!c->path && (c->every_steps || timed))
        return carom_cli_fail(CAROM_EXIT_USAGE, "--every-steps and --every-seconds belong to --checkpoint FILE");
    if (!c->path)
        return CAROM_EXIT_OK;
    if (c->every_steps && timed)
        return carom_cli_fail(CAROM_EXIT_USAGE, "give --every-steps or --every-seconds, not both");
    if (!c->every_steps && !timed)
        c->every_seconds = 60;
    if (cli->output && !strcmp(cli->output, "-"))
        return carom_cli_fail(CAROM_EXIT_USAGE, "--checkpoint needs a file that can go on; -o - is none");
    if (cli->output && !strcmp(cli->output, c->path))
        return carom_cli_fail(CAROM_EXIT_USAGE, "-o and --checkpoint name the same file '%s'", c->path);
    if (cli->verify)
        return carom_cli_fail(CAROM_EXIT_USAGE, "--verify compares a whole run, --checkpoint cuts it: not both");
    return carom_cli_check_writable(c->path);
}

/* ---- writing ---- */

static void put_text(carom_archive *a, const char *name, const char *text)
{
    carom_archive_put(a, name, text, strlen(text) + 1);
}

static void put_words(carom_archive *a, const carom_cli *cli)
{
    size_t length = 0;
    for (int i = 0; i < cli->nword; i++)
        length += strlen(cli->word[i]) + 1;
    char *to = carom_archive_add(a, "words", length);
    for (int i = 0; to && i < cli->nword; i++)
        to = (char *)memcpy(to, cli->word[i], strlen(cli->word[i]) + 1) + strlen(cli->word[i]) + 1;
}

/* Where the run was started first. */
static void put_folder(carom_archive *a, const carom_cli *cli)
{
    char folder[4096];
    size_t length = 0;
    const char *first = cli->resumed ? carom_archive_find(cli->resumed, "folder", &length) : NULL;
    if (!first)
        first = getcwd(folder, sizeof folder) ? folder : "";
    put_text(a, "folder", first);
}

static carom_status write_down(carom_checkpoint *c, bool complete)
{
    carom_archive *a = &c->archive;
    const carom_text_file *file = carom_model_file(c->model);
    const uint64_t named = carom_model_named_files(c->model);
    const double spent = c->before + carom_wall_time() - c->began;
    carom_archive_begin(a);
    put_text(a, "carom", carom_version());
    put_words(a, c->cli);
    put_folder(a, c->cli);
    put_text(a, "name", file->name);
    carom_archive_put(a, "model", file->bytes, file->length);
    carom_archive_put(a, "files", &named, sizeof named);
    carom_archive_put(a, "spent", &spent, sizeof spent);
    if (complete)
        carom_archive_put(a, "complete", "", 0);
    size_t size = carom_sim_save(c->sim, NULL, 0);
    void *state = carom_archive_add(a, "state", size);
    if (state)
        carom_sim_save(c->sim, state, size);
    if (c->sink && !complete && carom_sink_save(c->sink, a) != CAROM_OK) {
        c->error = *carom_sink_status(c->sink);
        return c->error.status;
    }
    c->last = carom_wall_time();
    return carom_archive_write(a, c->path, &c->error);
}

/* Asked before every step; a checkpoint that fails does not stop the run, but is told of. */
static bool ask(void *user)
{
    carom_checkpoint *c = user;
    const bool due = c->every_steps ? c->sim->info.steps % c->every_steps == 0
                                    : carom_wall_time() - c->last >= c->every_seconds;
    if (due && c->error.status == CAROM_OK && write_down(c, false) != CAROM_OK)
        carom_cli_fail(0, "%s; the run goes on without checkpoints", c->error.text);
    return false;
}

int carom_checkpoint_begin(carom_checkpoint *c, const carom_model *model, carom_sim *sim, carom_sink *sink)
{
    const carom_archive *from = c->cli->resumed;
    c->model = model, c->sim = sim, c->sink = sink;
    c->began = carom_wall_time();
    c->last = from ? c->began : -1e300; /* the first one at once */
    if (from) {
        size_t length = sizeof c->before;
        const void *spent = carom_archive_find(from, "spent", &length);
        if (spent)
            memcpy(&c->before, spent, sizeof c->before);
        length = 0;
        const void *state = carom_archive_find(from, "state", &length);
        if (!state)
            return carom_cli_fail(CAROM_EXIT_FAILED, "'%s' holds no state of a run", c->path);
        CAROM_CLI_TRY(carom_cli_done(carom_sim_load(sim, state, length), carom_sim_error(sim)));
    }
    if (c->path)
        carom_sim_set_interrupt(sim, ask, c);
    return CAROM_EXIT_OK;
}

void carom_checkpoint_interrupted(carom_checkpoint *c)
{
    if (c->path && c->error.status == CAROM_OK && write_down(c, false) != CAROM_OK)
        carom_cli_fail(0, "%s", c->error.text);
}

int carom_checkpoint_end(carom_checkpoint *c, bool complete, int code)
{
    if (c->path && c->error.status == CAROM_OK && complete) {
        if (write_down(c, true) != CAROM_OK)
            carom_cli_fail(0, "%s", c->error.text);
        else if (c->cli->output)
            carom_sink_forget(carom_checkpoint_output(c->cli));
    }
    carom_archive_free(&c->archive);
    return c->error.status != CAROM_OK && code == CAROM_EXIT_OK ? CAROM_EXIT_FAILED : code;
}

double carom_checkpoint_spent(const carom_checkpoint *c)
{
    return c->before;
}

/* ---- reading ---- */

static const char *text_of(const carom_archive *a, const char *name)
{
    size_t length = 0;
    const char *text = carom_archive_find(a, name, &length);
    return text && length && text[length - 1] == 0 ? text : NULL;
}

bool carom_checkpoint_complete(const carom_archive *a)
{
    size_t length = 0;
    return carom_archive_find(a, "complete", &length) != NULL;
}

const char *carom_checkpoint_output(const carom_cli *cli)
{
    const char *folder = cli->resumed ? text_of(cli->resumed, "folder") : NULL;
    if (!folder || !cli->output || cli->output[0] == '/')
        return cli->output;
    return carom_arena_format(cli->arena, "%s/%s", folder, cli->output);
}

carom_status carom_checkpoint_model(carom_model **model, const carom_archive *a, carom_load_options *load,
                                    carom_error *error)
{
    const char *folder = text_of(a, "folder"), *name = text_of(a, "name");
    size_t length = 0;
    const char *text = carom_archive_find(a, "model", &length);
    char path[8192];
    if (!folder || !name || !text)
        CAROM_FAIL(error, CAROM_FILE, "the archive holds no model");
    const char *slash = strrchr(name, '/');
    if (snprintf(path, sizeof path, "%s%s%.*s", *name == '/' ? "" : folder, *name == '/' ? "" : "/",
                 slash ? (int)(slash - name) + 1 : 0, name) >= (int)sizeof path)
        CAROM_FAIL(error, CAROM_FILE, "the folder of the model has too long a name");
    CAROM_TRY(carom_model_parse_in(model, path, name, text, length, load, error));
    uint64_t then = 0;
    length = sizeof then;
    const void *files = carom_archive_find(a, "files", &length);
    if (files)
        memcpy(&then, files, sizeof then);
    if (then == carom_model_named_files(*model))
        return CAROM_OK;
    carom_model_free(*model);
    *model = NULL;
    CAROM_FAIL(error, CAROM_FILE, "a table or plugin that the model names has changed since the run was written down: "
                                  "what is left of it would not fit its beginning");
}

/* ---- carom resume ---- */

/* The command line of the run; what it allowed then is not allowed now. */
static int parse_words(carom_cli *run, const carom_cli *cli, const carom_archive *a)
{
    size_t length = 0;
    const char *words = carom_archive_find(a, "words", &length);
    char **argv = NULL;
    int n = 1;
    for (size_t i = 0; words && i < length; i++)
        n += words[i] == 0;
    argv = CAROM_NEW(cli->arena, char *, n + 1);
    char *copy = argv && words ? carom_arena_text(cli->arena, words, length) : NULL;
    if (!copy || (length && words[length - 1] != 0))
        return carom_cli_fail(CAROM_EXIT_FAILED, "'%s' holds no command line", cli->operand[0]);
    argv[0] = (char *)"run";
    for (int i = 1; i < n; i++, copy += strlen(copy) + 1)
        argv[i] = copy;
    CAROM_CLI_TRY(carom_cli_parse(run, n, argv));
    run->allow_plugins = cli->allow_plugins;
    run->json |= cli->json;
    run->quiet |= cli->quiet;
    run->resumed = a;
    for (int i = 0; i < run->nown; i++) /* it is kept where it was found */
        if (!strcmp(run->own[i].name, "--checkpoint"))
            run->own[i].value = cli->operand[0];
    return CAROM_EXIT_OK;
}

static int resume(const carom_cli *cli)
{
    carom_archive archive;
    carom_error error = {0};
    carom_cli run = {0};
    CAROM_CLI_TRY(carom_cli_done(carom_archive_read(&archive, cli->operand[0], &error), &error));
    const char *version = text_of(&archive, "carom");
    int code = CAROM_EXIT_OK;
    if (!version || strcmp(version, carom_version()) != 0)
        code = carom_cli_fail(CAROM_EXIT_FAILED,
                              "'%s' was written by carom %s, this is %s: a run goes on with the program that began it",
                              cli->operand[0], version ? version : "of unknown version", carom_version());
    if (code == CAROM_EXIT_OK)
        code = parse_words(&run, cli, &archive);
    if (code == CAROM_EXIT_OK)
        code = run.command->run(&run);
    carom_arena_free(run.arena);
    carom_archive_free(&archive);
    return code;
}

const carom_cli_command carom_cli_resume_command = {
    "resume", "FILE", 1, 1, CAROM_CLI_RESUME, resume, "go on with a run that was stopped",
    "Goes on with a run that `carom run --checkpoint FILE` has written down, with the model and the options it had, "
    "and keeps FILE up to date. The result, and the files that the run writes, are to the last bit those of a run that "
    "was never stopped: what the files have beyond the checkpoint is dropped and computed again. The model file is not "
    "read again, but tables and plugins that it names are: they must be what they were; a plugin needs --allow-plugins "
    "here, too.",
    "carom run ball.yaml --t-end 1e4 -o ball.csv --checkpoint ball.checkpoint --every-seconds 30\n"
    "carom resume ball.checkpoint --json", NULL};
