/* painleve.c: block `painleve`, friction whose contact problem has no solution or more than one.
 *
 *   K_s = W_NN - W_NT mu s,   one direction s of slip for every closed contact, joints eliminated                 (1)
 *   all principal minors of all K_s positive: one solution (P-matrix); nothing is tried                           (2)
 *   otherwise every mode is:  open      x = 0,                      u_n >= 0
 *                             closed    u_n = 0,                    x_n >= 0      (no friction)
 *                             stick     u_n = u_t = 0,              |x_t| <= mu x_n
 *                             slip      u_n = 0,  x_t = -mu s x_n,  x_n >= 0,     s u_t >= 0 unless it slips already
 *                                       (3)
 *   counted are those with different u: forces of redundant contacts are never unique, that is no paradox          (4)
 *
 * u and x are accelerations and forces. Contacts that slip in a plane keep their direction; of contacts that stick in a
 * plane, and of more than four, nothing is tried. */
#include <math.h>

#include "contact/painleve.h"

enum { N = CAROM_PAINLEVE_MAX, OPEN = 0, CLOSED, STICK, SLIP, BACK };

void carom_painleve_layout(carom_layout *layout, carom_painleve_work *work, const carom_system *system)
{
    size_t n = system->nrow;
    CAROM_PLACE(layout, work->K, n * n);
    CAROM_PLACE(layout, work->z, n);
    CAROM_PLACE(layout, work->b, n);
    CAROM_PLACE(layout, work->work, 4 * n + 1);
    CAROM_PLACE(layout, work->x, n);
    CAROM_PLACE(layout, work->u, n);
    CAROM_PLACE(layout, work->u_first, n);
    CAROM_PLACE(layout, work->row, n);
    CAROM_PLACE(layout, work->order, n);
}

typedef struct trial { /* the problem and a mode of its contacts */
    const carom_problem *problem;
    carom_painleve_work *w;
    int nj, n;      /* joints, contacts */
    int mode[N];
    double s[N][2]; /* directions of slip */
} trial;

static int rows_of(const trial *t, int k)
{
    int block = t->nj + k, next = block + 1 < t->problem->nblock ? t->problem->block[block + 1].row : t->problem->n;
    return next - t->problem->block[block].row;
}

/* Column of the force of contact k in row r: its normal, with friction if it slips. */
static double column(const trial *t, int r, int k)
{
    const carom_problem *p = t->problem;
    const carom_block *block = &p->block[t->nj + k];
    double sum = p->W.dense[r * p->n + block->row], sign = t->mode[k] == BACK ? -1 : 1;
    for (int j = 1; t->mode[k] >= SLIP && j < rows_of(t, k); j++)
        sum -= carom_block_mu(block) * sign * t->s[k][j - 1] * p->W.dense[r * p->n + block->row + j];
    return sum;
}

/* The equations of the mode: x of joints, normals and sticking tangents, spread with friction over all rows; u. */
static void solve(trial *t)
{
    const carom_problem *p = t->problem;
    carom_painleve_work *w = t->w;
    int m = 0, owner[CAROM_PAINLEVE_MAX * 3];
    for (int i = 0; i < t->nj; i++)
        w->row[m++] = i;
    for (int k = 0; k < t->n; k++)
        for (int j = 0; t->mode[k] != OPEN && j < (t->mode[k] == STICK ? rows_of(t, k) : 1); j++)
            owner[m - t->nj] = j == 0 ? k : -1, w->row[m++] = p->block[t->nj + k].row + j;
    for (int i = 0; i < m; i++) {
        w->b[i] = -p->b[w->row[i]];
        for (int k = 0; k < m; k++)
            w->K[i * m + k] = k >= t->nj && owner[k - t->nj] >= 0 ? column(t, w->row[i], owner[k - t->nj])
                                                                  : p->W.dense[w->row[i] * p->n + w->row[k]];
    }
    for (int r = 0; r < p->n; r++)
        w->x[r] = 0;
    if (m)
        carom_least_squares(m, m, w->K, w->b, w->z, 1e-11, w->work, w->order);
    for (int i = 0; i < m; i++)
        w->x[w->row[i]] = w->z[i];
    for (int k = 0; k < t->n; k++) {
        const carom_block *block = &p->block[t->nj + k];
        for (int j = 1; t->mode[k] >= SLIP && j < rows_of(t, k); j++)
            w->x[block->row + j] =
                -carom_block_mu(block) * (t->mode[k] == BACK ? -1 : 1) * t->s[k][j - 1] * w->x[block->row];
    }
    for (int r = 0; r < p->n; r++)
        w->u[r] = p->b[r] + carom_dot(p->n, p->W.dense + r * p->n, w->x);
}

