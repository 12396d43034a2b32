/* test_core.c: arenas, nearest names, numbers as text. */
#include <stdint.h>
#include <string.h>

#include "core/core.h"
#include "testing.h"

START_TEST(an_arena_hands_out_zeroed_aligned_memory_up_to_its_limit)
{
    carom_arena *arena = carom_arena_new(1 << 20);
    unsigned char *last = NULL;
    for (int i = 1; i < 300; i++) {
        unsigned char *bytes = carom_arena_alloc(arena, (size_t)i);
        ck_assert_ptr_nonnull(bytes);
        ck_assert_uint_eq((uintptr_t)bytes % 64, 0);
        ck_assert(!last || bytes != last);
        for (int k = 0; k < i; k++)
            ck_assert_uint_eq(bytes[k], 0);
        memset(bytes, 0xff, (size_t)i);
        last = bytes;
    }
    ck_assert_ptr_nonnull(carom_arena_alloc(arena, 500000));
    ck_assert_ptr_null(carom_arena_alloc(arena, 800000));
    ck_assert_str_eq(carom_arena_format(arena, "%d contacts", 3), "3 contacts");
    carom_arena_free(arena);
}
END_TEST

START_TEST(the_nearest_name_is_found_and_a_far_one_is_not_offered)
{
    const char *const names[] = {"kinetic", "potential", "friction", "friction_static"};
    ck_assert_str_eq(carom_nearest("kinetc", names, 4), "kinetic");
    ck_assert_str_eq(carom_nearest("Potentail", names, 4), "potential");
    ck_assert_str_eq(carom_nearest("frction", names, 4), "friction");
    ck_assert_ptr_null(carom_nearest("zebra", names, 4));
    const char *const brief[] = {"y", "cos"};
    ck_assert_str_eq(carom_nearest("yy", brief, 2), "y");
    ck_assert_ptr_null(carom_nearest("eps", brief, 2));
    ck_assert_ptr_null(carom_nearest("q", brief, 2));
}
END_TEST

START_TEST(numbers_are_read_whole_or_not_at_all_and_print_back_exactly)
{
    double value;
    ck_assert(carom_number("1e-3", &value) && value == 1e-3);
    ck_assert(!carom_number("1e-3x", &value));
    ck_assert(!carom_number("", &value));
    ck_assert(!carom_number(" 1", &value));
    char text[32];
    ck_assert_str_eq(carom_shortest(0.1, text), "0.1");
    double third = 1.0 / 3;
    ck_assert(carom_number(carom_shortest(third, text), &value) && value == third);
}
END_TEST

START_TEST(a_field_prints_what_it_reads)
{
    static const carom_field fields[] = {{"rk", CAROM_FIELD_ENUM, 1, 0, 0, "gauss2 radau5 erk4", ""},
                                         {"guarded", CAROM_FIELD_BOOL, 1, 0, 1, NULL, ""},
                                         {"theta", CAROM_FIELD_DOUBLE, 0.5, 0, 1, NULL, ""},
                                         {0}};
    double values[3], again[3];
    char text[64];
    carom_error error;
    carom_fields_standard(fields, values);
    ck_assert_str_eq(carom_fields_text(&fields[0], values[0], text), "radau5");
    ck_assert_str_eq(carom_fields_text(&fields[1], values[1], text), "true");
    for (int i = 0; i < 3; i++) {
        carom_fields_text(&fields[i], values[i], text);
        ck_assert_int_eq(carom_fields_set(fields, again, fields[i].name, text, &error), CAROM_OK);
        ck_assert(again[i] == values[i]);
    }
    ck_assert_int_eq(carom_fields_set(fields, again, "theta", "1.5", &error), CAROM_BAD_OPTION);
    ck_assert_int_eq(carom_fields_set(fields, again, "thta", "1", &error), CAROM_BAD_OPTION);
    ck_assert(strstr(error.text, "theta") != NULL);
}
END_TEST

TEST_MAIN("core", a_field_prints_what_it_reads, an_arena_hands_out_zeroed_aligned_memory_up_to_its_limit,
          the_nearest_name_is_found_and_a_far_one_is_not_offered,
          numbers_are_read_whole_or_not_at_all_and_print_back_exactly)
