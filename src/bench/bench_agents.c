/* bench_agents.c: agents at work: worlds for them, and waiting until they are done. */
#include "bench/bench_agents.h"
#include "base/clock.h"
#include "base/error.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LOOK_MS    10
#define LONGEST_S  300   /* that something may take before it is given up */
#define NEVER      10000 /* messages before a summary: it would be one more question */
#define TURN_LIMIT 1000

/* --- Worlds --------------------------------------------------------------------------------------- */

static skein_rc make_agents(skn_bench *b, const skn_bench_crew *crew, const skn_bench_store *s)
{
    skein_rc rc = SKEIN_OK;

    for (int64_t i = 0; i < crew->agents && rc == SKEIN_OK; i++) {
        skein_agent a = {.world = s->world,
                         .name = skn_arena_printf(b->cli->mem, "agent%" PRId64, i + 1),
                         .model = skn_str_of(crew->model)};

        rc = skein_agent_new(s->engine, &a, b->cli->mem, &b->cli->err);
        skein_mem_reset(b->cli->mem);
    }
    return rc;
}

static skein_rc make_provider(skn_bench *b, const skn_bench_crew *crew,
                              const skn_bench_store *s)
{
    skein_setting one = {.key = SKN_STR("providers")};

    if (!crew->provider)
        return SKEIN_OK;
    one.value = skn_arena_printf(b->cli->mem,
                                 "{\"bench\":{\"type\":\"openai-compatible\",\"baseUrl\":"
                                 "\"http://127.0.0.1:%d/v1\",\"consent\":true}}",
                                 crew->provider->port);
    return skein_setting_put(s->engine, &one, 1, &b->cli->err);
}

/* Makes a store for them; it stays open. */
static skein_rc bench_make_crew(skn_bench *b, const skn_bench_crew *crew, skn_bench_store *out)
{
    skein_world_change how = {.turn_limit = TURN_LIMIT, .compact_at = NEVER};
    skein_world        world;
    skein_rc           rc = skn_bench_open(b, crew->name, 0, out);

    if (rc)
        return rc;
    how.id = out->world;
    if (crew->settings)
        how.settings = skn_str_of(crew->settings);
    if ((rc = skein_world_patch(out->engine, &how, b->cli->mem, &world, &b->cli->err)) ||
        (rc = make_provider(b, crew, out)) || (rc = make_agents(b, crew, out)))
        skn_bench_close(out);
    return rc;
}

/* Opens a store again that was closed. */
static skein_rc bench_reopen(skn_bench *b, skn_bench_store *s)
{
    skein_options options = SKEIN_OPTIONS_INIT;

    options.store = skn_str_of(s->address);
    return skein_open(&s->engine, &options, &b->cli->err);
}

/* --- Waiting ---------------------------------------------------------------------------------------- */

static skein_rc look_again(skn_bench *b, int64_t began)
{
    if (skn_bench_since(began) > LONGEST_S)
        return skn_fail(&b->cli->err, SKEIN_FAILED,
                        "the agents that are measured are not done");
    poll(NULL, 0, LOOK_MS);
    return skn_bench_go_on(b);
}

/* Until nobody is at work in the world. */
static skein_rc bench_wait_idle(skn_bench *b, const skn_bench_store *s,
                                const skn_bench_child *server)
{
    const char *path =
        skn_arena_printf(b->cli->keep, "/worlds/%.*s/status", SKN_FMT(s->world_name)).p;
    int64_t         began = skn_clock_monotonic();
    skn_bench_reply r;
    skein_rc        rc;
    bool            idle = false;

    while (!idle) {
        if ((rc = skn_bench_ask(b, server, "GET", path, "", NULL, &r)))
            return rc;
        idle = skn_str_find(r.body, SKN_STR("\"isProcessing\":false")) >= 0;
        skein_mem_reset(b->cli->mem);
        if (!idle && (rc = look_again(b, began)))
            return rc;
    }
    return SKEIN_OK;
}

/* Until the provider has begun (or ended) so many more answers. */
static skein_rc bench_wait_seen(skn_bench *b, const skn_bench_child *model, int64_t open,
                                int64_t done, skn_bench_seen *out)
{
    int64_t  began = skn_clock_monotonic();
    skein_rc rc = skn_bench_model_seen(b, model, out);

    while (rc == SKEIN_OK && (out->open < open || out->done < done))
        if (!(rc = look_again(b, began)))
            rc = skn_bench_model_seen(b, model, out);
    return rc;
}

/* --- All of it ---------------------------------------------------------------------------------------- */

