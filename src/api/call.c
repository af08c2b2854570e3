#include "api/call.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/url.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Bytes of a pointer, or of what is wrong there: a name in it is as long as a client likes. As JSON a byte takes six
 * at most. */
enum { NAMED_MOST = 1024 };

/* --- The request ------------------------------------------------------------------------------ */

static skn_str header_value(const skn_header *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (skn_str_is_word(list[i].name, name))
            return list[i].value;
    return SKN_NONE;
}

skn_str skn_call_header(const skn_api_call *c, const char *name)
{
    return header_value(c->given, c->given_count, name);
}

skn_str skn_call_query(skn_api_call *c, const char *name)
{
    return skn_query_get(c->query, name, c->mem);
}

/* "errors" with one entry; the detail also as the error itself. */
skein_rc skn_call_invalid(skn_api_call *c, const char *pointer, const char *detail)
{
    skn_buf b;
    skn_jw  w;
    skn_str text;

    skn_buf_init(&b, (size_t)16 * NAMED_MOST);
    skn_jw_init(&w, &b);
    skn_jw_object(&w);
    skn_jw_key(&w, "errors");
    skn_jw_array(&w);
    skn_jw_object(&w);
    skn_jw_kstr(&w, "pointer", skn_utf8_cut(skn_str_of(pointer), NAMED_MOST));
    skn_jw_kstr(&w, "detail", skn_utf8_cut(skn_str_of(detail), NAMED_MOST));
    skn_jw_object_end(&w);
    skn_jw_array_end(&w);
    skn_jw_object_end(&w);
    text = skn_buf_str(&b);
    c->problem_extra = skn_arena_copy(c->mem, skn_str_sub(text, 1, text.n - 1));
    skn_buf_release(&b);
    c->problem = "validation";
    if (!strncmp(detail, "the", 3) ||
        *detail == '"') /* a whole sentence says itself what it is about */
        return skn_fail(&c->error, SKEIN_INVALID, "%s", detail);
    return skn_fail(&c->error, SKEIN_INVALID, "%s %s", *pointer ? pointer + 1 : "the body",
                    detail);
}

skein_rc skn_call_query_int(skn_api_call *c, const char *name, int64_t min, int64_t max,
                            int64_t fallback, int64_t *out)
{
    skn_str text = skn_call_query(c, name);

    *out = fallback;
    if (!text.p)
        return SKEIN_OK;
    if (skn_str_int(text, out) && *out >= min && *out <= max)
        return SKEIN_OK;
    *out = fallback;
    return skn_call_invalid(c, skn_arena_printf(c->mem, "/%s", name).p,
                            skn_arena_printf(c->mem, "must be a whole number from %lld to %lld",
                                             (long long)min, (long long)max)
                                .p);
}

skein_rc skn_call_query_flag(skn_api_call *c, const char *name, bool *out)
{
    skn_str text = skn_call_query(c, name);

    *out = text.p && (text.n == 0 || skn_str_is(text, "true") || skn_str_is(text, "1"));
    if (!text.p || *out || skn_str_is(text, "false") || skn_str_is(text, "0"))
        return SKEIN_OK;
    return skn_call_invalid(c, skn_arena_printf(c->mem, "/%s", name).p,
                            "must be true or false");
}

static skein_rc wrong(skn_api_call *c, const char *member, const char *detail)
{
    return skn_call_invalid(c, skn_arena_printf(c->mem, "/%s", member).p, detail);
}

skein_rc skn_call_text(skn_api_call *c, const char *member, bool needed, skn_str *out)
{
    const skn_json *v = skn_json_get(c->json, member);

    *out = SKN_NONE;
    if (!v || v->kind == SKN_JSON_NULL)
        return needed ? wrong(c, member, "is required") : SKEIN_OK;
    if (v->kind != SKN_JSON_STRING)
        return wrong(c, member, "must be a text");
    *out = v->text;
    return SKEIN_OK;
}

skein_rc skn_call_int(skn_api_call *c, const char *member, int64_t min, int64_t max,
                      int64_t fallback, int64_t *out)
{
    const skn_json *v = skn_json_get(c->json, member);

    *out = fallback;
    if (!v || v->kind == SKN_JSON_NULL)
        return SKEIN_OK;
    if (v->kind == SKN_JSON_NUMBER && skn_str_int(v->text, out) && *out >= min && *out <= max)
        return SKEIN_OK;
    *out = fallback;
    return wrong(c, member,
                 skn_arena_printf(c->mem, "must be a whole number from %lld to %lld",
                                  (long long)min, (long long)max)
                     .p);
}

skein_rc skn_call_flag(skn_api_call *c, const char *member, bool fallback, bool *out)
{
    const skn_json *v = skn_json_get(c->json, member);

    *out = fallback;
    if (!v || v->kind == SKN_JSON_NULL)
        return SKEIN_OK;
    if (v->kind != SKN_JSON_BOOL)
        return wrong(c, member, "must be true or false");
    *out = v->boolean;
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

/* What would end the line early is left out: a value may have come from a client. */
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

/* The part of a tag before its last dot is the thread's id, the rest the length, and perhaps "-" and a
 * hash: of the chat, or of the answer that it came with. */
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

/* A state says what was said, not what it is called or what was erased: whether the client has this very
 * answer is seen when the answer is there. */
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
    skn_str  tag = skn_call_header(c, "If-Match"), thread;
    int64_t  length;
    bool     hashed;
    skein_rc rc;

    *out = (skein_at){0};
    if (!tag.p) {
        rc = needed ? skn_call_problem(c, 428, "if-match-needed",
                                       "this needs If-Match with the ETag of the conversation")
                    : SKEIN_OK;
        return rc;
    }
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
    skn_jw_key(&c->w, "data");
    skn_jw_array(&c->w);
}

/* The address of the same list at another cursor. */
static skn_str page_link(skn_api_call *c, skn_str cursor)
{
    skn_buf b;
    skn_str rest = c->query, pair, link;

    skn_buf_init(&b, SKN_URL_MAX * 2);
    skn_buf_add(&b, c->path);
    skn_buf_add(&b, SKN_STR("?cursor="));
    skn_url_encode(&b, cursor);
    while (rest.p && skn_str_split(&rest, '&', &pair)) {
        if (skn_str_starts(pair, SKN_STR("cursor=")) ||
            skn_str_starts(pair, SKN_STR("before=")) ||
            skn_str_starts(pair, SKN_STR("after=")) ||
            skn_str_starts(pair, SKN_STR("around=")) ||
            skn_str_starts(pair, SKN_STR("latest=")))
            continue;
        skn_buf_addc(&b, '&');
        skn_buf_add(&b, pair);
    }
    link = skn_arena_copy(c->mem, skn_buf_str(&b));
    skn_buf_release(&b);
    return link;
}

void skn_call_list_end(skn_api_call *c, skn_str next, skn_str prev, int64_t total)
{
    skn_jw *w = &c->w;

    skn_jw_array_end(w);
    skn_jw_key(w, "page");
    skn_jw_object(w);
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
    if (next.p)
        skn_call_add_header(
            c, "Link",
            skn_arena_printf(c->mem, "<%.*s>; rel=\"next\"", SKN_FMT(page_link(c, next))));
    if (prev.p)
        skn_call_add_header(
            c, "Link",
            skn_arena_printf(c->mem, "<%.*s>; rel=\"prev\"", SKN_FMT(page_link(c, prev))));
}
