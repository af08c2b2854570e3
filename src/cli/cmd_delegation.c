/* Delegations that are stopped, and begun again. */
#include "cli/commands.h"

#include "base/error.h"

static skein_rc delegation_json(skn_cli *cli, const skein_delegation *d)
{
    skn_shape_delegation(skn_item(cli), d);
    return skn_item_end(cli);
}

static skein_rc find(skn_cli *cli, skein_conversation *chat, skein_delegation *out)
{
    skein_world world;
    skein_rc    rc = skn_need_chat(cli, &world, chat);

    if (rc)
        return rc;
    rc = skein_delegation_get(cli->engine, chat->id, skn_arg(cli, 0), cli->keep, out,
                              &cli->err);
    return skn_missing(cli, rc, "delegation");
}

int skn_stop_delegation(skn_cli *cli)
{
    skein_conversation chat;
    skein_delegation   d;
    skein_rc           rc = find(cli, &chat, &d);

    if (!rc && cli->dry_run) {
        skn_would(cli, "stop %.*s, and what is below it", SKN_FMT(d.key));
        return 0;
    }
    if (rc || (rc = skein_delegation_cancel(cli->engine, chat.id, d.key, &cli->err)) ||
        (rc = find(cli, &chat, &d)))
        return (int)rc;
    if (cli->json)
        return (int)delegation_json(cli, &d);
    skn_print(cli, "%.*s is %s. Begin again with \"skein retry %.*s\".\n", SKN_FMT(d.key),
              skn_lane_state_name(d.state), SKN_FMT(d.key));
    return 0;
}

int skn_cmd_retry(skn_cli *cli)
{
    skein_conversation chat;
    skein_delegation   d;
    skein_rc           rc = find(cli, &chat, &d);

    if (!rc && cli->dry_run) {
        skn_would(cli, "begin again with %.*s", SKN_FMT(d.key));
        return 0;
    }
    if (rc || (rc = skein_delegation_retry(cli->engine, chat.id, d.key, &cli->err)) ||
        (rc = find(cli, &chat, &d)))
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
