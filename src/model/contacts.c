/* contacts.c: the sections constraints and contacts. */
#include <string.h>

#include "model/source.h"

/* Where "lhs = rhs" is split; NULL if it is not an equation (==, <=, >= and != are no equations). */
static const char *equals(const char *text)
{
    for (const char *c = strchr(text, '='); c; c = strchr(c + 1, '=')) {
        if (c[1] == '=') {
            c++;
            continue;
        }
        if (c == text || !strchr("<>!=", c[-1]))
            return c;
    }
    return NULL;
}

static carom_status joint(carom_loader *l, const carom_text_node *node, carom_given *given)
{
    carom_source *s = l->s;
    const char *sign = node->kind == CAROM_TEXT_SCALAR ? equals(node->text) : NULL;
    if (!sign)
        return carom_load_positional(l, node, "a constraint", given);
    size_t at = (size_t)(sign - node->text);
    carom_text_node *side = CAROM_NEW(s->arena, carom_text_node, 2);
    carom_given left, right;
    if (!side)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for constraint '%s'", node->key);
    side[0] = side[1] = *node;
    side[0].text = carom_arena_text(s->arena, node->text, at);
    side[1].text = sign + 1;
    if (node->text_column)
        side[1].text_column = node->text_column + (int)at + 1;
    if (!side[0].text)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for constraint '%s'", node->key);
    if (equals(sign + 1))
        return carom_load_fail(l, node->place, "constraint '%s' has more than one =", node->key);
    CAROM_TRY(carom_load_positional(l, &side[0], "the left side of a constraint", &left));
    CAROM_TRY(carom_load_positional(l, &side[1], "the right side of a constraint", &right));
    *given = (carom_given){carom_expr_binary(s->pool, CAROM_OP_SUB, left.e, right.e), node};
    return CAROM_OK;
}

static carom_status has_gradient(carom_loader *l, const carom_text_node *node, carom_expr g, const char *what,
                                 const char *name)
{
    carom_source *s = l->s;
    double value;
    if (!carom_expr_depends(s->pool, g, s->var_q, s->var_q + s->nq))
        return carom_load_fail(l, node->place, "%s '%s' does not depend on any coordinate", what, name);
    for (int i = 0; i < s->nq; i++) {
        carom_expr slope = carom_expr_diff(s->pool, g, s->var_q + i);
        if (!carom_expr_is_const(s->pool, slope, &value) || value != 0)
            return CAROM_OK;
    }
    return carom_load_fail(
        l, node->place, "%s '%s' has derivative 0 with respect to every coordinate (is it a comparison?)", what, name);
}

static carom_status joints(carom_loader *l, const char **names)
{
    carom_source *s = l->s;
    const carom_text_node *map = carom_text_get(s->root, "constraints");
    int i = 0;
    for (const carom_text_node *c = map ? map->child : NULL; c; c = c->next, i++) {
        names[i] = c->key;
        CAROM_TRY(carom_load_label(l, c, "a constraint"));
        CAROM_TRY(joint(l, c, &s->joint[i]));
        CAROM_TRY(has_gradient(l, c, s->joint[i].e, "constraint", c->key));
    }
    return CAROM_OK;
}

static carom_status affine(carom_loader *l, const carom_text_node *node, carom_given *given)
{
    carom_source *s = l->s;
    bool any = false;
    CAROM_TRY(carom_load_expression(l, node, "slip", given));
    for (int i = 0; i < s->nq; i++) {
        carom_expr d = carom_expr_diff(s->pool, given->e, s->var_v + i);
        double value;
        any = any || !carom_expr_is_const(s->pool, d, &value) || value != 0;
        if (carom_expr_depends(s->pool, d, s->var_v, s->var_v + s->nq))
            return carom_load_fail(
                l, node->place,
                "slip must be affine in the velocities, but its derivative with respect to %s depends on them",
                s->rate_name[i]);
    }
    if (!any)
        return carom_load_fail(l, node->place,
                               "slip is a velocity, but this does not depend on any (x' is the velocity of x)");
    return CAROM_OK;
}

static carom_status slips(carom_loader *l, const carom_text_node *node, carom_contact_given *c, int *directions)
{
    if (node->kind == CAROM_TEXT_SCALAR) {
        *directions = 1;
        return affine(l, node, &c->slip[0]);
    }
    if (node->kind != CAROM_TEXT_LIST || node->nchild < 1 || node->nchild > 2)
        return carom_load_fail(l, node->place, "slip must be a list of one (planar) or two (spatial) velocities");
    *directions = 0;
    for (const carom_text_node *i = node->child; i; i = i->next)
        CAROM_TRY(affine(l, i, &c->slip[(*directions)++]));
    return CAROM_OK;
}

