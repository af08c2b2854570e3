-- The first schema. {ID}, {BLOB} and {CODE} are the driver's words for a growing key, for bytes and for text that
-- sorts by its bytes.
-- Times are microseconds UTC and never order anything. Rows of messages, threads and versions are
-- never deleted: an erased message leaves its row, so that no id is ever used twice. Lists in checks are
-- written out with OR: for an IN of three or more SQLite makes a table, anew for every row.

CREATE TABLE meta(key TEXT NOT NULL PRIMARY KEY, value BIGINT NOT NULL);

CREATE TABLE worlds(id {ID}, uid {CODE} NOT NULL UNIQUE, name TEXT NOT NULL, description TEXT,
  turn_limit BIGINT NOT NULL DEFAULT 8, compact_at BIGINT NOT NULL DEFAULT 50,
  current_conversation_id BIGINT, created_at BIGINT NOT NULL, removed_at BIGINT);
CREATE UNIQUE INDEX worlds_name ON worlds(name) WHERE removed_at IS NULL;

CREATE TABLE agents(id {ID}, uid {CODE} NOT NULL UNIQUE, world_id BIGINT NOT NULL REFERENCES worlds(id),
  lead_id BIGINT REFERENCES agents(id), name TEXT NOT NULL, system_prompt TEXT, model TEXT, settings TEXT,
  created_at BIGINT NOT NULL, removed_at BIGINT);
CREATE UNIQUE INDEX agents_name ON agents(world_id, name) WHERE removed_at IS NULL;

-- version_id is the one pointer that time travel moves.
CREATE TABLE conversations(id {ID}, uid {CODE} NOT NULL UNIQUE, world_id BIGINT NOT NULL REFERENCES worlds(id),
  agent_id BIGINT REFERENCES agents(id), mode TEXT NOT NULL CHECK(mode='chat' OR mode='foreground' OR mode='background'),
  title TEXT, version_id BIGINT, branched_from_id BIGINT, created_at BIGINT NOT NULL, removed_at BIGINT,
  CHECK((mode='chat')=(agent_id IS NULL)));
CREATE UNIQUE INDEX conversations_agent_mode ON conversations(agent_id, mode)
  WHERE agent_id IS NOT NULL AND removed_at IS NULL;
CREATE INDEX conversations_world ON conversations(world_id, id);
CREATE INDEX conversations_branches ON conversations(branched_from_id) WHERE branched_from_id IS NOT NULL;

-- A version is a whole state of a conversation: one thread for each of its lanes.
CREATE TABLE versions(id {ID}, conversation_id BIGINT NOT NULL REFERENCES conversations(id), number BIGINT NOT NULL,
  origin_id BIGINT REFERENCES versions(id), origin_length BIGINT NOT NULL, kind TEXT NOT NULL, actor TEXT NOT NULL,
  note TEXT, created_at BIGINT NOT NULL, UNIQUE(conversation_id, number));

-- What moved the pointer, and from where: the log behind undo and redo. kind: the version's kind, or
-- undo, redo, switch.
CREATE TABLE ops(id {ID}, conversation_id BIGINT NOT NULL REFERENCES conversations(id), kind TEXT NOT NULL,
  from_version_id BIGINT NOT NULL, to_version_id BIGINT NOT NULL, newest_message_id BIGINT NOT NULL,
  undoes_id BIGINT, undone_by_id BIGINT, actor TEXT NOT NULL, at BIGINT NOT NULL);
CREATE INDEX ops_conversation ON ops(conversation_id, id);
-- What undo takes back next, and what redo brings back next, however much was undone before.
CREATE INDEX ops_standing ON ops(conversation_id, id) WHERE kind <> 'undo' AND kind <> 'redo' AND undone_by_id IS NULL;
CREATE INDEX ops_undone ON ops(conversation_id, undone_by_id) WHERE undone_by_id IS NOT NULL;

CREATE TABLE lanes(id {ID}, conversation_id BIGINT NOT NULL REFERENCES conversations(id), key TEXT NOT NULL,
  agent_id BIGINT REFERENCES agents(id), parent_id BIGINT REFERENCES lanes(id), ordinal BIGINT NOT NULL DEFAULT 0,
  spawn_message_id BIGINT, spawn_call_id TEXT, children BIGINT NOT NULL DEFAULT 0,
  state TEXT NOT NULL DEFAULT 'running' CHECK(state='running' OR state='done' OR state='failed' OR state='cancelled' OR state='interrupted'),
  branched_from_id BIGINT, created_at BIGINT NOT NULL, UNIQUE(conversation_id, key));
CREATE INDEX lanes_top ON lanes(conversation_id) WHERE parent_id IS NULL;
CREATE UNIQUE INDEX lanes_agent ON lanes(conversation_id, agent_id) WHERE agent_id IS NOT NULL AND parent_id IS NULL;

