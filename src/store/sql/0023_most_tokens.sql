-- How many tokens an answer to this may have, where a person has said so.
ALTER TABLE deliveries ADD COLUMN most_tokens BIGINT;
ALTER TABLE waiting ADD COLUMN most_tokens BIGINT
