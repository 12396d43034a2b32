/* scene.c: shapes of bodies -> meshes and where they stand. Shapes of one kind share a mesh of size 1 where scaling can
 * make one from the other; capsules and polyhedra of the same form share theirs. */
#include <math.h>
#include <string.h>

#include "bodies/bodies.h"
#include "geometry/vector.h"
#include "output/draw/scene.h"

enum { AROUND = 24, RINGS = 12, SOLIDS_MOST = 200000 }; /* AROUND is a multiple of 4 */
static const double PI = 3.14159265358979323846;

/* ---- meshes ---- */
static bool room(carom_scene *s, carom_mesh *m, int vertices, int triangles)
{
    *m = (carom_mesh){.vertex = CAROM_NEW(s->arena, double, 3 * vertices),
                      .normal = CAROM_NEW(s->arena, double, 3 * vertices),
                      .index = CAROM_NEW(s->arena, unsigned char, 6 * triangles)};
    return m->vertex && m->normal && m->index;
}

static int put_vertex(carom_mesh *m, const double *x, const double *n)
{
    memcpy(m->vertex + 3 * m->nvertex, x, 3 * sizeof *x);
    memcpy(m->normal + 3 * m->nvertex, n, 3 * sizeof *n);
    return m->nvertex++;
}

static void put_triangle(carom_mesh *m, int a, int b, int c)
{
    const int corner[3] = {a, b, c};
    unsigned char *to = m->index + 6 * m->ntriangle++;
    for (int i = 0; i < 3; i++)
        to[2 * i] = (unsigned char)corner[i], to[2 * i + 1] = (unsigned char)(corner[i] >> 8);
}

/* A flat convex face with its corners in order. */
static void put_face(carom_mesh *m, const double (*corner)[3], int n, const double *normal)
{
    int first = m->nvertex;
    for (int i = 0; i < n; i++)
        put_vertex(m, corner[i], normal);
    for (int i = 1; i + 1 < n; i++)
        put_triangle(m, first, first + i, first + i + 1);
}

/* A ball of the radius r whose halves are drawn apart by length along x: length 0 is a ball, else a capsule. */
static bool round_mesh(carom_scene *s, carom_mesh *m, double r, double length)
{
    if (!room(s, m, (RINGS + 2) * (AROUND + 1), 2 * (RINGS + 1) * AROUND))
        return false;
    for (int i = 0; i <= RINGS + 1; i++) /* the ring around the middle is there twice */
        for (int k = 0; k <= AROUND; k++) {
            int ring = i - (i > RINGS / 2);
            double a = PI * ring / RINGS, b = 2 * PI * k / AROUND;
            const double n[3] = {-cos(a), sin(a) * cos(b), sin(a) * sin(b)};
            const double x[3] = {r * n[0] + (i > RINGS / 2 ? 0.5 : -0.5) * length, r * n[1], r * n[2]};
            put_vertex(m, x, n);
        }
    for (int i = 0; i <= RINGS; i++)
        for (int k = 0; k < AROUND && !(length == 0 && i == RINGS / 2); k++) {
            int a = i * (AROUND + 1) + k, b = a + AROUND + 1;
            put_triangle(m, a, b + 1, b);
            put_triangle(m, a, a + 1, b + 1);
        }
    return true;
}

static bool box_mesh(carom_scene *s, carom_mesh *m)
{
    if (!room(s, m, 24, 12))
        return false;
    for (int axis = 0; axis < 3; axis++)
        for (int side = -1; side <= 1; side += 2) {
            double corner[4][3], normal[3] = {0};
            int u = (axis + 1) % 3, v = (axis + 2) % 3;
            normal[axis] = side;
            for (int i = 0; i < 4; i++) {
                int k = side > 0 ? i : 3 - i;
                corner[i][axis] = 0.5 * side;
                corner[i][u] = k == 1 || k == 2 ? 0.5 : -0.5;
                corner[i][v] = k >= 2 ? 0.5 : -0.5;
            }
            put_face(m, (const double(*)[3])corner, 4, normal);
        }
    return true;
}

