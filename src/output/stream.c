/* stream.c: buffered text on its way to a file; see stream.h. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "output/stream.h"

enum { BLOCK = 1 << 16 };
static const double PATIENCE = 0.5; /* seconds */

double carom_output_clock(void)
{
#ifdef CLOCK_MONOTONIC_COARSE
    const clockid_t id = CLOCK_MONOTONIC_COARSE;
#else
    const clockid_t id = CLOCK_MONOTONIC;
#endif
    struct timespec now;
    return clock_gettime(id, &now) == 0 ? (double)now.tv_sec + 1e-9 * (double)now.tv_nsec : 0;
}

int carom_output_utf8(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    if (c[0] < 0x80)
        return 1;
    int n = c[0] >= 0xc2 && c[0] < 0xe0 ? 2 : c[0] >= 0xe0 && c[0] < 0xf0 ? 3 : c[0] >= 0xf0 && c[0] < 0xf5 ? 4 : 0;
    for (int i = 1; i < n; i++)
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90);
    bool beyond = (c[0] == 0xed && c[1] >= 0xa0) || (c[0] == 0xf4 && c[1] >= 0x90);
    return overlong || beyond ? 0 : n;
}

static carom_status fail_write(carom_stream *stream)
{
    int reason = errno;
    if (stream->error.status != CAROM_OK)
        return stream->error.status;
    return carom_fail(&stream->error, CAROM_FILE, "'%s' cannot be written: %s", stream->path,
                      strerror(reason ? reason : EIO));
}

/* how NULL: a result. */
static carom_status open_as(carom_stream *stream, const char *path, FILE *file, const char *how, carom_error *error)
{
    *stream = (carom_stream){.file = file, .owned = !file, .size = 2 * BLOCK, .written = carom_output_clock()};
    stream->path = strdup(path);
    stream->buffer = malloc(stream->size);
    if (!stream->path || !stream->buffer) {
        carom_stream_drop(stream);
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for the buffer of '%s'", path);
    }
    carom_status status = !file && !how ? carom_part_open(&stream->part, path, error) : CAROM_OK;
    if (status != CAROM_OK) {
        carom_stream_drop(stream);
        return status;
    }
    if (!file && !(stream->file = how ? fopen(path, how) : stream->part.file)) {
        int reason = errno;
        carom_stream_drop(stream);
        CAROM_FAIL(error, reason == ENOMEM ? CAROM_NO_MEMORY : CAROM_FILE, "'%s' cannot be %s: %s", path,
                   *how == 'w' ? "created" : "opened", strerror(reason));
    }
    if (stream->owned)
        setvbuf(stream->file, NULL, _IONBF, 0);
    return CAROM_OK;
}

carom_status carom_stream_open(carom_stream *stream, const char *path, FILE *file, carom_error *error)
{
    return open_as(stream, path, file, NULL, error);
}

carom_status carom_stream_grow(carom_stream *stream, const char *path, FILE *file, carom_error *error)
{
    return open_as(stream, path, file, "wb", error);
}

/* ---- going on where another run stopped ---- */

typedef struct stand { /* of a file: its length, and a checksum of its last bytes */
    uint64_t length, tail;
} stand;

static bool tail_of(const char *path, uint64_t length, uint64_t *tail)
{
    unsigned char bytes[4096];
    size_t n = length < sizeof bytes ? (size_t)length : sizeof bytes;
    FILE *file = fopen(path, "rb");
    bool fine = file && fseeko(file, (off_t)(length - n), SEEK_SET) == 0 && fread(bytes, 1, n, file) == n;
    if (file)
        fclose(file);
    *tail = fine ? carom_checksum(0, bytes, n) : 0;
    return fine;
}

carom_status carom_stream_save(carom_stream *stream, carom_archive *archive, const char *name, carom_error *error)
{
    stand s = {0};
    if (carom_stream_flush(stream) == CAROM_OK) {
        errno = 0;
        off_t at = fsync(fileno(stream->file)) == 0 ? lseek(fileno(stream->file), 0, SEEK_CUR) : -1;
        s.length = (uint64_t)at;
        if (at < 0 || !tail_of(stream->path, s.length, &s.tail))
            fail_write(stream);
    }
    carom_archive_put(archive, name, &s, sizeof s);
    return carom_stream_status(stream, error);
}

carom_status carom_stream_continue(carom_stream *stream, const char *path, const carom_archive *archive,
                                   const char *name, carom_error *error)
{
    size_t length = sizeof(stand);
    const void *found = carom_archive_find(archive, name, &length);
    if (!found)
        CAROM_FAIL(error, CAROM_FILE, "the archive does not tell where '%s' stands", path);
    stand s;
    uint64_t tail;
    memcpy(&s, found, sizeof s);
    CAROM_TRY(open_as(stream, path, NULL, "rb+", error));
    errno = 0;
    if (!tail_of(path, s.length, &tail) || tail != s.tail) {
        carom_fail(&stream->error, CAROM_FILE, "'%s' is not what the run has left: it had %llu bytes and another end",
                   path, (unsigned long long)s.length);
    } else if (ftruncate(fileno(stream->file), (off_t)s.length) != 0 || lseek(fileno(stream->file), 0, SEEK_END) < 0) {
        fail_write(stream);
    }
    if (stream->error.status == CAROM_OK)
        return CAROM_OK;
    return carom_stream_close(stream, error);
}

