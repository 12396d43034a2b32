/* turning.c: positions of a model with quaternions: lengths and angles are vectors, rotations are not. */
#include <math.h>
#include <string.h>

#include "bodies/section.h"
#include "model/rotation.h"

/* Calls for every velocity: vectors one by one, quaternions three at a time. */
#define EACH(x, flat, rotation)                                                                    \
    do {                                                                                           \
        const carom_turning *turning = user;                                                       \
        for (int j = 0; j < turning->nv; j++) {                                                    \
            int i = turning->direction[j].q;                                                       \
            if (turning->direction[j].axis < 0) {                                                  \
                flat;                                                                              \
            } else {                                                                               \
                rotation;                                                                          \
                j += 2;                                                                            \
            }                                                                                      \
        }                                                                                          \
    } while (0)

static void drift(void *user, const double *q, const double *xi, double *out)
{
    EACH(user, out[i] = q[i] + xi[j], carom_rotation_drift(q + i, xi + j, out + i));
}

static void local(void *user, const double *q, const double *to, double *xi)
{
    EACH(user, xi[j] = to[i] - q[i], carom_rotation_local(q + i, to + i, xi + j));
}

static void rate(void *user, const double *xi, const double *v, double *out)
{
    EACH(user, ((void)i, out[j] = v[j]), carom_rotation_rate(xi + j, v + j, out + j));
}

static void velocity(void *user, const double *xi, const double *rate_of_xi, double *out)
{
    EACH(user, ((void)i, out[j] = rate_of_xi[j]), carom_rotation_velocity(xi + j, rate_of_xi + j, out + j));
}

static void rate_change(void *user, const double *xi, const double *v, const double *d, double *out)
{
    EACH(user, ((void)i, out[j] = 0), carom_rotation_rate_change(xi + j, v + j, d + j, out + j));
}

static void size(void *user, const double *q, double *out)
{
    EACH(user, out[j] = fabs(q[i]), (out[j] = out[j + 1] = out[j + 2] = 1));
}

const carom_manifold carom_bodies_manifold = {drift, local, rate, velocity, rate_change, size};
