/* round.c: touches of cylinders, ellipsoids and rings, whose sides and edges are curved.
 *
 * A cylinder is a mantle (its axis, an edge with a radius), two caps and two rims. A rim touches
 *   a face        with its lowest point; near flat also with two points of the body, 120 degrees to either side of the
 *                 lowest one when found; flat to 1e-9, all three are points of the body            (plane, circle)  (1)
 *   an edge       where the difference of the feet is perpendicular to both                         (line, circle)  (2)
 *   another rim   likewise                                                                        (circle, circle)  (3)
 * and only where the normal lies between that of the cap and that of the mantle. (2) and (3) have several solutions,
 * looked for along the rim. A ring's outer arc touches faces, axes and arcs like a disc, where its angles allow. */
#include "core/bracket.h"
#include "geometry/find.h"

enum { SAMPLES = 16 }; /* along a rim, to begin with */
static const double flat = 1e-9;
static const double third = 2.0943951023931953; /* 120 degrees */

/* What a motion of reach may bring on where touches are wanted that begin within it: as a length. */
static double ahead(const carom_finder *f)
{
    return f->exact ? 2 * f->reach : 0;
}

/* ---- ellipsoids ---- */
void carom_feature_ellipsoid(double *feature, const carom_shape *s)
{
    copy3(s->place.r, feature);
    for (int i = 0; i < 3; i++) {
        feature[3 + i] = s->place.R[3 * i], feature[6 + i] = s->place.R[3 * i + 1];
        feature[9 + i] = s->size[i];
    }
}

carom_closest carom_ellipsoid_closest(const carom_shape *s, const double *x)
{
    static const carom_pose none[2] = {{.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}}, {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}}};
    carom_touch t = {.body = {0, 1}, .kernel = CAROM_ELLIPSOID_POINT};
    carom_closest c = {.part = CAROM_PART(CAROM_WHOLE, 0)};
    double local[3], slope[3], foot[3], z = 0, d[3];
    carom_feature_ellipsoid(t.a, s);
    copy3(x, t.b);
    carom_touch_unknowns(&t, none, &z);
    place_back3(&s->place, x, local);
    for (int i = 0; i < 3; i++) {
        slope[i] = local[i] / (s->size[i] * s->size[i] + z);
        foot[i] = s->size[i] * s->size[i] * slope[i];
    }
    if (unit3(slope) == 0)
        slope[2] = 1;
    turn3(s->place.R, slope, c.normal);
    place3(&s->place, foot, c.foot);
    sub3(x, c.foot, d);
    c.distance = dot3(d, c.normal);
    return c;
}

static carom_status find_ellipsoid(carom_finder *f, int host, carom_error *error) /* the guest is the ellipsoid */
{
    const carom_shape *s = f->at[!host].shape, *other = f->at[host].shape;
    if (other->kind == CAROM_SHAPE_BALL || other->kind == CAROM_SHAPE_POINT) {
        carom_find_vertices(f, !host);
        return CAROM_OK;
    }
    if (other->kind != CAROM_SHAPE_PLANE)
        CAROM_FAIL(error, CAROM_UNSUPPORTED, "bodies %d and %d: an ellipsoid touches planes, balls and points only",
                   f->at[0].body, f->at[1].body);
    double n[3], local[3], low[3], x[3], height = 0;
    carom_closest c;
    carom_find_turn(f, host, other->face->normal, n);
    turn_back3(s->place.R, n, local);
    for (int i = 0; i < 3; i++)
        low[i] = -s->size[i] * s->size[i] * local[i], height -= low[i] * local[i];
    for (int i = 0; i < 3; i++)
        low[i] /= sqrt(height);
    place3(&s->place, low, x);
    place3(f->at[!host].pose, x, x);
    place_back3(f->at[host].pose, x, x);
    if (carom_side_distance(other, 0, x, &c) > f->reach)
        return CAROM_OK;
    carom_touch *t = carom_find_emit(f, host, CAROM_PLANE_ELLIPSOID, CAROM_PART(CAROM_WHOLE, 0),
                                     CAROM_PART(CAROM_WHOLE, 0), c.normal, c.foot, c.distance);
    carom_feature_plane(t->a, other->face);
    carom_feature_ellipsoid(t->b, s);
    return CAROM_OK;
}

