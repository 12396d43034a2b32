/* jit.c: native code for tapes: source (emit.c), compiler (process.c), a cache of objects, dlopen.
 *
 * An object is named by the hash of its source and of the compiler's version; it is written under a name of its own and
 * renamed, so that two runs never see half of one. Without a cache directory a temporary one serves for one run. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "expr/jit.h"

enum { PATH = 4096 };

struct carom_jit {
    void *library;
};

static uint64_t fnv(uint64_t h, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)bytes[i]) * 0x100000001b3u;
    return h;
}

static void key_of(const carom_compiler *compiler, const char *source, size_t length, char key[33])
{
    uint64_t h[2] = {0xcbf29ce484222325u, 0x9ae16a3b2f90404fu};
    for (int i = 0; i < 2; i++) {
        h[i] = fnv(h[i], source, length);
        h[i] = fnv(h[i], compiler->version, strlen(compiler->version) + 1);
        for (int k = 0; k < compiler->n; k++)
            h[i] = fnv(h[i], compiler->word[k], strlen(compiler->word[k]) + 1);
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
    carom_compiler compiler;
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
        status = carom_compiler_run(&j->compiler, c_file, j->object, j->error);
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

/* From the cache, or compiled into it. An object there that does not load is replaced. */
static carom_status cached(job *j, const char *cache, carom_jit *jit)
{
    char key[33], object[PATH + 100];
    key_of(&j->compiler, j->source, j->length, key);
    snprintf(object, sizeof object, "%s/%s.so", cache, key);
    if (access(object, R_OK) == 0 && load(j, object, jit) == CAROM_OK)
        return CAROM_OK;
    carom_status status = compile(j, cache);
    if (status == CAROM_OK && rename(j->object, object) != 0)
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
    CAROM_TRY(carom_compiler_find(&j.compiler, error));
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
