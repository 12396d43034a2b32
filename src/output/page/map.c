/* map.c: a map in a page: the static picture, coarse where there are many cells, and all values for the script.
 *   {"name":..,"x":{"name":..,"from":..,"to":..,"n":..},"y":{..},"values":base64 floats,"colours":base64 bytes,
 *    "legend":[["#rrggbb",text],..],"categories":[..],"bar":{"low":..,"high":..,"colours":[..]},"missing":[..]} */
#include <math.h>
#include <stdlib.h>

#include "output/map/map.h"
#include "output/page/parts.h"

enum { COARSE = 120, STEPS = 16, MISSING_MOST = 100000 };

static void put_side(carom_json *json, const char *key, const carom_map_side *side)
{
    carom_json_object(json, key);
    carom_json_string(json, "name", side->name);
    carom_json_number(json, "from", side->from);
    carom_json_number(json, "to", side->to);
    carom_json_integer(json, "n", side->n);
    carom_json_end(json);
}

static const char *hex(carom_colour c, char *text)
{
    snprintf(text, 8, "#%02x%02x%02x", c.r, c.g, c.b);
    return text;
}

static void put_legend(carom_json *json, const carom_map_scale *s)
{
    carom_colour colour;
    const char *text;
    char buffer[8];
    carom_json_array(json, "legend");
    for (int k = 0; carom_map_legend(s, k, &colour, &text); k++) {
        carom_json_array(json, NULL);
        carom_json_string(json, NULL, hex(colour, buffer));
        carom_json_string(json, NULL, text);
        carom_json_end(json);
    }
    carom_json_end(json);
    if (s->map->category) {
        carom_json_texts(json, "categories", s->map->category, s->map->ncategory);
        return;
    }
    carom_json_object(json, "bar");
    carom_json_number(json, "low", s->low);
    carom_json_number(json, "high", s->high);
    carom_json_array(json, "colours");
    for (int k = 0; k <= STEPS; k++)
        carom_json_string(json, NULL, hex(carom_map_colour(s, s->low + (s->high - s->low) * k / STEPS), buffer));
    carom_json_end(json);
    carom_json_end(json);
}

static void put_cells(carom_json *json, const carom_map_scale *s, unsigned char *rgb)
{
    const carom_heatmap *m = s->map;
    const size_t n = (size_t)m->x.n * (size_t)m->y.n;
    int told = 0;
    carom_json_break(json);
    carom_json_floats(json, "values", m->value, n);
    for (int i = 0; i < m->x.n; i++)
        for (int j = 0; j < m->y.n; j++) {
            const carom_colour c = carom_map_cell(s, i, j);
            unsigned char *to = rgb + 3 * ((size_t)i * (size_t)m->y.n + (size_t)j);
            to[0] = c.r, to[1] = c.g, to[2] = c.b;
        }
    carom_json_break(json);
    carom_json_bytes(json, "colours", rgb, 3 * n);
    carom_json_array(json, "missing");
    for (size_t i = 0; m->known && i < n && told < MISSING_MOST; i++)
        if (!m->known[i]) {
            carom_json_integer(json, NULL, (long long)i);
            told++;
        }
    carom_json_end(json);
}

/* The map with fewer cells, for a picture that is only looked at. */
static bool coarsen(carom_page *page, const carom_heatmap *from, carom_heatmap *to)
{
    *to = *from;
    to->x.n = CAROM_MIN(from->x.n, COARSE), to->y.n = CAROM_MIN(from->y.n, COARSE);
    const size_t n = (size_t)to->x.n * (size_t)to->y.n;
    double *value = CAROM_NEW(page->arena, double, n);
    unsigned char *known = CAROM_NEW(page->arena, unsigned char, n);
    for (size_t k = 0; value && known && k < n; k++) {
        size_t i = k / (size_t)to->y.n * (size_t)from->x.n / (size_t)to->x.n,
               j = k % (size_t)to->y.n * (size_t)from->y.n / (size_t)to->y.n, at = i * (size_t)from->y.n + j;
        value[k] = from->value[at];
        known[k] = !from->known || from->known[at];
    }
    to->value = value, to->known = known;
    return value && known;
}

void carom_page_map(carom_page *page, const carom_map_scale *scale)
{
    carom_stream *out = &page->body;
    const carom_heatmap *m = scale->map;
    carom_heatmap coarse;
    carom_map_scale still = *scale;
    unsigned char *rgb = CAROM_NEW(page->arena, unsigned char, 3 * (size_t)m->x.n * (size_t)m->y.n);
    if (!rgb || !coarsen(page, m, &coarse)) {
        carom_page_fail(page, "a map");
        return;
    }
    still.map = &coarse;
    carom_page_element(out, "<figure class=\"map\">\n<figcaption>", m->title, "</figcaption>\n<div class=\"static\">");
    carom_map_svg_put(out, &still);
    carom_stream_string(out, "</div>\n<script type=\"application/json\">");
    carom_json json = carom_json_on(out, CAROM_JSON_SCRIPT);
    carom_json_object(&json, NULL);
    carom_json_string(&json, "name", m->name);
    put_side(&json, "x", &m->x);
    put_side(&json, "y", &m->y);
    put_legend(&json, scale);
    put_cells(&json, scale, rgb);
    carom_json_end(&json);
    carom_stream_string(out, "</script>\n</figure>\n");
}

carom_status carom_map_page(const char *path, const carom_map_scale *scale, carom_error *error)
{
    carom_page *page;
    CAROM_TRY(carom_page_new(&page, path, scale->map->title, error));
    carom_page_section(page, "map", scale->map->name, CAROM_PAGE_INFO);
    carom_page_map(page, scale);
    carom_page_text(page, "Point at a cell to read its parameters and its value. Drag to move, click and use the "
                          "wheel, pinch, or press the buttons to zoom; double click shows all again.");
    return carom_page_close(page, error);
}
