-- Where PostgreSQL needs other words.

-- A transaction that closes or continues the turn waits for this one, and this one waits for none: text that is not saved
-- now is saved the next time. So text is never saved after the end of its turn, and no transactions wait in a circle.
-- :written_add
INSERT INTO written(turn_id, part, place, text)
SELECT t.id, CAST($1 AS BIGINT), CAST($2 AS BIGINT), CAST($3 AS TEXT) FROM turns t
 WHERE t.id = $4 AND t.fence = $5 AND t.message_uid = $6 AND t.state = 'open' FOR SHARE OF t SKIP LOCKED
ON CONFLICT(turn_id, part, place) DO UPDATE SET text = excluded.text;
