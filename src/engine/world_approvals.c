/* world_approvals.c: what a world says of tools: which may be named, and what counts for one. */
#include "engine/world_settings.h"

#include "base/error.h"
#include "base/json.h"
#include "base/utf8.h"

#include <string.h>

#define NAME_SHOWN ((size_t)80)

/* The runtime's own, and what it calls some of them besides (runtime/tools.c counts them). */
static const char *const built_in[] = {
    "tell_agent",      "delegate",         "request_input", "report_to_lead",
    "remember",        "forget",           "recall",        "read_context",
    "list_agents",     "search_messages",  "demo_lookup",   "create_inbox_item",
    "get_team_status", "delegate_to_agent"};
static const char *const also[] = {"tellAgent",       "requestInput",    "reportToLead",
                                   "createInboxItem", "delegateToAgent", "getTeamStatus"};
_Static_assert(sizeof built_in / sizeof *built_in == SKN_TOOLS_BUILT_IN, "one for each");
_Static_assert(sizeof also / sizeof *also == SKN_TOOLS_ALSO, "one for each");

static bool is_among(skn_str name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (skn_str_is(name, names[i]))
            return true;
    return false;
}

bool skn_tool_is_built_in(skn_str name)
{
    return is_among(name, built_in, SKN_TOOLS_BUILT_IN) || is_among(name, also, SKN_TOOLS_ALSO);
}

/* Names of servers may have "__" in them, so one of a tool may fit several: "a__b__c". */
static bool is_of(skn_str tool, skn_str server)
{
    return tool.n > server.n + 2 && skn_str_starts(tool, server) &&
           skn_str_starts(skn_str_sub(tool, server.n, tool.n), SKN_STR("__"));
}

static const skn_json *member_of(const skn_json *v, skn_str key)
{
    for (const skn_json *m = v && v->kind == SKN_JSON_OBJECT ? v->first : NULL; m; m = m->next)
        if (skn_str_eq(m->key, key))
            return m;
    return NULL;
}

/* --- Which may be named ----------------------------------------------------------------------- */

static bool has_server_of(const skn_json *settings, skn_str tool)
{
    const skn_json *servers = skn_json_get(settings, "mcpServers");

    if (memchr(tool.p, '*', tool.n))
        return false;
    for (const skn_json *s = servers && servers->kind == SKN_JSON_OBJECT ? servers->first
                                                                         : NULL;
         s; s = s->next)
        if (is_of(tool, s->key))
            return true;
    return false;
}

static void add_known(skn_buf *out, const skn_json *settings)
{
    const skn_json *servers = skn_json_get(settings, "mcpServers");

    for (const skn_json *s = servers && servers->kind == SKN_JSON_OBJECT ? servers->first
                                                                         : NULL;
         s; s = s->next)
        skn_buf_addf(out, "%.*s__TOOL, ", SKN_FMT(s->key));
    for (size_t i = 0; i < SKN_TOOLS_BUILT_IN; i++)
        skn_buf_addf(out, "%s%s", i ? ", " : "", built_in[i]);
}

static skein_rc unknown(skn_str name, const skn_json *settings, skein_error *err)
{
    skn_buf known;

    skn_fail(err, SKEIN_INVALID, "\"/settings/approvals/%.*s\" names no tool",
             SKN_FMT(skn_utf8_cut(name, NAME_SHOWN)));
    skn_buf_init(&known, 4000);
    add_known(&known, settings);
    skn_hint(err, SKEIN_INVALID, "There are: %.*s", SKN_FMT(skn_buf_str(&known)));
    skn_buf_release(&known);
    return SKEIN_INVALID;
}

skein_rc skn_world_approvals_check(const skn_json *settings, const skn_json *before,
                                   skein_error *err)
{
    const skn_json *list = skn_json_get(settings, "approvals");
    const skn_json *was = skn_json_get(before, "approvals");
    skein_rc        rc = SKEIN_OK;

    for (const skn_json *m = list ? list->first : NULL; !rc && m; m = m->next)
        if (!skn_tool_is_built_in(m->key) && !has_server_of(settings, m->key) &&
            !member_of(was, m->key))
            rc = unknown(m->key, settings, err);
    return rc;
}

/* --- What counts for one ---------------------------------------------------------------------- */

static int strictness(skn_str word)
{
    return skn_str_is(word, "never") ? 3 : skn_str_is(word, "ask") ? 2 : word.n ? 1 : 0;
}

skn_str skn_world_approval(skn_str settings, skn_str tool, skn_arena *scratch)
{
    const skn_json *v, *said, *servers;
    skn_str         word = SKN_NONE;

    if (!settings.n || skn_json_parse(&v, settings, "the settings", scratch, NULL))
        return SKN_NONE;
    said = member_of(skn_json_get(v, "approvals"), tool);
    if (said)
        return said->text;
    servers = skn_json_get(v, "mcpServers");
    for (const skn_json *s = servers && servers->kind == SKN_JSON_OBJECT ? servers->first
                                                                         : NULL;
         s; s = s->next) {
        const skn_json *own = skn_json_get(s, "approval");

        if (!is_of(tool, s->key))
            continue;
        if (!own) /* another one could be meant, of which nothing is said */
            return SKN_NONE;
        word = strictness(own->text) > strictness(word) ? own->text : word;
    }
    return word;
}
