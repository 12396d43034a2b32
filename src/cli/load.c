/* load.c: from the words of a command line to a model and the options of a run. */
#include <string.h>

#include "cli/cli.h"

int carom_cli_load(const carom_cli *cli, carom_model **model, char *note)
{
    carom_error error = {0};
    carom_load_options load = {.size = sizeof load, .allow_plugins = cli->allow_plugins, .jit = cli->jit,
                               .assemble = cli->assemble};
    *model = NULL;
    if (carom_model_load(model, cli->operand[0], &load, &error) != CAROM_OK)
        return carom_cli_fail(error.status == CAROM_NO_MEMORY ? CAROM_EXIT_FAILED : CAROM_EXIT_MODEL, "%s", error.text);
    snprintf(note, sizeof load.note, "%s", load.note);
    int code = CAROM_EXIT_OK;
    carom_status status = carom_model_set(*model, cli->parameter, cli->value, cli->nparameter, &error);
    if (status == CAROM_BAD_ARGUMENT || status == CAROM_BAD_OPTION)
        code = carom_cli_fail(CAROM_EXIT_USAGE, "-p: %s", error.text);
    else if (status != CAROM_OK)
        code = carom_cli_fail(CAROM_EXIT_MODEL, "%s", error.text);
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
