#include "mcp/mcp_message.h"

#include "base/json_write.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <string.h>

#define ID_MOST ((size_t)256)

/* --- Reading ---------------------------------------------------------------------------------- */

/* No more values than there are commas and opening brackets outside of texts, and one. */
static bool too_many_values(skn_str text)
{
    size_t n = 1;
    bool   in_text = false;

    for (size_t i = 0; i < text.n && n <= SKN_MCP_VALUES; i++) {
        char c = text.p[i];

        if (in_text && c == '\\')
            i++;
        else if (c == '"')
            in_text = !in_text;
        else if (!in_text && (c == ',' || c == '[' || c == '{'))
            n++;
    }
    return n > SKN_MCP_VALUES;
}

/* The four hex digits after "\u", or -1. */
static int32_t unit_at(skn_str s, size_t at)
{
    int32_t v = 0;

    if (at + 6 > s.n || s.p[at] != '\\' || s.p[at + 1] != 'u')
        return -1;
    for (size_t i = at + 2; i < at + 6; i++) {
        char c = s.p[i];

        if (c >= '0' && c <= '9')
            v = v * 16 + (c - '0');
        else if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'))
            v = v * 16 + ((c | 0x20) - 'a' + 10);
        else
            return -1;
    }
    return v;
}

/* How many bytes of an escape at `at` are fine as they are; 0: it stands for no character. */
static size_t good_escape(skn_str s, size_t at)
{
    int32_t unit = unit_at(s, at), next;

    if (unit < 0)
        return 2;
    if (unit == 0 || (unit >= 0xdc00 && unit <= 0xdfff))
        return 0;
    if (unit < 0xd800 || unit > 0xdbff)
        return 6;
    next = unit_at(s, at + 6);
    return next >= 0xdc00 && next <= 0xdfff ? 12 : 0;
}

static void mend_escapes(skn_str s, skn_buf *out)
{
    size_t from = 0, at = 0;

    while (at < s.n) {
        size_t good = s.p[at] == '\\' ? good_escape(s, at) : 1;

        if (good) {
            at += good;
            continue;
        }
        skn_buf_add(out, skn_str_sub(s, from, at));
        skn_buf_add(out, SKN_STR("\\ufffd"));
        from = at += 6;
    }
    skn_buf_add(out, skn_str_sub(s, from, s.n));
}

static void mend_bytes(skn_str s, skn_buf *out)
{
    size_t bad = 0;

    while (!skn_utf8_valid(s, &bad)) {
        skn_buf_add(out, skn_str_sub(s, 0, bad));
        skn_buf_add(out, SKN_STR("\xEF\xBF\xBD"));
        s = skn_str_sub(s, bad + 1, s.n);
    }
    skn_buf_add(out, s);
}

static skn_str mended(skn_str text, skn_arena *a)
{
    skn_buf bytes, escapes;
    skn_str out;

    skn_buf_init(&bytes, text.n * 3 + 1);
    skn_buf_init(&escapes, text.n * 3 + 1);
    mend_bytes(text, &bytes);
    mend_escapes(skn_buf_str(&bytes), &escapes);
    out = skn_arena_copy(a, skn_buf_str(&escapes));
    skn_buf_release(&bytes);
    skn_buf_release(&escapes);
    return out;
}

static skein_rc parse(const skn_json **out, skn_str text, skn_arena *a, skein_error *err)
{
    if (text.n > SKN_MCP_LINE)
        return skn_fail(err, SKEIN_LIMIT, "a message of %zu bytes is too large", text.n);
    if (too_many_values(text))
        return skn_fail(err, SKEIN_LIMIT, "a message has more than %zu values", SKN_MCP_VALUES);
    if (!skn_json_parse(out, text, "a message", a, err))
        return SKEIN_OK;
    return skn_json_parse(out, mended(text, a), "a message", a, err);
}

/* The number of one of our requests; servers that send numbers back as text are out there. */
static int64_t our_id(const skn_json *id)
{
    int64_t n;

    if (!id || (id->kind != SKN_JSON_NUMBER && id->kind != SKN_JSON_STRING))
        return 0;
    return skn_str_int(id->text, &n) && n > 0 ? n : 0;
}

