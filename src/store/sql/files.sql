-- Files: bytes that messages carry.

-- =attachment_row
SELECT id, hash, name, type, size, width, height, created_at FROM attachments

-- :blob_there
SELECT COUNT(*) FROM blobs WHERE hash = $1;
-- :blob_put
INSERT INTO blobs(hash, size, bytes) VALUES($1, $2, $3) ON CONFLICT DO NOTHING;
-- From a byte on, the first being 1, so many.
-- :blob_part
SELECT substr(bytes, CAST($1 AS INTEGER), CAST($2 AS INTEGER)) FROM blobs WHERE hash = $3;
-- The same of a file that this message carries: what stands in its list is not believed.
-- :carried_part
SELECT substr(b.bytes, CAST($1 AS INTEGER), CAST($2 AS INTEGER)) FROM carried k JOIN attachments a ON a.id = k.attachment_id
  JOIN blobs b ON b.hash = a.hash WHERE k.message_id = $3 AND a.hash = $4;
-- :attachment_put
INSERT INTO attachments(world_id, hash, name, type, size, width, height, created_at) VALUES($1, $2, $3, $4, $5, $6, $7, $8)
  ON CONFLICT(world_id, hash) DO UPDATE SET name = excluded.name, type = excluded.type, created_at = excluded.created_at;
-- :attachment_get
{attachment_row} WHERE world_id = $1 AND hash = $2;
-- :attachment_rows
{attachment_row} WHERE world_id = $1 ORDER BY id DESC LIMIT $2;
-- :attachment_bytes
SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM attachments WHERE world_id = $1;
-- Of the world of the message's conversation.
-- :carried_put
INSERT INTO carried(attachment_id, message_id) SELECT a.id, CAST($1 AS BIGINT) FROM attachments a JOIN conversations c ON c.world_id = a.world_id
 WHERE c.id = $2 AND a.hash = $3;
-- Those that no message carries, and none that waits.
-- :attachments_left
DELETE FROM attachments WHERE created_at < $1 AND NOT EXISTS(SELECT 1 FROM carried k WHERE k.attachment_id = attachments.id)
   AND NOT EXISTS(SELECT 1 FROM waiting w WHERE w.said LIKE '%' || attachments.hash || '%');
-- Those that are carried by these messages alone.
-- :attachments_of_many
DELETE FROM attachments WHERE id IN (SELECT k.attachment_id FROM json_each('[' || $1 || ']') j CROSS JOIN carried k ON k.message_id = j.value)
   AND NOT EXISTS(SELECT 1 FROM carried k WHERE k.attachment_id = attachments.id AND k.message_id NOT IN (SELECT value FROM json_each('[' || $1 || ']')))
   AND NOT EXISTS(SELECT 1 FROM waiting w WHERE w.said LIKE '%' || attachments.hash || '%');
-- :carried_of_many
DELETE FROM carried WHERE message_id IN (SELECT value FROM json_each('[' || $1 || ']'));
-- :blobs_left
DELETE FROM blobs WHERE NOT EXISTS(SELECT 1 FROM attachments a WHERE a.hash = blobs.hash);
