/* test_text.c: the tree and its positions, and what is refused. */
#include "text_testing.h"

#ifdef CAROM_NO_YAML
SKIP_MAIN("built without libfyaml")
#else

static void check_scalar(const carom_text_node *map, const char *key, const char *text, bool quoted, int text_column)
{
    const carom_text_node *node = carom_text_get(map, key);
    ck_assert_msg(node != NULL, "no key %s", key);
    ck_assert_int_eq(node->kind, CAROM_TEXT_SCALAR);
    ck_assert_str_eq(node->text, text);
    ck_assert_msg(node->quoted == quoted, "quoted %s", key);
    ck_assert_msg(node->text_column == text_column, "%s: column %d, expected %d", key, node->text_column, text_column);
}

START_TEST(every_key_and_value_has_its_line_and_column)
{
    carom_text_node *root = parse("carom: 1\n"
                                  "coordinates: {y: 0.5, \"z\":1}  # comment\n"
                                  "list:\n"
                                  "  - a\n"
                                  "  - 'b c'\n"
                                  "  - k: [1,\n"
                                  "        2]\n");
    ck_assert_int_eq(root->kind, CAROM_TEXT_MAP);
    ck_assert_int_eq(root->nchild, 3);
    check_place(root->child->key_place, 1, 1, 5);
    check_place(root->child->place, 1, 8, 1);
    carom_text_node *map = carom_text_get(root, "coordinates");
    check_place(map->key_place, 2, 1, 11);
    check_place(map->place, 2, 14, 1);
    ck_assert_int_eq(map->nchild, 2);
    check_place(map->child->key_place, 2, 15, 1);
    check_place(map->child->place, 2, 18, 3);
    check_place(map->child->next->key_place, 2, 23, 3);
    check_place(map->child->next->place, 2, 27, 1);
    carom_text_node *list = carom_text_get(root, "list");
    ck_assert_int_eq(list->kind, CAROM_TEXT_LIST);
    ck_assert_int_eq(list->nchild, 3);
    check_place(list->child->place, 4, 5, 1);
    check_place(list->child->next->place, 5, 5, 5);
    ck_assert_ptr_null(list->child->key);
    carom_text_node *inner = carom_text_get(list->child->next->next, "k");
    check_place(inner->key_place, 6, 5, 1);
    check_place(inner->place, 6, 8, 1);
    check_place(inner->child->next->place, 7, 9, 1);
    ck_assert_ptr_null(inner->child->next->next);
}
END_TEST

START_TEST(columns_count_code_points_and_a_byte_order_mark_counts_nothing)
{
    carom_text_node *quoted = parse("\"a\":\n  'b': 1\n");
    check_place(quoted->place, 1, 1, 1);
    check_place(quoted->child->key_place, 1, 1, 3);
    check_place(quoted->child->place, 2, 3, 1);
    check_place(quoted->child->child->key_place, 2, 3, 3);
    carom_text_node *root = parse("\xef\xbb\xbf\xc3\xa4\xc3\xb6: {\"\xe6\xbc\xa2\": \xf0\x9f\x8e\xb1, b: 1}\n");
    check_place(root->child->key_place, 1, 1, 2);
    carom_text_node *map = root->child;
    check_place(map->place, 1, 5, 1);
    check_place(map->child->key_place, 1, 6, 3);
    check_place(map->child->place, 1, 11, 1);
    ck_assert_str_eq(map->child->text, "\xf0\x9f\x8e\xb1");
    check_place(map->child->next->key_place, 1, 14, 1);
}
END_TEST

START_TEST(line_breaks_of_three_kinds_are_lines)
{
    check_place(parse("a: 1\nb: 2\n")->child->next->key_place, 2, 1, 1);
    check_place(parse("a: 1\r\nb: 2\r\n")->child->next->key_place, 2, 1, 1);
    check_place(parse("a: 1\rb: 2\r")->child->next->key_place, 2, 1, 1);
}
END_TEST

