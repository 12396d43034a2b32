/* save.c: a simulation's state in memory, and back, to the last bit: going on after a load is as if nothing had
 * happened. A checksum stands for every byte: what was damaged is refused, and the simulation stays as it is. */
#include <string.h>

#include "core/archive.h"
#include "core/limits.h"
#include "sim/sim.h"

typedef struct header {
    char magic[8];
    char scheme[32];
    uint64_t checksum; /* of everything, with 0 in its place */
    size_t bytes;      /* of everything */
    int nq, nv, np, nrow, ncontact, nmemory;
} header;

typedef struct beside { /* what goes with a state and is not in its block */
    carom_info info;
    double unseen, slide_time, share_time;
    int slides, shares;
} beside;

static header describe(const carom_sim *sim)
{
    header h;
    memset(&h, 0, sizeof h); /* no stray bytes: equal states save equally */
    memcpy(h.magic, "carom 2", 8);
    memcpy(h.scheme, sim->options.scheme, sizeof h.scheme);
    h.nq = sim->system.nq, h.nv = sim->system.nv, h.np = sim->model->np;
    bool links = sim->model->links != NULL;
    h.nrow = links ? 0 : sim->system.nrow, h.nmemory = sim->nmemory;
    h.ncontact = links ? sim->system.capacity : sim->model->ncontact;
    h.bytes = sizeof h + sizeof(beside) + sizeof(double) * (size_t)h.np + sim->state_bytes;
    return h;
}

/* Of a header, with 0 for its checksum, and what follows it. */
static uint64_t checksum_of(const header *h, const unsigned char *rest)
{
    return carom_checksum(carom_checksum(0, h, sizeof *h), rest, h->bytes - sizeof *h);
}

size_t carom_sim_save(const carom_sim *sim, void *buffer, size_t size)
{
    if (!sim)
        return 0;
    header h = describe(sim);
    if (!buffer || size < h.bytes)
        return h.bytes;
    unsigned char *to = buffer;
    size_t parameters = sizeof(double) * (size_t)h.np;
    beside more;
    memset(&more, 0, sizeof more);
    more.info = sim->info, more.unseen = sim->certificate.unseen;
    more.slides = sim->slides, more.slide_time = sim->slides ? sim->slide_time : 0;
    more.shares = sim->shares, more.share_time = sim->shares ? sim->share_time : 0;
    memcpy(to, &h, sizeof h), to += sizeof h;
    memcpy(to, &more, sizeof more), to += sizeof more;
    if (parameters)
        memcpy(to, sim->system.p, parameters), to += parameters;
    memcpy(to, sim->now.clock, sim->state_bytes);
    h.checksum = checksum_of(&h, (unsigned char *)buffer + sizeof h);
    memcpy(buffer, &h, sizeof h);
    return h.bytes;
}

/* Is the buffer what carom_sim_save has written, whatever it was written for? */
static carom_status check(carom_sim *sim, const unsigned char *buffer, size_t size, header *h)
{
    if (size < sizeof *h)
        CAROM_FAIL(&sim->error, CAROM_BAD_ARGUMENT, "a saved state has at least %zu bytes, these are %zu", sizeof *h,
                   size);
    memcpy(h, buffer, sizeof *h);
    if (memcmp(h->magic, "carom 2", sizeof h->magic) != 0)
        CAROM_FAIL(&sim->error, CAROM_BAD_ARGUMENT, "this is not a saved state");
    if (size != h->bytes)
        CAROM_FAIL(&sim->error, CAROM_BAD_ARGUMENT, "the saved state has %zu bytes, these are %zu", h->bytes, size);
    const uint64_t checksum = h->checksum;
    h->checksum = 0;
    if (checksum != checksum_of(h, buffer + sizeof *h))
        CAROM_FAIL(&sim->error, CAROM_BAD_ARGUMENT, "the saved state is damaged: its checksum does not fit");
    return CAROM_OK;
}

carom_status carom_sim_load(carom_sim *sim, const void *buffer, size_t size)
{
    CAROM_NEED(sim, NULL);
    CAROM_NEED(buffer, &sim->error);
    header h, expected;
    CAROM_TRY(check(sim, buffer, size, &h));
    if (sim->model->links && h.ncontact > 0 && h.ncontact <= CAROM_MAX_FOUND && h.ncontact != sim->system.capacity)
        CAROM_TRY(carom_sim_room(sim, h.ncontact));
    expected = describe(sim);
    if (memcmp(&h, &expected, sizeof h) != 0)
        CAROM_FAIL(&sim->error, CAROM_BAD_ARGUMENT,
                   "the saved state is of another model or scheme: %d coordinates, scheme %.31s, %zu bytes", h.nq,
                   h.scheme, h.bytes);
    const unsigned char *from = (const unsigned char *)buffer + sizeof h;
    size_t parameters = sizeof(double) * (size_t)h.np;
    beside more;
    memcpy(&more, from, sizeof more), from += sizeof more;
    sim->info = more.info, sim->certificate.unseen = more.unseen;
    sim->slides = more.slides, sim->slide_time = more.slide_time;
    sim->shares = more.shares, sim->share_time = more.share_time;
    if (parameters)
        memcpy(sim->system.p, from, parameters), from += parameters;
    memcpy(sim->now.clock, from, sim->state_bytes);
    carom_sim_sync_time(sim);
    carom_sim_write_note(sim);
    if (sim->model->links) { /* the system knows what touches; the state all that the last step has known */
        CAROM_TRY(carom_sim_find(sim));
        if (sim->system.capacity == h.ncontact)
            memcpy(sim->now.clock, from, sim->state_bytes);
        sim->now.state.ncontact = (int)sim->now.id[0];
    }
    carom_system_begin(&sim->system, sim->now.state.t, sim->now.state.q, sim->now.state.v);
    return CAROM_OK;
}
