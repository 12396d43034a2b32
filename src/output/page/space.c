/* space.c: an animation of bodies in space in a page: meshes, solids and poses for the script, and a still picture.
 *   {"space":true,"t":base64 doubles,"box":[6 numbers],"up":[3],"meshes":[{"position":..,"normal":..,"triangles":..}],
 *    "runs":[{"name":..,"names":[of bodies],"hits":..,"poses":base64 floats,"rods":..,"meshes":[its own, numbered on],
 *     "solids":[{"mesh":..,"body":..,"ground":..,"r":[3],"R":[9],"scale":[3]}]}]} */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bodies/bodies.h"
#include "geometry/vector.h"
#include "output/draw/scene.h"
#include "output/page/parts.h"

enum { WIDE = 640, HIGH = 400 };

/* ---- for the script ---- */
static void put_mesh(carom_json *json, const carom_mesh *m)
{
    carom_json_object(json, NULL);
    carom_json_floats(json, "position", m->vertex, 3 * (size_t)m->nvertex);
    carom_json_floats(json, "normal", m->normal, 3 * (size_t)m->nvertex);
    carom_json_bytes(json, "triangles", m->index, 6 * (size_t)m->ntriangle);
    carom_json_end(json);
}

static void put_meshes(carom_json *json, const carom_scene *scene, int from, int end)
{
    carom_json_array(json, "meshes");
    for (int i = from; i < end; i++)
        put_mesh(json, &scene->mesh[i]);
    carom_json_end(json);
}

static void put_solid(carom_json *json, const carom_solid *s)
{
    carom_json_object(json, NULL);
    carom_json_integer(json, "mesh", s->mesh);
    carom_json_integer(json, "body", s->body);
    carom_json_bool(json, "ground", s->ground);
    carom_json_numbers(json, "r", s->r, 3);
    carom_json_numbers(json, "R", s->R, 9);
    carom_json_numbers(json, "scale", s->scale, 3);
    carom_json_end(json);
}

static void put_run(carom_json *json, const carom_animated *run, const carom_draw_frames *f, const carom_scene *scene)
{
    const carom_bodies *b = carom_model_drawing(run->model)->bodies;
    carom_json_object(json, NULL);
    carom_json_string(json, "name", run->name ? run->name : "");
    carom_json_array(json, "names");
    for (int i = 0; i < b->nbody; i++)
        carom_json_string(json, NULL, b->body[i].name);
    carom_json_end(json);
    carom_json_doubles(json, "hits", f->hit, f->nhit);
    carom_page_forces(json, f);
    carom_json_floats(json, "poses", f->pose, 7 * f->n * (size_t)f->nbody);
    carom_json_floats(json, "rods", f->rod, 6 * f->n * (size_t)f->nrod);
    put_meshes(json, scene, CAROM_MESH_OWN, scene->nmesh);
    carom_json_array(json, "solids");
    for (int i = 0; i < scene->nsolid; i++) {
        json->line = i > 0;
        put_solid(json, &scene->solid[i]);
    }
    carom_json_end(json);
    carom_json_end(json);
}

/* ---- the still picture: triangles from far to near; balls are circles ---- */
typedef struct facet {
    double x[3][2], depth; /* of a circle: centre, then radius */
    double light;
    int colour;            /* -1: ground, -2: a plane, -3: a rod */
    bool circle;
} facet;

typedef struct still {
    const carom_scene *scene;
    const carom_draw_frames *frames;
    carom_view view;
    facet *facet; /* [n], room for `room` */
    size_t n, room;
    bool failed;
} still;

static facet *add_facet(still *s)
{
    if (s->n == s->room) {
        size_t room = 2 * s->room + 1000;
        facet *more = realloc(s->facet, room * sizeof *more);
        s->failed = s->failed || !more;
        if (!more)
            return NULL;
        s->facet = more;
        s->room = room;
    }
    return &s->facet[s->n++];
}

/* A mesh at A x + r; faces that look away are left out. */
static void add_mesh(still *s, const carom_mesh *m, const double *A, const double *r, int colour)
{
    for (int k = 0; k < m->ntriangle && !s->failed; k++) {
        double world[3][3], out[3][3], edge[2][3], n[3];
        for (int c = 0; c < 3; c++) {
            const double *x = m->vertex + 3 * carom_mesh_corner(m, 3 * k + c);
            for (int i = 0; i < 3; i++)
                world[c][i] = r[i] + A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2];
            carom_view_project(&s->view, world[c], out[c]);
        }
        double turn = (out[1][0] - out[0][0]) * (out[2][1] - out[0][1]) -
                      (out[2][0] - out[0][0]) * (out[1][1] - out[0][1]);
        if (!(turn < 0) || !isfinite(turn)) /* y points down: seen from outside they turn the other way */
            continue;
        facet *f = add_facet(s);
        if (!f)
            return;
        sub3(world[1], world[0], edge[0]);
        sub3(world[2], world[0], edge[1]);
        cross3(edge[0], edge[1], n);
        unit3(n);
        *f = (facet){.depth = (out[0][2] + out[1][2] + out[2][2]) / 3, .colour = colour,
                     .light = carom_view_light(&s->view, s->scene, n)};
        for (int c = 0; c < 3; c++)
            f->x[c][0] = out[c][0], f->x[c][1] = out[c][1];
    }
}