static carom_status laws(carom_loader *l, const carom_text_node *node, carom_contact_given *c)
{
    static const char *const keys[4] = {"restitution", "restitution_t", "friction", "friction_static"};
    const carom_text_node *given[4];
    bool slip = carom_text_get(node, "slip") != NULL;
    for (int i = 0; i < 4; i++) {
        given[i] = carom_text_get(node, keys[i]);
        c->law[i] = (carom_given){carom_expr_const(l->s->pool, 0), NULL};
        if (given[i])
            CAROM_TRY(carom_load_positional(l, given[i], keys[i], &c->law[i]));
    }
    if (!given[0])
        return carom_load_fail(l, node->key_place, "contact '%s' has no restitution", node->key);
    if (given[2] && !slip)
        return carom_load_fail(l, given[2]->key_place, "contact '%s' has friction but no slip (the sliding velocity)",
                               node->key);
    if (slip && !given[2])
        return carom_load_fail(l, carom_text_get(node, "slip")->key_place, "contact '%s' has slip but no friction",
                               node->key);
    for (int i = 1; i < 4; i += 2)
        if (given[i] && !slip)
            return carom_load_fail(l, given[i]->key_place, "contact '%s' has %s but no slip and friction", node->key,
                                   keys[i]);
    if (!given[3])
        c->law[3] = c->law[2];
    return CAROM_OK;
}

static carom_status contact(carom_loader *l, const carom_text_node *node, carom_contact_given *c, carom_contact *out)
{
    static const char *const keys[] = {"gap", "slip", "restitution", "restitution_t", "friction", "friction_static"};
    CAROM_TRY(carom_load_label(l, node, "a contact"));
    CAROM_TRY(carom_load_map(l, node, "a contact"));
    CAROM_TRY(carom_load_keys(l, node, keys, CAROM_COUNT(keys), "a contact"));
    const carom_text_node *gap = carom_text_get(node, "gap"), *slip = carom_text_get(node, "slip");
    if (!gap)
        return carom_load_fail(l, node->key_place, "contact '%s' has no gap", node->key);
    CAROM_TRY(carom_load_positional(l, gap, "gap", &c->gap));
    CAROM_TRY(has_gradient(l, gap, c->gap.e, "the gap of contact", node->key));
    *out = (carom_contact){.name = node->key};
    if (slip)
        CAROM_TRY(slips(l, slip, c, &out->directions));
    return laws(l, node, c);
}

carom_status carom_load_contacts(carom_loader *l)
{
    carom_source *s = l->s;
    const carom_text_node *constraints = carom_text_get(s->root, "constraints"),
                          *map = carom_text_get(s->root, "contacts");
    if (constraints) {
        CAROM_TRY(carom_load_map(l, constraints, "constraints"));
        s->njoint = constraints->nchild;
    }
    if (map) {
        CAROM_TRY(carom_load_map(l, map, "contacts"));
        s->ncontact = map->nchild;
    }
    if (s->njoint > CAROM_MAX_CONTACTS || s->ncontact > CAROM_MAX_CONTACTS)
        return carom_load_fail(l, (s->njoint > CAROM_MAX_CONTACTS ? constraints : map)->key_place,
                               "%d constraints and %d contacts; there may be at most %d of each", s->njoint,
                               s->ncontact, CAROM_MAX_CONTACTS);
    s->joint = CAROM_NEW(s->arena, carom_given, s->njoint);
    s->contact = CAROM_NEW(s->arena, carom_contact_given, s->ncontact);
    const char **names = CAROM_NEW(s->arena, const char *, s->njoint);
    carom_contact *contacts = CAROM_NEW(s->arena, carom_contact, s->ncontact);
    if (!s->joint || !s->contact || !names || !contacts)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for %d contacts", s->ncontact);
    CAROM_TRY(joints(l, names));
    int i = 0;
    for (const carom_text_node *c = map ? map->child : NULL; c; c = c->next, i++)
        CAROM_TRY(contact(l, c, &s->contact[i], &contacts[i]));
    l->m->njoint = s->njoint;
    l->m->ncontact = s->ncontact;
    l->m->joint_name = names;
    l->m->contact = contacts;
    s->nrow = carom_model_rows(l->m);
    s->nvar = s->var_x + s->nrow;
    return CAROM_OK;
}
