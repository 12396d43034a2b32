/* geometry.c: what contacts of shapes cost: nanoseconds per pair to find them, per contact to evaluate them, and per
 * box to find the pairs. `geometry study [POSES]` checks gaps and derivatives on many random poses of each kind of pair
 * (a million if not said otherwise) against distances and differences, and prints the largest errors. */
#include <stdlib.h>

#include "bench.h"
#include "geometry_distance.h"
#include "geometry_testing.h"

static const unsigned wants[] = {CAROM_TOUCH_GAP, CAROM_TOUCH_GAP | CAROM_TOUCH_JACOBIAN,
                                 CAROM_TOUCH_JACOBIAN | CAROM_TOUCH_GAMMA, CAROM_TOUCH_U_Q, CAROM_TOUCH_R_Q,
                                 CAROM_TOUCH_A_Q | CAROM_TOUCH_A_V};
static const char *const want_name[] = {"g", "g G", "G gamma", "U_q", "R_q", "A_q A_v"};
enum { WANTS = sizeof wants / sizeof wants[0], CONTACTS = 256 };

static void need(carom_status status, const carom_error *error)
{
    if (status != CAROM_OK) {
        printf("%s\n", error->text);
        exit(1);
    }
}

/* ---- kernels ---- */
typedef struct contacts {
    const carom_kernels *kernels;
    unsigned want;
    carom_touch touch[CONTACTS];
    carom_pose pose[2 * CONTACTS];
    double v[24 * CONTACTS], a[24 * CONTACTS], x[3 * CONTACTS], *work;
    double g[CONTACTS], place[15 * CONTACTS], G[36 * CONTACTS], gamma[3 * CONTACTS], U_q[36 * CONTACTS],
        A_q[36 * CONTACTS], A_v[36 * CONTACTS], R_q[144 * CONTACTS];
} contacts;
static contacts k;

static void kernel_loop(void *user, int n)
{
    contacts *c = user;
    carom_touch_motion motion = {c->pose, c->v, c->a, c->x};
    carom_touch_values values = {.g = c->g,     .place = c->place, .G = c->G,     .gamma = c->gamma,
                                 .U_q = c->U_q, .A_q = c->A_q,     .A_v = c->A_v, .R_q = c->R_q};
    for (int i = 0; i < n; i += CONTACTS) {
        carom_error error;
        need(carom_kernels_eval(c->kernels, c->want, CONTACTS, c->touch, &motion, &values, c->work, &error), &error);
    }
}

/* What one would write by hand for g and G of two lines: closed forms, one contact at a time. */
static void by_hand(const carom_touch *t, const carom_pose *pose, double *g, double *G)
{
    const carom_pose *A = &pose[t->body[0]], *B = &pose[t->body[1]];
    double p[3], a[3], q[3], b[3], x[3], c[3], n[3], arm[2][3], frame[3][3], d[3], m[3];
    turn3(A->R, t->a, p), turn3(A->R, t->a + 3, a), turn3(B->R, t->b, q), turn3(B->R, t->b + 3, b);
    sub3(B->r, A->r, d), add3(d, 1, q, x), sub3(x, p, x);
    cross3(a, b, c);
    double det = dot3(c, c), ab = dot3(a, b), ax = dot3(a, x), bx = dot3(b, x), length = sqrt(det);
    for (int i = 0; i < 3; i++)
        n[i] = t->sign * c[i] / length;
    add3(p, (ax - ab * bx) / det, a, arm[0]), add3(arm[0], t->a[6], n, arm[0]);
    add3(q, (ab * ax - bx) / det, b, arm[1]), add3(arm[1], -t->b[6], n, arm[1]);
    *g = dot3(n, x) - t->a[6] - t->b[6];
    copy3(n, frame[0]);
    add3(t->reference, -dot3(t->reference, n), n, frame[1]), unit3(frame[1]);
    cross3(n, frame[1], frame[2]);
    for (int i = 0; i < 3; i++, G += 12) {
        for (int j = 0; j < 3; j++)
            G[j] = -frame[i][j], G[6 + j] = frame[i][j];
        cross3(frame[i], arm[0], m), turn_back3(A->R, m, G + 3);
        cross3(arm[1], frame[i], m), turn_back3(B->R, m, G + 9);
    }
}

static void hand_loop(void *user, int n)
{
    contacts *c = user;
    for (int i = 0; i < n; i++)
        by_hand(&c->touch[i % CONTACTS], c->pose, &c->g[i % CONTACTS], c->G + 36 * (i % CONTACTS));
}

