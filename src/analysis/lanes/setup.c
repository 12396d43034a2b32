/* setup.c: an ensemble before it runs: what will be evaluated, memory, which contacts are the simulation's. */
#include "analysis/lanes/lanes.h"
#include "contact/rules.h"
#include "model/model.h"
#include "schemes/scheme.h"

enum { W = CAROM_LANES };

static carom_status prepare(carom_ensemble *e, carom_error *error)
{
    const carom_model *m = e->model;
    unsigned all = CAROM_MASS | (e->nc ? CAROM_JACOBIAN | CAROM_GAMMA | CAROM_LAW : 0) |
                   (e->columns || e->exact ? CAROM_R_Q | CAROM_R_V : 0);
    unsigned gradients = all & (CAROM_R_Q | CAROM_R_V);
    e->constant = m->constant & all;
    bool together = e->constant & CAROM_MASS; /* then R_q and R_v do not depend on accelerations */
    e->stage_want = ((CAROM_MASS | CAROM_FORCE | (together ? gradients : 0)) & ~e->constant);
    e->gradient_want = together ? 0 : gradients & ~e->constant;
    e->end_want = e->stage_want | (e->nc ? (CAROM_GAP | CAROM_JACOBIAN | CAROM_GAMMA) & ~e->constant : 0);
    const unsigned known = CAROM_MASS | CAROM_R_V, straight = known | CAROM_JACOBIAN | CAROM_GAMMA;
    e->linear = e->columns && (e->constant & (known | CAROM_R_Q)) == (known | CAROM_R_Q);
    e->at_once = (e->constant & straight) == straight;
    e->follow_trace = e->columns && !(together && e->constant & CAROM_R_V);
    const unsigned masks[] = {e->constant, e->stage_want, e->gradient_want, e->end_want, e->nc ? CAROM_GAP : 0};
    for (int i = 0; i < CAROM_COUNT(masks); i++)
        if (masks[i])
            CAROM_TRY(e->evaluator->prepare(m, masks[i], error));
    return e->exact || !together ? CAROM_OK : carom_lanes_quick_new(e, error);
}

static carom_wide *rows(carom_arena *arena, int n)
{
    return carom_arena_alloc(arena, sizeof(carom_wide) * (size_t)CAROM_MAX(n, 1));
}

static bool place_end(carom_arena *arena, carom_lane_end *x, int n, int nc)
{
    x->q = rows(arena, n), x->v = rows(arena, n);
    x->g = rows(arena, nc), x->u = rows(arena, nc), x->udot = rows(arena, nc);
    return x->q && x->v && x->g && x->u && x->udot;
}

static bool place(carom_ensemble *e)
{
    carom_arena *a = e->arena;
    const carom_model *m = e->model;
    int nv = e->nv, n = e->n, nc = e->nc, nrow = e->nrow, columns = e->columns;
    bool fine = place_end(a, &e->start, n, nc) && place_end(a, &e->end, n, nc);
    carom_wide **arrays[] = {&e->p, &e->accel, &e->before, &e->middle, &e->defect, &e->zero, &e->factored,
                             &e->impulse_response};
    const int lengths[] = {m->np, CAROM_LANE_STAGES * n, 2 * nv, nv, nc, CAROM_MAX(nv, nrow), nv * nv, nc * nv};
    for (int i = 0; i < CAROM_COUNT(arrays); i++)
        fine = fine && (*arrays[i] = rows(a, lengths[i]));
    double **results[] = {&e->at.M,     &e->at.F,   &e->at.g,   &e->at.G,  &e->at.w,
                          &e->at.gamma, &e->at.law, &e->at.R_q, &e->at.R_v};
    const int sizes[] = {nv * nv, nv, carom_model_links(m), nrow * nv, nrow, nrow, carom_model_coefficient(m, nc),
                         nv * nv, nv * nv};
    for (int i = 0; i < CAROM_COUNT(results); i++)
        fine = fine && (*results[i] = (double *)rows(a, sizes[i]));
    double **one[] = {&e->q, &e->v, &e->p_one, &e->X, &e->square, &e->log_r, &e->sum, &e->product};
    const int counts[] = {nv,          nv,          2 * m->np + 1,   3 * nv * columns + 2 * nv,
                          columns + 1, columns + 1, W * columns + 1, W * columns + 1};
    for (int i = 0; i < CAROM_COUNT(one); i++)
        fine = fine && (*one[i] = CAROM_NEW(a, double, counts[i]));
    e->row = CAROM_NEW(a, int, nc + 1);
    e->law_at = CAROM_NEW(a, int, nc + 1);
    e->serial_only = CAROM_NEW(a, bool, nc + 1);
    e->work = carom_arena_alloc(a, e->evaluator->work_bytes(m, W));
    return fine && e->row && e->law_at && e->serial_only && e->work;
}

