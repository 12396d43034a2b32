/* merge.c: `carom merge`: the files of the shards of a sweep become one, or one table, or one picture. */
#include <string.h>
#include <unistd.h>

#include "cli/sweep/sweep.h"
#include "output/output.h"

static const carom_cli_option own[] = {
    {"--output", "-o", "FILE", 0, CAROM_CLI_OWN, NULL, 0,
     "what to write: .sqlite (a sweep that --resume can complete), .csv, .png or .svg. Without it the first FILE is "
     "the one to write"},
    {"--measure", NULL, "NAME", 0, CAROM_CLI_OWN, NULL, 0,
     "which column a picture shows; the first measure if not given"},
    {"--strict", NULL, NULL, 0, CAROM_CLI_OWN, NULL, 0, "exit 4 when points are missing"},
    {"--json", NULL, NULL, 0, CAROM_CLI_OWN, NULL, 0, "one JSON object on standard output"},
    {"--quiet", NULL, NULL, 0, CAROM_CLI_OWN, NULL, 0, "no summary; errors remain"},
    {.name = NULL},
};

typedef struct work {
    const carom_cli *cli;
    const char *out;
    const char *const *in; /* [n] */
    int n;
    carom_store *store;
} work;

static bool ends(const char *path, const char *ending)
{
    size_t n = strlen(path), m = strlen(ending);
    return n > m && !strcmp(path + n - m, ending);
}

static bool picture(const char *path)
{
    return ends(path, ".png") || ends(path, ".svg");
}

/* The entries of the first file, but for its shard: the union is of all. */
static int create(work *w, const carom_store *first, carom_error *error)
{
    const carom_store_form *from = carom_store_shape(first);
    carom_store_entry *entry = CAROM_NEW(w->cli->arena, carom_store_entry, from->nentry + 1);
    if (!entry)
        return carom_cli_fail(CAROM_EXIT_FAILED, "%s", carom_status_text(CAROM_NO_MEMORY));
    for (int i = 0; i < from->nentry; i++) {
        entry[i] = from->entry[i];
        if (!strcmp(entry[i].key, "shard"))
            entry[i].value = "0/1";
    }
    const carom_store_form form = {entry, from->column, from->nentry, from->ncolumn};
    carom_status status = carom_store_create(&w->store, carom_store_path(w->out) ? w->out : NULL, &form, false, error);
    return status == CAROM_OK ? CAROM_EXIT_OK : carom_cli_fail(CAROM_EXIT_FAILED, "%s", error->text);
}

static carom_status copy_row(void *user, const carom_store_row *row, carom_error *error)
{
    return carom_store_put(user, row, 1, error);
}

static int add_file(work *w, const char *path)
{
    carom_store *from;
    carom_error error = {0};
    if (carom_store_open(&from, path, &error) != CAROM_OK)
        return carom_cli_fail(CAROM_EXIT_FAILED, "%s", error.text);
    int code = w->store ? CAROM_EXIT_OK : create(w, from, &error);
    carom_status status = CAROM_OK;
    if (code == CAROM_EXIT_OK)
        status = carom_store_compare(carom_store_shape(from), carom_store_shape(w->store), path, "shard", &error);
    if (code == CAROM_EXIT_OK && status == CAROM_OK) {
        status = carom_store_scan(from, copy_row, w->store, &error);
        if (status == CAROM_BAD_ARGUMENT)
            code = carom_cli_fail(CAROM_EXIT_FAILED, "'%s' contradicts the files before: %s", path, error.text);
    }
    if (status != CAROM_OK && code == CAROM_EXIT_OK)
        code = carom_cli_fail(CAROM_EXIT_FAILED, "%s", error.text);
    carom_store_close(from, NULL);
    return code;
}

