/* yaml.c: the only file that knows libfyaml: its stream of events becomes our tree.
 *
 * Events, not libfyaml's documents: nothing is ever expanded (aliases are refused when they are seen), depth
 * and size are limited while reading, and the work is linear in the length of the file. */
#include <stdlib.h>
#include <string.h>

#include "text/hints.h"

#ifdef CAROM_NO_YAML

carom_status carom_text_parse(carom_arena *arena, const carom_text_file *file, carom_text_node **root,
                              carom_error *error)
{
    return carom_text_parse_json(arena, file, root, error);
}

#else

#include <libfyaml.h>

enum { POOL = 64 };

typedef struct builder {
    carom_arena *arena;
    const carom_text_file *file;
    carom_error *error;
    struct fy_diag *diag;
    struct fy_parser *parser;
    struct fy_event *event;   /* the current one */
    size_t base;              /* libfyaml's offset 0 in the file: behind a byte order mark */
    carom_text_cursor cursor; /* moves on with the events */
    carom_text_node *pool;    /* nodes that are still free */
    int npool, nodes, depth;
    carom_text_place open; /* innermost flow collection; line 0: none */
} builder;

#define REFUSE(b, place, ...) return carom_text_fail((b)->file, (place), (b)->error, CAROM_BAD_MODEL, __VA_ARGS__)
#define OUT_OF_MEMORY(b) CAROM_FAIL((b)->error, CAROM_NO_MEMORY, "%.700s: out of memory", (b)->file->name)

/* ---- where tokens stand ---- */

/* Offsets must not go back from call to call. */
static carom_text_place place_at(builder *b, size_t from, size_t to)
{
    carom_text_advance(b->file, &b->cursor, from);
    int length = CAROM_MAX(1, carom_text_count(b->file, from, to));
    return (carom_text_place){b->cursor.line, b->cursor.column, length};
}

static size_t first_byte(const builder *b, struct fy_token *token)
{
    const struct fy_mark *mark = fy_token_start_mark(token);
    return CAROM_MIN(b->base + (mark ? mark->input_pos : 0), b->file->length);
}

static size_t last_byte(const builder *b, struct fy_token *token)
{
    const struct fy_mark *mark = fy_token_end_mark(token);
    return CAROM_MIN(b->base + (mark ? mark->input_pos : 0), b->file->length);
}

static carom_text_place event_place(builder *b)
{
    const struct fy_mark *mark = fy_event_start_mark(b->event);
    size_t at = mark ? CAROM_MAX(b->base + mark->input_pos, b->cursor.offset) : b->cursor.offset;
    return place_at(b, at, at + 1);
}

/* ---- events ---- */

static carom_status fail_syntax(builder *b)
{
    void *iterator = NULL;
    const struct fy_diag_error *first = fy_diag_errors_iterate(b->diag, &iterator);
    carom_text_place place = {b->cursor.line, b->cursor.column, 1};
    if (!first)
        REFUSE(b, place, "the file cannot be read as YAML from here on");
    place = (carom_text_place){CAROM_MAX(1, first->line), CAROM_MAX(1, first->column), 1};
    return carom_text_fail_syntax(b->file, place, first->msg, b->open, b->error);
}

static carom_status advance(builder *b)
{
    if (b->event)
        fy_parser_event_free(b->parser, b->event);
    b->event = fy_parser_parse(b->parser);
    return b->event ? CAROM_OK : fail_syntax(b);
}

/* ---- what the model language does not have ---- */

static carom_status refuse_extras(builder *b, struct fy_token *anchor, struct fy_token *tag)
{
    if (anchor) {
        size_t at = first_byte(b, anchor);
        REFUSE(b, place_at(b, at - (at > 0), last_byte(b, anchor)), "anchors (&name) are not allowed in a model file");
    }
    if (tag)
        REFUSE(b, place_at(b, first_byte(b, tag), last_byte(b, tag)), "tags (!name) are not allowed in a model file");
    return CAROM_OK;
}

static carom_status refuse_alias(builder *b)
{
    size_t at = first_byte(b, b->event->alias.anchor);
    REFUSE(b, place_at(b, at - (at > 0), last_byte(b, b->event->alias.anchor)),
           "aliases (*name) are not allowed in a model file; quote an expression that begins with *");
}

/* ---- scalars ---- */

typedef struct scalar {
    const char *text;
    carom_text_place place;
    size_t offset;   /* of the text in the file */
    int text_column; /* 0: not verbatim */
    bool quoted;
} scalar;

static bool is_null(const char *text)
{
    return !strcmp(text, "~") || !strcmp(text, "null") || !strcmp(text, "Null") || !strcmp(text, "NULL");
}

