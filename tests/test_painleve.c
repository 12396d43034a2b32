/* test_painleve.c: friction without a solution, or with several, is a named state of the run: where, when, which
 * contact. */
#include "contact/painleve.h"
#include "problems.h"
#include "tolerance_testing.h"

typedef struct outcome {
    double t;
    carom_paradox paradox;
    int contact;
    double paradox_time, th, w; /* of a rod */
    char text[300];
} outcome;

static outcome stops(const char *text, const char *set, const char *scheme, double tol)
{
    carom_error error = {0};
    carom_model *model;
    CHECK_OK(carom_model_parse(&model, "rod", text, strlen(text), NULL, &error), error);
    for (char key[32]; *set; set += strcspn(set, " "), set += strspn(set, " ")) {
        double value;
        ck_assert_int_eq(sscanf(set, "%31[^=]=%lf", key, &value), 2);
        CHECK_OK(carom_model_set(model, &(const char *){key}, &value, 1, &error), error);
    }
    run r = begin(model, scheme, tol, 0.001, 1);
    carom_status status = carom_sim_run(r.sim, 1);
    const carom_info *info = carom_sim_info(r.sim);
    const carom_state *s = carom_sim_state(r.sim);
    outcome o = {s->t, info->paradox, info->paradox_contact, info->paradox_time, s->q[2], s->v[2], ""};
    snprintf(o.text, sizeof o.text, "%.299s", carom_sim_error(r.sim)->text);
    printf("tol %g: t = %.12g: %s\n", tol, o.t, o.text);
    ck_assert_int_eq(status == CAROM_NO_SOLUTION, o.paradox != CAROM_NO_PARADOX);
    if (o.paradox)
        ck_assert(strncmp(o.text, o.paradox == CAROM_INCONSISTENT ? "inconsistent" : "not unique", 10) == 0);
    end(&r);
    carom_model_free(model);
    return o;
}

/* A rod that slides with its tip ahead: p = 1 + 3 c^2 - 5 c s < 0 between 45 and 71.6 degrees. */
static const char rod[] = "carom: 1\n"
                          "parameters: {mu: 5/3, th0: 0.5410520681182421, w0: 1, v0: 30}\n"
                          "coordinates: {x: 0, y: sin(th0), th: th0}\n"
                          "velocities: {x: v0, y: cos(th0)*w0, th: w0}\n"
                          "kinetic: (x'^2 + y'^2)/2 + th'^2/6\n"
                          "potential: 10*y\n"
                          "contacts:\n"
                          "  tip: {gap: y - sin(th), slip: [\"x' - sin(th)*th'\"], friction: mu, restitution: 0}\n"
                          "run: {t_end: 1}\n";

START_TEST(a_rod_that_turns_into_the_paradox_is_inconsistent_there)
{
    static const double starts[][2] = {{1, 0.161029}, {3, 0.076957}};
    for (int i = 0; i < 2; i++)
        for (double tol = 1e-6; tol > 1e-11; tol *= 1e-2) {
            char set[40];
            snprintf(set, sizeof set, "w0=%g", starts[i][0]);
            outcome o = stops(rod, set, "tolerance", tol);
            ck_assert_int_eq(o.paradox, CAROM_INCONSISTENT);
            ck_assert_int_eq(o.contact, 0);
            CHECK_NEAR(o.paradox_time, starts[i][1], 2e-6);
            CHECK_NEAR(o.t, o.paradox_time, 1e-12);
            const char *b = strstr(o.text, "gddot without it is ");
            ck_assert_ptr_nonnull(b);
            double expected = sin(o.th) * o.w * o.w - 10;
            CHECK_NEAR(strtod(b + strlen("gddot without it is "), NULL), expected, 0.005 * fabs(expected));
        }
}
END_TEST

START_TEST(at_sixty_degrees_there_is_no_solution_or_two)
{
    ck_assert_int_eq(stops(rod, "th0=1.0471975511965976 w0=0", "tolerance", 1e-6).paradox, CAROM_INCONSISTENT);
    ck_assert_int_eq(stops(rod, "th0=1.0471975511965976 w0=6", "tolerance", 1e-6).paradox, CAROM_NOT_UNIQUE);
    /* the other way there is nothing paradoxical, nor with less friction than 4/3 */
    ck_assert_int_eq(stops(rod, "th0=1.0471975511965976 w0=0 v0=-30", "tolerance", 1e-6).paradox, CAROM_NO_PARADOX);
    ck_assert_int_eq(stops(rod, "th0=1.0471975511965976 w0=0 mu=1.3", "tolerance", 1e-6).paradox, CAROM_NO_PARADOX);
}
END_TEST

