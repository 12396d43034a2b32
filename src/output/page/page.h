/* page.h: one offline HTML page: sections with a verdict, text, tables, plots, commands with their models, animations.
 *
 *   carom_page *page;
 *   CAROM_TRY(carom_page_new(&page, "reproduce.html", "Figures and tables", error));
 *   carom_page_group(page, "Paper 1");
 *   carom_page_section(page, "001-fig1", "Figure 1: the bouncing ball", CAROM_PAGE_PASS);
 *   carom_page_text(page, "Impacts accumulate at *t = 6.0083*; see `carom run bouncing-ball`.");
 *   carom_page_plot(page, &(carom_page_plot_data){.title = "Height", .x_label = "t", .series = series, .nseries = 1});
 *   return carom_page_close(page, error);
 *
 * Everything is copied and every text is escaped; NULL is "". Failures are kept until close. The page is written to a
 * file beside path, which takes its place only when all of it is on the disk. Each plot stands in the page twice: as
 * SVG, for print and where no script runs, and as numbers for the interactive one. */
#ifndef CAROM_PAGE_H
#define CAROM_PAGE_H

#include "core/core.h"

typedef enum carom_page_status {
    CAROM_PAGE_INFO, /* no verdict */
    CAROM_PAGE_PASS,
    CAROM_PAGE_FAIL,
    CAROM_PAGE_NOT_REPRODUCIBLE
} carom_page_status;

typedef struct carom_page carom_page;
carom_status carom_page_new(carom_page **page, const char *path, const char *title, carom_error *error);
/* above the table of contents; markup as in carom_page_text */
void carom_page_intro(carom_page *page, const char *text);
/* A heading over the sections that follow, also in the table of contents. */
void carom_page_group(carom_page *page, const char *title);
/* Ends the section before. id becomes the address (#id): letters, digits and - . _ stay, others become _. */
void carom_page_section(carom_page *page, const char *id, const char *title, carom_page_status status);
/* of the section that is open, when it is known later */
void carom_page_verdict(carom_page *page, carom_page_status status);
/* Paragraphs, parted by an empty line. `code` and *emphasis* within a line; a line that begins with "- " is an item. */
void carom_page_text(carom_page *page, const char *text);
void carom_page_format(carom_page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
void carom_page_heading(carom_page *page, const char *title); /* within a section */
void carom_page_note(carom_page *page, const char *text);  /* a paragraph that stands out: what is missing, a warning */
/* What is claimed against what was measured, with a badge each. */
void carom_page_claim(carom_page *page, const char *claim, const char *measured, carom_page_status status);
/* The exact command and, folded, the text of the model; either may be NULL. */
void carom_page_command(carom_page *page, const char *command, const char *model_name, const char *model_text);
void carom_page_folded(carom_page *page, const char *title, const char *text); /* any preformatted text, folded */

typedef struct carom_page_table {
    const char *title;
    const char *const *header; /* [ncolumn] */
    const char *const *cell;   /* [nrow*ncolumn]; "pass" and "fail" are shown as badges; numbers are aligned right */
    int ncolumn, nrow;
} carom_page_table;
void carom_page_table_put(carom_page *page, const carom_page_table *table);

/* ---- plots ---------------------------------------------------------------------------------------------
 * A NaN in x or y lifts the pen. In a line, two points in a row with the same x are a jump: they are joined by a thin
 * dotted line. Long series are thinned: the extremes of every pixel of a wide screen stay. */
typedef enum carom_page_style {
    CAROM_PAGE_LINE,
    CAROM_PAGE_POINTS,
    CAROM_PAGE_LINE_POINTS, /* both: convergence plots */
    CAROM_PAGE_STEPS,       /* y holds until the next x */
    CAROM_PAGE_STEMS,       /* lines from 0: impulses */
    CAROM_PAGE_DASHED,      /* a reference */
    CAROM_PAGE_PATH,        /* x may go back and forth: phase portraits; begin and end are marked */
    CAROM_PAGE_BAND         /* thick line between pairs of points: status bars over the rows of y_names */
} carom_page_style;
typedef struct carom_page_series {
    const char *name;
    const double *x, *y; /* [n] */
    size_t n;
    carom_page_style style;
    int colour;          /* 0: its place in the plot; k > 0: the colour of series k */
} carom_page_series;
typedef struct carom_page_mark { /* x NaN: a horizontal line at y; y NaN: a vertical one; slope not 0: a triangle */
    const char *text;
    double x, y;
    double slope;                /* with logx and logy: y ~ x^slope, drawn at (x, y) */
} carom_page_mark;
typedef struct carom_page_plot_data {
    const char *title, *x_label, *y_label;
    bool logx, logy;
    const carom_page_series *series; /* [nseries] */
    const carom_page_mark *marks;    /* [nmark] */
    int nseries, nmark;
    const char *const *y_names;      /* [ny] labels at y = 0, 1, ...; NULL: numbers */
    int ny;
    int height;                      /* in pixels; 0: 320 */
    bool zoom_both;                  /* dragging zooms x and y (scatter, portraits); else x alone, y follows */
    double x_from, x_to;             /* show at least this; equal: the range of the data */
    bool half;                       /* two in a row on a wide screen: convergence plots, portraits */
    const char *link;                /* plots with the same link show the same range of x; NULL: none */
} carom_page_plot_data;
void carom_page_plot(carom_page *page, const carom_page_plot_data *plot);

struct carom_animation; /* output/draw.h */
void carom_page_animation(carom_page *page, const struct carom_animation *animation);

/* Writes all of it, or nothing: path is as before when this fails. Frees the page. */
carom_status carom_page_close(carom_page *page, carom_error *error);
void carom_page_drop(carom_page *page); /* frees and writes nothing; NULL is fine */
bool carom_page_interactive(void);      /* whether this build has the script for interactive plots */

#endif
