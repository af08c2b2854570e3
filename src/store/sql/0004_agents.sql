-- Agents that work: delegations, tasks, what is asked of people and told to them, what agents keep in mind, and
-- what models were sent. An archive carries none of it but the lanes.

-- A delivery and its turn may be on a lane of their own: a delegation. NULL is the agent's memory of a chat, or the
-- main lane of its own conversation. task_id: the work is a task's.
ALTER TABLE deliveries ADD COLUMN lane_id BIGINT;
ALTER TABLE deliveries ADD COLUMN task_id BIGINT;
ALTER TABLE turns ADD COLUMN lane_id BIGINT;
ALTER TABLE turns ADD COLUMN task_id BIGINT;
DROP INDEX turns_open;
CREATE UNIQUE INDEX turns_open ON turns(conversation_id, agent_id, COALESCE(lane_id, 0)) WHERE state='open';

-- Of a delegation: who asked for it, in which turn, whether that turn waits for its end, and whether the end was
-- told to it.
ALTER TABLE lanes ADD COLUMN parent_agent_id BIGINT;
ALTER TABLE lanes ADD COLUMN parent_turn_id BIGINT;
ALTER TABLE lanes ADD COLUMN waited SMALLINT NOT NULL DEFAULT 0;
ALTER TABLE lanes ADD COLUMN told SMALLINT NOT NULL DEFAULT 0;
ALTER TABLE lanes ADD COLUMN title TEXT;
CREATE INDEX lanes_turn ON lanes(parent_turn_id) WHERE parent_turn_id IS NOT NULL;
CREATE INDEX lanes_spawn ON lanes(spawn_message_id) WHERE spawn_message_id IS NOT NULL;
-- The last message of an agent's own conversation from which knowledge was taken.
ALTER TABLE lanes ADD COLUMN knowledge_upto BIGINT NOT NULL DEFAULT 0;

-- run_every is in milliseconds, 0 for agents without a timer; next_run_at is when its next task is due.
ALTER TABLE agents ADD COLUMN paused_at BIGINT;
ALTER TABLE agents ADD COLUMN run_every BIGINT NOT NULL DEFAULT 0;
ALTER TABLE agents ADD COLUMN next_run_at BIGINT;
CREATE INDEX agents_timer ON agents(next_run_at) WHERE run_every > 0;
-- A JSON object: limits of delegations and spending, approvals, servers of tools.
ALTER TABLE worlds ADD COLUMN settings TEXT;

-- Work for an agent's background. It is taken by a turn of that conversation and closed with it; not_before is the
-- end of its back-off. message_id is what it became there. reply_agent_id: who waits for the outcome.
CREATE TABLE tasks(id {ID}, uid {CODE} NOT NULL UNIQUE, world_id BIGINT NOT NULL REFERENCES worlds(id),
  agent_id BIGINT NOT NULL REFERENCES agents(id), assigned_by_id BIGINT, source TEXT NOT NULL CHECK(source='delegation'
  OR source='user' OR source='system' OR source='self' OR source='report' OR source='question' OR source='answer'
  OR source='tell'), content TEXT NOT NULL, result TEXT, status TEXT NOT NULL DEFAULT 'pending' CHECK(status='pending'
  OR status='completed' OR status='cancelled'), attempts BIGINT NOT NULL DEFAULT 0, last_error TEXT,
  not_before BIGINT NOT NULL DEFAULT 0, message_id BIGINT, cause TEXT, hops_left BIGINT NOT NULL,
  created_at BIGINT NOT NULL, completed_at BIGINT);
CREATE INDEX tasks_pending ON tasks(agent_id, id) WHERE status='pending';
CREATE INDEX tasks_agent ON tasks(agent_id, id);
CREATE INDEX tasks_completed ON tasks(agent_id, completed_at) WHERE status='completed';
CREATE INDEX tasks_message ON tasks(message_id) WHERE message_id IS NOT NULL;

