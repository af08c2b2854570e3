-- What an agent did last, to tell whether it failed; and what was asked for a message in vain.
CREATE INDEX turns_closed ON turns(agent_id, closed_at) WHERE closed_at IS NOT NULL;
CREATE INDEX turns_unanswered ON turns(trigger_message_id) WHERE state='failed';
-- What people are asked about limits: call_id is which limit, and of which month.
CREATE INDEX inbox_limit ON inbox(call_id) WHERE kind='approval' AND turn_id IS NULL;
