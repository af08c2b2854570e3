#include "base/words.h"

#include "base/utf8.h"

#include <string.h>

/* --- Characters ---------------------------------------------------------------------------------- */

typedef enum sort {
    LETTER,
    APART,
    ALONE
} sort; /* APART: between words; ALONE: a word by itself */

typedef struct span {
    uint32_t from, to;
    sort     is;
} span;

/* What is not a letter, beyond ASCII; ascending. */
static const span spans[] = {
    {0x0080, 0x00a9, APART},   {0x00ab, 0x00b4, APART},   {0x00b6, 0x00b9, APART},
    {0x00bb, 0x00bf, APART},   {0x00d7, 0x00d7, APART},   {0x00f7, 0x00f7, APART},
    {0x037e, 0x037e, APART},   {0x0387, 0x0387, APART},   {0x055a, 0x055f, APART},
    {0x0589, 0x058a, APART},   {0x05be, 0x05be, APART},   {0x05c0, 0x05c0, APART},
    {0x05c3, 0x05c3, APART},   {0x05f3, 0x05f4, APART},   {0x060c, 0x060d, APART},
    {0x061b, 0x061f, APART},   {0x066a, 0x066d, APART},   {0x06d4, 0x06d4, APART},
    {0x0964, 0x0965, APART},   {0x1680, 0x1680, APART},   {0x180e, 0x180e, APART},
    {0x2000, 0x206f, APART},   {0x20a0, 0x20cf, APART},   {0x2190, 0x25ff, APART},
    {0x2600, 0x27bf, ALONE},   {0x27c0, 0x2b4f, APART},   {0x2b50, 0x2b5f, ALONE},
    {0x2b60, 0x2bff, APART},   {0x2e00, 0x2e7f, APART},   {0x3000, 0x3004, APART},
    {0x3005, 0x3007, ALONE},   {0x3008, 0x3020, APART},   {0x3021, 0x3029, ALONE},
    {0x3030, 0x3030, APART},   {0x303d, 0x303f, APART},   {0x3040, 0x30fa, ALONE},
    {0x30fb, 0x30fb, APART},   {0x30fc, 0x30ff, ALONE},   {0x3400, 0x4dbf, ALONE},
    {0x4e00, 0x9fff, ALONE},   {0xf900, 0xfaff, ALONE},   {0xfd3e, 0xfd3f, APART},
    {0xfe00, 0xfe1f, APART},   {0xfe30, 0xfe6f, APART},   {0xfeff, 0xfeff, APART},
    {0xff00, 0xff0f, APART},   {0xff1a, 0xff20, APART},   {0xff3b, 0xff40, APART},
    {0xff5b, 0xff65, APART},   {0xfff0, 0xffff, APART},   {0x1f000, 0x1faff, ALONE},
    {0x20000, 0x3ffff, ALONE}, {0xe0000, 0xe0fff, APART},
};

/* Capitals and how far their small letters are; in a range of pairs only every second is one. */
typedef struct capitals {
    uint32_t from, to;
    int32_t  shift;
    bool     pairs;
} capitals;

static const capitals folds[] = {
    {0x0041, 0x005a, 32, false}, {0x00c0, 0x00d6, 32, false},   {0x00d8, 0x00de, 32, false},
    {0x0100, 0x012e, 1, true},   {0x0132, 0x0136, 1, true},     {0x0139, 0x0147, 1, true},
    {0x014a, 0x0176, 1, true},   {0x0178, 0x0178, -121, false}, {0x0179, 0x017d, 1, true},
    {0x01cd, 0x01db, 1, true},   {0x01de, 0x01ee, 1, true},     {0x01f8, 0x021e, 1, true},
    {0x0222, 0x0232, 1, true},   {0x0386, 0x0386, 38, false},   {0x0388, 0x038a, 37, false},
    {0x038c, 0x038c, 64, false}, {0x038e, 0x038f, 63, false},   {0x0391, 0x03a1, 32, false},
    {0x03a3, 0x03ab, 32, false}, {0x03c2, 0x03c2, 1, false},    {0x03d8, 0x03ee, 1, true},
    {0x0400, 0x040f, 80, false}, {0x0410, 0x042f, 32, false},   {0x0460, 0x0480, 1, true},
    {0x048a, 0x04be, 1, true},   {0x04c1, 0x04cd, 1, true},     {0x04d0, 0x052e, 1, true},
    {0x0531, 0x0556, 48, false}, {0x1e00, 0x1e94, 1, true},     {0x1e9e, 0x1e9e, -7615, false},
    {0x1ea0, 0x1efe, 1, true},   {0xff21, 0xff3a, 32, false},   {0x10400, 0x10427, 40, false},
};

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

