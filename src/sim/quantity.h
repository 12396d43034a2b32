/* quantity.h: what is asked of a motion by name: an expression of its state, or the reaction of a joint or contact. */
#ifndef CAROM_QUANTITY_H
#define CAROM_QUANTITY_H

#include "sim/reactions.h"

typedef struct carom_quantity {
    int expression;             /* of t, q, v and parameters; */
    carom_reactions *reactions; /* or not NULL, and it is */
    int row;                    /* this one of them */
    double *force, *p;          /* [nrow] [np] that the reactions are for */
} carom_quantity;

/* What was there before is freed: begin with zeros. An output or expression of this name comes first. */
carom_status carom_quantity_find(carom_quantity *quantity, const carom_model *model, const char *text,
                                 carom_error *error);
void carom_quantity_free(carom_quantity *quantity);
/* NAN where it has no value. mode [ncontact]: what the contacts do there; read by reactions alone. */
double carom_quantity_value(carom_quantity *quantity, const carom_model *model, double t, const double *q,
                            const double *v, const unsigned char *mode, const double *p);

#endif
