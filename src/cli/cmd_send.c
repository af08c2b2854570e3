/* Saying something: to the server that runs on the store, which has it answered, or into the store. */
#include "cli/answers.h"
#include "cli/commands.h"
#include "cli/far.h"
#include "cli/interrupt.h"
#include "cli/say.h"
#include "cli/waits.h"

#include "base/error.h"

#include <inttypes.h>
#include <signal.h>
#include <unistd.h>

#define POST_MS      30000
#define SOON_MS      500 /* a message that is not said by then waits in the queue */
#define PARTLY       7
#define INTERRUPTED  130
#define TIMEOUT_MOST ((int64_t)7 * 86400)

typedef struct sending {
    skein_world        world;
    skein_conversation chat;
    skein_new_message  message;
    skn_server         server;
    bool               served;
    int64_t            timeout_ms; /* -1: none */
} sending;

/* --- What to say -------------------------------------------------------------------------- */

static skein_rc given_text(skn_cli *cli, skn_str *out)
{
    const char *file = skn_opt(cli, "file");
    skn_buf     words;
    bool        dash = cli->arg_count == 1 && skn_str_is(skn_arg(cli, 0), "-");
    skein_rc    rc;

    if (cli->arg_count && !dash) {
        if (file)
            return skn_fail(&cli->err, SKEIN_USAGE, "give the text or a file, not both");
        skn_buf_init(&words, SKN_TEXT_LIMIT + 1);
        for (size_t i = 0; i < cli->arg_count; i++) {
            skn_buf_add(&words, i ? SKN_STR(" ") : SKN_STR(""));
            skn_buf_add(&words, skn_arg(cli, i));
        }
        *out = skn_arena_copy(cli->keep, skn_buf_str(&words));
        skn_buf_release(&words);
        return SKEIN_OK;
    }
    if (!file && !dash && isatty(STDIN_FILENO)) {
        skn_fail(&cli->err, SKEIN_USAGE, "\"skein send\" needs a text");
        return skn_hint(&cli->err, SKEIN_USAGE, "Try: skein send \"hello\"");
    }
    rc = skn_read_file(cli, file ? file : "-", SKN_TEXT_LIMIT, out);
    if (!rc && out->n && out->p[out->n - 1] == '\n')
        out->n--;
    return rc;
}

static skein_rc check_text(skn_cli *cli, skn_str text)
{
    if (skn_str_trim(text).n)
        return SKEIN_OK;
    skn_fail(&cli->err, SKEIN_INVALID, "the message has no text");
    return skn_hint(&cli->err, SKEIN_INVALID, "Try: skein send \"hello\"");
}

static skn_names names_of(skn_cli *cli, const char *option)
{
    skn_vec(const char *) list = {0};
    size_t      at = 0;
    const char *name;

    while ((name = skn_opt_next(cli, option, &at)))
        skn_vec_add(cli->keep, &list, name);
    return (skn_names){list.p, list.n};
}

/* "120s", "2m", "1h", "500ms", or seconds alone. */
static skein_rc read_timeout(skn_cli *cli, int64_t *out)
{
    static const struct {
        const char *unit;
        int64_t     ms;
    } units[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}, {"", 1000}};
    const char *text = skn_opt(cli, "timeout");
    skn_str     s = skn_str_of(text), unit;
    int64_t     n;

    *out = -1;
    if (!text)
        return SKEIN_OK;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        unit = skn_str_of(units[i].unit);
        if (skn_str_ends(s, unit) && skn_str_int(skn_str_sub(s, 0, s.n - unit.n), &n) &&
            n >= 0 && n <= TIMEOUT_MOST * 1000 / units[i].ms) {
            *out = n * units[i].ms;
            return SKEIN_OK;
        }
    }
    skn_fail(&cli->err, SKEIN_USAGE, "\"%s\" is not a time for \"--timeout\"", text);
    return skn_hint(&cli->err, SKEIN_USAGE, "Times look like 120s, 2m or 500ms");
}

static skein_rc prepare(skn_cli *cli, sending *s)
{
    skn_saying what = {.reply_to = skn_opt(cli, "reply-to"),
                       .to = names_of(cli, "to"),
                       .expect = names_of(cli, "expect-reply"),
                       .tags = names_of(cli, "tag")};
    skein_rc   rc;

    if ((rc = read_timeout(cli, &s->timeout_ms)) ||
        (rc = skn_need_chat(cli, &s->world, &s->chat)) || (rc = given_text(cli, &what.text)) ||
        (rc = check_text(cli, what.text)) ||
        (rc = skn_say_compose(cli, &s->world, &s->chat, &what, &s->message)))
        return rc;
    return skn_discover(cli, &s->server, &s->served);
}

