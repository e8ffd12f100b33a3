-- Open ones first, then the newest.
-- name: IncidentList :many
SELECT id, kind, subject_id, message_id, account_id, install_id, count, opened_at, last_at, closed_at
FROM incidents WHERE workspace_id = @workspace_id AND (@with_closed::boolean OR closed_at IS NULL)
ORDER BY (closed_at IS NOT NULL), opened_at DESC, id LIMIT @most;
