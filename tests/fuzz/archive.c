/* archive.c: any bytes as an archive: as they are, and with length and checksum set right, so that what stands behind
 * them is looked at; its block `state` is loaded into a simulation. */
#include "core/archive.h"
#include "fuzz.h"
#include "systems.h"

static void look(const char *path, carom_sim *sim)
{
    carom_archive a;
    carom_error error;
    if (carom_archive_read(&a, path, &error) != CAROM_OK)
        return;
    static const char *const names[] = {"carom", "words", "folder", "model", "spent", "samples", "json", "hdf5"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t length = 0;
        const unsigned char *block = carom_archive_find(&a, names[i], &length);
        if (block && length)
            carom_checksum(0, block, length); /* all of it is there to be read */
    }
    size_t length = 0;
    const void *state = carom_archive_find(&a, "state", &length);
    if (state)
        carom_sim_load(sim, state, length);
    carom_archive_free(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static box_store corners;
    static carom_model model;
    static carom_sim *sim;
    struct header {
        char magic[16];
        uint64_t order, bytes, checksum;
    } h = {"carom archive 1", 0x0102030405060708u, n, 0};
    carom_error error;
    if (!sim) {
        model = box_model(&corners, 0.4, 0.3);
        carom_options options = carom_options_default();
        if (carom_sim_new(&sim, &model, &options, &error) != CAROM_OK)
            abort();
    }
    look(fuzz_file(bytes, n, ".archive"), sim);
    if (n < sizeof h)
        return 0;
    uint8_t *right = malloc(n);
    memcpy(right, bytes, n);
    memcpy(right, &h, sizeof h);
    h.checksum = carom_checksum(0, right, n);
    memcpy(right, &h, sizeof h);
    look(fuzz_file(right, n, ".archive"), sim);
    free(right);
    return 0;
}
