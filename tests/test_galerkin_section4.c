/* test_galerkin_section4.c: the experiments of section 4 of Schindler and Acary (2013): free flight, rest, and a ball
 * through infinitely many impacts; L1 errors of position, velocity and interaction with the dense output of the method.
 * Degree 0 of the families is the scheme of Moreau and Jean with theta = 0 and 1. */
#include "galerkin_testing.h"
#include "reference.h"
#include "systems.h"

/* ---- exact solutions ---- */
typedef struct exact {
    double q, v, i;
} exact;

static exact flight(double t)
{
    return (exact){1 - 5 * pow(t, 4) / 6, -10 * pow(t, 3) / 3, 0};
}

static exact rest(double t)
{
    return (exact){0, 0, 10 * pow(t, 3) / 3};
}

static exact ball(double t)
{
    if (t < 1)
        return (exact){1 - t * t, -2 * t, 0};
    double i = 3;
    for (double p = 1; p > 1e-16; p /= 2, i += 3 * p)
        if (t < 3 - p) {
            double s = t - (3 - 2 * p);
            return (exact){s * (p - s), p - 2 * s, i};
        }
    return (exact){0, 0, 6 + 2 * (t - 3)};
}

/* ---- models ---- */
static void growing_force(const carom_point *at, double *F)
{
    F[0] = -10 * at->t * at->t;
}

static carom_model growing(point_store *s, double q)
{
    carom_model m = point_model(s, 1, 0, 0, 0, 0.5, q, 0);
    m.force = growing_force;
    m.force_q = m.force_v = zero_matrix;
    m.potential = NULL;
    return m;
}

/* ---- errors ---- */
typedef struct piece { /* one segment, and what has been pushed before it */
    const carom_segment *s;
    double i;
    int degree;
    bool rest;  /* the force grows with t^2 */
    bool pushes; /* there is a ground */
    bool early; /* degree 0 of D+: the impulse of the step holds from its start */
    double late;
    exact (*truth)(double t);
} piece;

static double polynomial(int degree, const double *c, double x)
{
    double sum = c[degree];
    for (int k = degree - 1; k >= 0; k--)
        sum = sum * x + c[k];
    return sum;
}

static double place(const piece *p, double t)
{
    return (t - p->s->t0) / (p->s->t1 - p->s->t0);
}

static double error_q(const void *user, double t)
{
    const piece *p = user;
    return p->s->q0[0] + place(p, t) * polynomial(p->s->q_degree - 1, p->s->xi, place(p, t)) - p->truth(t).q;
}

static double error_v(const void *user, double t)
{
    const piece *p = user;
    return polynomial(p->s->v_degree, p->s->v, place(p, t)) - p->truth(t).v;
}

static double error_i(const void *user, double t)
{
    const piece *p = user;
    double i = p->i, at = t - p->s->t0;
    if (p->degree == 0)
        i += p->early ? p->late : 0; /* a step function, like the velocity */
    else if (!p->rest)
        i += p->pushes ? p->s->force[0] * at : 0;
    else if (p->degree >= 2) /* the force is a parabola */
        i += 10 * (pow(t, 3) - pow(p->s->t0, 3)) / 3;
    else { /* the force of the ground at rest, at the two stages */
        double r0 = 10 * p->s->t0 * p->s->t0, r1 = 10 * p->s->t1 * p->s->t1;
        i += r0 * at + (r1 - r0) * at * at / (2 * (p->s->t1 - p->s->t0));
    }
    return i - p->truth(t).i;
}

typedef struct errors {
    double q, v, i;
} errors;

/* Splits [t0, t1] where the exact ball is struck. */
static void add(errors *sum, const piece *p, bool splits)
{
    double a = p->s->t0, end = p->s->t1;
    while (a < end) {
        double b = end;
        if (splits && a < 1)
            b = fmin(b, 1);
        else if (splits)
            for (double step = 1; step > 1e-13; step /= 2)
                if (a < 3 - step) {
                    b = fmin(b, 3 - step);
                    break;
                }
        sum->q += integral_of_size(error_q, p, a, b);
        sum->v += integral_of_size(error_v, p, a, b);
        sum->i += integral_of_size(error_i, p, a, b);
        a = b;
    }
}

