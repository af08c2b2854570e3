/* verbs_inbox.h: what is there for people, and what agents keep in mind; part of the door (store.h
 * includes it).
 *
 * Threads, lifetimes: as in store.h. */
#ifndef SKN_STORE_VERBS_INBOX_H
#define SKN_STORE_VERBS_INBOX_H

#include <skein/agents.h>

/* --- the inbox: store_inbox.c --- */

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

typedef struct skn_inbox_rows {
    skn_inbox_row *at;
    size_t         count;
} skn_inbox_rows;

/* Fills id and uid; item.briefing makes it a briefing, with an id of its own. */
skein_rc skn_inbox_insert(skn_tx *tx, skn_inbox_row *row, skn_arena *a, skein_error *err);
/* What another attempt at the same task told by the same agent under the same title; *id is 0 when there is
 * nothing. *same: with the same text. */
skein_rc skn_inbox_earlier(skn_tx *tx, const skn_inbox_row *like, skn_arena *a, int64_t *id,
                           skn_str *uid, bool *same, skein_error *err);
/* Has a task told people something? */
skein_rc skn_inbox_briefed(skn_tx *tx, int64_t task, bool *yes, skein_error *err);
/* Questions of a task that nobody has answered are done. */
skein_rc skn_inbox_withdraw(skn_tx *tx, int64_t task, skn_str reason, int64_t now, bool *any,
                            skein_error *err);
/* It counts as told by this attempt from here on. */
skein_rc skn_inbox_repeat(skn_tx *tx, int64_t id, int64_t attempt, skein_error *err);
skein_rc skn_inbox_by_id(skn_tx *tx, int64_t id, skn_arena *a, skn_inbox_row *out, bool *found,
                         skein_error *err);
/* By its public id or, also when it was removed, by that of its briefing. */
skein_rc skn_inbox_by_uid(skn_tx *tx, skn_str uid, skn_arena *a, skn_inbox_row *out,
                          bool *found, skein_error *err);
/* Is the message of the foreground a briefing? */
skein_rc skn_inbox_is_briefing(skn_tx *tx, int64_t message, bool *yes, skein_error *err);
/* What lists leave out, into row->item: the text of a briefing, and a definition whole. */
skein_rc skn_inbox_long_texts(skn_tx *tx, skn_arena *a, skn_inbox_row *row, skein_error *err);

typedef struct skn_inbox_range {
    const skein_inbox_query *what;  /* its `before` and `limit` are not read */
    int64_t                  below; /* only smaller ids */
    bool                     needs; /* those that need somebody, or else those that do not */
    int64_t                  now;
    size_t                   limit;
} skn_inbox_range;
/* Newest first; adds to *out. */
skein_rc skn_inbox_rows_in(skn_tx *tx, const skn_inbox_range *range, skn_arena *a,
                           skn_inbox_rows *out, skein_error *err);
/* Of a world (0: of all), neither done nor snoozed. */
skein_rc skn_inbox_counts(skn_tx *tx, int64_t world, int64_t now, int64_t *unread,
                          int64_t *needs_you, skein_error *err);
/* Writes read_at, done_at, snoozed_until, and when it was removed (0: not). */
skein_rc skn_inbox_put(skn_tx *tx, const skn_inbox_row *row, int64_t removed_at,
                       skein_error *err);
/* Nobody else changes it until the transaction ends. */
skein_rc skn_inbox_hold(skn_tx *tx, int64_t id, skein_error *err);
/* *answered is false when it was answered before. reason: what decided it, where no person did. */
skein_rc skn_inbox_answered(skn_tx *tx, int64_t id, skn_str answer, skn_str reason, int64_t now,
                            bool *answered, skein_error *err);
/* What people of a world are asked about calls of open turns, by conversation. */
skein_rc skn_inbox_asked_in(skn_tx *tx, int64_t world, skn_arena *a, skn_inbox_rows *out,
                            skein_error *err);
/* What was told of the world's limit is done. */
skein_rc skn_inbox_limit_over(skn_tx *tx, int64_t world, skn_str reason, int64_t now, bool *any,
                              skein_error *err);
