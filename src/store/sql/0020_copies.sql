-- What the system made of words that stand in another message: message_id repeats some of source_id, and is erased with it. Those
-- that were made before this table are not known.
CREATE TABLE copies(id {ID}, message_id BIGINT NOT NULL REFERENCES messages(id), source_id BIGINT NOT NULL REFERENCES messages(id),
  CHECK(source_id < message_id));
CREATE INDEX copies_source ON copies(source_id);

-- Of a task that an agent gave: the message with the call that says it.
ALTER TABLE tasks ADD COLUMN call_message_id BIGINT;
CREATE INDEX tasks_call ON tasks(call_message_id) WHERE call_message_id IS NOT NULL
