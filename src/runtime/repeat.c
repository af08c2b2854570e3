/* repeat.c: detects models that repeat the same text, which they would until their limit. */
#include "runtime/run.h"

#include <ctype.h>

/* About forty tokens, ten times in a row; a longer text must repeat as often. Rows of a table, zeros of a matrix, forms and
 * code repeat on purpose: text that is not prose may repeat for RARE bytes. */
enum { LEAST = 160, LONGEST = 2048, TIMES = 10, EACH = 1024, RARE = 32768, LETTERS_MANY = 10 };

/* Prose is mostly letters, of many kinds, without the signs that tables and programs consist of. */
static bool is_prose(const char *at, size_t n)
{
    bool   seen[256] = {false};
    size_t letters = 0, others = 0, many = 0;

    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)tolower((unsigned char)at[i]);

        if (c && strchr("|<>{}[]=_;\t", c))
            return false;
        if (c < 0x80 && !isalpha(c)) {
            others += !isspace(c);
            continue;
        }
        letters++;
        many += !seen[c];
        seen[c] = true;
    }
    return many >= LETTERS_MANY && letters >= 4 * others;
}

/* Returns how many bytes at the end repeat with this period. */
static size_t run_of(skn_str text, size_t period)
{
    size_t n = period;

    while (n < text.n && n < RARE && text.p[text.n - 1 - n] == text.p[text.n - 1 - n + period])
        n++;
    return n;
}

/* Computed on the reversed text: borders[n] is the length of the longest start of its first n bytes that is also
 * their end, so these bytes repeat every n - borders[n] bytes. */
static bool ends_in_a_loop(skn_str text)
{
    uint16_t    borders[LONGEST * TIMES + 1] = {0};
    size_t      most = text.n < LONGEST * TIMES ? text.n : LONGEST * TIMES, looked_at = 0;
    const char *last = text.p + text.n - 1;

    for (size_t n = 1, k = 0; n < most; n++) {
        size_t period;

        while (k && *(last - n) != *(last - k))
            k = borders[k];
        k += *(last - n) == *(last - k);
        borders[n + 1] = (uint16_t)k;
        period = n + 1 - k;
        if (period == looked_at || n + 1 < TIMES * (period > LEAST ? period : LEAST))
            continue;
        looked_at = period;
        if (is_prose(last + 1 - period, period) || run_of(text, period) >= RARE)
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
