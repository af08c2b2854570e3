/* The lanes of a conversation that is elsewhere: its room, the memories of agents, and delegations. */
#include "cli/far_view.h"

typedef skn_vec(skein_lane) lane_list;

static skein_rc add_memory(skn_cli *cli, skn_str agent, lane_list *list)
{
    const skn_json *page;
    skein_lane      lane = {.key = skn_arena_printf(cli->keep, "@%.*s", SKN_FMT(agent)),
                            .agent_name = agent};
    skein_rc rc = skn_far_get(cli, &page, "%s/messages?limit=1&agent=%s", cli->door->chat,
                              skn_far_part(cli, agent));

    if (rc)
        return rc;
    lane.length = skn_far_int(skn_json_get(page, "page"), "total", 0);
    skn_vec_add(cli->keep, list, lane);
    return SKEIN_OK;
}

static skein_rc add_delegations(skn_cli *cli, lane_list *list)
{
    skn_json_list found = {0};
    const char *path = skn_arena_printf(cli->keep, "%s/delegations?chatId=%s", cli->door->world,
                                        skn_far_part(cli, cli->door->chat_uid))
                           .p;
    skein_rc rc = skn_far_all(cli, path, 0, &found);

    for (size_t i = 0; !rc && i < found.n; i++) {
        skein_lane lane = {.key = skn_far_text(found.p[i], "delegationId"),
                           .agent_name = skn_far_text(found.p[i], "agent"),
                           .spawn_call_id = skn_far_text(found.p[i], "spawnCallId"),
                           .length = skn_far_int(found.p[i], "messageCount", 0)};

        skn_lane_state_from(skn_far_text(found.p[i], "state"), &lane.state);
        lane.id.v = skn_far_number(cli, lane.key);
        lane.parent.v = skn_far_number(cli, skn_far_text(found.p[i], "parent"));
        lane.agent.v = skn_far_number(cli, lane.agent_name);
        skn_vec_add(cli->keep, list, lane);
    }
    return rc;
}

skein_rc skn_far_delegations(skn_cli *cli, skein_lanes *out)
{
    lane_list list = {0};
    skein_rc  rc = add_delegations(cli, &list);

    *out = (skein_lanes){list.p, list.n};
    return rc;
}

skein_rc skn_far_lanes(skn_cli *cli, const skein_conversation *chat, skein_lanes *out)
{
    skein_lane   main = {.key = SKN_STR("main"), .length = chat->length};
    skein_agents agents;
    lane_list    list = {0};
    skein_rc     rc = skn_far_agents(cli, &agents);

    skn_vec_add(cli->keep, &list, main);
    for (size_t i = 0; !rc && i < agents.count; i++)
        rc = add_memory(cli, agents.at[i].name, &list);
    if (!rc)
        rc = add_delegations(cli, &list);
    *out = (skein_lanes){list.p, list.n};
    return rc;
}
