/* test_expr_parse.c: what expressions mean, and what is said about those that mean nothing. */
#include "test_expr.h"

static const double at[NVAR] = {0.7, 1.3, -0.4, 2.25, 0.9, -1.1, 3.0, 2.0, 9.81, 0.5};

START_TEST(values_agree_with_the_same_formulas_in_c)
{
    double t = at[0], x = at[1], y = at[2], z = at[3], vx = at[4], vy = at[5], m = at[7], g = at[8], k = at[9];
    const struct {
        const char *text;
        double value;
    } table[] = {
        {"1 + 2*3", 7},
        {"(1 + 2)*3", 9},
        {"2 - 3 - 4", -5},
        {"24/4/3", 2},
        {"24/(4/3)", 18},
        {"2*3^2", 18},
        {"-2^2", -4},
        {"(-2)^2", 4},
        {"2^3^2", 512},
        {"2^-1", 0.5},
        {"2^-1^2", 0.5},
        {"-2^-2", -0.25},
        {"--3", 3},
        {"+3 - -3", 6},
        {"2*-3", -6},
        {"1e3 + .5 + 2. + 1.5E-1", 1002.65},
        {"1 < 2", 1},
        {"2 <= 1", 0},
        {"2 > 1", 1},
        {"1 >= 1", 1},
        {"1 == 1", 1},
        {"1 != 1", 0},
        {"1 < 2 and 2 < 1", 0},
        {"1 < 2 or 2 < 1", 1},
        {"not 1 < 2", 0},
        {"!(1 < 2) || 1", 1},
        {"1 or 0 and 0", 1},
        {"(1 or 0) and 0", 0},
        {"not 0 and 1", 1},
        {"1 && 0 || 1 && 1", 1},
        {"1 + 1 == 2 and 3 - 1 < 4*1", 1},
        {"not not 3", 1},
        {"if(1 < 2, 5, 6)", 5},
        {"if(2 < 1, 5, 6)", 6},
        {"min(3, 1, 2)", 1},
        {"max(3, 1, 7, 2)", 7},
        {"mod(7, 3)", 1},
        {"mod(-7, 3)", 2},
        {"mod(7, -3)", -2},
        {"floor(-1.5)", -2},
        {"sign(-3) + sign(0) + sign(2)", 0},
        {"pow(2, 10)", 1024},
        {"hypot(3, 4)", 5},
        {"cbrt(-27)", -3},
        {"2*pi", 2 * M_PI},
        {"x*y + z/t", x * y + z / t},
        {"-x^2", -(x * x)},
        {"x - y - z", x - y - z},
        {"x/y/z", x / y / z},
        {"m*x'^2/2 - m*g*x", m * vx * vx / 2 - m * g * x},
        {"x'*y'", vx * vy},
        {"sin(t)*cos(x)", sin(t) * cos(x)},
        {"tan(x) + asin(t) + acos(t) + atan(y)", tan(x) + asin(t) + acos(t) + atan(y)},
        {"atan2(y, x)", atan2(y, x)},
        {"sinh(x) + cosh(y) - tanh(z)", sinh(x) + cosh(y) - tanh(z)},
        {"exp(-k*t)*log(z)", exp(-k * t) * log(z)},
        {"sqrt(x^2 + y^2)", sqrt(x * x + y * y)},
        {"abs(y)", 0.4},
        {"x^3", x * x * x},
        {"x^-3", 1 / (x * x * x)},
        {"z^0.3", pow(z, 0.3)},
        {"z^y", pow(z, y)},
        {"x > 1 and y < 0", 1},
        {"if(y > 0, x, z) + 1", z + 1},
        {"x\n + y", x + y},
    };
    carom_expr_pool *pool = carom_expr_pool_new(10000);
    for (int i = 0; i < CAROM_COUNT(table); i++) {
        double value = carom_expr_value(pool, parse(pool, table[i].text), at);
        ck_assert_msg(fabs(value - table[i].value) <= 4e-16 * fabs(table[i].value), "%s = %.17g, not %.17g",
                      table[i].text, value, table[i].value);
    }
    carom_expr_pool_free(pool);
}
END_TEST

