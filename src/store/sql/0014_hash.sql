-- A hash of what a message says (stmt.c), so that fsck sees a text that changed under it; 0 once it was erased. Rows
-- that were there before are hashed in the same transaction (migrate.c).
ALTER TABLE messages ADD COLUMN hash BIGINT;
UPDATE messages SET hash = 0 WHERE purged_at IS NOT NULL
