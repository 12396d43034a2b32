/* found.c: a model file with many bodies: its contacts are found before every step, its joints are rows of two bodies
 * (bodies/many), while its names, outputs, stop condition and moved bodies are expressions as in any other file.
 *
 * The evaluator asks many bodies for everything but outputs and stop, which have a tape of their own; its scratch is
 * on the stack, the work memory is that of many bodies. Forces, motors and prescribed motions have another tape. */
#include <math.h>
#include <string.h>

#include "bodies/many/parts.h"
#include "bodies/section.h"
#include "core/dense.h"

enum { SCRATCH = 8000 }; /* doubles for the outputs, for the functions of time of moved bodies */

typedef struct carom_found_bodies {
    carom_model *many;
    const carom_evaluator *base;
    carom_tape *tape, *moves; /* outputs, then stop; the motion of moved bodies */
    carom_tape *acts;         /* prescribed motions, forces of joints, forces on bodies; NULL: there are none */
    double *p;                /* [np] the parameters that the moves were made for */
} carom_found_bodies;

/* ---- evaluation ---- */
static carom_status prepare(const carom_model *m, unsigned want, carom_error *error)
{
    return m->source->bodies->found->base->prepare(m, want & ~(unsigned)(CAROM_OUTPUTS | CAROM_STOP), error);
}

static size_t work_bytes(const carom_model *m, int lanes)
{
    return m->source->bodies->found->base->work_bytes(m, lanes);
}

static void begin(const carom_model *m, int lanes, const double *p, void *work)
{
    m->source->bodies->found->base->begin(m, lanes, p, work);
}

static void eval(const carom_model *m, const carom_eval *e, void *work)
{
    const carom_found_bodies *f = m->source->bodies->found;
    f->base->eval(m, e, work);
    if (!(e->want & (CAROM_OUTPUTS | CAROM_STOP)))
        return;
    double unused[CAROM_MAX_NAMES], stop, scratch[SCRATCH];
    const double *in[] = {e->t, e->q, e->v, e->p};
    double *out[] = {e->want & CAROM_OUTPUTS ? e->outputs : unused, e->want & CAROM_STOP ? e->stop : &stop};
    carom_tape_begin(f->tape, 1, in, scratch);
    carom_tape_eval(f->tape, 1, in, scratch, out);
}

static const carom_evaluator evaluator = {prepare, work_bytes, begin, eval};

/* ---- tapes ---- */
carom_tape_slot *carom_bodies_slots(const carom_source *s)
{
    carom_tape_slot *slot = CAROM_NEW(s->arena, carom_tape_slot, s->nvar + 1);
    for (int i = 0; slot && i < s->nq; i++)
        slot[s->var_q + i] = (carom_tape_slot){1, i};
    for (int i = 0; slot && i < s->nv; i++)
        slot[s->var_v + i] = (carom_tape_slot){2, i};
    for (int i = 0; slot && i < s->nparameter; i++)
        slot[s->var_p + i] = (carom_tape_slot){3, CAROM_MAX(s->parameter[i].index, 0)};
    return slot;
}

/* Number i of the motion of a moved body, as CAROM_MOTION says. */
static carom_expr motion_of(const carom_source *s, const carom_frame *f, int i)
{
    carom_expr of = i % 6 < 3 ? f->w.x[i % 3] : f->v.x[i % 3];
    if (i < CAROM_OF_SPEED)
        return f->r.x[i];
    if (i >= CAROM_OF_TURN)
        return f->R.x[i - CAROM_OF_TURN];
    return i < CAROM_OF_CHANGE ? of : carom_expr_diff(s->pool, of, 0);
}

