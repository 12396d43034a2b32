/* test_text_files.c: reading files, and how an error shows its line. Needs no YAML. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "testing.h"
#include "text/text.h"

static carom_error error;

static void check_error(const char *what)
{
    ck_assert_msg(strstr(error.text, what), "'%s' is not in: %s", what, error.text);
    ck_assert_uint_lt(strlen(error.text), sizeof error.text);
    ck_assert(!strstr(error.text, "(null)"));
}

/* ---- the excerpt ---- */

static const char *shown(const char *line, int column, int length)
{
    carom_text_file file = {"m", line, strlen(line)};
    carom_text_fail(&file, (carom_text_place){1, column, length}, &error, CAROM_BAD_MODEL, "x");
    return error.text;
}

START_TEST(the_caret_stands_under_the_place)
{
    ck_assert_str_eq(shown("a: bcd\n", 4, 3), "m:1:4: x\n  | a: bcd\n  |    ^~~");
    ck_assert_str_eq(shown("\ta: b", 2, 1), "m:1:2: x\n  |  a: b\n  |  ^");
    ck_assert_str_eq(shown("\xc3\xa4: b", 4, 1), "m:1:4: x\n  | \xc3\xa4: b\n  |    ^");
    ck_assert_str_eq(shown("\xe6\xbc\xa2: b", 4, 9), "m:1:4: x\n  | \xe6\xbc\xa2: b\n  |     ^");
    ck_assert_str_eq(shown("\xe6\xbc\xa2\xe6\xbc\xa2: b", 1, 2), "m:1:1: x\n  | \xe6\xbc\xa2\xe6\xbc\xa2: b\n  | ^~~~");
    ck_assert_str_eq(shown("e\xcc\x81: b", 5, 1), "m:1:5: x\n  | e\xcc\x81: b\n  |    ^");
    ck_assert_str_eq(shown("a\x1b\xff\x07z", 5, 1), "m:1:5: x\n  | a???z\n  |     ^");
    ck_assert_str_eq(shown("a", 5, 3), "m:1:5: x\n  | a\n  |  ^");
    ck_assert_str_eq(shown("", 1, 1), "m:1:1: x\n  | \n  | ^");
    ck_assert_str_eq(shown("a\r\nb", 1, 1), "m:1:1: x\n  | a\n  | ^");
    carom_text_file file = {"m", "a\nb\r\nc\rd\n", 9};
    carom_text_fail(&file, (carom_text_place){4, 1, 1}, &error, CAROM_BAD_MODEL, "%d is %s", 7, "odd");
    ck_assert_str_eq(error.text, "m:4:1: 7 is odd\n  | d\n  | ^");
    ck_assert_int_eq(error.status, CAROM_BAD_MODEL);
    ck_assert_int_eq(carom_text_fail(&file, (carom_text_place){1, 1, 1}, NULL, CAROM_FILE, "x"), CAROM_FILE);
    carom_text_fail(&file, (carom_text_place){99, 7, 1}, &error, CAROM_BAD_MODEL, "x");
    ck_assert_str_eq(error.text, "m:99:7: x\n  | \n  | ^");
    carom_text_fail(&file, (carom_text_place){0, 0, 0}, &error, CAROM_BAD_MODEL, "x\n\ty");
    ck_assert_str_eq(error.text, "m:0:0: x? y\n  | a\n  | ^");
}
END_TEST

/* Cells left of the caret in the third line. */
static size_t caret_column(const char *text)
{
    return strcspn(strrchr(text, '\n') + 5, "^");
}

START_TEST(a_window_of_a_long_line_is_shown_around_the_place)
{
    static char line[300001];
    for (int i = 0; i < 300000; i++)
        line[i] = (char)('a' + i % 26);
    static const int columns[] = {1, 2, 59, 60, 61, 62, 150, 1000, 299900, 299940, 299999, 300000};
    for (int i = 0; i < CAROM_COUNT(columns); i++) {
        const char *text = shown(line, columns[i], 5);
        const char *second = strchr(text, '\n') + 5;
        size_t at = caret_column(text);
        ck_assert_uint_le(strcspn(second, "\n"), 106);
        ck_assert_msg(second[at] == 'a' + (columns[i] - 1) % 26, "column %d: %s", columns[i], text);
        ck_assert_int_eq(strncmp(second, "...", 3) == 0, columns[i] > 61);
        ck_assert_int_eq(strncmp(second + strcspn(second, "\n") - 3, "...", 3) == 0, columns[i] < 299950);
    }
}
END_TEST

