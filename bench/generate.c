/* generate.c: contact problems of piles and walls, for the solvers.
 *
 *     bench-generate spheres N FILE      N^3 spheres of uneven size in a bin, on a face-centred lattice, loosely packed
 *     bench-generate wall N FILE         N rows of N bricks in running bond, eight contacts a brick
 *
 * One step of time-stepping from rest: b = G (v + h g), with small velocities v that differ from body to body. Friction
 * 0.7 (bricks), 0.3 (spheres). Written in the library's own format, W as the product of rows of bodies, or stored by
 * blocks (a last argument `stored`); the same numbers on every machine. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "laws/coulomb.h"
#include "problem/formats.h"

typedef struct body {
    double at[3], inverse_mass, inverse_inertia[3], v[6], radius;
} body;

typedef struct contact {
    int body[2];      /* the second pushes the first along n; -1: the ground */
    double J[2][18];  /* 3 x 6 of each */
} contact;

typedef struct scene {
    body *body;
    contact *contact;
    int nbody, ncontact, room;
    double mu;
    unsigned long seed;
} scene;

static double noise(scene *s) /* uniform in (-1, 1) */
{
    s->seed = s->seed * 6364136223846793005UL + 1442695040888963407UL;
    return (double)(s->seed >> 11) / 4503599627370496.0 - 1;
}

static void cross(const double *a, const double *b, double *c)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* A contact of body i with j (or -1) at a point, normal n from j to i. */
static void touch(scene *s, int i, int j, const double *point, const double *n)
{
    if (s->ncontact == s->room) {
        s->room = 2 * s->room + 64;
        s->contact = realloc(s->contact, sizeof *s->contact * (size_t)s->room);
        if (!s->contact)
            exit(1);
    }
    contact *c = &s->contact[s->ncontact++];
    double frame[3][3], helper[3] = {fabs(n[0]) < 0.7, fabs(n[0]) >= 0.7, 0}, size = 0;
    memcpy(frame[0], n, sizeof frame[0]);
    cross(n, helper, frame[1]);
    for (int k = 0; k < 3; k++)
        size += frame[1][k] * frame[1][k];
    for (int k = 0; k < 3; k++)
        frame[1][k] /= sqrt(size);
    cross(n, frame[1], frame[2]);
    c->body[0] = i;
    c->body[1] = j;
    for (int b = 0; b < 2; b++)
        for (int r = 0; r < 3 && c->body[b] >= 0; r++) {
            const body *who = &s->body[c->body[b]];
            double arm[3] = {point[0] - who->at[0], point[1] - who->at[1], point[2] - who->at[2]}, turn[3];
            cross(arm, frame[r], turn);
            for (int k = 0; k < 3; k++) {
                c->J[b][6 * r + k] = (b ? -1 : 1) * frame[r][k];
                c->J[b][6 * r + 3 + k] = (b ? -1 : 1) * turn[k];
            }
        }
}

static body *new_bodies(scene *s, int n)
{
    s->nbody = n;
    s->body = calloc((size_t)n, sizeof *s->body);
    if (!s->body)
        exit(1);
    return s->body;
}

static void give_motion(scene *s)
{
    for (int i = 0; i < s->nbody; i++) {
        for (int k = 0; k < 6; k++)
            s->body[i].v[k] = 0.002 * noise(s);
        s->body[i].v[2] -= 9.81 * 0.005;
    }
}

static void spheres(scene *s, int n)
{
    body *b = new_bodies(s, 4 * n * n * n);
    int count = 0;
    const double shift[4][3] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
    for (int cell = 0; cell < n * n * n; cell++)
        for (int k = 0; k < 4; k++, count++) {
            const int at[3] = {cell % n, cell / n % n, cell / n / n};
            for (int i = 0; i < 3; i++)
                b[count].at[i] = 0.5 + (at[i] + shift[k][i]) * sqrt(2) + 0.02 * noise(s);
            b[count].radius = 0.5 * (1 + 0.03 * noise(s));
            double m = pow(2 * b[count].radius, 3), J = 0.4 * m * b[count].radius * b[count].radius;
            b[count].inverse_mass = 1 / m;
            for (int i = 0; i < 3; i++)
                b[count].inverse_inertia[i] = 1 / J;
        }
    s->mu = 0.3;
    for (int i = 0; i < s->nbody; i++) {
        for (int j = 0; j < i; j++) {
            double d[3], size = 0, point[3];
            for (int k = 0; k < 3; k++) {
                d[k] = b[i].at[k] - b[j].at[k];
                size += d[k] * d[k];
            }
            size = sqrt(size);
            if (size > b[i].radius + b[j].radius)
                continue;
            for (int k = 0; k < 3; k++) {
                d[k] /= size;
                point[k] = b[j].at[k] + d[k] * b[j].radius;
            }
            touch(s, i, j, point, d);
        }
        for (int wall = 0; wall < 5; wall++) { /* ground, and four sides */
            double d[3] = {0, 0, 0}, point[3], depth, side = 0.5 + (n - 0.5) * sqrt(2) + 0.5;
            int axis = wall == 0 ? 2 : (wall - 1) / 2, far = wall > 0 && wall % 2 == 0;
            depth = far ? side - b[i].at[axis] : b[i].at[axis];
            if (depth > b[i].radius)
                continue;
            d[axis] = far ? -1 : 1;
            memcpy(point, b[i].at, sizeof point);
            point[axis] -= d[axis] * b[i].radius;
            touch(s, i, -1, point, d);
        }
    }
}