static skein_rc bench_agent_streams(skn_bench *b, const skn_bench_child *model);
static skein_rc bench_agent_tasks(skn_bench *b, const skn_bench_child *model);
static skein_rc bench_agent_turns(skn_bench *b, const skn_bench_child *model);
static skein_rc bench_agent_depth(skn_bench *b);

skein_rc skn_bench_agents(skn_bench *b)
{
    skn_bench_child model = {.pid = 0};
    skein_rc        rc = skn_bench_model(b, b->size.turns, b->size.chunks, &model);

    if (rc == SKEIN_OK && !(rc = bench_agent_streams(b, &model)) &&
        !(rc = bench_agent_turns(b, &model)) && !(rc = bench_agent_tasks(b, &model)))
        rc = bench_agent_depth(b);
    skn_bench_stop(&model);
    return rc;
}

/* Work that agents do by themselves: queued tasks, and delegations below each
 * other. */

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

/* How many are not done, or failed, and when the last one was. */
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
    if (!(rc = bench_wait_seen(b, model, 0, before.done + b->size.tasks, &after)) &&
        !(rc = bench_wait_idle(b, s, &server)))
        rc = skn_bench_model_seen(b, model, &after);
    *again = after.again - before.again;
    skn_bench_stop(&server);
    return rc;
}

static skein_rc bench_agent_tasks(skn_bench *b, const skn_bench_child *model)
{
    skn_bench_crew  crew = {.name = "agent-tasks",
                            .agents = b->size.workers,
                            .model = SKN_BENCH_INSTANT,
                            .provider = model};
    skn_bench_store s;
    int64_t         began, last = 0, wrong = 0, again = 0;
    skein_rc        rc = bench_make_crew(b, &crew, &s);

    if (rc)
        return rc;
    rc = queue_tasks(b, &s);
    skn_bench_close(&s);
    began = skn_clock_micros();
    if (rc || (rc = do_tasks(b, &s, model, &again)) || (rc = bench_reopen(b, &s)))
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
    skein_rc rc = bench_reopen(b, &d->store);

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
        (rc = bench_wait_idle(b, &d->store, &d->server)))
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
    if ((rc = bench_make_crew(b, &crew, &d->store)))
        return rc;
    rc = skein_chat_new(d->store.engine, d->store.world, SKN_STR("dig"), b->cli->keep, &chat,
                        &b->cli->err);
    d->store.chat = chat.id;
    d->store.chat_uid = chat.uid;
    skn_bench_close(&d->store);
    return rc;
}

static skein_rc bench_agent_depth(skn_bench *b)
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

/* Turns: many that stream at once, and what one costs beside its model. */

/* --- Many at once ----------------------------------------------------------------------------- */

/* Seconds of a processor that a child has used. */
static double cpu_of(const skn_bench_child *child)
{
    char          path[64], line[1024];
    unsigned long user = 0, kernel = 0;
    const char   *after = NULL;
    FILE         *f;

    snprintf(path, sizeof path, "/proc/%ld/stat", (long)child->pid);
    f = fopen(path, "r");
    if (f && fgets(line, sizeof line, f))
        after = strrchr(line, ')');
    if (after)
        sscanf(after + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
               &kernel);
    if (f)
        fclose(f);
    return (double)(user + kernel) / (double)sysconf(_SC_CLK_TCK);
}

static skein_rc ask_all(skn_bench *b, const skn_bench_store *s, const skn_bench_child *server)
{
    skn_arena  *a = b->cli->keep;
    const char *path = skn_arena_printf(a, "/worlds/%.*s/messages", SKN_FMT(s->world_name)).p;
    skein_rc    rc = SKEIN_OK;

    for (int64_t i = 0; i < b->size.turns && rc == SKEIN_OK; i++) {
        skn_bench_reply r;
        skn_str         body = skn_arena_printf(a,
                                                "{\"agent\":\"agent%" PRId64
                                                "\",\"message\":\"" SKN_BENCH_QUESTION "%" PRId64 "\"}",
                                                i + 1, i);

        rc = skn_bench_ask(b, server, "POST", path, "", body.p, &r);
        skein_mem_reset(b->cli->mem);
    }
    return rc;
}

/* The cost while all of them stream, of a processor. The time is what the chunks should take: on a busy
 * computer they take longer, which makes the server no cheaper. */
static skein_rc watch(skn_bench *b, const skn_bench_store *s, const skn_bench_child *server,
                      const skn_bench_child *model, double *cores)
{
    double         seconds = (double)(b->size.chunks * SKN_BENCH_PACE_MS) / 1000, before;
    skn_bench_seen seen;
    skein_rc       rc;

    if ((rc = ask_all(b, s, server)) ||
        (rc = bench_wait_seen(b, model, b->size.turns, 0, &seen)))
        return rc;
    before = cpu_of(server);
    if (!(rc = bench_wait_seen(b, model, 0, b->size.turns, &seen)))
        rc = bench_wait_idle(b, s, server);
    *cores = (cpu_of(server) - before) / seconds;
    return rc;
}

