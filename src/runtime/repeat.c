/* repeat.c: detects models that repeat the same text, which they would until their limit. */
#include "runtime/run.h"

/* About forty tokens, ten times in a row; a longer text must repeat as often. */
enum { LEAST = 160, LONGEST = 2048, TIMES = 10, EACH = 1024 };

/* Computed on the reversed text: borders[n] is the length of the longest start of its first n bytes that is also
 * their end, so these bytes repeat every n - borders[n] bytes. */
static bool ends_in_a_loop(skn_str text)
{
    uint16_t    borders[LONGEST * TIMES + 1] = {0};
    size_t      most = text.n < LONGEST * TIMES ? text.n : LONGEST * TIMES;
    const char *last = text.p + text.n - 1;

    for (size_t n = 1, k = 0; n < most; n++) {
        size_t period;

        while (k && *(last - n) != *(last - k))
            k = borders[k];
        k += *(last - n) == *(last - k);
        borders[n + 1] = (uint16_t)k;
        period = n + 1 - k;
        if (n + 1 >= TIMES * (period > LEAST ? period : LEAST))
            return true;
    }
    return false;
}

bool skn_repeats(skn_str text, size_t *looked)
{
    if (text.n < *looked + EACH)
        return false;
    *looked = text.n;
    return ends_in_a_loop(text);
}
