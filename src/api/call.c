#include "api/call.h"

#include "base/hash.h"
#include "base/url.h"
#include "base/utf8.h"

#include <stdarg.h>

/* Most bytes of a pointer or detail, which may have a name of any length from a client. JSON needs up to six for one. */
enum { NAMED_MOST = 1024 };

/* --- The request ------------------------------------------------------------------------------ */

skn_str skn_call_header(const skn_api_call *c, const char *name)
{
    for (size_t i = 0; i < c->given_count; i++)
        if (skn_str_is_word(c->given[i].name, name))
            return c->given[i].value;
    return SKN_NONE;
}

skn_str skn_call_query(skn_api_call *c, const char *name)
{
    return skn_query_get(c->query, name, c->mem);
}

/* The detail is also the error itself; a whole sentence says what it is about. */
skein_rc skn_call_invalid(skn_api_call *c, const char *pointer, const char *detail)
{
    skn_str text = skn_arena_copy(c->mem, skn_str_of(detail)); /* it may stand in c->error */
    skn_buf b;
    skn_jw  w;

    skn_buf_init(&b, (size_t)16 * NAMED_MOST);
    skn_buf_add(&b, SKN_STR("\"errors\":["));
    skn_jw_init(&w, &b);
    skn_jw_object(&w);
    skn_jw_kstr(&w, "pointer", skn_utf8_cut(skn_str_of(pointer), NAMED_MOST));
    skn_jw_kstr(&w, "detail", skn_utf8_cut(text, NAMED_MOST));
    skn_jw_object_end(&w);
    skn_buf_addc(&b, ']');
    c->problem_extra = skn_buf_keep(&b, c->mem);
    c->problem = "validation";
    if (skn_str_starts(text, SKN_STR("the")) || skn_str_starts(text, SKN_STR("\"")))
        return skn_fail(&c->error, SKEIN_INVALID, "%s", text.p);
    return skn_fail(&c->error, SKEIN_INVALID, "%s %s", *pointer ? pointer + 1 : "the body",
                    text.p);
}

skein_rc skn_call_wrong(skn_api_call *c, const char *detail, const char *fmt, ...)
{
    char    pointer[NAMED_MOST];
    va_list args;

    va_start(args, fmt);
    vsnprintf(pointer, sizeof pointer, fmt, args);
    va_end(args);
    return skn_call_invalid(c, pointer, detail);
}

static skein_rc read_int(skn_api_call *c, const char *name, skn_str text, int64_t min,
                         int64_t max, int64_t *out)
{
    int64_t n;

    if (!skn_str_int(text, &n) || n < min || n > max)
        return skn_call_wrong(c,
                              skn_arena_text(c->mem, "must be a whole number from %lld to %lld",
                                             (long long)min, (long long)max),
                              "/%s", name);
    *out = n;
    return SKEIN_OK;
}

skein_rc skn_call_query_int(skn_api_call *c, const char *name, int64_t min, int64_t max,
                            int64_t fallback, int64_t *out)
{
    skn_str text = skn_call_query(c, name);

    *out = fallback;
    return text.p ? read_int(c, name, text, min, max, out) : SKEIN_OK;
}

skein_rc skn_call_query_flag(skn_api_call *c, const char *name, bool *out)
{
    skn_str text = skn_call_query(c, name);

    *out = text.p && (!text.n || skn_str_among(text, "true 1"));
    if (!text.p || *out || skn_str_among(text, "false 0"))
        return SKEIN_OK;
    return skn_call_wrong(c, "must be true or false", "/%s", name);
}

skein_rc skn_call_text(skn_api_call *c, const char *member, bool needed, skn_str *out)
{
    const skn_json *v = skn_json_given(c->json, member);

    *out = SKN_NONE;
    if (!v)
        return needed ? skn_call_wrong(c, "is required", "/%s", member) : SKEIN_OK;
    if (v->kind != SKN_JSON_STRING)
        return skn_call_wrong(c, "must be a text", "/%s", member);
    *out = v->text;
    return SKEIN_OK;
}

skein_rc skn_call_words(skn_api_call *c, const char *member, bool needed, skn_str *out)
{
    skein_rc rc = skn_call_text(c, member, needed, out);

    return rc || !out->p || skn_str_trim(*out).n
               ? rc
               : skn_call_wrong(c, "has no text", "/%s", member);
}

