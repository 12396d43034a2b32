/* test_checkpoint.c: what was saved comes back to the last bit, and what was damaged does not come back at all. */
#include <string.h>
#include <unistd.h>

#include "core/archive.h"
#include "running.h"
#include "schemes/scheme.h"
#include "systems.h"

enum { DAMAGES = 300 };

static unsigned long long seed = 12345;
static unsigned random_number(unsigned below)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(seed >> 33) % below;
}

/* The k-th way to damage n bytes: a bit, a byte, a stretch of zeros, two words exchanged, a cut, a tail. */
static size_t damage(unsigned char *bytes, size_t n, int k)
{
    size_t at = random_number((unsigned)n), other = random_number((unsigned)(n / 8));
    unsigned char word[8];
    switch (k % 6) {
    case 0: bytes[at] ^= (unsigned char)(1u << random_number(8)); return n;
    case 1: bytes[at] = (unsigned char)(bytes[at] + 1 + random_number(255)); return n;
    case 2:
        bytes[at] = 1; /* a stretch that was zero all along would not be damaged */
        memset(bytes + at, bytes[at] ? 0xff : 0, 1 + random_number((unsigned)(n - at)));
        return n;
    case 3:
        at = at / 8 * 8 < n / 8 * 8 ? at / 8 * 8 : 0;
        memcpy(word, bytes + at, 8);
        memcpy(bytes + at, bytes + 8 * other, 8);
        memcpy(bytes + 8 * other, word, 8);
        return n;
    case 4: return at;
    default: return n + 1 + random_number(64);
    }
}

START_TEST(three_hundred_damaged_states_are_refused_and_leave_the_simulation_alone)
{
    box_store corners;
    const carom_model model = box_model(&corners, 0.4, 0.3);
    carom_sim *sim = start_scheme(&model, "moreau-jean", 0.003, true);
    for (int k = 0; k < 100; k++)
        STEP(sim);
    size_t size = carom_sim_save(sim, NULL, 0);
    unsigned char *saved = malloc(size), *bad = calloc(1, size + 100), *after = malloc(size);
    carom_sim_save(sim, saved, size);
    int refused = 0, same = 0;
    for (int k = 0; refused + same < DAMAGES; k++) {
        memset(bad, 0, size + 100);
        memcpy(bad, saved, size);
        size_t n = damage(bad, size, k);
        if (n == size && memcmp(bad, saved, size) == 0)
            continue; /* two equal words exchanged */
        ck_assert_msg(carom_sim_load(sim, bad, n) == CAROM_BAD_ARGUMENT, "damage %d was taken", k);
        refused++;
    }
    printf("%d damaged states refused; the last: %s\n", refused, carom_sim_error(sim)->text);
    carom_sim_save(sim, after, size);
    ck_assert_mem_eq(saved, after, size);
    ck_assert_int_eq(carom_sim_load(sim, saved, size), CAROM_OK);
    free(saved), free(bad), free(after);
    carom_sim_free(sim);
}
END_TEST

/* A force that interrupts the run when it is asked for the calls_left-th time: in the midst of a step. */
static carom_sim *to_interrupt;
static int calls_left;
static void interrupting_force(const carom_point *at, double *F)
{
    if (--calls_left == 0)
        carom_sim_interrupt(to_interrupt);
    box_force(at, F);
}

static carom_sim *start_if_taken(const carom_model *model, const char *scheme)
{
    carom_sim *sim;
    carom_error error;
    carom_options o = carom_options_default();
    CHECK_OK(carom_options_set(&o, "scheme", scheme, &error), error);
    o.h = 0.01, o.t_end = 0.6, o.energy = true;
    return carom_sim_new(&sim, model, &o, &error) == CAROM_OK ? sim : NULL;
}

START_TEST(a_run_that_is_interrupted_within_a_step_goes_on_with_the_same_bits)
{
    box_store corners;
    const carom_model model = box_model(&corners, 0.4, 0.3);
    carom_model interrupts = model;
    int pairs = 0;
    interrupts.force = interrupting_force;
    for (int i = 0; carom_scheme_list(i); i++) {
        const char *scheme = carom_scheme_list(i)->method.name;
        carom_sim *whole = start_if_taken(&model, scheme);
        if (!whole)
            continue;
        size_t size = carom_sim_save(whole, NULL, 0);
        void *end = malloc(size), *saved = malloc(size);
        RUN(whole, 0.6);
        carom_sim_save(whole, end, size);
        for (int calls = 3; calls < 60; calls += 7) {
            carom_sim *first = start_if_taken(&interrupts, scheme), *second;
            to_interrupt = first, calls_left = calls;
            ck_assert_int_eq(carom_sim_run(first, 0.6), CAROM_INTERRUPTED);
            carom_sim_save(first, saved, size);
            ck_assert_ptr_nonnull(second = start_if_taken(&model, scheme));
            ck_assert_int_eq(carom_sim_load(second, saved, size), CAROM_OK);
            RUN(second, 0.6);
            carom_sim_save(second, saved, size);
            ck_assert_msg(!memcmp(saved, end, size), "%s, call %d", scheme, calls);
            STEP(first); /* a step alone is made whatever was asked of the run */
            carom_sim_free(first), carom_sim_free(second);
            pairs++;
        }
        free(end), free(saved);
        carom_sim_free(whole);
    }
    printf("%d runs interrupted within a step\n", pairs);
    CHECK_AT_LEAST(pairs, 50);
}
END_TEST

