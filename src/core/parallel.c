/* parallel.c: work on several threads. */
#include <sched.h>
#include <stdlib.h>

#include "core/core.h"
#include "core/parallel.h"

#ifdef CAROM_NO_THREADS

int carom_threads(int wanted, long tasks)
{
    (void)wanted, (void)tasks;
    return 1;
}

void carom_parallel(int threads, void (*work)(void *user), void *user)
{
    (void)threads;
    work(user);
}

#else

int carom_threads(int wanted, long tasks)
{
    if (wanted <= 0) {
        cpu_set_t set; /* the cores that this process may use */
        wanted = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    }
    return (int)CAROM_MAX(CAROM_MIN((long)wanted, tasks), 1);
}

typedef struct call {
    void (*work)(void *user);
    void *user;
} call;

static void *enter(void *argument)
{
    const call *c = argument;
    c->work(c->user);
    return NULL;
}

void carom_parallel(int threads, void (*work)(void *user), void *user)
{
    call c = {work, user};
    pthread_t *helper = calloc((size_t)CAROM_MAX(threads, 1), sizeof *helper);
    int n = 0;
    while (helper && n < threads - 1 && pthread_create(&helper[n], NULL, enter, &c) == 0)
        n++;
    work(user);
    for (int i = 0; i < n; i++)
        pthread_join(helper[i], NULL);
    free(helper);
}

#endif
