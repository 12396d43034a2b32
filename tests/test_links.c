/* test_links.c: a model that finds its contacts while it moves, against the same model that always has all of them: a
 * ball hops over a range of hills, some of them rough, and comes to rest between two. */
#include <string.h>

#include "carom.h"
#include "testing.h"

enum { HILLS = 40, FIRST_ID = 7000 };
#define BEND 0.8

typedef struct range {
    bool far_first; /* contacts are found in another order than they are numbered */
    int most;       /* contacts that were found at once */
    long calls, found;
} range;

static const range *of(const carom_point *at) { return at->user; }

static double top(int k) { return 0.3 * sin(2.3 * k); }

static int hill_of(const carom_point *at, int i) /* the hill of the i-th contact of this step */
{
    return at->model->contact_id ? (int)((at->model->contact_id[i] - FIRST_ID) / 3) : i;
}

static carom_contact hill(int k)
{
    const bool rough = k % 3 == 0;
    return (carom_contact){.name = "hill", .directions = rough, .restitution = 0.6, .friction = rough ? 0.3 : 0};
}

static void mass(const carom_point *at, double *M)
{
    (void)at;
    M[0] = M[3] = 2, M[1] = M[2] = 0;
}

static void force(const carom_point *at, double *F)
{
    F[0] = -0.4 * at->v[0], F[1] = -20 - 0.4 * at->v[1];
}

static double height(const carom_point *at, int k)
{
    double x = at->q[0] - k;
    return at->q[1] - top(k) + BEND * x * x;
}

static void gap(const carom_point *at, double *g)
{
    for (int i = 0; i < at->model->ncontact; i++)
        g[i] = height(at, hill_of(at, i));
}

/* Rows of the normal (2 a x, 1) and, where it is rough, of the slip along x. */
static void jacobian(const carom_point *at, double *G)
{
    for (int i = 0; i < at->model->ncontact; i++) {
        int k = hill_of(at, i);
        *G++ = 2 * BEND * (at->q[0] - k), *G++ = 1;
        if (hill(k).directions)
            *G++ = 1, *G++ = -2 * BEND * (at->q[0] - k);
    }
}

static void curvature(const carom_point *at, double *gamma)
{
    for (int i = 0; i < at->model->ncontact; i++) {
        *gamma++ = 2 * BEND * at->v[0] * at->v[0];
        if (hill(hill_of(at, i)).directions)
            *gamma++ = -2 * BEND * at->v[0] * at->v[1];
    }
}

static int find(const carom_point *at, double reach, carom_found *found, int most)
{
    range *r = at->user;
    int n = 0;
    for (int j = 0; j < HILLS; j++) {
        int k = of(at)->far_first ? HILLS - 1 - j : j;
        double steep = 1 + 2 * BEND * (fabs(at->q[0] - k) + reach);
        if (height(at, k) > reach * steep)
            continue;
        if (n < most)
            found[n] = (carom_found){.id = FIRST_ID + 3LL * k, .contact = hill(k), .count = {k % 2 ? 2 : 0}};
        n++;
    }
    r->calls++, r->found += n;
    r->most = n > r->most ? n : r->most;
    return n;
}

static const double start[] = {0.1, 1.5}, speed[] = {14, 0};

static carom_model model_of(range *r, const carom_contact *all, int guess)
{
    return (carom_model){.size = sizeof(carom_model), .name = "hills", .nq = 2, .nv = 2, .q = start, .v = speed,
                         .ncontact = all ? HILLS : guess, .contact = all, .links = all ? NULL : find, .user = r,
                         .constant = CAROM_MASS, .mass = mass, .force = force, .gap = gap, .jacobian = jacobian,
                         .gamma = curvature};
}

static carom_sim *simulate(const carom_model *m, const char *scheme)
{
    carom_sim *sim;
    carom_error error;
    carom_options o = carom_options_default();
    o.h = 2e-3, o.energy = true;
    CHECK_OK(carom_options_set(&o, "scheme", scheme, &error), error);
    CHECK_OK(carom_sim_new(&sim, m, &o, &error), error);
    return sim;
}

