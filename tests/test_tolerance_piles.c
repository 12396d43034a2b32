/* test_tolerance_piles.c: `tolerance` takes piles of rough discs to rest, where many bounces and slips end at
 * once: against time stepping with small steps, and against itself at other tolerances. */
#include "tolerance_testing.h"

enum { N = 8 };
/* x and velocity; the first four begin at y = .12, the others at .33 */
static const double calm[N][3] = {{0.107075, 0.3474, 0.2638}, {0.318041, -0.0046, -0.0505},
                                  {0.531213, 0.2887, -0.4061}, {0.736227, 0.3358, -0.0672},
                                  {0.162098, -0.4979, -0.0546}, {0.371772, -0.2712, 0.4453},
                                  {0.583211, -0.4694, -0.4746}, {0.790331, 0.4391, -0.1188}};
static const double lively[N][3] = {{0.113648, 0.4478, -0.4434}, {0.316679, 0.3355, 0.2360},
                                    {0.531358, -0.1919, 0.1059}, {0.740854, 0.0812, -0.3416},
                                    {0.159445, -0.1065, 0.2230}, {0.373959, 0.4494, 0.0442},
                                    {0.579559, -0.2318, -0.4641}, {0.786220, -0.0351, -0.1815}};

static carom_model *pile(const double at[N][3], double e)
{
    char text[2000];
    int k = snprintf(text, sizeof text, "carom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
                     "  floor: {fixed: true, shape: {plane: [0, 1]}}\n  left: {fixed: true, shape: {plane: [1, 0]}}\n"
                     "  right: {fixed: true, at: [0.92, 0], shape: {plane: [-1, 0]}}\n");
    for (int i = 0; i < N; i++)
        k += snprintf(text + k, sizeof text - (size_t)k,
                      "  d%d: {shape: {circle: 0.1}, mass: 1, at: [%g, %g], velocity: [%g, %g]}\n", i, at[i][0],
                      i < 4 ? 0.12 : 0.33, at[i][1], at[i][2]);
    snprintf(text + k, sizeof text - (size_t)k, "laws:\n  default: {friction: 0.5, restitution: %g}\n", e);
    return parse_text(text);
}

static double apart(const run *a, const run *b)
{
    double most = 0;
    for (int i = 0; i < 3 * N; i++)
        most = fmax(most, fabs(carom_sim_state(a->sim)->q[i] - carom_sim_state(b->sim)->q[i]));
    return most;
}

static run taken_to(const carom_model *model, const char *scheme, double tol, double h, double t)
{
    run r = begin(model, scheme, tol, h, t);
    ck_assert_msg(carom_sim_run(r.sim, t) == CAROM_OK, "%s, tol %g: %s", scheme, tol, carom_sim_error(r.sim)->text);
    return r;
}

/* Motions of piles are sensitive: what one tolerance is off by grows with each impact that follows. */
static void check_rest(const double at[N][3], double e, double factor)
{
    carom_model *model = pile(at, e);
    run best = taken_to(model, "tolerance", SANITIZED ? 1e-6 : 1e-8, 0, 1.6);
    for (int i = 0; i < 3 * N; i++)
        CHECK_NEAR(carom_sim_state(best.sim)->v[i], 0, 1e-7);
    for (int k = 0; k < (SANITIZED ? 1 : 2); k++) {
        double tol = k ? 1e-6 : 1e-4;
        run r = taken_to(model, "tolerance", tol, 0, 1.6);
        printf("e = %g, tol %g: off by %.2g\n", e, tol, apart(&r, &best));
        CHECK_AT_MOST(apart(&r, &best), factor * tol);
        end(&r);
    }
    end(&best);
    carom_model_free(model);
}

START_TEST(discs_that_do_not_bounce_come_to_rest_in_a_pile) { check_rest(lively, 0, 20); }
END_TEST
START_TEST(discs_that_bounce_come_to_rest_in_a_pile)
{
    if (!SANITIZED)
        check_rest(lively, 0.5, 200);
}
END_TEST

