/* feed.c: telling what happened, in the words of the API. */
#include "engine/feed.h"
#include "base/utf8.h"
#include "engine/engine.h"

#include <inttypes.h>
#include <stdlib.h>

/* --- Data ------------------------------------------------------------------------------------ */

void skn_told_open(skn_told *d)
{
    skn_jw_open(&d->w, &d->buf, SIZE_MAX / 2);
    skn_jw_object(&d->w);
}

skn_told *skn_told_with(skn_told *d, const skn_told_member *members)
{
    skn_told_open(d);
    for (const skn_told_member *m = members; m->key; m++) {
        if (m->kind == SKN_TOLD_GIVEN && !m->text.p)
            continue;
        switch (m->kind) {
        case SKN_TOLD_TEXT:
        case SKN_TOLD_GIVEN:
            skn_jw_kstr(&d->w, m->key, m->text);
            break;
        case SKN_TOLD_INT:
            skn_jw_kint(&d->w, m->key, m->number);
            break;
        case SKN_TOLD_BOOL:
            skn_jw_kbool(&d->w, m->key, m->number != 0);
            break;
        case SKN_TOLD_TIME:
            skn_jw_ktime(&d->w, m->key, m->number);
            break;
        }
    }
    return d;
}

void skn_told_drop(skn_told *d)
{
    skn_buf_release(&d->buf);
}

static void write_event(skn_tx *tx, skn_event_row row, const char *type, skn_told *d)
{
    row.type = skn_str_of(type);
    if (d) {
        skn_jw_object_end(&d->w);
        row.data = skn_buf_str(&d->buf);
    }
    skn_event_add(tx, &row);
    if (d)
        skn_told_drop(d);
}

static skn_event_row row_of(const skn_conversation_row *c)
{
    return (skn_event_row){
        .world_id = c->world_id, .conversation_id = c->id, .version_id = c->version_id};
}

void skn_feed_chat(skn_tx *tx, const skn_conversation_row *c, const char *type, skn_str cause,
                   skn_told *d)
{
    skn_event_row row = row_of(c);

    row.cause = cause;
    write_event(tx, row, type, d);
}

void skn_feed_world(skn_tx *tx, int64_t world, const char *type, skn_told *d)
{
    write_event(tx, (skn_event_row){.world_id = world}, type, d);
}

void skn_feed_item(skn_tx *tx, int64_t world, int64_t conversation, const char *type,
                   skn_told *d)
{
    write_event(tx, (skn_event_row){.world_id = world, .conversation_id = conversation}, type,
                d);
}

static skein_rc tell_now(skn_tx *tx, void *arg, skein_error *err)
{
    (void)err;
    skn_event_add(tx, arg);
    return SKEIN_OK;
}

skein_rc skn_event_tell(skein_engine *e, skein_world_id world, const char *type, skn_str data,
                        skein_error *err)
{
    skn_event_row row = {.world_id = world.v, .type = skn_str_of(type), .data = data};

    return skn_store_write(e->store, tell_now, &row, err);
}

/* --- Messages -------------------------------------------------------------------------------- */

void skn_feed_message(skn_tx *tx, const skn_conversation_row *c, const char *type,
                      const skein_message *m, skn_str cause, skn_told *d)
{
    skn_event_row row = row_of(c);
    skn_told      own;

    if (!d)
        skn_told_open(d = &own);
    skn_jw_kint(&d->w, "position", m->position);
    row.message_id = m->id.v;
    row.cause = cause;
    write_event(tx, row, type, d);
}

void skn_feed_tool(skn_tx *tx, const skn_conversation_row *c, const char *type,
                   const skein_message *m, skn_str call_id, skn_str lane, skn_str cause)
{
    skn_event_row row = row_of(c);

    row.message_id = m->id.v;
    row.cause = cause;
    write_event(tx, row, type,
                SKN_TOLD(SKN_M_TEXT("toolCallId", call_id), SKN_M_GIVEN("delegationId", lane)));
}

