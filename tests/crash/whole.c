#include "whole.h"

#include "store/db.h"

#include <stdio.h>

#define TEXT_MOST ((size_t)256 << 20)

skein_engine *skn_whole_open(const char *address)
{
    skein_options options = SKEIN_OPTIONS_INIT;
    skein_error   err;
    skein_engine *e;

    options.store = skein_text(address);
    SKN_OK(skein_open(&e, &options, &err), err);
    return e;
}

/* --- Reading --------------------------------------------------------------------------------- */

typedef struct reader {
    skein_engine *e;
    skein_mem    *mem;
    skn_whole    *out;
    skn_vec(skn_whole_chat) chats;
} reader;

static void keep_messages(reader *r, const skein_messages *m)
{
    for (size_t i = 0; i < m->count; i++)
        *skn_map_slot(r->out->messages, m->at[i].uid) = &m->at[i];
}

static void read_version(reader *r, const skein_conversation *c, const skein_lanes *lanes,
                         skn_whole_version *v)
{
    skein_error err;

    v->lane_count = lanes->count;
    v->lanes = SKN_ARRAY(r->mem, lanes->count, skn_whole_lane);
    for (size_t i = 0; i < lanes->count; i++) {
        skein_slice slice = {.conversation = c->id, .version = v->version.number, .raw = true};

        v->lanes[i].key = lanes->at[i].key;
        if (lanes->at[i].key.p[0] == '@') /* also of an agent that was removed */
            slice.agent = lanes->at[i].agent;
        else
            slice.lane = lanes->at[i].key;
        SKN_OK(skein_read(r->e, &slice, r->mem, &v->lanes[i].messages, NULL, &err), err);
        keep_messages(r, &v->lanes[i].messages);
    }
    assert_string_equal(v->lanes[0].key.p, "main");
}

static void read_chat(reader *r, const skein_conversation *c)
{
    skn_whole_chat chat = {.conversation = *c};
    skein_versions history;
    skein_lanes    lanes;
    skein_error    err;

    SKN_OK(skein_lane_list(r->e, c->id, r->mem, &lanes, &err), err);
    SKN_OK(skein_history(r->e, c->id, r->mem, &history, &err), err);
    chat.lanes = lanes;
    chat.version_count = history.count;
    chat.versions = SKN_ARRAY(r->mem, history.count, skn_whole_version);
    for (size_t i = 0; i < history.count; i++) {
        chat.versions[i].version = history.at[i];
        read_version(r, c, &lanes, &chat.versions[i]);
    }
    skn_vec_add(r->mem, &r->chats, chat);
}

void skn_whole_read(skein_engine *e, skein_mem *mem, skn_whole *out)
{
    reader              r = {.e = e, .mem = mem, .out = out};
    skein_conversations list;
    skein_error         err;

    *out = (skn_whole){.messages = skn_map_new(mem)};
    SKN_OK(skein_world_list(e, mem, &out->worlds, &err), err);
    out->agents = SKN_ARRAY(mem, out->worlds.count + 1, skein_agents);
    for (size_t i = 0; i < out->worlds.count; i++) {
        skein_world_id id = out->worlds.at[i].id;

        SKN_OK(skein_agent_list(e, id, mem, &out->agents[i], &err), err);
        SKN_OK(skein_conversation_list(e, id, mem, &list, &err), err);
        for (size_t k = 0; k < list.count; k++)
            read_chat(&r, &list.at[k]);
    }
    out->chats = r.chats.p;
    out->chat_count = r.chats.n;
}

/* --- As text --------------------------------------------------------------------------------- */

static const char *const tables[] = {
    "worlds",      "agents",        "conversations",  "versions",        "ops",
    "lanes",       "messages",      "message_calls",  "threads",         "items",
    "nodes",       "compactions",   "squashes",       "squash_sources",  "idempotency",
    "active_tags", "context_files", "schema_version", "tag_definitions", "events",
    "turns",       "deliveries",    "waiting",
};

static void add_rows(skn_fixture *fx, skn_buf *b)
{
    skein_error err;
    skn_db     *db;
    int64_t     n;
    char        sql[80];

    SKN_OK(skn_db_open(&db, skn_str_of(fx->address), SKN_DB_READER, &err), err);
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", tables[i]);
        SKN_OK(skn_db_number(db, sql, &n, &err), err);
        skn_buf_addf(b, "rows of %s: %lld\n", tables[i], (long long)n);
    }
    skn_db_close(db);
}

static void add_message(skn_buf *b, const skein_message *m)
{
    skn_buf_addf(b, "      %s %.*s: %.*s\n", skein_role_name(m->role), SKN_FMT(m->sender),
                 (int)(m->content.n < 40 ? m->content.n : 40), m->content.p);
    skn_buf_addf(b, "        %zu bytes %016llx, %zu calls, depth %d%s%s\n", m->content.n,
                 (unsigned long long)skn_hash_bytes(1, m->content), m->call_count,
                 m->reply_depth, m->version_of.v ? ", edited" : "",
                 m->purged ? ", erased" : "");
}

