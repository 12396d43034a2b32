/* page.c: the page as a whole: its sections, the table of contents with their verdicts, and the file it becomes.
 * The body is gathered in memory, because the table of contents stands above it and is known at the end. */
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

/* ---- the file ---- */
/* A link is followed, so that it stays one. A device is written in place: it must not be replaced. */
static carom_status open_file(carom_page *page, const char *path, carom_error *error)
{
    struct stat about;
    char *real = realpath(path, NULL);
    bool exists = stat(path, &about) == 0;
    const char *to = real ? real : path;
    page->path = carom_arena_text(page->arena, to, strlen(to));
    page->part = exists && !S_ISREG(about.st_mode) ? page->path
                                                   : carom_arena_format(page->arena, "%s.%ld.part", to, (long)getpid());
    free(real);
    if (!page->path || !page->part)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for the page '%s'", path);
    if (exists && S_ISREG(about.st_mode) && access(path, W_OK) != 0)
        CAROM_FAIL(error, CAROM_FILE, "'%s' cannot be written: %s", path, strerror(errno));
    page->file = fopen(page->part, "wb");
    if (!page->file)
        CAROM_FAIL(error, CAROM_FILE, "'%s' cannot be created: %s", path, strerror(errno));
    CAROM_TRY(carom_stream_open(&page->body, path, page->file, error));
    carom_status status = carom_stream_open(&page->intro, path, page->file, error);
    if (status != CAROM_OK) {
        free(page->body.path);
        free(page->body.buffer);
        page->body = (carom_stream){0};
    }
    return status;
}

void carom_page_drop(carom_page *page)
{
    if (!page)
        return;
    if (page->file) {
        fclose(page->file);
        if (page->part != page->path)
            remove(page->part);
    }
    free(page->body.path);
    free(page->body.buffer);
    free(page->intro.path);
    free(page->intro.buffer);
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
    p->section = -1;
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
static void fail(carom_page *page)
{
    if (page->body.error.status == CAROM_OK)
        carom_fail(&page->body.error, CAROM_NO_MEMORY, "no memory for the table of contents of '%s'", page->path);
}

static carom_page_entry *add_entry(carom_page *page, const char *id, const char *title)
{
    title = title ? title : "";
    if (page->nentry == page->room) {
        int room = 2 * page->room + 16;
        carom_page_entry *more = realloc(page->entry, (size_t)room * sizeof *more);
        if (!more) {
            fail(page);
            return NULL;
        }
        page->entry = more;
        page->room = room;
    }
    carom_page_entry *entry = &page->entry[page->nentry];
    *entry = (carom_page_entry){.title = carom_arena_text(page->arena, title, strlen(title)),
                                .id = id ? carom_arena_text(page->arena, id, strlen(id)) : NULL};
    if (!entry->title || (id && !entry->id)) {
        fail(page);
        return NULL;
    }
    page->nentry++;
    return entry;
}

static void end_section(carom_page *page)
{
    if (page->section >= 0)
        carom_stream_string(&page->body, "</section>\n");
    page->section = -1;
}

void carom_page_group(carom_page *page, const char *title)
{
    end_section(page);
    add_entry(page, NULL, title);
    carom_stream_string(&page->body, "<p class=\"group\">");
    carom_page_escape(&page->body, title);
    carom_stream_string(&page->body, "</p>\n");
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
            fail(page);
            return;
        }
    }
    page->section = page->nentry - 1;
    entry->status = status;
    carom_page_say(&page->body, "<section id=\"%.200s\">\n<header><h2>", entry->id);
    carom_page_escape(&page->body, title);
    carom_stream_string(&page->body, "</h2>");
    entry->badge = page->body.used;
    carom_stream_string(&page->body, "</header>\n");
}

void carom_page_verdict(carom_page *page, carom_page_status status)
{
    if (page->section >= 0)
        page->entry[page->section].status = status;
}

void carom_page_intro(carom_page *page, const char *text)
{
    carom_page_markup(&page->intro, text);
}

