/* reactions.h: forces of joints and contacts at an instant. */
#ifndef CAROM_REACTIONS_H
#define CAROM_REACTIONS_H

#include "carom.h"

typedef struct carom_reactions carom_reactions;
/* p NULL: the model's parameters. Of a model that finds its contacts there are none to ask for: CAROM_BAD_ARGUMENT. */
carom_status carom_reactions_new(carom_reactions **reactions, const carom_model *model, const double *p,
                                 carom_error *error);
void carom_reactions_free(carom_reactions *reactions);
/* force [nrow] at (t, q, v) for what the contacts do there, mode [ncontact]; NAN where they do not follow from it. */
void carom_reactions_at(carom_reactions *reactions, double t, const double *q, const double *v,
                        const unsigned char *mode, double *force);

#endif