static sort sort_of(uint32_t c)
{
    size_t lo = 0, hi = COUNT(spans);

    if (c < 0x80) {
        bool word = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');

        return word ? LETTER : APART;
    }
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (spans[mid].to < c)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < COUNT(spans) && spans[lo].from <= c ? spans[lo].is : LETTER;
}

static uint32_t small(uint32_t c)
{
    size_t lo = 0, hi = COUNT(folds);

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (folds[mid].to < c)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == COUNT(folds) || c < folds[lo].from ||
        (folds[lo].pairs && (c - folds[lo].from) % 2 == 1))
        return c;
    return (uint32_t)((int32_t)c + folds[lo].shift);
}

/* The character at s[0] and how many bytes it has; a byte that is not a character counts as a blank,
 * so that damaged text can be walked, too. */
static uint32_t decode(skn_str s, size_t *bytes)
{
    unsigned char first = (unsigned char)s.p[0];
    uint32_t      c;

    *bytes = first < 0x80 ? 1 : skn_utf8_get(s, &c);
    if (first < 0x80)
        return first;
    if (*bytes > 0)
        return c;
    *bytes = 1;
    return ' ';
}

static bool is_blank(uint32_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r') || c == 0xa0 || c == 0x3000 ||
           (c >= 0x2000 && c <= 0x200a) || c == 0x202f || c == 0x205f || c == 0x2028 ||
           c == 0x2029;
}

/* --- Words ----------------------------------------------------------------------------------------- */

void skn_words_start(skn_words *w, skn_str text)
{
    *w = (skn_words){skn_utf8_cut(text, SKN_WORDS_TEXT), 0};
}

/* Adds a character to the word, unless the word is as long as counts. */
static void put_letter(skn_word *w, uint32_t c, bool *full)
{
    char   bytes[4];
    size_t n = skn_utf8_put(small(c), bytes);

    if (*full || w->n + n > SKN_WORD_BYTES) {
        *full = true;
        return;
    }
    memcpy(w->text + w->n, bytes, n);
    w->n += n;
}

bool skn_words_next(skn_words *w, skn_word *out)
{
    bool   full = false;
    size_t bytes;

    out->n = 0;
    for (; w->at < w->text.n; w->at += bytes) {
        uint32_t c = decode(skn_str_sub(w->text, w->at, w->text.n), &bytes);
        sort     is = sort_of(c);

        if (out->n > 0 && is != LETTER)
            break;
        if (is == APART)
            continue;
        if (out->n == 0)
            out->from = w->at;
        put_letter(out, c, &full);
        if (is == ALONE) {
            w->at += bytes;
            break;
        }
    }
    return out->n > 0;
}

void skn_words_list(skn_str text, skn_buf *out)
{
    skn_words w;
    skn_word  word;

    skn_words_start(&w, text);
    while (skn_words_next(&w, &word)) {
        if (out->n > 0)
            skn_buf_addc(out, ' ');
        skn_buf_addc(out, '\'');
        skn_buf_add(out, (skn_str){word.text, word.n});
        skn_buf_addc(out, '\'');
    }
}

/* --- Queries --------------------------------------------------------------------------------------- */

typedef struct asking {
    skn_arena *a;
    size_t     words;
    skn_vec(skn_term) terms;
} asking;

/* A piece of the query becomes a term, if there is a word in it. */
static void add_term(asking *q, skn_str piece, bool prefix)
{
    skn_vec(skn_str) words = {0};
    skn_words w;
    skn_word  word;

    skn_words_start(&w, piece);
    while (skn_words_next(&w, &word))
        skn_vec_add(q->a, &words, skn_arena_copy(q->a, (skn_str){word.text, word.n}));
    q->words += words.n;
    if (words.n > 0) {
        skn_term t = {words.p, words.n, prefix};

        skn_vec_add(q->a, &q->terms, t);
    }
}

/* Cuts the next piece off: what is in quotes, or runs to the next blank or quote. */
static skn_str next_piece(skn_str *rest)
{
    bool    quoted = rest->p[0] == '"';
    size_t  n = quoted, bytes = 0, end;
    skn_str piece;

    for (; n < rest->n; n += bytes) {
        uint32_t c = decode(skn_str_sub(*rest, n, rest->n), &bytes);

        if (c == '"' || (!quoted && is_blank(c)))
            break;
    }
    piece = skn_str_sub(*rest, quoted, n);
    end = quoted && n < rest->n ? n + 1 : n;
    *rest = skn_str_sub(*rest, end, rest->n);
    return piece;
}

static void read_terms(asking *q, skn_str rest)
{
    while (rest.n > 0) {
        size_t  bytes;
        bool    quoted = rest.p[0] == '"', prefix;
        skn_str piece;

        if (is_blank(decode(rest, &bytes))) {
            rest = skn_str_sub(rest, bytes, rest.n);
            continue;
        }
        piece = next_piece(&rest);
        prefix = quoted ? rest.n > 0 && rest.p[0] == '*' : skn_str_ends(piece, SKN_STR("*"));
        add_term(q, piece, prefix);
    }
}

