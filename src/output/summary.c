/* summary.c: what came of a run, as the object of `carom run --json` and as text for people. */
#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "bodies/bodies.h"
#include "model/model.h"
#include "output/json.h"

/* CAROM_NOT_CONVERGED -> not_converged */
static const char *status_word(carom_status status, char *word, size_t size)
{
    static const char *const names[] = {
#define NAME(name, words) #name,
        CAROM_STATUS_LIST(NAME)
#undef NAME
    };
    const char *from = names[status] + strlen("CAROM_");
    size_t i = 0;
    for (; from[i] && i + 1 < size; i++)
        word[i] = (char)tolower((unsigned char)from[i]);
    word[i] = '\0';
    return word;
}

/* ---- json ---- */

static const carom_result_field counts[] = {
    CAROM_CELL("steps", CAROM_LONG, carom_info, steps),
    CAROM_CELL("rejected", CAROM_LONG, carom_info, rejected),
    CAROM_CELL("switches", CAROM_LONG, carom_info, switches),
    CAROM_CELL("rhs_evaluations", CAROM_LONG, carom_info, rhs_evaluations),
    CAROM_CELL("impacts", CAROM_LONG, carom_info, events[CAROM_EVENT_IMPACT]),
    CAROM_CELL("accumulations", CAROM_INT, carom_info, nzeno),
    {.name = NULL}};
static const carom_result_field worst[] = {
    CAROM_CELL("max_penetration", CAROM_NUMBER, carom_info, max_penetration),
    CAROM_CELL("max_residual", CAROM_NUMBER, carom_info, max_residual),
    {.name = NULL}};
static const carom_result_field energy[] = {
    CAROM_BEGIN_OBJECT("energy"),
    CAROM_CELL("initial", CAROM_NUMBER, carom_info, energy_initial),
    CAROM_CELL("final", CAROM_NUMBER, carom_info, energy_final),
    CAROM_BEGIN_OBJECT("work"),
    CAROM_CELL("external", CAROM_NUMBER, carom_info, work_external),
    CAROM_CELL("constraints", CAROM_NUMBER, carom_info, work_constraints),
    CAROM_END_OBJECT,
    CAROM_BEGIN_OBJECT("dissipated"),
    CAROM_CELL("impact", CAROM_NUMBER, carom_info, dissipated_impact),
    CAROM_CELL("friction", CAROM_NUMBER, carom_info, dissipated_friction),
    CAROM_CELL("viscous", CAROM_NUMBER, carom_info, dissipated_viscous),
    CAROM_CELL("dry", CAROM_NUMBER, carom_info, dissipated_dry),
    CAROM_END_OBJECT,
    CAROM_CELL("balance_error", CAROM_NUMBER, carom_info, balance_error),
    CAROM_END_OBJECT,
    {.name = NULL}};
static const carom_result_field of_zeno[] = {
    CAROM_CELL("t", CAROM_NUMBER, carom_zeno, t),
    CAROM_CELL("impacts", CAROM_LONG, carom_zeno, impacts),
    CAROM_CELL("skipped", CAROM_LONG, carom_zeno, skipped),
    CAROM_CELL("swallowed", CAROM_LONG, carom_zeno, skipped), /* the key of versions up to 0.1 */
    {.name = NULL}};

static void put_events(carom_json *json, const carom_summary *s)
{
    char name[200];
    carom_json_object(json, "events");
    for (int i = 0; i < CAROM_EVENT_TYPES; i++) {
        const carom_result_field one[] = {{.name = carom_event_name((carom_event_type)i), .cell = CAROM_LONG,
                                           .offset = offsetof(carom_info, events) + sizeof(long) * (size_t)i},
                                          {.name = NULL}};
        carom_json_fields(json, one, s->info);
    }
    carom_json_end(json);
    carom_json_array(json, "zeno");
    for (int i = 0; s->info && i < CAROM_MIN(s->info->nzeno, CAROM_ZENO_MAX); i++) {
        const carom_zeno *z = &s->info->zeno[i];
        carom_json_object(json, NULL);
        carom_json_string(json, "contact", carom_contact_called(s->model, z->contact, z->id, name, sizeof name));
        carom_json_fields(json, of_zeno, z);
        carom_json_end(json);
    }
    carom_json_end(json);
}

