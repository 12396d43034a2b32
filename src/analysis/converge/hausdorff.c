/* hausdorff.c: the Hausdorff distance of two filled-in graphs, certified.
 * Source: J. J. Moreau's filled-in graphs as in V. Acary, INRIA RR-7151 (2009), (20).
 *
 *   delta((t, x), (s, y)) = max(|t - s|, |x_1 - y_1|, ..., |x_d - y_d|)                                        (1)
 *   d(p) = min over the pieces B_k of b of delta(p, B_k),    one-sided: D(a, b) = max over p in a of d(p)      (2)
 *   delta(p, B_k) is the least of the upper envelope of 2 (d + 1) lines in the place r on B_k, 0 <= r <= 1      (3)
 *   d is 1-Lipschitz: on a piece from p to q of length l = delta(p, q)   d <= (d(p) + d(q) + l)/2               (4)
 *   delta(., B_k) is convex: on that piece   d <= max(delta(p, B_k), delta(q, B_k))   for every k               (5)
 *   all of a box with a point p in it, none further from p than rho:   d <= d(p) + rho                         (6)
 *
 * A point's distance (2) is found in a tree of boxes over the pieces of b; most of the time the piece that was
 * nearest to the point before is enough. The maximum (2) is found in a tree over a by branch and bound: parts whose
 * bound (6), (4), (5) is at most D (1 + rtol), D the largest distance found so far, are done with; others are
 * divided. The result is a bracket D <= distance <= upper,
 * upper = D (1 + rtol) or 256 epsilon of the largest t and x. (4) alone needs many divisions where the two graphs
 * run side by side, (5) ends them at once. n log n operations unless many pieces of b are about equally far from
 * points of a. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/converge/norms.h"

enum { LEAF = 4, DEPTH = 64, BISECTIONS = 60, PROBES = 64 };

typedef struct tree {  /* over the pieces of a graph; node 0 is the root, children of i are 2i+1 and 2i+2 */
    const carom_graph *g;
    size_t pieces, leaves, nodes;
    double *box;       /* [nodes][2][1+d] least and largest t, x */
} tree;

typedef struct search {
    const tree *a, *b;
    double rtol, floor, D, upper; /* floor: nobody cares about distances below it */
    size_t near;       /* piece of b that was nearest last */
    double *p, *q;     /* [DEPTH][1+d] points on the way down; [1+d] */
    long operations;   /* boxes and pieces looked at */
} search;

static size_t first_piece(const tree *t, size_t leaf)
{
    return (size_t)((unsigned long long)leaf * t->pieces / t->leaves);
}

static void vertex(const carom_graph *g, size_t i, double *p)
{
    p[0] = g->t[i];
    memcpy(p + 1, g->x + i * (size_t)g->d, sizeof(double) * (size_t)g->d);
}

static double *box(const tree *t, size_t node)
{
    return t->box + node * 2 * (size_t)(t->g->d + 1);
}

static void box_leaf(tree *t, size_t node)
{
    int m = t->g->d + 1;
    double *low = box(t, node), *high = low + m;
    size_t leaf = node - (t->leaves - 1);
    for (int k = 0; k < m; k++)
        low[k] = INFINITY, high[k] = -INFINITY;
    if (first_piece(t, leaf) == first_piece(t, leaf + 1))
        return;
    for (size_t i = first_piece(t, leaf); i <= first_piece(t, leaf + 1); i++)
        for (int k = 0; k < m; k++) {
            double value = k ? t->g->x[i * (size_t)t->g->d + (size_t)k - 1] : t->g->t[i];
            low[k] = fmin(low[k], value), high[k] = fmax(high[k], value);
        }
}