/* ---- rims ---- */
void carom_feature_rim(double *feature, const carom_shape *s, int rim)
{
    copy3(s->vertex + 3 * rim, feature);
    copy3(s->edge->direction, feature + 3);
    for (int i = 0; i < 3; i++)
        feature[6 + i] = s->place.R[3 * i];
    feature[9] = s->size[1];
}

typedef struct circle { /* a rim in the host's axes */
    double centre[3], axis[3], f[3], h[3], radius, up; /* up: 1 or -1, outward along the axis */
} circle;

static circle rim_of(const carom_finder *f, int guest, int rim, bool at_home)
{
    const carom_shape *s = f->at[guest].shape;
    double home[CAROM_FEATURE_SIZE];
    circle c = {.radius = s->size[1], .up = rim ? 1 : -1};
    carom_feature_rim(home, s, rim);
    if (at_home) {
        copy3(home, c.centre), copy3(home + 3, c.axis), copy3(home + 6, c.f);
    } else {
        copy3(f->there[guest] + 3 * rim, c.centre);
        carom_find_turn(f, guest, home + 3, c.axis);
        carom_find_turn(f, guest, home + 6, c.f);
    }
    cross3(c.axis, c.f, c.h);
    return c;
}

typedef struct spot { /* of a circle at an angle */
    double point[3], radial[3], tangent[3];
} spot;

static spot spot_at(const circle *c, double angle)
{
    spot s;
    double cosine = cos(angle), sine = sin(angle);
    for (int i = 0; i < 3; i++) {
        s.radial[i] = cosine * c->f[i] + sine * c->h[i];
        s.tangent[i] = cosine * c->h[i] - sine * c->f[i];
        s.point[i] = c->centre[i] + c->radius * s.radial[i];
    }
    return s;
}

static double angle_of(const circle *c, const double *x) /* of the point of the circle that is nearest to x */
{
    double d[3];
    sub3(x, c->centre, d);
    return atan2(dot3(d, c->h), dot3(d, c->f));
}

/* The rim at a spot as an edge between the mantle and the cap. */
static carom_edge rim_edge(const circle *c, const spot *s, double length)
{
    carom_edge e = {.face = {0, 0}, .width = {length, 2 * c->radius}};
    for (int i = 0; i < 3; i++)
        e.inward[0][i] = -c->up * c->axis[i], e.inward[1][i] = -s->radial[i];
    return e;
}

carom_closest carom_rim_closest(const carom_shape *s, const double *x)
{
    double d[3], radial[3];
    sub3(x, s->place.r, d);
    int rim = dot3(d, s->edge->direction) > 0;
    carom_closest c = {.part = CAROM_PART(CAROM_RIM, rim)};
    add3(d, -dot3(d, s->edge->direction), s->edge->direction, radial);
    if (unit3(radial) == 0)
        across3(s->edge->direction, radial);
    add3(s->vertex + 3 * rim, s->size[1], radial, c.foot);
    sub3(x, c.foot, c.normal);
    c.distance = unit3(c.normal);
    if (c.distance == 0)
        copy3(radial, c.normal);
    return c;
}

/* The point of a rim that is lowest above a face, false: any, as it lies flat. */
static bool lowest_on(const circle *c, const double *normal, double *lowest)
{
    double down[3];
    for (int i = 0; i < 3; i++)
        down[i] = dot3(normal, c->axis) * c->axis[i] - normal[i];
    bool tilted = unit3(down) > flat;
    add3(c->centre, c->radius, down, lowest);
    return tilted;
}

static bool other_rim_is_lower(const carom_finder *f, const circle *c, const double *normal)
{
    return dot3(normal, c->axis) * c->up > CAROM_MIN(f->reach / c->radius, 0.3);
}

