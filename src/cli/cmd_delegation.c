/* Delegations that are stopped, and begun again. */
#include "cli/commands.h"

#include "base/error.h"
#include "cli/far_change.h"
#include "cli/say.h"
#include "cli/server_ask.h"

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
    rc = cli->far ? skn_far_delegation(cli, skn_arg(cli, 0), out)
                  : skein_delegation_get(cli->engine, chat->id, skn_arg(cli, 0), cli->keep, out,
                                         &cli->err);
    return skn_missing(cli, rc, "delegation");
}

/* Through the server, which keeps what was written, or in the store. */
static skein_rc cancel(skn_cli *cli, const skein_world *world, const skein_conversation *chat,
                       const skein_delegation *d)
{
    skn_str  rest = skn_arena_printf(cli->keep, "delegations/%.*s/cancel", SKN_FMT(d->key));
    skn_str  body = skn_arena_printf(cli->keep, "{\"chatId\":\"%.*s\"}", SKN_FMT(chat->uid));
    bool     asked;
    skein_rc rc = skn_server_ask_if_any(cli, "POST", skn_world_path(cli, world, rest.p), body,
                                        &asked);

    return rc || asked
               ? rc
               : skein_delegation_cancel(cli->engine, chat->id, d->key, NULL, &cli->err);
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
    if (rc || (rc = cancel(cli, &world, &chat, &d)) || (rc = find(cli, &world, &chat, &d)))
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
    if (rc ||
        (rc = cli->far ? skn_far_delegation_retry(cli, d.key)
                       : skein_delegation_retry(cli->engine, chat.id, d.key, &cli->err)) ||
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
