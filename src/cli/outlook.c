#include "cli/outlook.h"

#include "base/json.h"
#include "cli/busy.h"
#include "cli/far.h"
#include "cli/print.h"
#include "cli/waits.h"

#include <inttypes.h>

enum { QUEUED_SHOWN = 60 };

skn_doings skn_doings_of(skn_cli *cli, const skein_agent *agent)
{
    const skn_json *told;

    if (skn_json_parse(&told, agent->settings, "the agent", cli->keep, NULL))
        return (skn_doings){.state = SKN_STR("idle")};
    return (skn_doings){.state = skn_far_text(told, "state"),
                        .detail = skn_far_text(told, "detail"),
                        .inbox_uid = skn_far_text(told, "inboxId"),
                        .failure = skn_far_text(told, "failure"),
                        .until = skn_far_time(told, "until"),
                        .failed_at = skn_far_time(told, "failedAt"),
                        .stopped_at = skn_far_time(told, "stoppedAt"),
                        .pending = skn_far_int(told, "pendingTasks", 0),
                        .waiting = skn_far_int(told, "waitingMessages", 0),
                        .every = skn_far_int(told, "runEvery", 0),
                        .next = skn_far_time(told, "nextRunAt"),
                        .paused = skn_far_flag(told, "paused")};
}

/* 900000 -> "15 min". */
static void print_every(skn_cli *cli, int64_t ms)
{
    static const struct {
        const char *name;
        int64_t     ms;
    } units[] = {{"d", 86400000}, {"h", 3600000}, {"min", 60000}, {"s", 1000}, {"ms", 1}};
    size_t u = 0;

    while (ms % units[u].ms)
        u++;
    skn_print(cli, "%" PRId64 " %s", ms / units[u].ms, units[u].name);
}

static void print_timer(skn_cli *cli, const skein_agent *agent, const skn_doings *o)
{
    skn_print_sender(cli, agent->name, 0);
    skn_print(cli, " wakes every ");
    print_every(cli, o->every);
    if (o->paused) {
        skn_print(cli, ", but is paused");
    } else if (o->next) {
        skn_print(cli, ", next at ");
        skn_print_time(cli, o->next);
    }
    skn_print(cli, "\n");
}

void skn_print_doing(skn_cli *cli, const skn_doings *d)
{
    skn_print(cli, "  %.*s%s%.*s", SKN_FMT(d->state), d->detail.n ? " " : "",
              SKN_FMT(d->detail));
    skn_print_until(cli, d->until);
}

void skn_print_outlook(skn_cli *cli, const skein_agent *agent, const char *indent)
{
    skn_doings o = skn_doings_of(cli, agent);

    if (skn_str_is(o.state, "interrupted") || skn_str_is(o.state, "waiting")) {
        skn_print(cli, "%s%.*s", indent, SKN_FMT(agent->name));
        skn_print_doing(cli, &o);
        skn_print(cli, "\n");
    }
    if (o.waiting)
        skn_print(cli, "%s%" PRId64 " message%s wait%s until %.*s is done\n", indent, o.waiting,
                  skn_plural(o.waiting), o.waiting == 1 ? "s" : "", SKN_FMT(agent->name));
    if (o.every) {
        skn_print(cli, "%s", indent);
        print_timer(cli, agent, &o);
    }
}

/* --- For programs ------------------------------------------------------------------------------ */

static void waiting_json(skn_jw *w, const skein_agent *agent, const skn_doings *o)
{
    skn_jw_object(w);
    skn_jw_kstr(w, "agent", agent->name);
    skn_jw_kint(w, "messages", o->waiting);
    skn_jw_object_end(w);
}

static void timer_json(skn_jw *w, const skein_agent *agent, const skn_doings *o)
{
    skn_jw_object(w);
    skn_jw_kstr(w, "agent", agent->name);
    skn_jw_kint(w, "runEvery", o->every);
    skn_jw_ktime(w, "nextRunAt", o->next);
    skn_jw_object_end(w);
}

void skn_outlook_json(skn_cli *cli, skn_jw *w, const skein_agents *agents)
{
    skn_doings o;

    skn_jw_key(w, "waiting");
    skn_jw_array(w);
    for (size_t i = 0; i < agents->count; i++)
        if ((o = skn_doings_of(cli, &agents->at[i])).waiting)
            waiting_json(w, &agents->at[i], &o);
    skn_jw_array_end(w);
    skn_jw_key(w, "timers");
    skn_jw_array(w);
    for (size_t i = 0; i < agents->count; i++)
        if ((o = skn_doings_of(cli, &agents->at[i])).every)
            timer_json(w, &agents->at[i], &o);
    skn_jw_array_end(w);
}

/* --- The queue of a conversation ----------------------------------------------------------------- */

/* "ada and bo", who are at work there. */
static void print_busy(skn_cli *cli)
{
    skn_json_list turns = {0};

    skn_turns_here(cli, &turns);
    for (size_t i = 0; i < turns.n; i++)
        skn_print(cli, "%s%.*s",
                  i == 0             ? ""
                  : i + 1 == turns.n ? " and "
                                     : ", ",
                  SKN_FMT(skn_far_text(turns.p[i], "agent")));
    skn_print(cli, turns.n == 1 ? " is done:\n"
                   : turns.n    ? " are done:\n"
                                : "the agents are done:\n");
}

skein_rc skn_print_queue(skn_cli *cli)
{
    skein_queue queue;
    skein_rc    rc = skn_far_queue(cli, &queue);

    if (rc || !queue.count)
        return rc;
    skn_print(cli, "%zu message%s wait%s until ", queue.count, skn_plural((int64_t)queue.count),
              queue.count == 1 ? "s" : "");
    print_busy(cli);
    for (size_t i = 0; i < queue.count; i++) {
        skn_print_raw(cli, SKN_STR("  "));
        skn_print_id(cli, queue.at[i].uid);
        skn_print_raw(cli, SKN_STR("  "));
        skn_print_sender(cli, queue.at[i].sender, 0);
        skn_print_raw(cli, SKN_STR("  "));
        skn_print_line(cli, queue.at[i].content, QUEUED_SHOWN);
        skn_print_raw(cli, SKN_STR("\n"));
    }
    return SKEIN_OK;
}
