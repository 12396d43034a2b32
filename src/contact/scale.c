/* scale.c: sizes of gaps, velocities and accelerations of links. */
#include <float.h>
#include <math.h>

#include "contact/scale.h"

void carom_scale_links(const carom_system *system, const double *size, const double *v, const double *a,
                       carom_scale *scale)
{
    carom_rows rows = carom_rows_here(system);
    for (int i = 0; i < system->nlink; i++) {
        const carom_link *link = &system->link[i];
        double length = carom_rows_reach(system, &rows, link->row, size, NULL), speed = 0, accel = 0;   /* (1) */
        for (int r = link->row; r < link->row + link->rows; r++) {
            accel = CAROM_MAX(accel, carom_rows_reach(system, &rows, r, a, NULL) + fabs(system->at.gamma[r])); /* (2) */
            speed = CAROM_MAX(speed, carom_rows_reach(system, &rows, r, v, NULL) + fabs(rows.w[r]));
        }
        scale[i] = (carom_scale){length, speed + sqrt(length * accel), accel};                             /* (3) */
    }
}

double carom_scale_gap(const carom_system *system, int row, const double *q)
{
    const carom_model *m = system->model;
    carom_rows rows = carom_rows_here(system);
    if (!m->manifold)
        return carom_rows_reach(system, &rows, row, q, NULL);
    m->manifold->size(m->user, q, system->xi);
    return carom_rows_reach(system, &rows, row, system->xi, NULL);
}

double carom_scale_speed(const carom_system *system, int row, const double *v)
{
    carom_rows rows = carom_rows_here(system);
    return carom_rows_reach(system, &rows, row, v, NULL) + fabs(rows.w[row]);
}

double carom_scale_mass(const carom_system *system, const double *x, double *room)
{
    double sum = 0;
    carom_mass_multiply(system, x, room);
    for (int i = 0; i < system->nv; i++)
        sum += x[i] * room[i];
    return sqrt(CAROM_MAX(sum, 0));
}

/* Constants in a gap may be larger than all coordinates: what stays below their rounding is met, too. */
bool carom_scale_met(double size, double before, double length)
{
    return size <= 1e-15 * length || (size > 0.5 * before && size <= 1e-10 * length + 4 * DBL_EPSILON);
}
