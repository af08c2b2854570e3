/* The servers of tools of a world: what its settings name, and what has become of it here. */
#include "api/handlers.h"

/* Those that nobody has needed yet will not be started either. */
static void mark_switched_off(skn_tool_server *servers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (skn_str_is(servers[i].transport, "stdio")) {
            servers[i].state = SKN_STR("failed");
            servers[i].reason = SKN_STR(SKN_COMMANDS_OFF);
        }
}

/* A call of this process: whoever runs servers could say more. */
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
    skn_page              page;
    skein_rc              rc;

    if ((rc = skn_find_world(c)) ||
        (rc = skn_tool_servers_of(&c->world, c->mem, &servers, &count, &c->error)) ||
        (rc = skn_page_of(c, SKN_STR("tool-servers"), count, false, &page)))
        return rc;
    if (!c->by)
        mark_not_run(servers, count);
    if (c->api->o.no_commands)
        mark_switched_off(servers, count);
    if (agents->tool_servers)
        agents->tool_servers(agents->arg, c->world.id, c->mem, servers, count);
    skn_call_list(c);
    for (int64_t i = page.from; i < page.from + page.count; i++)
        skn_shape_tool_server(&c->w, &servers[i]);
    skn_page_end(c, &page);
    return skn_page_fields(c, SKN_FIELDS_TOOL_SERVER);
}
