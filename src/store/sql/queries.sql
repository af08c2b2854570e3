-- Every statement of the store. A block runs until the next name; queries.pg.sql overrides by name.

-- Words that PostgreSQL has others for, in queries.pg.sql: the ids of a list, what SQLite joins in this order, the day and the month of a
-- time.
-- =ids
json_each('[' || $1 || ']') j
-- =join
CROSS JOIN
-- =day
strftime('%Y-%m-%d', k.created_at / 1000000, 'unixepoch')
-- =month
strftime('%Y-%m', k.created_at / 1000000, 'unixepoch')
-- =world_rows
SELECT w.id, w.uid, w.name, w.description, w.turn_limit, w.compact_at, w.current_conversation_id, c.uid, w.created_at, w.settings
  FROM worlds w LEFT JOIN conversations c ON c.id = w.current_conversation_id
-- =agent_rows
SELECT a.id, a.uid, a.world_id, a.name, a.system_prompt, a.model, l.id, l.name, a.settings, a.created_at
  FROM agents a LEFT JOIN agents l ON l.id = a.lead_id AND l.removed_at IS NULL
-- =version_rows
SELECT v.id, v.conversation_id, v.number, v.origin_id, o.number, v.origin_length, v.kind, v.actor, v.note, v.created_at
  FROM versions v LEFT JOIN versions o ON o.id = v.origin_id
-- =op_rows
SELECT id, kind, from_version_id, to_version_id, newest_message_id, undoes_id, undone_by_id FROM ops
-- =lane_rows
SELECT l.id, l.conversation_id, l.key, l.agent_id, a.name, l.parent_id, l.ordinal, l.spawn_message_id, l.spawn_call_id,
  l.children, l.state, l.branched_from_id, a.removed_at
  FROM lanes l LEFT JOIN agents a ON a.id = l.agent_id
-- A row of a thread; the number of its version follows where it is asked for.
-- =thread_row
t.id, t.uid, t.lane_id, t.version_id, t.origin_id, t.origin_length, t.root_id, t.base_length, t.compaction_id,
  (SELECT COALESCE(MAX(i.seq), -1) + 1 FROM items i WHERE i.thread_id = t.id AND i.seq >= 0)
-- =conversation_rows
SELECT c.id, c.uid, c.world_id, c.agent_id, a.name, c.mode, c.title, c.version_id, c.branched_from_id, c.created_at, c.removed_at,
  a.removed_at, c.expects_agent_id, e.name, c.read_only
  FROM conversations c LEFT JOIN agents a ON a.id = c.agent_id
  LEFT JOIN agents e ON e.id = c.expects_agent_id AND e.removed_at IS NULL

-- :meta_get
SELECT value FROM meta WHERE key = $1;
-- :meta_set
INSERT INTO meta(key, value) VALUES($1, $2) ON CONFLICT(key) DO UPDATE SET value = excluded.value;
-- :meta_insert
INSERT INTO meta(key, value) VALUES($1, $2);

-- :world_insert
INSERT INTO worlds(uid, name, description, turn_limit, compact_at, created_at, settings) VALUES($1, $2, $3, $4, $5, $6, $7) RETURNING id;
-- :world_get
{world_rows} WHERE w.id = $1 AND w.removed_at IS NULL;
-- :world_by_ref
{world_rows}
 WHERE (w.name = $1 OR w.uid = $2) AND w.removed_at IS NULL ORDER BY w.id LIMIT 1;
-- :world_rows
{world_rows} WHERE w.removed_at IS NULL ORDER BY w.id;
-- :world_hold
SELECT id FROM worlds WHERE id = $1 AND removed_at IS NULL;
-- :world_hide
UPDATE worlds SET removed_at = $1 WHERE id = $2 AND removed_at IS NULL;
-- :world_hidden
{world_rows} WHERE w.removed_at IS NOT NULL ORDER BY w.removed_at DESC, w.id DESC;
-- :world_show
UPDATE worlds SET removed_at = NULL WHERE id = $1 AND removed_at IS NOT NULL;
-- :world_put
UPDATE worlds SET name = $1, description = $2, turn_limit = $3, compact_at = $4, settings = $5 WHERE id = $6;
-- :world_chat
UPDATE worlds SET current_conversation_id = $1 WHERE id = $2;

