-- Tags of a world, those that are active in a conversation, and a conversation's context files.

-- :tag_others
SELECT COUNT(*) FROM tag_definitions WHERE world_id = $1 AND name <> $2;
-- :tag_put
INSERT INTO tag_definitions(world_id, name, control, instruction, target, include_in_message, created_at)
VALUES($1, $2, $3, $4, $5, $6, $7) ON CONFLICT(world_id, name) DO UPDATE SET control = excluded.control,
  instruction = excluded.instruction, target = excluded.target, include_in_message = excluded.include_in_message;
-- :tag_find
SELECT id FROM tag_definitions WHERE world_id = $1 AND name = $2;
-- :tag_rows
SELECT t.name, t.control, t.instruction, t.target, t.include_in_message, a.tag_id
  FROM tag_definitions t LEFT JOIN active_tags a ON a.tag_id = t.id AND a.conversation_id = $1 WHERE t.world_id = $2 ORDER BY t.id;
-- :tag_clear
DELETE FROM active_tags WHERE tag_id = $1;
-- :tag_delete
DELETE FROM tag_definitions WHERE id = $1;
-- :tag_activate
INSERT INTO active_tags(conversation_id, tag_id) VALUES($1, $2) ON CONFLICT DO NOTHING;
-- :tag_deactivate
DELETE FROM active_tags WHERE conversation_id = $1 AND tag_id = $2;

-- :file_others
SELECT COUNT(*) FROM context_files WHERE conversation_id = $1 AND path <> $2;
-- :file_put
INSERT INTO context_files(conversation_id, path, items, created_at) VALUES($1, $2, $3, $4)
ON CONFLICT(conversation_id, path) DO UPDATE SET items = excluded.items;
-- :file_drop
DELETE FROM context_files WHERE conversation_id = $1 AND path = $2;
-- :file_rows
SELECT path, items FROM context_files WHERE conversation_id = $1 ORDER BY id;
