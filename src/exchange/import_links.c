/* import_links.c: order, ids and reply links of imported messages.
 *
 * A claimed link leads to any message of the same chat, or to none. Stored links lead only to
 * older messages; so a claim that leads ahead stays a claim, and of every circle the oldest
 * message loses its link. Each message has at most one claim, so a walk that marks where it was
 * sees every message once and cannot hang. */
#include "base/uid.h"
#include "exchange/import.h"

#include <stdlib.h>

/* --- Order -------------------------------------------------------------------------------- */

typedef struct sortable {
    int64_t place;
    size_t  index;
} sortable;

SKN_ORDER(compare, sortable, place, index)

static void sort_messages(skn_foreign *f)
{
    size_t               n = f->messages.n;
    sortable            *order = SKN_ARRAY(f->a, n, sortable);
    skn_foreign_message *sorted = SKN_ARRAY(f->a, n, skn_foreign_message);

    for (size_t i = 0; i < n; i++)
        order[i] = (sortable){f->messages.p[i].place, i};
    if (n)
        qsort(order, n, sizeof *order, compare);
    for (size_t i = 0; i < n; i++)
        sorted[i] = f->messages.p[order[i].index];
    f->messages.p = sorted;
}

/* --- Ids ---------------------------------------------------------------------------------- */

/* Links go by the file's ids, also where such an id cannot be ours: so they are kept per
 * chat. */
static skn_str claim_key(const skn_foreign *f, size_t chat, skn_str id)
{
    return skn_arena_printf(f->a, "%zu %.*s", chat, SKN_FMT(id));
}

/* The first message of a chat with an id is the one that links to this id lead to. */
static void set_ids(skn_foreign *f, skn_map *claims)
{
    for (size_t i = 0; i < f->messages.n; i++) {
        skn_foreign_message *m = &f->messages.p[i];
        void               **slot;

        m->had_id = m->m.uid.n > 0;
        if (!m->had_id)
            continue;
        slot = skn_map_slot(claims, claim_key(f, m->chat, m->m.uid));
        if (!*slot)
            *slot = m;
    }
    skn_foreign_ids(f);
}

/* --- Links -------------------------------------------------------------------------------- */

static void drop_link(skn_foreign_message *m, const char *warning)
{
    m->parent = -1;
    m->guessed = false;
    m->m.reply_to = SKN_NONE;
    m->warning = skn_str_of(warning);
}

static void find_parents(skn_foreign *f, const skn_map *claims)
{
    for (size_t i = 0; i < f->messages.n; i++) {
        skn_foreign_message *m = &f->messages.p[i], *parent;

        m->parent = -1;
        if (m->m.reply_to.n == 0) {
            m->m.reply_to = SKN_NONE;
            continue;
        }
        parent = skn_map_get(claims, claim_key(f, m->chat, m->m.reply_to));
        if (parent)
            m->parent = parent - f->messages.p;
    }
}

/* The result of a tool replies to the message that called, and is for the agent that did. */
static void pair_results(skn_foreign *f)
{
    skn_map *calls = skn_map_new(f->a);

    for (size_t i = 0; i < f->messages.n; i++) {
        skn_foreign_message *m = &f->messages.p[i], *caller;

        for (size_t k = 0; k < m->m.call_count; k++)
            *skn_map_slot(calls, claim_key(f, m->chat, m->m.calls[k].call_id)) = m;
        if (m->m.role != SKEIN_TOOL)
            continue;
        caller = skn_map_get(calls, claim_key(f, m->chat, m->m.tool_call_id));
        if (!caller)
            continue;
        if (m->author < 0)
            m->author = caller->author;
        if (m->author >= 0 && m->heard.n == 0)
            skn_vec_add(f->a, &m->heard, (size_t)m->author);
        if (!m->m.reply_to.p)
            m->parent = caller - f->messages.p;
    }
}

/* What all of a chat heard last, and the last of that from anybody else than who said it. */
typedef struct said {
    skn_foreign_message *last, *other;
} said;

typedef struct last_heard {
    skn_map *by_agent; /* chat * agents + agent -> message that it heard from another */
    said    *by_all;   /* of each chat */
    int64_t  agents;
} last_heard;

