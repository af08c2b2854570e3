/* feed.h: telling what happened. Only files of this folder include it.
 *
 * Every change tells its events in its own transaction: they are there exactly when the change is.
 * A row is a pointer (world, conversation, version, message) and what that does not say; the whole
 * event is made when it is read, from what never changes, so it is the same bytes every time. No text
 * of a message may stand in the data of a row: erasing the message must erase it here too.
 * Threads: one transaction's.  Lifetimes: everything is copied. */
#pragma once

#include "base/json_write.h"
#include "engine/core.h"

/* The data of an event under construction. */
typedef struct skn_told {
    skn_buf buf;
    skn_jw  w; /* inside the object */
} skn_told;

void skn_told_open(skn_told *d);

/* A member of it. */
typedef struct skn_told_member {
    const char *key;
    enum { SKN_TOLD_TEXT, SKN_TOLD_GIVEN, SKN_TOLD_INT, SKN_TOLD_BOOL, SKN_TOLD_TIME } kind;
    skn_str text;
    int64_t number;
} skn_told_member;

/* An absent text is null, or with SKN_M_GIVEN its member is left out; a time of 0 is null. */
#define SKN_M_TEXT(key, s)  ((skn_told_member){key, SKN_TOLD_TEXT, s, 0})
#define SKN_M_GIVEN(key, s) ((skn_told_member){key, SKN_TOLD_GIVEN, s, 0})
#define SKN_M_INT(key, n)   ((skn_told_member){key, SKN_TOLD_INT, SKN_NONE, n})
#define SKN_M_BOOL(key, b)  ((skn_told_member){key, SKN_TOLD_BOOL, SKN_NONE, b})
#define SKN_M_TIME(key, at) ((skn_told_member){key, SKN_TOLD_TIME, SKN_NONE, at})
/* Data with these members, to which more may be added:
 *   skn_feed_chat(…, SKN_TOLD(SKN_M_TEXT("agent", name), SKN_M_BOOL("removed", true))); */
#define SKN_TOLD(...)                                                                          \
    skn_told_with(&(skn_told){.w = {0}}, (const skn_told_member[]){__VA_ARGS__, {.key = NULL}})
skn_told *skn_told_with(skn_told *d, const skn_told_member *members);
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
