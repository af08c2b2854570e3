/* rows.h: what the store keeps, as plain rows; part of the door (store.h includes it). Worlds, agents and messages
 * are the public structs; the rest is only the engine's business. Zero ids mean NULL. */
#pragma once

#include "base/arena.h"
#include "base/learned.h"
#include "base/session.h"
#include "base/words.h"
#include <skein/agents.h>
#include <skein/change.h>
#include <skein/view.h>
#include <skein/work.h>

/* Several of a kind. */
#define SKN_LIST(of)                                                                           \
    struct {                                                                                   \
        of    *at;                                                                             \
        size_t count;                                                                          \
    }

typedef SKN_LIST(int64_t) skn_ids;

/* --- Conversations -------------------------------------------------------------------------------- */

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
typedef SKN_LIST(skn_conversation_row) skn_conversation_rows;

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
typedef SKN_LIST(skn_lane_row) skn_lane_rows;

/* Content = the spans under root_id (base_length items), then own items 0 … own_length - 1. */
typedef struct skn_thread_row {
    int64_t id, lane_id, version_id, origin_id, origin_length, root_id, base_length,
        compaction_id, own_length;
    int64_t version_number; /* only from skn_threads_of_lane */
    skn_str uid;
} skn_thread_row;
typedef SKN_LIST(skn_thread_row) skn_thread_rows;

/* One place of a message: in which thread's own items it stands. */
typedef struct skn_placement {
    int64_t thread_id, seq, key, lane_id, conversation_id;
} skn_placement;
typedef SKN_LIST(skn_placement) skn_placements;

typedef struct skn_item {
    int64_t seq, message_id, key;
} skn_item;
typedef SKN_LIST(skn_item) skn_items;

typedef struct skn_compaction_row {
    int64_t id, thread_id, covers, last_message_id, summary_message_id, previous_id;
} skn_compaction_row;

typedef struct skn_squash_row {
    int64_t id, conversation_id, version_id, result_message_id, created_at;
    skn_str prompt, model;
    bool    by_agent;
} skn_squash_row;

/* One half of a tool exchange: the message that calls, or the one that brings the result. */
typedef struct skn_call_half {
    int64_t message_id;
    bool    is_result;
} skn_call_half;
typedef SKN_LIST(skn_call_half) skn_call_halves;

/* The data of a message that another one answers. */
typedef struct skn_link {
    int64_t id, conversation_id;
    int     depth;
    skn_str uid;
} skn_link;

/* The content of a message, as its columns hold it. */
typedef struct skn_said {
    skn_str content, thinking, calls, instructions;
} skn_said;

/* --- Many rows at once, for views ------------------------------------------------------------- */

typedef enum skn_edge_kind {
    SKN_EDGE_REPLY, /* from a message to those that reply to it */
    SKN_EDGE_AMEND, /* from a lineage to its later versions */
    SKN_EDGE_SOURCE /* from a squash's result to what it was made of */
} skn_edge_kind;

typedef struct skn_edge {
    int64_t from, to;
} skn_edge;
typedef SKN_LIST(skn_edge) skn_edges;

/* A message of an agent's answer to another message. */
typedef struct skn_response {
    int64_t to, agent, id, conversation_id;
    skn_str uid, turn_uid;
} skn_response;
typedef SKN_LIST(skn_response) skn_responses;

/* The ids of a message. */
typedef struct skn_head {
    int64_t    id, lineage, conversation_id;
    skn_str    uid;
    skein_role role;
} skn_head;
typedef SKN_LIST(skn_head) skn_heads;

typedef struct skn_placed {
    int64_t       message_id;
    skn_placement place;
} skn_placed;
typedef SKN_LIST(skn_placed) skn_placed_list;

/* --- The search index ----------------------------------------------------------------------- */

/* It holds words as base/words.h makes them, of every message up to a number. It may offer more than fits
 * (PostgreSQL's does not know which words are neighbours), never less. */