-- :agent_insert
INSERT INTO agents(uid, world_id, lead_id, name, system_prompt, model, settings, created_at)
VALUES($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id;
-- :agent_get
{agent_rows} WHERE a.id = $1 AND a.removed_at IS NULL;
-- :agent_by_ref
{agent_rows}
 WHERE a.world_id = $1 AND (a.name = $2 OR a.uid = $3) AND a.removed_at IS NULL ORDER BY a.id LIMIT 1;
-- :agent_rows
{agent_rows} WHERE a.world_id = $1 AND a.removed_at IS NULL ORDER BY a.id;
-- :agent_put
UPDATE agents SET lead_id = $1, system_prompt = $2, model = $3, settings = $4 WHERE id = $5;
-- :agent_hold
SELECT id FROM agents WHERE id = $1 AND removed_at IS NULL;
-- :agent_hide
UPDATE agents SET removed_at = $1 WHERE id = $2 AND removed_at IS NULL;
-- :agent_laneless
{agent_rows} WHERE a.world_id = $1 AND a.removed_at IS NULL
   AND NOT EXISTS(SELECT 1 FROM lanes n WHERE n.conversation_id = $2 AND n.agent_id = a.id AND n.parent_id IS NULL) ORDER BY a.id;

-- :conversation_insert
INSERT INTO conversations(uid, world_id, agent_id, mode, title, branched_from_id, created_at)
VALUES($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING RETURNING id;
-- :conversation_lock
{conversation_rows} JOIN worlds w ON w.id = c.world_id
 WHERE c.id = $1 AND c.removed_at IS NULL AND w.removed_at IS NULL;
-- :conversation_row_get
{conversation_rows} WHERE c.id = $1;
-- One that was archived can be read by its id; what an agent had for itself goes with it.
-- :conversation_by_uid
{conversation_rows} WHERE c.uid = $1 AND (c.removed_at IS NULL OR a.removed_at IS NULL);
-- :conversation_by_prefix
{conversation_rows}
 WHERE c.uid >= $1 AND c.uid < $2 AND c.removed_at IS NULL ORDER BY c.uid LIMIT 2;
-- :conversation_by_title
{conversation_rows}
 WHERE c.world_id = $1 AND c.title = $2 AND c.removed_at IS NULL ORDER BY c.id DESC LIMIT 2;
-- :conversation_by_agent
{conversation_rows} WHERE c.agent_id = $1 AND c.mode = $2 AND c.removed_at IS NULL;
-- :conversation_list
{conversation_rows} WHERE c.world_id = $1 AND c.removed_at IS NULL ORDER BY c.id;
-- :conversation_set_version
UPDATE conversations SET version_id = $1 WHERE id = $2;
-- :conversation_title
UPDATE conversations SET title = $1 WHERE id = $2;
-- :conversation_expect
UPDATE conversations SET expects_agent_id = $1, read_only = $2 WHERE id = $3;
-- :conversation_hide
UPDATE conversations SET removed_at = $1 WHERE id = $2 AND removed_at IS NULL;
-- :conversation_hidden
{conversation_rows} WHERE c.uid = $1 AND c.removed_at IS NOT NULL;
-- :conversation_hidden_in
{conversation_rows}
 WHERE c.world_id = $1 AND c.removed_at IS NOT NULL AND a.removed_at IS NULL ORDER BY c.removed_at DESC, c.id DESC;
-- :conversation_show
UPDATE conversations SET removed_at = NULL WHERE id = $1 AND removed_at IS NOT NULL;

-- :version_insert
INSERT INTO versions(conversation_id, number, origin_id, origin_length, kind, actor, note, created_at)
SELECT CAST($1 AS BIGINT), COALESCE(MAX(v.number), 0) + 1, CAST($2 AS BIGINT), CAST($3 AS BIGINT), CAST($4 AS TEXT), CAST($5 AS TEXT),
  CAST($6 AS TEXT), CAST($7 AS BIGINT) FROM versions v WHERE v.conversation_id = $1 RETURNING id;
-- :version_get
{version_rows} WHERE v.id = $1;
-- :version_by_number
{version_rows} WHERE v.conversation_id = $1 AND v.number = $2;

-- :op_insert
INSERT INTO ops(conversation_id, kind, from_version_id, to_version_id, newest_message_id, undoes_id, actor, at)
VALUES($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id;
-- :op_last_standing
{op_rows}
 WHERE conversation_id = $1 AND kind <> 'undo' AND kind <> 'redo' AND undone_by_id IS NULL ORDER BY id DESC LIMIT 1;
-- :op_last_undone
{op_rows}
 WHERE conversation_id = $1 AND undone_by_id IS NOT NULL ORDER BY undone_by_id DESC LIMIT 1;
-- :op_get
{op_rows} WHERE id = $1;
-- The newest message there was when a version was left, before the pointer last came to it.
-- :op_left_newest
SELECT COALESCE((SELECT newest_message_id FROM ops WHERE conversation_id = $1 AND from_version_id = $2
   AND id < (SELECT MAX(id) FROM ops WHERE conversation_id = $1 AND to_version_id = $2) ORDER BY id DESC LIMIT 1), 0);
-- A change that was itself undone is never newer than the last undo, which is what this is compared with.
-- :op_set_undone
UPDATE ops SET undone_by_id = $1 WHERE id = $2;

-- :lane_insert
INSERT INTO lanes(conversation_id, key, agent_id, parent_id, ordinal, spawn_message_id, spawn_call_id, branched_from_id, created_at)
VALUES($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING RETURNING id;
-- :lane_by_key
{lane_rows} WHERE l.conversation_id = $1 AND l.key = $2;
-- :lane_get
{lane_rows} WHERE l.id = $1;
-- :lane_of_agent
{lane_rows} WHERE l.conversation_id = $1 AND l.agent_id = $2 AND l.parent_id IS NULL;
-- :lane_rows_of
{lane_rows} WHERE l.conversation_id = $1 ORDER BY l.id;
-- :lane_rows_top
{lane_rows} WHERE l.conversation_id = $1 AND l.parent_id IS NULL ORDER BY l.id;
-- :lane_count_child
UPDATE lanes SET children = children + 1 WHERE id = $1 RETURNING children;
-- :lane_set_state
UPDATE lanes SET state = $1 WHERE id = $2 AND state = 'running';

-- :thread_insert
INSERT INTO threads(uid, lane_id, version_id, origin_id, origin_length, root_id, base_length, compaction_id)
VALUES($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id;
-- :thread_set_base
UPDATE threads SET root_id = $1, base_length = $2 WHERE id = $3;
-- :thread_set_compaction
UPDATE threads SET compaction_id = $1 WHERE id = $2;
-- :thread_get
SELECT {thread_row}, 0 FROM threads t WHERE t.id = $1;
-- :thread_by_uid
SELECT {thread_row}, 0 FROM threads t WHERE t.uid = $1;
-- :thread_of
SELECT {thread_row}, 0
  FROM threads t WHERE t.version_id = $1 AND t.lane_id = $2;

-- :item_insert
INSERT INTO items(thread_id, seq, message_id, okey) VALUES($1, $2, $3, $4);
-- :item_key
SELECT COALESCE(okey, message_id), message_id FROM items WHERE thread_id = $1 AND seq = $2;
-- :item_range
SELECT seq, message_id, COALESCE(okey, message_id) FROM items WHERE thread_id = $1 AND seq >= $2 AND seq < $3 ORDER BY seq;
-- :item_last
SELECT message_id FROM items WHERE thread_id = $1 AND seq >= 0 ORDER BY seq DESC LIMIT 1;
-- :items_newer
SELECT COUNT(*) FROM items WHERE thread_id = $1 AND seq >= $2 AND seq < $3 AND message_id > $4;
-- :item_placements
SELECT i.thread_id, i.seq, COALESCE(i.okey, i.message_id), t.lane_id, l.conversation_id
  FROM items i JOIN threads t ON t.id = i.thread_id JOIN lanes l ON l.id = t.lane_id WHERE i.message_id = $1 ORDER BY i.thread_id, i.seq;

-- :node_insert
INSERT INTO nodes(conversation_id, level, entries) VALUES($1, $2, $3) RETURNING id;
-- :node_get
SELECT level, entries FROM nodes WHERE id = $1;

-- :message_insert
INSERT INTO messages({messages_written}, hash) VALUES($*) RETURNING id;
-- :message_get
SELECT m.id, {messages_read}
  FROM messages m WHERE m.id = $1;
-- :message_by_uid
SELECT m.id, {messages_read}
  FROM messages m WHERE m.uid = $1;
-- :message_range
SELECT m.id, {messages_read}, i.seq
  FROM items i JOIN messages m ON m.id = i.message_id WHERE i.thread_id = $1 AND i.seq >= $2 AND i.seq < $3 ORDER BY i.seq;
-- :message_newest
SELECT COALESCE(MAX(id), 0) FROM messages;
-- :message_link
SELECT id, conversation_id, reply_depth, uid FROM messages WHERE uid = $1;
-- :message_children
SELECT id FROM messages WHERE reply_to_id = $1 ORDER BY id;
-- :message_calls_insert
INSERT INTO message_calls(conversation_id, call_id, message_id, is_result) VALUES($1, $2, $3, $4) ON CONFLICT DO NOTHING;
-- :message_call_halves
SELECT message_id, is_result FROM message_calls WHERE conversation_id = $1 AND call_id = $2 ORDER BY message_id, is_result;
-- :message_call_halves_before
SELECT message_id, is_result FROM message_calls WHERE conversation_id = $1 AND call_id = $2 AND (message_id, is_result) < ($3, $4)
 ORDER BY message_id DESC, is_result DESC LIMIT $5;
-- :message_calls_forget
DELETE FROM message_calls WHERE conversation_id = $1 AND call_id = $2 AND message_id = $3 AND is_result = 0;
-- :message_erase
UPDATE messages SET {messages_erased}, hash = 0, purged_at = $1 WHERE id = $2 AND purged_at IS NULL;

-- :compaction_insert
INSERT INTO compactions(thread_id, covers, last_message_id, summary_message_id, previous_id, reason, model, created_at)
VALUES($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id;
-- :compaction_by_id
SELECT id, thread_id, covers, last_message_id, summary_message_id, previous_id FROM compactions WHERE id = $1;

-- :squash_insert
INSERT INTO squashes(uid, conversation_id, version_id, result_message_id, prompt, model, by_agent, created_at)
VALUES($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id;
-- :squash_by_uid
SELECT id, conversation_id, version_id, result_message_id, prompt, model, by_agent, created_at FROM squashes WHERE uid = $1;
-- :squashes_of
SELECT uid FROM squashes WHERE conversation_id = $1 ORDER BY id DESC LIMIT $2;
-- :squash_source_insert
INSERT INTO squash_sources(squash_id, idx, message_id) VALUES($1, $2, $3);
-- :squash_sources
SELECT s.message_id, m.uid FROM squash_sources s JOIN messages m ON m.id = s.message_id WHERE s.squash_id = $1 ORDER BY s.idx;
-- :squash_results_of
SELECT q.result_message_id FROM squash_sources s JOIN squashes q ON q.id = s.squash_id WHERE s.message_id = $1 ORDER BY q.id;
-- :squash_erase
UPDATE squashes SET prompt = NULL WHERE result_message_id = $1;

-- :idempotency_get
SELECT request_hash, response FROM idempotency WHERE key = $1;
-- :idempotency_insert
INSERT INTO idempotency(key, request_hash, response, created_at) VALUES($1, $2, $3, $4);
-- :idempotency_move
UPDATE idempotency SET response = $1 WHERE key = $2;
-- :idempotency_expire
DELETE FROM idempotency WHERE key IN (SELECT key FROM idempotency WHERE created_at < $1 ORDER BY created_at LIMIT 100);

-- purge

-- :conversation_messages
SELECT DISTINCT i.message_id FROM versions v JOIN threads t ON t.version_id = v.id JOIN items i ON i.thread_id = t.id
  JOIN messages m ON m.id = i.message_id WHERE v.conversation_id = $1 AND m.conversation_id = $2 AND m.purged_at IS NULL ORDER BY i.message_id;
-- :conversation_family
WITH RECURSIVE below(id) AS (SELECT id FROM conversations WHERE id = $1
  UNION SELECT c.id FROM below b JOIN conversations c ON c.branched_from_id = b.id)
SELECT c.id FROM conversations c WHERE c.id IN (SELECT id FROM below) ORDER BY c.id;
-- What the last scrub had to remove is counted as erasures are.
-- :scrub_due
SELECT e.value FROM meta e WHERE e.key = 'erasures' AND e.value > COALESCE((SELECT s.value FROM meta s WHERE s.key = 'scrubbed'), 0);
-- :scrub_done
INSERT INTO meta(key, value) VALUES('scrubbed', $1) ON CONFLICT(key) DO UPDATE SET value = excluded.value WHERE meta.value < excluded.value;
