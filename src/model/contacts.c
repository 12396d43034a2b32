/* contacts.c: the sections constraints and contacts. */
#include <math.h>
#include <string.h>

#include "model/model.h"
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
    for (int i = 0; i < s->nv; i++) {
        carom_expr d = carom_expr_diff(s->pool, given->e, s->var_v + i);
        double value;
        any = any || !carom_expr_is_const(s->pool, d, &value) || value != 0;
        if (carom_expr_depends(s->pool, d, s->var_v, s->var_v + s->nv))
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

/* What a contact may say: its gap (or, without a normal, where it acts), slip, law, and the fields of the law. */
static carom_status keys(carom_loader *l, const carom_text_node *node, const carom_law *law)
{
    const char *names[4 + CAROM_COEFFICIENTS_MAX] = {law->tangents < law->rows ? "gap" : "along", "law", "repeat"};
    const carom_field *field = law->method.fields;
    int n = 3;
    if (law->rows > 1 || law->family)
        names[n++] = "slip";
    if (law->family) /* with slip there may be more: those get errors of their own */
        field = carom_law_find(law->family, 1) ? carom_law_find(law->family, 1)->method.fields : field;
    for (; field->name; field++)
        names[n++] = field->name;
    return carom_load_keys(l, node, names, n, "a contact");
}

/* Friction without slip and slip without friction are the common mistakes. */
static carom_status misses(carom_loader *l, const carom_text_node *node, const char *field)
{
    const carom_text_node *slip = carom_text_get(node, "slip");
    if (slip && strcmp(field, "friction") == 0)
        return carom_load_fail(l, slip->key_place, "contact '%s' has slip but no friction", node->key);
    return carom_load_fail(l, node->key_place, "contact '%s' has no %s", node->key, field);
}

static carom_status superfluous(carom_loader *l, const carom_text_node *node, const carom_law *law)
{
    static const char *const known[] = {"gap", "along", "slip", "law", "repeat"};
    for (const carom_text_node *c = node->child; c; c = c->next) {
        bool found = false;
        for (int i = 0; i < CAROM_COUNT(known); i++)
            found |= strcmp(c->key, known[i]) == 0;
        for (const carom_field *f = law->method.fields; f->name; f++)
            found |= strcmp(c->key, f->name) == 0;
        if (!found && strcmp(c->key, "friction") == 0)
            return carom_load_fail(l, c->key_place, "contact '%s' has friction but no slip (the sliding velocity)",
                                   node->key);
        if (!found)
            return carom_load_fail(l, c->key_place, "contact '%s' has %s but no slip and friction", node->key, c->key);
    }
    return CAROM_OK;
}

/* Speeds that coefficients may depend on: of a gap g and slips u_t
 *     approach = max(0, -dg/dt),   slip = |u_t|
 * in terms of |x| = sqrt(x x), exact in double precision: no branch that motion would stop at. */
static int speeds(const carom_source *s, const carom_contact_given *c, const carom_law *law, carom_local *local)
{
    carom_expr_pool *p = s->pool;
    int n = 0, normals = law->rows - law->tangents;
    if (normals) {
        carom_expr u = carom_source_rate(s, c->gap.e);
        carom_expr size = carom_expr_unary(p, CAROM_OP_SQRT, carom_expr_binary(p, CAROM_OP_MUL, u, u));
        carom_expr closing = carom_expr_binary(p, CAROM_OP_MUL, carom_expr_const(p, 0.5),
                                               carom_expr_binary(p, CAROM_OP_SUB, size, u));
        local[n++] = (carom_local){"approach", closing, CAROM_LAW_BY_APPROACH};
    }
    if (law->tangents) {
        carom_expr sum = carom_expr_const(p, 0);
        for (int k = 0; k < law->tangents; k++)
            sum = carom_expr_binary(p, CAROM_OP_ADD, sum,
                                    carom_expr_binary(p, CAROM_OP_MUL, c->slip[k].e, c->slip[k].e));
        local[n++] = (carom_local){"slip", carom_expr_unary(p, CAROM_OP_SQRT, sum), CAROM_LAW_BY_SLIP};
    }
    return n;
}

/* A coefficient: of time and place, and of the speeds by their names alone. */
static carom_status coefficient(carom_loader *l, const carom_text_node *node, const carom_local *local, int n,
                                carom_given *to)
{
    l->used = 0, l->nlocal = 0;
    l->local = local, l->nlocal = n;
    carom_status status = carom_load_expression(l, node, node->key, to);
    l->nlocal = 0;
    if (status != CAROM_OK || l->used == 0)
        return status == CAROM_OK ? carom_load_positional(l, node, node->key, to) : status;
    carom_local still[2];
    carom_given rest;
    for (int i = 0; i < n; i++)
        still[i] = (carom_local){local[i].name, carom_expr_const(l->s->pool, 0), 0};
    l->local = still, l->nlocal = n;
    status = carom_load_positional(l, node, node->key, &rest); /* no other velocities */
    l->nlocal = 0;
    return status;
}

/* What a contact that sticks has where nothing else is given: the coefficient at slip = 0. */
static carom_status at_rest(carom_loader *l, const carom_text_node *node, const carom_local *local, int n,
                            carom_given *to)
{
    carom_local still[2];
    for (int i = 0; i < n; i++) {
        still[i] = local[i];
        if (still[i].bit == CAROM_LAW_BY_SLIP)
            still[i].e = carom_expr_const(l->s->pool, 0);
    }
    return coefficient(l, node, still, n, to);
}

carom_status carom_load_coefficients(carom_loader *l, const carom_text_node *node, const carom_law *law,
                                     carom_contact_given *c)
{
    const carom_field *fields = law->method.fields;
    unsigned used[CAROM_COEFFICIENTS_MAX] = {0};
    carom_local local[2];
    int n = speeds(l->s, c, law, local);
    for (c->ncoefficient = 0; fields[c->ncoefficient].name; c->ncoefficient++) {
        const carom_field *field = &fields[c->ncoefficient];
        const carom_text_node *given = carom_text_get(node, field->name);
        carom_given *to = &c->law[c->ncoefficient];
        *to = (carom_given){carom_expr_const(l->s->pool, field->value), NULL};
        size_t stem = strlen(field->name) - (strstr(field->name, "_static") ? strlen("_static") : 0);
        for (int i = 0; i < c->ncoefficient && field->name[stem]; i++) {
            if (strlen(fields[i].name) != stem || strncmp(fields[i].name, field->name, stem) != 0)
                continue;
            bool slips = used[i] & CAROM_LAW_BY_SLIP;
            if (slips && given)
                return carom_load_fail(l, given->key_place,
                                       "%s of contact '%s' depends on slip: its value at slip = 0 is that of a contact "
                                       "that sticks, without %s",
                                       fields[i].name, node->key, field->name);
            *to = c->law[i];
            if (slips)
                CAROM_TRY(at_rest(l, carom_text_get(node, fields[i].name), local, n, to));
        }
        if (given)
            CAROM_TRY(coefficient(l, given, local, n, to));
        else if (isnan(field->value))
            return misses(l, node, field->name);
        used[c->ncoefficient] = given ? l->used : 0;
        c->speeds |= used[c->ncoefficient];
    }
    return superfluous(l, node, law);
}

unsigned carom_model_speeds(const carom_model *model, int contact)
{
    const carom_source *s = model->source; /* its contacts come first; those that are found have numbers */
    return s && s->contact && contact < s->ncontact ? s->contact[contact].speeds : 0;
}

unsigned carom_model_any_speeds(const carom_model *model)
{
    unsigned any = 0;
    for (int i = 0; model->source && i < model->source->ncontact; i++)
        any |= carom_model_speeds(model, i);
    return any;
}

/* The law that is named, or the one that the number of slips tells. */
static carom_status law_of(carom_loader *l, const carom_text_node *node, int directions, const carom_law **law)
{
    const carom_text_node *name = carom_text_get(node, "law");
    if (name && name->kind != CAROM_TEXT_SCALAR)
        return carom_load_fail(l, name->place, "law must be the name of a contact law");
    *law = carom_law_find(name ? name->text : NULL, directions);
    if (*law == &carom_law_bilateral)
        return carom_load_fail(l, name->place, "'%s' is the law of joints: see the section constraints",
                               name->text);
    if (*law)
        return CAROM_OK;
    const char *names[64];
    int n = 0;
    for (int i = 0; carom_law_list(i) && n < CAROM_COUNT(names) - 1; i++) {
        const carom_law *other = carom_law_list(i);
        if (strcmp(name->text, other->method.name) == 0 || (other->family && strcmp(name->text, other->family) == 0))
            return carom_load_fail(l, name->place, "the law '%s' does not go with %d direction%s of slip", name->text,
                                   directions, directions == 1 ? "" : "s");
        names[n++] = other->method.name;
        if (other->family)
            names[n++] = other->family;
    }
    const char *near = carom_nearest(name->text, names, n);
    if (near)
        return carom_load_fail(l, name->place, "there is no law '%s'; did you mean '%s'?", name->text, near);
    return carom_load_fail(l, name->place, "there is no law '%s' (carom list laws)", name->text);
}

static carom_status contact(carom_loader *l, const carom_text_node *node, carom_contact_given *c, carom_contact *out)
{
    CAROM_TRY(carom_load_map(l, node, "a contact"));
    const carom_text_node *slip = carom_text_get(node, "slip"), *name = carom_text_get(node, "law");
    int directions = !slip ? 0 : slip->kind == CAROM_TEXT_LIST ? CAROM_MIN(slip->nchild, 2) : 1;
    const carom_law *law;
    CAROM_TRY(law_of(l, node, directions, &law));
    CAROM_TRY(keys(l, node, law));
    const char *key = law->tangents < law->rows ? "gap" : "along";
    const carom_text_node *gap = carom_text_get(node, key);
    if (!gap)
        return carom_load_fail(l, node->key_place, "contact '%s' has no %s", node->key, key);
    CAROM_TRY(carom_load_positional(l, gap, key, &c->gap));
    CAROM_TRY(has_gradient(l, gap, c->gap.e, "the gap of contact", node->key));
    double *start = CAROM_NEW(l->s->arena, double, carom_law_coefficients(law) + 1);
    if (!start)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for contact '%s'", node->key);
    *out = (carom_contact){.name = node->key, .law = name ? law->method.name : NULL, .coefficient = start};
    if (slip)
        CAROM_TRY(slips(l, slip, c, &out->directions));
    return carom_load_coefficients(l, node, law, c);
}

/* How many there are, repetitions included. */
static carom_status count_contacts(carom_loader *l, const carom_text_node *map)
{
    carom_index index;
    int count;
    for (const carom_text_node *c = map->child; c; c = c->next) {
        CAROM_TRY(carom_load_repeat(l, c, CAROM_MAX_CONTACTS, &index, &count));
        l->s->ncontact += count;
    }
    return CAROM_OK;
}

/* Those of one entry, from the i-th on; *i moves behind them. */
static carom_status repeated_contacts(carom_loader *l, const carom_text_node *c, carom_contact *contacts, int *i)
{
    carom_index index;
    int count;
    CAROM_TRY(carom_load_label(l, c, "a contact"));
    CAROM_TRY(carom_load_repeat(l, c, CAROM_MAX_CONTACTS, &index, &count));
    for (int k = 0; k < count; k++, ++*i) {
        const carom_text_node *one = carom_load_repeated(l, c, &index, k);
        if (!one)
            return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for contact '%s'", c->key);
        carom_status status = contact(l, one, &l->s->contact[*i], &contacts[*i]);
        l->nindex = 0;
        CAROM_TRY(status);
    }
    return CAROM_OK;
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
    bool word = s->bodies && map && map->kind == CAROM_TEXT_SCALAR;
    if (word && strcmp(map->text, "found") != 0 && strcmp(map->text, "formulas") != 0)
        return carom_load_fail(l, map->place, "contacts must be a map (name: value), `found` or `formulas`");
    if (map && !word) {
        CAROM_TRY(carom_load_map(l, map, "contacts"));
        CAROM_TRY(count_contacts(l, map));
    }
    if (s->bodies)
        CAROM_TRY(carom_bodies_contacts(l));
    s->njoint += s->added.njoint;
    s->ncontact += s->added.ncontact;
    const carom_text_node *section = s->njoint > CAROM_MAX_CONTACTS ? constraints : map;
    if (s->njoint > CAROM_MAX_CONTACTS || s->ncontact > CAROM_MAX_CONTACTS)
        return carom_load_fail(l, section ? section->key_place : s->root->place,
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
    for (const carom_text_node *c = map ? map->child : NULL; c; c = c->next)
        CAROM_TRY(repeated_contacts(l, c, contacts, &i));
    for (int k = 0; k < s->added.njoint; k++) {
        s->joint[s->njoint - s->added.njoint + k] = s->added.joint[k];
        names[s->njoint - s->added.njoint + k] = s->added.joint_name[k];
    }
    for (int k = 0; k < s->added.ncontact; k++, i++) {
        s->contact[i] = s->added.contact[k];
        contacts[i] = s->added.contact_out[k];
    }
    for (int k = 0; k < i; k++)
        s->nlaw += s->contact[k].ncoefficient;
    l->m->njoint = s->njoint;
    l->m->ncontact = s->ncontact;
    l->m->joint_name = names;
    l->m->contact = contacts;
    s->nrow = carom_model_rows(l->m);
    s->nvar = s->var_x + s->nrow;
    return CAROM_OK;
}
