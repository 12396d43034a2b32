/* system.c: a model together with the memory to evaluate it. */
#include <math.h>
#include <string.h>

#include "bodies/bodies.h"
#include "contact/system.h"
#include "core/band.h"
#include "model/model.h"

static void fill_links(carom_system *system)
{
    const carom_model *m = system->model;
    for (int i = 0; i < m->njoint; i++)
        system->link[i] =
            (carom_link){m->joint_name ? m->joint_name[i] : "joint", &carom_law_bilateral, i, 1, -1, i, 0};
    int row = m->njoint;
    system->nalong = system->nlaw = 0;
    for (int i = 0; i < m->ncontact; i++) {
        const carom_contact *c = &m->contact[i];
        int rows = 1 + c->directions, number = carom_contact_number(system, i);
        const carom_law *law = carom_model_law(m, i);
        system->link[number] = (carom_link){c->name ? c->name : "contact", law, row, rows, i,
                                            m->contact_id ? m->contact_id[i] : i, system->nlaw};
        if (carom_link_normals(&system->link[number]) == 0)
            system->along[system->nalong++] = number;
        system->nlaw += carom_law_coefficients(law);
        row += rows;
    }
}

static void place_results(carom_layout *layout, carom_system *system, unsigned want)
{
    carom_eval *at = &system->at;
    const carom_model *m = system->model;
    size_t nv = m->nv, np = m->np, nrow = system->nrow, square = system->square;
    const struct { unsigned mask; double **array; size_t length; } table[] = {
        {CAROM_MASS, &at->M, square},           {CAROM_FORCE, &at->F, nv},
        {CAROM_GAP, &at->g, carom_model_links(m)},
        {CAROM_JACOBIAN, &at->G, system->row_values}, {CAROM_JACOBIAN, &at->w, nrow},
        {CAROM_GAMMA, &at->gamma, nrow},        {CAROM_LAW, &at->law, carom_model_coefficient(m, m->ncontact)},
        {CAROM_ENERGY, &at->energy, 5},         {CAROM_OUTPUTS, &at->outputs, m->noutput},
        {CAROM_STOP, &at->stop, 1},             {CAROM_R_Q, &at->R_q, square},
        {CAROM_R_V, &at->R_v, square},          {CAROM_R_P, &at->R_p, nv * np},
        {CAROM_U_Q, &at->U_q, nrow * nv},       {CAROM_U_P, &at->U_p, nrow * np},
        {CAROM_A_Q, &at->A_q, nrow * nv},       {CAROM_A_V, &at->A_v, nrow * nv},
        {CAROM_A_P, &at->A_p, nrow * np},       {CAROM_SWITCH, &at->f, m->nswitch},
        {CAROM_R_Q, &at->C, (size_t)m->ncoupling * 2 * (size_t)system->blocks.widest},
        {CAROM_R_Q, &at->C_q, m->ncoupling},    {CAROM_R_Q, &at->C_v, m->ncoupling},
        {CAROM_R_Q, &system->K, m->ncoupling},  {CAROM_MARGIN, &at->margin, m->ncontact},
    };
    for (int i = 0; i < CAROM_COUNT(table); i++)
        if (want & table[i].mask)
            CAROM_PLACE(layout, *table[i].array, table[i].length);
}

/* Matrices by blocks: how many values they have, and where each block's stand. */
static void place_blocks(carom_layout *layout, carom_system *system)
{
    const carom_model *m = system->model;
    carom_blocks *b = &system->blocks;
    *b = (carom_blocks){.n = m->nblock, .first = m->block, .widest = (int)carom_model_widest(m)};
    system->coupling_row = system->nrow;
    system->row_values = (size_t)(system->nrow + m->ncoupling) * 2 * (size_t)b->widest;
    CAROM_PLACE(layout, b->at, b->n + 1);
    CAROM_PLACE(layout, b->of, m->nv);
    CAROM_PLACE(layout, system->block_span, m->nv);
    if (!layout->base)
        return;
    for (int k = 0; k < b->n; k++) {
        int first = b->first[k], n = b->first[k + 1] - first;
        b->at[k + 1] = b->at[k] + (size_t)n * (size_t)n;
        for (int i = 0; i < n; i++) {
            b->of[first + i] = k;
            system->block_span[first + i] = (carom_span){.at = {b->at[k] + (size_t)i * (size_t)n, 0},
                                                         .first = {first, 0}, .count = {n, 0}};
        }
    }
}

