#include "base/amount.h"

typedef struct unit {
    const char *name;
    int64_t     factor;
} unit;

/* A whole number and one of the units after it, with or without blanks between. */
static bool read_amount(skn_str text, const unit *units, size_t count, int64_t *out)
{
    skn_str s = skn_str_trim(text);
    size_t  digits = 0;
    int64_t n;

    while (digits < s.n && s.p[digits] >= '0' && s.p[digits] <= '9')
        digits++;
    if (!skn_str_int(skn_str_sub(s, 0, digits), &n))
        return false;
    s = skn_str_trim(skn_str_sub(s, digits, s.n));
    for (size_t i = 0; i < count; i++) {
        if (!skn_str_is_word(s, units[i].name))
            continue;
        if (n > INT64_MAX / units[i].factor)
            return false;
        *out = n * units[i].factor;
        return true;
    }
    return false;
}

bool skn_amount_size(skn_str text, int64_t *bytes)
{
    static const unit units[] = {
        {"", 1}, {"B", 1}, {"kB", 1000}, {"MB", 1000000}, {"GB", 1000000000}};

    return read_amount(text, units, sizeof units / sizeof *units, bytes);
}

bool skn_amount_duration(skn_str text, int64_t *ms)
{
    static const unit units[] = {
        {"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}, {"d", 86400000}};

    if (skn_str_is(skn_str_trim(text), "0")) {
        *ms = 0;
        return true;
    }
    return read_amount(text, units, sizeof units / sizeof *units, ms);
}
