/* search, stats and context: what can be found out about a conversation. */
#include "cli/commands.h"

#include <inttypes.h>
#include <stdlib.h>

#define EXIT_NO_HIT 1     /* as grep does */
#define GROUPS_MOST 10000 /* of a page: each counts all messages again */

static skein_rc print_hit(skn_cli *cli, const skn_json *hit)
{
    skn_say(
        cli, hit,
        "{id messageId}  {sender sender 6} {time createdAt}  [mode!=chat:{mode} of @{agent}]"
        "[mode=chat:[title:{line title 40}][!title:{line chatId 40}]][archived:  archived]"
        "[!inCurrent:  not in this version, but in v{version}]\n    {line snippet}\n");
    return SKEIN_OK;
}

/* "…/search" of the world, or of all; in one conversation when that is named. */
static skein_rc search_path(skn_cli *cli, const char **out)
{
    skein_world        world;
    skein_conversation chat = {.uid = SKN_NONE};
    bool               all = skn_opt(cli, "all-worlds") && !skn_opt(cli, "conversation");
    skein_rc           rc = SKEIN_OK;

    if (skn_opt(cli, "conversation"))
        rc = skn_need_chat(cli, &world, &chat);
    else if (!all)
        rc = skn_need_world(cli, &world);
    *out = skn_arena_text(cli->keep, "%s/search?q=%s%s%s", all ? "" : cli->door->world,
                          skn_door_part(cli, skn_args_joined(cli, 0)),
                          skn_opt(cli, "current") ? "&current=true" : "",
                          skn_door_parameter(cli, "chatId", chat.uid));
    return rc;
}

static skein_rc read_archived(skn_cli *cli, const char **out)
{
    const char *word = skn_opt(cli, "archived");

    *out = !word || !strcmp(word, "yes") ? ""
           : !strcmp(word, "no")         ? "&archived=false"
           : !strcmp(word, "only")       ? "&archived=true"
                                         : NULL;
    return *out ? SKEIN_OK
                : skn_fail(&cli->err, SKEIN_USAGE,
                           "\"--archived\" is yes, no or only, not \"%s\"", word);
}

skein_rc skn_cmd_search(skn_cli *cli)
{
    skn_json_list hits = {0};
    const char   *path, *archived;
    int64_t       limit;
    skein_rc      rc;

    if (!skn_str_trim(skn_args_joined(cli, 0)).n)
        return skn_fail(&cli->err, SKEIN_USAGE, "say what to search for");
    if ((rc = skn_opt_int(cli, "limit", 1, 100000, 50, &limit)) ||
        (rc = read_archived(cli, &archived)) || (rc = search_path(cli, &path)) ||
        (rc = skn_door_all(cli, skn_arena_text(cli->keep, "%s%s", path, archived),
                           (size_t)limit, &hits)))
        return rc;
    skn_out_page(cli);
    if ((rc = skn_say_list(cli, &hits, print_hit)))
        return rc;
    if (!cli->json)
        skn_note(cli, "%zu found", hits.n);
    return skn_status(cli, hits.n ? 0 : EXIT_NO_HIT);
}

/* --- Numbers ------------------------------------------------------------------------------ */

static void print_stats(skn_cli *cli, const skn_json *s)
{
    const skn_json *first;
    skein_message   root;

    skn_say(cli, s, "messages     {messages}\nreplies      {replies}");
    skn_print(cli, "  (%.2f a message)\n", skn_door_amount(s, "repliesPerMessage"));
    skn_say(cli, s,
            "threads      {threads}\ndeepest      {depth}\nunanswered   {unanswered}\n"
            "memory only  {memoryOnly}\n");
    first = skn_first(s, "senders");
    for (const skn_json *m = first; m; m = m->next) {
        skn_print(cli, "%s  %6.*s  ", m == first ? "who wrote\n" : "", SKN_FMT(m->text));
        skn_print_sender(cli, m->key, 0);
        skn_print_raw(cli, SKN_STR("\n"));
    }
    first = skn_first(s, "answers");
    for (const skn_json *m = first; m; m = m->next) {
        skn_print(cli, "%s", m == first ? "who answers whom\n" : "");
        skn_say(cli, m, "  {count 6}  {sender who} → {sender whom}\n");
    }
    first = skn_first(s, "busiest");
    for (const skn_json *t = first; t; t = t->next) {
        skn_print(cli, "%s", t == first ? "busiest threads\n" : "");
        skn_say(cli, t, "  {messages 6}  ");
        skn_door_read_message(cli, skn_json_get(t, "root"), &root, NULL, NULL);
        skn_print_oneline(cli, &root, NULL);
    }
}

typedef struct grouping {
    skn_cli *cli;
    skein_rc rc;
    bool     headed;
} grouping;

