-- Whole rows, for archives. A chunk of at most 1,000 by ascending id: the id, then the columns in the
-- order of archive.def, which the build puts in as {X_columns}. A scope is a world, or one conversation of it and what that was branched from.

-- =in_scope
WITH RECURSIVE scope(id) AS (
  SELECT id FROM conversations WHERE world_id = CAST($1 AS BIGINT) AND (CAST($2 AS BIGINT) = 0 OR id = $2)
  UNION SELECT c.branched_from_id FROM scope s JOIN conversations c ON c.id = s.id WHERE c.branched_from_id IS NOT NULL)

-- :archive_worlds
SELECT id, {worlds_columns} FROM worlds WHERE id = $1 AND id > $2 ORDER BY id LIMIT 1000;
-- :archive_put_worlds
INSERT INTO worlds(id, {worlds_columns}) VALUES($*);
-- :archive_ids_worlds
SELECT COALESCE(MAX(id), 0) FROM worlds WHERE $1 > 0;

-- :archive_agents
SELECT id, {agents_columns} FROM agents WHERE world_id = $1 AND id > $2 ORDER BY id LIMIT 1000;
-- :archive_put_agents
INSERT INTO agents(id, {agents_columns}) VALUES($*);
-- :archive_ids_agents
SELECT COALESCE(MAX(id), 0) FROM agents WHERE $1 > 0;

-- :archive_tags
SELECT id, {tags_columns} FROM tag_definitions WHERE world_id = $1 AND id > $2 ORDER BY id LIMIT 1000;
-- :archive_put_tags
INSERT INTO tag_definitions(id, {tags_columns}) VALUES($*);
-- :archive_ids_tags
SELECT COALESCE(MAX(id), 0) FROM tag_definitions WHERE $1 > 0;

-- :archive_conversations
{in_scope}
SELECT id, {conversations_columns} FROM conversations WHERE id IN (SELECT id FROM scope) AND id > $3 ORDER BY id LIMIT 1000;
-- :archive_put_conversations
INSERT INTO conversations(id, {conversations_columns}) VALUES($*);
-- :archive_ids_conversations
SELECT COALESCE(MAX(id), 0) FROM conversations WHERE $1 > 0;

-- :archive_active_tags
SELECT tag_id, {active_tags_columns} FROM active_tags WHERE conversation_id = $1 AND tag_id > $2 ORDER BY tag_id LIMIT 1000;
-- :archive_put_active_tags
INSERT INTO active_tags({active_tags_columns}) VALUES($*);

-- :archive_files
{in_scope}
SELECT id, {files_columns} FROM context_files WHERE id > $3 AND conversation_id IN (SELECT id FROM scope) ORDER BY id LIMIT 1000;
-- :archive_put_files
INSERT INTO context_files(id, {files_columns}) VALUES($*);
-- :archive_ids_files
SELECT COALESCE(MAX(id), 0) FROM context_files WHERE $1 > 0;

-- :archive_versions
{in_scope}
SELECT id, {versions_columns} FROM versions WHERE id > $3 AND conversation_id IN (SELECT id FROM scope) ORDER BY id LIMIT 1000;
-- :archive_put_versions
INSERT INTO versions(id, {versions_columns}) VALUES($*);
-- :archive_ids_versions
SELECT COALESCE(MAX(id), 0) FROM versions WHERE $1 > 0;

-- :archive_lanes
{in_scope}
SELECT id, {lanes_columns} FROM lanes WHERE id > $3 AND conversation_id IN (SELECT id FROM scope) ORDER BY id LIMIT 1000;
-- :archive_put_lanes
INSERT INTO lanes(id, {lanes_columns}) VALUES($*);
-- :archive_ids_lanes
SELECT COALESCE(MAX(id), 0) FROM lanes WHERE $1 > 0;

-- :archive_messages
{in_scope}
SELECT m.id, {messages_archived}
  FROM messages m LEFT JOIN model_calls k ON k.id = (SELECT MAX(c.id) FROM model_calls c WHERE c.message_uid = m.uid
    AND c.world_id = CAST($1 AS BIGINT))
 WHERE m.id > $3 AND m.conversation_id IN (SELECT id FROM scope) ORDER BY m.id LIMIT 1000;
-- :archive_put_messages
INSERT INTO messages(id, {messages_columns}, hash) VALUES($*);
-- :archive_message_ids
{in_scope}
SELECT id FROM messages WHERE id > $3 AND conversation_id IN (SELECT id FROM scope) ORDER BY id LIMIT 1000;
-- :archive_ids_messages
SELECT COALESCE(MAX(id), 0) FROM messages WHERE $1 > 0;

-- Those that a message in scope carries.
-- :archive_attachments
WITH RECURSIVE scope(id) AS (
  SELECT id FROM conversations WHERE world_id = CAST($1 AS BIGINT) AND (CAST($2 AS BIGINT) = 0 OR id = $2)
  UNION SELECT c.branched_from_id FROM scope s JOIN conversations c ON c.id = s.id WHERE c.branched_from_id IS NOT NULL)
