/* verbs.h: what can be done inside a transaction; part of the door (store.h includes it).
 *
 * A lookup that finds nothing returns SKEIN_OK with *found false; what "not found" means is the
 * engine's business. An insert that meets a taken key sets *id to 0 where that is expected. */
#pragma once

/* --- The verbs that are one statement: store_rows.c ------------------------------------------------- */

#define SKN_PARAMS(...)             __VA_ARGS__
#define SKN_RUN(verb, in, ...)      skein_rc skn_##verb(SKN_PARAMS in, skein_error *err);
#define SKN_RUN_MADE(verb, in, ...) SKN_RUN(verb, in, )
#define SKN_CHANGED(verb, in, ...)                                                             \
    skein_rc skn_##verb(SKN_PARAMS in, bool *changed, skein_error *err);
#define SKN_INSERT(verb, in, ...) SKN_RUN(verb, in, )
#define SKN_INSERT_MADE(verb, in, ...)                                                         \
    skein_rc skn_##verb(SKN_PARAMS in, skn_arena *a, skein_error *err);
#define SKN_COLUMNS(verb, in, ...)                                                             \
    skein_rc skn_##verb(SKN_PARAMS in, bool *found, skein_error *err);
#define SKN_NUMBER(verb, in, ...)                                                              \
    skein_rc skn_##verb(SKN_PARAMS in, int64_t *out, skein_error *err);
#define SKN_YES(verb, in, ...) skein_rc skn_##verb(SKN_PARAMS in, bool *yes, skein_error *err);
#define SKN_ONE(verb, type, in, ...)                                                           \
    skein_rc skn_##verb(SKN_PARAMS in, skn_arena *a, type *out, bool *found, skein_error *err);
#define SKN_ALL(verb, type, list, in, ...)                                                     \
    skein_rc skn_##verb(SKN_PARAMS in, skn_arena *a, list *out, skein_error *err);
#define SKN_MORE(verb, type, list, in, ...) SKN_ALL(verb, type, list, in, )
#define SKN_IDS(verb, in, ...)              SKN_ALL(verb, int64_t, skn_ids, in, )

#include "store/verbs.def"

#undef SKN_PARAMS
#undef SKN_RUN
#undef SKN_RUN_MADE
#undef SKN_CHANGED
#undef SKN_INSERT
#undef SKN_INSERT_MADE
#undef SKN_COLUMNS
#undef SKN_NUMBER
#undef SKN_YES
#undef SKN_ONE
#undef SKN_ALL
#undef SKN_MORE
#undef SKN_IDS

/* --- Conversations: store_tree.c -------------------------------------------------------------- */

/* Those that are older than a week go, some at a time. */
skein_rc skn_idempotency_insert(skn_tx *tx, skn_str key, int64_t hash, skn_str response,
                                int64_t now, skein_error *err);
skein_rc skn_item_key(skn_tx *tx, int64_t thread, int64_t seq, int64_t *key, int64_t *message,
                      skein_error *err);
skein_rc skn_compaction_get(skn_tx *tx, int64_t id, skn_compaction_row *out, bool *found,
                            skein_error *err);
skein_rc skn_squash_insert(skn_tx *tx, skn_str uid, const skn_squash_row *row,
                           const int64_t *sources, size_t count, skein_error *err);
skein_rc skn_squash_sources(skn_tx *tx, int64_t id, skn_arena *a, skn_ids *ids, skn_str **uids,
                            skein_error *err);
/* Removes it from the world and from every conversation. */
skein_rc skn_tag_drop(skn_tx *tx, int64_t id, skein_error *err);
skein_rc skn_tag_set_active(skn_tx *tx, int64_t conversation, int64_t id, bool active,
                            skein_error *err);
/* Edges from any of these, those to older messages first; sources in the order of their squash. */
skein_rc skn_edges_of(skn_tx *tx, skn_edge_kind kind, const skn_ids *from, skn_arena *a,
                      skn_edges *out, skein_error *err);

/* --- Messages and their copies: store_message.c ----------------------------------------------- */

/* Calls and instructions as their columns hold them; none are absent. */
skn_str skn_calls_json(const skein_tool_call *calls, size_t count, skn_buf *buf);
skn_str skn_instructions_json(const skein_instruction *list, size_t count, skn_buf *buf);

#define SKN_HASH_ERASED 0 /* of what was purged: the hash of a short text would give it away */
/* Never SKN_HASH_ERASED; the same on every machine, always. */
int64_t skn_message_hash(const skn_said *said);
/* Fills id, and makes a public id when there is none. */
skein_rc skn_message_insert(skn_tx *tx, skein_message *m, skn_arena *a, skein_error *err);
typedef skein_rc skn_message_sink(void *arg, skein_message *m, skein_error *err);
/* Messages of a thread's own items [from, to); position is set to the item's seq. */
skein_rc skn_message_range(skn_tx *tx, int64_t thread, int64_t from, int64_t to, skn_arena *a,
                           skn_message_sink *sink, void *arg, skein_error *err);
