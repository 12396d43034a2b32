/* page.c: the page as a whole: its sections with text, tables and commands, the table of contents with their verdicts,
 * and the file it becomes. The body is gathered in memory, because the table of contents stands above it and is known
 * at the end. Whatever a model is called, it stays text: nothing becomes a tag. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "output/page/parts.h"
#include "output/page/web.h"

/* ---- text ---- */

void carom_page_element(carom_stream *out, const char *begin, const char *text, const char *end)
{
    carom_stream_string(out, begin);
    carom_stream_escape(out, text ? text : "", text ? strlen(text) : 0, 0);
    carom_stream_string(out, end);
}

static bool opens(const char *line, const char *at)
{
    return (at == line || strchr(" (\"", at[-1])) && at[1] && !isspace((unsigned char)at[1]);
}

/* The end of the emphasis that begins at `at`, or NULL: a star before a letter is a product. */
static const char *closing(const char *at, const char *end)
{
    for (const char *c = at + 2; c < end; c++)
        if (*c == '*' && !isspace((unsigned char)c[-1]) && (c + 1 == end || strchr(" .,;:!?)\"", c[1])))
            return c;
    return NULL;
}

static void put_line(carom_stream *out, const char *line, const char *end)
{
    const char *from = line;
    for (const char *c = line; c < end; c++) {
        const char *stop = *c == '`' ? memchr(c + 1, '`', (size_t)(end - c - 1))
                           : *c == '*' && opens(line, c) ? closing(c, end) : NULL;
        if (!stop || stop == c + 1)
            continue;
        const char *tag = *c == '`' ? "code" : "em";
        carom_stream_escape(out, from, (size_t)(c - from), 0);
        carom_stream_format(out, "<%s>", tag);
        carom_stream_escape(out, c + 1, (size_t)(stop - c - 1), 0);
        carom_stream_format(out, "</%s>", tag);
        c = stop;
        from = stop + 1;
    }
    carom_stream_escape(out, from, (size_t)(end - from), 0);
}

static void markup(carom_stream *out, const char *text)
{
    enum { NOTHING, PARAGRAPH, LIST } state = NOTHING;
    static const char *const ends[] = {"", "</p>\n", "</li></ul>\n"};
    for (text = text ? text : ""; *text;) {
        const char *end = text + strcspn(text, "\n");
        bool item = strncmp(text, "- ", 2) == 0, empty = strspn(text, " \t\r") >= (size_t)(end - text);
        if (empty || (item && state == PARAGRAPH)) {
            carom_stream_string(out, ends[state]);
            state = NOTHING;
        }
        if (item) {
            carom_stream_string(out, state == LIST ? "</li>\n<li>" : "<ul><li>");
            state = LIST;
        } else if (!empty) {
            carom_stream_string(out, state == NOTHING ? "<p>" : "\n");
            state = state == NOTHING ? PARAGRAPH : state;
        }
        if (!empty)
            put_line(out, text + (item ? 2 : 0), end);
        text = *end ? end + 1 : end;
    }
    carom_stream_string(out, ends[state]);
}

/* ---- verdicts ---- */

static const struct {
    const char *class, *word, *tally;
} verdict[] = {[CAROM_PAGE_INFO] = {"info", "", ""},
               [CAROM_PAGE_PASS] = {"pass", "pass", "passed"},
               [CAROM_PAGE_FAIL] = {"fail", "fail", "failed"},
               [CAROM_PAGE_NOT_REPRODUCIBLE] = {"open", "not reproducible", "not reproducible"}};

static void put_badge(carom_stream *out, carom_page_status status)
{
    if (status != CAROM_PAGE_INFO)
        carom_stream_format(out, "<span class=\"badge %s\">%s</span>", verdict[status].class, verdict[status].word);
}

/* ---- the file ---- */
static carom_status open_file(carom_page *page, const char *path, carom_error *error)
{
    CAROM_TRY(carom_part_open(&page->part, path, error));
    CAROM_TRY(carom_stream_open(&page->body, path, page->part.file, error));
    return carom_stream_open(&page->intro, path, page->part.file, error);
}

void carom_page_drop(carom_page *page)
{
    if (!page)
        return;
    carom_part_close(&page->part, false);
    carom_stream_drop(&page->body);
    carom_stream_drop(&page->intro);
    free(page->entry);
    carom_arena_free(page->arena);
    free(page);
}

