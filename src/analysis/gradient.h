/* gradient.h: derivatives of what a run ends with, exactly, through impacts. */
#ifndef CAROM_GRADIENT_H
#define CAROM_GRADIENT_H

#include "carom_analysis.h"
#include "model/model.h"

typedef struct carom_gradient {
    /* given */
    int expression;         /* of the state at t_end: carom_model_expression_text; with event > 0 not used */
    long event;             /* the time of the n-th event instead; 0: the expression */
    const char *const *name; /* [n] with respect to: parameters ("m"), initial values ("q.y", "v.y") */
    int n;
    bool check;             /* by differences, too */
    /* found; the arrays are the caller's */
    double value;
    double *slope;          /* [n] */
    double *difference;     /* [n] by differences of the fourth order; NAN: they do not settle */
    unsigned flags;         /* CAROM_TANGENT_... */
    double radius;
    carom_event at;         /* the event */
} carom_gradient;

/* Runs the model with these options until options->t_end. A parameter carries along the initial values that depend on it. */
carom_status carom_gradient_run(carom_gradient *gradient, const carom_model *model, const carom_options *options, carom_error *error);

#endif
