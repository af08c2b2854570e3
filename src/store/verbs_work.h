/* verbs_work.h: who has to answer, who is at it, and what waits to be said; part of the door
 * (store.h includes it).
 *
 * A delivery is queued until a turn takes it, working while that turn is open, and closed with it: so
 * a conversation is at work exactly while it has deliveries that are queued or working.
 * Threads, lifetimes: as in store.h. */
#ifndef SKN_STORE_VERBS_WORK_H
#define SKN_STORE_VERBS_WORK_H

#include <skein/work.h>

/* --- deliveries and turns: store_work.c --- */

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
    int64_t closed_at;
} skn_delivery_row;

typedef struct skn_delivery_rows {
    skn_delivery_row *at;
    size_t            count;
} skn_delivery_rows;

/* Fills in the id; it is queued. */
skein_rc skn_delivery_insert(skn_tx *tx, skn_delivery_row *row, skein_error *err);
skein_rc skn_delivery_get(skn_tx *tx, int64_t id, skn_arena *a, skn_delivery_row *out,
                          bool *found, skein_error *err);
/* Those of a conversation that are queued or working, oldest first. */
skein_rc skn_delivery_pending(skn_tx *tx, int64_t conversation, skn_arena *a,
                              skn_delivery_rows *out, skein_error *err);
/* The same on a delegation's lane. */
skein_rc skn_delivery_pending_on(skn_tx *tx, int64_t conversation, int64_t lane, skn_arena *a,
                                 skn_delivery_rows *out, skein_error *err);
/* What became of these messages, by message and agent, the newest last. */
skein_rc skn_delivery_of(skn_tx *tx, const skn_ids *messages, skn_arena *a,
                         skn_delivery_rows *out, skein_error *err);
/* Moves it on; a closed state also takes the time and, of what was not answered, the reason. */
skein_rc skn_delivery_set(skn_tx *tx, int64_t id, skn_delivery_state state, skn_str error,
                          int64_t now, skein_error *err);
/* The oldest queued one of each agent, conversation and lane where that agent has no open turn; none of
 * agents that are paused. */
skein_rc skn_delivery_due(skn_tx *tx, size_t limit, skn_arena *a, skein_dues *out,
                          skein_error *err);
/* All that a person's message has caused in a conversation, and whether a pause was said for it. */
skein_rc skn_delivery_spent(skn_tx *tx, skn_str cause, int64_t conversation, int64_t *count,
                            bool *paused, skein_error *err);
/* Its answer was followed by a pause. */
skein_rc skn_delivery_pause(skn_tx *tx, int64_t id, skein_error *err);
/* Conversations where an agent has deliveries that are queued or working. */
skein_rc skn_delivery_chats_of(skn_tx *tx, int64_t agent, skn_arena *a, skn_ids *out,
                               skein_error *err);
/* The same of a whole world. */
skein_rc skn_delivery_chats_in(skn_tx *tx, int64_t world, skn_arena *a, skn_ids *out,
                               skein_error *err);

typedef struct skn_turn_row {
    skein_turn turn;
    int64_t    delivery_id, trigger_id, lease_until;
    int64_t    open_calls;      /* of its last message: those without a result yet */
    int64_t    step_message_id; /* its last message; 0 before the first */
} skn_turn_row;

typedef struct skn_turn_rows {
    skn_turn_row *at;
    size_t        count;
} skn_turn_rows;

/* Takes ids, cause, model, message_uid, hops_left, since, lane and task from row->turn, and fills its id
 * and uid; the fence is made here. */
skein_rc skn_turn_insert(skn_tx *tx, skn_turn_row *row, skn_str holder, skn_arena *a,
                         skein_error *err);
skein_rc skn_turn_get(skn_tx *tx, int64_t id, skn_arena *a, skn_turn_row *out, bool *found,
                      skein_error *err);
/* The open one of an agent in a conversation, on a lane (0: none). */
skein_rc skn_turn_open_on(skn_tx *tx, int64_t conversation, int64_t agent, int64_t lane,
                          skn_arena *a, skn_turn_row *out, bool *found, skein_error *err);
/* Open ones of a conversation, or of a world when that is 0, or all when both are, world by world;
 * oldest first. */
