-- Where PostgreSQL needs other words.

-- =ids
unnest(CAST(string_to_array(CAST($1 AS TEXT), ',') AS BIGINT[])) j(value)
-- =join
JOIN
-- =day
to_char(to_timestamp(k.created_at / 1000000) AT TIME ZONE 'UTC', 'YYYY-MM-DD')
-- =month
to_char(to_timestamp(k.created_at / 1000000) AT TIME ZONE 'UTC', 'YYYY-MM')
-- :conversation_lock
{conversation_rows} JOIN worlds w ON w.id = c.world_id
 WHERE c.id = $1 AND c.removed_at IS NULL AND w.removed_at IS NULL FOR UPDATE OF c;
-- What another one is just deleting is left to it.
-- :idempotency_expire
DELETE FROM idempotency WHERE key IN (SELECT key FROM idempotency WHERE created_at < $1 ORDER BY created_at LIMIT 100 FOR UPDATE SKIP LOCKED);
-- Transactions that add something to a world or for an agent need not wait.
-- :world_hold
SELECT id FROM worlds WHERE id = $1 AND removed_at IS NULL FOR NO KEY UPDATE;
-- :agent_hold
SELECT id FROM agents WHERE id = $1 AND removed_at IS NULL FOR NO KEY UPDATE;
-- :conversation_family
WITH RECURSIVE below(id) AS (SELECT id FROM conversations WHERE id = $1
  UNION SELECT c.id FROM below b JOIN conversations c ON c.branched_from_id = b.id)
SELECT c.id FROM conversations c WHERE c.id IN (SELECT id FROM below) ORDER BY c.id FOR UPDATE OF c;
