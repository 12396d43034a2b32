/* parse.c: expressions by recursive descent, no deeper than CAROM_PARSE_DEPTH. From loose to tight:
 *   or ||   and &&   not !   < <= > >= == != (once)   + -   * /   unary + -   ^ (to the right; 2^-1)   calls, ( )
 * so -x^2 = -(x^2). */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "expr/parse.h"

static carom_status disjunction(carom_parser *p, carom_expr *e);
static carom_status unary(carom_parser *p, carom_expr *e);

static bool ahead(const carom_parser *p, carom_token_kind kind)
{
    return p->token.kind == kind;
}

static carom_status enter(carom_parser *p)
{
    if (++p->depth > CAROM_PARSE_DEPTH)
        return carom_parse_fail(p, p->token.at, 1, "the expression is nested deeper than %d levels", CAROM_PARSE_DEPTH);
    return CAROM_OK;
}

/* A parenthesis that never closes; in a plain scalar a comma may have cut the text. */
static carom_status unclosed(carom_parser *p, int open)
{
    if (p->node->quoted)
        return carom_parse_fail(p, open, 1, "this '(' is never closed");
    return carom_parse_fail(p, open, 1,
                            "this '(' is never closed (inside { } or [ ] a comma ends the text: put it in quotes)");
}

static carom_status close(carom_parser *p, int open)
{
    if (ahead(p, CAROM_TOKEN_CLOSE)) {
        p->depth--;
        return carom_parse_next(p);
    }
    if (ahead(p, CAROM_TOKEN_END))
        return unclosed(p, open);
    if (ahead(p, CAROM_TOKEN_COMMA))
        return carom_parse_fail(p, p->token.at, 1, "unexpected ',' inside parentheses");
    return carom_parse_fail(p, p->token.at, p->token.length, "expected an operator or ')'");
}

static carom_status wrong_count(carom_parser *p, const carom_token *name, int least, int most, int count)
{
    return carom_parse_fail(p, name->at, name->length, "%s takes %s%d argument%s, not %d", name->name,
                            least == most ? "" : "at least ", least, least == 1 ? "" : "s", count);
}

static carom_expr combine(carom_expr_pool *pool, int op, int count, const carom_expr *a, carom_expr so_far)
{
    if (op == CAROM_OP_IF)
        return carom_expr_if(pool, a[0], a[1], a[2]);
    if (count == 1)
        return carom_expr_unary(pool, (carom_op)op, a[0]);
    return count == 2 ? carom_expr_binary(pool, (carom_op)op, a[0], a[1]) : so_far;
}

/* name( was seen; the token ahead is '('. Only min and max take more than three arguments: they fold as they go. */
static carom_status call(carom_parser *p, const carom_token *name, carom_expr *e)
{
    const carom_function *f = carom_function_find(name->name);
    int table = f ? -1 : carom_expr_find_table(p->pool, name->name), open = p->token.at, count = 0;
    int least = f ? f->least : 1, most = f ? f->most : 1;
    carom_expr a[3] = {CAROM_EXPR_NONE, CAROM_EXPR_NONE, CAROM_EXPR_NONE}, folded = CAROM_EXPR_NONE, next;
    CAROM_TRY(enter(p));
    CAROM_TRY(carom_parse_next(p));
    while (!ahead(p, CAROM_TOKEN_CLOSE) || count > 0) {
        if (ahead(p, CAROM_TOKEN_END))
            return unclosed(p, open);
        CAROM_TRY(disjunction(p, &next));
        if (count < 3)
            a[count] = next;
        folded = count == 0 ? next : most > 3 ? carom_expr_binary(p->pool, (carom_op)f->op, folded, next) : folded;
        count++;
        if (!ahead(p, CAROM_TOKEN_COMMA))
            break;
        CAROM_TRY(carom_parse_next(p));
    }
    if (ahead(p, CAROM_TOKEN_CLOSE) && (count < least || count > most))
        return wrong_count(p, name, least, most, count);
    CAROM_TRY(close(p, open));
    *e = table >= 0 ? carom_expr_table(p->pool, table, 0, a[0]) : combine(p->pool, f->op, count, a, folded);
    return CAROM_OK;
}

static carom_status too_large(carom_parser *p)
{
    return carom_parse_fail(p, 0, 1, "the model's expressions need more than %d nodes", p->pool->limit);
}

