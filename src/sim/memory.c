/* memory.c: steps with the memory that their contact problems need.
 *
 * How much a solver of large contact problems takes is known when it has taken it. It takes it from an arena of the
 * simulation that is frozen during a step: nothing is allocated then. Where it is too small the step is dropped, the
 * arena grows, and the step is made again from the same state, to the same bits as if there had been room at once. */
#include <stdint.h>
#include <string.h>

#include "sim/sim.h"

/* Room for what is missing, and more: the first request that failed is seldom the last. */
static carom_status grow(carom_sim *sim, size_t missing)
{
    const size_t row = 1024, least = ((size_t)1 << 18) + row * (size_t)sim->system.nrow, times = 4;
    size_t bytes = missing > SIZE_MAX / times ? SIZE_MAX : CAROM_MAX(least, times * missing);
    if (carom_arena_reserve(sim->arena, bytes))
        return CAROM_OK;
    CAROM_FAIL(&sim->error, CAROM_NO_MEMORY, "no memory for the contact problems at t = %.10g: %.4g bytes",
               sim->now.state.t, (double)bytes);
}

carom_status carom_sim_step_roomy(carom_step *step)
{
    carom_sim *sim = (carom_sim *)(void *)((char *)step - offsetof(carom_sim, step));
    enum { COUNTERS = offsetof(carom_info, events) }; /* what a step counts; the rest changes when it is taken */
    unsigned char counters[COUNTERS];
    memcpy(counters, &sim->info, COUNTERS);
    const carom_paradox paradox = sim->info.paradox;
    const double h = step->h;
    for (;;) {
        carom_arena_freeze(sim->arena, true);
        carom_status status = sim->scheme->step(step);
        size_t missing = carom_arena_missing(sim->arena); /* whatever the scheme has made of it */
        carom_arena_freeze(sim->arena, false);
        if (!missing)
            return status;
        CAROM_TRY(grow(sim, missing));
        carom_record_clear(&sim->record);
        memcpy(&sim->info, counters, COUNTERS);
        sim->info.paradox = paradox;
        sim->error = (carom_error){0};
        step->h = h, step->h_next = 0;
    }
}
