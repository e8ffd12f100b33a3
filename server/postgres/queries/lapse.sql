-- name: MessagesLapsed :many
SELECT id FROM messages WHERE lapses_at <= (SELECT sendonce_now()) ORDER BY lapses_at LIMIT @most;

-- Read after the locks: so is the time.
-- name: MessageLapseFacts :one
SELECT sendonce_now()::timestamptz AS now_at, m.authority, m.closed_at, m.delivered_at, v.send_before, ap.expires_at AS approval_ends,
    (CASE WHEN v.send_after IS NOT NULL AND v.send_before IS NULL AND ap.id IS NOT NULL
        THEN schedule_ends(m.account_id, greatest(v.send_after, ap.approved_at)) ELSE 'epoch' END)::timestamptz AS schedule_ends
FROM messages m JOIN message_versions v ON v.message_id = m.id AND v.version = m.version
    LEFT JOIN approvals ap ON ap.message_id = m.id AND ap.voided_at IS NULL
WHERE m.id = @id;

-- name: ApprovalLapse :exec
UPDATE approvals SET voided_at = sendonce_now(), void_reason = @reason::text WHERE message_id = @message_id AND voided_at IS NULL;

-- name: MessageLapse :exec
UPDATE messages SET authority = 'expired', lapses_at = NULL WHERE id = @id AND authority IN ('proposed', 'approved');

-- name: MessageLapseLater :exec
UPDATE messages SET lapses_at = sqlc.narg(again) WHERE id = @id;