/* ---- names with parts ---- */
static carom_status too_long(carom_parser *p, const carom_token *token)
{
    return carom_parse_fail(p, token->at, 1, "a name with its parts has more than %d characters", CAROM_NAME_MAX);
}

/* [3, i+1] behind a name, whose text was read up to p->token; appends "[3,4]". */
static carom_status indices(carom_parser *p, carom_token *token)
{
    size_t used = strlen(token->name);
    int open = token->at + token->length, number;
    char mark = '[';
    p->token = (carom_token){.kind = CAROM_TOKEN_LEFT, .at = open, .length = 1};
    CAROM_TRY(enter(p));
    do {
        carom_expr e;
        CAROM_TRY(carom_parse_next(p));
        int at = p->token.at;
        CAROM_TRY(disjunction(p, &e));
        if (!p->scope->index(p->scope->user, e, &number))
            return carom_parse_fail(p, at, p->end - at, "an index must be a whole number from 0 on");
        used += (size_t)snprintf(token->name + used, sizeof token->name - used, "%c%d", mark, number);
        if (used >= sizeof token->name - 1)
            return too_long(p, token);
        mark = ',';
    } while (ahead(p, CAROM_TOKEN_COMMA));
    if (!ahead(p, CAROM_TOKEN_RIGHT))
        return carom_parse_fail(p, open, 1, "this '[' is never closed");
    p->depth--;
    memcpy(token->name + used, "]", 2);
    token->length = p->token.at + 1 - token->at;
    return CAROM_OK;
}

/* x[2]' : the velocity of a part. */
static carom_status rate(carom_parser *p, carom_token *token)
{
    size_t used = strlen(token->name);
    if (p->node->text[token->at + token->length] != '\'')
        return CAROM_OK;
    if (used + 1 > CAROM_NAME_MAX)
        return too_long(p, token);
    memcpy(token->name + used, "'", 2);
    token->length++;
    return CAROM_OK;
}

/* Everything that belongs to the name token: its indices and parts; blanks end it. The next token is not read. */
static carom_status path(carom_parser *p, carom_token *token)
{
    const char *text = p->node->text;
    while (p->scope->index) {
        int end = token->at + token->length, n = 1;
        size_t used = strlen(token->name);
        if (text[end] == '[') {
            CAROM_TRY(indices(p, token));
            CAROM_TRY(rate(p, token));
            continue;
        }
        if (text[end] != '.' || !isalpha((unsigned char)text[end + 1]))
            break;
        while (isalnum((unsigned char)text[end + n]) || text[end + n] == '_' || text[end + n] == '\'')
            n++;
        if (used + (size_t)n > CAROM_NAME_MAX)
            return too_long(p, token);
        memcpy(token->name + used, text + end, (size_t)n);
        token->name[used + (size_t)n] = 0;
        token->length += n;
    }
    p->token.at = token->at;
    p->token.length = token->length;
    return CAROM_OK;
}

static carom_status expect(carom_parser *p, carom_token_kind kind, const carom_token *name)
{
    if (ahead(p, kind))
        return CAROM_OK;
    return carom_parse_fail(p, p->token.at, CAROM_MAX(p->token.length, 1), "%s is written %s(BODY, [x, y]).x",
                            name->name, name->name);
}

