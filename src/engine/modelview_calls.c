#include "base/buf.h"
#include "base/json.h"
#include "base/json_write.h"
#include "engine/modelview_parts.h"

#include <string.h>

enum { SUFFIX_ROOM = 12 }; /* what a number behind a stem may take: "_" and eleven digits */

static bool id_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '-';
}

static skn_str clean_id(skn_arena *a, skn_str raw, size_t max, const char *fallback)
{
    size_t n = raw.n < max ? raw.n : max;
    char  *out;

    if (!n)
        return skn_str_of(fallback);
    out = skn_arena_alloc(a, n + 1);
    for (size_t i = 0; i < n; i++)
        out[i] = id_byte(raw.p[i]) ? raw.p[i] : '_';
    return (skn_str){out, n};
}

void skn_call_ids_init(skn_call_ids *ids, skn_arena *a)
{
    ids->a = a;
    ids->used = skn_map_new(a);
    ids->stems = skn_map_new(a);
}

/* First come keeps its id, so that a view of more messages begins like the view of fewer. A stem
 * and a number are tried together once at most, which keeps all of it linear. */
skn_str skn_call_id_take(skn_call_ids *ids, skn_str raw)
{
    skn_str id = clean_id(ids->a, raw, SKN_CALL_ID_MAX, "call");
    skn_str stem = skn_str_sub(id, 0, SKN_CALL_ID_MAX - SUFFIX_ROOM);
    void  **slot = skn_map_slot(ids->used, id);

    while (*slot) {
        void **counter = skn_map_slot(ids->stems, stem);

        if (!*counter) {
            *counter = SKN_NEW(ids->a, size_t);
            *(size_t *)*counter = 1;
        }
        id = skn_arena_printf(ids->a, "%.*s_%zu", SKN_FMT(stem), ++*(size_t *)*counter);
        slot = skn_map_slot(ids->used, id);
    }
    *slot = ids;
    return id;
}

skn_str skn_tool_name_clean(skn_arena *a, skn_str raw)
{
    return clean_id(a, raw, SKN_TOOL_NAME_MAX, "tool");
}

typedef enum shape { NOT_JSON, OTHER_JSON, OBJECT } shape;

static shape shape_of(skn_str text)
{
    skn_arena      *scratch = skn_arena_new();
    const skn_json *v = NULL;
    shape           s = NOT_JSON;

    if (!skn_json_parse(&v, text, "arguments", scratch, NULL))
        s = v->kind == SKN_JSON_OBJECT ? OBJECT : OTHER_JSON;
    skn_arena_free(scratch);
    return s;
}

static skn_str wrap_invalid(skn_arena *a, skn_str raw)
{
    skn_str text = skn_view_clean(a, raw), kept;
    skn_buf out;
    skn_jw  w;

    skn_buf_init(&out, text.n * 6 + 64);
    skn_jw_init(&w, &out);
    skn_jw_object(&w);
    skn_jw_kstr(&w, "invalid", text);
    skn_jw_object_end(&w);
    kept = skn_arena_copy(a, skn_buf_str(&out));
    skn_buf_release(&out);
    return kept;
}

static skn_str wrap_value(skn_arena *a, skn_str raw)
{
    static const char head[] = "{\"value\":";
    size_t            n = sizeof head - 1;
    char             *out = skn_arena_alloc(a, n + raw.n + 2);

    memcpy(out, head, n);
    memcpy(out + n, raw.p, raw.n);
    out[n + raw.n] = '}';
    return (skn_str){out, n + raw.n + 1};
}

skn_str skn_call_args(skn_arena *a, skn_str raw)
{
    skn_str wrapped;

    if (skn_view_blank(raw))
        return SKN_STR("{}");
    switch (shape_of(raw)) {
    case OBJECT:
        return raw;
    case OTHER_JSON:
        /* What is nested to the limit is beyond it once wrapped. */
        wrapped = wrap_value(a, raw);
        return shape_of(wrapped) == OBJECT ? wrapped : wrap_invalid(a, raw);
    case NOT_JSON:
        break;
    }
    return wrap_invalid(a, raw);
}
