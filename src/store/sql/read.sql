-- Reading in batches. $1 of an "_of_many" is a list of numbers with commas between them, so that a page of
-- messages costs one statement and not one for each of them.

-- Places of one message come together, by thread and seq, as the index has them: CROSS keeps this order of the loops.
-- :placements_of
SELECT i.message_id, i.thread_id, i.seq, COALESCE(i.okey, i.message_id), t.lane_id, l.conversation_id
  FROM json_each('[' || $1 || ']') j CROSS JOIN items i ON i.message_id = j.value CROSS JOIN threads t ON t.id = i.thread_id
  CROSS JOIN lanes l ON l.id = t.lane_id;
-- :replies_of_many
SELECT m.reply_to_id, m.id FROM json_each('[' || $1 || ']') j CROSS JOIN messages m ON m.reply_to_id = j.value ORDER BY m.id;
-- :answers_of
SELECT m.reply_to_id, m.agent_id, m.id, m.conversation_id, m.uid, m.turn FROM json_each('[' || $1 || ']') j
  CROSS JOIN messages m ON m.reply_to_id = j.value WHERE m.role = 'assistant' AND m.author = 'agent' AND m.turn IS NOT NULL
 ORDER BY m.reply_to_id, m.agent_id, m.id;
-- :amends_of_many
SELECT m.lineage_id, m.id FROM json_each('[' || $1 || ']') j CROSS JOIN messages m ON m.lineage_id = j.value ORDER BY m.id;
-- :sources_of_many
SELECT m.id, s.message_id FROM json_each('[' || $1 || ']') j CROSS JOIN messages m ON m.id = j.value
  JOIN squashes q ON q.uid = m.squash_uid JOIN squash_sources s ON s.squash_id = q.id ORDER BY m.id, s.idx;
-- :heads_of
SELECT m.id, m.lineage_id, m.conversation_id, m.uid, m.role FROM {ids} {join} messages m ON m.id = j.value ORDER BY m.id;

-- :heads_by_prefix
SELECT m.id, m.lineage_id, m.conversation_id, m.uid, m.role FROM messages m WHERE m.uid >= $1 AND m.uid < $2 AND m.conversation_id = $3
 ORDER BY m.uid LIMIT $4;

-- :heads_by_beginning
SELECT m.id, m.lineage_id, m.conversation_id, m.uid, m.role FROM messages m WHERE m.uid >= $1 AND m.uid < $2 ORDER BY m.uid LIMIT $3;

-- No index knows how ids end. The inner query reads nothing but the index of all ids.
-- :heads_by_ending
SELECT m.id, m.lineage_id, m.conversation_id, m.uid, m.role FROM messages m
 WHERE m.id IN (SELECT e.id FROM messages e WHERE substr(e.uid, length(e.uid) - length($1) + 1) = $1)
 ORDER BY m.uid LIMIT $2;

-- :threads_of_version
SELECT {thread_row}, 0
  FROM threads t WHERE t.version_id = $1 ORDER BY t.lane_id;
-- :threads_of_lane
SELECT {thread_row}, v.number
  FROM versions v JOIN threads t ON t.version_id = v.id WHERE v.conversation_id = $1 AND t.lane_id = $2 AND v.number < $3
 ORDER BY v.number DESC LIMIT $4;

-- :version_history
SELECT v.number, t.id, t.uid, COALESCE(t.base_length, 0)
    + (SELECT COALESCE(MAX(i.seq), -1) + 1 FROM items i WHERE i.thread_id = t.id AND i.seq >= 0),
  o.number, x.uid, v.origin_length, v.kind, v.actor, v.note,
  CASE WHEN v.id = $1 THEN 1 ELSE 0 END, v.created_at
  FROM versions v LEFT JOIN lanes l ON l.conversation_id = v.conversation_id AND l.key = 'main'
  LEFT JOIN threads t ON t.version_id = v.id AND t.lane_id = l.id LEFT JOIN threads x ON x.id = t.origin_id
  LEFT JOIN versions o ON o.id = v.origin_id WHERE v.conversation_id = $2 ORDER BY v.number DESC;

-- How often messages were erased in this store: what was remembered before may show an erased text.
-- :erasures
SELECT value FROM meta WHERE key = 'erasures';
-- :erasure_count
INSERT INTO meta(key, value) VALUES('erasures', 1) ON CONFLICT(key) DO UPDATE SET value = meta.value + 1;
