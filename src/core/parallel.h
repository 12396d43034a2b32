/* parallel.h: threads and locks. Built without threads (CAROM_NO_THREADS) all of this is one loop and nothing. */
#ifndef CAROM_PARALLEL_H
#define CAROM_PARALLEL_H

#ifndef CAROM_NO_THREADS
#include <pthread.h>
typedef pthread_mutex_t carom_lock;
#define CAROM_LOCK_OPEN PTHREAD_MUTEX_INITIALIZER
#define carom_lock_take(lock) ((void)pthread_mutex_lock(lock))
#define carom_lock_release(lock) ((void)pthread_mutex_unlock(lock))
#else
typedef int carom_lock;
#define CAROM_LOCK_OPEN 0
#define carom_lock_take(lock) ((void)(lock))
#define carom_lock_release(lock) ((void)(lock))
#endif

/* How many threads to use: those wanted (0 or less: one for each core), not more than there are tasks. */
int carom_threads(int wanted, long tasks);
/* Calls work(user) on so many threads at once, the caller's among them, and returns when all have returned. Tasks are
 * taken off a common list: where a thread cannot be had the others do its work. */
void carom_parallel(int threads, void (*work)(void *user), void *user);

#endif
