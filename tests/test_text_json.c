/* test_text_json.c: the reader of JSON without libfyaml: the same tree, its own refusals, a model that runs. */
#include "carom.h"
#include "text_testing.h"

static carom_status read_json(const char *text, size_t length, carom_text_node **root)
{
    carom_arena_free(arena);
    arena = carom_arena_new(0);
    memset(&error, 0, sizeof error);
    char *copy = malloc(length ? length : 1); /* of the exact size: reading past the end is seen */
    memcpy(copy, text, length);
    carom_status status =
        carom_text_parse_json(arena, &(carom_text_file){"m.json", copy, length}, root, &error);
    free(copy);
    return status;
}

static const char *const good[] = {
    "{}",
    "\xef\xbb\xbf{\"a\": 1}",
    "{\"a\": 1, \"b\": [true, false, null, -1.5e-3, \"x + y\", []], \"c\": {\"d\": {\"e\": \"f\"}}}\n",
    "{\n  \"carom\": 1,\r\n\t\"name\": \"two words\",\n  \"mass\": [[1, 0],\n   [0, 2]]\n}",
    "{\"\xc3\xa4\xe2\x82\xac\": \"\xf0\x9f\x98\x80 m\", \"z\": 0}",
    "{\"a\": \"quote \\\" back \\\\ slash \\/ tab \\t line \\n \\u00e4\\u20ac\\ud83d\\ude00\"}",
};

#ifndef CAROM_NO_YAML
static bool same_place(carom_text_place a, carom_text_place b)
{
    return a.line == b.line && a.column == b.column && a.length == b.length;
}

static void same_tree(const carom_text_node *a, const carom_text_node *b)
{
    ck_assert_int_eq(a->kind, b->kind);
    ck_assert_str_eq(a->text, b->text);
    ck_assert_int_eq(a->quoted, b->quoted);
    ck_assert_int_eq(a->text_column, b->text_column);
    ck_assert_int_eq(a->nchild, b->nchild);
    ck_assert_msg(same_place(a->place, b->place), "%d:%d+%d, expected %d:%d+%d", a->place.line, a->place.column,
                  a->place.length, b->place.line, b->place.column, b->place.length);
    ck_assert(!a->key == !b->key);
    if (a->key) {
        ck_assert_str_eq(a->key, b->key);
        ck_assert(same_place(a->key_place, b->key_place));
    }
    const carom_text_node *x = a->child, *y = b->child;
    for (; x && y; x = x->next, y = y->next)
        same_tree(x, y);
    ck_assert(!x && !y);
}
#endif

START_TEST(the_tree_is_that_of_libfyaml)
{
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        carom_text_node *root;
        CHECK_OK(read_json(good[i], strlen(good[i]), &root), error);
#ifndef CAROM_NO_YAML
        carom_text_node *other;
        carom_arena *mine = arena;
        arena = NULL;
        CHECK_OK(parse_bytes(good[i], strlen(good[i]), &other), error);
        same_tree(root, other);
        carom_arena_free(mine);
#endif
    }
}
END_TEST