static void print_group(void *arg, skn_cli *look, const skn_json *g)
{
    grouping     *job = arg;
    skn_cli      *cli = job->cli;
    skein_message root;

    if (job->rc || cli->json) {
        job->rc = job->rc ? job->rc : skn_door_item(cli, g);
        return;
    }
    skn_print(cli, "%8" PRId64 "  %7" PRId64 "  %10" PRId64 "  %5" PRId64 "  ",
              skn_door_int(g, "messages", 0), skn_door_int(g, "replies", 0),
              skn_door_int(g, "unanswered", 0), skn_door_int(g, "depth", 0));
    if (skn_door_int(g, "firstReplyMs", -1) >= 0)
        skn_print(cli, "%9.1f s  ", (double)skn_door_int(g, "firstReplyMs", 0) / 1e3);
    else
        skn_print(cli, "%11s  ", "-");
    if (skn_is(g, "by", "thread")) {
        skn_door_read_message(look, skn_json_get(g, "root"), &root, NULL, NULL);
        skn_print_oneline(cli, &root, NULL);
    } else {
        skn_print_sender(cli, skn_json_str(g, "group"), 0);
        skn_print_raw(cli, SKN_STR("\n"));
    }
}

static skein_rc print_stats_by(skn_cli *cli, skn_str thread, skn_str root)
{
    grouping    job = {.cli = cli};
    const char *by = skn_opt(cli, "by");
    const char *path = skn_arena_text(cli->keep, "%s/analytics/groups?by=%s&threadId=%s%s",
                                      cli->door->chat, by, skn_door_part(cli, thread),
                                      skn_door_parameter(cli, "root", root));
    skein_rc    rc;

    if (strcmp(by, "agent") != 0 && strcmp(by, "day") != 0 && strcmp(by, "thread") != 0)
        return skn_fail(&cli->err, SKEIN_USAGE, "\"--by\" is agent, day or thread, not \"%s\"",
                        by);
    skn_list_begin(cli);
    if (!cli->json)
        skn_print(cli, "messages  replies  unanswered  depth  first reply  %s\n", by);
    rc = skn_door_each(cli, path, GROUPS_MOST, print_group, &job);
    rc = rc ? rc : job.rc;
    skn_list_done(cli, rc);
    return rc;
}

/* Once, and only when there is an answer. */
static void print_cost_heading(grouping *job)
{
    if (!job->cli->json && !job->headed)
        skn_print(job->cli, "calls   tokens in      cached  tokens out           USD  %s\n",
                  skn_opt(job->cli, "cost"));
    job->headed = true;
}

static void print_cost(void *arg, skn_cli *look, const skn_json *g)
{
    grouping *job = arg;
    skn_cli  *cli = job->cli;
    int64_t   unpriced = skn_door_int(g, "unpricedCalls", 0);
    skn_str   name = skn_json_str(g, "group");

    (void)look;
    if (job->rc || cli->json) {
        job->rc = job->rc ? job->rc : skn_door_item(cli, g);
        return;
    }
    print_cost_heading(job);
    skn_print(cli, "%5" PRId64 "  %10" PRId64 "  %10" PRId64 "  %10" PRId64 "  %12.6f  ",
              skn_door_int(g, "calls", 0), skn_door_int(g, "inputTokens", 0),
              skn_door_int(g, "cachedTokens", 0), skn_door_int(g, "outputTokens", 0),
              (double)skn_door_int(g, "costNanos", 0) / 1e9);
    skn_print_sender(cli, name.n ? name : SKN_STR("-"), 0);
    if (unpriced)
        skn_print(cli, "  (%" PRId64 " call%s without a known price)", unpriced,
                  skn_plural(unpriced));
    skn_print_raw(cli, SKN_STR("\n"));
}

/* Turns and messages are those of one chat; all else is the world's. */
static skein_rc print_costs(skn_cli *cli, const skein_conversation *chat)
{
    grouping    job = {.cli = cli};
    const char *by = skn_opt(cli, "cost");
    bool        few = strcmp(by, "turn") == 0 || strcmp(by, "message") == 0;
    const char *path = skn_arena_printf(cli->keep, "%s/costs?by=%s%s", cli->door->world,
                                        skn_door_part(cli, skn_str_of(by)),
                                        few ? skn_door_parameter(cli, "chatId", chat->uid) : "")
                           .p;
    skein_rc rc;

    skn_list_begin(cli);
    rc = skn_door_each(cli, path, GROUPS_MOST, print_cost, &job);
    rc = rc ? rc : job.rc;
    if (!rc)
        print_cost_heading(&job);
    skn_list_done(cli, rc);
    return rc;
}

