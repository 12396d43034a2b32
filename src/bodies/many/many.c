/* many.c: many bodies as a model; formulas as in many.h. */
#include <stdlib.h>
#include <string.h>

#include "bodies/many/rows.h"
#include "core/dense.h"
#include "core/layout.h"
#include "model/rotation.h"

/* ---- places ---- */

static void matrix(const double e[4], double R[9]) /* of a unit quaternion, row-major */
{
    double w = e[0], x = e[1], y = e[2], z = e[3];
    R[0] = 1 - 2 * (y * y + z * z), R[1] = 2 * (x * y - w * z), R[2] = 2 * (x * z + w * y);
    R[3] = 2 * (x * y + w * z), R[4] = 1 - 2 * (x * x + z * z), R[5] = 2 * (y * z - w * x);
    R[6] = 2 * (x * z - w * y), R[7] = 2 * (y * z + w * x), R[8] = 1 - 2 * (x * x + y * y);
}

static void pose_at(const carom_many *many, int k, const double *q, carom_pose *pose)
{
    const carom_body *body = &many->bodies->body[k];
    if (many->block[k] < 0) {
        copy3(body->place, pose->r);
        matrix(body->rotation, pose->R);
    } else if (many->bodies->planar) {
        const double *x = q + 3 * many->block[k];
        double c = cos(x[2]), s = sin(x[2]);
        *pose = (carom_pose){{x[0], x[1], 0}, {c, -s, 0, s, c, 0, 0, 0, 1}};
    } else {
        const double *x = q + 7 * many->block[k];
        copy3(x, pose->r);
        matrix(x + 3, pose->R);
    }
}

/* Of the moved bodies, one after the other. */
static void moved(const carom_many *many, double t, double out[CAROM_MOTION * CAROM_MOVED])
{
    if (many->nmoved)
        many->bodies->moves(many->bodies, t, out);
}

void carom_many_poses(const carom_many *many, double t, const double *q, carom_pose *pose)
{
    double motion[CAROM_MOTION * CAROM_MOVED];
    moved(many, t, motion);
    for (int k = 0; k < many->bodies->nbody; k++) {
        const double *given = many->move_of[k] < 0 ? NULL : motion + CAROM_MOTION * many->move_of[k];
        if (given)
            copy3(given, pose[k].r), carom_copy(9, given + CAROM_OF_TURN, pose[k].R);
        else
            pose_at(many, k, q, &pose[k]);
    }
}

/* ---- positions in space: r and a quaternion of each body, one after the other ---- */
static int blocks_of(const void *user)
{
    const carom_many *many = user;
    return many->nblock;
}

static void drift(void *user, const double *q, const double *xi, double *out)
{
    for (int k = 0, n = blocks_of(user); k < n; k++, q += 7, xi += 6, out += 7) {
        add3(q, 1, xi, out);
        carom_rotation_drift(q + 3, xi + 3, out + 3);
    }
}

static void local(void *user, const double *q, const double *to, double *xi)
{
    for (int k = 0, n = blocks_of(user); k < n; k++, q += 7, to += 7, xi += 6) {
        sub3(to, q, xi);
        carom_rotation_local(q + 3, to + 3, xi + 3);
    }
}

static void rate(void *user, const double *xi, const double *v, double *out)
{
    for (int k = 0, n = 6 * blocks_of(user); k < n; k += 6) {
        double turn[3];
        carom_rotation_rate(xi + k + 3, v + k + 3, turn);
        copy3(v + k, out + k), copy3(turn, out + k + 3);
    }
}

static void velocity(void *user, const double *xi, const double *given, double *out)
{
    for (int k = 0, n = 6 * blocks_of(user); k < n; k += 6) {
        double turn[3];
        carom_rotation_velocity(xi + k + 3, given + k + 3, turn);
        copy3(given + k, out + k), copy3(turn, out + k + 3);
    }
}

static void rate_change(void *user, const double *xi, const double *v, const double *d, double *out)
{
    for (int k = 0, n = 6 * blocks_of(user); k < n; k += 6) {
        memset(out + k, 0, 3 * sizeof *out);
        carom_rotation_rate_change(xi + k + 3, v + k + 3, d + k + 3, out + k + 3);
    }
}

