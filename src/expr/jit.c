/* jit.c: native code for tapes: source (emit.c), a compiler that is run without a shell, a cache of objects, dlopen.
 *
 * An object is named by the hash of its source and of the compiler's version; it is written under a name of its own and
 * renamed, so that two runs never see half of one. Behind it stands a checksum: an object that is damaged, or that is
 * not ours alone to write, is not loaded but compiled again. Without a cache directory a temporary one serves for one
 * run. */
#include "expr/jit.h"

#include "core/archive.h"

#ifdef CAROM_NO_JIT

carom_status carom_jit_new(carom_jit **result, carom_tape *const *tapes, int n, carom_error *error)
{
    (void)tapes, (void)n;
    *result = NULL;
    CAROM_FAIL(error, CAROM_UNSUPPORTED, "native code: this build of Carom has no compiler (WITH_JIT is off)");
}

void carom_jit_free(carom_jit *jit)
{
    (void)jit;
}

#else

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH = 4096, WORDS = 16 };

struct carom_jit {
    void *library;
};

/* ---- the compiler ---- */

typedef struct compiler { /* $CC cut at blanks, else cc */
    char text[1024];
    char *word[WORDS + 1];
    int n;
    char version[512]; /* what it says of itself */
} compiler;

extern char **environ;

/* Reads what the child says, keeps the beginning of it, and waits. Returns its exit code, -1 if it did not exit. */
static int attend(pid_t pid, int from, char *said, size_t size)
{
    char rest[512];
    size_t used = 0;
    for (;;) {
        bool room = used + 1 < size;
        ssize_t n = read(from, room ? said + used : rest, room ? size - 1 - used : sizeof rest);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        used += room ? (size_t)n : 0;
    }
    said[used] = 0;
    int status;
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR)
            return -1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* errno, or 0 and the exit code with the beginning of its output. */
static int run(char *const *argv, int *code, char *said, size_t size)
{
    int pipes[2];
    pid_t pid;
    posix_spawn_file_actions_t actions;
    if (pipe2(pipes, O_CLOEXEC) != 0)
        return errno;
    int failure = posix_spawn_file_actions_init(&actions);
    if (failure == 0) {
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_adddup2(&actions, pipes[1], 1);
        posix_spawn_file_actions_adddup2(&actions, pipes[1], 2);
        failure = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    close(pipes[1]);
    if (failure == 0)
        *code = attend(pid, pipes[0], said, size);
    close(pipes[0]);
    return failure;
}

static void first_line(char *text)
{
    text[strcspn(text, "\r\n")] = 0;
}

static carom_status find_compiler(compiler *c, carom_error *error)
{
    const char *named = getenv("CC");
    int code = 0;
    snprintf(c->text, sizeof c->text, "%s", named && named[strspn(named, " ")] ? named : "cc");
    c->n = 0;
    char *state = NULL;
    for (char *w = strtok_r(c->text, " ", &state); w && c->n < WORDS - 1;) {
        c->word[c->n++] = w;
        w = strtok_r(NULL, " ", &state);
    }
    c->word[c->n] = (char *)"--version";
    c->word[c->n + 1] = NULL;
    int failure = run(c->word, &code, c->version, sizeof c->version);
    c->word[c->n] = NULL;
    if (failure)
        CAROM_FAIL(error, CAROM_UNSUPPORTED, "native code: the compiler '%s' cannot be run: %s", c->word[0],
                   strerror(failure));
    if (code != 0)
        CAROM_FAIL(error, CAROM_UNSUPPORTED, "native code: '%s --version' ends with code %d", c->word[0], code);
    return CAROM_OK;
}

static carom_status run_compiler(const compiler *c, const char *source, const char *object, carom_error *error)
{
    static const char *const flags[] = {"-std=c11", "-O2", "-ffp-contract=off", "-fno-math-errno",
                                        "-fno-tree-slp-vectorize", "-w", "-shared", "-fPIC", "-x", "c"};
    char *argv[WORDS + CAROM_COUNT(flags) + 5], said[600];
    int n = 0, code = 0;
    for (int i = 0; i < c->n; i++)
        argv[n++] = c->word[i];
    for (int i = 0; i < CAROM_COUNT(flags); i++)
        argv[n++] = (char *)flags[i];
    argv[n++] = (char *)source;
    argv[n++] = (char *)"-o";
    argv[n++] = (char *)object;
    argv[n++] = (char *)"-lm";
    argv[n] = NULL;
    int failure = run(argv, &code, said, sizeof said);
    first_line(said);
    if (failure)
        CAROM_FAIL(error, CAROM_UNSUPPORTED, "native code: the compiler '%s' cannot be run: %s", argv[0],
                   strerror(failure));
    if (code != 0)
        CAROM_FAIL(error, CAROM_UNSUPPORTED, "native code: '%s' ends with code %d: %s", argv[0], code, said);
    return CAROM_OK;
}

/* ---- objects ---- */

static uint64_t fnv(uint64_t h, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)bytes[i]) * 0x100000001b3u;
    return h;
}

