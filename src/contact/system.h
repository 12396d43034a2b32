/* system.h: a model together with the memory to evaluate it: what contact blocks and schemes work on. */
#ifndef CAROM_SYSTEM_H
#define CAROM_SYSTEM_H

#include "contact/couplings.h"
#include "core/core.h"
#include "core/dense.h"
#include "core/layout.h"
#include "laws/law.h"
#include "model/manifold.h"
#include "model/structure.h"

typedef struct carom_link { /* a joint or a contact: one block of rows */
    const char *name;
    const carom_law *law;
    int row, rows;
    int contact;     /* its number, -1 for a joint */
    long long id;    /* by which it is known from step to step: its number, unless the model finds its contacts */
    int coefficient; /* where its law's coefficients begin in at.law */
} carom_link;

typedef struct carom_blocks { /* of velocities, where matrices are given by them: bodies */
    int n;               /* 0: matrices are given in full */
    const int *first;    /* [n+1] velocities first[k] ... first[k+1]-1 */
    size_t *at;          /* [n+1] where the values of a block-diagonal matrix stand, rows of each block in full */
    int *of;             /* [nv] the block of a velocity */
    int widest;
} carom_blocks;

enum { CAROM_NEWTON_COEFFICIENTS = 3 };
typedef struct carom_factor { /* of the matrix that maps velocities to impulses: M, or M with implicit forces */
    int n;
    bool symmetric; /* Cholesky, else LU */
    bool swapped;   /* rows of a band */
    const carom_structure *structure; /* NULL: dense */
    const carom_blocks *blocks;       /* block-diagonal; NULL: not */
    const carom_couplings *coupled;   /* but for these; NULL: there are none */
    double *A;      /* [n*n]; the matrix itself for n = 1; skyline or band of the structure; blocks */
    int *pivot;     /* [n] */
    int *first;     /* [n] dense Cholesky factor: where its rows begin, as those of bodies that are not joined */
    double *x;      /* [n] the unknowns of a band, in its order */
    double made_of[CAROM_NEWTON_COEFFICIENTS]; /* where all else is constant */
    unsigned long epoch;                       /* of the system, when that was; 0: what it is made of may change */
} carom_factor;

/* G and w at a point: the system's own, or kept from another one. Values lie as the spans of the system say. */
typedef struct carom_rows {
    double *G, *w;
} carom_rows;

typedef struct carom_system {
    const carom_model *model; /* &present where contacts are found */
    carom_model present;      /* with the contacts of the step */
    int capacity;             /* contacts there is room for */
    carom_contact *contact;   /* [capacity] those of present */
    long long *contact_id;    /* [capacity] */
    carom_span *found_span;   /* [njoint+3*capacity+ncoupling] */
    int coupling_row;         /* where the rows of couplings stand among them; rows of a contact problem alone */
    carom_couplings *couplings; /* of the Newton matrix; NULL: there are none */
    carom_blocks blocks;
    carom_span *block_span;   /* [nv] of M, where it is given by blocks */
    size_t square;            /* values of M, R_q and R_v each */
    const carom_evaluator *evaluator;
    void *evaluator_work; /* of the model's evaluator */
    void *handed;         /* to the evaluator: the same, unless a watch stands in between */
    int nq, nv, nrow, nlink, njoint, ncontact;
    int nlaw;         /* coefficients of all contacts */
    int nalong, *along; /* [nlink] links without a normal */
    carom_link *link; /* [nlink]: the joints, then the contacts */
    double *p;        /* [np] */
    unsigned room;    /* what there are arrays for */
    unsigned known;   /* constants that have been evaluated: never again */
    double *K;        /* [ncoupling] of the Newton matrix */
    double *effective; /* [as at.law] coefficients that are not those of at.law, see carom_link_coefficients */
    double *zero;     /* [max(nv, nrow)] stands in for a and x where nobody gives them */
    double *xi;       /* [2*nv] room for local coordinates, if positions are no vectors */
    carom_eval at;    /* what was evaluated last, in arrays of the system's own */
    carom_factor mass;
    const carom_span *row_span;  /* [nrow] of G; NULL: all rows are dense */
    const carom_span *mass_span; /* [nv] of M; NULL: dense */
    size_t row_values;           /* how many values G has */
    struct { double *q, *v, *xi, *size, *r; } beside; /* [nq] [nv] [nv] [nv] [nv] of gradients.c */
    bool curved;        /* positions are no vectors */
    bool lost;          /* a contact of the step before that was not open is not among those found */
    unsigned frozen;    /* CAROM_SWITCH: evaluated with the branches at.d; 0: with its own */
    unsigned long epoch; /* counts the sets of parameters: what is constant holds for one of them */
    bool mass_factored;  /* and constant */
    bool no_gradients;  /* R_q and R_v are constant and 0: F depends on t alone */
    carom_info *info;
} carom_system;

