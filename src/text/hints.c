/* hints.c: what people probably meant when YAML reads something else. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "text/hints.h"

enum { SHOWN = 60 }; /* bytes of a quoted piece in a message */

static size_t name_length(const char *s)
{
    size_t n = 0;
    while (isalnum((unsigned char)s[n]) || s[n] == '_' || s[n] == '-')
        n++;
    return n;
}

/* Bytes before the colon of a word like x:1 or "x":1, or 0. */
static size_t glued_at(const char *word)
{
    size_t n = name_length(word);
    size_t colon = n + (word[n] == '"' || word[n] == '\'');
    char next = word[colon] == ':' ? word[colon + 1] : 0;
    return n > 0 && next && !isspace((unsigned char)next) ? colon : 0;
}

bool carom_text_glued(const char *word) { return glued_at(word) > 0; }

carom_status carom_text_fail_glued(const carom_text_file *file, carom_text_place place, const char *word,
                                   bool flow, carom_error *error)
{
    const char *rest = word + glued_at(word) + 1;
    int n = (int)CAROM_MIN(name_length(word), (size_t)SHOWN);
    int m = (int)CAROM_MIN(strcspn(rest, "\r\n"), (size_t)SHOWN);
    place.length = CAROM_MAX(place.length, n);
    return carom_text_fail(file, place, error, CAROM_BAD_MODEL,
                           "'%.*s:%.*s' is read as one word: write %s%.*s: %.*s%s with a blank after the colon", n,
                           word, m, rest, flow ? "{" : "", n, word, m, rest, flow ? "}" : "");
}

carom_status carom_text_check_lone(const carom_text_file *file, const carom_text_node *node, carom_error *error)
{
    if (carom_text_glued(node->key))
        return carom_text_fail_glued(file, node->key_place, node->key, true, error);
    if (node->key[0] && strspn(node->key, "0123456789") == strlen(node->key))
        return carom_text_fail(file, node->key_place, error, CAROM_BAD_MODEL,
                               "a comma ends a value inside { } and [ ]: decimals are written with a point");
    return CAROM_OK;
}

/* Bytes from s to where its parentheses are closed again and the value ends; 0 if that is not in this line. */
static size_t whole_value(const char *s, size_t left)
{
    int depth = 0;
    size_t i = 0;
    for (bool open = false; i < left && s[i] != '\n' && s[i] != '\r' && s[i] != '#'; i++) {
        if (open && depth == 0 && strchr(",]}", s[i]))
            return i;
        depth += (s[i] == '(') - (s[i] == ')');
        open |= s[i] == '(';
        if (depth < 0)
            return 0;
    }
    return 0;
}

static int unbalanced(const char *s, const char *end)
{
    int depth = 0;
    for (; s < end && *s && depth >= 0; s++)
        depth += (*s == '(') - (*s == ')');
    return depth;
}

size_t carom_text_unsplit(const carom_text_file *file, size_t from, size_t to)
{
    const char *value = file->bytes + from;
    if (unbalanced(value, file->bytes + to) <= 0)
        return 0;
    size_t n = whole_value(value, file->length - from);
    while (n > 0 && isspace((unsigned char)value[n - 1]))
        n--;
    return n;
}

carom_status carom_text_check_split(const carom_text_file *file, carom_text_place place, size_t offset,
                                    const char *text, const char *key, carom_error *error)
{
    if (unbalanced(text, text + strlen(text)) == 0)
        return CAROM_OK;
    const char *value = file->bytes + offset;
    int n = (int)CAROM_MIN(whole_value(value, file->length - offset), (size_t)200);
    if (n > 0)
        return carom_text_fail(file, place, error, CAROM_BAD_MODEL,
                               "a comma ends a value inside { } and [ ], so '%.60s' is cut off: quote it, e.g. "
                               "%.60s%s\"%.*s\"", text, key ? key : "", key ? ": " : "", n, value);
    return carom_text_fail(file, place, error, CAROM_BAD_MODEL,
                           "the parentheses of '%.60s' do not balance; if it should contain a comma, quote it, e.g. "
                           "%.60s%s\"max(a, b)\"", text, key ? key : "", key ? ": " : "");
}

