/* picture.c: the map of a sweep over a grid of two axes, from its store. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/sweep/sweep.h"
#include "output/map/map.h"

typedef struct plane {
    double *value;
    unsigned char *known;
    long long n;
    int column;
} plane;

static carom_status collect(void *user, const carom_store_row *row, carom_error *error)
{
    plane *p = user;
    if (row->index < 0 || row->index >= p->n)
        CAROM_FAIL(error, CAROM_FILE, "point %lld is none of %lld", row->index, p->n);
    p->value[row->index] = row->value[p->column];
    p->known[row->index] = 1;
    return CAROM_OK;
}

static int find_column(const carom_store_form *form, int naxis, const char *name)
{
    for (int k = naxis; k < form->ncolumn; k++)
        if (!name || !strcmp(form->column[k], name))
            return k;
    return -1;
}

static carom_map_side side(const carom_sweep_axis *axis)
{
    return (carom_map_side){axis->name, axis->from, axis->to, (int)axis->n};
}

static carom_status draw(carom_store *store, const carom_sweep *s, plane *p, const char *path, carom_error *error)
{
    const carom_store_form *form = carom_store_shape(store);
    const char *model = carom_store_value(form, "model"), *name = form->column[p->column];
    char title[300];
    CAROM_TRY(carom_store_scan(store, collect, p, error));
    snprintf(title, sizeof title, "%s: %s", model ? model : "", name);
    const carom_map map = {.title = title,
                           .name = name,
                           .x = side(&s->axis[0]),
                           .y = side(&s->axis[1]),
                           .value = p->value,
                           .known = p->known,
                           .signs = !strcmp(name, "lyapunov")};
    return carom_map_write(path, &map, error);
}

int carom_cli_picture(carom_store *store, const char *path, const char *name)
{
    carom_sweep s = {0};
    carom_error error = {0};
    carom_arena *arena = carom_arena_new(0);
    const carom_store_form *form = carom_store_shape(store);
    const char *design = carom_store_value(form, "design");
    plane p = {0};
    int code = CAROM_EXIT_OK;
    if (!arena || !design || !carom_cli_design_read(arena, design, &s) || s.design != CAROM_DESIGN_GRID ||
        s.naxis != 2) {
        code = carom_cli_fail(CAROM_EXIT_USAGE, "a picture needs a grid over two axes");
    } else if ((p.column = find_column(form, s.naxis, name)) < 0) {
        code = carom_cli_fail(CAROM_EXIT_USAGE, "the sweep has no measure '%s'", name ? name : "");
    } else {
        p.n = s.points;
        p.value = malloc(sizeof(double) * (size_t)p.n);
        p.known = calloc((size_t)p.n, 1);
        carom_status status = p.value && p.known
                                  ? draw(store, &s, &p, path, &error)
                                  : carom_fail(&error, CAROM_NO_MEMORY, "no memory for a picture of %lld points", p.n);
        if (status != CAROM_OK)
            code =
                carom_cli_fail(status == CAROM_BAD_ARGUMENT ? CAROM_EXIT_USAGE : CAROM_EXIT_FAILED, "%s", error.text);
    }
    free(p.value);
    free(p.known);
    carom_arena_free(arena);
    return code;
}
