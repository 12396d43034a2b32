/* contact.h: the blocks that all schemes share. */
#ifndef CAROM_CONTACT_H
#define CAROM_CONTACT_H

#include "contact/given_modes.h"
#include "contact/record.h"
#include "contact/system.h"
#include "core/room.h"
#include "solvers/solver.h"

/* Positions on their way onto joints and out of contacts. */
typedef struct carom_projection {
    int nactive, *active; /* [nlink] links in the projection: joints, then contacts in ascending order */
    double *q_free, *xi;  /* [nq]; [nv] how far it was moved */
    carom_room *room;     /* of Y, W and the solvers' work; NULL: for all links */
    double *Y;            /* [rows*nv] row i: M^-1 G_i^T; by blocks: as G of the system */
    int *row;             /* [nlink] by blocks: the row of the system */
    bool joints_alone;    /* contacts are left as they are */
    carom_problem problem;
    carom_solve solve;
} carom_projection;

/* The contacts of one step at velocity level: what is closed, the problem, its solution. */
typedef struct carom_contacts {
    int nactive, *active;  /* [nlink] links in the problem */
    unsigned char *hit;    /* [ncontact] the step was an impact for this contact */
    unsigned char *caught; /* [ncontact] slip that turned back in this step: 1 held by static friction, 2 it slips on */
    double *Y;             /* [rows*nv] row i: A^-1 G_i^T of active row i; by blocks: as G of the system, row by row */
    int *first_row;        /* [nlink+ncoupling] by blocks: the first row of the system of an active link */
    double *u_before;      /* [nrow] G v + w with the velocities before, on active rows */
    double *u_free;        /* [nrow] without impulses */
    double *u_after;       /* [nrow] */
    double *P;             /* [nrow] impulses; 0 on rows that are not active */
    double *a_free;        /* [nv] */
    double h;              /* length of the step whose impulses are sought; 0: an impact */
    bool follows;          /* small problems, too, start from the impulses of this step's last iteration */
    double *x0;            /* [nrow] of the problem, where laws have an offset */
    double *offset;        /* [ncontact] the same by contact */
    carom_room *room;      /* of Y, W and the solvers' work; NULL: for all rows */
    carom_problem problem;
    carom_solve solve;
    const carom_solver *solver; /* NULL: whichever fits */
    double accept;              /* residual of what gets no better; 0: that of solve.tol. Joints are solved to that */
    void (*told)(void *user, const struct carom_contacts *contacts, carom_status status, double seconds);
    void *user;                 /* told of every problem when it is done; told NULL: nobody */
    carom_equations closed; /* [nlink] of positions that are projected; by blocks: */
    carom_projection joints;
    struct {                /* memory of the impact rules, see rules.h */
        int *links;                 /* [nlink] */
        double *total, *v;          /* [nrow] [nv] */
        carom_problem problem;      /* from here on for poisson alone: the expansion */
        carom_solve solve;
        int *row;                   /* [nrow+ncontact] its rows in the compression */
        double *back, *limit;       /* [nrow] [nlink] */
    } rules;
} carom_contacts;

void carom_contacts_layout(carom_layout *layout, carom_contacts *contacts, const carom_system *system);

/* The links of a step: all joints, and the contacts with predicted gap g_bar <= 0; one that is closed stays in up to
 * rounding of the gap. Clears P and u. Returns whether G will be needed: a link is active, or a contact was closed. */
bool carom_contacts_activate(carom_contacts *contacts, const carom_system *system, const double *g_bar, const double *q,
                             const unsigned char *mode);

/* What the active links pose: A^-1 G^T, W and a block for each (b, pins and x0 are the caller's); the solution,
 * judged by the residual, with errors that name the contact; y = y_free + A^-1 G^T x and x spread over all rows. */
carom_status carom_contacts_pose(carom_contacts *contacts, const carom_system *system, const carom_factor *A,
                                 const carom_rows *rows, carom_error *error);
/* x0 of the problem from the coefficients of its blocks; what is open has no offset (mode NULL: all are closed). */
void carom_contacts_offsets(carom_contacts *contacts, const carom_system *system, const unsigned char *mode);
carom_status carom_contacts_solve(carom_contacts *contacts, carom_system *system, double t, carom_error *error);
/* The first guess of the problem that is posed, by rows of the system [nrow]. */
void carom_contacts_follow(carom_contacts *contacts, const carom_system *system, const double *last);
void carom_contacts_apply(const carom_contacts *contacts, const carom_system *system, const double *y_free, double *y,
                          double *x);
