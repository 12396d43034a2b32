/* many_scenes.h: descriptions of many bodies, made by hand, for tests and benches. */
#ifndef CAROM_MANY_SCENES_H
#define CAROM_MANY_SCENES_H

#include <math.h>

#include "bodies/many/many.h"

typedef struct scene {
    const char *name;
    carom_bodies bodies;
    carom_arena *arena;
    double h;
} scene;

static inline carom_quantity number(double value)
{
    return (carom_quantity){value, CAROM_EXPR_NONE};
}

static inline void numbers(carom_quantity *q, int n, const double *value)
{
    for (int i = 0; i < n; i++)
        q[i] = number(value ? value[i] : 0);
}

static inline carom_body_shape *add_shapes(scene *s, carom_body *body, int n)
{
    body->shape = CAROM_NEW(s->arena, carom_body_shape, n);
    body->shapes = n;
    for (int i = 0; i < n; i++) {
        carom_body_shape *x = &body->shape[i];
        numbers(x->size, 4, NULL), numbers(x->offset, 3, NULL), numbers(x->turn, 3, NULL);
    }
    return body->shape;
}

/* A new body with n shapes; the caller fills them, mass and inertia. */
static inline carom_body *add_body(scene *s, const char *name, carom_body_motion motion, int n, const double *at)
{
    carom_body *body = &s->bodies.body[s->bodies.nbody++];
    *body = (carom_body){.name = name, .family = name, .motion = motion};
    numbers(body->centre, 3, NULL), numbers(body->inertia, 6, NULL), numbers(body->at, 3, at);
    numbers(body->turn, 3, NULL), numbers(body->velocity, 3, NULL), numbers(body->spin, 3, NULL);
    for (int i = 0; i < 6; i++)
        body->moved[i] = CAROM_EXPR_NONE;
    add_shapes(s, body, n);
    return body;
}

static inline void begin(scene *s, const char *name, int nbody, double mu, double h)
{
    static int same[1] = {0};
    *s = (scene){.name = name, .arena = carom_arena_new(0), .h = h};
    carom_bodies *b = &s->bodies;
    b->body = CAROM_NEW(s->arena, carom_body, nbody);
    numbers(b->gravity, 3, (const double[]){0, 0, -9.81});
    b->law = CAROM_NEW(s->arena, carom_pair_law, 1);
    b->nlaw = b->nclass = 1, b->law_of = same;
    b->law[0] = (carom_pair_law){.name = "default", .law = &carom_law_coulomb_spatial, .directions = 2,
                                 .ncoefficient = 4};
    numbers(b->law[0].coefficient, 4, (const double[]){0, 0, mu, mu});
}

/* Planes with these normals, at this distance behind the origin of the body. */
static inline void add_planes(scene *s, const char *name, int n, const double (*plane)[4])
{
    carom_body *body = add_body(s, name, CAROM_BODY_FIXED, n, NULL);
    for (int i = 0; i < n; i++) {
        body->shape[i].kind = CAROM_SHAPE_PLANE;
        numbers(body->shape[i].size, 3, plane[i]);
        for (int j = 0; j < 3; j++)
            body->shape[i].offset[j] = number(-plane[i][3] * plane[i][j]);
    }
}

static inline void add_sphere(scene *s, double r, const double *at)
{
    carom_body *body = add_body(s, "sphere", CAROM_BODY_FREE, 1, at);
    double m = 1000 * 4 / 3.0 * acos(-1) * r * r * r, I = 0.4 * m * r * r;
    body->shape[0].kind = CAROM_SHAPE_BALL;
    body->shape[0].size[0] = number(r);
    body->mass = number(m);
    numbers(body->inertia, 6, (const double[]){I, I, I, 0, 0, 0});
}

static inline void add_box(scene *s, const char *name, const double *w, const double *at, double density)
{
    carom_body *body = add_body(s, name, CAROM_BODY_FREE, 1, at);
    double m = density * w[0] * w[1] * w[2], x = w[0] * w[0], y = w[1] * w[1], z = w[2] * w[2];
    body->shape[0].kind = CAROM_SHAPE_BOX;
    numbers(body->shape[0].size, 3, w);
    body->mass = number(m);
    numbers(body->inertia, 6, (const double[]){m * (y + z) / 12, m * (z + x) / 12, m * (x + y) / 12, 0, 0, 0});
}

/* Bricks of 1800 kg/m^3 in courses on a floor, mu = 0.6. */
static inline void wall(scene *s, int rows, int columns, double h)
{
    static const double ground[1][4] = {{0, 0, 1, 0}};
    begin(s, "wall", rows * columns + 1, 0.6, h);
    add_planes(s, "ground", 1, ground);
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < columns; i++)
            add_box(s, "brick", (const double[]){0.2, 0.1, 0.1},
                    (const double[]){(i + 0.5 * (j % 2)) * 0.2, 0, (j + 0.5) * 0.1}, 1800);
}

static inline double random_number(unsigned long long *state) /* in [-1, 1] */
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(*state >> 11) / 9007199254740992.0 * 2 - 1;
}

/* Boxes fall into a heap between four walls. */
static inline void pile(scene *s, int n)
{
    unsigned long long seed = 1;
    int side = (int)ceil(pow(n, 1 / 3.0));
    double half = 0.16 * side;
    const double box[5][4] = {{0, 0, 1, 0}, {1, 0, 0, half}, {-1, 0, 0, half}, {0, 1, 0, half}, {0, -1, 0, half}};
    begin(s, "pile", n + 1, 0.5, 5e-3);
    add_planes(s, "box", 5, box);
    for (int i = 0; i < n; i++) {
        const double at[3] = {(i % side - 0.5 * (side - 1)) * 0.3, (i / side % side - 0.5 * (side - 1)) * 0.3,
                              0.2 + i / side / side * 0.3};
        add_box(s, "box", (const double[]){0.2, 0.16, 0.12}, at, 1000);
        for (int k = 0; k < 3; k++)
            s->bodies.body[s->bodies.nbody - 1].turn[k] = number(3 * random_number(&seed));
    }
}

#endif
