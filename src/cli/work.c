/* work.c: what commands that run a model share: the model and its options from the words of a command line; one line
 * on a terminal that says how far a job is, how fast it goes and how long it will take; Ctrl-C.
 *
 * The first signal sets a flag that the job looks at, a later one ends it as usual. One wish may arrive as several
 * signals: timeout(1), mpirun and batch systems signal a process and its group. What follows the first within half a
 * second therefore says nothing new. */
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/checkpoint.h"
#include "cli/cli.h"

/* All of standard input; NULL: it cannot be read, or is longer than a model may be. */
static char *read_input(const carom_cli *cli, size_t *length)
{
    enum { MOST = 16 << 20 };
    char *text = carom_arena_alloc(cli->arena, MOST + 1);
    *length = text ? fread(text, 1, MOST + 1, stdin) : 0;
    return text && !ferror(stdin) && *length <= MOST ? text : NULL;
}

static carom_status load_model(const carom_cli *cli, carom_model **model, carom_load_options *load, carom_error *error)
{
    size_t length;
    if (cli->resumed)
        return carom_checkpoint_model(model, cli->resumed, load, error);
    if (strcmp(cli->operand[0], "-") != 0)
        return carom_model_load(model, cli->operand[0], load, error);
    char *text = read_input(cli, &length);
    if (!text)
        CAROM_FAIL(error, CAROM_FILE, "standard input cannot be read as a model: it fails, or is longer than 16 MiB");
    return carom_model_parse(model, "standard input", text, length, load, error);
}

int carom_cli_load(const carom_cli *cli, carom_model **model, char *note)
{
    carom_error error = {0};
    carom_load_options load = {.size = sizeof load, .allow_plugins = cli->allow_plugins, .jit = cli->jit,
                               .assemble = cli->assemble};
    *model = NULL;
    if (load_model(cli, model, &load, &error) != CAROM_OK)
        return carom_cli_fail(error.status == CAROM_NO_MEMORY ? CAROM_EXIT_FAILED : CAROM_EXIT_MODEL, "%s", error.text);
    snprintf(note, sizeof load.note, "%s", load.note);
    int code = CAROM_EXIT_OK;
    carom_status status = carom_model_set(*model, cli->parameter, cli->value, cli->nparameter, &error);
    if (status == CAROM_BAD_ARGUMENT || status == CAROM_BAD_OPTION)
        code = carom_cli_fail(CAROM_EXIT_USAGE, "-p: %s", error.text);
    else if (status != CAROM_OK)
        code = carom_cli_fail(status == CAROM_NO_MEMORY ? CAROM_EXIT_FAILED : CAROM_EXIT_MODEL, "%s", error.text);
    else if (cli->strict && *note)
        code = carom_cli_fail(CAROM_EXIT_FAILED, "%s (--strict)", note);
    if (code != CAROM_EXIT_OK) {
        carom_model_free(*model);
        *model = NULL;
    }
    return code;
}

static bool names_method(const char *key)
{
    return !strcmp(key, "scheme") || !strcmp(key, "solver");
}

int carom_cli_settings(const carom_cli *cli, const carom_model *model, carom_options *options)
{
    carom_error error = {0};
    *options = carom_options_default();
    options->energy = true; /* people look at the balance */
    if (carom_options_from_model(options, model, &error) != CAROM_OK)
        return carom_cli_fail(CAROM_EXIT_MODEL, "%s", error.text);
    /* A field belongs to its method: methods first, whatever the order on the line. */
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < cli->nsetting; i++)
            if (names_method(cli->setting[i].name) == (pass == 0) &&
                carom_options_set(options, cli->setting[i].name, cli->setting[i].value, &error) != CAROM_OK)
                return carom_cli_fail(CAROM_EXIT_USAGE, "%s (see: carom %s%s)", error.text,
                                      pass == 0 ? "list " : "help settings",
                                      pass                                      ? ""
                                      : !strcmp(cli->setting[i].name, "scheme") ? "schemes"
                                                                                : "solvers");
    return CAROM_EXIT_OK;
}

static bool given(const carom_cli *cli, const char *key)
{
    for (int i = 0; i < cli->nsetting; i++)
        if (!strcmp(cli->setting[i].name, key))
            return true;
    return false;
}

void carom_cli_sharpen(const carom_cli *cli, carom_options *o, double tolerance)
{
    if (!given(cli, "rtol"))
        o->rtol = tolerance;
    if (!given(cli, "atol"))
        o->atol = tolerance;
}

/* ---- progress ---- */

double carom_wall_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9*(double)now.tv_nsec;
}

