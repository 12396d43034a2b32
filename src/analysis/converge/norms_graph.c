/* norms_graph.c: the filled-in graph of a motion as a polyline.
 *
 * A polynomial piece of length h becomes m chords. Between the ends of a chord the polynomial is off by at most
 * max |x''| (h/m)^2/8, with x'' bounded by sum k (k - 1) |c_k| in units of h; at equal times, hence also in the
 * metric of the graphs. The Hausdorff distance of two motions is that of their polylines to the sum of both. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/converge/norms.h"

/* max |x''| h^2/8 of the components */
static double bend(const carom_piece *p, int n, int first, int count)
{
    double most = 0;
    for (int i = first; i < first + count; i++) {
        double sum = 0;
        for (int k = 2; k <= p->degree; k++)
            sum += k * (k - 1) * fabs(p->c[k * n + i]);
        most = fmax(most, sum / 8);
    }
    return most;
}

static double chords(double bend, double sagitta)
{
    return fmax(1, ceil(sqrt(bend / sagitta)));
}

static double count_points(const carom_path *path, int first, int count, double sagitta)
{
    double points = 1;
    for (size_t k = 0; k < path->npiece; k++)
        points += 1 + chords(bend(&path->piece[k], path->n, first, count), sagitta);
    return points;
}

static void put(carom_graph *g, double *t, double *x, double at, const double *from)
{
    for (int i = 0; i < g->d; i++)
        x[g->n * (size_t)g->d + (size_t)i] = from[i];
    t[g->n] = g->n ? fmax(at, t[g->n - 1]) : at;
    g->n++;
}

carom_status carom_graph_of_path(carom_graph *graph, const carom_path *path, int first, int count, double end,
                                 double *sagitta, size_t most, carom_error *error)
{
    double points, *value = malloc(sizeof(double) * (size_t)path->n);
    *sagitta = fmax(*sagitta, 4 * DBL_EPSILON * carom_path_size(path, first, count) + DBL_MIN);
    while ((points = count_points(path, first, count, *sagitta)) > (double)most && *sagitta < 1e300)
        *sagitta *= 2;
    double *t = malloc(sizeof(double) * (size_t)points * (size_t)(count + 1)), *x = t + (size_t)points;
    *graph = (carom_graph){.d = count, .t = t, .x = x};
    if (!t || !value) {
        free(t), free(value);
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for a graph of %.0f points", points);
    }
    double reached = 0; /* the largest bend of a chord that was drawn */
    for (size_t k = 0; k < path->npiece && path->piece[k].t0 < end; k++) {
        const carom_piece *p = &path->piece[k];
        double curve = bend(p, path->n, first, count), m = chords(curve, *sagitta),
               last = fmin(1, (end - p->t0) / (p->t1 - p->t0));
        reached = fmax(reached, curve / (m * m));
        for (double j = 0; j <= m; j++) {
            double s = last * (j / m);
            carom_piece_at(p, path->n, s, value);
            put(graph, t, x, s == 1 ? p->t1 : p->t0 + s * (p->t1 - p->t0), value + first);
        }
    }
    if (end >= carom_path_end(path))
        put(graph, t, x, t[graph->n - 1], path->end + first);
    *sagitta = reached;
    free(value);
    return CAROM_OK;
}

static carom_status compare(const carom_path *a, const carom_path *b, int first, int count, double rtol, double sagitta,
                            carom_hausdorff_bounds *bounds, double *off, carom_error *error)
{
    enum { POINTS = 20000 };
    size_t most = CAROM_MAX(POINTS, 4 * CAROM_MAX(a->npiece, b->npiece));
    double end = fmin(carom_path_end(a), carom_path_end(b)), sagitta_b = sagitta;
    carom_graph ga = {0}, gb = {0};
    carom_status status = carom_graph_of_path(&ga, a, first, count, end, &sagitta, most, error);
    if (status == CAROM_OK)
        status = carom_graph_of_path(&gb, b, first, count, end, &sagitta_b, most, error);
    if (status == CAROM_OK)
        status = carom_hausdorff_above(&ga, &gb, 0.5 * rtol, sagitta + sagitta_b, bounds, error);
    *off = sagitta + sagitta_b;
    free((void *)ga.t), free((void *)gb.t);
    return status;
}

carom_status carom_path_hausdorff(const carom_path *a, const carom_path *b, int first, int count, double rtol,
                                  carom_hausdorff_bounds *bounds, carom_error *error)
{
    double size = fmax(carom_path_size(b, first, count), DBL_MIN), sagitta = 1e-5 * size,
           least = fmax(1e-10, 1e-6 * rtol) * size, off = 0;
    long operations = 0;
    /* finer chords until their bend is small against the distance, or against everything */
    for (int k = 0; k < 3; k++) {
        CAROM_TRY(compare(a, b, first, count, rtol, sagitta, bounds, &off, error));
        operations += bounds->operations;
        if (off <= 0.25 * rtol * bounds->lower || sagitta <= least)
            break;
        sagitta = fmax(fmin(0.1 * rtol * fmax(bounds->lower, off), 0.1 * sagitta), least);
    }
    *bounds = (carom_hausdorff_bounds){fmax(0, bounds->lower - off), bounds->upper + off, operations};
    return CAROM_OK;
}
