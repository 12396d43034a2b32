/* shares.c: forces of least norm for the modes found (shares.h).
 *
 *   unknown z: y_n of what is closed without friction or slips, y = x + x0 in all rows of what sticks and of joints;
 *   slip along d has y = (1, slide(d)) z, what is open has none                                                    (1)
 *   the equations of the modes (u_n = 0; u = 0):  A z = r                                                          (2)
 *   least  sum of w z^2/2  under (2) and z in C: y_n >= 0, |y_t| <= mu y_n of what sticks, |y| <= c of dry friction
 *       that sticks; joints are free                                                                               (3)
 *       w = m W_nn of a normal, m the number of contacts that coincide with it: m equal shares of z together count
 *       as one contact with all of it; EPSILON of W_tt for what else sticks and for joints, which hardly
 *       weigh but make the choice unique. First with 1 for EPSILON, which tells whether there is any: the planes of
 *       C are nearly parallel in s otherwise
 *   in s = sqrt(w) z, B = A/sqrt(w), by Householder's reflections of B^T, the largest of its columns first:
 *       s = s_p + N t, s_p the solution of least norm, N orthonormal, B N = 0                                      (4)
 *   C in planes: g . s + c >= 0, two for a cone on a line; one in a plane has more and more of them, each where the
 *       last solution was outside; c = 0 but for dry friction                                                      (5)
 *   least |t| with g . N t >= -g . s_p - c (core/least_distance.c)                                                 (6)
 *
 * The share turns the slip: (1)-(6) are repeated with the new directions until the law holds. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/dense.h"
#include "core/layout.h"
#include "core/least_distance.h"
#include "problem/modes.h"
#include "solvers/shares.h"

#define EPSILON 1e-5
enum { CUTS = 40, TURNS = 100 };
typedef enum role { NONE, FREE, NORMAL, CONE, DRY } role;

typedef struct workspace {
    const carom_problem *p;
    double rank;               /* pivots below this part of the largest are 0 */
    int m, d;                  /* unknowns; dimension of N */
    role *role;                /* [nblock] */
    int *first;                /* [nblock] unknown of a block */
    int *row;                  /* [n] of the problem for an unknown */
    int *block;                /* [n] of an unknown */
    double *along;             /* [2*nblock] d of what slips, */
    double *friction;          /* [2*nblock] and slide(d) */
    double *A, *H;             /* [n*n] A, then N by columns; the reflections of B^T */
    double *root;              /* [n] sqrt(w) */
    double *r, *s, *z, *t;     /* [n] s: s_p, then the solution; z: what is found */
    double *y, *v;             /* [n] */
    int *order;                /* [n] */
    int ncut, most;            /* planes of C, and how many there is room for */
    int *cut_block;            /* [most] */
    double *cut_along;         /* [2*most] the direction of a cone's plane; 0: y_n >= 0 */
    double *E, *room;          /* [(n+1)*most] [of least_distance] */
    int *room_order;           /* [n+1+2*most] */
} workspace;

static void place(workspace *w, carom_layout *layout, int n, int nblock)
{
    double **vectors[] = {&w->root, &w->r, &w->s, &w->z, &w->t, &w->y, &w->v};
    size_t square = (size_t)n * (size_t)n;
    w->most = 3 * n + CUTS;
    CAROM_PLACE(layout, w->role, nblock);
    CAROM_PLACE(layout, w->first, nblock);
    CAROM_PLACE(layout, w->row, n);
    CAROM_PLACE(layout, w->block, n);
    CAROM_PLACE(layout, w->along, 2 * (size_t)nblock);
    CAROM_PLACE(layout, w->friction, 2 * (size_t)nblock);
    CAROM_PLACE(layout, w->A, square);
    CAROM_PLACE(layout, w->H, square);
    for (int i = 0; i < CAROM_COUNT(vectors); i++)
        CAROM_PLACE(layout, *vectors[i], n);
    CAROM_PLACE(layout, w->order, n);
    CAROM_PLACE(layout, w->cut_block, w->most);
    CAROM_PLACE(layout, w->cut_along, 2 * (size_t)w->most);
    CAROM_PLACE(layout, w->E, (size_t)(n + 1) * (size_t)w->most);
    CAROM_PLACE(layout, w->room, carom_least_distance_work(n, w->most));
    CAROM_PLACE(layout, w->room_order, (size_t)(n + 1) + 2 * (size_t)w->most);
}

