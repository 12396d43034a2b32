/* eigen.c: eigenvalues by the shifted QR iteration in complex arithmetic, for matrices of order up to about 60.
 *
 * (1) A is brought to Hessenberg form by elimination with pivoting, which keeps its eigenvalues.
 * (2) H - mu I = Q R, H <- R Q + mu I with mu Wilkinson's shift, the eigenvalue of the last 2 x 2 block nearer to its
 *     corner: the last entry below the diagonal goes to zero quadratically, and the matrix splits there. */
#include "core/eigen.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "core/core.h"

enum { ITERATIONS = 60 }; /* for one eigenvalue */

static void swap(double complex *a, double complex *b)
{
    double complex c = *a;
    *a = *b;
    *b = c;
}

static void hessenberg(int n, double complex *H) /* (1) */
{
    for (int k = 1; k < n - 1; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (cabs(H[i * n + k - 1]) > cabs(H[pivot * n + k - 1]))
                pivot = i;
        if (H[pivot * n + k - 1] == 0)
            continue;
        for (int j = 0; pivot != k && j < n; j++)
            swap(&H[pivot * n + j], &H[k * n + j]);
        for (int i = 0; pivot != k && i < n; i++)
            swap(&H[i * n + pivot], &H[i * n + k]);
        for (int i = k + 1; i < n; i++) {
            double complex factor = H[i * n + k - 1] / H[k * n + k - 1];
            H[i * n + k - 1] = 0;
            for (int j = k; j < n; j++)
                H[i * n + j] -= factor * H[k * n + j];
            for (int j = 0; j < n; j++)
                H[j * n + k] += factor * H[j * n + i];
        }
    }
}

static double complex wilkinson(int n, const double complex *H, int last)
{
    const double complex *upper = H + (last - 1) * n + last - 1, *lower = H + last * n + last - 1;
    double complex half = 0.5 * (upper[0] + lower[1]), apart = 0.5 * (upper[0] - lower[1]);
    double complex root = csqrt(apart * apart + upper[1] * lower[0]);
    double complex one = half + root, other = half - root;
    return cabs(one - lower[1]) < cabs(other - lower[1]) ? one : other;
}

/* One step of (2) on rows and columns first ... last. */
static void sweep(int n, double complex *H, int first, int last, double complex mu, double complex *rotation)
{
    for (int k = first; k <= last; k++)
        H[k * n + k] -= mu;
    for (int k = first; k < last; k++) {
        double complex a = H[k * n + k], b = H[(k + 1) * n + k];
        double r = hypot(cabs(a), cabs(b));
        double complex c = r > 0 ? a / r : 1, s = r > 0 ? b / r : 0;
        rotation[2 * k] = c, rotation[2 * k + 1] = s;
        for (int j = k; j <= last; j++) {
            double complex x = H[k * n + j], y = H[(k + 1) * n + j];
            H[k * n + j] = conj(c) * x + conj(s) * y;
            H[(k + 1) * n + j] = c * y - s * x;
        }
    }
    for (int k = first; k < last; k++) {
        double complex c = rotation[2 * k], s = rotation[2 * k + 1];
        for (int i = first; i <= k + 1; i++) {
            double complex x = H[i * n + k], y = H[i * n + k + 1];
            H[i * n + k] = x * c + y * s;
            H[i * n + k + 1] = y * conj(c) - x * conj(s);
        }
    }
    for (int k = first; k <= last; k++)
        H[k * n + k] += mu;
}

static int larger_first(const void *a, const void *b)
{
    double complex x = *(const double complex *)a, y = *(const double complex *)b;
    double difference = cabs(y) - cabs(x);
    if (fabs(difference) > 1e-12 * (cabs(x) + cabs(y)))
        return difference > 0 ? 1 : -1;
    return cimag(x) < cimag(y) ? 1 : cimag(x) > cimag(y) ? -1 : creal(x) < creal(y) ? 1 : creal(x) > creal(y) ? -1 : 0;
}

bool carom_eigenvalues(int n, const double *A, double complex *H, double complex *value)
{
    double complex rotation[2 * 256];
    double size = 0;
    for (int i = 0; i < n * n; i++) {
        H[i] = A[i];
        size = fmax(size, fabs(A[i]));
        if (!isfinite(A[i]))
            return false;
    }
    if (n > 256)
        return false;
    hessenberg(n, H);
    for (int last = n - 1, count = 0; last >= 0;) {
        int first = last;
        for (; first > 0; first--) {
            double near = cabs(H[first * n + first]) + cabs(H[(first - 1) * n + first - 1]);
            if (cabs(H[first * n + first - 1]) <= DBL_EPSILON * (near > 0 ? near : size))
                break;
        }
        if (first == last) {
            value[last] = H[last * n + last];
            last--, count = 0;
            continue;
        }
        if (++count > ITERATIONS)
            return false;
        double complex mu = count % 10 ? wilkinson(n, H, last) : H[last * n + last] + cabs(H[last * n + last - 1]);
        sweep(n, H, first, last, mu, rotation);
    }
    for (int i = 0; i < n; i++)
        if (fabs(cimag(value[i])) <= 8 * DBL_EPSILON * size)
            value[i] = creal(value[i]);
    qsort(value, (size_t)n, sizeof *value, larger_first);
    return true;
}

double carom_norm_rows(int n, const double *A)
{
    double most = 0;
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += fabs(A[i * n + j]);
        most = CAROM_MAX(most, sum);
    }
    return most;
}
