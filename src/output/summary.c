/* summary.c: what came of a run, as the object of `carom run --json` and as text for people. */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "model/model.h"
#include "output/stream.h"

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
static void put_values(carom_json *json, const char *key, const carom_model *model, const double *values, int n)
{
    char buffer[32];
    carom_json_object(json, key);
    for (int i = 0; i < n; i++)
        carom_json_number(json, carom_model_q_name(model, i, buffer), values ? values[i] : NAN);
    carom_json_end(json);
}

static void put_count(carom_json *json, const char *key, const carom_info *info, long count)
{
    if (info)
        carom_json_integer(json, key, count);
    else
        carom_json_null(json, key);
}

static void put_counts(carom_json *json, const carom_info *info)
{
    static const carom_info none;
    const carom_info *from = info ? info : &none;
    put_count(json, "steps", info, from->steps);
    put_count(json, "rejected", info, from->rejected);
    put_count(json, "switches", info, from->switches);
    put_count(json, "rhs_evaluations", info, from->rhs_evaluations);
    put_count(json, "impacts", info, from->events[CAROM_EVENT_IMPACT]);
    carom_json_object(json, "events");
    for (int i = 0; i < CAROM_EVENT_TYPES; i++)
        put_count(json, carom_event_name((carom_event_type)i), info, from->events[i]);
    carom_json_end(json);
}

static void put_zeno(carom_json *json, const carom_summary *s)
{
    carom_json_array(json, "zeno");
    for (int i = 0; s->info && i < CAROM_MIN(s->info->nzeno, CAROM_ZENO_MAX); i++) {
        const carom_zeno *zeno = &s->info->zeno[i];
        char name[32];
        carom_json_object(json, NULL);
        carom_json_string(json, "contact", carom_model_contact_name(s->model, zeno->contact, name));
        carom_json_number(json, "t", zeno->t);
        carom_json_integer(json, "impacts", zeno->impacts);
        carom_json_integer(json, "skipped", zeno->skipped);
        carom_json_integer(json, "swallowed", zeno->skipped); /* the key of versions up to 0.1 */
        carom_json_end(json);
    }
    carom_json_end(json);
}

/* Without the accounting there are no numbers: null, not 0. */
static void put_energy(carom_json *json, const carom_summary *s)
{
    carom_info all_nan = {.energy_initial = NAN, .energy_final = NAN, .work_external = NAN, .work_constraints = NAN,
                          .dissipated_impact = NAN, .dissipated_friction = NAN, .dissipated_viscous = NAN,
                          .balance_error = NAN};
    const carom_info *from = s->info && s->options->energy ? s->info : &all_nan;
    carom_json_object(json, "energy");
    carom_json_number(json, "initial", from->energy_initial);
    carom_json_number(json, "final", from->energy_final);
    carom_json_object(json, "work");
    carom_json_number(json, "external", from->work_external);
    carom_json_number(json, "constraints", from->work_constraints);
    carom_json_end(json);
    carom_json_object(json, "dissipated");
    carom_json_number(json, "impact", from->dissipated_impact);
    carom_json_number(json, "friction", from->dissipated_friction);
    carom_json_number(json, "viscous", from->dissipated_viscous);
    carom_json_end(json);
    carom_json_number(json, "balance_error", from->balance_error);
    carom_json_end(json);
}

static void put_paradox(carom_json *json, const carom_summary *s)
{
    char name[32];
    if (!s->info || s->info->paradox == CAROM_NO_PARADOX)
        return;
    carom_json_object(json, "state");
    carom_json_string(json, "name", s->info->paradox == CAROM_INCONSISTENT ? "inconsistent" : "not unique");
    carom_json_number(json, "t", s->info->paradox_time);
    carom_json_string(json, "contact", carom_model_contact_name(s->model, s->info->paradox_contact, name));
    if (s->message)
        carom_json_string(json, "reason", s->message);
    carom_json_end(json);
}

static void put_notes(carom_json *json, const carom_summary *s)
{
    if (s->message)
        carom_json_string(json, "message", s->message);
    if (s->nnote == 0)
        return;
    carom_json_array(json, "notes");
    for (int i = 0; i < s->nnote; i++)
        carom_json_string(json, NULL, s->notes[i]);
    carom_json_end(json);
}