void carom_progress_begin(carom_progress *progress, FILE *file, double t0, double t_end)
{
    const double now = carom_wall_time();
    *progress = (carom_progress){
        .file = file && isatty(fileno(file)) ? file : NULL, .t0 = t0, .t_end = t_end, .wall0 = now, .wall_shown = now};
}

void carom_progress_say(carom_progress *progress, const char *text)
{
    if (!progress->file)
        return;
    fprintf(progress->file, "\r\033[K%s", text);
    fflush(progress->file);
    progress->shown = true;
}

static void show(const carom_progress *progress, double t, double now)
{
    enum { WIDTH = 30 };
    const double part = fmin(fmax((t - progress->t0)/(progress->t_end - progress->t0), 0), 1);
    const double rate = (double)(progress->steps - progress->steps_shown)/(now - progress->wall_shown);
    const double left = part > 0 ? (now - progress->wall0)*(1 - part)/part : INFINITY;
    char bar[WIDTH + 1];
    for (int i = 0; i < WIDTH; i++)
        bar[i] = i < (int)(part*WIDTH) ? '#' : '.';
    bar[WIDTH] = '\0';
    fprintf(progress->file, "\r\033[K%s[%s] %5.1f %%  ", progress->what ? progress->what : "", bar, 100*part);
    if (progress->unit)
        fprintf(progress->file, "%.9g of %.9g %s, %.3g/s", t, progress->t_end, progress->unit,
                (t - progress->t0) / (now - progress->wall0));
    else
        fprintf(progress->file, "t = %.6g  %.3g steps/s", t, rate);
    if (left < 359999)
        fprintf(progress->file, "  %d:%02d:%02d left", (int)left/3600, (int)left/60%60, (int)left%60);
    fflush(progress->file);
}

void carom_progress_step(carom_progress *progress, double t)
{
    progress->steps++;
    if (!progress->file)
        return;
    const double now = carom_wall_time();
    if (now - progress->wall_shown < (progress->shown ? 0.2 : 0.5)) /* short runs stay silent */
        return;
    show(progress, t, now);
    progress->shown = true;
    progress->wall_shown = now;
    progress->steps_shown = progress->steps;
}

void carom_progress_end(carom_progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", progress->file);
    progress->shown = false;
}

/* ---- signals ---- */

static const double SAME_WISH = 0.5; /* seconds */

static atomic_llong first; /* time of the first signal in ns; 0: none */
static carom_sim *volatile running; /* may be NULL */
static volatile sig_atomic_t caught; /* a job looks at the flag */

static void install(void (*handler)(int))
{
#ifdef __wasi__ /* no one sends signals there */
    signal(SIGINT, handler);
#else
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
#endif
}

static void note(int number)
{
    long long before = 0, t = (long long)(1e9 * carom_wall_time()) + 1;
    if (atomic_compare_exchange_strong(&first, &before, t) && running)
        carom_sim_interrupt(running);
    if (before == 0 || (double)(t - before) < 1e9 * SAME_WISH)
        return;
    install(SIG_DFL);
    raise(number); /* delivered when this handler returns */
}

void carom_cli_catch(carom_sim *sim)
{
    running = sim;
    caught = true;
    atomic_store(&first, 0);
    install(note);
}

bool carom_cli_interrupt(void)
{
    if (caught)
        note(SIGINT);
    return caught;
}

void carom_cli_release(void)
{
    install(SIG_DFL);
    caught = false;
    running = NULL;
}

bool carom_cli_interrupted(void)
{
    return atomic_load(&first) != 0;
}

bool carom_cli_stop(void *user)
{
    (void)user;
    return carom_cli_interrupted();
}

/* ---- all of it ---- */

int carom_cli_begin(carom_cli_work *w)
{
    CAROM_CLI_TRY(carom_cli_load(w->cli, &w->model, w->note));
    return carom_cli_settings(w->cli, w->model, &w->options);
}

void carom_cli_start(carom_cli_work *w, double from, double to, const char *unit)
{
    carom_progress_begin(&w->progress, w->cli->quiet ? NULL : stderr, from, to);
    w->progress.unit = unit;
    carom_cli_catch(NULL);
}

void carom_cli_finish(carom_cli_work *w)
{
    carom_cli_release();
    carom_progress_end(&w->progress);
    w->wall_s = carom_wall_time() - w->progress.wall0;
}

static void take_step(void *user, const carom_segment *segment)
{
    carom_cli_work *w = user;
    carom_progress_step(&w->progress, segment->t1);
}

int carom_cli_follow(carom_cli_work *w, carom_sim *sim)
{
    const carom_observer observer = {.size = sizeof observer, .user = w, .segment = take_step};
    return carom_sim_observe(sim, &observer) == CAROM_OK
               ? CAROM_EXIT_OK
               : carom_cli_fail(CAROM_EXIT_FAILED, "the run cannot be observed");
}
