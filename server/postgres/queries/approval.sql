-- name: MessageLock :one
SELECT id FROM messages WHERE id = @id FOR NO KEY UPDATE;

-- name: MessageSetAuthority :exec
UPDATE messages SET authority = @authority WHERE id = @id;
