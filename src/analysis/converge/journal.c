/* journal.c: finished runs, line by line, so that a study that was interrupted goes on where it stopped.
 *
 *   carom-converge <settings>
 *   <index> <status> <cpu> <steps> <rhs> <solves> <problems> <error> ... ;
 * A line that is not whole, because the machine went down, is ignored. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/converge/converge.h"

struct carom_journal {
    FILE *file;
    char *path;
};

static bool read_row(char *line, carom_converge_task *task, int n, int nnorm)
{
    char *at = line, *end = strchr(line, ';');
    double value[7];
    if (!end || end[1] != '\n')
        return false;
    for (int k = 0; k < 7; k++)
        value[k] = strtod(at, &at);
    if (!(value[0] >= 0 && value[0] < n && value[1] >= 0 && value[1] <= CAROM_NO_MEMORY))
        return false;
    carom_converge_task *t = &task[(int)value[0]];
    for (int k = 0; k < nnorm; k++) {
        char *next;
        t->error[k] = strtod(at, &next);
        if (next == at)
            return false;
        at = next;
    }
    t->status = (carom_status)value[1], t->cpu_s = value[2];
    t->steps = (long)value[3], t->rhs_evaluations = (long)value[4], t->linear_solves = (long)value[5],
    t->contact_problems = (long)value[6];
    t->done = true;
    return true;
}

/* Reads the file if there is one; *whole is the length of what is good in it. */
static carom_status read_all(const char *path, const char *settings, carom_converge_task *task, int n, int nnorm,
                             long *whole, int *known, carom_error *error)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    *whole = 0;
    *known = 0;
    if (!file)
        return CAROM_OK;
    ssize_t length = getline(&line, &room, file);
    size_t wanted = strlen(settings);
    bool same = length > 0 && (size_t)length == wanted + 1 && !strncmp(line, settings, wanted);
    while (same) {
        *whole = ftell(file);
        if (getline(&line, &room, file) <= 0 || !read_row(line, task, n, nnorm))
            break;
        ++*known;
    }
    free(line);
    fclose(file);
    if (length > 0 && !same)
        CAROM_FAIL(error, CAROM_FILE, "%s belongs to a study with other settings: remove it, or write to another file",
                   path);
    return CAROM_OK;
}

carom_status carom_journal_open(carom_journal **journal, const char *path, const char *settings,
                                carom_converge_task *task, int n, int nnorm, int *known, carom_error *error)
{
    long whole;
    *journal = NULL;
    CAROM_TRY(read_all(path, settings, task, n, nnorm, &whole, known, error));
    carom_journal *j = calloc(1, sizeof *j);
    if (j)
        j->path = strdup(path);
    if (!j || !j->path) {
        free(j);
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for a journal");
    }
    j->file = fopen(path, whole ? "r+" : "w");
    bool fine = j->file && (whole ? ftruncate(fileno(j->file), whole) == 0 && fseek(j->file, whole, SEEK_SET) == 0
                                  : fprintf(j->file, "%s\n", settings) > 0 && fflush(j->file) == 0);
    if (!fine) {
        carom_fail(error, CAROM_FILE, "%s: %s", path, strerror(errno));
        carom_journal_close(j, false);
        return CAROM_FILE;
    }
    *journal = j;
    return CAROM_OK;
}

carom_status carom_journal_add(carom_journal *journal, int index, const carom_converge_task *task, int nnorm,
                               carom_error *error)
{
    FILE *f = journal->file;
    fprintf(f, "%d %d %.17g %ld %ld %ld %ld", index, (int)task->status, task->cpu_s, task->steps, task->rhs_evaluations,
            task->linear_solves, task->contact_problems);
    for (int k = 0; k < nnorm; k++)
        fprintf(f, " %.17g", task->error[k]);
    fprintf(f, ";\n");
    if (fflush(f) != 0 || ferror(f))
        CAROM_FAIL(error, CAROM_FILE, "%s: %s", journal->path, strerror(errno));
    return CAROM_OK;
}

void carom_journal_close(carom_journal *journal, bool complete)
{
    if (!journal)
        return;
    if (journal->file)
        fclose(journal->file);
    if (complete)
        remove(journal->path);
    free(journal->path);
    free(journal);
}
