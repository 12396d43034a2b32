/* rows.c: coordinates between two bodies.
 *
 * With arms c = R p to the points P = r + c of the two bodies, d = P_b - P_a, spins s = R w in space axes, and
 * directions e of the bodies, n = R_a e_a or an axis of space, m = R_b e_b:
 *   along     g = n . d                                         hinge, ball, weld: axes of space; slider: of a    (1)
 *             G_b = (n, R_b^T (c_b x n)),  G_a = -(n, R_a^T (c_a' x n)),  c_a' = c_a, with an axis of a: c_a + d
 *             gamma = n . (k_b - k_a) + 2 (s_a x n) . d' + (s_a x (s_a x n)) . d,  k = s x (s x c)
 *   across    g = n . m,  G_a = (0, R_a^T (n x m)),  G_b = -(0, R_b^T (n x m))                                    (2)
 *             gamma = (s_a - s_b) . ((s_a x n) x m + n x (s_b x m))
 *   angle     g = angle_b - angle_a - what it is in the file    in the plane                                      (3)
 *   distance  g = |d|,  G as (1) with n = d/|d|                                                                   (4)
 *             gamma = n . (k_b - k_a) + (|d'|^2 - (n . d')^2)/|d|
 *   turn      g = atan2(s, c),  c = n . m,  s = k . m,  k a second direction of a                                 (5)
 *             G_a = (0, R_a^T J),  G_b = -(0, R_b^T J),  J = (c k - s n) x m/(c^2 + s^2),  gamma = (s_a - s_b) . J'
 * What a body's own displacement (dr, R (1 + [dt])) changes in its part of G^T x, y = R^T n:
 *   axes of space, (2) with p = e_a, y = R_a^T m and p = e_b, y = R_b^T n:   dG = +-(0, (y p^T - p . y) dt)       (6)
 *   (4) beside this   (1 - n n^T)/|d| between the displacements of P
 *   an axis of a, on a, z = R_a^T (P_b - r_a):   dG = (-R_a (dt x e), (dt x z) x e + (R_a^T dr) x e)              (7)
 *   (5), f = R dt:   dG = +-(0, R^T (dJ - f x J)),  dJ as J' with the spin f of this body alone                  (8) */
#include "bodies/many/rows.h"

#include <math.h>
#include <string.h>

typedef carom_joint_row row;
typedef carom_row_pair pair;

