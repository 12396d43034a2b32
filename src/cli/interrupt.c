/* interrupt.c: Ctrl-C in long jobs: the first signal sets a flag that the job looks at, a second one ends it as usual. */
#include <signal.h>

#include "cli/cli.h"

static volatile sig_atomic_t interrupted;

static void note(int signal)
{
    (void)signal;
    interrupted = 1;
}

static void install(void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

void carom_cli_catch(void)
{
    interrupted = 0;
    install(note);
}

void carom_cli_release(void)
{
    install(SIG_DFL);
}

bool carom_cli_interrupted(void)
{
    return interrupted;
}
