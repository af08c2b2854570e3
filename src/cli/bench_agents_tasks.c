/* bench_agents_tasks.c: work that agents do by themselves: queued tasks, and delegations below each
 * other. */
#include "cli/bench_agents.h"

#include "base/clock.h"
#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>

#define FIRST_NUMBER 10000 /* of the tasks; smaller ones were asked before */

/* --- Tasks -------------------------------------------------------------------------------------- */

static skein_rc queue_tasks(skn_bench *b, const skn_bench_store *s)
{
    skein_agents agents;
    skein_rc rc = skein_agent_list(s->engine, s->world, b->cli->keep, &agents, &b->cli->err);

    for (int64_t i = 0; i < b->size.tasks && rc == SKEIN_OK; i++) {
        skein_task t = {.agent = agents.at[(size_t)i % agents.count].id};

        t.content = skn_arena_printf(b->cli->mem, SKN_BENCH_QUESTION "%" PRId64,
                                     FIRST_NUMBER + i);
        rc = skein_task_new(s->engine, &t, b->cli->mem, &b->cli->err);
        skein_mem_reset(b->cli->mem);
    }
    return rc;
}

/* How many are not done, or were tried in vain, and when the last one was. */
static skein_rc check_tasks(skn_bench *b, const skn_bench_store *s, int64_t *wrong,
                            int64_t *last)
{
    skn_arena   *a = b->cli->mem;
    skein_agents agents;
    skein_rc rc = skein_agent_list(s->engine, s->world, b->cli->keep, &agents, &b->cli->err);
    int64_t  right = 0;

    for (size_t i = 0; i < agents.count && rc == SKEIN_OK; i++) {
        skein_tasks tasks = {.count = 0};

        rc = skein_task_list(s->engine, agents.at[i].id, SKN_NONE, (size_t)b->size.tasks, a,
                             &tasks, &b->cli->err);
        for (size_t k = 0; k < tasks.count; k++) {
            right += skn_str_is(tasks.at[k].status, "completed") && tasks.at[k].attempts == 0;
            if (tasks.at[k].completed_at > *last)
                *last = tasks.at[k].completed_at;
        }
        skein_mem_reset(a);
    }
    *wrong = b->size.tasks - right;
    return rc;
}

static skein_rc task_rows(skn_bench *b, double seconds, int64_t wrong)
{
    skn_arena    *a = b->cli->keep;
    skn_str       n = skn_bench_count(a, b->size.tasks);
    skn_bench_row row = {.unit = "/s", .rounds = 1, .figure_min = 300};
    skein_rc      rc;

    row.what = skn_arena_printf(a, "%.*s queued tasks over %" PRId64 " agents", SKN_FMT(n),
                                b->size.workers)
                   .p;
    row.figure = (double)b->size.tasks / seconds;
    if ((rc = skn_bench_add(b, &row)))
        return rc;
    row = (skn_bench_row){.unit = "tasks", .rounds = 1, .figure_max = 1};
    row.what = skn_arena_printf(a, "%.*s queued tasks: not done once", SKN_FMT(n)).p;
    row.figure = (double)wrong;
    return skn_bench_add(b, &row);
}

/* They begin as soon as the server does. */
static skein_rc do_tasks(skn_bench *b, const skn_bench_store *s, const skn_bench_child *model,
                         int64_t *again)
{
    skn_bench_child server = {.pid = 0};
    skn_bench_seen  before, after;
    skein_rc        rc;

    if ((rc = skn_bench_model_seen(b, model, &before)) || (rc = skn_bench_serve(b, s, &server)))
        return rc;
    if (!(rc = skn_bench_wait_seen(b, model, 0, before.done + b->size.tasks, &after)) &&
        !(rc = skn_bench_wait_idle(b, s, &server)))
        rc = skn_bench_model_seen(b, model, &after);
    *again = after.again - before.again;
    skn_bench_stop(&server);
    return rc;
}

skein_rc skn_bench_agent_tasks(skn_bench *b, const skn_bench_child *model)
{
    skn_bench_crew  crew = {.name = "agent-tasks",
                            .agents = b->size.workers,
                            .model = SKN_BENCH_INSTANT,
                            .provider = model};
    skn_bench_store s;
    int64_t         began, last = 0, wrong = 0, again = 0;
    skein_rc        rc = skn_bench_make_crew(b, &crew, &s);

    if (rc)
        return rc;
    rc = queue_tasks(b, &s);
    skn_bench_close(&s);
    began = skn_clock_micros();
    if (rc || (rc = do_tasks(b, &s, model, &again)) || (rc = skn_bench_reopen(b, &s)))
        return rc;
    rc = check_tasks(b, &s, &wrong, &last);
    skn_bench_close(&s);
    return rc ? rc : task_rows(b, (double)(last - began) / 1e6, wrong + again);
}

/* --- Delegations --------------------------------------------------------------------------------- */

typedef struct digging {
    skn_bench_store store;
    skn_bench_child server;
    skn_samples     visit, get;
    size_t          levels;
} digging;

