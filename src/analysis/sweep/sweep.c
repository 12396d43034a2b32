/* sweep.c: threads that take points, compute them and hand over rows; and the list of points that are left. */
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/sweep/sweep.h"
#include "core/parallel.h"

static const char *const status_names[] = {
#define NAME(name, words) #name,
    CAROM_STATUS_LIST(NAME)
#undef NAME
};

const char *carom_sweep_status_word(carom_status status, char word[32])
{
    const char *from = status_names[status] + strlen("CAROM_");
    size_t i = 0;
    for (; from[i] && i < 31; i++)
        word[i] = (char)tolower((unsigned char)from[i]);
    word[i] = 0;
    return word;
}

int carom_sweep_status(const char *word)
{
    char other[32];
    for (int i = 0; i < CAROM_COUNT(status_names); i++)
        if (!strcmp(carom_sweep_status_word((carom_status)i, other), word))
            return i;
    return -1;
}

/* ---- the points that are left ---- */

carom_status carom_sweep_todo_new(carom_sweep_todo *todo, const carom_sweep *sweep, carom_error *error)
{
    long long n = sweep->points, count = n / sweep->nshard + (sweep->shard < n % sweep->nshard);
    *todo = (carom_sweep_todo){.sweep = sweep, .count = count};
    todo->mark = calloc((size_t)(count / 8 + 1), 1);
    if (!todo->mark)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory to keep track of %lld points; use --shard", count);
    return CAROM_OK;
}

carom_status carom_sweep_todo_mark(carom_sweep_todo *todo, long long index, carom_error *error)
{
    const carom_sweep *s = todo->sweep;
    long long k = index / s->nshard;
    if (index < 0 || index >= s->points || index % s->nshard != s->shard)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "point %lld is none of shard %ld/%ld of %lld points", index, s->shard,
                   s->nshard, s->points);
    unsigned char bit = (unsigned char)(1 << k % 8);
    todo->done += !(todo->mark[k / 8] & bit);
    todo->mark[k / 8] |= bit;
    return CAROM_OK;
}

int carom_sweep_todo_take(carom_sweep_todo *todo, long long *index, int most)
{
    int n = 0;
    for (; n < most && todo->next < todo->count; todo->next++)
        if (!(todo->mark[todo->next / 8] >> todo->next % 8 & 1))
            index[n++] = todo->next * todo->sweep->nshard + todo->sweep->shard;
    return n;
}

void carom_sweep_todo_free(carom_sweep_todo *todo)
{
    free(todo->mark);
    todo->mark = NULL;
}

/* ---- running ---- */

typedef struct thread {
    carom_sweep_worker *worker;
    carom_sweep_row *rows; /* [CAROM_SWEEP_CHUNK] */
    double *values;        /* [CAROM_SWEEP_CHUNK*ncolumn] */
    int chunk;             /* points to take at once */
} thread;

typedef struct team { /* what the threads share */
    const carom_sweep_feed *feed;
    thread *thread; /* [threads] */
    atomic_int next; /* the one that nobody is yet */
    carom_lock lock;
    carom_status status;
    carom_error *error;
} team;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void drop(thread *t)
{
    carom_sweep_worker_free(t->worker);
    free(t->rows);
    free(t->values);
}

static carom_status prepare(thread *t, const carom_sweep *sweep, const carom_sweep_feed *feed, carom_error *error)
{
    t->chunk = 1;
    t->rows = calloc(CAROM_SWEEP_CHUNK, sizeof *t->rows);
    t->values = calloc((size_t)CAROM_SWEEP_CHUNK * (size_t)CAROM_MAX(sweep->ncolumn, 1), sizeof *t->values);
    if (!t->rows || !t->values)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for the rows of a thread");
    for (int i = 0; i < CAROM_SWEEP_CHUNK; i++)
        t->rows[i].value = t->values + i * sweep->ncolumn;
    CAROM_TRY(carom_sweep_worker_new(&t->worker, sweep, error));
    t->worker->stop = feed->stop;
    t->worker->user = feed->user;
    return CAROM_OK;
}

/* Takes points, computes them, hands the rows over; false: there is nothing more to do. Chunks of about a tenth of a
 * second: what is lost when the process is killed stays small, and so does the time that threads wait for each
 * other. */
static bool work(thread *t, team *job)
{
    long long index[CAROM_SWEEP_CHUNK];
    int n = 0, done = 0;
    carom_lock_take(&job->lock);
    if (job->status == CAROM_OK)
        n = job->feed->take(job->feed->user, index, t->chunk);
    carom_lock_release(&job->lock);
    double begin = now();
    if (n > 0 && t->worker->sweep->method->ahead)
        t->worker->sweep->method->ahead(t->worker, index, n);
    for (; done < n; done++) {
        t->rows[done].index = index[done];
        if (!carom_sweep_worker_run(t->worker, &t->rows[done]))
            break;
    }
    double each = (now() - begin) / CAROM_MAX(done, 1);
    t->chunk = CAROM_MIN((int)fmin(0.1 / fmax(each, 1e-9), 2. * t->chunk) + 1, CAROM_SWEEP_CHUNK);
    carom_lock_take(&job->lock);
    carom_status status = done ? job->feed->put(job->feed->user, t->rows, done, job->error) : CAROM_OK;
    if (job->status == CAROM_OK || job->status == CAROM_INTERRUPTED)
        job->status = status != CAROM_OK ? status : done < n ? CAROM_INTERRUPTED : job->status;
    carom_lock_release(&job->lock);
    return n > 0 && done == n;
}

static void work_on(void *user)
{
    team *job = user;
    thread *t = &job->thread[atomic_fetch_add(&job->next, 1)];
    while (work(t, job))
        ;
}

carom_status carom_sweep_run(const carom_sweep *sweep, int threads, const carom_sweep_feed *feed, carom_error *error)
{
    threads = carom_threads(threads, INT_MAX);
    team job = {.feed = feed, .error = error, .lock = CAROM_LOCK_OPEN,
                .thread = calloc((size_t)threads, sizeof *job.thread)};
    if (!job.thread)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for %d threads", threads);
    for (int i = 0; i < threads && job.status == CAROM_OK; i++) /* one after the other: the first compiles for --jit */
        job.status = prepare(&job.thread[i], sweep, feed, error);
    if (job.status == CAROM_OK)
        carom_parallel(threads, work_on, &job);
    for (int i = 0; i < threads; i++)
        drop(&job.thread[i]);
    free(job.thread);
    return job.status;
}
