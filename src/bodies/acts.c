/* acts.c: what expressions of the file do to many bodies: prescribed motions, forces or torques of joints, forces on
 * bodies, and their derivatives by the velocities, and along them, of the bodies they act on. One tape gives them all.
 *
 * Along a spin w of a body, e the quaternion:   e' = e (0, w)/2                                          (1) */
#include <string.h>

#include "bodies/section.h"

typedef struct listing { /* of the tape's outputs */
    carom_loader *l;
    carom_expr *e;
    int n;
} listing;

typedef struct actor {
    carom_tape *tape;
    const double *p;
} actor;

static void motions_and_drives(listing *x, carom_bodies *b)
{
    carom_expr_pool *pool = x->l->s->pool;
    for (int i = 0; i < b->njoint; i++) {
        carom_joint *joint = &b->joint[i];
        if (joint->motion == CAROM_EXPR_NONE)
            continue;
        carom_expr rate = carom_expr_diff(pool, joint->motion, 0);
        joint->motion_number = x->n / 3 + 1;
        x->e[x->n++] = joint->motion, x->e[x->n++] = rate, x->e[x->n++] = carom_expr_diff(pool, rate, 0);
    }
    b->first_drive = x->n;
    for (int i = 0; i < b->njoint; i++)
        if (b->joint[i].drive != CAROM_EXPR_NONE)
            x->e[x->n++] = b->joint[i].drive, b->joint[i].drive_number = x->n - b->first_drive;
}

/* df along velocity i (of six) of a body */
static carom_expr along(const carom_source *s, carom_expr f, const carom_place_of *at, bool planar, int i)
{
    static const int part[3][4] = {{-1, 0, 3, -2}, {-2, -3, 0, 1}, {-3, 2, -1, 0}}; /* of e (0, w), with its sign */
    carom_expr_pool *p = s->pool;
    carom_expr sum = carom_expr_const(p, 0);
    if (i < 3 || planar)
        return carom_expr_diff(p, f, s->var_q + at->q[planar && i == 5 ? 3 : i]);
    for (int k = 0; k < 4; k++) {
        int from = part[i - 3][k];
        carom_expr e = carom_expr_var(p, s->var_q + at->q[3] + (from < 0 ? -from : from));
        carom_expr term = carom_e_mul(p, carom_expr_diff(p, f, s->var_q + at->q[3] + k), e);
        sum = carom_e_add(p, sum, carom_e_scale(p, from < 0 ? -0.5 : 0.5, term));                       /* (1) */
    }
    return sum;
}

/* The derivatives of expression number `of` by the velocities of a body, and along them. */
static void slopes(listing *x, carom_bodies *b, int of, int body)
{
    const carom_source *s = x->l->s;
    const carom_place_of *at = body < 0 ? NULL : &s->bodies->place[body];
    carom_expr f = x->e[of];
    bool flat = !at || !carom_expr_depends(s->pool, f, s->var_q, s->var_p);
    for (int i = 0; !flat && i < 6; i++)
        for (int by_rate = 0; by_rate < 2 && at->v[i] >= 0; by_rate++) {
            carom_expr d = by_rate ? carom_expr_diff(s->pool, f, s->var_v + at->v[i]) : along(s, f, at, b->planar, i);
            if (carom_e_is(s->pool, d, 0))
                continue;
            b->slope[b->nslope++] = (carom_slope){of, at->v[i], by_rate};
            x->e[x->n++] = d;
        }
}