/* What a message says, and the column it points at when the text starts at column 11. */
static const struct {
    const char *text, *says;
    int column;
} mistakes[] = {
    {"", "an expression is expected here", 11},
    {"  ", "an expression is expected here", 11},
    {"x + ", "the expression ends too early", 14},
    {"x + * y", "expected a number, a name or '(' instead of '*'", 15},
    {"x + velocty", "unknown name 'velocty'", 15},
    {"x + z''", "unknown name 'z'''; did you mean 'z''?", 15},
    {"1 + snh(x)", "unknown function 'snh'; did you mean 'sinh'?", 15},
    {"1 + camm(x)", "unknown function 'camm'; did you mean 'cam'?", 15},
    {"sin x", "sin is a function: write sin(...)", 11},
    {"cam + 1", "cam is a function: write cam(...)", 11},
    {"m(x + 1)", "'m' is not a function; a product is written m*(...)", 11},
    {"1 + sin(x, y)", "sin takes 1 argument, not 2", 15},
    {"sin()", "sin takes 1 argument, not 0", 11},
    {"atan2(x)", "atan2 takes 2 arguments, not 1", 11},
    {"if(x, y)", "if takes 3 arguments, not 2", 11},
    {"min(x)", "min takes at least 2 arguments, not 1", 11},
    {"cam(x, y)", "cam takes 1 argument, not 2", 11},
    {"x = 3", "'=' alone means nothing here: equality is written '=='", 13},
    {"x & y", "'&' alone means nothing here: write '&&' or 'and'", 13},
    {"2x", "expected an operator, e.g. 2*x", 12},
    {"2 x", "expected an operator, e.g. 2*x", 13},
    {"x y", "expected an operator, e.g. x*y", 13},
    {"(x + 1)(y + 2)", "expected an operator before '('", 18},
    {"x**2", "a power is written with '^', as in x^2", 12},
    {"x)", "this ')' closes nothing", 12},
    {"x, y", "unexpected ','", 12},
    {"(x, y)", "unexpected ',' inside parentheses", 13},
    {"(x y)", "expected an operator or ')'", 14},
    {"1 < x < 2", "comparisons do not chain: write a < b and b < c", 17},
    {"x + not y", "put 'not' and what it negates in parentheses", 15},
    {"x + #", "unexpected character '#'", 15},
    {"x + \xc2\xb5", "unexpected byte 0xc2", 15},
    {"x + 'y", "' must follow the name of a coordinate, as in x'", 15},
    {"x + .", "'.' must stand next to a digit", 15},
    {"1 + 1e999", "1e999 is not a number that a double can hold", 15},
};

static void add_cam(carom_expr_pool *pool)
{
    const double x[] = {0, 1, 2, 3}, y[] = {0, 1, 0, 1};
    ck_assert_int_eq(carom_expr_add_table(pool, "cam", &(carom_expr_data){.n = 4, .x = x, .y = y}), 0);
}

START_TEST(every_mistake_is_explained_at_its_column)
{
    carom_expr_pool *pool = carom_expr_pool_new(10000);
    add_cam(pool);
    for (int i = 0; i < CAROM_COUNT(mistakes); i++) {
        carom_expr e;
        carom_error error = {0};
        ck_assert_msg(parse_at(pool, mistakes[i].text, 11, true, &e, &error) == CAROM_BAD_MODEL, "'%s' passed",
                      mistakes[i].text);
        char expected[300];
        snprintf(expected, sizeof expected, "model.yaml:1:%d: %s", mistakes[i].column, mistakes[i].says);
        ck_assert_msg(strncmp(error.text, expected, strlen(expected)) == 0, "'%s':\n%s\nexpected:\n%s",
                      mistakes[i].text, error.text, expected);
    }
    carom_expr_pool_free(pool);
}
END_TEST

START_TEST(the_caret_stands_under_the_whole_offending_word)
{
    carom_expr_pool *pool = carom_expr_pool_new(100);
    carom_expr e;
    carom_error error = {0};
    ck_assert_int_eq(parse_at(pool, "x + velocty*y", 5, true, &e, &error), CAROM_BAD_MODEL);
    ck_assert_str_eq(error.text,
                     "model.yaml:1:9: unknown name 'velocty'\n  |     x + velocty*y\n  |         ^~~~~~~");
    carom_expr_pool_free(pool);
}
END_TEST

START_TEST(an_open_parenthesis_hints_at_quotes_only_where_the_text_is_plain)
{
    carom_expr_pool *pool = carom_expr_pool_new(100);
    carom_expr e;
    carom_error error = {0};
    ck_assert_int_eq(parse_at(pool, "2*max(x", 11, false, &e, &error), CAROM_BAD_MODEL);
    ck_assert_msg(
        strstr(error.text,
               ":1:16: this '(' is never closed (inside { } or [ ] a comma ends the text: put it in quotes)"),
        "%s", error.text);
    ck_assert_int_eq(parse_at(pool, "2*max(x", 11, true, &e, &error), CAROM_BAD_MODEL);
    ck_assert_msg(strstr(error.text, ":1:16: this '(' is never closed\n"), "%s", error.text);
    carom_expr_pool_free(pool);
}
END_TEST