skein_rc skn_words_query(skn_str query, skn_arena *a, skn_terms *out, skein_error *err)
{
    asking   q = {.a = a};
    skein_rc rc;

    *out = (skn_terms){0};
    if (query.n > SKN_QUERY_BYTES)
        return skn_fail(err, SKEIN_LIMIT, "the query is %zu bytes; the limit is %d", query.n,
                        SKN_QUERY_BYTES);
    if (query.p && (rc = skn_utf8_check(query, "the query", err)))
        return rc;
    read_terms(&q, query);
    if (q.words == 0)
        return skn_hint(err, skn_fail(err, SKEIN_INVALID, "the query has no words"),
                        "Give words, \"several words\" in quotes, or begin*.");
    if (q.words > SKN_QUERY_WORDS)
        return skn_hint(err,
                        skn_fail(err, SKEIN_LIMIT, "the query has %zu words; the limit is %d",
                                 q.words, SKN_QUERY_WORDS),
                        "Leave out what is not needed to find it.");
    *out = (skn_terms){q.terms.p, q.terms.n};
    return SKEIN_OK;
}

/* --- Matching -------------------------------------------------------------------------------------- */

/* The words read last, as many as the longest term may have. */
typedef struct window {
    skn_word at[SKN_QUERY_WORDS];
    size_t   read;
} window;

static bool is_word(const skn_word *w, skn_str asked, bool prefix)
{
    skn_str s = {w->text, w->n};

    return prefix ? skn_str_starts(s, asked) : skn_str_eq(s, asked);
}

/* Does the term end with the word read last? */
static bool ends_here(const window *v, const skn_term *t)
{
    if (v->read < t->count)
        return false;
    for (size_t i = t->count; i-- > 0;) {
        const skn_word *w = &v->at[(v->read - t->count + i) % SKN_QUERY_WORDS];

        if (!is_word(w, t->words[i], t->prefix && i == t->count - 1))
            return false;
    }
    return true;
}

bool skn_words_match(skn_str text, const skn_terms *terms, size_t *at)
{
    bool      found[SKN_QUERY_WORDS] = {false};
    size_t    missing = terms->count;
    window    v = {.read = 0};
    skn_words w;

    *at = SIZE_MAX;
    skn_words_start(&w, text);
    while (missing > 0 && skn_words_next(&w, &v.at[v.read % SKN_QUERY_WORDS])) {
        v.read++;
        for (size_t i = 0; i < terms->count; i++) {
            const skn_term *t = &terms->at[i];
            const skn_word *first = &v.at[(v.read - t->count) % SKN_QUERY_WORDS];

            if (found[i] || !ends_here(&v, t))
                continue;
            found[i] = true;
            missing--;
            if (first->from < *at)
                *at = first->from;
        }
    }
    return missing == 0;
}

/* --- Snippets -------------------------------------------------------------------------------------- */

/* Goes back from `at` by so many characters. */
static size_t back(skn_str text, size_t at, size_t characters)
{
    while (at > 0 && characters > 0) {
        at--;
        while (at > 0 && ((unsigned char)text.p[at] & 0xc0) == 0x80)
            at--;
        characters--;
    }
    return at;
}

static size_t forward(skn_str text, size_t at, size_t characters)
{
    while (at < text.n && characters > 0) {
        at++;
        while (at < text.n && ((unsigned char)text.p[at] & 0xc0) == 0x80)
            at++;
        characters--;
    }
    return at;
}

/* Moves a cut inside a word to the blank beside it, if there is one near. */
static size_t to_blank(skn_str text, size_t at, size_t limit)
{
    for (size_t i = at; i < limit; i++)
        if (text.p[i] == ' ' || text.p[i] == '\n')
            return i + 1;
    return at;
}

skn_str skn_words_snippet(skn_str text, size_t at, size_t width, skn_arena *a)
{
    size_t  start = back(text, at, width / 3), end;
    skn_buf b;
    skn_str out;

    if (start > 0)
        start = to_blank(text, start, at);
    end = forward(text, start, width);
    skn_buf_init(&b, SIZE_MAX / 2);
    skn_buf_add(&b, start > 0 ? SKN_STR("…") : SKN_STR(""));
    for (size_t i = start; i < end; i++) {
        char c = text.p[i];
        bool blank = (unsigned char)c <= ' ' || c == 0x7f;

        if (!blank)
            skn_buf_addc(&b, c);
        else if (b.n > 0 && b.p[b.n - 1] != ' ' && i > start)
            skn_buf_addc(&b, ' ');
    }
    out = skn_str_trim(skn_buf_str(&b));
    out = skn_arena_printf(a, "%.*s%s", SKN_FMT(out), end < text.n ? "…" : "");
    skn_buf_release(&b);
    return out;
}
