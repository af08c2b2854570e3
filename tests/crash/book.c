#include "book.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void skn_book_init(skn_book *b)
{
    *b = (skn_book){.mem = skein_mem_new()};
    pthread_mutex_init(&b->mu, NULL);
}

void skn_book_release(skn_book *b)
{
    pthread_mutex_destroy(&b->mu);
    skein_mem_free(b->mem);
}

/* --- Taking down ------------------------------------------------------------------------------ */

static int64_t number(skein_str *rest, int base)
{
    skein_str piece;
    char      text[40] = "";

    assert_true(skn_str_split(rest, ' ', &piece));
    assert_true(piece.n > 0 && piece.n < sizeof text);
    memcpy(text, piece.p, piece.n);
    return (int64_t)strtoull(text, NULL, base);
}

static void note_said(skn_book *b, skein_str rest)
{
    int64_t thread = number(&rest, 10), first = number(&rest, 10), count = number(&rest, 10);

    assert_in_range(thread, 0, SKN_LOAD_THREADS - 1);
    assert_int_equal(first, b->said[thread]);
    b->said[thread] = first + count;
}

static void note_made(skn_book *b, skein_str rest, bool message)
{
    skn_book_made m = {0};
    skein_str     uid;

    if (message) {
        assert_true(skn_str_split(&rest, ' ', &uid));
        m.uid = skn_arena_copy(b->mem, uid);
        m.hash = (uint64_t)number(&rest, 16);
    }
    m.version = number(&rest, 10);
    m.kind = skn_arena_copy(b->mem, rest);
    skn_vec_add(b->mem, &b->made, m);
}

void skn_book_line(skn_book *b, skein_str line)
{
    skein_str rest = line, word;

    assert_true(skn_str_split(&rest, ' ', &word));
    if (skn_str_is(word, "said"))
        note_said(b, rest);
    else if (skn_str_is(word, "made") || skn_str_is(word, "version"))
        note_made(b, rest, skn_str_is(word, "made"));
    else if (skn_str_is(word, "fork"))
        skn_vec_add(b->mem, &b->forks, skn_arena_copy(b->mem, rest));
    else if (!skn_str_is(word, "moved"))
        fail_msg("the load told \"%.*s\"", SKN_FMT(line));
    b->lines++;
}

void skn_book_keep(skn_book *b, const char *line)
{
    pthread_mutex_lock(&b->mu);
    skn_vec_add(b->mem, &b->kept, skn_arena_copy(b->mem, skein_text(line)));
    pthread_mutex_unlock(&b->mu);
}

int64_t skn_book_kept(skn_book *b)
{
    int64_t n;

    pthread_mutex_lock(&b->mu);
    n = (int64_t)b->kept.n;
    pthread_mutex_unlock(&b->mu);
    return n;
}

void skn_book_settle(skn_book *b)
{
    for (size_t i = 0; i < b->kept.n; i++)
        skn_book_line(b, b->kept.p[i]);
    b->kept.n = 0;
}

/* --- What was said ---------------------------------------------------------------------------- */

static const skein_message *stored(const skn_whole *w, int thread, int64_t n)
{
    char uid[32];

    skn_load_uid(thread, n, uid);
    return skn_map_get(w->messages, skein_text(uid));
}

static void check_said(const skn_whole *w, int thread, int64_t n, skn_buf *text)
{
    const skein_message *m = stored(w, thread, n);

    skn_buf_clear(text);
    skn_load_text(thread, n, text);
    if (!m)
        fail_msg("message %" PRId64 " of thread %d was acknowledged and is in no version", n,
                 thread);
    if (!skn_str_eq(m->content, skn_buf_str(text)))
        fail_msg("message %" PRId64 " of thread %d has another text", n, thread);
}

/* A thread sends one append at a time, so at most one that was not acknowledged can be there; and
 * it is there whole, or not at all. */
static void check_thread(const skn_book *b, const skn_whole *w, int thread, skn_buf *text)
{
    int64_t n = 0, said = b->said[thread];
    size_t  last = skn_load_batch(thread, said), extra = 0;

    for (; n < said; n++)
        check_said(w, thread, n, text);
    for (size_t i = 0; i < SKN_LOAD_BATCH * 2; i++)
        extra += stored(w, thread, said + (int64_t)i) != NULL;
    if (extra != 0 && extra != last)
        fail_msg("thread %d: %zu messages of an append of %zu are there", thread, extra, last);
    for (size_t i = 0; i < extra; i++)
        check_said(w, thread, said + (int64_t)i, text);
}

/* --- Where it stands -------------------------------------------------------------------------- */

