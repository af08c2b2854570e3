-- What people set for the next messages of a conversation: whose reply is expected, and that nothing may be changed.
ALTER TABLE conversations ADD COLUMN expects_agent_id BIGINT;
ALTER TABLE conversations ADD COLUMN read_only SMALLINT
