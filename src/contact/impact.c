/* impact.c: block `impact`, the one-step problem at velocity level.
 *
 *   A v_new = A v_free + G^T P                         G: directions of the impulses           (1)
 *   u = G_u v + w_u                                    relative velocities of the active rows  (2)
 *   W = G_u A^-1 G^T                                                                           (3)
 *   b = u(v_free) + e u(v)                             Newton's law, normal e, tangential e_t  (4)
 *   (W P + b, P) in the law of every active link       joints: e = 0                           (5)
 *
 * A contact that sticks holds up to its static friction: it is first solved with mu_s, and with mu if it slips. One
 * that slips and would slip back at the end of the step has been at rest within it: it is solved again in this way. */
#include <math.h>
#include <string.h>

#include "contact/contact.h"
#include "core/dense.h"

/* (2), (4) and the coefficients of friction */
static void given(carom_contacts *c, const carom_system *system, const carom_rows *rows, const double *v,
                  const double *v_free, const carom_state *now)
{
    for (int k = 0; k < c->nactive; k++) {
        const carom_link *link = &system->link[c->active[k]];
        carom_block *block = &c->problem.block[k];
        bool sticks = link->contact >= 0 && now->mode[link->contact] == CAROM_STICK;
        if (link->contact >= 0)
            c->caught[link->contact] = 0;
        block->c = carom_link_coefficients(system, link, sticks, c->h);
        for (int j = 0; j < link->rows; j++) {
            int r = link->row + j;
            double e = carom_link_restitution(system, link, j);
            c->u_before[r] = carom_rows_speed(system, rows, r, v);                     /* (2) */
            c->u_free[r] = carom_rows_speed(system, rows, r, v_free);
            c->problem.b[block->row + j] = c->u_free[r] + e * c->u_before[r];          /* (4) */
            if (system->blocks.n) /* many contacts are swept on from the last impulses */
                c->solve.x[block->row + j] = now->impulse[r];
        }
    }
}

void carom_contacts_follow(carom_contacts *contacts, const carom_system *system, const double *last)
{
    carom_contacts *c = contacts;
    for (int k = 0; k < c->nactive; k++) {
        const carom_link *link = &system->link[c->active[k]];
        carom_copy(link->rows, last + link->row, c->solve.x + c->problem.block[k].row);
    }
    c->solve.better = 1e-14; /* Newton's method of a step is to converge, and steps are to be told from rest */
}

/* The first guess of a large problem: the impulses of this step's last iteration, or of the step before, which the
 * state keeps by link. A small one starts from nothing: a guess that just passes the tolerance would be kept for
 * ever. But where a load can be shared in many ways, nothing leads to another share in each iteration: then those of
 * a step follow each other. */
static void start_from(carom_contacts *c, const carom_system *system, const carom_state *now)
{
    if (c->problem.n <= CAROM_SMALL_ROWS && !c->follows)
        return;
    carom_contacts_follow(c, system, carom_norm_max(system->nrow, c->P) > 0 ? c->P : now->impulse);
}

/* Other coefficients for a block; false: they are the same. */
static bool exchange(const carom_contacts *c, const carom_system *system, const carom_link *link, bool at_rest,
                     carom_block *block)
{
    double held[CAROM_COEFFICIENTS_MAX];
    int n = carom_law_coefficients(link->law);
    carom_copy(n, block->c, held);
    block->c = carom_link_coefficients(system, link, at_rest, c->h);
    return memcmp(held, block->c, sizeof *held * (size_t)n) != 0;
}

