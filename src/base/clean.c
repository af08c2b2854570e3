#include "base/clean.h"

#include "base/utf8.h"

#include <string.h>

#define FLAG     0x1f3f4u /* before the tags of a region, as England's */
#define FLAG_END 0xe007fu
#define GROWTH   4 /* times a text, that which is shown of it at most: U+00AD has two bytes */

/* How much is shown. */
typedef enum strictness {
    PIECE,  /* what no neighbour can make harmless is not */
    TEXT,   /* … nor is what these here do not */
    CONSENT /* nor what a text may have, but nobody would see */
} strictness;

#define AMONG(ranges, c) skn_utf8_among(ranges, sizeof(ranges) / sizeof *(ranges), c)

static bool is_control(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0);
}

/* No text needs these to be read: soft hyphens, joiners of words, fillers, separators of lines that only some programs obey,
 * embeddings, overrides and isolates, which reorder what stands behind a text too, notes between lines, and beams. */
static bool is_hidden(uint32_t c)
{
    static const skn_utf8_range ranges[] = {
        {0x00ad, 0x00ad},   {0x180e, 0x180e},   {0x2028, 0x202e}, {0x2060, 0x206f},
        {0x3164, 0x3164},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0}, {0xfff9, 0xfffb},
        {0x1d173, 0x1d17a}, {0xe0000, 0xe001f},
    };

    return AMONG(ranges, c);
}

/* Real texts have these, and there they stay. The marks of a direction (U+200E, U+200F, U+061C) are among them: such a mark acts
 * on the signs beside it as a letter of that direction does, and never beyond the end of its line, so it can do nothing that a word
 * in Hebrew could not. But it can stand inside a name that is to be agreed to. */
static bool is_mark(uint32_t c)
{
    static const skn_utf8_range ranges[] = {
        {0x034f, 0x034f}, {0x061c, 0x061c}, {0x115f, 0x1160},
        {0x17b4, 0x17b5}, {0x180b, 0x180f}, {0x200c, 0x200f},
    };

    return AMONG(ranges, c);
}

static bool is_tag(uint32_t c)
{
    return c >= 0xe0020 && c <= FLAG_END;
}

static bool is_selector(uint32_t c)
{
    return (c >= 0xfe00 && c <= 0xfe0f) || (c >= 0xe0100 && c <= 0xe01ef);
}

/* Scripts without blanks between words: Thai to Khmer, and those around New Tai Lue. U+200B is where a line may end in
 * them. */
static bool is_spaceless(uint32_t c)
{
    static const skn_utf8_range ranges[] = {
        {0x0e00, 0x109f}, {0x1780, 0x17ff}, {0x1950, 0x1aaf}};

    return AMONG(ranges, c);
}

/* The tags of a flag: three to six letters or digits and an end, so that no more can hide there. */
static size_t flag_bytes(skn_str s)
{
    uint32_t c;
    size_t   at = 0, n;

    for (int count = 0; (n = skn_utf8_get(skn_str_sub(s, at, s.n), &c)); count++) {
        at += n;
        if (c == FLAG_END)
            return count >= 3 ? at : 0;
        if (count == 6 || !((c >= 0xe0030 && c <= 0xe0039) || (c >= 0xe0061 && c <= 0xe007a)))
            return 0;
    }
    return 0;
}

static bool is_picture(uint32_t c)
{
    return c >= 0xa9 || c == '#' || c == '*' || (c >= '0' && c <= '9');
}

/* Does `next` only say how c is to be shown, and may it? One of each can; more of them hide something. */
static bool selects(uint32_t c, uint32_t next, strictness how)
{
    if (!is_selector(next) || is_control(c))
        return false;
    return how != CONSENT || (is_picture(c) && (next == 0xfe0e || next == 0xfe0f));
}

static bool joins(uint32_t c, uint32_t next, strictness how)
{
    if (next == 0x200b)
        return how != CONSENT && is_spaceless(c);
    return (next == 0x200c || next == 0x200d) && c >= 0x300;
}

/* Of what follows c, how much belongs to it. */
static size_t belonging(uint32_t c, skn_str rest, strictness how)
{
    uint32_t next;
    size_t   at, n;

    if (c == FLAG && how != CONSENT && (at = flag_bytes(rest)))
        return at;
    at = skn_utf8_get(rest, &next);
    if (!at || !selects(c, next, how))
        at = 0;
    n = skn_utf8_get(skn_str_sub(rest, at, rest.n), &next);
    return n && joins(c, next, how) ? at + n : at;
}

static bool is_harmful(uint32_t c, strictness how)
{
    if (is_control(c) || is_hidden(c))
        return true;
    if (how == PIECE)
        return false;
    return c == 0x200b || is_tag(c) || is_selector(c) || (how == CONSENT && is_mark(c));
}