START_TEST(the_column_of_the_text_is_known_where_it_is_verbatim)
{
    carom_text_node *root = parse("plain: m*y'^2/2\n"
                                  "single: 'a b'\n"
                                  "double: \"a b\"\n"
                                  "escaped: \"a\\tb\"\n"
                                  "doubled: 'y''^2'\n"
                                  "folded: a +\n  b\n"
                                  "quoted_folded: \"a +\n  b\"\n"
                                  "block: |\n  a\n  b\n"
                                  "strip: >-\n  a b\n"
                                  "last: a#b # c\n");
    check_scalar(root, "plain", "m*y'^2/2", false, 8);
    check_scalar(root, "single", "a b", true, 10);
    check_scalar(root, "double", "a b", true, 10);
    check_scalar(root, "escaped", "a\tb", true, 0);
    check_scalar(root, "doubled", "y'^2", true, 0);
    check_scalar(root, "folded", "a + b", false, 0);
    check_scalar(root, "quoted_folded", "a + b", true, 0);
    check_scalar(root, "block", "a\nb\n", true, 0);
    check_scalar(root, "strip", "a b", true, 3);
    check_scalar(root, "last", "a#b", false, 7);
    check_place(carom_text_get(root, "single")->place, 2, 9, 5);
    check_place(carom_text_get(root, "folded")->place, 6, 9, 3);
    check_place(carom_text_get(root, "block")->place, 11, 3, 1);
}
END_TEST

START_TEST(empty_and_null_values_are_empty_texts)
{
    carom_text_node *root = parse("a:\nb: null\nc: ~\nd: \"\"\ne: {x, y: }\nf: 'null'\n"
                                  "g:\n  - 1\n  -\n  # - 0\n  -\n  - 2\n");
    check_scalar(root, "a", "", false, 0);
    check_place(carom_text_get(root, "a")->place, 1, 1, 1);
    check_scalar(root, "b", "", false, 4);
    check_scalar(root, "c", "", false, 4);
    check_scalar(root, "d", "", true, 5);
    check_scalar(carom_text_get(root, "e"), "x", "", false, 0);
    check_scalar(carom_text_get(root, "e"), "y", "", false, 0);
    check_scalar(root, "f", "null", true, 5);
    carom_text_node *second = carom_text_get(root, "g")->child->next;
    ck_assert_str_eq(second->text, "");
    check_place(second->place, 9, 3, 1);
    check_place(second->next->place, 11, 3, 1);
    check_place(second->next->next->place, 12, 5, 1);
    ck_assert_ptr_null(carom_text_get(root, "missing"));
    ck_assert_ptr_null(carom_text_get(carom_text_get(root, "g"), "x"));
    ck_assert_ptr_null(carom_text_get(NULL, "x"));
}
END_TEST

START_TEST(json_is_accepted_unchanged)
{
    carom_text_node *root = parse("{\n\t\"carom\":1,\n\t\"contacts\":\t{\"g\":{\"gap\":\"max(x,y)\",\n\t\"e\":0.5}},\n"
                                  "\t\"list\":[1,-2.5e-3,true,\"\\u00e4\\/\"]\n}\n");
    check_scalar(root, "carom", "1", false, 10);
    carom_text_node *contact = carom_text_get(carom_text_get(root, "contacts"), "g");
    check_scalar(contact, "gap", "max(x,y)", true, 27);
    check_scalar(contact, "e", "0.5", false, 6);
    carom_text_node *list = carom_text_get(root, "list");
    ck_assert_int_eq(list->nchild, 4);
    ck_assert_str_eq(list->child->next->text, "-2.5e-3");
    ck_assert_str_eq(list->child->next->next->next->text, "\xc3\xa4/");
    check_place(list->child->next->next->place, 5, 20, 4);
}
END_TEST

