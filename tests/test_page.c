/* test_page.c: what stands in a page: texts stay texts, numbers come back to the bit, long series keep their
 * extremes, a failed write leaves the old page alone. */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/page/page.h"
#include "output/page/parts.h"
#include "output/page/web.h"
#include "testing.h"

static char path[200];

static const char *new_path(void)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/carom-page-%ld.html", tmp ? tmp : P_tmpdir, (long)getpid());
    return path;
}

static carom_page *begin(const char *title)
{
    carom_error error = {0};
    carom_page *page = NULL;
    CHECK_OK(carom_page_new(&page, new_path(), title, &error), error);
    return page;
}

static char *read_all(const char *name)
{
    FILE *file = fopen(name, "rb");
    ck_assert_msg(file, "%s is not there", name);
    fseek(file, 0, SEEK_END);
    size_t n = (size_t)ftell(file);
    rewind(file);
    char *text = calloc(n + 1, 1);
    ck_assert_uint_eq(fread(text, 1, n, file), n);
    fclose(file);
    return text;
}

/* Closes the page and returns its body: what stands between <main> and </main>. The style sheet and the script are
 * ours. */
static char *finish(carom_page *page)
{
    carom_error error = {0};
    CHECK_OK(carom_page_close(page, &error), error);
    char *all = read_all(path);
    unlink(path);
    return all;
}

static int count(const char *text, const char *word)
{
    int n = 0;
    for (; (text = strstr(text, word)); text++)
        n++;
    return n;
}

/* ---- hostile texts ---- */
#define HOSTILE "</script><script>window.hacked=1</script><img src=x onerror=alert(1)>\"'`*&\x01\xff\\u003c"

START_TEST(no_text_becomes_a_tag_or_a_script)
{
    const double x[] = {0, 1, 2}, y[] = {1, 2, 1};
    const char *header[] = {HOSTILE}, *cell[] = {HOSTILE}, *names[] = {HOSTILE};
    carom_chart_series series = {.name = HOSTILE, .x = x, .y = y, .n = 3};
    carom_chart_mark mark = {HOSTILE, 1, NAN, 0};
    carom_page *page = begin(HOSTILE);
    carom_page_intro(page, HOSTILE);
    carom_page_group(page, HOSTILE);
    carom_page_section(page, HOSTILE, HOSTILE, CAROM_PAGE_PASS);
    carom_page_text(page, HOSTILE "\n\n- " HOSTILE);
    carom_page_format(page, "%s", HOSTILE);
    carom_page_note(page, HOSTILE);
    carom_page_command(page, HOSTILE, HOSTILE, HOSTILE);
    carom_page_table_put(page, &(carom_page_table){HOSTILE, header, cell, 1, 1});
    carom_page_plot(page, &(carom_chart){.title = HOSTILE,
                                                  .x_label = HOSTILE,
                                                  .y_label = HOSTILE,
                                                  .series = &series,
                                                  .nseries = 1,
                                                  .marks = &mark,
                                                  .nmark = 1,
                                                  .y_names = names,
                                                  .ny = 1,
                                                  .link = HOSTILE});
    carom_page_section(page, HOSTILE, HOSTILE, CAROM_PAGE_FAIL); /* the same id again */
    char *all = finish(page);
    ck_assert_int_eq(count(all, "<script>window"), 0);
    ck_assert_int_eq(count(all, "<img"), 0);
    ck_assert_int_eq(count(all, "<script"), 2); /* the numbers of the plot, and ours at the end */
    ck_assert_int_eq(count(all, "</script>"), 2);
    ck_assert_ptr_null(strchr(all, '\x01'));
    ck_assert_ptr_null(strchr(all, '\xff'));
    ck_assert_int_eq(count(all, "<section id=\"__script__script_window.hacked_1"), 2);
    ck_assert_int_ge(count(all, "&lt;/script&gt;"), 10);
    free(all);
}
END_TEST

START_TEST(markup_is_code_emphasis_and_items_and_products_stay_products)
{
    carom_page *page = begin("t");
    carom_page_section(page, "a", "A", CAROM_PAGE_INFO);
    carom_page_text(page, "m*g*y is *not* 2 * 3 * 4, see `a*b*c`; a lone ` and *open\n- one\n- two\n\nlast");
    char *all = finish(page);
    ck_assert_ptr_nonnull(strstr(all,
                                 "<p>m*g*y is <em>not</em> 2 * 3 * 4, see <code>a*b*c</code>; a lone ` and *open</p>\n"
                                 "<ul><li>one</li>\n<li>two</li></ul>\n<p>last</p>"));
    free(all);
}
END_TEST

