/* carom_output.h: trajectory or result -> bytes.
 *
 *   sink      observes a simulation and writes samples, jumps and events to a .csv, .h5 or .json file
 *   summary   the object of `carom run --json`, and the same as text for people
 *   columns   a written trajectory, read back as named columns
 *   plot      columns as SVG
 *   page      columns as a page, with an animation of the model
 *   reproduce figures and tables of the literature, computed and checked
 *   bindings  what other languages need to know of this library
 *
 * Nothing here prints: text goes to a path, or to a FILE the caller opened (then path only names it in
 * messages). Every failed write is CAROM_FILE with the path and the system's words, at the latest at close. */
#ifndef CAROM_OUTPUT_PUBLIC_H
#define CAROM_OUTPUT_PUBLIC_H

#include <stdio.h>

#include "carom.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the sink ------------------------------------------------------------------------------------------
 * Rows: at the start, at every multiple of `every` (0: at the end of each step), two at each jump, one at the
 * end. Columns, in this order:
 *   t                     time
 *   side                  -1 just before a jump, +1 just after it, 0 elsewhere
 *   y ... y' ...          coordinates, then velocities
 *   outputs
 *   ground.gap            with info->gaps
 *   ground.mode           0 open, 1 closed, 2 stick, 3 slip
 *   ground.force          mean force on the step that holds the row; never contains an impulse
 *   ground.impulse        of the jump, in its row with side +1 only: the column's sum is the total
 *   ground.force_t ...    and ground.impulse_t for planar friction; _t1 and _t2 for spatial
 *   joint.force, joint.impulse
 *   joint.reaction, ground.reaction, ground.reaction_t ...   with info->reactions: the force at the time of the row
 *   energy                kinetic + potential, with info->energy, unless an output has that name
 * Events go to stem.events.csv beside stem.csv, to /events in HDF5 and to "events" in JSON. */
typedef struct carom_sink carom_sink;
typedef struct carom_sink_info { /* what is noted at the top of the file; any string may be NULL */
    size_t size;                 /* sizeof(carom_sink_info) */
    const char *scheme;          /* "tolerance" */
    const char *options;         /* "rtol=1e-8 t_end=10": one line */
    const char *source;          /* the model's file, or its name if it is built in */
    const char *model_text;      /* the model file; kept in HDF5 only */
    bool gaps, energy, reactions; /* extra columns */
} carom_sink_info;

/* The writer is chosen by the ending of path. With a stream (path then is "-" or the stream's name) CSV is
 * written to it, without events; the stream is flushed but not closed. model, p and stream must outlive the
 * sink; p NULL: the model's parameters. */
carom_status carom_sink_new(carom_sink **sink, const char *path, FILE *stream, const carom_model *model,
                            const double *p, const carom_sink_info *info, double every, carom_error *error);
carom_observer carom_sink_observer(carom_sink *sink);          /* hand its address to carom_sim_observe */
const carom_error *carom_sink_status(const carom_sink *sink);  /* ->status is CAROM_OK so far, or the first failure */
void carom_sink_guard(carom_sink *sink, carom_sim *sim); /* a failure interrupts sim: no run into a full disk */
size_t carom_sink_rows(const carom_sink *sink);
carom_status carom_sink_flush(carom_sink *sink);               /* also happens by itself, twice a second */
carom_status carom_sink_close(carom_sink *sink, carom_error *error); /* writes the last row; frees; NULL is fine */
const char *carom_sink_endings(void);                          /* ".csv, .h5, .hdf5, .json", for help */

/* What the contact of an event is called, also where contacts come and go and have no number that lasts, and how many
 * rows it has (normal, directions of friction; rows may be NULL); returns buffer [size]. */
const char *carom_event_contact(const carom_model *model, const carom_event *event, char *buffer, size_t size,
                                int *rows);

/* ---- summary of a run ---------------------------------------------------------------------------------- */
typedef struct carom_json carom_json;
typedef struct carom_summary {
    size_t size;                  /* sizeof(carom_summary) */
    const carom_model *model;
    const carom_options *options; /* with the defaults filled in */
    const carom_state *state;     /* NULL: t, q and v are null */
    const carom_info *info;       /* NULL: counts and energies are null */
    carom_status status;
    const char *message;          /* why it failed; NULL: nothing to say */
    double wall_s;
    const char *const *notes;     /* [nnote] */
    int nnote;
    void (*verify)(carom_json *json, void *user); /* fills the object "verify"; NULL: there is none */
    void *user;
} carom_summary;
carom_status carom_summary_json(const carom_summary *summary, const char *path, FILE *stream, carom_error *error);
carom_status carom_summary_text(const carom_summary *summary, const char *path, FILE *stream, carom_error *error);

