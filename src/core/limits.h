/* limits.h: how much of everything there may be. Beyond a limit stands one sentence with the numbers. */
#ifndef CAROM_LIMITS_H
#define CAROM_LIMITS_H

#include <limits.h>

enum { /* of any model */
    CAROM_MAX_COUNT = 100000,    /* coordinates, parameters, joints, contacts, outputs: small multiples of it are int */
    CAROM_MAX_FOUND = 1000000,   /* contacts that are found before a step */
    CAROM_MAX_ENTRIES = INT_MAX, /* of a dense matrix: velocities or rows (joints, normals, directions) by velocities */
};
enum { /* of a model file: a hostile one must fail quickly */
    CAROM_MAX_NODES = 200000,    /* of expressions */
    CAROM_BODIES_NODES = 2500000, /* of those of a model with bodies */
    CAROM_MAX_COORDINATES = 200,
    CAROM_MAX_NAMES = 2000,      /* parameters, let, tables, outputs: of each */
    CAROM_MAX_CONTACTS = 1000,   /* and of joints */
    CAROM_MAX_DEPTH = 200,       /* of names that depend on each other */
    CAROM_MAX_BOUND = 4          /* sums inside sums */
};

#endif
