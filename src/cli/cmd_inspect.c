/* Looking on while agents work: what one does in its background, and what a model was sent. */
#include "base/error.h"
#include "cli/commands.h"
#include "cli/far.h"
#include "cli/far_view.h"
#include "cli/paste.h"
#include "cli/print.h"
#include "cli/unanswered.h"

#include <inttypes.h>

#define SHOWN_MOST   50
#define LOOK_BACK    1000
#define SESSION_MOST 500

/* --- A call of a model -------------------------------------------------------------------- */

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
    bool            found = !skn_far_get(cli, &v, "%s/messages/%s?chatId=%s", cli->door->world,
                                         skn_far_part(cli, c->message_uid),
                                         skn_far_part(cli, c->chat_uid));

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
    skein_world      world;
    skein_model_call c;
    const skn_json  *whole;
    size_t           sent = 0;
    skein_rc         rc = skn_need_world(cli, &world);

    if (rc || (rc = skn_far_call(cli, skn_str_of(ref), &c, &whole)))
        return (int)rc;
    if (cli->json)
        return (int)skn_far_item(cli, whole);
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
    return (int)skn_print_decisions(cli, c.message_uid);
}

/* --- Background work ---------------------------------------------------------------------- */

static void agent_head(skn_cli *cli, const skein_agent *agent)
{
    skn_doings d = skn_doings_of(cli, agent);

    skn_print_sender(cli, agent->name, 0);
    skn_print_doing(cli, &d);
    skn_print_waits(cli, d.inbox_uid);
    skn_print(cli, ", %" PRId64 " task%s waiting or running", d.pending, skn_plural(d.pending));
    if (d.next) {
        skn_print_raw(cli, SKN_STR(", wakes at "));
        skn_print_time(cli, d.next);
    }
    skn_print_raw(cli, SKN_STR("\n"));
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

static skein_rc print_work(skn_cli *cli, const skein_conversation *chat,
                           const skn_far_log *work)
{
    skein_rc rc = SKEIN_OK;

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
    work->facts += from;
    work->deliveries += from;
    return SKEIN_OK;
}

static skein_rc show_work(skn_cli *cli, const skein_agent *agent,
                          const skein_conversation *chat)
{
    skn_far_slice what = {.thread = chat->thread_uid, .last = SHOWN_MOST};
    skn_far_log   work;
    int64_t       session;
    skein_rc      rc = skn_opt_int(cli, "session", 1, SESSION_MOST, 0, &session);

    if (session)
        what.last = LOOK_BACK;
    if (rc || (rc = skn_far_log_read(cli, &what, &work)) ||
        (session && (rc = cut_session(cli, session, &work))))
        return rc;
    if (!cli->json)
        agent_head(cli, agent);
    if (!session && chat->length > (int64_t)work.list.count && !cli->json)
        skn_print(cli, "(the last %zu of %" PRId64 " messages; all: skein log -c %.*s)\n",
                  work.list.count, chat->length, SKN_FMT(chat->uid));
    return print_work(cli, chat, &work);
}

static void show_none(skn_cli *cli, const skein_agent *agent)
{
    if (cli->json) {
        skn_list_begin(cli);
        skn_list_done(cli, SKEIN_OK);
        return;
    }
    agent_head(cli, agent);
    skn_print_raw(cli, SKN_STR("It has done nothing in the background yet.\n"));
}

/* What comes is told like that of every conversation. */
static int follow(skn_cli *cli, const skein_conversation *chat)
{
    skn_opt_give(cli, "conversation", skn_arena_copy(cli->keep, chat->uid).p);
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
        (rc = skn_far_agent(cli, skn_arg(cli, 0), &agent)) ||
        (rc = skn_far_background(cli, &agent, &chat, &found)))
        return (int)rc;
    if (skn_opt(cli, "follow"))
        return !found && (rc = skn_far_background_new(cli, &agent, &chat)) ? (int)rc
                                                                           : follow(cli, &chat);
    if (found)
        return (int)show_work(cli, &agent, &chat);
    show_none(cli, &agent);
    return 0;
}

skein_rc skn_summary_lines_read(skn_cli *cli, skn_summary_lines *lines)
{
    skn_json_list    list = {0};
    skn_far_question q;
    skn_cli         *look;
    skein_rc         rc;

    if (lines->mem)
        skein_mem_reset(lines->mem);
    else
        lines->mem = skein_mem_new();
    look = skn_far_ask_apart(cli, lines->mem, &q);
    rc = skn_far_all(
        look, skn_arena_printf(look->keep, "%s/compactions?memories=true", cli->door->chat).p,
        0, &list);
    cli->err = q.cli.err;
    lines->of = (skein_summaries){.at = SKN_ARRAY(look->keep, list.n + 1, skein_summary)};
    for (size_t i = 0; !rc && i < list.n; i++)
        lines->of.at[lines->of.count++] = (skein_summary){
            .message = {.uid = skn_far_text(list.p[i], "messageId"),
                        .created_at = skn_far_time(list.p[i], "createdAt")},
            .covers = skn_far_int(list.p[i], "covers", 0),
            .agent = skn_far_text(list.p[i], "memoryOf")};
    return rc;
}

skn_str skn_summary_line_text(skn_arena *a, skn_str agent, int64_t covers, skn_str uid)
{
    return skn_arena_printf(
        a, "%.*s: the first %" PRId64 " messages are summarised as %.*s: skein show %.*s",
        SKN_FMT(agent), covers, SKN_FMT(uid), SKN_FMT(uid));
}

void skn_summary_lines_skip(skn_summary_lines *lines, int64_t before)
{
    for (size_t i = 0; i < lines->of.count; i++) {
        int64_t at = lines->of.at[i].message.created_at;

        if (at < before && at > lines->seen)
            lines->seen = at;
    }
}

void skn_summary_lines_until(skn_cli *cli, skn_summary_lines *lines, int64_t before)
{
    for (size_t i = lines->of.count; i-- > 0;) {
        const skein_summary *s = &lines->of.at[i];
        skn_str              text;

        if (s->message.created_at <= lines->seen || s->message.created_at >= before)
            continue;
        skn_print_raw(cli, SKN_STR("  ─ "));
        text = skn_summary_line_text(cli->keep, s->agent, s->covers, s->message.uid);
        skn_print_colour(cli, SKN_DIM, skn_str_of(skn_pasteable(cli, text.p)));
        skn_print_raw(cli, SKN_STR("\n"));
    }
    skn_summary_lines_skip(lines, before);
}

void skn_summary_lines_end(skn_summary_lines *lines)
{
    skein_mem_free(lines->mem);
}