static void tell(const work *w, const carom_cli_census *c)
{
    if (carom_cli_own(w->cli, "--json")) {
        carom_json *json;
        if (carom_json_new(&json, "standard output", stdout, true, NULL) != CAROM_OK)
            return;
        carom_json_object(json, NULL);
        carom_json_string(json, "output", w->out);
        carom_json_integer(json, "files", w->n);
        carom_json_integer(json, "points", c->points);
        carom_json_integer(json, "done", c->rows);
        carom_json_integer(json, "failed", c->failed);
        carom_json_integer(json, "missing", c->points - c->rows);
        carom_json_string(json, "missing_points", c->missing);
        carom_json_bool(json, "complete", c->rows == c->points);
        carom_json_end(json);
        carom_json_close(json, NULL);
    } else if (!carom_cli_own(w->cli, "--quiet")) {
        printf("%s: %lld of %lld points from %d file%s, %lld failed\n", w->out, c->rows, c->points, w->n,
               w->n == 1 ? "" : "s", c->failed);
    }
    fflush(stdout);
    if (c->rows < c->points)
        carom_cli_fail(0, "%lld of %lld points are missing: %s", c->points - c->rows, c->points, c->missing);
}

static int finish(work *w)
{
    carom_error error = {0};
    carom_cli_census census;
    carom_status status = carom_store_commit(w->store, &error);
    if (status == CAROM_OK)
        status = carom_cli_census_take(w->store, &census, &error);
    if (status == CAROM_OK && ends(w->out, ".csv"))
        status = carom_store_csv(w->store, w->out, NULL, &error);
    if (status != CAROM_OK)
        return carom_cli_fail(CAROM_EXIT_FAILED, "%s", error.text);
    int code =
        picture(w->out) ? carom_cli_picture(w->store, w->out, carom_cli_own(w->cli, "--measure")) : CAROM_EXIT_OK;
    if (code == CAROM_EXIT_OK)
        tell(w, &census);
    return code == CAROM_EXIT_OK && census.rows < census.points && carom_cli_own(w->cli, "--strict") ? CAROM_EXIT_UNMET
                                                                                                     : code;
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
    if (!carom_store_path(w->out) && !ends(w->out, ".csv") && !picture(w->out))
        return carom_cli_fail(CAROM_EXIT_USAGE, "merge writes FILE.sqlite, FILE.csv, FILE.png or FILE.svg, not '%s'",
                              w->out);
    if (carom_store_path(w->out) && access(w->out, F_OK) == 0)
        return carom_cli_fail(CAROM_EXIT_USAGE, "'%s' is there already; carom merge OUT FILE... writes OUT", w->out);
    return CAROM_EXIT_OK;
}

static int merge(const carom_cli *cli)
{
    work w = {.cli = cli};
    carom_error error = {0};
    int code = name_files(&w);
    if (code != CAROM_EXIT_OK)
        return code;
    for (int i = 0; i < w.n && code == CAROM_EXIT_OK; i++)
        code = add_file(&w, w.in[i]);
    if (code == CAROM_EXIT_OK)
        code = finish(&w);
    const bool made = w.store && carom_store_path(w.out);
    if (carom_store_close(w.store, &error) != CAROM_OK && code == CAROM_EXIT_OK)
        code = carom_cli_fail(CAROM_EXIT_FAILED, "%s", error.text);
    if (made && code != CAROM_EXIT_OK && code != CAROM_EXIT_UNMET)
        unlink(w.out); /* half a union is none */
    return code;
}

const carom_cli_command carom_cli_merge_command = {
    "merge",
    "FILES",
    1,
    100000,
    CAROM_CLI_MERGE,
    merge,
    "put the files of a sweep's shards together",
    "carom merge OUT FILE... reads the files that shards of one sweep have written and writes the union of their "
    "points to OUT: another .sqlite file, a .csv table in the order of points, or a map (.png, .svg). Files of "
    "different sweeps and contradicting results are refused; missing points are listed. A single file can be turned "
    "into a table or a map in the same way.",
    "carom merge all.sqlite part-0.sqlite part-1.sqlite\ncarom merge table.csv all.sqlite\ncarom merge map.png "
    "all.sqlite",
    own};
