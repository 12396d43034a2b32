/* hdf5.h: what reading and writing HDF5 share. HDF5 prints its errors unless told not to. */
#ifndef CAROM_OUTPUT_HDF5_H
#define CAROM_OUTPUT_HDF5_H

#include "core/core.h"
#include "output/hdf5/lazy.h"
#include "output/hdf5/undo.h"

typedef struct carom_quiet {
    H5E_auto2_t function;
    void *data;
} carom_quiet;
carom_quiet carom_hdf5_quiet(void);       /* stops the printing */
void carom_hdf5_loud(carom_quiet before); /* as it was before */
typedef struct carom_disk { /* zeros at first; outlives the file */
    int reason; /* failures of the system do not reach HDF5: errno of the first one */
    int file;   /* the descriptor while the file is open */
    carom_undo undo;
} carom_disk;
hid_t carom_hdf5_create(const char *path, carom_disk *disk);   /* a new file */
hid_t carom_hdf5_continue(const char *path, carom_disk *disk); /* one that is there */

/* An attribute (or, if it is long, a dataset) of one text or an array of texts. */
bool carom_hdf5_texts(hid_t where, const char *name, const char *const *texts, int n);

typedef struct carom_series_column {
    hid_t set;
    int width;      /* numbers per row */
    double *buffer; /* [chunk][width] */
} carom_series_column;
typedef struct carom_series { /* columns that grow together */
    carom_series_column *columns; /* [n] */
    int n;
    hsize_t chunk, used, written;
} carom_series;
bool carom_series_start(carom_series *s, int n, hsize_t chunk);
/* Column i; width 0: a vector with one number per row. A '/' in the name becomes '|'. */
bool carom_series_add(carom_series *s, int i, hid_t group, const char *name, int width, hid_t type);
bool carom_series_find(carom_series *s, int i, hid_t group, const char *name, int width); /* one that is there */
void carom_series_fill(carom_series *s, const double *const *values); /* [n] columns of the row that is next */
bool carom_series_write(carom_series *s);
bool carom_series_close(carom_series *s);

#endif