skein_rc skn_call_int(skn_api_call *c, const char *member, int64_t min, int64_t max,
                      int64_t fallback, int64_t *out)
{
    const skn_json *v = skn_json_given(c->json, member);
    bool            number = v && v->kind == SKN_JSON_NUMBER;

    *out = fallback;
    return v ? read_int(c, member, number ? v->text : SKN_NONE, min, max, out) : SKEIN_OK;
}

skein_rc skn_call_flag(skn_api_call *c, const char *member, bool fallback, bool *out)
{
    const skn_json *v = skn_json_given(c->json, member);

    *out = v ? v->boolean : fallback;
    if (v && v->kind != SKN_JSON_BOOL)
        return skn_call_wrong(c, "must be true or false", "/%s", member);
    return SKEIN_OK;
}

skein_rc skn_call_chat_id(skn_api_call *c, skn_str *out)
{
    skein_rc rc = skn_call_text(c, "chatId", false, out);

    if (rc == SKEIN_OK && !out->p)
        *out = skn_call_query(c, "chatId");
    return rc;
}

skein_rc skn_call_problem(skn_api_call *c, int status, const char *problem, const char *fmt,
                          ...)
{
    char    text[sizeof c->error.message];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    c->problem = problem;
    c->problem_status = status;
    return skn_fail(&c->error, status >= 500 ? SKEIN_FAILED : SKEIN_INVALID, "%s", text);
}

/* --- The answer ------------------------------------------------------------------------------- */

/* Control characters are left out: a value may come from a client. */
static skn_str one_line(skn_arena *a, skn_str value)
{
    char  *p = skn_arena_alloc(a, value.n + 1);
    size_t n = 0;

    for (size_t i = 0; i < value.n; i++)
        if ((unsigned char)value.p[i] >= ' ' && value.p[i] != 0x7f)
            p[n++] = value.p[i];
    return (skn_str){p, n};
}

void skn_call_add_header(skn_api_call *c, const char *name, skn_str value)
{
    skn_header h = {skn_arena_copy(c->mem, skn_str_of(name)), one_line(c->mem, value)};

    skn_vec_add(c->mem, &c->headers, h);
}

/* Weak and strong tags are compared alike, as RFC 9110 asks for If-None-Match. */
static bool tag_listed(skn_str list, skn_str tag)
{
    skn_str piece;

    if (skn_str_is(skn_str_trim(list), "*"))
        return true;
    if (skn_str_starts(tag, SKN_STR("W/")))
        tag = skn_str_sub(tag, 2, tag.n);
    while (skn_str_split(&list, ',', &piece)) {
        piece = skn_str_trim(piece);
        if (skn_str_starts(piece, SKN_STR("W/")))
            piece = skn_str_sub(piece, 2, piece.n);
        if (skn_str_eq(piece, tag))
            return true;
    }
    return false;
}

static bool answer_same(skn_api_call *c, skn_str tag)
{
    skn_str have = skn_call_header(c, "If-None-Match");
    bool    reads = skn_str_is(c->method, "GET") || skn_str_is(c->method, "HEAD");

    if (!reads || !have.p || !tag_listed(have, tag))
        return false;
    c->status = 304;
    skn_buf_clear(&c->out);
    skn_jw_init(&c->w, &c->out);
    return true;
}

skn_str skn_call_chat_etag(skn_api_call *c, const skein_conversation *chat)
{
    return skn_arena_printf(c->mem, "\"%.*s.%lld\"", SKN_FMT(chat->thread_uid),
                            (long long)chat->length);
}

/* "THREAD.LENGTH", and perhaps "-" with a hash of the chat or of the answer. */
static bool tag_state(skn_str tag, skn_str *thread, int64_t *length, bool *hashed)
{
    ptrdiff_t dash;
    size_t    dot;

    tag = skn_str_trim(tag);
    if (tag.n < 4 || tag.p[0] != '"' || tag.p[tag.n - 1] != '"')
        return false;
    tag = skn_str_sub(tag, 1, tag.n - 1);
    for (dot = tag.n; dot > 0 && tag.p[dot - 1] != '.';)
        dot--;
    if (dot < 2)
        return false;
    *thread = skn_str_sub(tag, 0, dot - 1);
    tag = skn_str_sub(tag, dot, tag.n);
    dash = skn_str_find(tag, SKN_STR("-"));
    *hashed = dash > 0;
    tag = *hashed ? skn_str_sub(tag, 0, (size_t)dash) : tag;
    return skn_str_int(tag, length) && *length >= 0;
}

