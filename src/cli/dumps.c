/* dumps.c: contact problems of a run, written to a folder: problem-000001.hdf5, or .txt where FCLIB has no words. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/dumps.h"
#include "output/hdf5/fclib.h"

enum { MOST = 1000000 };

static void write_text(carom_dumps *d, const carom_contacts *contacts, const char *path)
{
    FILE *file = fopen(path, "w");
    bool good = file && carom_problem_dump(&contacts->problem, contacts->solve.x, file) == CAROM_OK;
    good = (!file || fclose(file) == 0) && good;
    if (!good)
        carom_fail(&d->error, CAROM_FILE, "'%s' cannot be written", path);
}

static void told(void *user, const carom_contacts *contacts, carom_status status, double seconds)
{
    carom_dumps *d = user;
    char path[4096];
    carom_error why = {0};
    bool slow = seconds > 1e-3 && (double)d->problems * seconds > 10 * d->spent;
    bool wanted = d->when == CAROM_DUMP_ALL || status != CAROM_OK || (d->when == CAROM_DUMP_SLOW && slow);
    d->problems++;
    d->spent += seconds;
    if (!wanted || d->error.status != CAROM_OK || d->written >= MOST)
        return;
    d->written++;
    snprintf(path, sizeof path, "%s/problem-%06ld.hdf5", d->folder, d->written);
    if (carom_fclib_save(&contacts->problem, contacts->solve.x, contacts->solve.u, path, &why) == CAROM_OK)
        return;
    memcpy(path + strlen(path) - 4, "txt", 4);
    write_text(d, contacts, path);
}

int carom_dumps_begin(carom_dumps *d, const carom_cli *cli, carom_sim *sim)
{
    static const char *const words[] = {"failed", "slow", "all", NULL};
    *d = (carom_dumps){.folder = cli->dump_problems};
    if (cli->dump_when && !cli->dump_problems)
        return carom_cli_fail(CAROM_EXIT_USAGE, "--dump-when needs --dump-problems DIR");
    if (!d->folder)
        return CAROM_EXIT_OK;
    int when = 0;
    while (cli->dump_when && words[when] && strcmp(words[when], cli->dump_when) != 0)
        when++;
    if (!words[when])
        return carom_cli_fail(CAROM_EXIT_USAGE, "--dump-when '%s', expected failed, slow or all", cli->dump_when);
    d->when = when;
    if (mkdir(d->folder, 0777) != 0 && errno != EEXIST)
        return carom_cli_fail(CAROM_EXIT_FAILED, "'%s' cannot be made: %s", d->folder, strerror(errno));
    sim->contacts.told = told;
    sim->contacts.user = d;
    return CAROM_EXIT_OK;
}

int carom_dumps_end(carom_dumps *d, int code)
{
    if (d->error.status != CAROM_OK)
        return carom_cli_fail(CAROM_EXIT_FAILED, "%s", d->error.text);
    return code;
}
