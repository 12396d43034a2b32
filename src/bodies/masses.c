/* masses.c: volume (area), centre and inertia of shapes as expressions, and of bodies that consist of several.
 *
 * Of unit density: a ring sector with half angle b between radii r and R has the area b (R^2 - r^2), its centre at
 * 2/3 (R^3 - r^3)/(R^2 - r^2) sin(b)/b from the origin, inertia b (R^4 - r^4)/2 about the origin. A capsule is a bar
 * and two halves of a ball, each with its centre 3/8 r (disc: 4 r/(3 pi)) beyond the end of the axis; a polygon: sums
 * over the triangles of its sides and the origin. */
#include <math.h>
#include <string.h>

#include "bodies/section.h"

static const double pi = 3.14159265358979323846;

typedef struct lump { /* of unit density; inertia as a matrix xx yy zz xy yz zx about the centre */
    carom_expr volume, inertia[6];
    carom_vector centre;
} lump;

static carom_expr square(carom_expr_pool *p, carom_expr a)
{
    return carom_e_mul(p, a, a);
}

static carom_expr zero(carom_expr_pool *p)
{
    return carom_expr_const(p, 0);
}

/* volume*k*(a^2 + b^2) */
static carom_expr moment(carom_expr_pool *p, carom_expr volume, double k, carom_expr a, carom_expr b)
{
    return carom_e_mul(p, carom_e_scale(p, k, volume), carom_e_add(p, square(p, a), square(p, b)));
}

static void brick(carom_expr_pool *p, const carom_expr *w, bool planar, lump *out)
{
    out->volume = carom_e_mul(p, w[0], w[1]);
    if (!planar)
        out->volume = carom_e_mul(p, out->volume, w[2]);
    for (int i = planar ? 2 : 0; i < 3; i++)
        out->inertia[i] = moment(p, out->volume, 1.0 / 12, w[(i + 1) % 3], w[(i + 2) % 3]);
}

static void ball(carom_expr_pool *p, const carom_expr *a, bool planar, lump *out) /* or an ellipsoid */
{
    if (planar) {
        out->volume = carom_e_scale(p, pi, square(p, a[0]));
        out->inertia[2] = moment(p, out->volume, 0.5, a[0], zero(p));
        return;
    }
    out->volume = carom_e_scale(p, 4 * pi / 3, carom_e_mul(p, a[0], carom_e_mul(p, a[1], a[2])));
    for (int i = 0; i < 3; i++)
        out->inertia[i] = moment(p, out->volume, 0.2, a[(i + 1) % 3], a[(i + 2) % 3]);
}

static void capsule(carom_expr_pool *p, carom_expr l, carom_expr r, bool planar, lump *out)
{
    carom_expr r2 = square(p, r), l2 = square(p, l), bar, ends, lr = carom_e_mul(p, l, r);
    bar = planar ? carom_e_scale(p, 2, lr) : carom_e_scale(p, pi, carom_e_mul(p, l, r2));
    ends = planar ? carom_e_scale(p, pi, r2) : carom_e_scale(p, 4 * pi / 3, carom_e_mul(p, r, r2));
    out->volume = carom_e_add(p, bar, ends);
    double disc = planar ? 1.0 / 3 : 0.25, round = planar ? 0.5 : 0.4, beyond = planar ? 4 / (3 * pi) : 0.375;
    carom_expr of_bar = carom_e_add(p, carom_e_scale(p, 1.0 / 12, l2), carom_e_scale(p, disc, r2));
    carom_expr of_ends = carom_e_add(p, carom_e_scale(p, round, r2), carom_e_scale(p, 0.25, l2));
    of_ends = carom_e_add(p, of_ends, carom_e_scale(p, beyond, lr));
    out->inertia[2] = carom_e_add(p, carom_e_mul(p, bar, of_bar), carom_e_mul(p, ends, of_ends));
    if (planar)
        return;
    out->inertia[1] = out->inertia[2];
    out->inertia[0] = carom_e_mul(p, r2, carom_e_add(p, carom_e_scale(p, 0.5, bar), carom_e_scale(p, 0.4, ends)));
}