typedef struct experiment {
    carom_model model;
    exact (*truth)(double t);
    double T;
} experiment;

static experiment experiment_of(point_store *s, int which)
{
    switch (which) {
    case 2: {
        experiment x = {growing(s, 1), flight, 1};
        x.model.ncontact = 0, x.model.jacobian = NULL; /* coarse implicit steps would reach the ground before t = 1 */
        return x;
    }
    case 3:
        return (experiment){growing(s, 0), rest, 1};
    default:
        return (experiment){point_model(s, 1, -2, 0, 0, 0.5, 1, 0), ball, which == 4 ? 4 : 3.6};
    }
}

static errors measure(int which, const char *scheme, int family, int degree, double h)
{
    point_store store;
    carom_error error;
    experiment x = experiment_of(&store, which);
    carom_sim *sim = start_fields(&x.model, scheme, h);
    carom_trajectory *tr;
    CHECK_OK(carom_trajectory_new(&tr, sim, &error), error);
    RUN(sim, x.T);
    errors sum = {0, 0, 0};
    piece p = {.truth = x.truth, .degree = degree, .rest = which == 3, .pushes = which > 2, .early = family == 1};
    size_t jump = 0;
    for (size_t k = 0; (p.s = carom_trajectory_segment(tr, k)) != NULL; k++) {
        double h_k = p.s->t1 - p.s->t0, P = 0;
        for (const carom_jump *j; (j = carom_trajectory_jump(tr, jump)) != NULL && j->t <= p.s->t1; jump++)
            P += j->impulse[0];
        p.late = (x.model.ncontact ? h_k * p.s->force[0] : 0) + P;
        add(&sum, &p, which >= 4);
        if (p.rest && degree == 1) /* the stage forces assumed above are those of the scheme */
            CHECK_NEAR(p.s->force[0], 5 * (p.s->t0 * p.s->t0 + p.s->t1 * p.s->t1), 1e-14);
        p.i += p.late;
    }
    carom_trajectory_free(tr);
    carom_sim_free(sim);
    return sum;
}

typedef struct row {
    const char *scheme;
    double h;
    errors e;
} row;

static void check_rows(int which, const row *rows, int n)
{
    for (int k = 0; k < n; k++) {
        int family = rows[k].scheme[3] == 'p', degree = rows[k].scheme[family ? 15 : 16] - '0';
        errors e = measure(which, rows[k].scheme, family, degree, rows[k].h);
        printf("4.%d %s h %g: %.9e %.9e %.9e\n", which, rows[k].scheme, rows[k].h, e.q, e.v, e.i);
        CHECK_NEAR(e.q, rows[k].e.q, 1e-6 * rows[k].e.q + 2e-15);
        CHECK_NEAR(e.v, rows[k].e.v, 1e-6 * rows[k].e.v + 2e-15);
        CHECK_NEAR(e.i, rows[k].e.i, 1e-6 * rows[k].e.i + 2e-15);
    }
}
#define CHECK_ROWS(which, rows) check_rows(which, rows, (int)(sizeof rows / sizeof rows[0]))
#define H(k) (1.0 / (1 << (k)))
#define U(k) (0.9 / (1 << (k)))

