/* mpi.c: a sweep on the ranks of MPI. Rank 0 hands out points, in chunks to whoever asks, and writes the store; the
 * others compute. Nothing here is done unless a launcher has started the process, which its environment tells. When a
 * rank dies the launcher ends the others; what rank 0 had written is there, and --resume goes on. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/sweep/sweep.h"

#ifdef CAROM_NO_MPI

void carom_cli_mpi_begin(int *rank, int *ranks)
{
    *rank = 0;
    *ranks = 1;
}

int carom_cli_mpi_agree(int code)
{
    return code;
}

void carom_cli_mpi_abort(int code)
{
    (void)code;
}

carom_status carom_cli_mpi_run(const carom_sweep *sweep, int rank, int ranks, int threads, const carom_sweep_feed *feed,
                               carom_error *error)
{
    (void)rank, (void)ranks;
    return carom_sweep_run(sweep, threads, feed, error);
}

void carom_cli_mpi_end(void)
{
}

#else

#include <mpi.h>

/* worker: how many points do I get; rank 0: these; worker: rows; worker: no more from me */
enum { ASK = 1, GIVE, ROWS, BYE };

static bool launched(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "MPI_LOCALNRANKS"};
    for (int i = 0; i < CAROM_COUNT(names); i++)
        if (getenv(names[i]))
            return true;
    return false;
}

static bool running(void)
{
    int begun = 0, ended = 0;
    MPI_Initialized(&begun);
    MPI_Finalized(&ended);
    return begun && !ended;
}

void carom_cli_mpi_begin(int *rank, int *ranks)
{
    int provided;
    *rank = 0;
    *ranks = 1;
    if (!launched() || MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS)
        return;
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, ranks);
}

int carom_cli_mpi_agree(int code)
{
    if (running())
        MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return code;
}

void carom_cli_mpi_abort(int code)
{
    if (running())
        MPI_Abort(MPI_COMM_WORLD, code);
}

void carom_cli_mpi_end(void)
{
    if (running())
        MPI_Finalize();
}

/* ---- a row as bytes ---- */

static size_t row_bytes(const carom_sweep *s)
{
    return sizeof(long long) + sizeof(int) + sizeof(double) * (size_t)s->ncolumn + CAROM_SWEEP_TEXT;
}

static void pack(const carom_sweep *s, const carom_sweep_row *row, char *to)
{
    const int status = (int)row->status;
    memcpy(to, &row->index, sizeof row->index), to += sizeof row->index;
    memcpy(to, &status, sizeof status), to += sizeof status;
    memcpy(to, row->value, sizeof(double) * (size_t)s->ncolumn), to += sizeof(double) * (size_t)s->ncolumn;
    memcpy(to, row->text, CAROM_SWEEP_TEXT);
}

static void unpack(const carom_sweep *s, const char *from, carom_sweep_row *row)
{
    int status;
    memcpy(&row->index, from, sizeof row->index), from += sizeof row->index;
    memcpy(&status, from, sizeof status), from += sizeof status;
    row->status = (carom_status)status;
    memcpy(row->value, from, sizeof(double) * (size_t)s->ncolumn), from += sizeof(double) * (size_t)s->ncolumn;
    memcpy(row->text, from, CAROM_SWEEP_TEXT);
}

/* ---- workers ---- */

typedef struct worker {
    const carom_sweep *sweep;
    const carom_sweep_feed *feed; /* of the process: only stop is asked */
    char *buffer;                 /* [CAROM_SWEEP_CHUNK] rows */
} worker;

static int ask(void *user, long long *index, int most)
{
    MPI_Status status;
    int n = 0;
    (void)user;
    MPI_Send(&most, 1, MPI_INT, 0, ASK, MPI_COMM_WORLD);
    MPI_Recv(index, most, MPI_LONG_LONG, 0, GIVE, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_LONG_LONG, &n);
    return n;
}

static carom_status send_rows(void *user, const carom_sweep_row *rows, int n, carom_error *error)
{
    worker *w = user;
    const size_t bytes = row_bytes(w->sweep);
    (void)error;
    for (int i = 0; i < n; i++)
        pack(w->sweep, &rows[i], w->buffer + (size_t)i * bytes);
    MPI_Send(w->buffer, (int)((size_t)n * bytes), MPI_BYTE, 0, ROWS, MPI_COMM_WORLD);
    return CAROM_OK;
}

