/* links.c: the contacts of many bodies that a step needs to know.
 *
 *   1. boxes around the shapes, larger by half of reach; the pairs of them that overlap (geometry/broad.c)
 *   2. of these pairs, those of different bodies that have a law and do not both stand still
 *   3. the touches of each with a gap up to reach (geometry/pair.c), in the order of the pairs
 *   id = (first shape, its part, second shape, its part), 20 and 11 bits each                              (1)
 *
 * Nothing is allocated while there are no more shapes and pairs than ever before. */
#include <stdio.h>
#include <string.h>

#include "bodies/many/parts.h"
#include "bodies/section.h"

enum { SHAPE_BITS = 20, KIND_BITS = 3, NUMBER_BITS = 8 };

static unsigned long long part_bits(uint32_t part)
{
    return (unsigned long long)(part >> 24) << NUMBER_BITS | (part & ((1u << NUMBER_BITS) - 1));
}

static long long id_of(int a, uint32_t part_a, int b, uint32_t part_b)
{
    unsigned long long half = (unsigned long long)a << (KIND_BITS + NUMBER_BITS) | part_bits(part_a);
    return (long long)(half << (SHAPE_BITS + KIND_BITS + NUMBER_BITS) |
                       (unsigned long long)b << (KIND_BITS + NUMBER_BITS) | part_bits(part_b));            /* (1) */
}

/* ---- names ---- */
static const carom_many *many_of(const carom_model *m)
{
    return m->source && m->source->bodies ? m->source->bodies->many : m->user;
}

typedef struct side { /* of a contact, from its id */
    int shape, kind, number;
} side;

static side side_of(unsigned long long half)
{
    const int number = 1 << NUMBER_BITS, kind = 1 << KIND_BITS;
    return (side){(int)(half >> (KIND_BITS + NUMBER_BITS) & ((1ull << SHAPE_BITS) - 1)),
                  (int)(half >> NUMBER_BITS) & (kind - 1), (int)half & (number - 1)};
}

/* box.1, box.edge3, box.lid.2: as formulas call theirs. */
static int write_side(const carom_many *many, side x, char *to, size_t size)
{
    static const char *const kinds[] = {[CAROM_VERTEX] = "", [CAROM_EDGE] = "edge", [CAROM_FACE] = "face",
                                        [CAROM_RIM] = "rim", [CAROM_ARC] = "arc"};
    const carom_posed_shape *s = &many->shape[x.shape];
    const carom_body *body = &many->bodies->body[s->body];
    char shape[64] = "", part[24] = "";
    if (s->source->name)
        snprintf(shape, sizeof shape, ".%s", s->source->name);
    else if (body->shapes > 1 && s->shape.kind != CAROM_SHAPE_PLANE)
        snprintf(shape, sizeof shape, ".shape%d", s->number + 1);
    bool whole = x.kind == CAROM_WHOLE || x.kind > CAROM_ARC || (x.kind == CAROM_VERTEX && s->shape.nvertex == 1);
    if (!whole)
        snprintf(part, sizeof part, ".%s%d", kinds[x.kind], x.number + 1);
    return snprintf(to, size, "%s%s%s", body->name, shape, part);
}

const char *carom_bodies_contact_name(const carom_model *model, long long id, int body[2], char *buffer, size_t size)
{
    const carom_many *many = many_of(model);
    unsigned long long x = (unsigned long long)id;
    side a = side_of(x >> (SHAPE_BITS + KIND_BITS + NUMBER_BITS)), b = side_of(x);
    body[0] = body[1] = -1;
    const carom_contact *own = carom_mixed_contact(model->source, id);
    if (many && id < 0 && -1 - id < many->nstop)
        own = &many->stop[-1 - id];
    if (own && own->name)
        snprintf(buffer, size, "%s", own->name);
    else if (id < 0 || !many || a.shape >= many->nshape || b.shape >= many->nshape)
        snprintf(buffer, size, "contact %lld", id);
    if (own || id < 0 || !many || a.shape >= many->nshape || b.shape >= many->nshape)
        return buffer;
    body[0] = many->shape[a.shape].body, body[1] = many->shape[b.shape].body;
    int n = write_side(many, b, buffer, size); /* the vertex, then what it touches */
    if (n > 0 && (size_t)n + 2 < size) {
        buffer[n++] = ' ';
        write_side(many, a, buffer + n, size - (size_t)n);
    }
    return buffer;
}

const char *carom_contact_called(const carom_model *model, int contact, long long id, char *buffer, size_t size)
{
    int body[2];
    char number[32];
    if (model->links && many_of(model))
        return carom_bodies_contact_name(model, id, body, buffer, size);
    if (model->links && !model->contact)
        snprintf(buffer, size, "contact %lld", id);
    else
        snprintf(buffer, size, "%s", carom_model_contact_name(model, contact, number));
    return buffer;
}