static void note_heard(last_heard *l, skn_foreign_message *m)
{
    said *s = &l->by_all[m->chat];

    if (m->m.role != SKEIN_USER && m->m.role != SKEIN_ASSISTANT)
        return;
    if (m->heard_by_all) {
        if (s->last && s->last->author != m->author)
            s->other = s->last;
        s->last = m;
    }
    for (size_t k = 0; k < m->heard.n; k++)
        if ((int64_t)m->heard.p[k] != m->author)
            *skn_map_slot_int(l->by_agent,
                              (int64_t)m->chat * l->agents + (int64_t)m->heard.p[k]) = m;
}

static skn_foreign_message *heard_before(const last_heard *l, const skn_foreign_message *m)
{
    const said          *s = &l->by_all[m->chat];
    skn_foreign_message *own, *all;

    if (m->author < 0)
        return NULL;
    own = skn_map_get_int(l->by_agent, (int64_t)m->chat * l->agents + m->author);
    all = s->last && s->last->author == m->author ? s->other : s->last;
    return !own || (all && all > own) ? all : own;
}

/* Releases that knew of no links wrote none: there an agent is taken to answer what it heard last
 * from another. Where links were known, a message with an id that has none replies to nothing. */
static void guess_parents(skn_foreign *f)
{
    last_heard l = {skn_map_new(f->a), SKN_ARRAY(f->a, f->chats.n, said), (int64_t)f->agents.n};

    for (size_t i = 0; i < f->messages.n; i++) {
        skn_foreign_message *m = &f->messages.p[i], *last = heard_before(&l, m);

        if ((!m->had_id || f->no_links) && m->m.role == SKEIN_ASSISTANT && !m->m.reply_to.p &&
            last) {
            m->parent = last - f->messages.p;
            m->guessed = true;
        }
        note_heard(&l, m);
    }
}

/* Follows claims from i; where the walk meets itself there is a circle. */
static void open_circle(skn_foreign *f, size_t *walk, size_t start)
{
    size_t  oldest, at;
    int64_t i = (int64_t)start;

    while (i >= 0 && walk[i] == 0) {
        walk[i] = start + 1;
        i = f->messages.p[i].parent;
    }
    if (i < 0 || walk[i] != start + 1)
        return;
    at = oldest = (size_t)i;
    do {
        at = (size_t)f->messages.p[at].parent;
        oldest = at < oldest ? at : oldest;
    } while (at != (size_t)i);
    skn_foreign_note(f->file, "message \"%.*s\" replies in a circle: its link was dropped",
                     SKN_FMT(f->messages.p[oldest].m.uid));
    drop_link(&f->messages.p[oldest], "its reply link closed a circle: the link was dropped");
    f->report.circular++;
}

static void open_circles(skn_foreign *f)
{
    size_t *walk = SKN_ARRAY(f->a, f->messages.n, size_t);

    for (size_t i = 0; i < f->messages.n; i++)
        if (walk[i] == 0)
            open_circle(f, walk, i);
}

static void settle_orphan(skn_foreign *f, skn_foreign_message *m)
{
    m->parent = -1;
    m->warning = SKN_STR("it replies to a message that was not there yet");
    f->report.orphans++;
    if (skn_uid_valid(m->m.reply_to))
        return;
    skn_foreign_note(f->file,
                     "message \"%.*s\" replies to what is not an id: its link was dropped",
                     SKN_FMT(m->m.uid));
    drop_link(m, "its reply link was no id: the link was dropped");
}

/* By now parents are older or wrong: one pass settles depths and what is left of the links. */
static void settle_links(skn_foreign *f)
{
    for (size_t i = 0; i < f->messages.n; i++) {
        skn_foreign_message *m = &f->messages.p[i];
        bool                 ahead = m->parent >= (int64_t)i;

        if (ahead)
            m->m.reply_to = f->messages.p[m->parent].m.uid;
        if (ahead || (m->parent < 0 && m->m.reply_to.p)) {
            settle_orphan(f, m);
            continue;
        }
        if (m->parent < 0)
            continue;
        m->depth = f->messages.p[m->parent].depth + 1;
        m->m.reply_to = f->messages.p[m->parent].m.uid;
        if (m->depth >= SKN_REPLY_LEVELS) {
            m->depth = 0;
            drop_link(m, "its reply link went over 100 levels: the link was dropped");
            f->report.too_deep++;
        } else if (m->guessed) {
            m->warning = SKN_STR("its reply link was guessed from time");
            f->report.links_guessed++;
        } else {
            f->report.links_kept++;
        }
    }
}