/* Whether an agent's last message is what its model wrote. */
static skein_rc check_text(skn_bench *b, const skn_bench_store *s, int64_t i, bool *right)
{
    skn_arena         *a = b->cli->mem;
    skn_str            name = skn_arena_printf(a, "agent%" PRId64, i + 1);
    skn_str            expected = skn_bench_model_text(a, i, b->size.chunks);
    skein_slice        last = {.from = -1, .count = 1};
    skein_agent        agent;
    skein_conversation chat;
    skein_messages     m;
    skein_rc           rc;

    if ((rc = skein_agent_find(s->engine, s->world, name, a, &agent, &b->cli->err)) ||
        (rc = skein_conversation_of(s->engine, agent.id, SKEIN_FOREGROUND, a, &chat,
                                    &b->cli->err)))
        return rc;
    last.conversation = chat.id;
    rc = skein_read(s->engine, &last, a, &m, NULL, &b->cli->err);
    *right = rc == SKEIN_OK && m.count == 1 && skn_str_eq(m.at[0].content, expected);
    skein_mem_reset(a);
    return rc;
}

static skein_rc check_texts(skn_bench *b, skn_bench_store *s, int64_t *wrong)
{
    skein_rc rc = bench_reopen(b, s);

    for (int64_t i = 0; i < b->size.turns && rc == SKEIN_OK; i++) {
        bool right;

        rc = check_text(b, s, i, &right);
        *wrong += !right;
    }
    skn_bench_close(s);
    return rc;
}

static skein_rc stream_rows(skn_bench *b, int64_t wrong, double cores, int64_t kb)
{
    skn_arena    *a = b->cli->keep;
    skn_str       n = skn_bench_count(a, b->size.turns);
    skn_bench_row row = {.rounds = 1, .figure = (double)wrong, .figure_max = 1};
    skein_rc      rc;

    row.what = skn_arena_printf(a, "%.*s turns that stream: not whole", SKN_FMT(n)).p;
    row.unit = "answers";
    if ((rc = skn_bench_add(b, &row)))
        return rc;
    row.what = skn_arena_printf(a, "%.*s turns that stream: processor", SKN_FMT(n)).p;
    row.unit = "cores";
    row.figure = cores;
    if ((rc = skn_bench_add(b, &row)))
        return rc;
    row.what = skn_arena_printf(a, "%.*s turns that stream: memory in all", SKN_FMT(n)).p;
    row.unit = "MB";
    row.figure = (double)kb / 1024;
    row.figure_max = 64;
    return skn_bench_add(b, &row);
}

static skein_rc bench_agent_streams(skn_bench *b, const skn_bench_child *model)
{
    skn_bench_crew  crew = {.name = "agent-streams",
                            .agents = b->size.turns,
                            .model = SKN_BENCH_PACED,
                            .provider = model};
    skn_bench_store s;
    skn_bench_child server = {.pid = 0};
    double          cores = 0;
    int64_t         wrong = 0, kb = 0;
    skein_rc        rc = bench_make_crew(b, &crew, &s);

    if (rc)
        return rc;
    skn_bench_close(&s);
    if (!(rc = skn_bench_serve(b, &s, &server)) && !(rc = watch(b, &s, &server, model, &cores)))
        kb = skn_bench_child_peak_kb(&server);
    skn_bench_stop(&server);
    if (rc || (rc = check_texts(b, &s, &wrong)))
        return rc;
    return stream_rows(b, wrong, cores, kb);
}

/* --- One ------------------------------------------------------------------------------------------ */

typedef struct turning {
    skn_bench_store        store, plain; /* the server's, and the engine's own for comparison */
    skn_bench_child        server;
    const skn_bench_child *model;
    skn_samples            turn, own, append; /* ms */
} turning;

static skein_rc round_append(skn_bench *b, turning *t)
{
    skein_new_message    m = {.role = SKEIN_USER, .content = SKN_BENCH_TEXT};
    skein_append_request r = {.conversation = t->plain.chat, .messages = &m, .count = 1};
    skein_messages       stored;
    int64_t              start = skn_clock_monotonic();
    skein_rc             rc = SKEIN_OK;

    for (int64_t i = 0; i < b->size.batch && rc == SKEIN_OK; i++) {
        rc = skein_append(t->plain.engine, &r, b->cli->mem, &stored, &b->cli->err);
        skein_mem_reset(b->cli->mem);
    }
    skn_samples_add(&t->append, skn_bench_since(start) * 1e3 / (double)b->size.batch);
    return rc;
}

