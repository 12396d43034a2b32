/* plot.c: a plot in a page: the static picture, and the same numbers for the script.
 *   {"x":label,"y":label,"logx":..,"logy":..,"both":..,"h":..,"link":..,"names":[..],
 *    "data":["base64",...],"series":[{"name":..,"x":index,"y":index,"style":..,"c":colour}],
 *    "marks":[{"x","y","slope","text"}]}
 * Series over the same x share its numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/page/parts.h"
#include "output/svg/svg.h"

static const char *const styles[] = {"line", "points", "line-points", "steps", "stems", "dashed", "path", "band"};

static void put_number(carom_stream *out, const char *key, double value)
{
    carom_page_say(out, "\"%s\":", key);
    if (isfinite(value))
        carom_stream_number(out, value);
    else
        carom_stream_string(out, "null");
}

static void put_text(carom_stream *out, const char *key, const char *text)
{
    carom_page_say(out, "\"%s\":", key);
    carom_page_quote(out, text);
}

static int colour_of(const carom_page_series *s, int i)
{
    return (s->colour > 0 ? s->colour - 1 : i) % CAROM_COLOURS;
}

/* Writes "data":[...]; index[2*i], index[2*i+1] are the places of x and y of series i. */
static carom_status put_data(carom_stream *out, const carom_page_plot_data *plot, int *index, bool *whole)
{
    int n = 0;
    *whole = true;
    carom_stream_string(out, "\"data\":[");
    for (int i = 0; i < plot->nseries; i++) {
        const carom_page_series *s = &plot->series[i];
        carom_page_thinned thin;
        CAROM_TRY(carom_page_thin(s, plot, &thin, &out->error));
        int shared = -1;
        for (int k = 0; k < i && thin.kept; k++)
            if (plot->series[k].x == s->x && plot->series[k].n == s->n)
                shared = index[2 * k];
        if (shared < 0) {
            carom_stream_string(out, n ? ",\n" : "");
            carom_page_doubles(out, thin.kept ? s->x : thin.x, thin.n);
            shared = n++;
        }
        carom_stream_string(out, ",\n");
        carom_page_doubles(out, thin.kept ? s->y : thin.y, thin.n);
        index[2 * i] = shared;
        index[2 * i + 1] = n++;
        *whole = *whole && thin.kept;
        free(thin.x);
        free(thin.y);
    }
    carom_stream_string(out, "],\n");
    return CAROM_OK;
}

static void put_series(carom_stream *out, const carom_page_plot_data *plot, const int *index)
{
    carom_stream_string(out, "\"series\":[");
    for (int i = 0; i < plot->nseries; i++) {
        const carom_page_series *s = &plot->series[i];
        carom_stream_string(out, i ? ",{" : "{");
        put_text(out, "name", s->name);
        carom_page_say(out, ",\"x\":%d,\"y\":%d,\"style\":\"%s\",\"c\":%d}", index[2 * i], index[2 * i + 1],
                       styles[s->style], colour_of(s, i));
    }
    carom_stream_string(out, "],\n\"marks\":[");
    for (int i = 0; i < plot->nmark; i++) {
        const carom_page_mark *m = &plot->marks[i];
        carom_stream_string(out, i ? ",{" : "{");
        put_number(out, "x", m->x);
        carom_stream_string(out, ",");
        put_number(out, "y", m->y);
        carom_stream_string(out, ",");
        put_number(out, "slope", m->slope);
        carom_stream_string(out, ",");
        put_text(out, "text", m->text);
        carom_stream_string(out, "}");
    }
    carom_stream_string(out, "]}");
}

static void put_json(carom_stream *out, const carom_page_plot_data *plot, int *index, bool *whole)
{
    carom_stream_string(out, "<script type=\"application/json\">{");
    put_text(out, "x", plot->x_label);
    carom_stream_string(out, ",");
    put_text(out, "y", plot->y_label);
    carom_page_say(out, ",\"logx\":%s,\"logy\":%s,\"both\":%s,\"h\":%d,", plot->logx ? "true" : "false",
                   plot->logy ? "true" : "false", plot->zoom_both ? "true" : "false",
                   plot->height ? plot->height : 320);
    if (plot->x_to > plot->x_from) {
        put_number(out, "from", plot->x_from);
        carom_stream_string(out, ",");
        put_number(out, "to", plot->x_to);
        carom_stream_string(out, ",");
    }
    if (plot->link) {
        put_text(out, "link", plot->link);
        carom_stream_string(out, ",");
    }
    if (plot->y_names) {
        carom_stream_string(out, "\"names\":[");
        for (int i = 0; i < plot->ny; i++) {
            carom_stream_string(out, i ? "," : "");
            carom_page_quote(out, plot->y_names[i]);
        }
        carom_stream_string(out, "],");
    }
    if (put_data(out, plot, index, whole) == CAROM_OK)
        put_series(out, plot, index);
    carom_stream_string(out, "</script>\n");
}

void carom_page_plot(carom_page *page, const carom_page_plot_data *plot)
{
    carom_stream *out = &page->body;
    int *index = calloc(2 * (size_t)plot->nseries + 1, sizeof *index);
    bool whole = true;
    if (!index) {
        if (out->error.status == CAROM_OK)
            carom_fail(&out->error, CAROM_NO_MEMORY, "no memory for a plot of %d series", plot->nseries);
        return;
    }
    page->figures++;
    carom_page_say(out, "<figure class=\"plot%s\">\n<figcaption>", plot->half ? " half" : "");
    carom_page_escape(out, plot->title);
    carom_stream_string(out, "</figcaption>\n<div class=\"static\">");
    carom_page_svg(out, plot);
    carom_stream_string(out, "</div>\n");
    put_json(out, plot, index, &whole);
    size_t points = 0;
    for (int i = 0; i < plot->nseries; i++)
        points += plot->series[i].n;
    if (!whole)
        carom_page_say(out, "<p class=\"meta\">%zu points, thinned to what a wide screen shows</p>\n", points);
    carom_stream_string(out, "</figure>\n");
    free(index);
}
