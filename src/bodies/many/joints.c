/* joints.c: joints of many bodies, as rows of two bodies each.
 *
 * With arms c = R p to the points P = r + c of the two bodies, d = P_b - P_a, spins s = R w in space axes, and
 * directions e of the bodies, n = R_a e_a or an axis of space, m = R_b e_b:
 *   along     g = n . d                                         hinge, ball, weld: axes of space; slider: of a    (1)
 *             G_b = (n, R_b^T (c_b x n)),  G_a = -(n, R_a^T (c_a' x n)),  c_a' = c_a, with an axis of a: c_a + d
 *             gamma = n . (k_b - k_a) + 2 (s_a x n) . d' + (s_a x (s_a x n)) . d,  k = s x (s x c)
 *   across    g = n . m,  G_a = (0, R_a^T (n x m)),  G_b = -(0, R_b^T (n x m))                                    (2)
 *             gamma = (s_a - s_b) . ((s_a x n) x m + n x (s_b x m))
 *   angle     g = angle_b - angle_a - what it is in the file    in the plane                                      (3)
 *   distance  g = |d| - length,  G as (1) with n = d/|d|                                                          (4)
 *             gamma = n . (k_b - k_a) + (|d'|^2 - (n . d')^2)/|d|
 * What a body's own displacement (dr, R (1 + [dt])) changes in its part of G^T x, y = R^T n:
 *   axes of space, (2) with p = e_a, y = R_a^T m and p = e_b, y = R_b^T n:   dG = +-(0, (y p^T - p . y) dt)       (5)
 *   (4) beside this   (1 - n n^T)/|d| between the displacements of P
 *   an axis of a, on a, z = R_a^T (P_b - r_a):   dG = (-R_a (dt x e), (dt x z) x e + (R_a^T dr) x e)              (6)
 * The ends of a joint's range are such rows, too, with a sign: an angle in the plane, or (1) along a slider's axis.
 * R_q has (5) and (6) alone: what one body's displacement changes for the other has no place in blocks of a body, and
 * Newton's method of a step finds the same solution without it. */
#include <string.h>

#include "bodies/many/parts.h"
#include "core/dense.h"

typedef enum row_kind { ALONG_SPACE, ALONG_BODY, ACROSS, ANGLE, DISTANCE } row_kind;

typedef struct carom_joint_row {
    row_kind kind;
    int body[2];        /* CAROM_GROUND or a body */
    double p[2][3];     /* points from the centres, in body axes */
    double e[2][3];     /* directions, in body axes or (along axes of space) in space */
    double from;        /* what the coordinate is measured from: angle at the poses of the file, length, or an end */
    double sign;        /* -1: the upper end of a range */
    const carom_text_node *node; /* of its joint */
} row;

typedef struct pair { /* the two bodies of a row, where they are */
    const carom_pose *pose[2];
    double arm[2][3], d[3], length;
    double n[3], m[3];
} pair;

static const carom_pose ground = {{0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};

static pair pair_at(const row *r, const carom_pose *poses)
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
    if (r->kind == ALONG_SPACE)
        copy3(r->e[0], x.n);
    else
        turn3(x.pose[0]->R, r->e[0], x.n);
    turn3(x.pose[1]->R, r->e[1], x.m);
    for (int i = 0; r->kind == DISTANCE && i < 3; i++)
        x.n[i] = x.d[i] / x.length;
    return x;
}

/* ---- gaps and rows ---- */
static double angle_of(const carom_many *many, int body, const double *q)
{
    if (body < 0)
        return 0;
    return many->block[body] < 0 ? many->bodies->body[body].turn[2].value : q[3 * many->block[body] + 2];
}

static double gap_of(const carom_many *many, const row *r, const pair *x, const double *q)
{
    switch (r->kind) {
    case ACROSS: return dot3(x->n, x->m);                                                                /* (2) */
    case ANGLE: return angle_of(many, r->body[1], q) - angle_of(many, r->body[0], q) - r->from;          /* (3) */
    case DISTANCE: return x->length - r->from;                                                           /* (4) */
    default: return dot3(x->n, x->d) - r->from;                                                          /* (1) */
    }
}

