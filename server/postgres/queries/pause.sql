-- A pause that stands keeps who began it, when and why.
-- name: PauseAccount :execrows
UPDATE accounts SET paused_at = coalesce(paused_at, sendonce_now()),
    paused_by = CASE WHEN paused_at IS NULL THEN @paused_by::uuid ELSE paused_by END,
    pause_note = CASE WHEN paused_at IS NULL THEN sqlc.narg(note)::text ELSE pause_note END
WHERE workspace_id = @workspace_id AND id = @id;

-- name: PauseInstall :execrows
UPDATE installs SET paused_at = coalesce(paused_at, sendonce_now()),
    paused_by = CASE WHEN paused_at IS NULL THEN @paused_by::uuid ELSE paused_by END,
    pause_note = CASE WHEN paused_at IS NULL THEN sqlc.narg(note)::text ELSE pause_note END
WHERE workspace_id = @workspace_id AND id = @id;

-- name: PauseWorkspace :execrows
UPDATE workspaces SET paused_at = coalesce(paused_at, sendonce_now()),
    paused_by = CASE WHEN paused_at IS NULL THEN @paused_by::uuid ELSE paused_by END,
    pause_note = CASE WHEN paused_at IS NULL THEN sqlc.narg(note)::text ELSE pause_note END
WHERE id = @workspace_id;

-- name: PauseEverything :exec
UPDATE pause_of_everything SET paused_at = coalesce(paused_at, sendonce_now()),
    pause_note = CASE WHEN paused_at IS NULL THEN sqlc.narg(note)::text ELSE pause_note END;

-- name: ResumeAccount :execrows
UPDATE accounts SET paused_at = NULL, paused_by = NULL, pause_note = NULL WHERE workspace_id = @workspace_id AND id = @id;

-- name: ResumeInstall :execrows
UPDATE installs SET paused_at = NULL, paused_by = NULL, pause_note = NULL WHERE workspace_id = @workspace_id AND id = @id;

-- name: ResumeWorkspace :execrows
UPDATE workspaces SET paused_at = NULL, paused_by = NULL, pause_note = NULL WHERE id = @workspace_id;

-- name: ResumeEverything :exec
UPDATE pause_of_everything SET paused_at = NULL, pause_note = NULL;

-- The pauses that hold a whole workspace.
-- name: PausesOver :one
SELECT w.paused_at, coalesce(w.pause_note, '')::text AS note, coalesce(p.name, '')::text AS paused_by,
    e.paused_at AS everything_paused_at, coalesce(e.pause_note, '')::text AS everything_note
FROM workspaces w LEFT JOIN principals p ON p.id = w.paused_by CROSS JOIN (SELECT paused_at, pause_note FROM pause_of_everything LIMIT 1) e
WHERE w.id = @id;

-- The slots of what a pause holds. A start that was decided before the pause holds its account's slot until it is committed:
-- whoever has them all sees every such start. A null filter lets every account through; an install is known by the send in
-- the slot, which it holds the lease of.
-- name: PauseSlots :many
SELECT sl.account_id FROM account_slots sl
WHERE (sqlc.narg(account_id)::uuid IS NULL OR sl.account_id = sqlc.narg(account_id))
    AND (sqlc.narg(workspace_id)::uuid IS NULL OR EXISTS (SELECT FROM accounts a WHERE a.id = sl.account_id AND a.workspace_id = sqlc.narg(workspace_id)))
    AND EXISTS (SELECT FROM sends s WHERE s.id = sl.send_id AND s.status IN ('leased', 'started')
        AND (sqlc.narg(install_id)::uuid IS NULL OR s.lease_holder = sqlc.narg(install_id)))
ORDER BY sl.account_id FOR NO KEY UPDATE;

-- What stands in those slots, read once they are held, and whether a pause holds it still: a repeated request may come after
-- the resume.
-- name: PauseHeld :many
SELECT s.id, s.lease_token, s.status, (a.paused_at IS NOT NULL OR w.paused_at IS NOT NULL OR i.paused_at IS NOT NULL
    OR e.paused_at IS NOT NULL)::boolean AS is_paused
FROM account_slots sl JOIN sends s ON s.id = sl.send_id JOIN accounts a ON a.id = s.account_id
    JOIN workspaces w ON w.id = s.workspace_id JOIN installs i ON i.id = s.lease_holder
    CROSS JOIN (SELECT paused_at FROM pause_of_everything LIMIT 1) e
WHERE sl.account_id = ANY (@accounts::uuid[]) AND s.status IN ('leased', 'started')
    AND (sqlc.narg(install_id)::uuid IS NULL OR s.lease_holder = sqlc.narg(install_id));