/* The face that a rim is farthest in front of. */
static int highest_face(const carom_shape *s, const circle *c)
{
    double most = -INFINITY, lowest[3];
    int best = 0;
    for (int side = 0; side < s->nface; side++) {
        carom_closest at;
        lowest_on(c, s->face[side].normal, lowest);
        if (carom_side_distance(s, side, lowest, &at) > most)
            most = at.distance, best = side;
    }
    return best;
}

/* (1): a rim of the guest against a face of the host */
static void rim_on_face(carom_finder *f, int host, int rim, int side)
{
    const carom_shape *s = f->at[host].shape, *guest = f->at[!host].shape;
    circle c = rim_of(f, !host, rim, false), home = rim_of(f, !host, rim, true);
    double edge = flat * f->size, lowest[3]; /* what lies on a border lies inside */
    carom_closest at;
    bool tilted = lowest_on(&c, s->face[side].normal, lowest);
    double angle = tilted ? angle_of(&c, lowest) : 0;
    for (int k = 0; k < 3; k++) { /* the lowest point, and a third of the rim to either side */
        double turned = angle + (k == 0 ? 0 : k == 1 ? third : -third);
        spot here = spot_at(&c, turned), in_body = spot_at(&home, turned);
        if (carom_side_distance(s, side, here.point, &at) > f->reach ||
            carom_side_inside(s, side, here.point) < -edge - ahead(f) ||
            (!f->exact && carom_highest_side(s, here.point).distance > at.distance + edge))
            continue;
        if (k == 0 && tilted) {
            carom_touch *t = carom_find_emit(f, host, CAROM_PLANE_CIRCLE, CAROM_PART(CAROM_WHOLE, 0),
                                             CAROM_PART(CAROM_RIM, 3 * rim), at.normal, at.foot, at.distance);
            t->branch = at.part;
            carom_feature_plane(t->a, &s->face[side]);
            carom_feature_rim(t->b, guest, rim);
        } else {
            carom_find_point(f, host, &at, CAROM_PART(CAROM_RIM, 3 * rim + k), in_body.point, 0);
        }
    }
}

/* What is there within reach, or, where the end of a touch is to be known, one face for each. */
static void rim_faces(carom_finder *f, int host, int rim)
{
    const carom_shape *s = f->at[host].shape;
    circle c = rim_of(f, !host, rim, false);
    int only = f->exact ? highest_face(s, &c) : -1;
    for (int side = 0; side < s->nface; side++)
        if ((!f->exact || side == only) && !other_rim_is_lower(f, &c, s->face[side].normal))
            rim_on_face(f, host, rim, side);
}

/* Roots of a function of the angle: intervals without a change of sign are halved as long as the slope allows roots
 * inside, the others until there is most likely but one. */
typedef struct search {
    double (*F)(const void *, double);
    void (*root)(carom_finder *, const void *, double);
    carom_finder *f;
    const void *user;
    double slope;     /* the largest, about */
    const bool *near; /* [SAMPLES]: which parts of the rim are worth it */
} search;

static double bracketed(const search *s, double low, double F_low, double high, double F_high)
{
    carom_bracket b = {.low = low, .high = high, .f_low = F_low, .f_high = F_high};
    double x = low;
    while (b.k < 60 && b.high - b.low > 1e-15 * (1 + fabs(b.low))) {
        x = carom_bracket_next(&b, low);
        double F = s->F(s->user, x);
        if (F == 0)
            return x;
        carom_bracket_put(&b, x, F, (F < 0) != (F_low < 0));
    }
    return x;
}

static void between(const search *s, double low, double F_low, double high, double F_high, int depth)
{
    bool change = (F_low < 0) != (F_high < 0);
    if (!change && (depth >= 8 || fabs(F_low) + fabs(F_high) > s->slope * (high - low)))
        return;
    if (change && depth >= 4) {
        s->root(s->f, s->user, bracketed(s, low, F_low, high, F_high));
        return;
    }
    double middle = (low + high) / 2, F_middle = s->F(s->user, middle);
    between(s, low, F_low, middle, F_middle, depth + 1);
    between(s, middle, F_middle, high, F_high, depth + 1);
}

