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
-- :copy_hold
SELECT c.id FROM messages m JOIN conversations c ON c.id = m.conversation_id WHERE m.id = $1 FOR UPDATE OF c;
