/* fit.c: from errors to an order.
 *
 * Through impacts the error of one sequence of steps is erratic, because the impacts move within their steps. So
 * every nominal step H stands for several, H f_1, H f_2, ..., f between 0.95 and 1.05 and incommensurable:
 *   E(H) = mean over j of e(H f_j)                                                                            (1)
 *   order: the least-squares slope of log E against log H                                                     (2)
 *   spread: half the range of the slopes of the single sequences e(H f_j), j fixed                            (3)
 *   envelope: the slope of log max_j e(H f_j) against log H                                                   (4)
 * Errors at the accuracy of the reference are left out, and so are nominal steps with a failed run. */
#include <math.h>

#include "analysis/converge/converge.h"

enum { POINTS = 64 };

double carom_converge_shift(int k, int shifts)
{
    if (shifts == 1)
        return 1;
    /* equally spaced, but for multiples of an irrational number that keep the ratios apart */
    double place = (k + 0.5) / shifts, wobble = fmod(0.6180339887498949 * (k + 1), 1) - 0.5;
    return 0.95 + 0.1 * (place + 0.3 * wobble / shifts);
}

double carom_converge_slope(int n, const double *x, const double *y, double *constant)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int i = 0; i < n; i++) {
        double a = log(x[i]), b = log(y[i]);
        sx += a, sy += b, sxx += a * a, sxy += a * b;
    }
    double determinant = n * sxx - sx * sx;
    if (n < 2 || !(determinant > 1e-12 * n * sxx))
        return NAN;
    double slope = (n * sxy - sx * sy) / determinant;
    if (constant)
        *constant = exp((sy - slope * sx) / n);
    return slope;
}

/* The mean error at nominal step k, or NAN. */
static double mean(const carom_converge_task *task, int shifts, int norm, double floor)
{
    double sum = 0;
    for (int j = 0; j < shifts; j++) {
        if (task[j].status != CAROM_OK || !(task[j].error[norm] > floor))
            return NAN;
        sum += task[j].error[norm] / shifts;
    }
    return sum;
}

void carom_converge_fit(const carom_converge_task *task, int n, int shifts, int norm, double floor,
                        carom_converge_order *order)
{
    double x[POINTS] = {0}, y[POINTS] = {0}, low = INFINITY, high = -INFINITY;
    int index[POINTS], points = 0;
    for (int k = 0; k < n && points < POINTS; k++) {
        double e = mean(&task[k * shifts], shifts, norm, floor);
        if (e > 0)
            x[points] = task[k * shifts].nominal, y[points] = e, index[points++] = k;                        /* (1) */
    }
    order->points = points;
    order->constant = NAN;
    order->order = carom_converge_slope(points, x, y, &order->constant);                                     /* (2) */
    for (int k = 0; k < points; k++) {
        y[k] = 0;
        for (int j = 0; j < shifts; j++)
            y[k] = fmax(y[k], task[index[k] * shifts + j].error[norm]);
    }
    order->envelope = carom_converge_slope(points, x, y, NULL);                                              /* (4) */
    for (int j = 0; j < shifts; j++) {
        for (int k = 0; k < points; k++)
            x[k] = task[index[k] * shifts + j].value, y[k] = task[index[k] * shifts + j].error[norm];
        double slope = carom_converge_slope(points, x, y, NULL);
        low = fmin(low, slope), high = fmax(high, slope);
    }
    order->spread = shifts > 1 && points > 1 ? 0.5 * (high - low) : NAN;                                     /* (3) */
}
