/* The built-in tools: where each may be used, and which function runs it. */
#include "runtime/run.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

extern const char   skn_tools_json[]; /* generated from tools.json */
extern const size_t skn_tools_json_size;

/* In the order of tools.json, which has their descriptions and arguments. */
static const skn_tool tools[] = {
    {"tell_agent", SKN_IN_ALL, .act = SKEIN_ACT_TELL},
    {"delegate", SKN_IN_ALL, .act = SKEIN_ACT_DELEGATE},
    {"request_input", SKN_IN_BACKGROUND, .act = SKEIN_ACT_REQUEST_INPUT},
    {"report_to_lead", SKN_IN_BACKGROUND | SKN_NEEDS_LEAD, .act = SKEIN_ACT_REPORT},
    {"create_inbox_item", SKN_IN_BACKGROUND | SKN_IN_LANE, .act = SKEIN_ACT_BRIEF},
    {"delegate_to_agent", SKN_IN_FOREGROUND | SKN_IN_BACKGROUND | SKN_IN_CHAT | SKN_NEEDS_TEAM,
     .act = SKEIN_ACT_ASSIGN},
    {"remember", SKN_IN_ALL, .act = SKEIN_ACT_REMEMBER},
    {"forget", SKN_IN_ALL, .act = SKEIN_ACT_FORGET},
    {"recall", SKN_IN_ALL, .read = skn_read_recall},
    {"read_context", SKN_IN_ALL, .read = skn_read_context},
    {"read_result", SKN_IN_ALL | SKN_NEEDS_CUT, .read = skn_read_result},
    {"search_messages", SKN_IN_ALL, .read = skn_read_search},
    {"list_agents", SKN_IN_ALL, .read = skn_read_agents},
    {"get_team_status", SKN_IN_ALL | SKN_NEEDS_TEAM, .read = skn_read_team},
    {"demo_lookup", SKN_IN_ALL | SKN_UNOFFERED, .read = skn_read_demo},
};

_Static_assert(sizeof tools / sizeof *tools == SKN_TOOLS_BUILT_IN,
               "engine/world/world_settings.c has their names");

const skn_tool *skn_tool_find(skn_str name)
{
    name = skn_tool_name(name);
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        if (skn_str_is(name, tools[i].name))
            return &tools[i];
    return NULL;
}

bool skn_runtime_has_tool(skn_str name)
{
    return skn_tool_find(name) != NULL;
}

/* --- Which tools -------------------------------------------------------------------------------------- */

/* "files__*" stands for all tools of a server. */
static bool is_in(const skn_json *entry, skn_str name)
{
    skn_str word = entry->text;

    if (entry->kind != SKN_JSON_STRING)
        return false;
    if (word.n && word.p[word.n - 1] == '*')
        return skn_str_starts(name, skn_str_sub(word, 0, word.n - 1));
    return skn_str_eq(skn_tool_name(word), skn_tool_name(name));
}

bool skn_tool_listed(const skn_rights *rights, skn_str name)
{
    if (!rights->tools || rights->tools->kind != SKN_JSON_ARRAY)
        return true;
    if (skn_str_is(
            name,
            "read_result")) /* reads what the agent is sent anyway, if it may use tools at all */
        return rights->tools->first != NULL;
    for (const skn_json *entry = rights->tools->first; entry; entry = entry->next)
        if (is_in(entry, name))
            return true;
    return false;
}

/* JSON without whitespace between tokens, which would cost tokens of the model. */
static skn_str compact(skn_str json, skn_arena *a)
{
    char  *out = skn_arena_alloc(a, json.n + 1);
    size_t n = 0;
    bool   text = false;

    for (size_t i = 0; i < json.n; i++) {
        if (json.p[i] == '"' && (!i || json.p[i - 1] != '\\'))
            text = !text;
        if (text || !strchr(" \n", json.p[i]))
            out[n++] = json.p[i];
    }
    return (skn_str){out, n};
}

/* Texts in the built-in document stay valid; others are copied. */
static skn_str lasting(skn_str text, skn_arena *a)
{
    const char *end = skn_tools_json + skn_tools_json_size;

    return text.p >= skn_tools_json && text.p < end ? text : skn_arena_copy(a, text);
}