START_TEST(what_the_language_does_not_have_is_refused_where_it_stands)
{
    refused("a: 1\nb: 2\nc: 3\nb: 4\na: 5\n", "4:1", "duplicate key 'b' (first in line 2)");
    refused("b: 1\na: 2\na: 3\nb: 4\n", "3:1", "duplicate key 'a' (first in line 2)");
    refused("a: {x: 1, \"x\": 2}\n", "1:11", "duplicate key 'x' (first in line 1)");
    refused("a: &q 1\n", "1:4", "anchors");
    refused("a: &q\n  b: 1\n", "1:4", "anchors");
    refused("a: [&q [1]]\n", "1:5", "anchors");
    refused("&q a: 1\n", "1:1", "anchors");
    refused("a: *q\n", "1:4", "aliases");
    refused("a: {x: *q }\n", "1:8", "aliases");
    refused("*q : 1\n", "1:1", "aliases");
    refused("a: 1\n<<: {b: 1}\n", "2:1", "merge keys");
    refused("a: !!float 1\n", "1:4", "tags");
    refused("a: !x {}\n", "1:4", "tags");
    refused("a: !x [1]\n", "1:4", "tags");
    refused("a: !<tag:x> 1\n", "1:4", "tags");
    refused("a: ! x\n", "1:4", "tags");
    refused("a: !!str\n", "1:4", "tags");
    refused("a: 1\n---\nb: 2\n", "2:1", "second document");
    refused("a: 1\n...\nb: 2\n", "3:1", "second document");
    refused("%YAML 1.1\n---\na: 1\n", "1:1", "directives");
    refused("? a\n: 1\n", "1:3", "'key: value'");
    refused("? [a]\n: 1\n", "1:3", "a key must be a name");
    refused("{[a]: 1}\n", "1:2", "a key must be a name");
    refused("a: {{b: 1}: 1}\n", "1:5", "a key must be a name");
    refused(": 1\n", "1:1", "a key is missing");
    refused("\"\": 1\n", "1:1", "a key is empty");
    refused("a: \"x\\0y\"\n", "1:4", "\\0");
    ck_assert_str_eq(parse("---\na: 1\n...\n")->child->text, "1");
}
END_TEST

START_TEST(a_missing_blank_after_the_colon_gets_a_hint)
{
    const char *hint = "with a blank after the colon";
    refused("a: {x:1}\n", "1:5", "write {x: 1} with a blank after the colon");
    refused("a: {y: 2, x:-1}\n", "1:11", "write {x: -1} with a blank after the colon");
    refused("contacts: {ground: {gap:y, restitution: 1}}\n", "1:21", "write {gap: y} with");
    refused("carom:1\n", "1:1", "write carom: 1 with");
    refused("carom:1\nname: x\n", "1:1", "write carom: 1 with");
    refused("carom: 1\nname:x\n", "2:1", "write name: x with");
    refused("carom: 1\nname:x\nfoo: 1\n", "2:1", hint);
    refused("\"a\": 1\n\"b\":2\n", "2:2", hint);
    ck_assert_str_eq(parse("a: {\"x\":1}\n")->child->child->text, "1");
    ck_assert_str_eq(parse("a: {x: b:c}\n")->child->child->text, "b:c");
}
END_TEST

START_TEST(decimals_with_a_comma_get_a_hint)
{
    refused("a: {x: 1,5}\n", "1:10", "decimals are written with a point");
    ck_assert_str_eq(parse("a: {x, 5: 1}\n")->child->child->text, "");
}
END_TEST

static void check_inside(const char *text, const char *needle, int line, int column)
{
    carom_text_file file = {"m.yaml", text, strlen(text)};
    carom_text_node *root = parse(text), *node = root->child;
    const char *found = strstr(node->text, needle);
    ck_assert_msg(found != NULL, "'%s' is not in '%s'", needle, node->text);
    check_place(carom_text_inside(&file, node, (int)(found - node->text), (int)strlen(needle)), line, column,
                (int)strlen(needle));
}

