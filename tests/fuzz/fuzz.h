/* fuzz.h: targets for libFuzzer. With clang and -DWITH_FUZZ=ON each tests/fuzz/TARGET.c becomes build/fuzz/TARGET
 * (make fuzz); without, with a main of its own, it replays the files of its corpus as a test. Nothing may crash, leak
 * or hang, whatever the bytes. */
#ifndef CAROM_FUZZ_H
#define CAROM_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* libfyaml loses a buffer of its own where a quoted text does not end, libhdf5 some where a file is damaged. */
const char *__lsan_default_suppressions(void);
__attribute__((weak)) const char *__lsan_default_suppressions(void)
{
    return "leak:libfyaml\nleak:libhdf5";
}

/* A file with these bytes, in memory where there is such a folder; its name ends as given. */
static inline const char *fuzz_file(const uint8_t *bytes, size_t n, const char *ending)
{
    static char path[200];
    const char *folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(path, sizeof path, "%s/carom-fuzz-%ld%s", folder, (long)getpid(), ending);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, n, file) != n || fclose(file) != 0)
        abort();
    return path;
}

#endif