/* The spans of joints and couplings, which are the same in every step; returns how many values those of joints have. */
static size_t lasting_spans(carom_system *system)
{
    const carom_model *m = system->model;
    size_t at = (size_t)system->coupling_row * 2 * (size_t)system->blocks.widest;
    for (int i = 0; i < m->ncoupling; i++) {
        carom_span *s = &system->found_span[system->coupling_row + i];
        *s = carom_model_block_span(m, m->coupling_block + 2 * i, at);
        at += (size_t)(s->count[0] + s->count[1]);
    }
    at = 0;
    for (int r = 0; r < system->njoint; r++) {
        system->found_span[r] = carom_model_joint_span(system->model, r, at);
        at += (size_t)(system->found_span[r].count[0] + system->found_span[r].count[1]);
    }
    return at;
}

/* Room for the contacts that will be found: with all rows that they may have. */
static const carom_model *place_found(carom_layout *layout, carom_system *system, const carom_model *model,
                                      unsigned want)
{
    system->capacity = CAROM_MAX(system->capacity, CAROM_MAX(model->ncontact, 1));
    system->present = *model;
    system->present.ncontact = system->capacity, system->present.contact = NULL;
    system->present.exact = want & CAROM_MARGIN;
    if (system->present.exact) /* a scheme that locates events works with matrices in full */
        system->present.nblock = system->present.ncoupling = 0;
    CAROM_PLACE(layout, system->contact, system->capacity);
    CAROM_PLACE(layout, system->contact_id, system->capacity);
    CAROM_PLACE(layout, system->found_span, carom_model_rows(&system->present) + model->ncoupling);
    return &system->present;
}

/* Of a row whose values begin at `at`: by blocks only those of its own, else in full. */
static carom_span found_row(const carom_system *system, const carom_found *f, size_t at)
{
    bool all = f->count[0] == 0 && f->count[1] == 0, packed = system->blocks.n > 0;
    if (all && !packed)
        return (carom_span){.at = {at, 0}, .count = {system->nv, 0}};
    size_t second = packed ? (size_t)f->count[0] : (size_t)f->first[1];
    return (carom_span){.at = {packed ? at : at + (size_t)f->first[0], at + second},
                        .first = {f->first[0], f->first[1]}, .count = {f->count[0], f->count[1]}};
}

void carom_system_links(carom_system *system, const carom_found *found, int n)
{
    carom_model *m = &system->present;
    int row = m->njoint;
    size_t at = lasting_spans(system);
    for (int i = 0; i < n; i++) {
        const carom_found *f = &found[i];
        system->contact[i] = f->contact;
        system->contact_id[i] = f->id;
        for (int j = 0; j <= f->contact.directions; j++, row++) {
            system->found_span[row] = found_row(system, f, at);
            at += system->blocks.n ? (size_t)(f->count[0] + f->count[1]) : (size_t)system->nv;
        }
    }
    m->ncontact = n, m->contact = system->contact, m->contact_id = system->contact_id;
    system->ncontact = n, system->nlink = carom_model_links(m), system->nrow = row;
    fill_links(system);
}

