/* gradient.h: derivatives of what a run ends with, exactly, through impacts. */
#ifndef CAROM_GRADIENT_H
#define CAROM_GRADIENT_H

#include "carom_analysis.h"
#include "model/model.h"

enum { /* a derivative that holds for one side only, because ... */
    CAROM_SIDE_START = 1 << 0,  /* a contact is struck or left at the start */
    CAROM_SIDE_REST = 1 << 1,  /* a contact is closed at the start: the derivative is that of motions that stay on it */
    CAROM_SIDE_SWITCH = 1 << 2, /* a function of the model changes its branch at the start: may be */
    CAROM_SIDE_END = 1 << 3     /* an event is at the end */
};

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
    unsigned char *side;    /* [n] CAROM_SIDE_...; NULL: not asked for */
    int start_contact, end_contact; /* of these sides */
    unsigned flags;         /* CAROM_TANGENT_... */
    double radius;
    carom_event at;         /* the event */
} carom_gradient;

/* Runs the model with these options until options->t_end. A parameter carries along the initial values that depend on
 * it. */
carom_status carom_gradient_run(carom_gradient *gradient, const carom_model *model, const carom_options *options,
                                carom_error *error);

/* ---- gradient_sides.c: fills in side; directions X [(nq+nv)*n], dp [np*n] as at the start and at the end ---- */
carom_status carom_gradient_start_sides(carom_gradient *gradient, const carom_model *model, const double *v,
                                        const double *X, const double *dp, carom_error *error);
/* last: the last event, with the derivatives of its time [n]; NULL: there was none. */
carom_status carom_gradient_end_sides(carom_gradient *gradient, const carom_model *model, const carom_state *state,
                                      const double *p, const double *X, const double *dp, const carom_event *last,
                                      const double *last_slope, carom_error *error);

#endif