typedef struct skn_text {
    int64_t id;
    skn_str text;
} skn_text;
typedef SKN_LIST(skn_text) skn_texts;

typedef enum skn_words_hold {
    SKN_WORDS_LOOK, /* others may change the index meanwhile */
    SKN_WORDS_TAKE, /* nobody else does until the transaction ends */
    SKN_WORDS_TRY   /* the same, or SKEIN_BUSY when somebody does */
} skn_words_hold;

/* A message that may be a hit. */
typedef struct skn_search_row {
    int64_t id, conversation;
    bool    hidden; /* its conversation is */
} skn_search_row;
typedef SKN_LIST(skn_search_row) skn_search_rows;

/* Which messages: of a conversation and those it was branched from, of a world; 0 is any. */
typedef struct skn_search_scope {
    int64_t conversation, world;
} skn_search_scope;

/* --- Events ----------------------------------------------------------------------------------- */

/* An event is only collected when it is added, and written with the others of its transaction right before that is
 * committed. After a settled id (skn_event_settled) a reader finds all later events behind it: on SQLite since
 * commits follow each other, on PostgreSQL by a lock that writers share from their id to their commit, so that they
 * still can commit together. */

typedef struct skn_event_row {
    int64_t id, world_id, conversation_id, version_id, message_id, at;
    skn_str cause, type, data; /* data: a JSON object, or absent */
    /* Filled in when it is read. */
    skn_str world, chat_uid, thread_uid;
} skn_event_row;
typedef SKN_LIST(skn_event_row) skn_event_rows;

typedef struct skn_event_range {
    int64_t world, conversation; /* both zero: all */
    int64_t after, upto;         /* greater than the one, not than the other */
    size_t  limit;
} skn_event_range;

/* --- Work ------------------------------------------------------------------------------------- */

/* A delivery is queued until a turn takes it, working while that turn is open, and closed with it: so
 * a conversation is at work exactly while it has deliveries that are queued or working. */

typedef enum skn_delivery_state {
    SKN_QUEUED,
    SKN_WORKING,
    SKN_ANSWERED,
    SKN_UNANSWERED, /* "failed" */
    SKN_DROPPED
} skn_delivery_state;

/* Why work was dropped that somebody stopped before anything was answered. */
#define SKN_WAS_STOPPED SKN_STR("stopped")

typedef struct skn_delivery_row {
    int64_t            id, conversation_id, agent_id, message_id, hops_left, created_at;
    int64_t            lane_id; /* of a delegation; 0: the agent's memory, or the main lane */
    int64_t            task_id; /* 0: none */
    skn_str            cause, model, agent_name, message_uid;
    skn_delivery_state state;
    bool               agent_gone;   /* its agent was removed */
    bool               agent_paused; /* it begins nothing */
    skn_str            error;        /* why it failed; dropped: SKN_WAS_STOPPED, or absent */
    bool
        without_tools; /* its agent is offered none for it; only written here: a turn says it */
    int64_t most_tokens; /* of its answer; 0: nobody has said. As without_tools */
    int64_t closed_at;
} skn_delivery_row;
typedef SKN_LIST(skn_delivery_row) skn_delivery_rows;

typedef struct skn_turn_row {
    skein_turn turn;
    int64_t    delivery_id, trigger_id, lease_until;
    int64_t    open_calls;      /* of its last message: those without a result yet */
    int64_t    step_message_id; /* its last message; 0 before the first */
} skn_turn_row;
typedef SKN_LIST(skn_turn_row) skn_turn_rows;

typedef struct skn_waiting_row {
    int64_t id, conversation_id, created_at;
    int64_t most_tokens; /* of an answer; 0: nobody has said */
    skn_str uid, client_id, model;
    skn_str said; /* the message, as JSON */
} skn_waiting_row;
typedef SKN_LIST(skn_waiting_row) skn_waiting_rows;

/* A delegation is a lane with a parent. What a lane is for all others is skn_lane_row; here is who asked
 * for it, whether that one's turn waits, and whether its end was told. */
