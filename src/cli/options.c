/* options.c: the table of options that commands share, and the parser that reads a command line. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "expr/expr.h"

#define RUN CAROM_CLI_RUN
#define RESUME CAROM_CLI_RESUME
#define CHECK CAROM_CLI_CHECK
#define AUDIT CAROM_CLI_AUDIT
#define LIST CAROM_CLI_LIST
#define PLOT CAROM_CLI_PLOT
#define DRIVE CAROM_CLI_DRIVE
#define REPORT (CAROM_CLI_REPORT | CAROM_CLI_ANIMATE)
#define SOLVE (CAROM_CLI_SOLVE | CAROM_CLI_BENCH)
#define THREADS (DRIVE & ~(CAROM_CLI_ORBIT | CAROM_CLI_GRADIENT | CAROM_CLI_FIT))
#define AT(member) offsetof(carom_cli, member)

const carom_cli_option carom_cli_options[] = {
    {"--scheme", NULL, "NAME[:FIELD=VALUE...]", RUN | DRIVE | REPORT, CAROM_CLI_SETTING, "scheme", 0,
     "the time-stepping scheme and its fields (carom list schemes)"},
    {"--solver", NULL, "NAME[:FIELD=VALUE...]", RUN | DRIVE | REPORT | CAROM_CLI_SOLVE, CAROM_CLI_SETTING, "solver", 0,
     "the solver of contact problems (carom list solvers); otherwise one that fits is chosen"},
    {"--set", NULL, "KEY=VALUE", RUN | DRIVE | REPORT, CAROM_CLI_SET, NULL, 0,
     "any option of a run, such as scheme.theta=0.5 or newton_tol=1e-12 (carom help settings); may be repeated"},
    {"--h", NULL, "H", RUN | AUDIT | DRIVE | REPORT, CAROM_CLI_SETTING, "h", 0,
     "step size of schemes with a fixed step; t_end/1000 if not given"},
    {"--rtol", NULL, "R", RUN | AUDIT | DRIVE | REPORT, CAROM_CLI_SETTING, "rtol", 0,
     "relative tolerance of schemes that choose their step"},
    {"--atol", NULL, "A", RUN | AUDIT | DRIVE | REPORT, CAROM_CLI_SETTING, "atol", 0,
     "absolute tolerance of schemes that choose their step"},
    {"--t-end", NULL, "T", RUN | DRIVE | REPORT, CAROM_CLI_SETTING, "t_end", 0,
     "end of the run, which starts at t = 0"},
    {"--every", NULL, "DT", RUN | REPORT, CAROM_CLI_SETTING, "every", 0,
     "sampling of the written trajectory; 0: every step"},
    {"--parameter", "-p", "NAME=VALUE", RUN | CHECK | AUDIT | DRIVE | REPORT, CAROM_CLI_PARAMETER, NULL, 0,
     "sets a parameter, or an initial value as q.y=1 and v.y=0; 2*pi/3 is a number, too; may be repeated. Where a "
     "command varies something: "
     "NAME=FROM:TO:N takes N equally spaced values"},
    {"--output", "-o", "FILE", RUN | PLOT | (DRIVE & ~CAROM_CLI_GRADIENT) | CAROM_CLI_PAGE | SOLVE, CAROM_CLI_TEXT,
     NULL, AT(output),
     "run: the trajectory, written as the ending says (.csv, .json or .h5; - is CSV on standard output). "
     "plot: the picture (.svg); standard output if not given. Otherwise: the result, as the ending says"},
    {"--gaps", NULL, NULL, RUN, CAROM_CLI_FLAG, NULL, AT(gaps), "also write the gap of every contact"},
    {"--reactions", NULL, NULL, RUN, CAROM_CLI_FLAG, NULL, AT(reactions),
     "also write the force of every contact and joint at the time of a row itself, beside its mean over the step; of "
     "contacts that come and go: a table of who touches whom, where and how hard"},
    {"--json", NULL, NULL, RUN | RESUME | CHECK | AUDIT | LIST | DRIVE | CAROM_CLI_PAGE | CAROM_CLI_SOLVE,
     CAROM_CLI_FLAG, NULL, AT(json), "one JSON object on standard output"},
    {"--jit", NULL, NULL, RUN | CHECK | DRIVE | REPORT, CAROM_CLI_FLAG, NULL, AT(jit),
     "compile the expressions of the model with cc; results are the same to the last bit"},
    {"--allow-plugins", NULL, NULL, RUN | RESUME | CHECK | AUDIT | DRIVE | REPORT, CAROM_CLI_FLAG, NULL,
     AT(allow_plugins), "let the model load a plugin, which runs foreign code"},
    {"--assemble", NULL, NULL, RUN | CHECK | AUDIT | DRIVE | REPORT, CAROM_CLI_FLAG, NULL, AT(assemble),
     "move initial values that violate a joint onto it instead of refusing them"},
    {"--strict", NULL, NULL, RUN | CHECK, CAROM_CLI_FLAG, NULL, AT(strict),
     "refuse what would otherwise be noted: a fallback from --jit, initial values that were moved, derivatives by "
     "finite differences; and exit 4 when a contact problem was solved less accurately than contact_tol"},
    {"--verify", NULL, NULL, RUN, CAROM_CLI_FLAG, NULL, AT(verify),
     "repeat the run with rtol/100 and atol/100 (h/16 with a fixed step) and print how far apart the two are, and how "
     "far from time-stepping of another family; exit 4 when they differ by more than ten times the tolerance, or from "
     "the other family by more than three times its own estimate"},
    {"--certify", NULL, NULL, RUN | DRIVE, CAROM_CLI_SETTING, "certify", 0,
     "check every step against the laws of contact before it is taken, with any scheme; those that locate events "
     "always do: a violation ends the run with time, contact and numbers"},
    {"--dump", NULL, "FILE", RUN, CAROM_CLI_TEXT, NULL, AT(dump),
     "when a contact problem cannot be solved, write it here as text, to replay it"},
    {"--dump-problems", NULL, "DIR", RUN, CAROM_CLI_TEXT, NULL, AT(dump_problems),
     "write contact problems to this folder, in FCLIB's HDF5 where it can say them, otherwise as text: carom solve "
     "reads both"},
    {"--dump-when", NULL, "WHEN", RUN, CAROM_CLI_TEXT, NULL, AT(dump_when),
     "which: failed (standard), slow (ten times the mean, and a millisecond) or all"},
    {"--quiet", NULL, NULL, RUN | RESUME | CHECK | AUDIT | DRIVE | CAROM_CLI_PAGE | CAROM_CLI_SOLVE | CAROM_CLI_NEW,
     CAROM_CLI_FLAG, NULL, AT(quiet), "no summary and no progress; files, --json and errors remain"},
    {"--panel", NULL, "COLUMN[,COLUMN...]", PLOT, CAROM_CLI_PANEL, NULL, 0,
     "a panel with these columns of the file; may be repeated"},
    {"--phase", NULL, "COLUMN,COLUMN", PLOT, CAROM_CLI_PHASE, NULL, 0,
     "a panel with the second column against the first; may be repeated"},
    {"--portrait", NULL, NULL, PLOT, CAROM_CLI_FLAG, NULL, AT(portrait),
     "with the standard panels, also velocity against position"},
    {"--x", NULL, "COLUMN", PLOT, CAROM_CLI_TEXT, NULL, AT(x), "what the panels are drawn against; t if not given"},
    {"--title", NULL, "TEXT", PLOT | CAROM_CLI_REPORT, CAROM_CLI_TEXT, NULL, AT(title),
     "title of the picture; the model's name if not given"},
    {"--style", NULL, "screen|paper", PLOT | CAROM_CLI_BIFURCATE | CAROM_CLI_CONVERGE, CAROM_CLI_TEXT, NULL, AT(style),
     "how a picture looks: for a screen (the default), or for print: black on white, a serif font, thin lines, no "
     "title"},
    {"--width", NULL, "N", PLOT | CAROM_CLI_ANIMATE, CAROM_CLI_COUNT, NULL, AT(width),
     "width in pixels; 800 if not given, 480 of an animation"},
    {"--height", NULL, "N", PLOT | CAROM_CLI_ANIMATE, CAROM_CLI_COUNT, NULL, AT(height),
     "height in pixels; what the picture needs if not given"},
    {"--threads", NULL, "N", RUN | THREADS | CAROM_CLI_REPRODUCE | CAROM_CLI_SOLVE, CAROM_CLI_COUNT, NULL, AT(threads),
     "how many threads share the work; all cores if not given. Results do not depend on it"},
    {"--seed", NULL, "S", CHECK | CAROM_CLI_LYAPUNOV | CAROM_CLI_SWEEP | CAROM_CLI_FIT, CAROM_CLI_COUNT, NULL,
     AT(seed), "of random points and starts"},
    {"--limit-memory", NULL, "MB", ~0u, CAROM_CLI_TEXT, NULL, AT(limit_memory),
     "take no more memory than that, all in all: for a model from a stranger"},
    {"--limit-time", NULL, "SECONDS", ~0u, CAROM_CLI_TEXT, NULL, AT(limit_time),
     "end after that, as Ctrl-C would, with exit code 1"},
    {"--help", NULL, NULL, ~0u, CAROM_CLI_FLAG, NULL, AT(help), "explain the command"},
    {.name = NULL},
};

const carom_cli_command *carom_cli_find(const char *name)
{
    for (int i = 0; carom_cli_commands[i]; i++)
        if (!strcmp(carom_cli_commands[i]->name, name))
            return carom_cli_commands[i];
    return NULL;
}

const char *carom_cli_own(const carom_cli *cli, const char *name)
{
    for (int i = cli->nown - 1; i >= 0; i--)
        if (!strcmp(cli->own[i].name, name))
            return cli->own[i].value;
    return NULL;
}

int carom_cli_own_number(const carom_cli *cli, const char *name, double least, double most, double *number)
{
    const char *text = carom_cli_own(cli, name);
    if (text && (!carom_number(text, number) || !(*number >= least && *number <= most)))
        return carom_cli_fail(CAROM_EXIT_USAGE, "%s takes a number from %g to %g, not '%s'", name, least, most, text);
    return CAROM_EXIT_OK;
}

int carom_cli_own_counts(const carom_cli *cli, const carom_cli_count *list, int n)
{
    for (int i = 0; i < n; i++) {
        double number = (double)*list[i].count;
        int code = carom_cli_own_number(cli, list[i].name, list[i].least, list[i].most, &number);
        if (code != CAROM_EXIT_OK)
            return code;
        if (number != floor(number))
            return carom_cli_fail(CAROM_EXIT_USAGE, "%s takes an integer, not %g", list[i].name, number);
        *list[i].count = (long)number;
    }
    return CAROM_EXIT_OK;
}

int carom_cli_own_choice(const carom_cli *cli, const char *name, const char *const *words, int *choice)
{
    const char *text = carom_cli_own(cli, name);
    for (int i = 0; text && words[i]; i++)
        if (!strcmp(text, words[i])) {
            *choice = i;
            return CAROM_EXIT_OK;
        }
    return text ? carom_cli_unknown(name + 2, text, words, cli->command->name) : CAROM_EXIT_OK;
}

const char **carom_cli_split(const carom_cli *cli, const char *text, int *n)
{
    int most = 2;
    for (const char *c = text; *c; c++)
        most += *c == ',';
    const char **part = CAROM_NEW(cli->arena, const char *, most);
    for (*n = 0; part; text += strcspn(text, ",") + 1) {
        part[*n] = carom_arena_text(cli->arena, text, strcspn(text, ","));
        if (!part[(*n)++])
            return NULL;
        if (!text[strcspn(text, ",")])
            break;
    }
    return part;
}

bool carom_cli_takes(const carom_cli_command *command, const carom_cli_option *option)
{
    return option->commands & command->bit;
}

/* ---- one word ---- */