/* Everybody hands on what he is handed, until it is too deep. */
static const char script[] = "rules:\n"
                             "  - tool: delegate\n"
                             "    do: It is dug.\n"
                             "  - when: dig\n"
                             "    do:\n"
                             "      - call: delegate\n"
                             "        args: {task: dig}\n";

static skein_rc count_levels(skein_timelines *set, void *arg, skein_error *err)
{
    (void)err;
    *(size_t *)arg = skein_timelines_count(set);
    return SKEIN_OK;
}

/* By an engine that has not seen it before. */
static skein_rc visit_once(skn_bench *b, digging *d)
{
    int64_t  start;
    skein_rc rc = skn_bench_reopen(b, &d->store);

    if (rc)
        return rc;
    start = skn_clock_monotonic();
    rc = skein_timeline_visit(d->store.engine, d->store.chat, 0, count_levels, &d->levels,
                              &b->cli->err);
    skn_samples_add(&d->visit, skn_bench_since(start) * 1e3);
    skn_bench_close(&d->store);
    return rc;
}

static skein_rc get_once(skn_bench *b, digging *d)
{
    const char *path = skn_arena_printf(b->cli->keep, "/worlds/%.*s/chats/%.*s/timeline",
                                        SKN_FMT(d->store.world_name),
                                        SKN_FMT(d->store.chat_uid))
                           .p;
    int64_t         start = skn_clock_monotonic();
    skn_bench_reply r;
    skein_rc        rc = skn_bench_ask(b, &d->server, "GET", path, "", NULL, &r);

    skn_samples_add(&d->get, skn_bench_since(start) * 1e3);
    skein_mem_reset(b->cli->mem);
    return rc;
}

static skein_rc depth_rows(skn_bench *b, const digging *d)
{
    skn_arena    *a = b->cli->keep;
    skn_str       n = skn_bench_count(a, b->size.depth);
    skn_bench_row row = {.unit = "", .against = "wanted", .ratio_min = 1, .rounds = 1};
    skein_rc      rc;

    row.what = skn_arena_printf(a, "delegations below each other, %.*s", SKN_FMT(n)).p;
    row.figure = (double)d->levels - 1; /* the first is no delegation */
    row.reference = (double)b->size.depth;
    row.ratio = row.figure / row.reference;
    if ((rc = skn_bench_add(b, &row)))
        return rc;
    row = (skn_bench_row){.unit = "ms", .figure_max = 50};
    row.what = skn_arena_printf(a, "timeline of %.*s delegations", SKN_FMT(n)).p;
    if ((rc = skn_bench_compare(b, row, &d->visit, NULL)))
        return rc;
    row.what = skn_arena_printf(a, "GET timeline of %.*s delegations", SKN_FMT(n)).p;
    return skn_bench_compare(b, row, &d->get, NULL);
}

static skein_rc dig(skn_bench *b, digging *d)
{
    const char *path =
        skn_arena_printf(b->cli->keep, "/worlds/%.*s/messages", SKN_FMT(d->store.world_name)).p;
    skn_bench_reply r;
    skein_rc        rc;

    if ((rc = skn_bench_ask(b, &d->server, "POST", path, "", "{\"message\":\"@agent1 dig\"}",
                            &r)) ||
        (rc = skn_bench_wait_idle(b, &d->store, &d->server)))
        return rc;
    for (int i = 0; i < b->size.rounds && rc == SKEIN_OK; i++)
        if (!(rc = skn_bench_go_on(b)))
            rc = get_once(b, d);
    return rc;
}

static skein_rc make_digger(skn_bench *b, digging *d)
{
    skn_bench_crew     crew = {.name = "agent-depth", .agents = 1, .model = "demo/scripted"};
    skein_conversation chat;
    skein_rc           rc;

    crew.settings = skn_arena_printf(b->cli->keep,
                                     "{\"delegationDepth\":%" PRId64
                                     ",\"delegationsMost\":%" PRId64 "}",
                                     b->size.depth, 2 * b->size.depth)
                        .p;
    if ((rc = skn_bench_make_crew(b, &crew, &d->store)))
        return rc;
    rc = skein_chat_new(d->store.engine, d->store.world, SKN_STR("dig"), b->cli->keep, &chat,
                        &b->cli->err);
    d->store.chat = chat.id;
    d->store.chat_uid = chat.uid;
    skn_bench_close(&d->store);
    return rc;
}

skein_rc skn_bench_agent_depth(skn_bench *b)
{
    digging  d = {.levels = 0};
    skein_rc rc;

    if (!(rc = make_digger(b, &d)) &&
        !(rc = skn_bench_serve_script(b, &d.store, script, &d.server)))
        rc = dig(b, &d);
    skn_bench_stop(&d.server);
    for (int i = 0; i < b->size.rounds && rc == SKEIN_OK; i++)
        if (!(rc = skn_bench_go_on(b)))
            rc = visit_once(b, &d);
    return rc ? rc : depth_rows(b, &d);
}
