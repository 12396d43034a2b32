/* help.c: `carom help` and the manual page, from the tables of commands and options. */
#include <math.h>
#include <string.h>

#include "cli/cli.h"

enum { WIDTH = 96, COLUMN = 30 };

static const char *const about =
    "Carom computes the motion of mechanical systems with impacts, unilateral contacts, joints and Coulomb friction.";

static const char *const model_topic =
    "A model is a YAML 1.2 (or JSON) file. This one is complete:\n"
    "\n"
    "    carom: 1\n"
    "    name: bouncing ball\n"
    "    parameters: {m: 1, g: 10, e: 0.9}\n"
    "    coordinates: {y: 0.5}                # name: initial value\n"
    "    velocities: {y: 0}                   # y' in expressions; 0 if absent\n"
    "    kinetic: m*y'^2/2                    # kinetic and potential, or mass and force\n"
    "    potential: m*g*y\n"
    "    contacts:\n"
    "      ground: {gap: y, restitution: e}\n"
    "    run: {t_end: 10, h: 0.01, every: 0.05}\n"
    "\n"
    "Further keys: forces, constraints (joints), let, outputs, stop, period, impacts, tables, draw, plugin; of a "
    "contact: slip,\n"
    "friction, friction_static, restitution_t. Each is explained by 'carom help KEY'. Quote an expression that "
    "holds a comma, such as \"atan2(x, y)\".\n"
    "'carom check FILE' shows what is derived from a model. The text of every built-in model is an example: carom "
    "help NAME.\n";

static const char *const settings_topic =
    "Options of a run, for --set KEY=VALUE and for the section 'run' of a model file:\n"
    "\n"
    "    scheme         the scheme; may carry its fields: moreau-jean:theta=1:gamma=0.5\n"
    "    solver         the solver of contact problems; empty: one that fits\n"
    "    scheme.FIELD   a field of the scheme (carom list schemes)\n"
    "    solver.FIELD   a field of the solver (carom list solvers)\n"
    "    h              step size of schemes with a fixed step; 0: t_end/1000\n"
    "    t_end          end of the run; 0: 1, or one period\n"
    "    every          sampling of output; 0: every step\n"
    "    rtol, atol     tolerances of schemes that choose their step\n"
    "    atol.NAME      absolute tolerance of the coordinate NAME and its velocity\n"
    "    newton_tol     of implicit steps, relative to velocities\n"
    "    newton_max     iterations of implicit steps\n"
    "    contact_tol    residual of a contact problem, relative to its velocities\n"
    "    contact_accept the same of problems that get no better, in steps of a given length whose contacts are found\n"
    "    threads        that share the work of large contact problems; results do not depend on it\n"
    "    energy         account for work and dissipation: true (here), false\n"
    "    certify        check every step before it is taken: true, false; schemes that locate events always do\n";

void carom_cli_wrap(FILE *file, const char *text, int indent, int width)
{
    int column = indent, blanks = 0;
    while (*text) {
        const int length = (int)strcspn(text, " \n");
        if (column > indent && column + blanks + length > width) {
            fprintf(file, "\n%*s", indent, "");
            column = indent, blanks = 0;
        }
        fprintf(file, "%*s%.*s", blanks, "", length, text);
        column += blanks + length;
        text += length;
        blanks = (int)strspn(text, " ");
        text += blanks;
        if (*text == '\n') {
            fprintf(file, "\n%*s", indent, "");
            column = indent, blanks = 0;
            text++;
        }
    }
    fputc('\n', file);
}

static void option_label(const carom_cli_option *option, char *label, size_t size)
{
    snprintf(label, size, "%s%s%s%s%s", option->letter ? option->letter : "", option->letter ? ", " : "", option->name,
             option->argument ? " " : "", option->argument ? option->argument : "");
}

static void labelled(FILE *file, const char *label, const char *doc, int column)
{
    fprintf(file, "  %-*s", column - 2, label);
    if ((int)strlen(label) > column - 4)
        fprintf(file, "\n%*s", column, "");
    carom_cli_wrap(file, doc, column, WIDTH);
}

static void overview(FILE *file)
{
    carom_cli_wrap(file, about, 0, WIDTH);
    fprintf(file, "\nusage: carom COMMAND [OPTIONS] ...\n\n");
    for (int i = 0; carom_cli_commands[i]; i++) {
        const carom_cli_command *c = carom_cli_commands[i];
        char label[60];
        snprintf(label, sizeof label, "%s %s", c->name, c->operands);
        labelled(file, label, c->brief, 38);
    }
    fprintf(file, "\nTo begin: carom run bouncing-ball. More: carom help run, carom help model.\n");
}

/* Does a command have an option of its own with the name of a shared one? */
static bool has_own(const carom_cli_command *command, const char *name)
{
    for (const carom_cli_option *o = command->options; o && o->name; o++)
        if (!strcmp(o->name, name))
            return true;
    return false;
}

