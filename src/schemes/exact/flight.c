/* flight.c: the Taylor series of a flight and its first event.
 *
 *   lambda = -(G M^-1 G^T)^-1 (G a + g0'')    for the closed links, a = M^-1 (F0 - K q - C v)              (1)
 *   v' = a + M^-1 G^T lambda,  so  z' = A z                                                                (2)
 *   row_0 = row,  row_(k+1) = row_k A rho/(k+1)                                                            (3)
 *   Omega rho <= 3/2,   (Omega rho)^(N+1)/(N+1)! < 1e-18        length rho and degree N of a piece         (4)
 *
 * Omega bounds the norm of A with the coordinates scaled by sqrt(M_ii) and against the velocities, and the
 * frequencies of the forcing; the projection on closed links does not enlarge it. Redundant closed links share the
 * force of least norm. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "schemes/exact/exact.h"

/* ---- (4) ---- */

/* The smaller of the largest row and column sums of D M^-1 A D^-1 with D = sqrt(diag M); rows: M^-1 A = -free[first
 * ...] */
static double norm(const carom_exact *x, const carom_system *sys, int first)
{
    double rows = 0, columns = 0;
    for (int i = 0; i < x->n; i++) {
        double row = 0, column = 0;
        for (int j = 0; j < x->n; j++) {
            double scale = sqrt(carom_mass_entry(sys, i, i) / carom_mass_entry(sys, j, j));
            row += fabs(x->free[i * x->nz + first + j]) * scale;
            column += fabs(x->free[j * x->nz + first + i]) / scale;
        }
        rows = fmax(rows, row), columns = fmax(columns, column);
    }
    return fmin(rows, columns);
}

void carom_exact_size(carom_exact *x, const carom_system *sys, double h)
{
    double k = norm(x, sys, 0), c = norm(x, sys, x->n), omega = c / 2 + sqrt(c * c / 4 + k);
    for (int j = 0; j < x->nharmonic; j++)
        omega = fmax(omega, x->omega[j]);
    x->rho = fmin(h, (x->degree > 1 ? 1.0 : 1.5) / omega);
    int order = 0;
    for (double term = 1; omega > 0 && term > 1e-18; term *= omega * x->rho / ++order)
        ;
    x->order = CAROM_MIN(CAROM_MAX(order, 2) + x->degree, EXACT_TERMS - 1);
    x->terms = (x->order + 8) / 8 * 8;
}

/* ---- (1)-(3) ---- */

void carom_exact_select(carom_exact *x, const unsigned char *closed)
{
    carom_equations *e = &x->closed;
    e->m = 0;
    for (int i = 0; i < x->nlink; i++)
        if (closed[i] && carom_room_for(e->room, e->m + 1)) {
            e->link[e->m] = i, e->row[e->m] = x->system->link[i].row;
            carom_copy(x->n, x->Y + i * x->n, e->Y + e->m++ * x->n);
        }
}

static void forces(carom_exact *x, const unsigned char *closed)
{
    int n = x->n, nz = x->nz;
    carom_equations *e = &x->closed;
    memcpy(x->acceleration, x->free, sizeof(double) * (size_t)(n * nz));
    memset(x->lambda, 0, sizeof(double) * (size_t)(x->nlink * nz));
    carom_exact_select(x, closed);
    for (int j = 0; e->m && j < nz; j++) {
        for (int a = 0; a < e->m; a++) {
            int i = e->link[a];
            double sum = j < 2 * n ? 0 : x->offset_2[i * x->nt + j - 2 * n];
            for (int k = 0; k < n; k++)
                sum += x->G[i * n + k] * x->free[k * nz + j];
            e->b[a] = -sum;
        }
        carom_equations_solve(e, x->system, 1e-12);                                                           /* (1) */
        for (int a = 0; a < e->m; a++) {
            x->lambda[e->link[a] * nz + j] = e->x[a];
            for (int k = 0; k < n; k++)
                x->acceleration[k * nz + j] += e->Y[a * n + k] * e->x[a];                                     /* (2) */
        }
    }
}

