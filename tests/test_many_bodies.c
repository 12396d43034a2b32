/* test_many_bodies.c: many bodies by blocks, contacts found per step: against exact motions, whatever the order of the
 * bodies, and nothing is crossed that was not found. */
#include <string.h>
#include <time.h>

#include "bodies/many/parts.h"
#include "core/dense.h"
#include "many_scenes.h"
#include "rotating.h"
#include "sim/sim.h"
#include "testing.h"

static carom_sim *simulate_with(carom_options o, scene *s, const char *scheme, carom_model **model)
{
    carom_error error;
    carom_sim *sim;
    o.h = s->h;
    carom_bodies_start(&s->bodies);
    CHECK_OK(carom_bodies_model(model, &s->bodies, s->arena, &error), error);
    CHECK_OK(carom_options_set(&o, "scheme", scheme, &error), error);
    CHECK_OK(carom_sim_new(&sim, *model, &o, &error), error);
    return sim;
}

static carom_sim *simulate(scene *s, const char *scheme, carom_model **model)
{
    carom_options o = carom_options_default();
    o.contact_tol = 1e-10;
    return simulate_with(o, s, scheme, model);
}

static void steps(carom_sim *sim, int n)
{
    for (int k = 0; k < n; k++)
        CHECK_OK(carom_sim_step(sim), *carom_sim_error(sim));
}

static void end(scene *s, carom_sim *sim, carom_model *model)
{
    carom_sim_free(sim);
    carom_bodies_model_end(model);
    carom_arena_free(s->arena);
}

static const double ground[1][4] = {{0, 0, 1, 0}};

START_TEST(a_sphere_that_slips_comes_to_roll_with_five_sevenths_of_its_speed)
{
    static const char *const schemes[] = {"moreau-jean", "moreau-jean-projected", "schatzman-paoli"};
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
        scene s;
        carom_model *model;
        begin(&s, "bowling", 2, 0.3, 2e-3);
        add_planes(&s, "ground", 1, ground);
        add_sphere(&s, 0.1, (const double[]){0, 0, 0.1});
        s.bodies.body[1].velocity[0] = number(1.4);
        carom_sim *sim = simulate(&s, schemes[i], &model);
        steps(sim, 300); /* rolls after 2 v/(7 mu g) = 0.136 s */
        const carom_state *x = carom_sim_state(sim);
        printf("%s: v = %.9f, w r = %.9f, height %.3g\n", schemes[i], x->v[0], x->v[4] * 0.1, x->q[2] - 0.1);
        CHECK_NEAR(x->v[0], 1, 1e-6);
        CHECK_NEAR(hypot(x->v[3], hypot(x->v[4], x->v[5])) * 0.1, 1, 1e-6);
        CHECK_NEAR(x->q[2], 0.1, 1e-4);
        end(&s, sim, model);
    }
}
END_TEST

START_TEST(a_free_top_follows_its_elliptic_functions_at_order_two)
{
    double error[2];
    (void)ellipsoid_model;
    for (int k = 0; k < 2; k++) {
        scene s;
        carom_model *model;
        const carom_model top = top_model();
        begin(&s, "top", 1, 0, k ? 5e-3 : 1e-2);
        carom_body *body = add_body(&s, "top", CAROM_BODY_FREE, 0, NULL);
        body->mass = number(3);
        numbers(body->inertia, 3, inertia);
        carom_sim *sim = simulate(&s, "moreau-jean", &model);
        double q[7] = {0, 0, 0, top.q[0], top.q[1], top.q[2], top.q[3]}, v[6] = {0, 0, 0, top.v[0], top.v[1], top.v[2]};
        CHECK_OK(carom_sim_restart(sim, q, v, NULL), *carom_sim_error(sim));
        steps(sim, k ? 800 : 400);
        const carom_state *x = carom_sim_state(sim);
        error[k] = top_error(x->t, x->q + 3, x->v + 3);
        CHECK_NEAR(x->q[2], -9.81 / 2 * x->t * x->t, 1e-9);
        end(&s, sim, model);
    }
    printf("top: errors %.3g, %.3g, order %.3f\n", error[0], error[1], log2(error[0] / error[1]));
    CHECK_NEAR(log2(error[0] / error[1]), 2, 0.1);
}
END_TEST