size_t carom_share_work(int n, int nblock)
{
    workspace w;
    carom_layout layout = {0};
    place(&w, &layout, n, nblock);
    return layout.used + 16;
}

/* (1) of a block that is not pinned. false: its slip has no equations of this kind. */
static bool read_mode(workspace *w, int k, double still, const double *u)
{
    const carom_block *block = &w->p->block[k];
    const carom_law *law = block->law;
    int normals = law->rows - law->tangents;
    const double *ut = u + block->row + normals;
    double slip = law->tangents == 2 ? hypot(ut[0], ut[1]) : law->tangents == 1 ? fabs(ut[0]) : 0;
    if (law == &carom_law_bilateral) {
        w->role[k] = FREE;
        return true;
    }
    if (normals == 0) {
        w->role[k] = DRY;
        return slip <= still && law->tangents == 1;
    }
    double *d = w->along + 2 * (size_t)k;
    d[0] = law->tangents ? ut[0] / slip : 0, d[1] = law->tangents > 1 ? ut[1] / slip : 0;
    w->role[k] = u[block->row] > still ? NONE : law->tangents && slip <= still ? CONE : NORMAL;
    if (w->role[k] == NORMAL && law->tangents)
        law->slide(block->c, d, 1, w->friction + 2 * (size_t)k);
    return w->role[k] != CONE || law->mu;
}

static bool choose(workspace *w, double still, const double *u)
{
    w->m = 0;
    memset(w->friction, 0, sizeof(double) * 2 * (size_t)w->p->nblock);
    for (int k = 0; k < w->p->nblock; k++) {
        const carom_block *block = &w->p->block[k];
        const carom_law *law = block->law;
        bool known = law->tangents < law->rows;
        if (carom_block_is(block, CAROM_OPEN))
            w->role[k] = NONE, known = true;
        else if (carom_block_is(block, CAROM_STICK))
            w->role[k] = FREE, known = true;
        else if (carom_block_slips(block)) {
            w->role[k] = known ? NORMAL : NONE; /* without a normal its force is given */
            known = true;
            law->slide(block->c, block->direction, 1, w->friction + 2 * (size_t)k);
        } else
            known = read_mode(w, k, still, u);
        if (!known)
            return false;
        w->first[k] = w->m;
        int unknowns = w->role[k] == NONE ? 0 : w->role[k] == NORMAL ? 1 : law->rows;
        for (int i = 0; i < unknowns; i++, w->m++) {
            w->row[w->m] = block->row + i;
            w->block[w->m] = k;
        }
    }
    return true;
}

/* A of (2) */
static void equations(workspace *w)
{
    const carom_problem *p = w->p;
    int m = w->m;
    memset(w->A, 0, sizeof(double) * (size_t)m * (size_t)m);
    for (int i = 0; i < m; i++) {
        int k = w->block[i];
        carom_neighbour l = {0};
        while (carom_delassus_next(p, k, &l)) {
            const double *W = l.W + (w->row[i] - p->block[k].row) * l.stride;
            double *A = w->A + (size_t)i * (size_t)m + w->first[l.block];
            int rows = w->role[l.block] == NONE ? 0 : w->role[l.block] == NORMAL ? 1 : p->block[l.block].law->rows;
            for (int j = 0; j < rows; j++)
                A[j] = W[j];
            if (w->role[l.block] == NORMAL)
                A[0] = carom_mode_column(p->block[l.block].law->tangents, W,
                                         w->friction + 2 * (size_t)l.block);                   /* (1) */
        }
    }
}

