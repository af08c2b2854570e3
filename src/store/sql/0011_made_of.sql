-- Which messages stand in what a model was sent: for each part of the context the ids apart by blanks, then a line end.
-- The pieces hold texts alone, so that equal ones are kept once; equal texts are not the same message. NULL: not known.
ALTER TABLE model_calls ADD COLUMN made_of TEXT
