/* csv.c: the rows of a store as a table of text: index, columns, status, text. */
#include <math.h>
#include <string.h>

#include "output/store/store.h"
#include "output/stream.h"

/* As it is, or quoted where a comma, a quote or a line end would be misread. */
static void field(carom_stream *out, const char *text)
{
    if (!strpbrk(text, ",\"\n\r")) {
        carom_stream_string(out, text);
        return;
    }
    carom_stream_string(out, "\"");
    for (const char *c = text; *c; c++)
        carom_stream_text(out, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
    carom_stream_string(out, "\"");
}

static void number(carom_stream *out, double value)
{
    if (isnan(value))
        carom_stream_string(out, "nan");
    else if (isinf(value))
        carom_stream_string(out, value > 0 ? "inf" : "-inf");
    else
        carom_stream_number(out, value);
}

typedef struct table {
    carom_stream stream;
    int ncolumn;
} table;

static carom_status put(void *user, const carom_store_row *row, carom_error *error)
{
    table *t = user;
    char index[32];
    (void)error;
    snprintf(index, sizeof index, "%lld", row->index);
    carom_stream_string(&t->stream, index);
    for (int k = 0; k < t->ncolumn; k++) {
        carom_stream_string(&t->stream, ",");
        number(&t->stream, row->value[k]);
    }
    carom_stream_string(&t->stream, ",");
    field(&t->stream, row->status);
    carom_stream_string(&t->stream, ",");
    field(&t->stream, row->text);
    carom_stream_string(&t->stream, "\n");
    return carom_stream_mark(&t->stream);
}

carom_status carom_store_csv(carom_store *store, const char *path, FILE *stream, carom_error *error)
{
    table t = {.ncolumn = store->form.ncolumn};
    CAROM_TRY(carom_stream_open(&t.stream, path, stream, error));
    carom_stream_string(&t.stream, "index");
    for (int k = 0; k < t.ncolumn; k++) {
        carom_stream_string(&t.stream, ",");
        field(&t.stream, store->form.column[k]);
    }
    carom_stream_string(&t.stream, ",status,text\n");
    carom_stream_mark(&t.stream);
    carom_status status = carom_store_scan(store, put, &t, error);
    carom_status closed = carom_stream_close(&t.stream, status == CAROM_OK ? error : NULL);
    return status == CAROM_OK || status == closed ? closed : status;
}
