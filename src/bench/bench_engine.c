/* bench_engine.c: saying something, durably, one message for each commit: beside the bare database,
 * and many clients beside one. */
#include "base/clock.h"
#include "base/uid.h"
#include "bench/bench.h"

#include <inttypes.h>
#include <pthread.h>

#define MOST_THREADS 16

/* A client on a thread of its own, or on this one. */
typedef struct client {
    skein_engine         *engine;
    skein_conversation_id chat;
    int64_t               count;
    skein_error           err;
    pthread_t             thread;
} client;

static void *say_all(void *arg)
{
    client *c = arg;

    skn_bench_say(c->engine, c->chat, c->count, &c->err);
    return NULL;
}

static skein_rc join_all(skn_bench *b, client *c, int64_t started, int64_t wanted)
{
    skein_rc rc = SKEIN_OK;

    for (int64_t i = 0; i < started; i++)
        pthread_join(c[i].thread, NULL);
    for (int64_t i = 0; i < started && rc == SKEIN_OK; i++)
        if ((rc = c[i].err.rc))
            b->cli->err = c[i].err;
    if (rc == SKEIN_OK && started < wanted)
        rc = skn_fail(&b->cli->err, SKEIN_FAILED,
                      "only %" PRId64 " of %" PRId64 " threads could be started", started,
                      wanted);
    return rc;
}

static skein_rc say_at_once(skn_bench *b, client *c, int64_t threads)
{
    int64_t started = 0;

    while (started < threads &&
           pthread_create(&c[started].thread, NULL, say_all, &c[started]) == 0)
        started++;
    return join_all(b, c, started, threads);
}

/* --- Beside the floor ----------------------------------------------------------------------- */

typedef struct appending {
    skn_bench_store       store;
    skein_conversation_id empty, chats[MOST_THREADS];
    skn_samples           floor, one, many; /* messages per second */
} appending;

static skein_rc make_chats(skn_bench *b, appending *p)
{
    skein_conversation chat;
    skein_rc           rc = SKEIN_OK;

    for (int64_t i = 0; i <= b->size.threads && rc == SKEIN_OK; i++) {
        rc = skein_chat_new(p->store.engine, p->store.world, SKN_STR("client"), b->cli->mem,
                            &chat, &b->cli->err);
        *(i < b->size.threads ? &p->chats[i] : &p->empty) = chat.id;
    }
    return rc;
}

/* The log of the round before is brought into the file first: everybody pays for his own. */
static skein_rc round_floor(skn_bench *b, appending *p, int64_t count, skn_samples *out)
{
    int64_t  nanos;
    skein_rc rc = skn_floor_measure(p->store.engine, p->empty, SKN_BENCH_TEXT, count, &nanos,
                                    &b->cli->err);

    if (rc == SKEIN_OK && count)
        skn_samples_add(out, (double)count * 1e9 / (double)nanos);
    return rc;
}

static skein_rc round_one(skn_bench *b, appending *p)
{
    int64_t  count = b->size.batch, start = skn_clock_monotonic();
    skein_rc rc = skn_bench_say(p->store.engine, p->store.chat, count, &b->cli->err);

    skn_samples_add(&p->one, (double)count / skn_bench_since(start));
    return rc;
}

static skein_rc round_many(skn_bench *b, appending *p)
{
    client   c[MOST_THREADS] = {{.engine = NULL}};
    int64_t  each = b->size.batch / 4, start;
    skein_rc rc;

    for (int64_t i = 0; i < b->size.threads; i++)
        c[i] = (client){.engine = p->store.engine, .chat = p->chats[i], .count = each};
    start = skn_clock_monotonic();
    rc = say_at_once(b, c, b->size.threads);
    skn_samples_add(&p->many, (double)(each * b->size.threads) / skn_bench_since(start));
    return rc;
}

static skein_rc measure(skn_bench *b, appending *p)
{
    skein_rc rc = round_one(b, p); /* to warm up */

    p->one.n = 0;
    for (int64_t i = 0; i < b->size.rounds && rc == SKEIN_OK; i++) {
        if (!(rc = skn_bench_go_on(b)) && !(rc = round_floor(b, p, b->size.batch, &p->floor)) &&
            !(rc = round_one(b, p)) && !(rc = round_floor(b, p, 0, NULL)))
            rc = round_many(b, p);
    }
    return rc;
}