/* A few spheres and boxes that fall on each other; `turned`: the last one first. */
static void heap(scene *s, bool turned)
{
    enum { N = 7 };
    begin(s, "heap", N + 1, 0.4, 2e-3);
    for (int i = 0; i <= N; i++) {
        int k = turned ? N - i : i;
        const double at[3] = {0.03 * k, 0.013 * k * k * 0.3, 0.12 + 0.21 * (k - 1)};
        if (k == 0)
            add_planes(s, "ground", 1, ground);
        else if (k % 2)
            add_sphere(s, 0.1, at);
        else
            add_box(s, "box", (const double[]){0.3, 0.3, 0.18}, at, 1000);
    }
}

START_TEST(the_order_of_the_bodies_does_not_matter)
{
    enum { N = 7 };
    scene a, b;
    carom_model *m, *n;
    heap(&a, false), heap(&b, true);
    carom_sim *x = simulate(&a, "moreau-jean", &m), *y = simulate(&b, "moreau-jean", &n);
    double most = 0;
    for (int k = 0; k < 100; k++) {
        steps(x, 1), steps(y, 1);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < 3; j++)
                most = fmax(most, fabs(carom_sim_state(x)->q[7 * i + j] - carom_sim_state(y)->q[7 * (N - 1 - i) + j]));
    }
    printf("heap: %d contacts, apart by %.3g\n", carom_sim_state(x)->ncontact, most);
    ck_assert_int_gt(carom_sim_state(x)->ncontact, 6);
    ck_assert_double_lt(most, 1e-8);
    end(&a, x, m), end(&b, y, n);
}
END_TEST

/* ---- nothing is crossed unseen ---- */

/* Rods that spin fast, and bullets in every other round: otherwise nothing but a spin is fast. */
static void storm(scene *s, bool bullets, unsigned long long *seed)
{
    enum { N = 8 };
    begin(s, "storm", N, 0.3, 1e-2);
    for (int i = 0; i < N; i++) {
        double wide = bullets ? 2 : 1;
        const double at[3] = {wide * random_number(seed), wide * random_number(seed), wide * random_number(seed)};
        bool rod = i % 2 || !bullets;
        add_sphere(s, rod ? 0.02 : 0.05, at);
        carom_body *body = &s->bodies.body[i];
        if (rod)
            body->shape[0].kind = CAROM_SHAPE_CAPSULE, body->shape[0].size[0] = number(1.6),
            body->shape[0].size[1] = number(0.02);
        for (int j = 0; j < 3; j++) {
            body->spin[j] = number(rod ? 150 * random_number(seed) : 0);
            body->velocity[j] = number((rod ? 1 : 100) * random_number(seed));
        }
    }
}

static bool is_found(const carom_state *state, const carom_model *model, int a, int b)
{
    const carom_many *many = model->user;
    for (int i = 0; i < state->ncontact; i++) {
        unsigned long long id = (unsigned long long)state->id[i];
        int x = (int)(id >> 42 & 0xfffff), y = (int)(id >> 11 & 0xfffff);
        ck_assert(x < many->nshape && y < many->nshape);
        if ((x == a && y == b) || (x == b && y == a))
            return true;
    }
    return false;
}

/* Pairs that touch somewhere on the way from q to `to`. */
static int crossings(const scene *s, const carom_model *model, const double *q, const double *to,
                     const carom_state *state)
{
    enum { SAMPLES = 200 };
    const carom_many *many = model->user;
    carom_pose pose[16];
    double xi[128], part[128], at[128];
    int count = 0;
    model->manifold->local(model->user, q, to, xi);
    for (int k = 0; k <= SAMPLES; k++) {
        for (int i = 0; i < model->nv; i++)
            part[i] = xi[i] * k / SAMPLES;
        model->manifold->drift(model->user, q, part, at);
        carom_many_poses(many, 0, at, pose);
        for (int a = 0; a < s->bodies.nbody; a++)
            for (int b = 0; b < a; b++) {
                carom_touch touch[4];
                carom_error error;
                int n;
                CHECK_OK(carom_pair_find((carom_posed){&many->shape[a].shape, &pose[a], a},
                                         (carom_posed){&many->shape[b].shape, &pose[b], b}, 0, touch, 4, &n, &error),
                         error);
                count += n > 0;
                ck_assert_msg(n == 0 || is_found(state, model, a, b), "%d and %d touch and were not found", a, b);
            }
    }
    return count;
}

