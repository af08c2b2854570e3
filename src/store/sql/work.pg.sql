-- Where PostgreSQL needs other words.

-- :deliveries_of_many
SELECT {delivery_row}
  FROM unnest(CAST(string_to_array(CAST($1 AS TEXT), ',') AS BIGINT[])) j(value) JOIN deliveries d ON d.message_id = j.value
  JOIN agents a ON a.id = d.agent_id JOIN messages m ON m.id = d.message_id ORDER BY d.message_id, d.id;