/* --- All into one conversation -------------------------------------------------------------- */

static skein_rc length_of(skn_bench *b, const appending *p, int64_t *out)
{
    skein_conversation chat;
    skein_rc rc = skein_conversation_get(p->store.engine, p->store.chat, b->cli->mem, &chat,
                                         &b->cli->err);

    *out = chat.length;
    return rc;
}

/* Messages that are created at the same moment all arrive, and each once. */
static skein_rc at_once(skn_bench *b, appending *p)
{
    client   c[MOST_THREADS] = {{.engine = NULL}};
    int64_t  writers = b->size.writers, before, after;
    skein_rc rc;

    for (int64_t i = 0; i < writers; i++)
        c[i] = (client){
            .engine = p->store.engine, .chat = p->store.chat, .count = b->size.batch};
    if ((rc = skn_bench_go_on(b)) || (rc = length_of(b, p, &before)) ||
        (rc = say_at_once(b, c, writers)) || (rc = length_of(b, p, &after)))
        return rc;
    return skn_bench_add(b, SKN_ROW_AT_ONCE,
                         (skn_bench_result){.figure = (double)(after - before),
                                            .reference = (double)(b->size.batch * writers)});
}

static skein_rc appends(skn_bench *b)
{
    appending p = {.floor = {.n = 0}};
    skein_rc  rc = skn_bench_open(b, "append", 0, &p.store);

    if (rc)
        return rc;
    if (!(rc = make_chats(b, &p)) && !(rc = measure(b, &p)) &&
        !(rc = skn_bench_compare(b, SKN_ROW_APPEND_ONE, &p.one, &p.floor)) &&
        !(rc = skn_bench_compare(b, SKN_ROW_APPEND_MANY, &p.many, &p.one)))
        rc = at_once(b, &p);
    skn_bench_close(&p.store);
    return rc;
}

/* Many amends in a row, each on the version that the one before made: they must not
 * become slower, and each may keep only what it changed. */

typedef struct amending {
    skn_bench_store  *store;
    skein_message_id *targets;
    double           *times; /* milliseconds */
    int64_t           count;
    int64_t           before, after; /* bytes */
    double            seconds;
} amending;

/* The middle of every part of equal size, shifted at random: no message is amended twice, so its id
 * is known beforehand. The order is random too. */
static skein_rc pick_targets(skn_bench *b, amending *e)
{
    int64_t  part = e->store->length / (e->count + 1);
    skein_rc rc = SKEIN_OK;

    for (int64_t i = 0; i < e->count && rc == SKEIN_OK; i++)
        rc = skn_bench_at(b, e->store, i * part + (int64_t)(skn_random() % (uint64_t)part),
                          &e->targets[i]);
    for (int64_t i = e->count - 1; i > 0; i--) {
        int64_t          k = (int64_t)(skn_random() % (uint64_t)(i + 1));
        skein_message_id kept = e->targets[i];

        e->targets[i] = e->targets[k];
        e->targets[k] = kept;
    }
    return rc;
}

static skein_rc amend_one(skn_bench *b, amending *e, int64_t i)
{
    skein_change  how = {.conversation = e->store->chat};
    skein_version v;
    skein_message m;
    int64_t       start = skn_clock_monotonic();
    skein_rc      rc = skein_amend(e->store->engine, &how, e->targets[i], SKN_BENCH_TEXT,
                                   b->cli->mem, &v, &m, &b->cli->err);

    e->times[i] = skn_bench_since(start) * 1e3;
    e->seconds += e->times[i] / 1e3;
    skein_mem_reset(b->cli->mem);
    return rc;
}

static skein_rc amend_all(skn_bench *b, amending *e)
{
    skein_rc rc = skn_bench_bytes(b, e->store, &e->before);

    for (int64_t i = 0; i < e->count && rc == SKEIN_OK; i++)
        if (!(rc = skn_bench_go_on(b)))
            rc = amend_one(b, e, i);
    return rc ? rc : skn_bench_bytes(b, e->store, &e->after);
}