/* Places the arrays that the masks in want need. */
void carom_system_layout(carom_layout *layout, carom_system *system, const carom_model *model, unsigned want);
/* The contacts of the next steps, of a model that finds them; carom_system_begin follows. */
void carom_system_links(carom_system *system, const carom_found *found, int n);
/* New parameters: the evaluator's prologue, then everything constant. at a start (t, q, v). */
void carom_system_begin(carom_system *system, double t, const double *q, const double *v);
/* R_q, R_v, A_q and A_v at (t, q, v) by differences, for given a and x; M, F, G and gamma there (gradients.c). */
void carom_system_differences(carom_system *system, double t, const double *q, const double *v, const double *a,
                              const double *x);
/* Contacts found with a margin below 0 are none here: their gaps are not below -margin. */
void carom_system_leave_out(carom_system *system);
/* Was the gap of a contact set by that? It has no rate of its own then: that of parallel edges is of any size. */
bool carom_system_left_out(const carom_system *system, int contact);
/* As people know it, for messages; in a buffer of the calling block where it was found. */
const char *carom_link_name(const carom_system *system, const carom_link *link, char *buffer, size_t size);
#define CAROM_LINK_NAME(system, link) carom_link_name(system, link, (char[200]){0}, 200)
/* Fills system->at with what is wanted and not constant. a, x, s of the derivatives are set by the caller. */
static inline void carom_system_eval(carom_system *system, unsigned want, double t, const double *q, const double *v)
{
    carom_eval *at = &system->at;
    want &= ~system->known;
    if (!want)
        return;
    bool margins = want & CAROM_GAP && system->room & CAROM_MARGIN && system->model->contact;
    at->want = want | system->frozen | (margins ? CAROM_MARGIN : 0u);
    at->t = &t, at->q = q, at->v = v;
    system->evaluator->eval(system->model, at, system->handed);
    if (want & CAROM_FORCE)
        system->info->rhs_evaluations++;
    for (int i = 0; want & CAROM_GAP && i < system->nalong; i++) /* links without a normal have no gap */
        at->g[system->along[i]] = 0;
    if (__builtin_expect(margins, false))
        carom_system_leave_out(system);
}
static inline bool carom_gaps_finite(const carom_system *system) /* those evaluated last */
{
    for (const double *g = system->at.g, *end = g + system->nlink; g < end; g++)
        if (*g - *g != 0)
            return false;
    return true;
}
/* The number of a contact's link, which is also that of its gap: joints come first, and this is where that is known. */
static inline int carom_contact_number(const carom_system *system, int contact)
{
    return system->njoint + contact;
}
static inline const carom_link *carom_contact_link(const carom_system *system, int contact)
{
    return &system->link[carom_contact_number(system, contact)];
}
/* Is it a joint, or a contact that is not open? */
static inline bool carom_link_closed(const carom_link *link, const unsigned char *mode)
{
    return link->contact < 0 || mode[link->contact] != CAROM_OPEN;
}
/* The coefficients of a contact's law evaluated last; NULL for a joint. */
static inline const double *carom_link_law(const carom_system *system, const carom_link *link)
{
    return link->contact < 0 ? NULL : system->at.law + link->coefficient;
}
static inline double carom_link_restitution(const carom_system *system, const carom_link *link, int row)
{
    return link->contact < 0 ? 0 : carom_law_restitution(link->law, system->at.law + link->coefficient, row);
}
static inline double carom_contact_restitution(const carom_system *system, int contact) /* of the normal */
{
    return carom_link_restitution(system, carom_contact_link(system, contact), 0);
}
/* Coulomb's coefficient, static if at rest; 0 where the law has none. */
static inline double carom_link_mu(const carom_system *system, const carom_link *link, bool at_rest)
{
    double held[CAROM_COEFFICIENTS_MAX];
    const double *c = link->law->mu ? system->at.law + link->coefficient : NULL;
    if (c && at_rest && link->law->at_rest)
        link->law->at_rest(c, held), c = held;
    return c ? link->law->mu(c) : 0;
}
static inline int carom_link_normals(const carom_link *link)
{
    return link->rows - link->law->tangents;
}
/* The constant part of the normal force; the law is one of x plus this. */
static inline double carom_link_offset(const carom_system *system, const carom_link *link)
{
    return link->law->offset ? link->law->offset(system->at.law + link->coefficient) : 0;
}
/* Do the coefficients evaluated last lie in their ranges? And those of all active links, unless they are constant. */
carom_status carom_link_in_range(const carom_system *system, const carom_link *link, double t, carom_error *error);
static inline carom_status carom_links_in_range(const carom_system *system, const int *links, int n, double t,
                                                carom_error *error)
{
    for (int k = 0; !(system->known & CAROM_LAW) && k < n; k++)
        if (system->link[links[k]].contact >= 0)
            CAROM_TRY(carom_link_in_range(system, &system->link[links[k]], t, error));
    return CAROM_OK;
}
/* |x - P(x)| for the cone of the law at rest, of a force (h = 1) or of the impulse of an impact (h = 0); x [rows]. */
double carom_link_outside(const carom_system *system, const carom_link *link, const double *x, double h);
/* The size of the friction in the force x [rows] and the most it may be, static if at rest. */
double carom_link_friction(const carom_system *system, const carom_link *link, bool at_rest, const double *x,
                           double *most);