bool skn_call_names_state(skn_str tag)
{
    skn_str thread;
    int64_t length;
    bool    hashed;

    return tag_state(tag, &thread, &length, &hashed) && !hashed;
}

/* A state says nothing of titles and erasures: whether the client has this answer is known once it is written. */
void skn_call_etag(skn_api_call *c, skn_str tag, bool *same)
{
    skn_call_add_header(c, "ETag", tag);
    *same = !skn_call_names_state(tag) && answer_same(c, tag);
}

void skn_call_tag_body(skn_api_call *c)
{
    uint64_t    hash = skn_hash_bytes(7, skn_buf_str(&c->out));
    skn_header *tag = NULL;

    for (size_t i = 0; i < c->headers.n; i++)
        if (skn_str_is(c->headers.p[i].name, "ETag"))
            tag = &c->headers.p[i];
    if (tag && !skn_call_names_state(tag->value))
        return;
    if (!tag) {
        skn_call_add_header(
            c, "ETag", skn_arena_printf(c->mem, "W/\"%016llx\"", (unsigned long long)hash));
        tag = &c->headers.p[c->headers.n - 1];
    } else {
        tag->value = skn_arena_printf(c->mem, "%.*s-%08x\"", (int)tag->value.n - 1,
                                      tag->value.p, (unsigned)(hash & 0xffffffff));
    }
    answer_same(c, tag->value);
}

skein_rc skn_call_if_match(skn_api_call *c, const skein_conversation *chat, bool needed,
                           skein_at *out)
{
    skn_str tag = skn_call_header(c, "If-Match"), thread;
    int64_t length;
    bool    hashed;

    *out = (skein_at){0};
    if (!tag.p)
        return needed
                   ? skn_call_problem(c, 428, "if-match-needed",
                                      "this needs If-Match with the ETag of the conversation")
                   : SKEIN_OK;
    if (skn_str_is(skn_str_trim(tag), "*"))
        return SKEIN_OK;
    if (tag_state(tag, &thread, &length, &hashed) && skn_str_eq(thread, chat->thread_uid) &&
        length == chat->length) {
        *out = (skein_at){chat->thread, length};
        return SKEIN_OK;
    }
    c->more.current = skn_arena_copy(c->mem, chat->thread_uid).p;
    return skn_fail(&c->error, SKEIN_VERSION_CHANGED,
                    "the conversation has moved on: it stands at %.*s",
                    SKN_FMT(skn_call_chat_etag(c, chat)));
}

void skn_call_list(skn_api_call *c)
{
    skn_jw_object(&c->w);
    skn_jw_karray(&c->w, "data");
}

/* A Link header to the same list at another cursor. */
static void add_link(skn_api_call *c, const char *rel, skn_str cursor)
{
    skn_buf b;
    skn_str rest = c->query, pair;

    if (!cursor.p)
        return;
    skn_buf_init(&b, SKN_URL_MAX * 2);
    skn_buf_add(&b, c->path);
    skn_buf_add(&b, SKN_STR("?cursor="));
    skn_url_encode(&b, cursor);
    while (rest.p && skn_str_split(&rest, '&', &pair)) {
        skn_str rest_of_it = pair, name;

        if (skn_str_split(&rest_of_it, '=', &name) &&
            skn_str_among(name, "cursor before after around latest"))
            continue;
        skn_buf_addc(&b, '&');
        skn_buf_add(&b, pair);
    }
    skn_call_add_header(
        c, "Link",
        skn_arena_printf(c->mem, "<%.*s>; rel=\"%s\"", SKN_FMT(skn_buf_str(&b)), rel));
    skn_buf_release(&b);
}

void skn_call_list_end(skn_api_call *c, skn_str next, skn_str prev, int64_t total)
{
    skn_jw *w = &c->w;

    skn_jw_array_end(w);
    skn_jw_kobject(w, "page");
    skn_jw_kstr(w, "next", next);
    skn_jw_kstr(w, "prev", prev);
    skn_jw_kbool(w, "hasMore", next.p != NULL);
    if (total >= 0)
        skn_jw_kint(w, "total", total);
    else
        skn_jw_knull(w, "total");
    skn_jw_kbool(w, "totalIsExact", total >= 0);
    skn_jw_object_end(w);
    skn_jw_object_end(w);
    add_link(c, "next", next);
    add_link(c, "prev", prev);
}
