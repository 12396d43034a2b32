/* drawing.c: an animation in a page: a few moments as a static picture, and frames for the script.
 *   {"t":base64 doubles,"box":[x0,y0,x1,y1],"runs":[{"name":..,"contacts":n,"modes":base64,"hits":base64 doubles,
 *    "shapes":[{"type":..,"style":..,"contact":..,"n":..,"data":base64 floats}]}]}
 * Frames stand at the rows of the first run, thinned to FRAMES; those at jumps go last. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/draw/scene.h"
#include "output/page/parts.h"

/* NUMBERS: of all frames together, where bodies are many; then there are fewer frames, but FRAMES_LEAST. */
enum { FRAMES = 900, FRAMES_LEAST = 100, NUMBERS = 2000000, GHOSTS = 5, STILL_WIDTH = 640 };

/* ---- times: a regular grid, and the jumps as long as there is room ---- */
static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static size_t choose_frames(const carom_animation *a)
{
    size_t numbers = 1;
    for (int r = 0; r < a->nrun; r++) {
        const carom_drawing *d = carom_model_drawing(a->run[r].model);
        numbers += 7 * (size_t)d->nbody + 6 * (size_t)d->nrod;
        for (int i = 0; i < d->nshape; i++)
            numbers += (size_t)d->shape[i].n;
    }
    return CAROM_MAX(FRAMES_LEAST, CAROM_MIN(FRAMES, NUMBERS / numbers));
}

static size_t choose_times(const carom_animation *a, size_t frames, double *t)
{
    double t0 = INFINITY, t1 = -INFINITY;
    size_t n = 0, unique = 0;
    for (int r = 0; r < a->nrun; r++) {
        const carom_columns *table = a->run[r].table;
        const double *times = table->column[carom_columns_find(table, "t")];
        t0 = fmin(t0, times[0]);
        t1 = fmax(t1, times[table->nrow - 1]);
    }
    for (size_t k = 0; k < frames; k++)
        t[n++] = t0 + (t1 - t0) * (double)k / (double)(frames - 1);
    for (int r = 0; r < a->nrun; r++) {
        const carom_columns *table = a->run[r].table;
        const double *times = table->column[carom_columns_find(table, "t")];
        int side = carom_columns_find(table, "side");
        for (size_t i = 0; side >= 0 && i < table->nrow && n < 2 * frames; i++)
            if (table->column[side][i] > 0)
                t[n++] = times[i];
    }
    qsort(t, n, sizeof *t, compare);
    for (size_t i = 0; i < n; i++)
        if (unique == 0 || t[i] > t[unique - 1])
            t[unique++] = t[i];
    return unique;
}

/* ---- the script's numbers ---- */
static void put_shape(carom_json *json, const carom_mark *shape, const carom_draw_frames *f, int s)
{
    carom_json_object(json, NULL);
    carom_json_string(json, "type", carom_mark_name(shape->kind));
    carom_json_string(json, "style", shape->style);
    carom_json_string(json, "name", shape->name);
    carom_json_integer(json, "body", shape->body);
    carom_json_integer(json, "n", shape->n);
    if (shape->contact >= 0)
        carom_json_integer(json, "contact", shape->contact);
    else
        carom_json_null(json, "contact");
    carom_json_floats(json, "data", f->value[s], (f->still[s] ? 1 : f->n) * (size_t)shape->n);
    carom_json_end(json);
}

void carom_page_forces(carom_json *json, const carom_draw_frames *f)
{
    carom_json_floats(json, "arrows", (const double *)f->force, sizeof *f->force / sizeof(double) * f->nforce);
    carom_json_floats(json, "counts", f->forces, f->n);
}

static void put_run(carom_json *json, const carom_animated *run, const carom_draw_frames *f)
{
    const carom_drawing *drawing = carom_model_drawing(run->model);
    carom_json_object(json, NULL);
    carom_json_string(json, "name", run->name ? run->name : "");
    carom_json_integer(json, "contacts", run->model->ncontact);
    carom_json_bytes(json, "modes", f->mode, f->n * (size_t)run->model->ncontact);
    carom_json_doubles(json, "hits", f->hit, f->nhit);
    carom_page_forces(json, f);
    carom_json_array(json, "shapes");
    for (int s = 0; s < drawing->nshape; s++) {
        json->line = s > 0;
        put_shape(json, &drawing->shape[s], f, s);
    }
    carom_json_end(json);
    carom_json_end(json);
}

/* ---- the static picture: first faint, then strong, moments of the first run ---- */
typedef struct view {
    carom_stream *out;
    double x0, y1, scale;
} view;

static void put_xy(const view *v, char command, double x, double y)
{
    carom_stream_format(v->out, "%c%.1f %.1f", command, (x - v->x0) * v->scale, (v->y1 - y) * v->scale);
}

static void put_still(const view *v, const carom_mark *shape, const double *c)
{
    bool body =
        strcmp(shape->style, "body") == 0 && (shape->kind == CAROM_MARK_CIRCLE || shape->kind == CAROM_MARK_POLYGON);
    if (shape->kind == CAROM_MARK_POINT && shape->contact >= 0)
        return;
    if (shape->kind == CAROM_MARK_CIRCLE || shape->kind == CAROM_MARK_POINT) {
        double r = shape->kind == CAROM_MARK_POINT ? 3 : fmax(1, fabs(c[2]) * v->scale);
        carom_stream_format(v->out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>",
                       body ? "body" : shape->style, (c[0] - v->x0) * v->scale, (v->y1 - c[1]) * v->scale, r);
        return;
    }
    carom_stream_format(v->out, "<path class=\"%s\" d=\"", body ? "body" : shape->style);
    for (int i = 0; i + 1 < shape->n; i += 2)
        put_xy(v, i ? 'L' : 'M', c[i], c[i + 1]);
    carom_stream_string(v->out, shape->kind == CAROM_MARK_POLYGON ? "Z\"/>" : "\"/>");
}

