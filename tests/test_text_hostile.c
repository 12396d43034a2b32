/* test_text_hostile.c: large, deep and damaged files cost little and end with an error, not with a crash. */
#include <time.h>
#include <unistd.h>

#include "text_testing.h"

#ifdef CAROM_NO_YAML
SKIP_MAIN("built without libfyaml")
#else

typedef struct buffer {
    char *bytes;
    size_t used;
} buffer;

static buffer repeated(const char *head, const char *piece, int n, const char *tail)
{
    size_t each = strlen(piece) + 16;
    buffer b = {malloc(strlen(head) + each * (size_t)n + strlen(tail) + 1), strlen(head)};
    strcpy(b.bytes, head);
    for (int i = 0; i < n; i++) /* %d: a new name each time */
        b.used += (size_t)snprintf(b.bytes + b.used, each, piece, i);
    b.used += (size_t)sprintf(b.bytes + b.used, "%s", tail);
    return b;
}

static carom_status timed(const char *head, const char *piece, int n, const char *tail, carom_text_node **root)
{
    buffer b = repeated(head, piece, n, tail);
    clock_t start = clock();
    carom_status status = parse_bytes(b.bytes, b.used, root);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    ck_assert_msg(seconds < 10, "%s ... %s: %g s", head, piece, seconds);
    free(b.bytes);
    return status;
}

START_TEST(large_files_take_linear_time)
{
    carom_text_node *root;
    CHECK_OK(timed("", "k%d: 1\n", 100000, "", &root), error);
    ck_assert_int_eq(root->nchild, 100000);
    CHECK_OK(timed("a: {", "k%d: 1, ", 100000, "}\n", &root), error);
    check_place(root->child->child->next->place, 1, 16, 1);
    CHECK_OK(timed("a: ", "x", 1000000, "\n", &root), error);
    ck_assert_uint_eq(strlen(root->child->text), 1000000);
    CHECK_OK(timed("a: \"", "\\n", 1000000, "\"\n", &root), error);
    CHECK_OK(timed("a: ", "x\n  ", 300000, "\n", &root), error);
    CHECK_OK(timed("", "# c\n", 1000000, "a: 1\n", &root), error);
    check_place(root->child->key_place, 1000001, 1, 1);
    CHECK_OK(timed("a: [", "%d, ", 300000, "]\n", &root), error);
    ck_assert_int_eq(root->child->nchild, 300000);
    ck_assert_int_eq(timed("a: {", "k%d: 1, ", 100000, "k5: 1}\n", &root), CAROM_BAD_MODEL);
    check_error("duplicate key 'k5'");
}
END_TEST

START_TEST(nesting_is_limited_to_32)
{
    carom_text_node *root;
    CHECK_OK(timed("a: ", "[", 31, "1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n", &root), error);
    ck_assert_int_eq(timed("a: ", "[", 32, "1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n", &root), CAROM_BAD_MODEL);
    check_error("m.yaml:1:35: nested deeper than 32");
    ck_assert_int_eq(timed("", "[", 100000, "", &root), CAROM_BAD_MODEL);
    check_error("m.yaml:1:33: nested deeper than 32");
    ck_assert_int_eq(timed("a: ", "{a: ", 100000, "", &root), CAROM_BAD_MODEL);
    check_error("nested deeper than 32");
    ck_assert_int_eq(timed("a:\n  ", "- ", 100000, "", &root), CAROM_BAD_MODEL);
    check_error("nested deeper than 32");
}
END_TEST

START_TEST(hostile_files_are_refused_soon)
{
    carom_text_node *root;
    static const char *const pieces[] = {"[", "{", "? ", ": ", "\"\" ", "&a ", "*a ", "!a ", "1,", "'' ", "- "};
    for (int i = 0; i < CAROM_COUNT(pieces); i++) {
        ck_assert_int_eq(timed("a: [", pieces[i], 3000000, "", &root), CAROM_BAD_MODEL);
        if (strcmp(pieces[i], "- ") != 0)
            check_error("more than 500000 values");
        ck_assert_int_eq(timed("", pieces[i], 1000000, "", &root), CAROM_BAD_MODEL);
    }
    ck_assert_int_eq(timed("", "- \n", 4000000, "", &root), CAROM_BAD_MODEL);
    ck_assert_int_eq(timed("", "%%A\n", 4000000, "", &root), CAROM_BAD_MODEL);
    ck_assert_int_eq(timed("", "---\n", 4000000, "", &root), CAROM_BAD_MODEL);
    refused("a: &a [x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a]\nc: [*b, *b, *b]\n", "1:4", "anchors");
}
END_TEST

START_TEST(an_arena_that_runs_full_is_an_error_and_no_more)
{
    buffer b = repeated("a: [", "'value %d', ", 5000, "]\n");
    carom_text_file file = {"m.yaml", b.bytes, b.used};
    int refusals = 0;
    for (size_t limit = 1000; limit < 4000000; limit *= 2) {
        carom_text_node *root;
        carom_arena *small = carom_arena_new(limit);
        carom_status status = carom_text_parse(small, &file, &root, &error);
        ck_assert(status == CAROM_OK || status == CAROM_NO_MEMORY);
        refusals += status == CAROM_NO_MEMORY;
        carom_arena_free(small);
    }
    ck_assert_int_gt(refusals, 2);
    free(b.bytes);
}
END_TEST

/* Every prefix and many mutations of a file: a status, a message, no crash, and nothing on stderr. */
START_TEST(no_damage_to_a_file_crashes_or_prints)
{
    static const char whole[] = "carom: 1\nname: \"b\\u00e4ll\"\nparameters: {m: 1, g: 10}\ncontacts:\n"
                                "  ground: {gap: y, slip: [\"x' + r*w'\"]}\n  wall:\n    gap: 'x'\n    - a\n"
                                "tables: [1, 2, |\n  x]\nstop: >-\n  y > 5 &\n  t < 1\n";
    char path[SCRATCH];
    int kept = dup(2), fd = mkstemp(scratch_name(path, "text"));
    unlink(path);
    dup2(fd, 2);
    carom_text_node *root;
    unsigned random = 1;
    for (int i = 0; i < 40000; i++) {
        char text[sizeof whole];
        memcpy(text, whole, sizeof whole);
        size_t length = i < (int)sizeof whole ? (size_t)i : sizeof whole - 1;
        for (int k = 0; i >= (int)sizeof whole && k <= i % 4; k++) {
            static const char letters[] = "{}[]:,-?&*!|>'\"%@`# \n\t\\a1(~<\r.\x80";
            random = random * 1664525u + 1013904223u;
            text[(random >> 8) % length] = letters[(random >> 20) % (sizeof letters - 1)];
        }
        carom_status status = parse_bytes(text, length, &root);
        if (status != CAROM_OK && (status != CAROM_BAD_MODEL || strncmp(error.text, "m.yaml:", 7) != 0))
            ck_abort_msg("status %d: %s", status, error.text);
    }
    dup2(kept, 2);
    ck_assert_int_eq(lseek(fd, 0, SEEK_END), 0);
    close(fd);
}
END_TEST

TEST_MAIN("hostile text", large_files_take_linear_time, nesting_is_limited_to_32, hostile_files_are_refused_soon,
          an_arena_that_runs_full_is_an_error_and_no_more, no_damage_to_a_file_crashes_or_prints)
#endif
