/* save.c: a simulation's state in memory, and back, to the last bit: going on after a load is as if nothing had
 * happened. */
#include <string.h>

#include "sim/sim.h"

typedef struct header {
    char magic[8];
    char scheme[32];
    size_t bytes; /* of everything */
    int nq, nv, np, nrow, ncontact, nmemory;
} header;

static header describe(const carom_sim *sim)
{
    header h;
    memset(&h, 0, sizeof h); /* no stray bytes: equal states save equally */
    memcpy(h.magic, "carom 1", 8);
    memcpy(h.scheme, sim->options.scheme, sizeof h.scheme);
    h.nq = sim->system.nq, h.nv = sim->system.nv, h.np = sim->model->np;
    bool links = sim->model->links != NULL;
    h.nrow = links ? 0 : sim->system.nrow, h.nmemory = sim->nmemory;
    h.ncontact = links ? sim->system.capacity : sim->model->ncontact;
    h.bytes = sizeof h + sizeof(carom_info) + sizeof(double) * (size_t)h.np + sim->state_bytes;
    return h;
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
    memcpy(to, &h, sizeof h), to += sizeof h;
    memcpy(to, &sim->info, sizeof sim->info), to += sizeof sim->info;
    if (parameters)
        memcpy(to, sim->system.p, parameters), to += parameters;
    memcpy(to, sim->now.clock, sim->state_bytes);
    return h.bytes;
}

carom_status carom_sim_load(carom_sim *sim, const void *buffer, size_t size)
{
    CAROM_NEED(sim, NULL);
    CAROM_NEED(buffer, &sim->error);
    header expected = describe(sim), h;
    if (size < sizeof h)
        CAROM_FAIL(&sim->error, CAROM_BAD_ARGUMENT, "a saved state has at least %zu bytes, these are %zu", sizeof h,
                   size);
    memcpy(&h, buffer, sizeof h);
    if (memcmp(h.magic, expected.magic, sizeof h.magic) != 0)
        CAROM_FAIL(&sim->error, CAROM_BAD_ARGUMENT, "this is not a saved state");
    if (memcmp(&h, &expected, sizeof h) != 0 || size < h.bytes)
        CAROM_FAIL(&sim->error, CAROM_BAD_ARGUMENT,
                   "the saved state is of another model or scheme: %d coordinates, scheme %.31s, %zu bytes", h.nq,
                   h.scheme, h.bytes);
    const unsigned char *from = (const unsigned char *)buffer + sizeof h;
    size_t parameters = sizeof(double) * (size_t)h.np;
    memcpy(&sim->info, from, sizeof sim->info), from += sizeof sim->info;
    if (parameters)
        memcpy(sim->system.p, from, parameters), from += parameters;
    memcpy(sim->now.clock, from, sim->state_bytes);
    carom_sim_sync_time(sim);
    if (sim->model->links)
        CAROM_TRY(carom_sim_find(sim, 0));
    carom_system_begin(&sim->system, sim->now.state.t, sim->now.state.q, sim->now.state.v);
    return CAROM_OK;
}