CREATE TABLE messages(id {ID}, uid {CODE} NOT NULL UNIQUE, conversation_id BIGINT NOT NULL REFERENCES conversations(id),
  role TEXT NOT NULL CHECK(role='user' OR role='assistant' OR role='tool' OR role='summary' OR role='system'),
  author TEXT NOT NULL CHECK(author='human' OR author='agent' OR author='tool' OR author='system'), agent_id BIGINT, sender TEXT NOT NULL,
  content TEXT NOT NULL, thinking TEXT, calls TEXT, tool_call_id TEXT, tool_failed SMALLINT NOT NULL DEFAULT 0,
  instructions TEXT, reply_to_uid TEXT, reply_to_id BIGINT, reply_depth INTEGER NOT NULL DEFAULT 0,
  lineage_id BIGINT, version_of_id BIGINT, squash_uid TEXT, model TEXT, turn TEXT, warning TEXT,
  created_at BIGINT NOT NULL, purged_at BIGINT,
  CHECK(reply_to_uid IS NULL OR reply_to_uid<>uid), CHECK(reply_to_id IS NULL OR reply_to_id<id),
  CHECK(version_of_id IS NULL OR version_of_id<id), CHECK(role<>'tool' OR tool_call_id IS NOT NULL));
CREATE INDEX messages_reply ON messages(reply_to_id) WHERE reply_to_id IS NOT NULL;
CREATE INDEX messages_lineage ON messages(lineage_id) WHERE lineage_id IS NOT NULL;

-- Calls and results by the model's call id, which is not unique: the way from one half of a pair to the other.
CREATE TABLE message_calls(conversation_id BIGINT NOT NULL REFERENCES conversations(id), call_id TEXT NOT NULL,
  message_id BIGINT NOT NULL REFERENCES messages(id), is_result SMALLINT NOT NULL CHECK(is_result IN(0,1)),
  PRIMARY KEY(conversation_id, call_id, message_id, is_result)){ROWLESS};

-- content of a thread = the spans under root_id, then its own items 0, 1, 2, …; items below zero are
-- what the operation that made the thread put in the middle.
CREATE TABLE threads(id {ID}, uid {CODE} NOT NULL UNIQUE, lane_id BIGINT NOT NULL REFERENCES lanes(id),
  version_id BIGINT NOT NULL REFERENCES versions(id), origin_id BIGINT, origin_length BIGINT NOT NULL DEFAULT 0,
  root_id BIGINT, base_length BIGINT NOT NULL DEFAULT 0, compaction_id BIGINT, UNIQUE(version_id, lane_id),
  CHECK((root_id IS NULL)=(base_length=0)));
CREATE TABLE items(thread_id BIGINT NOT NULL REFERENCES threads(id), seq BIGINT NOT NULL,
  message_id BIGINT NOT NULL REFERENCES messages(id), okey BIGINT, PRIMARY KEY(thread_id, seq)){ROWLESS};
CREATE INDEX items_message ON items(message_id);
-- A node of the span tree, its entries packed into one value (engine/tree/span.c).
CREATE TABLE nodes(id {ID}, conversation_id BIGINT NOT NULL REFERENCES conversations(id), level SMALLINT NOT NULL,
  entries {BLOB} NOT NULL);

CREATE TABLE compactions(id {ID}, thread_id BIGINT NOT NULL REFERENCES threads(id), covers BIGINT NOT NULL CHECK(covers>0),
  last_message_id BIGINT NOT NULL, summary_message_id BIGINT NOT NULL, previous_id BIGINT,
  reason TEXT NOT NULL, model TEXT, created_at BIGINT NOT NULL);
CREATE TABLE squashes(id {ID}, uid {CODE} NOT NULL UNIQUE, conversation_id BIGINT NOT NULL REFERENCES conversations(id),
  version_id BIGINT NOT NULL REFERENCES versions(id), result_message_id BIGINT NOT NULL,
  prompt TEXT, model TEXT, by_agent SMALLINT NOT NULL CHECK(by_agent IN(0,1)), created_at BIGINT NOT NULL);
CREATE INDEX squashes_result ON squashes(result_message_id);
CREATE TABLE squash_sources(squash_id BIGINT NOT NULL REFERENCES squashes(id), idx BIGINT NOT NULL,
  message_id BIGINT NOT NULL, PRIMARY KEY(squash_id, idx)){ROWLESS};
CREATE INDEX squash_sources_message ON squash_sources(message_id);

CREATE TABLE tag_definitions(id {ID}, world_id BIGINT NOT NULL REFERENCES worlds(id), name TEXT NOT NULL,
  control TEXT NOT NULL, instruction TEXT NOT NULL, target TEXT, include_in_message SMALLINT NOT NULL CHECK(include_in_message IN(0,1)),
  created_at BIGINT NOT NULL, UNIQUE(world_id, name));
CREATE TABLE active_tags(conversation_id BIGINT NOT NULL REFERENCES conversations(id), tag_id BIGINT NOT NULL REFERENCES tag_definitions(id),
  PRIMARY KEY(conversation_id, tag_id)){ROWLESS};
CREATE TABLE context_files(id {ID}, conversation_id BIGINT NOT NULL REFERENCES conversations(id), path TEXT NOT NULL,
  items TEXT, created_at BIGINT NOT NULL, UNIQUE(conversation_id, path));

CREATE TABLE idempotency(key TEXT NOT NULL PRIMARY KEY, request_hash BIGINT NOT NULL, response TEXT, created_at BIGINT NOT NULL);
