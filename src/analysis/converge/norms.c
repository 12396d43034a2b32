/* norms.c: distances of two motions, x and y, both piecewise polynomials of time.
 *
 *   L1    integral of |x_1 - y_1| + |x_2 - y_2| + ...                                                         (1)
 *   L2    square root of the integral of (x_1 - y_1)^2 + ...                                                  (2)
 *   max   the largest |x_i - y_i|, at one-sided limits too: a jump that is late is an error of its size       (3)
 *   grid  (h sum_k |x(t_k) - y(t_k)|^p)^(1/p) over the nodes of x, (21) of RR-7151; steps of their own length   (4)
 *         Hausdorff: the function that is constant from each node to the next, continuous from the right
 *
 * (1) to (3) look at all times. They are split at the ends of all pieces of both, so that integrands are smooth but
 * for the changes of sign; Gauss and Kronrod's rules of 7 and 15 points on each, bisected until they agree. (4) is
 * cheaper and compares with other papers; on unequal steps it says nothing about v, because the node next to an
 * impact is off by O(1). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/converge/norms.h"
#include "model/model.h"
#include "schemes/scheme.h"

typedef struct span { /* a time in which neither motion jumps */
    const carom_norm *norm;
    const carom_piece *a, *b;
    int n;
    double low, high;
    double noise; /* the integrand is known to this */
} span;

static double component(const carom_piece *p, int n, int i, double t)
{
    double s = (t - p->t0) / (p->t1 - p->t0), sum = p->c[p->degree * n + i];
    for (int k = p->degree - 1; k >= 0; k--)
        sum = sum * s + p->c[k * n + i];
    return sum;
}

/* What the norm adds up, or maximizes, at t. */
static double integrand(const span *s, double t)
{
    double sum = 0;
    for (int i = s->norm->first; i < s->norm->first + s->norm->count; i++) {
        double e = fabs(component(s->a, s->n, i, t) - component(s->b, s->n, i, t));
        sum = s->norm->kind == CAROM_NORM_MAX ? fmax(sum, e) : sum + (s->norm->kind == CAROM_NORM_L2 ? e * e : e);
    }
    return sum;
}

/* The 15-point rule, and how far the 7-point rule is from it. */
static double kronrod(const span *s, double low, double high, double *error)
{
    static const double place[] = {0.991455371120812639206854697526329, 0.949107912342758524526189684047851,
                                   0.864864423359769072789712788640926, 0.741531185599394439863864773280788,
                                   0.586087235467691130294144691693013, 0.405845151377397166906606412076961,
                                   0.207784955007898467600689403773245, 0};
    static const double weight[] = {0.022935322010529224963732008058970, 0.063092092629978553290700663189204,
                                    0.104790010322250183839876322541518, 0.140653259715525918745189590510238,
                                    0.169004726639267902826583426598550, 0.190350578064785409913256402421014,
                                    0.204432940075298892414161999234649, 0.209482141084727828012999174891714};
    static const double gauss[] = {0.129484966168869693270611432679082, 0.279705391489276667901467771423780,
                                   0.381830050505118944950369775488975, 0.417959183673469387755102040816327};
    double middle = 0.5 * (low + high), half = 0.5 * (high - low), fine = 0, coarse = 0;
    for (int k = 0; k < 8; k++) {
        double sum = integrand(s, middle + half * place[k]);
        if (k < 7)
            sum += integrand(s, middle - half * place[k]);
        fine += weight[k] * sum;
        if (k % 2)
            coarse += gauss[k / 2] * sum;
    }
    *error = half * fabs(fine - coarse);
    return half * fine;
}

static double integral(const span *s, double low, double high, double allowed, double rtol, int level)
{
    enum { LEVELS = 30 };
    double error, value = kronrod(s, low, high, &error), middle = 0.5 * (low + high);
    if (error <= fmax(allowed, fmax(rtol * value, s->noise * (high - low))) || level == LEVELS ||
        !(middle > low && middle < high))
        return value;
    return integral(s, low, middle, 0.5 * allowed, rtol, level + 1) +
           integral(s, middle, high, 0.5 * allowed, rtol, level + 1);
}

/* Improves the largest value found at the points of a grid of the span by a golden section around it. */
static double largest(const span *s, double best)
{
    enum { POINTS = 8, SECTIONS = 40 };
    double top = -1, length = s->high - s->low, at[3] = {0};
    for (int k = 0; k <= POINTS; k++) {
        double t = s->low + length * 0.5 * (1 - cos(M_PI * k / POINTS)), value = integrand(s, t);
        if (value <= top)
            continue;
        top = value;
        at[0] = s->low + length * 0.5 * (1 - cos(M_PI * CAROM_MAX(k - 1, 0) / POINTS));
        at[1] = s->low + length * 0.5 * (1 - cos(M_PI * CAROM_MIN(k + 1, POINTS) / POINTS));
    }
    if (top < 0.8 * best)
        return best;
    const double part = 0.381966011250105;
    double low = at[0], high = at[1];
    for (int k = 0; k < SECTIONS; k++) {
        double x = low + part * (high - low), y = high - part * (high - low), fx = integrand(s, x),
               fy = integrand(s, y);
        top = fmax(top, fmax(fx, fy));
        *(fx > fy ? &high : &low) = fx > fy ? y : x;
    }
    return fmax(best, top);
}

