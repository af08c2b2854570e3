/* Fewer words for the same: squash, and compaction by hand. */
#include "cli/commands.h"

#include "base/error.h"
#include "cli/squash_model.h"

#include <inttypes.h>

/* The messages' own texts, each under its sender's name. A dry run says which those are, in the
 * order of the conversation and with what goes with them. */
static skein_rc join_texts(skn_cli *cli, const skein_conversation *chat,
                           const skein_change *how, skein_message_ids ids, skn_str *out)
{
    skein_change      look = *how;
    skein_squash_spec spec = {.sources = ids, .content = SKN_STR("-")};
    skein_squash      squash;
    skein_message     m;
    skn_buf           all;
    skein_rc          rc;

    look.dry_run = true;
    look.key = SKN_NONE;
    if ((rc = skein_squash_messages(cli->engine, &look, &spec, cli->keep, &squash, &cli->err)))
        return rc;
    skn_buf_init(&all, SKN_TEXT_LIMIT);
    for (size_t i = 0; i < squash.source_count && !rc; i++) {
        if ((rc = skn_need_message(cli, chat, squash.sources[i], &m)))
            break;
        skn_buf_addf(&all, "%s%.*s: ", i ? "\n\n" : "", SKN_FMT(m.sender));
        skn_buf_add(&all, m.content);
    }
    if (!rc && all.over)
        rc = skn_fail(&cli->err, SKEIN_LIMIT, "the texts are over %zu bytes together",
                      all.limit);
    *out = rc ? SKN_NONE : skn_arena_copy(cli->keep, skn_buf_str(&all));
    skn_buf_release(&all);
    return rc;
}

static skein_rc squash_text(skn_cli *cli, const skein_conversation *chat,
                            const skein_change *how, skein_message_ids ids, skn_str *out)
{
    if (skn_opt(cli, "join"))
        return join_texts(cli, chat, how, ids, out);
    return skn_need_text(cli, SKN_STR(""), out);
}

int skn_cmd_squash(skn_cli *cli)
{
    skein_world        world;
    skein_conversation chat;
    skein_change       how;
    skein_squash_spec  spec = {.agent = {0}};
    skein_squash       squash;
    skein_rc           rc = skn_need_change(cli, &world, &chat, &how);

    if (rc || (rc = skn_need_messages(cli, &chat, 0, &spec.sources)))
        return (int)rc;
    if (!skn_opt(cli, "join") && !skn_opt(cli, "by-hand"))
        return (int)skn_squash_by_model(cli, &world, &chat, spec.sources);
    if ((rc = squash_text(cli, &chat, &how, spec.sources, &spec.content)) ||
        (rc = skein_squash_messages(cli->engine, &how, &spec, cli->keep, &squash, &cli->err)))
        return (int)rc;
    if (cli->json) {
        skn_shape_squash(skn_item(cli), &squash);
        return (int)skn_item_end(cli);
    }
    if (cli->dry_run) {
        skn_print(cli, "Would squash %zu messages into one:\n", squash.source_count);
        skn_print_block(cli, spec.content, 4);
        skn_print_raw(cli, SKN_STR("Nothing was changed (-n).\n"));
        return 0;
    }
    skn_print(cli,
              "v%" PRId64 " → v%" PRId64 ": squashed %zu messages into %.*s (%.*s). Undo with "
              "\"skein undo\".\n",
              chat.version, squash.version.number, squash.source_count,
              SKN_FMT(squash.result.uid), SKN_FMT(squash.uid));
    return 0;
}

static skein_rc compaction_lane(skn_cli *cli, const skein_world *world, skn_str *out)
{
    const char *agent = skn_opt(cli, "agent"), *lane = skn_opt(cli, "lane");
    skein_agent who;
    skein_rc    rc;

    *out = skn_str_of(lane);
    if (!agent)
        return SKEIN_OK;
    if (lane)
        return skn_fail(&cli->err, SKEIN_USAGE, "give --agent or --lane, not both");
    if ((rc = skn_need_agent(cli, world, agent, &who)))
        return rc;
    *out = skn_arena_printf(cli->keep, "@%.*s", SKN_FMT(who.name));
    return SKEIN_OK;
}

int skn_cmd_compact(skn_cli *cli)
{
    skein_world        world;
    skein_conversation chat;
    skein_compaction   what = {.reason = SKN_STR("manual"),
                               .model = skn_str_of(skn_opt(cli, "model"))};
    skein_message      summary;
    int64_t            covers;
    skn_jw            *w;
    skein_rc           rc = skn_need_chat(cli, &world, &chat);

    if (rc || (rc = compaction_lane(cli, &world, &what.lane)))
        return (int)rc;
    if (!skn_opt(cli, "message") && !skn_opt(cli, "file"))
        return (int)skn_compact_by_model(cli, &world, &chat, what.lane);
    if ((rc = skn_opt_int(cli, "covers", 1, INT64_MAX, 0, &what.covers)) ||
        (rc = skn_need_text(cli, SKN_STR(""), &what.content)))
        return (int)rc;
    if (cli->dry_run) {
        skn_would(cli, "append a summary of %zu bytes", what.content.n);
        return 0;
    }
    if ((rc = skein_compact(cli->engine, chat.id, &what, cli->keep, &summary, &covers,
                            &cli->err)))
        return (int)rc;
    if (!cli->json) {
        skn_print(cli,
                  "Summary %.*s stands for the first %" PRId64 " message%s in the context. "
                  "Nothing was removed.\n",
                  SKN_FMT(summary.uid), covers, skn_plural(covers));
        return 0;
    }
    w = skn_item(cli);
    skn_jw_object(w);
    skn_shape_message_members(w, chat.uid, &summary, NULL);
    skn_jw_kint(w, "covers", covers);
    skn_jw_object_end(w);
    return (int)skn_item_end(cli);
}