/* point(box, [w/2, 0]).x; the token ahead is '(' */
static carom_status part(carom_parser *p, const carom_token *name, carom_expr *e)
{
    const char *text = p->node->text;
    carom_expr list[3];
    bool known;
    int n = 0;
    CAROM_TRY(enter(p));
    CAROM_TRY(carom_parse_next(p));
    CAROM_TRY(expect(p, CAROM_TOKEN_NAME, name));
    carom_token object = p->token;
    CAROM_TRY(path(p, &object));
    CAROM_TRY(carom_parse_next(p));
    CAROM_TRY(expect(p, CAROM_TOKEN_COMMA, name));
    CAROM_TRY(carom_parse_next(p));
    CAROM_TRY(expect(p, CAROM_TOKEN_LEFT, name));
    do {
        CAROM_TRY(carom_parse_next(p));
        if (n == CAROM_COUNT(list))
            return expect(p, CAROM_TOKEN_RIGHT, name);
        CAROM_TRY(disjunction(p, &list[n++]));
    } while (ahead(p, CAROM_TOKEN_COMMA));
    CAROM_TRY(expect(p, CAROM_TOKEN_RIGHT, name));
    CAROM_TRY(carom_parse_next(p));
    CAROM_TRY(expect(p, CAROM_TOKEN_CLOSE, name));
    p->depth--;
    int end = p->token.at + p->token.length;
    carom_token whole = {.kind = CAROM_TOKEN_NAME, .at = end, .name = ""};
    if (text[end] == '.')
        CAROM_TRY(path(p, &whole));
    *e = p->scope->part(p->scope->user, name->name, object.name, list, n, whole.name + (whole.name[0] == '.'), &known);
    if (*e == CAROM_EXPR_NONE && carom_expr_exhausted(p->pool))
        return carom_parse_fail(p, 0, 1, "the model's expressions need more than %d nodes", p->pool->limit);
    if (*e == CAROM_EXPR_NONE) {
        char near[CAROM_NAME_MAX + 3];
        bool other = carom_parse_near_object(p, object.name, near, sizeof near);
        return carom_parse_fail(p, name->at, end + whole.length - name->at,
                                "there is no %s(%s, [%d numbers])%s (.x, .y ..., with ' the velocity)%s%s%s",
                                name->name, object.name, n, whole.name, other ? "; did you mean '" : "",
                                other ? near : "", other ? "'?" : "");
    }
    return carom_parse_next(p);
}

static carom_status sum_form(carom_parser *p, carom_token_kind kind)
{
    if (ahead(p, kind))
        return carom_parse_next(p);
    return carom_parse_fail(p, p->token.at, CAROM_MAX(p->token.length, 1),
                            "a sum is written sum(k, 8, x[k]): an index, how many, what is added");
}

/* sum(k, 8, x[k]) = x[0] + ... + x[7]; the token ahead is '('. The last argument is read once for each k. */
static carom_status total(carom_parser *p, carom_expr *e)
{
    carom_expr count, term;
    int n, open = p->token.at;
    CAROM_TRY(enter(p));
    CAROM_TRY(carom_parse_next(p));
    carom_token index = p->token;
    CAROM_TRY(sum_form(p, CAROM_TOKEN_NAME));
    CAROM_TRY(sum_form(p, CAROM_TOKEN_COMMA));
    int at = p->token.at;
    CAROM_TRY(disjunction(p, &count));
    if (!p->scope->index(p->scope->user, count, &n) || n < 1)
        return carom_parse_fail(p, at, p->end - at, "a sum has a whole number of terms, from 1 on");
    CAROM_TRY(sum_form(p, CAROM_TOKEN_COMMA));
    carom_token first = p->token;
    int end = p->end;
    *e = CAROM_EXPR_NONE;
    for (int k = 0; k < n; k++) {
        p->token = first;
        p->end = end;
        if (++p->terms > CAROM_SUM_MAX)
            return carom_parse_fail(p, open, 1, "the sums of an expression have more than %d terms", CAROM_SUM_MAX);
        if (!p->scope->bind(p->scope->user, index.name, k))
            return carom_parse_fail(p, index.at, index.length, "'%s' cannot be the index of a sum: it has a meaning",
                                    index.name);
        carom_status status = disjunction(p, &term);
        p->scope->bind(p->scope->user, NULL, 0);
        CAROM_TRY(status);
        *e = k ? carom_expr_binary(p->pool, CAROM_OP_ADD, *e, term) : term;
        if (carom_expr_exhausted(p->pool))
            return too_large(p);
    }
    return close(p, open);
}

static carom_status name(carom_parser *p, carom_expr *e)
{
    carom_token token = p->token;
    bool special = false;
    CAROM_TRY(path(p, &token));
    if (p->scope->part)
        p->scope->part(p->scope->user, token.name, NULL, NULL, 0, NULL, &special);
    if (special) {
        CAROM_TRY(carom_parse_next(p));
        CAROM_TRY(expect(p, CAROM_TOKEN_OPEN, &token));
        return part(p, &token, e);
    }
    bool callable = carom_function_find(token.name) || carom_expr_find_table(p->pool, token.name) >= 0;
    CAROM_TRY(carom_parse_next(p));
    if (callable && ahead(p, CAROM_TOKEN_OPEN))
        return call(p, &token, e);
    if (p->scope->bind && ahead(p, CAROM_TOKEN_OPEN) && strcmp(token.name, "sum") == 0)
        return total(p, e);
    if (callable)
        return carom_parse_fail(p, token.at, token.length, "%s is a function: write %s(...)", token.name, token.name);
    if (strcmp(token.name, "pi") == 0)
        *e = carom_expr_const(p->pool, 3.14159265358979323846);
    else
        *e = p->scope->lookup(p->scope->user, token.name);
    if (*e == CAROM_EXPR_NONE && carom_expr_exhausted(p->pool))
        return too_large(p);
    if (*e == CAROM_EXPR_NONE)
        return carom_parse_unknown(p, &token, ahead(p, CAROM_TOKEN_OPEN));
    if (ahead(p, CAROM_TOKEN_OPEN))
        return carom_parse_fail(p, token.at, token.length, "'%s' is not a function; a product is written %s*(...)",
                                token.name, token.name);
    return CAROM_OK;
}

