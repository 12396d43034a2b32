/* test_output_summary.c: the JSON writer and the summary of a run. */
#include <errno.h>

#include "output/json.h"
#include "test_output.h"

typedef struct written { /* JSON that goes to memory */
    char *text;
    size_t length;
    FILE *file;
    carom_json *json;
} written;

static carom_json *begin(written *w, bool pretty)
{
    carom_error error = {0};
    w->file = open_memstream(&w->text, &w->length);
    CHECK_OK(carom_json_new(&w->json, "memory", w->file, pretty, &error), error);
    return w->json;
}

static void ends_as(written *w, carom_status status, const char *text)
{
    carom_error error = {0};
    ck_assert_int_eq(carom_json_close(w->json, &error), status);
    fclose(w->file);
    if (text)
        ck_assert_str_eq(w->text, text);
    free(w->text);
}

START_TEST(json_escapes_nests_and_knows_no_nan)
{
    written w;
    carom_json *json = begin(&w, false);
    carom_json_object(json, NULL);
    carom_json_string(json, "a\"b\\", "tab\t line\n bell\a caf\xc3\xa9");
    carom_json_string(json, "broken", "\xff<\xc3|\xed\xa0\x80");
    carom_json_number(json, "x", 0.1);
    carom_json_number(json, "nan", NAN);
    carom_json_number(json, "inf", -INFINITY);
    carom_json_integer(json, "n", -9007199254740993);
    carom_json_array(json, "list");
    carom_json_bool(json, NULL, true);
    carom_json_null(json, NULL);
    carom_json_object(json, NULL);
    carom_json_end(json);
    carom_json_numbers(json, NULL, (const double[]){1, NAN, 1e300}, 3);
    ends_as(
        &w, CAROM_OK,
        "{\"a\\\"b\\\\\":\"tab\\t line\\n bell\\u0007 caf\xc3\xa9\","
        "\"broken\":\"\xef\xbf\xbd<\xef\xbf\xbd|\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\",\"x\":0.1,\"nan\":null,"
        "\"inf\":null,"
        "\"n\":-9007199254740993,\"list\":[true,null,{},[1,null,1e300]]}\n");
}
END_TEST

START_TEST(pretty_json_has_a_line_per_value_and_flat_vectors)
{
    written w;
    carom_json *json = begin(&w, true);
    carom_json_object(json, NULL);
    carom_json_numbers(json, "v", (const double[]){1, 2}, 2);
    carom_json_object(json, "o");
    carom_json_number(json, "x", 1);
    carom_json_end(json);
    carom_json_array(json, "none");
    carom_json_end(json);
    carom_json_end(json);
    ends_as(&w, CAROM_OK, "{\n  \"v\": [1, 2],\n  \"o\": {\n    \"x\": 1\n  },\n  \"none\": []\n}\n");
}
END_TEST

START_TEST(json_nested_too_deep_is_an_error_at_close)
{
    written w;
    carom_json *json = begin(&w, true);
    for (int i = 0; i < 100; i++)
        carom_json_array(json, NULL);
    ends_as(&w, CAROM_BAD_ARGUMENT, NULL);
}
END_TEST

static void put_verify(carom_json *json, void *user)
{
    carom_json_number(json, "error", *(double *)user);
}

static char *summarize(const carom_summary *summary, bool as_text)
{
    char *text = NULL;
    size_t length;
    carom_error error = {0};
    FILE *memory = open_memstream(&text, &length);
    CHECK_OK((as_text ? carom_summary_text : carom_summary_json)(summary, "memory", memory, &error), error);
    fclose(memory);
    return text;
}

