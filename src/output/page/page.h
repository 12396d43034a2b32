/* page.h: one offline HTML page: sections with a verdict, text, tables, plots, commands with their models, animations.
 *
 *   carom_page *page;
 *   CAROM_TRY(carom_page_new(&page, "reproduce.html", "Figures and tables", error));
 *   carom_page_group(page, "Paper 1");
 *   carom_page_section(page, "001-fig1", "Figure 1: the bouncing ball", CAROM_PAGE_PASS);
 *   carom_page_text(page, "Impacts accumulate at *t = 6.0083*; see `carom run bouncing-ball`.");
 *   carom_page_plot(page, &(carom_chart){.title = "Height", .x_label = "t", .series = series, .nseries = 1});
 *   return carom_page_close(page, error);
 *
 * Everything is copied and every text is escaped; NULL is "". Failures are kept until close. The page is written to a
 * file beside path, which takes its place only when all of it is on the disk. Each plot stands in the page twice: as
 * SVG, for print and where no script runs, and as numbers for the interactive one. */
#ifndef CAROM_PAGE_H
#define CAROM_PAGE_H

#include "core/core.h"
#include "output/chart/chart.h"

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
/* Paragraphs, parted by an empty line. `code` and *emphasis* within a line; a line that begins with "- " is an item. */
void carom_page_text(carom_page *page, const char *text);
void carom_page_format(carom_page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
void carom_page_note(carom_page *page, const char *text);  /* a paragraph that stands out: what is missing, a warning */
/* The exact command and, folded, the text of the model; either may be NULL. */
void carom_page_command(carom_page *page, const char *command, const char *model_name, const char *model_text);

typedef struct carom_page_table {
    const char *title;
    const char *const *header; /* [ncolumn] */
    const char *const *cell;   /* [nrow*ncolumn]; "pass" and "fail" are shown as badges; numbers are aligned right */
    int ncolumn, nrow;
} carom_page_table;
void carom_page_table_put(carom_page *page, const carom_page_table *table);

/* A plot; long series are thinned: the extremes of every pixel of a wide screen stay. */
void carom_page_plot(carom_page *page, const carom_chart *plot);

struct carom_map_scale; /* output/map/map.h: cells of colour, in which one can zoom and read values */
void carom_page_map(carom_page *page, const struct carom_map_scale *scale);

struct carom_animation; /* output/draw.h */
void carom_page_animation(carom_page *page, const struct carom_animation *animation);

/* Writes all of it, or nothing: path is as before when this fails. Frees the page. */
carom_status carom_page_close(carom_page *page, carom_error *error);
void carom_page_drop(carom_page *page); /* frees and writes nothing; NULL is fine */

#endif
