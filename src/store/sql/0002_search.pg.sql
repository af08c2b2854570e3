-- Full-text search over every message ever stored; filled in batches, off the path of appends. The words
-- are cleaned already (base/words.h), so no parser of the server's has a say. meta's words_upto is the last
-- message that was looked at; its row is also the lock under which the index changes.
CREATE TABLE message_words(message_id BIGINT PRIMARY KEY REFERENCES messages(id), words tsvector NOT NULL);
CREATE INDEX message_words_gin ON message_words USING gin(words);
INSERT INTO meta(key, value) VALUES('words_upto', 0);
