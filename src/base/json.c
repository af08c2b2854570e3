/* One pass, no recursion: open brackets stand in a fixed array, and a value is finished where
 * its last byte is read. */
#include "base/json.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/utf8.h"

enum { FEW_KEYS = 16 }; /* up to here keys are compared one by one, which is faster */

typedef struct bracket {
    skn_json  *v;
    skn_json **tail; /* where the next child is linked */
    skn_map   *keys; /* of an object with more than FEW_KEYS members */
} bracket;

typedef struct reader {
    const char  *start, *p, *end;
    const char  *what;
    skn_arena   *a;
    skn_arena   *scratch; /* for key maps; made when first needed */
    skein_error *err;
    skn_str      key;         /* of the value to come, inside an object */
    size_t       depth, left; /* values that may still come */
    bracket      open[SKN_JSON_DEPTH];
} reader;

/* Lines and columns are counted only here: reading a good source need not pay for them. */
static skein_rc fail_at(reader *r, const char *at, const char *message)
{
    size_t line = 1, column = 1;

    for (const char *p = r->start; p < at; p++) {
        if (*p == '\n') {
            line++;
            column = 1;
        } else if (((unsigned char)*p & 0xc0) != 0x80) {
            column++;
        }
    }
    return skn_fail(r->err, SKEIN_INVALID, "%s: line %zu, column %zu: %s%s", r->what, line,
                    column, message, at == r->end ? ", found the end" : "");
}

static void skip_blank(reader *r)
{
    while (r->p < r->end && (*r->p == ' ' || *r->p == '\n' || *r->p == '\r' || *r->p == '\t'))
        r->p++;
}

static bool next_is(reader *r, char c)
{
    if (r->p == r->end || *r->p != c)
        return false;
    r->p++;
    return true;
}

/* The four digits after "\u"; -1 when they are none. */
static int32_t hex4(const char *p, const char *end)
{
    int32_t v = 0;

    if (end - p < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        int digit = skn_hex_digit(p[i]);

        if (digit < 0)
            return -1;
        v = v << 4 | digit;
    }
    return v;
}

/* Reads "\uXXXX", or two of them for one character; *p stands on the backslash. */
static skein_rc unescape_unicode(reader *r, const char **p, const char *end, char **out)
{
    int32_t c = hex4(*p + 2, end), low = -1;

    if (c < 0)
        return fail_at(r, *p, "expected four hexadecimal digits after \"\\u\"");
    if (c == 0)
        return fail_at(r, *p, "U+0000 is not allowed in a text");
    if (c >= 0xd800 && c <= 0xdfff) {
        if (c < 0xdc00 && end - *p >= 12 && (*p)[6] == '\\' && (*p)[7] == 'u')
            low = hex4(*p + 8, end);
        if (low < 0xdc00 || low > 0xdfff)
            return fail_at(r, *p, "lone surrogate in a text");
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
        *p += 6;
    }
    *p += 6;
    *out += skn_utf8_put((uint32_t)c, *out);
    return SKEIN_OK;
}

/* The decoded text is never longer than the source, so its room is known before. */
static skein_rc unescape(reader *r, skn_str source, skn_str *text)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char       *p = source.p, *end = source.p + source.n, *at;
    char             *start = skn_arena_try(r->a, source.n + 4), *out = start;
    skein_rc          rc;

    if (!start)
        return SKEIN_NO_MEMORY;
    while (p < end) {
        const char *slash = memchr(p, '\\', (size_t)(end - p));
        size_t      run = (size_t)((slash ? slash : end) - p);

        memcpy(out, p, run);
        out += run;
        p += run;
        if (p == end)
            break;
        if (p[1] == 'u') {
            if ((rc = unescape_unicode(r, &p, end, &out)))
                return rc;
            continue;
        }
        at = p[1] ? strchr(from, p[1]) : NULL;
        if (!at)
            return fail_at(r, p, "unknown escape in a text");
        *out++ = to[at - from];
        p += 2;
    }
    *text = (skn_str){start, (size_t)(out - start)};
    return SKEIN_OK;
}

