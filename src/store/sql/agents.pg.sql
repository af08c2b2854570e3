-- Agents at work: where PostgreSQL needs other words.

-- --- calls of models: store_call.c ---

-- A transaction that stores a call shares this lock from before it looks for existing pieces until its commit.
-- :limits_hold
WITH whole AS MATERIALIZED (SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended(
  'skein limits ' || pg_catalog.current_setting('search_path'), 0)))
SELECT 1 FROM whole;
-- :pieces_share
WITH share AS MATERIALIZED (SELECT pg_catalog.pg_advisory_xact_lock_shared(pg_catalog.hashtextextended(
  'skein pieces ' || pg_catalog.current_setting('search_path'), 0)))
SELECT 1 FROM share;
-- :pieces_hold
WITH whole AS MATERIALIZED (SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended(
  'skein pieces ' || pg_catalog.current_setting('search_path'), 0)))
SELECT 1 FROM whole;
-- :pieces_known_of_many
SELECT '', COALESCE((SELECT value FROM meta WHERE key = 'erased_at'), 0) UNION ALL
SELECT p.hash, 0 FROM unnest(string_to_array(CAST($1 AS TEXT), ',')) j(value) JOIN pieces p ON p.hash = j.value;
-- :pieces_of_many
SELECT p.hash, p.bytes FROM unnest(string_to_array(CAST($1 AS TEXT), ',')) j(value) JOIN pieces p ON p.hash = j.value;
-- :call_usage_of_many
WITH asked(id, uid, tokens_in, tokens_out, estimated, cached, written, cost) AS MATERIALIZED (SELECT m.id, m.uid, m.tokens_in, m.tokens_out,
    m.tokens_estimated, m.tokens_cached, m.tokens_written, COALESCE(m.cost, -1) FROM unnest(CAST(string_to_array(CAST($1 AS TEXT), ',') AS BIGINT[])) j(value) JOIN messages m ON m.id = j.value)
SELECT id, tokens_in, tokens_out, estimated, cached, written, cost, 0 AS nr FROM asked WHERE tokens_in IS NOT NULL
UNION ALL SELECT a.id, k.tokens_in, k.tokens_out, k.estimated, k.tokens_cached, k.tokens_written, k.cost, k.id FROM asked a JOIN model_calls k ON k.message_uid = a.uid
 WHERE k.world_id = $2 ORDER BY nr;

-- --- copies of erased messages: store_message.c ---
-- :copies_task_of_many
UPDATE tasks SET content = '', result = NULL, last_error = NULL
 WHERE message_id IN (SELECT unnest(CAST(string_to_array(CAST($1 AS TEXT), ',') AS BIGINT[])))
    OR call_message_id IN (SELECT unnest(CAST(string_to_array(CAST($1 AS TEXT), ',') AS BIGINT[])));
-- :copies_pending
SELECT id FROM tasks WHERE status = 'pending'
   AND (message_id IN (SELECT unnest(CAST(string_to_array(CAST($1 AS TEXT), ',') AS BIGINT[])))
     OR call_message_id IN (SELECT unnest(CAST(string_to_array(CAST($1 AS TEXT), ',') AS BIGINT[])))) ORDER BY id;
-- :copy_hold
SELECT c.id FROM messages m JOIN conversations c ON c.id = m.conversation_id WHERE m.id = $1 FOR UPDATE OF c;
-- :copies_of
SELECT DISTINCT m.id, m.conversation_id FROM unnest(CAST(string_to_array(CAST($1 AS TEXT), ',') AS BIGINT[])) j(value)
  JOIN copies c ON c.source_id = j.value JOIN messages m ON m.id = c.message_id ORDER BY m.id;
-- :copies_result_of_many
UPDATE tasks SET result = NULL WHERE id IN (SELECT t.task_id
  FROM unnest(CAST(string_to_array(CAST($1 AS TEXT), ',') AS BIGINT[])) j(value) JOIN messages m ON m.id = j.value
  JOIN turns t ON t.uid = m.turn WHERE t.task_id IS NOT NULL);
-- :copies_inbox_of_many
UPDATE inbox SET title = '', content = '', briefing_text = NULL, args = NULL, answer = CASE WHEN answer IS NULL THEN NULL ELSE '' END
 WHERE message_id IN (SELECT unnest(CAST(string_to_array(CAST($1 AS TEXT), ',') AS BIGINT[])))
    OR work_message_id IN (SELECT unnest(CAST(string_to_array(CAST($1 AS TEXT), ',') AS BIGINT[])));
-- :copies_answer_of_many
UPDATE inbox SET answer = '' WHERE answer IN (SELECT m.content
  FROM unnest(CAST(string_to_array(CAST($1 AS TEXT), ',') AS BIGINT[])) j(value) JOIN messages m ON m.id = j.value WHERE m.content <> '');
-- :copies_knowledge_of_many
UPDATE knowledge SET content = '', content_hash = uid, forgotten_at = COALESCE(forgotten_at, created_at)
 WHERE message_id IN (SELECT unnest(CAST(string_to_array(CAST($1 AS TEXT), ',') AS BIGINT[])));
-- :copies_title_of_many
UPDATE lanes SET title = NULL WHERE title IS NOT NULL
   AND spawn_message_id IN (SELECT unnest(CAST(string_to_array(CAST($1 AS TEXT), ',') AS BIGINT[])));
-- :call_costs
SELECT CASE CAST($1 AS TEXT) WHEN 'world' THEN w.name WHEN 'agent' THEN a.name WHEN 'chat' THEN c.uid WHEN 'message' THEN k.message_uid
  WHEN 'turn' THEN t.uid WHEN 'model' THEN k.model WHEN 'purpose' THEN k.purpose WHEN 'day' THEN to_char(to_timestamp(k.created_at / 1000000) AT TIME ZONE 'UTC', 'YYYY-MM-DD')
  WHEN 'month' THEN to_char(to_timestamp(k.created_at / 1000000) AT TIME ZONE 'UTC', 'YYYY-MM') END,
  COUNT(*), CAST(SUM(CASE WHEN k.tokens_in > 0 THEN k.tokens_in ELSE 0 END) AS BIGINT), CAST(SUM(k.tokens_cached) AS BIGINT),
  CAST(SUM(k.tokens_written) AS BIGINT), CAST(SUM(CASE WHEN k.tokens_out > 0 THEN k.tokens_out ELSE 0 END) AS BIGINT),
  CAST(SUM(CASE WHEN k.cost > 0 THEN k.cost ELSE 0 END) AS BIGINT), CAST(SUM(CASE WHEN k.cost < 0 THEN 1 ELSE 0 END) AS BIGINT)
  FROM model_calls k JOIN worlds w ON w.id = k.world_id LEFT JOIN agents a ON a.id = k.agent_id
  LEFT JOIN conversations c ON c.id = k.conversation_id LEFT JOIN turns t ON t.id = k.turn_id
 WHERE k.world_id = $2 AND k.created_at >= $3 AND (CAST($4 AS BIGINT) = 0 OR k.conversation_id = $4)
 GROUP BY 1 ORDER BY 7 DESC, 1 LIMIT 10000;