void carom_system_layout(carom_layout *layout, carom_system *system, const carom_model *model, unsigned want)
{
    if (model->links)
        model = place_found(layout, system, model, want);
    system->model = model;
    system->evaluator = carom_model_evaluator(model);
    system->nq = model->nq, system->nv = model->nv;
    system->curved = model->manifold != NULL;
    system->njoint = model->njoint, system->ncontact = model->ncontact, system->nlink = carom_model_links(model);
    system->nrow = carom_model_rows(model);
    system->nlaw = carom_model_coefficient(model, model->ncontact);
    system->row_values = (size_t)system->nrow * (size_t)system->nv;
    system->square = carom_model_square(model);
    if (model->nblock)
        place_blocks(layout, system);
    system->handed = system->evaluator_work = carom_place_growing(layout, system->evaluator->work_bytes(model, 1));
    CAROM_PLACE(layout, system->p, model->np);
    CAROM_PLACE(layout, system->link, system->nlink);
    CAROM_PLACE(layout, system->along, system->nlink);
    place_results(layout, system, want);
    const carom_structure *s = carom_model_structure(model);
    system->row_span = s ? s->row : model->links ? system->found_span : NULL;
    system->mass_span = s ? s->mass : model->nblock ? system->block_span : NULL;
    system->mass.n = model->nv, system->mass.symmetric = true, system->mass.structure = s;
    system->mass.blocks = model->nblock ? &system->blocks : NULL;
    CAROM_PLACE(layout, system->mass.A, s ? s->mass_start[model->nv] : system->square);
    CAROM_PLACE(layout, system->mass.first, !s && !model->nblock ? model->nv : 0);
    CAROM_PLACE(layout, system->effective, system->nlaw);
    CAROM_PLACE(layout, system->zero, CAROM_MAX(system->nv, system->nrow));
    CAROM_PLACE(layout, system->xi, model->manifold ? 2 * model->nv : 0);
    size_t beside = want & CAROM_MARGIN ? 1 : 0;
    CAROM_PLACE(layout, system->beside.q, beside * (size_t)model->nq);
    CAROM_PLACE(layout, system->beside.v, beside * (size_t)model->nv);
    CAROM_PLACE(layout, system->beside.xi, beside * (size_t)model->nv);
    CAROM_PLACE(layout, system->beside.size, beside * (size_t)model->nv);
    CAROM_PLACE(layout, system->beside.r, beside * (size_t)model->nv);
    system->room = want;
    if (layout->base && !model->links)
        fill_links(system);
}

const char *carom_link_name(const carom_system *system, const carom_link *link, char *buffer, size_t size)
{
    return link->contact >= 0 && system->model->links
               ? carom_contact_called(system->model, link->contact, link->id, buffer, size) : link->name;
}

void carom_system_leave_out(carom_system *system)
{
    for (int c = 0; c < system->ncontact; c++) {
        double *g = &system->at.g[carom_contact_number(system, c)], out = -system->at.margin[c];
        *g = out > 0 && !(*g >= out) ? out : *g;
    }
}

bool carom_system_left_out(const carom_system *system, int contact)
{
    double out = -system->at.margin[contact];
    return out > 0 && system->at.g[carom_contact_number(system, contact)] == out;
}

carom_status carom_link_in_range(const carom_system *system, const carom_link *link, double t, carom_error *error)
{
    const double *value = carom_link_law(system, link);
    for (const carom_field *field = link->law->method.fields; field->name; field++, value++)
        if (!(*value >= field->min && *value <= field->max))
            CAROM_FAIL(error, CAROM_BAD_MODEL, "%s of contact '%s' is %g at t = %.10g, not in [%g, %g]", field->name,
                       CAROM_LINK_NAME(system, link), carom_unsigned_nan(*value), t, field->min, field->max);
    return CAROM_OK;
}

double carom_link_outside(const carom_system *system, const carom_link *link, const double *x, double h)
{
    double y[CAROM_LAW_ROWS], nearest[CAROM_LAW_ROWS], sum = 0;
    const double *c = carom_link_coefficients(system, link, true, h);
    carom_copy(link->rows, x, y);
    y[0] += link->law->offset ? link->law->offset(c) : 0;
    link->law->project(c, y, nearest);
    for (int k = 0; k < link->rows; k++)
        sum += (y[k] - nearest[k]) * (y[k] - nearest[k]);
    return sqrt(sum);
}

