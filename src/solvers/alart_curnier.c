/* alart_curnier.c: Alart and Curnier's function of a contact, whose zeros are the solutions of its law.
 *
 *   p_n = 3/W_nn,  p_t = 3/mean W_tt
 *   F_n = r_n - [r_n - p_n u_n]+                                                                                (1)
 *   F_t = r_t - (projection of r_t - p_t u_t on the disc of radius mu [r_n - p_n u_n]+)                         (2)
 *   equations: F = u;  what is open by its pin: F = r                                                           (3)
 *
 * (Alart and Curnier, Comput. Methods Appl. Mech. Engrg. 92 (1991) 353-375.) */
#include <math.h>

#include "solvers/scaled.h"

static bool of_contact(int rows, double mu, double pn, double pt, const double *u, const double *r, double *F,
                       double *A, double *B)
{
    double sn = r[0] - pn * u[0], radius = sn > 0 ? mu * sn : 0, st[2] = {0, 0}, size = 0;
    bool open = !(sn > 0);
    F[0] = open ? r[0] : pn * u[0];                                                      /* (1) */
    if (A)
        A[0] = open ? 0 : pn, B[0] = open ? 1 : 0;
    for (int i = 1; i < rows; i++)
        st[i - 1] = r[i] - pt * u[i];
    size = sqrt(st[0] * st[0] + st[1] * st[1]);
    bool sticks = size <= radius && !open;
    for (int i = 1; i < rows; i++) {
        double e = size > 0 ? st[i - 1] / size : 0;
        F[i] = sticks ? pt * u[i] : r[i] - radius * e;                                   /* (2) */
        if (!A)
            continue;
        A[i] = B[i] = 0;
        A[3 * i] = open || sticks ? 0 : mu * pn * e;
        B[3 * i] = open || sticks ? 0 : -mu * e;
        for (int j = 1; j < rows; j++) {
            double turn = open || sticks ? 0 : radius / size * ((i == j) - e * st[j - 1] / size);
            A[3 * i + j] = sticks ? pt * (i == j) : pt * turn;
            B[3 * i + j] = sticks ? 0 : (i == j) - turn;
        }
    }
    return open;
}

bool carom_alart_curnier(int part, int rows, double mu, const double *W, double scale, const double *u, const double *r,
                         double *F, double *A, double *B)
{
    if (part == CAROM_PART_CONTACT) {
        double wn = scale * W[0], wt = 0; /* mean of the tangents */
        for (int i = 1; i < rows; i++)
            wt += scale * W[i * (rows + 1)] / (rows - 1);
        return of_contact(rows, mu, wn > 0 ? 3 / wn : 3, wt > 0 ? 3 / wt : 3, u, r, F, A, B);
    }
    bool open = part == CAROM_PART_NONE;
    for (int i = 0; i < rows; i++)
        F[i] = open ? r[i] : u[i];                                                       /* (3) */
    for (int i = 0; A && i < 9; i++)
        A[i] = !open && i % 4 == 0, B[i] = open && i % 4 == 0;
    return open;
}
