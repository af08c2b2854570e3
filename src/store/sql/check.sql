-- Checking. Each rule selects what breaks it: two texts that name the row, at most twenty rows. What such a row
-- means is said in store_check.c.

-- :check_database
PRAGMA integrity_check(20);
-- Words as the index has them, all of it read, and as many as it says it has. SQLite's own check of it would take the write lock.
-- :check_index
SELECT COALESCE(SUM(cnt), 0) FROM temp.words_there;
-- :check_index_total
SELECT block FROM message_words_data WHERE id = 1;
-- :check_counts
SELECT (SELECT COUNT(*) FROM messages), (SELECT COUNT(*) FROM threads), (SELECT COUNT(*) FROM nodes), (SELECT COUNT(*) FROM conversations),
  (SELECT COUNT(*) FROM messages WHERE warning IS NOT NULL), (SELECT COUNT(*) FROM messages WHERE created_at > $1);

-- :check_world_chat
SELECT w.name, '' FROM worlds w LEFT JOIN conversations c ON c.id = w.current_conversation_id
 WHERE w.current_conversation_id IS NOT NULL AND (c.id IS NULL OR c.world_id <> w.id) LIMIT 20;
-- :check_agent
SELECT a.uid, a.name FROM agents a LEFT JOIN worlds w ON w.id = a.world_id LEFT JOIN agents l ON l.id = a.lead_id
 WHERE w.id IS NULL OR (a.lead_id IS NOT NULL AND (l.id IS NULL OR l.world_id <> a.world_id)) LIMIT 20;
-- :check_conversation
SELECT c.uid, '' FROM conversations c LEFT JOIN worlds w ON w.id = c.world_id LEFT JOIN agents a ON a.id = c.agent_id
 WHERE w.id IS NULL OR (c.agent_id IS NOT NULL AND (a.id IS NULL OR a.world_id <> c.world_id)) LIMIT 20;
-- :check_tag
SELECT t.name, '' FROM tag_definitions t LEFT JOIN worlds w ON w.id = t.world_id
 WHERE w.id IS NULL OR t.control NOT IN ('button', 'toggle', 'choice') LIMIT 20;
-- :check_active_tag
SELECT CAST(x.tag_id AS TEXT), CAST(x.conversation_id AS TEXT) FROM active_tags x LEFT JOIN tag_definitions t ON t.id = x.tag_id
  LEFT JOIN conversations c ON c.id = x.conversation_id WHERE t.id IS NULL OR c.id IS NULL OR c.world_id <> t.world_id LIMIT 20;
-- :check_file
SELECT f.path, '' FROM context_files f LEFT JOIN conversations c ON c.id = f.conversation_id WHERE c.id IS NULL LIMIT 20;

-- :check_head
SELECT c.uid, '' FROM conversations c LEFT JOIN versions v ON v.id = c.version_id
 WHERE v.id IS NULL OR v.conversation_id <> c.id LIMIT 20;
-- :check_main_lane
SELECT c.uid, '' FROM conversations c WHERE NOT EXISTS(SELECT 1 FROM lanes l WHERE l.conversation_id = c.id AND l.key = 'main') LIMIT 20;
-- :check_main_thread
SELECT c.uid, CAST(v.number AS TEXT) FROM versions v JOIN conversations c ON c.id = v.conversation_id
  JOIN lanes l ON l.conversation_id = c.id AND l.key = 'main'
 WHERE NOT EXISTS(SELECT 1 FROM threads t WHERE t.version_id = v.id AND t.lane_id = l.id) LIMIT 20;
-- :check_version_numbers
SELECT CAST(conversation_id AS TEXT), '' FROM versions GROUP BY conversation_id HAVING MIN(number) <> 1 OR MAX(number) <> COUNT(*) LIMIT 20;
-- :check_version_home
SELECT CAST(v.id AS TEXT), '' FROM versions v LEFT JOIN conversations c ON c.id = v.conversation_id WHERE c.id IS NULL LIMIT 20;
-- :check_version_origin
SELECT c.uid, CAST(v.number AS TEXT) FROM versions v JOIN conversations c ON c.id = v.conversation_id LEFT JOIN versions o ON o.id = v.origin_id
 WHERE v.origin_id IS NOT NULL AND (o.id IS NULL OR o.id >= v.id
   OR (o.conversation_id <> v.conversation_id AND (v.number <> 1 OR c.branched_from_id IS NULL OR o.conversation_id <> c.branched_from_id))) LIMIT 20;
