/* acts.c: forces on many bodies beside their weight: springs, dampers and motors of joints, springs between points, and
 * the forces that the file gives as expressions.
 *
 * With the coordinate s of a joint or spring (rows.c), its row G, s' = G v + w, and its drive f(t, q, v):
 *   F += p G^T,   p = f - k (s - s_0) - c s'                                                                      (1)
 *   energy   k (s - s_0)^2/2;  power  -c s'^2 (viscous),  f s' and what expressions push (external)               (2)
 *   -dF/dq = k G^T G - p dG^T/dq,   -dF/dv = c G^T G: couplings of two bodies; k and c grow by those of the drive,
 *   -df/dq . G/|G|^2 and -df/dv . G/|G|^2, all of its derivative if it is a function of s and s'                  (3)
 *   of a distance d, n = d/|d|, dG^T/dq has (1 - n n^T)/|d|: where it pulls, p < 0, couplings with -p/|d| along the
 *   directions across n                                                                                           (4)
 * The rest of dG^T/dq, and what a force on a body changes with its own position and velocity, is taken by body as in
 * joints.c; what expressions have from other bodies, and dependence of s' on q, is left out: Newton's method of a step
 * finds the same solution, as long as their part in a step is small beside M. */
#include <string.h>

#include "bodies/many/rows.h"

typedef carom_joint_row row;
typedef carom_row_pair pair;

typedef struct carom_act {
    row row;
    double k, rest, c;
    int drive; /* its number among what the expressions give; -1: none */
    int first_slope, nslope; /* of the drive */
} act;

typedef struct state { /* of an act */
    pair at;
    double G[2][6], s, rate, p;
} state;

/* ---- evaluation ---- */
void carom_many_expressions(const carom_many *many, double t, const double *q, const double *v, carom_many_work *w)
{
    if (many->bodies->nexpression)
        many->bodies->expressions(many->bodies, t, q, v, w->act_scratch, w->acts);
}

static state state_of(const carom_many *many, const act *a, const carom_eval *e, const carom_many_work *w,
                      const double *motion)
{
    int n = carom_many_freedoms(many);
    state x = {.at = carom_row_at(&a->row, w->pose)};
    carom_row_jacobian(&a->row, &x.at, x.G);
    x.s = carom_row_value(many, &a->row, &x.at, e->q);
    x.rate = carom_many_of_moved(many, &a->row, x.G, motion, CAROM_OF_SPEED);
    for (int k = 0; k < 2; k++) {
        int block = carom_row_block(many, a->row.body[k]);
        for (int i = 0; block >= 0 && i < n; i++)
            x.rate += x.G[k][carom_row_index(n, i)] * e->v[block * n + i];
    }
    x.p = (a->drive < 0 ? 0 : w->acts[a->drive]) - a->k * (x.s - a->rest) - a->c * x.rate;               /* (1) */
    return x;
}

void carom_many_act_forces(const carom_many *many, const carom_eval *e, const carom_many_work *w, const double *motion)
{
    int n = carom_many_freedoms(many);
    const carom_bodies *b = many->bodies;
    for (int i = 0; i < many->nact; i++) {
        const state x = state_of(many, &many->act[i], e, w, motion);
        for (int k = 0; k < 2; k++) {
            int block = carom_row_block(many, many->act[i].row.body[k]);
            for (int j = 0; block >= 0 && j < n; j++)
                e->F[block * n + j] += x.p * x.G[k][carom_row_index(n, j)];                              /* (1) */
        }
    }
    for (int i = 0; i < b->npush; i++)
        e->F[b->push_on[i]] += w->acts[b->first_push + i];
}

void carom_many_act_energy(const carom_many *many, const carom_eval *e, const carom_many_work *w, const double *motion)
{
    const carom_bodies *b = many->bodies;
    for (int i = 0; i < many->nact; i++) {
        const act *a = &many->act[i];
        state x = state_of(many, a, e, w, motion);
        e->energy[1] += 0.5 * a->k * (x.s - a->rest) * (x.s - a->rest);                                  /* (2) */
        e->energy[2] += a->drive < 0 ? 0 : w->acts[a->drive] * x.rate;
        e->energy[2] -= x.p * carom_many_of_moved(many, &a->row, x.G, motion, CAROM_OF_SPEED);
        e->energy[3] -= a->c * x.rate * x.rate;
    }
    for (int i = 0; i < b->npush; i++)
        e->energy[2] += w->acts[b->first_push + i] * e->v[b->push_on[i]];
}

static bool is_coupled(const act *a)
{
    return a->k != 0 || a->c != 0 || a->nslope > 0;
}

static double *couple(const carom_many *many, const row *r, double G[2][6], double by_q, double by_v, int i,
                      const carom_eval *e, double *to)
{
    e->C_q[i] = by_q, e->C_v[i] = by_v;
    return carom_row_pack(many, r, G, to);
}

/* (4): directions across n, one in the plane */
static void across(bool planar, const double *n, int i, double *t)
{
    int least = planar ? 2 : 0;
    for (int k = 1; k < 3 && !planar; k++)
        least = fabs(n[k]) < fabs(n[least]) ? k : least;
    double unit[3] = {least == 0, least == 1, least == 2};
    cross3(unit, n, t);
    unit3(t);
    if (i)
        cross3(n, t, t);
}

