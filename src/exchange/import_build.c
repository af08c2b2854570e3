/* import_build.c: what was read of another program's file, as the rows of an archive: each chat
 * with one version, its main lane, and a lane for each agent. */
#include "exchange/archive.h"
#include "exchange/import.h"

#include <stdlib.h>

/* The main lane of a chat (agent 0), or an agent's in it, with the messages that are in it. */
typedef struct lane {
    size_t chat, agent;
    skn_vec(int64_t) items;
} lane;

typedef struct builder {
    const skn_foreign *f;
    skn_buf           *out;
    skn_arena         *a; /* of one row */
    int64_t            numbers[SKN_AR_TABLES];
    int64_t            rows;
    skn_map           *lane_at; /* (chat, agent) -> lane */
    skn_vec(lane *) lanes;
    size_t items;
    bool   starved; /* there is not enough memory for all items */
} builder;

enum { ITEMS_A_CHECK = 64 * 1024, ITEM_BYTES = 4 * sizeof(int64_t) };

/* --- Who hears what ----------------------------------------------------------------------- */

static lane *need_lane(builder *b, size_t chat, size_t agent)
{
    void **slot = skn_map_slot_int(b->lane_at, (int64_t)(chat * (b->f->agents.n + 1) + agent));
    lane  *l = *slot;

    if (!l) {
        *slot = l = SKN_NEW(b->f->a, lane);
        l->chat = chat;
        l->agent = agent;
        skn_vec_add(b->f->a, &b->lanes, l);
    }
    return l;
}

static void hear(builder *b, size_t chat, size_t agent, size_t message)
{
    lane *l = need_lane(b, chat, agent);

    skn_vec_add(b->f->a, &l->items, (int64_t)message + 1);
    b->starved = b->starved || (b->items++ % ITEMS_A_CHECK == 0 &&
                                !skn_heap_has(SKN_HEADROOM + b->items * ITEM_BYTES));
}

static bool is_for_all(const skn_foreign_message *m)
{
    return m->heard_by_all && m->m.role != SKEIN_SYSTEM && m->m.role != SKEIN_SUMMARY &&
           m->m.role != SKEIN_TOOL;
}

SKN_ORDER_OF(compare_lanes, lane, chat, agent)

/* An agent has a lane in a chat from the first thing it hears there. */
static skein_rc deal_messages(builder *b, skein_error *err)
{
    const skn_foreign *f = b->f;

    b->lane_at = skn_map_new(f->a);
    for (size_t i = 0; i < f->chats.n; i++)
        need_lane(b, i, 0);
    for (size_t i = 0; i < f->messages.n && b->items <= SKN_IMPORT_ROWS && !b->starved; i++) {
        const skn_foreign_message *m = &f->messages.p[i];

        hear(b, m->chat, 0, i);
        for (size_t k = 0; k < m->heard.n; k++)
            hear(b, m->chat, m->heard.p[k] + 1, i);
        for (size_t agent = 0; is_for_all(m) && agent < f->agents.n; agent++)
            hear(b, m->chat, agent + 1, i);
    }
    if (b->items > SKN_IMPORT_ROWS)
        return skn_fail(err, SKEIN_LIMIT, "too many agents hear too many messages");
    if (b->starved)
        return skn_import_starved(err);
    if (b->lanes.n)
        qsort(b->lanes.p, b->lanes.n, sizeof(lane *), compare_lanes);
    return SKEIN_OK;
}

/* --- Rows ------------------------------------------------------------------------------------- */

static skn_cell number(int64_t v)
{
    return (skn_cell){.number = v};
}

/* A time that no clock can have told is not kept: when the file came in is nearer to the truth. */
static skn_cell at_time(int64_t v)
{
    return number(skn_time_given(v) ? v : SKN_NOW());
}

/* A reference, or a number that is left out where it is 0. */
static skn_cell ref(int64_t v)
{
    return (skn_cell){.null = v == 0, .number = v};
}

