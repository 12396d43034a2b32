/* start.c: where bodies and joints start: places and turns of the file, the section start, and what is to be found.
 *
 * `touch` in the place of a coordinate s: it moves in the direction in which the potential energy falls until the first
 * gap closes,  min_c g_c(s) = 0.  Its start value is one step of Newton from the number found, so that derivatives with
 * respect to parameters are right:  s_0 - g(s_0)/g_s(s_0).
 * `velocity: rolling`: the material point that touches has no velocity against what it touches. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bodies/section.h"
#include "core/dense.h"

/* ---- as the file says ---- */
static carom_expr half_turn(carom_loader *l, const carom_quantity *turn, carom_op op)
{
    return carom_expr_unary(l->s->pool, op, carom_e_scale(l->s->pool, 0.5, carom_quantity_expr(l, turn)));
}

static void quaternion(carom_loader *l, const carom_quantity *turn, carom_expr *e)
{
    carom_expr_pool *p = l->s->pool;
    carom_expr a[4] = {carom_expr_const(p, 1), carom_expr_const(p, 0), carom_expr_const(p, 0), carom_expr_const(p, 0)};
    for (int i = 0; i < 3; i++) { /* a times (c, s about axis i) */
        carom_expr c = half_turn(l, &turn[i], CAROM_OP_COS), s = half_turn(l, &turn[i], CAROM_OP_SIN), b[4];
        int j = (i + 1) % 3, k = (i + 2) % 3;
        b[0] = carom_e_sub(p, carom_e_mul(p, a[0], c), carom_e_mul(p, a[1 + i], s));
        b[1 + i] = carom_e_add(p, carom_e_mul(p, a[1 + i], c), carom_e_mul(p, a[0], s));
        b[1 + j] = carom_e_add(p, carom_e_mul(p, a[1 + j], c), carom_e_mul(p, a[1 + k], s));
        b[1 + k] = carom_e_sub(p, carom_e_mul(p, a[1 + k], c), carom_e_mul(p, a[1 + j], s));
        memcpy(a, b, sizeof a);
    }
    memcpy(e, a, sizeof a);
}

static void body_start(carom_loader *l, int k)
{
    carom_source *s = l->s;
    const carom_section_of_bodies *x = s->bodies;
    const carom_body *body = &x->b.body[k];
    const carom_frame *f = &x->frame[k];
    const carom_place_of *at = &x->place[k];
    carom_vector spin = carom_m_back(s->pool, &f->R0, carom_quantities(l, body->spin));
    for (int i = 0; i < 3; i++)
        if (at->q[i] >= 0) {
            s->q0[at->q[i]] = (carom_given){f->r0.x[i], body->node};
            if (body->touch >> i & 1)
                s->q0[at->q[i]].e = carom_expr_var(s->pool, s->var_q + at->q[i]);
            s->v0[at->v[i]] = (carom_given){carom_quantity_expr(l, &body->velocity[i]), body->node};
        }
    for (int i = 3; i < 6; i++)
        if (at->v[i] >= 0)
            s->v0[at->v[i]] = (carom_given){spin.x[i - 3], body->node};
    if (at->q[3] < 0)
        return;
    carom_expr e[4] = {f->angle0};
    if (!x->b.planar)
        quaternion(l, body->turn, e);
    for (int i = 0; i < (x->b.planar ? 1 : 4); i++)
        s->q0[at->q[3] + i] = (carom_given){e[i], body->node};
}

/* ---- the section start ---- */
/* The coordinate that a quantity of bodies is set by: one with a constant slope, that of the joint to the body. */
static int coordinate_of(carom_loader *l, const char *name, carom_expr e, bool rate)
{
    carom_source *s = l->s;
    int first = rate ? s->var_v : s->var_q, n = rate ? s->nv : s->nq;
    for (int i = n - 1; i >= s->nformula; i--)
        if (strcmp(name, rate ? s->v_name[i] : s->q_name[i]) == 0)
            return i;
    const carom_section_of_bodies *x = s->bodies;
    char word[160];
    const char *dot = strchr(name, '.');
    size_t length = dot ? (size_t)(dot - name) : 0;
    if (!dot || length >= sizeof word)
        return -1;
    memcpy(word, name, length);
    word[length] = 0;
    int body = carom_bodies_find(x, word), joint = body >= 0 ? x->parent[body] : -1;
    int i = joint >= 0 ? x->joint_q[joint] : -1;
    carom_expr slope = i < 0 ? CAROM_EXPR_NONE : carom_expr_diff(s->pool, e, first + i);
    return i >= 0 && (carom_e_is(s->pool, slope, 1) || carom_e_is(s->pool, slope, -1)) ? i : -1;
}