static void around(const search *s)
{
    double step = 3 * third / SAMPLES;
    for (int k = 0; k < SAMPLES; k++)
        if (s->near[k]) /* the end of the last is the beginning of the first, to the last bit: no root is lost */
            between(s, k * step, s->F(s->user, k * step), (k + 1) * step,
                    s->F(s->user, (k + 1) % SAMPLES * step), 0);
}

/* Which parts of a rim, in the axes of shape k, come near that shape? Distances change no faster than places. */
static bool near_parts(const carom_finder *f, int k, const circle *c, bool *near)
{
    const carom_shape *s = f->at[k].shape;
    double step = 3 * third / SAMPLES, reach = f->reach + c->radius * step / 2;
    bool any = false;
    for (int i = 0; i < SAMPLES; i++) {
        spot middle = spot_at(c, (i + 0.5) * step);
        double far = s->nface ? carom_highest_side(s, middle.point).distance
                              : carom_shape_closest(s, middle.point).distance;
        near[i] = far <= reach;
        any = any || near[i];
    }
    return any;
}

/* (2): a rim of the guest against an edge of the host */
typedef struct line_task {
    circle c;
    int host, rim, edge;
    const double *p, *a; /* a point of the edge and its direction */
} line_task;
static double line_function(const void *user, double angle)
{
    const line_task *k = user;
    spot s = spot_at(&k->c, angle);
    double x[3];
    sub3(s.point, k->p, x);
    add3(x, -dot3(x, k->a), k->a, x);
    return dot3(x, s.tangent);
}

static void line_candidate(carom_finder *f, const void *user, double angle)
{
    const line_task *task = user;
    const circle *c = &task->c;
    int host = task->host, i = task->edge, rim = task->rim;
    const carom_shape *s = f->at[host].shape, *guest = f->at[!host].shape;
    const carom_edge *e = &s->edge[i];
    const double *p = s->vertex + 3 * e->vertex[0];
    double n[3], back[3], x[3], foot[3], sign = 1;
    spot here = spot_at(c, angle);
    carom_edge edge = rim_edge(c, &here, guest->edge->length);
    cross3(e->direction, here.tangent, n);
    sub3(here.point, p, x);
    double along = dot3(x, e->direction), beyond = ahead(f);
    beyond += e->face[0] < 0 ? flat * f->size : 0; /* flush ends touch */
    if (unit3(n) <= CAROM_PARALLEL || !(along > -beyond && along < e->length + beyond))
        return;
    if (carom_edge_outward(e, n) - carom_edge_outward(&edge, n) < 0)
        sign = -1;
    for (int k = 0; k < 3; k++)
        n[k] *= sign, back[k] = -n[k];
    double gap = dot3(n, x) - s->radius;
    if (gap > f->reach || !carom_edge_fits(f, e, n, gap) || !carom_edge_fits(f, &edge, back, gap) ||
        (e->face[0] < 0 && -gap > s->radius))
        return;
    add3(p, along, e->direction, foot), add3(foot, s->radius, n, foot);
    carom_find_there(f, host, foot, x);
    if (!carom_foot_fits(f, host, e, here.point, gap) || !carom_foot_fits(f, !host, &edge, x, gap))
        return;
    carom_touch *t = carom_find_emit(f, host, CAROM_LINE_CIRCLE, CAROM_PART(CAROM_EDGE, i),
                                     CAROM_PART(CAROM_RIM, rim), n, foot, gap);
    t->sign = sign;
    t->z[0] = angle;
    carom_feature_line(t->a, p, e->direction, s->radius);
    carom_feature_rim(t->b, guest, rim);
}

