#include "load.h"

#include "base/hash.h"

#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define NEAR       12 /* changes pick among so many of the latest messages */
#define LONG_CHAT  50 /* from here on, more is removed than said */
#define TEXT_LIMIT ((size_t)1 << 20)
#define CHAT_TITLE "talk"

uint64_t skn_dice_next(skn_dice *d)
{
    uint64_t z = d->state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

size_t skn_dice_below(skn_dice *d, size_t n)
{
    return (size_t)(skn_dice_next(d) % n);
}

/* --- Names and texts -------------------------------------------------------------------------- */

void skn_load_uid(int thread, int64_t n, char out[static 32])
{
    snprintf(out, 32, "t%d.%" PRId64, thread, n);
}

static skn_dice dice_of(int thread, int64_t n)
{
    return (skn_dice){(uint64_t)n * 64 + (uint64_t)thread};
}

/* Most texts are short; some do not fit a page. */
static void add_text(skn_buf *out, skn_dice *d, const char *word, const char *name)
{
    size_t length = skn_dice_below(d, skn_dice_below(d, 8) ? 80 : 9000);

    skn_buf_addf(out, "%s %s ", word, name);
    while (length-- > 0)
        skn_buf_addc(out, (char)('a' + skn_dice_below(d, 26)));
}

void skn_load_text(int thread, int64_t n, skn_buf *out)
{
    skn_dice d = dice_of(thread, n);
    char     uid[32];

    skn_load_uid(thread, n, uid);
    add_text(out, &d, "say", uid);
}

size_t skn_load_batch(int thread, int64_t n)
{
    skn_dice d = dice_of(thread, -n - 1);

    return skn_dice_below(&d, 4) ? 1 : 1 + skn_dice_below(&d, SKN_LOAD_BATCH);
}

/* --- One thread ------------------------------------------------------------------------------- */

typedef struct worker {
    skn_load      *l;
    int            number;
    int64_t        next, calls;
    skn_dice       dice;
    skein_mem     *mem;
    skn_buf        text;
    skein_messages near; /* the latest messages of the current version */
    pthread_t      thread;
} worker;

__attribute__((format(printf, 2, 3))) static void tell(worker *w, const char *fmt, ...)
{
    char    line[300];
    va_list args;

    va_start(args, fmt);
    vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    w->l->tell(w->l->arg, line);
}

static skein_change how(worker *w)
{
    return (skein_change){.conversation = w->l->chat};
}

/* A text for a message that a change makes; nothing else has the same. */
static skein_str new_text(worker *w, const char *word)
{
    char name[60];

    snprintf(name, sizeof name, "%" PRIx64 ".%d.%" PRId64, w->l->seed, w->number, w->calls);
    skn_buf_clear(&w->text);
    add_text(&w->text, &w->dice, word, name);
    return skn_buf_str(&w->text);
}

static void tell_made(worker *w, const skein_message *m, const skein_version *v)
{
    tell(w, "made %.*s %016" PRIx64 " %" PRId64 " %.*s", SKN_FMT(m->uid),
         skn_hash_bytes(1, m->content), v->number, SKN_FMT(v->kind));
}

static skein_message_id pick(worker *w)
{
    return w->near.at[skn_dice_below(&w->dice, w->near.count)].id;
}

/* --- What it does ----------------------------------------------------------------------------- */

typedef skein_rc action(worker *w, skein_error *err);

static skein_rc say(worker *w, skein_error *err)
{
    size_t               count = skn_load_batch(w->number, w->next);
    char                 uid[SKN_LOAD_BATCH][32];
    skein_new_message    m[SKN_LOAD_BATCH] = {0};
    skein_append_request r = {.conversation = w->l->chat, .messages = m, .count = count};
    skein_messages       stored;
    skein_rc             rc;

    for (size_t i = 0; i < count; i++) {
        skn_load_uid(w->number, w->next + (int64_t)i, uid[i]);
        skn_buf_clear(&w->text);
        skn_load_text(w->number, w->next + (int64_t)i, &w->text);
        m[i] = (skein_new_message){.uid = skein_text(uid[i]),
                                   .role = w->number % 2 ? SKEIN_ASSISTANT : SKEIN_USER,
                                   .sender = w->number % 2 ? skein_text("guest") : SKN_NONE,
                                   .content = skn_arena_copy(w->mem, skn_buf_str(&w->text))};
    }
    if ((rc = skein_append(w->l->e, &r, w->mem, &stored, err)))
        return rc;
    tell(w, "said %d %" PRId64 " %zu", w->number, w->next, count);
    w->next += (int64_t)count;
    return SKEIN_OK;
}

static skein_rc amend(worker *w, skein_error *err)
{
    skein_change  h = how(w);
    skein_version v;
    skein_message m;
    skein_rc rc = skein_amend(w->l->e, &h, pick(w), new_text(w, "amend"), w->mem, &v, &m, err);

    if (rc == SKEIN_OK)
        tell_made(w, &m, &v);
    return rc;
}

static skein_rc insert(worker *w, skein_error *err)
{
    skein_change      h = how(w);
    skein_new_message n = {.role = SKEIN_USER, .content = new_text(w, "insert")};
    skein_version     v;
    skein_message     m;
    skein_rc          rc = skein_insert(w->l->e, &h, pick(w), &n, w->mem, &v, &m, err);

    if (rc == SKEIN_OK)
        tell_made(w, &m, &v);
    return rc;
}

static skein_rc squash(worker *w, skein_error *err)
{
    skein_change      h = how(w);
    skein_message_id  ids[2];
    size_t            first;
    skein_squash_spec spec = {.sources = {ids, 2}, .content = new_text(w, "squash")};
    skein_squash      out;
    skein_rc          rc;

    if (w->near.count < 2)
        return say(w, err);
    first = skn_dice_below(&w->dice, w->near.count - 1);
    ids[0] = w->near.at[first].id;
    ids[1] = w->near.at[w->near.count - 1].id;
    if ((rc = skein_squash_messages(w->l->e, &h, &spec, w->mem, &out, err)) == SKEIN_OK)
        tell_made(w, &out.result, &out.version);
    return rc;
}

static skein_rc remove_some(worker *w, skein_error *err)
{
    skein_change  h = how(w);
    skein_removal out;
    skein_rc      rc = skein_remove_from(w->l->e, &h, pick(w), false, w->mem, &out, err);

    if (rc == SKEIN_OK)
        tell(w, "version %" PRId64 " remove", out.version.number);
    return rc;
}

static skein_rc delete_one(worker *w, skein_error *err)
{
    skein_change     h = how(w);
    skein_message_id id = pick(w);
    skein_version    v;
    skein_rc rc = skein_delete(w->l->e, &h, (skein_message_ids){&id, 1}, w->mem, &v, err);

    if (rc == SKEIN_OK)
        tell(w, "version %" PRId64 " delete", v.number);
    return rc;
}

static skein_rc edit(worker *w, skein_error *err)
{
    skein_change  h = how(w);
    skein_removal out;
    skein_rc      rc = skein_edit(w->l->e, &h, pick(w), new_text(w, "edit"), w->mem, &out, err);

    if (rc == SKEIN_OK)
        tell_made(w, &out.added, &out.version);
    return rc;
}

static skein_rc told_move(worker *w, skein_rc rc, const skein_move *m)
{
    if (rc == SKEIN_OK)
        tell(w, "moved %" PRId64, m->to.number);
    return rc;
}

static skein_rc undo(worker *w, skein_error *err)
{
    skein_change h = how(w);
    skein_move   m;

    return told_move(w, skein_undo(w->l->e, &h, 1, w->mem, &m, err), &m);
}

static skein_rc redo(worker *w, skein_error *err)
{
    skein_change h = how(w);
    skein_move   m;

    return told_move(w, skein_redo(w->l->e, &h, 1, w->mem, &m, err), &m);
}

static skein_rc change_version(worker *w, skein_error *err)
{
    skein_change       h = how(w);
    skein_conversation c;
    skein_move         m;
    int64_t            to;
    skein_rc           rc;

    if ((rc = skein_conversation_get(w->l->e, w->l->chat, w->mem, &c, err)))
        return rc;
    to = 1 + (int64_t)skn_dice_below(&w->dice, (size_t)c.version);
    return told_move(w, skein_switch(w->l->e, &h, to, w->mem, &m, err), &m);
}

static skein_rc branch(worker *w, skein_error *err)
{
    skein_change       h = how(w);
    skein_conversation c;
    skein_rc rc = skein_branch(w->l->e, &h, 0, -1, skein_text("branch"), w->mem, &c, err);

    if (rc == SKEIN_OK)
        tell(w, "fork %.*s", SKN_FMT(c.uid));
    return rc;
}

/* --- The game --------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    action     *run;
    int         weight; /* of a hundred */
    bool        needs;  /* a message to work on */
} actions[] = {
    {"append", say, 56, false},       {"amend", amend, 10, true},
    {"insert", insert, 5, true},      {"squash", squash, 5, true},
    {"remove", remove_some, 5, true}, {"delete", delete_one, 3, true},
    {"edit", edit, 4, true},          {"undo", undo, 5, false},
    {"redo", redo, 3, false},         {"switch", change_version, 2, false},
    {"branch", branch, 2, false},
};
enum { SAY, SQUASH = 3, REMOVE = 4 };