/* --- The rows ------------------------------------------------------------------------------- */

/* What the bare database takes for as many commits, from a sample of them just after. */
static skein_rc floor_of(skn_bench *b, const amending *e, double *seconds)
{
    skein_conversation chat;
    int64_t            nanos;
    skein_rc           rc;

    if ((rc = skein_chat_new(e->store->engine, e->store->world, SKN_STR("empty"), b->cli->mem,
                             &chat, &b->cli->err)) ||
        (rc = skn_floor_measure(e->store->engine, chat.id, SKN_BENCH_TEXT, b->size.batch,
                                &nanos, &b->cli->err)))
        return rc;
    *seconds = (double)nanos / 1e9 / (double)b->size.batch * (double)e->count;
    return SKEIN_OK;
}

static skein_rc amend_rows(skn_bench *b, const amending *e)
{
    size_t           n = (size_t)b->size.edges;
    skn_bench_result total = {.figure = e->seconds};
    skn_bench_result growth = {.figure = (double)(e->after - e->before) / 1e6,
                               .unknown = e->after < 0};
    skn_bench_result last = {.figure = skn_median(e->times + e->count - b->size.edges, n),
                             .reference = skn_median(e->times, n),
                             .rounds = n};
    skein_rc         rc;

    if ((rc = floor_of(b, e, &total.reference)) ||
        (rc = skn_bench_add(b, SKN_ROW_AMENDS, total)) ||
        (rc = skn_bench_add(b, SKN_ROW_AMENDS_GROWTH, growth)))
        return rc;
    return skn_bench_add(b, SKN_ROW_AMENDS_LAST, last);
}

skein_rc skn_bench_amends(skn_bench *b, skn_bench_store *large)
{
    skn_arena *a = skn_arena_new();
    amending   e = {.store = large, .count = b->size.amends};
    skein_rc   rc;

    e.targets = SKN_ARRAY(a, (size_t)e.count, skein_message_id);
    e.times = SKN_ARRAY(a, (size_t)e.count, double);
    b->size.grown = large->length;
    if (!(rc = pick_targets(b, &e)) && !(rc = amend_all(b, &e)))
        rc = amend_rows(b, &e);
    skn_arena_free(a);
    return rc;
}

/* Reply threads: finding, exporting and checking them. */

typedef struct threads {
    skn_bench_store  store;
    skein_message_id root, end; /* of one chain in the middle */
} threads;

static skein_rc make_threads(skn_bench *b, threads *t)
{
    int64_t  levels = b->size.levels;
    int64_t  root = b->size.replies / 2 / levels * levels;
    skein_rc rc;

    if ((rc = skn_bench_fill_chains(b, &t->store, b->size.replies, b->size.levels, 10000)) ||
        (rc = skn_bench_at(b, &t->store, root, &t->root)))
        return rc;
    return skn_bench_at(b, &t->store, root + levels - 1, &t->end);
}

/* --- Looking up ------------------------------------------------------------------------------- */

/* A thread whole, and the way up from its end. */
static skein_rc look_up(skn_bench *b, void *what, skn_samples *out)
{
    const threads   *t = what;
    skein_reply_tree tree;
    skein_messages   above;
    skein_mem       *mem = b->cli->mem;
    int64_t          start = skn_clock_monotonic();
    skein_rc         rc;

    if (!(rc = skein_reply_tree_read(t->store.engine, t->store.chat, 0, t->root, mem, &tree,
                                     &b->cli->err)))
        rc = skein_reply_ancestors(t->store.engine, t->store.chat, 0, t->end, mem, &above,
                                   &b->cli->err);
    skn_samples_add(out, skn_bench_since(start) * 1e3);
    return rc;
}

/* --- Exporting ---------------------------------------------------------------------------------- */

static skein_rc drop_bytes(void *arg, skn_str bytes, skein_error *err)
{
    (void)err;
    *(size_t *)arg += bytes.n;
    return SKEIN_OK;
}