static void row_of(const row *r, const pair *x, double G[2][6])
{
    double c[3];
    memset(G, 0, 12 * sizeof G[0][0]);
    if (r->kind == ANGLE) {
        G[0][5] = -1, G[1][5] = 1;                                                                       /* (3) */
        return;
    }
    if (r->kind == ACROSS) {
        cross3(x->n, x->m, c);
        turn_back3(x->pose[0]->R, c, G[0] + 3);
        turn_back3(x->pose[1]->R, c, G[1] + 3);
        for (int i = 3; i < 6; i++)
            G[1][i] = -G[1][i];                                                                          /* (2) */
        return;
    }
    for (int k = 0; k < 2; k++) {
        copy3(x->arm[k], c);
        if (k == 0 && r->kind == ALONG_BODY)
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
static double curvature_of(const row *r, const pair *x, double V[2][6])
{
    const double *s_a = V[0] + 3, *s_b = V[1] + 3;
    double k[2][3], rate[3] = {0, 0, 0}, turn[3], a[3], b[3];
    if (r->kind == ANGLE)
        return 0;
    if (r->kind == ACROSS) {
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
    if (r->kind == DISTANCE)
        return sum + (dot3(rate, rate) - along * along) / x->length;                                     /* (4) */
    if (r->kind == ALONG_SPACE)
        return sum;
    cross3(s_a, x->n, turn), twice(s_a, x->n, b);
    return sum + 2 * dot3(turn, rate) + dot3(b, x->d);                                                   /* (1) */
}

/* ---- into the arrays of an evaluation ---- */
static int block_of(const carom_many *many, int body)
{
    return body < 0 ? -1 : many->block[body];
}

/* The six of a body as its three in the plane. */
static void narrow(int n, const double *from, double *to)
{
    for (int i = 0; i < n; i++)
        to[i] = from[n == 3 && i == 2 ? 5 : i];
}

/* What the motion of a moved body adds: part 3 of it its velocity, 6 its acceleration. */
static double of_moved(const carom_many *many, const row *r, double G[2][6], const double *motion, int part)
{
    double sum = 0;
    for (int k = 0; k < 2 && many->nmoved; k++)
        if (r->body[k] >= 0 && many->move_of[r->body[k]] >= 0)
            sum += dot3(G[k], motion + 9 * many->move_of[r->body[k]] + part);
    return sum;
}

static double gamma_of(const carom_many *many, const row *r, const pair *x, const double *speed)
{
    int n = carom_many_freedoms(many);
    double V[2][6] = {{0}};
    for (int k = 0; k < 2; k++) {
        const double *v = r->body[k] < 0 ? NULL : speed + r->body[k] * n;
        for (int i = 0; v && i < n; i++)
            V[k][n == 3 && i == 2 ? 5 : i] = v[i];
        turn3(x->pose[k]->R, V[k] + 3, V[k] + 3);
    }
    return curvature_of(r, x, V);
}

double *carom_many_joints(const carom_many *many, int rows, const carom_eval *e, const carom_many_work *w,
                          const double *motion)
{
    int n = carom_many_freedoms(many);
    double *to = e->G;
    for (int i = 0; i < rows; i++) {
        const row *r = &many->joint[i];
        const pair x = pair_at(r, w->pose);
        double G[2][6];
        if (e->want & CAROM_GAP)
            e->g[i] = r->sign * gap_of(many, r, &x, e->q);
        if (!(e->want & (CAROM_JACOBIAN | CAROM_GAMMA)))
            continue;
        row_of(r, &x, G);
        for (int k = 0; k < 12; k++)
            G[k / 6][k % 6] *= r->sign;
        int a = block_of(many, r->body[0]), b = block_of(many, r->body[1]);
        for (int k = 0; e->want & CAROM_JACOBIAN && k < 2; k++) { /* the smaller block first */
            int side = a < b ? k : 1 - k;
            if ((side ? b : a) >= 0)
                narrow(n, G[side], to), to += n;
        }
        if (e->want & CAROM_JACOBIAN)
            e->w[i] = of_moved(many, r, G, motion, 3);
        if (e->want & CAROM_GAMMA)
            e->gamma[i] = r->sign * gamma_of(many, r, &x, w->speed) + of_moved(many, r, G, motion, 6);
    }
    return to;
}

/* ---- how G^T x of a body changes with its displacement ---- */

/* D += sign (y p^T - p . y) between turns */
static void add_turn(double sign, const double *y, const double *p, double D[6][6])
{
    double s = dot3(y, p);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            D[3 + i][3 + j] += sign * (y[i] * p[j] - (i == j ? s : 0));                                  /* (5) */
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
            D[3 + i][j] += c[i];                                                                         /* (6) */
    }
}

static void displaced(const row *r, const pair *x, int k, double D[6][6])
{
    double y[3];
    memset(D, 0, 36 * sizeof D[0][0]);
    turn_back3(x->pose[k]->R, r->kind == ACROSS && k == 0 ? x->m : x->n, y);
    if (r->kind == ACROSS)
        add_turn(1, y, r->e[k], D);
    else if (r->kind == ALONG_BODY && k == 0)
        add_carried(r, x, D);
    else if (r->kind != ANGLE)
        add_turn(k ? 1 : -1, y, r->p[k], D);
    if (r->kind == DISTANCE)
        add_swing(x, k, r->p[k], D);
}

void carom_many_joint_gradients(const carom_many *many, int rows, const double *x, const carom_many_work *w,
                                double *R_q)
{
    int n = carom_many_freedoms(many);
    for (int i = 0; i < rows; i++) {
        const row *r = &many->joint[i];
        const pair at = x[i] != 0 ? pair_at(r, w->pose) : (pair){0};
        for (int k = 0; x[i] != 0 && k < 2; k++) {
            int block = block_of(many, r->body[k]);
            double D[6][6];
            if (block < 0)
                continue;
            displaced(r, &at, k, D);
            for (int a = 0; a < n; a++)
                for (int b = 0; b < n; b++)
                    R_q[(block * n + a) * n + b] -=
                        r->sign * x[i] * D[n == 3 && a == 2 ? 5 : a][n == 3 && b == 2 ? 5 : b];
        }
    }
}

/* ---- from the description ---- */
typedef struct making { /* of the rows of one joint after the other */
    carom_many *many;
    carom_arena *arena;
    const char **name;
    int *block;
    const carom_joint *joint;
    bool stops; /* the ends of ranges, after all joints */
    bool room;
} making;

static row *add(making *x, row_kind kind, const char *name)
{
    const carom_joint *joint = x->joint;
    const char *part = x->stops ? " " : name[0] ? "." : "";
    carom_many *many = x->many;
    int at = many->njoint + many->nstop;
    row *r = &many->joint[at];
    *r = (row){.kind = kind, .sign = 1, .node = joint->node};
    for (int k = 0; k < 2; k++) {
        const carom_body *body = joint->body[k] < 0 ? NULL : &many->bodies->body[joint->body[k]];
        r->body[k] = joint->body[k];
        for (int i = 0; i < 3; i++)
            r->p[k][i] = joint->point[k][i].value - (body ? body->centre[i].value : 0);
    }
    int a = block_of(many, r->body[0]), b = block_of(many, r->body[1]), low = CAROM_MIN(a, b), high = CAROM_MAX(a, b);
    x->block[2 * at] = low < 0 ? high : low;
    x->block[2 * at + 1] = low < 0 ? -1 : high;
    x->name[at] = carom_arena_format(x->arena, "%s%s%s", joint->name, part, name);
    x->room = x->room && x->name[at];
    ++*(x->stops ? &many->nstop : &many->njoint);
    return r;
}

static void values3(const carom_quantity *from, double *to)
{
    for (int i = 0; i < 3; i++)
        to[i] = from[i].value;
}

static void same_point(making *x)
{
    static const char *const parts[] = {"x", "y", "z"};
    for (int i = 0; i < (x->many->bodies->planar ? 2 : 3); i++)
        add(x, ALONG_SPACE, parts[i])->e[0][i] = 1;
}

static void across(making *x, const char *part, const carom_quantity *a, const carom_quantity *b)
{
    row *r = add(x, ACROSS, part);
    values3(a, r->e[0]);
    values3(b, r->e[1]);
}

static row *add_angle(making *x, const char *name)
{
    double at[2];
    for (int k = 0; k < 2; k++)
        at[k] = x->joint->body[k] < 0 ? 0 : x->many->bodies->body[x->joint->body[k]].turn[2].value;
    row *r = add(x, ANGLE, name);
    r->from = at[1] - at[0];
    return r;
}

static void same_turn(making *x)
{
    const carom_joint *j = x->joint;
    if (x->many->bodies->planar) {
        add_angle(x, "angle");
        return;
    }
    across(x, "turn1", j->axis[0], j->across[1][0]);
    across(x, "turn2", j->across[0][0], j->across[1][1]);
    across(x, "turn3", j->across[0][1], j->axis[1]);
}

/* The rows of a joint, as those of formulas (src/bodies/joints.c). */
static void rows_of(making *x)
{
    const carom_joint *j = x->joint;
    bool planar = x->many->bodies->planar;
    switch (j->kind) {
    case CAROM_JOINT_HINGE:
        same_point(x);
        if (planar)
            return;
        across(x, "tilt1", j->axis[0], j->across[1][0]);
        across(x, "tilt2", j->axis[0], j->across[1][1]);
        return;
    case CAROM_JOINT_SLIDER:
        values3(j->across[0][0], add(x, ALONG_BODY, "side1")->e[0]);
        if (!planar)
            values3(j->across[0][1], add(x, ALONG_BODY, "side2")->e[0]);
        same_turn(x);
        return;
    case CAROM_JOINT_BALL: same_point(x); return;
    case CAROM_JOINT_WELD: same_point(x), same_turn(x); return;
    default: add(x, DISTANCE, "")->from = j->length.value; return;
    }
}

/* The ends of a joint's range, contacts that are always there. */
static void stops_of(making *x)
{
    const carom_joint *j = x->joint;
    carom_many *many = x->many;
    for (int i = 0; i < 2 && j->has_range; i++) {
        const char *name = i ? "above" : "below";
        int at = many->njoint + many->nstop;
        double *coefficient = CAROM_NEW(x->arena, double, CAROM_COEFFICIENTS_MAX);
        row *r = j->kind == CAROM_JOINT_SLIDER ? add(x, ALONG_BODY, name) : add_angle(x, name);
        if (j->kind == CAROM_JOINT_SLIDER)
            values3(j->axis[0], r->e[0]);
        r->from += j->range[i].value;
        r->sign = i ? -1 : 1;
        for (int k = 0; coefficient && k < carom_law_coefficients(&carom_law_unilateral); k++)
            coefficient[k] = k ? carom_law_unilateral.method.fields[k].value : j->restitution.value;
        many->stop[at - many->njoint] = (carom_contact){.name = x->name[at], .coefficient = coefficient};
        x->room = x->room && coefficient;
    }
}

bool carom_many_takes(const carom_bodies *b, const carom_joint *joint)
{
    const carom_quantity *forces[] = {&joint->stiffness, &joint->damping, &joint->friction};
    bool turns = b->planar && (joint->kind == CAROM_JOINT_HINGE || joint->kind == CAROM_JOINT_BALL);
    bool stops = !joint->has_range || turns || joint->kind == CAROM_JOINT_SLIDER;
    bool moves = false, plain = joint->kind != CAROM_JOINT_SPRING && !joint->coordinate && stops;
    for (int k = 0; k < 2; k++)
        moves |= joint->body[k] >= 0 && joint->body[k] < b->nbody &&
                 b->body[joint->body[k]].motion == CAROM_BODY_FREE;
    for (int i = 0; i < CAROM_COUNT(forces); i++)
        plain = plain && forces[i]->value == 0;
    return moves && plain;
}

carom_status carom_many_joints_new(carom_many *many, carom_model *m, carom_arena *arena, carom_error *error)
{
    enum { MOST = 8 };
    const carom_bodies *b = many->bodies;
    size_t most = MOST * (size_t)b->njoint;
    making x = {.many = many, .arena = arena, .room = true, .name = CAROM_NEW(arena, const char *, most + 1),
                .block = CAROM_NEW(arena, int, 2 * most + 1)};
    many->joint = CAROM_NEW(arena, row, most + 1);
    many->stop = CAROM_NEW(arena, carom_contact, 2 * (size_t)b->njoint + 1);
    if (!many->joint || !many->stop || !x.name || !x.block)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for %d joints", b->njoint);
    for (int i = 0; i < 2 * b->njoint; i++) {
        x.joint = &b->joint[i % b->njoint];
        x.stops = i >= b->njoint;
        (x.stops ? stops_of : rows_of)(&x);
    }
    many->joint_block = x.block;
    if (!x.room)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for %d joints", b->njoint);
    m->njoint = many->njoint, m->joint_name = x.name, m->joint_block = x.block;
    return CAROM_OK;
}

void carom_many_stop(const carom_many *many, int i, carom_found *found)
{
    int n = carom_many_freedoms(many);
    *found = (carom_found){.id = -1 - i, .contact = many->stop[i]};
    for (int k = 0; k < 2; k++) {
        int block = many->joint_block[2 * (many->njoint + i) + k];
        if (block >= 0)
            found->first[k] = block * n, found->count[k] = n;
    }
}

const carom_text_node *carom_many_joint_node(const carom_many *many, int i)
{
    return many->joint[i].node;
}

/* ---- who is joined to whom ---- */
carom_status carom_many_join(carom_many *many, carom_arena *arena, carom_error *error)
{
    const carom_bodies *b = many->bodies;
    int *first = many->first_joined = CAROM_NEW(arena, int, b->nbody + 2);
    int *to = many->joined = CAROM_NEW(arena, int, 2 * (size_t)b->njoint + 1);
    if (!first || !to)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for %d joints", b->njoint);
    for (int pass = 0; pass < 2; pass++) { /* counts, then fills: first[k + 1] walks to the end of body k */
        for (int i = 0; i < b->njoint; i++)
            for (int k = 0; k < 2; k++) {
                int body = b->joint[i].body[k], other = b->joint[i].body[1 - k];
                if (body < 0 || other < 0 || !carom_joint_connects(&b->joint[i]))
                    continue;
                if (pass)
                    to[first[body + 1]++] = other;
                else
                    first[body + 2]++;
            }
        for (int k = 0; !pass && k <= b->nbody; k++)
            first[k + 1] += first[k];
    }
    return CAROM_OK;
}

bool carom_many_joined(const carom_many *many, int i, int j)
{
    const int *first = many->first_joined;
    if (first[j + 1] - first[j] < first[i + 1] - first[i]) {
        int k = i;
        i = j, j = k;
    }
    for (int k = first[i]; k < first[i + 1]; k++)
        if (many->joined[k] == j)
            return true;
    return false;
}