/* The call that it allowed begins to run. */
skein_rc skn_inbox_begun(skn_tx *tx, int64_t id, int64_t now, skein_error *err);
/* The worlds with items that nobody has read. */
skein_rc skn_inbox_worlds(skn_tx *tx, skn_arena *a, skn_ids *out, skein_error *err);
/* Those of a world that are unread and of a kind (absent: any) are read; *count were. */
skein_rc skn_inbox_read(skn_tx *tx, int64_t world, skn_str kind, int64_t now, int64_t *count,
                        skein_error *err);
/* The approval of a call that a message of a turn makes. */
skein_rc skn_inbox_approval(skn_tx *tx, int64_t turn, skn_str call_id, int64_t message,
                            skn_arena *a, skn_inbox_row *out, bool *found, skein_error *err);
/* What a turn asked last, answered or not. */
skein_rc skn_inbox_asked(skn_tx *tx, int64_t turn, skn_arena *a, skn_inbox_row *out,
                         bool *found, skein_error *err);
/* What people were asked about a limit. */
skein_rc skn_inbox_limit(skn_tx *tx, skn_str key, skn_arena *a, skn_inbox_row *out, bool *found,
                         skein_error *err);
/* Nobody else asks about a limit until the transaction ends. */
skein_rc skn_limits_hold(skn_tx *tx, skein_error *err);
/* Closes the open approvals of a turn. */
skein_rc skn_inbox_expire(skn_tx *tx, int64_t turn, int64_t now, bool *any, skein_error *err);
/* All of an agent go. */
skein_rc skn_inbox_drop(skn_tx *tx, int64_t agent, int64_t now, bool *any, skein_error *err);

/* --- how tools of servers define themselves: store_audit.c --- */

typedef struct skn_definition_row {
    int64_t id, world_id;
    skn_str server, tool; /* the tool's own name */
    skn_str hash, text;
} skn_definition_row;

/* Fills id: of a new row, or of the one that has the same hash. The world is held. */
skein_rc skn_definition_put(skn_tx *tx, skn_definition_row *row, int64_t now, skein_error *err);
/* The hash of the definition that a person has allowed last of the tool; absent: none. */
skein_rc skn_definition_allowed(skn_tx *tx, const skn_definition_row *like, skn_arena *a,
                                skn_str *hash, skein_error *err);
/* It is the one that is allowed from here on; another one of the same tool is not any more. The world is held. */
skein_rc skn_definition_allow(skn_tx *tx, int64_t id, int64_t now, skein_error *err);

/* --- knowledge: store_inbox.c --- */

typedef struct skn_knowledge_row {
    skein_knowledge item;
    int64_t         id, agent_id, conversation_id, message_id;
} skn_knowledge_row;

/* Fills item.uid; *stored is false when the agent has the same in mind, which is then read. */
skein_rc     skn_knowledge_put(skn_tx *tx, skn_knowledge_row *row, skn_arena *a, bool *stored,
                               skein_error *err);
typedef bool skn_knowledge_sieve(void *arg, const skein_knowledge *item);
/* What an agent has in mind, newest first, at most `limit`; wanted (NULL: all are) says which. */
skein_rc skn_knowledge_rows(skn_tx *tx, int64_t agent, size_t limit,
                            skn_knowledge_sieve *wanted, void *arg, skn_arena *a,
                            skein_knowledges *out, skein_error *err);
skein_rc skn_knowledge_count(skn_tx *tx, int64_t agent, int64_t *count, skein_error *err);
skein_rc skn_knowledge_forget(skn_tx *tx, int64_t agent, skn_str uid, int64_t now, bool *found,
                              skein_error *err);
/* Up to where knowledge was taken from a lane, and moving that on; *moved is false when it is elsewhere. */
skein_rc skn_knowledge_mark(skn_tx *tx, int64_t lane, int64_t *upto, skein_error *err);
skein_rc skn_knowledge_mark_move(skn_tx *tx, int64_t lane, int64_t from, int64_t upto,
                                 bool *moved, skein_error *err);

#endif