/* Do the contacts k and l have the same equations and the same effect? */
static bool coincide(const workspace *w, int k, int l)
{
    int rows = w->role[k] == NORMAL ? 1 : w->p->block[k].law->rows, m = w->m;
    if (w->role[k] != w->role[l] || (w->role[k] != NORMAL && w->p->block[k].law != w->p->block[l].law))
        return false;
    for (int i = 0; i < rows; i++) {
        int a = w->first[k] + i, b = w->first[l] + i;
        double size = 1e-12 * fabs(w->A[(size_t)a * (size_t)(m + 1)]);
        for (int j = 0; j < m; j++) {
            const double *column = w->A + (size_t)j * (size_t)m;
            if (fabs(column[a] - column[b]) > size ||
                fabs(w->A[(size_t)a * (size_t)m + (size_t)j] - w->A[(size_t)b * (size_t)m + (size_t)j]) > size)
                return false;
        }
    }
    return true;
}

/* sqrt(w) */
static void weigh(workspace *w, double epsilon)
{
    const carom_problem *p = w->p;
    for (int k = 0; k < p->nblock; k++) {
        int rows = p->block[k].law->rows, stride, copies = 0;
        bool light_all = w->role[k] == FREE || w->role[k] == DRY;
        const double *W = carom_delassus_block(p, k, k, &stride);
        double trace = 0;
        if (w->role[k] == NONE)
            continue;
        for (int l = 0; l < p->nblock && w->role[k] != FREE; l++)
            copies += w->role[l] == w->role[k] && (l == k || coincide(w, k, l));
        for (int i = light_all ? 0 : 1; i < rows; i++)
            trace += W[i * (stride + 1)];
        int counted = light_all ? rows : rows - 1;
        double light = epsilon * (trace > 0 ? trace / counted : 1) * CAROM_MAX(copies, 1);
        double heavy = (W[0] > 0 ? W[0] : 1) * CAROM_MAX(copies, 1);
        for (int i = 0; i < (w->role[k] == NORMAL ? 1 : rows); i++)
            w->root[w->first[k] + i] = sqrt(i == 0 && !light_all ? heavy : light);
    }
}

/* ---- (4) ---- */

/* Column k of H is reflected so that only its entry k is left below; the reflection stays below the diagonal with its
 * first entry in t[k]. */
static void reflect(workspace *w, int k, double size)
{
    int m = w->m;
    double *H = w->H, diagonal = H[(size_t)k * (size_t)(m + 1)], sign = diagonal < 0 ? -1 : 1, sum = 0;
    w->t[k] = diagonal + sign * size;
    for (int i = k + 1; i < m; i++)
        sum += H[(size_t)i * (size_t)m + (size_t)k] * H[(size_t)i * (size_t)m + (size_t)k];
    double scale = 2 / (sum + w->t[k] * w->t[k]);
    for (int j = k + 1; j < m; j++) {
        double along = w->t[k] * H[(size_t)k * (size_t)m + (size_t)j];
        for (int i = k + 1; i < m; i++)
            along += H[(size_t)i * (size_t)m + (size_t)k] * H[(size_t)i * (size_t)m + (size_t)j];
        H[(size_t)k * (size_t)m + (size_t)j] -= scale * along * w->t[k];
        for (int i = k + 1; i < m; i++)
            H[(size_t)i * (size_t)m + (size_t)j] -= scale * along * H[(size_t)i * (size_t)m + (size_t)k];
    }
    H[(size_t)k * (size_t)(m + 1)] = -sign * size;
}

/* x <- Q x by the reflections of rank many columns */
static void turn_back(const workspace *w, int rank, double *x)
{
    int m = w->m;
    for (int k = rank - 1; k >= 0; k--) {
        const double *H = w->H + k;
        double sum = w->t[k] * w->t[k], along = w->t[k] * x[k];
        for (int i = k + 1; i < m; i++) {
            sum += H[(size_t)i * (size_t)m] * H[(size_t)i * (size_t)m];
            along += H[(size_t)i * (size_t)m] * x[i];
        }
        x[k] -= 2 / sum * along * w->t[k];
        for (int i = k + 1; i < m; i++)
            x[i] -= 2 / sum * along * H[(size_t)i * (size_t)m];
    }
}

