-- Checking: where PostgreSQL needs other words. The server lets no text in that is not UTF-8, so only texts
-- with a hash are fetched to be looked at.

-- :check_database
SELECT CAST('ok' AS TEXT);
-- :check_index
SELECT CAST(0 AS BIGINT);
-- :check_index_total
SELECT CAST(NULL AS BYTEA);
-- :check_words
SELECT CAST(d.message_id AS TEXT), '' FROM message_words d LEFT JOIN messages m ON m.id = d.message_id
 WHERE m.id IS NULL OR m.purged_at IS NOT NULL OR d.message_id > (SELECT value FROM meta WHERE key = 'words_upto') LIMIT 20;
-- Ids of events have holes here: a sequence gives none back, and a crash skips some. What was forgotten must be gone.
-- :check_event_gap
SELECT CAST(e.id AS TEXT), '' FROM events e WHERE e.id <= (SELECT COALESCE(MAX(value), 0) FROM meta WHERE key = 'events_forgotten') LIMIT 20;
-- :check_messages
SELECT m.id, m.conversation_id, m.uid, m.purged_at IS NOT NULL,
  d.message_id IS NOT NULL OR m.id > (SELECT COALESCE(MAX(value), 0) FROM meta WHERE key = 'words_upto'),
  m.content, m.calls, m.instructions, m.hash, m.thinking, CAST(NULL AS TEXT), CAST(NULL AS TEXT), CAST(NULL AS TEXT),
  CAST(NULL AS TEXT), CAST(NULL AS TEXT), CAST(NULL AS TEXT), CAST(NULL AS TEXT)
  FROM messages m LEFT JOIN message_words d ON d.message_id = m.id WHERE m.id > $1 ORDER BY m.id LIMIT 500;
