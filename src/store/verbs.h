/* verbs.h: what can be done inside a transaction; part of the door (store.h includes it).
 *
 * A lookup that finds nothing returns SKEIN_OK with *found false; what "not found" means is the
 * engine's business. An insert that meets a taken key sets *id to 0 where that is expected. */
#ifndef SKN_STORE_VERBS_H
#define SKN_STORE_VERBS_H

/* --- worlds and agents: store_world.c --- */
skein_rc skn_world_insert(skn_tx *tx, skein_world *w, skein_error *err);
skein_rc skn_world_get(skn_tx *tx, int64_t id, skn_arena *a, skein_world *out, bool *found,
                       skein_error *err);
/* Keeps others from changing it until the transaction ends. Whoever holds a conversation of the world
 * too takes that first. */
skein_rc skn_world_hold(skn_tx *tx, int64_t id, bool *found, skein_error *err);
skein_rc skn_agent_hold(skn_tx *tx, int64_t id, bool *found, skein_error *err);
skein_rc skn_world_by_ref(skn_tx *tx, skn_str name, skn_str uid, skn_arena *a, skein_world *out,
                          bool *found, skein_error *err);
skein_rc skn_world_rows(skn_tx *tx, skn_arena *a, skein_worlds *out, skein_error *err);
skein_rc skn_world_hide(skn_tx *tx, int64_t id, int64_t now, bool *found, skein_error *err);
/* Those that are hidden, the last first, and showing one again; *found is false when it is not hidden. */
skein_rc skn_world_hidden(skn_tx *tx, skn_arena *a, skein_worlds *out, skein_error *err);
skein_rc skn_world_show(skn_tx *tx, int64_t id, bool *found, skein_error *err);
skein_rc skn_world_chat(skn_tx *tx, int64_t id, int64_t conversation, skein_error *err);
/* Writes name, description, turn_limit and compact_at. */
skein_rc skn_world_put(skn_tx *tx, const skein_world *w, skein_error *err);
skein_rc skn_agent_insert(skn_tx *tx, skein_agent *agent, skein_error *err);
skein_rc skn_agent_get(skn_tx *tx, int64_t id, skn_arena *a, skein_agent *out, bool *found,
                       skein_error *err);
skein_rc skn_agent_by_ref(skn_tx *tx, int64_t world, skn_str name, skn_str uid, skn_arena *a,
                          skein_agent *out, bool *found, skein_error *err);
skein_rc skn_agent_rows(skn_tx *tx, int64_t world, skn_arena *a, skein_agents *out,
                        skein_error *err);
/* Writes lead, system_prompt, model and settings. */
skein_rc skn_agent_put(skn_tx *tx, const skein_agent *agent, skein_error *err);
skein_rc skn_agent_hide(skn_tx *tx, int64_t id, int64_t now, bool *found, skein_error *err);
/* Agents of the world (id and name only) that have no lane in this chat yet. */
skein_rc skn_agent_laneless(skn_tx *tx, int64_t world, int64_t conversation, skn_arena *a,
                            skein_agents *out, skein_error *err);

/* --- conversations, lanes: store_conversation.c --- */
skein_rc skn_conversation_insert(skn_tx *tx, const skn_conversation_row *row, int64_t *id,
                                 skein_error *err);
/* Reads the row and keeps every other writer of this conversation out until the transaction ends. */
skein_rc skn_conversation_lock(skn_tx *tx, int64_t id, skn_arena *a, skn_conversation_row *out,
                               bool *found, skein_error *err);
skein_rc skn_conversation_row_get(skn_tx *tx, int64_t id, skn_arena *a,
                                  skn_conversation_row *out, bool *found, skein_error *err);
skein_rc skn_conversation_by_uid(skn_tx *tx, skn_str uid, skn_arena *a,
                                 skn_conversation_row *out, bool *found, skein_error *err);
skein_rc skn_conversation_by_agent(skn_tx *tx, int64_t agent, skein_mode mode, skn_arena *a,
                                   skn_conversation_row *out, bool *found, skein_error *err);
