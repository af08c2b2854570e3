#include "cli/outlook.h"

#include "base/json.h"
#include "cli/busy.h"
#include "cli/far.h"
#include "cli/print.h"
#include "cli/waits.h"

#include <inttypes.h>

enum { QUEUED_SHOWN = 60 };

typedef struct outlook {
    int64_t waiting, every, next; /* messages, milliseconds, microseconds; 0: none */
    bool    paused;
} outlook;

/* A server tells it with the agent. */
static outlook far_outlook(skn_cli *cli, const skein_agent *agent)
{
    const skn_json *told;

    if (skn_json_parse(&told, agent->settings, "the agent", cli->keep, NULL))
        return (outlook){0};
    return (outlook){skn_far_int(told, "waitingMessages", 0), skn_far_int(told, "runEvery", 0),
                     skn_far_time(told, "nextRunAt"), skn_far_flag(told, "paused")};
}

static outlook outlook_of(skn_cli *cli, const skein_agent *agent, const skn_at_work *work)
{
    if (cli->far)
        return far_outlook(cli, agent);
    for (size_t i = 0; i < work->agent_count; i++) {
        const skein_agent_work *own = &work->agents[i];

        if (own->agent.v == agent->id.v)
            return (outlook){own->waiting, own->run_every, own->next_run_at, own->paused};
    }
    return (outlook){0};
}

int64_t skn_waiting_for(skn_cli *cli, const skein_agent *agent, const skn_at_work *work)
{
    return outlook_of(cli, agent, work).waiting;
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

static void print_timer(skn_cli *cli, const skein_agent *agent, const outlook *o)
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

void skn_print_outlook(skn_cli *cli, const skein_agent *agent, const skn_at_work *work,
                       const char *indent)
{
    outlook o = outlook_of(cli, agent, work);
    skn_str detail, state = skn_agent_state(work, agent->id, &detail);

    if (skn_str_is(state, "interrupted") || skn_str_is(state, "waiting")) {
        skn_print(cli, "%s%.*s  %.*s %.*s", indent, SKN_FMT(agent->name), SKN_FMT(state),
                  SKN_FMT(detail));
        skn_print_until(cli, skn_agent_until(work, agent->id));
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

static void waiting_json(skn_jw *w, const skein_agent *agent, const outlook *o)
{
    skn_jw_object(w);
    skn_jw_kstr(w, "agent", agent->name);
    skn_jw_kint(w, "messages", o->waiting);
    skn_jw_object_end(w);
}

static void timer_json(skn_jw *w, const skein_agent *agent, const outlook *o)
{
    skn_jw_object(w);
    skn_jw_kstr(w, "agent", agent->name);
    skn_jw_kint(w, "runEvery", o->every);
    skn_jw_ktime(w, "nextRunAt", o->next);
    skn_jw_object_end(w);
}

void skn_outlook_json(skn_cli *cli, skn_jw *w, const skein_agents *agents,
                      const skn_at_work *work)
{
    outlook o;

    skn_jw_key(w, "waiting");
    skn_jw_array(w);
    for (size_t i = 0; i < agents->count; i++)
        if ((o = outlook_of(cli, &agents->at[i], work)).waiting)
            waiting_json(w, &agents->at[i], &o);
    skn_jw_array_end(w);
    skn_jw_key(w, "timers");
    skn_jw_array(w);
    for (size_t i = 0; i < agents->count; i++)
        if ((o = outlook_of(cli, &agents->at[i], work)).every)
            timer_json(w, &agents->at[i], &o);
    skn_jw_array_end(w);
}

/* --- The queue of a conversation ----------------------------------------------------------------- */

static skein_rc far_queue(skn_cli *cli, skein_queue *out)
{
    skn_json_list list = {0};
    skein_rc rc = skn_far_all(cli, skn_arena_printf(cli->keep, "%s/queue", cli->far->chat).p, 0,
                              &list);

    *out = (skein_queue){.at = SKN_ARRAY(cli->keep, list.n + 1, skein_waiting)};
    for (size_t i = 0; !rc && i < list.n; i++)
        out->at[out->count++] = (skein_waiting){.uid = skn_far_text(list.p[i], "id"),
                                                .sender = skn_far_text(list.p[i], "sender"),
                                                .content = skn_far_text(list.p[i], "content")};
    return rc;
}

/* "ada and bo", who are at work there; a server says only that somebody is. */
static void print_busy(skn_cli *cli, const skein_conversation *chat)
{
    skein_turns turns = {0};
    bool        busy;

    if (cli->far || skn_chat_busy(cli, chat->id, cli->keep, &turns, &busy))
        turns.count = 0;
    for (size_t i = 0; i < turns.count; i++)
        skn_print(cli, "%s%.*s",
                  i == 0                 ? ""
                  : i + 1 == turns.count ? " and "
                                         : ", ",
                  SKN_FMT(turns.at[i].agent_name));
    skn_print(cli, turns.count == 1 ? " is done:\n"
                   : turns.count    ? " are done:\n"
                                    : "the agents are done:\n");
}

skein_rc skn_print_queue(skn_cli *cli, const skein_conversation *chat)
{
    skein_queue queue;
    skein_rc    rc = cli->far
                         ? far_queue(cli, &queue)
                         : skein_queue_list(cli->engine, chat->id, cli->keep, &queue, &cli->err);

    if (rc || !queue.count)
        return rc;
    skn_print(cli, "%zu message%s wait%s until ", queue.count, skn_plural((int64_t)queue.count),
              queue.count == 1 ? "s" : "");
    print_busy(cli, chat);
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
