/* kernel.c: the derivatives of pairs of features (features.c), and the tapes that evaluate them.
 *
 * A kernel gives the normal n and the points y_a, y_b of the two features without their radii, as arms from the
 * reference points; the rest is common:
 *   c_a = y_a + radius_a n,   c_b = y_b - radius_b n,   g = n . (r_b + c_b - r_a - c_a)                           (1)
 *   t_1 = unit(e - (e . n) n),  t_2 = n x t_1          e: the touch's reference; planar: t_1 = (-n_y, n_x)      (2)
 *   w = v_b + spin_b x p_b - v_a - spin_a x p_a,   r_a + p_a = r_b + p_b
 *   u_k = t_k . w                                                                                             (3)
 *   D_x f = df/ds of f(r + s dr, R + s R [dtheta], z + s D_x z) at s = 0                                        (4)
 *   F(pose, z) = 0  ->  D_x z = - F_z^-1 D_x F (z held)                                                         (5)
 *   gamma = D_v u,   U_q = D_x u,   A_q = D_x (G a + gamma),   A_v = d gamma/dv,   R_q = D_x (G^T x)            (6)
 * In (3) both bodies are looked at in one point: bodies that move as one have no slip whatever the gap, and the force
 * on one has the moment of its opposite on the other; n . w = g' all the same. It is the point of b, which is a vertex
 * or round, and halfway between the two where a is the same kind of feature: then it does not matter which is which.
 * x runs over the small displacements of both bodies. D_x D_y f is exact since (4) is applied to expressions
 * that hold for all poses. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/maker.h"
#include "geometry/vector.h"

enum { LANES = 8, MAX_NODES = 1 << 22, MOST_OUT = 1 + 15 + 36 + 3 + 3 * 36 + 144 + (1 + 3 + 3 + 12) * FEATURES };

/* ---- motions ---- */
static int columns(bool planar)
{
    return planar ? 6 : 12;
}
static int rows(bool planar)
{
    return planar ? 2 : 3;
}

/* The column-th component of a motion as six of a vector pair: of body 0 or 1, the velocity or the spin. */
static vec component(maker *m, int first, int body, bool spin)
{
    int half = columns(m->planar) / 2, at = first + half * body;
    scalar zero = number(m, 0);
    if (!m->planar)
        return variables(m, at + (spin ? 3 : 0));
    return spin ? (vec){{zero, zero, m->var[at + 2]}} : (vec){{m->var[at], m->var[at + 1], zero}};
}

static vec relative(maker *m, int first) /* (3) of the velocities or accelerations from variable first on */
{
    vec w_a = cross(m, rotate(m, TURN_A, component(m, first, 0, true)), m->p_a);
    vec w_b = cross(m, rotate(m, TURN_B, component(m, first, 1, true)), m->p_b);
    return minus(m, plus(m, component(m, first, 1, false), w_b), plus(m, component(m, first, 0, false), w_a));
}

/* G^T f of a force f on b, and -f on a. */
static void transposed(maker *m, vec f, scalar *out)
{
    vec moment[2] = {cross(m, f, m->p_a), cross(m, m->p_b, f)};
    for (int body = 0; body < 2; body++) {
        scalar *o = out + columns(m->planar) / 2 * body;
        int turn = body ? TURN_B : TURN_A, n = 0;
        for (int i = 0; i < (m->planar ? 2 : 3); i++)
            o[n++] = body ? f.x[i] : neg(m, f.x[i]);
        for (int i = m->planar ? 2 : 0; i < 3; i++)
            o[n++] = dot(m, column(m, turn, i), moment[body]);
    }
}

