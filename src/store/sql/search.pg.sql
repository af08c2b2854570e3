-- Searching: where PostgreSQL needs other words.

-- An insert takes its id after it got its lock on the table: once this is held, every smaller id is settled.
-- :search_settle
LOCK TABLE messages IN SHARE MODE;
-- :search_take
SELECT value FROM meta WHERE key = 'words_upto' FOR UPDATE;
-- :search_add
INSERT INTO message_words(message_id, words) VALUES($1, CAST(CAST($2 AS TEXT) AS tsvector)) ON CONFLICT DO NOTHING;
-- :search_has
SELECT COUNT(*) FROM message_words WHERE message_id = $1;
-- :search_remove
DELETE FROM message_words WHERE message_id = $1 AND CAST($2 AS TEXT) IS NOT NULL;
-- :search_page
WITH RECURSIVE kin(id) AS (SELECT CAST($1 AS BIGINT)
  UNION SELECT c.branched_from_id FROM kin k JOIN conversations c ON c.id = k.id WHERE c.branched_from_id IS NOT NULL)
SELECT m.id, m.conversation_id, c.removed_at IS NOT NULL
  FROM message_words x JOIN messages m ON m.id = x.message_id JOIN conversations c ON c.id = m.conversation_id
  JOIN worlds w ON w.id = c.world_id
 WHERE (CAST($2 AS BIGINT) = 0 OR c.world_id = $2) AND w.removed_at IS NULL AND m.purged_at IS NULL
   AND ($1 = 0 OR c.id IN (SELECT id FROM kin)) AND x.words @@ CAST(CAST($3 AS TEXT) AS tsquery) AND x.message_id < $4
 ORDER BY x.message_id DESC LIMIT 200;