static const carom_pose ground = {{0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};

carom_row_pair carom_row_at(const row *r, const carom_pose *poses)
{
    pair x;
    double P[2][3];
    for (int k = 0; k < 2; k++) {
        x.pose[k] = r->body[k] < 0 ? &ground : &poses[r->body[k]];
        turn3(x.pose[k]->R, r->p[k], x.arm[k]);
        add3(x.pose[k]->r, 1, x.arm[k], P[k]);
    }
    sub3(P[1], P[0], x.d);
    x.length = norm3(x.d);
    if (r->kind == CAROM_ROW_SPACE)
        copy3(r->e[0], x.n);
    else
        turn3(x.pose[0]->R, r->e[0], x.n);
    turn3(x.pose[1]->R, r->e[1], x.m);
    for (int i = 0; r->kind == CAROM_ROW_DISTANCE && i < 3; i++)
        x.n[i] = x.d[i] / x.length;
    turn3(x.pose[0]->R, r->across, x.k);
    x.c = dot3(x.n, x.m), x.s = dot3(x.k, x.m);
    return x;
}

/* ---- gaps and rows ---- */
static double angle_of(const carom_many *many, int body, const double *q)
{
    if (body < 0)
        return 0;
    return many->block[body] < 0 ? many->bodies->body[body].turn[2].value : q[3 * many->block[body] + 2];
}

double carom_row_value(const carom_many *many, const row *r, const pair *x, const double *q)
{
    switch (r->kind) {
    case CAROM_ROW_ACROSS: return dot3(x->n, x->m);                                                      /* (2) */
    case CAROM_ROW_ANGLE: return angle_of(many, r->body[1], q) - angle_of(many, r->body[0], q) - r->from; /* (3) */
    case CAROM_ROW_DISTANCE: return x->length - r->from;                                                 /* (4) */
    case CAROM_ROW_TURN: return atan2(x->s, x->c) - r->from;                                             /* (5) */
    default: return dot3(x->n, x->d) - r->from;                                                          /* (1) */
    }
}

/* J of (5) */
static void turn_row(const pair *x, double *J)
{
    for (int i = 0; i < 3; i++)
        J[i] = (x->c * x->k[i] - x->s * x->n[i]) / (x->c * x->c + x->s * x->s);
    cross3(J, x->m, J);
}

/* J' of (5) */
static void turn_change(const pair *x, const double *s_a, const double *s_b, double *out)
{
    double n[3], k[3], m[3], J[3], w[3], part[3], size = x->c * x->c + x->s * x->s;
    cross3(s_a, x->n, n), cross3(s_a, x->k, k), cross3(s_b, x->m, m);
    double c = dot3(n, x->m) + dot3(x->n, m), s = dot3(k, x->m) + dot3(x->k, m);
    for (int i = 0; i < 3; i++) {
        w[i] = c * x->k[i] + x->c * k[i] - s * x->n[i] - x->s * n[i];
        part[i] = x->c * x->k[i] - x->s * x->n[i];
    }
    cross3(w, x->m, w), cross3(part, m, part), turn_row(x, J);
    for (int i = 0; i < 3; i++)
        out[i] = (w[i] + part[i] - 2 * (x->c * c + x->s * s) * J[i]) / size;
}

void carom_row_jacobian(const row *r, const pair *x, double G[2][6])
{
    double c[3];
    memset(G, 0, 12 * sizeof G[0][0]);
    if (r->kind == CAROM_ROW_ANGLE) {
        G[0][5] = -1, G[1][5] = 1;                                                                       /* (3) */
        return;
    }
    if (r->kind == CAROM_ROW_ACROSS || r->kind == CAROM_ROW_TURN) {
        if (r->kind == CAROM_ROW_TURN)
            turn_row(x, c);                                                                              /* (5) */
        else
            cross3(x->n, x->m, c);
        turn_back3(x->pose[0]->R, c, G[0] + 3);
        turn_back3(x->pose[1]->R, c, G[1] + 3);
        for (int i = 3; i < 6; i++)
            G[1][i] = -G[1][i];                                                                          /* (2) */
        return;
    }
    for (int k = 0; k < 2; k++) {
        copy3(x->arm[k], c);
        if (k == 0 && r->kind == CAROM_ROW_BODY)
            add3(c, 1, x->d, c);
        cross3(c, x->n, c);
        turn_back3(x->pose[k]->R, c, G[k] + 3);
        copy3(x->n, G[k]);                                                                               /* (1) */
    }
    for (int i = 0; i < 6; i++)
        G[0][i] = -G[0][i];
}

/* y = a x (a x c) */
static void twice(const double *a, const double *c, double *y)
{
    cross3(a, c, y);
    cross3(a, y, y);
}

/* V [2][6]: velocities of the bodies, spins in space axes */
double carom_row_gamma(const row *r, const pair *x, double V[2][6])
{
    const double *s_a = V[0] + 3, *s_b = V[1] + 3;
    double k[2][3], rate[3] = {0, 0, 0}, turn[3], a[3], b[3];
    if (r->kind == CAROM_ROW_ANGLE)
        return 0;
    if (r->kind == CAROM_ROW_TURN) {
        turn_change(x, s_a, s_b, a);
        sub3(s_a, s_b, b);
        return dot3(a, b);                                                                               /* (5) */
    }
    if (r->kind == CAROM_ROW_ACROSS) {
        cross3(s_a, x->n, a), cross3(a, x->m, a);
        cross3(s_b, x->m, b), cross3(x->n, b, b);
        add3(a, 1, b, a);
        sub3(s_a, s_b, b);
        return dot3(a, b);                                                                               /* (2) */
    }
    for (int i = 0; i < 2; i++) {
        twice(V[i] + 3, x->arm[i], k[i]);
        cross3(V[i] + 3, x->arm[i], a);
        add3(a, 1, V[i], a);
        add3(rate, i ? 1 : -1, a, rate); /* d' */
    }
    sub3(k[1], k[0], a);
    double sum = dot3(x->n, a), along = dot3(x->n, rate);
    if (r->kind == CAROM_ROW_DISTANCE)
        return sum + (dot3(rate, rate) - along * along) / x->length;                                     /* (4) */
    if (r->kind == CAROM_ROW_SPACE)
        return sum;
    cross3(s_a, x->n, turn), twice(s_a, x->n, b);
    return sum + 2 * dot3(turn, rate) + dot3(b, x->d);                                                   /* (1) */
}

/* ---- how G^T x of a body changes with its displacement ---- */

/* D += sign (y p^T - p . y) between turns */
static void add_turn(double sign, const double *y, const double *p, double D[6][6])
{
    double s = dot3(y, p);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            D[3 + i][3 + j] += sign * (y[i] * p[j] - (i == j ? s : 0));                                  /* (6) */
}

/* D += J^T (1 - n n^T) J/length, J: from the displacement of the body to that of its point */
static void add_swing(const pair *x, int k, const double *p, double D[6][6])
{
    double J[6][3], part[6][3];
    for (int j = 0; j < 6; j++) {
        double unit[3] = {j % 3 == 0, j % 3 == 1, j % 3 == 2};
        if (j < 3)
            copy3(unit, J[j]);
        else
            cross3(unit, p, unit), turn3(x->pose[k]->R, unit, J[j]);
        add3(J[j], -dot3(x->n, J[j]), x->n, part[j]);
    }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            D[i][j] += dot3(J[i], part[j]) / x->length;                                                  /* (4) */
}

/* Of a slider on body a. */
static void add_carried(const row *r, const pair *x, double D[6][6])
{
    const double *R = x->pose[0]->R, *e = r->e[0];
    double z[3];
    add3(x->arm[0], 1, x->d, z);
    turn_back3(R, z, z);
    for (int j = 0; j < 3; j++) {
        double unit[3] = {j == 0, j == 1, j == 2}, c[3], along[3];
        cross3(unit, e, c), turn3(R, c, c);
        cross3(unit, z, along), cross3(along, e, along);
        for (int i = 0; i < 3; i++)
            D[i][3 + j] -= c[i], D[3 + i][3 + j] += along[i];
        turn_back3(R, unit, c), cross3(c, e, c);
        for (int i = 0; i < 3; i++)
            D[3 + i][j] += c[i];                                                                         /* (7) */
    }
}

static void add_turned(const pair *x, int k, double D[6][6])
{
    const double none[3] = {0, 0, 0}, *R = x->pose[k]->R;
    double J[3];
    turn_row(x, J);
    for (int j = 0; j < 3; j++) {
        double f[3] = {R[j], R[3 + j], R[6 + j]}, dJ[3], c[3];
        turn_change(x, k ? none : f, k ? f : none, dJ);
        cross3(f, J, c);
        sub3(dJ, c, c);
        turn_back3(R, c, c);
        for (int i = 0; i < 3; i++)
            D[3 + i][3 + j] += k ? -c[i] : c[i];                                                         /* (8) */
    }
}

void carom_row_displaced(const row *r, const pair *x, int k, double D[6][6])
{
    double y[3];
    memset(D, 0, 36 * sizeof D[0][0]);
    turn_back3(x->pose[k]->R, r->kind == CAROM_ROW_ACROSS && k == 0 ? x->m : x->n, y);
    if (r->kind == CAROM_ROW_ACROSS)
        add_turn(1, y, r->e[k], D);
    else if (r->kind == CAROM_ROW_TURN)
        add_turned(x, k, D);
    else if (r->kind == CAROM_ROW_BODY && k == 0)
        add_carried(r, x, D);
    else if (r->kind != CAROM_ROW_ANGLE)
        add_turn(k ? 1 : -1, y, r->p[k], D);
    if (r->kind == CAROM_ROW_DISTANCE)
        add_swing(x, k, r->p[k], D);
}


double *carom_row_pack(const carom_many *many, const row *r, double G[2][6], double *to)
{
    int n = carom_many_freedoms(many), block[2];
    for (int k = 0; k < 2; k++)
        block[k] = carom_row_block(many, r->body[k]);
    for (int k = 0; k < 2; k++) { /* the smaller block first */
        int side = block[0] < block[1] ? k : 1 - k;
        for (int i = 0; block[side] >= 0 && i < n; i++)
            *to++ = G[side][carom_row_index(n, i)];
    }
    return to;
}