START_TEST(a_pile_is_that_of_time_stepping)
{
    carom_model *model = pile(calm, 0);
    run best = taken_to(model, "tolerance", 1e-8, 0, 0.5);
    for (double h = 1e-4; h > (SANITIZED ? 5e-5 : 2e-5); h /= 4) {
        run r = taken_to(model, "moreau-jean", 1e-8, h, 0.5);
        printf("h = %g: off by %.2g\n", h, apart(&r, &best));
        CHECK_AT_MOST(apart(&r, &best), 10 * h);
        end(&r);
    }
    end(&best);
    carom_model_free(model);
}
END_TEST

/* ---- a row of dominoes that has fallen: each lies on the next, near its foot, and moves it by a hundredth of its own
 * way or less. The first of them stick; their rows depend on each other but for 1e-11. x, y, angle and their rates. */

static const double leaning[N][6] = {
    {0.024487834428937427, 0.011363347748299894, -1.2263316585653488,
     0.00023484908402435857, 4.4201840616988194e-05, -0.033403468364129718},
    {0.048248896308932913, 0.011236502591388623, -1.2327057268512047,
     0.00011272516195080684, -2.8863968090303835e-05, -0.001450485436918349},
    {0.072376015139783353, 0.011222400837115624, -1.2334142330453466,
     0.00032715484421791494, -0.00023309065142236506, -0.011708697601721012},
    {0.09654782219792428, 0.011215423225199828, -1.2337647004679373,
     0.0008837675051644639, 0.00021099164521823328, 0.010596519093986602},
    {0.12081168610070367, 0.011086040677630041, -1.2402508073959959,
     0.019031390384257479, -0.034306051281702103, -1.7166985885826636},
    {0.14586046080023748, 0.011232813957983485, -1.2328910800596784,
     0.073662157415328167, -0.059856542744653699, -3.0076238606830659},
    {0.17071795686242955, 0.011121893850924562, -1.2482546250078057,
     0.067018865008897324, -0.0079124742922120194, 2.4137213657240091},
    {0.19649607935186553, 0.0040000000000000001, -1.5707963267948966,
     0.074554246898396362, -1.6853750001681301e-19, -3.6577852497668718e-17}};
static const double locked[N][6] = {
    {0.024487791947250412, 0.011363333049482041, -1.2263206303484064,
     -5.6434340133458978e-05, -2.0413399914230481e-05, -0.0010295565338898588},
    {0.048248899991169193, 0.011236502155797192, -1.2327057487407465,
     2.1381725981750379e-12, -3.7866423661611247e-12, -1.9028809746512552e-10},
    {0.072376034649566975, 0.01122237494914414, -1.2334155334592269,
     8.5593652470303924e-09, -1.5183551560695843e-08, -7.6270533516952824e-07},
    {0.096547984853001367, 0.011215302166553918, -1.2337707803203175,
     6.8650092372697912e-05, -0.00012188034300340577, -0.0061211094764281101},
    {0.12084173053812736, 0.011031708622545962, -1.2429675771694044,
     0.021021565563317735, -0.038137428271675093, -1.9055584481587087},
    {0.14596961059596025, 0.011134856455611936, -1.2378063721928845,
     0.071870377793114587, -0.070761112001090226, -3.5457539363695685},
    {0.17081334931103676, 0.011108800491573086, -1.2442680181878227,
     0.060173028691795367, -0.0095477407937273901, 2.9015707129776676},
    {0.1966038914822214, 0.0040000000000000001, -1.5707963267948968,
     0.06919343315063442, -2.0544433324162406e-20, 1.3894197809178228e-19}};