/* Reads the current event, which has a token. */
static carom_status read_scalar(builder *b, scalar *s)
{
    struct fy_token *token = b->event->scalar.value;
    size_t length = 0;
    const char *text = fy_token_get_text(token, &length);
    if (!text)
        OUT_OF_MEMORY(b);
    enum fy_scalar_style style = fy_token_scalar_style(token);
    bool marks = style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED; /* stand outside of the token */
    size_t from = first_byte(b, token), to = last_byte(b, token);
    while (!marks && to > from && strchr("\r\n", b->file->bytes[to - 1]))
        to--;
    while (!marks && from < to && b->file->bytes[from] == ' ')
        from++;
    s->quoted = style != FYSS_PLAIN;
    s->offset = from;
    size_t line_end = from;
    while (line_end < to && !strchr("\r\n", b->file->bytes[line_end]))
        line_end++;
    s->place = place_at(b, from - (marks && from > 0), CAROM_MIN(line_end + marks, b->file->length));
    bool verbatim = length == to - from && memcmp(text, b->file->bytes + from, length) == 0;
    s->text_column = verbatim && line_end == to ? s->place.column + marks : 0;
    if (memchr(text, 0, length))
        REFUSE(b, s->place, "the escape \\0 is not allowed in a text");
    long control = carom_text_find_control(text, length);
    if (control)
        REFUSE(b, s->place, "the control character 0x%02lx is not allowed in a text", control);
    s->text = carom_arena_text(b->arena, text, length);
    if (!s->text)
        OUT_OF_MEMORY(b);
    return CAROM_OK;
}

/* An empty value has no token: the caret stands under its key, or under the dash in a list. */
static void place_empty(builder *b, carom_text_node *node)
{
    node->text = "";
    node->place = node->key_place;
    if (node->key)
        return;
    const char *s = b->file->bytes;
    size_t at = b->cursor.offset, end = b->file->length;
    bool comment = false;
    for (; at < end && (comment || s[at] != '-'); at++)
        comment = s[at] == '#' || (comment && s[at] != '\n' && s[at] != '\r');
    node->place = at < end ? place_at(b, at, at + 1) : (carom_text_place){b->cursor.line, b->cursor.column, 1};
    if (at < end)
        carom_text_advance(b->file, &b->cursor, at + 1);
}

static carom_status build_scalar(builder *b, carom_text_node *node, bool flow)
{
    CAROM_TRY(refuse_extras(b, b->event->scalar.anchor, b->event->scalar.tag));
    node->kind = CAROM_TEXT_SCALAR;
    if (!b->event->scalar.value) {
        place_empty(b, node);
        return CAROM_OK;
    }
    scalar s;
    CAROM_TRY(read_scalar(b, &s));
    node->text = !s.quoted && is_null(s.text) ? "" : s.text;
    node->quoted = s.quoted;
    node->place = s.place;
    node->text_column = s.text_column;
    if (flow && !s.quoted)
        return carom_text_check_split(b->file, s.place, s.offset, s.text, node->key, b->error);
    return CAROM_OK;
}

/* ---- maps and lists ---- */

static carom_status build(builder *b, carom_text_node *node, bool flow);

static carom_status new_node(builder *b, carom_text_node *parent, carom_text_node **last, carom_text_node **node)
{
    if (b->npool == 0) {
        b->pool = CAROM_NEW(b->arena, carom_text_node, POOL);
        b->npool = POOL;
    }
    if (!b->pool)
        OUT_OF_MEMORY(b);
    if (++b->nodes > CAROM_TEXT_MAX_NODES)
        REFUSE(b, ((carom_text_place){b->cursor.line, b->cursor.column, 1}), "more than %d values in one file",
               CAROM_TEXT_MAX_NODES);
    *node = b->pool++;
    b->npool--;
    *(*last ? &(*last)->next : &parent->child) = *node;
    *last = *node;
    parent->nchild++;
    return CAROM_OK;
}

/* `? key` on lines of its own: legal YAML, and unreadable. */
static bool explicit_key(const builder *b, size_t offset)
{
    const char *s = b->file->bytes;
    while (offset > 0 && (s[offset - 1] == ' ' || s[offset - 1] == '\t'))
        offset--;
    return offset > 0 && s[offset - 1] == '?';
}

