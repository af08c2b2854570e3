/* Tools that agents may call: one table. There is one, and it is honest about what it knows. */
#include "base/json.h"
#include "base/utf8.h"
#include "runtime/run.h"

enum { QUERY_BYTES = 200 };

static skn_str demo_lookup(skn_str args, skn_arena *a, bool *failed)
{
    const skn_json *json;
    skn_str         query = SKN_NONE;
    skein_error     err = {0};

    if (skn_json_parse(&json, args, "args", a, &err) ||
        skn_json_text(json, "query", &query, &err)) {
        *failed = true;
        return skn_arena_printf(a, "demo data: the arguments cannot be read: %s", err.message);
    }
    query = skn_utf8_cut(skn_str_trim(query), QUERY_BYTES);
    return skn_arena_printf(
        a,
        "demo data, made up: \"%.*s\" is known here only by name; no source "
        "was asked",
        SKN_FMT(query));
}

static const struct tool {
    const char *name;
    skn_str (*run)(skn_str args, skn_arena *a, bool *failed);
} tools[] = {
    {"demo_lookup", demo_lookup},
};

skn_str skn_tool_run(const skein_tool_call *call, skn_arena *a, bool *failed)
{
    *failed = false;
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        if (skn_str_is(call->tool_name, tools[i].name))
            return tools[i].run(call->args, a, failed);
    }
    *failed = true;
    return skn_arena_printf(a, "there is no tool \"%.*s\"; known: demo_lookup",
                            SKN_FMT(call->tool_name));
}