static bool cylinder_mesh(carom_scene *s, carom_mesh *m)
{
    if (!room(s, m, 6 * AROUND, 4 * AROUND))
        return false;
    double end[2][AROUND][3];
    for (int k = 0; k < AROUND; k++) {
        double a = 2 * PI * k / AROUND, b = 2 * PI * (k + 1) / AROUND;
        const double n[2][3] = {{cos(a), sin(a), 0}, {cos(b), sin(b), 0}};
        const double x[4][3] = {{n[0][0], n[0][1], -0.5}, {n[1][0], n[1][1], -0.5}, {n[1][0], n[1][1], 0.5},
                                {n[0][0], n[0][1], 0.5}};
        int first = m->nvertex;
        for (int i = 0; i < 4; i++)
            put_vertex(m, x[i], n[i == 1 || i == 2]);
        put_triangle(m, first, first + 1, first + 2);
        put_triangle(m, first, first + 2, first + 3);
        memcpy(end[1][k], x[3], sizeof end[1][k]);
        memcpy(end[0][AROUND - 1 - k], x[0], sizeof end[0][k]);
    }
    put_face(m, (const double(*)[3])end[0], AROUND, (const double[]){0, 0, -1});
    put_face(m, (const double(*)[3])end[1], AROUND, (const double[]){0, 0, 1});
    return true;
}

/* A shaft and a cone. */
static bool arrow_mesh(carom_scene *s, carom_mesh *m)
{
    static const double radius[4] = {0.35, 0.35, 1, 0}, z[4] = {0, 0.7, 0.7, 1};
    if (!room(s, m, 3 * 2 * AROUND, 3 * 2 * AROUND))
        return false;
    for (int part = 0; part < 3; part++)
        for (int k = 0; k < AROUND; k++) {
            int first = m->nvertex - 2 * k;
            double a = 2 * PI * k / AROUND, out = z[part + 1] - z[part], back = radius[part] - radius[part + 1];
            double length = hypot(out, back);
            const double n[3] = {out / length * cos(a), out / length * sin(a), back / length};
            for (int i = part; i < part + 2; i++)
                put_vertex(m, (const double[]){radius[i] * cos(a), radius[i] * sin(a), z[i]}, n);
            int b = 2 * ((k + 1) % AROUND);
            put_triangle(m, first + 2 * k, first + b, first + b + 1);
            put_triangle(m, first + 2 * k, first + b + 1, first + 2 * k + 1);
        }
    return true;
}

static bool plane_mesh(carom_scene *s, carom_mesh *m)
{
    static const double corner[4][3] = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}}, up[3] = {0, 0, 1};
    if (!room(s, m, 4, 2))
        return false;
    put_face(m, corner, 4, up);
    return true;
}

static bool polyhedron_mesh(carom_scene *s, carom_mesh *m, const carom_shape *shape)
{
    int corners = 0;
    for (int i = 0; i < shape->nface; i++)
        corners += shape->face[i].corners;
    if (!room(s, m, corners, corners))
        return false;
    for (int i = 0; i < shape->nface; i++) {
        const carom_face *face = &shape->face[i];
        double corner[CAROM_MOST_CORNERS][3];
        int n = CAROM_MIN(face->corners, CAROM_MOST_CORNERS);
        for (int k = 0; k < n; k++)
            memcpy(corner[k], shape->vertex + 3 * shape->corner[face->first + k], sizeof corner[k]);
        put_face(m, (const double(*)[3])corner, n, face->normal);
    }
    return true;
}

/* ---- solids ---- */
static bool same(const carom_mesh *a, const carom_mesh *b)
{
    return a->nvertex == b->nvertex && a->ntriangle == b->ntriangle &&
           memcmp(a->vertex, b->vertex, 3 * sizeof *a->vertex * (size_t)a->nvertex) == 0;
}