/* --- Without a server --------------------------------------------------------------------- */

static skein_rc said(skn_cli *cli, const skein_conversation *chat, const skein_messages *stored)
{
    skein_message_facts  facts = {.seen_by = NULL};
    const skein_message *m = &stored->at[0];
    skn_jw              *w;
    skein_rc rc = skein_message_explain(cli->engine, chat->id, 0, stored, cli->keep, &facts,
                                        &cli->err);

    if (rc)
        return rc;
    if (cli->json) {
        w = skn_item(cli);
        skn_jw_object(w);
        skn_jw_kstr(w, "event", SKN_STR("message.created"));
        skn_shape_message_members(w, chat->uid, m, &facts);
        skn_jw_object_end(w);
        return skn_item_end(cli);
    }
    skn_print_sender(cli, m->sender, 5);
    skn_print_raw(cli, SKN_STR(" "));
    skn_print_colour(cli, SKN_YELLOW, m->uid);
    skn_print_heard(cli, m, &facts);
    skn_print_raw(cli, SKN_STR("\n"));
    return SKEIN_OK;
}

static skein_rc store_it(skn_cli *cli, const sending *s)
{
    skein_append_request req = {
        .conversation = s->chat.id, .messages = &s->message, .count = 1};
    skein_messages stored;
    skein_rc       rc;

    if ((rc = skein_append(cli->engine, &req, cli->keep, &stored, &cli->err)) ||
        (rc = said(cli, &s->chat, &stored)))
        return rc;
    if (!skn_opt(cli, "no-wait"))
        skn_note(cli, "No server runs here: it is stored, and nobody answers.");
    return SKEIN_OK;
}

/* --- With a server ------------------------------------------------------------------------ */

/* The answer to a post is the message, in the shape that the event has. */
static skein_rc post_only(skn_cli *cli, const sending *s, const skn_request_spec *post)
{
    skn_news          news = {.cli = cli};
    skn_news_item     item = {.type = SKN_STR("message.created")};
    skn_answers       answers;
    skn_client_answer got;
    bool              queued = false;
    skein_rc          rc;

    if ((rc = skn_client_call(cli, &s->server, post, POST_MS, &got)) ||
        (rc = skn_json_parse(&item.data, got.body, "the answer of the server", cli->keep,
                             &cli->err)))
        return rc;
    (void)skn_json_flag(item.data, "queued", false, &queued, NULL);
    item.message = item.cause = skn_news_text(item.data, "messageId");
    item.agent = skn_news_text(item.data, "sender");
    item.reply_to = skn_news_text(item.data, "replyToMessageId");
    item.text = skn_news_text(item.data, "content");
    skn_answers_init(&answers, cli, &news);
    answers.message = item.message;
    rc = skn_answers_take(&answers, &item);
    skn_answers_release(&answers);
    if (queued)
        skn_note_queued(cli, s->chat.id);
    return rc;
}

/* A message that is not said at once waits behind the work of agents; then that is told. */
static skein_rc wait_for_answers(skn_cli *cli, const sending *s, skn_news *news,
                                 skn_answers *answers)
{
    int64_t  first = s->timeout_ms, left = s->timeout_ms;
    skein_rc rc;

    if (first < 0 || first > SOON_MS)
        first = SOON_MS;
    rc = skn_news_wait(news, first);
    if (rc != SKEIN_TIMEOUT || first == left)
        return rc;
    if (answers->message.p && !answers->said)
        skn_note_queued(cli, s->chat.id);
    cli->err = (skein_error){.rc = SKEIN_OK};
    return skn_news_wait(news, left < 0 ? -1 : left - first);
}

static void tell_resting(skn_cli *cli, skn_answers *a, skn_str agent)
{
    if (!skn_answers_waits(a, agent))
        return;
    a->resting++;
    skn_note(cli, "%.*s is paused: the message waits. skein agent resume %.*s", SKN_FMT(agent),
             SKN_FMT(agent));
}

static void tell_paused_far(skn_cli *cli, skn_answers *a)
{
    skn_json_list list = {0};
    skein_error   err = cli->err;

    if (skn_far_all(cli, skn_arena_printf(cli->keep, "%s/agents", cli->far->world).p, 0, &list))
        cli->err = err;
    for (size_t i = 0; i < list.n; i++)
        if (skn_far_flag(list.p[i], "paused"))
            tell_resting(cli, a, skn_far_text(list.p[i], "name"));
}

