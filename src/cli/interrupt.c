/* interrupt.c: Ctrl-C in long jobs: the first signal sets a flag that the job looks at, a later one ends it as usual.
 *
 * One wish may arrive as several signals: timeout(1), mpirun and batch systems signal a process and its group. What
 * follows the first within half a second therefore says nothing new. */
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "cli/cli.h"

#define SAME_WISH 500000000LL /* ns */

static atomic_llong first;           /* time of the first signal; 0: none */
static carom_sim *volatile running; /* may be NULL */

static long long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec + 1;
}

static void install(void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static void note(int number)
{
    long long before = 0, t = now();
    if (atomic_compare_exchange_strong(&first, &before, t) && running)
        carom_sim_interrupt(running);
    if (before == 0 || t - before < SAME_WISH)
        return;
    install(SIG_DFL);
    raise(number); /* delivered when this handler returns */
}

void carom_cli_catch(carom_sim *sim)
{
    running = sim;
    atomic_store(&first, 0);
    install(note);
}

void carom_cli_release(void)
{
    install(SIG_DFL);
    running = NULL;
}

bool carom_cli_interrupted(void)
{
    return atomic_load(&first) != 0;
}
