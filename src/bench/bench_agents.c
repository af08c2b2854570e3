/* bench_agents.c: agents at work: worlds for them, and waiting until they are done. */
#include "bench/bench_agents.h"
#include "base/clock.h"

#include <inttypes.h>
#include <poll.h>
#include <unistd.h>

#define LOOK_MS    10
#define LONGEST_S  300   /* that something may take before it is given up */
#define NEVER      10000 /* messages before a summary: it would be one more question */
#define TURN_LIMIT 1000

/* --- Worlds --------------------------------------------------------------------------------------- */

typedef struct crew {
    const char            *name;     /* of the store and the world */
    int64_t                agents;   /* "agent1", … */
    const char            *model;    /* of all of them */
    const char            *settings; /* of the world; NULL: as usual */
    const skn_bench_child *provider; /* NULL: none */
} crew;

static skein_rc make_provider(skn_bench *b, const crew *c, const skn_bench_store *s)
{
    skein_setting one = {.key = SKN_STR("providers")};

    if (!c->provider)
        return SKEIN_OK;
    one.value = skn_arena_printf(
        b->cli->mem,
        "{\"bench\":{\"type\":\"openai-compatible\",\"baseUrl\":"
        "\"http://127.0.0.1:%d/v1\",\"consent\":true,\"concurrency\":1000}}",
        c->provider->port);
    return skein_setting_put(s->engine, &one, 1, &b->cli->err);
}