/* Who is paused begins nothing: nobody who waits is told of it by what happens. */
static void tell_paused(skn_cli *cli, const sending *s, skn_answers *a)
{
    skein_agents      agents;
    skein_agent_work *work;

    if (cli->far) {
        tell_paused_far(cli, a);
        return;
    }
    if (skein_agent_list(cli->engine, s->world.id, cli->keep, &agents, NULL))
        return;
    work = SKN_ARRAY(cli->keep, agents.count + 1, skein_agent_work);
    if (skein_agent_work_of(cli->engine, &agents, cli->keep, work, NULL))
        return;
    for (size_t i = 0; i < agents.count; i++)
        if (work[i].paused)
            tell_resting(cli, a, agents.at[i].name);
}

static int none_answered(skn_cli *cli, const skn_answers *a)
{
    if (a->keyless < a->failed)
        return (int)skn_fail(&cli->err, SKEIN_PROVIDER, "nobody could answer");
    return (int)skn_fail(&cli->err, SKEIN_AUTH, "nobody could answer: a key is needed");
}

/* Somebody else changed the conversation meanwhile, and nobody answers it any more. */
static int taken_away(skn_cli *cli, const skn_answers *a)
{
    const skn_fate *f = &a->fate;

    skn_fail(&cli->err, SKEIN_CONFLICT, "the message %.*s",
             SKN_FMT(skn_fate_text(cli->keep, f, a->message)));
    if (f->unsaid)
        return (int)skn_hint(&cli->err, SKEIN_CONFLICT, "It was not said; send it again");
    if (!f->version.n)
        return (int)skn_hint(&cli->err, SKEIN_CONFLICT,
                             "\"skein conv ls --removed\" lists what can be brought back");
    if (f->left)
        return (int)skn_hint(
            &cli->err, SKEIN_CONFLICT,
            "\"skein history\" lists the versions, and \"skein switch\" goes to one");
    return (int)skn_hint(&cli->err, SKEIN_CONFLICT,
                         "Now at %.*s, see \"skein log\"; \"skein undo\" takes that back",
                         SKN_FMT(f->version));
}

static int outcome(skn_cli *cli, const sending *s, skn_answers *a, skein_rc rc)
{
    skn_answers_break(a);
    if (rc == SKEIN_NOTHING) {
        skn_note(cli, "\nStopped waiting. %s",
                 a->message.p ? "The message stays, and the agents go on."
                              : "The message may have been sent.");
        return skn_status(cli, INTERRUPTED);
    }
    if (rc == SKEIN_TIMEOUT) {
        skn_fail(&cli->err, rc, "the agents have not all answered in time");
        return (int)skn_hint(&cli->err, rc,
                             "The message stays, and they go on; see \"skein log\"");
    }
    if (rc)
        return (int)rc;
    if (a->fate.gone)
        return taken_away(cli, a);
    tell_paused(cli, s, a);
    skn_answers_end(a);
    if (a->failed && a->answered)
        return skn_status(cli, PARTLY);
    return a->failed ? none_answered(cli, a) : 0;
}

static int post_and_wait(skn_cli *cli, const sending *s, const skn_request_spec *post)
{
    skn_news    news;
    skn_answers answers;
    skn_str     events = skn_arena_printf(cli->keep, "events?chatId=%s",
                                          skn_client_encode(cli->keep, s->chat.uid));
    int         status;

    skn_news_init(&news, cli, &s->server);
    skn_answers_init(&answers, cli, &news);
    answers.where = (skn_waited){.world = skn_client_encode(cli->keep, s->world.name),
                                 .chat = skn_client_encode(cli->keep, s->chat.uid)};
    news.first = *post;
    news.again = (skn_request_spec){.method = "GET",
                                    .path = skn_world_path(cli, &s->world, events.p)};
    news.take = skn_answers_take;
    news.arg = &answers;
    skn_interrupt_arm(SIGINT);
    status = outcome(cli, s, &answers, wait_for_answers(cli, s, &news, &answers));
    skn_interrupt_disarm(SIGINT);
    skn_answers_release(&answers);
    skn_news_release(&news);
    return status;
}

static int send_it(skn_cli *cli, const sending *s)
{
    skn_request_spec post = {
        .method = "POST",
        .path = skn_world_path(cli, &s->world, "messages"),
        .body = skn_say_body(cli, &s->chat, &s->message, skn_say_client_id(cli), SKN_NONE)};

    if (skn_opt(cli, "no-wait"))
        return (int)post_only(cli, s, &post);
    return post_and_wait(cli, s, &post);
}

int skn_cmd_send(skn_cli *cli)
{
    sending  s = {.timeout_ms = -1};
    skein_rc rc = prepare(cli, &s);

    if (rc)
        return (int)rc;
    if (cli->dry_run) {
        skn_would(cli, "say %zu bytes in %.*s", s.message.content.n, SKN_FMT(s.chat.uid));
        return 0;
    }
    return s.served ? send_it(cli, &s) : (int)store_it(cli, &s);
}
