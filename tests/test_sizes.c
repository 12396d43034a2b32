/* test_sizes.c: models that are too large are refused with the numbers; large ones that fit do what small ones do. */
#include <string.h>

#include "carom.h"
#include "core/layout.h"
#include "testing.h"

/* A ball over n floors: the one with number 0 at the height 0, the others below it. */
/* Under AddressSanitizer a request that is too large is refused, too, and does not end the program. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

static void mass(const carom_point *at, double *M)
{
    int n = *(const int *)at->user;
    memset(M, 0, sizeof *M * (size_t)n * (size_t)n);
    for (size_t i = 0; i < (size_t)n; i++)
        M[i * (size_t)n + i] = 1;
}

static void force(const carom_point *at, double *F)
{
    for (int i = 0; i < *(const int *)at->user; i++)
        F[i] = -10;
}

typedef struct floors {
    int nv, n; /* velocities first: user of the callbacks above */
    double apart;
} floors;

static void gap(const carom_point *at, double *g)
{
    const floors *f = at->user;
    for (int i = 0; i < f->n; i++)
        g[i] = at->q[0] + f->apart * i;
}

static void jacobian(const carom_point *at, double *G)
{
    const floors *f = at->user;
    memset(G, 0, sizeof *G * (size_t)f->n * (size_t)f->nv);
    for (size_t i = 0; i < (size_t)f->n; i++)
        G[i * (size_t)f->nv] = 1;
}

static carom_status try_floors(int nv, int ncontact, double apart, double *y, carom_error *error)
{
    floors f = {nv, ncontact, apart};
    carom_contact *contact = calloc((size_t)ncontact, sizeof *contact);
    double *q = calloc((size_t)nv, sizeof *q);
    q[0] = 0.5;
    for (int i = 0; i < ncontact; i++)
        contact[i].restitution = 0.5;
    carom_model m = {.size = sizeof m, .name = "floors", .nq = nv, .nv = nv, .ncontact = ncontact, .contact = contact,
                     .q = q, .user = &f, .constant = CAROM_MASS | CAROM_JACOBIAN | CAROM_LAW, .mass = mass,
                     .force = force, .gap = gap, .jacobian = jacobian};
    carom_options o = carom_options_default();
    carom_sim *sim;
    o.h = 1e-3;
    carom_options_set(&o, "scheme", "kern", error);
    carom_status status = carom_sim_new(&sim, &m, &o, error);
    if (status == CAROM_OK) {
        status = carom_sim_run(sim, 0.5);
        *error = *carom_sim_error(sim);
        *y = carom_sim_state(sim)->q[0];
        carom_sim_free(sim);
    }
    free(contact);
    free(q);
    return status;
}

static carom_status try_model(int nv, int ncontact, double *y, carom_error *error)
{
    return try_floors(nv, ncontact, 0.001, y, error);
}

START_TEST(too_many_contacts_or_coordinates_are_one_sentence_with_the_numbers)
{
    static const struct {
        int nv, ncontact;
        const char *word;
    } cases[] = {
        {1, 100001, "[0, 100000]"}, {21475, 100000, "100000"},
        {46341, 1, "46341"}, {65536, 1, "65536"}, {100001, 1, "[1, 100000]"}, {50000, 50000, "50000"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        carom_error error = {0};
        double y;
        carom_status status = try_model(cases[i].nv, cases[i].ncontact, &y, &error);
        printf("%d velocities, %d contacts: %s\n", cases[i].nv, cases[i].ncontact, error.text);
        ck_assert_int_eq(status, CAROM_BAD_MODEL);
        ck_assert_ptr_nonnull(strstr(error.text, cases[i].word));
    }
}
END_TEST

START_TEST(the_largest_models_work_or_ask_for_the_memory_they_need)
{
    carom_error error = {0};
    double y, alone;
    CHECK_OK(try_model(1, 1, &alone, &error), error);
    CHECK_OK(try_model(1, 3000, &y, &error), error);
    CHECK_NEAR(y, alone, 0);
    static const int many[] = {46340, 46341, 65536, 100000}; /* 46340^2 is the last square of an int */
    for (int i = 0; i < 4; i++) {
        CHECK_OK(try_model(1, many[i], &y, &error), error);
        CHECK_NEAR(y, alone, 0);
    }
}
END_TEST

START_TEST(too_many_rows_at_once_are_one_sentence_when_they_act)
{
    carom_error error = {0};
    double y;
    ck_assert_int_eq(try_floors(1, 50000, 0, &y, &error), CAROM_UNSUPPORTED);
    printf("%s\n", error.text);
    ck_assert_ptr_nonnull(strstr(error.text, "50000 rows"));
    ck_assert_double_gt(y, 0); /* what the last good step has left */
}
END_TEST

START_TEST(a_layout_beyond_all_addresses_is_refused)
{
    carom_layout measured = {0}, layout;
    double *x;
    size_t n = (size_t)1 << 40;
    CAROM_PLACE(&measured, x, 10);
    CAROM_PLACE(&measured, x, n * 1000);
    ck_assert_uint_lt(measured.used, SIZE_MAX);
    CAROM_PLACE(&measured, x, SIZE_MAX / 8);
    ck_assert_uint_eq(measured.used, SIZE_MAX);
    CAROM_PLACE(&measured, x, 1);
    ck_assert_uint_eq(measured.used, SIZE_MAX);
    ck_assert(!carom_layout_new(&layout, &measured));
}
END_TEST

TEST_MAIN("sizes", too_many_contacts_or_coordinates_are_one_sentence_with_the_numbers,
          the_largest_models_work_or_ask_for_the_memory_they_need, too_many_rows_at_once_are_one_sentence_when_they_act,
          a_layout_beyond_all_addresses_is_refused)