static void fill(dice *d, int kernel, bool planar)
{
    for (int i = 0; i < CONTACTS; i++) {
        carom_touch *t = &k.touch[i];
        *t = (carom_touch){.body = {2 * i, 2 * i + 1}, .kernel = (carom_kernel)kernel, .sign = 1, .reference = {1}};
        for (int side = 0; side < 2; side++) {
            double *f = side ? t->b : t->a;
            for (int j = 0; j < 3; j++)
                f[j] = planar && j == 2 ? 0 : roll(d, -0.5, 0.5);
            bool direction = side == 0 && (kernel == CAROM_PLANE_POINT || kernel == CAROM_PLANE_CIRCLE ||
                                           kernel == CAROM_PLANE_ELLIPSOID);
            if (direction)
                roll_direction(d, planar, f);
            f[3] = roll(d, 0.1, 0.2);
            if (!direction && kernel != CAROM_POINT_POINT) {
                roll_direction(d, planar, f + 3);
                across3(f + 3, f + 6);
                f[9] = roll(d, 0.4, 1), f[10] = roll(d, 0.4, 1), f[11] = roll(d, 0.4, 1);
            }
        }
        k.pose[2 * i] = roll_pose(d, planar), k.pose[2 * i + 1] = roll_pose(d, planar);
        k.pose[2 * i + 1].r[0] += 3;
        carom_touch_unknowns(t, k.pose, t->z);
    }
    for (int i = 0; i < 24 * CONTACTS; i++)
        k.v[i] = roll(d, -1, 1), k.a[i] = roll(d, -1, 1), k.x[i / 8] = roll(d, -1, 1);
}

static void bench_kernels(void)
{
    dice d = {1};
    carom_error error;
    printf("kernels: ns a contact (operations of the tape)\n%-24s", "");
    for (int i = 0; i < WANTS; i++)
        printf("%16s", want_name[i]);
    printf("\n");
    for (int planar = 1; planar >= 0; planar--)
        for (int kernel = 0; kernel < (planar ? 3 : CAROM_KERNELS); kernel++) {
            carom_kernels *kernels;
            need(carom_kernels_new(&kernels, planar, 1u << kernel, wants, WANTS, &error), &error);
            k.kernels = kernels, k.work = malloc(sizeof(double) * carom_kernels_work(kernels));
            fill(&d, kernel, planar);
            printf("%s %-16s", planar ? "planar " : "spatial", carom_kernel_name((carom_kernel)kernel));
            for (int i = 0; i < WANTS; i++) {
                double ns;
                void *user = &k;
                k.want = wants[i];
                bench_compare(1, (bench_loop *const[]){kernel_loop}, &user, 4 * CONTACTS, 100, &ns);
                printf("%8.0f (%5d)", ns, carom_kernels_length(kernels, (carom_kernel)kernel, wants[i]));
            }
            printf("\n");
            if (kernel == CAROM_LINE_LINE) {
                double ns;
                void *user = &k;
                bench_compare(1, (bench_loop *const[]){hand_loop}, &user, 4 * CONTACTS, 100, &ns);
                printf("        by hand %32.0f\n", ns);
            }
            free(k.work);
            carom_kernels_free(kernels);
        }
}

/* ---- pairs ---- */
typedef struct near_pair {
    carom_shape shape[2];
    carom_pose pose[2];
} near_pair;

/* Brings the second shape along a line to the distance asked for. */
static bool approach(dice *d, carom_arena *arena, const pair_kind *kind, double wanted, near_pair *s)
{
    carom_error error;
    real toward[3], far;
    double away[3];
    for (int i = 0; i < 2; i++) {
        need(roll_shape(d, arena, kind->kind[i], kind->planar, kind->flat, &s->shape[i], &error), &error);
        s->pose[i] = roll_pose(d, kind->planar);
    }
    bool plane = s->shape[0].kind == CAROM_SHAPE_PLANE;
    roll_direction(d, kind->planar, away);
    if (plane)
        turn3(s->pose[0].R, s->shape[0].face->normal, away);
    add3(s->pose[0].r, 6, away, s->pose[1].r);
    for (int i = 0; i < 200; i++) {
        real speed = 0, length = 0;
        far = plane ? height(&s->shape[0], &s->pose[0], &s->shape[1], &s->pose[1])
                    : distance(&s->shape[0], &s->pose[0], &s->shape[1], &s->pose[1], toward);
        for (int c = 0; c < 3; c++)
            speed += plane ? (real)away[c] * away[c] : toward[c] * away[c], length += plane ? 0 : toward[c] * toward[c];
        speed /= plane ? 1 : sqrtl(length);
        if (far <= wanted * 1.0001)
            return far >= wanted * 0.999;
        if (speed < 0.05)
            return false;
        add3(s->pose[1].r, -(double)((far - wanted) / speed), away, s->pose[1].r);
    }
    return false;
}

enum { PAIRS = 100 };
static near_pair pairs[PAIRS];
static carom_touch found[TOUCHES];
static long touches;