static carom_status grow(tree *t, const carom_graph *g, carom_error *error)
{
    int m = g->d + 1;
    *t = (tree){.g = g, .pieces = g->n > 1 ? g->n - 1 : 0, .leaves = 1};
    while (t->leaves * LEAF < t->pieces)
        t->leaves *= 2;
    t->nodes = 2 * t->leaves - 1;
    t->box = malloc(sizeof(double) * 2 * (size_t)m * t->nodes);
    if (!t->box)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for the boxes of %zu pieces of a graph", t->pieces);
    for (size_t node = t->nodes; node-- > 0;) {
        if (node >= t->leaves - 1) {
            box_leaf(t, node);
            continue;
        }
        const double *left = box(t, 2 * node + 1), *right = box(t, 2 * node + 2);
        double *own = box(t, node);
        for (int k = 0; k < m; k++)
            own[k] = fmin(left[k], right[k]), own[m + k] = fmax(left[m + k], right[m + k]);
    }
    return CAROM_OK;
}

/* ---- the distance of a point ---- */
typedef struct line { /* value + slope r */
    double value, slope;
} line;

/* The line that is uppermost at r; among equals the one that rises most (sign 1) or falls most (sign -1). */
static line uppermost(const carom_graph *g, size_t piece, const double *p, double r, int sign)
{
    line best = {0};
    double top = -1;
    for (int k = 0; k <= g->d; k++) {
        size_t at = piece * (size_t)g->d + (size_t)(k ? k - 1 : 0);
        double x0 = k ? g->x[at] : g->t[piece], x1 = k ? g->x[at + (size_t)g->d] : g->t[piece + 1];
        double value = x0 - p[k], slope = x1 - x0, here = r == 1 ? x1 - p[k] : value + r * slope;
        double flip = here < 0 ? -1 : 1;
        if (here == 0 && slope * sign < 0)
            flip = -1;
        double up = flip * here, lean = flip * slope;
        if (up > top || (up == top && lean * sign > best.slope * sign))
            top = up, best = (line){flip * value, lean};
    }
    return best;
}

static double height(line l, double r)
{
    return r == 1 ? l.value + l.slope : l.value + r * l.slope;
}

static double piece_distance(const carom_graph *g, size_t piece, const double *p)                             /* (3) */
{
    line left = uppermost(g, piece, p, 0, 1), right = uppermost(g, piece, p, 1, -1);
    if (left.slope >= 0)
        return left.value;
    if (right.slope <= 0)
        return height(right, 1);
    double r = 0;
    for (int k = 0; k <= 2 * g->d + 2; k++) {
        r = fmin(1, fmax(0, (left.value - right.value) / (right.slope - left.slope)));
        line top = uppermost(g, piece, p, r, 1);
        if (height(top, r) <= height(left, r) * (1 + 4 * DBL_EPSILON) || top.slope == left.slope ||
            top.slope == right.slope)
            break;
        *(top.slope < 0 ? &left : &right) = top;
    }
    return height(uppermost(g, piece, p, r, 1), r);
}

static double box_distance(const tree *t, size_t node, const double *p)
{
    int m = t->g->d + 1;
    const double *low = box(t, node), *high = low + m;
    double most = 0;
    for (int k = 0; k < m; k++)
        most = fmax(most, fmax(low[k] - p[k], p[k] - high[k]));
    return most;
}

static void look_at(search *s, size_t piece, const double *p, double *best)
{
    double here = piece_distance(s->b->g, piece, p);
    s->operations++;
    if (here < *best)
        *best = here, s->near = piece;
}

/* d(p), which raises D; or anything not below it that is at most `enough`. */
static double point_distance(search *s, const double *p, double enough)                                      /* (2) */
{
    const tree *b = s->b;
    size_t stack[DEPTH], pieces = b->pieces, near = s->near;
    int depth = 0;
    double best = INFINITY;
    look_at(s, near, p, &best);
    if (best > enough && near + 1 < pieces)
        look_at(s, near + 1, p, &best);
    if (best > enough && near > 0)
        look_at(s, near - 1, p, &best);
    stack[depth++] = 0;
    while (depth > 0 && best > enough) {
        size_t node = stack[--depth];
        s->operations++;
        if (box_distance(b, node, p) >= best)
            continue;
        if (node >= b->leaves - 1) {
            size_t leaf = node - (b->leaves - 1);
            for (size_t i = first_piece(b, leaf); i < first_piece(b, leaf + 1); i++)
                look_at(s, i, p, &best);
            continue;
        }
        bool left = box_distance(b, 2 * node + 1, p) <= box_distance(b, 2 * node + 2, p);
        stack[depth++] = 2 * node + (left ? 2 : 1);
        stack[depth++] = 2 * node + (left ? 1 : 2);
    }
    if (best > enough) /* nothing was left out */
        s->D = fmax(s->D, best);
    return best;
}

