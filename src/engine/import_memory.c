/* import_memory.c: copies in many memories become messages. Rows are ordered by time, within what
 * each memory's own order says. */
#include "base/sha256.h"
#include "engine/import.h"

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

/* Where the index of a message stands, or will stand, and what stands there now. */
typedef struct found {
    void **slot;
    size_t index;
    bool   known;
} found;

static found look(skn_map *map, skn_str key)
{
    found f = {.slot = skn_map_slot(map, key)};

    if (*f.slot) {
        f.known = true;
        f.index = *(size_t *)*f.slot;
    }
    return f;
}

static void remember(skn_memories *r, found *f, size_t index)
{
    if (!*f->slot)
        *f->slot = SKN_NEW(r->f->a, size_t);
    *(size_t *)*f->slot = index;
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

/* Equal rows without ids are told apart by which of them they are in their memory. */
static found find_by_text(skn_memories *r, const skn_foreign_message *m, const char *digest)
{
    skn_str key = skn_arena_printf(r->f->a, "%zu %lld %s %.*s", m->chat,
                                   (long long)m->m.created_at, digest, SKN_FMT(m->m.sender));
    void  **count = skn_map_slot(r->equal, key);
    size_t *n;

    if (!*count)
        *count = SKN_NEW(r->f->a, size_t);
    n = *count;
    return look(r->by_text, skn_arena_printf(r->f->a, "%zu %.*s", (*n)++, SKN_FMT(key)));
}

static found find_copy(skn_memories *r, const skn_foreign_message *m, const char *digest)
{
    found f;

    if (m->m.uid.n)
        return look(r->by_id, skn_arena_printf(r->f->a, "%zu %s %.*s", m->chat, digest,
                                               SKN_FMT(m->m.uid)));
    f = find_by_text(r, m, digest);
    if (!f.known && m->author >= 0)
        f.known = find_nearly(r, m, digest, &f.index);
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
        to = &f->messages.p[copy.index];
        f->report.copies++;
        if (!to->m.reply_to.n)
            to->m.reply_to = m->m.reply_to;
        if (m->place < to->place)
            to->place = m->place;
        if (m->author == (int64_t)r->owner) /* its author knows best when it was said */
            to->m.created_at = m->m.created_at;
    } else {
        copy.index = f->messages.n;
        skn_vec_add(f->a, &f->messages, *m);
        to = &f->messages.p[copy.index];
    }
    remember(r, &copy, copy.index);
    if (!m->m.uid.n && m->author >= 0) {
        found near = look(r->nearly, nearly_key(r, m, digest, 0));

        remember(r, &near, copy.index);
    }
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