static void find_loop(void *user, int n)
{
    (void)user;
    for (int i = 0; i < n; i++) {
        const near_pair *p = &pairs[i % PAIRS];
        carom_error error;
        int many;
        need(carom_pair_find((carom_posed){&p->shape[0], &p->pose[0], 0}, (carom_posed){&p->shape[1], &p->pose[1], 1},
                             0.01, found, TOUCHES, &many, &error),
             &error);
        touches += many;
    }
}

static void bench_pairs(void)
{
    printf("\npairs at a distance of 0.001, reach 0.01: ns to find the contacts, contacts\n");
    for (int i = 0; i < PAIR_KINDS; i++) {
        dice d = {(uint64_t)i + 1};
        carom_arena *arena = carom_arena_new(0);
        for (int j = 0; j < PAIRS; j++)
            while (!approach(&d, arena, &pair_kinds[i], 1e-3, &pairs[j]))
                ;
        double ns;
        void *user = NULL;
        touches = 0;
        bench_compare(1, (bench_loop *const[]){find_loop}, &user, PAIRS, 50, &ns);
        printf("%s %-20s %8.0f %8.2f\n", pair_kinds[i].planar ? "planar " : "spatial", pair_kinds[i].name, ns,
               (double)touches / (50.0 * PAIRS));
        carom_arena_free(arena);
    }
}

/* ---- boxes ---- */
static void bench_broad(void)
{
    printf("\nboxes: a cloud with about three neighbours each; ns a box\n");
    carom_broad *broad = carom_broad_new();
    for (int n = 100; n <= 100000; n *= 10) {
        double *box = malloc(sizeof(double) * 6 * (size_t)n), side = cbrt(n), best = INFINITY;
        dice d = {3};
        int npairs = 0;
        for (int i = 0; i < n; i++)
            for (int c = 0; c < 3; c++)
                box[6 * i + c] = roll(&d, 0, side), box[6 * i + 3 + c] = box[6 * i + c] + 0.9;
        for (int r = 0; r < 20; r++) {
            const carom_pair *pair;
            carom_error error;
            double start = bench_now();
            need(carom_broad_find(broad, n, box, &pair, &npairs, &error), &error);
            best = fmin(best, bench_now() - start);
        }
        printf("%7d boxes %8d pairs %10.0f ns\n", n, npairs, best / n * 1e9);
        free(box);
    }
    carom_broad_free(broad);
}

/* ---- study ---- */
typedef struct errors {
    double distance, value, slope; /* the largest of: gap against distance, kernel against gap, G against differences */
    long tested, wrong, ill;       /* ill: poses where differences with two steps do not agree with each other */
} errors;

static void gap_family(void *user, double s, double *f)
{
    probe *p = user;
    double step[12] = {0};
    quantities q;
    step[p->along] = 1;
    carom_pose pose[2] = {moved(&p->pose[0], p->planar, step, s),
                          moved(&p->pose[1], p->planar, step + (p->planar ? 3 : 6), s)};
    probe_eval(p, pose, CAROM_TOUCH_BASIC, &q);
    f[0] = q.g[0];
}

/* What the gap of a corner is by its definition: the least over the corners of one polygon of the largest height over
 * the sides of the other. It is their distance but where two corners are nearest: there it is less. */
static real over_sides(const near_pair *s, int from)
{
    const carom_shape *a = &s->shape[from], *b = &s->shape[1 - from];
    const carom_pose *A = &s->pose[from], *B = &s->pose[1 - from];
    real least_height = INFINITY;
    for (int v = 0; v < a->nvertex; v++) {
        real most = -INFINITY, x[3] = {0, 0, 0}, y[3] = {0, 0, 0};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                x[i] += (real)A->R[3 * i + j] * a->vertex[3 * v + j];
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                y[j] += B->R[3 * i + j] * (A->r[i] + x[i] - B->r[i]);
        for (int f = 0; f < b->nface; f++) {
            const double *n = b->face[f].normal;
            most = fmaxl(most, n[0] * y[0] + n[1] * y[1] + n[2] * y[2] - b->face[f].offset);
        }
        least_height = fminl(least_height, most);
    }
    return least_height;
}

/* Two corners of polygons are nearest: the gap is the height of one of them over the sides of the other. */
static bool corner_to_corner(const near_pair *s, double gap)
{
    for (int i = 0; i < 2; i++)
        if (!s->shape[i].planar || s->shape[i].radius > 0 || s->shape[i].nvertex < 3 || s->shape[i].nface < 3)
            return false;
    return fabsl(over_sides(s, 0) - gap) < 1e-12L || fabsl(over_sides(s, 1) - gap) < 1e-12L;
}

