/* journal.c: rows in memory that also go, one after the other, into a file beside the table they will become
 * (TABLE.rows), so that a sweep that was killed goes on. The file is removed when the table is whole.
 *   header   magic, checksum, length; then the entries: key, value, each ended by 0
 *   row      checksum, length; then index, values, status, text
 * What is behind the last whole row was on its way when the process ended: it is cut off. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/archive.h"
#include "output/store/store.h"
#include "output/stream.h"

static const double PATIENCE = 0.2; /* seconds between two commits, at most */
static const char magic[16] = "carom rows 1";

typedef struct record {
    uint64_t checksum, length; /* of what follows */
} record;

typedef struct journal {
    void *memory; /* a carom_store_memory */
    char *path;
    FILE *file;
    unsigned char *room; /* [size] the row that is read or written */
    size_t size;
    double committed;
    bool complete;
} journal;

static carom_status fail_file(const journal *j, const char *what, carom_error *error)
{
    int reason = errno ? errno : EIO;
    CAROM_FAIL(error, reason == ENOMEM ? CAROM_NO_MEMORY : CAROM_FILE, "'%s' cannot be %s: %s", j->path, what,
               strerror(reason));
}

static bool need(journal *j, size_t size)
{
    if (size <= j->size)
        return true;
    unsigned char *room = realloc(j->room, 2 * size);
    if (room)
        j->room = room, j->size = 2 * size;
    return room != NULL;
}

static carom_status commit(void *keep, carom_error *error)
{
    journal *j = keep;
    errno = 0;
    if (fflush(j->file) != 0 || ferror(j->file))
        return fail_file(j, "written", error);
    j->committed = carom_output_clock();
    return CAROM_OK;
}

static carom_status write_record(journal *j, size_t length, carom_error *error)
{
    const record r = {carom_checksum(0, j->room, length), length};
    errno = 0;
    if (fwrite(&r, sizeof r, 1, j->file) != 1 || (length && fwrite(j->room, length, 1, j->file) != 1))
        return fail_file(j, "written", error);
    return CAROM_OK;
}

static carom_status put(void *keep, const carom_store_row *row, int ncolumn, carom_error *error)
{
    journal *j = keep;
    size_t values = sizeof(double) * (size_t)ncolumn, status = strlen(row->status) + 1, text = strlen(row->text) + 1;
    size_t length = sizeof row->index + values + status + text;
    CAROM_TRY(carom_store_memory.put(j->memory, row, ncolumn, error));
    if (!need(j, length))
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for a row of '%s'", j->path);
    unsigned char *to = j->room;
    memcpy(to, &row->index, sizeof row->index), to += sizeof row->index;
    memcpy(to, row->value, values), to += values;
    memcpy(to, row->status, status), to += status;
    memcpy(to, row->text, text);
    CAROM_TRY(write_record(j, length, error));
    return carom_output_clock() - j->committed > PATIENCE ? commit(j, error) : CAROM_OK;
}

static carom_status scan(void *keep, int ncolumn, carom_store_visit *visit, void *user, carom_error *error)
{
    return carom_store_memory.scan(((journal *)keep)->memory, ncolumn, visit, user, error);
}

static carom_status close_journal(void *keep, carom_error *error)
{
    journal *j = keep;
    carom_status status = CAROM_OK;
    errno = 0;
    if (j->file && fclose(j->file) != 0 && !j->complete)
        status = fail_file(j, "written", error);
    if (j->complete)
        remove(j->path);
    if (j->memory)
        carom_store_memory.close(j->memory, NULL);
    free(j->path);
    free(j->room);
    free(j);
    return status;
}

static void complete(void *keep)
{
    ((journal *)keep)->complete = true;
}

static const carom_store_keeper keeper = {put, commit, scan, close_journal, complete};

/* ---- what is there already ---- */

/* The next record in j->room, with a 0 behind it; false: none that is whole. */
static bool read_record(journal *j, size_t *length)
{
    record r;
    if (fread(&r, sizeof r, 1, j->file) != 1 || r.length > (uint64_t)1 << 30 || !need(j, r.length + 1) ||
        (r.length && fread(j->room, r.length, 1, j->file) != 1) || r.checksum != carom_checksum(0, j->room, r.length))
        return false;
    j->room[r.length] = 0;
    *length = r.length;
    return true;
}

