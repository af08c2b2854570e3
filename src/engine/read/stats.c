/* stats.c: counting a version's replies: who answers whom, how deep, and what nobody answered. */
#include "engine/read/reply.h"

#include <stdlib.h>

#define BUSIEST    10
#define DATE_BYTES 10 /* of an RFC 3339 time: 2026-11-15 */
#define DAY        (INT64_C(24) * 3600 * 1000000)

/* One message, in the order of the tree: a root opens a thread that those after it belong to. */
typedef struct point {
    int64_t id, created_at;
    int64_t at, parent; /* places among `most`; parent: -1 of a root */
    int     depth;
    skn_str sender, parent_sender;           /* absent: a root */
    bool    unanswered, memory_only, result; /* result: of a tool */
} point;

/* The messages that are counted, handed over one by one. */
typedef struct walk {
    skn_replies *r;
    size_t       most; /* places; known at the first message */
    void (*count)(void *arg, const struct walk *w, const point *p);
    void *arg;
} walk;

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

static void count(void *arg, const walk *w, const point *p)
{
    counting     *c = arg;
    skein_stats  *s = c->out;
    thread_count *t;

    (void)w;
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

static skein_rc finish_counts(counting *c, skein_error *err)
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
static skein_rc judge(const walk *w, const skn_reply_item *it, skn_arena *scratch, point *p,
                      skein_error *err)
{
    skein_message m;
    bool          found;
    skein_rc      rc = SKEIN_OK;

    if (it->aside && it->replies == 0) {
        rc = skn_message_get(w->r->trees.tx, it->id, scratch, &m, &found, err);
        if (rc == SKEIN_OK && found)
            rc = skn_memory_only(w->r, &m, 0, &p->memory_only, err);
        skn_arena_reset(scratch);
    }
    p->unanswered = it->asks && it->replies == 0 && !p->memory_only;
    return rc;
}

static skein_rc walk_version(walk *w, skn_arena *scratch, skein_error *err)
{
    skn_reply_items items;
    int             depth = 0;
    skein_rc        rc;

    if ((rc = skn_reply_items_read(w->r, false, &items, err)))
        return rc;
    w->most = items.count;
    for (int64_t i = -1; (i = skn_reply_items_next(&items, i, &depth)) >= 0;) {
        const skn_reply_item *it = &items.at[i];
        point                 p = {.id = it->id,
                                   .created_at = it->created_at,
                                   .at = i,
                                   .parent = it->parent,
                                   .depth = depth,
                                   .sender = it->sender,
                                   .result = it->result};

        if (it->parent >= 0)
            p.parent_sender = items.at[it->parent].sender;
        if ((rc = judge(w, it, scratch, &p, err)))
            return rc;
        w->count(w->arg, w, &p);
    }
    return SKEIN_OK;
}

static skein_rc walk_under(walk *w, skein_message_id root, skein_error *err)
{
    skein_reply_tree tree;
    skein_rc         rc = skn_reply_subtree(w->r, root, &tree, err);

    w->most = tree.count;
    for (size_t i = 0; rc == SKEIN_OK && i < tree.count; i++) {
        const skein_reply_node *n = &tree.at[i];
        point                   p = {.id = n->message.id.v,
                                     .created_at = n->message.created_at,
                                     .at = (int64_t)i,
                                     .parent = n->parent,
                                     .depth = n->depth,
                                     .sender = n->message.sender,
                                     .unanswered = n->unanswered,
                                     .memory_only = n->memory_only,
                                     .result = n->message.role == SKEIN_TOOL};

        if (n->parent >= 0)
            p.parent_sender = tree.at[n->parent].message.sender;
        w->count(w->arg, w, &p);
    }
    return rc;
}

static skein_rc walk_all(walk *w, skein_message_id root, skein_error *err)
{
    skn_arena *scratch = skn_arena_new();
    skein_rc   rc = root.v ? walk_under(w, root, err) : walk_version(w, scratch, err);

    skn_arena_free(scratch);
    return rc;
}

static skein_rc read_stats(skn_tx *tx, skein_conversation_id conversation, int64_t version,
                           skein_message_id root, skein_mem *mem, skein_stats *out,
                           skein_error *err)
{
    skn_replies r;
    counting    c = {.r = &r, .out = out};
    walk        w = {.r = &r, .count = count, .arg = &c};
    skein_rc    rc;

    *out = (skein_stats){0};
    if ((rc = skn_replies_open(&r, tx, conversation, version, mem, err)))
        return rc;
    c.senders = skn_map_new(mem);
    c.pairs = skn_map_new(mem);
    rc = walk_all(&w, root, err);
    return rc ? rc : finish_counts(&c, err);
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

/* --- Groups ------------------------------------------------------------------------------------------- */

/* A message that was counted. */
typedef struct spot {
    int64_t at, reply; /* when it and the first reply were said; reply 0: none yet */
    size_t  group;     /* its number from 1 on; 0: not counted */
} spot;

typedef struct grouping {
    skein_stats_by by;
    spot          *spots; /* by place */
    skn_map       *found; /* sender or day -> number of the group */
    skn_vec(skein_stats_group) groups;
} grouping;

static skn_str day_of(int64_t at, skn_arena *a)
{
    char time[SKN_TIME_TEXT];

    return skn_arena_copy(a, skn_str_sub(skn_time_format(at, time), 0, DATE_BYTES));
}

static size_t group_of(grouping *g, skn_arena *a, const point *p)
{
    skein_stats_group fresh = {.root = {p->id}, .first_at = p->created_at};
    void            **slot;

    if (g->by == SKEIN_STATS_BY_THREAD) {
        if (p->parent < 0)
            skn_vec_add(a, &g->groups, fresh);
        return p->parent < 0 ? g->groups.n : g->spots[p->parent].group;
    }
    slot = g->by == SKEIN_STATS_BY_DAY ? skn_map_slot_int(g->found, p->created_at / DAY + 1)
                                       : skn_map_slot(g->found, p->sender);
    if (!*slot) {
        fresh.key = g->by == SKEIN_STATS_BY_DAY ? day_of(p->created_at, a) : p->sender;
        skn_vec_add(a, &g->groups, fresh);
        *slot = (void *)(uintptr_t)g->groups.n;
    }
    return (size_t)(uintptr_t)*slot;
}

static void note_reply(spot *parent, int64_t at)
{
    if (!parent->reply || at < parent->reply)
        parent->reply = at;
}

static void count_in_group(void *arg, const walk *w, const point *p)
{
    grouping          *g = arg;
    skn_arena         *a = w->r->trees.a;
    skein_stats_group *one;

    if (!g->spots)
        g->spots = SKN_ARRAY(a, w->most, spot);
    g->spots[p->at] = (spot){.at = p->created_at, .group = group_of(g, a, p)};
    if (p->parent >= 0)
        note_reply(&g->spots[p->parent], p->created_at);
    one = &g->groups.p[g->spots[p->at].group - 1];
    one->messages++;
    one->replies += p->parent >= 0;
    one->unanswered += p->unanswered;
    one->depth = p->depth >= one->depth ? p->depth + 1 : one->depth;
    one->first_at = p->created_at < one->first_at ? p->created_at : one->first_at;
    one->last_at = p->created_at > one->last_at ? p->created_at : one->last_at;
}

static void count_waits(grouping *g, size_t most)
{
    for (size_t i = 0; g->spots && i < most; i++) {
        const spot        *s = &g->spots[i];
        skein_stats_group *one = s->group ? &g->groups.p[s->group - 1] : NULL;

        if (!one || !s->reply)
            continue;
        one->answered++;
        one->wait_ms += s->reply > s->at ? s->reply / 1000 - s->at / 1000 : 0;
    }
}

static int more_messages(const void *x, const void *y)
{
    const skein_stats_group *a = x, *b = y;

    if (a->messages != b->messages)
        return a->messages > b->messages ? -1 : 1;
    return skn_str_cmp(a->key, b->key);
}

static int earlier_day(const void *x, const void *y)
{
    const skein_stats_group *a = x, *b = y;

    return skn_str_cmp(a->key, b->key);
}

static skein_rc read_groups(skn_tx *tx, skein_conversation_id conversation, int64_t version,
                            skein_message_id root, grouping *g, skein_mem *mem,
                            skein_error *err)
{
    skn_replies r;
    walk        w = {.r = &r, .count = count_in_group, .arg = g};
    skein_rc    rc;

    g->found = skn_map_new(mem);
    if ((rc = skn_replies_open(&r, tx, conversation, version, mem, err)) ||
        (rc = walk_all(&w, root, err)))
        return rc;
    count_waits(g, w.most);
    if (g->groups.n && g->by != SKEIN_STATS_BY_THREAD)
        qsort(g->groups.p, g->groups.n, sizeof *g->groups.p,
              g->by == SKEIN_STATS_BY_DAY ? earlier_day : more_messages);
    return SKEIN_OK;
}

skein_rc skein_stats_groups_read(skein_engine *e, skein_conversation_id conversation,
                                 int64_t version, skein_message_id root, skein_stats_by by,
                                 skein_mem *mem, skein_stats_groups *out, skein_error *err)
{
    skn_snapshot s = {.store = e->store};
    grouping     g;

    while (skn_snapshot_next(&s, err)) {
        g = (grouping){.by = by};
        s.rc = read_groups(s.tx, conversation, version, root, &g, mem, err);
        *out = (skein_stats_groups){g.groups.p, g.groups.n};
    }
    return s.rc;
}
