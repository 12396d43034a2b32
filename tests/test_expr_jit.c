/* test_expr_jit.c: native code gives the bits of the tape, is cached, and its absence harms nobody. */
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test_expr_random.h"

#ifdef CAROM_NO_JIT
SKIP_MAIN("built without native code")
#else

static char scratch[SCRATCH];

static void enter_scratch(void)
{
    ck_assert_ptr_nonnull(mkdtemp(scratch_name(scratch, "test")));
    setenv("XDG_CACHE_HOME", scratch, 1);
    setenv("TMPDIR", scratch, 1);
}

/* The number of entries of scratch/sub; removes them when asked; path of the last one. */
static int entries(const char *sub, bool erase, char *last)
{
    char folder[400], path[700];
    int count = 0;
    snprintf(folder, sizeof folder, "%s/%s", scratch, sub);
    DIR *d = opendir(folder);
    for (struct dirent *entry; d && (entry = readdir(d));) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%.250s", folder, entry->d_name);
        if (last)
            strcpy(last, path);
        if (erase)
            unlink(path);
        count++;
    }
    if (d)
        closedir(d);
    if (erase)
        rmdir(folder);
    return count;
}

static void leave_scratch(void)
{
    entries("carom", true, NULL);
    entries("", true, NULL);
    ck_assert_int_ne(access(scratch, F_OK), 0); /* nothing else was left behind */
}

START_TEST(native_code_gives_the_bits_of_the_tape)
{
    enum { TAPES = 25, N = 12 };
    unsigned long long random = 777;
    static bench b;
    carom_expr outputs[TAPES][N];
    carom_expr_pool *pool[TAPES];
    carom_tape *tape[TAPES];
    carom_jit *jit;
    carom_error error = {0};
    enter_scratch();
    for (int i = 0; i < TAPES; i++) {
        pool[i] = random_graph(&random, 40 + below(&random, 60), outputs[i], N);
        tape[i] = tape_of(pool[i], outputs[i], N);
    }
    CHECK_OK(carom_jit_new(&jit, tape, TAPES, &error), error);
    for (int i = 0; i < TAPES * 8; i++) {
        fill(&b, &random);
        check_bits(pool[i % TAPES], tape[i % TAPES], outputs[i % TAPES], N, &b);
    }
    for (int i = 0; i < TAPES; i++) {
        carom_tape_free(tape[i]);
        carom_expr_pool_free(pool[i]);
    }
    carom_jit_free(jit);
    leave_scratch();
}
END_TEST

/* One small tape, compiled; the status. */
static carom_status try_native(double *value, carom_error *error)
{
    carom_expr_pool *pool = carom_expr_pool_new(100);
    carom_expr e = parse(pool, "m*x^2 + sin(y)");
    carom_tape *tape = tape_of(pool, &e, 1);
    carom_jit *jit;
    carom_status status = carom_jit_new(&jit, &tape, 1, error);
    ck_assert((status == CAROM_OK) == (jit != NULL));
    double q[3] = {2, 0.5, 0}, p[3] = {3, 0, 0}, work[32], *out[] = {value};
    const double *in[] = {NULL, q, NULL, p};
    carom_tape_begin(tape, 1, in, work);
    carom_tape_eval(tape, 1, in, work, out);
    carom_tape_free(tape);
    carom_jit_free(jit);
    carom_expr_pool_free(pool);
    return status;
}

START_TEST(without_a_compiler_the_reason_is_given_and_the_tape_still_works)
{
    const char *const compilers[] = {"/nonexistent", "false", "  /nonexistent  -O2", "true"};
    const char *const reasons[] = {"'/nonexistent' cannot be run: No such file or directory",
                                   "'false --version' ends with code 1", "'/nonexistent' cannot be run",
                                   "native code: "};
    enter_scratch();
    for (int i = 0; i < CAROM_COUNT(compilers); i++) {
        double value = 0;
        carom_error error = {0};
        setenv("CC", compilers[i], 1);
        ck_assert_int_eq(try_native(&value, &error), CAROM_UNSUPPORTED);
        ck_assert_msg(strstr(error.text, reasons[i]), "%s", error.text);
        CHECK_NEAR(value, 12 + sin(0.5), 0);
    }
    leave_scratch();
}
END_TEST

