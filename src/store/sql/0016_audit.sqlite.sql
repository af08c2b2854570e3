-- Who changed what, from where: settings, providers, keys, tool servers, approvals, purges, removals, and who was not let
-- in. Rows are only ever added, and hold no text that was said and no secret.
CREATE TABLE audit(
  id {ID}, at BIGINT NOT NULL, who TEXT NOT NULL, origin TEXT NOT NULL, what TEXT NOT NULL, subject TEXT NOT NULL,
  detail TEXT, request_id TEXT);
CREATE TRIGGER audit_no_update BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'rows of audit are kept as they are'); END;
CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'rows of audit are kept'); END
