/* rows.h: what the store keeps, as plain rows. Worlds, agents and messages are the public structs;
 * the rest is only the engine's business. Zero ids mean NULL. */
#ifndef SKN_STORE_ROWS_H
#define SKN_STORE_ROWS_H

#include "base/arena.h"
#include "base/session.h"
#include <skein/change.h>

typedef struct skn_conversation_row {
    int64_t    id, world_id, agent_id, version_id, branched_from_id, created_at;
    skn_str    uid, agent_name, title;
    skein_mode mode;
    int64_t    removed_at; /* 0: it is not archived */
    bool       agent_gone; /* it was removed with its agent */
    int64_t    expects_id; /* the agent whose reply is expected */
    skn_str    expects;    /* its name, unless it was removed */
    bool       read_only;
} skn_conversation_row;

typedef struct skn_version_row {
    int64_t id, conversation_id, number, origin_id, origin_number, origin_length, created_at;
    skn_str kind, actor, note;
} skn_version_row;

typedef struct skn_op_row {
    int64_t id, from_version_id, to_version_id, newest_message_id, undoes_id, undone_by_id;
    skn_str kind;
} skn_op_row;

typedef struct skn_lane_row {
    int64_t id, conversation_id, agent_id, parent_id, ordinal, spawn_message_id, children,
        branched_from_id;
    skn_str          key, agent_name, spawn_call_id;
    skein_lane_state state;
    bool             agent_gone; /* its agent was removed: it hears nothing more */
} skn_lane_row;

typedef struct skn_lane_rows {
    skn_lane_row *at;
    size_t        count;
} skn_lane_rows;

/* Content = the spans under root_id (base_length items), then own items 0 … own_length - 1. */
typedef struct skn_thread_row {
    int64_t id, lane_id, version_id, origin_id, origin_length, root_id, base_length,
        compaction_id, own_length;
    skn_str uid;
} skn_thread_row;

/* One place of a message: in which thread's own items it stands. */
typedef struct skn_placement {
    int64_t thread_id, seq, key, lane_id, conversation_id;
} skn_placement;

typedef struct skn_placements {
    skn_placement *at;
    size_t         count;
} skn_placements;

typedef struct skn_item {
    int64_t seq, message_id, key;
} skn_item;

typedef struct skn_items {
    skn_item *at;
    size_t    count;
} skn_items;

typedef struct skn_compaction_row {
    int64_t id, thread_id, covers, last_message_id, summary_message_id, previous_id;
} skn_compaction_row;

typedef struct skn_squash_row {
    int64_t id, conversation_id, version_id, result_message_id, created_at;
    skn_str prompt, model;
    bool    by_agent;
} skn_squash_row;

typedef struct skn_ids {
    int64_t *at;
    size_t   count;
} skn_ids;

/* One half of a tool exchange: the message that calls, or the one that brings the result. */
typedef struct skn_call_half {
    int64_t message_id;
    bool    is_result;
} skn_call_half;

typedef struct skn_call_halves {
    skn_call_half *at;
    size_t         count;
} skn_call_halves;

/* What is known of a message that another one answers. */
typedef struct skn_link {
    int64_t id, conversation_id;
    int     depth;
    skn_str uid;
} skn_link;

#endif
