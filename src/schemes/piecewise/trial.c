/* trial.c: one step of Dormand and Prince's pair of order 5(4) on the smooth motion of the present modes.
 * Source: J. R. Dormand and P. J. Prince, J. Comput. Appl. Math. 6 (1980) 19-26.
 *
 *   Y_i = y + h sum_j a_ij k_j,   k_i = (K v_i, a_i) with a_i of the given modes; y = (xi, v), the
 *   local coordinates around the start of the step: K = 1 and xi = q - q_0 of vectors            (1)
 *   y'  = Y_7                                            order 5, its k_7 is the next k_1         (2)
 *   e   = h sum_i (b_i - b^_i) k_i                       order 4 embedded                         (3)
 *   |e| = max_i |e_i| / (atol + rtol max(|y_i|, |y'_i|))                                          (4) */
#include <math.h>

#include "core/dormand_prince.h"
#include "schemes/piecewise/piecewise.h"

static const double defect[CAROM_STAGES] = {D1, 0, D3, D4, D5, D6, D7};

void carom_tol_copy(const carom_system *system, const carom_end *from, carom_end *to)
{
    to->x = from->x;
    carom_copy(system->nq, from->q, to->q);
    carom_copy(system->nv, from->v, to->v);
    carom_copy(system->nv, from->a, to->a);
    carom_copy(system->nrow, from->force, to->force);
    carom_copy(system->nlink, from->g, to->g);
    carom_copy(system->nrow, from->u, to->u);
    carom_copy(system->nrow, from->udot, to->udot);
}

carom_status carom_tol_measure(carom_step *s, carom_tol *w, carom_end *end)
{
    carom_system *sys = s->system;
    unsigned more = sys->nlink ? CAROM_GAP | CAROM_JACOBIAN | CAROM_GAMMA | (sys->model->ncontact ? CAROM_LAW : 0) : 0;
    CAROM_TRY(carom_given_accel(&w->given, sys, s->now->t + end->x, end->q, end->v, more, end->a, end->force,
                                        s->error));
    carom_copy(sys->nlink, sys->at.g, end->g);
    for (int r = 0; r < sys->nrow; r++) {
        end->u[r] = carom_row_speed(sys, r, end->v);
        end->udot[r] = carom_row_accel(sys, r, end->a);
    }
    return CAROM_OK;
}

/* w->size at the start, and at q if that is larger; NULL: none */
void carom_tol_size(const carom_system *system, const carom_tol *w, const double *q)
{
    for (int i = 0; i < system->nv; i++)
        w->size[i] = 0;
    carom_system_size(system, w->start.q, w->size);
    if (q)
        carom_system_size(system, q, w->size);
}

static double norm(const carom_step *s, const carom_tol *w, const carom_end *end, double h)
{
    const carom_options *o = s->options;
    double most = 0;
    carom_tol_size(s->system, w, end->q);
    for (int i = 0; i < s->system->nv; i++) {
        double e_q = 0, e_v = 0;
        for (int k = 0; k < CAROM_STAGES; k++)
            e_q += defect[k] * w->kx[k][i], e_v += defect[k] * w->ka[k][i];                      /* (3) */
        double size_q = s->atol[i] + o->rtol * w->size[i];
        double size_v = s->atol[i] + o->rtol * CAROM_MAX(fabs(w->start.v[i]), fabs(end->v[i]));
        most = CAROM_MAX(most, CAROM_MAX(fabs(h * e_q) / size_q, fabs(h * e_v) / size_v));       /* (4) */
    }
    return most;
}

static carom_status implicit_trial(carom_step *s, carom_tol *w, double x, carom_end *end, double *error_norm)
{
    CAROM_TRY(carom_tol_stages(s, w, x, end, error_norm != NULL));
    return error_norm ? carom_stiff_norm(s, w, x, end, error_norm) : CAROM_OK;
}

carom_status carom_tol_trial(carom_step *s, carom_tol *w, double x, carom_end *end, double *error_norm)
{
    carom_system *sys = s->system;
    int nv = sys->nv;
    if (w->tableau)
        return implicit_trial(s, w, x, end, error_norm);
    const carom_tableau *T = carom_tableau_list(CAROM_TABLEAU_ERK5);
    carom_copy(T->stages, T->c, w->node);
    w->kept = error_norm ? x : w->kept;
    w->watched = CAROM_STAGES - 1;
    carom_copy(nv, w->start.v, w->kx[0]);
    carom_copy(nv, w->start.a, w->ka[0]);
    for (int k = 1; k < CAROM_STAGES; k++) {
        const double *A = k < T->stages ? T->a[k] : T->b;
        for (int i = 0; i < nv; i++) {
            double dq = 0, dv = 0;
            for (int j = 0; j < k; j++)
                dq += A[j] * w->kx[j][i], dv += A[j] * w->ka[j][i];
            w->kx[k][i] = dq;
            end->v[i] = w->start.v[i] + x * dv;                                                  /* (1) */
        }
        carom_system_drift(sys, w->start.q, w->kx[k], x, end->q);
        carom_system_rate(sys, w->kx[k], x, end->v, w->kx[k]);
        if (k < CAROM_STAGES - 1)
            CAROM_TRY(carom_given_accel(&w->given, sys, s->now->t + T->c[k] * x, end->q, end->v, 0, w->ka[k],
                                                error_norm ? w->stage_force[k] : w->force, s->error));
    }
    end->x = x;
    CAROM_TRY(carom_tol_measure(s, w, end));                                                     /* (2) */
    carom_copy(nv, end->a, w->ka[CAROM_STAGES - 1]);
    if (error_norm)
        *error_norm = norm(s, w, end, x);
    return CAROM_OK;
}