START_TEST(no_pair_is_crossed_unseen)
{
    unsigned long long seed = 7;
    int crossed = 0;
    for (int round = 0; round < 40; round++) {
        scene s;
        carom_model *model;
        double before[128];
        storm(&s, round % 2 == 0, &seed);
        carom_sim *sim = simulate(&s, "moreau-jean", &model);
        for (int k = 0; k < 2; k++) {
            memcpy(before, carom_sim_state(sim)->q, sizeof(double) * (size_t)model->nq);
            if (carom_sim_step(sim) != CAROM_OK)
                break;
            crossed += crossings(&s, model, before, carom_sim_state(sim)->q, carom_sim_state(sim));
        }
        end(&s, sim, model);
    }
    printf("storm: %d samples of pairs that touch on the way\n", crossed);
    ck_assert_int_gt(crossed, 20);
}
END_TEST

/* Eight metres in a step, against two millimetres. */
static void shoot(const char *scheme, double inside, double e)
{
    scene s;
    carom_model *model;
    begin(&s, "bullet", 2, 0.3, 1e-2);
    carom_body *wall = add_body(&s, "wall", CAROM_BODY_FIXED, 1, (const double[]){3.3, 0, 0});
    wall->shape[0].kind = CAROM_SHAPE_BOX;
    numbers(wall->shape[0].size, 3, (const double[]){0.002, 2, 2});
    add_sphere(&s, 0.01, (const double[]){0, 0, 0});
    s.bodies.body[1].velocity[0] = number(800);
    s.bodies.law[0].coefficient[0] = number(e);
    carom_sim *sim = simulate(&s, scheme, &model);
    double farthest = 0;
    for (int k = 0; k < 8; k++) {
        steps(sim, 1);
        farthest = fmax(farthest, carom_sim_state(sim)->q[0]);
    }
    printf("bullet: %s comes in by %.2g\n", scheme, farthest - 3.289);
    CHECK_AT_MOST(farthest, 3.289 + inside);
    CHECK_AT_LEAST(farthest, 3.289 - 1e-6);
    CHECK_NEAR(carom_sim_state(sim)->v[0], -e * 800, 1e-6);
    end(&s, sim, model);
}

START_TEST(a_bullet_does_not_pass_a_thin_wall)
{
    shoot("moreau-jean-projected", 1e-6, 0);
    shoot("moreau-jean", 1e-3, 0);
    shoot("moreau-jean", 1e-3, 0.5);
}
END_TEST

/* All of the lowest course slips, so that the floor gives mu times what it carries, however the bricks share it. */
/* The first step of a wall that moves over its floor: friction is mu times what the floor carries. Returns its time. */
static double brake_a_wall(int rows, int columns, const char *solver)
{
    const double speed = 0.94, h = 1e-3, mass = 3.6;
    scene s;
    carom_model *model;
    carom_error error;
    wall(&s, rows, columns, h);
    for (int k = 1; k < s.bodies.nbody; k++)
        s.bodies.body[k].velocity[0] = number(speed);
    carom_options o = carom_options_default();
    o.contact_tol = 1e-6;
    if (solver)
        CHECK_OK(carom_options_set(&o, "solver", solver, &error), error);
    carom_sim *sim = simulate_with(o, &s, "moreau-jean", &model);
    clock_t begun = clock();
    steps(sim, 1);
    double seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
    const carom_state *x = carom_sim_state(sim);
    double along = 0, up = 0, weight = mass * rows * columns * 9.81 * h;
    for (int k = 0; k < rows * columns; k++) {
        along += mass * (x->v[6 * k] - speed);
        up += mass * x->v[6 * k + 2];
    }
    printf("wall: braked by %.9f of mu times what the floor carries, %ld contacts, residual %.2g, %ld steps rejected, "
           "%d factorisations, %.3g s\n",
           -along / (0.6 * (weight + up)), (long)x->ncontact, carom_sim_info(sim)->max_residual,
           (long)carom_sim_info(sim)->rejected, sim->contacts.solve.factorisations, seconds);
    CHECK_NEAR(-along / (0.6 * (weight + up)), 1, 1e-5);
    CHECK_NEAR(x->t, h, 1e-15);
    end(&s, sim, model);
    return seconds;
}