START_TEST(free_flight_has_the_published_errors)
{
    const row rows[] = {
        {"dg-plus:degree=0", H(2), {0.3411458333, 1.119791667, 0}},
        {"dg-plus:degree=0", H(6), {0.01343413194, 0.05310694377, 0}},
        {"dg-plus:degree=0", H(10), {0.0008153930933, 0.003259183529, 0}},
        {"dg-minus:degree=0", H(2), {0.1276041667, 0.5989583333, 0}},
        {"dg-minus:degree=0", H(6), {0.01262025038, 0.05107243856, 0}},
        {"dg-minus:degree=0", H(10), {0.0008122141777, 0.003251236243, 0}},
        {"dg-minus:degree=1", H(2), {0.01204427083, 0.07284367391, 0}},
        {"dg-minus:degree=1", H(6), {6.624559561e-05, 0.0003122924074, 0}},
        {"dg-minus:degree=1", H(10), {2.645217592e-07, 1.226858562e-06, 0}},
        {"dg-plus:degree=1", H(2), {0.02506510417, 0.08830397569, 0}},
        {"dg-plus:degree=1", H(6), {6.942451e-05, 0.0003161038598, 0}},
        {"dg-plus:degree=1", H(10), {2.652978613e-07, 1.22778967e-06, 0}},
        {"dg-minus:degree=2", H(2), {0.0001627604167, 0.002746582031, 0}},
        {"dg-minus:degree=2", H(6), {2.483526886e-09, 6.705522537e-07, 0}},
        {"dg-plus:degree=2", H(2), {0.0001627604167, 0.002746582031, 0}},
        {"dg-plus:degree=2", H(6), {2.483526887e-09, 6.705522538e-07, 0}},
        {"dg-minus:degree=3", H(2), {0, 0, 0}},
        {"dg-minus:degree=3", H(6), {0, 0, 0}},
        {"dg-minus:degree=4", H(2), {0, 0, 0}},
        {"dg-minus:degree=4", H(6), {0, 0, 0}},
    };
    CHECK_ROWS(2, rows);
}
END_TEST

START_TEST(rest_has_the_published_errors)
{
    const row rows[] = {
        {"dg-plus:degree=0", H(2), {0, 0, 1.119791667}},
        {"dg-plus:degree=0", H(6), {0, 0, 0.05310694377}},
        {"dg-plus:degree=0", H(10), {0, 0, 0.003259183529}},
        {"dg-minus:degree=0", H(2), {0, 0, 0.5989583333}},
        {"dg-minus:degree=0", H(6), {0, 0, 0.05107243856}},
        {"dg-minus:degree=0", H(10), {0, 0, 0.003251236243}},
        {"dg-minus:degree=1", H(2), {0, 0, 0.05208333333}},
        {"dg-minus:degree=1", H(6), {0, 0, 0.0002034505208}},
        {"dg-minus:degree=1", H(10), {0, 0, 7.94728597e-07}},
        {"dg-plus:degree=1", H(2), {0, 0, 0.05208333333}},
        {"dg-plus:degree=1", H(6), {0, 0, 0.0002034505208}},
        {"dg-plus:degree=1", H(10), {0, 0, 7.94728597e-07}},
        {"dg-minus:degree=2", H(2), {0, 0, 0}},
        {"dg-minus:degree=2", H(6), {0, 0, 0}},
        {"dg-plus:degree=2", H(2), {0, 0, 0}},
        {"dg-plus:degree=2", H(6), {0, 0, 0}},
        {"dg-minus:degree=3", H(2), {0, 0, 0}},
        {"dg-minus:degree=3", H(6), {0, 0, 0}},
        {"dg-minus:degree=4", H(2), {0, 0, 0}},
        {"dg-minus:degree=4", H(6), {0, 0, 0}},
    };
    CHECK_ROWS(3, rows);
    for (int k = 2; k <= 10; k++) /* a closed form */
        CHECK_NEAR(measure(3, "dg-minus:degree=1", 0, 1, H(k)).i, 5 * H(k) * H(k) / 6, 1e-14);
}
END_TEST