/* --- Versions --------------------------------------------------------------------------------- */

void skn_feed_version(skn_tx *tx, const skn_conversation_row *c, int64_t version_id,
                      const skein_version *v)
{
    skn_event_row row = row_of(c);
    char          name[32];

    row.version_id = version_id;
    snprintf(name, sizeof name, "v%" PRId64, v->number);
    write_event(tx, row, "thread.created",
                SKN_TOLD(SKN_M_TEXT("threadId", v->thread_uid),
                         SKN_M_TEXT("originalThread", v->origin_thread_uid),
                         SKN_M_TEXT("op", v->kind), SKN_M_INT("length", v->length),
                         SKN_M_TEXT("by", v->actor), SKN_M_TEXT("version", skn_str_of(name)),
                         SKN_M_BOOL("current", true)));
}

void skn_feed_move(skn_tx *tx, const skn_conversation_row *c, const char *move,
                   const skein_version *from, const skein_version *to)
{
    skn_str word = skn_str_of(move);

    if (skn_str_is(word, "switch"))
        word = SKN_STR("jump");
    write_event(tx, row_of(c), "thread.switched",
                SKN_TOLD(SKN_M_TEXT("from", from->thread_uid), SKN_M_TEXT("to", to->thread_uid),
                         SKN_M_TEXT("move", word)));
}

void skn_feed_edit(skn_tx *tx, const skn_conversation_row *c, skn_str edit, skn_str message,
                   const char *phase, size_t done, size_t total)
{
    write_event(tx, row_of(c), "edit.phase",
                SKN_TOLD(SKN_M_TEXT("editId", edit), SKN_M_TEXT("messageId", message),
                         SKN_M_TEXT("phase", skn_str_of(phase)),
                         SKN_M_INT("done", (int64_t)done), SKN_M_INT("total", (int64_t)total)));
}

/* --- Places ------------------------------------------------------------------------------------ */

void skn_feed_chat_is(skn_tx *tx, const skn_conversation_row *c, const char *type)
{
    write_event(tx, row_of(c), type,
                SKN_TOLD(SKN_M_TEXT("id", c->uid), SKN_M_TEXT("title", c->title),
                         SKN_M_TEXT("mode", skn_str_of(skn_mode_name(c->mode))),
                         SKN_M_TEXT("agent", c->agent_name),
                         SKN_M_BOOL("archived", c->removed_at != 0),
                         SKN_M_TEXT("replyExpected", c->expects),
                         SKN_M_BOOL("readOnly", c->read_only)));
}

void skn_feed_world_is(skn_tx *tx, const skein_world *w)
{
    skn_feed_world(tx, w->id.v, "world.updated",
                   SKN_TOLD(SKN_M_TEXT("id", w->uid), SKN_M_TEXT("name", w->name),
                            SKN_M_TEXT("description", w->description),
                            SKN_M_INT("turnLimit", w->turn_limit),
                            SKN_M_INT("compactAt", w->compact_at),
                            SKN_M_TEXT("currentChatId", w->current_chat_uid)));
}

void skn_feed_agent_is(skn_tx *tx, const skein_agent *a, const char *type)
{
    skn_feed_world(tx, a->world.v, type,
                   SKN_TOLD(SKN_M_TEXT("id", a->uid), SKN_M_TEXT("name", a->name),
                            SKN_M_TEXT("model", a->model), SKN_M_TEXT("lead", a->lead_name)));
}

