/* inject.c: a library to be preloaded: the n-th call of a kind fails, or the process dies there. Calls of a kind:
 *   alloc   malloc calloc realloc and aligned ones       open    open openat fopen
 *   write   write pwrite fwrite ftruncate fflush fclose  sync    fsync fdatasync          rename
 * Environment:
 *   INJECT=KIND:N:HOW      HOW: fail   once, with ENOMEM, ENOSPC, EIO, EMFILE
 *                               last   this one and all after it
 *                               kill   SIGKILL before the call
 *                               torn   of a write half is done, then SIGKILL
 *                               trap   SIGTRAP: with gdb, where is it?
 *   INJECT_COUNT=FILE      at the end, the number of calls of each kind is appended there
 * Allocations of libfyaml and HDF5 are neither counted nor failed: they do not survive it, and Carom does not call them
 * where memory is scarce (tools/failures.sh has a job `memory` for that).
 * Needs glibc; not for programs with sanitizers, which have a malloc of their own. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum kind { ALLOC, OPEN, WRITE, SYNC, RENAME, KINDS };
enum how { PASS, FAIL, LAST, KILL, TORN, TRAP };
static const char *const names[KINDS] = {"alloc", "open", "write", "sync", "rename"};
static const int codes[KINDS] = {ENOMEM, EMFILE, ENOSPC, EIO, EIO};

static atomic_long calls[KINDS];
static int kind = -1;
static long at;
static enum how how;

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
    *__libc_memalign(size_t, size_t);

static struct { size_t from, to; } foreign[8]; /* code of libraries that do not survive it */
static int nforeign;

static int look(struct dl_phdr_info *library, size_t size, void *user)
{
    (void)size, (void)user;
    if (!strstr(library->dlpi_name, "libfyaml") && !strstr(library->dlpi_name, "libhdf5"))
        return 0;
    for (int i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X) || nforeign == 8)
            continue;
        foreign[nforeign].from = library->dlpi_addr + part->p_vaddr;
        foreign[nforeign].to = foreign[nforeign].from + part->p_memsz;
        nforeign++;
    }
    return 0;
}

static _Thread_local int inside; /* a function of the C library that allocates for them */
static int is_foreign(const void *caller)
{
    if (inside)
        return 1;
    for (int i = 0; i < nforeign; i++)
        if ((size_t)caller >= foreign[i].from && (size_t)caller < foreign[i].to)
            return 1;
    return 0;
}

/* A library that comes later may be one of those. */
void *dlopen(const char *name, int how)
{
    void *(*next)(const char *, int) = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
    inside++;
    void *library = next(name, how);
    nforeign = 0;
    dl_iterate_phdr(look, NULL);
    inside--;
    return library;
}

static __attribute__((constructor)) void begin(void)
{
    dl_iterate_phdr(look, NULL);
    static const char *const words[] = {"pass", "fail", "last", "kill", "torn", "trap"};
    const char *plan = getenv("INJECT");
    for (int k = 0; plan && k < KINDS; k++) {
        size_t n = strlen(names[k]);
        if (strncmp(plan, names[k], n) != 0 || plan[n] != ':')
            continue;
        char *end;
        at = strtol(plan + n + 1, &end, 10);
        for (int w = 0; *end == ':' && w < 6; w++)
            if (!strcmp(end + 1, words[w]))
                how = (enum how)w;
        for (int i = 0; i < KINDS; i++)
            atomic_store(&calls[i], 0);
        kind = k;
    }
}

static __attribute__((destructor)) void end(void)
{
    const char *path = getenv("INJECT_COUNT");
    char line[200];
    int n = 0, file;
    if (!path || (file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND, 0666)) < 0)
        return;
    for (int k = 0; k < KINDS; k++)
        n += snprintf(line + n, sizeof line - (size_t)n, "%s %ld\n", names[k], atomic_load(&calls[k]));
    syscall(SYS_write, file, line, (size_t)n);
    syscall(SYS_close, file);
}

/* After main nothing fails any more: what gcov then writes down (tools/coverage.sh) is none of the program's calls. */
static atomic_int over;
static int (*main_of_program)(int, char **, char **);
static int main_and_no_more(int argc, char **argv, char **environment)
{
    int code = main_of_program(argc, argv, environment);
    over = 1;
    return code;
}
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end)
{
    typedef int starter(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void),
                        void *);
    main_of_program = main;
    return ((starter *)dlsym(RTLD_NEXT, "__libc_start_main"))(main_and_no_more, argc, argv, init, fini, rtld_fini,
                                                              stack_end);
}

