/* paint.c: one frame of a drawing as pixels, planar or in space, with the colours of the pages' light theme. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/vector.h"
#include "model/model.h"
#include "output/draw/paint.h"

enum { ROUND = 64, POINTS = 512, FINE = 2 }; /* FINE: pixels in space are made of so many squared */

static const carom_colour paper = {255, 255, 255}, ink = {29, 33, 37}, soft = {92, 101, 112}, fill = {223, 231, 239},
                          stick = {0, 133, 95}, slip = {200, 82, 0}, force = {179, 38, 60};

/* ---- in the plane ---- */
typedef struct plane {
    carom_canvas *canvas;
    double x, y, scale, unit; /* the middle, pixels of a length, pixels of a line of width 1 */
} plane;

static void to_pixels(const plane *p, const double *from, int n, double *to)
{
    for (int i = 0; i < n; i++) {
        to[2 * i] = p->canvas->width / 2. + (from[2 * i] - p->x) * p->scale;
        to[2 * i + 1] = p->canvas->height / 2. - (from[2 * i + 1] - p->y) * p->scale;
    }
}

static int spring_points(const plane *p, const double *end, double *to)
{
    double dx = end[2] - end[0], dy = end[3] - end[1], length = hypot(dx, dy), w = 5 * p->unit;
    int n = 0;
    to[n++] = end[0], to[n++] = end[1];
    for (int i = 0; i <= 20 && length > 0; i++) {
        double s = 0.1 + 0.8 * i / 20, side = i == 0 || i == 20 ? 0 : i % 2 ? w : -w;
        to[n++] = end[0] + s * dx - side * dy / length, to[n++] = end[1] + s * dy + side * dx / length;
    }
    to[n++] = end[2], to[n++] = end[3];
    return n / 2;
}

static int circle_points(const plane *p, const double *c, double *to)
{
    double centre[2], r = fmax(fabs(c[2]) * p->scale, p->unit);
    to_pixels(p, c, 1, centre);
    for (int i = 0; i < ROUND; i++) {
        to[2 * i] = centre[0] + r * cos(6.283185307179586 * i / ROUND);
        to[2 * i + 1] = centre[1] + r * sin(6.283185307179586 * i / ROUND);
    }
    return ROUND;
}

static void paint_mark(const plane *p, const carom_mark *s, const double *c, int mode)
{
    double xy[2 * POINTS];
    bool thin = strcmp(s->style, "thin") == 0 || strcmp(s->style, "dashed") == 0, body = strcmp(s->style, "body") == 0;
    bool closed = s->kind == CAROM_MARK_CIRCLE || s->kind == CAROM_MARK_POLYGON;
    carom_colour colour = mode == CAROM_SLIP ? slip : mode ? stick : thin ? soft : ink;
    double width = p->unit * (thin ? 1 : strcmp(s->style, "ground") == 0 ? 2.5 : 2);
    int n = CAROM_MIN(s->n / 2, POINTS - 1);
    if (s->kind == CAROM_MARK_POINT) {
        to_pixels(p, c, 1, xy);
        if (s->contact < 0 || mode)
            carom_canvas_disc(p->canvas, xy[0], xy[1], 3.5 * p->unit, colour);
        return;
    }
    if (s->kind == CAROM_MARK_CIRCLE) {
        n = circle_points(p, c, xy);
    } else {
        to_pixels(p, c, n, xy);
        if (s->kind == CAROM_MARK_SPRING) {
            const double end[4] = {xy[0], xy[1], xy[2], xy[3]};
            n = spring_points(p, end, xy);
        }
    }
    if (closed && body)
        carom_canvas_fill(p->canvas, xy, &n, 1, fill);
    carom_canvas_line(p->canvas, xy, n, closed, width, colour);
    if (s->kind == CAROM_MARK_CIRCLE && s->n > 3) { /* a radius that turns */
        const double radius[4] = {c[0], c[1], c[0] + c[2] * cos(c[3]), c[1] + c[2] * sin(c[3])};
        to_pixels(p, radius, 2, xy);
        carom_canvas_line(p->canvas, xy, 2, false, width, colour);
    }
}

