/* joints.c: joints of many bodies, as rows of two bodies each (rows.c): constraints, prescribed motions, the ends of
 * ranges and dry friction. With the coordinate s of a joint:
 *   motion    g = s - f(t)                                                                                        (1)
 *   range     g = s - a,  g = b - s                             contacts that are always there                    (2)
 *   friction  u = s'                                            the same, of the law `bounded`                    (3)
 * R_q has what a body's displacement changes for itself: what it changes for the other has no place in blocks of a
 * body, and Newton's method of a step finds the same solution without it. */
#include <math.h>
#include <string.h>

#include "bodies/many/rows.h"
#include "core/dense.h"

typedef carom_joint_row row;
typedef carom_row_pair pair;

/* ---- into the arrays of an evaluation ---- */
double carom_many_of_moved(const carom_many *many, const row *r, double G[2][6], const double *motion, int part)
{
    double sum = 0;
    for (int k = 0; k < 2 && many->nmoved; k++)
        if (r->body[k] >= 0 && many->move_of[r->body[k]] >= 0)
            for (int i = 0; i < 6; i++)
                sum += G[k][i] * motion[CAROM_MOTION * many->move_of[r->body[k]] + part + i];
    return sum;
}

static double gamma_of(const carom_many *many, const row *r, const pair *x, const double *speed)
{
    int n = carom_many_freedoms(many);
    double V[2][6] = {{0}};
    for (int k = 0; k < 2; k++) {
        const double *v = r->body[k] < 0 ? NULL : speed + r->body[k] * n;
        for (int i = 0; v && i < n; i++)
            V[k][carom_row_index(n, i)] = v[i];
        turn3(x->pose[k]->R, V[k] + 3, V[k] + 3);
    }
    return carom_row_gamma(r, x, V);
}

/* A turn in space that is prescribed may go round. */
static double gap_of(const carom_many *many, const row *r, const pair *x, const double *q, const double *given)
{
    double g = carom_row_value(many, r, x, q);
    if (given)
        g -= given[0];                                                                                   /* (1) */
    return given && r->kind == CAROM_ROW_TURN ? remainder(g, 2 * M_PI) : r->sign * g;
}

double *carom_many_joints(const carom_many *many, int rows, const carom_eval *e, const carom_many_work *w,
                          const double *motion)
{
    double *to = e->G;
    for (int i = 0; i < rows; i++) {
        const row *r = &many->joint[i];
        const pair x = carom_row_at(r, w->pose);
        const double *given = r->motion < 0 ? NULL : w->acts + 3 * r->motion;
        double G[2][6];
        if (e->want & CAROM_GAP)
            e->g[i] = gap_of(many, r, &x, e->q, given);
        if (!(e->want & (CAROM_JACOBIAN | CAROM_GAMMA)))
            continue;
        carom_row_jacobian(r, &x, G);
        for (int k = 0; k < 12; k++)
            G[k / 6][k % 6] *= r->sign;
        if (e->want & CAROM_JACOBIAN) {
            to = carom_row_pack(many, r, G, to);
            e->w[i] = carom_many_of_moved(many, r, G, motion, CAROM_OF_SPEED) - (given ? given[1] : 0);
        }
        if (e->want & CAROM_GAMMA)
            e->gamma[i] = r->sign * gamma_of(many, r, &x, w->speed) - (given ? given[2] : 0) +
                          carom_many_of_moved(many, r, G, motion, CAROM_OF_CHANGE);
    }
    return to;
}

void carom_many_row_gradient(const carom_many *many, const row *r, const pair *at, double x, double *R_q)
{
    int n = carom_many_freedoms(many);
    for (int k = 0; k < 2; k++) {
        int block = carom_row_block(many, r->body[k]);
        double D[6][6];
        if (block < 0)
            continue;
        carom_row_displaced(r, at, k, D);
        for (int a = 0; a < n; a++)
            for (int b = 0; b < n; b++)
                R_q[(block * n + a) * n + b] -= r->sign * x * D[carom_row_index(n, a)][carom_row_index(n, b)];
    }
}

