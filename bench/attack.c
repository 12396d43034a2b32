/* attack.c: bench-attack [MEMBERS [FIRST [VARIANT [CLASS]]]]: random members of classes of systems by every scheme that
 * takes them; finished / stopped with a sentence / wrong, by class and scheme. Variants: 0 as they are, 1 in other
 * units, 2 in another order; -1, or none: all of them. CLASS: those with this in their names. What is wrong is printed
 * with its number, and with STOPPED in the environment what has stopped. */
#include <stdlib.h>

#include "attack.h"

static const char *const words[] = {"", ", in other units", ", in another order"};

/* One row of the table; how many were wrong. */
static int attack_row(const attack_class *c, int members, unsigned first, attack_variant v)
{
    int count[ATTACK_SCHEMES][4] = {{0}}, wrong = 0;
    const bool told = getenv("STOPPED") != NULL;
    for (int i = 0; i < members; i++) {
        attack_run runs[ATTACK_SCHEMES];
        attack(c, first + (unsigned)i, v, runs);
        for (int k = 0; k < ATTACK_SCHEMES; k++) {
            count[k][runs[k].outcome]++;
            if (runs[k].outcome == ATTACK_WRONG || (told && runs[k].outcome == ATTACK_STOPPED))
                fprintf(stderr, "%s, member %u, %s%s: %s\n", c->name, first + (unsigned)i, attack_schemes[k], words[v],
                        runs[k].why);
        }
    }
    printf("| %s |", c->name);
    for (int k = 0; k < ATTACK_SCHEMES; k++) {
        int n = members - count[k][ATTACK_REFUSED];
        if (n == 0)
            printf(" - |");
        else
            printf(" %d/%d/%d |", count[k][ATTACK_FINISHED], count[k][ATTACK_STOPPED], count[k][ATTACK_WRONG]);
        wrong += count[k][ATTACK_WRONG];
    }
    printf("\n");
    fflush(stdout);
    return wrong;
}

int main(int argc, char **argv)
{
    int members = argc > 1 ? atoi(argv[1]) : 1, wrong = 0;
    unsigned first = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
    int only = argc > 3 ? atoi(argv[3]) : -1, from = only < 0 ? 0 : only, to = only < 0 ? ATTACK_VARIANTS - 1 : only;
    for (int v = from; v <= to && v < ATTACK_VARIANTS; v++) {
        printf("%s| finished/stopped/wrong%s |", v > from ? "\n" : "", words[v]);
        for (int k = 0; k < ATTACK_SCHEMES; k++)
            printf(" %s |", attack_schemes[k]);
        printf("\n|---|");
        for (int k = 0; k < ATTACK_SCHEMES; k++)
            printf("---|");
        printf("\n");
        for (int c = 0; c < ATTACK_CLASSES; c++)
            if (argc < 5 || strstr(attack_classes[c].name, argv[4]))
                wrong += attack_row(&attack_classes[c], members, first, (attack_variant)v);
    }
    printf("\nwrong: %d\n", wrong);
    return wrong > 0;
}