/* Every round has an agent of its own, so that what it has to read stays the same. */
static skein_rc round_turns(skn_bench *b, turning *t, int agent)
{
    skn_arena     *a = b->cli->keep;
    skn_bench_load load = {.clients = 1, .count = b->size.reads};
    skn_str path = skn_arena_printf(a, "/worlds/%.*s/messages", SKN_FMT(t->store.world_name));
    skn_str body = skn_arena_printf(a, "{\"agent\":\"agent%d\",\"message\":\"Go on.\"}", agent);
    skn_bench_seen before, after;
    double         seconds = 0;
    skein_rc       rc;

    load.request[0] = skn_bench_request(b, &t->server, "POST", path.p, "Prefer: wait=60\r\n",
                                        body.p);
    if ((rc = skn_bench_model_seen(b, t->model, &before)) ||
        (rc = skn_bench_send(b, &t->server, &load, &seconds)) ||
        (rc = skn_bench_model_seen(b, t->model, &after)))
        return rc;
    if (after.done - before.done != load.count)
        return skn_fail(&b->cli->err, SKEIN_FAILED, "not every turn was answered");
    skn_samples_add(&t->own, (double)(after.own_ns - before.own_ns) / 1e6 / (double)load.count);
    return SKEIN_OK;
}

/* From what was said to its answer, by the times that are stored with them. Both are taken before their
 * commits: the one of what was said is measured in the place of the answer's. What HTTP costs is
 * measured elsewhere. */
static skein_rc measure_turns(skn_bench *b, turning *t, int round)
{
    skn_arena         *a = b->cli->mem;
    skn_str            name = skn_arena_printf(a, "agent%d", round + 1);
    skein_slice        what = {.count = 2 * b->size.reads};
    skn_samples        times = {.n = 0};
    skein_agent        agent;
    skein_conversation chat;
    skein_messages     m;
    skein_rc           rc;

    if ((rc = skein_agent_find(t->store.engine, t->store.world, name, a, &agent,
                               &b->cli->err)) ||
        (rc = skein_conversation_of(t->store.engine, agent.id, SKEIN_FOREGROUND, a, &chat,
                                    &b->cli->err)))
        return rc;
    what.conversation = chat.id;
    rc = skein_read(t->store.engine, &what, a, &m, NULL, &b->cli->err);
    for (size_t i = 1; rc == SKEIN_OK && i < m.count; i += 2)
        skn_samples_add(&times, (double)(m.at[i].created_at - m.at[i - 1].created_at) / 1e3);
    skn_samples_add(&t->turn, skn_samples_median(&times) - t->own.at[round]);
    skein_mem_reset(a);
    return rc;
}

static skein_rc run_turns(skn_bench *b, turning *t)
{
    skein_rc rc = round_turns(b, t, b->size.rounds + 1); /* to warm up */

    t->own.n = 0;
    for (int i = 0; i < b->size.rounds && rc == SKEIN_OK; i++)
        if (!(rc = skn_bench_go_on(b)) && !(rc = round_append(b, t)))
            rc = round_turns(b, t, i + 1);
    return rc;
}

static skein_rc turn_row(skn_bench *b, turning *t)
{
    skn_bench_row row = {.what = "a turn, without its model's own time",
                         .unit = "ms",
                         .against = "append",
                         .ratio_max = 10};
    skein_rc      rc = bench_reopen(b, &t->store);

    for (int i = 0; i < b->size.rounds && rc == SKEIN_OK; i++)
        rc = measure_turns(b, t, i);
    skn_bench_close(&t->store);
    return rc ? rc : skn_bench_compare(b, row, &t->turn, &t->append);
}

static skein_rc bench_agent_turns(skn_bench *b, const skn_bench_child *model)
{
    turning        t = {.model = model};
    skn_bench_crew crew = {.name = "agent-turns",
                           .agents = b->size.rounds + 1,
                           .model = SKN_BENCH_INSTANT,
                           .provider = model};
    skein_rc       rc = bench_make_crew(b, &crew, &t.store);

    if (rc)
        return rc;
    skn_bench_close(&t.store);
    if (!(rc = skn_bench_open(b, "agent-turns-plain", 0, &t.plain)) &&
        !(rc = skn_bench_serve(b, &t.store, &t.server)))
        rc = run_turns(b, &t);
    skn_bench_stop(&t.server);
    skn_bench_close(&t.plain);
    return rc ? rc : turn_row(b, &t);
}