skein_rc skn_foreign_link(skn_foreign *f, skein_error *err)
{
    skn_map *claims = skn_map_new(f->a);

    if (f->messages.n > SKN_IMPORT_ROWS)
        return skn_fail(err, SKEIN_LIMIT, "%zu messages are more than an import takes",
                        f->messages.n);
    sort_messages(f);
    set_ids(f, claims);
    find_parents(f, claims);
    pair_results(f);
    guess_parents(f);
    open_circles(f);
    settle_links(f);
    return SKEIN_OK;
}

/* Copies in many memories become messages. Rows are ordered by time, within what
 * each memory's own order says. */

/* An agent's own row and the copies that others got without an id were not written at the same
 * moment, but nearly so. */
#define NEARLY (INT64_C(2) * 1000 * 1000)

void skn_memories_init(skn_memories *r, skn_foreign *f)
{
    *r = (skn_memories){.f = f};
    r->by_id = skn_map_new(f->a);
    r->by_text = skn_map_new(f->a);
    r->nearly = skn_map_new(f->a);
    r->equal = skn_map_new(f->a);
    r->places = skn_map_new(f->a);
}

void skn_memories_begin(skn_memories *r, size_t owner)
{
    r->owner = owner;
    r->places = skn_map_new(r->f->a);
    r->equal = skn_map_new(r->f->a);
}

/* --- Who said it -------------------------------------------------------------------------- */