static void rim_edges(carom_finder *f, int host, int rim)
{
    const carom_shape *s = f->at[host].shape;
    line_task task = {.c = rim_of(f, !host, rim, false), .host = host, .rim = rim};
    bool near[SAMPLES];
    if (s->nedge == 0 || !near_parts(f, host, &task.c, near))
        return;
    for (task.edge = 0; task.edge < s->nedge; task.edge++) {
        const carom_edge *e = &s->edge[task.edge];
        double x[3], along;
        task.p = s->vertex + 3 * e->vertex[0], task.a = e->direction;
        sub3(task.c.centre, task.p, x);
        along = dot3(x, e->direction);
        along = CAROM_MAX(0, CAROM_MIN(e->length, along));
        add3(x, -along, e->direction, x);
        double far = norm3(x);
        if (far <= task.c.radius + s->radius + f->reach)
            around(&(search){line_function, line_candidate, f, &task, 2 * task.c.radius + far, near});
    }
}

/* (3): two rims, of shape 0 and shape 1, in the axes of shape 0 */
typedef struct rim_task {
    circle a, b;
    int rim[2];
} rim_task;
static double rim_function(const void *user, double angle)
{
    const rim_task *k = user;
    spot a = spot_at(&k->a, angle), b = spot_at(&k->b, angle_of(&k->b, a.point));
    double x[3];
    sub3(b.point, a.point, x);
    return dot3(x, a.tangent);
}

static void rim_candidate(carom_finder *f, const void *user, double angle)
{
    const rim_task *task = user;
    const int *rim = task->rim;
    spot a = spot_at(&task->a, angle);
    double other = angle_of(&task->b, a.point), n[3], x[3], back[3], sign = 1;
    spot b = spot_at(&task->b, other);
    carom_edge ea = rim_edge(&task->a, &a, f->at[0].shape->edge->length);
    carom_edge eb = rim_edge(&task->b, &b, f->at[1].shape->edge->length);
    cross3(a.tangent, b.tangent, n);
    sub3(b.point, a.point, x);
    if (unit3(n) <= CAROM_PARALLEL)
        return;
    if (carom_edge_outward(&ea, n) - carom_edge_outward(&eb, n) < 0)
        sign = -1;
    for (int k = 0; k < 3; k++)
        n[k] *= sign, back[k] = -n[k];
    double gap = dot3(n, x);
    carom_find_there(f, 0, a.point, x);
    if (gap > f->reach || !carom_edge_fits(f, &ea, n, gap) || !carom_edge_fits(f, &eb, back, gap) ||
        !carom_foot_fits(f, 0, &ea, b.point, gap) || !carom_foot_fits(f, 1, &eb, x, gap))
        return;
    carom_touch *t = carom_find_emit(f, 0, CAROM_CIRCLE_CIRCLE, CAROM_PART(CAROM_RIM, rim[0]),
                                     CAROM_PART(CAROM_RIM, rim[1]), n, a.point, gap);
    t->sign = sign;
    t->z[0] = angle, t->z[1] = other;
    carom_feature_rim(t->a, f->at[0].shape, rim[0]);
    carom_feature_rim(t->b, f->at[1].shape, rim[1]);
}

static void rim_rims(carom_finder *f, int i, int j)
{
    rim_task task = {.a = rim_of(f, 0, i, true), .b = rim_of(f, 1, j, false), .rim = {i, j}};
    bool near[SAMPLES];
    double x[3], far;
    circle there = rim_of(f, 0, i, false);
    sub3(task.a.centre, task.b.centre, x);
    far = norm3(x);
    if (far <= task.a.radius + task.b.radius + f->reach && near_parts(f, 1, &there, near))
        around(&(search){rim_function, rim_candidate, f, &task, 2 * (task.a.radius + task.b.radius) + far, near});
}

