/* disguise.h: a model as it looks in other units, with its coordinates and contacts in the opposite order.
 *
 *   t' = T t,  q' = L P q,  M' = m P M P^T,  F' = m L/T^2 P F,  g' = L Q g,  G' = R G P^T,  w' = L/T R w,
 *   gamma' = L/T^2 R gamma,  E' = m L^2/T^2 E,  power' = m L^2/T^3 power                                       (1)
 * with the permutations P of coordinates, Q of contacts, R of their rows. With powers of two nothing is rounded. */
#ifndef CAROM_DISGUISE_H
#define CAROM_DISGUISE_H

#include <string.h>

#include "carom.h"
#include "model/model.h"

enum { DISGUISE_V = 12, DISGUISE_ROWS = 36, DISGUISE_LAWS = 96 };

typedef struct disguise {
    carom_model model;
    const carom_model *base;
    double L, T, m;
    int q_of[DISGUISE_V], row_of[DISGUISE_ROWS], gap_of[DISGUISE_ROWS], law_of[DISGUISE_LAWS]; /* the base's number */
    int nrow, ngap, nlaw;
    double q[DISGUISE_V], v[DISGUISE_V];
    const char *name[DISGUISE_V];
    carom_contact contact[DISGUISE_ROWS];
    double M[DISGUISE_V * DISGUISE_V], F[DISGUISE_V], R_q[DISGUISE_V * DISGUISE_V], R_v[DISGUISE_V * DISGUISE_V];
    double g[DISGUISE_ROWS], w[DISGUISE_ROWS], gamma[DISGUISE_ROWS], law[DISGUISE_LAWS];
    double G[DISGUISE_ROWS * DISGUISE_V], U_q[DISGUISE_ROWS * DISGUISE_V], A_q[DISGUISE_ROWS * DISGUISE_V],
        A_v[DISGUISE_ROWS * DISGUISE_V];
} disguise;

static inline void disguise_put(int rows, int columns, const int *row, const int *column, int width, double factor,
                                const double *from, double *to)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            to[i * columns + j] = factor * from[row[i] * width + (column ? column[j] : 0)];
}

static inline carom_status disguise_prepare(const carom_model *m, unsigned want, carom_error *error)
{
    const carom_model *base = ((const disguise *)m->user)->base;
    return base->evaluator->prepare(base, want, error);
}

static inline size_t disguise_bytes(const carom_model *m, int lanes)
{
    const carom_model *base = ((const disguise *)m->user)->base;
    return base->evaluator->work_bytes(base, lanes);
}

static inline void disguise_begin(const carom_model *m, int lanes, const double *p, void *work)
{
    const carom_model *base = ((const disguise *)m->user)->base;
    base->evaluator->begin(base, lanes, p, work);
}

