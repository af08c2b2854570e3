/* Looking on while agents work: what one does in its background, and what a model was sent. */
#include "cli/commands.h"

#include "base/error.h"
#include "cli/busy.h"
#include "cli/far_inspect.h"
#include "cli/far_view.h"
#include "cli/unanswered.h"
#include "cli/waits.h"

#include <inttypes.h>

#define SHOWN_MOST   50
#define LOOK_BACK    1000
#define SESSION_MOST 500

/* --- A call of a model -------------------------------------------------------------------- */

/* A turn that failed before anything was kept has left nothing but its reason. */
static skein_rc never_sent(skn_cli *cli, const skein_conversation *chat, skein_message *m,
                           skein_rc otherwise)
{
    skein_error           first = cli->err;
    skein_messages        one = {m, 1};
    const skein_delivery *failed = NULL;
    skein_deliveries     *d;

    if (!skn_deliveries_for(cli, chat, 0, &one, cli->keep, &d))
        failed = skn_failed_delivery(d);
    cli->err = first;
    return failed ? skn_no_call_for(m->uid, failed, &cli->err) : otherwise;
}

/* A call's own id, or a message however it is named. */
static skein_rc find_call(skn_cli *cli, const char *ref, skein_model_call *out)
{
    skn_str            uid = skn_str_of(ref);
    skein_world        world;
    skein_conversation chat;
    skein_message      m = {0};
    skein_rc           rc = skn_need_world(cli, &world);

    if (rc)
        return rc;
    if (cli->far)
        return skn_far_call(cli, uid, out);
    if (!skn_str_starts(uid, SKN_STR("call_"))) {
        if (!skn_need_chat(cli, &world, &chat) && !skn_need_message(cli, &chat, uid, &m))
            uid = m.uid;
        cli->err = (skein_error){.rc = SKEIN_OK};
        cli->more = (skn_problem){.thing = NULL};
    }
    rc = skein_model_call_get(cli->engine, world.id, uid, cli->keep, out, &cli->err);
    if (rc == SKEIN_NOT_FOUND)
        cli->more.thing = "call";
    return rc == SKEIN_NOT_FOUND && m.id.v ? never_sent(cli, &chat, &m, rc) : rc;
}

static void tokens(skn_cli *cli, const skein_model_call *c)
{
    if (c->tokens_in < 0 && c->tokens_out < 0)
        skn_print_raw(cli, SKN_STR("tokens not measured"));
    else
        skn_print(cli, "%" PRId64 " tokens in, %" PRId64 " out%s", c->tokens_in, c->tokens_out,
                  c->estimated ? " (estimated)" : "");
}

/* The message that came of it. */
static bool find_made(skn_cli *cli, const skein_model_call *c, skein_message *out)
{
    skein_error     before = cli->err;
    const skn_json *v;
    bool            found;

    if (!cli->far)
        return !skein_message_find(cli->engine, c->chat, 0, c->message_uid, cli->keep, out,
                                   NULL);
    found = !skn_far_get(cli, &v, "%s/chats/%s/messages/%s", cli->far->world,
                         skn_far_part(cli, c->chat_uid), skn_far_part(cli, c->message_uid));
    if (found)
        skn_far_read_message(cli, v, out, NULL, NULL);
    cli->err = before;
    return found;
}

/* Whether the message that came of it ends before its end. */
static void print_end(skn_cli *cli, const skein_model_call *c)
{
    skein_message m;

    if (c->message_uid.n && find_made(cli, c, &m))
        skn_print_unfinished(cli, m.unfinished, 2);
}

static void call_head(skn_cli *cli, const skein_model_call *c)
{
    skn_print_colour(cli, SKN_YELLOW, c->uid);
    skn_print(cli, "  %.*s for ", SKN_FMT(c->purpose));
    skn_print_sender(cli, c->agent_name.n ? c->agent_name : SKN_STR("skein"), 0);
    skn_print_raw(cli, SKN_STR(", "));
    skn_print_line(cli, c->model, 0);
    skn_print_raw(cli, SKN_STR(", "));
    skn_print_time(cli, c->created_at);
    skn_print(cli, "\n%.*s in %" PRId64 " ms, %" PRId64 " tr%s, ", SKN_FMT(c->state),
              c->total_ms, c->tries, c->tries == 1 ? "y" : "ies");
    tokens(cli, c);
    print_end(cli, c);
    skn_print_raw(cli, SKN_STR("\n"));
    if (c->error.n)
        skn_print_block(cli, c->error, 4);
}

