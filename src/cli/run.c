/* run.c: `carom run`: one trajectory, watched by a progress line and a writer; Ctrl-C ends it between two steps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/verify.h"
#include "cli/cli.h"
#include "model/model.h"
#include "output/output.h"

enum { NOTES = 8 };

typedef struct work {
    const carom_cli *cli;
    carom_model *model;
    carom_options options;
    carom_sim *sim;
    carom_sink *sink;
    carom_progress progress;
    const char *note[NOTES];
    int nnote;
    char load_note[200];
    double wall_s;
    carom_samples *samples; /* of the run, to verify it */
    carom_verify verify;    /* error NULL: not asked for */
} work;

/* Follows the run: the progress line; and there is no point in going on when nothing can be written. */
static void watch(void *user, const carom_segment *segment)
{
    work *w = user;
    carom_progress_step(&w->progress, segment->t1);
    if (w->sink && carom_sink_status(w->sink)->status != CAROM_OK)
        carom_sim_interrupt(w->sim);
}

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

static int open_output(work *w)
{
    const carom_cli *cli = w->cli;
    if (!cli->output)
        return CAROM_EXIT_OK;
    const bool to_stdout = !strcmp(cli->output, "-");
    const carom_options *options = carom_sim_options(w->sim);
    char line[1000];
    const carom_text_file *source = carom_model_file(w->model);
    describe_options(options, line, sizeof line);
    const carom_sink_info info = {.scheme = options->scheme,
                                  .options = line,
                                  .source = cli->operand[0],
                                  .model_text = source ? source->bytes : NULL,
                                  .gaps = cli->gaps,
                                  .energy = options->energy};
    carom_error error = {0};
    carom_status status = carom_sink_new(&w->sink, to_stdout ? "standard output" : cli->output,
                                         to_stdout ? stdout : NULL, w->model, NULL, &info, options->every, &error);
    if (status != CAROM_OK)
        return carom_cli_fail(status == CAROM_FILE || status == CAROM_NO_MEMORY ? CAROM_EXIT_FAILED : CAROM_EXIT_USAGE,
                              "%s", error.text);
    const carom_observer observer = carom_sink_observer(w->sink);
    return carom_sim_observe(w->sim, &observer) == CAROM_OK
               ? CAROM_EXIT_OK
               : carom_cli_fail(CAROM_EXIT_FAILED, "the run cannot be observed");
}

static int prepare(work *w)
{
    const carom_cli *cli = w->cli;
    int code = carom_cli_load(cli, &w->model, w->load_note);
    if (code == CAROM_EXIT_OK)
        code = carom_cli_settings(cli, w->model, &w->options);
    if (code != CAROM_EXIT_OK)
        return code;
    if (*w->load_note)
        w->note[w->nnote++] = w->load_note;
    if (carom_model_differenced(w->model)) {
        if (cli->strict)
            return carom_cli_fail(CAROM_EXIT_MODEL,
                                  "the model leaves out derivatives, finite differences would stand in (--strict)");
        w->note[w->nnote++] = "derivatives that the model leaves out are finite differences";
    }
    carom_error error = {0};
    carom_status status = carom_sim_new(&w->sim, w->model, &w->options, &error);
    if (status != CAROM_OK)
        return carom_cli_fail(carom_cli_exit(status), "%s", error.text);
    if (*carom_sim_note(w->sim)) {
        if (cli->strict)
            return carom_cli_fail(CAROM_EXIT_FAILED, "%s (--strict)", carom_sim_note(w->sim));
        w->note[w->nnote++] = carom_sim_note(w->sim);
    }
    code = open_output(w);
    if (code != CAROM_EXIT_OK)
        return code;
    if (cli->verify && carom_samples_new(&w->samples, w->sim, w->model, &error) != CAROM_OK)
        return carom_cli_fail(CAROM_EXIT_FAILED, "%s", error.text);
    const carom_observer watcher = {.size = sizeof watcher, .user = w, .segment = watch};
    const bool look = w->sink || !cli->quiet;
    if (look && carom_sim_observe(w->sim, &watcher) != CAROM_OK)
        return carom_cli_fail(CAROM_EXIT_FAILED, "the run cannot be observed");
    return CAROM_EXIT_OK;
}

/* Closes the file; a failed write outranks how the run ended. */
static int close_output(work *w, int code)
{
    carom_error error = {0};
    if (!w->sink || carom_sink_close(w->sink, &error) == CAROM_OK) {
        w->sink = NULL;
        return code;
    }
    w->sink = NULL;
    return carom_cli_fail(CAROM_EXIT_FAILED, "%s", error.text);
}

static void put_verify(carom_json *json, void *user)
{
    const work *w = user;
    const carom_verify *v = &w->verify;
    char name[32];
    carom_json_number(json, "t_end", v->t_end);
    carom_json_number(json, v->fixed ? "h" : "rtol", v->fixed ? v->h : v->rtol);
    carom_json_object(json, "error");
    for (int i = 0; i < w->model->nq; i++)
        carom_json_number(json, carom_model_q_name(w->model, i, name), v->error[i]);
    carom_json_end(json);
    if (!v->by_tolerance)
        return;
    carom_json_object(json, "tolerance");
    for (int i = 0; i < w->model->nq; i++)
        carom_json_number(json, carom_model_q_name(w->model, i, name), v->allowed[i]);
    carom_json_end(json);
}