/* A turn keeps its offers while it waits, so the document is parsed in other memory. */
void skn_tools_offer(skn_rights *rights, unsigned where, skn_arena *a)
{
    const unsigned  needs = SKN_NEEDS_LEAD | SKN_NEEDS_TEAM | SKN_NEEDS_CUT;
    const skn_json *said;
    skn_arena      *scratch = skn_arena_new();
    skein_rc        rc = skn_json_parse(&said, (skn_str){skn_tools_json, skn_tools_json_size},
                                        "tools.json", scratch, NULL);

    said = rc ? NULL : said->first;
    for (size_t i = 0; said && i < SKN_TOOLS_BUILT_IN; i++, said = said->next) {
        const skn_tool *t = &tools[i];

        assert(skn_str_is(skn_json_get(said, "name")->text, t->name));
        if (!(t->where & where & SKN_IN_ALL) || (t->where & needs & ~where) ||
            (t->where & SKN_UNOFFERED) || !skn_tool_listed(rights, skn_str_of(t->name)))
            continue;
        skn_vec_add(a, &rights->offers,
                    ((skn_tool_offer){skn_str_of(t->name),
                                      lasting(skn_json_get(said, "description")->text, a),
                                      compact(skn_json_get(said, "parameters")->raw, a)}));
    }
    skn_arena_free(scratch);
}

/* The setting of the tool, otherwise of its server, otherwise the default. */
skn_approve skn_tool_approval(const skn_rights *rights, skn_str name, skn_approve fallback)
{
    skn_str word = skn_approval_said(rights->approvals, rights->servers, name);

    return !word.p                      ? fallback
           : skn_str_is(word, "always") ? SKN_APPROVE_ALWAYS
           : skn_str_is(word, "ask")    ? SKN_APPROVE_ASK
                                        : SKN_APPROVE_NEVER;
}

/* --- Arguments of acts ----------------------------------------------------------------------------------- */

/* Reads the first of two names that is present. */
static skein_rc text_of(const skn_json *args, const char *name, const char *other, skn_str *out,
                        skein_error *err)
{
    skein_rc rc = skn_json_text(args, name, out, err);

    return rc || out->p || !other ? rc : skn_json_text(args, other, out, err);
}

skein_rc skn_tool_confidence(const skn_json *args, int64_t *out, skein_error *err)
{
    const skn_json *v = skn_json_get(args, "confidence");
    char            text[40];
    double          n;

    *out = -1;
    if (!v || v->kind == SKN_JSON_NULL)
        return SKEIN_OK;
    if (v->kind != SKN_JSON_NUMBER || v->text.n >= sizeof text)
        return skn_fail(err, SKEIN_INVALID, "\"confidence\" must be a number from 0 to 1");
    memcpy(text, v->text.p, v->text.n);
    text[v->text.n] = '\0';
    n = strtod(text, NULL);
    if (!(n >= 0 && n <= 1))
        return skn_fail(err, SKEIN_INVALID, "\"confidence\" must be a number from 0 to 1");
    *out = (int64_t)(n * 100 + 0.5);
    return SKEIN_OK;
}

static const char *text_name(skein_act_kind kind)
{
    return kind == SKEIN_ACT_TELL                                   ? "text"
           : kind == SKEIN_ACT_REQUEST_INPUT                        ? "question"
           : kind == SKEIN_ACT_REPORT                               ? "result"
           : kind == SKEIN_ACT_FORGET                               ? "id"
           : kind == SKEIN_ACT_DELEGATE || kind == SKEIN_ACT_ASSIGN ? "task"
                                                                    : "content";
}

skein_rc skn_tool_act(const skn_tool *tool, const skn_json *args, skein_act *out,
                      skein_error *err)
{
    skein_rc rc;

    *out = (skein_act){.kind = tool->act};
    if ((rc = text_of(args, text_name(tool->act), "message", &out->text, err)) ||
        (rc = text_of(args, "agent", "agentName", &out->agent, err)) ||
        (rc = skn_json_text(args, "title", &out->title, err)) ||
        (rc = skn_json_text(args, "summary", &out->summary, err)) ||
        (rc = skn_json_text(args, "type", &out->type, err)) ||
        (rc = text_of(args, "replyTo", "reply_to", &out->reply_to, err)) ||
        (rc = skn_json_flag(args, "responseExpected", false, &out->response_expected, err)) ||
        (rc = skn_json_flag(args, "wait", true, &out->wait, err)) ||
        (rc = skn_tool_confidence(args, &out->confidence, err)))
        return rc;
    if (skn_str_trim(out->text).n == 0)
        return skn_fail(err, SKEIN_INVALID, "\"%s\" is missing", text_name(tool->act));
    return SKEIN_OK;
}

/* A tool's definition and the address of its server as one text: a person sees it before the tool is first used, and
 * it is compared later. */

/* An absent text becomes "": a missing title and an empty one mean the same. */
static void say_text(skn_jw *w, const skn_definition *d, const char *key, skn_str text,
                     skn_arena *a)
{
    skn_jw_kstr(w, key, text.n ? d->say(d->arg, text, a) : SKN_STR(""));
}

/* What is not JSON becomes a text. */
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
