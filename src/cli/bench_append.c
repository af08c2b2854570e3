/* bench_append.c: saying something, durably, one message for each commit: beside the bare database,
 * and many clients beside one. */
#include "cli/bench.h"

#include "base/clock.h"
#include "base/error.h"

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

static skein_rc say(client *c)
{
    skein_mem           *mem = skein_mem_new();
    skein_new_message    m = {.role = SKEIN_USER, .content = SKN_BENCH_TEXT};
    skein_append_request r = {.conversation = c->chat, .messages = &m, .count = 1};
    skein_messages       stored;
    skein_rc             rc = SKEIN_OK;

    for (int64_t i = 0; i < c->count && rc == SKEIN_OK; i++) {
        rc = skein_append(c->engine, &r, mem, &stored, &c->err);
        skein_mem_reset(mem);
    }
    skein_mem_free(mem);
    return rc;
}

static void *say_all(void *arg)
{
    say(arg);
    return NULL;
}

static skein_rc join_all(skn_bench *b, client *c, int started, int wanted)
{
    skein_rc rc = SKEIN_OK;

    for (int i = 0; i < started; i++)
        pthread_join(c[i].thread, NULL);
    for (int i = 0; i < started && rc == SKEIN_OK; i++)
        if ((rc = c[i].err.rc))
            b->cli->err = c[i].err;
    if (rc == SKEIN_OK && started < wanted)
        rc = skn_fail(&b->cli->err, SKEIN_FAILED, "only %d of %d threads could be started",
                      started, wanted);
    return rc;
}

static skein_rc say_at_once(skn_bench *b, client *c, int threads)
{
    int started = 0;

    while (started < threads &&
           pthread_create(&c[started].thread, NULL, say_all, &c[started]) == 0)
        started++;
    return join_all(b, c, started, threads);
}

/* --- Beside the floor ----------------------------------------------------------------------- */

typedef struct appending {
    skn_bench_store       store;
    skein_conversation_id empty, chats[MOST_THREADS];
    skn_samples           floor, one, many; /* messages in a second */
} appending;

static skein_rc make_chats(skn_bench *b, appending *p)
{
    skein_conversation chat;
    skein_rc           rc = SKEIN_OK;

    for (int i = 0; i <= b->size.threads && rc == SKEIN_OK; i++) {
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
    client   c = {.engine = p->store.engine, .chat = p->store.chat, .count = b->size.batch};
    int64_t  start = skn_clock_monotonic();
    skein_rc rc = say(&c);

    skn_samples_add(&p->one, (double)c.count / skn_bench_since(start));
    if (rc)
        b->cli->err = c.err;
    return rc;
}

static skein_rc round_many(skn_bench *b, appending *p)
{
    client   c[MOST_THREADS] = {{.engine = NULL}};
    int64_t  each = b->size.batch / 4, start;
    skein_rc rc;

    for (int i = 0; i < b->size.threads; i++)
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
    for (int i = 0; i < b->size.rounds && rc == SKEIN_OK; i++) {
        if (!(rc = skn_bench_go_on(b)) && !(rc = round_floor(b, p, b->size.batch, &p->floor)) &&
            !(rc = round_one(b, p)) && !(rc = round_floor(b, p, 0, NULL)))
            rc = round_many(b, p);
    }
    return rc;
}

static skein_rc rows(skn_bench *b, const appending *p)
{
    skn_arena    *a = b->cli->keep;
    skn_bench_row one = {.what = "durable append, one client",
                         .unit = "/s",
                         .against = "floor",
                         .ratio_min = 0.5};
    skn_bench_row many = {.unit = "/s", .against = "one client", .ratio_min = 2.5};
    skein_rc      rc;

    many.what = skn_arena_printf(a, "durable append, %d threads", b->size.threads).p;
    rc = skn_bench_compare(b, one, &p->one, &p->floor);
    return rc ? rc : skn_bench_compare(b, many, &p->many, &p->one);
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
    client        c[MOST_THREADS] = {{.engine = NULL}};
    int           writers = b->size.writers;
    int64_t       before, after;
    skn_bench_row row = {.against = "sent", .unit = "", .ratio_min = 1, .rounds = 1};
    skein_rc      rc;

    row.what = skn_arena_printf(b->cli->keep, "%d writers at once, messages stored", writers).p;
    for (int i = 0; i < writers; i++)
        c[i] = (client){
            .engine = p->store.engine, .chat = p->store.chat, .count = b->size.batch};
    if ((rc = skn_bench_go_on(b)) || (rc = length_of(b, p, &before)) ||
        (rc = say_at_once(b, c, writers)) || (rc = length_of(b, p, &after)))
        return rc;
    row.figure = (double)(after - before);
    row.reference = (double)(b->size.batch * writers);
    row.ratio = row.figure / row.reference;
    return skn_bench_add(b, &row);
}

skein_rc skn_bench_appends(skn_bench *b)
{
    appending p = {.floor = {.n = 0}};
    skein_rc  rc = skn_bench_open(b, "append", 0, &p.store);

    if (rc)
        return rc;
    if (!(rc = make_chats(b, &p)) && !(rc = measure(b, &p)) && !(rc = rows(b, &p)))
        rc = at_once(b, &p);
    skn_bench_close(&p.store);
    return rc;
}
