/* values.c: the numbers of a model file: parameters, initial values, settings; and the checks of the start. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/dense.h"
#include "model/source.h"

const carom_override *carom_source_override(const carom_source *s, const char *prefix, const char *name)
{
    size_t n = strlen(prefix);
    for (int i = 0; i < s->noverride; i++)
        if (strncmp(s->override[i].name, prefix, n) == 0 && strcmp(s->override[i].name + n, name) == 0)
            return &s->override[i];
    return NULL;
}

/* The values of n expressions of the file. */
static void values_of(const carom_source *s, int n, const carom_given *given, const double *variables, double *out)
{
    carom_expr *e = calloc((size_t)n + 1, sizeof *e);
    for (int i = 0; e && i < n; i++)
        e[i] = given[i].e;
    if (e)
        carom_expr_values(s->pool, n, e, variables, out);
    for (int i = 0; !e && i < n; i++)
        out[i] = NAN;
    free(e);
}

static void initial_values(carom_source *s, double *variables)
{
    if (s->plugin) {
        carom_copy(s->nq, s->q_plugin, s->q);
        carom_copy(s->nv, s->v_plugin, s->v);
    } else {
        values_of(s, s->nq, s->q0, variables, s->q);
        values_of(s, s->nv, s->v0, variables, s->v);
    }
    for (int i = 0; i < s->nq && s->noverride; i++) {
        const carom_override *q = carom_source_override(s, "q.", s->q_name[i]);
        s->q[i] = q ? q->value : s->q[i];
    }
    for (int i = 0; i < s->nv && s->noverride; i++) {
        const carom_override *v = carom_source_override(s, "v.", s->v_name[i]);
        s->v[i] = v ? v->value : s->v[i];
    }
    if (s->plugin)
        return;
    memcpy(variables + s->var_q, s->q, sizeof *s->q * (size_t)s->nq);
    memcpy(variables + s->var_v, s->v, sizeof *s->v * (size_t)s->nv);
}

static carom_status period(const carom_source *s, carom_model *m, const double *variables, carom_error *error)
{
    m->period = carom_expr_value(s->pool, s->period.e, variables);
    if (s->period.node && !(m->period > 0 && isfinite(m->period)))
        return carom_text_fail(&s->file, s->period.node->place, error, CAROM_BAD_MODEL,
                               "the period is %g; it must be positive", m->period);
    return CAROM_OK;
}

static carom_status settings(const carom_source *s, const carom_model *m, const double *variables, carom_error *error)
{
    for (int i = 0; i < m->nrun; i++) {
        const carom_given *given = &s->setting[i].value;
        if (given->e == CAROM_EXPR_NONE)
            continue;
        double value = carom_expr_value(s->pool, given->e, variables);
        if (!isfinite(value))
            return carom_text_fail(&s->file, given->node->place, error, CAROM_BAD_MODEL, "the setting '%s' is %g",
                                   m->run[i].key, value);
        carom_shortest(value, s->setting[i].text);
    }
    return CAROM_OK;
}

/* The constants of carom_contact tell what the law is at the start. */
static void laws(const carom_source *s, const carom_model *m, const double *variables)
{
    carom_contact *contact = (carom_contact *)(size_t)m->contact;
    for (int i = 0; contact && i < s->ncontact; i++) { /* NULL: they are found, and then all anew */
        const carom_contact_given *given = &s->contact[i];
        double *c = (double *)(size_t)contact[i].coefficient;
        for (int k = 0; k < given->ncoefficient; k++)
            c[k] = carom_expr_value(s->pool, given->law[k].e, variables);
    }
}

carom_status carom_source_values(carom_source *s, carom_model *m, carom_error *error)
{
    double *variables = calloc((size_t)s->nvar, sizeof *variables);
    if (!variables)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "out of memory for %d variables", s->nvar);
    for (int i = 0; i < s->nparameter; i++) {
        const carom_parameter *x = &s->parameter[i];
        if (x->index < 0)
            continue;
        const carom_override *override = carom_source_override(s, "", x->name);
        s->p[x->index] = variables[s->var_p + i] = override ? override->value : x->value;
    }
    if (s->bodies) {
        carom_status bodies = carom_bodies_values(s, error);
        if (bodies != CAROM_OK) {
            free(variables);
            return bodies;
        }
    }
    initial_values(s, variables);
    laws(s, m, variables); /* of a plugin: none that are known here */
    carom_status status = s->plugin ? CAROM_OK : period(s, m, variables, error);
    if (status == CAROM_OK)
        status = settings(s, m, variables, error);
    free(variables);
    return status;
}

