/* points.c: proximal points around Newton's method; scaled problem (scaled.h): u = W r + b, |b| = 1.
 *
 *   proximal point:   r' solves the law for u = W r + b + a (r - c), c the last accepted r                          (1)
 *   Newton's method on Alart and Curnier's function F(u, r) (alart_curnier.c), A = dF/du, B = dF/dr:
 *       F + A du + B dr = 0,  du = (W + a) dr: solved by the form of W                                              (2)
 *       step t = 1, 1/2, ...: |F|^2 falls below the largest of the last 8                                           (3)
 *       until |F| <= 0.5 a R, R the natural map at c; after 12 steps it has failed                                  (4)
 *   accepted: c <- r', a <- a/10, a/4 or a/2 after up to 4, up to 8 or more Newton steps                            (5)
 *   failed: back to c, which is swept ten times (Gauss-Seidel) if R > 1e-3, a <- 4 a, and held for 3 steps unless R
 *   falls 3 times                                                                                                   (6)
 *
 * (1) is what makes redundant contacts regular; its solutions tend to those of the problem. R may rise on the way:
 * forces of a jammed pile grow until what slips is held, while R stays what it is. Limits: no proof of convergence with
 * friction; it cannot show that there is no solution. */
#include <math.h>

#include "core/dense.h"
#include "solvers/points.h"
#include "solvers/scaled.h"

#define FAR 1e-3 /* R from which on sweeps do more than they undo */
enum { MEMORY = 8, HALVINGS = 12, NEWTON_STEPS = 12, ASTRAY = 10 };

bool carom_points_place(carom_points *w, carom_arena *arena)
{
    double **const arrays[] = {&w->r, &w->c, &w->u, &w->F, &w->dr, &w->du, &w->trial, &w->trial_u};
    bool room = true;
    for (int i = 0; i < CAROM_COUNT(arrays); i++)
        room = (*arrays[i] = CAROM_NEW(arena, double, w->n)) && room;
    return room;
}

/* (3) */
bool carom_points_search(carom_points *w, double bound, double *merit)
{
    double t = 1;
    for (int k = 0; k <= HALVINGS; k++, t /= 2) {
        for (int i = 0; i < w->n; i++) {
            w->trial[i] = w->r[i] + t * w->dr[i];
            w->trial_u[i] = w->u[i] + t * w->du[i];
        }
        double value = w->form->function(w, w->trial_u, w->trial, w->F, false);
        if (value <= bound * (1 - 2e-4 * t)) {
            *merit = value;
            carom_copy(w->n, w->trial, w->r);
            carom_copy(w->n, w->trial_u, w->u);
            return true;
        }
    }
    return false;
}

/* (2)-(4) from w->r */
static bool newton(carom_points *w, double goal)
{
    double history[MEMORY], floor = 1e-14 * (1 + sqrt(carom_dot(w->n, w->r, w->r)));
    w->form->velocity(w, w->r, w->u);
    for (int i = 0; i < w->n; i++)
        w->u[i] += w->a * (w->r[i] - w->c[i]);
    double merit = w->form->function(w, w->u, w->r, w->F, true);
    for (int k = 0; k < MEMORY; k++)
        history[k] = merit;
    for (int k = 0; k < NEWTON_STEPS; k++) {
        if (sqrt(2 * merit) <= fmax(goal, floor))                                        /* (4) */
            return true;
        if (carom_points_over(w) || !w->form->direction(w))                              /* (2) */
            return false;
        double bound = 0;
        for (int i = 0; i < MEMORY; i++)
            bound = fmax(bound, history[i]);
        if (!carom_points_search(w, bound, &merit))
            return false;
        w->form->function(w, w->u, w->r, w->F, true);
        history[k % MEMORY] = merit;
    }
    return false;
}

static double residual_at(carom_points *w, const double *r)
{
    w->form->velocity(w, r, w->u);
    return w->form->residual(w, r, w->u);
}

/* (6) */
static double go_back(carom_points *w, double R)
{
    carom_copy(w->n, w->c, w->r);
    w->a *= 4;
    if (R <= FAR)
        return R;
    w->form->sweep(w, ASTRAY);
    carom_copy(w->n, w->r, w->c);
    return residual_at(w, w->c);
}

bool carom_points_run(carom_points *w, double alpha, int most, int failures)
{
    int hold = 0, falls = 0, begin = w->factorisations;
    w->a = alpha;
    carom_copy(w->n, w->r, w->c);
    double R = residual_at(w, w->c);
    while (w->factorisations - begin < most && w->a <= 1e6 && !carom_points_over(w)) {
        int spent = w->factorisations;
        bool last = w->a <= w->form->least;
        w->solve->iterations++;
        bool good = newton(w, 0.5 * w->a * R);                                           /* (1), (4) */
        int steps = w->factorisations - spent;
        if (!good) {
            if (--failures <= 0)
                break;
            R = go_back(w, R);                                                           /* (6) */
            hold = 3;
            falls = 0;
            continue;
        }
        double before = R;
        R = residual_at(w, w->r);
        carom_copy(w->n, w->r, w->c);                                                    /* (5) */
        if (w->form->offer(w, w->r))
            return true;
        if (last && steps == 0) /* nothing moves any more */
            break;
        falls = R < before ? falls + 1 : 0;
        hold = falls >= 3 ? 0 : hold;
        if (hold > 0)
            hold--;
        else
            w->a = fmax(w->a / (steps <= 4 ? 10 : steps <= 8 ? 4 : 2), w->form->least);
    }
    carom_copy(w->n, w->c, w->r);
    return false;
}