static skn_cell text(skn_str s)
{
    return (skn_cell){.null = !s.p, .text = s};
}

#define NONE text(SKN_NONE)

/* A made id, behind the letters that its kind begins with. */
static skn_cell made_uid(builder *b, const char *kind)
{
    char uid[11];

    skn_store_uid(b->f->e->store, uid);
    return text(skn_arena_printf(b->a, "%s%s", kind, uid));
}

/* Cells in the order of the table; those behind the last are left out. */
#define PUT(b, table, ...)                                                                     \
    put_row(b, table, (const skn_cell[]){__VA_ARGS__},                                         \
            sizeof((const skn_cell[]){__VA_ARGS__}) / sizeof(skn_cell))

static void put_row(builder *b, skn_archive_table table, const skn_cell *cells, size_t count)
{
    const skn_archive_shape *shape = &skn_archive_tables[table];
    skn_archive_row          row = {.table = table};

    if (shape->numbered)
        row.number = ++b->numbers[table];
    for (size_t i = 0; i < shape->count; i++)
        row.cells[i] = i < count ? cells[i] : NONE;
    skn_archive_row_write(&row, b->out);
    skn_arena_reset(b->a);
    b->rows++;
}

/* --- Tables ----------------------------------------------------------------------------------- */

static void put_world(builder *b)
{
    const skn_foreign *f = b->f;

    PUT(b, SKN_AR_WORLDS, f->uid.p ? text(f->uid) : made_uid(b, ""), text(f->world),
        text(f->description), number(f->turn_limit), number(50), ref(f->current_chat + 1),
        at_time(f->created_at));
}

static void put_agents(builder *b)
{
    for (size_t i = 0; i < b->f->agents.n; i++) {
        const skn_foreign_agent *agent = &b->f->agents.p[i];

        PUT(b, SKN_AR_AGENTS, made_uid(b, ""), ref(1), NONE, text(agent->name),
            text(agent->system_prompt), text(agent->model), text(agent->settings),
            at_time(agent->created_at));
    }
}

static void put_chats(builder *b)
{
    const skn_foreign_chat *chats = b->f->chats.p;

    for (size_t i = 0; i < b->f->chats.n; i++)
        PUT(b, SKN_AR_CONVERSATIONS, made_uid(b, "c_"), ref(1), NONE, text(SKN_STR("chat")),
            text(chats[i].title), ref((int64_t)i + 1), NONE, at_time(chats[i].created_at));
    for (size_t i = 0; i < b->f->chats.n; i++)
        PUT(b, SKN_AR_VERSIONS, ref((int64_t)i + 1), number(1), NONE, number(0),
            text(SKN_STR("start")), text(SKN_STR("human")), NONE, at_time(chats[i].created_at));
}

static void put_lane(builder *b, const lane *l)
{
    skn_str key = l->agent ? skn_arena_printf(b->a, "@%zu", l->agent) : SKN_MAIN;

    PUT(b, SKN_AR_LANES, ref((int64_t)l->chat + 1), text(key), ref((int64_t)l->agent), NONE,
        number(0), NONE, NONE, number(0), text(SKN_STR("running")), NONE,
        at_time(b->f->chats.p[l->chat].created_at));
}

/* --- Messages --------------------------------------------------------------------------------- */

/* Cells borrow their texts until the row is written. */
static skn_cell keep_json(builder *b, skn_str json, skn_buf *buf)
{
    skn_cell kept = text(skn_arena_copy(b->a, json));

    skn_buf_release(buf);
    return kept;
}

static skn_cell calls_of(builder *b, const skein_new_message *m)
{
    skn_buf buf;

    skn_buf_init(&buf, SKN_ARCHIVE_LINE);
    return keep_json(b, skn_calls_json(m->calls, m->call_count, &buf), &buf);
}