static const carom_cli_option *find_option(const carom_cli_option *table, const char *word, size_t length)
{
    for (const carom_cli_option *o = table; o && o->name; o++)
        if ((strlen(o->name) == length && !strncmp(o->name, word, length)) ||
            (o->letter && strlen(o->letter) == length && !strncmp(o->letter, word, length)))
            return o;
    return NULL;
}

static int unknown_option(const carom_cli *cli, const char *word)
{
    const char *names[128];
    int n = 0;
    for (const carom_cli_option *o = cli->command->options; o && o->name && n < 62; o++)
        names[n++] = o->name;
    for (const carom_cli_option *o = carom_cli_options; o->name && n < 126; o++) {
        if (o->commands & cli->command->bit)
            names[n++] = o->name;
        if (o->letter && o->commands & cli->command->bit)
            names[n++] = o->letter;
    }
    names[n] = NULL;
    return carom_cli_unknown("option", word, names, cli->command->name);
}

static int foreign_option(const carom_cli *cli, const carom_cli_option *option)
{
    char others[200] = "";
    for (int i = 0; carom_cli_commands[i]; i++)
        if (option->commands & carom_cli_commands[i]->bit)
            snprintf(others + strlen(others), sizeof others - strlen(others), "%s%s",
                     *others ? ", " : "; it belongs to: ", carom_cli_commands[i]->name);
    return carom_cli_fail(CAROM_EXIT_USAGE, "%s does not take %s (%s)%s", cli->command->name, option->name, option->doc,
                          others);
}

