/* law.c: the list of laws, and the contest of single.h. A new law is one file and one line here. */
#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "laws/single.h"

#ifndef CAROM_MORE_LAWS
#define CAROM_MORE_LAWS /* a test's */
#endif
static const carom_law *const laws[] = {
    &carom_law_unilateral,
    &carom_law_bilateral,
    &carom_law_coulomb_planar,
    &carom_law_coulomb_spatial,
    &carom_law_anisotropic,
    &carom_law_cohesive_smooth,
    &carom_law_cohesive_planar,
    &carom_law_cohesive_spatial,
    &carom_law_bounded,
    CAROM_MORE_LAWS
};

const carom_law *carom_law_list(int i)
{
    return i >= 0 && i < CAROM_COUNT(laws) ? laws[i] : NULL;
}

const carom_method *carom_law_method(int i)
{
    const carom_law *law = carom_law_list(i);
    return law ? &law->method : NULL;
}

const carom_law *carom_law_find(const char *name, int directions)
{
    const char *wanted = name ? name : "contact";
    for (int i = 0; i < CAROM_COUNT(laws); i++) {
        bool family = laws[i]->family && strcmp(laws[i]->family, wanted) == 0;
        if (laws[i]->rows == 1 + directions && (family || strcmp(laws[i]->method.name, wanted) == 0))
            return laws[i];
    }
    return NULL;
}

int carom_law_coefficients(const carom_law *law)
{
    int n = 0;
    while (law->method.fields[n].name)
        n++;
    return n;
}

const char *carom_law_words(const carom_law *law, int i)
{
    const char *name = law->method.fields[i].name;
    return strcmp(name, "restitution_t") == 0     ? "tangential restitution"
           : strcmp(name, "friction_static") == 0 ? "static friction"
                                                  : name;
}

void carom_contest_enter(carom_contest *contest, const double *y)
{
    carom_contest *c = contest;
    int m = c->law->rows;
    double u[CAROM_LAW_ROWS] = {0};
    for (int i = 0; i < m; i++)
        u[i] = c->b[i] + carom_dot(m, c->W + i * m, y);
    double r = c->law->residual(c->c, c->rho, u, y);
    if (!(r < c->best))
        return;
    c->best = r;
    for (int i = 0; i < m; i++)
        c->y[i] = y[i];
}

static void enter_stick(carom_contest *c)
{
    int m = c->law->rows, order[CAROM_LAW_ROWS];
    double A[CAROM_LAW_ROWS * CAROM_LAW_ROWS], f[CAROM_LAW_ROWS], y[CAROM_LAW_ROWS], work[4 * CAROM_LAW_ROWS];
    for (int i = 0; i < m * m; i++)
        A[i] = c->W[i];
    for (int i = 0; i < m; i++)
        f[i] = -c->b[i];
    carom_least_squares(m, m, A, f, y, CAROM_RANK_TOL, work, order);                     /* (2) */
    carom_contest_enter(c, y);
}

void carom_contest_begin(carom_contest *contest, const carom_law *law, const double *c, const double *W, int stride,
                         const double *b)
{
    int m = law->rows;
    double trace = 0;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++)
            contest->W[i * m + j] = W[i * stride + j];
        contest->b[i] = b[i];
        contest->y[i] = 0;
        trace += W[i * stride + i];
    }
    contest->law = law;
    contest->c = c;
    contest->rho = trace > 0 ? m / trace : 1;
    contest->best = INFINITY;
    carom_contest_enter(contest, (double[CAROM_LAW_ROWS]){0});                           /* (1) */
    enter_stick(contest);
}