bool carom_link_smooth(const carom_system *system, const carom_link *link)
{
    double held[CAROM_COEFFICIENTS_MAX];
    const double *c = carom_link_law(system, link);
    if (!link->law->mu || !link->law->tangents || link->law->mu(c) != 0)
        return false;
    if (link->law->at_rest)
        link->law->at_rest(c, held), c = held;
    return link->law->mu(c) == 0;
}

double carom_link_friction(const carom_system *system, const carom_link *link, bool at_rest, const double *x,
                           double *most)
{
    double held[CAROM_COEFFICIENTS_MAX], y[CAROM_LAW_ROWS];
    const double *c = carom_link_law(system, link);
    if (at_rest && link->law->at_rest)
        link->law->at_rest(c, held), c = held;
    carom_copy(link->rows, x, y);
    if (link->law->offset)
        y[0] += link->law->offset(c);
    return link->law->friction(c, y, most);
}

const double *carom_link_coefficients(const carom_system *system, const carom_link *link, bool at_rest, double h)
{
    const carom_law *law = link->law;
    const double *c = carom_link_law(system, link);
    bool rests = at_rest && law->at_rest, scaled = law->forces && h != 1;
    if (!c || (!rests && !scaled))
        return c;
    double *out = system->effective + link->coefficient, held[CAROM_COEFFICIENTS_MAX];
    int n = carom_law_coefficients(law);
    if (rests)
        law->at_rest(c, held);
    else
        carom_copy(n, c, held);
    if (!scaled && memcmp(c, held, sizeof *c * (size_t)n) == 0) /* memory that nobody writes costs nothing */
        return c;
    for (int i = 0; i < n; i++)
        out[i] = held[i] * (scaled && law->forces >> i & 1 ? h : 1);
    return out;
}

/* column = M^-1 G^T (y - P_K(y)) of a link; its largest entry */
static double effect_outside(const carom_system *system, const carom_link *link, const double *y, double *column)
{
    double nearest[CAROM_LAW_ROWS];
    link->law->project(carom_link_coefficients(system, link, true, 0), y, nearest);
    for (int j = 0; j < system->nv; j++)
        column[j] = 0;
    for (int k = 0; k < link->rows; k++)
        if (y[k] != nearest[k])
            carom_row_add(system, link->row + k, y[k] - nearest[k], column);
    carom_mass_solve(system, column);
    system->info->linear_solves--;
    return carom_norm_max(system->nv, column);
}

/* T |column|_j <= tol_j */
static double time_until(const carom_system *system, const double *column, const double *tol)
{
    double T = INFINITY;
    for (int j = 0; j < system->nv; j++)
        T = fmin(T, tol[j] / fabs(column[j]));
    return T;
}

/* D = P - P_K(P) of all contacts, T |M^-1 G^T D|_j <= tol_j; of slip another one may turn round: 0 */
double carom_system_repay_time(const carom_system *system, const double *P, const double *tol, double *column)
{
    double nearest[CAROM_LAW_ROWS];
    for (int j = 0; j < system->nv; j++)
        column[j] = 0;
    for (int i = system->njoint; i < system->nlink; i++) {
        const carom_link *link = &system->link[i];
        if (carom_norm_max(link->rows, P + link->row) == 0)
            continue;
        if (link->rows > 1)
            return 0;
        link->law->project(carom_link_coefficients(system, link, true, 0), P + link->row, nearest);
        carom_row_add(system, link->row, P[link->row] - nearest[0], column);
    }
    carom_mass_solve(system, column);
    system->info->linear_solves--;
    return time_until(system, column, tol);
}

