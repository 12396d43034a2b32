/* plot.c: a chart in a page: the static picture, and the same numbers for the script.
 *   {"x":label,"y":label,"logx":..,"logy":..,"both":..,"h":..,"right":..,"link":..,"names":[..],
 *    "data":["base64",...],"series":[{"name":..,"x":index,"y":index,"style":..,"c":colour,"second":..}],
 *    "marks":[{"x","y","slope","text"}]}
 * Series over the same x share its numbers. */
#include <math.h>
#include <stdlib.h>

#include "output/chart/engine.h"
#include "output/page/parts.h"

enum { WIDTH = 720, LEFT = 62, LEFT_NAMES = 110, RIGHT = 14, RIGHT_AXIS = 48, HEIGHT = 320 };

static const char *text_of(const char *text)
{
    return text ? text : "";
}

static void put_picture(carom_stream *out, const carom_chart *chart)
{
    int left = chart->y_names ? LEFT_NAMES : LEFT, width = WIDTH - left - (chart->right != 0 ? RIGHT_AXIS : RIGHT);
    int top = CAROM_LEGEND_LINE * carom_chart_legend(NULL, chart, left, 0, width);
    carom_frame frame = {.left = left, .top = top + (*text_of(chart->y_label) ? CAROM_LEGEND_LINE : 6), .width = width,
                         .height = (chart->height ? chart->height : HEIGHT) - CAROM_X_LABELS};
    carom_stream_format(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\"", WIDTH,
                        (int)(frame.top + frame.height) + CAROM_X_LABELS);
    carom_page_element(out, " aria-label=\"", chart->title, "\">\n");
    carom_chart_legend(out, chart, left, 0, width);
    carom_svg_text(out, chart->y_label, 60, "<text x=\"%d\" y=\"%d\">", 4, (int)frame.top - 7);
    carom_chart_draw(out, chart, &frame, true);
    carom_stream_string(out, "</svg>\n");
}

/* Writes "data":[...]; index[2*i], index[2*i+1] are the places of x and y of series i. */
static carom_status put_data(carom_json *json, const carom_chart *chart, int *index, bool *whole)
{
    int n = 0;
    *whole = true;
    carom_json_array(json, "data");
    for (int i = 0; i < chart->nseries; i++) {
        const carom_chart_series *s = &chart->series[i];
        carom_page_thinned thin;
        CAROM_TRY(carom_page_thin(s, chart, &thin, &json->out->error));
        int shared = -1;
        for (int k = 0; k < i && thin.kept; k++)
            if (chart->series[k].x == s->x && chart->series[k].n == s->n)
                shared = index[2 * k];
        json->line = n > 0;
        if (shared < 0) {
            carom_json_doubles(json, NULL, thin.kept ? s->x : thin.x, thin.n);
            shared = n++;
            carom_json_break(json);
        }
        carom_json_doubles(json, NULL, thin.kept ? s->y : thin.y, thin.n);
        index[2 * i] = shared;
        index[2 * i + 1] = n++;
        *whole = *whole && thin.kept;
        free(thin.x);
        free(thin.y);
    }
    carom_json_end(json);
    return CAROM_OK;
}

static void put_series(carom_json *json, const carom_chart *chart, const int *index)
{
    static const char *const styles[] = {"line",   "points", "line-points", "steps", "stems",
                                         "dashed", "path",   "band",        "points"};
    carom_json_break(json);
    carom_json_array(json, "series");
    for (int i = 0; i < chart->nseries; i++) {
        carom_json_object(json, NULL);
        carom_json_string(json, "name", text_of(chart->series[i].name));
        carom_json_integer(json, "x", index[2 * i]);
        carom_json_integer(json, "y", index[2 * i + 1]);
        carom_json_string(json, "style", styles[chart->series[i].style]);
        carom_json_integer(json, "c", carom_chart_colour(chart, i));
        if (chart->series[i].second)
            carom_json_bool(json, "second", true);
        carom_json_end(json);
    }
    carom_json_end(json);
    carom_json_break(json);
    carom_json_array(json, "marks");
    for (int i = 0; i < chart->nmark; i++) {
        const carom_chart_mark *m = &chart->marks[i];
        carom_json_object(json, NULL);
        carom_json_number(json, "x", m->x);
        carom_json_number(json, "y", m->y);
        carom_json_number(json, "slope", m->slope);
        carom_json_string(json, "text", text_of(m->text));
        carom_json_end(json);
    }
    carom_json_end(json);
}

static void put_numbers(carom_stream *out, const carom_chart *chart, int *index, bool *whole)
{
    carom_json json = carom_json_on(out, CAROM_JSON_SCRIPT);
    carom_stream_string(out, "<script type=\"application/json\">");
    carom_json_object(&json, NULL);
    carom_json_string(&json, "x", text_of(chart->x_label));
    carom_json_string(&json, "y", text_of(chart->y_label));
    carom_json_bool(&json, "logx", chart->logx);
    carom_json_bool(&json, "logy", chart->logy);
    carom_json_bool(&json, "both", chart->zoom_both);
    carom_json_integer(&json, "h", chart->height ? chart->height : HEIGHT);
    if (chart->x_to > chart->x_from) {
        carom_json_number(&json, "from", chart->x_from);
        carom_json_number(&json, "to", chart->x_to);
    }
    if (chart->right != 0)
        carom_json_number(&json, "right", chart->right);
    if (chart->link)
        carom_json_string(&json, "link", chart->link);
    if (chart->y_names) {
        carom_json_array(&json, "names");
        for (int i = 0; i < chart->ny; i++)
            carom_json_string(&json, NULL, text_of(chart->y_names[i]));
        carom_json_end(&json);
    }
    if (put_data(&json, chart, index, whole) == CAROM_OK)
        put_series(&json, chart, index);
    carom_json_end(&json);
    carom_stream_string(out, "</script>\n");
}

void carom_page_plot(carom_page *page, const carom_chart *chart)
{
    carom_stream *out = &page->body;
    int *index = CAROM_NEW(page->arena, int, 2 * chart->nseries + 1);
    bool whole = true;
    size_t points = 0;
    if (!index) {
        carom_page_fail(page, "a plot");
        return;
    }
    page->figures++;
    carom_stream_format(out, "<figure class=\"plot%s\">\n", chart->half ? " half" : "");
    carom_page_element(out, "<figcaption>", chart->title, "</figcaption>\n<div class=\"static\">");
    put_picture(out, chart);
    carom_stream_string(out, "</div>\n");
    put_numbers(out, chart, index, &whole);
    for (int i = 0; i < chart->nseries; i++)
        points += chart->series[i].n;
    if (!whole)
        carom_stream_format(out, "<p class=\"meta\">%zu points, thinned to what a wide screen shows</p>\n", points);
    carom_stream_string(out, "</figure>\n");
}
