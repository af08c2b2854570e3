-- Full-text search over every message ever stored; filled in batches, off the path of appends. The index
-- keeps no copy of the text: it is given words that are cleaned already (base/words.h), and given them again
-- to forget them. meta's words_upto is the last message that was looked at.
CREATE VIRTUAL TABLE message_words USING fts5(content, content='', tokenize='ascii');
INSERT INTO meta(key, value) VALUES('words_upto', 0);