const carom_pair_law *carom_bodies_found_law(const carom_model *model, long long id)
{
    const carom_many *many = many_of(model);
    unsigned long long x = (unsigned long long)id;
    side a = side_of(x >> (SHAPE_BITS + KIND_BITS + NUMBER_BITS)), b = side_of(x);
    return id < 0 || !many || a.shape >= many->nshape || b.shape >= many->nshape
               ? NULL : carom_many_law(many, &many->shape[a.shape], &many->shape[b.shape]);
}

void carom_many_pair_of(const carom_many *many, long long id, int body[2])
{
    unsigned long long x = (unsigned long long)id;
    body[0] = many->shape[side_of(x >> (SHAPE_BITS + KIND_BITS + NUMBER_BITS)).shape].body;
    body[1] = many->shape[side_of(x).shape].body;
}

void carom_many_places(const carom_many *many, const carom_many_work *w, int n, double *out)
{
    const carom_touch_motion motion = {.pose = w->pose};
    const unsigned char *at = w->packed;
    carom_error error;
    for (int first = 0; first < n; first += CAROM_CHUNK) {
        const carom_touch_values to = {.place = out + 15 * first};
        int count = CAROM_MIN(CAROM_CHUNK, n - first);
        if (carom_kernels_eval(many->kernels, CAROM_TOUCH_PLACE, count, carom_many_unpack(w, &at, count), &motion, &to,
                               w->scratch, &error) != CAROM_OK)
            out[15 * first] = NAN;
    }
}

/* Half of what is thinner; points have no other side, and planes are never passed. */
static double depth_of(const carom_posed_shape *a, const carom_posed_shape *b)
{
    double one = a->thickness > 0 ? a->thickness : INFINITY, two = b->thickness > 0 ? b->thickness : INFINITY;
    double least = CAROM_MIN(one, two);
    return isinf(least) ? 0 : 0.5 * least;
}

static void fill(const carom_many *many, const carom_pair_law *law, const carom_pair *pair, const carom_touch *touch,
                 carom_found *found)
{
    const carom_bodies *b = many->bodies;
    bool swapped = touch->body[0] != many->shape[pair->first].body;
    int shape[2] = {swapped ? pair->second : pair->first, swapped ? pair->first : pair->second};
    int block[2] = {many->block[touch->body[0]], many->block[touch->body[1]]}, n = carom_many_freedoms(many), k = 0;
    *found = (carom_found){.id = id_of(shape[0], touch->feature[0], shape[1], touch->feature[1]),
                           .depth = depth_of(&many->shape[pair->first], &many->shape[pair->second]),
                           .branch = (int)touch->branch, .gap = touch->gap};
    found->contact = (carom_contact){.name = law->name, .directions = law->directions, .law = law->law_name,
                                     .coefficient =
                                         many->coefficient + (law - b->law) * CAROM_COEFFICIENTS_MAX};
    int low = CAROM_MIN(block[0], block[1]), high = CAROM_MAX(block[0], block[1]);
    for (int i = 0; i < 2; i++) {
        int at = i ? high : low;
        if (at >= 0 && many->blocks)
            found->first[k] = at * n, found->count[k++] = n;
    }
}

const carom_pair_law *carom_many_law(const carom_many *many, const carom_posed_shape *a, const carom_posed_shape *b)
{
    if (a->body == b->body)
        return NULL;
    if (many->block[a->body] < 0 && many->block[b->body] < 0)
        return NULL;
    const carom_pair_law *law = carom_bodies_law(many->bodies, a->source, b->source);
    return law && !(carom_many_joined(many, a->body, b->body) && strcmp(law->name, "default") == 0) ? law : NULL;
}

/* The touches of one pair from number n on; returns how many there are then. They are found behind *end, where packed
 * ones end, with room for one touch in between: none that is packed reaches one that is not. */
static int add_pair(const carom_many *many, carom_many_work *w, const carom_pair *pair, double reach, bool exact, int n,
                    carom_found *found, int most, unsigned char **end)
{
    const carom_posed_shape *a = &many->shape[pair->first], *b = &many->shape[pair->second];
    const carom_pair_law *law = carom_many_law(many, a, b);
    int count = 0, room = CAROM_MAX(most - n, 0);
    if (!law)
        return n;
    size_t used = (size_t)(*end - w->packed);
    carom_touch *list = w->touch + (used + sizeof *list - 1) / sizeof *list + 1;
    carom_error error;
    if ((exact ? carom_pair_find_exact : carom_pair_find)((carom_posed){&a->shape, &w->pose[a->body], a->body},
                                                          (carom_posed){&b->shape, &w->pose[b->body], b->body}, reach,
                                                          list, room, &count, &error))
        return -1;
    for (int i = 0; i < CAROM_MIN(count, room); i++) {
        fill(many, law, pair, &list[i], &found[n + i]);
        *end = carom_touch_pack(&list[i], *end);
    }
    return n + count;
}