typedef struct skn_conversation_rows {
    skn_conversation_row *at;
    size_t                count;
} skn_conversation_rows;
/* At most two, so that the caller can tell "one" from "several". */
skein_rc skn_conversation_by_prefix(skn_tx *tx, skn_str prefix, skn_arena *a,
                                    skn_conversation_rows *out, skein_error *err);
skein_rc skn_conversation_by_title(skn_tx *tx, int64_t world, skn_str title, skn_arena *a,
                                   skn_conversation_rows *out, skein_error *err);
skein_rc skn_conversation_list(skn_tx *tx, int64_t world, skn_arena *a,
                               skn_conversation_rows *out, skein_error *err);
/* Messages born in a conversation that some version of it holds, and that were not erased. */
skein_rc skn_conversation_messages(skn_tx *tx, int64_t id, skn_arena *a, skn_ids *out,
                                   skein_error *err);
/* The conversation and all that branched off from it, however far, hidden ones too; keeps every
 * other writer of them out until the transaction ends. One that another transaction was just
 * making is missing: ask again until there are no more. */
skein_rc skn_conversation_family(skn_tx *tx, int64_t id, skn_arena *a, skn_ids *out,
                                 skein_error *err);
skein_rc skn_conversation_set_version(skn_tx *tx, int64_t id, int64_t version,
                                      skein_error *err);
/* An absent title removes it. */
skein_rc skn_conversation_title(skn_tx *tx, int64_t id, skn_str title, skein_error *err);
/* What its next messages ask for: whose reply is expected (0: nobody's), and that nothing is changed. */
skein_rc skn_conversation_expect(skn_tx *tx, int64_t id, int64_t agent, bool read_only,
                                 skein_error *err);
skein_rc skn_conversation_hide(skn_tx *tx, int64_t id, int64_t now, bool *found,
                               skein_error *err);
/* One that was hidden, and showing it again; *found is false when it is not hidden. */
skein_rc skn_conversation_hidden(skn_tx *tx, skn_str uid, skn_arena *a,
                                 skn_conversation_row *out, bool *found, skein_error *err);
skein_rc skn_conversation_hidden_in(skn_tx *tx, int64_t world, skn_arena *a,
                                    skn_conversation_rows *out, skein_error *err);
skein_rc skn_conversation_show(skn_tx *tx, int64_t id, bool *found, skein_error *err);
skein_rc skn_lane_insert(skn_tx *tx, const skn_lane_row *row, int64_t now, int64_t *id,
                         skein_error *err);
skein_rc skn_lane_by_key(skn_tx *tx, int64_t conversation, skn_str key, skn_arena *a,
                         skn_lane_row *out, bool *found, skein_error *err);
skein_rc skn_lane_get(skn_tx *tx, int64_t id, skn_arena *a, skn_lane_row *out, bool *found,
                      skein_error *err);
skein_rc skn_lane_of_agent(skn_tx *tx, int64_t conversation, int64_t agent, skn_arena *a,
                           skn_lane_row *out, bool *found, skein_error *err);
/* All lanes in order of making; only those without a parent (main and agents) when top is set. */
skein_rc skn_lane_rows_of(skn_tx *tx, int64_t conversation, bool top, skn_arena *a,
                          skn_lane_rows *out, skein_error *err);
skein_rc skn_lane_count_child(skn_tx *tx, int64_t id, int64_t *ordinal, skein_error *err);
skein_rc skn_lane_set_state(skn_tx *tx, int64_t id, skein_lane_state state, bool *changed,
                            skein_error *err);

/* --- versions, operations: store_version.c --- */
skein_rc skn_version_insert(skn_tx *tx, const skn_version_row *row, int64_t *id,
                            skein_error *err);
skein_rc skn_version_get(skn_tx *tx, int64_t id, skn_arena *a, skn_version_row *out,
                         bool *found, skein_error *err);