static void write_bytes(const char *path, const void *bytes, size_t n)
{
    FILE *file = fopen(path, "wb");
    ck_assert(file && fwrite(bytes, 1, n, file) == n && fclose(file) == 0);
}

START_TEST(three_hundred_damaged_archives_are_refused)
{
    char path[SCRATCH];
    carom_archive a = {0}, b;
    carom_error error;
    close(mkstemp(scratch_name(path, "archive")));
    carom_archive_begin(&a);
    for (int i = 0; i < 5; i++) {
        char name[24];
        unsigned char *to;
        snprintf(name, sizeof name, "block %d", i);
        ck_assert_ptr_nonnull(to = carom_archive_add(&a, name, (size_t)(100 * i + i)));
        for (int k = 0; k < 101 * i; k++)
            to[k] = (unsigned char)random_number(256);
    }
    CHECK_OK(carom_archive_write(&a, path, &error), error);
    CHECK_OK(carom_archive_read(&b, path, &error), error);
    size_t length = 0, four = 404, none = 405;
    ck_assert_ptr_nonnull(carom_archive_find(&b, "block 0", &length));
    ck_assert_uint_eq(length, 0);
    ck_assert_mem_eq(carom_archive_find(&b, "block 4", &four), carom_archive_find(&a, "block 4", &four), 404);
    ck_assert_ptr_null(carom_archive_find(&b, "block 4", &none));
    ck_assert_ptr_null(carom_archive_find(&b, "block 5", &length));
    carom_archive_free(&b);
    unsigned char *bad = calloc(1, a.used + 100);
    for (int k = 0, refused = 0; refused < DAMAGES; k++) {
        memset(bad, 0, a.used + 100);
        memcpy(bad, a.bytes, a.used);
        size_t n = damage(bad, a.used, k);
        if (n == a.used && memcmp(bad, a.bytes, n) == 0)
            continue;
        write_bytes(path, bad, n);
        ck_assert_msg(carom_archive_read(&b, path, &error) == CAROM_FILE, "damage %d was taken", k);
        refused++;
    }
    printf("the last: %s\n", error.text);
    free(bad);
    carom_archive_free(&a);
    unlink(path);
}
END_TEST

START_TEST(an_archive_that_cannot_be_written_leaves_the_one_before)
{
    char folder[SCRATCH], path[SCRATCH + 20], part[SCRATCH + 30];
    carom_archive a = {0}, b;
    carom_error error;
    ck_assert_ptr_nonnull(mkdtemp(scratch_name(folder, "archive")));
    snprintf(path, sizeof path, "%s/it", folder);
    snprintf(part, sizeof part, "%s/it.part/", folder);
    carom_archive_begin(&a);
    carom_archive_put(&a, "first", "1", 1);
    CHECK_OK(carom_archive_write(&a, path, &error), error);
    snprintf(part, sizeof part, "mkdir %s/it.part", folder); /* in its way */
    ck_assert_int_eq(system(part), 0);
    carom_archive_begin(&a);
    carom_archive_put(&a, "second", "2", 1);
    ck_assert_int_eq(carom_archive_write(&a, path, &error), CAROM_FILE);
    printf("%s\n", error.text);
    CHECK_OK(carom_archive_read(&b, path, &error), error);
    size_t length = 1;
    ck_assert_ptr_nonnull(carom_archive_find(&b, "first", &length));
    carom_archive_free(&a);
    carom_archive_free(&b);
    snprintf(part, sizeof part, "rm -r %s", folder);
    ck_assert_int_eq(system(part), 0);
}
END_TEST

TEST_MAIN("checkpoint", three_hundred_damaged_states_are_refused_and_leave_the_simulation_alone,
          three_hundred_damaged_archives_are_refused, an_archive_that_cannot_be_written_leaves_the_one_before,
          a_run_that_is_interrupted_within_a_step_goes_on_with_the_same_bits)
