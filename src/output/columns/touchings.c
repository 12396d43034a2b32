/* touchings.c: reads the table of contacts that came and went in a run: STEM.contacts.csv beside STEM.csv, or the group
 * /contacts of HDF5 (hdf5.c). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bodies/bodies.h"
#include "output/columns/columns.h"

enum { NUMBERS = 13 }; /* mode, point, normal, force, impulse */

typedef struct named { /* a body, for a search by name */
    const char *name;
    int number;
} named;

static int by_name(const void *a, const void *b)
{
    return strcmp(((const named *)a)->name, ((const named *)b)->name);
}

/* The body of a side of a contact, "box.lid.2": the longest name of a body that it begins with; -1: none. */
static int body_of(const named *list, int n, char *side)
{
    for (;;) {
        const named key = {.name = side}, *found = bsearch(&key, list, (size_t)n, sizeof *list, by_name);
        char *dot = found ? NULL : strrchr(side, '.');
        if (found || !dot)
            return found ? found->number : -1;
        *dot = '\0';
    }
}

/* t, "second first", then the numbers; false: it is no such line. */
static bool read_line(char *line, const named *list, int n, carom_touching *c)
{
    double value[NUMBERS];
    char *at = line, *field = carom_csv_field(&at);
    if (!carom_number(field, &c->t) || !at)
        return false;
    char *name = carom_csv_field(&at), *space = strchr(name, ' ');
    c->body[0] = c->body[1] = -1;
    if (space) {
        *space = '\0';
        c->body[1] = body_of(list, n, name);
        c->body[0] = body_of(list, n, space + 1);
    }
    for (int i = 0; i < NUMBERS; i++)
        if (!at || !carom_number(carom_csv_field(&at), &value[i]))
            return false;
    c->mode = value[0];
    for (int i = 0; i < 3; i++)
        c->point[i] = value[1 + i], c->normal[i] = value[4 + i], c->force[i] = value[7 + i],
        c->impulse[i] = value[10 + i];
    return true;
}

static carom_status read_csv(const char *path, const carom_bodies *b, carom_touching_callback *put, void *user,
                             carom_error *error)
{
    FILE *file = fopen(path, "rb");
    named *list = file ? malloc(sizeof *list * (size_t)(b->nbody + 1)) : NULL;
    char *line = NULL;
    size_t size = 0;
    if (!file && errno == ENOENT)
        return CAROM_OK;
    if (!file)
        CAROM_FAIL(error, CAROM_FILE, "'%s' cannot be read: %s", path, strerror(errno));
    for (int k = 0; list && k < b->nbody; k++)
        list[k] = (named){b->body[k].name, k};
    if (list)
        qsort(list, (size_t)b->nbody, sizeof *list, by_name);
    carom_status status = list ? CAROM_OK : carom_fail(error, CAROM_NO_MEMORY, "no memory for '%s'", path);
    for (long number = 1; status == CAROM_OK && getline(&line, &size, file) > 0; number++) {
        carom_touching c = {.name = ""};
        size_t length = strlen(line);
        bool ended = length > 0 && line[length - 1] == '\n';
        line[ended ? length - 1 : length] = '\0';
        if (line[0] == '#' || strncmp(line, "t,contact,", 10) == 0 || !ended) /* a last line that is cut off */
            continue;
        if (read_line(line, list, b->nbody, &c))
            put(user, &c);
        else
            status = carom_fail(error, CAROM_FILE, "'%s' line %ld is not that of a contact", path, number);
    }
    free(line);
    free(list);
    fclose(file);
    return status;
}

carom_status carom_touchings_read(const char *path, const carom_model *model, carom_touching_callback *put, void *user,
                                  carom_error *error)
{
    const carom_bodies *b = model ? carom_bodies_of(model) : NULL;
    char beside[4096];
    if (!b || !model->links)
        return CAROM_OK;
    if (carom_ends_with(path, ".h5") || carom_ends_with(path, ".hdf5"))
        return carom_touchings_hdf5(path, put, user, error);
    int stem = (int)strlen(path) - 4;
    if (!carom_ends_with(path, ".csv") || snprintf(beside, sizeof beside, "%.*s.contacts.csv", stem, path) >= 4096)
        return CAROM_OK;
    return read_csv(beside, b, put, user, error);
}