static inline void disguise_eval(const carom_model *m, const carom_eval *e, void *work)
{
    disguise *d = m->user;
    int n = m->nv;
    double L = d->L, T = d->T, k = d->m, t = e->t[0] / T, q[DISGUISE_V], v[DISGUISE_V], a[DISGUISE_V] = {0};
    double x[DISGUISE_ROWS] = {0};
    for (int i = 0; i < n; i++) {
        q[d->q_of[i]] = e->q[i] / L, v[d->q_of[i]] = e->v[i] * T / L;
        a[d->q_of[i]] = e->a ? e->a[i] * T * T / L : 0;
    }
    for (int r = 0; r < d->nrow; r++)
        x[d->row_of[r]] = e->x ? e->x[r] * T * T / (k * L) : 0;
    carom_eval in = *e;
    in.t = &t, in.q = q, in.v = v, in.a = a, in.x = x;
    in.M = d->M, in.F = d->F, in.g = d->g, in.G = d->G, in.w = d->w, in.gamma = d->gamma, in.law = d->law;
    in.R_q = d->R_q, in.R_v = d->R_v, in.U_q = d->U_q, in.A_q = d->A_q, in.A_v = d->A_v;
    d->base->evaluator->eval(d->base, &in, work);
    const struct { unsigned bit; int rows, columns; const int *row; double factor; const double *from; double *to; }
    list[] = {{CAROM_MASS, n, n, d->q_of, k, d->M, e->M},
              {CAROM_FORCE, n, 1, d->q_of, k * L / (T * T), d->F, e->F},
              {CAROM_GAP, d->ngap, 1, d->gap_of, L, d->g, e->g},
              {CAROM_JACOBIAN, d->nrow, n, d->row_of, 1, d->G, e->G},
              {CAROM_JACOBIAN, d->nrow, 1, d->row_of, L / T, d->w, e->w},
              {CAROM_GAMMA, d->nrow, 1, d->row_of, L / (T * T), d->gamma, e->gamma},
              {CAROM_LAW, d->nlaw, 1, d->law_of, 1, d->law, e->law},
              {CAROM_R_Q, n, n, d->q_of, k / (T * T), d->R_q, e->R_q},
              {CAROM_R_V, n, n, d->q_of, k / T, d->R_v, e->R_v},
              {CAROM_U_Q, d->nrow, n, d->row_of, 1 / T, d->U_q, e->U_q},
              {CAROM_A_Q, d->nrow, n, d->row_of, 1 / (T * T), d->A_q, e->A_q},
              {CAROM_A_V, d->nrow, n, d->row_of, 1 / T, d->A_v, e->A_v}};                        /* (1) */
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (e->want & list[i].bit)
            disguise_put(list[i].rows, list[i].columns, list[i].row, list[i].columns > 1 || n == 1 ? d->q_of : NULL,
                         list[i].columns > 1 ? n : 1, list[i].factor, list[i].from, list[i].to);
    for (int i = 0; e->want & CAROM_ENERGY && i < 5; i++)
        e->energy[i] *= k * L * L / (T * T) / (i > 1 ? T : 1);
}

static const carom_evaluator disguise_evaluator = {disguise_prepare, disguise_bytes, disguise_begin, disguise_eval};

/* false: the model has more than this knows about */
static inline bool disguise_make(disguise *d, const carom_model *base, double L, double T, double m, bool turned)
{
    int n = base->nv, nc = base->ncontact, nj = base->njoint;
    *d = (disguise){.model = *base, .base = base, .L = L, .T = T, .m = m, .nrow = nj, .ngap = nj};
    if (base->manifold || base->links || !base->evaluator || base->noutput || n > DISGUISE_V ||
        carom_model_rows(base) > DISGUISE_ROWS || carom_model_coefficient(base, nc) > DISGUISE_LAWS)
        return false;
    for (int i = 0; i < n; i++) {
        int k = d->q_of[i] = turned ? n - 1 - i : i;
        d->q[i] = L * base->q[k], d->v[i] = base->v ? L / T * base->v[k] : 0, d->name[i] = base->q_name[k];
    }
    for (int j = 0; j < nj; j++)
        d->row_of[j] = d->gap_of[j] = j;
    for (int i = 0; i < nc; i++) {
        int c = turned ? nc - 1 - i : i, row = carom_model_link_row(base, nj + c);
        int at = carom_model_coefficient(base, c);
        d->contact[i] = base->contact[c];
        d->gap_of[d->ngap++] = nj + c;
        for (int r = 0; r <= base->contact[c].directions; r++)
            d->row_of[d->nrow++] = row + r;
        for (; at < carom_model_coefficient(base, c + 1); at++)
            d->law_of[d->nlaw++] = at;
    }
    d->model.q = d->q, d->model.v = d->v, d->model.q_name = d->model.v_name = d->name, d->model.contact = d->contact;
    d->model.evaluator = &disguise_evaluator, d->model.user = d, d->model.source = NULL;
    d->model.run = NULL, d->model.nrun = 0, d->model.period *= T;
    return true;
}

#endif