/* False when it is no message. */
static bool message_of(const skn_json *v, skn_mcp_message *out)
{
    const skn_json *method = skn_json_get(v, "method"), *id = skn_json_get(v, "id");
    const skn_json *result = skn_json_get(v, "result"), *error = skn_json_get(v, "error");

    *out = (skn_mcp_message){.method = SKN_NONE, .raw_id = SKN_NONE};
    if (method && method->kind == SKN_JSON_STRING) {
        bool asks = id && id->raw.n <= ID_MOST &&
                    (id->kind == SKN_JSON_NUMBER || id->kind == SKN_JSON_STRING);

        out->kind = asks ? SKN_MCP_REQUEST : SKN_MCP_NOTICE;
        out->method = method->text;
        out->raw_id = asks ? id->raw : SKN_NONE;
        out->body = skn_json_get(v, "params");
        return true;
    }
    if (!result && !error)
        return false;
    out->kind = error && error->kind != SKN_JSON_NULL ? SKN_MCP_ERROR : SKN_MCP_RESULT;
    out->id = our_id(id);
    out->body = out->kind == SKN_MCP_ERROR ? error : result;
    return true;
}

skein_rc skn_mcp_read(skn_str text, skn_arena *a, bool (*take)(void *, const skn_mcp_message *),
                      void *arg, skein_error *err)
{
    const skn_json *v;
    skn_mcp_message m;
    skein_rc        rc = parse(&v, text, a, err);

    if (rc)
        return rc;
    if (v->kind != SKN_JSON_ARRAY) {
        if (!message_of(v, &m))
            return skn_fail(err, SKEIN_INVALID, "this is no JSON-RPC message");
        take(arg, &m);
        return SKEIN_OK;
    }
    if (v->count > SKN_MCP_BATCH)
        return skn_fail(err, SKEIN_LIMIT, "a batch of %" PRIu32 " messages is too large",
                        v->count);
    for (v = v->first; v; v = v->next)
        if (message_of(v, &m) && !take(arg, &m))
            break;
    return SKEIN_OK;
}

/* --- Writing ---------------------------------------------------------------------------------- */

static void begin(skn_jw *w, skn_buf *out)
{
    skn_jw_init(w, out);
    skn_jw_object(w);
    skn_jw_kstr(w, "jsonrpc", SKN_STR("2.0"));
}

/* Line ends inside JSON are blanks: inside its texts they are escaped. */
static void add_raw(skn_jw *w, const char *key, skn_str json)
{
    size_t from;

    if (!json.p)
        return;
    skn_jw_key(w, key);
    from = w->out->n;
    skn_jw_raw(w, json);
    for (size_t i = from; i < w->out->n; i++)
        if (w->out->p[i] == '\n' || w->out->p[i] == '\r')
            w->out->p[i] = ' ';
}

void skn_mcp_write_request(skn_buf *out, int64_t id, const char *method, skn_str params)
{
    skn_jw w;

    begin(&w, out);
    skn_jw_kint(&w, "id", id);
    skn_jw_kstr(&w, "method", skn_str_of(method));
    add_raw(&w, "params", params);
    skn_jw_object_end(&w);
}

void skn_mcp_write_notice(skn_buf *out, const char *method, skn_str params)
{
    skn_jw w;

    begin(&w, out);
    skn_jw_kstr(&w, "method", skn_str_of(method));
    add_raw(&w, "params", params);
    skn_jw_object_end(&w);
}

void skn_mcp_write_result(skn_buf *out, skn_str raw_id, skn_str result)
{
    skn_jw w;

    begin(&w, out);
    add_raw(&w, "id", raw_id);
    add_raw(&w, "result", result);
    skn_jw_object_end(&w);
}

void skn_mcp_write_error(skn_buf *out, skn_str raw_id, int code, const char *message)
{
    skn_jw w;

    begin(&w, out);
    add_raw(&w, "id", raw_id);
    skn_jw_key(&w, "error");
    skn_jw_object(&w);
    skn_jw_kint(&w, "code", code);
    skn_jw_kstr(&w, "message", skn_str_of(message));
    skn_jw_object_end(&w);
    skn_jw_object_end(&w);
}
