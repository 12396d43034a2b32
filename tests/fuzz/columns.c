/* columns.c: any bytes as a written trajectory; the first byte says of which kind: CSV, JSON, HDF5. */
#include "carom_output.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static const char *const endings[] = {".csv", ".json", ".h5"};
    carom_columns *table;
    carom_error error;
    if (n == 0)
        return 0;
    if (carom_columns_read(&table, fuzz_file(bytes + 1, n - 1, endings[bytes[0] % 3]), &error) == CAROM_OK)
        carom_columns_free(table);
    return 0;
}
