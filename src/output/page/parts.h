/* parts.h: what the files that write a page share. */
#ifndef CAROM_PAGE_PARTS_H
#define CAROM_PAGE_PARTS_H

#include "output/page/page.h"
#include "output/json.h"

typedef struct carom_page_entry { /* of the table of contents */
    char *id, *title; /* id NULL: a group */
    carom_page_status status;
} carom_page_entry;

struct carom_page {
    carom_arena *arena;
    char *title;
    carom_part part;
    carom_stream body;      /* stays in memory until close; keeps the first error */
    carom_stream intro;
    carom_page_entry *entry; /* [nentry] */
    int nentry, room;
    bool open;              /* a section is */
    int figures;
};

void carom_page_fail(carom_page *page, const char *what); /* no memory for it */

/* begin, the text with nothing in it taken for a tag, end; NULL is "" */
void carom_page_element(carom_stream *out, const char *begin, const char *text, const char *end);

/* ---- space.c: what the animation of bodies in space has of its own ---- */
struct carom_scene;
struct carom_draw_frames;
struct carom_animation;
void carom_page_space_still(carom_page *page, const struct carom_scene *scene, const struct carom_draw_frames *frames);
/* drawing.c: "arrows" and "counts": forces of all frames, and how many each has */
void carom_page_forces(carom_json *json, const struct carom_draw_frames *frames);
/* frames [nrun], scene [nrun] */
void carom_page_space_numbers(carom_stream *out, const struct carom_animation *animation,
                              const struct carom_draw_frames *frames, struct carom_scene **scene);

/* ---- thin.c: what of a series is worth keeping ---- */
typedef struct carom_page_thinned {
    double *x, *y; /* [n]; NULL and kept: the series itself */
    size_t n;
    bool kept;     /* nothing was left out */
} carom_page_thinned;
carom_status carom_page_thin(const carom_chart_series *series, const carom_chart *plot,
                             carom_page_thinned *thin, carom_error *error);

#endif
