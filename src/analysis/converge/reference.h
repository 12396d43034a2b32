/* reference.h: the motion that others are measured against. */
#ifndef CAROM_REFERENCE_H
#define CAROM_REFERENCE_H

#include "analysis/converge/norms.h"

struct carom_reference {
    const carom_model *model;
    carom_reference_kind used;
    carom_path *path;
    carom_path *check;   /* by another method; NULL: there is none */
    double size;         /* the largest velocity */
    const carom_stop *stop; /* while it is computed; may be NULL */
    char text[400];
};

/* carom_reference_new and carom_reference_errors with runs that can be ended from outside: CAROM_INTERRUPTED. */
carom_status carom_reference_compute(carom_reference **reference, const carom_model *model,
                                     const carom_options *options, carom_reference_kind kind, const carom_stop *stop,
                                     carom_error *error);
carom_status carom_reference_measure(const carom_reference *reference, const carom_model *model,
                                     const carom_options *options, const char *const *norms, int nnorm,
                                     const carom_stop *stop, double *errors, carom_info *info, double *cpu_s,
                                     carom_error *error);

/* What a closed form is made from: one coordinate, M = m, gap q - floor >= 0. */
typedef struct carom_closed {
    const carom_model *model;
    double t_end, m, floor, e, q0, v0;
    double (*force)(const struct carom_closed *, double t, double q, double v);
    double f, c, k;      /* forces f - c v - k q, or what the form calls them */
    double amplitude, w; /* of a harmonic force */
} carom_closed;

/* The closed form of this model, if it has one: *path stays NULL if not, and why says what is missing. What the form
 * assumes is compared with what the model says, whatever its name. */
carom_status carom_reference_closed(carom_path **path, const carom_model *model, double t_end, char *text, size_t size,
                                    const char **why, carom_error *error);

#endif
