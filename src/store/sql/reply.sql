-- Links between messages.

-- :reply_lineage
SELECT COALESCE(lineage_id, id) AS id FROM messages WHERE id = $1
UNION ALL
SELECT id FROM messages WHERE lineage_id = (SELECT COALESCE(lineage_id, id) FROM messages WHERE id = $1) ORDER BY 1;
-- :reply_sources
SELECT s.message_id FROM messages m JOIN squashes q ON q.uid = m.squash_uid AND q.result_message_id = m.id
  JOIN squash_sources s ON s.squash_id = q.id WHERE m.id = $1 ORDER BY s.idx;
-- :reply_link
SELECT COALESCE(reply_to_id, 0) FROM messages WHERE id = $1;
