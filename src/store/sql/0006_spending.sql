-- What was used in a month is read from this index alone, model by model.
CREATE INDEX model_calls_time ON model_calls(created_at, model, tokens_in, tokens_out);