/* ---- the maximum ---- */
static double apart(int m, const double *p, const double *q)
{
    double most = 0;
    for (int k = 0; k < m; k++)
        most = fmax(most, fabs(p[k] - q[k]));
    return most;
}

static double bar(const search *s)
{
    return fmax(s->D * (1 + s->rtol), s->floor);
}

/* Where to divide a piece: on every second level beside the vertex of b between the pieces nearest to the two ends,
 * so that each of them is nearest to all of its part and (5) is sharp; otherwise in the middle. */
static double divide(const search *s, const double *p, const double *q, size_t near_p, size_t near_q, int level)
{
    const carom_graph *b = s->b->g;
    int k = 0;
    if (near_p == near_q || level % 2)
        return 0.5;
    for (int i = 1; i <= b->d; i++)
        k = fabs(q[i] - p[i]) > fabs(q[k] - p[k]) ? i : k;
    size_t i = (near_p + near_q + 1) / 2;
    double w = k ? b->x[i * (size_t)b->d + (size_t)k - 1] : b->t[i], r = (w - p[k]) / (q[k] - p[k]);
    return r > 0 && r < 1 ? r : 0.5;
}

/* Bounds d between p and q; dp and dq are not below the distances there, near_p and near_q the pieces they belong
 * to. */
static void bisect(search *s, const double *p, const double *q, double dp, double dq, size_t near_p, size_t near_q,
                   int level)
{
    int m = s->a->g->d + 1;
    double length = apart(m, p, q), bound = 0.5 * (dp + dq + length);                                        /* (4) */
    const size_t both[] = {near_p, near_q};
    for (int k = 0; k < 2 && bound > bar(s); k++) {
        s->operations += 2;
        bound = fmin(bound, fmax(piece_distance(s->b->g, both[k], p), piece_distance(s->b->g, both[k], q))); /* (5) */
    }
    double *middle = s->p + level * m, r = divide(s, p, q, near_p, near_q, level);
    for (int k = 0; k < m; k++)
        middle[k] = p[k] + r * (q[k] - p[k]);
    if (bound <= bar(s) || level + 1 >= BISECTIONS || !(apart(m, p, middle) < length)) {
        s->upper = fmax(s->upper, bound);
        return;
    }
    double d = point_distance(s, middle, -1);
    size_t near = s->near;
    bisect(s, p, middle, dp, d, near_p, near, level + 1);
    bisect(s, middle, q, d, dq, near, near_q, level + 1);
}

/* All pieces of a leaf, one after the other. */
static void scan_leaf(search *s, size_t leaf)
{
    const carom_graph *g = s->a->g;
    double *p = s->q, *q = s->q + g->d + 1, dp = 0;
    size_t near_p = 0, begin = first_piece(s->a, leaf), end = first_piece(s->a, leaf + 1);
    for (size_t i = begin; i < end; i++) {
        vertex(g, i, p);
        vertex(g, i + 1, q);
        double enough = bar(s) - apart(g->d + 1, p, q); /* then (4) is below the bar */
        if (i == begin)
            dp = point_distance(s, p, enough), near_p = s->near;
        double dq = point_distance(s, q, enough);
        size_t near_q = s->near;
        bisect(s, p, q, dp, dq, near_p, near_q, 0);
        dp = dq, near_p = near_q;
    }
}

/* (6): is all of the node within the bar? */
static bool within(search *s, size_t node, size_t middle)
{
    int m = s->a->g->d + 1;
    const double *low = box(s->a, node), *high = low + m;
    double radius = 0;
    vertex(s->a->g, middle, s->p);
    for (int k = 0; k < m; k++)
        radius = fmax(radius, fmax(high[k] - s->p[k], s->p[k] - low[k]));
    if (radius >= bar(s))
        return false;
    double d = point_distance(s, s->p, bar(s) - radius);
    if (d + radius > bar(s))
        return false;
    s->upper = fmax(s->upper, d + radius);
    return true;
}

