/* dynamics.c: the sections that say how the system moves: kinetic and potential, or mass and force; forces. */
#include <string.h>

#include "model/source.h"

static carom_status no_memory(carom_loader *l)
{
    return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the mass matrix of %d coordinates", l->s->nv);
}

static carom_status mass_map(carom_loader *l, const carom_text_node *node)
{
    carom_source *s = l->s;
    for (const carom_text_node *c = node->child; c; c = c->next) {
        int i;
        CAROM_TRY(carom_load_coordinate(l, c, &i));
        CAROM_TRY(carom_load_positional(l, c, "mass", &s->mass[i * s->nv + i]));
    }
    for (int i = 0; i < s->nv; i++)
        if (!s->mass[i * s->nv + i].node)
            return carom_load_fail(l, node->key_place, "mass has no entry for '%s'", s->q_name[i]);
    return CAROM_OK;
}

static carom_status mass_rows(carom_loader *l, const carom_text_node *node)
{
    carom_source *s = l->s;
    if (node->nchild != s->nv)
        return carom_load_fail(l, node->place, "mass has %d rows; there are %d coordinates", node->nchild, s->nv);
    carom_given *entry = s->mass;
    for (const carom_text_node *row = node->child; row; row = row->next) {
        if (row->kind != CAROM_TEXT_LIST)
            return carom_load_fail(l, row->place, "a row of mass must be a list");
        if (row->nchild != s->nv)
            return carom_load_fail(l, row->place, "this row of mass has %d entries; there are %d coordinates",
                                   row->nchild, s->nv);
        for (const carom_text_node *c = row->child; c; c = c->next)
            CAROM_TRY(carom_load_positional(l, c, "mass", entry++));
    }
    return CAROM_OK;
}

static carom_status force_map(carom_loader *l, const char *key, carom_given *force)
{
    const carom_text_node *node = carom_text_get(l->s->root, key);
    if (!node)
        return CAROM_OK;
    CAROM_TRY(carom_load_map(l, node, key));
    for (const carom_text_node *c = node->child; c; c = c->next) {
        int i;
        if (l->s->bodies && carom_bodies_names(l, c->key)) {
            CAROM_TRY(carom_bodies_force(l, c));
            continue;
        }
        CAROM_TRY(carom_load_coordinate(l, c, &i));
        CAROM_TRY(carom_load_expression(l, c, key, &force[i]));
    }
    return CAROM_OK;
}

carom_status carom_load_forces(carom_loader *l)
{
    carom_source *s = l->s;
    bool first = !s->forces;
    if (first && !(s->forces = CAROM_NEW(s->arena, carom_given, s->nv + 1)))
        return no_memory(l);
    for (int i = 0; first && i < s->nv; i++)
        s->forces[i].e = carom_expr_const(s->pool, 0);
    return force_map(l, "forces", s->forces);
}

static carom_status energies(carom_loader *l, const carom_text_node *kinetic, const carom_text_node *potential)
{
    carom_source *s = l->s;
    s->from_energy = true;
    s->kinetic = s->potential = (carom_given){carom_expr_const(s->pool, 0), NULL};
    if (kinetic)
        CAROM_TRY(carom_load_expression(l, kinetic, "kinetic", &s->kinetic));
    if (potential)
        CAROM_TRY(carom_load_positional(l, potential, "potential", &s->potential));
    return CAROM_OK;
}

static carom_status matrices(carom_loader *l, const carom_text_node *mass)
{
    carom_source *s = l->s;
    if (mass->kind == CAROM_TEXT_SCALAR)
        return carom_load_fail(l, mass->place, "mass must be a map {coordinate: expression} or a list of rows");
    CAROM_TRY(mass->kind == CAROM_TEXT_MAP ? mass_map(l, mass) : mass_rows(l, mass));
    return force_map(l, "force", s->force);
}

carom_status carom_load_dynamics(carom_loader *l)
{
    carom_source *s = l->s;
    const carom_text_node *kinetic = carom_text_get(s->root, "kinetic"),
                          *potential = carom_text_get(s->root, "potential");
    const carom_text_node *mass = carom_text_get(s->root, "mass"), *force = carom_text_get(s->root, "force");
    if (kinetic && (mass || force))
        return carom_load_fail(l, mass ? mass->key_place : force->key_place,
                               "either kinetic and potential, or mass and force: not both");
    if (!kinetic && potential && !s->bodies)
        return carom_load_fail(l, potential->key_place, "potential needs kinetic%s",
                               mass ? " (mass goes with force)" : "");
    if (!mass && force)
        return carom_load_fail(l, force->key_place, "force needs mass");
    if (mass && s->bodies)
        return carom_load_fail(l, mass->key_place, "bodies go with kinetic and potential, not with mass and force");
    if (!kinetic && !mass && (!s->bodies || s->nformula > 0))
        return carom_load_fail(l, s->root->place,
                               "the model has neither kinetic (with potential) nor mass (with force)");
    size_t n = (size_t)s->nv;
    s->mass = CAROM_NEW(s->arena, carom_given, n * n);
    s->force = CAROM_NEW(s->arena, carom_given, n);
    s->forces = CAROM_NEW(s->arena, carom_given, n);
    if (!s->mass || !s->force || !s->forces)
        return no_memory(l);
    carom_expr zero = carom_expr_const(s->pool, 0);
    for (size_t i = 0; i < n * n; i++)
        s->mass[i].e = zero;
    for (size_t i = 0; i < n; i++)
        s->force[i].e = s->forces[i].e = zero;
    CAROM_TRY(mass ? matrices(l, mass) : energies(l, kinetic, potential));
    if (s->bodies)
        CAROM_TRY(carom_bodies_dynamics(l));
    return carom_load_forces(l);
}