START_TEST(a_wall_whose_floor_starts_to_move_is_solved)
{
    brake_a_wall(SANITIZED ? 6 : 20, SANITIZED ? 8 : 20, NULL);
}
END_TEST

START_TEST(the_interior_point_method_by_name_works_in_the_velocities_of_bodies)
{
    const int rows = SANITIZED ? 4 : 10, columns = SANITIZED ? 6 : 12;
    double automatic = brake_a_wall(rows, columns, NULL), named = brake_a_wall(rows, columns, "interior-point");
    CHECK_AT_MOST(named, 3 * automatic); /* 0.5; with a matrix of contacts 8 */
}
END_TEST

START_TEST(threads_share_a_step_and_change_no_bit)
{
    const int rows = SANITIZED ? 4 : 12;
    double v[2][6 * 12 * 20] = {{0}};
    for (int i = 0; i < 2; i++) {
        scene s;
        carom_model *model;
        wall(&s, rows, 20, 1e-3);
        s.bodies.body[1].velocity[0] = number(0.5);
        carom_options o = carom_options_default();
        o.contact_tol = 1e-6, o.threads = 1 + 2 * i;
        carom_sim *sim = simulate_with(o, &s, "moreau-jean", &model);
        ck_assert_int_eq(sim->contacts.solve.threads, o.threads);
        steps(sim, 1);
        CHECK_AT_LEAST(sim->contacts.solve.factorisations, 1);
        carom_copy(model->nv, carom_sim_state(sim)->v, v[i]);
        end(&s, sim, model);
    }
    ck_assert(memcmp(v[0], v[1], sizeof v[0]) == 0);
}
END_TEST

/* Problems of a pile that sweeps do not solve: Newton's method goes on where the interior point method is stuck. */
START_TEST(a_pile_of_boxes_takes_few_factorisations_a_step)
{
    enum { STEPS = 180, LAST = 80 };
    scene s;
    carom_model *model;
    carom_options o = carom_options_default();
    double factorisations = 0;
    pile(&s, 100);
    o.contact_tol = 1e-6;
    carom_sim *sim = simulate_with(o, &s, "moreau-jean", &model);
    for (int k = 0; k < STEPS; k++) {
        steps(sim, 1);
        factorisations += k < STEPS - LAST ? 0 : (double)sim->contacts.solve.factorisations / LAST;
    }
    printf("pile of 100 boxes: %.1f factorisations a step\n", factorisations);
    CHECK_AT_MOST(factorisations, 45); /* 28, 21 with other rounding; with the interior point method first 61 */
    end(&s, sim, model);
}
END_TEST

/* Bricks at the ends hang over by half and all but tip: what a loose solution leaves of their speeds makes the next
 * problems hard. */
START_TEST(a_wall_whose_ends_hang_over_stands_at_a_loose_tolerance)
{
    static const int shape[][2] = {{6, 10}, {9, 13}, {10, 15}};
    for (int k = 0; k < (SANITIZED ? 1 : 3); k++) {
        scene s;
        carom_model *model;
        carom_options o = carom_options_default();
        wall(&s, shape[k][0], shape[k][1], 5e-3);
        o.contact_tol = 1e-6;
        carom_sim *sim = simulate_with(o, &s, "moreau-jean", &model);
        steps(sim, 10);
        const long before = carom_sim_info(sim)->solver_iterations;
        steps(sim, 10);
        for (int i = 0; i < model->nv; i++)
            CHECK_NEAR(carom_sim_state(sim)->v[i], 0, 1e-5);
        printf("ends hang over: %d rows, %.1f iterations a step\n", shape[k][0],
               (double)(carom_sim_info(sim)->solver_iterations - before) / 10);
        CHECK_AT_MOST(carom_sim_info(sim)->solver_iterations - before, 100);
        end(&s, sim, model);
    }
}
END_TEST

