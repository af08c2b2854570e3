#include "base/utf8.h"
#include "engine/engine.h"
#include "engine/view/modelview_parts.h"
#include "engine/view/thinking.h"

#include <string.h>

enum { NAME_MAX_BYTES = 64, TAG_MAX_BYTES = 200, AGAIN_MAX_BYTES = 400 };

/* What the engine's own bracketed lines begin with; blanks do not count. */
static const char *const marks[] = {
    "[summaryoftheconversation",
    "[endofsummary",
    "[squashofearliermessages",
    "[endofsquash",
    "[conversationstartshere",
    "[continue]",
    "[answerthismessagenow",
    "[noresultrecorded",
    "[nooutput]",
    "[calledtool",
    "[resultoftool",
    "[source:",
    "[responseexpected:",
    "[instruction:",
};

static unsigned char byte_at(skn_str s, size_t i)
{
    return i < s.n ? (unsigned char)s.p[i] : 0;
}

/* Blank and invisible characters beyond ASCII, as their bytes. */
static const struct {
    size_t   bytes;
    uint32_t first, last;
} blanks[] = {
    {2, 0xc285, 0xc285},     {2, 0xc2a0, 0xc2a0},     {3, 0xe19a80, 0xe19a80},
    {3, 0xe1a08e, 0xe1a08e}, {3, 0xe28080, 0xe2808f}, {3, 0xe280a8, 0xe280af},
    {3, 0xe2819f, 0xe281a4}, {3, 0xe38080, 0xe38080}, {3, 0xefbbbf, 0xefbbbf},
};

/* The bytes of the blank or invisible character at i, 0 when it can be read. */
static size_t blank_at(skn_str s, size_t i)
{
    uint32_t b0 = byte_at(s, i), two = b0 << 8 | byte_at(s, i + 1);
    uint32_t three = two << 8 | byte_at(s, i + 2);

    if (i >= s.n)
        return 0;
    if (b0 < 0x80)
        return b0 <= ' ' || b0 == 0x7f;
    for (size_t k = 0; k < sizeof blanks / sizeof *blanks; k++) {
        uint32_t c = blanks[k].bytes == 2 ? two : three;

        if (c >= blanks[k].first && c <= blanks[k].last)
            return blanks[k].bytes;
    }
    return 0;
}

/* The bytes of the line end at i, 0 when there is none. */
static size_t line_end_at(skn_str s, size_t i)
{
    unsigned char b0 = byte_at(s, i), b2 = byte_at(s, i + 2);

    if (b0 >= '\n' && b0 <= '\r')
        return 1;
    if (b0 == 0xc2 && byte_at(s, i + 1) == 0x85)
        return 2;
    return b0 == 0xe2 && byte_at(s, i + 1) == 0x80 && (b2 == 0xa8 || b2 == 0xa9) ? 3 : 0;
}

static size_t skip_blanks(skn_str s, size_t i)
{
    size_t n;

    while ((n = blank_at(s, i)))
        i += n;
    return i;
}

static size_t next_line(skn_str s, size_t i)
{
    size_t n = 0;

    while (i < s.n && !(n = line_end_at(s, i)))
        i++;
    return i + n;
}

