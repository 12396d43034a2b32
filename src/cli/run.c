/* run.c: `carom run`: one trajectory, watched by a progress line and a writer; Ctrl-C ends it between two steps. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/verify.h"
#include "cli/checkpoint.h"
#include "cli/dumps.h"
#include "core/parallel.h"
#include "model/model.h"
#include "output/output.h"
#include "output/part.h"

enum { NOTES = 8 };

typedef struct work {
    carom_cli_work run;
    carom_sim *sim;
    carom_sink *sink;
    carom_checkpoint checkpoint;
    carom_dumps dumps;
    const char *note[NOTES];
    int nnote;
    carom_samples *samples; /* of the run, to verify it */
    carom_verify verify;    /* error NULL: not asked for */
} work;

/* "rtol=1e-08 t_end=10 ...": what the file notes about how it came to be. */
static void describe_options(const carom_options *o, char *line, size_t size)
{
    char number[64];
    const struct {
        const char *key;
        double value;
    } common[] = {{"t_end", o->t_end}, {"h", o->h}, {"rtol", o->rtol}, {"atol", o->atol}, {"every", o->every},
                  {"newton_tol", o->newton_tol}, {"contact_tol", o->contact_tol}};
    *line = '\0';
    for (int i = 0; i < CAROM_COUNT(common); i++)
        snprintf(line + strlen(line), size - strlen(line), "%s%s=%s", i ? " " : "", common[i].key,
                 carom_shortest(common[i].value, number));
    if (o->contact_accept != carom_options_default().contact_accept)
        snprintf(line + strlen(line), size - strlen(line), " contact_accept=%s",
                 carom_shortest(o->contact_accept, number));
    for (const char *at = o->atol_of; *at; at += strcspn(at, " "), at += strspn(at, " "))
        snprintf(line + strlen(line), size - strlen(line), " atol.%.*s", (int)strcspn(at, " "), at);
    if (*o->solver)
        snprintf(line + strlen(line), size - strlen(line), " solver=%s", o->solver);
    for (int i = 0; carom_scheme_method(i); i++) {
        const carom_method *method = carom_scheme_method(i);
        for (int k = 0; !strcmp(method->name, o->scheme) && method->fields && method->fields[k].name; k++)
            snprintf(line + strlen(line), size - strlen(line), " scheme.%s=%s", method->fields[k].name,
                     carom_fields_text(&method->fields[k], o->scheme_field[k], number));
    }
}

/* The model as the file of the results names it: so that it is found from the folder of that file. */
static const char *source_seen(const work *w)
{
    const carom_cli *cli = w->run.cli;
    const char *source = cli->operand[0];
    if (carom_builtin_text(source) || !strchr(cli->output, '/') || *source == '/' || !strcmp(source, "-"))
        return source;
    char *whole = carom_real_path(source);
    const char *kept = whole ? carom_arena_text(cli->arena, whole, strlen(whole)) : NULL;
    free(whole);
    return kept ? kept : source;
}

static int open_output(work *w)
{
    const carom_cli *cli = w->run.cli;
    if (!cli->output || (cli->resumed && carom_checkpoint_complete(cli->resumed)))
        return CAROM_EXIT_OK;
    const char *path = carom_checkpoint_output(cli);
    if (!path)
        return carom_cli_no_memory();
    FILE *stream = carom_cli_stream(&path);
    const carom_options *options = carom_sim_options(w->sim);
    char line[1000];
    const carom_text_file *source = carom_model_file(w->run.model);
    describe_options(options, line, sizeof line);
    const carom_sink_info info = {.size = sizeof info, .scheme = options->scheme,
                                  .options = line,
                                  .source = source_seen(w),
                                  .model_text = source ? source->bytes : NULL,
                                  .gaps = cli->gaps,
                                  .reactions = cli->reactions,
                                  .energy = options->energy};
    carom_error error = {0};
    carom_status status =
        cli->resumed
            ? carom_sink_continue(&w->sink, path, cli->resumed, w->run.model, NULL, &info, options->every, &error)
            : carom_sink_new(&w->sink, path, stream, w->run.model, NULL, &info, options->every, &error);
    if (status != CAROM_OK)
        return carom_cli_fail(status == CAROM_FILE || status == CAROM_NO_MEMORY ? CAROM_EXIT_FAILED : CAROM_EXIT_USAGE,
                              "%s", error.text);
    carom_sink_guard(w->sink, w->sim); /* no point in going on when nothing can be written */
    const carom_observer observer = carom_sink_observer(w->sink);
    return carom_sim_observe(w->sim, &observer) == CAROM_OK
               ? CAROM_EXIT_OK
               : carom_cli_fail(CAROM_EXIT_FAILED, "the run cannot be observed");
}