carom_status carom_page_new(carom_page **page, const char *path, const char *title, carom_error *error)
{
    *page = NULL;
    carom_page *p = calloc(1, sizeof *p);
    if (!p)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for the page '%s'", path);
    p->arena = carom_arena_new(0);
    p->title = p->arena ? carom_arena_text(p->arena, title, strlen(title)) : NULL;
    carom_status status = p->title ? open_file(p, path, error)
                                   : carom_fail(error, CAROM_NO_MEMORY, "no memory for the page '%s'", path);
    if (status != CAROM_OK)
        carom_page_drop(p);
    else
        *page = p;
    return status;
}

/* ---- sections ---- */

void carom_page_fail(carom_page *page, const char *what)
{
    if (page->body.error.status == CAROM_OK)
        carom_fail(&page->body.error, CAROM_NO_MEMORY, "no memory for %s of '%s'", what, page->body.path);
}

static carom_page_entry *add_entry(carom_page *page, const char *id, const char *title)
{
    title = title ? title : "";
    if (page->nentry == page->room) {
        int room = 2 * page->room + 16;
        carom_page_entry *more = realloc(page->entry, (size_t)room * sizeof *more);
        if (!more) {
            carom_page_fail(page, "the table of contents");
            return NULL;
        }
        page->entry = more;
        page->room = room;
    }
    carom_page_entry *entry = &page->entry[page->nentry];
    *entry = (carom_page_entry){.title = carom_arena_text(page->arena, title, strlen(title)),
                                .id = id ? carom_arena_text(page->arena, id, strlen(id)) : NULL};
    if (!entry->title || (id && !entry->id)) {
        carom_page_fail(page, "the table of contents");
        return NULL;
    }
    page->nentry++;
    return entry;
}

static void end_section(carom_page *page)
{
    if (page->open)
        carom_stream_string(&page->body, "</section>\n");
    page->open = false;
}

void carom_page_group(carom_page *page, const char *title)
{
    end_section(page);
    add_entry(page, NULL, title);
    carom_page_element(&page->body, "<p class=\"group\">", title, "</p>\n");
}

static bool taken(const carom_page *page, const char *id)
{
    for (int i = 0; i < page->nentry - 1; i++)
        if (page->entry[i].id && strcmp(page->entry[i].id, id) == 0)
            return true;
    return false;
}

void carom_page_section(carom_page *page, const char *id, const char *title, carom_page_status status)
{
    static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";
    end_section(page);
    carom_page_entry *entry = add_entry(page, id && *id ? id : "section", title);
    if (!entry)
        return;
    for (char *c = entry->id; *(c += strspn(c, good));)
        *c = '_';
    const char *plain = entry->id;
    for (int i = 2; taken(page, entry->id); i++) {
        entry->id = carom_arena_format(page->arena, "%s-%d", plain, i);
        if (!entry->id) {
            entry->id = (char *)(size_t)plain;
            carom_page_fail(page, "the table of contents");
            return;
        }
    }
    page->open = true;
    entry->status = status;
    carom_stream_format(&page->body, "<section id=\"%.200s\">\n", entry->id);
    carom_page_element(&page->body, "<header><h2>", title, "</h2>");
    put_badge(&page->body, status);
    carom_stream_string(&page->body, "</header>\n");
}

void carom_page_intro(carom_page *page, const char *text)
{
    markup(&page->intro, text);
}

/* ---- what stands in a section beside plots ---- */

void carom_page_text(carom_page *page, const char *text)
{
    markup(&page->body, text);
}

void carom_page_format(carom_page *page, const char *format, ...)
{
    char text[4000];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    markup(&page->body, text);
}

void carom_page_note(carom_page *page, const char *text)
{
    carom_stream_string(&page->body, "<div class=\"note\">");
    markup(&page->body, text);
    carom_stream_string(&page->body, "</div>\n");
}

void carom_page_command(carom_page *page, const char *command, const char *model_name, const char *model_text)
{
    carom_stream *out = &page->body;
    if (command)
        carom_page_element(out, "<div class=\"command\"><pre><code>", command, "</code></pre></div>\n");
    if (!model_text)
        return;
    carom_page_element(out, "<details><summary>the model ", model_name, "</summary>\n");
    carom_page_element(out, "<pre><code>", model_text, "</code></pre></details>\n");
}

/* ---- tables ---- */
static const char *cell_of(const carom_page_table *t, int row, int column)
{
    const char *text = t->cell[row * t->ncolumn + column];
    return text ? text : "";
}

