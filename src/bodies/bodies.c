/* bodies.c: what follows from the description of bodies without mechanics: values, laws of pairs, shapes, the start. */
#include <math.h>
#include <string.h>

#include "bodies/bodies.h"

/* Free bodies and pairs of shapes with a law up to which formulas serve. */
enum { FORMULA_BODIES = 32, FORMULA_PAIRS = 200 };

void carom_bodies_evaluate(carom_bodies *b, const carom_expr_pool *pool, const double *variables)
{
    for (int i = 0; i < b->nquantity; i++)
        b->quantity[i]->value = carom_expr_value(pool, b->quantity[i]->e, variables);
}

const carom_pair_law *carom_bodies_law(const carom_bodies *b, const carom_body_shape *x, const carom_body_shape *y)
{
    int law = b->law_of ? b->law_of[x->class * b->nclass + y->class] : -1;
    return law >= 0 && b->law[law].law ? &b->law[law] : NULL;
}

static void multiply(const double a[4], const double b[4], double out[4])
{
    const double product[4] = {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
                               a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                               a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
                               a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
    memcpy(out, product, sizeof product);
}

void carom_bodies_turn(const carom_quantity *turn, double *rotation)
{
    memcpy(rotation, (const double[4]){1, 0, 0, 0}, 4 * sizeof *rotation);
    for (int i = 0; i < 3; i++) {
        double part[4] = {cos(0.5 * turn[i].value), 0, 0, 0};
        part[1 + i] = sin(0.5 * turn[i].value);
        multiply(rotation, part, rotation);
    }
}

static void matrix(const double e[4], double R[9]) /* of a unit quaternion, row-major */
{
    double w = e[0], x = e[1], y = e[2], z = e[3];
    const double rows[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                            2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                            2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(R, rows, sizeof rows);
}

void carom_bodies_shape(const carom_bodies *b, const carom_body *body, const carom_body_shape *shape, double *corner,
                        carom_shape_spec *spec)
{
    int columns = b->planar ? 2 : 3;
    double rotation[4];
    *spec = (carom_shape_spec){.kind = shape->kind, .planar = b->planar, .flat = shape->flat, .corner = corner,
                               .corners = shape->corners};
    for (int i = 0; i < CAROM_COUNT(spec->size); i++)
        spec->size[i] = shape->size[i].value;
    for (int i = 0; i < shape->corners * columns; i++)
        corner[i] = shape->corner[i].value;
    for (int i = 0; i < 3; i++)
        spec->place.r[i] = shape->offset[i].value - body->centre[i].value;
    carom_bodies_turn(shape->turn, rotation);
    matrix(rotation, spec->place.R);
}

void carom_bodies_start(carom_bodies *b)
{
    for (int k = 0; k < b->nbody; k++) {
        carom_body *x = &b->body[k];
        double R[9];
        carom_bodies_turn(x->turn, x->rotation);
        matrix(x->rotation, R);
        for (int i = 0; i < 3; i++) {
            x->place[i] = x->at[i].value;
            x->v[i] = x->velocity[i].value;
            x->w[i] = 0;
            for (int j = 0; j < 3; j++) {
                x->place[i] += R[3 * i + j] * x->centre[j].value;                                /* (1) */
                x->w[i] += R[3 * j + i] * x->spin[j].value;
            }
        }
    }
}

bool carom_bodies_many(const carom_bodies *b)
{
    int bodies = 0, pairs = 0;
    for (int k = 0; k < b->nbody; k++)
        bodies += b->body[k].motion == CAROM_BODY_FREE;
    for (int k = 0; k < b->nbody && pairs <= FORMULA_PAIRS && bodies <= FORMULA_BODIES; k++)
        for (int l = 0; l < k; l++)
            for (int i = 0; i < b->body[k].shapes; i++)
                for (int j = 0; j < b->body[l].shapes; j++)
                    pairs += carom_bodies_law(b, &b->body[k].shape[i], &b->body[l].shape[j]) != NULL;
    return bodies > FORMULA_BODIES || pairs > FORMULA_PAIRS;
}
