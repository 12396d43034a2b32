/* merge.c: `carom merge`: the files of the shards of a sweep become one, or one table, or one picture. */
#include <string.h>
#include <unistd.h>

#include "cli/sweep/sweep.h"
#include "output/map/map.h"

static const carom_cli_option own[] = {
    {"--output", "-o", "FILE", 0, CAROM_CLI_OWN, NULL, 0,
     "what to write: .sqlite (a sweep that --resume can complete), .csv, .h5, .png, .svg or .html. Without it the "
     "first FILE "
     "is the one to write"},
    CAROM_CLI_OWN_OPTION("--measure", "NAME",
     "which column a picture shows; the first measure if not given"),
    CAROM_CLI_OWN_OPTION("--strict", NULL, "exit 4 when points are missing"),
    CAROM_CLI_OWN_OPTION("--json", NULL, "one JSON object on standard output"),
    CAROM_CLI_OWN_OPTION("--quiet", NULL, "no summary; errors remain"),
    {.name = NULL},
};

typedef struct work {
    const carom_cli *cli;
    const char *out;
    const char *const *in; /* [n] */
    int n;
    carom_store *store;
    carom_cli_census census;
} work;

/* The entries of the first file, but for its shard: the union is of all. */
static int create(work *w, const carom_store *first, carom_error *error)
{
    const carom_store_form *from = carom_store_shape(first);
    carom_store_entry *entry = CAROM_NEW(w->cli->arena, carom_store_entry, from->nentry + 1);
    if (!entry)
        return carom_cli_no_memory();
    for (int i = 0; i < from->nentry; i++) {
        entry[i] = from->entry[i];
        if (!strcmp(entry[i].key, "shard"))
            entry[i].value = "0/1";
    }
    const carom_store_form form = {entry, from->column, from->nentry, from->ncolumn};
    const char *path = carom_store_path(w->out) ? w->out : NULL;
    return carom_cli_done(carom_store_create(&w->store, path, &form, false, error), error);
}

static carom_status copy_row(void *user, const carom_store_row *row, carom_error *error)
{
    return carom_store_put(user, row, 1, error);
}

static int add_rows(work *w, carom_store *from, const char *path)
{
    carom_error error = {0};
    if (!w->store)
        CAROM_CLI_TRY(create(w, from, &error));
    carom_status status =
        carom_store_compare(carom_store_shape(from), carom_store_shape(w->store), path, "shard", &error);
    CAROM_CLI_TRY(carom_cli_done(status, &error));
    status = carom_store_scan(from, copy_row, w->store, &error);
    return status == CAROM_BAD_ARGUMENT
               ? carom_cli_fail(CAROM_EXIT_FAILED, "'%s' contradicts the files before: %s", path, error.text)
               : carom_cli_done(status, &error);
}

static int add_file(work *w, const char *path)
{
    carom_store *from;
    carom_error error = {0};
    CAROM_CLI_TRY(carom_cli_done(carom_store_open(&from, path, &error), &error));
    int code = add_rows(w, from, path);
    carom_store_close(from, NULL);
    return code;
}

static const carom_result_field fields[] = {CAROM_CELL("output", CAROM_TEXT, work, out),
                                            CAROM_CELL("files", CAROM_INT, work, n),
                                            CAROM_CELL("points", CAROM_LONG_LONG, work, census.points),
                                            CAROM_CELL("done", CAROM_LONG_LONG, work, census.rows),
                                            CAROM_CELL("failed", CAROM_LONG_LONG, work, census.failed),
                                            CAROM_CELL("missing", CAROM_LONG_LONG, work, census.absent),
                                            CAROM_CELL("missing_points", CAROM_CHARS, work, census.missing),
                                            CAROM_CELL("complete", CAROM_BOOL, work, census.complete),
                                            {.name = NULL}};