static void put_paradox(carom_json *json, const carom_summary *s)
{
    const carom_info *info = s->info;
    char name[200];
    if (!info || info->paradox == CAROM_NO_PARADOX)
        return;
    carom_json_object(json, "state");
    carom_json_string(json, "name", info->paradox == CAROM_INCONSISTENT ? "inconsistent" : "not unique");
    carom_json_number(json, "t", info->paradox_time);
    carom_json_string(json, "contact",
                      carom_contact_called(s->model, info->paradox_contact, info->paradox_id, name, sizeof name));
    if (s->message)
        carom_json_string(json, "reason", s->message);
    carom_json_end(json);
}

static carom_status check(const carom_summary *s, carom_error *error)
{
    CAROM_SIZED(s, carom_summary, error);
    CAROM_NEED(s->model, error);
    CAROM_NEED(s->options, error);
    return CAROM_OK;
}

carom_status carom_summary_json(const carom_summary *s, const char *path, FILE *stream, carom_error *error)
{
    carom_json *json;
    char word[40];
    CAROM_TRY(check(s, error));
    CAROM_TRY(carom_json_new(&json, path, stream, true, error));
    carom_json_object(json, NULL);
    carom_json_string(json, "model", s->model->name);
    carom_json_string(json, "scheme", s->options->scheme);
    carom_json_string(json, "status", status_word(s->status, word, sizeof word));
    carom_json_number(json, "t", s->state ? s->state->t : NAN);
    carom_json_named(json, "q", s->model, carom_model_q_name, s->state ? s->state->q : NULL, s->model->nq);
    carom_json_named(json, "v", s->model, carom_model_v_name, s->state ? s->state->v : NULL, s->model->nv);
    carom_json_fields(json, counts, s->info);
    put_events(json, s);
    put_paradox(json, s);
    carom_json_fields(json, worst, s->info);
    carom_json_fields(json, energy, s->options->energy ? s->info : NULL); /* without the accounting: null, not 0 */
    if (s->verify) {
        carom_json_object(json, "verify");
        s->verify(json, s->user);
        carom_json_end(json);
    }
    if (s->message)
        carom_json_string(json, "message", s->message);
    if (s->nnote)
        carom_json_texts(json, "notes", s->notes, s->nnote);
    carom_json_number(json, "wall_s", s->wall_s);
    return carom_json_close(json, error);
}

/* ---- text ---- */

static const char *plural(long n)
{
    return n == 1 ? "" : "s";
}

/* Is it the velocity of the coordinate of that name, the k-th or one soon after? Spins have names of their own; both
 * lists have the bodies in one order. */
static bool is_rate(const carom_model *model, const char *name, int *k)
{
    char buffer[32];
    for (int i = *k; i < CAROM_MIN(model->nq, *k + 8); i++)
        if (strcmp(carom_model_q_name(model, i, buffer), name) == 0) {
            *k = i + 1;
            return true;
        }
    return false;
}

static void say_state(carom_stream *out, const carom_model *model, const carom_state *state)
{
    char buffer[32];
    int widest = 1;
    for (int i = 0; i < model->nq; i++)
        widest = CAROM_MAX(widest, (int)strlen(carom_model_q_name(model, i, buffer)));
    for (int i = 0; i < model->nq; i++) {
        const char *name = carom_model_q_name(model, i, buffer);
        if (model->manifold)
            carom_stream_format(out, "  %-*s = %.10g\n", widest, name, state->q[i]);
        else
            carom_stream_format(out, "  %-*s = %-18.10g %s'%*s = %.10g\n", widest, name, state->q[i], name,
                                widest - (int)strlen(name), "", state->v[i]);
    }
    for (int i = 0, k = 0; model->manifold && i < model->nv; i++) {
        const char *name = carom_model_v_name(model, i, buffer);
        bool rate = is_rate(model, name, &k);
        carom_stream_format(out, "  %s%s%*s = %.10g\n", name, rate ? "'" : "",
                            CAROM_MAX(widest - (int)strlen(name) - rate, 0), "", state->v[i]);
    }
}

