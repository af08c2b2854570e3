-- What "skein bench" measures the store against: one message row, and nothing around it.

-- :floor_insert
INSERT INTO messages(uid, conversation_id, role, author, sender, content, created_at) VALUES($1, $2, 'user', 'human', 'human', $3, $4);
-- :floor_clear
DELETE FROM messages WHERE id > $1 AND conversation_id = $2;