/* The coordinate that misses its tolerance most, by more than a factor of ten; -1: none does. */
static int worst_of(const work *w)
{
    const carom_verify *v = &w->verify;
    int worst = -1;
    double most = 10;
    for (int i = 0; i < w->model->nq && v->by_tolerance; i++)
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
    for (int i = 0; i < w->model->nq; i++) {
        fprintf(out, "    %-12s error %.2e", carom_model_q_name(w->model, i, name), v->error[i]);
        fprintf(out, v->by_tolerance ? "   tolerance %.2e   (%.2g of it)\n" : "\n", v->allowed[i],
                v->error[i] / v->allowed[i]);
    }
}

static bool go_on(void *user, double t)
{
    work *w = user;
    carom_progress_step(&w->progress, t);
    return !carom_cli_interrupted();
}

/* --verify: the run once more, from outside and more accurately. */
static int verify(work *w, int code)
{
    carom_error error = {0};
    int n = w->model->nq;
    const carom_options *options = carom_sim_options(w->sim);
    if (!w->cli->verify || code != CAROM_EXIT_OK)
        return code;
    double *room = calloc((size_t)(2 * n), sizeof *room);
    if (!room)
        return carom_cli_fail(CAROM_EXIT_FAILED, "no memory to verify the run");
    w->verify = (carom_verify){.error = room, .allowed = room + n, .go_on = go_on, .user = w};
    carom_progress_begin(&w->progress, w->cli->quiet ? NULL : stderr, 0, options->t_end);
    w->progress.what = "verifying ";
    carom_cli_catch(NULL);
    carom_status status = carom_verify_against(&w->verify, w->model, options, w->samples, &error);
    carom_cli_release();
    carom_progress_end(&w->progress);
    if (status != CAROM_OK) {
        free(room);
        w->verify.error = NULL;
        return status == CAROM_INTERRUPTED
                   ? carom_cli_fail(CAROM_EXIT_INTERRUPTED, "the run is complete, but its verification was %s",
                                    error.text)
                   : carom_cli_fail(CAROM_EXIT_UNMET, "the run could not be verified: %s", error.text);
    }
    int worst = worst_of(w);
    char name[32];
    if (worst < 0)
        return code;
    return carom_cli_fail(
        CAROM_EXIT_UNMET,
        "not verified: '%s' is off by %.2g, %.2g times its tolerance; in a sensitive motion errors grow with time",
        carom_model_q_name(w->model, worst, name), w->verify.error[worst],
        w->verify.error[worst] / w->verify.allowed[worst]);
}

static int summarize(work *w, carom_status status, int code)
{
    const carom_cli *cli = w->cli;
    const carom_error *why = carom_sim_error(w->sim);
    const carom_summary summary = {.model = w->model,
                                   .options = carom_sim_options(w->sim),
                                   .state = carom_sim_state(w->sim),
                                   .info = carom_sim_info(w->sim),
                                   .status = status,
                                   .wall_s = w->wall_s,
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
    return written == CAROM_OK ? code : carom_cli_fail(CAROM_EXIT_FAILED, "%s", error.text);
}

static int judge(const work *w, carom_status status)
{
    const carom_state *state = carom_sim_state(w->sim);
    const carom_options *options = carom_sim_options(w->sim);
    const carom_info *info = carom_sim_info(w->sim);
    int code = carom_cli_exit(status);
    if (status == CAROM_INTERRUPTED && !(w->sink && carom_sink_status(w->sink)->status != CAROM_OK))
        carom_cli_fail(0, "interrupted at t = %g of %g%s%s", state->t, options->t_end,
                       w->cli->output ? "; written until there: " : "", w->cli->output ? w->cli->output : "");
    else if (status > CAROM_INTERRUPTED)
        carom_cli_fail(0, "%s",
                       *carom_sim_error(w->sim)->text ? carom_sim_error(w->sim)->text : carom_status_text(status));
    if (code == CAROM_EXIT_OK && w->cli->strict && info->max_residual > options->contact_tol)
        code = carom_cli_fail(CAROM_EXIT_UNMET,
                              "a contact problem was solved to %.3g only, contact_tol is %.3g (--strict)",
                              info->max_residual, options->contact_tol);
    return code;
}

int carom_cli_run(const carom_cli *cli)
{
    work w = {.cli = cli};
    if (cli->json && cli->output && !strcmp(cli->output, "-"))
        return carom_cli_fail(CAROM_EXIT_USAGE, "--json and -o - would both write to standard output");
    int code = prepare(&w);
    if (code == CAROM_EXIT_OK) {
        const double t_end = carom_sim_options(w.sim)->t_end;
        carom_progress_begin(&w.progress, cli->quiet ? NULL : stderr, carom_sim_state(w.sim)->t, t_end);
        carom_cli_catch(w.sim);
        carom_status status = carom_sim_run(w.sim, t_end);
        carom_cli_release();
        carom_progress_end(&w.progress);
        w.wall_s = carom_wall_time() - w.progress.wall0;
        code = judge(&w, status);
        code = close_output(&w, code);
        if (cli->dump && (status == CAROM_NO_SOLUTION || status == CAROM_NOT_CONVERGED) &&
            carom_sim_dump(w.sim, cli->dump) == CAROM_FILE)
            carom_cli_fail(0, "%s", carom_sim_error(w.sim)->text);
        if (*carom_sim_note(w.sim) && w.nnote < NOTES && !(w.nnote && w.note[w.nnote - 1] == carom_sim_note(w.sim)))
            w.note[w.nnote++] = carom_sim_note(w.sim); /* what the run itself brought up */
        code = verify(&w, code);
        code = summarize(&w, status, code);
    }
    carom_sink_close(w.sink, NULL);
    free(w.verify.error);
    carom_sim_free(w.sim);
    carom_samples_free(w.samples);
    carom_model_free(w.model);
    return code;
}
