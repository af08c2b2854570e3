#include "engine/engine.h"

#include "base/json.h"

skein_rc skn_tool_servers_of(const skein_world *world, skn_arena *a, skn_tool_server **out,
                             size_t *count, skein_error *err)
{
    const skn_json *all = NULL, *servers;
    size_t          n = 0;
    skein_rc        rc = SKEIN_OK;

    *out = NULL;
    *count = 0;
    if (world->settings.n)
        rc = skn_json_parse(&all, world->settings, "settings", a, err);
    servers = rc ? NULL : skn_json_get(all, "mcpServers");
    if (!servers || servers->kind != SKN_JSON_OBJECT)
        return rc;
    *out = SKN_ARRAY(a, servers->count + 1, skn_tool_server);
    for (const skn_json *v = servers->first; v; v = v->next)
        (*out)[n++] = (skn_tool_server){
            .name = v->key,
            .transport = skn_json_get(v, "url") ? SKN_STR("http") : SKN_STR("stdio"),
            .state = SKN_STR("stopped"),
            .reason = SKN_STR("it is started when an agent first needs it")};
    *count = n;
    return SKEIN_OK;
}

void skn_shape_tool_server(skn_jw *w, const skn_tool_server *server)
{
    skn_jw_object(w);
    skn_jw_kstr(w, "name", server->name);
    skn_jw_kstr(w, "transport", server->transport);
    skn_jw_kstr(w, "state", server->state);
    skn_jw_kstr(w, "reason", server->reason.n ? server->reason : SKN_NONE);
    skn_jw_key(w, "tools");
    skn_jw_array(w);
    for (size_t i = 0; i < server->tool_count; i++)
        skn_jw_str(w, server->tools[i]);
    skn_jw_array_end(w);
    skn_jw_kint(w, "restarts", server->restarts);
    skn_jw_kint(w, "sinceMs", server->since_ms);
    skn_jw_object_end(w);
}
