/* exact.c: flights in closed form, events located to rounding: the reference for all other schemes.
 *
 *   M v' = F0(t) - K q - C v + G^T lambda,   g = G q + g0(t)                                                  (1)
 *   z = (q, v, t^k/k!, cos w_j t, sin w_j t),   z(t + tau) = e^(A tau) z(t)                                   (2)
 *   open contact: the first root of g(s);  closed contact: the first root of lambda(s)                        (3)
 *   impact:  0 <= u+ + e u-  _|_  P >= 0;   contacts with u+ = 0:  0 <= g'' _|_ lambda >= 0                   (4)
 *
 * for models that are linear: M, K, C, G constant, F0 and g0 polynomials and harmonics of time. e^(A tau) is a Taylor
 * series on pieces with |A| tau <= 3/2, cut off below rounding (flight.c); roots are isolated by the signs of
 * Bernstein coefficients, so that no dip is missed (core/polynomial.c); completed chatter is summed up
 * (events.c). Joints are links that stay closed.
 *
 * No order: the error is rounding, whatever h; it grows with time as the motion itself amplifies it. h bounds the
 * pieces of dense output, which is as exact as the nodes. A step holds many flights; after 64 pieces it ends early.
 * Energy: kept by elastic impacts to rounding and never gained otherwise.
 * Not taken: friction, nonlinear models (the error says what is not linear), other functions of time; native models
 * with forces or gaps that depend on time, because their functions cannot be read. Where
 * several contacts chatter together the order of their impacts can be decided by rounding: no method can do better. */
#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "schemes/exact/exact.h"

enum { PIECES = 64 };

static const unsigned requests[] = {CAROM_GAP,
                                    CAROM_LAW,
                                    CAROM_FORCE,
                                    CAROM_JACOBIAN,
                                    CAROM_MASS | CAROM_R_Q | CAROM_R_V,
                                    CAROM_MASS | CAROM_FORCE | CAROM_JACOBIAN | CAROM_GAMMA | CAROM_LAW,
                                    0};

/* What is remembered: for every contact whether it is leaving; whether modes are still to be decided; pieces without
 * progress; what rounding took from q and v; for every contact the impacts since it was closed last. */
static int memory(const carom_system *system)
{
    return 2 * system->model->ncontact + 2 + 2 * system->nv;
}

static void layout(carom_layout *layout, const carom_system *system, void *work)
{
    carom_exact_layout(layout, system, work);
}

static void orders(const double *field, double *smooth, double *impact)
{
    (void)field;
    *smooth = *impact = 0;
}

static carom_status start(carom_step *s)
{
    carom_exact *x = s->work;
    x->ready = false;
    CAROM_TRY(carom_exact_prepare(s, x));
    for (int i = 0; i < memory(s->system); i++)
        s->memory_next[i] = i < x->ncontact + 1;
    return CAROM_OK;
}

/* The modes that were given: which of the closed contacts press? */
static carom_status first_modes(carom_step *s, carom_exact *x, double t)
{
    int nc = x->ncontact;
    if (s->memory_next[nc] == 0)
        return CAROM_OK;
    s->memory_next[nc] = 0;
    for (int i = x->njoint; i < x->nlink; i++)
        x->rest[i] = carom_link_closed(&x->system->link[i], s->next->mode);
    carom_exact_clock(x, t);
    return carom_exact_decide(s, x, t);
}

/* y + add with compensated summation: many small steps are as exact as one */
static void accumulate(double *y, double *low, double add)
{
    double full = add + *low, sum = *y + full, part = sum - *y;
    *low = (*y - (sum - part)) + (full - part);
    *y = sum;
}

/* q and v at s = at, impulses of the closed links; t: then */
static void move(carom_step *s, carom_exact *x, const carom_flight *f, double at, double t)
{
    int n = x->n, terms = x->terms;
    double *q = s->next->q, *v = s->next->v, *low = s->memory_next + x->ncontact + 2;
    bool whole = at == 1 && !s->record->observed && !s->record->account;
    for (int i = 0; i < n; i++) {
        if (!whole)
            carom_exact_series(x, f->Q + i * x->nz * terms, x->c + i * terms);
        if (at == 1) {
            accumulate(&q[i], &low[i], carom_dot(x->nz, f->X + i * x->nz, x->z));
            accumulate(&v[i], &low[n + i], carom_dot(x->nz, f->X + (n + i) * x->nz, x->z));
        } else {
            low[i] = low[n + i] = 0;
            q[i] = carom_polynomial_value(x->order, x->c + i * terms, at, &v[i]);
            v[i] /= x->rho;
        }
    }
    for (int i = 0; i < x->nlink; i++) {
        double power = at * x->rho;
        if (!f->closed[i])
            continue;
        carom_exact_series(x, f->E + i * x->nz * terms, x->l + i * terms);
        for (int k = 0; k <= x->order; k++, power *= at)
            s->next->impulse[i] += x->l[i * terms + k] * power / (k + 1);
    }
    carom_exact_clock(x, t);
    carom_exact_snap(s, x, f);
}

