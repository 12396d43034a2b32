/* tables.c: measured functions of a model file: x and y lists, points, or a file of two columns. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/archive.h"
#include "model/source.h"

enum { MOST_POINTS = 100000 };

typedef struct columns {
    double *x, *y;
    int n;
} columns;

static carom_status room(carom_loader *l, int n, columns *c)
{
    c->x = CAROM_NEW(l->s->arena, double, n);
    c->y = CAROM_NEW(l->s->arena, double, n);
    if (!c->x || !c->y)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for a table of %d points", n);
    return CAROM_OK;
}

static carom_status is_list(carom_loader *l, const carom_text_node *node, const char *what, int least)
{
    if (node->kind != CAROM_TEXT_LIST)
        return carom_load_fail(l, node->place, "%s must be a list", what);
    if (node->nchild < least || node->nchild > MOST_POINTS)
        return carom_load_fail(l, node->place, "%s has %d entries; there must be %d to %d", what, node->nchild, least,
                               MOST_POINTS);
    return CAROM_OK;
}

static carom_status from_lists(carom_loader *l, const carom_text_node *x, const carom_text_node *y, columns *c)
{
    CAROM_TRY(is_list(l, x, "x", 2));
    CAROM_TRY(is_list(l, y, "y", 2));
    if (x->nchild != y->nchild)
        return carom_load_fail(l, y->place, "the table has %d values of x but %d of y", x->nchild, y->nchild);
    CAROM_TRY(room(l, x->nchild, c));
    const carom_text_node *i = x->child, *j = y->child;
    for (; i && j; i = i->next, j = j->next, c->n++) {
        CAROM_TRY(carom_load_number(l, i, "x", &c->x[c->n]));
        CAROM_TRY(carom_load_number(l, j, "y", &c->y[c->n]));
    }
    return CAROM_OK;
}

static carom_status from_points(carom_loader *l, const carom_text_node *points, columns *c)
{
    CAROM_TRY(is_list(l, points, "points", 2));
    CAROM_TRY(room(l, points->nchild, c));
    for (const carom_text_node *i = points->child; i; i = i->next, c->n++) {
        if (i->kind != CAROM_TEXT_LIST || i->nchild != 2)
            return carom_load_fail(l, i->place, "a point of a table is a list [x, y]");
        CAROM_TRY(carom_load_number(l, i->child, "x", &c->x[c->n]));
        CAROM_TRY(carom_load_number(l, i->child->next, "y", &c->y[c->n]));
    }
    return CAROM_OK;
}

/* Two numbers of a line, separated by a comma, a semicolon or blanks. */
static bool two_numbers(char *line, double *x, double *y)
{
    char *second = line + strcspn(line, ",; \t");
    if (!*second)
        return false;
    *second++ = 0;
    second += strspn(second, ",; \t");
    second[strcspn(second, ",; \t")] = 0;
    return carom_number(line, x) && carom_number(second, y);
}

static carom_status from_file(carom_loader *l, const carom_text_node *node, columns *c)
{
    carom_source *s = l->s;
    carom_text_file data;
    carom_error why;
    if (node->kind != CAROM_TEXT_SCALAR || !node->text[0])
        return carom_load_fail(l, node->place, "file must be the path of a file with two columns");
    char *path = carom_arena_format(s->arena, "%s%s", node->text[0] == '/' ? "" : s->folder, node->text);
    if (!path)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for a path");
    if (carom_text_read(s->arena, path, &data, &why) != CAROM_OK)
        return carom_load_fail(l, node->place, "%s", why.text);
    s->named = carom_checksum(s->named, data.bytes, data.length);
    char *text = carom_arena_text(s->arena, data.bytes, data.length);
    int lines = 1, number = 0;
    for (size_t i = 0; i < data.length; i++)
        lines += data.bytes[i] == '\n';
    if (!text || room(l, lines, c) != CAROM_OK)
        return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for the table in %s", path);
    for (char *line = text, *end; line; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = 0;
        number++;
        line += strspn(line, " \t\r");
        line[strcspn(line, "\r")] = 0;
        if (!*line || *line == '#')
            continue;
        if (two_numbers(line, &c->x[c->n], &c->y[c->n]))
            c->n++;
        else if (c->n > 0 || number > 1) /* the first line may name the columns */
            return carom_load_fail(l, node->place, "%s:%d: two numbers are needed", path, number);
    }
    return CAROM_OK;
}