static void cylinder(carom_expr_pool *p, carom_expr l, carom_expr r, lump *out)
{
    carom_expr r2 = square(p, r);
    out->volume = carom_e_scale(p, pi, carom_e_mul(p, l, r2));
    out->inertia[2] = moment(p, out->volume, 0.5, r, zero(p));
    out->inertia[0] = out->inertia[1] = carom_e_add(p, carom_e_scale(p, 0.5, out->inertia[2]),
                                                    moment(p, out->volume, 1.0 / 12, l, zero(p)));
}

static void ring(carom_expr_pool *p, const carom_expr *size, lump *out)
{
    carom_expr r = size[0], R = size[1], half = carom_e_scale(p, 0.5, carom_e_sub(p, size[3], size[2]));
    carom_expr middle = carom_e_scale(p, 0.5, carom_e_add(p, size[2], size[3]));
    carom_expr r2 = square(p, r), R2 = square(p, R), width = carom_e_sub(p, R2, r2);
    carom_expr cubes = carom_e_sub(p, carom_e_mul(p, R, R2), carom_e_mul(p, r, r2));
    carom_expr sine = carom_expr_unary(p, CAROM_OP_SIN, half);
    carom_expr away = carom_e_scale(p, 2.0 / 3, carom_e_mul(p, cubes, sine));
    away = carom_e_div(p, away, carom_e_mul(p, width, half));
    out->volume = carom_e_mul(p, half, width);
    out->centre.x[0] = carom_e_mul(p, away, carom_expr_unary(p, CAROM_OP_COS, middle));
    out->centre.x[1] = carom_e_mul(p, away, carom_expr_unary(p, CAROM_OP_SIN, middle));
    carom_expr about_origin = carom_e_scale(p, 0.5, carom_e_mul(p, out->volume, carom_e_add(p, R2, r2)));
    out->inertia[2] = carom_e_sub(p, about_origin, carom_e_mul(p, out->volume, square(p, away)));
}

static void polygon(carom_loader *l, const carom_body_shape *s, lump *out)
{
    carom_expr_pool *p = l->s->pool;
    carom_expr area = zero(p), about_origin = zero(p);
    carom_vector sum = carom_v_zero(p);
    for (int i = 0; i < s->corners; i++) {
        int j = (i + 1) % s->corners;
        carom_expr a[2], b[2], squares = zero(p);
        for (int k = 0; k < 2; k++) {
            a[k] = carom_quantity_expr(l, &s->corner[2 * i + k]);
            b[k] = carom_quantity_expr(l, &s->corner[2 * j + k]);
            carom_expr mixed = carom_e_add(p, square(p, a[k]), carom_e_mul(p, a[k], b[k]));
            squares = carom_e_add(p, squares, carom_e_add(p, mixed, square(p, b[k])));
        }
        carom_expr cross = carom_e_sub(p, carom_e_mul(p, a[0], b[1]), carom_e_mul(p, a[1], b[0]));
        area = carom_e_add(p, area, carom_e_scale(p, 0.5, cross));
        for (int k = 0; k < 2; k++)
            sum.x[k] = carom_e_add(p, sum.x[k], carom_e_mul(p, carom_e_scale(p, 1.0 / 6, cross),
                                                            carom_e_add(p, a[k], b[k])));
        about_origin = carom_e_add(p, about_origin, carom_e_mul(p, carom_e_scale(p, 1.0 / 12, cross), squares));
    }
    out->volume = area;
    for (int k = 0; k < 2; k++)
        out->centre.x[k] = carom_e_div(p, sum.x[k], area);
    carom_expr away = carom_v_dot(p, out->centre, out->centre);
    out->inertia[2] = carom_e_sub(p, about_origin, carom_e_mul(p, area, away));
}