START_TEST(escapes_become_characters)
{
    carom_text_node *root;
    CHECK_OK(read_json(good[5], strlen(good[5]), &root), error);
    ck_assert_str_eq(root->child->text, "quote \" back \\ slash / tab \t line \n \xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
    ck_assert_int_eq(root->child->text_column, 0);
}
END_TEST

START_TEST(what_is_not_json_is_refused_where_it_stands)
{
    static const struct {
        const char *text, *place, *words;
    } bad[] = {
        {"", "1:1", "empty"},
        {"{\"a\": 1", "1:1", "does not end"},
        {"{\"a\": \"x", "1:7", "string does not end"},
        {"{\"a\" 1}", "1:6", "colon"},
        {"{a: 1}", "1:2", "key in quotes"},
        {"{\"a\": 1,}", "1:9", "key in quotes"},
        {"{\"a\": 1 \"b\": 2}", "1:9", "comma"},
        {"{\"a\": [1 2]}", "1:10", "comma"},
        {"{\"a\": x}", "1:7", "number"},
        {"{\"a\": 0x10}", "1:7", "number"},
        {"{\"a\": .5}", "1:7", "number"},
        {"{\"a\": nan}", "1:7", "number"},
        {"{\"a\": \"\\q\"}", "1:8", "escape"},
        {"{\"a\": \"\\u12\"}", "1:8", "escape"},
        {"{\"a\": \"\\ud800x\"}", "1:8", "escape"},
        {"{\"a\": \"\\u0000\"}", "1:8", "escape"},
        {"{\"a\": \"x\ny\"}", "1:9", "line end"},
        {"{\"a\": 1}\n{\"b\": 2}", "2:1", "follows"},
        {"{\"a\": 1,\n \"a\": 2}", "2:2", "duplicate key 'a' (first in line 1)"},
        {"{\"\": 1}", "1:2", "empty"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        carom_text_node *root;
        char where[32];
        ck_assert_int_eq(read_json(bad[i].text, strlen(bad[i].text), &root), CAROM_BAD_MODEL);
        ck_assert_ptr_null(root);
        snprintf(where, sizeof where, "m.json:%s: ", bad[i].place);
        ck_assert_msg(strstr(error.text, where) == error.text, "%s: expected at %s", error.text, bad[i].place);
        check_error(bad[i].words);
    }
    carom_text_node *root;
    ck_assert_int_eq(read_json("carom: 1\n", 9, &root), CAROM_UNSUPPORTED);
    check_error("m.json: this build of Carom cannot read model files in YAML");
    char deep[200] = "{\"a\": ";
    memset(deep + 6, '[', 100);
    ck_assert_int_eq(read_json(deep, strlen(deep), &root), CAROM_BAD_MODEL);
    check_error("nested deeper than 32");
}
END_TEST

/* Any byte changed, any tail cut off: refused or read, never more than that (with sanitizers this is a test). */
START_TEST(damaged_texts_are_read_or_refused)
{
    unsigned seed = 1;
    for (int k = 0; k < 20000; k++) {
        char text[200];
        const char *from = good[k % (int)(sizeof good / sizeof good[0])];
        size_t length = strlen(from);
        carom_text_node *root;
        memcpy(text, from, length);
        for (int n = 0; n < 2; n++) {
            seed = seed * 1664525 + 1013904223;
            text[(seed >> 8) % length] = k % 2 ? (char)(seed >> 24) : "\"\\{}[],:u"[(seed >> 24) % 9];
        }
        read_json(text, k % 3 ? length : (seed >> 4) % (length + 1), &root);
    }
}
END_TEST

START_TEST(a_model_in_json_runs_in_every_build)
{
    static const char text[] = "{\"carom\": 1, \"parameters\": {\"e\": 0.5}, \"coordinates\": {\"y\": 1}, "
                               "\"mass\": [[1]], \"force\": {\"y\": -2}, "
                               "\"contacts\": {\"ground\": {\"gap\": \"y\", \"restitution\": \"e\"}}}";
    carom_model *model;
    carom_sim *sim;
    CHECK_OK(carom_model_parse(&model, "ball.json", text, strlen(text), NULL, &error), error);
    CHECK_OK(carom_sim_new(&sim, model, NULL, &error), error);
    ck_assert_int_eq(carom_sim_run(sim, 0.5), CAROM_OK);
    CHECK_NEAR(carom_sim_state(sim)->q[0], 0.75, 1e-12);
    ck_assert_int_eq(carom_sim_run(sim, 4), CAROM_OK); /* impacts accumulate at 3 */
    CHECK_NEAR(carom_sim_state(sim)->q[0], 0, 1e-12);
    carom_sim_free(sim);
    carom_model_free(model);
}
END_TEST

TEST_MAIN("text in JSON", the_tree_is_that_of_libfyaml, escapes_become_characters,
          what_is_not_json_is_refused_where_it_stands, damaged_texts_are_read_or_refused,
          a_model_in_json_runs_in_every_build)
