-- messages.stopped says why a text ends before its end: 1 somebody stopped its agent, 2 it was cut off, 3 the model had
-- written as much as it may. What was kept when a program ended in order was stopped by nobody.
UPDATE messages SET stopped = 2 WHERE stopped = 1 AND turn IS NOT NULL AND EXISTS (SELECT 1 FROM turns t
  WHERE t.uid = messages.turn AND t.message_uid = messages.uid AND t.state='interrupted');

-- What agents are writing, as it comes, for when the program that speaks for them goes away: a text (part 0) or the
-- thinking before it (1) in pieces, each with the byte where it begins. The rows go when the message is stored or its
-- turn is closed, in the same transaction. An archive carries none of it.
CREATE TABLE written(turn_id BIGINT NOT NULL REFERENCES turns(id), part BIGINT NOT NULL, place BIGINT NOT NULL,
  text TEXT NOT NULL, PRIMARY KEY(turn_id, part, place))