static void one_sided(search *s)
{
    const tree *a = s->a;
    size_t stack[DEPTH];
    int depth = 0;
    s->near = 0;
    for (size_t k = 0; k <= PROBES; k++) { /* a first D, so that bounds have something to be compared with */
        vertex(a->g, (size_t)((unsigned long long)k * a->pieces / PROBES), s->p);
        point_distance(s, s->p, s->D);
    }
    s->near = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        size_t node = stack[--depth], width = 1, first = node;
        while (first < a->leaves - 1)
            first = 2 * first + 1, width *= 2;
        size_t leaf = first - (a->leaves - 1), begin = first_piece(a, leaf), end = first_piece(a, leaf + width);
        s->operations++;
        if (begin == end || within(s, node, begin + (end - begin) / 2))
            continue;
        if (width == 1) {
            scan_leaf(s, leaf);
        } else {
            stack[depth++] = 2 * node + 2;
            stack[depth++] = 2 * node + 1;
        }
    }
}

static double size_of(const tree *t)
{
    double most = 0;
    for (int k = 0; k < 2 * (t->g->d + 1); k++)
        most = fmax(most, fabs(t->box[k]));
    return most;
}

static carom_status check_graph(const carom_graph *g, carom_error *error)
{
    CAROM_NEED(g, error);
    if (g->n < 2 || g->d < 1 || !g->t || !g->x)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "a graph of %zu points in %d dimensions: at least 2 and 1 are needed",
                   g->n, g->d);
    for (size_t i = 0; i < g->n; i++) {
        bool fine = isfinite(g->t[i]) && (i == 0 || g->t[i] >= g->t[i - 1]);
        for (int k = 0; k < g->d; k++)
            fine = fine && isfinite(g->x[i * (size_t)g->d + (size_t)k]);
        if (!fine)
            CAROM_FAIL(error, CAROM_BAD_ARGUMENT,
                       "point %zu of a graph, at t = %.10g, is not finite or goes back in time", i, g->t[i]);
    }
    return CAROM_OK;
}

carom_status carom_hausdorff(const carom_graph *a, const carom_graph *b, double rtol, carom_hausdorff_bounds *bounds,
                             carom_error *error)
{
    return carom_hausdorff_above(a, b, rtol, 0, bounds, error);
}

carom_status carom_hausdorff_above(const carom_graph *a, const carom_graph *b, double rtol, double floor,
                                   carom_hausdorff_bounds *bounds, carom_error *error)
{
    CAROM_NEED(bounds, error);
    CAROM_TRY(check_graph(a, error));
    CAROM_TRY(check_graph(b, error));
    if (a->d != b->d || !(rtol >= 0))
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "graphs of %d and %d components to a tolerance of %g cannot be compared",
                   a->d, b->d, rtol);
    tree ta = {0}, tb = {0};
    int m = a->d + 1;
    double *points = malloc(sizeof(double) * (size_t)((BISECTIONS + 2) * m));
    carom_status status =
        points ? grow(&ta, a, error) : carom_fail(error, CAROM_NO_MEMORY, "no memory for comparing graphs");
    if (status == CAROM_OK)
        status = grow(&tb, b, error);
    if (status == CAROM_OK) {
        search s = {.a = &ta,
                    .b = &tb,
                    .rtol = fmax(rtol, 16 * DBL_EPSILON),
                    .p = points,
                    .q = points + BISECTIONS * m};
        s.floor = fmax(floor, 256 * DBL_EPSILON * fmax(size_of(&ta), size_of(&tb)));
        one_sided(&s);
        s.a = &tb, s.b = &ta; /* with the D of the first side: only more counts */
        one_sided(&s);
        *bounds = (carom_hausdorff_bounds){s.D, fmax(s.upper, s.D), s.operations};
    }
    free(points), free(ta.box), free(tb.box);
    return status;
}