/* The entries as texts one after the other, in j->room; their length. 0: no memory */
static size_t pack_entries(journal *j, const carom_store_form *form)
{
    size_t length = 0, at = 0;
    for (int i = 0; i < form->nentry; i++)
        length += strlen(form->entry[i].key) + strlen(form->entry[i].value) + 2;
    if (!need(j, length + 1))
        return 0;
    for (int i = 0; i < form->nentry; i++) {
        const char *const texts[] = {form->entry[i].key, form->entry[i].value};
        for (int k = 0; k < 2; k++) {
            memcpy(j->room + at, texts[k], strlen(texts[k]) + 1);
            at += strlen(texts[k]) + 1;
        }
    }
    return length;
}

/* Is it of the same sweep? Tells what differs. */
static carom_status compare(const journal *j, size_t length, const carom_store_form *form, carom_error *error)
{
    enum { MOST = 64 };
    carom_store_entry entry[MOST];
    int n = 0;
    for (size_t at = 0; at < length && n < MOST; n++) {
        const char *key = (const char *)j->room + at, *value;
        at += strlen(key) + 1;
        value = (const char *)j->room + (at < length ? at : length);
        at += strlen(value) + 1;
        entry[n] = (carom_store_entry){key, value};
    }
    return carom_store_compare(&(carom_store_form){entry, NULL, n, 0}, form, j->path, NULL, error);
}

static carom_status read_rows(journal *j, int ncolumn, long *whole, carom_error *error)
{
    size_t length, values = sizeof(double) * (size_t)ncolumn;
    double *value = malloc(values + 1);
    carom_status status = value ? CAROM_OK : carom_fail(error, CAROM_NO_MEMORY, "no memory for '%s'", j->path);
    for (*whole = ftell(j->file); status == CAROM_OK && read_record(j, &length); *whole = ftell(j->file)) {
        carom_store_row row = {.value = value};
        if (length < sizeof row.index + values + 2)
            break;
        memcpy(&row.index, j->room, sizeof row.index);
        memcpy(value, j->room + sizeof row.index, values);
        row.status = (const char *)j->room + sizeof row.index + values;
        row.text = row.status + strlen(row.status) + 1;
        if ((const unsigned char *)row.text >= j->room + length)
            break;
        status = carom_store_memory.put(j->memory, &row, ncolumn, error);
    }
    free(value);
    return status;
}

/* false: there is no journal, or not even its head is whole. */
static bool take_up(journal *j, const carom_store_form *form, carom_status *status, carom_error *error)
{
    char head[sizeof magic];
    size_t length;
    long whole = 0;
    *status = CAROM_OK;
    j->file = fopen(j->path, "rb+");
    if (!j->file || fread(head, sizeof head, 1, j->file) != 1 || memcmp(head, magic, sizeof magic) != 0 ||
        !read_record(j, &length)) {
        if (j->file)
            fclose(j->file);
        j->file = NULL;
        return false;
    }
    *status = compare(j, length, form, error);
    if (*status == CAROM_OK)
        *status = read_rows(j, form->ncolumn, &whole, error);
    errno = 0;
    if (*status == CAROM_OK &&
        (ftruncate(fileno(j->file), whole) != 0 || fseek(j->file, whole, SEEK_SET) != 0))
        *status = fail_file(j, "written", error);
    return true;
}

static carom_status begin(journal *j, const carom_store_form *form, carom_error *error)
{
    size_t length = pack_entries(j, form);
    errno = length ? 0 : ENOMEM;
    j->file = length ? fopen(j->path, "wb+") : NULL;
    if (!j->file)
        return fail_file(j, "created", error);
    if (fwrite(magic, sizeof magic, 1, j->file) != 1)
        return fail_file(j, "written", error);
    CAROM_TRY(write_record(j, length, error));
    return commit(j, error);
}

carom_status carom_store_journal(carom_store *store, const char *path, const carom_store_form *form, bool resume,
                                 carom_error *error)
{
    journal *j = calloc(1, sizeof *j);
    size_t room = strlen(path) + sizeof ".rows";
    store->keeper = &keeper;
    store->keep = j;
    if (j)
        j->path = malloc(room), j->memory = carom_store_memory_new();
    if (!j || !j->path || !j->memory)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for the rows of '%s'", path);
    snprintf(j->path, room, "%s.rows", path);
    CAROM_TRY(carom_store_adopt(store, form, error));
    carom_status status;
    if (resume && take_up(j, form, &status, error))
        return status;
    return begin(j, form, error);
}