/* Does the law of a contact know friction whose coefficients are 0? */
bool carom_link_smooth(const carom_system *system, const carom_link *link);
/* How friction turns with the slip along d: k of carom_law.turn. */
static inline double carom_link_turn(const carom_system *system, const carom_link *link, const double *d)
{
    return link->law->turn(system->at.law + link->coefficient, d);
}
/* The same as they hold for a contact that sticks (static friction), and for impulses of a step of length h: forces
 * among them times h; 1 for forces, 0 for an impact. Valid until it is asked again for the same link. */
const double *carom_link_coefficients(const carom_system *system, const carom_link *link, bool at_rest, double h);
/* Does the force x of a link repay what its impulse P lacks of the law, before positions are off by tol [nv]? They are
 * in the time T through what the impulses P [nrow] of all contacts lack: what two of them lack on the two sides of a
 * light body moves nothing. The system holds M, G and the law; speed: what velocities may be off by; column [nv]. */
double carom_system_repay_time(const carom_system *system, const double *P, const double *tol, double *column);
bool carom_link_repays(const carom_system *system, const carom_link *link, const double *P, const double *x,
                       const double *tol, double speed, double *column, double *T);
/* From q along the local coordinates h v, q + h v if positions are vectors: they move through here alone. out may be
 * q. */
void carom_system_drift_curved(const carom_system *system, const double *q, const double *v, double h, double *out);
static inline void carom_system_drift(const carom_system *system, const double *q, const double *v, double h,
                                      double *out)
{
    if (__builtin_expect(system->curved, false)) {
        carom_system_drift_curved(system, q, v, h, out);
        return;
    }
    for (int i = 0; i < system->nq; i++)
        out[i] = q[i] + h * v[i];
}
/* q along the sum of x[k] times row k of Y [n*nv], at once: turns one after the other would depend on their order. */
void carom_system_shift(const carom_system *system, int n, const double *Y, const double *x, double *q);
/* The local coordinates xi [nv] of `to` around q: to - q. */
static inline void carom_system_local(const carom_system *system, const double *q, const double *to, double *xi)
{
    carom_model_local(system->model, q, to, xi);
}
/* The rate of the local coordinates h y while the velocity is v: v itself if positions are vectors. out may be y or
 * v. */
