-- Who has to answer, who is at it, what waits to be said. "state = 'queued' OR state = 'working'" is written as the
-- index has it, so that both databases use it: a conversation where nobody is at work costs one look.

-- =delivery_row
d.id, d.conversation_id, d.agent_id, d.message_id, d.hops_left, d.created_at, d.cause, d.model, a.name, d.state, a.removed_at, m.uid,
  d.lane_id, d.task_id, a.paused_at, d.error, d.closed_at
-- =turn_rows
SELECT t.id, t.uid, t.fence, t.state, t.world_id, w.name, t.conversation_id, c.uid, t.agent_id, a.name, t.model, m.uid, t.cause,
  t.message_uid, t.hops_left, t.created_at, t.delivery_id, t.trigger_message_id, t.lease_until, t.open_calls, t.step_message_id,
  t.lane_id, l.key, t.task_id, c.mode, t.tool, t.writing,
  CASE WHEN t.waits = 1 THEN (SELECT i.uid FROM inbox i WHERE i.turn_id = t.id AND i.kind = 'approval' AND
    i.answer IS NULL AND i.removed_at IS NULL ORDER BY i.id DESC LIMIT 1) END, t.waits, t.waits_until,
  (SELECT d.without_tools FROM deliveries d WHERE d.id = t.delivery_id),
  (SELECT d.most_tokens FROM deliveries d WHERE d.id = t.delivery_id)
  FROM turns t JOIN worlds w ON w.id = t.world_id JOIN conversations c ON c.id = t.conversation_id
  JOIN agents a ON a.id = t.agent_id LEFT JOIN messages m ON m.id = t.trigger_message_id LEFT JOIN lanes l ON l.id = t.lane_id
-- =waiting_rows
SELECT id, conversation_id, uid, client_id, created_at, model, most_tokens, said FROM waiting

-- :delivery_insert
INSERT INTO deliveries(conversation_id, agent_id, message_id, cause, hops_left, model, created_at, lane_id, task_id, without_tools,
  most_tokens)