/* ---- derivatives ---- */
/* moved[VARIABLES]: the variables displaced by STEP times (place, turn) of both bodies and by dz. */
static void displace(maker *m, const vec move[2][2], const scalar *dz, scalar *moved)
{
    scalar s = m->var[STEP];
    for (int i = 0; i < VARIABLES; i++)
        moved[i] = m->var[i];
    for (int body = 0; body < 2; body++) {
        int place = body ? PLACE_B : PLACE_A, turn = body ? TURN_B : TURN_A;
        for (int i = 0; i < 3; i++) {
            moved[place + i] = add(m, m->var[place + i], mul(m, s, move[body][0].x[i]));
            vec dR = cross(m, row(m, turn, i), move[body][1]); /* a row of R [theta] is row x theta */
            for (int j = 0; j < 3; j++)
                moved[turn + 3 * i + j] = add(m, m->var[turn + 3 * i + j], mul(m, s, dR.x[j]));
        }
    }
    for (int i = 0; i < m->unknowns; i++)
        moved[UNKNOWN + i] = add(m, m->var[UNKNOWN + i], mul(m, s, dz[i]));
}

static scalar along(maker *m, scalar f, const scalar *moved) /* (4) */
{
    scalar zero = number(m, 0);
    f = carom_expr_diff(m->pool, carom_expr_replace(m->pool, f, 0, INPUTS, moved), STEP);
    return carom_expr_replace(m->pool, f, STEP, 1, &zero);
}

/* moved[] of a motion of both bodies and of a change of one number of the features (-1: none), unknowns included. */
static void direction(maker *m, const vec move[2][2], int feature, scalar *moved)
{
    scalar held[CAROM_UNKNOWNS], dF[CAROM_UNKNOWNS], Fz[CAROM_UNKNOWNS][CAROM_UNKNOWNS], dz[CAROM_UNKNOWNS];
    for (int i = 0; i < m->unknowns; i++)
        held[i] = number(m, 0);
    displace(m, move, held, moved);
    if (feature >= 0)
        moved[FEATURE_A + feature] = add(m, m->var[FEATURE_A + feature], m->var[STEP]);
    if (m->unknowns == 0)
        return;
    for (int i = 0; i < m->unknowns; i++) {
        dF[i] = along(m, m->F[i], moved);
        for (int j = 0; j < m->unknowns; j++)
            Fz[i][j] = carom_expr_diff(m->pool, m->F[i], UNKNOWN + j);
    }
    if (m->unknowns == 1) {
        dz[0] = neg(m, ratio(m, dF[0], Fz[0][0]));                                                    /* (5) */
    } else {
        scalar det = sub(m, mul(m, Fz[0][1], Fz[1][0]), mul(m, Fz[0][0], Fz[1][1]));
        dz[0] = ratio(m, sub(m, mul(m, Fz[1][1], dF[0]), mul(m, Fz[0][1], dF[1])), det);
        dz[1] = ratio(m, sub(m, mul(m, Fz[0][0], dF[1]), mul(m, Fz[1][0], dF[0])), det);
    }
    for (int i = 0; i < m->unknowns; i++)
        moved[UNKNOWN + i] = add(m, m->var[UNKNOWN + i], mul(m, m->var[STEP], dz[i]));
}

/* The k-th small displacement, or beyond the last of them the change of a number of the features. */
static void unit_direction(maker *m, int k, scalar *moved)
{
    scalar zero = number(m, 0), one = number(m, 1);
    vec move[2][2], none = {{zero, zero, zero}};
    int half = columns(m->planar) / 2, body = k / half, i = k % half;
    bool turn = m->planar ? i == 2 : i >= 3;
    move[0][0] = move[0][1] = move[1][0] = move[1][1] = none;
    if (body < 2)
        move[body][turn].x[turn && m->planar ? 2 : i % 3] = one;
    direction(m, (const vec(*)[2])move, body < 2 ? -1 : k - 2 * half, moved);
}

/* ---- tapes ---- */
typedef struct program {
    carom_kernel kernel;
    unsigned want;
    carom_tape *tape;
} program;

struct carom_kernels {
    bool planar;
    int n;
    program *list; /* [n] */
    size_t work;   /* doubles, of the largest tape */
};

static int length(bool planar, int quantity) /* of one touch */
{
    int r = rows(planar), c = columns(planar);
    const int all[CAROM_TOUCH_QUANTITIES] = {1,     15,    r * c,    r,            r * c,        r * c,
                                             r * c, c * c, FEATURES, r * FEATURES, r * FEATURES, c * FEATURES};
    return all[quantity];
}

