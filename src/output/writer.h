/* writer.h: what a file format has to offer. A new format is one file with a carom_writer_type and one line in
 * the list of sink.c. */
#ifndef CAROM_WRITER_H
#define CAROM_WRITER_H

#include "output/sampler.h"
#include "output/stream.h"

typedef struct carom_writer_setup { /* valid while the writer lives */
    const char *path;
    FILE *stream;                   /* NULL: path is created */
    const carom_model *model;
    const double *p;                /* [np] */
    const carom_row_layout *columns;
    carom_sink_info info;
    bool contacts;                  /* there will be contacts that come and go */
    const carom_archive *from;      /* NULL: a new file; else the file goes on where it stands there */
} carom_writer_setup;

/* A contact that was found, at the time of a row or of an impact, in space. The forces act on the second body, their
 * opposites on the first. */
typedef struct carom_touching {
    double t;
    const char *name; /* "brick[0,1].3 brick[1,1]": the second body, then the first */
    int body[2];      /* -1: none, a stop of a joint */
    double mode, point[3], normal[3], force[3], impulse[3];
    double reaction[3]; /* the force at the time itself; NAN: not known */
} carom_touching;

/* Each call returns the first failure that is known by then; close frees in any case. */
typedef struct carom_writer_type {
    const char *ending;
    carom_status (*open)(void **writer, const carom_writer_setup *setup, carom_error *error);
    carom_status (*row)(void *writer, const double *row, carom_error *error);
    carom_status (*jump)(void *writer, const carom_jump *jump, carom_error *error); /* NULL: only as rows */
    carom_status (*event)(void *writer, const carom_event *event, carom_error *error);
    carom_status (*contact)(void *writer, const carom_touching *contact, carom_error *error); /* NULL: it cannot */
    bool found; /* events of contacts that were found have a place in it, beside what they do */
    carom_status (*flush)(void *writer, carom_error *error);
    carom_status (*save)(void *writer, carom_archive *archive, carom_error *error); /* what it has is on disk */
    void (*forget)(const char *path); /* what lies beside the file for its checkpoints; NULL: nothing */
    carom_status (*close)(void *writer, carom_error *error);
} carom_writer_type;

extern const carom_writer_type carom_writer_csv, carom_writer_json, carom_writer_hdf5, carom_writer_hdf5_long;

#endif