static void size(void *user, const double *q, double *out)
{
    for (int k = 0, n = blocks_of(user); k < n; k++, q += 7, out += 6)
        for (int i = 0; i < 3; i++)
            out[i] = fabs(q[i]), out[3 + i] = 1;
}

static const carom_manifold manifold = {drift, local, rate, velocity, rate_change, size};

/* ---- evaluation ---- */

carom_many_work carom_many_work_at(const carom_many *many, int touches, void *memory, size_t *bytes)
{
    size_t n = (size_t)carom_many_freedoms(many), rows = n == 3 ? 2 : 3;
    carom_layout layout = {.base = memory};
    carom_many_work w;
    CAROM_PLACE(&layout, w.pose, many->bodies->nbody);
    CAROM_PLACE(&layout, w.speed, (size_t)many->bodies->nbody * n);
    CAROM_PLACE(&layout, w.boxes, 6 * (size_t)many->nshape);
    CAROM_PLACE(&layout, w.values, CAROM_CHUNK * (rows * 2 * n + rows + 1));
    CAROM_PLACE(&layout, w.scratch, many->kernels ? carom_kernels_work(many->kernels) : 0);
    CAROM_PLACE(&layout, w.acts, many->bodies->nexpression);
    CAROM_PLACE(&layout, w.act_scratch, many->bodies->expression_work);
    CAROM_PLACE(&layout, w.chunk, CAROM_CHUNK);
    CAROM_PLACE(&layout, w.touch, touches + 1);
    w.packed = (unsigned char *)w.touch;
    if (bytes)
        *bytes = layout.used;
    return w;
}

static size_t work_bytes(const carom_model *m, int lanes)
{
    size_t bytes;
    (void)lanes;
    carom_many_work_at(carom_many_of(m), m->ncontact, NULL, &bytes);
    return bytes;
}

static carom_status prepare(const carom_model *m, unsigned want, carom_error *error)
{
    const unsigned never = CAROM_R_P | CAROM_U_Q | CAROM_U_P | CAROM_A_Q | CAROM_A_V | CAROM_A_P | CAROM_SWITCH;
    if (want & never)
        CAROM_FAIL(error, CAROM_UNSUPPORTED,
                   "model '%s': its contacts are found per step, and there are no derivatives of its motion", m->name);
    return CAROM_OK;
}

static void begin(const carom_model *m, int lanes, const double *p, void *work)
{
    (void)m, (void)lanes, (void)p, (void)work;
}

static void mass(const carom_many *many, double *M)
{
    int n = carom_many_freedoms(many), lengths = n == 3 ? 2 : 3;
    static const int place[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}}; /* xx yy zz xy yz zx */
    for (int k = 0; k < many->bodies->nbody; k++) {
        if (many->block[k] < 0)
            continue;
        memset(M, 0, sizeof *M * (size_t)(n * n));
        for (int i = 0; i < lengths; i++)
            M[i * (n + 1)] = many->mass[k];                                                              /* (1) */
        for (int i = 0; i < 3 && n == 6; i++)
            for (int j = 0; j < 3; j++)
                M[(3 + i) * n + 3 + j] = many->inertia[6 * k + place[i][j]];
        if (n == 3)
            M[8] = many->inertia[6 * k + 2];
        M += n * n;
    }
}

/* y = I x of body k */
static void momentum(const carom_many *many, int k, const double *x, double *y)
{
    const double *I = many->inertia + 6 * k;
    y[0] = I[0] * x[0] + I[3] * x[1] + I[5] * x[2];
    y[1] = I[3] * x[0] + I[1] * x[1] + I[4] * x[2];
    y[2] = I[5] * x[0] + I[4] * x[1] + I[2] * x[2];
}

static void force(const carom_many *many, const double *v, double *F)
{
    int n = carom_many_freedoms(many), lengths = n == 3 ? 2 : 3;
    for (int k = 0; k < many->bodies->nbody; k++) {
        if (many->block[k] < 0)
            continue;
        double L[3];
        for (int i = 0; i < lengths; i++)
            F[i] = many->mass[k] * many->gravity[i];                                                     /* (2) */
        if (n == 3) {
            F[2] = 0;
        } else {
            momentum(many, k, v + 3, L);
            cross3(L, v + 3, F + 3);
        }
        F += n, v += n;
    }
}