static size_t choose(worker *w)
{
    int    left = (int)skn_dice_below(&w->dice, 100);
    size_t i = 0;

    while ((left -= actions[i].weight) >= 0)
        i++;
    if (w->near.count == 0 && actions[i].needs)
        return SAY;
    if (w->near.count > 0 && w->near.at[0].position > LONG_CHAT &&
        skn_dice_below(&w->dice, 6) == 0)
        return REMOVE;
    return i;
}

/* Refusals that the threads cause one another: what one wanted to change, another took away. */
static bool is_game(size_t act, skein_rc rc)
{
    if (act == SAY)
        return false;
    return rc == SKEIN_NOT_FOUND || rc == SKEIN_NOTHING || rc == SKEIN_NOT_USER_MESSAGE ||
           (act == SQUASH && rc == SKEIN_CONFLICT);
}

static bool once(worker *w)
{
    skein_slice slice = {.conversation = w->l->chat, .from = -NEAR};
    skein_error err = {0};
    size_t      act = SAY;
    const char *what = "read";
    skein_rc    rc;

    skein_mem_reset(w->mem);
    w->calls++;
    rc = skein_read(w->l->e, &slice, w->mem, &w->near, NULL, &err);
    if (rc == SKEIN_OK) {
        act = choose(w);
        what = actions[act].name;
        rc = actions[act].run(w, &err);
    }
    if (rc == SKEIN_OK || is_game(act, rc))
        return true;
    return w->l->fail(w->l->arg, what, &err);
}