/* Makes a store for them; it stays open. */
static skein_rc make_crew(skn_bench *b, const crew *c, skn_bench_store *out)
{
    skein_world_change how = {.turn_limit = TURN_LIMIT, .compact_at = NEVER};
    skein_world        world;
    skein_rc           rc = skn_bench_open(b, c->name, 0, out);

    if (rc)
        return rc;
    how.id = out->world;
    if (c->settings)
        how.settings = skn_str_of(c->settings);
    if ((rc = skein_world_patch(out->engine, &how, b->cli->mem, &world, &b->cli->err)) ||
        (rc = make_provider(b, c, out)) ||
        (rc = skn_bench_agents_new(b, out, c->agents, c->model)))
        skn_bench_close(out);
    return rc;
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

/* Until all agents of the world are idle. */
static skein_rc wait_idle(skn_bench *b, const skn_bench_store *s, const skn_bench_child *server)
{
    const char     *path = skn_bench_text(b, "/worlds/%s/status", s->world_name.p);
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
static skein_rc wait_seen(skn_bench *b, const skn_bench_child *model, int64_t open,
                          int64_t done, skn_bench_seen *out)
{
    int64_t  began = skn_clock_monotonic();
    skein_rc rc = skn_bench_model_seen(b, model, out);

    while (rc == SKEIN_OK && (out->open < open || out->done < done))
        if (!(rc = look_again(b, began)))
            rc = skn_bench_model_seen(b, model, out);
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

/* They begin as soon as the server does. */
static skein_rc do_tasks(skn_bench *b, const skn_bench_store *s, const skn_bench_child *model,
                         int64_t *again)
{
    skn_bench_child server = {.pid = 0};
    skn_bench_seen  before, after;
    skein_rc        rc;

    if ((rc = skn_bench_model_seen(b, model, &before)) ||
        (rc = skn_bench_serve(b, s, NULL, &server)))
        return rc;
    if (!(rc = wait_seen(b, model, 0, before.done + b->size.tasks, &after)) &&
        !(rc = wait_idle(b, s, &server)))
        rc = skn_bench_model_seen(b, model, &after);
    *again = after.again - before.again;
    skn_bench_stop(&server);
    return rc;
}

static skein_rc agent_tasks(skn_bench *b, const skn_bench_child *model)
{
    crew            c = {.name = "agent-tasks",
                         .agents = b->size.workers,
                         .model = SKN_BENCH_INSTANT,
                         .provider = model};
    skn_bench_store s;
    int64_t         began, last = 0, wrong = 0, again = 0;
    skein_rc        rc = make_crew(b, &c, &s);

    if (rc)
        return rc;
    rc = queue_tasks(b, &s);
    skn_bench_close(&s);
    began = skn_clock_micros();
    if (rc || (rc = do_tasks(b, &s, model, &again)) || (rc = skn_bench_reopen(b, &s)))
        return rc;
    rc = check_tasks(b, &s, &wrong, &last);
    skn_bench_close(&s);
    if (rc ||
        (rc = skn_bench_add(b, SKN_ROW_TASKS,
                            (skn_bench_result){.figure = (double)b->size.tasks /
                                                         ((double)(last - began) / 1e6)})))
        return rc;
    return skn_bench_add(b, SKN_ROW_TASKS_WRONG,
                         (skn_bench_result){.figure = (double)(wrong + again)});
}

/* --- Delegations --------------------------------------------------------------------------------- */

typedef struct digging {
    skn_bench_store store;
    skn_bench_child server;
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
static skein_rc visit_once(skn_bench *b, void *what, skn_samples *out)
{
    digging *d = what;
    int64_t  start;
    skein_rc rc = skn_bench_reopen(b, &d->store);

    if (rc)
        return rc;
    start = skn_clock_monotonic();
    rc = skein_timeline_visit(d->store.engine, d->store.chat, 0, count_levels, &d->levels,
                              &b->cli->err);
    skn_samples_add(out, skn_bench_since(start) * 1e3);
    skn_bench_close(&d->store);
    return rc;
}

static skein_rc get_once(skn_bench *b, void *what, skn_samples *out)
{
    const digging *d = what;
    const char *path = skn_bench_text(b, "/worlds/%s/chats/%s/timeline", d->store.world_name.p,
                                      d->store.chat_uid.p);
    int64_t     start = skn_clock_monotonic();
    skn_bench_reply r;
    skein_rc        rc = skn_bench_ask(b, &d->server, "GET", path, "", NULL, &r);

    skn_samples_add(out, skn_bench_since(start) * 1e3);
    return rc;
}

static skein_rc make_digger(skn_bench *b, digging *d)
{
    crew               c = {.name = "agent-depth",
                            .agents = 1,
                            .model = "demo/scripted",
                            .settings = skn_bench_text(
                                b, "{\"delegationDepth\":%" PRId64 ",\"delegationsMost\":%" PRId64 "}",
                                b->size.depth, 2 * b->size.depth)};
    skein_conversation chat;
    skein_rc           rc;

    if ((rc = make_crew(b, &c, &d->store)))
        return rc;
    rc = skein_chat_new(d->store.engine, d->store.world, SKN_STR("dig"), b->cli->keep, &chat,
                        &b->cli->err);
    d->store.chat = chat.id;
    d->store.chat_uid = chat.uid;
    skn_bench_close(&d->store);
    return rc;
}

static skein_rc dig(skn_bench *b, digging *d)
{
    const char     *path = skn_bench_text(b, "/worlds/%s/messages", d->store.world_name.p);
    skn_bench_reply r;
    skein_rc        rc = skn_bench_serve(b, &d->store, script, &d->server);

    if (rc)
        return rc;
    if (!(rc = skn_bench_ask(b, &d->server, "POST", path, "", "{\"message\":\"@agent1 dig\"}",
                             &r)))
        rc = wait_idle(b, &d->store, &d->server);
    skn_bench_stop(&d->server);
    return rc;
}

static skein_rc depth_rows(skn_bench *b, digging *d)
{
    skn_samples      first = {.n = 0};
    skn_bench_result depth = {.reference = (double)b->size.depth};
    skein_rc         rc = visit_once(b, d, &first);

    depth.figure = (double)d->levels - 1; /* the first is not a delegation */
    if (rc || (rc = skn_bench_add(b, SKN_ROW_DEPTH, depth)) ||
        (rc = skn_bench_in_turns(b, SKN_ROW_DEPTH_VISIT, b->size.rounds, visit_once, d,
                                 NULL)) ||
        (rc = skn_bench_serve(b, &d->store, script, &d->server)))
        return rc;
    rc = skn_bench_in_turns(b, SKN_ROW_DEPTH_GET, b->size.rounds, get_once, d, NULL);
    skn_bench_stop(&d->server);
    return rc;
}

static skein_rc agent_depth(skn_bench *b)
{
    digging  d = {.levels = 0};
    skein_rc rc;

    if ((rc = make_digger(b, &d)) || (rc = dig(b, &d)))
        return rc;
    return depth_rows(b, &d);
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
    const char *path = skn_bench_text(b, "/worlds/%s/messages", s->world_name.p);
    skein_rc    rc = SKEIN_OK;

    for (int64_t i = 0; i < b->size.turns && rc == SKEIN_OK; i++) {
        skn_bench_reply r;
        const char     *body = skn_bench_text(b,
                                              "{\"agent\":\"agent%" PRId64
                                              "\",\"message\":\"" SKN_BENCH_QUESTION "%" PRId64
                                              "\"}",
                                              i + 1, i);

        rc = skn_bench_ask(b, server, "POST", path, "", body, &r);
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

    if ((rc = ask_all(b, s, server)) || (rc = wait_seen(b, model, b->size.turns, 0, &seen)))
        return rc;
    before = cpu_of(server);
    if (!(rc = wait_seen(b, model, 0, b->size.turns, &seen)))
        rc = wait_idle(b, s, server);
    *cores = (cpu_of(server) - before) / seconds;
    return rc;
}

/* Messages of the conversation of an agent (1, …) with people. */
static skein_rc read_agent(skn_bench *b, const skn_bench_store *s, int64_t agent,
                           skein_slice what, skein_messages *out)
{
    skn_arena         *a = b->cli->mem;
    skn_str            name = skn_arena_printf(a, "agent%" PRId64, agent);
    skein_agent        found;
    skein_conversation chat;
    skein_rc           rc;

    if ((rc = skein_agent_find(s->engine, s->world, name, a, &found, &b->cli->err)) ||
        (rc = skein_conversation_of(s->engine, found.id, SKEIN_FOREGROUND, a, &chat,
                                    &b->cli->err)))
        return rc;
    what.conversation = chat.id;
    return skein_read(s->engine, &what, a, out, NULL, &b->cli->err);
}

/* Whether an agent's last message is what its model wrote. */
static skein_rc check_text(skn_bench *b, const skn_bench_store *s, int64_t i, bool *right)
{
    skn_str        expected = skn_bench_model_text(b->cli->mem, i, b->size.chunks);
    skein_messages m;
    skein_rc       rc = read_agent(b, s, i + 1, (skein_slice){.from = -1, .count = 1}, &m);

    *right = rc == SKEIN_OK && m.count == 1 && skn_str_eq(m.at[0].content, expected);
    skein_mem_reset(b->cli->mem);
    return rc;
}

static skein_rc check_texts(skn_bench *b, skn_bench_store *s, int64_t *wrong)
{
    skein_rc rc = skn_bench_reopen(b, s);

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
    skein_rc rc;

    if ((rc = skn_bench_add(b, SKN_ROW_TURN_WRONG,
                            (skn_bench_result){.figure = (double)wrong})) ||
        (rc = skn_bench_add(b, SKN_ROW_TURN_CORES, (skn_bench_result){.figure = cores})))
        return rc;
    return skn_bench_add(b, SKN_ROW_TURN_MEMORY,
                         (skn_bench_result){.figure = (double)kb / 1024});
}

static skein_rc agent_streams(skn_bench *b, const skn_bench_child *model)
{
    crew            c = {.name = "agent-streams",
                         .agents = b->size.turns,
                         .model = SKN_BENCH_PACED,
                         .provider = model};
    skn_bench_store s;
    skn_bench_child server = {.pid = 0};
    double          cores = 0;
    int64_t         wrong = 0, kb = 0;
    skein_rc        rc = make_crew(b, &c, &s);

    if (rc)
        return rc;
    skn_bench_close(&s);
    if (!(rc = skn_bench_serve(b, &s, NULL, &server)) &&
        !(rc = watch(b, &s, &server, model, &cores)))
        kb = skn_bench_status_kb(server.pid, "VmHWM");
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
    int64_t  start = skn_clock_monotonic();
    skein_rc rc = skn_bench_say(t->plain.engine, t->plain.chat, b->size.batch, &b->cli->err);

    skn_samples_add(&t->append, skn_bench_since(start) * 1e3 / (double)b->size.batch);
    return rc;
}

/* Turns of an agent, one after the other; what the model saw before them and after. */
static skein_rc ask_in_turn(skn_bench *b, turning *t, int64_t agent, int64_t count,
                            skn_bench_seen *before, skn_bench_seen *after)
{
    skn_bench_load load = {.clients = 1, .count = count};
    const char    *body = skn_bench_text(
           b, "{\"agent\":\"agent%" PRId64 "\",\"message\":\"Go on.\"}", agent);
    double   seconds = 0;
    skein_rc rc;

    load.request[0] = skn_bench_post(b, &t->store, &t->server, "Prefer: wait=60\r\n", body);
    if ((rc = skn_bench_model_seen(b, t->model, before)) ||
        (rc = skn_bench_send(b, &t->server, &load, &seconds)) ||
        (rc = skn_bench_model_seen(b, t->model, after)))
        return rc;
    return after->done - before->done == count
               ? SKEIN_OK
               : skn_fail(&b->cli->err, SKEIN_FAILED, "not every turn was answered");
}

/* Every round has an agent of its own, so that what it has to read stays the same. */
static skein_rc round_turns(skn_bench *b, turning *t, int64_t agent)
{
    skn_bench_seen before, after;
    skein_rc       rc = ask_in_turn(b, t, agent, b->size.reads, &before, &after);

    if (!rc)
        skn_samples_add(&t->own,
                        (double)(after.own_ns - before.own_ns) / 1e6 / (double)b->size.reads);
    return rc;
}

/* How much of a question a server may have kept from the one before: that much costs less, and comes sooner. */
static skein_rc prefix_row(skn_bench *b, turning *t)
{
    int64_t        agent = b->size.rounds + 2;
    skn_bench_seen before, after;
    skein_rc       rc = ask_in_turn(b, t, agent, 1, &before, &after);

    if (rc || (rc = ask_in_turn(b, t, agent, b->size.asks, &before, &after)))
        return rc;
    return skn_bench_add(
        b, SKN_ROW_PREFIX,
        (skn_bench_result){.figure = 100 * (double)(after.shared - before.shared) /
                                     (double)(after.earlier - before.earlier)});
}

/* From what was said to its answer, by the times that are stored with them. Both are taken before their
 * commits: the one of what was said is measured in the place of the answer's. What HTTP costs is
 * measured elsewhere. */
static skein_rc measure_turns(skn_bench *b, turning *t, int64_t round)
{
    skn_samples    times = {.n = 0};
    skein_messages m;
    skein_rc rc = read_agent(b, &t->store, round + 1, (skein_slice){.count = 2 * b->size.reads},
                             &m);

    for (size_t i = 1; rc == SKEIN_OK && i < m.count; i += 2)
        skn_samples_add(&times, (double)(m.at[i].created_at - m.at[i - 1].created_at) / 1e3);
    skn_samples_add(&t->turn, skn_samples_median(&times) - t->own.at[round]);
    skein_mem_reset(b->cli->mem);
    return rc;
}

static skein_rc run_turns(skn_bench *b, turning *t)
{
    skein_rc rc = round_turns(b, t, b->size.rounds + 1); /* to warm up */

    t->own.n = 0;
    for (int64_t i = 0; i < b->size.rounds && rc == SKEIN_OK; i++)
        if (!(rc = skn_bench_go_on(b)) && !(rc = round_append(b, t)))
            rc = round_turns(b, t, i + 1);
    return rc;
}

static skein_rc turn_row(skn_bench *b, turning *t)
{
    skein_rc rc = skn_bench_reopen(b, &t->store);

    for (int64_t i = 0; i < b->size.rounds && rc == SKEIN_OK; i++)
        rc = measure_turns(b, t, i);
    skn_bench_close(&t->store);
    return rc ? rc : skn_bench_compare(b, SKN_ROW_TURN, &t->turn, &t->append);
}

static skein_rc agent_turns(skn_bench *b, const skn_bench_child *model)
{
    turning  t = {.model = model};
    crew     c = {.name = "agent-turns",
                  .agents = b->size.rounds + 2,
                  .model = SKN_BENCH_INSTANT,
                  .provider = model};
    skein_rc rc = make_crew(b, &c, &t.store);

    if (rc)
        return rc;
    skn_bench_close(&t.store);
    if (!(rc = skn_bench_open(b, "agent-turns-plain", 0, &t.plain)) &&
        !(rc = skn_bench_serve(b, &t.store, NULL, &t.server)))
        rc = run_turns(b, &t);
    if (!rc)
        rc = prefix_row(b, &t);
    skn_bench_stop(&t.server);
    skn_bench_close(&t.plain);
    return rc ? rc : turn_row(b, &t);
}

/* --- All of it ---------------------------------------------------------------------------------------- */

skein_rc skn_bench_agents(skn_bench *b)
{
    skn_bench_child model = {.pid = 0};
    skein_rc        rc = skn_bench_model(b, b->size.turns, b->size.chunks, &model);

    if (rc == SKEIN_OK && !(rc = agent_streams(b, &model)) && !(rc = agent_turns(b, &model)) &&
        !(rc = agent_tasks(b, &model)))
        rc = agent_depth(b);
    skn_bench_stop(&model);
    return rc;
}