void skn_feed_lane(skn_tx *tx, const skn_conversation_row *c, const skn_lane_row *lane,
                   skn_str cause)
{
    static const char *const types[] = {"delegation.started", "delegation.completed",
                                        "delegation.failed", "delegation.cancelled",
                                        "delegation.failed"};
    skn_event_row            row = row_of(c);
    skn_str                  parent = lane->key;

    while (parent.n > 0 && parent.p[parent.n - 1] != '.')
        parent.n--;
    parent.n -= parent.n > 0;
    row.message_id = lane->spawn_message_id;
    row.cause = cause;
    write_event(tx, row, types[lane->state],
                SKN_TOLD(SKN_M_TEXT("delegationId", lane->key),
                         SKN_M_TEXT("threadPath", lane->key), SKN_M_TEXT("parent", parent),
                         SKN_M_TEXT("agent", lane->agent_name),
                         SKN_M_TEXT("toolCallId", lane->spawn_call_id)));
}

/* Events as others get them: a row and the message it points at become one JSON object.
 * All that goes into it is fixed once it happened, so it is the same whenever it is read; only what
 * was erased since is gone. */

#define PAGE      ((size_t)1000)
#define PAGE_MOST ((size_t)10000)
#define AT_ONCE   ((size_t)100)      /* messages asked for in one statement */
#define ENOUGH    ((size_t)16 << 20) /* bytes of data after which a page ends early */
#define CUT       ((size_t)2000)     /* bytes of a call and its result in an event */
#define FORGET    INT64_C(5000)      /* events deleted in one transaction */

/* --- A message ------------------------------------------------------------------------------- */

static void write_message(skn_jw *w, const skn_event_row *row, skein_message m,
                          const skn_json *data)
{
    const skn_json *usage = skn_json_get(data, "usage"), *at = skn_json_get(data, "position");

    if (at)
        skn_str_int(at->raw, &m.position);
    skn_shape_message_told(w, row->chat_uid, &m, usage ? usage->raw : SKN_NONE);
    for (const skn_json *v = data ? data->first : NULL; v; v = v->next)
        if (!skn_shape_has(&skn_message_shape, v->key)) /* the message says the others */
            skn_jw_member(w, v);
}

/* --- A delegation -------------------------------------------------------------------------------- */

const skein_tool_call *skn_call_of(const skein_message *m, skn_str id)
{
    for (size_t i = 0; i < m->call_count; i++)
        if (skn_str_eq(m->calls[i].call_id, id))
            return &m->calls[i];
    return NULL;
}

static const skein_tool_call *find_call(const skein_message *m, const skn_json *data)
{
    const skn_json *id = skn_json_get(data, "toolCallId");

    return id ? skn_call_of(m, id->text) : NULL;
}

/* The message is the one that called for it. */
static void write_delegation(skn_jw *w, const skein_message *m, const skn_json *data,
                             skn_arena *scratch)
{
    const skein_tool_call *call = find_call(m, data);
    const skn_json        *args = NULL;
    skn_str                title = SKN_NONE;

    for (const skn_json *v = data ? data->first : NULL; v; v = v->next)
        skn_jw_member(w, v);
    if (call && skn_json_parse(&args, call->args, "args", scratch, NULL) == SKEIN_OK &&
        skn_json_text(args, "title", &title, NULL) == SKEIN_OK && title.p)
        skn_jw_kstr(w, "title", skn_utf8_cut(title, CUT));
}

/* --- A call or its result ----------------------------------------------------------------------- */

static void write_cut(skn_jw *w, const char *key, skn_str text, bool json)
{
    skn_jw_key(w, key);
    if (json && text.n > 0 && text.n <= CUT)
        skn_jw_raw(w, text);
    else
        skn_jw_str(w, skn_utf8_cut(text, CUT));
    skn_jw_kbool(w, "cut", text.n > CUT);
}

static void write_tool(skn_jw *w, const skein_message *m, const skn_json *data)
{
    const skn_json        *id = skn_json_get(data, "toolCallId");
    const skn_json        *lane = skn_json_get(data, "delegationId");
    const skein_tool_call *call = find_call(m, data);
    skn_str                call_id = id ? id->text : SKN_NONE;

    skn_jw_kstr(w, "messageId", m->uid);
    skn_jw_kstr(w, "toolCallId", call_id);
    if (lane)
        skn_jw_kstr(w, "delegationId", lane->text);
    if (m->role == SKEIN_TOOL) {
        write_cut(w, "content", m->content, false);
        return;
    }
    skn_jw_kstr(w, "toolName", call ? call->tool_name : SKN_NONE);
    write_cut(w, "args", call ? call->args : SKN_NONE, true);
}