skein_rc skn_version_by_number(skn_tx *tx, int64_t conversation, int64_t number, skn_arena *a,
                               skn_version_row *out, bool *found, skein_error *err);
skein_rc skn_op_insert(skn_tx *tx, int64_t conversation, const skn_op_row *row, skn_str actor,
                       int64_t now, int64_t *id, skein_error *err);
typedef enum skn_op_which {
    SKN_OP_LAST_STANDING, /* neither undo nor redo, and not taken back */
    SKN_OP_LAST_UNDONE    /* taken back most recently */
} skn_op_which;
skein_rc skn_op_find(skn_tx *tx, int64_t conversation, skn_op_which which, skn_arena *a,
                     skn_op_row *out, bool *found, skein_error *err);
skein_rc skn_op_get(skn_tx *tx, int64_t id, skn_arena *a, skn_op_row *out, bool *found,
                    skein_error *err);
/* The newest message there was when a version was left, before the last move to it; 0: it never was. */
skein_rc skn_op_left_newest(skn_tx *tx, int64_t conversation, int64_t version, int64_t *message,
                            skein_error *err);
skein_rc skn_op_set_undone(skn_tx *tx, int64_t id, int64_t by, skein_error *err);
skein_rc skn_idempotency_get(skn_tx *tx, skn_str key, skn_arena *a, int64_t *hash,
                             skn_str *response, bool *found, skein_error *err);
/* Those that are older than a week go, some at a time. */
skein_rc skn_idempotency_insert(skn_tx *tx, skn_str key, int64_t hash, skn_str response,
                                int64_t now, skein_error *err);
/* Another response, where the key is kept. */
skein_rc skn_idempotency_move(skn_tx *tx, skn_str key, skn_str response, skein_error *err);

/* --- threads, items, nodes: store_thread.c --- */
skein_rc skn_thread_insert(skn_tx *tx, skn_thread_row *row, skn_arena *a, skein_error *err);
skein_rc skn_thread_set_base(skn_tx *tx, int64_t id, int64_t root, int64_t length,
                             skein_error *err);
skein_rc skn_thread_set_compaction(skn_tx *tx, int64_t id, int64_t compaction,
                                   skein_error *err);
skein_rc skn_thread_get(skn_tx *tx, int64_t id, skn_arena *a, skn_thread_row *out, bool *found,
                        skein_error *err);
skein_rc skn_thread_by_uid(skn_tx *tx, skn_str uid, skn_arena *a, skn_thread_row *out,
                           bool *found, skein_error *err);
skein_rc skn_thread_of(skn_tx *tx, int64_t version, int64_t lane, skn_arena *a,
                       skn_thread_row *out, bool *found, skein_error *err);
skein_rc skn_item_insert(skn_tx *tx, int64_t thread, int64_t seq, int64_t message, int64_t key,
                         skein_error *err); /* key 0: the message's own id */
skein_rc skn_item_key(skn_tx *tx, int64_t thread, int64_t seq, int64_t *key, int64_t *message,
                      skein_error *err);
skein_rc skn_item_range(skn_tx *tx, int64_t thread, int64_t from, int64_t to, skn_arena *a,
                        skn_items *out, skein_error *err);
/* The message last appended to the thread itself; 0 when there is none. */
skein_rc skn_item_last(skn_tx *tx, int64_t thread, int64_t *message, skein_error *err);
/* How many of these items of a thread are newer than a message. */
skein_rc skn_items_newer(skn_tx *tx, int64_t thread, int64_t lo, int64_t hi, int64_t message,
                         int64_t *count, skein_error *err);
skein_rc skn_item_placements(skn_tx *tx, int64_t message, skn_arena *a, skn_placements *out,
                             skein_error *err);
skein_rc skn_node_insert(skn_tx *tx, int64_t conversation, int level, skn_str entries,
                         int64_t *id, skein_error *err);
skein_rc skn_node_get(skn_tx *tx, int64_t id, skn_arena *a, int *level, skn_str *entries,
                      bool *found, skein_error *err);