/* What a thread says later never stands before what it said earlier, in any version. */
static void check_order(const skn_whole_chat *c, const skn_whole_version *v)
{
    int64_t last[SKN_LOAD_THREADS];

    for (int i = 0; i < SKN_LOAD_THREADS; i++)
        last[i] = -1;
    for (size_t i = 0; i < v->lanes[0].messages.count; i++) {
        const skein_message *m = &v->lanes[0].messages.at[i];
        int                  thread;
        int64_t              n;

        if (sscanf(m->uid.p, "t%d.%" SCNd64, &thread, &n) != 2 || m->uid.p[0] != 't')
            continue;
        if (n <= last[thread])
            fail_msg("%.*s v%" PRId64 ": message %" PRId64
                     " of thread %d stands after %" PRId64,
                     SKN_FMT(c->conversation.uid), v->version.number, n, thread, last[thread]);
        last[thread] = n;
    }
}

/* --- What changes made ------------------------------------------------------------------------ */

static const skn_whole_version *find_version(const skn_whole_chat *c, int64_t number)
{
    for (size_t i = 0; i < c->version_count; i++)
        if (c->versions[i].version.number == number)
            return &c->versions[i];
    return NULL;
}

static bool holds(const skn_whole_version *v, skein_str uid)
{
    for (size_t i = 0; i < v->lanes[0].messages.count; i++)
        if (skn_str_eq(v->lanes[0].messages.at[i].uid, uid))
            return true;
    return false;
}

static void check_made(const skn_whole_chat *talk, const skn_book_made *m, const skn_whole *w)
{
    const skn_whole_version *v = find_version(talk, m->version);
    const skein_message     *kept = m->uid.p ? skn_map_get(w->messages, m->uid) : NULL;

    if (!v || !skn_str_eq(v->version.kind, m->kind))
        fail_msg("v%" PRId64 " (%.*s) was acknowledged and is not there", m->version,
                 SKN_FMT(m->kind));
    if (!m->uid.p)
        return;
    if (!kept || !holds(v, m->uid) || skn_hash_bytes(1, kept->content) != m->hash)
        fail_msg("\"%.*s\" was acknowledged and is not in v%" PRId64 " as it was",
                 SKN_FMT(m->uid), m->version);
}

static const char *const makers[] = {"amend", "insert", "squash", "edit"};
#define MAKERS (sizeof makers / sizeof makers[0])

/* Of the changes that make a message there are as many as of their messages, and each holds one;
 * that is also so for those that were never acknowledged. */
static void check_makers(const skn_whole_chat *talk)
{
    size_t     made[MAKERS] = {0}, found[MAKERS] = {0};
    skein_mem *mem = skein_mem_new();
    skn_map   *seen = skn_map_new(mem);

    for (size_t i = 0; i < talk->version_count; i++) {
        const skn_whole_version *v = &talk->versions[i];

        for (size_t k = 0; k < MAKERS; k++)
            made[k] += skn_str_is(v->version.kind, makers[k]);
        for (size_t n = 0; n < v->lanes[0].messages.count; n++) {
            const skein_message *m = &v->lanes[0].messages.at[n];
            void               **slot = skn_map_slot_int(seen, m->id.v);

            for (size_t k = 0; !*slot && k < MAKERS; k++)
                found[k] += skn_str_starts(m->content, skn_str_of(makers[k]));
            *slot = seen;
        }
    }
    for (size_t k = 0; k < MAKERS; k++)
        if (made[k] != found[k])
            fail_msg("%zu versions by %s, but %zu messages of theirs", made[k], makers[k],
                     found[k]);
    skein_mem_free(mem);
}

static const skn_whole_chat *find_chat(const skn_whole *w, skein_str ref)
{
    for (size_t i = 0; i < w->chat_count; i++)
        if (skn_str_eq(w->chats[i].conversation.uid, ref) ||
            skn_str_eq(w->chats[i].conversation.title, ref))
            return &w->chats[i];
    return NULL;
}

void skn_book_check(const skn_book *b, const skn_whole *w)
{
    const skn_whole_chat *talk = find_chat(w, skein_text("talk"));
    skn_buf               text;

    skn_whole_check(w);
    if (!talk) { /* it was stopped before that */
        assert_int_equal(b->lines, 0);
        return;
    }
    skn_buf_init(&text, (size_t)1 << 20);
    for (int i = 0; i < SKN_LOAD_THREADS; i++)
        check_thread(b, w, i, &text);
    skn_buf_release(&text);
    for (size_t i = 0; i < b->made.n; i++)
        check_made(talk, &b->made.p[i], w);
    check_makers(talk);
    for (size_t i = 0; i < w->chat_count; i++)
        for (size_t k = 0; k < w->chats[i].version_count; k++)
            check_order(&w->chats[i], &w->chats[i].versions[k]);
    for (size_t i = 0; i < b->forks.n; i++)
        if (!find_chat(w, b->forks.p[i]))
            fail_msg("branch \"%.*s\" was acknowledged and is not there",
                     SKN_FMT(b->forks.p[i]));
}