carom_expr carom_at_start(const carom_source *s, carom_expr e)
{
    carom_expr *value = CAROM_NEW(s->arena, carom_expr, s->nq + s->nv);
    for (int i = 0; value && i < s->nq + s->nv; i++)
        value[i] = i < s->nq ? s->q0[i].e : s->v0[i - s->nq].e;
    return value ? carom_expr_replace(s->pool, e, s->var_q, s->nq + s->nv, value) : CAROM_EXPR_NONE;
}

static carom_status start_entry(carom_loader *l, const carom_text_node *node)
{
    carom_source *s = l->s;
    char name[160];
    size_t n = strlen(node->key);
    bool rate = n && node->key[n - 1] == '\'';
    if (n >= sizeof name)
        return carom_load_fail(l, node->key_place, "a name of more than %d characters", (int)sizeof name - 1);
    memcpy(name, node->key, n + 1);
    name[n - rate] = 0;
    carom_text_node as_value = {.kind = CAROM_TEXT_SCALAR, .text = node->key, .place = node->key_place};
    carom_given what = {CAROM_EXPR_NONE, NULL}, value;
    CAROM_TRY(carom_load_expression(l, &as_value, "start", &what));
    int velocity = carom_expr_variable(s->pool, what.e) - s->var_v;
    bool itself = velocity >= s->nformula && velocity < s->nv; /* box.spin, box.wx */
    rate |= itself;
    int i = itself ? velocity : coordinate_of(l, name, what.e, rate);
    if (i < 0)
        return carom_load_fail(l, node->key_place,
                               "'%s' is not a coordinate of the model and cannot be set: it follows from others",
                               node->key);
    carom_given *to = rate ? &s->v0[i] : &s->q0[i];
    for (const carom_text_node *c = carom_text_get(s->root, "start")->child; c != node; c = c->next)
        if (to->node == c)
            return carom_load_fail(l, node->key_place, "'%s' is already set by '%s' in line %d", node->key, c->key,
                                   c->key_place.line);
    carom_expr own = carom_expr_var(s->pool, (rate ? s->var_v : s->var_q) + i);
    if (!rate && node->kind == CAROM_TEXT_SCALAR && strcmp(node->text, "touch") == 0) {
        *to = (carom_given){own, node};
        return CAROM_OK;
    }
    CAROM_TRY(carom_load_parametric(l, node, "a start value", &value));
    carom_expr slope = carom_expr_diff(s->pool, what.e, (rate ? s->var_v : s->var_q) + i);
    to->node = node;
    to->e = carom_expr_const(s->pool, 0); /* e = rest + slope*own */
    to->e = carom_e_mul(s->pool, slope, carom_e_sub(s->pool, value.e, carom_at_start(s, what.e)));
    return CAROM_OK;
}

/* The coordinate of a joint starts at 0, or where its motion does. */
static carom_status joint_start(carom_loader *l, int number)
{
    carom_source *s = l->s;
    int i = s->bodies->joint_q[number];
    carom_expr motion, zero = carom_expr_const(s->pool, 0), rate = zero;
    CAROM_TRY(carom_joint_motion(l, number, &motion));
    if (motion == CAROM_EXPR_NONE)
        motion = zero;
    else
        rate = carom_expr_diff(s->pool, motion, 0);
    s->q0[i] = (carom_given){carom_expr_replace(s->pool, motion, 0, 1, &zero), s->bodies->b.joint[number].node};
    s->v0[i] = (carom_given){carom_expr_replace(s->pool, rate, 0, 1, &zero), s->bodies->b.joint[number].node};
    return CAROM_OK;
}

carom_status carom_bodies_initial(carom_loader *l)
{
    carom_source *s = l->s;
    carom_section_of_bodies *x = s->bodies;
    const carom_text_node *start = carom_text_get(s->root, "start");
    for (int i = 0; i < s->nformula; i++)
        s->q0[i].e = s->v0[i].e = carom_expr_const(s->pool, 0);
    for (int i = 0; i < x->b.njoint; i++)
        if (x->joint_q[i] >= 0)
            CAROM_TRY(joint_start(l, i));
    for (int k = 0; k < x->b.nbody; k++)
        body_start(l, k);
    CAROM_TRY(carom_bodies_carry(l));
    if (!start)
        return CAROM_OK;
    CAROM_TRY(carom_load_map(l, start, "start"));
    for (const carom_text_node *c = start->child; c; c = c->next)
        CAROM_TRY(start_entry(l, c));
    return CAROM_OK;
}