static void paint_arrow(const plane *p, const carom_draw_force *f, double strongest)
{
    double from[2], size = hypot(f->force[0], f->force[1]);
    double length = 0.25 * fmin(p->canvas->width, p->canvas->height) * sqrt(fmin(size / strongest, 2));
    if (!(length > 3 * p->unit))
        return;
    carom_colour colour = f->mode == CAROM_SLIP ? slip : force;
    double ux = f->force[0] / size, uy = -f->force[1] / size, head = fmin(9 * p->unit, 0.5 * length);
    to_pixels(p, f->point, 1, from);
    double tip[2] = {from[0] + ux * length, from[1] + uy * length};
    const double shaft[4] = {from[0], from[1], tip[0] - ux * head, tip[1] - uy * head};
    const double point[6] = {tip[0], tip[1], shaft[2] - 0.45 * head * uy, shaft[3] + 0.45 * head * ux,
                             shaft[2] + 0.45 * head * uy, shaft[3] - 0.45 * head * ux};
    const int three = 3;
    carom_canvas_line(p->canvas, shaft, 2, false, 2 * p->unit, colour);
    carom_canvas_fill(p->canvas, point, &three, 1, colour);
}

static void paint_plane(const carom_painting *x, size_t k, size_t first_force, carom_canvas *canvas)
{
    const carom_draw_frames *f = x->frames;
    const carom_drawing *d = carom_model_drawing(x->model);
    double wide = f->box[2] - f->box[0], high = f->box[3] - f->box[1];
    const plane p = {canvas, 0.5 * (f->box[0] + f->box[2]), 0.5 * (f->box[1] + f->box[3]),
                     fmin(canvas->width / wide, canvas->height / high), fmax(1, canvas->width / 640.)};
    for (int i = 0; i < d->nshape; i++) {
        const carom_mark *s = &d->shape[i];
        int mode = s->contact >= 0 ? f->mode[k * (size_t)x->model->ncontact + (size_t)s->contact] : 0;
        paint_mark(&p, s, f->value[i] + k * (size_t)s->n, mode);
    }
    for (size_t i = first_force; x->forces && i < first_force + (size_t)f->forces[k]; i++)
        paint_arrow(&p, &f->force[i], x->strongest);
}

/* ---- in space ---- */
typedef struct stage {
    const carom_scene *scene;
    carom_view view;
    carom_canvas *canvas;
} stage;

/* Brightness of a vertex whose normal is that of the mesh under A (by rows): n/|a|^2 in the axes of A. */
static double vertex_light(const stage *s, const double *A, const double *normal)
{
    double n[3] = {0, 0, 0};
    for (int j = 0; j < 3; j++) {
        double square = A[j] * A[j] + A[3 + j] * A[3 + j] + A[6 + j] * A[6 + j];
        for (int i = 0; i < 3; i++)
            n[i] += A[3 * i + j] * normal[j] / square;
    }
    unit3(n);
    return carom_view_light(&s->view, s->scene, n);
}

static void paint_mesh(const stage *s, const carom_mesh *m, const double *A, const double *r, carom_colour colour)
{
    for (int k = 0; k < m->ntriangle; k++) {
        double out[3][3], light[3];
        bool near = false;
        for (int c = 0; c < 3; c++) {
            const int at = 3 * carom_mesh_corner(m, 3 * k + c);
            const double *x = m->vertex + at;
            double world[3];
            turn3(A, x, world);
            add3(world, 1, r, world);
            carom_view_project(&s->view, world, out[c]);
            near = near || !(out[c][2] > 0);
            light[c] = vertex_light(s, A, m->normal + at);
        }
        double turn = (out[1][0] - out[0][0]) * (out[2][1] - out[0][1]) -
                      (out[2][0] - out[0][0]) * (out[1][1] - out[0][1]);
        if (turn < 0 && !near) /* y points down: seen from outside they turn the other way */
            carom_canvas_triangle(s->canvas, (const double(*)[3])out, light, colour);
    }
}

static void paint_space(const carom_painting *x, size_t k, size_t first_force, carom_canvas *canvas)
{
    static const carom_colour body[] = {{120, 178, 220}, {240, 160, 104}, {96, 196, 166}, {214, 148, 194},
                                        {200, 172, 92},  {168, 168, 168}, {168, 150, 230}, {222, 118, 134}},
                              ground = {190, 196, 202}, endless = {240, 243, 246}, rod = {122, 128, 134};
    const carom_draw_frames *f = x->frames;
    const stage s = {x->scene, carom_view_of(x->scene, canvas->width, canvas->height), canvas};
    double A[9], r[3];
    for (int i = 0; i < x->scene->nsolid; i++) {
        const carom_solid *solid = &x->scene->solid[i];
        carom_solid_at(solid, f, k, A, r);
        paint_mesh(&s, &x->scene->mesh[solid->mesh], A, r,
                   solid->mesh == CAROM_MESH_PLANE ? endless : solid->ground ? ground : body[solid->body % 8]);
    }
    for (int i = 0; i < f->nrod; i++) {
        const double *ends = f->rod + 6 * (k * (size_t)f->nrod + (size_t)i);
        carom_along(ends, ends + 3, 0.007 * x->scene->size, true, A, r);
        paint_mesh(&s, &x->scene->mesh[CAROM_MESH_CYLINDER], A, r, rod);
    }
    for (size_t i = first_force; x->forces && i < first_force + (size_t)f->forces[k]; i++) {
        const carom_draw_force *y = &f->force[i];
        double size = norm3(y->force), tip[3];
        if (!(size > 1e-4 * x->strongest))
            continue;
        add3(y->point, 0.3 * x->scene->size * sqrt(fmin(size / x->strongest, 2)) / size, y->force, tip);
        carom_along(y->point, tip, 0.015 * x->scene->size, false, A, r);
        paint_mesh(&s, &x->scene->mesh[CAROM_MESH_ARROW], A, r, y->mode == CAROM_SLIP ? slip : force);
    }
}

