/* audit.c: the rows of a file in order, and what is allowed of them.
 *
 * A position is claimed to tol_j = atol_j + rtol max|q_j|, a velocity to tol = atol + rtol max|v|; of the first ten
 * times, of the second, which dense output knows one order less well, thirty times that is allowed. Where a step h is
 * given instead, of a velocity also what forces do in ten steps, and of a gap what velocities do in them. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"
#include "output/audit/audit.h"
#include "output/sampler.h"
#include "schemes/scheme.h"
#include "sim/atol.h"

static const unsigned requests[] = {CAROM_LAW,
                                    CAROM_MASS | CAROM_FORCE,
                                    CAROM_MASS | CAROM_FORCE | CAROM_JACOBIAN | CAROM_GAMMA,
                                    CAROM_MASS | CAROM_FORCE | CAROM_JACOBIAN | CAROM_GAMMA | CAROM_LAW,
                                    CAROM_MASS | CAROM_FORCE | CAROM_GAP | CAROM_JACOBIAN | CAROM_LAW,
                                    CAROM_MASS | CAROM_FORCE | CAROM_GAP | CAROM_JACOBIAN | CAROM_GAMMA | CAROM_LAW,
                                    CAROM_GAP | CAROM_JACOBIAN,
                                    CAROM_ENERGY,
                                    CAROM_OUTPUTS,
                                    0};

void carom_audit_note(carom_audit_work *w, int rule, double error, double allowed, double t, const char *where)
{
    carom_audit_rule *r = &w->out->rules[rule];
    bool worse = r->checked == 0 || !(error * r->allowed <= r->error * allowed);
    r->checked++;
    if (!(error <= allowed))
        r->violations++, r->holds = w->out->holds = false;
    if (!worse)
        return;
    r->error = error, r->allowed = allowed, r->t = t;
    snprintf(r->where, sizeof r->where, "%s", where);
}

void carom_audit_skip(carom_audit_work *w, int rule)
{
    w->out->rules[rule].skipped++;
}

/* ---- what is allowed ---- */

double carom_audit_speed(const carom_audit_work *w)
{
    return 30 * (w->options->atol + w->options->rtol * w->speed) + 1e-12 * w->speed;
}

double carom_audit_free(carom_audit_work *w, const carom_audit_row *row)
{
    carom_system *sys = &w->system;
    carom_error ignored;
    carom_system_eval(sys, CAROM_MASS | CAROM_FORCE | CAROM_GAP | CAROM_JACOBIAN | (sys->ncontact ? CAROM_LAW : 0),
                      row->t, row->q, row->v);
    if (carom_mass_factor(sys, row->t, &ignored) != CAROM_OK)
        return INFINITY;
    carom_copy(sys->nv, sys->at.F, w->column_v);
    carom_mass_solve(sys, w->column_v);
    return carom_norm_max(sys->nv, w->column_v);
}

double carom_audit_inertia(const carom_audit_work *w)
{
    double most = 0, sum = 0;
    for (int i = 0; i < w->system.nv; i++) {
        const double inertia = carom_mass_entry(&w->system, i, i);
        most = fmax(most, inertia), sum += inertia;
    }
    return fmax(most, 0.2 * sum);
}

static double reach(const carom_audit_work *w, int r, const double *x)
{
    carom_rows rows = carom_rows_here(&w->system);
    return carom_rows_reach(&w->system, &rows, r, x, NULL);
}

/* Leaves |M^-1 F| in w->column_v as it is. */
double carom_audit_gap(carom_audit_work *w, const carom_link *link)
{
    const carom_system *sys = &w->system;
    double *x = w->v;
    for (int j = 0; j < sys->nv; j++)
        x[j] = 10 * (w->atol[j] + w->options->rtol * w->size[j]) + 1e-12 * w->size[j] +
               10 * w->step * (w->fastest[j] + w->step * fabs(w->column_v[j]));
    return reach(w, link->row, x);
}

double carom_audit_rate(carom_audit_work *w, const carom_audit_row *row, const carom_link *link)
{
    const carom_system *sys = &w->system;
    double *x = w->v;
    for (int j = 0; j < sys->nv; j++)
        x[j] = carom_audit_speed(w) + 10 * w->step * (fabs(w->column_v[j]) + fabs(row->v[j]) * w->speed);
    return reach(w, link->row, x);
}

/* ---- the rows of the file ---- */

static double cell(const carom_audit_work *w, int column, size_t k)
{
    return w->table->column[w->column[column]][k];
}

