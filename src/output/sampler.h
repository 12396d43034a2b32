/* sampler.h: segments and jumps -> rows of numbers, and what stands where in a row. */
#ifndef CAROM_SAMPLER_H
#define CAROM_SAMPLER_H

#include "core/archive.h"
#include "output/output.h"

typedef struct carom_row_layout { /* in the order of output.h */
    int n;
    const char **name;     /* [n], all different */
    int t, side, q, v, outputs;
    int *contact;          /* [ncontact] mode; force and impulse of its row r stand at 1 + 2r and 2 + 2r after it */
    int gaps;              /* 1: the gap stands before the mode */
    int joint;             /* force and impulse of joint j at 2j and 2j + 1 after it */
    int reactions;         /* forces at the row's own time, [nrow] after it: joints, then contacts; -1: none */
    int energy;            /* -1: none */
} carom_row_layout;

typedef void carom_row_callback(void *user, const double *row); /* [n] */

typedef struct carom_sampler carom_sampler;
carom_status carom_sampler_new(carom_sampler **sampler, const carom_model *model, const double *p, double every,
                               const carom_sink_info *info, carom_row_callback *callback, void *user,
                               carom_error *error);
void carom_sampler_free(carom_sampler *sampler);
/* The model as rows know it: without contacts where they come and go. */
const carom_model *carom_sampler_model(const carom_sampler *sampler);
/* The first time of the grid after t; INFINITY: rows are the ends of segments. */
double carom_sampler_next(const carom_sampler *sampler, double t);
/* Does the first row stand at the beginning of the segment? Once it has been sampled. */
bool carom_sampler_begins(const carom_sampler *sampler, const carom_segment *segment);
const carom_row_layout *carom_sampler_layout(const carom_sampler *sampler);
carom_status carom_sampler_segment(carom_sampler *sampler, const carom_segment *segment, carom_error *error);
void carom_sampler_jump(carom_sampler *sampler, const carom_jump *jump);
void carom_sampler_end(carom_sampler *sampler); /* hands over the last row */
/* Where it stands, in an archive and from there; false: the archive is of another run. */
void carom_sampler_save(const carom_sampler *sampler, carom_archive *archive);
bool carom_sampler_load(carom_sampler *sampler, const carom_archive *archive);

#endif