/* One touch of the pair: its value, and its derivative along one displacement. */
static void study_touch(probe *p, const near_pair *s, const carom_touch *t, errors *e)
{
    double coarse, fine;
    p->touch = *t;
    for (int b = 0; b < 2; b++)
        p->pose[b] = s->pose[t->body[b]], p->touch.body[b] = b;
    probe_eval(p, p->pose, CAROM_TOUCH_BASIC, &p->out);
    difference(gap_family, p, 1, 4e-4, &coarse);
    difference(gap_family, p, 1, 1e-4, &fine);
    double off_by = fmin(fabs(p->out.G[p->along] - coarse), fabs(p->out.G[p->along] - fine));
    e->value = fmax(e->value, fabs(p->out.g[0] - t->gap));
    e->tested++;
    if (!(fabs(coarse - fine) < 1e-9))
        e->ill++;
    else if (!(off_by < 1e-9))
        e->wrong++;
    else
        e->slope = fmax(e->slope, off_by);
}

static int find_touches(const near_pair *s, double reach)
{
    carom_error error;
    int n;
    need(carom_pair_find((carom_posed){&s->shape[0], &s->pose[0], 0}, (carom_posed){&s->shape[1], &s->pose[1], 1},
                         reach, found, TOUCHES, &n, &error),
         &error);
    return n;
}

static void study_kind(const pair_kind *kind, const carom_kernels *kernels, double *work, int poses)
{
    dice d = {(uint64_t)(kind - pair_kinds) + 1000};
    errors e = {0};
    probe p = {.kernels = kernels, .work = work, .planar = kind->planar};
    for (int j = 0; j < poses;) { /* a hundred poses around one where the shapes nearly touch */
        near_pair s;
        carom_arena *arena = carom_arena_new(0);
        double least_gap = INFINITY;
        if (approach(&d, arena, kind, 1e-5, &s)) {
            bool plane = s.shape[0].kind == CAROM_SHAPE_PLANE;
            double far = plane ? (double)height(&s.shape[0], &s.pose[0], &s.shape[1], &s.pose[1])
                               : (double)distance(&s.shape[0], &s.pose[0], &s.shape[1], &s.pose[1], NULL);
            int n = find_touches(&s, 1e-3);
            for (int t = 0; t < n; t++)
                least_gap = fmin(least_gap, found[t].gap);
            if (least_gap < far - 1e-9 && corner_to_corner(&s, least_gap))
                far = least_gap;
            if (fabs(least_gap - far) < 1e-9)
                e.distance = fmax(e.distance, fabs(least_gap - far));
            else
                e.wrong++;
            carom_pose start = s.pose[1];
            for (int around = 0; around < 100; around++, j++) {
                double step[6];
                for (int i = 0; i < 6; i++)
                    step[i] = roll(&d, -0.1, 0.1);
                s.pose[1] = moved(&start, kind->planar, step, 1);
                n = find_touches(&s, 0.2);
                p.along = j % (kind->planar ? 6 : 12);
                if (n > 0)
                    study_touch(&p, &s, &found[j % n], &e);
            }
        }
        carom_arena_free(arena);
    }
    printf("%s %-20s %8ld contacts, %ld wrong, %ld ill: %.0e %.0e %.0e\n", kind->planar ? "planar " : "spatial",
           kind->name, e.tested, e.wrong, e.ill, e.distance, e.value, e.slope);
    fflush(stdout);
}

/* Of all kinds, or of those of that name. */
static void study(int poses, const char *name)
{
    carom_error error;
    static const unsigned want = CAROM_TOUCH_BASIC;
    carom_kernels *kernels[2];
    unsigned planar_kernels = 1 << CAROM_POINT_POINT | 1 << CAROM_PLANE_POINT | 1 << CAROM_LINE_POINT;
    need(carom_kernels_new(&kernels[1], true, planar_kernels, &want, 1, &error), &error);
    need(carom_kernels_new(&kernels[0], false, (1 << CAROM_KERNELS) - 1, &want, 1, &error), &error);
    double *work = malloc(sizeof(double) * carom_kernels_work(kernels[0]));
    printf("gap against distance, kernel against gap, slope against differences; %d poses of each kind\n", poses);
    for (int i = 0; i < PAIR_KINDS; i++)
        if (!name || strcmp(name, pair_kinds[i].name) == 0)
            study_kind(&pair_kinds[i], kernels[pair_kinds[i].planar], work, poses);
    free(work);
    carom_kernels_free(kernels[0]), carom_kernels_free(kernels[1]);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "study") == 0) {
        study(argc > 2 ? atoi(argv[2]) : 1000000, argc > 3 ? argv[3] : NULL);
        return 0;
    }
    bench_kernels();
    bench_pairs();
    bench_broad();
    return 0;
}
