/* stats.c: counting a version's replies: who answers whom, how deep, and what nobody answered. */
#include "engine/read/reply.h"

#include <stdlib.h>

#define BUSIEST 10

typedef struct thread_count {
    int64_t root, messages; /* root: its message's id */
    size_t  order;
    int     depth;
} thread_count;

typedef struct counting {
    skn_replies *r;
    skein_stats *out;
    skn_map     *senders; /* name -> its count */
    skn_map     *pairs;   /* "length:who whom" -> their count */
    skn_vec(skein_pair_count *) sender_list;
    skn_vec(skein_pair_count *) pair_list;
    skn_vec(thread_count) threads;
} counting;

/* --- Counting ---------------------------------------------------------------------------------------- */

static void count_sender(counting *c, skn_str who)
{
    skn_arena *a = c->r->trees.a;
    void     **slot = skn_map_slot(c->senders, who);

    if (!*slot) {
        skein_pair_count *p = SKN_NEW(a, skein_pair_count);

        p->who = who;
        *slot = p;
        skn_vec_add(a, &c->sender_list, p);
    }
    ((skein_pair_count *)*slot)->count++;
}

static void count_pair(counting *c, skn_str who, skn_str whom)
{
    skn_arena *a = c->r->trees.a;
    skn_buf    key;
    void     **slot;

    skn_buf_init(&key, SIZE_MAX / 2);
    skn_buf_addf(&key, "%zu:", who.n);
    skn_buf_add(&key, who);
    skn_buf_add(&key, whom);
    slot = skn_map_slot(c->pairs, skn_buf_str(&key));
    skn_buf_release(&key);
    if (!*slot) {
        skein_pair_count *p = SKN_NEW(a, skein_pair_count);

        *p = (skein_pair_count){who, whom, 0};
        *slot = p;
        skn_vec_add(a, &c->pair_list, p);
    }
    ((skein_pair_count *)*slot)->count++;
}

/* One message, in the order of the tree: a root opens a thread that those after it belong to. */
typedef struct point {
    int64_t id;
    int     depth;
    skn_str sender, parent_sender;           /* absent: a root */
    bool    unanswered, memory_only, result; /* result: of a tool */
} point;

static void count(counting *c, const point *p)
{
    skein_stats  *s = c->out;
    thread_count *t;

    s->messages++;
    s->tool_results += p->result;
    s->unanswered += p->unanswered;
    s->memory_only += p->memory_only;
    count_sender(c, p->sender);
    if (!p->parent_sender.p) {
        thread_count fresh = {.root = p->id, .order = c->threads.n};

        skn_vec_add(c->r->trees.a, &c->threads, fresh);
        s->roots++;
    } else {
        s->replies++;
        count_pair(c, p->sender, p->parent_sender);
    }
    t = &c->threads.p[c->threads.n - 1];
    t->messages++;
    if (p->depth >= t->depth)
        t->depth = p->depth + 1;
    if (t->depth > s->depth)
        s->depth = t->depth;
}

/* --- Sorting ------------------------------------------------------------------------------------------ */

static int most_first(const void *x, const void *y)
{
    const skein_pair_count *a = *(skein_pair_count *const *)x,
                           *b = *(skein_pair_count *const *)y;
    int who;

    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    who = skn_str_cmp(a->who, b->who);
    return who ? who : skn_str_cmp(a->whom, b->whom);
}

