-- name: AccountInsert :one
INSERT INTO accounts (workspace_id, channel, handle, member_urn, created_by)
VALUES (@workspace_id, @channel, @handle, sqlc.narg(member_urn), @created_by)
ON CONFLICT DO NOTHING
RETURNING id;

-- name: AccountGrantTo :exec
INSERT INTO account_grants (account_id, principal_id) VALUES (@account_id, @principal_id) ON CONFLICT DO NOTHING;

-- name: AccountByHandle :one
SELECT id FROM accounts WHERE workspace_id = @workspace_id AND channel = @channel AND (handle = @handle OR member_urn = sqlc.narg(member_urn))
LIMIT 1;

-- name: AccountGet :one
SELECT a.id, a.channel, a.handle, a.member_urn, a.member_name, a.stopped_at, a.stopped_code, a.cool_until, a.paused_at,
    p.name AS paused_by, a.pause_note, a.created_at
FROM accounts a LEFT JOIN principals p ON p.id = a.paused_by WHERE a.workspace_id = @workspace_id AND a.id = @id;

-- name: AccountList :many
SELECT a.id, a.channel, a.handle, a.member_urn, a.member_name, a.stopped_at, a.stopped_code, a.cool_until, a.paused_at,
    p.name AS paused_by, a.pause_note, a.created_at
FROM accounts a LEFT JOIN principals p ON p.id = a.paused_by
WHERE a.workspace_id = @workspace_id AND (sqlc.narg(after)::uuid IS NULL OR a.id > sqlc.narg(after))
ORDER BY a.id LIMIT @most;

-- name: AccountClear :execrows
UPDATE accounts SET stopped_at = NULL, stopped_code = NULL, cleared_at = sendonce_now() WHERE workspace_id = @workspace_id AND id = @id;
