/* scheme.h: state -> next state. One method per file behind one interface, listed in list.c. */
#ifndef CAROM_SCHEME_H
#define CAROM_SCHEME_H

#include "contact/contact.h"
#include "contact/given_modes.h"

typedef struct carom_step { /* one step, as a scheme sees it */
    carom_system *system;
    carom_contacts *contacts;
    const carom_options *options;
    const double *field;    /* values of the scheme's fields */
    const double *atol;     /* [nv] options->atol, or that of the coordinate */
    const carom_state *now; /* not to be written */
    carom_state *next;      /* all of it is written */
    const carom_link_mode *modes; /* [ncontact] of schemes that keep them (CAROM_KEEPS_MODES), part of the state */
    carom_link_mode *modes_next;
    const double *memory;   /* what else the scheme remembers, part of the state */
    double *memory_next;
    const double *t_low;    /* t + t_low is the time, without accumulated rounding */
    double *t_low_next;
    void *work;             /* what layout placed; holds nothing that matters from one step to the next */
    double h;               /* in: the longest step wanted; out: the one taken, if shorter */
    double h_next;          /* out: proposal for the next step; 0: no opinion */
    carom_record *record;     /* segments, jumps, events, energy */
    carom_error *error;
} carom_step;

/* A motion this small has died away: relative tests of convergence would be about denormal numbers. */
#define CAROM_VANISHED 1e-250

enum { CAROM_WORK_MAX = 2048 };

/* What a scheme is. Whoever treats schemes differently asks for this, never for a name. */
enum {
    CAROM_LOCATES_EVENTS = 1,   /* impacts and changes of modes happen at their own instants, not at nodes */
    CAROM_CHOOSES_STEPS = 2,    /* by rtol and atol; else h is the step */
    CAROM_KEEPS_TOLERANCE = 4,  /* rtol and atol are meant of the result, by Dormand and Prince's pair between events */
    CAROM_CLOSED_FORM = 8,      /* motion between events is exact for any h: the longer, the cheaper */
    CAROM_NODAL = 16,           /* values are meant at the nodes; what is between them is interpolation */
    CAROM_KEEPS_MODES = 32,     /* modes with directions are part of its state */
    CAROM_TELLS_MODES = 64,     /* and those along a step, which is one segment, are in record->modes */
    CAROM_FOLLOWS_LINKS = 128,  /* contacts may be others in every step */
    CAROM_BY_POSITIONS = 512,   /* time-stepping with the law of impacts at the level of positions */
    CAROM_COMES_IN = 256        /* by as much as moves in a step: not to be given steps that lead through thin things */
};

typedef struct carom_scheme {
    carom_method method;
    /* The declared orders in smooth motion and through impacts, for the values of the fields; 0: none. */
    void (*orders)(const double *field, double *smooth, double *impact);
    unsigned traits;                             /* CAROM_LOCATES_EVENTS ... */
    unsigned (*traits_of)(const double *field);  /* more of them, for the values of the fields; NULL: none */
    const unsigned *requests; /* the masks it evaluates, 0 at the end: each gets a tape of its own */
    int segments, degree;     /* at most this many segments per step, of this degree */
    const struct carom_impact_rule *const *rules; /* of impacts that it knows, NULL at the end; NULL: simultaneous */
    unsigned laws;            /* CAROM_LAW_SLANTED ...: what it knows about laws that are not plain */
    bool switches;            /* steps end where branches of forces change: evaluates with frozen ones (CAROM_SWITCH) */
    /* NULL: takes every model. Otherwise refuses with the reason. */
    carom_status (*accepts)(const carom_model *model, const double *field, carom_error *error);
    int (*memory)(const carom_system *system);                       /* doubles it remembers; NULL: none */
    int memory_contact, memory_row; /* at their end: so many for each contact, then so many for each row */
    bool (*remembers)(const double *field);                       /* whether it does with these fields; NULL: it does */
    /* A phase space that is not (q, v): x [nq+nv], where a memory is in it, and the memory moved by d [nq+nv]. */
    void (*phase)(const carom_system *system, double h, const double *memory, double *x);
    void (*displace)(const carom_system *system, double h, const double *d, double *memory);
    size_t work_bytes;                                               /* of its work struct, at most CAROM_WORK_MAX */
    void (*layout)(carom_layout *layout, const carom_system *system, void *work); /* places the arrays of work */
    carom_status (*start)(carom_step *step); /* fills memory_next at the start of a run; NULL: nothing to do */
    carom_status (*step)(carom_step *step);  /* on failure `next` is dropped */
} carom_scheme;

extern const carom_scheme carom_scheme_kern, carom_scheme_moreau_jean, carom_scheme_moreau_projected,
    carom_scheme_schatzman_paoli, carom_scheme_tolerance;
extern const carom_scheme carom_scheme_dg_minus, carom_scheme_dg_plus;
extern const carom_scheme carom_scheme_crank_nicolson;
extern const carom_scheme carom_scheme_exact, carom_scheme_mixed;

const carom_scheme *carom_scheme_list(int i); /* NULL after the last */
const carom_scheme *carom_scheme_find(const char *name);
/* Has the scheme of the options one of these traits? The value of its field of that name; `missing`: it has none. */
bool carom_scheme_is(const carom_options *options, unsigned traits);
double carom_scheme_field(const carom_options *options, const char *name, double missing);

/* next->t = t + h with compensated summation. */
static inline void carom_step_advance(carom_step *step, double h)
{
    double t = step->now->t, add = h + *step->t_low, sum = t + add;
    double part = sum - t;
    *step->t_low_next = (t - (sum - part)) + (add - part);
    step->next->t = sum;
    step->h = h;
}
/* The end of a step at velocity level, in this order: modes and events (returns whether there was an impact), and,
 * after positions have been corrected, segment and jump; fails when q or v is not finite. */
static inline bool carom_step_status(carom_step *step, const double *v_free)
{
    if (step->contacts->nactive)
        step->record->residual = step->contacts->solve.residual;
    return carom_contact_status(step->contacts, step->system, step->now, step->next, v_free, step->record);
}
carom_status carom_step_finish(carom_step *step, bool hit);

#endif
