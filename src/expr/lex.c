/* lex.c: the text of an expression as tokens, and errors that point into the file. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "expr/parse.h"

carom_status carom_parse_fail(carom_parser *p, int at, int length, const char *format, ...)
{
    char what[800];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    carom_text_place place = carom_text_inside(p->file, p->node, at, length);
    return carom_text_fail(p->file, place, p->error, CAROM_BAD_MODEL, "%s", what);
}

/* The length of digits [. digits] [e sign digits] at s; 0: no number. */
static int number_length(const char *s)
{
    int n = 0, digits = 0;
    for (; isdigit((unsigned char)s[n]); n++)
        digits++;
    if (s[n] == '.')
        n++;
    for (; digits + (s[n] >= '0') > 0 && isdigit((unsigned char)s[n]); n++)
        digits++;
    if (!digits)
        return 0;
    if (s[n] == 'e' || s[n] == 'E') {
        int k = n + 1 + (s[n + 1] == '+' || s[n + 1] == '-');
        if (isdigit((unsigned char)s[k])) {
            while (isdigit((unsigned char)s[k]))
                k++;
            n = k;
        }
    }
    return n;
}

static carom_status number(carom_parser *p, const char *s, int length)
{
    char text[400];
    if (length >= (int)sizeof text)
        return carom_parse_fail(p, p->token.at, length, "a number of %d characters is too long", length);
    memcpy(text, s, (size_t)length);
    text[length] = 0;
    p->token.kind = CAROM_TOKEN_NUMBER;
    p->token.length = length;
    if (!carom_number(text, &p->token.number) || !isfinite(p->token.number))
        return carom_parse_fail(p, p->token.at, length, "%s is not a number that a double can hold", text);
    return CAROM_OK;
}

static carom_status word(carom_parser *p, const char *s)
{
    int n = 0;
    while (isalnum((unsigned char)s[n]) || s[n] == '_')
        n++;
    while (s[n] == '\'')
        n++;
    p->token.kind = CAROM_TOKEN_NAME;
    p->token.length = n;
    if (n > CAROM_NAME_MAX)
        return carom_parse_fail(p, p->token.at, n, "a name has %d characters, more than %d", n, CAROM_NAME_MAX);
    memcpy(p->token.name, s, (size_t)n);
    p->token.name[n] = 0;
    if (strcmp(p->token.name, "and") == 0)
        p->token.kind = CAROM_TOKEN_AND;
    else if (strcmp(p->token.name, "or") == 0)
        p->token.kind = CAROM_TOKEN_OR;
    else if (strcmp(p->token.name, "not") == 0)
        p->token.kind = CAROM_TOKEN_NOT;
    return CAROM_OK;
}

static carom_status strange(carom_parser *p, const char *s)
{
    int at = p->token.at;
    if (s[0] == '=')
        return carom_parse_fail(p, at, 1, "'=' alone means nothing here: equality is written '=='");
    if (s[0] == '&' || s[0] == '|')
        return carom_parse_fail(p, at, 1, "'%c' alone means nothing here: write '%c%c' or '%s'", s[0], s[0], s[0],
                                s[0] == '&' ? "and" : "or");
    if (s[0] == '\'')
        return carom_parse_fail(p, at, 1, "' must follow the name of a coordinate, as in x'");
    if (s[0] == '.')
        return carom_parse_fail(p, at, 1, "'.' must stand next to a digit");
    if (isprint((unsigned char)s[0]))
        return carom_parse_fail(p, at, 1, "unexpected character '%c'", s[0]);
    return carom_parse_fail(p, at, 1, "unexpected byte 0x%02x", (unsigned char)s[0]);
}

static carom_status operator(carom_parser *p, const char *s)
{
    static const struct {
        const char *text;
        carom_token_kind kind;
    } table[] = {
        {"<=", CAROM_TOKEN_LE}, {">=", CAROM_TOKEN_GE}, {"==", CAROM_TOKEN_EQ}, {"!=", CAROM_TOKEN_NE},
        {"&&", CAROM_TOKEN_AND}, {"||", CAROM_TOKEN_OR}, {"<", CAROM_TOKEN_LT}, {">", CAROM_TOKEN_GT},
        {"!", CAROM_TOKEN_NOT}, {"+", CAROM_TOKEN_PLUS}, {"-", CAROM_TOKEN_MINUS}, {"*", CAROM_TOKEN_TIMES},
        {"/", CAROM_TOKEN_OVER}, {"^", CAROM_TOKEN_POWER}, {"(", CAROM_TOKEN_OPEN}, {")", CAROM_TOKEN_CLOSE},
        {",", CAROM_TOKEN_COMMA}, {"[", CAROM_TOKEN_LEFT}, {"]", CAROM_TOKEN_RIGHT},
    };
    if (s[0] == '*' && s[1] == '*')
        return carom_parse_fail(p, p->token.at, 2, "a power is written with '^', as in x^2");
    for (int i = 0; i < CAROM_COUNT(table); i++) {
        size_t n = strlen(table[i].text);
        if (strncmp(s, table[i].text, n) == 0) {
            p->token.kind = table[i].kind;
            p->token.length = (int)n;
            return CAROM_OK;
        }
    }
    return strange(p, s);
}

carom_status carom_parse_next(carom_parser *p)
{
    const char *text = p->node->text;
    int at = p->end = p->token.at + p->token.length;
    while (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r')
        at++;
    p->token.at = at;
    p->token.length = 0;
    p->token.kind = CAROM_TOKEN_END;
    if (!text[at])
        return CAROM_OK;
    int length = number_length(text + at);
    if (length > 0)
        return number(p, text + at, length);
    if (isalpha((unsigned char)text[at]) || text[at] == '_')
        return word(p, text + at);
    return operator(p, text + at);
}
