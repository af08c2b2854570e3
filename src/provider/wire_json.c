#include "provider/wire_json.h"

const skn_json *skn_wire_parse(skn_str text, skn_arena *a)
{
    const skn_json *v;
    skein_error     err;

    return skn_json_parse(&v, text, "the answer", a, &err) ? NULL : v;
}

skn_str skn_wire_str(const skn_json *v, const char *key)
{
    const skn_json *m = skn_json_get(v, key);

    return m && m->kind == SKN_JSON_STRING ? m->text : SKN_NONE;
}

int64_t skn_wire_int(const skn_json *v, const char *key)
{
    const skn_json *m = skn_json_get(v, key);
    int64_t         n;

    return m && m->kind == SKN_JSON_NUMBER && skn_str_int(m->text, &n) && n >= 0 ? n : -1;
}

int64_t skn_wire_tokens(const skn_json *v, const char *key)
{
    int64_t n = skn_wire_int(v, key);

    return n <= INT32_MAX ? n : -1;
}

bool skn_wire_true(const skn_json *v, const char *key)
{
    const skn_json *m = skn_json_get(v, key);

    return m && m->kind == SKN_JSON_BOOL && m->boolean;
}

const skn_json *skn_wire_first(const skn_json *v, const char *key)
{
    const skn_json *m = skn_json_get(v, key);

    return m && m->kind == SKN_JSON_ARRAY ? m->first : NULL;
}

skn_str skn_wire_error_text(const skn_json *v, skn_arena *a)
{
    const skn_json *error = skn_json_get(v, "error");
    skn_str         words = skn_wire_str(error, "message"), type = skn_wire_str(error, "type");

    if (error && error->kind == SKN_JSON_STRING)
        return error->text;
    return words.n && type.n ? skn_arena_printf(a, "%.*s (%.*s)", SKN_FMT(words), SKN_FMT(type))
                             : words;
}

void skn_wire_write_args(skn_jw *w, skn_str args)
{
    args = skn_str_trim(args);
    skn_jw_raw(w, args.n && args.p[0] == '{' ? args : SKN_STR("{}"));
}

void skn_wire_write_schema(skn_jw *w, skn_str schema)
{
    skn_jw_raw(w, schema.n ? schema : SKN_STR("{\"type\":\"object\",\"properties\":{}}"));
}
