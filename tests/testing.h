/* testing.h: what every test program shares. The name of a test is its claim. */
#ifndef CAROM_TESTING_H
#define CAROM_TESTING_H

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Under sanitizers the tests run once more, for what memory sees: random ones may be fewer there, and slow. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

#define CHECK_NEAR(actual, expected, tolerance)                                                        \
    do {                                                                                               \
        double actual_ = (actual), expected_ = (expected), tolerance_ = (tolerance);                   \
        ck_assert_msg(fabs(actual_ - expected_) <= tolerance_,                                         \
                      "%s = %.17g, expected %.17g within %.3g (off by %.3g)", #actual, actual_, expected_, \
                      tolerance_, actual_ - expected_);                                                \
    } while (0)
#define CHECK_AT_LEAST(actual, least)                                                                  \
    do {                                                                                               \
        double actual_ = (actual), least_ = (least);                                                   \
        ck_assert_msg(actual_ >= least_, "%s = %.17g, expected at least %.17g", #actual, actual_, least_); \
    } while (0)
#define CHECK_AT_MOST(actual, most)                                                                    \
    do {                                                                                               \
        double actual_ = (actual), most_ = (most);                                                     \
        ck_assert_msg(actual_ <= most_, "%s = %.17g, expected at most %.17g", #actual, actual_, most_); \
    } while (0)
#define CHECK_OK(call, error)                                                                          \
    do {                                                                                               \
        carom_status status_ = (call);                                                                 \
        ck_assert_msg(status_ == CAROM_OK, "%s: %s: %s", #call, carom_status_text(status_), (error).text); \
    } while (0)

/* carom-TOPIC-XXXXXX, for mkstemp and mkdtemp, in the folder of temporary files */
enum { SCRATCH = 300 };
static inline char *scratch_name(char *path, const char *topic)
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, SCRATCH, "%.200s/carom-%.60s-XXXXXX", folder && *folder ? folder : P_tmpdir, topic);
    return path;
}

/* main() of a test program: TEST_MAIN("expressions", a_test, another_test) */
#define TEST_MAIN(name, ...)                                                                           \
    int main(void)                                                                                     \
    {                                                                                                  \
        setvbuf(stdout, NULL, _IOLBF, 0); /* a failing test keeps what it printed */                    \
        const TTest *tests_[] = {__VA_ARGS__};                                                         \
        Suite *suite_ = suite_create(name);                                                            \
        TCase *tcase_ = tcase_create(name);                                                            \
        tcase_set_timeout(tcase_, 1200); /* as ctest's: for what never ends, on a busy machine too */   \
        for (size_t i_ = 0; i_ < sizeof tests_ / sizeof tests_[0]; i_++)                               \
            tcase_add_test(tcase_, tests_[i_]);                                                        \
        suite_add_tcase(suite_, tcase_);                                                               \
        SRunner *runner_ = srunner_create(suite_);                                                     \
        srunner_run_all(runner_, CK_ENV);                                                              \
        int failed_ = srunner_ntests_failed(runner_);                                                  \
        srunner_free(runner_);                                                                         \
        return failed_ ? EXIT_FAILURE : EXIT_SUCCESS;                                                  \
    }

/* main() where a build has nothing to test: ctest counts 77 as skipped. */
#define SKIP_MAIN(why)                                                                                 \
    int main(void)                                                                                     \
    {                                                                                                  \
        puts("skipped: " why);                                                                         \
        return 77;                                                                                     \
    }

/* Without libfyaml there are no model files: TEST_MAIN_MODELS leaves out a program that is all about them,
 * NEEDS_MODELS at the beginning of a test that test. */
#ifdef CAROM_NO_YAML
#define TEST_MAIN_MODELS(name, ...)                                                                    \
    int main(void)                                                                                     \
    {                                                                                                  \
        const TTest *tests_[] = {__VA_ARGS__};                                                         \
        printf("skipped: %s: %zu tests: built without libfyaml\n", name, sizeof tests_ / sizeof tests_[0]); \
        return 77;                                                                                     \
    }
#define NEEDS_MODELS                                                                                   \
    do {                                                                                               \
        puts("a test is left out: built without libfyaml");                                            \
        return;                                                                                        \
    } while (0)
#else
#define TEST_MAIN_MODELS TEST_MAIN
#define NEEDS_MODELS ((void)0)
#endif

#endif