skein_rc skn_message_erase(skn_tx *tx, int64_t id, int64_t now, skn_arena *a, bool *erased,
                           skein_error *err);
/* Messages by their ids, each named once, in ascending order; those that are not
 * there are left out. */
skein_rc skn_message_many(skn_tx *tx, const skn_ids *ids, skn_arena *a, skein_messages *out,
                          skein_error *err);

/* A copy of a message of another conversation holds that message first and then reads its text: so an erasure either
 * finds the copy or came before the text was read. 0: of none. */
skein_rc skn_copy_hold(skn_tx *tx, int64_t source, skein_error *err);
/* A message repeats words of another one (0: of none), and is erased with it. */
skein_rc skn_copy_add(skn_tx *tx, int64_t message, int64_t source, skein_error *err);
/* Empties what tasks, the inbox, knowledge and delegations hold of these messages' texts; before the
 * messages themselves are. */
skein_rc skn_copies_erase(skn_tx *tx, const skn_ids *messages, skn_arena *a, skein_error *err);

/* --- The search index: store_search.c ------------------------------------------------------- */

/* Makes sure that no other transaction may still add a message with a smaller id than the newest
 * one. SKEIN_BUSY when one may: at once, or with `wait` after a moment, in which others that add
 * messages have to wait too. */
skein_rc skn_words_settle(skn_tx *tx, bool wait, skein_error *err);
/* The last message that the index knows of. */
skein_rc skn_words_upto(skn_tx *tx, skn_words_hold hold, int64_t *id, skein_error *err);
/* Puts messages in; their texts are lists as skn_words_list makes them. */
skein_rc skn_words_add(skn_tx *tx, const skn_texts *lists, skein_error *err);
/* Takes a message out of the index; words must be the list it was put in with. */
skein_rc skn_words_remove(skn_tx *tx, int64_t id, skn_str words, skein_error *err);
/* The newest few that have all these words, among ids below a number; none when there are no more. */
skein_rc skn_words_page(skn_tx *tx, const skn_search_scope *scope, const skn_terms *terms,
                        int64_t below, skn_arena *a, skn_search_rows *out, skein_error *err);

/* --- Events, and what the program keeps for itself: store_feed.c ------------------------------ */

/* Collects an event, a copy of it; nothing is kept of it when the work does not succeed. */
void skn_event_add(skn_tx *tx, const skn_event_row *row);
/* The greatest id up to which no event is missing that may still come; 0 when there is no event
 * after `after`. Only for another transaction, whose snapshot is taken later. */
skein_rc skn_event_settled(skn_tx *tx, int64_t after, int64_t *upto, skein_error *err);
/* Events in order. */
skein_rc skn_event_rows_in(skn_tx *tx, const skn_event_range *range, skn_arena *a,
                           skn_event_rows *out, skein_error *err);
/* The newest event of those up to a settled one, and of those that were forgotten; 0 for none. */
skein_rc skn_event_span(skn_tx *tx, int64_t upto, int64_t *newest, int64_t *forgotten,
                        skein_error *err);
/* The oldest event that is there, and the first that a time leaves: the newest always stays. */
skein_rc skn_event_older(skn_tx *tx, int64_t before, int64_t *oldest, int64_t *stays,
                         skein_error *err);
/* Deletes all below a number, and remembers which was the last. */
skein_rc skn_event_forget(skn_tx *tx, int64_t below, int64_t *gone, skein_error *err);
/* An absent uid means all of them. */
skein_rc skn_session_delete(skn_tx *tx, skn_str uid, int64_t *gone, skein_error *err);
/* An absent value removes the key. */
skein_rc skn_setting_put(skn_tx *tx, const skein_setting *setting, skein_error *err);
/* Edits whose messages were removed before a time and whose new text never came, newest first. */
skein_rc skn_edit_half_rows(skn_tx *tx, int64_t world, int64_t before, size_t most,
                            skn_arena *a, skein_edit_errors *out, skein_error *err);
/* Fills id: of a new row, or of the one that has the same hash. The world is held. */
skein_rc skn_definition_put(skn_tx *tx, skn_definition_row *row, int64_t now, skein_error *err);
/* The hash of the definition that a person has allowed last of the tool; absent: none. */
skein_rc skn_definition_allowed(skn_tx *tx, const skn_definition_row *like, skn_arena *a,
                                skn_str *hash, skein_error *err);
/* It is the one that is allowed from here on; another one of the same tool is not any more. The world is held. */
skein_rc skn_definition_allow(skn_tx *tx, int64_t id, int64_t now, skein_error *err);

/* --- Work: store_work.c ----------------------------------------------------------------------- */

/* All that a person's message has caused in a conversation, and whether a pause was said for it. */
skein_rc skn_delivery_spent(skn_tx *tx, skn_str cause, int64_t conversation, int64_t *count,
                            bool *paused, skein_error *err);
