/* validate.c: is a struct that somebody filled by hand complete and sound? */
#include <math.h>

#include "core/limits.h"
#include "model/start.h"

/* Matrices of velocities, and of rows by velocities, which every step may need, are dense. */
static carom_status entries(const carom_model *m, carom_error *error)
{
    if (m->nblock) /* then they are not */
        return CAROM_OK;
    long long nv = m->nv, nrow = carom_model_rows(m), most = nv > nrow ? nv : nrow;
    if (nv * most > CAROM_MAX_ENTRIES)
        CAROM_FAIL(error, CAROM_BAD_MODEL,
                   "%d joints and %d contacts (%lld rows) with %lld velocities make a matrix of %lld entries; there "
                   "may be at most %d",
                   m->njoint, m->ncontact, nrow, nv, nv * most, CAROM_MAX_ENTRIES);
    return CAROM_OK;
}

/* Friction that would be left out without a word. */
static carom_status friction(const carom_model *m, int i, carom_error *error)
{
    const carom_contact *c = &m->contact[i];
    const struct { const char *name; double value; } left_out[] = {
        {"friction", c->friction}, {"friction_static", c->friction_static}, {"restitution_t", c->restitution_t}};
    char b[32];
    for (int k = 0; c->directions == 0 && !c->coefficient && k < CAROM_COUNT(left_out); k++)
        if (left_out[k].value != 0)
            CAROM_FAIL(error, CAROM_BAD_MODEL, "contact '%s' has %s = %g but directions = 0: friction needs 1 or 2",
                       carom_model_contact_name(m, i, b), left_out[k].name, left_out[k].value);
    return CAROM_OK;
}

static carom_status sizes(const carom_model *m, carom_error *error)
{
    const struct {
        const char *name;
        int value, least;
    } size[] = {{"nq", m->nq, 1}, {"nv", m->nv, 1}, {"np", m->np, 0}, {"njoint", m->njoint, 0},
                {"ncontact", m->ncontact, 0}, {"noutput", m->noutput, 0}};
    for (int i = 0; i < CAROM_COUNT(size); i++)
        if (size[i].value < size[i].least || size[i].value > CAROM_MAX_COUNT)
            CAROM_FAIL(error, CAROM_BAD_MODEL, "%s = %d is outside of [%d, %d]", size[i].name, size[i].value,
                       size[i].least, CAROM_MAX_COUNT);
    if (m->nq != m->nv && !m->manifold)
        CAROM_FAIL(error, CAROM_BAD_MODEL, "nq = %d and nv = %d must be equal: there is no manifold", m->nq, m->nv);
    if (m->nq < m->nv)
        CAROM_FAIL(error, CAROM_BAD_MODEL, "nq = %d is less than nv = %d", m->nq, m->nv);
    if (!m->q)
        CAROM_FAIL(error, CAROM_BAD_MODEL, "there are %d coordinates but no initial values (q is NULL)", m->nq);
    if (m->np && !m->p)
        CAROM_FAIL(error, CAROM_BAD_MODEL, "there are %d parameters but no values (p is NULL)", m->np);
    if (m->ncontact && !m->contact && !m->links)
        CAROM_FAIL(error, CAROM_BAD_MODEL, "there are %d contacts but contact is NULL", m->ncontact);
    for (int i = 0; !m->links && i < m->ncontact; i++)
        if (m->contact[i].directions < 0 || m->contact[i].directions > 2)
            CAROM_FAIL(error, CAROM_BAD_MODEL, "contact %d has %d directions of friction; there are 0, 1 or 2", i,
                       m->contact[i].directions);
        else if (!carom_model_law(m, i) || carom_model_law(m, i) == &carom_law_bilateral)
            CAROM_FAIL(error, CAROM_BAD_MODEL, "contact %d: no contact law '%s' with %d directions of friction",
                       i, m->contact[i].law ? m->contact[i].law : "contact", m->contact[i].directions);
        else
            CAROM_TRY(friction(m, i, error));
    if (!(m->period >= 0) || !isfinite(m->period))
        CAROM_FAIL(error, CAROM_BAD_MODEL, "period = %g must be finite and not negative", m->period);
    return entries(m, error);
}