/* Splits "name=value" at the first '='. */
static bool split(const carom_cli *cli, const char *text, char by, carom_cli_pair *pair)
{
    const char *sign = strchr(text, by);
    if (!sign || sign == text || !sign[1])
        return false;
    pair->name = carom_arena_text(cli->arena, text, (size_t)(sign - text));
    pair->value = sign + 1;
    return pair->name != NULL;
}

/* A number, or an expression without names but pi: "2*pi/3". */
static bool read_value(const char *text, double *number)
{
    return carom_number(text, number) || carom_expr_constant(text, number);
}

/* "from:to:n"; a sweep over random points also takes "from:to" (n = 0) */
static int take_range(carom_cli *cli, const carom_cli_pair *pair, const char *whole)
{
    carom_cli_range *range = &cli->range[cli->nrange];
    carom_cli_pair from, rest;
    double n = 0;
    bool good = split(cli, pair->value, ':', &from) && read_value(from.name, &range->from);
    if (good && cli->command->bit == CAROM_CLI_SWEEP && !strchr(from.value, ':'))
        good = read_value(from.value, &range->to);
    else
        good = good && split(cli, from.value, ':', &rest) && read_value(rest.name, &range->to) &&
               carom_number(rest.value, &n) && n >= 1 && n <= 1e9 && n == (double)(long)n;
    if (!good)
        return carom_cli_fail(CAROM_EXIT_USAGE,
                              "-p takes NAME=FROM:TO:N with numbers FROM and TO and a count N, not '%s'", whole);
    range->name = pair->name;
    range->n = (long)n;
    cli->nrange++;
    return CAROM_EXIT_OK;
}