static char lower(unsigned char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

static bool name_byte(unsigned char c)
{
    char l = lower(c);

    return (l >= 'a' && l <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

bool skn_view_blank(skn_str s)
{
    return skip_blanks(s, 0) == s.n;
}

skn_str skn_view_clean(skn_arena *a, skn_str s)
{
    skn_str rest = s;
    size_t  bad, faults = 0, n = 0;
    char   *out;

    for (; !skn_utf8_valid(rest, &bad); rest = skn_str_sub(rest, bad + 1, rest.n))
        faults++;
    if (!faults)
        return s;
    out = skn_arena_alloc(a, s.n + 2 * faults + 1);
    for (rest = s; !skn_utf8_valid(rest, &bad); rest = skn_str_sub(rest, bad + 1, rest.n)) {
        memcpy(out + n, rest.p, bad);
        n += bad;
        n += skn_utf8_put(0xfffd, out + n);
    }
    if (rest.n)
        memcpy(out + n, rest.p, rest.n);
    return (skn_str){out, n + rest.n};
}

static skn_str name_by_kind(const skein_message *m)
{
    if (m->author == SKEIN_BY_TOOL)
        return SKN_STR("tool");
    if (m->author == SKEIN_BY_SYSTEM)
        return SKN_STR("system");
    return SKN_STR("agent");
}

skn_str skn_view_name(skn_arena *a, const skein_message *m)
{
    static const char human[] = "human";
    skn_str           name = skn_str_sub(m->sender, 0, NAME_MAX_BYTES);
    bool              same = name.n == sizeof human - 1;
    char             *out;

    if (m->author == SKEIN_BY_HUMAN && m->role == SKEIN_USER)
        return SKN_STR("human");
    if (!name.n)
        return name_by_kind(m);
    out = skn_arena_alloc(a, name.n + 1);
    for (size_t i = 0; i < name.n; i++) {
        out[i] = name_byte((unsigned char)name.p[i]) ? name.p[i] : '_';
        same = same && lower((unsigned char)out[i]) == human[i];
    }
    return same ? SKN_STR("agent-human") : (skn_str){out, name.n};
}

void skn_voices_init(skn_voices *v, skn_arena *a)
{
    v->a = a;
    v->names = skn_map_new(a);
    skn_voices_add(v, SKN_STR("human"));
}

void skn_voices_add(skn_voices *v, skn_str name)
{
    char   low[NAME_MAX_BYTES];
    size_t n = name.n < sizeof low ? name.n : sizeof low;

    for (size_t i = 0; i < n; i++)
        low[i] = lower((unsigned char)name.p[i]);
    *skn_map_slot(v->names, (skn_str){low, n}) = v;
}

static bool looks_named(const skn_voices *v, skn_str s, size_t i)
{
    char   low[NAME_MAX_BYTES];
    size_t n = 0;

    while (n < sizeof low && name_byte(byte_at(s, i))) {
        low[n++] = lower(byte_at(s, i));
        i++;
    }
    while (blank_at(s, i) && !line_end_at(s, i))
        i += blank_at(s, i);
    return n && byte_at(s, i) == ':' && skn_map_get(v->names, (skn_str){low, n});
}

static bool looks_marked(skn_str s, size_t i, const char *mark)
{
    for (; *mark; mark++, i++) {
        i = skip_blanks(s, i);
        if (lower(byte_at(s, i)) != *mark)
            return false;
    }
    return true;
}

static bool looks_ours(const skn_voices *v, skn_str s, size_t i, bool names)
{
    while (byte_at(s, i) == '\\')
        i++;
    if (byte_at(s, i) == '[')
        for (size_t k = 0; k < sizeof marks / sizeof *marks; k++)
            if (looks_marked(s, i, marks[k]))
                return true;
    return names && looks_named(v, s, i);
}

skn_str skn_voices_escape(const skn_voices *v, skn_str text, bool names)
{
    skn_vec(size_t) at = {0};
    size_t from = 0;
    char  *out;

    for (size_t i = skip_blanks(text, 0); i < text.n; i = skip_blanks(text, next_line(text, i)))
        if (looks_ours(v, text, i, names))
            skn_vec_add(v->a, &at, i);
    if (!at.n)
        return text;
    out = skn_arena_alloc(v->a, text.n + at.n + 1);
    for (size_t k = 0; k < at.n; k++) {
        memcpy(out + from + k, text.p + from, at.p[k] - from);
        from = at.p[k];
        out[from + k] = '\\';
    }
    memcpy(out + from + at.n, text.p + from, text.n - from);
    return (skn_str){out, text.n + at.n};
}

/* At most so many bytes of it, with `instead` for what could end a line or a bracket. */
static skn_str in_brackets(skn_arena *a, skn_str s, size_t most, char instead)
{
    skn_str cut = skn_view_clean(a, skn_utf8_cut(s, most));
    char   *out = skn_arena_alloc(a, cut.n + 1);

    for (size_t i = 0; i < cut.n; i++) {
        bool plain = byte_at(cut, i) >= ' ' && cut.p[i] != 0x7f && cut.p[i] != '[' &&
                     cut.p[i] != ']';
        out[i] = plain ? cut.p[i] : instead;
        for (size_t n = line_end_at(cut, i); n > 1; n--)
            out[i++] = instead;
    }
    return (skn_str){out, cut.n};
}

static skn_str tag_word(skn_arena *a, skn_str s)
{
    return in_brackets(a, s, TAG_MAX_BYTES, '_');
}

static skn_str tag_line(skn_arena *a, const skein_instruction *in)
{
    skn_str type = tag_word(a, in->type), target = tag_word(a, in->target);

    if (skn_str_is(type, "Source.User"))
        return SKN_STR("[source: user]");
    if (skn_str_is(type, "Source.Agent"))
        return skn_arena_printf(a, "[source: agent %.*s]", SKN_FMT(target));
    if (skn_str_is(type, "ResponseExpected"))
        return skn_arena_printf(a, "[response expected: %.*s]", SKN_FMT(target));
    return skn_arena_printf(a, "[instruction: %.*s%s%.*s]", SKN_FMT(type), target.n ? " " : "",
                            SKN_FMT(target));
}

skn_str skn_instruction_text(const skein_instruction *in, size_t n, skn_arena *a)
{
    skn_vec(char) text = {0};

    for (size_t i = 0; in && i < n; i++) {
        skn_str line = tag_line(a, &in[i]);

        if (text.n)
            skn_vec_add(a, &text, '\n');
        for (size_t k = 0; k < line.n; k++)
            skn_vec_add(a, &text, line.p[k]);
    }
    return (skn_str){text.p, text.n};
}

skn_str skn_view_again(skn_arena *a, const skein_message *m)
{
    skn_str text = skn_str_trim(m->content);
    skn_str words = in_brackets(a, text, AGAIN_MAX_BYTES, ' '), name = skn_view_name(a, m);

    return skn_arena_printf(a, SKN_VIEW_AGAIN "%.*s: %.*s%s]", SKN_FMT(name), SKN_FMT(words),
                            text.n > AGAIN_MAX_BYTES ? "…" : "");
}

size_t skn_tokens_of(size_t bytes)
{
    return bytes / 4 + (bytes % 4 != 0) + 4;
}

size_t skn_prompt_tokens(const skn_prompt *p)
{
    size_t tokens = 0;

    for (size_t i = 0; i < p->count; i++) {
        const skn_prompt_message *m = &p->at[i];
        size_t                    bytes = m->text.n + m->tool_call_id.n;

        for (size_t k = 0; k < m->call_count; k++)
            bytes += m->calls[k].call_id.n + m->calls[k].tool_name.n + m->calls[k].args.n;
        tokens += skn_tokens_of(bytes);
    }
    return tokens;
}

typedef struct tag {
    skn_str open, close;
} tag;

static const tag tags[] = {
    {{"<think>", 7}, {"</think>", 8}},
    {{"<thinking>", 10}, {"</thinking>", 11}},
};

/* True if s begins with the tag, whose letters are lower case. */
static bool begins(skn_str s, skn_str with)
{
    return skn_str_is_word(skn_str_sub(s, 0, with.n), with.p);
}

static const tag *opened(skn_str s)
{
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++)
        if (begins(s, tags[i].open))
            return &tags[i];
    return NULL;
}

/* Where, at or after `from`, an open tag begins, or `close` if one is given; s.n when
 * nowhere. */
static size_t find(skn_str s, size_t from, const skn_str *close)
{
    while (from < s.n) {
        const char *at = memchr(s.p + from, '<', s.n - from);
        skn_str     rest;

        if (!at)
            break;
        from = (size_t)(at - s.p);
        rest = skn_str_sub(s, from, s.n);
        if (close ? begins(rest, *close) : opened(rest) != NULL)
            return from;
        from++;
    }
    return s.n;
}

bool skn_think_next(skn_str *rest, skn_think_part *part)
{
    const tag *t = opened(*rest);
    size_t     inner = t ? t->open.n : 0, end, outer;

    if (rest->n == 0)
        return false;
    end = outer = find(*rest, inner, t ? &t->close : NULL);
    if (t && end < rest->n)
        outer = end + t->close.n;
    *part = (skn_think_part){t != NULL, skn_str_sub(*rest, 0, outer),
                             skn_str_sub(*rest, inner, end)};
    *rest = skn_str_sub(*rest, outer, rest->n);
    return true;
}