/* y += factor A^-1 G^T x of the problem solved last. */
void carom_contacts_push(const carom_contacts *contacts, const carom_system *system, double factor, double *y);
/* W of a problem of up to n rows (without b), Y = A^-1 G^T and the work of its solvers: by blocks for all links, else
 * for the rows that act. */
void carom_problem_place(carom_layout *layout, const carom_system *system, size_t n, carom_problem *problem,
                         double **Y, void **work);
carom_room_bytes carom_room_solvers; /* work of problems of rows x width rows */
/* W of a problem as a product, where matrices are given by blocks: one Y for each of the first rows of its blocks. */
void carom_contacts_product(carom_problem *problem, const carom_system *system, const carom_factor *A,
                            const carom_rows *rows, const int *row, double *Y);
/* Contacts that stick are solved with static friction first, and those whose slip has turned back, which have been at
 * rest on the way, once more with it. Gives those that slip nevertheless their mu; true: solve again. caught is 0 at
 * the first call of a problem. */
bool carom_contacts_break_loose(carom_contacts *contacts, const carom_system *system, const carom_state *now);

/* Block `accel_decide`: accelerations and contact forces of the active links at (t, q, v), see accel.c; slip [nrow]
 * gives the directions of the contacts that slip by mode. force [nrow] is 0 on rows that are not active. */
carom_status carom_contact_accel_decide(carom_contacts *contacts, carom_system *system, double t, const double *q,
                                        const double *v, const unsigned char *mode, const double *slip, double *a,
                                        double *force, carom_error *error);

/* Block `impact`: v_new = v_free + A^-1 G^T P with
 *     u_after + e u_before and P in the law,   u = G_u v + w_u
 * for the active links. G_u, w_u are the given rows; NULL: the system's own, which is where the impulses act. Contacts
 * that stick hold up to their static friction. */
carom_status carom_contact_impact(carom_contacts *contacts, carom_system *system, const carom_factor *A,
                                  const carom_rows *rows, const double *v, const double *v_free,
                                  const carom_state *now, double *v_new, carom_error *error);

/* Block `project_gaps`: the nearest q (in the metric of M) with g = 0 on all joints and g >= 0 on all contacts, see
 * gaps.c. Its memory is its own: the impulses of the step stay what they are. *moved tells whether q has changed. */
void carom_projection_layout(carom_layout *layout, carom_projection *projection, const carom_system *system);
carom_status carom_contact_project_gaps(carom_projection *projection, carom_contacts *contacts, carom_system *system,
                                        double t, double *q, const double *v, bool *moved, carom_error *error);

/* Block `project_q`: the nearest q (in the metric of M) with g = 0 on all joints. */
static inline carom_status carom_contact_project_q(carom_contacts *contacts, carom_system *system, double t, double *q,
                                                   const double *v, carom_error *error)
{
    bool moved;
    if (system->blocks.n)
        return carom_contact_project_gaps(&contacts->joints, contacts, system, t, q, v, &moved, error);
    carom_equations_closed(&contacts->closed, system, NULL);
    return carom_given_positions(&contacts->closed, system, NULL, t, q, v, error);
}
/* Equations W x + b = 0 of the first nj rows (joints) of a problem with n rows: takes the part of b away that
 * redundant joints cannot meet, as linearised at a q off their manifold. */
void carom_contact_consistent(carom_contacts *contacts, int nj, int n, const double *W, double *b);

/* Modes after a step that ended with contacts->P: fills next->mode, impulse and u, contacts->hit, and stages the
 * events. The system holds G and w of the step if a contact is active or was closed. Returns whether a contact was
 * hit: then the impulses of the step belong to a jump at its end, otherwise to forces. */
bool carom_contact_status(carom_contacts *contacts, const carom_system *system, const carom_state *now,
                          carom_state *next, const double *v_free, carom_record *record);

/* The modes at a start: closed where the gap and its velocity vanish (to rounding). */
void carom_contact_start(carom_system *system, carom_state *state);

/* Stages a step as one segment, velocities linear in time and positions to match, and the jump at its end. */
void carom_contact_record_step(const carom_contacts *contacts, const carom_system *system, const carom_state *now,
                               const carom_state *next, bool hit, carom_record *record);

/* Work and dissipation of a step of length h: powers of the forces at the point (t, q, v), work of the impulses from
 * the velocities before and after; all the work of an impact, tangential too, counts as impact. The system holds G
 * and w of the impulses. */
void carom_contact_account(const carom_contacts *contacts, carom_system *system, double h, double t, const double *q,
                           const double *v, const double *v_before, const double *v_after, carom_record *record);

#endif
