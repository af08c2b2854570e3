-- What people and agents do together: what happened (events), who has to answer (deliveries), who is at it
-- (turns), what waits to be said (waiting), and what the program itself keeps. An archive carries none of it.

-- The feed, read in the order of ids (store_feed.c says how). A row points at what it tells of; what is not told by
-- that is in data, a JSON object. world is the name it had then: an event never changes. No foreign keys: their
-- checks would wait for rows of others while readers wait for this one. meta's events_forgotten is the newest one
-- that was deleted.
CREATE TABLE events(id {ID}, world_id BIGINT NOT NULL, conversation_id BIGINT, version_id BIGINT, message_id BIGINT,
  cause TEXT, type TEXT NOT NULL, data TEXT, world TEXT NOT NULL, created_at BIGINT NOT NULL);
-- One index for worlds and for conversations in them: every message pays for a second one.
CREATE INDEX events_world ON events(world_id, id, conversation_id);
INSERT INTO meta(key, value) VALUES('events_forgotten', 0);

-- An agent that has to answer a message. cause is the uid of the person's message behind it; paused is 1 where the
-- answer used that up, and a notice said so.
CREATE TABLE deliveries(id {ID}, conversation_id BIGINT NOT NULL REFERENCES conversations(id),
  agent_id BIGINT NOT NULL REFERENCES agents(id), message_id BIGINT NOT NULL REFERENCES messages(id), cause TEXT,
  hops_left BIGINT NOT NULL, model TEXT, state TEXT NOT NULL DEFAULT 'queued' CHECK(state='queued' OR state='working'
  OR state='answered' OR state='failed' OR state='dropped'), error TEXT, created_at BIGINT NOT NULL, closed_at BIGINT,
  paused BIGINT NOT NULL DEFAULT 0);
CREATE INDEX deliveries_due ON deliveries(conversation_id, id) WHERE state='queued' OR state='working';
CREATE INDEX deliveries_message ON deliveries(message_id);
CREATE INDEX deliveries_cause ON deliveries(cause);

-- An agent at work. Who holds it renews lease_until; fence tells an old holder from the one that came after.
-- open_calls counts the tool calls of its last message, step_message_id, that have no result yet.
CREATE TABLE turns(id {ID}, uid {CODE} NOT NULL UNIQUE, world_id BIGINT NOT NULL REFERENCES worlds(id),
  conversation_id BIGINT NOT NULL REFERENCES conversations(id), agent_id BIGINT NOT NULL REFERENCES agents(id),
  delivery_id BIGINT REFERENCES deliveries(id), trigger_message_id BIGINT REFERENCES messages(id), cause TEXT,
  message_uid TEXT NOT NULL, model TEXT, holder TEXT NOT NULL, fence BIGINT NOT NULL, lease_until BIGINT NOT NULL,
  hops_left BIGINT NOT NULL, open_calls BIGINT NOT NULL DEFAULT 0, step_message_id BIGINT,
  state TEXT NOT NULL DEFAULT 'open' CHECK(state='open' OR state='committed' OR
  state='failed' OR state='cancelled' OR state='interrupted'), error TEXT, created_at BIGINT NOT NULL, closed_at BIGINT);
CREATE UNIQUE INDEX turns_open ON turns(conversation_id, agent_id) WHERE state='open';
CREATE INDEX turns_open_world ON turns(world_id) WHERE state='open';

-- A message of a person that is said when the agents of its conversation are done; uid is the one it will have.
CREATE TABLE waiting(id {ID}, uid {CODE} NOT NULL UNIQUE, conversation_id BIGINT NOT NULL REFERENCES conversations(id),
  sender TEXT NOT NULL, content TEXT NOT NULL, reply_to TEXT, instructions TEXT, client_id TEXT, model TEXT,
  created_at BIGINT NOT NULL);
CREATE INDEX waiting_conversation ON waiting(conversation_id, id);

CREATE TABLE edit_errors(id {ID}, uid {CODE} NOT NULL UNIQUE, world_id BIGINT NOT NULL REFERENCES worlds(id),
  conversation_id BIGINT REFERENCES conversations(id), message_uid TEXT, operation TEXT NOT NULL, error TEXT NOT NULL,
  created_at BIGINT NOT NULL);
CREATE INDEX edit_errors_world ON edit_errors(world_id, id);

-- Keys of requests are kept for a week.
CREATE INDEX idempotency_created ON idempotency(created_at);

CREATE TABLE settings(key {CODE} NOT NULL PRIMARY KEY, value TEXT NOT NULL);
-- What a request with a key was answered, for a day.
CREATE TABLE answers(key TEXT NOT NULL PRIMARY KEY, request_hash BIGINT NOT NULL, status BIGINT NOT NULL, head TEXT,
  body TEXT, created_at BIGINT NOT NULL);
CREATE INDEX answers_created ON answers(created_at);