static carom_status options(carom_loader *l, const carom_text_node *table, carom_expr_data *data)
{
    static const char *const kinds[] = {"spline", "pchip", "linear"};
    const carom_text_node *kind = carom_text_get(table, "kind"), *periodic = carom_text_get(table, "periodic");
    if (kind) {
        int i = 0;
        while (i < 3 && (kind->kind != CAROM_TEXT_SCALAR || strcmp(kind->text, kinds[i]) != 0))
            i++;
        if (i == 3)
            return carom_load_fail(l, kind->place, "kind must be spline, pchip or linear");
        data->kind = i == 0 ? CAROM_TABLE_SPLINE : i == 1 ? CAROM_TABLE_PCHIP : CAROM_TABLE_LINEAR;
    }
    if (periodic) {
        bool yes = periodic->kind == CAROM_TEXT_SCALAR && strcmp(periodic->text, "true") == 0;
        if (!yes && (periodic->kind != CAROM_TEXT_SCALAR || strcmp(periodic->text, "false") != 0))
            return carom_load_fail(l, periodic->place, "periodic must be true or false");
        data->periodic = yes;
    }
    return CAROM_OK;
}

static carom_status check(carom_loader *l, const carom_text_node *table, const carom_expr_data *d)
{
    if (d->n < 2)
        return carom_load_fail(l, table->place, "table '%s' has %d points; there must be at least 2", table->key, d->n);
    for (int i = 0; i < d->n; i++)
        if (!isfinite(d->x[i]) || !isfinite(d->y[i]))
            return carom_load_fail(l, table->place, "point %d of table '%s' is not finite", i + 1, table->key);
    for (int i = 1; i < d->n; i++)
        if (!(d->x[i] > d->x[i - 1]))
            return carom_load_fail(l, table->place,
                                   "x must increase: points %d and %d of table '%s' have x = %.6g and %.6g", i, i + 1,
                                   table->key, d->x[i - 1], d->x[i]);
    if (d->periodic && fabs(d->y[d->n - 1] - d->y[0]) > 1e-12 * (fabs(d->y[0]) + fabs(d->y[d->n - 1])))
        return carom_load_fail(l, table->place, "a periodic table must end where it begins: y = %.6g and %.6g", d->y[0],
                               d->y[d->n - 1]);
    return CAROM_OK;
}

carom_status carom_load_tables(carom_loader *l)
{
    static const char *const keys[] = {"x", "y", "points", "file", "kind", "periodic"};
    const carom_text_node *tables = carom_text_get(l->s->root, "tables");
    for (const carom_text_node *t = tables ? tables->child : NULL; t; t = t->next) {
        columns c = {NULL, NULL, 0};
        carom_expr_data data = {.kind = CAROM_TABLE_SPLINE};
        CAROM_TRY(carom_load_map(l, t, "a table"));
        CAROM_TRY(carom_load_keys(l, t, keys, CAROM_COUNT(keys), "a table"));
        const carom_text_node *x = carom_text_get(t, "x"), *y = carom_text_get(t, "y");
        const carom_text_node *points = carom_text_get(t, "points"), *file = carom_text_get(t, "file");
        if ((x != NULL) != (y != NULL) || (x != NULL) + (points != NULL) + (file != NULL) != 1)
            return carom_load_fail(l, t->key_place, "table '%s' needs x and y, or points, or file", t->key);
        CAROM_TRY(x ? from_lists(l, x, y, &c) : points ? from_points(l, points, &c) : from_file(l, file, &c));
        CAROM_TRY(options(l, t, &data));
        data.n = c.n, data.x = c.x, data.y = c.y;
        CAROM_TRY(check(l, t, &data));
        if (data.periodic)
            c.y[c.n - 1] = c.y[0];
        if (carom_expr_add_table(l->s->pool, t->key, &data) < 0)
            return carom_fail(l->error, CAROM_NO_MEMORY, "out of memory for table '%s'", t->key);
    }
    return CAROM_OK;
}