bool carom_contacts_break_loose(carom_contacts *contacts, const carom_system *system, const carom_state *now)
{
    carom_contacts *c = contacts;
    bool again = false;
    double scale = carom_norm_max(c->problem.n, c->problem.b);
    for (int k = 0; k < c->nactive; k++) {
        const carom_link *link = &system->link[c->active[k]];
        carom_block *block = &c->problem.block[k];
        if (!link->law->at_rest || now->mode[link->contact] < CAROM_STICK)
            continue;
        int normals = carom_link_normals(link);
        const double *u = c->solve.u + block->row + normals;
        bool sticks = now->mode[link->contact] == CAROM_STICK || c->caught[link->contact] == 1;
        if (sticks && block->c != carom_link_law(system, link) &&
            carom_norm_max(link->law->tangents, u) > 1e-9 * scale) {
            again |= exchange(c, system, link, false, block);
            c->caught[link->contact] = 2;
        } else if (!sticks && !c->caught[link->contact] && carom_link_restitution(system, link, normals) == 0 &&
                   carom_dot(link->law->tangents, u, now->u + link->row + normals) < 0) {
            c->caught[link->contact] = 1;
            again |= exchange(c, system, link, true, block);
        }
    }
    return again;
}

/* One contact without friction alone: (3)-(5) by hand. Y, x and u are left as a solver would leave them. */
static void one_contact(carom_contacts *c, carom_system *system, const carom_factor *A, const carom_rows *rows,
                        const double *v, const double *v_free, double *v_new)
{
    const carom_link *link = &system->link[c->active[0]];
    int nv = system->nv, r = link->row;
    double e = carom_link_restitution(system, link, 0);
    carom_factor_solve_row(system, A, r, c->Y);
    c->u_before[r] = carom_rows_speed(system, rows, r, v);                             /* (2) */
    c->u_free[r] = carom_rows_speed(system, rows, r, v_free);
    double W = carom_rows_dot(system, rows, r, c->Y);                                  /* (3) */
    double b = c->u_free[r] + e * c->u_before[r];                                      /* (4) */
    double P = b < 0 ? -b / W : 0;                                                     /* (5) */
    c->problem.n = 1;
    c->problem.block[0] = (carom_block){.law = link->law};
    c->solve.x[0] = c->P[r] = P;
    c->u_after[r] = c->u_free[r] + W * P;
    c->solve.residual = P > 0 ? fabs(b + W * P) / -b : 0;
    c->solve.iterations = c->solve.worst = 0;
    for (int i = 0; i < nv; i++)
        v_new[i] = v_free[i] + c->Y[i] * P;                                            /* (1) */
    system->info->contact_problems++;
}

carom_status carom_contact_impact(carom_contacts *contacts, carom_system *system, const carom_factor *A,
                                  const carom_rows *rows, const double *v, const double *v_free,
                                  const carom_state *now, double *v_new, carom_error *error)
{
    carom_contacts *c = contacts;
    carom_rows here = carom_rows_here(system);
    rows = rows ? rows : &here;
    CAROM_TRY(carom_links_in_range(system, c->active, c->nactive, now->t, error));
    if (c->nactive == 1 && !c->solver && !system->blocks.n && system->link[c->active[0]].law == &carom_law_unilateral) {
        one_contact(c, system, A, rows, v, v_free, v_new);
        if (c->solve.residual <= c->solve.tol)
            return CAROM_OK;
    }
    CAROM_TRY(carom_contacts_pose(c, system, A, rows, error));                                    /* (3) */
    given(c, system, rows, v, v_free, now);
    carom_contacts_offsets(c, system, now->mode);
    start_from(c, system, now);
    do
        CAROM_TRY(carom_contacts_solve(c, system, now->t, error));                                /* (5) */
    while (carom_contacts_break_loose(c, system, now));
    carom_contacts_apply(c, system, v_free, v_new, c->P);                                         /* (1) */
    for (int k = 0; k < c->nactive; k++) {
        const carom_link *link = &system->link[c->active[k]];
        for (int j = 0; j < link->rows; j++) {
            double e = carom_link_restitution(system, link, j);
            c->u_after[link->row + j] = c->solve.u[c->problem.block[k].row + j] - e * c->u_before[link->row + j];
        }
    }
    return CAROM_OK;
}