-- :check_branch
SELECT c.uid, '' FROM conversations c LEFT JOIN conversations o ON o.id = c.branched_from_id
 WHERE c.branched_from_id IS NOT NULL AND (o.id IS NULL OR o.id >= c.id OR o.world_id <> c.world_id) LIMIT 20;

-- :check_thread_home
SELECT t.uid, '' FROM threads t LEFT JOIN lanes l ON l.id = t.lane_id LEFT JOIN versions v ON v.id = t.version_id
 WHERE l.id IS NULL OR v.id IS NULL OR l.conversation_id <> v.conversation_id LIMIT 20;
-- :check_thread_origin
SELECT t.uid, '' FROM threads t JOIN lanes l ON l.id = t.lane_id LEFT JOIN threads o ON o.id = t.origin_id
 WHERE t.origin_id IS NOT NULL AND (o.id IS NULL OR o.id >= t.id OR (o.lane_id <> t.lane_id AND (l.branched_from_id IS NULL OR o.lane_id <> l.branched_from_id))
   OR t.origin_length < o.base_length
   OR t.origin_length > o.base_length + (SELECT COALESCE(MAX(i.seq), -1) + 1 FROM items i WHERE i.thread_id = o.id AND i.seq >= 0)) LIMIT 20;
-- :check_thread_compaction
SELECT t.uid, CAST(t.compaction_id AS TEXT) FROM threads t LEFT JOIN compactions k ON k.id = t.compaction_id
 WHERE t.compaction_id IS NOT NULL AND k.id IS NULL LIMIT 20;
-- :check_node_home
SELECT CAST(n.id AS TEXT), '' FROM nodes n LEFT JOIN conversations c ON c.id = n.conversation_id WHERE c.id IS NULL LIMIT 20;
-- :check_placed
SELECT m.uid, '' FROM messages m WHERE NOT EXISTS(SELECT 1 FROM items i WHERE i.message_id = m.id) LIMIT 20;

-- :check_lane_home
SELECT CAST(l.id AS TEXT), l.key FROM lanes l LEFT JOIN conversations c ON c.id = l.conversation_id LEFT JOIN agents a ON a.id = l.agent_id
  LEFT JOIN lanes o ON o.id = l.branched_from_id
 WHERE c.id IS NULL OR (l.agent_id IS NOT NULL AND (a.id IS NULL OR a.world_id <> c.world_id))
   OR (l.branched_from_id IS NOT NULL AND (o.id IS NULL OR c.branched_from_id IS NULL OR o.conversation_id <> c.branched_from_id)) LIMIT 20;
-- :check_lane_parent
SELECT CAST(l.id AS TEXT), l.key FROM lanes l LEFT JOIN lanes p ON p.id = l.parent_id
 WHERE l.parent_id IS NOT NULL AND (p.id IS NULL OR p.id >= l.id OR p.conversation_id <> l.conversation_id
   OR l.key <> p.key || '.' || CAST(l.ordinal AS TEXT)) LIMIT 20;
-- :check_lane_children
SELECT CAST(p.id AS TEXT), p.key FROM lanes p LEFT JOIN (SELECT parent_id, COUNT(*) AS n FROM lanes WHERE parent_id IS NOT NULL GROUP BY parent_id) x
  ON x.parent_id = p.id WHERE p.children <> COALESCE(x.n, 0) LIMIT 20;
-- :check_lane_gaps
SELECT CAST(MIN(l.id) AS TEXT), CAST(l.parent_id AS TEXT) FROM lanes l WHERE l.parent_id IS NOT NULL GROUP BY l.parent_id
HAVING MIN(l.ordinal) <> 1 OR MAX(l.ordinal) <> COUNT(*) OR COUNT(DISTINCT l.ordinal) <> COUNT(*) LIMIT 20;
-- :check_lane_spawn
SELECT CAST(l.id AS TEXT), l.key FROM lanes l LEFT JOIN messages m ON m.id = l.spawn_message_id
 WHERE l.spawn_message_id IS NOT NULL AND m.id IS NULL LIMIT 20;

