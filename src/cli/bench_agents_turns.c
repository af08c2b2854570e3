/* bench_agents_turns.c: turns: many that stream at once, and what one costs beside its model. */
#include "cli/bench_agents.h"

#include "base/clock.h"
#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
        (rc = skn_bench_wait_seen(b, model, b->size.turns, 0, &seen)))
        return rc;
    before = cpu_of(server);
    if (!(rc = skn_bench_wait_seen(b, model, 0, b->size.turns, &seen)))
        rc = skn_bench_wait_idle(b, s, server);
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

skein_rc skn_bench_agent_streams(skn_bench *b, const skn_bench_child *model)
{
    skn_bench_crew  crew = {.name = "agent-streams",
                            .agents = b->size.turns,
                            .model = SKN_BENCH_PACED,
                            .provider = model};
    skn_bench_store s;
    skn_bench_child server = {.pid = 0};
    double          cores = 0;
    int64_t         wrong = 0, kb = 0;
    skein_rc        rc = skn_bench_make_crew(b, &crew, &s);

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
    skein_rc      rc = skn_bench_reopen(b, &t->store);

    for (int i = 0; i < b->size.rounds && rc == SKEIN_OK; i++)
        rc = measure_turns(b, t, i);
    skn_bench_close(&t->store);
    return rc ? rc : skn_bench_compare(b, row, &t->turn, &t->append);
}

skein_rc skn_bench_agent_turns(skn_bench *b, const skn_bench_child *model)
{
    turning        t = {.model = model};
    skn_bench_crew crew = {.name = "agent-turns",
                           .agents = b->size.rounds + 1,
                           .model = SKN_BENCH_INSTANT,
                           .provider = model};
    skein_rc       rc = skn_bench_make_crew(b, &crew, &t.store);

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