skein_rc skn_turn_open_rows(skn_tx *tx, int64_t world, int64_t conversation, skn_arena *a,
                            skn_turn_rows *out, skein_error *err);
/* Conversations with open turns whose lease ends before a time, or after another. */
skein_rc skn_turn_expired(skn_tx *tx, int64_t before, int64_t after, skn_arena *a, skn_ids *out,
                          skein_error *err);
/* Only while it is open and has this fence. */
skein_rc skn_turn_renew(skn_tx *tx, int64_t id, int64_t fence, int64_t until, bool *kept,
                        skein_error *err);
/* Another program speaks for it from here on: it gets a new fence. */
skein_rc skn_turn_hold(skn_tx *tx, int64_t id, skn_str holder, int64_t until, skein_error *err);
/* Its next message, how many calls of the last one wait, the tool that runs and whom it waits for; it writes nothing
 * yet. */
skein_rc skn_turn_move(skn_tx *tx, const skn_turn_row *row, skein_error *err);
/* Its next message is being written. */
skein_rc skn_turn_write(skn_tx *tx, int64_t id, skein_error *err);
/* Keeps a piece of what it is writing; piece->saved is false when it is over, has stored that message, or somebody
 * else is at its row just now. */
skein_rc skn_written_add(skn_tx *tx, skein_piece *piece, skein_error *err);
/* All of it up to the first gap; both absent when there is none. */
skein_rc skn_written_of(skn_tx *tx, int64_t turn, skn_arena *a, skn_str *text,
                        skn_str *thinking, skein_error *err);
skein_rc skn_written_drop(skn_tx *tx, int64_t turn, skein_error *err);
/* Of all open turns of a conversation: it may repeat what is erased there. */
skein_rc skn_written_erase(skn_tx *tx, int64_t conversation, skein_error *err);
skein_rc skn_turn_close(skn_tx *tx, int64_t id, skein_turn_state state, skn_str error,
                        int64_t now, skein_error *err);
/* How many messages reply to one; results of tools do not count. */
skein_rc skn_reply_tally(skn_tx *tx, int64_t message, int64_t *count, skein_error *err);
/* When a message was said; 0 when there is none. */
skein_rc skn_message_time(skn_tx *tx, skn_str uid, int64_t *at, skein_error *err);

/* --- the queue: store_work.c --- */

typedef struct skn_waiting_row {
    int64_t            id, conversation_id;
    skein_waiting      message;
    skn_str            model;
    skein_instruction *instructions;
    size_t             instruction_count;
} skn_waiting_row;

typedef struct skn_waiting_rows {
    skn_waiting_row *at;
    size_t           count;
} skn_waiting_rows;

skein_rc skn_waiting_insert(skn_tx *tx, const skn_waiting_row *row, skein_error *err);
/* In order. */
skein_rc skn_waiting_list(skn_tx *tx, int64_t conversation, skn_arena *a, skn_waiting_rows *out,
                          skein_error *err);
skein_rc skn_waiting_get(skn_tx *tx, int64_t conversation, skn_str uid, skn_arena *a,
                         skn_waiting_row *out, bool *found, skein_error *err);
/* The same in whichever conversation it waits. */
skein_rc skn_waiting_anywhere(skn_tx *tx, skn_str uid, skn_arena *a, skn_waiting_row *out,
                              bool *found, skein_error *err);
/* The one that is said next. */
skein_rc skn_waiting_first(skn_tx *tx, int64_t conversation, skn_arena *a, skn_waiting_row *out,
                           bool *found, skein_error *err);
skein_rc skn_waiting_set(skn_tx *tx, int64_t id, skn_str content, skein_error *err);
skein_rc skn_waiting_delete(skn_tx *tx, int64_t id, skein_error *err);
/* The first public ids alone, in order, at most `limit`. */
skein_rc skn_waiting_uids(skn_tx *tx, int64_t conversation, size_t limit, skn_arena *a,
                          skn_str **out, size_t *count, skein_error *err);
skein_rc skn_waiting_count(skn_tx *tx, int64_t conversation, int64_t *count, skein_error *err);
/* Was this id told to somebody as that of a message that is yet to be said? */
skein_rc skn_uid_promised(skn_tx *tx, skn_str uid, bool *promised, skein_error *err);

#endif
