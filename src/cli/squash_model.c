#include "cli/squash_model.h"

#include "base/error.h"
#include "cli/far.h"
#include "cli/news.h"
#include "cli/place.h"
#include "cli/print.h"
#include "cli/say.h"
#include "cli/server_ask.h"

#include <inttypes.h>

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
