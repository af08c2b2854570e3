/* Messages that an agent was to answer and did not: who, when, and why. */
#include "cli/unanswered.h"
#include "cli/say.h"

#include <inttypes.h>
#include <time.h>

#define LOOK_BACK 50 /* it fails at one of its last messages */

static bool has_failed(const skein_deliveries *d)
{
    for (size_t i = 0; i < d->count; i++)
        if (d->at[i].failed_at)
            return true;
    return false;
}

/* Such a line: what this agent failed with. */
static void print_failure(skn_cli *cli, skn_str agent, int64_t failed_at, skn_str why)
{
    skn_print_raw(cli, SKN_STR("    ✕ "));
    skn_print_sender(cli, agent, 0);
    skn_print_raw(cli, SKN_STR(" failed at "));
    skn_print_time(cli, failed_at);
    skn_print_raw(cli, SKN_STR(": "));
    skn_print_told(cli, why);
    skn_print_raw(cli, SKN_STR("\n"));
}

static void print_stop(skn_cli *cli, skn_str agent, int64_t stopped_at)
{
    skn_print_raw(cli, SKN_STR("    ✕ "));
    skn_print_sender(cli, agent, 0);
    skn_print_raw(cli, SKN_STR(" was stopped before it answered, at "));
    skn_print_time(cli, stopped_at);
    skn_print_raw(cli, SKN_STR("\n"));
}

bool skn_is_unanswered(const skein_delivery *d)
{
    return d->failed_at || d->stopped_at;
}

void skn_print_unanswered(skn_cli *cli, const skein_deliveries *d)
{
    for (size_t i = 0; i < d->count; i++) {
        if (d->at[i].failed_at)
            print_failure(cli, d->at[i].agent, d->at[i].failed_at, d->at[i].error);
        if (d->at[i].stopped_at)
            print_stop(cli, d->at[i].agent, d->at[i].stopped_at);
    }
}

void skn_print_last_turn(skn_cli *cli, const skn_json *agent)
{
    skein_delivery d = {.agent = skn_json_str(agent, "name"),
                        .error = skn_json_str(agent, "failure"),
                        .failed_at = skn_door_time(agent, "failedAt"),
                        .stopped_at = skn_door_time(agent, "stoppedAt")};

    skn_print_unanswered(cli, &(skein_deliveries){&d, 1});
}

skn_str skn_again_command(skn_cli *cli, skn_str message, skn_str agent, skn_str lane)
{
    return lane.n ? skn_arena_printf(cli->keep, "skein retry %.*s", SKN_FMT(lane))
                  : skn_arena_printf(cli->keep, "skein retry %.*s --agent %.*s",
                                     SKN_FMT(message), SKN_FMT(agent));
}

static void print_again(skn_cli *cli, skn_str command)
{
    skn_print_raw(cli, SKN_STR("      ask again: "));
    skn_print_told(cli, command);
    skn_print_raw(cli, SKN_STR("\n"));
}

void skn_print_again(skn_cli *cli, const skein_message *m, const skein_deliveries *d,
                     skn_str lane)
{
    for (size_t i = 0; i < d->count; i++)
        if (skn_is_unanswered(&d->at[i]))
            print_again(cli, skn_again_command(cli, m->uid, d->at[i].agent, lane));
}

void skn_print_stopped_again(skn_cli *cli, const skein_message *m, skn_str lane)
{
    if (m->unfinished == SKEIN_STOPPED && (m->reply_to.n || lane.n))
        print_again(cli, skn_again_command(cli, m->reply_to, m->sender, lane));
}

skein_rc skn_print_lane_failure(skn_cli *cli, const skein_conversation *chat,
                                const skn_json *lane)
{
    const skn_json  *page, *last = NULL;
    skein_message    m;
    skein_deliveries d;
    skein_rc         rc;

    if (!skn_is(lane, "state", "failed"))
        return SKEIN_OK;
    rc = skn_door_get(
        cli, &page, "%s/threads/%s/messages?delegation=%s&failed=true&from=-%d&limit=%d",
        cli->door->chat, skn_door_part(cli, chat->thread_uid),
        skn_door_part(cli, skn_json_str(lane, "delegationId")), LOOK_BACK, LOOK_BACK);
    for (const skn_json *v = rc ? NULL : skn_first(page, "data"); v; v = v->next) {
        skn_door_read_message(cli, v, &m, NULL, &d);
        last = has_failed(&d) ? v : last;
    }
    if (last) {
        skn_door_read_message(cli, last, &m, NULL, &d);
        skn_print_unanswered(cli, &d);
    }
    return rc;
}

#define MARKS_PAGE 5000 /* most of them are left out */

struct skn_marks {
    skn_cli *cli;
    skn_map *of; /* skein_deliveries by message */
};

