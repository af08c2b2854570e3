/* The feed as its readers meet it: in order and without gaps beside many writers, the same bytes
 * every time, forgotten from its old end, and noticed by others. */
#include "store/feed_kit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static skein_message say(kit *k, const char *text)
{
    return kit_say(k, SKEIN_USER, "human", text);
}

static void say_in(skein_engine *e, skein_conversation_id chat, const char *text, bool fails,
                   skein_rc *rc)
{
    skein_mem           *mem = skein_mem_new();
    skein_new_message    m = {.role = SKEIN_USER, .content = skein_text(text)};
    skein_append_request r = {.conversation = chat, .messages = &m, .count = 1};
    skein_messages       out;
    skein_error          err;

    if (fails)
        r.expect = (skein_at){{1}, 1000000};
    *rc = skein_append(e, &r, mem, &out, &err);
    skein_mem_free(mem);
}

/* --- Writers and a reader at once -------------------------------------------------------------- */

enum { WRITERS = 8, EACH = 60 };

typedef struct writer {
    skein_engine         *e;
    skein_conversation_id chat;
    atomic_int           *left;
    int                   wrong;
    pthread_t             thread;
} writer;

/* Every third attempt is refused, and must leave no event. */
static void *write_all(void *arg)
{
    writer  *w = arg;
    char     text[40];
    skein_rc rc;

    for (int i = 0; i < EACH; i++) {
        snprintf(text, sizeof text, "message %d", i);
        say_in(w->e, w->chat, text, false, &rc);
        w->wrong += rc != SKEIN_OK;
        if (i % 3 == 0) {
            say_in(w->e, w->chat, "never", true, &rc);
            w->wrong += rc != SKEIN_VERSION_CHANGED;
        }
    }
    atomic_fetch_sub(w->left, 1);
    return NULL;
}

static void start_writers(kit *k, skein_engine *other, writer *w, atomic_int *left)
{
    skein_conversation chat;

    for (int i = 0; i < WRITERS; i++) {
        KIT_OK(k, skein_chat_new(k->e, k->world.id, SKN_NONE, k->mem, &chat, &k->err));
        w[i] = (writer){.e = i % 2 ? other : k->e, .chat = chat.id, .left = left};
    }
    for (int i = 0; i < WRITERS; i++)
        assert_int_equal(pthread_create(&w[i].thread, NULL, write_all, &w[i]), 0);
}

/* What a reader sees that asks again and again for what came after the last it saw. */
static size_t tail(kit *k, int64_t after, atomic_int *left, int64_t *seen, size_t most)
{
    skein_event_query what = {.after = after, .limit = 7};
    skein_events      page;
    skein_mem        *mem = skein_mem_new();
    size_t            n = 0;
    bool              last;

    do {
        last = atomic_load(left) == 0;
        do {
            skein_mem_reset(mem);
            KIT_OK(k, skein_events_read(k->e, &what, mem, &page, &k->err));
            for (size_t i = 0; i < page.count && n < most; i++) {
                assert_true(page.at[i].seq > what.after);
                what.after = seen[n++] = page.at[i].seq;
            }
        } while (page.count > 0);
    } while (!last);
    skein_mem_free(mem);
    return n;
}

static void a_reader_behind_many_writers_sees_each_event_once(void **state)
{
    kit           k;
    skein_options options = SKEIN_OPTIONS_INIT;
    skein_engine *other;
    writer        w[WRITERS];
    atomic_int    left = WRITERS;
    int64_t       seen[WRITERS * EACH + 10], start;
    skein_events  all;
    size_t        n;

    kit_open(&k, state);
    options.store = skein_text(k.fx->address);
    KIT_OK(&k, skein_open(&other, &options, &k.err));
    start_writers(&k, other, w, &left);
    start = 0;
    n = tail(&k, start, &left, seen, sizeof seen / sizeof seen[0]);
    (void)n;
    for (int i = 0; i < WRITERS; i++) {
        pthread_join(w[i].thread, NULL);
        assert_int_equal(w[i].wrong, 0);
    }
    all = feed_after(&k, start);
    skein_close(other);
    assert_int_equal(n, all.count);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(seen[i], all.at[i].seq);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {SKN_BOTH(a_reader_behind_many_writers_sees_each_event_once)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