static void add_version(skn_buf *b, const skn_whole_version *v)
{
    skn_buf_addf(b, "  v%lld %.*s of v%lld at %lld by %.*s%s\n", (long long)v->version.number,
                 SKN_FMT(v->version.kind), (long long)v->version.origin,
                 (long long)v->version.origin_length, SKN_FMT(v->version.actor),
                 v->version.current ? ", current" : "");
    for (size_t i = 0; i < v->lane_count; i++) {
        skn_buf_addf(b, "    lane %.*s\n", SKN_FMT(v->lanes[i].key));
        for (size_t k = 0; k < v->lanes[i].messages.count; k++)
            add_message(b, &v->lanes[i].messages.at[k]);
    }
}

static void add_worlds(skn_buf *b, const skn_whole *w)
{
    for (size_t i = 0; i < w->worlds.count; i++) {
        skn_buf_addf(b, "world %.*s%s\n", SKN_FMT(w->worlds.at[i].name),
                     w->worlds.at[i].current_chat.v ? ", in session" : "");
        for (size_t k = 0; k < w->agents[i].count; k++)
            skn_buf_addf(b, "  agent %.*s\n", SKN_FMT(w->agents[i].at[k].name));
    }
}

skein_str skn_whole_text(skn_fixture *fx, skein_engine *e, skein_mem *mem)
{
    skn_whole w;
    skn_buf   b;
    skein_str text;

    skn_buf_init(&b, TEXT_MOST);
    skn_whole_read(e, mem, &w);
    add_rows(fx, &b);
    add_worlds(&b, &w);
    for (size_t i = 0; i < w.chat_count; i++) {
        skn_buf_addf(&b, "chat %.*s, v%lld with %lld\n", SKN_FMT(w.chats[i].conversation.title),
                     (long long)w.chats[i].conversation.version,
                     (long long)w.chats[i].conversation.length);
        for (size_t k = 0; k < w.chats[i].lanes.count; k++)
            skn_buf_addf(&b, "  lane %.*s in state %d\n", SKN_FMT(w.chats[i].lanes.at[k].key),
                         (int)w.chats[i].lanes.at[k].state);
        for (size_t k = 0; k < w.chats[i].version_count; k++)
            add_version(&b, &w.chats[i].versions[k]);
    }
    assert_false(b.over);
    text = skn_arena_copy(mem, skn_buf_str(&b));
    skn_buf_release(&b);
    return text;
}

void skn_whole_expect(skein_str is, skein_str expected, const char *fmt, ...)
{
    size_t  i = 0;
    char    when[200];
    va_list args;

    if (skn_str_eq(is, expected))
        return;
    va_start(args, fmt);
    vsnprintf(when, sizeof when, fmt, args);
    va_end(args);
    while (i < is.n && i < expected.n && is.p[i] == expected.p[i])
        i++;
    i = i < 80 ? 0 : i - 80;
    fail_msg("%s: the store reads\n…%.300s\ninstead of\n…%.300s", when, is.p + i,
             expected.p + i);
}

/* --- Checking -------------------------------------------------------------------------------- */

void skn_whole_sound(skein_engine *e, const char *when)
{
    skein_mem  *mem = skein_mem_new();
    skein_check check;
    skein_error err;

    if (skein_fsck(e, mem, &check, &err))
        fail_msg("%s: fsck failed: %s", when, err.message);
    if (check.count > 0)
        fail_msg("%s: fsck found %zu: %.*s %.*s", when, check.count,
                 SKN_FMT(check.at[0].invariant), SKN_FMT(check.at[0].text));
    skein_mem_free(mem);
}

static void check_lane(const skn_whole_chat *c, const skn_whole_version *v,
                       const skn_whole_lane *lane, skein_mem *mem)
{
    const skein_messages *m = &lane->messages, *room = &v->lanes[0].messages;
    skn_map              *seen = skn_map_new(mem);
    const char *wrong = m->count == room->count ? NULL : "the lane is not as long as main";
    size_t      i;

    for (i = 0; !wrong && i < m->count; i++) {
        void **slot = skn_map_slot_int(seen, m->at[i].id.v);

        if (*slot)
            wrong = "a message stands twice";
        else if (m->at[i].position != (int64_t)i)
            wrong = "positions are not dense";
        else if (m->at[i].id.v != room->at[i].id.v)
            wrong = "main has another message";
        *slot = seen;
    }
    if (wrong)
        fail_msg("%.*s v%lld (%.*s) lane %.*s at %zu of %zu: %s", SKN_FMT(c->conversation.uid),
                 (long long)v->version.number, SKN_FMT(v->version.kind), SKN_FMT(lane->key), i,
                 m->count, wrong);
}

void skn_whole_check(const skn_whole *w)
{
    skein_mem *mem = skein_mem_new();

    for (size_t i = 0; i < w->chat_count; i++)
        for (size_t k = 0; k < w->chats[i].version_count; k++) {
            const skn_whole_version *v = &w->chats[i].versions[k];

            for (size_t n = 0; n < v->lane_count; n++)
                check_lane(&w->chats[i], v, &v->lanes[n], mem);
            skein_mem_reset(mem);
        }
    skein_mem_free(mem);
}