static carom_status primary(carom_parser *p, carom_expr *e)
{
    int at = p->token.at;
    switch (p->token.kind) {
    case CAROM_TOKEN_NUMBER:
        *e = carom_expr_const(p->pool, p->token.number);
        return carom_parse_next(p);
    case CAROM_TOKEN_NAME:
        return name(p, e);
    case CAROM_TOKEN_OPEN:
        CAROM_TRY(enter(p));
        CAROM_TRY(carom_parse_next(p));
        CAROM_TRY(disjunction(p, e));
        return close(p, at);
    case CAROM_TOKEN_END:
        if (p->end == 0)
            return carom_parse_fail(p, 0, 1, "an expression is expected here");
        return carom_parse_fail(p, p->end, 1, "the expression ends too early");
    case CAROM_TOKEN_NOT:
        return carom_parse_fail(p, at, p->token.length, "put '%.*s' and what it negates in parentheses",
                                p->token.length, p->node->text + at);
    default:
        return carom_parse_fail(p, at, p->token.length, "expected a number, a name or '(' instead of '%.*s'",
                                p->token.length, p->node->text + at);
    }
}

static carom_status power(carom_parser *p, carom_expr *e)
{
    CAROM_TRY(primary(p, e));
    if (!ahead(p, CAROM_TOKEN_POWER))
        return CAROM_OK;
    carom_expr exponent;
    CAROM_TRY(enter(p));
    CAROM_TRY(carom_parse_next(p));
    CAROM_TRY(unary(p, &exponent));
    p->depth--;
    *e = carom_expr_binary(p->pool, CAROM_OP_POW, *e, exponent);
    return CAROM_OK;
}

static carom_status unary(carom_parser *p, carom_expr *e)
{
    bool minus = ahead(p, CAROM_TOKEN_MINUS);
    if (!minus && !ahead(p, CAROM_TOKEN_PLUS))
        return power(p, e);
    CAROM_TRY(enter(p));
    CAROM_TRY(carom_parse_next(p));
    CAROM_TRY(unary(p, e));
    p->depth--;
    if (minus)
        *e = carom_expr_unary(p->pool, CAROM_OP_NEG, *e);
    return CAROM_OK;
}

static carom_status product(carom_parser *p, carom_expr *e)
{
    CAROM_TRY(unary(p, e));
    while (ahead(p, CAROM_TOKEN_TIMES) || ahead(p, CAROM_TOKEN_OVER)) {
        carom_op op = ahead(p, CAROM_TOKEN_TIMES) ? CAROM_OP_MUL : CAROM_OP_DIV;
        carom_expr right;
        CAROM_TRY(carom_parse_next(p));
        CAROM_TRY(unary(p, &right));
        *e = carom_expr_binary(p->pool, op, *e, right);
    }
    return CAROM_OK;
}

static carom_status sum(carom_parser *p, carom_expr *e)
{
    CAROM_TRY(product(p, e));
    while (ahead(p, CAROM_TOKEN_PLUS) || ahead(p, CAROM_TOKEN_MINUS)) {
        carom_op op = ahead(p, CAROM_TOKEN_PLUS) ? CAROM_OP_ADD : CAROM_OP_SUB;
        carom_expr right;
        CAROM_TRY(carom_parse_next(p));
        CAROM_TRY(product(p, &right));
        *e = carom_expr_binary(p->pool, op, *e, right);
    }
    return CAROM_OK;
}

static bool compares(carom_token_kind kind)
{
    return kind >= CAROM_TOKEN_LT && kind <= CAROM_TOKEN_NE;
}

