-- Of an answer that an agent waits for with a task in hand: the task, which goes on with the answer. What a task asks people is
-- here too, with 0 for who is asked; message_id is the one that called the tool then.
ALTER TABLE expected ADD COLUMN task_id BIGINT;
CREATE INDEX expected_task ON expected(task_id) WHERE task_id IS NOT NULL
