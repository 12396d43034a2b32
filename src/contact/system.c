/* system.c: a model together with the memory to evaluate it. */
#include <string.h>

#include "contact/system.h"
#include "model/model.h"

static const carom_law *law_of(int directions)
{
    return directions == 0   ? &carom_law_unilateral
           : directions == 1 ? &carom_law_coulomb_planar
                             : &carom_law_coulomb_spatial;
}

static void fill_links(carom_system *system)
{
    const carom_model *m = system->model;
    for (int i = 0; i < m->njoint; i++)
        system->link[i] = (carom_link){m->joint_name ? m->joint_name[i] : "joint", &carom_law_bilateral, i, 1, -1};
    int row = m->njoint;
    for (int i = 0; i < m->ncontact; i++) {
        const carom_contact *c = &m->contact[i];
        int rows = 1 + c->directions;
        system->link[m->njoint + i] = (carom_link){c->name ? c->name : "contact", law_of(c->directions), row, rows, i};
        row += rows;
    }
}

static void place_results(carom_layout *layout, carom_eval *at, const carom_model *m, int nrow, unsigned want)
{
    int nv = m->nv, nq = m->nq, np = m->np;
    const struct { unsigned mask; double **array; int length; } table[] = {
        {CAROM_MASS, &at->M, nv * nv},          {CAROM_FORCE, &at->F, nv},
        {CAROM_GAP, &at->g, m->njoint + m->ncontact},
        {CAROM_JACOBIAN, &at->G, nrow * nv},    {CAROM_JACOBIAN, &at->w, nrow},
        {CAROM_GAMMA, &at->gamma, nrow},        {CAROM_LAW, &at->law, 4 * m->ncontact},
        {CAROM_ENERGY, &at->energy, 4},         {CAROM_OUTPUTS, &at->outputs, m->noutput},
        {CAROM_STOP, &at->stop, 1},             {CAROM_R_Q, &at->R_q, nv * nq},
        {CAROM_R_V, &at->R_v, nv * nv},         {CAROM_R_P, &at->R_p, nv * np},
        {CAROM_U_Q, &at->U_q, nrow * nq},       {CAROM_U_P, &at->U_p, nrow * np},
        {CAROM_A_Q, &at->A_q, nrow * nq},       {CAROM_A_V, &at->A_v, nrow * nv},
        {CAROM_A_P, &at->A_p, nrow * np},       {CAROM_SWITCH, &at->f, m->nswitch},
    };
    for (int i = 0; i < CAROM_COUNT(table); i++)
        if (want & table[i].mask)
            *table[i].array = carom_place(layout, sizeof(double) * (size_t)table[i].length);
}

void carom_system_layout(carom_layout *layout, carom_system *system, const carom_model *model, unsigned want)
{
    system->model = model;
    system->evaluator = carom_model_evaluator(model);
    system->nq = model->nq, system->nv = model->nv;
    system->njoint = model->njoint, system->nlink = model->njoint + model->ncontact;
    system->nrow = carom_model_rows(model);
    system->evaluator_work = carom_place(layout, system->evaluator->work_bytes(model, 1));
    CAROM_PLACE(layout, system->p, model->np);
    CAROM_PLACE(layout, system->link, system->nlink);
    place_results(layout, &system->at, model, system->nrow, want);
    system->mass.n = model->nv, system->mass.symmetric = true;
    CAROM_PLACE(layout, system->mass.A, model->nv * model->nv);
    CAROM_PLACE(layout, system->zero, CAROM_MAX(system->nv, system->nrow));
    system->room = want;
    if (layout->base)
        fill_links(system);
}

void carom_system_begin(carom_system *system, double t, const double *q, const double *v)
{
    static const double one = 1;
    const carom_model *m = system->model;
    system->at.lanes = 1;
    system->at.p = system->p;
    system->at.a = system->at.x = system->zero;
    system->at.s = &one;
    system->known = system->frozen = 0;
    system->mass_factored = false;
    system->evaluator->begin(m, 1, system->p, system->evaluator_work);
    unsigned constant = m->constant & system->room & ~(unsigned)(CAROM_FORCE | CAROM_STOP);
    carom_system_eval(system, constant, t, q, v);
    system->known = constant;
    unsigned both = CAROM_R_Q | CAROM_R_V;
    system->no_gradients = (constant & both) == both && carom_norm_max(m->nv * m->nq, system->at.R_q) == 0 &&
                           carom_norm_max(m->nv * m->nv, system->at.R_v) == 0;
}

carom_status carom_mass_refactor(carom_system *system, double t, carom_error *error)
{
    int n = system->nv;
    if (!carom_all_finite(n * n, system->at.M))
        CAROM_FAIL(error, CAROM_NOT_FINITE, "the mass matrix is not finite at t = %.10g", t);
    memcpy(system->mass.A, system->at.M, sizeof(double) * (size_t)(n * n));
    if (n == 1 ? system->mass.A[0] <= 0 : !carom_cholesky(n, system->mass.A))
        CAROM_FAIL(error, CAROM_SINGULAR_MASS, "the mass matrix is not positive definite at t = %.10g", t);
    system->mass_factored = (system->known & CAROM_MASS) != 0;
    return CAROM_OK;
}