/* P + T x in K, but for what changes no velocity by more than `speed`; T is at least that of the link alone */
bool carom_link_repays(const carom_system *system, const carom_link *link, const double *P, const double *x,
                       const double *tol, double speed, double *column, double *T)
{
    double y[CAROM_LAW_ROWS], enough = 1e3 * carom_norm_max(link->rows, P) / carom_norm_max(link->rows, x);
    if (effect_outside(system, link, P, column) <= speed)
        return true;
    *T = fmax(time_until(system, column, tol), fmin(*T, enough));
    for (int k = 0; k < link->rows; k++)
        y[k] = P[k] + *T * x[k];
    return effect_outside(system, link, y, column) <= speed;
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
    system->epoch++;
    system->mass_factored = false;
    system->evaluator->begin(m, 1, system->p, system->handed);
    unsigned constant = m->constant & system->room & ~(unsigned)(CAROM_FORCE | CAROM_STOP);
    carom_system_eval(system, constant, t, q, v);
    system->known = constant;
    unsigned both = CAROM_R_Q | CAROM_R_V;
    system->no_gradients = (constant & both) == both && carom_norm_max((int)system->square, system->at.R_q) == 0 &&
                           carom_norm_max((int)system->square, system->at.R_v) == 0;
}

void carom_system_drift_curved(const carom_system *system, const double *q, const double *v, double h, double *out)
{
    const carom_model *m = system->model;
    for (int i = 0; i < m->nv; i++)
        system->xi[i] = h * v[i];
    m->manifold->drift(m->user, q, system->xi, out);
}

void carom_system_shift(const carom_system *system, int n, const double *Y, const double *x, double *q)
{
    size_t nv = (size_t)system->nv;
    for (int k = 0; !system->curved && k < n; k++)
        carom_system_drift(system, q, Y + (size_t)k * nv, x[k], q);
    if (!system->curved)
        return;
    double *sum = system->xi + nv;
    memset(sum, 0, sizeof *sum * nv);
    for (int k = 0; k < n; k++)
        for (size_t i = 0; i < nv; i++)
            sum[i] += x[k] * Y[(size_t)k * nv + i];
    carom_system_drift_curved(system, q, sum, 1, q);
}

void carom_system_rate_curved(const carom_system *system, const double *y, double h, const double *v, double *out)
{
    const carom_model *m = system->model;
    for (int i = 0; i < m->nv; i++)
        system->xi[i] = h * y[i];
    m->manifold->rate(m->user, system->xi, v, out);
}

void carom_system_bend(const carom_system *system, const double *xi, const double *rate, const double *v,
                       const double *a, double *out)
{
    const carom_model *m = system->model;
    if (!m->manifold) {
        carom_copy(m->nv, a, out);
        return;
    }
    double *turn = system->xi + m->nv;
    m->manifold->rate_change(m->user, xi, v, rate, turn);
    m->manifold->rate(m->user, xi, a, out);
    for (int i = 0; i < m->nv; i++)
        out[i] += turn[i];                                                             /* (2) of manifold.h */
}

void carom_system_middle(const carom_system *system, const double *q, const double *to, double *out)
{
    const carom_model *m = system->model;
    if (m->manifold) {
        m->manifold->local(m->user, q, to, system->xi + m->nv);
        carom_system_drift(system, q, system->xi + m->nv, 0.5, out);
        return;
    }
    for (int i = 0; i < m->nv; i++)
        out[i] = 0.5 * (q[i] + to[i]);
}

void carom_system_size(const carom_system *system, const double *q, double *size)
{
    const carom_model *m = system->model;
    double *here = system->xi;
    if (m->manifold)
        m->manifold->size(m->user, q, here);
    for (int i = 0; i < m->nv; i++)
        size[i] = CAROM_MAX(size[i], m->manifold ? here[i] : fabs(q[i]));
}

/* Each block of A by Cholesky's method or with pivots. */
static bool factor_blocks(const carom_factor *factor)
{
    const carom_blocks *b = factor->blocks;
    bool regular = true;
    for (int k = 0; k < b->n; k++) {
        int n = b->first[k + 1] - b->first[k];
        double *A = factor->A + b->at[k];
        regular = regular && (factor->symmetric ? carom_cholesky(n, A) : carom_lu(n, A, factor->pivot + b->first[k]));
    }
    return regular;
}