-- :check_op
SELECT CAST(o.id AS TEXT), o.kind FROM ops o LEFT JOIN versions f ON f.id = o.from_version_id LEFT JOIN versions t ON t.id = o.to_version_id
 WHERE f.id IS NULL OR t.id IS NULL OR f.conversation_id <> o.conversation_id OR t.conversation_id <> o.conversation_id LIMIT 20;
-- :check_op_undone
SELECT CAST(o.id AS TEXT), o.kind FROM ops o LEFT JOIN ops u ON u.id = o.undone_by_id
 WHERE o.undone_by_id IS NOT NULL AND (u.id IS NULL OR u.id <= o.id OR u.kind <> 'undo' OR u.undoes_id <> o.id) LIMIT 20;
-- :check_op_undoes
SELECT CAST(o.id AS TEXT), o.kind FROM ops o LEFT JOIN ops u ON u.id = o.undoes_id
 WHERE (o.undoes_id IS NULL) = (o.kind IN ('undo', 'redo'))
   OR (o.undoes_id IS NOT NULL AND (u.id IS NULL OR u.id >= o.id OR u.conversation_id <> o.conversation_id)) LIMIT 20;
-- :check_op_chain
SELECT CAST(o.id AS TEXT), o.kind FROM ops o
  JOIN ops b ON b.id = (SELECT MAX(x.id) FROM ops x WHERE x.conversation_id = o.conversation_id AND x.id < o.id)
 WHERE b.to_version_id <> o.from_version_id LIMIT 20;
-- :check_op_head
SELECT c.uid, '' FROM conversations c JOIN versions v ON v.id = c.version_id AND v.conversation_id = c.id
  LEFT JOIN ops o ON o.id = (SELECT MAX(x.id) FROM ops x WHERE x.conversation_id = c.id)
 WHERE CASE WHEN o.id IS NULL THEN v.number <> 1 ELSE o.to_version_id <> c.version_id END LIMIT 20;

-- :check_message_home
SELECT m.uid, '' FROM messages m LEFT JOIN conversations c ON c.id = m.conversation_id WHERE c.id IS NULL LIMIT 20;
-- :check_reply
WITH RECURSIVE kin(id, held) AS (SELECT id, id FROM conversations
  UNION SELECT k.id, c.branched_from_id FROM kin k JOIN conversations c ON c.id = k.held WHERE c.branched_from_id IS NOT NULL)
SELECT m.uid, CAST(m.reply_to_id AS TEXT) FROM messages m LEFT JOIN messages p ON p.id = m.reply_to_id
 WHERE m.reply_to_id IS NOT NULL AND (p.id IS NULL OR p.id >= m.id OR m.reply_to_uid IS NULL OR m.reply_to_uid <> p.uid
   OR (p.conversation_id <> m.conversation_id
     AND NOT EXISTS(SELECT 1 FROM kin WHERE kin.id = m.conversation_id AND kin.held = p.conversation_id))) LIMIT 20;
-- :check_reply_depth
SELECT m.uid, CAST(m.reply_depth AS TEXT) FROM messages m LEFT JOIN messages p ON p.id = m.reply_to_id
 WHERE m.reply_depth <> COALESCE(p.reply_depth + 1, 0) OR m.reply_depth > 99 LIMIT 20;
-- :check_amend
WITH RECURSIVE kin(id, held) AS (SELECT id, id FROM conversations
  UNION SELECT k.id, c.branched_from_id FROM kin k JOIN conversations c ON c.id = k.held WHERE c.branched_from_id IS NOT NULL)
SELECT m.uid, CAST(m.version_of_id AS TEXT) FROM messages m LEFT JOIN messages o ON o.id = m.version_of_id
 WHERE m.version_of_id IS NOT NULL AND (o.id IS NULL OR o.id >= m.id OR o.role <> m.role OR (o.conversation_id <> m.conversation_id
   AND NOT EXISTS(SELECT 1 FROM kin WHERE kin.id = m.conversation_id AND kin.held = o.conversation_id))) LIMIT 20;
