-- 1 where the agent is offered no tools for this answer, because its model cannot use any.
ALTER TABLE deliveries ADD COLUMN without_tools SMALLINT