START_TEST(a_verdict_stands_at_its_section_and_in_the_contents)
{
    carom_page *page = begin("t");
    carom_page_section(page, "a", "A", CAROM_PAGE_FAIL);
    carom_page_text(page, "x");
    carom_page_section(page, "b", "B", CAROM_PAGE_PASS);
    carom_page_section(page, "c", "C", CAROM_PAGE_NOT_REPRODUCIBLE);
    char *all = finish(page);
    ck_assert_ptr_nonnull(strstr(all, "<h2>A</h2><span class=\"badge fail\">fail</span></header>"));
    ck_assert_ptr_nonnull(strstr(all, "<h2>B</h2><span class=\"badge pass\">pass</span></header>"));
    ck_assert_ptr_nonnull(strstr(all, "1 passed</span><span class=\"badge fail\">1 failed</span>"
                                      "<span class=\"badge open\">1 not reproducible"));
    ck_assert_ptr_nonnull(strstr(all, "<span class=\"dot fail\"></span><a href=\"#a\">A</a>"));
    free(all);
}
END_TEST

START_TEST(a_page_asks_for_nothing_from_outside)
{
    carom_page *page = begin("t");
    carom_page_section(page, "a", "A", CAROM_PAGE_INFO);
    char *all = finish(page);
    ck_assert_int_eq(count(all, "src="), 0);
    ck_assert_int_eq(count(all, "@import"), 0);
    ck_assert_int_eq(count(all, "url("), 0);
    ck_assert_ptr_nonnull(strstr(all, "default-src 'none'"));
    if (carom_web_interactive)
        ck_assert_ptr_nonnull(strstr(all, "Permission is hereby granted")); /* uPlot's licence */
    free(all);
}
END_TEST

/* ---- numbers ---- */
static int digit_of(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = strchr(digits, c);
    return at && c ? (int)(at - digits) : 0;
}

/* The doubles of the k-th string of "data". */
static double *data_of(const char *page, int k, size_t *n)
{
    const char *at = strstr(page, "\"data\":[");
    ck_assert_ptr_nonnull(at);
    at += 8;
    for (; k > 0; k--)
        at = strchr(strchr(at, '"') + 1, '"') + 1;
    at = strchr(at, '"') + 1;
    size_t length = strcspn(at, "\""), bytes = length / 4 * 3 - (at[length - 1] == '=') - (at[length - 2] == '=');
    unsigned char *raw = calloc(length + 8, 1);
    for (size_t i = 0; i < length; i += 4) {
        unsigned bits = 0;
        for (int j = 0; j < 4; j++)
            bits = bits << 6 | (unsigned)digit_of(at[i + (size_t)j]);
        raw[i / 4 * 3] = (unsigned char)(bits >> 16);
        raw[i / 4 * 3 + 1] = (unsigned char)(bits >> 8);
        raw[i / 4 * 3 + 2] = (unsigned char)bits;
    }
    *n = bytes / 8;
    double *values = calloc(*n + 1, sizeof *values);
    for (size_t i = 0; i < *n; i++) {
        unsigned long long word = 0;
        for (int j = 7; j >= 0; j--)
            word = word << 8 | raw[8 * i + (size_t)j];
        memcpy(&values[i], &word, 8);
    }
    free(raw);
    return values;
}

static char *plot_page(const carom_chart *plot)
{
    carom_page *page = begin("t");
    carom_page_section(page, "a", "A", CAROM_PAGE_INFO);
    carom_page_plot(page, plot);
    return finish(page);
}

START_TEST(numbers_come_back_to_the_bit_and_a_common_x_is_kept_once)
{
    for (size_t n = 1; n <= 4; n++) { /* all kinds of padding */
        const double x[] = {0, 0.1, -1e-300, 5}, y[] = {1.0 / 3, NAN, INFINITY, -0.0};
        const carom_chart_series s[] = {{.name = "a", .x = x, .y = y, .n = n}, {.name = "b", .x = x, .y = x, .n = n}};
        char *all = plot_page(&(carom_chart){.title = "p", .series = s, .nseries = 2});
        size_t got;
        double *back = data_of(all, 0, &got);
        ck_assert_uint_eq(got, n);
        ck_assert_int_eq(memcmp(back, x, n * sizeof *x), 0);
        free(back);
        back = data_of(all, 1, &got);
        ck_assert_uint_eq(got, n);
        ck_assert_int_eq(memcmp(back, y, n * sizeof *y), 0);
        free(back);
        ck_assert_ptr_nonnull(strstr(all, "\"name\":\"b\",\"x\":0,\"y\":2"));
        free(all);
    }
}
END_TEST