/* Impulses of a step are the solution of the next, though rounding shakes faces and opens joints that carry no load. */
START_TEST(a_wall_at_rest_costs_a_few_sweeps_a_step)
{
    scene s;
    carom_model *model;
    wall(&s, 4, SANITIZED ? 10 : 30, 5e-3);
    carom_sim *sim = simulate(&s, "moreau-jean", &model);
    steps(sim, 10);
    const carom_info before = *carom_sim_info(sim);
    steps(sim, 20);
    double sweeps = (double)(carom_sim_info(sim)->solver_iterations - before.solver_iterations) / 20;
    printf("wall at rest: %.2f sweeps a step, fastest %.2g\n", sweeps,
           carom_norm_max(model->nv, carom_sim_state(sim)->v));
    CHECK_AT_MOST(sweeps, 10);
    for (int i = 0; i < carom_sim_state(sim)->ncontact; i++) /* none of those that press is told to be open */
        if (carom_sim_state(sim)->impulse[3 * i] > 1e-6)
            ck_assert_int_ne(carom_sim_state(sim)->mode[i], CAROM_OPEN);
    end(&s, sim, model);
}
END_TEST

/* Corners and edges that are gone are not looked for farther and farther away. */
START_TEST(boxes_that_tumble_find_their_neighbours_only)
{
    scene s;
    carom_model *model;
    pile(&s, 40);
    carom_options o = carom_options_default();
    o.contact_tol = 1e-6;
    carom_sim *sim = simulate_with(o, &s, "moreau-jean", &model);
    steps(sim, 120);
    int closed = 0, room = sim->system.capacity; /* it follows the most that was ever found */
    for (int i = 0; i < carom_sim_state(sim)->ncontact; i++)
        closed += carom_sim_state(sim)->mode[i] != CAROM_OPEN;
    printf("%d closed, room for %d\n", closed, room);
    ck_assert(closed > 60 && room < 10 * 40);
    end(&s, sim, model);
}
END_TEST

START_TEST(a_step_that_is_not_solved_is_made_in_halves)
{
    scene s;
    carom_model *model;
    begin(&s, "spinning box", 1, 0, 0.04);
    add_box(&s, "box", (const double[]){0.3, 0.2, 0.1}, (const double[]){0, 0, 0}, 1000);
    numbers(s.bodies.body[0].spin, 3, (const double[]){30, 2, 1});
    carom_options o = carom_options_default();
    o.newton_max = 3;
    carom_sim *sim = simulate_with(o, &s, "moreau-jean", &model);
    CHECK_OK(carom_sim_run(sim, 0.4), *carom_sim_error(sim));
    const carom_info *info = carom_sim_info(sim);
    printf("box: %ld steps, %ld rejected\n", (long)info->steps, (long)info->rejected);
    CHECK_AT_LEAST(info->rejected, 1);
    CHECK_AT_LEAST(info->steps, 11); /* of 0.04 there are ten */
    CHECK_NEAR(carom_sim_state(sim)->t, 0.4, 1e-14);
    CHECK_NEAR(carom_sim_state(sim)->q[2], -9.81 / 2 * 0.16, 1e-9);
    end(&s, sim, model);
}
END_TEST

START_TEST(joints_that_need_formulas_are_refused_not_left_out)
{
    carom_arena *arena = carom_arena_new(0);
    carom_error error = {0};
    carom_model *model;
    carom_joint joint = {.name = "elbow"};
    carom_bodies bodies = {.joint = &joint, .njoint = 1};
    ck_assert_int_eq(carom_bodies_model(&model, &bodies, arena, &error), CAROM_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(error.text, "elbow"));
    carom_arena_free(arena);
}
END_TEST

static void random_numbers(int n, int some, double *x, unsigned long long *seed)
{
    for (int i = 0; i < n; i++)
        x[i] = i >= some ? 0 : (i * 7 + some) % 5 == 0 ? -0.0 : random_number(seed);
}