START_TEST(the_summary_has_exactly_these_fields)
{
    carom_model model = fixture_model();
    carom_options options = {.size = sizeof options, .scheme = "exact", .energy = true};
    double q[] = {0.5}, v[] = {-0.25}, defect = 1e-9;
    carom_state state = {.t = 1.5, .q = q, .v = v};
    carom_info info = {.steps = 7,
                       .rejected = 2,
                       .switches = 5,
                       .rhs_evaluations = 99,
                       .events = {3, 1, 0, 0, 4},
                       .max_penetration = 1e-12,
                       .max_residual = 0,
                       .energy_initial = 5,
                       .energy_final = 4,
                       .work_external = 0.5,
                       .work_constraints = 0,
                       .dissipated_impact = 1,
                       .dissipated_friction = 0.25,
                       .dissipated_viscous = 0.25,
                       .dissipated_dry = 0.125,
                       .balance_error = 1e-15};
    info.nzeno = 1;
    info.zeno[0] = (carom_zeno){.t = 2.5, .impacts = 40, .skipped = 7};
    carom_summary summary = {.size = sizeof summary, .model = &model, .options = &options, .state = &state,
                             .info = &info, .wall_s = 0.125,
                             .verify = put_verify, .user = &defect};
    char *text = summarize(&summary, false);
    ck_assert_str_eq(
        text, "{\n  \"model\": \"fixture\",\n  \"scheme\": \"exact\",\n  \"status\": \"ok\",\n  \"t\": 1.5,\n"
              "  \"q\": {\n    \"y\": 0.5\n  },\n  \"v\": {\n    \"y\": -0.25\n  },\n"
              "  \"steps\": 7,\n  \"rejected\": 2,\n  \"switches\": 5,\n  \"rhs_evaluations\": 99,\n  \"impacts\": 3,\n"
              "  \"accumulations\": 1,\n"
              "  \"events\": {\n    \"impact\": 3,\n    \"closing\": 1,\n    \"opening\": 0,\n    \"stick\": 0,\n    "
              "\"slip\": 4\n  },\n"
              "  \"zeno\": [\n    {\n      \"contact\": \"ground\",\n      \"t\": 2.5,\n      \"impacts\": 40,\n      "
              "\"skipped\": 7,\n      \"swallowed\": 7\n    }\n  ],\n"
              "  \"max_penetration\": 1e-12,\n  \"max_residual\": 0,\n"
              "  \"energy\": {\n    \"initial\": 5,\n    \"final\": 4,\n    \"work\": {\n      \"external\": 0.5,\n   "
              "   \"constraints\": 0\n    },\n"
              "    \"dissipated\": {\n      \"impact\": 1,\n      \"friction\": 0.25,\n      \"viscous\": 0.25,\n"
              "      \"dry\": 0.125\n    "
              "},\n"
              "    \"balance_error\": 1e-15\n  },\n"
              "  \"verify\": {\n    \"error\": 1e-9\n  },\n  \"wall_s\": 0.125\n}\n");
    free(text);
}
END_TEST

START_TEST(a_failed_run_says_why_and_has_null_where_nothing_is_known)
{
    carom_model model = fixture_model();
    carom_options options = {.size = sizeof options, .scheme = "kern"};
    const char *notes[] = {"compiled without cc"};
    carom_summary summary = {.size = sizeof summary, .model = &model,
                             .options = &options,
                             .status = CAROM_NOT_CONVERGED,
                             .message = "pgs: \"slow\"",
                             .notes = notes,
                             .nnote = 1};
    char *text = summarize(&summary, false);
    static const char *const parts[] = {"\"status\": \"not_converged\"",
                                        "\"t\": null",
                                        "\"y\": null",
                                        "\"steps\": null",
                                        "\"zeno\": []",
                                        "\"initial\": null",
                                        "\"message\": \"pgs: \\\"slow\\\"\"",
                                        "\"notes\": [\n    \"compiled without cc\"\n  ]"};
    for (int i = 0; i < CAROM_COUNT(parts); i++)
        ck_assert_msg(strstr(text, parts[i]) != NULL, "%s is missing in %s", parts[i], text);
    ck_assert_ptr_null(strstr(text, "verify"));
    free(text);
    text = summarize(&summary, true);
    ck_assert_ptr_nonnull(strstr(text, "fixture, scheme kern: the iteration did not converge\n  pgs: \"slow\"\n"));
    ck_assert_ptr_nonnull(strstr(text, "note: compiled without cc"));
    free(text);
}
END_TEST

START_TEST(the_text_names_state_counts_and_energy)
{
    carom_model model = fixture_model();
    carom_options options = {.size = sizeof options, .scheme = "exact", .energy = true};
    double q[] = {0.5}, v[] = {-0.25};
    carom_state state = {.t = 1.5, .q = q, .v = v};
    carom_info info = {.steps = 1, .events = {2, 0, 0, 0, 0}, .energy_initial = 5, .energy_final = 4};
    char *text =
        summarize(&(carom_summary){.size = sizeof(carom_summary), .model = &model, .options = &options,
                                   .state = &state, .info = &info}, true);
    ck_assert_ptr_nonnull(strstr(text, "t = 1.5, ok\n"));
    ck_assert_ptr_nonnull(strstr(text, "y = 0.5 "));
    ck_assert_ptr_nonnull(strstr(text, "y' = -0.25\n"));
    ck_assert_ptr_nonnull(strstr(text, "1 step, 0 rejected"));
    ck_assert_ptr_nonnull(strstr(text, "2 impacts\n"));
    ck_assert_ptr_nonnull(strstr(text, "energy 5 -> 4"));
    free(text);
}
END_TEST