/* One pass over all spans: a sum of integrals, refined where they are off by more than their share of rtol total, or
 * the largest value. */
static double sweep(const carom_norm *norm, const carom_path *path, const carom_path *reference, double end,
                    double rtol, double total)
{
    double sum = 0, error;
    span s = {.norm = norm,
              .n = path->n,
              .noise = 64 * DBL_EPSILON * norm->count * carom_path_size(reference, norm->first, norm->count)};
    if (norm->kind == CAROM_NORM_L2)
        s.noise *= s.noise;
    for (size_t i = 0, j = 0; i < path->npiece && j < reference->npiece;) {
        s.a = &path->piece[i], s.b = &reference->piece[j];
        s.low = fmax(s.a->t0, s.b->t0), s.high = fmin(end, fmin(s.a->t1, s.b->t1));
        if (s.high > s.low && norm->kind == CAROM_NORM_MAX)
            sum = largest(&s, sum);
        else if (s.high > s.low)
            sum += total < 0 ? kronrod(&s, s.low, s.high, &error)
                             : integral(&s, s.low, s.high, rtol * total * (s.high - s.low) / end, rtol, 0);
        bool a_ends = s.a->t1 <= s.b->t1, b_ends = s.b->t1 <= s.a->t1;
        i += a_ends, j += b_ends;
    }
    return sum;
}

static double dense(const carom_norm *norm, const carom_path *path, const carom_path *reference, double rtol)
{
    double end = fmin(carom_path_end(path), carom_path_end(reference));
    double sum = sweep(norm, path, reference, end, rtol, -1);
    if (norm->kind == CAROM_NORM_MAX)
        return sum;
    sum = sweep(norm, path, reference, end, rtol, sum);
    return norm->kind == CAROM_NORM_L2 ? sqrt(sum) : sum;
}

static double grid(const carom_norm *norm, const carom_path *path, const carom_path *reference)              /* (4) */
{
    double sum = 0, end = fmin(carom_path_end(path), carom_path_end(reference)), *x = path->work, *y = x + path->n;
    size_t at = 0, at_reference = 0;
    for (size_t k = 0, first = 0; k < path->npiece && path->piece[k].t1 <= end; k++) {
        if (k + 1 < path->npiece && path->piece[k + 1].step == path->piece[k].step)
            continue;
        double t = path->piece[k].t1, h = t - path->piece[first].t0, here = 0;
        first = k + 1;
        carom_path_at(path, t, 1, &at, x);
        carom_path_at(reference, t, 1, &at_reference, y);
        for (int i = norm->first; i < norm->first + norm->count; i++) {
            double e = fabs(x[i] - y[i]);
            here = norm->kind == CAROM_NORM_MAX ? fmax(here, e) : here + (norm->kind == CAROM_NORM_L2 ? e * e : e);
        }
        sum = norm->kind == CAROM_NORM_MAX ? fmax(sum, here) : sum + h * here;
    }
    return norm->kind == CAROM_NORM_L2 ? sqrt(sum) : sum;
}

static double at_end(const carom_norm *norm, const carom_path *path, const carom_path *reference)
{
    double most = 0, end = fmin(carom_path_end(path), carom_path_end(reference)), *x = path->work, *y = x + path->n;
    size_t near = path->npiece, near_reference = reference->npiece;
    carom_path_at(path, end, 1, &near, x);
    carom_path_at(reference, end, 1, &near_reference, y);
    for (int i = norm->first; i < norm->first + norm->count; i++)
        most = fmax(most, fabs(x[i] - y[i]));
    return most;
}

static carom_status measure(const carom_norm *norm, const carom_path *path, const carom_path *reference, double rtol,
                            double *distance, carom_error *error)
{
    carom_hausdorff_bounds bounds;
    switch (norm->kind) {
    case CAROM_NORM_HAUSDORFF:
        CAROM_TRY(carom_path_hausdorff(path, reference, norm->first, norm->count, fmax(rtol, 1e-4), &bounds, error));
        /* too small to be resolved: what is certain */
        *distance = bounds.lower > 0.5 * bounds.upper ? bounds.lower : bounds.upper;
        break;
    case CAROM_NORM_END: *distance = at_end(norm, path, reference); break;
    default:
        *distance = norm->over == CAROM_NORM_GRID ? grid(norm, path, reference) : dense(norm, path, reference, rtol);
    }
    return CAROM_OK;
}

