/* Messages that an agent was to answer and did not: who, when, and why. */
#include "cli/unanswered.h"

#include "cli/commands.h"
#include "cli/far_view.h"
#include "cli/outlook.h"
#include "cli/paste.h"

#define LOOK_BACK 50 /* it fails at one of its last messages */

skein_rc skn_deliveries_for(skn_cli *cli, const skein_conversation *chat, int64_t version,
                            const skein_messages *list, skein_mem *mem, skein_deliveries **out)
{
    *out = SKN_ARRAY(mem, list->count + 1, skein_deliveries);
    return list->count
               ? skein_deliveries_in(cli->engine, chat->id, version, list, mem, *out, &cli->err)
               : SKEIN_OK;
}

static bool has_failed(const skein_deliveries *d)
{
    for (size_t i = 0; i < d->count; i++)
        if (d->at[i].failed_at)
            return true;
    return false;
}

void skn_print_failure(skn_cli *cli, skn_str agent, int64_t failed_at, skn_str why)
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
            skn_print_failure(cli, d->at[i].agent, d->at[i].failed_at, d->at[i].error);
        if (d->at[i].stopped_at)
            print_stop(cli, d->at[i].agent, d->at[i].stopped_at);
    }
}

void skn_print_last_turn(skn_cli *cli, const skein_agent *agent)
{
    skn_doings     told = skn_doings_of(cli, agent);
    skein_delivery d = {.agent = agent->name,
                        .error = told.failure,
                        .failed_at = told.failed_at,
                        .stopped_at = told.stopped_at};

    skn_print_unanswered(cli, &(skein_deliveries){&d, 1});
}

/* The words of wire_words.c; the page looks for them too. */
const char *skn_again_option(skn_str why)
{
    return skn_str_find(why, SKN_STR("the model cannot use tools")) >= 0 ? " --no-tools" : "";
}

skn_str skn_again_command(skn_cli *cli, skn_str message, skn_str agent, skn_str lane,
                          skn_str why)
{
    return lane.n ? skn_arena_printf(cli->keep, "skein retry %.*s", SKN_FMT(lane))
                  : skn_arena_printf(cli->keep, "skein retry %.*s --agent %.*s%s",
                                     SKN_FMT(message), SKN_FMT(agent), skn_again_option(why));
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
            print_again(cli,
                        skn_again_command(cli, m->uid, d->at[i].agent, lane, d->at[i].error));
}

void skn_print_stopped_again(skn_cli *cli, const skein_message *m, skn_str lane)
{
    if (m->unfinished == SKEIN_STOPPED && (m->reply_to.n || lane.n))
        print_again(cli, skn_again_command(cli, m->reply_to, m->sender, lane, SKN_NONE));
}

skein_rc skn_print_lane_failure(skn_cli *cli, const skein_conversation *chat,
                                const skein_lane *lane)
{
    const skn_json  *page, *list, *last = NULL;
    skein_message    m;
    skein_deliveries d;
    skein_rc         rc;

    if (lane->state != SKEIN_LANE_FAILED)
        return SKEIN_OK;
    rc = skn_far_get(cli, &page,
                     "%s/threads/%s/messages?delegation=%s&failed=true&from=-%d&limit=%d",
                     cli->door->chat, skn_far_part(cli, chat->thread_uid),
                     skn_far_part(cli, lane->key), LOOK_BACK, LOOK_BACK);
    list = rc ? NULL : skn_json_get(page, "data");
    for (const skn_json *v = list ? list->first : NULL; v; v = v->next) {
        skn_far_read_message(cli, v, &m, NULL, &d);
        last = has_failed(&d) ? v : last;
    }
    if (last) {
        skn_far_read_message(cli, last, &m, NULL, &d);
        skn_print_unanswered(cli, &d);
    }
    return rc;
}