static int prepare(work *w)
{
    const carom_cli *cli = w->run.cli;
    CAROM_CLI_TRY(carom_checkpoint_plan(&w->checkpoint, cli));
    CAROM_CLI_TRY(carom_cli_begin(&w->run));
    if (*w->run.note)
        w->note[w->nnote++] = w->run.note;
    if (carom_model_differenced(w->run.model)) {
        if (cli->strict)
            return carom_cli_fail(CAROM_EXIT_MODEL,
                                  "the model leaves out derivatives, finite differences would stand in (--strict)");
        w->note[w->nnote++] = "derivatives that the model leaves out are finite differences";
    }
    carom_error error = {0};
    if (!w->run.options.threads)
        w->run.options.threads = carom_threads(cli->threads, INT_MAX);
    CAROM_CLI_TRY(carom_cli_done(carom_sim_new(&w->sim, w->run.model, &w->run.options, &error), &error));
    if (*carom_sim_note(w->sim)) {
        if (cli->strict)
            return carom_cli_fail(CAROM_EXIT_FAILED, "%s (--strict)", carom_sim_note(w->sim));
        w->note[w->nnote++] = carom_sim_note(w->sim);
    }
    CAROM_CLI_TRY(open_output(w));
    CAROM_CLI_TRY(carom_checkpoint_begin(&w->checkpoint, w->run.model, w->sim, w->sink));
    if (cli->verify)
        CAROM_CLI_TRY(carom_cli_done(carom_samples_new(&w->samples, w->sim, w->run.model, &error), &error));
    return cli->quiet ? CAROM_EXIT_OK : carom_cli_follow(&w->run, w->sim);
}

/* Closes the file; a failed write outranks how the run ended. */
static int close_output(work *w, int code)
{
    carom_error error = {0};
    int closed = carom_cli_done(carom_sink_close(w->sink, &error), &error);
    w->sink = NULL;
    return closed == CAROM_EXIT_OK ? code : closed;
}

static void put_verify(carom_json *json, void *user)
{
    const work *w = user;
    const carom_verify *v = &w->verify;
    carom_json_number(json, "t_end", v->t_end);
    carom_json_number(json, v->fixed ? "h" : "rtol", v->fixed ? v->h : v->rtol);
    carom_json_named(json, "error", w->run.model, carom_model_q_name, v->error, w->run.model->nq);
    if (v->by_tolerance)
        carom_json_named(json, "tolerance", w->run.model, carom_model_q_name, v->allowed, w->run.model->nq);
    carom_json_object(json, "family");
    carom_json_string(json, "scheme", v->family);
    if (v->family) {
        carom_json_number(json, "h", v->family_h);
        carom_json_named(json, "apart", w->run.model, carom_model_q_name, v->apart, w->run.model->nq);
        carom_json_named(json, "estimate", w->run.model, carom_model_q_name, v->estimate, w->run.model->nq);
        carom_json_bool(json, "agrees", v->agrees);
    } else
        carom_json_string(json, "message", v->family_note);
    carom_json_end(json);
}

/* The coordinate that misses its tolerance most, by more than a factor of ten; -1: none does. */
static int worst_of(const work *w)
{
    const carom_verify *v = &w->verify;
    int worst = -1;
    double most = 10;
    for (int i = 0; i < w->run.model->nq && v->by_tolerance; i++)
        if (!(v->error[i] <= most * v->allowed[i]))
            worst = i, most = v->error[i] / v->allowed[i];
    return worst;
}

