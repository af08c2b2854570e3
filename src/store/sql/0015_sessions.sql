-- Browsers that are signed in. Of the secret in the cookie only the hash is kept. peer_uid is the user of this computer who
-- signed in, and -1 where that is not known: the cookie is good for that user alone.
CREATE TABLE sessions(id {ID}, uid {CODE} NOT NULL UNIQUE, hash {CODE} NOT NULL UNIQUE, label TEXT NOT NULL, peer_uid BIGINT NOT NULL,
  created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL)