/* The largest column of H from k on comes to k; its size below row k. */
static double largest(workspace *w, int k)
{
    int m = w->m, best = k;
    double most = -1;
    for (int j = k; j < m; j++) {
        double sum = 0;
        for (int i = k; i < m; i++)
            sum += w->H[(size_t)i * (size_t)m + (size_t)j] * w->H[(size_t)i * (size_t)m + (size_t)j];
        if (sum > most)
            most = sum, best = j;
    }
    for (int i = 0; best != k && i < m; i++) {
        double *a = &w->H[(size_t)i * (size_t)m + (size_t)k], *b = &w->H[(size_t)i * (size_t)m + (size_t)best], c = *a;
        *a = *b, *b = c;
    }
    int swap = w->order[k];
    w->order[k] = w->order[best], w->order[best] = swap;
    return sqrt(most);
}

/* B^T reflected in H; its rank. */
static int decompose(workspace *w)
{
    int m = w->m, rank = 0;
    double first = 0;
    for (int i = 0; i < m; i++) {
        w->order[i] = i;
        for (int j = 0; j < m; j++)
            w->H[(size_t)j * (size_t)m + (size_t)i] = w->A[(size_t)i * (size_t)m + (size_t)j] / w->root[j];
    }
    for (; rank < m; rank++) {
        double size = largest(w, rank);
        first = rank ? first : size;
        if (!(size > w->rank * first))
            break;
        reflect(w, rank, size);
    }
    return rank;
}

/* s_p and N from B and r. false: the equations contradict each other. */
static bool solve_equations(workspace *w)
{
    int m = w->m, rank = decompose(w);
    double off = 0;
    memset(w->s, 0, sizeof(double) * (size_t)m);
    for (int j = 0; j < m; j++) {
        double rest = w->r[w->order[j]];
        for (int i = 0; i < j && i < rank; i++)
            rest -= w->H[(size_t)i * (size_t)m + (size_t)j] * w->s[i];
        if (j < rank)
            w->s[j] = rest / w->H[(size_t)j * (size_t)(m + 1)];
        else
            off = fmax(off, fabs(rest));
    }
    turn_back(w, rank, w->s);
    w->d = m - rank;
    for (int k = 0; k < w->d; k++) {
        double *N = w->A + (size_t)k * (size_t)m;
        memset(N, 0, sizeof(double) * (size_t)m);
        N[rank + k] = 1;
        turn_back(w, rank, N);
    }
    return off <= 1e-9 * carom_norm_max(m, w->r);
}

/* ---- (5), (6) ---- */

static bool add_cut(workspace *w, int k, double x, double y)
{
    if (w->ncut == w->most)
        return false;
    w->cut_block[w->ncut] = k;
    w->cut_along[2 * w->ncut] = x, w->cut_along[2 * w->ncut + 1] = y;
    w->ncut++;
    return true;
}

static bool first_cuts(workspace *w)
{
    bool room = true;
    w->ncut = 0;
    for (int k = 0; k < w->p->nblock; k++) {
        if (w->role[k] == NORMAL || (w->role[k] == CONE && !(carom_block_mu(&w->p->block[k]) > 0)))
            room = room && add_cut(w, k, 0, 0);
        for (int way = -1; (w->role[k] == CONE || w->role[k] == DRY) && way <= 1; way += 2)
            room = room && add_cut(w, k, way, 0);
    }
    return room;
}

/* g . x of a plane, x in the scale of s */
static double across(const workspace *w, int cut, const double *x)
{
    int k = w->cut_block[cut], f = w->first[k];
    const double *along = w->cut_along + 2 * cut;
    if (along[0] == 0 && along[1] == 0)
        return x[f];
    if (w->role[k] == DRY)
        return -along[0] * x[f];
    double sum = carom_block_mu(&w->p->block[k]) * x[f] / w->root[f];
    for (int i = 0; i < w->p->block[k].law->tangents; i++)
        sum -= along[i] * x[f + 1 + i] / w->root[f + 1 + i];
    return sum * w->root[f + 1]; /* tangents are light: near to a unit vector */
}

