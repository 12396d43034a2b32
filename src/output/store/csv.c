/* csv.c: the rows of a store as a table of text: index, columns, status, text. */
#include "output/store/store.h"
#include "output/stream.h"

typedef struct table {
    carom_stream stream;
    int ncolumn;
} table;

static carom_status put(void *user, const carom_store_row *row, carom_error *error)
{
    table *t = user;
    (void)error;
    carom_stream_format(&t->stream, "%lld", row->index);
    for (int k = 0; k < t->ncolumn; k++) {
        carom_stream_string(&t->stream, ",");
        carom_stream_number(&t->stream, row->value[k]);
    }
    carom_stream_string(&t->stream, ",");
    carom_stream_csv(&t->stream, row->status);
    carom_stream_string(&t->stream, ",");
    carom_stream_csv(&t->stream, row->text);
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
        carom_stream_csv(&t.stream, store->form.column[k]);
    }
    carom_stream_string(&t.stream, ",status,text\n");
    carom_stream_mark(&t.stream);
    carom_status status = carom_store_scan(store, put, &t, error);
    if (status == CAROM_OK || t.stream.error.status != CAROM_OK) /* its own failure is told when it is closed */
        return carom_stream_close(&t.stream, error);
    carom_stream_drop(&t.stream);
    return status;
}
