-- Reading in batches: where PostgreSQL needs other words.

-- :placements_of_many
SELECT i.message_id, i.thread_id, i.seq, COALESCE(i.okey, i.message_id), t.lane_id, l.conversation_id
  FROM unnest(CAST(string_to_array(CAST($1 AS TEXT), ',') AS BIGINT[])) j(value) JOIN items i ON i.message_id = j.value
  JOIN threads t ON t.id = i.thread_id JOIN lanes l ON l.id = t.lane_id ORDER BY i.message_id, i.thread_id, i.seq;
-- :replies_of_many
SELECT m.reply_to_id, m.id FROM unnest(CAST(string_to_array(CAST($1 AS TEXT), ',') AS BIGINT[])) j(value)
  JOIN messages m ON m.reply_to_id = j.value ORDER BY m.id;
-- :edits_of_many
SELECT m.lineage_id, m.id FROM unnest(CAST(string_to_array(CAST($1 AS TEXT), ',') AS BIGINT[])) j(value)
  JOIN messages m ON m.lineage_id = j.value ORDER BY m.id;
-- :sources_of_many
SELECT m.id, s.message_id FROM unnest(CAST(string_to_array(CAST($1 AS TEXT), ',') AS BIGINT[])) j(value)
  JOIN messages m ON m.id = j.value JOIN squashes q ON q.uid = m.squash_uid JOIN squash_sources s ON s.squash_id = q.id
 ORDER BY m.id, s.idx;
-- :heads_of_many
SELECT m.id, m.lineage_id, m.conversation_id, m.uid, m.role FROM unnest(CAST(string_to_array(CAST($1 AS TEXT), ',') AS BIGINT[])) j(value)
  JOIN messages m ON m.id = j.value ORDER BY m.id;