START_TEST(packed_touches_come_back_to_the_last_bit)
{
    enum { TOUCHES = 500 };
    static carom_touch touch[TOUCHES];
    static unsigned char memory[TOUCHES * sizeof(carom_touch)];
    unsigned long long seed = 3;
    unsigned char *to = memory;
    for (int i = 0; i < TOUCHES; i++) {
        carom_touch *t = &touch[i];
        *t = (carom_touch){.body = {i, 7 * i}, .feature = {CAROM_PART(CAROM_VERTEX, i), CAROM_PART(CAROM_FACE, 2 * i)},
                           .branch = CAROM_PART(CAROM_EDGE, i + 1), .kernel = (carom_kernel)(i % CAROM_KERNELS),
                           .sign = i % 3 ? 1 : -1, .gap = 1, .point = {1, 2, 3}};
        random_numbers(CAROM_FEATURE_SIZE, i % 13, t->a, &seed);
        random_numbers(CAROM_FEATURE_SIZE, i / 13 % 13, t->b, &seed);
        random_numbers(CAROM_UNKNOWNS, i % 3, t->z, &seed);
        random_numbers(3, 3, t->normal, &seed);
        carom_touch_reference(t->normal, t->reference);
        unsigned char *end = carom_touch_pack(t, to);
        ck_assert_uint_le((size_t)(end - to), sizeof *t);
        to = end;
    }
    const unsigned char *from = memory;
    for (int i = 0; i < TOUCHES; i++) {
        carom_touch back;
        memset(&back, 0xff, sizeof back);
        from = carom_touch_unpack(from, &back);
        memcpy(&back.gap, &touch[i].gap, sizeof back.gap), memcpy(back.point, touch[i].point, sizeof back.point);
        ck_assert_msg(memcmp(&back, &touch[i], sizeof back) == 0, "touch %d", i);
    }
    ck_assert_ptr_eq(from, to);
}
END_TEST

START_TEST(what_is_kept_of_contacts_is_as_long_as_there_are_contacts)
{
    scene s;
    carom_model *model;
    wall(&s, 4, 5, 5e-3);
    carom_sim *sim = simulate(&s, "moreau-jean", &model);
    steps(sim, 2);
    const int n = carom_sim_state(sim)->ncontact, room = sim->system.capacity, all = 3 * room;
    ck_assert_int_gt(room, n);
    double *const beyond[] = {sim->next.state.u + 3 * n, sim->kept.state.u + 3 * n, sim->kept.state.impulse + 3 * n};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < all - 3 * n; k++)
            beyond[i][k] = i + 1;
    steps(sim, 3);
    ck_assert_int_eq(carom_sim_state(sim)->ncontact, n);
    for (int k = 0; k < all - 3 * n; k++) {
        ck_assert(sim->now.state.u[3 * n + k] == 0); /* not what stands there in the next */
        for (int i = 0; i < 3; i++)
            ck_assert(beyond[i][k] == i + 1);
    }
    carom_many_work w = carom_many_work_at(model->user, n, sim->system.evaluator_work, NULL);
    const unsigned char *at = w.packed;
    for (int i = 0; i < n; i++)
        at = carom_touch_unpack(at, w.chunk);
    double each = (double)(at - w.packed) / n;
    printf("%d contacts with room for %d: %.0f bytes a touch, %zu in full\n", n, room, each, sizeof(carom_touch));
    CHECK_AT_MOST(each, 144);
    end(&s, sim, model);
}
END_TEST

/* A tower of boxes at x whose upper half slides, alone or with another one beside it that slides otherwise. */
static void towers(scene *s, int n)
{
    enum { HIGH = 8 };
    begin(s, "towers", n * HIGH + 1, 0.4, 2e-3);
    add_planes(s, "ground", 1, ground);
    for (int k = 0; k < n; k++)
        for (int j = 0; j < HIGH; j++) {
            add_box(s, "box", (const double[]){0.3, 0.3, 0.1 + 0.01 * k}, (const double[]){3 * k, 0, 0}, 800);
            carom_body *body = &s->bodies.body[s->bodies.nbody - 1];
            body->at[2] = number((j + 0.5) * (0.1 + 0.01 * k));
            body->velocity[0] = number(j < HIGH / 2 ? 0 : 0.2 + 0.7 * k);
        }
}

