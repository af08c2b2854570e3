-- Events: where PostgreSQL needs other words.

-- A transaction that writes events shares this lock from before it takes an id until its commit.
-- :event_insert
WITH share AS MATERIALIZED (SELECT pg_catalog.pg_advisory_xact_lock_shared(pg_catalog.hashtextextended(
  'skein events ' || pg_catalog.current_setting('search_path'), 0)))
INSERT INTO events(world_id, conversation_id, version_id, message_id, cause, type, data, created_at, world)
SELECT CAST($1 AS BIGINT), CAST($2 AS BIGINT), CAST($3 AS BIGINT), CAST($4 AS BIGINT), CAST($5 AS TEXT), CAST($6 AS TEXT),
  CAST($7 AS TEXT), CAST($8 AS BIGINT), COALESCE((SELECT name FROM worlds WHERE id = $1), '') FROM share;
-- :event_insert_many
WITH share AS MATERIALIZED (SELECT pg_catalog.pg_advisory_xact_lock_shared(pg_catalog.hashtextextended(
  'skein events ' || pg_catalog.current_setting('search_path'), 0)))
INSERT INTO events(world_id, conversation_id, version_id, message_id, cause, type, data, created_at, world)
SELECT CAST(j.v->>0 AS BIGINT), CAST(j.v->>1 AS BIGINT), CAST(j.v->>2 AS BIGINT), CAST(j.v->>3 AS BIGINT), j.v->>4, j.v->>5,
  j.v->>6, CAST(j.v->>7 AS BIGINT), COALESCE((SELECT name FROM worlds WHERE id = CAST(j.v->>0 AS BIGINT)), '')
  FROM share CROSS JOIN json_array_elements(CAST(CAST($1 AS TEXT) AS json)) WITH ORDINALITY AS j(v, n) ORDER BY j.n;
-- Once the whole lock was had, every id that was given out is settled: its row is there, or never will be.
-- :event_settled
WITH whole AS MATERIALIZED (SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended(
  'skein events ' || pg_catalog.current_setting('search_path'), 0)))
SELECT COALESCE(pg_catalog.pg_sequence_last_value(CAST(pg_catalog.pg_get_serial_sequence('events', 'id') AS regclass)), 0) FROM whole;
-- What another one is just deleting is left to it.
-- :answer_expire
DELETE FROM answers WHERE key IN (SELECT key FROM answers WHERE created_at < $1 ORDER BY created_at LIMIT 100 FOR UPDATE SKIP LOCKED);
-- :setting_hold
LOCK TABLE settings IN SHARE ROW EXCLUSIVE MODE;
