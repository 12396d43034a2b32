/* test_attack.c: a fixed sample of the attack on all schemes: nothing is wrong without a word; see attack.h. */
#include "attack.h"
#include "testing.h"

enum { MEMBERS = SANITIZED ? 1 : 6, DISGUISED = SANITIZED ? 0 : 1, FIRST = 100 };

static unsigned members_of(const attack_class *c) /* boxes in space and piles take as long as all others together */
{
    return strstr(c->name, "box in space") || strstr(c->name, "pile") ? CAROM_MIN(MEMBERS, 3) : MEMBERS;
}

static void wrong(const attack_class *c, unsigned number, attack_variant v, const attack_run *runs)
{
    static const char *const words[] = {"", " in other units", " in another order"};
    for (int k = 0; k < ATTACK_SCHEMES; k++)
        ck_assert_msg(runs[k].outcome != ATTACK_WRONG, "%s, member %u, %s%s: %s", c->name, number, attack_schemes[k],
                      words[v], runs[k].why);
}

START_TEST(no_scheme_is_wrong_without_a_word)
{
    int finished = 0, stopped = 0, members = 0;
    for (int c = 0; c < ATTACK_CLASSES; c++)
        for (unsigned i = 0; i < members_of(&attack_classes[c]); i++, members++) {
            attack_run runs[ATTACK_SCHEMES];
            for (attack_variant v = ATTACK_ORDER; (int)i < DISGUISED && v > ATTACK_PLAIN; v--) {
                attack(&attack_classes[c], FIRST + i, v, runs);
                wrong(&attack_classes[c], FIRST + i, v, runs);
            }
            attack(&attack_classes[c], FIRST + i, ATTACK_PLAIN, runs);
            wrong(&attack_classes[c], FIRST + i, ATTACK_PLAIN, runs);
            finished += runs[0].outcome == ATTACK_FINISHED, stopped += runs[0].outcome == ATTACK_STOPPED;
            if (runs[0].outcome == ATTACK_STOPPED)
                printf("%s, member %u: %s\n", attack_classes[c].name, FIRST + i, runs[0].why);
        }
    printf("tolerance: %d finished, %d stopped\n", finished, stopped);
    ck_assert_int_eq(finished + stopped, members);
    CHECK_AT_MOST(stopped, MEMBERS); /* two balls with masses up to 1e8 : 1 that accumulate on each other */
}
END_TEST

TEST_MAIN_MODELS("attack", no_scheme_is_wrong_without_a_word)