/* ---- columns ------------------------------------------------------------------------------------------- */
typedef struct carom_columns {
    char *title;     /* name of the model, or of the file */
    char *scheme, *options, *source; /* as carom_sink_info had them; NULL: the file does not tell */
    int nparameter;
    char **parameter; /* [nparameter] of the run, as far as the file tells them */
    double *value;    /* [nparameter] */
    int ncolumn;
    size_t nrow;
    char **name;     /* [ncolumn] */
    double **column; /* [ncolumn][nrow] */
    bool truncated;  /* the file ends in the middle of a row or before its end mark; what is whole was read */
} carom_columns;
/* By ending: .csv, .h5 (also .hdf5) or .json. */
carom_status carom_columns_read(carom_columns **table, const char *path, carom_error *error);
void carom_columns_free(carom_columns *table);                         /* NULL is fine */
int carom_columns_find(const carom_columns *table, const char *name);  /* -1: there is none */

/* ---- plot ---------------------------------------------------------------------------------------------- */
typedef struct carom_plot {
    size_t size;                /* sizeof(carom_plot) */
    const char *title;          /* NULL: the table's; "": none */
    int width, height;          /* 0: 800 x what the panels need */
    const char *x;              /* NULL: t, or the first column */
    const char *const *panels;  /* [npanel] "y" or "y,z": the columns of a panel */
    int npanel;                 /* 0 and nphase 0: coordinates, velocities, contact forces and impulses */
    const char *const *phase;   /* [2*nphase] x and y of each phase portrait */
    int nphase;
    bool paper;                 /* for print: black on white, a serif font, thin lines, no title, no grid */
    bool portrait;              /* with the default panels: also y' against y */
} carom_plot;
carom_status carom_svg_plot(const char *path, FILE *stream, const carom_columns *table, const carom_plot *plot,
                            carom_error *error); /* plot NULL: defaults */

/* ---- page ---------------------------------------------------------------------------------------------- */
/* One offline page about a trajectory: motion, portraits, contacts, energy and, if the model draws itself, an
 * animation. title NULL: the table's; model NULL: not known. */
carom_status carom_page_write(const char *path, const char *title, const carom_columns *table, const carom_model *model,
                              carom_error *error);

/* ---- figures and tables of the literature -------------------------------------------------------------- */
typedef struct carom_finding_check {
    const char *what;
    double measured, least, most; /* passes if least <= measured <= most */
    bool passes;
} carom_finding_check;
typedef struct carom_reproduced { /* what an entry has found; its texts live as long as the call */
    const char *id, *title, *verdict, *command;
    const char *message; /* why it could not be computed; NULL: it was */
    const carom_finding_check *check; /* [ncheck] */
    int ncheck;
    double wall_s;
} carom_reproduced;
typedef struct carom_reproduce_request {
    size_t size;       /* sizeof(carom_reproduce_request) */
    const char *id;    /* "001-fig1": carom_reproduce_id */
    bool quick;        /* shorter runs */
    int threads;       /* 0: all */
    bool (*stop)(void *user); /* NULL: no */
    void (*found)(void *user, const carom_reproduced *reproduced);
    void *user;
} carom_reproduce_request;
/* A check that fails is no error: see the verdict. */
carom_status carom_reproduce_run(const carom_reproduce_request *request, carom_error *error);
const char *carom_reproduce_id(int i, bool *quick); /* NULL after the last; quick, may be NULL: in the short set */

/* ---- bindings ------------------------------------------------------------------------------------------ */
const char *carom_interface(void); /* the text of carom.h, carom_analysis.h and carom_output.h of this library */
size_t carom_struct_size(const char *name); /* sizeof one of their structs; 0: there is no such struct */
bool carom_flag_raised(void *flag); /* for `stop` of a request: is the int that user points to not 0? */

#ifdef __cplusplus
}
#endif
#endif