static void take_item(void *arg, skn_cli *look, const skn_json *item)
{
    const skn_marks  *marks = arg;
    skn_arena        *a = marks->cli->keep;
    skein_deliveries *own = SKN_NEW(a, skein_deliveries), d;
    skein_message     m;

    skn_door_read_message(look, item, &m, NULL, &d);
    own->at = SKN_ARRAY(a, d.count + 1, skein_delivery);
    for (size_t i = 0; i < d.count; i++)
        if (skn_is_unanswered(&d.at[i])) {
            skein_delivery *to = &own->at[own->count++];

            *to = d.at[i];
            to->agent = skn_arena_copy(a, to->agent);
            to->error = skn_arena_copy(a, to->error);
        }
    *skn_map_slot(marks->of, skn_arena_copy(a, m.uid)) = own;
}

skein_rc skn_marks_read(skn_cli *cli, skn_str thread, skn_marks **out)
{
    const char *path = skn_arena_text(cli->keep, "%s/threads/%s/messages?failed=true",
                                      cli->door->chat, skn_door_part(cli, thread));

    *out = SKN_NEW(cli->keep, skn_marks);
    **out = (skn_marks){cli, skn_map_new(cli->keep)};
    return skn_door_each(cli, path, MARKS_PAGE, take_item, *out);
}

void skn_print_marks(skn_cli *cli, const skn_marks *marks, skn_str message)
{
    const skein_deliveries *own = message.n ? skn_map_get(marks->of, message) : NULL;

    if (own)
        skn_print_unanswered(cli, own);
}

#define LOOK_MS    100
#define SHOWN_MOST 3

/* Work that waits counts like work under way. A turn whose program has died keeps nobody waiting: its lease runs out, and
 * where no server looks for that, who waits does. */
skein_rc skn_wait_idle(skn_cli *cli)
{
    const struct timespec nap = {.tv_nsec = LOOK_MS * 1000000L};
    skein_engine         *here = cli->door->server.engine;
    skein_mem            *mem = skein_mem_new();
    const skn_json       *status;
    int64_t               closed;
    skein_rc              rc;

    for (;;) {
        skn_door_question q;
        skn_cli          *look = skn_door_ask_apart(cli, mem, &q);

        rc = skn_door_get(look, &status, "%s/status?chatId=%s", cli->door->world,
                          skn_door_part(look, cli->door->chat_uid));
        cli->err = q.cli.err;
        if (rc || !skn_door_flag(status, "isProcessing") ||
            (here && (rc = skein_turns_recover(here, false, &closed, &cli->err))))
            break;
        nanosleep(&nap, NULL);
        skein_mem_reset(mem);
    }
    skein_mem_free(mem);
    return rc;
}

/* "lead is answering b7c8d9e0f1 (4 s)", for those that fit. */
static void who(const skn_json *busy, skn_buf *out)
{
    size_t i = 0;

    for (const skn_json *t = busy->first; t && i < SHOWN_MOST; t = t->next)
        skn_buf_addf(out, "%s%.*s is answering %.*s (%" PRId64 " s)", i++ ? ", " : "",
                     SKN_FMT(skn_json_str(t, "agent")), SKN_FMT(skn_json_str(t, "messageId")),
                     skn_door_int(t, "sinceMs", 0) / 1000);
    if (busy->count > SHOWN_MOST)
        skn_buf_addf(out, " and %" PRIu32 " more", busy->count - SHOWN_MOST);
    if (!busy->count)
        skn_buf_add(out, SKN_STR("agents have to answer"));
}

/* Of something that goes, there is nobody to name but those that the failure names. */
static void advise_force(skn_cli *cli)
{
    if (cli->command && cli->command->options &&
        skn_option_find(cli->command->options, SKN_STR("force"), 0))
        skn_hint(&cli->err, SKEIN_AT_WORK,
                 "Wait until they are done, stop them with \"skein stop\", or give --force");
}

/* The failure tells who is at work. */
static const skn_json *busy_of(skn_cli *cli)
{
    const skn_json *v;
    skn_str         text = skn_arena_printf(cli->keep, "{%.*s}", SKN_FMT(cli->more.extra));

    if (!cli->more.extra.n || skn_json_parse(&v, text, "who is busy", cli->keep, NULL))
        return NULL;
    return skn_json_get(v, "busy");
}

void skn_busy_explain(skn_cli *cli)
{
    const skn_json *busy = busy_of(cli);
    skn_buf         names;

    if (!busy || !cli->changing_world) {
        advise_force(cli);
        return;
    }
    skn_buf_init(&names, sizeof cli->err.message);
    who(busy, &names);
    skn_fail(&cli->err, SKEIN_AT_WORK, "%s is busy: %.*s", cli->changing_world,
             SKN_FMT(skn_buf_str(&names)));
    skn_hint(&cli->err, SKEIN_AT_WORK, "Wait with --wait, or stop them: skein stop -w %s",
             cli->changing_world);
    skn_buf_release(&names);
}
