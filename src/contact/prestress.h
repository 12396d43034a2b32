/* prestress.h: normal forces that balance each other, as of jaws that clamp what is between them. */
#ifndef CAROM_PRESTRESS_H
#define CAROM_PRESTRESS_H

#include "contact/contact.h"

typedef struct carom_prestress {
    double *E, *t, *y, *n; /* [(rows+1)*2*rows] [nrow] [2*nrow] [ncontact] */
    double *work;          /* of least_distance */
    int *order, *row;      /* [5*nrow+1] [nrow] */
    unsigned char *out;    /* [ncontact] for whoever decides modes */
} carom_prestress;

void carom_prestress_layout(carom_layout *layout, carom_prestress *prestress, const carom_system *system);
/* Is there any in the solution of the problem that accel_decide has solved last? n [ncontact] is one, of contacts that
 * press; 0 elsewhere. */
bool carom_contact_prestress(const carom_contacts *contacts, const carom_system *system, carom_prestress *prestress);

#endif
