/* bracket.h: a root between two points of different sign: regula falsi whose slow end is halved (Illinois), with
 * bisection every eighth time. The caller evaluates, and says on which side a point is. */
#ifndef CAROM_BRACKET_H
#define CAROM_BRACKET_H

#include <stdbool.h>

typedef struct carom_bracket {
    double low, high, f_low, f_high;
    int k, stuck; /* points so far; how often in a row the same end has moved */
} carom_bracket;

static inline double carom_bracket_middle(const carom_bracket *b)
{
    return 0.5 * (b->low + b->high);
}

/* The next point to evaluate; `guess` (Newton's, say) instead of the secant's if it is inside. */
static inline double carom_bracket_next(carom_bracket *b, double guess)
{
    double x = guess > b->low && guess < b->high ? guess
                                                 : (b->f_low * b->high - b->f_high * b->low) / (b->f_low - b->f_high);
    bool halve = b->k++ % 8 == 7 || !(x > b->low && x < b->high);
    return halve ? carom_bracket_middle(b) : x;
}

/* x with the value f replaces one end. */
static inline void carom_bracket_put(carom_bracket *b, double x, double f, bool high)
{
    if (high) {
        b->high = x, b->f_high = f;
        b->f_low *= ++b->stuck > 1 ? 0.5 : 1;
    } else {
        b->low = x, b->f_low = f;
        b->f_high *= --b->stuck < -1 ? 0.5 : 1;
    }
}

#endif