SELECT a.id, a.world_id, a.hash, a.name, a.type, a.size, a.width, a.height, a.created_at, b.bytes FROM attachments a JOIN blobs b ON b.hash = a.hash
 WHERE a.id > $3 AND EXISTS(SELECT 1 FROM carried k JOIN messages m ON m.id = k.message_id WHERE k.attachment_id = a.id AND
   m.conversation_id IN (SELECT id FROM scope)) ORDER BY a.id LIMIT 4;
-- :archive_attachment_ids
WITH RECURSIVE scope(id) AS (
  SELECT id FROM conversations WHERE world_id = CAST($1 AS BIGINT) AND (CAST($2 AS BIGINT) = 0 OR id = $2)
  UNION SELECT c.branched_from_id FROM scope s JOIN conversations c ON c.id = s.id WHERE c.branched_from_id IS NOT NULL)
SELECT a.id FROM attachments a
 WHERE a.id > $3 AND EXISTS(SELECT 1 FROM carried k JOIN messages m ON m.id = k.message_id WHERE k.attachment_id = a.id AND
   m.conversation_id IN (SELECT id FROM scope)) ORDER BY a.id LIMIT 1000;
-- :archive_put_attachments
INSERT INTO attachments(id, world_id, hash, name, type, size, width, height, created_at)
VALUES($1, $2, $3, $4, $5, $6, $7, $8, $9);
-- :archive_ids_attachments
SELECT COALESCE(MAX(id), 0) FROM attachments WHERE $1 > 0;

-- :archive_carried
SELECT message_id, attachment_id, message_id FROM carried WHERE attachment_id = $1 AND message_id > $2 ORDER BY message_id LIMIT 1000;
-- :archive_put_carried
INSERT INTO carried(attachment_id, message_id)
VALUES($1, $2);

-- :archive_threads
SELECT id, {threads_columns} FROM threads WHERE id > $1 ORDER BY id LIMIT 1000;
-- :archive_put_threads
INSERT INTO threads(id, {threads_columns}) VALUES($*);
-- :archive_ids_threads
SELECT COALESCE(MAX(id), 0) FROM threads WHERE $1 > 0;

-- :archive_items
SELECT seq, {items_columns} FROM items WHERE thread_id = $1 AND seq > $2 ORDER BY seq LIMIT 1000;
-- :archive_put_items
INSERT INTO items({items_columns}) VALUES($*);

-- :archive_nodes
{in_scope}
SELECT id, {nodes_columns} FROM nodes WHERE id > $3 AND conversation_id IN (SELECT id FROM scope) ORDER BY id LIMIT 1000;
-- :archive_put_nodes
INSERT INTO nodes(id, {nodes_columns}) VALUES($*);
-- :archive_ids_nodes
SELECT COALESCE(MAX(id), 0) FROM nodes WHERE $1 > 0;

-- :archive_compactions
SELECT id, {compactions_columns} FROM compactions WHERE id > $1 ORDER BY id LIMIT 1000;
-- :archive_put_compactions
INSERT INTO compactions(id, {compactions_columns}) VALUES($*);
-- :archive_ids_compactions
SELECT COALESCE(MAX(id), 0) FROM compactions WHERE $1 > 0;

-- :archive_squashes
{in_scope}
SELECT id, {squashes_columns} FROM squashes WHERE id > $3 AND conversation_id IN (SELECT id FROM scope) ORDER BY id LIMIT 1000;
-- :archive_put_squashes
INSERT INTO squashes(id, {squashes_columns}) VALUES($*);
-- :archive_ids_squashes
SELECT COALESCE(MAX(id), 0) FROM squashes WHERE $1 > 0;

-- :archive_sources
SELECT idx, {sources_columns} FROM squash_sources WHERE squash_id = $1 AND idx > $2 ORDER BY idx LIMIT 1000;
-- :archive_put_sources
INSERT INTO squash_sources({sources_columns}) VALUES($*);

-- :archive_ops
{in_scope}
SELECT id, {ops_columns} FROM ops WHERE id > $3 AND conversation_id IN (SELECT id FROM scope) ORDER BY id LIMIT 1000;
-- :archive_put_ops
INSERT INTO ops(id, {ops_columns}) VALUES($*);
-- :archive_ids_ops
SELECT COALESCE(MAX(id), 0) FROM ops WHERE $1 > 0;

-- :archive_copies
SELECT id, {copies_columns} FROM copies WHERE id > $1 ORDER BY id LIMIT 1000;
-- :archive_put_copies
INSERT INTO copies(id, {copies_columns}) VALUES($*);
-- :archive_ids_copies
SELECT COALESCE(MAX(id), 0) FROM copies WHERE $1 > 0;

-- On SQLite a write transaction has the database to itself.
-- :archive_lock
SELECT 1;