-- :check_lineage
SELECT m.uid, CAST(m.lineage_id AS TEXT) FROM messages m LEFT JOIN messages o ON o.id = m.version_of_id
 WHERE (m.version_of_id IS NULL) <> (m.lineage_id IS NULL) OR (o.id IS NOT NULL AND m.lineage_id <> COALESCE(o.lineage_id, o.id)) LIMIT 20;
-- :check_squash
SELECT q.uid, '' FROM squashes q LEFT JOIN messages m ON m.id = q.result_message_id LEFT JOIN versions v ON v.id = q.version_id
 WHERE m.id IS NULL OR m.squash_uid IS NULL OR m.squash_uid <> q.uid OR v.id IS NULL OR v.conversation_id <> q.conversation_id LIMIT 20;
-- :check_squash_count
SELECT q.uid, '' FROM squashes q
 WHERE (SELECT COUNT(DISTINCT s.message_id) FROM squash_sources s WHERE s.squash_id = q.id) < 2
   OR (SELECT COUNT(*) - COUNT(DISTINCT s.message_id) FROM squash_sources s WHERE s.squash_id = q.id) <> 0
   OR (SELECT MAX(s.idx) + 1 - COUNT(*) + MIN(s.idx) FROM squash_sources s WHERE s.squash_id = q.id) <> 0 LIMIT 20;
-- :check_squash_source
WITH RECURSIVE kin(id, held) AS (SELECT id, id FROM conversations
  UNION SELECT k.id, c.branched_from_id FROM kin k JOIN conversations c ON c.id = k.held WHERE c.branched_from_id IS NOT NULL)
SELECT CAST(s.squash_id AS TEXT), CAST(s.message_id AS TEXT) FROM squash_sources s LEFT JOIN squashes q ON q.id = s.squash_id
  LEFT JOIN messages m ON m.id = s.message_id
 WHERE q.id IS NULL OR m.id IS NULL OR m.id >= q.result_message_id OR (m.conversation_id <> q.conversation_id
   AND NOT EXISTS(SELECT 1 FROM kin WHERE kin.id = q.conversation_id AND kin.held = m.conversation_id)) LIMIT 20;
-- :check_squashed
SELECT m.uid, m.squash_uid FROM messages m LEFT JOIN squashes q ON q.uid = m.squash_uid WHERE m.squash_uid IS NOT NULL AND q.id IS NULL LIMIT 20;
-- :check_compaction
SELECT CAST(k.id AS TEXT), '' FROM compactions k LEFT JOIN threads t ON t.id = k.thread_id LEFT JOIN messages s ON s.id = k.summary_message_id
  LEFT JOIN messages e ON e.id = k.last_message_id LEFT JOIN compactions p ON p.id = k.previous_id
 WHERE t.id IS NULL OR s.id IS NULL OR s.role <> 'summary' OR e.id IS NULL
   OR (k.previous_id IS NOT NULL AND (p.id IS NULL OR p.id >= k.id)) LIMIT 20;
-- :check_result
SELECT m.uid, m.tool_call_id FROM messages m WHERE m.tool_call_id IS NOT NULL
   AND NOT EXISTS(SELECT 1 FROM message_calls k WHERE k.conversation_id = m.conversation_id AND k.call_id = m.tool_call_id
     AND k.message_id = m.id AND k.is_result = 1) LIMIT 20;
-- :check_half
SELECT k.call_id, CAST(k.message_id AS TEXT) FROM message_calls k LEFT JOIN messages m ON m.id = k.message_id
 WHERE m.id IS NULL OR m.conversation_id <> k.conversation_id OR (k.is_result = 1 AND (m.tool_call_id IS NULL OR m.tool_call_id <> k.call_id)) LIMIT 20;

-- :check_turn_lane
SELECT t.uid, '' FROM turns t JOIN deliveries d ON d.id = t.delivery_id LEFT JOIN lanes l ON l.id = t.lane_id
 WHERE t.state = 'open' AND (COALESCE(d.lane_id, 0) <> COALESCE(t.lane_id, 0)
   OR (t.lane_id IS NOT NULL AND (l.id IS NULL OR l.parent_id IS NULL OR l.conversation_id <> t.conversation_id OR l.agent_id <> t.agent_id))) LIMIT 20;
