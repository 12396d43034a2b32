/* dormand_prince.h: the coefficients of Dormand and Prince's pair 5(4), for positions in terms of accelerations too.
 * Source: J. R. Dormand and P. J. Prince, J. Comput. Appl. Math. 6 (1980) 19-26. */
#ifndef CAROM_DORMAND_PRINCE_H
#define CAROM_DORMAND_PRINCE_H

#define C2 (1.0 / 5)
#define C3 (3.0 / 10)
#define C4 (4.0 / 5)
#define C5 (8.0 / 9)
#define A21 (1.0 / 5)
#define A31 (3.0 / 40)
#define A32 (9.0 / 40)
#define A41 (44.0 / 45)
#define A42 (-56.0 / 15)
#define A43 (32.0 / 9)
#define A51 (19372.0 / 6561)
#define A52 (-25360.0 / 2187)
#define A53 (64448.0 / 6561)
#define A54 (-212.0 / 729)
#define A61 (9017.0 / 3168)
#define A62 (-355.0 / 33)
#define A63 (46732.0 / 5247)
#define A64 (49.0 / 176)
#define A65 (-5103.0 / 18656)
#define B1 (35.0 / 384)
#define B3 (500.0 / 1113)
#define B4 (125.0 / 192)
#define B5 (-2187.0 / 6784)
#define B6 (11.0 / 84)
/* What weights of the velocities of stages 2 to 7 are as weights of accelerations. */
#define POSITIONS(w2, w3, w4, w5, w6, w7)                                                                              \
    {                                                                                                                  \
        (w2) * A21 + (w3)*A31 + (w4)*A41 + (w5)*A51 + (w6)*A61 + (w7)*B1, (w3)*A32 + (w4)*A42 + (w5)*A52 + (w6)*A62,   \
            (w4)*A43 + (w5)*A53 + (w6)*A63 + (w7)*B3, (w5)*A54 + (w6)*A64 + (w7)*B4, (w6)*A65 + (w7)*B5, (w7)*B6       \
    }

/* Weights of the error, b - b^; the second is 0. */
#define D1 (71.0 / 57600)
#define D3 (-71.0 / 16695)
#define D4 (71.0 / 1920)
#define D5 (-17253.0 / 339200)
#define D6 (22.0 / 525)
#define D7 (-1.0 / 40)

#endif