/* What stands at the front, *bytes long. *c is its first character; a byte that is not UTF-8 is left alone. */
static bool next_unclean(skn_str s, strictness how, uint32_t *c, size_t *bytes)
{
    const unsigned char *p = (const unsigned char *)s.p;

    *bytes = 1;
    if (s.n > 1 && p[0] >= 0x20 && p[0] < 0x7f && p[1] < 0x80) /* as nearly all are */
        return false;
    *c = 0xfffd;
    *bytes = skn_utf8_get(s, c);
    if (!*bytes) {
        *bytes = 1;
        return false;
    }
    if (is_harmful(*c, how))
        return true;
    if (*bytes < s.n && (unsigned char)s.p[*bytes] >= 0x80)
        *bytes += belonging(*c, skn_str_sub(s, *bytes, s.n), how);
    return false;
}

bool skn_clean_harmful(skn_str s, size_t *bytes)
{
    uint32_t c;

    return next_unclean(s, TEXT, &c, bytes) && s.n;
}

/* U+241B shows an escape, and so on. */
static void show_escaped(skn_buf *out, uint32_t c)
{
    char picture[4];

    if (c < 0x20)
        skn_buf_add(out, (skn_str){picture, skn_utf8_put(0x2400 + c, picture)});
    else if (is_control(c))
        skn_buf_add(out, SKN_STR("\xef\xbf\xbd"));
    else
        skn_buf_addf(out, "<U+%04X>", (unsigned)c);
}

static void add_clean(skn_buf *out, skn_str text, bool lines, strictness how)
{
    size_t   from = 0, i = 0, bytes;
    uint32_t c;

    for (; i < text.n; i += bytes) {
        bool kept = text.p[i] == '\t' || (lines && text.p[i] == '\n');

        bytes = 1;
        if (kept || !next_unclean(skn_str_sub(text, i, text.n), how, &c, &bytes))
            continue;
        skn_buf_add(out, skn_str_sub(text, from, i));
        if (c == '\n')
            skn_buf_addc(out, ' ');
        else if (c != '\r' || i + 1 == text.n || text.p[i + 1] != '\n')
            show_escaped(out, c);
        from = i + bytes;
    }
    skn_buf_add(out, skn_str_sub(text, from, text.n));
}

void skn_clean_json(skn_buf *out, skn_str json)
{
    size_t   from = 0, i = 0, bytes;
    uint32_t c;

    for (; i < json.n; i += bytes) {
        if (!next_unclean(skn_str_sub(json, i, json.n), TEXT, &c, &bytes) || c < 0x20)
            continue;
        skn_buf_add(out, skn_str_sub(json, from, i));
        if (c < 0x10000)
            skn_buf_addf(out, "\\u%04x", (unsigned)c);
        else
            skn_buf_addf(out, "\\u%04x\\u%04x", 0xd7c0 + (unsigned)(c >> 10),
                         0xdc00 + (unsigned)(c & 0x3ff));
        from = i + bytes;
    }
    skn_buf_add(out, skn_str_sub(json, from, json.n));
}

void skn_clean_add(skn_buf *out, skn_str text, bool lines)
{
    add_clean(out, text, lines, TEXT);
}

void skn_clean_add_piece(skn_buf *out, skn_str piece)
{
    add_clean(out, piece, true, PIECE);
}

skn_str skn_clean_consent(skn_arena *a, skn_str text)
{
    skn_buf shown;

    skn_buf_init(&shown, text.n * GROWTH + 1);
    add_clean(&shown, text, true, CONSENT);
    return skn_buf_keep(&shown, a);
}

/* --- HTML --------------------------------------------------------------------------------- */

static const char *special(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void skn_clean_html(skn_buf *out, skn_str text)
{
    size_t   from = 0, bytes;
    uint32_t c;

    for (size_t i = 0; i < text.n; i += bytes) {
        const char *as = special(text.p[i]);
        bool        space = text.p[i] == '\n' || text.p[i] == '\t' || text.p[i] == '\r';

        bytes = 1;
        if (!as && (space || !next_unclean(skn_str_sub(text, i, text.n), TEXT, &c, &bytes)))
            continue;
        skn_buf_add(out, skn_str_sub(text, from, i));
        if (as)
            skn_buf_addf(out, "%s", as);
        else if (is_control(c))
            skn_buf_add(out, SKN_STR("\xef\xbf\xbd"));
        else
            skn_buf_addf(out, "&lt;U+%04X&gt;", (unsigned)c);
        from = i + bytes;
    }
    skn_buf_add(out, skn_str_sub(text, from, text.n));
}

/* --- Commands ------------------------------------------------------------------------------ */

#define WORD_MOST ((size_t)1 << 20)

skn_str skn_shell_word(skn_arena *a, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_./:,@%+=^~";
    skn_buf           b;

    if (*word && *word != '~' && !word[strspn(word, plain)])
        return skn_arena_copy(a, skn_str_of(word));
    skn_buf_init(&b, WORD_MOST);
    skn_buf_addc(&b, '\'');
    for (; *word; word++)
        skn_buf_add(&b, *word == '\'' ? SKN_STR("'\\''") : (skn_str){word, 1});
    skn_buf_addc(&b, '\'');
    return skn_buf_keep(&b, a);
}
