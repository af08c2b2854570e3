-- Where PostgreSQL needs other words.

-- :deliveries_of_many
SELECT d.id, d.conversation_id, d.agent_id, d.message_id, d.hops_left, d.created_at, d.cause, d.model, a.name, d.state, a.removed_at, m.uid
  FROM unnest(CAST(string_to_array(CAST($1 AS TEXT), ',') AS BIGINT[])) j(value) JOIN deliveries d ON d.message_id = j.value
  JOIN agents a ON a.id = d.agent_id JOIN messages m ON m.id = d.message_id ORDER BY d.message_id, d.id;