static void find_cylinder(carom_finder *f)
{
    bool round[2] = {f->at[0].shape->kind == CAROM_SHAPE_CYLINDER, f->at[1].shape->kind == CAROM_SHAPE_CYLINDER};
    for (int host = 0; host < 2; host++) {
        if (round[host] && !round[!host])
            carom_find_vertices(f, host);
        for (int rim = 0; rim < 2 && round[!host]; rim++) {
            rim_faces(f, host, rim);
            rim_edges(f, host, rim);
        }
    }
    carom_find_edges(f);
    for (int k = 0; k < 4 && round[0] && round[1]; k++)
        rim_rims(f, k & 1, k >> 1);
}

/* ---- how far rims touch inside of their features: for carom_touch_inside ---- */
static circle rim_in_space(const double *feature, uint32_t part, const carom_pose *pose)
{
    circle c = {.radius = feature[9], .up = CAROM_NUMBER(part) ? 1 : -1};
    place3(pose, feature, c.centre);
    turn3(pose->R, feature + 3, c.axis);
    turn3(pose->R, feature + 6, c.f);
    cross3(c.axis, c.f, c.h);
    return c;
}

/* Of an outward normal between those of the cap and of the mantle; sign: of the normal. */
static double rim_arc(const circle *c, const spot *at, double length, const double *normal, double sign)
{
    return CAROM_MIN(sign * c->up * dot3(normal, c->axis) * length, sign * dot3(normal, at->radial) * 2 * c->radius);
}

/* Two touches of a rim with an edge become one, and none, where the two are parallel. */
static double before_parallel(double radius, double sine)
{
    return radius * (sine * sine - 1e-10);
}

static double line_circle_inside(const carom_touch *t, const carom_shape *a, const carom_shape *b,
                                 const carom_pose *pa, const circle *c, double angle)
{
    const carom_edge *e = &a->edge[CAROM_NUMBER(t->feature[0])];
    spot at = spot_at(c, angle);
    double p[3], direction[3], n[3], x[3], inward[3];
    place3(pa, t->a, p), turn3(pa->R, t->a + 3, direction);
    cross3(direction, at.tangent, n);
    sub3(at.point, p, x);
    double along = dot3(x, direction), margin = CAROM_MIN(along, e->length - along);
    margin = CAROM_MIN(margin, before_parallel(c->radius, unit3(n)));
    for (int k = 0; k < 2 && e->face[k] >= 0; k++) {
        turn3(pa->R, e->inward[k], inward);
        margin = CAROM_MIN(margin, -t->sign * dot3(n, inward) * e->width[k]);
    }
    return CAROM_MIN(margin, rim_arc(c, &at, b->edge->length, n, -t->sign));
}

double carom_rim_inside(const carom_touch *t, const carom_shape *a, const carom_shape *b, const carom_pose *pa,
                        const carom_pose *pb)
{
    const carom_pose pose[2] = {*pa, *pb};
    carom_touch here = *t;
    double n[3], x[3], z[CAROM_UNKNOWNS] = {t->z[0], t->z[1]};
    circle c = rim_in_space(t->b, t->feature[1], pb);
    here.body[0] = 0, here.body[1] = 1;
    if (!carom_touch_unknowns(&here, pose, z)) /* nowhere, and a length as others are */
        return -(a->extent + b->extent);
    if (t->kernel == CAROM_LINE_CIRCLE)
        return line_circle_inside(t, a, b, pa, &c, z[0]);
    if (t->kernel == CAROM_CIRCLE_CIRCLE) {
        circle other = rim_in_space(t->a, t->feature[0], pa);
        spot at = spot_at(&c, z[1]), there = spot_at(&other, z[0]);
        cross3(there.tangent, at.tangent, n);
        double margin = before_parallel(CAROM_MIN(c.radius, other.radius), unit3(n));
        margin = CAROM_MIN(margin, rim_arc(&other, &there, a->edge->length, n, t->sign));
        return CAROM_MIN(margin, rim_arc(&c, &at, b->edge->length, n, -t->sign));
    }
    turn3(pa->R, a->face[CAROM_NUMBER(t->branch)].normal, n); /* the lowest point on a face */
    for (int i = 0; i < 3; i++)
        x[i] = dot3(n, c.axis) * c.axis[i] - n[i];
    unit3(x);
    add3(c.centre, c.radius, x, x);
    place_back3(pa, x, x);
    return carom_side_inside(a, CAROM_NUMBER(t->branch), x);
}