static carom_status comparison(carom_parser *p, carom_expr *e)
{
    CAROM_TRY(sum(p, e));
    carom_token_kind kind = p->token.kind;
    if (!compares(kind))
        return CAROM_OK;
    carom_expr right;
    CAROM_TRY(carom_parse_next(p));
    CAROM_TRY(sum(p, &right));
    if (compares(p->token.kind))
        return carom_parse_fail(p, p->token.at, p->token.length, "comparisons do not chain: write a < b and b < c");
    carom_op op = kind == CAROM_TOKEN_EQ ? CAROM_OP_EQ : kind == CAROM_TOKEN_NE ? CAROM_OP_NE
                  : kind == CAROM_TOKEN_LT || kind == CAROM_TOKEN_GT ? CAROM_OP_LT : CAROM_OP_LE;
    bool swap = kind == CAROM_TOKEN_GT || kind == CAROM_TOKEN_GE;
    *e = carom_expr_binary(p->pool, op, swap ? right : *e, swap ? *e : right);
    return CAROM_OK;
}

static carom_status negation(carom_parser *p, carom_expr *e)
{
    int count = 0;
    for (; ahead(p, CAROM_TOKEN_NOT); count++)
        CAROM_TRY(carom_parse_next(p));
    CAROM_TRY(comparison(p, e));
    for (; count > 0; count--)
        *e = carom_expr_unary(p->pool, CAROM_OP_NOT, *e);
    return CAROM_OK;
}

static carom_status conjunction(carom_parser *p, carom_expr *e)
{
    CAROM_TRY(negation(p, e));
    while (ahead(p, CAROM_TOKEN_AND)) {
        carom_expr right;
        CAROM_TRY(carom_parse_next(p));
        CAROM_TRY(negation(p, &right));
        *e = carom_expr_binary(p->pool, CAROM_OP_AND, *e, right);
    }
    return CAROM_OK;
}

static carom_status disjunction(carom_parser *p, carom_expr *e)
{
    CAROM_TRY(conjunction(p, e));
    while (ahead(p, CAROM_TOKEN_OR)) {
        carom_expr right;
        CAROM_TRY(carom_parse_next(p));
        CAROM_TRY(conjunction(p, &right));
        *e = carom_expr_binary(p->pool, CAROM_OP_OR, *e, right);
    }
    return CAROM_OK;
}

/* Something stands where an operator or the end should: 2x, a b, a). */
static carom_status left_over(carom_parser *p)
{
    const char *text = p->node->text;
    int at = p->token.at, length = CAROM_MIN(p->token.length, 40);
    if (ahead(p, CAROM_TOKEN_CLOSE))
        return carom_parse_fail(p, at, 1, "this ')' closes nothing");
    if (ahead(p, CAROM_TOKEN_COMMA))
        return carom_parse_fail(p, at, 1, "unexpected ','");
    int start = p->end;
    while (start > 0 && strchr("+-*/^<>=!&|(), \t\r\n", text[start - 1]) == NULL && p->end - start < 40)
        start--;
    if (start < p->end && p->token.kind != CAROM_TOKEN_NOT)
        return carom_parse_fail(p, at, p->token.length, "expected an operator, e.g. %.*s*%.*s", p->end - start,
                                text + start, length, text + at);
    return carom_parse_fail(p, at, p->token.length, "expected an operator before '%.*s'", length, text + at);
}

carom_status carom_expr_parse(carom_expr_pool *pool, const carom_text_file *file, const carom_text_node *node,
                              const carom_expr_scope *scope, carom_expr *result, carom_error *error)
{
    carom_parser parser = {.pool = pool, .file = file, .node = node, .scope = scope, .error = error};
    *result = CAROM_EXPR_NONE;
    if (node->kind != CAROM_TEXT_SCALAR)
        return carom_text_fail(file, node->place, error, CAROM_BAD_MODEL, "an expression is expected here, not a %s",
                               node->kind == CAROM_TEXT_MAP ? "map" : "list");
    size_t length = strnlen(node->text, CAROM_PARSE_LENGTH + 1);
    if (length > CAROM_PARSE_LENGTH)
        return carom_parse_fail(&parser, 0, 1, "the expression is longer than %d characters", CAROM_PARSE_LENGTH);
    CAROM_TRY(carom_parse_next(&parser));
    CAROM_TRY(disjunction(&parser, result));
    if (!ahead(&parser, CAROM_TOKEN_END))
        return left_over(&parser);
    return *result == CAROM_EXPR_NONE ? too_large(&parser) : CAROM_OK;
}
