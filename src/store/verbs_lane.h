/* verbs_lane.h: delegations and expected answers; part of the door (store.h includes it).
 *
 * A delegation is a lane with a parent. What a lane is for all others is skn_lane_row; here is who asked
 * for it, whether that one's turn waits, and whether its end was told.
 * Threads, lifetimes: as in store.h. */
#ifndef SKN_STORE_VERBS_LANE_H
#define SKN_STORE_VERBS_LANE_H

#include <skein/agents.h>

typedef struct skn_delegation_row {
    skn_lane_row lane; /* without children and branched_from_id */
    skn_str      parent_key, asker, title, spawn_message_uid;
    int64_t      asker_id, turn_id; /* who asked for it, and in which turn */
    int64_t      created_at;
    bool         waited, told;
    bool         asker_gone; /* was removed */
} skn_delegation_row;

typedef struct skn_delegation_rows {
    skn_delegation_row *at;
    size_t              count;
} skn_delegation_rows;

skein_rc skn_delegation_get(skn_tx *tx, int64_t lane, skn_arena *a, skn_delegation_row *out,
                            bool *found, skein_error *err);
skein_rc skn_delegation_by_key(skn_tx *tx, int64_t conversation, skn_str key, skn_arena *a,
                               skn_delegation_row *out, bool *found, skein_error *err);
/* All of a conversation, in order of making: parents before children. */
skein_rc skn_delegation_rows_of(skn_tx *tx, int64_t conversation, skn_arena *a,
                                skn_delegation_rows *out, skein_error *err);
/* Those that run and that this turn waits for. */
skein_rc skn_delegation_waited(skn_tx *tx, int64_t turn, skn_arena *a, skn_delegation_rows *out,
                               skein_error *err);
/* How many were made for a call of a message. */
skein_rc skn_delegation_of_call(skn_tx *tx, int64_t conversation, int64_t message, skn_str call,
                                int64_t *count, skein_error *err);
/* How many have work in a conversation. */
skein_rc skn_delegation_running(skn_tx *tx, int64_t conversation, int64_t *count,
                                skein_error *err);
/* Writes asker, turn, waited and title of a lane just made. */
skein_rc skn_delegation_ask(skn_tx *tx, const skn_delegation_row *row, skein_error *err);
/* Writes state, waited and told. */
skein_rc skn_delegation_move(skn_tx *tx, const skn_delegation_row *row, skein_error *err);
/* How many results a call of a message has. */
skein_rc skn_call_results(skn_tx *tx, int64_t message, skn_str call, int64_t *count,
                          skein_error *err);
/* The last result of a message's calls; 0: none. */
skein_rc skn_call_last_result(skn_tx *tx, int64_t message, int64_t *id, skein_error *err);

/* --- expected answers --- */

typedef struct skn_expected_row {
    int64_t        id, world_id, asker_id;
    int64_t        asked_id; /* 0: people, who find it in the inbox */
    int64_t        message_id, answer_id, closed_at;
    int64_t        task_id; /* of the asker, which goes on with the answer; 0: none */
    skein_expected shown;
} skn_expected_row;

typedef struct skn_expected_list {
    skn_expected_row *at;
    size_t            count;
} skn_expected_list;

/* Takes ids, closed_at (0: open) and shown's state and created_at. */
skein_rc skn_expected_insert(skn_tx *tx, const skn_expected_row *row, skein_error *err);
/* What was asked of an agent with a message. */
skein_rc skn_expected_of(skn_tx *tx, int64_t message, int64_t asked, skn_arena *a,
                         skn_expected_row *out, bool *found, skein_error *err);
/* The oldest that is open between two agents. */
skein_rc skn_expected_first(skn_tx *tx, int64_t asker, int64_t asked, skn_arena *a,
                            skn_expected_row *out, bool *found, skein_error *err);
/* The oldest that is open of what people were asked with a message, when more are open than questions of that
 * message in the inbox: it belongs to one that was just answered or put away. */
skein_rc skn_expected_of_people(skn_tx *tx, int64_t message, skn_arena *a,
                                skn_expected_row *out, bool *found, skein_error *err);
/* The answers that tasks of others wait for from an agent. */
skein_rc skn_expected_owed(skn_tx *tx, int64_t agent, skn_arena *a, skn_expected_list *out,
                           skein_error *err);
/* "answered" or "undeliverable", with what the asker was told. */
skein_rc skn_expected_close(skn_tx *tx, int64_t id, const char *state, int64_t answer,
                            int64_t now, skein_error *err);
/* A task does not wait any more: what it asked needs no answer, … */
skein_rc skn_expected_withdraw(skn_tx *tx, int64_t task, int64_t now, skein_error *err);
/* … or the answers are no longer the task's. */
skein_rc skn_expected_leave(skn_tx *tx, int64_t task, skein_error *err);
/* What is open from or to an agent is undeliverable. */
skein_rc skn_expected_drop(skn_tx *tx, int64_t agent, int64_t now, skein_error *err);
/* Of a world, newest first; agent 0: of all. */
skein_rc skn_expected_rows(skn_tx *tx, int64_t world, int64_t agent, skn_arena *a,
                           skein_expecteds *out, skein_error *err);

#endif