/* --- Any event ----------------------------------------------------------------------------------- */

static const skein_message *find_message(const skein_messages *list, int64_t id)
{
    size_t at = skn_first_from(list->at, list->count, sizeof *list->at,
                               offsetof(skein_message, id), id);

    return at < list->count && list->at[at].id.v == id ? &list->at[at] : NULL;
}

static skn_str whole_data(const skn_event_row *row, const skein_message *m, skn_arena *a,
                          skn_arena *scratch)
{
    const skn_json *data = NULL;
    skn_buf         buf;
    skn_jw          w;

    if (!m)
        return row->data.p ? skn_arena_copy(a, row->data) : SKN_STR("{}");
    if (row->data.p && skn_json_parse(&data, row->data, "data", scratch, NULL))
        data = NULL;
    skn_jw_open(&w, &buf, SIZE_MAX / 2);
    skn_jw_object(&w);
    if (skn_str_starts(row->type, SKN_STR("tool.")))
        write_tool(&w, m, data);
    else if (skn_str_starts(row->type, SKN_STR("delegation.")))
        write_delegation(&w, m, data, scratch);
    else
        write_message(&w, row, *m, data);
    skn_jw_object_end(&w);
    return skn_buf_keep(&buf, a);
}

static skein_event whole_event(const skn_event_row *row, const skein_message *m, skn_arena *a,
                               skn_arena *scratch)
{
    return (skein_event){.seq = row->id,
                         .at = row->at,
                         .world = {row->world_id},
                         .world_name = row->world.n ? skn_arena_copy(a, row->world) : SKN_NONE,
                         .chat = {row->conversation_id},
                         .chat_uid = skn_arena_copy(a, row->chat_uid),
                         .thread_uid = skn_arena_copy(a, row->thread_uid),
                         .cause = skn_arena_copy(a, row->cause),
                         .type = skn_arena_copy(a, row->type),
                         .data = whole_data(row, m, a, scratch)};
}

/* --- Reading ---------------------------------------------------------------------------------------- */

typedef struct read_call {
    skn_event_range range;
    skein_mem      *mem;
    skein_events   *out;
    skn_arena      *scratch; /* rows */
    skn_arena      *brief;   /* messages, of one portion */
} read_call;

static skein_rc read_messages(skn_tx *tx, const read_call *c, const skn_event_row *rows,
                              size_t count, skein_messages *out, skein_error *err)
{
    int64_t ids[AT_ONCE];
    size_t  n = 0, distinct = 0;

    for (size_t i = 0; i < count; i++)
        if (rows[i].message_id)
            ids[n++] = rows[i].message_id;
    qsort(ids, n, sizeof ids[0], skn_by_number);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || ids[i] != ids[i - 1])
            ids[distinct++] = ids[i];
    return skn_message_many(tx, &(skn_ids){ids, distinct}, c->brief, out, err);
}

static skein_rc read_portion(skn_tx *tx, read_call *c, const skn_event_row *rows, size_t count,
                             size_t *bytes, skein_error *err)
{
    skein_messages messages;
    skein_rc       rc;

    skn_arena_reset(c->brief);
    if ((rc = read_messages(tx, c, rows, count, &messages, err)))
        return rc;
    for (size_t i = 0; i < count && *bytes < ENOUGH; i++) {
        skein_event *e = &c->out->at[c->out->count++];

        *e = whole_event(&rows[i], find_message(&messages, rows[i].message_id), c->mem,
                         c->brief);
        *bytes += e->data.n;
    }
    return SKEIN_OK;
}

