/* painleve.h: block `painleve`, friction whose contact problem has no solution or more than one. */
#ifndef CAROM_PAINLEVE_H
#define CAROM_PAINLEVE_H

#include "contact/contact.h"

typedef struct carom_painleve {
    /* with different accelerations: 0, 1, 2 (or more); -1: nothing to fear, or too many contacts to try */
    int solutions;
    int contact;   /* the one whose slip is to blame */
    double p, b;   /* its normal acceleration per normal force in slip, and without contact forces; joints hold */
} carom_painleve;

enum { CAROM_PAINLEVE_MAX = 4 }; /* contacts whose modes are tried, 4^n combinations */
typedef struct carom_painleve_work {
    void *memory; /* placed anew for every problem */
} carom_painleve_work;
void carom_painleve_layout(carom_layout *layout, carom_painleve_work *work, const carom_system *system);

/* The problem that accel_decide has posed last (links contacts->active): see painleve.c. */
carom_painleve carom_contact_painleve(const carom_contacts *contacts, const carom_system *system,
                                      carom_painleve_work *work);

#endif
