/* test_reproduce.c: how entries are judged and what they keep. */
#include <string.h>

#include "output/reproduce/reproduce.h"
#include "testing.h"

static carom_status good(carom_findings *f, carom_error *error)
{
    (void)error;
    carom_find_check(f, "one", 1, 1, 1);
    carom_find_value(f, "pi", 3.14159, M_PI, 1e-5);
    return CAROM_OK;
}

static carom_status bad(carom_findings *f, carom_error *error)
{
    (void)error;
    carom_find_check(f, "one", 1, 0, 2);
    carom_find_check(f, "not a number", NAN, -INFINITY, INFINITY);
    return CAROM_OK;
}

static carom_status empty(carom_findings *f, carom_error *error)
{
    (void)f, (void)error;
    return CAROM_OK;
}

static carom_status broken(carom_findings *f, carom_error *error)
{
    carom_find_check(f, "one", 1, 0, 2);
    CAROM_FAIL(error, CAROM_NOT_CONVERGED, "nothing came of it");
}

static carom_verdict judge(carom_status (*run)(carom_findings *, carom_error *), const char *declared)
{
    const carom_entry entry = {.id = "test", .title = "", .claim = "", .declared = declared, .run = run};
    carom_findings f = {0};
    ck_assert_int_eq(carom_entry_run(&f, &entry), CAROM_OK);
    carom_verdict verdict = carom_findings_verdict(&f);
    carom_findings_free(&f);
    return verdict;
}

START_TEST(an_entry_passes_only_if_it_checks_something_and_all_of_it_holds)
{
    ck_assert_int_eq(judge(good, NULL), CAROM_VERDICT_PASS);
    ck_assert_int_eq(judge(bad, NULL), CAROM_VERDICT_FAIL);
    ck_assert_int_eq(judge(empty, NULL), CAROM_VERDICT_FAIL);
    ck_assert_int_eq(judge(broken, NULL), CAROM_VERDICT_FAIL);
    ck_assert_int_eq(judge(bad, "the parameters are not given"), CAROM_VERDICT_DECLARED);
}
END_TEST

static carom_status many(carom_findings *f, carom_error *error)
{
    (void)error;
    carom_finding *table = carom_find_table(f, "table", "a|b|c"),
                  *plot = carom_find_plot(f, "plot", "x", "y", CAROM_FINDING_LOGX);
    for (int i = 0; i < 100; i++) {
        const double x[] = {i, i + 1}, y[] = {-i, i};
        char what[20];
        snprintf(what, sizeof what, "check %d", i);
        carom_find_check(f, what, i, i, i);
        carom_find_row(table, "%d|%d", i, 2 * i);
        carom_find_series(plot, what, CAROM_CHART_LINE, 2, x, y);
    }
    carom_find_text(f, "%s", "the end");
    return CAROM_OK;
}

START_TEST(whatever_number_of_findings_is_kept_in_order)
{
    const carom_entry entry = {.id = "test", .title = "", .claim = "", .run = many};
    carom_findings f = {0};
    ck_assert_int_eq(carom_entry_run(&f, &entry), CAROM_OK);
    ck_assert_int_eq(f.ncheck, 100);
    ck_assert_str_eq(f.check[99].what, "check 99");
    const carom_finding *table = f.first, *plot = table->next, *text = plot->next;
    ck_assert_int_eq(table->nrow, 100);
    ck_assert_str_eq(table->cell[0], "a");
    ck_assert_str_eq(table->cell[3 * 100 + 1], "198");
    ck_assert_str_eq(table->cell[3 * 100 + 2], ""); /* a cell that was not given */
    ck_assert_int_eq(plot->chart.nseries, 100);
    CHECK_NEAR(plot->chart.series[70].x[1], 71, 0);
    CHECK_NEAR(plot->chart.series[70].y[0], -70, 0);
    ck_assert_str_eq(text->title, "the end");
    ck_assert_ptr_null(text->next);
    carom_findings_free(&f);
}
END_TEST

START_TEST(every_entry_has_an_id_of_its_own_and_says_what_is_claimed_and_how_to_repeat_it)
{
    int n = 0;
    for (const carom_paper *paper = carom_papers; paper->key; paper++)
        for (const carom_entry *entry = paper->entry; entry->id; entry++, n++) {
            ck_assert_ptr_eq(carom_entry_find(entry->id), entry);
            ck_assert_str_eq(entry->paper, paper->key);
            ck_assert(strlen(entry->claim) > 20 && !strncmp(entry->command, "carom ", 6));
            ck_assert(!entry->model || carom_builtin_text(entry->model));
        }
    ck_assert_int_ge(n, 18);
    ck_assert_ptr_null(carom_entry_find("001-fig3"));
}
END_TEST

TEST_MAIN("reproduce", an_entry_passes_only_if_it_checks_something_and_all_of_it_holds,
          whatever_number_of_findings_is_kept_in_order,
          every_entry_has_an_id_of_its_own_and_says_what_is_claimed_and_how_to_repeat_it)
