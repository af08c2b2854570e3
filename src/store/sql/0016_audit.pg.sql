-- Who changed what, from where: settings, providers, keys, tool servers, approvals, purges, removals, and who was not let
-- in. Rows are only ever added, and hold no text that was said and no secret.
CREATE TABLE audit(
  id {ID}, at BIGINT NOT NULL, who TEXT NOT NULL, origin TEXT NOT NULL, what TEXT NOT NULL, subject TEXT NOT NULL,
  detail TEXT, request_id TEXT);
CREATE OR REPLACE FUNCTION audit_is_kept() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'rows of audit are kept'; END $$;
CREATE TRIGGER audit_no_change BEFORE UPDATE OR DELETE ON audit FOR EACH ROW EXECUTE FUNCTION audit_is_kept();
CREATE TRIGGER audit_no_truncate BEFORE TRUNCATE ON audit FOR EACH STATEMENT EXECUTE FUNCTION audit_is_kept()
