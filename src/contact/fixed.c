/* fixed.c: block `accel_fixed`, the smooth motion of given roles.
 *
 *   K (a; x) = (F; -gamma),   K = [[M, -H^T], [J, 0]]                                          (1)
 *   rows of J = H:  joints, normals of contacts that press, normals and tangents of those that stick
 *   slip along s:   J = G_n,  H = G_n - mu (s . G_t)                                           (2)
 *   spatial slip:   s = u_t/|u_t|, and -x_t/|x_t| of the contact as if it stuck while |u_t| is tiny and |x_t| >= mu
 *                   x_n:
 *                   it has just broken loose, and its direction relaxes faster than any step   (4)
 *   x by least norm where rows are redundant: the motion is unique, the forces are not         (3)
 *   with slip:      d = det(J M^-1 H^T)/det(J M^-1 J^T) must not vanish: forces have a pole there, and beyond it
 *                   there is
 *                   no solution, or more than one (Painleve). One contact alone: d = (W_nn - mu s W_nt)/W_nn    (5)
 *
 * Nothing is decided here: equalities, smooth in (t, q, v) as long as the roles stay. */
#include <math.h>

#include "contact/fixed.h"

/* Appends the row J = G_r with H = G_r + factor-weighted tangents. */
static void add_row(carom_fixed *f, const carom_system *system, int r, const double *h)
{
    int nv = system->nv, k = f->m++;
    f->row[k] = r;
    carom_copy(nv, h, f->Y + k * nv);
    carom_factor_solve(system, &system->mass, f->Y + k * nv);
}

static void add_slip(carom_fixed *f, const carom_system *system, const carom_link *link, double mu, const double *s)
{
    int nv = system->nv, r = link->row;
    const double *G = system->at.G + r * nv;
    for (int i = 0; i < nv; i++) {
        f->h[i] = G[i] - mu * s[0] * G[nv + i];
        if (link->rows > 2)
            f->h[i] -= mu * s[1] * G[2 * nv + i];                                      /* (2) */
    }
    add_row(f, system, r, f->h);
}

/* Friction is a part of the normal force: mu of slip, mu_s of what is saturated. */
static double part_of(const carom_fixed *f, const carom_system *system, int contact)
{
    return system->at.law[4 * contact + ((int)f->role[contact] == CAROM_ROLE_SATURATED ? 3 : 2)];
}

static void add_link(carom_fixed *f, const carom_system *system, const carom_link *link)
{
    int c = link->contact, nv = system->nv;
    int role = c < 0 ? CAROM_ROLE_PRESS : (int)f->role[c];
    if (role == CAROM_ROLE_OPEN || role == CAROM_ROLE_PASSIVE)
        return;
    if (role == CAROM_ROLE_SATURATED || (role == CAROM_ROLE_SLIP && !(f->as_if_stuck && f->creeps[c]))) {
        add_slip(f, system, link, part_of(f, system, c), f->direction + 2 * c);
        return;
    }
    int rows = role == CAROM_ROLE_STICK || role == CAROM_ROLE_SLIP ? link->rows : 1;
    for (int r = link->row; r < link->row + rows; r++)
        add_row(f, system, r, system->at.G + r * nv);
}

/* x of (1), by least norm. */
static void solve(carom_fixed *f, const carom_system *system)
{
    int nv = system->nv, m = f->m;
    for (int i = 0; i < m; i++) {
        const double *J = system->at.G + f->row[i] * nv;
        f->b[i] = -(carom_dot(nv, J, f->a_free) + system->at.gamma[f->row[i]]);
        for (int k = 0; k < m; k++)
            f->K[i * m + k] = carom_dot(nv, J, f->Y + k * nv);
    }
    if (m == 1)
        f->x[0] = f->K[0] != 0 ? f->b[0] / f->K[0] : 0;
    else
        carom_least_squares(m, m, f->K, f->b, f->x, 1e-11, f->work, f->order);         /* (3) */
}

static void spread(const carom_fixed *f, const carom_system *system, double *a, double *force)
{
    int nv = system->nv;
    for (int k = 0; k < f->m; k++) {
        force[f->row[k]] = f->x[k];
        for (int i = 0; i < nv; i++)
            a[i] += f->Y[k * nv + i] * f->x[k];
    }
    for (int i = system->njoint; i < system->nlink; i++) {
        const carom_link *link = &system->link[i];
        bool slips = (int)f->role[link->contact] == CAROM_ROLE_SATURATED ||
                     ((int)f->role[link->contact] == CAROM_ROLE_SLIP && !(f->as_if_stuck && f->creeps[link->contact]));
        for (int j = 1; slips && j < link->rows; j++)
            force[link->row + j] =
                -part_of(f, system, link->contact) * f->direction[2 * link->contact + j - 1] * force[link->row];
    }
}

