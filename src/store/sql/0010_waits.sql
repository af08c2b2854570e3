-- What an open turn waits for: 0 nothing, 1 a person's word, 2 a model that could not answer and is asked again, 3 to go
-- on after a person's word; and when that is over, where it is known. What is shown of it is in tool.
ALTER TABLE turns ADD COLUMN waits SMALLINT NOT NULL DEFAULT 0;
ALTER TABLE turns ADD COLUMN waits_until BIGINT;
UPDATE turns SET waits = 1 WHERE state='open' AND tool LIKE '%waits for you';
UPDATE turns SET waits = 3 WHERE state='open' AND (tool LIKE '%, allowed' OR tool LIKE '%, denied');

-- When a call that a person has allowed began to run. Before this was known the turn's words told it: what they do not
-- name as allowed and not begun may have been.
ALTER TABLE inbox ADD COLUMN begun_at BIGINT;
UPDATE inbox SET begun_at = done_at WHERE kind='approval' AND answer='allowed' AND turn_id IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM turns t WHERE t.id = inbox.turn_id AND t.state='open' AND t.tool = inbox.tool || ', allowed');

-- Why something is done without a word of a person: what decided it. What is told of a world's own limit names it in
-- call_id, so that it is ended with the limit.
ALTER TABLE inbox ADD COLUMN reason TEXT;
UPDATE inbox SET call_id = 'monthlyTokens' WHERE kind='failure' AND turn_id IS NULL AND call_id IS NULL
  AND title='The limit of this month is reached'
