/* settle.c: what is to be found of the start where contacts are found (start.c: where they are formulas).
 *
 * `touch` in the place of a coordinate s: it moves in the direction in which the potential energy falls until the first
 * gap closes. With a bound L on the speed of the surfaces that it moves, by s' = 1, nothing is crossed by the step
 *   s <- s + min(gap, reach)/L                                                                            (1)
 * and the end is found by halving between a place that is free and one that is not. Bodies whose own place is still to
 * be found are not there yet: the file puts one body on the other in its order.
 * `velocity: rolling`: the material point that touches has no velocity against what it touches,  G v = 0.     (2) */
#include <stdlib.h>
#include <string.h>

#include "bodies/posing.h"
#include "core/dense.h"

#define NEAR 1e-6 /* a gap up to which a body touches */
enum { STEPS = 2000 };

typedef struct settling {
    carom_loader *l;
    carom_posing posing;
    double *variables; /* of expressions */
    int i;             /* the coordinate */
    bool *moves, *waits; /* [nbody] by the coordinate; for a place of their own */
    double *before;      /* [3*nbody] */
    double speed, fall;  /* L; how fast masses fall */
} settling;

/* ---- touch ---- */
static void set(settling *x, double at)
{
    carom_source *s = x->l->s;
    s->q[x->i] = x->variables[s->var_q + x->i] = at;
    for (int k = 0; k < s->nq && !s->bodies->found; k++) /* those that follow from it */
        if (k != x->i && carom_expr_depends(s->pool, s->q0[k].e, s->var_q + x->i, s->var_q + x->i + 1))
            s->q[k] = x->variables[s->var_q + k] = carom_expr_value(s->pool, s->q0[k].e, x->variables);
    carom_posing_at(&x->posing, s->q);
}

/* Which bodies the coordinate moves, how fast, and which way is down. */
static void find_out(settling *x)
{
    const carom_source *s = x->l->s;
    const carom_many *many = x->posing.many;
    const double h = 1e-4;
    carom_pose *pose = x->posing.w.pose;
    set(x, 0);
    for (int k = 0; k < many->bodies->nbody; k++)
        copy3(pose[k].r, x->before + 12 * k), memcpy(x->before + 12 * k + 3, pose[k].R, sizeof pose[k].R);
    set(x, h);
    x->speed = x->fall = 0;
    for (int k = 0; k < many->bodies->nbody; k++) {
        double d[3], turn = 0;
        sub3(pose[k].r, x->before + 12 * k, d);
        for (int i = 0; i < 9; i++)
            turn = fmax(turn, fabs(pose[k].R[i] - x->before[12 * k + 3 + i]));
        x->moves[k] = norm3(d) > 0 || turn > 0;
        if (x->moves[k])
            x->speed = fmax(x->speed, (norm3(d) + (turn > 0 ? 2 * turn * carom_many_reach(many, pose, k) : 0)) / h);
        x->fall += many->mass[k] * dot3(many->gravity, d) / h;
    }
    set(x, 0);
    if (!s->bodies->found) /* springs count, too */
        x->fall = -carom_expr_value(s->pool, carom_expr_diff(s->pool, s->potential.e, s->var_q + x->i), x->variables);
}

/* The smallest gap between what the coordinate moves and what is there; INFINITY: all are larger than reach. */
static double least(settling *x, double at, double reach)
{
    const carom_many *many = x->posing.many;
    carom_many_work *w = &x->posing.w;
    double gap = INFINITY;
    set(x, at);
    for (int i = 0; i < many->nshape; i++)
        carom_shape_bounds(&many->shape[i].shape, &w->pose[many->shape[i].body], 0.5 * reach, w->boxes + 6 * i,
                           w->boxes + 6 * i + 3);
    for (int i = 0; i < many->nshape; i++)
        for (int j = 0; x->moves[many->shape[i].body] && j < many->nshape; j++) {
            const carom_posed_shape *a = &many->shape[i], *b = &many->shape[j];
            bool meet = !x->waits[b->body] && (!x->moves[b->body] || i < j);
            for (int k = 0; k < 3 && meet; k++)
                meet = w->boxes[6 * i + k] <= w->boxes[6 * j + 3 + k] && w->boxes[6 * j + k] <= w->boxes[6 * i + 3 + k];
            carom_overlap how;
            if (meet && carom_many_law(many, a, b))
                gap = fmin(gap, carom_many_gap(many, w, i, j, reach, &how));
        }
    return gap;
}