-- What is there for people. kind: briefing question failure finished mention approval. briefing_text is the whole
-- briefing; content is what the list shows. message_id is in the foreground, work_message_id the tool row or message
-- in the background that it came from.
CREATE TABLE inbox(id {ID}, uid {CODE} NOT NULL UNIQUE, world_id BIGINT NOT NULL REFERENCES worlds(id), agent_id BIGINT,
  conversation_id BIGINT, kind TEXT NOT NULL CHECK(kind='briefing' OR kind='question' OR kind='failure' OR
  kind='finished' OR kind='mention' OR kind='approval'), title TEXT NOT NULL, content TEXT NOT NULL,
  briefing_uid {CODE} UNIQUE, briefing_text TEXT, message_id BIGINT, work_message_id BIGINT, task_id BIGINT,
  turn_id BIGINT, call_id TEXT, tool TEXT, args TEXT, answer TEXT, read_at BIGINT, done_at BIGINT, snoozed_until BIGINT,
  created_at BIGINT NOT NULL, removed_at BIGINT);
CREATE INDEX inbox_unread ON inbox(id) WHERE read_at IS NULL AND removed_at IS NULL;
CREATE INDEX inbox_world ON inbox(world_id, id);
CREATE INDEX inbox_turn ON inbox(turn_id) WHERE turn_id IS NOT NULL;
CREATE INDEX inbox_agent ON inbox(agent_id) WHERE agent_id IS NOT NULL;
CREATE INDEX inbox_message ON inbox(message_id) WHERE message_id IS NOT NULL;
CREATE INDEX inbox_work ON inbox(work_message_id) WHERE work_message_id IS NOT NULL;

-- What an agent keeps in mind.
CREATE TABLE knowledge(id {ID}, uid {CODE} NOT NULL UNIQUE, agent_id BIGINT NOT NULL REFERENCES agents(id),
  type TEXT NOT NULL CHECK(type='fact' OR type='technique' OR type='pattern' OR type='lesson' OR type='preference' OR
  type='insight'), content TEXT NOT NULL, content_hash {CODE} NOT NULL, confidence BIGINT NOT NULL, conversation_id BIGINT,
  message_id BIGINT, created_at BIGINT NOT NULL, forgotten_at BIGINT);
CREATE UNIQUE INDEX knowledge_once ON knowledge(agent_id, content_hash) WHERE forgotten_at IS NULL;
CREATE INDEX knowledge_message ON knowledge(message_id) WHERE message_id IS NOT NULL;

-- An answer that an agent waits for from another. state: open answered surplus undeliverable.
CREATE TABLE expected(id {ID}, world_id BIGINT NOT NULL REFERENCES worlds(id), asker_id BIGINT NOT NULL,
  asked_id BIGINT NOT NULL, message_id BIGINT NOT NULL REFERENCES messages(id), answer_message_id BIGINT,
  state TEXT NOT NULL DEFAULT 'open' CHECK(state='open' OR state='answered' OR state='surplus' OR state='undeliverable'),
  created_at BIGINT NOT NULL, closed_at BIGINT);
CREATE INDEX expected_open ON expected(asked_id, asker_id, id) WHERE state='open';
CREATE INDEX expected_message ON expected(message_id);

-- What a model was sent and answered. request is a list of pieces by the hashes of their bytes (32 bytes each), so
-- that a context that only grew is kept once. message_uid is the message that came of it.
CREATE TABLE pieces(hash {CODE} NOT NULL PRIMARY KEY, bytes {BLOB} NOT NULL);
CREATE TABLE model_calls(id {ID}, uid {CODE} NOT NULL UNIQUE, world_id BIGINT NOT NULL, conversation_id BIGINT, agent_id BIGINT,
  turn_id BIGINT, message_uid {CODE}, purpose TEXT NOT NULL CHECK(purpose='turn' OR purpose='summary' OR purpose='squash'
  OR purpose='knowledge'), model TEXT NOT NULL, request {BLOB} NOT NULL, response {CODE}, state TEXT NOT NULL, error TEXT,
  tokens_in BIGINT NOT NULL, tokens_out BIGINT NOT NULL, estimated SMALLINT NOT NULL, first_ms BIGINT NOT NULL,
  total_ms BIGINT NOT NULL, tries BIGINT NOT NULL, created_at BIGINT NOT NULL);
CREATE INDEX model_calls_message ON model_calls(message_uid);
CREATE INDEX model_calls_turn ON model_calls(turn_id);
CREATE INDEX model_calls_agent ON model_calls(agent_id, id);
-- It has the tokens too: what a world spent is read from it alone.
CREATE INDEX model_calls_world ON model_calls(world_id, created_at, tokens_in, tokens_out);
