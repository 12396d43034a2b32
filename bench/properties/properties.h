/* properties.h: what the parts of bench-properties share. A property of a scheme is measured and written to a cell. */
#ifndef CAROM_BENCH_PROPERTIES_H
#define CAROM_BENCH_PROPERTIES_H

#include <stdbool.h>

#include "carom.h"

enum { CAROM_CELL = 64, CAROM_NOTES = 64 };

typedef struct carom_notes { /* why a scheme does not do a problem */
    int n;
    struct {
        const char *spec;
        char models[300], text[400];
    } note[CAROM_NOTES];
} carom_notes;

typedef struct carom_subject { /* a scheme with its fields */
    const char *spec;
    double smooth, impact; /* declared orders; 0: none */
    double cost;           /* time per step over that of moreau-jean */
    carom_notes *notes;
} carom_subject;

typedef void carom_property(const carom_subject *subject, char *cell);

/* run.c: on NULL or false "refused" or "fails" is in the cell, and the reason in the notes. tol: rtol and atol. */
carom_sim *carom_subject_start(const carom_subject *subject, const carom_model *model, double h, double tol,
                               char *cell);
bool carom_subject_step(const carom_subject *subject, carom_sim *sim, const carom_model *model, char *cell);
/* What a reader wants to know of a size: one digit, or that it is rounding (below 1e-10). */
void carom_cell_size(char *cell, double size);
double carom_near(int i); /* factors within 10 % of 1: where in its step an impact falls must not decide on a result */
enum { CAROM_NEAR = 7 };

carom_property carom_orders_declared, carom_orders_pendulum, carom_orders_double, carom_orders_ball,
    carom_orders_oscillator, carom_orders_wall, carom_orders_joint;
carom_property carom_contact_ball, carom_contact_wall, carom_contact_elastic, carom_contact_box, carom_contact_block,
    carom_contact_point, carom_contact_joint;
carom_property carom_effort_stability, carom_effort_length, carom_effort_evaluations, carom_effort_time;
/* Fills cost of all subjects; those that refuse the model: 0. */
void carom_effort_measure(int n, carom_subject *subjects);

#endif