/* out = row A */
static void apply(const carom_exact *x, const double *row, double *out)
{
    int n = x->n, nz = x->nz, d = x->degree;
    const double *time = row + 2 * n;
    for (int j = 0; j < nz; j++)
        out[j] = 0;
    for (int i = 0; i < n; i++) {
        double factor = row[n + i];
        for (int j = 0; factor != 0 && j < nz; j++)
            out[j] += factor * x->acceleration[i * nz + j];
        out[n + i] += row[i];
    }
    for (int k = 0; k < d; k++)
        out[2 * n + k] += time[k + 1];
    for (int j = 0; j < x->nharmonic; j++) {
        out[2 * n + d + 1 + 2 * j] += x->omega[j] * time[d + 2 + 2 * j];
        out[2 * n + d + 2 + 2 * j] -= x->omega[j] * time[d + 1 + 2 * j];
    }
}

/* Columns of the series that begins with x->row[0]. */
static void series(carom_exact *x, double *columns)
{
    double *row = x->row[0], *next = x->row[1];
    memset(columns, 0, sizeof(double) * (size_t)(x->nz * x->terms));
    for (int k = 0; k <= x->order; k++) {
        for (int j = 0; j < x->nz; j++)
            columns[j * x->terms + k] = row[j];
        apply(x, row, next);
        for (int j = 0; j < x->nz; j++)
            row[j] = next[j] * (x->rho / (k + 1));                                                            /* (3) */
    }
}

static void make_coordinates(carom_exact *x, carom_flight *f)
{
    int n = x->n, nz = x->nz, terms = x->terms;
    for (int i = 0; i < n; i++) {
        double *columns = f->Q + i * nz * terms;
        memset(x->row[0], 0, sizeof(double) * (size_t)nz);
        x->row[0][i] = 1;
        series(x, columns);
        for (int j = 0; j < nz; j++) {
            double q = 0, v = 0;
            for (int k = x->order; k >= 2; k--)
                q += columns[j * terms + k], v += k * columns[j * terms + k];
            q += columns[j * terms + 1];
            f->X[i * nz + j] = q, f->X[(n + i) * nz + j] = v / x->rho;
        }
    }
}

static void make_events(carom_exact *x, carom_flight *f)
{
    int n = x->n, nz = x->nz, terms = x->terms;
    for (int i = 0; i < x->nlink; i++) {
        double *columns = f->E + i * nz * terms, *bernstein = f->B + i * nz * terms, *row = x->row[0];
        memset(row, 0, sizeof(double) * (size_t)nz);
        if (f->closed[i]) {
            memcpy(row, x->lambda + i * nz, sizeof(double) * (size_t)nz);
        } else {
            memcpy(row, x->G + i * n, sizeof(double) * (size_t)n);
            memcpy(row + 2 * n, x->offset + i * x->nt, sizeof(double) * (size_t)x->nt);
        }
        series(x, columns);
        memset(bernstein, 0, sizeof(double) * (size_t)(nz * terms));
        for (int j = 0; j < nz; j++) {
            double rest = 0, *eight = f->B8 + (i * nz + j) * 8;
            for (int k = 8; k <= x->order; k++)
                rest += fabs(columns[j * terms + k]);
            f->R8[i * nz + j] = rest;
            carom_polynomial_bernstein(CAROM_MIN(x->order, 7), columns + j * terms, eight);
            for (int k = x->order + 1; k < 8; k++)
                eight[k] = eight[x->order];
            carom_polynomial_bernstein(x->order, columns + j * terms, bernstein + j * terms);
        }
    }
}

static bool fits(const carom_exact *x, const carom_flight *f, const unsigned char *mode)
{
    for (int i = x->njoint; i < x->nlink; i++)
        if (f->closed[i] != carom_link_closed(&x->system->link[i], mode))
            return false;
    return f->ready;
}

