/* tolerance.c: does `tolerance` keep its tolerance? Tables of errors, of work, of what is hard.
 *
 * Each system runs with rtol = atol = tol. Its error is the largest difference of any position q from the reference,
 * at the ends of all steps, over max(1, |q|). Its horizon is the time up to which values off by d max(1, |value|) at
 * the start or at some later times move no position by more than 10 d: beyond it no method can keep a tolerance. The
 * reference is `tolerance` at 1e-13, itself compared at equally spaced times with other methods, or a closed form.
 *
 * bench-tolerance [kept [SYSTEM] | hard | work | zeno | dips]: one part only. */
#include "tolerance/study.h"

int main(int argc, char **argv)
{
    const char *part = argc > 1 ? argv[1] : "";
    if (!*part || strcmp(part, "kept") == 0)
        carom_study_kept(argc > 2 ? argv[2] : NULL);
    if (!*part || strcmp(part, "hard") == 0)
        carom_study_hard();
    if (!*part || strcmp(part, "work") == 0)
        carom_study_work();
    if (!*part || strcmp(part, "zeno") == 0)
        carom_study_zeno();
    if (!*part || strcmp(part, "dips") == 0)
        carom_study_dips();
    return 0;
}
