/* tableau.c: coefficients of Runge-Kutta methods, in closed form.
 * Sources: E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, II (Springer): Radau IIA,
 * Lobatto IIIA and IIIC, Gauss; the explicit ones are the midpoint rule, Kutta's of order 3 and 4, and the
 * fifth-order part of Dormand and Prince's pair. */
#include <stddef.h>

#include "core/dormand_prince.h"
#include "core/tableau.h"

#define R3 1.7320508075688772935274463415058724
#define R5 2.2360679774997896964091736687312762
#define R6 2.4494897427831780981972840747058914
#define R15 3.8729833462074168851792653997823996

static const carom_tableau tableaus[CAROM_TABLEAU_COUNT] = {
    {"radau3", 2, 3, true, {1.0 / 3, 1}, {3.0 / 4, 1.0 / 4}, {{5.0 / 12, -1.0 / 12}, {3.0 / 4, 1.0 / 4}}},
    {"radau5", 3, 5, true, {(4 - R6) / 10, (4 + R6) / 10, 1}, {(16 - R6) / 36, (16 + R6) / 36, 1.0 / 9},
     {{(88 - 7 * R6) / 360, (296 - 169 * R6) / 1800, (-2 + 3 * R6) / 225},
      {(296 + 169 * R6) / 1800, (88 + 7 * R6) / 360, (-2 - 3 * R6) / 225},
      {(16 - R6) / 36, (16 + R6) / 36, 1.0 / 9}}},
    {"lobatto-a2", 2, 2, true, {0, 1}, {0.5, 0.5}, {{0}, {0.5, 0.5}}},
    {"lobatto-a4", 3, 4, true, {0, 0.5, 1}, {1.0 / 6, 2.0 / 3, 1.0 / 6},
     {{0}, {5.0 / 24, 1.0 / 3, -1.0 / 24}, {1.0 / 6, 2.0 / 3, 1.0 / 6}}},
    {"lobatto-a6", 4, 6, true, {0, (5 - R5) / 10, (5 + R5) / 10, 1}, {1.0 / 12, 5.0 / 12, 5.0 / 12, 1.0 / 12},
     {{0},
      {(11 + R5) / 120, (25 - R5) / 120, (25 - 13 * R5) / 120, (-1 + R5) / 120},
      {(11 - R5) / 120, (25 + 13 * R5) / 120, (25 + R5) / 120, (-1 - R5) / 120},
      {1.0 / 12, 5.0 / 12, 5.0 / 12, 1.0 / 12}}},
    {"lobatto-c2", 2, 2, true, {0, 1}, {0.5, 0.5}, {{0.5, -0.5}, {0.5, 0.5}}},
    {"lobatto-c4", 3, 4, true, {0, 0.5, 1}, {1.0 / 6, 2.0 / 3, 1.0 / 6},
     {{1.0 / 6, -1.0 / 3, 1.0 / 6}, {1.0 / 6, 5.0 / 12, -1.0 / 12}, {1.0 / 6, 2.0 / 3, 1.0 / 6}}},
    {"gauss2", 1, 2, true, {0.5}, {1}, {{0.5}}},
    {"gauss4", 2, 4, true, {0.5 - R3 / 6, 0.5 + R3 / 6}, {0.5, 0.5}, {{0.25, 0.25 - R3 / 6}, {0.25 + R3 / 6, 0.25}}},
    {"gauss6", 3, 6, true, {0.5 - R15 / 10, 0.5, 0.5 + R15 / 10}, {5.0 / 18, 4.0 / 9, 5.0 / 18},
     {{5.0 / 36, 2.0 / 9 - R15 / 15, 5.0 / 36 - R15 / 30},
      {5.0 / 36 + R15 / 24, 2.0 / 9, 5.0 / 36 - R15 / 24},
      {5.0 / 36 + R15 / 30, 2.0 / 9 + R15 / 15, 5.0 / 36}}},
    {"erk2", 2, 2, false, {0, 0.5}, {0, 1}, {{0}, {0.5}}},
    {"erk3", 3, 3, false, {0, 0.5, 1}, {1.0 / 6, 2.0 / 3, 1.0 / 6}, {{0}, {0.5}, {-1, 2}}},
    {"erk4", 4, 4, false, {0, 0.5, 0.5, 1}, {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, {{0}, {0.5}, {0, 0.5}, {0, 0, 1}}},
    {"erk5", 6, 5, false, {0, C2, C3, C4, C5, 1}, {B1, 0, B3, B4, B5, B6},
     {{0}, {A21}, {A31, A32}, {A41, A42, A43}, {A51, A52, A53, A54}, {A61, A62, A63, A64, A65}}},
};

const carom_tableau *carom_tableau_list(int i)
{
    return i >= 0 && i < CAROM_TABLEAU_COUNT ? &tableaus[i] : NULL;
}
