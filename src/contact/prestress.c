/* prestress.c: block `prestress`, normal forces without any effect.
 *
 *   n >= 0, n != 0,  G_N^T n + G_J^T j = 0   of contacts that press, with forces j of joints                       (1)
 *   by Gordan's theorem there is none where some motion opens all of them, and the joints let it: with motions made of
 *   the rows themselves,  sum_k W_ik t_k >= 1 for every i of N,  = 0 for every i of J                             (2)
 *   least |t| under (2) (core/least_distance.c); where (2) contradicts itself its multipliers are (n, j)           (3)
 *
 * Such forces can be added to any solution, as large as one likes, and friction that they allow holds anything. Whether
 * there are any depends on how the parts were put together, of which rigid bodies know nothing. Here there are none. */
#include <math.h>
#include <string.h>

#include "contact/prestress.h"
#include "core/least_distance.h"

static size_t columns_bytes(size_t rows, size_t width)
{
    return sizeof(double) * (rows + 1) * width * rows;
}

static size_t work_bytes(size_t rows, size_t width)
{
    return sizeof(double) * carom_least_distance_work((int)rows, (int)(width * rows));
}

void carom_prestress_layout(carom_layout *layout, carom_prestress *prestress, const carom_system *system)
{
    int n = system->nrow, most = 2 * n; /* an equation counts twice */
    carom_room_place(layout, &prestress->E, columns_bytes, n, 2);
    CAROM_PLACE(layout, prestress->t, n);
    CAROM_PLACE(layout, prestress->y, most);
    CAROM_PLACE(layout, prestress->n, system->ncontact);
    carom_room_place(layout, &prestress->work, work_bytes, n, 2);
    CAROM_PLACE(layout, prestress->order, (size_t)(n + 1) + 2 * (size_t)most);
    CAROM_PLACE(layout, prestress->row, n);
    CAROM_PLACE(layout, prestress->out, system->ncontact);
}

static bool moves(const carom_problem *p, int row)
{
    return p->W.dense[(size_t)row * (size_t)(p->n + 1)] > 0;
}

/* The rows of (2), those of joints first; how many of these there are. A force without an effect is no prestress. */
static int gather(const carom_contacts *c, const carom_system *system, carom_prestress *s, int *count)
{
    const carom_problem *p = &c->problem;
    int n = 0, joints = 0;
    for (int k = 0; k < p->nblock; k++) {
        const carom_link *link = &system->link[c->active[k]];
        int row = p->block[k].row;
        if (link->contact < 0)
            for (int i = 0; i < link->rows; i++)
                joints += moves(p, row + i), s->row[n] = row + i, n += moves(p, row + i);
        else if (carom_law_can(link->law, CAROM_OPEN) && c->solve.x[row] + carom_link_offset(system, link) > 0 &&
                 moves(p, row))
            s->row[n++] = row;
    }
    *count = n;
    return joints;
}

bool carom_contact_prestress(const carom_contacts *contacts, const carom_system *system, carom_prestress *prestress)
{
    const carom_problem *p = &contacts->problem;
    carom_prestress *s = prestress;
    int n, joints = gather(contacts, system, s, &n), columns = 0;
    memset(s->n, 0, sizeof(double) * (size_t)system->ncontact);
    if (n == joints || n < 2)
        return false;
    for (int i = 0; i < n; i++)
        for (int sign = i < joints ? -1 : 1; sign <= 1; sign += 2, columns++) {
            double *E = s->E + (size_t)columns * (size_t)(n + 1);
            const double *W = p->W.dense + (size_t)s->row[i] * (size_t)p->n, *D = p->W.dense;
            for (int k = 0; k < n; k++)
                E[k] = sign * W[s->row[k]] / sqrt(W[s->row[i]] * D[(size_t)s->row[k] * (size_t)(p->n + 1)]);
            E[n] = i < joints ? 0 : 1;                                                                     /* (2) */
        }
    if (carom_least_distance(n, columns, s->E, s->t, s->y, s->work, s->order))
        return false;
    for (int k = 0, i = joints, j = 2 * joints; k < p->nblock; k++)                                        /* (3) */
        if (i < n && p->block[k].row == s->row[i]) {
            int contact = system->link[contacts->active[k]].contact;
            s->n[contact] = s->y[j] / sqrt(p->W.dense[(size_t)s->row[i] * (size_t)(p->n + 1)]);
            i++, j++;
        }
    return true;
}