static skein_rc find_settled(skein_engine *e, int64_t after, int64_t *upto, skein_error *err)
{
    skn_snapshot s = {.store = e->store};

    while (skn_snapshot_next(&s, err))
        s.rc = skn_event_settled(s.tx, after, upto, err);
    return s.rc;
}

static skein_rc read_events(skn_tx *tx, read_call *c, skein_error *err)
{
    size_t         bytes = 0;
    skn_event_rows rows;
    skein_rc       rc;

    *c->out = (skein_events){0};
    skn_arena_reset(c->scratch);
    if ((rc = skn_event_rows_in(tx, &c->range, c->scratch, &rows, err)))
        return rc;
    c->out->at = SKN_ARRAY(c->mem, rows.count, skein_event);
    for (size_t i = 0; rc == SKEIN_OK && i < rows.count && bytes < ENOUGH; i += AT_ONCE) {
        size_t left = rows.count - i;

        rc = read_portion(tx, c, rows.at + i, left < AT_ONCE ? left : AT_ONCE, &bytes, err);
    }
    return rc;
}

skein_rc skein_events_read(skein_engine *e, const skein_event_query *what, skein_mem *mem,
                           skein_events *out, skein_error *err)
{
    read_call    c = {.mem = mem, .out = out};
    size_t       limit = what->limit ? what->limit : PAGE;
    skn_snapshot s = {.store = e->store};

    *out = (skein_events){0};
    c.range = (skn_event_range){.world = what->world.v,
                                .conversation = what->chat.v,
                                .after = what->after,
                                .limit = limit < PAGE_MOST ? limit : PAGE_MOST};
    if ((s.rc = find_settled(e, what->after, &c.range.upto, err)) || c.range.upto == 0)
        return s.rc;
    c.scratch = skn_arena_new();
    c.brief = skn_arena_new();
    while (skn_snapshot_next(&s, err))
        s.rc = read_events(s.tx, &c, err);
    if (s.rc)
        *out = (skein_events){0};
    skn_arena_free(c.scratch);
    skn_arena_free(c.brief);
    return s.rc;
}

/* --- Which there are --------------------------------------------------------------------------------- */

skein_rc skein_events_span(skein_engine *e, int64_t *newest, int64_t *forgotten,
                           skein_error *err)
{
    int64_t      upto = 0;
    skn_snapshot s = {.store = e->store};

    *newest = *forgotten = 0;
    s.rc = find_settled(e, 0, &upto, err);
    while (skn_snapshot_next(&s, err))
        s.rc = skn_event_span(s.tx, upto, newest, forgotten, err);
    return s.rc;
}

typedef struct forget_call {
    int64_t below, gone;
} forget_call;

static skein_rc forget_events(skn_tx *tx, void *arg, skein_error *err)
{
    forget_call *c = arg;

    return skn_event_forget(tx, c->below, &c->gone, err);
}

/* In pieces: others write meanwhile. */
skein_rc skein_events_forget(skein_engine *e, int64_t before, int64_t *gone, skein_error *err)
{
    forget_call  c = {0};
    int64_t      stays = 0;
    skn_snapshot s = {.store = e->store};
    skein_rc     rc;

    *gone = 0;
    while (skn_snapshot_next(&s, err))
        s.rc = skn_event_older(s.tx, before, &c.below, &stays, err);
    rc = s.rc;
    while (rc == SKEIN_OK && c.below < stays) {
        c.below = stays - c.below > FORGET ? c.below + FORGET : stays;
        rc = skn_store_write(e->store, forget_events, &c, err);
        *gone += rc ? 0 : c.gone;
    }
    return rc;
}

void skein_on_commit(skein_engine *e, void (*fn)(void *arg), void *arg)
{
    skn_store_on_commit(e->store, fn, arg);
}

skein_rc skein_store_stamp(skein_engine *e, int64_t *stamp, skein_error *err)
{
    return skn_store_stamp(e->store, stamp, err);
}
