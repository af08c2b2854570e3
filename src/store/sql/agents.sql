-- Delegations, tasks, inbox, knowledge, expected answers, calls of models: one section for each.

-- --- Parts: they come before all statements ---
-- =task_rows
SELECT k.id, k.uid, k.world_id, k.agent_id, a.name, b.name, k.source, k.content, k.result, k.last_error, k.status, k.attempts,
  k.not_before, k.created_at, k.completed_at, m.uid,
  (SELECT COUNT(*) FROM turns t WHERE t.state = 'open' AND t.task_id = k.id),
  (SELECT COUNT(*) FROM turns t WHERE t.state = 'open' AND t.task_id = k.id AND t.waits = 1),
  COALESCE((SELECT i.uid FROM turns t JOIN inbox i ON i.turn_id = t.id WHERE t.state = 'open' AND t.task_id = k.id AND
    i.kind = 'approval' AND i.answer IS NULL AND i.removed_at IS NULL ORDER BY i.id DESC LIMIT 1), xi.uid),
  CASE WHEN x.id IS NOT NULL THEN COALESCE(xa.name, 'human') END, SUBSTR(COALESCE(xi.content, xm.content), 1, 16384),
  k.assigned_by_id, k.message_id, k.hops_left, k.cause,
  (SELECT MAX(y.answer_message_id) FROM expected y WHERE y.task_id = k.id), k.call_message_id
  FROM tasks k JOIN agents a ON a.id = k.agent_id LEFT JOIN agents b ON b.id = k.assigned_by_id LEFT JOIN messages m ON m.id = k.message_id
  LEFT JOIN expected x ON k.status = 'pending' AND x.id = (SELECT MIN(y.id) FROM expected y WHERE y.task_id = k.id AND y.state = 'open')
  LEFT JOIN agents xa ON xa.id = x.asked_id LEFT JOIN messages xm ON xm.id = x.message_id AND x.asked_id <> 0
  LEFT JOIN inbox xi ON xi.id = (SELECT MIN(i.id) FROM inbox i WHERE i.task_id = k.id AND i.work_message_id = x.message_id AND
    x.asked_id = 0 AND i.kind = 'question' AND i.answer IS NULL AND i.done_at IS NULL AND i.removed_at IS NULL)
-- An agent is free for a task when it has nothing to do in its background, delegations apart.
-- =task_places
FROM tasks k JOIN agents a ON a.id = k.agent_id JOIN worlds w ON w.id = k.world_id
  LEFT JOIN conversations c ON c.agent_id = k.agent_id AND c.mode = 'background' AND c.removed_at IS NULL
-- =task_free
a.removed_at IS NULL AND a.paused_at IS NULL AND w.removed_at IS NULL AND NOT EXISTS(SELECT 1 FROM deliveries d
   WHERE d.conversation_id = c.id AND (d.state = 'queued' OR d.state = 'working') AND d.agent_id = k.agent_id AND d.lane_id IS NULL)
-- Some answer is still to come.
-- =task_asks
EXISTS(SELECT 1 FROM expected x WHERE x.task_id = q.id AND x.state = 'open')
-- =inbox_rows
SELECT i.id, i.uid, i.kind, i.world_id, w.name, a.name, i.title, i.content, c.uid, m.uid, wc.uid, wm.uid, i.briefing_uid, i.tool,
  i.args, i.answer, i.read_at, i.done_at, i.snoozed_until, i.created_at, i.agent_id, i.conversation_id, i.work_message_id, i.turn_id,
  t.state, a.removed_at, i.removed_at, m.id,
  CASE WHEN i.kind = 'approval' AND i.answer IS NOT NULL THEN (SELECT SUBSTR(r.content, 1, 300) FROM messages r
    WHERE r.reply_to_id = i.work_message_id AND r.role = 'tool' AND r.tool_call_id = i.call_id ORDER BY r.id LIMIT 1) END,
  CASE WHEN i.turn_id IS NOT NULL THEN i.call_id END, (SELECT k.uid FROM tasks k WHERE k.id = i.task_id), i.begun_at, i.reason,
  i.definition_id, i.definition_state, d.hash,
  CASE WHEN i.definition_state IS NOT NULL AND i.answer IS NULL AND LENGTH(d.definition) <= 2000 THEN d.definition END
  FROM inbox i JOIN worlds w ON w.id = i.world_id LEFT JOIN agents a ON a.id = i.agent_id LEFT JOIN messages m ON m.id = i.message_id
  LEFT JOIN conversations c ON c.id = COALESCE(m.conversation_id, i.conversation_id)
  LEFT JOIN messages wm ON wm.id = i.work_message_id LEFT JOIN conversations wc ON wc.id = wm.conversation_id
  LEFT JOIN turns t ON t.id = i.turn_id LEFT JOIN definitions d ON d.id = i.definition_id