/* The upper end is led at the height H = H0 + 2 t: th = asin(H/2), and slip of the tip has no solution from tan th =
 * 2/mu on. Led by the choice of coordinates, by a joint, by a ceiling against which friction presses it. */
static const char led[] = "carom: 1\n"
                          "parameters: {mu: 5/3, th0: 0.6981317007977318}\n"
                          "coordinates: {x: 0, th: th0}\n"
                          "velocities: {x: 100, th: 1/cos(th0)}\n"
                          "let: {y: \"2*sin(th0) + 2*t - sin(th)\", w: \"2 - cos(th)*th'\"}\n"
                          "kinetic: (x'^2 + w^2)/2 + th'^2/6\n"
                          "potential: 10*y\n"
                          "contacts:\n"
                          "  tip: {gap: y - sin(th), slip: [\"x' - sin(th)*th'\"], friction: mu, restitution: 0}\n"
                          "run: {t_end: 1}\n";
#define LED_IN_SPACE                                                                                                   \
    "carom: 1\n"                                                                                                       \
    "parameters: {mu: 5/3, mu2: 0, th0: 0.6981317007977318}\n"                                                         \
    "coordinates: {x: 0, y: sin(th0), th: th0}\n"                                                                      \
    "velocities: {x: 100, y: 1, th: 1/cos(th0)}\n"                                                                     \
    "kinetic: (x'^2 + y'^2)/2 + th'^2/6\n"                                                                             \
    "potential: 10*y\n"
static const char jointed[] =
    LED_IN_SPACE "constraints: {guide: y + sin(th) - 2*sin(th0) - 2*t}\n"
                 "contacts:\n"
                 "  tip: {gap: y - sin(th), slip: [\"x' - sin(th)*th'\"], friction: mu, restitution: 0}\n"
                 "run: {t_end: 1}\n";
static const char ceiling[] = LED_IN_SPACE
    "contacts:\n"
    "  ceiling: {gap: 2*sin(th0) + 2*t - y - sin(th), slip: [\"x' + sin(th)*th'\"], friction: mu2, restitution: 0}\n"
    "  tip: {gap: y - sin(th), slip: [\"x' - sin(th)*th'\"], friction: mu, restitution: 0}\n"
    "run: {t_end: 1}\n";

START_TEST(joints_and_other_contacts_do_not_hide_the_paradox)
{
    const double exact = sin(atan(1.2)) - sin(0.6981317007977318);
    for (double tol = 1e-5; tol > 1e-9; tol *= 1e-1) {
        outcome minimal = stops(led, "", "tolerance", tol), joint = stops(jointed, "", "tolerance", tol),
                contact = stops(ceiling, "", "tolerance", tol);
        ck_assert_int_eq(minimal.paradox, CAROM_INCONSISTENT);
        ck_assert_int_eq(joint.paradox, CAROM_INCONSISTENT);
        ck_assert_int_eq(contact.paradox, CAROM_INCONSISTENT);
        ck_assert(minimal.contact == 0 && joint.contact == 0 && contact.contact == 1);
        CHECK_NEAR(minimal.paradox_time, exact, 1e-6);
        CHECK_NEAR(joint.paradox_time, minimal.paradox_time, 10 * tol);
        CHECK_NEAR(contact.paradox_time, minimal.paradox_time, 10 * tol);
    }
}
END_TEST

/* With friction at both ends: det K vanishes where it must. */
static double both_ends(double th, double mu, double mu2)
{
    double c = cos(th), s = sin(th);
    /* forces (-mu, 1) on the tip at (c, -s) and (-mu2, -1) on the other end at (-c, s): their part in y, their
     * moment */
    double tip[] = {1, c - mu * s}, top[] = {-1, c + mu2 * s};
    double K11 = tip[0] + 3 * c * tip[1], K12 = top[0] + 3 * c * top[1], K21 = -tip[0] + 3 * c * tip[1],
           K22 = -top[0] + 3 * c * top[1];
    return K11 * K22 - K12 * K21;
}

START_TEST(two_slipping_contacts_are_judged_together)
{
    double low = 0.7, high = 1.2, mu2 = 0.2;
    ck_assert(both_ends(low, 5.0 / 3, mu2) > 0 && both_ends(high, 5.0 / 3, mu2) < 0);
    for (int k = 0; k < 60; k++) {
        double middle = 0.5 * (low + high);
        *(both_ends(middle, 5.0 / 3, mu2) > 0 ? &low : &high) = middle;
    }
    outcome o = stops(ceiling, "mu2=0.2", "tolerance", 1e-8);
    ck_assert_int_eq(o.paradox, CAROM_INCONSISTENT);
    CHECK_NEAR(o.paradox_time, sin(low) - sin(0.6981317007977318), 1e-6);
}
END_TEST