static void wall(scene *s, int n)
{
    const double size[3] = {2, 1, 1}, up[3] = {0, 0, 1};
    body *b = new_bodies(s, n * n);
    s->mu = 0.7;
    for (int i = 0; i < n * n; i++) {
        int row = i / n;
        b[i].at[0] = (i % n) * size[0] + (row % 2 ? size[0] / 2 : 0);
        b[i].at[2] = (row + 0.5) * size[2];
        b[i].inverse_mass = 1;
        for (int k = 0; k < 3; k++) {
            double p = size[(k + 1) % 3], q = size[(k + 2) % 3];
            b[i].inverse_inertia[k] = 12 / (p * p + q * q);
        }
        for (int half = 0; half < 2; half++) { /* left and right half rest on one brick, or on the ground */
            int below = row == 0 ? -1 : i - n + (row % 2 ? half : half - 1);
            if (row > 0 && below / n != row - 1)
                below = i - n; /* at the end of a row the one brick carries both */
            for (int corner = 0; corner < 4; corner++) {
                double point[3] = {b[i].at[0] + (half ? 1 : -1) * size[0] / 4 + (corner & 1 ? 1 : -1) * size[0] / 4,
                                   (corner & 2 ? 1 : -1) * size[1] / 2, row * size[2]};
                touch(s, i, below, point, up);
            }
        }
    }
}

/* W = G Y^T and b from the Jacobians; stored by blocks where asked for. */
static void write_problem(scene *s, const char *path, bool stored)
{
    carom_arena *arena = carom_arena_new(0);
    carom_error error;
    carom_problem *p, sparse;
    size_t n = (size_t)s->ncontact, nv = 6 * (size_t)s->nbody;
    double *mu = CAROM_NEW(arena, double, n + 1), *G = CAROM_NEW(arena, double, 36 * n + 1);
    double *Y = CAROM_NEW(arena, double, 36 * n + 1);
    carom_span *span = CAROM_NEW(arena, carom_span, 3 * n + 1);
    int *row = CAROM_NEW(arena, int, n + 1);
    for (size_t k = 0; k < n; k++)
        mu[k] = s->mu;
    carom_problem_contacts(&p, arena, s->ncontact, 3, mu, &error);
    p->W = (carom_delassus){.product = {.span = span, .row = row, .G = G, .Y = Y, .nv = (int)nv,
                                        .diagonal = CAROM_NEW(arena, double, 9 * n + 1),
                                        .v = CAROM_NEW(arena, double, nv), .push = CAROM_NEW(arena, double, nv)}};
    for (int k = 0; k < s->ncontact; k++)
        for (int r = 0; r < 3; r++) {
            const contact *c = &s->contact[k];
            int two = c->body[1] >= 0;
            size_t at = 36 * (size_t)k + (size_t)(r * (two ? 12 : 6));
            row[k] = 3 * k;
            span[3 * k + r] = (carom_span){{at, at + 6}, {6 * c->body[0], two ? 6 * c->body[1] : 0}, {6, two ? 6 : 0}};
            for (int i = 0; i < (two ? 12 : 6); i++) {
                const body *who = &s->body[c->body[i / 6]];
                G[at + (size_t)i] = c->J[i / 6][6 * r + i % 6];
                double inverse = i % 6 < 3 ? who->inverse_mass : who->inverse_inertia[i % 6 - 3];
                Y[at + (size_t)i] = G[at + (size_t)i] * inverse;
                p->b[3 * k + r] += G[at + (size_t)i] * who->v[i % 6];
            }
        }
    carom_product_diagonal(p);
    if (stored && carom_delassus_expand(p, arena, &sparse, &error) != CAROM_OK)
        exit(1);
    FILE *file = fopen(path, "w");
    if (!file || carom_problem_dump(stored ? &sparse : p, NULL, file) != CAROM_OK || fclose(file) != 0)
        exit(1);
    printf("%s: %d bodies, %d contacts\n", path, s->nbody, s->ncontact);
    carom_arena_free(arena);
}

int main(int argc, char **argv)
{
    scene s = {.seed = 1};
    bool stored = argc == 5 && strcmp(argv[4], "stored") == 0;
    if ((argc != 4 && !stored) || (strcmp(argv[1], "spheres") != 0 && strcmp(argv[1], "wall") != 0)) {
        fprintf(stderr, "usage: %s spheres|wall N FILE [stored]\n", argv[0]);
        return 2;
    }
    (argv[1][0] == 's' ? spheres : wall)(&s, atoi(argv[2]));
    give_motion(&s);
    write_problem(&s, argv[3], stored);
    free(s.body), free(s.contact);
    return 0;
}