/* Finds the closing quote; r->p stands behind the opening one and ends on it. */
static skein_rc scan_string(reader *r, bool *escaped, bool *beyond_ascii)
{
    unsigned char high = 0;

    *escaped = *beyond_ascii = false;
    while (r->end - r->p >= 8 && skn_json_plain(skn_json_word(r->p))) {
        if (skn_json_word(r->p) & SKN_EACH_BYTE * 0x80)
            high = 0x80;
        r->p += 8;
    }
    for (; r->p < r->end && *r->p != '"'; r->p++) {
        unsigned char c = (unsigned char)*r->p;

        if (c < 0x20)
            return fail_at(r, r->p, "control character in a text");
        high |= c;
        if (c == '\\') {
            *escaped = true;
            if (++r->p == r->end)
                break;
            high |= (unsigned char)*r->p;
        }
    }
    if (r->p == r->end)
        return fail_at(r, r->p, "expected '\"' at the end of a text");
    *beyond_ascii = high & 0x80;
    return SKEIN_OK;
}

static skein_rc read_string(reader *r, skn_str *text)
{
    const char *start = ++r->p;
    size_t      bad;
    bool        escaped, beyond_ascii;
    skein_rc    rc;

    if ((rc = scan_string(r, &escaped, &beyond_ascii)))
        return rc;
    *text = (skn_str){start, (size_t)(r->p - start)};
    r->p++;
    if (beyond_ascii && !skn_utf8_valid(*text, &bad))
        return fail_at(r, start + bad, "text is not UTF-8");
    return escaped ? unescape(r, *text, text) : SKEIN_OK;
}

static bool digits(reader *r)
{
    const char *start = r->p;

    while (r->p < r->end && *r->p >= '0' && *r->p <= '9')
        r->p++;
    return r->p > start;
}

static skein_rc read_number(reader *r)
{
    const char *first;

    next_is(r, '-');
    first = r->p;
    if (!digits(r))
        return fail_at(r, r->p, "expected a digit");
    if (*first == '0' && r->p > first + 1)
        return fail_at(r, first, "a number has no leading zeros");
    if (next_is(r, '.') && !digits(r))
        return fail_at(r, r->p, "expected a digit");
    if (next_is(r, 'e') || next_is(r, 'E')) {
        if (!next_is(r, '+'))
            next_is(r, '-');
        if (!digits(r))
            return fail_at(r, r->p, "expected a digit");
    }
    return SKEIN_OK;
}

static bool read_word(reader *r, skn_str word)
{
    if (!skn_str_starts((skn_str){r->p, (size_t)(r->end - r->p)}, word))
        return false;
    r->p += word.n;
    return true;
}

static skein_rc open_bracket(reader *r, skn_json *v)
{
    if (r->depth == SKN_JSON_DEPTH)
        return fail_at(r, r->p, "nested too deeply");
    r->open[r->depth++] = (bracket){.v = v, .tail = &v->first};
    r->p++;
    return SKEIN_OK;
}

/* Reads a value without children whole, and of another only the opening bracket. */
static skein_rc read_value(reader *r, skn_json *v)
{
    const char *start = r->p;
    char        c = r->p < r->end ? *r->p : '\0';
    skein_rc    rc = SKEIN_OK;

    if (c == '{' || c == '[') {
        v->kind = c == '{' ? SKN_JSON_OBJECT : SKN_JSON_ARRAY;
        rc = open_bracket(r, v);
    } else if (c == '"') {
        v->kind = SKN_JSON_STRING;
        rc = read_string(r, &v->text);
    } else if (c == '-' || (c >= '0' && c <= '9')) {
        v->kind = SKN_JSON_NUMBER;
        rc = read_number(r);
        v->text = (skn_str){start, (size_t)(r->p - start)};
    } else if (read_word(r, SKN_STR("true")) || read_word(r, SKN_STR("false"))) {
        v->kind = SKN_JSON_BOOL;
        v->boolean = c == 't';
    } else if (!read_word(r, SKN_STR("null"))) {
        return fail_at(r, r->p, "expected a value");
    }
    v->raw = (skn_str){start, (size_t)(r->p - start)};
    return rc;
}

/* True if the object already has r->key; remembers it in the map when there is one. */
static bool repeated(reader *r, bracket *b)
{
    void **slot;

    if (b->v->count < FEW_KEYS) {
        for (const skn_json *m = b->v->first; m; m = m->next)
            if (m->key.n == r->key.n && skn_str_eq(m->key, r->key))
                return true;
        return false;
    }
    if (!b->keys) {
        if (!r->scratch)
            r->scratch = skn_arena_new();
        b->keys = skn_map_new(r->scratch);
        for (skn_json *m = b->v->first; m; m = m->next)
            *skn_map_slot(b->keys, m->key) = m;
    }
    slot = skn_map_slot(b->keys, r->key);
    if (*slot)
        return true;
    *slot = b;
    return false;
}