/* s d(w x I w)/dw = s ([w] I - [I w]) by bodies */
static void force_by_velocity(const carom_many *many, double s, const double *v, double *R_v)
{
    int n = carom_many_freedoms(many);
    memset(R_v, 0, sizeof *R_v * (size_t)many->nblock * (size_t)(n * n));
    for (int k = 0; k < many->bodies->nbody && n == 6; k++) {
        if (many->block[k] < 0)
            continue;
        double L[3];
        momentum(many, k, v + 3, L);
        for (int j = 0; j < 3; j++) {
            double e[3] = {j == 0, j == 1, j == 2}, I[3], a[3], b[3];
            momentum(many, k, e, I);
            cross3(v + 3, I, a), cross3(L, e, b);
            for (int i = 0; i < 3; i++)
                R_v[(3 + i) * n + 3 + j] = s * (a[i] - b[i]);
        }
        R_v += n * n, v += n;
    }
}

static void energy(const carom_many *many, const double *q, const double *v, double *out)
{
    int n = carom_many_freedoms(many), lengths = n == 3 ? 2 : 3;
    memset(out, 0, 5 * sizeof *out);
    for (int k = 0; k < many->bodies->nbody; k++) {
        if (many->block[k] < 0)
            continue;
        double L[3] = {0, 0, 0};
        for (int i = 0; i < lengths; i++) {
            out[0] += 0.5 * many->mass[k] * v[i] * v[i];
            out[1] -= many->mass[k] * many->gravity[i] * q[i];
        }
        if (n == 6)
            momentum(many, k, v + 3, L);
        out[0] += 0.5 * (n == 6 ? dot3(L, v + 3) : many->inertia[6 * k + 2] * v[2] * v[2]);
        v += n, q += n == 3 ? 3 : 7;
    }
}

/* One contact's rows from the kernel's [rows*columns]: blocks in ascending order, without what does not move. */
static double *pack(const carom_many *many, const carom_touch *t, int rows, const double *G, double *out)
{
    int n = carom_many_freedoms(many), a = many->block[t->body[0]], b = many->block[t->body[1]];
    for (int r = 0; r < rows; r++, G += 2 * n) {
        const double *first = a < b ? G : G + n, *second = a < b ? G + n : G;
        if (CAROM_MIN(a, b) >= 0)
            carom_copy(n, first, out), out += n;
        carom_copy(n, second, out), out += n;
    }
    return out;
}

/* What the motion of a moved body adds to a row: G times a part of it. */
static double of_moved(const carom_many *many, const carom_touch *t, const double *G, const double *motion, int part)
{
    int n = carom_many_freedoms(many);
    double sum = 0;
    for (int side = 0; side < 2 && many->nmoved; side++) {
        int k = many->move_of[t->body[side]];
        for (int i = 0; k >= 0 && i < n; i++)
            sum += G[side * n + i] * motion[CAROM_MOTION * k + part + carom_row_index(n, i)];
    }
    return sum;
}

/* Gaps, rows and their curvature of the contacts, some at a time. */
static void contacts(const carom_model *m, const carom_eval *e, const carom_many_work *w, unsigned want,
                     const double *motion_of, double *G)
{
    const carom_many *many = carom_many_of(m);
    int n = carom_many_freedoms(many), rows = n == 3 ? 2 : 3, row = many->njoint + many->nstop, link = row;
    carom_touch_values values = {.G = w->values, .gamma = w->values + CAROM_CHUNK * rows * 2 * n,
                                 .g = w->values + CAROM_CHUNK * (rows * 2 * n + rows)};
    const carom_touch_motion motion = {.pose = w->pose, .v = w->speed};
    const unsigned char *at = w->packed;
    for (int first = 0; first < m->ncontact - many->nstop; first += CAROM_CHUNK) {
        int count = CAROM_MIN(CAROM_CHUNK, m->ncontact - many->nstop - first);
        const carom_touch *touch = carom_many_unpack(w, &at, count);
        carom_error error;
        if (carom_kernels_eval(many->kernels, want, count, touch, &motion, &values, w->scratch, &error))
            values.g[0] = NAN;
        for (int i = 0; i < count; i++) {
            int used = 1 + m->contact[many->nstop + first + i].directions;
            if (e->want & CAROM_GAP)
                e->g[link + first + i] = values.g[i];
            if (e->want & CAROM_JACOBIAN)
                G = pack(many, &touch[i], used, values.G + i * rows * 2 * n, G);
            for (int r = 0; r < used; r++, row++) {
                const double *whole = values.G + (i * rows + r) * 2 * n;
                if (e->want & CAROM_JACOBIAN)
                    e->w[row] = of_moved(many, &touch[i], whole, motion_of, CAROM_OF_SPEED);
                if (e->want & CAROM_GAMMA)
                    e->gamma[row] = values.gamma[i * rows + r] +
                                    of_moved(many, &touch[i], whole, motion_of, CAROM_OF_CHANGE);
            }
        }
    }
}

