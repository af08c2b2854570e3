/* feed.c: telling what happened, in the words of the API. */
#include "engine/feed.h"
#include "engine/engine.h"

#include <inttypes.h>
#include <stdio.h>

/* --- Data ------------------------------------------------------------------------------------ */

void skn_told_open(skn_told *d)
{
    skn_buf_init(&d->buf, SIZE_MAX / 2);
    skn_jw_init(&d->w, &d->buf);
    skn_jw_object(&d->w);
}

void skn_told_drop(skn_told *d)
{
    skn_buf_release(&d->buf);
}

static void tell(skn_tx *tx, skn_event_row row, const char *type, skn_told *d)
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
    tell(tx, row, type, d);
}

void skn_feed_world(skn_tx *tx, int64_t world, const char *type, skn_told *d)
{
    tell(tx, (skn_event_row){.world_id = world}, type, d);
}

void skn_feed_item(skn_tx *tx, int64_t world, int64_t conversation, const char *type,
                   skn_told *d)
{
    tell(tx, (skn_event_row){.world_id = world, .conversation_id = conversation}, type, d);
}

typedef struct telling {
    skn_event_row row;
} telling;

static skein_rc tell_now(skn_tx *tx, void *arg, skein_error *err)
{
    (void)err;
    skn_event_add(tx, &((telling *)arg)->row);
    return SKEIN_OK;
}

skein_rc skn_event_tell(skein_engine *e, skein_world_id world, const char *type, skn_str data,
                        skein_error *err)
{
    telling t = {{.world_id = world.v, .type = skn_str_of(type), .data = data}};

    return skn_store_write(e->store, tell_now, &t, err);
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
    tell(tx, row, type, d);
}

void skn_feed_tool(skn_tx *tx, const skn_conversation_row *c, const char *type,
                   const skein_message *m, skn_str call_id, skn_str lane, skn_str cause)
{
    skn_event_row row = row_of(c);
    skn_told      d;

    skn_told_open(&d);
    skn_jw_kstr(&d.w, "toolCallId", call_id);
    if (lane.p)
        skn_jw_kstr(&d.w, "delegationId", lane);
    row.message_id = m->id.v;
    row.cause = cause;
    tell(tx, row, type, &d);
}

/* --- Versions --------------------------------------------------------------------------------- */

void skn_feed_version(skn_tx *tx, const skn_conversation_row *c, int64_t version_id,
                      const skein_version *v)
{
    skn_event_row row = row_of(c);
    skn_told      d;
    char          name[32];

    row.version_id = version_id;
    snprintf(name, sizeof name, "v%" PRId64, v->number);
    skn_told_open(&d);
    skn_jw_kstr(&d.w, "threadId", v->thread_uid);
    skn_jw_kstr(&d.w, "originalThread", v->origin_thread_uid);
    skn_jw_kstr(&d.w, "op", v->kind);
    skn_jw_kint(&d.w, "length", v->length);
    skn_jw_kstr(&d.w, "by", v->actor);
    skn_jw_kstr(&d.w, "version", skn_str_of(name));
    skn_jw_kbool(&d.w, "current", true);
    tell(tx, row, "thread.created", &d);
}

void skn_feed_move(skn_tx *tx, const skn_conversation_row *c, const char *move,
                   const skein_version *from, const skein_version *to)
{
    skn_str  word = skn_str_of(move);
    skn_told d;

    skn_told_open(&d);
    skn_jw_kstr(&d.w, "from", from->thread_uid);
    skn_jw_kstr(&d.w, "to", to->thread_uid);
    skn_jw_kstr(&d.w, "move", skn_str_is(word, "switch") ? SKN_STR("jump") : word);
    tell(tx, row_of(c), "thread.switched", &d);
}

void skn_feed_edit(skn_tx *tx, const skn_conversation_row *c, skn_str edit, skn_str message,
                   const char *phase, size_t done, size_t total)
{
    skn_told d;

    skn_told_open(&d);
    skn_jw_kstr(&d.w, "editId", edit);
    skn_jw_kstr(&d.w, "messageId", message);
    skn_jw_kstr(&d.w, "phase", skn_str_of(phase));
    skn_jw_kint(&d.w, "done", (int64_t)done);
    skn_jw_kint(&d.w, "total", (int64_t)total);
    tell(tx, row_of(c), "edit.phase", &d);
}

/* --- Places ------------------------------------------------------------------------------------ */

void skn_feed_chat_is(skn_tx *tx, const skn_conversation_row *c, const char *type)
{
    skn_told d;

    skn_told_open(&d);
    skn_jw_kstr(&d.w, "id", c->uid);
    skn_jw_kstr(&d.w, "title", c->title);
    skn_jw_kstr(&d.w, "mode", skn_str_of(skn_mode_name(c->mode)));
    skn_jw_kstr(&d.w, "agent", c->agent_name);
    skn_jw_kbool(&d.w, "archived", c->removed_at != 0);
    skn_jw_kstr(&d.w, "replyExpected", c->expects);
    skn_jw_kbool(&d.w, "readOnly", c->read_only);
    tell(tx, row_of(c), type, &d);
}

void skn_feed_world_is(skn_tx *tx, const skein_world *w)
{
    skn_told d;

    skn_told_open(&d);
    skn_jw_kstr(&d.w, "id", w->uid);
    skn_jw_kstr(&d.w, "name", w->name);
    skn_jw_kstr(&d.w, "description", w->description);
    skn_jw_kint(&d.w, "turnLimit", w->turn_limit);
    skn_jw_kint(&d.w, "compactAt", w->compact_at);
    skn_jw_kstr(&d.w, "currentChatId", w->current_chat_uid);
    skn_feed_world(tx, w->id.v, "world.updated", &d);
}

void skn_feed_agent_is(skn_tx *tx, const skein_agent *a, const char *type)
{
    skn_told d;

    skn_told_open(&d);
    skn_jw_kstr(&d.w, "id", a->uid);
    skn_jw_kstr(&d.w, "name", a->name);
    skn_jw_kstr(&d.w, "model", a->model);
    skn_jw_kstr(&d.w, "lead", a->lead_name);
    skn_feed_world(tx, a->world.v, type, &d);
}

void skn_feed_lane(skn_tx *tx, const skn_conversation_row *c, const skn_lane_row *lane,
                   skn_str cause)
{
    static const char *const types[] = {"delegation.started", "delegation.completed",
                                        "delegation.failed", "delegation.cancelled",
                                        "delegation.failed"};
    skn_event_row            row = row_of(c);
    skn_str                  parent = lane->key;
    skn_told                 d;

    while (parent.n > 0 && parent.p[parent.n - 1] != '.')
        parent.n--;
    parent.n -= parent.n > 0;
    skn_told_open(&d);
    skn_jw_kstr(&d.w, "delegationId", lane->key);
    skn_jw_kstr(&d.w, "threadPath", lane->key);
    skn_jw_kstr(&d.w, "parent", parent);
    skn_jw_kstr(&d.w, "agent", lane->agent_name);
    skn_jw_kstr(&d.w, "toolCallId", lane->spawn_call_id);
    row.message_id = lane->spawn_message_id;
    row.cause = cause;
    tell(tx, row, types[lane->state], &d);
}