static int busiest_first(const void *x, const void *y)
{
    const thread_count *a = x, *b = y;

    if (a->messages != b->messages)
        return a->messages > b->messages ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

static skein_pair_count *sorted(skn_arena *a, skein_pair_count **list, size_t n)
{
    skein_pair_count *out = SKN_ARRAY(a, n, skein_pair_count);

    if (n > 0)
        qsort(list, n, sizeof *list, most_first);
    for (size_t i = 0; i < n; i++)
        out[i] = *list[i];
    return out;
}

static skein_rc find_busiest(counting *c, skein_error *err)
{
    skn_arena *a = c->r->trees.a;
    size_t     n = c->threads.n < BUSIEST ? c->threads.n : BUSIEST;
    skein_rc   rc;

    if (c->threads.n > 0)
        qsort(c->threads.p, c->threads.n, sizeof *c->threads.p, busiest_first);
    c->out->busiest = SKN_ARRAY(a, n, skein_busy_thread);
    for (size_t i = 0; i < n; i++) {
        const thread_count *t = &c->threads.p[i];
        skein_busy_thread  *b = &c->out->busiest[c->out->busiest_count];
        int64_t             id = t->root;
        skein_messages      one;

        if ((rc = skn_reply_messages(c->r, &(skn_ids){&id, 1}, &one, err)))
            return rc;
        if (one.count == 0)
            continue;
        *b = (skein_busy_thread){one.at[0], t->messages, t->depth};
        c->out->busiest_count++;
    }
    return SKEIN_OK;
}

static skein_rc finish(counting *c, skein_error *err)
{
    skein_stats *s = c->out;
    skn_arena   *a = c->r->trees.a;

    if (s->messages > 0)
        s->replies_a_message = (double)s->replies / (double)s->messages;
    s->answers = sorted(a, c->pair_list.p, c->pair_list.n);
    s->answer_count = c->pair_list.n;
    s->senders = sorted(a, c->sender_list.p, c->sender_list.n);
    s->sender_count = c->sender_list.n;
    return find_busiest(c, err);
}

/* --- Whole versions and single threads ------------------------------------------------------------------- */

/* Only what may be a note to others needs its text again. */
static skein_rc judge(counting *c, const skn_reply_item *it, skn_arena *scratch, point *p,
                      skein_error *err)
{
    skein_message m;
    bool          found;
    skein_rc      rc = SKEIN_OK;

    if (it->aside && it->replies == 0) {
        rc = skn_message_get(c->r->trees.tx, it->id, scratch, &m, &found, err);
        if (rc == SKEIN_OK && found)
            rc = skn_memory_only(c->r, &m, 0, &p->memory_only, err);
        skn_arena_reset(scratch);
    }
    p->unanswered = it->asks && it->replies == 0 && !p->memory_only;
    return rc;
}

static skein_rc count_version(counting *c, skn_arena *scratch, skein_error *err)
{
    skn_reply_items items;
    int             depth = 0;
    skein_rc        rc;

    if ((rc = skn_reply_items_read(c->r, false, &items, err)))
        return rc;
    for (int64_t i = -1; (i = skn_reply_items_next(&items, i, &depth)) >= 0;) {
        const skn_reply_item *it = &items.at[i];
        point p = {.id = it->id, .depth = depth, .sender = it->sender, .result = it->result};

        if (it->parent >= 0)
            p.parent_sender = items.at[it->parent].sender;
        if ((rc = judge(c, it, scratch, &p, err)))
            return rc;
        count(c, &p);
    }
    return SKEIN_OK;
}

static skein_rc count_under(counting *c, skein_message_id root, skein_error *err)
{
    skein_reply_tree tree;
    skein_rc         rc = skn_reply_subtree(c->r, root, &tree, err);

    for (size_t i = 0; rc == SKEIN_OK && i < tree.count; i++) {
        const skein_reply_node *n = &tree.at[i];
        point                   p = {.id = n->message.id.v,
                                     .depth = n->depth,
                                     .sender = n->message.sender,
                                     .unanswered = n->unanswered,
                                     .memory_only = n->memory_only,
                                     .result = n->message.role == SKEIN_TOOL};

        if (n->parent >= 0)
            p.parent_sender = tree.at[n->parent].message.sender;
        count(c, &p);
    }
    return rc;
}

static skein_rc read_stats(skn_tx *tx, skein_conversation_id conversation, int64_t version,
                           skein_message_id root, skein_mem *mem, skein_stats *out,
                           skein_error *err)
{
    skn_replies r;
    counting    c = {.r = &r, .out = out};
    skn_arena  *scratch;
    skein_rc    rc;

    *out = (skein_stats){0};
    if ((rc = skn_replies_open(&r, tx, conversation, version, mem, err)))
        return rc;
    c.senders = skn_map_new(mem);
    c.pairs = skn_map_new(mem);
    scratch = skn_arena_new();
    rc = root.v ? count_under(&c, root, err) : count_version(&c, scratch, err);
    if (rc == SKEIN_OK)
        rc = finish(&c, err);
    skn_arena_free(scratch);
    return rc;
}

skein_rc skein_stats_read(skein_engine *e, skein_conversation_id conversation, int64_t version,
                          skein_message_id root, skein_mem *mem, skein_stats *out,
                          skein_error *err)
{
    skn_snapshot s = {.store = e->store};

    while (skn_snapshot_next(&s, err))
        s.rc = read_stats(s.tx, conversation, version, root, mem, out, err);
    return s.rc;
}