START_TEST(an_error_in_text_of_several_lines_points_at_its_own_line)
{
    carom_expr_pool *pool = carom_expr_pool_new(100);
    carom_expr e;
    carom_error error = {0};
    carom_text_file file = {"f", "a: |\n  x +\n  qq\n", 17};
    carom_text_node node = {.text = "x +\nqq\n", .place = {2, 3, 3}, .quoted = true};
    carom_expr_scope scope = {.lookup = lookup_name, .name = name_of, .user = pool};
    ck_assert_int_eq(carom_expr_parse(pool, &file, &node, &scope, &e, &error), CAROM_BAD_MODEL);
    ck_assert_msg(strncmp(error.text, "f:3:3: unknown name 'qq'", 24) == 0, "%s", error.text);
    node.kind = CAROM_TEXT_LIST;
    ck_assert_int_eq(carom_expr_parse(pool, &file, &node, &scope, &e, &error), CAROM_BAD_MODEL);
    carom_expr_pool_free(pool);
}
END_TEST

/* n copies of part, then end. */
static char *repeated(const char *part, int n, const char *end)
{
    size_t length = strlen(part);
    char *text = malloc(length * (size_t)n + strlen(end) + 1);
    for (int i = 0; i < n; i++)
        memcpy(text + length * (size_t)i, part, length);
    memcpy(text + length * (size_t)n, end, strlen(end) + 1);
    return text;
}

START_TEST(hostile_texts_are_refused_with_a_sentence)
{
    const struct {
        const char *part;
        int n;
        const char *end, *says;
    } table[] = {
        {"(", 60000, "x", "nested deeper than 200"},
        {"(", 100000, "x", "longer than 65536"},
        {"x^", 30000, "x", "nested deeper than 200"},
        {"-", 60000, "x", "nested deeper than 200"},
        {"sin(", 15000, "x", "nested deeper than 200"},
        {"x+", 500000, "x", "longer than 65536"},
        {"2^-", 20000, "x", "nested deeper than 200"},
        {"a", 60000, "", "more than 127"},
        {"1", 60000, "", "too long"},
        {"if(x,y,", 9000, "x", "nested deeper than 200"},
        {"x*sin(y)+", 7000, "", "ends too early"},
    };
    for (int i = 0; i < CAROM_COUNT(table); i++) {
        carom_expr_pool *pool = carom_expr_pool_new(100000);
        char *text = repeated(table[i].part, table[i].n, table[i].end);
        carom_expr e;
        carom_error error = {0};
        ck_assert_int_eq(parse_at(pool, text, 1, true, &e, &error), CAROM_BAD_MODEL);
        ck_assert_msg(strstr(error.text, table[i].says), "%s", error.text);
        free(text);
        carom_expr_pool_free(pool);
    }
}
END_TEST

START_TEST(two_hundred_parentheses_are_read_and_one_more_is_not)
{
    carom_expr_pool *pool = carom_expr_pool_new(100);
    for (int n = 200; n <= 201; n++) {
        char text[500];
        memset(text, '(', (size_t)n);
        text[n] = 'x';
        memset(text + n + 1, ')', (size_t)n);
        text[2 * n + 1] = 0;
        carom_expr e;
        carom_error error = {0};
        ck_assert_int_eq(parse_at(pool, text, 1, true, &e, &error), n == 200 ? CAROM_OK : CAROM_BAD_MODEL);
        ck_assert(n > 200 || e == carom_expr_var(pool, 1));
    }
    carom_expr_pool_free(pool);
}
END_TEST

START_TEST(a_full_pool_is_an_error_and_never_a_wrong_expression)
{
    carom_error error = {0};
    carom_expr e;
    for (int limit = 0; limit < 40; limit++) {
        carom_expr_pool *pool = carom_expr_pool_new(limit);
        carom_status status = parse_at(
            pool, "if(x < 3 and y*z > 2, (2*x + 1)^3/(-y), sin(3*x)*cos(-y) - 4)*2 - x", 1, true, &e, &error);
        ck_assert_int_eq(status == CAROM_OK, !carom_expr_exhausted(pool));
        if (status == CAROM_OK)
            CHECK_NEAR(carom_expr_value(pool, e, at), (sin(3 * at[1]) * cos(at[2]) - 4) * 2 - at[1], 1e-14);
        else
            ck_assert_msg(strstr(error.text, "need more than"), "%s", error.text);
        carom_expr_pool_free(pool);
    }
}
END_TEST