static bool is_human(skn_str sender)
{
    static const char *const names[] = {"human", "HUMAN", "Human", "user", "USER", "User"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (skn_str_is(sender, names[i]))
            return true;
    return !sender.n;
}

/* In its author's memory a message is the assistant's, in all others a user's: here it is what
 * it was to its author. */
static void set_sender(skn_memories *r, skn_foreign_message *m)
{
    skn_foreign *f = r->f;
    skn_str      sender = m->m.sender;

    m->author = -1;
    if (m->m.role == SKEIN_ASSISTANT || m->m.role == SKEIN_TOOL)
        m->author = (int64_t)r->owner;
    else if (m->m.role == SKEIN_USER && !is_human(sender))
        m->author = skn_foreign_agent_find(f, sender);
    if (m->m.role == SKEIN_USER && m->author >= 0)
        m->m.role = SKEIN_ASSISTANT;
    if (m->author >= 0)
        m->m.sender = f->agents.p[m->author].name;
    else if (m->m.role == SKEIN_USER && is_human(sender))
        m->m.sender = SKN_STR("human");
    else if (!sender.n)
        m->m.sender = SKN_STR("system");
}

/* --- Is it a copy? ------------------------------------------------------------------------ */

/* Where the index of a message stands, or will stand. */
typedef struct found {
    size_t *index;
    bool    known;
} found;

static found look_up_link(skn_memories *r, skn_map *map, skn_str key)
{
    bool    made;
    size_t *index = skn_foreign_number(skn_map_slot(map, key), r->f->a, &made);

    return (found){index, !made};
}

static skn_str nearly_key(skn_memories *r, const skn_foreign_message *m, const char *digest,
                          int64_t step)
{
    return skn_arena_printf(r->f->a, "%zu %lld %lld %s", m->chat, (long long)m->author,
                            (long long)(m->m.created_at / NEARLY + step), digest);
}

/* Has this memory the message already? Rows come memory by memory, so its owner heard last. */
static bool heard_here(const skn_memories *r, const skn_foreign_message *m)
{
    return m->heard.n && m->heard.p[m->heard.n - 1] == r->owner;
}

static bool find_nearly(skn_memories *r, const skn_foreign_message *m, const char *digest,
                        size_t *index)
{
    for (int64_t step = -1; step <= 1; step++) {
        const size_t              *at = skn_map_get(r->nearly, nearly_key(r, m, digest, step));
        const skn_foreign_message *known = at ? &r->f->messages.p[*at] : NULL;

        int64_t apart = known ? m->m.created_at - known->m.created_at : 0;

        if (known && !heard_here(r, known) && apart <= NEARLY && apart >= -NEARLY) {
            *index = *at;
            return true;
        }
    }
    return false;
}

/* Equal rows without ids are distinguished by their order in their memory. */
static found find_by_text(skn_memories *r, const skn_foreign_message *m, const char *digest)
{
    skn_str key = skn_arena_printf(r->f->a, "%zu %lld %s %.*s", m->chat,
                                   (long long)m->m.created_at, digest, SKN_FMT(m->m.sender));
    size_t *n = look_up_link(r, r->equal, key).index;

    return look_up_link(r, r->by_text,
                        skn_arena_printf(r->f->a, "%zu %.*s", (*n)++, SKN_FMT(key)));
}

static found find_copy(skn_memories *r, const skn_foreign_message *m, const char *digest)
{
    found f;

    if (m->m.uid.n)
        return look_up_link(
            r, r->by_id,
            skn_arena_printf(r->f->a, "%zu %s %.*s", m->chat, digest, SKN_FMT(m->m.uid)));
    f = find_by_text(r, m, digest);
    if (!f.known && m->author >= 0)
        f.known = find_nearly(r, m, digest, f.index);
    return f;
}

static void add_message(skn_memories *r, skn_foreign_message *m)
{
    skn_foreign         *f = r->f;
    char                 digest[SKN_SHA256_TEXT];
    skn_sha256           hash;
    found                copy;
    skn_foreign_message *to;

    skn_sha256_init(&hash);
    skn_sha256_add(&hash, m->m.content);
    skn_sha256_text(&hash, digest);
    copy = find_copy(r, m, digest);
    if (copy.known) {
        to = &f->messages.p[*copy.index];
        f->report.copies++;
        if (!to->m.reply_to.n)
            to->m.reply_to = m->m.reply_to;
        if (m->place < to->place)
            to->place = m->place;
        if (m->author == (int64_t)r->owner) /* its author knows best when it was said */
            to->m.created_at = m->m.created_at;
    } else {
        *copy.index = f->messages.n;
        skn_vec_add(f->a, &f->messages, *m);
        to = &f->messages.p[*copy.index];
    }
    if (!m->m.uid.n && m->author >= 0)
        *look_up_link(r, r->nearly, nearly_key(r, m, digest, 0)).index = *copy.index;
    if (to->m.role != SKEIN_SYSTEM)
        skn_foreign_heard(f, to, r->owner);
}

/* A row without a time, or back in time, stays behind the last of its chat: a branch of a chat is
 * copied behind it, with the times it had. */
static int64_t place_of(skn_memories *r, size_t chat, int64_t created_at)
{
    void   **slot = skn_map_slot_int(r->places, (int64_t)chat);
    int64_t *last = *slot;

    if (!last)
        *slot = last = SKN_NEW(r->f->a, int64_t);
    if (created_at > *last)
        *last = created_at;
    return *last;
}

void skn_memories_add(skn_memories *r, skn_memory_row *row)
{
    skn_foreign        *f = r->f;
    skn_foreign_message m = {.m = row->m, .author = -1, .parent = -1};
    skein_error         cause;

    if (!row->why) {
        set_sender(r, &m);
        if (m.m.role != SKEIN_TOOL)
            m.m.tool_call_id = SKN_NONE;
        if (m.m.role != SKEIN_ASSISTANT)
            m.m.call_count = 0;
        if (!skn_foreign_checks(f, &m.m, &cause))
            row->why = cause.message;
    }
    if (row->why) {
        f->report.dropped++;
        skn_foreign_note(f->file, "%s was dropped: %s", row->what, row->why);
        return;
    }
    m.chat = row->chat >= 0 ? (size_t)row->chat : skn_foreign_chat_of(f, row->chat_id);
    m.place = place_of(r, m.chat, m.m.created_at);
    if (!m.m.created_at)
        m.m.created_at = m.place ? m.place : f->created_at;
    add_message(r, &m);
}