static skein_rc fail_repeated(reader *r, const char *at)
{
    skn_str key = skn_utf8_cut(r->key, 80);

    return fail_at(r, at, skn_arena_text(r->a, "repeated key \"%.*s\"", SKN_FMT(key)));
}

static skein_rc read_key(reader *r, bracket *b)
{
    const char *start;
    skein_rc    rc;

    skip_blank(r);
    start = r->p;
    if (r->p == r->end || *r->p != '"')
        return fail_at(r, r->p, "expected a key in double quotes");
    if ((rc = read_string(r, &r->key)))
        return rc;
    if (repeated(r, b))
        return fail_repeated(r, start);
    skip_blank(r);
    return next_is(r, ':') ? SKEIN_OK : fail_at(r, r->p, "expected ':'");
}

/* Behind a value: closes brackets until one goes on; *more is false when none is left. */
static skein_rc read_separator(reader *r, bool *more)
{
    while (r->depth > 0) {
        bracket *b = &r->open[r->depth - 1];
        bool     object = b->v->kind == SKN_JSON_OBJECT;

        *more = true;
        skip_blank(r);
        if (next_is(r, object ? '}' : ']')) {
            b->v->raw.n = (size_t)(r->p - b->v->raw.p);
            r->depth--;
            continue;
        }
        if (b->v->count > 0 && !next_is(r, ','))
            return fail_at(r, r->p, object ? "expected ',' or '}'" : "expected ',' or ']'");
        return object ? read_key(r, b) : SKEIN_OK;
    }
    *more = false;
    return SKEIN_OK;
}

static skein_rc read_all(reader *r, skn_json *root)
{
    skn_json *v = root;
    bool      more;
    skein_rc  rc;

    for (;;) {
        skip_blank(r);
        if ((rc = read_value(r, v)) || (rc = read_separator(r, &more)))
            return rc;
        if (!more)
            break;
        if (r->left-- == 0)
            return SKEIN_LIMIT;
        bracket *b = &r->open[r->depth - 1];
        if (!(v = skn_arena_try(r->a, sizeof *v)))
            return SKEIN_NO_MEMORY;
        if (b->v->kind == SKN_JSON_OBJECT)
            v->key = r->key;
        *b->tail = v;
        b->tail = &v->next;
        b->v->count++;
    }
    skip_blank(r);
    return r->p == r->end ? SKEIN_OK : fail_at(r, r->p, "text after the value");
}

skein_rc skn_json_parse_few(const skn_json **out, skn_str source, const char *what, size_t most,
                            skn_arena *a, skein_error *err)
{
    reader    r; /* not zeroed whole: `open` is large and filled as brackets open */
    skn_json *root = SKN_NEW(a, skn_json);
    skein_rc  rc;

    if (!source.p)
        source = SKN_STR("");
    r.start = r.p = source.p;
    r.end = source.p + source.n;
    r.what = what;
    r.a = a;
    r.scratch = NULL;
    r.err = err;
    r.depth = 0;
    r.left = most - 1;
    rc = read_all(&r, root);
    skn_arena_free(r.scratch);
    *out = rc ? NULL : root;
    if (rc == SKEIN_LIMIT)
        return skn_fail(err, SKEIN_LIMIT, "%s: it has more than %zu values", what, most);
    if (rc == SKEIN_NO_MEMORY)
        return skn_fail(err, rc, "%s: there is not enough memory to read it", what);
    return rc;
}

skein_rc skn_json_parse(const skn_json **out, skn_str source, const char *what, skn_arena *a,
                        skein_error *err)
{
    return skn_json_parse_few(out, source, what, SKN_JSON_VALUES, a, err);
}

/* Each value but the first stands behind one of these. */
size_t skn_json_guess(skn_str source)
{
    size_t n = 1;

    for (size_t i = 0; i < source.n; i++)
        n += source.p[i] == ',' || source.p[i] == '[' || source.p[i] == '{';
    return n;
}

const skn_json *skn_json_member(const skn_json *v, skn_str key)
{
    if (!v || v->kind != SKN_JSON_OBJECT)
        return NULL;
    for (v = v->first; v; v = v->next)
        if (v->key.n == key.n && skn_str_eq(v->key, key))
            return v;
    return NULL;
}

const skn_json *skn_json_get(const skn_json *v, const char *key)
{
    return skn_json_member(v, skn_str_of(key));
}