/* The text from a place to the end of its line. */
static void rest_of_line(const carom_text_file *file, carom_text_place place, char *rest, size_t size)
{
    carom_text_cursor at = carom_text_line(file, place.line);
    for (long code; at.column < place.column && at.offset < file->length; at.column++)
        at.offset += (size_t)carom_text_code(file->bytes + at.offset, file->length - at.offset, &code);
    size_t n = 0;
    while (n + 1 < size && at.offset + n < file->length && !strchr("\r\n", file->bytes[at.offset + n]))
        n++;
    memcpy(rest, file->bytes + at.offset, n);
    rest[n] = 0;
}

/* A line that hangs on the value above it because it is indented more. */
static carom_status fail_continued(const carom_text_file *file, carom_text_place place, carom_error *error)
{
    carom_text_cursor next = carom_text_line(file, place.line + 1);
    int tab = 0, column = 1;
    for (; next.offset < file->length && strchr(" \t", file->bytes[next.offset]); next.offset++, column++)
        tab = file->bytes[next.offset] == '\t' && !tab ? column : tab;
    if (tab)
        return carom_text_fail(file, (carom_text_place){place.line + 1, tab, 1}, error, CAROM_BAD_MODEL,
                               "a tab cannot indent: use blanks");
    return carom_text_fail(file, (carom_text_place){place.line + 1, column, 1}, error, CAROM_BAD_MODEL,
                           "this line continues the value of line %d but contains a key: check how far it is indented",
                           place.line);
}

static bool at_end(const carom_text_file *file, carom_text_place place)
{
    size_t end = file->length;
    while (end > 0 && isspace((unsigned char)file->bytes[end - 1]))
        end--;
    carom_text_cursor last = carom_text_start(file);
    carom_text_advance(file, &last, end);
    return place.line > last.line || (place.line == last.line && place.column >= last.column);
}

/* link[0] without quotes, inside brackets: is it one? place is where the parser stops, rest what stands there. */
static bool is_index(const carom_text_file *file, carom_text_place place, const char *rest)
{
    char before[2 * SHOWN] = "";
    if (rest[0] != '[' || place.column < 2)
        return false;
    place.column--;
    rest_of_line(file, place, before, sizeof before);
    return isalnum((unsigned char)before[0]) || before[0] == '_';
}

/* The parser's words, as far as people can meet them, in ours; others are passed on as they are. */
static const char *in_our_words(const char *words)
{
    static const struct { const char *theirs, *ours; } table[] = {
        {"tab", "a tab cannot indent: use blanks"},
        {"missing document start", "text after the end of the document"},
        {"without closing quote", "this quote is never closed"},
        {"trailing content", "text after a closing quote: a quote is missing here or in a line above"},
        {"nested block mapping", "a second colon in one line: quote the value if the colon belongs to it"},
        {"invalid value after mapping", "this line is no 'key: value'"},
        {"could not find expected ':'", "this line is no 'key: value'"},
        {"missing comma", "a comma is missing before this"},
        {"expected node content", "a value is missing here"},
        {"extra comma", "a value is missing before this comma"},
        {"extra closing", "nothing was opened that this bracket could close"},
        {"mismatched", "this bracket does not fit the one that was opened"},
        {"cannot start with", "a value cannot begin with this character: quote it"},
        {"indent", "this line is indented differently from the others of its map or list"},
    };
    for (int i = 0; i < CAROM_COUNT(table); i++)
        if (strstr(words, table[i].theirs))
            return table[i].ours;
    return words;
}

carom_status carom_text_fail_syntax(const carom_text_file *file, carom_text_place place, const char *words,
                                    carom_text_place open, carom_error *error)
{
    char rest[2 * SHOWN];
    rest_of_line(file, place, rest, sizeof rest);
    bool key = strstr(words, "multiline") || strstr(words, "after mapping") || strstr(words, "expected ':'");
    if (key && carom_text_glued(rest))
        return carom_text_fail_glued(file, place, rest, false, error);
    if (strstr(words, "multiline"))
        return fail_continued(file, place, error);
    if (open.line > 0 && at_end(file, place))
        return carom_text_fail(file, open, error, CAROM_BAD_MODEL,
                               "this bracket is never closed: the file ends before");
    if (strstr(words, "missing comma") && is_index(file, place, rest))
        return carom_text_fail(file, place, error, CAROM_BAD_MODEL,
                               "a name with an index is quoted here, as in \"link[0].x\": brackets begin a list");
    if (strstr(words, "without closing quote"))
        place.column -= place.column > 1;
    return carom_text_fail(file, place, error, CAROM_BAD_MODEL, "%s", in_our_words(words));
}