/* What shall happen to this call? KILL is done at once, TORN is left to the caller. */
static enum how ask(enum kind k)
{
    if (over)
        return PASS;
    long n = atomic_fetch_add(&calls[k], 1) + 1;
    if ((int)k != kind || n < at || (n > at && how != LAST))
        return PASS;
    if (how == KILL)
        syscall(SYS_kill, getpid(), SIGKILL);
    if (how == TRAP)
        syscall(SYS_kill, getpid(), SIGTRAP);
    if (how != TORN)
        errno = codes[k];
    return how;
}
static int fails(enum kind k)
{
    enum how h = ask(k);
    if (h == TORN)
        syscall(SYS_kill, getpid(), SIGKILL);
    return h == FAIL || h == LAST;
}
static void mark_error(FILE *file)
{
    if (file)
        file->_flags |= 0x20; /* what ferror looks at */
}
static void die(void)
{
    syscall(SYS_kill, getpid(), SIGKILL);
}
#define NEXT(type, name) ((type)dlsym(RTLD_NEXT, name))

#define NO_MEMORY (!is_foreign(__builtin_return_address(0)) && fails(ALLOC))
void *malloc(size_t n) { return NO_MEMORY ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t m) { return NO_MEMORY ? NULL : __libc_calloc(n, m); }
void *realloc(void *p, size_t n) { return NO_MEMORY ? NULL : __libc_realloc(p, n); }
void *memalign(size_t a, size_t n) { return NO_MEMORY ? NULL : __libc_memalign(a, n); }
void *aligned_alloc(size_t a, size_t n) { return NO_MEMORY ? NULL : __libc_memalign(a, n); }
char *strdup(const char *text) /* the caller is not the C library */
{
    size_t n = strlen(text) + 1;
    char *copy = NO_MEMORY ? NULL : __libc_malloc(n);
    return copy ? memcpy(copy, text, n) : NULL;
}
int __asprintf_chk(char **to, int flag, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    inside = is_foreign(__builtin_return_address(0));
    (void)flag;
    int n = vasprintf(to, format, list);
    inside = 0;
    va_end(list);
    return n;
}
int posix_memalign(void **p, size_t a, size_t n)
{
    if (NO_MEMORY)
        return ENOMEM;
    *p = __libc_memalign(a, n);
    return *p ? 0 : ENOMEM;
}

ssize_t write(int file, const void *bytes, size_t n)
{
    enum how h = ask(WRITE);
    if (h == FAIL || h == LAST)
        return -1;
    ssize_t done = syscall(SYS_write, file, bytes, h == TORN ? n / 2 : n);
    if (h == TORN)
        die();
    return done;
}
ssize_t pwrite(int file, const void *bytes, size_t n, off_t where)
{
    enum how h = ask(WRITE);
    if (h == FAIL || h == LAST)
        return -1;
    ssize_t done = syscall(SYS_pwrite64, file, bytes, h == TORN ? n / 2 : n, where);
    if (h == TORN)
        die();
    return done;
}
ssize_t pwrite64(int file, const void *bytes, size_t n, off64_t where) { return pwrite(file, bytes, n, where); }
int ftruncate(int file, off_t n) { return fails(WRITE) ? -1 : (int)syscall(SYS_ftruncate, file, n); }
int ftruncate64(int file, off64_t n) { return ftruncate(file, n); }
size_t fwrite(const void *bytes, size_t size, size_t n, FILE *file)
{
    typedef size_t writer(const void *, size_t, size_t, FILE *);
    writer *next = NEXT(writer *, "fwrite");
    enum how h = ask(WRITE);
    if (h == FAIL || h == LAST) {
        mark_error(file);
        return 0;
    }
    size_t done = next(bytes, size, h == TORN ? n / 2 : n, file);
    if (h == TORN)
        die();
    return done;
}
int fflush(FILE *file)
{
    int (*next)(FILE *) = NEXT(int (*)(FILE *), "fflush");
    if (!fails(WRITE))
        return next(file);
    mark_error(file);
    return EOF;
}
int fclose(FILE *file)
{
    int (*next)(FILE *) = NEXT(int (*)(FILE *), "fclose");
    int failed = fails(WRITE), code = errno, done = next(file);
    if (failed)
        errno = code;
    return failed ? EOF : done;
}

int fsync(int file) { return fails(SYNC) ? -1 : (int)syscall(SYS_fsync, file); }
int fdatasync(int file) { return fails(SYNC) ? -1 : (int)syscall(SYS_fdatasync, file); }
int rename(const char *from, const char *to)
{
    return fails(RENAME) ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

static int open_at(int folder, const char *path, int flags, va_list list)
{
    int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, int) : 0;
    return fails(OPEN) ? -1 : (int)syscall(SYS_openat, folder, path, flags, mode);
}
#define OPENS(name)                                                                                                    \
    int name(const char *path, int flags, ...)                                                                         \
    {                                                                                                                  \
        va_list list;                                                                                                  \
        va_start(list, flags);                                                                                         \
        int file = open_at(AT_FDCWD, path, flags, list);                                                               \
        va_end(list);                                                                                                  \
        return file;                                                                                                   \
    }
OPENS(open)
OPENS(open64)
#define FOPENS(name)                                                                                                   \
    FILE *name(const char *path, const char *mode)                                                                     \
    {                                                                                                                  \
        FILE *(*next)(const char *, const char *) = NEXT(FILE *(*)(const char *, const char *), #name);                \
        return fails(OPEN) ? NULL : next(path, mode);                                                                  \
    }
FOPENS(fopen)
FOPENS(fopen64)