START_TEST(a_summary_for_a_full_disk_is_an_error)
{
    FILE *full = fopen("/dev/full", "wb");
    if (!full)
        return;
    carom_model model = fixture_model();
    carom_options options = {.size = sizeof options, .scheme = "exact"};
    carom_summary summary = {.size = sizeof summary, .model = &model, .options = &options};
    carom_error error = {0};
    ck_assert_int_eq(carom_summary_json(&summary, "standard output", full, &error), CAROM_FILE);
    ck_assert_ptr_nonnull(strstr(error.text, "standard output"));
    ck_assert_ptr_nonnull(strstr(error.text, strerror(ENOSPC)));
    ck_assert_int_eq(carom_summary_text(&summary, "standard output", full, &error), CAROM_FILE);
    fclose(full);
}
END_TEST

typedef struct part {
    const char *word;
    double length;
} part;
typedef struct record {
    const char *name;
    char place[8];
    double x, none;
    int n, nothing;
    long count;
    long long many;
    bool yes;
    double values[3];
    part inner, *parts;
} record;

static void put_twice(carom_json *json, const char *key, const void *of)
{
    carom_json_number(json, key, 2 * ((const record *)of)->x);
}

static const carom_result_field of_part[] = {CAROM_CELL("word", CAROM_TEXT, part, word),
                                             CAROM_CELL("length", CAROM_NUMBER, part, length),
                                             {.name = NULL}};
static const carom_result_field of_record[] = {
    CAROM_CELL("name", CAROM_TEXT, record, name), CAROM_CELL("place", CAROM_CHARS, record, place),
    CAROM_CELL("x", CAROM_NUMBER, record, x), CAROM_CELL("none", CAROM_NUMBER, record, none),
    CAROM_OPTIONAL("left out", CAROM_NUMBER, record, none), CAROM_CELL("count", CAROM_LONG, record, count),
    CAROM_CELL("many", CAROM_LONG_LONG, record, many), CAROM_CELL("yes", CAROM_BOOL, record, yes),
    CAROM_COUNTED("values", CAROM_ARRAY, record, values, n, double), CAROM_BEGIN_OBJECT("inner"),
    {.name = "", .cell = CAROM_FIELDS, .offset = offsetof(record, inner), .fields = of_part}, CAROM_END_OBJECT,
    CAROM_ROWS("parts", record, parts, n, part, of_part), CAROM_PUT("twice", put_twice),
    {.name = NULL}};

START_TEST(one_list_of_fields_writes_json_and_csv)
{
    part parts[] = {{"a", 1}, {"b,c", NAN}, {NULL, 0.1}};
    const record r = {.name = "n", .place = "p\"", .x = 0.1, .none = NAN, .n = 3, .count = -7, .many = 1LL << 40,
                      .yes = true, .values = {1, 2, NAN}, .inner = {"i", 5}, .parts = parts};
    written w;
    carom_json *json = begin(&w, false);
    carom_json_object(json, NULL);
    carom_json_fields(json, of_record, &r);
    ends_as(&w, CAROM_OK,
            "{\"name\":\"n\",\"place\":\"p\\\"\",\"x\":0.1,\"none\":null,\"count\":-7,\"many\":1099511627776,"
            "\"yes\":true,\"values\":[1,2,null],\"inner\":{\"word\":\"i\",\"length\":5},"
            "\"parts\":[{\"word\":\"a\",\"length\":1},{\"word\":\"b,c\",\"length\":null},"
            "{\"word\":null,\"length\":0.1}],\"twice\":0.2}\n");
    json = begin(&w, false);
    carom_json_object(json, NULL);
    carom_json_fields(json, of_part, NULL); /* nothing is known */
    ends_as(&w, CAROM_OK, "{\"word\":null,\"length\":null}\n");
    carom_stream out;
    carom_error error = {0};
    w.file = open_memstream(&w.text, &w.length);
    CHECK_OK(carom_stream_open(&out, "memory", w.file, &error), error);
    carom_csv_fields(&out, of_part, NULL);
    for (int i = 0; i < 3; i++)
        carom_csv_fields(&out, of_part, &parts[i]);
    CHECK_OK(carom_stream_close(&out, &error), error);
    fclose(w.file);
    ck_assert_str_eq(w.text, "word,length\na,1\n\"b,c\",\n,0.1\n");
    free(w.text);
}
END_TEST

TEST_MAIN("output summary", one_list_of_fields_writes_json_and_csv, json_escapes_nests_and_knows_no_nan,
          pretty_json_has_a_line_per_value_and_flat_vectors,
          json_nested_too_deep_is_an_error_at_close, the_summary_has_exactly_these_fields,
          a_failed_run_says_why_and_has_null_where_nothing_is_known, the_text_names_state_counts_and_energy,
          a_summary_for_a_full_disk_is_an_error)
