-- What an agent does in an open turn beside thinking: tool is the name of the one that runs or waits for a person's
-- word, writing is 1 while text comes.
ALTER TABLE turns ADD COLUMN tool TEXT;
ALTER TABLE turns ADD COLUMN writing SMALLINT NOT NULL DEFAULT 0;

-- Of what a task told people: the turn of the task that told it, or that would have told it again.
ALTER TABLE inbox ADD COLUMN attempt_id BIGINT;
CREATE INDEX inbox_task ON inbox(task_id) WHERE task_id IS NOT NULL;