static skein_rc export_thread(skn_bench *b, void *what, skn_samples *out)
{
    const threads     *t = what;
    size_t             written = 0;
    skn_sink           sink = {drop_bytes, &written};
    skn_export_request r = {
        .conversation = t->store.chat, .root = t->root, .format = SKN_FORMAT_MD};
    int64_t  start = skn_clock_monotonic();
    skein_rc rc = skn_export(t->store.engine, &r, &sink, &b->cli->err);

    skn_samples_add(out, skn_bench_since(start) * 1e3);
    return rc;
}

static skein_rc replies(skn_bench *b)
{
    threads         t;
    skn_bench_store fresh;
    skein_rc        rc = skn_bench_open(b, "replies", 0, &t.store);

    if (rc)
        return rc;
    if (!(rc = make_threads(b, &t)) &&
        !(rc = skn_bench_in_turns(b, SKN_ROW_REPLY_FIND, b->size.rounds, look_up, &t, NULL)))
        rc = skn_bench_in_turns(b, SKN_ROW_REPLY_EXPORT, b->size.rounds, export_thread, &t,
                                NULL);
    skn_bench_close(&t.store);
    if (rc || (rc = skn_bench_open(b, "validation", 0, &fresh)))
        return rc;
    rc = skn_bench_validation(b, &fresh);
    skn_bench_close(&fresh);
    return rc;
}

/* One more record costs the same, however many came before it: in the fold itself,
 * and through the engine's cache of what it has folded. */

#define BURST 64 /* records of a round: one alone is too short for the clock */

/* --- The fold ------------------------------------------------------------------------------- */

typedef struct folded {
    skein_timelines *set;
    int64_t          count;
} folded;

/* A person's message, an answer, a call and its result, over and over. */
static skein_record record(int64_t n, char id[static 32], char call[static 32])
{
    static const skein_record_type types[] = {SKEIN_RECORD_USER_MESSAGE,
                                              SKEIN_RECORD_AGENT_MESSAGE,
                                              SKEIN_RECORD_TOOL_CALL, SKEIN_RECORD_TOOL_RESULT};
    skein_record r = {.lane = SKN_STR("main"), .type = types[n % 4], .text = SKN_BENCH_TEXT};

    snprintf(id, 32, "e%" PRId64, n);
    snprintf(call, 32, "call%" PRId64, n / 4);
    r.id = skn_str_of(id);
    if (n % 4 >= 2)
        r.call_id = skn_str_of(call);
    if (n % 4 == 2) {
        r.tool_name = SKN_STR("search");
        r.input = SKN_STR("{\"query\":\"dates\"}");
        r.text = SKN_NONE;
    }
    return r;
}

static skein_rc fold(skn_bench *b, folded *f, int64_t count)
{
    char     id[32], call[32];
    skein_rc rc = SKEIN_OK;

    for (int64_t i = 0; i < count && rc == SKEIN_OK; i++) {
        skein_record r = record(f->count++, id, call);

        rc = skein_timelines_apply(f->set, &r, &b->cli->err);
    }
    return rc;
}

static skein_rc time_burst(skn_bench *b, void *what, skn_samples *out)
{
    int64_t  start = skn_clock_monotonic();
    skein_rc rc = fold(b, what, BURST);

    skn_samples_add(out, skn_bench_since(start) * 1e6 / BURST);
    return rc;
}

static skein_rc compare_folds(skn_bench *b, folded *small, folded *large)
{
    skein_rc rc;

    if ((rc = fold(b, small, b->size.small)) || (rc = fold(b, large, b->size.large)))
        return rc;
    return skn_bench_in_turns(b, SKN_ROW_FOLD, b->size.many_rounds, time_burst, large, small);
}

static skein_rc measure_fold(skn_bench *b)
{
    folded   small = {skein_timelines_new(NULL), 0}, large = {skein_timelines_new(NULL), 0};
    skein_rc rc = compare_folds(b, &small, &large);

    skein_timelines_free(small.set);
    skein_timelines_free(large.set);
    return rc;
}