static int show_call(skn_cli *cli, const char *ref)
{
    skein_model_call c;
    size_t           sent = 0;
    skein_rc         rc = find_call(cli, ref, &c);

    if (rc)
        return (int)rc;
    if (cli->json) {
        skn_shape_model_call_whole(skn_item(cli), &c, cli->keep);
        return (int)skn_item_end(cli);
    }
    if (skn_opt(cli, "saw")) {
        for (size_t i = 0; i < c.piece_count; i++)
            skn_print_text(cli, c.pieces[i]);
        skn_print_raw(cli, SKN_STR("\n"));
        return 0;
    }
    if (skn_opt(cli, "raw")) {
        skn_print_text(cli, c.response);
        return 0;
    }
    for (size_t i = 0; i < c.piece_count; i++)
        sent += c.pieces[i].n;
    call_head(cli, &c);
    skn_print(cli, "sent %zu bytes: skein inspect --call %.*s --saw\nanswered %zu bytes\n",
              sent, SKN_FMT(c.uid), c.response.n);
    skn_print_block(cli, c.response, 4);
    return (int)skn_print_decisions(cli, c.world, c.message_uid);
}

/* --- Background work ---------------------------------------------------------------------- */

static skein_rc find_background(skn_cli *cli, const skein_world *world,
                                const skein_agent *agent, skein_conversation *out, bool *found)
{
    skein_conversations all;
    skein_rc            rc;

    if (cli->far)
        return skn_far_background(cli, agent, out, found);
    rc = skein_conversation_list(cli->engine, world->id, cli->keep, &all, &cli->err);
    *found = false;
    for (size_t i = 0; !rc && i < all.count; i++)
        if (all.at[i].agent.v == agent->id.v && all.at[i].mode == SKEIN_BACKGROUND) {
            *out = all.at[i];
            *found = true;
        }
    return rc;
}

/* What it is at, for the line above its work. */
typedef struct doings {
    skn_str state, detail, inbox_uid;
    int64_t pending, next_run_at, until;
} doings;

static skein_rc near_doings(skn_cli *cli, const skein_world *world, const skein_agent *agent,
                            doings *out)
{
    skein_agent_work work;
    skein_agents     one = {SKN_NEW(cli->keep, skein_agent), 1};
    skn_at_work     *all = SKN_NEW(cli->keep, skn_at_work);
    skein_rc         rc;

    one.at[0] = *agent;
    if ((rc = skein_agent_work_of(cli->engine, &one, cli->keep, &work, &cli->err)) ||
        (rc = skn_at_work_in(cli, world->id, all)))
        return rc;
    out->state = skn_agent_state(all, agent->id, &out->detail);
    out->inbox_uid = skn_agent_waits(all, agent->id);
    out->until = skn_agent_until(all, agent->id);
    out->pending = work.pending;
    out->next_run_at = work.next_run_at;
    return SKEIN_OK;
}

/* A server tells it with the agent. */
static skein_rc far_doings(skn_cli *cli, const skein_agent *agent, doings *out)
{
    const skn_json *told;
    skein_rc rc = skn_json_parse(&told, agent->settings, "the agent", cli->keep, &cli->err);

    if (!rc)
        *out = (doings){.state = skn_far_text(told, "state"),
                        .detail = skn_far_text(told, "detail"),
                        .inbox_uid = skn_far_text(told, "inboxId"),
                        .until = skn_far_time(told, "until"),
                        .pending = skn_far_int(told, "pendingTasks", 0),
                        .next_run_at = skn_far_time(told, "nextRunAt")};
    return rc;
}

static skein_rc agent_head(skn_cli *cli, const skein_world *world, const skein_agent *agent)
{
    doings   d;
    skein_rc rc = cli->far ? far_doings(cli, agent, &d) : near_doings(cli, world, agent, &d);

    if (rc)
        return rc;
    skn_print_sender(cli, agent->name, 0);
    skn_print(cli, "  %.*s%s%.*s", SKN_FMT(d.state), d.detail.n ? " " : "", SKN_FMT(d.detail));
    skn_print_until(cli, d.until);
    skn_print_waits(cli, d.inbox_uid);
    skn_print(cli, ", %" PRId64 " task%s waiting or running", d.pending, skn_plural(d.pending));
    if (d.next_run_at) {
        skn_print_raw(cli, SKN_STR(", wakes at "));
        skn_print_time(cli, d.next_run_at);
    }
    skn_print_raw(cli, SKN_STR("\n"));
    return SKEIN_OK;
}

/* Work begins with what the agent is told. The session number n, 1 is the latest, in list[*from, *to). */
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

/* The last messages, without what surrounds them where the store is near. */
static skein_rc read_work(skn_cli *cli, const skein_conversation *chat, int64_t count,
                          skn_far_log *out)
{
    skein_slice   slice = {.conversation = chat->id, .from = -count, .count = count};
    skn_far_slice what = {.thread = chat->thread_uid, .last = count};
    skein_at      at;

    *out = (skn_far_log){.facts = NULL};
    return cli->far ? skn_far_log_read(cli, &what, out)
                    : skein_read(cli->engine, &slice, cli->keep, &out->list, &at, &cli->err);
}

