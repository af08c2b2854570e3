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
    skn_archive_row    row;
    size_t             cell;
    int64_t            numbers[SKN_AR_TABLES];
    int64_t            rows;
    skn_map           *lane_at; /* (chat, agent) -> lane */
    skn_vec(lane *) lanes;
    size_t items;
} builder;

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
    b->items++;
}

static bool is_for_all(const skn_foreign_message *m)
{
    return m->heard_by_all && m->m.role != SKEIN_SYSTEM && m->m.role != SKEIN_SUMMARY &&
           m->m.role != SKEIN_TOOL;
}

static int compare_lanes(const void *a, const void *b)
{
    const lane *x = *(lane *const *)a, *y = *(lane *const *)b;

    if (x->chat != y->chat)
        return x->chat < y->chat ? -1 : 1;
    return x->agent < y->agent ? -1 : x->agent > y->agent;
}

/* An agent has a lane in a chat from the first thing it hears there. */
static skein_rc deal_messages(builder *b, skein_error *err)
{
    const skn_foreign *f = b->f;

    b->lane_at = skn_map_new(f->a);
    for (size_t i = 0; i < f->chats.n; i++)
        need_lane(b, i, 0);
    for (size_t i = 0; i < f->messages.n && b->items <= SKN_IMPORT_ROWS; i++) {
        const skn_foreign_message *m = &f->messages.p[i];

        hear(b, m->chat, 0, i);
        for (size_t k = 0; k < m->heard.n; k++)
            hear(b, m->chat, m->heard.p[k] + 1, i);
        for (size_t agent = 0; is_for_all(m) && agent < f->agents.n; agent++)
            hear(b, m->chat, agent + 1, i);
    }
    if (b->items > SKN_IMPORT_ROWS)
        return skn_fail(err, SKEIN_LIMIT, "too many agents hear too many messages");
    if (b->lanes.n)
        qsort(b->lanes.p, b->lanes.n, sizeof(lane *), compare_lanes);
    return SKEIN_OK;
}

/* --- Rows, cell by cell in the order of the table ----------------------------------------- */

static void begin(builder *b, skn_archive_table table)
{
    b->row = (skn_archive_row){.table = table};
    b->cell = 0;
    if (skn_archive_tables[table].numbered)
        b->row.number = ++b->numbers[table];
    skn_arena_reset(b->a);
}

static void put_int(builder *b, int64_t v)
{
    b->row.cells[b->cell++] = (skn_cell){.number = v};
}

/* A time that no clock can have told is not kept: when the file came in is nearer to the truth. */
static void put_time(builder *b, int64_t v)
{
    put_int(b, skn_time_given(v) ? v : SKN_NOW());
}

/* A reference; zero is none. */
static void put_ref(builder *b, int64_t v)
{
    b->row.cells[b->cell++] = (skn_cell){.null = v == 0, .number = v};
}

static void put_text(builder *b, skn_str s)
{
    b->row.cells[b->cell++] = (skn_cell){.null = !s.p, .text = s};
}

static void put_none(builder *b)
{
    put_text(b, SKN_NONE);
}

/* A number that is left out where it is 0. */
static void put_some(builder *b, int64_t number)
{
    b->row.cells[b->cell++] = (skn_cell){.null = !number, .number = number};
}

/* A made id, behind the letters that its kind begins with. */
static void put_uid(builder *b, const char *kind)
{
    char uid[11];

    skn_store_uid(b->f->e->store, uid);
    put_text(b, skn_arena_printf(b->a, "%s%s", kind, uid));
}

static void end(builder *b)
{
    skn_archive_row_write(&b->row, b->out);
    b->rows++;
}

/* --- Tables ------------------------------------------------------------------------------- */

static void put_world(builder *b)
{
    const skn_foreign *f = b->f;

    begin(b, SKN_AR_WORLDS);
    if (f->uid.p)
        put_text(b, f->uid);
    else
        put_uid(b, "");
    put_text(b, f->world);
    put_text(b, f->description);
    put_int(b, f->turn_limit);
    put_int(b, 50);
    put_ref(b, f->current_chat + 1);
    put_time(b, f->created_at);
    put_none(b);
    end(b);
}

static void put_agents(builder *b)
{
    for (size_t i = 0; i < b->f->agents.n; i++) {
        const skn_foreign_agent *agent = &b->f->agents.p[i];

        begin(b, SKN_AR_AGENTS);
        put_uid(b, "");
        put_ref(b, 1);
        put_none(b);
        put_text(b, agent->name);
        put_text(b, agent->system_prompt);
        put_text(b, agent->model);
        put_text(b, agent->settings);
        put_time(b, agent->created_at);
        put_none(b);
        end(b);
    }
}

