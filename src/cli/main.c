/* main.c: parse, call, and see that everything printed has arrived. */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "output/output.h"

const char *carom_cli_exit_text(int code)
{
    switch (code) {
    case CAROM_EXIT_OK: return "all went well";
    case CAROM_EXIT_FAILED: return "the run failed, or a file could not be written";
    case CAROM_EXIT_USAGE: return "the command line is wrong";
    case CAROM_EXIT_MODEL: return "the model file is wrong or cannot be read";
    case CAROM_EXIT_UNMET: return "an iteration did not converge or a tolerance was not met";
    case CAROM_EXIT_INTERRUPTED: return "interrupted";
    default: return NULL;
    }
}

int carom_cli_exit(carom_status status)
{
    switch (status) {
    case CAROM_OK:
    case CAROM_STOPPED: return CAROM_EXIT_OK;
    case CAROM_INTERRUPTED: return CAROM_EXIT_INTERRUPTED;
    case CAROM_BAD_OPTION: return CAROM_EXIT_USAGE;
    case CAROM_BAD_MODEL:
    case CAROM_SINGULAR_MASS: return CAROM_EXIT_MODEL;
    case CAROM_NOT_CONVERGED:
    case CAROM_NO_SOLUTION:
    case CAROM_TOLERANCE: return CAROM_EXIT_UNMET;
    default: return CAROM_EXIT_FAILED;
    }
}

/* Colours are for terminals whose owner has not asked for none (https://no-color.org). */
static bool coloured(void)
{
    const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(STDERR_FILENO) && !(none && none[0]) && terminal && strcmp(terminal, "dumb") != 0;
}

static void print_error(const char *text)
{
    const bool colour = coloured();
    fprintf(stderr, colour ? "\033[1;31mcarom:\033[0m " : "carom: ");
    while (*text) { /* the line with the caret stands out */
        int n = (int)strcspn(text, "\n");
        bool caret = strncmp(text, "  | ", 4) == 0 && n > 4 && strspn(text + 4, " ^~") + 4 >= (size_t)n;
        fprintf(stderr, colour && caret ? "\033[31m%.*s\033[0m\n" : "%.*s\n", n, text);
        text += n + (text[n] == '\n');
    }
}

int carom_cli_fail(int code, const char *format, ...)
{
    char text[4000]; /* not more on the stack: memory may be what is missing */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (unsigned char *c = (unsigned char *)text; *c; c++) { /* names of files and models: a terminal must not obey */
        if ((*c < 0x20 && *c != '\n' && *c != '\t') || *c == 0x7f)
            *c = '?';
        if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0) /* U+0080 to U+009F */
            c[0] = c[1] = '?';
    }
    print_error(text);
    return code;
}

int carom_cli_no_memory(void)
{
    return carom_cli_fail(CAROM_EXIT_FAILED, "%s", carom_status_text(CAROM_NO_MEMORY));
}

int carom_cli_done(carom_status status, const carom_error *error)
{
    return status == CAROM_OK ? CAROM_EXIT_OK : carom_cli_fail(carom_cli_exit(status), "%s", error->text);
}

int carom_cli_json(const carom_result_field *fields, const void *record)
{
    carom_error error = {0};
    carom_json *json;
    CAROM_CLI_TRY(carom_cli_done(carom_json_new(&json, "standard output", stdout, true, &error), &error));
    carom_json_object(json, NULL);
    carom_json_fields(json, fields, record);
    carom_json_end(json);
    return carom_cli_done(carom_json_close(json, &error), &error);
}

int carom_cli_fail_job(const carom_cli *cli, const carom_model *model, int code, carom_status status,
                       const char *message)
{
    const struct failure {
        const char *model, *status, *message;
    } failure = {model->name, carom_status_text(status), message};
    static const carom_result_field fields[] = {CAROM_CELL("model", CAROM_TEXT, struct failure, model),
                                                CAROM_CELL("status", CAROM_TEXT, struct failure, status),
                                                CAROM_CELL("message", CAROM_TEXT, struct failure, message),
                                                {.name = NULL}};
    if (cli->json && code != CAROM_EXIT_USAGE)
        carom_cli_json(fields, &failure);
    return carom_cli_fail(code, "%s", message);
}

FILE *carom_cli_stream(const char **path)
{
    if (strcmp(*path, "-") != 0)
        return NULL;
    *path = "standard output";
    return stdout;
}

int carom_cli_check_writable(const char *path)
{
    char folder[4096] = ".";
    const char *slash = path ? strrchr(path, '/') : NULL;
    if (!path || !strcmp(path, "-"))
        return CAROM_EXIT_OK;
    if (slash)
        snprintf(folder, sizeof folder, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    if (access(access(path, F_OK) == 0 ? path : folder, W_OK) != 0)
        return carom_cli_fail(CAROM_EXIT_FAILED, "'%s' cannot be created: %s", path, strerror(errno));
    return CAROM_EXIT_OK;
}

int carom_cli_check_page(const carom_cli *cli, const char *path)
{
    const bool page = carom_ends_with(path, ".html") || carom_ends_with(path, ".htm") || !strncmp(path, "/dev/", 5);
    return page ? CAROM_EXIT_OK
                : carom_cli_fail(CAROM_EXIT_USAGE, "%s writes a page: '%s' should end in .html", cli->command->name,
                                 path);
}

int carom_cli_unknown(const char *what, const char *word, const char *const *names, const char *topic)
{
    int n = 0;
    while (names[n])
        n++;
    const char *nearest = carom_nearest(word, names, n);
    fprintf(stderr, "carom: unknown %s '%s'", what, word);
    if (nearest)
        fprintf(stderr, "; did you mean '%s'?\n", nearest);
    else
        fprintf(stderr, "; see: carom help%s%s\n", topic ? " " : "", topic ? topic : "");
    return CAROM_EXIT_USAGE;
}

static int version(const carom_cli *cli)
{
    (void)cli;
    printf("carom %s\n", carom_version());
    return CAROM_EXIT_OK;
}

const carom_cli_command carom_cli_version_command = {
    "version", "", 0, 0, CAROM_CLI_VERSION, version, "print the version and what it was built with",
    "Prints the version of the library and the optional libraries it was built with.", NULL, NULL};

#define ADDRESS(name) &carom_cli_##name##_command,
const carom_cli_command *const carom_cli_commands[] = {CAROM_CLI_COMMANDS(ADDRESS) NULL};
#undef ADDRESS

int main(int argc, char **argv)
{
    carom_cli cli = {0};
    signal(SIGXFSZ, SIG_IGN); /* a limit on the size of files is an error like a full disk */
    int code = carom_cli_parse(&cli, argc - 1, argv + 1);
    if (code == CAROM_EXIT_OK && !cli.help)
        code = carom_cli_limit(&cli);
    if (code == CAROM_EXIT_OK && !cli.help)
        code = carom_cli_check_outputs(&cli);
    if (code == CAROM_EXIT_OK && cli.help)
        carom_cli_command_help(stdout, cli.command);
    else if (code == CAROM_EXIT_OK)
        code = cli.command->run(&cli);
    if (carom_cli_overdue())
        code = carom_cli_fail(CAROM_EXIT_FAILED, "the time is over (--limit-time %s)", cli.limit_time);
    carom_arena_free(cli.arena);
    if ((fflush(stdout) || ferror(stdout)) && code == CAROM_EXIT_OK)
        code = carom_cli_fail(CAROM_EXIT_FAILED, "cannot write to standard output: %s",
                              errno ? strerror(errno) : "is the disk full?");
    return code;
}
