/* bench_store.c: stores to measure, and what is in them. */
#include "cli/bench.h"

#include "base/error.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#define FILL_BATCH 10000

/* --- Opening -------------------------------------------------------------------------------- */

static skein_rc make_agents(skn_bench *b, skn_bench_store *s, int64_t agents)
{
    skein_rc rc = SKEIN_OK;

    for (int64_t i = 0; i < agents && rc == SKEIN_OK; i++) {
        skein_agent a = {.world = s->world,
                         .name = skn_arena_printf(b->cli->mem, "agent%" PRId64, i + 1)};

        rc = skein_agent_new(s->engine, &a, b->cli->mem, &b->cli->err);
    }
    return rc;
}

static skein_rc make_world(skn_bench *b, skn_bench_store *s, const char *name, int64_t agents)
{
    skein_world        world = {.name = skn_arena_printf(b->cli->keep, "bench-%s", name)};
    skein_conversation chat;
    skein_rc           rc;

    if ((rc = skein_world_new(s->engine, &world, b->cli->keep, &b->cli->err)))
        return rc;
    s->world = world.id;
    s->world_name = world.name;
    if ((rc = make_agents(b, s, agents)) ||
        (rc = skein_chat_new(s->engine, world.id, SKN_STR("bench"), b->cli->keep, &chat,
                             &b->cli->err)))
        return rc;
    s->chat = chat.id;
    s->chat_uid = chat.uid;
    return SKEIN_OK;
}

skein_rc skn_bench_open(skn_bench *b, const char *name, int64_t agents, skn_bench_store *out)
{
    skein_options options = SKEIN_OPTIONS_INIT;
    skein_rc      rc;

    *out = (skn_bench_store){.address = b->address};
    if (!b->address)
        out->address = skn_arena_printf(b->cli->keep, "sqlite:%s/%s.db", b->folder, name).p;
    options.store = skn_str_of(out->address);
    if ((rc = skein_open(&out->engine, &options, &b->cli->err)))
        return rc;
    if ((rc = make_world(b, out, name, agents)))
        skn_bench_close(out);
    return rc;
}

void skn_bench_close(skn_bench_store *s)
{
    skein_close(s->engine);
    s->engine = NULL;
}

skein_rc skn_bench_bytes(skn_bench *b, const skn_bench_store *s, int64_t *out)
{
    struct stat file;
    int64_t     nanos;
    skein_rc    rc;

    *out = -1;
    if (strncmp(s->address, "sqlite:", 7) != 0)
        return SKEIN_OK;
    rc = skn_floor_measure(s->engine, s->chat, SKN_NONE, 0, &nanos, &b->cli->err);
    if (rc == SKEIN_OK && stat(s->address + 7, &file) == 0)
        *out = (int64_t)file.st_size;
    return rc;
}

/* --- Filling -------------------------------------------------------------------------------- */

typedef struct filling {
    int64_t batch;  /* messages of one transaction */
    int     levels; /* of the reply chains; 0: nobody replies */
} filling;

static skn_str made_uid(const skn_bench_store *s, int64_t position, skn_arena *a)
{
    return skn_arena_printf(a, "%.*s.%" PRId64, SKN_FMT(s->chat_uid), position);
}

static skein_new_message describe(const skn_bench_store *s, const filling *f, int64_t position,
                                  skn_arena *a)
{
    skein_new_message m = {.role = position % 2 ? SKEIN_ASSISTANT : SKEIN_USER,
                           .sender = position % 2 ? SKN_STR("agent1") : SKN_STR("human"),
                           .content = SKN_BENCH_TEXT};

    if (f->levels) {
        m.uid = made_uid(s, position, a);
        if (position % f->levels)
            m.reply_to = made_uid(s, position - 1, a);
    }
    return m;
}

static skein_rc fill_batch(skn_bench *b, skn_bench_store *s, const filling *f, int64_t count)
{
    skn_arena           *a = skn_arena_new();
    skein_new_message   *m = SKN_ARRAY(a, (size_t)count, skein_new_message);
    skein_append_request r = {.conversation = s->chat, .messages = m, .count = (size_t)count};
    skein_messages       stored;
    skein_rc             rc;

    for (int64_t i = 0; i < count; i++)
        m[i] = describe(s, f, s->length + i, a);
    rc = skein_append(s->engine, &r, a, &stored, &b->cli->err);
    if (rc == SKEIN_OK)
        s->length += count;
    skn_arena_free(a);
    return rc;
}

static skein_rc fill(skn_bench *b, skn_bench_store *s, const filling *f, int64_t count)
{
    skein_rc rc = SKEIN_OK;

    while (count > 0 && !(rc = skn_bench_go_on(b))) {
        int64_t n = count < f->batch ? count : f->batch;

        if ((rc = fill_batch(b, s, f, n)))
            break;
        count -= n;
    }
    return rc;
}

skein_rc skn_bench_fill(skn_bench *b, skn_bench_store *s, int64_t count)
{
    return fill(b, s, &(filling){.batch = FILL_BATCH}, count);
}

skein_rc skn_bench_fill_chains(skn_bench *b, skn_bench_store *s, int64_t count, int levels,
                               int64_t batch)
{
    return fill(b, s, &(filling){.batch = batch, .levels = levels}, count);
}

skein_rc skn_bench_at(skn_bench *b, const skn_bench_store *s, int64_t position,
                      skein_message_id *out)
{
    skein_slice    what = {.conversation = s->chat, .from = position, .count = 1};
    skein_messages m;
    skein_rc       rc = skein_read(s->engine, &what, b->cli->mem, &m, NULL, &b->cli->err);

    if (rc)
        return rc;
    if (m.count != 1)
        return skn_fail(&b->cli->err, SKEIN_FAILED, "message %" PRId64 " is not there",
                        position);
    *out = m.at[0].id;
    skein_mem_reset(b->cli->mem);
    return SKEIN_OK;
}