-- =inbox_needs
CASE WHEN i.done_at IS NULL AND (i.kind = 'question' OR i.kind = 'approval' OR i.kind = 'failure') THEN 1 ELSE 0 END
-- =knowledge_rows
SELECT k.uid, k.type, k.content, k.confidence, c.uid, m.uid, k.created_at, k.id FROM knowledge k
  LEFT JOIN conversations c ON c.id = k.conversation_id LEFT JOIN messages m ON m.id = k.message_id
-- =call_rows
SELECT k.uid, k.world_id, k.conversation_id, c.uid, k.agent_id, a.name, k.turn_id, k.message_uid, k.purpose, k.model, k.state, k.error,
  k.tokens_in, k.tokens_out, k.estimated, k.first_ms, k.total_ms, k.tries, k.created_at, k.tokens_cached, k.tokens_written, k.cost
-- =call_from
FROM model_calls k LEFT JOIN conversations c ON c.id = k.conversation_id LEFT JOIN agents a ON a.id = k.agent_id

-- --- lanes and expected answers ---

-- =delegation_rows
SELECT l.id, l.conversation_id, l.key, l.agent_id, a.name, a.removed_at, l.parent_id, p.key, l.ordinal, l.spawn_message_id, m.uid,
  l.spawn_call_id, l.state, l.parent_agent_id, b.name, b.removed_at, l.parent_turn_id, l.waited, l.told, l.title, l.created_at
  FROM lanes l JOIN lanes p ON p.id = l.parent_id LEFT JOIN agents a ON a.id = l.agent_id
  LEFT JOIN agents b ON b.id = l.parent_agent_id LEFT JOIN messages m ON m.id = l.spawn_message_id
-- =expected_rows
SELECT x.state, x.created_at, a.name, b.name, m.uid, r.uid, x.id, x.world_id, x.asker_id, x.asked_id, x.message_id, x.task_id
  FROM expected x LEFT JOIN agents a ON a.id = x.asker_id LEFT JOIN agents b ON b.id = x.asked_id
  JOIN messages m ON m.id = x.message_id LEFT JOIN messages r ON r.id = x.answer_message_id

-- :delegation_get
{delegation_rows} WHERE l.id = $1;
-- :delegation_by_key
{delegation_rows} WHERE l.conversation_id = $1 AND l.key = $2;
-- :delegation_rows_of
{delegation_rows} WHERE l.conversation_id = $1 ORDER BY l.id;
-- Those that a turn waits for.
-- :delegation_waited
{delegation_rows} WHERE l.parent_turn_id = $1 AND l.waited = 1 AND l.state = 'running' ORDER BY l.id;
-- Was one made for this call of a message?
-- :delegation_of_call
SELECT COUNT(*) FROM lanes l WHERE l.spawn_message_id = $1 AND l.spawn_call_id = $2 AND l.conversation_id = $3;
-- :delegation_ask
UPDATE lanes SET parent_agent_id = $1, parent_turn_id = $2, waited = $3, title = $4 WHERE id = $5;
-- :delegation_move
UPDATE lanes SET state = $1, waited = $2, told = $3 WHERE id = $4;
-- A delegation runs as long as there is work on its lane.
-- :delegation_running
SELECT COUNT(DISTINCT d.lane_id) FROM deliveries d
 WHERE d.conversation_id = $1 AND (d.state = 'queued' OR d.state = 'working') AND d.lane_id IS NOT NULL;
-- Has a call of this message its result?
-- :call_results
SELECT COUNT(*) FROM messages WHERE reply_to_id = $1 AND role = 'tool' AND tool_call_id = $2;
-- :call_last_result
SELECT MAX(id) FROM messages WHERE reply_to_id = $1 AND role = 'tool';