static void wire(carom_ensemble *e)
{
    const carom_model *m = e->model;
    const unsigned needed = CAROM_LAW | (e->columns ? CAROM_MASS | CAROM_JACOBIAN | CAROM_GAMMA : 0);
    for (int c = 0, row = m->njoint, at = 0; c < e->nc; c++) {
        const carom_law *law = carom_model_law(m, c);
        e->row[c] = row, row += law->rows;
        e->law_at[c] = at, at += carom_law_coefficients(law);
        bool newton = law == carom_law_find(NULL, 0) && !carom_impact_rule_of(m)->single;
        e->serial_only[c] = !newton || (e->constant & needed) != needed;
    }
    e->all_serial =
        m->njoint || m->stops || m->stop || m->nswitch || (e->exact && e->nc && !(e->constant & CAROM_JACOBIAN));
    for (int l = 0; l < W; l++)
        e->one[l] = 1;
    e->at.lanes = W;
    e->at.p = (const double *)e->p;
    e->at.a = e->at.x = (const double *)e->zero;
    e->at.s = (const double *)&e->one;
    for (int l = 0; l < W; l++) /* idle lanes are evaluated too */
        for (int i = 0; i < e->np; i++)
            e->p[i][l] = m->p[i];
    for (int i = 0; i < e->nv; i++)
        for (int l = 0; l < W; l++)
            e->start.q[i][l] = m->q[i], e->start.v[i][l] = m->v ? m->v[i] : 0;
}

static carom_status build(carom_ensemble *e, carom_error *error)
{
    CAROM_TRY(carom_manifold_refuse(e->model, "an ensemble", error));
    if (e->columns < 0 || e->columns > 2 * e->nv)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "%d columns: a tangent of this model has 0 to %d", e->columns, 2 * e->nv);
    bool exact = carom_scheme_is(&e->options, CAROM_CLOSED_FORM);
    if (!exact && !carom_scheme_is(&e->options, CAROM_KEEPS_TOLERANCE))
        CAROM_FAIL(error, CAROM_UNSUPPORTED, "ensembles run with the schemes 'tolerance' and 'exact', not '%s'",
                   e->options.scheme);
    if (exact && e->options.h == 0)
        e->options.h = e->model->period > 0 ? e->model->period : 1;
    CAROM_TRY(carom_sim_new(&e->sim, e->model, &e->options, error));
    e->options = *carom_sim_options(e->sim);
    e->max_step = carom_scheme_field(&e->options, "max_step", 0);
    if (exact)
        CAROM_TRY(carom_exact_lanes_new(e, error));
    if (e->columns)
        CAROM_TRY(carom_tangent_new(&e->tangent, e->sim, e->columns, error));
    CAROM_TRY(prepare(e, error));
    if (!place(e))
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for an ensemble");
    wire(e);
    return CAROM_OK;
}

carom_status carom_ensemble_new(carom_ensemble **result, const carom_model *model, const carom_options *options,
                                int columns, carom_error *error)
{
    *result = NULL;
    if (!model)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "no model");
    carom_arena *arena = carom_arena_new(0);
    carom_ensemble *e = arena ? CAROM_NEW(arena, carom_ensemble, 1) : NULL;
    if (!e) {
        carom_arena_free(arena);
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for an ensemble");
    }
    e->arena = arena;
    e->model = model;
    e->evaluator = carom_model_evaluator(model);
    e->options = options ? *options : carom_options_default();
    e->nv = model->nv, e->columns = columns, e->n = model->nv * (1 + columns), e->np = model->np;
    e->nc = model->ncontact, e->nrow = carom_model_rows(model);
    carom_status status = build(e, error);
    if (status == CAROM_OK)
        *result = e;
    else
        carom_ensemble_free(e);
    return status;
}

void carom_ensemble_free(carom_ensemble *e)
{
    if (!e)
        return;
    carom_tangent_free(e->tangent);
    carom_sim_free(e->sim);
    carom_arena_free(e->arena);
}

void carom_ensemble_interrupt(carom_ensemble *e)
{
    e->interrupted = 1;
    carom_sim_interrupt(e->sim); /* which may be on the way to a stop condition */
}
