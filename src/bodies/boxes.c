/* boxes.c: contacts of two boxes in space as expressions: vertices on faces, edges that cross.
 *
 * Axes a_i, b_j of the boxes A and B, half lengths h_i, k_j, centres d = c_B - c_A apart.
 *
 * A vertex x of B has the gap  |a_i . (x - c_A)| - h_i,  i where this is largest. With e_j its edges, n_i = +-a_i,
 *   f_i = sum_j f(n_i . e_j),   f(x) = x^2/sqrt(x^2 + r^2) for x < 0, else 0,   r = 1e-6                          (1)
 * is how far they lead behind a face. f_i = 0: a face that it can land on; then the others come FLUSH of the size
 * later, so that corners which coincide (a box flush with the one below) have one meaning:
 *   i where  |a_i . (x - c_A)| - h_i - FLUSH size f_i sum_k r^2/(r^2 + f_k^2),  k != i,  is largest              (2)
 * If f_i > 0, an edge of the vertex touches first, where it crosses the border of the face or at its other end. Near
 * the border of such a face there is no contact of the vertex: one that slides off would else strike the corner. (3)
 *
 * Edges along a_i and b_j:
 *   m = a_i x b_j,   s^2 = m . m,  c = a_i . b_j,   n = m/s or -m/s, so that n . d >= 0                        (4)
 * Those of A lie at +-(h_k a_k + p h_l a_l) with p = 1 or -1, k and l the axes behind i. Of each two the one is taken
 * that n points to, of B's the one that -n points to:
 *   the sign of n . (a_k + p a_l)                                                                              (5)
 * So the edge whose Gauss arc holds n is always among the two, with the same p wherever n is on its arc; the other one
 * is its neighbour across the nearer face. A face on a face has all crossings of their borders among these 36 contacts.
 *   x from the middle of A's edge to that of B's,   g = n . x                                                  (6)
 *   feet, from the middles:   alpha = (a.x - c b.x)/s^2,   beta = (c a.x - b.x)/s^2                            (7)
 * There is such a contact where s > 1e-6, |alpha| < h_i and |beta| < k_j, by FLUSH of them: that near to its end the
 * vertex serves. Elsewhere its gap is the size of both boxes and stays it: n and the feet of edges that are all but
 * parallel turn and run at any speed. A negative gap would mean that the foot on one edge lies inside the other box.
 * It does, and g is no accident of two edges that pass each other, if n lies on both Gauss arcs (or is off them by
 * SLACK), and the gap is less deep than the boxes are half thick and the feet are away from the ends. Gaps above
 * -FLUSH of the size are not asked: they are rounding.                                                         (8)
 * Conditions are joined without corners by  x + y -+ sqrt(x^2 + y^2),  positive where both are, where one is:
 * so a contact begins and ends where one smooth function passes 0.                                            (9)
 *
 *   g' = n . u,  u the velocity of B against A at the vertex or halfway between the feet; slip along axes of A (10) */
#include "bodies/section.h"

#define PARALLEL 1e-12 /* s^2 */
#define SLACK 0.1      /* of a Gauss arc */
#define FLUSH 1e-12
#define LANDS 1e-9     /* f_i of a face that a vertex can land on */
#define BORDER 1e-2    /* of the size: near the border of a face */
#define ROUNDING 1e-12 /* r^2 */

typedef struct box {
    carom_vector centre, axis[3]; /* in space */
    carom_expr half[3];
} box;

static box box_of(carom_loader *l, int body, const carom_body_shape *shape)
{
    carom_expr_pool *p = l->s->pool;
    carom_matrix R = carom_turns(l, shape->turn);
    box out = {.centre = carom_frame_point(l, body, carom_quantities(l, shape->offset))};
    for (int i = 0; i < 3; i++) {
        carom_vector column = {{R.x[i], R.x[3 + i], R.x[6 + i]}};
        out.axis[i] = carom_frame_direction(l, body, column);
        out.half[i] = carom_e_scale(p, 0.5, carom_quantity_expr(l, &shape->size[i]));
    }
    return out;
}