static carom_status read_key(builder *b, carom_text_node *node, bool flow, bool *plain)
{
    if (b->event->type == FYET_ALIAS)
        return refuse_alias(b);
    if (b->event->type != FYET_SCALAR)
        REFUSE(b, event_place(b), "a key must be a name, not a list or a map");
    CAROM_TRY(refuse_extras(b, b->event->scalar.anchor, b->event->scalar.tag));
    if (!b->event->scalar.value)
        REFUSE(b, event_place(b), "a key is missing before the colon");
    scalar s;
    CAROM_TRY(read_scalar(b, &s));
    if (!*s.text)
        REFUSE(b, s.place, "a key is empty");
    if (explicit_key(b, s.offset - s.quoted))
        REFUSE(b, s.place, "write 'key: value'; keys that begin with '?' are not allowed");
    if (!s.quoted && strcmp(s.text, "<<") == 0)
        REFUSE(b, s.place, "merge keys (<<) are not allowed in a model file");
    *plain = !s.quoted;
    node->key = s.text;
    node->key_place = s.place;
    if (flow && *plain)
        return carom_text_check_split(b->file, s.place, s.offset, s.text, NULL, b->error);
    return CAROM_OK;
}

static carom_status build_map(builder *b, carom_text_node *map)
{
    bool flow = fy_event_get_node_style(b->event) == FYNS_FLOW;
    carom_text_node *last = NULL, *node = NULL;
    CAROM_TRY(advance(b));
    while (b->event->type != FYET_MAPPING_END) {
        bool plain;
        CAROM_TRY(new_node(b, map, &last, &node));
        CAROM_TRY(read_key(b, node, flow, &plain));
        CAROM_TRY(advance(b));
        bool empty = b->event->type == FYET_SCALAR && !b->event->scalar.value;
        if (flow && plain && empty)
            CAROM_TRY(carom_text_check_lone(b->file, node, b->error));
        CAROM_TRY(build(b, node, flow));
        CAROM_TRY(advance(b));
    }
    return carom_text_check_keys(b->file, map, b->error);
}

static bool plain_scalar(const builder *b)
{
    return b->event->type == FYET_SCALAR && b->event->scalar.value &&
           fy_token_scalar_style(b->event->scalar.value) == FYSS_PLAIN;
}

/* [max(a, b), c] has two items: the commas inside parentheses belong to the first. Its pieces are plain scalars of one
 * line, and n bytes of the file from the first one on make it whole; nothing is joined where this is not so. */
static carom_status join(builder *b, carom_text_node *node, bool *joined)
{
    scalar s;
    *joined = false;
    if (!plain_scalar(b))
        return CAROM_OK;
    size_t from = first_byte(b, b->event->scalar.value);
    size_t n = carom_text_unsplit(b->file, from, last_byte(b, b->event->scalar.value));
    if (n == 0)
        return CAROM_OK;
    CAROM_TRY(refuse_extras(b, b->event->scalar.anchor, b->event->scalar.tag));
    CAROM_TRY(read_scalar(b, &s));
    while (last_byte(b, b->event->scalar.value) < from + n) {
        CAROM_TRY(advance(b));
        if (!plain_scalar(b) || last_byte(b, b->event->scalar.value) > from + n)
            return carom_text_check_split(b->file, s.place, s.offset, s.text, NULL, b->error);
        CAROM_TRY(refuse_extras(b, b->event->scalar.anchor, b->event->scalar.tag));
    }
    *node = (carom_text_node){.kind = CAROM_TEXT_SCALAR, .place = s.place, .text_column = s.place.column,
                              .text = carom_arena_text(b->arena, b->file->bytes + from, n)};
    node->place.length = CAROM_MAX(1, carom_text_count(b->file, from, from + n));
    *joined = true;
    if (!node->text)
        OUT_OF_MEMORY(b);
    return CAROM_OK;
}

static carom_status build_list(builder *b, carom_text_node *list)
{
    bool flow = fy_event_get_node_style(b->event) == FYNS_FLOW, joined = false;
    carom_text_node *last = NULL, *node = NULL;
    CAROM_TRY(advance(b));
    while (b->event->type != FYET_SEQUENCE_END) {
        CAROM_TRY(new_node(b, list, &last, &node));
        if (flow)
            CAROM_TRY(join(b, node, &joined));
        if (!joined)
            CAROM_TRY(build(b, node, flow));
        CAROM_TRY(advance(b));
    }
    return CAROM_OK;
}

