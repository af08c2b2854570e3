-- Searching: where PostgreSQL needs other words.

-- An insert takes its id after it got its lock on the table: once this is held, every smaller id is settled.
-- While it waits every later insert waits behind it.
-- :words_hurry
SELECT pg_catalog.set_config('lock_timeout', '100ms', true);
-- :words_settle
LOCK TABLE messages IN SHARE MODE;
-- :words_settled
LOCK TABLE messages IN SHARE MODE NOWAIT;
-- :words_take
SELECT value FROM meta WHERE key = 'words_upto' FOR UPDATE;
-- :words_try
SELECT value FROM meta WHERE key = 'words_upto' FOR UPDATE NOWAIT;
-- :words_clear
DELETE FROM message_words;
-- Many at once, with line ends between them.
-- :words_add
INSERT INTO message_words(message_id, words) SELECT CAST(x.id AS BIGINT), CAST(x.list AS tsvector)
  FROM unnest(string_to_array(CAST($1 AS TEXT), chr(10)), string_to_array(CAST($2 AS TEXT), chr(10))) AS x(id, list) ON CONFLICT DO NOTHING;
-- :words_has
SELECT COUNT(*) FROM message_words WHERE message_id = $1;
-- :words_remove
DELETE FROM message_words WHERE message_id = $1 AND CAST($2 AS TEXT) IS NOT NULL;
-- What is common is found near the end, going backwards; what is rare by the index, which first collects all. The
-- planner would go backwards for both.
-- :words_near
WITH RECURSIVE kin(id) AS (SELECT CAST($1 AS BIGINT)
  UNION SELECT c.branched_from_id FROM kin k JOIN conversations c ON c.id = k.id WHERE c.branched_from_id IS NOT NULL)
SELECT m.id, m.conversation_id, c.removed_at IS NOT NULL
  FROM message_words x JOIN messages m ON m.id = x.message_id JOIN conversations c ON c.id = m.conversation_id
  JOIN worlds w ON w.id = c.world_id
 WHERE x.words @@ CAST(CAST($2 AS TEXT) AS tsquery) AND x.message_id < $3 AND (CAST($4 AS BIGINT) = 0 OR c.world_id = $4) AND w.removed_at IS NULL AND m.purged_at IS NULL
   AND ($1 = 0 OR c.id IN (SELECT id FROM kin)) AND x.message_id >= $5
 ORDER BY x.message_id DESC LIMIT 200;
-- :words_page
WITH RECURSIVE kin(id) AS (SELECT CAST($1 AS BIGINT)
  UNION SELECT c.branched_from_id FROM kin k JOIN conversations c ON c.id = k.id WHERE c.branched_from_id IS NOT NULL),
x(id) AS MATERIALIZED (SELECT message_id FROM message_words WHERE words @@ CAST(CAST($2 AS TEXT) AS tsquery) AND message_id < $3)
SELECT m.id, m.conversation_id, c.removed_at IS NOT NULL
  FROM x JOIN messages m ON m.id = x.id JOIN conversations c ON c.id = m.conversation_id JOIN worlds w ON w.id = c.world_id
 WHERE (CAST($4 AS BIGINT) = 0 OR c.world_id = $4) AND w.removed_at IS NULL AND m.purged_at IS NULL
   AND ($1 = 0 OR c.id IN (SELECT id FROM kin))
 ORDER BY x.id DESC LIMIT 200;