/* ---- matrices in full, where a scheme asks for them: spread in place, from the last value on ---- */
static void spread_mass(const carom_model *m, double *M)
{
    const carom_many *many = carom_many_of(m);
    int n = carom_many_freedoms(many), nv = m->nv;
    for (int k = many->nblock - 1; k >= 0; k--) {
        double block[36];
        carom_copy(n * n, M + k * n * n, block);
        memset(M + k * n * n, 0, sizeof *M * (size_t)(n * n));
        for (int i = 0; i < n; i++)
            carom_copy(n, block + i * n, M + (k * n + i) * nv + k * n);
    }
}

/* y: [nv] */
static void spread_row(int n, int nv, const int block[2], const double *values, double *y)
{
    double row[12];
    int count = (block[0] >= 0) + (block[1] >= 0);
    carom_copy(n * count, values, row);
    memset(y, 0, sizeof *y * (size_t)nv);
    for (int k = 0, at = 0; k < 2; k++)
        if (block[k] >= 0)
            carom_copy(n, row + at, y + block[k] * n), at += n;
}

static void spread_rows(const carom_model *m, double *G)
{
    const carom_many *many = carom_many_of(m);
    int n = carom_many_freedoms(many), nv = m->nv, lasting = many->njoint + (m->contact ? many->nstop : 0), row = 0;
    int found = m->contact ? m->ncontact - many->nstop : 0;
    size_t at = 0;
    for (int pass = 0; pass < 2; pass++) { /* how many rows and values there are; then each, from the last on */
        for (int i = found - 1; i >= 0; i--) {
            int body[2];
            carom_many_pair_of(many, m->contact_id[many->nstop + i], body);
            int a = many->block[body[0]], b = many->block[body[1]];
            const int block[2] = {CAROM_MIN(a, b), CAROM_MAX(a, b)};
            for (int r = m->contact[many->nstop + i].directions; r >= 0; r--) {
                size_t width = (size_t)(n * ((a >= 0) + (b >= 0)));
                if (pass == 0)
                    at += width, row++;
                else
                    spread_row(n, nv, block, G + (at -= width), G + (size_t)--row * (size_t)nv);
            }
        }
        for (int i = lasting - 1; i >= 0; i--) {
            const int *block = many->joint_block + 2 * i;
            size_t width = (size_t)(n * ((block[0] >= 0) + (block[1] >= 0)));
            if (pass == 0)
                at += width, row++;
            else
                spread_row(n, nv, block, G + (at -= width), G + (size_t)--row * (size_t)nv);
        }
    }
}

static void laws(const carom_model *m, double *law)
{
    for (int i = 0; i < m->ncontact; i++) {
        int n = carom_law_coefficients(carom_model_law(m, i));
        carom_copy(n, m->contact[i].coefficient, law);
        law += n;
    }
}

/* Rows of joints and, once contacts are known, of the ends of their ranges. */
static int lasting_rows(const carom_model *m)
{
    return carom_many_of(m)->njoint + (m->contact ? carom_many_of(m)->nstop : 0);
}