static bool slipping(const carom_fixed *f, const carom_system *system, int row, int *contact)
{
    for (int i = system->njoint; i < system->nlink; i++) {
        const carom_link *link = &system->link[i];
        if (link->row == row && (int)f->role[link->contact] == CAROM_ROLE_SLIP && !f->creeps[link->contact]) {
            *contact = link->contact;
            return true;
        }
    }
    return false;
}

static double diagonal(int n, const double *LU)
{
    double product = 1;
    for (int i = 0; i < n; i++)
        product *= LU[i * n + i];
    return product;
}

static double sign_of(int n, const int *pivot)
{
    double sign = 1;
    for (int i = 0; i < n; i++)
        sign *= pivot[i] != i ? -1 : 1;
    return sign;
}

/* Rows redundant without friction say nothing about friction: a pivot that is 0 but for rounding. */
static bool redundant(int n, const double *LU)
{
    double most = 0, least = INFINITY;
    for (int i = 0; i < n; i++)
        most = CAROM_MAX(most, fabs(LU[i * n + i])), least = CAROM_MIN(least, fabs(LU[i * n + i]));
    return least <= 1e-11 * most;
}

/* d of (5) and the slipping contact with the smallest p over what it would be without friction; 1 if none slips. */
static double slip_determinant(carom_fixed *f, const carom_system *system)
{
    int nv = system->nv, m = f->m, c = -1;
    bool any = false;
    for (int i = 0; i < m; i++)
        any |= slipping(f, system, f->row[i], &c);
    if (!any)
        return 1;
    for (int k = 0; k < m; k++) {
        carom_copy(nv, system->at.G + f->row[k] * nv, f->h);
        carom_factor_solve(system, &system->mass, f->h);
        for (int i = 0; i < m; i++) {
            const double *J = system->at.G + f->row[i] * nv;
            f->S[i * m + k] = carom_dot(nv, J, f->h);
            f->L[i * m + k] = carom_dot(nv, J, f->Y + k * nv);
        }
    }
    if (!carom_lu(m, f->S, f->pivot) || redundant(m, f->S))
        return 1;
    double W = diagonal(m, f->S) * sign_of(m, f->pivot), least = INFINITY;
    double *z = f->work;
    f->slip = c;
    for (int i = 0; i < m && m > 1; i++) { /* 1/(W^-1)_ii, kept to compare */
        for (int k = 0; k < m; k++)
            z[k] = k == i;
        carom_lu_solve(m, f->S, f->pivot, z);
        f->b[i] = 1 / z[i];
    }
    if (!carom_lu(m, f->L, f->pivot))
        return 0;
    double K = diagonal(m, f->L) * sign_of(m, f->pivot);
    for (int i = 0; i < m; i++) {
        if (!slipping(f, system, f->row[i], &c))
            continue;
        for (int k = 0; k < m; k++)
            z[k] = k == i;
        carom_lu_solve(m, f->L, f->pivot, z);
        double p = 1 / z[i], over = m > 1 ? fabs(p / f->b[i]) : 0;
        if (over < least)
            least = over, f->slip = c, f->slip_p = p, f->slip_b = -p * f->x[i];
    }
    return K / W;
}

void carom_fixed_sides(carom_fixed *fixed, const carom_system *system)
{
    fixed->side = fixed->m && slip_determinant(fixed, system) < 0 ? -1 : 1;
}

/* (5) */
static carom_status check_slip(carom_fixed *f, const carom_system *system, double t, carom_error *error)
{
    f->slip = -1;
    double d = f->m && f->side != 0 ? slip_determinant(f, system) * f->side : 1;
    if (d > 1e-6) {
        f->slip = -1;
        return CAROM_OK;
    }
    CAROM_FAIL(error, CAROM_NO_SOLUTION,
               "slip of contact '%s' has no unique solution after t = %.10g: its normal force has the effect p = %.2g, "
               "gddot without it is %.3g (Painleve)",
               system->link[system->njoint + f->slip].name, t, f->slip_p, f->slip_b);
}

/* Collects the rows of all links and solves them. */
static void equations(carom_fixed *f, const carom_system *system, double *a, double *force)
{
    f->m = 0;
    for (int i = 0; i < system->nlink; i++)
        add_link(f, system, &system->link[i]);
    if (f->m) {
        solve(f, system);                                                              /* (1) */
        spread(f, system, a, force);
    }
}

/* (4): directions of spatial slip; returns whether some contact creeps. */
static bool spatial_directions(carom_fixed *f, const carom_system *system, const double *v)
{
    bool any = false;
    for (int i = system->njoint; i < system->nlink; i++) {
        const carom_link *link = &system->link[i];
        int nv = system->nv, r = link->row, c = link->contact;
        f->creeps[c] = false;
        if (link->rows < 3 || (int)f->role[c] != CAROM_ROLE_SLIP || f->holds[c])
            continue;
        double x = carom_dot(nv, system->at.G + (r + 1) * nv, v) + system->at.w[r + 1];
        double y = carom_dot(nv, system->at.G + (r + 2) * nv, v) + system->at.w[r + 2], size = hypot(x, y);
        f->creeps[c] = f->crept[c] || !(size > f->slow);
        any |= f->creeps[c];
        f->moves[c] = size > 1e-14 * (1 + carom_norm_max(nv, v)); /* not by rounding alone */
        if (f->moves[c])
            f->direction[2 * c] = x / size, f->direction[2 * c + 1] = y / size;
    }
    return any;
}

