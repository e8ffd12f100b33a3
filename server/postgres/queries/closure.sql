-- The message's lock is held. The database puts its own time in closed_at.
-- name: MessageClose :exec
UPDATE messages SET closed_at = sendonce_now(), closed_by = @closed_by::uuid, closed_why = @why::text WHERE id = @id;
