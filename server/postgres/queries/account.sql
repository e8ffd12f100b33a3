-- name: AccountInsert :one
INSERT INTO accounts (workspace_id, channel, handle, member_urn, created_by)
VALUES (@workspace_id, @channel, @handle, sqlc.narg(member_urn), @created_by)
ON CONFLICT DO NOTHING
RETURNING id, channel, handle, member_urn, member_name, stopped_at, stopped_code, cool_until, paused_at, created_at;

-- name: AccountGrantTo :exec
INSERT INTO account_grants (account_id, principal_id) VALUES (@account_id, @principal_id) ON CONFLICT DO NOTHING;

-- name: AccountByHandle :one
SELECT id, channel, handle, member_urn, member_name, stopped_at, stopped_code, cool_until, paused_at, created_at
FROM accounts WHERE workspace_id = @workspace_id AND channel = @channel AND (handle = @handle OR member_urn = sqlc.narg(member_urn))
LIMIT 1;

-- name: AccountGet :one
SELECT id, channel, handle, member_urn, member_name, stopped_at, stopped_code, cool_until, paused_at, created_at
FROM accounts WHERE workspace_id = @workspace_id AND id = @id;

-- name: AccountList :many
SELECT id, channel, handle, member_urn, member_name, stopped_at, stopped_code, cool_until, paused_at, created_at
FROM accounts WHERE workspace_id = @workspace_id AND (sqlc.narg(after)::uuid IS NULL OR id > sqlc.narg(after))
ORDER BY id LIMIT @most;

-- name: AccountClear :one
UPDATE accounts SET stopped_at = NULL, stopped_code = NULL WHERE workspace_id = @workspace_id AND id = @id
RETURNING id, channel, handle, member_urn, member_name, stopped_at, stopped_code, cool_until, paused_at, created_at;
