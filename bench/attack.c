/* attack.c: bench-attack [MEMBERS [FIRST]]: random members of thirty classes of systems by every scheme that takes
 * them; finished / stopped with a sentence / wrong, by class and scheme. What is wrong is printed with its number. */
#include <stdlib.h>

#include "attack.h"

int main(int argc, char **argv)
{
    int members = argc > 1 ? atoi(argv[1]) : 1, wrong = 0;
    unsigned first = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
    printf("%-28s", "finished/stopped/wrong");
    for (int k = 0; k < ATTACK_SCHEMES; k++)
        printf(" %10.10s", attack_schemes[k]);
    printf("\n");
    for (int c = 0; c < ATTACK_CLASSES; c++) {
        int count[ATTACK_SCHEMES][4] = {{0}};
        for (int i = 0; i < members; i++) {
            attack_run runs[ATTACK_SCHEMES];
            attack(&attack_classes[c], first + (unsigned)i, runs);
            for (int k = 0; k < ATTACK_SCHEMES; k++) {
                count[k][runs[k].outcome]++;
                if (runs[k].outcome == ATTACK_WRONG || (argc > 3 && runs[k].outcome == ATTACK_STOPPED))
                    fprintf(stderr, "%s, member %u, %s: %s\n", attack_classes[c].name, first + (unsigned)i,
                            attack_schemes[k], runs[k].why);
            }
        }
        printf("%-28s", attack_classes[c].name);
        for (int k = 0; k < ATTACK_SCHEMES; k++) {
            char cell[40];
            snprintf(cell, sizeof cell, "%d/%d/%d", count[k][ATTACK_FINISHED], count[k][ATTACK_STOPPED],
                     count[k][ATTACK_WRONG]);
            printf(" %10s", count[k][ATTACK_REFUSED] == members ? "-" : cell);
            wrong += count[k][ATTACK_WRONG];
        }
        printf("\n");
        fflush(stdout);
    }
    printf("wrong: %d\n", wrong);
    return wrong > 0;
}
