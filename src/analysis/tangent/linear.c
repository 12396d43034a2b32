/* linear.c: the equations of given modes, linearised: accelerations and forces, or velocities and impulses.
 *
 *   M dy - G^T dx = c                                                                              (1)
 *   held row r:    G_r dy = d_r                                                                    (2)
 *   row that slips, t of a contact with normal n:   dx_t + mu s dx_n [+ L dy] = d_t                (3)
 *   (L M^-1 G^T + C) dx = d - L M^-1 c,    dy = M^-1 (c + G^T dx)                                  (4)
 *
 * The factors of M are those of the state. Redundant rows share dx by least norm: dy is unique. */
#include <string.h>

#include "analysis/tangent/tangent.h"
#include "model/model.h"

void carom_linear_layout(carom_layout *layout, carom_linear *linear, carom_system *system)
{
    size_t n = system->nrow, nv = system->nv;
    linear->system = system;
    carom_equations_layout(layout, &linear->e, system, system->nrow);
    CAROM_PLACE(layout, linear->normal, n);
    CAROM_PLACE(layout, linear->slope, n);
    CAROM_PLACE(layout, linear->L, n * nv);
    CAROM_PLACE(layout, linear->inverse, n * n);
    CAROM_PLACE(layout, linear->copy, n * n);
}

carom_status carom_linear_prepare(const carom_model *model, carom_error *error)
{
    const carom_evaluator *e = carom_model_evaluator(model);
    unsigned all = CAROM_LINEAR_WANT, law = model->ncontact ? CAROM_LAW : 0, p = model->np ? ~0u : 0;
    unsigned constant = model->constant & all & ~(unsigned)CAROM_FORCE;
    bool rows = carom_model_links(model) > 0;
    const unsigned list[] = {
        CAROM_MASS | CAROM_FORCE, CAROM_R_Q | CAROM_R_V, CAROM_R_P & p,
        rows ? CAROM_MASS | CAROM_FORCE | CAROM_JACOBIAN | CAROM_GAMMA | law : 0,
        rows ? CAROM_MASS | CAROM_FORCE | CAROM_GAP | CAROM_JACOBIAN | CAROM_GAMMA | law : 0,
        rows ? CAROM_R_Q | CAROM_R_V | CAROM_A_Q | CAROM_A_V | CAROM_U_Q : 0,
        rows ? (CAROM_R_P | CAROM_A_P | CAROM_U_P) & p : 0,
        rows ? CAROM_MASS | CAROM_JACOBIAN | CAROM_GAMMA | CAROM_U_Q | law : 0,
        rows ? CAROM_GAMMA | CAROM_U_Q : 0, rows ? CAROM_GAMMA | CAROM_R_Q | CAROM_U_Q : 0,
        rows ? (CAROM_R_P | CAROM_U_P) & p : 0,
        rows ? CAROM_U_P & p : 0, rows ? CAROM_GAP | CAROM_JACOBIAN : 0, rows ? CAROM_GAP | law : 0, law, CAROM_MASS,
    };
    CAROM_TRY(e->prepare(model, constant, error));
    for (int k = 0; k < CAROM_COUNT(list); k++)
        if (list[k] & ~constant)
            CAROM_TRY(e->prepare(model, list[k] & ~constant, error));
    if (rows)
        CAROM_TRY(e->prepare(model, CAROM_GAP | law, error)); /* of other parameters: constants too */
    return CAROM_OK;
}

void carom_linear_rows(carom_linear *linear, const carom_link_mode *modes)
{
    carom_linear *l = linear;
    const carom_system *sys = l->system;
    carom_equations_forces(&l->e, sys, &sys->mass, modes);
    for (int i = 0; i < l->e.m; i++) {
        const carom_link *link = carom_linear_link(l, i);
        int is = carom_mode_of(link, modes), j = l->e.row[i] - link->row;
        double *L = l->L + i * sys->nv;
        l->normal[i] = -1;
        l->slope[i] = 0;
        carom_row_copy(sys, l->e.row[i], L);                                           /* (2) */
        if (j == 0 || !carom_mode_slips(is))
            continue;
        l->normal[i] = i - j;
        const double *c = carom_link_coefficients(sys, link, is != CAROM_SLIP, 1);
        double f[2], k[2];
        carom_mode_friction(link->law, c, modes[link->contact].direction, f, k);
        l->slope[i] = -f[j - 1];
        memset(L, 0, sizeof(double) * (size_t)sys->nv);
    }
}

void carom_linear_close(carom_linear *linear)
{
    carom_linear *l = linear;
    int m = l->e.m, nv = l->system->nv;
    for (int i = 0; i < m; i++) {
        for (int k = 0; k < m; k++)
            l->e.K[i * m + k] = carom_dot(nv, l->L + i * nv, l->e.Y + k * nv);
        if (l->normal[i] >= 0) {
            l->e.K[i * m + i] += 1;
            l->e.K[i * m + l->normal[i]] += l->slope[i];                                 /* (3) */
        }
    }
    l->rank = m;
    if (m == 1) {
        l->inverse[0] = l->e.K[0] != 0 ? 1 / l->e.K[0] : 0;
        return;
    }
    for (int k = 0; k < m; k++) {
        carom_copy(m * m, l->e.K, l->copy);
        memset(l->e.b, 0, sizeof(double) * (size_t)m);
        l->e.b[k] = 1;
        l->rank = carom_least_squares(m, m, l->copy, l->e.b, l->inverse + k * m, 1e-11, l->e.work, l->e.order);
    }
}

void carom_linear_solve(carom_linear *linear, double *c, double *d)
{
    carom_linear *l = linear;
    int m = l->e.m, nv = l->system->nv;
    carom_mass_solve(l->system, c);
    for (int i = 0; i < m; i++)
        l->e.b[i] = d[i] - carom_dot(nv, l->L + i * nv, c);
    for (int i = 0; i < m; i++)
        d[i] = 0;
    for (int k = 0; k < m; k++)
        for (int i = 0; i < m; i++)
            d[i] += l->inverse[k * m + i] * l->e.b[k];                                   /* (4) */
    carom_copy(m, d, l->e.x);
    carom_equations_add(&l->e, nv, c);
}