static carom_status progress(carom_step *s, const carom_exact *x, double advance)
{
    enum { LONGEST = 1000 };
    double *stuck = &s->memory_next[x->ncontact + 1];
    *stuck = advance > 1e-15 * fmax(fabs(x->t), x->rho) ? 0 : *stuck + 1;
    if (*stuck > LONGEST)
        CAROM_FAIL(s->error, CAROM_NOT_CONVERGED,
                   "exact: %d events at t = %.15g without progress: contacts accumulate there", LONGEST, x->t);
    return CAROM_OK;
}

/* One flight, to the next event or to the end of the piece. */
static carom_status piece(carom_step *s, carom_exact *x, double h, double *done)
{
    carom_flight *f = carom_exact_flight(x, s->next->mode);
    double low = *s->t_low, t0 = s->now->t + (low + *done), rest = h - *done, end = fmin(1, rest / x->rho), at = end;
    int who = -1;
    carom_exact_clock(x, t0);
    carom_copy(x->n, s->next->q, x->z);
    carom_copy(x->n, s->next->v, x->z + x->n);
    for (int i = x->njoint; i < x->nlink; i++) {
        double root = carom_exact_event(x, f, i, &s->memory_next[x->system->link[i].contact], at);
        if (root < at || (who < 0 && root == at))
            at = root, who = i;
    }
    *done = at == end && rest <= x->rho ? h : *done + at * x->rho;
    if (at > 0) {
        move(s, x, f, at, s->now->t + (low + *done));
        if (s->record->account)
            carom_exact_account(s, x, f, t0, at);
        if (s->record->observed)
            carom_exact_record(s, x, f, t0, at);
    }
    CAROM_TRY(progress(s, x, at * x->rho));
    if (who < 0)
        return CAROM_OK;
    return f->closed[who] ? carom_exact_release(s, x, f, who) : carom_exact_impact(s, x, f, who, *done, h);
}

static carom_status step(carom_step *s)
{
    carom_exact *x = s->work;
    const carom_state *now = s->now;
    carom_state *next = s->next;
    int n = x->n, nc = x->ncontact;
    double h = s->h, done = 0;
    CAROM_TRY(carom_exact_prepare(s, x));
    carom_copy(n, now->q, next->q);
    carom_copy(n, now->v, next->v);
    carom_copy(2 * nc + 2 + 2 * n, s->memory, s->memory_next);
    x->count = s->memory_next + nc + 2 + 2 * n;
    for (int i = 0; i < nc; i++)
        next->mode[i] = now->mode[i];
    for (int i = 0; i < x->nlink; i++)
        next->impulse[i] = 0;
    CAROM_TRY(first_modes(s, x, now->t + *s->t_low));
    for (int k = 0; k < PIECES && done < h; k++)
        CAROM_TRY(piece(s, x, h, &done));
    carom_step_advance(s, done);
    for (int i = 0; i < x->nlink; i++)
        next->u[i] = carom_dot(n, x->G + i * n, next->v) + carom_exact_time(x, x->offset_1 + i * x->nt);
    if (!carom_all_finite(n, next->q) || !carom_all_finite(n, next->v))
        CAROM_FAIL(s->error, CAROM_NOT_FINITE,
                   "exact: q or v is not finite after the step from t = %.10g with h = %.3g", now->t, h);
    return CAROM_OK;
}

const carom_scheme carom_scheme_exact = {
    .method = {.name = "exact",
               .doc = "flights in closed form and events to rounding, for linear models without friction",
               .ref = "matrix exponential; events by Bernstein coefficients; completed chatter summed"},
    .orders = orders,
    .traits = CAROM_LOCATES_EVENTS | CAROM_CLOSED_FORM,
    .requests = requests,
    .segments = PIECES,
    .degree = EXACT_TERMS - 1,
    .accepts = carom_exact_accepts,
    .memory = memory,
    .work_bytes = sizeof(carom_exact),
    .layout = layout,
    .start = start,
    .step = step,
};
