/* replay.c: runs a target on every file of the folders that are named: the corpus, as a test. */
#include <dirent.h>

#include "fuzz.h"

static int replay(const char *path)
{
    static uint8_t bytes[1 << 20];
    FILE *file = fopen(path, "rb");
    if (!file)
        return 0;
    size_t n = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    uint8_t *copy = malloc(n ? n : 1); /* exactly as long: sanitizers see what is read behind it */
    memcpy(copy, bytes, n);
    LLVMFuzzerTestOneInput(copy, n);
    free(copy);
    return 1;
}

int main(int argc, char **argv)
{
    int files = 0;
    for (int i = 1; i < argc; i++) {
        DIR *folder = opendir(argv[i]);
        for (struct dirent *entry; folder && (entry = readdir(folder));) {
            char path[1000];
            snprintf(path, sizeof path, "%s/%.255s", argv[i], entry->d_name);
            if (entry->d_name[0] != '.')
                files += replay(path);
        }
        if (folder)
            closedir(folder);
    }
    printf("%d files replayed\n", files);
    return files ? 0 : 1;
}