static void say_counts(carom_stream *out, const carom_info *info)
{
    carom_stream_format(out, "  %ld step%s, %ld rejected, %ld evaluations of (M, F)\n", info->steps,
                        plural(info->steps), info->rejected, info->rhs_evaluations);
    const char *before = "  ";
    for (int i = 0; i < CAROM_EVENT_TYPES; i++) {
        if (info->events[i] == 0)
            continue;
        bool plain = i == CAROM_EVENT_IMPACT;
        carom_stream_format(out, "%s%ld %s%s", before, info->events[i], carom_event_name((carom_event_type)i),
                            plain ? plural(info->events[i]) : "");
        before = ", ";
    }
    if (before[0] == ',')
        carom_stream_format(out, "\n");
    if (info->switches)
        carom_stream_format(out, "  %ld change%s of a branch of the forces\n", info->switches, plural(info->switches));
    carom_stream_format(out, "  largest penetration %.3g, largest residual %.3g\n", info->max_penetration,
                        info->max_residual);
}

static void say_energy(carom_stream *out, const carom_info *info)
{
    carom_stream_format(out, "  energy %.10g -> %.10g, work: external %.6g, constraints %.6g\n", info->energy_initial,
                        info->energy_final, info->work_external, info->work_constraints);
    carom_stream_format(out, "  dissipated: impact %.6g, friction %.6g, viscous %.6g", info->dissipated_impact,
                        info->dissipated_friction, info->dissipated_viscous);
    if (info->dissipated_dry != 0)
        carom_stream_format(out, ", dry %.6g", info->dissipated_dry);
    carom_stream_format(out, "; balance error %.3g\n", info->balance_error);
}

carom_status carom_summary_text(const carom_summary *s, const char *path, FILE *stream, carom_error *error)
{
    carom_stream out;
    CAROM_TRY(check(s, error));
    CAROM_TRY(carom_stream_open(&out, path, stream, error));
    carom_stream_format(&out, "%.400s, scheme %s: ", s->model->name, s->options->scheme);
    if (s->state)
        carom_stream_format(&out, "t = %.10g, ", s->state->t);
    carom_stream_format(&out, "%s\n", carom_status_text(s->status));
    if (s->message)
        carom_stream_format(&out, "  %s\n", s->message);
    if (s->state)
        say_state(&out, s->model, s->state);
    if (s->info)
        say_counts(&out, s->info);
    for (int i = 0; s->info && i < CAROM_MIN(s->info->nzeno, CAROM_ZENO_MAX); i++) {
        const carom_zeno *z = &s->info->zeno[i];
        char name[200];
        carom_stream_format(&out, "  accumulation of impacts at '%s' at t = %.10g: %ld computed, %ld more skipped\n",
                            carom_contact_called(s->model, z->contact, z->id, name, sizeof name), z->t, z->impacts,
                            z->skipped);
    }
    if (s->info && s->info->nzeno > CAROM_ZENO_MAX)
        carom_stream_format(&out, "  and %d more accumulations\n", s->info->nzeno - CAROM_ZENO_MAX);
    if (s->info && s->options->energy)
        say_energy(&out, s->info);
    for (int i = 0; i < s->nnote; i++)
        carom_stream_format(&out, "  note: %s\n", s->notes[i]);
    carom_stream_format(&out, "  %.3g s\n", s->wall_s);
    return carom_stream_close(&out, error);
}
