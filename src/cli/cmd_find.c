/* search, stats and context: what can be found out about a conversation. */
#include "cli/commands.h"

#include "base/error.h"
#include "cli/far_view.h"

#include <inttypes.h>

#define EXIT_NO_HIT 1 /* as grep does */

static skn_str joined_args(skn_cli *cli)
{
    skn_buf all;
    skn_str out;

    skn_buf_init(&all, 1 << 20);
    for (size_t i = 0; i < cli->arg_count; i++) {
        skn_buf_add(&all, i ? SKN_STR(" ") : SKN_STR(""));
        skn_buf_add(&all, skn_arg(cli, i));
    }
    out = skn_arena_copy(cli->keep, skn_buf_str(&all));
    skn_buf_release(&all);
    return out;
}

static void print_hit(skn_cli *cli, const skein_hit *hit)
{
    skn_print_id(cli, hit->message.uid);
    skn_print_raw(cli, SKN_STR("  "));
    skn_print_sender(cli, hit->message.sender, 6);
    skn_print_raw(cli, SKN_STR(" "));
    skn_print_time(cli, hit->message.created_at);
    skn_print_raw(cli, SKN_STR("  "));
    if (hit->conversation.mode == SKEIN_CHAT)
        skn_print_line(
            cli, hit->conversation.title.n ? hit->conversation.title : hit->conversation.uid,
            40);
    else
        skn_print(cli, "%s of @%.*s", skn_mode_name(hit->conversation.mode),
                  SKN_FMT(hit->conversation.agent_name));
    if (hit->conversation.archived)
        skn_print_raw(cli, SKN_STR("  archived"));
    if (!hit->in_current)
        skn_print(cli, "  not in this version, but in v%" PRId64, hit->version);
    skn_print_raw(cli, SKN_STR("\n    "));
    skn_print_line(cli, hit->snippet, 0);
    skn_print_raw(cli, SKN_STR("\n"));
}

static skein_rc search_place(skn_cli *cli, skein_search_request *req, skn_str *chat_uid)
{
    skein_world        world;
    skein_conversation chat;
    skein_rc           rc;

    if (skn_opt(cli, "conversation")) {
        if ((rc = skn_need_chat(cli, &world, &chat)))
            return rc;
        *chat_uid = chat.uid;
    } else {
        if (skn_opt(cli, "all-worlds"))
            return SKEIN_OK;
        if ((rc = skn_need_world(cli, &world)))
            return rc;
    }
    req->world = world.id;
    return SKEIN_OK;
}

static skein_rc read_archived(skn_cli *cli, skein_archived *out)
{
    const char *word = skn_opt(cli, "archived");

    if (!word || skn_str_is(skn_str_of(word), "yes"))
        *out = SKEIN_ARCHIVED_ALSO;
    else if (skn_str_is(skn_str_of(word), "no"))
        *out = SKEIN_ARCHIVED_NOT;
    else if (skn_str_is(skn_str_of(word), "only"))
        *out = SKEIN_ARCHIVED_ONLY;
    else
        return skn_fail(&cli->err, SKEIN_USAGE, "\"--archived\" is yes, no or only, not \"%s\"",
                        word);
    return SKEIN_OK;
}

int skn_cmd_search(skn_cli *cli)
{
    skein_search_request req = {.query = joined_args(cli),
                                .current_only = skn_opt(cli, "current")};
    skein_hits           hits;
    skn_str              chat = SKN_NONE;
    skein_rc             rc;

    if ((rc = skn_opt_int(cli, "limit", 1, 100000, 0, &req.limit)) ||
        (rc = read_archived(cli, &req.archived)) || (rc = search_place(cli, &req, &chat)) ||
        (rc = skn_far_search(cli, &req, chat, &hits)))
        return (int)rc;
    if (cli->json)
        skn_list_begin(cli);
    else
        skn_out_page(cli);
    for (size_t i = 0; i < hits.count && !rc; i++) {
        if (!cli->json) {
            print_hit(cli, &hits.at[i]);
            continue;
        }
        skn_shape_hit(skn_item(cli), &hits.at[i]);
        rc = skn_item_end(cli);
    }
    if (cli->json)
        skn_list_done(cli, rc);
    else
        skn_note(cli, "%zu found", hits.count);
    return rc ? (int)rc : skn_status(cli, hits.count ? 0 : EXIT_NO_HIT);
}

/* --- Numbers ------------------------------------------------------------------------------ */

static void print_stats(skn_cli *cli, const skein_stats *s)
{
    skn_print(cli,
              "messages     %" PRId64 "\nreplies      %" PRId64 "  (%.2f a message)\n"
              "threads      %" PRId64 "\ndeepest      %d\nunanswered   %" PRId64
              "\nmemory only  %" PRId64 "\n",
              s->messages, s->replies, s->replies_a_message, s->roots, s->depth, s->unanswered,
              s->memory_only);
    for (size_t i = 0; i < s->sender_count; i++) {
        skn_print(cli, "%s", i ? "" : "who wrote\n");
        skn_print(cli, "  %6" PRId64 "  ", s->senders[i].count);
        skn_print_sender(cli, s->senders[i].who, 0);
        skn_print_raw(cli, SKN_STR("\n"));
    }
    for (size_t i = 0; i < s->answer_count; i++) {
        skn_print(cli, "%s", i ? "" : "who answers whom\n");
        skn_print(cli, "  %6" PRId64 "  ", s->answers[i].count);
        skn_print_sender(cli, s->answers[i].who, 0);
        skn_print_raw(cli, SKN_STR(" → "));
        skn_print_sender(cli, s->answers[i].whom, 0);
        skn_print_raw(cli, SKN_STR("\n"));
    }
    for (size_t i = 0; i < s->busiest_count; i++) {
        skn_print(cli, "%s", i ? "" : "busiest threads\n");
        skn_print(cli, "  %6" PRId64 "  ", s->busiest[i].messages);
        skn_print_oneline(cli, &s->busiest[i].root, NULL);
    }
}

