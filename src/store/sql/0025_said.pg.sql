-- What waits to be said is kept as the JSON of its message: whatever else a message may carry needs no column here.
ALTER TABLE waiting ADD COLUMN said TEXT NOT NULL DEFAULT '{}';
UPDATE waiting SET said = CAST(json_build_object('sender', sender, 'content', content, 'replyToMessageId', reply_to,
  'instructions', CAST(COALESCE(instructions, '[]') AS JSON)) AS TEXT);
ALTER TABLE waiting DROP COLUMN sender;
ALTER TABLE waiting DROP COLUMN content;
ALTER TABLE waiting DROP COLUMN reply_to;
ALTER TABLE waiting DROP COLUMN instructions