static int take(carom_cli *cli, const carom_cli_option *option, const char *value)
{
    char *base = (char *)cli;
    carom_cli_pair pair = {option->key, value ? value : "true"};
    double number;
    switch (option->kind) {
    case CAROM_CLI_FLAG: *(bool *)(base + option->offset) = true; break;
    case CAROM_CLI_TEXT: *(const char **)(base + option->offset) = value; break;
    case CAROM_CLI_COUNT:
        if (!carom_number(value, &number) || number < 1 || number > 1e6 || number != (int)number)
            return carom_cli_fail(CAROM_EXIT_USAGE, "%s takes an integer from 1 to 1000000, not '%s'", option->name,
                                  value);
        *(int *)(base + option->offset) = (int)number;
        break;
    case CAROM_CLI_SET:
        if (!split(cli, value, '=', &pair))
            return carom_cli_fail(CAROM_EXIT_USAGE, "%s takes %s, not '%s'", option->name, option->argument, value);
        cli->setting[cli->nsetting++] = pair;
        break;
    case CAROM_CLI_SETTING: cli->setting[cli->nsetting++] = pair; break;
    case CAROM_CLI_OWN: cli->own[cli->nown++] = (carom_cli_pair){option->name, value ? value : ""}; break;
    case CAROM_CLI_PARAMETER:
        if (split(cli, value, '=', &pair) && cli->command->bit & CAROM_CLI_RANGES && strchr(pair.value, ':'))
            return take_range(cli, &pair, value);
        if (!split(cli, value, '=', &pair) || !read_value(pair.value, &number))
            return carom_cli_fail(CAROM_EXIT_USAGE, "-p takes NAME=NUMBER%s (or an expression such as 2*pi/3), not "
             "'%s'",
                                  cli->command->bit & CAROM_CLI_RANGES ? " or NAME=FROM:TO:N" : "", value);
        cli->parameter[cli->nparameter] = pair.name;
        cli->value[cli->nparameter++] = number;
        break;
    case CAROM_CLI_PANEL: cli->panel[cli->npanel++] = value; break;
    case CAROM_CLI_PHASE:
        if (!split(cli, value, ',', &pair))
            return carom_cli_fail(CAROM_EXIT_USAGE, "%s takes %s, not '%s'", option->name, option->argument, value);
        cli->phase[2*cli->nphase] = pair.name;
        cli->phase[2*cli->nphase++ + 1] = pair.value;
        break;
    }
    return CAROM_EXIT_OK;
}