static void creeping_directions(carom_fixed *f, const carom_system *system, double *a, double *force)
{
    f->as_if_stuck = true;
    equations(f, system, a, force);
    f->as_if_stuck = false;
    for (int i = system->njoint; i < system->nlink; i++) {
        const carom_link *link = &system->link[i];
        const double *x = force + link->row;
        int c = link->contact;
        double size = f->creeps[c] ? hypot(x[1], x[2]) : 0;
        if (f->creeps[c] && f->moves[c] && size < (1 - 1e-9) * system->at.law[4 * c + 2] * x[0])
            f->creeps[c] = false; /* it does not start, it stops */
        else if (size > 0)
            f->direction[2 * c] = -x[1] / size, f->direction[2 * c + 1] = -x[2] / size;
    }
}

static carom_status accel(carom_fixed *f, carom_system *system, double t, const double *q, const double *v,
                          unsigned more, double *a, double *force, carom_error *error)
{
    int nv = system->nv, nc = system->nlink - system->njoint;
    bool rows = system->njoint > 0;
    for (int c = 0; c < nc; c++)
        rows |= (int)f->role[c] != CAROM_ROLE_OPEN;
    unsigned law = nc ? CAROM_LAW : 0;
    carom_system_eval(system, CAROM_MASS | CAROM_FORCE | more | (rows ? CAROM_JACOBIAN | CAROM_GAMMA | law : 0), t, q,
                      v);
    CAROM_TRY(carom_mass_factor(system, t, error));
    carom_copy(nv, system->at.F, f->a_free);
    carom_factor_solve(system, &system->mass, f->a_free);
    for (int pass = rows && spatial_directions(f, system, v) ? 0 : 1; pass < 2; pass++) {
        carom_copy(nv, f->a_free, a);
        for (int r = 0; r < system->nrow; r++)
            force[r] = 0;
        f->m = 0;
        if (pass == 0)
            creeping_directions(f, system, a, force);
        else if (rows)
            equations(f, system, a, force);
    }
    CAROM_TRY(check_slip(f, system, t, error));
    if (!carom_all_finite(nv, a))
        CAROM_FAIL(error, CAROM_NOT_FINITE, "the acceleration is not finite at t = %.10g", t);
    return CAROM_OK;
}

typedef struct place {
    carom_fixed *f;
    carom_system *system;
    double t;
    const double *q, *v;
    unsigned more;
} place;

static carom_status one(void *user, double *a, double *force, bool last, carom_error *error)
{
    const place *p = user;
    return accel(p->f, p->system, p->t, p->q, p->v, last ? p->more : 0, a, force, error);
}

carom_status carom_contact_accel_fixed(carom_fixed *fixed, carom_system *system, double t, const double *q,
                                       const double *v, unsigned more, double *a, double *force, carom_error *error)
{
    if (!fixed->slide.n)
        return accel(fixed, system, t, q, v, more, a, force, error);
    place p = {fixed, system, t, q, v, more};
    return carom_slide_accel(&fixed->slide, system, t, q, v, one, &p, a, force, error);
}

void carom_fixed_layout(carom_layout *layout, carom_fixed *fixed, const carom_system *system)
{
    int n = system->nrow, nv = system->nv;
    carom_slide_layout(layout, &fixed->slide, system);
    CAROM_PLACE(layout, fixed->row, n);
    CAROM_PLACE(layout, fixed->order, n);
    CAROM_PLACE(layout, fixed->Y, n * nv);
    CAROM_PLACE(layout, fixed->K, n * n);
    CAROM_PLACE(layout, fixed->b, n);
    CAROM_PLACE(layout, fixed->x, n);
    CAROM_PLACE(layout, fixed->work, 4 * n + 1);
    CAROM_PLACE(layout, fixed->h, nv);
    CAROM_PLACE(layout, fixed->creeps, system->nlink - system->njoint);
    CAROM_PLACE(layout, fixed->crept, system->nlink - system->njoint);
    CAROM_PLACE(layout, fixed->moves, system->nlink - system->njoint);
    CAROM_PLACE(layout, fixed->holds, system->nlink - system->njoint);
    CAROM_PLACE(layout, fixed->a_free, nv);
    CAROM_PLACE(layout, fixed->S, n * n);
    CAROM_PLACE(layout, fixed->L, n * n);
    CAROM_PLACE(layout, fixed->pivot, n);
}