void carom_audit_read(const carom_audit_work *w, size_t k, carom_audit_row *row)
{
    const carom_model *m = w->model;
    int r = 0;
    row->t = cell(w, 0, k), row->side = (int)cell(w, 1, k);
    for (int i = 0; i < m->nq; i++)
        row->q[i] = cell(w, w->nq_at + i, k);
    for (int i = 0; i < m->nv; i++)
        row->v[i] = cell(w, w->nv_at + i, k);
    for (int j = 0; !m->links && j < m->njoint; j++, r++) /* with contacts that are found no forces are told */
        row->force[r] = cell(w, w->joint_at + 2 * j, k), row->impulse[r] = cell(w, w->joint_at + 2 * j + 1, k);
    for (int c = 0; c < m->ncontact; c++) {
        double mode = cell(w, w->contact_at[c], k);
        row->mode[c] = mode >= 0 && mode <= 3 ? (unsigned char)mode : CAROM_OPEN;
        for (int i = 0; i <= m->contact[c].directions; i++, r++)
            row->force[r] = cell(w, w->contact_at[c] + 1 + 2 * i, k),
            row->impulse[r] = cell(w, w->contact_at[c] + 2 + 2 * i, k);
    }
}

/* CAROM_AUDIT_VALUES: false: the row cannot be judged further. */
static bool whole(carom_audit_work *w, size_t k)
{
    const carom_columns *f = w->table;
    const double t = cell(w, 0, k), side = cell(w, 1, k), before = k ? cell(w, 0, k - 1) : t;
    bool good = true;
    for (int i = 0; i < f->ncolumn; i++)
        if (!isfinite(f->column[i][k]))
            carom_audit_note(w, CAROM_AUDIT_VALUES, INFINITY, 0, t, f->name[i]), good = false;
    if (!(t >= before))
        carom_audit_note(w, CAROM_AUDIT_VALUES, before - t, 0, t, "t"), good = false;
    if (side != 0 && side != 1 && side != -1)
        carom_audit_note(w, CAROM_AUDIT_VALUES, fabs(side), 0, t, "side"), good = false;
    if (side == 1 && !(k && cell(w, 1, k - 1) == -1 && before == t))
        carom_audit_note(w, CAROM_AUDIT_VALUES, 1, 0, t, "side 1 without side -1 before it"), good = false;
    for (int c = 0; c < w->model->ncontact; c++) {
        double mode = cell(w, w->contact_at[c], k);
        if (!(mode == 0 || mode == 1 || mode == 2 || mode == 3))
            carom_audit_note(w, CAROM_AUDIT_VALUES, fabs(mode), 0, t, w->table->name[w->column[w->contact_at[c]]]),
                good = false;
    }
    if (good)
        carom_audit_note(w, CAROM_AUDIT_VALUES, 0, 0, t, "");
    return good;
}

/* CAROM_AUDIT_DERIVED of w->now */
static void derived(carom_audit_work *w, size_t k)
{
    const carom_model *m = w->model;
    carom_system *sys = &w->system;
    const carom_audit_row *row = &w->now;
    carom_system_eval(sys, CAROM_ENERGY, row->t, row->q, row->v);
    double E = sys->at.energy[0] + sys->at.energy[1], scale = fabs(sys->at.energy[0]) + fabs(sys->at.energy[1]) + 1e-12;
    if (w->energy_at >= 0)
        carom_audit_note(w, CAROM_AUDIT_DERIVED, fabs(cell(w, w->energy_at, k) - E), 1e-9 * scale, row->t, "energy");
    if (w->gaps)
        carom_system_eval(sys, CAROM_GAP | CAROM_JACOBIAN, row->t, row->q, row->v);
    for (int c = 0; w->gaps && c < m->ncontact; c++) {
        double g = sys->at.g[carom_contact_number(sys, c)], x = cell(w, w->contact_at[c] - 1, k);
        carom_audit_note(w, CAROM_AUDIT_DERIVED, fabs(x - g), 1e-10 * (1 + fabs(g)), row->t,
                         w->table->name[w->column[w->contact_at[c] - 1]]);
    }
    if (!m->noutput)
        return;
    carom_eval at = sys->at;
    double t = row->t;
    at.want = CAROM_OUTPUTS, at.t = &t, at.q = row->q, at.v = row->v, at.outputs = w->outputs;
    sys->evaluator->eval(m, &at, sys->evaluator_work);
    for (int i = 0; i < m->noutput; i++)
        carom_audit_note(w, CAROM_AUDIT_DERIVED, fabs(cell(w, w->outputs_at + i, k) - w->outputs[i]),
                         1e-9 * (1 + fabs(w->outputs[i])), t, w->table->name[w->column[w->outputs_at + i]]);
}