static void key_of(const compiler *c, const char *source, size_t length, char key[33])
{
    uint64_t h[2] = {0xcbf29ce484222325u, 0x9ae16a3b2f90404fu};
    for (int i = 0; i < 2; i++) {
        h[i] = fnv(h[i], source, length);
        h[i] = fnv(h[i], c->version, strlen(c->version) + 1);
        for (int k = 0; k < c->n; k++)
            h[i] = fnv(h[i], c->word[k], strlen(c->word[k]) + 1);
    }
    snprintf(key, 33, "%016llx%016llx", (unsigned long long)h[0], (unsigned long long)h[1]);
}

/* A directory of ours alone: others must not be able to put code there. */
static bool usable(const char *path)
{
    struct stat s;
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return false;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode) && s.st_uid == geteuid() && !(s.st_mode & (S_IWGRP | S_IWOTH)) &&
           access(path, W_OK | X_OK) == 0;
}

static bool cache_directory(char *path)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char parent[PATH];
    int n;
    if (cache && cache[0] == '/')
        n = snprintf(parent, PATH, "%s", cache);
    else if (home && home[0] == '/')
        n = snprintf(parent, PATH, "%s/.cache", home);
    else
        return false;
    if (n < 0 || n >= PATH - 100)
        return false;
    mkdir(parent, 0700);
    snprintf(path, PATH, "%.*s/carom", PATH - 100, parent);
    return usable(path);
}

static bool write_file(const char *path, const char *bytes, size_t length)
{
    FILE *f = fopen(path, "wx");
    if (!f)
        return false;
    bool fine = fwrite(bytes, 1, length, f) == length;
    return fclose(f) == 0 && fine;
}

typedef struct job {
    compiler compiler;
    carom_tape *const *tapes;
    int n;
    char *source;
    size_t length;
    char directory[PATH];    /* made for this job and removed after it */
    char object[PATH + 100]; /* inside it */
    carom_error *error;
} job;

/* Compiles in a directory made inside parent. */
static carom_status compile(job *j, const char *parent)
{
    char c_file[PATH + 100];
    int n = snprintf(j->directory, PATH, "%s/carom-XXXXXX", parent);
    if (n < 0 || n >= PATH || !mkdtemp(j->directory)) {
        j->directory[0] = 0;
        CAROM_FAIL(j->error, CAROM_UNSUPPORTED, "native code: no directory to compile in under %s: %s", parent,
                   strerror(errno));
    }
    snprintf(c_file, sizeof c_file, "%s/tapes.c", j->directory);
    snprintf(j->object, sizeof j->object, "%s/tapes.so", j->directory);
    carom_status status = CAROM_OK;
    if (write_file(c_file, j->source, j->length))
        status = run_compiler(&j->compiler, c_file, j->object, j->error);
    else
        status = carom_fail(j->error, CAROM_UNSUPPORTED, "native code: cannot write %s: %s", c_file, strerror(errno));
    unlink(c_file);
    return status;
}

static void clean(job *j)
{
    if (!j->directory[0])
        return;
    unlink(j->object);
    rmdir(j->directory);
    j->directory[0] = 0;
}

static carom_native *symbol(void *library, int tape, int lanes)
{
    char name[64];
    carom_native *function = NULL;
    snprintf(name, sizeof name, "carom_native_%d_%d", tape, lanes);
    void *address = dlsym(library, name);
    memcpy(&function, &address, sizeof function);
    return function;
}

static carom_native_row *row_symbol(void *library, int tape)
{
    char name[64];
    carom_native_row *function = NULL;
    snprintf(name, sizeof name, "carom_native_%d_row", tape);
    void *address = dlsym(library, name);
    memcpy(&function, &address, sizeof function);
    return function;
}

static carom_status load(job *j, const char *object, carom_jit *jit)
{
    void *library = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        CAROM_FAIL(j->error, CAROM_UNSUPPORTED, "native code: %s", dlerror());
    for (int i = 0; i < j->n; i++) {
        if (!symbol(library, i, 1) || !symbol(library, i, 8)) {
            dlclose(library);
            CAROM_FAIL(j->error, CAROM_UNSUPPORTED, "native code: %s lacks the functions of tape %d", object, i);
        }
    }
    for (int i = 0; i < j->n; i++) {
        j->tapes[i]->native[0] = symbol(library, i, 1);
        j->tapes[i]->native[1] = symbol(library, i, 8);
        j->tapes[i]->native_row = carom_tape_in_a_row(j->tapes[i]) ? row_symbol(library, i) : NULL;
    }
    jit->library = library;
    return CAROM_OK;
}

