/* memory.c: steps with the memory that their contact problems need.
 *
 * How much a solver of large contact problems takes is known when it has taken it. It takes it from an arena of the
 * simulation that is frozen during a step: nothing is allocated then. How many rows act at once is known when they do;
 * what is dense in them has a room of so many rows. Where either is too small the step is dropped, it grows, and the
 * step is made again from the same state, to the same bits as if there had been room at once.
 * Large problems also take long: a step in which the run was interrupted is dropped, and is made when it goes on. */
#include <stdint.h>
#include <string.h>

#include "sim/sim.h"

static carom_status grow_room(carom_sim *sim)
{
    carom_room *room = &sim->room;
    const int asked = room->asked, most = 46340; /* whose square is an int */
    if (asked > most)
        CAROM_FAIL(&sim->error, CAROM_UNSUPPORTED,
                   "%d rows of joints and contacts act at once at t = %.10g; without bodies there may be at most %d",
                   asked, sim->now.state.t, most);
    if (carom_room_make(room, CAROM_MIN(most, CAROM_MAX(asked, 2 * room->rows))))
        return CAROM_OK;
    CAROM_FAIL(&sim->error, CAROM_NO_MEMORY, "no memory for the %d rows of joints and contacts that act at t = %.10g",
               asked, sim->now.state.t);
}

/* Room for what is missing, and more: the first request that failed is seldom the last. */
static carom_status grow(carom_sim *sim, size_t missing)
{
    const size_t row = 1024, least = ((size_t)1 << 18) + row * (size_t)sim->system.nrow, times = 4;
    size_t bytes = missing > SIZE_MAX / times ? SIZE_MAX : CAROM_MAX(least, times * missing);
    if (sim->room.asked)
        CAROM_TRY(grow_room(sim));
    if (!missing || carom_arena_reserve(sim->arena, bytes))
        return CAROM_OK;
    CAROM_FAIL(&sim->error, CAROM_NO_MEMORY, "no memory for the contact problems at t = %.10g: %.4g bytes",
               sim->now.state.t, (double)bytes);
}

static carom_status repeat(carom_sim *sim, carom_status (*action)(carom_step *step))
{
    carom_step *step = &sim->step;
    enum { COUNTERS = offsetof(carom_info, events) }; /* what a step counts; the rest changes when it is taken */
    unsigned char counters[COUNTERS];
    memcpy(counters, &sim->info, COUNTERS);
    const carom_paradox paradox = sim->info.paradox;
    const double h = step->h;
    sim->room.asked = 0;
    for (;;) {
        carom_arena_freeze(sim->arena, true);
        carom_status status = action(step);
        size_t missing = carom_arena_missing(sim->arena); /* whatever the scheme has made of it */
        carom_arena_freeze(sim->arena, false);
        bool dropped = carom_cancelled(&sim->contacts.solve); /* it may not be what it would have been */
        if (!missing && !sim->room.asked && !dropped)
            return status;
        memcpy(&sim->info, counters, COUNTERS);
        sim->info.paradox = paradox;
        if (dropped)
            return CAROM_INTERRUPTED;
        CAROM_TRY(grow(sim, missing));
        carom_record_clear(&sim->record);
        sim->error = (carom_error){0};
        step->h = h, step->h_next = 0;
    }
}

carom_status carom_sim_step_roomy(carom_step *step)
{
    carom_sim *sim = (carom_sim *)(void *)((char *)step - offsetof(carom_sim, step));
    return repeat(sim, sim->scheme->step);
}

carom_status carom_sim_start_scheme(carom_sim *sim)
{
    if (sim->now.id)
        carom_sim_copy_state(sim, &sim->now, &sim->next);
    else
        memcpy(sim->next.clock, sim->now.clock, sim->state_bytes);
    sim->next.state.t = sim->now.state.t;
    sim->step.h_next = 0;
    CAROM_TRY(sim->arena ? repeat(sim, sim->scheme->start) : sim->scheme->start(&sim->step));
    memcpy(sim->now.memory, sim->next.memory, sizeof(double) * (size_t)sim->nmemory);
    carom_modes_copy(sim->nmodes, sim->next.modes, sim->now.modes);
    return CAROM_OK;
}