START_TEST(a_sum_of_thousands_of_terms_is_evaluated_printed_derived_and_replaced)
{
    carom_expr_pool *pool = carom_expr_pool_new(2000000);
    char *text = repeated("x*sin(y)+z*", 5000, "y");
    carom_expr e = parse(pool, text), deep = e;
    free(text);
    ck_assert(isfinite(carom_expr_value(pool, e, at)));
    for (int i = 0; i < 200000; i++) /* a graph two hundred thousand levels deep */
        deep = carom_expr_unary(pool, i % 2 ? CAROM_OP_SIN : CAROM_OP_COS, deep);
    char buffer[1000];
    carom_expr_print(pool, deep, name_of, pool, buffer, sizeof buffer);
    ck_assert_str_eq(buffer + strlen(buffer) - 3, "...");
    ck_assert(carom_expr_depends(pool, deep, 2, 3) && !carom_expr_depends(pool, deep, 5, 7));
    carom_expr d = carom_expr_diff(pool, deep, 2), value = carom_expr_var(pool, 9);
    ck_assert(d != CAROM_EXPR_NONE && isfinite(carom_expr_value(pool, d, at)));
    carom_expr replaced = carom_expr_replace(pool, deep, 2, 1, &value);
    ck_assert(replaced != CAROM_EXPR_NONE && !carom_expr_depends(pool, replaced, 2, 3));
    carom_expr_pool_free(pool);
}
END_TEST

/* Tokens in random order: mostly nonsense. What is accepted must print as text with the same value. */
START_TEST(random_texts_are_refused_or_read_back_as_printed)
{
    static const char *const tokens[] = {"x", "y'", "t", "2", "0.5", "1e3", "+", "-", "*", "/", "^", "(", ")", "(", ")",
                                         "sin(", "min(", "if(", "cam(", ",", "<", ">=", "==", " and ", " or ", "not ",
                                         "!", "pi", "k", "'", "=", ".", "e", "hypot(", " ", "\xff", "mod("};
    unsigned long long random = 2024;
    int accepted = 0;
    for (int i = 0; i < 60000; i++) {
        char text[200] = "", printed[4000];
        carom_expr_pool *pool = carom_expr_pool_new(1000);
        carom_expr e;
        carom_error error = {0};
        add_cam(pool);
        for (int k = 1 + below(&random, 9); k > 0; k--)
            strcat(text, tokens[below(&random, CAROM_COUNT(tokens))]);
        carom_status status = parse_at(pool, text, 1, true, &e, &error);
        ck_assert_msg(status == CAROM_OK || (status == CAROM_BAD_MODEL && error.text[0]), "%s", text);
        if (status == CAROM_OK && isfinite(carom_expr_value(pool, e, at))) {
            accepted++;
            carom_expr_print(pool, e, name_of, pool, printed, sizeof printed);
            double a = carom_expr_value(pool, e, at), b = carom_expr_value(pool, parse(pool, printed), at);
            ck_assert_msg(fabs(a - b) <= 1e-12 * fabs(a), "%s printed as %s: %.17g, %.17g", text, printed, a, b);
        }
        carom_expr_pool_free(pool);
    }
    ck_assert_int_gt(accepted, 1000);
}
END_TEST

START_TEST(names_of_the_language_and_of_tables_are_reserved)
{
    carom_expr_pool *pool = carom_expr_pool_new(100);
    add_cam(pool);
    const char *const taken[] = {"sin", "if", "pow", "pi", "and", "or", "not", "cam"}, *const open[] = {
                                                                                           "t", "x", "e", "Sin",
                                                                                           ""};
    for (int i = 0; i < CAROM_COUNT(taken); i++)
        ck_assert_msg(carom_expr_reserved(pool, taken[i]), "%s", taken[i]);
    for (int i = 0; i < CAROM_COUNT(open); i++)
        ck_assert_msg(!carom_expr_reserved(pool, open[i]), "%s", open[i]);
    carom_expr_pool_free(pool);
}
END_TEST

TEST_MAIN("expression parser", values_agree_with_the_same_formulas_in_c, every_mistake_is_explained_at_its_column,
          the_caret_stands_under_the_whole_offending_word,
          an_open_parenthesis_hints_at_quotes_only_where_the_text_is_plain,
          an_error_in_text_of_several_lines_points_at_its_own_line, hostile_texts_are_refused_with_a_sentence,
          two_hundred_parentheses_are_read_and_one_more_is_not, a_full_pool_is_an_error_and_never_a_wrong_expression,
          a_sum_of_thousands_of_terms_is_evaluated_printed_derived_and_replaced,
          random_texts_are_refused_or_read_back_as_printed, names_of_the_language_and_of_tables_are_reserved)