static void geometry(const carom_model *m, const carom_eval *e, carom_many_work *w)
{
    const carom_many *many = carom_many_of(m);
    int n = carom_many_freedoms(many);
    unsigned want = (e->want & CAROM_GAP ? CAROM_TOUCH_GAP : 0u) |
                    (e->want & CAROM_JACOBIAN ? CAROM_TOUCH_JACOBIAN : 0u) |
                    (e->want & CAROM_GAMMA ? CAROM_TOUCH_GAMMA : 0u);
    carom_many_poses(many, *e->t, e->q, w->pose);
    carom_many_expressions(many, *e->t, e->q, e->v, w);
    for (int k = 0; want & CAROM_TOUCH_GAMMA && k < many->bodies->nbody; k++)
        for (int i = 0; i < n; i++)
            w->speed[k * n + i] = many->block[k] < 0 ? 0 : e->v[many->block[k] * n + i];
    double motion[CAROM_MOTION * CAROM_MOVED];
    moved(many, *e->t, motion);
    for (int k = 0; want & CAROM_TOUCH_GAMMA && many->nmoved && k < many->bodies->nbody; k++)
        for (int i = 0; many->move_of[k] >= 0 && i < n; i++)
            w->speed[k * n + i] = motion[CAROM_MOTION * many->move_of[k] + CAROM_OF_SPEED + carom_row_index(n, i)];
    double *G = carom_many_joints(many, lasting_rows(m), e, w, motion);
    if (m->contact)
        contacts(m, e, w, want, motion, G);
    if (e->want & CAROM_JACOBIAN && m->nblock == 0)
        spread_rows(m, e->G);
    if (m->contact && e->want & CAROM_MARGIN) {
        for (int i = 0; i < many->nstop; i++)
            e->margin[i] = INFINITY;
        carom_many_margins(many, w, m->ncontact - many->nstop, m->contact_id + many->nstop, e->margin + many->nstop);
    }
}

/* Forces between bodies and those of expressions, added to what is there. */
static void acts(const carom_many *many, const carom_eval *e, carom_many_work *w)
{
    double motion[CAROM_MOTION * CAROM_MOVED];
    if (many->nact + many->bodies->npush == 0)
        return;
    moved(many, *e->t, motion);
    carom_many_poses(many, *e->t, e->q, w->pose);
    carom_many_expressions(many, *e->t, e->q, e->v, w);
    if (e->want & CAROM_FORCE)
        carom_many_act_forces(many, e, w, motion);
    if (e->want & (CAROM_R_Q | CAROM_R_V))
        carom_many_act_gradients(many, e, w, motion);
    if (e->want & CAROM_ENERGY)
        carom_many_act_energy(many, e, w, motion);
}

static void eval(const carom_model *m, const carom_eval *e, void *memory)
{
    const carom_many *many = carom_many_of(m);
    carom_many_work w = carom_many_work_at(many, m->ncontact, memory, NULL);
    size_t square = (size_t)many->nblock * (size_t)(carom_many_freedoms(many) * carom_many_freedoms(many));
    if (e->want & CAROM_MASS)
        mass(many, e->M);
    if (e->want & CAROM_MASS && m->nblock == 0)
        spread_mass(m, e->M);
    if (e->want & CAROM_FORCE)
        force(many, e->v, e->F);
    if (e->want & CAROM_R_Q) {
        memset(e->R_q, 0, sizeof *e->R_q * square);
        carom_many_poses(many, *e->t, e->q, w.pose);
        carom_many_joint_gradients(many, lasting_rows(m), e->x, &w, e->R_q);
    }
    if (e->want & CAROM_R_V)
        force_by_velocity(many, *e->s, e->v, e->R_v);
    if (e->want & CAROM_ENERGY)
        energy(many, e->q, e->v, e->energy);
    if (e->want & (CAROM_FORCE | CAROM_R_Q | CAROM_R_V | CAROM_ENERGY))
        acts(many, e, &w);
    if (e->want & CAROM_LAW && m->contact)
        laws(m, e->law);
    if (e->want & CAROM_STOP)
        e->stop[0] = 0;
    if (e->want & (CAROM_GAP | CAROM_JACOBIAN | CAROM_GAMMA))
        geometry(m, e, &w);
}

double carom_many_length(const carom_many *many, const carom_pose *pose)
{
    double most = many->size;
    for (int k = 0; k < many->bodies->nbody; k++)
        for (int i = 0; i < 3; i++)
            most = fmax(most, fabs(pose[k].r[i]));
    return most;
}

double carom_many_reach(const carom_many *many, const carom_pose *pose, int body)
{
    double most = 0;
    bool free = many->block[body] >= 0;
    for (int k = 0; !(free && isfinite(many->extent[body])) && k < many->bodies->nbody; k++) {
        double d[3];
        if ((!free && many->block[k] < 0) || isinf(many->extent[k]))
            continue;
        sub3(pose[k].r, pose[body].r, d);
        most = fmax(most, norm3(d) + many->extent[k]);
    }
    return free && isfinite(many->extent[body]) ? many->extent[body] : fmin(most, many->extent[body]);
}

