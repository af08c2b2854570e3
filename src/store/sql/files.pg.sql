-- Files: where PostgreSQL needs other words.
-- :blob_part
SELECT substring(bytes FROM CAST($1 AS INTEGER) FOR CAST($2 AS INTEGER)) FROM blobs WHERE hash = $3;
-- :carried_part
SELECT substring(b.bytes FROM CAST($1 AS INTEGER) FOR CAST($2 AS INTEGER)) FROM carried k JOIN attachments a ON a.id = k.attachment_id
  JOIN blobs b ON b.hash = a.hash WHERE k.message_id = $3 AND a.hash = $4;
-- :attachments_of_many
DELETE FROM attachments WHERE id IN (SELECT k.attachment_id FROM carried k
    WHERE k.message_id IN (SELECT unnest(CAST(string_to_array(CAST($1 AS TEXT), ',') AS BIGINT[]))))
   AND NOT EXISTS(SELECT 1 FROM carried k WHERE k.attachment_id = attachments.id
     AND k.message_id NOT IN (SELECT unnest(CAST(string_to_array(CAST($1 AS TEXT), ',') AS BIGINT[]))))
   AND NOT EXISTS(SELECT 1 FROM waiting w WHERE w.said LIKE '%' || attachments.hash || '%');
-- :carried_of_many
DELETE FROM carried WHERE message_id IN (SELECT unnest(CAST(string_to_array(CAST($1 AS TEXT), ',') AS BIGINT[])));
