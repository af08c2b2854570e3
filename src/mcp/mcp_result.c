/* What a tool answered, as a model reads it. */
#include "mcp/mcp_message.h"

#include "base/utf8.h"

#define URI_MOST  ((size_t)2048)
#define TYPE_MOST ((size_t)128)

/* The bytes that base64 stands for. */
static size_t bytes_of(skn_str base64)
{
    size_t n = base64.n;

    while (n > 0 && base64.p[n - 1] == '=')
        n--;
    return n / 4 * 3 + (n % 4 ? n % 4 - 1 : 0);
}

static void describe(skn_buf *out, skn_str type, const char *otherwise, skn_str base64)
{
    type = type.n ? skn_utf8_cut(type, TYPE_MOST) : skn_str_of(otherwise);
    skn_buf_addf(out, "[%.*s, %zu bytes]", SKN_FMT(type), bytes_of(base64));
}

static void add_resource(const skn_json *resource, skn_buf *out)
{
    skn_str text = skn_json_str(resource, "text"),
            uri = skn_utf8_cut(skn_json_str(resource, "uri"), URI_MOST);
    skn_str blob = skn_json_str(resource, "blob");

    if (text.p) {
        skn_buf_add(out, text);
        return;
    }
    if (blob.p)
        describe(out, skn_json_str(resource, "mimeType"), "resource", blob);
    if (blob.p && uri.n)
        skn_buf_addc(out, ' ');
    skn_buf_add(out, uri.n || blob.p ? uri : SKN_STR("[resource]"));
}

static void add_link(const skn_json *block, skn_buf *out)
{
    skn_str name = skn_utf8_cut(skn_json_str(block, "name"), URI_MOST),
            uri = skn_utf8_cut(skn_json_str(block, "uri"), URI_MOST);

    if (name.n)
        skn_buf_addf(out, "%.*s: ", SKN_FMT(name));
    skn_buf_add(out, uri.p ? uri : SKN_STR("[resource]"));
}

static void add_block(const skn_json *block, skn_buf *out)
{
    skn_str type = skn_json_str(block, "type");

    if (out->n)
        skn_buf_addc(out, '\n');
    if (skn_str_is(type, "text"))
        skn_buf_add(out, skn_json_str(block, "text"));
    else if (skn_str_is(type, "image") || skn_str_is(type, "audio"))
        describe(out, skn_json_str(block, "mimeType"),
                 skn_str_is(type, "image") ? "image" : "audio", skn_json_str(block, "data"));
    else if (skn_str_is(type, "resource"))
        add_resource(skn_json_get(block, "resource"), out);
    else if (skn_str_is(type, "resource_link"))
        add_link(block, out);
    else if (type.n)
        skn_buf_addf(out, "[%.*s]", SKN_FMT(skn_utf8_cut(type, TYPE_MOST)));
    else
        skn_buf_add(out, SKN_STR("[unknown content]"));
}

static bool cannot_be_read(skn_buf *out, const char *why)
{
    skn_buf_addf(out, "the server of this tool gave a result that cannot be read: %s", why);
    return true;
}

bool skn_mcp_result_text(const skn_json *result, skn_buf *out)
{
    const skn_json *content = skn_json_get(result, "content");
    const skn_json *structured = skn_json_get(result, "structuredContent");
    const skn_json *failed = skn_json_get(result, "isError");
    bool            has_text = false;

    if (result && result->kind != SKN_JSON_OBJECT && result->kind != SKN_JSON_NULL)
        return cannot_be_read(out, "it is not an object");
    if (content && content->kind != SKN_JSON_ARRAY && content->kind != SKN_JSON_NULL)
        return cannot_be_read(out, "its \"content\" is not a list");
    if (content && content->kind == SKN_JSON_ARRAY)
        for (const skn_json *v = content->first; v && !out->over; v = v->next) {
            add_block(v, out);
            has_text |= skn_json_str(v, "text").n > 0;
        }
    if (structured && structured->kind == SKN_JSON_OBJECT && !has_text) {
        if (out->n)
            skn_buf_addc(out, '\n');
        skn_buf_add(out, structured->raw);
    }
    /* Before 2024-11-05 a result was one value. */
    if (!content && !structured && skn_json_get(result, "toolResult"))
        skn_buf_add(out, skn_json_get(result, "toolResult")->raw);
    return failed && failed->kind == SKN_JSON_BOOL && failed->boolean;
}

void skn_mcp_error_text(const skn_json *error, skn_buf *out)
{
    const skn_json *code = skn_json_get(error, "code");
    skn_str         said = error->kind == SKN_JSON_STRING ? error->text
                                                          : skn_json_str(error, "message");

    skn_buf_add(out, SKN_STR("error"));
    if (code && code->kind == SKN_JSON_NUMBER && code->text.n < 12)
        skn_buf_addf(out, " %.*s", SKN_FMT(code->text));
    said = said.n ? skn_utf8_cut(said, 64 * 1024) : SKN_STR("no reason given");
    skn_buf_addf(out, ": %.*s", SKN_FMT(said));
}

static void add_good(skn_buf *out, skn_str text)
{
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];

        skn_buf_addc(out, (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f ? ' ' : text.p[i]);
    }
}

void skn_mcp_add_clean(skn_buf *out, skn_str text)
{
    size_t bad = 0;

    while (!skn_utf8_valid(text, &bad)) {
        add_good(out, skn_str_sub(text, 0, bad));
        skn_buf_addc(out, '?');
        text = skn_str_sub(text, bad + 1, text.n);
    }
    add_good(out, text);
}