START_TEST(the_ball_with_impacts_on_nodes_has_the_published_errors)
{
    const row rows[] = {
        {"dg-plus:degree=0", H(2), {0.6468858428, 2.09765625, 1.828613281}},
        {"dg-plus:degree=0", H(3), {0.3376088181, 1.193603516, 0.9816055298}},
        {"dg-plus:degree=0", H(6), {0.03584287108, 0.1973257065, 0.1737123922}},
        {"dg-plus:degree=0", H(9), {0.004409009659, 0.03050447442, 0.0282441713}},
        {"dg-plus:degree=0", H(10), {0.002206459322, 0.01592175069, 0.0148521529}},
        {"dg-minus:degree=0", H(2), {0.3646080849, 2.08203125, 1.921020508}},
        {"dg-minus:degree=0", H(3), {0.1893423647, 1.236175537, 1.101613164}},
        {"dg-minus:degree=0", H(6), {0.02374386824, 0.1920394897, 0.1656087557}},
        {"dg-minus:degree=0", H(9), {0.002984101506, 0.02674554865, 0.02296614119}},
        {"dg-minus:degree=0", H(10), {0.001493813866, 0.01350652288, 0.0115871975}},
        {"dg-minus:degree=1", H(2), {0.002976190476, 0.04166666667, 0.04166666667}},
        {"dg-minus:degree=1", H(3), {0.0003720238095, 0.01041666667, 0.01041666667}},
        {"dg-minus:degree=1", H(6), {7.26609003e-07, 0.0001627604167, 0.0001627604167}},
        {"dg-minus:degree=1", H(9), {1.419158227e-09, 2.54313151e-06, 2.54313151e-06}},
        {"dg-minus:degree=1", H(10), {1.773947943e-10, 6.357828777e-07, 6.357828776e-07}},
        {"dg-plus:degree=1", H(2), {0.05505952381, 0.6666666667, 0.04166666667}},
        {"dg-plus:degree=1", H(3), {0.01469494048, 0.3541666667, 0.01041666667}},
        {"dg-plus:degree=1", H(6), {0.0002423241025, 0.04654947917, 0.0001627604167}},
        {"dg-plus:degree=1", H(9), {3.81114937e-06, 0.005854288737, 2.54313151e-06}},
        {"dg-plus:degree=1", H(10), {9.532308295e-07, 0.002928415934, 6.357828776e-07}},
        {"dg-minus:degree=2", H(2), {0.002976190476, 0.04166666667, 0.04166666667}},
        {"dg-minus:degree=2", H(3), {0.0003720238095, 0.01041666667, 0.01041666667}},
        {"dg-minus:degree=2", H(6), {7.266090031e-07, 0.0001627604167, 0.0001627604167}},
        {"dg-minus:degree=2", H(9), {1.419158227e-09, 2.543131511e-06, 2.543131511e-06}},
        {"dg-plus:degree=2", H(2), {0.02250744048, 0.522791891, 0.04166666667}},
        {"dg-plus:degree=2", H(3), {0.00574311756, 0.27503554, 0.01041666667}},
        {"dg-plus:degree=2", H(6), {9.132566906e-05, 0.03587127316, 0.0001627604167}},
        {"dg-plus:degree=2", H(9), {1.430067988e-06, 0.004507218999, 2.543131511e-06}},
        {"dg-minus:degree=1:kappa=0", H(2), {0.0608375186, 0.169342041, 0.169342041}},
        {"dg-minus:degree=1:kappa=0", H(3), {0.02540088835, 0.07704105973, 0.07704105973}},
        {"dg-minus:degree=1:kappa=0", H(6), {0.002672427546, 0.008799235026, 0.008799235026}},
        {"dg-minus:degree=1:kappa=0", H(9), {0.0003265813387, 0.001086923811, 0.001086923811}},
        {"dg-minus:degree=1:kappa=0", H(10), {0.0001630254346, 0.0005429983139, 0.0005429983139}},
        {"dg-plus:degree=1:kappa=0", H(2), {0.1459205264, 0.8857127849, 0.169342041}},
        {"dg-plus:degree=1:kappa=0", H(3), {0.04645134154, 0.4435996266, 0.07704105973}},
        {"dg-plus:degree=1:kappa=0", H(6), {0.002998372234, 0.0555423023, 0.008799235026}},
        {"dg-plus:degree=1:kappa=0", H(9), {0.0003316684296, 0.006944237362, 0.001086923811}},
        {"dg-plus:degree=1:kappa=0", H(10), {0.0001642971038, 0.003472170452, 0.0005429983139}},
    };
    CHECK_ROWS(4, rows);
}
END_TEST

