/* bench_store.c: stores to measure, and what is in them. */
#include "base/clock.h"
#include "bench/bench_agents.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILL_BATCH 10000

/* --- Opening -------------------------------------------------------------------------------- */

skein_rc skn_bench_agents_new(skn_bench *b, const skn_bench_store *s, int64_t agents,
                              const char *model)
{
    skein_rc rc = SKEIN_OK;

    for (int64_t i = 0; i < agents && rc == SKEIN_OK; i++) {
        skein_agent a = {.world = s->world,
                         .name = skn_arena_printf(b->cli->mem, "agent%" PRId64, i + 1),
                         .model = skn_str_of(model)};

        rc = skein_agent_new(s->engine, &a, b->cli->mem, &b->cli->err);
        skein_mem_reset(b->cli->mem);
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
    if ((rc = skn_bench_agents_new(b, s, agents, NULL)) ||
        (rc = skein_chat_new(s->engine, world.id, SKN_STR("bench"), b->cli->keep, &chat,
                             &b->cli->err)))
        return rc;
    s->chat = chat.id;
    s->chat_uid = chat.uid;
    return SKEIN_OK;
}

skein_rc skn_bench_reopen(skn_bench *b, skn_bench_store *s)
{
    skein_options options = SKEIN_OPTIONS_INIT;

    options.store = skn_str_of(s->address);
    return skein_open(&s->engine, &options, &b->cli->err);
}

skein_rc skn_bench_open(skn_bench *b, const char *name, int64_t agents, skn_bench_store *out)
{
    skein_rc rc;

    *out = (skn_bench_store){.address = b->address};
    if (!b->address)
        out->address = skn_bench_text(b, "sqlite:%s/%s.db", b->folder, name);
    if ((rc = skn_bench_reopen(b, out)))
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

static skn_str made_uid(const skn_bench_store *s, int64_t position, skn_arena *a)
{
    return skn_arena_printf(a, "%.*s.%" PRId64, SKN_FMT(s->chat_uid), position);
}

static skein_new_message describe(const skn_bench_store *s, int64_t levels, int64_t position,
                                  skn_arena *a)
{
    skein_new_message m = {.role = position % 2 ? SKEIN_ASSISTANT : SKEIN_USER,
                           .sender = position % 2 ? SKN_STR("agent1") : SKN_STR("human"),
                           .content = SKN_BENCH_TEXT};

    if (levels) {
        m.uid = made_uid(s, position, a);
        if (position % levels)
            m.reply_to = made_uid(s, position - 1, a);
    }
    return m;
}

static skein_rc fill_batch(skn_bench *b, skn_bench_store *s, int64_t count, int64_t levels)
{
    skn_arena           *a = skn_arena_new();
    skein_new_message   *m = SKN_ARRAY(a, (size_t)count, skein_new_message);
    skein_append_request r = {.conversation = s->chat, .messages = m, .count = (size_t)count};
    skein_messages       stored;
    skein_rc             rc;

    for (int64_t i = 0; i < count; i++)
        m[i] = describe(s, levels, s->length + i, a);
    rc = skein_append(s->engine, &r, a, &stored, &b->cli->err);
    if (rc == SKEIN_OK)
        s->length += count;
    skn_arena_free(a);
    return rc;
}

skein_rc skn_bench_fill_chains(skn_bench *b, skn_bench_store *s, int64_t count, int64_t levels,
                               int64_t batch)
{
    skein_rc rc = SKEIN_OK;

    while (count > 0 && !(rc = skn_bench_go_on(b))) {
        int64_t n = count < batch ? count : batch;

        if ((rc = fill_batch(b, s, n, levels)))
            break;
        count -= n;
    }
    return rc;
}

skein_rc skn_bench_fill(skn_bench *b, skn_bench_store *s, int64_t count)
{
    return skn_bench_fill_chains(b, s, count, 0, FILL_BATCH);
}

skein_rc skn_bench_say(skein_engine *e, skein_conversation_id chat, int64_t count,
                       skein_error *err)
{
    skein_mem           *mem = skein_mem_new();
    skein_new_message    m = {.role = SKEIN_USER, .content = SKN_BENCH_TEXT};
    skein_append_request r = {.conversation = chat, .messages = &m, .count = 1};
    skein_messages       stored;
    skein_rc             rc = SKEIN_OK;

    for (int64_t i = 0; i < count && rc == SKEIN_OK; i++) {
        rc = skein_append(e, &r, mem, &stored, err);
        skein_mem_reset(mem);
    }
    skein_mem_free(mem);
    return rc;
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

/* What must not depend on how long a conversation is. The same is done in turns to a
 * large conversation and to a smaller one, each in a store of its own. */

#define TAIL 50

typedef struct sized {
    skn_bench_store  store;
    int64_t          stands; /* messages before the summary */
    skein_message_id first, middle;
} sized;

/* --- Making --------------------------------------------------------------------------------- */

/* The context is then the summary and the same number of messages at every size. */
static skein_rc compact(skn_bench *b, sized *s)
{
    skein_compaction what = {.covers = s->store.length - TAIL,
                             .content = SKN_BENCH_TEXT,
                             .reason = SKN_STR("manual")};
    skein_message    summary;
    int64_t          covers;
    skein_rc         rc;

    rc = skein_compact(s->store.engine, s->store.chat, &what, b->cli->mem, &summary, &covers,
                       &b->cli->err);
    s->store.length += rc == SKEIN_OK;
    return rc;
}

static skein_rc make_store(skn_bench *b, const char *name, int64_t length, sized *s)
{
    int64_t  start = skn_clock_monotonic();
    skein_rc rc;

    if ((rc = skn_bench_open(b, name, 0, &s->store)) ||
        (rc = skn_bench_fill(b, &s->store, length)) || (rc = compact(b, s)) ||
        (rc = skn_bench_at(b, &s->store, 0, &s->first)))
        return rc;
    s->stands = length;
    if (length == b->size.large)
        skn_note(b->cli, "made a conversation of %s messages in %.1f s",
                 skn_bench_count(b, length), skn_bench_since(start));
    return skn_bench_at(b, &s->store, length / 2, &s->middle);
}

/* --- Reading -------------------------------------------------------------------------------- */

static skein_rc read_last(skn_bench *b, const sized *s)
{
    skein_slice    what = {.conversation = s->store.chat, .from = -TAIL};
    skein_messages m;

    return skein_read(s->store.engine, &what, b->cli->mem, &m, NULL, &b->cli->err);
}

static skein_rc read_context(skn_bench *b, const sized *s)
{
    skein_slice   what = {.conversation = s->store.chat};
    skein_context c;

    return skein_context_read(s->store.engine, &what, b->cli->mem, &c, &b->cli->err);
}

static skein_rc time_reads(skn_bench *b, const sized                                   *s,
                           skein_rc (*read)(skn_bench *b, const sized *s), skn_samples *out)
{
    int64_t  start = skn_clock_monotonic();
    skein_rc rc = SKEIN_OK;

    for (int64_t i = 0; i < b->size.reads && rc == SKEIN_OK; i++) {
        rc = read(b, s);
        skein_mem_reset(b->cli->mem);
    }
    skn_samples_add(out, skn_bench_since(start) * 1e3 / (double)b->size.reads);
    return rc;
}

static skein_rc time_last(skn_bench *b, void *what, skn_samples *out)
{
    return time_reads(b, what, read_last, out);
}

static skein_rc time_context(skn_bench *b, void *what, skn_samples *out)
{
    return time_reads(b, what, read_context, out);
}

/* --- Changing ------------------------------------------------------------------------------- */

enum { AMEND, REMOVE, UNDO, BRANCH, CHANGES }; /* as their rows */

typedef skein_rc changing(skn_bench *b, const sized *s, const skein_change *how);

static skein_rc amend(skn_bench *b, const sized *s, const skein_change *how)
{
    skein_version v;
    skein_message m;

    return skein_amend(s->store.engine, how, s->first, SKN_STR("Another beginning."),
                       b->cli->mem, &v, &m, &b->cli->err);
}

static skein_rc remove_middle(skn_bench *b, const sized *s, const skein_change *how)
{
    skein_removal r;

    return skein_remove_from(s->store.engine, how, s->middle, false, b->cli->mem, &r,
                             &b->cli->err);
}

static skein_rc undo(skn_bench *b, const sized *s, const skein_change *how)
{
    skein_move m;

    return skein_undo(s->store.engine, how, 1, b->cli->mem, &m, &b->cli->err);
}

static skein_rc branch(skn_bench *b, const sized *s, const skein_change *how)
{
    skein_conversation c;

    return skein_branch(s->store.engine, how, 0, s->stands / 2, SKN_STR("branch"), b->cli->mem,
                        &c, &b->cli->err);
}

static skein_rc timed(skn_bench *b, const sized *s, changing *change, skn_samples *out)
{
    skein_change how = {.conversation = s->store.chat};
    int64_t      start = skn_clock_monotonic();
    skein_rc     rc = change(b, s, &how);

    if (out)
        skn_samples_add(out, skn_bench_since(start) * 1e3);
    skein_mem_reset(b->cli->mem);
    return rc;
}

/* Every change is made to the same version, and undone. */
static skein_rc cycle(skn_bench *b, const sized *s, skn_samples out[CHANGES])
{
    skein_rc rc;

    if ((rc = timed(b, s, amend, &out[AMEND])) || (rc = timed(b, s, undo, NULL)) ||
        (rc = timed(b, s, remove_middle, &out[REMOVE])) || (rc = timed(b, s, undo, &out[UNDO])))
        return rc;
    return timed(b, s, branch, &out[BRANCH]);
}

static skein_rc compare_changes(skn_bench *b, const sized *middle, const sized *large)
{
    skn_samples figure[CHANGES] = {{.n = 0}}, reference[CHANGES] = {{.n = 0}};
    skein_rc    rc;

    if ((rc = cycle(b, middle, reference)) || (rc = cycle(b, large, figure)))
        return rc;
    for (int i = 0; i < CHANGES; i++)
        figure[i].n = reference[i].n = 0; /* that was to warm up */
    for (int64_t i = 0; i < b->size.many_rounds; i++)
        if ((rc = skn_bench_go_on(b)) || (rc = cycle(b, middle, reference)) ||
            (rc = cycle(b, large, figure)))
            return rc;
    for (int i = 0; i < CHANGES && rc == SKEIN_OK; i++)
        rc = skn_bench_compare(b, (skn_bench_id)(SKN_ROW_AMEND + i), &figure[i], &reference[i]);
    return rc;
}

/* Memory, of a process that does nothing else. This program runs itself again for it,
 * with words behind "bench" that no help mentions: what to do, and the chat to do it with. */

#define MEMORY_TAIL    50
#define APPEND_AT_ONCE 100

/* --- The other process ------------------------------------------------------------------------ */

/* Both ends, and then the most that was ever resident. */
static skein_rc read_ends(skn_bench *b, const skn_bench_store *s, int64_t *kb)
{
    skein_slice    what = {.conversation = s->chat, .count = MEMORY_TAIL};
    skein_mem     *mem = b->cli->mem;
    skein_messages m;
    skein_rc       rc;

    if ((rc = skein_read(s->engine, &what, mem, &m, NULL, &b->cli->err)))
        return rc;
    what.from = -MEMORY_TAIL;
    rc = skein_read(s->engine, &what, mem, &m, NULL, &b->cli->err);
    *kb = skn_bench_status_kb(getpid(), "VmHWM");
    return rc;
}

/* How much more was resident while replies were checked and stored. */
static skein_rc append_replies(skn_bench *b, skn_bench_store *s, int64_t *kb)
{
    int64_t  before = skn_bench_status_kb(getpid(), "VmRSS");
    skein_rc rc = skn_bench_fill_chains(b, s, b->size.replies, b->size.levels, APPEND_AT_ONCE);

    *kb = skn_bench_status_kb(getpid(), "VmHWM") - before;
    return rc;
}

static skein_rc alone(skn_bench *b, skn_bench_store *s, int64_t *kb)
{
    skn_str            what = skn_arg(b->cli, 0);
    skein_conversation chat;
    skein_rc           rc;

    if ((rc = skein_conversation_find(s->engine, (skein_world_id){0}, skn_arg(b->cli, 1),
                                      b->cli->keep, &chat, &b->cli->err)))
        return rc;
    s->chat = chat.id;
    s->chat_uid = chat.uid;
    return skn_str_is(what, "resident") ? read_ends(b, s, kb) : append_replies(b, s, kb);
}

skein_rc skn_bench_alone(skn_bench *b)
{
    skn_bench_store s = {.address = skn_opt(b->cli, "db")};
    skn_str         what = skn_arg(b->cli, 0);
    int64_t         kb = 0;
    skein_rc        rc;

    if (b->cli->arg_count == 2 && skn_str_is(what, "bare"))
        return skn_bench_be_bare(b);
    if (b->cli->arg_count == 2 && skn_str_is(what, "model"))
        return skn_bench_be_model(b);
    if (b->cli->arg_count != 2 || !s.address ||
        (!skn_str_is(what, "resident") && !skn_str_is(what, "validation")))
        return skn_fail(&b->cli->err, SKEIN_USAGE, "\"bench\" takes no \"%.*s\"",
                        SKN_FMT(what));
    if (!(rc = skn_bench_reopen(b, &s)))
        rc = alone(b, &s, &kb);
    skn_bench_close(&s);
    if (rc == SKEIN_OK)
        skn_print(b->cli, "%" PRId64 "\n", kb);
    return rc;
}

/* --- This one ----------------------------------------------------------------------------------- */

static bool read_number(int from, int64_t *out)
{
    char   text[64];
    size_t n = 0;

    while (n < sizeof text) {
        ssize_t got = read(from, text + n, sizeof text - n);

        if (got > 0)
            n += (size_t)got;
        else if (got == 0 || errno != EINTR)
            break;
    }
    return skn_str_int(skn_str_trim((skn_str){text, n}), out);
}

static skein_rc run_other(skn_bench *b, const skn_bench_store *s, const char *what, int64_t *kb)
{
    const char *words[] = {"skein",
                           "bench",
                           what,
                           s->chat_uid.p,
                           "--db",
                           s->address,
                           b->quick ? "--quick" : "--quiet",
                           NULL};
    int         from;
    bool        got = false;
    pid_t       pid;

    if (skn_bench_spawn(b, words, &pid, &from)) {
        got = read_number(from, kb);
        close(from);
        got = skn_bench_wait(pid) == 0 && got;
    }
    return got ? SKEIN_OK
               : skn_fail(&b->cli->err, SKEIN_FAILED,
                          "the memory of a process could not be measured");
}

static skein_rc add_memory(skn_bench *b, skn_bench_id row, const skn_bench_store *s,
                           const char *what)
{
    int64_t  kb = 0;
    skein_rc rc = run_other(b, s, what, &kb);

    return rc ? rc : skn_bench_add(b, row, (skn_bench_result){.figure = (double)kb / 1024});
}

skein_rc skn_bench_validation(skn_bench *b, const skn_bench_store *s)
{
    return add_memory(b, SKN_ROW_REPLY_MEMORY, s, "validation");
}

/* --- All sizes --------------------------------------------------------------------------------- */

static skein_rc measure(skn_bench *b, sized *small, sized *middle, sized *large)
{
    int64_t  rounds = b->size.many_rounds;
    skein_rc rc;

    if ((rc = make_store(b, "small", b->size.small, small)) ||
        (rc = make_store(b, "middle", b->size.middle, middle)) ||
        (rc = make_store(b, "large", b->size.large, large)) ||
        (rc = skn_bench_in_turns(b, SKN_ROW_READ_LAST, rounds, time_last, large, small)) ||
        (rc = skn_bench_in_turns(b, SKN_ROW_READ_CONTEXT, rounds, time_context, large,
                                 small)) ||
        (rc = compare_changes(b, middle, large)) || (rc = skn_bench_amends(b, &large->store)) ||
        (rc = skn_bench_timelines(b, &small->store, &large->store)))
        return rc;
    b->size.grown = large->store.length;
    return add_memory(b, SKN_ROW_RESIDENT, &large->store, "resident");
}

skein_rc skn_bench_by_size(skn_bench *b)
{
    sized    small = {.stands = 0}, middle = {.stands = 0}, large = {.stands = 0};
    skein_rc rc = measure(b, &small, &middle, &large);

    skn_bench_close(&small.store);
    skn_bench_close(&middle.store);
    skn_bench_close(&large.store);
    return rc;
}
