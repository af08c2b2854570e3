/* Looking on while agents work: what one does in its background, and what a model was sent. */
#include "cli/commands.h"
#include "cli/unanswered.h"

#include <inttypes.h>

#define SHOWN_MOST   50
#define LOOK_BACK    1000
#define SESSION_MOST 500

/* --- A call of a model -------------------------------------------------------------------- */

/* Whether its message is unfinished. */
static void print_end(skn_cli *cli, const skn_json *call)
{
    skein_error      before = cli->err;
    skein_unfinished why = SKEIN_WHOLE;
    const skn_json  *made;

    if (skn_has(call, "messageId") &&
        !skn_read(cli, call, "{world}/messages/{messageId}?chatId={chatId}", &made))
        skein_unfinished_from(skn_json_str(made, "unfinished"), &why);
    skn_print_unfinished(cli, why, 0, 2); /* its tokens stand before it */
    cli->err = before;
}

static void call_head(skn_cli *cli, const skn_json *call)
{
    const skn_json *usage = skn_json_get(call, "usage");

    skn_say(cli, call, "{yellow id}  {purpose} for ");
    skn_print_sender(
        cli, skn_has(call, "agent") ? skn_json_str(call, "agent") : SKN_STR("skein"), 0);
    skn_say(cli, call, ", {line model}, {time createdAt}\n{state} in {totalMs} ms, {tries} ");
    skn_print(cli, skn_door_int(call, "tries", 0) == 1 ? "try, " : "tries, ");
    if (skn_door_int(usage, "inputTokens", -1) < 0 &&
        skn_door_int(usage, "outputTokens", -1) < 0)
        skn_print_raw(cli, SKN_STR("tokens not measured"));
    else {
        skn_say(cli, usage, "{inputTokens} tokens in, ");
        if (skn_door_int(usage, "cachedTokens", 0) > 0)
            skn_say(cli, usage, "{cachedTokens} of them cached, ");
        skn_say(cli, usage, "{outputTokens} out");
    }
    skn_say_if(cli, usage, "estimated", " (estimated)");
    print_end(cli, call);
    skn_print_raw(cli, SKN_STR("\n"));
    skn_say_block(cli, call, "", "error");
}

/* The id of a message of the conversation, however it is named, or else of another. */
static skn_str message_uid(skn_cli *cli, skn_str ref)
{
    skein_error        before = cli->err;
    skn_problem        more = cli->more;
    skein_world        world;
    skein_conversation chat;
    skein_message      m;
    bool found = !skn_need_chat(cli, &world, &chat) && !skn_need_message(cli, ref, &m);

    cli->err = before;
    cli->more = more;
    return found ? m.uid : ref;
}

/* By its id, or that of its message. */
static skein_rc find_call(skn_cli *cli, skn_str ref, const skn_json **out)
{
    bool     own = skn_str_starts(ref, SKN_STR("call_"));
    skein_rc rc = skn_door_get(cli, out, own ? "%s/calls/%s" : "%s/messages/%s/context",
                               cli->door->world,
                               skn_door_part(cli, own ? ref : message_uid(cli, ref)));

    if (rc && skn_str_find(skn_str_of(cli->err.hint), SKN_STR("/context")) >= 0)
        skn_hint(&cli->err, rc, "What a model would be sent now: skein context");
    return skn_missing(cli, rc, "call");
}

static skein_rc show_call(skn_cli *cli, const char *ref)
{
    const skn_json *call, *request;
    skn_str         sent = SKN_NONE, answer;
    skein_rc        rc = skn_need_world(cli, NULL);

    if (rc || (rc = find_call(cli, skn_str_of(ref), &call)) || cli->json)
        return rc ? rc : skn_door_item(cli, call);
    request = skn_json_get(call, "request");
    answer = skn_json_str(call, "response");
    if (request && request->kind != SKN_JSON_NULL) /* one that was not JSON is a text */
        sent = request->kind == SKN_JSON_STRING ? request->text : request->raw;
    if (skn_opt(cli, "saw")) {
        skn_print_text(cli, sent);
        skn_print_raw(cli, SKN_STR("\n"));
        return SKEIN_OK;
    }
    if (skn_opt(cli, "raw")) {
        skn_print_text(cli, answer);
        return SKEIN_OK;
    }
    call_head(cli, call);
    skn_print(cli, "sent %zu bytes: ", sent.n);
    skn_say(cli, call, "skein inspect --call {id} --saw\n");
    skn_print(cli, "answered %zu bytes\n", answer.n);
    skn_print_block(cli, answer, 4);
    return skn_print_decisions(cli, skn_json_str(call, "messageId"));
}

/* --- Background work ---------------------------------------------------------------------- */

static void agent_head(skn_cli *cli, const skn_json *agent)
{
    skn_say(cli, agent,
            "{sender name}" SKN_DOING SKN_WAITS
            ", {pendingTasks} task{pendingTasks s} waiting or running"
            "[nextRunAt:, wakes at {time nextRunAt}]\n");
}

