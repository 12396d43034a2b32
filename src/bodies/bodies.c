/* bodies.c: what follows from the description of bodies without mechanics: values, laws of pairs, shapes, the start. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bodies/bodies.h"

/* Free bodies and pairs of shapes with a law up to which formulas serve; pairs of boxes in space have 52 contacts, with
 * twice the velocities where both are free. */
enum { FORMULA_BODIES = 32, FORMULA_PAIRS = 200, FORMULA_BOXES = 3, FORMULA_CORNERS = 250 };

void carom_bodies_evaluate(carom_bodies *b, const carom_expr_pool *pool, const double *variables)
{
    size_t n = (size_t)b->nquantity;
    carom_expr *e = calloc(n + 1, sizeof *e);
    double *value = calloc(n + 1, sizeof *value);
    for (int i = 0; e && value && i < b->nquantity; i++)
        e[i] = b->quantity[i]->e;
    if (e && value)
        carom_expr_values(pool, b->nquantity, e, variables, value);
    for (int i = 0; i < b->nquantity; i++)
        b->quantity[i]->value = e && value ? value[i] : NAN;
    free(e), free(value);
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

static bool joined(const carom_bodies *b, int i, int j)
{
    for (int k = 0; k < b->njoint; k++)
        if (carom_joint_connects(&b->joint[k]) &&
            ((b->joint[k].body[0] == i && b->joint[k].body[1] == j) ||
             (b->joint[k].body[0] == j && b->joint[k].body[1] == i)))
            return true;
    return false;
}

const carom_pair_law *carom_bodies_law_between(const carom_bodies *b, int i, int m, int j, int n)
{
    const carom_body *one = &b->body[i], *two = &b->body[j];
    if (one->motion != CAROM_BODY_FREE && two->motion != CAROM_BODY_FREE)
        return NULL;
    const carom_pair_law *law = carom_bodies_law(b, &one->shape[m], &two->shape[n]);
    return law && !(strcmp(law->name, "default") == 0 && joined(b, i, j)) ? law : NULL;
}

static bool finite_box(const carom_body_shape *s)
{
    return s->kind == CAROM_SHAPE_BOX && isfinite(s->size[0].value) && isfinite(s->size[1].value) &&
           isfinite(s->size[2].value);
}

/* Do formulas know how the two touch? In the plane always, but for the arcs of rings. In space what has vertices on a
 * plane, points and balls on what they have a nearest point of, boxes on boxes; other edges that cross, rims and
 * ellipsoids on curved shapes are found per step. */
static bool formulas_know(const carom_bodies *b, const carom_body_shape *one, const carom_body_shape *two)
{
    const carom_body_shape *of[2] = {one, two};
    if (b->planar)
        return !(one->kind == CAROM_SHAPE_RING && !one->flat) && !(two->kind == CAROM_SHAPE_RING && !two->flat);
    for (int i = 0; i < 2; i++) {
        carom_shape_kind kind = of[i]->kind, other = of[1 - i]->kind;
        bool slab = kind == CAROM_SHAPE_BOX && !finite_box(of[i]);
        if (kind == CAROM_SHAPE_PLANE || slab)
            return other != CAROM_SHAPE_CYLINDER && other != CAROM_SHAPE_RING &&
                   !(slab && other == CAROM_SHAPE_ELLIPSOID);
        if (finite_box(one) && finite_box(two))
            return true;
        if ((kind == CAROM_SHAPE_POINT || kind == CAROM_SHAPE_BALL) &&
            (other == CAROM_SHAPE_POINT || other == CAROM_SHAPE_BALL || other == CAROM_SHAPE_CAPSULE ||
             other == CAROM_SHAPE_BOX))
            return true;
    }
    return false;
}

static int corners_of(const carom_body *body)
{
    int n = 0;
    for (int i = 0; i < body->shapes; i++) {
        const carom_body_shape *s = &body->shape[i];
        bool slab = s->kind == CAROM_SHAPE_BOX && isinf(s->size[0].value);
        n += s->kind == CAROM_SHAPE_POLYTOPE ? s->corners : 0;
        n += (s->kind == CAROM_SHAPE_BOX && !slab) || s->kind == CAROM_SHAPE_RING ? 4 : 0;
    }
    return n;
}

bool carom_bodies_crowded(const carom_bodies *b)
{
    int corners = 0;
    for (int k = 0; k < b->nlaw; k++)
        if (b->law[k].speeds) /* formulas alone know them */
            return false;
    for (int k = 0; k < b->nbody; k++)
        for (int l = 0; l < k && corners <= FORMULA_CORNERS; l++) {
            int one = corners_of(&b->body[k]), two = corners_of(&b->body[l]);
            corners += one && two && carom_bodies_law_between(b, k, 0, l, 0) ? one + two : 0;
        }
    return b->planar && corners > FORMULA_CORNERS;
}

bool carom_bodies_many(const carom_bodies *b)
{
    int bodies = 0, pairs = 0, boxes = 0;
    for (int k = 0; k < b->nbody; k++)
        bodies += b->body[k].motion == CAROM_BODY_FREE;
    for (int k = 0; k < b->nbody && pairs <= FORMULA_PAIRS && bodies <= FORMULA_BODIES; k++)
        for (int l = 0; l < k; l++)
            for (int i = 0; i < b->body[k].shapes; i++)
                for (int j = 0; j < b->body[l].shapes; j++) {
                    if (!carom_bodies_law_between(b, k, i, l, j))
                        continue;
                    if (!formulas_know(b, &b->body[k].shape[i], &b->body[l].shape[j]))
                        return true;
                    pairs++;
                    if (!b->planar && finite_box(&b->body[k].shape[i]) && finite_box(&b->body[l].shape[j]))
                        boxes += 1 + (b->body[k].motion == b->body[l].motion);
                }
    return bodies > FORMULA_BODIES || pairs > FORMULA_PAIRS || boxes > FORMULA_BOXES;
}