/* |v| + |w| times how far the surface reaches */
static double speed(const carom_point *at)
{
    const carom_many *many = carom_many_of(at->model);
    carom_pose *pose = carom_many_work_at(many, at->model->ncontact, at->work, NULL).pose;
    int n = carom_many_freedoms(many);
    double most = 0;
    bool endless = false;
    for (int k = 0; k < many->bodies->nbody; k++)
        endless |= isinf(many->extent[k]) && many->block[k] >= 0;
    if (many->nmoved || endless)
        carom_many_poses(many, at->t, at->q, pose);
    for (int k = 0; k < many->bodies->nbody; k++) {
        if (many->block[k] < 0)
            continue;
        const double *v = at->v + n * many->block[k];
        double turn = n == 3 ? fabs(v[2]) : norm3(v + 3), along = n == 3 ? hypot(v[0], v[1]) : norm3(v);
        most = fmax(most, along + (turn > 0 ? turn * carom_many_reach(many, pose, k) : 0));
    }
    double motion[CAROM_MOTION * CAROM_MOVED];
    moved(many, at->t, motion);
    for (int k = 0; k < many->bodies->nbody; k++) {
        if (many->move_of[k] < 0)
            continue;
        const double *v = motion + CAROM_MOTION * many->move_of[k] + CAROM_OF_SPEED;
        most = fmax(most, norm3(v) + (norm3(v + 3) > 0 ? norm3(v + 3) * carom_many_reach(many, pose, k) : 0));
    }
    return most;
}

static const carom_evaluator evaluator = {prepare, work_bytes, begin, eval};

/* ---- the model ---- */

/* Shapes in the axes of their bodies; what their surfaces reach. */
/* A slab is a box that is very long and wide. */
static void give_ends(carom_shape_spec *spec)
{
    double least = INFINITY;
    for (int i = 0; i < 3; i++)
        least = spec->size[i] > 0 ? CAROM_MIN(least, spec->size[i]) : least;
    for (int i = 0; i < 3 && spec->kind == CAROM_SHAPE_BOX; i++)
        spec->size[i] = isinf(spec->size[i]) ? 1e6 * least : spec->size[i];
}

/* The order of shapes, and with it that of contacts: from below, then by where and how bodies start, whatever they are
 * called and in whichever order they are listed. Contacts that hold a body redundantly share their load as the solver
 * comes to it. */
static int by_start(const void *one, const void *two)
{
    const carom_posed_shape *a = one, *b = two;
    const carom_start *x = a->start, *y = b->start;
    for (int i = 0; i < CAROM_COUNT(x->key); i++)
        if (x->key[i] < y->key[i] || x->key[i] > y->key[i])
            return x->key[i] < y->key[i] ? -1 : 1;
    return a->body != b->body ? a->body - b->body : a->number - b->number;
}

static carom_start start_of(const carom_bodies *b, const carom_body *body)
{
    carom_start out = {.key = {0, body->motion == CAROM_BODY_FREE, body->mass.value}};
    for (int i = 0; i < 3; i++) {
        out.key[0] -= b->gravity[i].value * body->at[i].value;
        out.key[3 + i] = body->at[i].value, out.key[6 + i] = body->turn[i].value;
        out.key[9 + i] = body->velocity[i].value, out.key[12 + i] = body->inertia[i].value;
    }
    return out;
}

static bool ends(const carom_body_shape *s) /* no plane, no slab */
{
    return s->kind != CAROM_SHAPE_PLANE && isfinite(s->size[0].value) && isfinite(s->size[1].value);
}