void carom_system_rate_curved(const carom_system *system, const double *y, double h, const double *v, double *out);
static inline void carom_system_rate(const carom_system *system, const double *y, double h, const double *v,
                                     double *out)
{
    if (system->model->manifold)
        carom_system_rate_curved(system, y, h, v, out);
    else if (out != v)
        carom_copy(system->nv, v, out);
}
/* The second derivative of the local coordinates xi, given their rate, the velocity v and the acceleration a. */
void carom_system_bend(const carom_system *system, const double *xi, const double *rate, const double *v,
                       const double *a, double *out);
void carom_system_middle(const carom_system *system, const double *q, const double *to, double *out); /* of both */
/* What rtol refers to: |q| if positions are vectors. size [nv] becomes the larger one of both. */
void carom_system_size(const carom_system *system, const double *q, double *size);

/* Factors the M evaluated last; a constant one only once. */
carom_status carom_mass_refactor(carom_system *system, double t, carom_error *error);
static inline carom_status carom_mass_factor(carom_system *system, double t, carom_error *error)
{
    return system->mass_factored ? CAROM_OK : carom_mass_refactor(system, t, error);
}

/* x <- A^-1 x */
void carom_factor_solve_structured(const carom_factor *factor, double *x);
static inline void carom_factor_solve(const carom_system *system, const carom_factor *factor, double *x)
{
    system->info->linear_solves++;
    if (factor->n == 1)
        x[0] /= factor->A[0];
    else if (factor->structure || factor->blocks)
        carom_factor_solve_structured(factor, x);
    else if (factor->symmetric)
        carom_cholesky_solve_from(factor->n, factor->A, factor->first, x);
    else
        carom_lu_solve(factor->n, factor->A, factor->pivot, x);
}

/* ---- operators: nobody else reads M or G --------------------------------------------------------------
 * Sums run over ascending columns, so that what is left out because it is 0 does not change a bit. */

static inline double carom_span_sum(const carom_span *span, const double *values, double sum, const double *x)
{
    for (int b = 0; b < 2; b++) {
        const double *a = values + span->at[b], *y = x + span->first[b];
        for (int i = 0, n = span->count[b]; i < n; i++)
            sum += a[i] * y[i];
    }
    return sum;
}

/* sum + G_r x, added one by one */
static inline double carom_rows_sum(const carom_system *system, const carom_rows *rows, int r, double sum,
                                    const double *x)
{
    if (system->row_span)
        return carom_span_sum(&system->row_span[r], rows->G, sum, x);
    const double *a = rows->G + (size_t)r * (size_t)system->nv;
    for (int i = 0; i < system->nv; i++)
        sum += a[i] * x[i];
    return sum;
}

/* G_r x and G_r x + w_r of rows that were kept, or of those evaluated last */
static inline double carom_rows_dot(const carom_system *system, const carom_rows *rows, int r, const double *x)
{
    return carom_rows_sum(system, rows, r, 0, x);
}

static inline double carom_rows_speed(const carom_system *system, const carom_rows *rows, int r, const double *v)
{
    return carom_rows_sum(system, rows, r, 0, v) + rows->w[r];
}

static inline carom_rows carom_rows_here(const carom_system *system)
{
    return (carom_rows){system->at.G, system->at.w};
}

static inline double carom_row_dot(const carom_system *system, int r, const double *x)
{
    carom_rows rows = carom_rows_here(system);
    return carom_rows_sum(system, &rows, r, 0, x);
}

/* G_r x of an x that is 0 but from low to high */
static inline double carom_row_part(const carom_system *system, int r, int low, int high, const double *x)
{
    const carom_span all = {.at = {(size_t)r * (size_t)system->nv, 0}, .count = {system->nv, 0}};
    const carom_span *s = system->row_span ? &system->row_span[r] : &all;
    double sum = 0;
    for (int b = 0; b < 2; b++) {
        const double *G = system->at.G + s->at[b];
        int first = s->first[b], end = CAROM_MIN(first + s->count[b], high);
        for (int i = CAROM_MAX(first, low); i < end; i++)
            sum += G[i - first] * x[i];
    }
    return sum;
}