/* A broad phase for this thread: one of the model's, or one of its own. */
static carom_broad *borrow(carom_many *many, int *which)
{
    for (*which = 0; *which < CAROM_FINDERS; ++*which)
        if (!atomic_flag_test_and_set(&many->finder[*which].taken))
            return many->finder[*which].broad;
    return carom_broad_new();
}

static void give_back(carom_many *many, int which, carom_broad *broad)
{
    if (which < CAROM_FINDERS)
        atomic_flag_clear(&many->finder[which].taken);
    else
        carom_broad_free(broad);
}

int carom_many_find(carom_many *many, carom_many_work *w, double reach, bool exact, carom_found *found, int most)
{
    const carom_pair *pairs;
    int npairs, which, n = 0;
    carom_error error;
    for (int i = 0; i < many->nshape; i++)
        carom_shape_bounds(&many->shape[i].shape, &w->pose[many->shape[i].body], 0.5 * reach, w->boxes + 6 * i,
                           w->boxes + 6 * i + 3);
    unsigned char *end = w->packed;
    carom_broad *broad = borrow(many, &which);
    if (!broad || carom_broad_find(broad, many->nshape, w->boxes, &pairs, &npairs, &error) != CAROM_OK)
        npairs = 0, n = -1;
    for (int i = 0; i < npairs && n >= 0; i++)
        n = add_pair(many, w, &pairs[i], reach, exact, n, found, most, &end);
    give_back(many, which, broad);
    return n;
}

int carom_many_links(const carom_point *at, double reach, carom_found *found, int most)
{
    carom_many *many = at->user;
    carom_many_work w = carom_many_work_at(many, at->model->ncontact, at->work, NULL);
    carom_many_poses(many, at->t, at->q, w.pose);
    for (int i = 0; i < CAROM_MIN(many->nstop, most); i++)
        carom_many_stop(many, i, &found[i]);
    int room = CAROM_MAX(most - many->nstop, 0);
    int n = carom_many_find(many, &w, reach, at->model->exact, room ? found + many->nstop : found, room);
    return n < 0 ? n : many->nstop + n;
}

/* ---- margins ---- */
void carom_many_margins(const carom_many *many, const carom_many_work *w, int n, const long long *id, double *out)
{
    const unsigned char *at = w->packed;
    for (int i = 0; i < n; i++) {
        unsigned long long x = (unsigned long long)id[i];
        side a = side_of(x >> (SHAPE_BITS + KIND_BITS + NUMBER_BITS)), b = side_of(x);
        out[i] = carom_touch_inside(carom_many_unpack(w, &at, 1), &many->shape[a.shape].shape,
                                    &many->shape[b.shape].shape, w->pose);
    }
}

/* ---- at the start ---- */
double carom_many_gap(const carom_many *many, const carom_many_work *w, int first, int second, double reach,
                      carom_overlap *how)
{
    const carom_posed_shape *a = &many->shape[first], *b = &many->shape[second];
    const carom_posed one = {&a->shape, &w->pose[a->body], a->body}, two = {&b->shape, &w->pose[b->body], b->body};
    double gap = INFINITY, normal[3];
    int n = 0;
    carom_error error;
    *how = (carom_overlap){.body = {a->body, b->body}};
    if (carom_pair_find(one, two, reach, w->touch, CAROM_PAIR_TOUCHES, &n, &error) != CAROM_OK)
        return INFINITY;
    for (int i = 0; i < CAROM_MIN(n, CAROM_PAIR_TOUCHES); i++)
        if (w->touch[i].gap < gap) {
            gap = w->touch[i].gap;
            for (int k = 0; k < 3; k++)
                how->normal[k] = w->touch[i].body[0] == a->body ? w->touch[i].normal[k] : -w->touch[i].normal[k];
        }
    double depth = carom_pair_depth(one, two, normal);
    if (depth > 0)
        gap = -depth, copy3(normal, how->normal);
    how->depth = -gap;
    return gap;
}

int carom_many_overlaps(carom_many *many, carom_many_work *w, double least, carom_overlap *list, int most)
{
    const carom_pair *pairs;
    int npairs, which, n = 0;
    carom_error error;
    for (int i = 0; i < many->nshape; i++)
        carom_shape_bounds(&many->shape[i].shape, &w->pose[many->shape[i].body], 0, w->boxes + 6 * i,
                           w->boxes + 6 * i + 3);
    carom_broad *broad = borrow(many, &which);
    if (!broad || carom_broad_find(broad, many->nshape, w->boxes, &pairs, &npairs, &error) != CAROM_OK)
        npairs = 0;
    for (int i = 0; i < npairs; i++) {
        carom_overlap how;
        if (carom_many_law(many, &many->shape[pairs[i].first], &many->shape[pairs[i].second]) &&
            carom_many_gap(many, w, pairs[i].first, pairs[i].second, 0, &how) < -least && n++ < most)
            list[n - 1] = how;
    }
    give_back(many, which, broad);
    return n;
}