START_TEST(places_inside_of_a_scalar_are_found_across_lines)
{
    check_inside("a: x + yy\n", "yy", 1, 8);
    check_inside("a: 'x + yy'\n", "yy", 1, 9);
    check_inside("a: \xc3\xa4 + yy\n", "yy", 1, 8);
    check_inside("a: x +\n  yy\n", "yy", 2, 3);
    check_inside("a: >-\n  x\n\n    + zz\n  + yy\n", "yy", 5, 5);
    check_inside("a: |\n  \xc3\xa4\n  + yy\n", "yy", 3, 5);
    check_inside("a: \"x +\n  yy\"\n", "yy", 2, 3);
    check_inside("a: 'x'' + y''\n + zz'\n", "zz", 2, 4);
    const char *text = "a: x\n  + y\nb: \"\\x41 + yy\"\n";
    carom_text_file file = {"m.yaml", text, strlen(text)};
    carom_text_node *first = parse(text)->child;
    check_place(carom_text_inside(&file, first, (int)strlen(first->text), 1), 2, 6, 1);
    check_place(carom_text_inside(&file, first->next, 4, 2), 3, 4, 11);
}
END_TEST

START_TEST(a_comma_that_splits_an_expression_gets_a_hint)
{
    refused("a: {gap: atan2(y,x)}\n", "1:10", "quote it, e.g. gap: \"atan2(y,x)\"");
    refused("a: {gap: 2*max(a, b, (c)) + 1, e: 1}\n", "1:10", "quote it, e.g. gap: \"2*max(a, b, (c)) + 1\"");
    refused("a: [max(x,y]\n", "1:5", "do not balance");
    refused("a: [max(x, \"y\", z)]\n", "1:5", "quote it, e.g. \"max(x, \"y\", z)\"");
    refused("a: [max(x,\n y)]\n", "1:5", "do not balance");
    refused("a: [max(x, b: y)]\n", "1:5", "quote it, e.g. \"max(x, b: y)\"");
    refused("a: {gap: (y + 1}\n", "1:10", "do not balance");
    refused("a: {gap: y)}\n", "1:10", "do not balance");
    refused("a: {x): 1}\n", "1:5", "do not balance");
    check_scalar(parse("a: atan2(y,x)\n"), "a", "atan2(y,x)", false, 4);
    check_scalar(parse("a: {b: (x)*(y), c: \"f(x,y\"}\n")->child, "b", "(x)*(y)", false, 8);
}
END_TEST

START_TEST(commas_inside_parentheses_do_not_split_the_items_of_a_list)
{
    const carom_text_node *list = parse("a: [1, 2*f(x, (y), g(1, 2)) + 3 , max(x,y)*z, b]\n")->child;
    ck_assert_int_eq(list->nchild, 4);
    const carom_text_node *item = list->child->next;
    ck_assert_str_eq(item->text, "2*f(x, (y), g(1, 2)) + 3");
    ck_assert_int_eq(item->place.column, 8);
    ck_assert_int_eq(item->place.length, 24);
    ck_assert_int_eq(item->text_column, 8);
    ck_assert_str_eq(item->next->text, "max(x,y)*z");
    ck_assert_str_eq(item->next->next->text, "b");
}
END_TEST

START_TEST(tabs_may_separate_but_not_indent)
{
    refused("a:\n\tb: 1\n", "2:1", "a tab cannot indent: use blanks");
    refused("a: 1\n\tb: 1\n", "2:1", "a tab cannot indent: use blanks");
    refused("a:\n  b: 1\n  \tc: 1\n", "3:3", "a tab cannot indent: use blanks");
    refused("a:\n\t- 1\n", "2:1", "a tab cannot indent: use blanks");
    check_scalar(parse("a:\t1\t# c\n"), "a", "1", false, 4);
}
END_TEST