static carom_status make_tapes(carom_loader *l, carom_found_bodies *f)
{
    carom_source *s = l->s;
    carom_bodies *b = &s->bodies->b;
    int n = 0, most = CAROM_MAX(s->noutput + 1, CAROM_MOTION * b->nbody);
    carom_expr *e = CAROM_NEW(s->arena, carom_expr, most);
    carom_tape_slot *to = CAROM_NEW(s->arena, carom_tape_slot, most), *variable = carom_bodies_slots(s);
    if (!e || !to || !variable)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the outputs");
    for (; n < s->noutput; n++)
        e[n] = s->output[n].e, to[n] = (carom_tape_slot){0, n};
    e[n] = s->stop.e, to[n++] = (carom_tape_slot){1, 0};
    CAROM_TRY(carom_tape_new(&f->tape, s->pool, e, to, n, variable, 1u << 3, l->error));
    n = 0;
    for (int k = 0; k < b->nbody; k++)
        for (int i = 0; i < CAROM_MOTION && b->body[k].motion == CAROM_BODY_MOVED; i++, n++) {
            e[n] = motion_of(s, &s->bodies->frame[k], i);
            to[n] = (carom_tape_slot){0, n};
        }
    if (n)
        CAROM_TRY(carom_tape_new(&f->moves, s->pool, e, to, n, variable, 1u << 3, l->error));
    if (carom_tape_work(f->tape, 1) > SCRATCH || (n && carom_tape_work(f->moves, 1) > SCRATCH))
        return carom_load_fail(l, s->root->place, "the outputs or the functions of time of moved bodies are too long");
    return CAROM_OK;
}

static void moves(const carom_bodies *b, double t, double *out)
{
    const carom_found_bodies *f = b->mover;
    double scratch[SCRATCH];
    const double *in[] = {&t, NULL, NULL, f->p};
    double *to[] = {out};
    carom_tape_begin(f->moves, 1, in, scratch);
    carom_tape_eval(f->moves, 1, in, scratch, to);
}

/* ---- the model ---- */
static bool turns(const carom_bodies *b, int body) /* is it moved so? */
{
    bool any = false;
    for (int i = 3; i < 6 && body >= 0 && b->body[body].motion == CAROM_BODY_MOVED; i++)
        any = any || b->body[body].moved[i] != CAROM_EXPR_NONE;
    return any;
}

/* Is there anything but free bodies, joints and forces between them and contacts? Then formulas say all but the
 * contacts: mixed.c. */
static bool has_formulas(const carom_source *s)
{
    static const char *const sections[] = {"coordinates", "kinetic", "potential", "constraints", "contacts", "start"};
    const carom_bodies *b = &s->bodies->b;
    for (int i = 0; i < CAROM_COUNT(sections); i++) {
        const carom_text_node *c = carom_text_get(s->root, sections[i]);
        if (c && (c->nchild > 0 || (c->kind == CAROM_TEXT_SCALAR && strcmp(sections[i], "contacts") != 0)))
            return true;
    }
    for (int i = 0; i < b->njoint; i++)
        if (s->assemble || !carom_many_takes(b, &b->joint[i]) || turns(b, b->joint[i].body[0]) ||
            turns(b, b->joint[i].body[1]))
            return true;
    for (int k = 0; k < b->nbody; k++) {
        const carom_body *body = &b->body[k];
        bool held = false;
        for (int i = 0; i < 6; i++)
            held |= body->held[i] && body->motion == CAROM_BODY_FREE;
        if (held)
            return true;
    }
    return false;
}

carom_status carom_bodies_found(carom_loader *l)
{
    carom_source *s = l->s;
    carom_bodies *b = &s->bodies->b;
    carom_found_bodies *f = CAROM_NEW(s->arena, carom_found_bodies, 1);
    CAROM_TRY(carom_laws_of_found(l));
    if (f)
        f->p = CAROM_NEW(s->arena, double, s->nparameter + 1);
    if (!f || !f->p)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for %d bodies", b->nbody);
    s->bodies->found = f;
    s->start_is_found = true;
    for (int i = 0; i < s->nparameter; i++)
        if (s->parameter[i].index >= 0) {
            const carom_override *override = carom_source_override(s, "", s->parameter[i].name);
            f->p[s->parameter[i].index] = override ? override->value : s->parameter[i].value;
        }
    CAROM_TRY(carom_load_run(l));
    CAROM_TRY(make_tapes(l, f));
    CAROM_TRY(carom_bodies_acts(l, f->p, &f->acts));
    b->mover = f;
    b->moves = f->moves ? moves : NULL;
    CAROM_TRY(carom_bodies_model(&f->many, b, s->arena, l->error));
    s->bodies->many = f->many->user;
    carom_model made = *f->many, *m = l->m;
    made.name = m->name, made.source = m->source, made.run = m->run, made.nrun = m->nrun, made.np = m->np;
    made.p_name = m->p_name, made.output_name = m->output_name, made.noutput = m->noutput, made.stops = m->stops;
    made.impacts = m->impacts, made.period = m->period;
    f->base = made.evaluator;
    made.evaluator = &evaluator;
    made.ncontact = 0; /* none lasts */
    s->joint = CAROM_NEW(s->arena, carom_given, made.njoint + 1); /* for the places of errors alone */
    for (int i = 0; s->joint && i < made.njoint; i++)
        s->joint[i].node = carom_many_joint_node(s->bodies->many, i);
    if (!s->joint)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for %d joints", b->njoint);
    made.q_name = s->q_name, made.v_name = s->v_name, made.q = s->q, made.v = s->v, made.p = s->p;
    *m = made;
    CAROM_TRY(carom_compiled_new(s, l->error));
    CAROM_TRY(carom_source_values(s, m, l->error));
    return carom_bodies_settle(l);
}

