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

static const span spans[] = {
#define SPAN(...) {__VA_ARGS__},
#include "base/words.def"
};

typedef struct capitals {
    uint32_t from, to;
    int32_t  shift;
    bool     pairs;
} capitals;

static const capitals folds[] = {
#define FOLD(...) {__VA_ARGS__},
#include "base/words.def"
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