static bool may_exit(const carom_cli_command *command, int code)
{
    const unsigned runs = CAROM_CLI_RUN | CAROM_CLI_RESUME | CAROM_CLI_CHECK | CAROM_CLI_DRIVE | CAROM_CLI_REPORT |
                          CAROM_CLI_ANIMATE;
    switch (code) {
    case CAROM_EXIT_MODEL: return command->bit & runs;
    case CAROM_EXIT_UNMET: return command->bit & (runs | CAROM_CLI_REPRODUCE | CAROM_CLI_MERGE);
    case CAROM_EXIT_INTERRUPTED: return command->bit & (runs | CAROM_CLI_REPRODUCE);
    default: return true;
    }
}

void carom_cli_command_help(FILE *file, const carom_cli_command *command)
{
    char label[100];
    fprintf(file, "usage: carom %s%s%s [OPTIONS]\n\n", command->name, *command->operands ? " " : "", command->operands);
    carom_cli_wrap(file, command->doc, 0, WIDTH);
    fprintf(file, "\noptions:\n");
    for (const carom_cli_option *o = command->options; o && o->name; o++) {
        option_label(o, label, sizeof label);
        labelled(file, label, o->doc, COLUMN);
    }
    for (const carom_cli_option *o = carom_cli_options; o->name; o++) {
        if (!carom_cli_takes(command, o) || has_own(command, o->name))
            continue;
        option_label(o, label, sizeof label);
        labelled(file, label, o->doc, COLUMN);
    }
    if (command->examples) {
        fprintf(file, "\nexamples:\n  ");
        carom_cli_wrap(file, command->examples, 2, 1000);
    }
    fprintf(file, "\nexit codes:\n");
    for (int code = 0; code <= 130; code++)
        if (carom_cli_exit_text(code) && may_exit(command, code))
            fprintf(file, "  %-4d %s\n", code, carom_cli_exit_text(code));
}

/* ---- methods ---- */

static void field_range(const carom_field *field, char *text, size_t size)
{
    char low[32], high[32], standard[32];
    if (isnan(field->value))
        snprintf(standard, sizeof standard, "none");
    else
        carom_shortest(field->value, standard);
    if (field->type == CAROM_FIELD_BOOL) {
        snprintf(text, size, "default %s", field->value != 0 ? "true" : "false");
    } else if (field->type == CAROM_FIELD_ENUM) {
        const char *choice = field->choices;
        for (int i = 0; i < (int)field->value && strchr(choice, ' '); i++)
            choice = strchr(choice, ' ') + 1;
        snprintf(text, size, "one of %s; default %.*s", field->choices, (int)strcspn(choice, " "), choice);
    } else if (isfinite(field->min) && isfinite(field->max)) {
        snprintf(text, size, "%s ... %s, default %s", carom_shortest(field->min, low),
                 carom_shortest(field->max, high), standard);
    } else if (isfinite(field->min)) {
        snprintf(text, size, "at least %s, default %s", carom_shortest(field->min, low), standard);
    } else {
        snprintf(text, size, "default %s", standard);
    }
}

void carom_cli_describe_method(FILE *file, const char *kind, const carom_method *method)
{
    char text[400];
    fprintf(file, "%s (%s)\n    ", method->name, kind);
    carom_cli_wrap(file, method->doc ? method->doc : "", 4, WIDTH);
    if (method->ref && *method->ref) {
        fprintf(file, "    Source: ");
        carom_cli_wrap(file, method->ref, 12, WIDTH);
    }
    for (const carom_field *f = method->fields; f && f->name; f++) {
        field_range(f, text, sizeof text);
        fprintf(file, "    %-12s ", f->name);
        char line[800];
        snprintf(line, sizeof line, "%s (%s)", f->doc ? f->doc : "", text);
        carom_cli_wrap(file, line, 17, WIDTH);
    }
}

static const struct {
    const char *kind;
    const carom_method *(*method)(int);
} lists[] = {{"scheme", carom_scheme_method}, {"solver", carom_solver_method}, {"law", carom_law_method},
             {"rule of impacts", carom_impact_method}};

static bool method_topic(const char *topic)
{
    bool found = false;
    for (int k = 0; k < CAROM_COUNT(lists); k++)
        for (int i = 0; lists[k].method(i); i++)
            if (!strcmp(lists[k].method(i)->name, topic)) {
                carom_cli_describe_method(stdout, lists[k].kind, lists[k].method(i));
                found = true;
            }
    return found;
}

static void exit_topic(void)
{
    for (int code = 0; code <= 130; code++)
        if (carom_cli_exit_text(code))
            printf("  %3d  %s\n", code, carom_cli_exit_text(code));
}

static int unknown_topic(const char *topic)
{
    const char *names[300];
    int n = 0;
    for (int i = 0; carom_cli_topic(i) && n < 99; i++)
        names[n++] = carom_cli_topic(i);
    for (int i = 0; carom_cli_commands[i]; i++)
        names[n++] = carom_cli_commands[i]->name;
    for (int k = 0; k < CAROM_COUNT(lists); k++)
        for (int i = 0; lists[k].method(i) && n < 299; i++)
            names[n++] = lists[k].method(i)->name;
    for (int i = 0; carom_builtin_name(i) && n < 299; i++)
        names[n++] = carom_builtin_name(i);
    names[n] = NULL;
    return carom_cli_unknown("topic", topic, names, NULL);
}