static void step(carom_sim *sim)
{
    CHECK_OK(carom_sim_step(sim), *carom_sim_error(sim));
}

static int mode_of(const carom_state *s, int k)
{
    if (!s->id)
        return s->mode[k];
    for (int i = 0; i < s->ncontact; i++)
        if (s->id[i] == FIRST_ID + 3LL * k)
            return s->mode[i];
    return CAROM_OPEN;
}

static const char *const schemes[] = {"moreau-jean", "moreau-jean-projected", "schatzman-paoli", "kern"};

static void compare(const char *scheme, bool far_first, int guess, double tolerance)
{
    enum { STEPS = 5000 };
    carom_contact all[HILLS];
    for (int k = 0; k < HILLS; k++)
        all[k] = hill(k);
    range fixed = {0}, found = {.far_first = far_first};
    const carom_model a = model_of(&fixed, all, 0), b = model_of(&found, NULL, guess);
    carom_sim *x = simulate(&a, scheme), *y = simulate(&b, scheme);
    const carom_state *s = carom_sim_state(x), *t = carom_sim_state(y);
    int changes = 0, last = -1, closed = 0;
    for (int n = 0; n < STEPS; n++) {
        step(x), step(y);
        for (int i = 0; i < 2; i++) {
            CHECK_NEAR(t->q[i], s->q[i], tolerance);
            CHECK_NEAR(t->v[i], s->v[i], 1e3 * tolerance);
        }
        for (int k = 0; k < HILLS; k++) {
            ck_assert_msg(mode_of(t, k) == mode_of(s, k), "%s: hill %d at t = %g: mode %d, with all hills %d", scheme,
                          k, s->t, mode_of(t, k), mode_of(s, k));
            closed += mode_of(t, k) != CAROM_OPEN;
        }
        int first = t->ncontact ? (int)t->id[0] : 0;
        changes += first != last, last = first;
    }
    const carom_info *i = carom_sim_info(x), *j = carom_sim_info(y);
    printf("%s: ends at x = %.3f, %ld impacts, %d changes of the set, %.2f contacts a step, at most %d\n", scheme,
           s->q[0], i->events[CAROM_EVENT_IMPACT], changes, (double)found.found / (double)found.calls, found.most);
    for (int e = 0; e < CAROM_EVENT_TYPES; e++)
        ck_assert_int_eq(i->events[e], j->events[e]);
    CHECK_NEAR(j->dissipated_impact, i->dissipated_impact, 1e-9);
    CHECK_NEAR(j->dissipated_friction, i->dissipated_friction, 1e-9);
    ck_assert_int_gt(changes, 10);
    ck_assert_int_gt(closed, STEPS / 4);
    ck_assert_int_lt(found.most, HILLS / 2);
    carom_sim_free(x);
    carom_sim_free(y);
}

START_TEST(contacts_found_step_by_step_give_the_bits_of_contacts_known_beforehand)
{
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++)
        compare(schemes[i], false, HILLS, 0);
}
END_TEST

START_TEST(neither_the_order_they_are_found_in_nor_the_room_at_first_matters)
{
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++)
        compare(schemes[i], true, 1, 1e-9);
}
END_TEST

START_TEST(a_saved_state_knows_its_contacts_by_id)
{
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
        range r = {0}, other = {.far_first = true};
        const carom_model m = model_of(&r, NULL, 10), n = model_of(&other, NULL, 10);
        carom_sim *a = simulate(&m, schemes[i]), *b = simulate(&n, schemes[i]);
        for (int k = 0; k < 1500; k++)
            step(a);
        size_t bytes = carom_sim_save(a, NULL, 0);
        void *buffer = malloc(bytes);
        carom_sim_save(a, buffer, bytes);
        other.far_first = false;
        CHECK_OK(carom_sim_load(b, buffer, bytes), *carom_sim_error(b));
        for (int k = 0; k < 1500; k++) {
            step(a), step(b);
            ck_assert(memcmp(carom_sim_state(a)->q, carom_sim_state(b)->q, 2 * sizeof(double)) == 0);
            ck_assert(memcmp(carom_sim_state(a)->v, carom_sim_state(b)->v, 2 * sizeof(double)) == 0);
        }
        free(buffer);
        carom_sim_free(a);
        carom_sim_free(b);
    }
}
END_TEST