START_TEST(no_error_overflows_or_loses_its_caret)
{
    static char wide[4 * 2000 + 1], words[5000], name[3000];
    for (int i = 0; i < 2000; i++)
        memcpy(wide + 4 * i, "\xf0\x9f\x8e\xb1", 4);
    memset(words, 'w', sizeof words - 1);
    for (size_t i = 0; i + 2 < sizeof name; i += 2)
        memcpy(name + i, "\xc3\xa4", 2);
    static const int columns[] = {1, 50, 100, 1000, 1990, 2000, 2001};
    for (int i = 0; i < 4 * CAROM_COUNT(columns); i++) {
        carom_text_file file = {i & 1 ? name : "m", wide, sizeof wide - 1};
        struct { carom_error error; char guard[8]; } e;
        memset(&e, 'g', sizeof e);
        carom_text_fail(&file, (carom_text_place){1, columns[i / 4], 3000}, &e.error, CAROM_BAD_MODEL, "%s",
                        i & 2 ? words : "short");
        ck_assert_int_eq(memcmp(e.guard, "gggggggg", 8), 0);
        size_t length = strnlen(e.error.text, sizeof e.error.text);
        ck_assert_uint_lt(length, sizeof e.error.text);
        ck_assert_ptr_nonnull(strchr(strrchr(e.error.text, '\n'), '^'));
        if (i & 2)
            ck_assert_ptr_nonnull(strstr(e.error.text, "www"));
        for (size_t k = 0; k < length; k++) /* no code point is cut */
            if (((unsigned char)e.error.text[k] & 0xc0) == 0xc0)
                ck_assert_msg(((unsigned char)e.error.text[k + 1] & 0xc0) == 0x80, "cut at %zu", k);
    }
}
END_TEST

/* ---- files ---- */

START_TEST(files_are_read_whole_and_failures_name_the_reason)
{
    char path[SCRATCH], big[SCRATCH];
    int fd = mkstemp(scratch_name(path, "text")), fd_big = mkstemp(scratch_name(big, "text"));
    ck_assert(fd >= 0 && fd_big >= 0);
    static char content[100001];
    memset(content, '#', sizeof content - 1);
    memcpy(content, "a: 1 ", 5);
    ck_assert_int_eq(write(fd, content, sizeof content - 1), (ssize_t)sizeof content - 1);
    ck_assert_int_eq(ftruncate(fd_big, (16 << 20) + 1), 0);
    carom_arena *arena = carom_arena_new(0);
    carom_text_file file;
    CHECK_OK(carom_text_read(arena, path, &file, &error), error);
    ck_assert_str_eq(file.name, path);
    ck_assert_uint_eq(file.length, sizeof content - 1);
    ck_assert_str_eq(file.bytes, content);
    ck_assert_int_eq(carom_text_read(arena, big, &file, &error), CAROM_BAD_MODEL);
    check_error("more than 16 MiB");
    ck_assert_int_eq(ftruncate(fd_big, 16 << 20), 0);
    CHECK_OK(carom_text_read(arena, big, &file, &error), error);
    ck_assert_uint_eq(file.length, 16 << 20);
    ck_assert_int_eq(ftruncate(fd, 0), 0);
    CHECK_OK(carom_text_read(arena, path, &file, &error), error);
    ck_assert_uint_eq(file.length, 0);
    unlink(path), unlink(big);
    close(fd), close(fd_big);
    ck_assert_int_eq(carom_text_read(arena, path, &file, &error), CAROM_FILE);
    check_error("No such file or directory");
    check_error(path);
    ck_assert_int_eq(carom_text_read(arena, ".", &file, &error), CAROM_FILE);
    check_error("'.': it is a directory");
    carom_arena_free(arena);
}
END_TEST

#ifdef CAROM_NO_YAML
START_TEST(without_libfyaml_parsing_fails_with_a_sentence)
{
    carom_text_file file = {"m.yaml", "a: 1\n", 5};
    carom_text_node *root;
    carom_arena *arena = carom_arena_new(0);
    ck_assert_int_eq(carom_text_parse(arena, &file, &root, &error), CAROM_UNSUPPORTED);
    check_error("m.yaml: this build of Carom cannot read model files");
    carom_arena_free(arena);
}
END_TEST
#endif

#ifdef CAROM_NO_YAML
TEST_MAIN("text files", without_libfyaml_parsing_fails_with_a_sentence, the_caret_stands_under_the_place,
          a_window_of_a_long_line_is_shown_around_the_place, no_error_overflows_or_loses_its_caret,
          files_are_read_whole_and_failures_name_the_reason)
#else
TEST_MAIN("text files", the_caret_stands_under_the_place, a_window_of_a_long_line_is_shown_around_the_place,
          no_error_overflows_or_loses_its_caret, files_are_read_whole_and_failures_name_the_reason)
#endif
