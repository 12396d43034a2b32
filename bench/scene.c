/* scene.c: bench-scene discs|stack|boxes N FILE writes a model of many bodies in contact (tests/scenes.h). */
#include <stdlib.h>
#include <string.h>

#include "../tests/scenes.h"

int main(int argc, char **argv)
{
    int n = argc == 4 ? atoi(argv[2]) : 0;
    FILE *out = n > 0 && n <= 100 ? fopen(argv[3], "w") : NULL;
    if (!out || (strcmp(argv[1], "discs") && strcmp(argv[1], "stack") && strcmp(argv[1], "boxes"))) {
        fprintf(stderr, "usage: %s discs|stack|boxes N FILE, N up to 100\n", argv[0]);
        return 2;
    }
    if (argv[1][0] == 'd')
        scene_discs(out, n, 1);
    else if (argv[1][0] == 's')
        scene_stack(out, n, 0.01, 1e-3, 1);
    else
        scene_boxes(out, n, 1);
    return fclose(out) == 0 ? 0 : 1;
}