/* --- The engine's timelines ------------------------------------------------------------------- */

static skein_rc look_at_last(skein_timelines *set, void *arg, skein_error *err)
{
    (void)err;
    *(size_t *)arg = skein_timeline_item_count(skein_timelines_main(set));
    return SKEIN_OK;
}

static skein_rc time_visit(skn_bench *b, void *what, skn_samples *out)
{
    skn_bench_store *s = what;
    size_t           items;
    int64_t          start;
    skein_rc         rc = skn_bench_fill(b, s, 1);

    if (rc)
        return rc;
    start = skn_clock_monotonic();
    rc = skein_timeline_visit(s->engine, s->chat, 0, look_at_last, &items, &b->cli->err);
    skn_samples_add(out, skn_bench_since(start) * 1e3);
    return rc;
}

skein_rc skn_bench_timelines(skn_bench *b, skn_bench_store *small, skn_bench_store *large)
{
    skein_rc rc = measure_fold(b);

    if (rc)
        return rc;
    return skn_bench_in_turns(b, SKN_ROW_VISIT, b->size.many_rounds, time_visit, large, small);
}

/* Chats with many agents, each of whom has heard everything: what is removed leaves all
 * their memories at once. */

typedef struct room room;

typedef skein_rc removing(skn_bench *b, const room *r, const skein_change *how);

struct room {
    skn_bench_store  store;
    skein_message_id target;
    removing        *remove;
};

static skein_rc room_make(skn_bench *b, const char *name, int64_t agents, room *r)
{
    skein_rc rc;

    if ((rc = skn_bench_open(b, name, agents, &r->store)))
        return rc;
    if ((rc = skn_bench_fill(b, &r->store, b->size.room)) ||
        (rc = skn_bench_at(b, &r->store, 0, &r->target)))
        skn_bench_close(&r->store);
    return rc;
}

static skein_rc remove_all(skn_bench *b, const room *r, const skein_change *how)
{
    skein_removal out;

    return skein_remove_from(r->store.engine, how, r->target, true, b->cli->mem, &out,
                             &b->cli->err);
}

static skein_rc edit(skn_bench *b, const room *r, const skein_change *how)
{
    skein_removal out;

    return skein_edit(r->store.engine, how, r->target, SKN_BENCH_TEXT, b->cli->mem, &out,
                      &b->cli->err);
}

/* From the first message on, so that every message leaves every memory; then all come back. */
static skein_rc time_removal(skn_bench *b, void *what, skn_samples *out)
{
    const room  *r = what;
    skein_change how = {.conversation = r->store.chat};
    skein_move   back;
    int64_t      start = skn_clock_monotonic();
    skein_rc     rc = r->remove(b, r, &how);

    skn_samples_add(out, skn_bench_since(start) * 1e3);
    return rc ? rc : skein_undo(r->store.engine, &how, 1, b->cli->mem, &back, &b->cli->err);
}

static skein_rc measure_room(skn_bench *b, skn_bench_id row, int64_t agents, removing *remove)
{
    room     r = {.remove = remove};
    skein_rc rc = room_make(b, skn_bench_text(b, "room-%d", (int)row), agents, &r);

    if (rc)
        return rc;
    rc = skn_bench_in_turns(b, row, b->size.rounds, time_removal, &r, NULL);
    skn_bench_close(&r.store);
    return rc;
}

static skein_rc rooms(skn_bench *b)
{
    skein_rc rc;

    if ((rc = measure_room(b, SKN_ROW_ROOM_REMOVE, b->size.agents, remove_all)) ||
        (rc = measure_room(b, SKN_ROW_ROOM_EDIT_10, 10, edit)) ||
        (rc = measure_room(b, SKN_ROW_ROOM_EDIT_50, 50, edit)))
        return rc;
    return measure_room(b, SKN_ROW_ROOM_EDIT_100, 100, edit);
}

skein_rc skn_bench_engine(skn_bench *b)
{
    skein_rc rc;

    if ((rc = appends(b)) || (rc = skn_bench_by_size(b)) || (rc = rooms(b)))
        return rc;
    return replies(b);
}