/* k and c of the drive in (3) */
static void drive_slopes(const carom_many *many, const act *a, const state *x, const carom_many_work *w, double kc[2])
{
    const carom_bodies *b = many->bodies;
    int n = carom_many_freedoms(many);
    double size = 0;
    kc[0] = kc[1] = 0;
    for (int i = 0; i < 12; i++)
        size += x->G[i / 6][i % 6] * x->G[i / 6][i % 6];
    for (int i = a->first_slope; i < a->first_slope + a->nslope; i++) {
        const carom_slope *s = &b->slope[i];
        int side = s->velocity / n == carom_row_block(many, a->row.body[1]);
        kc[s->by_rate] -= w->acts[b->first_slope + i] * x->G[side][carom_row_index(n, s->velocity % n)] / size;
    }
}

/* What forces on a body change with its own displacement and velocity. */
static void push_slopes(const carom_many *many, const carom_eval *e, const carom_many_work *w)
{
    const carom_bodies *b = many->bodies;
    int n = carom_many_freedoms(many);
    for (int i = 0; i < b->nslope; i++) {
        const carom_slope *s = &b->slope[i];
        if (s->of < b->first_push || !(e->want & (s->by_rate ? CAROM_R_V : CAROM_R_Q)))
            continue;
        int on = b->push_on[s->of - b->first_push];
        (s->by_rate ? e->R_v : e->R_q)[on * n + s->velocity % n] -= *e->s * w->acts[b->first_slope + i];
    }
}

void carom_many_act_gradients(const carom_many *many, const carom_eval *e, const carom_many_work *w,
                              const double *motion)
{
    double *to = e->C, s = *e->s;
    bool planar = many->bodies->planar;
    int n = 0;
    push_slopes(many, e, w);
    for (int i = 0; i < many->nact; i++) {
        const act *a = &many->act[i];
        state x = state_of(many, a, e, w, motion);
        double drive[2];
        row plain = a->row;
        drive_slopes(many, a, &x, w, drive);
        if (plain.kind == CAROM_ROW_DISTANCE)
            plain.kind = CAROM_ROW_SPACE; /* (1 - n n^T)/|d| follows */
        if (e->want & CAROM_R_Q)
            carom_many_row_gradient(many, &plain, &x.at, s * x.p, e->R_q);
        if (is_coupled(a))
            to = couple(many, &a->row, x.G, s * (a->k + drive[0]), s * (a->c + drive[1]), n++, e, to);   /* (3) */
        for (int k = 0; a->row.kind == CAROM_ROW_DISTANCE && k < (planar ? 1 : 2); k++) {
            pair turned = x.at;
            double G[2][6];
            across(planar, x.at.n, k, turned.n);
            carom_row_jacobian(&plain, &turned, G);
            to = couple(many, &a->row, G, -s * x.p / x.at.length, 0, n++, e, to);                        /* (4) */
        }
    }
}

/* ---- from the description ---- */
static bool acts_on(const carom_joint *joint)
{
    return joint->stiffness.value != 0 || joint->damping.value != 0 || joint->drive_number > 0;
}

carom_status carom_many_acts_new(carom_many *many, carom_model *m, carom_arena *arena, carom_error *error)
{
    enum { COUPLINGS = 3 };
    const carom_bodies *b = many->bodies;
    int *block = CAROM_NEW(arena, int, 2 * COUPLINGS * (size_t)b->njoint + 1), n = 0, slope = 0;
    many->act = CAROM_NEW(arena, act, b->njoint + 1);
    if (!many->act || !block)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for %d joints", b->njoint);
    for (int i = 0; i < b->njoint; i++) {
        const carom_joint *joint = &b->joint[i];
        bool spring = joint->kind == CAROM_JOINT_SPRING;
        act *a = &many->act[many->nact];
        if (!acts_on(joint))
            continue;
        many->nact++;
        *a = (act){.row = carom_many_coordinate(many, joint), .k = joint->stiffness.value, .c = joint->damping.value,
                   .rest = spring ? joint->length.value : joint->rest.value, .drive = -1};
        if (joint->drive_number > 0)
            a->drive = b->first_drive + joint->drive_number - 1;
        while (slope < b->nslope && b->slope[slope].of < a->drive)
            slope++;
        for (a->first_slope = slope; slope < b->nslope && b->slope[slope].of == a->drive; slope++)
            a->nslope++;
        int one = carom_row_block(many, joint->body[0]), two = carom_row_block(many, joint->body[1]);
        int low = CAROM_MIN(one, two), high = CAROM_MAX(one, two);
        int count = is_coupled(a) + (a->row.kind == CAROM_ROW_DISTANCE ? b->planar ? 1 : 2 : 0);
        for (int k = 0; k < count; k++, n++)
            block[2 * n] = low < 0 ? high : low, block[2 * n + 1] = low < 0 ? -1 : high;
    }
    m->ncoupling = n, m->coupling_block = block;
    return CAROM_OK;
}
