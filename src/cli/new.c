/* new.c: `carom new`: a model file to begin with, commented, or a copy of a built-in model. */
#include <errno.h>
#include <string.h>

#include "cli/cli.h"

/* One line of it is the name; every section that most models need is there, the others stand as comments. */
static const char *const starter =
    "parameters: {m: 1, g: 9.81, e: 0.8, mu: 0.3}   # numbers with a name; change them with -p e=0.5\n"
    "coordinates: {x: 0, y: 1}                      # name: initial value\n"
    "velocities: {x: 2}                             # x' in expressions; 0 if absent\n"
    "\n"
    "# The motion: kinetic and potential energy. Instead: mass (rows of M) and force, M a = F as written.\n"
    "kinetic: m/2*(x'^2 + y'^2)\n"
    "potential: m*g*y\n"
    "# forces: {x: -0.1*x'}                         # what else acts, beside the potential: dampers, motors\n"
    "# constraints: {rope: x^2 + y^2 = 4}           # joints: these stay zero\n"
    "\n"
    "contacts:\n"
    "  ground:\n"
    "    gap: y                                     # open while positive\n"
    "    restitution: e                             # speed after an impact over speed before it\n"
    "    slip: x'                                   # sliding velocity; leave it out where there is no friction\n"
    "    friction: mu\n"
    "\n"
    "outputs: {height: y}                           # columns of their own in the results\n"
    "# stop: x > 5                                  # ends the run\n"
    "\n"
    "draw:                                          # the picture of carom report\n"
    "  ball: {circle: [x, y, 0.05], contact: ground}\n"
    "  floor: {line: [[-1, 0], [6, 0]], style: ground}\n"
    "\n"
    "run: {t_end: 3, rtol: 1.0e-8}\n";

static const char *template_text(const char *name)
{
    const char *names[200];
    int n = 0;
    for (; carom_builtin_name(n) && n < 199; n++)
        names[n] = carom_builtin_name(n);
    names[n] = NULL;
    if (!carom_builtin_text(name))
        carom_cli_unknown("built-in model", name, names, "new");
    return carom_builtin_text(name);
}

/* The built-in text under the new name: its line `name:` is replaced. */
static void copy(FILE *file, const char *text, const char *name)
{
    const char *line = !strncmp(text, "name: ", 6) ? text : strstr(text, "\nname: ");
    if (!line) {
        fputs(text, file);
        return;
    }
    line += *line == '\n';
    fprintf(file, "%.*sname: %s%s", (int)(line - text), text, name, line + strcspn(line, "\n"));
}

static int check_name(const char *name)
{
    if (!*name || strpbrk(name, "/\\:#'\"{}[],&*!|>%@`\n") || *name == '-' || strlen(name) > 100)
        return carom_cli_fail(CAROM_EXIT_USAGE, "'%s' is no name for a model: letters, digits, blanks, - and _", name);
    return CAROM_EXIT_OK;
}

static int new_model(const carom_cli *cli)
{
    const char *given = cli->operand[0], *from = carom_cli_own(cli, "--from");
    const char *name = carom_ends_with(given, ".yaml") ? carom_arena_text(cli->arena, given, strlen(given) - 5) : given;
    const char *path = name ? carom_arena_format(cli->arena, "%s.yaml", name) : NULL;
    if (!path)
        return carom_cli_no_memory();
    CAROM_CLI_TRY(check_name(name));
    const char *text = from ? template_text(from) : starter;
    if (!text)
        return CAROM_EXIT_USAGE;
    FILE *file = fopen(path, "wx");
    if (!file)
        return carom_cli_fail(CAROM_EXIT_FAILED,
                              errno == EEXIST ? "'%s' is there already; nothing was written" : "'%s' cannot be created",
                              path);
    if (from)
        copy(file, text, name);
    else
        fprintf(file, "# A model of Carom: `carom help model` explains it, `carom check %s` shows what follows from "
                      "it.\ncarom: 1\nname: %s\n%s", path, name, text);
    if (fclose(file) != 0)
        return carom_cli_fail(CAROM_EXIT_FAILED, "'%s' cannot be written", path);
    if (!cli->quiet)
        printf("%s was written. Next:\n  carom run %s -o %s.csv\n  carom report %s.csv\n", path, path, name, name);
    return CAROM_EXIT_OK;
}

static const carom_cli_option options[] = {
    CAROM_CLI_OWN_OPTION("--from", "TEMPLATE", "begin with this built-in model (carom list models)"),
    {.name = NULL},
};

const carom_cli_command carom_cli_new_command = {
    "new", "NAME", 1, 1, CAROM_CLI_NEW, new_model, "begin a model: a commented file that runs",
    "Writes NAME.yaml, a commented model that runs as it is, or a copy of a built-in model under the new name. A "
    "file that "
    "is there already is left alone.",
    "carom new hopper\ncarom new my-woodpecker --from woodpecker", options};
