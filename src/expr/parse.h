/* parse.h: what the lexer and the parser share. */
#ifndef CAROM_EXPR_PARSE_H
#define CAROM_EXPR_PARSE_H

#include "expr/pool.h"

enum { CAROM_NAME_MAX = 127, CAROM_PARSE_DEPTH = 200, CAROM_PARSE_LENGTH = 65536, CAROM_SUM_MAX = 20000 };

typedef enum carom_token_kind {
    CAROM_TOKEN_END, CAROM_TOKEN_NUMBER, CAROM_TOKEN_NAME,
    CAROM_TOKEN_PLUS, CAROM_TOKEN_MINUS, CAROM_TOKEN_TIMES, CAROM_TOKEN_OVER, CAROM_TOKEN_POWER,
    CAROM_TOKEN_LT, CAROM_TOKEN_LE, CAROM_TOKEN_GT, CAROM_TOKEN_GE, CAROM_TOKEN_EQ, CAROM_TOKEN_NE,
    CAROM_TOKEN_AND, CAROM_TOKEN_OR, CAROM_TOKEN_NOT, CAROM_TOKEN_OPEN, CAROM_TOKEN_CLOSE, CAROM_TOKEN_COMMA,
    CAROM_TOKEN_LEFT, CAROM_TOKEN_RIGHT /* brackets */
} carom_token_kind;

typedef struct carom_token {
    carom_token_kind kind;
    int at, length; /* in the text */
    double number;
    char name[CAROM_NAME_MAX + 1];
} carom_token;

typedef struct carom_parser {
    carom_expr_pool *pool;
    const carom_text_file *file;
    const carom_text_node *node;
    const carom_expr_scope *scope;
    carom_error *error;
    carom_token token; /* the one to be read next */
    int end;           /* where the token before it ended */
    int depth, terms;  /* terms: of sums, all together */
} carom_parser;

/* ---- lex.c ---- */
carom_status carom_parse_next(carom_parser *parser);
/* Fails at text[at, at + length) where the file shows it, else at the value as a whole. */
carom_status carom_parse_fail(carom_parser *parser, int at, int length, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- names.c ---- */
typedef struct carom_function {
    const char *name;
    int op;          /* carom_op */
    int least, most; /* number of arguments */
} carom_function;
const carom_function *carom_function_find(const char *name); /* NULL: none */
/* Is something whose parts have names called much like the object, ball like bal? */
bool carom_parse_near_object(const carom_parser *parser, const char *object, char *near, size_t size);
/* Explains that name (the token at) means nothing, with the nearest name that does. */
carom_status carom_parse_unknown(carom_parser *parser, const carom_token *token, bool called);

#endif