static carom_status shapes(carom_many *many, carom_arena *arena, carom_error *error)
{
    const carom_bodies *b = many->bodies;
    for (int k = 0; k < b->nbody; k++)
        many->nshape += b->body[k].shapes;
    many->shape = CAROM_NEW(arena, carom_posed_shape, many->nshape + 1);
    carom_start *start = CAROM_NEW(arena, carom_start, b->nbody + 1);
    if (!many->shape || !start)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for %d shapes", many->nshape);
    for (int k = 0; k < b->nbody; k++)
        start[k] = start_of(b, &b->body[k]);
    if (many->nshape >= 1 << 20)
        CAROM_FAIL(error, CAROM_UNSUPPORTED, "%d shapes are too many; there may be %d", many->nshape, (1 << 20) - 1);
    for (int k = 0, i = 0; k < b->nbody; k++)
        for (int j = 0; j < b->body[k].shapes; j++, i++) {
            const carom_body_shape *source = &b->body[k].shape[j];
            double corner[3 * CAROM_MOST_CORNERS];
            carom_shape_spec spec;
            if (source->corners > CAROM_MOST_CORNERS)
                CAROM_FAIL(error, CAROM_UNSUPPORTED, "body '%s': %d corners; a shape may have %d", b->body[k].name,
                           source->corners, CAROM_MOST_CORNERS);
            carom_bodies_shape(b, &b->body[k], source, corner, &spec);
            give_ends(&spec);
            many->shape[i] = (carom_posed_shape){.body = k, .number = j, .source = source, .start = &start[k]};
            CAROM_TRY(carom_shape_new(arena, &spec, &many->shape[i].shape, error));
            many->shape[i].thickness = carom_shape_thickness(&many->shape[i].shape);
            many->extent[k] = fmax(many->extent[k], ends(source) ? many->shape[i].shape.extent : INFINITY);
            if (ends(source))
                many->size = fmax(many->size, many->shape[i].shape.extent);
        }
    qsort(many->shape, (size_t)many->nshape, sizeof *many->shape, by_start);
    return CAROM_OK;
}

static carom_status kernels(carom_many *many, bool all, carom_error *error)
{
    const unsigned want[] = {CAROM_TOUCH_GAP, CAROM_TOUCH_JACOBIAN, CAROM_TOUCH_GAP | CAROM_TOUCH_JACOBIAN,
                             CAROM_TOUCH_JACOBIAN | CAROM_TOUCH_GAMMA,
                             CAROM_TOUCH_GAP | CAROM_TOUCH_JACOBIAN | CAROM_TOUCH_GAMMA, CAROM_TOUCH_PLACE};
    if (all)
        CAROM_TRY(carom_kernels_new(&many->kernels, many->bodies->planar, (1u << CAROM_KERNELS) - 1, want,
                                    CAROM_COUNT(want), error));
    for (int i = 0; i < CAROM_FINDERS; i++) {
        atomic_flag_clear(&many->finder[i].taken);
        if (!(many->finder[i].broad = carom_broad_new()))
            CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory to look for contacts");
    }
    return CAROM_OK;
}

/* Values of the description that are needed in one place, and which bodies move freely. */
static carom_status gather(carom_many *many, const carom_bodies *b, carom_arena *arena, carom_error *error)
{
    size_t n = (size_t)b->nbody;
    many->block = CAROM_NEW(arena, int, n + 1);
    many->move_of = CAROM_NEW(arena, int, n + 1);
    many->extent = CAROM_NEW(arena, double, n + 1);
    many->mass = CAROM_NEW(arena, double, n + 1);
    many->inertia = CAROM_NEW(arena, double, 6 * n + 1);
    many->coefficient = CAROM_NEW(arena, double, (size_t)b->nlaw * CAROM_COEFFICIENTS_MAX + 1);
    if (!many->block || !many->move_of || !many->extent || !many->mass || !many->inertia || !many->coefficient)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for %d bodies", b->nbody);
    for (int k = 0; k < b->nbody; k++) {
        const carom_body *body = &b->body[k];
        many->move_of[k] = -1;
        many->block[k] = body->motion == CAROM_BODY_FREE ? many->nblock++ : -1;
        many->mass[k] = body->mass.value;
        for (int i = 0; i < 6; i++)
            many->inertia[6 * k + i] = body->inertia[i].value;
    }
    for (int i = 0; i < 3; i++)
        many->gravity[i] = b->gravity[i].value;
    for (int i = 0; i < b->nlaw; i++)
        for (int j = 0; j < b->law[i].ncoefficient; j++)
            many->coefficient[i * CAROM_COEFFICIENTS_MAX + j] = b->law[i].coefficient[j].value;
    return CAROM_OK;
}

carom_status carom_many_new(carom_many **made, carom_bodies *bodies, bool with_kernels, carom_arena *arena,
                            carom_error *error)
{
    carom_many *many = *made = CAROM_NEW(arena, carom_many, 1);
    if (!many)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for %d bodies", bodies->nbody);
    many->bodies = bodies;
    CAROM_TRY(gather(many, bodies, arena, error));
    CAROM_TRY(carom_many_join(many, arena, error));
    CAROM_TRY(shapes(many, arena, error));
    return kernels(many, with_kernels, error);
}