static void solve_block(const carom_factor *factor, int k, double *x)
{
    const carom_blocks *b = factor->blocks;
    int n = b->first[k + 1] - b->first[k];
    if (factor->symmetric)
        carom_cholesky_solve(n, factor->A + b->at[k], x);
    else
        carom_lu_solve(n, factor->A + b->at[k], factor->pivot + b->first[k], x);
}

carom_status carom_mass_refactor(carom_system *system, double t, carom_error *error)
{
    size_t n = (size_t)system->nv;
    const carom_structure *s = system->mass.structure;
    double *A = system->mass.A;
    if (!carom_all_finite((int)system->square, system->at.M))
        CAROM_FAIL(error, CAROM_NOT_FINITE, "the mass matrix is not finite at t = %.10g", t);
    if (!s)
        memcpy(A, system->at.M, sizeof(double) * system->square);
    for (size_t i = 0; s && i < n; i++)
        memcpy(A + s->mass_start[i], system->at.M + i * n + (size_t)s->mass_first[i],
               sizeof(double) * (s->mass_start[i + 1] - s->mass_start[i]));
    if (n == 1          ? A[0] <= 0
        : system->blocks.n ? !factor_blocks(&system->mass)
        : s             ? !carom_skyline_cholesky(system->nv, s->mass_first, s->mass_start, A)
               : !carom_cholesky_from(system->nv, A, system->mass.first))
        CAROM_FAIL(error, CAROM_SINGULAR_MASS, "the mass matrix is not positive definite at t = %.10g", t);
    system->mass_factored = (system->known & CAROM_MASS) != 0;
    return CAROM_OK;
}

carom_status carom_mass_positive(const carom_system *system, double t, carom_error *error)
{
    for (int i = 0; !(system->known & CAROM_MASS) && i < system->nv; i++)
        if (!(carom_mass_entry(system, i, i) > 0))
            CAROM_FAIL(error, CAROM_SINGULAR_MASS, "the mass matrix is not positive definite at t = %.10g", t);
    return CAROM_OK;
}

/* ---- operators ---- */

static carom_span span_of(const carom_span *spans, int r, int n)
{
    return spans ? spans[r] : (carom_span){.at = {(size_t)r * (size_t)n, 0}, .count = {n, 0}};
}

void carom_row_add(const carom_system *system, int r, double x, double *y)
{
    carom_span s = span_of(system->row_span, r, system->nv);
    for (int b = 0; b < 2; b++)
        for (int i = 0; i < s.count[b]; i++)
            y[s.first[b] + i] += system->at.G[s.at[b] + (size_t)i] * x;
}

void carom_row_spread(const carom_system *system, int r, double *y)
{
    const carom_span *s = &system->row_span[r];
    memset(y, 0, sizeof *y * (size_t)system->nv);
    for (int b = 0; b < 2; b++)
        carom_copy(s->count[b], system->at.G + s->at[b], y + s->first[b]);
}

void carom_row_mix(const carom_system *system, int r, double a, double b, double *y)
{
    memset(y, 0, sizeof *y * (size_t)system->nv);
    carom_row_add(system, r, a, y);
    carom_row_add(system, r + 1, b, y);
}

static double entry(carom_span s, const double *values, int j)
{
    for (int b = 0; b < 2; b++)
        if (j >= s.first[b] && j < s.first[b] + s.count[b])
            return values[s.at[b] + (size_t)(j - s.first[b])];
    return 0;
}

double carom_row_entry(const carom_system *system, int r, int j)
{
    return entry(span_of(system->row_span, r, system->nv), system->at.G, j);
}

double carom_row_column(const carom_system *system, int r, const double *x, int stride)
{
    carom_span s = span_of(system->row_span, r, system->nv);
    double sum = 0;
    for (int b = 0; b < 2; b++)
        for (int i = 0; i < s.count[b]; i++)
            sum += system->at.G[s.at[b] + (size_t)i] * x[(size_t)(s.first[b] + i) * (size_t)stride];
    return sum;
}

