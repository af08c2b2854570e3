/* The lanes of a conversation that is elsewhere: its room, the memories of agents, and delegations. */
#include "cli/far_view.h"

static skein_rc read_lanes(skn_cli *cli, const char *more, skein_lanes *out)
{
    skn_json_list found = {0};
    const char   *path = skn_arena_printf(cli->keep, "%s/delegations?chatId=%s%s",
                                          cli->door->world,
                                          skn_far_part(cli, cli->door->chat_uid), more)
                           .p;
    skein_rc rc = skn_far_all(cli, path, 0, &found);

    *out = (skein_lanes){.at = SKN_ARRAY(cli->keep, found.n + 1, skein_lane)};
    for (size_t i = 0; !rc && i < found.n; i++) {
        skein_lane *lane = &out->at[out->count++];

        *lane = (skein_lane){.key = skn_far_text(found.p[i], "delegationId"),
                             .agent_name = skn_far_text(found.p[i], "agent"),
                             .spawn_call_id = skn_far_text(found.p[i], "spawnCallId"),
                             .length = skn_far_int(found.p[i], "messageCount", 0)};
        skn_lane_state_from(skn_far_text(found.p[i], "state"), &lane->state);
        lane->id.v = skn_far_number(cli, lane->key);
        lane->parent.v = skn_far_number(cli, skn_far_text(found.p[i], "parent"));
        lane->agent.v = skn_far_number(cli, lane->agent_name);
    }
    return rc;
}

skein_rc skn_far_delegations(skn_cli *cli, skein_lanes *out)
{
    return read_lanes(cli, "", out);
}

skein_rc skn_far_lanes(skn_cli *cli, skein_lanes *out)
{
    return read_lanes(cli, "&lanes=true", out);
}