/* Of a polyhedron: numbers, for its faces are found from them. With other parameters the file is read anew. */
static carom_status polyhedron(carom_loader *l, const carom_body_shape *s, lump *out)
{
    carom_expr_pool *p = l->s->pool;
    double corner[3 * CAROM_MOST_CORNERS];
    carom_shape_spec spec = {.kind = CAROM_SHAPE_POLYTOPE, .corner = corner, .corners = s->corners};
    carom_shape made;
    carom_expr e[3 * CAROM_MOST_CORNERS];
    for (int i = 0; i < 3 * s->corners; i++)
        e[i] = carom_quantity_expr(l, &s->corner[i]);
    CAROM_TRY(carom_bodies_values_of(l, e, 3 * s->corners, corner));
    carom_error why = {0};
    if (carom_shape_new(l->s->arena, &spec, &made, &why) != CAROM_OK)
        return carom_load_fail(l, s->node->place, "%s", why.text);
    l->s->start_is_found = true;
    out->volume = carom_expr_const(p, made.volume);
    for (int i = 0; i < 3; i++)
        out->centre.x[i] = carom_expr_const(p, made.centre[i]);
    for (int i = 0; i < 6; i++)
        out->inertia[i] = carom_expr_const(p, made.inertia[i]);
    return CAROM_OK;
}

static void matrix_of(const carom_expr *I, carom_matrix *out)
{
    const carom_expr rows[9] = {I[0], I[3], I[5], I[3], I[1], I[4], I[5], I[4], I[2]};
    memcpy(out->x, rows, sizeof rows);
}

static carom_status lump_of(carom_loader *l, const carom_body_shape *s, lump *out)
{
    carom_expr_pool *p = l->s->pool;
    bool planar = l->s->bodies->b.planar;
    carom_expr size[4];
    out->volume = zero(p);
    out->centre = carom_v_zero(p);
    for (int i = 0; i < 6; i++)
        out->inertia[i] = zero(p);
    for (int i = 0; i < 4; i++)
        size[i] = carom_quantity_expr(l, &s->size[i]);
    switch (s->kind) {
    case CAROM_SHAPE_BALL: ball(p, (carom_expr[3]){size[0], size[0], size[0]}, planar, out); break;
    case CAROM_SHAPE_ELLIPSOID: ball(p, size, false, out); break;
    case CAROM_SHAPE_CAPSULE: capsule(p, size[0], size[1], planar, out); break;
    case CAROM_SHAPE_BOX: brick(p, size, planar, out); break;
    case CAROM_SHAPE_CYLINDER: cylinder(p, size[0], size[1], out); break;
    case CAROM_SHAPE_RING: ring(p, size, out); break;
    case CAROM_SHAPE_POLYTOPE:
        if (!planar)
            CAROM_TRY(polyhedron(l, s, out));
        else
            polygon(l, s, out);
        break;
    default: return CAROM_OK;
    }
    carom_matrix R = carom_turns(l, s->turn), I, turned, back = carom_m_transposed(&R); /* to the body's axes */
    out->centre = carom_v_add(p, carom_quantities(l, s->offset), carom_m_apply(p, &R, out->centre));
    matrix_of(out->inertia, &I);
    turned = carom_m_product(p, &R, &I);
    turned = carom_m_product(p, &turned, &back);
    const int entry[6] = {0, 4, 8, 1, 5, 2};
    for (int i = 0; i < 6; i++)
        out->inertia[i] = turned.x[entry[i]];
    return CAROM_OK;
}

/* inertia += volume (d.d 1 - d d^T) */
static void shift(carom_expr_pool *p, carom_expr volume, carom_vector d, carom_expr *inertia)
{
    const int row[6] = {0, 1, 2, 0, 1, 2}, column[6] = {0, 1, 2, 1, 2, 0};
    carom_expr square = carom_v_dot(p, d, d);
    for (int i = 0; i < 6; i++) {
        carom_expr part = carom_e_sub(p, i < 3 ? square : zero(p), carom_e_mul(p, d.x[row[i]], d.x[column[i]]));
        inertia[i] = carom_e_add(p, inertia[i], carom_e_mul(p, volume, part));
    }
}