static carom_expr size_of(carom_expr_pool *p, const box *b)
{
    return carom_e_scale(p, 2, carom_v_length(p, (carom_vector){{b->half[0], b->half[1], b->half[2]}}));
}

static carom_expr sign_of(carom_expr_pool *p, carom_expr e) /* 1 or -1 */
{
    carom_expr zero = carom_expr_const(p, 0), one = carom_expr_const(p, 1);
    return carom_expr_if(p, carom_expr_binary(p, CAROM_OP_LT, e, zero), carom_expr_const(p, -1), one);
}

static carom_expr join(carom_expr_pool *p, carom_expr x, carom_expr y, bool both) /* (9) */
{
    carom_expr root = carom_e_sqrt(p, carom_e_add(p, carom_e_mul(p, x, x), carom_e_mul(p, y, y)));
    carom_expr sum = carom_e_add(p, x, y);
    return both ? carom_e_sub(p, sum, root) : carom_e_add(p, sum, root);
}

static carom_expr plus(carom_expr_pool *p, double number, carom_expr e)
{
    return carom_e_add(p, carom_expr_const(p, number), e);
}

/* (1 + e)^2 - ratio^2: is |ratio| < 1 + e? */
static carom_expr within(carom_expr_pool *p, carom_expr ratio, carom_expr e)
{
    carom_expr room = plus(p, 1, e);
    return carom_e_sub(p, carom_e_mul(p, room, room), carom_e_mul(p, ratio, ratio));
}

static carom_vector velocity_between(carom_loader *l, int from, int to, carom_vector point)
{
    return carom_v_sub(l->s->pool, carom_frame_velocity_at(l, to, point), carom_frame_velocity_at(l, from, point));
}

/* ---- vertices ---- */
static carom_expr behind(carom_expr_pool *p, carom_expr x) /* (1) */
{
    carom_expr square = carom_e_mul(p, x, x), one = carom_expr_const(p, 1);
    carom_expr size = carom_e_sqrt(p, carom_e_add(p, square, carom_expr_const(p, 1e-40))); /* |x|, and smooth at 0 */
    carom_expr below = carom_e_scale(p, 0.5, carom_e_sub(p, one, carom_e_div(p, x, size))); /* 1 where x < 0, else 0 */
    carom_expr r = carom_e_sqrt(p, carom_e_add(p, square, carom_expr_const(p, ROUNDING)));
    return carom_e_mul(p, below, carom_e_div(p, square, r));
}