/* ---- what is to be found ---- */
typedef struct search {
    carom_loader *l;
    double *variables; /* [nvar] with the parameters */
    int i;             /* the coordinate */
} search;

static void set_start(const search *x, double at)
{
    const carom_source *s = x->l->s;
    x->variables[s->var_q + x->i] = at;
    for (int i = 0; i < s->nq; i++)
        if (i != x->i)
            x->variables[s->var_q + i] = carom_expr_value(s->pool, s->q0[i].e, x->variables);
}

/* Is it the gap of a body whose own place is found after coordinate i? Such a body is not there yet. */
static bool waits(const carom_source *s, carom_expr g, int i)
{
    for (int k = i + 1; k < s->nq; k++)
        if (carom_expr_variable(s->pool, s->q0[k].e) == s->var_q + k &&
            carom_expr_depends(s->pool, g, s->var_q + k, s->var_q + k + 1))
            return true;
    return false;
}

/* The smallest gap that the coordinate changes; *which contact. */
static double least_gap(const search *x, double at, int *which)
{
    const carom_source *s = x->l->s;
    double least = INFINITY;
    set_start(x, at);
    for (int c = 0; c < s->added.ncontact; c++) {
        carom_expr g = s->added.contact[c].gap.e;
        if (s->added.contact_out[c].law == carom_law_bounded.method.name ||
            !carom_expr_depends(s->pool, g, s->var_q + x->i, s->var_q + x->i + 1) || waits(s, g, x->i))
            continue;
        double gap = carom_expr_value(s->pool, g, x->variables);
        if (gap < least)
            least = gap, *which = c;
    }
    return least;
}

static double downhill(const search *x)
{
    const carom_source *s = x->l->s;
    set_start(x, 0);
    double slope = carom_expr_value(s->pool, carom_expr_diff(s->pool, s->potential.e, s->var_q + x->i), x->variables);
    return slope > 0 ? -1 : 1;
}

/* The same by the gaps of formulas: stops of joints, contacts of the file. */
static bool bracket(const search *x, double *open, double *closed)
{
    double direction = downhill(x), step = 1e-3;
    int which = -1;
    bool free = least_gap(x, 0, &which) >= 0;
    *open = *closed = 0;
    for (int n = 0; n < 200 && which >= 0; n++, step *= 1.2) {
        double next = (free ? *closed : *open) + (free ? direction : -direction) * step;
        bool clear = least_gap(x, next, &which) >= 0;
        if (free && clear)
            *open = *closed = next;
        else if (!free && !clear)
            *open = *closed = next;
        else {
            *(clear ? open : closed) = next;
            return true;
        }
    }
    return false;
}

static carom_status find_touch(carom_loader *l, double *variables, int i)
{
    carom_source *s = l->s;
    search x = {l, variables, i};
    double open, closed;
    int which = -1;
    if (!carom_bodies_touch(l, variables, i, &open, &closed) && !bracket(&x, &open, &closed))
        return carom_load_fail(l, s->q0[i].node->place, "'%s' is to be found by touch, but nothing touches along it",
                               s->q_name[i]);
    for (int n = 0; n < 200 && open + 0.5 * (closed - open) != open && open + 0.5 * (closed - open) != closed; n++) {
        double middle = open + 0.5 * (closed - open);
        *(least_gap(&x, middle, &which) >= 0 ? &open : &closed) = middle;
    }
    least_gap(&x, open, &which);
    carom_expr_pool *p = s->pool;
    carom_expr found = carom_expr_const(p, open), own = carom_expr_var(p, s->var_q + i);
    carom_expr g = s->added.contact[which].gap.e, step = carom_e_div(p, g, carom_expr_diff(p, g, s->var_q + i));
    for (int k = 0; k < s->nq; k++) { /* all else as it starts, this one at the number found */
        carom_expr e = k == i ? carom_e_sub(p, own, carom_at_start(s, step)) : s->q0[k].e;
        s->q0[k].e = carom_expr_replace(p, e, s->var_q + i, 1, &found);
    }
    s->start_is_found = true;
    return CAROM_OK;
}

