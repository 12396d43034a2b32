/* posing.c: as posing.h says. */
#include "bodies/posing.h"

carom_status carom_bodies_where(carom_loader *l)
{
    carom_section_of_bodies *x = l->s->bodies;
    int n = 12 * x->b.nbody;
    carom_expr *e = CAROM_NEW(l->s->arena, carom_expr, n + 1);
    carom_tape_slot *to = CAROM_NEW(l->s->arena, carom_tape_slot, n + 1), *variable = carom_bodies_slots(l->s);
    if (!e || !to || !variable)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the poses of %d bodies", x->b.nbody);
    for (int i = 0; i < n; i++) {
        const carom_frame *f = &x->frame[i / 12];
        e[i] = i % 12 < 3 ? f->r.x[i % 12] : f->R.x[i % 12 - 3];
        to[i] = (carom_tape_slot){0, i};
    }
    return carom_tape_new(&x->where, l->s->pool, e, to, n, variable, 1u << 3, l->error);
}

void carom_posing_at(const carom_posing *x, const double *q)
{
    const double t = 0, *in[] = {&t, q, x->still, x->p};
    double *out[] = {(double *)x->w.pose};
    if (x->s->bodies->found)
        carom_many_poses(x->many, 0, q, x->w.pose);
    else
        carom_tape_eval(x->s->bodies->where, 1, in, x->tape, out);
}

void carom_posing_end(carom_posing *x)
{
    if (x->many && x->many != x->s->bodies->many)
        carom_many_end(x->many);
    carom_arena_free(x->arena);
}

carom_status carom_posing_new(carom_posing *x, carom_source *s, carom_error *error)
{
    carom_section_of_bodies *b = s->bodies;
    size_t bytes;
    *x = (carom_posing){.s = s, .many = b->many, .arena = carom_arena_new(0)};
    carom_status status = x->arena ? CAROM_OK : carom_fail(error, CAROM_NO_MEMORY, "out of memory for the start");
    if (status == CAROM_OK && !x->many)
        status = carom_many_new(&x->many, &b->b, false, x->arena, error);
    if (status == CAROM_OK) {
        carom_many_work_at(x->many, CAROM_PAIR_TOUCHES, NULL, &bytes);
        void *memory = CAROM_NEW(x->arena, double, bytes / sizeof(double) + 16);
        x->tape = CAROM_NEW(x->arena, double, b->where ? carom_tape_work(b->where, 1) + 1 : 1);
        x->still = CAROM_NEW(x->arena, double, CAROM_MAX(s->nq, s->nv) + 1);
        x->p = CAROM_NEW(x->arena, double, s->nparameter + 1);
        x->overlap = CAROM_NEW(x->arena, carom_overlap, CAROM_MOST_OVERLAPS);
        if (!memory || !x->tape || !x->still || !x->p || !x->overlap)
            status = carom_fail(error, CAROM_NO_MEMORY, "out of memory for the start");
        else
            x->w = carom_many_work_at(x->many, CAROM_PAIR_TOUCHES, memory, NULL);
    }
    if (status == CAROM_OK && b->where && !b->found) {
        const double t = 0, *in[] = {&t, x->still, x->still, x->p};
        for (int i = 0; i < s->nparameter; i++) {
            const carom_override *override = carom_source_override(s, "", s->parameter[i].name);
            if (s->parameter[i].index >= 0)
                x->p[s->parameter[i].index] = override ? override->value : s->parameter[i].value;
        }
        carom_tape_begin(b->where, 1, in, x->tape);
    }
    if (status != CAROM_OK)
        carom_posing_end(x);
    return status;
}