/* ---- setting up ---- */

static void place_row(carom_layout *layout, const carom_system *sys, carom_audit_row *row)
{
    CAROM_PLACE(layout, row->q, sys->nq);
    CAROM_PLACE(layout, row->v, sys->nv);
    CAROM_PLACE(layout, row->mode, sys->ncontact);
    CAROM_PLACE(layout, row->force, sys->nrow);
    CAROM_PLACE(layout, row->impulse, sys->nrow);
}

static void place(carom_layout *layout, carom_audit_work *w, int columns)
{
    unsigned want = CAROM_OUTPUTS;
    for (const unsigned *r = requests; *r; r++)
        want |= *r;
    w->system.capacity = w->room;
    carom_system_layout(layout, &w->system, w->model, want & ~(unsigned)CAROM_OUTPUTS);
    place_row(layout, &w->system, &w->now);
    place_row(layout, &w->system, &w->next);
    place_row(layout, &w->system, &w->other);
    place_row(layout, &w->system, &w->after);
    CAROM_PLACE(layout, w->column, columns);
    CAROM_PLACE(layout, w->contact_at, w->model->ncontact);
    CAROM_PLACE(layout, w->atol, w->model->nv);
    CAROM_PLACE(layout, w->size, w->model->nv);
    CAROM_PLACE(layout, w->fastest, w->model->nv);
    CAROM_PLACE(layout, w->outputs, w->model->noutput);
    CAROM_PLACE(layout, w->column_v, w->model->nv);
    if (w->model->links) {
        CAROM_PLACE(layout, w->found, w->room);
        CAROM_PLACE(layout, w->v, w->model->nv);
    } else {
        carom_audit_flow_layout(layout, w);
    }
}

/* Which column of the file is which of the model. */
static carom_status find_columns(carom_audit_work *w, const carom_row_layout *c, carom_error *error)
{
    for (int i = 0; i < c->n; i++) {
        bool optional = i == c->energy;
        w->column[i] = carom_columns_find(w->table, c->name[i]);
        if (w->column[i] < 0 && !optional)
            CAROM_FAIL(error, CAROM_FILE, "the file '%s' has no column '%s' of the model '%s'", w->table->title,
                       c->name[i], w->model->name ? w->model->name : "");
    }
    w->nq_at = c->q, w->nv_at = c->v, w->outputs_at = c->outputs, w->joint_at = c->joint, w->gaps = c->gaps;
    w->energy_at = c->energy >= 0 && w->column[c->energy] >= 0 ? c->energy : -1;
    for (int i = 0; i < w->model->ncontact; i++)
        w->contact_at[i] = c->contact[i];
    return CAROM_OK;
}

static void ignore(void *user, const double *row)
{
    (void)user, (void)row;
}

static carom_status prepare(const carom_model *m, carom_error *error)
{
    const carom_evaluator *e = carom_model_evaluator(m);
    unsigned all = 0;
    for (const unsigned *r = requests; *r; r++)
        all |= *r;
    unsigned constant = m->constant & all & ~(unsigned)(CAROM_FORCE | CAROM_OUTPUTS);
    CAROM_TRY(e->prepare(m, constant, error));
    for (const unsigned *r = requests; *r; r++)
        CAROM_TRY(e->prepare(m, *r & ~constant, error));
    return CAROM_OK;
}

/* Sizes of what the file holds: rtol refers to them. */
static void measure(carom_audit_work *w)
{
    for (size_t k = 0; k < w->table->nrow; k++) {
        for (int i = 0; i < w->model->nv; i++) {
            double v = cell(w, w->nv_at + i, k);
            w->fastest[i] = fmax(w->fastest[i], isfinite(v) ? fabs(v) : 0);
            w->speed = fmax(w->speed, w->fastest[i]);
        }
        for (int i = 0; i < w->model->nq && i < w->model->nv; i++)
            w->size[i] = fmax(w->size[i], isfinite(cell(w, w->nq_at + i, k)) ? fabs(cell(w, w->nq_at + i, k)) : 0);
    }
    w->least_energy = INFINITY;
    w->located = carom_scheme_is(w->options, CAROM_LOCATES_EVENTS);
    w->step = carom_scheme_is(w->options, CAROM_KEEPS_TOLERANCE | CAROM_CLOSED_FORM) ? 0
              : carom_scheme_is(w->options, CAROM_CHOOSES_STEPS)                     ? w->options->t_end / 20
                                                                                     : w->options->h;
}

