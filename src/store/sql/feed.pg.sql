-- Events: where PostgreSQL needs other words.

-- The id is taken after the lock, which is held until the commit: so ids rise in the order of commits.
-- :event_insert
WITH turn AS MATERIALIZED (SELECT pg_catalog.pg_advisory_xact_lock_shared(pg_catalog.hashtextextended(
  'skein events ' || pg_catalog.current_setting('search_path'), 0)))
INSERT INTO events(world_id, conversation_id, version_id, message_id, cause, type, data, created_at, world)
SELECT CAST($1 AS BIGINT), CAST($2 AS BIGINT), CAST($3 AS BIGINT), CAST($4 AS BIGINT), CAST($5 AS TEXT), CAST($6 AS TEXT),
  CAST($7 AS TEXT), CAST($8 AS BIGINT), (SELECT name FROM worlds WHERE id = $1) FROM turn;
-- :event_insert_many
WITH turn AS MATERIALIZED (SELECT pg_catalog.pg_advisory_xact_lock_shared(pg_catalog.hashtextextended(
  'skein events ' || pg_catalog.current_setting('search_path'), 0)))
INSERT INTO events(world_id, conversation_id, version_id, message_id, cause, type, data, created_at, world)
SELECT CAST(j.v->>0 AS BIGINT), CAST(j.v->>1 AS BIGINT), CAST(j.v->>2 AS BIGINT), CAST(j.v->>3 AS BIGINT), j.v->>4, j.v->>5,
  j.v->>6, CAST(j.v->>7 AS BIGINT), (SELECT name FROM worlds WHERE id = CAST(j.v->>0 AS BIGINT))
  FROM turn CROSS JOIN json_array_elements(CAST(CAST($1 AS TEXT) AS json)) WITH ORDINALITY AS j(v, n) ORDER BY j.n;
-- :message_many
SELECT m.id, m.uid, m.conversation_id, m.role, m.author, m.agent_id, m.sender, m.content, m.thinking, m.calls, m.tool_call_id, m.tool_failed, m.instructions,
  m.reply_to_uid, m.reply_to_id, m.reply_depth, m.lineage_id, m.version_of_id, m.squash_uid, m.model, m.turn, m.warning, m.created_at, m.purged_at, 0
  FROM unnest(CAST(string_to_array(CAST($1 AS TEXT), ',') AS BIGINT[])) j(value) JOIN messages m ON m.id = j.value ORDER BY m.id;
-- What another one is just deleting is left to it.
-- :answer_expire
DELETE FROM answers WHERE key IN (SELECT key FROM answers WHERE created_at < $1 ORDER BY created_at LIMIT 100 FOR UPDATE SKIP LOCKED);