static inline double carom_row_speed(const carom_system *system, int r, const double *v)
{
    return carom_row_dot(system, r, v) + system->at.w[r];
}

/* G_r a + gamma_r */
static inline double carom_row_accel(const carom_system *system, int r, const double *a)
{
    return carom_row_dot(system, r, a) + system->at.gamma[r];
}

void carom_row_add(const carom_system *system, int r, double x, double *y); /* y += x G_r^T */
void carom_row_spread(const carom_system *system, int r, double *y);        /* of rows that have spans: */
static inline void carom_row_copy(const carom_system *system, int r, double *y) /* y = G_r^T */
{
    if (system->row_span)
        carom_row_spread(system, r, y);
    else
        carom_copy(system->nv, system->at.G + (size_t)r * (size_t)system->nv, y);
}
void carom_row_mix(const carom_system *system, int r, double a, double b, double *y); /* y = a G_r^T + b G_(r+1)^T */
double carom_row_entry(const carom_system *system, int r, int j);
double carom_row_column(const carom_system *system, int r, const double *x, int stride); /* sum_j G_rj x[j stride] */
void carom_rows_multiply_t(const carom_system *system, const double *x, double *y);      /* y = G^T x, all rows */
/* sum + G_r (x - y), added one by one, and sum_j |G_rj (x - y)_j|; y may be NULL for 0 */
double carom_rows_change(const carom_system *system, const carom_rows *rows, int r, double sum, const double *x,
                         const double *y);
double carom_rows_reach(const carom_system *system, const carom_rows *rows, int r, const double *x, const double *y);

/* Rows kept from one point while another is evaluated. */
void carom_rows_place(carom_layout *layout, const carom_system *system, carom_rows *rows);
void carom_rows_keep(const carom_system *system, int from, int to, carom_rows *rows); /* rows from ... to - 1 */
void carom_rows_restore(carom_system *system, const carom_rows *rows);
void carom_rows_move(const carom_system *system, int r, const carom_rows *from, carom_rows *to); /* row r alone */

void carom_mass_multiply(const carom_system *system, const double *x, double *y); /* y = M x */
void carom_mass_add(const carom_system *system, const double *x, double *y);      /* y += M x */
double carom_mass_entry(const carom_system *system, int i, int j);
/* x <- M^-1 x after carom_mass_factor */
static inline void carom_mass_solve(const carom_system *system, double *x)
{
    carom_factor_solve(system, &system->mass, x);
}
/* A Newton matrix, entry by entry from those of M, R_q and R_v (evaluated before) and some coefficients, factored.
 * One of constants is factored once for the same coefficients. false: it is singular. */
typedef void carom_newton_entries(size_t n, const double *M, const double *R_q, const double *R_v, const double *c,
                                  double *A);
void carom_newton_place(carom_layout *layout, const carom_system *system, carom_factor *factor);
/* Where M changes and is not factored itself: its diagonal is positive, or the run ends as carom_mass_factor does. */
carom_status carom_mass_positive(const carom_system *system, double t, carom_error *error);
bool carom_newton_factor(const carom_system *system, carom_factor *factor, carom_newton_entries *entries,
                         const double c[CAROM_NEWTON_COEFFICIENTS]);
/* The same for blocks: y holds the values of the one or two column blocks of row r, one after the other. */
void carom_factor_solve_blocks(const carom_system *system, const carom_factor *factor, int r, double *y);
/* y = A^-1 G_r^T, y = M^-1 G_r^T */
static inline void carom_factor_solve_row(const carom_system *system, const carom_factor *factor, int r, double *y)
{
    carom_row_copy(system, r, y);
    carom_factor_solve(system, factor, y);
}
static inline void carom_mass_solve_row(const carom_system *system, int r, double *y)
{
    carom_factor_solve_row(system, &system->mass, r, y);
}

#endif