static void put_chats(builder *b)
{
    for (size_t i = 0; i < b->f->chats.n; i++) {
        begin(b, SKN_AR_CONVERSATIONS);
        put_uid(b, "c_");
        put_ref(b, 1);
        put_none(b);
        put_text(b, SKN_STR("chat"));
        put_text(b, b->f->chats.p[i].title);
        put_ref(b, (int64_t)i + 1);
        put_none(b);
        put_time(b, b->f->chats.p[i].created_at);
        put_none(b);
        put_none(b);
        put_none(b);
        end(b);
    }
    for (size_t i = 0; i < b->f->chats.n; i++) {
        begin(b, SKN_AR_VERSIONS);
        put_ref(b, (int64_t)i + 1);
        put_int(b, 1);
        put_none(b);
        put_int(b, 0);
        put_text(b, SKN_STR("start"));
        put_text(b, SKN_STR("human"));
        put_none(b);
        put_time(b, b->f->chats.p[i].created_at);
        end(b);
    }
}

static void put_lane(builder *b, const lane *l)
{
    begin(b, SKN_AR_LANES);
    put_ref(b, (int64_t)l->chat + 1);
    put_text(b, l->agent ? skn_arena_printf(b->a, "@%zu", l->agent) : SKN_MAIN);
    put_ref(b, (int64_t)l->agent);
    put_none(b);
    put_int(b, 0);
    put_none(b);
    put_none(b);
    put_int(b, 0);
    put_text(b, SKN_STR("running"));
    put_none(b);
    put_time(b, b->f->chats.p[l->chat].created_at);
    end(b);
}

/* --- Messages ----------------------------------------------------------------------------- */

/* Cells borrow their texts until the row is written. */
static skn_str keep_json(builder *b, skn_str json)
{
    return json.p ? skn_arena_copy(b->a, json) : SKN_NONE;
}

static void put_calls(builder *b, const skein_new_message *m)
{
    skn_buf buf;

    skn_buf_init(&buf, SKN_ARCHIVE_LINE);
    put_text(b, keep_json(b, skn_calls_json(m->calls, m->call_count, &buf)));
    skn_buf_release(&buf);
}

static void put_instructions(builder *b, const skein_new_message *m)
{
    skn_buf buf;

    skn_buf_init(&buf, SKN_ARCHIVE_LINE);
    put_text(b,
             keep_json(b, skn_instructions_json(m->instructions, m->instruction_count, &buf)));
    skn_buf_release(&buf);
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

static void put_message(builder *b, const skn_foreign_message *m)
{
    begin(b, SKN_AR_MESSAGES);
    put_text(b, m->m.uid);
    put_ref(b, (int64_t)m->chat + 1);
    put_text(b, skn_str_of(skein_role_name(m->m.role)));
    put_text(b, author_word(m));
    put_ref(b, m->author + 1);
    put_text(b, m->m.sender);
    put_text(b, m->m.content.p ? m->m.content : SKN_STR(""));
    put_text(b, m->m.thinking);
    put_calls(b, &m->m);
    put_text(b, m->m.tool_call_id);
    put_int(b, m->m.tool_failed);
    put_instructions(b, &m->m);
    put_text(b, m->m.reply_to);
    put_ref(b, m->parent + 1);
    put_int(b, m->depth);
    put_none(b); /* lineage, version of, squash: another program's edits are not ours */
    put_none(b);
    put_none(b);
    put_text(b, m->m.model);
    put_text(b, m->m.turn_uid);
    put_text(b, m->warning);
    put_time(b, m->m.created_at);
    put_none(b);
    put_some(b, m->m.unfinished);
    put_none(b); /* what its call used: that is not in the file */
    put_none(b);
    put_none(b);
    end(b);
}

/* --- Threads and items -------------------------------------------------------------------- */

static void put_thread(builder *b, size_t number)
{
    begin(b, SKN_AR_THREADS);
    put_uid(b, "t_");
    put_ref(b, (int64_t)number + 1);
    put_ref(b, (int64_t)b->lanes.p[number]->chat + 1);
    put_none(b);
    put_int(b, 0);
    put_none(b);
    put_int(b, 0);
    put_none(b);
    end(b);
}

static void put_items(builder *b, size_t number)
{
    const lane *l = b->lanes.p[number];

    for (size_t seq = 0; seq < l->items.n; seq++) {
        begin(b, SKN_AR_ITEMS);
        put_ref(b, (int64_t)number + 1);
        put_int(b, (int64_t)seq);
        put_ref(b, l->items.p[seq]);
        put_none(b);
        end(b);
    }
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
        return skn_fail(err, SKEIN_NO_MEMORY, "there is not enough memory for the import");
    if (out->over)
        return skn_fail(err, SKEIN_LIMIT, "the import is over %zu bytes", out->limit);
    return SKEIN_OK;
}
