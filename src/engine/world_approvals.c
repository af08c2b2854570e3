/* world_approvals.c: what a world says of tools: which may be named, and what counts for one. */
#include "engine/world_settings.h"

#include "base/error.h"
#include "base/json.h"
#include "base/utf8.h"

#include <string.h>

#define NAME_SHOWN ((size_t)80)

/* The runtime's own (runtime/tools.c counts them), and what the first clients call some of them. */
static const struct built_in {
    const char *name, *also;
} built_in[] = {{"tell_agent", "tellAgent"},
                {"delegate", NULL},
                {"request_input", "requestInput"},
                {"report_to_lead", "reportToLead"},
                {"remember", NULL},
                {"forget", NULL},
                {"recall", NULL},
                {"read_context", NULL},
                {"list_agents", NULL},
                {"search_messages", NULL},
                {"demo_lookup", NULL},
                {"create_inbox_item", "createInboxItem"},
                {"get_team_status", "getTeamStatus"},
                {"delegate_to_agent", "delegateToAgent"}};
_Static_assert(sizeof built_in / sizeof *built_in == SKN_TOOLS_BUILT_IN, "one for each");

static const struct built_in *find_built_in(skn_str name)
{
    for (size_t i = 0; i < SKN_TOOLS_BUILT_IN; i++)
        if (skn_str_is(name, built_in[i].name) ||
            (built_in[i].also && skn_str_is(name, built_in[i].also)))
            return &built_in[i];
    return NULL;
}

skn_str skn_tool_name(skn_str name)
{
    const struct built_in *found = find_built_in(name);

    return found ? skn_str_of(found->name) : name;
}

static bool is_same(skn_str a, skn_str b)
{
    return skn_str_eq(skn_tool_name(a), skn_tool_name(b));
}

/* Older stores have names of servers with "__" in them, so one of a tool may fit several: "a__b__c". */
static bool is_of(skn_str tool, skn_str server)
{
    return tool.n > server.n + 2 && skn_str_starts(tool, server) &&
           skn_str_starts(skn_str_sub(tool, server.n, tool.n), SKN_STR("__"));
}

static const skn_json *first_of(const skn_json *v)
{
    return v && v->kind == SKN_JSON_OBJECT ? v->first : NULL;
}

static const skn_json *member_of(const skn_json *v, skn_str key)
{
    for (const skn_json *m = first_of(v); m; m = m->next)
        if (skn_str_eq(m->key, key))
            return m;
    return NULL;
}

/* --- Which may be named ----------------------------------------------------------------------- */

static bool has_server_of(const skn_json *settings, skn_str tool)
{
    if (memchr(tool.p, '*', tool.n))
        return false;
    for (const skn_json *s = first_of(skn_json_get(settings, "mcpServers")); s; s = s->next)
        if (is_of(tool, s->key))
            return true;
    return false;
}

static void add_known(skn_buf *out, const skn_json *settings)
{
    for (const skn_json *s = first_of(skn_json_get(settings, "mcpServers")); s; s = s->next)
        skn_buf_addf(out, "%.*s__TOOL, ", SKN_FMT(s->key));
    for (size_t i = 0; i < SKN_TOOLS_BUILT_IN; i++)
        skn_buf_addf(out, "%s%s", i ? ", " : "", built_in[i].name);
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

/* Which of two words would count is not to be a matter of their order. */
static skein_rc check_once(const skn_json *list, const skn_json *m, const skn_json *was,
                           skein_error *err)
{
    for (const skn_json *other = list->first; other != m; other = other->next) {
        bool stood = !skn_str_eq(other->key, m->key) && member_of(was, other->key) &&
                     member_of(was, m->key);

        if (!is_same(other->key, m->key) || stood)
            continue;
        skn_fail(err, SKEIN_INVALID, "\"/settings/approvals/%.*s\" and \"%.*s\" are one tool",
                 SKN_FMT(skn_utf8_cut(other->key, NAME_SHOWN)),
                 SKN_FMT(skn_utf8_cut(m->key, NAME_SHOWN)));
        return skn_hint(err, SKEIN_INVALID, "Keep one of the two; null takes one away.");
    }
    return SKEIN_OK;
}

skein_rc skn_world_approvals_check(const skn_json *settings, const skn_json *before,
                                   skein_error *err)
{
    const skn_json *list = skn_json_get(settings, "approvals");
    const skn_json *was = skn_json_get(before, "approvals");
    skein_rc        rc = SKEIN_OK;

    for (const skn_json *m = first_of(list); !rc && m; m = m->next)
        if (!find_built_in(m->key) && !has_server_of(settings, m->key) &&
            !member_of(was, m->key))
            rc = unknown(m->key, settings, err);
        else
            rc = check_once(list, m, was, err);
    return rc;
}

/* --- What counts for one ---------------------------------------------------------------------- */

/* Nothing said is stricter than "always": then something usual counts, which may be a question. */
static int strictness(const skn_json *word)
{
    return !word                           ? 2
           : word->kind != SKN_JSON_STRING ? 4
           : skn_str_is(word->text, "ask") ? 3
           : skn_str_is(word->text, "always")
               ? 1
               : 4; /* what cannot be understood is not a permission */
}

static skn_str word_of(int strictness)
{
    return strictness == 4   ? SKN_STR("never")
           : strictness == 3 ? SKN_STR("ask")
           : strictness == 1 ? SKN_STR("always")
                             : SKN_NONE;
}

/* Of the words that are said of a tool, the strictest; 0: none is. Older stores may have two for one. */
static int said_of(const skn_json *approvals, skn_str tool)
{
    int most = 0;

    for (const skn_json *m = first_of(approvals); m; m = m->next)
        if (is_same(m->key, tool) && strictness(m) > most)
            most = strictness(m);
    return most;
}

skn_str skn_approval_said(const skn_json *approvals, const skn_json *servers, skn_str tool)
{
    int    said = said_of(approvals, tool), most = 0;
    size_t count = 0;

    for (const skn_json *s = first_of(servers); s; s = s->next)
        if (is_of(tool, s->key)) {
            int own = strictness(skn_json_get(s, "approval"));

            most = own > most ? own : most;
            count++;
        }
    if (said == 1 && count > 1) /* nobody can tell which of them was meant */
        return SKN_STR("ask");
    return word_of(said ? said : most);
}

skn_str skn_world_approval(skn_str settings, skn_str tool, skn_arena *scratch)
{
    const skn_json *v;

    if (!settings.n || skn_json_parse(&v, settings, "the settings", scratch, NULL))
        return SKN_NONE;
    return skn_approval_said(skn_json_get(v, "approvals"), skn_json_get(v, "mcpServers"), tool);
}