/* ---- the line ---- */

/* Reads the option at argv[*i] and, where it takes one, its argument: "--h 1", "--h=1", "-p a=1" or "-pa=1". */
static int read_option(carom_cli *cli, int argc, char **argv, int *i)
{
    const char *word = argv[*i], *value = NULL;
    size_t length = strlen(word);
    if (word[1] == '-') {
        length = strcspn(word, "=");
        if (word[length])
            value = word + length + 1;
    } else if (word[2]) {
        length = 2;
        value = word + 2;
    }
    const carom_cli_option *option = find_option(cli->command->options, word, length);
    const bool own = option != NULL;
    if (!own)
        option = find_option(carom_cli_options, word, length);
    if (!option)
        return unknown_option(cli, word);
    if (!own && !carom_cli_takes(cli->command, option))
        return foreign_option(cli, option);
    if (!option->argument && value)
        return carom_cli_fail(CAROM_EXIT_USAGE, "%s takes no value ('%s')", option->name, word);
    if (option->argument && !value) {
        if (*i + 1 >= argc)
            return carom_cli_fail(CAROM_EXIT_USAGE, "%s needs a value: %s", word, option->argument);
        value = argv[++*i];
    }
    return take(cli, option, value);
}

static int find_command(carom_cli *cli, const char *word)
{
    if (!strcmp(word, "--help") || !strcmp(word, "-h"))
        word = "help";
    if (!strcmp(word, "--version") || !strcmp(word, "-V"))
        word = "version";
    cli->command = carom_cli_find(word);
    if (cli->command)
        return CAROM_EXIT_OK;
    const char *names[64];
    int n = 0;
    for (; carom_cli_commands[n] && n < 63; n++)
        names[n] = carom_cli_commands[n]->name;
    names[n] = NULL;
    return carom_cli_unknown(word[0] == '-' ? "option before a command:" : "command", word, names, NULL);
}

static bool allocate(carom_cli *cli, int argc)
{
    cli->arena = carom_arena_new(0);
    if (!cli->arena)
        return false;
    cli->operand = CAROM_NEW(cli->arena, const char *, argc + 1);
    cli->setting = CAROM_NEW(cli->arena, carom_cli_pair, argc + 1);
    cli->parameter = CAROM_NEW(cli->arena, const char *, argc + 1);
    cli->value = CAROM_NEW(cli->arena, double, argc + 1);
    cli->panel = CAROM_NEW(cli->arena, const char *, argc + 1);
    cli->phase = CAROM_NEW(cli->arena, const char *, 2*argc + 2);
    cli->own = CAROM_NEW(cli->arena, carom_cli_pair, argc + 1);
    cli->range = CAROM_NEW(cli->arena, carom_cli_range, argc + 1);
    return cli->own && cli->range && cli->operand && cli->setting && cli->parameter && cli->value && cli->panel &&
           cli->phase;
}

int carom_cli_parse(carom_cli *cli, int argc, char **argv)
{
    if (!allocate(cli, argc))
        return carom_cli_fail(CAROM_EXIT_FAILED, "%s", carom_status_text(CAROM_NO_MEMORY));
    int code = find_command(cli, argc > 0 ? argv[0] : "help");
    cli->word = argv + 1, cli->nword = CAROM_MAX(argc - 1, 0);
    bool only_operands = false;
    for (int i = 1; i < argc && code == CAROM_EXIT_OK; i++) {
        if (!only_operands && !strcmp(argv[i], "--"))
            only_operands = true;
        else if (!only_operands && argv[i][0] == '-' && argv[i][1])
            code = read_option(cli, argc, argv, &i);
        else
            cli->operand[cli->noperand++] = argv[i];
    }
    if (code != CAROM_EXIT_OK || cli->help)
        return code;
    const carom_cli_command *c = cli->command;
    if (cli->noperand < c->least)
        return carom_cli_fail(CAROM_EXIT_USAGE, "%s needs a %s; see: carom help %s", c->name, c->operands, c->name);
    if (cli->noperand > c->most)
        return carom_cli_fail(CAROM_EXIT_USAGE, "%s does not know what to do with '%s'; see: carom help %s", c->name,
                              cli->operand[c->most], c->name);
    return CAROM_EXIT_OK;
}
