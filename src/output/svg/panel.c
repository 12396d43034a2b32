/* panel.c: which columns are drawn. Asked for by name, or what a trajectory has: coordinates, velocities, forces of
 * contact and, apart from them, impulses. */
#include <stdlib.h>
#include <string.h>

#include "output/svg/panel.h"

enum { CURVES_MOST = 6 }; /* in a panel that was not asked for */

void carom_panels_free(carom_panels *panels)
{
    for (int i = 0; i < panels->n; i++)
        free(panels->panel[i].column);
    free(panels->panel);
    *panels = (carom_panels){0};
}

static carom_status add_panel(carom_panels *panels, int x, carom_panel **panel, carom_error *error)
{
    if (panels->n == panels->room) {
        int room = 2 * panels->room + 4;
        carom_panel *more = realloc(panels->panel, (size_t)room * sizeof *more);
        if (!more)
            CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for %d panels", room);
        panels->panel = more;
        panels->room = room;
    }
    *panel = &panels->panel[panels->n++];
    **panel = (carom_panel){.x = x};
    return CAROM_OK;
}

static carom_status add_column(carom_panel *panel, int column, carom_error *error)
{
    if (panel->n == panel->room) {
        int room = 2 * panel->room + 8;
        int *more = realloc(panel->column, (size_t)room * sizeof *more);
        if (!more)
            CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for %d curves", room);
        panel->column = more;
        panel->room = room;
    }
    panel->column[panel->n++] = column;
    return CAROM_OK;
}

static carom_status find(const carom_columns *table, const char *name, int *column, carom_error *error)
{
    *column = carom_columns_find(table, name);
    if (*column >= 0)
        return CAROM_OK;
    const char *near = carom_nearest(name, (const char *const *)table->name, table->ncolumn);
    if (near)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "'%s' has no column '%.100s'; did you mean '%s'?", table->title, name,
                   near);
    char list[600] = "";
    size_t used = 0;
    for (int i = 0; i < table->ncolumn && used < 500; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%.60s", i ? ", " : "", table->name[i]);
    CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "'%s' has no column '%.100s', but %s", table->title, name, list);
}

static bool contains(const char *name, const char *part)
{
    return strstr(name, part) != NULL;
}

/* "y,z" */
static carom_status ask_panel(carom_panels *panels, const carom_columns *table, int x, const char *names,
                              carom_error *error)
{
    carom_panel *panel = NULL;
    char *copy = strdup(names), *rest = copy;
    if (!copy)
        CAROM_FAIL(error, CAROM_NO_MEMORY, "no memory for the names of a panel");
    carom_status status = add_panel(panels, x, &panel, error);
    while (status == CAROM_OK && rest) {
        int column;
        char *name = strsep(&rest, ",");
        status = find(table, name, &column, error);
        if (status == CAROM_OK)
            status = add_column(panel, column, error);
    }
    free(copy);
    CAROM_TRY(status);
    panel->stems = true;
    for (int i = 0; i < panel->n; i++)
        panel->stems = panel->stems && contains(table->name[panel->column[i]], ".impulse");
    return CAROM_OK;
}

static carom_status add_phase(carom_panels *panels, const carom_columns *table, const char *x, const char *y,
                              carom_error *error)
{
    int columns[2];
    carom_panel *panel = NULL;
    CAROM_TRY(find(table, x, &columns[0], error));
    CAROM_TRY(find(table, y, &columns[1], error));
    CAROM_TRY(add_panel(panels, columns[0], &panel, error));
    panel->phase = panel->x_labels = true;
    return add_column(panel, columns[1], error);
}

/* ---- what a trajectory has ---- */
static bool is_coordinate(const carom_columns *table, int i)
{
    char name[300];
    if (strlen(table->name[i]) + 2 > sizeof name)
        return false;
    snprintf(name, sizeof name, "%s'", table->name[i]);
    return carom_columns_find(table, name) >= 0;
}

static bool is_velocity(const carom_columns *table, int i)
{
    size_t n = strlen(table->name[i]);
    char name[300];
    if (n < 2 || n > sizeof name || table->name[i][n - 1] != '\'')
        return false;
    memcpy(name, table->name[i], n - 1);
    name[n - 1] = '\0';
    return carom_columns_find(table, name) >= 0;
}

static bool has_values(const carom_columns *table, int i)
{
    for (size_t k = 0; k < table->nrow; k++)
        if (table->column[i][k] != 0)
            return true;
    return false;
}

static bool is_force(const carom_columns *table, int i)
{
    return contains(table->name[i], ".force") && has_values(table, i);
}

static bool is_impulse(const carom_columns *table, int i)
{
    return contains(table->name[i], ".impulse") && has_values(table, i);
}

static bool is_any(const carom_columns *table, int i)
{
    return strcmp(table->name[i], "side") != 0;
}

static carom_status gather(carom_panels *panels, const carom_columns *table, int x,
                           bool (*wanted)(const carom_columns *, int), bool stems, carom_error *error)
{
    carom_panel *panel = NULL;
    for (int i = 0; i < table->ncolumn; i++) {
        if (i == x || !wanted(table, i) || (panel && panel->n == CURVES_MOST))
            continue;
        if (!panel)
            CAROM_TRY(add_panel(panels, x, &panel, error));
        panel->stems = stems;
        CAROM_TRY(add_column(panel, i, error));
    }
    return CAROM_OK;
}

static carom_status standard_panels(carom_panels *panels, const carom_columns *table, int x, bool portrait,
                                    carom_error *error)
{
    CAROM_TRY(gather(panels, table, x, is_coordinate, false, error));
    CAROM_TRY(gather(panels, table, x, is_velocity, false, error));
    if (panels->n == 0)
        return gather(panels, table, x, is_any, false, error);
    CAROM_TRY(gather(panels, table, x, is_force, false, error));
    CAROM_TRY(gather(panels, table, x, is_impulse, true, error));
    if (!portrait || panels->n < 2 || panels->panel[0].n == 0)
        return CAROM_OK;
    const char *q = table->name[panels->panel[0].column[0]];
    char v[300];
    snprintf(v, sizeof v, "%s'", q);
    return add_phase(panels, table, q, v, error);
}

static carom_status choose(carom_panels *panels, const carom_columns *table, const carom_plot *plot, carom_error *error)
{
    int x = CAROM_MAX(carom_columns_find(table, "t"), 0);
    if (plot->x)
        CAROM_TRY(find(table, plot->x, &x, error));
    for (int i = 0; i < plot->npanel; i++)
        CAROM_TRY(ask_panel(panels, table, x, plot->panels[i], error));
    for (int i = 0; i < CAROM_MIN(plot->ndots, panels->n); i++)
        panels->panel[i].dots = true;
    if (plot->npanel == 0 && plot->nphase == 0)
        CAROM_TRY(standard_panels(panels, table, x, plot->portrait, error));
    for (int i = 0; i < plot->nphase; i++)
        CAROM_TRY(add_phase(panels, table, plot->phase[2 * i], plot->phase[2 * i + 1], error));
    if (panels->n == 0)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "'%s' has nothing to plot against '%s'", table->title, table->name[x]);
    for (int i = 0; i < panels->n; i++)
        panels->panel[i].x_labels = panels->panel[i].phase || i + 1 == panels->n || panels->panel[i + 1].phase;
    return CAROM_OK;
}

carom_status carom_panels_choose(carom_panels *panels, const carom_columns *table, const carom_plot *plot,
                                 carom_error *error)
{
    *panels = (carom_panels){0};
    carom_status status = choose(panels, table, plot, error);
    if (status != CAROM_OK)
        carom_panels_free(panels);
    return status;
}
