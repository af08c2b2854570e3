-- What changes the wording in place is an amend, and an edit asks again and removes what followed. Until now the first was
-- stored as "edit" and the second as "revise".
UPDATE versions SET note = 'amend' || substr(note, 5) WHERE kind = 'edit' AND note LIKE 'edit %';
UPDATE versions SET kind = 'amend' WHERE kind = 'edit';
UPDATE versions SET note = 'edit' || substr(note, 7) WHERE kind = 'revise' AND note LIKE 'revise %';
UPDATE versions SET kind = 'edit' WHERE kind = 'revise';
UPDATE ops SET kind = 'amend' WHERE kind = 'edit';
UPDATE ops SET kind = 'edit' WHERE kind = 'revise';
UPDATE compactions SET reason = 'amend' WHERE reason = 'edit';
UPDATE edit_errors SET operation = 'edit' WHERE operation = 'revise';
UPDATE events SET data = replace(data, '"op":"edit"', '"op":"amend"') WHERE type = 'thread.created';
UPDATE events SET data = replace(data, '"op":"revise"', '"op":"edit"') WHERE type = 'thread.created'