/* Builds the node that begins with the current event; afterwards its last event is the current one. */
static carom_status build(builder *b, carom_text_node *node, bool flow)
{
    const struct fy_event *e = b->event;
    if (e->type == FYET_ALIAS)
        return refuse_alias(b);
    if (e->type == FYET_SCALAR)
        return build_scalar(b, node, flow);
    bool map = e->type == FYET_MAPPING_START;
    if (!map && e->type != FYET_SEQUENCE_START)
        return fail_syntax(b);
    CAROM_TRY(refuse_extras(b, map ? e->mapping_start.anchor : e->sequence_start.anchor,
                            map ? e->mapping_start.tag : e->sequence_start.tag));
    struct fy_token *token = map ? e->mapping_start.mapping_start : e->sequence_start.sequence_start;
    size_t at = token ? first_byte(b, token) : b->cursor.offset;
    node->kind = map ? CAROM_TEXT_MAP : CAROM_TEXT_LIST;
    node->place = place_at(b, at, at + 1);
    node->text = "";
    if (++b->depth > CAROM_TEXT_MAX_DEPTH)
        REFUSE(b, node->place, "nested deeper than %d", CAROM_TEXT_MAX_DEPTH);
    carom_text_place outer = b->open;
    if (fy_event_get_node_style(b->event) == FYNS_FLOW)
        b->open = node->place;
    CAROM_TRY(map ? build_map(b, node) : build_list(b, node));
    b->open = outer;
    b->depth--;
    return CAROM_OK;
}

/* ---- documents ---- */

static carom_status build_document(builder *b, carom_text_node *root)
{
    CAROM_TRY(advance(b));
    if (b->event->type == FYET_STREAM_START)
        CAROM_TRY(advance(b));
    if (b->event->type != FYET_DOCUMENT_START)
        REFUSE(b, ((carom_text_place){1, 1, 1}), "the file is empty");
    CAROM_TRY(advance(b));
    CAROM_TRY(build(b, root, false));
    if (root->kind == CAROM_TEXT_SCALAR && carom_text_glued(root->text) && !root->quoted)
        return carom_text_fail_glued(b->file, root->place, root->text, false, b->error);
    if (root->kind != CAROM_TEXT_MAP)
        REFUSE(b, root->place, "a model file consists of lines 'key: value', but this is a %s",
               root->kind == CAROM_TEXT_LIST ? "list" : "single value");
    CAROM_TRY(advance(b));
    if (b->event->type == FYET_DOCUMENT_END)
        CAROM_TRY(advance(b));
    if (b->event->type == FYET_DOCUMENT_START) {
        if (!b->event->document_start.document_start)
            CAROM_TRY(advance(b)); /* begun by its content */
        REFUSE(b, event_place(b), "a second document begins here; a model file has one");
    }
    return b->event->type == FYET_STREAM_END ? CAROM_OK : fail_syntax(b);
}

/* With collected errors libfyaml prints nothing; what is left goes here. */
static void swallow(struct fy_diag *diag, void *user, const char *text, size_t length)
{
    (void)diag, (void)user, (void)text, (void)length;
}

static carom_status open_parser(builder *b)
{
    struct fy_diag_cfg diag;
    fy_diag_cfg_default(&diag);
    diag.fp = NULL;
    diag.output_fn = swallow;
    diag.colorize = false;
    /* libfyaml crashes where an allocation fails: it is not called where memory is that scarce */
    void *volatile room = malloc(((size_t)2 << 20) + 64 * b->file->length);
    free(room);
    b->diag = room ? fy_diag_create(&diag) : NULL;
    if (!b->diag)
        OUT_OF_MEMORY(b);
    fy_diag_set_collect_errors(b->diag, true);
    struct fy_parse_cfg config = {
        .search_path = "",
        .flags = FYPCF_QUIET | FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE | FYPCF_SLOPPY_FLOW_INDENTATION,
        .diag = b->diag,
    };
    b->parser = fy_parser_create(&config);
    if (!b->parser || fy_parser_set_string(b->parser, b->file->bytes + b->base, b->file->length - b->base) != 0)
        OUT_OF_MEMORY(b);
    return CAROM_OK;
}

carom_status carom_text_parse(carom_arena *arena, const carom_text_file *file, carom_text_node **root,
                              carom_error *error)
{
    *root = NULL;
    CAROM_TRY(carom_text_check(file, error));
    builder b = {.arena = arena, .file = file, .error = error, .cursor = carom_text_start(file)};
    b.base = b.cursor.offset;
    if (b.base == file->length)
        REFUSE(&b, ((carom_text_place){1, 1, 1}), "the file is empty");
    carom_text_node *node = CAROM_NEW(arena, carom_text_node, 1);
    if (!node)
        OUT_OF_MEMORY(&b);
    carom_status status = open_parser(&b);
    if (status == CAROM_OK)
        status = build_document(&b, node);
    if (b.event)
        fy_parser_event_free(b.parser, b.event);
    if (b.parser)
        fy_parser_destroy(b.parser);
    if (b.diag)
        fy_diag_destroy(b.diag);
    if (status == CAROM_OK)
        *root = node;
    return status;
}

#endif