static skein_rc explain_work(skn_cli *cli, const skein_conversation *chat, skn_far_log *work)
{
    skein_rc rc;

    if (work->facts)
        return SKEIN_OK;
    work->facts = SKN_ARRAY(cli->keep, work->list.count + 1, skein_message_facts);
    if ((rc = skein_message_explain(cli->engine, chat->id, 0, &work->list, cli->keep,
                                    work->facts, &cli->err)))
        return rc;
    return skn_deliveries_for(cli, chat, 0, &work->list, cli->keep, &work->deliveries);
}

static skein_rc print_work(skn_cli *cli, const skein_conversation *chat, skn_far_log *work)
{
    skein_rc rc = explain_work(cli, chat, work);

    cli->whole_ids = true; /* they are in another conversation than commands look in */
    for (size_t i = 0; !rc && i < work->list.count; i++)
        if (cli->json) {
            skn_shape_message(skn_item(cli), chat->uid, &work->list.at[i], &work->facts[i]);
            rc = skn_item_end(cli);
        } else {
            skn_print_message(cli, &work->list.at[i], &work->facts[i], SKN_NONE);
            skn_print_unanswered(cli, &work->deliveries[i]);
        }
    return rc;
}

/* Only the messages of a session. */
static skein_rc cut_session(skn_cli *cli, int64_t session, skn_far_log *work)
{
    size_t from, to;

    if (!find_session(&work->list, session, &from, &to))
        return skn_fail(&cli->err, SKEIN_NOT_FOUND, "there is no session %" PRId64, session);
    work->list = (skein_messages){work->list.at + from, to - from};
    if (work->facts) {
        work->facts += from;
        work->deliveries += from;
    }
    return SKEIN_OK;
}

static skein_rc show_work(skn_cli *cli, const skein_world *world, const skein_agent *agent,
                          const skein_conversation *chat)
{
    skn_far_log work;
    int64_t     session;
    skein_rc    rc = skn_opt_int(cli, "session", 1, SESSION_MOST, 0, &session);

    if (rc || (rc = read_work(cli, chat, session ? LOOK_BACK : SHOWN_MOST, &work)) ||
        (session && (rc = cut_session(cli, session, &work))))
        return rc;
    if (!cli->json && (rc = agent_head(cli, world, agent)))
        return rc;
    if (!session && chat->length > (int64_t)work.list.count && !cli->json)
        skn_print(cli, "(the last %zu of %" PRId64 " messages; all: skein log -c %.*s)\n",
                  work.list.count, chat->length, SKN_FMT(chat->uid));
    return print_work(cli, chat, &work);
}

static skein_rc show_none(skn_cli *cli, const skein_world *world, const skein_agent *agent)
{
    skein_rc rc;

    if (cli->json) {
        skn_list_begin(cli);
        skn_list_done(cli, SKEIN_OK);
        return SKEIN_OK;
    }
    if ((rc = agent_head(cli, world, agent)))
        return rc;
    skn_print_raw(cli, SKN_STR("It has done nothing in the background yet.\n"));
    return SKEIN_OK;
}

/* What comes is told like that of every conversation. */
static int follow(skn_cli *cli, const skein_agent *agent)
{
    skein_conversation chat;
    bool               found;
    skein_rc           rc = cli->far ? skn_far_background(cli, agent, &chat, &found)
                                     : skein_conversation_of(cli->engine, agent->id, SKEIN_BACKGROUND,
                                                             cli->keep, &chat, &cli->err);

    if (!rc && cli->far && !found)
        rc = skn_fail(&cli->err, SKEIN_NOT_FOUND, "\"%.*s\" has no background conversation yet",
                      SKN_FMT(agent->name));
    if (rc)
        return (int)rc;
    skn_opt_give(cli, "conversation", skn_arena_copy(cli->keep, chat.uid).p);
    return skn_cmd_log(cli);
}

int skn_cmd_inspect(skn_cli *cli)
{
    const char        *call = skn_opt(cli, "call");
    skein_world        world;
    skein_agent        agent;
    skein_conversation chat;
    bool               found;
    skein_rc           rc;

    if (call)
        return show_call(cli, call);
    if (!cli->arg_count)
        return (int)skn_fail(&cli->err, SKEIN_USAGE, "name an agent, or give --call ID");
    if ((rc = skn_need_world(cli, &world)) ||
        (rc = skn_need_agent(cli, &world, cli->args[0], &agent)))
        return (int)rc;
    if (skn_opt(cli, "follow"))
        return follow(cli, &agent);
    if ((rc = find_background(cli, &world, &agent, &chat, &found)))
        return (int)rc;
    return (int)(found ? show_work(cli, &world, &agent, &chat)
                       : show_none(cli, &world, &agent));
}
