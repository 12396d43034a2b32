/* stream.h: buffered text on its way to a file. A failure is kept and reported by every later call, so that
 * writers need not check each number. The buffer is written in one piece at the marks that the writer sets
 * (whole lines), hence a file that grows can be read at any time. */
#ifndef CAROM_STREAM_H
#define CAROM_STREAM_H

#include "core/archive.h"
#include "output/output.h"
#include "output/part.h"

typedef struct carom_stream {
    FILE *file;
    bool owned;         /* opened here, closed here */
    carom_part part;    /* of a result, which appears when it is whole */
    char *path;
    char *buffer;       /* [size] */
    size_t used, size;
    size_t whole;       /* bytes up to the last mark */
    double written;     /* when, in seconds */
    carom_error error;
} carom_stream;

/* A result. file NULL: it appears at path when it is closed and all was written; what was there before stays until
 * then. On failure nothing is left to close. */
carom_status carom_stream_open(carom_stream *stream, const char *path, FILE *file, carom_error *error);
/* A file that can be read while it grows: path is created or emptied. */
carom_status carom_stream_grow(carom_stream *stream, const char *path, FILE *file, carom_error *error);
/* What is written so far reaches the disk; the archive keeps where the file stands. From there a later run goes on:
 * what the file has beyond is dropped, and one that has less or ends otherwise is refused. */
carom_status carom_stream_save(carom_stream *stream, carom_archive *archive, const char *name, carom_error *error);
carom_status carom_stream_continue(carom_stream *stream, const char *path, const carom_archive *archive,
                                   const char *name, carom_error *error);
char *carom_stream_room(carom_stream *stream, size_t bytes); /* at the end of the buffer; NULL after a failure */
void carom_stream_text(carom_stream *stream, const char *text, size_t length);
void carom_stream_string(carom_stream *stream, const char *text);
void carom_stream_format(carom_stream *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));
void carom_stream_number(carom_stream *stream, double value);
void carom_stream_csv(carom_stream *stream, const char *text); /* quoted where a comma or a quote would be misread */
void carom_stream_csv_numbers(carom_stream *stream, const double *values, int n); /* the rest of a line */
/* For HTML and SVG, text and attributes: at most so many characters, in one line (0: all, lines stay). */
void carom_stream_escape(carom_stream *stream, const char *text, size_t length, int most);
/* What is in the buffer is whole; it is written when it is large, or older than half a second. */
carom_status carom_stream_mark(carom_stream *stream);
carom_status carom_stream_flush(carom_stream *stream); /* up to the mark */
carom_status carom_stream_status(const carom_stream *stream, carom_error *error); /* its first failure, passed on */
carom_status carom_stream_close(carom_stream *stream, carom_error *error);
void carom_stream_drop(carom_stream *stream); /* frees what is in memory and writes nothing; a result does not appear */

/* How many bytes the UTF-8 character at text has; 0: it is none. */
int carom_output_utf8(const char *text);

/* Seconds on a cheap clock that never goes back. */
double carom_output_clock(void);

#endif