typedef struct skn_delegation_row {
    skn_lane_row lane; /* without children and branched_from_id */
    skn_str      parent_key, asker, title, spawn_message_uid;
    int64_t      asker_id, turn_id; /* who asked for it, and in which turn */
    int64_t      created_at;
    bool         waited, told;
    bool         asker_gone; /* was removed */
} skn_delegation_row;
typedef SKN_LIST(skn_delegation_row) skn_delegation_rows;

typedef struct skn_expected_row {
    skein_expected shown;
    int64_t        id, world_id, asker_id;
    int64_t        asked_id; /* 0: people, who find it in the inbox */
    int64_t        message_id, answer_id, closed_at;
    int64_t        task_id; /* of the asker, which continues with the answer; 0: none */
} skn_expected_row;
typedef SKN_LIST(skn_expected_row) skn_expected_list;

#define SKN_BACK_OFF_MAX ((int64_t)3600 * 1000000) /* microseconds between two tries */

/* A task is pending until it is completed or cancelled; it runs while a turn is open for it, and waits while an
 * answer that it asked for is expected. */
typedef struct skn_task_row {
    skein_task task;
    int64_t    assigned_by_id, message_id, hops_left;
    int64_t    call_message_id; /* has the call that gave it; 0: no agent did */
    int64_t    answer_id;       /* the last that was said to what it asked; 0: nothing */
    skn_str    cause;
} skn_task_row;

typedef struct skn_timer_row {
    int64_t agent, every, next; /* milliseconds; microseconds */
} skn_timer_row;
typedef SKN_LIST(skn_timer_row) skn_timer_rows;

/* --- The inbox, and the knowledge of agents ------------------------------------------------- */

typedef struct skn_inbox_row {
    skein_inbox_item item;
    int64_t          agent_id, conversation_id, message_id, work_message_id, task_id, turn_id;
    int64_t attempt_id; /* the task's turn that it came from; 0: of no task. Not read */
    int64_t begun_at;   /* of a call that was allowed: when it began to run; 0: not yet */
    skn_str call_id;
    int64_t definition_id;   /* of the tool when it was asked about; 0: it has none */
    skn_str definition_hash; /* of that; absent: it has none. Not written */
    bool    agent_gone, removed;
} skn_inbox_row;
typedef SKN_LIST(skn_inbox_row) skn_inbox_rows;

typedef struct skn_inbox_range {
    const skein_inbox_query *what;  /* its `before` and `limit` are not read */
    int64_t                  below; /* only smaller ids */
    bool                     needs; /* those that need somebody, or else those that do not */
    int64_t                  now;
    size_t                   limit;
} skn_inbox_range;

typedef struct skn_definition_row {
    int64_t id, world_id;
    skn_str server, tool; /* the tool's own name */
    skn_str hash, text;
} skn_definition_row;

typedef struct skn_knowledge_row {
    skein_knowledge item;
    int64_t         id, agent_id, conversation_id, message_id;
} skn_knowledge_row;

/* --- Files ------------------------------------------------------------------------------------ */

typedef struct skn_attachment_row {
    int64_t          id;
    skein_attachment shown;
} skn_attachment_row;
typedef SKN_LIST(skn_attachment_row) skn_attachment_list;

/* --- What models were sent -------------------------------------------------------------------- */

/* A request is a list of pieces, each kept once under the SHA-256 of its bytes: a context that only grew
 * costs its last pieces. Hashes are 64 hexadecimal digits, in a request's row 32 bytes each. */
#define SKN_HASH_BYTES ((size_t)32)

typedef struct skn_call_row {
    skein_model_call call;     /* without pieces and response */
    skn_str          request;  /* hashes, 32 bytes each */
    skn_str          response; /* a hash; absent: none */
} skn_call_row;

/* A message and the conversation it was said in. */
typedef struct skn_copy {
    int64_t message, home;
} skn_copy;
typedef SKN_LIST(skn_copy) skn_copy_list;