bool carom_page_interactive(void)
{
    return carom_web_interactive;
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
            carom_page_say(out, "<span class=\"badge %s\">%d %s</span>", carom_page_class((carom_page_status)s),
                           count[s],
                           s == CAROM_PAGE_PASS   ? "passed"
                           : s == CAROM_PAGE_FAIL ? "failed"
                                                  : "not reproducible");
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
            carom_stream_string(out, "<h2>");
            carom_page_escape(out, e->title);
            carom_stream_string(out, "</h2>\n");
            continue;
        }
        carom_page_say(out, "<li><span class=\"dot %s\"></span><a href=\"#%.200s\">", carom_page_class(e->status),
                       e->id);
        carom_page_escape(out, e->title);
        carom_page_say(out, "</a><span class=\"verdict\">%s</span></li>\n", carom_page_word(e->status));
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
    carom_stream_string(out, "<p class=\"meta\">");
    carom_page_escape(out, line);
    carom_stream_string(out, "</p>\n");
}

static void put_head(const carom_page *page, carom_stream *out)
{
    carom_stream_string(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                             "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                             "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
                             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                             "<link rel=\"icon\" href=\"data:,\">\n<title>");
    carom_page_escape(out, page->title);
    carom_stream_string(out, "</title>\n<style>");
    carom_stream_string(out, carom_web_style);
    carom_page_say(out, "</style>\n</head>\n<body>\n<div class=\"layout%s\">\n", page->nentry > 1 ? " wide" : "");
    carom_stream_string(out, "<header class=\"top\">\n<h1>");
    carom_page_escape(out, page->title);
    carom_stream_string(out, "</h1>\n");
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

static void put_foot(carom_stream *out)
{
    carom_stream_string(
        out, "</main>\n<footer>\n<p>Plots: drag to zoom, double click to see all, click a name to hide its curve. "
             "This page is one file and asks nothing of the network.</p>\n");
    if (carom_web_interactive) {
        carom_stream_string(out, "<details><summary>Interactive plots by uPlot</summary>\n<pre>");
        carom_page_escape(out, carom_web_licence);
        carom_stream_string(out, "</pre></details>\n");
    }
    carom_stream_string(out, "</footer>\n</div>\n<script>");
    carom_stream_string(out, carom_web_script);
    carom_stream_string(out, "</script>\n</body>\n</html>\n");
}

/* The body with the verdicts put in, which may have been told after the section began. */
static void put_body(const carom_page *page, carom_stream *out)
{
    size_t from = 0;
    for (int i = 0; i < page->nentry; i++) {
        const carom_page_entry *e = &page->entry[i];
        if (!e->id || e->badge < from)
            continue;
        carom_stream_text(out, page->body.buffer + from, e->badge - from);
        carom_page_badge(out, e->status);
        from = e->badge;
        carom_stream_mark(out);
    }
    carom_stream_text(out, page->body.buffer + from, page->body.used - from);
}

static carom_status put_in_place(carom_page *page, carom_error *error)
{
    carom_stream out;
    CAROM_TRY(page->body.error.status != CAROM_OK ? (*error = page->body.error, page->body.error.status) : CAROM_OK);
    CAROM_TRY(page->intro.error.status != CAROM_OK ? (*error = page->intro.error, page->intro.error.status) : CAROM_OK);
    CAROM_TRY(carom_stream_open(&out, page->body.path, page->file, error));
    put_head(page, &out);
    put_body(page, &out);
    put_foot(&out);
    CAROM_TRY(carom_stream_close(&out, error));
    int failed = fclose(page->file), reason = errno;
    page->file = NULL;
    if (!failed && page->part != page->path) {
        failed = rename(page->part, page->path);
        reason = errno;
    }
    if (failed && page->part != page->path)
        remove(page->part);
    if (failed)
        CAROM_FAIL(error, CAROM_FILE, "'%s' cannot be written: %s", page->path, strerror(reason));
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