skein_rc skn_cmd_stats(skn_cli *cli)
{
    skein_conversation chat;
    skein_message      root = {.id = {0}};
    const skn_json    *stats = NULL;
    skn_str            thread;
    skein_rc           rc = skn_need_thread(cli, &chat, &thread);

    if (!rc && cli->arg_count)
        rc = skn_need_message(cli, skn_arg(cli, 0), &root);
    if (rc)
        return rc;
    if (skn_opt(cli, "cost"))
        return print_costs(cli, &chat);
    if (skn_opt(cli, "by"))
        return print_stats_by(cli, thread, root.uid);
    rc = skn_door_get(cli, &stats, "%s/analytics?threadId=%s%s", cli->door->chat,
                      skn_door_part(cli, thread), skn_door_parameter(cli, "root", root.uid));
    if (rc || cli->json)
        return rc ? rc : skn_door_item(cli, stats);
    print_stats(cli, stats);
    return SKEIN_OK;
}

/* --- What a model would be sent ----------------------------------------------------------- */

/* "about 5100 tokens (prompt 300, tools 2700, messages 2100) of 8192 (provider)" */
static skn_str size_words(skn_cli *cli, const skn_json *c)
{
    const skn_json *list = skn_json_get(c, "messages");
    int64_t         count = list ? list->count : 0, window = skn_door_int(c, "window", 0);
    const char     *between = " (";
    skn_buf         b;
    skn_str         out;

    skn_buf_init(&b, 1 << 12);
    skn_buf_addf(&b, "%" PRId64 " message%s, about %" PRId64 " tokens", count,
                 skn_plural(count), skn_door_int(c, "tokens", 0));
    for (const skn_json *p = skn_first(c, "parts"); p; p = p->next)
        if (!skn_str_is(p->text, "0")) {
            skn_buf_addf(&b, "%s%.*s %.*s", between, SKN_FMT(p->key), SKN_FMT(p->text));
            between = ", ";
        }
    skn_buf_addf(&b, "%s", *between == ',' ? ")" : "");
    if (window > 0)
        skn_buf_addf(&b, " of %" PRId64 " (%.*s)", window,
                     SKN_FMT(skn_json_str(c, "windowFrom")));
    out = skn_arena_copy(cli->keep, skn_buf_str(&b));
    skn_buf_release(&b);
    return out;
}

/* The lane's messages: those that a summary stands for, that summary, and those that are sent as they are. */
static void note_size(skn_cli *cli, const skn_json *c)
{
    int64_t covered = skn_door_int(c, "coveredLength", 0);
    int64_t stored = skn_door_int(c, "storedLength", 0);
    int64_t limit = skn_door_int(c, "limit", 0);
    skn_str sent = size_words(cli, c);

    if (skn_has(c, "summaryMessageId"))
        skn_note(cli,
                 "%.*s; %" PRId64 " stored: %" PRId64
                 " in the summary %.*s, the summary, and %" PRId64
                 " as they are. Compacts when these and the summary are %" PRId64,
                 SKN_FMT(sent), covered + stored, covered,
                 SKN_FMT(skn_json_str(c, "summaryMessageId")), stored - 1, limit);
    else
        skn_note(cli, "%.*s; %" PRId64 " stored, compacts at %" PRId64, SKN_FMT(sent), stored,
                 limit);
}

static void print_context(skn_cli *cli, const skn_json *c)
{
    for (const skn_json *m = skn_first(c, "messages"); m; m = m->next) {
        skn_say(cli, m,
                "{bold role}[toolCallId:  result of {line toolCallId}][synthetic:  (put in)]\n"
                "{block content 4}");
        for (const skn_json *call = skn_first(m, "toolCalls"); call; call = call->next)
            skn_say(cli, call, "    calls {line toolName} {line args}\n");
    }
    note_size(cli, c);
}

/* Which lane of which version. */
static skein_rc context_lane(skn_cli *cli, skn_door_slice *out)
{
    const char        *agent = skn_opt(cli, "agent");
    skein_conversation chat;
    skein_agent        who;
    skein_rc           rc;

    *out = (skn_door_slice){.lane = skn_str_of(skn_opt(cli, "lane"))};
    rc = skn_need_thread(cli, &chat, &out->thread);
    if (!rc && agent && !(rc = skn_need_agent(cli, agent, &who)))
        out->agent = who.name;
    return rc;
}

skein_rc skn_cmd_context(skn_cli *cli)
{
    skn_door_slice  lane;
    const skn_json *context;
    skein_rc        rc = context_lane(cli, &lane);

    if (rc ||
        (rc = skn_door_get(cli, &context, "%s/context?threadId=%s%s%s", cli->door->chat,
                           skn_door_part(cli, lane.thread),
                           skn_door_parameter(cli, "agent", lane.agent),
                           skn_door_parameter(cli, "delegation", lane.lane))) ||
        cli->json)
        return rc ? rc : skn_door_item(cli, context);
    skn_out_page(cli);
    print_context(cli, context);
    return skn_tell_files(cli);
}
