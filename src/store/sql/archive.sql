-- Whole rows, for archives. A chunk of at most 1,000 by ascending id: the id, then the columns in the
-- order of archive.def. A scope is a world, or one conversation of it and what that was branched from.

-- :archive_worlds
SELECT id, uid, name, description, turn_limit, compact_at, current_conversation_id, created_at, removed_at
  FROM worlds WHERE id = $1 AND id > $2 ORDER BY id LIMIT 1000;
-- :archive_put_worlds
INSERT INTO worlds(id, uid, name, description, turn_limit, compact_at, current_conversation_id, created_at, removed_at)
VALUES($1, $2, $3, $4, $5, $6, $7, $8, $9);
-- :archive_ids_worlds
SELECT COALESCE(MAX(id), 0) FROM worlds WHERE $1 > 0;

-- :archive_agents
SELECT id, uid, world_id, lead_id, name, system_prompt, model, settings, created_at, removed_at
  FROM agents WHERE world_id = $1 AND id > $2 ORDER BY id LIMIT 1000;
-- :archive_put_agents
INSERT INTO agents(id, uid, world_id, lead_id, name, system_prompt, model, settings, created_at, removed_at)
VALUES($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);
-- :archive_ids_agents
SELECT COALESCE(MAX(id), 0) FROM agents WHERE $1 > 0;

-- :archive_tags
SELECT id, world_id, name, control, instruction, target, include_in_message, created_at
  FROM tag_definitions WHERE world_id = $1 AND id > $2 ORDER BY id LIMIT 1000;
-- :archive_put_tags
INSERT INTO tag_definitions(id, world_id, name, control, instruction, target, include_in_message, created_at)
VALUES($1, $2, $3, $4, $5, $6, $7, $8);
-- :archive_ids_tags
SELECT COALESCE(MAX(id), 0) FROM tag_definitions WHERE $1 > 0;

-- :archive_conversations
WITH RECURSIVE scope(id) AS (
  SELECT id FROM conversations WHERE world_id = CAST($1 AS BIGINT) AND (CAST($2 AS BIGINT) = 0 OR id = $2)
  UNION SELECT c.branched_from_id FROM scope s JOIN conversations c ON c.id = s.id WHERE c.branched_from_id IS NOT NULL)
SELECT id, uid, world_id, agent_id, mode, title, version_id, branched_from_id, created_at, removed_at,
  expects_agent_id, read_only
  FROM conversations WHERE id IN (SELECT id FROM scope) AND id > $3 ORDER BY id LIMIT 1000;
-- :archive_put_conversations
INSERT INTO conversations(id, uid, world_id, agent_id, mode, title, version_id, branched_from_id, created_at, removed_at,
  expects_agent_id, read_only)
VALUES($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12);
-- :archive_ids_conversations
SELECT COALESCE(MAX(id), 0) FROM conversations WHERE $1 > 0;

-- :archive_active_tags
SELECT tag_id, conversation_id, tag_id FROM active_tags WHERE conversation_id = $1 AND tag_id > $2 ORDER BY tag_id LIMIT 1000;
-- :archive_put_active_tags
INSERT INTO active_tags(conversation_id, tag_id)
VALUES($1, $2);

-- :archive_files
WITH RECURSIVE scope(id) AS (
  SELECT id FROM conversations WHERE world_id = CAST($1 AS BIGINT) AND (CAST($2 AS BIGINT) = 0 OR id = $2)
  UNION SELECT c.branched_from_id FROM scope s JOIN conversations c ON c.id = s.id WHERE c.branched_from_id IS NOT NULL)
SELECT id, conversation_id, path, items, created_at
  FROM context_files WHERE id > $3 AND conversation_id IN (SELECT id FROM scope) ORDER BY id LIMIT 1000;
-- :archive_put_files
INSERT INTO context_files(id, conversation_id, path, items, created_at)
VALUES($1, $2, $3, $4, $5);
-- :archive_ids_files
SELECT COALESCE(MAX(id), 0) FROM context_files WHERE $1 > 0;

-- :archive_versions
WITH RECURSIVE scope(id) AS (
  SELECT id FROM conversations WHERE world_id = CAST($1 AS BIGINT) AND (CAST($2 AS BIGINT) = 0 OR id = $2)
  UNION SELECT c.branched_from_id FROM scope s JOIN conversations c ON c.id = s.id WHERE c.branched_from_id IS NOT NULL)
SELECT id, conversation_id, number, origin_id, origin_length, kind, actor, note, created_at
  FROM versions WHERE id > $3 AND conversation_id IN (SELECT id FROM scope) ORDER BY id LIMIT 1000;
