-- What was learned of models by asking them, for a server that starts again: how much they refused to read and how they count
-- ("window", JSON), and why they have no tools ("noTools", in words). An archive carries none of it.
CREATE TABLE learned(model {CODE} NOT NULL, what {CODE} NOT NULL, value TEXT NOT NULL, learned_at BIGINT NOT NULL,
  PRIMARY KEY(model, what))
