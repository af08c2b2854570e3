/* Fewer words for the same: squash, and compaction by hand. */
#include "base/error.h"
#include "cli/commands.h"
#include "cli/far_change.h"
#include "cli/far_view.h"
#include "cli/far_world.h"
#include "cli/news.h"
#include "cli/place.h"
#include "cli/print.h"
#include "cli/server_ask.h"

#include <inttypes.h>

#define SELECT_MOST 1000 /* hits of one search */

/* A dry run says which messages a squash is made of, in the order of the conversation and with what goes
 * with them. */
static skein_rc look_at(skn_cli *cli, const skein_change *how, const skn_uids *ids,
                        skein_squash *out)
{
    skein_change look = *how;

    look.dry_run = true;
    look.key = SKN_NONE;
    return skn_far_squash(cli, &look, ids, SKN_STR("-"), out);
}

/* The messages' own texts, each under its sender's name. */
static skein_rc join_texts(skn_cli *cli, const skein_conversation *chat,
                           const skein_change *how, const skn_uids *ids, skn_str *out)
{
    skein_squash  squash;
    skein_message m;
    skn_buf       all;
    skein_rc      rc = look_at(cli, how, ids, &squash);

    if (rc)
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

/* What is found in the current version of the conversation, outside of delegations. */
static skein_rc select_messages(skn_cli *cli, const skein_world *world,
                                const skein_conversation *chat, skn_uids *out)
{
    skein_search_request req = {.world = world->id,
                                .conversation = chat->id,
                                .query = skn_str_of(skn_opt(cli, "select")),
                                .current_only = true,
                                .limit = SELECT_MOST};
    skein_message        m;
    skein_hits           hits;
    skein_rc             rc = skn_far_search(cli, &req, chat->uid, &hits);

    if (rc)
        return rc;
    if (hits.count == SELECT_MOST)
        return skn_fail(&cli->err, SKEIN_USAGE, "\"%.*s\" selects %d messages or more",
                        SKN_FMT(req.query), SELECT_MOST);
    *out = (skn_uids){0};
    for (size_t i = 0; i < hits.count && !rc; i++) {
        rc = skn_need_message(cli, chat, hits.at[i].message.uid, &m);
        if (!rc && m.position >= 0)
            skn_vec_add(cli->keep, out, m.uid);
    }
    return rc;
}

/* Two or more, named or selected; not both. */
static skein_rc sources(skn_cli *cli, const skein_world *world, const skein_conversation *chat,
                        skn_uids *out)
{
    const char *query = skn_opt(cli, "select");
    skein_rc    rc;

    if (!query == !cli->arg_count)
        return skn_fail(&cli->err, SKEIN_USAGE,
                        "\"skein squash\" needs either messages or --select QUERY");
    if (!query)
        return skn_need_messages(cli, chat, 0, out);
    if ((rc = select_messages(cli, world, chat, out)) || out->n > 1)
        return rc;
    return skn_fail(&cli->err, SKEIN_NOT_FOUND, "\"%s\" selects %s, and a squash needs two",
                    query, out->n ? "one message" : "no message");
}

static skein_rc squash_text(skn_cli *cli, const skein_conversation *chat,
                            const skein_change *how, const skn_uids *ids, skn_str *out)
{
    if (!skn_opt(cli, "join"))
        return skn_need_text(cli, SKN_STR(""), out);
    if (skn_opt(cli, "by-hand") || skn_opt(cli, "message") || skn_opt(cli, "file"))
        return skn_fail(&cli->err, SKEIN_USAGE,
                        "--join makes the text of the messages, so it takes no other");
    return join_texts(cli, chat, how, ids, out);
}

static skein_rc by_model(skn_cli *cli, const skein_world *world, const skein_conversation *chat,
                         const skein_change *how, const skn_uids *ids)
{
    skein_squash squash;
    skein_rc     rc;

    if (skn_opt(cli, "expect") || skn_opt(cli, "key"))
        return skn_fail(&cli->err, SKEIN_USAGE,
                        "--expect and --key go with --by-hand or --join only");
    rc = look_at(cli, how, ids, &squash);
    return rc ? rc : skn_squash_by_model(cli, world, chat, ids, squash.source_count);
}

int skn_cmd_squash(skn_cli *cli)
{
    skein_world        world;
    skein_conversation chat;
    skein_change       how;
    skn_uids           ids;
    skein_squash       squash;
    skn_str            text, size;
    skein_rc           rc = skn_need_change(cli, &world, &chat, &how);

    if (rc || (rc = sources(cli, &world, &chat, &ids)))
        return (int)rc;
    if (!skn_opt(cli, "join") && !skn_opt(cli, "by-hand"))
        return (int)by_model(cli, &world, &chat, &how, &ids);
    if ((rc = squash_text(cli, &chat, &how, &ids, &text)) ||
        (rc = skn_far_squash(cli, &how, &ids, text, &squash)))
        return (int)rc;
    if (cli->json) {
        skn_shape_squash(skn_item(cli), &squash);
        return (int)skn_item_end(cli);
    }
    size = skn_squash_size(cli, ids.n, squash.source_count);
    if (cli->dry_run) {
        skn_print(cli, "Would squash %.*s into one:\n", SKN_FMT(size));
        skn_print_block(cli, text, 4);
        skn_print_raw(cli, SKN_STR("Nothing was changed (-n).\n"));
        return 0;
    }
    if (skn_say_made(cli, squash.version.number, SKN_STR("")))
        return 0;
    skn_print(cli,
              "v%" PRId64 " → v%" PRId64 ": squashed %.*s into %.*s (%.*s). Undo with "
              "\"skein undo\".\n",
              chat.version, squash.version.number, SKN_FMT(size), SKN_FMT(squash.result.uid),
              SKN_FMT(squash.uid));
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
    const skn_json    *whole;
    skein_message      summary;
    int64_t            covers;
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
    if ((rc = skn_far_compact(cli, &what, &summary, &covers, &whole)))
        return (int)rc;
    if (!cli->json) {
        skn_print(cli,
                  "Summary %.*s stands for the first %" PRId64 " message%s in the context. "
                  "Nothing was removed.\n",
                  SKN_FMT(summary.uid), covers, skn_plural(covers));
        return 0;
    }
    return (int)skn_far_item(cli, whole);
}

#define BODY_MOST ((size_t)18 << 20)

static const char *chat_path(skn_cli *cli, const skein_world *world,
                             const skein_conversation *chat, const char *rest)
{
    return skn_world_path(
        cli, world, skn_arena_printf(cli->keep, "chats/%.*s/%s", SKN_FMT(chat->uid), rest).p);
}

static void write_option(skn_cli *cli, skn_jw *w, const char *name, const char *key)
{
    if (skn_opt(cli, name))
        skn_jw_kstr(w, key, skn_str_of(skn_opt(cli, name)));
}

static skein_rc print_result(skn_cli *cli, const skn_json *result)
{
    skn_jw_raw(skn_item(cli), result->raw);
    return skn_item_end(cli);
}

static skein_rc need_server(skn_cli *cli, const char *what, const char *otherwise,
                            skn_server *out)
{
    skein_rc rc = skn_need_server(cli, what, out);

    if (rc == SKEIN_NOT_FOUND)
        return skn_hint(&cli->err, rc, "Start one with \"skein serve\", or %s", otherwise);
    return rc;
}

/* --- Squashes ----------------------------------------------------------------------------- */

static skn_str squash_body(skn_cli *cli, const skn_uids *ids, skn_str prompt)
{
    skn_buf b;
    skn_jw  w;

    skn_buf_init(&b, BODY_MOST);
    skn_jw_init(&w, &b);
    skn_jw_object(&w);
    skn_jw_key(&w, "sourceMessageIds");
    skn_jw_array(&w);
    for (size_t i = 0; i < ids->n; i++)
        skn_jw_str(&w, ids->p[i]);
    skn_jw_array_end(&w);
    skn_jw_kstr(&w, "prompt", prompt);
    write_option(cli, &w, "model", "model");
    write_option(cli, &w, "as", "by");
    skn_jw_kbool(&w, "dryRun", cli->dry_run);
    skn_jw_kbool(&w, "force", skn_opt(cli, "force") != NULL);
    skn_jw_object_end(&w);
    return skn_body_keep(cli, &b);
}

skn_str skn_squash_size(skn_cli *cli, size_t chosen, size_t squashed)
{
    size_t more = squashed > chosen ? squashed - chosen : 0;

    if (!more)
        return skn_arena_printf(cli->keep, "%zu messages", squashed);
    return skn_arena_printf(cli->keep,
                            "%zu messages (%zu chosen, %zu belong%s to their tool calls)",
                            squashed, chosen, more, more == 1 ? "s" : "");
}

static void say_squash(skn_cli *cli, const skein_conversation *chat, skn_str size,
                       const skn_json *made)
{
    if (cli->dry_run) {
        skn_print(cli, "Would squash %.*s into one, by ", SKN_FMT(size));
        skn_print_line(cli, skn_news_text(made, "model"), 0);
        skn_print_raw(cli, SKN_STR(":\n"));
        skn_print_block(cli, skn_news_text(made, "content"), 4);
        skn_print_raw(cli, SKN_STR("Nothing was changed (-n).\n"));
        return;
    }
    skn_print(cli, "v%" PRId64 " → %.*s: squashed %.*s into %.*s (%.*s):\n", chat->version,
              SKN_FMT(skn_news_text(made, "version")), SKN_FMT(size),
              SKN_FMT(skn_news_text(made, "resultMessageId")),
              SKN_FMT(skn_news_text(made, "squashOperationId")));
    skn_print_block(cli, skn_news_text(made, "content"), 4);
    skn_print_raw(cli, SKN_STR("By "));
    skn_print_line(cli, skn_news_text(made, "model"), 0);
    skn_print(cli, ". Undo with \"skein undo\".\n");
}

skein_rc skn_squash_by_model(skn_cli *cli, const skein_world *world,
                             const skein_conversation *chat, const skn_uids *ids,
                             size_t squashed)
{
    const skn_json *made;
    skn_server      server;
    skn_str         prompt;
    skein_rc        rc;

    if ((rc = need_server(cli, "a squash by a model",
                          "write the text yourself with --by-hand -m TEXT, or use --join",
                          &server)) ||
        (rc = skn_need_text(cli, SKN_STR(""), &prompt)) ||
        (rc = skn_server_job(cli, &server, chat_path(cli, world, chat, "squashes"),
                             squash_body(cli, ids, prompt), &made)))
        return rc;
    if (cli->json)
        return print_result(cli, made);
    say_squash(cli, chat, skn_squash_size(cli, ids->n, squashed), made);
    return SKEIN_OK;
}

/* --- Summaries ---------------------------------------------------------------------------- */

static skn_str compact_body(skn_cli *cli, skn_str lane)
{
    skn_buf b;
    skn_jw  w;

    skn_buf_init(&b, BODY_MOST);
    skn_jw_init(&w, &b);
    skn_jw_object(&w);
    if (lane.n && lane.p[0] == '@')
        skn_jw_kstr(&w, "agent", skn_str_sub(lane, 1, lane.n));
    else if (lane.n)
        skn_jw_kstr(&w, "delegation", lane);
    write_option(cli, &w, "model", "model");
    skn_jw_kstr(&w, "reason", SKN_STR("manual"));
    skn_jw_object_end(&w);
    return skn_body_keep(cli, &b);
}

static skein_rc would_compact(skn_cli *cli, const skein_conversation *chat, skn_str lane)
{
    const skein_slice  what = {.conversation = chat->id, .lane = lane};
    skein_compact_plan plan;
    skein_rc           rc;

    if (cli->far) { /* how many it may be is known where the store is */
        skn_would(cli, "let a model summarise what was said so far");
        return SKEIN_OK;
    }
    if (!(rc = skein_compact_plan_read(cli->engine, &what, cli->keep, &plan, &cli->err)))
        skn_would(cli, "let a model summarise the first %" PRId64 " messages", plan.covers);
    return rc;
}

skein_rc skn_compact_by_model(skn_cli *cli, const skein_world *world,
                              const skein_conversation *chat, skn_str lane)
{
    const skn_json *made;
    skn_server      server;
    int64_t         covers = 0;
    skein_rc        rc;

    if (skn_opt(cli, "covers"))
        return skn_fail(&cli->err, SKEIN_USAGE, "--covers goes with a text of your own: -m");
    if ((rc = need_server(cli, "a summary by a model", "write it yourself with -m TEXT",
                          &server)))
        return rc;
    if (cli->dry_run)
        return would_compact(cli, chat, lane);
    rc = skn_server_job(cli, &server, chat_path(cli, world, chat, "compactions"),
                        compact_body(cli, lane), &made);
    if (rc)
        return rc;
    if (cli->json)
        return print_result(cli, made);
    (void)skn_json_int(made, "covers", 0, &covers, NULL);
    skn_print(cli, "Summary %.*s stands for the first %" PRId64 " message%s in the context:\n",
              SKN_FMT(skn_news_text(made, "messageId")), covers, skn_plural(covers));
    skn_print_block(cli, skn_news_text(made, "content"), 4);
    skn_print_raw(cli, SKN_STR("Nothing was removed.\n"));
    return SKEIN_OK;
}