const skn_json *skn_json_given(const skn_json *v, const char *key)
{
    v = skn_json_get(v, key);
    return v && v->kind != SKN_JSON_NULL ? v : NULL;
}

skn_str skn_json_str(const skn_json *v, const char *key)
{
    v = skn_json_get(v, key);
    return v && v->kind == SKN_JSON_STRING ? v->text : SKN_NONE;
}

skein_rc skn_json_text(const skn_json *v, const char *key, skn_str *out, skein_error *err)
{
    v = skn_json_given(v, key);
    *out = SKN_NONE;
    if (v && v->kind != SKN_JSON_STRING)
        return skn_fail(err, SKEIN_INVALID, "\"%s\" must be a text", key);
    if (v)
        *out = v->text;
    return SKEIN_OK;
}

/* Of a number's text: true if it has neither fraction nor exponent. */
static bool is_whole_number(skn_str number)
{
    for (size_t i = 0; i < number.n; i++)
        if (number.p[i] == '.' || number.p[i] == 'e' || number.p[i] == 'E')
            return false;
    return true;
}

skein_rc skn_json_int(const skn_json *v, const char *key, int64_t fallback, int64_t *out,
                      skein_error *err)
{
    v = skn_json_given(v, key);
    *out = fallback;
    if (!v || (v->kind == SKN_JSON_NUMBER && skn_str_int(v->text, out)))
        return SKEIN_OK;
    if (v->kind == SKN_JSON_NUMBER && is_whole_number(v->text))
        return skn_fail(err, SKEIN_INVALID, "\"%s\" is out of range", key);
    return skn_fail(err, SKEIN_INVALID, "\"%s\" must be a whole number", key);
}

skein_rc skn_json_flag(const skn_json *v, const char *key, bool fallback, bool *out,
                       skein_error *err)
{
    v = skn_json_given(v, key);
    *out = fallback;
    if (v && v->kind != SKN_JSON_BOOL)
        return skn_fail(err, SKEIN_INVALID, "\"%s\" must be true or false", key);
    if (v)
        *out = v->boolean;
    return SKEIN_OK;
}

/* --- Repair --------------------------------------------------------------------------------- */

/* The four digits of the "\\u" at `i`; -1 when none is there. */
static int32_t unit_at(skn_str s, size_t i)
{
    bool begins = i + 6 <= s.n && s.p[i] == '\\' && s.p[i + 1] == 'u';

    return begins ? hex4(s.p + i + 2, s.p + s.n) : -1;
}

/* How long the escape at `i` is; *bad: it stands for no character. */
static size_t escape_at(skn_str s, size_t i, bool *bad)
{
    int32_t unit = unit_at(s, i), low;

    *bad = false;
    if (unit < 0)
        return i + 1 < s.n && s.p[i + 1] == '\\' ? 2 : 1;
    low = unit >= 0xd800 && unit <= 0xdbff ? unit_at(s, i + 6) : -1;
    if (low >= 0xdc00 && low <= 0xdfff)
        return 12;
    *bad = unit == 0 || (unit >= 0xd800 && unit <= 0xdfff);
    return 6;
}

static bool needs_repair(skn_str s)
{
    bool        bad = false;
    const char *slash;

    if (!skn_utf8_valid(s, NULL))
        return true;
    for (size_t i = 0; !bad && i < s.n && (slash = memchr(s.p + i, '\\', s.n - i));) {
        i = (size_t)(slash - s.p);
        i += escape_at(s, i, &bad);
    }
    return bad;
}

static size_t character_at(skn_str s, size_t i, bool *bad)
{
    uint32_t c;
    size_t   n = skn_utf8_get(skn_str_sub(s, i, s.n), &c);

    *bad = n == 0 || c == 0;
    return n ? n : 1;
}

skn_str skn_json_repair(skn_str json, skn_arena *a)
{
    skn_buf out;
    size_t  from = 0, n;
    bool    bad;

    if (!needs_repair(json))
        return json;
    skn_buf_init(&out, 3 * json.n);
    for (size_t i = 0; i < json.n; i += n) {
        n = json.p[i] == '\\' ? escape_at(json, i, &bad) : character_at(json, i, &bad);
        if (!bad)
            continue;
        skn_buf_add(&out, skn_str_sub(json, from, i));
        skn_buf_add(&out, json.p[i] == '\\' ? SKN_STR("\\ufffd") : SKN_STR("\xef\xbf\xbd"));
        from = i + n;
    }
    skn_buf_add(&out, skn_str_sub(json, from, json.n));
    return skn_buf_keep(&out, a);
}
