/* carried.c: velocities that the file gives to bodies that do not have them as coordinates: a joint leads to them
 * (`coordinate`), or they are held.
 *
 * Let V_i be the components of the velocity and of the spin of such a body, V*_i those that the file gives. They are
 * affine in the rate of the joint's coordinate, which starts where it gives them:
 *   s' = sum_i c_i (V*_i - V_i(s' = 0))/sum_i c_i^2,   c_i = dV_i/ds'                                     (1)
 * What neither a joint nor `fix` lets a body have is an error: it would be lost without a word. */
#include <math.h>

#include "bodies/section.h"

typedef struct given { /* by the file: a component of velocity or spin */
    carom_expr wanted, has;
    const carom_text_node *node;
    bool own; /* it is a velocity of the model */
} given;

static void add(given *list, int *n, const carom_text_node *node, carom_expr wanted, carom_expr has, bool own)
{
    list[(*n)++] = (given){wanted, has, node, own};
}

static int givens_of(carom_loader *l, int k, given list[6])
{
    const carom_section_of_bodies *x = l->s->bodies;
    const carom_body *body = &x->b.body[k];
    const carom_text_node *velocity = carom_text_get(body->node, "velocity"),
                          *spin = carom_text_get(body->node, "spin");
    const int *v = x->place[k].v;
    int n = 0, lengths = x->b.planar ? 2 : 3;
    for (int i = 0; velocity && !body->rolling && i < lengths; i++)
        add(list, &n, velocity, carom_quantity_expr(l, &body->velocity[i]), x->frame[k].v.x[i], v[i] >= 0);
    if (!spin)
        return n;
    carom_vector turning = carom_frame_spin(l, k);
    for (int i = x->b.planar ? 2 : 0; i < 3; i++)
        add(list, &n, spin, carom_quantity_expr(l, &body->spin[i]), turning.x[i], v[3 + i] >= 0);
    return n;
}

/* (1) for velocity number i, if any of these depend on it. */
static carom_status start_rate(carom_loader *l, int i, const given *list, int n, const carom_text_node *node)
{
    carom_source *s = l->s;
    carom_expr_pool *p = s->pool;
    carom_expr zero = carom_expr_const(p, 0), sum = zero, squares = zero;
    double size;
    s->v0[i].e = zero; /* whoever follows this joint asks again */
    for (int k = 0; k < n; k++) { /* (1) */
        carom_expr c = carom_at_start(s, carom_expr_diff(p, list[k].has, s->var_v + i));
        carom_expr off = carom_e_sub(p, list[k].wanted, carom_at_start(s, list[k].has));
        sum = carom_e_add(p, sum, carom_e_mul(p, c, off));
        squares = carom_e_add(p, squares, carom_e_mul(p, c, c));
    }
    CAROM_TRY(carom_bodies_values_of(l, &squares, 1, &size));
    if (size > 0) /* at t = 0: the neighbour may be moved */
        s->v0[i] = (carom_given){carom_expr_replace(p, carom_e_div(p, sum, squares), 0, 1, &zero), node};
    return CAROM_OK;
}

/* The joint that leads to a body; that body's neighbour has its velocity first. */
static carom_status carry(carom_loader *l, int k)
{
    const carom_section_of_bodies *x = l->s->bodies;
    int number = x->parent[k];
    given list[6];
    if (number < 0)
        return CAROM_OK;
    const carom_joint *joint = &x->b.joint[number];
    int other = joint->body[joint->body[0] == k], i = x->joint_q[number], n = givens_of(l, k, list);
    if (other >= 0)
        CAROM_TRY(carry(l, other));
    if (i < 0 || n == 0 || carom_text_get(joint->node, "motion"))
        return CAROM_OK;
    return start_rate(l, i, list, n, list[0].node);
}

static carom_status lost(carom_loader *l, int k, const given *x, double off)
{
    const carom_section_of_bodies *of = l->s->bodies;
    const carom_body *body = &of->b.body[k];
    const char *word = x->node->key;
    if (of->parent[k] >= 0)
        return carom_load_fail(l, x->node->place, "joint '%s' does not let '%s' start with this %s: it is off by %.3g "
                               "(--assemble takes what the joint lets it have)", of->b.joint[of->parent[k]].name,
                               body->name, word, off);
    if (!carom_text_get(body->node, "fix"))
        return carom_load_fail(l, x->node->place, "'%s' does not turn: it has neither extent nor inertia", body->name);
    return carom_load_fail(l, x->node->place, "'%s' cannot start with this %s: its `fix` holds it", body->name, word);
}

static bool is_free(const carom_section_of_bodies *x, int k) /* all its velocities are those of the model */
{
    bool free = true;
    for (int i = 0; i < 6; i++)
        free = free && (x->place[k].v[i] >= 0 || (x->b.planar && i >= 2 && i < 5));
    return free;
}

static carom_status check(carom_loader *l, int k)
{
    given list[6];
    int n = is_free(l->s->bodies, k) ? 0 : givens_of(l, k, list);
    for (int i = 0; i < n; i++) {
        double value[2];
        const carom_expr both[] = {list[i].wanted, carom_at_start(l->s, list[i].has)};
        if (list[i].own)
            continue;
        CAROM_TRY(carom_bodies_values_of(l, both, 2, value));
        double off = fabs(value[0] - value[1]);
        if (off > 1e-9 * (1 + fabs(value[0])))
            return lost(l, k, &list[i], off);
    }
    return CAROM_OK;
}

carom_status carom_bodies_carry(carom_loader *l)
{
    const carom_section_of_bodies *x = l->s->bodies;
    for (int k = 0; k < x->b.nbody; k++)
        CAROM_TRY(carry(l, k));
    for (int k = 0; k < x->b.nbody && !l->s->assemble; k++)
        if (x->b.body[k].motion == CAROM_BODY_FREE)
            CAROM_TRY(check(l, k));
    return CAROM_OK;
}