/* Memory for the columns of the file, and for w->room contacts that are found. */
static carom_status take_memory(carom_audit_work *w, const carom_row_layout *c, carom_error *error)
{
    const carom_model *m = w->model;
    carom_audit_work measured = *w;
    measured.layout = (carom_layout){0};
    place(&measured.layout, &measured, c->n);
    if (w->layout.block)
        carom_layout_free(w->layout);
    w->layout = (carom_layout){0};
    if (!carom_layout_new(&w->layout, &measured.layout))
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory to audit '%s'", w->table->title);
    carom_layout layout = w->layout;
    place(&layout, w, c->n);
    w->system.info = &w->info;
    carom_copy(m->np, m->p, w->system.p);
    w->given.modes = w->modes;
    return find_columns(w, c, error);
}

static carom_status begin(carom_audit_work *w, carom_error *error)
{
    const carom_model *m = w->model;
    carom_sampler *sampler;
    carom_sink_info info = {.size = sizeof info, .energy = true};
    char buffer[300], name[32];
    if (m->ncontact) {
        snprintf(buffer, sizeof buffer, "%s.gap", carom_model_contact_name(m, 0, name));
        info.gaps = carom_columns_find(w->table, buffer) >= 0;
    }
    CAROM_TRY(prepare(m, error));
    CAROM_TRY(carom_sampler_new(&sampler, m, NULL, 0, &info, ignore, NULL, error));
    const carom_row_layout *c = carom_sampler_layout(sampler);
    w->room = m->links ? 1 : 0;
    carom_status status = take_memory(w, c, error);
    if (status == CAROM_OK && m->links) {
        w->room = CAROM_MAX(1, carom_audit_most_found(w));
        status = take_memory(w, c, error);
    }
    carom_sampler_free(sampler);
    if (status != CAROM_OK)
        return status;
    for (int i = 0; i < m->nv; i++)
        w->atol[i] = w->options->atol;
    return m->nq == m->nv ? carom_atol_values(w->options, m, w->atol, error) : CAROM_OK;
}

static carom_status audit_rows(carom_audit_work *w)
{
    bool ready = false; /* w->now is the row before, and may be judged */
    measure(w);
    for (size_t k = 0; k < w->table->nrow; k++) {
        if (!whole(w, k)) {
            ready = false;
            continue;
        }
        carom_audit_read(w, k, &w->next);
        if (!ready && !w->found)
            carom_system_begin(&w->system, w->next.t, w->next.q, w->next.v);
        if (ready && w->next.side == 1)
            w->out->jumps++;
        if (ready && w->next.side == 1 && !w->found)
            carom_audit_impact(w);
        else if (ready && w->next.t > w->now.t && !w->found)
            CAROM_TRY(carom_audit_between(w));
        const carom_audit_row row = w->now;
        w->now = w->next, w->next = row;
        ready = true;
        if (w->found) {
            carom_audit_found(w);
            derived(w, k);
            continue;
        }
        derived(w, k);
        w->at = k;
        CAROM_TRY(carom_audit_one(w));
    }
    return CAROM_OK;
}

carom_status carom_audit_run(carom_audit *audit, const carom_columns *table, const carom_model *model,
                             const carom_options *options, carom_error *error)
{
#define RULE(id, name, doc) {name, doc, .holds = true},
    *audit = (carom_audit){.rules = {CAROM_AUDIT_RULES(RULE)}, .nrule = CAROM_AUDIT_COUNT, .holds = true};
    carom_audit_work w = {.out = audit, .table = table, .model = model, .options = options, .error = error};
    audit->rule = audit->rules;
    audit->rows = (long)table->nrow;
    if (table->nrow == 0)
        CAROM_FAIL(error, CAROM_FILE, "the file '%s' holds no rows", table->title);
    carom_status status = begin(&w, error);
    if (status == CAROM_OK) {
        audit->from = cell(&w, 0, 0), audit->to = cell(&w, 0, table->nrow - 1);
        status = audit_rows(&w);
    }
    if (w.layout.block)
        carom_layout_free(w.layout);
    return status;
}

void carom_audit_options(const carom_columns *table, carom_options *options)
{
    carom_error ignored;
    char word[200];
    if (table->scheme)
        carom_options_set(options, "scheme", table->scheme, &ignored);
    for (const char *at = table->options ? table->options : ""; *at;) {
        size_t n = strcspn(at, " ");
        snprintf(word, sizeof word, "%.*s", (int)n, at);
        char *value = strchr(word, '=');
        if (value) {
            *value = '\0';
            carom_options_set(options, word, value + 1, &ignored);
        }
        at += n, at += strspn(at, " ");
    }
}