/* From a free place downhill to the first that is not; false: nothing is there. */
static bool advance(settling *x, double down, double *open, double *closed)
{
    double reach = 0.1, size = 0;
    for (int k = 0; k < x->posing.many->bodies->nbody; k++)
        size += x->moves[k] && isfinite(x->posing.many->extent[k]) ? x->posing.many->extent[k] : 0;
    if (size > 0)
        reach = size;
    for (int n = 0; n < STEPS && reach < 1e9; n++) {
        double gap = least(x, *open, reach), step = fmin(gap, reach) / x->speed;
        if (isinf(gap))
            reach *= 2;
        step = fmax(step, NEAR * reach / x->speed);                                                      /* (1) */
        *closed = *open + down * step;
        if (least(x, *closed, 0) < 0)
            return true;
        *open = *closed;
    }
    return false;
}

/* A free place and one where something overlaps, next to it; false: there is none. */
static bool bracket(settling *x, double *open, double *closed)
{
    find_out(x);
    double down = x->fall < 0 ? -1 : 1;
    *open = *closed = 0;
    if (!(x->speed > 0 && isfinite(x->speed)))
        return false;
    for (double step = 1e-3; least(x, *open, 0) < 0 && step < 1e9; step *= 1.2)
        *open -= down * step;
    return advance(x, down, open, closed);
}

static carom_status find_touch(settling *x)
{
    carom_source *s = x->l->s;
    double open, closed;
    if (!bracket(x, &open, &closed))
        return carom_load_fail(x->l, s->q0[x->i].node->place,
                               "'%s' is to be found by touch, but nothing touches along it", s->q_name[x->i]);
    for (double middle; middle = open + 0.5 * (closed - open), middle != open && middle != closed;)
        *(least(x, middle, 0) < 0 ? &closed : &open) = middle;
    set(x, open);
    carom_expr at = carom_expr_const(s->pool, open);
    for (int k = 0; k < s->nq; k++)
        if (k == x->i || !s->bodies->found)
            s->q0[k].e = carom_expr_replace(s->pool, s->q0[k].e, s->var_q + x->i, 1, &at);
    return CAROM_OK;
}

/* ---- rolling ---- */
/* The closest touch of a body with friction; false: there is none. */
static bool closest(settling *x, int body, carom_touch *touch)
{
    const carom_many *many = x->posing.many;
    carom_many_work *w = &x->posing.w;
    double gap = NEAR;
    bool found = false;
    for (int i = 0; i < many->nshape; i++)
        for (int j = 0; many->shape[i].body == body && j < many->nshape; j++) {
            const carom_posed_shape *a = &many->shape[i], *b = &many->shape[j];
            const carom_pair_law *law = carom_many_law(many, a, b);
            carom_error error;
            int n = 0;
            if (!law || law->directions != (many->bodies->planar ? 1 : 2) ||
                carom_pair_find((carom_posed){&a->shape, &w->pose[a->body], a->body},
                                (carom_posed){&b->shape, &w->pose[b->body], b->body}, NEAR, w->touch,
                                CAROM_PAIR_TOUCHES, &n, &error) != CAROM_OK)
                continue;
            for (int k = 0; k < CAROM_MIN(n, CAROM_PAIR_TOUCHES); k++)
                if (fabs(w->touch[k].gap) < gap)
                    gap = fabs(w->touch[k].gap), *touch = w->touch[k], found = true;
        }
    return found;
}

/* G of a touch, and u = G v of its rows. */
static bool rows_of(settling *x, const carom_touch *touch, double *G, double *u)
{
    const carom_source *s = x->l->s;
    const carom_many *many = x->posing.many;
    int n = carom_many_freedoms(many), rows = n == 3 ? 2 : 3;
    carom_touch_motion at = {.pose = x->posing.w.pose};
    carom_touch_values to = {.G = G};
    carom_error error;
    if (carom_kernels_eval(many->kernels, CAROM_TOUCH_JACOBIAN, 1, touch, &at, &to, x->posing.w.scratch, &error))
        return false;
    memset(u, 0, sizeof *u * (size_t)rows);
    for (int j = 0; j < 2 * n; j++) {
        const carom_frame *f = &s->bodies->frame[touch->body[j / n]];
        int i = j % n;
        carom_expr e = n == 3 ? (i == 2 ? f->w.x[2] : f->v.x[i]) : i < 3 ? f->v.x[i] : f->w.x[i - 3];
        double V = carom_expr_value(s->pool, e, x->variables);
        for (int r = 0; r < rows; r++)
            u[r] += G[r * 2 * n + j] * V;
    }
    return true;
}

