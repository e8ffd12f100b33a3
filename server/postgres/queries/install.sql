-- name: PairingCodeAdd :one
INSERT INTO pairing_codes (code_hash, workspace_id, principal_id, expires_at)
VALUES (@code_hash, @workspace_id, @principal_id, sendonce_now() + @lasts::interval)
RETURNING expires_at;

-- Codes are of no use once they expired: each new one clears a few old ones away.
-- name: PairingCodesForget :exec
DELETE FROM pairing_codes WHERE expires_at < sendonce_now();

-- name: PairingCodeUse :one
UPDATE pairing_codes SET used_at = sendonce_now()
WHERE code_hash = @code_hash AND used_at IS NULL AND expires_at > sendonce_now()
RETURNING workspace_id, principal_id;

-- name: InstallAdd :exec
INSERT INTO installs (id, workspace_id, principal_id, secret_hash, extension_version)
VALUES (@id, @workspace_id, @principal_id, @secret_hash, @extension_version);

-- name: InstallLock :one
SELECT workspace_id, principal_id, secret_hash, former_secret_hash, revoked_at
FROM installs WHERE id = @id FOR NO KEY UPDATE;

-- name: InstallRotate :exec
UPDATE installs SET former_secret_hash = secret_hash, secret_hash = @next_hash WHERE id = @id;

-- name: InstallRotateAgain :exec
UPDATE installs SET secret_hash = @next_hash WHERE id = @id;

-- name: InstallRevoke :execrows
UPDATE installs SET revoked_at = coalesce(revoked_at, sendonce_now()), revoked_code = coalesce(revoked_code, @code::text)
WHERE id = @id AND workspace_id = @workspace_id;

-- name: InstallArrive :exec
UPDATE installs SET session_id = @session_id::uuid, extension_version = @extension_version, last_seen_at = sendonce_now(), hello_at = sendonce_now(),
    mark_epoch = CASE WHEN (@epoch::bigint, @event::bigint) > (mark_epoch, mark_event) THEN @epoch ELSE mark_epoch END,
    mark_event = CASE WHEN (@epoch, @event) > (mark_epoch, mark_event) THEN @event ELSE mark_event END
WHERE id = @id;

-- The LinkedIn accounts that an install's principal was granted. An admin has all of the workspace.
-- Those of the members signed in there come first: a team may have more accounts than a hello is answered with.
-- name: AccountsGranted :many
SELECT a.id, a.handle, coalesce(a.member_urn, '')::text AS member_urn, (a.stopped_at IS NOT NULL)::boolean AS stopped
FROM accounts a JOIN principals p ON p.workspace_id = a.workspace_id
WHERE p.id = @principal_id AND a.channel = 'linkedin' AND (p.role = 'admin'
    OR EXISTS (SELECT FROM account_grants g WHERE g.account_id = a.id AND g.principal_id = p.id))
ORDER BY (a.handle = ANY (@known_by::text[]) OR a.member_urn = ANY (@known_by::text[])) IS TRUE DESC, a.id LIMIT @most;

-- A member who is another account's of this workspace is not pinned a second time.
-- name: AccountPin :execrows
UPDATE accounts a SET member_urn = @member_urn::text, member_name = @member_name::text
WHERE a.id = @id AND a.member_urn IS NULL AND NOT EXISTS (
    SELECT FROM accounts b WHERE b.workspace_id = a.workspace_id AND b.member_urn = @member_urn::text);

-- name: InstallsOfWorkspace :many
SELECT i.id, i.principal_id, p.name AS principal_name, i.extension_version, i.created_at, i.last_seen_at, i.revoked_at,
    coalesce(i.revoked_code, '')::text AS revoked_code, i.paused_at, coalesce(i.pause_note, '')::text AS pause_note,
    coalesce(pb.name, '')::text AS paused_by
FROM installs i JOIN principals p ON p.id = i.principal_id LEFT JOIN principals pb ON pb.id = i.paused_by
WHERE i.workspace_id = @workspace_id AND i.id > @after AND (sqlc.narg(one)::uuid IS NULL OR i.id = sqlc.narg(one))
ORDER BY i.id LIMIT @most;

-- name: InstallStandings :many
SELECT id, session_id, (revoked_at IS NOT NULL)::boolean AS revoked, (paused_at IS NOT NULL)::boolean AS paused,
    coalesce((SELECT max(e.id) FROM instance_events e), 0)::bigint AS turn
FROM installs WHERE id = ANY (@ids::uuid[]);

-- name: InstallsSeen :exec
UPDATE installs SET last_seen_at = sendonce_now() WHERE id = ANY (@ids::uuid[]);
