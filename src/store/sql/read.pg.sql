-- Reading in batches: where PostgreSQL needs other words. OFFSET 0 keeps a subquery from being joined some other way: a few
-- messages with very many replies make the planner think that reading all of the table is cheaper.

-- :placements_of
SELECT i.message_id, i.thread_id, i.seq, COALESCE(i.okey, i.message_id), t.lane_id, l.conversation_id
  FROM unnest(CAST(string_to_array(CAST($1 AS TEXT), ',') AS BIGINT[])) j(value) JOIN items i ON i.message_id = j.value
  JOIN threads t ON t.id = i.thread_id JOIN lanes l ON l.id = t.lane_id ORDER BY i.message_id, i.thread_id, i.seq;
-- :replies_of_many
SELECT j.value, m.id FROM unnest(CAST(string_to_array(CAST($1 AS TEXT), ',') AS BIGINT[])) j(value)
  CROSS JOIN LATERAL (SELECT r.id FROM messages r WHERE r.reply_to_id = j.value OFFSET 0) m ORDER BY m.id;
-- :answers_of
SELECT j.value, m.agent_id, m.id, m.conversation_id, m.uid, m.turn FROM unnest(CAST(string_to_array(CAST($1 AS TEXT), ',') AS BIGINT[])) j(value)
  CROSS JOIN LATERAL (SELECT r.* FROM messages r WHERE r.reply_to_id = j.value OFFSET 0) m
 WHERE m.role = 'assistant' AND m.author = 'agent' AND m.turn IS NOT NULL ORDER BY j.value, m.agent_id, m.id;
-- :amends_of_many
SELECT j.value, m.id FROM unnest(CAST(string_to_array(CAST($1 AS TEXT), ',') AS BIGINT[])) j(value)
  CROSS JOIN LATERAL (SELECT r.id FROM messages r WHERE r.lineage_id = j.value OFFSET 0) m ORDER BY m.id;
-- :sources_of_many
SELECT j.value, s.message_id FROM unnest(CAST(string_to_array(CAST($1 AS TEXT), ',') AS BIGINT[])) j(value)
  CROSS JOIN LATERAL (SELECT r.squash_uid FROM messages r WHERE r.id = j.value AND r.squash_uid IS NOT NULL OFFSET 0) m
  JOIN squashes q ON q.uid = m.squash_uid JOIN squash_sources s ON s.squash_id = q.id ORDER BY j.value, s.idx;