/* (3) */
static bool holds(const trial *t, double small)
{
    const carom_problem *p = t->problem;
    const carom_painleve_work *w = t->w;
    for (int i = 0; i < t->nj; i++)
        if (fabs(w->u[i]) > small)
            return false;
    for (int k = 0; k < t->n; k++) {
        const carom_block *block = &p->block[t->nj + k];
        int r = block->row;
        double scale = fabs(p->W.dense[r * p->n + r]), force = scale > 0 ? small / scale : small;
        if (w->x[r] < -force || w->u[r] < -small || (t->mode[k] != OPEN && fabs(w->u[r]) > small))
            return false;
        if (t->mode[k] == STICK &&
            (fabs(w->u[r + 1]) > small || fabs(w->x[r + 1]) > carom_block_mu(block) * w->x[r] + force))
            return false;
        if (t->mode[k] >= SLIP && block->pin != CAROM_PIN_SLIP && (t->mode[k] == BACK ? -1 : 1) * w->u[r + 1] < -small)
            return false;
    }
    return true;
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

/* Rows and columns of the normals, without what joints take: K_s of (1) in out. */
static void reduced(trial *t, double out[N][N])
{
    const carom_problem *p = t->problem;
    carom_painleve_work *w = t->w;
    for (int k = 0; k < t->n; k++) {
        for (int i = 0; i < t->nj; i++) {
            w->b[i] = column(t, i, k);
            for (int j = 0; j < t->nj; j++)
                w->K[i * t->nj + j] = p->W.dense[i * p->n + j];
        }
        if (t->nj)
            carom_least_squares(t->nj, t->nj, w->K, w->b, w->z, 1e-11, w->work, w->order);
        for (int i = 0; i < t->n; i++) {
            int r = p->block[t->nj + i].row;
            out[i][k] = column(t, r, k) - carom_dot(t->nj, p->W.dense + r * p->n, w->z);
        }
    }
}

/* (2) for one choice of directions; if not, the contact of the smallest minor's own entry. */
static bool all_minors_positive(trial *t, carom_painleve *found)
{
    double K[N][N], A[N][N];
    reduced(t, K);
    for (int set = 1; set < 1 << t->n; set++) {
        int index[N], m = 0;
        double scale = 1;
        for (int k = 0; k < t->n; k++)
            if (set >> k & 1)
                index[m++] = k;
        for (int i = 0; i < m; i++) {
            scale *= fabs(K[index[i]][index[i]]);
            for (int j = 0; j < m; j++)
                A[i][j] = K[index[i]][index[j]];
        }
        if (determinant(m, A) > 1e-9 * scale)
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

/* The next mode like a number whose digits are the contacts' choices; false after the last. */
static bool next_mode(trial *t, bool slip_only)
{
    for (int k = 0; k < t->n; k++) {
        const carom_block *block = &t->problem->block[t->nj + k];
        int last = rows_of(t, k) == 1 ? CLOSED : block->pin == CAROM_PIN_SLIP ? SLIP : BACK;
        int first = slip_only ? CAROM_MIN(last, SLIP) : OPEN;
        bool slips = block->pin == CAROM_PIN_SLIP && rows_of(t, k) > 1;
        if (t->mode[k] < last) {
            t->mode[k] += slips && t->mode[k] == OPEN ? SLIP : rows_of(t, k) > 1 && t->mode[k] == OPEN ? STICK : 1;
            return true;
        }
        t->mode[k] = first;
    }
    return false;
}

static bool begin(trial *t, const carom_contacts *c, const carom_system *system)
{
    bool rough = false;
    *t = (trial){.problem = &c->problem, .nj = system->njoint, .n = c->nactive - system->njoint};
    if (t->n < 1 || t->n > N)
        return false;
    for (int k = 0; k < t->n; k++) {
        const carom_block *block = &c->problem.block[t->nj + k];
        bool slips = block->pin == CAROM_PIN_SLIP;
        if (!carom_law_plain(block->law) || (block->law->tangents > 1 && !slips))
            return false;
        rough |= rows_of(t, k) > 1 && carom_block_mu(block) > 0;
        t->s[k][0] = slips ? block->direction[0] : 1;
        t->s[k][1] = slips ? block->direction[1] : 0;
    }
    return rough;
}

carom_painleve carom_contact_painleve(const carom_contacts *contacts, const carom_system *system,
                                      carom_painleve_work *work)
{
    carom_painleve found = {.solutions = -1, .contact = -1};
    trial t;
    double size = 0;
    if (!begin(&t, contacts, system))
        return found;
    t.w = work;
    for (int k = 0; k < t.n; k++)
        t.mode[k] = rows_of(&t, k) > 1 ? SLIP : CLOSED;
    bool safe = true;
    do
        safe = all_minors_positive(&t, &found);                                                  /* (2) */
    while (safe && next_mode(&t, true));
    if (safe)
        return found;
    for (int r = 0; r < t.problem->n; r++)
        size = CAROM_MAX(size, fabs(t.problem->b[r]));
    double small = 1e-9 * size;
    found.solutions = 0;
    for (int k = 0; k < t.n; k++)
        t.mode[k] = OPEN;
    do {
        solve(&t);
        if (!holds(&t, small))
            continue;
        double off = 0;
        for (int r = 0; found.solutions && r < t.problem->n; r++)
            off = CAROM_MAX(off, fabs(work->u[r] - work->u_first[r]));
        if (found.solutions == 0)
            carom_copy(t.problem->n, work->u, work->u_first);
        found.solutions += found.solutions == 0 || off > 100 * small;                            /* (4) */
    } while (found.solutions < 2 && next_mode(&t, false));
    for (int k = 0; k < t.n; k++)
        t.mode[k] = OPEN;
    solve(&t);
    found.b = work->u[t.problem->block[t.nj + found.contact].row];
    found.contact = system->link[contacts->active[t.nj + found.contact]].contact;
    return found;
}