carom_piece carom_boxes_vertex(carom_loader *l, const int body[2], const carom_body_shape *const shape[2], int vertex)
{
    carom_expr_pool *p = l->s->pool;
    box A = box_of(l, body[0], shape[0]), B = box_of(l, body[1], shape[1]);
    carom_vector x = B.centre, edge[3];
    carom_expr zero = carom_expr_const(p, 0), r2 = carom_expr_const(p, ROUNDING), f[3], lands[3], room[3];
    carom_piece face[3];
    for (int j = 0; j < 3; j++) { /* vertex: its number in binary says which side along which axis */
        edge[j] = carom_v_scale(p, carom_expr_const(p, vertex >> j & 1 ? -1 : 1), B.axis[j]);
        x = carom_v_sub(p, x, carom_v_scale(p, B.half[j], edge[j]));
    }
    carom_vector away = carom_v_sub(p, x, A.centre), u = velocity_between(l, body[0], body[1], x);
    for (int i = 0; i < 3; i++) {
        carom_expr y = carom_v_dot(p, A.axis[i], away), side = sign_of(p, y);
        carom_vector n = carom_v_scale(p, side, A.axis[i]), t[2] = {A.axis[(i + 1) % 3], A.axis[(i + 2) % 3]};
        face[i] = (carom_piece){.gap = carom_e_sub(p, carom_e_mul(p, side, y), A.half[i]),
                                .speed = carom_e_mul(p, side, carom_v_dot(p, A.axis[i], u)),             /* (10) */
                                .slip = {carom_v_dot(p, t[0], u), carom_v_dot(p, t[1], u)}};
        carom_piece_place(l, &face[i], x, n, t);
        f[i] = zero;
        room[i] = carom_e_sub(p, carom_expr_const(p, -BORDER), carom_e_div(p, face[i].gap, size_of(p, &A)));
        for (int j = 0; j < 3; j++) {                                                                    /* (1) */
            carom_expr sine = carom_v_dot(p, A.axis[i], edge[j]), back = carom_expr_unary(p, CAROM_OP_NEG, sine);
            carom_expr under = carom_expr_binary(p, CAROM_OP_LT, y, zero);
            f[i] = carom_e_add(p, f[i], carom_expr_if(p, under, behind(p, back), behind(p, sine)));
        }
        lands[i] = carom_e_div(p, r2, carom_e_add(p, r2, carom_e_mul(p, f[i], f[i])));
    }
    for (int i = 0; i < 3; i++) {                                                                        /* (2) */
        carom_expr others = carom_e_add(p, lands[(i + 1) % 3], lands[(i + 2) % 3]);
        carom_expr later = carom_e_mul(p, carom_e_scale(p, FLUSH, size_of(p, &A)), carom_e_mul(p, f[i], others));
        face[i].rank = carom_e_sub(p, face[i].gap, later);
    }
    for (int i = 0; i < 3; i++) {                                                                        /* (3) */
        carom_expr inside = join(p, room[(i + 1) % 3], room[(i + 2) % 3], true);
        carom_expr may = join(p, carom_e_sub(p, carom_expr_const(p, LANDS), f[i]), inside, false);
        face[i].gap = carom_expr_if(p, carom_expr_binary(p, CAROM_OP_LT, zero, may), face[i].gap,
                                    carom_e_add(p, face[i].gap, size_of(p, &A)));
    }
    face[1] = carom_piece_larger(l, &face[0], &face[1]);
    return carom_piece_larger(l, &face[1], &face[2]);
}

/* ---- edges ---- */
/* Which of two opposite edges of a box m points to, 1 or -1 (5). */
static carom_expr side_of(carom_expr_pool *p, const box *b, int along, int sign, carom_vector m)
{
    carom_vector k = b->axis[(along + 1) % 3], l = b->axis[(along + 2) % 3];
    return sign_of(p, carom_v_dot(p, m, carom_v_add(p, k, carom_v_scale(p, carom_expr_const(p, sign), l))));
}

static carom_vector middle(carom_expr_pool *p, const box *b, int along, int sign, carom_expr side)
{
    int k = (along + 1) % 3, l = (along + 2) % 3;
    carom_vector one = carom_v_scale(p, b->half[k], b->axis[k]), two = carom_v_scale(p, b->half[l], b->axis[l]);
    two = carom_v_scale(p, carom_expr_const(p, sign), two);
    return carom_v_add(p, b->centre, carom_v_scale(p, side, carom_v_add(p, one, two)));
}

/* (8) of one box; ratio: of the foot to the half length, n: out of the box. */
static carom_expr deep(carom_expr_pool *p, const box *b, int along, int sign, carom_vector n, carom_expr side,
                       carom_expr g, carom_expr ratio)
{
    carom_expr all = within(p, ratio, carom_e_div(p, g, b->half[along]));
    for (int d = 1; d < 3; d++) {
        int k = (along + d) % 3;
        carom_expr outward = carom_e_mul(p, side, carom_v_dot(p, n, b->axis[k]));
        all = join(p, all, plus(p, SLACK, carom_e_scale(p, d == 2 ? sign : 1, outward)), true);
        all = join(p, all, plus(p, 1, carom_e_div(p, g, b->half[k])), true);
    }
    return all;
}