carom_status carom_summary_json(const carom_summary *s, const char *path, FILE *stream, carom_error *error)
{
    carom_json *json;
    char word[40];
    CAROM_TRY(carom_json_new(&json, path, stream, true, error));
    carom_json_object(json, NULL);
    carom_json_string(json, "model", s->model->name);
    carom_json_string(json, "scheme", s->options->scheme);
    carom_json_string(json, "status", status_word(s->status, word, sizeof word));
    carom_json_number(json, "t", s->state ? s->state->t : NAN);
    put_values(json, "q", s->model, s->state ? s->state->q : NULL, s->model->nq);
    put_values(json, "v", s->model, s->state ? s->state->v : NULL, s->model->nv);
    put_counts(json, s->info);
    put_zeno(json, s);
    put_paradox(json, s);
    carom_json_number(json, "max_penetration", s->info ? s->info->max_penetration : NAN);
    carom_json_number(json, "max_residual", s->info ? s->info->max_residual : NAN);
    put_energy(json, s);
    if (s->verify) {
        carom_json_object(json, "verify");
        s->verify(json, s->user);
        carom_json_end(json);
    }
    put_notes(json, s);
    carom_json_number(json, "wall_s", s->wall_s);
    carom_json_end(json);
    return carom_json_close(json, error);
}

/* ---- text ---- */
static void say(carom_stream *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(carom_stream *out, const char *format, ...)
{
    char text[1400];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    carom_stream_string(out, text);
}

static const char *plural(long n)
{
    return n == 1 ? "" : "s";
}

static void say_state(carom_stream *out, const carom_model *model, const carom_state *state)
{
    char buffer[32];
    int widest = 1;
    for (int i = 0; i < model->nq; i++)
        widest = CAROM_MAX(widest, (int)strlen(carom_model_q_name(model, i, buffer)));
    for (int i = 0; i < model->nq; i++) {
        const char *name = carom_model_q_name(model, i, buffer);
        say(out, "  %-*s = %-18.10g %s'%*s = %.10g\n", widest, name, state->q[i], name, widest - (int)strlen(name), "",
            state->v[i]);
    }
}

static void say_counts(carom_stream *out, const carom_info *info)
{
    say(out, "  %ld step%s, %ld rejected, %ld evaluations of (M, F)\n", info->steps, plural(info->steps),
        info->rejected, info->rhs_evaluations);
    const char *before = "  ";
    for (int i = 0; i < CAROM_EVENT_TYPES; i++) {
        if (info->events[i] == 0)
            continue;
        bool plain = i == CAROM_EVENT_IMPACT;
        say(out, "%s%ld %s%s", before, info->events[i], carom_event_name((carom_event_type)i),
            plain ? plural(info->events[i]) : "");
        before = ", ";
    }
    if (before[0] == ',')
        say(out, "\n");
    if (info->switches)
        say(out, "  %ld change%s of a branch of the forces\n", info->switches, plural(info->switches));
    say(out, "  largest penetration %.3g, largest residual %.3g\n", info->max_penetration, info->max_residual);
}

static void say_energy(carom_stream *out, const carom_info *info)
{
    say(out, "  energy %.10g -> %.10g, work: external %.6g, constraints %.6g\n", info->energy_initial,
        info->energy_final, info->work_external, info->work_constraints);
    say(out, "  dissipated: impact %.6g, friction %.6g, viscous %.6g; balance error %.3g\n", info->dissipated_impact,
        info->dissipated_friction, info->dissipated_viscous, info->balance_error);
}

carom_status carom_summary_text(const carom_summary *s, const char *path, FILE *stream, carom_error *error)
{
    carom_stream out;
    CAROM_TRY(carom_stream_open(&out, path, stream, error));
    say(&out, "%.400s, scheme %s: ", s->model->name, s->options->scheme);
    if (s->state)
        say(&out, "t = %.10g, ", s->state->t);
    say(&out, "%s\n", carom_status_text(s->status));
    if (s->message)
        say(&out, "  %s\n", s->message);
    if (s->state)
        say_state(&out, s->model, s->state);
    if (s->info)
        say_counts(&out, s->info);
    for (int i = 0; s->info && i < CAROM_MIN(s->info->nzeno, CAROM_ZENO_MAX); i++) {
        char name[32];
        say(&out, "  accumulation of impacts at '%s' at t = %.10g: %ld computed, %ld more skipped\n",
            carom_model_contact_name(s->model, s->info->zeno[i].contact, name), s->info->zeno[i].t,
            s->info->zeno[i].impacts, s->info->zeno[i].skipped);
    }
    if (s->info && s->options->energy)
        say_energy(&out, s->info);
    for (int i = 0; i < s->nnote; i++)
        say(&out, "  note: %s\n", s->notes[i]);
    say(&out, "  %.3g s\n", s->wall_s);
    return carom_stream_close(&out, error);
}