carom_flight *carom_exact_flight(carom_exact *x, const unsigned char *mode)
{
    for (int k = 0; k < EXACT_FLIGHTS; k++)
        if (fits(x, &x->flight[k], mode))
            return &x->flight[k];
    carom_flight *f = &x->flight[x->oldest];
    x->oldest = (x->oldest + 1) % EXACT_FLIGHTS;
    for (int i = 0; i < x->nlink; i++)
        f->closed[i] = carom_link_closed(&x->system->link[i], mode);
    forces(x, f->closed);
    make_coordinates(x, f);
    make_events(x, f);
    f->ready = true;
    return f;
}

void carom_exact_clock(carom_exact *x, double t)
{
    if (t == x->t)
        return;
    double *z = x->z + 2 * x->n, power = 1;
    for (int k = 0; k <= x->degree; k++, power *= t / k)
        z[k] = power;
    for (int j = 0; j < x->nharmonic; j++) {
        double phase = x->omega[j] * t, c = cos(phase), s = sin(phase);
        z[x->degree + 1 + 2 * j] = c;
        z[x->degree + 2 + 2 * j] = s;
    }
    x->t = t;
}

/* ---- events ---- */

/* The number of leading coefficients that are rounding; a gap that leaves may also be negative. */
static int vanishing(const carom_exact *x, const carom_flight *f, int i, const double *c, bool leaves)
{
    const double *columns = f->E + i * x->nz * x->terms;
    double least = carom_exact_scale(x, i) * (f->closed[i] ? 1 / x->W[i] : x->rho * x->rho);
    int d = leaves && c[0] < 0;
    for (; d <= x->order; d++) {
        double size = least;
        for (int j = 0; j < x->nz; j++)
            size += fabs(columns[j * x->terms + d] * x->z[j]);
        if (fabs(c[d]) > 16 * DBL_EPSILON * size)
            break;
    }
    return d;
}

/* Is the event function f positive on all of [0, 1]? Its first 8 terms tell, the others are bounded. Of a gap that
 * leaves f(0) is rounding: is (f - f(0))/s positive? Its coefficients are at least b_k - b_0, k > 0. */
static bool positive(const carom_exact *x, const carom_flight *f, int i, bool leaves)
{
    double b[8], rest = 0;
    const double *R = f->R8 + i * x->nz;
    carom_exact_eight(x, f->B8 + i * x->nz * 8, 8, b);
    for (int j = 0; j < x->nz; j++)
        rest += R[j] * fabs(x->z[j]);
    double least = b[1], first = leaves ? b[0] : 0;
    for (int k = 2; k < 8; k++)
        least = b[k] < least ? b[k] : least;
    if (!leaves && b[0] < least)
        least = b[0];
    return least - first > rest + 64 * DBL_EPSILON * fabs(b[0]);
}

double carom_exact_event(const carom_exact *x, const carom_flight *f, int i, double *leaves, double end)
{
    int N = x->order, d = 0, at = i * x->nz * x->terms;
    double b[EXACT_TERMS], c[EXACT_TERMS];
    bool closed = f->closed[i];
    if (positive(x, f, i, *leaves != 0 && !closed))
        return INFINITY;
    carom_exact_series(x, f->B + at, b);
    carom_exact_series(x, f->E + at, c);
    if (closed || *leaves != 0 || !(b[0] > 0)) {
        d = vanishing(x, f, i, c, *leaves != 0 && !closed);
        if (d == 0)
            *leaves = 0;
        if (d <= N && c[d] < 0)
            return 0;
        if (d >= N)
            return INFINITY;
    }
    if (d == 1) {
        b[0] = c[1];
        for (int k = 1; k < N; k++)
            b[k] = (b[k + 1] - c[0]) * ((double)N / (k + 1));
    }
    if (d > 1)
        carom_polynomial_bernstein(N - d, c + d, b);
    return carom_polynomial_first_root(N - d, c + d, b, end);
}