static bool is_numeric(const carom_page_table *t, int column)
{
    int numbers = 0;
    for (int i = 0; i < t->nrow; i++) {
        double value;
        const char *text = cell_of(t, i, column);
        if (!*text || strcmp(text, "-") == 0)
            continue;
        if (!carom_number(text, &value))
            return false;
        numbers++;
    }
    return numbers > 0;
}

static carom_page_status status_of(const char *text)
{
    return strcmp(text, "pass") == 0 ? CAROM_PAGE_PASS : strcmp(text, "fail") == 0 ? CAROM_PAGE_FAIL : CAROM_PAGE_INFO;
}

/* Rows with a verdict are laid out one below the other on a phone: there each cell says what it is. */
static void put_cell(carom_stream *out, const char *text, bool numeric, const char *name)
{
    carom_page_status status = status_of(text);
    carom_stream_string(out, status != CAROM_PAGE_INFO ? "<td class=\"v\"" : numeric ? "<td class=\"n\"" : "<td");
    if (name)
        carom_page_element(out, " data-name=\"", name, "\"");
    carom_stream_string(out, ">");
    put_badge(out, status);
    carom_page_element(out, "", status == CAROM_PAGE_INFO ? text : "", "</td>");
}

void carom_page_table_put(carom_page *page, const carom_page_table *t)
{
    carom_stream *out = &page->body;
    bool *numeric = CAROM_NEW(page->arena, bool, t->ncolumn + 1);
    if (!numeric) {
        carom_page_fail(page, "a table");
        return;
    }
    bool judged = t->nrow > 0 && status_of(cell_of(t, 0, t->ncolumn - 1)) != CAROM_PAGE_INFO;
    carom_stream_string(out,
                        judged ? "<div class=\"table\"><table class=\"checks\">\n" : "<div class=\"table\"><table>\n");
    if (t->title && *t->title)
        carom_page_element(out, "<caption>", t->title, "</caption>\n");
    carom_stream_string(out, "<thead><tr>");
    for (int j = 0; j < t->ncolumn; j++) {
        numeric[j] = is_numeric(t, j);
        carom_page_element(out, numeric[j] ? "<th class=\"n\">" : "<th>", t->header[j], "</th>");
    }
    carom_stream_string(out, "</tr></thead>\n<tbody>\n");
    for (int i = 0; i < t->nrow; i++) {
        carom_stream_string(out, "<tr>");
        for (int j = 0; j < t->ncolumn; j++)
            put_cell(out, cell_of(t, i, j), numeric[j], judged && j > 0 && j + 1 < t->ncolumn ? t->header[j] : NULL);
        carom_stream_string(out, "</tr>\n");
    }
    carom_stream_string(out, "</tbody>\n</table></div>\n");
}

/* ---- head and foot ---- */
static void put_tally(const carom_page *page, carom_stream *out)
{
    int count[4] = {0}, sections = 0;
    for (int i = 0; i < page->nentry; i++)
        if (page->entry[i].id) {
            count[page->entry[i].status]++;
            sections++;
        }
    if (count[CAROM_PAGE_INFO] == sections)
        return;
    carom_stream_string(out, "<div class=\"tally\">");
    for (int s = CAROM_PAGE_PASS; s <= CAROM_PAGE_NOT_REPRODUCIBLE; s++)
        if (count[s] || s == CAROM_PAGE_PASS)
            carom_stream_format(out, "<span class=\"badge %s\">%d %s</span>", verdict[s].class, count[s],
                                verdict[s].tally);
    carom_stream_string(out, "</div>\n");
}

static void put_contents(const carom_page *page, carom_stream *out)
{
    bool list = false;
    carom_stream_string(out, "<nav aria-label=\"Contents\">\n");
    if (page->nentry && page->entry[0].id)
        carom_stream_string(out, "<h2>Contents</h2>\n");
    for (int i = 0; i < page->nentry; i++) {
        const carom_page_entry *e = &page->entry[i];
        if (!e->id == list)
            carom_stream_string(out, list ? "</ol>\n" : "<ol>\n");
        list = e->id != NULL;
        if (!e->id) {
            carom_page_element(out, "<h2>", e->title, "</h2>\n");
            continue;
        }
        carom_stream_format(out, "<li><span class=\"dot %s\"></span><a href=\"#%.200s\">", verdict[e->status].class,
                            e->id);
        carom_page_element(out, "", e->title, "</a>");
        carom_stream_format(out, "<span class=\"verdict\">%s</span></li>\n", verdict[e->status].word);
    }
    carom_stream_string(out, list ? "</ol>\n</nav>\n" : "</nav>\n");
}

