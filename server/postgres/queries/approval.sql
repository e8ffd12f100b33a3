-- name: ApprovalsExpired :many
SELECT ap.message_id FROM approvals ap JOIN messages m ON m.id = ap.message_id
WHERE ap.voided_at IS NULL AND ap.expires_at < (SELECT sendonce_now()) AND m.authority = 'approved'
    AND NOT EXISTS (SELECT FROM sends s WHERE s.message_id = m.id AND s.status IN ('started', 'unconfirmed', 'sent'))
ORDER BY ap.expires_at LIMIT @most;

-- name: MessageLock :one
SELECT id FROM messages WHERE id = @id FOR NO KEY UPDATE;

-- name: ApprovalVoidExpired :execrows
UPDATE approvals SET voided_at = sendonce_now(), void_reason = 'expired'
WHERE message_id = @message_id AND voided_at IS NULL AND expires_at < sendonce_now();

-- name: MessageSetAuthority :exec
UPDATE messages SET authority = @authority WHERE id = @id;
