/* parts.h: what the files that write a page share. */
#ifndef CAROM_PAGE_PARTS_H
#define CAROM_PAGE_PARTS_H

#include "output/page/page.h"
#include "output/stream.h"

typedef struct carom_page_entry { /* of the table of contents */
    char *id, *title; /* id NULL: a group */
    carom_page_status status;
    size_t badge; /* where its verdict goes: bytes of the body before it */
} carom_page_entry;

struct carom_page {
    carom_arena *arena;
    char *title, *path;     /* where it will stand */
    char *part;             /* where it is written; the same as path when that is no plain file */
    FILE *file;
    carom_stream body;      /* stays in memory until close; keeps the first error */
    carom_stream intro;
    carom_page_entry *entry; /* [nentry] */
    int nentry, room;
    int section;            /* entry that is open; -1: none */
    int figures;
    bool failed;            /* body was never opened */
};

/* ---- text.c ---- */
void carom_page_escape(carom_stream *out, const char *text);  /* for HTML text and attributes; keeps line ends */
void carom_page_quote(carom_stream *out, const char *text);   /* a JSON string that is safe inside <script> */
void carom_page_markup(carom_stream *out, const char *text);  /* paragraphs, items, `code`, *emphasis* */
void carom_page_say(carom_stream *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void carom_page_doubles(carom_stream *out, const double *values, size_t n); /* "base64", 8 bytes each, little endian */
void carom_page_floats(carom_stream *out, const double *values, size_t n);  /* 4 bytes each */
void carom_page_bytes(carom_stream *out, const unsigned char *values, size_t n);
const char *carom_page_class(carom_page_status status); /* pass, fail, open, info */
const char *carom_page_word(carom_page_status status);
void carom_page_badge(carom_stream *out, carom_page_status status);

/* ---- thin.c: what of a series is worth keeping ---- */
typedef struct carom_page_thinned {
    double *x, *y; /* [n]; NULL and kept: the series itself */
    size_t n;
    bool kept;     /* nothing was left out */
} carom_page_thinned;
carom_status carom_page_thin(const carom_page_series *series, const carom_page_plot_data *plot,
                             carom_page_thinned *thin, carom_error *error);

/* ---- svg.c ---- */
void carom_page_svg(carom_stream *out, const carom_page_plot_data *plot);

#endif