static carom_status pairs_of_blocks(const carom_model *m, const char *what, int n, const int *block,
                                    carom_error *error)
{
    for (int i = 0; i < n; i++) {
        int a = block[2 * i], b = block[2 * i + 1];
        if (a < -1 || b < -1 || a >= m->nblock || b >= m->nblock || (b >= 0 && a >= b))
            CAROM_FAIL(error, CAROM_BAD_MODEL, "%s %d has the blocks %d and %d of %d; they ascend", what, i, a, b,
                       m->nblock);
    }
    return CAROM_OK;
}

/* Blocks of velocities ascend from 0 to nv; joints and couplings name one or two of them. */
static carom_status blocks(const carom_model *m, carom_error *error)
{
    if (m->nblock == 0)
        return CAROM_OK;
    if (m->nblock < 0 || m->nblock > m->nv || !m->block || !m->links || !m->evaluator ||
        (m->njoint && !m->joint_block) || (m->ncoupling && !m->coupling_block))
        CAROM_FAIL(error, CAROM_BAD_MODEL,
                   "%d blocks of velocities: they need block, joint_block if there are joints, links and an evaluator",
                   m->nblock);
    for (int k = 0; k <= m->nblock; k++)
        if (m->block[k] != (k == 0 ? 0 : k == m->nblock ? m->nv : m->block[k]) || (k && m->block[k] <= m->block[k - 1]))
            CAROM_FAIL(error, CAROM_BAD_MODEL, "block %d of %d begins at velocity %d; they ascend from 0 to %d", k,
                       m->nblock, m->block[k], m->nv);
    CAROM_TRY(pairs_of_blocks(m, "joint", m->njoint, m->joint_block, error));
    return pairs_of_blocks(m, "coupling", m->ncoupling, m->coupling_block, error);
}

static carom_status callbacks(const carom_model *m, carom_error *error)
{
    if (m->evaluator) {
        const carom_evaluator *e = m->evaluator;
        if (!e->prepare || !e->work_bytes || !e->begin || !e->eval)
            CAROM_FAIL(error, CAROM_BAD_MODEL,
                       "the evaluator is incomplete: prepare, work_bytes, begin and eval are needed");
        return CAROM_OK;
    }
    int ngap = carom_model_links(m), nslip = carom_model_rows(m) - ngap;
    if (!m->mass || !m->force)
        CAROM_FAIL(error, CAROM_BAD_MODEL, "the callback %s is missing", m->mass ? "force" : "mass");
    if (ngap && !m->gap)
        CAROM_FAIL(error, CAROM_BAD_MODEL, "the callback gap is missing: there are %d joints and contacts", ngap);
    if (nslip && !m->slip && !m->jacobian)
        CAROM_FAIL(error, CAROM_BAD_MODEL, "the callback slip is missing: there are %d directions of friction", nslip);
    if (m->noutput && !m->outputs)
        CAROM_FAIL(error, CAROM_BAD_MODEL, "the callback outputs is missing: there are %d outputs", m->noutput);
    return CAROM_OK;
}

static carom_status names(const char *const *name, int n, const char *what, carom_error *error)
{
    for (int i = 0; name && i < n; i++)
        if (!name[i] || !name[i][0])
            CAROM_FAIL(error, CAROM_BAD_MODEL, "the name of %s %d is missing", what, i);
    return CAROM_OK;
}

carom_status carom_model_validate(const carom_model *m, carom_error *error)
{
    carom_fault fault;
    CAROM_SIZED(m, carom_model, error);
    CAROM_TRY(sizes(m, error));
    CAROM_TRY(blocks(m, error));
    CAROM_TRY(callbacks(m, error));
    CAROM_TRY(names(m->q_name, m->nq, "coordinate", error));
    CAROM_TRY(names(m->v_name, m->nv, "velocity", error));
    CAROM_TRY(names(m->p_name, m->np, "parameter", error));
    CAROM_TRY(names(m->joint_name, m->njoint, "joint", error));
    CAROM_TRY(names(m->output_name, m->noutput, "output", error));
    CAROM_TRY(carom_manifold_check(m, error));
    carom_model alone = *m; /* contacts that are found are checked when they are */
    if (m->links)
        alone.ncontact = 0;
    CAROM_TRY(carom_model_start(&alone, &fault, error));
    if (fault.kind != CAROM_FAULT_NONE)
        CAROM_FAIL(error, fault.status, "%s", fault.words);
    return CAROM_OK;
}