/* ---- both ---- */
static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* What a long arrow stands for: a few forces are larger, those of impacts that a step has smeared over its length. */
static bool find_strongest(carom_painting *x)
{
    const carom_draw_frames *f = x->frames;
    double *size = malloc((f->nforce + 1) * sizeof *size);
    size_t n = 0;
    for (size_t i = 0; size && i < f->nforce; i++)
        if (norm3(f->force[i].force) > 0)
            size[n++] = norm3(f->force[i].force);
    if (n)
        qsort(size, n, sizeof *size, ascending);
    x->strongest = n ? size[n - 1 - n / 20] : 1;
    free(size);
    return size != NULL;
}

carom_status carom_painting_new(carom_painting *x, const carom_model *model, const carom_draw_frames *frames, int width,
                                int height, bool forces, carom_error *error)
{
    const carom_drawing *d = carom_model_drawing(model);
    const int fine = d->nbody ? FINE : 1;
    size_t pixels = (size_t)width * (size_t)height, all = pixels * (size_t)(fine * fine);
    *x = (carom_painting){.model = model, .frames = frames, .forces = forces,
                          .canvas = {.width = width, .height = height, .rgb = malloc(3 * pixels)},
                          .fine = {.width = fine * width, .height = fine * height}};
    if (d->nbody) {
        x->fine.rgb = malloc(3 * all);
        x->fine.depth = malloc(all * sizeof *x->fine.depth);
    }
    if (!x->canvas.rgb || (d->nbody && (!x->fine.rgb || !x->fine.depth)) || !find_strongest(x)) {
        carom_painting_free(x);
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for a picture of %d x %d pixels", width, height);
    }
    carom_status status = d->nbody ? carom_scene_new(&x->scene, d, frames, error) : CAROM_OK;
    if (status != CAROM_OK)
        carom_painting_free(x);
    return status;
}

static void shrink(const carom_canvas *from, carom_canvas *to)
{
    to->failed |= from->failed;
    for (int y = 0; y < to->height; y++)
        for (int x = 0; x < 3 * to->width; x++) {
            int sum = 0;
            for (int i = 0; i < FINE * FINE; i++) {
                size_t row = (size_t)(FINE * y + i / FINE), column = (size_t)(FINE * (x / 3) + i % FINE);
                sum += from->rgb[3 * (row * (size_t)from->width + column) + (size_t)(x % 3)];
            }
            to->rgb[3 * (size_t)y * (size_t)to->width + (size_t)x] = (unsigned char)(sum / (FINE * FINE));
        }
}

void carom_painting_frame(carom_painting *x, size_t k)
{
    char clock[40];
    size_t first = 0;
    carom_canvas *c = &x->canvas;
    for (size_t i = 0; i < k; i++)
        first += (size_t)x->frames->forces[i];
    carom_canvas_box(c, 0, 0, c->width, c->height, paper);
    if (x->scene) {
        carom_canvas_box(&x->fine, 0, 0, x->fine.width, x->fine.height, paper);
        for (size_t i = 0; i < (size_t)x->fine.width * (size_t)x->fine.height; i++)
            x->fine.depth[i] = INFINITY;
        paint_space(x, k, first, &x->fine);
        shrink(&x->fine, c);
    } else {
        paint_plane(x, k, first, c);
    }
    double size = fmax(11, c->width / 40.);
    snprintf(clock, sizeof clock, "t = %.*f", x->digits, x->frames->t[k]);
    carom_canvas_text(c, 0.5 * size, c->height - 0.5 * size, size, false, clock, soft);
}

void carom_painting_free(carom_painting *x)
{
    free(x->canvas.rgb);
    free(x->fine.rgb);
    free(x->fine.depth);
    carom_scene_free(x->scene);
    *x = (carom_painting){0};
}