void carom_many_end(carom_many *many)
{
    if (!many)
        return;
    carom_kernels_free(many->kernels);
    for (int i = 0; i < CAROM_FINDERS; i++)
        carom_broad_free(many->finder[i].broad);
}

/* Where the bodies stand in q and v; those that are moved. */
static carom_status number(carom_many *many, carom_bodies *b, carom_error *error)
{
    for (int k = 0; k < b->nbody; k++) {
        carom_body *body = &b->body[k];
        bool free = body->motion == CAROM_BODY_FREE;
        for (int i = 0; i < 6; i++)
            if (free && body->held[i])
                CAROM_FAIL(error, CAROM_UNSUPPORTED, "body '%s' is held: not yet among so many bodies", body->name);
        if (body->motion == CAROM_BODY_MOVED && b->moves)
            many->move_of[k] = many->nmoved++;
        if (many->nmoved > CAROM_MOVED)
            CAROM_FAIL(error, CAROM_UNSUPPORTED, "%d bodies are moved; there may be %d", many->nmoved, CAROM_MOVED);
        body->first_q = free ? many->block[k] * (b->planar ? 3 : 7) : -1;
        body->first_v = free ? many->block[k] * (b->planar ? 3 : 6) : -1;
    }
    return CAROM_OK;
}

static void start(const carom_many *many, double *q, double *v)
{
    const carom_bodies *b = many->bodies;
    for (int k = 0; k < b->nbody; k++) {
        const carom_body *body = &b->body[k];
        if (many->block[k] < 0)
            continue;
        if (b->planar) {
            q[0] = body->place[0], q[1] = body->place[1], q[2] = body->turn[2].value;
            v[0] = body->v[0], v[1] = body->v[1], v[2] = body->w[2];
        } else {
            copy3(body->place, q), carom_copy(4, body->rotation, q + 3);
            copy3(body->v, v), copy3(body->w, v + 3);
        }
        q += b->planar ? 3 : 7, v += b->planar ? 3 : 6;
    }
}

carom_status carom_bodies_model(carom_model **model, carom_bodies *bodies, carom_arena *arena, carom_error *error)
{
    carom_many *many;
    carom_model *m = *model = CAROM_NEW(arena, carom_model, 1);
    if (!m)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for a model of %d bodies", bodies->nbody);
    for (int i = 0; i < bodies->njoint; i++)
        if (!carom_many_takes(bodies, &bodies->joint[i]))
            CAROM_FAIL(error, CAROM_UNSUPPORTED,
                       "joint '%s' has a coordinate of its own or moves nothing: many bodies have none such",
                       bodies->joint[i].name ? bodies->joint[i].name : "joint");
    CAROM_TRY(carom_many_new(&many, bodies, true, arena, error));
    many->blocks = true;
    *m = (carom_model){.size = sizeof *m, .name = "bodies", .user = many, .links = carom_many_links,
                       .evaluator = &evaluator, .speed = speed, .manifold = bodies->planar ? NULL : &manifold};
    CAROM_TRY(number(many, bodies, error));
    int n = carom_many_freedoms(many), *block = CAROM_NEW(arena, int, many->nblock + 1);
    m->nblock = many->nblock, m->block = block;
    m->nv = many->nblock * n, m->nq = many->nblock * (n == 3 ? 3 : 7);
    m->ncontact = 4 * many->nblock;
    m->constant = CAROM_MASS | CAROM_LAW;
    CAROM_TRY(carom_many_joints_new(many, m, arena, error));
    CAROM_TRY(carom_many_acts_new(many, m, arena, error));
    if (many->njoint + many->nstop + many->nact + bodies->npush == 0)
        m->constant |= CAROM_R_Q; /* 0 */
    double *q = CAROM_NEW(arena, double, m->nq + 1), *v = CAROM_NEW(arena, double, m->nv + 1);
    if (!block || !q || !v)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for a model of %d bodies", bodies->nbody);
    for (int k = 0; k <= many->nblock; k++)
        block[k] = k * n;
    start(many, q, v);
    m->q = q, m->v = v;
    return CAROM_OK;
}

void carom_bodies_model_end(carom_model *model)
{
    carom_many_end(model->user);
}