-- :check_turn_task
SELECT t.uid, '' FROM turns t LEFT JOIN tasks k ON k.id = t.task_id LEFT JOIN deliveries d ON d.id = t.delivery_id
 WHERE t.state = 'open' AND (COALESCE(d.task_id, 0) <> COALESCE(t.task_id, 0)
   OR (t.task_id IS NOT NULL AND (k.id IS NULL OR k.status <> 'pending' OR k.agent_id <> t.agent_id))) LIMIT 20;
-- :check_task
SELECT k.uid, '' FROM tasks k LEFT JOIN agents a ON a.id = k.agent_id LEFT JOIN messages m ON m.id = k.message_id
  LEFT JOIN conversations c ON c.id = m.conversation_id LEFT JOIN messages g ON g.id = k.call_message_id
 WHERE a.id IS NULL OR a.world_id <> k.world_id OR (k.call_message_id IS NOT NULL AND g.id IS NULL) OR (k.message_id IS NOT NULL AND (m.id IS NULL OR c.world_id <> k.world_id))
   OR (k.status = 'completed' AND k.completed_at IS NULL) OR (k.status = 'pending' AND k.completed_at IS NOT NULL) LIMIT 20;
-- :check_copy
SELECT CAST(c.message_id AS TEXT), CAST(c.source_id AS TEXT) FROM copies c LEFT JOIN messages m ON m.id = c.message_id
  LEFT JOIN messages s ON s.id = c.source_id
 WHERE m.id IS NULL OR s.id IS NULL OR (s.purged_at IS NOT NULL AND m.purged_at IS NULL) LIMIT 20;
-- :check_inbox
SELECT i.uid, '' FROM inbox i LEFT JOIN worlds w ON w.id = i.world_id LEFT JOIN messages m ON m.id = i.message_id
  LEFT JOIN messages b ON b.id = i.work_message_id LEFT JOIN tasks k ON k.id = i.task_id
  LEFT JOIN definitions d ON d.id = i.definition_id
 WHERE w.id IS NULL OR (i.message_id IS NOT NULL AND m.id IS NULL) OR (i.work_message_id IS NOT NULL AND b.id IS NULL)
   OR (i.task_id IS NOT NULL AND k.id IS NULL) OR (i.briefing_uid IS NOT NULL AND i.message_id IS NULL)
   OR (i.definition_id IS NOT NULL AND COALESCE(d.world_id, 0) <> i.world_id) LIMIT 20;
-- An end is told in the transaction that it comes in. A lane that came with an archive has no turn that asked for it.
-- :check_lane_told
SELECT c.uid, l.key FROM lanes l LEFT JOIN conversations c ON c.id = l.conversation_id
 WHERE l.parent_turn_id IS NOT NULL AND (l.state = 'running') = (l.told = 1) LIMIT 20;
-- :check_knowledge
SELECT CAST(agent_id AS TEXT), content_hash FROM knowledge WHERE forgotten_at IS NULL GROUP BY agent_id, content_hash HAVING COUNT(*) > 1 LIMIT 20;
-- :check_expected
SELECT CAST(e.id AS TEXT), e.state FROM expected e LEFT JOIN messages m ON m.id = e.message_id LEFT JOIN messages b ON b.id = e.answer_message_id
 WHERE m.id IS NULL OR (e.state = 'answered' AND b.id IS NULL) OR (e.state = 'open') <> (e.closed_at IS NULL) LIMIT 20;

-- :check_words_upto
SELECT CAST(x.upto AS TEXT), '' FROM (SELECT MAX(value) AS upto FROM meta WHERE key = 'words_upto') x
 WHERE x.upto IS NULL OR x.upto < 0 OR x.upto > (SELECT COALESCE(MAX(id), 0) FROM messages);
-- :check_words
SELECT CAST(d.id AS TEXT), '' FROM message_words_docsize d LEFT JOIN messages m ON m.id = d.id
 WHERE m.id IS NULL OR m.purged_at IS NOT NULL OR d.id > (SELECT value FROM meta WHERE key = 'words_upto') LIMIT 20;