-- :expected_insert
INSERT INTO expected(world_id, asker_id, asked_id, message_id, answer_message_id, state, created_at, closed_at, task_id)
VALUES($1, $2, $3, $4, $5, $6, $7, $8, $9);
-- What was asked of an agent with this message.
-- :expected_of
{expected_rows} WHERE x.message_id = $1 AND x.asked_id = $2 AND x.state <> 'surplus' ORDER BY x.id LIMIT 1;
-- :expected_first
{expected_rows} WHERE x.asked_id = $1 AND x.asker_id = $2 AND x.state = 'open' ORDER BY x.id LIMIT 1;
-- What people were asked with this message, for a task: more than their inbox still asks.
-- :expected_of_people
{expected_rows} WHERE x.message_id = $1 AND x.asked_id = 0 AND x.state = 'open' AND (SELECT COUNT(*) FROM expected y
   WHERE y.message_id = x.message_id AND y.asked_id = 0 AND y.state = 'open') > (SELECT COUNT(*) FROM inbox i
   WHERE i.work_message_id = x.message_id AND i.kind = 'question' AND i.answer IS NULL AND i.done_at IS NULL AND i.removed_at IS NULL)
 ORDER BY x.id LIMIT 1;
-- What an agent owes to tasks.
-- :expected_owed
{expected_rows} WHERE x.asked_id = $1 AND x.state = 'open' AND x.task_id IS NOT NULL ORDER BY x.id;
-- :expected_close
UPDATE expected SET state = $1, answer_message_id = $2, closed_at = $3 WHERE id = $4;
-- :expected_withdraw
UPDATE expected SET state = 'undeliverable', closed_at = $1 WHERE state = 'open' AND task_id = $2;
-- :expected_leave
UPDATE expected SET task_id = NULL WHERE task_id = $1;
-- :expected_drop
UPDATE expected SET state = 'undeliverable', closed_at = $1 WHERE state = 'open' AND (asked_id = $2 OR asker_id = $2);
-- What people were asked is in the inbox.
-- :expected_rows
{expected_rows} WHERE x.world_id = $1 AND x.asked_id <> 0 AND (CAST($2 AS BIGINT) = 0 OR x.asked_id = $2 OR x.asker_id = $2)
 ORDER BY x.id DESC LIMIT 1000;

-- --- tasks, inbox, knowledge ---

