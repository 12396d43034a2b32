/* accel.c: block `accel_decide`, the one-step problem at acceleration level.
 *
 *   M a = F + G^T x,   du/dt = G a + gamma                                                     (1)
 *   (du/dt, x) in the law of every active link: contacts press or open, sticking ones hold, up to static friction, or
 *   break loose; a contact that slips keeps its direction                                      (2) */
#include <math.h>

#include "contact/contact.h"

static void direction_of(const carom_link *link, const double *slip, double *s)
{
    int t = link->row + carom_link_normals(link);
    double x = slip[t], y = link->law->tangents > 1 ? slip[t + 1] : 0, size = hypot(x, y);
    s[0] = size > 0 ? x / size : 1;
    s[1] = size > 0 ? y / size : 0;
}

carom_status carom_contact_accel_decide(carom_contacts *contacts, carom_system *system, double t, const double *q,
                                        const double *v, const unsigned char *mode, const double *slip, double *a,
                                        double *force, carom_error *error)
{
    carom_contacts *c = contacts;
    int nv = system->nv;
    unsigned law = system->model->ncontact ? CAROM_LAW : 0, rows = c->nactive ? CAROM_JACOBIAN | CAROM_GAMMA | law : 0;
    carom_system_eval(system, CAROM_MASS | CAROM_FORCE | rows, t, q, v);
    CAROM_TRY(carom_mass_factor(system, t, error));
    double *a_free = c->a_free;
    carom_copy(nv, system->at.F, a_free);
    carom_factor_solve(system, &system->mass, a_free);
    for (int r = 0; r < system->nrow; r++)
        force[r] = 0;
    if (c->nactive == 0) {
        carom_copy(nv, a_free, a);
        return CAROM_OK;
    }
    CAROM_TRY(carom_contacts_pose(c, system, &system->mass, NULL, error));
    for (int k = 0; k < c->nactive; k++) {
        const carom_link *link = &system->link[c->active[k]];
        carom_block *block = &c->problem.block[k];
        for (int j = 0; j < link->rows; j++)
            c->problem.b[block->row + j] = carom_row_accel(system, link->row + j, a_free);
        if (link->contact < 0)
            continue;
        bool slips = link->law->tangents && mode[link->contact] == CAROM_SLIP;
        block->c = carom_link_coefficients(system, link, !slips, 1);
        block->pinned = slips, block->mode = CAROM_SLIP;                                         /* (2) */
        if (slips)
            direction_of(link, slip, block->direction);
    }
    carom_contacts_offsets(c, system, NULL);
    CAROM_TRY(carom_contacts_solve(c, system, t, error));
    carom_contacts_apply(c, system, a_free, a, force);                                           /* (1) */
    return CAROM_OK;
}