static skein_rc print_stats_by(skn_cli *cli, skn_str thread, skn_str root)
{
    skein_reply_tree tree;
    skein_rc         rc = skn_far_tree(cli, thread, root, &tree);

    return rc ? rc : skn_stats_by(cli, skn_opt(cli, "by"), &tree);
}

int skn_cmd_stats(skn_cli *cli)
{
    const char        *at = skn_opt(cli, "at");
    skein_world        world;
    skein_conversation chat;
    skein_version      version = {.number = 0};
    skein_message      root = {.id = {0}};
    skein_stats        stats;
    const skn_json    *whole;
    skein_rc           rc = skn_need_chat(cli, &world, &chat);

    if (!rc && at)
        rc = skn_need_version(cli, &chat, at, &version);
    if (!rc && cli->arg_count)
        rc = skn_need_message(cli, &chat, skn_arg(cli, 0), &root);
    if (!rc && skn_opt(cli, "by"))
        return (int)print_stats_by(cli, at ? version.thread_uid : chat.thread_uid, root.uid);
    if (rc || (rc = skn_far_stats(cli, at ? version.thread_uid : chat.thread_uid, root.uid,
                                  &stats, &whole)))
        return (int)rc;
    if (cli->json)
        return (int)skn_far_item(cli, whole);
    print_stats(cli, &stats);
    return 0;
}

/* --- What a model would be sent ----------------------------------------------------------- */

#define FIXED_WORDS "for prompt, files and tools"

/* The lane's messages: those that a summary stands for, that summary, and those that are sent as they are. */
static void note_size(skn_cli *cli, const skein_context *c)
{
    skn_str sent = skn_arena_printf(
        cli->keep, "%zu message%s, about %" PRId64 " tokens (%" PRId64 " of them %s)", c->count,
        skn_plural((int64_t)c->count), c->tokens, c->fixed, FIXED_WORDS);

    if (c->summary_uid.n)
        skn_note(cli,
                 "%.*s; %" PRId64 " stored: %" PRId64
                 " in the summary %.*s, the summary, and %" PRId64
                 " as they are. Compacts when these and the summary are %" PRId64,
                 SKN_FMT(sent), c->covered + c->stored, c->covered, SKN_FMT(c->summary_uid),
                 c->stored - 1, c->limit);
    else
        skn_note(cli, "%.*s; %" PRId64 " stored, compacts at %" PRId64, SKN_FMT(sent),
                 c->stored, c->limit);
}

static void print_context(skn_cli *cli, const skein_context *c)
{
    for (size_t i = 0; i < c->count; i++) {
        const skein_prompt_message *m = &c->at[i];

        skn_print_colour(cli, SKN_BOLD, skn_str_of(skein_role_name(m->role)));
        if (m->tool_call_id.n) {
            skn_print_raw(cli, SKN_STR("  result of "));
            skn_print_line(cli, m->tool_call_id, 0);
        }
        skn_print(cli, "%s\n", m->synthetic ? "  (put in)" : "");
        skn_print_block(cli, m->text, 4);
        for (size_t j = 0; j < m->call_count; j++) {
            skn_print_raw(cli, SKN_STR("    calls "));
            skn_print_line(cli, m->calls[j].tool_name, 0);
            skn_print_raw(cli, SKN_STR(" "));
            skn_print_line(cli, m->calls[j].args, 0);
            skn_print_raw(cli, SKN_STR("\n"));
        }
    }
    note_size(cli, c);
}

/* Which lane of which version. */
static skein_rc context_lane(skn_cli *cli, skein_conversation *chat, skn_far_slice *out)
{
    const char   *agent = skn_opt(cli, "agent"), *at = skn_opt(cli, "at");
    skein_world   world;
    skein_version version;
    skein_agent   who = {.id = {0}};
    skein_rc      rc = skn_need_chat(cli, &world, chat);

    if (!rc && at)
        rc = skn_need_version(cli, chat, at, &version);
    if (!rc && agent)
        rc = skn_need_agent(cli, &world, agent, &who);
    if (rc)
        return rc;
    *out = (skn_far_slice){.thread = at ? version.thread_uid : chat->thread_uid,
                           .agent = who.name,
                           .lane = skn_str_of(skn_opt(cli, "lane"))};
    return SKEIN_OK;
}

int skn_cmd_context(skn_cli *cli)
{
    skein_conversation chat;
    skn_far_slice      lane;
    skein_context      context;
    const skn_json    *whole;
    skein_rc           rc = context_lane(cli, &chat, &lane);

    if (rc || (rc = skn_far_context(cli, &lane, &context, &whole)))
        return (int)rc;
    if (cli->json)
        return (int)skn_far_item(cli, whole);
    skn_out_page(cli);
    print_context(cli, &context);
    return (int)skn_tell_files(cli);
}