static void note_id(void *user, const carom_event *event)
{
    long long *sum = user;
    ck_assert_int_ge(event->id, FIRST_ID);
    ck_assert_int_eq((event->id - FIRST_ID) % 3, 0);
    *sum += event->id;
}

START_TEST(tolerance_follows_contacts_that_are_found)
{
    carom_contact all[HILLS];
    for (int k = 0; k < HILLS; k++)
        all[k] = hill(k);
    range fixed = {0}, found = {.far_first = true};
    const carom_model models[2] = {model_of(&fixed, all, 0), model_of(&found, NULL, 1)};
    carom_sim *sim[2];
    for (int i = 0; i < 2; i++) {
        sim[i] = simulate(&models[i], "tolerance");
        CHECK_OK(carom_sim_run(sim[i], 8), *carom_sim_error(sim[i]));
    }
    const carom_state *s = carom_sim_state(sim[0]), *t = carom_sim_state(sim[1]);
    printf("tolerance: ends at x = %.10f, %.10f with the contacts found, at most %d\n", s->q[0], t->q[0], found.most);
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(t->q[i], s->q[i], 1e-6);
        CHECK_NEAR(t->v[i], s->v[i], 1e-6);
    }
    for (int i = 0; i < 2; i++)
        carom_sim_free(sim[i]);
}
END_TEST

START_TEST(events_bear_the_id_of_their_contact)
{
    range r = {.far_first = true};
    const carom_model m = model_of(&r, NULL, 1);
    carom_sim *sim = simulate(&m, "moreau-jean");
    long long sum = 0;
    carom_observer observer = {.size = sizeof observer, .user = &sum, .event = note_id};
    CHECK_OK(carom_sim_observe(sim, &observer), *carom_sim_error(sim));
    for (int k = 0; k < 1000; k++)
        step(sim);
    ck_assert_int_gt(sum, FIRST_ID);
    carom_sim_free(sim);
}
END_TEST

START_TEST(what_needs_to_know_all_contacts_refuses_such_models_with_a_sentence)
{
    range r = {0};
    const carom_model m = model_of(&r, NULL, 4);
    carom_options o = carom_options_default();
    carom_error error = {0};
    carom_sim *sim;
    CHECK_OK(carom_options_set(&o, "scheme", "mixed", &error), error);
    ck_assert_int_eq(carom_sim_new(&sim, &m, &o, &error), CAROM_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(error.text, "finds its contacts"));
}
END_TEST

START_TEST(a_trajectory_has_what_lasts)
{
    range r = {0};
    const carom_model m = model_of(&r, NULL, 4);
    carom_error error = {0};
    carom_trajectory *path;
    carom_sim *sim = simulate(&m, "kern");
    CHECK_OK(carom_trajectory_new(&path, sim, &error), error);
    for (int k = 0; k < 1000; k++)
        step(sim);
    const carom_state *end = carom_sim_state(sim);
    double q[2], v[2];
    size_t events;
    ck_assert_int_eq(m.nv, 2);
    CHECK_OK(carom_trajectory_at(path, end->t, 1, q, v), error);
    ck_assert_mem_eq(q, end->q, sizeof q);
    ck_assert_mem_eq(v, end->v, sizeof v);
    carom_trajectory_counts(path, NULL, NULL, &events);
    ck_assert_int_gt((int)events, 0);
    ck_assert_int_ge(carom_trajectory_event(path, 0)->id, FIRST_ID);
    carom_trajectory_free(path);
    carom_sim_free(sim);
}
END_TEST

TEST_MAIN("links", contacts_found_step_by_step_give_the_bits_of_contacts_known_beforehand,
          neither_the_order_they_are_found_in_nor_the_room_at_first_matters, a_saved_state_knows_its_contacts_by_id,
          tolerance_follows_contacts_that_are_found,
          events_bear_the_id_of_their_contact, what_needs_to_know_all_contacts_refuses_such_models_with_a_sentence,
          a_trajectory_has_what_lasts)