-- Times are for showing; but one before 1970, or after 9999, can be shown by nobody.
-- :check_time
SELECT x.t, CAST(x.id AS TEXT) FROM (
  SELECT 'messages' AS t, id, created_at AS at FROM messages UNION ALL SELECT 'worlds', id, created_at FROM worlds
  UNION ALL SELECT 'agents', id, created_at FROM agents UNION ALL SELECT 'conversations', id, created_at FROM conversations
  UNION ALL SELECT 'versions', id, created_at FROM versions UNION ALL SELECT 'ops', id, at FROM ops
  UNION ALL SELECT 'lanes', id, created_at FROM lanes UNION ALL SELECT 'events', id, created_at FROM events
  UNION ALL SELECT 'turns', id, created_at FROM turns UNION ALL SELECT 'deliveries', id, created_at FROM deliveries
  UNION ALL SELECT 'tasks', id, created_at FROM tasks UNION ALL SELECT 'inbox', id, created_at FROM inbox) x
 WHERE x.at < 0 OR x.at > $1 LIMIT 20;
-- Ids of events have no holes on SQLite: a change that is taken back gives its ids back.
-- :check_event_gap
SELECT CAST(e.id AS TEXT), '' FROM events e, (SELECT COALESCE(MAX(value), 0) AS upto FROM meta WHERE key = 'events_forgotten') f
 WHERE e.id <= f.upto OR (e.id > f.upto + 1 AND NOT EXISTS(SELECT 1 FROM events b WHERE b.id = e.id - 1)) LIMIT 20;
-- :check_event
SELECT CAST(e.id AS TEXT), e.type FROM events e LEFT JOIN worlds w ON w.id = e.world_id LEFT JOIN messages m ON m.id = e.message_id
  LEFT JOIN conversations c ON c.id = e.conversation_id
 WHERE (e.world_id <> 0 AND w.id IS NULL) OR (e.message_id IS NOT NULL AND m.id IS NULL) OR (e.conversation_id IS NOT NULL AND c.id IS NULL) LIMIT 20;
-- :check_carried
SELECT CAST(k.message_id AS TEXT), CAST(k.attachment_id AS TEXT) FROM carried k LEFT JOIN messages m ON m.id = k.message_id LEFT JOIN conversations c ON c.id = m.conversation_id
  LEFT JOIN attachments a ON a.id = k.attachment_id WHERE m.id IS NULL OR a.id IS NULL OR a.world_id <> c.world_id LIMIT 20;
-- :check_files_listed
SELECT m.uid, '' FROM messages m WHERE m.files IS NOT NULL AND NOT EXISTS(SELECT 1 FROM carried k WHERE k.message_id = m.id) LIMIT 20;
-- :check_attachment
SELECT a.hash, a.name FROM attachments a LEFT JOIN worlds w ON w.id = a.world_id WHERE w.id IS NULL LIMIT 20;
-- :check_blob
SELECT b.hash, '' FROM blobs b WHERE NOT EXISTS(SELECT 1 FROM attachments a WHERE a.hash = b.hash) LIMIT 20;
-- :check_tool_message
SELECT uid, '' FROM messages WHERE role = 'tool' AND COALESCE(tool_call_id, '') = '' LIMIT 20;
-- Who is met again on the way up the leads, and leads himself.
-- :check_lead_cycle
WITH RECURSIVE up(start, at) AS (SELECT id, lead_id FROM agents WHERE lead_id IS NOT NULL
  UNION SELECT u.start, a.lead_id FROM up u JOIN agents a ON a.id = u.at WHERE a.lead_id IS NOT NULL)
SELECT a.uid, a.name FROM up u JOIN agents a ON a.id = u.start WHERE u.at = u.start ORDER BY a.id LIMIT 20;

-- Rows that were there before messages had a hash; only for the migration that adds it.
-- :hash_old
SELECT id, content, thinking, calls, instructions FROM messages WHERE hash IS NULL AND id > $1 ORDER BY id LIMIT 500;
-- :hash_put
UPDATE messages SET hash = $1 WHERE id = $2;