skein_rc skn_compaction_insert(skn_tx *tx, skn_compaction_row *row, skn_str reason,
                               skn_str model, int64_t now, skein_error *err);
skein_rc skn_compaction_get(skn_tx *tx, int64_t id, skn_compaction_row *out, bool *found,
                            skein_error *err);

/* --- messages: store_message.c --- */
/* Calls and instructions as their columns hold them; none are absent. */
skn_str skn_calls_json(const skein_tool_call *calls, size_t count, skn_buf *buf);
skn_str skn_instructions_json(const skein_instruction *list, size_t count, skn_buf *buf);
/* What a message says, as its columns hold it. */
typedef struct skn_said {
    skn_str content, thinking, calls, instructions;
} skn_said;

#define SKN_HASH_ERASED 0 /* of what was purged: the hash of a short text would give it away */
/* Never SKN_HASH_ERASED; the same on every machine, and for ever. */
int64_t skn_message_hash(const skn_said *said);
/* Fills id, and makes a public id when there is none. */
skein_rc skn_message_insert(skn_tx *tx, skein_message *m, skn_arena *a, skein_error *err);
skein_rc skn_message_get(skn_tx *tx, int64_t id, skn_arena *a, skein_message *out, bool *found,
                         skein_error *err);
skein_rc skn_message_by_uid(skn_tx *tx, skn_str uid, skn_arena *a, skein_message *out,
                            bool *found, skein_error *err);
typedef skein_rc skn_message_sink(void *arg, skein_message *m, skein_error *err);
/* Messages of a thread's own items [from, to); position is set to the item's seq. */
skein_rc skn_message_range(skn_tx *tx, int64_t thread, int64_t from, int64_t to, skn_arena *a,
                           skn_message_sink *sink, void *arg, skein_error *err);
skein_rc skn_message_newest(skn_tx *tx, int64_t *id, skein_error *err);
skein_rc skn_message_link(skn_tx *tx, skn_str uid, skn_arena *a, skn_link *out, bool *found,
                          skein_error *err);
skein_rc skn_message_children(skn_tx *tx, int64_t id, skn_arena *a, skn_ids *out,
                              skein_error *err);
/* Calls and results with this call id that were said in a conversation, in order. */
skein_rc skn_message_call_halves(skn_tx *tx, int64_t conversation, skn_str call_id,
                                 skn_arena *a, skn_call_halves *out, skein_error *err);
/* The last of them before a half, newest first, at most `limit`. */
skein_rc skn_message_call_halves_before(skn_tx *tx, int64_t conversation, skn_str call_id,
                                        skn_call_half before, size_t limit, skn_arena *a,
                                        skn_call_halves *out, skein_error *err);
skein_rc skn_message_erase(skn_tx *tx, int64_t id, int64_t now, skn_arena *a, bool *erased,
                           skein_error *err);

/* --- erasure: store.c --- */
/* How many erasures there were, when the last of them are not yet driven out of the files; else 0. */
skein_rc skn_scrub_due(skn_tx *tx, int64_t *erasures, skein_error *err);

/* --- squashes: store_version.c --- */
skein_rc skn_squash_insert(skn_tx *tx, skn_str uid, const skn_squash_row *row,
                           const int64_t *sources, size_t count, skein_error *err);
skein_rc skn_squash_by_uid(skn_tx *tx, skn_str uid, skn_arena *a, skn_squash_row *out,
                           bool *found, skein_error *err);
skein_rc skn_squash_sources(skn_tx *tx, int64_t id, skn_arena *a, skn_ids *ids, skn_str **uids,
                            skein_error *err);
/* Public ids of a conversation's squashes, newest first. */
skein_rc skn_squashes_of(skn_tx *tx, int64_t conversation, int64_t limit, skn_arena *a,
                         skein_uids *out, skein_error *err);
/* Results of the squashes that took this message, oldest first. */
skein_rc skn_squash_results_of(skn_tx *tx, int64_t message, skn_arena *a, skn_ids *out,
                               skein_error *err);

#endif