static void add_ball(still *s, const double *r, double radius, int colour)
{
    double out[3];
    carom_view_project(&s->view, r, out);
    facet *f = add_facet(s);
    if (f)
        *f = (facet){.depth = out[2], .light = 1, .colour = colour, .circle = true,
                     .x = {{out[0], out[1]}, {s->view.scale * radius / out[2], 0}}};
}

static void add_all(still *s)
{
    size_t last = s->frames->n - 1;
    double A[9], r[3];
    for (int k = 0; k < s->scene->nsolid; k++) {
        const carom_solid *solid = &s->scene->solid[k];
        bool plane = solid->mesh == CAROM_MESH_PLANE;
        int colour = plane ? -2 : solid->ground ? -1 : solid->body % 8;
        carom_solid_at(solid, s->frames, last, A, r);
        if (solid->mesh == CAROM_MESH_BALL && solid->scale[0] == solid->scale[1] && solid->scale[1] == solid->scale[2])
            add_ball(s, r, solid->scale[0], colour);
        else
            add_mesh(s, &s->scene->mesh[solid->mesh], A, r, colour);
    }
    for (int k = 0; k < s->frames->nrod; k++) {
        const double *rod = s->frames->rod + 6 * (last * (size_t)s->frames->nrod + (size_t)k);
        carom_along(rod, rod + 3, 0.007 * s->scene->size, true, A, r);
        add_mesh(s, &s->scene->mesh[CAROM_MESH_CYLINDER], A, r, -3);
    }
}

/* Planes are behind everything, then from far to near. */
static int farther(const void *a, const void *b)
{
    const facet *x = a, *y = b;
    int planes = (y->colour == -2) - (x->colour == -2);
    return planes ? planes : (x->depth < y->depth) - (x->depth > y->depth);
}

static void put_facet(carom_stream *out, const facet *f)
{
    static const unsigned char palette[][3] = {{94, 156, 200},  {226, 148, 92},  {84, 178, 150},  {202, 134, 180},
                                               {184, 156, 76},  {150, 150, 150}, {152, 134, 214}, {208, 104, 120},
                                               {176, 182, 188}, {232, 236, 240}, {110, 116, 122}};
    const unsigned char *c = palette[f->colour >= 0 ? f->colour : 7 - f->colour];
    char fill[8];
    snprintf(fill, sizeof fill, "#%02x%02x%02x", (int)(f->light * c[0]), (int)(f->light * c[1]),
             (int)(f->light * c[2]));
    if (f->circle)
        carom_stream_format(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\" stroke=\"#555\"/>", f->x[0][0],
                            f->x[0][1], f->x[1][0], fill);
    else
        carom_stream_format(out, "<path d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fZ\" fill=\"%s\" stroke=\"%s\"/>", f->x[0][0],
                            f->x[0][1], f->x[1][0], f->x[1][1], f->x[2][0], f->x[2][1], fill, fill);
    carom_stream_string(out, "\n");
}

void carom_page_space_still(carom_page *page, const carom_scene *scene, const carom_draw_frames *frames)
{
    carom_stream *out = &page->body;
    still s = {.scene = scene, .frames = frames, .view = carom_view_of(scene, WIDE, HIGH)};
    add_all(&s);
    if (s.failed)
        carom_page_fail(page, "a still picture");
    else if (s.n)
        qsort(s.facet, s.n, sizeof *s.facet, farther);
    carom_stream_format(out, "<div class=\"still space\"><svg width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                        "role=\"img\" aria-label=\"the bodies at t = %g\">\n",
                        WIDE, HIGH, WIDE, HIGH, frames->t[frames->n - 1]);
    for (size_t i = 0; i < s.n && !s.failed; i++)
        put_facet(out, &s.facet[i]);
    carom_stream_string(out, "</svg></div>\n");
    free(s.facet);
}

/* ---- all numbers ---- */
void carom_page_space_numbers(carom_stream *out, const carom_animation *a, const carom_draw_frames *frames,
                              carom_scene **scene)
{
    double box[6] = {INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY};
    carom_json json = carom_json_on(out, CAROM_JSON_SCRIPT);
    for (int r = 0; r < a->nrun; r++)
        for (int i = 0; i < 6; i++)
            box[i] = i < 3 ? fmin(box[i], frames[r].box[i]) : fmax(box[i], frames[r].box[i]);
    carom_json_object(&json, NULL);
    carom_json_bool(&json, "space", true);
    carom_json_doubles(&json, "t", frames[0].t, frames[0].n);
    carom_json_numbers(&json, "box", box, 6);
    carom_json_numbers(&json, "up", scene[0]->up, 3);
    put_meshes(&json, scene[0], 0, CAROM_MESH_OWN);
    carom_json_array(&json, "runs");
    for (int r = 0; r < a->nrun; r++) {
        json.line = r > 0;
        put_run(&json, &a->run[r], &frames[r], scene[r]);
    }
    carom_json_end(&json);
    carom_json_end(&json);
}