/* By the definition: a sum over permutations. */
static double minor_of(int m, const int *index, double K[4][4], int row, int used)
{
    double sum = 0;
    if (row == m)
        return 1;
    for (int j = 0; j < m; j++) {
        int before = 0; /* columns behind j that are taken: each is an exchange */
        for (int i = j + 1; i < m; i++)
            before += used >> i & 1;
        if (!(used >> j & 1))
            sum += (before % 2 ? -1 : 1) * K[index[row]][index[j]] * minor_of(m, index, K, row + 1, used | 1 << j);
    }
    return sum;
}

/* The least principal minor over its scale, for all contacts slipping in the directions of `back`. */
static double least_minor(const bench *t, int n, int back, double *nearest)
{
    double K[4][4], least = INFINITY;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            const double *W = t->W + 2 * i * 2 * n + 2 * k;
            K[i][k] = W[0] + (back >> k & 1 ? 1 : -1) * carom_block_mu(&t->block[k]) * W[1];
        }
    for (int set = 1; set < 1 << n; set++) {
        int index[4], m = 0;
        double scale = 1;
        for (int k = 0; k < n; k++)
            if (set >> k & 1)
                index[m++] = k, scale *= fabs(K[k][k]);
        double d = minor_of(m, index, K, 0, 0) / scale;
        least = fmin(least, d), *nearest = fmin(*nearest, fabs(d));
    }
    return least;
}

/* One to four rough contacts of a body and its parts, light and heavy: rows of K of all sizes. Nothing is tried exactly
 * where all principal minors are positive; where something is tried, a solution is found if there is one. */
START_TEST(what_is_afraid_of_the_paradox_has_a_minor_that_is_not_positive)
{
    unsigned long seed = 3;
    int safe = 0, tried[3] = {0};
    for (int trial = 0; trial < 3000; trial++) {
        bench t;
        carom_link link[4];
        int n = 1 + trial % 4, active[] = {0, 1, 2, 3};
        bench_begin(&t, 2 * n + 1);
        for (int k = 0; k < n; k++)
            bench_block(&t, PLANAR, fabs(noise(&seed)) * (trial % 3 ? 0.7 : 3)), link[k] = (carom_link){.contact = k};
        for (int i = 0; i < 2 * n * t.ndof; i++)
            t.G[i] = noise(&seed) * (i / t.ndof / 2 % 2 ? 3 : 1);
        double v[DOFS], least = INFINITY, nearest = INFINITY;
        for (int i = 0; i < t.ndof; i++)
            v[i] = noise(&seed);
        bench_dynamics(&t, v);
        for (int back = 0; back < 1 << n; back++)
            least = fmin(least, least_minor(&t, n, back, &nearest));
        if (nearest < 1e-6)
            continue;
        carom_system system = {.nlink = n, .nrow = 2 * n, .link = link};
        carom_contacts contacts = {.problem = t.problem, .active = active};
        carom_painleve_work work;
        carom_layout measure = {0}, layout;
        carom_painleve_layout(&measure, &work, &system);
        ck_assert(carom_layout_new(&layout, &measure));
        carom_painleve_layout(&layout, &work, &system);
        carom_painleve found = carom_contact_painleve(&contacts, &system, &work);
        carom_layout_free(layout);
        ck_assert_msg((found.solutions < 0) == (least > 0), "trial %d, %d contacts: %d solutions, least minor %g",
                      trial, n, found.solutions, least);
        safe += found.solutions < 0;
        if (found.solutions < 0)
            continue;
        tried[CAROM_MIN(found.solutions, 2)]++;
        ck_assert_int_eq(bench_solve(&t, &carom_solver_enumeration, 1e-10) == CAROM_OK, found.solutions > 0);
    }
    printf("%d safe; %d with one, %d with more solutions\n", safe, tried[1], tried[2]);
    ck_assert(safe > 1000 && tried[1] > 300 && tried[2] > 10);
}
END_TEST

START_TEST(mixed_names_the_state_too)
{
    outcome o = stops(rod, "w0=1", "mixed:rk=radau5", 1e-8);
    ck_assert_int_eq(o.paradox, CAROM_INCONSISTENT);
    CHECK_NEAR(o.paradox_time, 0.161029, 2e-3);
}
END_TEST

TEST_MAIN_MODELS("painleve", a_rod_that_turns_into_the_paradox_is_inconsistent_there,
                 at_sixty_degrees_there_is_no_solution_or_two, joints_and_other_contacts_do_not_hide_the_paradox,
                 two_slipping_contacts_are_judged_together,
                 what_is_afraid_of_the_paradox_has_a_minor_that_is_not_positive, mixed_names_the_state_too)