carom_piece carom_boxes_edges(carom_loader *l, const int body[2], const carom_body_shape *const shape[2],
                              const int axis[2], const int sign[2])
{
    carom_expr_pool *p = l->s->pool;
    carom_expr zero = carom_expr_const(p, 0), one = carom_expr_const(p, 1), side[2], ratio[2];
    box A = box_of(l, body[0], shape[0]), B = box_of(l, body[1], shape[1]);
    carom_vector a = A.axis[axis[0]], b = B.axis[axis[1]], m = carom_v_cross(p, a, b);
    carom_expr c = carom_v_dot(p, a, b), square = carom_v_dot(p, m, m);
    carom_expr cross = carom_expr_binary(p, CAROM_OP_LT, carom_expr_const(p, PARALLEL), square);
    carom_expr s2 = carom_expr_if(p, cross, square, one); /* never 0: nothing here is */
    carom_vector other = A.axis[(axis[0] + 1) % 3], n = carom_v_scale(p, carom_e_div(p, one, carom_e_sqrt(p, s2)), m);
    for (int i = 0; i < 3; i++)
        n.x[i] = carom_expr_if(p, cross, n.x[i], other.x[i]); /* of parallel edges: any n across them */
    carom_expr towards = sign_of(p, carom_v_dot(p, n, carom_v_sub(p, B.centre, A.centre)));
    side[0] = carom_e_mul(p, towards, side_of(p, &A, axis[0], sign[0], n));
    side[1] = carom_expr_unary(p, CAROM_OP_NEG, carom_e_mul(p, towards, side_of(p, &B, axis[1], sign[1], n)));
    n = carom_v_scale(p, towards, n);                                                                    /* (4) */
    carom_vector on_A = middle(p, &A, axis[0], sign[0], side[0]), on_B = middle(p, &B, axis[1], sign[1], side[1]);
    carom_vector x = carom_v_sub(p, on_B, on_A), back = carom_v_scale(p, carom_expr_const(p, -1), n);
    carom_expr g = carom_v_dot(p, n, x), ax = carom_v_dot(p, a, x), bx = carom_v_dot(p, b, x);           /* (6) */
    carom_expr alpha = carom_e_div(p, carom_e_sub(p, ax, carom_e_mul(p, c, bx)), s2);                    /* (7) */
    carom_expr beta = carom_e_div(p, carom_e_sub(p, carom_e_mul(p, c, ax), bx), s2);
    ratio[0] = carom_e_div(p, alpha, A.half[axis[0]]), ratio[1] = carom_e_div(p, beta, B.half[axis[1]]);
    carom_expr size = carom_e_add(p, size_of(p, &A), size_of(p, &B)), inside, real;
    real = join(p, deep(p, &A, axis[0], sign[0], n, side[0], g, ratio[0]),
                deep(p, &B, axis[1], sign[1], back, side[1], g, ratio[1]), true);
    real = join(p, real, plus(p, FLUSH, carom_e_div(p, g, size)), false);                                 /* (8) */
    carom_expr less = carom_expr_const(p, -FLUSH);
    inside = join(p, within(p, ratio[0], less), within(p, ratio[1], less), true);
    inside = carom_expr_binary(p, CAROM_OP_LT, zero, join(p, inside, real, true));
    inside = carom_expr_binary(p, CAROM_OP_AND, cross, inside);
    carom_piece out = {.gap = carom_expr_if(p, inside, g, size)};
    carom_vector point = carom_v_add(p, on_B, carom_v_scale(p, beta, b)), t[2] = {a, carom_v_cross(p, n, a)};
    point = carom_v_sub(p, point, carom_v_scale(p, carom_e_scale(p, 0.5, g), n));
    carom_vector u = velocity_between(l, body[0], body[1], point);
    out.speed = carom_expr_if(p, inside, carom_v_dot(p, n, u), zero);                                    /* (10) */
    for (int d = 0; d < 2; d++)
        out.slip[d] = carom_v_dot(p, t[d], u);
    carom_piece_place(l, &out, point, n, t);
    return out;
}
