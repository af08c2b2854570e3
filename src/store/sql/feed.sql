-- Events and what else the program keeps for itself.

-- =event_rows
SELECT e.id, e.world_id, e.conversation_id, e.version_id, e.message_id, e.created_at, e.cause, e.type, e.data, e.world, c.uid, t.uid
  FROM events e LEFT JOIN conversations c ON c.id = e.conversation_id
  LEFT JOIN lanes l ON l.conversation_id = e.conversation_id AND l.key = 'main'
  LEFT JOIN threads t ON t.version_id = e.version_id AND t.lane_id = l.id

-- :event_insert
INSERT INTO events(world_id, conversation_id, version_id, message_id, cause, type, data, created_at, world)
VALUES($1, $2, $3, $4, $5, $6, $7, $8, COALESCE((SELECT name FROM worlds WHERE id = $1), ''));
-- A JSON array with an array for each.
-- :event_insert_many
INSERT INTO events(world_id, conversation_id, version_id, message_id, cause, type, data, created_at, world)
SELECT json_extract(j.value, '$[0]'), json_extract(j.value, '$[1]'), json_extract(j.value, '$[2]'), json_extract(j.value, '$[3]'),
  json_extract(j.value, '$[4]'), json_extract(j.value, '$[5]'), json_extract(j.value, '$[6]'), json_extract(j.value, '$[7]'),
  COALESCE((SELECT name FROM worlds WHERE id = json_extract(j.value, '$[0]')), '') FROM json_each($1) j ORDER BY j.key;
-- :event_after
{event_rows} WHERE e.id > $1 AND e.id <= $2 ORDER BY e.id LIMIT $3;
-- :event_after_world
{event_rows}
 WHERE e.world_id = $1 AND e.id > $2 AND e.id <= $3 ORDER BY e.id LIMIT $4;
-- :event_after_conversation
{event_rows}
 WHERE e.conversation_id = $1 AND e.world_id = (SELECT world_id FROM conversations WHERE id = $1) AND e.id > $2 AND e.id <= $3
 ORDER BY e.id LIMIT $4;
-- :event_newest
SELECT COALESCE(MAX(id), 0) FROM events;
-- :event_settled
SELECT COALESCE(MAX(id), 0) FROM events;
-- :event_oldest
SELECT COALESCE(MIN(id), 0) FROM events;
-- Ids, not times, are in order: what stands behind the first that stays, stays.
-- :event_stays
SELECT COALESCE((SELECT id FROM events WHERE created_at >= $1 ORDER BY id LIMIT 1), (SELECT MAX(id) FROM events), 0);
-- :event_last_below
SELECT COALESCE(MAX(id), 0) FROM events WHERE id < $1;
-- :event_delete
DELETE FROM events WHERE id < $1;
-- :event_forgotten
UPDATE meta SET value = $1 WHERE key = 'events_forgotten' AND value < $1;
-- :message_many
SELECT m.id, {messages_read}
  FROM {ids} {join} messages m ON m.id = j.value ORDER BY m.id;

-- Both only ever grow, so the sum is another one after a change of either.
-- :stamp_number
SELECT COALESCE(MAX(id), 0) + COALESCE((SELECT value FROM meta WHERE key = 'settings_changes'), 0) FROM events;
-- :setting_hold
SELECT 1;
-- :setting_rows
SELECT key, value FROM settings ORDER BY key;
-- :setting_put
INSERT INTO settings(key, value) VALUES($1, $2) ON CONFLICT(key) DO UPDATE SET value = excluded.value;
-- :setting_delete
DELETE FROM settings WHERE key = $1;
-- :setting_changed
INSERT INTO meta(key, value) VALUES('settings_changes', 1) ON CONFLICT(key) DO UPDATE SET value = meta.value + 1;
-- :setting_changes
SELECT COALESCE((SELECT value FROM meta WHERE key = 'settings_changes'), 0);

-- :answer_get
SELECT key, request_hash, status, head, body FROM answers WHERE key = $1 AND created_at >= $2;
-- :answer_put
INSERT INTO answers(key, request_hash, status, head, body, created_at) VALUES($1, $2, $3, $4, $5, $6)
ON CONFLICT(key) DO UPDATE SET request_hash = excluded.request_hash, status = excluded.status, head = excluded.head,
  body = excluded.body, created_at = excluded.created_at;
-- Only where nobody has begun with it, or that has failed or is forgotten.
-- :answer_begin
INSERT INTO answers(key, request_hash, status, head, body, created_at) VALUES($1, $2, $3, '', '', $4)
ON CONFLICT(key) DO UPDATE SET request_hash = excluded.request_hash, status = excluded.status, head = '', body = '',
  created_at = excluded.created_at WHERE answers.status = $5 OR answers.created_at < $6;
-- :answer_erase
UPDATE answers SET status = $1, head = '', body = '' WHERE body <> '';
-- :answer_expire
DELETE FROM answers WHERE key IN (SELECT key FROM answers WHERE created_at < $1 ORDER BY created_at LIMIT 100);

-- :edit_error_insert
INSERT INTO edit_errors(uid, world_id, conversation_id, message_uid, operation, error, created_at)
VALUES($1, $2, $3, $4, $5, $6, $7);
-- :edit_error_trim
DELETE FROM edit_errors WHERE world_id = $1
   AND id <= (SELECT id FROM edit_errors WHERE world_id = $1 ORDER BY id DESC LIMIT 1 OFFSET $2);
-- :edit_error_solved
DELETE FROM edit_errors WHERE world_id = $1 AND conversation_id = $2 AND message_uid = $3;
-- Conversations whose last change is the first half of an edit, and nothing was said since.
-- :edit_halves
SELECT c.id, c.uid, v.note, v.created_at
  FROM conversations c JOIN versions v ON v.id = c.version_id JOIN lanes l ON l.conversation_id = c.id AND l.key = 'main'
  JOIN threads t ON t.version_id = v.id AND t.lane_id = l.id
 WHERE c.world_id = $1 AND c.removed_at IS NULL AND v.kind = 'remove' AND v.note LIKE $2 AND v.created_at < $3
   AND NOT EXISTS(SELECT 1 FROM items i WHERE i.thread_id = t.id AND i.seq >= 0) ORDER BY v.id DESC LIMIT $4;
-- :edit_error_rows
SELECT e.uid, e.conversation_id, c.uid, e.message_uid, e.operation, e.error, e.created_at
  FROM edit_errors e LEFT JOIN conversations c ON c.id = e.conversation_id WHERE e.world_id = $1 ORDER BY e.id DESC;

-- :learned_set
INSERT INTO learned(model, what, value, learned_at) VALUES($1, $2, $3, $4)
  ON CONFLICT(model, what) DO UPDATE SET value = excluded.value, learned_at = excluded.learned_at;
-- :learned_forget
DELETE FROM learned WHERE model = $1 AND what = $2;
-- :learned_rows
SELECT model, what, value FROM learned ORDER BY learned_at DESC LIMIT 10000;
-- :session_insert
INSERT INTO sessions(uid, hash, label, peer_uid, created_at, expires_at) VALUES($1, $2, $3, $4, $5, $6);
-- Those that are over, and the oldest of too many.
-- :session_trim
DELETE FROM sessions WHERE expires_at < $1 OR id <= (SELECT COALESCE(MAX(id), 0) - $2 FROM sessions);
-- :session_rows
SELECT uid, hash, label, peer_uid, created_at, expires_at FROM sessions WHERE expires_at >= $1 ORDER BY id;
-- :session_delete
DELETE FROM sessions WHERE uid = $1;
-- :session_delete_all
DELETE FROM sessions;
