/* run.c: what the entries of several papers share: recorded runs. */
#include <stdio.h>
#include <string.h>

#include "output/reproduce/reproduce.h"

enum { WORD = 200 };

/* The next word "key=value" of a list parted by blanks, split; false at its end. */
static bool next_pair(const char **list, char *word, char **value)
{
    *list += strspn(*list, " ");
    size_t length = strcspn(*list, " ");
    if (!length || length >= WORD)
        return false;
    memcpy(word, *list, length);
    word[length] = '\0';
    *list += length;
    *value = strchr(word, '=');
    if (!*value)
        return false;
    *(*value)++ = '\0';
    return true;
}

carom_status carom_run_log_model(carom_model **model, const char *name, const char *parameters, carom_error *error)
{
    char word[16][WORD], *text;
    const char *names[16];
    double values[16];
    int n = 0;
    CAROM_TRY(carom_model_load(model, name, NULL, error));
    for (const char *list = parameters ? parameters : ""; n < 16 && next_pair(&list, word[n], &text); n++) {
        names[n] = word[n];
        if (!carom_number(text, &values[n]))
            CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "'%s' is no number", text);
    }
    return carom_model_set(*model, names, values, n, error);
}

carom_status carom_run_log_options(carom_options *options, const carom_model *model, const char *settings,
                                   carom_error *error)
{
    char word[WORD], *text;
    *options = carom_options_default();
    CAROM_TRY(carom_options_from_model(options, model, error));
    for (const char *list = settings; next_pair(&list, word, &text);)
        CAROM_TRY(carom_options_set(options, word, text, error));
    return CAROM_OK;
}

carom_status carom_run_log_make(carom_run_log *record, const char *model, const char *parameters, const char *settings,
                                carom_error *error)
{
    carom_options options;
    *record = (carom_run_log){0};
    CAROM_TRY(carom_run_log_model(&record->model, model, parameters, error));
    CAROM_TRY(carom_run_log_options(&options, record->model, settings, error));
    CAROM_TRY(carom_sim_new(&record->sim, record->model, &options, error));
    CAROM_TRY(carom_trajectory_new(&record->trajectory, record->sim, error));
    carom_status status = carom_sim_run(record->sim, carom_sim_options(record->sim)->t_end);
    if (status != CAROM_OK && status != CAROM_STOPPED)
        CAROM_FAIL(error, status, "%s", carom_sim_error(record->sim)->text);
    return CAROM_OK;
}

void carom_run_log_free(carom_run_log *record)
{
    carom_trajectory_free(record->trajectory);
    carom_sim_free(record->sim);
    carom_model_free(record->model);
    *record = (carom_run_log){0};
}
