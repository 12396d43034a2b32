/* record.c: dense output and energy of a piece. The series of the piece (exact.h) are its dense output, exact to
 * rounding.
 *
 * A piece of length a rho, theta in [0, 1]:
 *   q = sum_k c_k a^k theta^k,   v = sum_k k c_k a^(k-1) theta^(k-1)/rho                                         (1)
 *   mean force of a closed link: sum_k l_k a^k/(k + 1)                                                           (2)
 *   energies: powers by Gauss's rule with 10 points, exact to rounding for pieces this short                     (3)
 *     a link that moves takes -lambda dg0/dt                                                                     (4) */
#include "core/dense.h"
#include "schemes/exact/exact.h"

void carom_exact_record(carom_step *s, const carom_exact *x, const carom_flight *f, double t0, double at)
{
    int n = x->n, N = x->order;
    double *q0 = x->a;
    carom_draft piece;
    for (int i = 0; i < n; i++)
        q0[i] = x->c[i * x->terms];
    if (!carom_record_draft(s->record, s->system, t0, q0, x->t, s->next->mode, N, &piece))
        return;
    for (int i = 0; i < n; i++) {
        double power = at;
        for (int k = 1; k <= N; k++, power *= at) {
            piece.xi[(k - 1) * n + i] = x->c[i * x->terms + k] * power;                           /* (1) */
            piece.v[(k - 1) * n + i] = k * x->c[i * x->terms + k] * (power / at) / x->rho;
        }
    }
    for (int i = 0; i < x->nlink; i++) {
        double power = 1;
        piece.force[i] = 0;
        for (int k = 0; f->closed[i] && k <= N; k++, power *= at)
            piece.force[i] += x->l[i * x->terms + k] * power / (k + 1);                           /* (2) */
    }
}

/* (4) at one instant, summed over the closed links. */
static double moving_links(carom_exact *x, const carom_flight *f, double t, double at)
{
    double power = 0, slope, keep = x->t;
    for (int i = 0; i < x->nlink; i++) {
        if (!f->closed[i] || carom_norm_max(x->nt, x->offset_1 + i * x->nt) == 0)
            continue;
        carom_exact_clock(x, t);
        double force = carom_polynomial_value(x->order, x->l + i * x->terms, at, &slope);
        power -= force * carom_exact_time(x, x->offset_1 + i * x->nt);
    }
    carom_exact_clock(x, keep);
    return power;
}

void carom_exact_account(carom_step *s, carom_exact *x, const carom_flight *f, double t0, double at)
{
    static const double node[] = {0.1488743389816312, 0.4333953941292472, 0.6794095682990244, 0.8650633666889845,
                                  0.9739065285171717};
    static const double weight[] = {0.2955242247147529, 0.2692667193099964, 0.2190863625159820, 0.1494513491505806,
                                    0.0666713443086881};
    int n = x->n;
    double *q = x->a, *v = x->v_before;
    for (int k = 0; k < 10; k++) {                                                                /* (3) */
        double here = at * 0.5 * (1 + (k % 2 ? node[k / 2] : -node[k / 2])), length = 0.5 * weight[k / 2] * at * x->rho;
        for (int i = 0; i < n; i++) {
            q[i] = carom_polynomial_value(x->order, x->c + i * x->terms, here, &v[i]);
            v[i] /= x->rho;
        }
        carom_system_eval(s->system, CAROM_ENERGY, t0 + here * x->rho, q, v);
        carom_record_work(s->record, s->system->at.energy, length);
        s->record->work_constraints += length * moving_links(x, f, t0 + here * x->rho, here);
    }
}
