/* painleve.c: block `painleve`, friction whose contact problem has no solution or more than one.
 *
 *   K_s = W_NN + W_NT f_s,   f_s the friction of slip along s for x_n = 1, one s for every closed contact           (1)
 *   all principal minors of all K_s positive, or 0 because the normals are redundant: one solution (P-matrix) but for
 *   the shares; nothing is tried                                                                                   (2)
 *   otherwise the equations of every combination of modes are solved, and the residual judges                      (3)
 *   counted are those with different u: forces of redundant contacts are never unique, that is no paradox          (4)
 *
 * u and x are accelerations and forces, W what is left without joints and pinned slips. Contacts that slip keep their
 * direction; of contacts that stick in a plane, and of more than four, nothing is tried. */
#include <math.h>

#include "contact/painleve.h"
#include "solvers/parts.h"

enum { N = CAROM_PAINLEVE_MAX };

typedef struct trial { /* the problem, what the joints leave of it, and modes of its contacts */
    const carom_problem *problem;
    carom_reduced reduced;
    carom_modes modes;
    double *y, *x, *u, *u_first; /* [n] */
} trial;

static void place(carom_layout *layout, trial *t, int n, int nblock)
{
    carom_reduce_place(&t->reduced, layout, n, nblock, t->problem);
    carom_modes_place(&t->modes, layout, n, nblock, n);
    CAROM_PLACE(layout, t->y, n);
    CAROM_PLACE(layout, t->x, n);
    CAROM_PLACE(layout, t->u, n);
    CAROM_PLACE(layout, t->u_first, n);
}

void carom_painleve_layout(carom_layout *layout, carom_painleve_work *work, const carom_system *system)
{
    trial t = {0};
    carom_layout inner = {0};
    int n = CAROM_MIN(system->nrow, system->njoint + N * CAROM_LAW_ROWS);
    place(&inner, &t, n, CAROM_MIN(system->nlink, system->njoint + N));
    work->memory = carom_place(layout, inner.used);
}

/* Row r of the force of contact k: its normal, with friction if it slips. */
static double column(const trial *t, int r, int k)
{
    const carom_problem *p = &t->reduced.problem;
    const carom_block *block = &p->block[k];
    const double *W = p->W.dense + (size_t)r * (size_t)p->n + block->row;
    double s = t->modes.mode[k] == CAROM_SLIP_BACK ? -1 : 1, friction;
    if (block->law->tangents)
        block->law->slide(block->c, &s, 1, &friction);
    return carom_mode_column(block->law->tangents, W, &friction);
}

static double determinant(int n, double A[N][N])
{
    double d = 1;
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            best = fabs(A[i][k]) > fabs(A[best][k]) ? i : best;
        for (int j = 0; best != k && j < n; j++) {
            double swap = A[k][j];
            A[k][j] = A[best][j], A[best][j] = swap;
        }
        d *= best != k ? -A[k][k] : A[k][k];
        for (int i = k + 1; i < n && A[k][k] != 0; i++)
            for (int j = n - 1; j >= k; j--)
                A[i][j] -= A[i][k] / A[k][k] * A[k][j];
    }
    return d;
}

/* Are the normals of these contacts dependent, without friction? */
static bool redundant(const trial *t, int njoint, int m, const int *index)
{
    const carom_problem *p = t->problem;
    double A[N][N], scale = 1;
    for (int i = 0; i < m; i++) {
        int row = p->block[njoint + index[i]].row;
        scale *= fabs(p->W.dense[(size_t)row * (size_t)(p->n + 1)]);
        for (int j = 0; j < m; j++)
            A[i][j] = p->W.dense[(size_t)row * (size_t)p->n + (size_t)p->block[njoint + index[j]].row];
    }
    return determinant(m, A) <= 1e-9 * scale;
}