static carom_status list(listing *x, carom_bodies *b)
{
    carom_source *s = x->l->s;
    for (int i = 0; i < b->njoint; i++) {
        CAROM_TRY(carom_joint_motion(x->l, i, &b->joint[i].motion));
        CAROM_TRY(carom_joint_drive(x->l, i, &b->joint[i].drive));
    }
    motions_and_drives(x, b);
    b->first_push = x->n;
    CAROM_TRY(carom_load_forces(x->l));
    for (int i = 0; i < s->nv; i++)
        if (!carom_e_is(s->pool, s->forces[i].e, 0))
            b->push_on[b->npush++] = i, x->e[x->n++] = s->forces[i].e;
    b->first_slope = x->n;
    for (int i = 0; i < b->njoint; i++)
        for (int k = 0; k < 2 && b->joint[i].drive_number > 0; k++)
            slopes(x, b, b->first_drive + b->joint[i].drive_number - 1, b->joint[i].body[k]);
    for (int i = 0, body = 0; i < b->npush; i++) { /* velocities ascend with the bodies */
        while (body + 1 < b->nbody && s->bodies->place[body].v[5] < b->push_on[i])
            body++;
        slopes(x, b, b->first_push + i, body);
    }
    b->nexpression = x->n;
    return CAROM_OK;
}

carom_status carom_bodies_branch(carom_loader *l, bool *any)
{
    carom_source *s = l->s;
    const carom_bodies *b = &s->bodies->b;
    size_t most = 2 * (size_t)b->njoint + (size_t)s->nv + 12 * (size_t)b->nbody + 1;
    listing x = {.l = l, .e = CAROM_NEW(s->arena, carom_expr, most)};
    carom_switch first;
    if (!x.e)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the forces");
    for (int i = 0; i < b->njoint; i++, x.n += 2) {
        CAROM_TRY(carom_joint_motion(l, i, &x.e[x.n]));
        CAROM_TRY(carom_joint_drive(l, i, &x.e[x.n + 1]));
    }
    CAROM_TRY(carom_load_forces(l));
    for (int i = 0; i < s->nv; i++)
        x.e[x.n++] = s->forces[i].e;
    s->forces = NULL; /* whoever makes the model adds to none */
    for (int k = 0; k < b->nbody; k++)
        for (int i = 0; i < 12 && b->body[k].motion == CAROM_BODY_MOVED; i++)
            x.e[x.n++] = i < 3 ? s->bodies->frame[k].r.x[i] : s->bodies->frame[k].R.x[i - 3];
    int n = 0;
    for (int i = 0; i < x.n; i++)
        if (x.e[i] != CAROM_EXPR_NONE)
            x.e[n++] = x.e[i];
    *any = carom_expr_switches(s->pool, x.e, n, s->var_p, &first, 1) > 0;
    return CAROM_OK;
}

static void expressions(const carom_bodies *b, double t, const double *q, const double *v, double *scratch,
                        double *out)
{
    const actor *a = b->actor;
    const double *in[] = {&t, q, v, a->p};
    double *to[] = {out};
    carom_tape_begin(a->tape, 1, in, scratch);
    carom_tape_eval(a->tape, 1, in, scratch, to);
}

carom_status carom_bodies_acts(carom_loader *l, const double *p, carom_tape **tape)
{
    enum { OF_JOINT = 4 + 24, OF_VELOCITY = 1 + 12 };
    carom_source *s = l->s;
    carom_bodies *b = &s->bodies->b;
    size_t most = OF_JOINT * (size_t)b->njoint + OF_VELOCITY * (size_t)s->nv + 1;
    listing x = {.l = l, .e = CAROM_NEW(s->arena, carom_expr, most)};
    carom_tape_slot *to = CAROM_NEW(s->arena, carom_tape_slot, most), *variable = carom_bodies_slots(s);
    actor *made = CAROM_NEW(s->arena, actor, 1);
    b->push_on = CAROM_NEW(s->arena, int, s->nv + 1);
    b->slope = CAROM_NEW(s->arena, carom_slope, most);
    if (!x.e || !to || !variable || !made || !b->push_on || !b->slope)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the forces");
    CAROM_TRY(list(&x, b));
    for (int i = 0; i < x.n; i++)
        to[i] = (carom_tape_slot){0, i};
    if (x.n == 0)
        return CAROM_OK;
    CAROM_TRY(carom_tape_new(tape, s->pool, x.e, to, x.n, variable, 1u << 3, l->error));
    *made = (actor){*tape, p};
    b->actor = made;
    b->expressions = expressions;
    b->expression_work = carom_tape_work(*tape, 1);
    return CAROM_OK;
}