static bool is_over(const worker *w)
{
    return (w->l->changes && w->calls >= w->l->changes) ||
           (w->l->stop && atomic_load(w->l->stop));
}

static void *run_worker(void *arg)
{
    worker *w = arg;

    while (once(w) && !is_over(w))
        ;
    return NULL;
}

void skn_load_run(skn_load *l)
{
    worker w[SKN_LOAD_THREADS];

    assert(l->first + l->threads <= SKN_LOAD_THREADS);
    for (int i = 0; i < l->threads; i++) {
        w[i] = (worker){.l = l,
                        .number = l->first + i,
                        .next = l->next[l->first + i],
                        .dice = {l->seed + (uint64_t)i * 1000003},
                        .mem = skein_mem_new()};
        skn_buf_init(&w[i].text, TEXT_LIMIT);
        if (i > 0 && pthread_create(&w[i].thread, NULL, run_worker, &w[i]))
            abort();
    }
    run_worker(&w[0]);
    for (int i = 0; i < l->threads; i++) {
        if (i > 0)
            pthread_join(w[i].thread, NULL);
        l->next[w[i].number] = w[i].next;
        skn_buf_release(&w[i].text);
        skein_mem_free(w[i].mem);
    }
}

/* --- Preparing -------------------------------------------------------------------------------- */

static skein_rc need_agent(skein_engine *e, skein_world_id world, const char *name,
                           skein_mem *mem, skein_error *err)
{
    skein_agent a = {.world = world, .name = skein_text(name)};
    skein_rc    rc = skein_agent_find(e, world, a.name, mem, &a, err);

    if (rc != SKEIN_NOT_FOUND)
        return rc;
    a = (skein_agent){.world = world, .name = skein_text(name)};
    return skein_agent_new(e, &a, mem, err);
}

static skein_rc need_world(skein_engine *e, skein_world *w, skein_mem *mem, skein_error *err)
{
    skein_rc rc = skein_world_find(e, skein_text("office"), mem, w, err);

    if (rc != SKEIN_NOT_FOUND)
        return rc;
    *w = (skein_world){.name = skein_text("office")};
    return skein_world_new(e, w, mem, err);
}

skein_rc skn_load_prepare(skein_engine *e, skein_conversation_id *chat, skein_error *err)
{
    skein_mem         *mem = skein_mem_new();
    skein_str          title = skein_text(CHAT_TITLE);
    skein_world        w;
    skein_conversation c;
    skein_rc           rc;

    if ((rc = need_world(e, &w, mem, err)) || (rc = need_agent(e, w.id, "ada", mem, err)) ||
        (rc = need_agent(e, w.id, "bo", mem, err)))
        goto out;
    rc = skein_conversation_find(e, w.id, title, mem, &c, err);
    if (rc == SKEIN_NOT_FOUND)
        rc = skein_chat_new(e, w.id, title, mem, &c, err);
    *chat = c.id;
out:
    skein_mem_free(mem);
    return rc;
}