/* c of a plane */
static double beyond(const workspace *w, int cut)
{
    int k = w->cut_block[cut];
    const carom_block *block = &w->p->block[k];
    double most = 0, x = 0;
    if (w->role[k] == DRY)
        block->law->friction(block->c, &x, &most);
    return most * w->root[w->first[k]];
}

/* Planes where a cone is left by more than `small`; false: there is no room. *outside: by how much at most. */
static bool more_cuts(workspace *w, double small, double *outside)
{
    *outside = 0;
    for (int k = 0; k < w->p->nblock; k++) {
        const double *z = w->z + w->first[k];
        if (w->role[k] != CONE || w->p->block[k].law->tangents < 2)
            continue;
        double size = hypot(z[1], z[2]), most = carom_block_mu(&w->p->block[k]) * z[0];
        if (size <= most + small || size == 0)
            continue;
        *outside = fmax(*outside, size - most);
        if (!add_cut(w, k, z[1] / size, z[2] / size))
            return false;
    }
    return true;
}

/* Planes of cones that do not touch the solution z make room for others: what they cut away is farther than z. */
static void drop_cuts(workspace *w, double size)
{
    int kept = 0;
    for (int i = 0; i < w->m; i++)
        w->y[i] = w->z[i] * w->root[i];
    for (int j = 0; j < w->ncut; j++) {
        const double *along = w->cut_along + 2 * j;
        if (along[1] != 0 && across(w, j, w->y) > 1e-6 * size)
            continue;
        w->cut_block[kept] = w->cut_block[j];
        w->cut_along[2 * kept] = along[0], w->cut_along[2 * kept + 1] = along[1];
        kept++;
    }
    w->ncut = kept;
}

/* (5), (6): z; false: nothing is in C, or it was not found. Planes that are parallel but for rounding lead no
 * further: what is outside by a part `tol` of all forces is inside. */
static bool nearest(workspace *w, double tol)
{
    int m = w->m, d = w->d;
    double size = sqrt(carom_dot(m, w->s, w->s)), outside = INFINITY, before = INFINITY, all = 0;
    bool found = first_cuts(w), stalls = false;
    for (int round = 0; found && outside > 0 && !stalls && round < CUTS; round++, before = outside) {
        for (int j = 0; j < w->ncut; j++) {
            double *E = w->E + (size_t)j * (size_t)(d + 1);
            for (int i = 0; i < d; i++)
                E[i] = across(w, j, w->A + (size_t)i * (size_t)m);
            E[d] = -(across(w, j, w->s) + beyond(w, j)) / size;
        }
        found = carom_least_distance(d, w->ncut, w->E, w->t, NULL, w->room, w->room_order);
        for (int i = 0; found && i < m; i++) {
            w->z[i] = w->s[i];
            for (int k = 0; k < d; k++)
                w->z[i] += w->A[(size_t)k * (size_t)m + (size_t)i] * w->t[k] * size;
            w->z[i] /= w->root[i];
        }
        all = carom_norm_max(m, w->z);
        found = found && (drop_cuts(w, size), more_cuts(w, 1e-13 * all, &outside));
        stalls = outside <= tol * all && outside > 0.5 * before;
    }
    return found && (stalls || outside == 0);
}

/* r of (2): what moves the rows without z */
static void right_side(workspace *w, const double *x)
{
    const carom_problem *p = w->p;
    for (int k = 0; k < p->nblock; k++) {
        const carom_block *block = &p->block[k];
        bool given = carom_block_slips(block) && block->law->tangents == block->law->rows;
        for (int i = block->row; i < block->row + block->law->rows; i++)
            w->y[i] = given ? x[i] : p->x0 ? -p->x0[i] : 0;
    }
    carom_copy(p->n, p->b, w->v);
    carom_delassus_add(p, w->y, w->v);
    for (int i = 0; i < w->m; i++)
        w->r[i] = -w->v[w->row[i]];
}