START_TEST(a_million_points_become_a_small_page_that_keeps_peaks_gaps_and_ends)
{
    enum { N = 1000000 };
    double *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y);
    for (int i = 0; i < N; i++) {
        x[i] = i * 1e-3;
        y[i] = sin(0.01 * x[i]);
    }
    y[123456] = 77;
    y[654321] = -55;
    y[500000] = NAN;
    const carom_chart_series s = {.name = "a", .x = x, .y = y, .n = N};
    char *all = plot_page(&(carom_chart){.title = "p", .series = &s, .nseries = 1});
    CHECK_AT_MOST((double)strlen(all), 500e3);
    size_t n, m;
    double *bx = data_of(all, 0, &n), *by = data_of(all, 1, &m);
    ck_assert_uint_eq(n, m);
    int found = 0;
    for (size_t i = 0; i < n; i++) {
        ck_assert(i == 0 || isnan(by[i]) || bx[i] >= bx[i - 1]);
        found += by[i] == 77 && bx[i] == x[123456];
        found += by[i] == -55 && bx[i] == x[654321];
        found += isnan(by[i]);
    }
    ck_assert_int_eq(found, 3);
    ck_assert(bx[0] == 0 && bx[n - 1] == x[N - 1]);
    ck_assert_ptr_nonnull(strstr(all, "1000000 points, thinned"));
    free(bx);
    free(by);
    free(all);
    free(x);
    free(y);
}
END_TEST

/* No number of the picture is undefined. */
static bool has_nan(char *page)
{
    char *svg = strstr(page, "<svg"), *end = svg ? strstr(svg, "</svg>") : NULL;
    ck_assert_ptr_nonnull(end);
    *end = '\0';
    return strstr(svg, "nan") || strstr(svg, "inf");
}

START_TEST(every_style_thins_and_draws)
{
    enum { N = 90000 };
    double *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y);
    for (int style = CAROM_CHART_LINE; style <= CAROM_CHART_BAND; style++) {
        for (int i = 0; i < N; i++) { /* bands: pairs and a NaN */
            x[i] = style == CAROM_CHART_PATH ? cos(0.01 * i) : 1 + i;
            y[i] = style == CAROM_CHART_BAND ? (i % 3 == 2 ? NAN : 1) : 2 + sin(0.03 * i);
        }
        const carom_chart_series s = {.name = "a", .x = x, .y = y, .n = N, .style = (carom_chart_style)style};
        for (int log = 0; log < 2; log++) {
            char *all = plot_page(&(carom_chart){.title = "p", .series = &s, .nseries = 1, .logy = log,
                                                          .logx = log && style != CAROM_CHART_PATH});
            size_t n;
            double *bx = data_of(all, 0, &n);
            CHECK_AT_LEAST((double)n, 3);
            CHECK_AT_MOST((double)n, 90000 * 0.8);
            ck_assert_int_ge(count(all, "<path"), 3);
            ck_assert(!has_nan(all));
            free(bx);
            free(all);
        }
    }
    free(x);
    free(y);
}
END_TEST

START_TEST(empty_constant_and_infinite_series_are_no_trouble)
{
    const double x[] = {1, 1, 1}, y[] = {INFINITY, NAN, -INFINITY}, zero[] = {0, 0, 0};
    const carom_chart_series s[] = {{.name = "none", .x = x, .y = y, .n = 0}, {.name = "bad", .x = x, .y = y, .n = 3},
                                   {.x = x, .y = zero, .n = 3}};
    for (int log = 0; log < 2; log++) {
        char *all =
            plot_page(&(carom_chart){.title = NULL, .series = s, .nseries = 3, .logx = log, .logy = log});
        ck_assert(!has_nan(all));
        free(all);
    }
}
END_TEST