double carom_rows_change(const carom_system *system, const carom_rows *rows, int r, double sum, const double *x,
                         const double *y)
{
    carom_span s = span_of(system->row_span, r, system->nv);
    for (int b = 0; b < 2; b++)
        for (int i = 0, j = s.first[b]; i < s.count[b]; i++, j++)
            sum += rows->G[s.at[b] + (size_t)i] * (y ? x[j] - y[j] : x[j]);
    return sum;
}

double carom_rows_reach(const carom_system *system, const carom_rows *rows, int r, const double *x, const double *y)
{
    carom_span s = span_of(system->row_span, r, system->nv);
    double sum = 0;
    for (int b = 0; b < 2; b++)
        for (int i = 0, j = s.first[b]; i < s.count[b]; i++, j++)
            sum += fabs(rows->G[s.at[b] + (size_t)i] * (y ? x[j] - y[j] : x[j]));
    return sum;
}

void carom_rows_multiply_t(const carom_system *system, const double *x, double *y)
{
    memset(y, 0, sizeof *y * (size_t)system->nv);
    for (int r = 0; r < system->nrow; r++)
        carom_row_add(system, r, x[r], y);
}

void carom_rows_place(carom_layout *layout, const carom_system *system, carom_rows *rows)
{
    CAROM_PLACE(layout, rows->G, system->row_values);
    CAROM_PLACE(layout, rows->w, system->nrow);
}

void carom_rows_move(const carom_system *system, int r, const carom_rows *from, carom_rows *to)
{
    carom_span s = span_of(system->row_span, r, system->nv);
    for (int b = 0; b < 2; b++)
        carom_copy(s.count[b], from->G + s.at[b], to->G + s.at[b]);
    to->w[r] = from->w[r];
}

void carom_rows_keep(const carom_system *system, int from, int to, carom_rows *rows)
{
    carom_rows here = carom_rows_here(system);
    for (int r = from; r < to; r++)
        carom_rows_move(system, r, &here, rows);
}

void carom_rows_restore(carom_system *system, const carom_rows *rows)
{
    carom_rows here = carom_rows_here(system);
    for (int r = 0; r < system->nrow; r++)
        carom_rows_move(system, r, rows, &here);
}

static inline double mass_row_dot(const carom_system *system, int i, const double *x)
{
    return system->mass_span ? carom_span_sum(&system->mass_span[i], system->at.M, 0, x)
                             : carom_dot(system->nv, system->at.M + (size_t)i * (size_t)system->nv, x);
}

void carom_mass_multiply(const carom_system *system, const double *x, double *y)
{
    for (int i = 0; i < system->nv; i++)
        y[i] = mass_row_dot(system, i, x);
}

void carom_mass_add(const carom_system *system, const double *x, double *y)
{
    for (int i = 0; i < system->nv; i++)
        y[i] += mass_row_dot(system, i, x);
}

double carom_mass_entry(const carom_system *system, int i, int j)
{
    return entry(span_of(system->mass_span, i, system->nv), system->at.M, j);
}

/* ---- factors ---- */

/* A band that is as wide as the matrix is no band. */
static const carom_structure *band_of(const carom_model *model)
{
    const carom_structure *s = carom_model_structure(model);
    return s && 2 * s->lower + s->upper < model->nv ? s : NULL;
}

void carom_newton_place(carom_layout *layout, const carom_system *system, carom_factor *factor)
{
    const carom_structure *s = band_of(system->model);
    size_t n = (size_t)system->nv;
    *factor = (carom_factor){.n = system->nv, .symmetric = false, .structure = s,
                             .blocks = system->blocks.n ? &system->blocks : NULL};
    CAROM_PLACE(layout, factor->A, s ? n * carom_band_width(s->lower, s->upper) : system->square);
    CAROM_PLACE(layout, factor->pivot, n);
    CAROM_PLACE(layout, factor->x, s ? n : 0);
}

