/* polynomial.c: the first root of a polynomial, by counting signs of Bernstein coefficients.
 *
 * A polynomial has at most as many roots in (0, 1) as its Bernstein coefficients change signs (and as many but for an
 * even number). No change: no root. One change: one simple root, found by Newton's method in a bracket. Otherwise the
 * interval is halved, left half first. So no pair of close roots is missed, however short the dip. */
#include "core/polynomial.h"

#include <float.h>
#include <math.h>

/* Even and odd powers apart, p = E(s^2) + s O(s^2): four short chains instead of two long ones. */
double carom_polynomial_value(int degree, const double *c, double s, double *slope)
{
    double x = s * s, even = 0, odd = 0, even_1 = 0, odd_1 = 0;
    int k = degree;
    if (degree % 2 == 0)
        even = c[k--];
    for (; k > 0; k -= 2) {
        odd_1 = odd_1 * x + odd;
        odd = odd * x + c[k];
        even_1 = even_1 * x + even;
        even = even * x + c[k - 1];
    }
    *slope = odd + 2 * s * (even_1 + s * odd_1);
    return even + s * odd;
}

/* b_i = sum_k C(i,k)/C(n,k) c_k */
void carom_polynomial_bernstein(int degree, const double *c, double *b)
{
    double binomial = 1;
    for (int k = 0; k <= degree; k++) {
        b[k] = c[k] / binomial;
        binomial = binomial * (degree - k) / (k + 1);
    }
    for (int j = 1; j <= degree; j++)
        for (int i = degree; i >= j; i--)
            b[i] += b[i - 1];
}

/* The root between low (positive there) and high (not positive). Near a double root Newton's steps leave the bracket or
 * shrink slowly: then it is halved. Curvature from two slopes tells when the next step cannot be seen. */
static double in_bracket(int degree, const double *c, double low, double high, double s)
{
    double width = high - low, before = s, slope_before = 0;
    for (int k = 0; k < 200; k++) {
        double slope, value = carom_polynomial_value(degree, c, s, &slope);
        if (value > 0)
            low = s;
        else
            high = s;
        double move = -value / slope, next = s + move;
        double bend = k ? fabs((slope - slope_before) / (s - before) / slope) : INFINITY;
        if (fabs(move) <= DBL_EPSILON * s || bend * move * move <= 0.5 * DBL_EPSILON * s)
            return next > low && next < high ? next : s;
        if (!(next > low && next < high) || (k % 8 == 7 && high - low > 0.1 * width))
            next = 0.5 * (low + high);
        if (!(next > low && next < high))
            return s;
        if (k % 8 == 7)
            width = high - low;
        before = s, slope_before = slope, s = next;
    }
    return s;
}

static int sign_changes(int degree, const double *b, int *first)
{
    int changes = 0;
    for (int i = 0; i < degree; i++)
        if ((b[i] > 0) != (b[i + 1] > 0) && changes++ == 0)
            *first = i;
    return changes;
}

static double search(int degree, const double *c, const double *b, double low, double high, int depth);

/* Left half first. */
static double halves(int degree, const double *c, const double *b, double low, double high, int depth)
{
    double left[CAROM_POLYNOMIAL_MAX], right[CAROM_POLYNOMIAL_MAX], middle = 0.5 * (low + high);
    if (depth == 0)
        return b[degree] > 0 ? INFINITY : high;
    for (int i = 0; i <= degree; i++)
        right[i] = b[i];
    for (int j = 0; j <= degree; j++) { /* de Casteljau */
        left[j] = right[0];
        for (int i = 0; i < degree - j; i++)
            right[i] = 0.5 * (right[i] + right[i + 1]);
    }
    double root = search(degree, c, left, low, middle, depth - 1);
    if (root <= high)
        return root;
    return right[0] > 0 ? search(degree, c, right, middle, high, depth - 1) : middle;
}

/* b on [low, high], positive at its left end */
static double search(int degree, const double *c, const double *b, double low, double high, int depth)
{
    int first = 0, changes = sign_changes(degree, b, &first);
    if (changes == 0)
        return INFINITY;
    if (changes > 1)
        return halves(degree, c, b, low, high, depth);
    double at = (first + b[first] / (b[first] - b[first + 1])) / degree;
    return in_bracket(degree, c, low, high, low + at * (high - low));
}

double carom_polynomial_first_root(int degree, const double *c, const double *b, double end)
{
    enum { DEPTH = 50 };
    double root = search(degree, c, b, 0, 1, DEPTH);
    return root <= end ? root : INFINITY;
}