/* A session begins with a message to the agent. The session number n, 1 is the latest, in list[*from, *to). */
static bool find_session(const skein_messages *list, int64_t n, size_t *from, size_t *to)
{
    size_t end = list->count;

    for (size_t i = list->count; i-- > 0;) {
        if (list->at[i].role != SKEIN_USER)
            continue;
        if (--n == 0) {
            *from = i;
            *to = end;
            return true;
        }
        end = i;
    }
    return false;
}

static skein_rc print_work(skn_cli *cli, const skn_door_log *work)
{
    skein_rc rc = SKEIN_OK;

    cli->whole_ids = true; /* they are in another conversation than commands look in */
    for (size_t i = 0; !rc && i < work->list.count; i++)
        if (cli->json) {
            rc = skn_door_item(cli, work->items[i]);
        } else {
            skn_print_message(cli, &work->list.at[i], &work->facts[i], SKN_NONE);
            skn_print_unanswered(cli, &work->deliveries[i]);
        }
    return rc;
}

/* Only the messages of a session. */
static skein_rc cut_session(skn_cli *cli, int64_t session, skn_door_log *work)
{
    size_t from, to;

    if (!find_session(&work->list, session, &from, &to))
        return skn_fail(&cli->err, SKEIN_NOT_FOUND, "there is no session %" PRId64, session);
    work->list = (skein_messages){work->list.at + from, to - from};
    work->items += from;
    work->facts += from;
    work->deliveries += from;
    return SKEIN_OK;
}

static skein_rc show_work(skn_cli *cli, const skn_json *agent, const skein_conversation *chat)
{
    skn_door_slice what = {.thread = chat->thread_uid, .last = SHOWN_MOST};
    skn_door_log   work;
    int64_t        session;
    skein_rc       rc = skn_opt_int(cli, "session", 1, SESSION_MOST, 0, &session);

    if (session)
        what.last = LOOK_BACK;
    if (rc || (rc = skn_door_log_read(cli, &what, &work)) ||
        (session && (rc = cut_session(cli, session, &work))))
        return rc;
    if (!cli->json)
        agent_head(cli, agent);
    if (!session && chat->length > (int64_t)work.list.count && !cli->json)
        skn_print(cli, "(the last %zu of %" PRId64 " messages; all: skein log -c %.*s)\n",
                  work.list.count, chat->length, SKN_FMT(chat->uid));
    return print_work(cli, &work);
}

static void show_none(skn_cli *cli, const skn_json *agent)
{
    if (cli->json) {
        skn_say_list(cli, &(skn_json_list){0}, NULL);
        return;
    }
    agent_head(cli, agent);
    skn_print_raw(cli, SKN_STR("It has done nothing in the background yet.\n"));
}

/* The agent's background; *found is false before it exists. The next requests are about it. */
static skein_rc find_background(skn_cli *cli, const skn_json *agent, skein_conversation *out,
                                bool *found)
{
    skn_json_list list = {0};
    skein_rc rc = skn_read_all(cli, agent, "{world}/agents/{name}/conversations", 0, &list);

    *found = false;
    for (size_t i = 0; !rc && i < list.n && !*found; i++) {
        skn_door_read_chat(cli, list.p[i], out);
        *found = out->mode == SKEIN_BACKGROUND;
    }
    if (*found)
        skn_door_enter_chat(cli, out);
    return rc;
}

/* New messages are shown as in every conversation; following creates the background. */
static skein_rc follow(skn_cli *cli, const skn_json *agent, skein_conversation *chat,
                       bool found)
{
    skein_rc rc = found ? SKEIN_OK
                        : skn_chat_of(cli, skn_json_str(agent, "name"), SKEIN_BACKGROUND, chat);

    if (rc)
        return rc;
    skn_opt_give(cli, "conversation", skn_arena_copy(cli->keep, chat->uid).p);
    return skn_cmd_log(cli);
}

skein_rc skn_cmd_inspect(skn_cli *cli)
{
    const char        *call = skn_opt(cli, "call");
    const skn_json    *agent;
    skein_conversation chat;
    bool               found;
    skein_rc           rc;

    if (call)
        return show_call(cli, call);
    if (!cli->arg_count)
        return skn_fail(&cli->err, SKEIN_USAGE, "name an agent, or give --call ID");
    if ((rc = skn_need_world(cli, NULL)) ||
        (rc = skn_agent_named(cli, skn_arg(cli, 0), &agent)) ||
        (rc = find_background(cli, agent, &chat, &found)))
        return rc;
    if (skn_opt(cli, "follow"))
        return follow(cli, agent, &chat, found);
    if (found)
        return show_work(cli, agent, &chat);
    show_none(cli, agent);
    return SKEIN_OK;
}

skn_str skn_summary_line_text(skn_arena *a, skn_str agent, int64_t covers, skn_str uid)
{
    return skn_arena_printf(
        a, "%.*s: the first %" PRId64 " messages are summarised as %.*s: skein show %.*s",
        SKN_FMT(agent), covers, SKN_FMT(uid), SKN_FMT(uid));
}