void carom_factor_solve_structured(const carom_factor *factor, double *x)
{
    const carom_structure *s = factor->structure;
    int n = factor->n;
    if (factor->coupled) {
        carom_couplings_solve(factor->coupled, x);
        return;
    }
    for (int k = 0; factor->blocks && k < factor->blocks->n; k++)
        solve_block(factor, k, x + factor->blocks->first[k]);
    if (factor->blocks)
        return;
    if (factor->symmetric) {
        carom_skyline_solve(n, s->mass_first, s->mass_start, factor->A, x);
        return;
    }
    for (int k = 0; k < n; k++)
        factor->x[k] = x[s->order[k]];
    carom_band_lu_solve(n, s->lower, s->upper, factor->A, factor->pivot, factor->swapped, factor->x);
    for (int k = 0; k < n; k++)
        x[s->order[k]] = factor->x[k];
}

static bool factor_band(const carom_system *system, carom_factor *factor, carom_newton_entries *combine,
                        const double *c)
{
    const carom_structure *s = factor->structure;
    size_t n = (size_t)factor->n, width = carom_band_width(s->lower, s->upper);
    memset(factor->A, 0, sizeof(double) * n * width);
    for (int k = 0; k < factor->n; k++)
        for (int l = CAROM_MAX(0, k - s->lower); l <= CAROM_MIN(factor->n - 1, k + s->upper); l++) {
            size_t i = (size_t)s->order[k] * n + (size_t)s->order[l];
            combine(1, system->at.M + i, system->at.R_q + i, system->at.R_v + i, c,
                    &factor->A[(size_t)k * width + (size_t)(s->lower + l - k)]);
        }
    return carom_band_lu(factor->n, s->lower, s->upper, factor->A, factor->pivot, &factor->swapped);
}

static bool factor_dense(const carom_system *system, carom_factor *factor, carom_newton_entries *combine,
                         const double *c)
{
    combine(system->square, system->at.M, system->at.R_q, system->at.R_v, c, factor->A);
    if (system->couplings) {
        int n = system->model->ncoupling;
        memset(system->K, 0, sizeof(double) * (size_t)n);
        combine((size_t)n, system->K, system->at.C_q, system->at.C_v, c, system->K);
        factor->coupled = system->couplings;
        if (!carom_couplings_factor(system->couplings, system->model, factor->A, system->K, system->at.C))
            return false;
    }
    return factor->blocks ? factor_blocks(factor) : carom_lu(factor->n, factor->A, factor->pivot);
}

static bool made_of_the_same(const carom_system *system, const carom_factor *factor, const double *c)
{
    if (factor->epoch != system->epoch)
        return false;
    for (int i = 0; i < CAROM_NEWTON_COEFFICIENTS; i++)
        if (factor->made_of[i] != c[i])
            return false;
    return true;
}

bool carom_newton_factor(const carom_system *system, carom_factor *factor, carom_newton_entries *combine,
                         const double c[CAROM_NEWTON_COEFFICIENTS])
{
    const unsigned all = CAROM_MASS | CAROM_R_Q | CAROM_R_V;
    if (made_of_the_same(system, factor, c))
        return true;
    bool regular = (factor->structure ? factor_band : factor_dense)(system, factor, combine, c);
    factor->epoch = regular && (system->known & all) == all ? system->epoch : 0;
    carom_copy(CAROM_NEWTON_COEFFICIENTS, c, factor->made_of);
    return regular;
}

void carom_factor_solve_blocks(const carom_system *system, const carom_factor *factor, int r, double *y)
{
    const carom_span *s = &system->row_span[r];
    for (int b = 0; b < 2; b++) {
        if (s->count[b] == 0)
            continue;
        carom_copy(s->count[b], system->at.G + s->at[b], y);
        solve_block(factor, system->blocks.of[s->first[b]], y);
        y += s->count[b];
    }
}