static void spread(const workspace *w, const double *x, double *out)
{
    const carom_problem *p = w->p;
    carom_copy(p->n, x, out);
    for (int k = 0; k < p->nblock; k++) {
        int row = p->block[k].row, f = w->first[k], normals = p->block[k].law->rows - p->block[k].law->tangents;
        for (int i = 0; i < p->block[k].law->rows && (normals || w->role[k] == DRY); i++) {
            double y = w->role[k] == NONE                 ? 0
                       : w->role[k] == NORMAL && i > 0    ? w->friction[2 * (size_t)k + (size_t)i - 1] * w->z[f]
                                                          : w->z[f + i];
            out[row + i] = y - (p->x0 ? p->x0[row + i] : 0);
        }
    }
}

/* (2)-(6) for the present directions: y. false: not found. */
static bool turn(workspace *w, const double *x, double tol)
{
    right_side(w, x);
    if (!solve_equations(w) || !nearest(w, tol))
        return false;
    spread(w, x, w->y);
    return true;
}

/* The directions of the slip v of what is not pinned, or a part of the way there from those before; false: it has come
 * to rest, or nothing slips. */
static bool follow(workspace *w, double still, double part)
{
    bool any = false;
    for (int k = 0; k < w->p->nblock; k++) {
        const carom_block *block = &w->p->block[k];
        if (w->role[k] != NORMAL || block->law->tangents == 0 || carom_block_is(block, CAROM_SLIP))
            continue;
        const double *ut = w->v + block->row + 1;
        double *d = w->along + 2 * (size_t)k, slip = block->law->tangents == 2 ? hypot(ut[0], ut[1]) : fabs(ut[0]);
        if (!(slip > still))
            return false;
        any = true;
        for (int i = 0; i < block->law->tangents; i++)
            d[i] += part * (ut[i] / slip - d[i]);
        double size = block->law->tangents == 2 ? hypot(d[0], d[1]) : fabs(d[0]);
        for (int i = 0; i < block->law->tangents; i++)
            d[i] = size > 0 ? d[i] / size : ut[i] / slip;
        block->law->slide(block->c, d, 1, w->friction + 2 * (size_t)k);
    }
    return any;
}

/* (2)-(6) until the directions hold: y and v = W y + b. Where they swing from side to side they go half the way. */
static bool seek(workspace *w, const double *x, double before, double tol, double still, double epsilon)
{
    double part = 1, last = INFINITY;
    weigh(w, epsilon);
    for (int k = 0; k < TURNS && turn(w, x, tol); k++) {
        double after = carom_problem_residual(w->p, w->y, w->v, NULL);
        if (after <= fmax(before, tol * carom_problem_scale(w->p, w->y)))
            return true;
        part = after > 0.7 * last ? fmax(0.5 * part, 0.05) : part;
        last = after;
        if (!follow(w, still, part))
            return false;
        equations(w);
    }
    return false;
}

carom_shared carom_problem_share(const carom_problem *problem, double still, double rank, double tol, double *x,
                                 double *u, void *work)
{
    workspace w = {.p = problem, .rank = rank};
    carom_layout layout = {.base = work};
    place(&w, &layout, problem->n, problem->nblock);
    double before = carom_problem_residual(problem, x, u, NULL), scale = carom_problem_scale(problem, x);
    before = before <= 1e-6 * scale ? before : 0; /* x holds the modes only */
    if (!choose(&w, still * scale, u))
        return CAROM_SHARED_KEPT;
    equations(&w);
    weigh(&w, 1);
    if (decompose(&w) == w.m) /* pivots of elimination by rows would not tell: small ones are spread over a chain */
        return CAROM_SHARED_UNIQUE;
    if (!seek(&w, x, before, tol, still * scale, 1))
        return CAROM_SHARED_KEPT;
    carom_copy(problem->n, w.y, x);
    carom_copy(problem->n, w.v, u);
    equations(&w);
    if (seek(&w, x, before, tol, still * scale, EPSILON)) {
        carom_copy(problem->n, w.y, x);
        carom_copy(problem->n, w.v, u);
    }
    return CAROM_SHARED;
}
