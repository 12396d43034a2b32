/* basin.h: which attractor a motion ends on, seen once in a period (the strobe map). */
#ifndef CAROM_BASIN_H
#define CAROM_BASIN_H

#include "analysis/sweep/sweep.h"

/* ---- a point: its columns are period, strobes, size, speed, then q.NAME ... v.NAME at the last strobe ---- */
enum { CAROM_BASIN_FIRST = 4 }; /* the first column of the state */
enum { CAROM_BASIN_STOPPED = -1, CAROM_BASIN_NOT_PERIODIC = 0 }; /* instead of a period */
extern const carom_sweep_method carom_basin_method; /* task: carom_basin */
/* Names the columns of a sweep for this model, in the arena. */
carom_status carom_basin_columns(carom_sweep *sweep, const carom_model *model, carom_arena *arena, carom_error *error);

/* ---- all points ---- */
carom_status carom_basins_new(carom_basins *basins, long long points, carom_error *error);
/* rows [points*ncolumn] as the points gave them, with NAN as period where a point failed; there [points]: is it
 * computed? Points belong to the same attractor when they come within `same` of one of its states, relative to the
 * largest motion. */
carom_status carom_basins_find(carom_basins *basins, const carom_sweep *sweep, const double *rows,
                               const unsigned char *there, double same, carom_error *error);

#endif
