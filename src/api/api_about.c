/* Which program answers, and how it is spoken to. */
#include "api/call.h"
#include "base/clock.h"

extern const char   skn_openapi_json[]; /* made from openapi.json */
extern const size_t skn_openapi_json_size;

skein_rc skn_api_get_version(skn_api_call *c)
{
    skn_jw *w = &c->w;

    skn_jw_object(w);
    skn_jw_kstr(w, "name", SKN_STR("skein"));
    skn_jw_kstr(w, "version", skn_str_of(skein_version_text()));
    skn_jw_kstr(w, "api", SKN_STR("v1"));
    skn_jw_kint(w, "schema", skn_schema_known());
    skn_jw_object_end(w);
    return SKEIN_OK;
}

skein_rc skn_api_openapi(skn_api_call *c)
{
    skn_buf_add(&c->out, (skn_str){skn_openapi_json, skn_openapi_json_size});
    return SKEIN_OK;
}

skein_rc skn_api_get_problem(skn_api_call *c)
{
    if (!skn_problem_page(c->params[0], &c->out))
        return skn_call_problem(c, 404, "not-found", "there is no problem \"%.*s\"",
                                SKN_FMT(c->params[0]));
    c->type = "text/html; charset=utf-8";
    return SKEIN_OK;
}

/* The trail: who changed what. It is only read here. */

skein_rc skn_api_list_audit(skn_api_call *c)
{
    static const skn_str tag = {"audit:", 6};
    skein_audit_rows     rows;
    skn_str              last;
    int64_t              limit, before = 0;
    size_t               shown;
    skein_rc             rc;

    if ((rc = skn_page_limit(c, SKN_PAGE_DEFAULT, &limit)) ||
        (rc = skn_page_after(c, tag, &last)))
        return rc;
    if (last.p && (!skn_str_int(last, &before) || before < 1))
        return skn_call_invalid(c, "/cursor", "is not a cursor of this list");
    if ((rc = skein_audit_list(c->engine, before, (size_t)limit + 1, c->mem, &rows, &c->error)))
        return rc;
    shown = rows.count > (size_t)limit ? (size_t)limit : rows.count;
    skn_call_list(c);
    for (size_t i = 0; i < shown; i++)
        skn_shape_audit(&c->w, &rows.at[i]);
    last = shown < rows.count
               ? skn_arena_printf(c->mem, "%lld", (long long)rows.at[shown - 1].id)
               : SKN_NONE;
    skn_page_end_after(c, tag, last);
    return skn_page_fields(c, SKN_FIELDS_AUDIT);
}

/* The tool servers of a world: what its settings name, and the state of each here. */

/* Those that nobody has needed yet will not be started either. */
static void mark_switched_off(skn_tool_server *servers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (skn_str_is(servers[i].transport, "stdio")) {
            servers[i].state = SKN_STR("failed");
            servers[i].reason = SKN_STR(SKN_COMMANDS_OFF);
        }
}

/* A call of this process: a server would know the states. */
static void mark_not_run(skn_tool_server *servers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        servers[i].reason = SKN_STR("no server runs that could start it");
}

skein_rc skn_api_list_tool_servers(skn_api_call *c)
{
    const skn_api_agents *agents = &c->api->o.agents;
    skn_tool_server      *servers;
    size_t                count;
    skein_rc rc = skn_tool_servers_of(&c->world, c->mem, &servers, &count, &c->error);

    if (rc)
        return rc;
    if (!c->by)
        mark_not_run(servers, count);
    if (c->api->o.no_commands)
        mark_switched_off(servers, count);
    if (agents->tool_servers)
        agents->tool_servers(agents->arg, c->world.id, c->mem, servers, count);
    return skn_answer_list(c, SKN_STR("tool-servers"), SKN_LIST_FIELDS, servers, count,
                           &skn_tool_server_shape);
}

/* What models were sent, and what they answered. */

#define COSTS_BY "world agent chat message turn model purpose day month"

skein_rc skn_api_list_costs(skn_api_call *c)
{
    skn_str by = skn_call_query(c, "by"), chat = skn_call_query(c, "chatId"),
            from = skn_call_query(c, "since");
    skein_conversation_id in = {0};
    skein_conversation    found;
    skein_costs           costs;
    int64_t               since = 0;
    skein_rc              rc;

    if (!by.n || !skn_str_among(by, COSTS_BY))
        return skn_call_invalid(c, "/by", "is none of " COSTS_BY);
    if (from.n && !skn_time_parse(from, &since))
        return skn_call_invalid(c, "/since", "is no time like 2026-11-19T12:00:00Z");
    if (chat.n) {
        if ((rc = skein_conversation_find(c->engine, c->world.id, chat, c->mem, &found,
                                          &c->error)))
            return rc;
        in = found.id;
    }
    rc = skein_costs_read(c->engine, c->world.id, in, since, by, c->mem, &costs, &c->error);
    return rc ? rc
              : skn_answer_list(c, SKN_STR("costs"), SKN_LIST_WHOLE | SKN_LIST_FIELDS, costs.at,
                                costs.count, &skn_cost_shape);
}

/* A turn that failed before anything was kept has left nothing but its reason. */
static skein_rc never_sent(skn_api_call *c, skein_message *m, bool *failed)
{
    skein_messages   one = {m, 1};
    skein_deliveries d;
    skein_rc rc = skein_deliveries_of(c->engine, c->chat.id, &one, c->mem, &d, &c->error);

    *failed = false;
    for (size_t i = 0; rc == SKEIN_OK && i < d.count; i++)
        if (d.at[i].failed_at) {
            *failed = true;
            c->problem = "call-not-found";
            return skn_no_call_for(m->uid, &d.at[i], &c->error);
        }
    return rc;
}

static skein_rc no_call(skn_api_call *c, const skein_message *m)
{
    bool     said = m->role == SKEIN_USER || m->author != SKEIN_BY_AGENT;
    skein_rc rc = skn_fail(&c->error, SKEIN_NOT_FOUND,
                           said ? "no model wrote message \"%.*s\""
                                : "no call is kept for message \"%.*s\"",
                           SKN_FMT(m->uid));

    c->problem = "call-not-found";
    if (said)
        return skn_hint(&c->error, rc,
                        "What a model would be sent now is at /worlds/%.*s/chats/%.*s/context.",
                        SKN_FMT(c->world.name), SKN_FMT(c->chat.uid));
    return rc;
}

/* The last call of a message is the one whose answer it is, or the failed one that was to answer it. */
skein_rc skn_api_get_message_context(skn_api_call *c)
{
    skein_message    m;
    skein_model_call call;
    bool             failed;
    skein_rc         rc;

    if ((rc = skn_api_message(c, &m)))
        return rc;
    rc = skein_model_call_get(c->engine, c->world.id, m.uid, c->mem, &call, &c->error);
    if (rc == SKEIN_NOT_FOUND)
        return (rc = never_sent(c, &m, &failed)) || failed ? rc : no_call(c, &m);
    return rc ? rc : skn_answer_one(c, &skn_model_call_whole_shape, &call);
}