VALUES($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING id;
-- :delivery_get
SELECT {delivery_row}
  FROM deliveries d JOIN agents a ON a.id = d.agent_id JOIN messages m ON m.id = d.message_id WHERE d.id = $1;
-- :delivery_pending
SELECT {delivery_row}
  FROM deliveries d JOIN agents a ON a.id = d.agent_id JOIN messages m ON m.id = d.message_id
 WHERE d.conversation_id = $1 AND (d.state = 'queued' OR d.state = 'working') ORDER BY d.id;
-- :delivery_pending_on
SELECT {delivery_row}
  FROM deliveries d JOIN agents a ON a.id = d.agent_id JOIN messages m ON m.id = d.message_id
 WHERE d.conversation_id = $1 AND (d.state = 'queued' OR d.state = 'working') AND d.lane_id = $2 ORDER BY d.id;
-- :delivery_of
SELECT {delivery_row}
  FROM {ids} {join} deliveries d ON d.message_id = j.value JOIN agents a ON a.id = d.agent_id
  JOIN messages m ON m.id = d.message_id ORDER BY d.message_id, d.id;
-- :delivery_set
UPDATE deliveries SET state = $1, error = $2, closed_at = $3 WHERE id = $4;
-- :delivery_due
SELECT d.id, 0, d.conversation_id, d.agent_id, COALESCE(d.model, a.model), d.lane_id FROM deliveries d
  JOIN agents a ON a.id = d.agent_id JOIN conversations c ON c.id = d.conversation_id JOIN worlds w ON w.id = c.world_id
 WHERE d.id IN (SELECT MIN(q.id) FROM deliveries q WHERE (q.state = 'queued' OR q.state = 'working') AND q.state = 'queued'
                 GROUP BY q.conversation_id, q.agent_id, q.lane_id)
   AND a.removed_at IS NULL AND a.paused_at IS NULL AND c.removed_at IS NULL AND w.removed_at IS NULL
   AND NOT EXISTS(SELECT 1 FROM turns t WHERE t.conversation_id = d.conversation_id AND t.agent_id = d.agent_id
                     AND COALESCE(t.lane_id, 0) = COALESCE(d.lane_id, 0) AND t.state = 'open')
 ORDER BY d.id LIMIT $1;
-- :delivery_chats_of
SELECT DISTINCT d.conversation_id FROM deliveries d WHERE (d.state = 'queued' OR d.state = 'working') AND d.agent_id = $1
 ORDER BY d.conversation_id;
-- :delivery_chats_in
SELECT DISTINCT d.conversation_id FROM deliveries d JOIN conversations c ON c.id = d.conversation_id
 WHERE (d.state = 'queued' OR d.state = 'working') AND c.world_id = $1 ORDER BY d.conversation_id;

-- All the work that a person's message has caused, and whether a pause was said for it. Delegations have limits of
-- their own.
-- :delivery_spent
SELECT COUNT(*), COALESCE(MAX(d.paused), 0) FROM deliveries d WHERE d.cause = $1 AND d.conversation_id = $2
   AND d.lane_id IS NULL;
-- :delivery_pause
UPDATE deliveries SET paused = 1 WHERE id = $1;

-- Turns are numbered through, so the next number is a fence that none before it has.
-- :turn_insert
INSERT INTO turns(uid, world_id, conversation_id, agent_id, delivery_id, trigger_message_id, cause, message_uid, model, holder,
  lease_until, hops_left, created_at, lane_id, task_id, fence)
SELECT CAST($1 AS TEXT), CAST($2 AS BIGINT), CAST($3 AS BIGINT), CAST($4 AS BIGINT), CAST($5 AS BIGINT), CAST($6 AS BIGINT),
  CAST($7 AS TEXT), CAST($8 AS TEXT), CAST($9 AS TEXT), CAST($10 AS TEXT), CAST($11 AS BIGINT), CAST($12 AS BIGINT),
  CAST($13 AS BIGINT), CAST($14 AS BIGINT), CAST($15 AS BIGINT), COALESCE(MAX(t.id), 0) + 1 FROM turns t RETURNING id;
-- :turn_get
{turn_rows} WHERE t.id = $1;
-- :turns_open
{turn_rows} WHERE t.state = 'open'
 ORDER BY t.world_id, t.id;
-- :turns_open_in_world
{turn_rows}
 WHERE t.state = 'open' AND t.world_id = $1 ORDER BY t.id;
-- :turns_open_in_chat
{turn_rows}
 WHERE t.state = 'open' AND t.conversation_id = $1 ORDER BY t.id;
-- :turn_open_on
{turn_rows}
 WHERE t.state = 'open' AND t.conversation_id = $1 AND t.agent_id = $2 AND COALESCE(t.lane_id, 0) = $3;
-- :turn_expired
SELECT DISTINCT t.conversation_id FROM turns t WHERE t.state = 'open' AND (t.lease_until < $1 OR t.lease_until > $2)
 ORDER BY t.conversation_id;
-- :turn_renew
UPDATE turns SET lease_until = $1 WHERE id = $2 AND fence = $3 AND state = 'open';
-- The fence tells the one who held it before that it is held by another.
-- :turn_hold
UPDATE turns SET holder = $1, lease_until = $2, fence = fence + 1 WHERE id = $3 AND state = 'open';
-- :turn_move
UPDATE turns SET message_uid = $1, open_calls = $2, step_message_id = $3, tool = $4, writing = 0, waits = $5, waits_until = $6
 WHERE id = $7;
-- :turn_write
UPDATE turns SET writing = 1, tool = NULL, waits = 0, waits_until = NULL WHERE id = $1;
-- :turn_close
UPDATE turns SET state = $1, error = $2, closed_at = $3 WHERE id = $4;
-- Only what an open turn is writing; what is stored already is not. A piece that was saved before is saved again with
-- what has come since.
-- :written_add
INSERT INTO written(turn_id, part, place, text)
SELECT t.id, CAST($1 AS BIGINT), CAST($2 AS BIGINT), CAST($3 AS TEXT) FROM turns t
 WHERE t.id = $4 AND t.fence = $5 AND t.message_uid = $6 AND t.state = 'open'
ON CONFLICT(turn_id, part, place) DO UPDATE SET text = excluded.text;
-- :written_of
SELECT part, place, text FROM written WHERE turn_id = $1 ORDER BY part, place;
-- :written_drop
DELETE FROM written WHERE turn_id = $1;
-- :written_erase
DELETE FROM written WHERE turn_id IN (SELECT t.id FROM turns t WHERE t.state = 'open' AND t.conversation_id = $1);
-- :reply_tally
SELECT COUNT(*) FROM messages WHERE reply_to_id = $1 AND role <> 'tool';
-- :message_time
SELECT created_at FROM messages WHERE uid = $1;

-- :waiting_insert
INSERT INTO waiting(uid, conversation_id, client_id, created_at, model, most_tokens, said) VALUES($*);
-- :waiting_list
{waiting_rows}
 WHERE conversation_id = $1 ORDER BY id;
-- :waiting_get
{waiting_rows}
 WHERE conversation_id = $1 AND uid = $2;
-- :waiting_anywhere
{waiting_rows}
 WHERE uid = $1;
-- :waiting_first
{waiting_rows}
 WHERE conversation_id = $1 ORDER BY id LIMIT 1;
-- Ids that were told to somebody and are not taken yet.
-- :uid_promised
SELECT (SELECT COUNT(*) FROM waiting WHERE uid = $1) + (SELECT COUNT(*) FROM turns WHERE state = 'open' AND message_uid = $1);
-- :waiting_uids
SELECT uid FROM waiting WHERE conversation_id = $1 ORDER BY id LIMIT $2;
-- :waiting_count
SELECT COUNT(*) FROM waiting WHERE conversation_id = $1;
-- :waiting_set
UPDATE waiting SET said = $1 WHERE id = $2;
-- :waiting_delete
DELETE FROM waiting WHERE id = $1;

-- What fsck looks for; see check.sql.
-- :check_turn
SELECT t.uid, '' FROM turns t LEFT JOIN deliveries d ON d.id = t.delivery_id WHERE t.state = 'open'
   AND (d.id IS NULL OR d.state <> 'working' OR d.conversation_id <> t.conversation_id OR d.agent_id <> t.agent_id) LIMIT 20;
-- :check_written
SELECT DISTINCT CAST(x.turn_id AS TEXT), '' FROM written x LEFT JOIN turns t ON t.id = x.turn_id
 WHERE t.id IS NULL OR t.state <> 'open' LIMIT 20;
-- :check_delivery
SELECT CAST(d.id AS TEXT), '' FROM deliveries d WHERE (d.state = 'queued' OR d.state = 'working') AND d.state = 'working'
   AND NOT EXISTS(SELECT 1 FROM turns t WHERE t.conversation_id = d.conversation_id AND t.agent_id = d.agent_id AND t.state = 'open'
                     AND t.delivery_id = d.id) LIMIT 20;
-- :check_waiting
SELECT q.uid, '' FROM waiting q JOIN conversations c ON c.id = q.conversation_id JOIN worlds w ON w.id = c.world_id
 WHERE c.removed_at IS NULL AND w.removed_at IS NULL AND NOT EXISTS(SELECT 1 FROM deliveries d WHERE d.conversation_id = q.conversation_id
   AND (d.state = 'queued' OR d.state = 'working') AND d.lane_id IS NULL) LIMIT 20;