/* The last bytes of an object in the cache; the loader of objects does not look behind their end. */
typedef struct seal {
    char magic[8];
    uint64_t checksum; /* of what stands before */
} seal;
static const char SEAL[8] = "carom 1";

/* All bytes of a file that is ours alone to write; NULL: it is not, or cannot be read. */
static char *bytes_of(const char *path, size_t *length)
{
    struct stat s;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    bool ours = file >= 0 && fstat(file, &s) == 0 && S_ISREG(s.st_mode) && s.st_uid == geteuid() &&
                !(s.st_mode & (S_IWGRP | S_IWOTH));
    char *bytes = ours ? malloc((size_t)s.st_size + 1) : NULL;
    *length = 0;
    for (ssize_t n = 1; bytes && n > 0 && *length < (size_t)s.st_size; *length += n > 0 ? (size_t)n : 0)
        n = read(file, bytes + *length, (size_t)s.st_size - *length);
    if (file >= 0)
        close(file);
    return bytes;
}

static bool sealed(const char *object)
{
    size_t n;
    seal s;
    char *bytes = bytes_of(object, &n);
    bool fine = bytes && n > sizeof s;
    if (fine) {
        memcpy(&s, bytes + n - sizeof s, sizeof s);
        fine = memcmp(s.magic, SEAL, sizeof SEAL) == 0 && s.checksum == carom_checksum(0, bytes, n - sizeof s);
    }
    free(bytes);
    return fine;
}

static bool put_seal(const char *object)
{
    size_t n;
    seal s;
    (void)!chmod(object, 0700); /* whatever the umask */
    char *bytes = bytes_of(object, &n);
    FILE *file = bytes ? fopen(object, "ab") : NULL;
    memcpy(s.magic, SEAL, sizeof SEAL);
    s.checksum = bytes ? carom_checksum(0, bytes, n) : 0;
    free(bytes);
    if (!file)
        return false;
    bool fine = fwrite(&s, sizeof s, 1, file) == 1;
    return fclose(file) == 0 && fine;
}

/* From the cache, or compiled into it. An object there that is damaged or does not load is replaced. */
static carom_status cached(job *j, const char *cache, carom_jit *jit)
{
    char key[33], object[PATH + 100];
    key_of(&j->compiler, j->source, j->length, key);
    snprintf(object, sizeof object, "%s/%s.so", cache, key);
    if (sealed(object) && load(j, object, jit) == CAROM_OK)
        return CAROM_OK;
    carom_status status = compile(j, cache);
    if (status == CAROM_OK && (!put_seal(j->object) || rename(j->object, object) != 0))
        status = carom_fail(j->error, CAROM_UNSUPPORTED, "native code: cannot write %s: %s", object, strerror(errno));
    if (status == CAROM_OK)
        status = load(j, object, jit);
    clean(j);
    return status;
}

static carom_status uncached(job *j, carom_jit *jit)
{
    const char *parent = getenv("TMPDIR");
    carom_status status = compile(j, parent && parent[0] == '/' ? parent : P_tmpdir);
    if (status == CAROM_OK)
        status = load(j, j->object, jit);
    clean(j);
    return status;
}

carom_status carom_jit_new(carom_jit **result, carom_tape *const *tapes, int n, carom_error *error)
{
    *result = NULL;
    job j = {.tapes = tapes, .n = n, .error = error};
    char cache[PATH];
    CAROM_TRY(find_compiler(&j.compiler, error));
    carom_jit *jit = calloc(1, sizeof *jit);
    j.source = jit ? carom_emit(tapes, n, &j.length) : NULL;
    carom_status status = CAROM_UNSUPPORTED;
    if (!j.source)
        status = carom_fail(error, CAROM_NO_MEMORY, "native code: no memory for the source of %d tapes", n);
    if (j.source && cache_directory(cache))
        status = cached(&j, cache, jit);
    if (status == CAROM_UNSUPPORTED)
        status = uncached(&j, jit);
    free(j.source);
    if (status != CAROM_OK) {
        free(jit);
        return status;
    }
    *result = jit;
    return CAROM_OK;
}

void carom_jit_free(carom_jit *jit)
{
    if (!jit)
        return;
    dlclose(jit->library);
    free(jit);
}

#endif
