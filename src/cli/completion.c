/* completion.c: `carom completion`: what a shell offers when Tab is pressed, from the tables of commands and
 * options. */
#include <string.h>

#include "cli/cli.h"

/* ---- what comes after an option or as an operand ---- */

typedef enum kind { NOTHING, FILES, MODELS, SCHEMES, SOLVERS, TOPICS } kind;

static kind kind_of(const char *argument)
{
    if (strstr(argument, "FILE") || strstr(argument, "RUN") || strstr(argument, "DATA") || strstr(argument, "PROBLEM"))
        return FILES;
    return strstr(argument, "MODEL") || strstr(argument, "TEMPLATE") ? MODELS : strstr(argument, "TOPIC") ? TOPICS
                                                                                                          : NOTHING;
}

static kind kind_of_option(const carom_cli_option *o)
{
    return !strcmp(o->name, "--scheme") || !strcmp(o->name, "--schemes") ? SCHEMES
           : !strcmp(o->name, "--solver")                                ? SOLVERS
                                                                         : kind_of(o->argument);
}

static void put_words(kind what)
{
    for (int i = 0; what == MODELS && carom_builtin_name(i); i++)
        printf(" %s", carom_builtin_name(i));
    for (int i = 0; what == SCHEMES && carom_scheme_method(i); i++)
        printf(" %s", carom_scheme_method(i)->name);
    for (int i = 0; what == SOLVERS && carom_solver_method(i); i++)
        printf(" %s", carom_solver_method(i)->name);
    for (int i = 0; what == TOPICS && carom_cli_commands[i]; i++)
        printf(" %s", carom_cli_commands[i]->name);
    for (int i = 0; what == TOPICS && carom_cli_topic(i); i++)
        printf(" %s", carom_cli_topic(i));
}

/* The i-th option of a command, its own first; NULL after the last. */
static const carom_cli_option *option_of(const carom_cli_command *c, int i)
{
    int n = 0;
    for (const carom_cli_option *o = c->options; o && o->name; o++, n++)
        if (n == i)
            return o;
    for (const carom_cli_option *o = carom_cli_options; o->name; o++)
        if (carom_cli_takes(c, o) && n++ == i)
            return o;
    return NULL;
}

/* ---- bash ---- */

static void bash_command(const carom_cli_command *c)
{
    printf("    %s)\n        options=\"", c->name);
    for (int i = 0; option_of(c, i); i++)
        printf("%s%s", i ? " " : "", option_of(c, i)->name);
    printf("\"\n        case $before in\n");
    for (int i = 0; option_of(c, i); i++) {
        const carom_cli_option *o = option_of(c, i);
        if (!o->argument)
            continue;
        printf("        %s%s%s) words=\"", o->name, o->letter ? "|" : "", o->letter ? o->letter : "");
        put_words(kind_of_option(o));
        printf("\"; files=%d; options= ;;\n", kind_of_option(o) == FILES);
    }
    printf("        *) words=\"");
    put_words(kind_of(c->operands));
    printf("\"; files=%d ;;\n        esac ;;\n", kind_of(c->operands) == FILES || kind_of(c->operands) == MODELS);
}

static void bash(void)
{
    printf("# bash completion of carom: carom completion bash > ~/.local/share/bash-completion/completions/carom\n"
           "_carom()\n{\n    local now=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options= words= "
           "files=0\n"
           "    COMPREPLY=()\n    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        COMPREPLY=($(compgen -W \"");
    for (int i = 0; carom_cli_commands[i]; i++)
        printf("%s%s", i ? " " : "", carom_cli_commands[i]->name);
    printf("\" -- \"$now\"))\n        return\n    fi\n    case ${COMP_WORDS[1]} in\n");
    for (int i = 0; carom_cli_commands[i]; i++)
        bash_command(carom_cli_commands[i]);
    printf("    esac\n    case $now in\n    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$now\")) ;;\n"
           "    *) COMPREPLY=($(compgen -W \"$words\" -- \"$now\"))\n"
           "        if [ \"$files\" = 1 ]; then COMPREPLY+=($(compgen -f -- \"$now\")); compopt -o filenames "
           "2>/dev/null; fi ;;\n"
           "    esac\n}\ncomplete -F _carom carom\n");
}

/* ---- zsh ---- */

/* Text within '...' and [...] of a zsh specification, its first sentence. */
static void zsh_text(const char *text)
{
    for (; *text && *text != ';' && !(*text == '.' && (text[1] == ' ' || !text[1])); text++) {
        if (*text == '\'')
            printf("'\\''");
        else if (strchr("[]:\\", *text))
            printf("\\%c", *text);
        else
            putchar(*text);
    }
}

static void zsh_values(const char *label, kind what)
{
    printf(":");
    zsh_text(label);
    printf(":");
    if (what == FILES)
        printf("_files");
    else if (what == MODELS)
        printf("_carom_models");
    else if (what != NOTHING) {
        printf("(");
        put_words(what);
        printf(")");
    }
}

static void zsh_command(const carom_cli_command *c)
{
    printf("    %s) _arguments \\\n", c->name);
    for (int i = 0; option_of(c, i); i++) {
        const carom_cli_option *o = option_of(c, i);
        for (int k = 0; k < 2; k++) {
            const char *name = k ? o->letter : o->name;
            if (!name)
                continue;
            printf("        '*%s[", name);
            zsh_text(o->doc);
            printf("]");
            if (o->argument)
                zsh_values(o->argument, kind_of_option(o));
            printf("' \\\n");
        }
    }
    printf("        '*");
    zsh_values(*c->operands ? c->operands : " ", kind_of(c->operands));
    printf("' ;;\n");
}

static void zsh(void)
{
    printf("#compdef carom\n# zsh completion of carom: carom completion zsh > a file _carom in a folder of $fpath\n"
           "_carom_models()\n{\n    local -a models=(");
    put_words(MODELS);
    printf(")\n    _alternative 'models:model:($models)' 'files:file:_files'\n}\n"
           "_carom()\n{\n    local -a commands=(\n");
    for (int i = 0; carom_cli_commands[i]; i++) {
        printf("        '%s:", carom_cli_commands[i]->name);
        zsh_text(carom_cli_commands[i]->brief);
        printf("'\n");
    }
    printf("    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n    fi\n"
           "    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n    case $command in\n");
    for (int i = 0; carom_cli_commands[i]; i++)
        zsh_command(carom_cli_commands[i]);
    printf("    esac\n}\n_carom \"$@\"\n");
}

static int completion(const carom_cli *cli)
{
    static const char *const shells[] = {"bash", "zsh", NULL};
    const char *shell = cli->operand[0];
    if (!strcmp(shell, "bash"))
        bash();
    else if (!strcmp(shell, "zsh"))
        zsh();
    else
        return carom_cli_unknown("shell", shell, shells, "completion");
    return CAROM_EXIT_OK;
}

const carom_cli_command carom_cli_completion_command = {
    "completion", "bash|zsh", 1, 1, CAROM_CLI_COMPLETION, completion, "what a shell offers when Tab is pressed",
    "Prints a script for bash or zsh that completes commands, options, built-in models, schemes and solvers.",
    "carom completion bash > ~/.local/share/bash-completion/completions/carom\nsource <(carom completion zsh)", NULL};
