/* parts.h: what the sections of a report share. */
#ifndef CAROM_REPORT_PARTS_H
#define CAROM_REPORT_PARTS_H

#include "output/page/page.h"
#include "output/report/report.h"

enum { CAROM_REPORT_CURVES = 8, CAROM_REPORT_PLOTS = 12 }; /* the most in a plot; of a kind */

typedef struct carom_report {
    carom_page *page;
    carom_arena *arena;
    const carom_report_run *run; /* [nrun] */
    int nrun;
    double from, to;             /* of t, over all runs */
    bool failed;                 /* memory is out */
    unsigned char **kind;        /* [nrun][ncolumn] carom_column_kind; columns.c */
} carom_report;

/* ---- columns.c ---- */
/* The names of all columns of a kind in any of the runs, each once; NULL with *n = 0: none or no memory. */
const char **carom_report_names(carom_report *report, carom_column_kind kind, int *n);
const double *carom_report_column(const carom_report_run *run, const char *name); /* NULL: it has none */
void *carom_report_memory(carom_report *report, size_t bytes);                    /* NULL: none; remembered */
/* "ground" of "ground.force" */
const char *carom_report_stem(carom_report *report, const char *name);
/* Plots against time of the columns that are named: all in few plots for one run, one plot each for several. */
typedef struct carom_report_series {
    const char *title, *y_label;
    carom_chart_style style;
    bool skip_zero;  /* columns that are 0 throughout are left out */
} carom_report_series;
/* how many */
int carom_report_plots(carom_report *report, const char *const *names, int n, const carom_report_series *how);

/* ---- sections ---- */
void carom_report_motion(carom_report *report);
void carom_report_contacts(carom_report *report);
void carom_report_impacts(carom_report *report);
void carom_report_energy(carom_report *report);
void carom_report_steps(carom_report *report);

#endif