/* The number of a mesh of its own; the last one made is dropped if there is the same already. */
static int keep_mesh(carom_scene *s)
{
    const carom_mesh *last = &s->mesh[s->nmesh];
    for (int i = CAROM_MESH_OWN; i < s->nmesh; i++)
        if (same(&s->mesh[i], last))
            return i;
    return s->nmesh++;
}

/* A rotation that takes z to the unit vector n. */
static void turn_z(const double *n, double *R)
{
    const double axis[3] = {fabs(n[0]) < 0.6, fabs(n[0]) >= 0.6, 0};
    double a[3], b[3];
    cross3(axis, n, b);
    unit3(b);
    cross3(b, n, a);
    for (int i = 0; i < 3; i++)
        R[3 * i] = a[i], R[3 * i + 1] = b[i], R[3 * i + 2] = n[i];
}

static void multiply(const double *A, const double *B, double *C)
{
    for (int i = 0; i < 9; i++)
        C[i] = A[i / 3 * 3] * B[i % 3] + A[i / 3 * 3 + 1] * B[i % 3 + 3] + A[i / 3 * 3 + 2] * B[i % 3 + 6];
}

static carom_solid *add_solid(carom_scene *s, int mesh, int body, const carom_pose *place, double x, double y, double z)
{
    carom_solid *to = &s->solid[s->nsolid++];
    *to = (carom_solid){.mesh = mesh, .body = body, .scale = {x, y, z}};
    memcpy(to->r, place->r, sizeof to->r);
    memcpy(to->R, place->R, sizeof to->R);
    return to;
}

/* A plane with this normal, moved along it. */
static void add_plane(carom_scene *s, int body, const carom_pose *place, const double *normal, double away)
{
    double n[3], turn[9], out[3];
    copy3(normal, n);
    unit3(n);
    carom_solid *to = add_solid(s, CAROM_MESH_PLANE, body, place, s->size, s->size, 1);
    turn_z(n, turn);
    multiply(place->R, turn, to->R);
    turn3(place->R, n, out);
    add3(to->r, away, out, to->r);
}

static void add_box(carom_scene *s, int body, const carom_shape_spec *spec)
{
    bool slab = false;
    for (int i = 0; i < 3; i++)
        slab = slab || isinf(spec->size[i]);
    for (int i = 0; i < 3 && slab; i++)
        for (int side = -1; side <= 1 && !isinf(spec->size[i]); side += 2) {
            double normal[3] = {0};
            normal[i] = side;
            add_plane(s, body, &spec->place, normal, 0.5 * spec->size[i]);
        }
    if (!slab)
        add_solid(s, CAROM_MESH_BOX, body, &spec->place, spec->size[0], spec->size[1], spec->size[2]);
}

