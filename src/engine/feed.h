/* feed.h: telling what happened. Only files of this folder include it.
 *
 * Every change tells its events in its own transaction: they are there exactly when the change is.
 * A row is a pointer (world, conversation, version, message) and what that does not say; the whole
 * event is made when it is read, from what never changes, so it is the same bytes every time. No text
 * of a message may stand in the data of a row: erasing the message must erase it here too.
 * Threads: one transaction's.  Lifetimes: everything is copied. */
#ifndef SKN_ENGINE_FEED_H
#define SKN_ENGINE_FEED_H

#include "base/json_write.h"
#include "engine/core.h"

/* The data of an event under construction:
 *   skn_told d;
 *   skn_told_open(&d);  skn_jw_kstr(&d.w, "agent", name);  skn_feed_chat(…, &d); */
typedef struct skn_told {
    skn_buf buf;
    skn_jw  w; /* inside the object */
} skn_told;

void skn_told_open(skn_told *d);
/* Only for one that is not handed on: every call below closes and releases it. */
void skn_told_drop(skn_told *d);

/* Something about a conversation; `cause` is the person's message behind it, or absent; d may be
 * NULL. The version is the one that the row says is current. */
void skn_feed_chat(skn_tx *tx, const skn_conversation_row *c, const char *type, skn_str cause,
                   skn_told *d);
/* A stored message ("message.created", "message.completed", …): the event has all its members, and
 * then those of d that it has not; "usage" is taken from d. The position in *m is kept. */
void skn_feed_message(skn_tx *tx, const skn_conversation_row *c, const char *type,
                      const skein_message *m, skn_str cause, skn_told *d);
/* A call that a stored message makes ("tool.started"): toolCallId, toolName, args; or its result
 * ("tool.completed", "tool.failed"): toolCallId, content; messageId with both, long texts are cut. lane:
 * the delegation's that it happens on, or absent. */
void skn_feed_tool(skn_tx *tx, const skn_conversation_row *c, const char *type,
                   const skein_message *m, skn_str call_id, skn_str lane, skn_str cause);
/* Something about a world as a whole; d may be NULL. */
void skn_feed_world(skn_tx *tx, int64_t world, const char *type, skn_told *d);
/* The same, told to who follows one of its conversations too (0: none); it has no version. */
void skn_feed_item(skn_tx *tx, int64_t world, int64_t conversation, const char *type,
                   skn_told *d);

/* thread.created: c is the conversation as it was, v its new version. */
void skn_feed_version(skn_tx *tx, const skn_conversation_row *c, int64_t version_id,
                      const skein_version *v);
/* thread.switched; `move` is undo, redo or switch. */
void skn_feed_move(skn_tx *tx, const skn_conversation_row *c, const char *move,
                   const skein_version *from, const skein_version *to);
/* edit.phase, of a removal or an edit: how many of the agents are done. */
void skn_feed_edit(skn_tx *tx, const skn_conversation_row *c, skn_str edit, skn_str message,
                   const char *phase, size_t done, size_t total);
/* chat.created and chat.updated. */
void skn_feed_chat_is(skn_tx *tx, const skn_conversation_row *c, const char *type);
/* world.updated, with all that can be updated. */
void skn_feed_world_is(skn_tx *tx, const skein_world *w);
/* agent.created and agent.updated. */
void skn_feed_agent_is(skn_tx *tx, const skein_agent *a, const char *type);
/* delegation.started and its end, by the state that the lane has. Its title stands in the call that made
 * it, and is told from there. */
void skn_feed_lane(skn_tx *tx, const skn_conversation_row *c, const skn_lane_row *lane,
                   skn_str cause);

#endif