START_TEST(broken_syntax_is_explained_in_our_words)
{
    refused("a: {b: 1\n", "1:4", "never closed");
    refused("a: {b: [1, 2\n", "1:8", "never closed");
    refused("a: {b: 1", "1:4", "never closed");
    refused("a: \"b\nc: 1\n", "1:4", "this quote is never closed");
    refused("a: 'b\nc: 1\n", "1:4", "this quote is never closed");
    refused("a: \"b\nc: [\"d\"]\n", "2:6", "a quote is missing here or in a line above");
    refused("a: [1, 2]]\n", "1:10", "bracket");
    refused("a: [1, 2}\n", "1:9", "does not fit");
    refused("a: [1,,2]\n", "1:7", "a value is missing");
    refused("a: b: c\n", "1:5", "second colon");
    refused("a: 1\n  b: 2\n", "2:3", "continues the value of line 1");
    refused("a:\n   b: 2\n  c: 3\n", "3:3", "indented differently");
    refused("a: @x\n", "1:4", "quote it");
    refused("{\"a\":1} x\n", "1:9", "text after the end");
    refused("{\"a\":1}\n{\"b\":1}\n", "2:1", "text after the end");
    refused("a: 1\nhello\n", "2:1", "no 'key: value'");
    refused("a: \"\\q\"\n", "1:5", "escape");
}
END_TEST

START_TEST(a_file_that_is_no_map_is_refused)
{
    refused("", "1:1", "empty");
    refused("# nothing\n", "1:1", "empty");
    refused("\xef\xbb\xbf", "1:1", "empty");
    refused("\n\n  \n", "1:1", "empty");
    refused("- 1\n- 2\n", "1:1", "but this is a list");
    refused("hello\n", "1:1", "but this is a single value");
    refused("[1, 2]\n", "1:1", "but this is a list");
    refused("---\n", "1:1", "but this is a single value");
}
END_TEST

START_TEST(bytes_that_are_no_text_are_refused)
{
    carom_text_node *root;
    ck_assert_int_eq(parse_bytes("a: 1\nb: \0 2\n", 12, &root), CAROM_BAD_MODEL);
    check_error("m.yaml:2:4: a NUL byte");
    check_error("\n  | b: ? 2\n  |    ^");
    refused("a: x\xff\n", "1:5", "byte 0xff is not UTF-8");
    refused("\xc3\xa4: \xc3\n", "1:4", "byte 0xc3 is not UTF-8");
    refused("a: \xc0\x80\n", "1:4", "not UTF-8");
    refused("a: \xed\xa0\x80\n", "1:4", "not UTF-8");
    refused("a: \xf4\x90\x80\x80\n", "1:4", "not UTF-8");
    refused("a: \xe2\x82", "1:4", "not UTF-8");
    refused("a: \x1b[31m\n", "1:4", "control character 0x1b");
    refused("a: \x7f\n", "1:4", "control character 0x7f");
}
END_TEST

TEST_MAIN("text", every_key_and_value_has_its_line_and_column,
          columns_count_code_points_and_a_byte_order_mark_counts_nothing, line_breaks_of_three_kinds_are_lines,
          the_column_of_the_text_is_known_where_it_is_verbatim, empty_and_null_values_are_empty_texts,
          json_is_accepted_unchanged, what_the_language_does_not_have_is_refused_where_it_stands,
          a_missing_blank_after_the_colon_gets_a_hint, a_comma_that_splits_an_expression_gets_a_hint,
          commas_inside_parentheses_do_not_split_the_items_of_a_list,
          decimals_with_a_comma_get_a_hint, places_inside_of_a_scalar_are_found_across_lines,
          tabs_may_separate_but_not_indent, broken_syntax_is_explained_in_our_words, a_file_that_is_no_map_is_refused,
          bytes_that_are_no_text_are_refused)
#endif
