/* rules.h: how the impacts of an instant are resolved: what several contacts that are struck, or closed, do together.
 * A rule acts at an instant, so a scheme that spreads impacts over its steps knows the simultaneous one alone; each
 * scheme lists those it knows. A new rule is one function and one line in rules.c. */
#ifndef CAROM_RULES_H
#define CAROM_RULES_H

#include "contact/contact.h"

typedef struct carom_collision { /* the instant: M is factored, G and the laws are those of (t, q) */
    carom_contacts *contacts;    /* P, u_before and u_after of the links are filled in */
    carom_system *system;
    double t;
    int n;
    const int *links;            /* [n] all joints, then the contacts that take part, in ascending order */
    const double *v;             /* [nv] before */
    const carom_state *now;      /* modes, as carom_contact_impact takes them */
    double rest, small;          /* velocities that count as none, and that are less than the accuracy asked for */
    double *v_new;               /* [nv] out; not v */
    carom_error *error;
} carom_collision;

typedef struct carom_impact_rule {
    carom_method method;
    bool throws; /* may push a contact off that was closed, or that is not struck: P > 0 alone is an impact */
    bool single; /* says something else than Newton's law even about one contact alone */
    carom_status (*accepts)(const carom_model *model, carom_error *error); /* NULL: every model */
    carom_status (*resolve)(carom_collision *collision);
} carom_impact_rule;

extern const carom_impact_rule carom_rule_simultaneous, carom_rule_sequential, carom_rule_poisson;
/* What infinitely many impacts at one instant lead to, by any rule. */
carom_status carom_rule_collapsed(carom_collision *collision);

const carom_impact_rule *carom_impact_rule_list(int i); /* NULL after the last */
/* The rule that a model asks for; NULL if there is none of that name. */
const carom_impact_rule *carom_impact_rule_of(const carom_model *model);

/* Memory of the rules, part of the contacts. */
void carom_rules_layout(carom_layout *layout, carom_contacts *contacts, const carom_system *system);

#endif