-- Rows to go through, in pages.

-- :check_messages
SELECT m.id, m.conversation_id, m.uid, m.purged_at IS NOT NULL, d.id IS NOT NULL OR m.id > (SELECT COALESCE(MAX(value), 0) FROM meta WHERE key = 'words_upto'),
  m.content, m.calls, m.instructions, m.hash, m.thinking, m.sender, m.tool_call_id, m.reply_to_uid, m.model, m.turn, m.warning, m.squash_uid
  FROM messages m LEFT JOIN message_words_docsize d ON d.id = m.id WHERE m.id > $1 ORDER BY m.id LIMIT 500;
-- :check_has_call
SELECT COUNT(*) FROM message_calls WHERE conversation_id = $1 AND call_id = $2 AND message_id = $3 AND is_result = 0;
-- :check_calls
SELECT k.conversation_id, k.call_id, k.message_id, m.uid, m.calls FROM message_calls k JOIN messages m ON m.id = k.message_id
 WHERE k.is_result = 0 AND m.purged_at IS NULL AND (k.conversation_id, k.call_id, k.message_id) > ($1, $2, $3)
 ORDER BY k.conversation_id, k.call_id, k.message_id LIMIT 500;
-- :check_items
SELECT i.thread_id, i.seq, i.message_id, COALESCE(i.okey, i.message_id), m.conversation_id
  FROM items i LEFT JOIN messages m ON m.id = i.message_id WHERE (i.thread_id, i.seq) > ($1, $2) ORDER BY i.thread_id, i.seq LIMIT 5000;
-- :check_places
SELECT i.message_id, i.thread_id, i.seq, COALESCE(i.okey, i.message_id), COALESCE(t.lane_id, 0) FROM items i LEFT JOIN threads t ON t.id = i.thread_id
 WHERE (i.message_id, i.thread_id, i.seq) > ($1, $2, $3) ORDER BY i.message_id, i.thread_id, i.seq LIMIT 5000;
-- :check_nodes
SELECT id, conversation_id, level, entries FROM nodes WHERE id > $1 ORDER BY id LIMIT 200;
-- :check_ends
SELECT a.k, b.k FROM (SELECT COALESCE(okey, message_id) AS k FROM items WHERE thread_id = $1 AND seq = $2) a,
  (SELECT COALESCE(okey, message_id) AS k FROM items WHERE thread_id = $1 AND seq = $3) b;
-- :check_keys
SELECT MIN(COALESCE(okey, message_id)), MAX(COALESCE(okey, message_id)) FROM items WHERE thread_id = $1 AND seq >= $2 AND seq < $3;
-- :check_threads
SELECT {thread_row}, 0 FROM threads t WHERE t.id > $1 ORDER BY t.id LIMIT 200;
-- :check_thread
SELECT t.lane_id, COALESCE(l.conversation_id, 0), COALESCE(l.branched_from_id, 0),
  (SELECT COALESCE(MAX(i.seq), -1) + 1 FROM items i WHERE i.thread_id = t.id AND i.seq >= 0),
  (SELECT -COALESCE(MIN(i.seq), 0) FROM items i WHERE i.thread_id = t.id AND i.seq < 0)
  FROM threads t LEFT JOIN lanes l ON l.id = t.lane_id WHERE t.id = $1;
-- :check_lane_origin
SELECT COALESCE(branched_from_id, 0) FROM lanes WHERE id = $1;
-- :check_threads_of_lane
SELECT id FROM threads WHERE lane_id = $1 ORDER BY id;
-- :check_compactions
SELECT id, thread_id, covers, last_message_id, summary_message_id, previous_id FROM compactions WHERE id > $1 ORDER BY id LIMIT 500;
-- :check_files
SELECT id, path, items FROM context_files WHERE id > $1 ORDER BY id LIMIT 500;
-- Few at a time: each may be large.
-- :check_blobs
SELECT a.id, a.hash, a.size, b.hash, b.bytes FROM attachments a LEFT JOIN blobs b ON b.hash = a.hash WHERE a.id > $1 ORDER BY a.id LIMIT 4;