-- :task_insert
INSERT INTO tasks(uid, world_id, agent_id, assigned_by_id, source, content, message_id, cause, hops_left, created_at, call_message_id)
VALUES($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING id;
-- :task_get
{task_rows} WHERE k.id = $1;
-- :task_by_uid
{task_rows} WHERE k.world_id = $1 AND k.uid = $2;
-- :task_list
{task_rows} WHERE k.agent_id = $1 AND (CAST($2 AS TEXT) IS NULL OR k.status = $2) ORDER BY k.id DESC LIMIT $3;
-- A back-off that ends later than any can was begun by a clock that has been set back since.
-- :task_due
SELECT 0, k.id, COALESCE(c.id, 0), k.agent_id, a.model, 0 {task_places}
 WHERE k.id IN (SELECT MIN(q.id) FROM tasks q WHERE q.status = 'pending' AND (q.not_before <= $1 OR q.not_before > $2)
                  AND NOT {task_asks} GROUP BY q.agent_id) AND {task_free}
 ORDER BY k.id LIMIT $3;
-- :task_is_due
SELECT COUNT(*) {task_places}
 WHERE k.id = $1 AND k.status = 'pending' AND (k.not_before <= $2 OR k.not_before > $3) AND {task_free}
   AND NOT EXISTS(SELECT 1 FROM tasks q WHERE q.id = k.id AND {task_asks});
-- :task_close
UPDATE tasks SET status = $1, result = $2, completed_at = $3 WHERE id = $4 AND status = 'pending';
-- :task_reported
UPDATE tasks SET result = $1 WHERE id = $2 AND status = 'pending';
-- :task_put_off
UPDATE tasks SET attempts = attempts + 1, last_error = $1, not_before = $2 WHERE id = $3 AND status = 'pending';
-- Restarted, whether it waits for its next try or was cancelled; not while a turn is at it.
-- :task_again
UPDATE tasks SET status = 'pending', attempts = 0, not_before = 0, completed_at = NULL WHERE id = $1 AND status <> 'completed'
   AND content <> '' AND NOT EXISTS(SELECT 1 FROM turns t WHERE t.state = 'open' AND t.task_id = tasks.id);
-- :tasks_cancelled
{task_rows} WHERE k.agent_id = $1 AND k.status = 'cancelled' AND k.completed_at >= $2 ORDER BY k.id;
-- :task_hops
UPDATE tasks SET hops_left = $1 WHERE id = $2;
-- :task_said
UPDATE tasks SET message_id = $1 WHERE id = $2;
-- :task_pending
SELECT COUNT(*) FROM tasks WHERE agent_id = $1 AND status = 'pending';
-- Those of one source; $3: only those that nobody has begun with.
-- :task_of_source
SELECT k.id FROM tasks k WHERE k.agent_id = $1 AND k.status = 'pending' AND k.source = $2 AND (CAST($3 AS BIGINT) = 0 OR
   (k.attempts = 0 AND NOT EXISTS(SELECT 1 FROM turns t WHERE t.state = 'open' AND t.task_id = k.id))) ORDER BY k.id LIMIT 1;
-- With the answers with which such a task continues.
-- :task_unfinished
SELECT k.message_id FROM tasks k WHERE k.agent_id = $1 AND k.message_id >= $2 AND k.id <> $3
   AND (k.status = 'pending' OR (k.status = 'cancelled' AND k.source IN ('user', 'self', 'system')))
UNION SELECT y.answer_message_id FROM tasks k JOIN expected y ON y.task_id = k.id
 WHERE k.agent_id = $1 AND y.answer_message_id >= $2 AND k.id <> $3 AND k.status = 'pending' ORDER BY 1;
-- :task_hurry
UPDATE tasks SET not_before = 0 WHERE agent_id = $1 AND status = 'pending' AND not_before > 0;
-- :task_drop
UPDATE tasks SET status = 'cancelled', completed_at = $1 WHERE agent_id = $2 AND status = 'pending';
-- :task_next
SELECT MIN(k.not_before) FROM tasks k JOIN agents a ON a.id = k.agent_id
 WHERE k.status = 'pending' AND k.not_before > $1 AND a.removed_at IS NULL AND a.paused_at IS NULL;

-- Timers of agents, and who begins nothing.
-- :timer_due
SELECT a.id, a.run_every, a.next_run_at FROM agents a JOIN worlds w ON w.id = a.world_id WHERE a.run_every > 0
   AND (a.next_run_at <= $1 OR a.next_run_at > $2 + a.run_every * 1000) AND a.removed_at IS NULL AND a.paused_at IS NULL
   AND w.removed_at IS NULL ORDER BY a.id;
-- :timer_next
SELECT MIN(a.next_run_at) FROM agents a JOIN worlds w ON w.id = a.world_id WHERE a.run_every > 0 AND a.removed_at IS NULL
   AND a.paused_at IS NULL AND w.removed_at IS NULL;
-- :timer_move
UPDATE agents SET next_run_at = $1 WHERE id = $2 AND next_run_at = $3;
-- :timer_set
UPDATE agents SET run_every = $1, next_run_at = $2 WHERE id = $3 AND removed_at IS NULL;
-- :agent_paused
UPDATE agents SET paused_at = $1 WHERE id = $2 AND removed_at IS NULL;
-- The last turn that was closed says whether the agent failed; one that was interrupted did, too.
-- :agent_work
SELECT a.paused_at, a.run_every, a.next_run_at, (SELECT COUNT(*) FROM tasks q WHERE q.agent_id = a.id AND q.status = 'pending'
    AND NOT {task_asks}), (SELECT MAX(k.completed_at) FROM tasks k WHERE k.agent_id = a.id AND k.status = 'completed'), t.state, t.error, t.closed_at,
  (SELECT c.uid FROM conversations c WHERE c.id = t.conversation_id),
  (SELECT COUNT(*) FROM waiting q WHERE EXISTS(SELECT 1 FROM deliveries d WHERE d.conversation_id = q.conversation_id AND d.agent_id = a.id
    AND (d.state = 'queued' OR d.state = 'working')))
  FROM agents a LEFT JOIN turns t ON t.id = (SELECT l.id FROM turns l WHERE l.agent_id = a.id AND l.closed_at IS NOT NULL
    ORDER BY l.agent_id DESC, l.closed_at DESC, l.id DESC LIMIT 1) WHERE a.id = $1;

-- :inbox_insert
INSERT INTO inbox(uid, world_id, agent_id, conversation_id, kind, title, content, briefing_uid, briefing_text, message_id,
  work_message_id, task_id, turn_id, call_id, tool, args, created_at, attempt_id, definition_id, definition_state)
VALUES($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20) RETURNING id;
-- :inbox_by_id
{inbox_rows} WHERE i.id = $1;
-- :inbox_by_uid
{inbox_rows} WHERE i.uid = $1;
-- :inbox_is_briefing
SELECT COUNT(*) FROM inbox WHERE message_id = $1 AND kind = 'briefing';
-- :inbox_by_briefing
{inbox_rows} WHERE i.briefing_uid = $1;
-- What is too long for lists.
-- :inbox_long_texts
SELECT i.briefing_text, CASE WHEN i.definition_state IS NOT NULL THEN d.definition END
  FROM inbox i LEFT JOIN definitions d ON d.id = i.definition_id WHERE i.id = $1;
-- Done: 0 neither done nor snoozed, 1 done, 2 snoozed, -1 all.
-- :inbox_rows_in
{inbox_rows}
 WHERE i.id < $1 AND {inbox_needs} = CAST($2 AS BIGINT) AND (CAST($3 AS BIGINT) = 0 OR i.world_id = $3)
   AND (CAST($4 AS TEXT) IS NULL OR i.kind = $4) AND (CAST($5 AS BIGINT) = 0 OR i.read_at IS NULL)
   AND (CAST($6 AS BIGINT) = -1 OR (CAST($6 AS BIGINT) = 1 AND i.done_at IS NOT NULL)
        OR (CAST($6 AS BIGINT) = 0 AND i.done_at IS NULL AND COALESCE(i.snoozed_until, 0) <= $7)
        OR (CAST($6 AS BIGINT) = 2 AND i.done_at IS NULL AND COALESCE(i.snoozed_until, 0) > $7))
   AND i.removed_at IS NULL AND w.removed_at IS NULL ORDER BY i.id DESC LIMIT $8;
-- :inbox_unread
SELECT COUNT(*) FROM inbox i JOIN worlds w ON w.id = i.world_id WHERE i.read_at IS NULL AND i.removed_at IS NULL
   AND i.done_at IS NULL AND COALESCE(i.snoozed_until, 0) <= $1 AND w.removed_at IS NULL
   AND (CAST($2 AS BIGINT) = 0 OR i.world_id = $2);
-- :inbox_needs_you
SELECT COUNT(*) FROM inbox i JOIN worlds w ON w.id = i.world_id WHERE i.done_at IS NULL AND i.removed_at IS NULL
   AND (i.kind = 'question' OR i.kind = 'approval' OR i.kind = 'failure') AND COALESCE(i.snoozed_until, 0) <= $1
   AND w.removed_at IS NULL AND (CAST($2 AS BIGINT) = 0 OR i.world_id = $2);
-- :inbox_put
UPDATE inbox SET read_at = $1, done_at = $2, snoozed_until = $3, removed_at = $4 WHERE id = $5;
-- :inbox_hold
UPDATE inbox SET id = id WHERE id = $1;
-- :inbox_answered
UPDATE inbox SET answer = $1, read_at = COALESCE(read_at, $2), done_at = $3, reason = $4
 WHERE id = $5 AND answer IS NULL AND removed_at IS NULL;
-- What people of a world are asked about calls of tools.
-- :inbox_asked_in
{inbox_rows} WHERE i.world_id = $1 AND i.kind = 'approval' AND i.answer IS NULL AND i.removed_at IS NULL AND t.state = 'open'
 ORDER BY i.conversation_id, i.id;
-- :inbox_limit_over
UPDATE inbox SET read_at = COALESCE(read_at, $1), done_at = $2, reason = $3 WHERE world_id = $4 AND kind = 'failure' AND turn_id IS NULL
   AND substr(call_id || ' ', 1, length(CAST($5 AS TEXT)) + 1) = $5 || ' ' AND done_at IS NULL AND removed_at IS NULL;
-- :tasks_hurry
UPDATE tasks SET not_before = $1 WHERE world_id = $2 AND status = 'pending' AND not_before > $3;
-- :inbox_begun
UPDATE inbox SET begun_at = $1 WHERE id = $2 AND begun_at IS NULL;
-- :inbox_worlds
SELECT DISTINCT world_id FROM inbox WHERE read_at IS NULL AND removed_at IS NULL ORDER BY world_id;
-- :inbox_read_all
UPDATE inbox SET read_at = $1 WHERE read_at IS NULL AND removed_at IS NULL AND world_id = $2
   AND (CAST($3 AS TEXT) IS NULL OR kind = $3);
-- :inbox_approval
{inbox_rows} WHERE i.turn_id = $1 AND i.call_id = $2 AND i.work_message_id = $3 AND i.kind = 'approval';
-- What was asked about a limit; also when it was removed, for it is answered then. In a world that is gone nobody can.
-- :inbox_limit
{inbox_rows} WHERE i.call_id = $1 AND i.kind = 'approval' AND i.turn_id IS NULL AND (i.answer IS NOT NULL OR w.removed_at IS NULL)
 ORDER BY i.id DESC LIMIT 1;
-- :inbox_limits_told
{inbox_rows} WHERE substr(i.call_id, 1, length(CAST($1 AS TEXT))) = $1 AND i.call_id <> COALESCE(CAST($2 AS TEXT), '')
   AND i.call_id <> COALESCE(CAST($3 AS TEXT), '') AND (i.kind = 'approval' OR i.kind = 'failure') AND i.turn_id IS NULL
   AND i.answer IS NULL AND i.done_at IS NULL AND i.removed_at IS NULL AND w.removed_at IS NULL ORDER BY i.id;
-- :inbox_is_told
SELECT COUNT(*) FROM inbox WHERE world_id = $1 AND kind = 'failure' AND turn_id IS NULL AND call_id = $2 AND done_at IS NULL
   AND removed_at IS NULL;
-- Only PostgreSQL has several writers at a time.
-- :limits_hold
SELECT 1;
-- The one with the same text first, else the oldest. A turn that came to its end was no attempt: the task went on from there.
-- :inbox_earlier
SELECT i.id, i.uid, CASE WHEN COALESCE(i.briefing_text, i.content) = $1 THEN 1 ELSE 0 END FROM inbox i
 WHERE i.task_id = $2 AND i.agent_id = $3 AND i.kind = $4 AND i.title = $5 AND COALESCE(i.attempt_id, 0) <> $6
   AND NOT EXISTS(SELECT 1 FROM turns t WHERE t.id = i.attempt_id AND t.state = 'committed') ORDER BY 3 DESC, i.id LIMIT 1;
-- Has the task told people something?
-- :inbox_briefed
SELECT COUNT(*) FROM inbox WHERE task_id = $1 AND kind = 'briefing';
-- Nobody waits for the answers any more.
-- :inbox_withdraw
UPDATE inbox SET done_at = $1, reason = $2 WHERE task_id = $3 AND kind = 'question' AND answer IS NULL AND done_at IS NULL
   AND removed_at IS NULL;
-- :inbox_repeat
UPDATE inbox SET attempt_id = $1 WHERE id = $2;
-- What a turn asks now: one call after the other.
-- :inbox_asked
{inbox_rows} WHERE i.turn_id = $1 AND i.kind = 'approval' ORDER BY i.id DESC LIMIT 1;
-- :inbox_expire
UPDATE inbox SET answer = 'expired', done_at = $1 WHERE turn_id = $2 AND kind = 'approval' AND answer IS NULL;
-- :inbox_drop
UPDATE inbox SET removed_at = $1 WHERE agent_id = $2 AND removed_at IS NULL;

-- How tools of servers define themselves.
-- :definition_find
SELECT id FROM definitions WHERE world_id = $1 AND server = $2 AND tool = $3 AND hash = $4;
-- :definition_insert
INSERT INTO definitions(world_id, server, tool, hash, definition, created_at) VALUES($1, $2, $3, $4, $5, $6) RETURNING id;
-- :definition_allowed
SELECT hash FROM definitions WHERE world_id = $1 AND server = $2 AND tool = $3 AND allowed_at IS NOT NULL;
-- Of each tool one definition is allowed.
-- :definition_outdate
UPDATE definitions SET allowed_at = NULL WHERE allowed_at IS NOT NULL AND EXISTS (SELECT 1 FROM definitions n WHERE n.id = $1
   AND n.world_id = definitions.world_id AND n.server = definitions.server AND n.tool = definitions.tool);
-- :definition_allow
UPDATE definitions SET allowed_at = $1 WHERE id = $2;

-- :knowledge_insert
INSERT INTO knowledge(uid, agent_id, type, content, content_hash, confidence, conversation_id, message_id, created_at)
VALUES($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING RETURNING id;
-- :knowledge_by_hash
{knowledge_rows} WHERE k.agent_id = $1 AND k.content_hash = $2 AND k.forgotten_at IS NULL;
-- :knowledge_list
{knowledge_rows} WHERE k.agent_id = $1 AND k.forgotten_at IS NULL ORDER BY k.id DESC;
-- :knowledge_count
SELECT COUNT(*) FROM knowledge WHERE agent_id = $1 AND forgotten_at IS NULL;
-- :knowledge_forget
UPDATE knowledge SET forgotten_at = $1 WHERE agent_id = $2 AND uid = $3 AND forgotten_at IS NULL;
-- :knowledge_mark
SELECT knowledge_upto FROM lanes WHERE id = $1;
-- :knowledge_mark_move
UPDATE lanes SET knowledge_upto = $1 WHERE id = $2 AND knowledge_upto = $3;

-- --- calls of models: store_call.c ---
-- Only PostgreSQL has several writers at a time.
-- :pieces_share
SELECT 1;
-- :pieces_hold
SELECT 1;
-- First when text was erased, then what is there.
-- :pieces_known_of_many
SELECT '', COALESCE((SELECT value FROM meta WHERE key = 'erased_at'), 0) UNION ALL
SELECT p.hash, 0 FROM json_each('["' || replace($1, ',', '","') || '"]') j CROSS JOIN pieces p ON p.hash = j.value;
-- :pieces_of_many
SELECT p.hash, p.bytes FROM json_each('["' || replace($1, ',', '","') || '"]') j CROSS JOIN pieces p ON p.hash = j.value;
-- :piece_insert
INSERT INTO pieces(hash, bytes) VALUES($1, $2) ON CONFLICT DO NOTHING;
-- :piece_remove
DELETE FROM pieces WHERE hash = $1;
-- :pieces_erased
INSERT INTO meta(key, value) VALUES('erased_at', $1)
  ON CONFLICT(key) DO UPDATE SET value = excluded.value WHERE meta.value < excluded.value;

-- :call_insert
INSERT INTO model_calls(uid, world_id, conversation_id, agent_id, turn_id, message_uid, purpose, model, request, response, state, error,
  tokens_in, tokens_out, estimated, first_ms, total_ms, tries, created_at, made_of, tokens_cached, tokens_written, cost)
VALUES($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23);
-- :call_by_uid
{call_rows}, k.request, k.response, k.made_of {call_from} WHERE k.uid = $1 AND k.world_id = $2;
-- :call_by_message
{call_rows}, k.request, k.response, k.made_of {call_from} WHERE k.message_uid = $1 AND k.world_id = $2 ORDER BY k.id DESC LIMIT 1;
-- The last call of a turn that failed to answer a message.
-- :call_in_vain
{call_rows}, k.request, k.response, k.made_of FROM messages m JOIN turns t ON t.trigger_message_id = m.id AND t.state = 'failed'
  JOIN model_calls k ON k.turn_id = t.id LEFT JOIN conversations c ON c.id = k.conversation_id LEFT JOIN agents a ON a.id = k.agent_id
 WHERE m.uid = $1 AND k.world_id = $2 ORDER BY k.id DESC LIMIT 1;
-- :call_list_message
{call_rows} {call_from} WHERE k.world_id = $1 AND k.message_uid = $2 AND ($3 = 0 OR k.agent_id = $3) ORDER BY k.id LIMIT $4;
-- :call_list_agent
{call_rows} {call_from} WHERE k.world_id = $1 AND k.agent_id = $2 ORDER BY k.id DESC LIMIT $3;
-- :call_list_world
{call_rows} {call_from} WHERE k.world_id = $1 ORDER BY k.created_at DESC, k.id DESC LIMIT $2;
-- What was not measured counts as nothing.
-- :call_tokens
SELECT CAST(COALESCE(SUM(CASE WHEN tokens_in > 0 THEN tokens_in ELSE 0 END + CASE WHEN tokens_out > 0 THEN tokens_out ELSE 0 END), 0)
  AS BIGINT) FROM model_calls WHERE world_id = $1 AND created_at >= $2;
-- :call_costs
SELECT CASE CAST($1 AS TEXT) WHEN 'world' THEN w.name WHEN 'agent' THEN a.name WHEN 'chat' THEN c.uid WHEN 'message' THEN k.message_uid
  WHEN 'turn' THEN t.uid WHEN 'model' THEN k.model WHEN 'purpose' THEN k.purpose WHEN 'day' THEN {day}
  WHEN 'month' THEN {month} END,
  COUNT(*), CAST(SUM(CASE WHEN k.tokens_in > 0 THEN k.tokens_in ELSE 0 END) AS BIGINT), CAST(SUM(k.tokens_cached) AS BIGINT),
  CAST(SUM(k.tokens_written) AS BIGINT), CAST(SUM(CASE WHEN k.tokens_out > 0 THEN k.tokens_out ELSE 0 END) AS BIGINT),
  CAST(SUM(CASE WHEN k.cost > 0 THEN k.cost ELSE 0 END) AS BIGINT), CAST(SUM(CASE WHEN k.cost < 0 THEN 1 ELSE 0 END) AS BIGINT)
  FROM model_calls k JOIN worlds w ON w.id = k.world_id LEFT JOIN agents a ON a.id = k.agent_id
  LEFT JOIN conversations c ON c.id = k.conversation_id LEFT JOIN turns t ON t.id = k.turn_id
 WHERE k.world_id = $2 AND k.created_at >= $3 AND (CAST($4 AS BIGINT) = 0 OR k.conversation_id = $4)
 GROUP BY 1 ORDER BY 7 DESC, 1 LIMIT 10000;
-- :call_cost
SELECT CAST(COALESCE(SUM(CASE WHEN cost > 0 THEN cost ELSE 0 END), 0) AS BIGINT) FROM model_calls WHERE world_id = $1 AND created_at >= $2;
-- :call_spending
SELECT model, CAST(SUM(CASE WHEN cost > 0 THEN cost ELSE 0 END) AS BIGINT), CAST(SUM(CASE WHEN cost > 0 AND created_at >= $1 THEN cost
  ELSE 0 END) AS BIGINT), CAST(SUM(CASE WHEN cost < 0 THEN 1 ELSE 0 END) AS BIGINT) FROM model_calls WHERE created_at >= $2
  GROUP BY model;
-- The last of a message comes last; what came with an archive counts where there is no call.
-- :call_usage_of_many
SELECT m.id, m.tokens_in, m.tokens_out, m.tokens_estimated, m.tokens_cached, m.tokens_written, COALESCE(m.cost, -1), 0 AS nr FROM json_each('[' || $1 || ']') j CROSS JOIN messages m
  ON m.id = j.value WHERE m.tokens_in IS NOT NULL
UNION ALL SELECT m.id, k.tokens_in, k.tokens_out, k.estimated, k.tokens_cached, k.tokens_written, k.cost, k.id FROM json_each('[' || $1 || ']') j CROSS JOIN messages m
  ON m.id = j.value CROSS JOIN model_calls k ON k.message_uid = m.uid WHERE k.world_id = $2 ORDER BY nr;
-- A call that belongs to no conversation may hold the text of any.
-- :call_erase
UPDATE model_calls SET request = $1, response = NULL, error = NULL, made_of = NULL WHERE conversation_id = $2 OR (conversation_id IS NULL
   AND world_id = (SELECT c.world_id FROM conversations c WHERE c.id = $2));
-- :call_pieces
SELECT id, uid, request, response FROM model_calls WHERE id > $1 ORDER BY id LIMIT $2;
-- :call_pieces_of
SELECT id, uid, request, response FROM model_calls WHERE id > $1 AND (conversation_id = $2 OR (conversation_id IS NULL
   AND world_id = (SELECT c.world_id FROM conversations c WHERE c.id = $2))) ORDER BY id LIMIT $3;

-- --- copies of erased messages: store_message.c ---
-- :copies_task_of_many
UPDATE tasks SET content = '', result = NULL, last_error = NULL WHERE message_id IN (SELECT j.value FROM {ids})
    OR call_message_id IN (SELECT j.value FROM {ids});
-- :copies_pending
SELECT id FROM tasks WHERE status = 'pending' AND (message_id IN (SELECT j.value FROM {ids})
    OR call_message_id IN (SELECT j.value FROM {ids})) ORDER BY id;
-- :copy_hold
SELECT c.id FROM messages m JOIN conversations c ON c.id = m.conversation_id WHERE m.id = $1;
-- Nothing can be repeated of what was erased before.
-- :copy_insert
INSERT INTO copies(message_id, source_id) SELECT CAST($1 AS BIGINT), s.id FROM messages s WHERE s.id = $2 AND s.purged_at IS NULL;
-- :copies_of
SELECT DISTINCT m.id, m.conversation_id FROM {ids} {join} copies c ON c.source_id = j.value
  JOIN messages m ON m.id = c.message_id ORDER BY m.id;
-- What a task came to is what its turn said.
-- :copies_result_of_many
UPDATE tasks SET result = NULL WHERE id IN (SELECT t.task_id FROM {ids} {join} messages m ON m.id = j.value
   JOIN turns t ON t.uid = m.turn WHERE t.task_id IS NOT NULL);
-- :copies_inbox_of_many
UPDATE inbox SET title = '', content = '', briefing_text = NULL, args = NULL, answer = CASE WHEN answer IS NULL THEN NULL ELSE '' END
 WHERE message_id IN (SELECT j.value FROM {ids}) OR work_message_id IN (SELECT j.value FROM {ids});
-- :copies_answer_of_many
UPDATE inbox SET answer = '' WHERE answer IN (SELECT m.content FROM {ids} {join} messages m ON m.id = j.value
   WHERE m.content <> '');
-- :copies_knowledge_of_many
UPDATE knowledge SET content = '', content_hash = uid, forgotten_at = COALESCE(forgotten_at, created_at)
 WHERE message_id IN (SELECT j.value FROM {ids});
-- :copies_title_of_many
UPDATE lanes SET title = NULL WHERE title IS NOT NULL AND spawn_message_id IN (SELECT j.value FROM {ids});