static carom_status add_shape(carom_scene *s, int body, const carom_shape_spec *spec, carom_error *error)
{
    static const carom_pose here = {{0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    const double *d = spec->size;
    carom_shape shape;
    switch (spec->kind) {
    case CAROM_SHAPE_POINT:
        add_solid(s, CAROM_MESH_BALL, body, &spec->place, 0.008 * s->size, 0.008 * s->size, 0.008 * s->size);
        break;
    case CAROM_SHAPE_PLANE: add_plane(s, body, &spec->place, d, 0); break;
    case CAROM_SHAPE_BALL: add_solid(s, CAROM_MESH_BALL, body, &spec->place, d[0], d[0], d[0]); break;
    case CAROM_SHAPE_ELLIPSOID: add_solid(s, CAROM_MESH_BALL, body, &spec->place, d[0], d[1], d[2]); break;
    case CAROM_SHAPE_CYLINDER: add_solid(s, CAROM_MESH_CYLINDER, body, &spec->place, d[1], d[1], d[0]); break;
    case CAROM_SHAPE_BOX: add_box(s, body, spec); break;
    case CAROM_SHAPE_CAPSULE:
        if (!round_mesh(s, &s->mesh[s->nmesh], d[1], d[0]))
            CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for the solids of a picture");
        add_solid(s, keep_mesh(s), body, &spec->place, 1, 1, 1);
        break;
    case CAROM_SHAPE_POLYTOPE:
        CAROM_TRY(carom_shape_new(s->arena, spec, &shape, error));
        if (!polyhedron_mesh(s, &s->mesh[s->nmesh], &shape))
            CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for the solids of a picture");
        add_solid(s, keep_mesh(s), body, &here, 1, 1, 1);
        break;
    case CAROM_SHAPE_RING: break; /* there is none in space */
    }
    return CAROM_OK;
}

/* A body without shapes: a box with its moments of inertia. With I the principal moments over m,
 *   a_x^2 = 6 (I_yy + I_zz - I_xx) */
static void add_inertia(carom_scene *s, const carom_body *body, int k)
{
    static const carom_pose here = {{0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    double a[3], m = body->mass.value;
    for (int i = 0; i < 3; i++) {
        double square = 6 / m * (body->inertia[(i + 1) % 3].value + body->inertia[(i + 2) % 3].value -
                                 body->inertia[i].value);
        a[i] = square > 0 ? sqrt(square) : 0;
    }
    double least = 0.05 * fmax(fmax(a[0], a[1]), a[2]);
    if (least > 0 && isfinite(least))
        add_solid(s, CAROM_MESH_BOX, k, &here, fmax(a[0], least), fmax(a[1], least), fmax(a[2], least));
}

static carom_status add_body(carom_scene *s, const carom_bodies *b, int k, carom_error *error)
{
    const carom_body *body = &b->body[k];
    double corner[3 * CAROM_MOST_CORNERS];
    int first = s->nsolid;
    for (int i = 0; i < body->shapes; i++) {
        carom_shape_spec spec;
        carom_bodies_shape(b, body, &body->shape[i], corner, &spec);
        CAROM_TRY(add_shape(s, k, &spec, error));
    }
    if (body->shapes == 0 && body->motion == CAROM_BODY_FREE)
        add_inertia(s, body, k);
    for (int i = first; i < s->nsolid; i++)
        s->solid[i].ground = body->motion != CAROM_BODY_FREE;
    return CAROM_OK;
}

static carom_status fill(carom_scene *s, const carom_drawing *drawing, carom_error *error)
{
    const carom_bodies *b = drawing->bodies;
    size_t solids = 1, own = CAROM_MESH_OWN + 1;
    for (int k = 0; k < b->nbody; k++) {
        solids += 4 * (size_t)b->body[k].shapes + 1;
        own += (size_t)b->body[k].shapes;
    }
    if (solids > SOLIDS_MOST)
        CAROM_FAIL(error, CAROM_UNSUPPORTED, "%zu shapes are too many for a picture", solids);
    s->mesh = CAROM_NEW(s->arena, carom_mesh, own);
    s->solid = CAROM_NEW(s->arena, carom_solid, solids);
    bool good = s->mesh && s->solid && round_mesh(s, &s->mesh[CAROM_MESH_BALL], 1, 0) &&
                box_mesh(s, &s->mesh[CAROM_MESH_BOX]) && cylinder_mesh(s, &s->mesh[CAROM_MESH_CYLINDER]) &&
                plane_mesh(s, &s->mesh[CAROM_MESH_PLANE]) && arrow_mesh(s, &s->mesh[CAROM_MESH_ARROW]);
    if (!good)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for the solids of a picture");
    s->nmesh = CAROM_MESH_OWN;
    for (int k = 0; k < b->nbody; k++)
        CAROM_TRY(add_body(s, b, k, error));
    return CAROM_OK;
}

/* A plane is drawn around that point of it that is nearest to the middle of what moves, where its body is at first. */
static void centre_planes(carom_scene *s, const carom_draw_frames *f)
{
    for (int k = 0; k < s->nsolid; k++) {
        carom_solid *p = &s->solid[k];
        double A[9], r[3], n[3], turn[9], shift[3];
        if (p->mesh != CAROM_MESH_PLANE)
            continue;
        carom_solid_at(p, f, 0, A, r);
        carom_draw_rotation(f->pose + 7 * p->body + 3, turn);
        for (int i = 0; i < 3; i++)
            n[i] = A[3 * i + 2];
        sub3(s->middle, r, shift);
        add3(shift, -dot3(n, shift), n, shift);
        turn_back3(turn, shift, shift);
        add3(p->r, 1, shift, p->r);
    }
}

static void measure(carom_scene *s, const carom_drawing *drawing, const double *box)
{
    double g[3], length = 0;
    for (int i = 0; i < 3; i++) {
        s->size = fmax(s->size, box[3 + i] - box[i]);
        s->middle[i] = 0.5 * (box[i] + box[3 + i]);
        g[i] = drawing->bodies->gravity[i].value;
        length += g[i] * g[i];
    }
    for (int i = 0; i < 3; i++)
        s->up[i] = length > 0 ? -g[i] / sqrt(length) : i == 2;
}

carom_status carom_scene_new(carom_scene **scene, const carom_drawing *drawing, const carom_draw_frames *frames,
                             carom_error *error)
{
    carom_arena *arena = carom_arena_new(0);
    carom_scene *s = arena ? CAROM_NEW(arena, carom_scene, 1) : NULL;
    *scene = NULL;
    if (!s) {
        carom_arena_free(arena);
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for the solids of a picture");
    }
    s->arena = arena;
    measure(s, drawing, frames->box);
    carom_status status = fill(s, drawing, error);
    if (status != CAROM_OK) {
        carom_scene_free(s);
        return status;
    }
    centre_planes(s, frames);
    *scene = s;
    return CAROM_OK;
}

void carom_scene_free(carom_scene *scene)
{
    if (scene)
        carom_arena_free(scene->arena);
}

/* ---- sizes ---- */
double carom_draw_reach(const carom_drawing *drawing, int k)
{
    const carom_body *body = &drawing->bodies->body[k];
    double corner[3 * CAROM_MOST_CORNERS], most = 0;
    for (int i = 0; i < body->shapes; i++) {
        carom_shape_spec s;
        carom_bodies_shape(drawing->bodies, body, &body->shape[i], corner, &s);
        double r = 0, away = norm3(s.place.r);
        for (int c = 0; c < s.corners; c++)
            r = fmax(r, norm3(corner + 3 * c));
        switch (s.kind) {
        case CAROM_SHAPE_BALL: r = s.size[0]; break;
        case CAROM_SHAPE_CAPSULE: r = 0.5 * s.size[0] + s.size[1]; break;
        case CAROM_SHAPE_BOX: r = 0.5 * norm3(s.size); break;
        case CAROM_SHAPE_CYLINDER: r = hypot(0.5 * s.size[0], s.size[1]); break;
        case CAROM_SHAPE_ELLIPSOID: r = fmax(fmax(s.size[0], s.size[1]), s.size[2]); break;
        default: break;
        }
        if (s.kind != CAROM_SHAPE_PLANE && isfinite(r))
            most = fmax(most, away + r);
    }
    if (body->shapes == 0 && body->motion == CAROM_BODY_FREE && body->mass.value > 0)
        most = sqrt(3 * (body->inertia[0].value + body->inertia[1].value + body->inertia[2].value) / body->mass.value);
    return isfinite(most) ? most : 0;
}

void carom_draw_rotation(const double *q, double *R)
{
    double s = 2 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]), w = q[0], x = q[1], y = q[2], z = q[3];
    const double rows[9] = {1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y),
                            s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x),
                            s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)};
    memcpy(R, rows, sizeof rows);
}
