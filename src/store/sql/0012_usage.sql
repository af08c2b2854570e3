-- What the call that wrote a message used, where the call itself is not in this store: it came with an archive. NULL: not known.
ALTER TABLE messages ADD COLUMN tokens_in BIGINT;
ALTER TABLE messages ADD COLUMN tokens_out BIGINT;
ALTER TABLE messages ADD COLUMN tokens_estimated SMALLINT