static bool worker_stops(void *user)
{
    const worker *w = user;
    return w->feed->stop(w->feed->user);
}

static carom_status compute(const carom_sweep *sweep, int threads, const carom_sweep_feed *feed, carom_error *error)
{
    worker w = {.sweep = sweep, .feed = feed, .buffer = malloc(CAROM_SWEEP_CHUNK * row_bytes(sweep))};
    const carom_sweep_feed own = {&w, ask, send_rows, worker_stops};
    carom_status status = w.buffer ? carom_sweep_run(sweep, threads > 0 ? threads : 1, &own, error)
                                   : carom_fail(error, CAROM_NO_MEMORY, "no memory for messages");
    const int code = (int)status;
    MPI_Send(&code, 1, MPI_INT, 0, BYE, MPI_COMM_WORLD);
    free(w.buffer);
    return status;
}

/* ---- rank 0 ---- */

typedef struct master {
    const carom_sweep *sweep;
    const carom_sweep_feed *feed;
    char *buffer;
    carom_sweep_row row;
    int active;
    carom_status status;
    carom_error *error;
} master;

static void give(master *m, int to)
{
    long long index[CAROM_SWEEP_CHUNK];
    int most, n = 0;
    MPI_Recv(&most, 1, MPI_INT, to, ASK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (m->status == CAROM_OK && m->feed->stop(m->feed->user))
        m->status = CAROM_INTERRUPTED;
    if (m->status == CAROM_OK)
        n = m->feed->take(m->feed->user, index, CAROM_MIN(most, CAROM_SWEEP_CHUNK));
    MPI_Send(index, n, MPI_LONG_LONG, to, GIVE, MPI_COMM_WORLD);
}

static void take_rows(master *m, int from)
{
    MPI_Status status;
    const size_t bytes = row_bytes(m->sweep);
    int received = 0;
    MPI_Recv(m->buffer, (int)(CAROM_SWEEP_CHUNK * bytes), MPI_BYTE, from, ROWS, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_BYTE, &received);
    for (size_t i = 0; i < (size_t)received / bytes; i++) {
        unpack(m->sweep, m->buffer + i * bytes, &m->row);
        carom_status put = m->status == CAROM_OK || m->status == CAROM_INTERRUPTED
                               ? m->feed->put(m->feed->user, &m->row, 1, m->error)
                               : CAROM_OK;
        if (put != CAROM_OK)
            m->status = put;
    }
}

static void part(master *m, int from)
{
    int code;
    MPI_Recv(&code, 1, MPI_INT, from, BYE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (m->status == CAROM_OK && code != CAROM_OK)
        m->status =
            carom_fail(m->error, (carom_status)code, "rank %d: %s", from, carom_status_text((carom_status)code));
    m->active--;
}

static void serve(master *m)
{
    const struct timespec nap = {0, 200000};
    while (m->active > 0) {
        MPI_Status status;
        int there = 0;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
        if (!there)
            nanosleep(&nap, NULL);
        else if (status.MPI_TAG == ASK)
            give(m, status.MPI_SOURCE);
        else if (status.MPI_TAG == ROWS)
            take_rows(m, status.MPI_SOURCE);
        else
            part(m, status.MPI_SOURCE);
    }
}

carom_status carom_cli_mpi_run(const carom_sweep *sweep, int rank, int ranks, int threads, const carom_sweep_feed *feed,
                               carom_error *error)
{
    if (rank != 0)
        return compute(sweep, threads, feed, error);
    master m = {.sweep = sweep, .feed = feed, .active = ranks - 1, .error = error};
    m.buffer = malloc(CAROM_SWEEP_CHUNK * row_bytes(sweep));
    m.row.value = calloc((size_t)sweep->ncolumn + 1, sizeof(double));
    if (!m.buffer || !m.row.value)
        MPI_Abort(MPI_COMM_WORLD, CAROM_EXIT_FAILED);
    serve(&m);
    free(m.buffer);
    free(m.row.value);
    return m.status;
}

#endif