START_TEST(what_stands_elsewhere_changes_no_bit)
{
    scene alone, beside;
    carom_model *model[2];
    towers(&alone, 1), towers(&beside, 2);
    carom_sim *one = simulate(&alone, "moreau-jean", &model[0]), *two = simulate(&beside, "moreau-jean", &model[1]);
    for (int k = 0; k < 20; k++) { /* as long as the free motion takes as many iterations in both */
        steps(one, 1), steps(two, 1);
        const carom_state *a = carom_sim_state(one), *b = carom_sim_state(two);
        ck_assert_msg(a->t == b->t && memcmp(a->q, b->q, sizeof(double) * (size_t)model[0]->nq) == 0, "step %d", k);
        ck_assert_msg(memcmp(a->v, b->v, sizeof(double) * (size_t)model[0]->nv) == 0, "step %d", k);
    }
    const carom_state *a = carom_sim_state(one), *b = carom_sim_state(two);
    int nv = model[0]->nv;
    printf("towers: the upper boxes at %.6f and %.6f m/s, %d and %d contacts\n", a->v[nv - 6], b->v[2 * nv - 6],
           a->ncontact, b->ncontact);
    CHECK_AT_LEAST(one->contacts.problem.n, 61); /* a large problem, as it is in the group */
    end(&alone, one, model[0]), end(&beside, two, model[1]);
}
END_TEST

/* Two steps of a wall that slides, its problems asked for to 1e-30, which no solver gives. */
static carom_sim *ask_for_too_much(scene *s, double accept, carom_model **model, carom_status *status)
{
    wall(s, 3, 4, 1e-3);
    for (int k = 1; k < s->bodies.nbody; k++)
        s->bodies.body[k].velocity[0] = number(0.5);
    carom_options o = carom_options_default();
    o.contact_tol = 1e-30, o.contact_accept = accept;
    carom_sim *sim = simulate_with(o, s, "moreau-jean", model);
    for (int k = 0; k < 2 && (k == 0 || *status == CAROM_OK); k++)
        *status = carom_sim_step(sim);
    return sim;
}

START_TEST(a_problem_that_gets_no_better_is_accepted_as_far_as_allowed_and_the_run_says_so)
{
    scene s;
    carom_model *model;
    carom_status status;
    carom_sim *sim = ask_for_too_much(&s, 1e-6, &model, &status);
    CHECK_OK(status, *carom_sim_error(sim));
    const carom_info *info = carom_sim_info(sim);
    printf("%s\n", carom_sim_note(sim));
    CHECK_NEAR(info->loose, 2, 0);
    CHECK_NEAR(info->loose_time, 1e-3, 1e-15);
    CHECK_AT_MOST(info->max_residual, 1e-6);
    ck_assert_ptr_nonnull(strstr(carom_sim_note(sim), "in 2 steps, first at t = 0.001, contact problems got no"));
    end(&s, sim, model);
    sim = ask_for_too_much(&s, 0, &model, &status);
    ck_assert_int_eq(status, CAROM_NOT_CONVERGED);
    CHECK_NEAR(carom_sim_info(sim)->loose, 0, 0);
    end(&s, sim, model);
}
END_TEST

TEST_MAIN("many_bodies", a_sphere_that_slips_comes_to_roll_with_five_sevenths_of_its_speed,
          a_free_top_follows_its_elliptic_functions_at_order_two, the_order_of_the_bodies_does_not_matter,
          no_pair_is_crossed_unseen, a_bullet_does_not_pass_a_thin_wall,
          a_wall_whose_floor_starts_to_move_is_solved,
          the_interior_point_method_by_name_works_in_the_velocities_of_bodies, threads_share_a_step_and_change_no_bit,
          a_pile_of_boxes_takes_few_factorisations_a_step,
          a_wall_whose_ends_hang_over_stands_at_a_loose_tolerance, a_wall_at_rest_costs_a_few_sweeps_a_step,
          boxes_that_tumble_find_their_neighbours_only,
          a_step_that_is_not_solved_is_made_in_halves,
          a_problem_that_gets_no_better_is_accepted_as_far_as_allowed_and_the_run_says_so,
          joints_that_need_formulas_are_refused_not_left_out, packed_touches_come_back_to_the_last_bit,
          what_is_kept_of_contacts_is_as_long_as_there_are_contacts, what_stands_elsewhere_changes_no_bit)