void carom_many_joint_gradients(const carom_many *many, int rows, const double *x, const carom_many_work *w,
                                double *R_q)
{
    for (int i = 0; i < rows; i++)
        if (x[i] != 0) {
            const pair at = carom_row_at(&many->joint[i], w->pose);
            carom_many_row_gradient(many, &many->joint[i], &at, x[i], R_q);
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

static row row_between(const carom_many *many, const carom_joint *joint, carom_row_kind kind)
{
    row r = {.kind = kind, .sign = 1, .motion = -1, .node = joint->node};
    for (int k = 0; k < 2; k++) {
        const carom_body *body = joint->body[k] < 0 ? NULL : &many->bodies->body[joint->body[k]];
        r.body[k] = joint->body[k];
        for (int i = 0; i < 3; i++)
            r.p[k][i] = joint->point[k][i].value - (body ? body->centre[i].value : 0);
    }
    return r;
}

static row *put(making *x, row made, const char *name)
{
    const carom_joint *joint = x->joint;
    const char *part = x->stops ? " " : name[0] ? "." : "";
    carom_many *many = x->many;
    int at = many->njoint + many->nstop;
    row *r = &many->joint[at];
    *r = made;
    int a = carom_row_block(many, r->body[0]), b = carom_row_block(many, r->body[1]);
    int low = CAROM_MIN(a, b), high = CAROM_MAX(a, b);
    x->block[2 * at] = low < 0 ? high : low;
    x->block[2 * at + 1] = low < 0 ? -1 : high;
    x->name[at] = carom_arena_format(x->arena, "%s%s%s", joint->name, part, name);
    x->room = x->room && x->name[at];
    ++*(x->stops ? &many->nstop : &many->njoint);
    return r;
}

static row *add(making *x, carom_row_kind kind, const char *name)
{
    return put(x, row_between(x->many, x->joint, kind), name);
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
        add(x, CAROM_ROW_SPACE, parts[i])->e[0][i] = 1;
}

static void across(making *x, const char *part, const carom_quantity *a, const carom_quantity *b)
{
    row *r = add(x, CAROM_ROW_ACROSS, part);
    values3(a, r->e[0]);
    values3(b, r->e[1]);
}

static row angle_between(const carom_many *many, const carom_joint *joint)
{
    row r = row_between(many, joint, CAROM_ROW_ANGLE);
    for (int k = 0; k < 2; k++)
        r.from += joint->body[k] < 0 ? 0 : (k ? 1 : -1) * many->bodies->body[joint->body[k]].turn[2].value;
    return r;
}

row carom_many_coordinate(const carom_many *many, const carom_joint *joint)
{
    row r = row_between(many, joint, CAROM_ROW_DISTANCE);
    if (joint->kind == CAROM_JOINT_SLIDER) {
        r.kind = CAROM_ROW_BODY;
        values3(joint->axis[0], r.e[0]);
    } else if (joint->kind < CAROM_JOINT_DISTANCE && many->bodies->planar) {
        r = angle_between(many, joint);
    } else if (joint->kind < CAROM_JOINT_DISTANCE) {
        r.kind = CAROM_ROW_TURN;
        values3(joint->across[0][0], r.e[0]);
        values3(joint->across[0][1], r.across);
        values3(joint->across[1][0], r.e[1]);
    }
    return r;
}

static void same_turn(making *x)
{
    const carom_joint *j = x->joint;
    if (x->many->bodies->planar) {
        put(x, angle_between(x->many, j), "angle");
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
        values3(j->across[0][0], add(x, CAROM_ROW_BODY, "side1")->e[0]);
        if (!planar)
            values3(j->across[0][1], add(x, CAROM_ROW_BODY, "side2")->e[0]);
        same_turn(x);
        return;
    case CAROM_JOINT_BALL: same_point(x); return;
    case CAROM_JOINT_WELD: same_point(x), same_turn(x); return;
    default: add(x, CAROM_ROW_DISTANCE, "")->from = j->length.value; return;
    }
}

static void rows_and_motion(making *x)
{
    if (x->joint->kind != CAROM_JOINT_SPRING && !x->joint->loose)
        rows_of(x);
    if (x->joint->motion_number > 0)
        put(x, carom_many_coordinate(x->many, x->joint), "motion")->motion = x->joint->motion_number - 1; /* (1) */
}

static row *add_stop(making *x, const char *name, const carom_law *law, double first)
{
    carom_many *many = x->many;
    double *coefficient = CAROM_NEW(x->arena, double, CAROM_COEFFICIENTS_MAX);
    int at = many->nstop;
    row *r = put(x, carom_many_coordinate(many, x->joint), name);
    for (int k = 0; coefficient && k < carom_law_coefficients(law); k++)
        coefficient[k] = k ? law->method.fields[k].value : first;
    many->stop[at] = (carom_contact){.name = x->name[many->njoint + at], .coefficient = coefficient};
    x->room = x->room && coefficient;
    return r;
}

/* The ends of a joint's range and dry friction, contacts that are always there. */
static void stops_of(making *x)
{
    const carom_joint *j = x->joint;
    for (int i = 0; i < 2 && j->has_range; i++) {
        row *r = add_stop(x, i ? "above" : "below", &carom_law_unilateral, j->restitution.value);        /* (2) */
        r->from += j->range[i].value;
        r->sign = i ? -1 : 1;
    }
    if (j->friction.value == 0)
        return;
    add_stop(x, "friction", &carom_law_bounded, j->friction.value);                                      /* (3) */
    x->many->stop[x->many->nstop - 1].law = carom_law_bounded.method.name;
}

bool carom_many_takes(const carom_bodies *b, const carom_joint *joint)
{
    for (int k = 0; k < 2; k++)
        if (joint->body[k] >= 0 && joint->body[k] < b->nbody && b->body[joint->body[k]].motion == CAROM_BODY_FREE)
            return !joint->coordinate;
    return false;
}

carom_status carom_many_joints_new(carom_many *many, carom_model *m, carom_arena *arena, carom_error *error)
{
    enum { MOST = 10, STOPS = 3 };
    const carom_bodies *b = many->bodies;
    size_t most = MOST * (size_t)b->njoint;
    making x = {.many = many, .arena = arena, .room = true, .name = CAROM_NEW(arena, const char *, most + 1),
                .block = CAROM_NEW(arena, int, 2 * most + 1)};
    many->joint = CAROM_NEW(arena, row, most + 1);
    many->stop = CAROM_NEW(arena, carom_contact, STOPS * (size_t)b->njoint + 1);
    if (!many->joint || !many->stop || !x.name || !x.block)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for %d joints", b->njoint);
    for (int i = 0; i < 2 * b->njoint; i++) {
        x.joint = &b->joint[i % b->njoint];
        x.stops = i >= b->njoint;
        (x.stops ? stops_of : rows_and_motion)(&x);
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