/* Open ones of a conversation, or of a world when that is 0, or all when both are, world by world;
 * oldest first. */
skein_rc skn_turn_open_rows(skn_tx *tx, int64_t world, int64_t conversation, skn_arena *a,
                            skn_turn_rows *out, skein_error *err);
/* Keeps a piece of what it is writing; piece->saved is false when it is over, has stored that message, or somebody
 * else is at its row just now. */
skein_rc skn_written_add(skn_tx *tx, skein_piece *piece, skein_error *err);
/* All of it up to the first gap; both absent when there is none. */
skein_rc skn_written_of(skn_tx *tx, int64_t turn, skn_arena *a, skn_str *text,
                        skn_str *thinking, skein_error *err);
/* The first public ids alone, in order, at most `limit`. */
skein_rc skn_waiting_uids(skn_tx *tx, int64_t conversation, size_t limit, skn_arena *a,
                          skn_str **out, size_t *count, skein_error *err);
skein_rc skn_agent_work(skn_tx *tx, int64_t agent, skn_arena *a, skein_agent_work *out,
                        skein_error *err);

/* --- The inbox, and the knowledge of agents: store_inbox.c ---------------------------------- */

/* Fills id and uid; item.briefing makes it a briefing, with an id of its own. */
skein_rc skn_inbox_insert(skn_tx *tx, skn_inbox_row *row, skn_arena *a, skein_error *err);
/* What another attempt at the same task told by the same agent under the same title; *id is 0 when there is
 * nothing. *same: with the same text. */
skein_rc skn_inbox_earlier(skn_tx *tx, const skn_inbox_row *like, skn_arena *a, int64_t *id,
                           skn_str *uid, bool *same, skein_error *err);
/* By its public id or, also when it was removed, by that of its briefing. */
skein_rc skn_inbox_by_uid(skn_tx *tx, skn_str uid, skn_arena *a, skn_inbox_row *out,
                          bool *found, skein_error *err);
/* What lists leave out, into row->item: the text of a briefing, and a definition whole. */
skein_rc skn_inbox_long_texts(skn_tx *tx, skn_arena *a, skn_inbox_row *row, skein_error *err);
/* Of a world (0: of all), neither done nor snoozed. */
skein_rc skn_inbox_counts(skn_tx *tx, int64_t world, int64_t now, int64_t *unread,
                          int64_t *needs_you, skein_error *err);
/* Those of a world that are unread and of a kind (absent: any) are read; *count were. */
skein_rc skn_inbox_read(skn_tx *tx, int64_t world, skn_str kind, int64_t now, int64_t *count,
                        skein_error *err);
/* Fills item.uid; *stored is false when the agent has the same in mind, which is then read. */
skein_rc     skn_knowledge_put(skn_tx *tx, skn_knowledge_row *row, skn_arena *a, bool *stored,
                               skein_error *err);
typedef bool skn_knowledge_sieve(void *arg, const skein_knowledge *item);
/* The notes of an agent, newest first, at most `limit`; wanted (NULL: all are) says which. */
skein_rc skn_knowledge_rows(skn_tx *tx, int64_t agent, size_t limit,
                            skn_knowledge_sieve *wanted, void *arg, skn_arena *a,
                            skein_knowledges *out, skein_error *err);

/* --- What models were sent: store_call.c ------------------------------------------------------ */

/* Which of the hashes have their piece? And when text was last erased from the store; 0: never. */
skein_rc skn_pieces_known(skn_tx *tx, const skn_str *hashes, size_t count, bool *known,
                          int64_t *erased_at, skn_arena *a, skein_error *err);
/* Their bytes, into bytes[i]; absent for one that is not there. */
skein_rc skn_pieces_read(skn_tx *tx, const skn_str *hashes, size_t count, skn_str *bytes,
                         skn_arena *a, skein_error *err);
/* By its public id, or the last of the message with that id. */
skein_rc skn_call_get(skn_tx *tx, int64_t world, skn_str uid, skn_arena *a, skn_call_row *out,
                      bool *found, skein_error *err);
/* Of a message, oldest first; when that is absent of an agent, newest first; of all when it is 0. */
skein_rc skn_model_calls_of(skn_tx *tx, int64_t world, skn_str message_uid, int64_t agent,
                            size_t limit, skn_arena *a, skein_model_calls *out,
                            skein_error *err);
/* The cost of the last call of each message, into out[i]; those without a call are left as they are. */
skein_rc skn_call_usage(skn_tx *tx, int64_t world, const skn_ids *messages, skn_arena *a,
                        skein_usage *out, skein_error *err);
/* One call as the check sees it; the texts die with the next. */
typedef skein_rc skn_call_sink(void *arg, skn_str uid, skn_str request, skn_str response,
                               skein_error *err);
/* Hands over every call, or only those that skn_call_erase would empty; conversation 0: every. */
skein_rc skn_call_each(skn_tx *tx, int64_t conversation, skn_call_sink *sink, void *arg,
                       skein_error *err);
