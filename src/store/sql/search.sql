-- Searching. A page or a scan gives the message, its conversation, and 1 when that is hidden; $1 is the
-- conversation (0: all), $4 the world (0: all).

-- :words_hurry
SELECT 1;
-- :words_settle
SELECT 1;
-- :words_settled
SELECT 1;
-- :words_take
SELECT value FROM meta WHERE key = 'words_upto';
-- :words_try
SELECT value FROM meta WHERE key = 'words_upto';
-- :words_upto
SELECT value FROM meta WHERE key = 'words_upto';
-- :words_set_upto
INSERT INTO meta(key, value) VALUES('words_upto', $1) ON CONFLICT(key) DO UPDATE SET value = excluded.value;
-- :words_clear
INSERT INTO message_words(message_words) VALUES('delete-all');
-- :words_texts
SELECT id, SUBSTR(content, 1, 262144) FROM messages WHERE id > $1 AND id <= $2 ORDER BY id LIMIT 50;
-- :words_add
INSERT INTO message_words(rowid, content) VALUES(CAST($1 AS INTEGER), $2);
-- :words_has
SELECT COUNT(*) FROM message_words WHERE rowid = $1;
-- :words_remove
INSERT INTO message_words(message_words, rowid, content) VALUES('delete', $1, $2);
-- :words_page
WITH RECURSIVE kin(id) AS (SELECT CAST($1 AS BIGINT)
  UNION SELECT c.branched_from_id FROM kin k JOIN conversations c ON c.id = k.id WHERE c.branched_from_id IS NOT NULL)
SELECT m.id, m.conversation_id, c.removed_at IS NOT NULL
  FROM message_words CROSS JOIN messages m ON m.id = message_words.rowid CROSS JOIN conversations c ON c.id = m.conversation_id
  CROSS JOIN worlds w ON w.id = c.world_id
 WHERE message_words MATCH $2 AND message_words.rowid < $3 AND (CAST($4 AS BIGINT) = 0 OR c.world_id = $4) AND w.removed_at IS NULL AND m.purged_at IS NULL
   AND ($1 = 0 OR c.id IN (SELECT id FROM kin))
 ORDER BY message_words.rowid DESC LIMIT 200;
-- :words_near
WITH RECURSIVE kin(id) AS (SELECT CAST($1 AS BIGINT)
  UNION SELECT c.branched_from_id FROM kin k JOIN conversations c ON c.id = k.id WHERE c.branched_from_id IS NOT NULL)
SELECT m.id, m.conversation_id, c.removed_at IS NOT NULL
  FROM message_words CROSS JOIN messages m ON m.id = message_words.rowid CROSS JOIN conversations c ON c.id = m.conversation_id
  CROSS JOIN worlds w ON w.id = c.world_id
 WHERE message_words MATCH $2 AND message_words.rowid < $3 AND (CAST($4 AS BIGINT) = 0 OR c.world_id = $4) AND w.removed_at IS NULL AND m.purged_at IS NULL
   AND ($1 = 0 OR c.id IN (SELECT id FROM kin)) AND message_words.rowid >= $5
 ORDER BY message_words.rowid DESC LIMIT 200;
-- :words_scan
WITH RECURSIVE kin(id) AS (SELECT CAST($1 AS BIGINT)
  UNION SELECT c.branched_from_id FROM kin k JOIN conversations c ON c.id = k.id WHERE c.branched_from_id IS NOT NULL)
SELECT m.id, m.conversation_id, c.removed_at IS NOT NULL
  FROM messages m JOIN conversations c ON c.id = m.conversation_id JOIN worlds w ON w.id = c.world_id
 WHERE m.id > $2 AND m.id < $3 AND (CAST($4 AS BIGINT) = 0 OR c.world_id = $4) AND w.removed_at IS NULL AND m.purged_at IS NULL
   AND ($1 = 0 OR c.id IN (SELECT id FROM kin))
 ORDER BY m.id DESC LIMIT 200;
-- :words_branches
WITH RECURSIVE below(id) AS (SELECT id FROM conversations WHERE branched_from_id = $1
  UNION SELECT c.id FROM below b JOIN conversations c ON c.branched_from_id = b.id)
SELECT c.id FROM conversations c WHERE c.id IN (SELECT id FROM below) AND c.removed_at IS NULL ORDER BY c.id;
-- :words_said_in
SELECT v.number FROM items i JOIN threads t ON t.id = i.thread_id JOIN lanes l ON l.id = t.lane_id JOIN versions v ON v.id = t.version_id
 WHERE i.message_id = $1 AND v.conversation_id = $2 ORDER BY CASE WHEN l.key = 'main' THEN 0 ELSE 1 END, i.thread_id LIMIT 1;
