/* reproduce.h: figures and tables of the literature as entries: each computes, draws, and checks what is claimed.
 *
 * An entry is one struct in the table of its paper (paper_001.c ...). Its run function puts what it finds into
 * carom_findings: text, tables, plots and checks. What becomes of them (a page, JSON) is decided elsewhere.
 *
 *   static carom_status run(carom_findings *f, carom_error *error)
 *   {
 *       ...
 *       carom_find_check(f, "order of L1.q", order, 0.9, 1.1);
 *       carom_find_series(carom_find_plot(f, "Height", "t", "y", 0), "kern", CAROM_CHART_LINE, n, t, y);
 *       return CAROM_OK;
 *   } */
#ifndef CAROM_REPRODUCE_H
#define CAROM_REPRODUCE_H

#include "carom_analysis.h"
#include "carom_output.h"
#include "core/core.h"
#include "output/chart/chart.h"

typedef struct carom_findings carom_findings;

typedef struct carom_entry {
    const char *id;       /* "001-fig1" */
    const char *paper;    /* "001": the key of carom_papers */
    const char *title;    /* "Figure 1: a ball comes to rest" */
    const char *claim;    /* what the paper says */
    const char *remark;   /* where it is wrong or silent, and what was done; NULL: nothing */
    const char *declared; /* why it cannot be reproduced: failing checks do not count; NULL: it can */
    const char *model;    /* built-in, whose text is shown; NULL: none */
    const char *command;  /* to paste; several lines: several commands */
    bool quick;           /* part of the short set */
    carom_status (*run)(carom_findings *findings, carom_error *error);
} carom_entry;

typedef struct carom_paper {
    const char *key, *title, *authors;
    const carom_entry *entry; /* .id NULL ends them */
} carom_paper;
extern const carom_paper carom_papers[]; /* .key NULL ends them */
const carom_entry *carom_entry_find(const char *id); /* NULL: there is none */

/* ---- what an entry finds ---- */
enum { CAROM_FINDING_LOGX = 1, CAROM_FINDING_LOGY = 2, CAROM_FINDING_LOGLOG = 3 };
typedef enum carom_finding_kind { CAROM_FINDING_TEXT, CAROM_FINDING_TABLE, CAROM_FINDING_PLOT } carom_finding_kind;
typedef struct carom_finding { /* in the order in which they were put */
    struct carom_finding *next;
    carom_findings *owner;
    carom_finding_kind kind;
    const char *title;      /* the text itself */
    carom_chart chart;      /* of a plot */
    const char **cell;      /* [(nrow+1)*ncolumn] of a table, the header first */
    int ncolumn, nrow;
} carom_finding;

struct carom_findings {
    carom_arena *arena;
    const carom_entry *entry;
    bool quick;    /* shorter runs are asked for */
    int threads;   /* 0: all */
    bool (*go_on)(void *user); /* false: end with CAROM_INTERRUPTED; NULL: nobody asks */
    void *user;
    carom_finding *first, *last;
    carom_finding_check *check; /* [ncheck] */
    int ncheck;
    bool full;     /* memory ran out */
    carom_status status;
    carom_error error;
    double wall_s;
};

/* All copy what they are given. */
void carom_find_text(carom_findings *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
void carom_find_check(carom_findings *f, const char *what, double measured, double least, double most);
/* A value that is known: passes within tolerance. */
void carom_find_value(carom_findings *f, const char *what, double measured, double known, double tolerance);
carom_finding *carom_find_plot(carom_findings *f, const char *title, const char *x_label, const char *y_label,
                               unsigned scale);
void carom_find_series(carom_finding *plot, const char *name, carom_chart_style style, size_t n, const double *x,
                       const double *y);
/* The series put last is drawn over an axis at the right, with `times` the left one; its y are over that. */
void carom_find_right(carom_finding *plot, double times);
void carom_find_slope(carom_finding *plot, double slope, double x, double y); /* a triangle there */
void carom_find_mark(carom_finding *plot, const char *text, double x, double y); /* NAN: a line for all of them */
/* header: "h|error|order"; cells of a row likewise. */
carom_finding *carom_find_table(carom_findings *f, const char *title, const char *header);
void carom_find_row(carom_finding *table, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Computes the entry. A failure is noted in findings->error and counts as a failed check; CAROM_NO_MEMORY,
 * CAROM_INTERRUPTED are returned. */
carom_status carom_entry_run(carom_findings *findings, const carom_entry *entry);
void carom_findings_free(carom_findings *findings); /* what it holds */
typedef enum carom_verdict { CAROM_VERDICT_PASS, CAROM_VERDICT_FAIL, CAROM_VERDICT_DECLARED } carom_verdict;
carom_verdict carom_findings_verdict(const carom_findings *findings);
const char *carom_verdict_name(carom_verdict verdict);

/* ---- what entries share ---- */
/* A run of a built-in model with parameters "e=0.5 y0=1" (NULL: its own) and options "scheme=kern h=0.01 t_end=10". */
typedef struct carom_run_log {
    carom_model *model;
    carom_sim *sim;
    carom_trajectory *trajectory;
} carom_run_log;
carom_status carom_run_log_model(carom_model **model, const char *name, const char *parameters, carom_error *error);
carom_status carom_run_log_options(carom_options *options, const carom_model *model, const char *settings,
                                   carom_error *error);
carom_status carom_run_log_make(carom_run_log *record, const char *model, const char *parameters, const char *settings,
                                carom_error *error);
void carom_run_log_free(carom_run_log *record);
/* Runs a comparison, draws its errors with the slopes that are declared for them, and checks the orders. */
typedef struct carom_comparison {
    const char *model, *parameters, *settings;
    const char *const *schemes;
    const char *const *norms;
    const double *h;
    int nscheme, nnorm, nh, shifts;
    const double *expected;     /* [scheme*nnorm + norm] orders that are declared; NAN: none; NULL: none at all */
    const double *least, *most; /* likewise: where a measured order must be; NAN: anywhere; NULL: expected -+ slack */
    double slack;
    const double *known; /* [(scheme*nnorm + norm)*nh + h] errors by another computation; NAN: not known; NULL: none.
                          * Goes with shifts = 1 */
    double within;       /* relative distance from known that passes */
    const char *figure;  /* one plot of all errors with this title, in which others may be already; NULL: one for each
                          * norm */
    bool relative;       /* it shows errors over the size of the exact solution in the norm */
} carom_comparison;
carom_status carom_find_orders(carom_findings *f, const carom_comparison *comparison, carom_error *error);
/* A check that the error of one run in each of these norms is not above most. */
typedef struct carom_exactness {
    const char *what, *model, *parameters, *settings, *scheme;
    const char *const *norms;
    int nnorm;
    double most;
} carom_exactness;
carom_status carom_find_exactness(carom_findings *f, const carom_exactness *exactness, carom_error *error);

#endif
