/* blocks.c: what stands in a section beside plots: text, notes, claims, commands, tables. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "output/page/parts.h"

void carom_page_text(carom_page *page, const char *text)
{
    carom_page_markup(&page->body, text);
}

void carom_page_format(carom_page *page, const char *format, ...)
{
    char text[4000];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    carom_page_markup(&page->body, text);
}

static void put_element(carom_stream *out, const char *begin, const char *text, const char *end)
{
    carom_stream_string(out, begin);
    carom_page_escape(out, text);
    carom_stream_string(out, end);
}

void carom_page_heading(carom_page *page, const char *title)
{
    put_element(&page->body, "<h3>", title, "</h3>\n");
}

void carom_page_note(carom_page *page, const char *text)
{
    carom_stream_string(&page->body, "<div class=\"note\">");
    carom_page_markup(&page->body, text);
    carom_stream_string(&page->body, "</div>\n");
}

void carom_page_claim(carom_page *page, const char *claim, const char *measured, carom_page_status status)
{
    carom_stream *out = &page->body;
    carom_stream_string(out, "<div class=\"claim\"><dl><dt>claim</dt><dd>");
    carom_page_markup(out, claim);
    carom_stream_string(out, "</dd><dt>measured</dt><dd>");
    carom_page_markup(out, measured);
    carom_stream_string(out, "</dd></dl>");
    carom_page_badge(out, status);
    carom_stream_string(out, "</div>\n");
}

void carom_page_folded(carom_page *page, const char *title, const char *text)
{
    put_element(&page->body, "<details><summary>", title, "</summary>\n");
    put_element(&page->body, "<pre><code>", text, "</code></pre></details>\n");
}

void carom_page_command(carom_page *page, const char *command, const char *model_name, const char *model_text)
{
    char title[260];
    if (command)
        put_element(&page->body, "<div class=\"command\"><pre><code>", command, "</code></pre></div>\n");
    if (!model_text)
        return;
    snprintf(title, sizeof title, "the model %.240s", model_name ? model_name : "");
    carom_page_folded(page, title, model_text);
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
    if (name) {
        carom_stream_string(out, " data-name=\"");
        carom_page_escape(out, name);
        carom_stream_string(out, "\"");
    }
    carom_stream_string(out, ">");
    if (status != CAROM_PAGE_INFO)
        carom_page_badge(out, status);
    else
        carom_page_escape(out, text);
    carom_stream_string(out, "</td>");
}

void carom_page_table_put(carom_page *page, const carom_page_table *t)
{
    carom_stream *out = &page->body;
    bool *numeric = calloc((size_t)t->ncolumn + 1, sizeof *numeric);
    if (!numeric) {
        if (out->error.status == CAROM_OK)
            carom_fail(&out->error, CAROM_NO_MEMORY, "no memory for a table of %d columns", t->ncolumn);
        return;
    }
    bool judged = t->nrow > 0 && status_of(cell_of(t, 0, t->ncolumn - 1)) != CAROM_PAGE_INFO;
    carom_stream_string(out,
                        judged ? "<div class=\"table\"><table class=\"checks\">\n" : "<div class=\"table\"><table>\n");
    if (t->title && *t->title)
        put_element(out, "<caption>", t->title, "</caption>\n");
    carom_stream_string(out, "<thead><tr>");
    for (int j = 0; j < t->ncolumn; j++) {
        numeric[j] = is_numeric(t, j);
        put_element(out, numeric[j] ? "<th class=\"n\">" : "<th>", t->header[j], "</th>");
    }
    carom_stream_string(out, "</tr></thead>\n<tbody>\n");
    for (int i = 0; i < t->nrow; i++) {
        carom_stream_string(out, "<tr>");
        for (int j = 0; j < t->ncolumn; j++)
            put_cell(out, cell_of(t, i, j), numeric[j], judged && j > 0 && j + 1 < t->ncolumn ? t->header[j] : NULL);
        carom_stream_string(out, "</tr>\n");
    }
    carom_stream_string(out, "</tbody>\n</table></div>\n");
    free(numeric);
}
