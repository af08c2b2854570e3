-- Archives: where PostgreSQL needs other words.

-- An insert takes its id after it got its lock on the table, so no id is given out beside ours.
-- :archive_lock
LOCK TABLE worlds, agents, tag_definitions, conversations, active_tags, context_files, versions, lanes, messages, attachments,
  carried, threads, items, nodes, compactions, squashes, squash_sources, ops, copies
  IN EXCLUSIVE MODE;
-- :archive_ids_worlds
SELECT setval(s.name, nextval(s.name) + CAST($1 AS BIGINT) - 1) - $1
  FROM (SELECT CAST(pg_get_serial_sequence('worlds', 'id') AS regclass) AS name) s;
-- :archive_ids_agents
SELECT setval(s.name, nextval(s.name) + CAST($1 AS BIGINT) - 1) - $1
  FROM (SELECT CAST(pg_get_serial_sequence('agents', 'id') AS regclass) AS name) s;
-- :archive_ids_tags
SELECT setval(s.name, nextval(s.name) + CAST($1 AS BIGINT) - 1) - $1
  FROM (SELECT CAST(pg_get_serial_sequence('tag_definitions', 'id') AS regclass) AS name) s;
-- :archive_ids_conversations
SELECT setval(s.name, nextval(s.name) + CAST($1 AS BIGINT) - 1) - $1
  FROM (SELECT CAST(pg_get_serial_sequence('conversations', 'id') AS regclass) AS name) s;
-- :archive_ids_files
SELECT setval(s.name, nextval(s.name) + CAST($1 AS BIGINT) - 1) - $1
  FROM (SELECT CAST(pg_get_serial_sequence('context_files', 'id') AS regclass) AS name) s;
-- :archive_ids_versions
SELECT setval(s.name, nextval(s.name) + CAST($1 AS BIGINT) - 1) - $1
  FROM (SELECT CAST(pg_get_serial_sequence('versions', 'id') AS regclass) AS name) s;
-- :archive_ids_lanes
SELECT setval(s.name, nextval(s.name) + CAST($1 AS BIGINT) - 1) - $1
  FROM (SELECT CAST(pg_get_serial_sequence('lanes', 'id') AS regclass) AS name) s;
-- :archive_ids_messages
SELECT setval(s.name, nextval(s.name) + CAST($1 AS BIGINT) - 1) - $1
  FROM (SELECT CAST(pg_get_serial_sequence('messages', 'id') AS regclass) AS name) s;
-- :archive_ids_attachments
SELECT setval(s.name, nextval(s.name) + CAST($1 AS BIGINT) - 1) - $1
  FROM (SELECT CAST(pg_get_serial_sequence('attachments', 'id') AS regclass) AS name) s;
-- :archive_ids_threads
SELECT setval(s.name, nextval(s.name) + CAST($1 AS BIGINT) - 1) - $1
  FROM (SELECT CAST(pg_get_serial_sequence('threads', 'id') AS regclass) AS name) s;
-- :archive_ids_nodes
SELECT setval(s.name, nextval(s.name) + CAST($1 AS BIGINT) - 1) - $1
  FROM (SELECT CAST(pg_get_serial_sequence('nodes', 'id') AS regclass) AS name) s;
-- :archive_ids_compactions
SELECT setval(s.name, nextval(s.name) + CAST($1 AS BIGINT) - 1) - $1
  FROM (SELECT CAST(pg_get_serial_sequence('compactions', 'id') AS regclass) AS name) s;
-- :archive_ids_squashes
SELECT setval(s.name, nextval(s.name) + CAST($1 AS BIGINT) - 1) - $1
  FROM (SELECT CAST(pg_get_serial_sequence('squashes', 'id') AS regclass) AS name) s;
-- :archive_ids_ops
SELECT setval(s.name, nextval(s.name) + CAST($1 AS BIGINT) - 1) - $1
  FROM (SELECT CAST(pg_get_serial_sequence('ops', 'id') AS regclass) AS name) s;
-- :archive_ids_copies
SELECT setval(s.name, nextval(s.name) + CAST($1 AS BIGINT) - 1) - $1
  FROM (SELECT CAST(pg_get_serial_sequence('copies', 'id') AS regclass) AS name) s;
