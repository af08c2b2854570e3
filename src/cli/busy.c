#include "cli/busy.h"

#include "base/clock.h"
#include "base/error.h"
#include "cli/discover.h"

#include <inttypes.h>
#include <time.h>

#define LOOK_MS    100
#define DUES_MOST  10000
#define SHOWN_MOST 3

skein_rc skn_chat_busy(skn_cli *cli, skein_conversation_id chat, skein_mem *mem,
                       skein_turns *turns, bool *busy)
{
    skein_dues dues;
    skein_rc   rc;

    if ((rc = skein_work_now(cli->engine, (skein_world_id){0}, chat, DUES_MOST, mem, turns,
                             &dues, &cli->err)))
        return rc;
    *busy = turns->count > 0;
    for (size_t i = 0; i < dues.count && !*busy; i++)
        *busy = dues.at[i].chat.v == chat.v;
    return SKEIN_OK;
}

/* Who speaks for agents on a store that is a file says so beside it: without that, whatever is open was left. Elsewhere
 * somebody on another computer may be at it, whom only the lease tells of. */
static int64_t left_before(skn_cli *cli, int64_t now)
{
    skein_error before = cli->err;
    skn_traces  traces;

    if (skn_traces_of(cli,
                      &traces)) { /* nothing is written beside a store that has no place here */
        cli->err = before;
        return now;
    }
    if (skn_lock_holder(traces.lock))
        return 0;
    return traces.backups ? INT64_MAX : now;
}

skein_rc skn_at_work_in(skn_cli *cli, skein_world_id world, skn_at_work *out)
{
    skein_agents      agents;
    skein_agent_work *work;
    skein_rc          rc;

    *out = (skn_at_work){.now = skn_clock_micros()};
    if (cli->far) /* a server tells it with each agent */
        return SKEIN_OK;
    out->left_before = left_before(cli, out->now);
    if ((rc = skein_agent_list(cli->engine, world, cli->keep, &agents, &cli->err)))
        return rc;
    work = SKN_ARRAY(cli->keep, agents.count + 1, skein_agent_work);
    if ((rc = skein_agent_work_of(cli->engine, &agents, cli->keep, work, &cli->err)))
        return rc;
    out->agents = work;
    out->agent_count = agents.count;
    return skein_work_now(cli->engine, world, (skein_conversation_id){0}, DUES_MOST, cli->keep,
                          &out->turns, &out->dues, &cli->err);
}

/* A turn whose program has died keeps nobody waiting: its lease runs out. */
skein_rc skn_wait_idle(skn_cli *cli, skein_conversation_id chat)
{
    const struct timespec nap = {.tv_nsec = LOOK_MS * 1000000L};
    skein_mem            *mem = skein_mem_new();
    skein_turns           turns;
    int64_t               closed;
    bool                  busy = true;
    skein_rc              rc;

    while (!(rc = skn_chat_busy(cli, chat, mem, &turns, &busy)) && busy) {
        if (turns.count && (rc = skein_turns_recover(cli->engine, false, &closed, &cli->err)))
            break;
        nanosleep(&nap, NULL);
        skein_mem_reset(mem);
    }
    skein_mem_free(mem);
    return rc;
}

/* "lead is answering b7c8d9e0f1 (4 s)", for those that fit. */
static void who(const skein_turns *turns, skn_buf *out)
{
    int64_t now = skn_clock_micros();

    for (size_t i = 0; i < turns->count && i < SHOWN_MOST; i++) {
        const skein_turn *t = &turns->at[i];
        int64_t           seconds = now > t->since ? (now - t->since) / 1000000 : 0;

        skn_buf_addf(out, "%s%.*s is answering %.*s (%" PRId64 " s)", i ? ", " : "",
                     SKN_FMT(t->agent_name), SKN_FMT(t->trigger_uid), seconds);
    }
    if (turns->count > SHOWN_MOST)
        skn_buf_addf(out, " and %zu more", turns->count - SHOWN_MOST);
    if (!turns->count)
        skn_buf_add(out, SKN_STR("agents have to answer"));
}

static void in_json(skn_cli *cli, const skein_turns *turns)
{
    skn_buf b;
    skn_jw  w;

    skn_buf_init(&b, (size_t)1 << 20);
    skn_buf_add(&b, SKN_STR("\"busy\":"));
    skn_jw_init(&w, &b);
    skn_shape_busy(&w, turns, skn_clock_micros());
    if (!b.over)
        cli->more.extra = skn_arena_copy(cli->keep, skn_buf_str(&b));
    skn_buf_release(&b);
}

/* Of something that goes, there is nobody to name but those that the failure names. */
static void advise_force(skn_cli *cli)
{
    if (cli->command && cli->command->options &&
        skn_option_find(cli->command->options, SKN_STR("force"), 0))
        skn_hint(&cli->err, SKEIN_AT_WORK,
                 "Wait until they are done, stop them with \"skein stop\", or give --force");
}

void skn_busy_explain(skn_cli *cli)
{
    skein_error err = cli->err;
    skein_turns turns;
    skn_buf     names;
    bool        busy;

    if (cli->far || !cli->changing.v ||
        skn_chat_busy(cli, cli->changing, cli->keep, &turns, &busy)) {
        cli->err = err;
        advise_force(cli);
        return;
    }
    if (!busy)
        return;
    skn_buf_init(&names, sizeof err.message);
    who(&turns, &names);
    in_json(cli, &turns);
    skn_fail(&cli->err, SKEIN_AT_WORK, "%s is busy: %.*s", cli->changing_world,
             SKN_FMT(skn_buf_str(&names)));
    skn_hint(&cli->err, SKEIN_AT_WORK, "Wait with --wait, or stop them: skein stop -w %s",
             cli->changing_world);
    skn_buf_release(&names);
}
