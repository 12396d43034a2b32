/* sim.h: what a simulation is made of. */
#ifndef CAROM_SIM_H
#define CAROM_SIM_H

#include <signal.h>

#include "sim/certificate.h"

enum { CAROM_OBSERVERS = 8 };

typedef struct carom_clock { /* first thing in a state's block */
    double t, t_low;         /* t + t_low is the time */
    double h;                /* the next step */
} carom_clock;

typedef struct carom_block_of_state { /* one contiguous block: saved and restored as it is */
    carom_clock *clock;
    carom_link_mode *modes; /* [nmodes] of schemes that keep them */
    double *memory; /* [nmemory] of the scheme */
    long long *id;       /* [1+capacity] of contacts that are found: their number, their ids; NULL: they are not */
    unsigned char *rows; /* [capacity] how many rows each has */
    carom_state state;
} carom_block_of_state;

struct carom_sim {
    const carom_model *model;
    const carom_scheme *scheme;
    carom_options options;
    carom_system system;
    carom_contacts contacts;
    carom_record record;
    carom_certificate certificate;
    carom_step step;
    carom_status (*advance)(carom_step *step); /* the scheme's, or with contacts that are found before */
    carom_block_of_state now, next;
    size_t state_bytes;
    int nmodes, nmemory;
    void *work;
    double *atol; /* [nv] */
    carom_observer observer[CAROM_OBSERVERS];
    int nobserver;
    volatile sig_atomic_t interrupted;
    bool (*stop)(void *user); /* after each step of a run: true interrupts it; NULL: nobody */
    void *stop_user;
    carom_info info;
    carom_error error;
    char note[700];
    bool slides; /* a force between two of its branches, first at */
    double slide_time;
    bool shares; /* slip of redundant contacts, first at */
    double share_time;
    carom_layout layout; /* the one block that all of this lives in, but where contacts are found: */
    carom_found *found;  /* [capacity] room for the contacts of the next step */
    carom_block_of_state kept; /* the state before contacts were looked for */
    int *slot, *first_row; /* [carom_sim_slots(capacity)] table of their ids; [capacity] first rows of those kept */
    carom_arena *arena;  /* of solvers whose memory follows the problem; NULL where there is one link */
    carom_room room;     /* of the arrays that follow the rows that act at once */
    carom_layout more;   /* the arrays' own, which a larger one replaces when there are more contacts than room */
};

/* Of a table of ids with room for so many: a power of two, at least twice as many. */
static inline size_t carom_sim_slots(int capacity)
{
    size_t n = 4;
    while (n < 2 * (size_t)capacity)
        n *= 2;
    return n;
}

/* memory.c: a step of the scheme, which has the memory that its contact problems need. */
carom_status carom_sim_step_roomy(carom_step *step);
/* What the scheme remembers, from the state as it is. */
carom_status carom_sim_start_scheme(carom_sim *sim);
/* sim.c: every array of a simulation, measured and placed; then what points from one to the other. */
void carom_sim_place(carom_layout *layout, carom_sim *sim);
void carom_sim_wire(carom_sim *sim);
/* links.c: a state with the contacts that it has, not with all that there is room for. */
void carom_sim_copy_state(const carom_sim *sim, const carom_block_of_state *from, carom_block_of_state *to);
/* links.c: the contacts of the present state, where the model finds them: gaps up to rounding. What is known of those
 * that were there before follows by their ids. */
carom_status carom_sim_find(carom_sim *sim);
/* All arrays anew, with room for n contacts, of which there are none yet. */
carom_status carom_sim_room(carom_sim *sim, int n);
/* singular.c: do joints let the bodies begin to move as they did in the step that failed, but not go on for a time h?
 * name: of one that contradicts others. */
bool carom_sim_is_stuck(carom_sim *sim, double h, char *name, size_t size);
/* One step with the contacts that it can reach; step is a simulation's. */
carom_status carom_sim_step_linked(carom_step *step);

/* options.c: are options sound that somebody filled by hand? And which scheme, which solver (NULL: what suits the
 * problem) do they name? */
carom_status carom_options_check(const carom_options *options, const carom_scheme **scheme, const carom_solver **solver,
                                 carom_error *error);
/* Who is asked after each step of a run whether to interrupt it; unlike an observer it costs no dense output. NULL:
 * nobody. */
void carom_sim_set_interrupt(carom_sim *sim, bool (*stop)(void *user), void *user);
/* Runs to time t; a stop condition of the model is a failure here, and the caller's error tells what happened. */
carom_status carom_sim_reach(carom_sim *sim, double t, carom_error *error);
/* Hands over what sim says of a status that is not CAROM_OK. */
carom_status carom_sim_pass(const carom_sim *sim, carom_status status, carom_error *error);
/* Events, accumulations and notes of the step that has just been committed, where it has such. */
void carom_sim_record_events(carom_sim *sim);
void carom_sim_write_note(carom_sim *sim); /* anew, from what is known */
void carom_sim_note_loose(carom_sim *sim); /* the step had a contact problem above contact_tol */
/* Everything that follows from a new state: the view of it that users see, and what is kept beside it. */
void carom_sim_sync_time(carom_sim *sim);

#endif