static void put_picture(carom_stream *out, const carom_animated *run, const carom_draw_frames *f)
{
    const carom_drawing *drawing = carom_model_drawing(run->model);
    double width = f->box[2] - f->box[0], height = f->box[3] - f->box[1];
    view v = {out, f->box[0], f->box[3], fmin(STILL_WIDTH / width, 360 / height)};
    carom_stream_format(out,
                   "<div class=\"still\"><svg width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" "
                   "aria-label=\"positions at equal times\">\n",
                   width * v.scale, height * v.scale, width * v.scale, height * v.scale);
    for (int g = 0; g < GHOSTS; g++) {
        size_t k = (f->n - 1) * (size_t)g / (GHOSTS - 1);
        carom_stream_format(out, "<g opacity=\"%.2f\">", g == GHOSTS - 1 ? 1 : 0.25 + 0.08 * g);
        for (int s = 0; s < drawing->nshape; s++)
            if (!f->still[s] || g == GHOSTS - 1)
                put_still(&v, &drawing->shape[s], f->value[s] + (f->still[s] ? 0 : k * (size_t)drawing->shape[s].n));
        carom_stream_string(out, "</g>\n");
    }
    carom_stream_string(out, "</svg></div>\n");
}

static void put_controls(carom_stream *out)
{
    static const char *const speeds[] = {"0.001", "0.01", "0.1", "0.25", "0.5", "1", "2", "5", "10"};
    carom_stream_string(out, "<div class=\"controls\"><button type=\"button\" class=\"play\">\xe2\x96\xb6</button>"
                             "<input type=\"range\" min=\"0\" max=\"1000\" value=\"0\" "
                             "aria-label=\"time\"><output></output><select aria-label=\"speed\">");
    for (int i = 0; i < CAROM_COUNT(speeds); i++)
        carom_stream_format(out, "<option value=\"%s\"%s>\xc3\x97%s</option>", speeds[i], i == 5 ? " selected" : "",
                       speeds[i]);
    carom_stream_string(out, "</select></div>\n");
}

static void put_numbers(carom_stream *out, const carom_animation *a, const carom_draw_frames *frames)
{
    double box[4] = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    for (int r = 0; r < a->nrun; r++)
        for (int i = 0; i < 4; i++)
            box[i] = i < 2 ? fmin(box[i], frames[r].box[i]) : fmax(box[i], frames[r].box[i]);
    carom_json json = carom_json_on(out, CAROM_JSON_SCRIPT);
    carom_json_object(&json, NULL);
    carom_json_doubles(&json, "t", frames[0].t, frames[0].n);
    carom_json_numbers(&json, "box", box, 4);
    carom_json_array(&json, "runs");
    for (int r = 0; r < a->nrun; r++) {
        json.line = r > 0;
        put_run(&json, &a->run[r], &frames[r]);
    }
    carom_json_end(&json);
    carom_json_end(&json);
}

/* scene [nrun], or NULL: in the plane */
static void put_animation(carom_page *page, const carom_animation *a, const carom_draw_frames *frames,
                          carom_scene **scene)
{
    carom_stream *out = &page->body;
    carom_page_element(out, "<figure class=\"animation\">\n<figcaption>", a->title, "</figcaption>\n");
    if (scene)
        carom_page_space_still(page, scene[0], &frames[0]);
    else
        put_picture(out, &a->run[0], &frames[0]);
    carom_stream_string(out, "<canvas></canvas>\n");
    put_controls(out);
    carom_stream_string(out, "<script type=\"application/json\">");
    if (scene)
        carom_page_space_numbers(out, a, frames, scene);
    else
        put_numbers(out, a, frames);
    carom_stream_string(out, "</script>\n</figure>\n");
}

void carom_page_animation(carom_page *page, const carom_animation *a)
{
    carom_stream *out = &page->body;
    const size_t wanted = choose_frames(a);
    double *t = CAROM_NEW(page->arena, double, 2 * wanted + 1);
    carom_draw_frames *frames = CAROM_NEW(page->arena, carom_draw_frames, a->nrun + 1);
    carom_scene **scene = CAROM_NEW(page->arena, carom_scene *, a->nrun + 1);
    if (!t || !frames || !scene) {
        carom_page_fail(page, "an animation");
        return;
    }
    const bool space = carom_model_drawing(a->run[0].model)->nbody > 0;
    size_t n = choose_times(a, wanted, t);
    carom_status status = CAROM_OK;
    for (int r = 0; status == CAROM_OK && r < a->nrun; r++) {
        status = carom_draw_sample(&frames[r], &a->run[r], t, n, &out->error);
        if (status == CAROM_OK && space)
            status = carom_scene_new(&scene[r], carom_model_drawing(a->run[r].model), &frames[r], &out->error);
    }
    if (status == CAROM_OK)
        put_animation(page, a, frames, space ? scene : NULL);
    for (int r = 0; r < a->nrun; r++) {
        carom_draw_free(&frames[r]);
        carom_scene_free(scene[r]);
    }
}