-- :archive_put_versions
INSERT INTO versions(id, conversation_id, number, origin_id, origin_length, kind, actor, note, created_at)
VALUES($1, $2, $3, $4, $5, $6, $7, $8, $9);
-- :archive_ids_versions
SELECT COALESCE(MAX(id), 0) FROM versions WHERE $1 > 0;

-- :archive_lanes
WITH RECURSIVE scope(id) AS (
  SELECT id FROM conversations WHERE world_id = CAST($1 AS BIGINT) AND (CAST($2 AS BIGINT) = 0 OR id = $2)
  UNION SELECT c.branched_from_id FROM scope s JOIN conversations c ON c.id = s.id WHERE c.branched_from_id IS NOT NULL)
SELECT id, conversation_id, key, agent_id, parent_id, ordinal, spawn_message_id, spawn_call_id, children, state,
  branched_from_id, created_at
  FROM lanes WHERE id > $3 AND conversation_id IN (SELECT id FROM scope) ORDER BY id LIMIT 1000;
-- :archive_put_lanes
INSERT INTO lanes(id, conversation_id, key, agent_id, parent_id, ordinal, spawn_message_id, spawn_call_id, children, state,
  branched_from_id, created_at)
VALUES($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12);
-- :archive_ids_lanes
SELECT COALESCE(MAX(id), 0) FROM lanes WHERE $1 > 0;

-- :archive_messages
WITH RECURSIVE scope(id) AS (
  SELECT id FROM conversations WHERE world_id = CAST($1 AS BIGINT) AND (CAST($2 AS BIGINT) = 0 OR id = $2)
  UNION SELECT c.branched_from_id FROM scope s JOIN conversations c ON c.id = s.id WHERE c.branched_from_id IS NOT NULL)
SELECT m.id, m.uid, m.conversation_id, m.role, m.author, m.agent_id, m.sender, m.content, m.thinking, m.calls, m.tool_call_id,
  m.tool_failed, m.instructions, m.reply_to_uid, m.reply_to_id, m.reply_depth, m.lineage_id, m.version_of_id, m.squash_uid, m.model,
  m.turn, m.warning, m.created_at, m.purged_at, m.stopped, COALESCE(k.tokens_in, m.tokens_in), COALESCE(k.tokens_out, m.tokens_out),
  COALESCE(k.estimated, m.tokens_estimated), m.reasoning, COALESCE(k.tokens_cached, m.tokens_cached),
  COALESCE(k.tokens_written, m.tokens_written), CASE WHEN k.id IS NULL THEN m.cost WHEN k.cost >= 0 THEN k.cost END
  FROM messages m LEFT JOIN model_calls k ON k.id = (SELECT MAX(c.id) FROM model_calls c WHERE c.message_uid = m.uid
    AND c.world_id = CAST($1 AS BIGINT))
 WHERE m.id > $3 AND m.conversation_id IN (SELECT id FROM scope) ORDER BY m.id LIMIT 1000;
-- :archive_put_messages
INSERT INTO messages(id, uid, conversation_id, role, author, agent_id, sender, content, thinking, calls, tool_call_id,
  tool_failed, instructions, reply_to_uid, reply_to_id, reply_depth, lineage_id, version_of_id, squash_uid, model, turn,
  warning, created_at, purged_at, stopped, tokens_in, tokens_out, tokens_estimated, reasoning, tokens_cached, tokens_written,
  cost, hash)
VALUES($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27,
  $28, $29, $30, $31, $32, $33);
-- :archive_message_ids
WITH RECURSIVE scope(id) AS (
  SELECT id FROM conversations WHERE world_id = CAST($1 AS BIGINT) AND (CAST($2 AS BIGINT) = 0 OR id = $2)
  UNION SELECT c.branched_from_id FROM scope s JOIN conversations c ON c.id = s.id WHERE c.branched_from_id IS NOT NULL)
SELECT id FROM messages WHERE id > $3 AND conversation_id IN (SELECT id FROM scope) ORDER BY id LIMIT 1000;
-- :archive_ids_messages
SELECT COALESCE(MAX(id), 0) FROM messages WHERE $1 > 0;

-- :archive_threads
SELECT id, uid, lane_id, version_id, origin_id, origin_length, root_id, base_length, compaction_id
  FROM threads WHERE id > $1 ORDER BY id LIMIT 1000;
-- :archive_put_threads
INSERT INTO threads(id, uid, lane_id, version_id, origin_id, origin_length, root_id, base_length, compaction_id)
VALUES($1, $2, $3, $4, $5, $6, $7, $8, $9);
-- :archive_ids_threads
SELECT COALESCE(MAX(id), 0) FROM threads WHERE $1 > 0;

