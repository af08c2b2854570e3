#include "mcp/mcp_message.h"

#include <inttypes.h>

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

static skein_rc parse(const skn_json **out, skn_str text, skn_arena *a, skein_error *err)
{
    if (text.n > SKN_MCP_LINE)
        return skn_fail(err, SKEIN_LIMIT, "a message of %zu bytes is too large", text.n);
    if (too_many_values(text))
        return skn_fail(err, SKEIN_LIMIT, "a message has more than %zu values", SKN_MCP_VALUES);
    if (!skn_json_parse(out, text, "a message", a, err))
        return SKEIN_OK;
    return skn_json_parse(out, skn_json_repair(text, a), "a message", a, err);
}

/* The number of one of our requests; servers that send numbers back as text are out there. */
static int64_t our_id(const skn_json *id)
{
    int64_t n;

    if (!id || (id->kind != SKN_JSON_NUMBER && id->kind != SKN_JSON_STRING))
        return 0;
    return skn_str_int(id->text, &n) && n > 0 ? n : 0;
}

/* False when it is not a message. */
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
            return skn_fail(err, SKEIN_INVALID, "this is not a JSON-RPC message");
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

static skn_jw *begin_letter(skn_mcp_letter *l, size_t most)
{
    skn_jw_open(&l->w, &l->text, most);
    skn_jw_object(&l->w);
    skn_jw_kstr(&l->w, "jsonrpc", SKN_STR("2.0"));
    return &l->w;
}

skn_jw *skn_mcp_letter_begin(skn_mcp_letter *l, size_t most, int64_t id, const char *method)
{
    skn_jw *w = begin_letter(l, most);

    if (id)
        skn_jw_kint(w, "id", id);
    skn_jw_kstr(w, "method", skn_str_of(method));
    return w;
}

skn_jw *skn_mcp_letter_answer(skn_mcp_letter *l, skn_str raw_id)
{
    skn_jw *w = begin_letter(l, 4096);

    skn_jw_kraw(w, "id", raw_id);
    return w;
}

/* Line ends between the parts of JSON are blanks; in its texts they are escaped. */
skn_str skn_mcp_letter_end(skn_mcp_letter *l)
{
    skn_jw_object_end(&l->w);
    for (size_t i = 0; i < l->text.n; i++)
        if (l->text.p[i] == '\n' || l->text.p[i] == '\r')
            l->text.p[i] = ' ';
    return skn_buf_str(&l->text);
}