static int finish(work *w)
{
    const carom_cli *cli = w->cli;
    const carom_cli_census *c = &w->census;
    carom_error error = {0};
    CAROM_CLI_TRY(carom_cli_done(carom_store_commit(w->store, &error), &error));
    CAROM_CLI_TRY(carom_cli_done(carom_cli_census_take(w->store, &w->census, &error), &error));
    if (carom_store_table_path(w->out))
        CAROM_CLI_TRY(carom_cli_done(carom_store_table(w->store, w->out, NULL, &error), &error));
    if (carom_map_drawable(w->out))
        CAROM_CLI_TRY(carom_cli_picture(cli->arena, w->store, w->out, carom_cli_own(cli, "--measure")));
    if (carom_cli_own(cli, "--json"))
        CAROM_CLI_TRY(carom_cli_json(fields, w));
    else if (!carom_cli_own(cli, "--quiet"))
        printf("%s: %lld of %lld points from %d file%s, %lld failed\n", w->out, c->rows, c->points, w->n,
               w->n == 1 ? "" : "s", c->failed);
    fflush(stdout);
    if (c->complete)
        return CAROM_EXIT_OK;
    return carom_cli_fail(carom_cli_own(cli, "--strict") ? CAROM_EXIT_UNMET : CAROM_EXIT_OK,
                          "%lld of %lld points are missing: %s", c->absent, c->points, c->missing);
}

/* Without -o the first file is written: one that is there already may be a shard that was meant to be read. */
static int name_files(work *w)
{
    w->out = carom_cli_own(w->cli, "--output");
    w->in = w->cli->operand, w->n = w->cli->noperand;
    if (!w->out) {
        w->out = w->in[0];
        w->in++, w->n--;
    }
    if (w->n == 0)
        return carom_cli_fail(CAROM_EXIT_USAGE,
                              "merge needs the files to read: carom merge OUT FILE..., or FILE... -o OUT");
    if (!carom_store_path(w->out) && !carom_store_table_path(w->out) && !carom_map_drawable(w->out))
        return carom_cli_fail(CAROM_EXIT_USAGE,
                              "merge writes FILE.sqlite, FILE.csv, FILE.h5, FILE.png, FILE.svg or FILE.html, not '%s'",
                              w->out);
    if (carom_store_path(w->out) && access(w->out, F_OK) == 0)
        return carom_cli_fail(CAROM_EXIT_USAGE, "'%s' is there already; carom merge OUT FILE... writes OUT", w->out);
    return CAROM_EXIT_OK;
}

static int merge(const carom_cli *cli)
{
    work w = {.cli = cli};
    carom_error error = {0};
    CAROM_CLI_TRY(name_files(&w));
    int code = CAROM_EXIT_OK;
    for (int i = 0; i < w.n && code == CAROM_EXIT_OK; i++)
        code = add_file(&w, w.in[i]);
    if (code == CAROM_EXIT_OK)
        code = finish(&w);
    const bool made = w.store && carom_store_path(w.out);
    int closed = carom_cli_done(carom_store_close(w.store, &error), &error);
    code = code == CAROM_EXIT_OK ? closed : code;
    if (made && code != CAROM_EXIT_OK && code != CAROM_EXIT_UNMET)
        unlink(w.out); /* half a union is none */
    return code;
}

const carom_cli_command carom_cli_merge_command = {
    "merge", "FILES", 1, 100000, CAROM_CLI_MERGE, merge, "put the files of a sweep's shards together",
    "carom merge OUT FILE... reads the files that shards of one sweep have written and writes the union of their "
    "points to OUT: another .sqlite file, a .csv or .h5 table in the order of points, or a map (.png, .svg, .html). "
    "Files of "
    "different sweeps and contradicting results are refused; missing points are listed. A single file can be turned "
    "into a table or a map in the same way.",
    "carom merge all.sqlite part-0.sqlite part-1.sqlite\ncarom merge table.csv all.sqlite\ncarom merge map.png "
    "all.sqlite",
    own};