/* (2) for one choice of directions; if not, the contact of the smallest minor's own entry. */
static bool all_minors_positive(trial *t, int njoint, carom_painleve *found)
{
    double K[N][N], A[N][N];
    int n = t->reduced.problem.nblock;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            K[i][k] = column(t, t->reduced.problem.block[i].row, k);                             /* (1) */
    for (int set = 1; set < 1 << n; set++) {
        int index[N], m = 0;
        double scale = 1;
        for (int k = 0; k < n; k++)
            if (set >> k & 1)
                index[m++] = k;
        for (int i = 0; i < m; i++) {
            scale *= fabs(K[index[i]][index[i]]);
            for (int j = 0; j < m; j++)
                A[i][j] = K[index[i]][index[j]];
        }
        double d = determinant(m, A);
        if (d > 1e-9 * scale || (d > -1e-9 * scale && redundant(t, njoint, m, index)))
            continue;
        found->contact = index[0];
        for (int i = 1; i < m; i++)
            if (K[index[i]][index[i]] < K[found->contact][found->contact])
                found->contact = index[i];
        found->p = K[found->contact][found->contact];
        return false;
    }
    return true;
}

/* The next choice of directions; false after the last. */
static bool turn(trial *t)
{
    for (int k = 0; k < t->reduced.problem.nblock; k++) {
        bool back = t->modes.mode[k] == CAROM_SLIP_BACK;
        if (t->reduced.problem.block[k].law->tangents)
            t->modes.mode[k] = back ? CAROM_SLIP : CAROM_SLIP_BACK;
        if (t->reduced.problem.block[k].law->tangents && !back)
            return true;
    }
    return false;
}

/* Is there friction to be afraid of, and few enough contacts? */
static bool concerns(const carom_problem *problem, int njoint)
{
    bool friction = false;
    int n = problem->nblock - njoint;
    for (int k = njoint; k < problem->nblock; k++) {
        const carom_block *block = &problem->block[k];
        if (!carom_law_plain(block->law) || (block->law->tangents > 1 && !carom_block_slips(block)))
            return false;
        friction |= block->law->tangents && carom_block_mu(block) > 0;
    }
    return friction && n >= 1 && n <= N;
}

/* (3), (4) */
static int count_solutions(trial *t)
{
    const carom_problem *p = t->problem;
    double small = 1e-9 * carom_norm_max(p->n, p->b);
    int solutions = 0;
    carom_modes_first(&t->modes, &t->reduced.problem);
    do {
        for (int i = 0; i < t->reduced.problem.n; i++)
            t->y[i] = 0;
        if (!carom_modes_solve(&t->modes, &t->reduced.problem, t->y))
            continue;
        carom_reduce_expand(&t->reduced, p, t->y, t->x);
        if (!(carom_problem_residual(p, t->x, t->u, NULL) <= small))
            continue;
        double off = 0;
        for (int r = 0; solutions && r < p->n; r++)
            off = CAROM_MAX(off, fabs(t->u[r] - t->u_first[r]));
        if (solutions == 0)
            carom_copy(p->n, t->u, t->u_first);
        solutions += solutions == 0 || off > 100 * small;
    } while (solutions < 2 && carom_modes_next(&t->modes, &t->reduced.problem));
    return solutions;
}

carom_painleve carom_contact_painleve(const carom_contacts *contacts, const carom_system *system,
                                      carom_painleve_work *work)
{
    carom_painleve found = {.solutions = -1, .contact = -1};
    trial t = {.problem = &contacts->problem};
    if (!concerns(t.problem, system->njoint))
        return found;
    place(&(carom_layout){.base = work->memory}, &t, t.problem->n, t.problem->nblock);
    carom_reduce(&t.reduced, t.problem);
    for (int k = 0; k < t.reduced.problem.nblock; k++)
        t.modes.mode[k] = CAROM_SLIP;
    bool safe = true;
    do
        safe = all_minors_positive(&t, system->njoint, &found);                                  /* (2) */
    while (safe && turn(&t));
    if (safe)
        return found;
    found.solutions = count_solutions(&t);
    found.b = t.reduced.problem.b[t.reduced.problem.block[found.contact].row];
    found.contact = system->link[contacts->active[system->njoint + found.contact]].contact;
    return found;
}
