/* limits.c: what a command may take and touch: limits of memory and time for models from strangers, and files that are
 * read and must not be written over.
 *
 * The clock of --limit-time is the wall's. When it is over, a job that looks at Ctrl-C ends as if it had come and
 * closes its files; whatever has not ended a second later (a model that is still being read) is ended at once. */
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "cli/cli.h"

static volatile sig_atomic_t overdue;

#ifdef __wasi__ /* a browser has neither; the page ends what takes too long */
static bool set_timer(double seconds)
{
    return seconds < 0;
}

static bool set_memory(double bytes)
{
    return bytes < 0;
}
#else
static bool set_timer(double seconds)
{
    const double whole = (double)(time_t)seconds;
    const struct itimerval timer = {.it_value = {(time_t)seconds, (suseconds_t)(1e6 * (seconds - whole))}};
    return setitimer(ITIMER_REAL, &timer, NULL) == 0;
}

static bool set_memory(double bytes)
{
    const struct rlimit limit = {(rlim_t)bytes, (rlim_t)bytes};
    return setrlimit(RLIMIT_AS, &limit) == 0;
}
#endif

static void ring(int number)
{
    static const char words[] = "carom: the time is over (--limit-time)\n";
    (void)number;
    if (!overdue && carom_cli_interrupt()) {
        overdue = 1;
        set_timer(1);
        return;
    }
    (void)!write(2, words, sizeof words - 1);
    _exit(CAROM_EXIT_FAILED);
}

bool carom_cli_overdue(void)
{
    return overdue;
}

int carom_cli_limit(const carom_cli *cli)
{
    double mb = 0, seconds = 0;
    if (cli->limit_memory && (!carom_number(cli->limit_memory, &mb) || !(mb >= 1 && mb <= 1e12)))
        return carom_cli_fail(CAROM_EXIT_USAGE, "--limit-memory takes megabytes from 1 to 1e12, not '%s'",
                              cli->limit_memory);
    if (cli->limit_time && (!carom_number(cli->limit_time, &seconds) || !(seconds >= 0.001 && seconds <= 1e9)))
        return carom_cli_fail(CAROM_EXIT_USAGE, "--limit-time takes seconds from 0.001 to 1e9, not '%s'",
                              cli->limit_time);
    if (cli->limit_memory && !set_memory(1e6 * mb))
        return carom_cli_fail(CAROM_EXIT_FAILED, "--limit-memory %s: the system does not set it", cli->limit_memory);
    if (cli->limit_time)
        signal(SIGALRM, ring);
    if (cli->limit_time && !set_timer(seconds))
        return carom_cli_fail(CAROM_EXIT_FAILED, "--limit-time %s: the system does not set it", cli->limit_time);
    return CAROM_EXIT_OK;
}

static bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    return a && b && stat(a, &x) == 0 && stat(b, &y) == 0 && S_ISREG(x.st_mode) && x.st_dev == y.st_dev &&
           x.st_ino == y.st_ino;
}

int carom_cli_check_outputs(const carom_cli *cli)
{
    static const char *const own[] = {"--picture", "--svg", "--export", "--checkpoint"};
    const char *path[CAROM_COUNT(own) + 2] = {cli->output, cli->dump};
    for (int i = 0; i < CAROM_COUNT(own); i++)
        path[i + 2] = carom_cli_own(cli, own[i]);
    for (int i = 0; i < CAROM_COUNT(path); i++)
        for (int k = 0; k < cli->noperand; k++)
            if (same_file(path[i], cli->operand[k]))
                return carom_cli_fail(CAROM_EXIT_USAGE, "'%s' is read here: it is not written over", path[i]);
    return CAROM_EXIT_OK;
}