static void say_verify(const work *w, FILE *out)
{
    const carom_verify *v = &w->verify;
    char name[32];
    if (!v->fixed)
        fprintf(out, "  %s on [0, %.6g] with a run with rtol = %.2g, atol = %.2g:\n",
                v->by_tolerance && worst_of(w) < 0 ? "verified" : "compared", v->t_end, v->rtol, v->atol);
    else
        fprintf(out, "  compared on [0, %.6g] with a run with h = %.3g:\n", v->t_end, v->h);
    for (int i = 0; i < w->run.model->nq; i++) {
        fprintf(out, "    %-12s error %.2e", carom_model_q_name(w->run.model, i, name), v->error[i]);
        fprintf(out, v->by_tolerance ? "   tolerance %.2e   (%.2g of it)\n" : "\n", v->allowed[i],
                v->error[i] / v->allowed[i]);
    }
    if (!v->family) {
        fprintf(out, "  not compared with another family: %s\n", v->family_note);
        return;
    }
    fprintf(out, "  %s with %s, h = %.3g and %.3g:\n", v->agrees ? "agrees" : "does NOT agree", v->family,
            2 * v->family_h, v->family_h);
    for (int i = 0; i < w->run.model->nq; i++)
        fprintf(out, "    %-12s apart %.2e   its own estimate %.2e\n", carom_model_q_name(w->run.model, i, name),
                v->apart[i], v->estimate[i]);
}

static bool go_on(void *user, double t)
{
    work *w = user;
    carom_progress_step(&w->run.progress, t);
    return !carom_cli_interrupted();
}

/* --verify: the run once more, from outside and more accurately. */
static int verify(work *w, int code)
{
    carom_error error = {0};
    int n = w->run.model->nq;
    const carom_options *options = carom_sim_options(w->sim);
    if (!w->run.cli->verify || code != CAROM_EXIT_OK)
        return code;
    double *room = CAROM_NEW(w->run.cli->arena, double, 4 * n);
    if (!room)
        return carom_cli_fail(CAROM_EXIT_FAILED, "no memory to verify the run");
    w->verify = (carom_verify){.size = sizeof(carom_verify), .error = room, .allowed = room + n, .apart = room + 2 * n,
                               .estimate = room + 3 * n, .go_on = go_on, .user = w};
    const double wall_s = w->run.wall_s; /* of the run alone */
    carom_cli_start(&w->run, 0, options->t_end, NULL);
    w->run.progress.what = "verifying ";
    carom_status status = carom_verify_against(&w->verify, w->run.model, options, w->samples, &error);
    carom_cli_finish(&w->run);
    w->run.wall_s = wall_s;
    if (status != CAROM_OK) {
        w->verify.error = NULL;
        return status == CAROM_INTERRUPTED
                   ? carom_cli_fail(CAROM_EXIT_INTERRUPTED, "the run is complete, but its verification was %s",
                                    error.text)
                   : carom_cli_fail(CAROM_EXIT_UNMET, "the run could not be verified: %s", error.text);
    }
    int worst = worst_of(w);
    char name[32];
    if (worst < 0 && !w->verify.agrees)
        return carom_cli_fail(CAROM_EXIT_UNMET, "not verified: %s is further away than three times its own error",
                              w->verify.family);
    if (worst < 0)
        return code;
    return carom_cli_fail(
        CAROM_EXIT_UNMET,
        "not verified: '%s' is off by %.2g, %.2g times its tolerance; in a sensitive motion errors grow with time",
        carom_model_q_name(w->run.model, worst, name), w->verify.error[worst],
        w->verify.error[worst] / w->verify.allowed[worst]);
}

static int summarize(work *w, carom_status status, int code)
{
    const carom_cli *cli = w->run.cli;
    const carom_error *why = carom_sim_error(w->sim);
    const carom_summary summary = {.size = sizeof summary, .model = w->run.model,
                                   .options = carom_sim_options(w->sim),
                                   .state = carom_sim_state(w->sim),
                                   .info = carom_sim_info(w->sim),
                                   .status = status,
                                   .wall_s = w->run.wall_s,
                                   .notes = w->note,
                                   .nnote = w->nnote,
                                   .verify = w->verify.error ? put_verify : NULL,
                                   .user = w,
                                   .message = cli->json && status > CAROM_INTERRUPTED && *why->text ? why->text : NULL};
    carom_error error = {0};
    carom_status written = CAROM_OK;
    FILE *people = cli->output && !strcmp(cli->output, "-") ? stderr : stdout; /* data on stdout stays alone */
    if (cli->json)
        written = carom_summary_json(&summary, "standard output", stdout, &error);
    else if (!cli->quiet)
        written = carom_summary_text(&summary, "standard output", people, &error);
    if (w->verify.error && !cli->json && !cli->quiet)
        say_verify(w, people);
    return written == CAROM_OK ? code : carom_cli_done(written, &error);
}

