/* panel.h: which columns of a table are drawn, and where. */
#ifndef CAROM_SVG_PANEL_H
#define CAROM_SVG_PANEL_H

#include "output/svg/svg.h"

typedef struct carom_panel {
    int x;
    int *column;    /* [n] */
    int n, room;
    bool stems;     /* impulses: lines from 0 */
    bool dots;      /* a cloud of points */
    bool phase;
    bool x_labels;  /* else those of the panel below hold */
} carom_panel;
typedef struct carom_panels {
    carom_panel *panel; /* [n] */
    int n, room;
} carom_panels;

carom_status carom_panels_choose(carom_panels *panels, const carom_columns *table, const carom_plot *plot,
                                 carom_error *error);
void carom_panels_free(carom_panels *panels);

#endif
