/* Delegations that are stopped, and begun again. */
#include "cli/commands.h"

#include "base/error.h"
#include "cli/far_change.h"

static skein_rc delegation_json(skn_cli *cli, const skein_delegation *d)
{
    skn_shape_delegation(skn_item(cli), d);
    return skn_item_end(cli);
}

static skein_rc find(skn_cli *cli, skein_world *world, skein_conversation *chat,
                     skein_delegation *out)
{
    skein_rc rc = skn_need_chat(cli, world, chat);

    if (rc)
        return rc;
    return skn_missing(cli, skn_far_delegation(cli, skn_arg(cli, 0), out), "delegation");
}

int skn_stop_delegation(skn_cli *cli)
{
    skein_world        world;
    skein_conversation chat;
    skein_delegation   d;
    skein_rc           rc = find(cli, &world, &chat, &d);

    if (!rc && cli->dry_run) {
        skn_would(cli, "stop %.*s, and what is below it", SKN_FMT(d.key));
        return 0;
    }
    if (rc || (rc = skn_far_to_server(cli)) ||
        (rc = skn_far_delegation_do(cli, d.key, "cancel")) ||
        (rc = find(cli, &world, &chat, &d)))
        return (int)rc;
    if (cli->json)
        return (int)delegation_json(cli, &d);
    skn_print(cli, "%.*s is %s. Begin again with \"skein retry %.*s\".\n", SKN_FMT(d.key),
              skn_lane_state_name(d.state), SKN_FMT(d.key));
    return 0;
}

int skn_retry_delegation(skn_cli *cli)
{
    skein_world        world;
    skein_conversation chat;
    skein_delegation   d;
    skein_rc           rc = find(cli, &world, &chat, &d);

    if (!rc && cli->dry_run) {
        skn_would(cli, "begin again with %.*s", SKN_FMT(d.key));
        return 0;
    }
    if (rc || (rc = skn_far_delegation_do(cli, d.key, "retry")) ||
        (rc = find(cli, &world, &chat, &d)))
        return (int)rc;
    if (cli->json)
        return (int)delegation_json(cli, &d);
    skn_print(cli,
              "%.*s has %.*s again; its end is told to %.*s. Stop it with \"skein stop "
              "%.*s\".\n",
              SKN_FMT(d.agent), SKN_FMT(d.key),
              SKN_FMT(d.asked_by.n ? d.asked_by : SKN_STR("whoever asked")), SKN_FMT(d.key));
    return 0;
}