/* ---- the manual page ---- */

static void troff(FILE *file, const char *text)
{
    for (const char *c = text; *c; c++) {
        if (*c == '\\')
            fputs("\\e", file);
        else if (*c == '-')
            fputs("\\-", file);
        else if ((*c == '.' || *c == '\'') && (c == text || c[-1] == '\n'))
            fprintf(file, "\\&%c", *c);
        else
            fputc(*c, file);
    }
}

static void verbatim(FILE *file, const char *text)
{
    fputs(".nf\n", file);
    troff(file, text);
    fputs("\n.fi\n", file);
}

static void entry(FILE *file, const char *label, const char *doc)
{
    fputs(".TP\n.B ", file);
    troff(file, label);
    fputc('\n', file);
    troff(file, doc);
    fputc('\n', file);
}

static void manual(FILE *file)
{
    char label[100];
    fprintf(file, ".TH CAROM 1 \"\" \"carom %s\" \"User Commands\"\n.SH NAME\ncarom \\- ", CAROM_VERSION);
    fprintf(file, "mechanical systems with impacts, contact, joints and friction\n.SH SYNOPSIS\n");
    for (int i = 0; carom_cli_commands[i]; i++)
        fprintf(file, ".B carom %s\n%s\n.br\n", carom_cli_commands[i]->name, carom_cli_commands[i]->operands);
    fprintf(file, ".SH DESCRIPTION\n");
    troff(file, about);
    fprintf(file, "\n.SH COMMANDS\n");
    for (int i = 0; carom_cli_commands[i]; i++) {
        const carom_cli_command *c = carom_cli_commands[i];
        snprintf(label, sizeof label, "carom %s %s", c->name, c->operands);
        entry(file, label, c->doc);
        for (const carom_cli_option *o = c->options; o && o->name; o++) {
            option_label(o, label, sizeof label);
            entry(file, label, o->doc);
        }
    }
    fprintf(file, ".SH OPTIONS\n");
    for (const carom_cli_option *o = carom_cli_options; o->name; o++) {
        if (!o->commands)
            continue;
        char doc[600] = "";
        for (int i = 0; carom_cli_commands[i] && o->commands != ~0u; i++)
            if (carom_cli_takes(carom_cli_commands[i], o))
                snprintf(doc + strlen(doc), sizeof doc - strlen(doc), "%s%s", *doc ? ", " : "(",
                         carom_cli_commands[i]->name);
        snprintf(doc + strlen(doc), sizeof doc - strlen(doc), "%s%s", *doc ? ") " : "", o->doc);
        option_label(o, label, sizeof label);
        entry(file, label, doc);
    }
    fprintf(file, ".SH MODEL FILES\n");
    verbatim(file, model_topic);
    fprintf(file, ".SH SETTINGS\n");
    verbatim(file, settings_topic);
    fprintf(file, ".SH EXIT STATUS\n");
    for (int code = 0; code <= 130; code++)
        if (carom_cli_exit_text(code)) {
            snprintf(label, sizeof label, "%d", code);
            entry(file, label, carom_cli_exit_text(code));
        }
    fprintf(file, ".SH ENVIRONMENT\n");
    entry(file, "XDG_CACHE_HOME", "Where --jit keeps compiled models (in carom/); ~/.cache if not set.");
    fprintf(file, ".SH EXAMPLES\n");
    for (int i = 0; carom_cli_commands[i]; i++)
        if (carom_cli_commands[i]->examples)
            verbatim(file, carom_cli_commands[i]->examples);
}

static int help(const carom_cli *cli)
{
    if (cli->noperand == 0) {
        overview(stdout);
        return CAROM_EXIT_OK;
    }
    const char *topic = cli->operand[0];
    const carom_cli_command *command = carom_cli_find(topic);
    if (command)
        carom_cli_command_help(stdout, command);
    else if (!strcmp(topic, "model"))
        fputs(model_topic, stdout);
    else if (!strcmp(topic, "settings"))
        fputs(settings_topic, stdout);
    else if (!strcmp(topic, "exit"))
        exit_topic();
    else if (!strcmp(topic, "man"))
        manual(stdout);
    else if (carom_builtin_text(topic))
        fputs(carom_builtin_text(topic), stdout);
    else if (!carom_cli_section_help(stdout, topic) && !method_topic(topic))
        return unknown_topic(topic);
    return CAROM_EXIT_OK;
}

const carom_cli_command carom_cli_help_command = {
    "help", "[TOPIC]", 0, 1, CAROM_CLI_HELP, help, "explain a command, a scheme, a solver or a topic",
    "TOPIC is a command, the name of a scheme, solver or law, a section of a model file (contacts, draw, ...), a "
    "built-in "
    "model, or one of: model, settings, exit, man (the manual page).",
    "carom help run\ncarom help contacts\ncarom help moreau-jean", NULL};
