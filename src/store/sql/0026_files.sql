-- Bytes that messages carry, once under their SHA-256 (64 hexadecimal digits); what a world has of them, with the name and type of
-- their last upload; and which messages carry them.
CREATE TABLE blobs(hash {CODE} NOT NULL PRIMARY KEY, size BIGINT NOT NULL, bytes {BLOB} NOT NULL);
CREATE TABLE attachments(id {ID}, world_id BIGINT NOT NULL REFERENCES worlds(id), hash {CODE} NOT NULL, name TEXT NOT NULL,
  type TEXT NOT NULL, size BIGINT NOT NULL, width BIGINT NOT NULL, height BIGINT NOT NULL, created_at BIGINT NOT NULL);
CREATE UNIQUE INDEX attachments_once ON attachments(world_id, hash);
CREATE INDEX attachments_hash ON attachments(hash);
CREATE INDEX attachments_time ON attachments(created_at);
CREATE TABLE carried(attachment_id BIGINT NOT NULL, message_id BIGINT NOT NULL REFERENCES messages(id),
  PRIMARY KEY(attachment_id, message_id)){ROWLESS};
CREATE INDEX carried_message ON carried(message_id);
-- The list of a message's files, JSON: what each was when it was sent.
ALTER TABLE messages ADD COLUMN files TEXT
