/* bench_agents.c: agents at work: worlds for them, and waiting until they are done. */
#include "cli/bench_agents.h"

#include "base/clock.h"
#include "base/error.h"

#include <inttypes.h>
#include <poll.h>

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

skein_rc skn_bench_make_crew(skn_bench *b, const skn_bench_crew *crew, skn_bench_store *out)
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

skein_rc skn_bench_reopen(skn_bench *b, skn_bench_store *s)
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

skein_rc skn_bench_wait_idle(skn_bench *b, const skn_bench_store *s,
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

skein_rc skn_bench_wait_seen(skn_bench *b, const skn_bench_child *model, int64_t open,
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

skein_rc skn_bench_agents(skn_bench *b)
{
    skn_bench_child model = {.pid = 0};
    skein_rc        rc = skn_bench_model(b, b->size.turns, b->size.chunks, &model);

    if (rc == SKEIN_OK && !(rc = skn_bench_agent_streams(b, &model)) &&
        !(rc = skn_bench_agent_turns(b, &model)) && !(rc = skn_bench_agent_tasks(b, &model)))
        rc = skn_bench_agent_depth(b);
    skn_bench_stop(&model);
    return rc;
}