static int judge(const work *w, carom_status status)
{
    const carom_state *state = carom_sim_state(w->sim);
    const carom_options *options = carom_sim_options(w->sim);
    const carom_info *info = carom_sim_info(w->sim);
    const char *output = w->run.cli->output;
    int code = carom_cli_exit(status);
    if (status == CAROM_INTERRUPTED && !(w->sink && carom_sink_status(w->sink)->status != CAROM_OK))
        carom_cli_fail(0, "interrupted at t = %g of %g%s%s%s%s", state->t, options->t_end,
                       output ? "; written until there: " : "", output ? output : "",
                       w->checkpoint.path ? "; to go on: carom resume " : "",
                       w->checkpoint.path ? w->checkpoint.path : "");
    else if (status > CAROM_INTERRUPTED)
        carom_cli_fail(0, "%s",
                       *carom_sim_error(w->sim)->text ? carom_sim_error(w->sim)->text : carom_status_text(status));
    if (code == CAROM_EXIT_OK && w->run.cli->strict && info->max_residual > options->contact_tol)
        code = carom_cli_fail(CAROM_EXIT_UNMET,
                              "a contact problem was solved to %.3g only, contact_tol is %.3g (--strict)",
                              info->max_residual, options->contact_tol);
    return code;
}

static int simulate(work *w)
{
    const carom_cli *cli = w->run.cli;
    if (cli->json && cli->output && !strcmp(cli->output, "-"))
        return carom_cli_fail(CAROM_EXIT_USAGE, "--json and -o - would both write to standard output");
    CAROM_CLI_TRY(prepare(w));
    CAROM_CLI_TRY(carom_dumps_begin(&w->dumps, cli, w->sim));
    const double t_end = carom_sim_options(w->sim)->t_end;
    carom_cli_start(&w->run, carom_sim_state(w->sim)->t, t_end, NULL);
    carom_cli_catch(w->sim);
    carom_status status = carom_sim_run(w->sim, t_end);
    carom_cli_finish(&w->run);
    w->run.wall_s += carom_checkpoint_spent(&w->checkpoint);
    if (status == CAROM_INTERRUPTED)
        carom_checkpoint_interrupted(&w->checkpoint);
    int code = carom_dumps_end(&w->dumps, close_output(w, judge(w, status)));
    bool complete = code == CAROM_EXIT_OK && (status == CAROM_OK || status == CAROM_STOPPED);
    code = carom_checkpoint_end(&w->checkpoint, complete, code);
    if (cli->dump && (status == CAROM_NO_SOLUTION || status == CAROM_NOT_CONVERGED) &&
        carom_sim_dump(w->sim, cli->dump) == CAROM_FILE)
        carom_cli_fail(0, "%s", carom_sim_error(w->sim)->text);
    const char *said = carom_sim_note(w->sim);
    if (*said && w->nnote < NOTES && !(w->nnote && w->note[w->nnote - 1] == said))
        w->note[w->nnote++] = said; /* what the run itself brought up */
    return summarize(w, status, verify(w, code));
}

static int run(const carom_cli *cli)
{
    work w = {.run.cli = cli};
    int code = simulate(&w);
    carom_sink_close(w.sink, NULL);
    carom_archive_free(&w.checkpoint.archive);
    carom_sim_free(w.sim);
    carom_samples_free(w.samples);
    carom_model_free(w.run.model);
    return code;
}

const carom_cli_command carom_cli_run_command = {
    "run", "MODEL", 1, 1, CAROM_CLI_RUN, run, "compute one trajectory",
    "Computes one trajectory of MODEL, the path of a model file or the name of a built-in model (carom list models), "
    "and prints a summary. What the options leave open is taken from the model's section 'run', then from the "
    "defaults. Ctrl-C ends the run after the current step; files are closed and can be read.",
    "carom run bouncing-ball\n"
    "carom run ball.yaml --t-end 5 --every 0.01 -o ball.csv\n"
    "carom run impact-oscillator -p w=2.6 --scheme moreau-jean:theta=1 --h 1e-3 --json",
    carom_checkpoint_options};