START_TEST(objects_are_cached_reused_and_replaced_when_broken)
{
    double value = 0;
    carom_error error = {0};
    struct stat first, second;
    char path[700];
    enter_scratch();
    CHECK_OK(try_native(&value, &error), error);
    ck_assert_int_eq(entries("carom", false, path), 1);
    ck_assert_int_eq(stat(path, &first), 0);
    CHECK_OK(try_native(&value, &error), error);
    ck_assert_int_eq(stat(path, &second), 0);
    ck_assert_uint_eq(first.st_ino, second.st_ino);
    FILE *f = fopen(path, "w"); /* a broken object */
    fputs("nonsense", f);
    fclose(f);
    CHECK_OK(try_native(&value, &error), error);
    CHECK_NEAR(value, 12 + sin(0.5), 0);
    ck_assert_int_eq(entries("carom", false, path), 1);
    ck_assert_int_eq(stat(path, &second), 0);
    ck_assert_int_gt((int)second.st_size, 1000);
    leave_scratch();
}
END_TEST

/* A byte at this part of a file becomes another. */
static void damage(const char *path, double part)
{
    FILE *f = fopen(path, "r+");
    ck_assert(f && fseek(f, 0, SEEK_END) == 0);
    long at = (long)(part * (double)(ftell(f) - 1));
    fseek(f, at, SEEK_SET);
    int byte = fgetc(f);
    fseek(f, at, SEEK_SET);
    fputc(byte ^ 0xff, f);
    fclose(f);
}

START_TEST(an_object_that_is_damaged_or_writable_by_others_is_compiled_again)
{
    enum { PLACES = 5 };
    double value = 0;
    carom_error error = {0};
    struct stat before, after;
    char path[700];
    enter_scratch();
    CHECK_OK(try_native(&value, &error), error);
    entries("carom", false, path);
    for (int k = 0; k <= PLACES; k++) {
        ck_assert_int_eq(stat(path, &before), 0);
        if (k < PLACES)
            damage(path, k / (PLACES - 1.0));
        else
            chmod(path, 0777);
        value = 0;
        CHECK_OK(try_native(&value, &error), error);
        CHECK_NEAR(value, 12 + sin(0.5), 0);
        ck_assert_int_eq(stat(path, &after), 0);
        ck_assert_msg(before.st_ino != after.st_ino && !(after.st_mode & 022), "place %d: the object was taken", k);
    }
    leave_scratch();
}
END_TEST

START_TEST(without_a_cache_a_temporary_directory_serves_and_is_removed)
{
    double value = 0;
    carom_error error = {0};
    enter_scratch();
    setenv("XDG_CACHE_HOME", "/proc/no/such/place", 1);
    CHECK_OK(try_native(&value, &error), error);
    CHECK_NEAR(value, 12 + sin(0.5), 0);
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    CHECK_OK(try_native(&value, &error), error);
    setenv("TMPDIR", "/proc/no/such/place", 1);
    ck_assert_int_eq(try_native(&value, &error), CAROM_UNSUPPORTED);
    ck_assert_msg(strstr(error.text, "no directory to compile in"), "%s", error.text);
    leave_scratch();
}
END_TEST

TEST_MAIN("native code", native_code_gives_the_bits_of_the_tape,
          without_a_compiler_the_reason_is_given_and_the_tape_still_works,
          objects_are_cached_reused_and_replaced_when_broken,
          an_object_that_is_damaged_or_writable_by_others_is_compiled_again,
          without_a_cache_a_temporary_directory_serves_and_is_removed)
#endif
