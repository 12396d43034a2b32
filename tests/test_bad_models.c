/* test_bad_models.c: every broken model of tests/bad is refused at the right place, with words that help; by the
 * library and, where the environment variable CAROM_COMMAND names it, by the command. Runs in the source folder.
 *
 * tests/bad/NNN-name.expected: lines that the message must contain, first file:line:column. Lines with @ say more:
 *     @status CAROM_SINGULAR_MASS       instead of CAROM_BAD_MODEL
 *     @allow-plugins */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "carom.h"
#include "testing.h"

#ifdef CAROM_NO_YAML
SKIP_MAIN("built without libfyaml")
#else

enum { MOST_FILES = 1000, MOST_LINES = 16 };

typedef struct expectation {
    carom_status status;
    bool allow_plugins;
    int n;
    char line[MOST_LINES][200]; /* [n] */
} expectation;

static int is_expected(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);
    return n > 9 && strcmp(entry->d_name + n - 9, ".expected") == 0;
}

static carom_status status_named(const char *name)
{
    static const struct { const char *name; carom_status status; } table[] = {
#define CAROM_STATUS_ENTRY(id, words) {#id, id},
        CAROM_STATUS_LIST(CAROM_STATUS_ENTRY)
#undef CAROM_STATUS_ENTRY
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (strcmp(table[i].name, name) == 0)
            return table[i].status;
    ck_abort_msg("no status is called %s", name);
    return CAROM_OK;
}

static expectation read_expectation(const char *path)
{
    expectation e = {.status = CAROM_BAD_MODEL};
    FILE *stream = fopen(path, "r");
    ck_assert_msg(stream != NULL, "%s: %s", path, strerror(errno));
    for (char line[200]; fgets(line, sizeof line, stream);) {
        line[strcspn(line, "\n")] = 0;
        if (strncmp(line, "@status ", 8) == 0)
            e.status = status_named(line + 8);
        else if (strcmp(line, "@allow-plugins") == 0)
            e.allow_plugins = true;
        else {
            ck_assert_msg(e.n < MOST_LINES && line[0] && line[0] != '@', "%s: '%s'", path, line);
            snprintf(e.line[e.n++], sizeof e.line[0], "%s", line);
        }
    }
    fclose(stream);
    ck_assert_msg(e.n >= 2, "%s says too little", path);
    return e;
}

/* What the message lacks, or NULL. */
static const char *lacking(const expectation *e, const char *message)
{
    for (int i = 0; i < e->n; i++)
        if (!strstr(message, e->line[i]))
            return e->line[i];
    return NULL;
}

static bool clean(const char *text)
{
    for (; *text; text++)
        if (((unsigned char)*text < 0x20 && *text != '\n') || *text == 0x7f)
            return false;
    return true;
}

/* As `carom run` does: the model, then the settings of its run section. */
static carom_status load(const char *path, bool allow_plugins, carom_error *error)
{
    carom_model *model = NULL;
    carom_load_options load_options = {.size = sizeof load_options, .allow_plugins = allow_plugins};
    carom_options options = carom_options_default();
    carom_status status = carom_model_load(&model, path, &load_options, error);
    if (status != CAROM_OK) {
        ck_assert_msg(model == NULL, "%s: fails, but there is a model", path);
        return status;
    }
    status = carom_options_from_model(&options, model, error);
    carom_model_free(model);
    return status;
}

typedef struct bad_file {
    char path[512];
    expectation expected;
} bad_file;

/* Calls judge for every broken model; it prints what is wrong and returns whether all is well. */
static void for_each_file(bool (*judge)(const bad_file *))
{
    struct dirent **entry;
    int n = scandir("tests/bad", &entry, is_expected, alphasort), failures = 0;
    ck_assert_msg(n >= 65, "tests/bad: %d files (this test runs in the source folder)", n);
    for (int i = 0; i < n; i++) {
        char expected[512];
        bad_file file;
        int stem = (int)strlen(entry[i]->d_name) - 9;
        snprintf(expected, sizeof expected, "tests/bad/%s", entry[i]->d_name);
        file.expected = read_expectation(expected);
        snprintf(file.path, sizeof file.path, "tests/bad/%.*s.yaml", stem, entry[i]->d_name);
        if (access(file.path, R_OK) != 0)
            snprintf(file.path, sizeof file.path, "tests/bad/%.*s.json", stem, entry[i]->d_name);
        failures += !judge(&file);
        free(entry[i]);
    }
    free(entry);
    fflush(stdout);
    ck_assert_msg(failures == 0, "%d of %d broken models are not refused as they should be", failures, n);
}

static bool judge_library(const bad_file *file)
{
    carom_error error = {0};
    carom_status status = load(file->path, file->expected.allow_plugins, &error);
    const char *lack = lacking(&file->expected, error.text);
    if (status == file->expected.status && error.status == status && !lack && clean(error.text) &&
        strstr(error.text, "\n  | ") && strchr(error.text, '^'))
        return true;
    printf("%s: status '%s', expected '%s'; lacks '%s' in: %s\n", file->path, carom_status_text(status),
           carom_status_text(file->expected.status), lack ? lack : "", error.text);
    return false;
}

START_TEST(every_broken_model_is_refused_at_its_place)
{
    for_each_file(judge_library);
}
END_TEST

/* Runs the command on a file; what it wrote to stderr. */
static int run_command(const bad_file *file, char *message, size_t size, off_t *printed)
{
    char path[SCRATCH], path_out[SCRATCH];
    int fd = mkstemp(scratch_name(path, "bad")), fd_out = mkstemp(scratch_name(path_out, "bad")), status;
    unlink(path), unlink(path_out);
    pid_t child = fork();
    if (child == 0) {
        const char *command = getenv("CAROM_COMMAND");
        dup2(fd_out, 1), dup2(fd, 2);
        if (file->expected.allow_plugins)
            execl(command, command, "run", file->path, "--allow-plugins", (char *)NULL);
        else
            execl(command, command, "run", file->path, (char *)NULL);
        _exit(99);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ssize_t n = pread(fd, message, size - 1, 0);
    message[n > 0 ? n : 0] = 0;
    *printed = lseek(fd_out, 0, SEEK_END);
    close(fd), close(fd_out);
    return status;
}

static bool judge_command(const bad_file *file)
{
    char message[4000];
    off_t printed;
    int status = run_command(file, message, sizeof message, &printed);
    const char *lack = lacking(&file->expected, message);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 3 && !lack && printed == 0)
        return true;
    printf("%s: exit code %d, signal %d, %ld bytes on stdout; lacks '%s' in: %s\n", file->path,
           WIFEXITED(status) ? WEXITSTATUS(status) : -1, WIFSIGNALED(status) ? WTERMSIG(status) : 0, (long)printed,
           lack ? lack : "", message);
    return false;
}

START_TEST(the_command_ends_with_3_and_the_same_words)
{
    if (getenv("CAROM_COMMAND"))
        for_each_file(judge_command);
}
END_TEST

/* ---- hostile files: made here, because they are large ---- */

static carom_error error;

static carom_status parse(const char *head, const char *piece, int n, const char *tail)
{
    size_t each = strlen(piece) + 16, used = strlen(head);
    char *text = malloc(used + each * (size_t)n + strlen(tail) + 1);
    ck_assert_ptr_nonnull(text);
    memcpy(text, head, used + 1);
    for (int i = 0; i < n; i++) /* %d: a new name each time */
        used += (size_t)snprintf(text + used, each, piece, i, i + 1);
    used += (size_t)sprintf(text + used, "%s", tail);
    carom_model *model = NULL;
    memset(&error, 0, sizeof error);
    carom_status status = carom_model_parse(&model, "m.yaml", text, used, NULL, &error);
    free(text);
    carom_model_free(model);
    return status;
}

static void refused(const char *head, const char *piece, int n, const char *tail, const char *words)
{
    carom_status status = parse(head, piece, n, tail);
    ck_assert_msg(status == CAROM_BAD_MODEL, "status '%s': %s ... %s", carom_status_text(status), piece, error.text);
    ck_assert_msg(strncmp(error.text, "m.yaml:", 7) == 0 && strstr(error.text, words), "'%s' is not in: %s", words,
                  error.text);
}

#define BALL "carom: 1\ncoordinates: {y: 1}\nkinetic: y'^2/2\n"

START_TEST(depth_is_limited_everywhere)
{
    refused(BALL "outputs: {a: ", "[", 100000, "", "nested deeper than 32");
    refused(BALL "potential: ", "(", 100000, "y", "m.yaml:4:");
    refused(BALL "potential: ", "-", 100000, "y\n", "m.yaml:4:");
    refused(BALL "potential: ", "y^", 100000, "y\n", "m.yaml:4:");
    refused(BALL "potential: ", "sin(", 100000, "y\n", "m.yaml:4:");
    refused(BALL "potential: ", "not ", 100000, "y\n", "m.yaml:4:");
    refused(BALL "let:\n", "  a%d: a%d + 1\n", 1999, "  a1999: y\n", "m.yaml:");
}
END_TEST

START_TEST(size_is_limited_everywhere)
{
    refused(BALL "#", "##########", 1700000, "\n", "16 MiB");
    refused(BALL "outputs: {", "k%d: y, ", 100000, "}\n", "outputs");
    refused(BALL "parameters: {", "k%d: 1, ", 100000, "}\n", "parameters");
    refused(BALL "let: {", "k%d: 1, ", 100000, "}\n", "let");
    refused(BALL "contacts: {", "k%d: {gap: y, restitution: 0}, ", 20000, "}\n", "contacts");
    refused(BALL "constraints: {", "k%d: y, ", 20000, "}\n", "constraints");
    refused("carom: 1\nkinetic: 1\ncoordinates: {", "k%d: 1, ", 20000, "}\n", "coordinates");
    refused(BALL "potential: ", "yyyyyyyyyy", 100000, "\n", "m.yaml:4:");
    refused(BALL "tables: {f: {x: [", "%d, ", 200000, "0], y: [0]}}\n", "entries");
}
END_TEST

/* A hundred squarings would have 2^100 terms if anything were expanded. */
START_TEST(shared_expressions_are_not_expanded)
{
    carom_status status = parse(BALL "let:\n  a0: 1 + y/1000\n", "  b%d: a%d\n", 0, "");
    ck_assert_msg(status == CAROM_OK, "%s", error.text);
    char text[8000] = BALL "let:\n  a0: 1 + y/1000\n";
    for (int i = 1; i <= 100; i++)
        sprintf(text + strlen(text), "  a%d: (a%d + a%d)/2 + sin(a%d)\n", i, i - 1, i - 1, i - 1);
    strcat(text, "potential: a100\n");
    carom_model *model = NULL;
    status = carom_model_parse(&model, "m.yaml", text, strlen(text), NULL, &error);
    ck_assert_msg(status == CAROM_OK || status == CAROM_BAD_MODEL, "%s: %s", carom_status_text(status), error.text);
    carom_model_free(model);
}
END_TEST

START_TEST(a_file_that_cannot_be_read_is_named_with_the_reason)
{
    carom_model *model = NULL;
    ck_assert_int_eq(carom_model_load(&model, "tests/bad/no-such-model.yaml", NULL, &error), CAROM_FILE);
    ck_assert_ptr_nonnull(strstr(error.text, "tests/bad/no-such-model.yaml"));
    ck_assert_ptr_nonnull(strstr(error.text, "No such file or directory"));
    ck_assert_int_eq(carom_model_load(&model, "tests/bad", NULL, &error), CAROM_FILE);
    ck_assert_ptr_nonnull(strstr(error.text, "directory"));
    ck_assert_int_eq(carom_model_load(&model, "bouncing-bal", NULL, &error), CAROM_FILE);
    ck_assert_msg(strstr(error.text, "bouncing-ball"), "%s", error.text);
    ck_assert_ptr_null(model);
}
END_TEST

/* A sound model with one byte changed either loads or fails with a place; nothing else may happen. */
START_TEST(one_wrong_byte_never_does_more_than_fail)
{
    static const char sound[] = "carom: 1\nparameters: {m: 1, g: 10, w: 2*m}\ncoordinates: {x: 0, y: 1}\n"
                                "velocities: {x: -1}\nlet: {s: sin(w*t)}\nkinetic: m*(x'^2 + y'^2)/2\n"
                                "potential: m*g*y\n"
                                "forces: {x: -x' + s}\ncontacts:\n"
                                "  ground: {gap: y, slip: [\"x'\"], friction: 0.3, restitution: 0.5}\n"
                                "tables: {f: {x: [0, 1, 2], y: [0, 1, 0]}}\noutputs: {a: f(y)}\nstop: y > 5 and t > 1\n"
                                "period: 2*pi/w\nrun: {t_end: 1, h: 0.01}\n";
    static const char letters[] = "{}[]:,-'\"(x)*/^0.9eE<=\n #&";
    carom_model *model = NULL;
    CHECK_OK(carom_model_parse(&model, "m.yaml", sound, sizeof sound - 1, NULL, &error), error);
    carom_model_free(model);
    unsigned random = 7;
    for (int i = 0; i < 3000; i++) {
        char text[sizeof sound];
        memcpy(text, sound, sizeof sound);
        random = random * 1664525u + 1013904223u;
        text[(random >> 8) % (sizeof sound - 1)] = letters[(random >> 24) % (sizeof letters - 1)];
        memset(&error, 0, sizeof error);
        model = NULL;
        carom_status status = carom_model_parse(&model, "m.yaml", text, sizeof sound - 1, NULL, &error);
        if (status != CAROM_OK)
            ck_assert_msg(strncmp(error.text, "m.yaml:", 7) == 0 && strchr(error.text, '^') && clean(error.text),
                          "%s for:\n%s", error.text, text);
        carom_model_free(model);
    }
}
END_TEST

TEST_MAIN("bad models", every_broken_model_is_refused_at_its_place, the_command_ends_with_3_and_the_same_words,
          depth_is_limited_everywhere, size_is_limited_everywhere, shared_expressions_are_not_expanded,
          a_file_that_cannot_be_read_is_named_with_the_reason, one_wrong_byte_never_does_more_than_fail)
#endif