typedef struct outputs {
    int n;
    scalar expr[MOST_OUT];
    carom_tape_slot slot[MOST_OUT];
} outputs;

static void put(outputs *o, unsigned quantity, int row, scalar e)
{
    int group = 0;
    while (quantity >> (group + 1))
        group++;
    o->slot[o->n] = (carom_tape_slot){group, row};
    o->expr[o->n++] = e;
}

static void put_place(maker *m, outputs *o)
{
    vec place[5] = {plus(m, variables(m, PLACE_A), m->c_a), plus(m, variables(m, PLACE_B), m->c_b), m->t[0], m->t[1],
                    m->t[2]};
    for (int i = 0; i < 15; i++)
        put(o, CAROM_TOUCH_PLACE, i, place[i / 3].x[i % 3]);
}

static void put_derivatives(maker *m, unsigned want, outputs *o)
{
    int r = rows(m->planar), c = columns(m->planar);
    scalar moved[VARIABLES], u[3], gamma[3], accelerate[3], force[12];
    vec w = relative(m, VELOCITY), aw = relative(m, ACCELERATION), f = {{number(m, 0), number(m, 0), number(m, 0)}};
    vec motion[2][2] = {{component(m, VELOCITY, 0, false), component(m, VELOCITY, 0, true)},
                        {component(m, VELOCITY, 1, false), component(m, VELOCITY, 1, true)}};
    direction(m, (const vec(*)[2])motion, -1, moved);
    for (int i = 0; i < r; i++) {
        u[i] = dot(m, m->t[i], w);
        gamma[i] = along(m, u[i], moved);
        accelerate[i] = add(m, dot(m, m->t[i], aw), gamma[i]);
        f = plus(m, f, times(m, m->var[MULTIPLIER + i], m->t[i]));
        if (want & CAROM_TOUCH_GAMMA)
            put(o, CAROM_TOUCH_GAMMA, i, gamma[i]);
        for (int j = 0; j < c && want & CAROM_TOUCH_A_V; j++)
            put(o, CAROM_TOUCH_A_V, i * c + j, carom_expr_diff(m->pool, gamma[i], VELOCITY + j));
    }
    transposed(m, f, force);
    if (want & (CAROM_TOUCH_U_Q | CAROM_TOUCH_A_Q | CAROM_TOUCH_R_Q))
        for (int j = 0; j < c; j++) {                                                                  /* (6) */
            unit_direction(m, j, moved);
            for (int i = 0; i < r; i++) {
                if (want & CAROM_TOUCH_U_Q)
                    put(o, CAROM_TOUCH_U_Q, i * c + j, along(m, u[i], moved));
                if (want & CAROM_TOUCH_A_Q)
                    put(o, CAROM_TOUCH_A_Q, i * c + j, along(m, accelerate[i], moved));
            }
            for (int i = 0; i < c && want & CAROM_TOUCH_R_Q; i++)
                put(o, CAROM_TOUCH_R_Q, i * c + j, along(m, force[i], moved));
        }
    for (int j = 0; j < FEATURES && want >= CAROM_TOUCH_G_F; j++) {
        unit_direction(m, c + j, moved);
        if (want & CAROM_TOUCH_G_F)
            put(o, CAROM_TOUCH_G_F, j, along(m, m->g, moved));
        for (int i = 0; i < r; i++) {
            if (want & CAROM_TOUCH_U_F)
                put(o, CAROM_TOUCH_U_F, i * FEATURES + j, along(m, u[i], moved));
            if (want & CAROM_TOUCH_A_F)
                put(o, CAROM_TOUCH_A_F, i * FEATURES + j, along(m, accelerate[i], moved));
        }
        for (int i = 0; i < c && want & CAROM_TOUCH_R_F; i++)
            put(o, CAROM_TOUCH_R_F, i * FEATURES + j, along(m, force[i], moved));
    }
}

