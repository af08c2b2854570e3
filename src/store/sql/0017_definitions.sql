-- How tools of servers define themselves: each definition that a person was asked about, and of each tool the one that a person
-- has allowed last (allowed_at). hash is the SHA-256 of definition. The words are a server's, and none of them were said by
-- anybody. An archive carries none of it: what came with one is asked about anew.
CREATE TABLE definitions(id {ID}, world_id BIGINT NOT NULL REFERENCES worlds(id), server TEXT NOT NULL, tool TEXT NOT NULL,
  hash {CODE} NOT NULL, definition TEXT NOT NULL, created_at BIGINT NOT NULL, allowed_at BIGINT);
CREATE UNIQUE INDEX definitions_once ON definitions(world_id, server, tool, hash);
CREATE UNIQUE INDEX definitions_allowed ON definitions(world_id, server, tool) WHERE allowed_at IS NOT NULL;

-- Of an approval: how the tool was defined when a person was asked; and whether the person is to read that first, because the
-- tool is "new" or has "changed" since it was allowed.
ALTER TABLE inbox ADD COLUMN definition_id BIGINT;
ALTER TABLE inbox ADD COLUMN definition_state TEXT