/* The processor's name where the system tells it in this way. */
static void find_processor(char *name, int size)
{
    char line[300];
    FILE *file = fopen("/proc/cpuinfo", "r");
    *name = '\0';
    while (file && !*name && fgets(line, sizeof line, file))
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':'))
            snprintf(name, (size_t)size, "%.*s, ", (int)strcspn(strchr(line, ':') + 2, "\n"), strchr(line, ':') + 2);
    if (file)
        fclose(file);
}

static void put_machine(carom_stream *out)
{
    struct utsname system;
    char processor[200], line[900], date[40] = "";
    const char *fixed = getenv("SOURCE_DATE_EPOCH");
    time_t now = fixed ? (time_t)strtoll(fixed, NULL, 10) : time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc))
        strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", &utc);
    find_processor(processor, sizeof processor);
    if (uname(&system) != 0)
        memset(&system, 0, sizeof system);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    snprintf(line, sizeof line, "carom %s \xc2\xb7 %s%ld core%s \xc2\xb7 %.60s %.60s %.60s \xc2\xb7 %s",
             carom_version(), processor, cores, cores == 1 ? "" : "s", system.sysname, system.release, system.machine,
             date);
    carom_page_element(out, "<p class=\"meta\">", line, "</p>\n");
}

static void put_head(const carom_page *page, carom_stream *out)
{
    carom_stream_string(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                             "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                             "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
                             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                             "<link rel=\"icon\" href=\"data:,\">\n");
    carom_page_element(out, "<title>", page->title, "</title>\n<style>");
    carom_stream_string(out, carom_web_style);
    carom_stream_format(out, "</style>\n</head>\n<body>\n<div class=\"layout%s\">\n", page->nentry > 1 ? " wide" : "");
    carom_page_element(out, "<header class=\"top\">\n<h1>", page->title, "</h1>\n");
    put_machine(out);
    put_tally(page, out);
    carom_stream_text(out, page->intro.buffer, page->intro.used);
    if (!carom_web_interactive && page->figures)
        carom_stream_string(
            out, "<p class=\"note\">This build of Carom has no script for interactive plots (it was made without "
                 "npm or esbuild): the plots of this page are static.</p>\n");
    carom_stream_string(out, "</header>\n");
    if (page->nentry > 1)
        put_contents(page, out);
    carom_stream_string(out, "<main>\n");
}

static void put_foot(const carom_page *page, carom_stream *out)
{
    carom_stream_string(out, "</main>\n<footer>\n<p>");
    if (page->figures)
        carom_stream_string(out, "Plots: drag to zoom, double click to see all, click a name to hide its curve. ");
    carom_stream_string(out, "This page is one file and asks nothing of the network.</p>\n");
    if (carom_web_interactive)
        carom_page_element(out, "<details><summary>Interactive plots by uPlot</summary>\n<pre>", carom_web_licence,
                           "</pre></details>\n");
    carom_stream_string(out, "</footer>\n</div>\n<script>");
    carom_stream_string(out, carom_web_script);
    carom_stream_string(out, "</script>\n</body>\n</html>\n");
}

static carom_status put_in_place(carom_page *page, carom_error *error)
{
    carom_stream out;
    CAROM_TRY(carom_stream_status(&page->body, error));
    CAROM_TRY(carom_stream_status(&page->intro, error));
    CAROM_TRY(carom_stream_open(&out, page->body.path, page->part.file, error));
    put_head(page, &out);
    carom_stream_text(&out, page->body.buffer, page->body.used);
    put_foot(page, &out);
    CAROM_TRY(carom_stream_close(&out, error));
    int reason = carom_part_close(&page->part, true);
    if (reason)
        CAROM_FAIL(error, CAROM_FILE, "'%s' cannot be written: %s", page->body.path, strerror(reason));
    return CAROM_OK;
}

carom_status carom_page_close(carom_page *page, carom_error *error)
{
    carom_error own = {CAROM_OK, ""};
    end_section(page);
    carom_status status = put_in_place(page, error ? error : &own);
    carom_page_drop(page);
    return status;
}