/* ---- the file ---- */
static void write_old(void)
{
    FILE *file = fopen(new_path(), "w");
    fputs("old", file);
    fclose(file);
}

static int parts_left(void)
{
    char part[260];
    snprintf(part, sizeof part, "%s.%ld.part", path, (long)getpid());
    return access(part, F_OK) == 0;
}

START_TEST(rows_with_a_verdict_name_their_cells_and_logarithmic_axes_have_round_ticks)
{
    const char *const header[] = {"check", "a \"<b>\"", "verdict"},
                      *const cell[] = {"x", "1", "pass", "y", "2", "fail"}, *const plain[] = {"x", "1", "2"};
    const double few[] = {0.013, 0.13}, many[] = {1e-13, 3e-2};
    const carom_chart_series series = {.name = "s", .x = few, .y = many, .n = 2, .style = CAROM_CHART_POINTS};
    carom_page *page = begin("ticks");
    carom_page_section(page, "s", "Section", CAROM_PAGE_PASS);
    carom_page_table_put(page, &(carom_page_table){"checks", header, cell, 3, 2});
    carom_page_table_put(page, &(carom_page_table){"numbers", header, plain, 3, 1});
    carom_page_plot(page,
                    &(carom_chart){.title = "p", .series = &series, .nseries = 1, .logx = true, .logy = true});
    char *all = finish(page);
    ck_assert_int_eq(count(all, "<table class=\"checks\">"), 1);
    ck_assert_int_eq(count(all, "data-name=\"a &quot;&lt;b&gt;&quot;\">"), 2);
    static const char *const ticks[] = {">0.02<", ">0.05<", ">0.1<", ">1e-12<", ">0.01<"},
                             *const others[] = {">0.0158<", ">1e-1<", ">3.16e"};
    for (int i = 0; i < 5; i++)
        ck_assert_msg(count(all, ticks[i]) == 1, "no tick %s", ticks[i]);
    for (int i = 0; i < 3; i++)
        ck_assert_msg(count(all, others[i]) == 0, "a tick %s", others[i]);
    free(all);
}
END_TEST

START_TEST(a_page_that_cannot_be_written_leaves_the_old_one)
{
    carom_error error = {0};
    write_old();
    signal(SIGXFSZ, SIG_IGN);
    carom_page *page = begin("t");
    carom_page_section(page, "a", "A", CAROM_PAGE_INFO);
    const struct rlimit small = {2000, RLIM_INFINITY};
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    ck_assert_int_eq(carom_page_close(page, &error), CAROM_FILE);
    const struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &none);
    ck_assert_ptr_nonnull(strstr(error.text, path));
    char *all = read_all(path);
    ck_assert_str_eq(all, "old");
    ck_assert(!parts_left());
    free(all);

    page = begin("t");
    ck_assert(parts_left());
    carom_page_drop(page);
    ck_assert(!parts_left());
    all = read_all(path);
    ck_assert_str_eq(all, "old");
    free(all);
    unlink(path);
}
END_TEST

START_TEST(a_full_device_is_an_error_and_stays_a_device)
{
    carom_error error = {0};
    carom_page *page = NULL;
    if (access("/dev/full", W_OK) != 0)
        return;
    CHECK_OK(carom_page_new(&page, "/dev/full", "t", &error), error);
    ck_assert_int_eq(carom_page_close(page, &error), CAROM_FILE);
    struct stat about;
    ck_assert(stat("/dev/full", &about) == 0 && S_ISCHR(about.st_mode));
    ck_assert_int_eq(carom_page_new(&page, "/no/such/folder/a.html", "t", &error), CAROM_FILE);
    ck_assert_ptr_null(page);
}
END_TEST

TEST_MAIN("page", no_text_becomes_a_tag_or_a_script, markup_is_code_emphasis_and_items_and_products_stay_products,
          a_verdict_stands_at_its_section_and_in_the_contents, a_page_asks_for_nothing_from_outside,
          numbers_come_back_to_the_bit_and_a_common_x_is_kept_once,
          a_million_points_become_a_small_page_that_keeps_peaks_gaps_and_ends, every_style_thins_and_draws,
          empty_constant_and_infinite_series_are_no_trouble,
          rows_with_a_verdict_name_their_cells_and_logarithmic_axes_have_round_ticks,
          a_page_that_cannot_be_written_leaves_the_old_one, a_full_device_is_an_error_and_stays_a_device)
