-- What the model that wrote a message wants back of its thinking: JSON, for that model alone.
ALTER TABLE messages ADD COLUMN reasoning TEXT
