/* process.c: runs the C compiler: no shell, output caught, the reason of a failure kept. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expr/jit.h"

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

carom_status carom_compiler_find(carom_compiler *c, carom_error *error)
{
    const char *named = getenv("CC");
    int code = 0;
    snprintf(c->text, sizeof c->text, "%s", named && named[strspn(named, " ")] ? named : "cc");
    c->n = 0;
    char *state = NULL;
    for (char *w = strtok_r(c->text, " ", &state); w && c->n < CAROM_COMPILER_WORDS - 1;) {
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

carom_status carom_compiler_run(const carom_compiler *c, const char *source, const char *object, carom_error *error)
{
    static const char *const flags[] = {"-std=c11", "-O2", "-ffp-contract=off", "-fno-math-errno",
                                        "-fno-tree-slp-vectorize", "-w", "-shared", "-fPIC", "-x", "c"};
    char *argv[CAROM_COMPILER_WORDS + CAROM_COUNT(flags) + 5], said[600];
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