static carom_status whole(carom_loader *l, const carom_body *body, lump *out)
{
    carom_expr_pool *p = l->s->pool;
    lump *part = CAROM_NEW(l->s->arena, lump, body->shapes);
    if (!part)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the shapes of '%s'", body->name);
    out->volume = zero(p);
    out->centre = carom_v_zero(p);
    for (int i = 0; i < 6; i++)
        out->inertia[i] = zero(p);
    int massive = 0, last = 0;
    for (int k = 0; k < body->shapes; k++) {
        CAROM_TRY(lump_of(l, &body->shape[k], &part[k]));
        if (carom_e_is(p, part[k].volume, 0))
            continue;
        massive++, last = k;
        out->volume = carom_e_add(p, out->volume, part[k].volume);
        out->centre = carom_v_add(p, out->centre, carom_v_scale(p, part[k].volume, part[k].centre));
    }
    if (massive <= 1) {
        *out = massive ? part[last] : *out;
        return CAROM_OK;
    }
    for (int i = 0; i < 3; i++)
        out->centre.x[i] = carom_e_div(p, out->centre.x[i], out->volume);
    for (int k = 0; k < body->shapes; k++) {
        if (carom_e_is(p, part[k].volume, 0))
            continue;
        for (int i = 0; i < 6; i++)
            out->inertia[i] = carom_e_add(p, out->inertia[i], part[k].inertia[i]);
        shift(p, part[k].volume, carom_v_sub(p, part[k].centre, out->centre), out->inertia);
    }
    return CAROM_OK;
}

static carom_status given_inertia(carom_loader *l, const carom_text_node *node, carom_body *body)
{
    if (l->s->bodies->b.planar)
        return carom_read_quantity(l, node, "inertia", &body->inertia[2]);
    if (node->kind != CAROM_TEXT_LIST || (node->nchild != 3 && node->nchild != 6))
        return carom_load_fail(l, node->place, "inertia must be [xx, yy, zz] or [xx, yy, zz, xy, yz, zx]");
    return carom_read_list(l, node, "inertia", node->nchild, body->inertia);
}

carom_status carom_bodies_masses(carom_loader *l, carom_body *body, const carom_text_node *node)
{
    carom_expr_pool *p = l->s->pool;
    const carom_text_node *mass = carom_text_get(node, "mass"), *density = carom_text_get(node, "density"),
                          *inertia = carom_text_get(node, "inertia"), *centre = carom_text_get(node, "centre");
    lump all;
    carom_given given;
    if (body->motion != CAROM_BODY_FREE)
        return CAROM_OK;
    if (mass && density)
        return carom_load_fail(l, density->key_place, "either mass or density: not both");
    if (!mass && !density)
        return carom_load_fail(l, node->key_place, "'%s' needs a mass or a density (or fixed: true)", body->name);
    if (density && inertia)
        return carom_load_fail(l, inertia->key_place, "inertia goes with mass; with density it follows from the shape");
    CAROM_TRY(whole(l, body, &all));
    bool hollow = carom_e_is(p, all.volume, 0);
    if (density && hollow)
        return carom_load_fail(l, density->key_place, "'%s' has no shape with a volume: give its mass", body->name);
    CAROM_TRY(carom_load_parametric(l, mass ? mass : density, mass ? "mass" : "density", &given));
    carom_expr value = given.e;
    CAROM_TRY(carom_set_quantity(l, mass ? value : carom_e_mul(p, value, all.volume), &body->mass));
    if (centre)
        CAROM_TRY(carom_read_list(l, centre, "centre", l->s->bodies->b.planar ? 2 : 3, body->centre));
    if (inertia)
        return given_inertia(l, inertia, body);
    if (hollow)
        return CAROM_OK;
    if (centre)
        return carom_load_fail(l, centre->key_place, "centre goes with mass and inertia; otherwise the shape tells it");
    carom_expr each = mass ? carom_e_div(p, value, all.volume) : value;
    for (int i = 0; i < 3; i++)
        CAROM_TRY(carom_set_quantity(l, all.centre.x[i], &body->centre[i]));
    for (int i = 0; i < 6; i++)
        CAROM_TRY(carom_set_quantity(l, carom_e_mul(p, each, all.inertia[i]), &body->inertia[i]));
    return CAROM_OK;
}