static carom_status compile(bool planar, program *p, carom_error *error)
{
    outputs o = {.n = 0};
    maker m = {.pool = carom_expr_pool_new(MAX_NODES), .planar = planar, .unknowns = carom_kernel_unknowns(p->kernel)};
    carom_tape_slot slot[VARIABLES];
    if (!m.pool)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "kernel %s: out of memory", carom_kernel_name(p->kernel));
    for (int i = 0; i < VARIABLES; i++)
        slot[i] = (carom_tape_slot){0, i};
    carom_kernel_make(&m, p->kernel);
    if (p->want & CAROM_TOUCH_GAP)
        put(&o, CAROM_TOUCH_GAP, 0, m.g);
    if (p->want & CAROM_TOUCH_PLACE)
        put_place(&m, &o);
    for (int i = 0; i < rows(planar) && p->want & CAROM_TOUCH_JACOBIAN; i++) {
        scalar G[12];
        transposed(&m, m.t[i], G);
        for (int j = 0; j < columns(planar); j++)
            put(&o, CAROM_TOUCH_JACOBIAN, i * columns(planar) + j, G[j]);
    }
    put_derivatives(&m, p->want, &o);
    const char *name = carom_kernel_name(p->kernel);
    carom_status status = carom_expr_exhausted(m.pool)
                              ? carom_fail(error, CAROM_NO_MEMORY, "kernel %s: out of nodes", name)
                              : carom_tape_new(&p->tape, m.pool, o.expr, o.slot, o.n, slot, 0, error);
    carom_expr_pool_free(m.pool);
    return status;
}

carom_status carom_kernels_new(carom_kernels **kernels, bool planar, unsigned which, const unsigned *want, int nwant,
                               carom_error *error)
{
    carom_kernels *k = *kernels = calloc(1, sizeof *k);
    if (k)
        k->list = calloc((size_t)nwant * CAROM_KERNELS, sizeof *k->list);
    if (!k || !k->list) {
        carom_kernels_free(k);
        *kernels = NULL;
        CAROM_FAIL(error, CAROM_NO_MEMORY, "kernels of contacts: out of memory");
    }
    k->planar = planar;
    for (int i = 0; i < nwant; i++)
        for (int kernel = 0; kernel < CAROM_KERNELS; kernel++) {
            if (!(which >> kernel & 1))
                continue;
            program *p = &k->list[k->n++];
            *p = (program){.kernel = (carom_kernel)kernel, .want = want[i]};
            carom_status status = compile(planar, p, error);
            if (status != CAROM_OK) {
                carom_kernels_free(k);
                *kernels = NULL;
                return status;
            }
            k->work = CAROM_MAX(k->work, carom_tape_work(p->tape, LANES));
        }
    return CAROM_OK;
}

void carom_kernels_free(carom_kernels *kernels)
{
    if (!kernels)
        return;
    for (int i = 0; i < kernels->n; i++)
        carom_tape_free(kernels->list[i].tape);
    free(kernels->list);
    free(kernels);
}

static const program *find(const carom_kernels *k, carom_kernel kernel, unsigned want)
{
    for (int i = 0; i < k->n; i++)
        if (k->list[i].kernel == kernel && k->list[i].want == want)
            return &k->list[i];
    return NULL;
}

int carom_kernels_length(const carom_kernels *kernels, carom_kernel kernel, unsigned want)
{
    const program *p = find(kernels, kernel, want);
    return p ? carom_tape_length(p->tape) : 0;
}

size_t carom_kernels_work(const carom_kernels *kernels)
{
    return kernels->work + (size_t)LANES * (INPUTS + MOST_OUT);
}

