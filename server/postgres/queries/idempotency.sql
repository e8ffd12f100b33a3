-- Waits for another transaction that holds the same key; no row means that its answer is there.
-- name: KeyClaim :execrows
INSERT INTO idempotency_keys (workspace_id, principal_id, route, key, payload_hash)
VALUES (@workspace_id, @principal_id, @route, @key, @payload_hash)
ON CONFLICT DO NOTHING;

-- name: KeyGet :one
SELECT payload_hash, object_id, answer_status, answer_body FROM idempotency_keys
WHERE workspace_id = @workspace_id AND principal_id = @principal_id AND route = @route AND key = @key;

-- name: KeyAnswer :exec
UPDATE idempotency_keys SET object_id = @object_id, answer_status = @answer_status, answer_body = @answer_body
WHERE workspace_id = @workspace_id AND principal_id = @principal_id AND route = @route AND key = @key;
