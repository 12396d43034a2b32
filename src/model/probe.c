/* probe.c: one evaluation with its own memory, and the names of things that have none. */
#include <stdio.h>
#include <string.h>

#include "model/model.h"
#include "model/structure.h"

size_t carom_model_square(const carom_model *m)
{
    size_t sum = m->nblock ? 0 : (size_t)m->nv * (size_t)m->nv;
    for (int k = 0; k < m->nblock; k++)
        sum += (size_t)(m->block[k + 1] - m->block[k]) * (size_t)(m->block[k + 1] - m->block[k]);
    return sum;
}

size_t carom_model_widest(const carom_model *m)
{
    int most = m->nblock ? 0 : m->nv;
    for (int k = 0; k < m->nblock; k++)
        most = CAROM_MAX(most, m->block[k + 1] - m->block[k]);
    return (size_t)most;
}

carom_span carom_model_block_span(const carom_model *m, const int *block, size_t at)
{
    carom_span s = {.at = {at, at}};
    for (int b = 0; b < 2; b++) {
        int k = block[b];
        s.at[b] = at + (b ? (size_t)s.count[0] : 0);
        s.first[b] = k < 0 ? 0 : m->block[k], s.count[b] = k < 0 ? 0 : m->block[k + 1] - m->block[k];
    }
    return s;
}

carom_span carom_model_joint_span(const carom_model *m, int i, size_t at)
{
    return m->nblock ? carom_model_block_span(m, m->joint_block + 2 * i, at)
                     : (carom_span){.at = {at, at}, .count = {m->nv, 0}};
}

static carom_status allocate(carom_probe *k, const carom_evaluator *evaluator)
{
    const carom_model *m = k->model;
    size_t nrow = carom_model_rows(m), nv = m->nv, np = m->np, ngap = carom_model_links(m);
    size_t square = carom_model_square(m), rows = m->nblock ? nrow * 2 * carom_model_widest(m) : nrow * nv;
    struct {
        double **array;
        size_t length;
    } arrays[] = {
        {&k->q, m->nq}, {&k->v, nv}, {&k->p, np}, {&k->a, nv}, {&k->x, nrow},
        {&k->at.M, square}, {&k->at.F, nv}, {&k->at.g, ngap}, {&k->at.G, rows}, {&k->at.w, nrow},
        {&k->at.gamma, nrow}, {&k->at.law, carom_model_coefficient(m, m->ncontact)},
        {&k->at.energy, 5}, {&k->at.outputs, m->noutput},
        {&k->at.stop, 1}, {&k->at.R_q, square}, {&k->at.R_v, square}, {&k->at.R_p, nv * np},
        {&k->at.U_q, rows}, {&k->at.U_p, nrow * np}, {&k->at.A_q, rows}, {&k->at.A_v, rows},
        {&k->at.A_p, nrow * np}, {&k->d, m->nswitch}, {&k->at.f, m->nswitch},
        {&k->at.C, (size_t)m->ncoupling * 2 * carom_model_widest(m)}, {&k->at.C_q, m->ncoupling},
        {&k->at.C_v, m->ncoupling},
    };
    for (int i = 0; i < CAROM_COUNT(arrays); i++)
        if (!(*arrays[i].array = CAROM_NEW(k->arena, double, arrays[i].length)))
            return CAROM_NO_MEMORY;
    k->work = carom_arena_alloc(k->arena, evaluator->work_bytes(m, 1));
    return k->work ? CAROM_OK : CAROM_NO_MEMORY;
}

carom_status carom_probe_new(carom_probe *k, const carom_model *m, unsigned want, carom_error *error)
{
    const carom_evaluator *evaluator = carom_model_evaluator(m);
    *k = (carom_probe){.model = m, .s = 1};
    CAROM_TRY(evaluator->prepare(m, want, error));
    k->arena = carom_arena_new(0);
    if (!k->arena || allocate(k, evaluator) != CAROM_OK) {
        carom_probe_free(k);
        CAROM_FAIL(error, CAROM_NO_MEMORY, "out of memory for an evaluation of the model");
    }
    memcpy(k->q, m->q, sizeof *k->q * (size_t)m->nq);
    if (m->v)
        memcpy(k->v, m->v, sizeof *k->v * (size_t)m->nv);
    if (m->np)
        memcpy(k->p, m->p, sizeof *k->p * (size_t)m->np);
    k->at.want = want;
    k->at.lanes = 1;
    return CAROM_OK;
}

void carom_probe_eval(carom_probe *k)
{
    const carom_evaluator *evaluator = carom_model_evaluator(k->model);
    k->at.t = &k->t, k->at.q = k->q, k->at.v = k->v, k->at.p = k->p;
    k->at.a = k->a, k->at.x = k->x, k->at.s = &k->s, k->at.d = k->d;
    evaluator->begin(k->model, 1, k->p, k->work);
    evaluator->eval(k->model, &k->at, k->work);
}

void carom_probe_free(carom_probe *k)
{
    carom_arena_free(k->arena);
    *k = (carom_probe){0};
}

/* ---- names ---- */
static const char *named(const char *const *names, int i, const char *word, char *buffer)
{
    if (names && names[i])
        return names[i];
    snprintf(buffer, 32, "%s%d", word, i);
    return buffer;
}

const char *carom_model_q_name(const carom_model *m, int i, char *buffer)
{
    return named(m->q_name, i, "q", buffer);
}

const char *carom_model_v_name(const carom_model *m, int i, char *buffer)
{
    return m->v_name || m->manifold ? named(m->v_name, i, "v", buffer) : carom_model_q_name(m, i, buffer);
}

const char *carom_model_p_name(const carom_model *m, int i, char *buffer)
{
    return named(m->p_name, i, "p", buffer);
}

const char *carom_model_joint_name(const carom_model *m, int i, char *buffer)
{
    return named(m->joint_name, i, "joint", buffer);
}

const char *carom_model_contact_name(const carom_model *m, int i, char *buffer)
{
    if (m->contact && m->contact[i].name)
        return m->contact[i].name;
    return named(NULL, i, "contact", buffer);
}

const char *carom_model_output_name(const carom_model *m, int i, char *buffer)
{
    return named(m->output_name, i, "output", buffer);
}