-- :archive_items
SELECT seq, thread_id, seq, message_id, okey FROM items WHERE thread_id = $1 AND seq > $2 ORDER BY seq LIMIT 1000;
-- :archive_put_items
INSERT INTO items(thread_id, seq, message_id, okey)
VALUES($1, $2, $3, $4);

-- :archive_nodes
WITH RECURSIVE scope(id) AS (
  SELECT id FROM conversations WHERE world_id = CAST($1 AS BIGINT) AND (CAST($2 AS BIGINT) = 0 OR id = $2)
  UNION SELECT c.branched_from_id FROM scope s JOIN conversations c ON c.id = s.id WHERE c.branched_from_id IS NOT NULL)
SELECT id, conversation_id, level, entries
  FROM nodes WHERE id > $3 AND conversation_id IN (SELECT id FROM scope) ORDER BY id LIMIT 1000;
-- :archive_put_nodes
INSERT INTO nodes(id, conversation_id, level, entries)
VALUES($1, $2, $3, $4);
-- :archive_ids_nodes
SELECT COALESCE(MAX(id), 0) FROM nodes WHERE $1 > 0;

-- :archive_compactions
SELECT id, thread_id, covers, last_message_id, summary_message_id, previous_id, reason, model, created_at
  FROM compactions WHERE id > $1 ORDER BY id LIMIT 1000;
-- :archive_put_compactions
INSERT INTO compactions(id, thread_id, covers, last_message_id, summary_message_id, previous_id, reason, model, created_at)
VALUES($1, $2, $3, $4, $5, $6, $7, $8, $9);
-- :archive_ids_compactions
SELECT COALESCE(MAX(id), 0) FROM compactions WHERE $1 > 0;

-- :archive_squashes
WITH RECURSIVE scope(id) AS (
  SELECT id FROM conversations WHERE world_id = CAST($1 AS BIGINT) AND (CAST($2 AS BIGINT) = 0 OR id = $2)
  UNION SELECT c.branched_from_id FROM scope s JOIN conversations c ON c.id = s.id WHERE c.branched_from_id IS NOT NULL)
SELECT id, uid, conversation_id, version_id, result_message_id, prompt, model, by_agent, created_at
  FROM squashes WHERE id > $3 AND conversation_id IN (SELECT id FROM scope) ORDER BY id LIMIT 1000;
-- :archive_put_squashes
INSERT INTO squashes(id, uid, conversation_id, version_id, result_message_id, prompt, model, by_agent, created_at)
VALUES($1, $2, $3, $4, $5, $6, $7, $8, $9);
-- :archive_ids_squashes
SELECT COALESCE(MAX(id), 0) FROM squashes WHERE $1 > 0;

-- :archive_sources
SELECT idx, squash_id, idx, message_id FROM squash_sources WHERE squash_id = $1 AND idx > $2 ORDER BY idx LIMIT 1000;
-- :archive_put_sources
INSERT INTO squash_sources(squash_id, idx, message_id)
VALUES($1, $2, $3);

-- :archive_ops
WITH RECURSIVE scope(id) AS (
  SELECT id FROM conversations WHERE world_id = CAST($1 AS BIGINT) AND (CAST($2 AS BIGINT) = 0 OR id = $2)
  UNION SELECT c.branched_from_id FROM scope s JOIN conversations c ON c.id = s.id WHERE c.branched_from_id IS NOT NULL)
SELECT id, conversation_id, kind, from_version_id, to_version_id, newest_message_id, undoes_id, undone_by_id, actor, at
  FROM ops WHERE id > $3 AND conversation_id IN (SELECT id FROM scope) ORDER BY id LIMIT 1000;
-- :archive_put_ops
INSERT INTO ops(id, conversation_id, kind, from_version_id, to_version_id, newest_message_id, undoes_id, undone_by_id,
  actor, at)
VALUES($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);
-- :archive_ids_ops
SELECT COALESCE(MAX(id), 0) FROM ops WHERE $1 > 0;

-- :archive_copies
SELECT id, message_id, source_id FROM copies WHERE id > $1 ORDER BY id LIMIT 1000;
-- :archive_put_copies
INSERT INTO copies(id, message_id, source_id)
VALUES($1, $2, $3);
-- :archive_ids_copies
SELECT COALESCE(MAX(id), 0) FROM copies WHERE $1 > 0;

-- On SQLite a write transaction has the database to itself.
-- :archive_lock
SELECT 1;