carom_status carom_norm_distance(const carom_norm *norm, const carom_path *path, const carom_path *reference,
                                 double rtol, double *distance, carom_error *error)
{
    if (path->n != reference->n || norm->first + norm->count > path->n)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "motions of %d and %d components cannot be compared", path->n,
                   reference->n);
    bool held = norm->over == CAROM_NORM_GRID && norm->kind == CAROM_NORM_HAUSDORFF;
    if (norm->over != CAROM_NORM_STEP && !held)
        return measure(norm, path, reference, rtol, distance, error);
    carom_path *nodes;
    CAROM_TRY(carom_path_nodes(&nodes, path, held, error));
    carom_status status = measure(norm, nodes, reference, rtol, distance, error);
    carom_path_free(nodes);
    return status;
}

/* ---- names ---- */
static carom_status unknown(const char *name, carom_error *error)
{
    CAROM_FAIL(error, CAROM_BAD_OPTION,
               "unknown norm '%s': L1, L2, max, hausdorff or end, then .q (positions), .v (velocities) or .i "
               "(primitive of the impulses), as in L1.q; before it grid-, dense- or step- for nodes, all times or "
               "constant steps, as in "
               "grid-L1.v; behind it the name of a coordinate or contact for one component, as in L1.q.x",
               name);
}

carom_norm_over carom_norm_own(const carom_options *options)
{
    bool grid = carom_scheme_is(options, CAROM_NODAL) && !carom_scheme_is(options, CAROM_CHOOSES_STEPS);
    return grid ? CAROM_NORM_GRID : CAROM_NORM_DENSE;
}

/* Which of the components of q, v or i is called word; -1: none. */
static int find(const carom_model *model, char what, const char *word)
{
    char name[32];
    for (int i = 0; what != 'i' && i < model->nq; i++)
        if (!strcmp(carom_model_q_name(model, i, name), word))
            return i;
    for (int j = 0; what == 'i' && j < model->njoint; j++)
        if (model->joint_name && !strcmp(model->joint_name[j], word))
            return j;
    for (int c = 0, row = model->njoint; what == 'i' && c < model->ncontact; c++) {
        if (model->contact[c].name && !strcmp(model->contact[c].name, word))
            return row;
        row += 1 + model->contact[c].directions;
    }
    return -1;
}

carom_status carom_norm_parse(carom_norm *norm, const char *name, const carom_model *model, carom_error *error)
{
    static const struct {
        const char *name;
        carom_norm_kind kind;
        bool plain; /* no grid-, dense-, step- */
    } kinds[] = {{"L1", CAROM_NORM_L1, false}, {"L2", CAROM_NORM_L2, false}, {"max", CAROM_NORM_MAX, false},
                 {"hausdorff", CAROM_NORM_HAUSDORFF, false}, {"end", CAROM_NORM_END, true}};
    static const char *const overs[] = {"", "dense-", "grid-", "step-"};
    const char *at = name;
    *norm = (carom_norm){.over = CAROM_NORM_OWN, .count = -1};
    for (int k = CAROM_NORM_DENSE; k <= CAROM_NORM_STEP; k++)
        if (!strncmp(name, overs[k], strlen(overs[k])))
            norm->over = (carom_norm_over)k, at = name + strlen(overs[k]);
    size_t length = strcspn(at, ".");
    for (int k = 0; k < CAROM_COUNT(kinds); k++)
        if (strlen(kinds[k].name) == length && !strncmp(at, kinds[k].name, length) &&
            !(kinds[k].plain && norm->over != CAROM_NORM_OWN))
            norm->kind = kinds[k].kind, norm->count = 0;
    const char what = at[length] ? at[length + 1] : 0;
    if (norm->count < 0 || !what || !strchr("qvi", what) || (at[length + 2] && at[length + 2] != '.'))
        return unknown(name, error);
    norm->first = what == 'q' ? 0 : what == 'v' ? model->nq : model->nq + model->nv;
    norm->count = what == 'q' ? model->nq : what == 'v' ? model->nv : carom_model_rows(model);
    if (at[length + 2]) {
        int i = find(model, what, at + length + 3);
        if (i < 0)
            CAROM_FAIL(error, CAROM_BAD_OPTION, "norm '%s': the model has no %s '%s'", name,
                       what == 'i' ? "joint or contact" : "coordinate", at + length + 3);
        norm->first += i, norm->count = 1;
    }
    if (norm->count == 0)
        CAROM_FAIL(error, CAROM_BAD_OPTION, "norm '%s': the model has no joints and no contacts", name);
    return CAROM_OK;
}