/* ---- evaluation ---- */
static void gather(const carom_kernels *k, unsigned want, const carom_touch *t, int index, const carom_touch_motion *at,
                   double *in, int lanes)
{
    int half = columns(k->planar) / 2;
    for (int body = 0; body < 2; body++) {
        const carom_pose *pose = &at->pose[t->body[body]];
        int place = body ? PLACE_B : PLACE_A, turn = body ? TURN_B : TURN_A, first = body ? FEATURE_B : FEATURE_A;
        const double *feature = body ? t->b : t->a;
        for (int i = 0; i < 3; i++)
            in[(place + i) * lanes] = pose->r[i];
        for (int i = 0; i < 9; i++)
            in[(turn + i) * lanes] = pose->R[i];
        for (int i = 0; i < CAROM_FEATURE_SIZE; i++)
            in[(first + i) * lanes] = feature[i];
        for (int i = 0; i < half && want >= CAROM_TOUCH_GAMMA; i++)
            in[(VELOCITY + half * body + i) * lanes] = at->v[half * t->body[body] + i];
        for (int i = 0; i < half && want & (CAROM_TOUCH_A_Q | CAROM_TOUCH_A_F); i++)
            in[(ACCELERATION + half * body + i) * lanes] = at->a[half * t->body[body] + i];
    }
    in[SIGN * lanes] = t->sign;
    for (int i = 0; i < 3; i++)
        in[(NORMAL + i) * lanes] = t->normal[i], in[(REFERENCE + i) * lanes] = t->reference[i];
    for (int i = 0; i < rows(k->planar) && want & (CAROM_TOUCH_R_Q | CAROM_TOUCH_R_F); i++)
        in[(MULTIPLIER + i) * lanes] = at->x[rows(k->planar) * index + i];
    if (carom_kernel_unknowns(t->kernel)) {
        double z[CAROM_UNKNOWNS] = {t->z[0], t->z[1]};
        carom_touch_unknowns(t, at->pose, z);
        for (int i = 0; i < CAROM_UNKNOWNS; i++)
            in[(UNKNOWN + i) * lanes] = z[i];
    }
}

/* Evaluates the touches index[0..n), n <= 8, all of one kernel. */
static void batch(const carom_kernels *k, const program *p, int n, const int *index, const carom_touch *touch,
                  const carom_touch_motion *motion, double *const *value, double *work,
                  int *begun)
{
    int lanes = n == 1 ? 1 : LANES;
    double *in = work + k->work, *out = in + (size_t)LANES * INPUTS, *group[CAROM_TOUCH_QUANTITIES] = {0};
    for (int lane = 0; lane < lanes; lane++) { /* idle lanes repeat the last one */
        int i = index[CAROM_MIN(lane, n - 1)];
        gather(k, p->want, &touch[i], i, motion, in + lane, lanes);
    }
    for (int i = 0; i < CAROM_TOUCH_QUANTITIES; i++)
        if (p->want >> i & 1) {
            group[i] = out;
            out += (size_t)lanes * (size_t)length(k->planar, i);
        }
    if (*begun != lanes)
        carom_tape_begin(p->tape, lanes, (const double *const[]){in}, work);
    *begun = lanes;
    carom_tape_eval(p->tape, lanes, (const double *const[]){in}, work, group);
    for (int i = 0; i < CAROM_TOUCH_QUANTITIES; i++) {
        int size = length(k->planar, i);
        for (int lane = 0; lane < n && group[i]; lane++)
            for (int j = 0; j < size; j++)
                value[i][(size_t)index[lane] * (size_t)size + (size_t)j] = group[i][j * lanes + lane];
    }
}

carom_status carom_kernels_eval(const carom_kernels *kernels, unsigned want, int n, const carom_touch *touch,
                                const carom_touch_motion *motion, const carom_touch_values *values, double *work,
                                carom_error *error)
{
    double *const value[CAROM_TOUCH_QUANTITIES] = {values->g,   values->place, values->G,   values->gamma,
                                                   values->U_q, values->A_q,   values->A_v, values->R_q,
                                                   values->g_f, values->U_f,   values->A_f, values->R_f};
    for (int kernel = 0; kernel < CAROM_KERNELS; kernel++) {
        const program *p = find(kernels, (carom_kernel)kernel, want);
        int index[LANES], waiting = 0, begun = 0; /* the lanes for which work holds the tape's constants */
        for (int i = 0; i < n; i++) {
            if ((int)touch[i].kernel != kernel)
                continue;
            if (!p)
                CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "kernel %s was not prepared for these quantities (%#x)",
                           carom_kernel_name((carom_kernel)kernel), want);
            index[waiting++] = i;
            if (waiting == LANES) {
                batch(kernels, p, waiting, index, touch, motion, value, work, &begun);
                waiting = 0;
            }
        }
        if (waiting > 0)
            batch(kernels, p, waiting, index, touch, motion, value, work, &begun);
    }
    return CAROM_OK;
}