const carom_bodies *carom_bodies_of(const carom_model *m)
{
    return m->source && m->source->bodies ? &m->source->bodies->b : NULL;
}

double carom_bodies_length(const carom_point *at)
{
    const carom_section_of_bodies *b = at->model->source ? at->model->source->bodies : NULL;
    if (b && b->mixed)
        return carom_mixed_length(at);
    if (!b || !b->found)
        return -1;
    carom_many_work w = carom_many_work_at(b->many, at->model->ncontact, at->work, NULL);
    carom_many_poses(b->many, at->t, at->q, w.pose);
    return carom_many_length(b->many, w.pose);
}

bool carom_bodies_found_places(const carom_point *at, double *out)
{
    const carom_section_of_bodies *b = at->model->source ? at->model->source->bodies : NULL;
    if (b && b->mixed) {
        carom_mixed_places(at, out);
    } else if (b && b->found) {
        carom_many_work w = carom_many_work_at(b->many, at->model->ncontact, at->work, NULL);
        carom_many_poses(b->many, at->t, at->q, w.pose);
        memset(out, 0, sizeof *out * 15 * (size_t)b->many->nstop);
        carom_many_places(b->many, &w, at->model->ncontact - b->many->nstop, out + 15 * b->many->nstop);
    }
    return b && (b->mixed || b->found);
}

/* Does the file name the scheme `tolerance`, with fields or without, or none? */
static bool keeps_tolerance(const carom_source *s)
{
    const carom_text_node *run = carom_text_get(s->root, "run");
    const carom_text_node *scheme = run ? carom_text_get(run, "scheme") : NULL;
    const char *const name = "tolerance";
    size_t n = strlen(name);
    return !scheme || (scheme->kind == CAROM_TEXT_SCALAR && strncmp(scheme->text, name, n) == 0 &&
                       (scheme->text[n] == 0 || scheme->text[n] == ':'));
}

/* `contacts: found` asks for it, however few bodies there are, `contacts: formulas` does without as far as it can. */
carom_status carom_bodies_choose(carom_loader *l, bool *many)
{
    const carom_source *s = l->s;
    const carom_text_node *contacts = carom_text_get(s->root, "contacts");
    const char *word = contacts && contacts->kind == CAROM_TEXT_SCALAR ? contacts->text : "";
    bool asked = strcmp(word, "found") == 0, free = strcmp(word, "formulas") != 0 && keeps_tolerance(s);
    bool found = asked || carom_bodies_many(&s->bodies->b) || (free && carom_bodies_crowded(&s->bodies->b));
    bool branch = false;
    s->bodies->mixes = found && has_formulas(s);
    if (found && !s->bodies->mixes && s->nv <= CAROM_MAX_COORDINATES) {
        CAROM_TRY(carom_bodies_branch(l, &branch));
        s->bodies->mixes = branch; /* schemes that locate events ask formulas for them */
    }
    *many = found && !s->bodies->mixes;
    return CAROM_OK;
}

bool carom_bodies_are_mixed(const carom_source *s)
{
    return s->bodies->mixes;
}

void carom_bodies_end(carom_source *s)
{
    carom_found_bodies *f = s->bodies ? s->bodies->found : NULL;
    carom_bodies_unmix(s);
    if (s->bodies)
        carom_tape_free(s->bodies->where);
    if (!f)
        return;
    carom_tape_free(f->tape);
    carom_tape_free(f->moves);
    carom_tape_free(f->acts);
    if (f->many && f->base)
        carom_bodies_model_end(f->many);
}
