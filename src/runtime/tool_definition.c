/* tool_definition.c: what a server says of one of its tools, and where that server is, as one text: what a person is shown before
 * the tool is first used, and what is compared later. */
#include "runtime/run.h"

/* Absent texts become "": a title that is not there and one that is empty are the same to everybody. */
static void say_text(skn_jw *w, const skn_definition *d, const char *key, skn_str text,
                     skn_arena *a)
{
    skn_jw_kstr(w, key, text.n ? d->say(d->arg, text, a) : SKN_STR(""));
}

/* What cannot be read is a text. */
static void say_json(skn_jw *w, const skn_definition *d, const char *key, skn_str json,
                     skn_arena *a)
{
    const skn_json *v;

    skn_jw_key(w, key);
    if (skn_json_parse(&v, json, "it", a, NULL))
        skn_jw_str(w, d->say(d->arg, json, a));
    else
        skn_json_write_sorted(w, v, d->say, d->arg, a);
}

static void say_server(skn_jw *w, const skn_definition *d, skn_arena *a)
{
    skn_jw_key(w, "server");
    skn_jw_object(w);
    skn_jw_kstr(w, "name", d->server);
    if (d->url.n)
        say_text(w, d, "url", d->url, a);
    else
        say_json(w, d, "command", d->command, a);
    skn_jw_object_end(w);
}

static void say_hints(skn_jw *w, const skn_mcp_tool *tool)
{
    skn_jw_key(w, "annotations");
    skn_jw_object(w);
    skn_jw_kbool(w, "readOnlyHint", tool->read_only);
    skn_jw_kbool(w, "destructiveHint", tool->destructive);
    skn_jw_kbool(w, "idempotentHint", tool->idempotent);
    skn_jw_kbool(w, "openWorldHint", tool->open_world);
    skn_jw_object_end(w);
}

skn_str skn_definition_text(const skn_definition *d, skn_arena *a)
{
    const skn_mcp_tool *tool = d->tool;
    skn_arena          *scratch;
    skn_buf             b;
    skn_jw              w;
    skn_str             out = SKN_NONE;

    if (tool->schema.n + tool->description.n > SKN_DEFINITION_MOST)
        return SKN_NONE;
    scratch = skn_arena_new();
    skn_buf_init(&b, SKN_DEFINITION_MOST);
    skn_jw_init(&w, &b);
    skn_jw_object(&w);
    say_server(&w, d, scratch);
    skn_jw_kstr(&w, "name", tool->name);
    say_text(&w, d, "title", tool->title, scratch);
    say_text(&w, d, "description", tool->description, scratch);
    say_json(&w, d, "inputSchema", tool->schema, scratch);
    say_hints(&w, tool);
    skn_jw_object_end(&w);
    if (!b.over)
        out = skn_arena_copy(a, skn_buf_str(&b));
    skn_buf_release(&b);
    skn_arena_free(scratch);
    return out;
}
