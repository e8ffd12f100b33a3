-- Waits for another transaction that holds the same key; no row means that its answer is there.
-- name: KeyClaim :execrows
INSERT INTO idempotency_keys (workspace_id, principal_id, route, key, payload_hash)
VALUES (@workspace_id, @principal_id, @route, @key, @payload_hash)
ON CONFLICT DO NOTHING;

-- name: KeyGet :one
SELECT payload_hash, object_id, answer_status, answer_body, (forgotten_at IS NOT NULL)::boolean AS is_forgotten FROM idempotency_keys
WHERE workspace_id = @workspace_id AND principal_id = @principal_id AND route = @route AND key = @key;

-- name: KeyAnswer :exec
UPDATE idempotency_keys SET object_id = @object_id, answer_status = @answer_status, answer_body = @answer_body
WHERE workspace_id = @workspace_id AND principal_id = @principal_id AND route = @route AND key = @key;

-- The body of an answer that was not known when its command was committed: the first one stays.
-- name: KeyAnswerLate :exec
UPDATE idempotency_keys SET answer_body = @answer_body
WHERE workspace_id = @workspace_id AND principal_id = @principal_id AND route = @route AND key = @key
    AND answer_body IS NULL AND forgotten_at IS NULL;

-- An answer may hold a text, and is kept no longer than the workspace's policy keeps texts.
-- name: KeysForget :execrows
UPDATE idempotency_keys k SET answer_body = NULL, forgotten_at = sendonce_now()
FROM (SELECT o.* FROM policies_now p CROSS JOIN LATERAL (
        SELECT a.workspace_id, a.principal_id, a.route, a.key FROM idempotency_keys a
        WHERE a.workspace_id = p.workspace_id AND a.answer_body <> ''
            AND a.created_at < sendonce_now() - least(@kept::interval, nullif(p.content_days, 0) * interval '1 day')
        ORDER BY a.created_at LIMIT @most FOR UPDATE SKIP LOCKED) o
    LIMIT @most) old
WHERE (k.workspace_id, k.principal_id, k.route, k.key) = (old.workspace_id, old.principal_id, old.route, old.key);