START_TEST(the_ball_with_impacts_between_nodes_has_the_published_errors)
{
    const row rows[] = {
        {"dg-plus:degree=0", U(2), {0.57025291, 2.252285156, 2.090253906}},
        {"dg-plus:degree=0", U(4), {0.09985086109, 0.4532151794, 0.3612529352}},
        {"dg-plus:degree=0", U(6), {0.02950105285, 0.1623908234, 0.1513280458}},
        {"dg-plus:degree=0", U(9), {0.003467892333, 0.02397657219, 0.02127807141}},
        {"dg-minus:degree=1", U(2), {0.2936936384, 0.8607291667, 0.8607291667}},
        {"dg-minus:degree=1", U(4), {0.04628867013, 0.1909830729, 0.1909830729}},
        {"dg-minus:degree=1", U(6), {0.02735417778, 0.1341633097, 0.1341633097}},
        {"dg-minus:degree=1", U(9), {0.000700524822, 0.006958993326, 0.006958993326}},
        {"dg-plus:degree=1", U(2), {0.3316623884, 0.8655729167, 0.8607291667}},
        {"dg-plus:degree=1", U(4), {0.04913632638, 0.2133300781, 0.1909830729}},
        {"dg-plus:degree=1", U(6), {0.0275386451, 0.1404045112, 0.1341633097}},
        {"dg-plus:degree=1", U(9), {0.0007035972253, 0.009519322703, 0.006958993326}},
        {"dg-minus:degree=1:kappa=0", U(2), {0.3691120344, 0.930876255, 0.930876255}},
        {"dg-minus:degree=1:kappa=0", U(4), {0.05325125556, 0.2123938137, 0.2123938137}},
        {"dg-minus:degree=1:kappa=0", U(6), {0.02885777051, 0.1389796246, 0.1389796246}},
        {"dg-minus:degree=1:kappa=0", U(9), {0.0008125488891, 0.007547718128, 0.007547718128}},
        {"dg-minus:degree=2", U(2), {0.2936936384, 0.8607291667, 0.8607291667}},
        {"dg-minus:degree=2", U(4), {0.04628867013, 0.1909830729, 0.1909830729}},
        {"dg-minus:degree=2", U(6), {0.02735417778, 0.1341633097, 0.1341633097}},
        {"dg-minus:degree=2", U(9), {0.000700524822, 0.006958993326, 0.006958993326}},
        {"dg-minus:degree=3", U(2), {0.2936936384, 0.8607291667, 0.8607291667}},
        {"dg-minus:degree=3", U(4), {0.04628867013, 0.1909830729, 0.1909830729}},
        {"dg-minus:degree=3", U(6), {0.02735417778, 0.1341633097, 0.1341633097}},
        {"dg-minus:degree=3", U(9), {0.000700524822, 0.006958993326, 0.006958993326}},
        {"dg-minus:degree=0", U(2), {0.2535137476, 1.5503125, 1.317578125}},
        {"dg-minus:degree=0", U(4), {0.1128719458, 0.7167447917, 0.6334179688}},
        {"dg-minus:degree=0", U(6), {0.02268203946, 0.1875922065, 0.1585724817}},
        {"dg-minus:degree=0", U(9), {0.003102386849, 0.02524496596, 0.02133780653}},
        {"dg-plus:degree=2", U(2), {0.3042038734, 0.9850284622, 0.8607291667}},
        {"dg-plus:degree=2", U(4), {0.04712933806, 0.2457612078, 0.1909830729}},
        {"dg-plus:degree=2", U(6), {0.02737201388, 0.1495913883, 0.1341633097}},
        {"dg-plus:degree=2", U(9), {0.0007013928715, 0.00936482685, 0.006958993326}},
    };
    CHECK_ROWS(5, rows);
}
END_TEST

START_TEST(the_closed_form_of_free_flight_holds_for_degree_two)
{
    for (int f = 0; f < 2; f++)
        for (int k = 2; k <= 7; k++)
            CHECK_NEAR(measure(2, f ? "dg-plus:degree=2" : "dg-minus:degree=2", f, 2, H(k)).q, pow(H(k), 4) / 24,
                       1e-14);
}
END_TEST

TEST_MAIN("Galerkin, section 4", free_flight_has_the_published_errors, rest_has_the_published_errors,
          the_ball_with_impacts_on_nodes_has_the_published_errors,
          the_ball_with_impacts_between_nodes_has_the_published_errors,
          the_closed_form_of_free_flight_holds_for_degree_two)
