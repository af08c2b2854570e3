/* The C library writes repeats out before it matches: a{50} is fifty times a, a+ is a and a*, and what
 * is nested multiplies, so that "a++++…" of a few dozen bytes takes all memory there is. Here the
 * size of that is worked out first. Back-references make matching a search, and are refused. */
#include "provider/script.h"

enum { PARTS = 2000, DEPTH = 30 };

typedef struct sizer {
    const char *p, *end;
    int64_t     before[DEPTH + 1]; /* parts of each open group, but for the last atom */
    int64_t     last;              /* parts of the last atom */
    size_t      depth;
} sizer;

static void atom(sizer *s, int64_t parts)
{
    s->before[s->depth] += s->last;
    s->last = parts;
}

static void repeat(sizer *s, int64_t times)
{
    s->last = s->last * times;
    if (s->last > PARTS)
        s->last = PARTS + 1;
}

static char at(const sizer *s)
{
    return s->p < s->end ? *s->p : '\0';
}

/* Over a "[…]", p behind the first bracket: a "]" at its start is itself, and so is all in [: :]. */
static void skip_set(sizer *s)
{
    if (at(s) == '^')
        s->p++;
    if (at(s) == ']')
        s->p++;
    for (; s->p < s->end && *s->p != ']'; s->p++) {
        char kind = s->p + 1 < s->end ? s->p[1] : '\0';

        if (*s->p != '[' || (kind != ':' && kind != '.' && kind != '='))
            continue;
        for (s->p += 2; s->p + 1 < s->end && !(s->p[0] == kind && s->p[1] == ']'); s->p++)
            continue;
        if (s->p < s->end)
            s->p++;
    }
    if (s->p < s->end)
        s->p++;
}

/* "{3,5}", p behind the brace: the greater number, and one for what may follow for ever. */
static int64_t read_count(sizer *s)
{
    int64_t most = 0, n = 0;

    for (; (at(s) >= '0' && at(s) <= '9') || at(s) == ','; s->p++) {
        n = *s->p == ',' ? 0 : n * 10 + (*s->p - '0');
        n = n > PARTS ? PARTS + 1 : n;
        most = n > most ? n : most;
    }
    return most + 1;
}

static void open_group(sizer *s)
{
    atom(s, 0);
    s->before[++s->depth] = 0;
}

static void close_group(sizer *s)
{
    int64_t inside = s->before[s->depth] + s->last;

    s->depth--;
    s->last = inside + 1;
}

static const char *take(sizer *s)
{
    char c = *s->p++;

    if (c == '\\') {
        if (at(s) >= '1' && at(s) <= '9')
            return "has a back-reference, which is not used here";
        s->p += s->p < s->end;
        atom(s, 1);
    } else if (c == '[') {
        skip_set(s);
        atom(s, 1);
    } else if (c == '(') {
        if (s->depth == DEPTH)
            return "has too many groups inside of each other";
        open_group(s);
    } else if (c == ')' && s->depth) {
        close_group(s);
    } else if (c == '{') {
        repeat(s, read_count(s));
    } else if (c == '+') {
        repeat(s, 2);
    } else if (c != '*' && c != '?' && c != '}') {
        atom(s, 1);
    }
    return NULL;
}

const char *skn_pattern_check(skn_str pattern)
{
    sizer       s = {.p = pattern.p, .end = pattern.p + pattern.n};
    const char *bad = NULL;

    while (!bad && s.p < s.end) {
        bad = take(&s);
        if (!bad && s.before[s.depth] + s.last > PARTS)
            bad = "becomes too large when its repeats are written out";
    }
    return bad;
}