/* ---- rings ---- */
static double past_sector(const carom_finder *f, int ring, const double *direction) /* in the other's axes; a length */
{
    const carom_shape *s = f->at[ring].shape;
    double d[3];
    carom_find_turn(f, !ring, direction, d);
    return s->size[1] * CAROM_MAX(dot3(s->face[0].normal, d), dot3(s->face[2].normal, d));
}

/* How far the arc's ends, or those of a side, may be away where touches are wanted that begin within reach. */
static double most_past(const carom_finder *f, int ring)
{
    return CAROM_MIN(ahead(f), 0.3 * f->at[ring].shape->size[1]);
}

/* The outer arc of the guest against the host: its faces, its axis, its arcs. Where an arc is about to take over from a
 * corner, by the length x, its circle is x^2/(2 radius) deep: of those the nearest. */
static void find_arc(carom_finder *f, int host)
{
    const carom_shape *s = f->at[host].shape, *ring = f->at[!host].shape;
    double centre[3], radius = ring->size[1], down[3], lowest[3], d[3], least = most_past(f, !host);
    carom_closest c, next;
    bool any = false, soon = false;
    carom_find_there(f, !host, ring->place.r, centre);
    for (int i = 0; i < s->nface; i++) {
        bool arc = s->kind == CAROM_SHAPE_RING && i % 2;
        if (arc && ((i == 1 && f->at[host].body > f->at[!host].body) || (i == 3 && radius > s->size[0])))
            continue; /* two outer arcs once; a hole too small for the arc */
        double gap = carom_side_distance(s, i, centre, &c) - radius;
        for (int k = 0; k < 3; k++)
            down[k] = -c.normal[k];
        add3(centre, radius, down, lowest);
        double past = CAROM_MAX(past_sector(f, !host, down), -carom_side_inside(s, i, c.foot));
        if (gap > f->reach || past > least)
            continue;
        if (past <= 0 && carom_highest_side(s, lowest).part == c.part) {
            carom_find_point(f, host, &c, CAROM_PART(CAROM_ARC, 1), ring->place.r, radius);
            any = true;
        } else if (f->exact && gap >= -CAROM_MAX(past, 0) * past / radius - flat * f->size) {
            next = c, least = past, soon = true;
        }
    }
    if (soon && !any)
        carom_find_point(f, host, &next, CAROM_PART(CAROM_ARC, 1), ring->place.r, radius);
    if (s->kind != CAROM_SHAPE_CAPSULE)
        return;
    sub3(centre, s->vertex, d);
    double along = dot3(d, s->edge->direction);
    c = carom_shape_closest(s, centre);
    for (int k = 0; k < 3; k++)
        down[k] = -c.normal[k];
    bool in_hole = c.distance < ring->size[0]; /* deeper than the ring is thick */
    if (along > 0 && along < s->edge->length && c.distance - radius <= f->reach && !in_hole &&
        past_sector(f, !host, down) <= most_past(f, !host))
        carom_find_point(f, host, &c, CAROM_PART(CAROM_ARC, 1), ring->place.r, radius);
}

carom_status carom_find_round(carom_finder *f, carom_error *error)
{
    for (int host = 0; host < 2; host++)
        if (f->at[!host].shape->kind == CAROM_SHAPE_ELLIPSOID)
            return find_ellipsoid(f, host, error);
    if (!f->at[0].shape->planar) {
        find_cylinder(f);
        return CAROM_OK;
    }
    for (int host = 0; host < 2; host++) {
        carom_find_vertices(f, host);
        if (f->at[!host].shape->kind == CAROM_SHAPE_RING)
            find_arc(f, host);
    }
    return CAROM_OK;
}