/* ---- the start ---- */
static const carom_text_node *first_of(const carom_text_node *a, const carom_text_node *b, const carom_text_node *c)
{
    return a ? a : b ? b : c;
}

static const carom_text_node *where(const carom_source *s, const carom_fault *f)
{
    int i = f->index;
    switch (f->kind) {
    case CAROM_FAULT_P: return s->parameter[s->var_of_p[i] - s->var_p].node;
    case CAROM_FAULT_Q: return s->q0[i].node;
    case CAROM_FAULT_V: return first_of(s->v0[i].node, s->q0[i].node, NULL);
    case CAROM_FAULT_MASS: return first_of(s->kinetic.node, s->mass[i].node, s->mass[i / s->nv * (s->nv + 1)].node);
    case CAROM_FAULT_FORCE: return s->from_energy ? first_of(s->forces[i].node, s->potential.node, s->kinetic.node)
                                                  : first_of(s->force[i].node, s->forces[i].node, NULL);
    case CAROM_FAULT_ENERGY: return first_of(i == 1 ? s->potential.node : NULL, s->kinetic.node, NULL);
    case CAROM_FAULT_JOINT: return s->joint[i].node;
    case CAROM_FAULT_GAP: return s->contact[i].gap.node;
    case CAROM_FAULT_SLIP: return s->contact[i].slip[0].node;
    case CAROM_FAULT_LAW: return s->contact[i].law[f->coefficient].node;
    case CAROM_FAULT_OUTPUT: return s->output[i].node;
    case CAROM_FAULT_STOP: return s->stop.node;
    default: return NULL;
    }
}

/* What cannot be closed is shown where the file says it. */
static carom_status onto_constraints(carom_source *s, const carom_model *m, double *moved, carom_error *error)
{
    int worst;
    carom_error why = {0};
    carom_status status = carom_model_assemble(m, s->q, s->v, moved, &worst, &why);
    if (status == CAROM_OK)
        return CAROM_OK;
    bool joint = worst < m->njoint;
    const carom_fault fault = {.kind = worst < 0 ? CAROM_FAULT_NONE : joint ? CAROM_FAULT_JOINT : CAROM_FAULT_GAP,
                               .index = joint ? worst : worst - m->njoint};
    const carom_text_node *node = s->plugin ? NULL : where(s, &fault);
    return carom_text_fail(&s->file, node ? node->place : s->root->place, error, status, "%s", why.text);
}

/* Onto the constraints and out of contacts, in turn until both hold: bodies that were moved apart open joints. */
static carom_status assembled(carom_source *s, const carom_model *m, char *note, size_t size, carom_error *error)
{
    double most = 0;
    for (int round = 0; round < 100; round++) {
        double apart = 0, moved = 0;
        if (s->bodies)
            CAROM_TRY(carom_bodies_separate(s, m, s->q, &apart, error));
        if (round > 0 && apart == 0)
            break;
        if (m->njoint > 0 || (m->contact && m->ncontact > 0))
            CAROM_TRY(onto_constraints(s, m, &moved, error));
        most = fmax(most, fmax(apart, moved));
        if (!s->bodies)
            break;
    }
    if (note && size && most > 0)
        snprintf(note, size, "the start was moved %s: by up to %.3g",
                 m->njoint ? "onto the constraints" : "out of its contacts", most);
    return CAROM_OK;
}

carom_status carom_source_check(carom_source *s, carom_model *m, char *note, size_t size, carom_error *error)
{
    carom_fault fault;
    if (note && size && s->watched)
        snprintf(note, size, "%d pairs of bodies far apart are only watched: the run stops where two come close",
                 s->watched);
    else if (note && size && s->wound)
        snprintf(note, size, "hinges in space that have a spring and no coordinate know their angles up to half a "
                 "turn: the run stops where one comes there (`coordinate: relative` has no such limit)");
    else if (note && size && carom_bodies_lack_laws(s))
        snprintf(note, size, "there are no laws, so no two bodies touch: they pass through each other "
                             "(`laws: {default: none}` says so)");
    if (s->assemble)
        CAROM_TRY(assembled(s, m, note, size, error));
    if (s->bodies)
        CAROM_TRY(carom_bodies_overlap(s, m, error));
    CAROM_TRY(carom_model_start(m, &fault, error));
    if (fault.kind == CAROM_FAULT_NONE)
        return CAROM_OK;
    const carom_text_node *node = s->plugin ? NULL : where(s, &fault);
    return carom_text_fail(&s->file, node ? node->place : s->root->place, error, fault.status, "%s", fault.words);
}