static const double twelve[12][6] = {
    {0.024492146607246343, 0.011366484829244348, -1.2261616620579874,
     3.6664962303740151e-12, 1.2995325222952758e-12, 6.5548278464919652e-11},
    {0.04824224858202307, 0.011240625497347164, -1.2324985285571672,
     5.8342075145663499e-12, -1.0327216348149967e-11, -5.1902875998388091e-10},
    {0.072347243574103992, 0.011240570244813442, -1.2325013054557454,
     5.9716746488551724e-06, -1.0570616455302907e-05, -0.00053126082741314709},
    {0.096472021833947222, 0.011247571065876833, -1.2321494213630073,
     1.2089601047232341e-05, -2.138254405200057e-05, -0.0010748632728278913},
    {0.1205705443166649, 0.011253794801620394, -1.2318365373194722,
     2.4443165026482151e-05, -4.3200397545573399e-05, -0.0021719931327486659},
    {0.14463703035677458, 0.011256213450013562, -1.2317149303725987,
     4.9329723437395792e-05, -8.7159708640594484e-05, -0.0043824438525849503},
    {0.16869152525431597, 0.011257307246555236, -1.2316989310981474,
     0.00072909999295879535, 5.0244409350258384e-05, 0.011171199392504598},
    {0.19275663914843363, 0.011226391835356293, -1.2332137443839244,
     0.00086369364807130789, -0.00050419695788212686, -0.025329875257538683},
    {0.21704113295756433, 0.010988823864977407, -1.2451090763626786,
     0.0044841574170531228, -0.004034416255915026, -0.20134471235472476},
    {0.24222574736035488, 0.011054906124259965, -1.2418081299515458,
     0.025462846939080835, -0.0017856642984991683, -0.089278857041956455},
    {0.26705396188402597, 0.011078927496640944, -1.2407174135340007,
     0.036990766601980397, -6.5857310786319263e-05, -0.10104577830750916},
    {0.29290855502989671, 0.0040000000000000001, -1.5707963267948966,
     0.037861234176652464, -2.3865705618565216e-20, 4.652808328566846e-17}};

static carom_model *dominoes(int n, const double at[][6])
{
    char text[4000];
    int k = snprintf(text, sizeof text, "carom: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
                     "  table: {fixed: true, shape: {plane: [0, 1]}}\n");
    for (int i = 0; i < n; i++)
        k += snprintf(text + k, sizeof text - (size_t)k,
                      "  d%d: {shape: {box: [0.008, 0.045]}, density: 800, at: [%.17g, %.17g], angle: %.17g, "
                      "velocity: [%.17g, %.17g], spin: %.17g}\n",
                      i, at[i][0], at[i][1], at[i][2], at[i][3], at[i][4], at[i][5]);
    snprintf(text + k, sizeof text - (size_t)k, "laws:\n  default: {friction: 0.4, restitution: 0}\n");
    return parse_text(text);
}

static void check_dominoes(const double at[N][6], double t)
{
    carom_model *model = dominoes(N, at);
    run best = taken_to(model, "tolerance", 1e-6, 0, t), steps = taken_to(model, "moreau-jean", 1e-8, 1e-5, t);
    printf("dominoes: off by %.2g\n", apart(&steps, &best));
    CHECK_AT_MOST(apart(&steps, &best), 1e-4);
    CHECK_NEAR(carom_sim_info(best.sim)->balance_error, 0, 1e-6);
    end(&best);
    end(&steps);
    carom_model_free(model);
}

START_TEST(dominoes_that_lean_on_each_other_go_on) { check_dominoes(leaning, 0.003); }
END_TEST
START_TEST(dominoes_whose_rows_all_but_depend_on_each_other_are_no_paradox)
{
    check_dominoes(locked, SANITIZED ? 3e-4 : 1e-3);
}
END_TEST

/* A trial over far more time than slip lasts tells nothing about its direction at the start. */
START_TEST(friction_does_not_turn_about_before_slip_does)
{
    carom_model *model = dominoes(12, twelve);
    run r = begin(model, "tolerance", 1e-4, 0, 1.5);
    while (carom_sim_state(r.sim)->t < 1.97e-4)
        ck_assert_int_eq(carom_sim_step(r.sim), CAROM_OK);
    ck_assert_int_eq(carom_sim_step(r.sim), CAROM_OK);
    printf("dominoes: balance %.2g\n", carom_sim_info(r.sim)->balance_error);
    CHECK_NEAR(carom_sim_info(r.sim)->balance_error, 0, 1e-6);
    end(&r);
    carom_model_free(model);
}
END_TEST

TEST_MAIN("tolerance, piles of discs", discs_that_do_not_bounce_come_to_rest_in_a_pile,
          discs_that_bounce_come_to_rest_in_a_pile, a_pile_is_that_of_time_stepping,
          dominoes_that_lean_on_each_other_go_on, dominoes_whose_rows_all_but_depend_on_each_other_are_no_paradox,
          friction_does_not_turn_about_before_slip_does)
