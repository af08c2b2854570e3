-- 1 where an agent was stopped while it wrote this: its text is what there was. What was kept before this was known is
-- found by its turn, which names the message that it was writing when it ended.
ALTER TABLE messages ADD COLUMN stopped SMALLINT;
UPDATE messages SET stopped = 1 WHERE turn IS NOT NULL AND EXISTS (SELECT 1 FROM turns t WHERE t.uid = messages.turn
  AND t.message_uid = messages.uid AND (t.state='cancelled' OR t.state='interrupted'))
