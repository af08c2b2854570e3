-- The trail of changes: rows are added and read.

-- :audit_insert
INSERT INTO audit(at, who, origin, what, subject, detail, request_id) VALUES($1, $2, $3, $4, $5, $6, $7);
-- :audit_rows_before
SELECT id, at, who, origin, what, subject, detail, request_id FROM audit WHERE id < $1 ORDER BY id DESC LIMIT $2;
