/* error.c: status names, error text, nearest names, numbers as text. */
#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"

const char *carom_status_text(carom_status status)
{
    static const char *const text[] = {
#define CAROM_STATUS_TEXT(name, words) words,
        CAROM_STATUS_LIST(CAROM_STATUS_TEXT)
#undef CAROM_STATUS_TEXT
    };
    return (unsigned)status < (unsigned)CAROM_COUNT(text) ? text[status] : "unknown status";
}

carom_status carom_fail(carom_error *error, carom_status status, const char *format, ...)
{
    if (error) {
        va_list args;
        va_start(args, format);
        error->status = status;
        vsnprintf(error->text, sizeof error->text, format, args);
        va_end(args);
    }
    return status;
}

carom_status carom_sized(const void *pointer, size_t size, const char *type, carom_error *error)
{
    if (!pointer)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT, "%s is NULL", type);
    size_t given = *(const size_t *)pointer;
    if (given != size)
        CAROM_FAIL(error, CAROM_BAD_ARGUMENT,
                   "%s says that it has %zu bytes, here it has %zu: set .size = sizeof(%s), or compile against the "
                   "headers of carom %s", type, given, size, type, CAROM_VERSION);
    return CAROM_OK;
}

/* Damerau-Levenshtein distance (optimal string alignment) of words up to 63 letters. */
static int distance(const char *a, const char *b)
{
    enum { LONGEST = 63 };
    int n = (int)strlen(a), m = (int)strlen(b);
    if (n > LONGEST || m > LONGEST)
        return LONGEST;
    int rows[3][LONGEST + 1];
    int *before = rows[0], *above = rows[1], *row = rows[2];
    for (int j = 0; j <= m; j++)
        above[j] = j;
    for (int i = 1; i <= n; i++) {
        row[0] = i;
        for (int j = 1; j <= m; j++) {
            int ca = tolower((unsigned char)a[i - 1]), cb = tolower((unsigned char)b[j - 1]);
            int best = CAROM_MIN(above[j], row[j - 1]) + 1;
            best = CAROM_MIN(best, above[j - 1] + (ca != cb));
            if (i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) &&
                cb == tolower((unsigned char)a[i - 2]))
                best = CAROM_MIN(best, before[j - 2] + 1);
            row[j] = best;
        }
        int *spare = before;
        before = above, above = row, row = spare;
    }
    return above[m];
}

const char *carom_nearest(const char *word, const char *const *names, int n)
{
    const char *nearest = NULL;
    int least = 0;
    for (int i = 0; i < n; i++) {
        int d = distance(word, names[i]), length = CAROM_MAX((int)strlen(word), (int)strlen(names[i]));
        if (d <= CAROM_MAX(1, length / 3) && d < length && (!nearest || d < least))
            nearest = names[i], least = d;
    }
    return nearest;
}

/* A locale in which the decimal separator is a point; made once, kept for the life of the process. */
static locale_t c_locale(void)
{
    static locale_t locale;
    locale_t made = __atomic_load_n(&locale, __ATOMIC_ACQUIRE);
    if (made)
        return made;
    made = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t expected = (locale_t)0;
    if (!__atomic_compare_exchange_n(&locale, &expected, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        freelocale(made);
        made = expected;
    }
    return made;
}

bool carom_ends_with(const char *text, const char *ending)
{
    size_t n = text ? strlen(text) : 0, m = strlen(ending);
    return n > m && strcmp(text + n - m, ending) == 0;
}

bool carom_number(const char *text, double *value)
{
    if (!*text || isspace((unsigned char)*text))
        return false;
    char *end;
    locale_t before = uselocale(c_locale());
    *value = strtod(text, &end);
    uselocale(before);
    return *end == 0;
}