/* The velocities `at` start at v + b - A^-1 u, where u = A v + ... is 0 there: parameters move them as they move u. */
static void follow_rolling(carom_source *s, const int *at, int n, const double *A, const int *pivot, const double *b,
                           const carom_expr *u)
{
    carom_expr_pool *p = s->pool;
    carom_expr off[3], v[3];
    for (int c = 0; c < n; c++)
        s->v0[at[c]].e = carom_e_add(p, s->v0[at[c]].e, carom_expr_const(p, b[c]));
    for (int r = 0; r < n; r++)
        off[r] = carom_at_start(s, u[r]);
    for (int c = 0; c < n; c++)
        v[c] = s->v0[at[c]].e;
    for (int r = 0; r < n; r++) {
        double column[3] = {r == 0, r == 1, r == 2};
        carom_lu_solve(n, A, pivot, column);
        for (int c = 0; c < n; c++)
            v[c] = carom_e_sub(p, v[c], carom_e_mul(p, carom_expr_const(p, column[c]), off[r]));
    }
    for (int c = 0; c < n; c++)
        s->v0[at[c]].e = v[c];
    s->start_is_found = true;
}

/* v of a body so that u = 0 at the contact that is closed; the other velocities are as they start. */
static carom_status find_rolling(carom_loader *l, double *variables, int body)
{
    carom_source *s = l->s;
    carom_expr_pool *p = s->pool;
    const carom_place_of *at = &s->bodies->place[body];
    int n = s->bodies->b.planar ? 2 : 3, best = -1;
    double least = INFINITY, A[9] = {0}, b[3] = {0};
    for (int i = 0; i < s->nq; i++)
        variables[s->var_q + i] = carom_expr_value(p, s->q0[i].e, variables);
    for (int i = 0; i < s->nv; i++)
        variables[s->var_v + i] = carom_expr_value(p, s->v0[i].e, variables);
    for (int c = 0; c < s->added.ncontact; c++) {
        carom_expr g = s->added.contact[c].gap.e;
        bool mine = at->q[0] >= 0 && carom_expr_depends(p, g, s->var_q + at->q[0], s->var_q + at->q[0] + n);
        double gap = mine ? fabs(carom_expr_value(p, g, variables)) : INFINITY;
        if (gap < least)
            least = gap, best = c;
    }
    if (best < 0 || s->added.contact_out[best].directions != n - 1 || least > 1e-6)
        return carom_load_fail(l, s->bodies->b.body[body].node->key_place,
                               "'%s' cannot start rolling: it touches nothing with friction",
                               s->bodies->b.body[body].name);
    carom_expr u[3];
    for (int r = 0; r < n; r++) {
        u[r] = r ? s->added.contact[best].slip[r - 1].e : carom_source_rate(s, s->added.contact[best].gap.e);
        b[r] = -carom_expr_value(p, u[r], variables);
        for (int c = 0; c < n; c++)
            A[r * n + c] = carom_expr_value(p, carom_expr_diff(p, u[r], s->var_v + at->v[c]), variables);
    }
    int pivot[3];
    if (!carom_lu(n, A, pivot))
        return carom_load_fail(l, s->bodies->b.body[body].node->key_place, "'%s' cannot start rolling",
                               s->bodies->b.body[body].name);
    carom_lu_solve(n, A, pivot, b);
    follow_rolling(s, at->v, n, A, pivot, b, u);
    return CAROM_OK;
}

double *carom_bodies_variables(const carom_source *s)
{
    double *variables = calloc((size_t)s->nvar + 1, sizeof *variables);
    for (int i = 0; variables && i < s->nparameter; i++) {
        const carom_override *override = carom_source_override(s, "", s->parameter[i].name);
        variables[s->var_p + i] = override ? override->value : s->parameter[i].value;
    }
    return variables;
}

carom_status carom_bodies_find_start(carom_loader *l)
{
    carom_source *s = l->s;
    double *variables = carom_bodies_variables(s);
    carom_status status = variables ? CAROM_OK : carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the start");
    for (int i = s->nformula; i < s->nq && status == CAROM_OK; i++)
        if (carom_expr_variable(s->pool, s->q0[i].e) == s->var_q + i)
            status = find_touch(l, variables, i);
    for (int k = 0; k < s->bodies->b.nbody && status == CAROM_OK; k++)
        if (s->bodies->b.body[k].rolling)
            status = find_rolling(l, variables, k);
    free(variables);
    return status;
}
