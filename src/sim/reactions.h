/* reactions.h: forces of joints and contacts at an instant. */
#ifndef CAROM_REACTIONS_H
#define CAROM_REACTIONS_H

#include "carom.h"

typedef struct carom_reactions carom_reactions;
/* p NULL: the model's parameters. Of a model that finds its contacts there are none to ask for: CAROM_BAD_ARGUMENT. */
carom_status carom_reactions_new(carom_reactions **reactions, const carom_model *model, const double *p,
                                 carom_error *error);
/* The contacts of a simulation's last step, where they are found; *reactions is NULL at first, and made anew where
 * there are more of them than room. carom_reactions_at then takes the modes of these. */
carom_status carom_reactions_follow(carom_reactions **reactions, const carom_sim *sim, carom_error *error);
void carom_reactions_free(carom_reactions *reactions);
/* Other parameters from now on. */
void carom_reactions_with(carom_reactions *reactions, const double *p);
/* force [nrow] at (t, q, v) for what the contacts do there, mode [ncontact]; NAN where they do not follow from it. */
void carom_reactions_at(carom_reactions *reactions, double t, const double *q, const double *v,
                        const unsigned char *mode, double *force);

/* A force by its name in files: "rod.reaction", "ground.reaction", "ground.reaction_t"; spatial friction: _t1, _t2. */
extern const char *const carom_reaction_ends[3][3]; /* of a contact's rows, by its directions of friction */
int carom_reaction_row(const carom_model *model, const char *name); /* -1: it is none */
bool carom_reaction_meant(const char *name); /* by its ending */
carom_status carom_reaction_unknown(const carom_model *model, const char *name, carom_error *error); /* says so */

#endif
