#include "cli/await.h"

#include "base/error.h"
#include "cli/commands.h"
#include "cli/door.h"
#include "cli/input.h"
#include "cli/print.h"

#include <signal.h>

#define OPEN_MS      10000
#define SOON_MS      500 /* a message that is not said by then waits in the queue */
#define PARTLY       7
#define INTERRUPTED  130
#define TIMEOUT_MOST ((int64_t)7 * 86400)

skein_rc skn_await_timeout(skn_cli *cli, int64_t *out)
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
    return skn_fail_hint(&cli->err, SKEIN_USAGE, "Times look like 120s, 2m or 500ms",
                         "\"%s\" is not a time for \"--timeout\"", text);
}

void skn_await_init(skn_await *w, skn_cli *cli, const skein_world *world,
                    const skein_conversation *chat, const skn_server *server)
{
    skn_str events = skn_arena_printf(cli->keep, "events?chatId=%s",
                                      skn_client_encode(cli->keep, chat->uid));

    *w = (skn_await){.cli = cli, .world = world->id, .chat = chat->id};
    skn_news_init(&w->news, cli, server);
    skn_answers_init(&w->answers, cli, &w->news);
    w->answers.watched = true;
    w->news.again = (skn_request_spec){.method = "GET",
                                       .path = skn_world_path(cli, world, events.p)};
    w->news.first = w->news.again;
    w->news.take = skn_answers_take;
    w->news.arg = &w->answers;
    skn_interrupt_arm(SIGINT);
}

void skn_await_release(skn_await *w)
{
    skn_interrupt_disarm(SIGINT);
    skn_answers_release(&w->answers);
    skn_news_release(&w->news);
}

/* --- Before the message is known ------------------------------------------------------------ */

static skein_rc take_open(void *arg, const skn_news_item *item)
{
    skn_await *w = arg;

    w->news.over |= skn_str_is(item->type, "stream.open");
    return SKEIN_OK;
}

/* The connection ends with that; the next one begins where it ended. */
skein_rc skn_await_open(skn_await *w)
{
    skein_rc rc;

    w->news.take = take_open;
    w->news.arg = w;
    rc = skn_news_wait(&w->news, OPEN_MS);
    if (rc == SKEIN_NOTHING)
        rc = skn_fail(&w->cli->err, rc, "interrupted; nothing was changed");
    w->news.over = false;
    w->news.take = skn_answers_take;
    w->news.arg = &w->answers;
    return rc;
}

void skn_await_message(skn_await *w, skn_str uid)
{
    w->answers.message = uid;
    w->answers.said = true;
}

/* --- What became of it ---------------------------------------------------------------------- */

/* A message that is not said at once waits behind the work of agents; then that is told. */
static skein_rc wait_for_them(skn_await *w, int64_t timeout_ms)
{
    skn_cli *cli = w->cli;
    int64_t  first = timeout_ms, left = timeout_ms;
    skein_rc rc;

    if (first < 0 || first > SOON_MS)
        first = SOON_MS;
    rc = skn_news_wait(&w->news, first);
    if (rc != SKEIN_TIMEOUT || first == left)
        return rc;
    if (w->answers.message.p && !w->answers.said)
        skn_note_queued(cli);
    cli->err = (skein_error){.rc = SKEIN_OK};
    return skn_news_wait(&w->news, left < 0 ? -1 : left - first);
}

static void tell_resting(skn_cli *cli, skn_answers *a, skn_str agent)
{
    if (!skn_answers_waits(a, agent))
        return;
    a->resting++;
    skn_note(cli, "%.*s is paused: the message waits. skein agent resume %.*s", SKN_FMT(agent),
             SKN_FMT(agent));
}

static void tell_alone(skn_cli *cli)
{
    skn_note(cli,
             "This world has no agents, so nobody answers. Add an agent with \"skein agent "
             "new NAME\".");
}

/* Who is paused begins nothing: nobody who waits is told of it by what happens. */
static void tell_paused(skn_cli *cli, skn_answers *a)
{
    skn_json_list list = {0};
    skein_error   err = cli->err;

    if (skn_door_all(cli, skn_arena_printf(cli->keep, "%s/agents", cli->door->world).p, 0,
                     &list))
        cli->err = err;
    for (size_t i = 0; i < list.n; i++)
        if (skn_door_flag(list.p[i], "paused"))
            tell_resting(cli, a, skn_door_text(list.p[i], "name"));
    if (!list.n && cli->err.rc == err.rc)
        tell_alone(cli);
}

static skein_rc none_answered(skn_cli *cli, const skn_answers *a)
{
    if (a->keyless < a->failed)
        return skn_fail(&cli->err, SKEIN_PROVIDER, "nobody could answer");
    return skn_fail(&cli->err, SKEIN_AUTH, "nobody could answer: a key is needed");
}

/* Somebody else changed the conversation meanwhile, and nobody answers it any more. */
static skein_rc taken_away(skn_cli *cli, const skn_answers *a)
{
    const skn_fate *f = &a->fate;

    skn_fail(&cli->err, SKEIN_CONFLICT, "the message %.*s",
             SKN_FMT(skn_fate_text(cli->keep, f, a->message)));
    if (f->unsaid)
        return skn_hint(&cli->err, SKEIN_CONFLICT, "It was not said; send it again");
    if (!f->version.n)
        return skn_hint(&cli->err, SKEIN_CONFLICT,
                        "\"skein conv ls --archived\" lists what can be brought back");
    if (f->left)
        return skn_hint(
            &cli->err, SKEIN_CONFLICT,
            "\"skein history\" lists the versions, and \"skein switch\" goes to one");
    return skn_hint(&cli->err, SKEIN_CONFLICT,
                    "Now at %.*s, see \"skein log\"; \"skein undo\" takes that back",
                    SKN_FMT(f->version));
}

static skein_rc outcome(skn_await *w, skein_rc rc)
{
    skn_cli     *cli = w->cli;
    skn_answers *a = &w->answers;

    skn_answers_break(a);
    if (rc == SKEIN_NOTHING) {
        skn_note(cli, "\nStopped waiting. %s",
                 a->message.p ? "The message stays, and the agents go on."
                              : "The message may have been sent.");
        return skn_status(cli, INTERRUPTED);
    }
    if (rc == SKEIN_TIMEOUT)
        return skn_fail_hint(&cli->err, rc,
                                  "The message stays, and they go on; see \"skein log\"",
                                  "the agents have not all answered in time");
    if (rc)
        return rc;
    if (a->fate.gone)
        return taken_away(cli, a);
    tell_paused(cli, a);
    skn_answers_end(a);
    if (a->failed && a->answered)
        return skn_status(cli, PARTLY);
    return a->failed ? none_answered(cli, a) : SKEIN_OK;
}

skein_rc skn_await_answers(skn_await *w, int64_t timeout_ms)
{
    return outcome(w, wait_for_them(w, timeout_ms));
}
