-- Of what was sent: read from the provider's cache, and written to it. cost: billionths of a US dollar by the price of that day; -1: not known.
ALTER TABLE model_calls ADD COLUMN tokens_cached BIGINT NOT NULL DEFAULT 0;
ALTER TABLE model_calls ADD COLUMN tokens_written BIGINT NOT NULL DEFAULT 0;
ALTER TABLE model_calls ADD COLUMN cost BIGINT NOT NULL DEFAULT -1;
-- As 0012_usage.sql has it: of calls that are not in this store.
ALTER TABLE messages ADD COLUMN tokens_cached BIGINT;
ALTER TABLE messages ADD COLUMN tokens_written BIGINT;
ALTER TABLE messages ADD COLUMN cost BIGINT;
-- What was spent is read from these alone.
DROP INDEX model_calls_world;
CREATE INDEX model_calls_world ON model_calls(world_id, created_at, tokens_in, tokens_out, cost);
DROP INDEX model_calls_time;
CREATE INDEX model_calls_time ON model_calls(created_at, model, cost)