static skn_cell instructions_of(builder *b, const skein_new_message *m)
{
    skn_buf buf;

    skn_buf_init(&buf, SKN_ARCHIVE_LINE);
    return keep_json(b, skn_instructions_json(m->instructions, m->instruction_count, &buf),
                     &buf);
}

static skn_str author_word(const skn_foreign_message *m)
{
    switch (m->m.role) {
    case SKEIN_USER:
        return m->author >= 0 ? SKN_STR("agent") : SKN_STR("human");
    case SKEIN_ASSISTANT:
        return SKN_STR("agent");
    case SKEIN_TOOL:
        return SKN_STR("tool");
    case SKEIN_SUMMARY:
    case SKEIN_SYSTEM:
        break;
    }
    return SKN_STR("system");
}

/* No lineage, version or squash: another program's edits are not ours; and what its call used is not in the file. */
static void put_message(builder *b, const skn_foreign_message *m)
{
    skn_str content = m->m.content.p ? m->m.content : SKN_STR("");

    PUT(b, SKN_AR_MESSAGES, text(m->m.uid), ref((int64_t)m->chat + 1),
        text(skn_str_of(skein_role_name(m->m.role))), text(author_word(m)), ref(m->author + 1),
        text(m->m.sender), text(content), text(m->m.thinking), calls_of(b, &m->m),
        text(m->m.tool_call_id), number(m->m.tool_failed), instructions_of(b, &m->m),
        text(m->m.reply_to), ref(m->parent + 1), number(m->depth), NONE, NONE, NONE,
        text(m->m.model), text(m->m.turn_uid), text(m->warning), at_time(m->m.created_at), NONE,
        ref(m->m.unfinished));
}

/* --- Threads and items ------------------------------------------------------------------------ */

static void put_thread(builder *b, size_t at)
{
    PUT(b, SKN_AR_THREADS, made_uid(b, "t_"), ref((int64_t)at + 1),
        ref((int64_t)b->lanes.p[at]->chat + 1), NONE, number(0), NONE, number(0));
}

static void put_items(builder *b, size_t at)
{
    const lane *l = b->lanes.p[at];

    for (size_t seq = 0; seq < l->items.n; seq++)
        PUT(b, SKN_AR_ITEMS, ref((int64_t)at + 1), number((int64_t)seq), ref(l->items.p[seq]));
}

static void put_end(builder *b)
{
    char       digits[SKN_SHA256_TEXT];
    skn_sha256 hash;

    skn_sha256_init(&hash);
    skn_sha256_add(&hash, skn_buf_str(b->out));
    skn_archive_end_write(b->rows, skn_sha256_text(&hash, digits), b->out);
}

static void put_all(builder *b)
{
    skn_archive_header h = {.format = SKN_ARCHIVE_FORMAT, .schema = skn_store_schema()};

    skn_archive_header_write(&h, b->out);
    put_world(b);
    put_agents(b);
    put_chats(b);
    for (size_t i = 0; i < b->lanes.n; i++)
        put_lane(b, b->lanes.p[i]);
    for (size_t i = 0; i < b->f->messages.n; i++)
        put_message(b, &b->f->messages.p[i]);
    for (size_t i = 0; i < b->lanes.n; i++)
        put_thread(b, i);
    for (size_t i = 0; i < b->lanes.n; i++)
        put_items(b, i);
    put_end(b);
}

skein_rc skn_foreign_archive(const skn_foreign *f, skn_buf *out, skein_error *err)
{
    builder  b = {.f = f, .out = out};
    skein_rc rc = deal_messages(&b, err);

    if (rc)
        return rc;
    b.a = skn_arena_new();
    put_all(&b);
    skn_arena_free(b.a);
    if (out->starved)
        return skn_import_starved(err);
    if (out->over)
        return skn_fail(err, SKEIN_LIMIT, "the import is over %zu bytes", out->limit);
    return SKEIN_OK;
}