static carom_status find_rolling(settling *x, int body)
{
    carom_source *s = x->l->s;
    const carom_place_of *place = &s->bodies->place[body];
    const carom_body *b = &s->bodies->b.body[body];
    int n = carom_many_freedoms(x->posing.many), rows = n == 3 ? 2 : 3, pivot[3];
    double G[36], u[3], A[9];
    carom_touch touch;
    carom_posing_at(&x->posing, s->q);
    memcpy(x->variables + s->var_q, s->q, sizeof *s->q * (size_t)s->nq);
    memcpy(x->variables + s->var_v, s->v, sizeof *s->v * (size_t)s->nv);
    if (place->v[0] < 0 || !closest(x, body, &touch))
        return carom_load_fail(x->l, b->node->key_place, "'%s' cannot start rolling: it touches nothing with friction",
                               b->name);
    bool can = rows_of(x, &touch, G, u);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < rows; c++)
            A[r * rows + c] = G[r * 2 * n + (touch.body[1] == body ? n : 0) + c];
    if (!can || !carom_lu(rows, A, pivot))
        return carom_load_fail(x->l, b->node->key_place, "'%s' cannot start rolling", b->name);
    carom_lu_solve(rows, A, pivot, u);                                                                   /* (2) */
    for (int c = 0; c < rows; c++) {
        carom_given *to = &s->v0[place->v[c]];
        to->e = carom_expr_binary(s->pool, CAROM_OP_SUB, to->e, carom_expr_const(s->pool, u[c]));
        s->v[place->v[c]] -= u[c];
    }
    return CAROM_OK;
}

/* ---- all of it ---- */
static bool is_open(const carom_source *s, int i) /* coordinate i is to be found */
{
    return carom_expr_variable(s->pool, s->q0[i].e) == s->var_q + i;
}

static void choose(settling *x, int i)
{
    const carom_section_of_bodies *b = x->l->s->bodies;
    x->i = i;
    for (int k = 0; k < b->b.nbody; k++) {
        x->waits[k] = false;
        for (int d = 0; d < 4; d++)
            x->waits[k] |= b->place[k].q[d] > i && is_open(x->l->s, b->place[k].q[d]);
    }
}

static carom_status settle(settling *x)
{
    carom_source *s = x->l->s;
    const carom_section_of_bodies *b = s->bodies;
    for (int i = s->nformula; i < s->nq; i++) {
        if (!is_open(s, i))
            continue;
        choose(x, i);
        CAROM_TRY(find_touch(x));
    }
    for (int k = 0; k < b->b.nbody; k++)
        if (b->b.body[k].rolling)
            CAROM_TRY(find_rolling(x, k));
    return CAROM_OK;
}

static bool is_needed(const carom_source *s)
{
    bool needed = false;
    for (int i = s->nformula; i < s->nq; i++)
        needed |= is_open(s, i);
    for (int k = 0; k < s->bodies->b.nbody; k++)
        needed |= s->bodies->b.body[k].rolling;
    return needed;
}

static carom_status begin(settling *x, carom_loader *l, double *variables)
{
    size_t n = (size_t)l->s->bodies->b.nbody;
    *x = (settling){.l = l, .variables = variables};
    CAROM_TRY(carom_posing_new(&x->posing, l->s, l->error));
    x->moves = CAROM_NEW(x->posing.arena, bool, n + 1);
    x->waits = CAROM_NEW(x->posing.arena, bool, n + 1);
    x->before = CAROM_NEW(x->posing.arena, double, 12 * n + 1);
    if (x->moves && x->waits && x->before)
        return CAROM_OK;
    carom_posing_end(&x->posing);
    return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the start");
}

bool carom_bodies_touch(carom_loader *l, double *variables, int i, double *open, double *closed)
{
    carom_source *s = l->s;
    carom_error *given = l->error, unused;
    settling x;
    l->error = &unused;
    bool found = s->bodies->where && begin(&x, l, variables) == CAROM_OK;
    l->error = given;
    if (!found)
        return false;
    for (int k = 0; k < s->nq; k++)
        s->q[k] = variables[s->var_q + k] = carom_expr_value(s->pool, s->q0[k].e, variables);
    choose(&x, i);
    found = bracket(&x, open, closed);
    carom_posing_end(&x.posing);
    return found;
}

carom_status carom_bodies_settle(carom_loader *l)
{
    carom_source *s = l->s;
    settling x;
    if (!is_needed(s))
        return CAROM_OK;
    double *variables = carom_bodies_variables(s);
    carom_status status = variables ? begin(&x, l, variables)
                                    : carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the start");
    if (status == CAROM_OK) {
        status = settle(&x);
        carom_posing_end(&x.posing);
    }
    free(variables);
    return status == CAROM_OK ? carom_source_values(s, l->m, l->error) : status;
}