char *carom_stream_room(carom_stream *stream, size_t bytes)
{
    if (stream->error.status != CAROM_OK)
        return NULL;
    if (stream->size - stream->used < bytes && stream->whole > 0 && carom_stream_flush(stream) != CAROM_OK)
        return NULL;
    if (stream->size - stream->used < bytes) {
        size_t size = 2 * (stream->used + bytes);
        char *buffer = realloc(stream->buffer, size);
        if (!buffer) {
            carom_fail(&stream->error, CAROM_NO_MEMORY, "no memory for the buffer of '%s': %zu bytes",
                       stream->path, size);
            return NULL;
        }
        stream->buffer = buffer;
        stream->size = size;
    }
    return stream->buffer + stream->used;
}

void carom_stream_text(carom_stream *stream, const char *text, size_t length)
{
    char *room = carom_stream_room(stream, length + 1);
    if (!room)
        return;
    memcpy(room, text, length);
    stream->used += length;
}

void carom_stream_string(carom_stream *stream, const char *text)
{
    carom_stream_text(stream, text, strlen(text));
}

void carom_stream_format(carom_stream *stream, const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int n = vsnprintf(NULL, 0, format, list);
    char *room = n < 0 ? NULL : carom_stream_room(stream, (size_t)n + 1);
    if (room)
        stream->used += (size_t)vsnprintf(room, (size_t)n + 1, format, again);
    va_end(again);
    va_end(list);
}

void carom_stream_number(carom_stream *stream, double value)
{
    char *room = carom_stream_room(stream, 32);
    if (room)
        stream->used += (size_t)carom_decimal(value, room);
}

void carom_stream_csv(carom_stream *stream, const char *text)
{
    bool quote = strpbrk(text, ",\"\n\r") || text[0] == '#';
    carom_stream_string(stream, quote ? "\"" : "");
    for (const char *c = text; *c; c++)
        carom_stream_text(stream, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
    carom_stream_string(stream, quote ? "\"" : "");
}

void carom_stream_csv_numbers(carom_stream *stream, const double *values, int n)
{
    char *begin = carom_stream_room(stream, (size_t)n * 32 + 1), *at = begin;
    for (int i = 0; begin && i < n; i++) {
        at += carom_decimal(values[i], at);
        *at++ = i + 1 < n ? ',' : '\n';
    }
    stream->used += (size_t)(at - begin);
}

void carom_stream_escape(carom_stream *stream, const char *text, size_t length, int most)
{
    static const char special[] = "<>&\"";
    static const char *const names[] = {"&lt;", "&gt;", "&amp;", "&quot;"};
    const char *end = text + length;
    for (int seen = 0; text < end; seen++) {
        if (most && seen == most) {
            carom_stream_string(stream, "\xe2\x80\xa6");
            return;
        }
        unsigned char c = (unsigned char)*text;
        const char *at = strchr(special, c);
        int bytes = carom_output_utf8(text);
        bool line = c == '\n' || c == '\t', control = (c < 0x20 && !line) || c == 0x7f;
        if (bytes == 0 || control)
            carom_stream_string(stream, "\xef\xbf\xbd");
        else if (at)
            carom_stream_string(stream, names[at - special]);
        else
            carom_stream_text(stream, line && most ? " " : text, (size_t)bytes);
        text += CAROM_MAX(bytes, 1);
    }
}

/* A file of ours has no buffer but this one. */
static bool write_whole(carom_stream *stream)
{
    const char *from = stream->buffer;
    size_t n = stream->whole;
    if (!stream->owned)
        return (n == 0 || fwrite(from, 1, n, stream->file) == n) && fflush(stream->file) == 0;
    while (n > 0) {
        ssize_t done = write(fileno(stream->file), from, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        from += done, n -= (size_t)done;
    }
    return true;
}

carom_status carom_stream_flush(carom_stream *stream)
{
    if (stream->error.status != CAROM_OK)
        return stream->error.status;
    errno = 0;
    if (!write_whole(stream))
        return fail_write(stream);
    memmove(stream->buffer, stream->buffer + stream->whole, stream->used - stream->whole);
    stream->used -= stream->whole;
    stream->whole = 0;
    stream->written = carom_output_clock();
    return CAROM_OK;
}

carom_status carom_stream_mark(carom_stream *stream)
{
    stream->whole = stream->used;
    if (stream->used >= BLOCK || carom_output_clock() - stream->written > PATIENCE)
        return carom_stream_flush(stream);
    return stream->error.status;
}

carom_status carom_stream_status(const carom_stream *stream, carom_error *error)
{
    if (stream->error.status != CAROM_OK && error)
        *error = stream->error;
    return stream->error.status;
}

/* Closes a file of ours; a result that is not whole goes. errno or 0. */
static int end_file(carom_stream *stream, bool whole)
{
    if (stream->part.file)
        return carom_part_close(&stream->part, whole);
    errno = 0;
    return stream->owned && stream->file && fclose(stream->file) != 0 ? (errno ? errno : EIO) : 0;
}

void carom_stream_drop(carom_stream *stream)
{
    end_file(stream, false);
    free(stream->path);
    free(stream->buffer);
    *stream = (carom_stream){0};
}

carom_status carom_stream_close(carom_stream *stream, carom_error *error)
{
    stream->whole = stream->used;
    carom_stream_flush(stream);
    errno = end_file(stream, stream->error.status == CAROM_OK);
    stream->file = NULL;
    if (errno)
        fail_write(stream);
    carom_status status = carom_stream_status(stream, error);
    carom_stream_drop(stream);
    return status;
}
